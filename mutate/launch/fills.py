"""Which functor of ``templates/bench/data.cuh.j2`` makes an array's first contents, and with which values.

``data.materialize`` makes the same bits in NumPy.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from mutate.launch import rng
from mutate.launch.model import ArrayDecl, pack_scalar
from mutate.launch.types import Rank, Scalar

RANDOM = ("uniform", "normal", "randint", "ascending", "permutation", "csr_colidx")
"""Initialisers that depend on the seed."""
_ELEMENTS = {Rank.HALF: "kmb::Half", Rank.BF16: "kmb::Bf16", Rank.BOOL: "kmb::Bool"}
_UNSIGNED = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
_SIGNED = {1: "signed char", 2: "short", 4: "int", 8: "long long"}


@dataclass(frozen=True)
class FillRule:
    """``values`` are the functor's members in order, as (kind, value): ``Q`` 64-bit unsigned (modulo 2**64), ``d``

    double, ``I`` 32-bit unsigned. ``count`` are elements of type ``element``.
    """

    element: str
    functor: str
    count: int
    values: tuple[tuple[str, int | float], ...]

    @property
    def packed(self) -> bytes:
        """The functor as a kernel parameter."""
        form = "<" + "".join(kind for kind, _ in self.values)
        out = struct.pack(form, *(int(v) & rng.MASK if kind == "Q" else v for kind, v in self.values))
        return out + bytes(-len(out) % 8)


def element_name(kind: Scalar) -> str:
    """A scalar's type in the generated C++."""
    if kind.rank in _ELEMENTS:
        return _ELEMENTS[kind.rank]
    if kind.is_integer:
        return (_SIGNED if kind.rank is Rank.INT else _UNSIGNED)[kind.size]
    return kind.name


def fill_rule(array: ArrayDecl) -> FillRule | None:
    """The rule of an array's elements; ``None`` for zeros and for what comes from the host (list, file, csr_rowptr)."""
    init, lanes = array.init, array.lanes
    if init.kind in ("zeros", "list", "file", "csr_rowptr") or lanes is None:
        return None
    kind, width = lanes
    element, n = element_name(kind), array.count * width
    args = init.args
    if init.kind == "fill":
        bits = int.from_bytes(pack_scalar(kind, args[0]), "little")
        return FillRule(_UNSIGNED[kind.size], "Fill", n, (("Q", bits),))
    if init.kind == "iota":
        if kind.is_integer:
            return FillRule(element, "IotaInt", n, tuple(("Q", int(a)) for a in args))
        return FillRule(element, "IotaReal", n, tuple(("d", a) for a in args))
    base = rng.base(array.seed, array.stream)
    if init.kind == "uniform":
        return FillRule(element, "Uniform", n, (("Q", base), ("d", args[0]), ("d", args[1] - args[0])))
    if init.kind == "normal":
        return FillRule(element, "Normal", n, (("Q", base), ("d", args[0]), ("d", args[1])))
    if init.kind == "ascending":
        start: tuple[tuple[str, int | float], ...] = (("Q", base), ("Q", rng.ascending_step(n)))
        if kind.is_integer:
            return FillRule(element, "AscendingInt", n, (*start, ("Q", int(args[0])), ("Q", int(args[1] - args[0]))))
        return FillRule(element, "AscendingReal", n, (*start, ("d", args[0]), ("d", args[1] - args[0])))
    if init.kind == "permutation":
        bits = max(1, (n - 1).bit_length())
        return FillRule(element, "Permutation", n,
                        (("Q", base), ("Q", n), ("Q", (1 << bits) - 1), ("I", (bits + 1) // 2)))
    low, high = (int(args[0]), int(args[1])) if init.kind == "randint" else (0, int(args[0]))
    return FillRule(element, "RandInt", n, (("Q", base), ("Q", low), ("Q", high - low)))
