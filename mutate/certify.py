"""The static certificate: the variant's SASS against the original's, by the checks its mutations declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch

from mutate.model import Reason, StaticCounts, Verdict
from mutate.mutations.base import ARITHMETIC, Check, Mutation, Note
from mutate.sass.classes import count_classes
from mutate.sass.disasm import Instruction
from mutate.sass.guards import guarded
from mutate.sass.tables import library_loads, table_class
from mutate.sass.windows import shared_generic
from mutate.toolchain.elf import Cubin

# Above this share of the original's load instructions, retained loads degrade a math-only variant (design, section 3).
RETAINED_SHARE = 0.05
# Arithmetic of one class that may vanish, of all that is to be kept, before it is other work.
_FEW = 0.1


def demands(mutations: Sequence[Mutation]) -> tuple[tuple[Mutation, Check], ...]:
    """The checks of a composition: what one mutation takes away, no other may ask to be kept."""
    out: list[tuple[Mutation, Check]] = []
    for m in mutations:
        removed = {p for other in mutations if other is not m for p in other.removed}
        for check in m.checks:
            if check.kind == "identical" and len(mutations) > 1:
                continue
            kept = tuple(c for c in check.classes if c not in removed or check.kind == "none")
            if kept or check.kind == "identical":
                out.append((m, replace(check, classes=kept)))
    return tuple(out)


def matching(counts: Mapping[str, int], patterns: Sequence[str]) -> dict[str, int]:
    """The classes of a count that one of the patterns matches."""
    return {c: n for c, n in counts.items() if any(fnmatch(c, p) for p in patterns)}


def relevant_classes(mutations: Sequence[Mutation], counts: Mapping[str, int]) -> dict[str, int]:
    """The classes whose numbers the checks compare with the original's."""
    patterns = [p for _, check in demands(mutations) if check.kind.startswith("same") for p in check.classes]
    return matching(counts, patterns)


def count(instructions: Sequence[Instruction], cubin: Cubin, entry: str) -> tuple[dict[str, int], dict[str, int]]:
    """(unguarded, guarded) instructions by class of one kernel's listing.

    Generic accesses that are surely of shared memory count as that; loads of tables of the compiler's mathematics
    library are a class of their own.
    """
    everything = count_classes(instructions)
    flag_offset = cubin.constant_offset("km_flag")
    generic = any(c.startswith("generic_") for c in everything)
    tables = cubin.library_tables(entry)
    if flag_offset is None and not generic and not tables:
        return everything, {}
    kernel = cubin.kernel(entry)
    indirect, functions = dict(kernel.indirect_branches), [start for _, start, _ in kernel.functions]
    hidden = guarded(instructions, flag_offset, indirect=indirect, functions=functions)
    apart = count_classes([instructions[i] for i in sorted(hidden)])
    rest = {c: n - apart.get(c, 0) for c, n in everything.items() if n > apart.get(c, 0)}
    if generic:
        shared = shared_generic(instructions, indirect=indirect, functions=functions) - hidden
        for c, n in count_classes([instructions[i] for i in sorted(shared)]).items():
            rest[c] -= n
            known = c.replace("generic_", "shared_", 1)
            rest[known] = rest.get(known, 0) + n
    found = library_loads(instructions, tables, indirect=indirect, functions=functions) - hidden
    for c, n in count_classes([instructions[i] for i in sorted(found)]).items():
        rest[c] -= n
        rest[table_class(c)] = n
    rest = {c: n for c, n in sorted(rest.items()) if n}
    return rest, apart


def static_reasons(mutations: Sequence[Mutation], counts: StaticCounts, notes: Sequence[Note], *,
                   identical: bool, lines: Mapping[int, int] | None = None) -> tuple[Reason, ...]:
    """What the instruction counts say against a variant, and what they only note."""
    reasons: list[Reason] = []
    retained = [n for n in notes if n.slug in ("retained-load", "barrier-kept")]
    for mutation, check in demands(mutations):
        if check.kind == "identical":
            if not identical:
                reasons.append(Reason("not-identical", "the instructions differ from the original's", Verdict.INVALID))
            continue
        before, after = matching(counts.original, check.classes), matching(counts.variant, check.classes)
        if "shared_store.*" in check.classes:
            before = _with_async_side(counts.original, counts.variant, before)
        if check.kind == "none":
            reasons += _none(mutation, check, before, after, retained)
        elif check.kind == "same-sum":
            if sum(before.values()) != sum(after.values()):
                reasons.append(_differs(check, {"all": sum(before.values())}, {"all": sum(after.values())},
                                        sum(before.values())))
        else:
            reasons += _same(check, before, after)
    unknown = [c for c in (*counts.original, *counts.variant) if c.startswith("unknown")]
    if unknown:
        names = ", ".join(sorted({c.removeprefix("unknown.") for c in unknown}))
        reasons.append(Reason("unknown-opcode", f"instructions kmutate does not know: {names}"))
    reasons += _vector_accesses(mutations, counts)
    if counts.loops == "rolled":
        reasons.append(Reason("unrolled-differently", "the compiler unrolls the variant's loops differently; counts "
                              "were compared with all loops rolled, in original and variant", Verdict.VALID))
    for n in notes:
        line = lines.get(n.span.start) if lines and n.span is not None else None
        harmless = n.slug in ("retained-load", "shared-array-kept", "other-instances", "barrier-kept", "made-again")
        severity = Verdict.VALID if harmless else Verdict.DEGRADED
        reasons.append(Reason(n.slug, n.text, severity, line))
    return tuple(reasons)


def _vector_accesses(mutations: Sequence[Mutation], counts: StaticCounts) -> list[Reason]:
    """Rolled loops hide that the compiler merges neighbouring accesses of an unrolled loop into wide ones.

    A width that only one of the binaries that run has means another number of accesses for the same bytes.
    """
    if counts.compiled_original is None or counts.compiled_variant is None:
        return []
    patterns = [p for _, check in demands(mutations) if check.kind == "same" for p in check.classes if "load" in p
                or "store" in p]
    before, after = (_as_global(matching(c, patterns)) for c in (counts.compiled_original, counts.compiled_variant))
    if "shared_store.*" in patterns:
        before = _with_async_side(counts.compiled_original, counts.compiled_variant, before)
    apart = [c for c in sorted({*before, *after}) if (before.get(c, 0) == 0) != (after.get(c, 0) == 0)]
    if not apart:
        return []
    words = ", ".join(f"{c} {before.get(c, 0)} -> {after.get(c, 0)}" for c in apart)
    return [Reason("vector-accesses-differ", "unrolled, the compiler merges accesses into wide ones in one of the two "
                                             f"only, so the numbers of accesses differ as they run: {words}")]


def _with_async_side(original: Mapping[str, int], variant: Mapping[str, int], before: dict[str, int]
                     ) -> dict[str, int]:
    """An asynchronous copy that lost its global side is a store to shared memory of the same width."""
    out = dict(before)
    for c, n in original.items():
        kind, _, width = c.partition(".")
        gone = n - variant.get(c, 0)
        if kind == "async_copy" and gone > 0:
            out[f"shared_store.{width}"] = out.get(f"shared_store.{width}", 0) + gone
    return out


def _same(check: Check, before: Mapping[str, int], after: Mapping[str, int]) -> list[Reason]:
    changed = [c for c in sorted({*before, *after}) if before.get(c, 0) != after.get(c, 0)]
    if not changed:
        return []
    old, new = {c: before.get(c, 0) for c in changed}, {c: after.get(c, 0) for c in changed}
    if _as_global(old) == _as_global(new):
        words = ", ".join(f"{c} {old[c]} -> {new[c]}" for c in changed)
        return [Reason("generic-accesses", "the compiler knows in one of the two only that addresses are of global "
                                           f"memory: as many accesses, but other instructions ({words})")]
    return [_differs(check, old, new, sum(before.values()))]


def _as_global(counts: Mapping[str, int]) -> dict[str, int]:
    """Generic loads and stores counted as global ones of their width."""
    out: dict[str, int] = {}
    for c, n in counts.items():
        name = c.replace("generic_", "global_", 1) if c.startswith(("generic_load.", "generic_store.")) else c
        out[name] = out.get(name, 0) + n
    return {c: n for c, n in out.items() if n}


def _differs(check: Check, before: Mapping[str, int], after: Mapping[str, int], total: int) -> Reason:
    """``before`` and ``after`` have the classes that differ, ``total`` counts all that the check is about.

    A class that vanished or appeared changes what is measured; another number may still be the same work. Selections
    among the arithmetic come and go with how the compiler lays out branches.
    """
    words = ", ".join(f"{c} {before[c]} -> {after[c]}" for c in before)
    gone = sum(before.values()) if sum(after.values()) == 0 else 0
    lost = gone > (_FEW * total if set(check.classes) & set(ARITHMETIC) else 0)
    return Reason("static-counts-differ", f"{check.what} changed: {words}",
                  Verdict.INVALID if lost else Verdict.DEGRADED)


def _none(mutation: Mutation, check: Check, before: Mapping[str, int], after: Mapping[str, int],
          retained: Sequence[Note]) -> list[Reason]:
    left = sum(after.values())
    if not left:
        return []
    words = ", ".join(f"{c} {n}" for c, n in sorted(after.items()))
    if not retained:
        return [Reason("not-removed", f"{check.what} are left: {words}", Verdict.INVALID)]
    loads = {c: n for c, n in after.items() if c.split(".")[0] in ("global_load", "generic_load", "global_atomic",
                                                                    "generic_atomic", "texture", "async_copy")}
    if sum(loads.values()) != left:
        other = ", ".join(f"{c} {n}" for c, n in sorted(after.items()) if c not in loads)
        return [Reason("not-removed", f"{check.what} are left that are no retained loads: {other}", Verdict.INVALID)]
    total = sum(n for c, n in before.items() if c.split(".")[0] in ("global_load", "generic_load", "texture",
                                                                     "async_copy", "global_atomic", "generic_atomic"))
    share = left / total if total else 1.0
    barriers = " or kept barriers are made of them" if any(n.slug == "barrier-kept" for n in retained) else ""
    text = (f"{left} of {total} load instructions stay, because control flow or an index depends on them{barriers} "
            f"({share:.0%} of the code's loads)")
    severe = share > RETAINED_SHARE and mutation.id == "math-only"
    return [Reason("retained-loads", text, Verdict.DEGRADED if severe else Verdict.VALID)]
