"""Long kernels: all mutations of one of 500 lines in a second of computing, and twice the lines in twice the time."""

from __future__ import annotations

import time

import pytest
from long_kernel import long_kernel

from mutate.analysis.program import analyse
from mutate.frontend.load import load_unit
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import all_mutations
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Compiled, compile_program


def seconds(lines: int, turns: int = 3) -> float:
    """What parsing and all mutations take, without the compiler; the least of some turns, as others use the machine."""
    source = long_kernel(lines).encode()
    took = []
    for _ in range(turns):
        start = time.process_time()
        unit = load_unit(source, "long.cu")
        (kernel,) = unit.kernels
        program = analyse(unit, kernel)
        built = [build_variant(unit, kernel, (m,), program) for m in all_mutations().values()]
        took.append(time.process_time() - start)
        assert all(isinstance(b, VariantText) for b in built), built
    return min(took)


def test_a_kernel_of_500_lines_takes_less_than_a_second() -> None:
    load_unit(b"", "first.cu")  # loads the grammar
    assert seconds(500) < 1.0


def test_time_grows_with_the_lines_and_not_with_their_square() -> None:
    # In turns: what else runs on the machine is then beside both.
    took = [(seconds(200, 1), seconds(800, 1)) for _ in range(6)]
    few, many = map(min, zip(*took, strict=True))
    assert many < 9 * few


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_what_is_timed_is_a_kernel() -> None:
    assert isinstance(compile_program(long_kernel(500).encode(), "long.cu", "long_kernel"), Compiled)
