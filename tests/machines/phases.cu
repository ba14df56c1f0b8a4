// Warps that load all that is theirs, then store as much: what the loads of some and the stores of others share. Rows of
// whole lines, and rows of 64 bytes of which a load has a part each. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 512 }; dim3 grid = { 512 }; float in[1 << 25] = zeros(); float out[1 << 25] = zeros();
   row_passes<1, 0>(in, out, 1024); row_passes<1, 1>(in, out, 1024); row_passes<2, 1>(in, out, 1024);
   row_passes<3, 1>(in, out, 1024); row_passes<3, 0>(in, out, 1024); row_passes<3, 2>(in, out, 1024); row_passes<0, 1>(in, out, 1024);
   grid.x = 2048;
   row_passes<1, 0>(in, out, 256); row_passes<1, 1>(in, out, 256); row_passes<3, 1>(in, out, 256); row_passes<0, 1>(in, out, 256);
   row_passes<1, 0>(in, out, 1024); row_passes<1, 1>(in, out, 1024); row_passes<3, 1>(in, out, 1024); row_passes<0, 1>(in, out, 1024);
   grid.x = 132;
   row_passes<1, 0>(in, out, 2048); row_passes<1, 1>(in, out, 2048); row_passes<3, 1>(in, out, 2048); row_passes<0, 1>(in, out, 2048);
   block.x = 128; grid.x = 2048;
   row_passes<1, 0>(in, out, 1024); row_passes<1, 1>(in, out, 1024); row_passes<3, 1>(in, out, 1024); row_passes<3, 2>(in, out, 1024);
*/
// A warp goes through its row as often as there are PASSES, each time for a sum, and writes it at last. WRITES 2: __stcs.
template <int PASSES, int WRITES> __global__ void row_passes(const float *in, float *out, int words)
{
    const int lane = threadIdx.x % 32;
    const size_t row = (size_t)(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * words;
    float mean = 0.0f;
#pragma unroll
    for (int pass = 0; pass < PASSES - (WRITES && PASSES); pass++) {
        float sum = 0.0f;
        for (int i = lane; i < words; i += 32) sum += in[row + i] - mean;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
        mean = sum / words;
    }
    if (!WRITES) {
        if (mean != 0.0f) out[row + lane] = mean;
        return;
    }
    for (int i = lane; i < words; i += 32) {
        const float x = PASSES ? in[row + i] - mean : i;
        if (WRITES == 2) __stcs(out + row + i, x);
        else out[row + i] = x;
    }
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 4096 }; int in[1 << 25] = zeros(); int out[1 << 25] = zeros();
   row_parts<4, 1, 1, 0>(in, out); row_parts<4, 0, 1, 0>(in, out); row_parts<4, 1, 0, 0>(in, out); row_parts<4, 2, 1, 0>(in, out); row_parts<4, 2, 0, 0>(in, out);
   row_parts<4, 1, 1, 1>(in, out); row_parts<4, 0, 1, 1>(in, out); row_parts<4, 1, 0, 1>(in, out); row_parts<4, 2, 1, 1>(in, out);
   row_parts<8, 1, 1, 0>(in, out); row_parts<8, 0, 1, 0>(in, out); row_parts<8, 1, 0, 0>(in, out); row_parts<8, 2, 1, 0>(in, out);
   row_parts<8, 1, 1, 1>(in, out); row_parts<8, 1, 0, 1>(in, out);
   row_parts<16, 1, 1, 0>(in, out); row_parts<16, 0, 1, 0>(in, out); row_parts<16, 1, 0, 0>(in, out); row_parts<16, 2, 1, 0>(in, out);
   grid.x = 16384;
   row_parts<4, 1, 1, 0>(in, out); row_parts<4, 0, 1, 0>(in, out); row_parts<4, 1, 0, 0>(in, out);
   row_parts<8, 1, 1, 0>(in, out); row_parts<8, 0, 1, 0>(in, out); row_parts<8, 1, 0, 0>(in, out); row_parts<16, 1, 1, 0>(in, out);
   grid.x = 1024;
   row_parts<4, 1, 1, 0>(in, out); row_parts<4, 0, 1, 0>(in, out); row_parts<4, 1, 0, 0>(in, out);
   row_parts<8, 1, 1, 0>(in, out); row_parts<8, 0, 1, 0>(in, out); row_parts<8, 1, 0, 0>(in, out); row_parts<16, 1, 1, 0>(in, out);
*/
// A warp has 32 rows of 64 bytes, 2 KB; LANES of it have a part of a row. It loads those of LOADS arrays and writes, if WRITES,
// their sum: row after row of one part (ORDER 0), or all parts of a row one after another.
template <int LANES, int LOADS, int WRITES, int ORDER> __global__ void row_parts(const int *in, int *out)
{
    constexpr int PARTS = 16 / LANES, STEPS = LANES;
    const size_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, all = (size_t)gridDim.x * (blockDim.x / 32) * 512;
    const int lane = threadIdx.x % 32, own = lane / LANES * 16 + lane % LANES;
    int x[16];
#pragma unroll
    for (int n = 0; n < 16; n++) {
        const int part = ORDER ? n % PARTS : n / STEPS, step = ORDER ? n / PARTS : n % STEPS;
        const size_t at = warp * 512 + step * (32 / LANES) * 16 + part * LANES + own;
        x[n] = n;
        if (LOADS > 0) x[n] = in[at];
        if (LOADS > 1) x[n] += in[all + at];
    }
    if (!WRITES) {
        int sum = 0;
#pragma unroll
        for (int n = 0; n < 16; n++) sum |= x[n];
        if (sum) out[threadIdx.x] = sum;
        return;
    }
#pragma unroll
    for (int n = 0; n < 16; n++) {
        const int part = ORDER ? n % PARTS : n / STEPS, step = ORDER ? n / PARTS : n % STEPS;
        out[warp * 512 + step * (32 / LANES) * 16 + part * LANES + own] = x[n];
    }
}
