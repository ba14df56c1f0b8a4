"""Times on every machine against what it can do at most: no kernel is faster than DRAM or than its schedulers."""

from __future__ import annotations

from functools import cache

import pytest

from mutate.errors import KmutateError
from mutate.machines import Machine, all_machines, load_machine
from mutate.pipeline.binaries import KernelBinaries, compile_originals
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing.model import Kernel, predict
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
MIB = 1 << 20
# Samples and the bytes that their kernels read at least; with a cold L2 these come from DRAM.
READS = {"copy_offset": 16 * MIB, "transpose": 64 * MIB, "reduction": 64 * MIB, "increment": 256 * MIB, "nbody": 0,
         "special_functions": 0}


@cache
def compiled(sample: str, arch: str) -> list[KernelBinaries]:
    return list(compile_originals(Request(path=samples_dir() / f"{sample}.cu", arch=arch)))


@pytest.mark.parametrize("machine", all_machines(), ids=lambda m: m.name)
def test_no_bandwidth_is_above_the_theoretical_one(machine: Machine) -> None:
    peak = min(machine.number(k) for k in ("dram.peak_bandwidth", "dram.ecc_bandwidth") if machine.get(k) is not None)
    for key in ("dram.read_bandwidth", "dram.write_bandwidth", "dram.copy_bandwidth"):
        if machine.get(key) is not None:
            assert 0.5 * peak < machine.number(key) < peak, key
    if machine.get("l2.read_bandwidth") is not None:
        assert machine.number("l2.read_bandwidth") > machine.number("dram.read_bandwidth")
        assert machine.number("latency.l1") < machine.number("latency.l2") < machine.number("latency.dram")
        if machine.get("l2.peak_bandwidth") is not None:
            assert machine.number("l2.read_bandwidth") < machine.number("l2.peak_bandwidth") * machine.number(
                "clock.boost") / 1000
    assert machine.number("latency.shared") < machine.number("latency.dram")


@pytest.mark.parametrize("machine", all_machines(), ids=lambda m: m.name)
def test_no_kernel_is_faster_than_its_machine(machine: Machine) -> None:
    """And none is 50 times as slow as the largest of its bounds: these fill the GPU."""
    peak = machine.number("dram.peak_bandwidth") * 1e6
    # GT200 takes some of sm_75's loads from shared memory as operands (``tesla``): they are no instructions.
    rate = machine.number("sm.schedulers") * machine.number("sm.issue_per_scheduler") * (
        1.25 if machine.get("issue.fp32_shared") is not None else 1.0)
    timed = 0
    for sample, read in READS.items():
        for binaries in compiled(sample, machine.arch):
            binary = binaries.original
            kernel = Kernel(read_image(binary.cubin, binary.entry), binary.listing)
            try:
                found = predict(kernel, binaries.target.launches[0], machine, recorded=40_000, played=60_000)
            except KmutateError as error:
                assert "no block" in error.what
                continue
            timed += 1
            own = found.time_ms - found.overhead_ms
            bounds = read / peak, found.instructions / rate / (machine.number("clock.boost") * 1e3)
            assert max(bounds) <= own <= 50 * max(bounds), (sample, binaries.target.name, own, bounds)
            # What was asked for and not yet served when the play ended is in it.
            assert all(u <= 1.05 for u in found.utilisation.values()), (sample, found.utilisation)
    assert timed >= 12


def test_faster_machines_are_faster() -> None:
    """What moves 512 MiB takes as long as DRAM's bandwidth says, within what a copy loses."""
    times = {}
    for name in ("h200", "h100", "a100", "rtx4090", "t4", "l4", "c2050"):
        machine = load_machine(name)
        binaries = compiled("increment", machine.arch)[-1]
        binary = binaries.original
        found = predict(Kernel(read_image(binary.cubin, binary.entry), binary.listing), binaries.target.launches[0],
                        machine, recorded=40_000, played=60_000)
        times[name] = found.time_ms
        share = 512 * MIB / 1e6 / found.time_ms / machine.number("dram.peak_bandwidth")
        assert 0.5 < share < 1.0, (name, share)
    order = sorted(times, key=lambda n: times[n])
    assert order[:4] == ["h200", "h100", "a100", "rtx4090"]
    assert order[-1] == "c2050"
