"""Three machines side by side: one with everything, one without times, one that could not be tried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from analysis_cases import EVIL, FILE, hostile_analysis, plain_analysis
from stall_cases import stalls

from mutate.analyzed import AnalyzeRequest, Compared, Comparison
from mutate.errors import KmutateError
from mutate.limiter.model import Confidence, Finding, Limiter, VariantTime
from mutate.machines import load_machine
from mutate.results import Request
from mutate.simulated import Played


def comparison() -> Comparison:
    base = plain_analysis()
    (kernel,) = base.kernels
    (launch,) = kernel.launches
    played = Played(9, 65536, 497, 1, 132, 1_000_000, 5_120_000.0, "dram", 0.93)
    timed = replace(launch, session=None, played=played, stalls=stalls())
    request = AnalyzeRequest(Request(Path(FILE)), "sim", "h200,a100,t4")
    first = replace(base, backend="sim", kernels=(replace(kernel, launches=(timed,)),), roofs=None,
                    warnings=("the same everywhere",))
    unknown = Finding(Limiter.UNKNOWN, Confidence.LOW, "there are no times to read a limiter off.", support=0.0)
    variants = tuple(replace(v, time=VariantTime(v.name, None, None, outcome="not-timed")
                             if v.time is not None else None) for v in launch.variants)
    untimed = replace(launch, session=None, finding=unknown, variants=variants, registers=40, spills=24,
                      untimed="the machine a100 has no latency.dram, which times need")
    second = replace(base, backend="sim", kernels=(replace(kernel, launches=(untimed,)),), roofs=None,
                     warnings=("the same everywhere", "only here"))
    h200, a100, t4 = (replace(load_machine(n), calibrated=n == "h200") for n in ("h200", "a100", "t4"))
    return Comparison(request, (
        Compared(h200, "sm_90", first), Compared(a100, "sm_80", second),
        Compared(t4, "sm_75", error=KmutateError("kernel-does-not-compile", "needs sm_80 or above"))),
        ("the same everywhere",))


def hostile_comparison() -> Comparison:
    bad = replace(hostile_analysis(), backend="sim")
    assert bad.machine is not None
    return Comparison(bad.request, (Compared(replace(bad.machine, name=EVIL), EVIL, bad),
                                    Compared(bad.machine, EVIL, error=KmutateError(EVIL, EVIL))), (EVIL,), True)
