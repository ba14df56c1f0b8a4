"""load-only: as memory-only, without the stores."""

from mutate.analysis.plans import Keep
from mutate.analysis.program import Program
from mutate.mutations.base import (
    ARITHMETIC,
    GLOBAL_LOADS,
    GLOBAL_STORES,
    GLOBAL_UPDATES,
    SHARED,
    Check,
    Example,
    Mutation,
    Refused,
    Rewrite,
)
from mutate.mutations.slice_pieces import Style
from mutate.mutations.sliced import sliced_rewrite

_STYLE = Style("load-only", Keep(loads=True, stores=True), guard_stores=True, sink="sink",
               dropped="no access needs it")


def transform(program: Program) -> Rewrite | Refused:
    return sliced_rewrite(program, _STYLE)


MUTATION = Mutation(
    id="load-only",
    summary="only the global loads: as memory-only, the stores never happen",
    keeps="every global load with its address, width, cache operator, predicate and count",
    removes="arithmetic, shared memory, barriers that no address depends on, and the stores",
    how="as memory-only; a store is guarded by a condition on its address that never holds",
    transform=transform,
    checks=(
        Check("same", GLOBAL_LOADS, "global loads"),
        Check("none", (*GLOBAL_STORES, *GLOBAL_UPDATES), "global stores"),
    ),
    removed=(*GLOBAL_STORES, *GLOBAL_UPDATES, *SHARED, "barrier", *ARITHMETIC),
    examples=(
        Example("applies",
                "__global__ void k(float *out, const float *in, int n) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (i < n) out[i] = 2.0f * in[i];\n"
                "}\n",
                after=("km_fold(km_sink, in[i]);", "km_put(out[i], km_sink);", "km_never_at(&site)"),
                gone=("2.0f * in[i];",)),
        Example("rejects", "__global__ void k(int n) { __shared__ float s[32]; s[threadIdx.x] = n; }\n",
                slug="no-global-access"),
    ),
)
