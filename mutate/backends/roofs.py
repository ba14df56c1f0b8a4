"""What this GPU reaches at most, by kernels of our own (``templates/doctor/roofs.cu``), measured once and kept.

Bandwidths are of buffers much larger than L2, the best of several shapes. How far a copy gets with few resident warps
is measured by letting blocks take so much shared memory that no more of them fit, at one carve-out for all.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mutate.backends.gpu import measure
from mutate.backends.libcuda import from_message
from mutate.backends.process import CUPY_DRIVER
from mutate.backends.rounds import median
from mutate.backends.tools import module_kernels, tool_cubin
from mutate.errors import KmutateError
from mutate.launch import evaluate, find_declarations
from mutate.launch.model import Launch
from mutate.occupancy import Device, KernelResources, device_for, known_capabilities, percent_for, resident_blocks
from mutate.resources import templates_dir
from mutate.timing import Gpu, Plan, Roofs, Run, RunOutcome, Session, Settings
from mutate.toolchain.cache import Cache, default_cache, digest
from mutate.toolchain.elf import Cubin

Progress = Callable[[str, int, int], None]
WARPS = (2, 4, 8, 12, 16, 24, 32, 48, 64)
_FILE = "doctor/roofs.cu"
_KIND = "roofs"
# Raise with every change of what is measured or kept.
_FORMAT = "1"
# A buffer: so many bytes, or so many L2 sizes if that is more (what a kernel wrote last stays in L2 and was not moved
# when it ends); and at most this part of the GPU's memory.
_BUFFER_BYTES, _BUFFER_L2, _BUFFER_SHARE = 2**30, 64, 1 / 16
_THREADS, _CHUNK = 256, 4
_STRIDE_BLOCKS = (4, 8, 16)
_FMA_BLOCKS_PER_SM, _FMA_ROUNDS, _FMA_PER_ROUND = 8, 2048, 128
_SIZES_OF_BLOCK = (64, 128, 192, 256)
_SETTINGS = Settings(target=0.005, budget=1.5, least_rounds=9, most_rounds=60)


@dataclass(frozen=True)
class _Curve:
    """Runs whose blocks have one size, and the resident warps that each stands for."""

    plan: Plan
    warps: Mapping[str, int]


def _key(gpu: Gpu) -> str:
    return digest(_FORMAT, gpu.uuid, gpu.name, gpu.driver, (templates_dir() / _FILE).read_bytes())


def load_roofs(gpu: Gpu, cache: Cache | None = None) -> Roofs | None:
    """What was measured on this very GPU with this driver and these kernels, or ``None``."""
    data = (cache or default_cache()).get(_KIND, _key(gpu))
    if data is None:
        return None
    try:
        fields: dict[str, Any] = json.loads(data)
        for name in ("copy_by_warps", "copy4_by_warps"):
            fields[name] = {int(warps): float(gbs) for warps, gbs in fields[name].items()}
        return Roofs(**{**fields, "gpu": from_message(fields["gpu"])})
    except (ValueError, TypeError, KeyError):
        return None


def save_roofs(roofs: Roofs, cache: Cache | None = None) -> None:
    (cache or default_cache()).put(_KIND, _key(roofs.gpu), json.dumps(asdict(roofs)).encode())


def measure_roofs(gpu: Gpu, settings: Settings | None = None, progress: Progress = lambda *_: None, *, device: int = 0,
                  driver: str = CUPY_DRIVER, options: Mapping[str, Any] | None = None) -> Roofs:
    """Measures all roofs of a GPU (some seconds) and keeps nothing; see ``save_roofs``.

    Raises ``KmutateError`` ``roofs-failed`` when a kernel of ours does
    not run, and as ``measure`` does; ``KeyboardInterrupt`` ends it.
    """
    settings = replace(settings or _SETTINGS, device=device, l2="cold")
    cubin = module_kernels(_FILE, ("copy_stride",), gpu.capability).cubin
    nbytes = _buffer_bytes(gpu)
    curves = _curves(gpu, cubin, nbytes)
    plans = [_bandwidth(gpu, cubin, nbytes), _arithmetic(gpu, cubin), *(c.plan for c in curves)]
    sessions = measure(plans, settings, progress, driver=driver, options=options)
    warm = replace(settings, l2="warm")
    sessions += measure([_empty(tool_cubin(gpu.capability))], warm, progress, driver=driver, options=options)
    if any(s.stopped == "interrupted" for s in sessions):
        raise KeyboardInterrupt
    bandwidth, arithmetic, *between, empty = sessions
    overhead = median(bandwidth.overhead_ms) if bandwidth.overhead_ms else 0.0
    wide, narrow = _by_warps(curves, between, nbytes)
    flops = gpu.sm_count * _FMA_BLOCKS_PER_SM * _THREADS * _FMA_ROUNDS * _FMA_PER_ROUND * 2
    return Roofs(
        gpu=bandwidth.gpu,
        copy_gbs=2 * nbytes / _least(bandwidth, "copy") / 1e6,
        read_gbs=nbytes / _least(bandwidth, "read") / 1e6,
        write_gbs=nbytes / _least(bandwidth, "write") / 1e6,
        fp32_gflops=flops / _least(arithmetic, "multiply_add") / 1e6,
        launch_overhead_us=overhead * 1e3,
        back_to_back_us=_least(empty, "empty") * 1e3,
        copy_by_warps=wide,
        copy4_by_warps=narrow,
        measured=datetime.date.today().isoformat(),
    )


def _least(session: Session, prefix: str) -> float:
    """The least median of the runs with a prefix, in ms."""
    medians = [median(r.times_ms) for r in session.runs if r.name.startswith(prefix) and r.outcome is RunOutcome.OK]
    if not medians:
        why = next((r.message for r in session.runs if r.name.startswith(prefix)), "")
        raise KmutateError("roofs-failed", f"kmutate's own kernel {prefix} does not run on {session.gpu.name}: {why}",
                           hint="`kmutate doctor --no-measure` says whether the GPU works otherwise")
    return min(medians)


def _buffer_bytes(gpu: Gpu) -> int:
    """A multiple of what a chunk of all blocks takes, so that no kernel has a remainder."""
    wanted = max(_BUFFER_BYTES, _BUFFER_L2 * gpu.l2_bytes)
    if gpu.memory_bytes:
        wanted = min(wanted, int(gpu.memory_bytes * _BUFFER_SHARE))
    return max(1, wanted >> 24) << 24


def _launch(kernel: str, threads: int, grid: int, nbytes: int, n: int) -> Launch:
    text = f"""/* kmutate launch
       dim3 grid = {{ {grid} }}, block = {{ {threads} }};
       unsigned long long n = {n}ull;
       float out[{max(nbytes // 4, threads * grid)}] = zeros(), in[{nbytes // 4}] = uniform(0, 1);
       {kernel}(out, in, n);
    */"""
    (launch,) = evaluate(find_declarations(text.encode(), _FILE)[0])
    return launch


def _bandwidth(gpu: Gpu, cubin: bytes, nbytes: int) -> Plan:
    count = nbytes // 16
    runs = []
    for what in ("copy", "read", "write"):
        runs += [Run(f"{what} {blocks}", cubin, f"{what}_stride", grid=(gpu.sm_count * blocks, 1, 1))
                 for blocks in _STRIDE_BLOCKS]
        runs.append(Run(f"{what} chunks", cubin, f"{what}_chunk", grid=(count // _THREADS // _CHUNK, 1, 1)))
    return Plan("bandwidth", _launch("copy_stride", _THREADS, 1, nbytes, count), tuple(runs), in_place=False)


def _arithmetic(gpu: Gpu, cubin: bytes) -> Plan:
    grid = gpu.sm_count * _FMA_BLOCKS_PER_SM
    launch = _launch("multiply_add", _THREADS, grid, 4096, _FMA_ROUNDS)
    return Plan("arithmetic", launch, (Run("multiply_add", cubin, "multiply_add"),), in_place=False)


def _empty(cubin: bytes) -> Plan:
    (launch,) = evaluate(find_declarations(
        b"/* kmutate launch dim3 grid = { 1 }, block = { 32 }; kmutate_empty(); */", _FILE)[0])
    return Plan("launches", launch, (Run("empty", cubin, "kmutate_empty"),), in_place=False)


def _curves(gpu: Gpu, cubin: bytes, nbytes: int) -> list[_Curve]:
    """Copies with few resident warps, by size of block: the smallest block with which an SM has the warps."""
    if gpu.capability not in known_capabilities():
        return []
    device = device_for(gpu.capability)
    out = []
    for entry, size in (("copy16_step", 16), ("copy4_step", 4)):
        for threads in _SIZES_OF_BLOCK:
            fitting = [w for w in WARPS if _threads_for(w, device) == threads]
            made = {w: run for w in fitting if (run := _limited(entry, cubin, w, threads, gpu, device)) is not None}
            if made:
                plan = Plan(f"{entry}, blocks of {threads}", _launch(entry, threads, 1, nbytes, nbytes // size),
                            tuple(made.values()), in_place=False)
                out.append(_Curve(plan, {run.name: w for w, run in made.items()}))
    return out


def _threads_for(warps: int, device: Device) -> int | None:
    return next((t for t in _SIZES_OF_BLOCK if warps * 32 % t == 0 and warps * 32 // t <= device.blocks_per_sm
                 and warps <= device.warps_per_sm), None)


def _limited(entry: str, cubin: bytes, warps: int, threads: int, gpu: Gpu, device: Device) -> Run | None:
    """A launch of which exactly so many warps are resident on an SM, ``None`` where shared memory cannot do that."""
    blocks = warps * 32 // threads
    kb = device.carveouts[-1]
    bare = KernelResources(Cubin(cubin).kernel(entry).registers, 0, threads)
    unit = device.shared_unit
    pad = max(0, kb * 1024 // (blocks + 1) // unit * unit + unit - device.shared_reserved_per_block)
    pad = min(pad, device.shared_per_block_opt_in)
    padded = bare if resident_blocks(bare, device, kb).blocks_per_sm == blocks else bare.with_pad(pad)
    if resident_blocks(padded, device, kb).blocks_per_sm != blocks:
        return None
    percent = percent_for(padded, device, kb) if device.carveout_control == "percent" else None
    return Run(f"{entry} {warps}", cubin, entry, padded.dynamic_smem, percent, blocks, (gpu.sm_count * blocks, 1, 1))


def _by_warps(curves: Sequence[_Curve], sessions: Sequence[Session], nbytes: int
              ) -> tuple[dict[int, float], dict[int, float]]:
    """GB/s by resident warps, with 16 and with 4 bytes at a time."""
    wide: dict[int, float] = {}
    narrow: dict[int, float] = {}
    for curve, session in zip(curves, sessions, strict=True):
        for r in session.runs:
            if r.outcome is RunOutcome.OK:
                found = wide if r.name.startswith("copy16") else narrow
                found[curve.warps[r.name]] = 2 * nbytes / median(r.times_ms) / 1e6
    return dict(sorted(wide.items())), dict(sorted(narrow.items()))
