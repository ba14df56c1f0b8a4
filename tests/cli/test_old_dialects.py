"""Builds by older C++ than variants are written in: both are compiled as the oldest that these are, and it is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mutate.cli.main import main
from mutate.resources import samples_dir
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


@pytest.mark.parametrize(("given", "taken"), [("c++03", "c++11"), ("c++11", "c++11"), ("c++14", "c++14")])
def test_variants_compile_in_an_older_build(given: str, taken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(samples_dir() / "increment.cu", tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["variants", "increment.cu", "-k", "increment1", "--std", given, "--no-dynamic", "--json", "-o", "o"])
    assert not ended.value.code
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    (kernel,) = document["kernels"]
    verdicts = {v["mutation"]: v["certificate"]["verdict"] for v in kernel["variants"] if v["certificate"]}
    assert {verdicts[name] for name in ("identity", "memory-only", "math-only")} == {"VALID"}
    assert (f"compiled as {taken}, not {given}" in " ".join(document["warnings"])) is (given != taken)
    assert f"-std={taken}" in (tmp_path / "o" / "bench.cu").read_text()
