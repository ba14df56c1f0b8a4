"""The corpus runner on a small project: what it finds, what it says, and that it goes on where it was."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path, PosixPath
from typing import Any

import kernel_runs
import pytest
import run_corpus
from instances import Project
from kernel_runs import Task, run_all, run_kernel
from outcomes import listing, not_compiled, table

from mutate.frontend.load import load_unit
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

FILES = {
    "inc/scale.h": "#pragma once\n__device__ inline float scale(float x) { return 2.0f * x; }\n",
    "src/good.cu": '#include "scale.h"\n'
                   "__global__ void good(float *out, const float *in) { out[threadIdx.x] = scale(in[threadIdx.x]); }\n"
                   "template <int N> __global__ void power(float *p) { for (int i = 1; i < N; i++) p[i] *= p[0]; }\n"
                   "template <int N> void launch(float *p) { power<N><<<1, 32>>>(p); }\n"
                   "void host(float *p) { launch<3>(p); }\n",
    "src/bad.cu": "#include <nowhere/vendor.h>\n__global__ void bad(float *p) { *p = vendor(*p); }\n",
    "src/old.h": "__global__ void old(float *p) { register float x = p[0]; p[1] = x; }\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "project"


def test_an_instance_is_found_through_the_template_that_launches_it() -> None:
    project = Project([load_unit(FILES["src/good.cu"].encode(), "good.cu")])
    project.index()
    found = {k.name: project.instances(k, 3) for k in project.units[0].kernels}
    assert found == {"good": [None], "power": ["3"]}


def test_what_a_call_leaves_to_be_deduced_is_guessed() -> None:
    project = Project([load_unit(b"template <int N, typename T> __global__ void k(T *p) { *p = N; }\n"
                                 b"void host(double *p) { k<7><<<1, 1>>>(p); }\n", "k.cu")])
    project.index()
    assert project.instances(project.units[0].kernels[0], 3) == ["7, float"]


INSTANCES = {
    "in a class": ("template <float (*op)(float), int n = 1> struct apply {\n"
                   "    template <class T> void operator()(T *p) { k<op, T, n><<<1, 1>>>(p); }\n};\n"
                   "void host(float *p) { apply<twice>()(p); }\n", ["twice, float, 1"]),
    "by tags": ("template <class T> void launch(T *p) {\n"
                "    auto go = [&](auto n) { constexpr int N = decltype(n)::value; k<twice, T, N><<<1, 1>>>(p); };\n"
                "    go(std::integral_constant<int, 3>{}); go(std::integral_constant<int, 7>{});\n}\n"
                "void host(double *p) { launch<double>(p); }\n", ["twice, double, 3", "twice, double, 7"]),
    "of the constant in scope": ("void host(float *p) {\n"
                                 "    { constexpr int n = 5; k<twice, float, n><<<1, 1>>>(p); }\n"
                                 "    { constexpr int n = 6; k<twice, float, n><<<1, 1>>>(p); }\n}\n",
                                 ["twice, float, 5", "twice, float, 6"]),
    "with a pack": ("template <int... Ns, class T> void launch(T *p) { (k<twice, T, Ns><<<1, 1>>>(p), ...); }\n"
                    "void host(float *p) { launch<4, 8>(p); }\n", ["twice, float, 4"]),
    "of nobody": ("", ["twice, float, 32"]),
}


@pytest.mark.parametrize("host", INSTANCES)
def test_instances_are_found_through_what_launches_them(host: str) -> None:
    text, wanted = INSTANCES[host]
    project = Project([load_unit(("__device__ float twice(float x) { return 2 * x; }\n"
                                  "template <float (*op)(float), class T, int n, class... More>\n"
                                  "__global__ void k(T *p) { *p = op(n); }\n" + text).encode(), "k.cu")])
    project.index()
    assert project.instances(project.units[0].kernels[0], 3) == wanted


@needs_nvrtc
def test_a_project_is_run_once_and_told_in_a_table(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "results.jsonl"
    arguments = ["run_corpus.py", "--results", str(results), "--processes", "1", "--not-compiled", str(project)]
    monkeypatch.setattr(sys, "argv", arguments)
    assert run_corpus.main() == 0
    text = capsys.readouterr().out
    assert "project: 4 kernels; done 3, not-compiled 1" in text
    assert "memory-only  ok 3/3 (100.0 %)" in text
    assert 'src/bad.cu:bad: ' in text and "nowhere/vendor.h" in text
    records = [json.loads(line) for line in results.read_text().splitlines()]
    assert {(r["kernel"], r["instance"], r["outcome"]) for r in records} == {
        ("good", None, "done"), ("power", "3", "done"), ("old", None, "done"), ("bad", None, "not-compiled")}

    def none(*_: object) -> Iterator[kernel_runs.Record]:
        assert not _[0], "all is known"
        return iter(())

    monkeypatch.setattr(run_corpus, "run_all", none)
    with results.open("a") as file:
        file.write('{"key": "cut o')  # a run that was killed
    assert run_corpus.main() == 0
    assert "project: 4 kernels; done 3, not-compiled 1" in capsys.readouterr().out


def test_a_traceback_is_an_outcome_of_its_own(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("made up")

    monkeypatch.setattr(kernel_runs, "prove_file", fail)
    task = Task("key", project / "src/old.h", "old", 0, (None,), (), 1, "sm_90")
    record = run_kernel(task, lambda what: None)
    assert record["outcome"] == "traceback" and "ZeroDivisionError: made up" in record["why"]


class Endless(PosixPath):
    """The path of a file that reading never comes to the end of."""

    def __fspath__(self) -> str:
        time.sleep(600)
        return super().__fspath__()


def test_a_process_that_hangs_or_dies_costs_one_kernel(project: Path) -> None:
    good = Task("good", project / "src/old.h", "old", 0, (None,), (), 1, "sm_90")
    stuck = Task("stuck", Endless(project / "src/old.h"), "old", 0, (None,), (), 1, "sm_90")
    records = {r["key"]: r["outcome"] for r in run_all([stuck, good], 1, 12.0)}
    assert records["stuck"] == "hang" and records["good"] in ("done", "error")


def test_the_table_counts_what_was_made() -> None:
    ok = {"outcome": "ok", "verdict": "VALID", "reasons": []}
    degraded = {"outcome": "ok", "verdict": "DEGRADED", "reasons": [["spills", "DEGRADED", "it spills"]]}
    refused = {"outcome": "refused", "slug": "no-barrier", "why": "none"}
    base: dict[str, Any] = {"file": "a.cu", "instance": None, "lines": 3, "seconds": {"all": 1.0}, "slug": "",
                            "why": ""}
    records = [base | {"kernel": "a", "outcome": "done",
                       "variants": {"memory-only": ok, "store-only": ok, "math-only": degraded, "no-sync": refused}},
               base | {"kernel": "b", "outcome": "done", "variants": {"memory-only": ok, "store-only": refused}},
               base | {"kernel": "c", "outcome": "hang", "why": "stopped", "slug": "hang", "variants": {}},
               base | {"kernel": "d", "outcome": "not-compiled", "why": "no header", "variants": {}}]
    text = table("made-up", records)
    assert "all three    ok 1/2 (50.0 %)" in text and "store-only   ok 1/2 (50.0 %)" in text
    assert "variants made 4, of 6: VALID 3/4 (75.0 %), DEGRADED 1, INVALID 0, not compiled 0" in text
    assert "hang: a.cu:c: hang: stopped" in text
    assert list(listing(records, "spills")) == ["    a.cu:a math-only DEGRADED: it spills"]
    assert list(not_compiled(records)) == ["    a.cu:d: no header"]
