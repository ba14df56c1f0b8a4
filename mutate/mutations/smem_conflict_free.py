"""smem-conflict-free: shared accesses without bank conflicts."""

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
    return bank_rewrite(program, "smem-conflict-free", "km_linear_thread()",
                        "The index becomes the thread's linear id, wrapped into the array: no bank conflicts")


MUTATION = Mutation(
    id="smem-conflict-free",
    summary="shared accesses without bank conflicts: each thread at its own index",
    keeps="the number of shared accesses and the index arithmetic",
    removes="bank conflicts",
    how="the index becomes the thread's linear id, wrapped into the array's range, plus (index & km_flag): unknown to "
        "the compiler, so no value stays in a register that did not before",
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
                after=("km_bank(s, (unsigned)sizeof(s), &s[threadIdx.x][threadIdx.y])", "+ blockDim.x * (threadIdx.y")),
        Example("applies",
                "struct Tile {\n"
                "    float *s;\n"
                "    __device__ float at(int i) const { return s[i]; }\n"
                "};\n"
                "__global__ void k(float *out, const float *in) {\n"
                "    __shared__ float s[256];\n"
                "    Tile tile{s};\n"
                "    s[threadIdx.x] = in[threadIdx.x];\n"
                "    __syncthreads();\n"
                "    out[threadIdx.x] = tile.at(threadIdx.x * 2 % 256);\n"
                "}\n",
                after=("return km_bank(km_s, km_s_bytes, &s[i]);", "tile.at_km(s, (unsigned)sizeof(s), threadIdx.x"),
                why="a member function gets a mutated copy in its class, and the array that it does not see"),
        Example("applies",
                "__global__ void k(int *out, const int *in) {\n"
                "    __shared__ int hist[256];\n"
                "    hist[threadIdx.x] = 0;\n"
                "    __syncthreads();\n"
                "    atomicAdd(&hist[in[threadIdx.x] & 255], 1);\n"
                "    __syncthreads();\n"
                "    out[threadIdx.x] = hist[threadIdx.x];\n"
                "}\n",
                after=("atomicAdd((decltype(&*(&hist[in[threadIdx.x] & 255])))&km_bank(hist, ",),
                why="an atomic of 32-bit integers is one instruction, wherever it goes"),
        Example("rejects", "__global__ void k(float *p) { p[threadIdx.x] += 1.0f; }\n", slug="no-shared-access"),
        Example("rejects",
                "__global__ void k(float *out, const int *in) {\n"
                "    __shared__ float sum[256];\n"
                "    sum[threadIdx.x] = 0.0f;\n"
                "    __syncthreads();\n"
                "    atomicAdd(&sum[in[threadIdx.x] & 255], 1.0f);\n"
                "    __syncthreads();\n"
                "    out[threadIdx.x] = sum[threadIdx.x];\n"
                "}\n",
                slug="shared-atomic-loop",
                why="no GPU adds floats in shared memory in one instruction: it tries again while threads meet"),
    ),
)
