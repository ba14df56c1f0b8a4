"""Runs originals and variants on the simulator and adds what that shows to their certificates."""

from __future__ import annotations

import time
from collections.abc import Mapping

from mutate.dynamic import Binary, simulate_all, with_dynamic, without_dynamic
from mutate.model import Certificate
from mutate.pipeline.prove import Prover, Work
from mutate.toolchain.cache import default_cache

Certificates = dict[int, dict[str, Certificate]]
_NO_LAUNCH = ("not run: the file declares no launch of this kernel (add a /* kmutate launch ... */ comment, or give "
              "--launch FILE)")


def add_dynamic(prover: Prover, certificates: Certificates) -> Certificates:
    """The certificates with their dynamic part; ``seconds["simulate"]`` of the prover is set."""
    start = time.perf_counter()
    out: Certificates = {}
    total = sum(1 for i, w in enumerate(prover.works) if certificates[i] and w.target.launches)
    for i, work in enumerate(prover.works):
        if certificates[i] and work.target.launches:
            prover.progress("simulating", len([d for d in out.values() if d]), total)
        out[i] = _one(prover, i, work, certificates[i])
    prover.seconds["simulate"] = time.perf_counter() - start
    return out


def _one(prover: Prover, index: int, work: Work, static: Mapping[str, Certificate]) -> dict[str, Certificate]:
    if not static:
        return {}
    if not work.target.launches:
        return {name: without_dynamic(c, _NO_LAUNCH) for name, c in static.items()}
    assert work.original is not None  # certificates exist
    original = Binary(work.original.cubin, work.original.entry, prover.listings[index, None])
    variants = {}
    for c in work.candidates:
        if c.name in static and c.compiled is not None:
            plan = static[c.name].occupancy
            variants[c.name] = Binary(c.compiled.cubin, c.compiled.entry, prover.listings[index, c.name],
                                      plan.dynamic_smem_pad if plan is not None else 0)
    first, rest = simulate_all(original, variants, work.target.launches, default_cache(), prover.progress)
    mutations = {c.name: c.mutations for c in work.candidates}
    return {name: with_dynamic(c, mutations[name], first, rest.get(name)) for name, c in static.items()}
