"""The dynamic instruction stream agrees with the counters, and the scheduling bits with what compilers must do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mutate.pipeline.binaries import KernelBinaries, compile_originals
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sim import layout as lay
from mutate.sim.image import read_image
from mutate.sim.run import Simulation
from mutate.sim.stream import COST, INDEX, LANES_ON, NO_SCOREBOARD, WARP, scheduling_of, static_info
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


def compiled(sample: str, kernel: str, arch: str = "sm_90", **settings: str) -> KernelBinaries:
    (found,) = compile_originals(Request(path=samples_dir() / f"{sample}.cu", kernels=(kernel,), arch=arch,
                                    settings=settings))
    return found


@pytest.mark.parametrize(("sample", "kernel", "settings"), [
    ("fd3d", "fd3d", {"nx": "64", "ny": "64", "nz": "80"}),  # more records than one buffer holds
    ("spmv_csr", "spmv_scalar", {"rows": "500", "cols": "500"}),
    ("reduction", "reduce3", {"n": "4096"}),
])
def test_the_stream_has_what_the_counters_count(sample: str, kernel: str, settings: dict[str, str]) -> None:
    k = compiled(sample, kernel, **settings)
    parts: list[np.ndarray] = []
    simulation = Simulation(read_image(k.original.cubin, k.original.entry), k.original.listing, k.target.launches[0],
                            recorder=SimpleNamespace(add=lambda block, records: parts.append(records.copy())))
    counts = simulation.run([0, 1]).counts.per_instruction
    records = np.concatenate(parts)
    executed = np.bincount(records[:, INDEX], minlength=len(counts))
    assert np.array_equal(executed, counts[:, lay.EXECUTED])
    lanes = np.bitwise_count(records[:, LANES_ON].astype(np.uint64)).astype(np.int64)
    on = np.bincount(records[:, INDEX], weights=lanes, minlength=len(counts)).astype(np.int64)
    assert np.array_equal(on, counts[:, lay.THREADS_ON])
    cost = np.bincount(records[:, INDEX], weights=records[:, COST], minlength=len(counts)).astype(np.int64)
    assert np.array_equal(cost, counts[:, lay.SECTORS] + counts[:, lay.WAVEFRONTS])
    assert set(records[:, WARP]) == set(range((k.target.threads + 31) // 32))


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_loads_set_a_scoreboard_that_their_first_use_waits_for(arch: str) -> None:
    """Not a matter of taste: a load's latency is unknown, so its user must wait for a scoreboard."""
    infos = static_info(compiled("increment", "increment1", arch).original.listing)
    loads = [n for n, i in enumerate(infos) if i.instruction.name == "LDG"]
    assert loads
    for n in loads:
        board = infos[n].scheduling.write_scoreboard
        assert board != NO_SCOREBOARD
        result = infos[n].writes
        assert result
        user = next(i for i in infos[n + 1 :] if set(i.reads) & set(result))
        assert user.scheduling.wait_mask >> board & 1, str(user.instruction)


def test_fixed_latency_results_are_covered_by_stalls() -> None:
    """An FFMA's result is ready after 4 cycles at least: stalls between it and its first user sum to that or more."""
    infos = static_info(compiled("nbody", "nbody").original.listing)
    seen = 0
    for n, info in enumerate(infos):
        if info.instruction.name not in ("FFMA", "FADD", "FMUL") or not info.writes or info.instruction.predicate:
            continue
        wait = info.scheduling.stall
        for after in infos[n + 1 :]:
            if after.instruction.name in ("BRA", "EXIT"):
                break
            if set(after.reads) & set(info.writes):
                assert wait >= 4, f"{info.instruction} -> {after.instruction}: {wait}"
                seen += 1
                break
            wait += after.scheduling.stall
    assert seen > 20


def test_registers_of_an_instruction() -> None:
    infos = static_info(compiled("increment", "increment1").original.listing)
    store = next(i for i in infos if i.instruction.name == "STG")
    assert store.writes == ()
    assert len([r for r in store.reads if r.startswith("R")]) == 2
    assert scheduling_of(store.instruction).write_scoreboard == NO_SCOREBOARD


# Lanes of three kinds: some end at once, the others load at places that their neighbours' kinds choose, and both ways
# come to memory that nobody has touched before.
GUARDED = """/* kmutate launch
   int n = 65536; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float a[n] = normal(); float b[n] = normal(); float out[n] = zeros(); unsigned char kind[n] = randint(0, 5);
   guarded(a, b, out, kind, n);
*/
__global__ void guarded(const float *a, const float *b, float *out, const unsigned char *kind, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (kind[i] == 0) { out[i] = b[n - 1 - i]; return; }
    float x = a[i];
    if (kind[(i + 32) % n] == 1) x += b[(i * 7) % n];
    else { x -= a[(i * 5) % n]; if (kind[(i * 3) % n] > 2) x *= b[(i * 11) % n] - a[(i * 13) % n]; }
    out[i] = x;
}
"""


def test_a_warps_order_is_the_same_whether_pages_are_there_or_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "guarded.cu"
    path.write_text(GUARDED)
    (k,) = compile_originals(Request(path=path, arch="sm_90"))
    parts: list[np.ndarray] = []
    recorder = SimpleNamespace(add=lambda block, records: parts.append(records.copy()))
    simulation = Simulation(read_image(k.original.cubin, k.original.entry), k.original.listing, k.target.launches[0],
                            recorder=recorder)

    def by_warp(run: Simulation) -> np.ndarray:
        parts.clear()
        run.run([100])
        records = np.concatenate(parts)
        return records[np.argsort(records[:, WARP], kind="stable")]

    first = by_warp(simulation)
    again = by_warp(simulation.beside((), recorder))
    assert len(first) > 8 * 40 and np.array_equal(first, again)
