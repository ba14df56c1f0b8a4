"""All mutations, found by their files: a module of this package with a ``MUTATION`` is one."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from mutate.errors import KmutateError, nearest
from mutate.mutations.base import Mutation

# The order in which people think of them; a new mutation comes last.
_ORDER = ("identity", "memory-only", "load-only", "store-only", "math-only", "no-sync", "smem-conflict-free",
          "smem-broadcast")


@cache
def all_mutations() -> dict[str, Mutation]:
    """Mutations by id, in display order."""
    found: dict[str, Mutation] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        mutation = getattr(importlib.import_module(f"mutate.mutations.{module.name}"), "MUTATION", None)
        if isinstance(mutation, Mutation):
            found[mutation.id] = mutation
    order = {id_: i for i, id_ in enumerate(_ORDER)}
    return dict(sorted(found.items(), key=lambda kv: (order.get(kv[0], len(order)), kv[0])))


def parse_composition(text: str) -> tuple[Mutation, ...]:
    """The mutations of ``memory-only+no-sync``, in the order in which they are applied.

    ``KmutateError``: ``unknown-mutation`` with the nearest name, ``bad-composition`` for two of one stage.
    """
    known = all_mutations()
    parts: list[Mutation] = []
    for name in (p.strip() for p in text.split("+")):
        if name not in known:
            near = nearest(name, known)
            raise KmutateError("unknown-mutation", f"no mutation is called '{name}'",
                               hint=f"did you mean '{near}'? " * bool(near) + "see `kmutate list mutations`")
        parts.append(known[name])
    parts = [p for p in parts if p.id != "identity"] or parts[:1]
    by_stage: dict[int, str] = {}
    for p in parts:
        if p.stage in by_stage:
            raise KmutateError("bad-composition", f"'{by_stage[p.stage]}' and '{p.id}' cannot be composed: both decide "
                                                  "the same thing", hint="compose one of memory-only, load-only, "
                               "store-only, math-only with no-sync and one of the smem-* mutations")
        by_stage[p.stage] = p.id
    return tuple(sorted(parts, key=lambda p: p.stage))
