"""Which template arguments a file uses a kernel with: what names mean where it is launched or named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutate.analysis.constants import split_arguments
from mutate.frontend.units import Function, Unit

_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"[A-Za-z_]\w*")
_BUILTIN_TYPES = frozenset({
    "bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "true", "false", "half", "__half",
    "half2", "__half2", "size_t", "std", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t", "float2", "float3", "float4", "double2", "int2", "int3", "int4", "uint2", "uint3", "uint4", "uchar4",
    "__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16"})
# Host templates that call each other.
_MOST_CALLERS = 5


class Instances:
    """The template arguments that stand in a file."""

    def __init__(self, unit: Unit) -> None:
        self._text = unit.main.expansion.text
        self._declared = {name for f in unit.files() for item in f.items for name in item.names}
        self._hosts = [f for f in unit.main.functions if not f.is_device and not f.is_kernel]

    def says(self, arguments: str) -> bool:
        """Whether every name is one at file level: ``kernel<T><<<...>>>`` in a host template says nothing."""
        return all(self._is_known(word) for word in _WORD.findall(arguments))

    def plain(self, kernel: Function) -> str | None:
        """Arguments of the first ``kernel<...><<<...>>>``, or of the first explicit instantiation, or of any other

        mention (one that is handed on by its name), when they are names of the file's and numbers.
        """
        return next((a for a, _ in self._mentions(kernel) if self.says(a)), None)

    def followed(self, kernel: Function) -> str | None:
        """The same where names are a function's own types and constants, or host templates' parameters: with what

        those are called with.
        """
        return next((found for a, at in self._mentions(kernel) if (found := self._meaning(a, at)) is not None), None)

    def _is_known(self, word: str) -> bool:
        return word in self._declared or word in _BUILTIN_TYPES

    def _mentions(self, of: Function) -> Iterator[tuple[str, int]]:
        name = rb"\b" + re.escape(of.name.encode()) + rb"\s*<([^<>;{}&|]{1,200})>\s*"
        for pattern in (name + rb"<<<", rb"\btemplate\b(?!\s*<)[^;{}<]*" + name + rb"\(", name + rb"(?=[,;)}])"):
            for match in re.finditer(pattern, self._text):
                yield _SPACES.sub(" ", match[1].decode(errors="replace").strip()), match.start()

    def _meaning(self, arguments: str, at: int, depth: int = 0) -> str | None:
        """Arguments as they would be written at file level, of some that stand ``at`` an offset."""
        unknown = {w for w in _WORD.findall(arguments) if not self._is_known(w)}
        if not unknown:
            return arguments
        function = next((f for f in self._hosts if f.node.start <= at < f.node.end), None)
        if function is None or depth > _MOST_CALLERS:
            return None
        meant: dict[str, str] = {}
        for word in sorted(unknown - set(function.template_params)):
            own = self._own(word, function.node.start, at)
            found = self._meaning(own[0], own[1], depth + 1) if own is not None else None
            if found is None:
                return None
            meant[word] = found
        wanted = [i for i, p in enumerate(function.template_params) if p in unknown]
        if wanted:
            given = next(self._given(function, wanted, depth), None)
            if given is None:
                return None
            meant |= {function.template_params[i]: text for i, text in zip(wanted, given, strict=True)}
        return _WORD.sub(lambda m: meant.get(m[0], m[0]), arguments)

    def _own(self, word: str, start: int, at: int) -> tuple[str, int] | None:
        """What a type or constant of a function stands for, and where that is said."""
        name = rb"\b" + re.escape(word.encode())
        said = (rb"\btypedef\s+([\w\s:]+?)\s*%b\s*;|\busing\s+%b\s*=\s*([\w\s:]+?)\s*;"
                rb"|\bconst(?:expr)?\b[\w\s:]*%b\s*=\s*([^;{},]+);" % (name, name, name))
        found = list(re.finditer(said, self._text[start:at]))
        if not found:
            return None
        text = (found[-1][1] or found[-1][2] or found[-1][3]).decode(errors="replace").strip()
        return _whole(text), start + found[-1].start()

    def _given(self, function: Function, wanted: list[int], depth: int) -> Iterator[list[str]]:
        """Arguments that a host template is called with, by their numbers."""
        calls = rb"\b" + re.escape(function.name.encode()) + rb"\s*<([^<>;{}&|]{1,200})>\s*\("
        for match in re.finditer(calls, self._text):
            parts = split_arguments(match[1].decode(errors="replace"))
            if len(parts) <= wanted[-1] or function.node.start <= match.start() < function.body.start:
                continue
            found = [self._meaning(parts[i], match.start(), depth + 1) for i in wanted]
            if None not in found:
                yield [_whole(text) for text in found if text is not None]


def _whole(text: str) -> str:
    """An argument as it can stand in an expression."""
    return f"({text})" if re.search(r"[-+*/%]", text) and not text.endswith("*") else text
