"""Which counters are shown for a line of source, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mutate.sim.counters import Value

# (heading, counters whose sum it is).
LINE_COLUMNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ld sect", ("global_load_sectors", "global_copy_sectors")),
    ("st sect", ("global_store_sectors", "global_atomic_sectors", "global_reduction_sectors")),
    ("smem wf", ("shared_load_wavefronts", "shared_store_wavefronts", "shared_copy_wavefronts",
                 "shared_atomic_wavefronts")),
    ("confl", ("shared_load_bank_conflicts", "shared_store_bank_conflicts", "shared_copy_bank_conflicts",
               "shared_atomic_bank_conflicts")),
    ("local", ("local_load_sectors", "local_store_sectors")),
    ("diverg", ("divergent_branches",)),
)


def total(values: Mapping[str, Value], names: Sequence[str]) -> int:
    return sum(int(values[n] or 0) for n in names)


def short(count: int) -> str:
    """At most seven characters, so that many columns fit."""
    if count < 100_000:
        return f"{count:,}" if count else "."
    return f"{count / 1e3:,.0f}k" if count < 10_000_000 else f"{count / 1e6:,.0f}M"
