// A kernel for each construct that real code has: test_constructs.py takes them through all of the tool. What needs
// headers that take long to compile is in constructs_cuda.cu and constructs_vendor.cu.

#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#define AT(p, i) ((p)[(i) + threadIdx.x])
#define LOAD_TWO(p, i, a, b) \
    do { \
        a = AT(p, i); \
        b = AT(p, (i) + 64); \
    } while (0)

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[512] = zeros(); float in[512] = uniform(0, 1);
   macros(out, in);
*/
__global__ void macros(float *out, const float *in)
{
    float a, b;
    LOAD_TWO(in, blockIdx.x * 64, a, b);
    AT(out, blockIdx.x * 64) = a * b + sqrtf(a);
}

__device__ void read_pair(const float *p, int i, float &a, float &b)
{
    a = p[i];
    b = p[i + 256];
}
__device__ float &cell(float *p, int i) { return p[2 * i]; }

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[512] = zeros(); float in[512] = uniform(0, 1);
   device_functions(out, in);
*/
__global__ void device_functions(float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float a, b;
    read_pair(in, i, a, b);
    cell(out, i) = a * b + expf(a);
}

struct View {
    float *data;
    int pitch;
    __device__ float get(int x, int y) const { return data[y * pitch + x]; }
    __device__ void put(int x, int y, float v) { data[y * pitch + x] = v; }
};

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float a[256] = zeros(); float b[256] = uniform(0, 1);
   struct View { float *data; int pitch; };
   View to = { .data = a, .pitch = 64 }; View from = { .data = b, .pitch = 64 };
   methods_and_members(to, from);
*/
__global__ void methods_and_members(View to, View from)
{
    float v = from.get(threadIdx.x, blockIdx.x);
    to.put(threadIdx.x, blockIdx.x, v * v + logf(v + 1.0f));
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[256] = zeros(); float in[256] = uniform(0, 1);
   lambdas(out, in);
*/
__global__ void lambdas(float *out, const float *in)
{
    auto load = [=](int i) { return in[i]; };
    auto curve = [](float x) { return x * x * x + 1.0f; };
    auto store = [&](int i, float v) { out[i] = v; };
    int i = blockIdx.x * 64 + threadIdx.x;
    store(i, curve(load(i)));
}

struct Pair {
    float first, second;
};

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; struct Pair { float first, second; };
   float out[256] = zeros(); Pair in[256] = uniform(0, 1); float scale[4] = uniform(1, 2);
   modern_words<true>(out, in, scale);
*/
template <bool Squared> __global__ void modern_words(float *out, const Pair *in, const float *scale)
{
    const auto i = blockIdx.x * 64 + threadIdx.x;
    const auto [a, b] = in[i];
    const float parts[4] = { a, b, a + b, a - b };
    float sum = 0.0f;
    for (const auto part : parts) sum += part;
    if constexpr (Squared) sum *= sum;
    out[i] = sum * scale[threadIdx.x & 3];
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 };
   float out[256] = zeros(); float in[512] = uniform(0, 1); int count[256] = zeros();
   everywhere_in_expressions(out, in, count);
*/
__global__ void everywhere_in_expressions(float *out, const float *in, int *count)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = in[i] > 0.5f ? in[i + 256] : in[i] * 0.5f;
    if (in[i + 128] > 0.25f) v += 1.0f;
    out[i] += (v *= 2.0f, v + 1.0f);
    count[i]++;
    out[i] = fmaf(out[i], v, in[i]);
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[1024] = zeros(); float in[1024] = uniform(0, 1);
   pointer_walks(out, in, 4);
*/
__global__ void pointer_walks(float *out, const float *in, int n)
{
    const float *p = in + (blockIdx.x * 64 + threadIdx.x) * 4;
    float *q = out + (blockIdx.x * 64 + threadIdx.x) * 4;
    float &last = q[3];
    for (int k = 0; k < n; k++) *q++ = *p++ * 3.0f + 1.0f;
    last = last + 1.0f;
}

/* kmutate launch
   dim3 grid = { 2, 2, 2 }; dim3 block = { 8, 8 }; float out[1024] = zeros(); float in[1024] = uniform(0, 1);
   arrays_of_dimensions((float (*)[16][16])out, (const float (*)[16][16])in);
*/
__global__ void arrays_of_dimensions(float (*out)[16][16], const float (*in)[16][16])
{
    __shared__ float tile[8][9];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    tile[threadIdx.y][threadIdx.x] = in[z][y][x];
    __syncthreads();
    out[z][y][x] = tile[threadIdx.x][threadIdx.y] * 2.0f + tile[threadIdx.y][threadIdx.x];
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; int smem = 64 * 4 + 64 * 8;
   float out[256] = zeros(); float in[256] = uniform(0, 1);
   carved_shared_memory(out, in);
*/
__global__ void carved_shared_memory(float *out, const float *in)
{
    extern __shared__ char pool[];
    float *first = reinterpret_cast<float *>(pool);
    double *second = reinterpret_cast<double *>(pool + 64 * sizeof(float));
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    first[t] = in[i];
    second[t] = in[i] * 2.0;
    __syncthreads();
    out[i] = first[63 - t] + (float)second[t ^ 1];
}

union Bits {
    float f;
    unsigned u;
};

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 };
   float out[256] = zeros(); float in[256] = uniform(0, 1); unsigned bits[256] = zeros();
   unions_and_casts(out, bits, in);
*/
__global__ void unions_and_casts(float *out, unsigned *bits, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    Bits b;
    b.f = in[i];
    b.u ^= 1u << 22;
    out[i] = b.f;
    bits[i] = __float_as_uint(in[i]) ^ *reinterpret_cast<unsigned *>(&b.f);
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[256] = zeros(); float in[256] = uniform(0, 1);
   jumps(out, in, 250);
*/
__global__ void jumps(float *out, const float *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x, round = 0;
    if (i >= n) return;
    float v = in[i];
again:
    switch ((i + round) & 3) {
    case 0: v += 1.0f; break;
    case 1: v *= 2.0f;
    case 2: v -= 0.5f; break;
    default: v = v * v;
    }
    if (++round < 3) goto again;
    out[i] = v;
}

/* kmutate launch
   dim3 grid = { 2 }; dim3 block = { 64 }; float out[1000] = zeros(); float in[1000] = uniform(0, 1);
   grid_stride(out, in, 1000);
*/
__global__ void grid_stride(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * 2.0f + 1.0f;
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[8] = zeros(); float in[256] = uniform(0, 1);
   within_a_warp(out, in);
*/
__global__ void within_a_warp(float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = in[i];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (__any_sync(0xffffffffu, v > 0.0f) && threadIdx.x % 32 == 0) out[i / 32] = v;
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[256] = zeros(); float in[256] = uniform(0, 1);
   inline_ptx(out, in);
*/
__global__ void inline_ptx(float *out, const float *in)
{
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    float v;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(in + i));
    s[t] = v;
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + i), "f"(s[63 - t] * 2.0f) : "memory");
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 };
   float4 out[256] = zeros(); float4 in[256] = uniform(0, 1); half2 h[256] = zeros();
   vector_types(out, h, in);
*/
__global__ void vector_types(float4 *out, half2 *h, const float4 *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(v.x + v.y, v.y * v.z, v.z - v.w, v.w);
    h[i] = __floats2half2_rn(v.x, v.y);
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float img[256] = uniform(0, 1); float out[256] = zeros();
   cudaTextureObject_t t = texture1D(img, 256); cudaSurfaceObject_t s = surface1D(out, 256);
   textures_and_surfaces(s, t);
*/
__global__ void textures_and_surfaces(cudaSurfaceObject_t s, cudaTextureObject_t t)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = tex1D<float>(t, i + 0.5f) + tex1D<float>(t, i + 1.5f);
    surf1Dwrite(v * v, s, i * 4);
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[256] = zeros(); float in[256] = uniform(0, 1);
   extern float taps[8] = uniform(0, 1);
   constant_memory(out, in);
*/
__constant__ float taps[8];
__global__ void constant_memory(float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = in[i], sum = 0.0f;
    for (int k = 0; k < 8; k++) sum = sum * v + taps[k];
    out[i] = sum;
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[256] = zeros(); float4 in[64] = uniform(0, 1);
   cp_async(out, in);
*/
__global__ void cp_async(float *out, const float4 *in)
{
    __shared__ float4 s[16];
    int t = threadIdx.x;
    if (t < 16) __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 16 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 64 + t] = reinterpret_cast<float *>(s)[63 - t] * 2.0f;
}

/* kmutate launch
   dim3 grid = { 2 }; dim3 block = { 32 };
   float out[512] = zeros(); half a[512] = uniform(0, 1); half b[512] = uniform(0, 1);
   tensor_cores(out, a, b);
*/
__global__ void tensor_cores(float *out, const half *a, const half *b)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> x;
    fragment<matrix_b, 16, 16, 16, half, col_major> y;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    load_matrix_sync(x, a + blockIdx.x * 256, 16);
    load_matrix_sync(y, b + blockIdx.x * 256, 16);
    mma_sync(sum, x, y, sum);
    store_matrix_sync(out + blockIdx.x * 256, sum, 16, mem_row_major);
}
