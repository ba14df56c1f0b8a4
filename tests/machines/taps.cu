// Pixels around a pixel, of bytes, of triples and of words, that L1 mostly has; and lists that all lanes read together.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height * 1] = zeros(); int out[64] = zeros();
   taps<unsigned char, 1, 1, 0>(out, in, width, height); taps<unsigned char, 1, 1, 1>(out, in, width, height); taps<unsigned char, 1, 1, 2>(out, in, width, height);
   block.x = 16; block.y = 16; grid.x = width / 16; grid.y = height / 16;
   taps<unsigned char, 1, 1, 1>(out, in, width, height);
   block.x = 256; block.y = 1; grid.x = width / 256; grid.y = height;
   taps<unsigned char, 1, 1, 1>(out, in, width, height);
*/
/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height * 2] = zeros(); int out[64] = zeros();
   taps<unsigned char, 2, 2, 1>(out, in, width, height); taps<unsigned short, 1, 1, 1>(out, in, width, height); taps<unsigned short, 1, 1, 2>(out, in, width, height);
   block.x = 16; block.y = 16; grid.x = width / 16; grid.y = height / 16;
   taps<unsigned char, 2, 2, 1>(out, in, width, height); taps<unsigned short, 1, 1, 1>(out, in, width, height);
   block.x = 256; block.y = 1; grid.x = width / 256; grid.y = height;
   taps<unsigned char, 2, 2, 1>(out, in, width, height); taps<unsigned short, 1, 1, 1>(out, in, width, height);
*/
/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height * 3] = zeros(); int out[64] = zeros();
   taps<unsigned char, 3, 1, 1>(out, in, width, height); taps<unsigned char, 3, 3, 0>(out, in, width, height); taps<unsigned char, 3, 3, 1>(out, in, width, height);
   block.x = 16; block.y = 16; grid.x = width / 16; grid.y = height / 16;
   taps<unsigned char, 3, 1, 1>(out, in, width, height); taps<unsigned char, 3, 3, 1>(out, in, width, height);
   block.x = 256; block.y = 1; grid.x = width / 256; grid.y = height;
   taps<unsigned char, 3, 1, 1>(out, in, width, height); taps<unsigned char, 3, 3, 1>(out, in, width, height);
*/
/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height * 4] = zeros(); int out[64] = zeros();
   taps<unsigned char, 4, 1, 1>(out, in, width, height); taps<unsigned char, 4, 4, 0>(out, in, width, height); taps<unsigned char, 4, 4, 1>(out, in, width, height); taps<int, 1, 1, 0>(out, in, width, height); taps<int, 1, 1, 1>(out, in, width, height); taps<int, 1, 1, 2>(out, in, width, height);
   block.x = 16; block.y = 16; grid.x = width / 16; grid.y = height / 16;
   taps<unsigned char, 4, 1, 1>(out, in, width, height); taps<unsigned char, 4, 4, 1>(out, in, width, height); taps<int, 1, 1, 1>(out, in, width, height);
   block.x = 256; block.y = 1; grid.x = width / 256; grid.y = height;
   taps<unsigned char, 4, 1, 1>(out, in, width, height); taps<unsigned char, 4, 4, 1>(out, in, width, height); taps<int, 1, 1, 1>(out, in, width, height);
*/
/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height * 6] = zeros(); int out[64] = zeros();
   taps<unsigned short, 3, 3, 1>(out, in, width, height);
   block.x = 16; block.y = 16; grid.x = width / 16; grid.y = height / 16;
   taps<unsigned short, 3, 3, 1>(out, in, width, height);
   block.x = 256; block.y = 1; grid.x = width / 256; grid.y = height;
   taps<unsigned short, 3, 3, 1>(out, in, width, height);
*/
/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height * 8] = zeros(); int out[64] = zeros();
   taps<long long, 1, 1, 2>(out, in, width, height); taps<long long, 1, 1, 3>(out, in, width, height);
   taps<int, 2, 2, 0>(out, in, width, height); taps<int, 2, 2, 1>(out, in, width, height); taps<long long, 1, 1, 0>(out, in, width, height); taps<long long, 1, 1, 1>(out, in, width, height);
   block.x = 16; block.y = 16; grid.x = width / 16; grid.y = height / 16;
   taps<int, 2, 2, 1>(out, in, width, height); taps<long long, 1, 1, 1>(out, in, width, height);
   block.x = 256; block.y = 1; grid.x = width / 256; grid.y = height;
   taps<int, 2, 2, 1>(out, in, width, height); taps<long long, 1, 1, 1>(out, in, width, height);
*/
/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height * 12] = zeros(); int out[64] = zeros();
   taps<int, 3, 3, 1>(out, in, width, height);
   block.x = 16; block.y = 16; grid.x = width / 16; grid.y = height / 16;
   taps<int, 3, 3, 1>(out, in, width, height);
   block.x = 256; block.y = 1; grid.x = width / 256; grid.y = height;
   taps<int, 3, 3, 1>(out, in, width, height);
*/
/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height * 16] = zeros(); int out[64] = zeros();
   taps<int, 4, 4, 0>(out, in, width, height); taps<int, 4, 4, 1>(out, in, width, height);
   block.x = 16; block.y = 16; grid.x = width / 16; grid.y = height / 16;
   taps<int, 4, 4, 1>(out, in, width, height);
   block.x = 256; block.y = 1; grid.x = width / 256; grid.y = height;
   taps<int, 4, 4, 1>(out, in, width, height);
*/
// The sum of PARTS of each pixel, of STRIDE apart, as far as AROUND on each side; nothing is written.
template <typename T, int STRIDE, int PARTS, int AROUND>
__global__ void taps(int *out, const unsigned char *in, int width, int height)
{
    const T *at = (const T *)in;
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;
#pragma unroll
    for (int dy = -AROUND; dy <= AROUND; dy++)
#pragma unroll
        for (int dx = -AROUND; dx <= AROUND; dx++) {
            const int sx = min(max(x + dx, 0), width - 1), sy = min(max(y + dy, 0), height - 1);
#pragma unroll
            for (int part = 0; part < PARTS; part++) sum += (int)at[(size_t)(sy * width + sx) * STRIDE + part];
        }
    if (sum == 77) out[threadIdx.x & 63] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 * 32 }; float4 list[4096] = zeros(); float out[132 * 32 * 256] = zeros();
   listed<float, 1>(out, (float *)list, 400); listed<float, 4>(out, (float *)list, 400); listed<float2, 4>(out, (float2 *)list, 400);
   listed<float4, 1>(out, list, 400); listed<float4, 2>(out, list, 400); listed<float4, 4>(out, list, 400); listed<float4, 8>(out, list, 400);
   listed<float4, 4>(out, list, 3200);
   grid.x = 132 * 4;
   listed<float, 4>(out, (float *)list, 3200); listed<float4, 1>(out, list, 3200); listed<float4, 4>(out, list, 3200);
   grid.x = 132;
   listed<float, 4>(out, (float *)list, 3200); listed<float4, 1>(out, list, 3200); listed<float4, 4>(out, list, 3200);
*/
__device__ float of(float v) { return v; }
__device__ float of(float2 v) { return v.x + v.y; }
__device__ float of(float4 v) { return (v.x + v.y) + (v.z + v.w); }
// All lanes read the same entry, one after the other, UNROLL at a time.
template <typename T, int UNROLL> __global__ void listed(float *out, const T *list, int count)
{
    float sum = 0;
#pragma unroll UNROLL
    for (int k = 0; k < count; k++) sum += of(list[k]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   int n = 1 << 23; dim3 block = { 256 }; dim3 grid = { n / 256 };
   int in[n * 4] = zeros(); int out[64] = zeros();
   one_each<int, 0>(out, (int *)in, 3840, 0); one_each<int, 1>(out, (int *)in, 3840, 0); one_each<int2, 0>(out, (int2 *)in, 3840, 0); one_each<int4, 0>(out, (int4 *)in, 3840, 0);
   block.x = 128; grid.x = n / 128; one_each<int, 0>(out, (int *)in, 3840, 0);
   block.x = 512; grid.x = n / 512; one_each<int, 0>(out, (int *)in, 3840, 0);
   block.x = 1024; grid.x = n / 1024; one_each<int, 0>(out, (int *)in, 3840, 0);
   block.x = 32; block.y = 8; grid.x = 3840 / 32; grid.y = 2160 / 8;
   one_each<int, 2>(out, (int *)in, 3840, 0); one_each<int, 3>(out, (int *)in, 3840, 2160);
   block.x = 16; block.y = 16; grid.x = 3840 / 16; grid.y = 2160 / 16;
   one_each<int, 2>(out, (int *)in, 3840, 0); one_each<int, 3>(out, (int *)in, 3840, 2160);
   block.x = 256; block.y = 1; grid.x = 3840 / 256; grid.y = 2160;
   one_each<int, 2>(out, (int *)in, 3840, 0);
*/
__device__ int either(int v) { return v; }
__device__ int either(int2 v) { return v.x + v.y; }
__device__ int either(int4 v) { return (v.x + v.y) + (v.z + v.w); }
// One load of each thread: WHERE 0 in a row, 1 in a row that a check ends, 2 in a picture, 3 with a check.
template <typename T, int WHERE> __global__ void one_each(int *out, const T *in, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (WHERE == 1 && x > 1 << 23) return;
    if (WHERE == 3 && (x >= width || y >= height)) return;
    const int sum = either(in[WHERE > 1 ? y * width + x : x]);
    if (sum == 77) out[threadIdx.x & 63] = sum;
}
