"""The counter-based random numbers of launch data, on Python integers.

Element ``i`` of the array with stream ``s`` under a seed hashes to ``splitmix64(seed * K_SEED + s * K_STREAM + i)``
(mod 2**64), so any slice of any array can be computed by itself, here, in numpy and on the GPU alike.
``splitmix64`` is the output function of Steele, Lea and Flood, "Fast splittable pseudorandom number generators"
(OOPSLA 2014), with Stafford's mix 13. K_SEED is the 64-bit multiplier 0xd1342543de82ef95 of Steele and Vigna,
"Computationally easy, spectrally good multipliers" (2021); K_STREAM is the multiplier of xorshift64* (Vigna 2016).
"""

from __future__ import annotations

from functools import lru_cache

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15
MIX_A = 0xBF58476D1CE4E5B9
MIX_B = 0x94D049BB133111EB
K_SEED = 0xD1342543DE82EF95
K_STREAM = 0x2545F4914F6CDD1D

# Rounds of the bijection behind permutation().
PERMUTATION_ROUNDS = 4


def splitmix64(x: int) -> int:
    z = (x + GAMMA) & MASK
    z = (z ^ z >> 30) * MIX_A & MASK
    z = (z ^ z >> 27) * MIX_B & MASK
    return z ^ z >> 31


def base(seed: int, stream: int) -> int:
    """The counter of element 0."""
    return (seed * K_SEED + stream * K_STREAM) & MASK


def ascending_step(count: int) -> int:
    """The share of 2**64 that each of ``count`` ascending numbers has to itself: element i is i of them and a part."""
    return MASK // max(1, count)


def csr_row_length(row: int, lo: int, hi: int) -> int:
    """Entries of a row of the synthetic CSR matrix: ``lo`` to ``hi``, both included. The seed plays no part, so that
    ``csr_nnz`` and ``csr_rowptr`` agree wherever they stand."""
    return lo + splitmix64(row) % (hi - lo + 1)


@lru_cache(maxsize=16)
def csr_nnz(rows: int, lo: int, hi: int) -> int:
    """Entries of the whole matrix."""
    if hi == lo:
        return rows * lo
    if rows <= 4096:  # below this, importing numpy costs more than it saves
        return sum(csr_row_length(r, lo, hi) for r in range(rows))
    from mutate.launch.data import csr_row_lengths

    step = 1 << 15  # fits the cache
    return sum(int(csr_row_lengths(at, min(rows, at + step), lo, hi).sum(dtype="uint64"))
               for at in range(0, rows, step))
