// The third set of kernels that nobody tuned the model of time for: algorithms of well-known suites, courses and
// libraries, written from what is commonly known of them (tests/gpu/heldout.py, docs/heldout.md).

#include <cuda_fp16.h>

/* kmutate launch
   int rows = 2048, cols = 4096, n = rows * cols; dim3 grid = { cols / 16, rows / 16 }; dim3 block = { 16, 16 };
   float c[n] = zeros(); float north[n] = zeros(); float south[n] = zeros(); float west[n] = zeros(); float east[n] = zeros();
   float image[n] = uniform(0.5, 2);
   srad_coefficients(c, north, south, west, east, image, rows, cols, 0.05f);
*/
// Gradients and the coefficient of diffusion that removes speckle; neighbours come from shared memory where they can.
__global__ void srad_coefficients(float *c, float *north, float *south, float *west, float *east, const float *image, int rows,
                                  int cols, float q0)
{
    __shared__ float tile[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty, i = y * cols + x;
    float here = image[i];
    tile[ty][tx] = here;
    __syncthreads();
    float n = ty > 0 ? tile[ty - 1][tx] : image[max(y - 1, 0) * cols + x];
    float s = ty < 15 ? tile[ty + 1][tx] : image[min(y + 1, rows - 1) * cols + x];
    float w = tx > 0 ? tile[ty][tx - 1] : image[y * cols + max(x - 1, 0)];
    float e = tx < 15 ? tile[ty][tx + 1] : image[y * cols + min(x + 1, cols - 1)];
    n -= here;
    s -= here;
    w -= here;
    e -= here;
    float g2 = (n * n + s * s + w * w + e * e) / (here * here), l = (n + s + w + e) / here;
    float num = 0.5f * g2 - 0.0625f * l * l, den = 1.0f + 0.25f * l, q = num / (den * den);
    float k = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    c[i] = fminf(fmaxf(k, 0.0f), 1.0f);
    north[i] = n;
    south[i] = s;
    west[i] = w;
    east[i] = e;
}

/* kmutate launch
   int n = 1500, steps = 3; dim3 grid = { n / (16 - 2 * steps), n / (16 - 2 * steps) }; dim3 block = { 16, 16 };
   float out[n * n] = zeros(); float in[n * n] = uniform(320, 340); float power[n * n] = uniform(0, 0.01);
   hot_spot_steps(out, in, power, n, steps, 0.1f, 0.1f, 0.02f, 0.5f, 80.0f);
*/
// Several steps of heat in a tile, which shrinks by a rim each.
__global__ void hot_spot_steps(float *out, const float *in, const float *power, int n, int steps, float rx, float ry, float rz,
                               float dt, float outside)
{
    __shared__ float now[16][16], heat[16][16], next[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, small = 16 - 2 * steps;
    int x = blockIdx.x * small - steps + tx, y = blockIdx.y * small - steps + ty;
    bool inside = x >= 0 && y >= 0 && x < n && y < n, done = false;
    if (inside) {
        now[ty][tx] = in[y * n + x];
        heat[ty][tx] = power[y * n + x];
    }
    __syncthreads();
    int w = x > 0 ? tx - 1 : tx, e = x < n - 1 ? tx + 1 : tx, a = y > 0 ? ty - 1 : ty, b = y < n - 1 ? ty + 1 : ty;
    for (int s = 0; s < steps; s++) {
        done = inside && tx > s && tx < 15 - s && ty > s && ty < 15 - s;
        if (done) {
            float t = now[ty][tx];
            next[ty][tx] = t + dt * (heat[ty][tx] + (now[b][tx] + now[a][tx] - 2.0f * t) * ry
                                     + (now[ty][e] + now[ty][w] - 2.0f * t) * rx + (outside - t) * rz);
        }
        __syncthreads();
        if (done) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (done) out[y * n + x] = now[ty][tx];
}

/* kmutate launch
   int nx = 256, ny = 192, nz = 160, cells = (nx + 4) * (ny + 4) * (nz + 4);
   dim3 grid = { nx / 32, ny / 4, nz / 4 }; dim3 block = { 32, 4, 4 };
   float next[cells] = zeros(); float now[cells] = uniform(-1, 1); float before[cells] = uniform(-1, 1);
   float speed[nx * ny * nz] = uniform(0.1, 0.3);
   wave_box(next, now, before, speed, nx, ny, nz);
*/
// A time step of a wave in three dimensions, of fourth order; a box with its rim of two in shared memory.
__global__ void wave_box(float *next, const float *__restrict__ now, const float *__restrict__ before,
                         const float *__restrict__ speed, int nx, int ny, int nz)
{
    __shared__ float box[8][8][36];
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, t = (tz * 4 + ty) * 32 + tx;
    int x = blockIdx.x * 32, y = blockIdx.y * 4, z = blockIdx.z * 4, wide = nx + 4, plane = wide * (ny + 4);
    for (int k = t; k < 8 * 8 * 36; k += 512) {
        int i = k % 36, j = k / 36 % 8, l = k / 288;
        box[l][j][i] = now[(z + l) * plane + (y + j) * wide + x + i];
    }
    __syncthreads();
    int i = tx + 2, j = ty + 2, l = tz + 2;
    float here = box[l][j][i];
    float near = box[l][j][i - 1] + box[l][j][i + 1] + box[l][j - 1][i] + box[l][j + 1][i] + box[l - 1][j][i] + box[l + 1][j][i];
    float far = box[l][j][i - 2] + box[l][j][i + 2] + box[l][j - 2][i] + box[l][j + 2][i] + box[l - 2][j][i] + box[l + 2][j][i];
    int there = (z + l) * plane + (y + j) * wide + x + i;
    float c = speed[((z + tz) * ny + y + ty) * nx + x + tx];
    next[there] = 2.0f * here - before[there] + c * (-7.5f * here + 1.3333334f * near - 0.083333336f * far);
}

/* kmutate launch
   int steps = 20, cols = (256 - 2 * steps) * 5000; dim3 grid = { cols / (256 - 2 * steps) }; dim3 block = { 256 };
   int out[cols] = zeros(); int in[cols] = randint(0, 100); int wall[cols * steps] = randint(0, 10);
   path_rows(out, in, wall, cols, steps);
*/
// The cheapest way down a grid, twenty rows in a launch.
__global__ void path_rows(int *out, const int *in, const int *wall, int cols, int steps)
{
    __shared__ int before[256], now[256];
    int t = threadIdx.x, x = blockIdx.x * (256 - 2 * steps) - steps + t;
    bool inside = x >= 0 && x < cols, done = false;
    int left = x > 0 ? t - 1 : t, right = x < cols - 1 ? t + 1 : t;
    if (inside) before[t] = in[x];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        done = inside && t > s && t < 255 - s;
        if (done) now[t] = min(min(before[left], before[right]), before[t]) + wall[s * cols + x];
        __syncthreads();
        if (done) before[t] = now[t];
        __syncthreads();
    }
    if (done) out[x] = before[t];
}

/* kmutate launch
   int w = 8192, h = 1024, radius = 14; dim3 grid = { w / 64 }; dim3 block = { 64 };
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 1);
   box_columns(out, in, w, h, radius);
*/
// A running mean down each column: a thread has all of it.
__global__ void box_columns(float *out, const float *in, int w, int h, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float scale = 1.0f / (2 * radius + 1), sum = in[x] * radius;
    for (int y = 0; y <= radius; y++) sum += in[y * w + x];
    for (int y = 0; y < h; y++) {
        out[y * w + x] = sum * scale;
        sum += in[min(y + radius + 1, h - 1) * w + x] - in[max(y - radius, 0) * w + x];
    }
}

/* kmutate launch
   int m = 2048, n = 3072, depth = 1024; dim3 grid = { n / 128, m / 128 }; dim3 block = { 256 };
   float c[m * n] = zeros(); float a[m * depth] = uniform(-1, 1); float b[depth * n] = uniform(-1, 1);
   gemm_buffered(c, a, b, n, depth, 0.5f);
*/
// 128 x 128 of c in a block, 8 x 8 a thread; the next slices are on their way while these are multiplied.
__global__ void __launch_bounds__(256) gemm_buffered(float *c, const float *__restrict__ a, const float *__restrict__ b, int n,
                                                     int depth, float alpha)
{
    __shared__ __align__(16) float as[2][8][128], bs[2][8][128];
    int t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 4, ar = t / 2, ac = t % 2 * 4, br = t / 32, bc = t % 32 * 4;
    const float *pa = a + (blockIdx.y * 128 + ar) * depth + ac, *pb = b + br * n + blockIdx.x * 128 + bc;
    float sum[8][8] = {};
    float4 u = *(const float4 *)pa, v = *(const float4 *)pb;
    as[0][ac][ar] = u.x; as[0][ac + 1][ar] = u.y; as[0][ac + 2][ar] = u.z; as[0][ac + 3][ar] = u.w;
    *(float4 *)&bs[0][br][bc] = v;
    __syncthreads();
    int use = 0;
    for (int k = 8; k <= depth; k += 8) {
        if (k < depth) {
            u = *(const float4 *)(pa + k);
            v = *(const float4 *)(pb + k * n);
        }
#pragma unroll
        for (int d = 0; d < 8; d++) {
            float x[8], y[8];
            *(float4 *)&y[0] = *(float4 *)&as[use][d][ty];
            *(float4 *)&y[4] = *(float4 *)&as[use][d][ty + 64];
            *(float4 *)&x[0] = *(float4 *)&bs[use][d][tx];
            *(float4 *)&x[4] = *(float4 *)&bs[use][d][tx + 64];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) sum[i][j] += y[i] * x[j];
        }
        if (k < depth) {
            use ^= 1;
            as[use][ac][ar] = u.x; as[use][ac + 1][ar] = u.y; as[use][ac + 2][ar] = u.z; as[use][ac + 3][ar] = u.w;
            *(float4 *)&bs[use][br][bc] = v;
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float *row = c + (blockIdx.y * 128 + ty + i % 4 + i / 4 * 64) * n + blockIdx.x * 128 + tx;
        *(float4 *)row = make_float4(alpha * sum[i][0], alpha * sum[i][1], alpha * sum[i][2], alpha * sum[i][3]);
        *(float4 *)(row + 64) = make_float4(alpha * sum[i][4], alpha * sum[i][5], alpha * sum[i][6], alpha * sum[i][7]);
    }
}

/* kmutate launch
   int n = 1024; dim3 grid = { n / 64, n / 64 }; dim3 block = { 16, 16 };
   double c[n * n] = zeros(); double a[n * n] = uniform(-1, 1); double b[n * n] = uniform(-1, 1);
   dgemm_tile(c, a, b, n);
*/
// 64 x 64 of c in a block, 4 x 4 a thread, in double precision.
__global__ void dgemm_tile(double *c, const double *a, const double *b, int n)
{
    __shared__ double as[16][65], bs[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 64, col = blockIdx.x * 64;
    double sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = 0; i < 4; i++) {
            as[tx][ty + 16 * i] = a[(row + ty + 16 * i) * n + k + tx];
            bs[ty][tx + 16 * i] = b[(k + ty) * n + col + tx + 16 * i];
        }
        __syncthreads();
        for (int d = 0; d < 16; d++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] += as[d][ty + 16 * i] * bs[d][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(row + ty + 16 * i) * n + col + tx + 16 * j] = sum[i][j];
}

/* kmutate launch
   int n = 2048, depth = 1024; dim3 grid = { n / 64, n / 64 }; dim3 block = { 128 };
   half2 c[n * n / 2] = zeros(); half a[n * depth] = uniform(-0.1, 0.1); half2 b[depth * n / 2] = uniform(-0.1, 0.1);
   gemm_half2(c, a, b, n, depth);
*/
// 64 x 64 of c in a block, 4 rows of 4 pairs a thread; products of pairs of halves, summed in halves over 32, then in floats.
__global__ void gemm_half2(half2 *c, const half *a, const half2 *b, int n, int depth)
{
    __shared__ half2 as[64][33], bs[32][32];
    int t = threadIdx.x, tx = t % 8, ty = t / 8, row = blockIdx.y * 64, col = blockIdx.x * 32;
    float2 total[4][4] = {};
    for (int k = 0; k < depth; k += 32) {
        for (int i = t; i < 64 * 32; i += 128) as[i / 32][i % 32] = __half2half2(a[(row + i / 32) * depth + k + i % 32]);
        for (int i = t; i < 32 * 32; i += 128) bs[i / 32][i % 32] = b[(k + i / 32) * (n / 2) + col + i % 32];
        __syncthreads();
        half2 sum[4][4];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) sum[i][j] = __float2half2_rn(0.0f);
#pragma unroll 8
        for (int d = 0; d < 32; d++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] = __hfma2(as[ty * 4 + i][d], bs[d][tx + 8 * j], sum[i][j]);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                float2 f = __half22float2(sum[i][j]);
                total[i][j].x += f.x;
                total[i][j].y += f.y;
            }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + ty * 4 + i) * (n / 2) + col + tx + 8 * j] = __floats2half2_rn(total[i][j].x, total[i][j].y);
}

/* kmutate launch
   int n = 640, m = 512; dim3 grid = { n / 32, n / 8 }; dim3 block = { 32, 8 };
   float c[n * n] = uniform(-1, 1); float a[n * m] = uniform(-1, 1);
   syrk_simple(c, a, n, m, 0.7f, 0.2f);
*/
// c = alpha a a' + beta c, an element a thread: lanes read rows that lie far apart.
__global__ void syrk_simple(float *c, const float *a, int n, int m, float alpha, float beta)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float sum = beta * c[i * n + j];
    for (int k = 0; k < m; k++) sum += alpha * a[i * m + k] * a[j * m + k];
    c[i * n + j] = sum;
}

/* kmutate launch
   int nx = 2048, ny = 8192; dim3 grid = { ny / 256 }; dim3 block = { 256 };
   float s[ny] = zeros(); float a[nx * ny] = uniform(-1, 1); float r[nx] = uniform(-1, 1);
   bicg_columns(s, a, r, nx, ny);
*/
// s = a' r, a thread a column: few blocks.
__global__ void bicg_columns(float *s, const float *a, const float *r, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= ny) return;
    float sum = 0.0f;
    for (int i = 0; i < nx; i++) sum += r[i] * a[i * ny + j];
    s[j] = sum;
}

/* kmutate launch
   int n = 8192, m = 1536; dim3 grid = { n / 128 }; dim3 block = { 128 };
   float x1[n] = uniform(-1, 1); float a[n * m] = uniform(-1, 1); float y1[m] = uniform(-1, 1);
   mvt_rows(x1, a, y1, n, m);
*/
// x1 += a y1, a thread a row: each lane walks along a row of its own.
__global__ void mvt_rows(float *x1, const float *a, const float *y1, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < m; j++) x1[i] += a[i * m + j] * y1[j];
}

/* kmutate launch
   int rows = 1024, cols = 10000; dim3 grid = { (cols + 63) / 64 }; dim3 block = { 64 };
   float out[rows * cols] = zeros(); float r[cols] = zeros(); float a[rows * cols] = uniform(-1, 1); float q[rows] = uniform(-0.05, 0.05);
   gram_schmidt_column(out, r, a, q, rows, cols);
*/
// Takes its part along q out of each column, a thread a column: the second pass reads what the first has read.
__global__ void gram_schmidt_column(float *out, float *r, const float *a, const float *q, int rows, int cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= cols) return;
    float along = 0.0f;
    for (int i = 0; i < rows; i++) along += q[i] * a[i * cols + j];
    r[j] = along;
    for (int i = 0; i < rows; i++) out[i * cols + j] = a[i * cols + j] - q[i] * along;
}

/* kmutate launch
   int n = 4096; dim3 grid = { n / 16 - 1, n / 16 - 1 }; dim3 block = { 16, 16 };
   float m[n * n] = uniform(-0.1, 0.1);
   lu_trailing(m, n, 0);
*/
// What is left of a matrix, less the product of a panel of L and one of U.
__global__ void lu_trailing(float *m, int n, int offset)
{
    __shared__ float left[16][16], upper[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = offset + (blockIdx.y + 1) * 16 + ty, col = offset + (blockIdx.x + 1) * 16 + tx;
    left[ty][tx] = m[row * n + offset + tx];
    upper[ty][tx] = m[(offset + ty) * n + col];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) sum += left[ty][k] * upper[k][tx];
    m[row * n + col] -= sum;
}

/* kmutate launch
   int m = 900, n = 1024; dim3 grid = { (m + 31) / 32, (m + 7) / 8 }; dim3 block = { 32, 8 };
   float cov[m * m] = zeros(); float data[n * m] = normal(); float mean[m] = zeros();
   covariance_pairs(cov, data, mean, m, n);
*/
// A pair of columns a thread, above the diagonal only: half of the blocks have nothing to do.
__global__ void covariance_pairs(float *cov, const float *data, const float *mean, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= m || j < i) return;
    float sum = 0.0f, mi = mean[i], mj = mean[j];
    for (int k = 0; k < n; k++) sum += (data[k * m + i] - mi) * (data[k * m + j] - mj);
    sum /= n - 1.0f;
    cov[i * m + j] = sum;
    cov[j * m + i] = sum;
}

/* kmutate launch
   int n = 4096, pivot = 17; dim3 grid = { n / 32 - 1, n / 32 - 1 }; dim3 block = { 32, 8 };
   int dist[n * n] = randint(1, 1000);
   floyd_far(dist, n, pivot);
*/
// The third phase of shortest paths in tiles of 32: tiles off the pivot's row and column, by way of the pivot's tiles.
__global__ void floyd_far(int *dist, int n, int pivot)
{
    __shared__ int column[32][33], row[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int bx = blockIdx.x + (blockIdx.x >= pivot), by = blockIdx.y + (blockIdx.y >= pivot);
    for (int r = ty; r < 32; r += 8) {
        column[r][tx] = dist[(by * 32 + r) * n + pivot * 32 + tx];
        row[r][tx] = dist[(pivot * 32 + r) * n + bx * 32 + tx];
    }
    __syncthreads();
    int best[4];
#pragma unroll
    for (int r = 0; r < 4; r++) best[r] = dist[(by * 32 + ty + 8 * r) * n + bx * 32 + tx];
    for (int k = 0; k < 32; k++)
#pragma unroll
        for (int r = 0; r < 4; r++) best[r] = min(best[r], column[ty + 8 * r][k] + row[k][tx]);
#pragma unroll
    for (int r = 0; r < 4; r++) dist[(by * 32 + ty + 8 * r) * n + bx * 32 + tx] = best[r];
}

/* kmutate launch
   int n = 2048, step = 5; dim3 grid = { n / 4, n / 4 }; dim3 block = { 4, 4 };
   float a[n * n] = uniform(-1, 1); float factor[n * n] = uniform(-0.01, 0.01);
   gaussian_step(a, factor, n, step);
*/
// A step of elimination in blocks of 16 threads: half of each warp is empty.
__global__ void gaussian_step(float *a, const float *factor, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n - 1 - step || j >= n - step) return;
    a[(i + 1 + step) * n + j + step] -= factor[(i + 1 + step) * n + step] * a[step * n + j + step];
}

/* kmutate launch
   int systems = 30000, n = 96; dim3 grid = { (systems + 127) / 128 }; dim3 block = { 128 };
   double x[systems * n] = zeros(); double work[systems * n] = zeros();
   double lower[systems * n] = uniform(-1, 0); double diag[systems * n] = uniform(3, 4); double upper[systems * n] = uniform(-1, 0);
   double rhs[systems * n] = uniform(-1, 1);
   thomas_columns(x, work, lower, diag, upper, rhs, systems, n);
*/
// Tridiagonal systems, one a thread: down, then up.
__global__ void thomas_columns(double *x, double *work, const double *lower, const double *diag, const double *upper,
                               const double *rhs, int systems, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    double c = upper[s] / diag[s], d = rhs[s] / diag[s];
    work[s] = c;
    x[s] = d;
    for (int i = 1; i < n; i++) {
        int k = i * systems + s;
        double m = 1.0 / (diag[k] - lower[k] * c);
        c = upper[k] * m;
        d = (rhs[k] - lower[k] * d) * m;
        work[k] = c;
        x[k] = d;
    }
    for (int i = n - 2; i >= 0; i--) {
        int k = i * systems + s;
        d = x[k] - work[k] * d;
        x[k] = d;
    }
}

/* kmutate launch
   int side = 1024, problems = 128, cells = (side + 1) * (side + 1); dim3 grid = { side / 64, problems }; dim3 block = { 64 };
   extern int substitution[24 * 24] = randint(-4, 12);
   int table[cells * problems] = zeros(); unsigned char first[side * problems] = randint(0, 24); unsigned char second[side * problems] = randint(0, 24);
   needleman_tiles(table, first, second, side, side / 64 - 1, 10);
*/
// One diagonal of tiles of global alignments: a tile of 64 x 64 in a block of two warps, cell diagonals one after the other.
__constant__ int substitution[24 * 24];
__global__ void needleman_tiles(int *table, const unsigned char *first, const unsigned char *second, int side, int diagonal, int gap)
{
    __shared__ int cell[65][65], score[24 * 24];
    __shared__ unsigned char across[64];
    int t = threadIdx.x, wide = side + 1, bx = blockIdx.x, by = diagonal - bx;
    int *mine = table + (size_t)blockIdx.y * wide * wide + by * 64 * wide + bx * 64;
    for (int k = t; k < 24 * 24; k += 64) score[k] = substitution[k];
    across[t] = first[blockIdx.y * side + bx * 64 + t];
    int down = second[blockIdx.y * side + by * 64 + t];
    cell[0][t + 1] = mine[t + 1];
    cell[t + 1][0] = mine[(t + 1) * wide];
    if (t == 0) cell[0][0] = mine[0];
    __syncthreads();
    for (int d = 0; d < 127; d++) {
        int c = d - t;
        if (c >= 0 && c < 64) {
            int match = cell[t][c] + score[down * 24 + across[c]];
            cell[t + 1][c + 1] = max(match, max(cell[t][c + 1], cell[t + 1][c]) - gap);
        }
        __syncthreads();
    }
    for (int r = 1; r <= 64; r++) mine[r * wide + t + 1] = cell[r][t + 1];
}

/* kmutate launch
   int nodes = 1 << 20, lo = 4, hi = 28, edges = csr_nnz(nodes, lo, hi), active = 180000, room = 1 << 22;
   dim3 grid = { (active + 255) / 256 }; dim3 block = { 256 };
   int next[room] = zeros(); unsigned tail[1] = zeros(); int frontier[active] = randint(0, nodes);
   int first[nodes + 1] = csr_rowptr(nodes, lo, hi); int to[edges] = csr_colidx(nodes); unsigned seen[nodes / 32] = randint(0, 2147483647);
   frontier_expand(next, tail, frontier, first, to, seen, active, room - 1);
*/
// Neighbours that were not seen go to the block's queue, and from there to the next frontier (a ring).
__global__ void frontier_expand(int *next, unsigned *tail, const int *frontier, const int *first, const int *to,
                                const unsigned *seen, int active, unsigned mask)
{
    __shared__ int queue[2048];
    __shared__ unsigned used, base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) used = 0;
    __syncthreads();
    if (i < active) {
        int node = frontier[i], end = first[node + 1];
        for (int e = first[node]; e < end; e++) {
            int there = to[e];
            if (seen[there / 32] >> there % 32 & 1) continue;
            unsigned slot = atomicAdd(&used, 1);
            if (slot < 2048) queue[slot] = there;
            else next[atomicAdd(tail, 1) & mask] = there;
        }
    }
    __syncthreads();
    unsigned kept = min(used, 2048u);
    if (threadIdx.x == 0) base = atomicAdd(tail, kept);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < kept; k += blockDim.x) next[base + k & mask] = queue[k];
}

/* kmutate launch
   int n = 1 << 20, features = 16, clusters = 40; dim3 grid = { 132 * 4 }; dim3 block = { 256 };
   float sums[clusters * features] = zeros(); int counts[clusters] = zeros();
   float points[n * features] = uniform(0, 1); unsigned char member[n] = randint(0, 40);
   cluster_sums(sums, counts, points, member, n);
*/
// New centres of k-means: features are summed by cluster in shared memory, then in global memory.
__global__ void cluster_sums(float *sums, int *counts, const float *points, const unsigned char *member, int n)
{
    __shared__ float mine[40][17];
    __shared__ int seen[40];
    for (int k = threadIdx.x; k < 40 * 17; k += blockDim.x) mine[k / 17][k % 17] = 0.0f;
    if (threadIdx.x < 40) seen[threadIdx.x] = 0;
    __syncthreads();
    int f = threadIdx.x % 16;
    for (int p = (blockIdx.x * blockDim.x + threadIdx.x) / 16; p < n; p += gridDim.x * blockDim.x / 16) {
        int c = member[p];
        atomicAdd(&mine[c][f], points[p * 16 + f]);
        if (f == 0) atomicAdd(&seen[c], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 40 * 16; k += blockDim.x) atomicAdd(&sums[k], mine[k / 16][k % 16]);
    if (threadIdx.x < 40) atomicAdd(&counts[threadIdx.x], seen[threadIdx.x]);
}

/* kmutate launch
   int n = 1 << 25, queries = 1 << 19; dim3 grid = { queries / 4 }; dim3 block = { 128 };
   int place[queries] = zeros(); int sorted[n] = iota(0, 3); int key[queries] = randint(0, 100000000);
   wide_tree_find(place, sorted, key, n);
*/
// A warp a key in a tree of 32 branches (laid over a sorted array): all separators of a node at once, five levels.
__global__ void wide_tree_find(int *place, const int *sorted, const int *key, int n)
{
    int q = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int k = key[q], low = 0;
    for (int width = n / 32; width > 0; width /= 32) {
        unsigned less = __ballot_sync(0xffffffffu, sorted[low + lane * width] <= k);
        low += max(__popc(less) - 1, 0) * width;
    }
    if (lane == 0) place[q] = sorted[low] == k ? low : -1 - low;
}

/* kmutate launch
   int atoms = 150000, most = 100; dim3 grid = { (atoms + 191) / 192 }; dim3 block = { 192 };
   float4 force[atoms] = zeros(); float4 at[atoms] = uniform(0, 30); short offset[atoms * most] = randint(-900, 900);
   lj_neighbours(force, at, offset, atoms, most, 250.0f, 1.5f, 2.0f);
*/
// Lennard-Jones forces by lists of neighbours (as distances in the list of atoms), with a cut-off.
__global__ void lj_neighbours(float4 *force, const float4 *at, const short *offset, int atoms, int most, float cut, float lj1, float lj2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) return;
    float4 me = at[i], f = make_float4(0, 0, 0, 0);
    for (int k = 0; k < most; k++) {
        int j = i + offset[k * atoms + i];
        j = j < 0 ? j + atoms : j >= atoms ? j - atoms : j;
        float4 o = at[j];
        float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z, r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        if (r2 < cut) {
            float inv = 1.0f / r2, r6 = inv * inv * inv, s = inv * r6 * (lj1 * r6 - lj2);
            f.x += dx * s;
            f.y += dy * s;
            f.z += dz * s;
            f.w += r6 * (lj1 * r6 - lj2);
        }
    }
    force[i] = f;
}

/* kmutate launch
   int cells = 400000; dim3 grid = { (cells + 191) / 192 }; dim3 block = { 192 };
   float flux[cells * 5] = zeros(); float state[cells * 5] = uniform(1, 2); int beside[cells * 4] = randint(-3000, 3000);
   float normal[cells * 12] = uniform(-1, 1);
   euler_flux(flux, state, beside, normal, cells, 1.4f);
*/
// Fluxes of an unstructured mesh: density, momentum and energy of a cell and its four neighbours, of which some are walls.
__device__ float pressure_of(float density, float energy, float speed2, float gamma)
{
    return (gamma - 1.0f) * fmaxf(energy - 0.5f * density * speed2, 0.01f);
}
__global__ void euler_flux(float *flux, const float *state, const int *beside, const float *normal, int cells, float gamma)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float d = state[i], mx = state[cells + i], my = state[2 * cells + i], mz = state[3 * cells + i], e = state[4 * cells + i];
    float vx = mx / d, vy = my / d, vz = mz / d, speed2 = vx * vx + vy * vy + vz * vz;
    float p = pressure_of(d, e, speed2, gamma), sound = sqrtf(gamma * p / d);
    float fd = 0, fx = 0, fy = 0, fz = 0, fe = 0;
    for (int k = 0; k < 4; k++) {
        float nx = normal[k * cells + i], ny = normal[(4 + k) * cells + i], nz = normal[(8 + k) * cells + i];
        int step = beside[k * cells + i], j = i + step;
        if (j < 0 || j >= cells || step % 64 == 0) {
            fx += nx * p;
            fy += ny * p;
            fz += nz * p;
            continue;
        }
        float d2 = state[j], mx2 = state[cells + j], my2 = state[2 * cells + j], mz2 = state[3 * cells + j], e2 = state[4 * cells + j];
        float ux = mx2 / d2, uy = my2 / d2, uz = mz2 / d2, other2 = ux * ux + uy * uy + uz * uz;
        float p2 = pressure_of(d2, e2, other2, gamma), sound2 = sqrtf(gamma * p2 / d2);
        float area = sqrtf(nx * nx + ny * ny + nz * nz);
        float damp = -0.1f * area * (sqrtf(speed2) + sqrtf(other2) + sound + sound2);
        float flow = 0.5f * (nx * vx + ny * vy + nz * vz), flow2 = 0.5f * (nx * ux + ny * uy + nz * uz), push = 0.5f * (p + p2);
        fd += damp * (d - d2) + flow * d + flow2 * d2;
        fx += damp * (mx - mx2) + flow * mx + flow2 * mx2 + push * nx;
        fy += damp * (my - my2) + flow * my + flow2 * my2 + push * ny;
        fz += damp * (mz - mz2) + flow * mz + flow2 * mz2 + push * nz;
        fe += damp * (e - e2) + flow * (e + p) + flow2 * (e2 + p2);
    }
    flux[i] = fd;
    flux[cells + i] = fx;
    flux[2 * cells + i] = fy;
    flux[3 * cells + i] = fz;
    flux[4 * cells + i] = fe;
}

/* kmutate launch
   int cells = 6400, steps = 400; dim3 grid = { cells / 32 }; dim3 block = { 32 };
   float volt[cells] = zeros(); float current[cells] = uniform(0, 20);
   nerve_cells(volt, current, steps, 0.01f);
*/
// Hodgkin's and Huxley's equations, a cell a thread, a warp a block: one chain of exponentials and divisions.
__global__ void nerve_cells(float *volt, const float *current, int steps, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = -65.0f, m = 0.05f, h = 0.6f, n = 0.32f, in = current[i];
    for (int s = 0; s < steps; s++) {
        float a = v + 40.0f, b = v + 55.0f;
        float am = fabsf(a) < 1e-4f ? 1.0f : 0.1f * a / (1.0f - expf(-0.1f * a)), bm = 4.0f * expf(-(v + 65.0f) / 18.0f);
        float an = fabsf(b) < 1e-4f ? 0.1f : 0.01f * b / (1.0f - expf(-0.1f * b)), bn = 0.125f * expf(-(v + 65.0f) / 80.0f);
        float ah = 0.07f * expf(-(v + 65.0f) / 20.0f), bh = 1.0f / (1.0f + expf(-0.1f * (v + 35.0f)));
        m += dt * (am * (1.0f - m) - bm * m);
        h += dt * (ah * (1.0f - h) - bh * h);
        n += dt * (an * (1.0f - n) - bn * n);
        v += dt * (in - 120.0f * m * m * m * h * (v - 50.0f) - 36.0f * n * n * n * n * (v + 77.0f) - 0.3f * (v + 54.4f));
    }
    volt[i] = v;
}

/* kmutate launch
   int n = 1500000, lo = 0, hi = 9, total = csr_nnz(n, lo, hi); dim3 grid = { (n + 255) / 256 }; dim3 block = { 256 };
   float4 out[n] = zeros(); float4 state[n] = uniform(0, 1); int sums[n + 1] = csr_rowptr(n, lo, hi);
   resample_particles(out, state, sums, n, total, 2);
*/
// Systematic resampling: the particle in whose part of the sum of weights each even step falls, looked for from a guess.
__global__ void resample_particles(float4 *out, const float4 *state, const int *sums, int n, int total, int phase)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int u = (int)min((long long)i * total / n + phase, (long long)total - 1), low = i, high = i + 1, step = 1;
    while (low > 0 && sums[low] > u) {
        high = low;
        low = max(low - step, 0);
        step *= 2;
    }
    while (high < n && sums[high] <= u) {
        low = high;
        high = min(high + step, n);
        step *= 2;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (sums[middle] <= u) low = middle;
        else high = middle;
    }
    out[i] = state[low];
}

/* kmutate launch
   int inputs = 1 << 19, hidden = 16; dim3 grid = { 1, inputs / 16 }; dim3 block = { 16, 16 };
   float weight[(inputs + 1) * (hidden + 1)] = uniform(-1, 1); float last[(inputs + 1) * (hidden + 1)] = uniform(-0.1, 0.1);
   float delta[hidden + 1] = uniform(-0.1, 0.1); float unit[inputs + 1] = uniform(0, 1);
   adjust_weights(weight, last, delta, unit, hidden);
*/
// The backward half of a layer of back-propagation; rows of 17 weights are never aligned.
__global__ void adjust_weights(float *weight, float *last, const float *delta, const float *unit, int hidden)
{
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty + 1, k = row * (hidden + 1) + tx + 1;
    float change = 0.3f * delta[tx + 1] * unit[row] + 0.3f * last[k];
    weight[k] += change;
    last[k] = change;
    __syncthreads();
    if (ty == 0 && blockIdx.y == 0) {
        float bias = 0.3f * delta[tx + 1] + 0.3f * last[tx + 1];
        weight[tx + 1] += bias;
        last[tx + 1] = bias;
    }
}

/* kmutate launch
   int n = 1 << 23; dim3 grid = { n / 1024 }; dim3 block = { 256 };
   unsigned out[n] = zeros(); int counts[n / 1024 * 16] = zeros(); unsigned in[n] = randint(0, 2147483647);
   radix_tile(out, counts, in, 4);
*/
// Sorts 1024 keys by four bits, a bit at a time, and says where each digit begins: a piece of a radix sort.
__global__ void radix_tile(unsigned *out, int *counts, const unsigned *in, int shift)
{
    __shared__ unsigned keys[1024];
    __shared__ int warps[8], begin[16];
    int t = threadIdx.x, lane = t % 32, base = blockIdx.x * 1024;
    uint4 k = ((const uint4 *)in)[blockIdx.x * 256 + t];
    for (int b = shift; b < shift + 4; b++) {
        int z0 = !(k.x >> b & 1), z1 = !(k.y >> b & 1), z2 = !(k.z >> b & 1), z3 = !(k.w >> b & 1), mine = z0 + z1 + z2 + z3, sum = mine;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += other;
        }
        if (lane == 31) warps[t / 32] = sum;
        __syncthreads();
        int before = 0, zeros = 0;
        for (int w = 0; w < 8; w++) {
            before += w < t / 32 ? warps[w] : 0;
            zeros += warps[w];
        }
        int zero = before + sum - mine, one = zeros + 4 * t - zero;
        keys[z0 ? zero++ : one++] = k.x;
        keys[z1 ? zero++ : one++] = k.y;
        keys[z2 ? zero++ : one++] = k.z;
        keys[z3 ? zero++ : one++] = k.w;
        __syncthreads();
        k = *(uint4 *)&keys[4 * t];
        __syncthreads();
    }
    if (t < 16) begin[t] = -1;
    __syncthreads();
    for (int i = t; i < 1024; i += 256) {
        unsigned key = keys[i];
        int digit = key >> shift & 15;
        if (i == 0 || (keys[i - 1] >> shift & 15) != digit) begin[digit] = i;
        out[base + i] = key;
    }
    __syncthreads();
    if (t < 16) counts[blockIdx.x * 16 + t] = begin[t];
}

/* kmutate launch
   int n = 6000000; dim3 grid = { (n + 255) / 256 }; dim3 block = { 256 };
   float out[n] = zeros(); float in[n] = uniform(0, 1); int place[n] = permutation();
   scatter_permuted(out, in, place, n);
*/
__global__ void scatter_permuted(float *out, const float *in, const int *place, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[place[i]] = in[i];
}

/* kmutate launch
   int na = 7000000, nb = 9000000, each = 16; dim3 grid = { (na + nb + 128 * each - 1) / (128 * each) }; dim3 block = { 128 };
   int out[na + nb] = zeros(); int a[na] = iota(5, 9); int b[nb] = iota(0, 7);
   merge_path(out, a, b, na, nb, each);
*/
// Merges two sorted arrays: each thread finds where its sixteen results begin in both.
__global__ void merge_path(int *out, const int *a, const int *b, int na, int nb, int each)
{
    int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    if (diagonal >= na + nb) return;
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = diagonal; k < min(diagonal + each, na + nb); k++) {
        bool left = j >= nb || (i < na && a[i] <= b[j]);
        out[k] = left ? a[i++] : b[j++];
    }
}

/* kmutate launch
   int n = 1 << 24; dim3 grid = { n / 512 }; dim3 block = { 512 };
   float out[n] = zeros(); float tail[n / 512] = zeros(); float in[n] = uniform(0, 1); unsigned char head[n] = randint(0, 30);
   segmented_scan(out, tail, in, head);
*/
// Inclusive sums that begin anew at each head (here: every thirtieth on average), by shuffles in warps and across them.
__global__ void segmented_scan(float *out, float *tail, const float *in, const unsigned char *head)
{
    __shared__ float sums[16];
    __shared__ int heads[16];
    int i = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = in[i];
    int flag = head[i] == 0;
    for (int d = 1; d < 32; d *= 2) {
        float u = __shfl_up_sync(0xffffffffu, v, d);
        int g = __shfl_up_sync(0xffffffffu, flag, d);
        if (lane >= d) {
            if (!flag) v += u;
            flag |= g;
        }
    }
    if (lane == 31) {
        sums[warp] = v;
        heads[warp] = flag;
    }
    __syncthreads();
    if (!flag)
        for (int w = warp - 1; w >= 0; w--) {
            v += sums[w];
            if (heads[w]) break;
        }
    out[i] = v;
    if (threadIdx.x == 511) tail[blockIdx.x] = v;
}

/* kmutate launch
   int rows = 24000, width = 2048; dim3 grid = { rows / 4 }; dim3 block = { 32, 4 };
   half out[rows * width] = zeros(); half in[rows * width] = normal(); half gain[width] = uniform(0.9, 1.1);
   rms_norm_half((uint4 *)out, (const uint4 *)in, (const uint4 *)gain, width / 8, 1e-6f);
*/
// A warp a row, eight halves a load; the row stays in registers.
__global__ void rms_norm_half(uint4 *out, const uint4 *in, const uint4 *gain, int eighths, float eps)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    uint4 kept[8];
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        kept[k] = in[(size_t)row * eighths + k * 32 + lane];
        const half2 *h = (const half2 *)&kept[k];
        for (int j = 0; j < 4; j++) {
            float2 f = __half22float2(h[j]);
            squares += f.x * f.x + f.y * f.y;
        }
    }
    for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, d);
    half2 scale = __float2half2_rn(rsqrtf(squares / (eighths * 8) + eps));
#pragma unroll
    for (int k = 0; k < 8; k++) {
        uint4 g = gain[k * 32 + lane];
        half2 *h = (half2 *)&kept[k];
        const half2 *w = (const half2 *)&g;
        for (int j = 0; j < 4; j++) h[j] = __hmul2(__hmul2(h[j], scale), w[j]);
        out[(size_t)row * eighths + k * 32 + lane] = kept[k];
    }
}

/* kmutate launch
   int tokens = 6000, heads = 32, dim = 128; dim3 grid = { tokens, heads / 4 }; dim3 block = { dim / 2, 4 };
   float out[tokens * heads * dim] = zeros(); float in[tokens * heads * dim] = normal(); int position[tokens] = randint(0, 4096);
   rope_rotate(out, in, position, heads, dim);
*/
// Rotary positions: the halves of each head are turned by angles that every thread works out for itself.
__global__ void rope_rotate(float *out, const float *in, const int *position, int heads, int dim)
{
    int c = threadIdx.x, head = blockIdx.y * blockDim.y + threadIdx.y, half = dim / 2;
    size_t base = ((size_t)blockIdx.x * heads + head) * dim + c;
    float angle = position[blockIdx.x] * exp2f(-13.287712f * c / half), sine, cosine;
    sincosf(angle, &sine, &cosine);
    float a = in[base], b = in[base + half];
    out[base] = a * cosine - b * sine;
    out[base + half] = a * sine + b * cosine;
}

/* kmutate launch
   int rows = 900, words = 50257; dim3 grid = { rows }; dim3 block = { 512 };
   float loss[rows] = zeros(); float slope[rows * words] = zeros(); float logits[rows * words] = normal(0, 2); int target[rows] = randint(0, 50257);
   cross_entropy_rows(loss, slope, logits, target, words, 1.0f / rows);
*/
__device__ float2 join_sums(float2 a, float2 b)
{
    float most = fmaxf(a.x, b.x);
    return make_float2(most, a.y * __expf(a.x - most) + b.y * __expf(b.x - most));
}
// Loss and gradient of a row of an odd number of logits: one pass for maximum and sum, one for the gradient.
__global__ void cross_entropy_rows(float *loss, float *slope, const float *logits, const int *target, int words, float scale)
{
    __shared__ float2 parts[16];
    const float *x = logits + (size_t)blockIdx.x * words;
    float *d = slope + (size_t)blockIdx.x * words;
    float2 all = make_float2(-1e30f, 0.0f);
    for (int c = threadIdx.x; c < words; c += 512) all = join_sums(all, make_float2(x[c], 1.0f));
    for (int k = 16; k > 0; k /= 2)
        all = join_sums(all, make_float2(__shfl_xor_sync(0xffffffffu, all.x, k), __shfl_xor_sync(0xffffffffu, all.y, k)));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = all;
    __syncthreads();
    all = parts[0];
    for (int k = 1; k < 16; k++) all = join_sums(all, parts[k]);
    int right = target[blockIdx.x];
    for (int c = threadIdx.x; c < words; c += 512) d[c] = (__expf(x[c] - all.x) / all.y - (c == right ? 1.0f : 0.0f)) * scale;
    if (threadIdx.x == 0) loss[blockIdx.x] = logf(all.y) + all.x - x[right];
}

/* kmutate launch
   int tokens = 16384, width = 512, words = 3000; dim3 grid = { tokens }; dim3 block = { 256 };
   float table[words * width] = zeros(); float slope[tokens * width] = uniform(-0.01, 0.01); int word[tokens] = randint(0, 3000);
   embedding_gradient(table, slope, word, width);
*/
__global__ void embedding_gradient(float *table, const float *slope, const int *word, int width)
{
    int w = word[blockIdx.x];
    for (int c = threadIdx.x; c < width; c += blockDim.x) atomicAdd(&table[w * width + c], slope[blockIdx.x * width + c]);
}

/* kmutate launch
   int length = 1024, heads = 40; dim3 grid = { length / 128, heads }; dim3 block = { 128 };
   float out[heads * length * 64] = zeros(); float q[heads * length * 64] = normal(); float k[heads * length * 64] = normal(); float v[heads * length * 64] = normal();
   attend_causal((float4 *)out, (const float4 *)q, (const float4 *)k, (const float4 *)v, length, 0.125f);
*/
// A query a thread, in registers with its sum; tiles of 32 keys and values; later queries have more to do.
__global__ void __launch_bounds__(128) attend_causal(float4 *out, const float4 *q, const float4 *k, const float4 *v, int length, float scale)
{
    __shared__ float4 ks[32][16], vs[32][16];
    int t = threadIdx.x, row = blockIdx.x * 128 + t, base = blockIdx.y * length * 16;
    float4 mine[16], sum[16];
    for (int d = 0; d < 16; d++) {
        mine[d] = q[base + row * 16 + d];
        sum[d] = make_float4(0, 0, 0, 0);
    }
    float most = -1e30f, total = 0.0f;
    for (int first = 0; first < (blockIdx.x + 1) * 128; first += 32) {
        for (int i = t; i < 512; i += 128) {
            ks[i / 16][i % 16] = k[base + first * 16 + i];
            vs[i / 16][i % 16] = v[base + first * 16 + i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j += 8) {
            float score[8], next = most;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                float s = 0.0f;
#pragma unroll
                for (int d = 0; d < 16; d++) {
                    float4 a = ks[j + i][d];
                    s += mine[d].x * a.x + mine[d].y * a.y + mine[d].z * a.z + mine[d].w * a.w;
                }
                score[i] = first + j + i <= row ? s * scale : -1e30f;
                next = fmaxf(next, score[i]);
            }
            float shrink = __expf(most - next);
            most = next;
            total *= shrink;
#pragma unroll
            for (int d = 0; d < 16; d++)
                sum[d] = make_float4(sum[d].x * shrink, sum[d].y * shrink, sum[d].z * shrink, sum[d].w * shrink);
#pragma unroll
            for (int i = 0; i < 8; i++) {
                float p = __expf(score[i] - most);
                total += p;
#pragma unroll
                for (int d = 0; d < 16; d++) {
                    float4 b = vs[j + i][d];
                    sum[d].x += p * b.x;
                    sum[d].y += p * b.y;
                    sum[d].z += p * b.z;
                    sum[d].w += p * b.w;
                }
            }
        }
        __syncthreads();
    }
    float part = 1.0f / total;
    for (int d = 0; d < 16; d++)
        out[base + row * 16 + d] = make_float4(sum[d].x * part, sum[d].y * part, sum[d].z * part, sum[d].w * part);
}

/* kmutate launch
   int images = 12, side = 56, quads = 64; dim3 grid = { side / 4, side, images }; dim3 block = { quads, 4 };
   float4 out[images * side * side * quads] = zeros(); float4 in[images * side * side * quads] = normal(); float4 weight[25 * quads] = uniform(-0.2, 0.2);
   depthwise_five(out, in, weight, side, quads);
*/
// A depthwise convolution, 5 x 5, channels innermost, four of them a thread.
__global__ void depthwise_five(float4 *out, const float4 *in, const float4 *weight, int side, int quads)
{
    int c = threadIdx.x, x = blockIdx.x * 4 + threadIdx.y, y = blockIdx.y, image = blockIdx.z * side * side;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int dy = 0; dy < 5; dy++) {
        int v = y + dy - 2;
        if (v < 0 || v >= side) continue;
#pragma unroll
        for (int dx = 0; dx < 5; dx++) {
            int u = x + dx - 2;
            if (u < 0 || u >= side) continue;
            float4 p = in[(image + v * side + u) * quads + c], w = weight[(dy * 5 + dx) * quads + c];
            sum.x += p.x * w.x;
            sum.y += p.y * w.y;
            sum.z += p.z * w.z;
            sum.w += p.w * w.w;
        }
    }
    out[(image + y * side + x) * quads + c] = sum;
}

/* kmutate launch
   int planes = 2048, side = 56, tiles = side / 2 * (side / 2); dim3 grid = { (tiles + 127) / 128, planes }; dim3 block = { 128 };
   float out[16 * planes * tiles] = zeros(); float in[planes * side * side] = normal();
   winograd_input(out, in, side, tiles);
*/
// Tiles of 4 x 4 that overlap by two, transformed for convolutions of 3 x 3 by Winograd's method.
__global__ void winograd_input(float *out, const float *in, int side, int tiles)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = t % (side / 2) * 2 - 1, y = t / (side / 2) * 2 - 1;
    if (t >= tiles) return;
    const float *plane = in + (size_t)blockIdx.y * side * side;
    float d[4][4], w[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            bool inside = x + c >= 0 && x + c < side && y + r >= 0 && y + r < side;
            d[r][c] = inside ? plane[(y + r) * side + x + c] : 0.0f;
        }
    for (int c = 0; c < 4; c++) {
        w[0][c] = d[0][c] - d[2][c];
        w[1][c] = d[1][c] + d[2][c];
        w[2][c] = d[2][c] - d[1][c];
        w[3][c] = d[1][c] - d[3][c];
    }
    size_t step = (size_t)gridDim.y * tiles;
    float *there = out + (size_t)blockIdx.y * tiles + t;
    for (int r = 0; r < 4; r++) {
        there[(4 * r) * step] = w[r][0] - w[r][2];
        there[(4 * r + 1) * step] = w[r][1] + w[r][2];
        there[(4 * r + 2) * step] = w[r][2] - w[r][1];
        there[(4 * r + 3) * step] = w[r][1] - w[r][3];
    }
}

/* kmutate launch
   int rows = 12000, cols = 8192, groups = cols / 32; dim3 grid = { rows / 8 }; dim3 block = { 256 }; int smem = groups * 33 * 4;
   float y[rows] = zeros(); uint4 packed[rows * groups] = randint(0, 2147483647); half scale[rows * groups] = uniform(0.001, 0.01); float x[cols] = uniform(-1, 1);
   gemv_four_bits(y, packed, scale, x, groups);
*/
// Weights of four bits in groups of 32 with a scale each, times a vector that lies in shared memory; a warp a row.
__global__ void gemv_four_bits(float *y, const uint4 *packed, const half *scale, const float *x, int groups)
{
    extern __shared__ float xs[];
    for (int k = threadIdx.x; k < groups * 32; k += blockDim.x) xs[k / 32 * 33 + k % 32] = x[k];
    __syncthreads();
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int g = lane; g < groups; g += 32) {
        uint4 p = packed[(size_t)row * groups + g];
        unsigned words[4] = { p.x, p.y, p.z, p.w };
        float part = 0.0f;
#pragma unroll
        for (int w = 0; w < 4; w++)
#pragma unroll
            for (int b = 0; b < 8; b++) part += (float)((int)(words[w] >> 4 * b & 15) - 8) * xs[g * 33 + w * 8 + b];
        sum += part * __half2float(scale[(size_t)row * groups + g]);
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) y[row] = sum;
}

/* kmutate launch
   int batch = 14000; dim3 grid = { batch }; dim3 block = { 64 };
   float2 out[batch * 512] = zeros(); float2 in[batch * 512] = uniform(-1, 1);
   fft_eights(out, in);
*/
__device__ void fft_four(float2 &a, float2 &b, float2 &c, float2 &d)
{
    float2 s = make_float2(a.x + c.x, a.y + c.y), m = make_float2(a.x - c.x, a.y - c.y);
    float2 t = make_float2(b.x + d.x, b.y + d.y), u = make_float2(b.y - d.y, d.x - b.x);
    a = make_float2(s.x + t.x, s.y + t.y);
    b = make_float2(m.x + u.x, m.y + u.y);
    c = make_float2(s.x - t.x, s.y - t.y);
    d = make_float2(m.x - u.x, m.y - u.y);
}
__device__ float2 turned(float2 v, float c, float s)
{
    return make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}
// 512 points in a block of 64 threads: three passes of radix 8 in registers, exchanged through shared memory.
__global__ void fft_eights(float2 *out, const float2 *in)
{
    __shared__ float re[512], im[512];
    const float h = 0.70710678f;
    int t = threadIdx.x;
    float2 v[8];
#pragma unroll
    for (int r = 0; r < 8; r++) v[r] = in[blockIdx.x * 512 + r * 64 + t];
#pragma unroll
    for (int span = 1; span <= 64; span *= 8) {
        float step = -6.2831853f * (t % span) / (span * 8);
#pragma unroll
        for (int r = 1; r < 8; r++) v[r] = turned(v[r], __cosf(step * r), __sinf(step * r));
        fft_four(v[0], v[2], v[4], v[6]);
        fft_four(v[1], v[3], v[5], v[7]);
        float2 o[4] = { v[1], turned(v[3], h, -h), turned(v[5], 0, -1), turned(v[7], -h, -h) };
        float2 e[4] = { v[0], v[2], v[4], v[6] };
        int first = t / span * span * 8 + t % span;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            re[first + k * span] = e[k].x + o[k].x;
            im[first + k * span] = e[k].y + o[k].y;
            re[first + (k + 4) * span] = e[k].x - o[k].x;
            im[first + (k + 4) * span] = e[k].y - o[k].y;
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 8; r++) v[r] = make_float2(re[r * 64 + t], im[r * 64 + t]);
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; r++) out[blockIdx.x * 512 + r * 64 + t] = v[r];
}

/* kmutate launch
   int w = 8192, h = 4096; dim3 grid = { w / 64, h / 8 }; dim3 block = { 64 };
   extern float quantum[64] = uniform(4, 40);
   short out[w * h] = zeros(); unsigned char in[w * h] = randint(0, 256);
   dct_quantise(out, in, w);
*/
__constant__ float quantum[64];
__device__ void dct_eight(float *v)
{
    const float c1 = 0.98078528f, c2 = 0.92387953f, c3 = 0.83146961f, c4 = 0.70710678f, c5 = 0.55557023f, c6 = 0.38268343f, c7 = 0.19509032f;
    float s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
    float d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];
    v[0] = 0.5f * c4 * (s0 + s1 + s2 + s3);
    v[4] = 0.5f * c4 * (s0 - s1 - s2 + s3);
    v[2] = 0.5f * (c2 * (s0 - s3) + c6 * (s1 - s2));
    v[6] = 0.5f * (c6 * (s0 - s3) - c2 * (s1 - s2));
    v[1] = 0.5f * (c1 * d0 + c3 * d1 + c5 * d2 + c7 * d3);
    v[3] = 0.5f * (c3 * d0 - c7 * d1 - c1 * d2 - c5 * d3);
    v[5] = 0.5f * (c5 * d0 - c1 * d1 + c7 * d2 + c3 * d3);
    v[7] = 0.5f * (c7 * d0 - c5 * d1 + c3 * d2 - c1 * d3);
}
// Eight tiles of 8 x 8 pixels in a block of 64 threads: cosine transforms of columns, then of rows, then quantised.
__global__ void dct_quantise(short *out, const unsigned char *in, int w)
{
    __shared__ float tile[8][65];
    int t = threadIdx.x, base = blockIdx.y * 8 * w + blockIdx.x * 64;
    float v[8];
    for (int r = 0; r < 8; r++) v[r] = in[base + r * w + t] - 128.0f;
    dct_eight(v);
    for (int r = 0; r < 8; r++) tile[r][t] = v[r];
    __syncthreads();
    int first = t / 8 * 8, row = t % 8;
    for (int c = 0; c < 8; c++) v[c] = tile[row][first + c];
    dct_eight(v);
    for (int c = 0; c < 8; c++) tile[row][first + c] = v[c];
    __syncthreads();
    for (int r = 0; r < 8; r++) out[base + r * w + t] = (short)rintf(tile[r][t] / quantum[r * 8 + t % 8]);
}

/* kmutate launch
   int w = 2560, h = 1440; dim3 grid = { w / 16, h / 16 }; dim3 block = { 16, 16 };
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 1);
   bilateral_seven(out, in, w, h, -0.06f, -20.0f);
*/
// Each pixel of 49 around counts by how near it is, and how alike.
__global__ void bilateral_seven(float *out, const float *in, int w, int h, float by_place, float by_value)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h) return;
    float here = in[y * w + x], sum = 0.0f, weights = 0.0f;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            float v = in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)], d = v - here;
            float k = __expf(by_place * (dx * dx + dy * dy) + by_value * d * d);
            sum += k * v;
            weights += k;
        }
    out[y * w + x] = sum / weights;
}

/* kmutate launch
   int quads = 10000000; dim3 grid = { (quads + 255) / 256 }; dim3 block = { 256 };
   float4 out[quads] = zeros();
   philox_normals(out, quads, 12345u, 678u);
*/
// Philox 4x32-10 and normal numbers of its words by Box's and Muller's method.
__global__ void philox_normals(float4 *out, int quads, unsigned seed, unsigned stream)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    unsigned a = i, b = 0, c = stream, d = 0, k0 = seed, k1 = ~seed;
    for (int r = 0; r < 10; r++) {
        unsigned high0 = __umulhi(0xD2511F53u, a), low0 = 0xD2511F53u * a, high1 = __umulhi(0xCD9E8D57u, c), low1 = 0xCD9E8D57u * c;
        a = high1 ^ b ^ k0;
        b = low1;
        c = high0 ^ d ^ k1;
        d = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    float r0 = sqrtf(-2.0f * logf(a * 2.3283064e-10f + 1.1641532e-10f)), r1 = sqrtf(-2.0f * logf(c * 2.3283064e-10f + 1.1641532e-10f));
    float s0, c0, s1, c1;
    sincospif(b * 4.6566129e-10f, &s0, &c0);
    sincospif(d * 4.6566129e-10f, &s1, &c1);
    out[i] = make_float4(r0 * c0, r0 * s0, r1 * c1, r1 * s1);
}

/* kmutate launch
   int n = 800000; dim3 grid = { (n + 127) / 128 }; dim3 block = { 128 };
   unsigned digest[8 * n] = zeros(); uint4 message[4 * n] = randint(0, 2147483647);
   sha256_blocks(digest, message, n);
*/
// The compression of SHA-256, a block of 64 bytes a thread.
__constant__ unsigned sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
__device__ unsigned rotated(unsigned x, int k)
{
    return x >> k | x << (32 - k);
}
__global__ void sha256_blocks(unsigned *digest, const uint4 *message, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    unsigned w[16], s[8];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint4 m = message[4 * i + k];
        w[4 * k] = __byte_perm(m.x, 0, 0x0123);
        w[4 * k + 1] = __byte_perm(m.y, 0, 0x0123);
        w[4 * k + 2] = __byte_perm(m.z, 0, 0x0123);
        w[4 * k + 3] = __byte_perm(m.w, 0, 0x0123);
    }
#pragma unroll
    for (int k = 0; k < 8; k++) s[k] = start[k];
#pragma unroll
    for (int r = 0; r < 64; r++) {
        if (r >= 16) {
            unsigned x = w[(r + 1) & 15], y = w[(r + 14) & 15];
            w[r & 15] += (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) + w[(r + 9) & 15] + (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
        }
        unsigned e = s[4], a = s[0];
        unsigned t1 = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + sha_k[r] + w[r & 15];
        unsigned t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
#pragma unroll
        for (int k = 7; k > 0; k--) s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
#pragma unroll
    for (int k = 0; k < 8; k++) digest[k * n + i] = s[k] + start[k];
}

/* kmutate launch
   int chunks = 200000, quads = 16; dim3 grid = { (chunks + 255) / 256 }; dim3 block = { 256 };
   unsigned crc[chunks] = zeros(); uint4 data[chunks * quads] = randint(0, 2147483647);
   crc32_chunks(crc, data, chunks, quads);
*/
// CRC-32 of chunks of 256 bytes, one a thread, four bytes a step by tables that each block makes in shared memory.
__global__ void crc32_chunks(unsigned *crc, const uint4 *data, int chunks, int quads)
{
    __shared__ unsigned table[4][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    unsigned v = t;
    for (int b = 0; b < 8; b++) v = v & 1 ? v >> 1 ^ 0xEDB88320u : v >> 1;
    table[0][t] = v;
    __syncthreads();
    for (int k = 1; k < 4; k++) {
        v = v >> 8 ^ table[0][v & 255];
        table[k][t] = v;
    }
    __syncthreads();
    if (i >= chunks) return;
    unsigned c = ~0u;
    for (int q = 0; q < quads; q++) {
        uint4 d = data[i * quads + q];
        unsigned words[4] = { d.x, d.y, d.z, d.w };
#pragma unroll
        for (int k = 0; k < 4; k++) {
            c ^= words[k];
            c = table[3][c & 255] ^ table[2][c >> 8 & 255] ^ table[1][c >> 16 & 255] ^ table[0][c >> 24];
        }
    }
    crc[i] = ~c;
}

/* kmutate launch
   int blocks = 3000000; dim3 grid = { 132 * 8 }; dim3 block = { 256 };
   extern unsigned round_key[44] = randint(0, 2147483647);
   uint4 out[blocks] = zeros(); uint4 in[blocks] = randint(0, 2147483647);
   aes_counter(out, in, blocks, 77u);
*/
// AES-128 of a counter, combined with the data; a table of words in shared memory, turned for the other three.
__constant__ unsigned round_key[44];
__constant__ unsigned char aes_box[256] = {
    99, 124, 119, 123, 242, 107, 111, 197, 48, 1, 103, 43, 254, 215, 171, 118, 202, 130, 201, 125, 250, 89, 71, 240, 173, 212, 162, 175, 156, 164, 114, 192,
    183, 253, 147, 38, 54, 63, 247, 204, 52, 165, 229, 241, 113, 216, 49, 21, 4, 199, 35, 195, 24, 150, 5, 154, 7, 18, 128, 226, 235, 39, 178, 117,
    9, 131, 44, 26, 27, 110, 90, 160, 82, 59, 214, 179, 41, 227, 47, 132, 83, 209, 0, 237, 32, 252, 177, 91, 106, 203, 190, 57, 74, 76, 88, 207,
    208, 239, 170, 251, 67, 77, 51, 133, 69, 249, 2, 127, 80, 60, 159, 168, 81, 163, 64, 143, 146, 157, 56, 245, 188, 182, 218, 33, 16, 255, 243, 210,
    205, 12, 19, 236, 95, 151, 68, 23, 196, 167, 126, 61, 100, 93, 25, 115, 96, 129, 79, 220, 34, 42, 144, 136, 70, 238, 184, 20, 222, 94, 11, 219,
    224, 50, 58, 10, 73, 6, 36, 92, 194, 211, 172, 98, 145, 149, 228, 121, 231, 200, 55, 109, 141, 213, 78, 169, 108, 86, 244, 234, 101, 122, 174, 8,
    186, 120, 37, 46, 28, 166, 180, 198, 232, 221, 116, 31, 75, 189, 139, 138, 112, 62, 181, 102, 72, 3, 246, 14, 97, 53, 87, 185, 134, 193, 29, 158,
    225, 248, 152, 17, 105, 217, 142, 148, 155, 30, 135, 233, 206, 85, 40, 223, 140, 161, 137, 13, 191, 230, 66, 104, 65, 153, 45, 15, 176, 84, 187, 22,
};
__global__ void aes_counter(uint4 *out, const uint4 *in, int blocks, unsigned nonce)
{
    __shared__ unsigned table[256];
    int t = threadIdx.x;
    unsigned b = aes_box[t], twice = b << 1 ^ (b & 128 ? 0x11Bu : 0u);
    table[t] = twice | b << 8 | b << 16 | (twice ^ b) << 24;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < blocks; i += gridDim.x * 256) {
        unsigned s[4] = { nonce ^ round_key[0], round_key[1], round_key[2], (unsigned)i ^ round_key[3] }, n[4];
        for (int r = 1; r < 10; r++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                unsigned x = table[s[c] & 255], y = table[s[(c + 1) % 4] >> 8 & 255], z = table[s[(c + 2) % 4] >> 16 & 255], w = table[s[(c + 3) % 4] >> 24];
                n[c] = x ^ __funnelshift_l(y, y, 8) ^ __funnelshift_l(z, z, 16) ^ __funnelshift_l(w, w, 24) ^ round_key[4 * r + c];
            }
#pragma unroll
            for (int c = 0; c < 4; c++) s[c] = n[c];
        }
#pragma unroll
        for (int c = 0; c < 4; c++)
            n[c] = ((table[s[c] & 255] >> 8 & 255) | (table[s[(c + 1) % 4] >> 8 & 255] & 0xFF00) | (table[s[(c + 2) % 4] >> 16 & 255] << 8 & 0xFF0000)
                    | (table[s[(c + 3) % 4] >> 24] << 16 & 0xFF000000)) ^ round_key[40 + c];
        uint4 d = in[i];
        out[i] = make_uint4(d.x ^ n[0], d.y ^ n[1], d.z ^ n[2], d.w ^ n[3]);
    }
}

/* kmutate launch
   int w = 1280, h = 800; dim3 grid = { w / 16, h / 8 }; dim3 block = { 16, 8 };
   unsigned short steps[w * h] = zeros();
   julia_fp64(steps, w, h, -0.8, 0.156, 400);
*/
// Double precision; neighbours leave after different numbers of steps.
__global__ void julia_fp64(unsigned short *steps, int w, int h, double cx, double cy, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = 0;
    if (x >= w || y >= h) return;
    double u = 3.2 * x / w - 1.6, v = 2.0 * y / h - 1.0;
    while (k < most && u * u + v * v < 4.0) {
        double next = u * u - v * v + cx;
        v = 2.0 * u * v + cy;
        u = next;
        k++;
    }
    steps[y * w + x] = k;
}

/* kmutate launch
   int w = 1920, h = 1080; dim3 grid = { w / 8, h / 8 }; dim3 block = { 8, 8 };
   extern float4 ball[40] = uniform(-3, 3);
   uchar4 image[w * h] = zeros();
   trace_balls(image, w, h, 4);
*/
// Rays among forty balls in constant memory, mirrored up to four times.
__constant__ float4 ball[40];
__global__ void trace_balls(uchar4 *image, int w, int h, int bounces)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float ox = 0, oy = 0, oz = -6, dx = (x - w / 2) / (0.8f * h), dy = (y - h / 2) / (0.8f * h), dz = 1.0f;
    float size = rsqrtf(dx * dx + dy * dy + 1.0f), light = 0.0f, left = 1.0f;
    dx *= size;
    dy *= size;
    dz *= size;
    for (int b = 0; b <= bounces; b++) {
        float nearest = 1e20f;
        int hit = -1;
        for (int k = 0; k < 40; k++) {
            float4 s = ball[k];
            float px = s.x - ox, py = s.y - oy, pz = s.z - oz, radius = 0.3f + 0.1f * fabsf(s.w);
            float along = px * dx + py * dy + pz * dz, off = px * px + py * py + pz * pz - along * along;
            if (along > 0.0f && off < radius * radius) {
                float far = along - sqrtf(radius * radius - off);
                if (far > 1e-3f && far < nearest) {
                    nearest = far;
                    hit = k;
                }
            }
        }
        if (hit < 0) {
            light += left * (0.5f + 0.5f * dy);
            break;
        }
        float4 s = ball[hit];
        ox += nearest * dx;
        oy += nearest * dy;
        oz += nearest * dz;
        float nx = ox - s.x, ny = oy - s.y, nz = oz - s.z, scale = rsqrtf(nx * nx + ny * ny + nz * nz);
        nx *= scale;
        ny *= scale;
        nz *= scale;
        light += left * 0.3f * fmaxf(0.6f * ny - 0.8f * nz, 0.0f);
        left *= 0.7f;
        float turn = 2.0f * (dx * nx + dy * ny + dz * nz);
        dx -= turn * nx;
        dy -= turn * ny;
        dz -= turn * nz;
    }
    unsigned char v = (unsigned char)(255.0f * __saturatef(light));
    image[y * w + x] = make_uchar4(v, v, v, 255);
}

/* kmutate launch
   int voxels = 150000, samples = 768; dim3 grid = { (voxels + 255) / 256 }; dim3 block = { 256 };
   extern float4 sample_at[768] = uniform(-1, 1);
   float re[voxels] = zeros(); float im[voxels] = zeros(); float x[voxels] = uniform(0, 1); float y[voxels] = uniform(0, 1); float z[voxels] = uniform(0, 1);
   mri_sums(re, im, x, y, z, voxels, samples);
*/
// Sums of sines and cosines over samples in constant memory, as magnetic resonance images are made of.
__constant__ float4 sample_at[768];
__global__ void mri_sums(float *re, float *im, const float *x, const float *y, const float *z, int voxels, int samples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= voxels) return;
    float px = x[i], py = y[i], pz = z[i], a = 0.0f, b = 0.0f;
    for (int k = 0; k < samples; k++) {
        float4 s = sample_at[k];
        float phase = 6.2831853f * (s.x * px + s.y * py + s.z * pz);
        a += s.w * cosf(phase);
        b += s.w * sinf(phase);
    }
    re[i] = a;
    im[i] = b;
}

/* kmutate launch
   int n = 12288, chunk = 1536; dim3 grid = { n / 256, n / chunk }; dim3 block = { 256 };
   extern float cosine_edge[15] = iota(0.98, -0.13);
   unsigned bins[16] = zeros(); float3 a[n] = uniform(-1, 1); float3 b[n] = uniform(-1, 1);
   angle_histogram(bins, a, b, chunk);
*/
// How often pairs of directions lie at which angle: a search in constant memory, counters of each warp in shared memory.
__constant__ float cosine_edge[15];
__device__ float3 direction(float3 v)
{
    float s = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1e-12f);
    return make_float3(v.x * s, v.y * s, v.z * s);
}
__global__ void angle_histogram(unsigned *bins, const float3 *a, const float3 *b, int chunk)
{
    __shared__ float3 others[256];
    __shared__ unsigned mine[8][16];
    int t = threadIdx.x;
    if (t < 128) mine[t / 16][t % 16] = 0;
    float3 p = direction(a[blockIdx.x * 256 + t]);
    for (int first = 0; first < chunk; first += 256) {
        others[t] = direction(b[blockIdx.y * chunk + first + t]);
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float3 o = others[j];
            float cosine = p.x * o.x + p.y * o.y + p.z * o.z;
            int low = 0, high = 15;
            while (low < high) {
                int middle = (low + high) / 2;
                if (cosine < cosine_edge[middle]) low = middle + 1;
                else high = middle;
            }
            atomicAdd(&mine[t / 32][low], 1);
        }
        __syncthreads();
    }
    if (t < 16) {
        unsigned sum = 0;
        for (int k = 0; k < 8; k++) sum += mine[k][t];
        atomicAdd(&bins[t], sum);
    }
}

/* kmutate launch
   int rows = 1 << 19, slices = rows / 32, lo = 4, hi = 44, wide = csr_nnz(slices, lo, hi); dim3 grid = { rows / 128 }; dim3 block = { 128 };
   float y[rows] = zeros(); int start[slices + 1] = csr_rowptr(slices, lo, hi); float value[wide * 32] = uniform(-1, 1);
   int column[wide * 32] = randint(0, rows); float x[rows] = uniform(-1, 1);
   spmv_sell(y, start, value, column, x, rows);
*/
// Slices of 32 rows that are as wide as their longest row.
__global__ void spmv_sell(float *y, const int *start, const float *value, const int *column, const float *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, slice = row / 32, lane = row % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = start[slice]; k < start[slice + 1]; k++) sum += value[k * 32 + lane] * x[column[k * 32 + lane]];
    y[row] = sum;
}

/* kmutate launch
   int entries = 5000000; dim3 grid = { 132 * 4 }; dim3 block = { 512 };
   double y[1 << 18] = zeros(); int row[entries] = randint(0, 1 << 18); int column[entries] = randint(0, 1 << 18);
   double value[entries] = uniform(-1, 1); double x[1 << 18] = uniform(-1, 1);
   spmv_coo(y, row, column, value, x, entries);
*/
// Entries in no order, in double precision, each added to its row.
__global__ void spmv_coo(double *y, const int *row, const int *column, const double *value, const double *x, int entries)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < entries; e += gridDim.x * blockDim.x)
        atomicAdd(&y[row[e]], value[e] * x[column[e]]);
}

/* kmutate launch
   int pieces = 700000; dim3 grid = { (pieces + 255) / 256 }; dim3 block = { 256 };
   int found[1] = zeros(); unsigned char table[64 * 64] = randint(0, 64); uint4 text[pieces * 4] = randint(0, 2147483647);
   match_patterns(found, table, text, pieces);
*/
// An automaton of 64 states (in shared memory) reads pieces of 64 letters of six bits; the last four states are matches.
__global__ void match_patterns(int *found, const unsigned char *table, const uint4 *text, int pieces)
{
    __shared__ unsigned char go[64 * 64];
    for (int k = threadIdx.x; k < 64 * 64; k += blockDim.x) go[k] = table[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, hits = 0, state = 0;
    if (i < pieces)
        for (int q = 0; q < 4; q++) {
            uint4 w = text[i * 4 + q];
            unsigned words[4] = { w.x, w.y, w.z, w.w };
#pragma unroll
            for (int k = 0; k < 16; k++) {
                state = go[state * 64 + (words[k / 4] >> k % 4 * 8 & 63)];
                hits += state >= 60;
            }
        }
    hits = __reduce_add_sync(0xffffffffu, hits);
    if (threadIdx.x % 32 == 0) atomicAdd(found, hits);
}

/* kmutate launch
   int n = 3840 * 2160, side = 33; dim3 grid = { n / 256 }; dim3 block = { 256 };
   uchar4 out[n] = zeros(); uchar4 in[n] = randint(0, 256); float4 cube[side * side * side] = uniform(0, 1);
   colour_cube(out, in, cube, side, n);
*/
// Colours looked up in a cube, between its eight nearest corners.
__global__ void colour_cube(uchar4 *out, const uchar4 *in, const float4 *cube, int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 p = in[i];
    float scale = (side - 1) / 255.0f, fr = p.x * scale, fg = p.y * scale, fb = p.z * scale;
    int r = min((int)fr, side - 2), g = min((int)fg, side - 2), b = min((int)fb, side - 2);
    fr -= r;
    fg -= g;
    fb -= b;
    float red = 0, green = 0, blue = 0;
    for (int k = 0; k < 8; k++) {
        int kr = k & 1, kg = k >> 1 & 1, kb = k >> 2;
        float w = (kr ? fr : 1 - fr) * (kg ? fg : 1 - fg) * (kb ? fb : 1 - fb);
        float4 c = cube[((b + kb) * side + g + kg) * side + r + kr];
        red += w * c.x;
        green += w * c.y;
        blue += w * c.z;
    }
    out[i] = make_uchar4((unsigned char)(255.0f * red), (unsigned char)(255.0f * green), (unsigned char)(255.0f * blue), p.w);
}
