"""store-only: the stores and what their addresses need."""

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

_STYLE = Style("store-only", Keep(loads=False, stores=True), guard_stores=False, sink="plain-sink",
               dropped="no store needs it")


def transform(program: Program) -> Rewrite | Refused:
    return sliced_rewrite(program, _STYLE)


MUTATION = Mutation(
    id="store-only",
    summary="only the global stores and what their addresses need",
    keeps="every global store and atomic with its address, width, cache operator, predicate and count",
    removes="loads, arithmetic, shared memory and barriers that no store address depends on",
    how="a store stores a register; loads that a store address or the control flow depends on stay and are listed",
    transform=transform,
    checks=(
        Check("same", GLOBAL_STORES, "global stores"),
        Check("same-sum", GLOBAL_UPDATES, "global atomics"),
        Check("none", GLOBAL_LOADS, "global loads"),
    ),
    removed=(*GLOBAL_LOADS, *SHARED, "barrier", *ARITHMETIC),
    seed="GTC 2010 Analysis-Driven Optimization, source modification",
    examples=(
        Example("applies",
                "__global__ void k(float *out, const float *in, int n) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    float x = in[i];\n"
                "    if (i < n) out[i] = 2.0f * x;\n"
                "}\n",
                after=("km_put(out[i], km_sink);",), gone=("float x = in[i];",)),
        Example("applies",
                "__global__ void scatter(float *out, const float *in, const int *to) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    int j = to[i];\n"
                "    out[j] = in[i];\n"
                "}\n",
                after=("int j = to[i];", "km_put(out[j], km_sink);"), gone=("= in[i]",)),
        Example("rejects", "__global__ void k(const float *in) { __shared__ float s[32]; s[threadIdx.x] = in[0]; }\n",
                slug="no-global-access"),
    ),
)
