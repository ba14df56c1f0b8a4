"""Arguments of Python calls become launches: arrays by copy, views in one array, numbers as C converts them."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import numpy as np
import pytest

from mutate.api.launching import Call, launch_of
from mutate.api.memory import library_of
from mutate.errors import KmutateError
from mutate.frontend.load import load_unit
from mutate.launch import Launch, pack_arg
from mutate.launch.data import materialize
from mutate.launch.model import ArrayArg, ScalarArg

SOURCE = b"""
struct Pair { float x; int k; };
__global__ void plain(float *out, const float *in, int n) {}
__global__ void wide(unsigned long long *p, double a, float4 v, Pair pair, bool flag) {}
__global__ void kinds(__half *h, float4 *v, float2 *z, unsigned char *b, void *any, int *i) {}
template <typename T> __global__ void scale(T *out, const T *in, T a) {}
template <int N, typename T> __global__ void power(T *p) {}
__global__ void table(float **rows) {}
__global__ void halves(__half2 h, __nv_bfloat162 b) {}
__global__ void none() {}
"""
UNIT = load_unit(SOURCE, "source.cu")
X = np.arange(64, dtype=np.float32)


def launch(kernel: str, *args: Any, grid: Any = 1, block: Any = 32, **more: Any) -> Launch:
    return launch_of(UNIT, Call(kernel, grid, block, args, **more))


def refused(slug: str, *words: str, kernel: str = "plain", args: Any = (), **more: Any) -> None:
    with pytest.raises(KmutateError) as caught:
        launch_of(UNIT, Call(kernel, more.pop("grid", 1), more.pop("block", 32), args, **more))
    assert caught.value.slug == slug
    assert caught.value.hint
    for word in words:
        assert word in str(caught.value)


def contents(made: Launch, name: str) -> Any:
    return materialize(made.array(name))


def test_arrays_are_copied_and_stay_as_they_are() -> None:
    out, data = np.zeros(64, np.float32), X.copy()
    made = launch("plain", out, data, 64)
    data[:] = -1
    assert [a.name for a in made.arrays] == ["out", "in"]
    assert np.array_equal(contents(made, "in"), X)
    assert made.array("out").init.kind == "zeros", "an array of zeros is not carried along"
    assert made.grid == (1, 1, 1) and made.block == (32, 1, 1)


def test_views_of_one_array_share_it() -> None:
    base = np.arange(256, dtype=np.float32)
    made = launch("plain", base[128:], base[16:32], 16)
    assert [a.name for a in made.arrays] == ["out"]
    out, view = made.args[:2]
    assert isinstance(out, ArrayArg) and isinstance(view, ArrayArg)
    assert (out.array, out.offset, view.array, view.offset) == ("out", 512, "out", 64)
    assert np.array_equal(contents(made, "out"), base)


def test_overlapping_memory_without_a_common_base_is_one_array() -> None:
    raw = bytearray(struct.pack("<16f", *range(16)))
    first = np.frombuffer(raw, np.float32, 12)
    second = np.frombuffer(raw, np.float32, 8, offset=32)
    made = launch("plain", first, second, 1)
    assert len(made.arrays) == 1
    assert np.array_equal(contents(made, "out"), np.arange(16, dtype=np.float32))
    assert isinstance(made.args[1], ArrayArg) and made.args[1].offset == 32


def test_separate_arrays_stay_separate() -> None:
    assert len(launch("plain", X.copy(), X.copy(), 1).arrays) == 2


def test_none_is_the_null_pointer() -> None:
    assert pack_arg(launch("plain", None, X, 1).args[0], {}) == bytes(8)


def test_arguments_by_name() -> None:
    made = launch_of(UNIT, Call("plain", 1, 32, {"n": 7, "in": X, "out": X.copy()}))
    assert pack_arg(made.args[2], {}) == struct.pack("<i", 7)
    refused("argument-count", "did you mean out?", args={"uot": X, "in": X, "n": 1})
    refused("argument-count", "lacks n", args={"out": X, "in": X})


def test_numbers_become_what_the_parameter_is() -> None:
    class Pair(ctypes.Structure):
        _fields_ = (("x", ctypes.c_float), ("k", ctypes.c_int))

    made = launch("wide", None, 3, (1, 2, 3, 4), Pair(1.5, 2), True)
    packed = [pack_arg(a, {}) for a in made.args]
    assert packed == [bytes(8), struct.pack("<d", 3), struct.pack("<4f", 1, 2, 3, 4), struct.pack("<fi", 1.5, 2), b"\1"]


@pytest.mark.parametrize("pair", [
    struct.pack("<fi", 2.5, -1), np.array((2.5, -1), dtype=[("x", "f4"), ("k", "i4")])[()]], ids=["bytes", "record"])
def test_structs_come_as_bytes(pair: Any) -> None:
    made = launch("wide", None, np.float32(0.5), np.ones(4, np.float32), pair, 0)
    assert pack_arg(made.args[3], {}) == struct.pack("<fi", 2.5, -1)
    assert pack_arg(made.args[2], {}) == struct.pack("<4f", 1, 1, 1, 1)


def test_pairs_of_16_bit_floats_keep_their_bytes() -> None:
    one = {"h": bytes.fromhex("003c003c"), "b": bytes.fromhex("803f803f")}  # 1.0 twice
    made = launch_of(UNIT, Call("halves", 1, 32, one))
    assert [pack_arg(a, {}) for a in made.args] == [one["h"], one["b"]]


def test_a_struct_takes_no_number() -> None:
    refused("argument-type", "Pair is a struct", kernel="wide", args=[None, 1.0, (1, 2, 3, 4), 5, True])


@pytest.mark.parametrize(("value", "words"), [
    (2.5, "holds no fraction"), (2**31, "int holds"), (float("nan"), "holds no fraction"), ("7", "a str"),
    (1j, "a complex"), (None, "None"), (np.float64(0.5), "holds no fraction"), (X, "an array")])
def test_numbers_that_do_not_fit(value: Any, words: str) -> None:
    refused("argument-type", "the parameter int n", words, args=[X, X, value])


def test_whole_numbers_of_any_type_fit() -> None:
    for value in (3, 3.0, np.int64(3), np.uint8(3), np.float32(3), True):
        packed = pack_arg(launch("plain", X, X, value).args[2], {})
        assert packed == struct.pack("<i", int(value))


def test_dtypes_are_compared_with_the_elements() -> None:
    made = launch("kinds", np.zeros(4, np.float16), np.ones((3, 4), np.float32), np.ones(5, np.complex64),
                  np.ones(3, np.int8), np.ones(3, np.float64), np.ones(2, np.uint32))
    assert [(a.name, a.elem.name, a.dims) for a in made.arrays] == [
        ("h", "__half", (4,)), ("v", "float4", (3,)), ("z", "float2", (5,)), ("b", "unsigned char", (3,)),
        ("any", "double", (3,)), ("i", "int", (2,))]
    refused("argument-type", "array of float64", "x.astype('float32')", args=[X, X.astype(np.float64), 1])
    refused("argument-type", "array of int32", args=[X, X.astype(np.int32), 1])
    refused("argument-type", "float4", kernel="kinds", args=[None, np.ones(6, np.float32), None, None, None, None])


def test_layouts_a_kernel_cannot_take() -> None:
    square = np.ones((4, 4), np.float32)
    refused("argument-layout", "numpy.ascontiguousarray(x)", args=[X[::2], X, 1])
    refused("argument-layout", "Fortran order", "x.T", args=[np.asfortranarray(np.arange(6.0, dtype=np.float32)
                                                                                .reshape(2, 3)), X, 1])
    refused("argument-type", "big-endian", args=[X.astype(">f4"), X, 1])
    refused("argument-type", "empty", args=[X[:0], X, 1])
    launch("plain", np.ones((1, 4), np.float32)[:, :], square[1:3], 1)


def test_addresses_and_tables_are_refused() -> None:
    refused("argument-type", "not its address", args=[12345, X, 1])
    refused("argument-type", "pointer to pointers", kernel="table", args=[X])


def test_template_instances() -> None:
    assert launch("scale", X, X, 2).instance == "scale<float>"
    half = X.astype(np.float64)
    made = launch("scale", half, half, 2)
    assert made.instance == "scale<double>" and pack_arg(made.args[2], {}) == struct.pack("<d", 2)
    assert launch("power", X, instance="3, float").instance == "power<3, float>"
    assert launch("power<3, float>", X).instance == "power<3, float>"
    refused("instance-needed", "N cannot be told", kernel="power", args=[X])
    refused("argument-type", "array of float32", kernel="scale", args=[half, X, 2])


def test_grids_and_blocks() -> None:
    assert launch("none", grid=(2, np.int32(3)), block=[8, 4, 2], smem=64).grid == (2, 3, 1)
    refused("launch-size", "grid.y is 0", kernel="none", grid=(1, 0))
    refused("launch-size", "block.z is 65", kernel="none", block=(1, 1, 65))
    refused("launch-block-too-large", "2048 threads", kernel="none", block=(64, 32))
    refused("launch-type", "the grid has 4 dimensions", kernel="none", grid=(1, 1, 1, 1))
    refused("launch-type", "block is an integer", kernel="none", block=1.5)
    refused("launch-no-grid", kernel="none", grid=None)
    refused("launch-smem-too-large", kernel="none", smem=1 << 20)


def test_which_kernel() -> None:
    refused("unknown-kernel", "did you mean 'plain'?", kernel="plane", args=[])
    refused("unknown-kernel", "kernel=...", kernel=None, args=[])
    refused("argument-count", "takes 3 arguments, args has 1", args=[X])
    only = load_unit(b"__global__ void one(int n) {}", "one.cu")
    assert launch_of(only, Call(None, 1, 1, [3])).kernel == "one"


def test_errors_point_at_the_argument() -> None:
    with pytest.raises(KmutateError) as caught:
        launch("plain", X, X.astype(np.float64), 1)
    lines = str(caught.value).split("\n")
    assert lines[1].split("| ")[1] == "plain(numpy[64 float32], numpy[64 float64], 1)"
    assert lines[2].split("| ")[1] == " " * lines[1].split("| ")[1].index("numpy[64 float64]") + "^" * 17


# --- libraries that are not here ---


class Flags:
    c_contiguous = f_contiguous = True


class Device:
    """As CuPy's arrays are: an interface, a way to the host, a base."""

    def __init__(self, host: Any, address: int, base: Device | None = None) -> None:
        self.host, self.address, self.base = host, address, base
        self.dtype, self.shape, self.ndim, self.nbytes = host.dtype, host.shape, host.ndim, host.nbytes
        self.flags = Flags()
        self.__cuda_array_interface__ = {"typestr": host.dtype.str, "shape": host.shape, "data": (address, False),
                                         "strides": None, "version": 3}

    def get(self, order: str = "C") -> Any:
        del order
        return self.host


Device.__module__ = "cupy.fake"


def test_device_arrays_are_fetched_and_share_their_base() -> None:
    base = Device(X, 0x7F0000000000)
    view = Device(X[16:], 0x7F0000000000 + 64, base)
    assert library_of(base) == "cupy"
    made = launch("plain", base, view, 3)
    assert len(made.arrays) == 1 and np.array_equal(contents(made, "out"), X)
    assert isinstance(made.args[1], ArrayArg) and made.args[1].offset == 64


def test_host_and_device_memory_are_not_mixed_up() -> None:
    address = X.__array_interface__["data"][0]
    assert len(launch("plain", Device(X, address), X, 1).arrays) == 2


def test_numpy_scalars_keep_their_type_where_the_parameter_has_none() -> None:
    unit = load_unit(b"__global__ void f(real a, index n) {}", "f.cu")
    made = launch_of(unit, Call("f", 1, 1, [np.float64(1), np.int16(2)]))
    assert [a.type.name for a in made.args if isinstance(a, ScalarArg)] == ["double", "short"]
