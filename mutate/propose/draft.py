"""A declaration in the making: lines that are evaluated as they are added, so that each of them is known to hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from mutate.errors import KmutateError
from mutate.launch import DeclarationText, Launch, ScalarArg, StructArg, evaluate
from mutate.launch.model import Value
from mutate.launch.types import CType, by_specifiers, known_types
from mutate.propose.model import Guess, Line
from mutate.source import Span

# What a declaration or its C gives a meaning of its own.
RESERVED = frozenset({
    "grid", "block", "smem", "seed", "zeros", "ones", "fill", "iota", "uniform", "normal", "randint", "ascending",
    "permutation", "csr_rowptr", "csr_colidx", "csr_nnz", "file", "min", "max", "abs", "sqrt", "exp", "log", "pow",
    "ceil", "floor", "auto", "register", "restrict", "int", "float", "double", "char", "long", "short", "void",
    "signed", "unsigned"})
_PROBE, _OBJECT = "kmutate_probe", "kmutate_object"


class Draft:
    """Lines of one declaration. ``defines`` are the file's ``#define``s, as ``mutate.launch`` takes them."""

    def __init__(self, defines: Mapping[str, str]) -> None:
        self.defines = dict(defines)
        self._defined = frozenset(self.defines.items())
        self.lines: list[Line] = []
        self.guesses: list[Guess] = []
        self.names: set[str] = set()
        self._values: dict[str, Value | None] = {}

    def unused_name(self, wanted: str) -> str:
        """A name near the wanted one that nothing in the declaration has yet."""
        if wanted in ("grid", "block", "smem"):
            wanted += "_size"
        name, number = wanted, 1
        while name in self.names or name in RESERVED or name in self.defines:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def add(self, text: str, name: str, comment: str = "") -> bool:
        """Adds a line that declares ``name``; false, and nothing added, when it cannot be evaluated."""
        if not self.evaluates(text):
            return False
        self.lines.append(Line(text, comment))
        self.names.add(name)
        self._values.clear()
        return True

    def guess(self, text: str, name: str, assumed: str, why: str) -> None:
        """Adds a line that the host code does not give; it is kept even where it cannot be evaluated.

        (A file may define ``block`` as a macro: then the whole declaration has a problem, which is said.)
        """
        if self.evaluates(text):
            self._values.clear()
        self.lines.append(Line(text, f"{why}: set it", True))
        self.names.add(name)
        self.guesses.append(Guess(name, assumed, why))

    def evaluates(self, text: str) -> bool:
        """Whether a statement holds after the lines so far."""
        return self.launches(f"{text}\n{_EXTENT}\n{_PROBE}();") is not None

    def value(self, expression: str) -> Value | None:
        """The value of an expression after the lines so far; ``None`` where it has none."""
        if expression not in self._values:
            launches = self.launches(f"{_EXTENT}\n{_PROBE}({expression});")
            arg = launches[0].args[0] if launches and len(launches[0].args) == 1 else None
            self._values[expression] = arg.as_value() if isinstance(arg, ScalarArg | StructArg) else None
        return self._values[expression]

    def kind(self, spelled: str) -> CType | None:
        """The declaration's type of a spelling, one that the lines so far define too; ``None`` where it has none."""
        known = by_specifiers(spelled.split()) or known_types().get(spelled)
        if known is not None:
            return known
        launches = self.launches(f"{spelled} {_OBJECT};\n{_EXTENT}\n{_PROBE}({_OBJECT});")
        if launches is None:  # a scalar needs a value
            value = self.value(f"({spelled})0")
            return value.type if value is not None else None
        arg = launches[0].args[0]
        return arg.as_value().type if isinstance(arg, ScalarArg | StructArg) else None

    def integer(self, expression: str) -> int | None:
        value = self.value(expression)
        return value.data if value is not None and isinstance(value.data, int) else None

    def launches(self, more: str) -> tuple[Launch, ...] | None:
        """What the lines so far and ``more`` declare; ``None`` where they cannot be evaluated."""
        try:
            return self.evaluate(more)
        except KmutateError:
            return None

    def evaluate(self, more: str) -> tuple[Launch, ...]:
        """As ``launches``. Raises ``KmutateError``."""
        found = _evaluated("\n".join((*(line.text for line in self.lines), more)), self._defined)
        if isinstance(found, KmutateError):
            raise found
        return found


@lru_cache(maxsize=1 << 12)
def _evaluated(text: str, defines: frozenset[tuple[str, str]]) -> tuple[Launch, ...] | KmutateError:
    """Many launches of a file begin with the same lines."""
    given = text.encode(errors="replace")
    try:
        return evaluate(DeclarationText("<proposal>", given, Span(0, len(given))), dict(defines))
    except KmutateError as error:
        return error


_EXTENT = "dim3 grid = { 1 }; dim3 block = { 1 }; int smem = 0;"
