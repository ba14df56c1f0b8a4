"""Sweeps written by hand, with their verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from analysis_cases import full_analysis

from mutate.analyzed import Analysis
from mutate.limiter.model import Interval, Limiter
from mutate.pipeline.sweep_verdict import judged
from mutate.sweeps import Sweep, SweepRun, SweepSetting, Traffic


def _times(value: float | None, now: float, noise: float) -> tuple[Interval | None, Interval | None]:
    if value is None:
        return None, None
    return (Interval(value, value * (1 - noise), value * (1 + noise)),
            Interval(now / value, now / value * (1 - noise), now / value * (1 + noise)))


def _run(kernel: str, value: float | None, now: float, *, noise: float = 0.0, blocks: int = 4, registers: int = 40,
         spills: int = 0, pad: int = 0, traffic: Traffic | None = None) -> SweepRun:
    time, gain = _times(value, now, noise)
    return SweepRun(kernel, time, gain, "" if time is not None else "it took too long", blocks, 8 * blocks,
                    8 * blocks / 64, "registers", registers, spills, spills // 4, 2048 + pad, pad, traffic)


def cache_measured() -> Sweep:
    """Four settings, one of which failed, on a GPU."""

    def settings() -> Iterable[SweepSetting]:
        for group, rate, times in (("ca", 0.25, (1.2345, 1.3)), ("cg", 0.0, (0.9, None))):
            for l1, time in zip((224, 28), times, strict=True):
                traffic = Traffic(6, 32, 4e6 if rate else 0, rate * 4e6, 0, 0, 4e6 * (1 - rate), 1e6, 0, 1e8, 0)
                how = (*(["nvcc -Xptxas -dlcm=cg"] if group == "cg" else []),
                       *(["cudaFuncSetAttribute(k<4>, cudaFuncAttributePreferredSharedMemoryCarveout, 100);"]
                         if l1 == 28 else []))
                yield SweepSetting(f"{group}, {l1} KB L1", l1, (
                    _run("original", time, 1.2345, noise=0.004, traffic=traffic),
                    _run("memory-only", time and 0.8 * time, 0.9876, noise=0.004, pad=1024, traffic=traffic)),
                    group, how, group == "ca" and l1 == 224, 256 - l1, l1)

    sweep = Sweep("cache", tuple(settings()), "measured", "NVIDIA H200", 62, notes=(
        "with cg 2 of 4 global loads still look into L1: read-only ones (const __restrict__, __ldg)",))
    return judged(sweep, Limiter.MEMORY)


def occupancy_simulated() -> Sweep:
    times = (4.0, 2.0, 1.4, 1.1, 1.02, 1.01, 1.005, 1.0)
    settings = tuple(SweepSetting(f"{n} block{'s' if n > 1 else ''}", n, tuple(
        _run(kernel, part * time, part, blocks=n, pad=1000 * (8 - n))
        for kernel, part in (("original", 1.0), ("memory-only", 0.7), ("math-only", 0.4))), "",
        (f"{1000 * (8 - n):,} more bytes of dynamic shared memory at launch",) if n < 8 else (), n == 8, 32)
        for n, time in enumerate(times, 1))
    return judged(Sweep("occupancy", settings, "simulated", "NVIDIA H100 SXM (80 GB)", 500), Limiter.LATENCY)


def registers_untimed() -> Sweep:
    def traffic(local: float) -> Traffic:
        return Traffic(4, 128, 1e6, 1e5, 1e5 if local else 0, 1e4 if local else 0, 4e7 + local, 1e7, local, 2e8,
                       0.05 * local)

    settings = (SweepSetting("as it is", 56, (_run("original", None, 1.0, registers=56, blocks=2,
                                                   traffic=traffic(0)),), current=True),
                SweepSetting("cap 32", 32, (_run("original", None, 1.0, registers=32, blocks=4, spills=132,
                                                 traffic=traffic(3e7)),),
                             how=("nvcc -maxrregcount=32; or for this kernel alone __launch_bounds__(256, 4)",),
                             cap=32))
    return judged(Sweep("registers", settings, "", "NVIDIA Tesla C2050 (Fermi, 3 GB)", 12,
                        "the machine c2050 has no | latency.l2, which `times` need"), Limiter.UNKNOWN)


def no_l1() -> Sweep:
    return judged(Sweep("cache", untimed="GTX 280 has no L1", uncounted="GTX 280 has no L1"), Limiter.UNKNOWN)


def with_sweeps(analysis: Analysis, *sweeps: Sweep) -> Analysis:
    """The analysis with sweeps at its first launch."""
    (first, *kernels) = analysis.kernels
    (launch, *launches) = first.launches
    return replace(analysis, kernels=(replace(first, launches=(replace(launch, sweeps=sweeps), *launches)), *kernels))


def swept_analysis() -> Analysis:
    """The analysis with a bit of everything, and all kinds of sweeps."""
    return with_sweeps(full_analysis(), cache_measured(), occupancy_simulated(), registers_untimed(), no_l1())
