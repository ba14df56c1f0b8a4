// The fifteenth set of kernels that nobody tuned the model of time for: innards of suites and tutorials, polyhedral loops,
// grids, mining, layers of language models there and back, the ladder of matrix products, and applications of many kinds,
// written from what is commonly known of the algorithms by someone who had seen neither the model nor its results.

#include <cuda_fp16.h>
#include <cuda_bf16.h>

// ----------------------------------------------------------------------------------------------- loops of linear algebra

/* kmutate launch
   int ni = 900, nj = 1000, nk = 800; dim3 block = { 32, 8 }; dim3 grid = { (nj + 31) / 32, (ni + 7) / 8 };
   float T[ni * nk] = uniform(-1, 1); float C[nk * nj] = uniform(-1, 1); float D[ni * nj] = uniform(-1, 1);
   chain_second_product(ni, nj, nk, 1.2f, T, C, D);
*/
// The second half of D = beta D + (A B) C, an element for each thread, summed in memory as the textbook writes it.
__global__ void chain_second_product(int ni, int nj, int nk, float beta, const float *T, const float *C, float *D)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        D[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++)
            D[i * nj + j] += T[i * nk + k] * C[k * nj + j];
    }
}

/* kmutate launch
   int nx = 4096, ny = 2048; dim3 block = { 256 }; dim3 grid = { (nx + 255) / 256 };
   float A[nx * ny] = uniform(-1, 1); float x[ny] = uniform(-1, 1); float tmp[nx] = zeros();
   row_for_each_thread_times_x(nx, ny, A, x, tmp);
*/
// The first loop of A' (A x): a thread walks along a row, so the lanes of a warp are a row apart.
__global__ void row_for_each_thread_times_x(int nx, int ny, const float *A, const float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx) {
        tmp[i] = 0;
        for (int j = 0; j < ny; j++)
            tmp[i] += A[i * ny + j] * x[j];
    }
}

/* kmutate launch
   int nx = 4000, ny = 4100; dim3 block = { 64 }; dim3 grid = { (ny + 63) / 64 };
   double A[nx * ny] = uniform(-1, 1); double r[nx] = uniform(-1, 1); double s[ny] = zeros();
   column_for_each_thread_times_r(nx, ny, A, r, s);
*/
// s = A' r: a thread walks down a column, the lanes side by side; small blocks, so that there are enough of them.
__global__ void column_for_each_thread_times_r(int nx, int ny, const double *__restrict__ A,
                                               const double *__restrict__ r, double *__restrict__ s)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= ny)
        return;
    double sum = 0.0;
    for (int i = 0; i < nx; i++)
        sum += r[i] * A[(size_t)i * ny + j];
    s[j] = sum;
}

/* kmutate launch
   int m = 1024, n = 2048, k = 31; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float A[m * n] = uniform(-1, 1); float Q[m * n] = uniform(-0.03, 0.03); float R[n * n] = zeros();
   orthogonalise_rest_against_one(m, n, k, A, Q, R);
*/
// Gram and Schmidt's third step: each column right of k is projected on column k of Q and made orthogonal to it.
__global__ void orthogonalise_rest_against_one(int m, int n, int k, float *A, const float *Q, float *R)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j > k && j < n) {
        float dot = 0.0f;
        for (int i = 0; i < m; i++)
            dot += Q[i * n + k] * A[i * n + j];
        R[k * n + j] = dot;
        for (int i = 0; i < m; i++)
            A[i * n + j] -= Q[i * n + k] * dot;
    }
}

/* kmutate launch
   int m = 192, n = 160; dim3 block = { 64 }; dim3 grid = { (m + 63) / 64 };
   float data[n * m] = normal(); float corr[m * m] = zeros();
   correlate_triangle_by_rows(m, n, data, corr);
*/
// Correlations of normalised columns: a thread has a whole row of the triangle, the first one the longest.
__global__ void correlate_triangle_by_rows(int m, int n, const float *data, float *corr)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a < m) {
        corr[a * m + a] = 1.0f;
        for (int b = a + 1; b < m; b++) {
            float sum = 0.0f;
            for (int i = 0; i < n; i++)
                sum += data[i * m + a] * data[i * m + b];
            corr[a * m + b] = sum;
            corr[b * m + a] = sum;
        }
    }
}

/* kmutate launch
   int m = 1200, n = 1400; dim3 block = { 16, 16 }; dim3 grid = { (m + 15) / 16, (m + 15) / 16 };
   double data[n * m] = normal(); double cov[m * m] = zeros();
   covary_lower_tiles(m, n, data, cov);
*/
// Covariances of centred columns in tiles; the blocks above the diagonal leave at once, the others write both halves.
__global__ void covary_lower_tiles(int m, int n, const double *__restrict__ data, double *__restrict__ cov)
{
    __shared__ double left[16][16], right[16][16];
    if (blockIdx.x > blockIdx.y)
        return;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    double sum = 0.0;
    for (int k = 0; k < n; k += 16) {
        bool inside = k + ty < n;
        left[ty][tx] = inside && row + tx < m ? data[(k + ty) * m + row + tx] : 0.0;
        right[ty][tx] = inside && col + tx < m ? data[(k + ty) * m + col + tx] : 0.0;
        __syncthreads();
#pragma unroll
        for (int e = 0; e < 16; e++)
            sum += left[e][ty] * right[e][tx];
        __syncthreads();
    }
    int i = row + ty, j = col + tx;
    if (i < m && j <= i) {
        sum /= n - 1.0;
        cov[i * m + j] = sum;
        cov[j * m + i] = sum;
    }
}

/* kmutate launch
   int nx = 2000, ny = 2600; dim3 block = { 32, 8 }; dim3 grid = { (ny + 31) / 32, (nx + 7) / 8 };
   float ex[nx * (ny + 1)] = uniform(-1, 1); float ey[(nx + 1) * ny] = uniform(-1, 1); float hz[nx * ny] = zeros();
   fields_update_hz(nx, ny, ex, ey, hz);
*/
// Finite differences in the time domain: the magnetic field from the two electric ones, which have a row or column more.
__global__ void fields_update_hz(int nx, int ny, const float *ex, const float *ey, float *hz)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny)
        hz[i * ny + j] -= 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

/* kmutate launch
   int n = 1024; dim3 block = { 128 }; dim3 grid = { n / 128 };
   float A[n * n] = uniform(0, 0.3); float B[n * n] = uniform(1, 2); float X[n * n] = uniform(-1, 1);
   alternating_row_sweep(n, A, B, X);
*/
// Alternating directions along the rows: forward elimination and substitution, a row for each thread, in place.
__global__ void alternating_row_sweep(int n, const float *A, float *B, float *X)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 1; j < n; j++) {
        X[i * n + j] -= X[i * n + j - 1] * A[i * n + j] / B[i * n + j - 1];
        B[i * n + j] -= A[i * n + j] * A[i * n + j] / B[i * n + j - 1];
    }
    X[i * n + n - 1] /= B[i * n + n - 1];
    for (int j = n - 2; j >= 0; j--)
        X[i * n + j] = (X[i * n + j] - A[i * n + j + 1] * X[i * n + j + 1]) / B[i * n + j];
}

/* kmutate launch
   int n = 2800; dim3 block = { 32, 4 }; dim3 grid = { (n + 31) / 32, (n + 3) / 4 };
   double A[n * n] = uniform(0, 1); double B[n * n] = zeros();
   five_point_mean_doubles(n, A, B);
*/
// Jacobi's mean of five points in doubles.
__global__ void five_point_mean_doubles(int n, const double *A, double *B)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        B[i * n + j] = 0.2 * (A[i * n + j] + A[i * n + j - 1] + A[i * n + j + 1] + A[(i + 1) * n + j] + A[(i - 1) * n + j]);
}

/* kmutate launch
   int nr = 100, nq = 110, np = 120; dim3 block = { 32, 8 }; dim3 grid = { (np + 31) / 32, (nq + 7) / 8, nr };
   float A[nr * nq * np] = uniform(-1, 1); float C4[np * np] = uniform(-1, 1); float S[nr * nq * np] = zeros();
   tensor_times_matrix_last(nr, nq, np, A, C4, S);
*/
// Multiresolution analysis: a tensor of three dimensions times a matrix along the last.
__global__ void tensor_times_matrix_last(int nr, int nq, int np, const float *A, const float *C4, float *S)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y * blockDim.y + threadIdx.y;
    int r = blockIdx.z;
    if (p < np && q < nq) {
        float sum = 0.0f;
        for (int s = 0; s < np; s++)
            sum += A[(r * nq + q) * np + s] * C4[s * np + p];
        S[(r * nq + q) * np + p] = sum;
    }
}

/* kmutate launch
   int n = 640, m = 600; dim3 block = { 32, 8 }; dim3 grid = { (n + 31) / 32, (n + 7) / 8 };
   double A[n * m] = uniform(-1, 1); double C[n * n] = uniform(-1, 1);
   rank_k_update_plain(n, m, 1.5, 1.2, A, C);
*/
// C = alpha A A' + beta C with the second factor read along rows, a row for each lane.
__global__ void rank_k_update_plain(int n, int m, double alpha, double beta, const double *A, double *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        double c = C[i * n + j] * beta;
        for (int k = 0; k < m; k++)
            c += alpha * A[i * m + k] * A[j * m + k];
        C[i * n + j] = c;
    }
}

/* kmutate launch
   int n = 4000; dim3 block = { 32, 8 }; dim3 grid = { (n + 31) / 32, (n + 7) / 8 };
   float A[n * n] = uniform(-1, 1);
   float u1[n] = uniform(-1, 1); float v1[n] = uniform(-1, 1); float u2[n] = uniform(-1, 1); float v2[n] = uniform(-1, 1);
   add_two_outer_products(n, A, u1, v1, u2, v2);
*/
// A += u1 v1' + u2 v2', in place.
__global__ void add_two_outer_products(int n, float *A, const float *u1, const float *v1, const float *u2, const float *v2)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        A[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

/* kmutate launch
   int n = 600; dim3 block = { 256 }; dim3 grid = { 1 };
   float L[n * n] = uniform(1, 2); float b[n] = uniform(-1, 1); float x[n] = zeros();
   size_t smem = n * sizeof(float);
   forward_substitution_one_block(n, L, b, x);
*/
// L x = b in one block, column after column, each a stride of a row apart, the right side in shared memory; what is
// below the diagonal counts a hundredth, lest x grow beyond all bounds.
__global__ void forward_substitution_one_block(int n, const float *L, const float *b, float *x)
{
    extern __shared__ float rest[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        rest[i] = b[i];
    __syncthreads();
    for (int j = 0; j < n; j++) {
        float xj = rest[j] / L[j * n + j];
        if (threadIdx.x == 0)
            x[j] = xj;
        for (int i = j + 1 + threadIdx.x; i < n; i += blockDim.x)
            rest[i] -= L[i * n + j] * xj * 0.01f;
        __syncthreads();
    }
}

/* kmutate launch
   int n = 2048, k = 777; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   int dist[n * n] = randint(0, 1000);
   all_pairs_through_one(n, k, dist);
*/
// Floyd and Warshall: ways through vertex k, in place; neither row k nor column k can change, for no distance is negative.
__global__ void all_pairs_through_one(int n, int k, int *dist)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int through = dist[i * n + k] + dist[k * n + j];
    if (through < dist[i * n + j])
        dist[i * n + j] = through;
}

// ----------------------------------------------------------------------------------------- grids, mining, heterogeneous

/* kmutate launch
   int n = 1500; dim3 block = { 16, 16 }; dim3 grid = { (n + 11) / 12, (n + 11) / 12 };
   float power[n * n] = uniform(0, 0.01); float temp[n * n] = uniform(323, 341); float out[n * n] = zeros();
   chip_heat_two_steps(n, power, temp, out, 0.34f, 0.1f, 0.1f, 0.00033f);
*/
// Heat of a chip, two steps at once: a block computes a ring more than it writes and steps in shared memory.
__global__ void chip_heat_two_steps(int n, const float *power, const float *temp, float *out, float step_div_cap,
                                    float rx1, float ry1, float rz1)
{
    __shared__ float now[16][16], watt[16][16], then[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int bx = 12 * blockIdx.x - 2, by = 12 * blockIdx.y - 2;
    int x = bx + tx, y = by + ty;
    bool inside = x >= 0 && x < n && y >= 0 && y < n;
    if (inside) {
        now[ty][tx] = temp[y * n + x];
        watt[ty][tx] = power[y * n + x];
    }
    __syncthreads();
    int left = max(0, -bx), right = min(15, n - 1 - bx);
    int top = max(0, -by), bottom = min(15, n - 1 - by);
    int w = max(tx - 1, left), e = min(tx + 1, right);
    int u = max(ty - 1, top), d = min(ty + 1, bottom);
    bool computed = false;
    for (int i = 0; i < 2; i++) {
        computed = false;
        if (inside && tx >= i + 1 && tx <= 14 - i && ty >= i + 1 && ty <= 14 - i) {
            computed = true;
            float t = now[ty][tx];
            then[ty][tx] = t + step_div_cap * (watt[ty][tx] + (now[d][tx] + now[u][tx] - 2.0f * t) * ry1
                                               + (now[ty][e] + now[ty][w] - 2.0f * t) * rx1 + (80.0f - t) * rz1);
        }
        __syncthreads();
        if (i == 1)
            break;
        if (computed)
            now[ty][tx] = then[ty][tx];
        __syncthreads();
    }
    if (computed)
        out[y * n + x] = then[ty][tx];
}

/* kmutate launch
   int in = 262144, hid = 16; dim3 block = { 16, 16 }; dim3 grid = { 1, in / 16 };
   float input[in + 1] = uniform(0, 1); float weights[(in + 1) * (hid + 1)] = uniform(-1, 1);
   float partial[in / 16 * hid] = zeros();
   layer_forward_tile_of_sixteen(hid, input, weights, partial);
*/
// A layer of neurons: products of a tile of 16 inputs and 16 hidden units, summed by halves in shared memory.
__global__ void layer_forward_tile_of_sixteen(int hid, const float *input, const float *weights, float *partial)
{
    __shared__ float node[16];
    __shared__ float product[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
    int at = (hid + 1) * (16 * by + ty + 1) + tx + 1;
    if (tx == 0)
        node[ty] = input[16 * by + ty + 1];
    __syncthreads();
    product[ty][tx] = weights[at];
    __syncthreads();
    product[ty][tx] = product[ty][tx] * node[ty];
    __syncthreads();
    for (int i = 1; i <= 4; i++) {
        int power_two = 1 << i;
        if (ty % power_two == 0)
            product[ty][tx] = product[ty][tx] + product[ty + power_two / 2][tx];
        __syncthreads();
    }
    if (ty == 0)
        partial[by * hid + tx] = product[0][tx];
}

/* kmutate launch
   int in = 262144, hid = 16; dim3 block = { 16, 16 }; dim3 grid = { 1, in / 16 };
   float delta[hid + 1] = uniform(-1, 1); float input[in + 1] = uniform(0, 1);
   float w[(in + 1) * (hid + 1)] = uniform(-1, 1); float old[(in + 1) * (hid + 1)] = uniform(-1, 1);
   layer_adjust_weights(hid, delta, input, w, old);
*/
// Weights and their last changes get what the errors say, 16 floats of each row of 17.
__global__ void layer_adjust_weights(int hid, const float *delta, const float *input, float *w, float *old)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = 16 * blockIdx.y + ty + 1;
    int at = (hid + 1) * row + tx + 1;
    w[at] += 0.3f * delta[tx + 1] * input[row] + 0.3f * old[at];
    old[at] = 0.3f * delta[tx + 1] * input[row] + 0.3f * old[at];
}

/* kmutate launch
   int n = 1024, offset = 256; dim3 block = { 64 }; dim3 grid = { 1 };
   float m[n * n] = uniform(1, 2);
   lu_diagonal_tile_of_64(m, n, offset);
*/
// LU of the diagonal tile, two warps and no other block; rows and columns in turns.
__global__ void lu_diagonal_tile_of_64(float *m, int n, int offset)
{
    __shared__ float tile[64][64];
    int t = threadIdx.x;
    for (int i = 0; i < 64; i++)
        tile[i][t] = m[(offset + i) * n + offset + t];
    __syncthreads();
    for (int i = 0; i < 63; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++)
                tile[t][i] -= tile[t][j] * tile[j][i];
            tile[t][i] /= tile[i][i];
        }
        __syncthreads();
        if (t > i) {
            for (int j = 0; j < i + 1; j++)
                tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
        }
        __syncthreads();
    }
    for (int i = 1; i < 64; i++)
        m[(offset + i) * n + offset + t] = tile[i][t];
}

/* kmutate launch
   int n = 2048, offset = 256; dim3 block = { 16, 16 }; dim3 grid = { (n - offset) / 16 - 1, (n - offset) / 16 - 1 };
   float m[n * n] = uniform(1, 2);
   lu_inner_tiles_of_16(m, n, offset);
*/
// The inner tiles of LU: each loses the product of the tile of its row and the tile of its column.
__global__ void lu_inner_tiles_of_16(float *m, int n, int offset)
{
    __shared__ float row[16][16], col[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i0 = offset + (blockIdx.y + 1) * 16, j0 = offset + (blockIdx.x + 1) * 16;
    row[ty][tx] = m[(offset + ty) * n + j0 + tx];
    col[ty][tx] = m[(i0 + ty) * n + offset + tx];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += col[ty][i] * row[i][tx];
    m[(i0 + ty) * n + j0 + tx] -= sum;
}

/* kmutate launch
   int tiles = 128; int cols = tiles * 32 + 1; dim3 block = { 32 }; dim3 grid = { tiles };
   int score[cols * cols] = randint(-300, 0); int similar[cols * cols] = randint(-4, 12);
   align_global_diagonal_of_tiles(score, similar, cols, 10, tiles);
*/
// Global alignment of two strings: tiles of 32 x 32 on one antidiagonal, a warp each, 63 small steps in shared memory.
__global__ void align_global_diagonal_of_tiles(int *score, const int *similar, int cols, int penalty, int diagonal)
{
    __shared__ int s[33][33];
    __shared__ int ref[32][32];
    int t = threadIdx.x;
    int bx = blockIdx.x, by = diagonal - 1 - blockIdx.x;
    int corner = cols * 32 * by + 32 * bx;
    if (t == 0)
        s[0][0] = score[corner];
    for (int y = 0; y < 32; y++)
        ref[y][t] = similar[corner + cols * (y + 1) + t + 1];
    s[t + 1][0] = score[corner + cols * (t + 1)];
    s[0][t + 1] = score[corner + t + 1];
    __syncthreads();
    for (int m = 0; m < 32; m++) {
        if (t <= m) {
            int x = t + 1, y = m - t + 1;
            s[y][x] = max(s[y - 1][x - 1] + ref[y - 1][x - 1], max(s[y][x - 1] - penalty, s[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int m = 30; m >= 0; m--) {
        if (t <= m) {
            int x = t + 32 - m, y = 32 - t;
            s[y][x] = max(s[y - 1][x - 1] + ref[y - 1][x - 1], max(s[y][x - 1] - penalty, s[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int y = 0; y < 32; y++)
        score[corner + cols * (y + 1) + t + 1] = s[y + 1][t + 1];
}

/* kmutate launch
   int cols = 1000000, rows = 20; dim3 block = { 256 }; int small = 256 - 2 * rows; dim3 grid = { (cols + small - 1) / small };
   int wall[rows * cols] = randint(0, 10); int src[cols] = randint(0, 100); int dst[cols] = zeros();
   cheapest_path_pyramid(rows, wall, src, dst, cols);
*/
// The cheapest way down a wall: twenty rows for a launch, with a border of as many columns on either side.
__global__ void cheapest_path_pyramid(int rows, const int *wall, const int *src, int *dst, int cols)
{
    __shared__ int prev[256], next[256];
    int t = threadIdx.x;
    int small = 256 - 2 * rows;
    int begin = small * blockIdx.x - rows;
    int x = begin + t;
    int low = max(0, -begin), high = min(255, cols - 1 - begin);
    bool valid = t >= low && t <= high;
    if (valid)
        prev[t] = src[x];
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < rows; i++) {
        computed = false;
        if (valid && t >= i + 1 && t <= 254 - i) {
            computed = true;
            int shortest = min(prev[max(t - 1, low)], min(prev[t], prev[min(t + 1, high)]));
            next[t] = shortest + wall[cols * i + x];
        }
        __syncthreads();
        if (computed)
            prev[t] = next[t];
        __syncthreads();
    }
    if (computed)
        dst[x] = prev[t];
}

/* kmutate launch
   seed(3);
   int nodes = 800000, lo = 1, hi = 13; int edges_total = csr_nnz(nodes, lo, hi);
   dim3 block = { 512 }; dim3 grid = { (nodes + 511) / 512 };
   int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int edges[edges_total] = csr_colidx(nodes);
   unsigned char frontier[nodes] = randint(0, 2); unsigned char updated[nodes] = zeros();
   unsigned char visited[nodes] = randint(0, 2); int cost[nodes] = fill(4);
   breadth_first_masks(nodes, start, edges, frontier, updated, visited, cost);
*/
// A level of breadth-first search with masks of bytes: half of the vertices look at their neighbours.
__global__ void breadth_first_masks(int nodes, const int *start, const int *edges, unsigned char *frontier,
                                    unsigned char *updated, const unsigned char *visited, int *cost)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes && frontier[v]) {
        frontier[v] = 0;
        for (int e = start[v]; e < start[v + 1]; e++) {
            int id = edges[e];
            if (!visited[id]) {
                cost[id] = 5;
                updated[id] = 1;
            }
        }
    }
}

/* kmutate launch
   int queries = 40000; dim3 block = { 256 }; dim3 grid = { queries };
   int top[257] = iota(0, 65536); int middle[65537] = iota(0, 256); int leaf[16777217] = iota(0, 1);
   int key[queries] = randint(0, 16777216); int found[queries] = fill(-1);
   wide_tree_lookup(top, middle, leaf, key, found);
*/
// A tree of order 256 in three levels: a block for a query, a thread for a key of the node, the fitting one says where on.
__global__ void wide_tree_lookup(const int *top, const int *middle, const int *leaf, const int *key, int *found)
{
    __shared__ int node;
    int t = threadIdx.x;
    int k = key[blockIdx.x];
    if (top[t] <= k && k < top[t + 1])
        node = t;
    __syncthreads();
    int at = node * 256 + t;
    __syncthreads();
    if (middle[at] <= k && k < middle[at + 1])
        node = at;
    __syncthreads();
    at = node * 256 + t;
    if (leaf[at] == k)
        found[blockIdx.x] = at;
}

/* kmutate launch
   int num = 65536, dim = 128, K = 12; dim3 block = { 512 }; dim3 grid = { num / 512 };
   float coord[dim * num] = uniform(0, 1); float weight[num] = ones(); float cost[num] = uniform(10, 30);
   int assign[num] = randint(0, 65536); int centre_table[num] = randint(0, 12);
   float work[num * (K + 1)] = zeros(); unsigned char change[num] = zeros();
   size_t smem = dim * sizeof(float);
   gain_of_opening_centre(num, dim, 4711, K, coord, weight, cost, assign, centre_table, work, change);
*/
// What opening a centre at x would gain: the distance of each point to x, coordinate by coordinate, against its cost now.
__global__ void gain_of_opening_centre(int num, int dim, int x, int K, const float *coord, const float *weight,
                                       const float *cost, const int *assign, const int *centre_table, float *work,
                                       unsigned char *change)
{
    extern __shared__ float at_x[];
    for (int d = threadIdx.x; d < dim; d += blockDim.x)
        at_x[d] = coord[d * num + x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < num) {
        float *lower = &work[i * (K + 1)];
        float dist = 0.0f;
        for (int d = 0; d < dim; d++) {
            float diff = coord[d * num + i] - at_x[d];
            dist += diff * diff;
        }
        dist *= weight[i];
        if (dist < cost[i]) {
            change[i] = 1;
            lower[K] += dist - cost[i];
        } else
            lower[centre_table[assign[i]]] += cost[i] - dist;
    }
}

/* kmutate launch
   int rows = 2000, cols = 2100; dim3 block = { 16, 16 }; dim3 grid = { (cols + 15) / 16, (rows + 15) / 16 };
   float J[rows * cols] = uniform(1, 3); float c[rows * cols] = zeros();
   float dN[rows * cols] = zeros(); float dS[rows * cols] = zeros(); float dW[rows * cols] = zeros(); float dE[rows * cols] = zeros();
   speckle_diffusion_coefficient(rows, cols, 0.05f, J, dN, dS, dW, dE, c);
*/
// Diffusion that reduces speckle: the four derivatives and the coefficient of each pixel, five arrays to write.
__global__ void speckle_diffusion_coefficient(int rows, int cols, float q0sqr, const float *J, float *dN, float *dS,
                                              float *dW, float *dE, float *c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols || y >= rows)
        return;
    int k = y * cols + x;
    float j = J[k];
    float n = J[max(y - 1, 0) * cols + x] - j;
    float s = J[min(y + 1, rows - 1) * cols + x] - j;
    float w = J[y * cols + max(x - 1, 0)] - j;
    float e = J[y * cols + min(x + 1, cols - 1)] - j;
    float g2 = (n * n + s * s + w * w + e * e) / (j * j);
    float l = (n + s + w + e) / j;
    float num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l));
    float den = 1.0f + 0.25f * l;
    float qsqr = num / (den * den);
    den = (qsqr - q0sqr) / (q0sqr * (1.0f + q0sqr));
    float coefficient = 1.0f / (1.0f + den);
    if (coefficient < 0.0f)
        coefficient = 0.0f;
    else if (coefficient > 1.0f)
        coefficient = 1.0f;
    dN[k] = n;
    dS[k] = s;
    dW[k] = w;
    dE[k] = e;
    c[k] = coefficient;
}

/* kmutate launch
   int n = 6000; dim3 block = { 128 }; dim3 grid = { (n + 127) / 128 };
   double cdf[n] = ascending(0, 1); double u[n] = ascending(0, 1); double x[n] = normal(); double y[n] = normal();
   double xj[n] = zeros(); double yj[n] = zeros();
   resample_particles_linear_search(n, cdf, u, x, y, xj, yj);
*/
// Resampling of particles: each looks for its place in the distribution from the beginning, the last ones longest.
__global__ void resample_particles_linear_search(int n, const double *cdf, const double *u, const double *x,
                                                 const double *y, double *xj, double *yj)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int index = -1;
        for (int k = 0; k < n; k++) {
            if (cdf[k] >= u[i]) {
                index = k;
                break;
            }
        }
        if (index == -1)
            index = n - 1;
        xj[i] = x[index];
        yj[i] = y[index];
    }
}

/* kmutate launch
   int points = 51, width = 656, height = 590; dim3 block = { 512 }; dim3 grid = { points };
   float frame[height * width] = uniform(0, 1); float templates[points * 625] = uniform(0, 1);
   int row[points] = randint(0, 525); int col[points] = randint(0, 591);
   int best[points] = zeros(); float value[points] = zeros();
   wall_point_window_match(width, frame, templates, row, col, best, value);
*/
// A block for a point of the heart's wall: its template of 25 x 25 is moved over a window of 65 x 65, the best place wins.
__global__ void wall_point_window_match(int width, const float *frame, const float *templates, const int *row,
                                        const int *col, int *best, float *value)
{
    __shared__ float window[65 * 65];
    __shared__ float small[25 * 25];
    __shared__ float top[512];
    __shared__ int where[512];
    int t = threadIdx.x, p = blockIdx.x;
    for (int i = t; i < 65 * 65; i += 512)
        window[i] = frame[(row[p] + i / 65) * width + col[p] + i % 65];
    for (int i = t; i < 625; i += 512)
        small[i] = templates[p * 625 + i];
    __syncthreads();
    float most = -1.0f;
    int place = 0;
    for (int o = t; o < 41 * 41; o += 512) {
        int y = o / 41, x = o % 41;
        float sum = 0.0f;
        for (int i = 0; i < 25; i++)
            for (int j = 0; j < 25; j++)
                sum += window[(y + i) * 65 + x + j] * small[i * 25 + j];
        if (sum > most) {
            most = sum;
            place = o;
        }
    }
    top[t] = most;
    where[t] = place;
    __syncthreads();
    for (int s = 256; s > 0; s >>= 1) {
        if (t < s && top[t + s] > top[t]) {
            top[t] = top[t + s];
            where[t] = where[t + s];
        }
        __syncthreads();
    }
    if (t == 0) {
        best[p] = where[0];
        value[p] = top[0];
    }
}

/* kmutate launch
   int cells = 232000; dim3 block = { 192 }; dim3 grid = { (cells + 191) / 192 };
   int delta[4 * cells] = randint(-500, 500); float normal_vec[12 * cells] = uniform(-1, 1);
   float vars[5 * cells] = uniform(1, 2); float flux[5 * cells] = zeros();
   euler_flux_unstructured(cells, delta, normal_vec, vars, flux);
*/
// Euler's equations on a mesh without structure: fluxes over a cell's four faces, neighbours found by index, a far field.
__global__ void euler_flux_unstructured(int cells, const int *delta, const float *normal_vec, const float *vars, float *flux)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    const float gamma = 1.4f;
    float r = vars[i], mx = vars[i + cells], my = vars[i + 2 * cells], mz = vars[i + 3 * cells], e = vars[i + 4 * cells];
    float vx = mx / r, vy = my / r, vz = mz / r;
    float v2 = vx * vx + vy * vy + vz * vz;
    float p = (gamma - 1.0f) * (e - 0.5f * r * v2);
    float c = sqrtf(fabsf(gamma * p / r));
    float fr = 0.0f, fx = 0.0f, fy = 0.0f, fz = 0.0f, fe = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float nx = normal_vec[i + (j + 0) * cells], ny = normal_vec[i + (j + 4) * cells], nz = normal_vec[i + (j + 8) * cells];
        float len = sqrtf(nx * nx + ny * ny + nz * nz);
        int nb = i + delta[i + j * cells];
        if (nb >= 0 && nb < cells) {
            float rn = vars[nb], mxn = vars[nb + cells], myn = vars[nb + 2 * cells], mzn = vars[nb + 3 * cells];
            float en = vars[nb + 4 * cells];
            float vxn = mxn / rn, vyn = myn / rn, vzn = mzn / rn;
            float v2n = vxn * vxn + vyn * vyn + vzn * vzn;
            float pn = (gamma - 1.0f) * (en - 0.5f * rn * v2n);
            float cn = sqrtf(fabsf(gamma * pn / rn));
            float factor = -len * 0.2f * 0.5f * (sqrtf(v2) + sqrtf(v2n) + c + cn);
            fr += factor * (r - rn);
            fe += factor * (e - en);
            fx += factor * (mx - mxn);
            fy += factor * (my - myn);
            fz += factor * (mz - mzn);
            float hx = 0.5f * nx, hy = 0.5f * ny, hz = 0.5f * nz;
            float through = hx * vx + hy * vy + hz * vz, from = hx * vxn + hy * vyn + hz * vzn;
            fr += hx * (mx + mxn) + hy * (my + myn) + hz * (mz + mzn);
            fe += through * (e + p) + from * (en + pn);
            fx += through * mx + from * mxn + hx * (p + pn);
            fy += through * my + from * myn + hy * (p + pn);
            fz += through * mz + from * mzn + hz * (p + pn);
        } else if (nb < 0) {
            fx += nx * p;
            fy += ny * p;
            fz += nz * p;
        } else {
            float factor = 0.5f * nx;
            fr += factor * (1.4f + mx);
            fx += factor * (1.4f * 1.2f + p);
            fe += factor * (2.5f + e + p);
        }
    }
    flux[i] = fr;
    flux[i + cells] = fx;
    flux[i + 2 * cells] = fy;
    flux[i + 3 * cells] = fz;
    flux[i + 4 * cells] = fe;
}

/* kmutate launch
   int cells = 1500; dim3 block = { 32 }; dim3 grid = { (cells + 31) / 32 };
   float current[cells] = uniform(5, 15); float trace[cells * 4] = zeros();
   excitable_cells_in_time(cells, 150, 0.01f, current, trace);
*/
// Cells that fire: a system of four stiff equations for each thread, full of exponentials, step after step by Heun's rule.
__global__ void excitable_cells_in_time(int cells, int steps, float dt, const float *current, float *trace)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    float y[4] = { -65.0f, 0.05f, 0.6f, 0.32f };
    float I = current[i];
    for (int s = 0; s < steps; s++) {
        float k[2][4];
        float z[4] = { y[0], y[1], y[2], y[3] };
#pragma unroll
        for (int stage = 0; stage < 2; stage++) {
            float v = z[0], m = z[1], h = z[2], n = z[3];
            float a_m = 0.1f * (v + 40.0f) / (1.0f - expf(-(v + 40.0f) / 10.0f) + 1e-6f);
            float b_m = 4.0f * expf(-(v + 65.0f) / 18.0f);
            float a_h = 0.07f * expf(-(v + 65.0f) / 20.0f);
            float b_h = 1.0f / (1.0f + expf(-(v + 35.0f) / 10.0f));
            float a_n = 0.01f * (v + 55.0f) / (1.0f - expf(-(v + 55.0f) / 10.0f) + 1e-6f);
            float b_n = 0.125f * expf(-(v + 65.0f) / 80.0f);
            k[stage][0] = I - 120.0f * m * m * m * h * (v - 50.0f) - 36.0f * n * n * n * n * (v + 77.0f) - 0.3f * (v + 54.4f);
            k[stage][1] = a_m * (1.0f - m) - b_m * m;
            k[stage][2] = a_h * (1.0f - h) - b_h * h;
            k[stage][3] = a_n * (1.0f - n) - b_n * n;
            for (int q = 0; q < 4; q++)
                z[q] = y[q] + dt * k[stage][q];
        }
        for (int q = 0; q < 4; q++)
            y[q] += 0.5f * dt * (k[0][q] + k[1][q]);
    }
    for (int q = 0; q < 4; q++)
        trace[i * 4 + q] = y[q];
}

/* kmutate launch
   int n = 494020, features = 34, k = 5; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float points[n * features] = uniform(0, 1); float centres[k * features] = uniform(0, 1); int member[n] = fill(-1);
   nearest_centre_of_five(n, features, k, points, centres, member);
*/
// The nearest centre of each point; features lie one after the other, the points' list is read once for each centre.
__global__ void nearest_centre_of_five(int n, int features, int k, const float *points, const float *centres, int *member)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float best = 3.4e38f;
        int index = -1;
        for (int c = 0; c < k; c++) {
            float sum = 0.0f;
            for (int f = 0; f < features; f++)
                sum += (points[f * n + i] - centres[c * features + f]) * (points[f * n + i] - centres[c * features + f]);
            if (sum < best) {
                best = sum;
                index = c;
            }
        }
        member[i] = index;
    }
}

/* kmutate launch
   int n = 494020, features = 34; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float points[n * features] = uniform(0, 1); float swapped[n * features] = zeros();
   points_to_feature_major(n, features, points, swapped);
*/
// Points of 34 features are turned to features of many points, a point for each thread, 136 bytes from lane to lane.
__global__ void points_to_feature_major(int n, int features, const float *points, float *swapped)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int f = 0; f < features; f++)
        swapped[f * n + i] = points[i * features + f];
}

/* kmutate launch
   int n = 6000000; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float2 place[n] = uniform(0, 90); float dist[n] = zeros();
   distance_to_one_place(n, place, dist, 30.0f, 45.5f);
*/
// The distance of each record to one place.
__global__ void distance_to_one_place(int n, const float2 *place, float *dist, float lat, float lng)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 p = place[i];
        dist[i] = sqrtf((lat - p.x) * (lat - p.x) + (lng - p.y) * (lng - p.y));
    }
}

/* kmutate launch
   int n = 4000000; dim3 block = { 256 }; dim3 grid = { 256 };
   float keys[n] = uniform(0, 1); float pivots[1023] = ascending(0, 1);
   unsigned bucket_of[n] = zeros(); unsigned counts[256 * 1024] = zeros();
   bucket_count_by_pivots(n, keys, pivots, bucket_of, counts);
*/
// A hybrid sort's first pass: a bucket by binary search in 1023 pivots, its count by an atomic that says the place, too.
__global__ void bucket_count_by_pivots(int n, const float *keys, const float *pivots, unsigned *bucket_of, unsigned *counts)
{
    __shared__ unsigned bins[1024];
    __shared__ float split[1023];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        bins[i] = 0;
        if (i < 1023)
            split[i] = pivots[i];
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float key = keys[i];
        int at = 511;
        for (int jump = 256; jump >= 1; jump /= 2)
            at = key < split[at] ? at - jump : at + jump;
        at = key < split[at] ? at : at + 1;
        unsigned place = atomicAdd(&bins[at], 1u);
        bucket_of[i] = (place << 10) + at;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        counts[blockIdx.x * 1024 + i] = bins[i];
}

// ------------------------------------------------------------------------------------------- training language models

/* kmutate launch
   int rows = 8192, C = 768; dim3 block = { 128 }; dim3 grid = { rows / 128 };
   float in[rows * C] = normal(); float w[C] = uniform(0.5, 1.5); float b[C] = uniform(-1, 1);
   float out[rows * C] = zeros(); float mean[rows] = zeros(); float rstd[rows] = zeros();
   normalise_row_for_each_thread(out, mean, rstd, in, w, b, rows, C);
*/
// Layer normalisation as the C code has it, a token for each thread, three passes over its row.
__global__ void normalise_row_for_each_thread(float *out, float *mean, float *rstd, const float *in, const float *w,
                                              const float *b, int rows, int C)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    const float *x = in + r * C;
    float m = 0.0f;
    for (int i = 0; i < C; i++)
        m += x[i];
    m = m / C;
    float v = 0.0f;
    for (int i = 0; i < C; i++) {
        float shift = x[i] - m;
        v += shift * shift;
    }
    v = v / C;
    float s = 1.0f / sqrtf(v + 1e-5f);
    for (int i = 0; i < C; i++)
        out[r * C + i] = (s * (x[i] - m)) * w[i] + b[i];
    mean[r] = m;
    rstd[r] = s;
}

/* kmutate launch
   int rows = 8192, C = 1024; dim3 block = { 256 }; dim3 grid = { rows / 32 }; size_t smem = 2 * C * sizeof(float);
   float dout[rows * C] = normal(); float in[rows * C] = normal(); float w[C] = uniform(0.5, 1.5);
   float mean[rows] = uniform(-0.1, 0.1); float rstd[rows] = uniform(0.9, 1.1);
   float din[rows * C] = zeros(); float dw[C] = zeros(); float db[C] = zeros();
   normalise_backward_warp_for_token(din, dw, db, dout, in, w, mean, rstd, rows, C);
*/
// Layer normalisation backwards: a warp for a token, four tokens each, weights' gradients gathered in shared memory
// by atomics and then in global memory by atomics.
__global__ void normalise_backward_warp_for_token(float *din, float *dw, float *db, const float *dout, const float *in,
                                                  const float *w, const float *mean, const float *rstd, int rows, int C)
{
    extern __shared__ float sums[];
    float *sdw = sums, *sdb = sums + C;
    for (int i = threadIdx.x; i < 2 * C; i += blockDim.x)
        sums[i] = 0.0f;
    __syncthreads();
    int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int r = blockIdx.x * warps + threadIdx.x / 32; r < rows; r += gridDim.x * warps) {
        const float *g = dout + (size_t)r * C, *x = in + (size_t)r * C;
        float *dx = din + (size_t)r * C;
        float m = mean[r], s = rstd[r];
        float a = 0.0f, q = 0.0f;
        for (int i = lane; i < C; i += 32) {
            float dnorm = w[i] * g[i];
            a += dnorm;
            q += dnorm * (x[i] - m) * s;
        }
        for (int o = 16; o > 0; o >>= 1) {
            a += __shfl_xor_sync(0xffffffffu, a, o);
            q += __shfl_xor_sync(0xffffffffu, q, o);
        }
        a /= C;
        q /= C;
        for (int i = lane; i < C; i += 32) {
            float norm = (x[i] - m) * s;
            atomicAdd(&sdb[i], g[i]);
            atomicAdd(&sdw[i], norm * g[i]);
            dx[i] += (w[i] * g[i] - a - norm * q) * s;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        atomicAdd(&dw[i], sdw[i]);
        atomicAdd(&db[i], sdb[i]);
    }
}

/* kmutate launch
   int B = 2, T = 512, NH = 12, hs = 64; int C = NH * hs; int total = B * NH * T * T;
   dim3 block = { 256 }; dim3 grid = { total / 256 };
   float qkv[B * T * 3 * C] = uniform(-1, 1); float att[total] = zeros();
   attention_scores_naive(att, qkv, B, T, C, NH);
*/
// Scores of attention, a pair of tokens for each thread: query times key of one head, minus infinity ahead of time.
__global__ void attention_scores_naive(float *att, const float *qkv, int B, int T, int C, int NH)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * NH * T * T)
        return;
    int t2 = i % T, t = (i / T) % T;
    if (t2 > t) {
        att[i] = -INFINITY;
        return;
    }
    int h = (i / (T * T)) % NH, b = i / (NH * T * T);
    int hs = C / NH;
    const float *q = qkv + b * T * C * 3 + t * C * 3 + h * hs;
    const float *k = qkv + b * T * C * 3 + t2 * C * 3 + h * hs + C;
    float sum = 0.0f;
    for (int e = 0; e < hs; e++)
        sum += q[e] * k[e];
    att[i] = sum / sqrtf(hs);
}

/* kmutate launch
   int N = 48, T = 768; dim3 block = { 256 }; dim3 grid = { N * T / 8 };
   float in[N * T * T] = normal(); float out[N * T * T] = zeros();
   causal_softmax_online_warp(out, 0.125f, in, N, T);
*/
// Softmax of a row's past, a warp for a row, maximum and sum in one pass, the rows from the last, which is the longest.
__global__ void causal_softmax_online_warp(float *out, float inv_temperature, const float *in, int N, int T)
{
    int lane = threadIdx.x % 32;
    int idx = (gridDim.x - blockIdx.x - 1) * (blockDim.x / 32) + threadIdx.x / 32;
    if (idx >= N * T)
        return;
    int own = idx % T;
    int by4 = own / 4;
    const float *x = in + (size_t)idx * T;
    const float4 *x4 = (const float4 *)x;
    float most = -3.4e38f, sum = 0.0f;
    for (int i = lane; i < by4; i += 32) {
        float4 v = x4[i];
        float old = most;
        most = fmaxf(fmaxf(most, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
        sum *= expf(inv_temperature * (old - most));
        sum += expf(inv_temperature * (v.x - most)) + expf(inv_temperature * (v.y - most))
             + expf(inv_temperature * (v.z - most)) + expf(inv_temperature * (v.w - most));
    }
    if (4 * by4 + lane <= own) {
        float old = most, v = x[4 * by4 + lane];
        most = fmaxf(most, v);
        sum *= expf(inv_temperature * (old - most));
        sum += expf(inv_temperature * (v - most));
    }
    float all = most;
    for (int o = 16; o > 0; o >>= 1)
        all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, o));
    sum *= expf(inv_temperature * (most - all));
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    float norm = 1.0f / sum;
    for (int i = lane; i <= own; i += 32)
        __stcs(out + (size_t)idx * T + i, expf(inv_temperature * (__ldcs(x + i) - all)) * norm);
}

/* kmutate launch
   int BH = 24, T = 512, hs = 64; dim3 block = { 64 }; dim3 grid = { T / 64, BH };
   float Q[BH * T * hs] = uniform(-1, 1); float K[BH * T * hs] = uniform(-1, 1); float V[BH * T * hs] = uniform(-1, 1);
   float O[BH * T * hs] = zeros(); float L[BH * T] = zeros();
   attention_streamed_row_in_registers(Q, K, V, O, L, T, 0.125f);
*/
// Attention without scores in memory: a query for each thread in registers, keys and values staged 32 at a time.
__global__ void __launch_bounds__(64) attention_streamed_row_in_registers(const float *Q, const float *K, const float *V,
                                                                         float *O, float *L, int T, float scale)
{
    __shared__ float4 k_tile[32][16], v_tile[32][16];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.y * T * 64;
    int row = blockIdx.x * 64 + t;
    const float4 *q4 = (const float4 *)(Q + base + (size_t)row * 64);
    float4 q[16], o[16];
#pragma unroll
    for (int i = 0; i < 16; i++) {
        q[i] = q4[i];
        o[i] = make_float4(0.f, 0.f, 0.f, 0.f);
    }
    float most = -1e30f, sum = 0.0f;
    for (int j0 = 0; j0 < T; j0 += 32) {
        __syncthreads();
        for (int i = t; i < 512; i += 64) {
            k_tile[i / 16][i % 16] = ((const float4 *)(K + base + (size_t)j0 * 64))[i];
            v_tile[i / 16][i % 16] = ((const float4 *)(V + base + (size_t)j0 * 64))[i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0.0f;
#pragma unroll
            for (int i = 0; i < 16; i++) {
                float4 k = k_tile[j][i];
                s += q[i].x * k.x + q[i].y * k.y + q[i].z * k.z + q[i].w * k.w;
            }
            s *= scale;
            float now = fmaxf(most, s);
            float keep = __expf(most - now), p = __expf(s - now);
            sum = sum * keep + p;
            most = now;
#pragma unroll
            for (int i = 0; i < 16; i++) {
                float4 v = v_tile[j][i];
                o[i].x = o[i].x * keep + p * v.x;
                o[i].y = o[i].y * keep + p * v.y;
                o[i].z = o[i].z * keep + p * v.z;
                o[i].w = o[i].w * keep + p * v.w;
            }
        }
    }
    float inv = 1.0f / sum;
    float4 *o4 = (float4 *)(O + base + (size_t)row * 64);
#pragma unroll
    for (int i = 0; i < 16; i++)
        o4[i] = make_float4(o[i].x * inv, o[i].y * inv, o[i].z * inv, o[i].w * inv);
    L[blockIdx.y * T + row] = most + logf(sum);
}

/* kmutate launch
   int BH = 24, T = 512, hs = 64; dim3 block = { 64, 4 }; dim3 grid = { T / 4, BH };
   float att[BH * T * T] = uniform(0, 0.01); float dout[BH * T * hs] = normal(); float dv[BH * T * hs] = zeros();
   attention_values_backward_naive(dv, att, dout, T, hs);
*/
// Attention backwards to the values: a value's element for each thread, over all later tokens, the first ones the longest.
__global__ void attention_values_backward_naive(float *dv, const float *att, const float *dout, int T, int hs)
{
    int e = threadIdx.x;
    int t2 = blockIdx.x * blockDim.y + threadIdx.y;
    const float *a = att + (size_t)blockIdx.y * T * T;
    const float *g = dout + (size_t)blockIdx.y * T * hs;
    float sum = 0.0f;
    for (int t = t2; t < T; t++)
        sum += a[t * T + t2] * g[t * hs + e];
    dv[((size_t)blockIdx.y * T + t2) * hs + e] += sum;
}

/* kmutate launch
   int BH = 48, T = 512; dim3 block = { 128 }; dim3 grid = { T, BH };
   float att[BH * T * T] = uniform(0, 0.01); float datt[BH * T * T] = normal(); float dpre[BH * T * T] = zeros();
   attention_softmax_backward_row(dpre, datt, att, T, 0.125f);
*/
// Softmax backwards, a block for a row of the past: the sum of products first, then each element's gradient.
__global__ void attention_softmax_backward_row(float *dpre, const float *datt, const float *att, int T, float scale)
{
    __shared__ float part[4];
    int t = T - 1 - blockIdx.x;
    size_t base = ((size_t)blockIdx.y * T + t) * T;
    float sum = 0.0f;
    for (int i = threadIdx.x; i <= t; i += blockDim.x)
        sum += att[base + i] * datt[base + i];
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = part[0] + part[1] + part[2] + part[3];
    for (int i = threadIdx.x; i <= t; i += blockDim.x)
        dpre[base + i] = scale * att[base + i] * (datt[base + i] - sum);
}

/* kmutate launch
   int n = 4 * 1024 * 3072; dim3 block = { 512 }; dim3 grid = { n / 512 };
   float dinp[n] = zeros(); float inp[n] = normal(); float dout[n] = normal();
   gelu_backward_plain(dinp, inp, dout, n);
*/
// The backward pass of the smooth rectifier, by tanh and cosh.
__global__ void gelu_backward_plain(float *dinp, const float *inp, const float *dout, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = inp[i];
        float cube = 0.044715f * x * x * x;
        float arg = 0.7978846f * (x + cube);
        float th = tanhf(arg);
        float ch = coshf(arg);
        float sech2 = 1.0f / (ch * ch);
        float local = 0.5f * (1.0f + th) + x * 0.5f * sech2 * 0.7978846f * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[i] = local * dout[i];
    }
}

/* kmutate launch
   int B = 16, T = 1024, C = 768, V = 50257; int n4 = B * T * C / 4; dim3 block = { 512 }; dim3 grid = { (n4 + 511) / 512 };
   int tokens[B * T] = randint(0, 50257); float wte[V * C] = uniform(-1, 1); float wpe[T * C] = uniform(-1, 1);
   float out[B * T * C] = zeros();
   embed_tokens_and_places((float4 *)out, tokens, (float4 *)wte, (float4 *)wpe, n4, T, C / 4);
*/
// A token's row plus its place's row, four numbers for each thread.
__global__ void embed_tokens_and_places(float4 *out, const int *tokens, const float4 *wte, const float4 *wpe, int n4, int T,
                                        int C4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4)
        return;
    int bt = i / C4, c = i % C4;
    float4 a = wte[tokens[bt] * C4 + c], b = wpe[bt % T * C4 + c];
    out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* kmutate launch
   int B = 8, T = 1024, C = 768, V = 1000; int n = B * T * C; dim3 block = { 256 }; dim3 grid = { n / 256 };
   int tokens[B * T] = randint(0, 1000); float dwte[V * C] = zeros(); float dwpe[T * C] = zeros(); float dout[n] = normal();
   embed_backward_atomics(dwte, dwpe, dout, tokens, n, T, C);
*/
// The embedding's gradients by two atomics for each number; tokens recur, places recur in every sequence.
__global__ void embed_backward_atomics(float *dwte, float *dwpe, const float *dout, const int *tokens, int n, int T, int C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bt = i / C, c = i % C;
        atomicAdd(dwte + tokens[bt] * C + c, dout[i]);
        atomicAdd(dwpe + bt % T * C + c, dout[i]);
    }
}

/* kmutate launch
   int rows = 1024, V = 50257, P = 50304; dim3 block = { 1024 }; dim3 grid = { rows };
   float logits[rows * P] = normal(); float losses[rows] = zeros(); int targets[rows] = randint(0, 50257);
   classify_loss_and_gradient_in_place(logits, losses, 0.0009765625f, targets, V, P);
*/
// Cross entropy and its gradient in one: a block for a row of 50257 logits, which the gradients replace.
__global__ void __launch_bounds__(1024) classify_loss_and_gradient_in_place(float *logits, float *losses, float dloss,
                                                                           const int *targets, int V, int P)
{
    __shared__ float most_of[32], sum_of[32];
    float *x = logits + (size_t)blockIdx.x * P;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float most = -INFINITY, sum = 0.0f;
    for (int i = threadIdx.x; i < V; i += blockDim.x) {
        float v = x[i], old = most;
        most = fmaxf(most, v);
        sum = sum * expf(old - most) + expf(v - most);
    }
    float all = most;
    for (int o = 16; o > 0; o >>= 1)
        all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, o));
    sum *= expf(most - all);
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) {
        most_of[warp] = all;
        sum_of[warp] = sum;
    }
    __syncthreads();
    most = most_of[lane];
    all = most;
    for (int o = 16; o > 0; o >>= 1)
        all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, o));
    sum = sum_of[lane] * expf(most - all);
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    float scale = 1.0f / sum;
    int target = targets[blockIdx.x];
    if (threadIdx.x == 0)
        losses[blockIdx.x] = -logf(expf(x[target] - all) * scale);
    __syncthreads();
    for (int i = threadIdx.x; i < V; i += blockDim.x) {
        float p = expf(x[i] - all) * scale;
        x[i] = (p - (i == target ? 1.0f : 0.0f)) * dloss;
    }
}

/* kmutate launch
   int n = 24000000; dim3 block = { 512 }; dim3 grid = { (n + 511) / 512 };
   __nv_bfloat16 params[n] = normal(0, 0.02); float master[n] = normal(0, 0.02); __nv_bfloat16 grads[n] = normal(0, 0.001);
   float m[n] = zeros(); float v[n] = uniform(0, 0.00001);
   adam_decoupled_master_weights(params, master, grads, m, v, n, 0.0003f, 0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 0.1f);
*/
// The optimiser of moments with weight decay of its own: bfloat16 gradients and parameters, moments and masters in floats.
__global__ void adam_decoupled_master_weights(__nv_bfloat16 *params, float *master, const __nv_bfloat16 *grads, float *m,
                                              float *v, int n, float rate, float beta1, float beta2, float correction1,
                                              float correction2, float eps, float decay)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float g = __bfloat162float(grads[i]);
    float a = m[i], b = v[i];
    a = fmaf(beta1, a, fmaf(-beta1, g, g));
    b = fmaf(beta2, b, fmaf(-beta2, g * g, g * g));
    m[i] = a;
    v[i] = b;
    a /= correction1;
    b /= correction2;
    float old = master[i];
    float now = old - rate * (a / (sqrtf(b) + eps) + decay * old);
    params[i] = __float2bfloat16_rn(now);
    master[i] = now;
}

/* kmutate launch
   int BT = 2048, C = 768, OC = 2304; dim3 block = { 16, 16 }; dim3 grid = { BT / 128, OC / 128 };
   float in[BT * C] = uniform(-1, 1); float w[OC * C] = uniform(-1, 1); float bias[OC] = uniform(-1, 1);
   float out[BT * OC] = zeros();
   affine_forward_eight_by_eight(out, in, w, bias, C, OC);
*/
// out = in w' + bias: tiles of 128 x 128, eight by eight for each thread, both factors along their rows.
__global__ void __launch_bounds__(256) affine_forward_eight_by_eight(float *out, const float *in, const float *w,
                                                                    const float *bias, int C, int OC)
{
    __shared__ float left[128][32], right[128][32];
    int oc0 = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
    int tx = threadIdx.x, ty = threadIdx.y;
    in += blockIdx.x * 128 * C;
    w += blockIdx.y * 128 * C;
    out += (size_t)blockIdx.x * 128 * OC + blockIdx.y * 128;
    float v[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            v[i][j] = bias[oc0 + j];
    int first = ty + 16 * (tx / 8), four = 4 * (tx % 8);
    for (int k = 0; k < C; k += 32) {
        __syncthreads();
        for (int y = first; y < 128; y += 32) {
            *(float4 *)&left[y][four] = *(const float4 *)&in[y * C + k + four];
            *(float4 *)&right[y][four] = *(const float4 *)&w[y * C + k + four];
        }
        __syncthreads();
        for (int s = 4 * tx; s < 4 * tx + 32; s += 4) {
            float4 rhs[8];
#pragma unroll
            for (int u = 0; u < 8; u++)
                rhs[u] = *(const float4 *)&right[u + 8 * ty][s % 32];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                float4 lhs = *(const float4 *)&left[i + 8 * tx][s % 32];
#pragma unroll
                for (int j = 0; j < 8; j++)
                    v[i][j] += lhs.x * rhs[j].x + lhs.y * rhs[j].y + lhs.z * rhs[j].z + lhs.w * rhs[j].w;
            }
        }
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j += 4)
            *(float4 *)&out[(8 * tx + i) * OC + 8 * ty + j] = make_float4(v[i][j], v[i][j + 1], v[i][j + 2], v[i][j + 3]);
}

/* kmutate launch
   int BT = 8192, OC = 3072; dim3 block = { 32, 16 }; dim3 grid = { OC / 32, 4 };
   float dout[BT * OC] = normal(); float dbias[OC] = zeros();
   bias_backward_columns(dbias, dout, BT, OC);
*/
// The bias's gradient: 32 columns for a block, 16 rows at a time, a quarter of the tokens, one atomic at the end.
__global__ void bias_backward_columns(float *dbias, const float *dout, int BT, int OC)
{
    __shared__ float part[16][32];
    int col = blockIdx.x * 32 + threadIdx.x;
    int chunk = BT / gridDim.y;
    float sum = 0.0f;
    for (int r = blockIdx.y * chunk + threadIdx.y; r < (blockIdx.y + 1) * chunk; r += 16)
        sum += dout[(size_t)r * OC + col];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int i = 1; i < 16; i++)
            sum += part[i][threadIdx.x];
        atomicAdd(&dbias[col], sum);
    }
}

/* kmutate launch
   int B = 8, T = 1024, NH = 12, d = 64; int n = B * T * NH * d; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float in[3 * n] = normal(); float q[n] = zeros(); float k[n] = zeros(); float v[n] = zeros();
   split_heads_of_three(q, k, v, in, B, T, NH, d);
*/
// Queries, keys and values are taken apart and sorted by head.
__global__ void split_heads_of_three(float *q, float *k, float *v, const float *in, int B, int T, int NH, int d)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * NH * T * d) {
        int b = idx / (NH * T * d), rest = idx % (NH * T * d);
        int h = rest / (T * d);
        rest = rest % (T * d);
        int t = rest / d, e = rest % d;
        int from = (b * T * 3 * NH * d) + (t * 3 * NH * d) + (h * d) + e;
        q[idx] = in[from];
        k[idx] = in[from + NH * d];
        v[idx] = in[from + 2 * NH * d];
    }
}

/* kmutate launch
   int T = 4096, heads = 32, hd = 128; dim3 block = { 64, 4 }; dim3 grid = { heads / 4, T };
   half x[T * heads * hd] = normal(); int place[T] = iota();
   rotate_halves_in_place(x, place, heads, hd, 10000.0f);
*/
// Places as rotations, in place: an element of a head's first half with its partner in the second, angles by powers.
__global__ void rotate_halves_in_place(half *x, const int *place, int heads, int hd, float base)
{
    int i = threadIdx.x, h = blockIdx.x * blockDim.y + threadIdx.y, t = blockIdx.y;
    half *head = x + ((size_t)t * heads + h) * hd;
    float angle = place[t] * powf(base, -2.0f * i / hd);
    float s, c;
    sincosf(angle, &s, &c);
    float a = __half2float(head[i]), b = __half2float(head[i + hd / 2]);
    head[i] = __float2half(a * c - b * s);
    head[i + hd / 2] = __float2half(b * c + a * s);
}

/* kmutate launch
   int rows = 6000, H = 5120; dim3 block = { 256 }; dim3 grid = { rows };
   __nv_bfloat16 x[rows * H] = normal(); __nv_bfloat16 residual[rows * H] = normal(); __nv_bfloat16 w[H] = uniform(0.5, 1.5);
   add_and_root_mean_square(x, residual, w, H, 1e-5f);
*/
// The residual is added and kept, then normalised by the root of the mean square, pairs of bfloat16, both in place.
__global__ void add_and_root_mean_square(__nv_bfloat16 *x, __nv_bfloat16 *residual, const __nv_bfloat16 *w, int H, float eps)
{
    __shared__ float part[8];
    __shared__ float scale;
    __nv_bfloat162 *x2 = (__nv_bfloat162 *)(x + (size_t)blockIdx.x * H);
    __nv_bfloat162 *r2 = (__nv_bfloat162 *)(residual + (size_t)blockIdx.x * H);
    const __nv_bfloat162 *w2 = (const __nv_bfloat162 *)w;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < H / 2; i += blockDim.x) {
        float2 a = __bfloat1622float2(x2[i]), b = __bfloat1622float2(r2[i]);
        float2 z = make_float2(a.x + b.x, a.y + b.y);
        sum += z.x * z.x + z.y * z.y;
        r2[i] = __float22bfloat162_rn(z);
    }
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0.0f;
        for (int i = 0; i < 8; i++)
            all += part[i];
        scale = rsqrtf(all / H + eps);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < H / 2; i += blockDim.x) {
        float2 z = __bfloat1622float2(r2[i]), g = __bfloat1622float2(w2[i]);
        x2[i] = __float22bfloat162_rn(make_float2(z.x * scale * g.x, z.y * scale * g.y));
    }
}

/* kmutate launch
   int n = 4096, rows = 11008; dim3 block = { 128 }; dim3 grid = { rows };
   signed char w[rows * n] = randint(-127, 128); float ws[rows * n / 64] = uniform(0.001, 0.01);
   signed char x[n] = randint(-127, 128); float xs[n / 64] = uniform(0.001, 0.01); float y[rows] = zeros();
   gemv_bytes_with_group_scales(w, ws, x, xs, y, n);
*/
// A matrix of bytes times a vector of bytes, a scale for each 64, four products at once, a block for a row.
__global__ void gemv_bytes_with_group_scales(const signed char *w, const float *ws, const signed char *x, const float *xs,
                                             float *y, int n)
{
    __shared__ float part[4];
    const int4 *w16 = (const int4 *)(w + (size_t)blockIdx.x * n);
    const int4 *x16 = (const int4 *)x;
    const float *scale = ws + (size_t)blockIdx.x * (n / 64);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n / 16; i += blockDim.x) {
        int4 a = w16[i], b = x16[i];
        int dot = __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, 0))));
        sum += dot * scale[i / 4] * xs[i / 4];
    }
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

/* kmutate launch
   int n = 5120, rows = 13824; dim3 block = { 32, 4 }; dim3 grid = { rows / 4 };
   unsigned w[rows * n / 8] = randint(0, 4294967295); half2 sz[rows * n / 128] = uniform(0.001, 0.01);
   half x[n] = normal(); half y[rows] = zeros();
   gemv_nibbles_warp_for_row(w, sz, x, y, n);
*/
// Weights of four bits with a scale and a shift for each 128, a warp for a row, eight weights for a load.
__global__ void gemv_nibbles_warp_for_row(const unsigned *w, const half2 *sz, const half *x, half *y, int n)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    const unsigned *wr = w + (size_t)row * (n / 8);
    const half2 *szr = sz + (size_t)row * (n / 128);
    float sum = 0.0f;
    for (int i = lane; i < n / 8; i += 32) {
        unsigned q = wr[i];
        float2 group = __half22float2(szr[i / 16]);
        uint4 raw = ((const uint4 *)x)[i];
        const half2 *x2 = (const half2 *)&raw;
        float dot = 0.0f, plain = 0.0f;
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float2 v = __half22float2(x2[e]);
            dot += v.x * (float)((q >> (8 * e)) & 15u) + v.y * (float)((q >> (8 * e + 4)) & 15u);
            plain += v.x + v.y;
        }
        sum += group.x * dot - group.y * plain;
    }
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0)
        y[row] = __float2half(sum);
}

// ------------------------------------------------------------------------------------------ the ladder of matrix products

/* kmutate launch
   int M = 512, N = 640, K = 576; dim3 block = { 32, 32 }; dim3 grid = { M / 32, N / 32 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   ladder_lanes_down_the_rows(M, N, K, 0.5f, A, B, 3.0f, C);
*/
// The lowest rung: the lanes of a warp have different rows.
__global__ void ladder_lanes_down_the_rows(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                           float *C)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float tmp = 0.0f;
        for (int i = 0; i < K; ++i)
            tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = alpha * tmp + beta * C[x * N + y];
    }
}

/* kmutate launch
   int n = 1280; dim3 block = { 1024 }; dim3 grid = { n / 32, n / 32 };
   float A[n * n] = uniform(-1, 1); float B[n * n] = uniform(-1, 1); float C[n * n] = uniform(-1, 1);
   ladder_lanes_along_the_rows<32>(n, n, n, 0.5f, A, B, 3.0f, C);
*/
// The second rung: lanes side by side, a block of one dimension folded into 32 x 32.
template <int SIDE>
__global__ void ladder_lanes_along_the_rows(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                            float *C)
{
    const int row = blockIdx.y * SIDE + (threadIdx.x / SIDE);
    const int col = blockIdx.x * SIDE + (threadIdx.x % SIDE);
    if (row < M && col < N) {
        float tmp = 0.0f;
        for (int i = 0; i < K; ++i)
            tmp += A[row * K + i] * B[i * N + col];
        C[row * N + col] = alpha * tmp + beta * C[row * N + col];
    }
}

/* kmutate launch
   int n = 1536; dim3 block = { 1024 }; dim3 grid = { n / 32, n / 32 };
   float A[n * n] = uniform(-1, 1); float B[n * n] = uniform(-1, 1); float C[n * n] = uniform(-1, 1);
   ladder_shared_tiles<32>(n, n, n, 0.5f, A, B, 3.0f, C);
*/
// The third rung: tiles in shared memory.
template <int SIDE>
__global__ void ladder_shared_tiles(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[SIDE * SIDE], Bs[SIDE * SIDE];
    const int tr = threadIdx.x / SIDE, tc = threadIdx.x % SIDE;
    A += blockIdx.y * SIDE * K;
    B += blockIdx.x * SIDE;
    C += blockIdx.y * SIDE * N + blockIdx.x * SIDE;
    float tmp = 0.0f;
    for (int k0 = 0; k0 < K; k0 += SIDE) {
        As[tr * SIDE + tc] = A[tr * K + tc];
        Bs[tr * SIDE + tc] = B[tr * N + tc];
        __syncthreads();
        A += SIDE;
        B += SIDE * N;
        for (int i = 0; i < SIDE; ++i)
            tmp += As[tr * SIDE + i] * Bs[i * SIDE + tc];
        __syncthreads();
    }
    C[tr * N + tc] = alpha * tmp + beta * C[tr * N + tc];
}

/* kmutate launch
   int n = 2048; dim3 block = { 512 }; dim3 grid = { n / 64, n / 64 };
   float A[n * n] = uniform(-1, 1); float B[n * n] = uniform(-1, 1); float C[n * n] = uniform(-1, 1);
   ladder_column_of_eight<64, 64, 8, 8>(n, n, n, 0.5f, A, B, 3.0f, C);
*/
// The fourth rung: eight results of a column for each thread.
template <int BM, int BN, int BK, int TM>
__global__ void ladder_column_of_eight(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[BM * BK], Bs[BK * BN];
    const int tc = threadIdx.x % BN, tr = threadIdx.x / BN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const int ac = threadIdx.x % BK, ar = threadIdx.x / BK;
    const int bc = threadIdx.x % BN, br = threadIdx.x / BN;
    float res[TM] = { 0.0f };
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[ar * BK + ac] = A[ar * K + ac];
        Bs[br * BN + bc] = B[br * N + bc];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            float b = Bs[k * BN + tc];
            for (int i = 0; i < TM; ++i)
                res[i] += As[(tr * TM + i) * BK + k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        C[(tr * TM + i) * N + tc] = alpha * res[i] + beta * C[(tr * TM + i) * N + tc];
}

/* kmutate launch
   int n = 2048; dim3 block = { 256 }; dim3 grid = { n / 128, n / 128 };
   float A[n * n] = uniform(-1, 1); float B[n * n] = uniform(-1, 1); float C[n * n] = uniform(-1, 1);
   ladder_square_of_eight<128, 128, 8, 8, 8>(n, n, n, 0.5f, A, B, 3.0f, C);
*/
// The fifth rung: eight by eight results for each thread, loads of single floats.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(256) ladder_square_of_eight(int M, int N, int K, float alpha, const float *A,
                                                             const float *B, float beta, float *C)
{
    __shared__ float As[BM * BK], Bs[BK * BN];
    const int tc = threadIdx.x % (BN / TN), tr = threadIdx.x / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const int ar = threadIdx.x / BK, ac = threadIdx.x % BK, as = 256 / BK;
    const int br = threadIdx.x / BN, bc = threadIdx.x % BN, bs = 256 / BN;
    float res[TM * TN] = { 0.0f }, rm[TM], rn[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int o = 0; o < BM; o += as)
            As[(ar + o) * BK + ac] = A[(ar + o) * K + ac];
        for (int o = 0; o < BK; o += bs)
            Bs[(br + o) * BN + bc] = B[(br + o) * N + bc];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < TM; ++i)
                rm[i] = As[(tr * TM + i) * BK + k];
            for (int j = 0; j < TN; ++j)
                rn[j] = Bs[k * BN + tc * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    res[i * TN + j] += rm[i] * rn[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            int at = (tr * TM + i) * N + tc * TN + j;
            C[at] = alpha * res[i * TN + j] + beta * C[at];
        }
}

/* kmutate launch
   int M = 3072, N = 2048, K = 1024; dim3 block = { 256 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   ladder_fours_and_turned_tile<128, 128, 8, 8, 8>(M, N, K, 0.5f, A, B, 3.0f, C);
*/
// The sixth rung: four floats to a load, the first factor's tile turned when it is stored.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(256) ladder_fours_and_turned_tile(int M, int N, int K, float alpha, float *A, float *B,
                                                                   float beta, float *C)
{
    __shared__ float As[BM * BK], Bs[BK * BN];
    const int tc = threadIdx.x % (BN / TN), tr = threadIdx.x / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const int ar = threadIdx.x / (BK / 4), ac = threadIdx.x % (BK / 4);
    const int br = threadIdx.x / (BN / 4), bc = threadIdx.x % (BN / 4);
    float res[TM * TN] = { 0.0f }, rm[TM], rn[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
        float4 a = reinterpret_cast<float4 *>(&A[ar * K + ac * 4])[0];
        As[(ac * 4 + 0) * BM + ar] = a.x;
        As[(ac * 4 + 1) * BM + ar] = a.y;
        As[(ac * 4 + 2) * BM + ar] = a.z;
        As[(ac * 4 + 3) * BM + ar] = a.w;
        reinterpret_cast<float4 *>(&Bs[br * BN + bc * 4])[0] = reinterpret_cast<float4 *>(&B[br * N + bc * 4])[0];
        __syncthreads();
        A += BK;
        B += BK * N;
#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int i = 0; i < TM; ++i)
                rm[i] = As[k * BM + tr * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j)
                rn[j] = Bs[k * BN + tc * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    res[i * TN + j] += rm[i] * rn[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 *at = reinterpret_cast<float4 *>(&C[(tr * TM + i) * N + tc * TN + j]);
            float4 c = *at;
            c.x = alpha * res[i * TN + j] + beta * c.x;
            c.y = alpha * res[i * TN + j + 1] + beta * c.y;
            c.z = alpha * res[i * TN + j + 2] + beta * c.z;
            c.w = alpha * res[i * TN + j + 3] + beta * c.w;
            *at = c;
        }
}

/* kmutate launch
   int n = 2048; dim3 block = { 128 }; dim3 grid = { n / 64, n / 64 };
   float A[n * n] = uniform(-1, 1); float B[n * n] = uniform(-1, 1); float C[n * n] = zeros();
   ladder_warp_tiles(n, n, n, A, B, C);
*/
// The seventh rung: a block of 64 x 64 has four warps of 32 x 32, a thread has two by two squares of 4 x 2.
__global__ void __launch_bounds__(128) ladder_warp_tiles(int M, int N, int K, const float *__restrict__ A,
                                                        const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float As[16 * 64], Bs[16 * 64];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int wr = warp / 2, wc = warp % 2;
    const int lr = lane / 8, lc = lane % 8;
    const float *a = A + blockIdx.y * 64 * K, *b = B + blockIdx.x * 64;
    float res[2][4][2][2] = { 0.0f };
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int o = 0; o < 2; o++) {
            int r = t / 4 + 32 * o, c = t % 4 * 4;
            float4 v = *(const float4 *)&a[r * K + k0 + c];
            As[(c + 0) * 64 + r] = v.x;
            As[(c + 1) * 64 + r] = v.y;
            As[(c + 2) * 64 + r] = v.z;
            As[(c + 3) * 64 + r] = v.w;
            int br = t / 16 + 8 * o, bc = t % 16 * 4;
            *(float4 *)&Bs[br * 64 + bc] = *(const float4 *)&b[(k0 + br) * N + bc];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 m[2];
            float2 n[2];
#pragma unroll
            for (int s = 0; s < 2; s++) {
                m[s] = *(const float4 *)&As[k * 64 + wr * 32 + s * 16 + lr * 4];
                n[s] = *(const float2 *)&Bs[k * 64 + wc * 32 + s * 16 + lc * 2];
            }
#pragma unroll
            for (int s = 0; s < 2; s++)
#pragma unroll
                for (int u = 0; u < 2; u++) {
                    res[s][0][u][0] += m[s].x * n[u].x;
                    res[s][0][u][1] += m[s].x * n[u].y;
                    res[s][1][u][0] += m[s].y * n[u].x;
                    res[s][1][u][1] += m[s].y * n[u].y;
                    res[s][2][u][0] += m[s].z * n[u].x;
                    res[s][2][u][1] += m[s].z * n[u].y;
                    res[s][3][u][0] += m[s].w * n[u].x;
                    res[s][3][u][1] += m[s].w * n[u].y;
                }
        }
        __syncthreads();
    }
    float *c = C + (blockIdx.y * 64 + wr * 32) * N + blockIdx.x * 64 + wc * 32;
#pragma unroll
    for (int s = 0; s < 2; s++)
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int u = 0; u < 2; u++)
                *(float2 *)&c[(s * 16 + lr * 4 + i) * N + u * 16 + lc * 2] = make_float2(res[s][i][u][0], res[s][i][u][1]);
}

/* kmutate launch
   int M = 1920, N = 2048, K = 2048; dim3 block = { 16, 16 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   ladder_two_buffers(M, N, K, A, B, C);
*/
// The top rung: two buffers of tiles and of registers, the next tile is on its way while this one is multiplied.
__global__ void __launch_bounds__(256) ladder_two_buffers(int M, int N, int K, const float *__restrict__ A,
                                                         const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float As[2][8][128], Bs[2][8][128];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int ar = t / 2, ac = t % 2 * 4, br = t / 32, bc = t % 32 * 4;
    const float *a = A + (size_t)(blockIdx.y * 128 + ar) * K + ac;
    const float *b = B + (size_t)br * N + blockIdx.x * 128 + bc;
    float res[8][8] = { 0.0f };
    float4 fa = *(const float4 *)a, fb = *(const float4 *)b;
    As[0][ac + 0][ar] = fa.x;
    As[0][ac + 1][ar] = fa.y;
    As[0][ac + 2][ar] = fa.z;
    As[0][ac + 3][ar] = fa.w;
    *(float4 *)&Bs[0][br][bc] = fb;
    __syncthreads();
    int now = 0;
    for (int k0 = 0; k0 < K; k0 += 8) {
        bool more = k0 + 8 < K;
        if (more) {
            a += 8;
            b += 8 * (size_t)N;
            fa = *(const float4 *)a;
            fb = *(const float4 *)b;
        }
        float ra[2][8], rb[2][8];
        *(float4 *)&ra[0][0] = *(const float4 *)&As[now][0][ty * 4];
        *(float4 *)&ra[0][4] = *(const float4 *)&As[now][0][ty * 4 + 64];
        *(float4 *)&rb[0][0] = *(const float4 *)&Bs[now][0][tx * 4];
        *(float4 *)&rb[0][4] = *(const float4 *)&Bs[now][0][tx * 4 + 64];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (k < 7) {
                *(float4 *)&ra[(k + 1) % 2][0] = *(const float4 *)&As[now][k + 1][ty * 4];
                *(float4 *)&ra[(k + 1) % 2][4] = *(const float4 *)&As[now][k + 1][ty * 4 + 64];
                *(float4 *)&rb[(k + 1) % 2][0] = *(const float4 *)&Bs[now][k + 1][tx * 4];
                *(float4 *)&rb[(k + 1) % 2][4] = *(const float4 *)&Bs[now][k + 1][tx * 4 + 64];
            }
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    res[i][j] += ra[k % 2][i] * rb[k % 2][j];
        }
        if (more) {
            now ^= 1;
            As[now][ac + 0][ar] = fa.x;
            As[now][ac + 1][ar] = fa.y;
            As[now][ac + 2][ar] = fa.z;
            As[now][ac + 3][ar] = fa.w;
            *(float4 *)&Bs[now][br][bc] = fb;
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        size_t row = blockIdx.y * 128 + ty * 4 + i % 4 + i / 4 * 64;
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *(float4 *)&C[row * N + blockIdx.x * 128 + tx * 4 + j * 16]
                = make_float4(res[i][j], res[i][j + 1], res[i][j + 2], res[i][j + 3]);
    }
}

// --------------------------------------------------------------------------------------------- applications of many kinds

/* kmutate launch
   int n = 20480; dim3 block = { 128 }; dim3 grid = { n / 128 };
   float4 body[n] = uniform(0, 1); float4 accel[n] = zeros();
   bodies_attract_in_tiles(body, accel, n, 0.01f);
*/
// Every body pulls every other: a tile of bodies in shared memory, the root's reciprocal from the special unit.
__global__ void bodies_attract_in_tiles(const float4 *body, float4 *accel, int n, float soft)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j0 = 0; j0 < n; j0 += 128) {
        tile[threadIdx.x] = body[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < 128; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + soft;
            float inv = rsqrtf(d2);
            float s = tile[j].w * inv * inv * inv;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    accel[i] = make_float4(ax, ay, az, 0.0f);
}

/* kmutate launch
   int width = 1920, height = 1200; dim3 block = { 16, 16 }; dim3 grid = { width / 16, height / 16 };
   unsigned char image[width * height] = zeros();
   escape_time_of_the_plane(image, width, height, 600);
*/
// How soon a point of the plane escapes, in doubles; neighbours take differently long.
__global__ void escape_time_of_the_plane(unsigned char *image, int width, int height, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    double cx = -2.2 + 3.2 * px / width, cy = -1.2 + 2.4 * py / height;
    double x = 0.0, y = 0.0;
    int i = 0;
    while (x * x + y * y <= 4.0 && i < most) {
        double t = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = t;
        i++;
    }
    image[py * width + px] = i == most ? 0 : (i & 255);
}

/* kmutate launch
   int options = 800; dim3 block = { 512 }; dim3 grid = { options };
   float spot[options] = uniform(5, 30); float strike[options] = uniform(1, 100); float years[options] = uniform(0.25, 10);
   float value[options] = zeros();
   american_put_on_a_lattice(spot, strike, years, value, 0.02f, 0.30f);
*/
// A put that may be exercised at any time, on a lattice of 512 steps: a block for an option, two barriers for a step.
__global__ void american_put_on_a_lattice(const float *spot, const float *strike, const float *years, float *value,
                                          float rate, float vol)
{
    __shared__ float v[513];
    int t = threadIdx.x;
    float s = spot[blockIdx.x], k = strike[blockIdx.x];
    float dt = years[blockIdx.x] / 512.0f;
    float move = vol * sqrtf(dt);
    float up = expf(move), down = 1.0f / up;
    float discount = expf(-rate * dt);
    float p = (expf(rate * dt) - down) / (up - down);
    float pu = discount * p, pd = discount * (1.0f - p);
    for (int i = t; i <= 512; i += 512)
        v[i] = fmaxf(k - s * expf(move * (2.0f * i - 512.0f)), 0.0f);
    __syncthreads();
    for (int step = 512; step > 0; step--) {
        float hold = 0.0f;
        if (t < step) {
            hold = pu * v[t + 1] + pd * v[t];
            hold = fmaxf(hold, k - s * expf(move * (2.0f * t - (step - 1))));
        }
        __syncthreads();
        if (t < step)
            v[t] = hold;
        __syncthreads();
    }
    if (t == 0)
        value[blockIdx.x] = v[0];
}

/* kmutate launch
   int paths = 131072; dim3 block = { 256 }; dim3 grid = { paths / 256 };
   unsigned seeds[paths] = randint(1, 2147483647); double sum[2] = zeros();
   asian_option_paths(seeds, sum, 126, 100.0f, 100.0f, 0.0002f, 0.0126f);
*/
// The mean of a price's way through half a year, two chances at a time, sums of a block by shuffles, one atomic for each.
__global__ void asian_option_paths(const unsigned *seeds, double *sum, int pairs, float s0, float k, float drift, float vol)
{
    __shared__ double part[8];
    unsigned x = seeds[blockIdx.x * blockDim.x + threadIdx.x];
    float s = s0, mean = 0.0f;
    for (int i = 0; i < pairs; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        float u = (x >> 8) * 5.9604645e-8f + 2.9802322e-8f;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        float w = (x >> 8) * 5.9604645e-8f;
        float r = sqrtf(-2.0f * logf(u));
        float sn, cs;
        sincospif(2.0f * w, &sn, &cs);
        s *= expf(drift + vol * r * cs);
        mean += s;
        s *= expf(drift + vol * r * sn);
        mean += s;
    }
    double pay = fmaxf(mean / (2 * pairs) - k, 0.0f);
    for (int o = 16; o > 0; o >>= 1)
        pay += __shfl_down_sync(0xffffffffu, pay, o);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = pay;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++)
            pay += part[i];
        atomicAdd(&sum[0], pay);
        atomicAdd(&sum[1], 256.0);
    }
}

/* kmutate launch
   int n4 = 5000000; dim3 block = { 256 }; dim3 grid = { 528 };
   float4 out[n4] = zeros();
   normals_from_counters(out, n4, 0xdeadbeefu, 0x12345678u);
*/
// Random numbers without a state: ten rounds over a counter, then four normals, in a loop over the grid.
__global__ void normals_from_counters(float4 *out, int n4, unsigned key0, unsigned key1)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        unsigned c0 = i, c1 = 0, c2 = 7, c3 = 0, k0 = key0, k1 = key1;
#pragma unroll
        for (int r = 0; r < 10; r++) {
            unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0;
            unsigned h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
            c0 = h1 ^ c1 ^ k0;
            c1 = l1;
            c2 = h0 ^ c3 ^ k1;
            c3 = l0;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        float u = c0 * 2.3283064e-10f + 1.1641532e-10f, v = c1 * 2.3283064e-10f;
        float w = c2 * 2.3283064e-10f + 1.1641532e-10f, z = c3 * 2.3283064e-10f;
        float r0 = sqrtf(-2.0f * __logf(u)), r1 = sqrtf(-2.0f * __logf(w));
        float4 n;
        __sincosf(6.2831853f * v, &n.x, &n.y);
        __sincosf(6.2831853f * z, &n.z, &n.w);
        n.x *= r0;
        n.y *= r0;
        n.z *= r1;
        n.w *= r1;
        out[i] = n;
    }
}

__constant__ unsigned long long c_round[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull, 0x000000000000808bull,
    0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008aull, 0x0000000000000088ull,
    0x0000000080008009ull, 0x000000008000000aull, 0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull,
    0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull
};

__device__ __forceinline__ unsigned long long turn(unsigned long long x, int by)
{
    return by == 0 ? x : (x << by) | (x >> (64 - by));
}

/* kmutate launch
   int n = 262144; dim3 block = { 128 }; dim3 grid = { n / 128 };
   unsigned long long words[8 * n] = randint(0, 1 << 30); unsigned long long digest[4 * n] = zeros();
   sponge_hash_of_records(words, digest, n);
*/
// A sponge of 25 words of 64 bits in registers, 24 rounds over a record of 64 bytes.
__global__ void sponge_hash_of_records(const unsigned long long *words, unsigned long long *digest, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n)
        return;
    unsigned long long a[25];
#pragma unroll
    for (int i = 0; i < 25; i++)
        a[i] = i < 8 ? words[8 * id + i] : 0ull;
    a[8] = 0x01ull;
    a[16] ^= 0x8000000000000000ull;
#pragma unroll 1
    for (int r = 0; r < 24; r++) {
        const int turns[25] = { 0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14 };
        unsigned long long c[5], b[25];
#pragma unroll
        for (int x = 0; x < 5; x++)
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
        for (int x = 0; x < 5; x++) {
            unsigned long long d = c[(x + 4) % 5] ^ turn(c[(x + 1) % 5], 1);
#pragma unroll
            for (int y = 0; y < 5; y++)
                b[y + 5 * ((2 * x + 3 * y) % 5)] = turn(a[x + 5 * y] ^ d, turns[x + 5 * y]);
        }
#pragma unroll
        for (int y = 0; y < 5; y++)
#pragma unroll
            for (int x = 0; x < 5; x++)
                a[x + 5 * y] = b[x + 5 * y] ^ (~b[(x + 1) % 5 + 5 * y] & b[(x + 2) % 5 + 5 * y]);
        a[0] ^= c_round[r];
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        digest[4 * id + i] = a[i];
}

/* kmutate launch
   int n = 1500000, slots = 1 << 21; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   unsigned keys[n] = randint(1, 2147483647); int values[n] = iota();
   unsigned table_key[slots] = zeros(); int table_value[slots] = zeros();
   hash_insert_next_free(keys, values, table_key, table_value, n, slots - 1);
*/
// Into a hash table by compare and swap, from the place that the hash says to the next free one; two thirds become full.
__global__ void hash_insert_next_free(const unsigned *keys, const int *values, unsigned *table_key, int *table_value, int n,
                                      int mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i];
    unsigned h = key;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    for (unsigned at = h & mask;; at = (at + 1) & mask) {
        unsigned was = atomicCAS(&table_key[at], 0u, key);
        if (was == 0u || was == key) {
            table_value[at] = values[i];
            return;
        }
    }
}

/* kmutate launch
   int n = 24000000, chunk = 256; int threads = (n + chunk - 1) / chunk; dim3 block = { 128 }; dim3 grid = { (threads + 127) / 128 };
   unsigned char text[n] = randint(97, 101); unsigned char pattern[8] = { 97, 99, 98, 100, 97, 98, 99, 97 }; int hits[1] = zeros();
   find_pattern_by_skips(text, n, chunk, pattern, hits);
*/
// A pattern of eight letters in a text of four: a table of skips in shared memory, 256 places for each thread.
__global__ void find_pattern_by_skips(const unsigned char *text, int n, int chunk, const unsigned char *pattern, int *hits)
{
    __shared__ unsigned char skip[256];
    __shared__ unsigned char p[8];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        skip[i] = 8;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < 8; i++) {
            p[i] = pattern[i];
            if (i < 7)
                skip[pattern[i]] = 7 - i;
        }
    }
    __syncthreads();
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    int end = min(at + chunk, n - 7);
    int found = 0;
    while (at < end) {
        int j = 7;
        while (j >= 0 && text[at + j] == p[j])
            j--;
        if (j < 0)
            found++;
        at += skip[text[at + 7]];
    }
    if (found)
        atomicAdd(hits, found);
}

#define SWAP_IF(a, b) { unsigned char lo = min(a, b); b = max(a, b); a = lo; }

/* kmutate launch
   int width = 4096, height = 3000; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   unsigned char in[width * height] = randint(0, 256); unsigned char out[width * height] = zeros();
   middle_of_nine_bytes(in, out, width, height);
*/
// The middle of nine pixels by a network of nineteen exchanges, bytes one by one.
__global__ void middle_of_nine_bytes(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    unsigned char p[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        p[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
    SWAP_IF(p[1], p[2]) SWAP_IF(p[4], p[5]) SWAP_IF(p[7], p[8])
    SWAP_IF(p[0], p[1]) SWAP_IF(p[3], p[4]) SWAP_IF(p[6], p[7])
    SWAP_IF(p[1], p[2]) SWAP_IF(p[4], p[5]) SWAP_IF(p[7], p[8])
    SWAP_IF(p[0], p[3]) SWAP_IF(p[5], p[8]) SWAP_IF(p[4], p[7])
    SWAP_IF(p[3], p[6]) SWAP_IF(p[1], p[4]) SWAP_IF(p[2], p[5])
    SWAP_IF(p[4], p[7]) SWAP_IF(p[4], p[2]) SWAP_IF(p[6], p[4])
    SWAP_IF(p[4], p[2])
    out[y * width + x] = p[4];
}

/* kmutate launch
   int width = 1600, height = 1200; dim3 block = { 16, 16 }; dim3 grid = { width / 16, height / 16 };
   float in[width * height] = uniform(0, 1); float out[width * height] = zeros();
   smooth_but_keep_edges(in, out, width, height, 4, 0.02f, 8.0f);
*/
// A filter over 9 x 9 pixels whose weights fall with the distance and with the difference.
__global__ void smooth_but_keep_edges(const float *in, float *out, int width, int height, int radius, float by_space,
                                      float by_range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float centre = in[y * width + x];
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
            float p = in[v * width + u];
            float diff = p - centre;
            float w = expf(-(dx * dx + dy * dy) * by_space - diff * diff * by_range);
            sum += w * p;
            weights += w;
        }
    out[y * width + x] = sum / weights;
}

/* kmutate launch
   int batch = 6000; dim3 block = { 256 }; dim3 grid = { batch };
   float2 data[batch * 1024] = uniform(-1, 1);
   transform_1024_in_shared(data);
*/
// Fourier transforms of 1024 points, in place in global memory, five passes of four in shared memory.
__global__ void transform_1024_in_shared(float2 *data)
{
    __shared__ float2 s[1024];
    int j = threadIdx.x;
    float2 *mine = data + (size_t)blockIdx.x * 1024;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; r++)
        v[r] = mine[j + 256 * r];
    for (int ns = 1; ns < 1024; ns *= 4) {
        int k = j % ns;
        float sn, cs;
        sincospif(-2.0f * k / (4 * ns), &sn, &cs);
        float tr = 1.0f, ti = 0.0f;
#pragma unroll
        for (int r = 1; r < 4; r++) {
            float nr = tr * cs - ti * sn;
            ti = tr * sn + ti * cs;
            tr = nr;
            v[r] = make_float2(v[r].x * tr - v[r].y * ti, v[r].x * ti + v[r].y * tr);
        }
        float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        v[0] = make_float2(a.x + c.x, a.y + c.y);
        v[1] = make_float2(b.x + d.x, b.y + d.y);
        v[2] = make_float2(a.x - c.x, a.y - c.y);
        v[3] = make_float2(b.x - d.x, b.y - d.y);
        int to = (j / ns) * ns * 4 + k;
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; r++)
            s[to + r * ns] = v[r];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; r++)
            v[r] = s[j + 256 * r];
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        mine[j + 256 * r] = v[r];
}

/* kmutate launch
   int n = 1 << 24; dim3 block = { 512 }; dim3 grid = { n / 512 };
   int keys[n] = randint(0, 1 << 30);
   sorting_network_far_step(keys, 1 << 14, 1 << 20);
*/
// One step of a bitonic network over global memory; half of the threads find that they are not the lower partner.
__global__ void sorting_network_far_step(int *keys, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int partner = i ^ j;
    if (partner > i) {
        int a = keys[i], b = keys[partner];
        bool up = (i & k) == 0;
        if ((a > b) == up) {
            keys[i] = b;
            keys[partner] = a;
        }
    }
}

#define PAD(i) ((i) + ((i) >> 5))

/* kmutate launch
   int n = 8 << 20; dim3 block = { 512 }; dim3 grid = { n / 1024 };
   unsigned in[n] = randint(0, 100); unsigned out[n] = zeros(); unsigned sums[n / 1024] = zeros();
   prefix_sums_up_and_down(in, out, sums);
*/
// Prefix sums of 1024 numbers for each block, up the tree and down again, padded against conflicts.
__global__ void prefix_sums_up_and_down(const unsigned *in, unsigned *out, unsigned *sums)
{
    __shared__ unsigned tree[1024 + 32];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    tree[PAD(t)] = in[base + t];
    tree[PAD(t + 512)] = in[base + t + 512];
    int offset = 1;
    for (int d = 512; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            tree[PAD(b)] += tree[PAD(a)];
        }
        offset *= 2;
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = tree[PAD(1023)];
        tree[PAD(1023)] = 0;
    }
    for (int d = 1; d < 1024; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            unsigned was = tree[PAD(a)];
            tree[PAD(a)] = tree[PAD(b)];
            tree[PAD(b)] += was;
        }
    }
    __syncthreads();
    out[base + t] = tree[PAD(t)];
    out[base + t + 512] = tree[PAD(t + 512)];
}

/* kmutate launch
   int n = 1 << 20; dim3 block = { 256 }; dim3 grid = { n / 256 };
   unsigned char grade[n] = randint(0, 6); unsigned counts[6] = zeros();
   count_grades_all_at_once(grade, counts, n);
*/
// Six counters in global memory for a million students.
__global__ void count_grades_all_at_once(const unsigned char *grade, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[grade[i]], 1u);
}

/* kmutate launch
   int rows = 300000, nnz = 3000000; dim3 block = { 256 }; dim3 grid = { (nnz + 255) / 256 };
   int row[nnz] = ascending(0, 300000); int col[nnz] = randint(0, 300000); double value[nnz] = uniform(-1, 1);
   double x[rows] = uniform(-1, 1); double y[rows] = zeros();
   triplets_times_vector_segments(nnz, row, col, value, x, y);
*/
// A sparse matrix of triplets times a vector: sums over the same row within a warp, an atomic for the last of each.
__global__ void triplets_times_vector_segments(int nnz, const int *row, const int *col, const double *value, const double *x,
                                               double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int r = i < nnz ? row[i] : -1;
    double sum = i < nnz ? value[i] * x[col[i]] : 0.0;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        double left = __shfl_up_sync(0xffffffffu, sum, o);
        int left_row = __shfl_up_sync(0xffffffffu, r, o);
        if (lane >= o && left_row == r)
            sum += left;
    }
    int right_row = __shfl_down_sync(0xffffffffu, r, 1);
    if (r >= 0 && (lane == 31 || right_row != r))
        atomicAdd(&y[r], sum);
}

/* kmutate launch
   int nodes = 200000, lo = 0, hi = 41; int edges = csr_nnz(nodes, lo, hi); dim3 block = { 32, 8 }; dim3 grid = { nodes / 8 };
   int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int head[edges] = csr_colidx(nodes); int length[edges] = randint(1, 100);
   int dist[nodes] = randint(0, 10000); int changed[1] = zeros();
   relax_edges_warp_for_vertex(nodes, start, head, length, dist, changed);
*/
// Shortest ways: a warp offers a vertex's distance to its neighbours by atomic minima, a flag says that something changed.
__global__ void relax_edges_warp_for_vertex(int nodes, const int *start, const int *head, const int *length, int *dist,
                                            int *changed)
{
    int v = blockIdx.x * blockDim.y + threadIdx.y;
    if (v >= nodes)
        return;
    int mine = dist[v];
    int end = start[v + 1];
    for (int e = start[v] + threadIdx.x; e < end; e += 32) {
        int offer = mine + length[e];
        if (offer < dist[head[e]]) {
            int was = atomicMin(&dist[head[e]], offer);
            if (offer < was)
                *changed = 1;
        }
    }
}

/* kmutate launch
   int n = 131072, most = 64; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float4 place[n] = uniform(0, 12); float4 force[n] = zeros(); int apart[n * most] = randint(-1500, 1500);
   atoms_repel_by_lists(place, force, apart, n, most, 16.0f);
*/
// Forces of atoms on those of their lists, up to a distance; a list lies across the threads.
__global__ void atoms_repel_by_lists(const float4 *place, float4 *force, const int *apart, int n, int most, float cut)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = place[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int j = 0; j < most; j++) {
        int k = i + apart[j * n + i];
        k = k < 0 ? k + n : (k >= n ? k - n : k);
        float4 q = place[k];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut && r2 > 0.0f) {
            float r2inv = 1.0f / r2;
            float r6inv = r2inv * r2inv * r2inv;
            float f = r2inv * r6inv * (1.5f * r6inv - 2.0f);
            fx += dx * f;
            fy += dy * f;
            fz += dz * f;
        }
    }
    force[i] = make_float4(fx, fy, fz, 0.0f);
}

struct Quad {
    double x, y, z, w;
};

/* kmutate launch
   struct Quad { double x; double y; double z; double w; };
   int side = 6, per = 100; int boxes = side * side * side; dim3 block = { 128 }; dim3 grid = { boxes };
   struct Quad place[boxes * per] = uniform(0.1, 1); double charge[boxes * per] = uniform(0.1, 1); struct Quad out[boxes * per] = zeros();
   particles_of_near_boxes(place, charge, out, side, per, 0.5);
*/
// Particles in boxes, each box against its 27 neighbours around the edges: 100 particles for 128 threads, in doubles.
__global__ void particles_of_near_boxes(const Quad *place, const double *charge, Quad *out, int side, int per, double a2)
{
    __shared__ Quad near[100];
    __shared__ double q[100];
    int t = threadIdx.x;
    int bx = blockIdx.x % side, by = blockIdx.x / side % side, bz = blockIdx.x / (side * side);
    Quad me = place[blockIdx.x * per + min(t, per - 1)];
    Quad sum = { 0.0, 0.0, 0.0, 0.0 };
    for (int k = 0; k < 27; k++) {
        int nx = (bx + k % 3 + side - 1) % side, ny = (by + k / 3 % 3 + side - 1) % side, nz = (bz + k / 9 + side - 1) % side;
        int box = (nz * side + ny) * side + nx;
        __syncthreads();
        if (t < per) {
            near[t] = place[box * per + t];
            q[t] = charge[box * per + t];
        }
        __syncthreads();
        if (t < per) {
            for (int j = 0; j < per; j++) {
                double r2 = me.w + near[j].w - (me.x * near[j].x + me.y * near[j].y + me.z * near[j].z);
                double u2 = a2 * r2;
                double v = exp(-u2);
                double f = 2.0 * v;
                sum.w += q[j] * v;
                sum.x += q[j] * f * (me.x - near[j].x);
                sum.y += q[j] * f * (me.y - near[j].y);
                sum.z += q[j] * f * (me.z - near[j].z);
            }
        }
    }
    if (t < per)
        out[blockIdx.x * per + t] = sum;
}

/* kmutate launch
   int nx = 2048, ny = 1200; dim3 block = { 128 }; dim3 grid = { nx / 128, ny };
   float from[9 * nx * ny] = uniform(0.1, 0.12); float to[9 * nx * ny] = zeros();
   lattice_of_nine_speeds_pull(from, to, nx, ny, 1.7f);
*/
// Streaming and collision on a lattice of nine speeds, pulled from the neighbours around the edges.
__global__ void lattice_of_nine_speeds_pull(const float *__restrict__ from, float *__restrict__ to, int nx, int ny, float omega)
{
    const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
    const int cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const float w[9] = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int n = nx * ny;
    float f[9];
    float rho = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        int xs = (x - cx[i] + nx) % nx, ys = (y - cy[i] + ny) % ny;
        f[i] = from[i * n + ys * nx + xs];
        rho += f[i];
        ux += cx[i] * f[i];
        uy += cy[i] * f[i];
    }
    ux /= rho;
    uy /= rho;
    float u2 = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int i = 0; i < 9; i++) {
        float cu = 3.0f * (cx[i] * ux + cy[i] * uy);
        float eq = w[i] * rho * (1.0f + cu + 0.5f * cu * cu - u2);
        to[i * n + y * nx + x] = f[i] + omega * (eq - f[i]);
    }
}

/* kmutate launch
   int nx = 256, ny = 240, nz = 260; dim3 block = { 32, 4, 2 }; dim3 grid = { nx / 32, ny / 4, nz / 2 };
   float now[nx * ny * nz] = uniform(-1, 1); float before[nx * ny * nz] = uniform(-1, 1); float speed2[nx * ny * nz] = uniform(0.1, 0.2);
   sound_step_in_a_volume(now, before, speed2, nx, ny, nz);
*/
// A step of sound in a volume, fourth order in space, the state before last is replaced in place.
__global__ void sound_step_in_a_volume(const float *now, float *before, const float *speed2, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 2 || y < 2 || z < 2 || x >= nx - 2 || y >= ny - 2 || z >= nz - 2)
        return;
    int i = (z * ny + y) * nx + x, plane = nx * ny;
    float sum = -7.5f * now[i];
    sum += 1.3333334f * (now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] + now[i - plane] + now[i + plane]);
    sum -= 0.083333336f * (now[i - 2] + now[i + 2] + now[i - 2 * nx] + now[i + 2 * nx] + now[i - 2 * plane] + now[i + 2 * plane]);
    before[i] = 2.0f * now[i] - before[i] + speed2[i] * sum;
}

/* kmutate launch
   int n = 16000000; dim3 block = { 256 }; dim3 grid = { n / 256 };
   unsigned value[n] = ascending(0, 1000000000); unsigned planes[n] = zeros(); unsigned char width[n / 32] = zeros();
   pack_differences_as_planes(value, planes, width);
*/
// Compression of rising numbers: a warp's differences, as many planes of bits as the widest needs.
__global__ void pack_differences_as_planes(const unsigned *value, unsigned *planes, unsigned char *width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned v = value[i];
    unsigned left = __shfl_up_sync(0xffffffffu, v, 1);
    unsigned diff = lane == 0 ? 0 : v - left;
    unsigned all = __reduce_or_sync(0xffffffffu, diff);
    int bits = 32 - __clz(all);
    unsigned mine = 0;
    for (int b = 0; b < bits; b++) {
        unsigned plane = __ballot_sync(0xffffffffu, (diff >> b) & 1u);
        if (lane == b)
            mine = plane;
    }
    unsigned first = __shfl_sync(0xffffffffu, v, 0);
    if (lane == 31)
        mine = first;
    if (lane < bits || lane == 31)
        planes[i] = mine;
    if (lane == 0)
        width[i / 32] = bits;
}

/* kmutate launch
   int n = 32768, length = 120; dim3 block = { 64 }; dim3 grid = { n / 64 };
   unsigned char query[48] = randint(0, 4); unsigned char library[n * length] = randint(0, 4); int best[n] = zeros();
   align_locally_one_for_each_thread(query, library, length, n, best);
*/
// Local alignment with affine gaps: a sequence of the library for each thread, a row of scores in its own memory.
__global__ void align_locally_one_for_each_thread(const unsigned char *query, const unsigned char *library, int length, int n,
                                                  int *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    short h[49], e[49];
    for (int q = 0; q <= 48; q++) {
        h[q] = 0;
        e[q] = -100;
    }
    int most = 0;
    for (int l = 0; l < length; l++) {
        unsigned char c = library[l * n + i];
        int diagonal = 0, f = -100, left = 0;
#pragma unroll 1
        for (int q = 1; q <= 48; q++) {
            int up = h[q];
            int gap = max(up - 5, e[q] - 1);
            f = max(left - 5, f - 1);
            int score = max(max(0, diagonal + (query[q - 1] == c ? 3 : -2)), max(gap, f));
            e[q] = gap;
            h[q] = score;
            diagonal = up;
            left = score;
            most = max(most, score);
        }
    }
    best[i] = most;
}

/* kmutate launch
   int systems = 3000, n = 512; dim3 block = { n }; dim3 grid = { systems }; size_t smem = 4 * n * sizeof(double);
   double a[systems * n] = uniform(-1, 1); double b[systems * n] = uniform(3, 4); double c[systems * n] = uniform(-1, 1);
   double d[systems * n] = uniform(-1, 1); double x[systems * n] = zeros();
   tridiagonal_by_parallel_reduction(a, b, c, d, x, n);
*/
// Tridiagonal systems of 512, a block for each: every equation loses its neighbours, nine times.
__global__ void tridiagonal_by_parallel_reduction(const double *a, const double *b, const double *c, const double *d, double *x,
                                                  int n)
{
    extern __shared__ double work[];
    double *sa = work, *sb = work + n, *sc = work + 2 * n, *sd = work + 3 * n;
    int i = threadIdx.x;
    size_t at = (size_t)blockIdx.x * n + i;
    sa[i] = i == 0 ? 0.0 : a[at];
    sb[i] = b[at];
    sc[i] = i == n - 1 ? 0.0 : c[at];
    sd[i] = d[at];
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        int l = max(i - step, 0), r = min(i + step, n - 1);
        double k1 = sa[i] / sb[l], k2 = sc[i] / sb[r];
        double nb = sb[i] - sc[l] * k1 - sa[r] * k2;
        double nd = sd[i] - sd[l] * k1 - sd[r] * k2;
        double na = -sa[l] * k1, nc = -sc[r] * k2;
        __syncthreads();
        sa[i] = na;
        sb[i] = nb;
        sc[i] = nc;
        sd[i] = nd;
        __syncthreads();
    }
    x[at] = sd[i] / sb[i];
}
