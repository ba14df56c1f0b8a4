// The fourth set of kernels that nobody tuned the model of time for: what suites of benchmarks, courses on optimisation and
// code for language models are made of, written from what is commonly known of them, also as beginners write it
// (tests/gpu/heldout.py, docs/heldout.md).

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define FULL_WARP 0xffffffffu

template <typename T> __device__ __forceinline__ T warp_sum(T v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(FULL_WARP, v, offset);
    return v;
}

__device__ __forceinline__ float warp_max(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL_WARP, v, offset));
    return v;
}

/* kmutate launch
   int ni = 300, nj = 320, nk = 320;
   dim3 block = { 32, 8 }; dim3 grid = { CEIL_DIV(nk, 32), CEIL_DIV(nj, 8) };
   extern float cube_weight[27] = uniform(-1, 1);
   float A[ni * nj * nk] = uniform(0, 1); float B[ni * nj * nk] = zeros();
   conv3d_walk(A, B, ni, nj, nk);
*/
// All 27 neighbours by their weights; a thread goes through the planes and reads nine of the values anew for each.
__constant__ float cube_weight[27];
__global__ void conv3d_walk(const float *A, float *B, int ni, int nj, int nk)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j < 1 || j >= nj - 1 || k < 1 || k >= nk - 1) return;
    for (int i = 1; i < ni - 1; i++) {
        float acc = 0.0f;
        for (int di = -1; di <= 1; di++)
            for (int dj = -1; dj <= 1; dj++)
                for (int dk = -1; dk <= 1; dk++)
                    acc += cube_weight[(di + 1) * 9 + (dj + 1) * 3 + dk + 1] * A[((i + di) * nj + j + dj) * nk + k + dk];
        B[(i * nj + j) * nk + k] = acc;
    }
}

/* kmutate launch
   int nx = 4096, ny = 4000;
   dim3 block(32, 8); dim3 grid(CEIL_DIV(ny, 32), CEIL_DIV(nx, 8));
   float ex[nx * (ny + 1)] = uniform(-1, 1); float ey[(nx + 1) * ny] = uniform(-1, 1); float hz[nx * ny] = uniform(-1, 1);
   fdtd_hz(ex, ey, hz, nx, ny);
*/
// The magnetic step of a two-dimensional FDTD code; rows of ex are one longer than those of the others.
__global__ void fdtd_hz(const float *ex, const float *ey, float *hz, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny)
        hz[i * ny + j] = hz[i * ny + j]
                         - 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

/* kmutate launch
   #define STAR_RADIUS 4
   int nx = 320, ny = 256, nz = 256;
   dim3 block(32, 4, 2); dim3 grid((nx - 2 * STAR_RADIUS + 31) / 32, (ny - 2 * STAR_RADIUS + 3) / 4, (nz - 2 * STAR_RADIUS + 1) / 2);
   extern float star_weight[STAR_RADIUS + 1] = { -2.8f, 1.6f, -0.2f, 0.025f, -0.0018f };
   float out[nx * ny * nz] = zeros(); float in[nx * ny * nz] = uniform(-1, 1);
   star_naive<STAR_RADIUS>(out, in, nx, ny, nz);
*/
// A star of eighth order with every value from global memory.
__constant__ float star_weight[5];
template <int R> __global__ void star_naive(float *__restrict__ out, const float *__restrict__ in, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + R;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + R;
    const int z = blockIdx.z * blockDim.z + threadIdx.z + R;
    if (x >= nx - R || y >= ny - R || z >= nz - R) return;
    const size_t plane = (size_t)nx * ny;
    const float *p = in + z * plane + y * nx + x;
    float value = 3.0f * star_weight[0] * p[0];
#pragma unroll
    for (int r = 1; r <= R; r++)
        value += star_weight[r] * (p[r] + p[-r] + p[r * nx] + p[-r * nx] + p[r * plane] + *(p - r * plane));
    out[z * plane + y * nx + x] = value;
}

/* kmutate launch
   int nx = 512, ny = 500, nz = 64; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4 };
   double next[nx * ny * nz] = zeros(); double now[nx * ny * nz] = uniform(300, 340); double power[nx * ny * nz] = uniform(0, 0.1);
   heat3d_layers(next, now, power, nx, ny, nz, 0.1, 0.1, 0.05, 0.01);
*/
// Heat in a chip of many layers; the layers above and below stay in registers on the way up. Borders have themselves as neighbours.
__global__ void heat3d_layers(double *next, const double *now, const double *power, int nx, int ny, int nz, double cx, double cy,
                              double cz, double dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int c = y * nx + x, layer = nx * ny;
    int w = x == 0 ? c : c - 1, e = x == nx - 1 ? c : c + 1, n = y == 0 ? c : c - nx, s = y == ny - 1 ? c : c + nx;
    double below, centre = now[c], above = centre;
    for (int z = 0; z < nz; z++) {
        below = centre;
        centre = above;
        above = z + 1 < nz ? now[c + layer] : centre;
        next[c] = (1.0 - 2.0 * (cx + cy + cz)) * centre + cx * (now[w] + now[e]) + cy * (now[n] + now[s]) + cz * (below + above)
                  + dt * power[c];
        c += layer;
        w += layer;
        e += layer;
        n += layer;
        s += layer;
    }
}

/* kmutate launch
   int rows = 2048, cols = 1024; dim3 block = { 64 }; dim3 grid = { CEIL_DIV(rows, 64) };
   float X[rows * cols] = uniform(-1, 1); float A[rows * cols] = uniform(0.01, 0.1); float B[rows * cols] = uniform(1, 2);
   adi_rows(A, B, X, rows, cols);
*/
// Elimination along rows, a row a thread: the slow direction of a naive ADI.
__global__ void adi_rows(float *A, float *B, float *X, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        for (int j = 1; j < cols; j++) {
            X[i * cols + j] = X[i * cols + j] - X[i * cols + j - 1] * A[i * cols + j] / B[i * cols + j - 1];
            B[i * cols + j] = B[i * cols + j] - A[i * cols + j] * A[i * cols + j] / B[i * cols + j - 1];
        }
    }
}

/* kmutate launch
   int w = 4096, h = 1500; dim3 block = { 64 }; dim3 grid = { w / 64 };
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 1);
   deriche_columns(out, in, w, h, 0.05f, 0.03f, 0.04f, 0.02f, 1.2f, -0.36f);
*/
// A recursive filter down and up each column, a column a thread.
__global__ void deriche_columns(float *__restrict__ out, const float *__restrict__ in, int w, int h, float a1, float a2, float a3,
                                float a4, float b1, float b2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float before = 0.0f, y1 = 0.0f, y2 = 0.0f;
    for (int y = 0; y < h; y++) {
        float v = in[y * w + x], r = a1 * v + a2 * before + b1 * y1 + b2 * y2;
        out[y * w + x] = r;
        before = v;
        y2 = y1;
        y1 = r;
    }
    float after = 0.0f, after2 = 0.0f;
    y1 = y2 = 0.0f;
    for (int y = h - 1; y >= 0; y--) {
        float r = a3 * after + a4 * after2 + b1 * y1 + b2 * y2;
        out[y * w + x] += r;
        after2 = after;
        after = in[y * w + x];
        y2 = y1;
        y1 = r;
    }
}

/* kmutate launch
   int nx = 128, ny = 128, nz = 100, cells = nx * ny * nz; dim3 block = { 128 }; dim3 grid = { 1, ny, nz };
   float out[19 * cells] = zeros(); float in[19 * cells] = uniform(0.04, 0.06);
   lbm_d3q19(out, in, nx, ny, nz, 1.2f);
*/
// Nineteen speeds, each in an array of its own: pulled from where they come from, then relaxed. The box is periodic.
__device__ constexpr signed char lbm_c[19][3] = {
    { 0, 0, 0 },  { 1, 0, 0 },  { -1, 0, 0 }, { 0, 1, 0 },  { 0, -1, 0 }, { 0, 0, 1 },   { 0, 0, -1 }, { 1, 1, 0 },   { -1, -1, 0 }, { 1, -1, 0 },
    { -1, 1, 0 }, { 1, 0, 1 },  { -1, 0, -1 }, { 1, 0, -1 }, { -1, 0, 1 }, { 0, 1, 1 },  { 0, -1, -1 }, { 0, 1, -1 }, { 0, -1, 1 },
};
__global__ void __launch_bounds__(128) lbm_d3q19(float *__restrict__ out, const float *__restrict__ in, int nx, int ny, int nz, float omega)
{
    int x = threadIdx.x, y = blockIdx.y, z = blockIdx.z, cells = nx * ny * nz;
    int xm = x == 0 ? nx - 1 : x - 1, xp = x == nx - 1 ? 0 : x + 1, ym = y == 0 ? ny - 1 : y - 1, yp = y == ny - 1 ? 0 : y + 1;
    int zm = z == 0 ? nz - 1 : z - 1, zp = z == nz - 1 ? 0 : z + 1;
    float f[19], rho = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int q = 0; q < 19; q++) {
        int sx = lbm_c[q][0] == 0 ? x : lbm_c[q][0] > 0 ? xm : xp;
        int sy = lbm_c[q][1] == 0 ? y : lbm_c[q][1] > 0 ? ym : yp;
        int sz = lbm_c[q][2] == 0 ? z : lbm_c[q][2] > 0 ? zm : zp;
        f[q] = in[q * cells + (sz * ny + sy) * nx + sx];
        rho += f[q];
        ux += lbm_c[q][0] * f[q];
        uy += lbm_c[q][1] * f[q];
        uz += lbm_c[q][2] * f[q];
    }
    float inverse = 1.0f / rho;
    ux *= inverse;
    uy *= inverse;
    uz *= inverse;
    float base = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
    int here = (z * ny + y) * nx + x;
#pragma unroll
    for (int q = 0; q < 19; q++) {
        float w = q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
        float cu = 3.0f * (lbm_c[q][0] * ux + lbm_c[q][1] * uy + lbm_c[q][2] * uz);
        out[q * cells + here] = f[q] - omega * (f[q] - w * rho * (base + cu + 0.5f * cu * cu));
    }
}

/* kmutate launch
   int nx = 2048, ny = 1100; dim3 block = { 128 }; dim3 grid = { CEIL_DIV(nx - 2, 128), ny };
   double out[4 * nx * ny] = zeros(); double state[4 * nx * ny] = uniform(1, 1.5);
   rusanov_x(out, state, nx, ny, 0.2, 1.4);
*/
// Conserved quantities after a step in x with Rusanov's flux at both sides of a cell, in double precision.
struct Conserved { double rho, mx, my, energy; };
__device__ Conserved cell_at(const double *state, int i, int cells)
{
    return { state[i], state[cells + i], state[2 * cells + i], state[3 * cells + i] + 3.0 };
}
__device__ Conserved rusanov(Conserved l, Conserved r, double gamma)
{
    double ul = l.mx / l.rho, ur = r.mx / r.rho;
    double pl = (gamma - 1.0) * (l.energy - 0.5 * (l.mx * l.mx + l.my * l.my) / l.rho);
    double pr = (gamma - 1.0) * (r.energy - 0.5 * (r.mx * r.mx + r.my * r.my) / r.rho);
    double s = fmax(fabs(ul) + sqrt(gamma * pl / l.rho), fabs(ur) + sqrt(gamma * pr / r.rho));
    return { 0.5 * (l.mx + r.mx - s * (r.rho - l.rho)), 0.5 * (l.mx * ul + pl + r.mx * ur + pr - s * (r.mx - l.mx)),
             0.5 * (l.my * ul + r.my * ur - s * (r.my - l.my)),
             0.5 * ((l.energy + pl) * ul + (r.energy + pr) * ur - s * (r.energy - l.energy)) };
}
__global__ void rusanov_x(double *out, const double *state, int nx, int ny, double ratio, double gamma)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y, cells = nx * ny;
    if (x >= nx - 1) return;
    int i = y * nx + x;
    Conserved here = cell_at(state, i, cells);
    Conserved west = rusanov(cell_at(state, i - 1, cells), here, gamma), east = rusanov(here, cell_at(state, i + 1, cells), gamma);
    out[i] = here.rho - ratio * (east.rho - west.rho);
    out[cells + i] = here.mx - ratio * (east.mx - west.mx);
    out[2 * cells + i] = here.my - ratio * (east.my - west.my);
    out[3 * cells + i] = here.energy - ratio * (east.energy - west.energy);
}

/* kmutate launch
   int M = 640, N = 640, K = 600; dim3 block = { 16, 16 }; dim3 grid = { CEIL_DIV(M, 16), CEIL_DIV(N, 16) };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   sgemm_swapped(M, N, K, 1.0f, A, B, 0.5f, C);
*/
// The first version that everybody writes: neighbouring threads have neighbouring rows.
__global__ void sgemm_swapped(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * acc + beta * C[row * N + col];
    }
}

/* kmutate launch
   int M = 1536, N = 1536, K = 1024; dim3 block = { 512 }; dim3 grid = { N / 64, M / 64 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   sgemm_strip<64, 64, 8, 8>(M, N, K, A, B, C);
*/
// Tiles in shared memory; a thread has a strip of TM results in one column.
template <int BM, int BN, int BK, int TM>
__global__ void sgemm_strip(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int col = threadIdx.x % BN, strip = threadIdx.x / BN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK, b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
    float results[TM] = { 0.0f };
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[a_row * BK + a_col] = A[a_row * K + a_col];
        Bs[b_row * BN + b_col] = B[b_row * N + b_col];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            float b = Bs[k * BN + col];
            for (int m = 0; m < TM; ++m) results[m] += As[(strip * TM + m) * BK + k] * b;
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m) C[(strip * TM + m) * N + col] += results[m];
}

/* kmutate launch
   int M = 2048, N = 2304, K = 768; dim3 block = { 256 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   sgemm_block_tile<128, 128, 8, 8, 8>(M, N, K, 1.0f, A, B, 0.0f, C);
*/
// 8 x 8 results a thread, one word at a time from global and from shared memory.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN))
sgemm_block_tile(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    constexpr int THREADS = BM * BN / (TM * TN);
    __shared__ float As[BM][BK], Bs[BK][BN];
    const int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {}, am[TM], bn[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) As[i / BK][i % BK] = A[(row0 + i / BK) * K + k0 + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) Bs[i / BN][i % BN] = B[(k0 + i / BN) * N + col0 + i % BN];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int m = 0; m < TM; ++m) am[m] = As[ty * TM + m][k];
#pragma unroll
            for (int n = 0; n < TN; ++n) bn[n] = Bs[k][tx * TN + n];
#pragma unroll
            for (int m = 0; m < TM; ++m)
#pragma unroll
                for (int n = 0; n < TN; ++n) acc[m][n] += am[m] * bn[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) {
            float *c = &C[(row0 + ty * TM + m) * N + col0 + tx * TN + n];
            *c = alpha * acc[m][n] + beta * *c;
        }
}

/* kmutate launch
   int M = 1920, N = 1920, K = 1024; dim3 block = { 128 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   sgemm_warp_tile<128, 128, 16, 64, 64, 8, 4>(M, N, K, A, B, C);
*/
// Four warps of 64 x 64 results each, 128 of them a thread in four pieces; A is turned round on its way to shared memory.
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN>
__global__ void __launch_bounds__(BM / WM * (BN / WN) * 32)
sgemm_warp_tile(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    constexpr int THREADS = BM / WM * (BN / WN) * 32;
    constexpr int LANES_N = 8, LANES_M = 4;
    constexpr int ITER_M = WM / (LANES_M * TM), ITER_N = WN / (LANES_N * TN);
    __shared__ __align__(16) float As[BK][BM];
    __shared__ __align__(16) float Bs[BK][BN];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN, lm = lane / LANES_N * TM, ln = lane % LANES_N * TN;
    A += (size_t)blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += (size_t)(blockIdx.y * BM + wm) * N + blockIdx.x * BN + wn;
    float acc[ITER_M * TM][ITER_N * TN] = {}, ra[ITER_M * TM], rb[ITER_N * TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS) {
            int r = i / (BK / 4), c = i % (BK / 4) * 4;
            float4 v = reinterpret_cast<const float4 *>(&A[r * K + k0 + c])[0];
            As[c][r] = v.x;
            As[c + 1][r] = v.y;
            As[c + 2][r] = v.z;
            As[c + 3][r] = v.w;
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS) {
            int r = i / (BN / 4), c = i % (BN / 4) * 4;
            reinterpret_cast<float4 *>(&Bs[r][c])[0] = reinterpret_cast<const float4 *>(&B[(k0 + r) * N + c])[0];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int im = 0; im < ITER_M; ++im)
#pragma unroll
                for (int m = 0; m < TM; ++m) ra[im * TM + m] = As[k][wm + im * LANES_M * TM + lm + m];
#pragma unroll
            for (int in = 0; in < ITER_N; ++in)
#pragma unroll
                for (int n = 0; n < TN; ++n) rb[in * TN + n] = Bs[k][wn + in * LANES_N * TN + ln + n];
#pragma unroll
            for (int m = 0; m < ITER_M * TM; ++m)
#pragma unroll
                for (int n = 0; n < ITER_N * TN; ++n) acc[m][n] = fmaf(ra[m], rb[n], acc[m][n]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < ITER_M * TM; ++m)
#pragma unroll
        for (int in = 0; in < ITER_N; ++in) {
            const float *v = &acc[m][in * TN];
            int r = m / TM * LANES_M * TM + lm + m % TM;
            reinterpret_cast<float4 *>(&C[r * N + in * LANES_N * TN + ln])[0] = make_float4(v[0], v[1], v[2], v[3]);
        }
}

/* kmutate launch
   int BT = 4096, C = 768, OC = 1000; dim3 block = { 32, 8 }; dim3 grid = { CEIL_DIV(OC, 32), BT / 32 };
   float out[BT * OC] = zeros(); float inp[BT * C] = normal(); float weight[OC * C] = normal(0, 0.02); float bias[OC] = normal(0, 0.02);
   linear_gelu(out, inp, weight, bias, BT, C, OC);
*/
// out = GELU(inp weight' + bias), tiles of 32 x 32 in shared memory, four results a thread.
__global__ void linear_gelu(float *out, const float *inp, const float *weight, const float *bias, int BT, int C, int OC)
{
    __shared__ float si[32][33], sw[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, oc = blockIdx.x * 32 + tx, bt0 = blockIdx.y * 32;
    float acc[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    for (int c0 = 0; c0 < C; c0 += 32) {
        for (int r = ty; r < 32; r += 8) {
            si[r][tx] = inp[(bt0 + r) * C + c0 + tx];
            int o = blockIdx.x * 32 + r;
            sw[r][tx] = o < OC ? weight[o * C + c0 + tx] : 0.0f;
        }
        __syncthreads();
        for (int c = 0; c < 32; c++) {
            float w = sw[tx][c];
            for (int r = 0; r < 4; r++) acc[r] += si[ty + 8 * r][c] * w;
        }
        __syncthreads();
    }
    if (oc >= OC) return;
    float b = bias[oc];
    for (int r = 0; r < 4; r++) {
        float x = acc[r] + b;
        out[(bt0 + ty + 8 * r) * OC + oc] = 0.5f * x * (1.0f + erff(0.70710678f * x));
    }
}

/* kmutate launch
   int n = 448, m = 320; dim3 block = { 32, 8 }; dim3 grid = { CEIL_DIV(n, 32), CEIL_DIV(n, 8) };
   float a[n * m] = uniform(-1, 1); float b[n * m] = uniform(-1, 1); float c[n * n] = uniform(-1, 1);
   syr2k_simple(a, b, c, n, m, 1.5f, 0.8f);
*/
__global__ void syr2k_simple(const float *a, const float *b, float *c, int n, int m, float alpha, float beta)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++)
            c[i * n + j] += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
    }
}

/* kmutate launch
   int rows = 8192, cols = 4224; dim3 block = { 128 }; dim3 grid = { cols / 128, rows / 128 }; size_t smem = 128 * sizeof(float);
   float y[cols] = zeros(); float a[rows * cols] = uniform(-1, 1); float x[rows] = uniform(-1, 1);
   gemv_t_atomic(y, a, x, rows, cols);
*/
// y += a' x: a block has 128 rows of 128 columns and adds what it found to y.
__global__ void gemv_t_atomic(float *__restrict__ y, const float *__restrict__ a, const float *__restrict__ x, int rows, int cols)
{
    extern __shared__ float xs[];
    int j = blockIdx.x * 128 + threadIdx.x, i0 = blockIdx.y * 128;
    xs[threadIdx.x] = x[i0 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 16
    for (int i = 0; i < 128; i++) sum = fmaf(__ldg(a + (size_t)(i0 + i) * cols + j), xs[i], sum);
    atomicAdd(y + j, sum);
}

/* kmutate launch
   int m = 320, n = 128; dim3 block = { 64 }; dim3 grid = { m / 64 };
   float data[n * m] = normal(); float corr[m * m] = zeros();
   correlation_rows(data, corr, m, n);
*/
// Five blocks: a thread has a whole row of the correlation matrix, the later the shorter, and writes it twice.
__global__ void correlation_rows(const float *data, float *corr, int m, int n)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 >= m - 1) return;
    corr[j1 * m + j1] = 1.0f;
    for (int j2 = j1 + 1; j2 < m; j2++) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++) sum += data[i * m + j1] * data[i * m + j2];
        corr[j1 * m + j2] = sum;
        corr[j2 * m + j1] = sum;
    }
}

/* kmutate launch
   int n = 2048, k = 7; dim3 block = { 256 }; dim3 grid = { 1 };
   float a[n * n] = uniform(-1, 1); float r[n * n] = zeros();
   gramschmidt_norm(a, r, n, k);
*/
// The norm of a column, by one thread.
__global__ void gramschmidt_norm(const float *a, float *r, int n, int k)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid == 0) {
        float norm = 0.0f;
        for (int i = 0; i < n; i++) norm += a[i * n + k] * a[i * n + k];
        r[k * n + k] = sqrtf(norm);
    }
}

/* kmutate launch
   int batch = 26000; dim3 block = { 128 }; dim3 grid = { CEIL_DIV(batch, 4) };
   float a[batch * 1024] = uniform(1, 2);
   lu_warp(a, batch);
*/
// A matrix of 32 x 32 in the registers of a warp, a column a lane; eliminated in place without pivots.
__global__ void lu_warp(float *a, int batch)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int id = blockIdx.x * 4 + warp.meta_group_rank();
    if (id >= batch) return;
    float *mine = a + (size_t)id * 1024 + warp.thread_rank();
    float v[32];
#pragma unroll
    for (int i = 0; i < 32; i++) v[i] = mine[i * 32];
#pragma unroll
    for (int k = 0; k < 31; k++) {
        float inverse = 1.0f / warp.shfl(v[k], k);
#pragma unroll
        for (int i = k + 1; i < 32; i++) {
            float l = warp.shfl(v[i], k) * inverse;
            if (warp.thread_rank() == k) v[i] = l;
            if (warp.thread_rank() > k) v[i] -= l * v[k];
        }
    }
#pragma unroll
    for (int i = 0; i < 32; i++) mine[i * 32] = v[i];
}

/* kmutate launch
   int n = 1024, offset = 128; dim3 block = { 64 }; dim3 grid = { 1 };
   float m[n * n] = uniform(1, 2);
   lud_diagonal<64>(m, n, offset);
*/
// One block factors a tile on the diagonal; the others of the grid would have to wait for it.
template <int TILE> __global__ void lud_diagonal(float *m, int n, int offset)
{
    __shared__ float tile[TILE][TILE];
    int t = threadIdx.x;
    float *corner = m + offset * n + offset;
    for (int i = 0; i < TILE; i++) tile[i][t] = corner[i * n + t];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++) tile[t][i] -= tile[t][j] * tile[j][i];
            tile[t][i] /= tile[i][i];
        }
        __syncthreads();
        if (t > i)
            for (int j = 0; j < i + 1; j++) tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
        __syncthreads();
    }
    for (int i = 1; i < TILE; i++) corner[i * n + t] = tile[i][t];
}

/* kmutate launch
   int n4 = 9000001; dim3 block = { 256 }; dim3 grid = { 132 * 8 };
   int result[2] = { 2147483647, 0 }; float in[n4 * 4] = uniform(0, 1);
   minmax_quads(result, (const float4 *)in, n4);
*/
// Least and greatest of positive numbers, whose order is that of their bits.
__global__ void minmax_quads(int *result, const float4 *__restrict__ in, int n4)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ float lows[32], highs[32];
    float low = INFINITY, high = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        low = fminf(fminf(fminf(low, v.x), fminf(v.y, v.z)), v.w);
        high = fmaxf(fmaxf(fmaxf(high, v.x), fmaxf(v.y, v.z)), v.w);
    }
    for (int i = warp.size() / 2; i > 0; i /= 2) {
        low = fminf(low, warp.shfl_down(low, i));
        high = fmaxf(high, warp.shfl_down(high, i));
    }
    if (warp.thread_rank() == 0) {
        lows[warp.meta_group_rank()] = low;
        highs[warp.meta_group_rank()] = high;
    }
    block.sync();
    if (block.thread_rank() == 0) {
        for (int w = 1; w < warp.meta_group_size(); w++) {
            low = fminf(low, lows[w]);
            high = fmaxf(high, highs[w]);
        }
        atomicMin(&result[0], __float_as_int(low));
        atomicMax(&result[1], __float_as_int(high));
    }
}

/* kmutate launch
   int n = 9000 * 1024; dim3 block = { 1024 }; dim3 grid = { n / 1024 }; size_t smem = 2 * 1024 * sizeof(int);
   int out[n] = zeros(); int sums[n / 1024] = zeros(); int in[n] = randint(0, 100);
   scan_kogge(out, sums, in);
*/
// Inclusive sums of a block by ten steps that each look twice as far, between two halves of shared memory.
__global__ void scan_kogge(int *out, int *sums, const int *in)
{
    extern __shared__ int buffer[];
    int t = threadIdx.x, n = blockDim.x, from = 0, to = n;
    buffer[t] = in[blockIdx.x * n + t];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        buffer[to + t] = t >= offset ? buffer[from + t] + buffer[from + t - offset] : buffer[from + t];
        int swap = from;
        from = to;
        to = swap;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = buffer[from + t];
    if (t == n - 1) sums[blockIdx.x] = buffer[from + t];
}

/* kmutate launch
   int n = 1 << 24, j = 1 << 6, k = 1 << 19; dim3 block = { 512 }; dim3 grid = { n / 512 };
   float values[n] = uniform(0, 1);
   bitonic_step(values, j, k);
*/
// One of many steps of a sort in global memory; half of the threads have nothing to do.
__global__ void bitonic_step(float *values, int j, int k)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, partner = i ^ j;
    if (partner > i) {
        float a = values[i], b = values[partner];
        bool up = (i & k) == 0;
        if (up ? a > b : a < b) {
            values[i] = b;
            values[partner] = a;
        }
    }
}

/* kmutate launch
   int n = 5000000; dim3 block(256); dim3 grid(CEIL_DIV(n, 256));
   unsigned bins[128 * 128] = zeros(); float2 points[n] = normal(0, 1);
   density_bins(bins, points, n, 16.0f);
*/
// How many points lie in which cell; most of them lie in the middle.
__global__ void density_bins(unsigned *bins, const float2 *points, int n, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = points[i];
    int x = min(max((int)floorf(p.x * scale) + 64, 0), 127), y = min(max((int)floorf(p.y * scale) + 64, 0), 127);
    atomicAdd(&bins[y * 128 + x], 1u);
}

/* kmutate launch
   int n = 3000000, digits = 64, room = 1 << 16; dim3 block(256); dim3 grid(CEIL_DIV(n, 256));
   unsigned out[digits * room] = zeros(); unsigned cursor[digits] = zeros(); unsigned keys[n] = randint(0, 2147483647);
   digit_scatter(out, cursor, keys, n, room);
*/
// Keys to the part of their digit; the lanes of a warp with the same digit ask for room together.
__global__ void digit_scatter(unsigned *out, unsigned *cursor, const unsigned *keys, int n, int room)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    bool valid = i < n;
    unsigned key = valid ? keys[i] : 0u, digit = valid ? key >> 4 & 63u : 64u;
    unsigned peers = __match_any_sync(FULL_WARP, digit);
    int leader = __ffs(peers) - 1, rank = __popc(peers & ((1u << lane) - 1));
    unsigned first = 0;
    if (valid && lane == leader) first = atomicAdd(&cursor[digit], __popc(peers));
    first = __shfl_sync(FULL_WARP, first, leader);
    if (valid && first + rank < room) out[digit * room + first + rank] = key;
}

/* kmutate launch
   int n = 14000; dim3 block = { 128 }; dim3 grid = { CEIL_DIV(n, 128) };
   float x[n] = uniform(-1, 1); float y[n] = uniform(-1, 1); float z[n] = uniform(-1, 1); float m[n] = uniform(0.1, 1);
   float vx[n] = zeros(); float vy[n] = zeros(); float vz[n] = zeros();
   gravity_naive(n, x, y, z, m, vx, vy, vz, 0.01f);
*/
// All pairs of bodies, four arrays, nothing in shared memory; fewer blocks than multiprocessors.
__global__ void gravity_naive(int n, const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
                              const float *__restrict__ m, float *vx, float *vy, float *vz, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;
        for (int j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
            float s = m[j] * inverse * inverse * inverse;
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        vx[i] += dt * fx;
        vy[i] += dt * fy;
        vz[i] += dt * fz;
    }
}

/* kmutate launch
   int w = 1024, h = 1000, atoms = 700; dim3 block = { 16, 8 }; dim3 grid = { w / 64, h / 8 };
   extern float4 charge[1024] = uniform(-1, 1);
   float energy[w * h] = zeros();
   coulomb_lattice(energy, w, atoms, 0.002f, 0.3f);
*/
// Potential of charges in constant memory on a slice of a lattice; four points a thread, 16 apart.
__constant__ float4 charge[1024];
__global__ void coulomb_lattice(float *energy, int w, int atoms, float spacing, float z)
{
    int x0 = blockIdx.x * 64 + threadIdx.x, y0 = blockIdx.y * 8 + threadIdx.y;
    float x = spacing * x0 - 1.0f, y = spacing * y0 - 1.0f, step = 16.0f * spacing;
    float e0 = 0.0f, e1 = 0.0f, e2 = 0.0f, e3 = 0.0f;
    for (int a = 0; a < atoms; a++) {
        float4 c = charge[a];
        float dy = y - c.y, dz = z - c.z, rest = dy * dy + dz * dz + 1e-6f, dx = x - c.x;
        e0 += c.w * rsqrtf(dx * dx + rest);
        dx += step;
        e1 += c.w * rsqrtf(dx * dx + rest);
        dx += step;
        e2 += c.w * rsqrtf(dx * dx + rest);
        dx += step;
        e3 += c.w * rsqrtf(dx * dx + rest);
    }
    float *row = energy + y0 * w + x0;
    row[0] += e0;
    row[16] += e1;
    row[32] += e2;
    row[48] += e3;
}

/* kmutate launch
   int options = 1500, steps = 500; dim3 block = { 256 }; dim3 grid = { options };
   size_t smem = (steps + 1) * sizeof(float);
   float price[options] = zeros(); float spot[options] = uniform(20, 60); float strike[options] = uniform(20, 60);
   binomial_option(price, spot, strike, steps, 0.0014f, 0.0316f, 0.5f);
*/
// An option a block: prices at all ends of a tree of 500 steps, then back step by step in shared memory.
__global__ void binomial_option(float *price, const float *spot, const float *strike, int steps, float drift, float volatility, float up)
{
    extern __shared__ float value[];
    const float s = spot[blockIdx.x], x = strike[blockIdx.x];
    const float discount = expf(-drift), pu = up * discount, pd = (1.0f - up) * discount;
    for (int i = threadIdx.x; i <= steps; i += blockDim.x) value[i] = fmaxf(s * expf(volatility * (2 * i - steps)) - x, 0.0f);
    __syncthreads();
    for (int step = steps; step > 0; step--) {
        float next[2];
        int count = 0;
        for (int i = threadIdx.x; i < step; i += blockDim.x) next[count++ & 1] = pu * value[i + 1] + pd * value[i];
        __syncthreads();
        count = 0;
        for (int i = threadIdx.x; i < step; i += blockDim.x) value[i] = next[count++ & 1];
        __syncthreads();
    }
    if (threadIdx.x == 0) price[blockIdx.x] = value[0];
}

/* kmutate launch
   int blocks = 2000000; dim3 block = { 192 }; dim3 grid = { CEIL_DIV(blocks, 192) };
   extern unsigned chacha_key[8] = randint(0, 2147483647);
   uint4 out[blocks * 4] = zeros(); uint4 in[blocks * 4] = randint(0, 2147483647);
   chacha20_xor(out, in, blocks, make_uint3(1, 2, 3));
*/
// ChaCha20: 64 bytes a thread, which lie side by side, so lanes are 64 bytes apart.
__constant__ unsigned chacha_key[8];
#define QUARTER(a, b, c, d)                                                                                                                 \
    a += b; d ^= a; d = __funnelshift_l(d, d, 16);                                                                                          \
    c += d; b ^= c; b = __funnelshift_l(b, b, 12);                                                                                          \
    a += b; d ^= a; d = __funnelshift_l(d, d, 8);                                                                                           \
    c += d; b ^= c; b = __funnelshift_l(b, b, 7);
__global__ void chacha20_xor(uint4 *out, const uint4 *in, int blocks, uint3 nonce)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= blocks) return;
    unsigned start[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, chacha_key[0], chacha_key[1], chacha_key[2], chacha_key[3],
                           chacha_key[4], chacha_key[5], chacha_key[6], chacha_key[7], (unsigned)id, nonce.x, nonce.y, nonce.z };
    unsigned s[16];
#pragma unroll
    for (int i = 0; i < 16; i++) s[i] = start[i];
#pragma unroll 2
    for (int round = 0; round < 10; round++) {
        QUARTER(s[0], s[4], s[8], s[12])
        QUARTER(s[1], s[5], s[9], s[13])
        QUARTER(s[2], s[6], s[10], s[14])
        QUARTER(s[3], s[7], s[11], s[15])
        QUARTER(s[0], s[5], s[10], s[15])
        QUARTER(s[1], s[6], s[11], s[12])
        QUARTER(s[2], s[7], s[8], s[13])
        QUARTER(s[3], s[4], s[9], s[14])
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint4 v = in[id * 4 + i];
        v.x ^= s[4 * i] + start[4 * i];
        v.y ^= s[4 * i + 1] + start[4 * i + 1];
        v.z ^= s[4 * i + 2] + start[4 * i + 2];
        v.w ^= s[4 * i + 3] + start[4 * i + 3];
        out[id * 4 + i] = v;
    }
}

/* kmutate launch
   int n = 600000; dim3 block = { 128 }; dim3 grid = { CEIL_DIV(n, 128) };
   unsigned long long digest[4 * n] = zeros(); unsigned long long message[17 * n] = randint(0, 2147483647);
   keccak_hash(digest, message, n);
*/
// Keccak-f[1600] over 136 bytes, words of 64 bits; messages lie word by word side by side.
__constant__ unsigned long long keccak_round[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull, 0x000000000000808bull, 0x0000000080000001ull,
    0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull,
    0x000000000000800aull, 0x800000008000000aull, 0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull,
};
__device__ __forceinline__ unsigned long long rotl64(unsigned long long v, int n) { return n ? v << n | v >> (64 - n) : v; }
__global__ void keccak_hash(unsigned long long *digest, const unsigned long long *message, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long a[25] = {}, b[25], c[5];
#pragma unroll
    for (int k = 0; k < 17; k++) a[k] = message[k * n + i];
#pragma unroll 1
    for (int round = 0; round < 24; round++) {
#pragma unroll
        for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
        for (int x = 0; x < 5; x++) {
            unsigned long long d = c[(x + 4) % 5] ^ rotl64(c[(x + 1) % 5], 1);
#pragma unroll
            for (int y = 0; y < 5; y++) a[x + 5 * y] ^= d;
        }
        constexpr int turn[25] = { 0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14 };
#pragma unroll
        for (int x = 0; x < 5; x++)
#pragma unroll
            for (int y = 0; y < 5; y++) b[y + 5 * ((2 * x + 3 * y) % 5)] = rotl64(a[x + 5 * y], turn[x + 5 * y]);
#pragma unroll
        for (int y = 0; y < 5; y++)
#pragma unroll
            for (int x = 0; x < 5; x++) a[x + 5 * y] = b[x + 5 * y] ^ (~b[(x + 1) % 5 + 5 * y] & b[(x + 2) % 5 + 5 * y]);
        a[0] ^= keccak_round[round];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) digest[k * n + i] = a[k];
}

/* kmutate launch
   int w = 7680, h = 4320; dim3 block = { 32, 16 }; dim3 grid = { w / 32, h / 16 };
   unsigned char out[w * h] = zeros(); unsigned char in[w * h] = randint(0, 256);
   sobel_tile(out, in, w, h);
*/
// Edges by Sobel's operator, a byte a thread, from a tile with a rim of one pixel.
__global__ void sobel_tile(unsigned char *out, const unsigned char *in, int w, int h)
{
    __shared__ unsigned char tile[18][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        int x = min(max(x0 + i % 34, 0), w - 1), y = min(max(y0 + i / 34, 0), h - 1);
        tile[i / 34][i % 34] = in[y * w + x];
    }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int gx = tile[ty - 1][tx + 1] + 2 * tile[ty][tx + 1] + tile[ty + 1][tx + 1] - tile[ty - 1][tx - 1] - 2 * tile[ty][tx - 1] - tile[ty + 1][tx - 1];
    int gy = tile[ty + 1][tx - 1] + 2 * tile[ty + 1][tx] + tile[ty + 1][tx + 1] - tile[ty - 1][tx - 1] - 2 * tile[ty - 1][tx] - tile[ty - 1][tx + 1];
    out[(y0 + ty) * w + x0 + tx] = min((int)sqrtf((float)(gx * gx + gy * gy)), 255);
}

/* kmutate launch
   int w = 2560, h = 1440; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   unsigned char out[w * h] = zeros(); unsigned char in[w * h] = randint(0, 256);
   dilate_disc<4>(out, in, w, h);
*/
// The brightest pixel within a disc, straight from global memory.
template <int RADIUS> __global__ void dilate_disc(unsigned char *out, const unsigned char *in, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned char best = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        int yy = y + dy;
        if (yy < 0 || yy >= h) continue;
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int xx = x + dx;
            if (dx * dx + dy * dy <= RADIUS * RADIUS && xx >= 0 && xx < w) best = max(best, in[yy * w + xx]);
        }
    }
    out[y * w + x] = best;
}

/* kmutate launch
   int w = 6000, h = 4000; dim3 block = { 32, 8 }; dim3 grid = { CEIL_DIV(w, 32), CEIL_DIV(h, 8) };
   uchar3 rgb[w * h] = zeros(); unsigned short raw[w * h] = randint(0, 4096);
   bayer_demosaic(rgb, raw, w, h, 1.9f, 1.6f);
*/
// The two colours that a pixel of a sensor (RGGB) lacks, from its neighbours; what to do depends on the parity of x and y.
__device__ __forceinline__ unsigned char to_byte(float v) { return (unsigned char)fminf(fmaxf(v * 0.0625f, 0.0f), 255.0f); }
__global__ void bayer_demosaic(uchar3 *rgb, const unsigned short *raw, int w, int h, float red_gain, float blue_gain)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    auto at = [=](int dx, int dy) { return (float)raw[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)]; };
    float r, g, b, here = at(0, 0);
    if ((x & 1) == (y & 1)) {
        float cross = 0.25f * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1));
        float corners = 0.25f * (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1));
        g = cross;
        r = x & 1 ? corners : here;
        b = x & 1 ? here : corners;
    } else {
        float sides = 0.5f * (at(-1, 0) + at(1, 0)), ends = 0.5f * (at(0, -1) + at(0, 1));
        g = here;
        r = y & 1 ? ends : sides;
        b = y & 1 ? sides : ends;
    }
    rgb[y * w + x] = make_uchar3(to_byte(r * red_gain), to_byte(g), to_byte(b * blue_gain));
}

/* kmutate launch
   int w = 1920, h = 1080, points = 350, side = 33, reach = 16, window = side + 2 * reach;
   dim3 block = { 256 }; dim3 grid = { points }; size_t smem = (window * window + side * side) * sizeof(float);
   int place[points] = zeros(); float frame[w * h] = uniform(0, 1); int px[points] = randint(100, 1800); int py[points] = randint(100, 960);
   float patches[points * side * side] = uniform(0, 1);
   track_windows(place, frame, patches, px, py, w, side, reach);
*/
// Where in its window a point's patch fits best; window and patch in dynamic shared memory, a place a thread.
__global__ void track_windows(int *place, const float *frame, const float *patches, const int *px, const int *py, int w, int side, int reach)
{
    extern __shared__ float window[];
    __shared__ float best[256];
    __shared__ int where[256];
    const int wide = side + 2 * reach, places = 2 * reach + 1;
    float *patch = window + wide * wide;
    const int x0 = px[blockIdx.x] - wide / 2, y0 = py[blockIdx.x] - wide / 2;
    for (int i = threadIdx.x; i < wide * wide; i += blockDim.x) window[i] = frame[(y0 + i / wide) * w + x0 + i % wide];
    for (int i = threadIdx.x; i < side * side; i += blockDim.x) patch[i] = patches[blockIdx.x * side * side + i];
    __syncthreads();
    float least = 1e30f;
    int found = 0;
    for (int p = threadIdx.x; p < places * places; p += blockDim.x) {
        float sum = 0.0f;
        for (int v = 0; v < side; v++)
            for (int u = 0; u < side; u++) {
                float d = window[(p / places + v) * wide + p % places + u] - patch[v * side + u];
                sum += d * d;
            }
        if (sum < least) {
            least = sum;
            found = p;
        }
    }
    best[threadIdx.x] = least;
    where[threadIdx.x] = found;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s && best[threadIdx.x + s] < best[threadIdx.x]) {
            best[threadIdx.x] = best[threadIdx.x + s];
            where[threadIdx.x] = where[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) place[blockIdx.x] = where[0];
}

/* kmutate launch
   int particles = 250000, w = 512, h = 512, around = 69; dim3 block = { 512 }; dim3 grid = { CEIL_DIV(particles, 512) };
   double weight[particles] = fill(0.000004); double partial[grid.x] = zeros(); double x[particles] = uniform(0, 511); double y[particles] = uniform(0, 511);
   int dx[around] = randint(-5, 6); int dy[around] = randint(-5, 6); unsigned char video[w * h] = randint(0, 256);
   particle_likelihood(weight, partial, x, y, dx, dy, video, particles, around, w, h);
*/
// How well each particle explains a frame, and the sum of the weights of a block, in double precision.
__global__ void particle_likelihood(double *weight, double *partial, const double *x, const double *y, const int *dx, const int *dy,
                                    const unsigned char *video, int particles, int around, int w, int h)
{
    __shared__ double sums[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = 0.0;
    if (i < particles) {
        double likelihood = 0.0;
        int cx = (int)rint(x[i]), cy = (int)rint(y[i]);
        for (int k = 0; k < around; k++) {
            int at = abs((cy + dy[k]) * w + cx + dx[k]);
            if (at >= w * h) at = 0;
            double v = video[at];
            likelihood += ((v - 100.0) * (v - 100.0) - (v - 228.0) * (v - 228.0)) / 50.0;
        }
        weight[i] = weight[i] * exp(likelihood / around - 300.0);
        sums[threadIdx.x] = weight[i];
    }
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

/* kmutate launch
   int nodes = 800000, lo = 0, hi = 40, edges = csr_nnz(nodes, lo, hi); dim3 block = { 256 }; dim3 grid = { CEIL_DIV(nodes, 256) };
   float next[nodes] = zeros(); float change[1] = zeros(); float rank[nodes] = fill(0.00000125); int degree[nodes] = randint(1, 40);
   int first[nodes + 1] = csr_rowptr(nodes, lo, hi); int from[edges] = csr_colidx(nodes);
   pagerank_pull(next, change, rank, degree, first, from, nodes, 0.85f);
*/
// A step of PageRank: a thread gathers the rank of all that point to its node; warps wait for their most popular one.
__global__ void pagerank_pull(float *next, float *change, const float *__restrict__ rank, const int *__restrict__ degree, const int *first,
                              const int *from, int nodes, float damping)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float moved = 0.0f;
    if (v < nodes) {
        float sum = 0.0f;
        for (int e = first[v]; e < first[v + 1]; e++) {
            int u = from[e];
            sum += rank[u] / degree[u];
        }
        float value = (1.0f - damping) / nodes + damping * sum;
        moved = fabsf(value - rank[v]);
        next[v] = value;
    }
    moved = warp_sum(moved);
    if ((threadIdx.x & 31) == 0) atomicAdd(change, moved);
}

/* kmutate launch
   int n = 3000000, bits = 23; dim3 block = { 256 }; dim3 grid = { CEIL_DIV(n, 256) };
   unsigned long long table[1 << bits] = zeros(); unsigned key[n] = randint(1, 2147483647); unsigned value[n] = iota(0, 1);
   hash_insert(table, key, value, n, bits);
*/
// Key and value in one word of 64 bits, put where the first free place is.
__global__ void hash_insert(unsigned long long *table, const unsigned *key, const unsigned *value, int n, int bits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = key[i], slot = k * 2654435769u >> (32 - bits), mask = (1u << bits) - 1;
    unsigned long long entry = (unsigned long long)k << 32 | value[i];
    for (int probes = 0; probes < 64; probes++) {
        unsigned long long old = atomicCAS(&table[slot], 0ull, entry);
        if (old == 0ull || (unsigned)(old >> 32) == k) return;
        slot = (slot + 1) & mask;
    }
}

/* kmutate launch
   int nodes = (1 << 18) - 1, queries = 120000; dim3 block = { 128 }; dim3 grid = { CEIL_DIV(queries, 128) };
   int nearest[queries] = zeros(); float2 tree[nodes] = uniform(0, 1); float2 query[queries] = uniform(0, 1);
   kd_search(nearest, tree, query, nodes, queries, 96);
*/
// The nearest of 96 nodes at most of a tree whose levels part x and y in turn; what is left to do is on a stack in local memory.
__global__ void kd_search(int *nearest, const float2 *tree, const float2 *query, int nodes, int queries, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    float2 q = query[i];
    int stack[40], top = 0, best = 0;
    float least = 1e30f;
    stack[top++] = 0;
    for (int visited = 0; top > 0 && visited < most; visited++) {
        int node = stack[--top];
        float2 p = tree[node];
        float dx = q.x - p.x, dy = q.y - p.y, d = dx * dx + dy * dy;
        if (d < least) {
            least = d;
            best = node;
        }
        float side = (31 - __clz(node + 1)) & 1 ? dy : dx;
        int near = 2 * node + (side < 0.0f ? 1 : 2), far = 2 * node + (side < 0.0f ? 2 : 1);
        if (far < nodes && side * side < least) stack[top++] = far;
        if (near < nodes) stack[top++] = near;
    }
    nearest[i] = best;
}

/* kmutate launch
   int pairs = 80000, length = 40; dim3 block = { 64 }; dim3 grid = { CEIL_DIV(pairs, 64) }; size_t smem = 64 * (length + 1);
   unsigned char distance[pairs] = zeros(); char a[pairs * length] = randint(97, 105); char b[pairs * length] = randint(97, 105);
   edit_distance(distance, a, b, pairs, length);
*/
// How many edits lead from one word to another: a pair a thread, its row of the table as bytes in shared memory.
__global__ void edit_distance(unsigned char *distance, const char *a, const char *b, int pairs, int length)
{
    extern __shared__ unsigned char rows[];
    unsigned char *row = rows + threadIdx.x * (length + 1);
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    const char *s = a + p * length, *t = b + p * length;
    for (int j = 0; j <= length; j++) row[j] = j;
    for (int i = 1; i <= length; i++) {
        int corner = i - 1, left = i;
        char c = s[i - 1];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            int up = row[j], cost = min(min(up, left) + 1, corner + (c != t[j - 1]));
            corner = up;
            row[j] = left = cost;
        }
    }
    distance[p] = row[length];
}

/* kmutate launch
   int sequences = 600, length = 200; dim3 block = { 64 }; dim3 grid = { sequences };
   unsigned char back[sequences * length * 64] = zeros(); float last[sequences * 64] = zeros();
   float transition[64 * 64] = uniform(-5, 0); float emission[32 * 64] = uniform(-5, 0); unsigned char seen[sequences * length] = randint(0, 32);
   viterbi_trellis(back, last, transition, emission, seen, length);
*/
// The likeliest way through 64 hidden states: a state a thread, the table of transitions in shared memory.
__global__ void viterbi_trellis(unsigned char *back, float *last, const float *transition, const float *emission, const unsigned char *seen,
                                int length)
{
    __shared__ float cost[64 * 64], score[2][64];
    int s = threadIdx.x, now = 0;
    for (int i = s; i < 64 * 64; i += 64) cost[i] = transition[i];
    score[0][s] = 0.0f;
    __syncthreads();
    for (int t = 0; t < length; t++) {
        float best = -1e30f;
        int from = 0;
        for (int p = 0; p < 64; p++) {
            float v = score[now][p] + cost[p * 64 + s];
            if (v > best) {
                best = v;
                from = p;
            }
        }
        score[now ^ 1][s] = best + emission[seen[blockIdx.x * length + t] * 64 + s];
        back[(blockIdx.x * length + t) * 64 + s] = from;
        now ^= 1;
        __syncthreads();
    }
    last[blockIdx.x * 64 + s] = score[now][s];
}

/* kmutate launch
   int capacity = 12000000, weight = 12345, gain = 77; dim3 block = { 1024 }; dim3 grid = { CEIL_DIV(capacity + 1, 1024) };
   int now[capacity + 1] = zeros(); unsigned char take[capacity + 1] = zeros(); int before[capacity + 1] = randint(0, 1000);
   knapsack_row(now, take, before, capacity, weight, gain);
*/
// A row of the knapsack problem's table: one thing, all capacities.
__global__ void knapsack_row(int *now, unsigned char *take, const int *before, int capacity, int weight, int gain)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > capacity) return;
    int without = before[c], with = c >= weight ? before[c - weight] + gain : -1;
    now[c] = max(without, with);
    take[c] = with > without;
}

/* kmutate launch
   int rows = 150000, lo = 2, hi = 18, blocks = csr_nnz(rows, lo, hi); dim3 block = { 16, 8 }; dim3 grid = { CEIL_DIV(rows, 8) };
   float y[rows * 4] = zeros(); int first[rows + 1] = csr_rowptr(rows, lo, hi); int column[blocks] = csr_colidx(rows);
   float value[blocks * 16] = uniform(-1, 1); float x[rows * 4] = uniform(-1, 1);
   spmv_bsr4(y, first, column, value, x, rows);
*/
// Dense blocks of 4 x 4: sixteen threads have a row of them, each one element of all its blocks.
__global__ void spmv_bsr4(float *y, const int *first, const int *column, const float *value, const float *x, int rows)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, e = threadIdx.x, c = e % 4;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int b = first[row]; b < first[row + 1]; b++) sum += value[b * 16 + e] * x[column[b] * 4 + c];
    unsigned half_warp = 0xffffu << (threadIdx.y % 2 * 16);
    sum += __shfl_down_sync(half_warp, sum, 2, 4);
    sum += __shfl_down_sync(half_warp, sum, 1, 4);
    if (c == 0) y[row * 4 + e / 4] = sum;
}

/* kmutate launch
   int rows = 120000, lo = 4, hi = 28, nnz = csr_nnz(rows, lo, hi), width = 64; dim3 block = { 32, 4 }; dim3 grid = { CEIL_DIV(rows, 4) };
   float c[rows * width] = zeros(); int first[rows + 1] = csr_rowptr(rows, lo, hi); int column[nnz] = csr_colidx(rows);
   float value[nnz] = uniform(-1, 1); float b[rows * width] = uniform(-1, 1);
   spmm_rows(c, first, column, value, (const float2 *)b, rows);
*/
// A sparse matrix times a dense one of 64 columns: a warp has a row, and hands columns and values round.
__global__ void spmm_rows(float *c, const int *__restrict__ first, const int *__restrict__ column, const float *__restrict__ value,
                          const float2 *__restrict__ b, int rows)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    int begin = first[row], end = first[row + 1];
    float2 sum = { 0.0f, 0.0f };
    for (int base = begin; base < end; base += 32) {
        int k = 0;
        float v = 0.0f;
        if (base + lane < end) {
            k = column[base + lane];
            v = value[base + lane];
        }
        int count = min(32, end - base);
        for (int i = 0; i < count; i++) {
            float2 d = b[__shfl_sync(FULL_WARP, k, i) * 32 + lane];
            float w = __shfl_sync(FULL_WARP, v, i);
            sum.x += w * d.x;
            sum.y += w * d.y;
        }
    }
    reinterpret_cast<float2 *>(c)[row * 32 + lane] = sum;
}

/* kmutate launch
   int n = 1500000, diagonals = 27; dim3 block = { 256 }; dim3 grid = { CEIL_DIV(n, 256) };
   extern int diagonal[27] = { -10101, -10100, -10099, -10001, -10000, -9999, -9901, -9900, -9899, -101, -100, -99, -1, 0, 1, 99, 100, 101, 9899, 9900, 9901, 9999, 10000, 10001, 10099, 10100, 10101 };
   float y[n] = zeros(); float value[diagonals * n] = uniform(-1, 1); float x[n] = uniform(-1, 1);
   spmv_dia(y, value, x, n, diagonals);
*/
__constant__ int diagonal[27];
__global__ void spmv_dia(float *y, const float *value, const float *x, int n, int diagonals)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int d = 0; d < diagonals; d++) {
        int j = i + diagonal[d];
        if (j >= 0 && j < n) sum += value[(size_t)d * n + i] * x[j];
    }
    y[i] = sum;
}

/* kmutate launch
   int n = 1 << 23, stride = 1 << 8; dim3 block = { 256 }; dim3 grid = { n / 4 / 256 };
   float2 out[n] = zeros(); float2 in[n] = uniform(-1, 1);
   fft_pass4(out, in, n, stride);
*/
// A pass of radix 4 through global memory (Stockham's order), with turns worked out anew.
__global__ void fft_pass4(float2 *__restrict__ out, const float2 *__restrict__ in, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, quarter = n / 4, k = i & (stride - 1);
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float2 u = in[i + r * quarter];
        float s, c;
        sincospif(-0.5f * r * k / stride, &s, &c);
        v[r] = make_float2(u.x * c - u.y * s, u.x * s + u.y * c);
    }
    float2 a = { v[0].x + v[2].x, v[0].y + v[2].y }, b = { v[0].x - v[2].x, v[0].y - v[2].y };
    float2 c = { v[1].x + v[3].x, v[1].y + v[3].y }, d = { v[1].y - v[3].y, v[3].x - v[1].x };
    int to = (i - k) * 4 + k;
    out[to] = make_float2(a.x + c.x, a.y + c.y);
    out[to + stride] = make_float2(b.x + d.x, b.y + d.y);
    out[to + 2 * stride] = make_float2(a.x - c.x, a.y - c.y);
    out[to + 3 * stride] = make_float2(b.x - d.x, b.y - d.y);
}

/* kmutate launch
   int side = 256, w = 640, h = 640; dim3 block = { 16, 16 }; dim3 grid = { w / 16, h / 16 };
   float image[w * h] = zeros(); unsigned char volume[side * side * side] = randint(0, 256);
   mip_volume(image, volume, side, w, h, 0.3f, 0.95f);
*/
// The brightest value along rays through a turned cube of bytes, between eight neighbours at each step.
__global__ void mip_volume(float *image, const unsigned char *__restrict__ volume, int side, int w, int h, float sine, float cosine)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (px + 0.5f) / w - 0.5f, v = (py + 0.5f) / h - 0.5f, best = 0.0f;
    for (float t = -0.8f; t < 0.8f; t += 1.0f / 128.0f) {
        float x = (u * cosine + t * sine + 0.5f) * side, y = (v + 0.5f) * side, z = (t * cosine - u * sine + 0.5f) * side;
        if (x < 0.0f || z < 0.0f || x >= side - 1 || y >= side - 1 || z >= side - 1) continue;
        int ix = (int)x, iy = (int)y, iz = (int)z;
        float fx = x - ix, fy = y - iy, fz = z - iz;
        const unsigned char *p = volume + (iz * side + iy) * side + ix;
        auto mix = [&](int o) { return (1.0f - fx) * p[o] + fx * p[o + 1]; };
        float front = (1.0f - fy) * mix(0) + fy * mix(side), rear = (1.0f - fy) * mix(side * side) + fy * mix(side * side + side);
        best = fmaxf(best, (1.0f - fz) * front + fz * rear);
    }
    image[py * w + px] = best;
}

/* kmutate launch
   int N = 8192, C = 768; dim3 block = { 256 }; dim3 grid = { CEIL_DIV(N, 256) };
   float out[N * C] = zeros(); float mean[N] = zeros(); float rstd[N] = zeros();
   float inp[N * C] = normal(); float weight[C] = uniform(0.9, 1.1); float bias[C] = uniform(-0.1, 0.1);
   layernorm_naive(out, mean, rstd, inp, weight, bias, N, C);
*/
// The first port from a processor: a row a thread, three passes.
__global__ void layernorm_naive(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int N, int C)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N) {
        const float *x = inp + idx * C;
        float m = 0.0f;
        for (int i = 0; i < C; i++) m += x[i];
        m = m / C;
        float v = 0.0f;
        for (int i = 0; i < C; i++) {
            float d = x[i] - m;
            v += d * d;
        }
        float s = 1.0f / sqrtf(v / C + 1e-5f);
        float *o = out + idx * C;
        for (int i = 0; i < C; i++) o[i] = s * (x[i] - m) * weight[i] + bias[i];
        mean[idx] = m;
        rstd[idx] = s;
    }
}

/* kmutate launch
   int N = 12000, C = 768; dim3 block = { 512 }; dim3 grid = { CEIL_DIV(N * 32, 512) }; size_t smem = 2 * C * sizeof(float);
   float dinp[N * C] = zeros(); float dweight[C] = zeros(); float dbias[C] = zeros();
   float dout[N * C] = normal(0, 0.01); float inp[N * C] = normal(); float weight[C] = uniform(0.9, 1.1);
   float mean[N] = normal(0, 0.01); float rstd[N] = uniform(0.9, 1.1);
   layernorm_backward(dinp, dweight, dbias, dout, inp, weight, mean, rstd, N, C);
*/
// Gradients of layer normalisation, a warp a row; those of weights go to shared memory first, then to global, by atomics.
__global__ void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp, const float *weight,
                                   const float *mean, const float *rstd, int N, int C)
{
    extern __shared__ float shared[];
    float *dweight_shared = shared, *dbias_shared = shared + C;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) shared[i] = 0.0f;
    block.sync();
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx < N) {
        const float *d = dout + idx * C, *x = inp + idx * C;
        float m = mean[idx], r = rstd[idx], dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
        for (int i = warp.thread_rank(); i < C; i += warp.size()) {
            float norm = (x[i] - m) * r, dnorm = weight[i] * d[i];
            dnorm_mean += dnorm;
            dnorm_norm_mean += dnorm * norm;
        }
        dnorm_mean = warp_sum(dnorm_mean) / C;
        dnorm_norm_mean = warp_sum(dnorm_norm_mean) / C;
        for (int i = warp.thread_rank(); i < C; i += warp.size()) {
            float norm = (x[i] - m) * r, dnorm = weight[i] * d[i];
            atomicAdd(&dbias_shared[i], d[i]);
            atomicAdd(&dweight_shared[i], norm * d[i]);
            dinp[idx * C + i] += (dnorm - dnorm_mean - norm * dnorm_norm_mean) * r;
        }
    }
    block.sync();
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        atomicAdd(&dbias[i], dbias_shared[i]);
        atomicAdd(&dweight[i], dweight_shared[i]);
    }
}

/* kmutate launch
   int rows = 7000, width = 3072; dim3 block = { 256 }; dim3 grid = { rows };
   __nv_bfloat16 out[rows * width] = zeros(); __nv_bfloat16 residual[rows * width] = normal(); __nv_bfloat16 in[rows * width] = normal();
   __nv_bfloat16 gain[width] = uniform(0.9, 1.1);
   rmsnorm_residual<256>((__nv_bfloat162 *)out, (__nv_bfloat162 *)residual, (const __nv_bfloat162 *)in, (const __nv_bfloat162 *)gain, width / 2, 1e-5f);
*/
// What was added goes on to the next layer, what was normalised to this one; a row a block, pairs of bfloat16.
template <int THREADS>
__global__ void __launch_bounds__(THREADS) rmsnorm_residual(__nv_bfloat162 *__restrict__ out, __nv_bfloat162 *residual,
                                                            const __nv_bfloat162 *__restrict__ in, const __nv_bfloat162 *__restrict__ gain,
                                                            int pairs, float eps)
{
    __shared__ float part[THREADS / 32];
    __shared__ float scale;
    const size_t row = (size_t)blockIdx.x * pairs;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < pairs; i += THREADS) {
        float2 a = __bfloat1622float2(in[row + i]), b = __bfloat1622float2(residual[row + i]);
        a.x += b.x;
        a.y += b.y;
        squares += a.x * a.x + a.y * a.y;
        residual[row + i] = __float22bfloat162_rn(a);
    }
    squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = squares;
    __syncthreads();
    if (threadIdx.x < 32) {
        float all = warp_sum(threadIdx.x < THREADS / 32 ? part[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0) scale = rsqrtf(all / (2 * pairs) + eps);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < pairs; i += THREADS) {
        float2 v = __bfloat1622float2(residual[row + i]), g = __bfloat1622float2(gain[i]);
        out[row + i] = __floats2bfloat162_rn(v.x * scale * g.x, v.y * scale * g.y);
    }
}

/* kmutate launch
   int heads = 72, T = 640; dim3 block = { 128 }; dim3 grid = { T, heads };
   float dpreatt[heads * T * T] = zeros(); float datt[heads * T * T] = normal(0, 0.01); float att[heads * T * T] = uniform(0, 0.003);
   softmax_backward(dpreatt, datt, att, T, 0.125f);
*/
// Gradient through a causal softmax: a row a block, the longest first.
__global__ void softmax_backward(float *dpreatt, const float *datt, const float *att, int T, float scale)
{
    __shared__ float part[32];
    int t = T - 1 - blockIdx.x;
    size_t row = ((size_t)blockIdx.y * T + t) * T;
    const float *a = att + row, *d = datt + row;
    float sum = 0.0f;
    for (int k = threadIdx.x; k <= t; k += blockDim.x) sum += a[k] * d[k];
    sum = warp_sum(sum);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    sum = warp_sum((threadIdx.x & 31) < blockDim.x / 32 ? part[threadIdx.x & 31] : 0.0f);
    for (int k = threadIdx.x; k <= t; k += blockDim.x) __stcs(&dpreatt[row + k], scale * __ldcs(&a[k]) * (__ldcs(&d[k]) - sum));
}

/* kmutate launch
   int batch = 6, heads = 24, length = 3000, splits = 8; dim3 block = { 128 }; dim3 grid = { splits, heads, batch };
   float partial[batch * heads * splits * 128] = zeros(); float2 stats[batch * heads * splits] = zeros();
   half q[batch * heads * 128] = normal(); half k[batch * heads * length * 128] = normal(); half v[batch * heads * length * 128] = normal();
   decode_attention(partial, stats, q, k, v, length, CEIL_DIV(length, splits), 0.0883f);
*/
// One new query looks at a part of all keys: four halves a lane, a key a warp at a time; warps are joined at the end.
__global__ void decode_attention(float *partial, float2 *stats, const half *q, const half *k, const half *v, int length, int each, float scale)
{
    __shared__ float sums[4][128];
    __shared__ float2 found[4];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.z * gridDim.y + blockIdx.y;
    const int begin = blockIdx.x * each, end = min(begin + each, length);
    auto load = [lane](const half *p, float (&f)[4]) {
        uint2 bits = *reinterpret_cast<const uint2 *>(p + 4 * lane);
        float2 a = __half22float2(*reinterpret_cast<half2 *>(&bits.x)), b = __half22float2(*reinterpret_cast<half2 *>(&bits.y));
        f[0] = a.x;
        f[1] = a.y;
        f[2] = b.x;
        f[3] = b.y;
    };
    float query[4], key[4], value[4], acc[4] = {}, most = -INFINITY, total = 0.0f;
    load(q + row * 128, query);
    for (int t = begin + warp; t < end; t += 4) {
        const size_t at = ((size_t)row * length + t) * 128;
        load(k + at, key);
        load(v + at, value);
        float s = scale * warp_sum(query[0] * key[0] + query[1] * key[1] + query[2] * key[2] + query[3] * key[3]);
        float higher = fmaxf(most, s), keep = __expf(most - higher), w = __expf(s - higher);
        total = total * keep + w;
        for (int i = 0; i < 4; i++) acc[i] = acc[i] * keep + w * value[i];
        most = higher;
    }
    for (int i = 0; i < 4; i++) sums[warp][4 * lane + i] = acc[i];
    if (lane == 0) found[warp] = make_float2(most, total);
    __syncthreads();
    float all = fmaxf(fmaxf(found[0].x, found[1].x), fmaxf(found[2].x, found[3].x)), sum = 0.0f, result = 0.0f;
    for (int w = 0; w < 4; w++) {
        float factor = __expf(found[w].x - all);
        sum += factor * found[w].y;
        result += factor * sums[w][threadIdx.x];
    }
    const int out = row * gridDim.x + blockIdx.x;
    partial[out * 128 + threadIdx.x] = result;
    if (threadIdx.x == 0) stats[out] = make_float2(all, sum);
}

/* kmutate launch
   int B = 3, NH = 12, T = 512, HS = 64, total = B * NH * T * HS; dim3 block = { 256 }; dim3 grid = { CEIL_DIV(total, 256) };
   float out[total] = zeros(); float att[B * NH * T * T] = uniform(0, 0.004); float v[total] = normal();
   attention_value(out, att, v, B, NH, T, HS);
*/
// Values by their attention, a result a thread, as far as the past reaches; heads are woven together again in the output.
__global__ void attention_value(float *out, const float *att, const float *v, int B, int NH, int T, int HS)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * NH * T * HS) return;
    int d = idx % HS, t = idx / HS % T, h = idx / (HS * T) % NH, b = idx / (HS * T * NH);
    const float *weights = att + ((b * NH + h) * T + t) * T, *values = v + (b * NH + h) * T * HS + d;
    float sum = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) sum += weights[t2] * values[t2 * HS];
    out[((b * T + t) * NH + h) * HS + d] = sum;
}

/* kmutate launch
   int n = 24000000; dim3 block = { 256 }; dim3 grid = { CEIL_DIV(n / 8, 256) };
   __nv_bfloat16 dinp[n] = zeros(); __nv_bfloat16 inp[n] = normal(); __nv_bfloat16 dout[n] = normal(0, 0.01);
   gelu_backward(dinp, inp, dout, n / 8);
*/
// The gradient of GELU by tanh, eight values of 16 bits in one access.
struct __align__(16) Packed8 { __nv_bfloat16 v[8]; };
__global__ void gelu_backward(__nv_bfloat16 *dinp, const __nv_bfloat16 *inp, const __nv_bfloat16 *dout, int packs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= packs) return;
    Packed8 x8 = reinterpret_cast<const Packed8 *>(inp)[i], d8 = reinterpret_cast<const Packed8 *>(dout)[i], r8;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float x = __bfloat162float(x8.v[k]), cube = 0.044715f * x * x * x;
        float t = tanhf(0.79788456f * (x + cube)), sech2 = 1.0f - t * t;
        float slope = 0.5f * (1.0f + t) + 0.5f * x * sech2 * 0.79788456f * (1.0f + 3.0f * 0.044715f * x * x);
        r8.v[k] = __float2bfloat16_rn(slope * __bfloat162float(d8.v[k]));
    }
    reinterpret_cast<Packed8 *>(dinp)[i] = r8;
}

/* kmutate launch
   int n = 9000000; dim3 block = { 512 }; dim3 grid = { CEIL_DIV(n, 512) };
   __nv_bfloat16 param[n] = normal(0, 0.02); float master[n] = normal(0, 0.02); float m[n] = normal(0, 0.001); float v[n] = uniform(0, 0.0001);
   __nv_bfloat16 grad[n] = normal(0, 0.01);
   adamw_master(param, master, m, v, grad, n, 3e-4f, 0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 0.1f, 1337u);
*/
// AdamW on masters in 32 bits; parameters in 16 bits are rounded up or down at random.
template <typename T> __device__ __forceinline__ T lerp(T a, T b, T w) { return fma(w, b, fma(-w, a, a)); }
__device__ unsigned squirrel(unsigned at, unsigned seed)
{
    unsigned v = at * 0xB5297A4Du + seed;
    v ^= v >> 8;
    v += 0x68E31DA4u;
    v ^= v << 8;
    v *= 0x1B56C4E9u;
    return v ^ v >> 8;
}
__global__ void adamw_master(__nv_bfloat16 *param, float *master, float *m, float *v, const __nv_bfloat16 *grad, size_t n, float rate,
                             float beta1, float beta2, float correction1, float correction2, float eps, float decay, unsigned seed)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float g = __bfloat162float(grad[i]), mean = lerp(g, m[i], beta1), square = lerp(g * g, v[i], beta2);
    m[i] = mean;
    v[i] = square;
    float old = master[i];
    float next = old - rate * (mean / correction1 / (sqrtf(square / correction2) + eps) + decay * old);
    master[i] = next;
    unsigned bits = __float_as_uint(next), dice = squirrel((unsigned)i, seed) & 0xffffu;
    bits = (bits & 0xffffu) > dice ? bits | 0xffffu : bits & 0xffff0000u;
    param[i] = __float2bfloat16_rn(__uint_as_float(bits & 0xffff0000u));
}

/* kmutate launch
   int rows = 9000, width = 5120; dim3 block = { 256 }; dim3 grid = { rows };
   signed char out[rows * width] = zeros(); float scale[rows] = zeros(); half in[rows * width] = normal();
   quantize_rows((char4 *)out, scale, (const half2 *)in, width / 4);
*/
// Rows of halves to whole numbers of eight bits, by their greatest magnitude; read twice.
__global__ void quantize_rows(char4 *__restrict__ out, float *__restrict__ scale, const half2 *__restrict__ in, int quads)
{
    __shared__ float part[32];
    const half2 *row = in + (size_t)blockIdx.x * quads * 2;
    half2 most = __float2half2_rn(0.0f);
    for (int i = threadIdx.x; i < quads * 2; i += blockDim.x) most = __hmax2(most, __habs2(row[i]));
    float high = warp_max(fmaxf(__low2float(most), __high2float(most)));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = high;
    __syncthreads();
    high = part[0];
    for (int w = 1; w < blockDim.x / 32; w++) high = fmaxf(high, part[w]);
    const float factor = high > 0.0f ? 127.0f / high : 0.0f;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float2 a = __half22float2(row[2 * i]), b = __half22float2(row[2 * i + 1]);
        char4 r;
        r.x = (signed char)__float2int_rn(a.x * factor);
        r.y = (signed char)__float2int_rn(a.y * factor);
        r.z = (signed char)__float2int_rn(b.x * factor);
        r.w = (signed char)__float2int_rn(b.y * factor);
        out[(size_t)blockIdx.x * quads + i] = r;
    }
    if (threadIdx.x == 0) scale[blockIdx.x] = high / 127.0f;
}

/* kmutate launch
   struct Quants4 { half d; unsigned char q[16]; };
   int blocks = 1800000; dim3 block = { 256 }; dim3 grid = { CEIL_DIV(blocks * 16, 256) };
   half out[blocks * 32] = zeros(); unsigned char in[blocks * 18] = randint(0, 120);
   dequantize_q4(out, (const struct Quants4 *)in, blocks);
*/
// Blocks of 32 weights of four bits and a scale, 18 bytes each; two weights a thread, sixteen apart.
struct Quants4 { half d; unsigned char q[16]; };
__global__ void dequantize_q4(half *out, const Quants4 *in, int blocks)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, block = t / 16, i = t % 16;
    if (block >= blocks) return;
    float d = __half2float(in[block].d);
    int q = in[block].q[i];
    out[block * 32 + i] = __float2half(((q & 15) - 8) * d);
    out[block * 32 + i + 16] = __float2half(((q >> 4) - 8) * d);
}

/* kmutate launch
   struct Quants8 { half d; signed char q[32]; };
   int rows = 14000, cols = 8192, blocks = cols / 32; dim3 block = { 32, 4 }; dim3 grid = { CEIL_DIV(rows, 4) };
   float y[rows] = zeros(); signed char w[rows * blocks * 34] = randint(-100, 100); signed char x[blocks * 34] = randint(-100, 100);
   gemv_q8(y, (const struct Quants8 *)w, (const struct Quants8 *)x, rows, blocks);
*/
// Blocks of 32 whole numbers of eight bits and a scale, 34 bytes each, times a vector of such: four lanes a block, two words each.
struct Quants8 { half d; signed char q[32]; };
__device__ __forceinline__ int two_shorts(const signed char *p)
{
    const unsigned short *s = reinterpret_cast<const unsigned short *>(p);
    return s[0] | s[1] << 16;
}
__global__ void __launch_bounds__(128, 8) gemv_q8(float *__restrict__ y, const Quants8 *__restrict__ w, const Quants8 *__restrict__ x, int rows, int blocks)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, part = threadIdx.x % 4 * 8;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int b = threadIdx.x / 4; b < blocks; b += 8) {
        const Quants8 *a = w + (size_t)row * blocks + b, *c = x + b;
        int dot = __dp4a(two_shorts(a->q + part), two_shorts(c->q + part), 0);
        dot = __dp4a(two_shorts(a->q + part + 4), two_shorts(c->q + part + 4), dot);
        sum += __half2float(a->d) * __half2float(c->d) * dot;
    }
    sum = warp_sum(sum);
    if (threadIdx.x == 0) y[row] = sum;
}

/* kmutate launch
   int rows = 200, words = 32000, k = 40; dim3 block = { 512 }; dim3 grid = { rows };
   float threshold[rows] = zeros(); float logits[rows * words] = normal(0, 3);
   topk_threshold(threshold, logits, words, k);
*/
// The k-th greatest of a row, eight bits at a time: a histogram of those that agree so far, then the bin where k is.
__global__ void topk_threshold(float *threshold, const float *logits, int words, int k)
{
    __shared__ int bins[256];
    __shared__ unsigned prefix;
    __shared__ int left;
    const float *row = logits + (size_t)blockIdx.x * words;
    if (threadIdx.x == 0) {
        prefix = 0;
        left = k;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        if (threadIdx.x < 256) bins[threadIdx.x] = 0;
        __syncthreads();
        unsigned known = prefix;
        for (int i = threadIdx.x; i < words; i += blockDim.x) {
            unsigned bits = __float_as_uint(row[i]);
            bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
            if (shift == 24 || bits >> (shift + 8) == known >> (shift + 8)) atomicAdd(&bins[bits >> shift & 255], 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int bin = 255, rest = left;
            while (bin > 0 && bins[bin] < rest) rest -= bins[bin--];
            left = rest;
            prefix = known | (unsigned)bin << shift;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) threshold[blockIdx.x] = __uint_as_float(prefix & 0x80000000u ? prefix & 0x7fffffffu : ~prefix);
}

/* kmutate launch
   int B = 6, N = 1024, NH = 12, d = 64, total = B * N * NH * d; dim3 block = { 256 }; dim3 grid = { CEIL_DIV(total, 256) };
   float q[total] = zeros(); float k[total] = zeros(); float v[total] = zeros(); float inp[3 * total] = normal();
   permute_qkv(q, k, v, inp, B, N, NH, d);
*/
// Queries, keys and values apart, head by head: divisions for each index.
__global__ void permute_qkv(float *q, float *k, float *v, const float *inp, int B, int N, int NH, int d)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * NH * N * d) {
        int b = idx / (NH * N * d), rest = idx % (NH * N * d);
        int head = rest / (N * d);
        rest = rest % (N * d);
        int n = rest / d, i = rest % d, from = b * N * 3 * NH * d + n * 3 * NH * d + head * d + i;
        q[idx] = __ldg(&inp[from]);
        k[idx] = __ldg(&inp[from + NH * d]);
        v[idx] = __ldg(&inp[from + 2 * NH * d]);
    }
}

/* kmutate launch
   int batch = 4, channels = 2560, length = 600; dim3 block = { 64 }; dim3 grid = { channels / 64, batch };
   float y[batch * length * channels] = zeros(); float x[batch * length * channels] = normal(); float delta[batch * length * channels] = uniform(0.001, 0.1);
   float A[channels * 16] = uniform(-4, -0.5); float Bs[batch * length * 16] = normal(); float Cs[batch * length * 16] = normal();
   selective_scan(y, x, delta, A, Bs, Cs, length, channels);
*/
// A state-space layer: sixteen states a channel in registers, a channel a thread, step by step.
__global__ void __launch_bounds__(64) selective_scan(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ delta,
                                                     const float *__restrict__ A, const float *__restrict__ Bs, const float *__restrict__ Cs,
                                                     int length, int channels)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    float a[16], state[16];
#pragma unroll
    for (int s = 0; s < 16; s++) {
        a[s] = A[c * 16 + s] * 1.4426950f;
        state[s] = 0.0f;
    }
    for (int t = 0; t < length; t++) {
        const int at = blockIdx.y * length + t;
        const float4 *b4 = reinterpret_cast<const float4 *>(Bs + at * 16), *c4 = reinterpret_cast<const float4 *>(Cs + at * 16);
        float d = delta[(size_t)at * channels + c], dx = d * x[(size_t)at * channels + c], sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float4 b = b4[k], o = c4[k];
            state[4 * k] = exp2f(d * a[4 * k]) * state[4 * k] + dx * b.x;
            state[4 * k + 1] = exp2f(d * a[4 * k + 1]) * state[4 * k + 1] + dx * b.y;
            state[4 * k + 2] = exp2f(d * a[4 * k + 2]) * state[4 * k + 2] + dx * b.z;
            state[4 * k + 3] = exp2f(d * a[4 * k + 3]) * state[4 * k + 3] + dx * b.w;
            sum += state[4 * k] * o.x + state[4 * k + 1] * o.y + state[4 * k + 2] * o.z + state[4 * k + 3] * o.w;
        }
        y[(size_t)at * channels + c] = sum;
    }
}

/* kmutate launch
   int images = 48, channels = 96, pixels = 56 * 56; dim3 block = { 512 }; dim3 grid = { channels };
   float mean[channels] = zeros(); float variance[channels] = zeros(); float in[images * channels * pixels] = normal();
   batchnorm_stats(mean, variance, in, images, channels, pixels);
*/
// Mean and variance of a channel over all images, a channel a block: fewer blocks than multiprocessors.
__global__ void batchnorm_stats(float *mean, float *variance, const float *in, int images, int channels, int pixels)
{
    __shared__ float sums[512], squares[512];
    float s = 0.0f, q = 0.0f;
    for (int image = 0; image < images; image++) {
        const float *plane = in + (image * channels + blockIdx.x) * pixels;
        for (int p = threadIdx.x; p < pixels; p += blockDim.x) {
            s += plane[p];
            q += plane[p] * plane[p];
        }
    }
    sums[threadIdx.x] = s;
    squares[threadIdx.x] = q;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (threadIdx.x % (2 * stride) == 0) {
            sums[threadIdx.x] += sums[threadIdx.x + stride];
            squares[threadIdx.x] += squares[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float m = sums[0] / (images * pixels);
        mean[blockIdx.x] = m;
        variance[blockIdx.x] = squares[0] / (images * pixels) - m * m;
    }
}
