"""What NVRTC gets to see of the project's own headers: with everything blanked that only the host needs.

As ``view`` does for the user's file. Such a header is handed to NVRTC in memory, under the names that ``#include`` has
it, with a ``#line`` that says which file it is: messages and line tables have the user's lines. Headers of the system
and of NVIDIA's toolkit stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from mutate.frontend.preprocess import blank_comments
from mutate.frontend.tree import TooDeepError, TooSlowError, parse
from mutate.frontend.units import File, Unit
from mutate.frontend.view import (
    blanked_items,
    device_text,
    is_idle_library,
    needed_items,
    raw_words,
    without_directives,
)
from mutate.source import Edit, Span, apply_edits, blank, without_compound_literals
from mutate.toolchain.names import line_name, needs_line_name

_WORD = re.compile(r"[A-Za-z_]\w*")
_DEVICE = frozenset({"__device__", "__global__", "constexpr", "consteval"})
_ONCE = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+once\b[^\n]*", re.MULTILINE)
# Names that can stand between quotes, or else between < and >.
_NAME = re.compile(r'[^"\n\ud800-\udfff]+|[^>\n\ud800-\udfff]+')
# What tells an include folder of a toolkit, or of a library as large as one, from a project's.
_TOOLKIT = ("cuda_runtime_api.h", "cuda/std", "cub/cub.cuh", "thrust/version.h", "cute/tensor.hpp", "stdio.h")


class Headers:
    """The project's headers of one unit, for all its kernels. ``include_dirs`` are those of the command line.

    Without a unit there are none: all are taken from disk.
    """

    def __init__(self, unit: Unit | None = None, include_dirs: Sequence[str] = (), pre_includes: Sequence[str] = ()
                 ) -> None:
        self._unit = unit
        self._names = _own_headers(unit, include_dirs, pre_includes) if unit is not None else {}
        self._files = {f.name: f for f in unit.included if f.name in self._names} if unit is not None else {}
        self._known = {n for f in self._files.values() for i in f.items for n in i.names}
        self._texts: dict[frozenset[str], tuple[tuple[str, bytes], ...]] = {}

    @property
    def folders(self) -> tuple[str, ...]:
        """Where the headers lie: for includes in branches that are not taken here, to be looked in after all others."""
        return tuple(dict.fromkeys(str(Path(name).absolute().parent) for name in self._files))

    @property
    def missing(self) -> tuple[str, ...]:
        """Files named in quotes in an ``#include`` that were found nowhere."""
        if self._unit is None:
            return ()
        wanted = (i for f in self._unit.files() for i in f.expansion.includes if i.local and not i.found)
        return tuple(dict.fromkeys(i.path for i in wanted))

    def texts(self, entry: str) -> tuple[tuple[str, bytes], ...]:
        """(name in ``#include``, text) of each header of which something is blank, and of what these include.

        ``entry`` is the C++ name of what is compiled: its template arguments may be the headers' own.
        """
        if self._unit is None or not self._files:
            return ()
        asked = self._known.intersection(_WORD.findall(entry))
        found = self._texts.get(frozenset(asked))
        if found is None:
            found = self._texts[frozenset(asked)] = tuple(self._make(self._unit, asked))
        return found

    def _make(self, unit: Unit, asked: set[str]) -> Iterator[tuple[str, bytes]]:
        kept, needed = needed_items(unit, unit.kernels, asked)
        words = needed.union(*(raw_words(f, kept) for f in unit.files()))
        spans = {name: (*_blanked(file, kept), *_idle_includes(file, words)) for name, file in self._files.items()}
        # From disk, one with such a name would have no lines, or not compile; one with such a text would not either.
        wanted = dict.fromkeys(name for name, found in spans.items() if found or needs_line_name(name) or
                               (text := self._files[name].expansion.source) != without_compound_literals(text))
        work = list(wanted)
        while work:
            more = [i.found for i in self._files[work.pop()].expansion.includes
                    if i.found in self._files and i.found not in wanted]
            wanted.update(dict.fromkeys(more))
            work += more
        for name in wanted:
            text = _in_memory(self._files[name], spans[name])
            yield _whole(name), text
            for spelling in self._names[name]:
                yield spelling, text


def _blanked(file: File, kept: set[int]) -> tuple[Span, ...]:
    """What goes of a header. Of one that is not used, though one that is used includes it, only directives stay."""
    if any(id(i) in kept for i in file.items) or not any(i.kind in ("function", "type") for i in file.items):
        return (*blanked_items(file, kept), *_inactive_host_functions(file))
    return tuple(without_directives(Span(0, len(file.expansion.source)), file.expansion.directives))


def _idle_includes(file: File, words: Set[str]) -> Iterator[Span]:
    """Includes of libraries that only the host uses: such headers may not compile without a host."""
    return (i.span for i in file.expansion.includes if not i.found and is_idle_library(i.path, words))


def _inactive_host_functions(file: File) -> Iterator[Span]:
    """Definitions of host functions in what ``#if`` leaves out here.

    A condition may ask for a macro of the toolkit's headers, which are not read here, and NVRTC may take the branch.
    """
    macros = file.expansion.macros
    top = [file.expansion.to_source(i.node.span) for i in file.items]
    for span in file.expansion.inactive:
        text = blank_comments(file.expansion.source[span.start : span.end])
        if b"{" not in text or any(t.start < span.start < t.end for t in top):
            continue  # a part of a class or a function
        try:
            root = parse(text)
        except (TooDeepError, TooSlowError):
            continue
        for node in root.kids:
            if node.type != "function_definition" or (body := node.get("body")) is None:
                continue
            head = set(_WORD.findall(text[node.start : body.start].decode(errors="replace")))
            # Functions that a macro unknown here makes are left alone: it may stand for `__device__`.
            if head.isdisjoint(_DEVICE) and not any(w.isupper() or w in macros for w in head):
                yield Span(span.start + node.start, span.start + node.end)


def _in_memory(file: File, spans: tuple[Span, ...]) -> bytes:
    """The text with ``spans`` blank, under its file's name.

    From a header in memory NVRTC does not look beside it, so its includes name their files in full. It tells headers
    apart by their names in ``#include`` only, so ``#pragma once``, which cannot know that two of these are one file,
    becomes a guard.
    """
    source = file.expansion.source
    text = apply_edits(device_text(source, spans), [
        Edit(i.span.start, i.span.end, f"#include {_quoted(_whole(i.found))}") for i in file.expansion.includes
        if i.found and _NAME.fullmatch(i.found) and b"\n" not in source[i.span.start : i.span.end]])
    name = line_name(file.name) if needs_line_name(file.name) else Path(file.name).as_posix()
    line = f'#line 1 "{name}"\n'.encode()
    once = [Span(m.start(), m.end()) for m in _ONCE.finditer(text)]
    if not once:
        return line + text
    guard = b"KMUTATE_ONCE_" + file.name.encode().hex().encode()
    return b"#ifndef %b\n#define %b\n%b%b\n#endif\n" % (guard, guard, line, blank(text, once))


def _quoted(name: str) -> str:
    return f"<{name}>" if '"' in name else f'"{name}"'


def _whole(name: str) -> str:
    return Path(name).absolute().as_posix()


def foreign_folders(include_dirs: Sequence[str]) -> tuple[str, ...]:
    """Folders, with a slash at the end, whose headers are the system's or a toolkit's and no part of the project."""
    return tuple(str(Path(f).absolute()) + "/" for f in (*include_dirs, "/usr/include", "/usr/local/include")
                 if f.startswith("/usr/") or any((Path(f) / mark).exists() for mark in _TOOLKIT))


def _own_headers(unit: Unit, include_dirs: Sequence[str], pre_includes: Sequence[str]) -> dict[str, list[str]]:
    """Names in ``#include`` of each of the project's headers, where each of them means this file only."""
    foreign = foreign_folders(include_dirs)
    written: dict[str, set[str]] = {}
    for file in unit.files():
        for include in file.expansion.includes:
            if include.found:
                written.setdefault(include.path, set()).add(include.found)
    left_out = {name for names in written.values() if len(names) > 1 for name in names} | set(pre_includes)
    out: dict[str, list[str]] = {}
    for path, names in sorted(written.items()):
        (name, *_) = names
        if name not in left_out and not str(Path(name).absolute()).startswith(foreign) and _NAME.fullmatch(name):
            out.setdefault(name, []).append(path)
    return out
