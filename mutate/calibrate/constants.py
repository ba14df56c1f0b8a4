"""From what the launches gave to the constants of a machine file.

What a launch did not give, or gave as nothing, is left out. Latencies and intervals are in SM clocks as the SM counts
them, so its clock rate does not matter to them; rates of the whole GPU in clocks use the rate that was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import median

from mutate.calibrate.launches import (
    BLOCK_SIZES,
    LINE_STRIDES,
    MIXES,
    STREAMS,
    STRIDES,
    WARPS,
    WRITE_MB,
    Launch,
    empty_grids,
    launches,
    sm_steps,
)
from mutate.calibrate.probes import STEPS, probes_for
from mutate.calibrate.records import Recording
from mutate.machines import Curve

# Schedulers of an SM in all architectures that kmutate compiles for.
_SCHEDULERS = 4
# Threads and warps of the launches for intervals; accesses that a turn of the loops for shared memory and L1 has.
_THREADS, _WARPS, _TURN = 1024, 32, 16
# Loads between two looks at the clock: in shared and constant memory, and of one line of L2.
_LINE_LOADS = 16
_IN_BETWEEN = 256
# Two groups of lines are two parts of L2 where they are so many of their own deviations apart (halves of an even
# spread: 3.5), and none is small.
_APART, _LEAST_SHARE = 4.0, 0.1
_SIGNIFICANT = 4
# Of L2, what an array written again and again may fill at most, so that nothing of it goes to DRAM.
_KEPT = 2 / 3


@dataclass(frozen=True)
class Constant:
    """A value for the key of a machine file, in the unit that the schema has for it."""

    key: str
    value: float | Curve
    note: str = ""


def _round(x: float) -> float:
    return float(f"{x:.{_SIGNIFICANT}g}")


def constants(recording: Recording) -> tuple[Constant, ...]:
    """All that the recording gives, in the order of the schema's sections."""
    return tuple(_Derivation(recording).all())


class _Derivation:
    def __init__(self, recording: Recording) -> None:
        self._recording, self._gpu = recording, recording.gpu
        self._launches = {launch.name: replace(launch, n=recording.n(launch)) for launch in launches(recording.gpu)}
        self._mhz = self._clock()

    def all(self) -> Iterator[Constant]:
        for part in (self._clocks, self._latencies, self._instructions, self._shared, self._l1, self._l2, self._dram,
                     self._atomics, self._blocks):
            for constant in part():
                if isinstance(constant.value, tuple):
                    points = tuple((x, _round(y)) for x, y in constant.value if y > 0)
                    if points:
                        yield Constant(constant.key, points, constant.note)
                elif constant.value > 0:
                    yield Constant(constant.key, _round(constant.value), constant.note)

    # --- small things ---

    def _of(self, name: str, divisor: float = 1.0) -> float:
        """The first number of a launch's result; 0 where there is none."""
        out = self._recording.out(name)
        return out[0] / divisor if out else 0.0

    def _ms(self, name: str) -> float:
        times = self._recording.ms(name)
        return median(times) if times else 0.0

    def _kernel_ms(self, name: str) -> float:
        """Without what an empty kernel takes between two events."""
        return max(0.0, self._ms(name) - self._ms("empty 1")) if self._ms(name) else 0.0

    def _clock(self) -> float:
        rates = [clocks / ns * 1e3 for name in ("clock", "clock at the end")
                 for clocks, ns in [(*self._recording.out(name), 0, 0)[:2]] if ns]
        return median(rates) if rates else 0.0

    def _clocks(self) -> Iterator[Constant]:
        said = self._recording.sm_mhz
        yield Constant("clock.measured", self._mhz, f"NVML: {said[0]:.0f} to {said[1]:.0f}" if said else "")

    # --- parts ---

    def _steps(self, probe: str, chains: int, threads: int, divisor: float) -> float:
        took, frame = self._of(f"{probe}_{chains} {threads}"), self._of(f"nothing_{chains} {threads}")
        return (took - frame) / divisor if took and frame else 0.0

    def _instructions(self) -> Iterator[Constant]:
        probes = probes_for(self._gpu.capability)
        for p in probes:
            if p.chain:
                yield Constant(f"dependent.{p.name}", self._steps(p.name, 1, 32, STEPS))
        for p in probes:
            yield Constant(f"alone.{p.name}", self._steps(p.name, 8, 32, STEPS))
        for p in probes:
            yield Constant(f"interval.{p.name}", self._steps(p.name, 8, _THREADS, STEPS * _WARPS / _SCHEDULERS))

        for key, threads, warps in (("alone", 32, 1), ("interval", _THREADS, _WARPS / _SCHEDULERS)):
            launch = self._launches[f"turns {threads}"]
            yield Constant(f"{key}.loop_turn", self._of(launch.name, launch.n * warps))

    def _latencies(self) -> Iterator[Constant]:
        for key, name in (("shared", "chase_shared_4"), ("shared_8", "chase_shared_8"),
                          ("shared_16", "chase_shared_16"), ("shared_atomic", "chase_shared_atomic"),
                          ("constant", "chase_constant"), ("constant_uniform", "chase_constant_uniform")):
            yield Constant(f"latency.{key}", self._of(name, _IN_BETWEEN))
        for key, name in (("l1", "l1"), ("l2", "l2 quarter"), ("atomic", "atomic"), ("dram_page", "dram page"),
                          ("dram", "dram 1 GB"), ("dram_wide", "dram all")):
            if name in self._launches:
                yield Constant(f"latency.{key}", self._of(name, self._launches[name].n))
        yield from self._parts_of_l2()
        add, shift, bare = (self._steps(name, 1, 32, STEPS) for name in ("iadd3", "shf", "iadd3_branch"))
        for key, name, others in (("s2r", "s2r_branch", 2), ("s2ur", "s2ur_branch", 0)):
            took = self._steps(name, 1, 32, STEPS)
            if took and bare:
                yield Constant(f"latency.{key}", took - bare + add - others * shift,
                               "by what a compare and a branch wait, less the instructions between")

    def _parts_of_l2(self) -> Iterator[Constant]:
        """Near and far lines, where the clocks fall into two groups."""
        groups = _two_groups([(float(clocks), int(count)) for clocks, count in self._recording.out("lines of l2")])
        if groups is not None:
            yield Constant("latency.l2_near", groups[0] / _LINE_LOADS)
            yield Constant("latency.l2_far", groups[1] / _LINE_LOADS)

    def _shared(self) -> Iterator[Constant]:
        for what in ("load", "store"):
            for width in (4, 8, 16):
                name = f"shared_{what}_{width} {_THREADS}"
                yield Constant(f"shared.{what}_{width}", self._of(name, self._turns(name)))
        for key, kernel in (("load", "shared_load_4"), ("store", "shared_store_4"), ("add", "shared_add")):
            by_stride = [(s, self._of(name, self._turns(name))) for s in STRIDES
                         for name in [f"{kernel} stride {s}"]]
            if key == "add":
                yield Constant("shared.add", by_stride[0][1])
            if all(clocks for _, clocks in by_stride):
                (few, least), (many, most) = by_stride[0], by_stride[-1]
                yield Constant(f"shared.{key}_conflict", (most - least) / (many - few))
        yield Constant("shared.add_same", self._of("shared_add same", self._turns("shared_add same")))

    def _turns(self, name: str) -> float:
        """Instructions of all warps in a launch for shared memory or L1."""
        launch = self._launches[name]
        return launch.n * _TURN * launch.threads / 32

    def _l1(self) -> Iterator[Constant]:
        for width in (4, 8, 16):
            clocks = self._of(f"l1_load_{width} {_THREADS}", self._turns(f"l1_load_{width} {_THREADS}"))
            yield Constant(f"l1.load_{width}", clocks)
            if width == 16 and clocks:
                yield Constant("l1.bandwidth", 16 * 32 / clocks, "16-byte loads that hit")

        curve = []
        for stride in LINE_STRIDES:
            name = f"l1_load_4 stride {stride}"
            curve.append((stride * 32 / 128, self._of(name, self._turns(name))))
        yield Constant("l1.load_by_lines", tuple(curve))

    def _l2(self) -> Iterator[Constant]:
        for key, kernel in (("read", "window_l2_16"), ("write", "window_write_16"),
                            ("write_4", "window_write_4")):
            curve = []
            for sms in sm_steps(self._gpu.sm_count):
                launch = self._launches[f"{kernel} {sms}"]
                each = 4 * launch.n * launch.threads * int(kernel.rpartition("_")[2])
                curve.append((float(sms), sum(each / clocks for clocks in self._recording.out(launch.name) if clocks)))
            if kernel.endswith("16"):
                yield Constant(f"l2.sm_{key}", curve[0][1])
            if kernel == "window_l2_16" and self._mhz:
                yield Constant("l2.read_bandwidth", curve[-1][1] * self._mhz * 1e6 / 1e9)
            yield Constant(f"l2.{key}_by_sms", tuple(curve))
        yield from self._written()

    def _written(self) -> Iterator[Constant]:
        """By what a larger array takes more than a smaller one, so that how the launch begins and ends is not in it."""
        named = (self._launches[f"write {mb} MB warm"] for mb in WRITE_MB)
        took = {16.0 * x.n: self._kernel_ms(x.name) for x in named if 16.0 * x.n <= _KEPT * self._gpu.l2_bytes}
        if len(took) > 1:
            few, many = min(took), max(took)
            if 0.0 < took[few] < took[many]:
                yield Constant("l2.write_bandwidth", (many - few) / (took[many] - took[few]) / 1e6,
                               "arrays that L2 holds, written again and again")

    def _gbs(self, launch: Launch, nbytes: float) -> float:
        ms = self._kernel_ms(launch.name)
        return nbytes / ms / 1e6 if ms else 0.0

    def _dram(self) -> Iterator[Constant]:
        best: dict[str, float] = {}
        for kernel in STREAMS:
            what, width, _ = kernel.split("_")
            curve = []
            for warps in WARPS:
                launch = self._launches[f"{kernel} {warps}"]
                curve.append((float(warps), self._gbs(launch, launch.n * int(width) * (2 if what == "copy" else 1))))
            best[what] = max(best.get(what, 0.0), *(gbs for _, gbs in curve))
            yield Constant(f"dram.{kernel}", tuple(curve))
        mixed = []
        for kernel in MIXES:
            launch, reads = self._launches[kernel], int(kernel.split("_")[1])
            mixed.append((25.0 * reads, self._gbs(launch, launch.n * 16 * 4)))
        mixed.sort()
        yield Constant("dram.by_reads", tuple(mixed))
        for what in ("read", "copy"):
            yield Constant(f"dram.{what}_bandwidth", best[what], "the best of several kernels")
        yield Constant("dram.write_bandwidth", mixed[0][1])
        for key, state in (("write_by_size", "cold"), ("write_by_size_again", "warm")):
            named = [self._launches[f"write {mb} MB {state}"] for mb in WRITE_MB]
            sizes = {x.n * 16 / 2**20: self._gbs(x, x.n * 16) for x in named}
            yield Constant(f"dram.{key}", tuple((float(_round(mb)), gbs) for mb, gbs in sorted(sizes.items())))

    def _atomics(self) -> Iterator[Constant]:
        for key, name in (("one_address", "add one"), ("one_line", "add warp"), ("all_addresses", "add all")):
            launch, ms = self._launches[name], self._kernel_ms(name)
            if ms and self._mhz:
                yield Constant(f"atomic.{key}", 16 * launch.n * launch.threads * launch.grid / (ms * self._mhz * 1e3))

    def _blocks(self) -> Iterator[Constant]:
        yield Constant("barrier.by_warps", tuple((float(w), self._of(f"barriers {w}", 64))
                                                 for w in (1, 2, 4, 8, 16, 32)))
        yield Constant("launch.back_to_back", self._ms("back to back") * 1e3)
        yield Constant("launch.by_events", self._ms("empty 1") * 1e3)
        curve = []
        for threads in BLOCK_SIZES:
            few, many = sorted((x for x in self._launches.values() if x.name.endswith(f" blocks of {threads}")),
                               key=lambda x: x.grid)
            more = self._ms(many.name) - self._ms(few.name)
            curve.append((float(threads), (many.grid - few.grid) / more / 1e3 if more > 0 else 0.0))
        yield Constant("launch.blocks", dict(curve)[256.0], "blocks of 256 threads")
        yield Constant("launch.blocks_by_threads", tuple(curve))
        yield Constant("launch.empty_by_blocks", tuple((float(n), self._ms(f"empty {n}") * 1e3)
                                                       for n in empty_grids(self._gpu)))
        yield Constant("launch.turnaround_by_threads", tuple(self._turns_of_blocks()))

    def _turns_of_blocks(self) -> Iterable[tuple[float, float]]:
        for launch in self._launches.values():
            if launch.kernel == "blocks_in_turn":
                gaps = [g for g in self._recording.out(launch.name) if g > 0]
                yield float(launch.threads), float(median(gaps)) if gaps else 0.0


def _moments(counts: list[tuple[float, int]]) -> tuple[float, float, int]:
    total = sum(n for _, n in counts)
    mean = sum(x * n for x, n in counts) / total
    return mean, sum(n * (x - mean) ** 2 for x, n in counts) / total, total


def _two_groups(counts: list[tuple[float, int]]) -> tuple[float, float] | None:
    """Means of the two groups into which numbers fall, ``None`` where they are rather one (Otsu's threshold)."""
    counts = sorted(counts)
    if len(counts) < 2:
        return None
    spread: Callable[[int], float] = lambda i: sum(v * n for part in (counts[:i], counts[i:])  # noqa: E731
                                                   for _, v, n in [_moments(part)])
    at = min(range(1, len(counts)), key=spread)
    (near, v, few), (far, w, others) = _moments(counts[:at]), _moments(counts[at:])
    if min(few, others) < _LEAST_SHARE * (few + others) or far - near < _APART * (v ** 0.5 + w ** 0.5) / 2:
        return None
    return near, far
