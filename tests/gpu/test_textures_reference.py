"""Texture fetches and surface accesses held against what an H200 computed and counted (no GPU needed)."""

from __future__ import annotations

import numpy as np
import pytest
from compare import code_of
from textures import COUNTED, OPEN, REFERENCE, apart, simulated, sources

from mutate.launch import evaluate_all, find_declarations
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
CASES = {name: source for name, source in sources().items() if name not in OPEN}
_compiled: dict[str, object] = {}


@needs_nvrtc
@pytest.mark.parametrize("name", CASES)
def test_the_gpus_bits_and_instructions(name: str) -> None:
    if not _compiled:
        options = CompileOptions(arch="sm_90")
        results = compile_many([Job(s.encode(), "textures.cu", "k", options) for s in CASES.values()])
        _compiled.update(zip(CASES, results, strict=True))
    recorded = {key.split("/")[1]: value for key, value in np.load(REFERENCE).items() if key.startswith(f"{name}/")}
    assert recorded, "a case that no GPU has run: tests/gpu/textures.py says how"
    result = _compiled[name]
    assert isinstance(result, Compiled)
    (launch,) = evaluate_all(find_declarations(CASES[name].encode(), "textures.cu"))
    memory, executed = simulated({"cubin": result.cubin, "entry": result.entry, "extra_smem": 0, "data": launch})
    *counted, code = recorded.pop(COUNTED).tolist()
    # Another compiler may make other code of the same source.
    assert executed.tolist() == counted or code != int(code_of(result.cubin)[:15], 16)
    for array, good in recorded.items():
        most, unequal = apart(launch, array, memory[array], good)
        if name == "test fractions of signed char" and array == "out":
            # Documented: some sums of signed bytes are one unit of 16 bits lower.
            assert most < 1.01 / 32767 and unequal < 64
        else:
            assert unequal == 0, f"{array}: {unequal} unequal, up to {most} apart"
