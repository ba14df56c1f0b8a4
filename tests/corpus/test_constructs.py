"""Each construct that real code has, in a kernel of its own (constructs*.cu), through mutation, proof and execution."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mutate.cli.main import cli
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
SOURCES = sorted(Path(__file__).parent.glob("constructs*.cu"))
KERNELS = [name for path in SOURCES for name in re.findall(r"__global__ void (\w+)", path.read_text())]
WANTED = ("memory-only", "store-only", "math-only")
# What decides a branch is loaded in math-only, too, and here branches are decided by nearly all that is loaded.
LOADS_STAY = {("math-only", "within_a_warp"), ("math-only", "everywhere_in_expressions")}
REFUSED = {("store-only", "cuda_barriers"): "barrier-object"}
NOT_SIMULATED = {"cuda_barriers"}


Found = dict[str, dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    output = tmp_path_factory.mktemp("constructs")
    result = CliRunner().invoke(cli, ["variants", *map(str, SOURCES), "--json", "--output", str(output)])
    assert result.exit_code == 0, result.output
    kernels = [k for line in result.stdout.splitlines() for k in json.loads(line)["kernels"]]
    return {k["name"]: {v["mutation"]: v for v in k["variants"]} for k in kernels}


def test_every_kernel_is_found(found: Found) -> None:
    assert sorted(found) == sorted(KERNELS)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("mutation", WANTED)
def test_the_construct_is_followed(found: Found, kernel: str, mutation: str) -> None:
    variant = found[kernel][mutation]
    slug = REFUSED.get((mutation, kernel))
    if slug is not None:
        assert [r["slug"] for r in variant["refusals"]] == [slug]
        return
    assert variant["outcome"] == "ok", variant["refusals"]
    certificate = variant["certificate"]
    slugs = {r["slug"] for r in certificate["reasons"]}
    if (mutation, kernel) in LOADS_STAY:
        assert certificate["verdict"] == "DEGRADED" and "retained-load" in slugs
    else:
        assert certificate["verdict"] == "VALID", certificate["reasons"]
    dynamic = certificate["dynamic"]
    assert dynamic["done"] == (kernel not in NOT_SIMULATED)
    if mutation == "memory-only" and dynamic["done"]:
        assert all(m["same"] for name, m in dynamic["memory"].items() if name.startswith("global_"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_identity_is_the_kernel(found: Found, kernel: str) -> None:
    assert found[kernel]["identity"]["certificate"]["verdict"] == "VALID"
