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
