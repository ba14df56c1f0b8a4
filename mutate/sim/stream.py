"""The dynamic instruction stream: what a timing model needs of an execution.

A record is an instruction that one warp issued: which, for which lanes, and what its memory access cost. What is the
same every time (registers, scheduling bits) belongs to the instruction and is given once, by ``static_info``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mutate.sass.classes import class_of
from mutate.sass.disasm import Instruction
from mutate.sass.operands import operands_of, written

RECORDS = 1 << 16
"""Records that the interpreter writes before it hands them over."""
WARP, INDEX, LANES_ON, COST = range(4)
"""Columns of a record: warp within its block, number of the instruction, mask of the lanes that took part (guard

included), sectors of a global or local access, wavefronts of a shared one, words of an indexed constant one
(``layout.CONSTANT_LINES``), or different values of a match."""
NO_SCOREBOARD = 7


@dataclass(frozen=True, slots=True)
class Scheduling:
    """The scheduling bits of an instruction (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via

    Microbenchmarking", section 2.1): ``stall`` cycles before the warp may issue again; ``yields`` to other warps;
    scoreboards 0 to 5 (7: none) that are set until the result is written or the operands are read; ``wait_mask`` the
    scoreboards that must be clear before; ``reuse`` the operand slots kept in the reuse cache.
    """

    stall: int
    yields: bool
    write_scoreboard: int
    read_scoreboard: int
    wait_mask: int
    reuse: int


def scheduling_of(instruction: Instruction) -> Scheduling:
    """Decoded from bits 105 to 125 of the encoding, the same places from sm_70 to sm_90."""
    bits = instruction.hi >> 41
    return Scheduling(bits & 15, not bits >> 4 & 1, bits >> 5 & 7, bits >> 8 & 7, bits >> 11 & 63, bits >> 17 & 15)


@dataclass(frozen=True)
class StaticInfo:
    """What every execution of an instruction has in common. Registers by their names ("R5", "UR4", "P0");

    ``writes`` is ``None`` where that is not known (then anything may be written).
    """

    instruction: Instruction
    kind: str
    scheduling: Scheduling
    reads: tuple[str, ...]
    writes: tuple[str, ...] | None


def static_info(listing: Sequence[Instruction]) -> tuple[StaticInfo, ...]:
    """One for each instruction of a listing. ``reads`` names the first register of a wider operand only."""
    return tuple(_info(i) for i in listing)


def _info(instruction: Instruction) -> StaticInfo:
    writes = written(instruction)
    reads = [o.key for o in operands_of(instruction.operands) if o.kind in ("R", "UR", "P", "UP") and o.number >= 0]
    reads += _registers_in_addresses(instruction.operands)
    if instruction.predicate:
        reads.append(instruction.predicate.lstrip("@!"))
    first = set(writes or ())
    sources = tuple(dict.fromkeys(r for k, r in enumerate(reads) if r not in first or r in reads[:k]))
    return StaticInfo(instruction, class_of(instruction), scheduling_of(instruction), sources, writes)


def _registers_in_addresses(operands: str) -> list[str]:
    import re

    return [name for inside in re.findall(r"\[([^\]]*)\]", operands) for name in re.findall(r"\bU?R\d+\b", inside)]


class Recorder(Protocol):
    """Takes the stream of a simulation."""

    def add(self, block: int, records: npt.NDArray[np.int64]) -> None:
        """Called whenever the interpreter returns, after the watchers: the records since, shape (n, 4), in the order of

        execution; those of one warp are in program order. They are overwritten afterwards.
        """
