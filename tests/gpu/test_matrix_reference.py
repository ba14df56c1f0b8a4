"""Products of matrices held against what an H200 computed, bit for bit (no GPU needed)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matrix import MODES, PRODUCTS, REFERENCE, WARPS, operands

from mutate.launch import evaluate_all, find_declarations
from mutate.sass.disasm import disassemble
from mutate.sim.image import read_image
from mutate.sim.run import Simulation
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
_compiled: dict[str, object] = {}


@needs_nvrtc
@pytest.mark.parametrize("name", PRODUCTS)
def test_the_gpus_bits(name: str, tmp_path: Path) -> None:
    if not _compiled:
        options = CompileOptions(arch="sm_90")
        results = compile_many([Job(p.kernel.encode(), "matrix.cu", "k", options) for p in PRODUCTS.values()])
        _compiled.update(zip(PRODUCTS, results, strict=True))
    result = _compiled[name]
    assert isinstance(result, Compiled)
    for array, data in zip(("a", "b", "c"), operands(name), strict=True):
        (tmp_path / f"{array}.bin").write_bytes(data.tobytes())
    (launch,) = evaluate_all(find_declarations(PRODUCTS[name].source(tmp_path).encode(), "matrix.cu"))
    (listing,) = disassemble([(result.cubin, result.entry)], "sm_90")
    simulation = Simulation(read_image(result.cubin, result.entry), listing, launch)
    simulation.run(range(MODES * WARPS))
    with np.load(REFERENCE) as recorded:
        good = recorded[name]
    region = next(r for r in simulation.initial.regions if r.name == "out")
    got = np.ascontiguousarray(simulation.memory.read(region)).view(np.uint32)
    assert len(good) == len(got)
    assert np.flatnonzero(good != got).tolist() == []
