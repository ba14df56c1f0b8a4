"""What certificates claim, held against the hardware counters recorded on a GPU (``reference/``; no GPU needed)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from summarize import COUNTERS, TIMES, read, summarize

REFERENCE = Path(__file__).resolve().parent / "reference"
GLOBAL = ("global_load_sectors", "global_store_sectors")
SHARED = ("shared_loads", "shared_stores")
FP = ("ffma", "fadd", "fmul", "dfma")
SMEM = ("smem-conflict-free", "smem-broadcast")

# Variant -> (columns, what the column has to be against the original's).
CLAIMS: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "identity": (((*GLOBAL, *SHARED, *FP, "inst_executed"), "same"),),
    "memory-only": ((GLOBAL, "same"), (FP, "none")),
    "load-only": ((GLOBAL[:1], "same"), ((GLOBAL[1], *FP), "none")),
    "store-only": ((GLOBAL[1:], "same"), ((GLOBAL[0], *FP), "none")),
    "math-only": ((GLOBAL, "none"), (FP, "within 2 %"), (SHARED, "same")),
    "no-sync": (((*GLOBAL, *SHARED, *FP), "same"),),
    "smem-conflict-free": (((*GLOBAL, *SHARED, *FP), "same"),),
    "smem-broadcast": (((*GLOBAL, *SHARED, *FP), "same"),),
}

# (kernel, variant, column) -> (share of the original's number that was measured, why).
_INSIDE = ("the compiler moves the computation into the branch around the store, so that warps wholly outside the "
           "interior skip it; the shared loads there belong to it")
_ASYNC = "an asynchronous copy without its global side is a store to shared memory"
_WIDE = ("the compiler joins neighbouring shared loads of the original into wide ones (LDS.64, LDS.128); indices that "
         "it cannot see through stay single loads: the accesses in the source are as many, the instructions more")
_BIN = "the loaded value is the index of an atomic update, which is a store: the load is retained"
_BOUNDS = "the row bounds of the sparse matrix are loop bounds: their loads are retained"
EXCEPTIONS: dict[tuple[str, str, str], tuple[float | None, str]] = {
    ("fd3d", "math-only", "shared_loads"): (0.984, _INSIDE),
    ("histogram_global", "store-only", "global_load_sectors"): (1.0, _BIN),
    ("histogram_shared", "math-only", "global_load_sectors"): (1.0, "the loaded value is the index of an update in "
                                                                    "shared memory, which stays"),
    ("spmv_scalar", "math-only", "global_load_sectors"): (0.0039, _BOUNDS),
    ("spmv_vector", "math-only", "global_load_sectors"): (0.0585, _BOUNDS),
    # None: the original has none.
    ("smooth_pipeline", "math-only", "shared_stores"): (None, _ASYNC),
    ("smooth_memcpy_async", "math-only", "shared_stores"): (None, _ASYNC),
    **{("matmul_tiled", v, "shared_loads"): (1.6, _WIDE) for v in SMEM},
    **{("matmul_two_outputs", v, "shared_loads"): (2.0, _WIDE) for v in SMEM},
    **{("matmul_transposed_b", v, "shared_loads"): (4.0, _WIDE) for v in SMEM},
    **{("matmul_padded", v, "shared_loads"): (2.0, _WIDE) for v in SMEM},
    **{("matmul_one_shared", v, "shared_loads"): (4.0, _WIDE) for v in SMEM},
}

_COMMENT, _ROWS = read(REFERENCE / "h200_counters.csv")
COUNTED = {(r["kernel"], r["grid"], r["variant"]): r for r in _ROWS}
CASES = [key for key in COUNTED if key[2] in CLAIMS and (key[0], key[1], "original") in COUNTED]


def holds(rule: str, before: int, after: int) -> bool:
    if rule == "none":
        return after == 0
    return after == before if rule == "same" else abs(after - before) <= 0.02 * before


def differing(kernel: str, grid: str, variant: str) -> dict[str, tuple[int, int]]:
    """Columns in which a claim does not hold: (the original's number, the variant's)."""
    original, mine = COUNTED[kernel, grid, "original"], COUNTED[kernel, grid, variant]
    out = {}
    for columns, rule in CLAIMS[variant]:
        for column in columns:
            before, after = int(original[column]), int(mine[column])
            if not holds(rule, before, after):
                out[column] = (before, after)
    return out


@pytest.mark.parametrize(("kernel", "grid", "variant"), CASES, ids=["-".join(c) for c in CASES])
def test_variant_did_on_the_gpu_what_its_mutation_claims(kernel: str, grid: str, variant: str) -> None:
    unexpected = []
    for column, (before, after) in differing(kernel, grid, variant).items():
        share, _ = EXCEPTIONS.get((kernel, variant, column), (0.0, ""))
        ok = not before and after if share is None else before and after / before == pytest.approx(share, rel=0.01)
        if not ok:
            unexpected.append(f"{column}: {before} in the original, {after} in the variant")
    assert not unexpected


def test_every_exception_is_one() -> None:
    found = {(kernel, variant, column) for kernel, grid, variant in CASES
             for column in differing(kernel, grid, variant)}
    assert set(EXCEPTIONS) == found


def test_every_kind_of_variant_was_counted() -> None:
    assert {variant for _, _, variant in CASES} == set(CLAIMS)
    assert len(CASES) > 250


def test_conflict_free_indices_remove_the_conflicts_of_the_samples_that_have_them() -> None:
    """Wavefronts beyond one for each shared access are conflicts; 64-bit accesses need two."""
    for kernel, per_access in (("fp64_stencil_conflicting", 2), ("transpose_conflicting", 1)):
        grid = next(g for k, g, _ in COUNTED if k == kernel)
        original, cured = COUNTED[kernel, grid, "original"], COUNTED[kernel, grid, "smem-conflict-free"]
        accesses = sum(int(original[c]) for c in SHARED)
        assert int(original["shared_wavefronts"]) > 10 * accesses
        assert int(cured["shared_wavefronts"]) < 1.5 * per_access * accesses


def test_what_was_timed_was_counted_or_is_named_as_missing() -> None:
    lacking = next(line for line in _COMMENT if line.startswith("not counted"))
    for row in read(REFERENCE / "h200_times.csv")[1]:
        if (row["kernel"], row["grid"], row["variant"]) not in COUNTED:
            assert f"{row['kernel']} {row['grid']}: " in lacking
            assert row["variant"] in lacking


def test_both_tables_say_where_they_come_from() -> None:
    for name, columns in (("h200_times.csv", TIMES), ("h200_counters.csv", ("sample", *COUNTERS))):
        comment, rows = read(REFERENCE / name)
        head = " ".join(comment)
        assert "NVIDIA H200, driver 580" in head
        assert "2026-11-21" in head
        assert "measure_samples.sh" in head
        assert set(columns) <= set(rows[0])


# -- the script itself ------------------------------------------------------------------------------------------------

def _results(folder: Path) -> Path:
    (folder / "machine.txt").write_text("2030-01-02T03:04:05Z\nNVIDIA X1, 1.2, 3 MHz, 4 MHz\nrelease 9.9, V9.9.1\n")
    variants = [{"id": v, "dynamic_smem": 0, "blocks_per_sm": 2, "median_ms": 0.5, "min_ms": 0.25,
                 "ratio_to_original": 1, "ms": [0.5]} for v in ("original", "memory-only+no-sync", "no-sync")]
    (folder / "s.json").write_text(json.dumps({"rounds": 3, "kernels": [
        {"kernel": "f<8>", "grid": [4, 1, 1], "block": [32, 8, 1], "variants": variants}]}))
    head = ["ID", "Kernel Name", "Grid Size", *COUNTERS.values()]

    def line(name: str, first: str) -> str:
        return ",".join(f'"{x}"' for x in ["0", name, "(4, 1, 1)", first, *["2"] * (len(COUNTERS) - 1)])

    (folder / "s.ncu.csv").write_text("\n".join([
        "==PROF== talk", ",".join(f'"{h}"' for h in head), ",".join('""' for _ in head),
        line("void km_original::f<(int)8>(float *)", "7"), line("void km_original::f<(int)8>(float *)", "1,234"),
        line("void km_memory_only_and_no_sync_2::f<(int)8>(float *)", "9"), line("other(float *)", "1")]))
    return folder


def test_summary_keeps_the_last_launch_and_names_what_is_missing(tmp_path: Path) -> None:
    times, counters = summarize(_results(tmp_path), tmp_path / "out")
    assert times.name == "x1_times.csv"
    comment, rows = read(counters)
    assert [(r["kernel"], r["grid"], r["variant"], r["inst_executed"]) for r in rows] == [
        ("f<8>", "4", "original", "1234"), ("f<8>", "4", "memory-only+no-sync", "9")]
    assert comment[-1].endswith("f<8> 4: no-sync")
    assert [r["median_ms"] for r in read(times)[1]] == ["0.50000"] * 3
