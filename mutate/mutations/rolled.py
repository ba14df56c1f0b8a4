"""The text of a variant with every loop kept rolled, for comparing instruction counts only.

The compiler decides on unrolling by what is in a loop, so a variant's loops may be unrolled otherwise than the
original's, and the counts differ though each iteration does the same. Rolled, both can be compared one to one.
Loops for which the user's own pragma decides are left alone.
"""

from __future__ import annotations

from mutate.frontend.load import SourceOptions, load_unit
from mutate.frontend.tree import Node
from mutate.source import Edit, apply_edits
from mutate.toolchain.cache import cached_text
from mutate.toolchain.includes import scan_includes
from mutate.toolchain.locate import identity

_LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})
_PRAGMA = '_Pragma("unroll 1") '


def _has_pragma(loop: Node) -> bool:
    parent = loop.parent
    if parent is None:
        return False
    at = parent.kids.index(loop)
    before = parent.kids[at - 1] if at else None
    return before is not None and "unroll" in before.text and (
        before.type == "preproc_call" or before.text.startswith("_Pragma"))


def rolled_text(text: bytes, name: str, options: SourceOptions | None = None) -> bytes:
    """``text`` with ``#pragma unroll 1`` before every loop of device code that has no pragma of its own."""
    import tree_sitter_cuda

    options = options or SourceOptions()
    includes = scan_includes(text, name, options.include_dirs, ())
    if includes.computed:
        return _rolled_text(text, name, options)
    inputs = ("rolled", identity(tree_sitter_cuda.__file__), text, options, includes.files)
    return cached_text(inputs, lambda: _rolled_text(text, name, options).decode(errors="surrogateescape")
                       ).encode(errors="surrogateescape")


def _rolled_text(text: bytes, name: str, options: SourceOptions) -> bytes:
    unit = load_unit(text, name, options)
    edits = []
    for function in unit.main.functions:
        if not (function.is_kernel or function.is_device) or function.name.startswith("km_"):
            continue
        for node in function.body.walk():
            if node.type in _LOOPS and not _has_pragma(node):
                edits.append(Edit(node.start, node.start, _PRAGMA))
    unique = {e.start: e for e in edits}
    return apply_edits(text, unit.main.expansion.lower_edits(unique.values()))
