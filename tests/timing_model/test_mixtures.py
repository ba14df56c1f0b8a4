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

from mixtures import Mixture, measured, random_mixtures, simulated  # noqa: E402


@cache
def times() -> dict[str, float]:
    return measured(MACHINES / "reference" / "h200_mixtures.csv")


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
    off = [clocks / times()[m.name] - 1.0 for m, clocks in zip(chosen, simulated(chosen), strict=True)]
    # 5.0 %, nearly all of it too fast.
    assert sum(abs(e) for e in off) / len(off) < 0.06
    assert max(abs(e) for e in off) < 0.12
