// The fourteenth set of kernels that nobody tuned the model of time for: products, solvers, sparse formats, graphs,
// waves, fluids, elements, particles, chemistry, chance, prices, images, speech, tables, texts, genes, ciphers, layers
// of networks there and back, optimisers, clusters and trees, half of it plain code, written from what is commonly known
// of the algorithms by someone who had seen neither the model nor its results (tests/gpu/heldout.py, docs/heldout.md).

#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define ceil_div(m, n) (((m) + (n) - 1) / (n))

// ------------------------------------------------------------------------------------------------ dense linear algebra

/* kmutate launch
   int N = 6144, K = 4096; dim3 block = { 128 }; dim3 grid = { N / 128, 8 };
   float X[8 * K] = uniform(-1, 1); float W[K * N] = uniform(-1, 1); float Y[8 * N] = zeros();
   matmul_eight_rows_split(N, K, X, W, Y);
*/
// Y += X W for eight rows of X: a thread keeps a column's eight sums, blocks share K out among them and add atomically.
__global__ void matmul_eight_rows_split(int N, int K, const float *__restrict__ X, const float *__restrict__ W,
                                        float *__restrict__ Y)
{
    __shared__ float xs[8][64];
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int chunk = K / gridDim.y;
    int k_begin = blockIdx.y * chunk;
    float sum[8] = { 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f };
    for (int k0 = k_begin; k0 < k_begin + chunk; k0 += 64) {
        __syncthreads();
        for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x)
            xs[i / 64][i % 64] = X[(i / 64) * K + k0 + i % 64];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; k++) {
            float w = W[(size_t)(k0 + k) * N + col];
#pragma unroll
            for (int r = 0; r < 8; r++)
                sum[r] += xs[r][k] * w;
        }
    }
    for (int r = 0; r < 8; r++)
        atomicAdd(&Y[r * N + col], sum[r]);
}

/* kmutate launch
   int batch = 3000, n = 20; dim3 block = { n, n }; dim3 grid = batch;
   double A[batch * n * n] = uniform(-1, 1); double B[batch * n * n] = uniform(-1, 1); double C[batch * n * n] = zeros();
   dgemm_batch_of_twenties(n, 1.5, A, B, 0.5, C);
*/
// A block for each product of a batch of 20 x 20 matrices, an element for each thread, all from global memory.
__global__ void dgemm_batch_of_twenties(int n, double alpha, const double *A, const double *B, double beta, double *C)
{
    int i = threadIdx.y;
    int j = threadIdx.x;
    const double *a = A + blockIdx.x * n * n;
    const double *b = B + blockIdx.x * n * n;
    double *c = C + blockIdx.x * n * n;
    double s = 0.0;
    for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
    c[i * n + j] = alpha * s + beta * c[i * n + j];
}

/* kmutate launch
   int M = 1000, N = 1100, K = 900; dim3 block = { 16, 16 }; dim3 grid = { (N + 15) / 16, (M + 15) / 16 };
   float A[K * M] = uniform(-1, 1); float B[N * K] = uniform(-1, 1); float C[M * N] = zeros();
   gemm_tt_tile_ragged<16>(A, B, C, M, N, K);
*/
// C = A' B' with tiles of 16 x 16 and a test at every edge.
template <int T>
__global__ void gemm_tt_tile_ragged(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[T][T];
    __shared__ float Bs[T][T + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty;
    int col = blockIdx.x * T + tx;
    float acc = 0.0f;
    for (int t = 0; t < (K + T - 1) / T; ++t) {
        int m = blockIdx.y * T + tx, ka = t * T + ty;
        int n = blockIdx.x * T + ty, kb = t * T + tx;
        As[ty][tx] = (m < M && ka < K) ? A[ka * M + m] : 0.0f;
        Bs[tx][ty] = (n < N && kb < K) ? B[n * K + kb] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k)
            acc += As[k][ty] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = acc;
}

typedef struct {
    int width;
    int height;
    int stride;
    double *elements;
} Matrix;

__device__ double get_element(const Matrix A, int row, int col)
{
    return A.elements[row * A.stride + col];
}

__device__ Matrix get_sub_matrix(Matrix A, int row, int col)
{
    Matrix sub;
    sub.width = 16;
    sub.height = 16;
    sub.stride = A.stride;
    sub.elements = &A.elements[A.stride * 16 * row + 16 * col];
    return sub;
}

/* kmutate launch
   struct Matrix { int width; int height; int stride; double *elements; };
   int n = 768; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   double a[n * n] = uniform(-1, 1); double b[n * n] = uniform(-1, 1); double c[n * n] = zeros();
   struct Matrix A = { n, n, n, a }; struct Matrix B = { n, n, n, b }; struct Matrix C = { n, n, n, c };
   matmul_submatrix_structs(A, B, C);
*/
// The guide's product: matrices as structs by value, submatrices of 16 x 16 staged in shared memory, in doubles.
__global__ void matmul_submatrix_structs(Matrix A, Matrix B, Matrix C)
{
    int block_row = blockIdx.y, block_col = blockIdx.x;
    Matrix Csub = get_sub_matrix(C, block_row, block_col);
    double value = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < (A.width / 16); ++m) {
        Matrix Asub = get_sub_matrix(A, block_row, m);
        Matrix Bsub = get_sub_matrix(B, m, block_col);
        __shared__ double As[16][16];
        __shared__ double Bs[16][16];
        As[row][col] = get_element(Asub, row, col);
        Bs[row][col] = get_element(Bsub, row, col);
        __syncthreads();
        for (int e = 0; e < 16; ++e)
            value += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    Csub.elements[row * Csub.stride + col] = value;
}

/* kmutate launch
   int n = 1500, k = 420; dim3 block = { 16, 16 }; dim3 grid = { (n - k + 15) / 16, (n - k + 15) / 16 };
   double A[n * n] = uniform(1, 2);
   lu_eliminate_step_naive(A, n, k);
*/
// One step of LU without pivots: what is right of and below the pivot, each thread dividing for itself.
__global__ void lu_eliminate_step_naive(double *A, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
    if (i >= n || j >= n)
        return;
    double factor = A[i * n + k] / A[k * n + k];
    A[i * n + j] -= factor * A[k * n + j];
}

/* kmutate launch
   int n = 256, nrhs = 1; dim3 grid = 1, block = { 256 }; int smem = n * sizeof(double);
   double U[n * n] = uniform(1, 2); double b[n] = uniform(-1, 1); double x[n] = zeros();
   back_substitution_one_block(U, b, x, n);
*/
// U x = b from the last row up by one block, the right side in shared memory, columns of a row-major matrix.
__global__ void back_substitution_one_block(const double *U, const double *b, double *x, int n)
{
    extern __shared__ double rhs[];
    int t = threadIdx.x;
    rhs[t] = b[t];
    __syncthreads();
    for (int j = n - 1; j >= 0; j--) {
        if (t == j)
            rhs[j] = rhs[j] / (U[j * n + j] * n);
        __syncthreads();
        if (t < j)
            rhs[t] -= U[t * n + j] * rhs[j];
        __syncthreads();
    }
    x[t] = rhs[t];
}

/* kmutate launch
   int batch = 5000; dim3 grid = batch, block = { 48 };
   float A[batch * 24 * 24] = uniform(-1, 1); float inv[batch * 24 * 24] = zeros(); int info[batch] = zeros();
   inverse_pivoted_by_block(A, inv, info);
*/
// Gauss-Jordan with row pivots on 24 x 48 in shared memory, a thread for a column, a block of a warp and a half.
__global__ void inverse_pivoted_by_block(const float *A, float *inv, int *info)
{
    const int n = 24;
    __shared__ float m[24][49];
    __shared__ int pivot_row;
    int c = threadIdx.x;
    const float *a = A + (size_t)blockIdx.x * n * n;
    for (int r = 0; r < n; r++)
        m[r][c] = c < n ? a[r * n + c] : (c - n == r ? 1.0f : 0.0f);
    __syncthreads();
    int singular = 0;
    for (int k = 0; k < n; k++) {
        if (c == 0) {
            int best = k;
            for (int r = k + 1; r < n; r++)
                if (fabsf(m[r][k]) > fabsf(m[best][k]))
                    best = r;
            pivot_row = best;
        }
        __syncthreads();
        int p = pivot_row;
        float pivot = m[p][k];
        if (fabsf(pivot) < 1e-12f)
            singular = k + 1;
        float top = m[p][c] / pivot;
        __syncthreads();
        m[p][c] = m[k][c];
        __syncthreads();
        m[k][c] = top;
        float col_k[24];
        for (int r = 0; r < n; r++)
            col_k[r] = r == k ? 0.0f : m[r][k];
        __syncthreads();
        for (int r = 0; r < n; r++)
            m[r][c] -= col_k[r] * top;
        __syncthreads();
    }
    if (c >= n)
        for (int r = 0; r < n; r++)
            inv[(size_t)blockIdx.x * n * n + r * n + c - n] = m[r][c];
    if (c == 0)
        info[blockIdx.x] = singular;
}

/* kmutate launch
   int count = 30000; dim3 block = { 64 }; dim3 grid = { (count + 63) / 64 };
   double A[count * 25] = uniform(-0.4, 0.4); double E[count * 25] = zeros();
   matrix_exponential_fives(count, A, E);
*/
// exp(A) of 5 x 5 matrices, one to a thread: halved until small, twelve terms of Taylor's series, then squared back.
__global__ void matrix_exponential_fives(int count, const double *A, double *E)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count)
        return;
    double a[25], term[25], sum[25], tmp[25];
    double norm = 0;
    for (int i = 0; i < 25; i++) {
        a[i] = A[id * 25 + i];
        norm = fmax(norm, fabs(a[i]) * 5);
    }
    int squarings = 0;
    while (norm > 0.5) {
        norm *= 0.5;
        squarings++;
    }
    double scale = 1.0 / (1 << squarings);
    for (int i = 0; i < 25; i++) {
        a[i] *= scale;
        term[i] = sum[i] = (i % 6 == 0) ? 1.0 : 0.0;
    }
    for (int q = 1; q <= 12; q++) {
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) {
                double s = 0;
                for (int k = 0; k < 5; k++)
                    s += term[i * 5 + k] * a[k * 5 + j];
                tmp[i * 5 + j] = s / q;
            }
        for (int i = 0; i < 25; i++) {
            term[i] = tmp[i];
            sum[i] += tmp[i];
        }
    }
    for (int s = 0; s < squarings; s++) {
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) {
                double v = 0;
                for (int k = 0; k < 5; k++)
                    v += sum[i * 5 + k] * sum[k * 5 + j];
                tmp[i * 5 + j] = v;
            }
        for (int i = 0; i < 25; i++)
            sum[i] = tmp[i];
    }
    for (int i = 0; i < 25; i++)
        E[id * 25 + i] = sum[i];
}

/* kmutate launch
   int rows = 10000, cols = 2500; dim3 block = { 256 }; dim3 grid = { (rows + 255) / 256 };
   double A[rows * cols] = uniform(-1, 1); double x[cols] = uniform(-1, 1); double y[rows] = zeros();
   dgemv_thread_per_row(rows, cols, A, x, y);
*/
// y = A x as first written: a thread walks down its row.
__global__ void dgemv_thread_per_row(int rows, int cols, const double *A, const double *x, double *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        y[r] = 0.0;
        for (int c = 0; c < cols; c++)
            y[r] += A[(long)r * cols + c] * x[c];
    }
}

/* kmutate launch
   int M = 1024, N = 1536, K = 768; dim3 block = { 256 }; dim3 grid = { N / 64, M / 64 };
   half A[M * K] = uniform(-1, 1); half B[N * K] = uniform(-1, 1); half bias[N] = uniform(-1, 1); half C[M * N] = zeros();
   linear_relu_epilogue<half, 64, 64, 16>(A, B, bias, C, M, N, K);
*/
// relu(A B' + bias): two buffers of tiles in floats, a 4 x 4 patch to a thread, types and tile sizes by template.
template <typename T, int BM, int BN, int BK>
__global__ void __launch_bounds__(256) linear_relu_epilogue(const T *__restrict__ A, const T *__restrict__ B,
                                                            const T *__restrict__ bias, T *__restrict__ C, int M, int N,
                                                            int K)
{
    __shared__ float As[2][BK][BM + 4];
    __shared__ float Bs[2][BK][BN + 4];
    int tid = threadIdx.x;
    int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    int lr = tid / 4, lc = (tid % 4) * 4;
    int ty = tid / 16, tx = tid % 16;
    float acc[4][4] = {};
    T ra[4], rb[4];
    *(float2 *)ra = *(const float2 *)&A[(m0 + lr) * K + lc];
    *(float2 *)rb = *(const float2 *)&B[(n0 + lr) * K + lc];
    for (int i = 0; i < 4; i++) {
        As[0][lc + i][lr] = float(ra[i]);
        Bs[0][lc + i][lr] = float(rb[i]);
    }
    __syncthreads();
    int cur = 0;
    for (int k0 = BK; k0 <= K; k0 += BK) {
        if (k0 < K) {
            *(float2 *)ra = *(const float2 *)&A[(m0 + lr) * K + k0 + lc];
            *(float2 *)rb = *(const float2 *)&B[(n0 + lr) * K + k0 + lc];
        }
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float4 a = *(const float4 *)&As[cur][k][ty * 4];
            float4 b = *(const float4 *)&Bs[cur][k][tx * 4];
            float av[4] = { a.x, a.y, a.z, a.w }, bv[4] = { b.x, b.y, b.z, b.w };
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] += av[i] * bv[j];
        }
        if (k0 < K) {
            for (int i = 0; i < 4; i++) {
                As[cur ^ 1][lc + i][lr] = float(ra[i]);
                Bs[cur ^ 1][lc + i][lr] = float(rb[i]);
            }
            __syncthreads();
            cur ^= 1;
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float v = acc[i][j] + float(bias[n0 + tx * 4 + j]);
            C[(m0 + ty * 4 + i) * N + n0 + tx * 4 + j] = T(v > 0.f ? v : 0.f);
        }
}

// ------------------------------------------------------------------------------------------ sparse matrices and graphs

typedef struct {
    double re, im;
} Complex;

__device__ Complex cmul(Complex a, Complex b)
{
    Complex r;
    r.re = a.re * b.re - a.im * b.im;
    r.im = a.re * b.im + a.im * b.re;
    return r;
}

/* kmutate launch
   struct Complex { double re, im; };
   int rows = 150000, nnz = 2400000; dim3 block = { 128 }; dim3 grid = { (rows + 127) / 128 };
   int rowptr[rows + 1] = ascending(0, nnz + 1); int colidx[nnz] = randint(0, rows);
   struct Complex val[nnz] = uniform(-1, 1); struct Complex x[rows] = uniform(-1, 1); struct Complex y[rows] = zeros();
   spmv_complex_uneven(rows, rowptr, colidx, val, x, y);
*/
// y = A x in complex doubles, a thread for a row, rows as long as chance made them.
__global__ void spmv_complex_uneven(int rows, const int *rowptr, const int *colidx, const Complex *val, const Complex *x,
                                    Complex *y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < rows) {
        Complex dot;
        dot.re = 0;
        dot.im = 0;
        int start = rowptr[row];
        int end = rowptr[row + 1];
        for (int jj = start; jj < end; jj++) {
            Complex p = cmul(val[jj], x[colidx[jj]]);
            dot.re += p.re;
            dot.im += p.im;
        }
        y[row] = dot;
    }
}

/* kmutate launch
   int rows = 300000, width = 8, pitch = 300032, tail = 90000; dim3 block = { 256 };
   dim3 grid = { (pitch + tail + 255) / 256 };
   int ell_col[width * pitch] = randint(-40000, rows); float ell_val[width * pitch] = uniform(-1, 1);
   int coo_row[tail] = ascending(0, rows); int coo_col[tail] = randint(0, rows); float coo_val[tail] = uniform(-1, 1);
   float x[rows] = uniform(-1, 1); float y[rows] = zeros();
   spmv_hybrid_both_parts(rows, width, pitch, ell_col, ell_val, tail, coo_row, coo_col, coo_val, x, y);
*/
// A hybrid matrix in one launch: the first blocks take the ELL part, the others the tail of triples, with atomics.
__global__ void spmv_hybrid_both_parts(int rows, int width, int pitch, const int *ell_col, const float *ell_val, int tail,
                                       const int *coo_row, const int *coo_col, const float *coo_val, const float *x,
                                       float *y)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < pitch) {
        if (id >= rows)
            return;
        float sum = 0;
        for (int k = 0; k < width; k++) {
            int c = ell_col[k * pitch + id];
            if (c >= 0)
                sum += ell_val[k * pitch + id] * x[c];
        }
        atomicAdd(&y[id], sum);
    } else if (id - pitch < tail) {
        int t = id - pitch;
        atomicAdd(&y[coo_row[t]], coo_val[t] * x[coo_col[t]]);
    }
}

/* kmutate launch
   int brows = 6000, lo = 4, hi = 20, nb = csr_nnz(brows, lo, hi); dim3 block = { 128 }; dim3 grid = { (brows + 3) / 4 };
   int bptr[brows + 1] = csr_rowptr(brows, lo, hi); int bcol[nb] = csr_colidx(brows);
   float blocks[nb * 256] = uniform(-1, 1); float x[brows * 16] = uniform(-1, 1); float y[brows * 16] = zeros();
   bsr16_warp_per_block_row(brows, bptr, bcol, blocks, x, y);
*/
// Blocks of 16 x 16: a warp for a row of blocks, half a warp to half of each block's columns, float4 by float4.
__global__ void bsr16_warp_per_block_row(int brows, const int *__restrict__ bptr, const int *__restrict__ bcol,
                                         const float *__restrict__ blocks, const float *__restrict__ x,
                                         float *__restrict__ y)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (warp >= brows)
        return;
    int quad = lane & 3, r = lane >> 2;
    float s0 = 0.f, s1 = 0.f;
    for (int b = bptr[warp]; b < bptr[warp + 1]; b++) {
        const float4 *blk = reinterpret_cast<const float4 *>(blocks + (size_t)b * 256);
        float4 xv = reinterpret_cast<const float4 *>(x)[bcol[b] * 4 + quad];
        float4 a = blk[r * 4 + quad];
        float4 c = blk[(r + 8) * 4 + quad];
        s0 += a.x * xv.x + a.y * xv.y + a.z * xv.z + a.w * xv.w;
        s1 += c.x * xv.x + c.y * xv.y + c.z * xv.z + c.w * xv.w;
    }
    s0 += __shfl_xor_sync(0xffffffffu, s0, 1);
    s1 += __shfl_xor_sync(0xffffffffu, s1, 1);
    s0 += __shfl_xor_sync(0xffffffffu, s0, 2);
    s1 += __shfl_xor_sync(0xffffffffu, s1, 2);
    if (quad == 0) {
        y[warp * 16 + r] = s0;
        y[warp * 16 + r + 8] = s1;
    }
}

/* kmutate launch
   int rows = 40000, first = 21000, count = 1400, nnz = 280000; dim3 block = { 64 }; dim3 grid = { (count + 63) / 64 };
   int order[rows] = permutation(); int rowptr[rows + 1] = ascending(0, nnz + 1); int colidx[nnz] = randint(0, rows);
   double val[nnz] = uniform(-1, 1); double diag[rows] = uniform(1, 2); double b[rows] = uniform(-1, 1);
   double x[rows] = uniform(-1, 1);
   ilu_forward_level(first, count, order, rowptr, colidx, val, diag, b, x);
*/
// The rows of one level of an incomplete factor's forward solve, a thread for a row: few blocks, random places.
__global__ void ilu_forward_level(int first, int count, const int *order, const int *rowptr, const int *colidx,
                                  const double *val, const double *diag, const double *b, double *x)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    int row = order[first + t];
    double s = b[row];
    for (int k = rowptr[row]; k < rowptr[row + 1]; k++)
        s -= val[k] * x[colidx[k]];
    x[row] = s / diag[row];
}

/* kmutate launch
   int nodes = 600000, edges = 6000000, frontier = 45000, room = 600000; dim3 block = { 256 };
   dim3 grid = { (frontier + 255) / 256 };
   int row[nodes + 1] = ascending(0, edges + 1); int col[edges] = randint(0, nodes); int in[frontier] = randint(0, nodes);
   unsigned visited[nodes / 32] = randint(0, 1u << 31); int out[room] = zeros(); int tail[1] = zeros(); int level[nodes];
   bfs_queue_bitmap(frontier, row, col, in, visited, out, tail, room, level, 4);
*/
// A level of breadth-first search: a thread for a vertex of the queue, a bitmap of the visited, an atomic tail.
__global__ void bfs_queue_bitmap(int frontier, const int *row, const int *col, const int *in, unsigned *visited, int *out,
                                 int *tail, int room, int *level, int depth)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= frontier)
        return;
    int v = in[t];
    for (int e = row[v]; e < row[v + 1]; e++) {
        int w = col[e];
        unsigned bit = 1u << (w % 32);
        if (visited[w / 32] & bit)
            continue;
        unsigned old = atomicOr(&visited[w / 32], bit);
        if (!(old & bit)) {
            level[w] = depth + 1;
            int at = atomicAdd(tail, 1);
            if (at < room)
                out[at] = w;
        }
    }
}

/* kmutate launch
   int nodes = 200000, edges = 1600000, active = 12000, room = 200000; dim3 block = { 128 };
   dim3 grid = { (active + 127) / 128 };
   int row[nodes + 1] = ascending(0, edges + 1); int2 edge[edges] = randint(0, 200000);
   int dist[nodes] = randint(0, 4000000); int work[active] = randint(0, nodes);
   int near_pile[room]; int far_pile[room]; int tails[2] = zeros();
   shortest_near_far(active, row, edge, dist, work, near_pile, far_pile, tails, room, 1000000);
*/
// Shortest paths with a near and a far pile: relaxes the edges of the near vertices and sorts what improved.
__global__ void shortest_near_far(int active, const int *row, const int2 *edge, int *dist, const int *work, int *near_pile,
                                  int *far_pile, int *tails, int room, int threshold)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < active) {
        int u = work[t];
        int du = dist[u];
        int stop = row[u + 1];
        for (int e = row[u]; e < stop; e++) {
            int2 to = edge[e];
            int candidate = du + to.y;
            if (candidate < dist[to.x]) {
                if (atomicMin(&dist[to.x], candidate) > candidate) {
                    int far = candidate >= threshold;
                    int at = atomicAdd(&tails[far], 1);
                    if (at < room)
                        (far ? far_pile : near_pile)[at] = to.x;
                }
            }
        }
    }
}

/* kmutate launch
   int nodes = 500000, edges = 1000000; dim3 block = { 256 }; dim3 grid = { (edges + 255) / 256 };
   int2 edge[edges] = randint(0, nodes); int parent[nodes] = iota();
   union_find_edges(edges, edge, parent);
*/
// Connected components by union-find: roots are found with path halving and linked, the larger below the smaller.
__global__ void union_find_edges(int edges, const int2 *edge, volatile int *parent)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int u = edge[e].x, v = edge[e].y;
    while (true) {
        while (parent[u] != u) {
            int up = parent[parent[u]];
            parent[u] = up;
            u = up;
        }
        while (parent[v] != v) {
            int up = parent[parent[v]];
            parent[v] = up;
            v = up;
        }
        if (u == v)
            break;
        if (u < v) {
            int swap = u;
            u = v;
            v = swap;
        }
        if (atomicCAS((int *)&parent[u], u, v) == u)
            break;
    }
}

__device__ bool has_neighbour(const int *list, int n, int key)
{
    int lo = 0, hi = n - 1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2;
        if (list[mid] == key)
            return true;
        if (list[mid] < key)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return false;
}

/* kmutate launch
   int nodes = 60000, lo = 10, hi = 50, edges = csr_nnz(nodes, lo, hi); dim3 block = { 256 };
   dim3 grid = { (edges + 255) / 256 };
   int row[nodes + 1] = csr_rowptr(nodes, lo, hi); int col[edges] = csr_colidx(nodes); int src[edges] = ascending(0, nodes);
   unsigned long long total[1] = zeros();
   triangles_by_bisection(edges, src, row, col, total);
*/
// Triangles: a thread for an edge looks each neighbour of one end up among those of the other, by bisection.
__global__ void triangles_by_bisection(int edges, const int *src, const int *row, const int *col, unsigned long long *total)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long found = 0;
    if (e < edges) {
        int u = src[e], v = col[e];
        for (int i = row[u]; i < row[u + 1]; i++)
            if (has_neighbour(col + row[v], row[v + 1] - row[v], col[i]))
                found++;
    }
    if (found)
        atomicAdd(total, found);
}

/* kmutate launch
   int nodes = 250000, edges = 3000000; dim3 block = { 192 }; dim3 grid = { (nodes + 191) / 192 };
   int row[nodes + 1] = ascending(0, edges + 1); int col[edges] = randint(0, nodes); int colour[nodes] = randint(-1, 24);
   int conflict[nodes] = zeros();
   colours_first_fit(nodes, row, col, colour, conflict);
*/
// Speculative colouring: each vertex without a colour takes the first that no neighbour has, from a mask of 64.
__global__ void colours_first_fit(int nodes, const int *row, const int *col, int *colour, int *conflict)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes)
        return;
    int mine = colour[v];
    unsigned long long taken = 0;
    bool clash = mine < 0;
    for (int e = row[v]; e < row[v + 1]; e++) {
        int w = col[e];
        int c = colour[w];
        if (c >= 0)
            taken |= 1ull << c;
        if (c == mine && v < w)
            clash = true;
    }
    if (clash) {
        colour[v] = __ffsll(~taken) - 1;
        conflict[v] = 1;
    }
}

/* kmutate launch
   int nodes = 80000, edges = 640000, dim = 48; dim3 block = { 32, 8 }; dim3 grid = { (edges + 7) / 8 };
   int src[edges] = randint(0, nodes); int dst[edges] = ascending(0, nodes); float norm[nodes] = uniform(0.1, 1);
   float grad_out[nodes * dim] = uniform(-1, 1); float grad_in[nodes * dim] = zeros();
   gcn_backward_edges(edges, dim, src, dst, norm, grad_out, grad_in);
*/
// A graph convolution's gradient: a warp for an edge carries 48 features back to the source, with atomics.
__global__ void gcn_backward_edges(int edges, int dim, const int *src, const int *dst, const float *norm,
                                   const float *grad_out, float *grad_in)
{
    int e = blockIdx.x * blockDim.y + threadIdx.y;
    if (e >= edges)
        return;
    int s = src[e], d = dst[e];
    float w = norm[s] * norm[d];
    for (int f = threadIdx.x; f < dim; f += 32)
        atomicAdd(&grad_in[s * dim + f], w * grad_out[d * dim + f]);
}

// ------------------------------------------------------------------------------- stencils, elements and mini-apps

#define AT(f, i, j, k) f[((size_t)(k) * ny + (j)) * nx + (i)]

/* kmutate launch
   int nx = 240, ny = 200, nz = 160, n = nx * ny * nz; dim3 block = { 32, 4, 2 };
   dim3 grid = { (nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2 };
   float p[n] = uniform(-1, 1); float old[n] = uniform(-1, 1); float vp[n] = uniform(1500, 4500);
   float eps[n] = uniform(0, 0.2); float delta[n] = uniform(0, 0.1); float theta[n] = uniform(0, 0.7);
   tilted_wave_naive(p, old, vp, eps, delta, theta, nx, ny, nz, 0.0005f, 0.1f);
*/
// A wave in a tilted medium: second and mixed derivatives of fourth order, 37 neighbours and a sine per point.
__global__ void tilted_wave_naive(const float *p, float *old, const float *vp, const float *eps, const float *delta,
                                  const float *theta, int nx, int ny, int nz, float dt, float inv_h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < 2 || j < 2 || k < 2 || i >= nx - 2 || j >= ny - 2 || k >= nz - 2)
        return;
    const float c0 = -2.5f, c1 = 4.f / 3.f, c2 = -1.f / 12.f;
    const float d[5] = { 1.f / 12.f, -2.f / 3.f, 0.f, 2.f / 3.f, -1.f / 12.f };
    float centre = AT(p, i, j, k);
    float pxx = c0 * centre + c1 * (AT(p, i + 1, j, k) + AT(p, i - 1, j, k)) + c2 * (AT(p, i + 2, j, k) + AT(p, i - 2, j, k));
    float pyy = c0 * centre + c1 * (AT(p, i, j + 1, k) + AT(p, i, j - 1, k)) + c2 * (AT(p, i, j + 2, k) + AT(p, i, j - 2, k));
    float pzz = c0 * centre + c1 * (AT(p, i, j, k + 1) + AT(p, i, j, k - 1)) + c2 * (AT(p, i, j, k + 2) + AT(p, i, j, k - 2));
    float pxz = 0.f;
    for (int b = -2; b <= 2; b++)
        for (int a = -2; a <= 2; a++)
            pxz += d[a + 2] * d[b + 2] * AT(p, i + a, j, k + b);
    float th = AT(theta, i, j, k);
    float s = sinf(th), c = cosf(th);
    float along = s * s * pxx + c * c * pzz + 2 * s * c * pxz;
    float across = pxx + pyy + pzz - along;
    float v = AT(vp, i, j, k);
    float rhs = (1 + 2 * AT(eps, i, j, k)) * across + sqrtf(1 + 2 * AT(delta, i, j, k)) * along;
    AT(old, i, j, k) = 2 * centre - AT(old, i, j, k) + dt * dt * v * v * inv_h * inv_h * rhs;
}

struct Colour {
    float2 c[3];
};

__device__ void add_link(Colour &out, const float2 *u, const Colour &in, float sign, bool dagger)
{
    for (int r = 0; r < 3; r++) {
        float re = 0, im = 0;
        for (int k = 0; k < 3; k++) {
            float2 l = dagger ? u[k * 3 + r] : u[r * 3 + k];
            if (dagger)
                l.y = -l.y;
            re += l.x * in.c[k].x - l.y * in.c[k].y;
            im += l.x * in.c[k].y + l.y * in.c[k].x;
        }
        out.c[r].x += sign * re;
        out.c[r].y += sign * im;
    }
}

/* kmutate launch
   struct Colour { float2 c[3]; };
   int L = 20, T = 32, volume = L * L * L * T; dim3 block = { 128 }; dim3 grid = { volume / 128 };
   float2 links[volume * 4 * 9] = uniform(-1, 1); struct Colour in[volume] = uniform(-1, 1);
   struct Colour out[volume] = zeros();
   staggered_operator_naive(links, in, out, L, T, 0.05f);
*/
// The staggered Dirac operator on a lattice of four dimensions: eight neighbours by remainders, arrays of structs.
__global__ void staggered_operator_naive(const float2 *links, const Colour *in, Colour *out, int L, int T, float mass)
{
    int site = blockIdx.x * blockDim.x + threadIdx.x;
    if (site >= L * L * L * T)
        return;
    int x[4], size[4], step[4];
    size[0] = size[1] = size[2] = L;
    size[3] = T;
    step[0] = 1;
    int rest = site;
    for (int mu = 0; mu < 4; mu++) {
        x[mu] = rest % size[mu];
        rest /= size[mu];
        if (mu > 0)
            step[mu] = step[mu - 1] * size[mu - 1];
    }
    Colour sum;
    for (int r = 0; r < 3; r++) {
        sum.c[r].x = 2 * mass * in[site].c[r].x;
        sum.c[r].y = 2 * mass * in[site].c[r].y;
    }
    int parity = 0;
    for (int mu = 0; mu < 4; mu++) {
        float eta = (parity & 1) ? -1.0f : 1.0f;
        int forward = site + ((x[mu] + 1) % size[mu] - x[mu]) * step[mu];
        int backward = site + ((x[mu] + size[mu] - 1) % size[mu] - x[mu]) * step[mu];
        add_link(sum, links + (site * 4 + mu) * 9, in[forward], eta, false);
        add_link(sum, links + (backward * 4 + mu) * 9, in[backward], -eta, true);
        parity += x[mu];
    }
    out[site] = sum;
}

/* kmutate launch
   int nx = 257, ny = 257; dim3 block = { 16, 16 }; dim3 grid = { 17, 17 };
   double psi[nx * ny] = uniform(-0.1, 0.1); double w[nx * ny] = uniform(-1, 1); double w_new[nx * ny] = zeros();
   cavity_vorticity_step(psi, w, w_new, nx, ny, 0.00390625, 0.0005, 1000.0, 1.0);
*/
// The lid-driven cavity: a step of the vorticity in doubles, walls by Thom's formula in a chain of ifs.
__global__ void cavity_vorticity_step(const double *psi, const double *w, double *w_new, int nx, int ny, double h, double dt,
                                      double Re, double lid)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ny || j >= nx)
        return;
    int id = i * nx + j;
    if (i == ny - 1) {
        w_new[id] = -2.0 * psi[id - nx] / (h * h) - 2.0 * lid / h;
    } else if (i == 0) {
        w_new[id] = -2.0 * psi[id + nx] / (h * h);
    } else if (j == 0) {
        w_new[id] = -2.0 * psi[id + 1] / (h * h);
    } else if (j == nx - 1) {
        w_new[id] = -2.0 * psi[id - 1] / (h * h);
    } else {
        double u = (psi[id + nx] - psi[id - nx]) / (2.0 * h);
        double v = -(psi[id + 1] - psi[id - 1]) / (2.0 * h);
        double wx = u > 0 ? (w[id] - w[id - 1]) / h : (w[id + 1] - w[id]) / h;
        double wy = v > 0 ? (w[id] - w[id - nx]) / h : (w[id + nx] - w[id]) / h;
        double lap = (w[id + 1] + w[id - 1] + w[id + nx] + w[id - nx] - 4.0 * w[id]) / (h * h);
        w_new[id] = w[id] + dt * (-u * wx - v * wy + lap / Re);
    }
}

struct Cell {
    float rho, mx, my, energy;
};

__device__ Cell flux_of(Cell q, int along_y)
{
    float u = q.mx / q.rho, v = q.my / q.rho;
    float p = 0.4f * (q.energy - 0.5f * q.rho * (u * u + v * v));
    float vel = along_y ? v : u;
    Cell f;
    f.rho = q.rho * vel;
    f.mx = q.mx * vel + (along_y ? 0.f : p);
    f.my = q.my * vel + (along_y ? p : 0.f);
    f.energy = (q.energy + p) * vel;
    return f;
}

/* kmutate launch
   struct Cell { float rho, mx, my, energy; };
   int nx = 1400, ny = 1000; dim3 block = { 64, 4 }; dim3 grid = { (nx + 63) / 64, (ny + 3) / 4 };
   struct Cell q[nx * ny] = uniform(1, 2); struct Cell star[nx * ny] = zeros();
   maccormack_predictor_structs(nx, ny, q, star, 0.1f);
*/
// MacCormack's predictor for Euler's equations on an array of structs, periodic by remainders, fluxes computed anew.
__global__ void maccormack_predictor_structs(int nx, int ny, const Cell *q, Cell *star, float lambda)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        Cell me = q[j * nx + i];
        Cell f0 = flux_of(me, 0), g0 = flux_of(me, 1);
        Cell f1 = flux_of(q[j * nx + (i + 1) % nx], 0);
        Cell g1 = flux_of(q[((j + 1) % ny) * nx + i], 1);
        Cell r;
        r.rho = me.rho - lambda * (f1.rho - f0.rho + g1.rho - g0.rho);
        r.mx = me.mx - lambda * (f1.mx - f0.mx + g1.mx - g0.mx);
        r.my = me.my - lambda * (f1.my - f0.my + g1.my - g0.my);
        r.energy = me.energy - lambda * (f1.energy - f0.energy + g1.energy - g0.energy);
        star[j * nx + i] = r;
    }
}

/* kmutate launch
   int n = 144; dim3 block = { 8, 8, 8 }; dim3 grid = { 18, 18, 18 };
   float u[n * n * n] = uniform(-6, 6); float v[n * n * n] = uniform(-6, 6); float w[n * n * n] = uniform(-6, 6);
   float d0[n * n * n] = uniform(0, 1); float d[n * n * n] = zeros();
   smoke_backtrace_cubes(n, 1.0f, u, v, w, d0, d);
*/
// Semi-Lagrangian smoke in cubes of 8 x 8 x 8 threads: back along the velocity, then eight corners.
__global__ void smoke_backtrace_cubes(int n, float dt, const float *u, const float *v, const float *w, const float *d0,
                                      float *d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    int id = (k * n + j) * n + i;
    float x = i - dt * u[id], y = j - dt * v[id], z = k - dt * w[id];
    if (x < 0.5f) x = 0.5f;
    if (x > n - 1.5f) x = n - 1.5f;
    if (y < 0.5f) y = 0.5f;
    if (y > n - 1.5f) y = n - 1.5f;
    if (z < 0.5f) z = 0.5f;
    if (z > n - 1.5f) z = n - 1.5f;
    int i0 = (int)x, j0 = (int)y, k0 = (int)z;
    float fx = x - i0, fy = y - j0, fz = z - k0;
    float result = 0;
    for (int c = 0; c < 2; c++)
        for (int b = 0; b < 2; b++)
            for (int a = 0; a < 2; a++)
                result += (a ? fx : 1 - fx) * (b ? fy : 1 - fy) * (c ? fz : 1 - fz) *
                          d0[((k0 + c) * n + j0 + b) * n + i0 + a];
    d[id] = result;
}

/* kmutate launch
   int nx = 300, ny = 180, nz = 90, n = nx * ny * nz; dim3 block = { 512 }; dim3 grid = { (n + 511) / 512 };
   double T[n] = uniform(0, 100); double T_new[n] = zeros(); int material[n] = randint(0, 5);
   double k[5] = { 400, 0.6, 0.024, 50, 237 }; double rho_c[5] = { 3.4e6, 4.2e6, 1200, 3.6e6, 2.4e6 };
   conduct_materials_flat(T, T_new, material, k, rho_c, nx, ny, nz, 1e-3, 1e-6);
*/
// Heat through five materials, doubles, one flat index taken apart by remainders, harmonic means at the faces.
__global__ void conduct_materials_flat(const double *T, double *T_new, const int *material, const double *k,
                                       const double *rho_c, int nx, int ny, int nz, double h, double dt)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= nx * ny * nz)
        return;
    int x = id % nx;
    int y = (id / nx) % ny;
    int z = id / (nx * ny);
    int m = material[id];
    double flux = 0;
    int offset[6] = { -1, 1, -nx, nx, -nx * ny, nx * ny };
    bool inside[6] = { x > 0, x < nx - 1, y > 0, y < ny - 1, z > 0, z < nz - 1 };
    for (int f = 0; f < 6; f++) {
        if (inside[f]) {
            int other = id + offset[f];
            double k1 = k[m], k2 = k[material[other]];
            flux += 2.0 * k1 * k2 / (k1 + k2) * (T[other] - T[id]);
        }
    }
    T_new[id] = T[id] + dt * flux / (rho_c[m] * h * h);
}

/* kmutate launch
   int n = 1000; dim3 block = { 32, 8 }; dim3 grid = { (n + 31) / 32, (n + 7) / 8 };
   double v[n * n] = uniform(-1, 1); double r[n * n] = uniform(-1, 1); double v2[n * n]; double r2[n * n];
   fitzhugh_periodic_nine(v, r, v2, r2, n, 0.02, 1.0);
*/
// FitzHugh and Nagumo's waves: nine points, periodic by modulo, reaction in doubles.
__global__ void fitzhugh_periodic_nine(const double *v, const double *r, double *v2, double *r2, int n, double dt, double D)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    double lap = -20.0 * v[y * n + x];
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0)
                continue;
            double weight = (dx == 0 || dy == 0) ? 4.0 : 1.0;
            lap += weight * v[((y + dy + n) % n) * n + (x + dx + n) % n];
        }
    lap /= 6.0;
    double a = v[y * n + x], b = r[y * n + x];
    v2[y * n + x] = a + dt * (D * lap + a - a * a * a / 3.0 - b + 0.3);
    r2[y * n + x] = b + dt * 0.08 * (a + 0.7 - 0.8 * b);
}

/* kmutate launch
   int points = 200000, triangles = 390000; dim3 block = { 256 }; dim3 grid = { (triangles + 255) / 256 };
   double2 xy[points] = uniform(0, 1); int3 tri[triangles] = randint(0, points); double u[points] = uniform(-1, 1);
   double res[points] = zeros(); double mass[points] = zeros();
   residual_triangles_p1(triangles, xy, tri, u, res, mass, 0.7);
*/
// Linear finite elements: a thread for a triangle, its 3 x 3 stiffness in local arrays, atomic adds of doubles.
__global__ void residual_triangles_p1(int triangles, const double2 *xy, const int3 *tri, const double *u, double *res,
                                      double *mass, double kappa)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= triangles)
        return;
    int node[3] = { tri[t].x, tri[t].y, tri[t].z };
    double x[3], y[3], b[3], c[3], ue[3];
    for (int a = 0; a < 3; a++) {
        x[a] = xy[node[a]].x;
        y[a] = xy[node[a]].y;
        ue[a] = u[node[a]];
    }
    for (int a = 0; a < 3; a++) {
        b[a] = y[(a + 1) % 3] - y[(a + 2) % 3];
        c[a] = x[(a + 2) % 3] - x[(a + 1) % 3];
    }
    double area = 0.5 * fabs(b[0] * c[1] - b[1] * c[0]) + 1e-12;
    for (int a = 0; a < 3; a++) {
        double r = 0;
        for (int k = 0; k < 3; k++) {
            double ke = kappa * (b[a] * b[k] + c[a] * c[k]) / (4 * area);
            r += ke * ue[k];
        }
        atomicAdd(&res[node[a]], r);
        atomicAdd(&mass[node[a]], area / 3);
    }
}

/* kmutate launch
   int elements = 12000; dim3 block = { 5, 5, 5 }; dim3 grid = elements;
   double q[elements * 125] = uniform(-1, 1); double rhs[elements * 125] = zeros();
   int neighbour[elements * 6] = randint(0, elements); double D[25] = uniform(-1, 1); double lift = 12.5;
   galerkin_advection_fives(q, rhs, neighbour, D, lift, 1.0, 0.5, -0.25);
*/
// Discontinuous Galerkin advection: a block of 125 threads for an element, three derivatives, upwind faces of six.
__global__ void galerkin_advection_fives(const double *q, double *rhs, const int *neighbour, const double *D, double lift,
                                         double ax, double ay, double az)
{
    __shared__ double s[5][5][5];
    __shared__ double d[5][5];
    int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
    int n = (k * 5 + j) * 5 + i;
    size_t base = (size_t)blockIdx.x * 125;
    s[k][j][i] = q[base + n];
    if (k == 0)
        d[j][i] = D[j * 5 + i];
    __syncthreads();
    double dx = 0, dy = 0, dz = 0;
    for (int m = 0; m < 5; m++) {
        dx += d[i][m] * s[k][j][m];
        dy += d[j][m] * s[k][m][i];
        dz += d[k][m] * s[m][j][i];
    }
    double r = -(ax * dx + ay * dy + az * dz);
    double speed[3] = { ax, ay, az };
    int place[3] = { i, j, k };
    int stride[3] = { 1, 5, 25 };
    for (int axis = 0; axis < 3; axis++) {
        if (place[axis] == 0 && speed[axis] > 0) {
            double there = q[(size_t)neighbour[blockIdx.x * 6 + axis * 2] * 125 + n + 4 * stride[axis]];
            r += lift * speed[axis] * (there - s[k][j][i]);
        }
        if (place[axis] == 4 && speed[axis] < 0) {
            double there = q[(size_t)neighbour[blockIdx.x * 6 + axis * 2 + 1] * 125 + n - 4 * stride[axis]];
            r -= lift * speed[axis] * (there - s[k][j][i]);
        }
    }
    rhs[base + n] = r;
}

/* kmutate launch
   int nx = 512, ny = 96, nz = 128; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4 };
   float out[nx * ny * nz] = zeros(); float in[nx * ny * nz] = uniform(0, 1);
   box27_three_planes(out, in, nx, ny, nz, 0.5f, 0.1f, 0.05f, 0.025f);
*/
// 27 points, planes walked along z with three of them in shared memory, turning round, halo columns by extra threads.
__global__ void box27_three_planes(float *out, const float *in, int nx, int ny, int nz, float c0, float c1, float c2, float c3)
{
    __shared__ float plane[3][6][66];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * 64 + tx, j = blockIdx.y * 4 + ty;
    int tid = ty * 64 + tx;
    for (int z = 0; z < nz + 1; z++) {
        int slot = z % 3;
        if (z < nz)
            for (int c = tid; c < 6 * 66; c += 256) {
                int gy = min(max((int)blockIdx.y * 4 + c / 66 - 1, 0), ny - 1);
                int gx = min(max((int)blockIdx.x * 64 + c % 66 - 1, 0), nx - 1);
                plane[slot][c / 66][c % 66] = in[(z * ny + gy) * nx + gx];
            }
        __syncthreads();
        if (z >= 2 && z < nz) {
            float sum = 0;
#pragma unroll
            for (int dz = -1; dz <= 1; dz++) {
                const float(*p)[66] = plane[(z - 1 + dz) % 3];
#pragma unroll
                for (int dy = -1; dy <= 1; dy++)
#pragma unroll
                    for (int dx = -1; dx <= 1; dx++) {
                        int far = abs(dx) + abs(dy) + abs(dz);
                        float c = far == 0 ? c0 : far == 1 ? c1 : far == 2 ? c2 : c3;
                        sum += c * p[ty + 1 + dy][tx + 1 + dx];
                    }
            }
            out[((z - 1) * ny + j) * nx + i] = sum;
        }
        __syncthreads();
    }
}

// ------------------------------------------------------------------------------- particles, chemistry, chance, prices

/* kmutate launch
   int atoms = 64000, most = 40; dim3 block = { 128 }; dim3 grid = { (atoms + 127) / 128 };
   double x[atoms * 3] = uniform(0, 36); double f[atoms * 3] = zeros(); int count[atoms] = randint(20, 41);
   int list[atoms * most] = randint(0, atoms); double energy[1] = zeros();
   lj_half_lists_atomic(atoms, most, x, f, count, list, 36.0, 900.0, energy);
*/
// Lennard-Jones by half lists in doubles: the third law by atomic adds to the neighbour, nearest image by rint.
__global__ void lj_half_lists_atomic(int atoms, int most, const double *x, double *f, const int *count, const int *list,
                                     double box, double cut2, double *energy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms)
        return;
    double xi = x[3 * i], yi = x[3 * i + 1], zi = x[3 * i + 2];
    double fx = 0, fy = 0, fz = 0, e = 0;
    for (int n = 0; n < count[i]; n++) {
        int j = list[i * most + n];
        double dx = xi - x[3 * j], dy = yi - x[3 * j + 1], dz = zi - x[3 * j + 2];
        dx -= box * rint(dx / box);
        dy -= box * rint(dy / box);
        dz -= box * rint(dz / box);
        double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut2 && r2 > 1e-3) {
            double ir2 = 1.0 / r2;
            double ir6 = ir2 * ir2 * ir2;
            double s = 24.0 * ir6 * (2.0 * ir6 - 1.0) * ir2;
            e += 4.0 * ir6 * (ir6 - 1.0);
            fx += s * dx;
            fy += s * dy;
            fz += s * dz;
            atomicAdd(&f[3 * j], -s * dx);
            atomicAdd(&f[3 * j + 1], -s * dy);
            atomicAdd(&f[3 * j + 2], -s * dz);
        }
    }
    atomicAdd(&f[3 * i], fx);
    atomicAdd(&f[3 * i + 1], fy);
    atomicAdd(&f[3 * i + 2], fz);
    atomicAdd(energy, e);
}

/* kmutate launch
   int n = 1000000, side = 40, room = 64; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float4 pos[n] = uniform(0, 40); int count[side * side * side] = zeros(); int slots[side * side * side * room] = zeros();
   bin_particles_slots(n, side, room, pos, count, slots);
*/
// Particles into cells: each takes a slot of its cell by an atomic counter, what finds no room is left out.
__global__ void bin_particles_slots(int n, int side, int room, const float4 *pos, int *count, int *slots)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    float4 r = pos[p];
    int cx = min((int)r.x, side - 1), cy = min((int)r.y, side - 1), cz = min((int)r.z, side - 1);
    int cell = (cz * side + cy) * side + cx;
    int slot = atomicAdd(&count[cell], 1);
    if (slot < room)
        slots[cell * room + slot] = p;
}

__device__ unsigned hash_step(unsigned &state)
{
    state = state * 747796405u + 2891336453u;
    unsigned w = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (w >> 22) ^ w;
}

/* kmutate launch
   int L = 2048, half_sites = L * L / 2; dim3 block = { 256 }; dim3 grid = { half_sites / 256 };
   int spin[L * L] = randint(0, 7); unsigned seeds[half_sites] = randint(1, 1u << 31);
   potts_heatbath_half(L, 0, 1.1f, spin, seeds);
*/
// Potts' model with seven states: heat bath over one colour of the board, weights in a local array, a walk to the choice.
__global__ void potts_heatbath_half(int L, int parity, float beta, int *spin, unsigned *seeds)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int row = t / (L / 2);
    int col = 2 * (t % (L / 2)) + ((row + parity) & 1);
    int same[7] = { 0, 0, 0, 0, 0, 0, 0 };
    same[spin[((row + 1) % L) * L + col]]++;
    same[spin[((row + L - 1) % L) * L + col]]++;
    same[spin[row * L + (col + 1) % L]]++;
    same[spin[row * L + (col + L - 1) % L]]++;
    float weight[7], total = 0;
    for (int q = 0; q < 7; q++) {
        weight[q] = expf(beta * same[q]);
        total += weight[q];
    }
    unsigned state = seeds[t];
    float r = hash_step(state) * 2.3283064e-10f * total;
    int q = 0;
    while (q < 6 && r > weight[q]) {
        r -= weight[q];
        q++;
    }
    spin[row * L + col] = q;
    seeds[t] = state;
}

/* kmutate launch
   int paths = 65536, steps = 128; dim3 block = { 128 }; dim3 grid = { paths / 128 };
   double sum[paths / 128] = zeros(); double sum2[paths / 128] = zeros();
   lookback_antithetic_block_sums(paths, steps, 100.0, 0.03, 0.25, 1.0, 1234u, sum, sum2);
*/
// A floating lookback call: Box-Muller pairs, antithetic paths in doubles, sums of each block in shared memory.
__global__ void lookback_antithetic_block_sums(int paths, int steps, double S0, double r, double sigma, double T, unsigned seed,
                                               double *sum, double *sum2)
{
    __shared__ double s1[128], s2[128];
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seed ^ (id * 2654435761u);
    double dt = T / steps;
    double drift = (r - 0.5 * sigma * sigma) * dt, vol = sigma * sqrt(dt);
    double up = S0, down = S0, low_up = S0, low_down = S0;
    for (int i = 0; i < steps; i += 2) {
        double u1 = (hash_step(state) + 1.0) / 4294967297.0;
        double u2 = hash_step(state) / 4294967296.0;
        double radius = sqrt(-2.0 * log(u1));
        double z[2] = { radius * cos(6.283185307179586 * u2), radius * sin(6.283185307179586 * u2) };
        for (int k = 0; k < 2; k++) {
            up *= exp(drift + vol * z[k]);
            down *= exp(drift - vol * z[k]);
            low_up = min(low_up, up);
            low_down = min(low_down, down);
        }
    }
    double payoff = exp(-r * T) * 0.5 * ((up - low_up) + (down - low_down));
    s1[threadIdx.x] = payoff;
    s2[threadIdx.x] = payoff * payoff;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            s1[threadIdx.x] += s1[threadIdx.x + s];
            s2[threadIdx.x] += s2[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sum[blockIdx.x] = s1[0];
        sum2[blockIdx.x] = s2[0];
    }
}

/* kmutate launch
   int paths = 40000, step = 30; dim3 block = { 256 }; dim3 grid = { (paths + 255) / 256 };
   float S[paths * 51] = uniform(60, 140); float cash[paths] = uniform(0, 40); float moments[9] = zeros();
   american_regression_sums(paths, step, 51, S, cash, 100.f, 0.9995f, moments);
*/
// Longstaff and Schwartz: sums for the regression on 1, S and S squared over the paths in the money, column of a table.
__global__ void american_regression_sums(int paths, int step, int columns, const float *S, const float *cash, float K,
                                         float discount, float *moments)
{
    __shared__ float part[8][8];
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float v[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    if (p < paths) {
        float s = S[p * columns + step] / K;
        if (s < 1.f) {
            float y = discount * cash[p];
            v[0] = 1.f;
            v[1] = s;
            v[2] = s * s;
            v[3] = s * s * s;
            v[4] = s * s * s * s;
            v[5] = y;
            v[6] = y * s;
            v[7] = y * s * s;
        }
    }
    for (int m = 0; m < 8; m++) {
        for (int o = 16; o > 0; o >>= 1)
            v[m] += __shfl_down_sync(0xffffffff, v[m], o);
        if (threadIdx.x % 32 == 0)
            part[threadIdx.x / 32][m] = v[m];
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        float total = 0;
        for (int w = 0; w < 8; w++)
            total += part[w][threadIdx.x];
        atomicAdd(&moments[threadIdx.x], total);
    }
}


/* kmutate launch
   int cells = 200000, reactions = 24; dim3 block = { 64 }; dim3 grid = { (cells + 63) / 64 };
   double A[24] = uniform(1e3, 1e6); double b[24] = uniform(-1, 2); double Ea[24] = uniform(1e3, 2e5);
   int4 who[24] = randint(0, 9); double T[cells] = uniform(800, 2500); double conc[cells * 9] = uniform(0, 1);
   double rate[cells * 9] = zeros();
   arrhenius_production(cells, reactions, A, b, Ea, who, T, conc, rate);
*/
// Production rates of nine species by 24 reversible reactions: pow and exp in doubles, indices into local arrays.
__global__ void arrhenius_production(int cells, int reactions, const double *A, const double *b, const double *Ea,
                                     const int4 *who, const double *T, const double *conc, double *rate)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells)
        return;
    double y[9], w[9];
    for (int s = 0; s < 9; s++) {
        y[s] = conc[c * 9 + s];
        w[s] = 0;
    }
    double temp = T[c];
    for (int r = 0; r < reactions; r++) {
        int4 m = who[r];
        double kf = A[r] * pow(temp, b[r]) * exp(-Ea[r] / (8.314 * temp));
        double kr = kf * exp(-2.0e4 / (8.314 * temp));
        double q = kf * y[m.x] * y[m.y] - kr * y[m.z] * y[m.w];
        w[m.x] -= q;
        w[m.y] -= q;
        w[m.z] += q;
        w[m.w] += q;
    }
    for (int s = 0; s < 9; s++)
        rate[c * 9 + s] = w[s];
}

/* kmutate launch
   int photons = 500000; dim3 block = { 256 }; dim3 grid = { (photons + 255) / 256 };
   float energy[photons] = uniform(0.02, 3); float cosine[photons] = zeros(); unsigned seeds[photons] = randint(1, 1u << 31);
   compton_by_rejection(photons, energy, cosine, seeds);
*/
// Compton scattering: Klein and Nishina's angle by Kahn's rejection, loops of as many turns as chance wants.
__global__ void compton_by_rejection(int photons, float *energy, float *cosine, unsigned *seeds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= photons)
        return;
    unsigned state = seeds[i];
    float k = energy[i] / 0.511f;
    float eta, x;
    for (int tries = 0; tries < 1000; tries++) {
        float r1 = hash_step(state) * 2.3283064e-10f;
        float r2 = hash_step(state) * 2.3283064e-10f;
        float r3 = hash_step(state) * 2.3283064e-10f;
        if (r1 <= (1 + 2 * k) / (9 + 2 * k)) {
            eta = 1 + 2 * k * r2;
            x = 1 - (eta - 1) / k;
            if (r3 <= 4 * (1 / eta - 1 / (eta * eta)))
                break;
        } else {
            eta = (1 + 2 * k) / (1 + 2 * k * r2);
            x = 1 - (eta - 1) / k;
            if (r3 <= 0.5f * (x * x + 1 / eta))
                break;
        }
    }
    cosine[i] = x;
    energy[i] = energy[i] / eta;
    seeds[i] = state;
}

/* kmutate launch
   int cells = 4096, partners = 189; dim3 block = { 64 }; dim3 grid = cells;
   float3 centre[cells] = uniform(0, 16); int list[cells * partners] = randint(0, cells);
   float multipole[cells * 10] = uniform(-1, 1); float local[cells * 10] = zeros();
   multipole_to_local_second(cells, partners, centre, list, multipole, local);
*/
// Multipole to local to second order: a block for a cell, its 189 partners shared out, ten sums reduced by shuffles.
__global__ void multipole_to_local_second(int cells, int partners, const float3 *centre, const int *list,
                                          const float *multipole, float *local)
{
    __shared__ float part[2][10];
    int cell = blockIdx.x;
    float3 c = centre[cell];
    float L[10];
    for (int i = 0; i < 10; i++)
        L[i] = 0.f;
    for (int p = threadIdx.x; p < partners; p += blockDim.x) {
        int other = list[cell * partners + p];
        float3 o = centre[other];
        float x = c.x - o.x, y = c.y - o.y, z = c.z - o.z;
        float r2 = x * x + y * y + z * z + 0.01f;
        float inv = rsqrtf(r2), inv2 = inv * inv;
        float g0 = inv, g1 = -g0 * inv2, g2 = -3 * g1 * inv2;
        const float *M = multipole + other * 10;
        float m0 = M[0], mx = M[1], my = M[2], mz = M[3];
        float trace = M[4] + M[7] + M[9];
        float quad = M[4] * x * x + M[7] * y * y + M[9] * z * z + 2 * (M[5] * x * y + M[6] * x * z + M[8] * y * z);
        float dip = mx * x + my * y + mz * z;
        L[0] += m0 * g0 - dip * g1 + 0.5f * (quad * g2 + trace * g1);
        L[1] += m0 * g1 * x - mx * g1 - dip * g2 * x;
        L[2] += m0 * g1 * y - my * g1 - dip * g2 * y;
        L[3] += m0 * g1 * z - mz * g1 - dip * g2 * z;
        L[4] += m0 * (g2 * x * x + g1);
        L[5] += m0 * g2 * x * y;
        L[6] += m0 * g2 * x * z;
        L[7] += m0 * (g2 * y * y + g1);
        L[8] += m0 * g2 * y * z;
        L[9] += m0 * (g2 * z * z + g1);
    }
#pragma unroll
    for (int i = 0; i < 10; i++) {
        for (int o = 16; o; o >>= 1)
            L[i] += __shfl_xor_sync(0xffffffffu, L[i], o);
        if ((threadIdx.x & 31) == 0)
            part[threadIdx.x >> 5][i] = L[i];
    }
    __syncthreads();
    if (threadIdx.x < 10)
        local[cell * 10 + threadIdx.x] = part[0][threadIdx.x] + part[1][threadIdx.x];
}

/* kmutate launch
   int atoms = 9000; dim3 block = { 96 }; dim3 grid = { (atoms + 95) / 96 };
   float4 atom[atoms] = uniform(1, 40); float born[atoms] = zeros();
   born_radii_pairs(atoms, atom, born);
*/
// Generalised Born radii over all pairs: tiles of 96 atoms, branches by how two spheres lie, logarithms and reciprocals.
__global__ void born_radii_pairs(int atoms, const float4 *atom, float *born)
{
    __shared__ float4 tile[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    float4 me = atom[min(i, atoms - 1)];
    float ri = 0.02f * me.w + 0.8f;
    float sum = 0.f;
    for (int j0 = 0; j0 < atoms; j0 += 96) {
        int j = j0 + threadIdx.x;
        tile[threadIdx.x] = atom[j < atoms ? j : atoms - 1];
        __syncthreads();
        int stop = min(96, atoms - j0);
        for (int t = 0; t < stop; t++) {
            if (j0 + t == i)
                continue;
            float4 o = tile[t];
            float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
            float r = sqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            float s = 0.016f * o.w + 0.6f;
            if (r + s > ri) {
                float lower = r - s > ri ? 1.f / (r - s) : 1.f / ri;
                float upper = 1.f / (r + s);
                float l2 = lower * lower, u2 = upper * upper;
                sum += lower - upper + 0.25f * r * (u2 - l2) + 0.5f / r * logf(upper / lower) + 0.25f * s * s / r * (l2 - u2);
                if (ri < s - r)
                    sum += 2.f * (1.f / ri - lower);
            }
        }
        __syncthreads();
    }
    if (i < atoms)
        born[i] = 1.f / (1.f / ri - 0.5f * sum);
}

/* kmutate launch
   int atoms = 12288, bins = 500; dim3 block = { 128 }; dim3 grid = { atoms / 128, 12 }; int smem = bins * sizeof(unsigned);
   float x[atoms] = uniform(0, 50); float y[atoms] = uniform(0, 50); float z[atoms] = uniform(0, 50);
   unsigned long long g[bins] = zeros();
   pair_distances_histogram(atoms, bins, x, y, z, 50.f, 20.f, g);
*/
// The radial distribution: distances of all pairs into 500 counters in dynamic shared memory, then 64-bit atomics.
__global__ void pair_distances_histogram(int atoms, int bins, const float *x, const float *y, const float *z, float box,
                                         float furthest, unsigned long long *g)
{
    extern __shared__ unsigned counts[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        counts[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int per = atoms / gridDim.y;
    float xi = x[i], yi = y[i], zi = z[i];
    float half_box = 0.5f * box;
    for (int j = blockIdx.y * per; j < (blockIdx.y + 1) * per; j++) {
        float dx = fabsf(xi - x[j]), dy = fabsf(yi - y[j]), dz = fabsf(zi - z[j]);
        if (dx > half_box) dx = box - dx;
        if (dy > half_box) dy = box - dy;
        if (dz > half_box) dz = box - dz;
        float r = sqrtf(dx * dx + dy * dy + dz * dz);
        if (r < furthest && j != i)
            atomicAdd(&counts[(int)(r / furthest * bins)], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (counts[b])
            atomicAdd(&g[b], (unsigned long long)counts[b]);
}

/* kmutate launch
   int options = 20000; dim3 block = { 128 }; dim3 grid = { (options + 127) / 128 };
   float S[options] = uniform(80, 120); float K[options] = uniform(80, 120); float T[options] = uniform(0.1, 2);
   float sigma[options] = uniform(0.1, 0.6); float price[options] = zeros();
   american_put_tree_by_thread(options, S, K, T, sigma, 0.04f, price);
*/
// American puts on a tree of 64 steps, one option to a thread, the layer in a local array.
__global__ void american_put_tree_by_thread(int options, const float *S, const float *K, const float *T, const float *sigma,
                                            float r, float *price)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= options)
        return;
    const int N = 64;
    float v[N + 1];
    float dt = T[o] / N;
    float u = expf(sigma[o] * sqrtf(dt)), d = 1 / u;
    float p = (expf(r * dt) - d) / (u - d);
    float disc = expf(-r * dt);
    for (int i = 0; i <= N; i++)
        v[i] = fmaxf(K[o] - S[o] * powf(u, 2 * i - N), 0.f);
    for (int n = N - 1; n >= 0; n--)
        for (int i = 0; i <= n; i++) {
            float hold = disc * (p * v[i + 1] + (1 - p) * v[i]);
            float now = K[o] - S[o] * powf(u, 2 * i - n);
            v[i] = hold > now ? hold : now;
        }
    price[o] = v[0];
}

// ----------------------------------------------------------------------------------------------- images and signals

/* kmutate launch
   int w = 1920, h = 1080; dim3 block = { 16, 16 }; dim3 grid = { (w + 15) / 16, (h + 15) / 16 };
   uchar4 in[w * h] = randint(0, 256); uchar4 out[w * h] = zeros(); float kernel[49] = uniform(0, 0.04);
   blur_rgba_seven_naive(in, out, w, h, kernel);
*/
// A 7 x 7 blur of RGBA bytes as first written: clamped neighbours, weights from global memory.
__global__ void blur_rgba_seven_naive(const uchar4 *in, uchar4 *out, int w, int h, const float *kernel)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float r = 0, g = 0, b = 0;
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            int sx = min(max(x + dx, 0), w - 1);
            int sy = min(max(y + dy, 0), h - 1);
            uchar4 p = in[sy * w + sx];
            float k = kernel[(dy + 3) * 7 + dx + 3];
            r += k * p.x;
            g += k * p.y;
            b += k * p.z;
        }
    }
    out[y * w + x] = make_uchar4(min(r, 255.f), min(g, 255.f), min(b, 255.f), in[y * w + x].w);
}

/* kmutate launch
   int w = 1024, h = 768; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   float3 in[w * h] = uniform(0, 1); float3 out[w * h] = zeros();
   kuwahara_four_quadrants(w, h, 3, in, out);
*/
// Kuwahara's filter: mean and variance of four overlapping quadrants, the calmest one's mean is taken.
__global__ void kuwahara_four_quadrants(int w, int h, int radius, const float3 *in, float3 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float best = 1e30f;
    float3 result = in[y * w + x];
    for (int q = 0; q < 4; q++) {
        int x0 = (q & 1) ? x : x - radius;
        int y0 = (q & 2) ? y : y - radius;
        float3 mean = make_float3(0, 0, 0);
        float sq = 0;
        int n = 0;
        for (int yy = y0; yy <= y0 + radius; yy++)
            for (int xx = x0; xx <= x0 + radius; xx++) {
                if (xx < 0 || yy < 0 || xx >= w || yy >= h)
                    continue;
                float3 c = in[yy * w + xx];
                mean.x += c.x;
                mean.y += c.y;
                mean.z += c.z;
                sq += c.x * c.x + c.y * c.y + c.z * c.z;
                n++;
            }
        mean.x /= n;
        mean.y /= n;
        mean.z /= n;
        float var = sq / n - (mean.x * mean.x + mean.y * mean.y + mean.z * mean.z);
        if (var < best) {
            best = var;
            result = mean;
        }
    }
    out[y * w + x] = result;
}

/* kmutate launch
   int n = 90000; dim3 grid = 1, block = { 256 };
   unsigned char img[n] = randint(0, 256); int threshold[1] = zeros();
   otsu_one_block(img, n, threshold);
*/
// Otsu's threshold of a small picture by one block: histogram, scans of counts and sums, the greatest variance.
__global__ void otsu_one_block(const unsigned char *img, int n, int *threshold)
{
    __shared__ int hist[256];
    __shared__ float weight[256], moment[256], best[256];
    __shared__ int where[256];
    int t = threadIdx.x;
    hist[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256)
        atomicAdd(&hist[img[i]], 1);
    __syncthreads();
    weight[t] = hist[t];
    moment[t] = (float)hist[t] * t;
    __syncthreads();
    for (int o = 1; o < 256; o *= 2) {
        float a = t >= o ? weight[t - o] : 0.f;
        float b = t >= o ? moment[t - o] : 0.f;
        __syncthreads();
        weight[t] += a;
        moment[t] += b;
        __syncthreads();
    }
    float w0 = weight[t], w1 = n - w0;
    float variance = 0;
    if (w0 > 0 && w1 > 0) {
        float d = moment[t] / w0 - (moment[255] - moment[t]) / w1;
        variance = w0 * w1 * d * d;
    }
    best[t] = variance;
    where[t] = t;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s && best[t + s] > best[t]) {
            best[t] = best[t + s];
            where[t] = where[t + s];
        }
        __syncthreads();
    }
    if (t == 0)
        *threshold = where[0];
}

__device__ int root_of(volatile int *label, int p)
{
    int up = label[p];
    while (up != p) {
        p = up;
        up = label[p];
    }
    return p;
}

/* kmutate launch
   int w = 1280, h = 960; dim3 block = { 32, 4 }; dim3 grid = { w / 32, h / 4 };
   unsigned char img[w * h] = randint(0, 3); int label[w * h] = iota();
   label_pixels_union(w, h, img, label);
*/
// Labels of a picture's regions: each pixel joins its tree with the left one's and the upper one's by atomicMin.
__global__ void label_pixels_union(int w, int h, const unsigned char *img, int *label)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int p = y * w + x;
    for (int side = 0; side < 2; side++) {
        int q = side == 0 ? p - 1 : p - w;
        if (side == 0 ? x == 0 : y == 0)
            continue;
        if (img[q] != img[p])
            continue;
        int a = root_of(label, p), b = root_of(label, q);
        while (a != b) {
            if (a < b) {
                int swap = a;
                a = b;
                b = swap;
            }
            int old = atomicMin(&label[a], b);
            if (old == a)
                break;
            a = old;
        }
    }
}

/* kmutate launch
   int w = 2048, h = 2048; dim3 block = { 32, 32 }; dim3 grid = { w / 32, h / 32 };
   unsigned char in[w * h] = randint(0, 2); unsigned char out[w * h] = zeros(); int changed[1] = zeros();
   thinning_pass_bytes(in, out, w, h, 0, changed);
*/
// Zhang and Suen's thinning: a pass over pixels of bytes with all its conditions, and a flag that something changed.
__global__ void thinning_pass_bytes(const unsigned char *in, unsigned char *out, int w, int h, int pass, int *changed)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int id = y * w + x;
    unsigned char me = in[id];
    if (me && x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int p[8] = { in[id - w], in[id - w + 1], in[id + 1], in[id + w + 1], in[id + w], in[id + w - 1], in[id - 1], in[id - w - 1] };
        int count = 0, turns = 0;
        for (int k = 0; k < 8; k++) {
            count += p[k];
            if (p[k] == 0 && p[(k + 1) % 8] == 1)
                turns++;
        }
        int m1 = pass == 0 ? p[0] * p[2] * p[4] : p[0] * p[2] * p[6];
        int m2 = pass == 0 ? p[2] * p[4] * p[6] : p[0] * p[4] * p[6];
        if (count >= 2 && count <= 6 && turns == 1 && m1 == 0 && m2 == 0) {
            me = 0;
            *changed = 1;
        }
    }
    out[id] = me;
}

/* kmutate launch
   int n = 512, angles = 360, bins = 729; dim3 block = { 128 }; dim3 grid = { (bins + 127) / 128, angles };
   float img[n * n] = uniform(0, 1); float sino[angles * bins] = zeros();
   radon_rays_bilinear(img, sino, n, angles, bins);
*/
// Radon's transform: a thread for a ray, a step of one pixel along it, bilinear, what lies outside counts nothing.
__global__ void radon_rays_bilinear(const float *img, float *sino, int n, int angles, int bins)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    int a = blockIdx.y;
    if (s >= bins)
        return;
    float theta = a * 3.14159265f / angles;
    float c = cosf(theta), sn = sinf(theta);
    float off = s - 0.5f * (bins - 1);
    float sum = 0;
    for (int k = 0; k < bins; k++) {
        float t = k - 0.5f * (bins - 1);
        float x = off * c - t * sn + 0.5f * (n - 1);
        float y = off * sn + t * c + 0.5f * (n - 1);
        if (x < 0 || y < 0 || x >= n - 1 || y >= n - 1)
            continue;
        int xi = (int)x, yi = (int)y;
        float fx = x - xi, fy = y - yi;
        float top = img[yi * n + xi] * (1 - fx) + img[yi * n + xi + 1] * fx;
        float low = img[(yi + 1) * n + xi] * (1 - fx) + img[(yi + 1) * n + xi + 1] * fx;
        sum += top * (1 - fy) + low * fy;
    }
    sino[a * bins + s] = sum;
}

/* kmutate launch
   int frames = 3000, bins = 513, mels = 80; dim3 block = { 80 }; dim3 grid = frames;
   float2 spectrum[frames * bins] = uniform(-1, 1); float out[frames * mels] = zeros();
   float edges[mels + 2] = ascending(0, 512);
   mel_bands_log(frames, bins, mels, spectrum, edges, out);
*/
// Logarithms of mel bands: power of a frame into shared memory, then a thread for each triangle, of uneven widths.
__global__ void mel_bands_log(int frames, int bins, int mels, const float2 *spectrum, const float *edges, float *out)
{
    __shared__ float power[520];
    int f = blockIdx.x;
    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        float2 z = spectrum[f * bins + b];
        power[b] = z.x * z.x + z.y * z.y;
    }
    __syncthreads();
    int m = threadIdx.x;
    if (m >= mels)
        return;
    float lo = edges[m], mid = edges[m + 1], hi = edges[m + 2];
    float sum = 0.f;
    for (int b = (int)lo; b <= (int)hi && b < bins; b++) {
        float up = (b - lo) / (mid - lo + 1e-3f);
        float down = (hi - b) / (hi - mid + 1e-3f);
        sum += fmaxf(0.f, fminf(up, down)) * power[b];
    }
    out[f * mels + m] = log10f(fmaxf(sum, 1e-10f));
}

/* kmutate launch
   int frames = 2000; dim3 block = { 160 }; dim3 grid = frames;
   float signal[frames * 160 + 320] = uniform(-1, 1); float lpc[frames * 17] = zeros(); float gain[frames] = zeros();
   linear_prediction_frames(signal, lpc, gain);
*/
// Linear prediction of order 16: a window of 320 and its autocorrelation by the block, Levinson and Durbin by one thread.
__global__ void linear_prediction_frames(const float *signal, float *lpc, float *gain)
{
    __shared__ float x[320];
    __shared__ float r[17];
    __shared__ float a[17], next[17];
    int t = threadIdx.x;
    for (int i = t; i < 320; i += blockDim.x)
        x[i] = signal[blockIdx.x * 160 + i] * (0.54f - 0.46f * cosf(6.2831853f * i / 319));
    if (t < 17)
        r[t] = 0.f;
    __syncthreads();
    int warp = t / 32, lane = t % 32;
    for (int lag = warp; lag <= 16; lag += 5) {
        float s = 0;
        for (int i = lane; i < 320 - lag; i += 32)
            s += x[i] * x[i + lag];
        for (int o = 16; o; o /= 2)
            s += __shfl_down_sync(~0u, s, o);
        if (lane == 0)
            r[lag] = s;
    }
    __syncthreads();
    if (t == 0) {
        float err = r[0] + 1e-9f;
        a[0] = 1.f;
        for (int i = 1; i <= 16; i++) {
            float acc = r[i];
            for (int j = 1; j < i; j++)
                acc += a[j] * r[i - j];
            float k = -acc / err;
            for (int j = 1; j < i; j++)
                next[j] = a[j] + k * a[i - j];
            for (int j = 1; j < i; j++)
                a[j] = next[j];
            a[i] = k;
            err *= 1 - k * k;
        }
        gain[blockIdx.x] = sqrtf(fabsf(err));
    }
    __syncthreads();
    if (t < 17)
        lpc[blockIdx.x * 17 + t] = a[t];
}

/* kmutate launch
   int bits = 22, n = 1 << bits; dim3 block = { 256 }; dim3 grid = { n / 256 };
   double2 in[n] = uniform(-1, 1); double2 out[n] = zeros();
   bit_reversed_complex(in, out, bits);
*/
// Complex doubles into bit-reversed places, coalesced reads and scattered writes.
__global__ void bit_reversed_complex(const double2 *in, double2 *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned j = __brev(i) >> (32 - bits);
    out[j] = in[i];
}

/* kmutate launch
   int w = 1242, h = 375, points = 2500; dim3 block = { 32, 4 }; dim3 grid = { (points + 3) / 4 };
   unsigned char img[w * h] = randint(0, 256); float2 at[points] = uniform(20, 350); float angle[points] = uniform(-3.1, 3.1);
   char4 tests[256] = randint(-12, 13); unsigned code[points * 8] = zeros();
   binary_descriptors_ballot(w, h, points, img, at, angle, tests, code);
*/
// Binary descriptors: a warp for a key point, 256 rotated comparisons of two pixels, eight ballots.
__global__ void binary_descriptors_ballot(int w, int h, int points, const unsigned char *img, const float2 *at,
                                          const float *angle, const char4 *tests, unsigned *code)
{
    int k = blockIdx.x * 4 + threadIdx.y;
    if (k >= points)
        return;
    float s, c;
    sincosf(angle[k], &s, &c);
    float2 p = at[k];
    for (int round = 0; round < 8; round++) {
        char4 t = tests[round * 32 + threadIdx.x];
        int x0 = (int)rintf(p.x + c * t.x - s * t.y), y0 = (int)rintf(p.y + s * t.x + c * t.y);
        int x1 = (int)rintf(p.x + c * t.z - s * t.w), y1 = (int)rintf(p.y + s * t.z + c * t.w);
        bool less = img[y0 * w + x0] < img[y1 * w + x1];
        unsigned word = __ballot_sync(0xffffffffu, less);
        if (threadIdx.x == round)
            code[k * 8 + round] = word;
    }
}

/* kmutate launch
   int w = 1600, h = 1200; dim3 block = { 8, 8 }; dim3 grid = { w / 8, h / 8 };
   float img[w * h] = uniform(0, 255); float cells[(w / 8) * (h / 8) * 9] = zeros();
   gradient_cells_nine(img, cells, w, h);
*/
// Histograms of gradients: a block for a cell of 8 x 8, votes shared between two bins by atomics on shared floats.
__global__ void gradient_cells_nine(const float *img, float *cells, int w, int h)
{
    __shared__ float bin[9];
    int tid = threadIdx.y * 8 + threadIdx.x;
    if (tid < 9)
        bin[tid] = 0;
    __syncthreads();
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float gx = img[y * w + min(x + 1, w - 1)] - img[y * w + max(x - 1, 0)];
    float gy = img[min(y + 1, h - 1) * w + x] - img[max(y - 1, 0) * w + x];
    float mag = sqrtf(gx * gx + gy * gy);
    float ang = atan2f(gy, gx) * 57.29578f;
    if (ang < 0)
        ang += 180;
    float pos = ang / 20 - 0.5f;
    int low = (int)floorf(pos);
    float frac = pos - low;
    atomicAdd(&bin[(low + 9) % 9], mag * (1 - frac));
    atomicAdd(&bin[(low + 10) % 9], mag * frac);
    __syncthreads();
    if (tid < 9) {
        int cell = blockIdx.y * gridDim.x + blockIdx.x;
        cells[cell * 9 + tid] = bin[tid];
    }
}

// ------------------------------------------------------------------- tables, texts, genes, ciphers, sorting

/* kmutate launch
   int n = 800000, buckets = 1 << 20; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   unsigned key[n] = randint(0, 1u << 31); int head[buckets] = fill(-1); int next[n] = zeros();
   chains_build_exchange(n, key, head, next, buckets - 1);
*/
// A hash join's build: rows are put in front of their bucket's chain by an atomic exchange.
__global__ void chains_build_exchange(int n, const unsigned *key, int *head, int *next, unsigned mask)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        unsigned h = key[row];
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        next[row] = atomicExch(&head[h & mask], row);
    }
}

/* kmutate launch
   int packets = 2000000, chunks = 3000; dim3 block = { 256 }; dim3 grid = { (packets + 255) / 256 };
   unsigned address[packets] = randint(0, 4294967295u); short first[1 << 24] = randint(-3000, 8000);
   short second[chunks * 256] = randint(0, 8000); short port[packets] = zeros();
   route_lookup_two_level(packets, address, first, second, chunks, port);
*/
// Longest prefixes of addresses: a table of 2^24 entries of two bytes, for some of them a second of 256.
__global__ void route_lookup_two_level(int packets, const unsigned *address, const short *first, const short *second, int chunks,
                                       short *port)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= packets)
        return;
    unsigned a = address[p];
    short hop = first[a >> 8];
    if (hop < 0)
        hop = second[(-hop % chunks) * 256 + (a & 255)];
    port[p] = hop;
}

/* kmutate launch
   int fields = 600000; dim3 block = { 128 }; dim3 grid = { (fields + 127) / 128 };
   int offset[fields + 1] = ascending(0, 5400000); char text[5400000] = randint(45, 58); double value[fields] = zeros();
   unsigned char bad[fields] = zeros();
   parse_decimal_fields(fields, offset, text, value, bad);
*/
// Numbers of a text file to doubles, a thread for a field: sign, digits, a point, and a mark for what is no number.
__global__ void parse_decimal_fields(int fields, const int *offset, const char *text, double *value, unsigned char *bad)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= fields)
        return;
    int at = offset[f], end = offset[f + 1];
    bool negative = false, wrong = at == end;
    if (at < end && text[at] == '-') {
        negative = true;
        at++;
    }
    double v = 0, scale = 1;
    bool fraction = false;
    for (; at < end; at++) {
        char c = text[at];
        if (c >= '0' && c <= '9') {
            v = v * 10 + (c - '0');
            if (fraction)
                scale *= 10;
        } else if (c == '.' && !fraction) {
            fraction = true;
        } else {
            wrong = true;
            break;
        }
    }
    value[f] = (negative ? -v : v) / scale;
    bad[f] = wrong;
}

/* kmutate launch
   int n = 4000000, threads = 8192; dim3 block = { 64 }; dim3 grid = { threads / 64 };
   float score[n] = uniform(0, 1); float best[threads * 16] = zeros(); int who[threads * 16] = zeros();
   sixteen_best_by_heaps(n, score, best, who);
*/
// The sixteen best of a thread's strided share, in a heap of its own in shared memory, most rows failing the first test.
__global__ void sixteen_best_by_heaps(int n, const float *score, float *best, int *who)
{
    __shared__ float heap[16][64];
    __shared__ int id[16][64];
    int t = threadIdx.x;
    for (int i = 0; i < 16; i++) {
        heap[i][t] = -1e30f;
        id[i][t] = -1;
    }
    int stride = gridDim.x * blockDim.x;
    int global = blockIdx.x * blockDim.x + t;
    for (int i = global; i < n; i += stride) {
        float s = score[i];
        if (s <= heap[0][t])
            continue;
        int node = 0;
        while (2 * node + 1 < 16) {
            int child = 2 * node + 1;
            if (child + 1 < 16 && heap[child + 1][t] < heap[child][t])
                child++;
            if (heap[child][t] >= s)
                break;
            heap[node][t] = heap[child][t];
            id[node][t] = id[child][t];
            node = child;
        }
        heap[node][t] = s;
        id[node][t] = i;
    }
    for (int i = 0; i < 16; i++) {
        best[global * 16 + i] = heap[i][t];
        who[global * 16 + i] = id[i][t];
    }
}

/* kmutate launch
   int segments = 40000, n = 1280000; dim3 block = { 128 }; dim3 grid = segments;
   int start[segments + 1] = ascending(0, n + 1); float key[n] = uniform(0, 1); int value[n] = iota();
   segments_sort_shared(start, key, value);
*/
// Uneven segments of pairs sorted: a block for a segment, bitonic on the next power of two in shared memory.
__global__ void segments_sort_shared(const int *start, float *key, int *value)
{
    __shared__ float k[512];
    __shared__ int v[512];
    int from = start[blockIdx.x];
    int n = min(start[blockIdx.x + 1] - from, 512);
    if (n < 2)
        return;
    int size = 2;
    while (size < n)
        size *= 2;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        k[i] = i < n ? key[from + i] : 3e38f;
        v[i] = i < n ? value[from + i] : -1;
    }
    for (int width = 2; width <= size; width *= 2)
        for (int stride = width / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < size / 2; t += blockDim.x) {
                int i = 2 * t - (t & (stride - 1));
                int j = i + stride;
                bool up = (i & width) == 0;
                if ((k[i] > k[j]) == up) {
                    float kk = k[i];
                    k[i] = k[j];
                    k[j] = kk;
                    int vv = v[i];
                    v[i] = v[j];
                    v[j] = vv;
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        key[from + i] = k[i];
        value[from + i] = v[i];
    }
}

/* kmutate launch
   int n = 1500000, words = 1 << 19; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   unsigned long long key[n] = randint(0, 1ull << 62); unsigned filter[words] = zeros();
   bloom_insert_five(n, key, filter, words * 32 - 1);
*/
// A Bloom filter filled: five bits of two hashes for each key by atomicOr.
__global__ void bloom_insert_five(int n, const unsigned long long *key, unsigned *filter, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long k = key[i];
    k = (k ^ (k >> 33)) * 0xff51afd7ed558ccdull;
    k ^= k >> 33;
    unsigned h1 = (unsigned)k, h2 = (unsigned)(k >> 32) | 1;
    for (int j = 0; j < 5; j++) {
        unsigned bit = (h1 + j * h2) & mask;
        atomicOr(&filter[bit >> 5], 1u << (bit & 31));
    }
}

/* kmutate launch
   int n = 6000000; dim3 block = { 512 }; dim3 grid = 264;
   unsigned long long value[n] = randint(0, 1ull << 40); int registers[4096] = zeros();
   distinct_registers_shared(n, value, registers);
*/
// HyperLogLog: 4096 registers in shared memory, atomicMax of leading zeros, a stride of the grid, merged at the end.
__global__ void distinct_registers_shared(int n, const unsigned long long *value, int *registers)
{
    __shared__ int reg[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        reg[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long h = value[i] * 0x9e3779b97f4a7c15ull;
        h ^= h >> 32;
        h *= 0xd6e8feb86659fd93ull;
        h ^= h >> 32;
        int where = (int)(h & 4095);
        int rank = __clzll((long long)(h >> 12)) - 11;
        if (reg[where] < rank)
            atomicMax(&reg[where], rank);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (reg[i] > registers[i])
            atomicMax(&registers[i], reg[i]);
}

/* kmutate launch
   int m = 500, n = 700; dim3 grid = 1, block = { 512 };
   char a[m] = randint(0, 4); char b[n] = randint(0, 4); int score[1] = zeros();
   align_affine_one_block(a, m, b, n, score);
*/
// One alignment with affine gaps by one block: diagonal after diagonal, three of them in shared memory.
__global__ void align_affine_one_block(const char *a, int m, const char *b, int n, int *score)
{
    __shared__ int H[3][513], E[2][513], F[2][513];
    __shared__ int best;
    int i = threadIdx.x + 1;
    for (int k = 0; k < 3; k++)
        H[k][i] = 0;
    for (int k = 0; k < 2; k++)
        E[k][i] = F[k][i] = -1000;
    if (threadIdx.x == 0) {
        best = 0;
        for (int k = 0; k < 3; k++)
            H[k][0] = 0;
        E[0][0] = E[1][0] = F[0][0] = F[1][0] = -1000;
    }
    char mine = i <= m ? a[i - 1] : 0;
    int top = 0;
    __syncthreads();
    for (int d = 2; d <= m + n; d++) {
        int now = d % 3, one = (d + 2) % 3, two = (d + 1) % 3;
        int e_now = d % 2, e_one = 1 - e_now;
        int j = d - i;
        if (i <= m && j >= 1 && j <= n) {
            int e = max(E[e_one][i] - 1, H[one][i] - 4);
            int f = max(F[e_one][i - 1] - 1, H[one][i - 1] - 4);
            int h = H[two][i - 1] + (mine == b[j - 1] ? 2 : -3);
            h = max(max(h, 0), max(e, f));
            E[e_now][i] = e;
            F[e_now][i] = f;
            H[now][i] = h;
            top = max(top, h);
        }
        __syncthreads();
    }
    atomicMax(&best, top);
    __syncthreads();
    if (threadIdx.x == 0)
        *score = best;
}

/* kmutate launch
   int sites = 60000, reads = 1800000; dim3 block = { 128 }; dim3 grid = { (sites + 127) / 128 };
   int start[sites + 1] = ascending(0, reads + 1); unsigned char base[reads] = randint(0, 4);
   unsigned char quality[reads] = randint(2, 41); unsigned char ref[sites] = randint(0, 4);
   double likelihood[sites * 10] = zeros(); unsigned char call[sites] = zeros();
   genotype_likelihoods_uneven(sites, start, base, quality, ref, likelihood, call);
*/
// Ten genotypes' likelihoods at each site from a pile of reads of uneven depth, logarithms and powers in doubles.
__global__ void genotype_likelihoods_uneven(int sites, const int *start, const unsigned char *base, const unsigned char *quality,
                                            const unsigned char *ref, double *likelihood, unsigned char *call)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sites)
        return;
    double ll[10];
    for (int g = 0; g < 10; g++)
        ll[g] = 0;
    for (int r = start[s]; r < start[s + 1]; r++) {
        double err = pow(10.0, -0.1 * quality[r]);
        int obs = base[r];
        int g = 0;
        for (int a = 0; a < 4; a++)
            for (int b = a; b < 4; b++) {
                double pa = a == obs ? 1 - err : err / 3;
                double pb = b == obs ? 1 - err : err / 3;
                ll[g] += log(0.5 * (pa + pb));
                g++;
            }
    }
    int best = 0, g = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) {
            int r = ref[s];
            ll[g] += (a == r && b == r) ? -0.001 : (a == r || b == r) ? -6.9 : -13.0;
            likelihood[s * 10 + g] = ll[g];
            if (ll[g] > ll[best])
                best = g;
            g++;
        }
    call[s] = best;
}

__device__ unsigned long long rotr64(unsigned long long x, int n)
{
    return (x >> n) | (x << (64 - n));
}

/* kmutate launch
   int messages = 100000, words = 16; dim3 block = { 128 }; dim3 grid = { (messages + 127) / 128 };
   unsigned long long text[messages * words] = randint(0, 1ull << 62); unsigned long long digest[messages * 4] = zeros();
   sponge_five_words(messages, words, text, digest);
*/
// Ascon's permutation as a hash: five words of 64 bits, twelve rounds to each word of a message, rows apart.
__global__ void sponge_five_words(int messages, int words, const unsigned long long *text, unsigned long long *digest)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= messages)
        return;
    unsigned long long x0 = 0xee9398aadb67f03dull, x1 = 0x8bb21831c60f1002ull, x2 = 0xb48a92db98d5da62ull;
    unsigned long long x3 = 0x43189921b8f8e3e8ull, x4 = 0x348fa5c9d525e140ull;
    for (int i = 0; i < words + 4; i++) {
        if (i < words)
            x0 ^= text[(size_t)m * words + i];
        else
            digest[(size_t)m * 4 + i - words] = x0;
        for (int r = 0; r < 12; r++) {
            x2 ^= (unsigned long long)(0xf0 - r * 0x0f);
            x0 ^= x4;
            x4 ^= x3;
            x2 ^= x1;
            unsigned long long t0 = ~x0 & x1, t1 = ~x1 & x2, t2 = ~x2 & x3, t3 = ~x3 & x4, t4 = ~x4 & x0;
            x0 ^= t1;
            x1 ^= t2;
            x2 ^= t3;
            x3 ^= t4;
            x4 ^= t0;
            x1 ^= x0;
            x0 ^= x4;
            x3 ^= x2;
            x2 = ~x2;
            x0 ^= rotr64(x0, 19) ^ rotr64(x0, 28);
            x1 ^= rotr64(x1, 61) ^ rotr64(x1, 39);
            x2 ^= rotr64(x2, 1) ^ rotr64(x2, 6);
            x3 ^= rotr64(x3, 10) ^ rotr64(x3, 17);
            x4 ^= rotr64(x4, 7) ^ rotr64(x4, 41);
        }
    }
}

/* kmutate launch
   int polys = 20000; dim3 block = { 128 }; dim3 grid = polys;
   short data[polys * 256] = randint(0, 3329); short zetas[128] = randint(0, 3329);
   ntt_256_sixteen_bits(data, zetas);
*/
// A number-theoretic transform modulo 3329: seven layers of butterflies of 16-bit numbers in shared memory.
__global__ void ntt_256_sixteen_bits(short *data, const short *zetas)
{
    __shared__ short f[256];
    short *p = data + (size_t)blockIdx.x * 256;
    int t = threadIdx.x;
    reinterpret_cast<short2 *>(f)[t] = reinterpret_cast<short2 *>(p)[t];
    __syncthreads();
    for (int len = 128, layer = 1; len >= 2; len >>= 1, layer <<= 1) {
        int group = t / len;
        int j = group * 2 * len + t % len;
        int zeta = zetas[layer + group];
        int v = (zeta * f[j + len]) % 3329;
        int u = f[j];
        int sum = u + v, diff = u - v;
        f[j] = sum >= 3329 ? sum - 3329 : sum;
        f[j + len] = diff < 0 ? diff + 3329 : diff;
        __syncthreads();
    }
    reinterpret_cast<short2 *>(p)[t] = reinterpret_cast<short2 *>(f)[t];
}

/* kmutate launch
   int pairs = 600, n = 509; dim3 block = { 128 }; dim3 grid = { (n + 127) / 128, pairs };
   int a[pairs * n] = randint(0, 2048); int b[pairs * n] = randint(-1, 2); int c[pairs * n] = zeros();
   ring_products_schoolbook(n, a, b, c);
*/
// Products in a ring of polynomials modulo x^509 - 1 and 2048 as the definition says it, remainders in the loop.
__global__ void ring_products_schoolbook(int n, const int *a, const int *b, int *c)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    const int *pa = a + blockIdx.y * n, *pb = b + blockIdx.y * n;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum = (sum + pa[i] * pb[(k - i + n) % n]) % 2048;
    c[blockIdx.y * n + k] = (sum + 2048) % 2048;
}

/* kmutate launch
   int queries = 500000, n = 2000000; dim3 block = { 256 }; dim3 grid = { (queries + 255) / 256 };
   int starts[n] = ascending(0, 240000000); int ends[n] = ascending(0, 240000000); int q_from[queries] = randint(0, 239990000);
   int q_len[queries] = randint(50, 5000); int overlaps[queries] = zeros();
   interval_overlaps_bisect(queries, n, starts, ends, q_from, q_len, overlaps);
*/
// Overlaps of intervals counted by two bisections: starts before the query's end less ends before its start.
__global__ void interval_overlaps_bisect(int queries, int n, const int *starts, const int *ends, const int *q_from,
                                         const int *q_len, int *overlaps)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries)
        return;
    int from = q_from[q], to = from + q_len[q];
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (starts[mid] < to)
            lo = mid + 1;
        else
            hi = mid;
    }
    int begun = lo;
    lo = 0;
    hi = n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (ends[mid] <= from)
            lo = mid + 1;
        else
            hi = mid;
    }
    overlaps[q] = begun - lo;
}

/* kmutate launch
   int m = 3072, tile = 64, diagonal = 20, tiles = m / tile; dim3 block = { 64 }; dim3 grid = { diagonal + 1 };
   char a[m] = randint(0, 4); char b[m] = randint(0, 4); short L[(m + 1) * (m + 1)] = zeros();
   longest_common_tile_wave(m, tiles, diagonal, a, b, L);
*/
// One wave of the longest common subsequence's table: a block for a tile of 64 x 64, its diagonals in shared memory.
__global__ void longest_common_tile_wave(int m, int tiles, int diagonal, const char *a, const char *b, short *L)
{
    __shared__ short s[65][66];
    int ti = diagonal - blockIdx.x, tj = blockIdx.x;
    if (ti < 0 || ti >= tiles || tj >= tiles)
        return;
    int t = threadIdx.x;
    int r0 = ti * 64, c0 = tj * 64, pitch = m + 1;
    s[0][t + 1] = L[r0 * pitch + c0 + t + 1];
    s[t + 1][0] = L[(r0 + t + 1) * pitch + c0];
    if (t == 0)
        s[0][0] = L[r0 * pitch + c0];
    char mine = a[r0 + t];
    __syncthreads();
    for (int d = 0; d < 127; d++) {
        int c = d - t;
        if (c >= 0 && c < 64) {
            short v;
            if (mine == b[c0 + c])
                v = s[t][c] + 1;
            else
                v = max(s[t][c + 1], s[t + 1][c]);
            s[t + 1][c + 1] = v;
        }
        __syncthreads();
    }
    for (int r = 1; r <= 64; r++)
        L[(r0 + r) * pitch + c0 + t + 1] = s[r][t + 1];
}

// --------------------------------------------------------------------------- layers of networks, there and back

/* kmutate launch
   int B = 16, Cin = 32, Cout = 48, H = 28, W = 28; dim3 block = { 96 }; dim3 grid = { Cout * Cin * 9 / 96 };
   float x[B * Cin * H * W] = uniform(-1, 1); float dy[B * Cout * H * W] = uniform(-1, 1); float dw[Cout * Cin * 9] = zeros();
   conv_weight_gradient_naive(B, Cin, Cout, H, W, x, dy, dw);
*/
// The gradient of a 3 x 3 convolution's weights: a thread for a weight, loops over pictures, rows and columns.
__global__ void conv_weight_gradient_naive(int B, int Cin, int Cout, int H, int W, const float *x, const float *dy, float *dw)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= Cout * Cin * 9)
        return;
    int kx = id % 3, ky = (id / 3) % 3;
    int ci = (id / 9) % Cin, co = id / (9 * Cin);
    float sum = 0.0f;
    for (int b = 0; b < B; b++)
        for (int i = 0; i < H; i++)
            for (int j = 0; j < W; j++) {
                int yi = i + ky - 1, xj = j + kx - 1;
                if (yi >= 0 && yi < H && xj >= 0 && xj < W)
                    sum += x[((b * Cin + ci) * H + yi) * W + xj] * dy[((b * Cout + co) * H + i) * W + j];
            }
    dw[id] += sum;
}

/* kmutate launch
   int B = 8, Cin = 64, Cout = 64, H = 56, W = 56, OH = 28, OW = 28, total = B * Cin * H * W; dim3 block = { 256 };
   dim3 grid = { total / 256 };
   float w[Cout * Cin * 9] = uniform(-1, 1); float dy[B * Cout * OH * OW] = uniform(-1, 1); float dx[total] = zeros();
   conv_input_gradient_stride_two(total, Cin, Cout, H, W, OH, OW, w, dy, dx);
*/
// The gradient of a strided convolution's input: a thread for a pixel, which outputs saw it found by remainders.
__global__ void conv_input_gradient_stride_two(int total, int Cin, int Cout, int H, int W, int OH, int OW, const float *w,
                                               const float *dy, float *dx)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= total)
        return;
    int xj = id % W, yi = (id / W) % H, ci = (id / (W * H)) % Cin, b = id / (W * H * Cin);
    float sum = 0;
    for (int co = 0; co < Cout; co++)
        for (int ky = 0; ky < 3; ky++) {
            int t = yi + 1 - ky;
            if (t < 0 || t % 2 != 0 || t / 2 >= OH)
                continue;
            for (int kx = 0; kx < 3; kx++) {
                int s = xj + 1 - kx;
                if (s < 0 || s % 2 != 0 || s / 2 >= OW)
                    continue;
                sum += dy[((b * Cout + co) * OH + t / 2) * OW + s / 2] * w[((co * Cin + ci) * 3 + ky) * 3 + kx];
            }
        }
    dx[id] = sum;
}

/* kmutate launch
   int N = 24, C = 128, S = 784; dim3 block = { 256 }; dim3 grid = C;
   float x[N * C * S] = uniform(-1, 1); float dy[N * C * S] = uniform(-1, 1); float mean[C] = uniform(-0.1, 0.1);
   float rstd[C] = uniform(0.5, 2); float gamma[C] = uniform(0.5, 2); float dx[N * C * S] = zeros(); float dgamma[C];
   float dbeta[C];
   batchnorm_backward_channel(N, C, S, x, dy, mean, rstd, gamma, dx, dgamma, dbeta);
*/
// Batch normalisation backward in one go: a block for a channel, sums by shuffles, then a second walk over the data.
__global__ void batchnorm_backward_channel(int N, int C, int S, const float *x, const float *dy, const float *mean,
                                           const float *rstd, const float *gamma, float *dx, float *dgamma, float *dbeta)
{
    __shared__ float s_dy[8], s_dyx[8];
    int c = blockIdx.x;
    float m = mean[c], r = rstd[c];
    float sum_dy = 0, sum_dyx = 0;
    for (int n = 0; n < N; n++)
        for (int s = threadIdx.x; s < S; s += blockDim.x) {
            int id = (n * C + c) * S + s;
            sum_dy += dy[id];
            sum_dyx += dy[id] * (x[id] - m) * r;
        }
    for (int o = 16; o > 0; o >>= 1) {
        sum_dy += __shfl_down_sync(0xffffffff, sum_dy, o);
        sum_dyx += __shfl_down_sync(0xffffffff, sum_dyx, o);
    }
    if (threadIdx.x % 32 == 0) {
        s_dy[threadIdx.x / 32] = sum_dy;
        s_dyx[threadIdx.x / 32] = sum_dyx;
    }
    __syncthreads();
    sum_dy = sum_dyx = 0;
    for (int i = 0; i < 8; i++) {
        sum_dy += s_dy[i];
        sum_dyx += s_dyx[i];
    }
    if (threadIdx.x == 0) {
        dgamma[c] = sum_dyx;
        dbeta[c] = sum_dy;
    }
    float count = (float)N * S, g = gamma[c];
    for (int n = 0; n < N; n++)
        for (int s = threadIdx.x; s < S; s += blockDim.x) {
            int id = (n * C + c) * S + s;
            float xhat = (x[id] - m) * r;
            dx[id] = g * r * (dy[id] - sum_dy / count - xhat * sum_dyx / count);
        }
}

/* kmutate launch
   int B = 4, T = 256, NH = 6, hs = 48, C = NH * hs, total = B * NH * T * T; dim3 block = { 256 };
   dim3 grid = { ceil_div(total, 256) };
   float datt[total] = zeros(); float dqkv[B * T * 3 * C] = zeros(); float dout[B * T * C] = uniform(-1, 1);
   float qkv[B * T * 3 * C] = uniform(-1, 1); float att[total] = uniform(0, 0.01);
   attention_value_backward_naive(datt, dqkv, dout, qkv, att, B, T, C, NH);
*/
// Attention's second product backward as first written: a thread for a score, atomics onto the values' gradient.
__global__ void attention_value_backward_naive(float *datt, float *dqkv, const float *dout, const float *qkv, const float *att,
                                               int B, int T, int C, int NH)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= B * NH * T * T)
        return;
    int t2 = id % T;
    int t = (id / T) % T;
    if (t2 > t)
        return;
    int h = (id / (T * T)) % NH;
    int b = id / (NH * T * T);
    int hs = C / NH, C3 = C * 3;
    const float *value = qkv + b * T * C3 + t2 * C3 + h * hs + 2 * C;
    float *dvalue = dqkv + b * T * C3 + t2 * C3 + h * hs + 2 * C;
    const float *d = dout + b * T * C + t * C + h * hs;
    float a = att[id];
    float sum = 0.f;
    for (int i = 0; i < hs; i++) {
        sum += value[i] * d[i];
        atomicAdd(&dvalue[i], a * d[i]);
    }
    datt[id] = sum;
}

/* kmutate launch
   int BNH = 24, T = 512; dim3 block = { 256 }; dim3 grid = { T / 4, BNH };
   float dpreatt[BNH * T * T] = zeros(); float datt[BNH * T * T] = uniform(-1, 1); float att[BNH * T * T] = uniform(0, 0.01);
   softmax_causal_backward_rows(dpreatt, datt, att, T, 0.125f);
*/
// Backward of a causal softmax: a block for four rows, the last first, a sum of products, then the gradient.
__global__ void softmax_causal_backward_rows(float *dpreatt, const float *datt, const float *att, int T, float scale)
{
    __shared__ float warp_sum[32];
    size_t matrix = (size_t)blockIdx.y * T * T;
    int t0 = T - 1 - 4 * blockIdx.x;
    if (threadIdx.x < 32)
        warp_sum[threadIdx.x] = 0.f;
    for (int to = 0; to < 4; to++) {
        int t = t0 - to;
        if (t < 0)
            return;
        const float *a = att + matrix + (size_t)t * T;
        const float *da = datt + matrix + (size_t)t * T;
        float *dp = dpreatt + matrix + (size_t)t * T;
        float local = 0.f;
        for (int t2 = threadIdx.x; t2 <= t; t2 += blockDim.x)
            local += a[t2] * da[t2];
        for (int o = 16; o; o >>= 1)
            local += __shfl_xor_sync(~0u, local, o);
        __syncthreads();
        if (threadIdx.x % 32 == 0)
            warp_sum[threadIdx.x / 32] = local;
        __syncthreads();
        local = warp_sum[threadIdx.x % 32];
        for (int o = 16; o; o >>= 1)
            local += __shfl_xor_sync(~0u, local, o);
        for (int t3 = threadIdx.x; t3 <= t; t3 += blockDim.x)
            __stcs(dp + t3, scale * __ldcs(a + t3) * (__ldcs(da + t3) - local));
    }
}

/* kmutate launch
   size_t n = 9000000; dim3 block = { 512 }; dim3 grid = { ceil_div(n, 512) };
   __nv_bfloat16 params[n] = uniform(-1, 1); float master[n] = uniform(-1, 1); __nv_bfloat16 grads[n] = uniform(-1, 1);
   float m[n] = uniform(-0.1, 0.1); float v[n] = uniform(0, 0.1);
   adamw_stochastic_bf16(params, master, grads, m, v, n, 3e-4f, 0.9f, 0.95f, 0.65f, 0.4f, 1e-8f, 0.1f, 0.8f, 1337u);
*/
// AdamW with a master copy in floats, weights in bf16 rounded by a hash's chance, moments drawn along by lerp.
__global__ void adamw_stochastic_bf16(__nv_bfloat16 *params, float *master, const __nv_bfloat16 *grads, float *m, float *v,
                                      size_t n, float lr, float beta1, float beta2, float correction1, float correction2,
                                      float eps, float decay, float grad_scale, unsigned seed)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float g = grad_scale * __bfloat162float(grads[i]);
    float mi = fmaf(beta1, m[i], fmaf(-beta1, g, g));
    float g2 = g * g;
    float vi = fmaf(beta2, v[i], fmaf(-beta2, g2, g2));
    m[i] = mi;
    v[i] = vi;
    mi /= correction1;
    vi /= correction2;
    float p = master[i] - lr * (mi / (sqrtf(vi) + eps) + decay * master[i]);
    master[i] = p;
    unsigned h = (unsigned)i * 0x9e3779b1u ^ seed;
    h ^= h >> 15;
    h *= 0x85ebca77u;
    h ^= h >> 13;
    unsigned bits = __float_as_uint(p);
    bits = (bits & 0xffffu) > (h & 0xffffu) ? (bits | 0xffffu) + 1u : bits & ~0xffffu;
    params[i] = __float2bfloat16_rn(__uint_as_float(bits));
}

struct Running {
    float top, sum;
};

/* kmutate launch
   int rows = 512, V = 32000; dim3 block = { 512 }; dim3 grid = rows;
   __nv_bfloat16 logits[rows * V] = uniform(-4, 4); int target[rows] = randint(0, V); float loss[rows] = zeros();
   smoothed_loss_in_place(logits, target, loss, V, 0.1f, 0.001953125f);
*/
// Cross-entropy with smoothed labels over 32000 words of bf16: one running maximum and sum, then gradients in place.
__global__ void __launch_bounds__(512) smoothed_loss_in_place(__nv_bfloat16 *logits, const int *target, float *loss, int V,
                                                              float smooth, float grad)
{
    __shared__ Running part[16];
    __shared__ float sums[16];
    uint4 *row = reinterpret_cast<uint4 *>(logits + (size_t)blockIdx.x * V);
    Running mine = { -1e30f, 0.f };
    float plain = 0.f;
    for (int i = threadIdx.x; i < V / 8; i += blockDim.x) {
        uint4 raw = row[i];
        const __nv_bfloat162 *pair = reinterpret_cast<const __nv_bfloat162 *>(&raw);
        float top = mine.top;
        float2 f[4];
        for (int k = 0; k < 4; k++) {
            f[k] = __bfloat1622float2(pair[k]);
            top = fmaxf(top, fmaxf(f[k].x, f[k].y));
            plain += f[k].x + f[k].y;
        }
        mine.sum *= __expf(mine.top - top);
        for (int k = 0; k < 4; k++)
            mine.sum += __expf(f[k].x - top) + __expf(f[k].y - top);
        mine.top = top;
    }
    for (int o = 16; o; o >>= 1) {
        float top = __shfl_xor_sync(~0u, mine.top, o), sum = __shfl_xor_sync(~0u, mine.sum, o);
        float both = fmaxf(top, mine.top);
        mine.sum = mine.sum * __expf(mine.top - both) + sum * __expf(top - both);
        mine.top = both;
        plain += __shfl_xor_sync(~0u, plain, o);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = mine;
        sums[threadIdx.x / 32] = plain;
    }
    __syncthreads();
    Running all = { -1e30f, 0.f };
    float mean = 0;
    for (int w = 0; w < 16; w++) {
        float both = fmaxf(all.top, part[w].top);
        all.sum = all.sum * __expf(all.top - both) + part[w].sum * __expf(part[w].top - both);
        all.top = both;
        mean += sums[w];
    }
    mean /= V;
    int t = target[blockIdx.x];
    float lse = all.top + logf(all.sum);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = lse - (1 - smooth) * __bfloat162float(logits[(size_t)blockIdx.x * V + t]) - smooth * mean;
    __syncthreads();
    for (int i = threadIdx.x; i < V / 8; i += blockDim.x) {
        uint4 raw = row[i];
        __nv_bfloat16 *e = reinterpret_cast<__nv_bfloat16 *>(&raw);
        for (int k = 0; k < 8; k++) {
            float p = __expf(__bfloat162float(e[k]) - lse);
            float want = smooth / V + (i * 8 + k == t ? 1 - smooth : 0.f);
            e[k] = __float2bfloat16((p - want) * grad);
        }
        row[i] = raw;
    }
}

/* kmutate launch
   int words = 8000, tokens = 65536, C = 384; dim3 block = { 96 }; dim3 grid = words;
   int start[words + 1] = ascending(0, 65537); int place[tokens] = permutation(); float4 dout[tokens * 96] = uniform(-1, 1);
   float4 dtable[words * 96] = zeros();
   embedding_gradient_by_word(start, place, dout, dtable);
*/
// An embedding's gradient without atomics: tokens sorted by word, a block for a word, rows gathered four floats a thread.
__global__ void embedding_gradient_by_word(const int *start, const int *place, const float4 *dout, float4 *dtable)
{
    int word = blockIdx.x;
    int from = start[word], to = start[word + 1];
    if (from == to)
        return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = from; i < to; i++) {
        float4 d = dout[(size_t)place[i] * 96 + threadIdx.x];
        sum.x += d.x;
        sum.y += d.y;
        sum.z += d.z;
        sum.w += d.w;
    }
    float4 old = dtable[word * 96 + threadIdx.x];
    dtable[word * 96 + threadIdx.x] = make_float4(old.x + sum.x, old.y + sum.y, old.z + sum.z, old.w + sum.w);
}

__device__ float sigmoid_of(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

/* kmutate launch
   int batch = 64, hidden = 650; dim3 block = { 128 }; dim3 grid = { (hidden + 127) / 128, batch };
   float gates[batch * 4 * hidden] = uniform(-2, 2); float c_prev[batch * hidden] = uniform(-1, 1);
   float dh[batch * hidden] = uniform(-1, 1); float dc[batch * hidden] = uniform(-1, 1);
   float dgates[batch * 4 * hidden] = zeros(); float dc_prev[batch * hidden] = zeros();
   lstm_backward_pointwise(hidden, gates, c_prev, dh, dc, dgates, dc_prev);
*/
// An LSTM cell's backward step between two products: a small launch, gates computed again.
__global__ void lstm_backward_pointwise(int hidden, const float *gates, const float *c_prev, const float *dh, const float *dc,
                                        float *dgates, float *dc_prev)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y;
    if (j >= hidden)
        return;
    int g0 = b * 4 * hidden + j, s = b * hidden + j;
    float i = sigmoid_of(gates[g0]);
    float f = sigmoid_of(gates[g0 + hidden]);
    float g = tanhf(gates[g0 + 2 * hidden]);
    float o = sigmoid_of(gates[g0 + 3 * hidden]);
    float c = f * c_prev[s] + i * g;
    float tc = tanhf(c);
    float dct = dc[s] + dh[s] * o * (1 - tc * tc);
    dgates[g0] = dct * g * i * (1 - i);
    dgates[g0 + hidden] = dct * c_prev[s] * f * (1 - f);
    dgates[g0 + 2 * hidden] = dct * i * (1 - g * g);
    dgates[g0 + 3 * hidden] = dh[s] * tc * o * (1 - o);
    dc_prev[s] = dct * f;
}

/* kmutate launch
   int N = 8, C = 48, H = 65, W = 65, OH = 33, OW = 33, total = N * C * H * W; dim3 block = { 512 };
   dim3 grid = { ceil_div(total, 512) };
   float dy[N * C * OH * OW] = uniform(-1, 1); float dx[total] = zeros();
   average_pool_backward_overlapping(total, dy, dx, C, H, W, OH, OW, 3, 2, 1);
*/
// Backward of overlapping mean pooling, windows cut at the border: a thread for an input and a loop over its windows.
__global__ void average_pool_backward_overlapping(int total, const float *dy, float *dx, int C, int H, int W, int OH, int OW,
                                                  int size, int stride, int pad)
{
    for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < total; id += blockDim.x * gridDim.x) {
        int w = id % W + pad;
        int h = (id / W) % H + pad;
        int plane = id / W / H;
        int ph0 = (h < size) ? 0 : (h - size) / stride + 1, ph1 = min(h / stride + 1, OH);
        int pw0 = (w < size) ? 0 : (w - size) / stride + 1, pw1 = min(w / stride + 1, OW);
        const float *d = dy + plane * OH * OW;
        float grad = 0;
        for (int ph = ph0; ph < ph1; ++ph)
            for (int pw = pw0; pw < pw1; ++pw) {
                int hs = ph * stride - pad, ws = pw * stride - pad;
                int he = min(hs + size, H + pad), we = min(ws + size, W + pad);
                hs = max(hs, 0);
                ws = max(ws, 0);
                he = min(he, H);
                we = min(we, W);
                grad += d[ph * OW + pw] / ((he - hs) * (we - ws));
            }
        dx[id] = grad;
    }
}

/* kmutate launch
   int n = 4096 * 2048, blocks = n / 64; dim3 block = { 256 }; dim3 grid = { blocks / 8 };
   half2 w[n / 2] = normal(0, 0.02); unsigned char packed[n / 2] = zeros(); float absmax[blocks] = zeros();
   float code[16] = ascending(-1, 1);
   quantise_normal_floats(w, packed, absmax, code);
*/
// Blocks of 64 halves to four bits: a warp for a block, its largest by shuffles, the nearest of 16 levels by bisection.
__global__ void quantise_normal_floats(const half2 *w, unsigned char *packed, float *absmax, const float *code)
{
    __shared__ float level[16];
    if (threadIdx.x < 16)
        level[threadIdx.x] = code[threadIdx.x];
    __syncthreads();
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float2 v = __half22float2(w[(size_t)warp * 32 + lane]);
    float top = fmaxf(fabsf(v.x), fabsf(v.y));
    for (int o = 16; o; o >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
    float inv = top > 0 ? 1.f / top : 0.f;
    float x[2] = { v.x * inv, v.y * inv };
    int q[2];
    for (int k = 0; k < 2; k++) {
        int at = 0;
        for (int step = 8; step; step >>= 1)
            if (x[k] > 0.5f * (level[at + step - 1] + level[at + step]))
                at += step;
        q[k] = at;
    }
    packed[(size_t)warp * 32 + lane] = q[0] << 4 | q[1];
    if (lane == 0)
        absmax[warp] = top;
}

/* kmutate launch
   int tokens = 4096, dim = 1024, experts_per = 2; dim3 block = { 128 }; dim3 grid = tokens;
   half rows[tokens * experts_per * dim] = uniform(-1, 1); int slot[tokens * experts_per] = permutation();
   float weight[tokens * experts_per] = uniform(0, 1); half residual[tokens * dim] = uniform(-1, 1); half out[tokens * dim];
   experts_combine_rows(rows, slot, weight, residual, out, dim);
*/
// Mixture of experts, the way back: two scattered rows of a token weighed, added to the residual, eight halves a load.
__global__ void experts_combine_rows(const half *rows, const int *slot, const float *weight, const half *residual, half *out,
                                     int dim)
{
    int token = blockIdx.x;
    const uint4 *a = reinterpret_cast<const uint4 *>(rows + (size_t)slot[2 * token] * dim);
    const uint4 *b = reinterpret_cast<const uint4 *>(rows + (size_t)slot[2 * token + 1] * dim);
    const uint4 *r = reinterpret_cast<const uint4 *>(residual + (size_t)token * dim);
    uint4 *o = reinterpret_cast<uint4 *>(out + (size_t)token * dim);
    float wa = weight[2 * token], wb = weight[2 * token + 1];
    for (int i = threadIdx.x; i < dim / 8; i += blockDim.x) {
        uint4 va = a[i], vb = b[i], vr = r[i], vo;
        const half2 *ha = (const half2 *)&va, *hb = (const half2 *)&vb, *hr = (const half2 *)&vr;
        half2 *ho = (half2 *)&vo;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 fa = __half22float2(ha[k]), fb = __half22float2(hb[k]), fr = __half22float2(hr[k]);
            ho[k] = __floats2half2_rn(wa * fa.x + wb * fb.x + fr.x, wa * fa.y + wb * fb.y + fr.y);
        }
        o[i] = vo;
    }
}

/* kmutate launch
   int N = 4, C = 24, H = 96, W = 96; dim3 block = { 256 }; dim3 grid = { N * H * W / 256 };
   float2 flow[N * H * W] = uniform(-1.1, 1.1); float grad[N * C * H * W] = uniform(-1, 1);
   float img[N * C * H * W] = uniform(-1, 1); float dimg[N * C * H * W] = zeros(); float2 dflow[N * H * W] = zeros();
   grid_sample_backward_corners(N, C, H, W, flow, grad, img, dimg, dflow);
*/
// Bilinear sampling backward: channels in a loop, four corners each by atomics where they lie inside, and the places' own.
__global__ void grid_sample_backward_corners(int N, int C, int H, int W, const float2 *flow, const float *grad,
                                             const float *img, float *dimg, float2 *dflow)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= N * H * W)
        return;
    int n = id / (H * W), pixel = id % (H * W);
    float2 at = flow[id];
    float x = (at.x + 1) * 0.5f * (W - 1), y = (at.y + 1) * 0.5f * (H - 1);
    int x0 = (int)floorf(x), y0 = (int)floorf(y);
    float fx = x - x0, fy = y - y0;
    float gx = 0, gy = 0;
    for (int c = 0; c < C; c++) {
        const float *plane = img + (n * C + c) * H * W;
        float *dplane = dimg + (n * C + c) * H * W;
        float g = grad[(n * C + c) * H * W + pixel];
        for (int k = 0; k < 4; k++) {
            int xi = x0 + (k & 1), yi = y0 + (k >> 1);
            if (xi < 0 || yi < 0 || xi >= W || yi >= H)
                continue;
            float wx = (k & 1) ? fx : 1 - fx, wy = (k >> 1) ? fy : 1 - fy;
            float v = plane[yi * W + xi];
            atomicAdd(&dplane[yi * W + xi], g * wx * wy);
            gx += g * v * ((k & 1) ? wy : -wy);
            gy += g * v * ((k >> 1) ? wx : -wx);
        }
    }
    dflow[id] = make_float2(gx * 0.5f * (W - 1), gy * 0.5f * (H - 1));
}

/* kmutate launch
   int beams = 8, V = 6000; dim3 grid = 1, block = { 256 };
   float logp[beams * V] = uniform(-20, 0); float score[beams] = uniform(-5, 0); float next_score[beams] = zeros();
   int from[beams] = zeros(); int word[beams] = zeros();
   beam_step_one_block(beams, V, logp, score, next_score, from, word);
*/
// A step of beam search by one block: the eight best of all beams' words, one after the other, each a maximum of all.
__global__ void beam_step_one_block(int beams, int V, const float *logp, const float *score, float *next_score, int *from,
                                    int *word)
{
    __shared__ float value[256];
    __shared__ int index[256];
    float limit = 1e30f;
    int last = -1;
    for (int k = 0; k < beams; k++) {
        float best = -1e30f;
        int at = 0;
        for (int i = threadIdx.x; i < beams * V; i += 256) {
            float v = logp[i] + score[i / V];
            if (v > best && (v < limit || (v == limit && i > last))) {
                best = v;
                at = i;
            }
        }
        value[threadIdx.x] = best;
        index[threadIdx.x] = at;
        __syncthreads();
        for (int s = 128; s > 0; s >>= 1) {
            if (threadIdx.x < s && value[threadIdx.x + s] > value[threadIdx.x]) {
                value[threadIdx.x] = value[threadIdx.x + s];
                index[threadIdx.x] = index[threadIdx.x + s];
            }
            __syncthreads();
        }
        limit = value[0];
        last = index[0];
        if (threadIdx.x == 0) {
            next_score[k] = limit;
            from[k] = last / V;
            word[k] = last % V;
        }
        __syncthreads();
    }
}

// ----------------------------------------------------------- reductions, scans, clusters, trees and what is left

/* kmutate launch
   int n = 12000000; dim3 block = { 512 }; dim3 grid = 396;
   float4 x[n / 4] = uniform(-1, 1); float top[396] = zeros(); int where[396] = zeros();
   largest_magnitude_unrolled<512, 2>(x, n / 4, top, where);
*/
// The greatest magnitude and where: float4, two loads in flight, shuffles, sizes by template.
template <int THREADS, int UNROLL>
__global__ void largest_magnitude_unrolled(const float4 *__restrict__ x, int quads, float *top, int *where)
{
    __shared__ float s_v[THREADS / 32];
    __shared__ int s_i[THREADS / 32];
    float best = -1.f;
    int at = 0;
    for (int base = blockIdx.x * THREADS * UNROLL + threadIdx.x; base < quads; base += gridDim.x * THREADS * UNROLL) {
        float4 v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            v[u] = base + u * THREADS < quads ? x[base + u * THREADS] : make_float4(0, 0, 0, 0);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            float m[4] = { fabsf(v[u].x), fabsf(v[u].y), fabsf(v[u].z), fabsf(v[u].w) };
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (m[k] > best) {
                    best = m[k];
                    at = (base + u * THREADS) * 4 + k;
                }
        }
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        float other = __shfl_down_sync(0xffffffffu, best, o);
        int i = __shfl_down_sync(0xffffffffu, at, o);
        if (other > best) {
            best = other;
            at = i;
        }
    }
    if (threadIdx.x % 32 == 0) {
        s_v[threadIdx.x / 32] = best;
        s_i[threadIdx.x / 32] = at;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++)
            if (s_v[w] > best) {
                best = s_v[w];
                at = s_i[w];
            }
        top[blockIdx.x] = best;
        where[blockIdx.x] = at;
    }
}

/* kmutate launch
   int n = 30000; dim3 grid = 1, block = { 1024 };
   int in[n] = randint(0, 100); int out[n] = zeros();
   exclusive_scan_one_block(in, out, n);
*/
// An exclusive scan of 30000 numbers by one block, a chunk of 1024 after the other with the sum carried on.
__global__ void exclusive_scan_one_block(const int *in, int *out, int n)
{
    __shared__ int warp_total[32];
    __shared__ int carry;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0)
        carry = 0;
    __syncthreads();
    for (int base = 0; base < n; base += 1024) {
        int i = base + threadIdx.x;
        int v = i < n ? in[i] : 0;
        int s = v;
        for (int o = 1; o < 32; o <<= 1) {
            int t = __shfl_up_sync(~0u, s, o);
            if (lane >= o)
                s += t;
        }
        if (lane == 31)
            warp_total[warp] = s;
        __syncthreads();
        if (warp == 0) {
            int t = warp_total[lane];
            for (int o = 1; o < 32; o <<= 1) {
                int u = __shfl_up_sync(~0u, t, o);
                if (lane >= o)
                    t += u;
            }
            warp_total[lane] = t;
        }
        __syncthreads();
        int before = carry + (warp ? warp_total[warp - 1] : 0);
        if (i < n)
            out[i] = before + s - v;
        __syncthreads();
        if (threadIdx.x == 1023)
            carry = before + s;
        __syncthreads();
    }
}

struct Particle {
    float x, y, z, vx, vy, vz, mass;
    int type, alive;
};

/* kmutate launch
   struct Particle { float x, y, z, vx, vy, vz, mass; int type, alive; };
   int n = 3000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   int raw[n * 9] = randint(0, 3); int tail[1] = zeros(); float4 kept[n] = zeros();
   compact_living_structs((struct Particle *)raw, n, kept, n, tail);
*/
// Living particles of an array of structs of nine members into float4s, a warp taking its places with one atomic.
__global__ void compact_living_structs(const Particle *all, int n, float4 *kept, int room, int *tail)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && all[i].alive && all[i].type != 2;
    unsigned votes = __ballot_sync(0xffffffffu, keep);
    int lane = threadIdx.x % 32;
    int base = 0;
    if (lane == 0 && votes)
        base = atomicAdd(tail, __popc(votes));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) {
        int at = base + __popc(votes & ((1u << lane) - 1));
        if (at < room)
            kept[at] = make_float4(all[i].x, all[i].y, all[i].z, all[i].mass);
    }
}

/* kmutate launch
   int cities = 3000; dim3 block = { 256 }; dim3 grid = 180;
   float2 city[cities] = uniform(0, 1000); int tour[cities] = permutation(); unsigned long long best[1] = fill(-1);
   two_opt_all_moves(cities, city, tour, best);
*/
// The best of all exchanges of two edges of a tour: pairs unpacked from one index by a root, places looked up twice.
__global__ void two_opt_all_moves(int cities, const float2 *city, const int *tour, unsigned long long *best)
{
    __shared__ unsigned long long block_best;
    if (threadIdx.x == 0)
        block_best = ~0ull;
    __syncthreads();
    long long pairs = (long long)(cities - 2) * (cities - 3) / 2;
    unsigned long long mine = ~0ull;
    for (long long p = blockIdx.x * blockDim.x + threadIdx.x; p < pairs; p += gridDim.x * blockDim.x) {
        int j = (int)((1.0 + sqrt(1.0 + 8.0 * p)) * 0.5);
        int i = (int)(p - (long long)j * (j - 1) / 2);
        int a = tour[i], b = tour[i + 1], c = tour[j + 1], d = tour[j + 2 == cities ? 0 : j + 2];
        float ab = hypotf(city[a].x - city[b].x, city[a].y - city[b].y);
        float cd = hypotf(city[c].x - city[d].x, city[c].y - city[d].y);
        float ac = hypotf(city[a].x - city[c].x, city[a].y - city[c].y);
        float bd = hypotf(city[b].x - city[d].x, city[b].y - city[d].y);
        float change = ac + bd - ab - cd + 4000.f;
        unsigned long long packed = (unsigned long long)__float_as_uint(change) << 32 | (unsigned)p;
        if (packed < mine)
            mine = packed;
    }
    atomicMin(&block_best, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMin(best, block_best);
}

/* kmutate launch
   int n = 300000, dim = 16, k = 40; dim3 block = { 128 }; dim3 grid = { (n + 127) / 128 };
   double points[n * dim] = uniform(0, 1); double centre[k * dim] = uniform(0, 1); double sums[k * dim] = zeros();
   int counts[k] = zeros(); int member[n] = zeros();
   kmeans_round_doubles(n, dim, k, points, centre, sums, counts, member);
*/
// A round of k-means as first written: rows of doubles, the nearest of forty, sums by global atomics.
__global__ void kmeans_round_doubles(int n, int dim, int k, const double *points, const double *centre, double *sums,
                                     int *counts, int *member)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    double best = 1e300;
    int nearest = 0;
    for (int c = 0; c < k; c++) {
        double dist = 0;
        for (int d = 0; d < dim; d++) {
            double diff = points[p * dim + d] - centre[c * dim + d];
            dist += diff * diff;
        }
        if (dist < best) {
            best = dist;
            nearest = c;
        }
    }
    member[p] = nearest;
    atomicAdd(&counts[nearest], 1);
    for (int d = 0; d < dim; d++)
        atomicAdd(&sums[nearest * dim + d], points[p * dim + d]);
}

/* kmutate launch
   int rows = 200000, features = 28, bins = 64, nodes = 8; dim3 block = { 256 }; dim3 grid = { features, 16 };
   int smem = nodes * bins * 2 * sizeof(float);
   unsigned char binned[features * rows] = randint(0, 64); unsigned char node[rows] = randint(0, 8);
   float2 grad[rows] = uniform(-1, 1); float hist[features * nodes * bins * 2] = zeros();
   boosting_histograms(rows, bins, nodes, binned, node, grad, hist);
*/
// Gradient boosting: sums of gradients and Hessians by node and bin in dynamic shared memory, a feature to a column of blocks.
__global__ void boosting_histograms(int rows, int bins, int nodes, const unsigned char *binned, const unsigned char *node,
                                    const float2 *grad, float *hist)
{
    extern __shared__ float local[];
    int size = nodes * bins * 2;
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        local[i] = 0.f;
    __syncthreads();
    const unsigned char *column = binned + (size_t)blockIdx.x * rows;
    for (int r = blockIdx.y * blockDim.x + threadIdx.x; r < rows; r += gridDim.y * blockDim.x) {
        int cell = (node[r] * bins + column[r]) * 2;
        float2 g = grad[r];
        atomicAdd(&local[cell], g.x);
        atomicAdd(&local[cell + 1], g.y);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        if (local[i] != 0.f)
            atomicAdd(&hist[blockIdx.x * size + i], local[i]);
}

/* kmutate launch
   int leaves = 16384, queries = 60000; dim3 block = { 128 }; dim3 grid = { (queries + 127) / 128 };
   float3 lo[2 * leaves] = uniform(0, 40); float3 extent[2 * leaves] = uniform(0, 20); float3 point[leaves] = uniform(0, 60);
   float3 query[queries] = uniform(0, 60); int nearest[queries] = zeros(); float distance[queries] = zeros();
   nearest_in_boxes_stack(leaves, queries, lo, extent, point, query, nearest, distance);
*/
// The nearest point by a tree of boxes (a heap's numbering) and a stack of each thread's own, nearer child first.
__global__ void nearest_in_boxes_stack(int leaves, int queries, const float3 *lo, const float3 *extent, const float3 *point,
                                       const float3 *query, int *nearest, float *distance)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries)
        return;
    float3 p = query[q];
    float best = 1e30f;
    int who = -1;
    int stack[32];
    float reach[32];
    int sp = 0;
    stack[sp] = 1;
    reach[sp++] = 0.f;
    int visits = 0;
    while (sp > 0 && visits < 600) {
        int node = stack[--sp];
        if (reach[sp] >= best)
            continue;
        visits++;
        if (node >= leaves) {
            float3 c = point[node - leaves];
            float dx = c.x - p.x, dy = c.y - p.y, dz = c.z - p.z;
            float d = dx * dx + dy * dy + dz * dz;
            if (d < best) {
                best = d;
                who = node - leaves;
            }
            continue;
        }
        float d[2];
        for (int side = 0; side < 2; side++) {
            float3 a = lo[2 * node + side], e = extent[2 * node + side];
            float dx = fmaxf(fmaxf(a.x - p.x, p.x - a.x - e.x), 0.f);
            float dy = fmaxf(fmaxf(a.y - p.y, p.y - a.y - e.y), 0.f);
            float dz = fmaxf(fmaxf(a.z - p.z, p.z - a.z - e.z), 0.f);
            d[side] = dx * dx + dy * dy + dz * dz;
        }
        int first = d[1] < d[0];
        if (d[1 - first] < best && sp < 31) {
            stack[sp] = 2 * node + 1 - first;
            reach[sp++] = d[1 - first];
        }
        if (d[first] < best && sp < 31) {
            stack[sp] = 2 * node + first;
            reach[sp++] = d[first];
        }
    }
    nearest[q] = who;
    distance[q] = sqrtf(best);
}

__constant__ unsigned char c_edges[16] = { 0, 3, 3, 4, 3, 4, 6, 3, 3, 6, 4, 3, 4, 3, 3, 0 };

/* kmutate launch
   int nx = 200, ny = 200, nz = 120, cells = (nx - 1) * (ny - 1) * (nz - 1); dim3 block = { 256 };
   dim3 grid = { ceil_div(cells, 256) };
   float field[nx * ny * nz] = normal(); unsigned char count[cells] = zeros(); int total[1] = zeros();
   tetrahedra_count_triangles(nx, ny, nz, field, 0.8f, count, total);
*/
// An isosurface's first pass: eight corners of a cell, six tetrahedra, how many vertices each will have, one sum.
__global__ void tetrahedra_count_triangles(int nx, int ny, int nz, const float *field, float level, unsigned char *count,
                                           int *total)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= (nx - 1) * (ny - 1) * (nz - 1))
        return;
    int x = id % (nx - 1), y = id / (nx - 1) % (ny - 1), z = id / ((nx - 1) * (ny - 1));
    int inside = 0;
    for (int c = 0; c < 8; c++) {
        int at = ((z + (c >> 2)) * ny + y + ((c >> 1) & 1)) * nx + x + (c & 1);
        if (field[at] > level)
            inside |= 1 << c;
    }
    const int tets[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 }, { 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };
    int vertices = 0;
    if (inside != 0 && inside != 255) {
        for (int t = 0; t < 6; t++) {
            int mask = 0;
            for (int k = 0; k < 4; k++)
                mask |= ((inside >> tets[t][k]) & 1) << k;
            vertices += c_edges[mask];
        }
    }
    count[id] = vertices;
    if (vertices)
        atomicAdd(total, vertices);
}

/* kmutate launch
   int rows = 2000, cols = 60; dim3 block = { 32 }; dim3 grid = { (cols * cols + 31) / 32 };
   double data[rows * cols] = uniform(0, 1); double corr[cols * cols] = zeros();
   correlation_by_pairs(rows, cols, data, corr);
*/
// Correlations of all pairs of sixty columns, a thread for a pair with five sums in doubles over all rows: few blocks, long.
__global__ void correlation_by_pairs(int rows, int cols, const double *data, double *corr)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= cols * cols)
        return;
    int a = id / cols, b = id % cols;
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (int r = 0; r < rows; r++) {
        double x = data[r * cols + a];
        double y = data[r * cols + b];
        sa += x;
        sb += y;
        saa += x * x;
        sbb += y * y;
        sab += x * y;
    }
    double top = rows * sab - sa * sb;
    double bottom = sqrt(rows * saa - sa * sa) * sqrt(rows * sbb - sb * sb);
    corr[id] = top / bottom;
}
