"""What a warp waits for before it issues: the code's scoreboards, or registers where the hardware tracks them.

Since Volta the code says by stall counts and six scoreboards when an instruction may issue. GPUs before Kepler tracked
registers in hardware and knew no such bits. On their projections the bits of the sm_75 code are ignored, and an
instruction waits until the registers that it reads or writes are there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim.jit import Number, jit_into
from mutate.sim.stream import StaticInfo, static_info
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.units import WAIT_MASK

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
REGISTERS = 344
"""General, uniform and predicate registers of a warp."""
FIXED, LONG, SHORT = range(3)
"""What a value comes from: arithmetic, global or local memory, shared memory and other units with a queue."""
_BASES = {"R": 0, "UR": 256, "P": 320, "UP": 328}
_PAIRS = frozenset(["DADD", "DMUL", "DFMA", "DSETP", "DMNMX"])
_FAR = frozenset(["LDG", "STG", "LD", "ST", "ATOM", "ATOMG", "RED", "REDG"])
_STORES = frozenset(["STG", "ST", "STS", "STL"])


def _place(name: str) -> int:
    kind = name.rstrip("0123456789")
    return _BASES[kind] + int(name[len(kind) :])


def _width(instruction: Instruction) -> int:
    modifiers = instruction.opcode.split(".")
    return 4 if "128" in modifiers else 2 if "64" in modifiers else 1


def _reads(info: StaticInfo) -> set[int]:
    instruction = info.instruction
    out = {_place(r) for r in info.reads if r[-1].isdigit()}  # PT, as in @!PT, is no register
    wide = [r for r in info.reads if r.startswith("R")]
    if instruction.name in _PAIRS:
        out |= {_place(r) + 1 for r in wide}
    if instruction.name in _FAR and ".E" in instruction.opcode:
        address = instruction.operands.partition("[")[2].partition("]")[0]
        out |= {_place(r) + 1 for r in wide if r in address.replace(".64", "").split("+")}
    if instruction.name in _STORES and wide:
        last = instruction.operands.rpartition(",")[2].strip().replace(".reuse", "")
        if last in wide:
            out |= {_place(last) + k for k in range(_width(instruction))}
    return out


def registers_of(listing: Sequence[Instruction]) -> tuple[Ints, Ints]:
    """Of each instruction the registers that must be there before it issues, and those that it writes (-1: no more).

    Two tables of shape (instructions, most of one instruction), at least one column wide.
    """
    infos = static_info(listing)
    gives = [sorted(_place(r) for r in info.writes or ()) for info in infos]
    needs = [sorted(_reads(info) | set(given)) for info, given in zip(infos, gives, strict=True)]
    return _table(needs), _table(gives)


def _table(rows: Sequence[Sequence[int]]) -> Ints:
    out = np.full((len(rows), max([1, *(len(r) for r in rows)])), -1, np.int64)
    for row, values in zip(out, rows, strict=True):
        row[: len(values)] = values
    return out


def _held(table: Ints, needs: Ints, boards: Floats, far: Ints, registers: Floats, sources: Ints, tracked: bool, w: int,
          pc: int, until: Number) -> tuple[Number, int]:
    """When a warp may issue an instruction that it could issue at ``until`` but for what it waits for, and the source

    of the value that comes last (``FIXED`` where it need not wait).
    """
    source = FIXED
    if tracked:
        for k in range(needs.shape[1]):
            register = needs[pc, k]
            if register < 0:
                break
            if registers[w, register] > until:
                until = np.int64(np.ceil(registers[w, register]))
                source = sources[w, register]
        return until, source
    mask = table[pc, WAIT_MASK]
    for j in range(6):
        if mask >> j & 1 and boards[w, j] > until:
            until = np.int64(np.ceil(boards[w, j]))
            source = LONG if far[w, j] else SHORT
    return until, source


held = jit_into(FOLDER, _held, counted=False)


def _written(gives: Ints, registers: Floats, sources: Ints, w: int, pc: int, result: float, source: int) -> None:
    """Notes when the registers that an instruction writes will be there."""
    for k in range(gives.shape[1]):
        register = gives[pc, k]
        if register < 0:
            break
        registers[w, register] = result
        sources[w, register] = source


written = jit_into(FOLDER, _written, counted=False)
