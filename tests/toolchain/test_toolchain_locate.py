"""Where the compiler's headers come from, on machines of several installations."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mutate.toolchain import locate


def _root(root: Path, *files: str) -> Path:
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).touch()
    return root


@pytest.fixture
def wheels_and_toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Wheels as PyTorch brings them, without libcu++ and what is in `crt`, and a toolkit that has both."""
    wheels = _root(tmp_path / "site" / "nvidia" / "cu13", "lib/libnvrtc.so.13", "include/cuda_fp16.h")
    toolkit = _root(tmp_path / "toolkit", "lib64/libnvrtc.so.13", "include/cuda_fp16.h",
                    "include/cccl/cuda/std/cstdint", "include/crt/mma.h")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    monkeypatch.setenv("CUDA_HOME", str(toolkit))
    monkeypatch.delenv("CUDA_PATH", raising=False)
    return wheels, toolkit


def test_what_the_compilers_headers_lack_is_anothers(wheels_and_toolkit: tuple[Path, Path]) -> None:
    wheels, toolkit = wheels_and_toolkit
    found = locate.find_toolchain.__wrapped__()
    assert found.nvrtc == str(wheels / "lib" / "libnvrtc.so.13")
    assert found.include_dirs == (str(wheels / "include"), str(toolkit / "include" / "cccl"), str(toolkit / "include"))


def test_headers_that_are_complete_are_taken_alone(wheels_and_toolkit: tuple[Path, Path]) -> None:
    wheels, _ = wheels_and_toolkit
    _root(wheels, "include/cccl/cuda/std/cstdint", "include/crt/mma.h")
    own = wheels / "include"
    assert locate.find_toolchain.__wrapped__().include_dirs == (str(own), str(own / "cccl"))
