// Loads of lines that are on their way: how many an SM has at a time, and who waits behind them.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 }; int turns = 64;
   float in[132 * 8 * 8 * 64 * 32] = zeros(); float out[132 * 2048] = zeros();
   again<1>(out, in, turns); again<2>(out, in, turns); again<4>(out, in, turns); again<8>(out, in, turns); again<16>(out, in, turns); again<32>(out, in, turns);
   grid.x = 264;
   again<1>(out, in, turns); again<4>(out, in, turns); again<8>(out, in, turns); again<16>(out, in, turns); again<32>(out, in, turns);
   grid.x = 528;
   again<1>(out, in, turns); again<2>(out, in, turns); again<4>(out, in, turns); again<8>(out, in, turns); again<16>(out, in, turns); again<32>(out, in, turns);
   grid.x = 1056;
   again<1>(out, in, turns); again<2>(out, in, turns); again<4>(out, in, turns); again<8>(out, in, turns); again<16>(out, in, turns);
*/
// Each turn a warp has a line that nobody had, LOADS times at once: its words, turned by one each time.
template <int LOADS> __global__ void again(float *out, const float *in, int turns)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5;
    float sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        const float *line = in + ((size_t)turn * warps + warp) * 32;
        float v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = line[(lane + k) & 31];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += v[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 }; int turns = 64;
   float in[132 * 8 * 4 * 64 * 32 * 4] = zeros(); float out[132 * 2048] = zeros();
   lines_each<1, 1>(out, in, turns); lines_each<4, 1>(out, in, turns); lines_each<8, 1>(out, in, turns); lines_each<16, 1>(out, in, turns);
   grid.x = 528;
   lines_each<1, 1>(out, in, turns); lines_each<1, 2>(out, in, turns); lines_each<1, 4>(out, in, turns);
   lines_each<4, 1>(out, in, turns); lines_each<4, 2>(out, in, turns); lines_each<4, 4>(out, in, turns); lines_each<4, 8>(out, in, turns);
*/
// As again, of LINES lines one sector by SAME loads: what DRAM gives is no line each.
template <int LINES, int SAME> __global__ void lines_each(float *out, const float *in, int turns)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5;
    float sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        float v[LINES][SAME];
#pragma unroll
        for (int k = 0; k < SAME; k++)
#pragma unroll
            for (int l = 0; l < LINES; l++) v[l][k] = in[(((size_t)turn * LINES + l) * warps + warp) * 8 + ((lane + k) & 7)];
#pragma unroll
        for (int k = 0; k < SAME; k++)
#pragma unroll
            for (int l = 0; l < LINES; l++) sum += v[l][k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 block = { 512 }; dim3 grid = { 132 }; int turns = 64;
   float in[132 * 8 * 4 * 64 * 32] = zeros(); float own[4096] = zeros(); float out[132 * 2048] = zeros();
   behind<0>(out, in, own, turns, 1000); behind<1>(out, in, own, turns, 1000); behind<4>(out, in, own, turns, 1000);
   behind<16>(out, in, own, turns, 1000);
   grid.x = 264;
   behind<0>(out, in, own, turns, 1000); behind<1>(out, in, own, turns, 1000); behind<4>(out, in, own, turns, 1000);
   behind<16>(out, in, own, turns, 1000); behind<0>(out, in, own, turns, 8000); behind<16>(out, in, own, turns, 8000);
*/
// Half of the warps have lines as in again, the others what L1 has, so many times.
template <int LOADS> __global__ void behind(float *out, const float *in, const float *own, int turns, int rounds)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5;
    float sum = 0;
    if (warp & 4) {
#pragma unroll 1
        for (int round = 0; round < rounds; round++) {
            float v[8];
#pragma unroll
            for (int k = 0; k < 8; k++) v[k] = own[((round & 3) * 8 + k) * 32 + lane];
#pragma unroll
            for (int k = 0; k < 8; k++) sum += v[k];
        }
    } else {
#pragma unroll 1
        for (int turn = 0; turn < turns; turn++) {
            const float *line = in + ((size_t)(turn & 63) * warps + warp) * 32;
            float v[LOADS + 1];
#pragma unroll
            for (int k = 0; k < LOADS; k++) v[k] = line[(lane + k) & 31];
#pragma unroll
            for (int k = 0; k < LOADS; k++) sum += v[k];
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 };
   float in[132 * 8 * 8 * 64 * 32] = zeros(); float near[1 << 22] = zeros(); float out[132 * 2048] = zeros();
   either<4>(out, in, near, 64, 0); either<4>(out, in, near, 0, 192); either<4>(out, in, near, 64, 192); either<4>(out, in, near, 64, 384);
   either<8>(out, in, near, 64, 0); either<8>(out, in, near, 0, 192); either<8>(out, in, near, 64, 192); either<8>(out, in, near, 64, 384);
   either<12>(out, in, near, 64, 0); either<12>(out, in, near, 0, 192); either<12>(out, in, near, 64, 192); either<12>(out, in, near, 64, 384);
   either<16>(out, in, near, 64, 0); either<16>(out, in, near, 0, 192); either<16>(out, in, near, 64, 192); either<16>(out, in, near, 64, 384);
*/
// As again, half of the warps so many turns with lines of DRAM's, the others with what is in L2.
template <int LOADS> __global__ void __launch_bounds__(256, 8) either(float *out, const float *in, const float *near, int far_turns, int near_turns)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5;
    float sum = 0;
    for (int k = warp; k < 1 << 17; k += warps) sum += near[k * 32 + lane];
    __syncthreads();
    const bool close = warp & 4;
    const int turns = close ? near_turns : far_turns;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        const float *line = close ? near + (((turn * warps + warp) * 77) & 0x1ffff) * 32 : in + ((size_t)turn * warps + warp) * 32;
        float v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = line[(lane + k) & 31];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += v[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
