// Sparse matrix times vector, y = A * x, in compressed sparse rows.
//
// spmv_scalar gives a row to a thread: the loads of a warp start at 32 places and its rows differ in length.
// spmv_vector gives a row to a warp: values and column indices are read side by side, a shuffle adds the parts.
// In both, loaded numbers decide how long the loop is (rowptr) and where the next load goes (colidx).
//
// Teaches: loop bounds and addresses that come from memory: what a memory-only or math-only variant must keep.
// Seeds:   "Analysis-Driven Optimization", slides 9 (data-dependent control flow and addresses), 25-26, 28;
//          "CUDA Optimization: Memory Bandwidth Limited Kernels", slides 18-19 (scattered words).
//
// Build and check: nvcc -O3 spmv_csr.cu && ./a.out

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t status_ = (call);                                                                \
        if (status_ != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
            exit(EXIT_FAILURE);                                                                      \
        }                                                                                            \
    } while (0)

/* kmutate launch
   int rows = 1024 * 1024, cols = 1024 * 1024;
   int nnz = csr_nnz(rows, 8, 40);
   dim3 grid = { (rows + 127) / 128 };
   dim3 block = { 128 };
   int rowptr[rows + 1] = csr_rowptr(rows, 8, 40);
   int colidx[nnz] = csr_colidx(cols);
   float values[nnz] = uniform(-1, 1);
   float x[cols] = uniform(-1, 1);
   float y[rows] = zeros();
   spmv_scalar(rows, rowptr, colidx, values, x, y);
*/
__global__ void spmv_scalar(int rows, const int *__restrict__ rowptr, const int *__restrict__ colidx,
                            const float *__restrict__ values, const float *__restrict__ x, float *__restrict__ y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;

    float sum = 0.0f;
    for (int j = rowptr[row]; j < rowptr[row + 1]; j++)
        sum += values[j] * x[colidx[j]];
    y[row] = sum;
}

/* kmutate launch
   int rows = 1024 * 1024, cols = 1024 * 1024;
   int nnz = csr_nnz(rows, 8, 40);
   dim3 grid = { (rows + 3) / 4 };
   dim3 block = { 128 };
   int rowptr[rows + 1] = csr_rowptr(rows, 8, 40);
   int colidx[nnz] = csr_colidx(cols);
   float values[nnz] = uniform(-1, 1);
   float x[cols] = uniform(-1, 1);
   float y[rows] = zeros();
   spmv_vector(rows, rowptr, colidx, values, x, y);
*/
__global__ void spmv_vector(int rows, const int *__restrict__ rowptr, const int *__restrict__ colidx,
                            const float *__restrict__ values, const float *__restrict__ x, float *__restrict__ y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int lane = threadIdx.x % warpSize;
    if (row >= rows)
        return; // the whole warp leaves together

    const int end = rowptr[row + 1];
    float sum = 0.0f;
    for (int j = rowptr[row] + lane; j < end; j += warpSize)
        sum += values[j] * x[colidx[j]];
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

static unsigned int next_random(unsigned int &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

int main()
{
    const int rows = 1024 * 1024, cols = 1024 * 1024, shortest = 8, longest = 40, threads = 128;
    unsigned int state = 2463534242u;

    std::vector<int> rowptr(rows + 1), colidx;
    std::vector<float> values, x(cols), y(rows);
    colidx.reserve((size_t)rows * longest);
    values.reserve((size_t)rows * longest);
    for (int row = 0; row < rows; row++) {
        rowptr[row] = (int)colidx.size();
        const int length = shortest + (int)(next_random(state) % (longest - shortest + 1));
        for (int k = 0; k < length; k++) {
            colidx.push_back((int)(next_random(state) % cols));
            values.push_back(next_random(state) / 2147483648.0f - 1.0f);
        }
    }
    rowptr[rows] = (int)colidx.size();
    for (int i = 0; i < cols; i++)
        x[i] = next_random(state) / 2147483648.0f - 1.0f;

    int *d_rowptr, *d_colidx;
    float *d_values, *d_x, *d_y;
    CHECK(cudaMalloc(&d_rowptr, rowptr.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_colidx, colidx.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_values, values.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_x, x.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_y, y.size() * sizeof(float)));
    CHECK(cudaMemcpy(d_rowptr, rowptr.data(), rowptr.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_colidx, colidx.data(), colidx.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_values, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));

    bool failed = false;
    for (int version = 0; version < 2; version++) {
        CHECK(cudaMemset(d_y, 0, y.size() * sizeof(float)));
        if (version == 0)
            spmv_scalar<<<(rows + threads - 1) / threads, threads>>>(rows, d_rowptr, d_colidx, d_values, d_x, d_y);
        else
            spmv_vector<<<(rows + threads / 32 - 1) / (threads / 32), threads>>>(rows, d_rowptr, d_colidx, d_values,
                                                                                 d_x, d_y);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(y.data(), d_y, y.size() * sizeof(float), cudaMemcpyDeviceToHost));

        int wrong = 0;
        for (int sample = 0; sample < 10000; sample++) {
            const int row = (int)(next_random(state) % rows);
            double expected = 0.0;
            for (int j = rowptr[row]; j < rowptr[row + 1]; j++)
                expected += (double)values[j] * x[colidx[j]];
            if (!(std::fabs(y[row] - expected) < 1e-4))
                wrong++;
        }
        failed = failed || wrong;
        printf("%s: %s (%d of 10000 rows wrong)\n", version ? "spmv_vector" : "spmv_scalar", wrong ? "FAILED" : "ok",
               wrong);
    }

    CHECK(cudaFree(d_rowptr));
    CHECK(cudaFree(d_colidx));
    CHECK(cudaFree(d_values));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
