"""Which loads read a table of the compiler's mathematics library, proven on the machine code.

``sinf`` of large arguments, ``sin`` and ``cos`` of doubles and others look up coefficients that the compiler puts into
global memory (``__cudart_i2opi_f`` and the like). They are arithmetic that happens to load: no access of the kernel's
author, the same 24 to 144 bytes for everybody. Code finds a table's address in constant bank 4, where the cubin's
relocations name its symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from mutate.sass.addresses import accesses_of
from mutate.sass.classes import class_of
from mutate.sass.disasm import Instruction
from mutate.sass.operands import Operand

_BANK = 4
TABLE_LOAD = "table_load"
"""The class of such a load; the width in bits stands behind it: "table_load.32"."""


class _Tables:
    def __init__(self, offsets: Iterable[int]) -> None:
        self.offsets = frozenset(offsets)

    def upper(self, operand: Operand) -> bool:
        return operand.kind == "c" and operand.bank == _BANK and operand.number - 4 in self.offsets

    def pair(self, operand: Operand) -> bool:
        return operand.kind == "c" and operand.bank == _BANK and operand.number in self.offsets


def library_loads(instructions: Sequence[Instruction], tables: Set[int], *,
                  indirect: Mapping[int, Iterable[int]] | None = None, functions: Iterable[int] = ()
                  ) -> frozenset[int]:
    """Indices of global and generic loads that surely read one of the library's tables.

    ``tables``: where in constant bank 4 their addresses lie, in bytes (``Cubin.library_tables``). The rest as in
    ``guards``.
    """
    if not tables:
        return frozenset()
    loads = {n for n, i in enumerate(instructions) if class_of(i).startswith(("global_load.", "generic_load."))}
    return accesses_of(instructions, loads, _Tables(tables), indirect=indirect, functions=functions)


def table_class(name: str) -> str:
    """The class of a load of a table, by the class of its instruction: "global_load.32" becomes "table_load.32"."""
    return f"{TABLE_LOAD}.{name.partition('.')[2]}"
