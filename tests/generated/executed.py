"""Runs one generated kernel and all its variants on the simulator, and holds them to what the mutations promise.

The certificate compares hashes of what a run touches; here every request is written down and compared itself, for the
whole grid.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from on_gpu import Gpu, GpuLostError, differing

from mutate.backends.arguments import ArgumentsError
from mutate.backends.driver import DriverError
from mutate.dynamic import Binary, simulate_all, with_dynamic
from mutate.errors import KmutateError
from mutate.launch.model import Launch
from mutate.model import Certificate, Verdict
from mutate.pipeline.again import made_again
from mutate.pipeline.binaries import work_binaries
from mutate.pipeline.run import prove_file
from mutate.results import Request, VariantResult
from mutate.sim import layout as lay
from mutate.sim.image import library_loads_of, read_image
from mutate.sim.races import SharedChecks
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
    same_set: bool = True
    """Of a variant that is to keep global accesses: the same sectors are touched, however often."""
    arrays: tuple[str, ...] = ()
    """Where a demand is broken: array, kind of access, sectors of the original and of the variant, and how many are

    touched by one alone.
    """
    gpu: str = ""
    """Empty where it was not run on a GPU, ``same``, or what differs from the simulator's memory there."""


@dataclass(frozen=True)
class KernelOutcome:
    """``failure`` says what is wrong with the original (then there are no variants): the generator's or kmutate's."""

    seed: int
    failure: str = ""
    instructions: int = 0
    variants: tuple[VariantOutcome, ...] = ()
    features: tuple[str, ...] = ()
    gpu: str = ""
    """Of the original, as ``VariantOutcome.gpu``."""
    gpu_lost: bool = False
    """This process cannot use the GPU any more."""

    def plain(self) -> dict[str, Any]:
        return asdict(self)


class Requests:
    """Writes down what each request touches: sectors of global memory, bytes' addresses of shared memory.

    ``library``: instructions that load from a table of CUDA's mathematics library, a part of the arithmetic.
    """

    def __init__(self, library: Collection[int] = ()) -> None:
        self._library = np.array(sorted(library), np.int64)
        self._parts: dict[int, list[npt.NDArray[np.int64]]] = {}
        self._block = 0

    def start_block(self, block: int) -> None:
        self._block = block

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        del counters
        kinds = log.head[:records, lay.L_KIND]
        own = ~np.isin(log.head[:records, lay.L_PC], self._library)
        for kind in (*GLOBAL, *_SHARED):
            rows = np.flatnonzero((kinds == kind) & own)
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
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Address and bytes of each array."""


def execute(binary: Binary, launch: Launch, checks: bool = False) -> Ran:
    """The whole grid. ``error`` where it does what it may not; ``checks`` looks for races within blocks."""
    image = read_image(binary.cubin, binary.entry)
    requests = Requests(library_loads_of(image, binary.listing))
    watchers: list[Watcher] = [requests]
    races = None
    if checks:
        races = SharedChecks(image.static_smem + launch.smem, (launch.threads + 31) // 32, True, True, binary.listing)
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
    places = {r.name: (r.base, r.nbytes) for r in outcome.memory.initial.regions}
    return Ran(memory, outcome.counts.per_instruction.copy(), requests.multisets(), findings, places=places)


def same_requests(a: Ran, b: Ran, kinds: Sequence[int]) -> bool:
    """Whether two runs touch the same, as often."""
    for kind in kinds:
        if (kind in a.touched) != (kind in b.touched):
            return False
        if kind in a.touched and not all(np.array_equal(x, y)
                                         for x, y in zip(a.touched[kind], b.touched[kind], strict=True)):
            return False
    return True


_KEPT: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(("identity", "memory-only", "no-sync", "smem-conflict-free", "smem-broadcast"), GLOBAL),
    "load-only": GLOBAL[:1], "store-only": GLOBAL[1:], "math-only": ()}
"""The kinds of global accesses that a mutation keeps."""


def same_set(mutation: str, original: Ran, variant: Ran) -> bool:
    """Whether a variant touches the sectors that it is to touch, and no others; how often is no matter."""
    none = (np.zeros(0, np.int64),)
    return all(np.array_equal(original.touched.get(k, none)[0], variant.touched.get(k, none)[0])
               for k in _KEPT[mutation])


def array_differences(mutation: str, original: Ran, variant: Ran) -> tuple[str, ...]:
    """By array and kind of access, what a variant touches that it should not, and the other way round."""
    out = []
    for kind, word in zip(GLOBAL, ("load", "store", "atomic"), strict=True):
        if kind not in _KEPT[mutation]:
            continue
        for name, (base, nbytes) in original.places.items():
            parts = []
            for ran in (original, variant):
                values, counts = ran.touched.get(kind, (np.zeros(0, np.int64), np.zeros(0, np.int64)))
                inside = (values >= base >> 5) & (values < (base + nbytes + 31) >> 5)
                parts.append((values[inside], counts[inside]))
            (a, m), (b, n) = parts
            if not (np.array_equal(a, b) and np.array_equal(m, n)):
                out.append(f"{name} {word}: {m.sum()} -> {n.sum()}, {np.setdiff1d(a, b).size} only in the original, "
                           f"{np.setdiff1d(b, a).size} only in the variant")
    return tuple(out)


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
    if _KEPT[mutation] == GLOBAL and not same_requests(original, variant, GLOBAL):
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


# Without barriers, or with one place of shared memory for all, threads race: what is left depends on their order.
_RACING = ("no-sync", "smem-conflict-free", "smem-broadcast")


class _Gpu:
    """A GPU that is asked as long as it answers."""

    def __init__(self, gpu: Gpu | None) -> None:
        self._gpu = gpu
        self.lost = False

    def compare(self, binary: Binary, launch: Launch, ran: Ran) -> str:
        if self._gpu is None or self.lost:
            return ""
        try:
            return "; ".join(differing(ran.memory, self._gpu.run(binary, launch))) or "same"
        except GpuLostError as error:
            self.lost = True
            return f"fails: {error}"
        except (DriverError, ArgumentsError) as error:
            return f"fails: {error}"


def run_kernel(seed: int, source: str, features: Sequence[str] = (), gpu: Gpu | None = None,
               mutations: Sequence[str] = ()) -> KernelOutcome:
    """Proves, compiles and executes one kernel, on a GPU too if there is one. Never raises ``KmutateError``.

    With all mutations unless some are named.
    """
    request = Request(path=Path(f"generated{seed}.cu"), text=source.encode(), mutations=tuple(mutations))
    try:
        proven = prove_file(request)
    except KmutateError as error:
        return KernelOutcome(seed, f"does not compile: {error}", features=tuple(features))
    (result,), prover = proven.results, proven.prover
    if prover is None or result.error is not None:
        return KernelOutcome(seed, f"not proven: {result.error}", features=tuple(features))
    static = {v.mutation: v.certificate for v in result.variants if v.certificate is not None}
    if not static:
        return KernelOutcome(seed, variants=tuple(_not_made(v) for v in result.variants), features=tuple(features))
    found = work_binaries(prover, 0, prover.works[0], static)
    launches = found.target.launches
    original = execute(found.original, launches[0], checks=True)
    if original.error or original.findings:
        what = original.error or f"shared memory: {', '.join(sorted(set(original.findings)))}"
        return KernelOutcome(seed, f"the original: {what}", features=tuple(features))
    real = _Gpu(gpu)
    on_gpu = real.compare(found.original, launches[0], original)
    first, rest = simulate_all(found.original, found.variants, launches, Cache(None))
    made_of = {c.name: c.mutations for c in prover.works[0].candidates}
    proof = {name: with_dynamic(c, made_of[name], first, rest.get(name)) for name, c in static.items()}
    for name, (before, after) in made_again(prover, 0, prover.works[0], proof, Cache(None)).items():
        static[name], proof[name] = before or static[name], after
    found = work_binaries(prover, 0, prover.works[0], static)
    out: list[VariantOutcome] = []
    for v in result.variants:
        if v.certificate is None:
            out.append(_not_made(v))
        else:
            certificate = proof[v.mutation]
            ran = execute(found.variants[v.mutation], launches[0])
            broken, retained = demands(v.mutation, original, ran)
            compared = "" if v.mutation in _RACING or ran.error else \
                real.compare(found.variants[v.mutation], launches[0], ran)
            out.append(VariantOutcome(
                v.mutation, "ok", _against(certificate), str(static[v.mutation].verdict), str(certificate.verdict),
                tuple(broken), retained, "; ".join(r.text for r in certificate.reasons
                                                   if r.severity is not Verdict.VALID),
                tuple(dict.fromkeys(r.slug for r in certificate.reasons)), same_set(v.mutation, original, ran),
                array_differences(v.mutation, original, ran) if broken else (), compared))
    return KernelOutcome(seed, "", int(original.counters[:, lay.EXECUTED].sum()), tuple(out), tuple(features),
                         on_gpu, real.lost)


def _not_made(v: VariantResult) -> VariantOutcome:
    if v.refusal is not None:
        return VariantOutcome(v.mutation, "refused", (v.refusal.slug,), detail=v.refusal.why)
    return VariantOutcome(v.mutation, "compile-failed", detail=v.log[:2000])


def _against(certificate: Certificate) -> tuple[str, ...]:
    return tuple(dict.fromkeys(r.slug for r in certificate.reasons if r.severity is not Verdict.VALID))
