"""What a launch hands over, as bytes: the parameter block of a kernel, its variables, the contents of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mutate.launch.model import ArrayDecl, Launch, pack_arg
from mutate.sim.image import Image

CHUNK_BYTES = 32 * 2**20


class ArgumentsError(Exception):
    """The launch's arguments are not those of the kernel; the message says how."""


def parameter_block(image: Image, launch: Launch, addresses: Mapping[str, int]) -> bytes:
    """The kernel's parameters at the offsets that its cubin names. Raises ``ArgumentsError``.

    Texture and surface objects are not made yet: the handles of the declaration are the simulator's.
    """
    if launch.textures:
        raise ArgumentsError("the launch has texture or surface objects, which only bench.cu makes on a GPU so far")
    if len(launch.args) != len(image.parameters):
        raise ArgumentsError(f"{len(launch.args)} arguments for a kernel with {len(image.parameters)} parameters")
    out = bytearray(max((offset + size for offset, size in image.parameters), default=0))
    for number, ((offset, size), arg) in enumerate(zip(image.parameters, launch.args, strict=True)):
        data = pack_arg(arg, addresses)
        if len(data) != size:
            raise ArgumentsError(f"argument {number + 1} has {len(data)} bytes, the kernel's parameter {size}")
        out[offset : offset + size] = data
    return bytes(out)


def symbols(image: Image, launch: Launch) -> list[tuple[str, str, int]]:
    """The variables of a cubin that the declaration sets: (symbol, array, bytes).

    A variable in a namespace has a mangled name; one that the compiler dropped is left out.
    """
    out = []
    for array in launch.symbols:
        for variable in (*image.constants, *image.variables):
            mangled = f"{len(array.name)}{array.name}E"
            if variable.name == array.name or variable.name.endswith(mangled):
                out.append((variable.name, array.name, min(array.nbytes, variable.size)))
                break
    return out


def device_arrays(launch: Launch) -> list[ArrayDecl]:
    """All arrays that a launch needs, those included that variables are set from."""
    return list({a.name: a for a in (*launch.arrays, *launch.symbols)}.values())


def contents(array: ArrayDecl) -> Iterator[tuple[int, bytes]]:
    """The bytes of an array, in pieces: (offset, bytes). For what the GPU cannot make.

    Raises ``DataFileError`` for a file that has changed since the declaration was read.
    """
    import numpy as np

    from mutate.launch.data import materialize

    step = max(1, CHUNK_BYTES // array.elem.size)
    for start in range(0, array.count, step):
        part = materialize(array, start, min(step, array.count - start))
        yield start * array.elem.size, np.ascontiguousarray(part).tobytes()
