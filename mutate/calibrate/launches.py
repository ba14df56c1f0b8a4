"""What is launched to measure a GPU: one list for all, sized by its SMs, its L2 and its memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mutate.calibrate.probes import FILE as ARITHMETIC
from mutate.calibrate.probes import NOTHING, probes_for
from mutate.occupancy import device_for, known_capabilities
from mutate.timing import Gpu

MEMORY = "calibrate/memory.cu"
OUT_BYTES = 2**20
WARPS = (1, 2, 4, 8, 16, 32, 64)
STREAMS = ("read_4_1", "read_4_2", "read_4_4", "read_16_1", "read_16_2", "read_16_4", "copy_4_1", "copy_4_2",
           "copy_4_4", "copy_16_1", "copy_16_2", "copy_16_4", "write_4_1", "write_16_1", "write_16_4")
MIXES = ("mix_4_0", "mix_3_1", "mix_2_2", "mix_1_3", "mix_0_4")
BLOCK_SIZES = (32, 128, 256, 512, 1024)
STRIDES = (1, 2, 4, 8, 16, 32)
# Bytes between lanes, and so the 128-byte lines of a warp's request: 1, 2, 4 ... 32.
LINE_STRIDES = (4, 8, 16, 32, 64, 128)
WRITE_MB = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
LINES = 256
# Lines of L2 that lie so far from each other are spread over all its parts.
LINE_STRIDE = 4224
# What a stream is expected to reach, for its size: latency (s) and bandwidth (bytes/s); and how long it is to take (s).
_LATENCY, _MOST, _SECONDS = 4e-7, 4.5e12, 4e-4
# Sizes of L2 at least: what was written last is still in L2 when the kernel ends.
_LEAST_L2 = {"read": 2, "copy": 4, "write": 16}
# No number of a warp or an SM: a branch that compares them with it is never taken.
_NEVER = 1_000_003
_MOST_MEMORY, _MEMORY_SHARE = 2**33, 8
_LEAST_ROUNDS, _ROUNDS = 3, 5


@dataclass(frozen=True)
class Launch:
    """One kernel with its parameters (``templates/calibrate``). ``reads``: 64-bit words of ``out`` that are its result.

    It is launched ``tries`` times, of which the last counts. ``rounds``: times by events that are taken of it, of
    ``batch`` launches each; ``cold``: with L2 flushed before. One without both prepares memory for those behind it.
    """

    name: str
    kernel: str
    grid: int = 1
    threads: int = 32
    n: int = 0
    a: int = 0
    b: int = 0
    reads: int = 0
    tries: int = 2
    rounds: int = 0
    batch: int = 1
    cold: bool = False
    smem: int = 0
    file: str = MEMORY
    group: int = 0


def _power(n: int) -> int:
    return 1 << max(0, n.bit_length() - 1)


def memory_bytes(gpu: Gpu) -> int:
    """Bytes that the kernels work on: a power of two, an eighth of the GPU's memory or 8 GiB."""
    return _power(min(_MOST_MEMORY, gpu.memory_bytes // _MEMORY_SHARE or _MOST_MEMORY))


def launches(gpu: Gpu) -> tuple[Launch, ...]:
    """All launches, in their order."""
    return (*_first(gpu), *_arithmetic(gpu), *_latencies(gpu), *_sm(gpu), *_l2(gpu), *_blocks(gpu), *_atomics(gpu),
            *_streams(gpu), *_writes(gpu), Launch("clock at the end", "clock_rate", 1, 1, 5_000_000, reads=2))


def _first(gpu: Gpu) -> Iterator[Launch]:
    yield Launch("scramble", "scramble", gpu.sm_count * 8, 256, memory_bytes(gpu))
    yield Launch("clock", "clock_rate", 1, 1, 50_000_000, reads=2)


def _arithmetic(gpu: Gpu) -> Iterator[Launch]:
    for probe in (NOTHING, *probes_for(gpu.capability)):
        for chains, threads in ((1, 32), (8, 32), (8, 128), (8, 256), (8, 1024)):
            kernel = f"{probe.name}_{chains}"
            yield Launch(f"{kernel} {threads}", kernel, 1, threads, 3, _NEVER, 7, reads=1, file=ARITHMETIC,
                         group=probe.group)


def _latencies(gpu: Gpu) -> Iterator[Launch]:
    memory = memory_bytes(gpu)
    for kernel in ("chase_shared_4", "chase_shared_8", "chase_shared_16", "chase_shared_atomic", "chase_constant",
                   "chase_constant_uniform"):
        yield Launch(kernel, kernel, 1, 1, 3, reads=1)
    n = 128
    yield Launch("chain of 16 KB", "chain", 1, 128, n, 128)
    yield Launch("l1", "chase_l1", 1, 1, 4096, 256, reads=1)
    for name, part in (("l2 quarter", 4), ("l2 half", 2)):
        n = _power(gpu.l2_bytes // part // 256)
        yield Launch(f"chain of {name}", "chain", gpu.sm_count, 256, n, 256)
        yield Launch(name, "chase_l2", 1, 1, min(n, 8192), n, reads=1)
    yield Launch("atomic", "chase_atomic", 1, 1, 1024, 16, reads=1)
    wide = memory // 2
    for name, nbytes, stride in (("dram page", 2**21, 256), ("dram 1 GB", 2**30, 4096), ("dram all", wide, 8192)):
        n = _power(min(nbytes, memory // 2) // stride)
        yield Launch(f"chain of {name}", "chain", gpu.sm_count * 4, 256, n, stride)
        yield Launch(f"flush before {name}", "flush", gpu.sm_count * 4, 256, min(4 * gpu.l2_bytes, memory // 2),
                     memory // 2)
        yield Launch(name, "chase_l2", 1, 1, min(4096, n // 2), min(64, n // 4), reads=1, tries=1)
    yield Launch("scramble the chains", "scramble", gpu.sm_count * 8, 256, memory)
    lines = min(LINES, memory // LINE_STRIDE)
    yield Launch("lines for l2", "self_chain", 1, 256, lines, LINE_STRIDE)
    yield Launch("lines of l2", "lines_of_l2", gpu.sm_count, 1, lines, LINE_STRIDE, reads=gpu.sm_count * (lines + 1))


def _sm(gpu: Gpu) -> Iterator[Launch]:
    for kernel, words in (("shared_load_4", 1), ("shared_load_8", 2), ("shared_load_16", 4), ("shared_store_4", 1),
                          ("shared_store_8", 2), ("shared_store_16", 4)):
        for threads in (32, 128, 512, 1024):
            yield Launch(f"{kernel} {threads}", kernel, 1, threads, 32, words, reads=1)
    for kernel in ("shared_load_4", "shared_store_4", "shared_add"):
        for stride in STRIDES:
            yield Launch(f"{kernel} stride {stride}", kernel, 1, 1024, 16, stride, reads=1)
    yield Launch("shared_load_4 same", "shared_load_4", 1, 1024, 16, 0, reads=1)
    yield Launch("shared_add same", "shared_add", 1, 1024, 16, 0, reads=1)
    for kernel, width in (("l1_load_4", 4), ("l1_load_8", 8), ("l1_load_16", 16)):
        for threads in (32, 128, 1024):
            yield Launch(f"{kernel} {threads}", kernel, 1, threads, 16, width, reads=1)
    for stride in LINE_STRIDES:
        yield Launch(f"l1_load_4 stride {stride}", "l1_load_4", 1, 1024, 16, stride, reads=1)
    for threads in (32, 1024):
        yield Launch(f"turns {threads}", "turns", 1, threads, 1024, reads=1)
    for warps in (1, 2, 4, 8, 16, 32):
        yield Launch(f"barriers {warps}", "barriers", 1, warps * 32, 4, reads=1)


def sm_steps(count: int) -> tuple[int, ...]:
    """Numbers of SMs at which L2 is measured."""
    return tuple(sorted({1, 2, 4, *(max(1, count * k // 8) for k in range(1, 9))} & set(range(1, count + 1))))


def l2_window(gpu: Gpu) -> int:
    """Bytes that certainly stay in L2."""
    return _power(min(gpu.l2_bytes // 3, memory_bytes(gpu)))


def _l2(gpu: Gpu) -> Iterator[Launch]:
    for kernel in ("window_l2_16", "window_write_16", "window_write_4"):
        for sms in sm_steps(gpu.sm_count):
            yield Launch(f"{kernel} {sms}", kernel, sms, 1024, 256, l2_window(gpu), reads=sms)


def _blocks(gpu: Gpu) -> Iterator[Launch]:
    few, many = 2**15, 2**18
    for threads in BLOCK_SIZES:
        for blocks in (few, many):
            yield Launch(f"{blocks} blocks of {threads}", "nothing_at_all", blocks, threads, rounds=_ROUNDS)
    for blocks in empty_grids(gpu):
        yield Launch(f"empty {blocks}", "nothing_at_all", blocks, 256, rounds=2 * _ROUNDS)
    yield Launch("back to back", "nothing_at_all", 1, 32, rounds=_ROUNDS, batch=100)
    if gpu.capability in known_capabilities():
        smem = device_for(gpu.capability).shared_per_block_opt_in // 1024 * 1024
        for threads in (32, 256, 1024):
            yield Launch(f"turn {threads}", "blocks_in_turn", gpu.sm_count * 8, threads, 4000,
                         reads=3 * 8 * gpu.sm_count, smem=smem)


def empty_grids(gpu: Gpu) -> tuple[int, ...]:
    return (1, *(gpu.sm_count * k for k in (1, 2, 4, 8, 16, 64)))


def _atomics(gpu: Gpu) -> Iterator[Launch]:
    for name, lanes, warps in (("one", 0, 0), ("warp", 4, 0), ("all", 4, 128)):
        yield Launch(f"add {name}", "add_global", gpu.sm_count * 2, 1024, 4, lanes, warps, rounds=_LEAST_ROUNDS)


def stream_launch(gpu: Gpu, kernel: str, warps: int) -> Launch:
    """A stream by ``warps`` resident warps on every SM, as long as it probably takes some tenths of a millisecond."""
    what, width, deep = kernel.split("_")
    threads, grid = min(32, warps) * 32, gpu.sm_count * max(1, warps // 32)
    each = int(width) * int(deep) * threads * grid
    most = memory_bytes(gpu) // (8 if what == "copy" else 4)
    wanted = max(min(each / _LATENCY, _MOST) * _SECONDS, _LEAST_L2[what] * gpu.l2_bytes)
    turns = max(1, int(min(wanted, most)) // each)
    return Launch(f"{kernel} {warps}", kernel, grid, threads, turns * each // int(width), memory_bytes(gpu) // 2,
                  rounds=_LEAST_ROUNDS, cold=True)


def _streams(gpu: Gpu) -> Iterator[Launch]:
    for kernel in STREAMS:
        for warps in WARPS:
            yield stream_launch(gpu, kernel, warps)
    part = memory_bytes(gpu) // 4
    for kernel in MIXES:
        yield Launch(kernel, kernel, gpu.sm_count * 8, 256, part // 32, part, rounds=_ROUNDS, cold=True)


def _writes(gpu: Gpu) -> Iterator[Launch]:
    """What L2 takes up before it has to write back."""
    turn = 16 * 4 * 256 * gpu.sm_count * 4
    for cold in (True, False):
        for mb in WRITE_MB:
            nbytes = min(mb * 2**20, memory_bytes(gpu) // 4)
            turns = max(1, round(nbytes / turn))
            yield Launch(f"write {mb} MB {'cold' if cold else 'warm'}", "write_16_4", gpu.sm_count * 4, 256,
                         turns * turn // 16, rounds=_ROUNDS, cold=cold)
