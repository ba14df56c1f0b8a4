"""Arrays of NumPy, CuPy, PyTorch and their kin as bytes: what memory an argument points to, and a copy of it.

None of the libraries is imported: an argument that comes from one has brought it along. Any object with
``__array_interface__`` or ``__cuda_array_interface__`` is understood, PyTorch's tensors by their own methods.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_MODULES = ("numpy", "torch", "cupy")


class UnusableError(Exception):
    """The object cannot be an argument; the message says why, ``hint`` what to do."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.hint = hint


@dataclass(frozen=True, eq=False)
class Block:
    """A piece of memory that arrays lie in. ``where`` is ``host`` or a device's name; ``read()`` copies all of it."""

    where: str
    address: int
    nbytes: int
    read: Callable[[], bytes] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Memory:
    """What an array argument points to. ``dtype`` is a short name: ``f4``, ``b1``, ``c8``, ``bf16``, ``V12``."""

    library: str
    dtype: str
    shape: tuple[int, ...]
    address: int
    nbytes: int
    block: Block


def library_of(value: object) -> str:
    """The library an object comes from: the first part of its class's module."""
    for kind in type(value).__mro__:
        root = (kind.__module__ or "").split(".")[0]
        if root in _MODULES:
            return root
    return (type(value).__module__ or "").split(".")[0]


def is_array(value: object) -> bool:
    """Whether an object is an array with at least one dimension, or a tensor or a device array of any."""
    if hasattr(value, "__cuda_array_interface__") or _is_tensor(value):
        return True
    return hasattr(value, "__array_interface__") and hasattr(value, "ndim") and not _is_numpy_scalar(value)


def _is_numpy_scalar(value: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _is_tensor(value: object) -> bool:
    return library_of(value) == "torch" and hasattr(value, "data_ptr") and hasattr(value, "untyped_storage")


def memory_of(value: Any) -> Memory:
    """Where an array lies. Raises ``UnusableError`` for one that a kernel cannot be given as it is."""
    if _is_tensor(value):
        return _of_tensor(value)
    if hasattr(value, "__cuda_array_interface__"):
        return _of_device(value)
    return _of_host(value)


# --- PyTorch ---


def _of_tensor(tensor: Any) -> Memory:
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        raise UnusableError(f"a tensor with the layout {tensor.layout}", "pass its values and indices as tensors")
    shape = tuple(int(n) for n in tensor.shape)
    if not tensor.is_contiguous():
        raise UnusableError(f"a tensor of shape {shape} that is not contiguous", "pass tensor.contiguous()")
    dtype = str(tensor.dtype).removeprefix("torch.")
    storage = tensor.untyped_storage()
    address, nbytes = int(storage.data_ptr()), int(storage.nbytes())
    device = str(tensor.device)

    def read() -> bytes:
        torch: Any = sys.modules["torch"]
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        data: bytes = whole.cpu().numpy().tobytes()
        return data

    return Memory("torch", _TORCH.get(dtype, dtype), shape, int(tensor.data_ptr()),
                  int(tensor.numel()) * int(tensor.element_size()),
                  Block("host" if device == "cpu" else device, address, nbytes, read))


_TORCH = {
    "float16": "f2", "float32": "f4", "float64": "f8", "bfloat16": "bf16", "int8": "i1", "int16": "i2", "int32": "i4",
    "int64": "i8", "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8", "bool": "b1", "complex64": "c8",
    "complex128": "c16",
}


# --- NumPy and CuPy ---


def _short(typestr: str, name: str, what: str) -> str:
    """``f4`` of the array interface's ``<f4``."""
    if name == "bfloat16":
        return "bf16"
    if typestr[:1] == ">":
        raise UnusableError(f"{what} whose bytes are in big-endian order",
                            "pass x.astype(x.dtype.newbyteorder('=')): GPUs are little-endian")
    if typestr[1:2] not in "biufcV":
        raise UnusableError(f"{what} of {name or typestr}", "pass numbers or structured records")
    return typestr[1:]


def _contiguous(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> bool:
    """Whether an array lies in C order without gaps."""
    if 0 in shape:
        return True
    step = item
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and stride != step:
            return False
        step *= n
    return True


def _checked(value: Any, interface: dict[str, Any], library: str) -> tuple[str, tuple[int, ...], int, int]:
    """Short dtype, shape, address and bytes of an array."""
    what = f"{'an' if library[:1] in 'aeiou' else 'a'} {library} array"
    dtype = _short(str(interface["typestr"]), str(getattr(getattr(value, "dtype", None), "name", "")), what)
    shape = tuple(int(n) for n in interface["shape"])
    item = 2 if dtype == "bf16" else int(dtype[1:])
    given = interface.get("strides")
    strides = tuple(given) if given is not None else None
    if strides is not None and not _contiguous(shape, strides, item):
        transposed = _contiguous(shape[::-1], strides[::-1], item)
        raise UnusableError(
            f"{what} of shape {shape} that is not contiguous" + (", but in Fortran order" if transposed else ""),
            f"pass {library}.ascontiguousarray(x)" + (", or x.T if the kernel wants this order" if transposed else ""))
    count = 1
    for n in shape:
        count *= n
    return dtype, shape, int(interface["data"][0] or 0), count * item


def _base_of(value: Any) -> Any:
    """The array that owns the memory of a view, as long as it is an array that lies without gaps."""
    found = value
    while True:
        base = getattr(found, "base", None)
        if base is None or type(base) is not type(value) or not hasattr(base, "flags"):
            return found
        flags = base.flags
        if not (flags.c_contiguous or flags.f_contiguous) or base.nbytes < found.nbytes:
            return found
        found = base


def _of_host(array: Any) -> Memory:
    library = library_of(array)
    dtype, shape, address, nbytes = _checked(array, array.__array_interface__, library)
    base = _base_of(array)
    interface = base.__array_interface__
    start, size = int(interface["data"][0]), int(getattr(base, "nbytes", nbytes))

    def read() -> bytes:
        import numpy as np

        data: bytes = np.asarray(base).tobytes("A")
        return data

    return Memory(library, dtype, shape, address, nbytes, Block("host", start, size, read))


def _of_device(array: Any) -> Memory:
    library = library_of(array)
    dtype, shape, address, nbytes = _checked(array, array.__cuda_array_interface__, library)
    base = _base_of(array)
    interface = base.__cuda_array_interface__
    start, size = int(interface["data"][0] or 0), int(getattr(base, "nbytes", nbytes))
    device = getattr(array, "device", None)
    number = getattr(device, "id", 0)

    def read() -> bytes:
        host: Any = None
        if hasattr(base, "get"):
            host = base.get(order="A") if library == "cupy" else base.get()
        elif hasattr(base, "copy_to_host"):
            host = base.copy_to_host()
        elif "cupy" in sys.modules:
            host = sys.modules["cupy"].asarray(base).get()
        else:
            raise UnusableError(f"a device array of {library}, which has no way to copy it to the host",
                                "pass a CuPy array, a PyTorch tensor or a NumPy array")
        data: bytes = host.tobytes("A")
        return data

    return Memory(library, dtype, shape, address, nbytes, Block(f"cuda:{number}", start, size, read))
