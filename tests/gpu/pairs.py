"""Pairs of sample kernels of which the second is the first with one cause cured: what payoffs are held against."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """``before`` and ``after`` are (sample, kernel) doing the same work; ``cause`` is the slug that the cure removes,

    or the variant that leaves out what it removes. ``more`` says what else the cure changes, where that exceeds the
    bound.
    """

    before: tuple[str, str]
    after: tuple[str, str]
    cause: str
    cure: str
    more: str = ""


PAIRS = (
    Pair(("transpose", "transpose_naive"), ("transpose", "transpose_padded"), "access-pattern",
         "through shared memory, so that reads and writes are both coalesced"),
    Pair(("transpose", "transpose_conflicting"), ("transpose", "transpose_padded"), "bank-conflicts",
         "rows of the shared tile padded by one element"),
    Pair(("matmul", "matmul_transposed_b"), ("matmul", "matmul_padded"), "bank-conflicts",
         "rows of the shared tile padded by one element"),
    Pair(("reduction", "reduce2"), ("reduction", "reduce3"), "bank-conflicts",
         "sequential instead of strided shared addresses",
         "the cure also executes 18 % fewer instructions (62.7 instead of 76.8 million: no index to multiply), and it "
         "is those that count on an H200; the bound of conflicts alone does not cover them, the next row's does"),
    Pair(("reduction", "reduce2"), ("reduction", "reduce3"), "memory-only",
         "the same: fewer instructions and no conflicts"),
    Pair(("column_walk", "column_walk"), ("column_walk", "column_walk_transposed"), "access-pattern",
         "arrays transposed, so that a warp reads neighbouring columns"),
    Pair(("fd3d", "fd3d"), ("fd3d_two_outputs", "fd3d_two_outputs"), "bytes-in-flight",
         "two outputs a thread: twice the loads in flight, less halo"),
)
