// Held-out kernels: twenty kernels of everyday CUDA work, from naive first versions to tuned ones.
// Compiles with NVRTC; every kernel is preceded by its launch declaration.

#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

// ---------------------------------------------------------------------------------------------------------------
// small helpers
// ---------------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}

static __device__ __forceinline__ void cp_async_16(void *smem, const void *gmem)
{
    unsigned dst = (unsigned)__cvta_generic_to_shared(smem);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(gmem) : "memory");
}

static __device__ __forceinline__ void cp_async_commit()
{
    asm volatile("cp.async.commit_group;\n" ::: "memory");
}

template <int N>
static __device__ __forceinline__ void cp_async_wait()
{
    asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

// ---------------------------------------------------------------------------------------------------------------
// 1. Dense: C = alpha * A * B + beta * C, single precision, row major.
//    128 x 64 tile per block, 8 x 4 results per thread, two shared memory stages filled by cp.async.
// ---------------------------------------------------------------------------------------------------------------

#define SG_BM 128
#define SG_BN 64
#define SG_BK 16
#define SG_LDA (SG_BK + 4)

/* kmutate launch
   int m = 2048, n = 1024, k = 512;
   dim3 grid  = { n / SG_BN, m / SG_BM };
   dim3 block = { 256 };
   float a[m * k] = uniform(-1, 1);
   float b[k * n] = uniform(-1, 1);
   float c[m * n] = zeros();
   sgemm_cp_async_two_stage_tile_128x64(m, n, k, 1.0f, a, b, 0.5f, c);
*/
__global__ void __launch_bounds__(256)
sgemm_cp_async_two_stage_tile_128x64(int m, int n, int k, float alpha, const float *__restrict__ a,
                                     const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ __align__(16) float as[2][SG_BM * SG_LDA];
    __shared__ __align__(16) float bs[2][SG_BK * SG_BN];

    const int tid = threadIdx.x;
    const int tx = tid % 16, ty = tid / 16;
    const int row0 = blockIdx.y * SG_BM, col0 = blockIdx.x * SG_BN;

    // A: 128 rows of four float4, two per thread; B: 16 rows of sixteen float4, one per thread
    const int a_row = tid / 4, a_col = (tid % 4) * 4;
    const int b_row = tid / 16, b_col = (tid % 16) * 4;
    const float *a_ptr = a + (size_t)(row0 + a_row) * k + a_col;
    const float *b_ptr = b + (size_t)b_row * n + col0 + b_col;

    float acc[8][4] = {};

    auto fetch = [&](int stage, int kt) {
        cp_async_16(&as[stage][a_row * SG_LDA + a_col], a_ptr + kt);
        cp_async_16(&as[stage][(a_row + 64) * SG_LDA + a_col], a_ptr + (size_t)64 * k + kt);
        cp_async_16(&bs[stage][b_row * SG_BN + b_col], b_ptr + (size_t)kt * n);
        cp_async_commit();
    };

    fetch(0, 0);
    int stage = 0;
    for (int kt = 0; kt < k; kt += SG_BK) {
        if (kt + SG_BK < k) {
            fetch(stage ^ 1, kt + SG_BK);
            cp_async_wait<1>();
        } else {
            cp_async_wait<0>();
        }
        __syncthreads();

#pragma unroll
        for (int kk = 0; kk < SG_BK; kk += 4) {
            float4 av[8];
#pragma unroll
            for (int i = 0; i < 8; i++)
                av[i] = *reinterpret_cast<const float4 *>(&as[stage][(ty + 16 * i) * SG_LDA + kk]);
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const float4 bv = *reinterpret_cast<const float4 *>(&bs[stage][(kk + q) * SG_BN + tx * 4]);
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    const float x = q == 0 ? av[i].x : q == 1 ? av[i].y : q == 2 ? av[i].z : av[i].w;
                    acc[i][0] = fmaf(x, bv.x, acc[i][0]);
                    acc[i][1] = fmaf(x, bv.y, acc[i][1]);
                    acc[i][2] = fmaf(x, bv.z, acc[i][2]);
                    acc[i][3] = fmaf(x, bv.w, acc[i][3]);
                }
            }
        }
        __syncthreads();
        stage ^= 1;
    }

#pragma unroll
    for (int i = 0; i < 8; i++) {
        float4 *dst = reinterpret_cast<float4 *>(c + (size_t)(row0 + ty + 16 * i) * n + col0 + tx * 4);
        float4 old = *dst;
        old.x = alpha * acc[i][0] + beta * old.x;
        old.y = alpha * acc[i][1] + beta * old.y;
        old.z = alpha * acc[i][2] + beta * old.z;
        old.w = alpha * acc[i][3] + beta * old.w;
        *dst = old;
    }
}

// ---------------------------------------------------------------------------------------------------------------
// 2. Sparse: y = A x in CSR, eight lanes to a row.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int rows = 300000, cols = 300000, lo = 8, hi = 40;
   int nnz = csr_nnz(rows, lo, hi);
   dim3 block = { 256 };
   dim3 grid = { (rows * 8 + 255) / 256 };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi);
   int colidx[nnz] = csr_colidx(cols);
   float values[nnz] = uniform(-1, 1);
   float x[cols] = uniform(-1, 1);
   float y[rows] = zeros();
   csr_spmv_eight_lanes_per_row(rows, rowptr, colidx, values, x, y);
*/
__global__ void csr_spmv_eight_lanes_per_row(int rows, const int *__restrict__ rowptr, const int *__restrict__ colidx,
                                             const float *__restrict__ values, const float *__restrict__ x,
                                             float *__restrict__ y)
{
    const int gid = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = gid >> 3;
    const int lane = gid & 7;

    float sum = 0.0f;
    if (row < rows) {
        const int end = rowptr[row + 1];
        for (int e = rowptr[row] + lane; e < end; e += 8)
            sum = fmaf(values[e], __ldg(x + colidx[e]), sum);
    }
    sum += __shfl_down_sync(0xffffffffu, sum, 4, 8);
    sum += __shfl_down_sync(0xffffffffu, sum, 2, 8);
    sum += __shfl_down_sync(0xffffffffu, sum, 1, 8);
    if (lane == 0 && row < rows)
        y[row] = sum;
}

// ---------------------------------------------------------------------------------------------------------------
// 3. PDE: lattice Boltzmann D2Q9, pull scheme, BGK collision, half-way bounce back in solid cells, periodic domain.
//    Structure of arrays, one cell per thread.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int nx = 2048, ny = 1024;
   dim3 block = { 128, 2 };
   dim3 grid = { nx / 128, ny / 2 };
   float f_in[9 * nx * ny] = uniform(0.1, 0.12);
   float f_out[9 * nx * ny] = zeros();
   unsigned char fluid[nx * ny] = randint(0, 20);
   lattice_boltzmann_d2q9_pull_bgk_soa(f_in, f_out, fluid, nx, ny, 1.7f);
*/
__global__ void lattice_boltzmann_d2q9_pull_bgk_soa(const float *__restrict__ f_in, float *__restrict__ f_out,
                                                    const unsigned char *__restrict__ fluid, int nx, int ny,
                                                    float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;

    const size_t cells = (size_t)nx * ny;
    const int xm = x == 0 ? nx - 1 : x - 1, xp = x == nx - 1 ? 0 : x + 1;
    const int ym = y == 0 ? ny - 1 : y - 1, yp = y == ny - 1 ? 0 : y + 1;
    const int here = y * nx + x;

    // directions: 0 rest, 1 east, 2 north, 3 west, 4 south, 5 NE, 6 NW, 7 SW, 8 SE
    const float f0 = f_in[here];
    const float f1 = f_in[1 * cells + y * nx + xm];
    const float f2 = f_in[2 * cells + ym * nx + x];
    const float f3 = f_in[3 * cells + y * nx + xp];
    const float f4 = f_in[4 * cells + yp * nx + x];
    const float f5 = f_in[5 * cells + ym * nx + xm];
    const float f6 = f_in[6 * cells + ym * nx + xp];
    const float f7 = f_in[7 * cells + yp * nx + xp];
    const float f8 = f_in[8 * cells + yp * nx + xm];

    if (fluid[here] == 0) {   // about one cell in twenty is rock
        f_out[here] = f0;
        f_out[1 * cells + here] = f3;
        f_out[2 * cells + here] = f4;
        f_out[3 * cells + here] = f1;
        f_out[4 * cells + here] = f2;
        f_out[5 * cells + here] = f7;
        f_out[6 * cells + here] = f8;
        f_out[7 * cells + here] = f5;
        f_out[8 * cells + here] = f6;
        return;
    }

    const float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    const float inv_rho = 1.0f / rho;
    const float ux = (f1 - f3 + f5 - f6 - f7 + f8) * inv_rho;
    const float uy = (f2 - f4 + f5 + f6 - f7 - f8) * inv_rho;
    const float usq = 1.5f * (ux * ux + uy * uy);
    const float keep = 1.0f - omega;
    const float w0 = omega * rho * (4.0f / 9.0f), w1 = omega * rho * (1.0f / 9.0f), w5 = omega * rho * (1.0f / 36.0f);

    auto eq = [usq](float cu) { return 1.0f + 3.0f * cu + 4.5f * cu * cu - usq; };

    f_out[here] = keep * f0 + w0 * (1.0f - usq);
    f_out[1 * cells + here] = keep * f1 + w1 * eq(ux);
    f_out[2 * cells + here] = keep * f2 + w1 * eq(uy);
    f_out[3 * cells + here] = keep * f3 + w1 * eq(-ux);
    f_out[4 * cells + here] = keep * f4 + w1 * eq(-uy);
    f_out[5 * cells + here] = keep * f5 + w5 * eq(ux + uy);
    f_out[6 * cells + here] = keep * f6 + w5 * eq(uy - ux);
    f_out[7 * cells + here] = keep * f7 + w5 * eq(-ux - uy);
    f_out[8 * cells + here] = keep * f8 + w5 * eq(ux - uy);
}

// ---------------------------------------------------------------------------------------------------------------
// 4. PDE: many tridiagonal systems by Thomas' algorithm in double precision, one thread per system.
//    First version: each system lies contiguously, so that neighbouring threads are n doubles apart.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int systems = 16384, n = 96;
   dim3 block = { 64 };
   dim3 grid = { (systems + 63) / 64 };
   double lower[systems * n] = uniform(-1, 1);
   double diag [systems * n] = uniform(3, 5);
   double upper[systems * n] = uniform(-1, 1);
   double rhs  [systems * n] = uniform(-10, 10);
   double work [systems * n] = zeros();
   double x    [systems * n] = zeros();
   batched_thomas_tridiagonal_fp64_contiguous_systems(lower, diag, upper, rhs, work, x, systems, n);
*/
__global__ void batched_thomas_tridiagonal_fp64_contiguous_systems(const double *lower, const double *diag,
                                                                   const double *upper, const double *rhs,
                                                                   double *work, double *x, int systems, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    size_t base = (size_t)s * n;

    double c = upper[base] / diag[base];
    double d = rhs[base] / diag[base];
    work[base] = c;
    x[base] = d;
    for (int i = 1; i < n; i++) {
        double a = lower[base + i];
        double denom = 1.0 / (diag[base + i] - a * c);
        c = upper[base + i] * denom;
        d = (rhs[base + i] - a * d) * denom;
        work[base + i] = c;
        x[base + i] = d;
    }
    for (int i = n - 2; i >= 0; i--) {
        d = x[base + i] - work[base + i] * d;
        x[base + i] = d;
    }
}

// ---------------------------------------------------------------------------------------------------------------
// 5. Image: bilateral filter of an RGBA image, 7 x 7, straight from global memory.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int width = 1920, height = 1080;
   dim3 block = { 16, 16 };
   dim3 grid = { (width + 15) / 16, (height + 15) / 16 };
   uchar4 src[width * height] = randint(0, 256);
   uchar4 dst[width * height] = zeros();
   bilateral_filter_rgba8_7x7_from_global(src, dst, width, height, 2.0f, 30.0f);
*/
__global__ void bilateral_filter_rgba8_7x7_from_global(const uchar4 *src, uchar4 *dst, int width, int height,
                                                       float sigma_space, float sigma_range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    const float inv_space = -0.5f / (sigma_space * sigma_space);
    const float inv_range = -0.5f / (sigma_range * sigma_range);
    const uchar4 center = src[y * width + x];

    float sum_r = 0.0f, sum_g = 0.0f, sum_b = 0.0f, sum_w = 0.0f;
    for (int dy = -3; dy <= 3; dy++) {
        int yy = min(max(y + dy, 0), height - 1);
        for (int dx = -3; dx <= 3; dx++) {
            int xx = min(max(x + dx, 0), width - 1);
            uchar4 p = src[yy * width + xx];
            float r = (float)p.x - center.x;
            float g = (float)p.y - center.y;
            float b = (float)p.z - center.z;
            float w = __expf((dx * dx + dy * dy) * inv_space + (r * r + g * g + b * b) * inv_range);
            sum_r += w * p.x;
            sum_g += w * p.y;
            sum_b += w * p.z;
            sum_w += w;
        }
    }
    float norm = 1.0f / sum_w;
    uchar4 out;
    out.x = (unsigned char)(sum_r * norm + 0.5f);
    out.y = (unsigned char)(sum_g * norm + 0.5f);
    out.z = (unsigned char)(sum_b * norm + 0.5f);
    out.w = center.w;
    dst[y * width + x] = out;
}

// ---------------------------------------------------------------------------------------------------------------
// 6. Signal: batch of forward complex FFTs of 1024 points, radix 4 Stockham, 256 threads to a transform,
//    data in registers between exchanges through padded shared memory.
// ---------------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

static __device__ __forceinline__ int fft_pad(int i) { return i + (i >> 5); }

/* kmutate launch
   int batch = 6144;
   dim3 block = { 256 };
   dim3 grid = { batch };
   float2 signal[batch * 1024] = uniform(-1, 1);
   float2 spectrum[batch * 1024] = zeros();
   batched_fft_1024_radix4_stockham_shared_exchange(signal, spectrum);
*/
__global__ void __launch_bounds__(256)
batched_fft_1024_radix4_stockham_shared_exchange(const float2 *__restrict__ signal, float2 *__restrict__ spectrum)
{
    __shared__ float sh_re[1024 + 32];
    __shared__ float sh_im[1024 + 32];

    const int i = threadIdx.x;
    const float2 *src = signal + (size_t)blockIdx.x * 1024;
    float2 *dst = spectrum + (size_t)blockIdx.x * 1024;

    float2 u[4];
#pragma unroll
    for (int r = 0; r < 4; r++)
        u[r] = src[i + 256 * r];

#pragma unroll
    for (int p = 1; p <= 256; p *= 4) {
        const int k = i & (p - 1);
        if (p > 1) {
            float2 w1;
            __sincosf(-6.283185307f * k / (4 * p), &w1.y, &w1.x);
            const float2 w2 = cmul(w1, w1);
            const float2 w3 = cmul(w2, w1);
            u[1] = cmul(u[1], w1);
            u[2] = cmul(u[2], w2);
            u[3] = cmul(u[3], w3);
        }
        const float2 v0 = make_float2(u[0].x + u[2].x, u[0].y + u[2].y);
        const float2 v1 = make_float2(u[0].x - u[2].x, u[0].y - u[2].y);
        const float2 v2 = make_float2(u[1].x + u[3].x, u[1].y + u[3].y);
        const float2 v3 = make_float2(u[1].y - u[3].y, u[3].x - u[1].x);   // -i (u1 - u3)
        u[0] = make_float2(v0.x + v2.x, v0.y + v2.y);
        u[1] = make_float2(v1.x + v3.x, v1.y + v3.y);
        u[2] = make_float2(v0.x - v2.x, v0.y - v2.y);
        u[3] = make_float2(v1.x - v3.x, v1.y - v3.y);

        const int j = ((i - k) << 2) + k;
        if (p < 256) {
            if (p > 1)
                __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++) {
                sh_re[fft_pad(j + r * p)] = u[r].x;
                sh_im[fft_pad(j + r * p)] = u[r].y;
            }
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++)
                u[r] = make_float2(sh_re[fft_pad(i + 256 * r)], sh_im[fft_pad(i + 256 * r)]);
        } else {
#pragma unroll
            for (int r = 0; r < 4; r++)
                dst[j + r * p] = u[r];
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------
// 7. Sorting: each block sorts 2048 (key, value) pairs by a bitonic network in shared memory; odd blocks descend,
//    so that a merge can go on from here.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int n = 1 << 22;
   dim3 block = { 1024 };
   dim3 grid = { n / 2048 };
   unsigned keys_in[n] = randint(0, 1u << 31);
   unsigned vals_in[n] = iota();
   unsigned keys_out[n] = zeros();
   unsigned vals_out[n] = zeros();
   bitonic_sort_pairs_2048_per_block(keys_in, vals_in, keys_out, vals_out);
*/
__global__ void bitonic_sort_pairs_2048_per_block(const unsigned *keys_in, const unsigned *vals_in, unsigned *keys_out,
                                                  unsigned *vals_out)
{
    __shared__ unsigned key[2048];
    __shared__ unsigned val[2048];

    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 2048;
    key[t] = keys_in[base + t];
    val[t] = vals_in[base + t];
    key[t + 1024] = keys_in[base + t + 1024];
    val[t + 1024] = vals_in[base + t + 1024];

    const bool block_descends = blockIdx.x & 1;
    for (int size = 2; size <= 2048; size <<= 1) {
        const bool descends = size == 2048 ? block_descends : (t & (size >> 1)) != 0;
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            const int lo = 2 * t - (t & (stride - 1));
            const int hi = lo + stride;
            const unsigned a = key[lo], b = key[hi];
            if ((a > b) != descends) {
                key[lo] = b;
                key[hi] = a;
                const unsigned swap = val[lo];
                val[lo] = val[hi];
                val[hi] = swap;
            }
        }
    }
    __syncthreads();

    keys_out[base + t] = key[t];
    vals_out[base + t] = val[t];
    keys_out[base + t + 1024] = key[t + 1024];
    vals_out[base + t + 1024] = val[t + 1024];
}

// ---------------------------------------------------------------------------------------------------------------
// 8. Histogram: 256 bins of bytes, a private histogram in shared memory for each warp, 16 bytes per load.
// ---------------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void count_four_bytes(unsigned *bins, unsigned word)
{
    atomicAdd(bins + (word & 255), 1u);
    atomicAdd(bins + ((word >> 8) & 255), 1u);
    atomicAdd(bins + ((word >> 16) & 255), 1u);
    atomicAdd(bins + (word >> 24), 1u);
}

/* kmutate launch
   int bytes = 48 << 20;
   dim3 block = { 256 };
   dim3 grid = { 132 * 8 };
   unsigned char data[bytes] = randint(0, 256);
   unsigned histogram[256] = zeros();
   byte_histogram_warp_private_shared_bins((uint4 *)data, bytes / 16, histogram);
*/
__global__ void __launch_bounds__(256)
byte_histogram_warp_private_shared_bins(const uint4 *__restrict__ data, int count, unsigned *__restrict__ histogram)
{
    __shared__ unsigned bins[8][256];

    for (int i = threadIdx.x; i < 8 * 256; i += 256)
        (&bins[0][0])[i] = 0;
    __syncthreads();

    unsigned *mine = bins[threadIdx.x / 32];
    const int step = gridDim.x * 256;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += step) {
        const uint4 q = data[i];
        count_four_bytes(mine, q.x);
        count_four_bytes(mine, q.y);
        count_four_bytes(mine, q.z);
        count_four_bytes(mine, q.w);
    }
    __syncthreads();

    unsigned total = 0;
#pragma unroll
    for (int w = 0; w < 8; w++)
        total += bins[w][threadIdx.x];
    if (total)
        atomicAdd(histogram + threadIdx.x, total);
}

// ---------------------------------------------------------------------------------------------------------------
// 9. Graph: bottom-up step of a breadth-first search. A vertex without a level looks for a neighbour in the
//    frontier and stops at the first. Negative levels: not reached.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int vertices = 1200000, lo = 2, hi = 26;
   int edges = csr_nnz(vertices, lo, hi);
   dim3 block = { 256 };
   dim3 grid = { (vertices + 255) / 256 };
   int offsets[vertices + 1] = csr_rowptr(vertices, lo, hi);
   int neighbors[edges] = csr_colidx(vertices);
   int level[vertices] = randint(-6, 4);
   int next_level[vertices] = zeros();
   int parent[vertices] = fill(-1);
   int found[1] = zeros();
   bfs_bottom_up_step_thread_per_vertex(vertices, offsets, neighbors, level, next_level, parent, found, 3);
*/
__global__ void bfs_bottom_up_step_thread_per_vertex(int vertices, const int *offsets, const int *neighbors,
                                                     const int *level, int *next_level, int *parent, int *found,
                                                     int depth)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    bool reached = false;
    if (v < vertices) {
        int mine = level[v];
        if (mine < 0) {
            int end = offsets[v + 1];
            for (int e = offsets[v]; e < end; e++) {
                int u = neighbors[e];
                if (level[u] == depth) {
                    parent[v] = u;
                    mine = depth + 1;
                    reached = true;
                    break;
                }
            }
        }
        next_level[v] = mine;
    }
    unsigned votes = __ballot_sync(0xffffffffu, reached);
    if ((threadIdx.x & 31) == 0 && votes)
        atomicAdd(found, __popc(votes));
}

// ---------------------------------------------------------------------------------------------------------------
// 10. Dynamic programming on a graph: third phase of the blocked Floyd-Warshall algorithm, all tiles outside of the
//     pivot's row and column. 64 x 64 tile, 4 x 4 distances per thread in registers.
// ---------------------------------------------------------------------------------------------------------------

#define FW_TILE 64

/* kmutate launch
   int n = 4096, pivot = 5;
   dim3 block = { 16, 16 };
   dim3 grid = { n / FW_TILE, n / FW_TILE };
   float dist[n * n] = uniform(1, 1000);
   floyd_warshall_blocked_phase_three_4x4_registers(dist, n, pivot);
*/
__global__ void __launch_bounds__(256)
floyd_warshall_blocked_phase_three_4x4_registers(float *dist, int n, int pivot)
{
    __shared__ __align__(16) float column[FW_TILE][FW_TILE + 4];   // tile (this row, pivot)
    __shared__ __align__(16) float row[FW_TILE][FW_TILE];          // tile (pivot, this column)

    if ((int)blockIdx.x == pivot || (int)blockIdx.y == pivot)
        return;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int y0 = blockIdx.y * FW_TILE, x0 = blockIdx.x * FW_TILE, p0 = pivot * FW_TILE;

#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int r = ty + 16 * i;
        *reinterpret_cast<float4 *>(&column[r][tx * 4]) =
            *reinterpret_cast<const float4 *>(dist + (size_t)(y0 + r) * n + p0 + tx * 4);
        *reinterpret_cast<float4 *>(&row[r][tx * 4]) =
            *reinterpret_cast<const float4 *>(dist + (size_t)(p0 + r) * n + x0 + tx * 4);
    }

    float4 best[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        best[i] = *reinterpret_cast<const float4 *>(dist + (size_t)(y0 + ty * 4 + i) * n + x0 + tx * 4);
    __syncthreads();

#pragma unroll 8
    for (int k = 0; k < FW_TILE; k++) {
        const float4 to = *reinterpret_cast<const float4 *>(&row[k][tx * 4]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float from = column[ty * 4 + i][k];
            best[i].x = fminf(best[i].x, from + to.x);
            best[i].y = fminf(best[i].y, from + to.y);
            best[i].z = fminf(best[i].z, from + to.z);
            best[i].w = fminf(best[i].w, from + to.w);
        }
    }

#pragma unroll
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(dist + (size_t)(y0 + ty * 4 + i) * n + x0 + tx * 4) = best[i];
}

// ---------------------------------------------------------------------------------------------------------------
// 11. Molecular dynamics: Lennard-Jones forces and energies from a Verlet list that is stored neighbour by neighbour
//     (coalesced), four species, coefficients in constant memory, periodic box with minimum images.
//     position.w holds the species.
// ---------------------------------------------------------------------------------------------------------------

#define LJ_SPECIES 4
__constant__ float2 c_lj_coefficients[LJ_SPECIES * LJ_SPECIES];   // 48 eps sigma^12, 24 eps sigma^6

/* kmutate launch
   int atoms = 131072, stride = 64;
   dim3 block = { 128 };
   dim3 grid = { (atoms + 127) / 128 };
   extern float2 c_lj_coefficients[LJ_SPECIES * LJ_SPECIES] = uniform(0.5, 1.5);
   float4 position[atoms] = uniform(0, 4);
   int neighbor_count[atoms] = randint(40, 65);
   int neighbor_list[stride * atoms] = randint(0, atoms);
   float4 force[atoms] = zeros();
   lennard_jones_force_energy_from_verlet_list(position, neighbor_count, neighbor_list, force, atoms, 4.0f, 3.6f);
*/
__global__ void lennard_jones_force_energy_from_verlet_list(const float4 *__restrict__ position,
                                                            const int *__restrict__ neighbor_count,
                                                            const int *__restrict__ neighbor_list,
                                                            float4 *__restrict__ force, int atoms, float box,
                                                            float cutoff_squared)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms)
        return;

    const float4 pi = position[i];
    const int species = (int)pi.w * LJ_SPECIES;
    const float inv_box = 1.0f / box;
    const int count = neighbor_count[i];

    float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
    for (int k = 0; k < count; k++) {
        const int j = neighbor_list[(size_t)k * atoms + i];
        const float4 pj = __ldg(position + j);
        float dx = pi.x - pj.x, dy = pi.y - pj.y, dz = pi.z - pj.z;
        dx -= box * rintf(dx * inv_box);
        dy -= box * rintf(dy * inv_box);
        dz -= box * rintf(dz * inv_box);
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutoff_squared && r2 > 1e-6f) {
            const float2 c = c_lj_coefficients[species + (int)pj.w];
            const float inv2 = 1.0f / r2;
            const float inv6 = inv2 * inv2 * inv2;
            const float scale = inv2 * inv6 * (c.x * inv6 - c.y);
            fx += scale * dx;
            fy += scale * dy;
            fz += scale * dz;
            energy += inv6 * (c.x * inv6 * (1.0f / 12.0f) - c.y * (1.0f / 6.0f));
        }
    }
    force[i] = make_float4(fx, fy, fz, 0.5f * energy);
}

// ---------------------------------------------------------------------------------------------------------------
// 12. Finance: arithmetic Asian call by Monte Carlo, Philox 4x32-10 and Box-Muller, one path per thread,
//     sum and sum of squares per block.
// ---------------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ uint4 philox_4x32_10(uint4 counter, uint2 key)
{
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const unsigned hi0 = __umulhi(0xD2511F53u, counter.x), lo0 = 0xD2511F53u * counter.x;
        const unsigned hi1 = __umulhi(0xCD9E8D57u, counter.z), lo1 = 0xCD9E8D57u * counter.z;
        counter = make_uint4(hi1 ^ counter.y ^ key.x, lo1, hi0 ^ counter.w ^ key.y, lo0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

static __device__ __forceinline__ float2 box_muller(unsigned a, unsigned b)
{
    const float u = (a + 0.5f) * 2.3283064e-10f;
    const float angle = b * 1.4629180e-9f;   // 2 pi / 2^32
    const float radius = sqrtf(-2.0f * __logf(fminf(u, 0.99999994f)));
    float s, c;
    __sincosf(angle, &s, &c);
    return make_float2(radius * c, radius * s);
}

/* kmutate launch
   int paths = 1 << 19, steps = 64;
   dim3 block = { 256 };
   dim3 grid = { paths / 256 };
   float2 block_sums[grid.x] = zeros();
   asian_call_monte_carlo_philox_path_per_thread(block_sums, steps, 100.0f, 105.0f, 0.03f, 0.25f, 1.0f, 20240601u);
*/
__global__ void __launch_bounds__(256)
asian_call_monte_carlo_philox_path_per_thread(float2 *__restrict__ block_sums, int steps, float spot, float strike,
                                              float rate, float volatility, float maturity, unsigned seed)
{
    __shared__ float2 partial[8];

    const unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    const float dt = maturity / steps;
    const float drift = (rate - 0.5f * volatility * volatility) * dt;
    const float diffusion = volatility * sqrtf(dt);

    float log_s = 0.0f, average = 0.0f;
    for (int step = 0; step < steps; step += 4) {
        const uint4 r = philox_4x32_10(make_uint4(path, step, 0u, 0u), make_uint2(seed, 0x5bd1e995u));
        const float2 z0 = box_muller(r.x, r.y);
        const float2 z1 = box_muller(r.z, r.w);
        log_s += drift + diffusion * z0.x;
        average += __expf(log_s);
        log_s += drift + diffusion * z0.y;
        average += __expf(log_s);
        log_s += drift + diffusion * z1.x;
        average += __expf(log_s);
        log_s += drift + diffusion * z1.y;
        average += __expf(log_s);
    }
    const float payoff = expf(-rate * maturity) * fmaxf(spot * average / steps - strike, 0.0f);

    float sum = warp_sum(payoff), squares = warp_sum(payoff * payoff);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = make_float2(sum, squares);
    __syncthreads();
    if (threadIdx.x == 0) {
        float2 total = partial[0];
        for (int w = 1; w < 8; w++) {
            total.x += partial[w].x;
            total.y += partial[w].y;
        }
        block_sums[blockIdx.x] = total;
    }
}

// ---------------------------------------------------------------------------------------------------------------
// 13. Dynamic programming: Smith-Waterman with affine gaps, one warp per pair of DNA sequences. A lane holds a row of
//     the query, the anti-diagonal moves along the target through shuffles; strips of 32 rows meet in shared memory.
// ---------------------------------------------------------------------------------------------------------------

#define SW_QUERY 128
#define SW_TARGET 192

/* kmutate launch
   int pairs = 4096;
   dim3 block = { 128 };
   dim3 grid = { pairs / 4 };
   unsigned char queries[pairs * SW_QUERY] = randint(0, 4);
   unsigned char targets[pairs * SW_TARGET] = randint(0, 4);
   int scores[pairs] = zeros();
   smith_waterman_affine_warp_per_pair_antidiagonal(queries, targets, scores, pairs, 2, -3, 5, 2);
*/
__global__ void __launch_bounds__(128)
smith_waterman_affine_warp_per_pair_antidiagonal(const unsigned char *__restrict__ queries,
                                                 const unsigned char *__restrict__ targets, int *__restrict__ scores,
                                                 int pairs, int match, int mismatch, int gap_open, int gap_extend)
{
    __shared__ unsigned char target[4][SW_TARGET];
    __shared__ short2 edge[4][SW_TARGET];   // (H, F) of the last row of the strip above

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int pair = blockIdx.x * 4 + warp;
    if (pair >= pairs)
        return;   // whole warps

    for (int j = lane; j < SW_TARGET; j += 32) {
        target[warp][j] = targets[(size_t)pair * SW_TARGET + j];
        edge[warp][j] = make_short2(0, -10000);
    }
    __syncwarp();

    int best = 0;
    for (int strip = 0; strip < SW_QUERY; strip += 32) {
        const int symbol = queries[(size_t)pair * SW_QUERY + strip + lane];
        int h = 0, e = -10000, f = -10000;   // of this row at the column before
        int diagonal = 0;                    // H of the row above at the column before
        for (int step = 0; step < SW_TARGET + 31; step++) {
            int up_h = __shfl_up_sync(0xffffffffu, h, 1);
            int up_f = __shfl_up_sync(0xffffffffu, f, 1);
            const int j = step - lane;
            if (j >= 0 && j < SW_TARGET) {
                if (lane == 0) {
                    const short2 above = edge[warp][j];
                    up_h = above.x;
                    up_f = above.y;
                }
                e = max(e - gap_extend, h - gap_open - gap_extend);
                f = max(up_f - gap_extend, up_h - gap_open - gap_extend);
                h = diagonal + (symbol == target[warp][j] ? match : mismatch);
                h = max(max(h, 0), max(e, f));
                diagonal = up_h;
                best = max(best, h);
                if (lane == 31)
                    edge[warp][j] = make_short2((short)h, (short)max(f, -10000));
            }
            __syncwarp();
        }
    }
    for (int offset = 16; offset > 0; offset >>= 1)
        best = max(best, __shfl_xor_sync(0xffffffffu, best, offset));
    if (lane == 0)
        scores[pair] = best;
}

// ---------------------------------------------------------------------------------------------------------------
// 14. Compression: decodes blocks of 128 bit-packed deltas with a bit width of their own, and adds them up.
//     One warp per block, four values per lane, funnel shifts and a scan by shuffles.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int blocks = 200000, lo = 8, hi = 64;
   int words = csr_nnz(blocks, lo, hi);
   dim3 block = { 256 };
   dim3 grid = { (blocks + 7) / 8 };
   int word_start[blocks + 1] = csr_rowptr(blocks, lo, hi);
   unsigned packed[words + 1] = randint(0, 1u << 31);
   unsigned first_value[blocks] = randint(0, 1 << 24);
   unsigned decoded[128 * blocks] = zeros();
   bitpacked_delta_decode_warp_per_128_values(packed, word_start, first_value, (uint4 *)decoded, blocks);
*/
__global__ void bitpacked_delta_decode_warp_per_128_values(const unsigned *__restrict__ packed,
                                                           const int *__restrict__ word_start,
                                                           const unsigned *__restrict__ first_value,
                                                           uint4 *__restrict__ decoded, int blocks)
{
    const int lane = threadIdx.x & 31;
    const int b = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (b >= blocks)
        return;

    const int start = word_start[b];
    const int width = (word_start[b + 1] - start) >> 2;   // 128 values of w bits are 4 w words
    const unsigned mask = (1u << width) - 1;
    const unsigned *in = packed + start;

    unsigned v[4];
    int bit = 4 * lane * width;
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const unsigned lo = in[bit >> 5], hi = in[(bit >> 5) + 1];
        v[q] = __funnelshift_r(lo, hi, bit & 31) & mask;
        bit += width;
    }
    v[1] += v[0];
    v[2] += v[1];
    v[3] += v[2];

    unsigned scan = v[3];
#pragma unroll
    for (int offset = 1; offset < 32; offset <<= 1) {
        const unsigned below = __shfl_up_sync(0xffffffffu, scan, offset);
        if (lane >= offset)
            scan += below;
    }
    const unsigned base = first_value[b] + scan - v[3];
    decoded[(size_t)b * 32 + lane] = make_uint4(base + v[0], base + v[1], base + v[2], base + v[3]);
}

// ---------------------------------------------------------------------------------------------------------------
// 15. Inference: attention of one decoded token over a paged key/value cache in half precision, grouped queries.
//     A block serves one sequence and one key/value head, that is four query heads. Sixteen lanes share a cached
//     token (eight dimensions each); every half warp has an online softmax of its own, merged at the end.
// ---------------------------------------------------------------------------------------------------------------

#define PA_DIM 128
#define PA_PAGE 16
#define PA_GROUP 4
#define PA_TEAMS 8

static __device__ __forceinline__ void unpack_eight_halves(const uint4 raw, float *out)
{
    const float2 a = __half22float2(*reinterpret_cast<const __half2 *>(&raw.x));
    const float2 b = __half22float2(*reinterpret_cast<const __half2 *>(&raw.y));
    const float2 c = __half22float2(*reinterpret_cast<const __half2 *>(&raw.z));
    const float2 d = __half22float2(*reinterpret_cast<const __half2 *>(&raw.w));
    out[0] = a.x; out[1] = a.y; out[2] = b.x; out[3] = b.y;
    out[4] = c.x; out[5] = c.y; out[6] = d.x; out[7] = d.y;
}

/* kmutate launch
   int batch = 32, kv_heads = 8, max_pages = 64;
   dim3 block = { 128 };
   dim3 grid = { kv_heads, batch };
   half q[batch * kv_heads * PA_GROUP * PA_DIM] = normal();
   half k_cache[batch * max_pages * kv_heads * PA_PAGE * PA_DIM] = normal();
   half v_cache[batch * max_pages * kv_heads * PA_PAGE * PA_DIM] = normal();
   int page_table[batch * max_pages] = permutation();
   int context[batch] = randint(600, 1025);
   half out[batch * kv_heads * PA_GROUP * PA_DIM] = zeros();
   paged_kv_cache_grouped_query_decode_attention(q, k_cache, v_cache, page_table, context, out, max_pages,
                                                 0.08838835f);
*/
__global__ void __launch_bounds__(128)
paged_kv_cache_grouped_query_decode_attention(const __half *__restrict__ q, const __half *__restrict__ k_cache,
                                              const __half *__restrict__ v_cache, const int *__restrict__ page_table,
                                              const int *__restrict__ context, __half *__restrict__ out,
                                              int max_pages, float scale)
{
    __shared__ __align__(16) float sh_acc[PA_TEAMS][PA_GROUP][PA_DIM];
    __shared__ float sh_max[PA_TEAMS][PA_GROUP];
    __shared__ float sh_sum[PA_TEAMS][PA_GROUP];

    const int kv_head = blockIdx.x, kv_heads = gridDim.x, seq = blockIdx.y;
    const int team = threadIdx.x / 16, lane = threadIdx.x % 16;
    const int length = context[seq];
    const int *pages = page_table + (size_t)seq * max_pages;
    const __half *q_base = q + ((size_t)seq * kv_heads + kv_head) * PA_GROUP * PA_DIM;

    float qf[PA_GROUP][8], acc[PA_GROUP][8];
    float top[PA_GROUP], sum[PA_GROUP];
#pragma unroll
    for (int g = 0; g < PA_GROUP; g++) {
        unpack_eight_halves(*reinterpret_cast<const uint4 *>(q_base + g * PA_DIM + lane * 8), qf[g]);
        top[g] = -1e30f;
        sum[g] = 0.0f;
#pragma unroll
        for (int d = 0; d < 8; d++) {
            qf[g][d] *= scale;
            acc[g][d] = 0.0f;
        }
    }

    const int rounds = (length + PA_TEAMS - 1) / PA_TEAMS;
    for (int round = 0; round < rounds; round++) {
        const int token = round * PA_TEAMS + team;
        const bool valid = token < length;
        const int safe = valid ? token : length - 1;
        const int page = pages[safe / PA_PAGE];
        const size_t row = (((size_t)page * kv_heads + kv_head) * PA_PAGE + safe % PA_PAGE) * PA_DIM + lane * 8;
        const uint4 k_raw = *reinterpret_cast<const uint4 *>(k_cache + row);
        const uint4 v_raw = *reinterpret_cast<const uint4 *>(v_cache + row);
        float kf[8], vf[8];
        unpack_eight_halves(k_raw, kf);
        unpack_eight_halves(v_raw, vf);

#pragma unroll
        for (int g = 0; g < PA_GROUP; g++) {
            float score = 0.0f;
#pragma unroll
            for (int d = 0; d < 8; d++)
                score = fmaf(qf[g][d], kf[d], score);
#pragma unroll
            for (int offset = 8; offset > 0; offset >>= 1)
                score += __shfl_xor_sync(0xffffffffu, score, offset);
            if (!valid)
                score = -1e30f;
            const float new_top = fmaxf(top[g], score);
            const float shrink = __expf(top[g] - new_top);
            const float weight = valid ? __expf(score - new_top) : 0.0f;
            top[g] = new_top;
            sum[g] = sum[g] * shrink + weight;
#pragma unroll
            for (int d = 0; d < 8; d++)
                acc[g][d] = acc[g][d] * shrink + weight * vf[d];
        }
    }

#pragma unroll
    for (int g = 0; g < PA_GROUP; g++) {
        float4 *dst = reinterpret_cast<float4 *>(&sh_acc[team][g][lane * 8]);
        dst[0] = make_float4(acc[g][0], acc[g][1], acc[g][2], acc[g][3]);
        dst[1] = make_float4(acc[g][4], acc[g][5], acc[g][6], acc[g][7]);
        if (lane == 0) {
            sh_max[team][g] = top[g];
            sh_sum[team][g] = sum[g];
        }
    }
    __syncthreads();

    __half *out_base = out + ((size_t)seq * kv_heads + kv_head) * PA_GROUP * PA_DIM;
    for (int g = 0; g < PA_GROUP; g++) {
        float m = -1e30f;
        for (int t = 0; t < PA_TEAMS; t++)
            m = fmaxf(m, sh_max[t][g]);
        float denominator = 0.0f, numerator = 0.0f;
        for (int t = 0; t < PA_TEAMS; t++) {
            const float w = __expf(sh_max[t][g] - m);
            denominator += w * sh_sum[t][g];
            numerator += w * sh_acc[t][g][threadIdx.x];
        }
        out_base[g * PA_DIM + threadIdx.x] = __float2half(numerator / denominator);
    }
}

// ---------------------------------------------------------------------------------------------------------------
// 16. Norm: residual addition and RMSNorm in bfloat16, one row of 4096 per block, 16 bytes per access,
//     the row stays in registers.
// ---------------------------------------------------------------------------------------------------------------

#define RN_HIDDEN 4096

static __device__ __forceinline__ float2 bf16_pair_to_float2(unsigned pair)
{
    return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u));
}

static __device__ __forceinline__ unsigned float2_to_bf16_pair(float a, float b)
{
    const __nv_bfloat162 packed = __floats2bfloat162_rn(a, b);
    return *reinterpret_cast<const unsigned *>(&packed);
}

/* kmutate launch
   int tokens = 4096;
   dim3 block = { 256 };
   dim3 grid = { tokens };
   __nv_bfloat16 x[tokens * RN_HIDDEN] = normal();
   __nv_bfloat16 residual[tokens * RN_HIDDEN] = normal();
   __nv_bfloat16 weight[RN_HIDDEN] = normal(1, 0.1);
   __nv_bfloat16 new_residual[tokens * RN_HIDDEN] = zeros();
   __nv_bfloat16 y[tokens * RN_HIDDEN] = zeros();
   fused_residual_rmsnorm_bf16_row_in_registers((uint4 *)x, (uint4 *)residual, (uint4 *)weight,
                                                (uint4 *)new_residual, (uint4 *)y, 1e-5f);
*/
__global__ void __launch_bounds__(256)
fused_residual_rmsnorm_bf16_row_in_registers(const uint4 *__restrict__ x, const uint4 *__restrict__ residual,
                                             const uint4 *__restrict__ weight, uint4 *__restrict__ new_residual,
                                             uint4 *__restrict__ y, float epsilon)
{
    constexpr int VECTORS = RN_HIDDEN / 8;   // uint4 of a row: 512, two per thread
    __shared__ float partial[8];

    const size_t row = (size_t)blockIdx.x * VECTORS;
    unsigned held[2][4];
    float squares = 0.0f;

#pragma unroll
    for (int v = 0; v < 2; v++) {
        const uint4 a = x[row + threadIdx.x + 256 * v];
        const uint4 b = residual[row + threadIdx.x + 256 * v];
        const unsigned aw[4] = { a.x, a.y, a.z, a.w }, bw[4] = { b.x, b.y, b.z, b.w };
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const float2 p = bf16_pair_to_float2(aw[w]), r = bf16_pair_to_float2(bw[w]);
            held[v][w] = float2_to_bf16_pair(p.x + r.x, p.y + r.y);
            const float2 s = bf16_pair_to_float2(held[v][w]);
            squares += s.x * s.x + s.y * s.y;
        }
        new_residual[row + threadIdx.x + 256 * v] = make_uint4(held[v][0], held[v][1], held[v][2], held[v][3]);
    }

    squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = squares;
    __syncthreads();
    float total = 0.0f;
#pragma unroll
    for (int w = 0; w < 8; w++)
        total += partial[w];
    const float scale = rsqrtf(total / RN_HIDDEN + epsilon);

#pragma unroll
    for (int v = 0; v < 2; v++) {
        const uint4 g = weight[threadIdx.x + 256 * v];
        const unsigned gw[4] = { g.x, g.y, g.z, g.w };
        unsigned o[4];
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const float2 s = bf16_pair_to_float2(held[v][w]), m = bf16_pair_to_float2(gw[w]);
            o[w] = float2_to_bf16_pair(s.x * scale * m.x, s.y * scale * m.y);
        }
        y[row + threadIdx.x + 256 * v] = make_uint4(o[0], o[1], o[2], o[3]);
    }
}

// ---------------------------------------------------------------------------------------------------------------
// 17. Quantised matrix times vector: 4 bit weights, half precision activations, a scale and a zero point for each
//     group of 128. One warp per output, 32 weights per lane and load. Nibble i of a word is value 2 i for i < 4 and
//     value 2 (i - 4) + 1 above, so that one mask gives a half2.
// ---------------------------------------------------------------------------------------------------------------

#define Q4_K 4096

/* kmutate launch
   int outputs = 28672;
   dim3 block = { 256 };
   dim3 grid = { outputs / 8 };
   unsigned weights[outputs * (Q4_K / 8)] = randint(0, 1u << 31);
   half2 scale_zero[outputs * (Q4_K / 128)] = uniform(0.002, 0.004);
   half activations[Q4_K] = uniform(-1, 1);
   half y[outputs] = zeros();
   int4_weight_half_activation_gemv_group128((uint4 *)weights, scale_zero, (uint4 *)activations, y);
*/
__global__ void __launch_bounds__(256)
int4_weight_half_activation_gemv_group128(const uint4 *__restrict__ weights, const __half2 *__restrict__ scale_zero,
                                          const uint4 *__restrict__ activations, __half *__restrict__ y)
{
    __shared__ uint4 act[Q4_K / 8];

    for (int i = threadIdx.x; i < Q4_K / 8; i += 256)
        act[i] = activations[i];
    __syncthreads();

    const int lane = threadIdx.x % 32;
    const int output = blockIdx.x * 8 + threadIdx.x / 32;
    const uint4 *w_row = weights + (size_t)output * (Q4_K / 32);
    const __half2 *s_row = scale_zero + (size_t)output * (Q4_K / 128);

    float result = 0.0f;
#pragma unroll
    for (int chunk = 0; chunk < Q4_K / 1024; chunk++) {
        const int at = chunk * 32 + lane;                       // in units of 32 weights
        const uint4 packed = w_row[at];
        const float2 sz = __half22float2(s_row[at / 4]);        // (scale, scale * zero point)
        const unsigned word[4] = { packed.x, packed.y, packed.z, packed.w };

        float dot = 0.0f, plain = 0.0f;
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const uint4 a = act[at * 4 + w];
            const unsigned aw[4] = { a.x, a.y, a.z, a.w };
            __half2 dot2 = __float2half2_rn(0.0f), plain2 = __float2half2_rn(0.0f);
#pragma unroll
            for (int s = 0; s < 4; s++) {
                const unsigned bits = ((word[w] >> (4 * s)) & 0x000f000fu) | 0x64006400u;   // 1024 + nibble
                const __half2 value = __hsub2(*reinterpret_cast<const __half2 *>(&bits), __float2half2_rn(1024.0f));
                const __half2 x2 = *reinterpret_cast<const __half2 *>(&aw[s]);
                dot2 = __hfma2(value, x2, dot2);
                plain2 = __hadd2(plain2, x2);
            }
            const float2 d = __half22float2(dot2), p = __half22float2(plain2);
            dot += d.x + d.y;
            plain += p.x + p.y;
        }
        result += sz.x * dot - sz.y * plain;
    }
    result = warp_sum(result);
    if (lane == 0)
        y[output] = __float2half(result);
}

// ---------------------------------------------------------------------------------------------------------------
// 18. Optimizer: AdamW with single precision state and bfloat16 gradients and working weights. First version: one
//     parameter per thread, and every thread computes the bias corrections itself.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int n = 6000000;
   dim3 block = { 256 };
   dim3 grid = { (n + 255) / 256 };
   float master[n] = normal(0, 0.02);
   float exp_avg[n] = normal(0, 0.001);
   float exp_avg_sq[n] = uniform(0, 0.00001);
   __nv_bfloat16 gradient[n] = normal(0, 0.01);
   __nv_bfloat16 weights[n] = zeros();
   adamw_update_bf16_gradient_scalar_per_thread(master, exp_avg, exp_avg_sq, gradient, weights, n,
                                                0.0003f, 0.9f, 0.95f, 1e-8f, 0.1f, 1200);
*/
__global__ void adamw_update_bf16_gradient_scalar_per_thread(float *master, float *exp_avg, float *exp_avg_sq,
                                                             const __nv_bfloat16 *gradient, __nv_bfloat16 *weights,
                                                             int n, float lr, float beta1, float beta2, float eps,
                                                             float weight_decay, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    float g = __bfloat162float(gradient[i]);
    float p = master[i];
    float m = beta1 * exp_avg[i] + (1.0f - beta1) * g;
    float v = beta2 * exp_avg_sq[i] + (1.0f - beta2) * g * g;

    float m_hat = m / (1.0f - powf(beta1, (float)step));
    float v_hat = v / (1.0f - powf(beta2, (float)step));
    p -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * p);

    exp_avg[i] = m;
    exp_avg_sq[i] = v;
    master[i] = p;
    weights[i] = __float2bfloat16(p);
}

// ---------------------------------------------------------------------------------------------------------------
// 19. Training: softmax cross entropy over a vocabulary, loss and gradient. First version: a block per row, three
//     passes over the logits, tree reductions in shared memory.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int rows = 512, vocabulary = 32000;
   dim3 block = { 256 };
   dim3 grid = { rows };
   float logits[rows * vocabulary] = normal(0, 2);
   int labels[rows] = randint(0, vocabulary);
   float loss[rows] = zeros();
   float gradient[rows * vocabulary] = zeros();
   softmax_cross_entropy_gradient_three_passes(logits, labels, loss, gradient, vocabulary, 1.0f / rows);
*/
__global__ void softmax_cross_entropy_gradient_three_passes(const float *logits, const int *labels, float *loss,
                                                            float *gradient, int vocabulary, float loss_scale)
{
    __shared__ float scratch[256];
    const int t = threadIdx.x;
    const float *row = logits + (size_t)blockIdx.x * vocabulary;
    float *grad_row = gradient + (size_t)blockIdx.x * vocabulary;

    float top = -1e30f;
    for (int i = t; i < vocabulary; i += blockDim.x)
        top = fmaxf(top, row[i]);
    scratch[t] = top;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            scratch[t] = fmaxf(scratch[t], scratch[t + s]);
        __syncthreads();
    }
    top = scratch[0];
    __syncthreads();

    float sum = 0.0f;
    for (int i = t; i < vocabulary; i += blockDim.x)
        sum += expf(row[i] - top);
    scratch[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            scratch[t] += scratch[t + s];
        __syncthreads();
    }
    sum = scratch[0];

    const int label = labels[blockIdx.x];
    for (int i = t; i < vocabulary; i += blockDim.x) {
        float p = expf(row[i] - top) / sum;
        grad_row[i] = (p - (i == label ? 1.0f : 0.0f)) * loss_scale;
    }
    if (t == 0)
        loss[blockIdx.x] = logf(sum) + top - row[label];
}

// ---------------------------------------------------------------------------------------------------------------
// 20. Training: gradient of an embedding table, scattered with atomics; rows of the padding token are skipped and
//     a row's gradient is divided by how often its token occurs.
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int tokens = 16384, dim = 768, vocabulary = 16000;
   dim3 block = { 256 };
   dim3 grid = { tokens };
   int token_ids[tokens] = randint(0, vocabulary);
   int occurrences[vocabulary] = randint(1, 8);
   float output_gradient[tokens * dim] = normal();
   float table_gradient[vocabulary * dim] = zeros();
   embedding_table_gradient_atomic_scatter(token_ids, occurrences, output_gradient, table_gradient, dim, 0);
*/
__global__ void embedding_table_gradient_atomic_scatter(const int *token_ids, const int *occurrences,
                                                        const float *output_gradient, float *table_gradient, int dim,
                                                        int padding_token)
{
    int token = blockIdx.x;
    int id = token_ids[token];
    if (id == padding_token)
        return;
    float scale = 1.0f / occurrences[id];
    for (int d = threadIdx.x; d < dim; d += blockDim.x)
        atomicAdd(table_gradient + (size_t)id * dim + d, scale * output_gradient[(size_t)token * dim + d]);
}
