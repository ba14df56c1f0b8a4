"""What L1 keeps beside accesses with a hint: what an H100 had, access by access, and what the model has."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from test_l1_tags import asked, given_up
from timed_kernels import compiled

from mutate.sim.timing.hints import AROUND, PASSING, PLAIN, WHAT, hints_of, settle, touches
from mutate.sim.timing.tags import L1, drop, empty_l1, fill, leaves, lookup
from mutate.toolchain.locate import find_toolchain

MACHINES = Path(__file__).parents[1] / "machines"
sys.path.insert(0, str(MACHINES))

import l1_hints  # noqa: E402

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
# What it comes to when lines to be given up first come in turn is known in part.
RIGHT = {"ldcs": 0.95, "stcs": 0.95, "ld_evict_first": 0.95, "st_evict_first": 0.95, "ldlu": 0.95,
         "ld_no_allocate": 0.95, "st_no_allocate": 0.95, "ldcg": 0.98, "ldcv": 0.98, "ld_volatile": 0.98,
         "ld_relaxed": 0.98}


@cache
def sequences() -> dict[str, l1_hints.Sequences]:
    return {s.hint: s for s in l1_hints.sequences()}


@cache
def answers() -> dict[str, np.ndarray]:
    return l1_hints.answers(MACHINES / "reference" / "h100_l1_hints.json")


def hint_of(folder: Path, access: str) -> int:
    """What the model makes of the machine code of an access."""
    asm = f'"{access}" : "=r"(v) : "l"(p)' if access.startswith("ld") else f'"{access}" :: "r"(v), "l"(p)'
    kernel, _ = compiled(folder, "int a[64] = zeros(); dim3 grid = { 1 }; dim3 block = { 32 }; k(a);",
                         f"k(int *p) {{ int v = 1; asm volatile({asm} : \"memory\"); if (v == 7) __trap(); }}")
    wanted = ("LDG",) if access.startswith("ld") else ("STG",)
    (at,) = (n for n, i in enumerate(kernel.listing) if i.opcode.split(".")[0] in wanted)
    return int(hints_of(kernel.listing, False)[at]) & WHAT


def hinted(l1: L1, sector: int, hint: int, stores: bool) -> bool:
    """As ``sectors.read`` and ``write`` have it: whether the sector was there."""
    place, victim = lookup(l1.tags, l1.ages, l1.turns, l1.room, sector, bool(touches(hint)))
    here = place >= 0 and l1.ready[place, sector & 3] > 0.0
    settle(l1.ages, l1.turns, place, hint, False)
    if hint == PASSING or (here and not stores):
        return here
    gone = leaves(l1.tags, l1.ages, l1.room, l1.hands, place, victim)
    if gone >= 0:
        drop(l1.tags, l1.ages, l1.room, gone)
    fill(l1.tags, l1.ages, l1.ready, l1.turns, l1.room, place, victim, sector, 1.0)
    settle(l1.ages, l1.turns, victim, hint, place < 0)
    return here


@pytest.mark.parametrize("name", l1_hints.HINTS)
def test_which_loads_come_late_beside_accesses_with_a_hint(name: str, tmp_path: Path) -> None:
    hint, stores = hint_of(tmp_path, l1_hints.HINTS[name]), name.startswith("st")
    asked_for, late = sequences()[name], answers()[name]
    same = total = 0
    for trace in range(0, l1_hints.TRACES, 5):  # of 5, 6, 7 and 8 lines
        l1 = empty_l1(2048, 1734)
        for op, place, real in zip(asked_for.ops[trace], asked_for.places[trace], late[trace], strict=True):
            sector = int(place) // 8
            if op == l1_hints.PLAIN:
                same += (not asked(l1, sector)) == real
                total += 1
            elif hint == AROUND:
                given_up(l1, sector)
            else:
                hinted(l1, sector, hint, stores)
    assert total >= 5_000
    assert same >= RIGHT.get(name, 0.995) * total


def test_hints_differ(tmp_path: Path) -> None:
    """Without one a load is as any; what goes around L1 is no hint."""
    assert hint_of(tmp_path, l1_hints.HINTS["ld"]) == hint_of(tmp_path, l1_hints.HINTS["ld_read_only"]) == PLAIN
    assert hint_of(tmp_path, l1_hints.HINTS["stcg"]) == hint_of(tmp_path, l1_hints.HINTS["stwt"]) == PLAIN
    assert hint_of(tmp_path, l1_hints.HINTS["ldcg"]) == hint_of(tmp_path, l1_hints.HINTS["ldcv"]) == AROUND
    assert len({hint_of(tmp_path, l1_hints.HINTS[n]) for n in ("ldcs", "ldlu", "ld_evict_last", "ld_evict_unchanged")}
               ) == 4
