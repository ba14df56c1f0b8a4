"""What is said where nothing can be timed; and that looking costs no import of CuPy."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import Any

import pytest

from mutate.backends import libcuda
from mutate.backends.gpu import NoGpu, find_gpu
from mutate.timing import Gpu

GPU = Gpu("Some GPU", (9, 0), "1.0", 4)


@pytest.fixture
def one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libcuda, "device_count", lambda: 1)
    monkeypatch.setattr(libcuda, "describe", lambda number: GPU)


def cupy_is(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec",
                        lambda name, *a: (object() if there else None) if name == "cupy" else real(name, *a))


def refusal(device: int = 0) -> NoGpu:
    found = find_gpu(device)
    assert isinstance(found, NoGpu)
    return found


def test_a_gpu_with_cupy_is_found(one_gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy_is(True, monkeypatch)
    assert find_gpu() == GPU


def test_without_cupy_it_says_what_to_install(one_gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy_is(False, monkeypatch)
    assert "Some GPU" in refusal().why and refusal().hint == "pip install 'kmutate[gpu]'"


def test_a_number_that_there_is_not(one_gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy_is(True, monkeypatch)
    assert "no GPU 3" in refusal(3).why and "--device" in refusal(3).hint


@pytest.mark.parametrize(("error", "word"), [(libcuda.NoDriverError("no such library"), "driver"),
                                             (libcuda.NoDriverError("none", no_device=True), "nvidia-smi")])
def test_without_driver_or_device(monkeypatch: pytest.MonkeyPatch, error: Exception, word: str) -> None:
    def count() -> int:
        raise error

    monkeypatch.setattr(libcuda, "device_count", count)
    assert word in refusal().hint


class _Library:
    """libcuda as a machine without a GPU has it."""

    def __getattr__(self, name: str) -> Any:
        if name == "cuInit":
            return lambda flags: 100

        def error_name(status: int, text: Any) -> int:
            text._obj.value = b"CUDA_ERROR_NO_DEVICE"
            return 0

        return error_name


def test_the_drivers_own_word_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libcuda, "_library", _Library)
    with pytest.raises(libcuda.NoDriverError, match="CUDA_ERROR_NO_DEVICE") as error:
        libcuda.device_count()
    assert error.value.no_device


def test_the_backend_imports_no_cupy_and_no_numpy() -> None:
    code = ("import sys; from mutate.backends import gpu, roofs; gpu.find_gpu();"
            " print([m for m in ('cupy', 'numpy', 'numba', 'click', 'rich') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
