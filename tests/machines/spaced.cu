// Two or four blocks that read the same lines, so many blocks from one another. Timed on a GPU and by the model of time, as
// patterns.cu; how many sectors come to L2 is counted by ncu.

/* kmutate launch
   int steps = 256, quads = 1 << 20; dim3 grid = { 264 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   spaced_lines(out, in, quads - 1, steps, 2, 1); spaced_lines(out, in, quads - 1, steps, 2, 2); spaced_lines(out, in, quads - 1, steps, 2, 4);
   spaced_lines(out, in, quads - 1, steps, 2, 6); spaced_lines(out, in, quads - 1, steps, 2, 12); spaced_lines(out, in, quads - 1, steps, 2, 44);
   spaced_lines(out, in, quads - 1, steps, 2, 66); spaced_lines(out, in, quads - 1, steps, 4, 1); spaced_lines(out, in, quads - 1, steps, 4, 66);
*/
/* kmutate launch
   int steps = 256, quads = 1 << 20; dim3 grid = { 1024 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   spaced_lines(out, in, quads - 1, steps, 1, 1); spaced_lines(out, in, quads - 1, steps, 2, 1); spaced_lines(out, in, quads - 1, steps, 2, 2);
   spaced_lines(out, in, quads - 1, steps, 2, 4); spaced_lines(out, in, quads - 1, steps, 2, 8); spaced_lines(out, in, quads - 1, steps, 2, 16);
   spaced_lines(out, in, quads - 1, steps, 2, 32); spaced_lines(out, in, quads - 1, steps, 2, 64); spaced_lines(out, in, quads - 1, steps, 2, 128);
   spaced_lines(out, in, quads - 1, steps, 2, 256); spaced_lines(out, in, quads - 1, steps, 2, 512);
   spaced_lines(out, in, quads - 1, steps, 4, 1); spaced_lines(out, in, quads - 1, steps, 4, 4); spaced_lines(out, in, quads - 1, steps, 4, 16);
   spaced_lines(out, in, quads - 1, steps, 4, 32); spaced_lines(out, in, quads - 1, steps, 4, 64); spaced_lines(out, in, quads - 1, steps, 4, 256);
   spaced_lines(out, in, quads - 1, steps, 16, 1); spaced_lines(out, in, quads - 1, steps, 16, 16); spaced_lines(out, in, quads - 1, steps, 16, 64);
   spaced_lines(out, in, quads - 1, steps, 32, 32);
*/
/* kmutate launch
   int steps = 64, quads = 1 << 20; dim3 grid = { 8192 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   spaced_lines(out, in, quads - 1, steps, 1, 1); spaced_lines(out, in, quads - 1, steps, 2, 1); spaced_lines(out, in, quads - 1, steps, 2, 4);
   spaced_lines(out, in, quads - 1, steps, 2, 16); spaced_lines(out, in, quads - 1, steps, 2, 64); spaced_lines(out, in, quads - 1, steps, 2, 256);
   spaced_lines(out, in, quads - 1, steps, 4, 1); spaced_lines(out, in, quads - 1, steps, 4, 16); spaced_lines(out, in, quads - 1, steps, 4, 64);
   spaced_lines(out, in, quads - 1, steps, 16, 16); spaced_lines(out, in, quads - 1, steps, 16, 64); spaced_lines(out, in, quads - 1, steps, 64, 64);
*/
__global__ void spaced_lines(float *out, const float4 *in, int mask, int steps, int group, int far)
{
    const int stream = blockIdx.x / (group * far) * far + blockIdx.x % far;
    const int at = (stream * 40503 & 4095) * 256 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        const float4 v = in[(at + k * 256) & mask];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 16, 128 }; dim3 block = { 128 }; float a[4194304] = zeros(); float b[4194304] = zeros(); float out[128] = zeros();
   tile_reads<1, 1>(out, a, b, 2048); tile_reads<0, 1>(out, a, b, 2048); tile_reads<1, 0>(out, a, b, 2048);
   grid.x = 64; grid.y = 32; tile_reads<1, 1>(out, a, b, 2048); tile_reads<0, 1>(out, a, b, 2048); tile_reads<1, 0>(out, a, b, 2048);
   grid.x = 64; grid.y = 64; tile_reads<1, 1>(out, a, b, 2048); tile_reads<0, 1>(out, a, b, 2048); tile_reads<1, 0>(out, a, b, 2048);
   block.x = 512; grid.x = 16; grid.y = 64;
   tile_reads<1, 1>(out, a, b, 2048); tile_reads<0, 1>(out, a, b, 2048); tile_reads<1, 0>(out, a, b, 2048);
   grid.x = 64; grid.y = 64; tile_reads<1, 1>(out, a, b, 2048); tile_reads<0, 1>(out, a, b, 2048); tile_reads<1, 0>(out, a, b, 2048);
   grid.x = 8; grid.y = 16; tile_reads<1, 1>(out, a, b, 2048); tile_reads<0, 1>(out, a, b, 2048); tile_reads<1, 0>(out, a, b, 2048);
*/
// Reads what a product of matrices reads: tiles that the blocks of a row have in common (A), and those of a column (B), with a
// barrier for each.
template <int A, int B> __global__ void tile_reads(float *out, const float *a, const float *b, int n)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32, rows = blockDim.x / 32;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 32) {
        if (A) sum += a[(((blockIdx.y * 32 + row) * n) + k + lane) & 4194303];
        if (B) sum += b[((k + row) * n + blockIdx.x * 32 + lane) & 4194303];
        if (A) sum += a[(((blockIdx.y * 32 + row + rows) * n) + k + lane) & 4194303];
        if (B) sum += b[((k + row + rows) * n + blockIdx.x * 32 + lane) & 4194303];
        __syncthreads();
    }
    if (sum == 12345.678f) out[lane] = sum;
}

/* kmutate launch
   dim3 grid = { 16, 128 }; dim3 block = { 128 }; float a[4194304] = zeros(); float b[4194304] = zeros(); float out[128] = zeros();
   tile_walks<1, 1>(out, a, b, 2048); tile_walks<0, 1>(out, a, b, 2048); tile_walks<1, 0>(out, a, b, 2048);
   grid.x = 64; grid.y = 32; tile_walks<1, 1>(out, a, b, 2048); tile_walks<0, 1>(out, a, b, 2048); tile_walks<1, 0>(out, a, b, 2048);
   grid.x = 64; grid.y = 64; tile_walks<1, 1>(out, a, b, 2048); tile_walks<0, 1>(out, a, b, 2048); tile_walks<1, 0>(out, a, b, 2048);
   block.x = 512; grid.x = 16; grid.y = 64;
   tile_walks<1, 1>(out, a, b, 2048); tile_walks<0, 1>(out, a, b, 2048); tile_walks<1, 0>(out, a, b, 2048);
   grid.x = 64; grid.y = 64; tile_walks<1, 1>(out, a, b, 2048); tile_walks<0, 1>(out, a, b, 2048); tile_walks<1, 0>(out, a, b, 2048);
   grid.x = 8; grid.y = 16; tile_walks<1, 1>(out, a, b, 2048); tile_walks<0, 1>(out, a, b, 2048); tile_walks<1, 0>(out, a, b, 2048);
*/
// The same without barriers.
template <int A, int B> __global__ void tile_walks(float *out, const float *a, const float *b, int n)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32, rows = blockDim.x / 32;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k += 32) {
        if (A) sum += a[(((blockIdx.y * 32 + row) * n) + k + lane) & 4194303];
        if (B) sum += b[((k + row) * n + blockIdx.x * 32 + lane) & 4194303];
        if (A) sum += a[(((blockIdx.y * 32 + row + rows) * n) + k + lane) & 4194303];
        if (B) sum += b[((k + row + rows) * n + blockIdx.x * 32 + lane) & 4194303];
    }
    if (sum == 12345.678f) out[lane] = sum;
}

/* kmutate launch
   dim3 grid = { 16, 256 }; dim3 block = { 128 }; float a[4194304] = zeros(); float b[4194304] = zeros(); float out[128] = zeros();
   product_walks(out, a, b, 2048); grid.x = 8; grid.y = 128; block.x = 256; product_walks(out, a, b, 2048); block.x = 64; grid.x = 32; product_walks(out, a, b, 2048);
   block.x = 1024; grid.x = 2; product_walks(out, a, b, 2048);
*/
// A product as one writes it first: a value of a row for all threads, a row of values for each step.
__global__ void product_walks(float *out, const float *a, const float *b, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[blockIdx.y * n + k] * b[k * n + column];
    if (sum == 12345.678f) out[column] = sum;
}
