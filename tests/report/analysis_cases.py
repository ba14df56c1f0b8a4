"""Analyses written by hand, with a bit of everything that a report must be able to say."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from mutate.analyzed import Analysis, AnalyzedVariant, AnalyzeRequest, KernelAnalysis, LaunchAnalysis
from mutate.errors import KmutateError
from mutate.frontend.load import load_unit
from mutate.limiter.model import (
    Cause,
    Confidence,
    Facts,
    Finding,
    Interval,
    Limiter,
    Payoff,
    SweepPoint,
    VariantTime,
)
from mutate.machines import load_machine
from mutate.model import (
    AccessPair,
    Certificate,
    DynamicCounts,
    OccupancyPlan,
    Outcome,
    Reason,
    Resources,
    StaticCounts,
    Verdict,
)
from mutate.mutations.base import Refused
from mutate.pipeline.targets import make_targets
from mutate.results import Request, Target, VariantResult
from mutate.sim import layout as lay
from mutate.sim.counters import CacheView, Kind, Totals
from mutate.sim.places import Place
from mutate.simulated import Caches, LaunchCounts, LineCounts
from mutate.source import Span, unified_diff
from mutate.timing import Clocks, Gpu, Roofs, RunOutcome, RunTimes, Session, Settings

DATE = "2026-11-21T12:00:00+00:00"
FILE = "stencil.cu"
SOURCE = """\
// Sums of neighbours, and a copy.  a < b && "quotes" `ticks` | pipes
#include <cuda_runtime.h>

#define RADIUS 4   /* half the
                      width */

/* kmutate launch
   int n = 1 << 24;
   dim3 grid = { n / 256 }, block = { 256 };
   float out[n] = zeros();
   float in[n + 2 * RADIUS] = uniform(0, 1);
   stencil(out, in, n);
*/
__global__ void stencil(float *out, const float *in, int n)
{
    __shared__ float tile[256 + 2 * RADIUS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x + RADIUS] = in[i + RADIUS];
    if (threadIdx.x < RADIUS) {
        tile[threadIdx.x] = in[i];
        tile[threadIdx.x + 256 + RADIUS] = in[i + 256];
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += 0.111f * tile[threadIdx.x + RADIUS + k];
    if (i < n)
        out[i] = sum;
}

/* kmutate launch
   int n = 4096;
   float4 v[n] = ones();
   dim3 grid = { n / 128 }, block = { 128 };
   scale<2>(v, n);
*/
template <int FACTOR> __global__ void scale(float4 *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i].x *= FACTOR;
}

/* kmutate launch
   int n = 32;
   float v[n] = ones();
   dim3 grid = { 1 }, block = { 32 };
   walk(v);
   broken(v);
*/
__global__ void walk(float *v) { v[threadIdx.x] += 1.0f; }
__global__ void broken(float *v) { v[threadIdx.x] = undeclared; }
"""
GPU = Gpu("NVIDIA H200", (9, 0), "580.159.04", 132, "GPU-8a1f", 150_000_000_000, 62_914_560, 1980.0, "13.0")
ROOFS = Roofs(GPU, 3940.0, 4533.0, 4339.0, 51_200.0, 4.19, 2.78, {8: 2100.0, 32: 3700.0, 64: 3940.0},
              measured="2026-11-20T09:30:00+00:00")
TIMES = {"original": 1.068, "identity": 1.069, "memory-only": 0.642, "math-only": 0.357, "no-sync": 0.816,
         "smem-conflict-free": 1.041, "store-only": 0.201}


def rounds(median: float, count: int = 15) -> tuple[float, ...]:
    """Times around a median, the same for every call."""
    return tuple(round(median * (1 + 0.004 * math.sin(2.3 * k)), 6) for k in range(count))


def around(value: float, width: float = 0.003) -> Interval:
    return Interval(value, value * (1 - width), value * (1 + width))


def _gain(name: str) -> Interval:
    return around(TIMES["original"] / TIMES[name], 0.005)


def certificate(verdict: Verdict = Verdict.VALID, *reasons: Reason, removed: Iterable[str] = ()) -> Certificate:
    counts = {"barrier": 1, "fp32.ffma": 9, "global_load.32": 3, "global_store.32": 1, "integer": 12,
              "shared_load.32": 9, "shared_store.32": 3}
    resources = Resources(22, 0, 0, 0, 1056)
    kept = {k: v for k, v in counts.items() if k not in removed}
    return Certificate(
        verdict, reasons, StaticCounts(counts, kept, {"global_store": 1}),
        resources, replace(resources, registers=16),
        OccupancyPlan(8, 8, 8, 256, 0, 4096, 100, 44, "warps"),
        DynamicCounts(64, 65536, {"integer": 6144}, {"integer": 6100},
                      {"global load": AccessPair(4224, 4224, True),
                       "shared store": AccessPair(17408, 0, False, False)}))


def variant(name: str, cert: Certificate | None, timed: bool = True, **time: object) -> AnalyzedVariant:
    after = SOURCE.replace("    __syncthreads();\n", f"    __syncwarp();  // {name}: was a barrier\n")
    result = VariantResult(name, Outcome.OK, certificate=cert, path=Path(f"kmutate-out/stencil.{name}.cu"))
    value = around(TIMES[name]) if timed else None
    entry = VariantTime(name, value, _gain(name) if timed else None, cert.verdict if cert is not None else None,
                        resident_blocks=8, expected_blocks=8)
    return AnalyzedVariant(name, result, cert, replace(entry, **time), after,  # type: ignore[arg-type]
                           unified_diff(SOURCE.encode(), after.encode(), FILE, f"stencil.{name}.cu"))


def variants() -> tuple[AnalyzedVariant, ...]:
    bound = Reason("more-registers", "needs 4 more registers than the original; capped at 32", line=16)
    lost = Reason("accesses-lost", "2 of 4 global stores are gone", Verdict.INVALID)
    info = Reason("loops-rolled", "compared with loops rolled", Verdict.VALID)
    refused = VariantResult("smem-broadcast", Outcome.REFUSED, refusal=Refused(
        "indirect-index", "tile[perm[i]]: the index comes from memory", Span(600, 610), "look at no-sync"))
    failed = VariantResult("memory-only+no-sync", Outcome.COMPILE_FAILED,
                           log="stencil.cu(17): error: identifier \"km_sink\" is undefined\n1 error")
    return (
        variant("identity", certificate()),
        variant("memory-only", certificate(Verdict.VALID, info, removed=("shared_load.32", "barrier"))),
        variant("load-only", certificate(), False, outcome="timeout"),
        variant("store-only", certificate(Verdict.INVALID, lost)),
        variant("math-only", certificate(removed=("global_load.32", "global_store.32"))),
        variant("no-sync", certificate(removed=("barrier",))),
        variant("smem-conflict-free", certificate(Verdict.DEGRADED, bound), resident_blocks=7,
                why=("runs with 7 resident blocks, the original with 8",)),
        AnalyzedVariant("smem-broadcast", refused, None, None),
        AnalyzedVariant("memory-only+no-sync", failed, None, None),
    )


def session() -> Session:
    runs = [RunTimes(n, RunOutcome.OK, rounds(t), resident_blocks=8, registers=22, local_bytes=0)
            for n, t in TIMES.items()]
    runs.insert(3, RunTimes("load-only", RunOutcome.TIMEOUT, message="no sign of life for 30 s"))
    return Session("stencil", GPU, Settings(), tuple(runs), rounds(0.0042, 5), 15, 1, "budget", 10.2,
                   Clocks(1980.0, 1965.0, 3201.0, ("SW power cap",), 54.0), 1)


FACTS = Facts(
    requested_bytes=1.21e9, sector_bytes=1.75e9, moved_bytes=1.69e9, footprint_bytes=8.05e8, floor_bytes=8.05e8,
    instructions=3.6e8, fp32_flops=2.2e9,
    active_lanes=31.2, branches=1e6, divergent_branches=65536, sectors_per_request=4.2, shared_wavefronts=7e6,
    shared_conflicts=1e6, barriers=524288, grid_blocks=65536, resident_blocks=8, warps_per_block=8, most_warps=64,
    occupancy_limiter="warps", sm_count=132, peak_gbs=4800.0, copy_gbs=3940.0, copy_gbs_here=3910.0,
    fp32_gflops=51_200.0, balance=8.49, launch_overhead_ms=0.0042, clock_mhz=1980.0, issue_rate=528.0,
    sources={"requested_bytes": "simulated", "moved_bytes": "simulated", "floor_bytes": "simulated",
             "instructions": "simulated", "fp32_flops": "simulated", "peak_gbs": "published", "copy_gbs": "measured",
             "copy_gbs_here": "measured", "fp32_gflops": "measured", "balance": "measured"})

BARRIERS = Payoff("barriers", _gain("no-sync"), "no-sync", "results are wrong without them: a bound, no cure")
TRAFFIC = Payoff("all but the memory traffic", _gain("memory-only"), "memory-only")
OCCUPANCY = Payoff("more resident warps", Interval(1.04, 0.99, 1.09), "a padding sweep", kind="estimated")
FINDING = Finding(
    Limiter.LATENCY, Confidence.HIGH, "the kernel takes clearly longer than either of its halves: they wait for each "
    "other. Memory-only takes 60 % of the time, math-only 33 %.",
    ("T_mem + T_math is 94 % of T_full: nothing overlaps", "without barriers the kernel takes 0.816 ms, 24 % less"),
    ("smem-conflict-free is DEGRADED: it runs with 7 resident blocks instead of 8",),
    "let loads of the next tile begin before the barrier of this one", around(1.068), around(0.642), around(0.357),
    Interval(-0.193, -0.21, -0.17), around(0.426), "math", 0.997,
    (Cause("barriers", "threads wait at barriers", ("1 barrier for each 256 outputs; 524,288 in all",),
           "two tiles in shared memory need one barrier instead of two", BARRIERS, 0.24),
     Cause("bank-conflicts", "bank conflicts", ("14 % of the shared wavefronts are conflicts",),
           "pad the rows of the tile", Payoff("bank conflicts", _gain("smem-conflict-free"), "smem-conflict-free"),
           0.03)),
    (BARRIERS, TRAFFIC, OCCUPANCY))


def counts(launch: object, lines: bool = True) -> LaunchCounts:
    """What a simulation of the stencil might have counted: one instruction a source line."""
    numbers = [17, 18, 20, 21, 23, 27, 28, 29]
    kinds = [Kind("integer", None, False, False, False), Kind("global_load.32", "load", False, False, False),
             Kind("global_load.32", "load", False, False, False), Kind("global_load.32", "load", False, False, False),
             Kind("barrier", None, False, True, False), Kind("shared_load.32", "load", False, False, False),
             Kind("control", None, True, False, False), Kind("global_store.32", "store", False, False, False)]
    table = np.zeros((len(kinds), lay.COUNTERS), np.int64)
    table[:, lay.EXECUTED] = [5120, 1024, 512, 512, 512, 9216, 600, 512]
    table[:, lay.THREADS] = 32 * table[:, lay.EXECUTED]
    table[:, lay.THREADS_ON] = table[:, lay.THREADS]
    table[2:4, lay.THREADS_ON] //= 8
    for row in (1, 2, 3, 7):
        table[row, lay.REQUESTS] = table[row, lay.EXECUTED]
        table[row, lay.SECTORS] = 4 * table[row, lay.EXECUTED]
        table[row, lay.BYTES] = 128 * table[row, lay.EXECUTED]
    table[5, lay.SHARED_REQUESTS] = 9216
    table[5, lay.WAVEFRONTS], table[5, lay.IDEAL] = 10000, 9216
    totals = Totals(kinds, table, CacheView(True, True))
    texts = SOURCE.splitlines()
    by_line = tuple(LineCounts(Place(FILE, n), texts[n - 1].strip(), totals.part([k]))
                    for k, n in enumerate(numbers))
    by_line += (LineCounts(None, "", totals.part([0])), LineCounts(Place("helper.cuh", 3), "x * x", totals.part([4])))
    return LaunchCounts(launch, tuple(range(0, 65536, 1024)), 65536, totals,  # type: ignore[arg-type]
                        Caches(200 << 10, 60 << 20, 8), by_line if lines else ())


def targets(source: str = SOURCE, name: str = FILE) -> list[Target]:
    unit = load_unit(source.encode(), name)
    return make_targets(unit, unit.kernels, Request(Path(name)), [])


def measured(target: Target) -> KernelAnalysis:
    """Everything is known of it."""
    (launch,) = target.launches
    sweep = tuple(SweepPoint(f"{b} blocks", b, around(t), note) for b, t, note in (
        (2, 2.31, ""), (4, 1.392, ""), (6, 1.131, ""), (8, 1.068, "as launched")))
    grids = (SweepPoint("1x", 1, around(1.068)), SweepPoint("4x", 4, around(4.19)))
    return KernelAnalysis(target, (LaunchAnalysis(
        launch, FINDING, FACTS, variants(), session(), noise=Interval(1.0009, 0.998, 1.003), counts=counts(launch),
        occupancy=sweep, grids=grids, registers=22, static_smem=1056, spills=0),))


def untimed(target: Target) -> KernelAnalysis:
    """The simulator counted, and nothing gave a time."""
    (launch,) = target.launches
    finding = Finding(Limiter.UNKNOWN, Confidence.LOW, "there are no times to read a limiter off.",
                      next_step="run it on a machine with a GPU: kmutate analyze stencil.cu --backend gpu", support=0.0)
    named = tuple(AnalyzedVariant(n, VariantResult(n, Outcome.OK, certificate=certificate()), certificate(),
                                  VariantTime(n, None, None, Verdict.VALID, "not-timed"))
                  for n in ("memory-only", "math-only"))
    facts = replace(FACTS, fp32_flops=None)
    return KernelAnalysis(target, (LaunchAnalysis(
        launch, finding, facts, named, untimed="the simulator has no timing model yet", registers=12, static_smem=0,
        counts=counts(launch, False)),))


def extreme(target: Target) -> KernelAnalysis:
    """Huge and tiny numbers, no counters, no overlap, intervals as wide as the value."""
    (launch,) = target.launches
    finding = Finding(
        Limiter.INCONCLUSIVE, Confidence.LOW, "the intervals allow memory-bound and latency-bound.", (),
        ("A/A differs by 12 %",), "measure longer: --budget 60", Interval(1.5e9, 1e3, 2.9e9), Interval(9e8, 1, 1.8e9),
        Interval(6e8, 0.0, 1.2e9), Interval(0.0, -4.0, 4.0), Interval(6e8, -1e9, 2e9), "math", 0.51,
        payoffs=(Payoff("everything", Interval(math.inf, 1.0, math.inf), "an empty kernel", kind="estimated"),))
    named = (AnalyzedVariant("memory-only", VariantResult("memory-only", Outcome.OK), None,
                             VariantTime("memory-only", Interval(9e8, 1, 1.8e9), Interval(1.67, 0.01, 1e6))),)
    small = replace(session(), runs=(RunTimes("original", RunOutcome.OK, (1.5e9,) * 3),
                                     RunTimes("memory-only", RunOutcome.OK, (9e8, math.nan, 9e8))),
                    clocks=Clocks(), restarts=0, stopped="interrupted", overhead_ms=())
    return KernelAnalysis(target, (LaunchAnalysis(
        launch, finding, Facts(requested_bytes=1e30, moved_bytes=float("inf"), peak_gbs=4800.0), named, small,
        counts_error=KmutateError("budget-spent", "200,000,000 warp instructions were not enough",
                                  hint="--budget N")),))


def full_analysis() -> Analysis:
    """All kinds of kernels at once; interrupted."""
    stencil, scale, walk, broken = targets()
    error = KmutateError("kernel-does-not-compile", 'identifier "undeclared" is undefined', where=f"{FILE}:50:53",
                         hint="mend the kernel")
    return Analysis(
        AnalyzeRequest(Request(Path(FILE), defines=("N=3",), settings={"n": "4096"})), "gpu",
        (measured(stencil), untimed(scale), extreme(walk), KernelAnalysis(broken, error=error)), load_machine("h200"),
        ROOFS, SOURCE, {"compile": 1.25, "measure": 21.75}, ("nothing pins the clocks",), True)


def plain_analysis() -> Analysis:
    """One kernel, measured; nothing went wrong."""
    return Analysis(AnalyzeRequest(Request(Path(FILE))), "gpu", (measured(targets()[0]),), load_machine("h200"), ROOFS,
                    SOURCE, {"measure": 10.5})


def classified() -> tuple[Finding, Facts]:
    """The numbers of "Analysis-Driven Optimization", slide 18, as ``kmutate classify`` is given them."""
    finding = Finding(
        Limiter.MEMORY, Confidence.MEDIUM, "memory-only takes 94 % of the time, math-only 46 %.",
        ("2.12 ms (13 % of math) are exposed",), ("54 % of the peak bandwidth: latency may matter too",),
        "reduce what is moved", Interval.exact(35.39), Interval.exact(33.27), Interval.exact(16.25),
        Interval.exact(0.87), Interval.exact(2.12), "math")
    facts = Facts(requested_bytes=2.19e9, peak_gbs=114.0, sources={"requested_bytes": "given", "peak_gbs": "given"})
    return finding, facts


def simulated_analysis() -> Analysis:
    """No GPU: counters only."""
    return Analysis(AnalyzeRequest(Request(Path(FILE)), "sim", "h200"), "sim", (untimed(targets()[1]),),
                    load_machine("h200"), None, SOURCE, {"simulate": 2.0})


EVIL = "</script></style><img src=x onerror=alert(1)>\"'`|]]>{{ 7*7 }}{% raw %}\x1b[31m\udcff\u202e"


def hostile_analysis() -> Analysis:
    """Every text that a user, a compiler or a driver could bring holds markup."""
    base = plain_analysis()
    (kernel,) = base.kernels
    (launch,) = kernel.launches
    target = replace(kernel.target, kernel=replace(kernel.target.kernel, qualified=EVIL), instance=EVIL)
    bad = certificate(Verdict.DEGRADED, Reason(EVIL, EVIL))
    evil = tuple(
        replace(v, name=EVIL, certificate=bad if v.certificate is not None else None,
                result=replace(v.result, mutation=EVIL, log=EVIL, refusal=Refused(EVIL, EVIL, None, EVIL)
                               if v.result.refusal is not None else None),
                time=replace(v.time, name=EVIL, why=(EVIL,)) if v.time is not None else None,
                diff=f"--- {EVIL}\n+++ {EVIL}\n@@ -1 +1 @@\n-{EVIL}\n+{EVIL}\n", source=EVIL)
        for v in launch.variants)
    payoff = Payoff(EVIL, around(1.2), EVIL, EVIL, EVIL)
    finding = replace(launch.finding, summary=EVIL, evidence=(EVIL,), against=(EVIL,), next_step=EVIL,
                      causes=(Cause(EVIL, EVIL, (EVIL,), EVIL, payoff),), payoffs=(payoff,))
    gpu = replace(GPU, name=EVIL, driver=EVIL)
    assert launch.counts is not None
    lines = tuple(replace(x, text=EVIL, place=Place(EVIL, 1) if x.place is None else x.place)
                  for x in launch.counts.lines)
    hostile = replace(
        launch, finding=finding, variants=evil, untimed=EVIL,
        session=replace(session(), gpu=gpu, stopped=EVIL, clocks=Clocks(throttle=(EVIL,))),
        counts=replace(launch.counts, lines=lines),
        facts=replace(FACTS, occupancy_limiter=EVIL, sources=dict.fromkeys(FACTS.sources, EVIL)),
        occupancy=tuple(replace(p, setting=EVIL, note=EVIL) for p in launch.occupancy))
    assert base.machine is not None
    source = replace(base.request.source, path=Path(EVIL.replace("/", "∕")), defines=(EVIL,))
    return replace(base, request=replace(base.request, source=source), source=SOURCE + EVIL + "\n",
                   kernels=(replace(kernel, target=target, launches=(hostile,)),
                            KernelAnalysis(target, error=KmutateError(EVIL, EVIL, where=EVIL, hint=EVIL))),
                   machine=replace(base.machine, title=EVIL), roofs=replace(ROOFS, gpu=gpu, measured=EVIL),
                   warnings=(EVIL,))
