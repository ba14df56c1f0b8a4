"""``kmutate analyze`` and ``kmutate classify`` as their users see them: what is printed, written, and the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import jsonschema
import pytest
from click.testing import CliRunner, Result

from mutate.cli.main import cli
from mutate.errors import KmutateError
from mutate.resources import samples_dir

SCHEMA = json.loads((Path(__file__).parents[2] / "mutate" / "report" / "schemas" / "analysis-1.json").read_text())
SEED = ("classify", "--full", "35.39", "--memory", "33.27", "--math", "16.25")
TRANSPOSE = (str(samples_dir() / "transpose.cu"), "-k", "transpose_naive", "--set", "width=1024", "--set",
             "height=1024")


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, list(args), standalone_mode=False)


def failure(result: Result) -> KmutateError:
    assert isinstance(result.exception, KmutateError), result.output
    return result.exception


def test_classify_says_what_the_seed_says() -> None:
    result = run(*SEED, "--bytes", "2.194e9", "--peak-bandwidth", "114")
    assert result.return_value == 0
    text = " ".join(result.output.split())
    assert "memory-bound" in text and "2.120 ms of math (13 %)" in text and "latency may matter too" in text


@pytest.mark.parametrize("times", [("35.39ms", "33.27 ms", "16250us"), ("0.03539s", "33270us", "16.25")])
def test_classify_knows_units(times: tuple[str, str, str]) -> None:
    a = run("classify", "--full", times[0], "--memory", times[1], "--math", times[2])
    assert a.output == run(*SEED).output


def test_classify_gives_json() -> None:
    result = run(*SEED, "--json", "--noise", "2")
    document = json.loads(result.output)
    jsonschema.validate(document, SCHEMA)
    finding = document["given"]["finding"]
    assert finding["limiter"] == "memory" and finding["full_ms"]["low"] == pytest.approx(35.39 * 0.98)


def test_classify_says_when_it_cannot_decide() -> None:
    result = run("classify", "--full", "10", "--memory", "8.6", "--math", "4", "--noise", "10")
    assert result.return_value == 3 and "inconclusive" in result.output


@pytest.mark.parametrize(("args", "words"), [
    (("classify", "--full", "ten", "--memory", "1", "--math", "1"), "'ten' is not a number"),
    (("classify", "--full", "10", "--memory", "0", "--math", "1"), "'0' is not a positive number"),
    (("classify", "--full", "10", "--memory", "5parsec", "--math", "1"), "units s, ms, us"),
    (("classify", "--memory", "5", "--math", "1"), "--full")])
def test_classify_refuses_what_is_no_time(args: tuple[str, ...], words: str) -> None:
    result = run(*args)
    assert isinstance(result.exception, click.ClickException)
    assert words in result.exception.format_message()


def test_classify_refuses_an_overhead_larger_than_the_kernel() -> None:
    assert failure(run(*SEED, "--overhead", "1s")).slug == "bad-times"


def test_classify_takes_the_peak_from_a_machine() -> None:
    text = run(*SEED, "--bytes", "2.194e9", "--machine", "c2050").output
    assert re.search(r"peak\s+144\s+GB/s", text)


def test_analyze_without_a_gpu_counts_and_says_that_it_cannot_time(little_known: str) -> None:
    result = run("analyze", *TRANSPOSE, "--backend", "sim", "--machine", little_known)
    assert result.return_value == 3
    text = " ".join(result.output.split())
    assert "sm_80" in text and "which times need" in text and "access-pattern" in text
    assert "T ms" not in text


def test_analyze_gives_json() -> None:
    result = run("analyze", *TRANSPOSE, "--backend", "sim", "--json")
    document = json.loads(result.output)
    jsonschema.validate(document, SCHEMA)
    (kernel,) = document["kernels"]
    (launch,) = kernel["launches"]
    assert kernel["name"] == "transpose_naive" and launch["session"] is None
    assert launch["time_source"] == "simulated" and launch["finding"]["limiter"] == "memory"
    assert launch["facts"]["store_efficiency_percent"]["value"] == pytest.approx(12.5)
    assert launch["facts"]["store_efficiency_percent"]["source"] == "simulated"


def test_analyze_writes_the_page_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = run("analyze", *TRANSPOSE, "--backend", "sim", "--markdown", "--html", str(page))
    assert result.return_value == 0
    assert "transpose_naive" in result.output and "|" in result.output
    assert page.read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    # Nobody may take such times for measured ones.
    assert "simulated on NVIDIA" in result.output and "measured on" not in result.output
    assert "simulated on NVIDIA" in page.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [page]


@pytest.mark.parametrize(("args", "slug"), [
    (("--json", "--markdown"), "output-options"), (("--html", "/nowhere/report.html"), "output-not-writable"),
    (("--machine", "h1000"), "machine-unknown"), (("-k", "nothing"), "unknown-kernel"),
    (("--set", "width"), "bad-setting")])
def test_analyze_refuses_in_words(args: tuple[str, ...], slug: str) -> None:
    assert failure(run("analyze", *TRANSPOSE, "--backend", "sim", *args)).slug == slug


def test_analyze_needs_a_launch(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("__global__ void k(float *p) { p[threadIdx.x] = 1; }\n")
    assert failure(run("analyze", str(file), "--backend", "sim")).slug == "no-launch"


def test_a_failure_is_json_too(tmp_path: Path) -> None:
    result = run("analyze", str(tmp_path / "none.cu"), "--json")
    document = json.loads(result.output)
    jsonschema.validate(document, SCHEMA)
    assert document["error"]["slug"] == "not-found"
