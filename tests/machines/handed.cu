// Arithmetic that its pipe is the limit of, and shuffles or loads of shared memory among it, one by one or together: what handing
// registers over to another unit takes of the slots to issue. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int out[1 << 20] = zeros(); int rounds = 400;
   dim3 block = { 512 }; dim3 grid = { 528 };
   among<0, 16, 0, 0>(out, rounds); among<0, 16, 2, 0>(out, rounds); among<0, 16, 2, 1>(out, rounds); among<0, 16, 4, 0>(out, rounds); among<0, 16, 4, 1>(out, rounds);
   among<0, 8, 4, 0>(out, rounds); among<0, 8, 4, 1>(out, rounds); among<0, 32, 8, 0>(out, rounds); among<0, 32, 8, 1>(out, rounds);
   among<1, 16, 0, 0>(out, rounds); among<1, 16, 2, 0>(out, rounds); among<1, 16, 2, 1>(out, rounds); among<1, 16, 4, 0>(out, rounds); among<1, 16, 4, 1>(out, rounds);
   among<2, 16, 0, 0>(out, rounds); among<2, 16, 2, 0>(out, rounds); among<2, 16, 2, 1>(out, rounds); among<2, 16, 4, 0>(out, rounds); among<2, 16, 4, 1>(out, rounds);
   block.x = 128; grid.x = 132;
   among<0, 16, 4, 0>(out, rounds); among<0, 16, 4, 1>(out, rounds); among<1, 16, 4, 0>(out, rounds); among<2, 16, 4, 0>(out, rounds);
   block.x = 256; grid.x = 264;
   among<0, 16, 4, 0>(out, rounds); among<0, 16, 4, 1>(out, rounds); among<1, 16, 4, 0>(out, rounds); among<2, 16, 4, 0>(out, rounds);
*/
// In each round SUMS smallest or largest numbers (KIND 0), exclusive ors of three (1) or products and sums (2), and SHUFFLES, one behind
// the other (TOGETHER) or spread.
template <int KIND> __device__ int made(int x, int y, int z)
{
    if (KIND == 0) return min(max(x, y), z);
    if (KIND == 1) return x ^ y ^ z;
    return __float_as_int(__int_as_float(x) * __int_as_float(y) + __int_as_float(z));
}
template <int KIND, int SUMS, int SHUFFLES, int TOGETHER> __global__ void among(int *out, int rounds)
{
    int v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = threadIdx.x * (k + 3);
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        if (TOGETHER)
#pragma unroll
            for (int s = 0; s < SHUFFLES; s++) v[s % 8] = __shfl_xor_sync(0xffffffffu, v[s % 8], 1 + s);
#pragma unroll
        for (int k = 0; k < SUMS; k++) {
            if (!TOGETHER && SHUFFLES > 0 && k % (SUMS / (SHUFFLES ? SHUFFLES : 1)) == 0)
                v[k % 8] = __shfl_xor_sync(0xffffffffu, v[k % 8], 1 + k);
            v[k % 8] = made<KIND>(v[k % 8], v[(k + 3) % 8], v[(k + 5) % 8]);
        }
    }
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum ^= v[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   int out[1 << 20] = zeros(); int rounds = 400; int zero = 0;
   dim3 block = { 512 }; dim3 grid = { 528 };
   beside<0, 0>(out, rounds, zero); beside<1, 0>(out, rounds, zero); beside<2, 0>(out, rounds, zero); beside<3, 0>(out, rounds, zero); beside<4, 0>(out, rounds, zero); beside<5, 0>(out, rounds, zero); beside<6, 0>(out, rounds, zero); beside<7, 0>(out, rounds, zero); beside<8, 0>(out, rounds, zero);
   beside<0, 2>(out, rounds, zero); beside<1, 2>(out, rounds, zero); beside<2, 2>(out, rounds, zero); beside<3, 2>(out, rounds, zero); beside<4, 2>(out, rounds, zero); beside<5, 2>(out, rounds, zero); beside<6, 2>(out, rounds, zero); beside<7, 2>(out, rounds, zero); beside<8, 2>(out, rounds, zero);
*/
// Twelve sums of a KIND and two others of what: 0 none, 1 a shuffle by an index, 2 a store to shared memory, 3 a load from it, 4 a store of
// 16 bytes, 5 a store that a predicate may leave out, 6 a reciprocal, 7 a count of bits, 8 a branch that is not taken.
template <int WHAT, int KIND> __global__ void beside(int *out, int rounds, int zero)
{
    __shared__ int4 room[512];
    int *const words = (int *)room;
    int v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = threadIdx.x * (k + 3);
    const int lane = (threadIdx.x + zero) % 32, mine = threadIdx.x + zero;
    const unsigned at = (unsigned)__cvta_generic_to_shared(words) + mine * 4, wide = (unsigned)__cvta_generic_to_shared(words) + mine * 16;
    words[mine] = mine;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 12; k++) {
            if (k % 6 == 0) {
                if (WHAT == 1) v[k % 8] = __shfl_sync(0xffffffffu, v[k % 8], lane ^ (k + 1));
                if (WHAT == 2) asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(v[k % 8]) : "memory");
                if (WHAT == 3) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[k % 8]) : "r"(at) : "memory");
                if (WHAT == 4) asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" :: "r"(wide), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
                if (WHAT == 5 && v[k % 8] == 12345) words[mine] = v[(k + 1) % 8];
                if (WHAT == 6) v[k % 8] = __float_as_int(__frcp_rn(__int_as_float(v[k % 8])));
                if (WHAT == 7) v[k % 8] = __popc(v[k % 8]);
                if (WHAT == 8 && __all_sync(0xffffffffu, v[k % 8] == 12345)) v[(k + 1) % 8] = out[mine + r];
            }
            v[k % 8] = made<KIND>(v[k % 8], v[(k + 3) % 8], v[(k + 5) % 8]);
        }
    }
    int sum = words[mine];
#pragma unroll
    for (int k = 0; k < 8; k++) sum ^= v[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
