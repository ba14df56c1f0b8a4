"""How much slower an SM's clock gets the more of the GPU works at once.

An H200's SMs go at 1980 MHz where ALUs alone are busy, at 1960 to 1970 where FMA units are, at 1920 to 1940 where DRAM
is, at 1830 to 1890 where both are, at 1746 to 1826 with doubles beside L2 and DRAM; L2 keeps its clock
(``tests/machines/reference/h200_clocks_mhz.csv``: clocks a second by ncu, in three runs, of which one lost a third less
than the others: ``tests/machines/fit_clocks.py``).
"""

from __future__ import annotations

from collections.abc import Mapping

from mutate.machines import Machine

_UNITS = {"fma": "clock.load_fma", "alu": "clock.load_alu", "fp64": "clock.load_fp64", "l1": "clock.load_l1"}
_SECTORS = {"l2_read_sectors": "clock.load_l2", "dram_read_sectors": "clock.load_dram_read",
            "dram_write_sectors": "clock.load_dram_write"}
_TURNS = 2
"""Where memory has more time it moves less at once."""
_BOUND, _FREE = 0.92, 0.75
"""Of what L2 and DRAM can give: where the SMs' clock does not matter any more, and up to where it does as much as if

they gave nothing. Of launches of ``clocks.cu`` that were played with the SMs' clock and with one 5 % slower.
"""


def drop_of(machine: Machine, units: Mapping[str, float], sectors: Mapping[str, float], ms: float) -> float:
    """The part by which the clock is below ``clock.boost``. ``units``: the busy part of each, of all SMs all the time;

    ``sectors``: of the whole launch, which takes ``ms``. 0 for a machine of which that was not measured.
    """
    if machine.get("clock.load_exponent") is None or ms <= 0.0:
        return 0.0
    load = sum(machine.number(key) * units[name] for name, key in _UNITS.items())
    load += sum(machine.number(key) * 32e-9 * sectors[name] / ms for name, key in _SECTORS.items())
    return 0.01 * float(load ** machine.number("clock.load_exponent"))


def slower_by(machine: Machine, units: Mapping[str, float], sectors: Mapping[str, float], ms: float, memory: float
              ) -> float:
    """How many times as long a launch takes as it would with ``clock.boost``; what is given is at that clock, as

    ``drop_of`` and ``stretch`` have it.
    """
    longer = 1.0
    for _ in range(_TURNS):
        longer = stretch(drop_of(machine, units, sectors, ms * longer), memory)
    return longer


def stretch(drop: float, memory: float) -> float:
    """How many times as long a launch takes with a clock slower by ``drop``, where L2 or DRAM is busy for a part

    ``memory`` of its time.
    """
    felt = min(1.0, max(0.0, (_BOUND - memory) / (_BOUND - _FREE)))
    return 1.0 / (1.0 - felt * drop)
