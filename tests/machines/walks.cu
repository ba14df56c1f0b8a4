// Loops whose every step waits for memory: requests of one lane, a line and many, from L2 and from DRAM, and walks over a list
// that all lanes read. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int in[1 << 26] = zeros(); int out[4224] = zeros();
   shape_chain(out, in, 500, 1, 1, 0); shape_chain(out, in, 1500, 1, 1, 0); shape_chain(out, in, 1500, 1, 4, 0);
   shape_chain(out, in, 1500, 2, 1, 0); shape_chain(out, in, 1500, 4, 1, 0); shape_chain(out, in, 1500, 4, 4, 0);
   shape_chain(out, in, 1500, 8, 4, 0); shape_chain(out, in, 1500, 32, 1, 0);
   shape_chain(out, in, 100, 1, 1, 3040); shape_chain(out, in, 400, 1, 1, 3040); shape_chain(out, in, 400, 1, 4, 3040);
   shape_chain(out, in, 400, 2, 1, 3040); shape_chain(out, in, 400, 4, 1, 3040); shape_chain(out, in, 400, 4, 4, 3040);
   shape_chain(out, in, 400, 8, 4, 3040); shape_chain(out, in, 400, 32, 1, 3040);
   grid.x = 1;
   shape_chain(out, in, 1500, 1, 1, 0); shape_chain(out, in, 1500, 1, 4, 0); shape_chain(out, in, 1500, 4, 4, 0);
   shape_chain(out, in, 400, 1, 1, 3040); shape_chain(out, in, 400, 1, 4, 3040); shape_chain(out, in, 400, 4, 4, 3040);
   shape_chain(out, in, 400, 8, 4, 3040);
*/
// A chain of loads of `sectors` sectors of `lines` lines, 4 KB apart; the next ones `jump` words on, from DRAM.
__global__ void shape_chain(int *out, const int *in, int steps, int lines, int sectors, int jump)
{
    const int lane = threadIdx.x;
    unsigned at = blockIdx.x * 397312 + lane % lines * 1056 + lane / lines % sectors * 8;
    for (int k = 0; k < steps; k++) {
        int v;
        asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(in + (at & (1 << 26) - 1)));
        at += __shfl_xor_sync(~0u, v, 1) + jump;
    }
    out[blockIdx.x * 32 + lane] = at;
}

/* kmutate launch
   int steps = 480; dim3 grid = { 132 }; dim3 block = { 256 };
   float4 in[132 * steps * 256] = zeros(); float out[256] = zeros();
   rows_by_barriers<0>(out, in, steps, 0); rows_by_barriers<1>(out, in, steps, 0);
   rows_by_barriers<0>(out, in, steps, 1); rows_by_barriers<1>(out, in, steps, 1); rows_by_barriers<1>(out, in, steps, 8);
*/
// So many warps load 512 bytes each, the others wait at the barrier: an ordinary one, or one that asks all threads (1).
template <int ASKS> __global__ void rows_by_barriers(float *out, const float4 *in, int steps, int warps)
{
    const float4 *p = in + (size_t)blockIdx.x * steps * warps * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < steps; k++) {
        if (threadIdx.x < warps * 32) {
            const float4 v = __ldcg(p);
            sum += v.x + v.y + v.z + v.w;
        }
        if (ASKS) { if (__syncthreads_or(sum == 12345.678f)) break; }
        else __syncthreads();
        p += warps * 32;
    }
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int n = 6000; dim3 grid = { 264 }; dim3 block = { 128 };
   float in[132 * n * 3] = zeros(); int out[264 * 128 * 64] = zeros();
   list_walk<0>(out, in, n, 0, 1); list_walk<1>(out, in, n, 0, 1); list_walk<2>(out, in, n, 0, 1); list_walk<3>(out, in, n, 0, 1);
   list_walk<0>(out, in, n, 16, 1); list_walk<1>(out, in, n, 16, 1); list_walk<2>(out, in, n, 16, 1); list_walk<3>(out, in, n, 16, 1);
   list_walk<0>(out, in, n, 1, 2); list_walk<1>(out, in, n, 1, 2);
   grid.x = 132;
   list_walk<0>(out, in, n, 0, 1); list_walk<1>(out, in, n, 0, 1); list_walk<2>(out, in, n, 0, 1);
   list_walk<0>(out, in, 1000, 0, 10); list_walk<1>(out, in, 1000, 0, 10);
   block.x = 32;
   list_walk<0>(out, in, n, 0, 1); list_walk<1>(out, in, n, 0, 1); list_walk<2>(out, in, n, 0, 1); list_walk<3>(out, in, n, 0, 1);
   list_walk<0>(out, in, 1000, 0, 10); list_walk<1>(out, in, 1000, 0, 10); list_walk<2>(out, in, 1000, 0, 10);
*/
// All lanes read three words a step of one list of 1 or `lists` of them; a lane in 64 has more to do: nothing (0), arithmetic (1),
// a store to a row of its own (2), 32 of them the first time (3).
template <int MODE> __global__ void list_walk(int *out, const float *in, int n, int lists, int turns)
{
    const float *p = in + (size_t)(lists ? blockIdx.x % lists : 0) * n * 3;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int *row = out + (size_t)i * 64;
    int found = 0;
    float x = i * 1e-3f, sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
#pragma unroll 1
        for (int k = 0; k < n && sum < 1e30f; k++) {
            const float dx = x - p[3 * k], dy = x - p[3 * k + 1], dz = x - p[3 * k + 2];
            sum += dx * dx + dy * dy + dz * dz;
            if (MODE && ((k + turn * n) * 2654435769u + i * 0x9e3779b1u >> 26) == 0) {
                if (MODE == 1) found = found * 3 + k;
                if (MODE == 3 && found == 0) for (int s = 0; s < 32; s++) row[s] = k;
                if (MODE > 1) row[found++ & 63] = k;
            }
        }
    if (sum == 12345.678f || found == 12345) out[i] = found;
}

/* kmutate launch
   int rows = 16384; dim3 grid = { 1056 }; dim3 block = { 256 };
   float a[3 * rows * 256] = zeros(); float b[3 * rows * 256] = zeros();
   rows_in_place<1>(a, b, rows, 256, 0, 1); rows_in_place<1>(a, b, rows, 256, 2, 1); rows_in_place<1>(a, b, rows, 196, 2, 1);
   rows_in_place<3>(a, b, rows, 256, 0, 1); rows_in_place<3>(a, b, rows, 256, 2, 1); rows_in_place<3>(a, b, rows, 196, 2, 1);
   rows_in_place<0>(a, b, rows, 256, 0, 1); rows_in_place<0>(a, b, rows, 256, 2, 1); rows_in_place<0>(a, b, rows, 196, 2, 1);
   rows_in_place<1>(a, b, 1024, 256, 0, 10); rows_in_place<1>(a, b, 1024, 256, 2, 10); rows_in_place<1>(a, b, 1024, 196, 2, 10);
   rows_in_place<0>(a, b, 1024, 256, 0, 10); rows_in_place<0>(a, b, 1024, 256, 2, 10); rows_in_place<0>(a, b, 1024, 196, 2, 10);
*/
// Warps that add rows of 192 numbers to others (1: of one array, 3: of three), or write them (0), beginning `offset` words on.
template <int ARRAYS> __global__ void rows_in_place(float *a, const float *b, int rows, int pitch, int offset, int turns)
{
    const int warps = gridDim.x * 8, warp = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int turn = 0; turn < turns; turn++)
        for (int r = warp; r < rows; r += warps)
            for (int k = 0; k < (ARRAYS ? ARRAYS : 1); k++) {
                const size_t at = (size_t)k * rows * 256 + r * pitch + offset + lane;
#pragma unroll
                for (int c = 0; c < 192; c += 32) {
                    if (ARRAYS) a[at + c] += b[at + c];
                    else a[at + c] = turn + r;
                }
            }
}
