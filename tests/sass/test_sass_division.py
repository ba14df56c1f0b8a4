"""Reciprocals of integer divisions are told from those of the source."""

from __future__ import annotations

import pytest

from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sass.operands import division_helpers
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
@pytest.mark.parametrize(("statement", "integer", "floating"), [
    ("o[i] = (float)(i / n);", True, False),
    ("o[i] = (float)((unsigned)i % (unsigned)n);", True, False),
    ("o[i] = 1.0f / o[i];", False, True),
    ("o[i] = __fdividef((float)n, o[i]) + (float)(i / n);", True, True),
])
def test_only_reciprocals_of_integers_count(tmp_path, arch, statement, integer, floating):  # type: ignore[no-untyped-def]
    path = tmp_path / "k.cu"
    path.write_text(f"__global__ void k(float *o, int n) {{ int i = threadIdx.x; {statement} }}\n")
    (k,) = compile_originals(Request(path=path, arch=arch))
    helpers = division_helpers(k.original.listing)
    reciprocals = {n for n, i in enumerate(k.original.listing) if i.opcode == "MUFU.RCP"}
    assert helpers <= reciprocals
    assert bool(helpers) is integer
    assert bool(reciprocals - helpers) is floating
