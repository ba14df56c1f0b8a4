"""Tables of what came of a project's kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

Record = dict[str, Any]
MAIN = ("memory-only", "store-only", "math-only")


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({100 * part / whole:.1f} %)" if whole else "0/0"


def _name(record: Record) -> str:
    instance = f"<{record['instance']}>" if record["instance"] else ""
    return f"{record['file']}:{record['kernel']}{instance}"


def variants(records: Sequence[Record]) -> Iterator[tuple[Record, str, Record]]:
    """(kernel, mutation, variant) of all kernels that compile."""
    for r in records:
        if r["outcome"] == "done":
            for name, v in r["variants"].items():
                yield r, name, v


def table(name: str, records: Sequence[Record]) -> str:
    """All figures of one project, as text."""
    done = [r for r in records if r["outcome"] == "done"]
    outcomes = Counter(r["outcome"] for r in records)
    everything = list(variants(records))
    made = [v for _, _, v in everything if v["outcome"] != "refused"]
    certified = [v for v in made if v["outcome"] == "ok"]
    verdicts = Counter(v.get("verdict", "none") for v in certified)
    out = [f"{name}: {len(records)} kernels; " + ", ".join(f"{o} {n}" for o, n in outcomes.most_common())]
    for mutation in MAIN:
        ok = sum(r["variants"].get(mutation, {}).get("outcome") == "ok" for r in done)
        out.append(f"  {mutation:<12} ok {_share(ok, len(done))}")
    all_three = sum(all(r["variants"].get(m, {}).get("outcome") == "ok" for m in MAIN) for r in done)
    out.append(f"  all three    ok {_share(all_three, len(done))}")
    out.append(f"  variants made {len(made)}, of {len(everything)}: VALID {_share(verdicts['VALID'], len(made))}, "
               f"DEGRADED {verdicts['DEGRADED']}, INVALID {verdicts['INVALID']}, "
               f"not compiled {len(made) - len(certified)}")
    out += _by_mutation(everything)
    out += ["  refusals:", *_by_slug(everything)]
    out += ["  reasons against certificates:", *_by_reason(everything)]
    slowest = sorted(records, key=lambda r: -float(r["seconds"].get("all", 0.0)))[:5]
    out += ["  slowest:", *(f"    {r['seconds'].get('all', 0.0):7.1f} s (parse {r['seconds'].get('parse', 0.0):.2f}, "
                            f"mutate {r['seconds'].get('mutate', 0.0):.2f}) {_name(r)}, {r['lines']} lines"
                            for r in slowest)]
    mutated = sorted(records, key=lambda r: -_front(r))[:5]
    out += ["  slowest to parse and mutate:", *(f"    {_front(r):7.2f} s {_name(r)}, {r['lines']} lines"
                                                for r in mutated)]
    for outcome in ("traceback", "hang", "slow-compile", "error"):
        for r in records:
            if r["outcome"] == outcome:
                out.append(f"  {outcome}: {_name(r)}: {r['slug']}: {r['why'].strip().splitlines()[-1]}")
    return "\n".join(out)


def _front(record: Record) -> float:
    return float(record["seconds"].get("parse", 0.0)) + float(record["seconds"].get("mutate", 0.0))


def _by_mutation(everything: Sequence[tuple[Record, str, Record]]) -> Iterator[str]:
    for mutation in dict.fromkeys(m for _, m, _ in everything):
        mine = [v for _, m, v in everything if m == mutation]
        counted = Counter("refused" if v["outcome"] == "refused" else v.get("verdict", "not compiled") for v in mine)
        yield f"    {mutation:<20}" + ", ".join(f"{k} {n}" for k, n in counted.most_common())


def _by_slug(everything: Sequence[tuple[Record, str, Record]]) -> Iterator[str]:
    counted = Counter((v["slug"], m) for _, m, v in everything if v["outcome"] == "refused")
    slugs = Counter(v["slug"] for _, _, v in everything if v["outcome"] == "refused")
    for slug, n in slugs.most_common():
        yield f"    {n:>5} {slug}: " + ", ".join(f"{m} {c}" for (s, m), c in counted.most_common() if s == slug)


def _by_reason(everything: Sequence[tuple[Record, str, Record]]) -> Iterator[str]:
    counted: Counter[tuple[str, str]] = Counter()
    for _, _, v in everything:
        if v["outcome"] == "compile-failed":
            counted["compile-failed", "-"] += 1
        counted.update({(slug, severity) for slug, severity, _ in v.get("reasons", ())})
    for (slug, severity), n in counted.most_common():
        yield f"    {n:>5} {slug} ({severity})"


def listing(records: Sequence[Record], slug: str) -> Iterator[str]:
    """Kernels and variants with a refusal or a reason of this slug."""
    for r, mutation, v in variants(records):
        if v.get("slug") == slug:
            yield f"    {_name(r)} {mutation}: {v['why']}"
        for s, severity, text in v.get("reasons", ()):
            if s == slug:
                yield f"    {_name(r)} {mutation} {severity}: {text}"


def not_compiled(records: Sequence[Record]) -> Iterator[str]:
    """Kernels whose original does not compile, with the compiler's reason."""
    for r in records:
        if r["outcome"] == "not-compiled":
            yield f"    {_name(r)}: {r['why'].strip().splitlines()[0]}"
