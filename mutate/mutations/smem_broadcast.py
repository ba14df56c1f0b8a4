"""smem-broadcast: shared accesses that are broadcasts."""

from mutate.analysis.program import Program
from mutate.mutations.banks import bank_rewrite
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


def transform(program: Program) -> Rewrite | Refused:
    return bank_rewrite(program, "smem-broadcast", "(km_linear_thread() / 32u)",
                        "The index becomes that of the warp, the same for all its lanes: a broadcast")


MUTATION = Mutation(
    id="smem-broadcast",
    summary="shared accesses that are broadcasts: one index for the whole warp",
    keeps="the number of shared accesses and the index arithmetic",
    removes="bank conflicts",
    how="the index becomes the warp's number, wrapped into the array's range, plus (index & km_flag): unknown to the "
        "compiler, so no value stays in a register that did not before",
    transform=transform,
    checks=(
        Check("same", SHARED, "shared accesses", addresses=False),
        Check("same", (*GLOBAL, "barrier"), "global accesses and barriers"),
        Check("same", ARITHMETIC, "arithmetic"),
    ),
    stage=2,
    seed="GTC 2010 Analysis-Driven Optimization, serialization: analysis with modified code",
    examples=(
        Example("applies",
                "__global__ void k(float *out, const float *in) {\n"
                "    __shared__ float s[32][32];\n"
                "    s[threadIdx.y][threadIdx.x] = in[threadIdx.x];\n"
                "    __syncthreads();\n"
                "    out[threadIdx.x] = s[threadIdx.x][threadIdx.y];\n"
                "}\n",
                after=("km_bank(s, (unsigned)sizeof(s), &s[threadIdx.x][threadIdx.y])",
                       "(km_linear_thread() / 32u) & mask")),
        Example("applies",
                "__global__ void k(float *out, const float2 *in) {\n"
                "    __shared__ float2 s[64];\n"
                "    s[threadIdx.x] = in[threadIdx.x];\n"
                "    __syncthreads();\n"
                "    out[threadIdx.x] = s[threadIdx.x ^ 1].x + s[threadIdx.x ^ 1].y;\n"
                "}\n",
                after=("&s[threadIdx.x ^ 1]).x + km_bank(", "&s[threadIdx.x ^ 1]).y;"),
                why="two members of one vector stay beside each other: they are one wide access"),
        Example("rejects", "__global__ void k(float *p) { p[threadIdx.x] += 1.0f; }\n", slug="no-shared-access"),
        Example("rejects",
                "__global__ void k(double *out, const int *in) {\n"
                "    __shared__ double sum[256];\n"
                "    sum[threadIdx.x] = 0.0;\n"
                "    __syncthreads();\n"
                "    atomicAdd(&sum[in[threadIdx.x] & 255], 1.0);\n"
                "    __syncthreads();\n"
                "    out[threadIdx.x] = sum[threadIdx.x];\n"
                "}\n",
                slug="shared-atomic-loop",
                why="one index for the whole warp would make its threads wait for each other"),
    ),
)
