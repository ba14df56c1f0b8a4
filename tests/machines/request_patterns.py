"""Requests of one warp for ``probe.cu``: regular ones, and random ones with seeds.

    python tests/machines/request_patterns.py [OP ...] > FILE

Without names all of them. A line is ``OP WIDTH MASK A0 ... A31``: bytes a lane, active lanes, and byte addresses (hex).
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator

FULL = 0xFFFFFFFF
Request = tuple[str, int, int, list[int]]
_MASKS = (FULL, FULL, 0x0000FFFF, 0xFFFF0000, 0x55555555, 0xAAAAAAAA, 0x33333333, 0x000000FF, 0x0F0F0F0F, 0x80000001)


def _regular(width: int) -> Iterator[tuple[int, list[int]]]:
    shapes: list[Callable[[int], int]] = [
        lambda i: i, lambda i: 0, lambda i: 31 - i, lambda i: i // 2, lambda i: i // 4, lambda i: i // 8,
        lambda i: i // 16, lambda i: i % 2, lambda i: i % 4, lambda i: i % 8, lambda i: i % 16, lambda i: i ^ 1,
        lambda i: i ^ 21, lambda i: i & ~2, lambda i: i & ~4, lambda i: i & ~3, lambda i: i & ~6,
        lambda i: i & ~8, lambda i: i & ~9,
        *[lambda i, k=k: i * k for k in (2, 3, 4, 5, 8, 16, 17, 32, 33)],
        # Halves apart: the second half-warp elsewhere, in the same banks or in others.
        lambda i: i % 16 + i // 16 * 64, lambda i: i % 16 + i // 16 * 80, lambda i: i % 8 + i // 8 * 32,
        lambda i: i % 8 + i // 8 * 40, lambda i: i % 4 + i // 4 * 36,
    ]
    for shape in shapes:
        yield FULL, [shape(i) * width for i in range(32)]
    for mask in _MASKS[2:]:
        yield mask, [i * width for i in range(32)]
        yield mask, [i // 2 * width for i in range(32)]


def _random(width: int, count: int, seed: int, reach: tuple[int, ...]) -> Iterator[tuple[int, list[int]]]:
    rng = random.Random(seed)
    for n in range(count):
        cells = max(2, reach[n % len(reach)] // width)
        mask = rng.getrandbits(32) if n % 4 == 3 else _MASKS[rng.randrange(len(_MASKS))]
        cell = [rng.randrange(cells) for _ in range(32)]
        kind = n % 5
        if kind == 1:  # neighbours share
            cell = [cell[i & ~1] for i in range(32)]
        elif kind == 2:  # next but one share
            cell = [cell[i & ~2] for i in range(32)]
        elif kind == 3:  # some neighbours share
            cell = [cell[i & ~1] if rng.random() < 0.8 else cell[i] for i in range(32)]
        yield mask or 1, [c * width for c in cell]


def requests() -> Iterator[Request]:
    for op in ("none", "bar", "vote", "redux", "off.ld.global", "off.st.global", "off.ld.shared", "off.st.shared",
               "s2r.tid", "s2r.ctaid", "s2r.laneid", "s2r.smid", "s2r.clock"):
        yield op, 4, FULL, [4 * i for i in range(32)]
    for op in ("shfl", "ldc"):
        for k in (0, 1, 2):
            yield op, 4, FULL, [4 * (i * k % 32) if op == "ldc" else i * k % 32 for i in range(32)]
    wide = (64, 128, 256, 512, 1024, 4096)
    for op in ("ld.shared", "st.shared"):
        for width in (1, 2, 4, 8, 16):
            some = {1: 10, 2: 10, 4: 20, 8: 60, 16: 60}[width]
            for mask, at in [*_regular(width), *_random(width, some, width, wide)]:
                yield op, width, mask, at
    atomics: tuple[tuple[str, tuple[int, ...]], ...] = (
        ("atom.shared.add", (4, 8)), ("red.shared.add", (4,)), ("atom.shared.cas", (4,)), ("atom.shared.exch", (4,)),
        ("atom.shared.addf", (4,)))
    for op, widths in atomics:
        for width in widths:
            for k in (0, 1, 2, 3, 32):
                yield op, width, FULL, [i * k * width for i in range(32)]
            yield op, width, FULL, [i // 2 * width for i in range(32)]
            yield op, width, FULL, [i % 16 * width for i in range(32)]
            for mask, at in _random(width, 10, 40 + width, (64, 512, 4096)):
                yield op, width, mask, at
    for op in ("depbar", "bar1"):
        yield op, 4, FULL, [4 * i for i in range(32)]
    for k in (0, 1, 2, 3, 32):
        yield "popc.inc", 4, FULL, [i * k * 4 for i in range(32)]
    for k in (2, 4, 8, 16):
        yield "popc.inc", 4, FULL, [i // k * 4 for i in range(32)]
        yield "popc.inc", 4, FULL, [i % k * 4 for i in range(32)]
    for mask, at in _random(4, 40, 60, (32, 64, 128, 256, 512, 1024, 4096)):
        yield "popc.inc", 4, mask, at
    for width in (4, 8, 16):
        for k in (0, 1, 2, 4):
            yield "cp.async", width, FULL, [i * k * width for i in range(32)]
    for width in (4, 8, 16):
        for row in (16, 32, 64, 128, 144):
            yield "ldmatrix", width, FULL, [i * row % 16384 for i in range(32)]
    for op in ("ld.global", "st.global"):
        for width in (4, 8, 16):
            for shift in (0, 4, 32):
                if shift % width == 0:
                    yield op, width, FULL, [i * width + shift for i in range(32)]
            for mask, at in _random(width, 10, 80 + width, (512, 4096, 65536)):
                yield op, width, mask, at
    for op in ("red.global", "atom.global"):
        for k in (0, 1, 2, 32):
            yield op, 4, FULL, [i * k * 4 for i in range(32)]
        for mask, at in _random(4, 5, 90, (512, 4096)):
            yield op, 4, mask, at


def main() -> None:
    for op, width, mask, at in requests():
        if sys.argv[1:] and op not in sys.argv[1:]:
            continue
        print(op, width, f"{mask:x}", *(f"{a:x}" for a in at))


if __name__ == "__main__":
    main()
