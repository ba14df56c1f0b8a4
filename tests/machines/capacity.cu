// What L1 still holds near its size: warps that come back to lines they had. Timed on a GPU and by the model of time, as
// patterns.cu; the list that ncu made of hits stands beside the times.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   float in[132 * 2048 * 66] = zeros(); float out[132 * 2048] = zeros();
   grid.x = 132 * 2; records(in, out, 34); grid.x = 132 * 3; records(in, out, 34); grid.x = 132 * 4; records(in, out, 34);
   grid.x = 132 * 5; records(in, out, 34); grid.x = 132 * 6; records(in, out, 34); grid.x = 132 * 7; records(in, out, 34);
   grid.x = 132 * 8; records(in, out, 34); records(in, out, 32); records(in, out, 33); records(in, out, 48); records(in, out, 66);
   grid.x = 132 * 4; records(in, out, 32); records(in, out, 33); records(in, out, 48); records(in, out, 66);
   grid.x = 132 * 6; records(in, out, 32); records(in, out, 64);
   grid.x = 132 * 8; records(in, out, 8); records(in, out, 12); records(in, out, 16); records(in, out, 24);
*/
// A thread reads its record of `words` words one after another.
__global__ void records(const float *in, float *out, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < words; k++) sum += in[i * words + k];
    out[i] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   float in[132 << 16] = zeros(); float out[132 * 1024] = zeros();
   around(in, out, 96, 40); around(in, out, 128, 40); around(in, out, 160, 40); around(in, out, 176, 40); around(in, out, 192, 40);
   around(in, out, 200, 40); around(in, out, 208, 40); around(in, out, 216, 40); around(in, out, 224, 40); around(in, out, 232, 40);
   around(in, out, 240, 40); around(in, out, 248, 40); around(in, out, 256, 40);
   block.x = 32; around(in, out, 128, 8); around(in, out, 192, 8); around(in, out, 224, 8); around(in, out, 256, 8);
*/
// A block reads `kb` KB of its own `turns` times, row by row.
__global__ void around(const float *in, float *out, int kb, int turns)
{
    const float *mine = in + (blockIdx.x << 16);
    float sum = 0.0f;
    for (int t = 0; t < turns; t++)
        for (int k = threadIdx.x; k < kb * 256; k += blockDim.x) sum += mine[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   float in[132 << 16] = zeros(); float out[132 << 18] = zeros();
   beside(in, out, 64, 8, 0); beside(in, out, 64, 8, 1); beside(in, out, 96, 8, 1); beside(in, out, 112, 8, 1);
   beside(in, out, 128, 8, 0); beside(in, out, 128, 8, 1); beside(in, out, 160, 8, 1); beside(in, out, 192, 8, 0);
   beside(in, out, 192, 8, 1); beside(in, out, 64, 8, 2); beside(in, out, 128, 8, 2); beside(in, out, 192, 8, 2);
   block.x = 32; beside(in, out, 64, 4, 1); beside(in, out, 96, 4, 1); beside(in, out, 128, 4, 1); beside(in, out, 192, 4, 1); beside(in, out, 192, 4, 2);
*/
// As `around`, with a store beside each load: 1 to a line of its own, 2 to the same line as `turns` before.
__global__ void beside(const float *in, float *out, int kb, int turns, int stores)
{
    const float *mine = in + (blockIdx.x << 16);
    float *to = out + (blockIdx.x << 18);
    float sum = 0.0f;
    for (int t = 0; t < turns; t++)
        for (int k = threadIdx.x; k < kb * 256; k += blockDim.x) {
            sum += mine[k];
            if (stores == 1) to[(t * kb * 256 + k) & 0x3ffff] = sum;
            if (stores == 2) to[k & 0x3ff] = sum;
        }
    to[threadIdx.x] = sum;
}

/* kmutate launch
   int n = 811008; dim3 block = { 256 }; dim3 grid = { 3168 };
   float in[811008 * 34] = zeros(); float out[811008 * 34] = zeros();
   turned(in, out, n, 34); turned(in, out, n, 16); turned(in, out, n, 32); turned(in, out, n, 33);
*/
// Records become columns.
__global__ void turned(const float *in, float *out, int n, int words)
{
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    for (int k = 0; k < words; k++) out[k * n + i] = in[i * words + k];
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   float in[132 << 16] = zeros(); float out[132 * 1024] = zeros();
   anywhere(in, out, 32, 64); anywhere(in, out, 64, 64); anywhere(in, out, 128, 64); anywhere(in, out, 192, 64);
   anywhere(in, out, 224, 64); anywhere(in, out, 256, 64);
*/
// Lanes read words of `kb` KB at random.
__global__ void anywhere(const float *in, float *out, int kb, int turns)
{
    const float *mine = in + (blockIdx.x << 16);
    unsigned seed = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1u;
    float sum = 0.0f;
    for (int t = 0; t < turns; t++) {
        seed = seed * 1664525u + 1013904223u;
        sum += mine[(seed >> 8) % (kb * 256)];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   int n = 5000; dim3 block = { 128 }; dim3 grid = { 40, 1250 };
   double a[5120 * 5120] = zeros(); double b[5120 * 5120] = zeros(); double v[5120] = zeros();
   in_place<4>(n, a, a, v); in_place<1>(n, a, a, v); in_place<4>(n, a, b, v); in_place<1>(n, a, b, v);
   n = 5120; grid.x = 40; grid.y = 1280;
   in_place<4>(n, a, a, v); in_place<1>(n, a, a, v); in_place<4>(n, a, b, v); in_place<1>(n, a, b, v);
   in_place<2>(n, a, a, v); in_place<2>(n, a, b, v);
*/
// Four rows of a matrix a block, UP of a thread's loads on their way at once: over what was read, or beside it.
template <int UP> __global__ void in_place(int n, const double *a, double *to, const double *v)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    const double more = v[j];
#pragma unroll
    for (int k = 0; k < 4; k += UP) {
        double x[UP];
#pragma unroll
        for (int u = 0; u < UP; u++) x[u] = a[(blockIdx.y * 4 + k + u) * n + j];
#pragma unroll
        for (int u = 0; u < UP; u++) to[(blockIdx.y * 4 + k + u) * n + j] = x[u] + more;
    }
}
