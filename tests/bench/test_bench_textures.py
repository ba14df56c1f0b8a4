"""Texture and surface objects in bench.cu: made by the runtime, and made anew where a kernel writes them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mutate.launch import evaluate_all, find_declarations
from mutate.report.bench import Bench, BenchCase, BenchVariant, render_bench

KERNEL = """/* kmutate launch
   struct P { int n; cudaTextureObject_t t; };
   uchar4 img[8][16] = randint(0, 255); float table[300] = uniform(0, 1); float cube[6][4][4];
   float4 kept[2][8][16]; float out[128];
   cudaTextureDesc desc = { .addressMode = { cudaAddressModeMirror }, .filterMode = cudaFilterModeLinear,
                            .readMode = cudaReadModeNormalizedFloat, .normalizedCoords = 1 };
   cudaTextureObject_t a = texture2D(img, 16, 8, desc), b = textureLinear(table, 300), c = textureCubemap(cube, 4);
   cudaSurfaceObject_t s = surface2DLayered(kept, 16, 8, 2);
   cudaTextureObject_t again = texture2DLayered(kept, 16, 8, 2);
   cudaTextureObject_t held[3] = { 0, a, c };
   struct P p = { 3, b };
   dim3 grid = {1}; dim3 block = {128};
   k(out, a, p, s, held, again);
*/
struct P { int n; cudaTextureObject_t t; };
__global__ void k(float *out, cudaTextureObject_t a, P p, cudaSurfaceObject_t s, const cudaTextureObject_t *held,
                  cudaTextureObject_t again)
{
    out[threadIdx.x] = tex2D<float4>(a, 0, 0).x + tex1Dfetch<float>(p.t, p.n) + texCubemap<float>(held[2], 1, 0, 0)
        + tex2DLayered<float4>(again, 1, 2, 1).x;
    surf2DLayeredwrite(make_float4(0, 0, 0, 0), s, 16 * (threadIdx.x % 16), threadIdx.x / 16, 1);
}
"""


def bench(folder: Path) -> Bench:
    file = folder / "k.cu"
    file.write_text(KERNEL)
    (launch,) = evaluate_all(find_declarations(KERNEL.encode(), str(file)))
    case = BenchCase(launch, (BenchVariant("original", KERNEL, "k", 0, None),), frozenset({"out"}))
    return Bench(file, folder, (case,))


def test_handles_take_the_place_of_the_simulators(tmp_path: Path) -> None:
    text = render_bench(bench(tmp_path))
    # Arrays: img, table, cube, kept, out, held; then the objects in order.
    assert "(unsigned long long)kmb_arrays[6]" in text
    assert "kmb::patched(kmb::Bytes<16>{{3, 0, 0, 0, " in text and ", 8, kmb::pointer(kmb_arrays[7], 0))" in text
    assert "{ 5, 8, 0 }," in text and "{ 5, 16, 2 }," in text
    assert "{ 5, 0, " not in text


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_objects_are_made_once_and_filled_where_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "bench.cu").write_text(render_bench(bench(tmp_path)))
    command = ["nvcc", "-arch=sm_90", "-Werror", "all-warnings", "-cudart", "none", "-o", tmp_path / "bench",
               tmp_path / "bench.cu", Path(__file__).with_name("fake_cudart.cpp")]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    log = tmp_path / "log"
    subprocess.run([tmp_path / "bench", "--rounds", "2"], check=True, capture_output=True, timeout=60,
                   env={**os.environ, "KMB_LOG": str(log)})
    lines = log.read_text().splitlines()
    made_objects = [line for line in lines if line.startswith(("array", "texture", "surface"))]
    # 8 lets tex2Dgather read it, 2 lets surfaces write it, 4 is a cubemap, 1 has layers.
    assert made_objects == ["array 16x8x0 8,8 flags 8", "texture of 0 modes 2111", "texture of 2 modes 0000",
                            "array 4x4x6 32,0 flags 4", "texture of 0 modes 0000", "array 16x8x2 32,32 flags 3",
                            "surface of 3", "texture of 0 modes 0000"]
    copies = [line for line in lines if line.startswith("texels")]
    # Each once, and the one that is written again before each of four launches (two warm up).
    assert copies == ["texels 1 64 16x8x1", "texels 2 16 4x4x6", *["texels 3 256 16x8x2"] * 5]
    launches = [n for n, line in enumerate(lines) if line.startswith("launch") and "1kE" in line]
    assert len(launches) == 4
    assert all(any(line.startswith("texels 3") for line in lines[n - 6 : n]) for n in launches)
    assert [line for line in lines if line.startswith(("end", "free array"))] == [
        "end 1000", "end 1000", "end 1000", "end 2000", "end 1000", *["free array"] * 3]
