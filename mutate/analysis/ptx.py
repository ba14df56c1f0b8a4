"""Inline PTX statements that are one access to global memory, taken apart into operands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mutate.analysis.sites import asm_text
from mutate.frontend.tree import Node

_MOVE = re.compile(r"^(ld|st)((?:\.\w+(?:::\w+)*)+)\s+(.*)$", re.DOTALL)
_COPY = re.compile(r"^cp\.async\.(?:ca|cg)\.shared(?:::cta)?\.global[\w.:]*\s*"
                   r"\[\s*(%\d+)\s*\]\s*,\s*\[\s*(%\d+)\s*\]\s*,\s*(%?\d+)$")
_ADDRESS = re.compile(r"^\[\s*(%\d+)\s*(?:\+\s*(\d+)\s*)?\]$")
_OTHER_SPACES = frozenset({"shared", "local", "const", "param"})


@dataclass(frozen=True)
class PtxAccess:
    """``kind``: load | store | copy. ``values``: what is loaded or stored, word by word; of a copy its shared address.

    ``offset`` in bytes is added to ``address``; ``width`` is the text of a copy's number of bytes. Where ``condition``
    is 0 nothing is accessed, and with ``zeroed`` what would be loaded is 0 then.
    """

    kind: str
    address: Node
    values: tuple[Node, ...]
    offset: int = 0
    width: str = ""
    condition: Node | None = None
    zeroed: bool = False


def _operands(node: Node) -> list[Node]:
    """The operands in the order of ``%0``, ``%1``, ..."""
    out: list[Node] = []
    for field in ("output_operands", "input_operands"):
        part = node.get(field)
        for operand in part.kids if part is not None else ():
            value = operand.get("value")
            if value is not None:
                out.append(value)
    return out


def _split(text: str) -> tuple[str, str] | None:
    """The two operands of a load or store, at the comma outside of braces and brackets."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "{[") - (c in "}]")
        if c == "," and depth == 0:
            return text[:i].strip(), text[i + 1 :].strip()
    return None


_PREDICATE = re.compile(r"^\.reg\s*\.pred\s+(\w+)$")
_ZERO = re.compile(r"^(?:@!\w+\s+)?mov\.\w+\s+(%\d+)\s*,\s*(?:0|0[xfd]0+)$")
_TEST = re.compile(r"^setp\.ne\.\w+\s+(\w+)\s*,\s*(%\d+)\s*,\s*0$")
_GUARDED = re.compile(r"^@(\w+)\s+(.*)$", re.DOTALL)


@dataclass(frozen=True)
class _Code:
    """One instruction, the operand that must not be 0 for it, and the operands that are set to 0 before it."""

    text: str
    condition: str = ""
    zeroed: frozenset[str] = frozenset()


def _only_instruction(code: str) -> _Code | None:
    """The instruction of a statement that has one beside the making of its predicate and of what it leaves alone."""
    inner = code[1:-1] if code.startswith("{") and code.endswith("}") else code
    *before, last = [s.strip() for s in inner.split(";") if s.strip()] or [""]
    tests: dict[str, str] = {}
    zeroed: set[str] = set()
    for s in before:
        if (zero := _ZERO.match(s)) is not None:
            zeroed.add(zero[1])
        elif (test := _TEST.match(s)) is not None:
            tests[test[1]] = test[2]
        elif _PREDICATE.match(s) is None:
            return None
    guarded = _GUARDED.match(last)
    if guarded is None:
        return _Code(last, "", frozenset(zeroed))
    return _Code(guarded[2], tests[guarded[1]], frozenset(zeroed)) if guarded[1] in tests else None


def read_ptx(node: Node, any_space: bool = False) -> PtxAccess | None:
    """The access that an ``asm`` statement makes, or ``None`` when it is more than one plain load, store or copy.

    Of global memory, or with ``any_space`` of shared memory, too.
    """
    only = _only_instruction(re.sub(r"\\[nt]", " ", asm_text(node)).strip().rstrip(";").strip())
    if only is None:
        return None
    code, operands = only.text, _operands(node)

    def operand(word: str) -> Node | None:
        index = int(word[1:]) if re.fullmatch(r"%\d+", word) else len(operands)
        return operands[index] if index < len(operands) else None

    condition = operand(only.condition) if only.condition else None
    if only.condition and condition is None:
        return None
    copy = _COPY.match(code)
    if copy is not None:
        shared, source = operand(copy[1]), operand(copy[2])
        size = operand(copy[3])
        width = size.text if size is not None else copy[3]
        return None if shared is None or source is None or only.zeroed else PtxAccess(
            "copy", source, (shared,), width=width, condition=condition)
    move = _MOVE.match(code)
    parts = _split(move[3]) if move is not None else None
    if move is None or parts is None or not (_OTHER_SPACES - {"shared"} if any_space else _OTHER_SPACES).isdisjoint(
            part.partition("::")[0] for part in move[2].split(".")):
        return None
    target, values = (parts[1], parts[0]) if move[1] == "ld" else parts
    where = _ADDRESS.match(target)
    words = [w.strip() for w in values.strip("{}").split(",")]
    nodes = [operand(w) for w in words]
    address = operand(where[1]) if where is not None else None
    if where is None or address is None or any(n is None for n in nodes) or not only.zeroed <= {*words}:
        return None
    return PtxAccess("load" if move[1] == "ld" else "store", address, tuple(n for n in nodes if n is not None),
                     int(where[2] or 0), condition=condition, zeroed=only.zeroed == {*words})
