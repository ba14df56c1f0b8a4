"""Runs one generated kernel and all its variants on the simulator, and holds them to what the mutations promise.

The certificate compares hashes of what a run touches; here every request is written down and compared itself, for the
whole grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.dynamic import Binary, simulate_all, with_dynamic
from mutate.errors import KmutateError
from mutate.launch.model import Launch
from mutate.model import Certificate, Verdict
from mutate.pipeline.binaries import work_binaries
from mutate.pipeline.run import prove_file
from mutate.results import Request
from mutate.sim import layout as lay
from mutate.sim.image import read_image
from mutate.sim.races import SharedChecks, access_unit
from mutate.sim.run import Simulation
from mutate.sim.watch import Log, Watcher
from mutate.toolchain.cache import Cache

GLOBAL = (lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC)
_SHARED = (lay.H_SHARED_LOAD, lay.H_SHARED_STORE, lay.H_SHARED_ATOMIC)
_LANES = np.arange(32, dtype=np.int64)
Multiset = dict[int, tuple[npt.NDArray[Any], npt.NDArray[Any]]]


@dataclass(frozen=True)
class VariantOutcome:
    """One variant of one kernel. ``outcome``: ok, refused or compile-failed; ``slugs`` the refusal's, or those of the

    reasons that speak against it; ``noted`` those of all its reasons. Verdicts by the static certificate alone, and
    with the run. ``broken`` are demands that the run does not meet, ``retained`` global load sectors that stay where
    none should.
    """

    mutation: str
    outcome: str
    slugs: tuple[str, ...] = ()
    static: str = ""
    dynamic: str = ""
    broken: tuple[str, ...] = ()
    retained: int = 0
    detail: str = ""
    noted: tuple[str, ...] = ()


@dataclass(frozen=True)
class KernelOutcome:
    """``failure`` says what is wrong with the original (then there are no variants): the generator's or kmutate's."""

    seed: int
    failure: str = ""
    instructions: int = 0
    variants: tuple[VariantOutcome, ...] = ()
    features: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        return asdict(self)


class Requests:
    """Writes down what each request touches: sectors of global memory, bytes' addresses of shared memory."""

    def __init__(self) -> None:
        self._parts: dict[int, list[npt.NDArray[np.int64]]] = {}
        self._block = 0

    def start_block(self, block: int) -> None:
        self._block = block

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        del counters
        kinds = log.head[:records, lay.L_KIND]
        for kind in (*GLOBAL, *_SHARED):
            rows = np.flatnonzero(kinds == kind)
            if not rows.size:
                continue
            active = (log.head[rows, lay.L_MASK, None] >> _LANES & 1).astype(bool)
            where = log.where[rows].astype(np.int64)
            if kind in GLOBAL:
                # Aligned to its width, an access lies in one sector; a request touches a sector once.
                pairs = np.stack([np.broadcast_to(rows[:, None], where.shape)[active], where[active] >> 5])
                touched = np.unique(pairs, axis=1)[1]
            else:
                touched = where[active] + (self._block << 32)
            self._parts.setdefault(kind, []).append(touched)

    def multisets(self) -> Multiset:
        """By kind: what was touched, in order, and how often."""
        out: Multiset = {}
        for kind, parts in self._parts.items():
            values, counts = np.unique(np.concatenate(parts), return_counts=True)
            out[kind] = (values, counts)
        return out


@dataclass
class Ran:
    """What a run left: bytes of each array, counters by instruction, requests."""

    memory: Mapping[str, bytes]
    counters: npt.NDArray[np.int64]
    touched: Multiset
    findings: tuple[str, ...] = ()
    error: str = ""


def execute(binary: Binary, launch: Launch, checks: bool = False) -> Ran:
    """The whole grid. ``error`` where it does what it may not; ``checks`` looks for races within blocks."""
    image = read_image(binary.cubin, binary.entry)
    requests = Requests()
    watchers: list[Watcher] = [requests]
    races = None
    if checks:
        races = SharedChecks(image.static_smem + launch.smem, (launch.threads + 31) // 32, True, True,
                             access_unit(binary.listing))
        watchers.append(races)
    gx, gy, gz = launch.grid
    try:
        simulation = Simulation(image, binary.listing, launch, extra_smem=binary.extra_smem, watchers=watchers,
                                budget=30_000_000)
        outcome = simulation.run(range(gx * gy * gz))
    except KmutateError as error:
        return Ran({}, np.zeros((0, lay.COUNTERS), np.int64), {}, error=f"{error.slug}: {error.what}")
    memory = {r.name: outcome.memory.read(r).tobytes() for r in outcome.memory.initial.regions}
    findings = tuple(f.kind for f in races.findings) if races is not None else ()
    return Ran(memory, outcome.counts.per_instruction.copy(), requests.multisets(), findings)


def same_requests(a: Ran, b: Ran, kinds: Sequence[int]) -> bool:
    """Whether two runs touch the same, as often."""
    for kind in kinds:
        if (kind in a.touched) != (kind in b.touched):
            return False
        if kind in a.touched and not all(np.array_equal(x, y)
                                         for x, y in zip(a.touched[kind], b.touched[kind], strict=True)):
            return False
    return True


def _count(ran: Ran, kind: int) -> int:
    return int(ran.touched[kind][1].sum()) if kind in ran.touched else 0


def demands(mutation: str, original: Ran, variant: Ran) -> tuple[list[str], int]:
    """Demands that a run does not meet, and the load sectors that stay where loads should go."""
    load, store, atomic = GLOBAL
    broken: list[str] = []
    retained = 0
    if variant.error:
        return [f"faults: {variant.error}"], 0
    if mutation == "identity":
        if original.memory != variant.memory:
            broken.append("memory image")
        if not np.array_equal(original.counters, variant.counters):
            broken.append("counters")
    if mutation in ("identity", "memory-only", "no-sync", "smem-conflict-free", "smem-broadcast") and not same_requests(
            original, variant, GLOBAL):
        broken.append("global sectors")
    if mutation == "load-only":
        broken += ["load sectors"] * (not same_requests(original, variant, (load,)))
        broken += ["stores"] * bool(_count(variant, store) + _count(variant, atomic))
    if mutation == "store-only":
        broken += ["store sectors"] * (not same_requests(original, variant, (store, atomic)))
        retained = _count(variant, load)
    if mutation == "math-only":
        broken += ["stores"] * bool(_count(variant, store) + _count(variant, atomic))
        retained = _count(variant, load)
    if mutation == "no-sync":
        broken += ["shared accesses"] * (not same_requests(original, variant, _SHARED))
    if mutation.startswith("smem-"):
        broken += ["number of shared accesses"] * any(_count(original, k) != _count(variant, k) for k in _SHARED)
    return broken, retained


def run_kernel(seed: int, source: str, features: Sequence[str] = ()) -> KernelOutcome:
    """Proves, compiles and executes one kernel. Never raises ``KmutateError``."""
    request = Request(path=Path(f"generated{seed}.cu"), text=source.encode())
    try:
        proven = prove_file(request)
    except KmutateError as error:
        return KernelOutcome(seed, f"does not compile: {error}", features=tuple(features))
    (result,), prover = proven.results, proven.prover
    if prover is None or result.error is not None:
        return KernelOutcome(seed, f"not proven: {result.error}", features=tuple(features))
    static = {v.mutation: v.certificate for v in result.variants if v.certificate is not None}
    found = work_binaries(prover, 0, prover.works[0], static)
    launches = found.target.launches
    original = execute(found.original, launches[0], checks=True)
    if original.error or original.findings:
        what = original.error or f"shared memory: {', '.join(sorted(set(original.findings)))}"
        return KernelOutcome(seed, f"the original: {what}", features=tuple(features))
    first, rest = simulate_all(found.original, found.variants, launches, Cache(None))
    mutations = {c.name: c.mutations for c in prover.works[0].candidates}
    out: list[VariantOutcome] = []
    for v in result.variants:
        if v.refusal is not None:
            out.append(VariantOutcome(v.mutation, "refused", (v.refusal.slug,), detail=v.refusal.why))
        elif v.certificate is None:
            out.append(VariantOutcome(v.mutation, "compile-failed", detail=v.log[:2000]))
        else:
            certificate = with_dynamic(v.certificate, mutations[v.mutation], first, rest.get(v.mutation))
            broken, retained = demands(v.mutation, original, execute(found.variants[v.mutation], launches[0]))
            out.append(VariantOutcome(
                v.mutation, "ok", _against(certificate), str(v.certificate.verdict), str(certificate.verdict),
                tuple(broken), retained, "; ".join(r.text for r in certificate.reasons
                                                   if r.severity is not Verdict.VALID),
                tuple(dict.fromkeys(r.slug for r in certificate.reasons))))
    return KernelOutcome(seed, "", int(original.counters[:, lay.EXECUTED].sum()), tuple(out), tuple(features))


def _against(certificate: Certificate) -> tuple[str, ...]:
    return tuple(dict.fromkeys(r.slug for r in certificate.reasons if r.severity is not Verdict.VALID))
