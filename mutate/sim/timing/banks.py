"""What instructions read from the two banks of the register file.

Registers with even numbers are one bank, those with odd numbers the other; a scheduler's warps read one register of
each in a clock. A register that an instruction names twice is read once, and one that the instruction before has marked
``.reuse`` at the same place is not read. Instructions wait in a short queue for what they read, so that what follows
one another is averaged. Measured on an H200 with registers put into the code by hand
(tests/machines/reference/h200_registers.csv; tests/timing_model compares). Volta has two such banks, too: Jia et al.,
"Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sass.operands import matrix_sources

_REGISTER = re.compile(r"(?<![A-Z])R(\d+)")
_PAIRS = frozenset(["DADD", "DMUL", "DFMA", "DSETP"])
_STORES = frozenset(["STG", "STS", "STL", "ST", "ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS"])
_BOTH = frozenset(["SHFL", "ATOM", "ATOMG", "MATCH", "LOP3", "IADD3", "LEA", "SHF"])
"""Those that may write a predicate before their register."""
QUEUED = 2
"""Clocks of reading that may wait before a scheduler's next instruction does: one instruction's."""


def bank_reads(listing: Sequence[Instruction]) -> npt.NDArray[np.int64]:
    """Of each instruction the registers of the even and the odd bank that it reads, shape (instructions, 2)."""
    out = np.zeros((len(listing), 2), np.int64)
    kept: dict[int, int] = {}
    for row, instruction in zip(out, listing, strict=True):
        sources = _sources(instruction)
        read = set()
        for place, (text, register) in enumerate(sources):
            if register >= 0 and kept.get(place) != register:
                read |= set(range(register, register + _width(instruction, place, text)))
        kept = {place: register for place, (text, register) in enumerate(sources) if ".reuse" in text and register >= 0}
        for register in read:
            row[register & 1] += 1
    return out


def _width(instruction: Instruction, place: int, text: str) -> int:
    """Registers that an operand has."""
    opcode, name = instruction.opcode, instruction.name
    if text.endswith("]"):
        return 2 if ".64]" in text else 1
    if name in _STORES:
        return 4 if ".128" in opcode else 2 if ".64" in opcode else 1
    if name == "STSM":
        return 4 if opcode.endswith(".4") else 2 if opcode.endswith(".2") else 1
    matrices = matrix_sources(instruction)
    if matrices is not None and place < len(matrices):
        return matrices[place]
    return 2 if name in _PAIRS or (place == 2 and ".WIDE" in opcode) else 1


def _sources(instruction: Instruction) -> list[tuple[str, int]]:
    """The operands that are read, each with its register (-1: none), in the order of the code."""
    operands = [text.strip() for text in instruction.operands.split(",")]
    # Predicates that are written stand before or behind the register that is; those that are read are last.
    after = 1 if operands[0].startswith("R") else 0
    while after < len(operands) and operands[after].startswith(("P", "UP", "!")):
        after += 1
    if after and instruction.name in _BOTH and operands[0].startswith("P"):
        after += 1
    out = []
    for text in operands[after:]:
        found = _REGISTER.search(text) if not text.startswith(("c[", "cx[")) else None
        out.append((text, int(found.group(1)) if found else -1))
    return out
