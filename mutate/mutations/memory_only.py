"""memory-only: every global access stays, the arithmetic goes."""

from mutate.analysis.plans import Keep
from mutate.analysis.program import Program
from mutate.mutations.base import (
    ARITHMETIC,
    GLOBAL,
    SHARED,
    Check,
    Example,
    Mutation,
    Refused,
    Rewrite,
)
from mutate.mutations.slice_pieces import Style
from mutate.mutations.sliced import sliced_rewrite

_STYLE = Style("memory-only", Keep(loads=True, stores=True), guard_stores=False, sink="sink",
               dropped="no access needs it")


def transform(program: Program) -> Rewrite | Refused:
    return sliced_rewrite(program, _STYLE)


MUTATION = Mutation(
    id="memory-only",
    summary="only the global memory traffic: same addresses, widths and counts, no arithmetic",
    keeps="every global access with its address, width, cache operator, predicate and count; what addresses and "
          "control flow depend on",
    removes="arithmetic, shared memory and barriers that no address depends on",
    how="loaded bits are added to a sink, a store stores the sink; at the end of every thread a barrier that is never "
        "reached, because it depends on the sink, keeps the loads alive",
    transform=transform,
    checks=(
        Check("same", GLOBAL, "global accesses"),
    ),
    removed=(*SHARED, "barrier", *ARITHMETIC),
    seed="GTC 2010 Analysis-Driven Optimization, source modification",
    examples=(
        Example("applies",
                "__global__ void k(float *out, const float *in, int n) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (i >= n) return;\n"
                "    float x = in[i];\n"
                "    x = x * x + 1.0f;\n"
                "    out[i] = sqrtf(x);\n"
                "}\n",
                after=("km_fold(km_sink, in[i]);", "km_put(out[i], km_sink);", "if (i >= n) return;"),
                gone=("sqrtf(x);\n", "x = x * x + 1.0f;")),
        Example("applies",
                "__global__ void k(float *y, const int *row, const int *col, const float *a, const float *x, int n) {\n"
                "    int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (r < n) {\n"
                "        float sum = 0.0f;\n"
                "        for (int j = row[r]; j < row[r + 1]; j++) sum += a[j] * x[col[j]];\n"
                "        y[r] = sum;\n"
                "    }\n"
                "}\n",
                after=("for (int j = row[r]; j < row[r + 1]; j++) { km_fold(km_sink, a[j]); "
                       "km_fold(km_sink, x[col[j]]); }",),
                why="loads that feed a loop bound or an address stay as they are"),
        Example("applies",
                "__global__ void chase(int *out, const int *next, int steps) {\n"
                "    int at = threadIdx.x;\n"
                "    for (int j = 0; j < steps; j++) at = next[at];\n"
                "    out[threadIdx.x] = at;\n"
                "}\n",
                after=("at = km_keep(km_sink, next[at]);", "km_put(out[threadIdx.x], km_sink);"),
                why="a load that stays is folded too where nothing else that is left depends on it"),
        Example("applies",
                "struct Scaled {\n"
                "    const float *p; float factor;\n"
                "    __device__ float operator()(int i) const { return factor * p[i]; }\n"
                "};\n"
                "__global__ void k(float *out, Scaled in) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    out[i] = in(i) + 1.0f;\n"
                "}\n",
                after=("in.km_call(km_sink, i);", "km_fold(km_sink, p[i]);"),
                why="a member function gets a mutated copy in its class"),
        Example("rejects",
                "struct Source { virtual __device__ float get(int i) = 0; };\n"
                "struct Array : Source { const float *p; __device__ float get(int i) override { return p[i]; } };\n"
                "__global__ void k(float *out, const float *in) { Array a; a.p = in; out[threadIdx.x] = a.get(1); }\n",
                slug="opaque-call", why="which function a virtual call reaches is not followed"),
        Example("rejects", "__global__ void k(int n) { __shared__ float s[32]; s[threadIdx.x] = n; }\n",
                slug="no-global-access"),
        Example("rejects",
                "__device__ float fetch(const float *p, int i);\n"
                "__global__ void k(float *out, const float *in) { out[threadIdx.x] = fetch(in, threadIdx.x); }\n",
                slug="opaque-call"),
    ),
)
