"""The counters against ncu's on an H200, launch by launch, and what a counter is."""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mutate.machines import load_machine
from mutate.pipeline.simulate import run_simulation
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.counters import COUNTERS, CacheView, Totals, evaluate, kinds, scaled
from mutate.simulated import SimulateRequest
from mutate.toolchain.locate import find_toolchain

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "gpu"))
from launches import SMALL  # noqa: E402

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
# Counters that nothing but the program decides. ncu counts LDGSTS.BYPASS among global loads; its wavefronts and some of
# its _pred_on_any grow with other traffic (docs/counters.md).
EXACT = [c.name for c in COUNTERS if c.ncu and not re.search(
    "l2_|l1_|dram|wavefronts|conflicts|shared_(load|store)_requests|copy|reduction", c.name)]


@cache
def reference() -> dict[str, dict[str, tuple[float, float]]]:
    """By launch and counter: (GPU, simulated when it was made)."""
    found: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    lines = (Path(__file__).parent / "reference" / "h200_counters.csv").read_text().splitlines()
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        found[row["launch"]][row["counter"]] = float(row["gpu"]), float(row["simulated"] or 0)
    return found


def name_of(sample: str, kernel: str, instance: str | None, number: int) -> str:
    return f"{sample}.{kernel}-{instance or ''}.{number}"


@needs_nvrtc
@pytest.mark.parametrize("sample", sorted(SMALL))
def test_counters_are_those_of_the_gpu(sample: str) -> None:
    report = run_simulation(SimulateRequest(Request(samples_dir() / f"{sample}.cu", settings=SMALL[sample]), blocks=0),
                            load_machine("h200"))
    compared = 0
    for kernel in report.kernels:
        for number, launch in enumerate(kernel.launches):
            gpu = reference()[name_of(sample, kernel.target.stem, kernel.target.instance, number)]
            ours = evaluate(launch.totals)
            if gpu["instructions"][1] != ours["instructions"]:
                continue  # another compiler than the reference's
            compared += 1
            for c in EXACT:
                expected = gpu.get(c, (0, 0))[0]
                if c.startswith("global_load") and ours["global_copy_requests"]:
                    continue
                assert (ours[c] or 0) == pytest.approx(expected, rel=1e-3), (kernel.target.name, c)
            for c in ("l1_global_load_hits", "l1_local_load_hits", "shared_load_wavefronts", "shared_store_wavefronts",
                      "global_reduction_sectors"):
                assert (ours[c] or 0) == pytest.approx(gpu.get(c, (0, 0))[0], rel=0.025), (kernel.target.name, c)
    assert compared


def test_the_reference_agrees_with_the_gpu_where_nothing_else_decides() -> None:
    for launch, counters in reference().items():
        for name in EXACT:
            gpu, ours = counters.get(name, (0, 0))
            if not (name.startswith("global_load") and launch.startswith("async_tile")):
                assert ours == pytest.approx(gpu, rel=1e-3), (launch, name)


# -- the table --------------------------------------------------------------------------------------------------------

def instruction(text: str) -> Instruction:
    opcode, _, operands = text.partition(" ")
    return Instruction(0, "", opcode, operands, 0, 0)


def totals(*rows: tuple[str, dict[int, int]], spills: bool = False, caches: CacheView | None = None) -> Totals:
    table = np.zeros((len(rows), lay.COUNTERS), np.int64)
    for k, (_, counts) in enumerate(rows):
        for column, value in counts.items():
            table[k, column] = value
    return Totals(kinds([instruction(t) for t, _ in rows], spills), table, caches or CacheView())


def test_names_are_unique_and_said_in_words() -> None:
    assert len({c.name for c in COUNTERS}) == len(COUNTERS)
    known = {c.name for c in COUNTERS}
    for c in COUNTERS:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", c.name)
        assert c.rule and c.unit and c.group
        assert not c.needs or c.needs in known
        assert not c.ncu or re.fullmatch(r"(?:smsp|l1tex|lts|dram)__\w+\.(?:sum|ratio|pct)", c.ncu)


def test_each_space_and_direction_has_its_own_counters() -> None:
    t = totals(("LDG.E R0, [R2.64]", {lay.EXECUTED: 4, lay.REQUESTS: 3, lay.SECTORS: 12, lay.BYTES: 192}),
               ("STG.E [R2.64], R0", {lay.EXECUTED: 2, lay.REQUESTS: 2, lay.SECTORS: 64, lay.BYTES: 256}),
               ("LDGSTS.E [R1], [R2.64]", {lay.REQUESTS: 1, lay.SECTORS: 4, lay.SHARED_REQUESTS: 1, lay.WAVEFRONTS: 8,
                                           lay.IDEAL: 1}),
               ("ATOMS.ADD R0, [R1], R2", {lay.SHARED_REQUESTS: 5, lay.WAVEFRONTS: 40, lay.IDEAL: 5}),
               ("LD.E R0, [R2.64]", {lay.EXECUTED: 1, lay.REQUESTS: 1, lay.SECTORS: 1, lay.SHARED_REQUESTS: 1,
                                     lay.WAVEFRONTS: 2, lay.IDEAL: 1}),
               ("BAR.SYNC 0x0", {lay.EXECUTED: 7}), ("BRA 0x10", {lay.EXECUTED: 9, lay.DIVERGENT: 2}))
    v = evaluate(t)
    assert (v["global_load_requests"], v["global_load_sectors"], v["global_load_requested_bytes"]) == (4, 13, 192)
    assert (v["global_store_moved_bytes"], v["global_store_efficiency"]) == (2048, 12.5)
    assert (v["global_copy_sectors"], v["shared_copy_bank_conflicts"]) == (4, 7)
    assert (v["shared_atomic_requests"], v["shared_atomic_bank_conflicts"]) == (5, 35)
    assert (v["shared_load_requests"], v["shared_load_bank_conflicts"]) == (1, 1)
    assert (v["instructions"], v["barriers"], v["branches"], v["divergent_branches"]) == (23, 7, 9, 2)
    assert v["local_load_sectors"] == 0 and v["global_atomic_sectors_per_request"] is None
    assert t.classes() == {"barrier": 7, "control": 9, "generic_load.32": 1, "global_load.32": 4, "global_store.32": 2}


def test_spills_are_what_addresses_the_stack_where_the_compiler_spills() -> None:
    rows = (("STL [R1+0x10], R4", {lay.LOCAL_SECTORS: 4, lay.LOCAL_BYTES: 128}),
            ("STL [R17], R4", {lay.LOCAL_SECTORS: 8, lay.LOCAL_BYTES: 128}),
            ("LDL.LU R4, [R1]", {lay.LOCAL_SECTORS: 16, lay.LOCAL_BYTES: 64}))
    v = evaluate(totals(*rows, spills=True))
    assert (v["spill_store_sectors"], v["spill_load_sectors"], v["spill_bytes"]) == (4, 16, 192)
    assert v["local_store_sectors"] == 12
    assert evaluate(totals(*rows))["spill_bytes"] == 0


def test_caches_are_unknown_without_a_model() -> None:
    rows = (("LDG.E R0, [R2.64]", {lay.REQUESTS: 1, lay.SECTORS: 8, lay.L1_HITS: 2, lay.L2_HITS: 3}),
            ("STL [R1], R0", {lay.LOCAL_SECTORS: 4}), ("STG.E [R2.64], R0", {lay.SECTORS: 4}))
    v = evaluate(totals(*rows))
    for name in ("l1_global_load_hits", "l2_read_sectors", "l2_write_sectors", "dram_read_sectors"):
        assert v[name] is None, name
    v = evaluate(totals(*rows, caches=CacheView(True, True, True)))
    assert (v["l1_global_load_hit_rate"], v["l2_read_sectors"], v["l2_read_hits"]) == (25, 6, 3)
    assert (v["l2_read_hit_rate"], v["dram_read_sectors"], v["l2_write_sectors"]) == (50, 3, 8)
    assert evaluate(totals(*rows, caches=CacheView(True, True, False)))["l2_write_sectors"] == 4


def test_ratios_are_not_extrapolated() -> None:
    v = {"instructions": 10, "active_lanes": 17.5, "l2_read_sectors": None}
    assert scaled(v, 2.5) == {"instructions": 25, "active_lanes": 17.5, "l2_read_sectors": None}
