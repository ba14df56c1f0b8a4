"""The texts that people read, as a whole: variants, their diffs, and what the terminal shows.

A change of the helpers or of a rewrite shows here first. When it is meant: ``pytest tests/golden --snapshot-update``,
and read the difference before it is committed.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from mutate.cli.main import main
from mutate.frontend.load import load_unit
from mutate.frontend.units import Unit
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import all_mutations
from mutate.pipeline.select import select_kernels
from mutate.resources import samples_dir
from mutate.source import unified_diff

KERNELS = {"fd3d": "fd3d", "reduce3": "reduction", "spmv_scalar": "spmv_csr", "histogram_shared": "histogram",
           "nbody": "nbody"}


class _Cuda(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "cu"


class _Diff(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "diff"


@cache
def _unit(sample: str) -> Unit:
    return load_unit((samples_dir() / f"{sample}.cu").read_bytes(), f"{sample}.cu")


def _text(kernel: str, mutation: str) -> bytes | None:
    """The variant's text, or ``None`` when it is refused."""
    unit = _unit(KERNELS[kernel])
    built = build_variant(unit, select_kernels(unit, (kernel,))[0], (all_mutations()[mutation],))
    return built.text if isinstance(built, VariantText) else None


@pytest.mark.parametrize("mutation", all_mutations())
def test_variants_of_fd3d(mutation: str, snapshot: SnapshotAssertion) -> None:
    text = _text("fd3d", mutation)
    assert text is not None
    assert text.decode() == snapshot(extension_class=_Cuda)


@pytest.mark.parametrize("mutation", all_mutations())
@pytest.mark.parametrize("kernel", KERNELS)
def test_diffs(kernel: str, mutation: str, snapshot: SnapshotAssertion) -> None:
    text = _text(kernel, mutation)
    if text is None:
        assert (kernel, mutation) in {("spmv_scalar", m) for m in ("no-sync", "smem-conflict-free", "smem-broadcast")}
        return
    sample = f"{KERNELS[kernel]}.cu"
    diff = unified_diff(_unit(KERNELS[kernel]).source, text, sample, f"{kernel}.{mutation}.cu")
    # Except where nothing but dead statements goes: of fd3d's all are one comment, which is fewer lines than they were.
    if (kernel, mutation) != ("fd3d", "store-only"):
        assert diff.count("\n-") < diff.count("\n+"), "the user's lines are changed, not taken away"
    assert all("kmutate" in hunk for hunk in diff.split("\n@@ ")[1:]), "each change says what it is"
    assert diff == snapshot(extension_class=_Diff)


@pytest.mark.parametrize("args", [
    ("list",), ("list", "archs"), ("explain", "math-only"), ("explain", "identity"),
    ("variants", "transpose.cu", "--no-verify"),
], ids=" ".join)
def test_terminal(args: tuple[str, ...], snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                  capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copy(samples_dir() / "transpose.cu", tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert not ended.value.code
    captured = capsys.readouterr()
    assert not captured.err
    assert captured.out == snapshot
