"""What instructions read from the two banks of the register file, and what they write there.

Registers with even numbers are one bank, those with odd numbers the other; a scheduler's warps read one register of
each in a clock. A register that an instruction names twice is read once, and one that the instruction before has marked
``.reuse`` at the same place is not read. An instruction may be issued while the one before it still reads, but not
while the one before that does, so that what follows one another is averaged a little. Measured on an H200 with
registers put into the code by hand (tests/machines/reference/h200_registers.csv) and drawn by chance (h200_drawn.csv;
tests/timing_model compares). Volta has two such banks, too: Jia et al.,
"Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018).

An operand is kept for the same warp's next instruction only: where the scheduler goes to another warp in between, that
costs a clock (`lds, 4 ffma/eoe+a, ffma/eoe+a!, 7 ffma/eoe+a` of h100_reused.csv: 0.9 to 1.0 more than where nothing
waits, and nothing where no operand is kept).

What loads from shared memory bring and what FP32 gives are written by one way. Loads of 8 and 16 bytes take more of it
than the slot in which they were issued, where all other slots write, too (h100_widths.csv, `8 ffma, lds128`: 2.1 clocks
more; `8 nop, lds128` and `8 ffma>z, lds128`, which write nothing, 0.1; `4 ffma, 4 nop, lds128` of h100_reused.csv 0.1).
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
_WRITTEN = re.compile(r"R\d")
_NOTHING = frozenset(["RET", "BRX", "CALL", "WARPSYNC"])
"""Those that name a register first and only read it."""
PARTS = 4
"""Of a clock, in which writing is counted."""
_LOADED = {1: 5, 2: 6, 4: 11}
"""By words, in ``PARTS`` of a clock. Alone among FP32 loads of 4, 8 and 16 bytes take 1.1, 1.1 to 1.2 and 1.9 to 3.3

(h100_widths.csv, `5 ffma` to `24 ffma, lds128`; why it goes up and down is not known), in runs of two and four 1.3 to
1.5, 1.6 to 2.7 and 2.4 to 3.6 (h100_reused.csv, `24 ffma, 2 lds64`).
"""
_IN_A_RUN, _NEAR = {1: 0, 2: 2, 4: 7}, 3
"""What a load takes more of others that comes so few instructions after another one, by words, beside the reads of

their addresses (``operands``): `24 ffma, 2 lds` to `128 ffma, 16 lds128` of h100_reused.csv and h200_handed_over.csv;
among what writes nothing (`nop`) loads in runs take no more. The loads themselves come no later (chase_words<4, 3> of
chases.cu).
"""
BACKED_UP = 8
"""Clocks of writing that may wait before a scheduler's next instruction that writes does."""


def bank_reads(listing: Sequence[Instruction]) -> npt.NDArray[np.int64]:
    """Of each instruction the registers of the even and the odd bank that it reads, and whether it has others that are

    kept from the one before; shape (instructions, 3).
    """
    out = np.zeros((len(listing), 3), np.int64)
    kept: dict[int, int] = {}
    for row, instruction in zip(out, listing, strict=True):
        sources = _sources(instruction)
        named: set[int] = set()
        read: set[int] = set()
        for place, (text, register) in enumerate(sources):
            if register >= 0:
                registers = range(register, register + _width(instruction, place, text))
                named.update(registers)
                if kept.get(place) != register:
                    read.update(registers)
        kept = {place: register for place, (text, register) in enumerate(sources) if ".reuse" in text and register >= 0}
        for register in read:
            row[register & 1] += 1
        row[2] = len(named) > len(read)
    return out


def writes(listing: Sequence[Instruction]) -> npt.NDArray[np.int64]:
    """Of each instruction the parts of a clock (``PARTS``) that its results take of the way to the registers, and those

    that others wait for beside; shape (instructions, 2).
    """
    out = np.zeros((len(listing), 2), np.int64)
    since = _NEAR + 1
    for row, instruction in zip(out, listing, strict=True):
        since += 1
        if instruction.name == "LDS":
            words = 4 if ".128" in instruction.opcode else 2 if ".64" in instruction.opcode else 1
            row[:] = _LOADED[words], _IN_A_RUN[words] if since <= _NEAR else 0
            since = 0
        else:
            operands, after = _operands(instruction)
            written = instruction.name not in _NOTHING and any(_WRITTEN.match(text) for text in operands[:after])
            row[0] = PARTS if written else 0
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


def _operands(instruction: Instruction) -> tuple[list[str], int]:
    """The operands in the order of the code, and how many of them are results."""
    operands = [text.strip() for text in instruction.operands.split(",")]
    # Predicates that are written stand before or behind the register that is; those that are read are last.
    after = 1 if operands[0].startswith("R") else 0
    while after < len(operands) and operands[after].startswith(("P", "UP", "!")):
        after += 1
    if after and instruction.name in _BOTH and operands[0].startswith("P"):
        after += 1
    return operands, after


def _sources(instruction: Instruction) -> list[tuple[str, int]]:
    """The operands that are read, each with its register (-1: none), in the order of the code."""
    operands, after = _operands(instruction)
    out = []
    for text in operands[after:]:
        found = _REGISTER.search(text) if not text.startswith(("c[", "cx[")) else None
        out.append((text, int(found.group(1)) if found else -1))
    return out
