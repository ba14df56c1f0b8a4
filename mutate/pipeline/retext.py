"""Late changes of a variant's text, after it was compiled once: padding, launch bounds."""

from __future__ import annotations

from dataclasses import replace

from mutate.frontend.view import device_text, name_span
from mutate.mutations.build import VariantText
from mutate.occupancy import static_pad_statement
from mutate.results import Target
from mutate.source import Edit, Span, apply_edits

KEEPS = "keeps the original's resident blocks"


def with_static_pad(target: Target, text: VariantText, source: bytes, pad: int) -> tuple[VariantText, bytes]:
    """The variant, and what NVRTC gets of it, with ``pad`` bytes of shared memory at the start of its kernel."""
    unit = text.unit
    kernel = next((k for k in unit.kernels if k.qualified == target.kernel.qualified), None) if unit else None
    if unit is None or kernel is None:
        return text, source
    body = unit.main.expansion.to_source(Span(kernel.body.start, kernel.body.start + 1)).end
    statement = f" {static_pad_statement(pad)} /* kmutate: keeps the original's resident blocks */"
    return _with_edit(text, unit.source, source, Edit(body, body, statement, "static padding"))


def with_launch_bounds(target: Target, text: VariantText, source: bytes, blocks: int,
                       why: str = KEEPS, registers: int = 0) -> tuple[VariantText, bytes] | None:
    """The variant with ``__launch_bounds__(threads, blocks)``, so that it needs no more registers than fit.

    Where the block size is not known, or differs between launches, it is held to as many ``registers`` instead.
    In the text and not as a compiler option, so that the file has the certified occupancy wherever it is built.
    ``None`` when neither is known, or the kernel's name comes from a macro.
    """
    unit = text.unit
    kernel = next((k for k in unit.kernels if k.qualified == target.kernel.qualified), None) if unit else None
    sizes = {la.threads for la in target.launches}
    counted = bool(kernel and not kernel.launch_bounds and len(sizes) != 1)
    if unit is None or kernel is None or (counted and not registers):
        return None
    expansion = unit.main.expansion
    existing, name = kernel.node.find("launch_bounds"), name_span(kernel)
    threads = kernel.launch_bounds[0] if kernel.launch_bounds else str(next(iter(sizes), 0))
    bounds = f"__maxnreg__({registers}) /* kmutate: {why}; CUDA 12.4 or later */" if counted else \
        f"__launch_bounds__({threads}, {blocks}) /* kmutate: {why} */"
    if existing is not None:
        if not expansion.is_exact(existing.span):
            return None
        span = expansion.to_source(existing.span)
        return _with_edit(text, unit.source, source, Edit(span.start, span.end, bounds, "launch bounds"))
    if name is None or not expansion.is_exact(name):
        return None
    at = expansion.to_source(name).start
    return _with_edit(text, unit.source, source, Edit(at, at, f"{bounds} ", "launch bounds"))


def _with_edit(text: VariantText, original: bytes, source: bytes, edit: Edit) -> tuple[VariantText, bytes]:
    """One edit more; an insertion goes before what is inserted at the same byte already."""
    same = [e for e in text.edits if e.span == edit.span]
    joined = replace(edit, text=edit.text + "".join(e.text for e in same),
                     note="; ".join([edit.note, *(e.note for e in same if e.note)]))
    edits = sorted([*(e for e in text.edits if e.span != edit.span), joined], key=lambda e: (e.start, e.end))
    host = _host_spans_of(original, text, source)
    return (replace(text, text=apply_edits(original, edits), edits=tuple(edits)),
            apply_edits(device_text(original, host), edits))


def _host_spans_of(original: bytes, text: VariantText, source: bytes) -> tuple[Span, ...]:
    """Which bytes of the original are blank in what NVRTC compiles: found by undoing the edits."""
    spans: list[Span] = []
    at = new = 0
    for e in sorted(text.edits, key=lambda e: (e.start, e.end)):
        spans += _blanked(original, at, e.start, source, new)
        new += e.start - at + len(e.text.encode(errors="surrogateescape"))
        at = e.end
    spans += _blanked(original, at, len(original), source, new)
    return tuple(spans)


def _blanked(original: bytes, start: int, end: int, source: bytes, new: int) -> list[Span]:
    piece, other = original[start:end], source[new : new + end - start]
    if piece == other:
        return []
    return [Span(start + i, start + i + 1) for i in range(len(piece)) if piece[i] != other[i]]
