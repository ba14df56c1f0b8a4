"""PyTorch's tensors as arguments; skipped where PyTorch is not installed."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from mutate.api.launching import Call, launch_of
from mutate.errors import KmutateError
from mutate.frontend.load import load_unit
from mutate.launch import pack_arg
from mutate.launch.data import materialize
from mutate.launch.model import ArrayArg

torch = pytest.importorskip("torch")

UNIT = load_unit(b"""
__global__ void plain(float *out, const float *in, int n) {}
__global__ void brain(__nv_bfloat16 *p) {}
template <typename T> __global__ void scale(T *p, T a) {}
""", "source.cu")


def test_tensors_share_their_storage() -> None:
    base = torch.arange(64, dtype=torch.float32)
    made = launch_of(UNIT, Call("plain", 1, 32, [base[32:], base[:16].view(4, 4), torch.tensor(5)]))
    assert len(made.arrays) == 1
    base.zero_()
    assert np.array_equal(materialize(made.array("out")), np.arange(64, dtype=np.float32))
    assert isinstance(made.args[0], ArrayArg) and made.args[0].offset == 128
    assert pack_arg(made.args[2], {}) == struct.pack("<i", 5)


def test_gradients_and_bfloat16_are_no_obstacle() -> None:
    made = launch_of(UNIT, Call("brain", 1, 32, [torch.ones(3, dtype=torch.bfloat16, requires_grad=True)]))
    assert made.array("p").elem.name == "__nv_bfloat16" and materialize(made.array("p")).tolist() == [0x3F80] * 3
    assert launch_of(UNIT, Call("scale", 1, 32, [torch.ones(2, dtype=torch.float64), 1])).instance == "scale<double>"


@pytest.mark.parametrize(("tensor", "words"), [
    (lambda: torch.ones(4, 4)[:, ::2], "tensor.contiguous()"), (lambda: torch.ones(2, 3).T, "tensor.contiguous()"),
    (lambda: torch.ones(4, dtype=torch.float64), "x.to(torch.float32)"),
    (lambda: torch.eye(3).to_sparse(), "values and indices")])
def test_tensors_a_kernel_cannot_take(tensor: object, words: str) -> None:
    with pytest.raises(KmutateError) as caught:
        launch_of(UNIT, Call("plain", 1, 32, [tensor(), torch.ones(4), 4]))
    assert words in (caught.value.hint or "")
