"""Values of generated kernels: integers with the range that they have in the launch, and numbers made of anything.

Because ranges are known, an index needs no mask to stay in range: `in[idx[i] + 3]` is taken where it fits. So a variant
that gives an index another value has every chance to leave an array.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

_MOST = 1 << 24


@dataclass(frozen=True)
class Int:
    """An integer expression and the least and greatest value that it has in the launch."""

    text: str
    lo: int
    hi: int
    known: bool = False
    """The compiler knows it: a literal, or made of such."""


@dataclass(frozen=True)
class Array:
    """A readable array of ``size`` elements. ``read`` is a format with ``{i}`` for the index; ``lo`` and ``hi`` are the

    range of its elements where they are integers.
    """

    read: str
    size: int
    lo: int = 0
    hi: int = 0


@dataclass
class Scope:
    """What may be named here, and what may be done here."""

    ints: list[Int]
    reals: list[str]
    variables: list[str]
    """Floats that may be assigned to."""
    floats: list[Array]
    """Whatever can be read as a number, by an index."""
    integers: list[Array]
    vectors: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    """Formats with ``{x}`` and ``{y}`` for numbers."""
    readers: list[tuple[str, int]] = field(default_factory=list)
    """Formats with ``{i}`` for an index below the bound."""
    stores: list[str] = field(default_factory=list)
    """Formats with ``{x}``: a store of a number to a place of the thread's own; with ``{slot}`` for the number of

    such a place where there are many, else it may be used once.
    """
    loops: list[Int] = field(default_factory=list)
    """Variables of the loops around, the innermost last."""
    counters: list[tuple[str, int]] = field(default_factory=list)
    """Formats with ``{i}`` for an index below the bound: an update that commutes."""
    uniform: bool = True
    depth: int = 0

    def inner(self, **changes: object) -> Scope:
        lists: dict[str, Any] = {name: [*value] for name, value in vars(self).items() if isinstance(value, list)}
        new = replace(self, **lists, depth=self.depth + 1)
        for name, value in changes.items():
            setattr(new, name, value)
        return new


class Values:
    """Writes expressions. All choices come from ``rng``."""

    def __init__(self, rng: random.Random, careless: bool = False) -> None:
        self.rng = rng
        self.careless = careless
        self.data_decide = careless or rng.random() < 0.5
        """Branches, loops and indices depend on loaded data, too; else on threads and parameters alone."""
        self.count = self.constants = 0

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def chance(self, of: float) -> bool:
        return self.rng.random() < of

    # -- integers -------------------------------------------------------------------------------------------------

    def integer(self, s: Scope, depth: int = 0) -> Int:
        """Any integer, between -2^24 and 2^24."""
        kind = self.rng.choice(["name", "name", "literal"] + (
            ["sum", "sum", "product", "load", "choice", "extreme", "shift", "modulo", "bits"] if depth < 3 else []))
        if kind == "literal":
            value = self.rng.choice((0, 1, 2, 3, self.rng.randint(4, 130)))
            return Int(str(value), value, value, True)
        if kind == "name":
            return self.rng.choice(s.ints)
        if kind == "load":
            return self.loaded(s, depth + 1)
        a = self.unknown(s, depth + 1)
        b = self.integer(s, depth + 1)
        if kind == "sum":
            minus = self.chance(0.3) and (a.text != b.text or self.careless)
            lo, hi = (a.lo - b.hi, a.hi - b.lo) if minus else (a.lo + b.lo, a.hi + b.hi)
            return self._bounded(Int(f"({a.text} {'-' if minus else '+'} {b.text})", lo, hi), a)
        if kind == "product":
            factor = self.rng.choice((2, 3, 5))
            return self._bounded(Int(f"{a.text} * {factor}", a.lo * factor, a.hi * factor), a, wrap=True)
        if kind == "choice":
            if a.text == b.text and not self.careless:
                return a
            return Int(f"({self.condition(s, 2)} ? {a.text} : {b.text})", min(a.lo, b.lo), max(a.hi, b.hi))
        if kind == "extreme":
            if self.chance(0.5):
                return Int(f"min({a.text}, {b.text})", min(a.lo, b.lo), min(a.hi, b.hi))
            return Int(f"max({a.text}, {b.text})", max(a.lo, b.lo), max(a.hi, b.hi))
        if a.lo < 0:
            return a
        if kind == "shift":
            by = self.rng.choice((1, 2, 3))
            return Int(f"({a.text} >> {by})", a.lo >> by, a.hi >> by)
        if kind == "modulo":
            by = self.rng.choice((3, 7, 16, 33))
            return Int(f"({a.text} % {by})", 0, min(a.hi, by - 1))
        mask = self.rng.choice((1, 7, 15, 63))
        return Int(f"({a.text} & {mask})", 0, min(a.hi, mask))

    def unknown(self, s: Scope, depth: int) -> Int:
        """An integer that the compiler does not know: people do not write what is known to need no computing."""
        for _ in range(8):
            a = self.integer(s, depth)
            if not a.known or self.careless:
                return a
        return next(i for i in s.ints if not i.known)

    @staticmethod
    def _bounded(made: Int, otherwise: Int, wrap: bool = False) -> Int:
        if made.lo > -_MOST and made.hi < _MOST:
            return replace(made, text=f"({made.text})") if wrap else made
        return otherwise

    def loaded(self, s: Scope, depth: int) -> Int:
        if not s.integers or not self.data_decide:
            return self.rng.choice([i for i in s.ints if not i.known])
        array = self.rng.choice(s.integers)
        return Int(array.read.format(i=self.index(s, array.size, depth).text), array.lo, array.hi)

    def index(self, s: Scope, size: int, depth: int = 0) -> Int:
        """An integer from 0 to ``size - 1``; without a mask where one is found that needs none.

        Each has another constant in it: the compiler makes one load of two of the same address, and not of the same two
        in a variant.
        """
        for attempt in range(6):
            a = self.unknown(s, depth + 1)
            if a.lo >= 0 and a.hi < size and (a.lo < a.hi or attempt > 3):
                return self._apart(a, size)
        a = self.unknown(s, depth + 2)
        self.constants += 1
        if a.lo >= 0 and self.chance(0.7):
            return Int(f"(({a.text} + {self.constants}) % {size})", 0, size - 1)
        if self.chance(0.5):
            return Int(f"min(max({a.text} + {self.constants}, 0), {size - 1})", 0, size - 1)
        small = 1 << ((size).bit_length() - 1)
        return Int(f"(({a.text} + {self.constants}) & {small - 1})", 0, small - 1)

    def _apart(self, a: Int, size: int) -> Int:
        room = size - 1 - a.hi
        if self.careless or not room:
            return a
        self.constants += 1
        by = 1 + self.constants * 7 % room
        return Int(f"({a.text} + {by})", a.lo + by, a.hi + by)

    # -- conditions -----------------------------------------------------------------------------------------------

    def condition(self, s: Scope, depth: int = 0) -> str:
        kind = self.rng.choice(["integer", "integer"] + ["real"] * self.data_decide +
                               (["and", "or", "not"] if depth < 2 else []))
        if kind == "and":
            return f"({self.condition(s, depth + 1)} && {self.condition(s, depth + 1)})"
        if kind == "or":
            return f"({self.condition(s, depth + 1)} || {self.condition(s, depth + 1)})"
        if kind == "not":
            return f"!({self.condition(s, depth + 1)})"
        if kind == "real":
            # What is decided already leaves dead code behind.
            names = [r for r in s.reals if self.careless or r not in ("acc", "0.5f")] or s.reals
            x, y = self.rng.choice(names), self.real(s, 3)
            y = "0.25f" if y == "acc" and not self.careless else y
            return f"({x} {self.rng.choice('<>')} {y if x != y or self.careless else '0.5f'})"
        a = self.integer(s, 2) if self.careless else self.loaded(s, 2)
        b = self.integer(s, 3)
        if a.text == b.text and not self.careless:
            b = Int("3", 3, 3)
        return f"({a.text} {self.rng.choice(('<', '>', '<=', '>=', '==', '!='))} {b.text})"

    # -- numbers --------------------------------------------------------------------------------------------------

    def real(self, s: Scope, depth: int = 0) -> str:
        """Any float."""
        kinds = ["name", "name", "literal", "load", "load"]
        if s.vectors:
            kinds.append("member")
        if depth < 3:
            kinds += ["sum", "sum", "sum", "choice", "math", "integer"] + ["call"] * bool(s.calls) * 2 + \
                     ["reader"] * bool(s.readers)
        kind = self.rng.choice(kinds)
        if kind == "name":
            return self.rng.choice(s.reals)
        if kind == "literal":
            return self.rng.choice(("0.5f", "2.0f", "0.125f", "-1.0f", "1.5f", "3.0f"))
        if kind == "load":
            array = self.rng.choice(s.floats)
            return array.read.format(i=self.index(s, array.size, depth).text)
        if kind == "member":
            return f"{self.rng.choice(s.vectors)}.{self.rng.choice('xy')}"
        if kind == "call":
            return self.rng.choice(s.calls).format(x=self.real(s, depth + 1), y=self.real(s, depth + 1))
        if kind == "reader":
            text, bound = self.rng.choice(s.readers)
            return text.format(i=self.index(s, bound, depth + 1).text)
        if kind == "choice":
            x, y = self.real(s, depth + 1), self.real(s, depth + 1)
            return x if x == y and not self.careless else f"({self.condition(s, 1)} ? {x} : {y})"
        if kind == "math":
            text = self.rng.choice(("sqrtf(fabsf({x}))", "fabsf({x})", "fminf({x}, {y})", "fmaxf({x}, {y})",
                                    "fmaf({x}, {y}, 0.25f)", "__expf(-fabsf({x}))", "rsqrtf(1.0f + fabsf({x}))",
                                    "floorf({x})", "({x} / (1.0f + fabsf({y})))", "cosf({x})"))
            return text.format(x=self.real(s, depth + 1), y=self.real(s, depth + 1))
        if kind == "integer":
            return f"(float){self.integer(s, 2).text}"
        return f"({self.real(s, depth + 1)} {self.rng.choice('++-**')} {self.real(s, depth + 1)})"
