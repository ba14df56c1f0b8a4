// Sums over a small array that all lanes read at the same place, with a function of CUDA's in each step: n-body, Coulomb, kernels of
// densities. Timed on a GPU and by the model of time, as patterns.cu.

__constant__ float4 c_points[512];

enum { FUSED, RSQRT, SQRT, DIVIDE, FAST_EXP, EXP, SINE, LOG, FAST_DIVIDE, POWER };
enum { GLOBAL, SHARED, CONSTANT, PAIRS, WORDS };

template <int FUNCTION> __device__ float of(float x)
{
    if (FUNCTION == RSQRT) return rsqrtf(x);
    if (FUNCTION == SQRT) return sqrtf(x);
    if (FUNCTION == DIVIDE) return 1.5f / x;
    if (FUNCTION == FAST_EXP) return __expf(-x);
    if (FUNCTION == EXP) return expf(-x);
    if (FUNCTION == SINE) return sinf(x);
    if (FUNCTION == LOG) return logf(x);
    if (FUNCTION == FAST_DIVIDE) return __fdividef(1.5f, x);
    if (FUNCTION == POWER) return powf(x, 0.7f);
    return x;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 3168 };
   float4 points[512] = uniform(0.1, 1); float out[3168 * 256] = zeros();
   point_sums<GLOBAL, FUSED>(points, out, 400); point_sums<GLOBAL, RSQRT>(points, out, 400); point_sums<GLOBAL, SQRT>(points, out, 400); point_sums<GLOBAL, DIVIDE>(points, out, 400); point_sums<GLOBAL, FAST_EXP>(points, out, 400);
   point_sums<GLOBAL, EXP>(points, out, 400); point_sums<GLOBAL, SINE>(points, out, 400); point_sums<GLOBAL, LOG>(points, out, 400); point_sums<GLOBAL, FAST_DIVIDE>(points, out, 400); point_sums<GLOBAL, POWER>(points, out, 100);
   point_sums<SHARED, FUSED>(points, out, 400); point_sums<SHARED, RSQRT>(points, out, 400); point_sums<SHARED, SQRT>(points, out, 400); point_sums<SHARED, DIVIDE>(points, out, 400); point_sums<SHARED, EXP>(points, out, 400); point_sums<SHARED, LOG>(points, out, 400);
   point_sums<CONSTANT, FUSED>(points, out, 400); point_sums<CONSTANT, RSQRT>(points, out, 400); point_sums<CONSTANT, SQRT>(points, out, 400); point_sums<CONSTANT, DIVIDE>(points, out, 400); point_sums<CONSTANT, EXP>(points, out, 400);
   point_sums<PAIRS, FUSED>(points, out, 400); point_sums<PAIRS, RSQRT>(points, out, 400); point_sums<PAIRS, DIVIDE>(points, out, 400);
   point_sums<WORDS, FUSED>(points, out, 400); point_sums<WORDS, RSQRT>(points, out, 400); point_sums<WORDS, DIVIDE>(points, out, 400);
   block.x = 128; grid.x = 1056; point_sums<GLOBAL, RSQRT>(points, out, 400); point_sums<GLOBAL, SQRT>(points, out, 400); point_sums<GLOBAL, DIVIDE>(points, out, 400); point_sums<SHARED, DIVIDE>(points, out, 400); point_sums<WORDS, DIVIDE>(points, out, 400);
   block.x = 256; grid.x = 2880; point_sums<GLOBAL, RSQRT>(points, out, 400); grid.x = 3000; point_sums<GLOBAL, RSQRT>(points, out, 400);  grid.x = 2112; point_sums<GLOBAL, RSQRT>(points, out, 400); grid.x = 1056; point_sums<GLOBAL, RSQRT>(points, out, 400); grid.x = 1188; point_sums<GLOBAL, RSQRT>(points, out, 400); grid.x = 1452; point_sums<GLOBAL, RSQRT>(points, out, 400);
   grid.x = 528; point_sums<GLOBAL, RSQRT>(points, out, 400); grid.x = 264; point_sums<GLOBAL, RSQRT>(points, out, 400); grid.x = 132; point_sums<GLOBAL, RSQRT>(points, out, 400); point_sums<SHARED, RSQRT>(points, out, 400); point_sums<CONSTANT, RSQRT>(points, out, 400);
*/
// FROM where a step's point comes: four words, or two in pairs, or a word each.
template <int FROM, int FUNCTION> __global__ void point_sums(const float4 *points, float *out, int count)
{
    __shared__ float4 near[FROM == SHARED ? 512 : 1];
    if (FROM == SHARED) {
        for (int k = threadIdx.x; k < count; k += blockDim.x) near[k] = points[k];
        __syncthreads();
    }
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = 0.001f * (i % 97), y = 0.002f * (i % 89), z = 0.003f * (i % 83);
    float sum = 0.0f;
    for (int k = 0; k < count; k++) {
        float4 p;
        if (FROM == GLOBAL) p = points[k];
        if (FROM == SHARED) p = near[k];
        if (FROM == CONSTANT) p = c_points[k];
        if (FROM == PAIRS) {
            const float2 a = ((const float2 *)points)[k], b = ((const float2 *)points)[512 + k];
            p = make_float4(a.x, a.y, b.x, b.y);
        }
        if (FROM == WORDS) {
            const float *w = (const float *)points;
            p = make_float4(w[k], w[512 + k], w[1024 + k], w[1536 + k]);
        }
        const float dx = x - p.x, dy = y - p.y, dz = z - p.z;
        sum += p.w * of<FUNCTION>(dx * dx + dy * dy + dz * dz + 1e-4f);
    }
    out[i] = sum;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 1536 };
   float rows[512 * 4096] = uniform(0, 1); float out[1536 * 256] = zeros();
   curve_sums<0, 1>(rows, out, 400, 4096, 2.0f); curve_sums<0, 1>(rows, out, 400, 4096, 0.5f); curve_sums<0, 1>(rows, out, 400, 4096, 8.0f); curve_sums<0, 1>(rows, out, 400, 4096, 30.0f);
   curve_sums<0, 2>(rows, out, 400, 4096, 2.0f); curve_sums<0, 2>(rows, out, 400, 4096, 0.5f); curve_sums<0, 2>(rows, out, 400, 4096, 8.0f); curve_sums<0, 2>(rows, out, 400, 4096, 30.0f);
   curve_sums<1, 1>(rows, out, 400, 4096, 2.0f); curve_sums<1, 1>(rows, out, 400, 4096, 8.0f); curve_sums<1, 2>(rows, out, 400, 4096, 0.5f); curve_sums<1, 2>(rows, out, 400, 4096, 2.0f); curve_sums<1, 2>(rows, out, 400, 4096, 8.0f);
   curve_sums<2, 2>(rows, out, 400, 4096, 0.5f); curve_sums<2, 2>(rows, out, 400, 4096, 2.0f); curve_sums<2, 2>(rows, out, 400, 4096, 8.0f);
   curve_sums<3, 2>(rows, out, 400, 4096, 2.0f); curve_sums<3, 2>(rows, out, 400, 4096, 8.0f); curve_sums<3, 0>(rows, out, 400, 4096, 2.0f); curve_sums<2, 0>(rows, out, 400, 4096, 2.0f); curve_sums<1, 0>(rows, out, 400, 4096, 2.0f);
   block.x = 256; curve_sums<0, 2>(rows, out, 400, 4096, 2.0f); curve_sums<2, 2>(rows, out, 400, 4096, 2.0f); curve_sums<3, 2>(rows, out, 400, 4096, 2.0f);
   grid.x = 264; curve_sums<0, 2>(rows, out, 400, 4096, 2.0f); curve_sums<2, 2>(rows, out, 400, 4096, 2.0f); curve_sums<3, 2>(rows, out, 400, 4096, 2.0f);
*/
// Each row is read along a curve, `spread` samples from lane to lane, and one or two samples of it (TAPS; 0: none, but all else).
// WORK: 0 hardly any, 1 a square root, 2 two and a division, 3 and half of the rows left out, by lanes that differ.
template <int WORK, int TAPS> __global__ void curve_sums(const float *rows, float *out, int count, int samples, float spread)
{
    const int lane = blockIdx.x % 4 * blockDim.x + threadIdx.x, which = blockIdx.x / 4;
    const float own = lane * spread * (1.0f / 1024.0f) + 0.3f;
    float sum = 0.0f;
    int fold = 0;
    for (int k = 0; k < count; k++) {
        const float apart = ((which * 7 + k * 3) % 400 - 200) * (1.0f / 400.0f);
        if (WORK == 3 && fabsf(apart) > 0.2f + 0.1f * (threadIdx.x % 32) * (1.0f / 32.0f)) continue;
        float at = own + apart * apart, other = own;
        if (WORK >= 1) at = sqrtf(own * own + apart * apart);
        if (WORK >= 2) other = sqrtf(own * own + (apart - 0.1f) * (apart - 0.1f)), at = 0.5f * (at + other);
        at *= 1024.0f;
        const int n = (int)at;
        if (n + 1 >= samples) continue;
        const float part = at - n, *row = rows + (size_t)k * samples;
        float got = part;
        if (TAPS == 1) got = row[n];
        if (TAPS == 2) got = row[n] * (1.0f - part) + row[n + 1] * part;
        sum += WORK >= 2 ? got / (at * other) : got;
        fold++;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum / (float)max(fold, 1);
}

/* kmutate launch
   int nx = 192, ny = 160, nz = 24; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8, nz };
   float4 points[512] = uniform(0.1, 18); float out[193 * 161 * 24] = zeros();
   lattice_sums(points, out, 400, nx, ny, nz, 0.1f);
*/
/* kmutate launch
   int nx = 193, ny = 160, nz = 24; dim3 block = { 32, 8 }; dim3 grid = { (nx + 31) / 32, ny / 8, nz };
   float4 points[512] = uniform(0.1, 18); float out[193 * 161 * 24] = zeros();
   lattice_sums(points, out, 400, nx, ny, nz, 0.1f);
*/
/* kmutate launch
   int nx = 192, ny = 161, nz = 24; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, (ny + 7) / 8, nz };
   float4 points[512] = uniform(0.1, 18); float out[193 * 161 * 24] = zeros();
   lattice_sums(points, out, 400, nx, ny, nz, 0.1f);
*/
/* kmutate launch
   int nx = 210, ny = 164, nz = 24; dim3 block = { 32, 8 }; dim3 grid = { (nx + 31) / 32, (ny + 7) / 8, nz };
   float4 points[512] = uniform(0.1, 18); float out[210 * 168 * 24] = zeros();
   lattice_sums(points, out, 400, nx, ny, nz, 0.1f);
*/
// Points of a lattice, a part of the blocks at its border without work.
__global__ void lattice_sums(const float4 *points, float *out, int count, int nx, int ny, int nz, float step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    const float x = i * step, y = j * step, z = k * step;
    float sum = 0.0f;
    for (int a = 0; a < count; a++) {
        const float4 p = points[a];
        const float dx = x - p.x, dy = y - p.y, dz = z - p.z;
        sum += p.w * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
    }
    out[(k * ny + j) * nx + i] = sum;
}
