"""bench.cu through nvcc: it compiles, and its harness does what it says on a runtime that runs nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from bench_cases import bench

from mutate.report.bench import render_bench

pytestmark = [pytest.mark.nvcc, pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")]

HERE = Path(__file__).parent


def nvcc(*arguments: str | Path) -> None:
    run = subprocess.run(["nvcc", "-arch=sm_90", "-Werror", "all-warnings", *arguments], capture_output=True, text=True,
                         check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bench linked against the fake runtime."""
    folder = tmp_path_factory.mktemp("bench")
    made = bench(folder)
    made.folder.mkdir()
    (made.folder / "bench.cu").write_text(render_bench(made))
    nvcc("-cudart", "none", "-o", made.folder / "bench", made.folder / "bench.cu", HERE / "fake_cudart.cpp")
    return made.folder / "bench"


def run(program: Path, *options: str, **settings: str) -> tuple[int, str, str, list[str]]:
    log = program.parent / "log"
    done = subprocess.run([program, *options], capture_output=True, text=True, check=False,
                          env={**os.environ, "KMB_LOG": str(log), **settings}, timeout=60)
    return done.returncode, done.stdout, done.stderr, log.read_text().splitlines() if log.exists() else []


def test_the_table(program: Path) -> None:
    code, out, err, _ = run(program, "--rounds", "5", KMB_MS="km_original:2,km_no_sync:1.5,km_memory_only_and:0.5")
    assert (code, err) == (0, "")
    assert 'mix  grid 64x1x1  block 16x1x1  5 rounds on Fake "GPU"' in out
    rows = [line.split() for line in out.splitlines() if line.startswith(("original", "no-sync", "memory-only"))]
    assert rows[:3] == [["original", "8", "2.00000", "2.00000", "1.000"],
                        ["no-sync", "8", "1.50000", "1.50000", "0.750"],
                        ["memory-only+no-sync", "6", "0.50000", "0.50000", "0.250"]]
    assert len(rows) == 6 and "templated<16, float>" in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_is_json(program: Path) -> None:
    code, out, _, _ = run(program, "--json", "--rounds=3", "--only=original,no-sync", KMB_MS="km_no_sync:4")
    document = json.loads(out)
    assert code == 0 and document["schema"] == "kmutate.bench/1" and document["gpu"] == 'Fake "GPU"'
    assert [k["kernel"] for k in document["kernels"]] == ["mix", "templated<16, float>"]
    original, no_sync = document["kernels"][0]["variants"]
    assert original["id"] == "original" and original["ms"] == [1, 1, 1] and original["ratio_to_original"] == 1
    assert no_sync == {"id": "no-sync", "dynamic_smem": 64, "blocks_per_sm": 8, "median_ms": 4, "min_ms": 4,
                       "ratio_to_original": 4, "ms": [4, 4, 4]}


def test_rounds_are_interleaved_and_data_restored_outside_the_timed_region(program: Path) -> None:
    _, _, _, log = run(program, "--rounds", "2")
    timed = [re.search(r"km_\w*?(original|no_sync|memory_only)", line) for line in log if line.startswith("launch")
             and "3mixE" in line]
    assert [m[1] for m in timed if m] == ["original", "no_sync", "memory_only"] * 4
    start = next(i for i, line in enumerate(log) if "3mixE" in line and line.startswith("launch"))
    # Before each launch: out is written and made anew, both symbols are set, the clock starts; after it, it stops.
    assert [line.split()[0] for line in log[start - 5 : start + 2]] == ["launch", "symbol", "symbol", "launch", "event",
                                                                        "launch", "event"]
    assert "fill_kernel" in log[start - 5] and "IotaReal" in log[start - 5]
    assert "4coefE 12 2.5" in log[start - 4] and "4modeE 4" in log[start - 3] and "pause" in log[start - 2]
    assert log[start].endswith(" 64x16 64")


def test_attributes_are_set_once_a_variant(program: Path) -> None:
    _, _, _, log = run(program, "--rounds", "1")
    set_ = [line.split()[1:] for line in log if line.startswith("attribute") and "3mixE" in line]
    assert [(a, v) for _, a, v in set_] == [("8", "64"), ("8", "64"), ("9", "50"), ("8", "2112"), ("9", "50")]


def test_a_refused_variant_is_named_and_the_others_timed(program: Path) -> None:
    code, out, _, _ = run(program, KMB_REFUSE="km_no_sync3mix")
    assert code == 1
    assert "no-sync             failed: invalid configuration" in out
    assert out.count("1.00000      1.00000     1.000") == 5
    code, out, _, _ = run(program, "--json", KMB_REFUSE="km_original3mix")
    assert code == 1
    first, second, _ = json.loads(out)["kernels"][0]["variants"]
    assert first["error"] == "invalid configuration" and second["ratio_to_original"] is None


def test_a_fault_ends_the_run_with_its_name(program: Path) -> None:
    code, out, err, _ = run(program, KMB_FAULT="km_no_sync3mix")
    assert code == 1
    assert "no-sync             failed: an illegal memory access" in out
    assert "original            failed: not timed: no-sync ended the CUDA context; leave it out with --only" in out
    assert "later kernels are not timed" in err
    code, out, _, _ = run(program, "--json", KMB_FAULT="km_no_sync3mix")
    assert code == 1 and len(json.loads(out)["kernels"]) == 1


@pytest.mark.parametrize(("options", "words"), [
    (["--foo"], "unknown option --foo"), (["--only", "orginal"], "unknown variant orginal"),
    (["--only", ""], "unknown variant"), (["--rounds"], "--rounds needs a value"), (["--rounds", "0"], "not 0"),
    (["--rounds", "3x"], "not 3x"), (["--json=1"], "unknown option --json=1"), (["extra"], "unknown option extra"),
])
def test_a_wrong_option_shows_the_usage(program: Path, options: list[str], words: str) -> None:
    code, out, err, _ = run(program, *options)
    assert code == 2 and out == ""
    assert words in err and "usage: bench" in err and "original no-sync memory-only+no-sync" in err


def test_help_is_no_error(program: Path) -> None:
    code, out, _, _ = run(program, "--help")
    assert code == 0 and out.startswith("usage: bench")


def test_files_are_read_from_beside_the_bench_and_checked(tmp_path: Path) -> None:
    from mutate.launch import evaluate_all, find_declarations
    from mutate.report.bench import Bench, BenchCase, BenchVariant

    np.save(tmp_path / "x.npy", np.full(8, 7, np.int8))
    (tmp_path / "x.bin").write_bytes(bytes([9] * 16))
    source = ('/* kmutate launch dim3 grid = 1, block = 8; char x[] = file("x.npy"); int y[4] = file("x.bin");'
              " int r[5] = csr_rowptr(4, 2, 2); k(x, y, r); */\n__global__ void k(char *x, int *y, int *r) {}\n")
    (launch,) = evaluate_all(find_declarations(source.encode(), str(tmp_path / "k.cu")))
    folder = tmp_path / "out"
    folder.mkdir()
    made = Bench(tmp_path / "k.cu", folder, (
        BenchCase(launch, (BenchVariant("original", source, "k", 0),), frozenset({"x"})),))
    (folder / "bench.cu").write_text(render_bench(made))
    nvcc("-cudart", "none", "-o", folder / "bench", folder / "bench.cu", HERE / "fake_cudart.cpp")
    code, out, err, log = run(folder / "bench", "--rounds", "1")
    assert (code, err) == (0, "") and "-" not in out.split("\n")[2].split()[-1]
    # The copies to the GPU, then one to keep x; x comes back before each of three launches.
    copies = [line for line in log if line.startswith("memcpy")]
    assert copies == ["memcpy 8 7", "memcpy 8 7", "memcpy 16 9", "memcpy 20 0"]
    assert log.count("restore 8") == 3
    np.save(tmp_path / "x.npy", np.full(8, 7, np.int16))
    code, _, err, _ = run(folder / "bench")
    assert code == 2 and "another type" in err
    np.save(tmp_path / "x.npy", np.full(9, 7, np.int8))
    code, _, err, _ = run(folder / "bench")
    assert code == 2 and "another amount" in err
    code, _, err, _ = run(folder / "bench", "--data", str(tmp_path / "nowhere"))
    assert code == 2 and "cannot be opened" in err and "--data DIR" in err
