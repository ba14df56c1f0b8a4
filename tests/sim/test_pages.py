"""Pages of arrays that the interpreter does not fill by itself, when its log of requests fills up meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from mutate.launch.data import materialize
from mutate.launch.evaluate import evaluate
from mutate.launch.model import DeclarationText
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim import filling, space
from mutate.sim.image import read_image
from mutate.sim.run import Simulation
from mutate.sim.space import PAGE, Initial
from mutate.source import Span
from mutate.toolchain.locate import find_toolchain

# Rows and columns of half: 1024 pages a block, each asked for, and more requests than the log holds.
SOURCE = r"""
#include <cuda_fp16.h>
/* kmutate launch
   int n = 1024;
   dim3 grid = { 32, 32 }, block = { 32, 32 };
   half a[n * n] = normal(0, 1), b[n * n] = normal(0, 1), c[n * n];
   product(a, b, c, n);
*/
__global__ void product(const half *a, const half *b, half *c, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    half sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
"""


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_pages_asked_for_before_a_log_is_full_are_brought() -> None:
    code = f"import mutate; print(mutate.simulate({SOURCE!r}, blocks=4).counters()['global_store_requests'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert float(done.stdout) == 4 * 32


def test_pages_that_are_made_ahead_of_a_walk_are_those_of_one_request() -> None:
    """Walks up, down and in jumps, beyond the end of an array too; what comes does not depend on what came before."""
    text = ("dim3 grid = { 1 }; dim3 block = { 32 }; float a[300 * 1024] = normal(0, 1); "
            "int b[77 * 1000] = permutation(); k(a, b);")
    (launch,) = evaluate(DeclarationText("k.cu", text.encode(), Span(0, len(text))))
    at_once, one_by_one = Initial(launch), Initial(launch)
    for region, steps in zip(at_once.regions, (7, 1), strict=True):
        count = (region.nbytes + PAGE - 1) // PAGE
        walk = [*range(0, count, steps), *range(count - 1, 0, -2 * steps), 5, 11, 6, 7, 8, count - 1, *range(count)]
        pages = region.first + np.array(walk)
        expected = at_once.fetch(pages)
        for row, page in zip(expected, pages, strict=True):
            assert np.array_equal(one_by_one.fetch(np.array([page]))[0], row)
        whole = materialize(launch.arrays[at_once.regions.index(region)]).tobytes()
        assert at_once.fetch(region.first + np.arange(count)).tobytes()[: region.nbytes] == whole


# Of each kind of data that the interpreter makes where it is touched: one array, a page and a bit.
MADE = """/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 }; int n = 1500;
   half h[n] = uniform(-70000, 70000); __nv_bfloat16 b[n] = uniform(-1, 3); half small[n] = uniform(-0.0001, 0.0001);
   float f[n] = uniform(-1, 1); double d[n] = uniform(0, 5); unsigned char c[n] = randint(3, 200);
   long long l[n] = randint(-5, 1000000); short s[n] = fill(-7); float z[n] = zeros(); char out[32] = zeros();
   touch(h, b, small, f, d, c, l, s, z, out); */
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ int part(const void *p, int bytes)
{
    int sum = 0;
    for (int i = threadIdx.x; i < bytes; i += 32) sum += ((const char *)p)[i];
    return sum;
}
__global__ void touch(const half *h, const __nv_bfloat16 *b, const half *small, const float *f, const double *d,
                      const unsigned char *c, const long long *l, const short *s, const float *z, char *out)
{
    out[threadIdx.x] = part(h, 3000) + part(b, 3000) + part(small, 3000) + part(f, 6000) + part(d, 12000)
                       + part(c, 1500) + part(l, 12000) + part(s, 3000) + part(z, 6000);
}
"""


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_pages_that_the_interpreter_makes_are_those_of_numpy(tmp_path: Path) -> None:
    path = tmp_path / "touch.cu"
    path.write_text(MADE)
    (found,) = compile_originals(Request(path=path, arch="sm_90"))
    image = read_image(found.original.cubin, found.original.entry)
    simulation = Simulation(image, found.original.listing, found.target.launches[0])
    memory = simulation.run((0,)).memory
    for region in memory.initial.regions:
        if region.array is not None and region.name != "out":
            assert memory.initial.rules[0][memory.initial.regions.index(region), filling.RULE] != filling.NO_RULE
            assert len(memory.touched(region)) == (region.nbytes + PAGE - 1) // PAGE
            assert memory.read(region).tobytes() == materialize(region.array).tobytes(), region.name


def test_rows_that_are_walked_one_after_another_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first row of 16 pages is made in steps that grow, each further one when its first page is asked for."""
    text = "dim3 grid = { 1 }; dim3 block = { 32 }; float a[4096 * 256] = normal(0, 1); k(a);"
    (launch,) = evaluate(DeclarationText("k.cu", text.encode(), Span(0, len(text))))
    initial, made = Initial(launch), list[int]()
    inner = initial._make

    def make(pages: npt.NDArray[np.int64]) -> None:
        made.append(pages.size)
        inner(pages)

    monkeypatch.setattr(initial, "_make", make)
    for row in (0, 10, 5):
        for page in range(16):
            initial.fetch(initial.regions[0].first + np.array([64 * row + page]))
    assert made == [1, 1, 2, 4, 8, 16, 16]


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
@pytest.mark.parametrize("room", [1 << 20, 3])
@pytest.mark.parametrize("values", ["fill(5)", "iota()"])
def test_a_fork_goes_on_from_memory_and_leaves_it_alone(values: str, room: int, tmp_path: Path,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block adds one to what the blocks before it left, in the first half of the array. ``room``: for pages."""
    file = tmp_path / "k.cu"
    file.write_text(f"/* kmutate launch\n   int a[4096] = {values};\n   dim3 grid = {{ 9 }}; dim3 block = {{ 32 }};\n"
                    "   k(a);\n*/\n__global__ void k(int *a)\n"
                    "{ for (int i = threadIdx.x; i < 2048; i += 32) a[i] += 1; a[4000 + threadIdx.x] = blockIdx.x; }\n")
    monkeypatch.setattr(space, "_ROOM", room)
    (found,) = compile_originals(Request(path=file, kernels=("k",), arch="sm_90"))
    image = read_image(found.original.cubin, found.original.entry)
    simulation = Simulation(image, found.original.listing, found.target.launches[0])
    region = simulation.initial.regions[0]
    first = simulation.memory.read(region).view(np.int32).copy()

    def after(blocks: int, last: int) -> list[int]:
        out = first.copy()
        out[:2048] += blocks
        out[4000:4032] = last
        return [int(x) for x in out]

    def now(run: Simulation) -> list[int]:
        return [int(x) for x in run.memory.read(region).view(np.int32)]

    simulation.run((0, 1))
    before = simulation.counters.copy()
    fork = simulation.fork((), None)
    assert now(fork) == after(2, 1)
    fork.run((2, 3))
    beside = fork.beside((), None)
    beside.run((4,))
    assert now(simulation) == after(2, 1)
    assert now(fork) == now(beside) == after(5, 4)
    assert (simulation.counters == before).all() and fork.counters[:, 0].sum() == before[:, 0].sum()
    simulation.run((5,))
    assert now(simulation) == after(3, 5)
    with pytest.raises(ValueError, match="fork"):
        fork.fork((), None)
