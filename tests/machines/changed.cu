// Words at random that all SMs load around L1, change by atomic operations, or both. Timed on a GPU and by the model of
// time, as patterns.cu.

__device__ unsigned mixed(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

/* kmutate launch
   dim3 block = { 32 }; dim3 grid = { 132 }; int table[1 << 22] = zeros(); int other[1 << 20] = zeros(); int out[1024] = zeros();
   changed_words<0>(table, other, out, 512, 12, 1); changed_words<0>(table, other, out, 512, 16, 1); changed_words<0>(table, other, out, 512, 16, 32);
   changed_words<1>(table, other, out, 512, 12, 1); changed_words<1>(table, other, out, 512, 16, 1); changed_words<1>(table, other, out, 512, 16, 32);
   changed_words<2>(table, other, out, 512, 12, 1); changed_words<2>(table, other, out, 512, 16, 1); changed_words<2>(table, other, out, 512, 16, 32);
   changed_words<3>(table, other, out, 512, 12, 1); changed_words<3>(table, other, out, 512, 16, 1); changed_words<3>(table, other, out, 512, 16, 32);
   changed_words<4>(table, other, out, 512, 12, 1); changed_words<4>(table, other, out, 512, 16, 1); changed_words<4>(table, other, out, 512, 16, 32);
   changed_words<5>(table, other, out, 512, 12, 1); changed_words<5>(table, other, out, 512, 16, 1); changed_words<5>(table, other, out, 512, 16, 32);
   changed_words<6>(table, other, out, 512, 12, 1); changed_words<6>(table, other, out, 512, 16, 1); changed_words<6>(table, other, out, 512, 16, 32);
   changed_words<7>(table, other, out, 512, 12, 1); changed_words<7>(table, other, out, 512, 16, 1); changed_words<7>(table, other, out, 512, 16, 32);
   grid.x = 1;
   changed_words<0>(table, other, out, 512, 16, 1); changed_words<1>(table, other, out, 512, 16, 1); changed_words<2>(table, other, out, 512, 16, 1);
   changed_words<3>(table, other, out, 512, 16, 1); changed_words<4>(table, other, out, 512, 16, 1);
   grid.x = 132; block.x = 256;
   changed_words<0>(table, other, out, 128, 20, 32); changed_words<1>(table, other, out, 128, 20, 32); changed_words<2>(table, other, out, 128, 20, 32);
   changed_words<3>(table, other, out, 128, 20, 32); changed_words<4>(table, other, out, 128, 20, 32); changed_words<5>(table, other, out, 128, 20, 32);
   changed_words<6>(table, other, out, 128, 20, 32); changed_words<7>(table, other, out, 128, 20, 32);
   grid.x = 264; block.x = 1024;
   changed_words<0>(table, other, out, 32, 20, 32); changed_words<1>(table, other, out, 32, 20, 32); changed_words<2>(table, other, out, 32, 20, 32);
   changed_words<3>(table, other, out, 32, 20, 32); changed_words<4>(table, other, out, 32, 20, 32); changed_words<5>(table, other, out, 32, 20, 32);
   changed_words<6>(table, other, out, 32, 20, 32);
   changed_words<0>(table, other, out, 32, 22, 32); changed_words<1>(table, other, out, 32, 22, 32); changed_words<2>(table, other, out, 32, 22, 32);
   changed_words<3>(table, other, out, 32, 22, 32); changed_words<4>(table, other, out, 32, 22, 32); changed_words<5>(table, other, out, 32, 22, 32);
   changed_words<6>(table, other, out, 32, 22, 32);
   block.x = 32; changed_words<0>(table, other, out, 256, 20, 32); changed_words<1>(table, other, out, 256, 20, 32); changed_words<2>(table, other, out, 256, 20, 32);
   changed_words<3>(table, other, out, 256, 20, 32); changed_words<4>(table, other, out, 256, 20, 32);
   block.x = 1024; changed_words<0>(table, other, out, 128, 20, 1); changed_words<1>(table, other, out, 128, 20, 1); changed_words<2>(table, other, out, 128, 20, 1);
   changed_words<3>(table, other, out, 128, 20, 1); changed_words<4>(table, other, out, 128, 20, 1);
   changed_words<8>(table, other, out, 32, 20, 32); changed_words<9>(table, other, out, 32, 20, 32);
   block.x = 256; grid.x = 132; changed_words<8>(table, other, out, 128, 20, 32); changed_words<9>(table, other, out, 128, 20, 32);
   block.x = 32;
   changed_words<0>(table, other, out, 512, 12, 32); changed_words<1>(table, other, out, 512, 12, 32); changed_words<2>(table, other, out, 512, 12, 32); changed_words<8>(table, other, out, 512, 12, 32);
   changed_words<0>(table, other, out, 512, 14, 32); changed_words<1>(table, other, out, 512, 14, 32); changed_words<2>(table, other, out, 512, 14, 32); changed_words<8>(table, other, out, 512, 14, 32);
   changed_words<8>(table, other, out, 512, 16, 32); changed_words<9>(table, other, out, 512, 16, 32);
   changed_words<0>(table, other, out, 512, 18, 32); changed_words<1>(table, other, out, 512, 18, 32); changed_words<2>(table, other, out, 512, 18, 32); changed_words<8>(table, other, out, 512, 18, 32);
   changed_words<0>(table, other, out, 512, 20, 32); changed_words<1>(table, other, out, 512, 20, 32); changed_words<2>(table, other, out, 512, 20, 32); changed_words<8>(table, other, out, 512, 20, 32);
   changed_words<9>(table, other, out, 512, 20, 32);
   changed_words<2>(table, other, out, 512, 16, 2); changed_words<2>(table, other, out, 512, 16, 4); changed_words<2>(table, other, out, 512, 16, 8); changed_words<2>(table, other, out, 512, 16, 16);
   changed_words<0>(table, other, out, 512, 16, 8); changed_words<1>(table, other, out, 512, 16, 8);
*/
// One step after another of the first `lanes` of a warp: 0: they load a word of 1 << bits, 1: compare and swap one in vain,
// 2: load and swap the same, 3: load one and swap another, 4: load and add to the same, 5: every other block loads and the
// others swap in a quarter of the steps, 6: they load in half of them and the others swap, 7: as 2, through L1, 8: they load in
// one table and swap in another, 9: and store in another.
template <int WHAT> __global__ void changed_words(int *table, int *other, int *out, int steps, int bits, int lanes)
{
    if (threadIdx.x % 32 >= lanes) return;
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    const bool loads = WHAT == 5 ? blockIdx.x % 2 == 0 : WHAT == 6 ? blockIdx.x % 2 == 1 : WHAT != 1;
    const bool swaps = WHAT == 5 || WHAT == 6 ? !loads : WHAT == 1 || WHAT == 2 || WHAT == 3 || WHAT == 7 || WHAT == 8;
    if (WHAT == 5 && swaps) steps /= 4;
    if (WHAT == 6 && loads) steps /= 2;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        n = mixed(n + k + (sum >> 31));
        int *at = table + (n & ((1u << bits) - 1u));
        if (loads) sum |= (WHAT == 7 ? *at : __ldcg(at)) >> 30;
        if (WHAT == 3) { n = mixed(n + (sum >> 31)); at = table + (n & ((1u << bits) - 1u)); }
        if (WHAT == 8 || WHAT == 9) at = other + (n & ((1u << bits) - 1u));
        if (WHAT == 9) at[sum >> 31] = k;
        if (swaps) sum |= atomicCAS(at + (sum >> 31), -5, 7) >> 30;
        if (WHAT == 4) atomicAdd(at + (sum >> 31), 1);
    }
    if (sum == 123456789) out[threadIdx.x] = sum;
}
