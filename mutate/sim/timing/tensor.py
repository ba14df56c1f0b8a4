"""How long tensor cores take for products of matrices: clocks of a scheduler's core, and when a result is there.

A machine file has them (``tensor.*``) by kind of elements, for the greatest depth that an instruction has; those of
half the depth or height take a share of it. The results of HMMA, IMMA and BMMA come after fixed clocks, which the
compiler puts into the code; DMMA's and MOVM's are waited for by scoreboards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.machines import Machine
from mutate.sass.disasm import Instruction
from mutate.sass.operands import matrix_sources

PRODUCTS = frozenset(["HMMA", "IMMA", "BMMA", "DMMA", "MOVM"])
_INTEGERS = {"8": "tensor.s8", "4": "tensor.s4"}
# 32-bit registers a lane of A and B that a product of the greatest depth has.
_WHOLE = 6


def _key(instruction: Instruction) -> str:
    """The machine file's key of a product's kind."""
    modifiers = instruction.opcode.split(".")[1:]
    if instruction.name == "HMMA":
        return ("tensor.tf32" if "TF32" in modifiers else "tensor.f16" if "F32" in modifiers else "tensor.f16_sums")
    if instruction.name == "IMMA":
        return next((_INTEGERS[m[1:]] for m in modifiers if m[1:] in _INTEGERS and m[0] in "SU"), "")
    return {"BMMA": "tensor.b1", "DMMA": "tensor.f64", "MOVM": "tensor.turn"}[instruction.name]


def timed(instruction: Instruction, machine: Machine) -> bool:
    """Whether the machine says how long such a product takes; of other instructions always."""
    if instruction.name not in PRODUCTS:
        return True
    known = machine.get(_key(instruction)) is not None
    return known and (instruction.name == "MOVM" or matrix_sources(instruction) is not None)


def product_of(instruction: Instruction, machine: Machine) -> tuple[int, int]:
    """Clocks of a scheduler's tensor core, and of the result, of a product that is ``timed``."""
    if not timed(instruction, machine):
        return 1, 0
    clocks = float(machine.number(_key(instruction)))
    if instruction.name == "MOVM":
        return round(clocks), round(float(machine.number("tensor.turn_latency")))
    a, b, _ = matrix_sources(instruction) or (0, 0, 0)
    if instruction.name == "DMMA":
        # By rows and depth: of 16x8x4 A has four registers; DMMA.8x8x4 takes the core as long as that.
        part = a / 4
        return round(clocks * max(1.0, part)), round(float(machine.number("tensor.f64_latency")) + clocks * part)
    whole = a + b >= _WHOLE
    return max(1, round(clocks if whole else clocks * float(machine.number("tensor.half_depth")))), 0


def slowed(machine: Machine, listing: Sequence[Instruction], executed: npt.NDArray[np.integer[Any]]) -> Machine:
    """The machine as it is where such products are among the ``executed`` places of a listing: its SMs' clock is

    ``clock.tensor`` then.

    An H200's clock is 1800 MHz instead of 1980 from the first HMMA, IMMA or BMMA on, however few warps do them, and
    1980 with DMMA, MOVM and LDSM (tests/machines/reference/h200_tensor_clocks.csv: clocks and nanoseconds by ncu).
    """
    clock = machine.get("clock.tensor")
    products = [k for k, i in enumerate(listing) if i.name in ("HMMA", "IMMA", "BMMA")]
    if clock is None or not products or not np.isin(products, executed).any():
        return machine
    # What else slows the clock does so from there on, and was not measured.
    kept = {k: q for k, q in machine.quantities.items() if k != "clock.load_exponent"}
    return replace(machine, quantities={**kept, "clock.boost": clock})
