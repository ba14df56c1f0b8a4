// A counter of the whole grid that warps add to beside other work, as for what a filter, a join or a table found: what an
// addition takes there while others' requests are on their way. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned mixed(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 };
   unsigned count[64] = zeros(); unsigned data[1 << 23] = iota();
   tallies<0, 1>(count, data, 0, 4, 1); tallies<0, 2>(count, data, 0, 4, 1); tallies<0, 3>(count, data, 0, 4, 1); tallies<0, 4>(count, data, 0, 4, 1);
   tallies<1, 0>(count, data, 0, 4, 1); tallies<1, 1>(count, data, 0, 4, 1); tallies<1, 2>(count, data, 0, 4, 1); tallies<1, 3>(count, data, 0, 4, 1);
   tallies<1, 0>(count, data, 22, 4, 1); tallies<1, 1>(count, data, 22, 4, 1); tallies<1, 2>(count, data, 22, 4, 1); tallies<1, 3>(count, data, 22, 4, 1);
   tallies<2, 0>(count, data, 0, 4, 1); tallies<2, 1>(count, data, 0, 4, 1); tallies<2, 2>(count, data, 0, 4, 1);
   tallies<2, 0>(count, data, 22, 4, 1); tallies<2, 1>(count, data, 22, 4, 1); tallies<2, 2>(count, data, 22, 4, 1); tallies<2, 3>(count, data, 22, 4, 1);
   tallies<3, 0>(count, data, 0, 4, 1); tallies<3, 1>(count, data, 0, 4, 1); tallies<3, 2>(count, data, 0, 4, 1);
   tallies<3, 0>(count, data, 22, 4, 1); tallies<3, 1>(count, data, 22, 4, 1); tallies<3, 2>(count, data, 22, 4, 1); tallies<3, 3>(count, data, 22, 4, 1);
   tallies<4, 0>(count, data, 0, 4, 1); tallies<4, 1>(count, data, 0, 4, 1); tallies<4, 2>(count, data, 0, 4, 1); tallies<4, 3>(count, data, 0, 4, 1);
   tallies<4, 0>(count, data, 22, 4, 1); tallies<4, 1>(count, data, 22, 4, 1); tallies<4, 2>(count, data, 22, 4, 1); tallies<4, 3>(count, data, 22, 4, 1);
   tallies<5, 0>(count, data, 22, 4, 1); tallies<5, 1>(count, data, 22, 4, 1); tallies<5, 2>(count, data, 22, 4, 1);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 };
   unsigned count[64] = zeros(); unsigned data[1 << 23] = iota();
   tallies<3, 1>(count, data, 22, 4, 2); tallies<3, 1>(count, data, 22, 4, 4); tallies<3, 1>(count, data, 22, 4, 16);
   tallies<2, 1>(count, data, 22, 4, 2); tallies<2, 1>(count, data, 22, 4, 4); tallies<2, 1>(count, data, 22, 4, 16);
   tallies<1, 1>(count, data, 22, 4, 4); tallies<4, 1>(count, data, 22, 4, 4);
   tallies<3, 1>(count, data, 14, 4, 1); tallies<3, 1>(count, data, 8, 4, 1); tallies<2, 1>(count, data, 14, 4, 1);
   tallies<3, 0>(count, data, 14, 4, 1); tallies<3, 0>(count, data, 8, 4, 1); tallies<2, 0>(count, data, 14, 4, 1);
   grid.x = 528;
   tallies<3, 1>(count, data, 22, 4, 1); tallies<2, 1>(count, data, 22, 4, 1); tallies<3, 0>(count, data, 22, 4, 1); tallies<2, 0>(count, data, 22, 4, 1);
   tallies<1, 1>(count, data, 22, 4, 1); tallies<1, 0>(count, data, 22, 4, 1);
   grid.x = 2048; block.x = 64;
   tallies<3, 1>(count, data, 22, 8, 1); tallies<2, 1>(count, data, 22, 8, 1); tallies<3, 0>(count, data, 22, 8, 1); tallies<2, 0>(count, data, 22, 8, 1);
   tallies<1, 1>(count, data, 22, 8, 1); tallies<1, 0>(count, data, 22, 8, 1); tallies<0, 1>(count, data, 22, 8, 1); tallies<0, 2>(count, data, 22, 8, 1);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 };
   unsigned count[64] = zeros(); unsigned data[1 << 23] = iota();
   some_tally<0>(count, data, 22, 4, 1); some_tally<0>(count, data, 22, 4, 2); some_tally<0>(count, data, 22, 4, 4); some_tally<0>(count, data, 22, 4, 16);
   some_tally<3>(count, data, 22, 4, 1); some_tally<3>(count, data, 22, 4, 2); some_tally<3>(count, data, 22, 4, 4); some_tally<3>(count, data, 22, 4, 16);
   some_tally<1>(count, data, 22, 4, 1); some_tally<1>(count, data, 22, 4, 4); some_tally<2>(count, data, 22, 4, 4);
*/
// A step of a warp. OP, of all lanes: 0 nothing, 1 load around L1, 2 addition, 3 compare-and-swap that fails, 4 store, 5 exchange;
// at the lane's own word, or at random in 1 << bits words. COUNT: 0 not, 1 one lane adds, 2 and waits for what was there, 3 four
// lanes one after another, 4 four that wait. Of `every` warps one counts.
template <int OP, int COUNT> __global__ void tallies(unsigned *count, unsigned *data, int bits, int each, int every)
{
    const int lane = threadIdx.x % 32, thread = blockIdx.x * blockDim.x + threadIdx.x;
    const bool counts = thread / 32 % every == 0;
    unsigned seen = 0;
#pragma unroll 1
    for (int k = 0; k < each; k++) {
        const unsigned own = k * gridDim.x * blockDim.x + thread;
        unsigned *const at = data + (bits ? mixed(own) & ((1u << bits) - 1u) : own);
        unsigned was = 0;
        if (OP == 1) was = __ldcg(at);
        if (OP == 2) atomicAdd(at, 1u);
        if (OP == 3) was = atomicCAS(at, ~0u, 5u);
        if (OP == 4) *at = own;
        if (OP == 5) was = atomicExch(at, own);
        if (COUNT == 1 && lane == 0 && counts && was != ~1u) atomicAdd(count, 1u);
        if (COUNT == 2 && lane == 0 && counts && was != ~1u) seen |= atomicAdd(count, 1u) >> 31;
        if (COUNT >= 3) {
#pragma unroll 1
            for (int q = 0; q < 32; q += 8)
                if (lane == q && counts && was != ~1u) {
                    if (COUNT == 3) atomicAdd(count, 1u);
                    else seen |= atomicAdd(count, 1u) >> 31;
                }
        }
        seen |= was >> 31;
    }
    if (seen) data[threadIdx.x] = seen;
}

// Of `of` blocks one counts, at each step of each warp, all others do OP: 0 nothing, else as above.
template <int OP> __global__ void some_tally(unsigned *count, unsigned *data, int bits, int each, int of)
{
    const int lane = threadIdx.x % 32, thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned seen = 0;
#pragma unroll 1
    for (int k = 0; k < each; k++) {
        const unsigned own = k * gridDim.x * blockDim.x + thread;
        if (blockIdx.x % of == 0) {
            if (lane == 0) atomicAdd(count, 1u);
        } else {
            unsigned *const at = data + (mixed(own) & ((1u << bits) - 1u));
            if (OP == 1) seen |= __ldcg(at) >> 31;
            if (OP == 2) atomicAdd(at, 1u);
            if (OP == 3) seen |= atomicCAS(at, ~0u, 5u) >> 31;
        }
    }
    if (seen) data[threadIdx.x] = seen;
}
