// Warps whose loads L1 has beside warps whose loads come from L2 or DRAM, and beside warps that want what others wait for: what the ones
// wait for the others. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   float few[8192] = zeros(); float many[1 << 27] = zeros(); float out[132 * 1024] = zeros(); dim3 grid = { 132 };
   dim3 block = { 512 };
   behind<8, 8, 0>(few, many, out, 16, 400, 50); behind<8, 8, 0>(few, many, out, 0, 400, 50);
   behind<1, 8, 0>(few, many, out, 16, 1000, 50);
   behind<8, 8, 1>(few, many, out, 0, 400, 400); behind<8, 8, 2>(few, many, out, 0, 400, 200);
   block.x = 1024;
   behind<8, 8, 0>(few, many, out, 16, 400, 50); behind<1, 8, 0>(few, many, out, 16, 1000, 50); behind<1, 8, 0>(few, many, out, 1, 1000, 50);
   behind<1, 8, 0>(few, many, out, 4, 1000, 50); behind<8, 8, 0>(few, many, out, 4, 800, 50);
   behind<8, 8, 1>(few, many, out, 16, 400, 400); behind<1, 8, 1>(few, many, out, 16, 1000, 400);
   behind<8, 8, 2>(few, many, out, 16, 400, 200); behind<1, 8, 2>(few, many, out, 16, 1000, 200);
   behind<8, 16, 2>(few, many, out, 8, 600, 100); behind<8, 16, 2>(few, many, out, 0, 600, 100); behind<8, 16, 2>(few, many, out, 24, 300, 100);
   behind<8, 16, 1>(few, many, out, 8, 600, 200); behind<8, 16, 1>(few, many, out, 0, 600, 200); behind<8, 16, 1>(few, many, out, 24, 300, 200);
   behind<8, 16, 0>(few, many, out, 8, 600, 50); behind<8, 16, 0>(few, many, out, 0, 600, 50); behind<8, 16, 0>(few, many, out, 24, 300, 50);
*/
// The first warps of a block load what all have at once, AT_ONCE at a time, so many steps; the others lines of their own from DRAM (0), all
// the same lines from DRAM (1), or from L2 (2), OTHERS at a time.
template <int AT_ONCE, int OTHERS, int WHAT>
__global__ void behind(const float *__restrict__ few, const float *__restrict__ many, float *__restrict__ out, int here, int steps, int rest)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    if (warp < here) {
        const float *own = few + lane;
        for (int k = 0; k < steps; k++) {
            float of[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) of[i] = own[((k * AT_ONCE + i) * 32 & 4095) + (sum == 3.0f)];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) sum += of[i];
        }
    } else {
        const int line = WHAT ? 0 : warp - here, lines = WHAT ? 1 : blockDim.x / 32 - here;
        const float *own = many + lane;
        for (int k = 0; k < rest; k++) {
            float of[OTHERS];
#pragma unroll
            for (int i = 0; i < OTHERS; i++) {
                const int at = WHAT == 2 ? (k * OTHERS + i) * 7 + blockIdx.x * 11 & 0x1fff : (k * OTHERS + i) * lines * 132 + line * 132 + blockIdx.x;
                of[i] = own[(size_t)at * 32 + (sum == 3.0f)];
            }
#pragma unroll
            for (int i = 0; i < OTHERS; i++) sum += of[i];
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   float few[8192] = zeros(); float many[1 << 26] = zeros(); float out[264 * 1024] = zeros(); dim3 grid = { 264 }; dim3 block = { 1024 };
   mixed_loads<0, 8, 0>(few, many, out, 100); mixed_loads<4, 4, 0>(few, many, out, 100); mixed_loads<8, 8, 0>(few, many, out, 100);
   mixed_loads<12, 4, 0>(few, many, out, 100); mixed_loads<4, 12, 0>(few, many, out, 100);
   mixed_loads<0, 8, 2>(few, many, out, 100); mixed_loads<4, 4, 2>(few, many, out, 100); mixed_loads<8, 8, 2>(few, many, out, 100);
   mixed_loads<12, 4, 2>(few, many, out, 100); mixed_loads<4, 12, 2>(few, many, out, 100); mixed_loads<0, 4, 2>(few, many, out, 100);
   mixed_loads<0, 1, 0>(few, many, out, 100); mixed_loads<1, 1, 0>(few, many, out, 100); mixed_loads<3, 1, 0>(few, many, out, 100);
   mixed_loads<7, 1, 0>(few, many, out, 100); mixed_loads<15, 1, 0>(few, many, out, 100);
   mixed_loads<0, 1, 2>(few, many, out, 100); mixed_loads<1, 1, 2>(few, many, out, 100); mixed_loads<3, 1, 2>(few, many, out, 100);
   mixed_loads<7, 1, 2>(few, many, out, 100); mixed_loads<15, 1, 2>(few, many, out, 100);
   mixed_loads<7, 1, 3>(few, many, out, 100); mixed_loads<15, 1, 3>(few, many, out, 100); mixed_loads<7, 8, 3>(few, many, out, 100);
   mixed_loads<0, 4, 3>(few, many, out, 100); mixed_loads<0, 8, 3>(few, many, out, 100); mixed_loads<4, 4, 3>(few, many, out, 100);
   grid.x = 132;
   mixed_loads<0, 8, 2>(few, many, out, 100); mixed_loads<8, 8, 2>(few, many, out, 100); mixed_loads<15, 1, 2>(few, many, out, 100);
   mixed_loads<7, 1, 3>(few, many, out, 100); mixed_loads<7, 8, 3>(few, many, out, 100); mixed_loads<0, 8, 3>(few, many, out, 100);
*/
// Each step a warp loads HERE times what L1 has, and then THERE lines: from L2, its own (0), or those of its block's warps (2), or words
// of those, one for all lanes (3).
template <int HERE, int THERE, int WHAT>
__global__ void mixed_loads(const float *__restrict__ few, const float *__restrict__ many, float *__restrict__ out, int steps)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int line = WHAT ? blockIdx.x * 5 : (blockIdx.x * 32 + warp) * 3;
    const float *own = few + lane, *far = many + (WHAT == 3 ? 0 : lane);
    float sum = 0.0f;
    for (int k = 0; k < steps; k++) {
        float of[HERE + THERE];
#pragma unroll
        for (int i = 0; i < HERE; i++) of[i] = own[((k * HERE + i) * 32 & 2047) + (sum == 3.0f)];
#pragma unroll
        for (int i = 0; i < THERE; i++) {
            const int at = WHAT == 3 ? (line * 32 + (k * THERE + i) * 9) & 0x7ffff : ((k * THERE + i) * 11 + line & 0x3fff) * 32;
            of[HERE + i] = far[at + (sum == 3.0f)];
        }
#pragma unroll
        for (int i = 0; i < HERE + THERE; i++) sum += of[i];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
