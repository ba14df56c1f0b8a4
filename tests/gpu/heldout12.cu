// The twelfth set of kernels that nobody tuned the model of time for: dense and sparse algebra, stencils, layouts, reductions,
// sorting, graphs, particles, chance, dynamic programming, images, signals, ciphers, tables, prices, layers of networks, genes
// and rays, written from what is commonly known of the algorithms by someone who had seen neither the model nor its results
// (tests/gpu/heldout.py, docs/heldout.md).

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define ceil_div(m, n) (((m) + (n) - 1) / (n))

typedef unsigned long long u64;

// Marsaglia's xorshift of 32 bits, for kernels that draw their own numbers.
__device__ __forceinline__ unsigned draw(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__device__ __forceinline__ float draw_unit(unsigned &state)
{
    return (draw(state) >> 8) * (1.0f / 16777216.0f) + 2.9e-8f;
}

// A seed that is never zero.
__device__ __forceinline__ unsigned seed_of(unsigned i)
{
    i = (i ^ 61u) ^ (i >> 16);
    i *= 9u;
    i ^= i >> 4;
    i *= 0x27d4eb2du;
    return (i ^ (i >> 15)) | 1u;
}

__device__ __forceinline__ float warp_total(float v)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__device__ __forceinline__ unsigned turn_left(unsigned x, int by)
{
    return (x << by) | (x >> (32 - by));
}

// ----------------------------------------------------------------------------------------------------- dense linear algebra

/* kmutate launch
   int M = 1152, N = 1024, K = 640; dim3 block = { 16, 16 }; dim3 grid = { N / 64, M / 64 };
   double A[M * K] = uniform(-1, 1); double B[K * N] = uniform(-1, 1); double C[M * N] = uniform(-1, 1);
   dgemm_micro_quads(M, N, K, 1.5, A, B, 0.5, C);
*/
// C = alpha A B + beta C in doubles: tiles of 64 x 64, and a thread has 4 x 4 sums that lie 16 apart.
__global__ void __launch_bounds__(256) dgemm_micro_quads(int M, int N, int K, double alpha, const double *__restrict__ A,
                                                         const double *__restrict__ B, double beta, double *__restrict__ C)
{
    __shared__ double as[16][65], bs[16][64];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    double c[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            as[tx][ty + 16 * i] = A[(size_t)(row0 + ty + 16 * i) * K + k0 + tx];
            bs[t / 64 + 4 * i][t % 64] = B[(size_t)(k0 + t / 64 + 4 * i) * N + col0 + t % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            double a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = as[k][ty + 16 * i];
                b[i] = bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    c[i][j] = fma(a[i], b[j], c[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            double *to = &C[(size_t)(row0 + ty + 16 * i) * N + col0 + tx + 16 * j];
            *to = alpha * c[i][j] + beta * *to;
        }
}

/* kmutate launch
   int n = 1040, cols = 976; dim3 block = { 16, 16 }; dim3 grid = { cols / 16, n / 16 };
   float U[n * n] = uniform(-1, 1); float B[n * cols] = uniform(-1, 1); float out[n * cols] = zeros();
   trmm_upper_tiles(U, B, out, n, cols);
*/
// An upper triangular matrix times a dense one, the classroom's tiles of 16 x 16: upper blocks walk along more tiles.
__global__ void trmm_upper_tiles(const float *U, const float *B, float *out, int n, int cols)
{
    __shared__ float us[16][16];
    __shared__ float bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int tile = blockIdx.y; tile < n / 16; tile++) {
        int k = tile * 16 + threadIdx.x;
        us[threadIdx.y][threadIdx.x] = k >= row ? U[row * n + k] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = B[(tile * 16 + threadIdx.y) * cols + col];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += us[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    out[row * cols + col] = sum;
}

/* kmutate launch
   int m = 3000, n = 2048; dim3 block = { 128 }; dim3 grid = { ceil_div(m, 128), n / 8 };
   double2 A[m * n] = normal(); double2 x[m] = normal(); double2 y[n] = normal();
   zgeru_update(m, n, make_double2(0.01, -0.02), x, y, A);
*/
// A += alpha x y^T of complex doubles stored by columns; a thread has one row of eight columns.
__global__ void zgeru_update(int m, int n, double2 alpha, const double2 *x, const double2 *y, double2 *A)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    const double2 v = x[i];
    const double2 s = make_double2(alpha.x * v.x - alpha.y * v.y, alpha.x * v.y + alpha.y * v.x);
    for (int j = blockIdx.y * 8; j < blockIdx.y * 8 + 8; j++) {
        const double2 w = y[j];
        double2 a = A[(size_t)j * m + i];
        a.x += s.x * w.x - s.y * w.y;
        a.y += s.x * w.y + s.y * w.x;
        A[(size_t)j * m + i] = a;
    }
}

/* kmutate launch
   int n = 256, steps = 24; dim3 block = { 1024 }; dim3 grid = { 1 };
   float A[n * n] = uniform(0, 1); float start[n] = uniform(0.5, 1); float vector[n] = zeros(); float value[1] = zeros();
   power_iteration_one_block(n, steps, A, start, vector, value);
*/
// The largest eigenvalue of a small matrix by repeated products in one block, a warp to each row in turn.
__global__ void power_iteration_one_block(int n, int steps, const float *A, const float *start, float *vector, float *value)
{
    __shared__ float x[256], y[256];
    __shared__ float length;
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    if (threadIdx.x < n) x[threadIdx.x] = start[threadIdx.x];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        for (int r = w; r < n; r += 32) {
            float sum = 0.0f;
            for (int k = lane; k < n; k += 32)
                sum += A[r * n + k] * x[k];
            sum = warp_total(sum);
            if (lane == 0) y[r] = sum;
        }
        __syncthreads();
        if (w == 0) {
            float sum = 0.0f;
            for (int k = lane; k < n; k += 32)
                sum += y[k] * y[k];
            sum = warp_total(sum);
            if (lane == 0) length = sqrtf(sum);
        }
        __syncthreads();
        if (threadIdx.x < n) x[threadIdx.x] = y[threadIdx.x] / length;
        __syncthreads();
    }
    if (threadIdx.x < n) vector[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x == 0) value[0] = length;
}

/* kmutate launch
   int n = 144; dim3 block = { 160 }; dim3 grid = { 12 };
   float A[grid.x * n * n] = uniform(0, 1); float L[grid.x * n * n] = zeros();
   cholesky_left_naive(A, L, n);
*/
// Cholesky's factor column by column in global memory, a matrix to each of few blocks and a row to each thread.
__global__ void cholesky_left_naive(const float *A, float *L, int n)
{
    const float *a = A + blockIdx.x * n * n;
    float *l = L + blockIdx.x * n * n;
    int i = threadIdx.x;
    for (int j = 0; j < n; j++) {
        float sum = 0.0f;
        if (i >= j && i < n) {
            sum = a[i * n + j];
            if (i == j) sum += n;
            for (int k = 0; k < j; k++)
                sum -= l[i * n + k] * l[j * n + k];
            if (i == j) l[j * n + j] = sqrtf(sum);
        }
        __syncthreads();
        if (i > j && i < n) l[i * n + j] = sum / l[j * n + j];
        __syncthreads();
    }
}

/* kmutate launch
   int n = 1200000, half_width = 13; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float band[n * 27] = uniform(-1, 1); float x[n] = normal(); float y[n] = zeros();
   band_matvec_diagonals(n, half_width, band, x, y);
*/
// A band matrix stored by diagonals times a vector; the neighbours of x are read at every misalignment.
__global__ void band_matvec_diagonals(int n, int half_width, const float *band, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int d = -half_width; d <= half_width; d++) {
        const int j = i + d;
        if (j >= 0 && j < n) sum += band[(size_t)(d + half_width) * n + i] * x[j];
    }
    y[i] = sum;
}

/* kmutate launch
   int ra = 44, ca = 50, rb = 120, cb = 96; dim3 block = { 256 }; dim3 grid = { ceil_div(ra * ca * rb * cb, 256) };
   float A[ra * ca] = normal(); float B[rb * cb] = normal(); float C[ra * ca * rb * cb] = zeros();
   kronecker_naive(A, ra, ca, B, rb, cb, C);
*/
// The Kronecker product, every element by itself: four divisions and two loads for each store.
__global__ void kronecker_naive(const float *A, int ra, int ca, const float *B, int rb, int cb, float *C)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < ra * ca * rb * cb) {
        int row = idx / (ca * cb);
        int col = idx % (ca * cb);
        C[idx] = A[row / rb * ca + col / cb] * B[row % rb * cb + col % cb];
    }
}

/* kmutate launch
   int M = 1024, N = 896, K = 768; dim3 block = { 32, 8 }; dim3 grid = { N / 32, M / 32 };
   short A[M * K] = randint(-120, 121); short B[K * N] = randint(-120, 121); int C[M * N] = zeros();
   gemm_short_ints(M, N, K, A, B, C);
*/
// A product of matrices of 16-bit integers with sums of 32: a thread has four rows of a tile of 32 x 32.
__global__ void gemm_short_ints(int M, int N, int K, const short *A, const short *B, int *C)
{
    __shared__ short as[32][34];
    __shared__ short bs[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    int sum[4] = { 0, 0, 0, 0 };
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int r = y; r < 32; r += 8) {
            as[r][x] = A[(blockIdx.y * 32 + r) * K + k0 + x];
            bs[r][x] = B[(k0 + r) * N + blockIdx.x * 32 + x];
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            const int b = bs[k][x];
#pragma unroll
            for (int r = 0; r < 4; r++)
                sum[r] += as[y + 8 * r][k] * b;
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        C[(blockIdx.y * 32 + y + 8 * r) * N + blockIdx.x * 32 + x] = sum[r];
}

// ------------------------------------------------------------------------------------------------------ stencils and fields

/* kmutate launch
   int nx = 256, ny = 240, nz = 160; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8, nz };
   float c[nx * ny * nz] = uniform(0, 1); float u[nx * ny * nz] = uniform(-1, 1); float v[nx * ny * nz] = uniform(-1, 1);
   float w[nx * ny * nz] = uniform(-1, 1); float out[nx * ny * nz] = zeros();
   upwind_scalar_3d(nx, ny, nz, 0.1f, c, u, v, w, out);
*/
// A scalar is carried by a flow, first order upwind: each axis asks the velocity which neighbour to read.
__global__ void upwind_scalar_3d(int nx, int ny, int nz, float dt, const float *c, const float *u, const float *v,
                                 const float *w, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    int i = (z * ny + y) * nx + x;
    float here = c[i], slope = 0.0f;
    if (u[i] > 0) slope += u[i] * (here - c[x > 0 ? i - 1 : i + nx - 1]);
    else slope += u[i] * (c[x < nx - 1 ? i + 1 : i - nx + 1] - here);
    if (v[i] > 0) slope += v[i] * (here - c[y > 0 ? i - nx : i + (ny - 1) * nx]);
    else slope += v[i] * (c[y < ny - 1 ? i + nx : i - (ny - 1) * nx] - here);
    if (w[i] > 0) slope += w[i] * (here - c[z > 0 ? i - nx * ny : i + (nz - 1) * nx * ny]);
    else slope += w[i] * (c[z < nz - 1 ? i + nx * ny : i - (nz - 1) * nx * ny] - here);
    out[i] = here - dt * slope;
}

/* kmutate launch
   int nx = 2048, ny = 1600; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8 };
   double phi[nx * ny] = uniform(-0.2, 0.2); double out[nx * ny] = zeros();
   phase_separation_tile_fp64(nx, ny, 0.01, 0.5, phi, out);
*/
// Cahn and Hilliard's equation in doubles: the potential needs phi's neighbours, the step the potential's; both in one tile.
__global__ void phase_separation_tile_fp64(int nx, int ny, double dt, double kappa, const double *phi, double *out)
{
    __shared__ double p[12][36], mu[10][34];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, t = threadIdx.y * 32 + threadIdx.x;
    for (int e = t; e < 12 * 36; e += 256) {
        const int x = (x0 + e % 36 - 2 + nx) % nx, y = (y0 + e / 36 - 2 + ny) % ny;
        p[e / 36][e % 36] = phi[(size_t)y * nx + x];
    }
    __syncthreads();
    for (int e = t; e < 10 * 34; e += 256) {
        const int c = e % 34, r = e / 34;
        const double v = p[r + 1][c + 1];
        mu[r][c] = v * v * v - v - kappa * (p[r][c + 1] + p[r + 2][c + 1] + p[r + 1][c] + p[r + 1][c + 2] - 4.0 * v);
    }
    __syncthreads();
    const int c = threadIdx.x + 1, r = threadIdx.y + 1;
    const double change = mu[r - 1][c] + mu[r + 1][c] + mu[r][c - 1] + mu[r][c + 1] - 4.0 * mu[r][c];
    out[(size_t)(y0 + threadIdx.y) * nx + x0 + threadIdx.x] = p[r + 1][c + 1] + dt * change;
}

/* kmutate launch
   int nx = 1152, ny = 1024; dim3 block = { 128 }; dim3 grid = { nx / 128, ny };
   __constant__ float push_weight[9] = { 0.4444444f, 0.1111111f, 0.1111111f, 0.1111111f, 0.1111111f, 0.0277778f, 0.0277778f, 0.0277778f, 0.0277778f };
   __constant__ int push_x[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }; __constant__ int push_y[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
   float f[9 * nx * ny] = uniform(0.1, 0.12); float g[9 * nx * ny] = zeros(); unsigned char wall[nx * ny] = randint(0, 40);
   d2q9_push_walls(nx, ny, 1.2f, f, g, wall);
*/
// A step of the lattice Boltzmann method that collides and then pushes to the neighbours; a few cells are walls and bounce.
__constant__ float push_weight[9];
__constant__ int push_x[9], push_y[9];
__global__ void d2q9_push_walls(int nx, int ny, float omega, const float *f, float *g, const unsigned char *wall)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, cells = nx * ny, here = y * nx + x;
    const int opposite[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
    float v[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        v[q] = f[q * cells + here];
        rho += v[q];
        ux += v[q] * push_x[q];
        uy += v[q] * push_y[q];
    }
    ux /= rho;
    uy /= rho;
    const bool solid = wall[here] == 0;
    const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int q = 0; q < 9; q++) {
        const float cu = 3.0f * (push_x[q] * ux + push_y[q] * uy);
        const float equal = push_weight[q] * rho * (1.0f + cu + 0.5f * cu * cu - square);
        const float after = solid ? v[opposite[q]] : v[q] + omega * (equal - v[q]);
        const int tx = (x + push_x[q] + nx) % nx, ty = (y + push_y[q] + ny) % ny;
        g[q * cells + ty * nx + tx] = after;
    }
}

/* kmutate launch
   int n = 120; dim3 block = { 64, 4 }; dim3 grid = { ceil_div(2 * n - 2, 64), ceil_div(2 * n - 2, 4), 2 * n - 2 };
   float coarse[n * n * n] = normal(); float fine[(2 * n - 2) * (2 * n - 2) * (2 * n - 2)] = normal();
   prolong_trilinear_add(n, coarse, fine);
*/
// The coarse grid's correction is interpolated and added to the fine grid: cell by cell, odd ones between coarse neighbours.
__global__ void prolong_trilinear_add(int n, const float *coarse, float *fine)
{
    const int m = 2 * n - 2;
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= m || y >= m) return;
    const int cx = x >> 1, cy = y >> 1, cz = z >> 1;
    float sum = 0.0f;
    int count = 0;
    for (int dz = 0; dz <= (z & 1); dz++)
        for (int dy = 0; dy <= (y & 1); dy++)
            for (int dx = 0; dx <= (x & 1); dx++) {
                sum += coarse[((cz + dz) * n + cy + dy) * n + cx + dx];
                count++;
            }
    fine[((size_t)z * m + y) * m + x] += sum / count;
}

/* kmutate launch
   int nx = 320, ny = 256, nz = 112; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8, 4 };
   double p[nx * ny * nz] = normal(); double q[nx * ny * nz] = normal(); double speed[nx * ny * nz] = uniform(0.001, 0.01);
   acoustic_queue_fp64(nx, ny, nz, p, q, speed);
*/
// The wave equation to fourth order in doubles: a thread walks along a quarter of z with five planes in its registers.
__global__ void acoustic_queue_fp64(int nx, int ny, int nz, const double *__restrict__ p, double *__restrict__ q,
                                    const double *__restrict__ speed)
{
    __shared__ double tile[12][36];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    const int plane = nx * ny, first = blockIdx.z * (nz / 4), column = y * nx + x;
    double behind2 = first >= 2 ? p[(first - 2) * plane + column] : 0.0;
    double behind1 = first >= 1 ? p[(first - 1) * plane + column] : 0.0;
    double here = p[first * plane + column], ahead1 = p[(first + 1) * plane + column];
    for (int z = first; z < first + nz / 4; z++) {
        const double ahead2 = z + 2 < nz ? p[(z + 2) * plane + column] : 0.0;
        __syncthreads();
        tile[ty + 2][tx + 2] = here;
        if (ty < 2) {
            tile[ty][tx + 2] = y >= 2 ? p[z * plane + column - 2 * nx] : 0.0;
            tile[ty + 10][tx + 2] = y + 8 < ny ? p[z * plane + column + 8 * nx] : 0.0;
        }
        if (tx < 2) {
            tile[ty + 2][tx] = x >= 2 ? p[z * plane + column - 2] : 0.0;
            tile[ty + 2][tx + 34] = x + 32 < nx ? p[z * plane + column + 32] : 0.0;
        }
        __syncthreads();
        const double near = behind1 + ahead1 + tile[ty + 1][tx + 2] + tile[ty + 3][tx + 2] + tile[ty + 2][tx + 1] + tile[ty + 2][tx + 3];
        const double far = behind2 + ahead2 + tile[ty][tx + 2] + tile[ty + 4][tx + 2] + tile[ty + 2][tx] + tile[ty + 2][tx + 4];
        const double bend = (4.0 / 3.0) * near - (1.0 / 12.0) * far - 7.5 * here;
        const int i = z * plane + column;
        q[i] = 2.0 * here - q[i] + speed[i] * bend;
        behind2 = behind1;
        behind1 = here;
        here = ahead1;
        ahead1 = ahead2;
    }
}

/* kmutate launch
   int nx = 256, ny = 192, nz = 128; dim3 block = { 64, 2, 2 }; dim3 grid = { nx / 64, ny / 2, nz / 2 };
   float u[nx * ny * nz] = normal(); float v[nx * ny * nz] = normal(); float w[nx * ny * nz] = normal();
   float viscosity[nx * ny * nz] = zeros();
   strain_viscosity(u, v, w, viscosity, nx, ny, nz);
*/
// Smagorinsky's eddy viscosity: nine central differences and the strain's size at each cell, edges repeat.
__global__ void strain_viscosity(const float *u, const float *v, const float *w, float *viscosity, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    const int i = (z * ny + y) * nx + x;
    const int xp = x + 1 < nx ? i + 1 : i, xm = x > 0 ? i - 1 : i;
    const int yp = y + 1 < ny ? i + nx : i, ym = y > 0 ? i - nx : i;
    const int zp = z + 1 < nz ? i + nx * ny : i, zm = z > 0 ? i - nx * ny : i;
    const float s11 = 0.5f * (u[xp] - u[xm]), s22 = 0.5f * (v[yp] - v[ym]), s33 = 0.5f * (w[zp] - w[zm]);
    const float s12 = 0.25f * (u[yp] - u[ym] + v[xp] - v[xm]);
    const float s13 = 0.25f * (u[zp] - u[zm] + w[xp] - w[xm]);
    const float s23 = 0.25f * (v[zp] - v[zm] + w[yp] - w[ym]);
    const float norm = sqrtf(2.0f * (s11 * s11 + s22 * s22 + s33 * s33) + 4.0f * (s12 * s12 + s13 * s13 + s23 * s23));
    viscosity[i] = 0.0289f * norm;
}

/* kmutate launch
   int nx = 2048, ny = 1536; dim3 block = { 128 }; dim3 grid = { nx / 512, ny };
   float u[nx * ny] = uniform(-1, 1); float v[nx * ny] = uniform(-1, 1); float un[nx * ny] = zeros(); float vn[nx * ny] = zeros();
   burgers_row_quads(nx, ny, 0.02f, 0.01f, u, v, un, vn);
*/
// Burgers' equations in two dimensions, four cells to a thread: rows as float4, the two cells beside them one by one.
__global__ void burgers_row_quads(int nx, int ny, float dt, float nu, const float *__restrict__ u, const float *__restrict__ v,
                                  float *__restrict__ un, float *__restrict__ vn)
{
    const int x = (blockIdx.x * 128 + threadIdx.x) * 4, y = blockIdx.y;
    const int up = (y + 1) % ny * nx + x, down = (y + ny - 1) % ny * nx + x, here = y * nx + x;
    const float *fields[2] = { u, v };
    float centre[2][6], above[2][4], below[2][4];
#pragma unroll
    for (int f = 0; f < 2; f++) {
        const float4 c = *(const float4 *)(fields[f] + here), a = *(const float4 *)(fields[f] + up), b = *(const float4 *)(fields[f] + down);
        centre[f][0] = fields[f][x > 0 ? here - 1 : here + nx - 1];
        centre[f][1] = c.x; centre[f][2] = c.y; centre[f][3] = c.z; centre[f][4] = c.w;
        centre[f][5] = fields[f][x + 4 < nx ? here + 4 : here + 4 - nx];
        above[f][0] = a.x; above[f][1] = a.y; above[f][2] = a.z; above[f][3] = a.w;
        below[f][0] = b.x; below[f][1] = b.y; below[f][2] = b.z; below[f][3] = b.w;
    }
    float result[2][4];
#pragma unroll
    for (int f = 0; f < 2; f++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float c = centre[f][k + 1], w = centre[f][k], e = centre[f][k + 2], n = above[f][k], s = below[f][k];
            const float carried = centre[0][k + 1] * (e - w) * 0.5f + centre[1][k + 1] * (n - s) * 0.5f;
            result[f][k] = c + dt * (nu * (n + s + e + w - 4.0f * c) - carried);
        }
    *(float4 *)(un + here) = make_float4(result[0][0], result[0][1], result[0][2], result[0][3]);
    *(float4 *)(vn + here) = make_float4(result[1][0], result[1][1], result[1][2], result[1][3]);
}

// ------------------------------------------------------------------------------------------------------- layouts and copies

/* kmutate launch
   int nx = 288, ny = 192, nz = 160; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 32, nz };
   float in[nx * ny * nz] = normal(); float out[nx * ny * nz] = zeros();
   permute_axes_zyx_xzy(in, out, nx, ny, nz);
*/
// The axes of a volume change places, (z, y, x) to (x, z, y), by way of padded tiles of x and y.
__global__ void permute_axes_zyx_xzy(const float *in, float *out, int nx, int ny, int nz)
{
    __shared__ float tile[32][33];
    const int z = blockIdx.z, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = in[((size_t)z * ny + y0 + r) * nx + x0 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8)
        out[((size_t)(x0 + r) * nz + z) * ny + y0 + threadIdx.x] = tile[threadIdx.x][r];
}

/* kmutate launch
   int images = 14, channels = 256, pixels = 3136; dim3 block = { 32, 8 }; dim3 grid = { pixels / 32, channels / 64, images };
   half in[images * channels * pixels] = normal(); half2 out[images * pixels * channels / 2] = zeros();
   planes_to_pixels_half(in, out, channels, pixels);
*/
// NCHW to NHWC in half precision: tiles of 64 channels by 32 pixels, stored as pairs of channels.
__global__ void planes_to_pixels_half(const half *in, half2 *out, int channels, int pixels)
{
    __shared__ half tile[64][34];
    const int p0 = blockIdx.x * 32, c0 = blockIdx.y * 64;
    const half *from = in + (size_t)blockIdx.z * channels * pixels;
    half2 *to = out + (size_t)blockIdx.z * channels / 2 * pixels;
    for (int c = threadIdx.y; c < 64; c += 8)
        tile[c][threadIdx.x] = from[(size_t)(c0 + c) * pixels + p0 + threadIdx.x];
    __syncthreads();
    for (int p = threadIdx.y; p < 32; p += 8)
        to[(size_t)(p0 + p) * (channels / 2) + c0 / 2 + threadIdx.x] = __halves2half2(tile[2 * threadIdx.x][p], tile[2 * threadIdx.x + 1][p]);
}

/* kmutate launch
   int n = 2880; dim3 block = { 32, 8 }; dim3 grid = { n / 32, n / 32 };
   float2 A[n * n] = normal();
   transpose_pairs_in_place(A, n);
*/
// A square matrix of complex numbers is transposed where it lies: blocks above the diagonal swap two tiles, the rest leave.
__global__ void transpose_pairs_in_place(float2 *A, int n)
{
    __shared__ float2 a[32][33], b[32][33];
    if (blockIdx.x < blockIdx.y) return;
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) {
        a[r][threadIdx.x] = A[(size_t)(y0 + r) * n + x0 + threadIdx.x];
        b[r][threadIdx.x] = A[(size_t)(x0 + r) * n + y0 + threadIdx.x];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        A[(size_t)(x0 + r) * n + y0 + threadIdx.x] = a[threadIdx.x][r];
        if (blockIdx.x != blockIdx.y) A[(size_t)(y0 + r) * n + x0 + threadIdx.x] = b[threadIdx.x][r];
    }
}

/* kmutate launch
   int width = 5000, height = 3500; dim3 block = { 16, 16 }; dim3 grid = { ceil_div(width, 16), ceil_div(height, 16) };
   unsigned char in[width * height] = randint(0, 256); unsigned char out[width * height] = zeros();
   rotate_quarter_bytes(in, out, width, height);
*/
// A grey image is turned by a quarter, byte by byte: reads are in order and writes are not.
__global__ void rotate_quarter_bytes(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + (height - 1 - y)] = in[y * width + x];
}

/* kmutate launch
   int rows = 240000, lo = 10, hi = 200, bytes = csr_nnz(rows, lo, hi); dim3 block = { 256 }; dim3 grid = { rows / 8 };
   int offset[rows + 1] = csr_rowptr(rows, lo, hi); unsigned char in[bytes] = randint(32, 127); unsigned char out[bytes] = zeros();
   reverse_strings_warp(rows, offset, in, out);
*/
// Each string of a column is written backwards, a warp to a string and a byte to a lane, wherever the string begins.
__global__ void reverse_strings_warp(int rows, const int *offset, const unsigned char *in, unsigned char *out)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const int begin = offset[row], end = offset[row + 1];
    for (int k = lane; k < end - begin; k += 32)
        out[begin + k] = in[end - 1 - k];
}

// ----------------------------------------------------------------------------------------------------- reductions and scans

/* kmutate launch
   int rows = 6000, cols = 4096; dim3 block = { 256 }; dim3 grid = { rows };
   half in[rows * cols] = normal(0.5, 2); float2 out[rows] = zeros();
   welford_rows_half((uint4 *)in, out, cols);
*/
// Mean and variance of rows of halves by Welford's updates, merged between lanes and warps as Chan does.
__device__ __forceinline__ void chan_merge(float &n, float &mean, float &m2, float on, float omean, float om2)
{
    const float total = n + on;
    if (total == 0.0f) return;
    const float delta = omean - mean;
    mean += delta * on / total;
    m2 += om2 + delta * delta * n * on / total;
    n = total;
}

__global__ void welford_rows_half(const uint4 *in, float2 *out, int cols)
{
    __shared__ float ns[8], means[8], m2s[8];
    const uint4 *row = in + (size_t)blockIdx.x * (cols / 8);
    float n = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int i = threadIdx.x; i < cols / 8; i += 256) {
        const uint4 eight = row[i];
        const half2 *h = (const half2 *)&eight;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float2 two = __half22float2(h[k]);
            n += 1.0f;
            float delta = two.x - mean;
            mean += delta / n;
            m2 += delta * (two.x - mean);
            n += 1.0f;
            delta = two.y - mean;
            mean += delta / n;
            m2 += delta * (two.y - mean);
        }
    }
    for (int d = 16; d > 0; d >>= 1)
        chan_merge(n, mean, m2, __shfl_down_sync(0xffffffffu, n, d), __shfl_down_sync(0xffffffffu, mean, d), __shfl_down_sync(0xffffffffu, m2, d));
    if (threadIdx.x % 32 == 0) {
        ns[threadIdx.x / 32] = n;
        means[threadIdx.x / 32] = mean;
        m2s[threadIdx.x / 32] = m2;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            chan_merge(n, mean, m2, ns[w], means[w], m2s[w]);
        out[blockIdx.x] = make_float2(mean, m2 / n);
    }
}

/* kmutate launch
   int segments = 500000, lo = 0, hi = 48, n = csr_nnz(segments, lo, hi); dim3 block = { 128 }; dim3 grid = { ceil_div(segments, 128) };
   int offset[segments + 1] = csr_rowptr(segments, lo, hi); float value[n] = normal(); float most[segments] = zeros();
   segment_max_naive(segments, offset, value, most);
*/
// The largest value of each segment, a thread to a segment: neighbouring lanes read far apart and stop at different times.
__global__ void segment_max_naive(int segments, const int *offset, const float *value, float *most)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments) return;
    float best = -3.0e38f;
    for (int i = offset[s]; i < offset[s + 1]; i++)
        if (value[i] > best) best = value[i];
    most[s] = best;
}

/* kmutate launch
   int n = 22000000; dim3 block = { 512 }; dim3 grid = { 264 };
   float value[n] = normal(); unsigned long long best[1] = { 18446744073709551615ull };
   argmin_packed_words((float4 *)value, n / 4, best);
*/
// The place of the least value: value and place in one word of 64 bits, least by shuffles and one atomic of each warp.
__global__ void argmin_packed_words(const float4 *value, int quads, u64 *best)
{
    u64 least = ~0ull;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        const float4 v = value[i];
        const float four[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const unsigned bits = __float_as_uint(four[k]);
            const unsigned key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
            const u64 word = (u64)key << 32 | (unsigned)(i * 4 + k);
            if (word < least) least = word;
        }
    }
    for (int d = 16; d > 0; d >>= 1) {
        const u64 other = __shfl_down_sync(0xffffffffu, least, d);
        if (other < least) least = other;
    }
    if (threadIdx.x % 32 == 0) atomicMin(best, least);
}

/* kmutate launch
   int n = 9000000; dim3 block = { 256 }; dim3 grid = { 792 };
   double x[n] = normal(); double y[n] = normal(); double part[grid.x] = zeros(); double out[1] = zeros(); unsigned done[1] = zeros();
   distance_last_block(n, x, y, part, out, done);
*/
// The Euclidean distance of two vectors of doubles in one launch: the block that finishes last adds up the parts.
__global__ void distance_last_block(int n, const double *x, const double *y, double *part, double *out, unsigned *done)
{
    __shared__ double s[256];
    __shared__ bool last;
    const int t = threadIdx.x;
    double sum = 0.0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
        const double d = x[i] - y[i];
        sum += d * d;
    }
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    sum = 0.0;
    for (int i = t; i < gridDim.x; i += 256)
        sum += ((volatile double *)part)[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[0] = sqrt(s[0]);
}

/* kmutate launch
   int rows = 14000, length = 512; dim3 block = { 128 }; dim3 grid = { rows / 4 };
   float a[rows * length] = uniform(0.5, 1); float b[rows * length] = normal(); float y[rows * length] = zeros();
   recurrence_rows_warp(length, a, b, y);
*/
// y[t] = a[t] y[t-1] + b[t] along rows: pairs (a, b) compose, so that a warp scans 32 steps at a time by shuffles.
__global__ void recurrence_rows_warp(int length, const float *a, const float *b, float *y)
{
    const int lane = threadIdx.x % 32;
    const size_t base = (size_t)(blockIdx.x * 4 + threadIdx.x / 32) * length;
    float carry = 0.0f;
    for (int t = lane; t < length; t += 32) {
        float p = a[base + t], q = b[base + t];
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const float lp = __shfl_up_sync(0xffffffffu, p, d), lq = __shfl_up_sync(0xffffffffu, q, d);
            if (lane >= d) {
                q += p * lq;
                p *= lp;
            }
        }
        const float now = p * carry + q;
        y[base + t] = now;
        carry = __shfl_sync(0xffffffffu, now, 31);
    }
}

// ------------------------------------------------------------------------------------------------- histograms and sorting

/* kmutate launch
   int n = 24000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n / 8, 256) };
   unsigned short sample[n] = randint(0, 65536); unsigned bins[65536] = zeros();
   histogram_sixteen_bits((uint4 *)sample, n / 8, bins);
*/
// All values of 16 bits have a bin in global memory; eight samples to a thread, an atomic for each.
__global__ void histogram_sixteen_bits(const uint4 *sample, int packs, unsigned *bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= packs) return;
    const uint4 pack = sample[i];
    atomicAdd(&bins[pack.x & 0xffffu], 1u);
    atomicAdd(&bins[pack.x >> 16], 1u);
    atomicAdd(&bins[pack.y & 0xffffu], 1u);
    atomicAdd(&bins[pack.y >> 16], 1u);
    atomicAdd(&bins[pack.z & 0xffffu], 1u);
    atomicAdd(&bins[pack.z >> 16], 1u);
    atomicAdd(&bins[pack.w & 0xffffu], 1u);
    atomicAdd(&bins[pack.w >> 16], 1u);
}

/* kmutate launch
   int pixels = 4000 * 3000; dim3 block = { 256 }; dim3 grid = { 660 };
   uchar4 image[pixels] = randint(0, 256); unsigned bins[512] = zeros();
   hue_saturation_counts(image, pixels, bins);
*/
// A histogram of 32 hues by 16 saturations: a colour's hue by its largest channel, counts in shared memory.
__global__ void hue_saturation_counts(const uchar4 *image, int pixels, unsigned *bins)
{
    __shared__ unsigned count[512];
    for (int b = threadIdx.x; b < 512; b += blockDim.x)
        count[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        const uchar4 p = image[i];
        const float r = p.x / 255.0f, g = p.y / 255.0f, b = p.z / 255.0f;
        const float high = fmaxf(r, fmaxf(g, b)), low = fminf(r, fminf(g, b)), range = high - low;
        float hue = 0.0f;
        if (range > 0.0f) {
            if (high == r) hue = (g - b) / range;
            else if (high == g) hue = 2.0f + (b - r) / range;
            else hue = 4.0f + (r - g) / range;
            if (hue < 0.0f) hue += 6.0f;
        }
        const float saturation = high > 0.0f ? range / high : 0.0f;
        const int h = min(31, (int)(hue * (32.0f / 6.0f))), s = min(15, (int)(saturation * 16.0f));
        atomicAdd(&count[s * 32 + h], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 512; b += blockDim.x)
        if (count[b]) atomicAdd(&bins[b], count[b]);
}

/* kmutate launch
   int bytes = 36000000; dim3 block = { 512 }; dim3 grid = { 396 };
   unsigned char text[bytes + 16] = randint(94, 124); unsigned table[28 * 28] = zeros();
   letter_pair_counts(text, bytes / 16, table);
*/
// How often each letter follows each other one: sixteen letters at a time and the one that comes next.
__global__ void letter_pair_counts(const unsigned char *text, int packs, unsigned *table)
{
    __shared__ unsigned count[28 * 28];
    for (int i = threadIdx.x; i < 28 * 28; i += blockDim.x)
        count[i] = 0;
    __syncthreads();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < packs; p += gridDim.x * blockDim.x) {
        const uint4 pack = ((const uint4 *)text)[p];
        const unsigned word[5] = { pack.x, pack.y, pack.z, pack.w, text[p * 16 + 16] };
        int before = 27;
#pragma unroll
        for (int k = 0; k < 17; k++) {
            const int letter = (int)(word[k / 4] >> (k % 4 * 8) & 255) - 97;
            const int now = letter < 0 || letter > 25 ? 26 : letter;
            if (k > 0) atomicAdd(&count[before * 28 + now], 1u);
            before = now;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 28 * 28; i += blockDim.x)
        if (count[i]) atomicAdd(&table[i], count[i]);
}

/* kmutate launch
   int parts = 1980; dim3 block = { 64 }; dim3 grid = { parts };
   int in[parts * 768] = randint(-1000000, 1000000); int out[parts * 768] = zeros();
   shell_sort_parts(in, out);
*/
// Shell's sort of 768 numbers in shared memory: a thread has a chain of each gap, and less and less of them have one.
__global__ void shell_sort_parts(const int *in, int *out)
{
    __shared__ int s[768];
    const int gaps[7] = { 301, 132, 57, 23, 10, 4, 1 };
    for (int i = threadIdx.x; i < 768; i += 64)
        s[i] = in[blockIdx.x * 768 + i];
    __syncthreads();
    for (int g = 0; g < 7; g++) {
        const int gap = gaps[g];
        for (int chain = threadIdx.x; chain < gap; chain += 64)
            for (int i = chain + gap; i < 768; i += gap) {
                const int v = s[i];
                int j = i;
                while (j >= gap && s[j - gap] > v) {
                    s[j] = s[j - gap];
                    j -= gap;
                }
                s[j] = v;
            }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 768; i += 64)
        out[blockIdx.x * 768 + i] = s[i];
}

/* kmutate launch
   int n = 3000 * 1024; dim3 block = { 512 }; dim3 grid = { n / 1024 };
   unsigned key[n] = randint(0, 4294967296ll); unsigned value[n] = iota(); unsigned key_out[n] = zeros(); unsigned value_out[n] = zeros();
   bitonic_key_value_tiles(key, value, key_out, value_out);
*/
// A bitonic network sorts 1024 keys with their values in shared memory, two to each thread.
__global__ void bitonic_key_value_tiles(const unsigned *key, const unsigned *value, unsigned *key_out, unsigned *value_out)
{
    __shared__ unsigned k[1024], v[1024];
    const int t = threadIdx.x, base = blockIdx.x * 1024;
    k[t] = key[base + t];
    k[t + 512] = key[base + t + 512];
    v[t] = value[base + t];
    v[t + 512] = value[base + t + 512];
    for (int size = 2; size <= 1024; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            const int a = 2 * t - (t & (stride - 1)), b = a + stride;
            const bool up = (a & size) == 0;
            if ((k[a] > k[b]) == up) {
                const unsigned ka = k[a], va = v[a];
                k[a] = k[b];
                k[b] = ka;
                v[a] = v[b];
                v[b] = va;
            }
        }
    __syncthreads();
    key_out[base + t] = k[t];
    key_out[base + t + 512] = k[t + 512];
    value_out[base + t] = v[t];
    value_out[base + t + 512] = v[t + 512];
}

/* kmutate launch
   int n = 2600 * 1024; dim3 block = { 256 }; dim3 grid = { n / 1024 };
   float in[n] = normal(); float out[n] = zeros();
   merge_sort_by_rank(in, out);
*/
// Merge sort of 1024 numbers in two buffers of shared memory: each number finds its place in the run beside its own by bisection.
__global__ void merge_sort_by_rank(const float *in, float *out)
{
    __shared__ float s[2][1024];
    for (int i = threadIdx.x; i < 1024; i += 256)
        s[0][i] = in[blockIdx.x * 1024 + i];
    __syncthreads();
    int from = 0;
    for (int run = 1; run < 1024; run <<= 1) {
        for (int i = threadIdx.x; i < 1024; i += 256) {
            const float v = s[from][i];
            const bool right = i & run;
            const int pair = i & ~(2 * run - 1), other = right ? pair : pair + run;
            int lo = 0, hi = run;
            while (lo < hi) {
                const int mid = (lo + hi) >> 1;
                const float w = s[from][other + mid];
                if (w < v || (right && w == v)) lo = mid + 1;
                else hi = mid;
            }
            s[from ^ 1][pair + (i & (run - 1)) + lo] = v;
        }
        __syncthreads();
        from ^= 1;
    }
    for (int i = threadIdx.x; i < 1024; i += 256)
        out[blockIdx.x * 1024 + i] = s[from][i];
}

// --------------------------------------------------------------------------------------------------------- sparse matrices

/* kmutate launch
   int brows = 40000, lo = 2, hi = 22, tiles = csr_nnz(brows, lo, hi); dim3 block = { 128 }; dim3 grid = { brows / 4 };
   int rowptr[brows + 1] = csr_rowptr(brows, lo, hi); int column[tiles] = csr_colidx(brows);
   unsigned mask[tiles * 2] = randint(0, 4294967296ll); int first[tiles] = ascending(0, tiles * 32);
   float value[tiles * 32 + 64] = uniform(-1, 1); float x[brows * 8] = normal(); float y[brows * 8] = zeros();
   spmv_bitmap_tiles(rowptr, column, (unsigned long long *)mask, first, value, x, y);
*/
// Tiles of 8 x 8 with a bit for each entry that is there: the bits before an entry say where its value is. A warp to a row of tiles.
__global__ void spmv_bitmap_tiles(const int *rowptr, const int *column, const u64 *mask, const int *first, const float *value,
                                  const float *x, float *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float low = 0.0f, high = 0.0f;
    const int end = rowptr[row + 1];
    for (int t = rowptr[row]; t < end; t++) {
        const u64 bits = mask[t];
        const float *v = value + first[t];
        const float xv = x[column[t] * 8 + lane % 8];
        if (bits >> lane & 1) low += v[__popcll(bits & ((1ull << lane) - 1))] * xv;
        if (bits >> (lane + 32) & 1) high += v[__popcll(bits & ((1ull << (lane + 32)) - 1))] * xv;
    }
    for (int d = 4; d > 0; d >>= 1) {
        low += __shfl_xor_sync(0xffffffffu, low, d);
        high += __shfl_xor_sync(0xffffffffu, high, d);
    }
    if (lane % 8 == 0) {
        y[row * 8 + lane / 8] = low;
        y[row * 8 + 4 + lane / 8] = high;
    }
}

/* kmutate launch
   int rows = 260000, lo = 1, hi = 17, nnz = csr_nnz(rows, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(rows, 256) };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(rows); double value[nnz] = uniform(-1, 1);
   double diagonal[rows] = uniform(1, 2); double x[rows] = normal(); double y[rows] = zeros();
   spmv_half_stored_atomic(rows, rowptr, colidx, value, diagonal, x, y);
*/
// A symmetric matrix of which only one half is stored: each entry counts twice, once for its row and once by an atomic.
__global__ void spmv_half_stored_atomic(int rows, const int *rowptr, const int *colidx, const double *value, const double *diagonal,
                                        const double *x, double *y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const double mine = x[row];
    double sum = diagonal[row] * mine;
    for (int e = rowptr[row]; e < rowptr[row + 1]; e++) {
        const int c = colidx[e];
        sum += value[e] * x[c];
        atomicAdd(&y[c], value[e] * mine);
    }
    atomicAdd(&y[row], sum);
}

/* kmutate launch
   int pairs = 110000, each = 72; dim3 block = { 128 }; dim3 grid = { ceil_div(pairs, 128) };
   int ia[pairs * each] = ascending(0, 20000000); float va[pairs * each] = normal(); int ib[pairs * each] = ascending(0, 20000000);
   float vb[pairs * each] = normal(); float dot[pairs] = zeros();
   sparse_vectors_dot(pairs, each, ia, va, ib, vb, dot);
*/
// Products of pairs of sparse vectors with sorted indices, a thread merges a pair by itself.
__global__ void sparse_vectors_dot(int pairs, int each, const int *ia, const float *va, const int *ib, const float *vb, float *dot)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    int a = p * each, b = p * each, enda = a + each, endb = b + each;
    float sum = 0.0f;
    while (a < enda && b < endb) {
        int x = ia[a], y = ib[b];
        if (x == y) sum += va[a++] * vb[b++];
        else if (x < y) a++;
        else b++;
    }
    dot[p] = sum;
}

/* kmutate launch
   int rows = 64000, lo = 2, hi = 34, nnz = csr_nnz(rows, lo, hi); dim3 block = { 256 }; dim3 grid = { rows / 8 };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(rows); half value[nnz] = uniform(-1, 1);
   half B[rows * 128] = normal(); half C[rows * 128] = zeros();
   spmm_half_quads(rowptr, colidx, value, (uint2 *)B, (uint2 *)C);
*/
// A sparse matrix times a dense one of 128 columns of halves: a warp to a row, lanes share out 32 entries by shuffles.
__global__ void spmm_half_quads(const int *__restrict__ rowptr, const int *__restrict__ colidx, const half *__restrict__ value,
                                const uint2 *__restrict__ B, uint2 *__restrict__ C)
{
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    const int begin = rowptr[row], end = rowptr[row + 1];
    for (int base = begin; base < end; base += 32) {
        const int mine = base + lane < end ? colidx[base + lane] : 0;
        const float weight = base + lane < end ? __half2float(value[base + lane]) : 0.0f;
        const int here = min(32, end - base);
        for (int k = 0; k < here; k++) {
            const int c = __shfl_sync(0xffffffffu, mine, k);
            const float w = __shfl_sync(0xffffffffu, weight, k);
            const uint2 four = B[(size_t)c * 32 + lane];
            const float2 a = __half22float2(*(const half2 *)&four.x), b = __half22float2(*(const half2 *)&four.y);
            s0 += w * a.x;
            s1 += w * a.y;
            s2 += w * b.x;
            s3 += w * b.y;
        }
    }
    const half2 lo = __floats2half2_rn(s0, s1), hi = __floats2half2_rn(s2, s3);
    C[(size_t)row * 32 + lane] = make_uint2(*(const unsigned *)&lo, *(const unsigned *)&hi);
}

// ------------------------------------------------------------------------------------------------------------------ graphs

/* kmutate launch
   int nodes = 700000, lo = 2, hi = 18, edges = csr_nnz(nodes, lo, hi), frontier = 120000; dim3 block = { 128 }; dim3 grid = { ceil_div(frontier, 128) };
   int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int target[edges] = csr_colidx(nodes); int queue[nodes] = permutation();
   int depth[nodes] = randint(-1, 3); int next_depth[nodes] = zeros(); int next[1 << 21] = zeros(); unsigned tail[1] = zeros();
   bfs_shared_queue(frontier, start, target, queue, depth, next_depth, next, tail);
*/
// One level of a breadth-first search from a queue: a block collects what it finds in shared memory and then takes room for all
// of it with one atomic; a node that two find stands twice in the next queue.
__global__ void bfs_shared_queue(int frontier, const int *start, const int *target, const int *queue, const int *depth,
                                 int *next_depth, int *next, unsigned *tail)
{
    __shared__ int found[1024];
    __shared__ int count;
    __shared__ unsigned place;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < frontier) {
        const int node = queue[i];
        for (int e = start[node]; e < start[node + 1]; e++) {
            const int to = target[e];
            if (depth[to] < 0) {
                next_depth[to] = 3;
                const int at = atomicAdd(&count, 1);
                if (at < 1024) found[at] = to;
                else next[atomicAdd(tail, 1u) & 2097151u] = to;
            }
        }
    }
    __syncthreads();
    const int all = min(count, 1024);
    if (threadIdx.x == 0) place = atomicAdd(tail, (unsigned)all);
    __syncthreads();
    for (int k = threadIdx.x; k < all; k += blockDim.x)
        next[(place + k) & 2097151u] = found[k];
}

/* kmutate launch
   int nodes = 110000, lo = 1, hi = 40, edges = csr_nnz(nodes, lo, hi); dim3 block = { 32, 8 }; dim3 grid = { ceil_div(nodes, 8) };
   int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int source[edges] = csr_colidx(nodes);
   float feature[nodes * 64] = normal(); float mean[nodes * 64] = zeros();
   neighbours_mean_64(nodes, start, source, (float2 *)feature, (float2 *)mean);
*/
// A layer of a graph network averages 64 features over each node's neighbours, a warp to a node and two features to a lane.
__global__ void neighbours_mean_64(int nodes, const int *start, const int *source, const float2 *feature, float2 *mean)
{
    const int node = blockIdx.x * 8 + threadIdx.y;
    if (node >= nodes) return;
    const int begin = start[node], end = start[node + 1];
    float2 sum = make_float2(0.0f, 0.0f);
    for (int e = begin; e < end; e++) {
        const float2 f = feature[(size_t)source[e] * 32 + threadIdx.x];
        sum.x += f.x;
        sum.y += f.y;
    }
    const float scale = 1.0f / max(1, end - begin);
    mean[(size_t)node * 32 + threadIdx.x] = make_float2(sum.x * scale, sum.y * scale);
}

/* kmutate launch
   int nodes = 240000, lo = 1, hi = 20, edges = csr_nnz(nodes, lo, hi), groups = 5000; dim3 block = { 128 }; dim3 grid = { ceil_div(nodes, 128) };
   int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int target[edges] = csr_colidx(nodes); float weight[edges] = uniform(0.5, 2);
   int group[nodes] = randint(0, 5000); float strength[nodes] = uniform(1, 20); float total[groups] = uniform(500, 1000); int wish[nodes] = zeros();
   modularity_best_move(nodes, 1.0e-6f, start, target, weight, group, strength, total, wish);
*/
// Which of its neighbours' groups a node would gain most by joining; the naive way, all pairs of its neighbours.
__global__ void modularity_best_move(int nodes, float scale, const int *start, const int *target, const float *weight, const int *group,
                                     const float *strength, const float *total, int *wish)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes) return;
    int best = group[v];
    float most = 0.0f;
    for (int e = start[v]; e < start[v + 1]; e++) {
        int candidate = group[target[e]];
        float links = 0.0f;
        for (int f = start[v]; f < start[v + 1]; f++)
            if (group[target[f]] == candidate) links += weight[f];
        float gain = links - strength[v] * total[candidate] * scale;
        if (gain > most) {
            most = gain;
            best = candidate;
        }
    }
    wish[v] = best;
}

// --------------------------------------------------------------------------------------------------------------- particles

/* kmutate launch
   int n = 300000, width = 36; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   float4 position[n] = uniform(0, 3); float4 velocity[n] = normal(); int apart[n * width] = randint(-600, 600); float4 force[n] = zeros();
   dissipative_pair_forces(n, width, 3.0f, 17u, position, velocity, apart, force);
*/
// Dissipative particle dynamics with lists of neighbours: what repels, what slows down, and a random kick which both ends of a
// pair compute alike from their numbers.
__global__ void dissipative_pair_forces(int n, int width, float box, unsigned step, const float4 *__restrict__ position,
                                        const float4 *__restrict__ velocity, const int *__restrict__ apart, float4 *__restrict__ force)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 pi = position[i], vi = velocity[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int k = 0; k < width; k++) {
        int j = i + apart[(size_t)k * n + i];
        if (j < 0) j += n;
        else if (j >= n) j -= n;
        if (j == i) continue;
        const float4 pj = position[j];
        float dx = pi.x - pj.x, dy = pi.y - pj.y, dz = pi.z - pj.z;
        dx -= box * rintf(dx / box);
        dy -= box * rintf(dy / box);
        dz -= box * rintf(dz / box);
        const float square = dx * dx + dy * dy + dz * dz;
        if (square < 1.0f && square > 1e-6f) {
            const float4 vj = velocity[j];
            const float inverse = rsqrtf(square), w = 1.0f - square * inverse;
            const float along = (dx * (vi.x - vj.x) + dy * (vi.y - vj.y) + dz * (vi.z - vj.z)) * inverse;
            unsigned state = seed_of((unsigned)min(i, j) * 2654435761u + (unsigned)max(i, j) * 40503u + step);
            const float kick = (draw_unit(state) - 0.5f) * 3.4641f;
            const float f = (25.0f * w - 4.5f * w * w * along + 3.0f * w * kick * 10.0f) * inverse;
            fx += f * dx;
            fy += f * dy;
            fz += f * dz;
        }
    }
    force[i] = make_float4(fx, fy, fz, 0.0f);
}

/* kmutate launch
   int molecules = 800000; dim3 block = { 256 }; dim3 grid = { molecules / 256 };
   float moved[molecules * 9] = uniform(-0.06, 0.06); float out[molecules * 9] = zeros();
   shake_waters(moved, out);
*/
// Three bonds of each water molecule are put right by SHAKE: steps from where the atoms rested, nine floats side by side, until
// all lengths are as they should be.
__global__ void shake_waters(const float *moved, float *out)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    const float rest[9] = { 0.0f, 0.0f, 0.0f, 0.8165f, 0.5774f, 0.0f, -0.8165f, 0.5774f, 0.0f };
    const int first[3] = { 0, 0, 1 }, second[3] = { 1, 2, 2 };
    const float inverse_mass[3] = { 1.0f / 16.0f, 1.0f, 1.0f };
    float r[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        r[k] = rest[k] + moved[(size_t)m * 9 + k];
    for (int round = 0; round < 24; round++) {
        bool fine = true;
#pragma unroll
        for (int b = 0; b < 3; b++) {
            const int p = first[b] * 3, q = second[b] * 3;
            const float ox = rest[p] - rest[q], oy = rest[p + 1] - rest[q + 1], oz = rest[p + 2] - rest[q + 2];
            const float dx = r[p] - r[q], dy = r[p + 1] - r[q + 1], dz = r[p + 2] - r[q + 2];
            const float wrong = dx * dx + dy * dy + dz * dz - (ox * ox + oy * oy + oz * oz);
            if (fabsf(wrong) > 2e-5f) {
                fine = false;
                const float g = wrong / (2.0f * (inverse_mass[first[b]] + inverse_mass[second[b]]) * (dx * ox + dy * oy + dz * oz));
                const float gp = g * inverse_mass[first[b]], gq = g * inverse_mass[second[b]];
                r[p] -= gp * ox; r[p + 1] -= gp * oy; r[p + 2] -= gp * oz;
                r[q] += gq * ox; r[q + 1] += gq * oy; r[q + 2] += gq * oz;
            }
        }
        if (fine) break;
    }
#pragma unroll
    for (int k = 0; k < 9; k++)
        out[(size_t)m * 9 + k] = r[k] - rest[k];
}

/* kmutate launch
   int n = 2200000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float4 position[n] = uniform(0, 40); float4 velocity[n] = normal(); float4 force[n] = normal();
   verlet_kick_drift(n, 0.002f, 40.0f, position, velocity, force);
*/
// Half a kick and a drift of all particles, who come back at the other side of the box; masses are in the velocity's fourth.
__global__ void verlet_kick_drift(int n, float dt, float box, float4 *position, float4 *velocity, const float4 *force)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 p = position[i], v = velocity[i], f = force[i];
        float half_kick = 0.5f * dt / (1.0f + fabsf(v.w));
        v.x += half_kick * f.x;
        v.y += half_kick * f.y;
        v.z += half_kick * f.z;
        p.x += dt * v.x;
        p.y += dt * v.y;
        p.z += dt * v.z;
        p.x -= box * floorf(p.x / box);
        p.y -= box * floorf(p.y / box);
        p.z -= box * floorf(p.z / box);
        position[i] = p;
        velocity[i] = v;
    }
}

/* kmutate launch
   int side = 40, cells = 40 * 40 * 40, lo = 1, hi = 7, grains = csr_nnz(cells, lo, hi); dim3 block = { 64 }; dim3 grid = { cells / 64 };
   int start[cells + 1] = csr_rowptr(cells, lo, hi); float4 inside[grains] = uniform(0, 1); float4 speed[grains] = normal(); float4 force[grains] = zeros();
   grain_contacts_by_cell(side, start, inside, speed, force);
*/
// Contacts of grains with springs and dashpots: a thread has all grains of one cell and looks through 27 cells for each of them.
__global__ void grain_contacts_by_cell(int side, const int *start, const float4 *inside, const float4 *speed, float4 *force)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    int cx = cell % side, cy = cell / side % side, cz = cell / (side * side);
    for (int i = start[cell]; i < start[cell + 1]; i++) {
        float4 p = inside[i], v = speed[i];
        float3 f = make_float3(0.0f, 0.0f, -9.81f);
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int nx = cx + dx, ny = cy + dy, nz = cz + dz;
                    if (nx < 0 || ny < 0 || nz < 0 || nx >= side || ny >= side || nz >= side) continue;
                    int other = (nz * side + ny) * side + nx;
                    for (int j = start[other]; j < start[other + 1]; j++) {
                        if (j == i) continue;
                        float4 q = inside[j];
                        float rx = q.x + dx - p.x, ry = q.y + dy - p.y, rz = q.z + dz - p.z;
                        float distance = sqrtf(rx * rx + ry * ry + rz * rz), reach = 0.3f + 0.1f * (p.w + q.w);
                        if (distance < reach && distance > 0.0f) {
                            float4 w = speed[j];
                            float nxu = rx / distance, nyu = ry / distance, nzu = rz / distance;
                            float closing = (w.x - v.x) * nxu + (w.y - v.y) * nyu + (w.z - v.z) * nzu;
                            float push = -1000.0f * (reach - distance) + 5.0f * closing;
                            f.x += push * nxu;
                            f.y += push * nyu;
                            f.z += push * nzu;
                        }
                    }
                }
        force[i] = make_float4(f.x, f.y, f.z, 0.0f);
    }
}

// ------------------------------------------------------------------------------------------------- chance and optimisation

/* kmutate launch
   int L = 2304; dim3 block = { 32, 8 }; dim3 grid = { L / 64, L / 8 };
   float angle[L * L] = uniform(0, 6.2831853);
   xy_model_half_sweep(L, 0, 1.1f, 4711u, angle);
*/
// Spins of the XY model on one colour of the board get new angles by Metropolis' rule, in place.
__global__ void xy_model_half_sweep(int L, int colour, float beta, unsigned sweep, float *angle)
{
    const int y = blockIdx.y * 8 + threadIdx.y;
    const int x = 2 * (blockIdx.x * 32 + threadIdx.x) + ((y + colour) & 1);
    const float old = angle[y * L + x];
    const float n = angle[(y > 0 ? y - 1 : L - 1) * L + x], s = angle[(y + 1 < L ? y + 1 : 0) * L + x];
    const float w = angle[y * L + (x > 0 ? x - 1 : L - 1)], e = angle[y * L + (x + 1 < L ? x + 1 : 0)];
    unsigned state = seed_of((unsigned)(y * L + x) * 747796405u + sweep);
    float fresh = old + (draw_unit(state) - 0.5f) * 2.4f;
    if (fresh < 0.0f) fresh += 6.2831853f;
    if (fresh >= 6.2831853f) fresh -= 6.2831853f;
    const float before = cosf(old - n) + cosf(old - s) + cosf(old - w) + cosf(old - e);
    const float after = cosf(fresh - n) + cosf(fresh - s) + cosf(fresh - w) + cosf(fresh - e);
    if (draw_unit(state) < __expf(beta * (after - before))) angle[y * L + x] = fresh;
}

/* kmutate launch
   int threads = 132 * 4 * 256, each = 6; dim3 block = { 256 }; dim3 grid = { threads / 256 };
   unsigned tally[66] = zeros(); float track[64] = zeros();
   slab_neutron_histories(each, 0.9f, 12.0f, tally, track);
*/
// Neutrons go through a slab, are scattered and absorbed; each thread follows some of them to their end, bins are shared.
__global__ void slab_neutron_histories(int each, float albedo, float thickness, unsigned *tally, float *track)
{
    __shared__ unsigned counts[66];
    __shared__ float lengths[64];
    if (threadIdx.x < 66) counts[threadIdx.x] = 0;
    if (threadIdx.x < 64) lengths[threadIdx.x] = 0.0f;
    __syncthreads();
    unsigned state = seed_of(blockIdx.x * blockDim.x + threadIdx.x + 1);
    for (int h = 0; h < each; h++) {
        float depth = 0.0f, cosine = 1.0f;
        for (int events = 0; events < 500; events++) {
            const float path = -logf(draw_unit(state));
            depth += path * cosine;
            if (depth < 0.0f) {
                atomicAdd(&counts[64], 1u);
                break;
            }
            if (depth >= thickness) {
                atomicAdd(&counts[65], 1u);
                break;
            }
            const int bin = min(63, (int)(depth / thickness * 64.0f));
            atomicAdd(&lengths[bin], path);
            if (draw_unit(state) > albedo) {
                atomicAdd(&counts[bin], 1u);
                break;
            }
            cosine = 2.0f * draw_unit(state) - 1.0f;
        }
    }
    __syncthreads();
    if (threadIdx.x < 66) atomicAdd(&tally[threadIdx.x], counts[threadIdx.x]);
    if (threadIdx.x < 64) atomicAdd(&track[threadIdx.x], lengths[threadIdx.x]);
}

/* kmutate launch
   int chains = 528 * 64; dim3 block = { 64 }; dim3 grid = { chains / 64 };
   float2 city[64] = uniform(0, 1); float best[chains] = zeros();
   tour_annealing_chains(city, best, 260);
*/
// Simulated annealing of round trips: a chain to a thread, whose trip of 64 cities is a column of bytes in shared memory.
__global__ void tour_annealing_chains(const float2 *city, float *best, int moves)
{
    __shared__ float2 at[64];
    __shared__ unsigned char trip[64][64];
    const int t = threadIdx.x;
    at[t] = city[t];
    for (int k = 0; k < 64; k++)
        trip[k][t] = (k * 5 + t) & 63;
    __syncthreads();
    unsigned state = seed_of(blockIdx.x * 64 + t + 99);
    float length = 0.0f, heat = 0.3f;
    for (int k = 0; k < 64; k++) {
        const float2 a = at[trip[k][t]], b = at[trip[(k + 1) & 63][t]];
        length += sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
    }
    float least = length;
    for (int m = 0; m < moves; m++) {
        const unsigned bits = draw(state);
        const int i = bits & 63, j = bits >> 8 & 63;
        if (abs(i - j) <= 1 || abs(i - j) == 63) continue;
        const int ci = trip[i][t], cj = trip[j][t];
        const float2 pi = at[ci], pj = at[cj];
        const float2 ends[4] = { at[trip[(i + 63) & 63][t]], at[trip[(i + 1) & 63][t]], at[trip[(j + 63) & 63][t]], at[trip[(j + 1) & 63][t]] };
        float change = 0.0f;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float2 out = k < 2 ? pi : pj, in = k < 2 ? pj : pi;
            change -= sqrtf((out.x - ends[k].x) * (out.x - ends[k].x) + (out.y - ends[k].y) * (out.y - ends[k].y));
            change += sqrtf((in.x - ends[k].x) * (in.x - ends[k].x) + (in.y - ends[k].y) * (in.y - ends[k].y));
        }
        if (change < 0.0f || draw_unit(state) < expf(-change / heat)) {
            trip[i][t] = cj;
            trip[j][t] = ci;
            length += change;
            least = fminf(least, length);
        }
        heat *= 0.99f;
    }
    best[blockIdx.x * 64 + t] = least;
}

// ------------------------------------------------------------------------------------------------------ dynamic programming

/* kmutate launch
   int problems = 40, n = 88; dim3 block = { 96 }; dim3 grid = { problems };
   int size[problems * (n + 1)] = randint(5, 100); int least[problems] = zeros();
   matrix_chain_blocks(n, size, least);
*/
// The cheapest order to multiply a chain of matrices: diagonals of a table in shared memory, few blocks and many barriers.
__global__ void matrix_chain_blocks(int n, const int *size, int *least)
{
    __shared__ int cost[88][88], dims[89];
    const int t = threadIdx.x;
    if (t <= n) dims[t] = size[blockIdx.x * (n + 1) + t];
    if (t < n) cost[t][t] = 0;
    __syncthreads();
    for (int span = 1; span < n; span++) {
        if (t + span < n) {
            int best = 2147483647;
            for (int k = t; k < t + span; k++)
                best = min(best, cost[t][k] + cost[k + 1][t + span] + dims[t] * dims[k + 1] * dims[t + span + 1]);
            cost[t][t + span] = best;
        }
        __syncthreads();
    }
    if (t == 0) least[blockIdx.x] = cost[0][n - 1];
}

/* kmutate launch
   int coins = 28, most = 11000; dim3 block = { 256 }; dim3 grid = { 20 };
   int coin[grid.x * coins] = randint(40, 700); unsigned ways[grid.x * (most + 1)] = zeros(); int smem = (most + 1) * sizeof(unsigned);
   coin_change_ways(coins, most, coin, ways);
*/
// In how many ways each sum can be paid, modulo a prime: for a coin each remainder is a chain of its own, a thread walks along it.
__global__ void coin_change_ways(int coins, int most, const int *coin, unsigned *ways)
{
    extern __shared__ unsigned count[];
    for (int s = threadIdx.x; s <= most; s += blockDim.x)
        count[s] = s == 0;
    __syncthreads();
    for (int c = 0; c < coins; c++) {
        const int worth = coin[blockIdx.x * coins + c];
        for (int chain = threadIdx.x; chain < worth; chain += blockDim.x)
            for (int s = chain + worth; s <= most; s += worth) {
                const unsigned both = count[s] + count[s - worth];
                count[s] = both >= 1000000007u ? both - 1000000007u : both;
            }
        __syncthreads();
    }
    for (int s = threadIdx.x; s <= most; s += blockDim.x)
        ways[blockIdx.x * (most + 1) + s] = count[s];
}

/* kmutate launch
   int lines = 150000, length = 120; dim3 block = { 128 }; dim3 grid = { ceil_div(lines, 128) };
   short value[length * lines] = randint(-30000, 30000); int longest[lines] = zeros();
   increasing_run_patience(lines, length, value, longest);
*/
// The longest increasing subsequence by patience: a thread's piles lie in local memory and are searched by bisection.
__global__ void increasing_run_patience(int lines, int length, const short *value, int *longest)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines) return;
    short top[128];
    int piles = 0;
    for (int k = 0; k < length; k++) {
        const short v = value[(size_t)k * lines + i];
        int lo = 0, hi = piles;
        while (lo < hi) {
            const int mid = (lo + hi) / 2;
            if (top[mid] < v) lo = mid + 1;
            else hi = mid;
        }
        top[lo] = v;
        if (lo == piles) piles++;
    }
    longest[i] = piles;
}

// ------------------------------------------------------------------------------------------------------ images and signals

/* kmutate launch
   int width = 3600, height = 2700; dim3 block = { 32, 8 }; dim3 grid = { ceil_div(width, 32), ceil_div(height, 8) };
   unsigned char image[width * height] = randint(0, 256); unsigned char code[width * height] = zeros();
   local_binary_codes(width, height, image, code);
*/
// Local binary patterns: a bit for each of eight neighbours that is not darker, and uniform patterns are told from the others.
__global__ void local_binary_codes(int width, int height, const unsigned char *image, unsigned char *code)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int i = y * width + x;
    unsigned char c = image[i];
    unsigned bits = 0;
    bits |= (image[i - width - 1] >= c) << 7;
    bits |= (image[i - width] >= c) << 6;
    bits |= (image[i - width + 1] >= c) << 5;
    bits |= (image[i + 1] >= c) << 4;
    bits |= (image[i + width + 1] >= c) << 3;
    bits |= (image[i + width] >= c) << 2;
    bits |= (image[i + width - 1] >= c) << 1;
    bits |= (image[i - 1] >= c);
    unsigned turned = ((bits << 1) | (bits >> 7)) & 255u;
    code[i] = __popc(bits ^ turned) <= 2 ? __popc(bits) : 9;
}

/* kmutate launch
   int w = 1400, h = 1000; dim3 block = { 16, 16 }; dim3 grid = { ceil_div(2 * w, 16), ceil_div(2 * h, 16) };
   float in[w * h] = uniform(0, 255); float out[4 * w * h] = zeros();
   bicubic_twice(w, h, in, out);
*/
// An image becomes twice as large by Catmull and Rom's cubic: sixteen taps, and their coordinates stay within the image.
__device__ __forceinline__ float cubic_weight(float t)
{
    t = fabsf(t);
    if (t < 1.0f) return (1.5f * t - 2.5f) * t * t + 1.0f;
    if (t < 2.0f) return ((-0.5f * t + 2.5f) * t - 4.0f) * t + 2.0f;
    return 0.0f;
}

__global__ void bicubic_twice(int w, int h, const float *in, float *out)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= 2 * w || oy >= 2 * h) return;
    float sx = (ox + 0.5f) * 0.5f - 0.5f, sy = (oy + 0.5f) * 0.5f - 0.5f;
    int x0 = (int)floorf(sx), y0 = (int)floorf(sy);
    float sum = 0.0f;
    for (int j = -1; j <= 2; j++) {
        float wy = cubic_weight(sy - (y0 + j));
        int y = min(max(y0 + j, 0), h - 1);
        for (int i = -1; i <= 2; i++) {
            int x = min(max(x0 + i, 0), w - 1);
            sum += wy * cubic_weight(sx - (x0 + i)) * in[y * w + x];
        }
    }
    out[oy * 2 * w + ox] = fminf(fmaxf(sum, 0.0f), 255.0f);
}

/* kmutate launch
   int w = 1024, h = 960; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   extern float gabor_tap[6 * 121] = normal();
   float in[w * h] = uniform(0, 1); float strongest[w * h] = zeros(); unsigned char which[w * h] = zeros();
   gabor_bank_strongest(w, h, in, strongest, which);
*/
// Six filters of 11 x 11 in constant memory on one tile of an image; the strongest answer and its number.
__constant__ float gabor_tap[6 * 121];
__global__ void gabor_bank_strongest(int w, int h, const float *in, float *strongest, unsigned char *which)
{
    __shared__ float tile[18][42];
    const int x0 = blockIdx.x * 32 - 5, y0 = blockIdx.y * 8 - 5;
    for (int e = threadIdx.y * 32 + threadIdx.x; e < 18 * 42; e += 256) {
        const int x = min(max(x0 + e % 42, 0), w - 1), y = min(max(y0 + e / 42, 0), h - 1);
        tile[e / 42][e % 42] = in[y * w + x];
    }
    __syncthreads();
    float sum[6] = {};
    for (int dy = 0; dy < 11; dy++)
#pragma unroll
        for (int dx = 0; dx < 11; dx++) {
            const float v = tile[threadIdx.y + dy][threadIdx.x + dx];
#pragma unroll
            for (int f = 0; f < 6; f++)
                sum[f] += v * gabor_tap[f * 121 + dy * 11 + dx];
        }
    int best = 0;
#pragma unroll
    for (int f = 1; f < 6; f++)
        if (fabsf(sum[f]) > fabsf(sum[best])) best = f;
    float most = 0.0f;
#pragma unroll
    for (int f = 0; f < 6; f++)
        most = fmaxf(most, fabsf(sum[f]));
    const int i = (blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x;
    strongest[i] = most;
    which[i] = best;
}

/* kmutate launch
   int w = 3840, h = 2160; dim3 block = { 32, 4 }; dim3 grid = { w / 32, h / 4 };
   uchar4 in[w * h] = randint(0, 256); uchar4 out[w * h] = zeros();
   undistort_lens(w, h, 1700.0f, -0.21f, 0.07f, 0.001f, in, out);
*/
// A photograph's radial and tangential distortion is undone: where each pixel came from, and four bytes of four neighbours.
__global__ void undistort_lens(int w, int h, float focal, float k1, float k2, float p1, const uchar4 *in, uchar4 *out)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    const float u = (x - 0.5f * w) / focal, v = (y - 0.5f * h) / focal;
    const float r2 = u * u + v * v, radial = 1.0f + r2 * (k1 + r2 * k2);
    const float sx = (u * radial + 2.0f * p1 * u * v) * focal + 0.5f * w, sy = (v * radial + p1 * (r2 + 2.0f * v * v)) * focal + 0.5f * h;
    const float fx = floorf(sx), fy = floorf(sy);
    const int ix = (int)fx, iy = (int)fy;
    uchar4 result = make_uchar4(0, 0, 0, 255);
    if (ix >= 0 && iy >= 0 && ix + 1 < w && iy + 1 < h) {
        const float ax = sx - fx, ay = sy - fy;
        const uchar4 a = in[iy * w + ix], b = in[iy * w + ix + 1], c = in[(iy + 1) * w + ix], d = in[(iy + 1) * w + ix + 1];
        const float wa = (1 - ax) * (1 - ay), wb = ax * (1 - ay), wc = (1 - ax) * ay, wd = ax * ay;
        result.x = (unsigned char)(wa * a.x + wb * b.x + wc * c.x + wd * d.x + 0.5f);
        result.y = (unsigned char)(wa * a.y + wb * b.y + wc * c.y + wd * d.y + 0.5f);
        result.z = (unsigned char)(wa * a.z + wb * b.z + wc * c.z + wd * d.z + 0.5f);
    }
    out[y * w + x] = result;
}

/* kmutate launch
   int n = 9000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   extern float phase_tap[3 * 20] = uniform(-0.2, 0.4);
   float in[n * 2 / 3 + 32] = normal(); float out[n] = zeros();
   resample_three_halves(n, in, out);
*/
// Three samples out of two: each third output has its own twenty taps, so that lanes read different constants.
__constant__ float phase_tap[3 * 20];
__global__ void resample_three_halves(int n, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = i * 2 / 3, phase = i * 2 % 3;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 20; k++)
        sum += in[from + k] * phase_tap[phase * 20 + k];
    out[i] = sum;
}

/* kmutate launch
   int lines = 14000; dim3 block = { 512 }; dim3 grid = { lines };
   float in[lines * 1024] = normal(); float out[lines * 1024] = zeros();
   haar_ten_levels(in, out);
*/
// Ten levels of Haar's wavelets on lines of 1024: half as many threads have work at each level.
__global__ void haar_ten_levels(const float *in, float *out)
{
    __shared__ float s[1024];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 1024;
    s[t] = in[base + t];
    s[t + 512] = in[base + t + 512];
    for (int half_size = 512; half_size > 0; half_size >>= 1) {
        __syncthreads();
        float a = 0.0f, b = 0.0f;
        if (t < half_size) {
            a = s[2 * t];
            b = s[2 * t + 1];
        }
        __syncthreads();
        if (t < half_size) {
            s[t] = (a + b) * 0.70710678f;
            out[base + half_size + t] = (a - b) * 0.70710678f;
        }
    }
    if (t == 0) out[base] = s[0];
}

/* kmutate launch
   int series = 900, length = 2048; dim3 block = { 128 }; dim3 grid = { series };
   float value[series * length] = normal(); float lagged[series * 256] = zeros(); int smem = length * sizeof(float);
   autocorrelation_lags(length, value, lagged);
*/
// The autocorrelation of series at 256 lags: a series is in shared memory, and each thread has two lags.
__global__ void autocorrelation_lags(int length, const float *value, float *lagged)
{
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        s[i] = value[(size_t)blockIdx.x * length + i];
    __syncthreads();
    float zero = 0.0f;
    for (int i = 0; i < length; i++)
        zero += s[i] * s[i];
    for (int lag = threadIdx.x; lag < 256; lag += blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i + lag < length; i++)
            sum += s[i] * s[i + lag];
        lagged[blockIdx.x * 256 + lag] = sum / zero;
    }
}

/* kmutate launch
   int n = 2000, signals = 10; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128), signals };
   float in[signals * n] = normal(); float2 out[signals * n] = zeros();
   dft_by_definition(n, in, out);
*/
// A discrete Fourier transform as it is written down: each bin sums up all samples with a sine and a cosine for each.
__global__ void dft_by_definition(int n, const float *in, float2 *out)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float re = 0.0f, im = 0.0f;
    for (int t = 0; t < n; t++) {
        float s, c;
        sincospif(2.0f * (k * t % n) / n, &s, &c);
        float v = in[blockIdx.y * n + t];
        re += v * c;
        im -= v * s;
    }
    out[blockIdx.y * n + k] = make_float2(re, im);
}

// -------------------------------------------------------------------------------------------------- ciphers and compression

/* kmutate launch
   int streams = 50000, blocks = 48; dim3 block = { 128 }; dim3 grid = { ceil_div(streams, 128) };
   uint2 in[streams * blocks] = randint(0, 4294967296ll); uint2 out[streams * blocks] = zeros(); unsigned key[4] = { 0x3a5c9e71u, 0x1b2d4f68u, 0x9e8d7c6bu, 0x05162738u };
   xtea_cbc_streams(streams, blocks, in, out, key);
*/
// XTEA in chains: a thread enciphers a stream from its start to its end, and streams lie one after another.
__global__ void xtea_cbc_streams(int streams, int blocks, const uint2 *in, uint2 *out, const unsigned *key)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams) return;
    unsigned k[4] = { key[0], key[1], key[2], key[3] };
    unsigned a = s, b = ~s;
    for (int i = 0; i < blocks; i++) {
        uint2 v = in[s * blocks + i];
        a ^= v.x;
        b ^= v.y;
        unsigned sum = 0;
#pragma unroll
        for (int r = 0; r < 32; r++) {
            a += (((b << 4) ^ (b >> 5)) + b) ^ (sum + k[sum & 3]);
            sum += 0x9e3779b9u;
            b += (((a << 4) ^ (a >> 5)) + a) ^ (sum + k[sum >> 11 & 3]);
        }
        out[s * blocks + i] = make_uint2(a, b);
    }
}

/* kmutate launch
   int threads = 132 * 256, entries = 160; dim3 block = { 128 }; dim3 grid = { threads / 128 };
   uint4 scratch[threads * entries] = zeros(); uint4 seed_words[threads] = randint(0, 4294967296ll); uint4 digest[threads] = zeros();
   memory_hard_mix(threads, entries, scratch, seed_words, digest);
*/
// A hash that needs memory, as scrypt does: a table is filled step by step, then read where the state says, each read after the other.
__device__ __forceinline__ uint4 quarter_mix(uint4 v)
{
#pragma unroll
    for (int r = 0; r < 4; r++) {
        v.y ^= turn_left(v.x + v.w, 7);
        v.z ^= turn_left(v.y + v.x, 9);
        v.w ^= turn_left(v.z + v.y, 13);
        v.x ^= turn_left(v.w + v.z, 18);
    }
    return v;
}

__global__ void memory_hard_mix(int threads, int entries, uint4 *scratch, const uint4 *seed_words, uint4 *digest)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = seed_words[t];
    for (int i = 0; i < entries; i++) {
        scratch[(size_t)i * threads + t] = v;
        v = quarter_mix(v);
    }
    for (int i = 0; i < entries; i++) {
        const uint4 w = scratch[(size_t)(v.x % entries) * threads + t];
        v = quarter_mix(make_uint4(v.x ^ w.x, v.y ^ w.y, v.z ^ w.z, v.w ^ w.w));
    }
    digest[t] = v;
}

/* kmutate launch
   int pages = 15000; dim3 block = { 256 }; dim3 grid = { pages / 8 };
   unsigned char data[pages * 4096] = randint(0, 256); unsigned sum[pages] = zeros();
   adler_pages((uint4 *)data, sum);
*/
// Adler's checksum of pages of 4096 bytes, a warp to a page: plain and weighted sums, by products of four bytes at a time.
__global__ void adler_pages(const uint4 *data, unsigned *sum)
{
    const int page = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned a = 0, b = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const uint4 v = data[(size_t)page * 256 + k * 32 + lane];
        const unsigned word[4] = { v.x, v.y, v.z, v.w };
        const unsigned place = (k * 32 + lane) * 16;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const unsigned plain = __dp4a(word[j], 0x01010101u, 0u);
            a += plain;
            b += (4096u - place - 4 * j) * plain - __dp4a(word[j], 0x03020100u, 0u);
        }
    }
    for (int d = 16; d > 0; d >>= 1) {
        a += __shfl_xor_sync(0xffffffffu, a, d);
        b += __shfl_xor_sync(0xffffffffu, b, d);
    }
    if (lane == 0) sum[page] = ((b + 4096u) % 65521u) << 16 | (a + 1u) % 65521u;
}

/* kmutate launch
   int groups = 7000000; dim3 block = { 256 }; dim3 grid = { ceil_div(groups, 256) };
   unsigned char in[groups * 3] = randint(0, 256); unsigned out[groups] = zeros();
   base64_by_threes(groups, in, out);
*/
// Base64: a thread turns three bytes into four letters, which it looks up in constant memory.
__constant__ char letters64[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
__global__ void base64_by_threes(int groups, const unsigned char *in, unsigned *out)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    unsigned bits = in[g * 3] << 16 | in[g * 3 + 1] << 8 | in[g * 3 + 2];
    unsigned a = letters64[bits >> 18], b = letters64[bits >> 12 & 63], c = letters64[bits >> 6 & 63], d = letters64[bits & 63];
    out[g] = a | b << 8 | c << 16 | d << 24;
}

/* kmutate launch
   int frames = 9000; dim3 block = { 128 }; dim3 grid = { frames };
   unsigned short delta[frames * 1024] = randint(0, 512); int base[frames] = randint(0, 1000000); int out[frames * 1024] = zeros();
   zigzag_delta_frames((uint4 *)delta, base, (int4 *)out);
*/
// Frames of 1024 differences with the sign in the lowest bit become numbers again: a prefix sum in registers, warps and the block.
__global__ void zigzag_delta_frames(const uint4 *delta, const int *base, int4 *out)
{
    __shared__ int totals[4];
    const int t = threadIdx.x, lane = t & 31;
    const uint4 pack = delta[(size_t)blockIdx.x * 128 + t];
    const unsigned word[4] = { pack.x, pack.y, pack.z, pack.w };
    int v[8], sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const unsigned z = word[k / 2] >> (k % 2 * 16) & 0xffffu;
        sum += (int)(z >> 1) ^ -(int)(z & 1);
        v[k] = sum;
    }
    int before = sum;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const int other = __shfl_up_sync(0xffffffffu, before, d);
        if (lane >= d) before += other;
    }
    if (lane == 31) totals[t / 32] = before;
    before -= sum;
    __syncthreads();
    int start = base[blockIdx.x] + before;
    for (int w = 0; w < t / 32; w++)
        start += totals[w];
    int4 *to = out + (size_t)blockIdx.x * 256 + t * 2;
    to[0] = make_int4(start + v[0], start + v[1], start + v[2], start + v[3]);
    to[1] = make_int4(start + v[4], start + v[5], start + v[6], start + v[7]);
}

// ---------------------------------------------------------------------------------------------------- databases and prices

/* kmutate launch
   int n = 13000000; dim3 block = { 256 }; dim3 grid = { 528 };
   int day[n] = randint(0, 2557); unsigned char discount[n] = randint(0, 11); unsigned char quantity[n] = randint(1, 51); double price[n] = uniform(900, 105000);
   double revenue[1] = zeros();
   revenue_of_discounts(n, 730, 1095, day, discount, quantity, price, revenue);
*/
// A scan with predicates on three columns; the price is read only where they hold, a seventieth of all rows.
__global__ void revenue_of_discounts(int n, int from, int to, const int *day, const unsigned char *discount, const unsigned char *quantity,
                                     const double *price, double *revenue)
{
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (day[i] >= from && day[i] < to && discount[i] >= 5 && discount[i] <= 7 && quantity[i] < 24)
            sum += price[i] * discount[i] * 0.01;
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if ((threadIdx.x & 31) == 0 && sum != 0.0) atomicAdd(revenue, sum);
}

/* kmutate launch
   int n = 2600000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   int account[n] = ascending(0, 40000); double amount[n] = normal(100, 50); double average[n] = zeros();
   window_average_by_account(n, 48, account, amount, average);
*/
// An average over each row and the 47 before it, but of the same account only; every row looks back by itself.
__global__ void window_average_by_account(int n, int window, const int *account, const double *amount, double *average)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine = account[i], count = 0;
    double sum = 0.0;
    for (int k = i; k >= 0 && k > i - window; k--) {
        if (account[k] != mine) break;
        sum += amount[k];
        count++;
    }
    average[i] = sum / count;
}

/* kmutate launch
   int bonds = 180000; dim3 block = { 128 }; dim3 grid = { ceil_div(bonds, 128) };
   double price[bonds] = uniform(80, 120); double coupon[bonds] = uniform(1, 8); int periods[bonds] = randint(2, 61); double yield[bonds] = zeros();
   bond_yields_newton(bonds, price, coupon, periods, yield);
*/
// The yields of bonds by Newton's method in doubles; lengths of bonds and numbers of steps differ.
__global__ void bond_yields_newton(int bonds, const double *price, const double *coupon, const int *periods, double *yield)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bonds) return;
    const double pay = 0.5 * coupon[i], wanted = price[i];
    const int n = periods[i];
    double y = 0.05;
    for (int step = 0; step < 20; step++) {
        const double shrink = 1.0 / (1.0 + 0.5 * y);
        double factor = 1.0, value = 0.0, slope = 0.0;
        for (int k = 1; k <= n; k++) {
            factor *= shrink;
            const double flow = k == n ? pay + 100.0 : pay;
            value += flow * factor;
            slope -= 0.5 * k * flow * factor * shrink;
        }
        const double change = (value - wanted) / slope;
        y -= change;
        if (fabs(change) < 1e-10) break;
    }
    yield[i] = y;
}

/* kmutate launch
   int paths = 132 * 1024; dim3 block = { 256 }; dim3 grid = { paths / 256 };
   float payoff[2] = zeros();
   sabr_paths_call(80, 0.0125f, 0.03f, 0.3f, 0.6f, 0.45f, -0.35f, 0.032f, payoff);
*/
// A call under the SABR model by simulated paths: normal numbers by Box and Muller, a power in each step, sums by warps.
__global__ void sabr_paths_call(int steps, float dt, float forward, float alpha, float beta, float nu, float rho, float strike, float *payoff)
{
    __shared__ float parts[2][8];
    unsigned state = seed_of(blockIdx.x * blockDim.x + threadIdx.x + 12345u);
    const float root = sqrtf(dt), rest = sqrtf(1.0f - rho * rho);
    float f = forward, a = alpha;
    for (int s = 0; s < steps; s++) {
        const float radius = sqrtf(-2.0f * __logf(draw_unit(state)));
        float sine, cosine;
        __sincosf(6.2831853f * draw_unit(state), &sine, &cosine);
        const float z1 = radius * cosine, z2 = rho * z1 + rest * radius * sine;
        f = fmaxf(f + a * __powf(f, beta) * root * z1, 1e-8f);
        a *= __expf(nu * root * z2 - 0.5f * nu * nu * dt);
    }
    const float pay = fmaxf(f - strike, 0.0f);
    const float sum = warp_total(pay), squares = warp_total(pay * pay);
    if (threadIdx.x % 32 == 0) {
        parts[0][threadIdx.x / 32] = sum;
        parts[1][threadIdx.x / 32] = squares;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        float all = 0.0f;
        for (int w = 0; w < 8; w++)
            all += parts[threadIdx.x][w];
        atomicAdd(&payoff[threadIdx.x], all);
    }
}

// ------------------------------------------------------------------------------------------------------ layers of networks

/* kmutate launch
   int planes = 2800, pixels = 4096; dim3 block = { 256 }; dim3 grid = { planes };
   float in[planes * pixels] = normal(1, 2); float out[planes * pixels] = zeros(); float gain[64] = uniform(0.5, 1.5); float shift[64] = normal();
   instance_norm_planes((float4 *)in, (float4 *)out, gain, shift, pixels / 4);
*/
// Each plane of an image is normalised by its own mean and variance: read once, kept in registers, and written once.
__global__ void instance_norm_planes(const float4 *in, float4 *out, const float *gain, const float *shift, int quads)
{
    __shared__ float parts[2][8];
    const float4 *from = in + (size_t)blockIdx.x * quads;
    float4 v[4];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k] = from[k * 256 + threadIdx.x];
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
        squares += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
    sum = warp_total(sum);
    squares = warp_total(squares);
    if (threadIdx.x % 32 == 0) {
        parts[0][threadIdx.x / 32] = sum;
        parts[1][threadIdx.x / 32] = squares;
    }
    __syncthreads();
    sum = squares = 0.0f;
#pragma unroll
    for (int w = 0; w < 8; w++) {
        sum += parts[0][w];
        squares += parts[1][w];
    }
    const float mean = sum / (4 * quads), scale = rsqrtf(squares / (4 * quads) - mean * mean + 1e-5f) * gain[blockIdx.x % 64];
    const float offset = shift[blockIdx.x % 64] - mean * scale;
    float4 *to = out + (size_t)blockIdx.x * quads;
#pragma unroll
    for (int k = 0; k < 4; k++)
        to[k * 256 + threadIdx.x] = make_float4(v[k].x * scale + offset, v[k].y * scale + offset, v[k].z * scale + offset, v[k].w * scale + offset);
}

/* kmutate launch
   int planes = 1536, side = 56; dim3 block = { 256 }; dim3 grid = { ceil_div(planes * side * side, 256) };
   float gradient[planes * side * side] = normal(); unsigned char winner[planes * side * side] = randint(0, 9); float out[planes * 113 * 113] = zeros();
   max_pool_backward_scatter(planes, side, gradient, winner, out);
*/
// The gradient of a maximum over overlapping windows of 3 x 3 goes to the place in each window that had won, by an atomic.
__global__ void max_pool_backward_scatter(int planes, int side, const float *gradient, const unsigned char *winner, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * side * side) return;
    int x = i % side, y = i / side % side, plane = i / (side * side);
    int wide = 2 * side + 1, w = winner[i];
    atomicAdd(&out[((size_t)plane * wide + 2 * y + w / 3) * wide + 2 * x + w % 3], gradient[i]);
}

/* kmutate launch
   int batch = 3584, hidden = 1024; dim3 block = { 256 }; dim3 grid = { hidden / 256, batch };
   float from_input[batch * 3 * hidden] = normal(); float from_state[batch * 3 * hidden] = normal(); float bias[3 * hidden] = normal(); float state[batch * hidden] = uniform(-1, 1);
   gru_cell_pointwise(hidden, from_input, from_state, bias, state);
*/
// What remains of a GRU's step after its two products: two gates, the candidate and the new state, in place.
__global__ void gru_cell_pointwise(int hidden, const float *from_input, const float *from_state, const float *bias, float *state)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    const float *a = from_input + (size_t)blockIdx.y * 3 * hidden;
    const float *b = from_state + (size_t)blockIdx.y * 3 * hidden;
    float reset = 1.0f / (1.0f + expf(-(a[j] + b[j] + bias[j])));
    float update = 1.0f / (1.0f + expf(-(a[hidden + j] + b[hidden + j] + bias[hidden + j])));
    float candidate = tanhf(a[2 * hidden + j] + reset * (b[2 * hidden + j] + bias[2 * hidden + j]));
    size_t at = (size_t)blockIdx.y * hidden + j;
    state[at] = update * state[at] + (1.0f - update) * candidate;
}

/* kmutate launch
   int rows = 420000, touched = 90000; dim3 block = { 32, 8 }; dim3 grid = { ceil_div(touched, 8) };
   float table[rows * 64] = normal(0, 0.05); float sums[rows] = uniform(0.1, 1); int which[rows] = permutation(); float gradient[touched * 64] = normal(0, 0.01);
   adagrad_some_rows(touched, 0.05f, (float2 *)table, sums, which, (float2 *)gradient);
*/
// Adagrad for the rows of an embedding that a batch touched, with one sum of squares for each row; a warp to a row.
__global__ void adagrad_some_rows(int touched, float rate, float2 *table, float *sums, const int *which, const float2 *gradient)
{
    const int i = blockIdx.x * 8 + threadIdx.y;
    if (i >= touched) return;
    const int row = which[i];
    const float2 g = gradient[(size_t)i * 32 + threadIdx.x];
    const float squares = warp_total(g.x * g.x + g.y * g.y) * (1.0f / 64.0f);
    const float all = sums[row] + squares;
    const float scale = rate * rsqrtf(all + 1e-8f);
    float2 w = table[(size_t)row * 32 + threadIdx.x];
    w.x -= scale * g.x;
    w.y -= scale * g.y;
    table[(size_t)row * 32 + threadIdx.x] = w;
    __syncwarp();
    if (threadIdx.x == 0) sums[row] = all;
}

/* kmutate launch
   int images = 6, channels = 24, h = 192, w = 256; dim3 block = { 128 }; dim3 grid = { w / 128, h, images };
   float in[images * channels * h * w] = normal(); float2 flow[images * h * w] = uniform(-9, 9); float out[images * channels * h * w] = zeros();
   warp_by_flow_bilinear(channels, h, w, in, flow, out);
*/
// Features are warped by a flow: weights and places once for each pixel, then all channels one after another, zero outside.
__global__ void warp_by_flow_bilinear(int channels, int h, int w, const float *in, const float2 *flow, float *out)
{
    const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, plane = h * w;
    const float2 f = flow[(blockIdx.z * h + y) * w + x];
    const float sx = x + f.x, sy = y + f.y, fx = floorf(sx), fy = floorf(sy);
    const int ix = (int)fx, iy = (int)fy;
    const float ax = sx - fx, ay = sy - fy;
    const bool left = ix >= 0 && ix < w, right = ix + 1 >= 0 && ix + 1 < w, top = iy >= 0 && iy < h, bottom = iy + 1 >= 0 && iy + 1 < h;
    const float w00 = left && top ? (1 - ax) * (1 - ay) : 0.0f, w01 = right && top ? ax * (1 - ay) : 0.0f;
    const float w10 = left && bottom ? (1 - ax) * ay : 0.0f, w11 = right && bottom ? ax * ay : 0.0f;
    const int x0 = min(max(ix, 0), w - 1), x1 = min(max(ix + 1, 0), w - 1), y0 = min(max(iy, 0), h - 1), y1 = min(max(iy + 1, 0), h - 1);
    const float *from = in + (size_t)blockIdx.z * channels * plane;
    float *to = out + (size_t)blockIdx.z * channels * plane + y * w + x;
    for (int c = 0; c < channels; c++) {
        *to = w00 * from[y0 * w + x0] + w01 * from[y0 * w + x1] + w10 * from[y1 * w + x0] + w11 * from[y1 * w + x1];
        from += plane;
        to += plane;
    }
}

/* kmutate launch
   int boxes = 5120; dim3 block = { 64 }; dim3 grid = { boxes / 64, boxes / 64 };
   float4 corner_and_size[boxes] = uniform(10, 500); unsigned long long overlaps[boxes * (boxes / 64)] = zeros();
   suppress_overlap_words(boxes, 0.45f, corner_and_size, overlaps);
*/
// Which boxes overlap too much with which later ones: a thread has a box, and its bits for 64 others are a word.
__global__ void suppress_overlap_words(int boxes, float limit, const float4 *corner_and_size, u64 *overlaps)
{
    if (blockIdx.x < blockIdx.y) return;
    __shared__ float4 others[64];
    const int t = threadIdx.x, mine = blockIdx.y * 64 + t;
    others[t] = corner_and_size[blockIdx.x * 64 + t];
    __syncthreads();
    const float4 a = corner_and_size[mine];
    u64 word = 0;
    for (int k = blockIdx.x == blockIdx.y ? t + 1 : 0; k < 64; k++) {
        const float4 b = others[k];
        const float wide = fminf(a.x + a.z, b.x + b.z) - fmaxf(a.x, b.x), high = fminf(a.y + a.w, b.y + b.w) - fmaxf(a.y, b.y);
        if (wide > 0.0f && high > 0.0f) {
            const float both = wide * high;
            if (both / (a.z * a.w + b.z * b.w - both) > limit) word |= 1ull << k;
        }
    }
    overlaps[(size_t)mine * (boxes / 64) + blockIdx.x] = word;
}

/* kmutate launch
   int images = 4, cin = 32, cout = 24, side = 44; dim3 block = { 128 }; dim3 grid = { ceil_div(images * cout * 4 * side * side, 128) };
   float in[images * cin * side * side] = normal(); float weight[cin * cout * 16] = normal(0, 0.1); float out[images * cout * 4 * side * side] = zeros();
   transposed_conv_naive(images, cin, cout, side, in, weight, out);
*/
// A transposed convolution of 4 x 4 with a stride of two, as students write it: each output looks for the inputs that reach it.
__global__ void transposed_conv_naive(int images, int cin, int cout, int side, const float *in, const float *weight, float *out)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int big = 2 * side;
    if (idx >= images * cout * big * big) return;
    int ox = idx % big, oy = idx / big % big, co = idx / (big * big) % cout, image = idx / (big * big * cout);
    float sum = 0.0f;
    for (int ci = 0; ci < cin; ci++)
        for (int ky = 0; ky < 4; ky++) {
            int y = oy + 1 - ky;
            if (y < 0 || y % 2 != 0 || y / 2 >= side) continue;
            for (int kx = 0; kx < 4; kx++) {
                int x = ox + 1 - kx;
                if (x < 0 || x % 2 != 0 || x / 2 >= side) continue;
                sum += in[((image * cin + ci) * side + y / 2) * side + x / 2] * weight[((ci * cout + co) * 4 + ky) * 4 + kx];
            }
        }
    out[idx] = sum;
}

/* kmutate launch
   int n = 11000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n / 4, 256) };
   float master[n] = normal(0, 0.05); float momentum[n] = zeros(); half gradient[n] = normal(0, 2); half weight[n] = zeros(); float scale[1] = { 0.0009765625f };
   nesterov_mixed_precision(n / 4, 0.01f, 0.9f, 0.0001f, scale, (float4 *)master, (float4 *)momentum, (uint2 *)gradient, (uint2 *)weight);
*/
// Nesterov's momentum with weights of 32 bits behind those of 16; the gradient's scale comes from memory, four weights to a thread.
__global__ void nesterov_mixed_precision(int quads, float rate, float keep, float decay, const float *scale, float4 *master, float4 *momentum,
                                         const uint2 *gradient, uint2 *weight)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    const float unscale = *scale;
    const uint2 packed = gradient[i];
    const float2 g01 = __half22float2(*(const half2 *)&packed.x), g23 = __half22float2(*(const half2 *)&packed.y);
    const float g[4] = { g01.x, g01.y, g23.x, g23.y };
    float4 p4 = master[i], m4 = momentum[i];
    float p[4] = { p4.x, p4.y, p4.z, p4.w }, m[4] = { m4.x, m4.y, m4.z, m4.w };
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float d = g[k] * unscale + decay * p[k];
        m[k] = keep * m[k] + d;
        p[k] -= rate * (d + keep * m[k]);
    }
    master[i] = make_float4(p[0], p[1], p[2], p[3]);
    momentum[i] = make_float4(m[0], m[1], m[2], m[3]);
    const half2 low = __floats2half2_rn(p[0], p[1]), high = __floats2half2_rn(p[2], p[3]);
    weight[i] = make_uint2(*(const unsigned *)&low, *(const unsigned *)&high);
}

// ------------------------------------------------------------------------------------------------------------------- genes

/* kmutate launch
   int bases = 2800000; dim3 block = { 256 }; dim3 grid = { ceil_div(bases, 256) };
   unsigned packed[bases / 16 + 4] = randint(0, 4294967296ll); unsigned sketch[4 << 20] = zeros();
   kmer_sketch_counts(bases, packed, sketch);
*/
// All words of 21 letters of a genome are counted in a sketch of four rows of a million counters; letters have two bits.
__global__ void kmer_sketch_counts(int bases, const unsigned *packed, unsigned *sketch)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bases) return;
    const int word = i / 16, shift = i % 16 * 2;
    const unsigned a = packed[word], b = packed[word + 1], c = packed[word + 2];
    const u64 low = __funnelshift_r(a, b, shift), high = __funnelshift_r(b, c, shift);
    const u64 forward = (low | high << 32) & ((1ull << 42) - 1);
    const u64 backward = (__brevll(~forward) >> 22 & 0x15555555555ull) << 1 | (__brevll(~forward) >> 23 & 0x15555555555ull);
    u64 key = min(forward, backward & ((1ull << 42) - 1));
#pragma unroll
    for (int row = 0; row < 4; row++) {
        key = (key ^ (key >> 29)) * 0xbf58476d1ce4e5b9ull + row;
        atomicAdd(&sketch[(row << 20) + (unsigned)(key >> 44)], 1u);
    }
}

/* kmutate launch
   int sites = 420000; dim3 block = { 128 }; dim3 grid = { ceil_div(sites, 128) };
   unsigned char leaf[64 * sites] = randint(0, 4); unsigned changes[sites] = zeros();
   fitch_changes_by_site(sites, leaf, changes);
*/
// Fitch's count of the least changes on a balanced tree of 64 leaves: sets of letters are bits of bytes in shared memory.
__global__ void fitch_changes_by_site(int sites, const unsigned char *leaf, unsigned *changes)
{
    __shared__ unsigned char set[64][128];
    const int t = threadIdx.x, site = blockIdx.x * 128 + t;
    if (site >= sites) return;
    for (int k = 0; k < 64; k++)
        set[k][t] = 1 << leaf[(size_t)k * sites + site];
    unsigned count = 0;
    for (int level = 32; level > 0; level >>= 1)
        for (int k = 0; k < level; k++) {
            const unsigned a = set[2 * k][t], b = set[2 * k + 1][t], both = a & b;
            if (both == 0) count++;
            set[k][t] = both ? both : a | b;
        }
    changes[site] = count;
}

/* kmutate launch
   int letters = 1500000; dim3 block = { 128 }; dim3 grid = { ceil_div(letters, 128) };
   extern int motif_score[30 * 20] = randint(-600, 300);
   unsigned char protein[letters + 32] = randint(0, 20); int score[letters] = zeros();
   motif_scan_constant(letters, protein, score);
*/
// A motif of 30 places is tried at each letter of proteins; lanes read different scores of constant memory at once.
__constant__ int motif_score[30 * 20];
__global__ void motif_scan_constant(int letters, const unsigned char *protein, int *score)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= letters) return;
    int sum = 0;
    for (int k = 0; k < 30; k++)
        sum += motif_score[k * 20 + protein[i + k]];
    score[i] = sum;
}

// -------------------------------------------------------------------------------------------------------------------- rays

/* kmutate launch
   int width = 960, height = 540, side = 2048; dim3 block = { 16, 8 }; dim3 grid = { width / 16, ceil_div(height, 8) };
   float ground[side * side] = uniform(0, 40); float4 image[width * height] = zeros();
   heightfield_march(width, height, side, ground, image);
*/
// A landscape is seen from above its middle: each pixel's ray goes on until it is below the ground, in steps that grow.
__global__ void heightfield_march(int width, int height, int side, const float *ground, float4 *image)
{
    const int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    if (py >= height) return;
    float dx = (px - 0.5f * width) / height, dy = 1.0f, dz = (0.35f * height - py) / height - 0.3f;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= inverse; dy *= inverse; dz *= inverse;
    float x = 0.5f * side, y = 0.25f * side, z = 120.0f, along = 0.0f, step = 1.0f, level = 0.0f;
    bool hit = false;
    for (int s = 0; s < 220; s++) {
        x += step * dx; y += step * dy; z += step * dz;
        along += step;
        if (x < 1.0f || y < 1.0f || x >= side - 2 || y >= side - 2) break;
        if (z > 41.0f && dz >= 0.0f) break;
        const int ix = (int)x, iy = (int)y;
        level = ground[iy * side + ix];
        if (z < level) {
            hit = true;
            break;
        }
        step = 1.0f + along * 0.004f;
    }
    float4 colour = make_float4(0.5f, 0.7f, 1.0f, 1.0e9f);
    if (hit) {
        const int at = (int)y * side + (int)x;
        const float gx = ground[at + 1] - level, gy = ground[at + side] - level;
        const float light = fmaxf(0.1f, (0.6f - 0.5f * gx - 0.3f * gy) * rsqrtf(1.0f + gx * gx + gy * gy));
        const float haze = __expf(-along * 0.0015f);
        colour = make_float4(light * haze, light * 0.8f * haze, light * 0.6f * haze, along);
    }
    image[py * width + px] = colour;
}

/* kmutate launch
   int width = 400, height = 320; dim3 block = { 8, 8 }; dim3 grid = { width / 8, height / 8 };
   float depth[width * height] = zeros();
   mandelbulb_depths(width, height, depth);
*/
// The distance to a fractal of power eight: each step of a ray is an iteration of its own with angles and powers.
__global__ void mandelbulb_depths(int width, int height, float *depth)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float dx = (2.0f * px - width) / height, dy = (2.0f * py - height) / height, dz = 1.8f;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= inverse; dy *= inverse; dz *= inverse;
    float along = 1.0f;
    for (int s = 0; s < 40; s++) {
        const float cx = along * dx, cy = along * dy, cz = along * dz - 2.4f;
        float x = cx, y = cy, z = cz, slope = 1.0f, r = 0.0f;
        for (int k = 0; k < 6; k++) {
            r = sqrtf(x * x + y * y + z * z);
            if (r > 2.0f) break;
            const float theta = 8.0f * acosf(fminf(fmaxf(z / fmaxf(r, 1e-6f), -1.0f), 1.0f)), phi = 8.0f * atan2f(y, x);
            const float r7 = powf(r, 7.0f), r8 = r7 * r;
            slope = 8.0f * r7 * slope + 1.0f;
            x = r8 * __sinf(theta) * __cosf(phi) + cx;
            y = r8 * __sinf(theta) * __sinf(phi) + cy;
            z = r8 * __cosf(theta) + cz;
        }
        const float distance = 0.5f * logf(fmaxf(r, 1e-6f)) * r / slope;
        along += fmaxf(distance, 0.0f);
        if (distance < 0.001f || along > 4.0f) break;
    }
    depth[py * width + px] = along;
}

// ---------------------------------------------------------------------------------------------- whole numbers, bits, doubles

/* kmutate launch
   int n = 8000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float x[n] = uniform(0, 1); float y[n] = uniform(0, 1); float z[n] = uniform(0, 1); unsigned long long code[n] = zeros();
   morton_codes_63(n, x, y, z, code);
*/
// Bits of three coordinates are interleaved to keys of 63 bits.
__device__ __forceinline__ u64 spread_by_three(u64 v)
{
    v &= 0x1fffffull;
    v = (v | v << 32) & 0x001f00000000ffffull;
    v = (v | v << 16) & 0x001f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
}

__global__ void morton_codes_63(int n, const float *x, const float *y, const float *z, u64 *code)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u64 a = (u64)(x[i] * 2097151.0f), b = (u64)(y[i] * 2097151.0f), c = (u64)(z[i] * 2097151.0f);
    code[i] = spread_by_three(a) | spread_by_three(b) << 1 | spread_by_three(c) << 2;
}

/* kmutate launch
   int n = 1600000; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   unsigned a[n] = randint(1, 4294967296ll); unsigned b[n] = randint(1, 4294967296ll); unsigned gcd[n] = zeros();
   binary_gcd_pairs(n, a, b, gcd);
*/
// Greatest common divisors by shifts and differences.
__global__ void binary_gcd_pairs(int n, const unsigned *a, const unsigned *b, unsigned *gcd)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned u = a[i], v = b[i];
    int twos = __ffs(u | v) - 1;
    u >>= __ffs(u) - 1;
    while (v != 0) {
        v >>= __ffs(v) - 1;
        if (u > v) {
            unsigned w = u;
            u = v;
            v = w;
        }
        v -= u;
    }
    gcd[i] = u << twos;
}

/* kmutate launch
   int words = 17 << 20; dim3 block = { 256 }; dim3 grid = { words / 256 };
   unsigned in[words] = randint(0, 4294967296ll); unsigned out[words] = zeros();
   transpose_bits_by_shuffles(in, out);
*/
// Squares of 32 x 32 bits are transposed within warps: five exchanges of ever smaller halves.
__global__ void transpose_bits_by_shuffles(const unsigned *in, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    unsigned v = in[i], mask = 0x0000ffffu;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const unsigned other = __shfl_xor_sync(0xffffffffu, v, d);
        v = lane & d ? (v & ~mask) | ((other & ~mask) >> d) : (v & mask) | ((other & mask) << d);
        mask ^= mask << (d >> 1);
    }
    out[i] = v;
}

/* kmutate launch
   int n = 90000; unsigned first = 4000000001u; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   unsigned char prime[n] = zeros(); unsigned total[1] = zeros();
   miller_rabin_odds(n, first, prime, total);
*/
// Which of the odd numbers from a place on are primes, by three bases; most threads know it soon, but not their warps.
__device__ bool strong_probable(unsigned n, unsigned base)
{
    unsigned odd = n - 1;
    int twos = 0;
    while ((odd & 1) == 0) {
        odd >>= 1;
        twos++;
    }
    u64 x = 1, power = base;
    for (unsigned e = odd; e > 0; e >>= 1) {
        if (e & 1) x = x * power % n;
        power = power * power % n;
    }
    if (x == 1 || x == n - 1) return true;
    for (int r = 1; r < twos; r++) {
        x = x * x % n;
        if (x == n - 1) return true;
    }
    return false;
}

__global__ void miller_rabin_odds(int n, unsigned first, unsigned char *prime, unsigned *total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool yes = false;
    if (i < n) {
        unsigned candidate = first + 2u * i;
        yes = candidate % 3 != 0 && candidate % 5 != 0 && strong_probable(candidate, 2) && strong_probable(candidate, 7) && strong_probable(candidate, 61);
        prime[i] = yes;
    }
    unsigned votes = __ballot_sync(0xffffffffu, yes);
    if ((threadIdx.x & 31) == 0 && votes) atomicAdd(total, (unsigned)__popc(votes));
}

/* kmutate launch
   int n = 132 * 384; dim3 block = { 128 }; dim3 grid = { n / 128 };
   double a[n] = uniform(0.5, 1.5); double b[n] = uniform(1, 3.5); double2 state[n] = uniform(0.5, 2); double2 after[n] = zeros();
   brusselator_rk4_fp64(160, 0.01, a, b, state, after);
*/
// Many small reactors of two substances, four stages of Runge and Kutta for each step, all in registers.
__global__ void brusselator_rk4_fp64(int steps, double dt, const double *a, const double *b, const double2 *state, double2 *after)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double feed = a[i], turn = b[i] + 1.0;
    double x = state[i].x, y = state[i].y;
    for (int s = 0; s < steps; s++) {
        double sx = 0.0, sy = 0.0, px = x, py = y;
#pragma unroll
        for (int stage = 0; stage < 4; stage++) {
            const double xxy = px * px * py;
            const double kx = feed + xxy - turn * px, ky = (turn - 1.0) * px - xxy;
            const double weight = stage == 1 || stage == 2 ? 2.0 : 1.0, ahead = stage == 2 ? dt : 0.5 * dt;
            sx += weight * kx;
            sy += weight * ky;
            px = x + ahead * kx;
            py = y + ahead * ky;
        }
        x += dt / 6.0 * sx;
        y += dt / 6.0 * sy;
    }
    after[i] = make_double2(x, y);
}
