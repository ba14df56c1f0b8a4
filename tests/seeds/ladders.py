"""The seeds' measurements on projections of the seeds' GPUs: what the model of time makes of the same kernels.

    python tests/seeds/ladders.py [LADDER ...]     prints
    python tests/seeds/ladders.py --write          all ladders; keeps ladders.json, from which docs/seeds.md is made

No constant of the model is set by these numbers. Where an order came out wrong, the rules of that hardware were looked
up (docs/seeds.md says which); what is wrong still is in the tables.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from mutate.machines import load_machine
from mutate.occupancy import KernelResources, device_for, resident_blocks
from mutate.pipeline.binaries import KernelBinaries, compile_file, compile_originals
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sim import layout as lay
from mutate.sim.image import read_image
from mutate.sim.timing.model import Kernel, SimulatedTime, predict, sample_of

KEPT = Path(__file__).with_name("ladders.json")
C2050, GTX280 = load_machine("c2050"), load_machine("gtx280")
_ADO = "Analysis-Driven Optimization"
_BOUNDS = re.compile(rb"__launch_bounds__\([^\n]*\)(?=\s)")


@dataclass(frozen=True)
class Rung:
    """One row: simulated and the slide's value in the ladder's unit (``None``: the slides have none in words)."""

    name: str
    simulated: float
    slide: float | None
    note: str = ""


@dataclass(frozen=True)
class Ladder:
    """``ordered``: each rung of the slide is above the one before it. ``beside``: what else was simulated."""

    name: str
    title: str
    machine: str
    unit: str
    setup: str
    source: str
    rungs: tuple[Rung, ...]
    ordered: bool = True
    beside: str = ""


@dataclass(frozen=True)
class Statement:
    """Something the slides say, and whether the simulation says so, too."""

    about: str
    slide: str
    simulated: str
    holds: bool
    setup: str


def kernels(sample: str, machine: Any = C2050, cap: int | None = None, bounds: bool = True,
            mutations: tuple[str, ...] = (), settings: Mapping[str, str] | None = None,
            changes: Sequence[tuple[bytes, bytes]] = ()) -> list[KernelBinaries]:
    """A sample compiled for a machine. ``cap``: --maxrregcount; ``bounds=False`` takes __launch_bounds__ away, beside

    which a compiler ignores it; ``changes``: others of the text.
    """
    path = samples_dir() / f"{sample}.cu"
    text = path.read_bytes()
    for old, new in changes:
        if old not in text:
            raise ValueError(f"{sample} has no {old.decode()}")
        text = text.replace(old, new)
    if not bounds:
        text = _BOUNDS.sub(b"", text)
    request = Request(path=path, text=text, arch=machine.arch, maxrregcount=cap, mutations=mutations,
                      settings=settings or {})
    return compile_file(request) if mutations else compile_originals(request)


def one(found: Sequence[KernelBinaries], name: str) -> KernelBinaries:
    return next(b for b in found if b.target.name == name)


def timed(binaries: KernelBinaries, machine: Any, launch: int = 0, variant: str = "", dlcm: str = "ca",
          carveout: int | None = None, blocks: int | None = None, registers: int | None = None) -> SimulatedTime:
    """``blocks``: resident on an SM, at most; the shared memory that this takes is added, as the seeds advise.

    ``registers``: so many fit on an SM as if a thread took these, whatever the code takes.
    """
    binary = binaries.variants[variant] if variant else binaries.original
    image = read_image(binary.cubin, binary.entry)
    if registers is not None:
        image = replace(image, registers=registers)
    chosen = binaries.target.launches[launch]
    extra = 0
    if blocks is not None:
        device = device_for(machine.capability)
        while resident_blocks(KernelResources(image.registers, image.static_smem, chosen.threads, chosen.smem + extra,
                                              1), device, carveout).blocks_per_sm > blocks:
            extra += 128
    return predict(Kernel(image, binary.listing, dlcm=dlcm), chosen, machine, extra_smem=extra, carveout_kb=carveout)


def matmul() -> list[Ladder | Statement]:
    found = kernels("matmul", GTX280, cap=32)
    n = 2048
    rungs = []
    for name, kernel, launch, slide in (
            ("naive, 1 × 128 threads", "matmul_naive", 1, 3.9), ("naive, 128 × 1 threads", "matmul_naive", 0, 36.6),
            ("tiled", "matmul_tiled", 0, 198), ("two outputs", "matmul_two_outputs", 0, 235),
            ("no ADD: b transposed and padded", "matmul_padded", 0, 276),
            ("one block in shared memory", "matmul_one_shared", 0, 375)):
        time = timed(one(found, kernel), GTX280, launch)
        rungs.append(Rung(name, 2e-6 * n**3 / time.time_ms, slide, f"limited by {time.limit}"))
    conflicting = timed(one(found, "matmul_transposed_b"), GTX280)
    setup = "matmul.cu, n = 2048, --maxrregcount 32 (512 threads do not fit on an SM with more)"
    return [Ladder("matmul", "Matrix multiplication", "gtx280", "GFlop/s", setup, "Optimalizace", tuple(rungs)),
            Statement("matmul: b transposed, not padded", "bank conflicts are a new problem, which padding solves",
                      f"{2e-6 * n**3 / conflicting.time_ms:.0f} GFlop/s without padding",
                      conflicting.time_ms > 1.1 * 2e-6 * n**3 / rungs[4].simulated, setup)]


def reductions() -> list[Ladder | Statement]:
    found = kernels("reduction", GTX280)
    n = 16 * 1024 * 1024
    rungs = []
    for k, slide in enumerate((3.77, 8.33, 16.34, 27.16, 37.68, 50.64, 77.21), 1):
        binaries = next(b for b in found if b.target.name.startswith(f"reduce{k}"))
        time = timed(binaries, GTX280)
        rungs.append(Rung(f"reduce{k}", 4e-6 * n / time.time_ms, slide, f"limited by {time.limit}"))
    return [Ladder("reductions", "Sum of a vector", "gtx280", "GB/s",
                   "reduction.cu, 16 Mi integers, 512 threads a block, one launch", "Optimalizace", tuple(rungs))]


OFFSETS = (1, 2, 4, 8, 16, 24, 31)


def copies() -> list[Ladder | Statement]:
    out: list[Ladder | Statement] = []
    drops = {}
    for dlcm in ("ca", "cg"):
        times = {o: timed(kernels("copy_offset", settings={"offset": str(o)})[0], C2050, dlcm=dlcm).time_ms
                 for o in (0, *OFFSETS)}
        drops[dlcm] = 100 * (1 - times[0] / max(times.values()))
    slide = {"ca": 15.0, "cg": 32.0}
    rungs = tuple(Rung(f"{d.upper()} loads", drops[d], slide[d]) for d in ("ca", "cg"))
    setup = f"copy_offset.cu, 16 MiB, 256 threads, offsets 0 to 31 floats ({', '.join(map(str, OFFSETS))})"
    out.append(Ladder("offsets", "Copy with an offset: greatest drop of throughput", "c2050", "%", setup,
                      "Memory Bandwidth Limited Kernels", rungs))
    return out


def increments(threads: Sequence[int] = (256, 512, 768, 1024, 1280, 1536)) -> list[Ladder | Statement]:
    n = 64 * 1024 * 1024
    curves: dict[int, list[float]] = {}
    found = kernels("increment")
    for each in (1, 2, 4):
        times = [timed(one(found, f"increment{each}"), C2050, blocks=t // 256).time_ms for t in threads]
        curves[each] = [8e-6 * n / t for t in times]
    setup = "increment.cu, 64 Mi floats, blocks of 256 threads, fewer of them by shared memory"
    best = max(map(max, curves.values()))
    words = "; ".join(f"{e} a thread: " + ", ".join(f"{v:.0f}" for v in c) for e, c in curves.items())
    rising = all(b >= 0.99 * a for c in curves.values() for a, b in pairwise(c))
    more = all(a <= 1.01 * b for lower, upper in ((1, 2), (2, 4))
               for a, b in zip(curves[lower], curves[upper], strict=True))
    at = threads.index(1024)
    part = curves[1][at] / best
    same = curves[4][0] / curves[1][at]
    return [
        Statement("increment: throughput by threads on an SM", "rises with threads until the bus is saturated",
                  f"GB/s at {', '.join(map(str, threads))} threads, {words}", rising, setup),
        Statement("increment: elements a thread", "more of them need fewer threads, four loads are as one of 128 bits",
                  f"256 threads with four elements reach {same:.2f} of 1024 threads with one", more and same > 0.8,
                  setup),
        Statement("increment: 512 threads and more",
                  "are what one wants (here: 80 % of the best), more of them with one element a thread",
                  f"512 threads reach {curves[4][threads.index(512)] / best:.2f} of the best with four elements, "
                  f"{curves[1][threads.index(512)] / best:.2f} with one",
                  curves[4][threads.index(512)] > 0.8 * best > curves[1][threads.index(512)], setup),
        Statement("a simple copy with 1024 threads on an SM", "about 80 % of the throughput that can be reached",
                  f"{100 * part:.0f} % (increment, one element a thread)", 0.7 <= part <= 0.9, setup)]


WIDE = ((b"#define TILE_X 16", b"#define TILE_X 32"),)


def each_point(time: SimulatedTime, radius: int, nx: int = 512, ny: int = 512, nz: int = 256) -> tuple[float, float]:
    """Instructions of a thread and bytes between SM and L2 for a point of the samples' volume, with what leads up to

    the first plane.
    """
    points = nx * ny * (nz - 2 * radius) * time.blocks_per_sm / time.grid_blocks
    whole = time.instructions / time.played
    moved = 32 * (time.traffic["l2_read_sectors"] + time.traffic["l2_write_sectors"])
    return 32 * time.instructions / points, moved * whole / points


def _point_words(time: SimulatedTime, radius: int) -> str:
    instructions, moved = each_point(time, radius)
    return f"{instructions:.0f} instructions, {moved:.1f} bytes a point"


def fd() -> list[Ladder | Statement]:
    """The finite differences of the limiter's case study: one output a thread, then two.

    Two outputs have the registers that "Local Memory and Register Spilling" names for that kernel without a cap. With
    32 and 16 KB of L1 half of the traffic is spills, it says, and the study here has none of it (82 of 84 GB/s are the
    application's).
    """
    (found,) = kernels("fd3d", cap=32, bounds=False, mutations=("memory-only", "math-only"), changes=WIDE)
    (two,), (capped,) = (kernels("fd3d_two_outputs", cap=cap, bounds=False) for cap in (46, 32))
    full = timed(found, C2050)
    held = {v: timed(found, C2050, variant=v, blocks=full.resident_blocks).time_ms
            for v in ("memory-only", "math-only")}
    cg, second = timed(found, C2050, dlcm="cg"), timed(two, C2050, dlcm="cg")
    literal, more = timed(capped, C2050, dlcm="cg"), timed(two, C2050, dlcm="cg", registers=32)
    setup = "fd3d.cu with blocks 32 wide, 512 × 512 × 256, --maxrregcount 32, 16 KB of L1"
    lanes = 32 * full.played
    moved = 32 * (full.traffic["l2_read_sectors"] + full.traffic["l2_write_sectors"])
    balance = Statement("finite differences: instructions for each byte between SM and L2", "2.66",
                        f"{lanes / moved:.2f}: today's code does more for a point", 2.0 < lanes / moved < 3.3, setup)
    shares = (Rung("math-only", held["math-only"] / full.time_ms, 16.25 / 35.39),
              Rung("memory-only", held["memory-only"] / full.time_ms, 33.27 / 35.39), Rung("full", 1.0, 1.0))
    gains = (Rung("CA loads", 1.0, 1.0, _point_words(full, 4)),
             Rung("CG loads", full.time_ms / cg.time_ms, 1.07, _point_words(cg, 4)),
             Rung("two outputs a thread, CG loads", full.time_ms / second.time_ms, 1.07 * 1.25,
                  _point_words(second, 4)))
    beside = (f"Two outputs with --maxrregcount 32, 2 × 512 threads: {full.time_ms / literal.time_ms:.2f} "
              f"({_point_words(literal, 4)}). The code of 46 registers, if 2 × 512 threads had room for it: "
              f"{full.time_ms / more.time_ms:.2f}.")
    return [Ladder("fd-limiter", "Finite differences: time as a part of the full kernel's", "c2050", "", setup,
                   _ADO, shares),
            Ladder("fd-gains", "Finite differences: speed against CA loads", "c2050", "", f"{setup}; two outputs: "
                   "fd3d_two_outputs.cu, --maxrregcount 46, 1 × 512 threads", _ADO, gains, beside=beside), balance]


@dataclass(frozen=True)
class Study:
    """A kernel whose spills the slides judge. ``often``: local loads for a global one, both of a warp; ``spilled``:

    bytes of a thread; ``by``: which of them a cap is to match; ``without``: registers without spills (none are named
    for order 10, which has no problem).
    """

    sample: str
    problem: bool
    slide: str
    often: float
    spilled: int
    by: str
    without: int


STUDIES = (
    Study("fd3d_order10", False, "no problem: 68 bytes spilled, 0.12 local loads for a global one, L1 has 99.9 % of "
          "them, 0.01 % of the traffic is theirs", 0.119, 68, "loads", 42),
    Study("fd3d_order12", True, "a problem: 80 bytes spilled, 0.75 local loads for a global one, L1 has 8.9 % of them, "
          "53 % of the traffic is theirs", 0.752, 80, "loads", 42),
    # 0.55 is reckoned: L2 queries that are not of spills are 15 a warp and plane in this kernel, so their number says
    # that a warp has 5.0 local loads a plane, beside 9 global ones.
    Study("fd3d_two_outputs", True, "a problem: 44 bytes spilled, about 0.55 local loads for a global one, L1 has 14 % "
          "of them, 53 % of the traffic is theirs; × 1.22 with 46 registers, × 1.45 with 48 KB of L1 (16 SMs)", 0.55,
          44, "bytes", 46))
PROBLEM = 0.10
"""Part of the traffic between SM and L2 from which on spills are a problem: the line of ``kmutate analyze --sweep

registers``. More registers change more than the spills, so a gain by them is no verdict.
"""


@dataclass(frozen=True)
class Spilling:
    """A study's kernel at some cap: ``often`` as in ``Study``, ``spilled`` bytes of a thread."""

    cap: int
    binaries: KernelBinaries
    often: float
    spilled: int


def spilling_at(sample: str, cap: int) -> Spilling:
    (binaries,) = kernels(sample, cap=cap, bounds=False)
    binary = binaries.original
    image = read_image(binary.cubin, binary.entry)
    requests = sample_of(Kernel(image, binary.listing, dlcm="cg"), binaries.target.launches[0], C2050).streams.requests
    loads = {kind: requests[requests[:, 2] == kind] for kind in (lay.H_LOCAL_LOAD, lay.H_GLOBAL_LOAD)}
    # A line of local memory is a word of each lane; the profiler counts lines.
    often = float(loads[lay.H_LOCAL_LOAD][:, 6].sum()) / len(loads[lay.H_GLOBAL_LOAD])
    return Spilling(cap, binaries, often, image.local_bytes)


def matched(study: Study) -> Spilling:
    """What today's code spills at the cap where that is nearest to what the slides' code spilled.

    Caps are tried from a few registers below what is needed (24) to where nothing is spilled.
    """
    tried = []
    for cap in range(24, 64):
        tried.append(spilling_at(study.sample, cap))
        if not tried[-1].spilled:
            break
    if study.by == "bytes":
        return min(tried, key=lambda s: (abs(s.spilled - study.spilled), s.often))
    return min(tried, key=lambda s: abs(s.often - study.often))


@dataclass(frozen=True)
class Judged:
    """``part`` of the traffic between SM and L2 that is spills, as the slides reckon: a line that is missed was written

    before. ``gains``: the kernel with more L1, or more registers.
    """

    base: SimulatedTime
    gains: Mapping[str, SimulatedTime]
    part: float

    @property
    def problem(self) -> bool:
        return self.part >= PROBLEM


def judged(spilling: Spilling, study: Study, held: int | None = None) -> Judged:
    """``held``: as many blocks fit as if a thread took so many registers. With more, they are what the code takes."""
    base = timed(spilling.binaries, C2050, dlcm="cg", carveout=48, registers=held)
    gains = {"48 KB of L1": timed(spilling.binaries, C2050, dlcm="cg", carveout=16, registers=held)}
    for cap in (study.without, 63):
        (more,) = kernels(study.sample, cap=cap, bounds=False)
        used = read_image(more.original.cubin, more.original.entry).registers
        gains[f"{used} registers"] = timed(more, C2050, dlcm="cg", carveout=48)
    return Judged(base, gains, 2 * _missed(base) / (base.traffic["l2_read_sectors"] + base.traffic["l2_write_sectors"]))


def _missed(time: SimulatedTime) -> float:
    """Sectors of local memory that loads did not find in L1."""
    return time.traffic["local_sectors"] - time.traffic["local_hits"]


def _spill_words(spilling: Spilling, found: Judged) -> str:
    hits = 1.0 - _missed(found.base) / max(1.0, found.base.traffic["local_sectors"])
    return (f"{spilling.spilled} bytes spilled, {spilling.often:.2f} local loads for a global one, L1 has "
            f"{100 * hits:.0f} % of them, {100 * found.part:.0f} % of the traffic is theirs; ") + ", ".join(
        f"× {found.base.time_ms / t.time_ms:.2f} with {n} ({t.resident_blocks} × 512 threads)"
        for n, t in found.gains.items())


def spilling() -> list[Ladder | Statement]:
    """Whether spills are a problem, and what more registers and more L1 give.

    Once with the slides' cap, at which today's compiler spills other values, and once with what the slides' compiler
    spilled, as near as a cap comes to it.
    """
    rest = "CG loads, 16 KB of L1; a problem is 10 % of the traffic or more"
    setup = f"without launch bounds, --maxrregcount 32, {rest}"
    out: list[Ladder | Statement] = []
    seen: list[tuple[float, bool]] = []
    for study in STUDIES:
        spilled = spilling_at(study.sample, 32)
        found = judged(spilled, study)
        near = matched(study)
        again = judged(near, study, held=32)
        seen += [(spilled.often, found.problem), (near.often, again.problem)]
        out += [Statement(f"spills of {study.sample} at 32 registers", study.slide, _spill_words(spilled, found),
                          found.problem == study.problem, f"{study.sample}.cu {setup}"),
                Statement(f"spills of {study.sample}, {study.by} as in the slides", study.slide,
                          f"--maxrregcount {near.cap}, 2 × 512 threads: {_spill_words(near, again)}",
                          again.problem == study.problem,
                          f"{study.sample}.cu without launch bounds, with the cap at which {study.by} are nearest to "
                          f"the slides' and the threads that fit with 32 registers, {rest}")]
        if study.sample == "fd3d_order12":
            out.append(_cure(found, f"{study.sample}.cu {setup.partition(';')[0]}"))
    # In between nobody says.
    out.append(Statement(
        "spills by how often they are loaded", "no problem with 0.12 local loads for a global one, a problem with 0.55 "
        "and with 0.75", ", ".join(f"{'a problem' if costs else 'none'} with {often:.2f}"
                                   for often, costs in sorted(seen)),
        all(costs == (often > 0.3) for often, costs in seen), f"all of these, {rest}"))
    return out


def _cure(spilled: Judged, setup: str) -> Ladder:
    base = spilled.base
    shapes = {"32 × 8": (b"#define BLOCK_Y 16", b"#define BLOCK_Y 8"),
              "16 × 16": (b"#define BLOCK_X 32", b"#define BLOCK_X 16")}
    (low, square), free = ([kernels("fd3d_order12", cap=cap, bounds=False, changes=(change,))[0]
                            for change in shapes.values()] for cap in (42, 63))
    three = timed(low, C2050, dlcm="cg", carveout=48, blocks=3)
    others = {"blocks of 16 × 16": timed(square, C2050, dlcm="cg", carveout=48, blocks=3)}
    for shape, binaries in zip(shapes, free, strict=True):
        others[f"blocks of {shape} with the code of a cap of 63, if 42 registers had room for it"] = timed(
            binaries, C2050, dlcm="cg", carveout=48, registers=42)
    rungs = [Rung(name, base.time_ms / t.time_ms, slide, f"{t.resident_blocks} resident; {_point_words(t, 6)}")
             for name, t, slide in (("42 registers, three blocks of 256 (32 × 8)", three, 0.63),
                                    ("32 registers, spilled", base, 1.0),
                                    ("42 registers, one block of 512", spilled.gains["42 registers"], 1.13))]
    return Ladder("cure", "Order 12: what more registers give", "c2050", "", setup, _ADO, tuple(rungs), beside=(
        "Other three blocks: " + "; ".join(
            f"{name}: {base.time_ms / t.time_ms:.2f} ({_point_words(t, 6)})" for name, t in others.items()) + "."))


LADDERS: Mapping[str, Callable[[], list[Ladder | Statement]]] = {
    "matmul": matmul, "reductions": reductions, "copies": copies, "increments": increments, "fd": fd,
    "spilling": spilling}


def in_order(ladder: Ladder) -> list[bool]:
    """Whether each step goes the slide's way."""
    pairs = pairwise(ladder.rungs)
    return [(b.simulated > a.simulated) == (b.slide > a.slide) for a, b in pairs
            if a.slide is not None and b.slide is not None]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ladders", nargs="*", choices=[[], *LADDERS], default=[])
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    found = [x for name in (args.ladders or LADDERS) for x in LADDERS[name]()]
    for x in found:
        if isinstance(x, Statement):
            print(f"{'yes' if x.holds else 'NO '} {x.about}: {x.slide} | {x.simulated}")
            continue
        print(x.title, in_order(x))
        for r in x.rungs:
            print(f"  {r.name:34s} {r.simulated:8.2f} {r.slide} {x.unit} {r.note}")
    if args.write and not args.ladders:
        KEPT.write_text(json.dumps({"ladders": [_rounded(asdict(x)) for x in found if isinstance(x, Ladder)],
                                    "statements": [asdict(x) for x in found if isinstance(x, Statement)]},
                                   indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rounded(ladder: dict[str, Any]) -> dict[str, Any]:
    for rung in ladder["rungs"]:
        rung["simulated"] = float(f"{rung['simulated']:.4g}")
    return ladder


if __name__ == "__main__":
    main()
