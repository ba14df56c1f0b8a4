"""Renders ``bench.cu``: one self-contained CUDA program that times the variants of a kernel against the original.

Each variant's translation unit goes into a namespace of its own, so that the same names can stand in one file many
times. Nothing here compiles or runs anything.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutate.launch import rng
from mutate.launch.check import parameter
from mutate.launch.fills import RANDOM, element_name, fill_rule
from mutate.launch.lex import Token, comments, decode, tokens
from mutate.launch.model import (
    Address,
    Arg,
    ArrayArg,
    ArrayDecl,
    Launch,
    ScalarArg,
    StructArg,
    Value,
    pointer_leaves,
)
from mutate.launch.types import Rank, Scalar
from mutate.report.bench_objects import OBJECT_TYPES, handle_places, held_handles, object_contexts
from mutate.resources import templates_dir
from mutate.toolchain.cache import cached_text

if TYPE_CHECKING:
    import jinja2


@dataclass(frozen=True)
class BenchVariant:
    """One variant, the original (id ``original``) included.

    ``source`` is its translation unit with host code blanked, ``kernel`` the kernel as that source calls it
    (``reduce6<512>``), ``smem`` all dynamic shared memory of the launch in bytes, padding included, ``carveout`` the
    preferred shared-memory carve-out in percent or ``None``.
    """

    id: str
    source: str
    kernel: str
    smem: int
    carveout: int | None = None


@dataclass(frozen=True)
class BenchCase:
    """One launch and the variants to time with it. ``written`` names the arrays that a variant may change."""

    launch: Launch
    variants: tuple[BenchVariant, ...]
    written: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Bench:
    """What goes into one ``bench.cu``.

    ``source`` is the user's file, ``folder`` where the rendered file will be put: local includes and data files are
    named relative to it. ``flags`` are nvcc's, for the command in the head comment.
    """

    source: Path
    folder: Path
    cases: tuple[BenchCase, ...]
    flags: tuple[str, ...] = ("-O3", "-arch=native")
    name: str = "bench.cu"


def written_arrays(launch: Launch, params: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Arrays that a kernel may write: those passed through a pointer to non-const.

    ``params`` are the kernel's, as ``(type text, name)``.
    """
    names = set()
    for arg, (type_text, name) in zip(launch.args, params, strict=True):
        if isinstance(arg, ArrayArg):
            if arg.array is not None and not parameter(type_text, name).const:
                names.add(arg.array)
        else:
            # The struct of the declaration may have forgotten a const; then the array is restored in vain.
            names |= {at.array for kind, at in pointer_leaves(arg.as_value())
                      if at.array is not None and not kind.to_const}
    return frozenset(names)


# --- the source of a variant, made fit for a namespace ---

_DIRECTIVE = re.compile(r"(?<!\\\n)^[ \t]*#[ \t]*(\w+)(?:[^\n\\]|\\.|\\\r?\n)*", re.MULTILINE)
_MACRO_NAME = re.compile(r"^[ \t]*#[ \t]*(?:define|undef)[ \t]+([A-Za-z_]\w*)")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_LOCAL_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"')
_HOISTED = ("include", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")


@dataclass(frozen=True)
class Namespaced:
    """``header`` goes to the top of the file: the includes, and what decides and configures them. ``body`` goes into
    the namespace; ``macros`` are the names that it defines, put back to what they were by ``#pragma pop_macro``."""

    header: str
    body: str
    macros: tuple[str, ...]


def namespaced(source: str, user_file: Path, folder: Path) -> Namespaced:
    """Split a translation unit into what must stand outside a namespace and what can stand inside one.

    Includes are hoisted with the conditions and definitions around them; ``extern "C"`` of device code is taken away,
    since one C name cannot be two functions.
    """
    text = decode(source.encode())
    directives = list(_DIRECTIVE.finditer(_without_comments(text)))
    end = max((i + 1 for i, m in enumerate(directives) if m[1] == "include"), default=0)
    depth = sum(map(_nesting, directives[:end]))
    while depth > 0 and end < len(directives):
        depth += _nesting(directives[end])
        end += 1
    header = [_relocated(m[0].rstrip(), user_file, folder) for m in directives[:end] if m[1] in _HOISTED]
    body = text
    for m in reversed(directives):
        if m[1] == "include" or (m[1] == "pragma" and m[0].split()[-1] == "once"):
            body = body[: m.start()] + re.sub(r"[^\r\n]", " ", m[0]) + body[m.end() :]
    body = _BLANK_LINES.sub("\n\n", _TRAILING.sub("", _without_c_linkage(body))).strip("\n")
    return Namespaced(_utf8(_kept(header)), _utf8(body), _macros(m[0] for m in directives))


def _macros(lines: Iterable[str]) -> tuple[str, ...]:
    """Names that directives define or undefine."""
    return tuple(dict.fromkeys(n[1] for n in map(_MACRO_NAME.match, lines) if n is not None))


def _kept(header: Sequence[str]) -> str:
    """The hoisted lines; what they define for themselves is undone, since each namespace defines it again."""
    names = _macros(header)
    return "\n".join([*(f'#pragma push_macro("{n}")' for n in names), *header,
                      *(f'#undef {n}\n#pragma pop_macro("{n}")' for n in names)])


def _utf8(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", errors="replace")


def _without_comments(text: str) -> str:
    """Comments as spaces, newlines in them too: to the preprocessor a comment is one space."""
    for span in comments(text):
        text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text


def _nesting(directive: re.Match[str]) -> int:
    return (directive[1] in ("if", "ifdef", "ifndef")) - (directive[1] == "endif")


def _relocated(line: str, user_file: Path, folder: Path) -> str:
    """A local include, found beside the user's file, as seen from the folder of ``bench.cu``."""
    local = _LOCAL_INCLUDE.match(line)
    if local is None:
        return line
    beside = user_file.parent / _utf8(local[2])
    if not beside.is_file():
        return line
    return f'{local[1]}"{decode(_relative(beside, folder).encode(errors="surrogateescape"))}"{line[local.end():]}'


def _relative(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()


_DEVICE_WORDS = ("__global__", "__device__", "__constant__", "__managed__")


def _without_c_linkage(text: str) -> str:
    if "extern" not in text or '"C"' not in text:
        return text
    stream = list(tokens(text))
    cuts: list[tuple[int, int, str]] = []
    for i, (a, b) in enumerate(pairwise(stream)):
        if not (a.is_name("extern") and b.text == '"C"'):
            continue
        block = i + 2 < len(stream) and stream[i + 2].is_punct("{")
        if any(t.text in _DEVICE_WORDS for t in (_block(stream, i + 2) if block else _head(stream, i + 2))):
            # Names in an inline namespace are found as if they stood outside it.
            cuts.append((a.span.start, b.span.end, "inline namespace km_c_linkage" if block else ""))
    for start, end, by in reversed(cuts):
        text = text[:start] + by + text[end:]
    return text


def _block(stream: Sequence[Token], i: int) -> Iterable[Token]:
    depth = 0
    for t in stream[i:]:
        depth += t.is_punct("{") - t.is_punct("}")
        yield t
        if depth == 0:
            return


def _head(stream: Sequence[Token], i: int) -> Iterable[Token]:
    for t in stream[i:]:
        if t.is_punct("{") or t.is_punct(";"):
            return
        yield t


# --- C++ text ---


def cstring(text: str) -> str:
    """A C++ string literal with any text in it."""
    out = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}"
                  for b in text.encode(errors="surrogateescape"))
    return f'"{out}"'


def comment(text: object) -> str:
    """Text that cannot end or continue a ``//`` comment."""
    shown = "".join(c if c.isprintable() else " " for c in str(text)).rstrip()
    return shown + "." if shown.endswith(("\\", "??/")) else shown


def _namespace(id_: str, taken: set[str]) -> str:
    stem = "km_" + re.sub(r"\W", "_", id_.replace("-", "_").replace("+", "_and_"), flags=re.ASCII)
    stem = re.sub(r"_+", "_", stem).rstrip("_")
    stem = "km_variant" if stem == "km" else stem
    name, n = stem, 2
    while name in taken:
        name, n = f"{stem}_{n}", n + 1
    taken.add(name)
    return name


def _literal(value: float) -> str:
    """A double that reads back as the same double."""
    if math.isfinite(value):
        return repr(float(value))
    return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"


def _u64(value: int) -> str:
    bits = value & rng.MASK
    return f"{bits}ull" if bits < 1 << 32 else f"{bits:#x}ull"


def _number(kind: Scalar, value: float) -> str:
    if kind.rank is Rank.BOOL:
        return "true" if value else "false"
    if not kind.is_integer:
        return _literal(value) if kind.size == 8 else f"(float){_literal(value)}"
    suffix = ("u" if kind.rank is Rank.UINT else "") + ("ll" if kind.size == 8 else "")
    if int(value) == -(1 << 63):
        return "(-0x7fffffffffffffffll - 1)"
    return f"{int(value)}{suffix}" if value >= 0 else f"({int(value)}{suffix})"


def _init_call(array: ArrayDecl, bench: Bench) -> str:
    """The statement that fills device memory ``p`` with the first contents of an array."""
    init = array.init
    if init.kind == "list":
        rest = f"KMB_CHECK(cudaMemset(p, 0, {array.nbytes}ull)); " if len(init.data) < array.nbytes else ""
        return rest + ("kmb::upload(p, data, sizeof data);" if init.data else "")
    if init.kind == "file":
        name, dtype = _data_file(array, bench)
        return f"kmb::load(p, {cstring(name)}, {cstring(dtype)}, {array.nbytes}ull);"
    lanes = array.lanes
    if init.kind == "zeros" or lanes is None:
        return f"KMB_CHECK(cudaMemset(p, 0, {array.nbytes}ull));"
    rule = fill_rule(array)
    if rule is None:
        return f"kmb::row_starts<{element_name(lanes[0])}>(p, {', '.join(_u64(int(a)) for a in init.args)});"
    values = [_u64(int(v)) if kind == "Q" else _literal(v) if kind == "d" else str(v) for kind, v in rule.values]
    return f"kmb::fill<{rule.element}>(p, {rule.count}ull, kmb::{rule.functor}{{{', '.join(values)}}});"


def _data_file(array: ArrayDecl, bench: Bench) -> tuple[str, str]:
    """Name of an array's data file as ``bench.cu`` opens it, and the dtype entry of its header (empty for .bin)."""
    from mutate.launch.files import inspect

    path = Path(array.init.path)
    found = inspect(path, array.init.key)
    name = _member_name(array) if array.init.key else _relative(path, bench.folder)
    return name, f"{found.dtype}'" if found.dtype else ""


def _member_name(array: ArrayDecl) -> str:
    key = re.sub(r"\W", "_", array.init.key, flags=re.ASCII)
    return f"{Path(array.init.path).stem}.{key}.npy"


def write_data_files(bench: Bench) -> tuple[Path, ...]:
    """Put members of .npz archives beside ``bench.cu`` as .npy, which it can read by itself; the files written.

    Raises ``OSError`` when the folder cannot be written.
    """
    done: list[Path] = []
    for case in bench.cases:
        for array in (*case.launch.arrays, *case.launch.symbols):
            target = bench.folder / _member_name(array)
            if array.init.kind != "file" or not array.init.key or target in done:
                continue
            import numpy as np  # costs a tenth of a second, and most declarations name no archive

            target.unlink(missing_ok=True)  # a link is not to be followed
            with np.load(array.init.path, allow_pickle=False) as archive:
                np.save(target, np.ascontiguousarray(archive[array.init.key]))
            done.append(target)
    return tuple(done)


def _argument(arg: Arg, index: dict[str, int], objects: dict[int, int]) -> str:
    """A kernel argument as ``kmb::launch`` takes it. ``objects``: where handles stand among the arrays."""
    if isinstance(arg, ScalarArg):
        if arg.type in OBJECT_TYPES and arg.value in objects:
            return f"(unsigned long long)kmb_arrays[{objects[int(arg.value)]}]"
        return _number(arg.type, arg.value)
    if isinstance(arg, ArrayArg):
        return _pointer(Address(arg.array, arg.offset), index)
    return _struct(arg, index, objects)


def _pointer(at: Address, index: dict[str, int]) -> str:
    if at.array is None:
        return "kmb::pointer(nullptr, 0)"
    return f"kmb::pointer(kmb_arrays[{index[at.array]}], {at.offset}ull)"


def _struct(arg: StructArg, index: dict[str, int], objects: dict[int, int]) -> str:
    raw = arg.value.pack(dict.fromkeys(index, 0))
    # Pointers are patched in at run time; until then their place holds nothing.
    pointers = _pointer_places(arg.value, 0)
    for at, _ in pointers:
        raw = raw[:at] + bytes(8) + raw[at + 8 :]
    out = f"kmb::Bytes<{len(raw)}>{{{{{', '.join(map(str, raw))}}}}}"
    for at, address in pointers:
        if address.array is not None:
            out = f"kmb::patched({out}, {at}, {_pointer(address, index)})"
    for at, handle in handle_places(arg.value):
        if handle in objects:
            out = f"kmb::patched({out}, {at}, kmb::pointer(kmb_arrays[{objects[handle]}], 0))"
    return out


def _pointer_places(value: Value, offset: int) -> list[tuple[int, Address]]:
    from mutate.launch.expressions import flatten

    return [(at, leaf.data) for at, leaf in flatten(value, offset) if isinstance(leaf.data, Address)]


# --- the page ---


def _declaration(array: ArrayDecl) -> str:
    size = "".join(f"[{d}]" for d in array.dims)
    args = ", ".join(str(a) for a in array.init.args)
    what = {"file": f'file("{array.init.written}")', "list": "{...}"}.get(array.init.kind, f"{array.init.kind}({args})")
    return f"{array.elem.name} {array.name}{size} = {what}"


def _array_context(array: ArrayDecl, index: int, case: BenchCase, bench: Bench) -> dict[str, Any]:
    data = array.init.data if array.init.kind == "list" else b""
    rows = [", ".join(map(str, data[i : i + 24])) for i in range(0, len(data), 24)]
    return {
        "index": index, "name": array.name, "bytes": array.nbytes, "data": rows, "call": _init_call(array, bench),
        "declaration": _declaration(array),
        "written": str(array.name in case.written and not array.symbol).lower(),
        "hosted": str(array.init.kind in ("list", "file", "csr_rowptr")).lower(),
    }


def _context(bench: Bench) -> dict[str, Any]:
    units: dict[tuple[str, str], dict[str, Any]] = {}
    headers: dict[str, None] = {}
    taken: set[str] = set()
    cases = []
    for number, case in enumerate(bench.cases):
        launch = case.launch
        arrays = [*launch.arrays, *(s for s in launch.symbols if s not in launch.arrays)]
        index = {a.name: i for i, a in enumerate(arrays)}
        objects = {t.handle: len(arrays) + k for k, t in enumerate(launch.textures)}
        arguments = [_argument(a, index, objects) for a in launch.args]
        symbols = [{"name": s.name, "bytes": s.nbytes, "index": index[s.name]} for s in launch.symbols]
        variants = []
        for v in case.variants:
            unit = units.get((v.id, v.source))
            if unit is None:
                split = namespaced(v.source, bench.source, bench.folder)
                if split.header:
                    headers.setdefault(split.header, None)
                unit = {"id": v.id, "namespace": _namespace(v.id, taken), "source": split.body,
                        "macros": split.macros, "entries": []}
                units[v.id, v.source] = unit
            unit["entries"].append({"case": number, "kernel": v.kernel, "arguments": arguments, "symbols": symbols})
            variants.append({"id": v.id, "namespace": unit["namespace"], "smem": v.smem,
                             "carveout": -1 if v.carveout is None else v.carveout})
        cases.append({
            "index": number, "kernel": launch.kernel, "instance": launch.instance, "grid": launch.grid,
            "block": launch.block, "variants": variants, "seed": launch.seed,
            "seeded": any(a.init.kind in RANDOM for a in arrays),
            "arrays": [_array_context(a, i, case, bench) for i, a in enumerate(arrays)],
            "objects": object_contexts(launch, index, case.written), "handles": held_handles(launch, index),
        })
    return {"title": bench.source.name, "name": bench.name, "flags": " ".join(bench.flags), "headers": list(headers),
            "units": list(units.values()), "cases": cases}


_TEMPLATE = "bench.cu.j2"


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    # C++ comes out, not HTML: nothing is to be autoescaped; text goes through `comment`, `cstring` or is made here.
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir()), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    env.filters["comment"] = comment
    env.filters["cstring"] = cstring
    return env


def render_bench(bench: Bench) -> str:
    """The text of ``bench.cu``. Compile it with nvcc; ``write_data_files`` puts .npz members where it finds them.

    Raises ``DataFileError`` when a data file has gone since the declaration was read.
    """
    def render() -> str:
        return _environment().get_template(_TEMPLATE).render(bench=_context(bench))

    if any(a.init.kind == "file" for case in bench.cases for a in (*case.launch.arrays, *case.launch.symbols)):
        return render()
    source = (templates_dir() / _TEMPLATE).read_bytes()
    return cached_text((_TEMPLATE, source, Path.cwd(), bench), render)


def load_template() -> None:
    """Loads what ``render_bench`` takes longest for, while there is nothing else to do."""
    _environment().get_template(_TEMPLATE)
