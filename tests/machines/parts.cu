// What a GPU has not been asked yet: stores of whole sectors and of parts in lines of their own, and how long L2 keeps parts of
// sectors of which nobody writes the rest. To be timed as stores.cu, with ncu's sectors of DRAM.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 512 };
   int out[1 << 25] = zeros();
   group_stores<1>(out, 100, 32); group_stores<2>(out, 100, 32); group_stores<4>(out, 100, 32); group_stores<8>(out, 100, 32);
   group_stores<16>(out, 100, 32); group_stores<8>(out, 100, 64); group_stores<8>(out, 100, 8); group_stores<4>(out, 100, 8);
   group_stores<4>(out, 100, 16); group_stores<2>(out, 100, 8); group_stores<1>(out, 100, 8); group_stores<1>(out, 100, 16);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 256 };
   int out[1 << 25] = zeros();
   group_stores<1>(out, 200, 32); group_stores<2>(out, 200, 32); group_stores<4>(out, 200, 32); group_stores<8>(out, 200, 32);
   group_stores<16>(out, 200, 32); group_stores<8>(out, 200, 64); group_stores<8>(out, 200, 8); group_stores<4>(out, 200, 8);
   group_stores<4>(out, 200, 16); group_stores<2>(out, 200, 8); group_stores<1>(out, 200, 8); group_stores<1>(out, 200, 16);
*/
// Groups of W lanes write W words side by side, groups lie `stride` words apart: whole sectors and parts of them, in lines.
template <int W> __global__ void group_stores(int *out, int steps, int stride)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int *to = out + (size_t)warp * 4096 + lane / W * stride + lane % W;
#pragma unroll 4
    for (int k = 0; k < steps; k++) asm volatile("st.global.u32 [%0], %1;" :: "l"(to + k % 2 * 2048), "r"(k));
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 64 };
   int out[1 << 26] = zeros();
   slow_rows(out, 32, 0); slow_rows(out, 32, 256); slow_rows(out, 32, 1024); slow_rows(out, 32, 4096);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   slow_rows(out, 32, 0); slow_rows(out, 32, 256); slow_rows(out, 32, 1024); slow_rows(out, 32, 4096);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[1 << 26] = zeros();
   slow_rows(out, 32, 0); slow_rows(out, 32, 256); slow_rows(out, 32, 1024);
*/
/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 1024 };
   int out[1 << 27] = zeros();
   slow_rows(out, 32, 0); slow_rows(out, 32, 256); slow_rows(out, 32, 1024);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 320 };
   int out[1 << 26] = zeros();
   slow_rows(out, 32, 0); block.x = 384; slow_rows(out, 32, 0); block.x = 448; slow_rows(out, 32, 0); block.x = 512; slow_rows(out, 32, 0);
   block.x = 576; slow_rows(out, 32, 0); block.x = 640; slow_rows(out, 32, 0); block.x = 768; slow_rows(out, 32, 0); block.x = 896; slow_rows(out, 32, 0);
*/
// Each lane writes a line of its own, a word after another, with arithmetic between: how long L2 keeps parts of sectors.
__global__ void slow_rows(int *out, int steps, int gap)
{
    int *row = out + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 256;
    float x = threadIdx.x;
    for (int k = 0; k < steps; k++) {
        for (int g = 0; g < gap; g++) x = x * 0.5f + 1;
        asm volatile("st.global.u32 [%0], %1;" :: "l"(row + k), "r"(__float_as_int(x)));
    }
}

/* kmutate launch
   int n = 1 << 22; dim3 block = { 256 }; dim3 grid = { n / 256 };
   int out[1 << 26] = zeros();
   wide_pairs<1>((int4 *)out, n); wide_pairs<2>((int4 *)out, n); wide_pairs<4>((int4 *)out, n);
*/
// A thread writes some sixteen bytes side by side, one after another.
template <int EACH> __global__ void wide_pairs(int4 *out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(out + (size_t)i * EACH + k), "r"(k));
}

/* kmutate launch
   int n = 4096; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   int out[n * n] = zeros(); int in[n * n] = zeros();
   sparse_stores<0>(out, in, n, 6); sparse_stores<1>(out, in, n, 6); sparse_stores<2>(out, in, n, 6); sparse_stores<1>(out, in, n, 1);
   sparse_stores<2>(out, in, n, 1); sparse_stores<1>(out, in, n, 30); sparse_stores<3>(out, in, n, 6);
*/
// Reads a matrix and writes one number of `of` by chance: nowhere, beside it, in place; 3: its column 5 is read, too.
template <int MODE> __global__ void sparse_stores(int *out, int *in, int n, unsigned of)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = y * n + x;
    unsigned h = i * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca6bu;
    int v = in[i];
    if (MODE == 3) v += in[y * n + 5];
    if ((h >> 8) % of == v) {
        if (MODE == 1 || MODE == 3) out[i] = v + 1;
        if (MODE == 2) in[i] = 0;
    }
    if (MODE == 0 && v == 12345) out[i] = v;
}

/* kmutate launch
   int n = 1 << 22; dim3 block = { 256 }; dim3 grid = { 132 };
   float in[n * 8] = zeros(); float out[n * 8] = zeros();
   few_reads<0, 4>(out, in, n); few_reads<1, 7>(out, in, n); few_reads<1, 3>(out, in, n); few_reads<1, 2>(out, in, n);
   few_reads<1, 1>(out, in, n); few_reads<2, 1>(out, in, n); few_reads<3, 1>(out, in, n); few_reads<7, 1>(out, in, n);
   grid.x = 396;
   few_reads<0, 4>(out, in, n); few_reads<1, 7>(out, in, n); few_reads<1, 3>(out, in, n); few_reads<1, 2>(out, in, n);
   few_reads<1, 1>(out, in, n); few_reads<2, 1>(out, in, n); few_reads<3, 1>(out, in, n); few_reads<7, 1>(out, in, n);
   grid.x = 1056;
   few_reads<0, 4>(out, in, n); few_reads<1, 7>(out, in, n); few_reads<1, 3>(out, in, n); few_reads<1, 2>(out, in, n);
   few_reads<1, 1>(out, in, n); few_reads<2, 1>(out, in, n); few_reads<3, 1>(out, in, n); few_reads<7, 1>(out, in, n);
*/
// Streams of which most are written, or most are read, by 8, 24 and 64 warps an SM: how long a read waits among writes.
template <int READS, int WRITES> __global__ void few_reads(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        float x = i;
#pragma unroll
        for (int k = 0; k < READS; k++) x += in[k * n + i];
#pragma unroll
        for (int k = 0; k < WRITES; k++) out[k * n + i] = x;
    }
}

/* kmutate launch
   int n = 270336; dim3 block = { 128 }; dim3 grid = { n / 128 };
   int out[n * 64] = zeros(); int in[n * 64] = zeros();
   rows_beside<1>(out, in, 32, 32, 0, 0); rows_beside<1>(out, in, 32, 32, 1, 0); rows_beside<1>(out, in, 32, 32, 2, 0);
   rows_beside<2>(out, in, 16, 32, 1, 0); rows_beside<4>(out, in, 8, 32, 1, 0); rows_beside<4>(out, in, 8, 32, 4, 0);
   rows_beside<1>(out, in, 32, 33, 1, 0); rows_beside<1>(out, in, 16, 16, 1, 0); rows_beside<1>(out, in, 64, 64, 1, 0);
   rows_beside<1>(out, in, 32, 32, 1, 64); rows_beside<1>(out, in, 32, 32, 1, 512);
   grid.x = n / 256; rows_beside<1>(out, in, 32, 32, 0, 0); rows_beside<1>(out, in, 32, 32, 1, 0); rows_beside<1>(out, in, 32, 32, 2, 0);
   grid.x = n / 512; rows_beside<1>(out, in, 32, 32, 0, 0); rows_beside<1>(out, in, 32, 32, 1, 0); rows_beside<1>(out, in, 32, 32, 2, 0);
   grid.x = n / 1024; rows_beside<1>(out, in, 32, 32, 1, 0);
   grid.x = 1188; rows_beside<1>(out, in, 32, 32, 1, 0);
   grid.x = 1320; rows_beside<1>(out, in, 32, 32, 1, 0);
   grid.x = 1452; rows_beside<1>(out, in, 32, 32, 1, 0);
   grid.x = 1584; rows_beside<1>(out, in, 32, 32, 1, 0);
   grid.x = 1716; rows_beside<1>(out, in, 32, 32, 1, 0);
   grid.x = 1848; rows_beside<1>(out, in, 32, 32, 1, 0);
   grid.x = 1980; rows_beside<1>(out, in, 32, 32, 1, 0);
*/
// Each thread writes a row of its own, W words at a time, and reads `reads` words of another before each: what L2 gives up.
template <int W> __global__ void rows_beside(int *out, const int *in, int steps, int pitch, int reads, int gap)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *to = out + (size_t)i * pitch;
    const int *from = in + (size_t)i * pitch, *p = from;
    int v = 0;
    float x = threadIdx.x;
    for (int k = 0; k < steps; k++) {
        for (int r = 0; r < reads; r++, p++) v += __ldcg(p - (p - from >= 32 ? 32 : 0));
        for (int g = 0; g < gap; g++) x = x * 0.5f + 1;
        if (W == 1) asm volatile("st.global.u32 [%0], %1;" :: "l"(to + k), "r"(v));
        if (W == 2) asm volatile("st.global.v2.u32 [%0], {%1, %1};" :: "l"(to + k * 2), "r"(v));
        if (W == 4) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(to + k * 4), "r"(v));
    }
    if (x == 12345.678f) out[0] = v;
}
