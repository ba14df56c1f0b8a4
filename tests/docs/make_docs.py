"""Writes the generated pages of docs/ from the code, the samples, the reference measurements and the machine files.

    python tests/docs/make_docs.py [PAGE ...]        PAGE: analysis, mutations, samples, ...; default: all

Templates are in templates/docs/. ``test_docs.py`` fails when a page is not what this script would write.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jinja2

from mutate.limiter.rules import CLOSE, MARGIN, RULES
from mutate.machines import all_machines, schema
from mutate.model import Outcome, Verdict
from mutate.mutations.base import Check
from mutate.mutations.registry import all_mutations
from mutate.pipeline.counting import TARGET_INSTRUCTIONS
from mutate.pipeline.run import run_variants
from mutate.resources import samples_dir, templates_dir
from mutate.results import Request, VariantResult
from mutate.sim import caches, fermi, older, races
from mutate.sim.counters import COUNTERS, GROUPS

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from compilers import nvrtc_version  # noqa: E402
from errors import Patterns, held_out  # noqa: E402

DOCS = ROOT / "docs"
REFERENCE = ROOT / "tests" / "gpu" / "reference"
ARCH = "sm_90"
_DEMANDS = {
    "identical": "{what} are the original's, one by one",
    "none": "no {what} left, unless guarded or retained: {classes}",
    "same": "{what} as many as in the original, class by class: {classes}",
    "same-sum": "{what} as many as in the original, all classes together: {classes}",
}


def _environment() -> jinja2.Environment:
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(str(templates_dir() / "docs")), trim_blocks=True,
                             lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined,
                             autoescape=False)  # Markdown
    env.filters["sentence"] = lambda text: text[:1].upper() + text[1:].rstrip(".") + "."
    env.filters["demand"] = _demand
    return env


def _demand(check: Check) -> str:
    classes = ", ".join(f"`{c}`" for c in check.classes)
    text = _DEMANDS[check.kind].format(what=check.what, classes=classes)
    return text[:1].upper() + text[1:] + "."


def mutations_page() -> str:
    known = list(all_mutations().values())
    stages: dict[int, list[str]] = {}
    for m in known:
        if m.id != "identity":
            stages.setdefault(m.stage, []).append(m.id)
    return _environment().get_template("mutations.md.j2").render(mutations=known, stages=sorted(stages.items()))


# -- samples ----------------------------------------------------------------------------------------------------------

def _cell(v: VariantResult) -> str:
    if v.refusal is not None:
        return f"`{v.refusal.slug}`"
    if v.outcome is not Outcome.OK or v.certificate is None:
        return str(v.outcome)
    rolled = v.certificate.static is not None and v.certificate.static.loops == "rolled"
    return f"{v.certificate.verdict}{'¹' if rolled else ''}"


def _why(v: VariantResult) -> Iterable[str]:
    """What makes a variant less than VALID: ``slug``: text."""
    if v.refusal is not None:
        yield f"refused, `{v.refusal.slug}`: {v.refusal.why}"
    elif v.certificate is not None:
        for r in v.certificate.reasons:
            if r.severity is not Verdict.VALID:
                yield f"`{r.slug}`: {r.text}"
    else:
        yield f"`{v.outcome}`"


def outcomes() -> dict[str, Any]:
    """All samples through the pipeline: rows of the table, reasons, and how many of each verdict there are."""
    names = list(all_mutations())
    kernels: list[dict[str, Any]] = []
    reasons: dict[str, dict[str, list[str]]] = {}
    tally: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(samples_dir().glob("*.cu")):
            report = run_variants(Request(path, arch=ARCH, output=Path(scratch) / path.stem, dynamic=True))
            for k in report.kernels:
                cells = dict.fromkeys(names, "–")
                for v in k.variants:
                    cells[v.mutation] = _cell(v)
                    what = "refused" if v.refusal is not None else cells[v.mutation].rstrip("¹")
                    tally[what] = tally.get(what, 0) + 1
                    for why in _why(v):
                        reasons.setdefault(why, {}).setdefault(k.target.name, []).append(v.mutation)
                kernels.append({"name": k.target.name, "cells": cells})
    where = {why: _where(at) for why, at in reasons.items()}
    total = sum(tally.values())
    counts = f"{total} variants of {len(kernels)} kernels: " + ", ".join(
        f"{n} {what}" for what, n in sorted(tally.items(), key=lambda kv: -kv[1])) + "."
    return {"kernels": kernels, "reasons": sorted(where.items()), "counts": counts, "mutations": names}


def _where(at: dict[str, list[str]]) -> str:
    """Which variants of which kernels; kernels with the same variants together, many only counted."""
    together: dict[str, list[str]] = {}
    for kernel, mutations in at.items():
        together.setdefault(", ".join(mutations), []).append(f"`{kernel}`")
    return "; ".join(f"{variants} of {', '.join(kernels) if len(kernels) <= 6 else f'{len(kernels)} kernels'}"
                     for variants, kernels in together.items())


class Times:
    """The reference measurements, by kernel (its first launch) and variant."""

    def __init__(self) -> None:
        self.comment, self.rows = self._read("h200_times.csv")
        _, self.counters = self._read("h200_counters.csv")
        self.first = {(r["kernel"], r["variant"]): r for r in reversed(self.rows) if r["launch"] == "1"}

    @staticmethod
    def _read(name: str) -> tuple[list[str], list[dict[str, str]]]:
        lines = (REFERENCE / name).read_text(encoding="utf-8").splitlines()
        return ([line.removeprefix("# ") for line in lines if line.startswith("#")],
                list(csv.DictReader(line for line in lines if not line.startswith("#"))))

    def ms(self, kernel: str, variant: str = "original") -> float:
        return float(self.first[kernel, variant]["median_ms"])

    def grid(self, kernel: str) -> int:
        blocks = 1
        for n in self.first[kernel, "original"]["grid"].split("x"):
            blocks *= int(n)
        return blocks

    def overlap(self, kernel: str) -> str:
        return _overlap(self.ms(kernel), self.ms(kernel, "memory-only"), self.ms(kernel, "math-only"))

    def sectors(self, kernel: str) -> int:
        return next(int(r["global_load_sectors"]) for r in self.counters
                    if r["kernel"] == kernel and r["variant"] == "original")

    def table(self) -> list[dict[str, Any]]:
        launches: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
        for r in self.rows:
            launches.setdefault((r["kernel"], r["launch"]), {})[r["variant"]] = r
        out = []
        for (kernel, _), variants in launches.items():
            full = variants["original"]

            def cell(id_: str, variants: dict[str, dict[str, str]] = variants) -> str:
                r = variants.get(id_)
                return "–" if r is None else f"{_ms(float(r['median_ms']))} ({float(r['ratio']):.2f})"

            both = [variants.get(v) for v in ("memory-only", "math-only")]
            mem, math = (None if r is None else float(r["median_ms"]) for r in both)
            noise = max(0.001, abs(float(variants["identity"]["ratio"]) - 1))
            out.append({
                "kernel": kernel, "grid": full["grid"], "full": _ms(float(full["median_ms"])),
                "cells": {v: cell(v) for v in ("memory-only", "math-only", "no-sync", "smem-conflict-free")},
                "overlap": "–" if mem is None or math is None else _overlap(float(full["median_ms"]), mem, math),
                "noise": f"{100 * noise:.1f} %"})
        return out


def _overlap(full: float, mem: float, math: float) -> str:
    return f"{(mem + math - full) / min(mem, math):.2f}".replace("-", "−")


def _ms(value: float) -> str:
    return f"{value:.3g}" if value >= 1 else f"{value:.4f}"


def samples_page() -> str:
    m = Times()
    step = m.grid("increment1") - m.grid("increment2")
    store = m.ms("increment1", "store-only") - m.ms("increment2", "store-only")
    each = store / step  # ms
    rounds = next(word for line in m.comment for word in line.split() if line.startswith("median") and word.isdigit())
    return _environment().get_template("samples.md.j2").render(
        **outcomes(), arch=ARCH, nvrtc=nvrtc_version(), machine=m.comment[0] + ".", rounds=rounds, times=m.table(),
        blocks_step=f"{step:,}", store_step=_ms(store), per_block=f"{each * 1e6:.2f}",
        t=lambda kernel, variant="original": _ms(m.ms(kernel, variant)),
        x=lambda kernel, a, b: f"{m.ms(kernel, a) / m.ms(kernel, b):.2f}",
        x2=lambda slow, fast: f"{m.ms(slow) / m.ms(fast):.2f}",
        o=m.overlap, floor=lambda kernel: _ms(m.grid(kernel) * each),
        sectors=lambda a, b: f"{100 * m.sectors(a) / m.sectors(b):.0f}")


def machines_page() -> str:
    keys = {section: {name: (entry["properties"]["unit"]["const"], entry["description"])
                      for name, entry in about["properties"].items()}
            for section, about in schema()["properties"].items()
            if section != "sources" and about.get("type") == "object"}
    machines = [(m, Counter(q.source.kind for q in m.quantities.values()),
                 {q.source: None for q in m.quantities.values()}) for m in all_machines()]
    about = {name: entry for name, entry in schema()["properties"].items() if name not in keys}
    calibrated = [m.name for m in all_machines() if m.calibrated]
    return _environment().get_template("machines.md.j2").render(machines=machines, keys=keys, about=about,
                                                                calibrated=calibrated)


def simulated_times_page() -> str:
    """The model of time against the reference."""
    from mutate.machines import load_machine
    from mutate.sim.timing import model
    from mutate.sim.timing.accuracy import errors
    from mutate.sim.timing.constants import BARRIER_DATA, BARRIER_DATA_WARP, CODE_LINES
    from mutate.sim.timing.dispatch import LONGEST
    from mutate.sim.timing.full import RECORDED
    from mutate.sim.timing.sampling import FEW

    kept = json.loads((REFERENCE / "h200_timing.json").read_text())
    return _environment().get_template("simulated_times.md.j2").render(
        patterns=Patterns(),
        rows=kept["rows"], s=kept["summary"], edges=errors()["edges"], nvrtc=kept["nvrtc"],
        sms=int(load_machine("h200").number("sm.count")),
        barrier=(BARRIER_DATA, BARRIER_DATA_WARP), first_of_long=f"{model.RECORDED // FEW:,}",
        played=model.PLAYED / 1e6, kept=RECORDED / 1e6, waves=LONGEST, code_kb=CODE_LINES * 128 // 1024,
        percent=lambda x: f"{100 * x:.1f} %", signed=lambda x: f"{100 * x:+.0f} %".replace("-", "−"))


_HELDOUT = {
    "heldout": "The first set, small kernels: a few are as short as a launch allows.",
    "heldout2": "Kernels as projects have them, most of them of hundreds of microseconds; a few blocks "
                "(`factor_tiles`), a second turn that few blocks have (`nearest_candidate`), the longest blocks last "
                "(`triangle_rows`).",
    "heldout3": "Kernels as courses, libraries and collections of benchmarks have them, by somebody who had not looked "
                "at the model: linear algebra, sparse and graph kernels, sorting, simulation, images, ciphers, Monte "
                "Carlo.",
    "heldout4": "Kernels as suites of benchmarks and code for language models have them, naive and optimised, by "
                "somebody who had not looked at the model.",
    "heldout5": "As before, by somebody else who had seen neither the model nor its results: innards of benchmark "
                "suites, small solvers, training code and tutorials on matrix products.",
    "heldout6": "Again by somebody who had seen neither: steps of simulations, graphs and sequences, sorting and "
                "scans, integers and hashes, layouts of data, the ladder of matrix products, innards of language "
                "models.",
    "heldout7": "And again: particles, sparse and dense matrices, graphs and sorting, ciphers and sequences, images, "
                "finance, networks; a fifth of them naive ones that others begin with.",
    "heldout8": "And again, by somebody else: streams, dense and sparse matrices, simulations, signals, images and "
                "rays, data and ciphers, networks.",
    "heldout9": "And again, by somebody else: parts of benchmark suites and mini-apps, the tutorial's ladder of matrix "
                "products, a GPT-2 in single precision.",
    "heldout10": "By somebody else again: solvers, lattices, molecules, pictures, networks, codes, tables and genomes.",
    "heldout11": "And once more, by somebody who had seen neither: solvers and sparse products, stencils and flows, "
                 "particles, graphs, sorting, images, signals, hashing, databases, networks, rendering, robotics.",
    "heldout12": "By somebody who had seen neither: algebra, stencils, layouts, reductions, sorting, graphs, "
                 "particles, chance, dynamic programming, images, signals, ciphers, tables, prices, networks, genes, "
                 "rays.",
    "heldout13": "And once more by somebody who had seen neither, of the same fields, other kernels.",
    "heldout14": "By somebody else who had seen neither: half of it plain code as one writes it first, a quarter "
                 "tuned; small launches, wavefronts, queues, uneven rows; layers of networks there and back.",
    "heldout15": "By somebody else who had seen neither: loops of polyhedral suites, data mining, language models, "
                 "the ladder of matrix products, parts of applications; half of it plain code.",
    "heldout16": "Tensor cores, by somebody else who had seen neither: `wmma` and `mma.sync` in products, attention, "
                 "convolutions, transforms, sums and factors, naive and with pipelines.",
    "heldout17": "By somebody else who had seen neither: a quarter plain, a quarter tuned, irregular ones, tensor "
                 "cores, and what applications have.",
    "heldout18": "By somebody else who had seen neither: loops of suites of linear algebra and tuned products, grids, "
                 "layers there and back, graphs, sorting, applications.",
    "heldout19": "By somebody else who had seen neither: applications of the classical suites, polyhedral loops, the "
                 "ladder of a matrix product, networks in plain C style, and a mixed lot.",
    "heldout20": "By somebody else who had seen neither: physics, chemistry and biology, graphs and irregular data, "
                 "networks, images, prices and ciphers, products of matrices.",
    "heldout21": "By two others who had seen neither: small applications of many fields, a third of them irregular, "
                 "classical suites, loops of linear algebra, training of language models.",
    "heldout22": "By two others who had seen neither: half of it plain, a quarter tuned, a quarter irregular, of many "
                 "fields.",
    "heldout23": "By somebody else who had seen neither: half of it plain, a quarter tuned, a quarter irregular, each "
                 "of another field.",
    "heldout24": "By somebody else who had seen neither: in the style of projects that have grown, with helpers, "
                 "templates and structs by value.",
    "heldout25": "By somebody else who had seen neither: half of it plain, a quarter tuned, a quarter irregular, of "
                 "many fields.",
    "heldout26": "By somebody else who had seen neither: two thirds of it as performance engineers write it (products, "
                 "convolutions, stencils, sorting, transforms with tiles, registers and shuffles), a third plain.",
    "heldout27": "By somebody else who had seen neither: a third plain, a third tuned, a third irregular, of many "
                 "fields.",
    "heldout28": "By somebody else who had seen neither: half of it ordinary kernels of libraries, half with a problem "
                 "that a reviewer would want to find.",
    "heldout29": "By somebody else who had seen neither: a third plain, a third tuned, a third irregular.",
    "heldout30": "By somebody else who had seen neither: half of it as in good libraries, half as in a colleague's "
                 "pull request with a problem to find.",
    "heldout31": "By somebody else who had seen neither: scientific and engineering codes as research groups write "
                 "them, and five everyday kernels of data.",
    "heldout32": "By somebody else who had seen neither: of many fields, a quarter of it with something that a "
                 "reviewer would find.",
    "heldout33": "By somebody else who had seen neither: as engineers of ten fields write it, two or three kernels of "
                 "each.",
    "heldout34": "By somebody else who had seen neither: ten fields, two kernels of each, as their engineers have "
                 "them in their repositories.",
    "heldout35": "By somebody else who had seen neither: what a CUDA engineer optimises at work, found in the middle "
                 "of it: some naive, some half optimised, some good.",
    "heldout36": "By somebody else who had seen neither: weather, data bases, sound, graphics, sequencing and "
                 "optimisation, two kernels or more of each.",
    "heldout37": "By somebody else who had seen neither: training and inference, molecular dynamics, finance, video, "
                 "solvers and formats of data.",
    "heldout38": "By somebody else who had seen neither: seventeen fields from weather to statistics, a kernel or two "
                 "of each.",
    "heldout39": "By somebody else who had seen neither: as many other fields, from computer vision to robotics.",
    "heldout40": "By somebody else who had seen neither: ten fields from chemistry to inference, two of each.",
    "heldout41": "By somebody else who had seen neither: as many others, from radio astronomy to operations research.",
    "heldout42": "By somebody else who had seen neither: twenty fields from geodesy to dental tomography, one of each.",
    "heldout43": "By somebody else who had seen neither: as many others, from photography to tabu search.",
    "heldout44": "By somebody who had seen neither: 20 as in scientific benchmarks and mini-applications.",
    "heldout45": "By somebody else who had seen neither: 20 of deep learning and dense linear algebra.",
    "heldout46": "By somebody who had seen neither: 20 as in a collection of small applications by many authors.",
    "heldout47": "By somebody else who had seen neither: linear algebra and training, and classic kernels.",
    "heldout48": "By somebody who had seen neither: dense linear algebra, the ladder of a matrix product, training.",
    "heldout49": "By somebody else who had seen neither: 20 as in suites of heterogeneous kernels.",
    "heldout50": "By somebody who had seen neither: 20 of images, video, sound, databases, graphs, geometry, finance.",
    "heldout51": "By somebody else who had seen neither: 20 of meshes, particles, algebra, and networks' layers.",
    "heldout52": "By somebody who had seen neither: ten as in mini-applications, ten of networks and images.",
    "heldout53": "By somebody else who had seen neither: loops over arrays, classic kernels, training.",
    "heldout54": "By somebody else who had seen neither: ten as in classic benchmarks, ten of training and inference.",
    "heldout55": "By somebody who had seen neither: 20 of all fields, first versions and careful ones.",
    "heldout56": "By somebody who had seen neither: twenty fields, a third first versions, a third tuned.",
    "heldout57": "By somebody else who had seen neither: ported from CPUs, after a first round, left by experts.",
    "heldout58": "By somebody else who had seen neither: ported from CPUs, after a first round, left by experts.",
    "heldout59": "By somebody else who had seen neither: of all fields, naive and tuned, uneven and odd ones.",
}


def _real_set(name: str) -> dict[str, Any]:
    """Kernels of real projects on the H100 and, where that was lent for them, on an H200."""
    import heldout

    found: dict[str, Any] = {"name": name, "columns": [],
                             "projects": tomllib.loads((ROOT / "tests/gpu" / name.removesuffix("b") / "projects.toml")
                                                       .read_text())}
    for machine in ("h100", "h200"):
        kept = json.loads((REFERENCE / f"{machine}_{name}.json").read_text())
        found[machine] = kept
        for title, measured in (("first", kept), ("since known", kept.setdefault("later", None))):
            if measured:
                measured["summary"] |= heldout.firm(measured["rows"])
                found["columns"].append((f"{machine.upper()}, {title}", measured["summary"]))
    beside = {r["kernel"]: r for r in found["h200"]["rows"]}
    later = found["h100"].get("later")
    found["rows"] = [(r, r2, beside.get(r["kernel"])) for r, r2 in
                     zip(found["h100"]["rows"], later["rows"] if later else [None] * len(found["h100"]["rows"]),
                         strict=True)]
    return found


def heldout_page() -> str:
    """The model of time on kernels that it was not made with, set after set."""
    sys.path.insert(0, str(ROOT / "tests" / "gpu"))
    import heldout
    import how_sure

    paths = {name: REFERENCE / f"h200_{name}.json" for name in _HELDOUT}
    sets = [json.loads(path.read_text()) | {"name": name} for name, path in paths.items()
            if path.exists()]  # a set that was not measured yet has nothing to say
    for kept in sets:
        later = kept.setdefault("later", None)
        for measured in (kept, later) if later else (kept,):
            measured["summary"] |= heldout.firm(measured["rows"])
        kept["pairs"] = list(zip(kept["rows"], later["rows"] if later else [None] * len(kept["rows"]), strict=True))

    def percent(x: float) -> str:
        return f"{100 * x:.1f} %"

    numbers: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("error of the time, mean", lambda s: percent(s["mean"])),
        ("median", lambda s: percent(s["median"])),
        ("90th percentile", lambda s: percent(s["p90"])),
        ("worst", lambda s: percent(s["worst"])),
        ("error of variant / original, median", lambda s: f"{percent(s['ratio_median'])} ({s['ratios']} variants)"),
        ("order right, of pairs of variants that differ by 10 % or more", lambda s: f"{s['right']} of {s['pairs']}"),
        ("limiter that of the GPU", lambda s: f"{s['limiters']} of {s['kernels']}"),
        ("the likeliest limiter that of the GPU", lambda s: f"{s['likeliest']} of {s['kernels']}"),
        (f"... of kernels with no time of the GPU within {100 * MARGIN:.0f} points of a line",
         lambda s: f"{s['firm_likeliest']} of {s['firm']}"),
    ]
    newest = max(kept["later"]["date"][:10] for kept in sets if kept["later"])
    older = [f"`{kept['name']}`" for kept in sets if kept["later"] and kept["later"]["date"][:10] < newest]
    others = {name: json.loads(heldout.kept_path(name, "h100").read_text())
              for name in (*reversed(heldout.SETS), "samples") if heldout.kept_path(name, "h100").exists()}
    h100 = [(f"`{name}`" if name in _HELDOUT else name, kept["summary"] | heldout.firm(kept["rows"]))
            for name, kept in others.items()]
    reals = [_real_set(name) for name in ("real", "real2", "real3", "real3b")]
    first = {key: sum(s["summary"][key] for s in sets) for key in ("kernels", "likeliest", "firm", "firm_likeliest")}
    return _environment().get_template("heldout.md.j2").render(
        patterns=Patterns(), now=lambda kernel: held_out(sets, kernel), reals=reals,
        first=first, h100=h100,
        newest=newest, older=older, margin=f"{100 * MARGIN:.0f}", close=CLOSE, percent=percent,
        sets=sets, numbers=numbers, words=_HELDOUT, machine=sets[0]["machine"].upper(), sure=how_sure.table(),
        first_judged=heldout.judged()[how_sure.FIRST_JUDGED],
        error=lambda r: f"{100 * (r['sim']['identity'] / r['gpu']['identity'] - 1):+.0f} %".replace("-", "−"))


def microbenchmarks_page() -> str:
    """The model of time on the patterns that it was made with."""
    return _environment().get_template("microbenchmarks.md.j2").render(patterns=Patterns())


def stalls_page() -> str:
    """Why warps wait on the samples, as tests/gpu/stalls.py found it."""
    kept = json.loads((REFERENCE / "h200_stalls.json").read_text())

    def top(parts: dict[str, float]) -> str:
        ranked = sorted(parts.items(), key=lambda kv: -kv[1])[:4]
        return ", ".join(f"{name} {100 * part:.0f}" for name, part in ranked if part >= 0.01)

    return _environment().get_template("stalls.md.j2").render(
        s=kept["summary"], rows=kept["rows"], top=top, percent=lambda x: f"{100 * x:.0f} %")


def seeds_page() -> str:
    """The seeds' ladders as tests/seeds/ladders.py kept them."""
    kept = json.loads((ROOT / "tests" / "seeds" / "ladders.json").read_text(encoding="utf-8"))
    for ladder in kept["ladders"]:
        before = None
        for rung in ladder["rungs"]:
            rung["steps"] = None if before is None else [rung[k] / before[k] for k in ("simulated", "slide")]
            rung["right"] = None if before is None else \
                (rung["simulated"] > before["simulated"]) == (rung["slide"] > before["slide"])
            before = rung
        ladder["right"] = all(r["right"] is not False for r in ladder["rungs"])
    return _environment().get_template("seeds.md.j2").render(**kept)


def accuracy_page() -> str:
    sys.path.insert(0, str(ROOT / "tests" / "gpu"))
    import accuracy

    found = accuracy.rows()
    samples = [r for r in found if r.sample != "mufu"]
    steady = [r for r in samples if r.variant not in accuracy.RACING]
    reduction = next(r for r in samples if r.kernel == "histogram_global" and r.variant == "original")
    return _environment().get_template("accuracy.md.j2").render(
        launches=len(samples), comment=accuracy.comment(), counters=accuracy.counters_table(samples),
        deviations=accuracy.deviations(samples), noise=accuracy.noise(samples),
        reduction_error=f"{100 * abs(reduction.error('reduction_sectors')):.1f} %", compared=len(steady),
        racing=", ".join(f"`{v}`" for v in accuracy.RACING), identical=sum(r.equal == r.arrays for r in steady),
        memory=accuracy.memory_table(samples), functions=accuracy.functions_table())



def _agreement() -> tuple[dict[str, str], int]:
    """By counter: on how many launches of those that count any the GPU's value is ours within 0.1 %, and within 5 %."""
    lines = (ROOT / "tests" / "sim" / "reference" / "h200_counters.csv").read_text(encoding="utf-8").splitlines()
    same: Counter[str] = Counter()
    near: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    launches = set()
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        gpu, ours = float(row["gpu"]), float(row["simulated"] or 0)
        launches.add(row["launch"])
        seen[row["counter"]] += 1
        apart = abs(gpu - ours) / max(abs(gpu), abs(ours))
        same[row["counter"]] += apart <= 1e-3
        near[row["counter"]] += apart <= 0.05

    def cell(name: str) -> str:
        if not seen[name]:
            return "–"
        close = f"; {near[name]} within 5 %" if near[name] > same[name] else ""
        return f"{same[name]} of {seen[name]}{close}"

    return {c.name: cell(c.name) for c in COUNTERS}, len(launches)


def _paragraphs(module: Any) -> str:
    """What a module says of itself, after its first paragraph, as Markdown."""
    _, _, rest = module.__doc__.strip().partition("\n\n")
    return str(rest).replace("``", "`")


def counters_page() -> str:
    agreement, launches = _agreement()
    groups = [(g, [c for c in COUNTERS if c.group == g]) for g in GROUPS]
    fermi_names = {c.name for c in fermi.COUNTERS}
    return _environment().get_template("counters.md.j2").render(
        groups=groups, agreement=agreement, launches=launches, target=f"{TARGET_INSTRUCTIONS:,}",
        simplifications=_paragraphs(caches), races=_paragraphs(races), fermi=fermi.COUNTERS,
        tesla=[c for c in older.TESLA if c.name not in fermi_names or c.seed == older.PROFILER])


def analysis_page() -> str:
    sys.path.insert(0, str(ROOT / "tests" / "gpu"))
    import verdicts

    rows, others = verdicts.agreement()
    env = _environment()

    def gain(i: tuple[float, float, float] | None) -> str:
        return "–" if i is None else f"{i[0]:.2f} [{i[1]:.2f}, {i[2]:.2f}]"

    def ratio(launch: dict[str, Any], variant: str) -> str:
        times = launch["times_ms"]
        return f"{times[variant][0] / times['original'][0]:.2f}" if variant in times else "–"

    env.filters["ms"] = lambda i: f"{_ms(i[0])} ± {100 * (i[2] - i[1]) / 2 / i[0]:.1f} %"
    env.filters["gain"] = gain
    env.filters["ratio"] = ratio
    env.filters["part"] = lambda p: f"{100 * p.real[0] / p.predicted[0]:.0f} %" if p.predicted else "–"
    found = verdicts.payoffs()
    return env.get_template("analysis.md.j2").render(
        rules=RULES, close=f"{100 * CLOSE:.0f}", margin=f"{100 * MARGIN:.0f}", ref=verdicts.reference(), rows=rows,
        same=sum(r["same"] for r in rows), others=others, explanations=verdicts.explanations(), payoffs=found,
        broken=[p for p in found if not p.holds], latency=f"{verdicts.LATENCY:.0f}", near=f"{verdicts.NEAR:.0f}")


PAGES = {"analysis": analysis_page, "mutations": mutations_page, "samples": samples_page, "machines": machines_page,
         "accuracy": accuracy_page, "counters": counters_page, "simulated_times": simulated_times_page,
         "heldout": heldout_page, "stalls": stalls_page, "seeds": seeds_page,
         "microbenchmarks": microbenchmarks_page}


def main() -> int:
    wanted = sys.argv[1:] or list(PAGES)
    if not set(wanted) <= set(PAGES):
        print(f"usage: make_docs.py [{'|'.join(PAGES)}]", file=sys.stderr)
        return 2
    DOCS.mkdir(exist_ok=True)
    for name in wanted:
        path = DOCS / f"{name}.md"
        path.write_text(PAGES[name](), encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
