// Tables larger and smaller than L2 whose places are claimed at random and counted beside, as hash tables are built: what
// a second or third touch of the same sector costs. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned mixed_key(unsigned n)
{
    n ^= n >> 16; n *= 0x7feb352du; n ^= n >> 15; n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 13200 };
   unsigned table[1 << 26] = zeros(); unsigned out[1024] = zeros();
   claim_places<0>(table, out, 4, 24); claim_places<1>(table, out, 4, 24); claim_places<2>(table, out, 4, 24); claim_places<3>(table, out, 4, 24);
   claim_places<4>(table, out, 4, 24); claim_places<5>(table, out, 4, 24); claim_places<6>(table, out, 4, 24); claim_places<7>(table, out, 4, 24);
   claim_places<0>(table, out, 4, 22); claim_places<1>(table, out, 4, 22); claim_places<2>(table, out, 4, 22); claim_places<3>(table, out, 4, 22);
   claim_places<4>(table, out, 4, 22); claim_places<5>(table, out, 4, 22); claim_places<6>(table, out, 4, 22); claim_places<7>(table, out, 4, 22);
   claim_places<0>(table, out, 4, 18); claim_places<1>(table, out, 4, 18); claim_places<2>(table, out, 4, 18); claim_places<3>(table, out, 4, 18);
   claim_places<4>(table, out, 4, 18); claim_places<5>(table, out, 4, 18); claim_places<6>(table, out, 4, 18); claim_places<7>(table, out, 4, 18);
   claim_places<0>(table, out, 4, 25); claim_places<2>(table, out, 4, 25); claim_places<4>(table, out, 4, 25); claim_places<5>(table, out, 4, 25);
   grid.x = 1320; claim_places<0>(table, out, 32, 24); claim_places<2>(table, out, 32, 24); claim_places<4>(table, out, 32, 24); claim_places<5>(table, out, 32, 24);
   grid.x = 66000; claim_places<0>(table, out, 4, 23); claim_places<2>(table, out, 4, 23); claim_places<4>(table, out, 4, 23); claim_places<5>(table, out, 4, 23);
*/
// 0: a place is compared and swapped, 1: added to, and 2, 3: the word beside it is added to when that is known, 4: the
// place is loaded first, then as 2, 5: loaded, and added beside, 6: loaded, and stored beside; 7: compared and swapped where a
// load found zero, else added beside.
template <int WHAT> __global__ void claim_places(unsigned *table, unsigned *out, int steps, int bits)
{
    const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * steps;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned e = first; e < first + steps; e++) {
        const unsigned key = mixed_key(e + (sum >> 31)), at = 2 * (key & ((1u << bits) - 1u));
        unsigned was = 0;
        if (WHAT == 4 || WHAT == 5 || WHAT == 6 || WHAT == 7) was = table[at];
        if (WHAT == 0 || WHAT == 2 || (WHAT == 4 && was < 1000u)) was = atomicCAS(&table[at], 0u, 5u);
        if (WHAT == 1 || WHAT == 3) was = atomicAdd(&table[at], 1u);
        if (WHAT == 7 && was == 0) was = atomicCAS(&table[at], 0u, 5u);
        else if (WHAT == 7) atomicAdd(&table[at + 1], 1u);
        if ((WHAT == 2 || WHAT == 3 || WHAT == 4 || WHAT == 5) && was < 1000u) atomicAdd(&table[at + 1], 1u);
        if (WHAT == 6 && was < 1000u) table[at + 1] = 1u;
        sum += was >> 8;
    }
    if (sum == 123456789) out[threadIdx.x] = sum;
}
