"""``--full``: every block of every SM, nothing extrapolated; and what a sample says of itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from timed_kernels import KERNELS, compiled

from mutate.machines import load_machine
from mutate.sim.timing import confidence, full
from mutate.sim.timing.model import predict
from mutate.sim.timing.placing import blocks_of_sm
from mutate.toolchain.locate import find_toolchain

H200 = load_machine("h200")
needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


def _quiet(what: str, done: int, total: int) -> None:
    pass


@needs_nvrtc
def test_every_block_is_recorded_and_every_turn_played_to_its_end(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, *KERNELS["stream"])
    seen: list[tuple[int, int]] = []
    found, interrupted = full.predict_all(kernel, launch, H200, lambda what, done, total: seen.append((done, total)))
    assert not interrupted
    assert found.sampled == tuple(range(1024))
    assert found.turns == 132 and found.complete
    assert found.uneven == 0 and found.rest == 0
    assert seen == [(k, 132) for k in range(132)]
    assert found.by_instruction.sum() == found.warp_clocks
    # All blocks are alike, and only DRAM's late answers make the slowest SM slower than the one played by default.
    sample = predict(kernel, launch, H200)
    assert sample.cycles < found.cycles < 1.4 * sample.cycles
    assert found.played == pytest.approx(1024 * sample.played / sample.blocks_per_sm, rel=0.01)


@needs_nvrtc
def test_a_block_that_takes_long_is_found(tmp_path: Path) -> None:
    kernel, launch = compiled(
        tmp_path, "float y[132] = zeros(); dim3 grid = { 132 }; dim3 block = { 32 }; k(y, 0.5f);",
        "k(float *y, float a) { float s = a; int n = blockIdx.x == 5 ? 2000 : 2;\n#pragma unroll 1\n"
        "for (int i = 0; i < n; i++) s = s * a + 1; y[blockIdx.x] = s; }")
    found, _ = full.predict_all(kernel, launch, H200, _quiet)
    sample = predict(kernel, launch, H200)
    assert found.cycles > 5 * sample.cycles
    assert sample.uneven == 0.0  # the few that were looked at are alike


@needs_nvrtc
def test_after_ctrl_c_the_turns_that_are_done_count(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, *KERNELS["stream"])

    def stop(what: str, done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    found, interrupted = full.predict_all(kernel, launch, H200, stop)
    assert interrupted and found.turns == 3
    assert len(found.sampled) < 1024 and found.uneven is not None

    def at_once(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        full.predict_all(kernel, launch, H200, at_once)


@needs_nvrtc
def test_ctrl_c_does_not_wait_for_machine_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                               ctrl_c: Callable[[], None]) -> None:
    kernel, launch = compiled(tmp_path, *KERNELS["stream"])
    release = threading.Event()

    def endless(*_: Any, **__: Any) -> Any:
        ctrl_c()
        release.wait(30)

    monkeypatch.setattr(full, "predict", endless)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        full.predict_all(kernel, launch, H200, _quiet)
    assert time.monotonic() - start < 10
    release.set()


@needs_nvrtc
def test_errors_of_a_turn_are_errors(tmp_path: Path) -> None:
    from mutate.errors import KmutateError

    kernel, launch = compiled(tmp_path, "float y[32] = zeros(); dim3 grid = { 64 }; dim3 block = { 32 }; k(y);",
                              "k(float *y) { y[blockIdx.x * 4096 + threadIdx.x] = 1; }")
    with pytest.raises(KmutateError):
        full.predict_all(kernel, launch, H200, _quiet)


@pytest.mark.parametrize("count", [1, 2, 30, 132])
def test_the_order_of_sms_has_each_once_and_spreads(count: int) -> None:
    order = full.order_of_sms(count)
    assert sorted(order) == list(range(count))
    assert order[0] == count // 2
    if count > 8:
        assert max(np.diff(sorted(order[:8]))) <= count / 3


@pytest.mark.parametrize("total", [1, 50, 132, 133, 1024, 4000])
def test_every_block_is_one_sm_s(total: int) -> None:
    mine = [blocks_of_sm(total, 132, total, sm=k) for k in range(min(132, total))]
    assert sorted(b for blocks in mine for b in blocks) == list(range(total))
    assert [len(blocks) for blocks in mine] == [len(range(k, total, 132)) for k in range(len(mine))]


# --- what a sample says of itself ---


def test_the_error_of_a_sample_of_blocks_is_that_of_its_mean() -> None:
    rng = np.random.default_rng(3)
    population = rng.normal(1000, 100, 4000)
    means = [rng.choice(population, 100, replace=False).mean() for _ in range(2000)]
    told = [confidence.of_blocks(rng.choice(population, 100, replace=False).tolist(), 4000) for _ in range(50)]
    assert np.mean([t for t in told if t is not None]) == pytest.approx(np.std(means) / 1000, rel=0.1)


@pytest.mark.parametrize(("lengths", "total", "error"), [
    ([10, 20], 2, 0.0), ([7], 1, 0.0), ([7], 5, None), ([5, 5, 5], 100, 0.0)])
def test_the_whole_has_no_error_and_one_says_nothing(lengths: list[int], total: int, error: float | None) -> None:
    assert confidence.of_blocks(lengths, total) == error


def _marks(rates: np.ndarray) -> tuple[np.ndarray, float, int]:
    issued = np.arange(64) * 1000
    clocks = np.concatenate([[0], np.cumsum(rates * 1000)])
    return np.stack([clocks[:64], issued], axis=1).astype(np.int64), float(clocks[64]), 64_000


def test_a_steady_rate_leaves_nothing_open_and_a_wavering_one_does() -> None:
    steady, end, issued = _marks(np.full(64, 2.0))
    assert confidence.of_rest(steady, end, issued, 10 * end) == pytest.approx(0, abs=1e-9)
    wavering, end, issued = _marks(2.0 + np.sin(np.arange(64) / 3.0))
    some = confidence.of_rest(wavering, end, issued, 2 * end)
    more = confidence.of_rest(wavering, end, issued, 10 * end)
    assert 0.01 < some < more < 0.5
    assert confidence.of_rest(wavering, end, issued, end) == 0
