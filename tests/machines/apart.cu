// Lanes that store several runs of elements, one after another or by turns: what waits while others are stored. Timed on a GPU
// and by the model of time, as patterns.cu.

#include <cuda_fp16.h>

/* kmutate launch
   int n = 1 << 23; dim3 block = { 128 }; dim3 grid = { n / 128 / 8 }; float out[n] = zeros();
   lane_turns<float, 2, 4, 0>(out); lane_turns<float, 4, 2, 0>(out); lane_turns<float, 2, 4, 1>(out); lane_turns<float, 4, 2, 1>(out); lane_turns<float, 8, 1, 0>(out);
   block.x = 256; grid.x = n / 256 / 8;
   lane_turns<float, 2, 4, 0>(out); lane_turns<float, 4, 2, 0>(out); lane_turns<float, 2, 4, 1>(out); lane_turns<float, 4, 2, 1>(out); lane_turns<float, 8, 1, 0>(out);
   grid.x = n / 256 / 4; lane_turns<float, 2, 2, 0>(out); lane_turns<float, 2, 2, 1>(out);
   grid.x = n / 256 / 16; lane_turns<float, 8, 2, 0>(out); lane_turns<float, 2, 8, 0>(out); lane_turns<float, 4, 4, 0>(out); lane_turns<float, 4, 4, 1>(out);
   block.x = 32; grid.x = n / 32 / 8;
   lane_turns<float, 2, 4, 0>(out); lane_turns<float, 4, 2, 0>(out); lane_turns<float, 2, 4, 1>(out); lane_turns<float, 4, 2, 1>(out);
   grid.x = n / 32 / 4; lane_turns<float, 2, 2, 0>(out); lane_turns<float, 2, 2, 1>(out);
   block.x = 64; grid.x = n / 64 / 8;
   lane_turns<float, 2, 4, 0>(out); lane_turns<float, 4, 2, 0>(out); lane_turns<float, 2, 4, 1>(out); lane_turns<float, 4, 2, 1>(out);
*/
/* kmutate launch
   int n = 1 << 24; dim3 block = { 128 }; dim3 grid = { n / 128 / 4 }; half out[n] = zeros();
   lane_turns<half, 2, 2, 0>(out); lane_turns<half, 2, 2, 1>(out);
   grid.x = n / 128 / 8; lane_turns<half, 2, 4, 0>(out); lane_turns<half, 2, 4, 1>(out); lane_turns<half, 4, 2, 0>(out); lane_turns<half, 4, 2, 1>(out);
   block.x = 256; grid.x = n / 256 / 4; lane_turns<half, 2, 2, 0>(out); lane_turns<half, 2, 2, 1>(out);
   grid.x = n / 256 / 8; lane_turns<half, 2, 4, 0>(out); lane_turns<half, 2, 4, 1>(out); lane_turns<half, 4, 2, 0>(out); lane_turns<half, 4, 2, 1>(out);
*/
// A lane has SETS runs of EACH elements, the warp's runs of a set lie side by side: run after run or, with TURNS, the first
// of each run, then the second of each. Values differ, else ptxas takes stores of one value together.
template <typename T, int SETS, int EACH, int TURNS> __global__ void lane_turns(T *out)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    T *mine = out + warp * 32 * SETS * EACH + lane * EACH;
    unsigned x = threadIdx.x;
#pragma unroll
    for (int i = 0; i < SETS * EACH; i++) {
        const int s = TURNS ? i % SETS : i / EACH, k = TURNS ? i / SETS : i % EACH;
        x = x * 5u + 1u;
        if (sizeof(T) == 4) asm volatile("st.global.u32 [%0], %1;" :: "l"(mine + s * 32 * EACH + k), "r"(x) : "memory");
        else asm volatile("st.global.u16 [%0], %1;" :: "l"(mine + s * 32 * EACH + k), "h"((unsigned short)x) : "memory");
    }
}

/* kmutate launch
   int n = 1 << 23; dim3 block = { 32 }; dim3 grid = { n / 256 }; float out[n] = zeros();
   lane_quads<0, 0>(out); lane_quads<0, 8>(out); lane_quads<0, 32>(out); lane_quads<1, 0>(out); lane_quads<1, 8>(out); lane_quads<1, 32>(out);
   lane_quads<2, 0>(out); lane_quads<2, 8>(out); lane_quads<2, 32>(out);
   block.x = 128; grid.x = n / 1024;
   lane_quads<0, 0>(out); lane_quads<0, 2>(out); lane_quads<0, 4>(out); lane_quads<0, 8>(out); lane_quads<0, 16>(out); lane_quads<0, 32>(out);
   lane_quads<1, 0>(out); lane_quads<1, 2>(out); lane_quads<1, 4>(out); lane_quads<1, 8>(out); lane_quads<1, 16>(out); lane_quads<1, 32>(out);
   lane_quads<2, 0>(out); lane_quads<2, 8>(out); lane_quads<2, 32>(out);
   block.x = 256; grid.x = n / 2048;
   lane_quads<0, 0>(out); lane_quads<0, 8>(out); lane_quads<0, 32>(out); lane_quads<1, 0>(out); lane_quads<1, 8>(out); lane_quads<1, 32>(out);
*/
// A lane has two runs of four words, stored by turns, GAP additions in a row between: WHERE 0 the warp's first runs lie side by
// side, and the second behind them, 1 lines of either by turns, 2 pairs of lines.
template <int WHERE, int GAP> __global__ void lane_quads(float *out)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const int eight = lane / 8, far = WHERE == 0 ? 128 : WHERE == 1 ? 32 : 64;
    const int line = WHERE == 0 ? eight : WHERE == 1 ? 2 * eight : eight / 2 * 4 + eight % 2;
    float *mine = out + warp * 256 + 32 * line + lane % 8 * 4, x = float(threadIdx.x);
#pragma unroll
    for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int k = 0; k <= GAP; k++) asm volatile("add.f32 %0, %0, 0f3F800000;" : "+f"(x));
        asm volatile("st.global.f32 [%0], %1;" :: "l"(mine + (i & 1 ? far : 0) + i / 2), "f"(x) : "memory");
    }
}
