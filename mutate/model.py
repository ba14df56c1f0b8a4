"""The frozen data that passes between the stages, from a compiled variant to its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """VALID: what it claims to be. DEGRADED: usable, with the reasons. INVALID: never to be used."""

    VALID = "VALID"
    DEGRADED = "DEGRADED"
    INVALID = "INVALID"


class Outcome(StrEnum):
    OK = "ok"
    REFUSED = "refused"
    COMPILE_FAILED = "compile-failed"


@dataclass(frozen=True)
class Reason:
    """``slug`` is stable; ``severity`` is what this reason alone makes of the verdict (VALID: information only)."""

    slug: str
    text: str
    severity: Verdict = Verdict.DEGRADED
    line: int | None = None


@dataclass(frozen=True)
class StaticCounts:
    """SASS instructions by class, guarded ones apart.

    ``loops`` is ``as-compiled``, or ``rolled`` when original and variant were both compiled once more with
    ``#pragma unroll 1`` because the compiler unrolls them differently; ``compiled`` are then the counts of the
    binaries that run.
    """

    original: Mapping[str, int]
    variant: Mapping[str, int]
    guarded: Mapping[str, int] = field(default_factory=dict)
    loops: str = "as-compiled"
    compiled_original: Mapping[str, int] | None = None
    compiled_variant: Mapping[str, int] | None = None


@dataclass(frozen=True)
class AccessPair:
    """Accesses of one space and direction in a run: sectors of global and local memory, of shared memory the accesses

    of threads. ``same``: at the same addresses as often (the multisets are equal), of as many bytes but for global
    loads; ``same_bytes``: of as many bytes; ``padded``: of nearly as many, as where wide accesses in one of the two
    read a bit more than is needed.
    """

    original: int
    variant: int
    same: bool
    same_bytes: bool = True
    padded: bool = False


@dataclass(frozen=True)
class DynamicCounts:
    """Original and variant run on the simulator over ``blocks`` of the launches' ``grid_blocks``.

    Instructions executed (warps) by class; accesses by space and direction. ``why_not``: why nothing was run, or "".
    """

    blocks: int
    grid_blocks: int
    original: Mapping[str, int]
    variant: Mapping[str, int]
    memory: Mapping[str, AccessPair]
    why_not: str = ""


@dataclass(frozen=True)
class Resources:
    """Per thread: registers, spill and local bytes. Per block: static shared memory in bytes."""

    registers: int
    spill_stores: int
    spill_loads: int
    local_bytes: int
    static_smem: int


@dataclass(frozen=True)
class OccupancyPlan:
    """Resident blocks per SM of the original, of the variant by itself, and padded; launch settings in bytes and KB."""

    original: int
    variant: int
    padded: int
    threads_per_block: int
    dynamic_smem: int
    dynamic_smem_pad: int
    carveout_kb: int | None
    carveout_percent: int | None
    limiter: str
    register_cap: int | None = None
    block_is_assumed: bool = False


@dataclass(frozen=True)
class Certificate:
    """What was proven of one variant."""

    verdict: Verdict
    reasons: tuple[Reason, ...]
    static: StaticCounts | None = None
    original: Resources | None = None
    variant: Resources | None = None
    occupancy: OccupancyPlan | None = None
    dynamic: DynamicCounts | None = None


def worst(reasons: tuple[Reason, ...]) -> Verdict:
    severities = {r.severity for r in reasons}
    for verdict in (Verdict.INVALID, Verdict.DEGRADED):
        if verdict in severities:
            return verdict
    return Verdict.VALID
