// Lanes that look something up in a table that L2 has or has not, one place after another, or read what comes in order, keep what they
// found, and count it: one addition a warp, or a block. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned mixed(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 16384 };
   unsigned table[1 << 26] = zeros(); unsigned out[1 << 22] = zeros(); unsigned count[128] = zeros(); double sum[16] = zeros();
   finds<0, 0>(table, out, count, sum, 1, 20, 1); finds<0, 1>(table, out, count, sum, 1, 20, 1); finds<0, 1>(table, out, count, sum, 1, 20, 4); finds<0, 2>(table, out, count, sum, 1, 20, 1); finds<1, 3>(table, out, count, sum, 1, 20, 1); finds<0, 4>(table, out, count, sum, 1, 20, 1);
   finds<0, 0>(table, out, count, sum, 1, 23, 1); finds<0, 1>(table, out, count, sum, 1, 23, 1); finds<0, 1>(table, out, count, sum, 1, 23, 4); finds<0, 2>(table, out, count, sum, 1, 23, 1); finds<1, 3>(table, out, count, sum, 1, 23, 1); finds<0, 4>(table, out, count, sum, 1, 23, 1);
   finds<0, 0>(table, out, count, sum, 1, 24, 1); finds<0, 1>(table, out, count, sum, 1, 24, 1); finds<0, 1>(table, out, count, sum, 1, 24, 4); finds<0, 4>(table, out, count, sum, 1, 24, 1);
   finds<0, 0>(table, out, count, sum, 1, 26, 1); finds<0, 1>(table, out, count, sum, 1, 26, 1); finds<0, 1>(table, out, count, sum, 1, 26, 2); finds<0, 1>(table, out, count, sum, 1, 26, 4); finds<0, 1>(table, out, count, sum, 1, 26, 8); finds<0, 2>(table, out, count, sum, 1, 26, 1);
   finds<1, 0>(table, out, count, sum, 1, 26, 1); finds<1, 1>(table, out, count, sum, 1, 26, 1); finds<1, 3>(table, out, count, sum, 1, 26, 1); finds<0, 4>(table, out, count, sum, 1, 26, 1); finds<0, 4>(table, out, count, sum, 1, 26, 2);
   finds<0, 1>(table, out, count, sum, 2, 26, 1); finds<0, 1>(table, out, count, sum, 2, 26, 2); finds<0, 0>(table, out, count, sum, 2, 26, 1); finds<0, 4>(table, out, count, sum, 2, 26, 1); finds<0, 4>(table, out, count, sum, 2, 24, 1); finds<0, 0>(table, out, count, sum, 2, 24, 1);
   finds<0, 0>(table, out, count, sum, 3, 20, 1); finds<0, 1>(table, out, count, sum, 3, 20, 1); finds<1, 3>(table, out, count, sum, 3, 20, 1); finds<0, 4>(table, out, count, sum, 3, 20, 1);
   finds<0, 0>(table, out, count, sum, 3, 23, 1); finds<0, 1>(table, out, count, sum, 3, 23, 1); finds<1, 3>(table, out, count, sum, 3, 23, 1); finds<0, 4>(table, out, count, sum, 3, 23, 1);
   finds<0, 0>(table, out, count, sum, 3, 26, 1); finds<1, 0>(table, out, count, sum, 3, 26, 1); finds<0, 1>(table, out, count, sum, 3, 26, 1); finds<1, 3>(table, out, count, sum, 3, 26, 1); finds<0, 4>(table, out, count, sum, 3, 26, 1);
*/
// KEPT: stores what it found. COUNT: 0 not, 1 one lane of a warp adds to a counter, 2 one of a block to a sum of doubles behind a
// barrier, 3 both, 4 two counters; one warp of `every` does. So many `places` of 1 << bits words, each known when the one before has come.
template <int KEPT, int COUNT> __global__ void finds(const unsigned *table, unsigned *out, unsigned *count, double *sum,
                                                       int places, int bits, int every)
{
    __shared__ unsigned several[8];
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
#pragma unroll 1
    for (int k = 0; k < places; k++) found = table[mixed(thread + (k << 22) + found) & ((1u << bits) - 1u)];
    if (KEPT || found == 77u) out[thread] = found;
    if (COUNT & 5) {
        const unsigned who = __ballot_sync(~0u, found == 0u);
        if (threadIdx.x % 32 == 0 && who && threadIdx.x / 32 % every == 0) {
            atomicAdd(count, __popc(who));
            if (COUNT == 4) atomicAdd(count + 64, 1u);
        }
    }
    if (COUNT & 2) {
        if (threadIdx.x % 32 == 0) several[threadIdx.x / 32] = found + 1u;
        __syncthreads();
        if (threadIdx.x == 0) {
            double all = 0.0;
            for (int w = 0; w < 8; w++) all += several[w];
            if (all > 0.0) atomicAdd(sum, all);
        }
    }
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 16384 };
   float4 in[1 << 24] = zeros(); float4 out[1 << 24] = zeros(); unsigned count[4096] = zeros(); double sum[4096] = zeros();
   read_on<0, 0>(in, out, count, sum, 1); read_on<0, 1>(in, out, count, sum, 1); read_on<0, 2>(in, out, count, sum, 1); read_on<0, 4>(in, out, count, sum, 1); read_on<0, 8>(in, out, count, sum, 1);
   read_on<1, 0>(in, out, count, sum, 1); read_on<1, 1>(in, out, count, sum, 1); read_on<1, 2>(in, out, count, sum, 1); read_on<1, 4>(in, out, count, sum, 1); read_on<1, 8>(in, out, count, sum, 1);
   read_on<0, 0>(in, out, count, sum, 4); read_on<0, 1>(in, out, count, sum, 4); read_on<0, 2>(in, out, count, sum, 4); read_on<0, 4>(in, out, count, sum, 4); read_on<0, 8>(in, out, count, sum, 4);
   read_on<1, 0>(in, out, count, sum, 4); read_on<1, 1>(in, out, count, sum, 4); read_on<1, 4>(in, out, count, sum, 4); read_on<1, 8>(in, out, count, sum, 4);
   grid.x = 4096;
   read_on<0, 0>(in, out, count, sum, 4); read_on<0, 1>(in, out, count, sum, 4); read_on<0, 4>(in, out, count, sum, 4); read_on<0, 8>(in, out, count, sum, 4);
   grid.x = 1056;
   read_on<0, 0>(in, out, count, sum, 15); read_on<0, 1>(in, out, count, sum, 15); read_on<0, 4>(in, out, count, sum, 15); read_on<0, 8>(in, out, count, sum, 15);
*/
// KEPT: stores what it read. COUNT: as in finds, 8: sixteen doubles of as many lines by each block. So many `times` 16 bytes, a grid apart.
template <int KEPT, int COUNT> __global__ void read_on(const float4 *in, float4 *out, unsigned *count, double *sum, int times)
{
    __shared__ unsigned several[8];
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
#pragma unroll 1
    for (int k = 0; k < times; k++) {
        const unsigned at = k * gridDim.x * blockDim.x + thread;
        const float4 v = in[at];
        found += v.x + v.y + v.z + v.w == 0.0f;
        if (KEPT) out[at] = v;
    }
    if (COUNT & 5) {
        const unsigned who = __ballot_sync(~0u, found != 0u);
        if (threadIdx.x % 32 == 0 && who) {
            atomicAdd(count, __popc(who));
            if (COUNT == 4) atomicAdd(count + 64, 1u);
        }
    }
    if (COUNT & 10) {
        if (threadIdx.x % 32 == 0) several[threadIdx.x / 32] = found + 1u;
        __syncthreads();
        if (threadIdx.x < (COUNT == 8 ? 16 : 1)) {
            double all = 0.0;
            for (int w = 0; w < 8; w++) all += several[w];
            if (all > 0.0) atomicAdd(sum + threadIdx.x * 16, all);
        }
    }
    if (found == 12345u) count[9] = found;
}
