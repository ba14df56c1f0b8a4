"""What every sample kernel computes, in NumPy: the expected outputs of a launch from its inputs.

One table, ``REFERENCES``, keyed by kernel name without template arguments. A reference takes the launch's inputs by
the names of the kernel's parameters (the declarations use the same): arrays as they were *before* the launch, scalars,
``__constant__`` symbols by their own names, and ``grid`` and ``block`` (one to three integers). It returns the arrays
that the kernel writes, by name; they have as many values as the array that was declared.

Arrays of CUDA vector types may come as structured arrays or with a trailing axis of components; ``half`` is float16.
Real-valued references compute in float64; ``rtol`` and ``atol`` of the entry say how far the kernel may be from that,
and integers must be equal. Needs NumPy only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Inputs = Mapping[str, Any]


@dataclass(frozen=True)
class Reference:
    """``outputs(inputs)`` gives the written arrays; |got - expected| <= atol + rtol * |expected|, or equal for ints."""

    outputs: Callable[[Inputs], dict[str, Array]]
    rtol: float = 0.0
    atol: float = 0.0


def base_name(kernel: str) -> str:
    """``reduce6`` for ``reduce6<512>``."""
    return kernel.partition("<")[0].strip()


def expected(kernel: str, inputs: Inputs) -> dict[str, Array]:
    """The arrays that this launch writes. Raises ``KeyError`` for a kernel that no sample has."""
    return REFERENCES[base_name(kernel)].outputs(inputs)


def mismatches(kernel: str, inputs: Inputs, got: Mapping[str, Array],
               written: Mapping[str, Array] | None = None) -> list[str]:
    """What is wrong with ``got``, one line an array; empty when all is well.

    ``written`` limits the comparison to the elements where its flat boolean mask is true, for runs of a few blocks.
    """
    reference = REFERENCES[base_name(kernel)]
    found = []
    for name, want in reference.outputs(inputs).items():
        have = lanes(got[name]).reshape(-1)
        want = want.reshape(-1)
        if have.shape != want.shape:
            found.append(f"{kernel}: {name} has {have.size} values, expected {want.size}")
            continue
        if want.dtype.kind in "iub":
            bad = have != want
        else:
            have, want = have.astype(np.float64), want.astype(np.float64)
            bad = ~(np.abs(have - want) <= reference.atol + reference.rtol * np.abs(want))
        if written is not None and name in written:
            bad &= np.repeat(written[name].reshape(-1), bad.size // written[name].size)
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            found.append(f"{kernel}: {name}[{at}] is {have[at]}, expected {want[at]} ({int(bad.sum())} values wrong)")
    return found


def lanes(array: Array) -> Array:
    """A structured array of a vector type (float4, half2, ...) as plain numbers with a trailing axis of components."""
    if array.dtype.names is None:
        return array
    fields = array.dtype.names
    return np.ascontiguousarray(array).view(array.dtype[fields[0]]).reshape(*array.shape, len(fields))


def _blocks(inputs: Inputs) -> int:
    return int(np.prod(inputs["grid"]))


def _threads(inputs: Inputs) -> int:
    return int(np.prod(inputs["block"]))


def _wave_step(radius: int) -> Callable[[Inputs], dict[str, Array]]:
    def outputs(inputs: Inputs) -> dict[str, Array]:
        shape = int(inputs["nz"]), int(inputs["ny"]), int(inputs["nx"])
        field, vsq = inputs["in"].reshape(shape), inputs["vsq"].reshape(shape)
        out = inputs["out"].reshape(shape).copy()
        coeff = inputs["c_coeff"].astype(np.float64)
        inner = slice(radius, -radius)

        def shifted(count: int, by: int) -> slice:
            return slice(radius + by, count - radius + by)

        for z in range(radius, shape[0] - radius):
            plane = field[z].astype(np.float64)
            laplacian = coeff[0] * plane[inner, inner]
            for r in range(1, radius + 1):
                along_z = field[z - r, inner, inner].astype(np.float64) + field[z + r, inner, inner]
                along_y = plane[shifted(shape[1], -r), inner] + plane[shifted(shape[1], r), inner]
                along_x = plane[inner, shifted(shape[2], -r)] + plane[inner, shifted(shape[2], r)]
                laplacian += coeff[r] * (along_z + along_y + along_x)
            out[z, inner, inner] = 2.0 * plane[inner, inner] - out[z, inner, inner] + vsq[z, inner, inner] * laplacian
        return {"out": out.reshape(-1)}

    return outputs


def _increment(inputs: Inputs) -> dict[str, Array]:
    return {"a": inputs["a"] + np.float32(1.0)}


def _copy_offset(inputs: Inputs) -> dict[str, Array]:
    part = slice(inputs["offset"], inputs["offset"] + inputs["n"])
    out = inputs["out"].copy()
    out[part] = inputs["in"][part]
    return {"out": out}


def _column_walk(level_fastest: bool) -> Callable[[Inputs], dict[str, Array]]:
    def outputs(inputs: Inputs) -> dict[str, Array]:
        columns, levels = int(inputs["columns"]), int(inputs["levels"])

        def by_level(array: Array) -> Array:
            return array.reshape(columns, levels).T if level_fastest else array.reshape(levels, columns)

        humidity, thickness = by_level(inputs["humidity"]), by_level(inputs["thickness"])
        heating = np.empty_like(inputs["heating"])
        result = by_level(heating)
        light = inputs["sun"].copy()
        for level in range(levels):
            depth = humidity[level] * thickness[level]
            result[level] = light * depth / (1.0 + depth)
            light -= result[level]
        return {"heating": heating, "surface": light}

    return outputs


def _transpose(inputs: Inputs) -> dict[str, Array]:
    return {"out": inputs["in"].reshape(inputs["height"], inputs["width"]).T.reshape(-1)}


def _matmul(inputs: Inputs) -> dict[str, Array]:
    n = int(inputs["n"])
    a, b = (inputs[name].astype(np.float64).reshape(n, n) for name in "ab")
    return {"c": (a @ b).reshape(-1)}


def _reduce(elements_per_thread: int) -> Callable[[Inputs], dict[str, Array]]:
    def outputs(inputs: Inputs) -> dict[str, Array]:
        part = elements_per_thread * _threads(inputs)
        return {"out": inputs["v"].reshape(-1, part).sum(axis=1, dtype=np.int32)}

    return outputs


def _reduce_strided(inputs: Inputs) -> dict[str, Array]:
    part = 2 * _threads(inputs)
    sums = inputs["v"].reshape(-1, part).sum(axis=1, dtype=np.int32)
    rounds = np.zeros((-(-sums.size // _blocks(inputs)), _blocks(inputs)), np.int32)
    rounds.reshape(-1)[:sums.size] = sums
    return {"out": rounds.sum(axis=0, dtype=np.int32)}


def _fp64_stencil(inputs: Inputs) -> dict[str, Array]:
    columns = int(inputs["columns"])
    u = inputs["in"].reshape(columns, -1)
    level = np.arange(u.shape[1])
    below2, below1, above1, above2 = (u[:, np.clip(level + by, 0, level[-1])] for by in (-2, -1, 1, 2))
    curvature = (16.0 * (below1 + above1) - (below2 + above2) - 30.0 * u) / 12.0
    return {"out": (u + inputs["diffusion"] * curvature - inputs["decay"] * u**3).T.reshape(-1)}


def _two_paths(lanes_together: int) -> Callable[[Inputs], dict[str, Array]]:
    def outputs(inputs: Inputs) -> dict[str, Array]:
        x = inputs["in"].astype(np.float64)
        thread = np.arange(x.size) % _threads(inputs)
        series = np.ones_like(x)
        for k in range(12, 0, -1):
            series = 1.0 + series * x / k
        return {"out": np.where(thread // lanes_together % 2 == 0, 1.0 / np.sqrt(x), series)}

    return outputs


def _special(inputs: Inputs) -> dict[str, Array]:
    x = inputs["t"].astype(np.float64)
    wave = np.sin(x) + 0.5 * np.cos(2.0 * x)
    return {"out": np.exp(-inputs["damping"] * x) * wave + np.sqrt(x) * np.log1p(x) / (1.0 + x)}


def _calibrate(inputs: Inputs) -> dict[str, Array]:
    x = inputs["reading"].astype(np.float64)
    return {"celsius": ((0.83 * x - 2.15) * x + 34.7) * x - 12.6}


def _nbody(inputs: Inputs) -> dict[str, Array]:
    body = lanes(inputs["body"]).astype(np.float64).reshape(-1, 4)
    place, mass = body[:, :3], body[:, 3]
    acceleration = np.zeros_like(body)
    square = (place**2).sum(axis=1)
    for first in range(0, len(body), 16):  # few rows at a time stay in the cache
        self = slice(first, first + 16)
        # |a - b|^2 by the dot product; what rounding takes from it is far below the square of the softening.
        distance2 = np.maximum(square[self, None] + square - 2.0 * place[self] @ place.T, 0.0)
        distance2 += float(inputs["softening"]) ** 2
        pull = mass / (distance2 * np.sqrt(distance2))
        acceleration[self, :3] = pull @ place - pull.sum(axis=1, keepdims=True) * place[self]
    return {"acceleration": acceleration}


def _spmv(inputs: Inputs) -> dict[str, Array]:
    products = inputs["values"].astype(np.float64) * inputs["x"][inputs["colidx"]]
    running = np.concatenate([[0.0], np.cumsum(products)])
    return {"y": running[inputs["rowptr"][1:]] - running[inputs["rowptr"][:-1]]}


def _histogram(inputs: Inputs) -> dict[str, Array]:
    bins = inputs["bins"]
    return {"bins": bins + np.bincount(inputs["data"][:inputs["n"]], minlength=bins.size).astype(bins.dtype)}


def _softmax(inputs: Inputs) -> dict[str, Array]:
    rows = inputs["in"].reshape(-1, int(inputs["cols"])).astype(np.float64)
    rows -= rows.max(axis=1, keepdims=True)
    np.exp(rows, out=rows)
    rows /= rows.sum(axis=1, keepdims=True)
    return {"out": rows.reshape(-1)}


def _copy(inputs: Inputs) -> dict[str, Array]:
    return {"out": lanes(inputs["in"])}


def _half_axpy(inputs: Inputs) -> dict[str, Array]:
    a = np.float64(np.float16(inputs["a"]))
    return {"y": (a * lanes(inputs["x"]).astype(np.float64) + lanes(inputs["y"])).astype(np.float16)}


def _smooth(inputs: Inputs) -> dict[str, Array]:
    samples = inputs["in"].reshape(-1, 1024).astype(np.float64)
    around = np.pad(samples, ((0, 0), (1, 1)), mode="edge")
    return {"out": (0.5 * samples + 0.25 * (around[:, :-2] + around[:, 2:])).reshape(-1)}


def _same(outputs: Callable[[Inputs], dict[str, Array]], *names: str, rtol: float = 0.0,
          atol: float = 0.0) -> dict[str, Reference]:
    return dict.fromkeys(names, Reference(outputs, rtol, atol))


REFERENCES: dict[str, Reference] = {
    **_same(_wave_step(4), "fd3d", "fd3d_two_outputs", rtol=1e-5, atol=1e-5),
    **_same(_wave_step(5), "fd3d_order10", rtol=1e-5, atol=1e-5),
    **_same(_wave_step(6), "fd3d_order12", rtol=1e-5, atol=1e-5),
    **_same(_increment, "increment1", "increment2", "increment4"),
    **_same(_copy_offset, "copy_offset"),
    **_same(_column_walk(True), "column_walk", rtol=1e-12),
    **_same(_column_walk(False), "column_walk_transposed", rtol=1e-12),
    **_same(_transpose, "transpose_naive", "transpose_conflicting", "transpose_padded"),
    **_same(_matmul, "matmul_naive", "matmul_tiled", "matmul_two_outputs", "matmul_transposed_b", "matmul_padded",
            "matmul_one_shared", rtol=1e-5, atol=2e-4),
    **_same(_reduce(1), "reduce1", "reduce2", "reduce3"),
    **_same(_reduce(2), "reduce4", "reduce5", "reduce6"),
    **_same(_reduce_strided, "reduce7"),
    **_same(_fp64_stencil, "fp64_stencil_conflicting", "fp64_stencil_padded", rtol=1e-12, atol=1e-13),
    **_same(_two_paths(1), "divergent", rtol=1e-5),
    **_same(_two_paths(32), "grouped", rtol=1e-5),
    **_same(_special, "special_accurate", rtol=1e-5, atol=2e-6),
    **_same(_special, "special_intrinsic", rtol=1e-4, atol=1e-5),
    **_same(_calibrate, "fp64_literal", "fp32_literal", rtol=1e-5, atol=1e-5),
    **_same(_nbody, "nbody", rtol=1e-3, atol=1.0),
    **_same(_spmv, "spmv_scalar", "spmv_vector", rtol=1e-5, atol=2e-5),
    **_same(_histogram, "histogram_global", "histogram_shared"),
    **_same(_softmax, "softmax_rows", "softmax_rows_groups", rtol=1e-4, atol=1e-9),
    **_same(_copy, "vec4_copy", "vec4_copy_cast"),
    **_same(_half_axpy, "half_axpy", rtol=1e-3, atol=1e-6),
    **_same(_smooth, "smooth_pipeline", "smooth_memcpy_async", rtol=1e-6, atol=1e-6),
}
