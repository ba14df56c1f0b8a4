"""All samples under all mutations, run on the simulator: the claims of the mutations, on what was executed."""

from __future__ import annotations

import pytest

from mutate.model import Verdict
from mutate.pipeline.run import run_variants
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
FILES = sorted(samples_dir().glob("*.cu"))
# What an expert accepts; every other variant of a sample is VALID or refused.
# - math-only of spmv_*: row pointers stay, and with them loops of different lengths, which the compiler unrolls
#   otherwise; histogram_shared: the data are the shared index, so all loads stay.
# - smem-*: registers, spills, or LDS.128 that cannot survive an index the compiler does not know: the same bytes.
ACCEPTED = {
    "math-only": {"spmv_scalar": {"dynamic-counts-differ"},
                  "spmv_vector": {"dynamic-counts-differ", "retained-load-traffic"},
                  "histogram_shared": {"retained-load-traffic"}},
    **{m: {"fd3d": {"occupancy-differs"}, "fd3d_two_outputs": {"occupancy-differs"}, "fd3d_order10": {"spills"},
           "fd3d_order12": {"spills"},
           **{k: {"vector-accesses-differ", "dynamic-accesses-differ", "static-counts-differ", "occupancy-differs"}
              for k in ("matmul_tiled", "matmul_two_outputs", "matmul_transposed_b", "matmul_padded",
                        "matmul_one_shared")}}
       for m in ("smem-conflict-free", "smem-broadcast")},
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_variants_do_what_they_claim(path, tmp_path):  # type: ignore[no-untyped-def]
    report = run_variants(Request(path=path, output=tmp_path / "out", dynamic=True))
    seen = 0
    for kernel in report.kernels:
        name = kernel.target.kernel.name
        for v in kernel.variants:
            if v.certificate is None:
                continue
            seen += 1
            c, d = v.certificate, v.certificate.dynamic
            where = f"{name} {v.mutation}: {[(r.slug, r.text) for r in c.reasons]}"
            assert d is not None and not d.why_not, where
            against = {r.slug for r in c.reasons if r.severity is not Verdict.VALID}
            assert against <= ACCEPTED.get(v.mutation, {}).get(name, set()), where
            assert c.verdict is not Verdict.INVALID, where
            pairs = d.memory
            if v.mutation in ("identity", "memory-only", "no-sync", "smem-conflict-free", "smem-broadcast"):
                assert all(p.same for n, p in pairs.items() if n.startswith("global")), where
            if v.mutation == "load-only":
                assert pairs["global_load"].same, where
                assert not any(p.variant for n, p in pairs.items() if n in ("global_store", "global_atomic")), where
            if v.mutation == "store-only":
                assert all(p.same for n, p in pairs.items() if n == "global_store"), where
            if v.mutation == "math-only":
                assert not any(p.variant for n, p in pairs.items() if n in ("global_store", "global_atomic")), where
            if v.mutation in ("no-sync", "math-only") and name != "histogram_shared":
                assert all(p.same for n, p in pairs.items() if n.startswith("shared")), where
            if v.mutation == "no-sync":
                assert d.variant.get("barrier", 0) == 0, where
    assert seen
