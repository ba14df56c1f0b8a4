"""``mutate.analyze``, ``simulate`` and ``variants`` from arrays to results."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import mutate
from mutate.resources import samples_dir
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
SCHEMAS = Path(mutate.__file__).parent / "report" / "schemas"

SCALE = """
template <typename T> __global__ void scale(T *out, const T *in, T a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * in[i];
}
"""


def test_importing_is_cheap() -> None:
    loaded = subprocess.run([sys.executable, "-c", "import sys, mutate; print(*sys.modules)"], check=True,
                            capture_output=True, text=True).stdout.split()
    assert not {"numpy", "mutate.api", "mutate.frontend", "click", "typing"} & set(loaded)


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        mutate.analyse  # noqa: B018


@needs_nvrtc
def test_simulate_runs_with_the_data_and_changes_none() -> None:
    x, out = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    found = mutate.simulate(SCALE, grid=16, block=256, args=[out, x, 2, x.size], blocks=0)
    assert repr(found) == "scale<float>: simulated 16 of 16 blocks"
    assert found.counters()["global_load_sectors"] == 4096 * 4 / 32
    assert not out.any() and x[-1] == 4095
    document = json.loads(found.to_json())
    jsonschema.validate(document, json.loads((SCHEMAS / "counters-1.json").read_text()))
    assert document["file"] == "source.cu"
    rows = {r["counter"]: r["sample"] for r in found.rows()}
    assert rows["global_load_sectors"] == 512


@needs_nvrtc
def test_an_access_out_of_range_names_the_array() -> None:
    with pytest.raises(mutate.KmutateError) as caught:
        mutate.simulate(SCALE, grid=16, block=256, args=[np.zeros(64, np.float32), np.ones(4096, np.float32), 2, 4096])
    assert caught.value.slug == "out-of-range" and "out[" in caught.value.what


@needs_nvrtc
def test_variants_are_proven_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    x = np.ones(4096, np.float32)
    found = mutate.variants(SCALE, grid=16, block=256, args=[np.zeros(4096, np.float32), x, 2, 4096],
                            mutations=["memory-only", "no-sync"])
    assert repr(found) == "scale<float>: memory-only VALID, no-sync refused"
    assert "km_fold" in found.source("memory-only")
    jsonschema.validate(json.loads(found.to_json()), json.loads((SCHEMAS / "variants-1.json").read_text()))
    with pytest.raises(mutate.KmutateError, match="no no-sync"):
        found.source("no-sync")
    assert list(tmp_path.iterdir()) == []


@needs_nvrtc
def test_analyze_without_a_gpu_says_what_its_times_are(little_known: str) -> None:
    x = np.ones(4096, np.float32)
    arguments = {"out": np.zeros_like(x), "in": x, "a": 2.0, "n": 4096}
    untimed = mutate.analyze(SCALE, "scale", 16, 256, arguments, backend="sim", machine=little_known,
                             mutations=["memory-only"])
    assert repr(untimed).startswith("scale<float>: limiter unknown: ")
    found = mutate.analyze(SCALE, "scale", 16, 256, arguments, backend="sim", mutations=["memory-only", "math-only"])
    assert re.match(r"scale<float>: .*\(simulated, ", repr(found))
    counts = found.analysis.kernels[0].launches[0].counts
    assert counts is not None and counts.grid_blocks == 16
    jsonschema.validate(json.loads(found.to_json()), json.loads((SCHEMAS / "analysis-1.json").read_text()))
    assert "scale&lt;float&gt;" in found.to_html() or "scale<float>" in found.to_html()
    frame = found._repr_html_()
    assert frame.startswith("<iframe ") and frame.count("<style") == 0, "its styles must stay in the frame"
    assert "`scale<float>`" in found.to_markdown()
    assert {r["variant"] for r in found.rows()} >= {"memory-only", "math-only"}
    assert {r["times"] for r in found.rows()} == {"simulated"} and {r["times"] for r in untimed.rows()} == {None}


@needs_nvrtc
def test_a_file_with_declared_launches() -> None:
    found = mutate.simulate(samples_dir() / "increment.cu", "increment1", settings={"n": 65536})
    assert repr(found).endswith("of 256 blocks")
    again = mutate.simulate(str(samples_dir() / "increment.cu"), "increment1", settings={"n": 65536})
    assert repr(again) == repr(found)


@needs_nvrtc
def test_rows_become_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = mutate.variants(SCALE, instance="float", kernel="scale", dynamic=False).to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and "memory-only" in set(frame["variant"])


def test_without_pandas_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from mutate.api import VariantsResult
    from mutate.results import Request

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(mutate.KmutateError) as caught:
        VariantsResult(Request(Path("x.cu")), (), ()).to_dataframe()
    assert caught.value.slug == "no-pandas"


@pytest.mark.parametrize(("more", "slug"), [
    ({"l2": "tepid"}, "bad-option"), ({"backend": "cpu"}, "bad-option"), ({"defines": "N=4"}, "bad-option"),
    ({"grid": 1, "block": 1, "args": [], "settings": {"n": 1}}, "bad-option")])
def test_options_that_do_not_exist(more: dict[str, object], slug: str) -> None:
    with pytest.raises(mutate.KmutateError) as caught:
        mutate.analyze(SCALE, **more)
    assert caught.value.slug == slug and caught.value.hint


def test_a_path_that_is_none() -> None:
    with pytest.raises(mutate.KmutateError) as caught:
        mutate.analyze("nothing/here.cu", grid=1, block=1, args=[])
    assert caught.value.slug == "not-found"
