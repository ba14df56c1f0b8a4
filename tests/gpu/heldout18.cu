// The eighteenth set of kernels that nobody tuned the model of time for: loops of linear algebra as suites have them
// and tuned, grids, layers of networks there and back, graphs and sparse matrices, sorting and counting, and
// applications, written from what is commonly known of the algorithms by someone who had seen neither the model nor
// its results.

#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>

// ---------------------------------------------------------------------------------------------------- linear algebra

/* kmutate launch
   int n = 2048; dim3 block = { 32 }; dim3 grid = { n / 32 };
   double A[n * n] = uniform(-1, 1); double B[n * n] = uniform(-1, 1); double x[n] = uniform(-1, 1);
   double y[n] = zeros();
   gesummv_two_row_walks_fp64(n, 1.5, 1.2, A, B, x, y);
*/
// y = alpha A x + beta B x in doubles: a thread goes along its row of both matrices, blocks of a single warp.
__global__ void gesummv_two_row_walks_fp64(int n, double alpha, double beta, const double *A, const double *B,
                                           const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double first = 0.0, second = 0.0;
        for (int j = 0; j < n; j++) {
            first += A[i * n + j] * x[j];
            second += B[i * n + j] * x[j];
        }
        y[i] = alpha * first + beta * second;
    }
}

/* kmutate launch
   int m = 512, n = 480, k = 448; dim3 block = { 32, 4 }; dim3 grid = { n / 32, m / 4 };
   double A[m * k] = uniform(-1, 1); double B[k * n] = uniform(-1, 1); double C[m * n] = zeros();
   dgemm_by_columns_wrong_way_round(m, n, k, A, B, C);
*/
// The first product of 2mm in doubles with matrices stored by columns, while the lanes still go along a row of C.
__global__ void dgemm_by_columns_wrong_way_round(int m, int n, int k, const double *A, const double *B, double *C)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    double sum = 0.0;
    for (int e = 0; e < k; e++)
        sum += A[e * m + row] * B[col * k + e];
    C[col * m + row] = sum;
}

/* kmutate launch
   int rows = 4096, cols = 4096, chunk = 64; dim3 block = { 128 }; dim3 grid = { cols / 128, rows / chunk };
   float A[rows * cols] = uniform(-1, 1); float r[rows] = uniform(-1, 1); float p[cols] = uniform(-1, 1);
   float s[cols] = zeros(); float q[rows] = zeros();
   bicg_both_products_one_pass(rows, cols, chunk, A, r, p, s, q);
*/
// Both products of BiCG in one pass over the matrix: a thread owns a column of a strip of 64 rows and adds to s at its
// end; for q each row's products are summed by shuffles and the first lane adds them by an atomic.
__global__ void bicg_both_products_one_pass(int rows, int cols, int chunk, const float *__restrict__ A,
                                            const float *__restrict__ r, const float *__restrict__ p, float *s,
                                            float *q)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * chunk;
    if (col >= cols)
        return;
    float mine = p[col];
    float sum = 0.0f;
    for (int i = first; i < first + chunk && i < rows; i++) {
        float a = A[(size_t)i * cols + col];
        sum += a * r[i];
        float part = a * mine;
        for (int o = 16; o > 0; o >>= 1)
            part += __shfl_down_sync(~0u, part, o);
        if ((threadIdx.x & 31) == 0)
            atomicAdd(&q[i], part);
    }
    atomicAdd(&s[col], sum);
}

/* kmutate launch
   int n = 1024, step = 12; dim3 block = { 4, 4 }; dim3 grid = { n / 4, n / 4 };
   float m[n * n] = uniform(-1, 1); float a[n * n] = uniform(-1, 1); float b[n] = uniform(-1, 1);
   gaussian_rest_of_matrix_sixteens(m, a, b, n, step);
*/
// The second kernel of Gaussian elimination: rows below the pivot lose their multiple of its row. Blocks of four by
// four threads, and the threads' fast index goes down the rows.
__global__ void gaussian_rest_of_matrix_sixteens(const float *m, float *a, float *b, int n, int step)
{
    int down = blockIdx.x * blockDim.x + threadIdx.x;
    int right = blockIdx.y * blockDim.y + threadIdx.y;
    if (down >= n - 1 - step || right >= n - step)
        return;
    int row = down + 1 + step;
    int col = right + step;
    a[n * row + col] -= m[n * row + step] * a[n * step + col];
    if (right == 0)
        b[row] -= m[n * row + step] * b[step];
}

/* kmutate launch
   int n = 2048, offset = 256; dim3 block = { 64 }; dim3 grid = { (n - offset) / 32 - 1 };
   float m[n * n] = uniform(0.5, 1.5);
   lu_perimeter_two_warps_of_32(m, n, offset);
*/
// LU, tiles right of and below the diagonal one: one warp solves a tile of the row, the other a tile of the column, 32
// by 32 each; the second one walks along rows of shared memory, all lanes on one bank.
__global__ void lu_perimeter_two_warps_of_32(float *m, int n, int offset)
{
    __shared__ float diagonal[32][32];
    __shared__ float upper[32][32];
    __shared__ float lower[32][32];
    int t = threadIdx.x & 31;
    int away = offset + (blockIdx.x + 1) * 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 32; i++) {
            diagonal[i][t] = m[(offset + i) * n + offset + t];
            upper[i][t] = m[(offset + i) * n + away + t];
        }
    } else {
        for (int i = 0; i < 32; i++)
            lower[i][t] = m[(away + i) * n + offset + t];
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = 1; i < 32; i++)
            for (int j = 0; j < i; j++)
                upper[i][t] -= diagonal[i][j] * upper[j][t];
    } else {
        for (int i = 0; i < 32; i++) {
            for (int j = 0; j < i; j++)
                lower[t][i] -= lower[t][j] * diagonal[j][i];
            lower[t][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = 1; i < 32; i++)
            m[(offset + i) * n + away + t] = upper[i][t];
    } else {
        for (int i = 0; i < 32; i++)
            m[(away + i) * n + offset + t] = lower[i][t];
    }
}

/* kmutate launch
   int m = 960, n = 960, k = 1024; dim3 block = { 128 }; dim3 grid = { n / 48, m / 96 };
   float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1); float C[m * n] = uniform(-1, 1);
   sgemm_96_by_48_six_by_six(m, n, k, 0.5f, A, B, 2.0f, C);
*/
// A middle rung of the matrix product's ladder in an odd shape: tiles of 96 by 48 by 16, four warps, strided six by
// six results for each thread, single floats on their way into shared memory.
__global__ __launch_bounds__(128) void sgemm_96_by_48_six_by_six(int m, int n, int k, float alpha,
                                                                 const float *__restrict__ A,
                                                                 const float *__restrict__ B, float beta,
                                                                 float *__restrict__ C)
{
    __shared__ float As[16][97];
    __shared__ float Bs[16][48];
    int t = threadIdx.x;
    int tx = t & 7, ty = t >> 3;
    const float *a = A + (size_t)blockIdx.y * 96 * k;
    const float *b = B + blockIdx.x * 48;
    float acc[6][6] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 12; i++) {
            int e = t + i * 128;
            As[e & 15][e >> 4] = a[(size_t)(e >> 4) * k + k0 + (e & 15)];
        }
#pragma unroll
        for (int i = 0; i < 6; i++) {
            int e = t + i * 128;
            Bs[e / 48][e % 48] = b[(size_t)(k0 + e / 48) * n + e % 48];
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < 16; e++) {
            float u[6], v[6];
#pragma unroll
            for (int i = 0; i < 6; i++) {
                u[i] = As[e][ty + i * 16];
                v[i] = Bs[e][tx + i * 8];
            }
#pragma unroll
            for (int i = 0; i < 6; i++)
#pragma unroll
                for (int j = 0; j < 6; j++)
                    acc[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 6; i++) {
#pragma unroll
        for (int j = 0; j < 6; j++) {
            size_t at = (size_t)(blockIdx.y * 96 + ty + i * 16) * n + blockIdx.x * 48 + tx + j * 8;
            C[at] = alpha * acc[i][j] + beta * C[at];
        }
    }
}

/* kmutate launch
   int m = 768, n = 640, k = 512; dim3 block = { 16, 16 }; dim3 grid = { n / 32, m / 32 };
   double A[m * k] = uniform(-1, 1); double B[k * n] = uniform(-1, 1); double C[m * n] = zeros();
   dgemm_shared_two_by_two(m, n, k, A, B, C);
*/
// Doubles in tiles of 32 by 32 by 16: two by two results for each of 256 threads, half a tile apart.
__global__ void dgemm_shared_two_by_two(int m, int n, int k, const double *__restrict__ A,
                                        const double *__restrict__ B, double *__restrict__ C)
{
    __shared__ double As[32][17];
    __shared__ double Bs[16][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    double c00 = 0.0, c01 = 0.0, c10 = 0.0, c11 = 0.0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        As[ty][tx] = A[row * k + k0 + tx];
        As[ty + 16][tx] = A[(row + 16) * k + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * n + col];
        Bs[ty][tx + 16] = B[(k0 + ty) * n + col + 16];
        __syncthreads();
        for (int e = 0; e < 16; e++) {
            double a0 = As[ty][e], a1 = As[ty + 16][e];
            double b0 = Bs[e][tx], b1 = Bs[e][tx + 16];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }
    C[row * n + col] = c00;
    C[row * n + col + 16] = c01;
    C[(row + 16) * n + col] = c10;
    C[(row + 16) * n + col + 16] = c11;
}

/* kmutate launch
   int n = 1024, m = 512; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   float A[n * m] = uniform(-1, 1); float B[n * m] = uniform(-1, 1); float C[n * n] = uniform(-1, 1);
   syr2k_upper_four_small_tiles(n, m, 1.5f, 1.2f, A, B, C);
*/
// The upper half of C = beta C + alpha (A B' + B A'): four tiles of 16 by 16 in shared memory, one result for each
// thread; blocks below the diagonal leave at once.
__global__ void syr2k_upper_four_small_tiles(int n, int m, float alpha, float beta, const float *__restrict__ A,
                                             const float *__restrict__ B, float *C)
{
    __shared__ float Ai[16][17], Bi[16][17], Aj[16][17], Bj[16][17];
    if (blockIdx.y > blockIdx.x)
        return;
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    int other = blockIdx.x * 16 + ty;
    float sum = 0.0f;
    for (int k0 = 0; k0 < m; k0 += 16) {
        Ai[ty][tx] = A[i * m + k0 + tx];
        Bi[ty][tx] = B[i * m + k0 + tx];
        Aj[ty][tx] = A[other * m + k0 + tx];
        Bj[ty][tx] = B[other * m + k0 + tx];
        __syncthreads();
        for (int e = 0; e < 16; e++)
            sum += Ai[ty][e] * Bj[tx][e] + Bi[ty][e] * Aj[tx][e];
        __syncthreads();
    }
    if (j >= i)
        C[i * n + j] = beta * C[i * n + j] + alpha * sum;
}

/* kmutate launch
   int batch = 10000; dim3 block = { 128 }; dim3 grid = { batch / 4 };
   double A[batch * 24 * 24] = uniform(-1, 1);
   cholesky_24_warp_for_matrix(batch, A);
*/
// Cholesky's factor of many matrices of 24 by 24 doubles whose diagonal is lifted by 24: a warp for each matrix in
// shared memory, a lane for each row, column by column.
__global__ void cholesky_24_warp_for_matrix(int batch, double *A)
{
    __shared__ double S[4][24][25];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    int id = blockIdx.x * 4 + warp;
    if (id >= batch)
        return;
    double *a = A + (size_t)id * 576;
    for (int e = lane; e < 576; e += 32)
        S[warp][e / 24][e % 24] = a[e] + (e % 25 == 0 ? 24.0 : 0.0);
    __syncwarp();
    for (int k = 0; k < 24; k++) {
        double root = sqrt(S[warp][k][k]);
        __syncwarp();
        if (lane == k)
            S[warp][k][k] = root;
        else if (lane > k && lane < 24)
            S[warp][lane][k] /= root;
        __syncwarp();
        if (lane > k && lane < 24) {
            double mine = S[warp][lane][k];
            for (int j = k + 1; j <= lane; j++)
                S[warp][lane][j] -= mine * S[warp][j][k];
        }
        __syncwarp();
    }
    for (int e = lane; e < 576; e += 32)
        a[e] = e % 24 <= e / 24 ? S[warp][e / 24][e % 24] : 0.0;
}

/* kmutate launch
   int m = 2048, n = 2048, k = 100; dim3 block = { 256 }; dim3 grid = { 1 };
   float A[m * n] = uniform(-1, 1); float R[n * n] = zeros();
   gramschmidt_norm_lonely_thread(m, n, k, A, R);
*/
// Gram and Schmidt's first step as a suite has it: one thread of one block adds up the squares of a whole column.
__global__ void gramschmidt_norm_lonely_thread(int m, int n, int k, const float *A, float *R)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid == 0) {
        float norm = 0.0f;
        for (int i = 0; i < m; i++)
            norm += A[i * n + k] * A[i * n + k];
        R[k * n + k] = sqrtf(norm);
    }
}

// ------------------------------------------------------------------------------------------------------------- grids

/* kmutate launch
   int n = 10000; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float A[n] = uniform(-1, 1); float B[n] = zeros();
   jacobi_line_three_points(n, A, B);
*/
// One step of Jacobi's method on a short line.
__global__ void jacobi_line_three_points(int n, const float *A, float *B)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        B[i] = 0.33333f * (A[i - 1] + A[i] + A[i + 1]);
}

/* kmutate launch
   int rows = 2050, cols = 1026, colour = 1; dim3 block = { 32, 4 };
   dim3 grid = { (cols / 2 + 31) / 32, (rows + 3) / 4 };
   double u[rows * cols] = uniform(-1, 1); double f[rows * cols] = uniform(-1, 1);
   red_black_half_sweep_fp64(rows, cols, colour, 1.2, 0.01, u, f);
*/
// Half a sweep of successive overrelaxation in doubles: points of one colour, in place, so every other word is used.
__global__ void red_black_half_sweep_fp64(int rows, int cols, int colour, double omega, double h2, double *u,
                                          const double *f)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int col = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((row + colour) & 1);
    if (row >= rows - 1 || col >= cols - 1)
        return;
    int at = row * cols + col;
    double sum = u[at - 1] + u[at + 1] + u[at - cols] + u[at + cols];
    u[at] = (1.0 - omega) * u[at] + omega * 0.25 * (sum - h2 * f[at]);
}

/* kmutate launch
   int nx = 512, ny = 512, nz = 8; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4 };
   float power[nx * ny * nz] = uniform(0, 1); float in[nx * ny * nz] = uniform(320, 340);
   float out[nx * ny * nz] = zeros();
   hotspot_layers_three_registers(power, in, out, nx, ny, nz, 0.03f, 0.03f, 0.11f, 0.66f, 0.2f);
*/
// Heat in the eight layers of a chip: a thread walks through the layers with those below and above in registers.
__global__ void hotspot_layers_three_registers(const float *power, const float *in, float *out, int nx, int ny, int nz,
                                               float side, float front, float vertical, float centre, float source)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int c = y * nx + x;
    int layer = nx * ny;
    int west = x == 0 ? 0 : -1, east = x == nx - 1 ? 0 : 1;
    int north = y == 0 ? 0 : -nx, south = y == ny - 1 ? 0 : nx;
    float below = in[c], here = below, above = in[c + layer];
    for (int z = 0; z < nz; z++) {
        float sum = side * (in[c + west] + in[c + east]) + front * (in[c + north] + in[c + south]);
        out[c] = sum + centre * here + vertical * (below + above) + source * power[c] + vertical * 80.0f;
        c += layer;
        below = here;
        here = above;
        if (z < nz - 2)
            above = in[c + layer];
    }
}

/* kmutate launch
   int rows = 1024; dim3 block = { 192 }; dim3 grid = { rows };
   int in[rows * 1024] = randint(-128, 128); int out[rows * 1024] = zeros();
   wavelet_five_three_rows_lifted(in, out);
*/
// The reversible wavelet of five and three taps along rows of 1024 integers: one block has a row, odd samples are
// predicted and then even ones updated in shared memory; low half first, high half behind it.
__global__ void wavelet_five_three_rows_lifted(const int *in, int *out)
{
    __shared__ int even[513];
    __shared__ int odd[513];
    const int *row = in + blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        if (i & 1)
            odd[(i >> 1) + 1] = row[i];
        else
            even[i >> 1] = row[i];
    }
    if (threadIdx.x == 0)
        even[512] = row[1022];
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        odd[i + 1] -= (even[i] + even[i + 1]) >> 1;
    __syncthreads();
    if (threadIdx.x == 0)
        odd[0] = odd[1];
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        out[blockIdx.x * 1024 + i] = even[i] + ((odd[i] + odd[i + 1] + 2) >> 2);
        out[blockIdx.x * 1024 + 512 + i] = odd[i + 1];
    }
}

/* kmutate launch
   int n = 1024; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   float h[n * n] = uniform(1, 2); float hu[n * n] = uniform(-0.1, 0.1); float hv[n * n] = uniform(-0.1, 0.1);
   float h2[n * n] = zeros(); float hu2[n * n] = zeros(); float hv2[n * n] = zeros();
   shallow_water_tile_with_rim(n, 0.05f, h, hu, hv, h2, hu2, hv2);
*/
// Shallow water by the scheme of Lax and Friedrichs: height and two momenta in tiles of 18 by 18, fluxes from
// neighbours with a division for each, clamped at the shores.
__global__ void shallow_water_tile_with_rim(int n, float ratio, const float *h, const float *hu, const float *hv,
                                            float *h2, float *hu2, float *hv2)
{
    __shared__ float sh[18][18], su[18][18], sv[18][18];
    int tid = threadIdx.y * 16 + threadIdx.x;
    for (int e = tid; e < 324; e += 256) {
        int y = min(max((int)blockIdx.y * 16 + e / 18 - 1, 0), n - 1);
        int x = min(max((int)blockIdx.x * 16 + e % 18 - 1, 0), n - 1);
        sh[e / 18][e % 18] = h[y * n + x];
        su[e / 18][e % 18] = hu[y * n + x];
        sv[e / 18][e % 18] = hv[y * n + x];
    }
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    float he = sh[y][x + 1], ue = su[y][x + 1], ve = sv[y][x + 1];
    float hw = sh[y][x - 1], uw = su[y][x - 1], vw = sv[y][x - 1];
    float hs = sh[y + 1][x], us = su[y + 1][x], vs = sv[y + 1][x];
    float hn = sh[y - 1][x], un = su[y - 1][x], vn = sv[y - 1][x];
    const float g = 9.81f;
    float f1 = ue - uw;
    float f2 = ue * ue / he - uw * uw / hw + 0.5f * g * (he * he - hw * hw);
    float f3 = ue * ve / he - uw * vw / hw;
    float g1 = vs - vn;
    float g2 = us * vs / hs - un * vn / hn;
    float g3 = vs * vs / hs - vn * vn / hn + 0.5f * g * (hs * hs - hn * hn);
    int at = (blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x;
    h2[at] = 0.25f * (he + hw + hs + hn) - ratio * (f1 + g1);
    hu2[at] = 0.25f * (ue + uw + us + un) - ratio * (f2 + g2);
    hv2[at] = 0.25f * (ve + vw + vs + vn) - ratio * (f3 + g3);
}

/* kmutate launch
   int pairs = 128, ny = 256, nz = 192; dim3 block = { 64, 2, 2 }; dim3 grid = { pairs / 64, ny / 2, nz / 2 };
   half2 in[pairs * ny * nz] = uniform(0, 1); half2 out[pairs * ny * nz] = zeros();
   heat_volume_pairs_of_halves(pairs, ny, nz, 0.1f, in, out);
*/
// Heat in a volume of half precision, two neighbouring points for each thread, arithmetic on pairs, mirrored borders.
__global__ void heat_volume_pairs_of_halves(int pairs, int ny, int nz, float k, const half2 *in, half2 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int plane = pairs * ny;
    int at = z * plane + y * pairs + x;
    half2 c = in[at];
    half before = x > 0 ? __high2half(in[at - 1]) : __low2half(c);
    half after = x < pairs - 1 ? __low2half(in[at + 1]) : __high2half(c);
    half2 sum = __hadd2(__halves2half2(before, __low2half(c)), __halves2half2(__high2half(c), after));
    sum = __hadd2(sum, y > 0 ? in[at - pairs] : c);
    sum = __hadd2(sum, y < ny - 1 ? in[at + pairs] : c);
    sum = __hadd2(sum, z > 0 ? in[at - plane] : c);
    sum = __hadd2(sum, z < nz - 1 ? in[at + plane] : c);
    sum = __hfma2(c, __float2half2_rn(-6.0f), sum);
    out[at] = __hfma2(sum, __float2half2_rn(k), c);
}

/* kmutate launch
   int nx = 96, ny = 96, nz = 96; dim3 block = { 96 }; dim3 grid = { ny, nz };
   float from[19 * nx * ny * nz] = uniform(0.04, 0.06); float to[19 * nx * ny * nz] = zeros();
   lattice_nineteen_speeds_push(nx, ny, nz, 1.6f, from, to);
*/
// Lattice Boltzmann with nineteen speeds in arrays of their own: collision first, then each is pushed to its neighbour
// around the edges.
__global__ void lattice_nineteen_speeds_push(int nx, int ny, int nz, float omega, const float *__restrict__ from,
                                             float *__restrict__ to)
{
    constexpr int cx[19] = { 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0 };
    constexpr int cy[19] = { 0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1 };
    constexpr int cz[19] = { 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1 };
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    int cells = nx * ny * nz;
    int at = (z * ny + y) * nx + x;
    float f[19];
    float rho = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int d = 0; d < 19; d++) {
        f[d] = from[d * cells + at];
        rho += f[d];
        ux += cx[d] * f[d];
        uy += cy[d] * f[d];
        uz += cz[d] * f[d];
    }
    float inv = 1.0f / rho;
    ux *= inv;
    uy *= inv;
    uz *= inv;
    float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int d = 0; d < 19; d++) {
        float w = d == 0 ? 1.0f / 3.0f : d < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
        float cu = 3.0f * (cx[d] * ux + cy[d] * uy + cz[d] * uz);
        float rest = w * rho * (1.0f + cu + 0.5f * cu * cu - square);
        int tx = x + cx[d], ty = y + cy[d], tz = z + cz[d];
        tx = tx < 0 ? nx - 1 : tx == nx ? 0 : tx;
        ty = ty < 0 ? ny - 1 : ty == ny ? 0 : ty;
        tz = tz < 0 ? nz - 1 : tz == nz ? 0 : tz;
        to[d * cells + (tz * ny + ty) * nx + tx] = f[d] + omega * (rest - f[d]);
    }
}

/* kmutate launch
   int coarse = 96, fine = 2 * coarse + 1; dim3 block = { 16, 4, 4 };
   dim3 grid = { coarse / 16, coarse / 4, coarse / 4 };
   double r[fine * fine * fine] = uniform(-1, 1); double rc[coarse * coarse * coarse] = zeros();
   multigrid_restrict_27_points_fp64(coarse, fine, r, rc);
*/
// A multigrid cycle's way down in doubles: 27 fine points, weighted, make a coarse one, so lanes read every other
// word.
__global__ void multigrid_restrict_27_points_fp64(int coarse, int fine, const double *r, double *rc)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= coarse || y >= coarse || z >= coarse)
        return;
    double sum = 0.0;
    for (int dz = -1; dz <= 1; dz++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                double w = 0.125 / (1 << (abs(dx) + abs(dy) + abs(dz)));
                sum += w * r[((2 * z + 1 + dz) * fine + 2 * y + 1 + dy) * fine + 2 * x + 1 + dx];
            }
        }
    }
    rc[(z * coarse + y) * coarse + x] = sum;
}

// ------------------------------------------------------------------------------------------------ layers of networks

/* kmutate launch
   int rows = 8192, cols = 1280, chunks = 16; dim3 block = { 32, 16 }; dim3 grid = { cols / 64, chunks };
   __nv_bfloat16 dout[rows * cols] = normal(); __nv_bfloat16 in[rows * cols] = normal();
   float mean[rows] = normal(0, 0.1); float rstd[rows] = uniform(0.8, 1.2); float dw[chunks * cols] = zeros();
   float db[chunks * cols] = zeros();
   norm_backward_weights_by_columns((__nv_bfloat162 *)dout, (__nv_bfloat162 *)in, mean, rstd, (float2 *)dw,
                                    (float2 *)db, rows, cols / 2);
*/
// Layer normalisation backwards for its weights only: a block has 64 columns as pairs of bfloat16 and a sixteenth of
// the rows, sixteen at a time; sums of its warps are put together in shared memory, one part for each block.
__global__ void norm_backward_weights_by_columns(const __nv_bfloat162 *__restrict__ dout,
                                                 const __nv_bfloat162 *__restrict__ in, const float *__restrict__ mean,
                                                 const float *__restrict__ rstd, float2 *dw, float2 *db, int rows,
                                                 int pairs)
{
    __shared__ float4 part[16][32];
    int col = blockIdx.x * 32 + threadIdx.x;
    int share = rows / gridDim.y;
    int last = (blockIdx.y + 1) * share;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int r = blockIdx.y * share + threadIdx.y; r < last; r += 16) {
        float2 d = __bfloat1622float2(dout[(size_t)r * pairs + col]);
        float2 x = __bfloat1622float2(in[(size_t)r * pairs + col]);
        float m = mean[r], s = rstd[r];
        sum.x += d.x * (x.x - m) * s;
        sum.y += d.y * (x.y - m) * s;
        sum.z += d.x;
        sum.w += d.y;
    }
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int i = 1; i < 16; i++) {
            float4 o = part[i][threadIdx.x];
            sum.x += o.x;
            sum.y += o.y;
            sum.z += o.z;
            sum.w += o.w;
        }
        dw[blockIdx.y * pairs + col] = make_float2(sum.x, sum.y);
        db[blockIdx.y * pairs + col] = make_float2(sum.z, sum.w);
    }
}

/* kmutate launch
   int rows = 6144, cols = 1000; dim3 block = { 256 }; dim3 grid = { rows };
   float in[rows * cols] = normal(0, 2); float out[rows * cols] = zeros();
   softmax_block_two_trees(cols, in, out);
*/
// Softmax as a first version for blocks has it: maximum and sum by trees in shared memory with a barrier for each
// level, the exponentials wait in the result, which is read again to be divided.
__global__ void softmax_block_two_trees(int cols, const float *in, float *out)
{
    __shared__ float tree[256];
    const float *x = in + (size_t)blockIdx.x * cols;
    float *y = out + (size_t)blockIdx.x * cols;
    int t = threadIdx.x;
    float top = -INFINITY;
    for (int i = t; i < cols; i += blockDim.x)
        top = fmaxf(top, x[i]);
    tree[t] = top;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            tree[t] = fmaxf(tree[t], tree[t + s]);
        __syncthreads();
    }
    top = tree[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = t; i < cols; i += blockDim.x) {
        float e = expf(x[i] - top);
        y[i] = e;
        sum += e;
    }
    tree[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            tree[t] += tree[t + s];
        __syncthreads();
    }
    sum = tree[0];
    for (int i = t; i < cols; i += blockDim.x)
        y[i] /= sum;
}

using namespace nvcuda;

/* kmutate launch
   int heads = 32, len = 1024; dim3 block = { 128 }; dim3 grid = { len / 64, heads };
   half Q[heads * len * 64] = normal(); half K[heads * len * 64] = normal(); half V[heads * len * 64] = normal();
   half O[heads * len * 64] = zeros();
   attention_streamed_wmma_sixteen_rows(len, 0.125f, Q, K, V, O);
*/
// Attention without scores in memory on tensor cores by wmma: a warp has 16 queries, keys and values come 32 at a
// time; scores, weights and the growing result pass through shared memory, two lanes for each row's maximum and sum.
__global__ __launch_bounds__(128) void attention_streamed_wmma_sixteen_rows(int len, float scale,
                                                                            const half *__restrict__ Q,
                                                                            const half *__restrict__ K,
                                                                            const half *__restrict__ V,
                                                                            half *__restrict__ O)
{
    __shared__ __align__(32) half Ks[32 * 72];
    __shared__ __align__(32) half Vs[32 * 72];
    __shared__ __align__(32) float Ss[64 * 36];
    __shared__ __align__(32) half Ps[64 * 40];
    __shared__ __align__(32) float Os[64 * 68];
    int t = threadIdx.x, warp = t >> 5, lane = t & 31;
    int mine = warp * 16 + (lane >> 1), side = lane & 1;
    size_t base = (size_t)blockIdx.y * len * 64;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> q[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma::load_matrix_sync(q[i], Q + base + (size_t)(blockIdx.x * 64 + warp * 16) * 64 + i * 16, 64);
    for (int i = 0; i < 32; i++)
        Os[mine * 68 + side * 32 + i] = 0.0f;
    float top = -1e30f, sum = 0.0f;
    for (int j = 0; j < len; j += 32) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int e = t + i * 128;
            *(uint4 *)&Ks[(e >> 3) * 72 + (e & 7) * 8] = ((const uint4 *)(K + base + (size_t)j * 64))[e];
            *(uint4 *)&Vs[(e >> 3) * 72 + (e & 7) * 8] = ((const uint4 *)(V + base + (size_t)j * 64))[e];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < 2; c++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> s;
            wmma::fill_fragment(s, 0.0f);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> k;
                wmma::load_matrix_sync(k, &Ks[c * 16 * 72 + i * 16], 72);
                wmma::mma_sync(s, q[i], k, s);
            }
            wmma::store_matrix_sync(&Ss[warp * 16 * 36 + c * 16], s, 36, wmma::mem_row_major);
        }
        __syncwarp();
        float best = top;
        for (int i = 0; i < 16; i++)
            best = fmaxf(best, Ss[mine * 36 + side * 16 + i] * scale);
        best = fmaxf(best, __shfl_xor_sync(~0u, best, 1));
        float keep = __expf(top - best), part = 0.0f;
        for (int i = 0; i < 16; i++) {
            float e = __expf(Ss[mine * 36 + side * 16 + i] * scale - best);
            part += e;
            Ps[mine * 40 + side * 16 + i] = __float2half(e);
        }
        part += __shfl_xor_sync(~0u, part, 1);
        sum = sum * keep + part;
        top = best;
        for (int i = 0; i < 32; i++)
            Os[mine * 68 + side * 32 + i] *= keep;
        __syncwarp();
#pragma unroll
        for (int c = 0; c < 4; c++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> o;
            wmma::load_matrix_sync(o, &Os[warp * 16 * 68 + c * 16], 68, wmma::mem_row_major);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> v;
                wmma::load_matrix_sync(p, &Ps[warp * 16 * 40 + i * 16], 40);
                wmma::load_matrix_sync(v, &Vs[i * 16 * 72 + c * 16], 72);
                wmma::mma_sync(o, p, v, o);
            }
            wmma::store_matrix_sync(&Os[warp * 16 * 68 + c * 16], o, 68, wmma::mem_row_major);
        }
        __syncwarp();
    }
    half *to = O + base + (size_t)(blockIdx.x * 64 + mine) * 64 + side * 32;
    for (int i = 0; i < 32; i++)
        to[i] = __float2half(Os[mine * 68 + side * 32 + i] / sum);
}

/* kmutate launch
   int m = 1024, n = 3072, k = 768; dim3 block = { 256 }; dim3 grid = { n / 128, m / 64 };
   __nv_bfloat16 A[m * k] = normal(); __nv_bfloat16 B[k * n] = uniform(-0.05, 0.05); float bias[n] = uniform(-1, 1);
   __nv_bfloat16 C[m * n] = zeros();
   linear_gelu_wmma_bf16_64_by_128(n, k, A, B, bias, C);
*/
// The first linear layer of a block's network with bias and GELU behind it, bfloat16 by wmma: tiles of 64 by 128 by 32
// in one buffer, eight warps of 32 by 32, results turned to pairs by way of the same shared memory.
__global__ __launch_bounds__(256) void linear_gelu_wmma_bf16_64_by_128(int n, int k,
                                                                       const __nv_bfloat16 *__restrict__ A,
                                                                       const __nv_bfloat16 *__restrict__ B,
                                                                       const float *__restrict__ bias,
                                                                       __nv_bfloat16 *__restrict__ C)
{
    __shared__ __align__(32) unsigned char room[64 * 132 * 4];
    __nv_bfloat16 *As = (__nv_bfloat16 *)room;
    __nv_bfloat16 *Bs = As + 64 * 40;
    float *Cs = (float *)room;
    int t = threadIdx.x, warp = t >> 5;
    int wr = (warp >> 2) * 32, wc = (warp & 3) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(c[i >> 1][i & 1], 0.0f);
    const __nv_bfloat16 *pa = A + (size_t)(blockIdx.y * 64 + (t >> 2)) * k + (t & 3) * 8;
    const __nv_bfloat16 *pb = B + (size_t)(t >> 4) * n + blockIdx.x * 128 + (t & 15) * 8;
    for (int k0 = 0; k0 < k; k0 += 32) {
        *(uint4 *)&As[(t >> 2) * 40 + (t & 3) * 8] = *(const uint4 *)(pa + k0);
        *(uint4 *)&Bs[(t >> 4) * 136 + (t & 15) * 8] = *(const uint4 *)(pb + (size_t)k0 * n);
        *(uint4 *)&Bs[((t >> 4) + 16) * 136 + (t & 15) * 8] = *(const uint4 *)(pb + (size_t)(k0 + 16) * n);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < 32; e += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &As[(wr + i * 16) * 40 + e], 40);
                wmma::load_matrix_sync(b[i], &Bs[e * 136 + wc + i * 16], 136);
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                wmma::mma_sync(c[i >> 1][i & 1], a[i >> 1], b[i & 1], c[i >> 1][i & 1]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma::store_matrix_sync(&Cs[(wr + (i >> 1) * 16) * 132 + wc + (i & 1) * 16], c[i >> 1][i & 1], 132,
                                wmma::mem_row_major);
    __syncthreads();
    for (int e = t; e < 64 * 64; e += 256) {
        int r = e >> 6, x = (e & 63) * 2;
        float2 v = *(const float2 *)&Cs[r * 132 + x];
        v.x += bias[blockIdx.x * 128 + x];
        v.y += bias[blockIdx.x * 128 + x + 1];
        v.x = 0.5f * v.x * (1.0f + erff(v.x * 0.70710678f));
        v.y = 0.5f * v.y * (1.0f + erff(v.y * 0.70710678f));
        size_t at = (size_t)(blockIdx.y * 64 + r) * n + blockIdx.x * 128 + x;
        *(__nv_bfloat162 *)&C[at] = __floats2bfloat162_rn(v.x, v.y);
    }
}

/* kmutate launch
   int rows = 1024, vocab = 32000; dim3 block = { 32, 4 }; dim3 grid = { rows / 4 };
   __nv_bfloat16 logits[rows * vocab] = normal(0, 2); int target[rows] = randint(0, vocab); float loss[rows] = zeros();
   float norm[rows] = zeros();
   cross_entropy_forward_warp_eights((uint4 *)logits, target, loss, norm, rows, vocab / 8);
*/
// Cross entropy forwards: a warp for a row of 32000 bfloat16, eight at a time, maximum and sum in one pass that
// corrects the sum whenever the maximum rises.
__global__ void cross_entropy_forward_warp_eights(const uint4 *__restrict__ logits, const int *__restrict__ target,
                                                  float *loss, float *norm, int rows, int eights)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    const uint4 *x = logits + (size_t)row * eights;
    float top = -1e30f, sum = 0.0f;
    for (int i = lane; i < eights; i += 32) {
        uint4 raw = x[i];
        const __nv_bfloat162 *p = (const __nv_bfloat162 *)&raw;
        float2 a = __bfloat1622float2(p[0]), b = __bfloat1622float2(p[1]);
        float2 c = __bfloat1622float2(p[2]), d = __bfloat1622float2(p[3]);
        float best = fmaxf(fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y)), fmaxf(fmaxf(c.x, c.y), fmaxf(d.x, d.y)));
        if (best > top) {
            sum *= __expf(top - best);
            top = best;
        }
        sum += __expf(a.x - top) + __expf(a.y - top) + __expf(b.x - top) + __expf(b.y - top);
        sum += __expf(c.x - top) + __expf(c.y - top) + __expf(d.x - top) + __expf(d.y - top);
    }
    for (int o = 16; o > 0; o >>= 1) {
        float other = __shfl_xor_sync(~0u, top, o), more = __shfl_xor_sync(~0u, sum, o);
        float best = fmaxf(top, other);
        sum = sum * __expf(top - best) + more * __expf(other - best);
        top = best;
    }
    if (lane == 0) {
        float whole = top + logf(sum);
        norm[row] = whole;
        loss[row] = whole - __bfloat162float(((const __nv_bfloat16 *)x)[target[row]]);
    }
}

/* kmutate launch
   int n = 2048 * 5504; dim3 block = { 512 }; dim3 grid = { n / 2 / 512 };
   __nv_bfloat16 gate[n] = normal(); __nv_bfloat16 up[n] = normal(); __nv_bfloat16 dout[n] = normal(0, 0.1);
   __nv_bfloat16 dgate[n] = zeros(); __nv_bfloat16 dup[n] = zeros();
   swiglu_backward_pairs((__nv_bfloat162 *)gate, (__nv_bfloat162 *)up, (__nv_bfloat162 *)dout, (__nv_bfloat162 *)dgate,
                         (__nv_bfloat162 *)dup, n / 2);
*/
// The gated layer backwards: three arrays of bfloat16 in, two out, a pair for each thread, a sigmoid for each number.
__global__ void swiglu_backward_pairs(const __nv_bfloat162 *gate, const __nv_bfloat162 *up, const __nv_bfloat162 *dout,
                                      __nv_bfloat162 *dgate, __nv_bfloat162 *dup, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    float2 g = __bfloat1622float2(gate[i]), u = __bfloat1622float2(up[i]), d = __bfloat1622float2(dout[i]);
    float sx = 1.0f / (1.0f + expf(-g.x)), sy = 1.0f / (1.0f + expf(-g.y));
    float ax = g.x * sx, ay = g.y * sy;
    dup[i] = __floats2bfloat162_rn(d.x * ax, d.y * ay);
    dgate[i] = __floats2bfloat162_rn(d.x * u.x * (sx + ax * (1.0f - sx)), d.y * u.y * (sy + ay * (1.0f - sy)));
}

/* kmutate launch
   int batch = 16, size = 56, pairs = 64; dim3 block = { 64, 4 }; dim3 grid = { size / 4, size, batch };
   half2 in[batch * size * size * pairs] = normal(); half2 wt[9 * pairs] = uniform(-0.3, 0.3);
   half2 bias[pairs] = uniform(-1, 1); half2 out[batch * size * size * pairs] = zeros();
   depthwise_nine_taps_channels_last(size, pairs, in, wt, bias, out);
*/
// A convolution of three by three for each channel by itself, 128 channels last as pairs of halves, zeros outside; a
// thread reads its weights anew, sums in single precision, clips at six.
__global__ void depthwise_nine_taps_channels_last(int size, int pairs, const half2 *in, const half2 *wt,
                                                  const half2 *bias, half2 *out)
{
    int c = threadIdx.x;
    int x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y;
    const half2 *image = in + (size_t)blockIdx.z * size * size * pairs;
    float2 sum = __half22float2(bias[c]);
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            int sx = x + dx - 1, sy = y + dy - 1;
            if (sx < 0 || sy < 0 || sx >= size || sy >= size)
                continue;
            float2 v = __half22float2(image[(sy * size + sx) * pairs + c]);
            float2 w = __half22float2(wt[(dy * 3 + dx) * pairs + c]);
            sum.x += v.x * w.x;
            sum.y += v.y * w.y;
        }
    }
    sum.x = fminf(fmaxf(sum.x, 0.0f), 6.0f);
    sum.y = fminf(fmaxf(sum.y, 0.0f), 6.0f);
    out[((size_t)blockIdx.z * size * size + y * size + x) * pairs + c] = __floats2half2_rn(sum.x, sum.y);
}

// ---------------------------------------------------------------------------------------- graphs and sparse matrices

/* kmutate launch
   int n = 40000; int nnz = csr_nnz(n, 0, 48); dim3 block = { 128 }; dim3 grid = { n / 4 };
   int start[n + 1] = csr_rowptr(n, 0, 48); int head[nnz] = csr_colidx(n); unsigned long long found[1] = zeros();
   triangles_warp_list_in_shared(n, start, head, found);
*/
// Triangles of a graph whose lists are in no order and have at most 64 entries: a warp puts its vertex's list into
// shared memory and goes through its larger neighbours; the lanes take these one's neighbours and compare them with the
// list until one fits.
__global__ void triangles_warp_list_in_shared(int n, const int *__restrict__ start, const int *__restrict__ head,
                                              unsigned long long *found)
{
    __shared__ int list[4][64];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    int u = blockIdx.x * 4 + warp;
    if (u >= n)
        return;
    int first = start[u], degree = min(start[u + 1] - first, 64);
    for (int i = lane; i < degree; i += 32)
        list[warp][i] = head[first + i];
    __syncwarp();
    int count = 0;
    for (int e = 0; e < degree; e++) {
        int v = list[warp][e];
        if (v <= u)
            continue;
        int end = start[v + 1];
        for (int i = start[v] + lane; i < end; i += 32) {
            int w = head[i];
            if (w <= v)
                continue;
            for (int k = 0; k < degree; k++) {
                if (list[warp][k] == w) {
                    count++;
                    break;
                }
            }
        }
    }
    for (int o = 16; o > 0; o >>= 1)
        count += __shfl_down_sync(~0u, count, o);
    if (lane == 0 && count > 0)
        atomicAdd(found, (unsigned long long)count);
}

/* kmutate launch
   int n = 150000; int nnz = csr_nnz(n, 0, 64); dim3 block = { 192 }; dim3 grid = { (n + 191) / 192 };
   int start[n + 1] = csr_rowptr(n, 0, 64); int from[nnz] = csr_colidx(n); int degree[n] = randint(0, 64);
   double rank[n] = uniform(0, 1); double next[n] = zeros(); double change[1] = zeros();
   page_rank_pull_divides_fp64(n, 0.85, start, from, degree, rank, next, change);
*/
// A step of the ranking of pages in doubles: a thread pulls the ranks of its page's sources, each divided by that
// source's number of links; the change is added up by an atomic for each page.
__global__ void page_rank_pull_divides_fp64(int n, double damp, const int *start, const int *from, const int *degree,
                                            const double *rank, double *next, double *change)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    double sum = 0.0;
    for (int e = start[v]; e < start[v + 1]; e++) {
        int u = from[e];
        if (degree[u] > 0)
            sum += rank[u] / degree[u];
    }
    double now = (1.0 - damp) / n + damp * sum;
    next[v] = now;
    atomicAdd(change, fabs(now - rank[v]));
}

/* kmutate launch
   int n = 300000, front = 30000; int nnz = csr_nnz(n, 0, 64);
   dim3 block = { 256 }; dim3 grid = { (front + 255) / 256 };
   int start[n + 1] = csr_rowptr(n, 0, 64); int head[nnz] = csr_colidx(n); int level[n] = randint(-1, 3);
   int queue[front] = randint(0, n); int next[n] = zeros(); int size[1] = zeros();
   bfs_queue_gathered_in_shared(front, 3, start, head, level, queue, next, size);
*/
// A level of a breadth-first search with queues: a thread takes a vertex of the front, claims neighbours that nobody
// has seen by compare and swap, and puts them into the block's queue in shared memory, or straight into the next front
// when that is full; one atomic for each block says where its queue goes.
__global__ void bfs_queue_gathered_in_shared(int front, int depth, const int *start, const int *head, int *level,
                                             const int *queue, int *next, int *size)
{
    __shared__ int local[1024];
    __shared__ int count, base;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < front) {
        int u = queue[i];
        int last = start[u + 1];
        for (int e = start[u]; e < last; e++) {
            int v = head[e];
            if (level[v] == -1 && atomicCAS(&level[v], -1, depth) == -1) {
                int at = atomicAdd(&count, 1);
                if (at < 1024)
                    local[at] = v;
                else
                    next[atomicAdd(size, 1)] = v;
            }
        }
    }
    __syncthreads();
    int total = min(count, 1024);
    if (threadIdx.x == 0)
        base = atomicAdd(size, total);
    __syncthreads();
    for (int k = threadIdx.x; k < total; k += blockDim.x)
        next[base + k] = local[k];
}

/* kmutate launch
   int slices = 4096, rows = slices * 32; int cells = csr_nnz(slices, 3, 45);
   dim3 block = { 128 }; dim3 grid = { rows / 128 };
   int start[slices + 1] = csr_rowptr(slices, 3, 45); int col[cells * 32] = randint(0, rows);
   double val[cells * 32] = uniform(-1, 1); double x[rows] = uniform(-1, 1); double y[rows] = zeros();
   spmv_slices_of_32_rows_fp64(rows, start, col, val, x, y);
*/
// A sparse matrix in slices of 32 rows which are as wide as their longest row, stored by columns, times a vector of
// doubles.
__global__ void spmv_slices_of_32_rows_fp64(int rows, const int *__restrict__ start, const int *__restrict__ col,
                                            const double *__restrict__ val, const double *__restrict__ x, double *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int slice = row >> 5;
    int last = start[slice + 1];
    double sum = 0.0;
    for (int k = start[slice]; k < last; k++)
        sum += val[k * 32 + (row & 31)] * x[col[k * 32 + (row & 31)]];
    y[row] = sum;
}

/* kmutate launch
   int n = 200000; int nnz = csr_nnz(n, 0, 70); dim3 block = { 128 }; dim3 grid = { (n + 127) / 128 };
   int start[n + 1] = csr_rowptr(n, 0, 70); int head[nnz] = csr_colidx(n); int colour[n] = randint(-4, 12);
   int order[n] = permutation(); int out[n] = zeros();
   colour_vertices_highest_first(n, start, head, colour, order, out);
*/
// A round of colouring by Jones and Plassmann: a vertex without colour waits for neighbours without colour that come
// before it in a random order, else it takes the lowest colour that none of its neighbours has.
__global__ void colour_vertices_highest_first(int n, const int *start, const int *head, const int *colour,
                                              const int *order, int *out)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int mine = colour[v];
    if (mine < 0) {
        unsigned long long taken = 0;
        bool waits = false;
        int me = order[v];
        for (int e = start[v]; e < start[v + 1]; e++) {
            int u = head[e];
            int c = colour[u];
            if (c >= 0) {
                taken |= 1ull << c;
            } else if (u != v && order[u] > me) {
                waits = true;
                break;
            }
        }
        if (!waits)
            mine = __ffsll((long long)~taken) - 1;
    }
    out[v] = mine;
}

__device__ __forceinline__ int root_halving_the_way(volatile int *parent, int v)
{
    int p = parent[v];
    while (p != v) {
        int g = parent[p];
        if (g != p)
            parent[v] = g;
        v = p;
        p = g;
    }
    return v;
}

/* kmutate launch
   int n = 1 << 19, edges = 500000; dim3 block = { 256 }; dim3 grid = { (edges + 255) / 256 };
   int2 edge[edges] = randint(0, n); int parent[n] = iota();
   unite_ends_of_edges_by_swaps(edges, edge, parent);
*/
// Connected components of a list of edges: both ends' roots are found, ways are halved as they are walked, and the
// larger root is put below the smaller one by compare and swap, again if somebody was faster.
__global__ void unite_ends_of_edges_by_swaps(int edges, const int2 *edge, int *parent)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= edges)
        return;
    int2 e = edge[i];
    int a = root_halving_the_way(parent, e.x);
    int b = root_halving_the_way(parent, e.y);
    while (a != b) {
        int high = max(a, b), low = min(a, b);
        int was = atomicCAS(&parent[high], high, low);
        if (was == high)
            break;
        a = root_halving_the_way(parent, was);
        b = root_halving_the_way(parent, low);
    }
}

// ---------------------------------------------------------------------------------------- sorting, scans, reductions

/* kmutate launch
   int blocks = 1024; dim3 block = { 512 }; dim3 grid = { blocks };
   unsigned key[blocks * 1024] = randint(0, 1 << 30); int value[blocks * 1024] = iota();
   bitonic_pairs_of_1024_in_shared(key, value);
*/
// Bitonic sorting of 1024 keys with their values in each block's shared memory, a comparison for each thread and step.
__global__ void bitonic_pairs_of_1024_in_shared(unsigned *key, int *value)
{
    __shared__ unsigned k[1024];
    __shared__ int v[1024];
    int t = threadIdx.x;
    int base = blockIdx.x * 1024;
    k[t] = key[base + t];
    k[t + 512] = key[base + t + 512];
    v[t] = value[base + t];
    v[t + 512] = value[base + t + 512];
    for (int size = 2; size <= 1024; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            bool up = (at & size) == 0;
            unsigned a = k[at], b = k[at + stride];
            if ((a > b) == up) {
                k[at] = b;
                k[at + stride] = a;
                int w = v[at];
                v[at] = v[at + stride];
                v[at + stride] = w;
            }
        }
    }
    __syncthreads();
    key[base + t] = k[t];
    key[base + t + 512] = k[t + 512];
    value[base + t] = v[t];
    value[base + t + 512] = v[t + 512];
}

/* kmutate launch
   int n = 1 << 21; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float in[n] = uniform(0, 1); unsigned char kind[n] = randint(0, 20); float out[n] = zeros();
   float carry[n / 256] = zeros(); int closed[n / 256] = zeros();
   segmented_sums_shuffles_and_flags(in, kind, out, carry, closed);
*/
// Running sums that begin anew where a byte is zero: value and flag through shuffles in each warp, then what the warps
// before leave over; what the block leaves over is written for a later kernel.
__global__ void segmented_sums_shuffles_and_flags(const float *in, const unsigned char *kind, float *out, float *carry,
                                                  int *closed)
{
    __shared__ float sums[8];
    __shared__ int flags[8];
    int i = blockIdx.x * 256 + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float v = in[i];
    int f = kind[i] == 0;
    for (int o = 1; o < 32; o <<= 1) {
        float u = __shfl_up_sync(~0u, v, o);
        int g = __shfl_up_sync(~0u, f, o);
        if (lane >= o) {
            if (!f)
                v += u;
            f |= g;
        }
    }
    if (lane == 31) {
        sums[warp] = v;
        flags[warp] = f;
    }
    __syncthreads();
    float before = 0.0f;
    int any = 0;
    for (int w = 0; w < warp; w++) {
        before = flags[w] ? sums[w] : before + sums[w];
        any |= flags[w];
    }
    if (!f)
        v += before;
    out[i] = v;
    if (threadIdx.x == 255) {
        carry[blockIdx.x] = v;
        closed[blockIdx.x] = any | f;
    }
}

/* kmutate launch
   int n = 2000000; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float in[n] = normal(0, 1); unsigned bins[256] = zeros();
   histogram_of_bell_global_atomics(n, 24.0f, in, bins);
*/
// A histogram's first try: an atomic in global memory for each number, and most of the numbers are near the middle.
__global__ void histogram_of_bell_global_atomics(int n, float scale, const float *in, unsigned *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = (int)floorf(in[i] * scale) + 128;
        bin = min(max(bin, 0), 255);
        atomicAdd(&bins[bin], 1u);
    }
}

/* kmutate launch
   int n = 6000000; dim3 block = { 256 }; dim3 grid = { 264 };
   float in[n] = normal(5, 3); unsigned long long best[1] = fill(0x7fffffffffffffff);
   smallest_and_where_one_word(n, in, best);
*/
// The smallest number and its place in one word of 64 bits: a loop over the grid, minima by shuffles and through
// shared memory, then an atomic minimum for each block.
__global__ void smallest_and_where_one_word(int n, const float *__restrict__ in, unsigned long long *best)
{
    __shared__ unsigned long long low[8];
    unsigned long long mine = ~0ull;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bits = __float_as_uint(in[i]);
        bits = bits >> 31 ? ~bits : bits | 0x80000000u;
        unsigned long long word = (unsigned long long)bits << 32 | (unsigned)i;
        mine = word < mine ? word : mine;
    }
    for (int o = 16; o > 0; o >>= 1) {
        unsigned long long other = __shfl_down_sync(~0u, mine, o);
        mine = other < mine ? other : mine;
    }
    if ((threadIdx.x & 31) == 0)
        low[threadIdx.x >> 5] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            mine = low[w] < mine ? low[w] : mine;
        atomicMin(best, mine);
    }
}

/* kmutate launch
   int n = 3000000; dim3 block = { 512 }; dim3 grid = { (n + 511) / 512 };
   int4 record[n] = randint(0, 1000); int4 kept[n] = zeros(); int count[1] = zeros();
   keep_records_one_atomic_for_warp(n, 250, record, kept, count);
*/
// Records of sixteen bytes that meet a condition are written without gaps: a ballot counts them, the first lane
// fetches the place for all of its warp by an atomic on one counter.
__global__ void keep_records_one_atomic_for_warp(int n, int below, const int4 *record, int4 *kept, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int4 r = make_int4(0, 0, 0, 0);
    bool wanted = false;
    if (i < n) {
        r = record[i];
        wanted = r.x < below || r.y + r.z < below;
    }
    unsigned mask = __ballot_sync(~0u, wanted);
    int base = 0;
    if (lane == 0 && mask != 0)
        base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (wanted)
        kept[base + __popc(mask & ((1u << lane) - 1))] = r;
}

/* kmutate launch
   int na = 1200000, nb = 800000; dim3 block = { 128 }; dim3 grid = { (na + nb) / 8 / 128 + 1 };
   unsigned a[na] = ascending(0, 1u << 31); unsigned b[nb] = ascending(0, 1u << 31); unsigned out[na + nb] = zeros();
   merge_by_diagonals_eight_each(na, nb, a, b, out);
*/
// Two sorted lists become one: each thread finds where its diagonal meets the path of merging by halves, then takes
// eight numbers one by one from global memory, so that lanes are eight words apart.
__global__ void merge_by_diagonals_eight_each(int na, int nb, const unsigned *a, const unsigned *b, unsigned *out)
{
    int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (diagonal >= na + nb)
        return;
    int lo = max(0, diagonal - nb), hi = min(diagonal, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= b[diagonal - 1 - mid])
            lo = mid + 1;
        else
            hi = mid;
    }
    int i = lo, j = diagonal - lo;
    for (int k = diagonal; k < diagonal + 8 && k < na + nb; k++) {
        bool left = j >= nb || (i < na && a[i] <= b[j]);
        out[k] = left ? a[i++] : b[j++];
    }
}

// ------------------------------------------------------------------------------------------------------ applications

/* kmutate launch
   int paths = 1 << 16, steps = 64; dim3 block = { 128 }; dim3 grid = { paths / 128 };
   double payoff[paths / 128] = zeros();
   barrier_option_paths_fp64(steps, 100.0, 105.0, 80.0, 0.0003, 0.025, payoff);
*/
// A call that is void once the price falls to a barrier, by simulation in doubles: two uniform numbers of a
// congruence, Box and Muller, an exponential for each step; a path ends early at the barrier. A tree in shared memory
// for each block.
__global__ void barrier_option_paths_fp64(int steps, double spot, double strike, double barrier, double drift,
                                          double sigma, double *payoff)
{
    __shared__ double tree[128];
    unsigned long long state = (blockIdx.x * blockDim.x + threadIdx.x + 1ull) * 0x9e3779b97f4a7c15ull;
    double price = spot;
    bool alive = true;
    for (int s = 0; s < steps && alive; s++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        double u = ((state >> 11) + 1.0) * (1.0 / 9007199254740993.0);
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        double v = (state >> 11) * (1.0 / 9007199254740992.0);
        double normal = sqrt(-2.0 * log(u)) * cospi(2.0 * v);
        price *= exp(drift + sigma * normal);
        alive = price > barrier;
    }
    tree[threadIdx.x] = alive && price > strike ? price - strike : 0.0;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            tree[threadIdx.x] += tree[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        payoff[blockIdx.x] = tree[0];
}

/* kmutate launch
   int rows = 2048, half_cols = 1024; dim3 block = { 128 }; dim3 grid = { half_cols / 128, rows };
   signed char black[rows * half_cols] = fill(1); signed char bits[rows * half_cols] = randint(0, 2);
   magnet_flips_of_one_colour(rows, half_cols, 0, 17u, 0.44f, black, bits);
*/
// Ising's magnet, one colour of the chequerboard: spins are bytes, those of the other colour an array of their own
// (here bits, made spins on the way); a random number from a few rounds of mixing decides with an exponential whether
// one flips.
__global__ void magnet_flips_of_one_colour(int rows, int cols, int colour, unsigned seed, float beta,
                                           signed char *mine, const signed char *other)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y;
    if (c >= cols)
        return;
    int up = r == 0 ? rows - 1 : r - 1, down = r == rows - 1 ? 0 : r + 1;
    int side = ((r ^ colour) & 1) ? (c + 1 == cols ? 0 : c + 1) : (c == 0 ? cols - 1 : c - 1);
    int ones = other[up * cols + c] + other[down * cols + c] + other[r * cols + c] + other[r * cols + side];
    int field = 2 * ones - 4;
    int spin = mine[r * cols + c];
    unsigned x = (unsigned)(r * cols + c) ^ seed;
    for (int k = 0; k < 3; k++) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
    }
    float u = (x >> 8) * (1.0f / 16777216.0f);
    if (u < expf(-2.0f * beta * spin * field))
        mine[r * cols + c] = (signed char)-spin;
}

/* kmutate launch
   int n = 3072; dim3 block = { 64 }; dim3 grid = { n / 64 };
   double body[n * 7] = uniform(0.1, 1); double accel[n * 3] = zeros();
   bodies_of_seven_doubles_naive(n, 1e-4, body, accel);
*/
// Every body pulls every other, first try in doubles: records of place, speed and mass straight from memory, a
// division by the root's cube, no sharing.
__global__ void bodies_of_seven_doubles_naive(int n, double soft, const double *body, double *accel)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = body[i * 7], y = body[i * 7 + 1], z = body[i * 7 + 2];
    double ax = 0.0, ay = 0.0, az = 0.0;
    for (int j = 0; j < n; j++) {
        double dx = body[j * 7] - x, dy = body[j * 7 + 1] - y, dz = body[j * 7 + 2] - z;
        double d2 = dx * dx + dy * dy + dz * dz + soft;
        double f = body[j * 7 + 6] / (d2 * sqrt(d2));
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
    }
    accel[i * 3] = ax;
    accel[i * 3 + 1] = ay;
    accel[i * 3 + 2] = az;
}

/* kmutate launch
   int w = 1920, h = 1080; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   unsigned char in[w * h] = randint(0, 256); unsigned char strength[w * h] = zeros();
   unsigned char sector[w * h] = zeros();
   edge_strength_and_sector_bytes(w, h, in, strength, sector);
*/
// The first stage of finding edges: Sobel's two derivatives of bytes from a tile with its rim in shared memory, their
// root of squares, and one of four directions by comparisons of integers.
__global__ void edge_strength_and_sector_bytes(int w, int h, const unsigned char *in, unsigned char *strength,
                                               unsigned char *sector)
{
    __shared__ unsigned char tile[10][34];
    int tid = threadIdx.y * 32 + threadIdx.x;
    for (int e = tid; e < 340; e += 256) {
        int y = min(max((int)blockIdx.y * 8 + e / 34 - 1, 0), h - 1);
        int x = min(max((int)blockIdx.x * 32 + e % 34 - 1, 0), w - 1);
        tile[e / 34][e % 34] = in[y * w + x];
    }
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    int gx = tile[y - 1][x + 1] + 2 * tile[y][x + 1] + tile[y + 1][x + 1] - tile[y - 1][x - 1] - 2 * tile[y][x - 1] -
             tile[y + 1][x - 1];
    int gy = tile[y + 1][x - 1] + 2 * tile[y + 1][x] + tile[y + 1][x + 1] - tile[y - 1][x - 1] - 2 * tile[y - 1][x] -
             tile[y - 1][x + 1];
    int ax = abs(gx), ay = abs(gy);
    int which;
    if (5 * ay < 2 * ax)
        which = 0;
    else if (5 * ax < 2 * ay)
        which = 2;
    else
        which = (gx ^ gy) >= 0 ? 1 : 3;
    int at = (blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x;
    strength[at] = (unsigned char)min((int)sqrtf((float)(gx * gx + gy * gy)), 255);
    sector[at] = (unsigned char)which;
}

/* kmutate launch
   int sequences = 512, len = 200; dim3 block = { 64 }; dim3 grid = { sequences };
   unsigned char seen[sequences * len] = randint(0, 16); float trans[64 * 64] = uniform(-6, -2);
   float emit[16 * 64] = uniform(-4, -1); unsigned char back[sequences * len * 64] = zeros();
   unsigned char path[sequences * len] = zeros(); float score[sequences] = zeros();
   viterbi_64_states_block_for_sequence(len, seen, trans, emit, back, path, score);
*/
// The most probable states behind a sequence, by Viterbi: a block of 64 threads for a sequence, a state for each
// thread, transitions in shared memory, a byte for the way back; at the end one thread walks back through all of them.
__global__ void viterbi_64_states_block_for_sequence(int len, const unsigned char *seen, const float *trans,
                                                     const float *emit, unsigned char *back, unsigned char *path,
                                                     float *score)
{
    __shared__ float move[64 * 64];
    __shared__ float now[2][64];
    int s = threadIdx.x;
    for (int e = s; e < 64 * 64; e += 64)
        move[e] = trans[e];
    const unsigned char *x = seen + blockIdx.x * len;
    unsigned char *b = back + (size_t)blockIdx.x * len * 64;
    now[0][s] = emit[x[0] * 64 + s];
    __syncthreads();
    for (int t = 1; t < len; t++) {
        const float *old = now[(t - 1) & 1];
        float best = -1e30f;
        int from = 0;
        for (int j = 0; j < 64; j++) {
            float v = old[j] + move[j * 64 + s];
            if (v > best) {
                best = v;
                from = j;
            }
        }
        now[t & 1][s] = best + emit[x[t] * 64 + s];
        b[t * 64 + s] = (unsigned char)from;
        __syncthreads();
    }
    if (s == 0) {
        const float *last = now[(len - 1) & 1];
        int at = 0;
        for (int j = 1; j < 64; j++)
            if (last[j] > last[at])
                at = j;
        score[blockIdx.x] = last[at];
        for (int t = len - 1; t > 0; t--) {
            path[blockIdx.x * len + t] = (unsigned char)at;
            at = b[t * 64 + at];
        }
        path[blockIdx.x * len] = (unsigned char)at;
    }
}

/* kmutate launch
   unsigned n = 1u << 20; dim3 block = { 256 }; dim3 grid = { n / 256 };
   int hits[1] = zeros(); unsigned place[64] = zeros();
   md5_search_of_eight_letters(n, 0x0002c4f1u, 0x000fffffu, hits, place);
*/
// A search by brute force: eight letters made of a counter, their MD5 all in registers, the rare ones whose digest
// begins as wanted are written down.
__global__ void md5_search_of_eight_letters(unsigned n, unsigned wanted, unsigned mask, int *hits, unsigned *place)
{
    constexpr unsigned sines[64] = {
        0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u,
        0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u,
        0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u,
        0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au,
        0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u,
        0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u,
        0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u,
        0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u,
    };
    constexpr int turns[16] = { 7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21 };
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n)
        return;
    unsigned w[16] = {};
    unsigned rest = id;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        w[i >> 2] |= ('a' + rest % 26) << (8 * (i & 3));
        rest /= 26;
    }
    w[2] = 0x80u;
    w[14] = 64u;
    unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        unsigned f;
        int g;
        if (i < 16) {
            f = (b & c) | (~b & d);
            g = i;
        } else if (i < 32) {
            f = (d & b) | (~d & c);
            g = (5 * i + 1) & 15;
        } else if (i < 48) {
            f = b ^ c ^ d;
            g = (3 * i + 5) & 15;
        } else {
            f = c ^ (b | ~d);
            g = (7 * i) & 15;
        }
        unsigned sum = a + f + sines[i] + w[g];
        int turn = turns[(i >> 4) * 4 + (i & 3)];
        a = d;
        d = c;
        c = b;
        b += (sum << turn) | (sum >> (32 - turn));
    }
    if (((a + 0x67452301u) & mask) == wanted) {
        int at = atomicAdd(hits, 1);
        if (at < 64)
            place[at] = id;
    }
}

/* kmutate launch
   int blocks = 4096; dim3 block = { 256 }; dim3 grid = { blocks };
   uchar4 text[blocks * 256] = randint(32, 127); unsigned code[256] = randint(0, 4096);
   unsigned char length[256] = randint(2, 13); unsigned packed[blocks * 386] = zeros(); int bits[blocks] = zeros();
   huffman_pack_four_letters_each(text, code, length, packed, bits);
*/
// Huffman's codes of 1024 letters in a block: tables in shared memory, four letters for each thread, a scan says where
// its bits begin, atomics put them into shared words, and these are copied out.
__global__ void huffman_pack_four_letters_each(const uchar4 *text, const unsigned *code, const unsigned char *length,
                                               unsigned *packed, int *bits)
{
    __shared__ unsigned codes[256];
    __shared__ int lengths[256];
    __shared__ unsigned words[386];
    __shared__ int sums[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int own = length[t];
    lengths[t] = own;
    codes[t] = code[t] & ((1u << own) - 1);
    for (int i = t; i < 386; i += 256)
        words[i] = 0;
    __syncthreads();
    uchar4 c = text[blockIdx.x * 256 + t];
    unsigned long long v = codes[c.x];
    int n = lengths[c.x];
    v |= (unsigned long long)codes[c.y] << n;
    n += lengths[c.y];
    v |= (unsigned long long)codes[c.z] << n;
    n += lengths[c.z];
    v |= (unsigned long long)codes[c.w] << n;
    n += lengths[c.w];
    int before = n;
    for (int o = 1; o < 32; o <<= 1) {
        int u = __shfl_up_sync(~0u, before, o);
        if (lane >= o)
            before += u;
    }
    if (lane == 31)
        sums[warp] = before;
    __syncthreads();
    int at = before - n;
    for (int w = 0; w < warp; w++)
        at += sums[w];
    int word = at >> 5, shift = at & 31;
    unsigned long long low = v << shift;
    atomicOr(&words[word], (unsigned)low);
    atomicOr(&words[word + 1], (unsigned)(low >> 32));
    if (shift + n > 64)
        atomicOr(&words[word + 2], (unsigned)(v >> (64 - shift)));
    if (t == 255)
        bits[blockIdx.x] = at + n;
    __syncthreads();
    for (int i = t; i < 386; i += 256)
        packed[blockIdx.x * 386 + i] = words[i];
}

__constant__ float circle_cos[150];
__constant__ float circle_sin[150];
__constant__ int circle_dx[7 * 150];
__constant__ int circle_dy[7 * 150];

/* kmutate launch
   int w = 640, h = 219, rim = 22; dim3 block = { 176 }; dim3 grid = { w - 2 * rim };
   extern float circle_cos[150] = uniform(-1, 1); extern float circle_sin[150] = uniform(-1, 1);
   extern int circle_dx[7 * 150] = randint(-20, 21); extern int circle_dy[7 * 150] = randint(-20, 21);
   float gx[w * h] = normal(); float gy[w * h] = normal(); float score[w * h] = zeros();
   cells_by_seven_circles_of_gradients(w, h, rim, gx, gy, score);
*/
// White blood cells in a frame of a video: around each pixel seven circles of 150 gradients, places and directions
// from constant memory; mean and variance are carried along with a division for each point, the best circle counts.
__global__ void cells_by_seven_circles_of_gradients(int w, int h, int rim, const float *gx, const float *gy,
                                                    float *score)
{
    int x = blockIdx.x + rim, y = threadIdx.x + rim;
    if (x >= w - rim || y >= h - rim)
        return;
    float best = 0.0f;
    for (int k = 0; k < 7; k++) {
        float mean = 0.0f, spread = 0.0f;
        for (int i = 0; i < 150; i++) {
            int at = (x + circle_dx[k * 150 + i]) * h + y + circle_dy[k * 150 + i];
            float p = gx[at] * circle_cos[i] + gy[at] * circle_sin[i];
            float d = p - mean;
            mean += d / (float)(i + 1);
            spread += d * (p - mean);
        }
        float variance = spread / 149.0f;
        best = fmaxf(best, mean * mean / variance);
    }
    score[x * h + y] = best;
}
