"""Code that the caches of instructions hold costs nothing; of more, lines come one by one, the next one early."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from timed_kernels import compiled

from mutate.machines import load_machine
from mutate.sim.timing import constants as c
from mutate.sim.timing import settings as p
from mutate.sim.timing.code_cache import arrives, empty_code, of_code
from mutate.sim.timing.model import SimulatedTime, predict

HOPPER, AMPERE = (9, 0), (8, 0)
LONG = "float y[128] = zeros(); dim3 grid = { 1 }; dim3 block = { 32 }; k(y, 2);"


def settings_of(instructions: int) -> np.ndarray:
    s = np.zeros(p.SETTINGS)
    s[p.S_SCHEDULERS] = 4
    s[[p.S_CODE_LINES, p.S_CODE_FILL, p.S_CODE_STAYS]] = of_code(instructions, np.arange(instructions), HOPPER)
    return s


def looped(folder: Path, instructions: int) -> SimulatedTime:
    body = ("k(float *y, int n) { float a = 1, b = 2, c = 3, d = threadIdx.x;\n#pragma unroll 1\n"
            "for (int i = 0; i < n; i++) {\n#pragma unroll\n"
            f"for (int j = 0; j < {instructions // 3}; j++) "
            "{ a = a * d + j; b = b * d + j; c = c * d + j; } } y[threadIdx.x] = a + b + c; }")
    kernel, launch = compiled(folder, LONG, body)
    return predict(kernel, launch, load_machine("h200"))


def test_what_is_executed_counts_and_only_where_it_was_measured() -> None:
    assert of_code(9000, np.tile(np.arange(1000), 9), HOPPER)[0] == 0.0
    assert of_code(6000, np.arange(6000), HOPPER) == (750.0, c.CODE_FILL, 0.0)
    assert of_code(6000, np.arange(6000), AMPERE)[0] == 0.0


def test_lines_come_one_after_another_and_the_next_one_early() -> None:
    s = settings_of(6000)
    hasty, slow = empty_code(s, 750), empty_code(s, 750)
    clock = 0.0
    for line in range(20):
        clock = arrives(hasty, 0, line, clock, s)
    assert clock == pytest.approx(20 * c.CODE_FILL)
    for line in range(1, 20):
        asked = 100.0 * line
        assert arrives(slow, 0, line, asked, s) == (asked + c.CODE_FILL if line == 1 else asked)


def test_another_scheduler_gets_lines_for_itself() -> None:
    s = settings_of(6000)
    code = empty_code(s, 750)
    arrives(code, 0, 5, 0.0, s)
    assert arrives(code, 0, 5, 500.0, s) == 500.0
    assert arrives(code, 1, 5, 500.0, s) == 500.0 + c.CODE_FILL


def test_warps_wait_for_instructions_of_long_code_only(tmp_path: Path) -> None:
    short, long = looped(tmp_path, 900), looped(tmp_path, 4500)
    assert short.stalls["no_instruction"] == 0.0
    assert long.stalls["no_instruction"] > 0.4
    assert long.cycles / long.instructions == pytest.approx(c.CODE_FILL / 8, rel=0.05)
    assert short.cycles / short.instructions < 0.65 * c.CODE_FILL / 8
