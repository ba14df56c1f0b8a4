// Stores and additions at random places of arrays of many sizes, and lanes that each walk along a row of their own. Timed
// on a GPU and by the model of time, as patterns.cu.

__device__ unsigned somewhere(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

/* kmutate launch
   int words = 1 << 19; dim3 grid = { 1320 }; dim3 block = { 256 };
   int out[words] = zeros();
   random_stores(out, words - 1, 8);
*/
/* kmutate launch
   int words = 1 << 22; dim3 grid = { 1320 }; dim3 block = { 256 };
   int out[words] = zeros();
   random_stores(out, words - 1, 8);
*/
/* kmutate launch
   int words = 1 << 23; dim3 grid = { 1320 }; dim3 block = { 256 };
   int out[words] = zeros();
   random_stores(out, words - 1, 8);
*/
/* kmutate launch
   int words = 1 << 26; dim3 grid = { 1320 }; dim3 block = { 256 };
   int out[words] = zeros();
   random_stores(out, words - 1, 8);
*/
/* kmutate launch
   dim3 grid = { 1320 }; dim3 block = { 256 };
   int out[1 << 27] = zeros();
   random_stores(out, (1 << 18) - 1, 8); random_stores(out, (1 << 20) - 1, 8); random_stores(out, (1 << 21) - 1, 8); random_stores(out, (1 << 24) - 1, 8);
   random_stores(out, (1 << 25) - 1, 8); random_stores(out, (1 << 27) - 1, 8);
   random_stores(out, (1 << 19) - 1, 32); random_stores(out, (1 << 20) - 1, 32); random_stores(out, (1 << 21) - 1, 32); random_stores(out, (1 << 22) - 1, 32);
   random_stores(out, (1 << 23) - 1, 32); random_stores(out, (1 << 24) - 1, 32);
*/
__global__ void random_stores(int *out, unsigned mask, int each)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; k++) out[somewhere(i * 32 + k) & mask] = k;
}

/* kmutate launch
   int words = 1 << 19; dim3 grid = { 1320 }; dim3 block = { 256 };
   float out[words] = zeros();
   random_adds(out, words - 1, 8);
*/
/* kmutate launch
   int words = 1 << 22; dim3 grid = { 1320 }; dim3 block = { 256 };
   float out[words] = zeros();
   random_adds(out, words - 1, 8);
*/
/* kmutate launch
   int words = 1 << 26; dim3 grid = { 1320 }; dim3 block = { 256 };
   float out[words] = zeros();
   random_adds(out, words - 1, 8);
*/
/* kmutate launch
   dim3 grid = { 1320 }; dim3 block = { 256 };
   float out[1 << 26] = zeros();
   random_adds(out, (1 << 21) - 1, 8); random_adds(out, (1 << 23) - 1, 8); random_adds(out, (1 << 24) - 1, 8); random_adds(out, (1 << 25) - 1, 8);
   random_adds(out, (1 << 20) - 1, 32); random_adds(out, (1 << 21) - 1, 32); random_adds(out, (1 << 22) - 1, 32); random_adds(out, (1 << 23) - 1, 32);
   random_adds(out, (1 << 24) - 1, 32);
*/
__global__ void random_adds(float *out, unsigned mask, int each)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; k++) atomicAdd(&out[somewhere(i * 32 + k) & mask], 1.0f);
}

/* kmutate launch
   int words = 1 << 18; dim3 grid = { 1320 }; dim3 block = { 256 };
   double out[words] = zeros();
   random_adds64(out, words - 1, 8);
*/
/* kmutate launch
   int words = 1 << 21; dim3 grid = { 1320 }; dim3 block = { 256 };
   double out[words] = zeros();
   random_adds64(out, words - 1, 8);
*/
/* kmutate launch
   int words = 1 << 25; dim3 grid = { 1320 }; dim3 block = { 256 };
   double out[words] = zeros();
   random_adds64(out, words - 1, 8);
*/
__global__ void random_adds64(double *out, unsigned mask, int each)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; k++) atomicAdd(&out[somewhere(i * 32 + k) & mask], 1.0);
}

/* kmutate launch
   int words = 1 << 18; dim3 grid = { 1320 }; dim3 block = { 256 };
   double out[words] = zeros(); double in[words] = zeros();
   random_pairs(out, in, words - 1, 8);
*/
/* kmutate launch
   int words = 1 << 21; dim3 grid = { 1320 }; dim3 block = { 256 };
   double out[words] = zeros(); double in[words] = zeros();
   random_pairs(out, in, words - 1, 8);
*/
/* kmutate launch
   dim3 grid = { 1320 }; dim3 block = { 256 };
   double out[1 << 24] = zeros(); double in[1 << 24] = zeros();
   random_pairs(out, in, (1 << 20) - 1, 8); random_pairs(out, in, (1 << 22) - 1, 8); random_pairs(out, in, (1 << 23) - 1, 8); random_pairs(out, in, (1 << 24) - 1, 8);
*/
// A read at one random place, an addition at another.
__global__ void random_pairs(double *out, const double *in, unsigned mask, int each)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; k++)
        atomicAdd(&out[somewhere(i * 32 + k) & mask], in[somewhere(i * 32 + k + 16) & mask]);
}

/* kmutate launch
   int columns = 1536; dim3 grid = { 64 }; dim3 block = { 128 };
   float out[grid.x * block.x] = zeros(); float in[grid.x * block.x * columns] = zeros();
   row_walks(out, in, columns, 0);
*/
/* kmutate launch
   int columns = 1536; dim3 grid = { 132 }; dim3 block = { 32 };
   float out[grid.x * block.x] = zeros(); float in[grid.x * block.x * columns] = zeros();
   row_walks(out, in, columns, 0);
*/
/* kmutate launch
   int columns = 1536; dim3 grid = { 132 }; dim3 block = { 128 };
   float out[grid.x * block.x] = zeros(); float in[grid.x * block.x * columns] = zeros();
   row_walks(out, in, columns, 0);
*/
/* kmutate launch
   int columns = 1024; dim3 grid = { 132 }; dim3 block = { 512 };
   float out[grid.x * block.x] = zeros(); float in[grid.x * block.x * columns] = zeros();
   row_walks(out, in, columns, 0);
*/
/* kmutate launch
   int columns = 1536; dim3 grid = { 64 }; dim3 block = { 128 };
   float out[grid.x * block.x] = zeros(); float in[grid.x * block.x * columns] = zeros();
   row_walks(out, in, columns, 1);
*/
/* kmutate launch
   int columns = 1536; dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 512] = zeros(); float in[132 * 512 * columns] = zeros();
   row_walks(out, in, columns, 1);
   block.x = 128; row_walks(out, in, columns, 1);
   block.x = 512; row_walks(out, in, columns, 1);
   grid.x = 1; block.x = 32; row_walks(out, in, columns, 1); row_walks(out, in, columns, 0);
*/
// A lane a row. With `kept` the sum is kept in memory, so that no load goes before the one before it.
__global__ void row_walks(float *out, const float *in, int columns, int kept)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < columns; j++) {
        sum += in[(size_t)i * columns + j];
        if (kept) out[i] = sum;
    }
    out[i] = sum;
}

// 2^bits places, `stride` words apart, in an order that looks random: each once in a turn. Another word each turn.
__device__ unsigned place(unsigned n, int bits)
{
    const unsigned mask = (1u << bits) - 1;
    n = n * 0x9e3779b1u & mask; n ^= n >> bits / 2;
    n = n * 0x85ebca6bu & mask; n ^= n >> bits / 2;
    return n * 0xc2b2ae35u & mask;
}

/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 19] = zeros();
   once_stores(out, 16, 1, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   once_stores(out, 19, 2, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   once_stores(out, 20, 4, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   once_stores(out, 21, 8, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   once_stores(out, 23, 32, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   once_stores(out, 19, 2, 8, 2); once_stores(out, 19, 2, 8, 4);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   once_stores(out, 20, 4, 8, 2); once_stores(out, 20, 4, 8, 4);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   once_stores(out, 21, 8, 8, 2);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   once_stores(out, 17, 1, 32, 4);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   once_stores(out, 18, 1, 32, 1); once_stores(out, 18, 1, 32, 4);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   once_stores(out, 19, 2, 32, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   once_stores(out, 21, 8, 32, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 25] = zeros();
   once_stores(out, 21, 8, 16, 1);
*/
__global__ void once_stores(int *out, int bits, int each, int stride, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int t = 0; t < turns; t++)
        for (int k = 0; k < each; k++) out[place(i + k * all, bits) * stride + t] = k;
}

/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   once_adds(out, 19, 2, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   once_adds(out, 20, 4, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   once_adds(out, 21, 8, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   once_adds(out, 23, 32, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   once_adds(out, 19, 2, 8, 4);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   once_adds(out, 20, 4, 8, 4);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   once_adds(out, 21, 8, 8, 4);
*/
/* kmutate launch
   dim3 grid = { 1024 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   once_adds(out, 21, 8, 32, 1);
*/
__global__ void once_adds(int *out, int bits, int each, int stride, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int t = 0; t < turns; t++)
        for (int k = 0; k < each; k++) atomicAdd(&out[place(i + k * all, bits) * stride + t], 1);
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 19] = zeros();
   whole_stores(out, 16, 64);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   whole_stores(out, 19, 64);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   whole_stores(out, 20, 64);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   whole_stores(out, 21, 64);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   whole_stores(out, 23, 64);
*/
// Eight lanes write a sector, all of it, one of 2^bits at random.
__global__ void whole_stores(int *out, int bits, int each)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; k++) out[(somewhere(i / 8 * 64 + k) & (1u << bits) - 1) * 8 + i % 8] = k;
}
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 21] = zeros();
   known_stores(out, 21, 8, 0);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   known_stores(out, 22, 8, 0);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   known_stores(out, 23, 8, 0);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 21] = zeros();
   known_stores(out, 21, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   known_stores(out, 22, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   known_stores(out, 23, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   known_stores(out, 22, 8, 2);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 23] = zeros();
   known_stores(out, 23, 8, 2);
*/
// Stores at random among 2^bits words that were all read (1) or written (2) before.
__global__ void known_stores(int *out, int bits, int each, int before)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    int sum = 0;
    if (before == 1) for (unsigned n = i; n < 1u << bits; n += all) sum += out[n];
    if (before == 2) for (unsigned n = i; n < 1u << bits; n += all) out[n] = n;
    if (sum == -12345) out[0] = sum;
    for (int k = 0; k < each; k++) out[somewhere(i * 32 + k) & (1u << bits) - 1] = k;
}
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 19] = zeros();
   random_bumps(out, 19, 8);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   random_bumps(out, 22, 8);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   random_bumps(out, 24, 8);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   random_bumps(out, 26, 8);
*/
// A word that is read, changed and written, at random.
__global__ void random_bumps(int *out, int bits, int each)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (int k = 0; k < each; k++) out[somewhere(i * 32 + k) & (1u << bits) - 1]++;
}

/* kmutate launch
   int columns = 1536; dim3 grid = { 132 }; dim3 block = { 32 };
   int out[132 * 512] = zeros(); int in[132 * 512 * columns] = zeros();
   row_steps(out, in, columns, columns, 1); row_steps(out, in, columns, columns, 8); row_steps(out, in, columns, columns, 32);
   row_steps(out, in, columns, 1568, 32); row_steps(out, in, 192, 196, 32);
   block.x = 128; row_steps(out, in, columns, columns, 32); block.x = 512; row_steps(out, in, columns, columns, 32);
   grid.x = 1; block.x = 32; row_steps(out, in, columns, columns, 1); row_steps(out, in, columns, columns, 32);
*/
// The same by `lanes` lanes, whose loads wait for each other, without a store.
__global__ void row_steps(int *out, const int *in, int columns, int row, int lanes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    if (threadIdx.x % 32 < lanes)
#pragma unroll 8
        for (int j = 0; j < columns; j++) sum += in[(size_t)i * row + j + sum];
    out[i] = sum;
}

/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[132 * 32] = zeros(); int in[1 << 26] = zeros();
   sector_steps<0>(out, in, 1024, 8, 16384, 1); sector_steps<0>(out, in, 1024, 16, 16384, 1); sector_steps<0>(out, in, 1024, 32, 16384, 1);
   sector_steps<0>(out, in, 1024, 64, 16384, 1); sector_steps<0>(out, in, 1024, 8, 12352, 8); sector_steps<0>(out, in, 1024, 16, 16448, 8);
   sector_steps<0>(out, in, 1024, 8, 8256, 32); sector_steps<0>(out, in, 1024, 16, 16448, 32); sector_steps<0>(out, in, 1024, 32, 32832, 32);
   sector_steps<0>(out, in, 1024, 8, 8192, 32); sector_steps<0>(out, in, 1024, 16, 16384, 32);
   grid.x = 132; sector_steps<0>(out, in, 1024, 8, 8256, 32); sector_steps<0>(out, in, 1024, 16, 15424, 32);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[132 * 32] = zeros(); int in[1 << 26] = zeros();
   sector_steps<1>(out, in, 1024, 8, 16384, 1); sector_steps<1>(out, in, 1024, 16, 16384, 1);
   sector_steps<1>(out, in, 1024, 8, 8256, 32); sector_steps<1>(out, in, 1024, 16, 16448, 32);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[132 * 32] = zeros(); int in[1 << 26] = zeros();
   sector_steps<2>(out, in, 1024, 8, 16384, 1); sector_steps<2>(out, in, 1024, 16, 16384, 1);
   sector_steps<2>(out, in, 1024, 8, 8256, 32); sector_steps<2>(out, in, 1024, 16, 16448, 32);
*/
// Loads that wait for each other, `stride` words on, of `lanes` lanes that begin `row` words apart: through L1, around it
// (1), and a second time over what L2 has then (2).
template <int HOW> __global__ void sector_steps(int *out, const int *in, int steps, int stride, int row, int lanes)
{
    int i = blockIdx.x * 32 + threadIdx.x, sum = 0;
    if (threadIdx.x < lanes)
        for (int turn = 0; turn < (HOW == 2 ? 2 : 1); turn++)
            for (int k = 0; k < steps; k++) {
                const int *at = in + (size_t)i * row + k * stride + sum;
                int v;
                if (HOW) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
                else asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at));
                sum += v;
            }
    out[i] = sum;
}
