"""The model of time on instructions in mixtures that an H200 was timed with (tests/machines/mixtures.py)."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest

from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
MACHINES = Path(__file__).parents[1] / "machines"
sys.path.insert(0, str(MACHINES))

from mixture_lists import drawn, handed, more, off, reused, widths  # noqa: E402
from mixtures import Mixture, measured, random_mixtures, simulated  # noqa: E402


@cache
def times(name: str = "h200_mixtures") -> dict[str, float]:
    return measured(MACHINES / "reference" / f"{name}.csv")


# An instruction's registers on their way to another unit keep others from being issued; pipes; register banks; ports.
WITHIN = {
    "8 ffma, mufu": 0.04, "6 ffma, popc": 0.04, "4 ffma, shfl": 0.04, "8 ffma, lds": 0.04, "4 ffma, sts": 0.04,
    "4 ffma, ldg": 0.04,
    "8 ffma, shfl_idx": 0.04, "4 ffma/eee, mufu": 0.04, "4 ffma/eee, lds": 0.04, "ldg64": 0.04, "ldg128": 0.04,
    "ldc": 0.04,
    "s2r": 0.04, "umov": 0.04, "iadd3, r2ur": 0.04, "dfma": 0.04, "iadd3, dfma": 0.05, "3 ffma, dfma": 0.05,
    "2 ffma, imad": 0.05,
    "4 ffma, imad": 0.05, "viadd": 0.04, "3 ffma, imad_wide": 0.05, "hfma2": 0.04, "hfma2, hfma2_mov": 0.05,
    "fadd, hfma2": 0.05,
    "4 ffma, 4 iadd3, lds": 0.05, "2 ffma, 2 iadd3, lds": 0.05, "1 ffma, shfl, 1 ffma, lds128": 0.05,
    "1 ffma, lds, 1 ffma, ldc": 0.05,
}


def test_mixtures_take_what_they_took_on_the_gpu() -> None:
    chosen = [Mixture(text) for text in WITHIN]
    for mixture, within, clocks in zip(chosen, WITHIN.values(), simulated(chosen), strict=True):
        assert clocks == pytest.approx(times()[mixture.name], rel=within), mixture.text


def test_mixtures_at_random_are_met() -> None:
    chosen = [m for m in random_mixtures(24) if times()[m.name] > 1.1]
    errors = [clocks / times()[m.name] - 1.0 for m, clocks in zip(chosen, simulated(chosen), strict=True)]
    assert sum(abs(e) for e in errors) / len(errors) < 0.03
    assert max(abs(e) for e in errors) < 0.09


@pytest.mark.parametrize(("chance", "within"), [(True, 0.03), (False, 0.025)])
def test_a_few_kinds_in_an_order_by_chance(chance: bool, within: float) -> None:
    """With registers by chance banks are asked for twice, and what follows waits."""
    chosen = [m for m in drawn() if (m.seed is not None) == chance][::3]
    known = times("h200_drawn")
    errors = [clocks / known[m.name] - 1.0 for m, clocks in zip(chosen, simulated(chosen), strict=True)]
    assert sum(abs(e) for e in errors) / len(errors) < within


@pytest.mark.parametrize("text", [
    "8 ffma, shfl", "8 ffma/EEE, shfl", "8 nop, shfl", "8 lop3, shfl", "3 ffma, shfl", "8 ffma, shfl_idx",
    "8 ffma/EEE, shfl_idx", "2 ffma, sts", "4 ffma, sts", "8 ffma, sts", "8 ffma/EEE, sts", "2 lop3, sts", "8 nop, sts",
    "ffma, iadd3, ffma, iadd3, sts", "nop, ffma, nop, ffma, sts", "12 ffma, sts64", "8 ffma, lds", "8 ffma/EEE, lds",
    "8 ffma, mufu", "12 umov, mufu", "40 ffma, 8 shfl", "40 ffma, 8 sts", "20 ffma/EEE, 4 lds", "32 nop, 4 lds64",
    "32 nop, 4 lds128", "32 ffma, 4 lds", "16 ffma, 2 mufu", "64 ffma, 8 mufu", "12 ffma, ldg",
])
def test_operands_of_other_units_hold_up_arithmetic_that_needs_their_bank(text: str) -> None:
    known = times("h200_handed_over")
    (mixture, *_) = [m for m in handed() if m.text == text and m.warps == 8]
    (clocks,) = simulated([mixture])
    assert clocks == pytest.approx(known[mixture.name], rel=0.04)


@pytest.mark.parametrize(("base", "op"), [("ffma/EEE", "shfl/E"), ("ffma/OOO", "shfl/E"), ("ffma/EEE", "shfl/O"),
                                          ("nop", "shfl/E"), ("ffma/OOO", "shfl_idx/ee"), ("ffma/EEE", "shfl_idx/ee"),
                                          ("ffma/EEE", "mufu/O"), ("ffma/EEE", "mufu/E"), ("ffma", "mufu/E")])
def test_what_reads_the_other_bank_goes_on(base: str, op: str) -> None:
    known = times("h200_banks_read")
    (mixture,) = [m for m in more() if m.text == ", ".join([f"10 {base}, {op}"] * 11)]
    (clocks,) = simulated([mixture])
    assert clocks == pytest.approx(known[mixture.name], rel=0.02)


@pytest.mark.parametrize(("name", "text", "within"), [
    # An operand is not kept where the scheduler went to another warp; where none is, waiting costs nothing.
    ("reused", "lds, 4 ffma/eoe+a, ffma/eoe+a!, 7 ffma/eoe+a", 0.04), ("reused", "lds, 4 ffma, ffma!, 7 ffma", 0.03),
    # What is loaded needs the way to the registers; FP32 that writes none leaves it free, and so do other slots.
    ("widths", "8 ffma, lds128", 0.07), ("widths", "20 ffma, lds128", 0.03), ("widths", "8 ffma>z, lds128", 0.03),
    ("widths", "8 nop, lds128", 0.03), ("reused", "4 ffma, 4 nop, lds128", 0.03), ("reused", "96 ffma, 4 lds128", 0.06),
])
def test_registers_that_are_kept_and_written_among_loads(name: str, text: str, within: float) -> None:
    (mixture,) = [m for m in (reused() if name == "reused" else widths()) if m.text == text and m.warps == 8]
    (clocks,) = simulated([mixture])
    assert clocks == pytest.approx(times(f"h100_{name}")[mixture.name], rel=within)


@pytest.mark.parametrize("text", ["3 ffma, -sts", "3 ffma, sts", "7 ffma, -mufu", "7 ffma, mufu", "3 ffma, -lds128",
                                  "3 ffma, -shfl", "1 ffma, -dfma", "1 ffma, dfma", "7 ffma, -ldg"])
def test_what_no_lane_takes_part_in_reads_and_writes_nothing(text: str) -> None:
    n = int(text.split(maxsplit=1)[0])
    (mixture,) = [m for m in off() if m.text == ", ".join(["never", *[text] * (127 // (n + 1))]) and m.warps == 8]
    (clocks,) = simulated([mixture])
    assert clocks == pytest.approx(times("h100_off")[mixture.name], rel=0.03 if "-" in text else 0.08)
