"""What is mutated in files that the user's file includes: kernels, and member functions, copied into their classes.

A ``main.cu`` launches the kernels of an ``#include "kernel.cu"``; a kernel calls methods of a class in a header.

Only the user's file is edited, so such an include is replaced by the file's text, between ``#line`` directives:
messages, line tables and reports keep the places of the user's files, and a variant takes the place of ``main.cu`` in
its build.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from mutate.frontend.headers import foreign_folders
from mutate.frontend.preprocess import Include
from mutate.frontend.units import File, Function, Unit
from mutate.source import Edit, Span, apply_edits, blank
from mutate.toolchain.names import line_name, needs_line_name

_WRITTEN = re.compile(rb'#[ \t]*include[ \t]*(?:"[^"\n]*"|<[^>\n]*>|\w+)')
_ONCE = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+once\b[^\n]*", re.MULTILINE)
_GUARD = re.compile(rb"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*#[ \t]*ifndef[ \t]+(\w+)[^\n]*\n\s*"
                    rb"#[ \t]*define[ \t]+\1\b.*\n[ \t]*#[ \t]*endif\b[^\n]*\s*", re.DOTALL)
_UNIT_SUFFIXES = frozenset({".cu"})
_HEADER_SUFFIXES = frozenset({".h", ".hpp", ".cuh", ".inl", ".inc"})
_MOST_LEVELS = 3
_MOST_NEIGHBOURS = 400
_MOST_BYTES = 4_000_000


def included_kernels(unit: Unit, include_dirs: Sequence[str] = ()) -> list[Function]:
    """Kernels that the project's files define which the user's file includes; none of a toolkit's."""
    foreign = foreign_folders(include_dirs)
    return [k for f in unit.included if not str(Path(f.name).absolute()).startswith(foreign)
            for k in f.functions if k.is_kernel and not k.is_method]


def included_methods(unit: Unit, kernels: Sequence[Function], include_dirs: Sequence[str] = ()) -> list[Function]:
    """Member functions that the project's included files define, of classes that ``kernels`` may use."""
    foreign = foreign_folders(include_dirs)
    found = [m for f in unit.included for m in f.functions if m.is_method and m.owner and not m.is_kernel
             and not str(Path(f.name).absolute()).startswith(foreign)]
    words = frozenset().union(*(k.item.mentions for k in kernels)) if found else frozenset()
    items = [i for f in unit.files() for i in f.items]
    while items and (reached := [i for i in items if not i.names.isdisjoint(words)]):
        words = words.union(*(i.mentions for i in reached))
        items = [i for i in items if i not in reached]
    return [m for m in found if m.owner in words]


def whole_text(unit: Unit, wanted: Collection[str]) -> tuple[bytes, dict[str, bytes]]:
    """The text of the user's file with the ``wanted`` files, and those that include them, in their places.

    Also the texts that stand in it, by the names of their files.
    """
    files = {f.name: f for f in unit.files()}
    leads: dict[str, bool] = {}

    def leads_to(name: str) -> bool:
        if name not in leads:
            leads[name] = False  # what includes itself
            file = files.get(name)
            leads[name] = file is not None and (name in wanted or any(
                leads_to(i.found) for i in file.expansion.includes))
        return leads[name]

    placed = {unit.main.name: unit.source}
    text = _text(unit.main, unit.main, files, {n for n in files if leads_to(n)}, placed, ())
    return text, placed


def _text(file: File, main: File, files: Mapping[str, File], wanted: set[str], placed: dict[str, bytes],
          within: tuple[str, ...]) -> bytes:
    """``within`` are the files that this one is included by: where one of them includes the next anew, its guard

    leaves nothing of it.
    """
    source = file.expansion.source
    within = (*within, file.name)
    edits: list[Edit] = []
    for include in file.expansion.includes:
        written = _WRITTEN.search(source, include.span.start, include.span.end)
        if written is None:
            continue
        if include.found in wanted:
            inner = files[include.found]
            text = ""
            if include.found not in placed or not (include.found in within or _stands_once(inner.expansion.source)):
                placed[include.found] = inner.expansion.source
                body = _text(inner, main, files, wanted, placed, within).decode(errors="surrogateescape")
                number = source.count(b"\n", 0, written.end()) + 1
                text = f"{_line(1, inner)}{body}\n{_line(number, file)}"
            edits.append(Edit(written.start(), written.end(), text))
        elif file is not main and (name := _from(main, file, include)) is not None:
            edits.append(Edit(written.start(), written.end(), f'#include "{name}"'))
    text_bytes = apply_edits(source, edits)
    if file is not main:
        text_bytes = blank(text_bytes, [Span(m.start(), m.end()) for m in _ONCE.finditer(text_bytes)])
    return text_bytes


def _stands_once(source: bytes) -> bool:
    return _ONCE.search(source) is not None or _GUARD.fullmatch(source) is not None


def _line(number: int, file: File) -> str:
    name = line_name(file.name) if needs_line_name(file.name) else Path(file.name).as_posix()
    return f'#line {number} "{name}"\n'


def _from(main: File, file: File, include: Include) -> str | None:
    """How ``main`` has to name what ``file`` includes from beside itself; ``None`` where it is found either way."""
    beside = Path(file.name).parent / include.path
    if not include.found or not include.local or Path(include.path).is_absolute() or not beside.exists():
        return None
    name = Path(os.path.relpath(beside, Path(main.name).parent)).as_posix()
    return None if name == include.path or '"' in name else name


def includers(path: Path) -> list[Path]:
    """``.cu`` files beside a file, and in the folder above it, that include it: what it is compiled as a part of.

    Files that include it by way of a header come last.
    """
    found: list[Path] = []
    seen: set[Path] = set()
    level = [path]
    for _ in range(_MOST_LEVELS):
        above = [other for at in level for other in _including(at, seen)]
        found += [p for p in above if p.suffix in _UNIT_SUFFIXES]
        level = [p for p in above if p.suffix not in _UNIT_SUFFIXES]
    return found


def _including(path: Path, seen: set[Path]) -> list[Path]:
    """Sources and headers beside a file, and in the folder above it, that include it; none of ``seen``, which grows."""
    name = re.escape(path.name.encode(errors="surrogateescape"))
    asks = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]*?' + name + rb')[">]', re.MULTILINE)
    found: list[Path] = []
    try:
        own = path.resolve(strict=True)
        seen.add(own)
        near = [p for folder in (path.parent, path.parent / "..") for p in sorted(folder.iterdir())
                if p.suffix in _UNIT_SUFFIXES | _HEADER_SUFFIXES][:_MOST_NEIGHBOURS]
        for other in near:
            if not other.is_file() or other.stat().st_size > _MOST_BYTES or (there := other.resolve()) in seen:
                continue
            named = asks.findall(other.read_bytes())
            if any((other.parent / os.fsdecode(n)).resolve() == own for n in named):
                seen.add(there)
                found.append(Path(os.path.normpath(other)))
    except OSError:
        return found
    return found
