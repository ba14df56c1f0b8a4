"""The dynamic certificate: original and variants run on the simulator, their accesses and instructions compared.

What the static counts cannot tell (loops unrolled differently, merged accesses, code that never runs) the run does: for
global memory the multisets of sectors, for shared memory and surfaces those of the lanes' addresses, for textures those
of texels, and instructions by class.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import cache as once
from pathlib import Path

from mutate.certify import RETAINED_SHARE, demands, matching
from mutate.errors import KmutateError
from mutate.launch.model import Launch
from mutate.model import AccessPair, Certificate, DynamicCounts, Reason, Verdict, worst
from mutate.mutations.base import ARITHMETIC, GLOBAL_LOADS, GLOBAL_STORES, GLOBAL_UPDATES, SHARED, Check, Mutation
from mutate.sass import addresses, classes, operands, tables
from mutate.sass.classes import class_of
from mutate.sass.disasm import Instruction
from mutate.sass.operands import division_helpers
from mutate.sass.tables import table_class
from mutate.sim.code import load_interpreter, simulator_digest
from mutate.toolchain.cache import Cache, digest

# Warp instructions that all runs of one kernel may take together: a second or two.
TARGET_INSTRUCTIONS = 3_000_000
# ... and that a single run may take before it is given up.
LIMIT_INSTRUCTIONS = 30_000_000
MOST_BLOCKS = 64
_MOST_TIMES, _LEAST_BUDGET = 4, 1_000_000
# Opaque values take other branches within library functions (a division's slow path): that much is no difference.
_ARITHMETIC_SLACK = 0.02
# Totals of accesses this close are the same work with a flaw; further apart it is other work.
_ACCESS_SLACK = 0.01
# ... but where a branch may go another way for want of a barrier or a store, which is said, loops end elsewhere.
_CONTROL_SLACK = 0.1
_OTHER_WAY = frozenset(("sync-carries-control", "stores-carry-control"))
_WORD, _NEEDED = 4, 0.75
_THREADS = 2
SPACES = ("global_load", "global_store", "global_atomic", "shared_load", "shared_store", "shared_atomic", "local_load",
          "local_store", "texture_load", "surface_load", "surface_store", "table_load")
"""Names of the multisets, in the order of ``mutate.sim.layout``."""
_GROUPS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (GLOBAL_LOADS, ("global_load",)), (GLOBAL_STORES, ("global_store",)), (GLOBAL_UPDATES, ("global_atomic",)),
    (SHARED, ("shared_load", "shared_store", "shared_atomic")), (("texture",), ("texture_load",)),
    (("surface",), ("surface_load", "surface_store")))
_LOADED = frozenset(("global_load", "global_atomic", "texture_load"))
_STORED = frozenset(("global_store", "surface_store"))
_SETTLED = frozenset(("static-counts-differ", "vector-accesses-differ", "generic-accesses"))


@dataclass(frozen=True)
class Binary:
    """One kernel to run: its cubin, symbol and listing; ``extra_smem`` bytes of padding at launch."""

    cubin: bytes
    entry: str
    listing: Sequence[Instruction] = field(repr=False)
    extra_smem: int = 0


@dataclass(frozen=True)
class Summary:
    """What one binary did in all launches. ``multisets`` are (hash, hash, accesses, bytes) by ``SPACES``."""

    classes: Mapping[str, int]
    multisets: tuple[tuple[int, ...], ...]
    instructions: int
    blocks: int
    grid_blocks: int
    failure: str = ""
    failure_slug: str = ""


def _no_progress(what: str, done: int, total: int) -> None:
    del what, done, total


def plan_blocks(per_block: int, runs: int, total: int) -> int:
    """How many blocks of a grid to run, so that all runs together stay near the target."""
    affordable = TARGET_INSTRUCTIONS // max(1, per_block * runs)
    return max(1, min(affordable, MOST_BLOCKS, total))


def simulate_binary(binary: Binary, launches: Sequence[Launch], blocks: Sequence[int], cache: Cache,
                    progress: Callable[[str, int, int], None] = _no_progress,
                    budget: int = LIMIT_INSTRUCTIONS) -> Summary:
    """Runs a sample of each launch; ``blocks`` says how many of each, ``budget`` how many warp instructions at most.

    From the cache when it was done before.
    """
    key = digest("dynamic", _version(), binary.cubin, binary.entry, binary.extra_smem, _describe(launches),
                 repr(tuple(blocks)), budget)
    known = cache.get("dynamic", key)
    if known is not None:
        raw = json.loads(known)
        return Summary(**{**raw, "multisets": tuple(tuple(m) for m in raw["multisets"])})
    load_interpreter(progress)
    summary = _simulate(binary, launches, blocks, budget)
    cache.put("dynamic", key, json.dumps(asdict(summary)).encode())
    return summary


@once
def _version() -> str:
    """Names all code that a summary depends on: the simulator, the classes of instructions, this module."""
    modules = (addresses, classes, operands, tables)
    return digest(simulator_digest(), *(Path(module.__file__ or "").read_bytes() for module in modules),
                  Path(__file__).read_bytes())


def _describe(launches: Sequence[Launch]) -> str:
    """Everything of the launches that a run depends on."""
    out = []
    for la in launches:
        arrays = [(a.name, str(a.elem), a.dims, a.init.kind, a.init.args, a.init.key, a.init.data, a.stream, a.seed,
                   _stamp(a.init.path)) for a in (*la.arrays, *la.symbols)]
        arguments = [repr(a.as_value()) for a in la.args]
        out.append((la.grid, la.block, la.smem, arguments, arrays, la.textures))
    return repr(out)


def _stamp(path: str) -> tuple[str, int, int] | None:
    if not path:
        return None
    found = Path(path).stat()
    return path, found.st_size, found.st_mtime_ns


def _simulate(binary: Binary, launches: Sequence[Launch], blocks: Sequence[int], budget: int) -> Summary:
    from mutate.sim.image import library_loads_of, read_image
    from mutate.sim.run import Simulation, sample_blocks

    image = read_image(binary.cubin, binary.entry)
    helpers = division_helpers(binary.listing)
    of_library = library_loads_of(image, binary.listing)
    names = ["integer" if n in helpers else table_class(class_of(i)) if n in of_library else class_of(i)
             for n, i in enumerate(binary.listing)]
    executed: Counter[str] = Counter()
    sums = [[0] * 4 for _ in SPACES]
    instructions = ran = total = 0
    for launch, count in zip(launches, blocks, strict=True):
        gx, gy, gz = launch.grid
        try:
            simulation = Simulation(image, binary.listing, launch, extra_smem=binary.extra_smem,
                                    budget=budget)
            chosen = sample_blocks(launch.grid, count)
            outcome = simulation.run(chosen)
        except KmutateError as error:
            return Summary({}, tuple((0, 0, 0, 0) for _ in SPACES), 0, 0, 0, error.what, error.slug)
        for name, n in zip(names, outcome.counts.per_instruction[:, 0].tolist(), strict=True):
            executed[name] += n
        instructions += int(outcome.counts.per_instruction[:, 0].sum())
        for row, more in zip(sums, outcome.counts.multisets.tolist(), strict=True):
            for k in range(4):
                row[k] = (row[k] + more[k]) % 2**64
        ran += len(chosen)
        total += gx * gy * gz
    return Summary({c: n for c, n in sorted(executed.items()) if n}, tuple(map(tuple, sums)), instructions,
                   ran, total)


def simulate_all(original: Binary, variants: Mapping[str, Binary], launches: Sequence[Launch], cache: Cache,
                 progress: Callable[[str, int, int], None] = _no_progress) -> tuple[Summary, dict[str, Summary]]:
    """The original and its variants on the same sample of blocks."""
    totals = [la.grid[0] * la.grid[1] * la.grid[2] for la in launches]
    first = simulate_binary(original, launches, [1] * len(launches), cache, progress)
    if first.failure:
        return first, {}
    counts = [plan_blocks(first.instructions, len(variants) + 1, total) for total in totals]
    whole = simulate_binary(original, launches, counts, cache)
    if whole.failure:
        return whole, {}
    # A variant does less; one that does many times the original's work hangs.
    budget = min(LIMIT_INSTRUCTIONS, _MOST_TIMES * whole.instructions + _LEAST_BUDGET)
    with ThreadPoolExecutor(_THREADS) as pool:
        parts = {name: pool.submit(simulate_binary, b, launches, counts, cache, _no_progress, budget)
                 for name, b in variants.items()}
        return whole, {name: part.result() for name, part in parts.items()}


def compared(original: Summary, variant: Summary) -> DynamicCounts:
    """The two runs side by side.

    Loads of the same sectors are the same, however many of each one's bytes lanes ask for.
    """
    memory = {}
    for name, a, b in zip(SPACES, original.multisets, variant.multisets, strict=True):
        if a[2] or b[2]:
            same = a[:3] == b[:3] if name == "global_load" else a == b
            padded = _padded(a[2:], b[2:]) or _padded(b[2:], a[2:])
            memory[name] = AccessPair(a[2], b[2], same, a[3] == b[3], padded)
    return DynamicCounts(original.blocks, original.grid_blocks, original.classes, variant.classes, memory)


def _padded(wide: Sequence[int], narrow: Sequence[int]) -> bool:
    """Whether wide accesses may do what narrow ones do, both as (accesses, bytes): seven words are read as eight.

    Each wide one is needed for a word at least; and what compilers read in vain is never more than a quarter.
    """
    return wide[0] < narrow[0] and max(_WORD * wide[0], _NEEDED * wide[1]) <= narrow[1] <= wide[1]


def not_done(why: str) -> DynamicCounts:
    return DynamicCounts(0, 0, {}, {}, {}, why)


def with_dynamic(certificate: Certificate, mutations: Sequence[Mutation], original: Summary,
                 variant: Summary | None) -> Certificate:
    """The certificate after the run: what the static check got wrong is settled, what it could not see is added."""
    if original.failure or variant is None:
        return without_dynamic(certificate, f"the original does not run on the simulator: {original.failure}")
    if variant.failure_slug == "unsupported-instruction" or (
            variant.failure_slug == "instruction-budget" and _MOST_TIMES * original.instructions > LIMIT_INSTRUCTIONS):
        return without_dynamic(certificate, f"the variant does not run on the simulator: {variant.failure}")
    if variant.failure:
        reason = Reason("dynamic-failed", f"the original runs on the simulator, the variant does not: "
                                          f"{variant.failure}", Verdict.INVALID)
        return _certificate(certificate, (*certificate.reasons, reason), not_done(variant.failure))
    counts = compared(original, variant)
    found = dynamic_reasons(mutations, counts, certificate.reasons)
    reasons = [_settled(r, counts, found, mutations) for r in certificate.reasons]
    if any(r.slug == "retained-load-traffic" for r in found):
        reasons = [replace(r, severity=Verdict.VALID) if r.slug == "retained-loads" else r for r in reasons]
    return _certificate(certificate, (*reasons, *found), counts)


def without_dynamic(certificate: Certificate, why: str) -> Certificate:
    """The certificate as it was, with the reason why nothing was run."""
    reason = Reason("dynamic-not-done", why, Verdict.VALID)
    return _certificate(certificate, (*certificate.reasons, reason), not_done(why))


def _certificate(certificate: Certificate, reasons: Sequence[Reason], dynamic: DynamicCounts) -> Certificate:
    unique = tuple(dict.fromkeys(reasons))
    return replace(certificate, verdict=worst(unique), reasons=unique, dynamic=dynamic)


def _settled(reason: Reason, counts: DynamicCounts, found: Sequence[Reason], mutations: Sequence[Mutation]) -> Reason:
    """A static reason that the run refutes becomes information."""
    if reason.severity is Verdict.VALID:
        return reason
    failed = any(r.severity is not Verdict.VALID for r in found)
    if reason.slug in _SETTLED and not failed:
        return replace(reason, severity=Verdict.VALID, text=f"{reason.text}; run, both do the same")
    if reason.slug == "not-removed" and not failed and _all_removed(counts, mutations):
        return replace(reason, severity=Verdict.VALID, text=f"{reason.text}; run, they are never executed")
    return reason


def _all_removed(counts: DynamicCounts, mutations: Sequence[Mutation]) -> bool:
    """Whether what is to be removed was executed by the original and never by the variant."""
    for _, check in demands(mutations):
        if check.kind != "none":
            continue
        before = sum(matching(counts.original, check.classes).values())
        after = sum(matching(counts.variant, check.classes).values())
        names = [n for patterns, names in _GROUPS for n in names if set(patterns) & set(check.classes)]
        executed = sum(counts.memory[n].variant for n in names if n in counts.memory)
        if before == 0 or (executed if names else after):
            return False
    return True


def dynamic_reasons(mutations: Sequence[Mutation], counts: DynamicCounts, static: Sequence[Reason]) -> list[Reason]:
    """What the run says against a variant."""
    retained = any(r.slug in ("retained-load", "retained-loads") for r in static)
    slack = _CONTROL_SLACK if any(r.slug in _OTHER_WAY for r in static) else _ACCESS_SLACK
    out: list[Reason] = []
    for mutation, check in demands(mutations):
        if check.kind == "identical":
            if counts.original != counts.variant or not all(m.same and m.same_bytes for m in counts.memory.values()):
                out.append(Reason("dynamic-counts-differ", "run, the instructions differ", Verdict.INVALID))
            continue
        spaces = [n for patterns, names in _GROUPS for n in names if set(patterns) & set(check.classes)]
        if check.kind == "none":
            out += _removed(mutation, [n for n in spaces if n in counts.memory], counts, retained)
        else:
            out += [r for n in spaces if n in counts.memory
                    for r in _kept(check, n, counts.memory[n], slack)]
            if set(ARITHMETIC) & set(check.classes):
                out += _arithmetic(counts)
            if "barrier" in check.classes and counts.original.get("barrier", 0) != counts.variant.get("barrier", 0):
                out.append(Reason("dynamic-counts-differ", f"run, barriers {counts.original.get('barrier', 0)} -> "
                                                           f"{counts.variant.get('barrier', 0)}"))
    return out


def _unit(space: str) -> str:
    """What a multiset counts."""
    if space == "texture_load":
        return "texels"
    return "sectors" if space.startswith(("global", "local")) else "accesses of threads"


def _kept(check: Check, space: str, pair: AccessPair, slack: float) -> list[Reason]:
    what = check.what
    if pair.same or (not check.addresses and pair.original == pair.variant):
        return []
    unit = _unit(space)
    name = space.replace("_", " ")
    if pair.original == pair.variant:
        return [Reason("dynamic-addresses-differ", f"run, {name}: {pair.original} {unit} as in the original, but not "
                                                   "at the same addresses")]
    if pair.same_bytes and space.startswith("shared"):
        return [Reason("dynamic-accesses-differ", f"run, {what}: {name} {unit} {pair.original} -> {pair.variant}, for "
                                                  "the same bytes (wide accesses in one of the two)")]
    if pair.padded and space.startswith("shared"):
        return [Reason("dynamic-accesses-differ", f"run, {what}: {name} {unit} {pair.original} -> {pair.variant}, for "
                                                  "nearly the same bytes (wide accesses in one of the two read more)")]
    apart = abs(pair.original - pair.variant) / max(pair.original, 1)
    return [Reason("dynamic-accesses-differ", f"run, {what}: {name} {unit} {pair.original} -> {pair.variant}",
                   Verdict.DEGRADED if apart <= slack else Verdict.INVALID)]


def _removed(mutation: Mutation, spaces: Sequence[str], counts: DynamicCounts, retained: bool) -> list[Reason]:
    left = {n: counts.memory[n].variant for n in spaces if counts.memory[n].variant}
    if not left:
        return []
    words = ", ".join(f"{n.replace('_', ' ')} {v} of {counts.memory[n].original} {_unit(n)}" for n, v in left.items())
    if not retained or _STORED & set(left):
        return [Reason("not-removed", f"run, these are left: {words}", Verdict.INVALID)]
    before = sum(counts.memory[n].original for n in spaces if n in _LOADED)
    share = sum(left.values()) / max(before, 1)
    severe = share > RETAINED_SHARE and mutation.id == "math-only"
    return [Reason("retained-load-traffic", f"the loads that stay are {share:.1%} of the original's load sectors "
                   f"({words})", Verdict.DEGRADED if severe else Verdict.VALID)]


def _arithmetic(counts: DynamicCounts) -> list[Reason]:
    before, after = matching(counts.original, ARITHMETIC), matching(counts.variant, ARITHMETIC)
    total = max(1, sum(before.values()))
    apart = {c: (before.get(c, 0), after.get(c, 0)) for c in sorted({*before, *after})
             if abs(before.get(c, 0) - after.get(c, 0)) > _ARITHMETIC_SLACK * total}
    if not apart:
        return []
    words = ", ".join(f"{c} {a} -> {b}" for c, (a, b) in apart.items())
    return [Reason("dynamic-counts-differ", f"run, arithmetic changed: {words}")]
