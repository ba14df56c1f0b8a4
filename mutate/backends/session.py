"""One plan measured: arrays, trials, a warm-up, then rounds until the medians are known well enough.

This side decides; the measuring process does one thing after the other. When it is lost, another one goes on with the
runs that are not to blame.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mutate.backends.arguments import ArgumentsError, contents, device_arrays, parameter_block, symbols
from mutate.backends.process import Child, FaultError
from mutate.backends.rounds import half_width, order
from mutate.backends.tools import fill_kernels, tool_cubin
from mutate.backends.work import EMPTY
from mutate.launch.files import DataFileError
from mutate.launch.fills import fill_rule
from mutate.launch.model import ArrayDecl
from mutate.occupancy import KernelResources, device_for, driver_carveout, known_capabilities, resident_blocks
from mutate.sim.image import Image, read_image
from mutate.timing import Clocks, Gpu, Plan, Run, RunOutcome, RunTimes, Session, Settings
from mutate.toolchain.cache import digest
from mutate.toolchain.elf import BadCubinError

Progress = Callable[[str, int, int], None]
# Clocks rise from idle within some tenths of a second of work; a GPU that was busy within the last second needs less.
_WARM_UP_SECONDS, _WARM_SECONDS, _STAYS_WARM = 0.3, 0.05, 1.0
_LEAST_WARM_UP, _MOST_WARM_UP = 2, 100
# The share of the budget that warming up may take.
_WARM_UP_SHARE = 0.2
# With a warm L2, launches shorter than this are timed in batches that take at least so long, in ms.
_SHORT_MS, _BATCH_MS, _MOST_IN_BATCH = 0.020, 0.100, 200
# The medians are looked at after every so many rounds.
_LOOK_EVERY = 5
# Seconds between two looks at the clocks, which cost about a millisecond.
_CLOCKS_EVERY = 0.5
# A run is given up when the process died this often while it was launched; anything may happen once.
_MOST_DEATHS = 2


@dataclass
class _State:
    """What is known of one run so far."""

    run: Run
    outcome: RunOutcome | None = None
    message: str = ""
    tried: bool = False
    deaths: int = 0
    said: dict[str, int] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        return self.outcome is None


def _batch(ms: float) -> int:
    """How many launches of so many ms are timed together."""
    if not 0 < ms < _SHORT_MS:
        return 1
    return min(_MOST_IN_BATCH, -(-int(_BATCH_MS * 1e6) // max(1, int(ms * 1e6))))


class Measurement:
    """Measures one plan. ``hire`` gives a process that measures, and is asked again when one is lost."""

    def __init__(self, plan: Plan, settings: Settings, hire: Callable[[], Child], progress: Progress) -> None:
        self._plan, self._settings, self._hire, self._progress = plan, settings, hire, progress
        self._states = [_State(r) for r in plan.runs]
        self._images: dict[int, Image] = {}
        self._rounds: list[dict[int, float]] = []
        self._child: Child | None = None
        self._ready = False
        self._gpu: Gpu | None = None
        self._spent = 0.0
        self._batches: dict[int, int] = {}
        self._restarts = 0
        self._stopped = "target"
        self._started = time.monotonic()
        self._sm_mhz: list[float] = []
        self._clock_facts: dict[str, Any] = {}
        self._throttle: dict[str, None] = {}
        self._clocks_at = 0.0

    def measure(self) -> Session:
        """Never raises for what a kernel does. Raises ``KmutateError`` when nothing can be measured here, and

        ``KeyboardInterrupt`` when that comes before the GPU is known; later it ends the session.
        """
        try:
            while True:
                try:
                    self._go()
                    break
                except FaultError as fault:
                    self._blame(fault)
        except KeyboardInterrupt:
            self._drop()
            if self._gpu is None:
                raise
            self._stopped = "interrupted"
        except BaseException:
            self._drop()
            raise
        return self._session()

    @property
    def child(self) -> Child | None:
        """The process at the end, for the next plan; ``None`` when it is gone."""
        return self._child

    # --- the stages ---

    def _go(self) -> None:
        if not self._alive():
            return
        self.prepare()
        self._try_out()
        if self._alive():
            self._warm_up()
            self._take_rounds()
        self._ask({"do": "end"})

    def _alive(self) -> list[int]:
        return [i for i, s in enumerate(self._states) if s.alive]

    def prepare(self) -> None:
        """A process with the plan's arrays in it and the runs loaded."""
        if self._child is None:
            self._child = self._hire()
            self._ready = False
        if self._ready:
            return
        what = f"{self._plan.name}: preparing the GPU"
        self._progress(what, 0, 0)
        self._gpu = self._child.start()
        self._ask({"do": "tools"}, tool_cubin(self._gpu.capability))
        launch = self._plan.launch
        arrays = device_arrays(launch)
        restored = set(self._plan.written) if self._plan.in_place else set()
        answer, _ = self._ask({"do": "begin", "l2": self._settings.l2,
                               "arrays": [(a.name, a.nbytes, a.name in restored) for a in arrays]})
        try:
            self._fill(arrays, answer["addresses"])
        except DataFileError as error:
            self._end_all(RunOutcome.LAUNCH_FAILED, str(error))
            return
        for number in self._alive():
            self._load(number, answer["addresses"])
        self._ready = True

    def _fill(self, arrays: Sequence[ArrayDecl], addresses: dict[str, int]) -> None:
        assert self._gpu is not None
        rules = {a.name: rule for a in arrays if (rule := fill_rule(a)) is not None}
        kernels = fill_kernels(self._gpu.capability, rules.values())
        sent = set()
        for number, array in enumerate(arrays):
            self._progress(f"{self._plan.name}: filling arrays", number, len(arrays))
            rule = rules.get(array.name)
            if rule is not None:
                kernel = kernels[rule.element, rule.functor]
                image = read_image(kernel.cubin, kernel.entry)
                block = bytearray(max(offset + size for offset, size in image.parameters))
                values = (addresses[array.name].to_bytes(8, "little"), rule.count.to_bytes(8, "little"), rule.packed)
                for (offset, size), value in zip(image.parameters, values, strict=True):
                    block[offset : offset + size] = value[:size]
                key = digest(kernel.cubin)
                self._ask({"do": "fill", "array": array.name, "cubin": key, "entry": kernel.entry,
                           "count": rule.count, "parameters": block.hex()}, b"" if key in sent else kernel.cubin)
                sent.add(key)
                continue
            self._ask({"do": "zero", "array": array.name})
            if array.init.kind != "zeros":
                for offset, data in contents(array):
                    self._ask({"do": "upload", "array": array.name, "offset": offset}, data)
        self._ask({"do": "filled"})

    def _load(self, number: int, addresses: dict[str, int]) -> None:
        state, launch = self._states[number], self._plan.launch
        run = state.run
        try:
            if number not in self._images:
                self._images[number] = read_image(run.cubin, run.entry)
            image = self._images[number]
            block = parameter_block(image, launch, addresses)
        except (BadCubinError, ArgumentsError) as error:
            state.outcome, state.message = RunOutcome.LAUNCH_FAILED, str(error)
            return
        message = {"do": "load", "run": number, "entry": run.entry, "grid": run.grid or launch.grid,
                   "block": launch.block, "smem": run.dynamic_smem, "carveout": run.carveout_percent,
                   "parameters": block.hex(), "symbols": symbols(image, launch)}
        try:
            state.said, _ = self._ask(message, run.cubin)
        except FaultError as fault:
            if fault.lost:
                fault.run = number
                raise
            state.outcome, state.message = fault.outcome, fault.message

    def _try_out(self) -> None:
        """Each run once, guarded: what fails is found here."""
        for done, number in enumerate(self._alive()):
            state = self._states[number]
            if state.tried:
                continue
            if self._spent > self._settings.budget and any(s.tried and s.alive for s in self._states):
                for late in self._states:
                    if late.alive and not late.tried:
                        late.outcome, late.message = RunOutcome.SKIPPED, "the time budget was spent before its turn"
                return
            self._progress(f"{self._plan.name}: trying {state.run.name}", done, len(self._states))
            try:
                self._ask({"do": "try", "run": number}, limit=self._settings.limit)
            except FaultError as fault:
                if fault.lost:
                    raise
                state.outcome, state.message = fault.outcome, fault.message
            state.tried = True

    def _warm_up(self) -> None:
        """Untimed rounds, which also tell how short the launches are."""
        assert self._child is not None
        start = time.monotonic()
        last: dict[int, float] | None = None
        wanted = _WARM_SECONDS if start - self._child.busy_at < _STAYS_WARM else _WARM_UP_SECONDS
        budget = min(wanted, _WARM_UP_SHARE * self._settings.budget)
        for number in range(_MOST_WARM_UP):
            last = self._round(-number - 1)
            if last is None or self._spent > self._settings.budget:
                break
            elapsed = time.monotonic() - start
            if elapsed > budget and (number + 1 >= _LEAST_WARM_UP or elapsed > _WARM_UP_SHARE * self._settings.budget):
                break
        if self._settings.l2 == "warm" and last and not self._rounds:
            self._batches = {n: _batch(ms) for n, ms in last.items() if n != EMPTY}
            self._batches[EMPTY] = self._batches[min(self._batches)] if self._batches else 1
        self._look_at_clocks()

    def _take_rounds(self) -> None:
        settings = self._settings
        while self._alive():
            if len(self._rounds) >= settings.most_rounds:
                self._stopped = "rounds"
                return
            self._progress(f"{self._plan.name}: timing", len(self._rounds), settings.most_rounds)
            times = self._round(len(self._rounds))
            if times is None:
                continue
            self._rounds.append(times)
            count = len(self._rounds)
            if time.monotonic() - self._clocks_at > _CLOCKS_EVERY:
                self._look_at_clocks()
            # Exactly at the least number, and every few rounds after it: looking after each one favours lucky moments.
            looks = count >= settings.least_rounds and (count - settings.least_rounds) % _LOOK_EVERY == 0
            if looks and all(half_width(self._times(n)) <= settings.target for n in self._alive()):
                self._stopped = "target"
                break
            if self._spent > settings.budget:
                self._stopped = "budget"
                break
        self._look_at_clocks()

    def _round(self, number: int) -> dict[int, float] | None:
        """The time of each run, in ms; ``None`` where one was refused and the round has to be made again."""
        numbers = order([*self._alive(), EMPTY], number)
        try:
            answer, _ = self._ask({"do": "round", "order": [(n, self._batches.get(n, 1)) for n in numbers]},
                                  limit=self._settings.limit)
        except FaultError as fault:
            if fault.lost or fault.run is None or fault.run == EMPTY:
                raise
            state = self._states[fault.run]
            state.outcome, state.message = fault.outcome, fault.message
            return None
        return dict(zip(numbers, answer["times"], strict=True))

    # --- faults ---

    def _blame(self, fault: FaultError) -> None:
        """Notes whose fault it was. After it, another process goes on with the rest."""
        number = fault.run
        if number is not None and 0 <= number < len(self._states):
            state = self._states[number]
            state.deaths += 1
            if not fault.died or state.deaths >= _MOST_DEATHS:
                state.outcome, state.message = fault.outcome, fault.message
        elif fault.outcome is RunOutcome.OUT_OF_MEMORY and fault.asked:
            self._end_all(RunOutcome.OUT_OF_MEMORY, f"the arrays need {fault.asked / 1e9:,.2f} GB, "
                          f"{fault.free / 1e9:,.2f} GB are free on the GPU")
        elif not fault.died or self._restarts >= len(self._states) + _MOST_DEATHS:
            # No run is to blame, so no run can be left out: it would go on like this.
            self._end_all(fault.outcome, fault.message)
        if fault.lost:
            self._drop()
            if self._alive():
                self._restarts += 1

    def _end_all(self, outcome: RunOutcome, message: str) -> None:
        for state in self._states:
            if state.alive:
                state.outcome, state.message = outcome, message

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
        self._child, self._ready = None, False

    # --- small things ---

    def _ask(self, message: dict[str, Any], data: bytes = b"", limit: float | None = None
             ) -> tuple[dict[str, Any], bytes]:
        assert self._child is not None
        start = time.monotonic()
        answer = self._child.ask(message, data, limit=limit)
        if limit is not None:
            self._spent += time.monotonic() - start
        return answer

    def _look_at_clocks(self) -> None:
        """Between two rounds, when the GPU has just been busy: an idle one lowers its clocks."""
        assert self._child is not None
        self._clocks_at = self._child.busy_at = time.monotonic()
        facts, _ = self._ask({"do": "clocks"})
        if "sm_mhz" in facts:
            self._sm_mhz.append(float(facts["sm_mhz"]))
        self._throttle.update(dict.fromkeys(facts.get("throttle", ())))
        self._clock_facts.update(facts)

    def _times(self, number: int) -> list[float]:
        return [r[number] for r in self._rounds]

    def _session(self) -> Session:
        assert self._gpu is not None
        runs = []
        for number, state in enumerate(self._states):
            outcome: RunOutcome | None = state.outcome
            times: tuple[float, ...] = ()
            if outcome is None:
                outcome, times = RunOutcome.OK, tuple(self._times(number))
                if not times:
                    outcome, state.message = RunOutcome.SKIPPED, f"the session ended before its turn ({self._stopped})"
            runs.append(RunTimes(state.run.name, outcome, times, state.message or self._doubt(number),
                                 self._resident(number), state.said.get("registers"),
                                 state.said.get("local_bytes"), self._batches.get(number, 1)))
        facts = self._clock_facts
        clocks = Clocks(self._sm_mhz[0] if self._sm_mhz else None, self._sm_mhz[-1] if self._sm_mhz else None,
                        facts.get("memory_mhz"), tuple(self._throttle), facts.get("temperature_c"))
        return Session(self._plan.name, self._gpu, self._settings, tuple(runs), tuple(self._times(EMPTY)),
                       len(self._rounds), max((r.batch for r in runs), default=1), self._stopped,
                       time.monotonic() - self._started, clocks, self._restarts)

    def _resident(self, number: int) -> int | None:
        """The driver's answer, or the planned number where the measured rule confirms that against the query."""
        state = self._states[number]
        said, expected = state.said.get("resident_blocks"), state.run.expected_blocks
        confirmed = said is not None and expected is not None and self._by_rule(number) == expected
        return expected if confirmed else said

    def _doubt(self, number: int) -> str:
        """A note where the number of resident blocks is not the planned one.

        The driver's query follows the documentation of the carve-out hint; what is resident was measured to follow
        another rule (``mutate/occupancy/carveout.py``), by which the plan may be right all the same.
        """
        found, expected = self._resident(number), self._states[number].run.expected_blocks
        if found is None or expected is None or found == expected:
            return ""
        return f"the driver's occupancy query says {found} resident blocks an SM, the plan {expected}"

    def _by_rule(self, number: int) -> int | None:
        assert self._gpu is not None
        run, said = self._states[number].run, self._states[number].said
        if self._gpu.capability not in known_capabilities() or run.carveout_percent is None:
            return None
        device = device_for(self._gpu.capability)
        resources = KernelResources(said["registers"], self._images[number].static_smem, self._plan.launch.threads,
                                    run.dynamic_smem)
        return resident_blocks(resources, device,
                               driver_carveout(resources, device, run.carveout_percent)).blocks_per_sm
