"""Runs originals and variants on the simulator and adds what that shows to their certificates."""

from __future__ import annotations

import time
from collections.abc import Mapping

from mutate.dynamic import simulate_all, with_dynamic, without_dynamic
from mutate.model import Certificate
from mutate.pipeline.again import made_again
from mutate.pipeline.binaries import work_binaries
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
    found = work_binaries(prover, index, work, static)
    first, rest = simulate_all(found.original, found.variants, work.target.launches, default_cache(), prover.progress)
    mutations = {c.name: c.mutations for c in work.candidates}
    out = {name: with_dynamic(c, mutations[name], first, rest.get(name)) for name, c in static.items()}
    again = made_again(prover, index, work, out, default_cache())
    return {name: again[name][1] if name in again else c for name, c in out.items()}
