"""Pages of arrays that the interpreter does not fill by itself, when its log of requests fills up meanwhile."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from mutate.launch.data import materialize
from mutate.launch.evaluate import evaluate
from mutate.launch.model import DeclarationText
from mutate.sim.space import PAGE, Initial
from mutate.source import Span
from mutate.toolchain.locate import find_toolchain

# Rows and columns of half: 1024 pages a block, each asked for, and more requests than the log holds.
SOURCE = r"""
#include <cuda_fp16.h>
/* kmutate launch
   int n = 1024;
   dim3 grid = { 32, 32 }, block = { 32, 32 };
   half a[n * n] = uniform(0, 1), b[n * n] = uniform(0, 1), c[n * n];
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
