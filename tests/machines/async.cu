// Asynchronous copies to shared memory, from rows of 16 to 512 bytes, beside reads of shared memory: what they take of L1's data
// pipe and of L2. Timed on a GPU and by the model of time, as patterns.cu.

#include <cuda_fp16.h>

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1 }; int src[1 << 24] = zeros(); int out[1 << 16] = zeros(); int rounds = 512;
   copied<512, 0, 0>(src, out, rounds); copied<128, 0, 0>(src, out, rounds); copied<64, 0, 0>(src, out, rounds); copied<32, 0, 0>(src, out, rounds); copied<16, 0, 0>(src, out, rounds);
   copied<512, 4, 0>(src, out, rounds); copied<128, 4, 0>(src, out, rounds); copied<64, 4, 0>(src, out, rounds); copied<32, 4, 0>(src, out, rounds); copied<16, 4, 0>(src, out, rounds);
   copied<512, 8, 0>(src, out, rounds); copied<64, 8, 0>(src, out, rounds); copied<32, 8, 0>(src, out, rounds); copied<16, 8, 0>(src, out, rounds);
   copied<512, 4, 1>(src, out, rounds); copied<64, 4, 1>(src, out, rounds); copied<32, 4, 1>(src, out, rounds);
   copied<512, 4, 2>(src, out, rounds); copied<64, 4, 2>(src, out, rounds); copied<32, 4, 2>(src, out, rounds); copied<16, 4, 2>(src, out, rounds);
   copied<512, 4, 3>(src, out, rounds); copied<128, 4, 3>(src, out, rounds); copied<32, 4, 3>(src, out, rounds); copied<16, 4, 3>(src, out, rounds);
   copied<512, 4, 4>(src, out, rounds); copied<32, 4, 4>(src, out, rounds);
   grid.x = 132;
   copied<512, 0, 0>(src, out, rounds); copied<128, 0, 0>(src, out, rounds); copied<64, 0, 0>(src, out, rounds); copied<32, 0, 0>(src, out, rounds); copied<16, 0, 0>(src, out, rounds);
   copied<512, 4, 0>(src, out, rounds); copied<128, 4, 0>(src, out, rounds); copied<64, 4, 0>(src, out, rounds); copied<32, 4, 0>(src, out, rounds); copied<16, 4, 0>(src, out, rounds);
   copied<512, 8, 0>(src, out, rounds); copied<64, 8, 0>(src, out, rounds); copied<32, 8, 0>(src, out, rounds); copied<16, 8, 0>(src, out, rounds);
   copied<512, 4, 1>(src, out, rounds); copied<32, 4, 1>(src, out, rounds);
   copied<512, 4, 2>(src, out, rounds); copied<64, 4, 2>(src, out, rounds); copied<32, 4, 2>(src, out, rounds); copied<16, 4, 2>(src, out, rounds);
   copied<512, 4, 3>(src, out, rounds); copied<32, 4, 3>(src, out, rounds);
   copied<512, 4, 4>(src, out, rounds); copied<32, 4, 4>(src, out, rounds);
   grid.x = 396;
   copied<512, 8, 0>(src, out, rounds); copied<64, 8, 0>(src, out, rounds); copied<32, 8, 0>(src, out, rounds); copied<16, 8, 0>(src, out, rounds);
   copied<32, 4, 0>(src, out, rounds); copied<32, 4, 2>(src, out, rounds); copied<32, 8, 2>(src, out, rounds);
*/
/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 132 }; int src[1 << 24] = zeros(); int out[1 << 16] = zeros(); int rounds = 512;
   copied<64, 0, 5>(src, out, rounds); copied<64, 4, 5>(src, out, rounds); copied<64, 0, 6>(src, out, rounds); copied<64, 4, 6>(src, out, rounds);
   grid.x = 660;
   copied<64, 0, 5>(src, out, rounds); copied<64, 4, 5>(src, out, rounds); copied<64, 0, 6>(src, out, rounds); copied<64, 4, 6>(src, out, rounds); copied<32, 0, 0>(src, out, rounds); copied<16, 0, 0>(src, out, rounds);
   grid.x = 1;
   copied<64, 0, 5>(src, out, rounds); copied<64, 0, 6>(src, out, rounds); copied<32, 0, 0>(src, out, rounds);
*/
// A warp copies rows of ROW bytes, 512 bytes of them, round after round, and has READS of 512 bytes of shared memory between.
// HOW: 0 around L1, 16 bytes a lane; 1 through L1; 2 by a load and a store; 3 through L1, 4 bytes a lane; 4 as 0, to places of shared
// memory 48 bytes apart; 5 as 0, both halves of lines, 16 bytes of each, the rest of them round after round; 6 the same of all SMs' lines.
template <int ROW, int READS, int HOW> __global__ void copied(const int *src, int *out, int rounds)
{
    extern __shared__ int unused[];
    __shared__ __align__(128) char stage[2][256 * (HOW == 4 ? 48 : 16)];
    __shared__ __align__(128) int read[1024];
    constexpr int LANE = HOW == 3 ? 4 : 16, PITCH = ROW < 64 ? 512 : 8 * ROW;
    const int byte = threadIdx.x * LANE, place = HOW >= 5 ? threadIdx.x / 2 * 128 + threadIdx.x % 2 * 64 : byte / ROW * PITCH + byte % ROW;
    const char *from = (const char *)src + (HOW == 6 ? 0 : 1) * (size_t)blockIdx.x % 264 * 131072 / (PITCH == 512 && ROW == 16 ? 1 : 2) % (1 << 25);
    unsigned to = (unsigned)__cvta_generic_to_shared(stage[0]) + (HOW == 4 ? threadIdx.x / 2 * 48 + threadIdx.x % 2 * 16 : byte);
    const unsigned where = (unsigned)__cvta_generic_to_shared(read) + threadIdx.x % 32 * 16 + threadIdx.x / 32 % 4 * 512;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) read[i] = i;
    __syncthreads();
    int sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const char *mine = from + place + (HOW >= 5 ? r % 4 * 16 + r / 4 % 8 * 8192 : r % 8 * (ROW < 64 ? 64 : ROW));
        const unsigned there = to + r % 2 * sizeof(stage[0]);
        if (HOW == 0 || HOW >= 4) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(there), "l"(mine) : "memory");
        else if (HOW == 1) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(there), "l"(mine) : "memory");
        else if (HOW == 3) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(there), "l"(mine) : "memory");
        else {
            int a, b, c, d;
            asm volatile("ld.global.cg.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(mine) : "memory");
            asm volatile("st.shared.v4.s32 [%0], {%1, %2, %3, %4};" :: "r"(there), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
        }
#pragma unroll
        for (int k = 0; k < READS; k++) {
            int a, b, c, d;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(where));
            sum += a + b + c + d;
        }
        if (HOW != 2) asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");
    }
    if (HOW != 2) asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (sum == 12345) out[threadIdx.x] = stage[0][threadIdx.x] + unused[0];
}
