// Lanes that look something up in a table, and counters of the grid beside: what both take together. Timed on a GPU and by the model
// of time, as patterns.cu.

__device__ unsigned stirred(unsigned n)
{
    n ^= n >> 16; n *= 0x7feb352du; n ^= n >> 15; n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 16384 };
   unsigned table[1 << 26] = zeros(); unsigned out[1 << 22] = zeros(); unsigned count[1024] = zeros();
   looked_up<32, 0>(table, out, count, 1, 18, 1); looked_up<32, 1>(table, out, count, 1, 18, 1); looked_up<32, 1>(table, out, count, 1, 18, 2); looked_up<32, 1>(table, out, count, 1, 18, 4);
   looked_up<32, 0>(table, out, count, 1, 20, 1); looked_up<32, 1>(table, out, count, 1, 20, 1); looked_up<32, 1>(table, out, count, 1, 20, 2); looked_up<32, 1>(table, out, count, 1, 20, 4);
   looked_up<32, 0>(table, out, count, 1, 22, 1); looked_up<32, 1>(table, out, count, 1, 22, 1); looked_up<32, 1>(table, out, count, 1, 22, 2); looked_up<32, 1>(table, out, count, 1, 22, 4);
   looked_up<32, 0>(table, out, count, 1, 23, 1); looked_up<32, 1>(table, out, count, 1, 23, 1); looked_up<32, 1>(table, out, count, 1, 23, 2); looked_up<32, 1>(table, out, count, 1, 23, 4);
   looked_up<32, 0>(table, out, count, 1, 24, 1); looked_up<32, 1>(table, out, count, 1, 24, 1); looked_up<32, 1>(table, out, count, 1, 24, 2); looked_up<32, 1>(table, out, count, 1, 24, 4);
   looked_up<32, 0>(table, out, count, 1, 25, 1); looked_up<32, 1>(table, out, count, 1, 25, 1); looked_up<32, 1>(table, out, count, 1, 25, 2); looked_up<32, 1>(table, out, count, 1, 25, 4);
   looked_up<32, 0>(table, out, count, 1, 26, 1); looked_up<32, 1>(table, out, count, 1, 26, 1); looked_up<32, 1>(table, out, count, 1, 26, 2); looked_up<32, 1>(table, out, count, 1, 26, 4);
   looked_up<32, 0>(table, out, count, 3, 20, 1); looked_up<32, 1>(table, out, count, 3, 20, 1); looked_up<32, 1>(table, out, count, 3, 20, 2);
   looked_up<32, 0>(table, out, count, 3, 23, 1); looked_up<32, 1>(table, out, count, 3, 23, 1); looked_up<32, 1>(table, out, count, 3, 23, 2);
   looked_up<32, 0>(table, out, count, 3, 26, 1); looked_up<32, 1>(table, out, count, 3, 26, 1); looked_up<32, 1>(table, out, count, 3, 26, 2);
   looked_up<4, 0>(table, out, count, 4, 20, 1); looked_up<4, 1>(table, out, count, 4, 20, 1); looked_up<4, 1>(table, out, count, 4, 20, 2);
   looked_up<4, 0>(table, out, count, 4, 23, 1); looked_up<4, 1>(table, out, count, 4, 23, 1); looked_up<4, 1>(table, out, count, 4, 23, 2);
   looked_up<4, 0>(table, out, count, 4, 26, 1); looked_up<4, 1>(table, out, count, 4, 26, 1); looked_up<4, 1>(table, out, count, 4, 26, 2);
   looked_up<1, 0>(table, out, count, 8, 20, 1); looked_up<1, 1>(table, out, count, 8, 20, 1); looked_up<1, 1>(table, out, count, 8, 20, 2);
   looked_up<1, 0>(table, out, count, 8, 23, 1); looked_up<1, 1>(table, out, count, 8, 23, 1); looked_up<1, 1>(table, out, count, 8, 23, 2);
   looked_up<1, 0>(table, out, count, 8, 26, 1); looked_up<1, 1>(table, out, count, 8, 26, 1); looked_up<1, 1>(table, out, count, 8, 26, 2);
   looked_up<32, 2>(table, out, count, 1, 20, 1); looked_up<32, 2>(table, out, count, 1, 20, 4); looked_up<32, 3>(table, out, count, 1, 20, 1); looked_up<32, 4>(table, out, count, 1, 20, 1); looked_up<32, 2>(table, out, count, 1, 26, 1); looked_up<32, 2>(table, out, count, 1, 26, 4); looked_up<32, 3>(table, out, count, 1, 26, 1); looked_up<32, 4>(table, out, count, 1, 26, 1);
   looked_up<0, 1>(table, out, count, 1, 20, 1); looked_up<0, 1>(table, out, count, 1, 20, 2); looked_up<0, 1>(table, out, count, 1, 20, 4); looked_up<0, 2>(table, out, count, 1, 20, 1); looked_up<0, 3>(table, out, count, 1, 20, 1); looked_up<0, 4>(table, out, count, 1, 20, 1);
*/
// A warp's lanes look at LANES sectors (0: nothing), so many `places` of 1 << bits words one after another, and of every so many warps
// one lane adds. ADDS 0: not; 1: to one counter; 2: before it looks anything up; 3: to one of two 1 KB apart; 4: of four lanes each to
// a sector of its own, in 1 KB.
template <int LANES, int ADDS> __global__ void looked_up(const unsigned *table, unsigned *out, unsigned *count, int places, int bits,
                                                       int every)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32, lane = threadIdx.x % 32;
    const bool mine = ADDS && warp % every == 0;
    unsigned found = 0;
    if (ADDS == 2 && mine && lane == 0) atomicAdd(count, 1u);
    if (LANES) {
        const unsigned group = LANES ? thread / (32 / (LANES ? LANES : 1)) : 0;
#pragma unroll 1
        for (int k = 0; k < places; k++)
            found = table[(stirred(group + (k << 22) + found) & ((1u << bits) - 1u) & ~7u) + lane % (LANES > 4 ? 1 : 8)];
    }
    if (found == 77u) out[thread] = found;
    const unsigned who = __ballot_sync(~0u, found == 0u);
    if (ADDS == 1 && mine && lane == 0 && who) atomicAdd(count, __popc(who));
    if (ADDS == 3 && mine && lane == 0 && who) atomicAdd(count + (warp & 1u) * 256u, __popc(who));
    if (ADDS == 4 && mine && lane < 4 && who) atomicAdd(count + lane * 64u, __popc(who));
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 16384 };
   unsigned table[1 << 28] = zeros(); unsigned out[1 << 22] = zeros(); unsigned count[1024] = zeros();
   counted_far<0>(table, out, count, 23, 4, 1); counted_far<1>(table, out, count, 23, 4, 1); counted_far<1>(table, out, count, 23, 4, 2); counted_far<1>(table, out, count, 23, 4, 4);
   counted_far<0>(table, out, count, 23, 16, 1); counted_far<1>(table, out, count, 23, 16, 1); counted_far<1>(table, out, count, 23, 16, 2); counted_far<1>(table, out, count, 23, 16, 4);
   counted_far<0>(table, out, count, 24, 4, 1); counted_far<1>(table, out, count, 24, 4, 1); counted_far<1>(table, out, count, 24, 4, 2); counted_far<1>(table, out, count, 24, 4, 4);
   counted_far<0>(table, out, count, 24, 16, 1); counted_far<1>(table, out, count, 24, 16, 1); counted_far<1>(table, out, count, 24, 16, 2); counted_far<1>(table, out, count, 24, 16, 4);
   counted_far<0>(table, out, count, 26, 4, 1); counted_far<1>(table, out, count, 26, 4, 1); counted_far<1>(table, out, count, 26, 4, 2); counted_far<1>(table, out, count, 26, 4, 4);
   counted_far<0>(table, out, count, 27, 1, 1); counted_far<1>(table, out, count, 27, 1, 1); counted_far<1>(table, out, count, 27, 1, 2); counted_far<1>(table, out, count, 27, 1, 4);
   counted_far<0>(table, out, count, 28, 1, 1); counted_far<1>(table, out, count, 28, 1, 1); counted_far<1>(table, out, count, 28, 1, 2); counted_far<1>(table, out, count, 28, 1, 4);
*/
// The same, 1 << bits words of which every `skip`-th 2 MB of a larger table have some.
template <int ADDS> __global__ void counted_far(const unsigned *table, unsigned *out, unsigned *count, int bits, int skip, int every)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned at = stirred(thread) & ((1u << bits) - 1u) & ~7u, found = table[(at >> 19) * skip << 19 | (at & ((1u << 19) - 1u))];
    if (found == 77u) out[thread] = found;
    const unsigned who = __ballot_sync(~0u, found == 0u);
    if (ADDS && thread / 32 % every == 0 && threadIdx.x % 32 == 0 && who) atomicAdd(count, __popc(who));
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 16384 };
   unsigned table[1 << 26] = zeros(); unsigned out[1 << 22] = zeros(); unsigned count[1024] = zeros();
   flagged<1>(table, out, count, 1, 20, 1); flagged<1>(table, out, count, 1, 20, 2); flagged<1>(table, out, count, 1, 20, 4); flagged<32>(table, out, count, 1, 20, 1); flagged<32>(table, out, count, 1, 20, 2); flagged<32>(table, out, count, 1, 20, 4);
   flagged<1>(table, out, count, 1, 23, 1); flagged<1>(table, out, count, 1, 23, 2); flagged<1>(table, out, count, 1, 23, 4); flagged<32>(table, out, count, 1, 23, 1); flagged<32>(table, out, count, 1, 23, 2); flagged<32>(table, out, count, 1, 23, 4);
   flagged<1>(table, out, count, 3, 20, 1); flagged<1>(table, out, count, 3, 20, 2); flagged<1>(table, out, count, 3, 20, 4); flagged<32>(table, out, count, 3, 20, 1); flagged<32>(table, out, count, 3, 20, 2); flagged<32>(table, out, count, 3, 20, 4);
   flagged<1>(table, out, count, 3, 23, 1); flagged<1>(table, out, count, 3, 23, 2); flagged<1>(table, out, count, 3, 23, 4); flagged<32>(table, out, count, 3, 23, 1); flagged<32>(table, out, count, 3, 23, 2); flagged<32>(table, out, count, 3, 23, 4);
   flagged<1>(table, out, count, 0, 20, 1); flagged<1>(table, out, count, 0, 20, 4); flagged<32>(table, out, count, 0, 20, 1); flagged<32>(table, out, count, 0, 20, 4); flagged<11>(table, out, count, 0, 20, 1); flagged<11>(table, out, count, 0, 20, 4);
   flagged<11>(table, out, count, 3, 20, 1); flagged<11>(table, out, count, 3, 20, 2); flagged<11>(table, out, count, 3, 20, 4);
   block.x = 128; grid.x = 8192; flagged<32>(table, out, count, 0, 20, 1); flagged<11>(table, out, count, 0, 20, 1); flagged<11>(table, out, count, 0, 20, 1073741824); flagged<32>(table, out, count, 3, 20, 1); flagged<11>(table, out, count, 3, 20, 1); flagged<11>(table, out, count, 3, 20, 1073741824); flagged<32>(table, out, count, 10, 20, 1); flagged<11>(table, out, count, 10, 20, 1); flagged<11>(table, out, count, 10, 20, 1073741824);
*/
// Looks up as `looked_up` does, 32 sectors a place (none: 0 places), and WHO lanes of every so many warps store to one word of the grid.
template <int WHO> __global__ void flagged(const unsigned *table, unsigned *out, unsigned *count, int places, int bits, int every)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
#pragma unroll 1
    for (int k = 0; k < places; k++) found = table[stirred(thread + (k << 22) + found) & ((1u << bits) - 1u) & ~7u];
    if (found == 77u) out[thread] = found;
    if (threadIdx.x % 32 < WHO && thread / 32 % every == 0 && found == 0u) *count = 1u;
}
