"""Texture and surface objects of a launch as the interpreter's table (``layout.T_...``)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from mutate.launch.model import AddressMode, Shape, TextureDecl
from mutate.launch.types import Rank, Scalar
from mutate.sim import layout as lay

_SHAPES: Mapping[Shape, int] = {
    "Linear": lay.T_LINEAR, "1D": lay.T_1D, "2D": lay.T_2D, "3D": lay.T_3D, "1DLayered": lay.T_LAYERED_1D,
    "2DLayered": lay.T_LAYERED_2D, "Cubemap": lay.T_CUBE, "CubemapLayered": lay.T_LAYERED_CUBE,
}
_MODES: Mapping[AddressMode, int] = {"wrap": lay.T_WRAP, "mirror": lay.T_MIRROR, "clamp": lay.T_CLAMP,
                                     "border": lay.T_BORDER}
_KINDS = {(1, Rank.UINT): lay.T_U8, (1, Rank.INT): lay.T_S8, (2, Rank.UINT): lay.T_U16, (2, Rank.INT): lay.T_S16,
          (2, Rank.HALF): lay.T_HALF, (4, Rank.FLOAT): lay.T_FLOAT}


def kind_of(scalar: Scalar) -> int:
    """How a channel is read: ``layout.T_U8`` and so on."""
    return _KINDS.get((scalar.size, scalar.rank), lay.T_WORD)


def object_table(objects: Sequence[TextureDecl], addresses: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """One row for each object, shape ``(objects or 1, T_COLUMNS)``; ``addresses`` are those of the arrays."""
    table = np.zeros((max(1, len(objects)), lay.T_COLUMNS), np.int64)
    for row, made in zip(table, objects, strict=False):
        row[lay.T_HANDLE], row[lay.T_SHAPE] = made.handle, _SHAPES[made.shape]
        row[lay.T_BASE] = addresses[made.array] + made.offset
        row[lay.T_SIZE : lay.T_SIZE + 3] = made.width, made.height, made.depth
        row[lay.T_LAYERS], row[lay.T_PITCH], row[lay.T_SLICE] = made.layers, made.pitch, made.slice
        row[lay.T_TEXEL], row[lay.T_SCALAR], row[lay.T_CHANNELS] = made.texel, made.scalar.size, made.channels
        row[lay.T_KIND], row[lay.T_CONVERTS] = kind_of(made.scalar), made.converts
        # The runtime ignores the filter of linear memory.
        row[lay.T_FILTER] = made.linear and made.shape != "Linear"
        row[lay.T_NORMALIZED] = made.normalized
        row[lay.T_ADDRESS : lay.T_ADDRESS + 3] = [_MODES[m] for m in made.address]
        colours = struct.unpack("<4I", struct.pack("<4f", *made.border))
        row[lay.T_BORDER_COLOR : lay.T_BORDER_COLOR + 4] = colours
    return table
