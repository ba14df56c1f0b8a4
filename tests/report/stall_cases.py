"""An analysis whose launch says why warps waited."""

from __future__ import annotations

from dataclasses import replace

from analysis_cases import FILE, SOURCE, plain_analysis

from mutate.analyzed import Analysis
from mutate.sim.places import Place
from mutate.simulated import LineStalls, Stalls

_LINES = {18: {"long_scoreboard": 0.31, "lg_throttle": 0.02, "selected": 0.01},
          23: {"barrier": 0.24, "wait": 0.01},
          27: {"short_scoreboard": 0.08, "mio_throttle": 0.06, "math_pipe_throttle": 0.02, "not_selected": 0.03,
               "selected": 0.03, "wait": 0.02},
          29: {"long_scoreboard": 0.05, "lg_throttle": 0.09, "dispatch_stall": 0.003},
          17: {"selected": 0.004, "branch_resolving": 0.003}}


def stalls(calibrated: bool = True, played: int = 512_000) -> Stalls:
    texts = SOURCE.splitlines()
    lines = [LineStalls(Place(FILE, n), texts[n - 1].strip(), r) for n, r in _LINES.items()]
    lines += [LineStalls(None, "", {"wait": 0.012}), LineStalls(Place("helper.cuh", 3), "x * x", {"wait": 0.008})]
    lines.sort(key=lambda x: -x.share)
    reasons: dict[str, float] = {}
    for x in lines:
        for name, part in x.reasons.items():
            reasons[name] = reasons.get(name, 0.0) + part
    return Stalls("NVIDIA H200 SXM (141 GB)", calibrated, 61.8, reasons, tuple(lines), played, 512_000.0)


def stalled_analysis() -> Analysis:
    """Measured, and explained by the model."""
    base = plain_analysis()
    (kernel,) = base.kernels
    (launch,) = kernel.launches
    return replace(base, kernels=(replace(kernel, launches=(replace(launch, stalls=stalls()),)),))
