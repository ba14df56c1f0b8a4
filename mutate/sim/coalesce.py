"""What one request of a warp asks of memory: sectors or lines of global memory, wavefronts of shared memory.

A request is 32 byte addresses (``uint64``), a mask of active lanes (bit 0 is lane 0) and the bytes of one lane (1, 2,
4, 8, 16). Lanes that are not active have any address. Addresses of shared memory are aligned to the access, as the
hardware demands. All functions are compiled by numba, pure, and allocate nothing that lives on.

Shared memory has 32 banks of 4 bytes, and a wavefront reads or writes one word of each. What follows from that for wide
accesses and atomics is published in part only, so it was measured: ``tests/machines/probe.cu`` sends 1,105 requests
through an H200, and ``tests/sim/test_coalesce.py`` holds these functions against what ncu counted
(``tests/machines/reference/h200_requests.csv``); they agree on every load, store and atomic there.

* Up to 4 bytes a lane: as many wavefronts as the bank with the most different words has words. Lanes with the same word
  share it, for stores too. ("CUDA C++ Programming Guide", compute capability 5.x, shared memory.)
* 8 bytes: one half-warp after the other, 16 bytes: one quarter-warp after the other; each counts as above, and one
  without active lanes counts nothing. ("CUDA C Programming Guide 4.2", F.4.3, for 64 bits.)
* Wide *loads* take two neighbouring groups at once (so 8 bytes need one pass, 16 bytes two) when all active lanes have
  the address of their neighbour, lane XOR 1, as far as that is active; or all have that of lane XOR 2. The condition is
  the whole warp's. Stores never do that. (Told in forums for older GPUs; measured here.)
* Atomics share nothing: as many wavefronts as the bank with the most lanes has lanes. Compare-and-swap takes two for
  each. ``ATOMS.CAST.SPIN``, the end of a compiled compare-and-swap loop, takes two whatever the conflicts, because only
  one lane of a bank succeeds each time and the others go round the loop (``cast_spin_winners``).
* ``LDSM`` (ldmatrix) reads 16 bytes for each of 8, 16 or 32 lanes, never two groups at once: use ``STORE``.
* Asynchronous copies through L1 (``LDGSTS``, 4 or 8 bytes) write like atomics, lanes with one address after another.
  ``LDGSTS.BYPASS`` has no wavefronts in this counter.
* ``ATOMS.POPC.INC`` (adding 1 without using the old value) counts like a load of 4 bytes: lanes with a word share it.

ncu's ``l1tex__data_pipe_lsu_wavefronts_mem_shared.sum`` has more in it than these (measured the same way): one
wavefront for each ``SHFL``, for each ``S2R`` of a register that differs by lane (thread index, lane), and for each load
or store, global ones too, that is executed with all lanes predicated off. Barriers and waits for copies add some that
differ from run to run: one for a lone warp however many barriers it has, up to about two a warp in the samples. Its
parts ``_op_ld``, ``_op_st`` and ``_op_atom`` have nothing of this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from mutate.sim.inner import UNCOUNTED
from mutate.sim.intrinsics import stack_u8, stack_u64

Addresses = npt.NDArray[np.uint64]
_F = TypeVar("_F", bound=Callable[..., Any])

SECTOR = 5
"""Shift of a 32-byte sector: the unit of traffic since Volta, and of Fermi's non-caching loads and of its stores."""
LINE = 7
"""Shift of a 128-byte line: the unit of Fermi's caching loads."""
MOST = 64
"""Room that ``unique_sectors`` needs at most: a lane touches two sectors where its bytes cross a boundary."""

LOAD, STORE, ATOMIC, CAS, CAST_SPIN, ASYNC, ASYNC_BYPASS, POPC_INC = range(8)
"""Kinds of shared request: ``LDS``, ``STS`` and ``LDSM``, ``ATOMS``, ``ATOMS.CAS``, ``ATOMS.CAST.SPIN``, ``LDGSTS``,
``LDGSTS.BYPASS`` and ``ATOMS.POPC.INC``."""


def _jit(function: _F) -> _F:
    return cast(_F, njit(cache=True, nogil=True, **UNCOUNTED)(function))


@_jit
def popcount(mask: int) -> int:
    """Active lanes of a mask."""
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    m = m - ((m >> np.uint64(1)) & np.uint64(0x55555555))
    m = (m & np.uint64(0x33333333)) + ((m >> np.uint64(2)) & np.uint64(0x33333333))
    m = (m + (m >> np.uint64(4))) & np.uint64(0x0F0F0F0F)
    return int(((m * np.uint64(0x01010101)) & np.uint64(0xFFFFFFFF)) >> np.uint64(24))


@_jit
def _consecutive(addrs: Addresses, width: int) -> bool:
    """Whether all 32 lanes follow one another, ``width`` bytes apart."""
    first = addrs[0]
    same = True
    for i in range(32):
        same &= addrs[i] == first + np.uint64(i * width)
    return same


@_jit
def _strided(addrs: Addresses) -> bool:
    """Whether all 32 lanes are equally far apart."""
    stride = addrs[1] - addrs[0]
    at = addrs[0]
    same = True
    for i in range(32):
        same &= addrs[i] == at
        at += stride
    return same


@_jit
def _uniform(addrs: Addresses) -> bool:
    same = True
    for i in range(1, 32):
        same &= addrs[i] == addrs[0]
    return same


@_jit
def _apart(addrs: Addresses, last: np.uint64, shift: np.uint64) -> bool:
    """Whether all 32 lanes rise, each in a sector of its own."""
    apart = True
    for i in range(32):
        apart &= addrs[i] >> shift == (addrs[i] + last) >> shift
    for i in range(31):
        apart &= addrs[i] >> shift < addrs[i + 1] >> shift
    return apart


@_jit
def unique_sectors(addrs: Addresses, mask: int, width: int, shift: int, out: Addresses) -> int:
    """Sectors or lines that a request touches: their numbers (address >> ``shift``), ascending, once each, in ``out``.

    Returns how many. ``out`` has room for 64. A lane whose bytes cross a boundary touches both sides.
    """
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    s = np.uint64(shift)
    last = np.uint64(width - 1)
    if m == np.uint64(0):
        return 0
    if m == np.uint64(0xFFFFFFFF):
        if _consecutive(addrs, width):
            low = addrs[0] >> s
            n = int(np.int64(((addrs[31] + last) >> s) - low)) + 1
            for i in range(n):
                out[i] = low + np.uint64(i)
            return n
        if _apart(addrs, last, s):
            for i in range(32):
                out[i] = addrs[i] >> s
            return 32
    count = np.uint64(0)
    highest = np.uint64(0)
    for i in range(32):
        if (m >> np.uint64(i)) & np.uint64(1) == np.uint64(0):
            continue
        sector = addrs[i] >> s
        end = (addrs[i] + last) >> s
        if count > np.uint64(0) and sector == highest:
            sector += np.uint64(1)  # mostly lanes rise
        while sector <= end:
            if count == np.uint64(0) or sector > highest:
                out[count] = highest = sector
                count += np.uint64(1)
            else:
                at = count - np.uint64(1)
                while at > np.uint64(0) and out[at - np.uint64(1)] >= sector:
                    at -= np.uint64(1)
                if out[at] != sector:
                    k = count
                    while k > at:
                        out[k] = out[k - np.uint64(1)]
                        k -= np.uint64(1)
                    out[at] = sector
                    count += np.uint64(1)
            sector += np.uint64(1)
    return int(np.int64(count))


@_jit
def rising(addrs: Addresses, mask: int, out: Addresses) -> int:
    """The addresses of the active lanes in rising order in ``out``, which has room for 32; returns how many."""
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    n = np.uint64(0)
    for i in range(32):
        out[n] = addrs[i]
        n += (m >> np.uint64(i)) & np.uint64(1)
    for i in range(1, np.int64(n)):
        address = out[i]
        at = np.uint64(i)
        while at > np.uint64(0) and out[at - np.uint64(1)] > address:
            out[at] = out[at - np.uint64(1)]
            at -= np.uint64(1)
        out[at] = address
    return int(np.int64(n))


@_jit
def atomic_rounds(addrs: Addresses, mask: int, width: int, shift: int, sectors: Addresses, count: int,
                  rounds: Addresses) -> int:
    """Rounds that each of a global atomic's ``count`` sectors takes part in, into ``rounds``; returns their sum."""
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    for i in range(count):
        rounds[i] = np.uint64(1)
    total = count
    for lane in range(1, 32):
        if (m >> np.uint64(lane)) & np.uint64(1):
            # The lane's round: one behind each lower lane with its address.
            mine = np.uint64(1)
            for other in range(lane):
                mine += np.uint64(addrs[other] == addrs[lane]) & (m >> np.uint64(other))
            if mine == np.uint64(1):
                continue
            end = (addrs[lane] + np.uint64(width - 1)) >> np.uint64(shift)
            for i in range(count):
                if addrs[lane] >> np.uint64(shift) <= sectors[i] <= end and rounds[i] < mine:
                    total += int(mine - rounds[i])
                    rounds[i] = mine
    return total


@_jit
def atomic_sectors(addrs: Addresses, mask: int, width: int, shift: int) -> int:
    """Sectors that a global atomic or reduction (``ATOM``, ``RED``) moves: lanes with one address go one after another,
    so a sector counts once for each round of them (measured, see the module)."""
    out = stack_u64(128)
    count = unique_sectors(addrs, mask, width, shift, out)
    return atomic_rounds(addrs, mask, width, shift, out, count, out[64:])


@_jit
def requested_bytes(mask: int, width: int) -> int:
    """Bytes that the lanes ask for, each lane for itself; a broadcast counts 32 times, as in nvprof."""
    return popcount(mask) * width


@_jit
def needed_bytes(addrs: Addresses, mask: int, width: int) -> int:
    """Different bytes among those that the lanes ask for; a broadcast counts once, as in ncu
    (``data_bytes_mem_global``) and in the bandwidth seed's table."""
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    if m == np.uint64(0xFFFFFFFF) and _consecutive(addrs, width):
        return 32 * width
    starts = stack_u64(32)
    n = rising(addrs, mask, starts)
    total = width if n else 0
    for i in range(n - 1):
        total += min(width, int(np.int64(starts[i + 1] - starts[i])))
    return total


@_jit
def efficiency(addrs: Addresses, mask: int, width: int, shift: int) -> float:
    """Needed over moved bytes, 0 to 1, if every sector (line) is fetched once; 1 for a request without active lanes."""
    out = stack_u64(64)
    n = unique_sectors(addrs, mask, width, shift, out)
    if n == 0:
        return 1.0
    return needed_bytes(addrs, mask, width) / float(n << shift)


# -- shared memory ----------------------------------------------------------------------------------------------------

@_jit
def _cell_shift(width: int) -> int:
    return 4 if width == 16 else 3 if width == 8 else 2


@_jit
def _most_words(addrs: Addresses, group: np.uint64, shift: int, slots: int) -> int:
    """Different cells of ``1 << shift`` bytes in the fullest of ``slots`` slots, over the lanes of a group.

    A cell is the word, or the aligned run of words, that a lane accesses; a slot is the banks that it covers.
    """
    s = np.uint64(shift)
    within = np.uint64(slots - 1)
    chosen = stack_u64(32)
    rounds = 0
    while group != np.uint64(0):  # one wavefront each: a word of each bank, for all lanes that want it
        taken = np.uint64(0)
        left = np.uint64(0)
        rest = group
        lane = 0
        while rest != np.uint64(0):
            if rest & np.uint64(1):
                cell = addrs[lane] >> s
                slot = cell & within
                bit = np.uint64(1) << slot
                if taken & bit == np.uint64(0):
                    taken |= bit
                    chosen[slot] = cell
                elif chosen[slot] != cell:
                    left |= np.uint64(1) << np.uint64(lane)
            rest >>= np.uint64(1)
            lane += 1
        group = left
        rounds += 1
    return rounds


@_jit
def _most_lanes(addrs: Addresses, group: np.uint64, shift: int, slots: int) -> int:
    """Lanes of a group in the fullest slot."""
    counts = stack_u8(32)
    counts[:] = 0
    most = 0
    for lane in range(32):
        if (group >> np.uint64(lane)) & np.uint64(1):
            slot = (addrs[lane] >> np.uint64(shift)) & np.uint64(slots - 1)
            counts[slot] += np.uint8(1)
            most = max(most, int(counts[slot]))
    return most


@_jit
def _pairs_agree(addrs: Addresses, mask: np.uint64, step: int) -> bool:
    """Whether every active lane has the address of lane XOR ``step``, as far as that is active."""
    for lane in range(32):
        other = lane ^ step
        both = (mask >> np.uint64(lane)) & (mask >> np.uint64(other)) & np.uint64(1)
        if lane < other and both != np.uint64(0) and addrs[lane] != addrs[other]:
            return False
    return True


@_jit
def _groups(addrs: Addresses, mask: np.uint64, width: int, kind: int) -> int:
    """In how many parts the hardware takes a warp: 1, 2 or 4."""
    parts = 4 if width == 16 else 2 if width == 8 else 1
    if kind == 0 and parts > 1 and (_pairs_agree(addrs, mask, 1) or _pairs_agree(addrs, mask, 2)):
        parts //= 2
    return parts


@_jit
def shared_phases(addrs: Addresses, mask: int, width: int, kind: int) -> int:
    """Wavefronts of a load or store without bank conflicts; ncu's bank conflicts are the wavefronts above these."""
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    parts = _groups(addrs, m, width, kind)
    lanes = 32 // parts
    phases = 0
    for part in range(parts):
        if (m >> np.uint64(part * lanes)) & ((np.uint64(1) << np.uint64(lanes)) - np.uint64(1)):
            phases += 1
    return phases


@_jit
def shared_wavefronts(addrs: Addresses, mask: int, width: int, kind: int) -> int:
    """Wavefronts of one shared request on compute capability 5.0 and later; the module says by which rules.

    ``kind`` is ``LOAD``, ``STORE``, ``ATOMIC``, ``CAS``, ``CAST_SPIN``, ``ASYNC``, ``ASYNC_BYPASS`` or ``POPC_INC``.
    A request without active lanes has none.
    """
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    if m == np.uint64(0) or kind == 6:
        return 0
    shift = _cell_shift(width)
    slots = 128 >> shift
    if kind <= 1 and width <= 4 and _uniform(addrs):
        return 1
    if kind <= 3 and m == np.uint64(0xFFFFFFFF):
        stride = addrs[1] - addrs[0]
        cells = stride >> np.uint64(shift)
        if cells != np.uint64(0) and cells << np.uint64(shift) == stride and _strided(addrs):
            # Conflicts come from the power of two that the stride and the number of banks share.
            ways = min(cells & (~cells + np.uint64(1)), np.uint64(slots))
            parts = 4 if width == 16 else 2 if width == 8 else 1
            return int(ways) * parts * (2 if kind == 3 else 1)
    parts = _groups(addrs, m, width, kind)
    lanes = 32 // parts
    total = 0
    for part in range(parts):
        group = m & (((np.uint64(1) << np.uint64(lanes)) - np.uint64(1)) << np.uint64(part * lanes))
        if group == np.uint64(0):
            continue
        if kind in (0, 1, 7):
            total += _most_words(addrs, group, shift, slots)
        elif kind == 4:
            total += 2
        else:
            total += _most_lanes(addrs, group, shift, slots) * (2 if kind == 3 else 1)
    return total


@_jit
def cast_spin_winners(addrs: Addresses, mask: int, width: int) -> int:
    """Lanes of an ``ATOMS.CAST.SPIN`` whose swap the hardware lets through: one of each bank (of each half-warp
    where a lane has 8 bytes), the lowest. The others fail and repeat the loop, even with another address.

    Measured (see the module): the loop's loads come out exactly. A winner still fails where memory has changed, as
    after a winner of the other half-warp with the same address.
    """
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    shift = _cell_shift(width)
    won = np.uint64(0)
    taken = np.uint64(0)
    for lane in range(32):
        if width == 8 and lane == 16:
            taken = np.uint64(0)
        if (m >> np.uint64(lane)) & np.uint64(1):
            bit = np.uint64(1) << ((addrs[lane] >> np.uint64(shift)) & np.uint64((128 >> shift) - 1))
            if taken & bit == np.uint64(0):
                taken |= bit
                won |= np.uint64(1) << np.uint64(lane)
    return int(won)


# -- older GPUs -------------------------------------------------------------------------------------------------------

@_jit
def fermi_conflict_ways(addrs: Addresses, mask: int, width: int) -> int:
    """How many times compute capability 2.x issues a shared request: 1 without bank conflicts, 0 without active lanes.

    "CUDA C Programming Guide 4.2", F.4.3: 32 banks; up to 4 bytes the warp's different words in one bank; 8 bytes:
    those of the worse half-warp; 16 bytes: one more than those of the worst quarter-warp.
    """
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    if m == np.uint64(0):
        return 0
    parts = 4 if width == 16 else 2 if width == 8 else 1
    lanes = 32 // parts
    shift = _cell_shift(width)
    ways = 0
    for part in range(parts):
        group = m & (((np.uint64(1) << np.uint64(lanes)) - np.uint64(1)) << np.uint64(part * lanes))
        ways = max(ways, _most_words(addrs, group, shift, 128 >> shift))
    return ways + 1 if width == 16 else ways


@_jit
def tesla_shared_steps(addrs: Addresses, mask: int, width: int) -> int:
    """Steps in which compute capability 1.x serves a shared request; 2 (one for each half-warp) without bank conflicts.

    "CUDA C Programming Guide 4.2", F.3.3: 16 banks; each half-warp by itself; wider accesses are split into words; in a
    step one word is broadcast to all that want it and each other bank serves one lane. The guide leaves open which word
    is broadcast; here it is that of the lowest lane.
    """
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    words = max(1, width // 4)
    steps = 0
    for word in range(words):
        for half in range(2):
            left = m & (np.uint64(0xFFFF) << np.uint64(16 * half))
            while left != np.uint64(0):
                broadcast = np.uint64(0)
                taken = np.uint64(0)
                found = False
                for lane in range(16 * half, 16 * half + 16):
                    bit = np.uint64(1) << np.uint64(lane)
                    if left & bit == np.uint64(0):
                        continue
                    at = (addrs[lane] >> np.uint64(2)) + np.uint64(word)
                    bank = np.uint64(1) << (at & np.uint64(15))
                    if not found:
                        found = True
                        broadcast = at
                        taken = bank
                        left &= ~bit
                    elif at == broadcast:
                        left &= ~bit
                    elif taken & bank == np.uint64(0):
                        taken |= bank
                        left &= ~bit
                steps += 1
    return steps


@_jit
def tesla_segments(addrs: Addresses, mask: int, width: int, out: Addresses, sizes: Addresses) -> int:
    """Global transactions of compute capability 1.2 and 1.3: start addresses in ``out``, bytes in ``sizes``; how many.

    Both have room for 32. "CUDA C Programming Guide 4.2", F.3.2.2: each half-warp by itself; the segment (32 bytes for
    one-byte accesses, 64 for two, else 128) of the lowest lane serves all lanes in it; it shrinks to 64 and to 32 bytes
    where only one half of it is used. 16-byte accesses are taken by quarter-warps, which the guide says of 1.0 and 1.1.
    """
    m = np.uint64(mask) & np.uint64(0xFFFFFFFF)
    largest = 5 if width == 1 else 6 if width == 2 else 7
    lanes = 8 if width == 16 else 16
    n = 0
    for part in range(32 // lanes):
        left = m & (((np.uint64(1) << np.uint64(lanes)) - np.uint64(1)) << np.uint64(part * lanes))
        while left != np.uint64(0):
            segment = np.uint64(0)
            low = np.uint64(0)
            high = np.uint64(0)
            found = False
            for lane in range(part * lanes, (part + 1) * lanes):
                bit = np.uint64(1) << np.uint64(lane)
                if left & bit == np.uint64(0):
                    continue
                here = addrs[lane] >> np.uint64(largest)
                if not found:
                    found = True
                    segment = here
                    low = addrs[lane]
                    high = low
                if here == segment:
                    low = min(low, addrs[lane])
                    high = max(high, addrs[lane] + np.uint64(width - 1))
                    left &= ~bit
            shift = np.uint64(largest)
            while shift > np.uint64(5) and low >> (shift - np.uint64(1)) == high >> (shift - np.uint64(1)):
                shift -= np.uint64(1)
            out[n] = low >> shift << shift
            sizes[n] = np.uint64(1) << shift
            n += 1
    return n
