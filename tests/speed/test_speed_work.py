"""What a run does not do twice, and does not wait for. No times: machines differ, and share their cores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mutate.pipeline.run import run_variants
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.toolchain import nvdisasm, workers
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="needs NVRTC")
# What takes long to import, by what it is needed for.
HEAVY = {"numpy", "jsonschema", "elftools", "rich", "cupy", "jinja2"}


@pytest.fixture
def started(tmp_path, monkeypatch):
    monkeypatch.setenv("KMUTATE_CACHE", str(tmp_path / "cache"))
    log: list[str] = []
    spawn, run, wait = workers.Pool._spawn, subprocess.run, nvdisasm.WaitingNvdisasm
    monkeypatch.setattr(workers.Pool, "_spawn", lambda self: (log.append("compiler"), spawn(self))[1])
    monkeypatch.setattr(nvdisasm.subprocess, "run", lambda *a, **k: (log.append("nvdisasm"), run(*a, **k))[1])
    monkeypatch.setattr(nvdisasm, "WaitingNvdisasm", lambda *a: (log.append("nvdisasm"), wait(*a))[1])
    workers.close_pools()
    return log


def request(tmp_path: Path, name: str = "fd3d.cu") -> Request:
    return Request(samples_dir() / name, output=tmp_path / "out", dynamic=False)


def test_each_tool_is_started_once_and_not_again(started, tmp_path):
    first = run_variants(request(tmp_path))
    assert started.count("nvdisasm") == 1
    assert 1 <= started.count("compiler") <= workers.cores()
    started.clear()
    workers.close_pools()
    second = run_variants(request(tmp_path))
    assert started == [], "everything is known"
    assert [v.certificate for v in second.kernels[0].variants] == [v.certificate for v in first.kernels[0].variants]


def test_a_run_that_was_told_that_all_is_known_finds_out_that_it_is_not(started, tmp_path):
    run_variants(request(tmp_path, "increment.cu"))
    for path in (tmp_path / "cache").glob("compiled/*/*"):
        path.unlink()
    started.clear()
    workers.close_pools()
    report = run_variants(request(tmp_path, "increment.cu"))
    assert "compiler" in started
    assert all(v.certificate is not None for k in report.kernels for v in k.variants if v.refusal is None)


def test_a_warm_run_imports_nothing_that_takes_long(tmp_path):
    program = ("import sys\nfrom mutate.cli.main import main\ntry:\n main(sys.argv[1:])\nexcept SystemExit: pass\n"
               "print(*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)")
    command = [sys.executable, "-c", program, "variants", str(samples_dir() / "fd3d.cu"), "--json",
               "--no-dynamic", "-o", str(tmp_path / "out")]
    for _ in range(2):
        run = subprocess.run(command, env={"KMUTATE_CACHE": str(tmp_path / "cache"), "PATH": ""}, text=True,
                             capture_output=True, check=True, cwd=Path(__file__).parents[2])
    assert not HEAVY & set(run.stderr.split())
