// Loads of several parts of a bucket that lies at random: of one sector twice, of sectors of a line, of lines, right after
// each other or when the first is there. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned place(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 11719 };
   unsigned table[1 << 25] = zeros(); unsigned out[1 << 22] = zeros();
   quads<1, 1>((uint4 *)table, out, 12); quads<1, 1>((uint4 *)table, out, 17); quads<1, 1>((uint4 *)table, out, 20); quads<1, 1>((uint4 *)table, out, 22);
   quads<2, 1>((uint4 *)table, out, 12); quads<2, 1>((uint4 *)table, out, 17); quads<2, 1>((uint4 *)table, out, 20); quads<2, 1>((uint4 *)table, out, 22);
   quads<2, 2>((uint4 *)table, out, 12); quads<2, 2>((uint4 *)table, out, 17); quads<2, 2>((uint4 *)table, out, 20); quads<2, 2>((uint4 *)table, out, 22);
   quads<4, 1>((uint4 *)table, out, 12); quads<4, 1>((uint4 *)table, out, 17); quads<4, 1>((uint4 *)table, out, 20); quads<4, 1>((uint4 *)table, out, 21);
   quads<4, 2>((uint4 *)table, out, 12); quads<4, 2>((uint4 *)table, out, 17); quads<4, 2>((uint4 *)table, out, 20); quads<4, 2>((uint4 *)table, out, 21);
   quads<8, 1>((uint4 *)table, out, 12); quads<8, 1>((uint4 *)table, out, 17); quads<8, 1>((uint4 *)table, out, 20);
   grid.x = 1056; quads<2, 1>((uint4 *)table, out, 20); quads<4, 1>((uint4 *)table, out, 20);
   grid.x = 132; quads<2, 1>((uint4 *)table, out, 20); quads<4, 1>((uint4 *)table, out, 20);
*/
// A bucket of PARTS times 16 bytes of 2 to the `bits` for each thread; HOW 1: all parts at once, 2: one after another.
template <int PARTS, int HOW> __global__ void quads(const uint4 *__restrict__ table, unsigned *out, int bits)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mask = (1u << bits) - 1u;
    const uint4 *at = &table[(place(i) & mask) * PARTS];
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        const uint4 got = at[HOW == 2 ? k + (sum >> 31) : k];
        sum += got.x + got.y + got.z + got.w;
    }
    out[i & 0x3fffff] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 11719 };
   unsigned table[1 << 25] = zeros(); unsigned out[1 << 22] = zeros();
   words<2>(table, out, 12); words<2>(table, out, 18); words<2>(table, out, 22); words<4>(table, out, 12); words<4>(table, out, 18); words<4>(table, out, 22);
   words<8>(table, out, 12); words<8>(table, out, 18); words<8>(table, out, 22);
   grid.x = 1056; words<2>(table, out, 22); words<8>(table, out, 22);
*/
// Words of a sector by a load each, all at once.
template <int WORDS> __global__ void words(const unsigned *__restrict__ table, unsigned *out, int bits)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mask = (1u << bits) - 1u;
    const unsigned *at = &table[(place(i) & mask) * 8];
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++) sum += __ldg(&at[k]) >> (k & 1);
    out[i & 0x3fffff] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 11719 };
   unsigned table[1 << 25] = zeros(); unsigned out[1 << 22] = zeros();
   two_buckets<2>((uint4 *)table, out, 12); two_buckets<2>((uint4 *)table, out, 17); two_buckets<2>((uint4 *)table, out, 20); two_buckets<2>((uint4 *)table, out, 21);
   two_buckets<1>((uint4 *)table, out, 12); two_buckets<1>((uint4 *)table, out, 17); two_buckets<1>((uint4 *)table, out, 20); two_buckets<1>((uint4 *)table, out, 22);
*/
// Two buckets, the second when the first is there.
template <int PARTS> __global__ void two_buckets(const uint4 *__restrict__ table, unsigned *out, int bits)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mask = (1u << bits) - 1u;
    unsigned h = place(i), sum = 0;
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        const uint4 *at = &table[(h & mask) * PARTS];
#pragma unroll
        for (int k = 0; k < PARTS; k++) sum += at[k].x + at[k].y + at[k].z + at[k].w;
        h = place(h + (sum >> 31));
    }
    out[i & 0x3fffff] = sum;
}
