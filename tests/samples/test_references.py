"""The references are held against small cases worked out by loops or by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from references import expected, lanes, mismatches

rng = np.random.default_rng(5)


@pytest.mark.parametrize(("kernel", "radius"), [("fd3d", 4), ("fd3d_two_outputs", 4), ("fd3d_order10", 5),
                                                ("fd3d_order12", 6)])
def test_wave_step_spreads_an_impulse_by_the_coefficients(kernel: str, radius: int) -> None:
    n = 4 * radius + 3
    middle = n // 2
    coeff = rng.uniform(1, 2, radius + 1).astype(np.float32)
    field = np.zeros((n, n, n), np.float32)
    field[middle, middle, middle] = 1.0
    got = expected(kernel, {
        "nx": n, "ny": n, "nz": n, "c_coeff": coeff, "in": field.reshape(-1),
        "out": np.full(n**3, 0.5, np.float32), "vsq": np.full(n**3, 2.0, np.float32)})["out"].reshape(n, n, n)
    assert got[middle, middle, middle] == pytest.approx(2.0 - 0.5 + 2.0 * coeff[0])
    for r in range(1, radius + 1):
        for axis in range(3):
            for side in (-r, r):
                place = [middle] * 3
                place[axis] += side
                assert got[tuple(place)] == pytest.approx(-0.5 + 2.0 * coeff[r])
    assert got[middle, middle + 1, middle + 1] == -0.5  # no cross terms
    assert got[radius - 1, middle, middle] == got[middle, middle, n - radius] == 0.5  # boundary is left alone


def test_column_walks_agree_through_the_transposed_layout() -> None:
    columns, levels = 5, 7
    humidity, thickness = rng.uniform(0.1, 1, (2, columns, levels))
    sun = rng.uniform(1, 2, columns)
    scalars: dict[str, Any] = {"columns": columns, "levels": levels, "sun": sun}
    plain = expected("column_walk", scalars | {
        "humidity": humidity.reshape(-1), "thickness": thickness.reshape(-1), "heating": np.zeros(columns * levels)})
    turned = expected("column_walk_transposed", scalars | {
        "humidity": humidity.T.reshape(-1), "thickness": thickness.T.reshape(-1),
        "heating": np.zeros(columns * levels)})
    light = sun[2]
    for level in range(levels):
        depth = humidity[2, level] * thickness[2, level]
        assert plain["heating"][2 * levels + level] == pytest.approx(light * depth / (1 + depth), rel=1e-13)
        light /= 1 + depth
    assert plain["surface"][2] == pytest.approx(light, rel=1e-13)
    np.testing.assert_array_equal(plain["heating"].reshape(columns, levels),
                                  turned["heating"].reshape(levels, columns).T)
    np.testing.assert_allclose(plain["heating"].reshape(columns, levels).sum(1) + plain["surface"], sun, rtol=1e-13)


def test_transpose_copy_and_increment() -> None:
    ramp = np.arange(6, dtype=np.float32)
    assert expected("transpose_padded", {"in": ramp, "width": 3, "height": 2})["out"].tolist() == [0, 3, 1, 4, 2, 5]
    copied = expected("copy_offset", {"in": ramp, "out": np.full(6, -1.0, np.float32), "n": 3, "offset": 2})["out"]
    assert copied.tolist() == [-1, -1, 2, 3, 4, -1]
    assert expected("increment4", {"a": ramp})["a"].tolist() == [1, 2, 3, 4, 5, 6]
    assert ramp.tolist() == [0, 1, 2, 3, 4, 5]  # inputs are not touched


def test_matmul_and_spmv_by_loops() -> None:
    n = 6
    a, b = rng.uniform(-1, 1, (2, n, n)).astype(np.float32)
    c = expected("matmul_tiled", {"a": a.reshape(-1), "b": b.reshape(-1), "n": n})["c"]
    assert c[2 * n + 4] == pytest.approx(sum(float(a[2, k]) * float(b[k, 4]) for k in range(n)))
    rowptr, colidx = np.array([0, 2, 2, 5], np.int32), np.array([3, 0, 1, 1, 2], np.int32)
    values, x = np.array([1, 2, 3, 4, 5], np.float32), np.array([10, 20, 30, 40], np.float32)
    y = expected("spmv_vector", {"rowptr": rowptr, "colidx": colidx, "values": values, "x": x})["y"]
    assert y.tolist() == [60, 0, 290]


def test_reductions_add_what_each_block_reads() -> None:
    v = np.arange(64, dtype=np.int32)
    one = expected("reduce1", {"v": v, "block": (8,), "grid": (8,)})["out"]
    assert one[1] == sum(range(8, 16))
    two = expected("reduce6<512>", {"v": v, "block": (8, 1, 1), "grid": (4, 1, 1)})["out"]
    assert two[1] == sum(range(16, 32))
    strided = expected("reduce7<512>", {"v": v, "block": (8,), "grid": (3,)})["out"]
    assert strided.tolist() == [sum(range(16)) + sum(range(48, 64)), sum(range(16, 32)), sum(range(32, 48))]


def test_fp64_stencil_clamps_at_both_ends() -> None:
    u = rng.uniform(0, 1, (2, 4))
    got = expected("fp64_stencil_padded", {"in": u.reshape(-1), "columns": 2, "diffusion": 0.3, "decay": 0.2})["out"]
    for level in range(4):
        m2, m1, p1, p2 = (u[1, min(max(level + by, 0), 3)] for by in (-2, -1, 1, 2))
        here = u[1, level]
        want = here + 0.3 * (-m2 + 16 * m1 - 30 * here + 16 * p1 - p2) / 12 - 0.2 * here**3
        assert got[level * 2 + 1] == pytest.approx(want, rel=1e-13)


def test_two_paths_are_chosen_by_lane_or_by_warp() -> None:
    inputs = {"in": np.full(128, 0.81, np.float32), "block": (64,)}
    root, series = 1 / 0.9, np.exp(0.81)
    np.testing.assert_allclose(expected("divergent", inputs)["out"], [root, series] * 64, rtol=1e-6)
    np.testing.assert_allclose(expected("grouped", inputs)["out"], ([root] * 32 + [series] * 32) * 2, rtol=1e-6)


def test_nbody_by_loops() -> None:
    body = rng.uniform(0, 1, (9, 4)).astype(np.float32)
    packed = body.view([(axis, np.float32) for axis in "xyzw"]).reshape(-1)
    got = expected("nbody", {"body": packed, "softening": 0.1})["acceleration"]
    want = np.zeros(3)
    for other in body.astype(float):
        way = other[:3] - body[4, :3]
        want += other[3] * way / (way @ way + 0.01) ** 1.5
    np.testing.assert_allclose(got[4, :3], want, rtol=1e-6)
    assert got[4, 3] == 0.0


def test_histogram_softmax_smooth_and_half() -> None:
    bins = expected("histogram_global", {"bins": np.array([1, 0, 0, 0], np.uint32),
                                         "data": np.array([3, 3, 0], np.uint8), "n": 3})["bins"]
    assert bins.tolist() == [2, 0, 0, 2]
    rows = np.log(np.array([[1, 3], [5, 5]], np.float64)) + 100
    np.testing.assert_allclose(expected("softmax_rows", {"in": rows.reshape(-1), "cols": 2})["out"],
                               [0.25, 0.75, 0.5, 0.5], rtol=1e-9)
    samples = np.zeros(2048, np.float32)
    samples[[1023, 1025]] = 1.0
    smooth = expected("smooth_pipeline", {"in": samples})["out"]
    assert smooth[1022:1027].tolist() == [0.25, 0.75, 0.25, 0.5, 0.25]  # frames do not mix, ends repeat
    pair = np.array([(1.0, 2.0)], dtype=[("x", np.float16), ("y", np.float16)])
    assert expected("half_axpy", {"a": 0.5, "x": pair, "y": pair})["y"].tolist() == [[1.5, 3.0]]


def test_special_functions_and_calibration_at_one_point() -> None:
    x = np.array([1.0], np.float32)
    want = np.exp(-0.5) * (np.sin(1) + 0.5 * np.cos(2)) + np.log(2) / 2
    assert expected("special_accurate", {"t": x, "damping": 0.5})["out"][0] == pytest.approx(want)
    assert expected("fp64_literal", {"reading": x})["celsius"][0] == pytest.approx(0.83 - 2.15 + 34.7 - 12.6)


def test_mismatches_finds_wrong_values_and_honours_the_written_mask() -> None:
    inputs = {"in": np.arange(4, dtype=np.float32)}
    right = inputs["in"].copy()
    wrong, broken = right.copy(), right.copy()
    wrong[2] += 1e-3
    broken[1] = np.nan
    assert mismatches("vec4_copy", inputs, {"out": right}) == []
    assert "out[2]" in mismatches("vec4_copy", inputs, {"out": wrong})[0]
    assert "out[1]" in mismatches("vec4_copy", inputs, {"out": broken})[0]
    assert "4" in mismatches("vec4_copy", inputs, {"out": right[:2]})[0]
    untouched = np.array([True, True, False, True])
    assert mismatches("vec4_copy", inputs, {"out": wrong}, written={"out": untouched}) == []
    ints = {"v": np.arange(8, dtype=np.int32), "block": (4,), "grid": (2,)}
    assert mismatches("reduce1", ints, {"out": np.array([6, 22], np.int32)}) == []
    assert mismatches("reduce1", ints, {"out": np.array([6, 23], np.int32)})


def test_lanes_reads_structured_and_plain_arrays_alike() -> None:
    plain = np.arange(8, dtype=np.float32).reshape(2, 4)
    packed = plain.view([(axis, np.float32) for axis in "xyzw"]).reshape(-1)
    np.testing.assert_array_equal(lanes(packed), plain)
    assert lanes(plain) is plain
