// The sixteenth set of kernels that nobody tuned the model of time for: tensor cores, through wmma and through mma.sync,
// ldmatrix, cp.async and their kin: products, attention, convolutions, quantised weights, transforms, sums, sparse blocks,
// factors, written from what is commonly known by someone who had seen neither the model nor its results.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

// --------------------------------------------------------------------------------------------- instructions in a wrapper

__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void load_matrix_x4(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p))
                 : "memory");
}

__device__ __forceinline__ void load_matrix_x2(unsigned (&r)[2], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(p))
                 : "memory");
}

__device__ __forceinline__ void load_matrix_x4_trans(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p))
                 : "memory");
}

__device__ __forceinline__ void load_matrix_x2_trans(unsigned (&r)[2], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(p))
                 : "memory");
}

__device__ __forceinline__ void store_matrix_x2(void *p, unsigned r0, unsigned r1)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                 :
                 : "r"(shared_address(p)), "r"(r0), "r"(r1)
                 : "memory");
}

__device__ __forceinline__ unsigned transpose_matrix(unsigned r)
{
    unsigned t;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t) : "r"(r));
    return t;
}

__device__ __forceinline__ void mma_f16_f32(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_bf16_f32(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_f16_f16(unsigned (&c)[2], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(c[0]), "+r"(c[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_tf32_f32(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_s8_s32(int (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_b1_and(int (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_f64(double (&c)[2], double a, double b)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
}

__device__ __forceinline__ void copy_async_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(shared_address(to)), "l"(from) : "memory");
}

// Zeros instead of what stands at `from` where valid is false.
__device__ __forceinline__ void copy_async_16_or_zero(void *to, const void *from, bool valid)
{
    int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(to)), "l"(from), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void copy_async_commit()
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}

template <int LEFT>
__device__ __forceinline__ void copy_async_wait()
{
    asm volatile("cp.async.wait_group %0;" : : "n"(LEFT) : "memory");
}

__device__ __forceinline__ unsigned pack_halves(float low, float high)
{
    half2 h = __floats2half2_rn(low, high);
    return *reinterpret_cast<unsigned *>(&h);
}

__device__ __forceinline__ unsigned to_tf32(float x)
{
    unsigned u;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(x));
    return u;
}

// ------------------------------------------------------------------------------------------------------------- products

/* kmutate launch
   int M = 1024, N = 1024, K = 1024; dim3 block = { 128, 4 }; dim3 grid = { M / 64, N / 64 };
   half A[M * K] = uniform(-1, 1); half B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   wmma_product_warp_a_tile(A, B, C, M, N, K, 1.25f, 0.5f);
*/
// The first one that everybody writes: a warp for each tile of 16 x 16, fragments straight from global memory.
__global__ void wmma_product_warp_a_tile(const half *A, const half *B, float *C, int M, int N, int K, float alpha,
                                         float beta)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize * 16;
    int col = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
    if (row >= M || col >= N)
        return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc, old;
    wmma::fill_fragment(acc, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(a, A + row * K + k, K);
        wmma::load_matrix_sync(b, B + k * N + col, N);
        wmma::mma_sync(acc, a, b, acc);
    }
    float *c = C + row * N + col;
    wmma::load_matrix_sync(old, c, N, wmma::mem_row_major);
    for (int i = 0; i < acc.num_elements; i++)
        acc.x[i] = alpha * acc.x[i] + beta * old.x[i];
    wmma::store_matrix_sync(c, acc, N, wmma::mem_row_major);
}

/* kmutate launch
   int M = 2048, N = 2048, K = 1024; dim3 block = 256; dim3 grid = { N / 128, M / 64 };
   half A[M * K] = uniform(-1, 1); half B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   wmma_product_shared_tiles(A, B, C, M, N, K);
*/
// Tiles of 64 x 32 and 32 x 128 in shared memory, eight warps with 32 x 32 of the result each.
__global__ void wmma_product_shared_tiles(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C,
                                          int M, int N, int K)
{
    __shared__ __align__(32) half As[64][40];
    __shared__ __align__(32) half Bs[32][136];
    int tid = threadIdx.x, warp = tid / 32;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 128;
    int wr = warp / 4 * 32, wc = warp % 4 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(acc[i][j], 0.0f);
    for (int k0 = 0; k0 < K; k0 += 32) {
        *(uint4 *)&As[tid / 4][tid % 4 * 8] = *(const uint4 *)&A[(row0 + tid / 4) * K + k0 + tid % 4 * 8];
        for (int i = tid; i < 512; i += 256)
            *(uint4 *)&Bs[i / 16][i % 16 * 8] = *(const uint4 *)&B[(k0 + i / 16) * N + col0 + i % 16 * 8];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &As[wr + i * 16][k], 40);
                wmma::load_matrix_sync(b[i], &Bs[k][wc + i * 16], 136);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&C[(row0 + wr + i * 16) * N + col0 + wc + j * 16], acc[i][j], N, wmma::mem_row_major);
}

/* kmutate launch
   int M = 2048, N = 2048, K = 1536; dim3 block = 256; dim3 grid = { N / 128, M / 128 };
   half A[M * K] = uniform(-1, 1); half B[N * K] = uniform(-1, 1); half C[M * N] = zeros();
   mma_product_nt_unpadded(A, B, C, M, N, K);
*/
// C = A B', tiles of 128 x 32 through registers into shared memory, ldmatrix from rows of 64 bytes as they are.
__global__ void __launch_bounds__(256) mma_product_nt_unpadded(const half *__restrict__ A, const half *__restrict__ B,
                                                               half *__restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) half As[128][32];
    __shared__ __align__(16) half Bs[128][32];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    int wr = warp / 4 * 64, wc = warp % 4 * 32;
    float acc[4][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int r = tid / 4 + i * 64, c = tid % 4 * 8;
            *(uint4 *)&As[r][c] = *(const uint4 *)&A[(size_t)(row0 + r) * K + k0 + c];
            *(uint4 *)&Bs[r][c] = *(const uint4 *)&B[(size_t)(col0 + r) * K + k0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned a[4][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 4; i++)
                load_matrix_x4(a[i], &As[wr + i * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
            for (int j = 0; j < 4; j++)
                load_matrix_x2(b[j], &Bs[wc + j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    mma_f16_f32(acc[i][j], a[i], b[j][0], b[j][1]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = row0 + wr + i * 16 + lane / 4, c = col0 + wc + j * 8 + lane % 4 * 2;
            *(half2 *)&C[(size_t)r * N + c] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            *(half2 *)&C[(size_t)(r + 8) * N + c] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}

/* kmutate launch
   int M = 1900, N = 1536, K = 2048; dim3 block = 128; dim3 grid = { N / 64, (M + 127) / 128 };
   __nv_bfloat16 A[M * K] = uniform(-1, 1); __nv_bfloat16 B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   bf16_product_two_stages_padded(A, B, C, M, N, K);
*/
// bfloat16, two stages of cp.async, padded rows, B as it stands and transposed by ldmatrix; M is no multiple of the tile.
__global__ void __launch_bounds__(128)
    bf16_product_two_stages_padded(const __nv_bfloat16 *__restrict__ A, const __nv_bfloat16 *__restrict__ B,
                                   float *__restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) __nv_bfloat16 As[2][128][40];
    __shared__ __align__(16) __nv_bfloat16 Bs[2][32][72];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
    int wr = warp / 2 * 64, wc = warp % 2 * 32;
    float acc[4][4][4] = {};

    auto fetch = [&](int stage, int k0) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int r = tid / 4 + i * 32, c = tid % 4 * 8;
            bool inside = row0 + r < M;
            int row = inside ? row0 + r : 0;
            copy_async_16_or_zero(&As[stage][r][c], &A[(size_t)row * K + k0 + c], inside);
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int r = tid / 8 + i * 16, c = tid % 8 * 8;
            copy_async_16(&Bs[stage][r][c], &B[(size_t)(k0 + r) * N + col0 + c]);
        }
        copy_async_commit();
    };

    fetch(0, 0);
    int steps = K / 32;
    for (int s = 0; s < steps; s++) {
        int now = s & 1;
        if (s + 1 < steps) {
            fetch(now ^ 1, (s + 1) * 32);
            copy_async_wait<1>();
        } else {
            copy_async_wait<0>();
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned a[4][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                load_matrix_x4(a[i], &As[now][wr + i * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
            for (int j = 0; j < 2; j++)
                load_matrix_x4_trans(b[j], &Bs[now][k + lane % 16][wc + j * 16 + lane / 16 * 8]);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    mma_bf16_f32(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = row0 + wr + i * 16 + lane / 4, c = col0 + wc + j * 8 + lane % 4 * 2;
            if (r < M)
                *(float2 *)&C[(size_t)r * N + c] = make_float2(acc[i][j][0], acc[i][j][1]);
            if (r + 8 < M)
                *(float2 *)&C[(size_t)(r + 8) * N + c] = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

// Rows of 64 bytes: the four chunks of a row change places with every second row.
__device__ __forceinline__ int swizzled_chunk(int row, int chunk)
{
    return row * 32 + ((chunk ^ (row >> 1)) & 3) * 8;
}

/* kmutate launch
   int M = 2048, N = 4096, K = 2048; dim3 block = 256; dim3 grid = { M / 128, N / 128 }; size_t smem = 3 * 16384;
   half A[M * K] = uniform(-1, 1); half B[N * K] = uniform(-1, 1); half C[M * N] = zeros();
   mma_product_three_stages_swizzled(A, B, C, M, N, K);
*/
// Three stages of cp.async in 48 KiB, swizzled instead of padded, fragments of the next half step loaded ahead.
__global__ void __launch_bounds__(256)
    mma_product_three_stages_swizzled(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M,
                                      int N, int K)
{
    extern __shared__ __align__(128) half ring[];
    constexpr int STAGE = 2 * 128 * 32;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int row0 = blockIdx.x * 128, col0 = blockIdx.y * 128;
    int wr = warp % 2 * 64, wc = warp / 2 * 32;
    float acc[4][4][4] = {};
    int steps = K / 32;

    auto fetch = [&](int s) {
        if (s < steps) {
            half *as = ring + s % 3 * STAGE, *bs = as + 128 * 32;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int r = tid / 4 + i * 64, chunk = tid % 4;
                copy_async_16(as + swizzled_chunk(r, chunk), A + (size_t)(row0 + r) * K + s * 32 + chunk * 8);
                copy_async_16(bs + swizzled_chunk(r, chunk), B + (size_t)(col0 + r) * K + s * 32 + chunk * 8);
            }
        }
        copy_async_commit();
    };
    unsigned a[2][4][4], b[2][2][4];
    auto take = [&](int s, int half_step) {
        const half *as = ring + s % 3 * STAGE, *bs = as + 128 * 32;
#pragma unroll
        for (int i = 0; i < 4; i++)
            load_matrix_x4(a[half_step][i], as + swizzled_chunk(wr + i * 16 + lane % 16, half_step * 2 + lane / 16));
#pragma unroll
        for (int j = 0; j < 2; j++)
            load_matrix_x4(b[half_step][j], bs + swizzled_chunk(wc + j * 16 + lane / 16 * 8 + lane % 8,
                                                                half_step * 2 + lane / 8 % 2));
    };
    auto multiply = [&](int half_step) {
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                mma_f16_f32(acc[i][j], a[half_step][i], b[half_step][j / 2][j % 2 * 2], b[half_step][j / 2][j % 2 * 2 + 1]);
    };

    fetch(0);
    fetch(1);
    copy_async_wait<1>();
    __syncthreads();
    take(0, 0);
    for (int s = 0; s < steps; s++) {
        take(s, 1);
        fetch(s + 2);
        multiply(0);
        copy_async_wait<1>();
        __syncthreads();
        if (s + 1 < steps)
            take(s + 1, 0);
        multiply(1);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = row0 + wr + i * 16 + lane / 4, c = col0 + wc + j * 8 + lane % 4 * 2;
            *(half2 *)&C[(size_t)r * N + c] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            *(half2 *)&C[(size_t)(r + 8) * N + c] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}

/* kmutate launch
   int M = 4096, N = 1024, K = 1024; dim3 block = 128; dim3 grid = { N / 64, M / 128 }; size_t smem = 4 * 12288;
   half A[M * K] = uniform(-1, 1); half B[K * N] = uniform(-1, 1); half C[M * N] = zeros();
   half_sums_four_stages_stmatrix(A, B, C, M, N, K);
*/
// Sums in halves, four stages of cp.async, the result by stmatrix into shared memory and from there in whole rows.
__global__ void __launch_bounds__(128)
    half_sums_four_stages_stmatrix(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M,
                                   int N, int K)
{
    extern __shared__ __align__(128) half ring[];
    constexpr int STAGE = 128 * 32 + 32 * 64, STAGES = 4;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
    unsigned acc[2][8][2] = {};
    int steps = K / 32;

    auto fetch = [&](int s) {
        if (s < steps) {
            half *as = ring + s % STAGES * STAGE, *bs = as + 128 * 32;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int r = tid / 4 + i * 32, chunk = tid % 4;
                copy_async_16(as + swizzled_chunk(r, chunk), A + (size_t)(row0 + r) * K + s * 32 + chunk * 8);
            }
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int r = tid / 8 + i * 16, chunk = tid % 8;
                copy_async_16(bs + r * 64 + (chunk ^ (r & 7)) * 8, B + (size_t)(s * 32 + r) * N + col0 + chunk * 8);
            }
        }
        copy_async_commit();
    };

    for (int s = 0; s < STAGES - 1; s++)
        fetch(s);
    for (int s = 0; s < steps; s++) {
        copy_async_wait<STAGES - 2>();
        __syncthreads();
        fetch(s + STAGES - 1);
        const half *as = ring + s % STAGES * STAGE, *bs = as + 128 * 32;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            unsigned a[2][4], b[4][4];
#pragma unroll
            for (int i = 0; i < 2; i++)
                load_matrix_x4(a[i], as + swizzled_chunk(warp * 32 + i * 16 + lane % 16, k * 2 + lane / 16));
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int r = k * 16 + lane % 16, chunk = j * 2 + lane / 16;
                load_matrix_x4_trans(b[j], bs + r * 64 + (chunk ^ (r & 7)) * 8);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    mma_f16_f16(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
    copy_async_wait<0>();
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            store_matrix_x2(ring + (warp * 32 + i * 16 + lane % 16) * 72 + j * 8, acc[i][j][0], acc[i][j][1]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int r = tid / 8 + i * 16, c = tid % 8 * 8;
        *(uint4 *)&C[(size_t)(row0 + r) * N + col0 + c] = *(const uint4 *)(ring + r * 72 + c);
    }
}

/* kmutate launch
   int M = 1536, N = 1536, K = 1024; dim3 block = { 32, 4 }; dim3 grid = { N / 64, M / 64 };
   float A[M * K] = normal(); float B[K * N] = normal(); float C[M * N] = zeros();
   tf32_wmma_product(A, B, C, M, N, K);
*/
// Floats rounded to TF32 on their way into the fragments, tiles of 64 x 16 and 16 x 64 in shared memory.
__global__ void tf32_wmma_product(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M,
                                  int N, int K)
{
    __shared__ __align__(32) float As[64][24];
    __shared__ __align__(32) float Bs[16][72];
    int tid = threadIdx.y * 32 + threadIdx.x;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int wr = threadIdx.y / 2 * 32, wc = threadIdx.y % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(acc[i][j], 0.0f);
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = tid; i < 256; i += 128) {
            *(float4 *)&As[i / 4][i % 4 * 4] = *(const float4 *)&A[(size_t)(row0 + i / 4) * K + k0 + i % 4 * 4];
            *(float4 *)&Bs[i / 16][i % 16 * 4] = *(const float4 *)&B[(size_t)(k0 + i / 16) * N + col0 + i % 16 * 4];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 8) {
            wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &As[wr + i * 16][k], 24);
                wmma::load_matrix_sync(b[i], &Bs[k][wc + i * 16], 72);
                for (int e = 0; e < a[i].num_elements; e++)
                    a[i].x[e] = wmma::__float_to_tf32(a[i].x[e]);
                for (int e = 0; e < b[i].num_elements; e++)
                    b[i].x[e] = wmma::__float_to_tf32(b[i].x[e]);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&C[(size_t)(row0 + wr + i * 16) * N + col0 + wc + j * 16], acc[i][j], N,
                                    wmma::mem_row_major);
}

/* kmutate launch
   int M = 2048, N = 2048, K = 2048; dim3 block = 256; dim3 grid = { N / 128, M / 128 };
   signed char A[M * K] = randint(-128, 128); signed char B[N * K] = randint(-128, 128);
   float scale[N] = uniform(0.00001, 0.0002); signed char C[M * N] = zeros();
   int8_product_requantised(A, B, scale, C, M, N, K);
*/
// Bytes by bytes into 32-bit sums, two stages of cp.async with padded rows, brought back to bytes with a scale a column.
__global__ void __launch_bounds__(256)
    int8_product_requantised(const signed char *__restrict__ A, const signed char *__restrict__ B,
                             const float *__restrict__ scale, signed char *__restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) signed char As[2][128][80];
    __shared__ __align__(16) signed char Bs[2][128][80];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    int wr = warp / 4 * 64, wc = warp % 4 * 32;
    int acc[4][4][4] = {};
    auto fetch = [&](int stage, int k0) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int r = tid / 4 + i * 64, c = tid % 4 * 16;
            copy_async_16(&As[stage][r][c], &A[(size_t)(row0 + r) * K + k0 + c]);
            copy_async_16(&Bs[stage][r][c], &B[(size_t)(col0 + r) * K + k0 + c]);
        }
        copy_async_commit();
    };
    fetch(0, 0);
    for (int k0 = 0, now = 0; k0 < K; k0 += 64, now ^= 1) {
        copy_async_wait<0>();
        __syncthreads();
        if (k0 + 64 < K)
            fetch(now ^ 1, k0 + 64);
#pragma unroll
        for (int k = 0; k < 64; k += 32) {
            unsigned a[4][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                load_matrix_x4(a[i], &As[now][wr + i * 16 + lane % 16][k + lane / 16 * 16]);
#pragma unroll
            for (int j = 0; j < 2; j++)
                load_matrix_x4(b[j], &Bs[now][wc + j * 16 + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 16]);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    mma_s8_s32(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int c = col0 + wc + j * 8 + lane % 4 * 2;
        float s0 = scale[c], s1 = scale[c + 1];
#pragma unroll
        for (int i = 0; i < 4; i++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                int r = row0 + wr + i * 16 + lane / 4 + h * 8;
                int q0 = max(-128, min(127, __float2int_rn(acc[i][j][h * 2] * s0)));
                int q1 = max(-128, min(127, __float2int_rn(acc[i][j][h * 2 + 1] * s1)));
                *(char2 *)&C[(size_t)r * N + c] = make_char2((char)q0, (char)q1);
            }
        }
    }
}

/* kmutate launch
   int queries = 2048, n = 8192, words = 32; dim3 block = 128; dim3 grid = { n / 64, queries / 64 };
   unsigned a[queries * words] = randint(0, 4294967295u); unsigned b[n * words] = randint(0, 4294967295u);
   int bits_a[queries] = fill(512); int bits_b[n] = fill(512); float similarity[queries * n] = zeros();
   fingerprints_tanimoto_binary(a, b, bits_a, bits_b, similarity, n, words);
*/
// How alike fingerprints of 1024 bits are: common bits by the binary product, over those that one of the two has.
__global__ void fingerprints_tanimoto_binary(const unsigned *__restrict__ a, const unsigned *__restrict__ b,
                                             const int *__restrict__ bits_a, const int *__restrict__ bits_b,
                                             float *__restrict__ similarity, int n, int words)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int g = lane / 4, t = lane % 4;
    int row = blockIdx.y * 64 + warp * 16 + g, col0 = blockIdx.x * 64;
    int common[8][4] = {};
    for (int w = 0; w < words; w += 8) {
        unsigned fa[4];
        fa[0] = a[row * words + w + t];
        fa[1] = a[(row + 8) * words + w + t];
        fa[2] = a[row * words + w + t + 4];
        fa[3] = a[(row + 8) * words + w + t + 4];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const unsigned *p = &b[(col0 + j * 8 + g) * words + w + t];
            mma_b1_and(common[j], fa, p[0], p[4]);
        }
    }
    int ra = bits_a[row], rb = bits_a[row + 8];
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int c = col0 + j * 8 + t * 2;
        int c0 = bits_b[c], c1 = bits_b[c + 1];
        float2 upper = make_float2((float)common[j][0] / (float)max(1, ra + c0 - common[j][0]),
                                   (float)common[j][1] / (float)max(1, ra + c1 - common[j][1]));
        float2 lower = make_float2((float)common[j][2] / (float)max(1, rb + c0 - common[j][2]),
                                   (float)common[j][3] / (float)max(1, rb + c1 - common[j][3]));
        *(float2 *)&similarity[(size_t)row * n + c] = upper;
        *(float2 *)&similarity[(size_t)(row + 8) * n + c] = lower;
    }
}

/* kmutate launch
   int M = 1024, N = 1024, K = 768; dim3 block = 128; dim3 grid = { N / 64, M / 64 };
   double A[M * K] = uniform(-1, 1); double B[K * N] = uniform(-1, 1); double C[M * N] = uniform(-1, 1);
   dmma_product_shared(A, B, C, M, N, K, 1.5, -0.5);
*/
// Doubles: tiles of 64 x 16 and 16 x 64 in shared memory, four warps with sixteen products of 8 x 8 x 4 for each step.
__global__ void __launch_bounds__(128)
    dmma_product_shared(const double *__restrict__ A, const double *__restrict__ B, double *__restrict__ C, int M, int N,
                        int K, double alpha, double beta)
{
    __shared__ double As[64][18];
    __shared__ double Bs[16][66];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int g = lane / 4, t = lane % 4;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int wr = warp / 2 * 32, wc = warp % 2 * 32;
    double acc[4][4][2] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = tid; i < 512; i += 128) {
            double2 v = *(const double2 *)&A[(size_t)(row0 + i / 8) * K + k0 + i % 8 * 2];
            As[i / 8][i % 8 * 2] = v.x;
            As[i / 8][i % 8 * 2 + 1] = v.y;
            double2 w = *(const double2 *)&B[(size_t)(k0 + i / 32) * N + col0 + i % 32 * 2];
            Bs[i / 32][i % 32 * 2] = w.x;
            Bs[i / 32][i % 32 * 2 + 1] = w.y;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 4) {
            double a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = As[wr + i * 8 + g][k + t];
                b[i] = Bs[k + t][wc + i * 8 + g];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    mma_f64(acc[i][j], a[i], b[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            double2 *c = (double2 *)&C[(size_t)(row0 + wr + i * 8 + g) * N + col0 + wc + j * 8 + t * 2];
            double2 old = *c;
            *c = make_double2(alpha * acc[i][j][0] + beta * old.x, alpha * acc[i][j][1] + beta * old.y);
        }
}

/* kmutate launch
   int batch = 16384; dim3 block = 128; dim3 grid = batch / 4;
   half A[batch * 1024] = uniform(-1, 1); half B[batch * 1024] = uniform(-1, 1); half C[batch * 1024] = zeros();
   batch_of_32_a_warp_each_movmatrix(A, B, C, batch);
*/
// A warp for each product of 32 x 32: no shared memory at all, B's fragments are turned round by movmatrix.
__global__ void __launch_bounds__(128)
    batch_of_32_a_warp_each_movmatrix(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C,
                                      int batch)
{
    int lane = threadIdx.x % 32;
    int m = blockIdx.x * 4 + threadIdx.x / 32;
    if (m >= batch)
        return;
    int g = lane / 4, t = lane % 4;
    const unsigned *a = (const unsigned *)(A + (size_t)m * 1024);
    const unsigned *b = (const unsigned *)(B + (size_t)m * 1024);
    half2 *c = (half2 *)(C + (size_t)m * 1024);
    float acc[2][4][4] = {};
#pragma unroll
    for (int k = 0; k < 2; k++) {
        unsigned fa[2][4], fb[4][2];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int q = 0; q < 4; q++)
                fa[i][q] = a[(i * 16 + q % 2 * 8 + g) * 16 + k * 8 + q / 2 * 4 + t];
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int q = 0; q < 2; q++)
                fb[j][q] = transpose_matrix(b[(k * 16 + q * 8 + g) * 16 + j * 4 + t]);
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                mma_f16_f32(acc[i][j], fa[i], fb[j][0], fb[j][1]);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            c[(i * 16 + g) * 16 + j * 4 + t] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            c[(i * 16 + g + 8) * 16 + j * 4 + t] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}

/* kmutate launch
   int M = 128, N = 512, K = 32768, parts = 32; dim3 block = 128; dim3 grid = { N / 64, M / 64, parts };
   half A[M * K] = uniform(-1, 1); half B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   wmma_split_k_atomic(A, B, C, M, N, K, K / parts);
*/
// A small result of a long K: the third dimension of the grid shares K out and adds its part with atomics.
__global__ void wmma_split_k_atomic(const half *__restrict__ A, const half *__restrict__ B, float *C, int M, int N, int K,
                                    int part)
{
    __shared__ __align__(32) half As[64][72];
    __shared__ __align__(32) half Bs[64][72];
    __shared__ __align__(32) float Cs[64][68];
    int tid = threadIdx.x, warp = tid / 32;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int wr = warp / 2 * 32, wc = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(acc[i][j], 0.0f);
    int k_begin = blockIdx.z * part, k_end = min(K, k_begin + part);
    for (int k0 = k_begin; k0 < k_end; k0 += 64) {
#pragma unroll
        for (int i = tid; i < 512; i += 128) {
            int r = i / 8, c = i % 8 * 8;
            *(uint4 *)&As[r][c] = *(const uint4 *)&A[(size_t)(row0 + r) * K + k0 + c];
            *(uint4 *)&Bs[r][c] = *(const uint4 *)&B[(size_t)(k0 + r) * N + col0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 64; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &As[wr + i * 16][k], 72);
                wmma::load_matrix_sync(b[i], &Bs[k][wc + i * 16], 72);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&Cs[wr + i * 16][wc + j * 16], acc[i][j], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = tid; i < 64 * 64; i += 128)
        atomicAdd(&C[(row0 + i / 64) * N + col0 + i % 64], Cs[i / 64][i % 64]);
}

__device__ __forceinline__ float gelu(float v)
{
    return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

/* kmutate launch
   int M = 2048, N = 3072, K = 768; dim3 block = 256; dim3 grid = { N / 64, M / 128 };
   half X[M * K] = normal(); half W[K * N] = normal(0, 0.03); float bias[N] = uniform(-0.5, 0.5); half Y[M * N] = zeros();
   linear_bias_gelu_wmma_pipeline(X, W, bias, Y, M, N, K);
*/
// A layer of a transformer's network: product, bias and GELU at once, two stages through the pipeline's primitives.
__global__ void __launch_bounds__(256)
    linear_bias_gelu_wmma_pipeline(const half *__restrict__ X, const half *__restrict__ W, const float *__restrict__ bias,
                                   half *__restrict__ Y, int M, int N, int K)
{
    __shared__ __align__(32) half xs[2][128][40];
    __shared__ __align__(32) half ws[2][32][72];
    __shared__ __align__(32) float tile[8][16][20];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
    int wr = warp / 2 * 32, wc = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(acc[i][j], 0.0f);
    auto fetch = [&](int stage, int k0) {
        for (int i = tid; i < 512; i += 256)
            __pipeline_memcpy_async(&xs[stage][i / 4][i % 4 * 8], &X[(size_t)(row0 + i / 4) * K + k0 + i % 4 * 8], 16);
        __pipeline_memcpy_async(&ws[stage][tid / 8][tid % 8 * 8], &W[(size_t)(k0 + tid / 8) * N + col0 + tid % 8 * 8], 16);
        __pipeline_commit();
    };
    fetch(0, 0);
    int now = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
        if (k0 + 32 < K) {
            fetch(now ^ 1, k0 + 32);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &xs[now][wr + i * 16][k], 40);
                wmma::load_matrix_sync(b[i], &ws[now][k][wc + i * 16], 72);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
        __syncthreads();
        now ^= 1;
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) {
            wmma::store_matrix_sync(&tile[warp][0][0], acc[i][j], 20, wmma::mem_row_major);
            __syncwarp();
            int r = lane / 2, c = lane % 2 * 8;
            int col = col0 + wc + j * 16 + c;
            unsigned out[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                float2 v = *(const float2 *)&tile[warp][r][c + e * 2];
                out[e] = pack_halves(gelu(v.x + bias[col + e * 2]), gelu(v.y + bias[col + e * 2 + 1]));
            }
            *(uint4 *)&Y[(size_t)(row0 + wr + i * 16 + r) * N + col] = make_uint4(out[0], out[1], out[2], out[3]);
            __syncwarp();
        }
}

/* kmutate launch
   int n = 2048, k = 512; dim3 block = 128; dim3 grid = { n / 64, n / 64 };
   float A[n * k] = normal(); float C[n * n] = uniform(-1, 1);
   rank_k_lower_tf32(A, C, n, k, 0.5f, 2.0f);
*/
// C = alpha A A' + beta C in the lower half alone: blocks above the diagonal go home, TF32 with single loads.
__global__ void __launch_bounds__(128) rank_k_lower_tf32(const float *__restrict__ A, float *__restrict__ C, int n, int k,
                                                         float alpha, float beta)
{
    if (blockIdx.x > blockIdx.y)
        return;
    __shared__ unsigned rows[64][36];
    __shared__ unsigned cols[64][36];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int g = lane / 4, t = lane % 4;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int wr = warp / 2 * 32, wc = warp % 2 * 32;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll
        for (int i = tid; i < 512; i += 128) {
            int r = i / 8, c = i % 8 * 4;
            float4 v = *(const float4 *)&A[(size_t)(row0 + r) * k + k0 + c];
            float4 w = *(const float4 *)&A[(size_t)(col0 + r) * k + k0 + c];
            *(uint4 *)&rows[r][c] = make_uint4(to_tf32(v.x), to_tf32(v.y), to_tf32(v.z), to_tf32(v.w));
            *(uint4 *)&cols[r][c] = make_uint4(to_tf32(w.x), to_tf32(w.y), to_tf32(w.z), to_tf32(w.w));
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 8) {
            unsigned a[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    a[i][q] = rows[wr + i * 16 + q % 2 * 8 + g][kk + q / 2 * 4 + t];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned b0 = cols[wc + j * 8 + g][kk + t], b1 = cols[wc + j * 8 + g][kk + t + 4];
#pragma unroll
                for (int i = 0; i < 2; i++)
                    mma_tf32_f32(acc[i][j], a[i], b0, b1);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int q = 0; q < 4; q++) {
                int r = row0 + wr + i * 16 + q / 2 * 8 + g, c = col0 + wc + j * 8 + t * 2 + q % 2;
                if (c <= r)
                    C[(size_t)r * n + c] = alpha * acc[i][j][q] + beta * C[(size_t)r * n + c];
            }
}

// ------------------------------------------------------------------------------------------------------------ attention

/* kmutate launch
   int heads = 64, L = 1024; dim3 block = 128; dim3 grid = { L / 64, heads };
   half Q[heads * L * 64] = normal(); half K[heads * L * 64] = normal(); half V[heads * L * 64] = normal();
   half O[heads * L * 64] = zeros();
   flash_forward_64(Q, K, V, O, L, 0.125f);
*/
// Attention in one pass for heads of 64: scores and sums stay in registers, the next keys come while values are used.
__global__ void __launch_bounds__(128)
    flash_forward_64(const half *__restrict__ Q, const half *__restrict__ K, const half *__restrict__ V,
                     half *__restrict__ O, int L, float scale)
{
    __shared__ __align__(16) half qs[64][72];
    __shared__ __align__(16) half ks[64][72];
    __shared__ __align__(16) half vs[64][72];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t base = (size_t)blockIdx.y * L * 64;
    int q0 = blockIdx.x * 64;
    auto fetch = [&](half (*to)[72], const half *from) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int r = tid / 8 + i * 16, c = tid % 8 * 8;
            copy_async_16(&to[r][c], from + r * 64 + c);
        }
    };
    fetch(qs, Q + base + (size_t)q0 * 64);
    fetch(ks, K + base);
    copy_async_commit();
    float scale2 = scale * 1.4426950408889634f;
    float best[2] = { -1e30f, -1e30f }, total[2] = { 0.f, 0.f };
    float o[8][4] = {};
    for (int key0 = 0; key0 < L; key0 += 64) {
        fetch(vs, V + base + (size_t)key0 * 64);
        copy_async_commit();
        copy_async_wait<1>();
        __syncthreads();
        float s[8][4] = {};
#pragma unroll
        for (int d = 0; d < 64; d += 16) {
            unsigned a[4];
            load_matrix_x4(a, &qs[warp * 16 + lane % 16][d + lane / 16 * 8]);
#pragma unroll
            for (int j = 0; j < 8; j += 2) {
                unsigned b[4];
                load_matrix_x4(b, &ks[j * 8 + lane / 16 * 8 + lane % 8][d + lane / 8 % 2 * 8]);
                mma_f16_f32(s[j], a, b[0], b[1]);
                mma_f16_f32(s[j + 1], a, b[2], b[3]);
            }
        }
        __syncthreads();
        if (key0 + 64 < L)
            fetch(ks, K + base + (size_t)(key0 + 64) * 64);
        copy_async_commit();
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float top = best[h];
#pragma unroll
            for (int j = 0; j < 8; j++)
                top = fmaxf(top, fmaxf(s[j][h * 2], s[j][h * 2 + 1]) * scale2);
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
            float shrink = exp2f(best[h] - top);
            best[h] = top;
            float sum = 0.f;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                s[j][h * 2] = exp2f(s[j][h * 2] * scale2 - top);
                s[j][h * 2 + 1] = exp2f(s[j][h * 2 + 1] * scale2 - top);
                sum += s[j][h * 2] + s[j][h * 2 + 1];
                o[j][h * 2] *= shrink;
                o[j][h * 2 + 1] *= shrink;
            }
            total[h] = total[h] * shrink + sum;
        }
        copy_async_wait<1>();
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 4; j++) {
            unsigned p[4] = { pack_halves(s[2 * j][0], s[2 * j][1]), pack_halves(s[2 * j][2], s[2 * j][3]),
                              pack_halves(s[2 * j + 1][0], s[2 * j + 1][1]), pack_halves(s[2 * j + 1][2], s[2 * j + 1][3]) };
#pragma unroll
            for (int d = 0; d < 8; d += 2) {
                unsigned b[4];
                load_matrix_x4_trans(b, &vs[j * 16 + lane % 16][d * 8 + lane / 16 * 8]);
                mma_f16_f32(o[d], p, b[0], b[1]);
                mma_f16_f32(o[d + 1], p, b[2], b[3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        total[h] += __shfl_xor_sync(0xffffffffu, total[h], 1);
        total[h] += __shfl_xor_sync(0xffffffffu, total[h], 2);
        float inverse = 1.0f / total[h];
        half *out = O + base + (size_t)(q0 + warp * 16 + lane / 4 + h * 8) * 64 + lane % 4 * 2;
#pragma unroll
        for (int d = 0; d < 8; d++)
            *(half2 *)(out + d * 8) = __floats2half2_rn(o[d][h * 2] * inverse, o[d][h * 2 + 1] * inverse);
    }
}

/* kmutate launch
   int heads = 32, L = 1024; dim3 block = 128; dim3 grid = { L / 64, heads };
   size_t smem = 64 * 136 * 2 * 2 + 64 * 68 * 4 + 64 * 72 * 2 + 64 * 132 * 4;
   half Q[heads * L * 128] = normal(); half K[heads * L * 128] = normal(); half V[heads * L * 128] = normal();
   float O[heads * L * 128] = zeros();
   flash_causal_128_wmma(Q, K, V, O, L, 0.08838834764f);
*/
// Causal attention for heads of 128 as one writes it with wmma: scores, weights and sums all live in shared memory.
__global__ void __launch_bounds__(128)
    flash_causal_128_wmma(const half *__restrict__ Q, const half *__restrict__ K, const half *__restrict__ V,
                          float *__restrict__ O, int L, float scale)
{
    extern __shared__ __align__(128) unsigned char room[];
    half *qs = (half *)room;           // 64 x 136
    half *kv = qs + 64 * 136;          // 64 x 136
    float *ss = (float *)(kv + 64 * 136); // 64 x 68
    half *ps = (half *)(ss + 64 * 68); // 64 x 72
    float *os = (float *)(ps + 64 * 72); // 64 x 132
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t base = (size_t)blockIdx.y * L * 128;
    int q0 = blockIdx.x * 64;
    for (int i = tid; i < 64 * 16; i += 128)
        *(uint4 *)&qs[i / 16 * 136 + i % 16 * 8] = *(const uint4 *)&Q[base + (size_t)(q0 + i / 16) * 128 + i % 16 * 8];
    for (int i = tid; i < 64 * 132; i += 128)
        os[i] = 0.f;
    int r = warp * 16 + lane / 2, part = lane % 2;
    float best = -1e30f, total = 0.f;
    for (int key0 = 0; key0 <= q0; key0 += 64) {
        __syncthreads();
        for (int i = tid; i < 64 * 16; i += 128)
            *(uint4 *)&kv[i / 16 * 136 + i % 16 * 8] = *(const uint4 *)&K[base + (size_t)(key0 + i / 16) * 128 + i % 16 * 8];
        __syncthreads();
        for (int j = 0; j < 4; j++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> s;
            wmma::fill_fragment(s, 0.0f);
#pragma unroll
            for (int d = 0; d < 128; d += 16) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
                wmma::load_matrix_sync(a, &qs[warp * 16 * 136 + d], 136);
                wmma::load_matrix_sync(b, &kv[j * 16 * 136 + d], 136);
                wmma::mma_sync(s, a, b, s);
            }
            wmma::store_matrix_sync(&ss[warp * 16 * 68 + j * 16], s, 68, wmma::mem_row_major);
        }
        __syncthreads();
        for (int i = tid; i < 64 * 16; i += 128)
            *(uint4 *)&kv[i / 16 * 136 + i % 16 * 8] = *(const uint4 *)&V[base + (size_t)(key0 + i / 16) * 128 + i % 16 * 8];
        float top = best;
        for (int c = part; c < 64; c += 2) {
            float v = key0 + c <= q0 + r ? ss[r * 68 + c] * scale : -1e30f;
            ss[r * 68 + c] = v;
            top = fmaxf(top, v);
        }
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
        float shrink = __expf(best - top), sum = 0.f;
        best = top;
        for (int c = part; c < 64; c += 2) {
            float p = __expf(ss[r * 68 + c] - top);
            sum += p;
            ps[r * 72 + c] = __float2half(p);
        }
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        total = total * shrink + sum;
        for (int c = part; c < 128; c += 2)
            os[r * 132 + c] *= shrink;
        __syncthreads();
        for (int d = 0; d < 128; d += 16) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> o;
            wmma::load_matrix_sync(o, &os[warp * 16 * 132 + d], 132, wmma::mem_row_major);
#pragma unroll
            for (int j = 0; j < 64; j += 16) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> v;
                wmma::load_matrix_sync(p, &ps[warp * 16 * 72 + j], 72);
                wmma::load_matrix_sync(v, &kv[j * 136 + d], 136);
                wmma::mma_sync(o, p, v, o);
            }
            wmma::store_matrix_sync(&os[warp * 16 * 132 + d], o, 132, wmma::mem_row_major);
        }
    }
    __syncthreads();
    float inverse = 1.0f / total;
    for (int row = 0; row < 16; row++) {
        float f = __shfl_sync(0xffffffffu, inverse, row * 2);
        for (int c = lane; c < 128; c += 32)
            O[base + (size_t)(q0 + warp * 16 + row) * 128 + c] = os[(warp * 16 + row) * 132 + c] * f;
    }
}

/* kmutate launch
   int heads = 96, L = 512; dim3 block = 128; dim3 grid = { L / 64, L / 64, heads };
   half Q[heads * L * 64] = normal(); half K[heads * L * 64] = normal(); int length[heads] = randint(200, 513);
   half S[heads * L * L] = zeros();
   attention_scores_masked(Q, K, length, S, L, 0.125f);
*/
// Scaled scores of all queries and keys, minus a lot where the sentence has ended; rows of 128 bytes, swizzled.
__global__ void __launch_bounds__(128)
    attention_scores_masked(const half *__restrict__ Q, const half *__restrict__ K, const int *__restrict__ length,
                            half *__restrict__ S, int L, float scale)
{
    __shared__ __align__(128) half qs[64 * 64];
    __shared__ __align__(128) half ks[64 * 64];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int head = blockIdx.z, q0 = blockIdx.y * 64, key0 = blockIdx.x * 64;
    const half *q = Q + ((size_t)head * L + q0) * 64, *k = K + ((size_t)head * L + key0) * 64;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int r = tid / 8 + i * 16, chunk = tid % 8;
        copy_async_16(qs + r * 64 + (chunk ^ (r & 7)) * 8, q + r * 64 + chunk * 8);
        copy_async_16(ks + r * 64 + (chunk ^ (r & 7)) * 8, k + r * 64 + chunk * 8);
    }
    copy_async_commit();
    int valid = length[head];
    copy_async_wait<0>();
    __syncthreads();
    float s[8][4] = {};
#pragma unroll
    for (int d = 0; d < 4; d++) {
        unsigned a[4];
        int r = warp * 16 + lane % 16;
        load_matrix_x4(a, qs + r * 64 + ((d * 2 + lane / 16) ^ (r & 7)) * 8);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            unsigned b[4];
            int c = j * 16 + lane / 16 * 8 + lane % 8;
            load_matrix_x4(b, ks + c * 64 + ((d * 2 + lane / 8 % 2) ^ (c & 7)) * 8);
            mma_f16_f32(s[2 * j], a, b[0], b[1]);
            mma_f16_f32(s[2 * j + 1], a, b[2], b[3]);
        }
    }
    half *out = S + ((size_t)head * L + q0 + warp * 16 + lane / 4) * L + key0 + lane % 4 * 2;
    int key = key0 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float x = key + j * 8 < valid ? s[j][h * 2] * scale : -10000.0f;
            float y = key + j * 8 + 1 < valid ? s[j][h * 2 + 1] * scale : -10000.0f;
            *(half2 *)(out + (size_t)h * 8 * L + j * 8) = __floats2half2_rn(x, y);
        }
}

// --------------------------------------------------------------------------------------------------------- convolutions

/* kmutate launch
   int images = 16, H = 56, W = 56, C = 64, F = 64; dim3 block = 128; dim3 grid = images * H * W / 64;
   half in[images * H * W * C] = normal(); half filter[F * 9 * C] = normal(0, 0.05); float bias[F] = uniform(-1, 1);
   half out[images * H * W * F] = zeros();
   conv3x3_implicit_product_relu(in, filter, bias, out, H, W, C, F);
*/
// A 3 x 3 convolution of channels-last images as a product that is never laid out: cp.async writes zeros at the border.
__global__ void __launch_bounds__(128)
    conv3x3_implicit_product_relu(const half *__restrict__ in, const half *__restrict__ filter,
                                  const float *__restrict__ bias, half *__restrict__ out, int H, int W, int C, int F)
{
    __shared__ __align__(16) half as[2][64][40];
    __shared__ __align__(16) half bs[2][64][40];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int pixel0 = blockIdx.x * 64;
    int chunk = tid % 4 * 8;
    int image[2], y[2], x[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int p = pixel0 + tid / 4 + i * 32;
        image[i] = p / (H * W);
        y[i] = p / W % H;
        x[i] = p % W;
    }
    int chunks = C / 32, steps = 9 * chunks;
    auto fetch = [&](int s) {
        int tap = s / chunks, c = s % chunks * 32 + chunk;
        int dy = tap / 3 - 1, dx = tap % 3 - 1;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int yy = y[i] + dy, xx = x[i] + dx, r = tid / 4 + i * 32;
            bool inside = yy >= 0 && yy < H && xx >= 0 && xx < W;
            const half *from = inside ? in + ((size_t)(image[i] * H + yy) * W + xx) * C + c : in;
            copy_async_16_or_zero(&as[s & 1][r][chunk], from, inside);
            copy_async_16(&bs[s & 1][r][chunk], filter + (size_t)(r * 9 + tap) * C + c);
        }
        copy_async_commit();
    };
    float acc[2][4][4] = {};
    int wr = warp / 2 * 32, wc = warp % 2 * 32;
    fetch(0);
    for (int s = 0; s < steps; s++) {
        copy_async_wait<0>();
        __syncthreads();
        if (s + 1 < steps)
            fetch(s + 1);
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned a[2][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                load_matrix_x4(a[i], &as[s & 1][wr + i * 16 + lane % 16][k + lane / 16 * 8]);
                load_matrix_x4(b[i], &bs[s & 1][wc + i * 16 + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 8]);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    mma_f16_f32(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int f = wc + j * 8 + lane % 4 * 2;
        float b0 = bias[f], b1 = bias[f + 1];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                size_t p = pixel0 + wr + i * 16 + h * 8 + lane / 4;
                *(half2 *)&out[p * F + f] = __floats2half2_rn(fmaxf(acc[i][j][h * 2] + b0, 0.f),
                                                              fmaxf(acc[i][j][h * 2 + 1] + b1, 0.f));
            }
    }
}

/* kmutate launch
   int images = 48, H = 32, W = 32, groups = 16; dim3 block = 128; dim3 grid = { H / 8, groups, images };
   half in[images * H * W * groups * 16] = normal(); half filter[groups * 9 * 256] = normal(0, 0.1);
   half out[images * H * W * groups * 16] = zeros();
   grouped_conv_sixteen_channels(in, filter, out, H, W, groups);
*/
// Groups of sixteen channels: eight rows of one group with their border in shared memory, the sixteen pixels of a
// fragment's rows simply begin one pixel further for the next tap.
__global__ void grouped_conv_sixteen_channels(const half *__restrict__ in, const half *__restrict__ filter,
                                              half *__restrict__ out, int H, int W, int groups)
{
    __shared__ __align__(32) half patch[10][34][16];
    int tid = threadIdx.x, warp = tid / 32;
    int y0 = blockIdx.x * 8, group = blockIdx.y, image = blockIdx.z;
    int C = groups * 16;
    for (int i = tid; i < 10 * 34 * 2; i += 128) {
        int part = i % 2 * 8, px = i / 2 % 34, py = i / 2 / 34;
        int y = y0 + py - 1, x = px - 1;
        uint4 v = make_uint4(0, 0, 0, 0);
        if (y >= 0 && y < H && x >= 0 && x < W)
            v = *(const uint4 *)&in[((size_t)(image * H + y) * W + x) * C + group * 16 + part];
        *(uint4 *)&patch[py][px][part] = v;
    }
    __syncthreads();
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> acc[4];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(acc[i], __float2half(0.0f));
    for (int tap = 0; tap < 9; tap++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> f;
        wmma::load_matrix_sync(f, filter + (group * 9 + tap) * 256, 16);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
            wmma::load_matrix_sync(p, &patch[warp * 2 + i / 2 + tap / 3][i % 2 * 16 + tap % 3][0], 16);
            wmma::mma_sync(acc[i], p, f, acc[i]);
        }
    }
    for (int i = 0; i < 4; i++) {
        int y = y0 + warp * 2 + i / 2, x = i % 2 * 16;
        wmma::store_matrix_sync(&out[((size_t)(image * H + y) * W + x) * C + group * 16], acc[i], C, wmma::mem_row_major);
    }
}

// ---------------------------------------------------------------------------------------------------- quantised weights

/* kmutate launch
   int N = 11008, K = 4096; dim3 block = 128; dim3 grid = N / 8;
   half X[16 * K] = normal(); unsigned W[N * K / 8] = randint(0, 4294967295u); half scale[N * K / 128] = uniform(0.001, 0.01);
   half Y[16 * N] = zeros();
   four_bit_weights_sixteen_tokens(X, W, scale, Y, N, K);
*/
// Sixteen tokens by weights of four bits with a scale for each 128: a word is eight weights that a lane turns into halves
// for two products; the order of K is the lanes' own, the same for both operands. Four warps share K, shared memory adds.
// Weight 2i of a word stands in its nibble i, weight 2i + 1 in nibble i + 4.
__global__ void __launch_bounds__(128)
    four_bit_weights_sixteen_tokens(const half *__restrict__ X, const unsigned *__restrict__ W,
                                    const half *__restrict__ scale, half *__restrict__ Y, int N, int K)
{
    __shared__ float partial[4][32][4];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int g = lane / 4, t = lane % 4;
    int n = blockIdx.x * 8 + g;
    float acc[4] = {};
    for (int k0 = warp * 128; k0 < K; k0 += 512) {
        half2 s = __half2half2(scale[(size_t)n * (K / 128) + k0 / 128]);
#pragma unroll
        for (int k = k0; k < k0 + 128; k += 32) {
            unsigned word = W[((size_t)n * K + k) / 8 + t];
            uint4 upper = *(const uint4 *)&X[g * K + k + t * 8];
            uint4 lower = *(const uint4 *)&X[(g + 8) * K + k + t * 8];
            unsigned w[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                unsigned bits = ((word >> (4 * i)) & 0x000f000fu) | 0x64006400u;
                half2 h = __hsub2(*reinterpret_cast<half2 *>(&bits), __float2half2_rn(1032.0f));
                h = __hmul2(h, s);
                w[i] = *reinterpret_cast<unsigned *>(&h);
            }
            unsigned a0[4] = { upper.x, lower.x, upper.y, lower.y };
            unsigned a1[4] = { upper.z, lower.z, upper.w, lower.w };
            mma_f16_f32(acc, a0, w[0], w[1]);
            mma_f16_f32(acc, a1, w[2], w[3]);
        }
    }
    for (int q = 0; q < 4; q++)
        partial[warp][lane][q] = acc[q];
    __syncthreads();
    int owner = threadIdx.x / 4, q = threadIdx.x % 4;
    float sum = partial[0][owner][q] + partial[1][owner][q] + partial[2][owner][q] + partial[3][owner][q];
    int row = owner / 4 + q / 2 * 8, col = owner % 4 * 2 + q % 2;
    Y[row * N + blockIdx.x * 8 + col] = __float2half(sum);
}

// ---------------------------------------------------------------------------------------------------- transforms, sums

/* kmutate launch
   int signals = 32768; dim3 block = 128; dim3 grid = signals / 16;
   half re[signals * 256] = uniform(-1, 1); half im[signals * 256] = uniform(-1, 1);
   half out_re[signals * 256] = zeros(); half out_im[signals * 256] = zeros();
   fft256_as_products(re, im, out_re, out_im);
*/
// Fourier transforms of 256 points: sixteen by sixteen, the matrix of roots from the left, twiddles, from the right.
__global__ void __launch_bounds__(128) fft256_as_products(const half *__restrict__ re, const half *__restrict__ im,
                                                          half *__restrict__ out_re, half *__restrict__ out_im)
{
    __shared__ __align__(32) half roots[3][256]; // cosines, sines, minus sines
    __shared__ float2 twiddle[256];
    __shared__ __align__(32) float middle[4][2][256];
    __shared__ __align__(32) half turned[4][2][256];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    for (int i = tid; i < 256; i += 128) {
        int jk = i / 16 * (i % 16);
        float s, c;
        sincospif(-0.125f * (float)(jk % 16), &s, &c);
        roots[0][i] = __float2half(c);
        roots[1][i] = __float2half(s);
        roots[2][i] = __float2half(-s);
        sincospif(-(float)jk / 128.0f, &s, &c);
        twiddle[i] = make_float2(c, s);
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left[3];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right[3];
    for (int i = 0; i < 3; i++) {
        wmma::load_matrix_sync(left[i], roots[i], 16);
        wmma::load_matrix_sync(right[i], roots[i], 16);
    }
    for (int i = 0; i < 4; i++) {
        size_t base = ((size_t)blockIdx.x * 16 + i * 4 + warp) * 256;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> xr, xi;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> yr, yi;
        wmma::load_matrix_sync(xr, re + base, 16);
        wmma::load_matrix_sync(xi, im + base, 16);
        wmma::fill_fragment(yr, 0.0f);
        wmma::fill_fragment(yi, 0.0f);
        wmma::mma_sync(yr, left[0], xr, yr);
        wmma::mma_sync(yr, left[2], xi, yr);
        wmma::mma_sync(yi, left[0], xi, yi);
        wmma::mma_sync(yi, left[1], xr, yi);
        wmma::store_matrix_sync(middle[warp][0], yr, 16, wmma::mem_row_major);
        wmma::store_matrix_sync(middle[warp][1], yi, 16, wmma::mem_row_major);
        __syncwarp();
        for (int e = lane; e < 256; e += 32) {
            float a = middle[warp][0][e], b = middle[warp][1][e];
            float2 w = twiddle[e];
            turned[warp][0][e] = __float2half(a * w.x - b * w.y);
            turned[warp][1][e] = __float2half(a * w.y + b * w.x);
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> ar, ai;
        wmma::load_matrix_sync(ar, turned[warp][0], 16);
        wmma::load_matrix_sync(ai, turned[warp][1], 16);
        wmma::fragment<wmma::accumulator, 16, 16, 16, half> zr, zi;
        wmma::fill_fragment(zr, __float2half(0.0f));
        wmma::fill_fragment(zi, __float2half(0.0f));
        wmma::mma_sync(zr, ar, right[0], zr);
        wmma::mma_sync(zr, ai, right[2], zr);
        wmma::mma_sync(zi, ai, right[0], zi);
        wmma::mma_sync(zi, ar, right[1], zi);
        wmma::store_matrix_sync(out_re + base, zr, 16, wmma::mem_col_major);
        wmma::store_matrix_sync(out_im + base, zi, 16, wmma::mem_col_major);
        __syncwarp();
    }
}

/* kmutate launch
   int segments = 8192; dim3 block = 256; dim3 grid = segments / 8;
   half in[segments * 1024] = randint(-2, 3); float out[segments * 1024] = zeros();
   segmented_scan_by_ones(in, out, segments);
*/
// Running sums of segments of 1024, a warp for each: 256 at once as X U + L (X 1), where U and L are triangles of ones.
__global__ void segmented_scan_by_ones(const half *__restrict__ in, float *__restrict__ out, int segments)
{
    __shared__ __align__(32) half ones[3][256]; // on and above the diagonal, below it, everywhere
    __shared__ __align__(32) half sums[8][256];
    int tid = threadIdx.x, warp = tid / 32;
    ones[0][tid] = __float2half(tid / 16 <= tid % 16 ? 1.0f : 0.0f);
    ones[1][tid] = __float2half(tid / 16 > tid % 16 ? 1.0f : 0.0f);
    ones[2][tid] = __float2half(1.0f);
    __syncthreads();
    int segment = blockIdx.x * 8 + warp;
    if (segment >= segments)
        return;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> upper, all;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> below;
    wmma::load_matrix_sync(upper, ones[0], 16);
    wmma::load_matrix_sync(below, ones[1], 16);
    wmma::load_matrix_sync(all, ones[2], 16);
    float carry = 0.0f;
    for (int i = 0; i < 4; i++) {
        size_t base = (size_t)segment * 1024 + i * 256;
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> rows;
        wmma::fragment<wmma::accumulator, 16, 16, 16, half> row_sums;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> result;
        wmma::load_matrix_sync(x, in + base, 16);
        wmma::fill_fragment(row_sums, __float2half(0.0f));
        wmma::mma_sync(row_sums, x, all, row_sums);
        wmma::store_matrix_sync(sums[warp], row_sums, 16, wmma::mem_row_major);
        __syncwarp();
        wmma::load_matrix_sync(rows, sums[warp], 16);
        wmma::fill_fragment(result, carry);
        wmma::mma_sync(result, x, upper, result);
        wmma::mma_sync(result, below, rows, result);
        wmma::store_matrix_sync(out + base, result, 16, wmma::mem_row_major);
        __syncwarp();
        carry = out[base + 255];
    }
}

// ------------------------------------------------------------------------------------------------------ sparse, factors

/* kmutate launch
   int block_rows = 2048, block_cols = 1024, N = 128; int blocks = csr_nnz(block_rows, 4, 25);
   dim3 block = 128; dim3 grid = block_rows;
   int rowptr[block_rows + 1] = csr_rowptr(block_rows, 4, 25); int colidx[blocks] = csr_colidx(block_cols);
   half values[blocks * 256] = uniform(-1, 1); half B[block_cols * 16 * N] = uniform(-1, 1);
   float C[block_rows * 16 * N] = zeros();
   sparse_blocks_times_dense(rowptr, colidx, values, B, C, N);
*/
// Sparse blocks of 16 x 16 times 128 dense columns: a block for each row of blocks, a warp for 32 columns.
__global__ void sparse_blocks_times_dense(const int *__restrict__ rowptr, const int *__restrict__ colidx,
                                          const half *__restrict__ values, const half *__restrict__ B,
                                          float *__restrict__ C, int N)
{
    int row = blockIdx.x, col = threadIdx.x / 32 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
    wmma::fill_fragment(acc[0], 0.0f);
    wmma::fill_fragment(acc[1], 0.0f);
    int end = rowptr[row + 1];
    for (int e = rowptr[row]; e < end; e++) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::load_matrix_sync(a, values + (size_t)e * 256, 16);
        const half *b = B + (size_t)colidx[e] * 16 * N + col;
        for (int j = 0; j < 2; j++) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> f;
            wmma::load_matrix_sync(f, b + j * 16, N);
            wmma::mma_sync(acc[j], a, f, acc[j]);
        }
    }
    for (int j = 0; j < 2; j++)
        wmma::store_matrix_sync(C + (size_t)row * 16 * N + col + j * 16, acc[j], N, wmma::mem_row_major);
}

/* kmutate launch
   int n = 3072, k = 512; int rest = n - k - 32; dim3 block = 128; dim3 grid = { (rest + 63) / 64, (rest + 63) / 64 };
   double A[n * n] = uniform(-1, 1);
   lu_trailing_update_dmma(A, n, k);
*/
// What a panel of 32 columns leaves to do in LU: A22 -= A21 A12, in doubles; the last blocks stick out.
__global__ void __launch_bounds__(128) lu_trailing_update_dmma(double *A, int n, int k)
{
    __shared__ double left[64][34];
    __shared__ double above[32][66];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int g = lane / 4, t = lane % 4;
    int row0 = k + 32 + blockIdx.y * 64, col0 = k + 32 + blockIdx.x * 64;
    for (int i = tid; i < 64 * 32; i += 128) {
        int r = row0 + i / 32, c = col0 + i % 64;
        left[i / 32][i % 32] = r < n ? A[(size_t)r * n + k + i % 32] : 0.0;
        above[i / 64][i % 64] = c < n ? A[(size_t)(k + i / 64) * n + c] : 0.0;
    }
    __syncthreads();
    double acc[2][8][2] = {};
#pragma unroll
    for (int kk = 0; kk < 32; kk += 4) {
        double a0 = left[warp * 16 + g][kk + t], a1 = left[warp * 16 + 8 + g][kk + t];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            double b = above[kk + t][j * 8 + g];
            mma_f64(acc[0][j], a0, b);
            mma_f64(acc[1][j], a1, b);
        }
    }
    for (int i = 0; i < 2; i++) {
        int r = row0 + warp * 16 + i * 8 + g;
        if (r >= n)
            continue;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int c = col0 + j * 8 + t * 2;
            if (c < n)
                A[(size_t)r * n + c] -= acc[i][j][0];
            if (c + 1 < n)
                A[(size_t)r * n + c + 1] -= acc[i][j][1];
        }
    }
}
