// Loops of one thread per output whose warps read the same rows at the same time: rows that some blocks or all have in common, and a
// word for each step that a warp has for itself. Timed on a GPU and by the model of time, as patterns.cu; L2's requests by ncu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 2400 };
   float rows[256 * 2304 * 17] = zeros(); float words[2400 * 4 * 256] = zeros(); float out[2400 * 256] = zeros();
   key_rows<0>(rows, words, out, 256, 2304, 4); key_rows<1>(rows, words, out, 256, 2304, 4); key_rows<2>(rows, words, out, 256, 2304, 4);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 2400 };
   float rows[256 * 2304 * 2] = zeros(); float words[2400 * 4 * 256] = zeros(); float out[2400 * 256] = zeros();
   key_rows<0>(rows, words, out, 256, 2304, 40); key_rows<1>(rows, words, out, 256, 2304, 40);
   key_rows<2>(rows, words, out, 256, 2304, 40); key_rows<3>(rows, words, out, 256, 2304, 40);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 2400 };
   float rows[256 * 2304] = zeros(); float words[2400 * 4 * 256] = zeros(); float out[2400 * 256] = zeros();
   key_rows<0>(rows, words, out, 256, 2304, 200); key_rows<1>(rows, words, out, 256, 2304, 200);
   key_rows<2>(rows, words, out, 256, 2304, 200); key_rows<3>(rows, words, out, 256, 2304, 200);
   key_rows<0>(rows, words, out, 256, 2304, 2400); key_rows<1>(rows, words, out, 256, 2304, 2400);
   key_rows<2>(rows, words, out, 256, 2304, 2400);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 2400 };
   float rows[256 * 64 * 600] = zeros(); float words[2400 * 4 * 256] = zeros(); float out[2400 * 256] = zeros();
   key_rows<0>(rows, words, out, 256, 64, 4); key_rows<1>(rows, words, out, 256, 64, 4); key_rows<2>(rows, words, out, 256, 64, 4);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 2400 };
   float rows[256 * 64 * 60] = zeros(); float words[2400 * 4 * 256] = zeros(); float out[2400 * 256] = zeros();
   key_rows<0>(rows, words, out, 256, 64, 40); key_rows<1>(rows, words, out, 256, 64, 40); key_rows<2>(rows, words, out, 256, 64, 40);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 2400 };
   float rows[256 * 64 * 12] = zeros(); float words[2400 * 4 * 256] = zeros(); float out[2400 * 256] = zeros();
   key_rows<0>(rows, words, out, 256, 64, 200); key_rows<1>(rows, words, out, 256, 64, 200); key_rows<2>(rows, words, out, 256, 64, 200);
   key_rows<3>(rows, words, out, 256, 64, 200); key_rows<0>(rows, words, out, 256, 64, 2400);
   key_rows<1>(rows, words, out, 256, 64, 2400);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 };
   float rows[256 * 2304] = zeros(); float words[132 * 4 * 256] = zeros(); float out[132 * 256] = zeros();
   key_rows<0>(rows, words, out, 256, 2304, 4); key_rows<0>(rows, words, out, 256, 2304, 40);
   key_rows<0>(rows, words, out, 256, 2304, 2400); key_rows<1>(rows, words, out, 256, 2304, 4);
   key_rows<1>(rows, words, out, 256, 2304, 40); key_rows<1>(rows, words, out, 256, 2304, 2400);
   key_rows<2>(rows, words, out, 256, 2304, 40);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4800 };
   float rows[800 * 2304] = zeros(); float words[4800 * 4 * 800] = zeros(); float out[4800 * 256] = zeros();
   key_rows<0>(rows, words, out, 800, 2304, 200); key_rows<0>(rows, words, out, 400, 2304, 200);
   key_rows<1>(rows, words, out, 800, 2304, 200); key_rows<1>(rows, words, out, 400, 2304, 200);
   key_rows<2>(rows, words, out, 800, 2304, 200); key_rows<2>(rows, words, out, 400, 2304, 200);
   key_rows<3>(rows, words, out, 800, 2304, 200); key_rows<3>(rows, words, out, 400, 2304, 200);
   key_rows<4>(rows, words, out, 800, 2304, 200); key_rows<4>(rows, words, out, 400, 2304, 200);
   key_rows<5>(rows, words, out, 800, 2304, 200); key_rows<5>(rows, words, out, 400, 2304, 200);
*/
// A block has four queries of two warps, which walk the same rows of 64 floats; so many blocks (share) have the same rows. A step's
// word: none (0), of the query's own row of words (1), of the same row for all (2), as 1, 0 and 2 but for rows that end anywhere (3 to 5).
template <int WORDS> __global__ void key_rows(const float *__restrict__ rows, const float *__restrict__ words, float *__restrict__ out,
                                              int length, int pitch, int share)
{
    const int at = threadIdx.x % 64, query = blockIdx.x * 4 + threadIdx.x / 64;
    const int group = blockIdx.x / share, heads = pitch / 64;
    const float *keys = rows + (size_t)(group / heads) * length * pitch + group % heads * 64 + at;
    const float *mine = words + (WORDS == 2 || WORDS == 5 ? 0 : (size_t)query * length);
    const int turn = length > 256 ? 800 : 200, end = WORDS > 2 ? 1 + query % turn * length / turn : length;
    float sum = 0.0f;
    for (int k = 0; k < end; k++) sum += (WORDS % 4 ? mine[k] : 0.5f) * keys[(size_t)k * pitch];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

/* kmutate launch
   int n = 1024; dim3 block = { 32, 8 }; dim3 grid = { n / 32, n / 8 };
   float a[n * n] = zeros(); float b[n * n] = zeros(); float c[n * n] = zeros();
   output_each<float, 0>(a, b, c, n); output_each<float, 1>(a, b, c, n); output_each<float, 2>(a, b, c, n); output_each<float, 3>(a, b, c, n);
   block.x = 16; block.y = 16; grid.x = n / 16; grid.y = n / 16;
   output_each<float, 0>(a, b, c, n); output_each<float, 1>(a, b, c, n); output_each<float, 2>(a, b, c, n);
   block.x = 256; block.y = 1; grid.x = n / 256; grid.y = n;
   output_each<float, 0>(a, b, c, n); output_each<float, 2>(a, b, c, n); output_each<float, 3>(a, b, c, n);
*/
/* kmutate launch
   int n = 1024; dim3 block = { 32, 8 }; dim3 grid = { n / 32, n / 8 };
   double a[n * n] = zeros(); double b[n * n] = zeros(); double c[n * n] = zeros();
   output_each<double, 0>(a, b, c, n); output_each<double, 1>(a, b, c, n); output_each<double, 2>(a, b, c, n); output_each<double, 3>(a, b, c, n);
   output_each<double, 4>(a, b, c, n); output_each<double, 5>(a, b, c, n);
   block.x = 32; block.y = 32; grid.x = n / 32; grid.y = n / 32;
   output_each<double, 0>(a, b, c, n); output_each<double, 3>(a, b, c, n);
*/
// One thread an output: rows of a by columns of b (0), columns by columns (2: one product, 1: two), of those below the diagonal (4: one
// product, 3: two, 5: two step by step).
template <class T, int WHAT> __global__ void output_each(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (WHAT > 2 && x > y) return;
    T sum = 0;
    if (WHAT == 5) {
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            sum += a[k * n + y] * b[k * n + x];
            sum += b[k * n + y] * a[k * n + x];
        }
    } else {
        for (int k = 0; k < n; k++) {
            if (WHAT == 0) sum += a[y * n + k] * b[k * n + x];
            if (WHAT >= 1) sum += a[k * n + y] * b[k * n + x];
            if (WHAT == 1 || WHAT == 3) sum += b[k * n + y] * a[k * n + x];
        }
    }
    c[y * n + x] = sum;
}

/* kmutate launch
   int n = 4096; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float a[n * n] = zeros(); float x[n] = zeros(); float y[n] = zeros();
   line_each<0>(a, x, y, n); line_each<1>(a, x, y, n); line_each<2>(a, x, y, n); line_each<3>(a, x, y, n);
   block.x = 128; grid.x = n / 128; line_each<0>(a, x, y, n); line_each<1>(a, x, y, n); line_each<2>(a, x, y, n); line_each<3>(a, x, y, n);
   block.x = 32; grid.x = n / 32; line_each<0>(a, x, y, n); line_each<1>(a, x, y, n);
*/
/* kmutate launch
   int n = 16384; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float a[n * n] = zeros(); float x[n] = zeros(); float y[n] = zeros();
   line_each<0>(a, x, y, n); line_each<1>(a, x, y, n); line_each<3>(a, x, y, n);
*/
// One thread a row (0) or a column (1) of a times x; 2: rows twice, 3: columns, changed in place the second time.
template <int WHAT> __global__ void line_each(float *a, const float *__restrict__ x, float *__restrict__ y, int n)
{
    const int mine = blockIdx.x * blockDim.x + threadIdx.x;
    float *own = a + (size_t)mine * (WHAT % 2 ? 1 : n);
    const size_t step = WHAT % 2 ? n : 1;
    const int rows = WHAT == 3 ? n / 16 : n;
    float sum = 0.0f;
    for (int k = 0; k < rows; k++) sum += own[k * step] * x[k];
    if (WHAT == 2) for (int k = 0; k < rows; k++) sum += own[k * step] * (sum + x[k]);
    if (WHAT == 3) for (int k = 0; k < rows; k++) own[k * step] -= sum * x[k];
    y[mine] = sum;
}

/* kmutate launch
   int pitch = 16384; float a[512 * 16384] = zeros(); float x[512 * 16384] = zeros(); float y[16384] = zeros();
   dim3 block; dim3 grid;
   block.x = 128; grid.x = 128; columns_again(a, x, y, 512, pitch, 0); columns_again(a, x, y, 512, pitch, 8); columns_again(a, x, y, 512, pitch, 41);
   block.x = 256; grid.x = 64; columns_again(a, x, y, 512, pitch, 0); columns_again(a, x, y, 512, pitch, 41);
   block.x = 32; grid.x = 512; columns_again(a, x, y, 512, pitch, 0); columns_again(a, x, y, 512, pitch, 41);
*/
/* kmutate launch
   int pitch = 16384; float a[600 * 16384] = zeros(); float x[600 * 16384] = zeros(); float y[16384] = zeros();
   dim3 block; dim3 grid;
   block.x = 128; grid.x = 128; columns_again(a, x, y, 600, pitch, 0); columns_again(a, x, y, 600, pitch, 41);
*/
/* kmutate launch
   int pitch = 16384; float a[700 * 16384] = zeros(); float x[700 * 16384] = zeros(); float y[16384] = zeros();
   dim3 block; dim3 grid;
   block.x = 128; grid.x = 128; columns_again(a, x, y, 700, pitch, 0); columns_again(a, x, y, 700, pitch, 41);
*/
// One thread a column from the first one on: its sum of products with a column that all read, and then so much of that is taken from it.
__global__ void columns_again(float *a, const float *__restrict__ x, float *__restrict__ y, int rows, int pitch, int first)
{
    const int mine = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (mine >= pitch) return;
    float sum = 0.0f;
    for (int k = 0; k < rows; k++) sum += a[(size_t)k * pitch + mine] * x[(size_t)k * pitch];
    for (int k = 0; k < rows; k++) a[(size_t)k * pitch + mine] -= sum * x[(size_t)k * pitch];
    y[mine] = sum;
}

/* kmutate launch
   unsigned long long wide[1] = zeros(); unsigned int word[1] = zeros(); double real[1] = zeros();
   float in[1 << 22] = zeros(); dim3 block = { 256 }; dim3 grid = { 2112 };
   least_of<unsigned long long, 0>(in, wide, 0); least_of<unsigned int, 0>(in, word, 0); least_of<unsigned long long, 1>(in, wide, 0);
   grid.x = 23438;
   least_of<unsigned long long, 0>(in, wide, 0); least_of<unsigned int, 0>(in, word, 0); least_of<unsigned long long, 1>(in, wide, 0);
   least_of<unsigned int, 1>(in, word, 0); least_of<unsigned long long, 0>(in, wide, 100); least_of<unsigned int, 0>(in, word, 100);
   least_of<unsigned long long, 1>(in, wide, 100); least_of<unsigned long long, 0>(in, wide, 400); least_of<unsigned int, 0>(in, word, 400);
   block.x = 1024; least_of<unsigned long long, 0>(in, wide, 0); least_of<unsigned int, 0>(in, word, 0);
   least_of<unsigned int, 2>(in, word, 0); least_of<unsigned int, 3>(in, word, 0); least_of<unsigned int, 4>(in, word, 0);
   block.x = 512; least_of<unsigned int, 0>(in, word, 0);
   least_of<unsigned int, 2>(in, word, 0); least_of<unsigned int, 3>(in, word, 0); least_of<unsigned int, 4>(in, word, 0);
   block.x = 256;
   least_of<unsigned int, 2>(in, word, 0); least_of<unsigned int, 3>(in, word, 0); least_of<unsigned int, 4>(in, word, 0);
*/
// One atomic operation of a block at one place, after so many steps of arithmetic of all its threads: a minimum (0) or an addition (1).
// None: after the barrier (2), another one (3), none (4).
template <class T, int HOW> __global__ void least_of(const float *in, T *at, int steps)
{
    float v = in[(blockIdx.x * blockDim.x + threadIdx.x) & 0x3fffff];
    for (int k = 0; k < steps; k++) v = v * 1.0001f + 0.5f;
    if (HOW > 2) {
        if (HOW == 3) __syncthreads();
        if (v > 1e30f) *at = 1;
        return;
    }
    if (!__syncthreads_or(v > 1e30f) && threadIdx.x == 0 && HOW < 2) {
        if (HOW) atomicAdd(at, (T)(v + blockIdx.x));
        else atomicMin(at, (T)(v + (1 << 20) - blockIdx.x % 977));
    }
}

/* kmutate launch
   char text[240 << 20] = zeros(); unsigned int least[1] = zeros(); dim3 block = { 256 }; dim3 grid = { 23438 };
   least_record<40, 12, 0>(text, least); least_record<40, 12, 1>(text, least); least_record<40, 12, 2>(text, least);
   grid.x = 8192; least_record<40, 12, 0>(text, least); least_record<40, 12, 1>(text, least);
   least_record<64, 4, 0>(text, least); least_record<64, 4, 1>(text, least);
   least_record<96, 8, 0>(text, least); least_record<96, 8, 1>(text, least);
   grid.x = 65536; least_record<4, 4, 0>(text, least); least_record<4, 4, 1>(text, least); least_record<4, 4, 2>(text, least);
   least_record<12, 12, 0>(text, least); least_record<12, 12, 1>(text, least); least_record<12, 12, 2>(text, least);
*/
// Each thread reads the first bytes of a record, by words; an atomic operation of a block (1), of a warp (2) or none (0) at one place.
template <int RECORD, int BYTES, int WHO> __global__ void least_record(const char *text, unsigned int *least)
{
    const int *words = (const int *)(text + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * RECORD);
    int v = 0;
#pragma unroll
    for (int k = 0; k < BYTES / 4; k++) v ^= words[k];
    const bool any = WHO == 2 ? __any_sync(~0u, v > 9) : __syncthreads_or(v > 9);
    if (any || (WHO && threadIdx.x % (WHO == 2 ? 32 : 1024) == 0)) atomicMin(least, v + 1000000 - blockIdx.x % 977);
}
