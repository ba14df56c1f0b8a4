"""Which generic accesses are of shared memory, proven on the machine code.

Where the compiler does not know what a pointer points to it accesses memory by generic addresses, and the opcode says
neither global nor shared. The generic address of an object in shared memory has the shared window's upper word, which
code reads from ``SR_SWINHI``. What is not proven to come from there stays generic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mutate.sass.addresses import accesses_of
from mutate.sass.classes import class_of
from mutate.sass.disasm import Instruction
from mutate.sass.operands import Operand

_WINDOW = "SR_SWINHI"


class _Window:
    def upper(self, operand: Operand) -> bool:
        return operand.text.strip() == _WINDOW

    def pair(self, operand: Operand) -> bool:
        del operand
        return False


def shared_generic(instructions: Sequence[Instruction], *, indirect: Mapping[int, Iterable[int]] | None = None,
                   functions: Iterable[int] = ()) -> frozenset[int]:
    """Indices of generic accesses that are surely of shared memory. ``indirect`` and ``functions`` as in ``guards``."""
    generic = {n for n, i in enumerate(instructions) if class_of(i).startswith("generic_")}
    if not generic or not any(_WINDOW in i.operands for i in instructions):
        return frozenset()
    return accesses_of(instructions, generic, _Window(), indirect=indirect, functions=functions)
