"""Macro definitions and their expansion on text (object-like, function-like, variadic, ``#`` and ``##``).

Follows the C preprocessor: arguments are expanded first, the result is rescanned, a macro is not
expanded inside itself. Only macros that the user's files define are known here; everything else is
left for the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

# One token of C: identifier, number, string or character literal, or a single other character.
TOKEN = re.compile(
    rb"""(?P<id>[A-Za-z_]\w*)|(?P<num>\.?\d(?:[eEpP][+-]|[\w.'])*)|(?P<str>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    rb"""|(?P<space>\s+)|(?P<op>.)""",
    re.DOTALL,
)
_MAX_EXPANSION = 1 << 16  # bytes; a macro bomb stops here instead of eating time and memory


class MacroBombError(ValueError):
    """An expansion grew beyond the limit."""


@dataclass(frozen=True)
class Macro:
    """A ``#define``. ``params`` is ``None`` for an object-like macro; a variadic one ends in ``...``."""

    name: str
    params: tuple[str, ...] | None
    body: bytes

    @property
    def variadic(self) -> bool:
        return bool(self.params) and self.params is not None and self.params[-1].endswith("...")


_DEFINE = re.compile(rb"\s*([A-Za-z_]\w*)(\([^)]*\))?(.*)", re.DOTALL)


def parse_define(text: bytes) -> Macro | None:
    """The macro of a ``#define`` line (text after ``define``, comments blanked, continuations joined)."""
    match = _DEFINE.match(text)
    if not match:
        return None
    name, params, body = match.groups()
    if params is None:
        return Macro(name.decode(), None, body.strip())
    names = tuple(p.strip().decode(errors="replace") for p in params[1:-1].split(b",") if p.strip())
    return Macro(name.decode(), names, body.strip())


def from_command_line(define: str) -> Macro:
    """The macro of a ``-D NAME`` (value 1) or ``-D NAME=VALUE``."""
    name, eq, value = define.partition("=")
    return parse_define(f"{name} {value if eq else '1'}".encode(errors="surrogateescape")) or Macro(name, None, b"1")


def tokens(text: bytes) -> list[tuple[str, bytes]]:
    return [(m.lastgroup or "op", m.group()) for m in TOKEN.finditer(text)]


class Parentheses:
    """Where the parentheses of a text close. They are all looked for at once, when one is first asked for."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._ends: dict[int, int] | None = None

    def end(self, at: int) -> int | None:
        """Index just after the parenthesis that closes the one at ``at``; ``None`` where nothing does."""
        if self._ends is None:
            self._ends = {}
            open_: list[int] = []
            for m in TOKEN.finditer(self.text):
                c = m.group()
                if c == b"(":
                    open_.append(m.start())
                elif c == b")" and open_:
                    self._ends[open_.pop()] = m.end()
        return self._ends.get(at)


def split_arguments(text: bytes) -> list[bytes]:
    """Arguments of a macro call, given the text between its parentheses."""
    args, depth, start = [], 0, 0
    for m in TOKEN.finditer(text):
        c = m.group()
        if c in b"([{" and len(c) == 1:
            depth += 1
        elif c in b")]}" and len(c) == 1:
            depth -= 1
        elif c == b"," and depth == 0:
            args.append(text[start : m.start()])
            start = m.end()
    args.append(text[start:])
    return [a.strip() for a in args]


def _stringize(argument: bytes) -> bytes:
    inner = b" ".join(argument.split()).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + inner + b'"'


def _argument(index: Mapping[str, int], args: list[bytes], kind: str, text: bytes) -> bytes:
    """What a token of a macro body becomes: the argument of its parameter (a missing one is empty), or itself."""
    at = index.get(text.decode(errors="replace")) if kind == "id" else None
    if at is None:
        return text
    return args[at] if at < len(args) else b""


def _substitute(macro: Macro, args: list[bytes], expanded: list[bytes]) -> bytes:
    params = list(macro.params or ())
    if macro.variadic:
        fixed = len(params) - 1
        params[-1] = params[-1].removesuffix("...").strip() or "__VA_ARGS__"
        args = [*args[:fixed], b", ".join(args[fixed:])]
        expanded = [*expanded[:fixed], b", ".join(expanded[fixed:])]
    index = {p: i for i, p in enumerate(params)}
    toks = tokens(macro.body)
    out: list[bytes] = []
    i = 0

    def next_code(j: int) -> int:
        while j < len(toks) and toks[j][0] == "space":
            j += 1
        return j

    while i < len(toks):
        kind, text = toks[i]
        after = next_code(i + 1)
        pastes = after + 1 < len(toks) and toks[after][1] == b"#" and toks[after + 1][1] == b"#"
        if text == b"#" and after < len(toks) and toks[after][1].decode(errors="replace") in index:
            at = index[toks[after][1].decode()]
            out.append(_stringize(args[at] if at < len(args) else b""))
            i = after + 1
        elif pastes:
            left = _argument(index, args, kind, text)
            while pastes:
                right = next_code(after + 2)
                if right >= len(toks):
                    break
                left = left.rstrip() + _argument(index, args, *toks[right]).lstrip()
                i = right
                after = next_code(i + 1)
                pastes = after + 1 < len(toks) and toks[after][1] == b"#" and toks[after + 1][1] == b"#"
            out.append(left)
            i += 1
        else:
            out.append(_argument(index, expanded, kind, text))
            i += 1
    return b"".join(out)


def call_extent(parentheses: Parentheses, macro: Macro, end: int) -> int | None:
    """Where the use of ``macro`` ends whose name ends at ``end``; ``None`` when it is not a use (no parenthesis)."""
    if macro.params is None:
        return end
    at, text = end, parentheses.text
    while at < len(text) and text[at : at + 1].isspace():
        at += 1
    return parentheses.end(at) if text[at : at + 1] == b"(" else None


def expand_use(text: bytes, macro: Macro, name_end: int, end: int, known: Mapping[str, Macro],
               active: frozenset[str] = frozenset()) -> bytes:
    """Full expansion of one macro use that occupies ``text[...:end]`` with its name ending at ``name_end``."""
    inner = active | {macro.name}
    if macro.params is None:
        return expand_text(_substitute(macro, [], []), known, inner)
    open_at = text.index(b"(", name_end)
    inside = text[open_at + 1 : end - 1]
    args = split_arguments(inside) if inside.strip() or macro.params else []
    expanded = [expand_text(a, known, active) for a in args]
    return expand_text(_substitute(macro, args, expanded), known, inner)


def expand_text(text: bytes, known: Mapping[str, Macro], active: frozenset[str] = frozenset()) -> bytes:
    """``text`` with every known macro expanded, except those in ``active``."""
    if not known:
        return text
    out: list[bytes] = []
    at = size = 0
    parentheses = Parentheses(text)
    while match := TOKEN.search(text, at):
        at = match.end()
        piece = match.group()
        if match.lastgroup == "id":
            macro = known.get(piece.decode())
            if macro is not None and macro.name not in active:
                end = call_extent(parentheses, macro, at)
                if end is not None:
                    piece = expand_use(text, macro, at, end, known, active)
                    at = end
        out.append(piece)
        size += len(piece)
        if size > _MAX_EXPANSION:
            raise MacroBombError("a macro expands to more than 64 KiB")
    return b"".join(out)
