"""What ``kmutate simulate`` prints, as a whole, and the outputs in the README.

Counts belong to one compiler; another may unroll a loop otherwise.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from compilers import nvrtc_version
from syrupy.assertion import SnapshotAssertion

from mutate.cli.main import main
from mutate.resources import samples_dir

COMPILER = "13.5.37"


@pytest.mark.skipif(nvrtc_version() != COMPILER, reason=f"counts are those of NVRTC {COMPILER}")
@pytest.mark.parametrize("args", [
    ("transpose.cu", "-k", "transpose_naive", "--set", "width=256", "--set", "height=256", "--blocks", "all"),
    ("transpose.cu", "-k", "transpose_conflicting", "--blocks", "16", "--by-line"),
    ("reduction.cu", "-k", "reduce3", "--set", "n=16384", "--blocks", "all", "--by-line", "--check", "races"),
    ("spmv_csr.cu", "-k", "spmv_scalar", "--set", "rows=2000", "--set", "cols=2000", "--machine", "c2050"),
], ids=lambda args: f"{args[2]} {args[-1]}")
def test_terminal(args: tuple[str, ...], snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                  capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copy(samples_dir() / args[0], tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["simulate", *args])
    assert not ended.value.code
    captured = capsys.readouterr()
    assert not captured.err
    assert captured.out == snapshot


@pytest.mark.skipif(nvrtc_version() != COMPILER, reason=f"counts are those of NVRTC {COMPILER}")
@pytest.mark.parametrize("block", ["job", "simulate"])
def test_the_readme_shows_what_is_printed(block: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    """The whole of it, from the first line to the last; only where "..." stands lines are left out."""
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    before, _, after = text.partition(f"<!-- {block}:output -->\n```\n")
    # The last command of the last block with commands before it.
    command = before.rpartition("\n```\n")[0].rpartition("```sh\n")[2].rpartition("kmutate ")[2].split()
    assert command[0] in {"variants", "simulate"}
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(samples_dir(), tmp_path / "samples")
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert not ended.value.code
    printed = "".join(line.rstrip() + "\n" for line in capsys.readouterr().out.splitlines())
    shown = after.partition("```\n")[0]
    assert re.fullmatch(".*".join(re.escape(part) for part in re.split(r"(?m)^\.\.\.\n", shown)), printed, re.S), \
        f"README.md shows\n{shown}\nand this is printed\n{printed}"
