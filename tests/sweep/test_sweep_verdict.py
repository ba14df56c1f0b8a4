"""What sweeps say: best settings, saturation, spills, by the seeds' numbers where they have some."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutate.limiter.model import Interval, Limiter
from mutate.pipeline.sweep_verdict import judged
from mutate.sweeps import Sweep, SweepRun, SweepSetting, Traffic


def _traffic(l2: float, local: float = 0, instructions: float = 1000, local_instructions: float = 0) -> Traffic:
    return Traffic(8, 32, 100, 50, 40 if local else 0, 10 if local else 0, l2, 0, local, instructions,
                   local_instructions)


def _setting(name: str, time: float | None, *, now: float = 1.0, noise: float = 0.0, blocks: int = 4,
             limiter: str = "registers", spills: int = 0, traffic: Traffic | None = None, current: bool = False,
             how: tuple[str, ...] = ("a way",)) -> SweepSetting:
    interval = None if time is None else Interval(time, time - noise, time + noise)
    gain = None if time is None else Interval(now / time, now / (time + noise), now / (time - noise))
    run = SweepRun("original", interval, gain, "" if time else "no time", blocks, 8 * blocks, blocks / 8, limiter,
                   40, spills, spills // 4, 0, 0, traffic)
    return SweepSetting(name, blocks, (run,), "", () if current else how, current)


def _sweep(axis: str, *settings: SweepSetting, times: str = "measured", turn: int | None = 100) -> Sweep:
    return Sweep(axis, settings, times, "a GPU", turn, "" if times else "there is no GPU")


def test_the_best_cache_setting_is_named_with_what_sets_it() -> None:
    sweep = judged(_sweep("cache", _setting("ca, 16 KB L1", 1.0, current=True),
                          _setting("cg, 48 KB L1", 0.69, how=("nvcc -Xptxas -dlcm=cg", "cudaFuncSetCacheConfig(k)"))),
                   Limiter.MEMORY)
    assert sweep.best == "cg, 48 KB L1" and "1.45x" in sweep.summary and "measured" in sweep.summary
    assert sweep.next_step == "set it: nvcc -Xptxas -dlcm=cg; cudaFuncSetCacheConfig(k)"


@pytest.mark.parametrize(("times", "time", "noise", "found"), [
    ("measured", 0.98, 0.005, True), ("measured", 0.98, 0.03, False), ("measured", 0.995, 0.0, False),
    ("simulated", 0.98, 0.0, False), ("simulated", 0.93, 0.0, False), ("simulated", 0.9, 0.0, True)])
def test_a_gain_has_to_be_clear(times: str, time: float, noise: float, found: bool) -> None:
    sweep = judged(_sweep("cache", _setting("ca", 1.0, current=True), _setting("cg", time, noise=noise), times=times),
                   Limiter.MEMORY)
    assert bool(sweep.best) == found


def test_without_times_the_counters_speak_and_no_setting_is_best() -> None:
    sweep = judged(_sweep("cache", _setting("ca", None, current=True, traffic=_traffic(1000)),
                          _setting("cg", None, traffic=_traffic(600)), times=""), Limiter.UNKNOWN)
    assert not sweep.best and "cg has the least traffic to L2" in sweep.summary and "not timed" in sweep.summary
    same = judged(_sweep("cache", _setting("ca", None, current=True, traffic=_traffic(600)),
                         _setting("cg", None, traffic=_traffic(600)), times=""), Limiter.UNKNOWN)
    assert "no setting has less" in same.summary and not same.next_step


def _curve(*times: float, limiter: str = "registers", turn: int | None = 100) -> Sweep:
    now = times[-1]
    return judged(_sweep("occupancy", *(_setting(f"{n} blocks", t, now=now, blocks=n, limiter=limiter,
                                                 current=n == len(times)) for n, t in enumerate(times, 1)), turn=turn),
                  Limiter.LATENCY)


def test_a_flat_curve_says_how_many_warps_are_enough() -> None:
    sweep = _curve(4.0, 2.0, 1.03, 1.01, 1.0)
    assert "24 warps an SM (3 of 5 blocks" in sweep.summary and "would not help" in sweep.summary


def test_a_grid_of_one_wave_says_nothing_about_occupancy() -> None:
    sweep = _curve(4.0, 2.0, 2.0, 1.0, turn=4)
    assert "all 4 blocks" in sweep.summary and "resident at once" in sweep.summary and "help" not in sweep.summary
    assert "still falls" in _curve(4.0, 2.0, 2.0, 1.0, turn=5).summary


def test_a_falling_curve_says_that_more_could_help_and_what_is_in_the_way() -> None:
    sweep = _curve(4.0, 2.0, 1.4, 1.0)
    assert "still falls" in sweep.summary and "could help" in sweep.summary and "--sweep registers" in sweep.next_step
    full = _curve(*(8.0 / n for n in range(1, 9)))
    assert "100 % already" in full.summary and "could help" not in full.summary


def test_a_curve_that_rises_names_fewer_blocks() -> None:
    sweep = _curve(2.0, 0.8, 1.0)
    assert sweep.best == "2 blocks" and "fewer blocks are faster" in sweep.summary


def test_simulated_gains_are_given_with_their_errors() -> None:
    rising = _curve(2.0, 0.8, 1.0)
    assert "give or take" not in rising.summary
    assert "1.25x as fast as the launch as it is, give or take 10 %, with 2 blocks" in judged(
        replace(rising, times="simulated"), Limiter.LATENCY).summary


def test_equal_waves_do_not_speak_against_more_occupancy() -> None:
    # 8 blocks for an SM are 2 waves with 4, 5, 6 or 7 resident ones, and 1 with 8.
    sweep = _curve(8.0, 4.0, 3.0, 2.01, 2.0, 2.0, turn=8)
    assert "2 waves, and with 8 blocks an SM it would take 1" in sweep.summary and "could help" in sweep.summary


def test_a_small_grid_is_not_taken_for_saturation() -> None:
    sweep = _curve(2.0, 1.0, 1.0, 1.0, turn=2)
    assert "the grid gives an SM 2 blocks at most" in sweep.summary


@pytest.mark.parametrize(("l2", "local", "limiter", "hurts"), [
    (132_821_516, 72_234_496, Limiter.MEMORY, True),  # the seed's case: 53.38 %
    (100_000, 1_630, Limiter.MEMORY, False),  # and with 48 KB of L1: 1.63 %
    (132_821_516, 72_234_496, Limiter.MATH, False)])  # 4.6 % of the instructions
def test_spills_hurt_by_their_part_of_what_limits(l2: float, local: float, limiter: Limiter, hurts: bool) -> None:
    spilling = _setting("cap 32", None, spills=44, current=True,
                        traffic=_traffic(l2, local, 20_412_251, 938_944))
    sweep = judged(_sweep("registers", spilling, times=""), limiter)
    words = next(e for e in sweep.evidence if "spills" in e)
    assert ("they hurt a " if hurts else "they do not hurt a ") in words
    assert f"{100 * local / l2:.3g} % of L2's traffic and 4.6 % of the instructions" in words


def test_the_faster_cap_is_named_and_what_it_is_without_spills() -> None:
    sweep = judged(_sweep("registers", _setting("cap 32", 1.22, now=1.22, spills=44, current=True,
                                                traffic=_traffic(100, 53)),
                          _setting("no cap", 1.0, now=1.22, blocks=2)), Limiter.MEMORY)
    assert sweep.best == "no cap" and "1.22x" in sweep.summary
    assert any("without spills (no cap" in e and "1.22x" in e for e in sweep.evidence)


def test_of_alike_settings_the_one_without_spills_is_best() -> None:
    sweep = judged(_sweep("registers", _setting("as it is", 1.0, current=True), _setting("cap 32", 0.801),
                          _setting("cap 24", 0.80, spills=44)), Limiter.MEMORY)
    assert sweep.best == "cap 32"


def test_one_setting_is_no_choice() -> None:
    sweep = judged(_sweep("registers", _setting("as it is", 1.0, current=True)), Limiter.MEMORY)
    assert "no cap changes the code" in sweep.summary and not sweep.best and not sweep.next_step


def test_a_sweep_that_could_not_be_made_says_why() -> None:
    sweep = judged(replace(_sweep("cache", times=""), untimed="GTX 280 has no L1"), Limiter.UNKNOWN)
    assert sweep.summary == "not made: GTX 280 has no L1"
