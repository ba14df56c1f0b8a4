"""Times of a plan by the model: the original and its variants, where no GPU measures them."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mutate.errors import KmutateError, defect
from mutate.limiter.stats import ModelErrors, Samples, from_model
from mutate.machines import Machine
from mutate.results import Progress
from mutate.sass.disasm import Listing
from mutate.timing import IDENTITY, ORIGINAL, Plan, Run

if TYPE_CHECKING:
    from mutate.sim.timing.model import SimulatedTime

_AT_ONCE = 4
"""Runs that are simulated at once, at most: each takes some hundred megabytes."""


@dataclass(frozen=True)
class Predictions:
    """What the model says of the runs of a plan, by name; ``errors``: why a run has no time; ``hint``: what to do next

    where the original has none.
    """

    times: Mapping[str, SimulatedTime] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    interrupted: bool = False
    hint: str = ""

    @property
    def overhead_ms(self) -> float | None:
        first = self.times.get(ORIGINAL)
        return first.overhead_ms if first is not None else None

    def samples(self) -> Samples | None:
        """Times with the errors that the model is known to have; ``None`` where the original has no time."""
        from mutate.sim.timing.accuracy import errors

        if ORIGINAL not in self.times:
            return None
        original = self.times[ORIGINAL]
        # Blocks that are unlike the sampled ones are so in every variant; what was not played is each one's own.
        doubts = {n: t.rest if n != ORIGINAL else math.hypot(t.uneven or 0.0, t.rest) for n, t in self.times.items()}
        return from_model({n: t.time_ms for n, t in self.times.items()}, ORIGINAL, ModelErrors(**errors()),
                          {n for n, t in self.times.items() if t is original}, doubts)


def predict_plan(plan: Plan, listings: Mapping[str, Listing], machine: Machine, carveout_kb: int | None, l2: str,
                 progress: Progress, full: bool = False) -> Predictions:
    """The time of each run whose listing is there; ``full``: by every SM's whole turn instead of a sample.

    What the model cannot time is said, and nothing raised; Ctrl-C leaves what was known by then.
    """
    from mutate.sim.at_once import at_once
    from mutate.sim.image import read_image
    from mutate.sim.timing.full import predict_all
    from mutate.sim.timing.model import Kernel, predict

    compiling = announce_model(progress)
    times: dict[str, SimulatedTime] = {}
    errors: dict[str, str] = {}
    hint = ""
    interrupted = False
    original = next((r for r in plan.runs if r.name == ORIGINAL and r.name in listings), None)

    def as_whom(run: Run) -> str:
        """Whose time it has: the identity's is the original's where they are the same code."""
        same = original is not None and run.name == IDENTITY and run.cubin == original.cubin
        return ORIGINAL if same else run.name

    runs = [r for r in plan.runs if r.name in listings and as_whom(r) == r.name]

    def of(number: int) -> tuple[SimulatedTime, bool]:
        run = runs[number]
        kernel = Kernel(read_image(run.cubin, run.entry), listings[run.name])
        extra = run.dynamic_smem - plan.launch.smem
        if full:
            return predict_all(kernel, plan.launch, machine, _named(progress, run.name, number, len(runs)),
                               extra_smem=extra, carveout_kb=carveout_kb)
        return predict(kernel, plan.launch, machine, extra_smem=extra, carveout_kb=carveout_kb), False

    work: list[Callable[[], tuple[SimulatedTime, bool]]] = [functools.partial(of, k) for k in range(len(runs))]
    # All SMs' turns take as much memory as there is to be taken, one run at a time.
    with contextlib.nullcontext(work) if full else at_once(work, _AT_ONCE) as waits:
        for number, (run, wait) in enumerate(zip(runs, waits, strict=True)):
            if number or not compiling:  # the first run is what compiles it: the line goes on saying so
                progress("simulating times", number, len(runs))
            try:
                times[run.name], interrupted = wait()
            except KeyboardInterrupt:
                interrupted = True
            except KmutateError as error:
                errors[run.name] = error.what
                if run.name == ORIGINAL:
                    hint = error.hint or ""
                    break
            except Exception as fault:  # one kernel's, which the others' results should not be lost for
                errors[run.name] = defect("the model of time", fault)
                if run.name == ORIGINAL:
                    hint = "please report it, with the kernel"
                    break
            if interrupted:
                break
    times = {r.name: times[as_whom(r)] for r in plan.runs if r.name in listings and as_whom(r) in times}
    return Predictions(times, errors, _remarks(times, machine, l2), interrupted, hint)


def announce_model(progress: Progress) -> bool:
    """Says that the model is about to be compiled; false, and nothing said, where that was done before."""
    from mutate.sim.timing.folder import FOLDER

    if any(FOLDER.glob("**/*.nbi")):
        return False
    progress("compiling the model of time, once, about half a minute", 0, 0)
    return True


def _named(progress: Progress, name: str, number: int, count: int) -> Progress:
    return lambda what, done, total: progress(f"simulating {name} ({number + 1} of {count}), {what}", done, total)


def _remarks(times: Mapping[str, SimulatedTime], machine: Machine, l2: str) -> tuple[str, ...]:
    from mutate.sim.timing.accuracy import JUDGED, words

    if not times:
        return ()
    out = [f"times are simulated: {words()}"]
    if machine.projection:
        out.append(f"{machine.title} is a projection, {machine.arch} code by older rules: docs/seeds.md compares it "
                   "with what lectures of its time measured")
    elif machine.name not in JUDGED:
        out.append(f"on {machine.title} the model was never compared with measured times")
    if l2 == "warm":
        out.append("the model begins with a cold L2")
    return tuple(out)
