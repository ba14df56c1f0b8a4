// Blocks of which some warps leave at once: whether others take their place before the block has ended; and blocks that say
// that a dependent grid may start. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int out[1 << 20] = zeros(); dim3 block = { 256 }; dim3 grid = { 132 * 64 };
   some_stay<1, 0>(out, 4000); some_stay<2, 0>(out, 4000); some_stay<3, 0>(out, 4000); some_stay<4, 0>(out, 4000); some_stay<6, 0>(out, 4000); some_stay<8, 0>(out, 4000);
   some_stay<2, 1>(out, 4000); some_stay<2, 2>(out, 4000); some_stay<4, 2>(out, 4000); some_stay<2, 3>(out, 4000);
   block.x = 1024;
   some_stay<1, 0>(out, 4000); some_stay<4, 0>(out, 4000); some_stay<16, 0>(out, 4000); some_stay<32, 0>(out, 4000);
   block.x = 128; grid.x = 132 * 128;
   some_stay<1, 0>(out, 4000); some_stay<2, 0>(out, 4000); some_stay<4, 0>(out, 4000);
   block.x = 512; grid.x = 132 * 32;
   some_stay<2, 0>(out, 8000); some_stay<8, 0>(out, 8000); some_stay<16, 0>(out, 8000);
*/
// STAYING warps of a block take about so many clocks, the others leave. HOW: 1 with 32 KB of shared memory, 2 the last ones stay,
// 3 with many registers.
template <int STAYING, int HOW> __global__ void some_stay(int *out, unsigned clocks)
{
    __shared__ int room[HOW == 1 ? 8192 : 1];
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (HOW == 2 ? warp < warps - STAYING : warp >= STAYING) return;
    if (HOW == 1) room[threadIdx.x] = clocks;
    int many[HOW == 3 ? 100 : 1];
    if (HOW == 3)
#pragma unroll
        for (int k = 0; k < 100; k++) many[k] = out[k];
    float x = threadIdx.x;
#pragma unroll 1
    for (unsigned k = 0; k < clocks; k += 64)
#pragma unroll
        for (int j = 0; j < 16; j++) x = __fmaf_rn(x, 0.5f, 1.0f);
    if (HOW == 1) x += room[threadIdx.x ^ 1];
    if (HOW == 3)
#pragma unroll
        for (int k = 0; k < 100; k++) x += many[k] * k;
    if (x == 1.0f) out[threadIdx.x] = 1;
}

/* kmutate launch
   int out[1 << 20] = zeros(); dim3 block = { 32 }; dim3 grid = { 32768 };
   lets_start<0>(out); lets_start<1>(out); lets_start<2>(out); lets_start<3>(out); lets_start<4>(out);
   block.x = 128;
   lets_start<0>(out); lets_start<1>(out); lets_start<2>(out); lets_start<3>(out);
   block.x = 256; grid.x = 65536;
   lets_start<0>(out); lets_start<1>(out); lets_start<3>(out);
   block.x = 1024; grid.x = 8192;
   lets_start<0>(out); lets_start<1>(out);
   block.x = 128; grid.x = 2112;
   lets_start<0>(out); lets_start<1>(out); lets_start<5>(out); lets_start<6>(out);
   grid.x = 16896;
   lets_start<5>(out); lets_start<6>(out);
*/
// WHAT: 0 nothing, 1 all lanes say so, 2 one lane does, 3 all wait for the grid before, 4 twice; 5 long blocks, 6 long ones that say so.
template <int WHAT> __global__ void lets_start(int *out)
{
    if (WHAT == 3) asm volatile("griddepcontrol.wait;" ::: "memory");
    if (WHAT == 1 || WHAT == 4 || WHAT == 6) asm volatile("griddepcontrol.launch_dependents;");
    if (WHAT == 2 && threadIdx.x == 0) asm volatile("griddepcontrol.launch_dependents;");
    if (WHAT == 4) asm volatile("griddepcontrol.launch_dependents;");
    if (WHAT >= 5) {
        float x = threadIdx.x;
#pragma unroll 1
        for (int k = 0; k < 60; k++)
#pragma unroll
            for (int j = 0; j < 16; j++) x = __fmaf_rn(x, 0.5f, 1.0f);
        if (x == 1.0f) out[threadIdx.x] = 2;
    }
    if (out[threadIdx.x]) out[threadIdx.x] = 1;
}

/* kmutate launch
   float in[1 << 24] = zeros(); float out[1 << 24] = zeros(); dim3 block = { 256 }; dim3 grid = { 32768 };
   few_work<1>(in, out, 64); few_work<2>(in, out, 64); few_work<1>(in, out, 32); few_work<1>(in, out, 128); few_work<1>(in, out, 256); few_work<3>(in, out, 64); few_work<4>(in, out, 64);
   block.x = 128;
   few_work<1>(in, out, 64); few_work<2>(in, out, 64); few_work<1>(in, out, 128); few_work<4>(in, out, 64);
   block.x = 64;
   few_work<1>(in, out, 64); few_work<2>(in, out, 64); few_work<4>(in, out, 64);
   block.x = 32;
   few_work<1>(in, out, 32); few_work<2>(in, out, 32); few_work<4>(in, out, 32);
   block.x = 1024; grid.x = 8192;
   few_work<1>(in, out, 64); few_work<1>(in, out, 256); few_work<1>(in, out, 1024); few_work<4>(in, out, 256);
*/
// Many blocks of which the first threads load once. LOADS: 1 a word, 2 two words side by side by two loads, 3 a word and no store,
// 4 behind a load of what the first blocks write.
template <int LOADS> __global__ void few_work(const float *in, float *out, int threads)
{
    if (threadIdx.x >= threads) return;
    const int own = (blockIdx.x * threads + threadIdx.x) % (1 << 24), two = own * 2 % (1 << 24);
    float x;
    if (LOADS == 2) x = in[two] + in[two + 1];
    else if (LOADS == 4) x = in[own + (int)out[blockIdx.x / 32 % 1024]];
    else x = in[own];
    if (LOADS != 3 || x == 1.0f) out[own] = x;
}
