// Compare-and-swap and exchanges at random places of tables of many sizes, alone and with what kernels do behind them.
// Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned somewhere(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 11719 };
   unsigned table[1 << 25] = zeros(); unsigned out[256] = zeros();
   swaps<0>(table, out, 14, 1); swaps<0>(table, out, 17, 1); swaps<0>(table, out, 20, 1); swaps<0>(table, out, 21, 1);
   swaps<0>(table, out, 22, 1); swaps<0>(table, out, 23, 1); swaps<0>(table, out, 24, 1); swaps<0>(table, out, 25, 1);
   swaps<1>(table, out, 14, 1); swaps<1>(table, out, 20, 1); swaps<1>(table, out, 22, 1); swaps<1>(table, out, 23, 1);
   swaps<1>(table, out, 25, 1);
   swaps<2>(table, out, 14, 1); swaps<2>(table, out, 20, 1); swaps<2>(table, out, 22, 1); swaps<2>(table, out, 23, 1);
   swaps<2>(table, out, 25, 1);
   swaps<3>(table, out, 14, 1); swaps<3>(table, out, 20, 1); swaps<3>(table, out, 22, 1); swaps<3>(table, out, 23, 1);
   swaps<3>(table, out, 25, 1);
   grid.x = 1056; swaps<0>(table, out, 14, 8); swaps<0>(table, out, 20, 8); swaps<0>(table, out, 23, 8);
   swaps<0>(table, out, 25, 8);
   grid.x = 132; swaps<0>(table, out, 14, 8); swaps<0>(table, out, 20, 8); swaps<0>(table, out, 23, 8);
   swaps<0>(table, out, 25, 8);
*/
// Each thread `each` times, one after another: swaps, exchanges, maxima and sums that are wanted.
template <int WHAT> __global__ void swaps(unsigned *table, unsigned *out, int bits, int each)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mask = (1u << bits) - 1u;
    unsigned old = 0;
    for (int k = 0; k < each; k++) {
        unsigned *at = &table[somewhere(i * each + k + (old >> 31)) & mask];
        if (WHAT == 0) old = atomicCAS(at, 0u, 1u + (i >> 8));
        if (WHAT == 1) old = atomicExch(at, i >> 8);
        if (WHAT == 2) old = atomicMax(at, i >> 8);
        if (WHAT == 3) old = atomicAdd(at, 1u);
    }
    if (old == 0x7fffffffu) out[threadIdx.x] = old;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 11719 };
   unsigned table[1 << 24] = zeros(); unsigned counts[1 << 24] = zeros();
   counted(table, counts, 14, 20); counted(table, counts, 18, 20); counted(table, counts, 20, 20);
   counted(table, counts, 22, 20); counted(table, counts, 23, 20); counted(table, counts, 24, 20);
   counted(table, counts, 23, 15); counted(table, counts, 23, 24);
*/
// Keys of a table with linear probing are counted: of 2 to the `kinds` different ones.
__global__ void counted(unsigned *table, unsigned *counts, int bits, int kinds)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mask = (1u << bits) - 1u;
    const unsigned key = 1u + (somewhere(i) & ((1u << kinds) - 1u)), first = somewhere(key);
    for (int probe = 0; probe < 8; probe++) {
        const unsigned at = first + probe & mask, old = atomicCAS(&table[at], 0u, key);
        if (old == 0u || old == key) {
            atomicAdd(&counts[at], 1u);
            return;
        }
    }
}
