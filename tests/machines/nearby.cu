// Reads, additions and stores at places near a thread's own, drawn at random; stores that turn a tile; searches. Timed on a GPU and by
// the model of time, as patterns.cu; sectors by ncu.

__device__ unsigned mixed(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

// A place no farther than `away` from a thread's own, of n, a power of two.
__device__ unsigned near_by(unsigned thread, int k, unsigned away, unsigned n)
{
    return (thread + mixed(thread * 8u + k) % (2u * away + 1u) - away) & (n - 1u);
}

/* kmutate launch
   unsigned n = 1 << 24; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float a[n] = zeros(); float4 in[2 * n] = zeros(); float out[n] = zeros();
   near_reads<0>(a, in, out, 100, 1, n); near_reads<0>(a, in, out, 1000, 1, n); near_reads<0>(a, in, out, 10000, 1, n);
   near_reads<0>(a, in, out, 100000, 1, n); near_reads<0>(a, in, out, 1000000, 1, n); near_reads<0>(a, in, out, 8000000, 1, n);
   near_reads<0>(a, in, out, 100, 4, n); near_reads<0>(a, in, out, 1000, 4, n); near_reads<0>(a, in, out, 10000, 4, n);
   near_reads<0>(a, in, out, 100000, 4, n); near_reads<0>(a, in, out, 1000000, 4, n); near_reads<0>(a, in, out, 8000000, 4, n);
   near_reads<2>(a, in, out, 100, 1, n); near_reads<2>(a, in, out, 1000, 1, n); near_reads<2>(a, in, out, 10000, 1, n);
   near_reads<2>(a, in, out, 100000, 1, n); near_reads<2>(a, in, out, 1000000, 1, n); near_reads<2>(a, in, out, 8000000, 1, n);
   near_reads<2>(a, in, out, 100, 4, n); near_reads<2>(a, in, out, 1000, 4, n); near_reads<2>(a, in, out, 10000, 4, n);
   near_reads<2>(a, in, out, 100000, 4, n); near_reads<2>(a, in, out, 1000000, 4, n); near_reads<2>(a, in, out, 8000000, 4, n);
*/
template <int STREAMS> __global__ void near_reads(const float *a, const float4 *in, float *out, unsigned away, int count, unsigned n)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int s = 0; s < STREAMS; s++) {
        const float4 x = in[s * n + t];
        sum += x.x + x.y + x.z + x.w;
    }
    for (int k = 0; k < count; k++) sum += a[near_by(t, k, away, n)];
    out[t] = sum;
}

/* kmutate launch
   unsigned n = 1 << 24; dim3 block = { 256 }; dim3 grid = { 1056 };
   float a[n] = zeros(); float4 in[2 * n] = zeros(); float out[n] = zeros();
   near_turns<0>(a, in, out, 100, n); near_turns<0>(a, in, out, 10000, n); near_turns<0>(a, in, out, 1000000, n); near_turns<0>(a, in, out, 8000000, n);
   near_turns<2>(a, in, out, 100, n); near_turns<2>(a, in, out, 10000, n); near_turns<2>(a, in, out, 1000000, n); near_turns<2>(a, in, out, 8000000, n);
   grid.x = 528; near_turns<0>(a, in, out, 10000, n); near_turns<0>(a, in, out, 1000000, n);
*/
// All blocks at once, a part of the array after another.
template <int STREAMS> __global__ void near_turns(const float *a, const float4 *in, float *out, unsigned away, unsigned n)
{
    for (unsigned t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += gridDim.x * blockDim.x) {
        float sum = a[near_by(t, 0, away, n)];
        for (int s = 0; s < STREAMS; s++) {
            const float4 x = in[s * n + t];
            sum += x.x + x.y + x.z + x.w;
        }
        out[t] = sum;
    }
}

/* kmutate launch
   unsigned n = 1 << 24; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float a[n] = zeros(); float4 in[2 * n] = zeros();
   near_writes<0, 0>(a, in, 100, n); near_writes<0, 0>(a, in, 1000, n); near_writes<0, 0>(a, in, 10000, n); near_writes<0, 0>(a, in, 100000, n); near_writes<0, 0>(a, in, 1000000, n);
   near_writes<0, 1>(a, in, 100, n); near_writes<0, 1>(a, in, 1000, n); near_writes<0, 1>(a, in, 10000, n); near_writes<0, 1>(a, in, 100000, n); near_writes<0, 1>(a, in, 1000000, n);
   near_writes<2, 0>(a, in, 100, n); near_writes<2, 0>(a, in, 1000, n); near_writes<2, 0>(a, in, 10000, n); near_writes<2, 0>(a, in, 1000000, n);
   near_writes<2, 1>(a, in, 100, n); near_writes<2, 1>(a, in, 1000, n); near_writes<2, 1>(a, in, 10000, n); near_writes<2, 1>(a, in, 1000000, n);
*/
// WHAT: 0 stores, 1 adds.
template <int STREAMS, int WHAT> __global__ void near_writes(float *a, const float4 *in, unsigned away, unsigned n)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 1.0f;
    for (int s = 0; s < STREAMS; s++) {
        const float4 x = in[s * n + t];
        sum += x.x + x.y + x.z + x.w;
    }
    float *const at = a + near_by(t, 0, away, n);
    if (WHAT) atomicAdd(at, sum);
    else *at = sum;
}

/* kmutate launch
   int side = 4096; float a[side * side] = zeros(); float out[side * side] = zeros(); float row[side] = zeros(); float column[side] = zeros();
   dim3 block = { 16, 16 }; dim3 grid = { side / 16, side / 16 };
   tile_turns<0>(a, out, row, column, side); tile_turns<1>(a, out, row, column, side); tile_turns<2>(a, out, row, column, side); tile_turns<3>(a, out, row, column, side);
   block.x = 32; block.y = 8; grid.x = side / 32; grid.y = side / 8;
   tile_turns<0>(a, out, row, column, side); tile_turns<1>(a, out, row, column, side); tile_turns<2>(a, out, row, column, side); tile_turns<3>(a, out, row, column, side);
   block.x = 8; block.y = 32; grid.x = side / 8; grid.y = side / 32;
   tile_turns<0>(a, out, row, column, side); tile_turns<1>(a, out, row, column, side); tile_turns<2>(a, out, row, column, side); tile_turns<3>(a, out, row, column, side);
   block.x = 32; block.y = 32; grid.x = side / 32; grid.y = side / 32;
   tile_turns<0>(a, out, row, column, side); tile_turns<1>(a, out, row, column, side); tile_turns<2>(a, out, row, column, side); tile_turns<3>(a, out, row, column, side);
   block.x = 4; block.y = 64; grid.x = side / 4; grid.y = side / 64;
   tile_turns<0>(a, out, row, column, side); tile_turns<1>(a, out, row, column, side); tile_turns<2>(a, out, row, column, side); tile_turns<3>(a, out, row, column, side);
*/
// A thread's x is its row. WHAT: 0 stores, 1 stores what it has read in order (a transpose), 2 changes in place by a row and a column,
// 3 reads only.
template <int WHAT> __global__ void tile_turns(float *a, float *out, const float *__restrict__ row, const float *__restrict__ column, int side)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= side || j >= side) return;
    if (WHAT == 0) out[i * side + j] = 1.0f;
    if (WHAT == 1) out[i * side + j] = a[j * side + i];
    if (WHAT == 2) a[i * side + j] -= column[i] * row[j];
    if (WHAT == 3) out[j * side + i] = a[i * side + j];
}

/* kmutate launch
   unsigned n = 1 << 25; unsigned keys[n] = zeros(); unsigned out[1 << 20] = zeros();
   dim3 block = { 256 }; dim3 grid = { 8192 };
   warp_search<1>(keys, out, n, 0); warp_search<2>(keys, out, n, 100); warp_search<2>(keys, out, n, 1 << 20);
   n = 1 << 20; warp_search<1>(keys, out, n, 0); warp_search<2>(keys, out, n, 100); warp_search<2>(keys, out, n, 1 << 17);
   n = 1 << 15; warp_search<1>(keys, out, n, 0); warp_search<2>(keys, out, n, 100);
   grid.x = 1056; n = 1 << 25; warp_search<1>(keys, out, n, 0); warp_search<2>(keys, out, n, 100); n = 1 << 20; warp_search<2>(keys, out, n, 100);
   block.x = 64; grid.x = 1056; n = 1 << 25; warp_search<1>(keys, out, n, 0); warp_search<2>(keys, out, n, 100); n = 1 << 20; warp_search<2>(keys, out, n, 100);
*/
// A warp looks for a number, and then for another that is `apart` farther on: 32 keys at a time. A key is its place.
template <int TIMES> __global__ void warp_search(const unsigned *__restrict__ keys, unsigned *out, unsigned n, unsigned apart)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned wanted = mixed(warp) % (n - n / 8), sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < TIMES; turn++, wanted += apart) {
        unsigned base = 0;
        for (unsigned stride = n / 32; stride > 0; stride /= 32) {
            const unsigned at = base + (lane + 1) * stride - 1;
            base += __popc(__ballot_sync(~0u, keys[at] + at < wanted)) * stride;
        }
        sum += base;
    }
    if (lane == 0) out[warp] = sum;
}

/* kmutate launch
   unsigned n = 1 << 24; unsigned keys[n] = zeros(); unsigned out[1 << 21] = zeros();
   dim3 block = { 256 }; dim3 grid = { 8192 };
   lane_search<0>(keys, out, n, 0); lane_search<1>(keys, out, n, 1000); lane_search<1>(keys, out, n, 100);
   n = 1 << 20; lane_search<0>(keys, out, n, 0); lane_search<1>(keys, out, n, 1000); lane_search<1>(keys, out, n, 30);
   n = 1 << 16; lane_search<0>(keys, out, n, 0); lane_search<1>(keys, out, n, 1000);
   n = 1 << 12; lane_search<0>(keys, out, n, 0);
*/
// A thread looks for a number by halves. SORTED: for its own place in all, or so, by chance no farther away than `away`.
template <int SORTED> __global__ void lane_search(const unsigned *__restrict__ keys, unsigned *out, unsigned n, unsigned away)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const unsigned mine = SORTED ? unsigned((unsigned long long)t * n / threads) + mixed(t) % away : mixed(t);
    const unsigned wanted = mine & (n - 1u);
    unsigned low = 0, high = n;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (keys[middle] + middle < wanted) low = middle + 1;
        else high = middle;
    }
    out[t] = low;
}
