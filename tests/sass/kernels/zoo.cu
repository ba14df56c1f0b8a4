// One kernel per family of instructions, so that the table of classes meets as many opcodes as the compiler makes.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using namespace nvcuda;

extern "C" __global__ void widths(const char *a, char *b, int n)
{
    int i = threadIdx.x;
    __shared__ __align__(16) char s[16384];
#define MOVE(T) ((T *)s)[i] = ((const T *)a)[i + n]; __syncthreads(); ((T *)b)[i] = ((T *)s)[i ^ 1]; __syncthreads();
    MOVE(unsigned char) MOVE(signed char) MOVE(short) MOVE(unsigned short) MOVE(int) MOVE(double) MOVE(float4)
    b[i] += __ldg(a + i);
    ((float4 *)b)[i] = __ldcs((const float4 *)a + i);
}

extern "C" __global__ void atomics(int *p, float *f, double *d, unsigned long long *u, __half2 *h, int n)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i & 63] = n;
    __syncthreads();
    atomicAdd(&s[n & 63], 1);
    p[i] = atomicAdd(&s[i & 63], 2) + atomicCAS(&s[(i + 1) & 63], 3, n) + atomicExch(&s[5], n) + atomicMax(&s[6], n);
    atomicAdd(p + n, 1);
    p[i + 1] = atomicAdd(p + 9, n) + atomicMin(p + 4, n) + atomicCAS(p + 5, 1, n) + atomicOr(p + 7, n);
    atomicAdd(f + n, 1.5f);
    atomicAdd(d + n, 1.5);
    f[i] = atomicAdd(f + 2, 2.5f);
    u[i] = atomicAdd(u + 3, 5ull) + atomicExch(u + 4, 7ull);
    atomicAdd(h, __floats2half2_rn(1, 2));
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}

extern "C" __global__ void generic_and_local(int *p, int n)
{
    __shared__ int s[32];
    int big[64];
    for (int i = 0; i < 64; i++) big[i] = p[i] * i;
    s[threadIdx.x & 31] = n;
    __syncthreads();
    int *q = n > 5 ? s : p;
    q[n & 31] = big[(n + 7) & 63];
    p[n] = q[(n + 1) & 31] + big[(n * 3) & 63] + *(volatile unsigned char *)(q + 3);
    atomicAdd(q, 3);
    ((long long *)q)[4] += 1;
}

extern "C" __global__ void floats(float *f, double *d, int n)
{
    float x = f[0], y = f[1], z = f[2];
    double a = d[0], b = d[1], c = d[2];
    f[3] = x + y; f[4] = x * y; f[5] = fmaf(x, y, z); f[6] = x / y; f[7] = sqrtf(x); f[8] = sinf(x) + cosf(y);
    f[9] = __expf(x) + __logf(y) + rsqrtf(z) + __sinf(x); f[10] = fminf(x, y) + fmaxf(y, z); f[11] = x > y ? z : y;
    f[12] = tanhf(x) + powf(x, y) + floorf(x) + rintf(y) + fmodf(x, y); f[13] = __saturatef(x) + fabsf(y);
    d[3] = a + b; d[4] = a * b; d[5] = fma(a, b, c); d[6] = a / b; d[7] = sqrt(a); d[8] = sin(a); d[9] = fmin(a, b);
    d[10] = a > b ? c : a; d[11] = exp(a) + log(b); d[12] = (double)x + n; f[14] = (float)a; f[15] = (float)n;
    f[16] = (float)(unsigned)n; d[13] = (double)(long long)n; ((int *)f)[17] = (int)x + (int)a;
    ((long long *)d)[14] = (long long)x + (unsigned long long)a; d[15] = rint(a) + floor(b);
    f[18] = fmaxf(fmaxf(x, y), z); f[19] = erff(x) + lgammaf(y);
}

extern "C" __global__ void halves(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f)
{
    h[3] = __hfma(h[0], h[1], h[2]); h[4] = h[0] + h[1]; h[5] = h[0] * h[1]; h[6] = h[0] > h[1] ? h[2] : h[0];
    h2[3] = __hfma2(h2[0], h2[1], h2[2]); h2[4] = h2[0] + h2[1]; h2[5] = h2[0] * h2[1]; h2[6] = __hmax2(h2[0], h2[1]);
    h[7] = hexp(h[0]) + hsqrt(h[1]); f[0] = __half2float(h[0]); h[8] = __float2half(f[1]); h[9] = __int2half_rn((int)f[2]);
    h2[7] = __heq2(h2[0], h2[1]);
#if __CUDA_ARCH__ >= 800
    b[3] = b[0] * b[1] + b[2]; b2[3] = __hfma2(b2[0], b2[1], b2[2]); f[3] = __bfloat162float(b[0]);
    b[4] = __float2bfloat16(f[4]); b2[5] = __hmin2(b2[0], b2[1]);
#endif
    h2[8] = __floats2half2_rn(f[5], f[6]);
}

extern "C" __global__ void integers(int *p, unsigned *u, long long *l, int n)
{
    int a = p[0], b = p[1], c = p[2];
    p[3] = a + b + c; p[4] = a * b + c; p[5] = a & b | ~c; p[6] = a << (b & 31); p[7] = a >> 3; p[8] = min(a, b);
    p[9] = abs(a); p[10] = __popc(a); p[11] = __clz(b); p[12] = __brev(c); p[13] = __byte_perm(a, b, c);
    p[14] = __dp4a(a, b, c); p[15] = __sad(a, b, c); p[16] = a / b; p[17] = a % c; p[18] = __mulhi(a, b);
    p[19] = __vadd2(a, b) + __vabsdiffu4(a, b) + __vmaxs2(a, b); p[20] = __funnelshift_l(a, b, c); p[21] = __ffs(a);
    u[22] = u[0] / u[1] + u[2] % 7; l[12] = l[0] * l[1] + l[2]; l[13] = l[0] / l[1]; l[14] = l[0] >> (n & 63);
    l[15] = min(l[0], l[1]); p[40] = max(min(a, b), c); p[41] = (a << 8) >> 16;
}

extern "C" __global__ void warp(int *p, float *f, int n)
{
    int v = p[threadIdx.x];
    v += __shfl_down_sync(~0u, v, 4) + __shfl_xor_sync(~0u, v, n);
    p[1] = __ballot_sync(~0u, v > n) + __any_sync(~0u, v == n) + __all_sync(~0u, v < n);
    p[2] = __match_any_sync(~0u, v);
    int all;
    p[3] = __match_all_sync(~0u, v, &all) + all;
    p[4] = __activemask();
    if (v > 7) { __syncwarp(); p[5] = __shfl_sync(__activemask(), v, 1); }
#if __CUDA_ARCH__ >= 800
    p[6] = __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, v);
#endif
    p[7] = __syncthreads_count(v) + __syncthreads_or(n == v);
    __nanosleep(100);
    p[8] = clock() + (int)clock64();
    if (v == 12345) __trap();
    while (p[9] < n) { if (p[v] == 3) break; __syncwarp(); f[v] = __shfl_down_sync(~0u, f[n], 2); v++; }
    cg::coalesced_group g = cg::coalesced_threads();
    p[10] = g.shfl(v, 0) + g.size();
    cg::tiled_partition<8>(cg::this_thread_block()).sync();
}

extern "C" __global__ void memory_paths(cudaTextureObject_t t, cudaSurfaceObject_t o, float *f, const float *g, int n)
{
    f[0] = tex2D<float>(t, n, n + 1) + tex1Dfetch<float>(t, n) + tex3D<float>(t, n, 2, 3) + tex2DLod<float>(t, 1, 2, n);
    f[1] = surf2Dread<float>(o, n, n);
    surf2Dwrite(f[2], o, n, n + 4);
    f[3] = tex2Dgather<float4>(t, n, n).x + tex2DGrad<float>(t, n, n, make_float2(1, n), make_float2(n, 2));
    __shared__ float s[1024];
    __pipeline_memcpy_async(s + threadIdx.x, g + threadIdx.x, 4);
    __pipeline_memcpy_async(s + 2 * threadIdx.x, g + 2 * threadIdx.x, 8);
    __pipeline_memcpy_async(s + 4 * threadIdx.x, g + 4 * threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    f[4] = s[n];
    asm volatile("prefetch.global.L2 [%0];" :: "l"(g + n));
    asm volatile("bar.arrive 1, 64; bar.sync 1, 64;");
}

extern "C" __global__ void tensors(const __half *a, const __half *b, float *c, const signed char *i8, int *i32, double *d)
{
    __shared__ __half s[256 * 4];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> ia;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> ib;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> ic;
    wmma::fill_fragment(ic, 0);
    wmma::load_matrix_sync(ia, i8, 16);
    wmma::load_matrix_sync(ib, i8 + 256, 16);
    wmma::mma_sync(ic, ia, ib, ic);
    wmma::store_matrix_sync(i32, ic, 16, wmma::mem_row_major);
#if __CUDA_ARCH__ >= 800
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> da;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> db;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> dc;
    wmma::fill_fragment(dc, 0.0);
    wmma::load_matrix_sync(da, d, 4);
    wmma::load_matrix_sync(db, d + 64, 4);
    wmma::mma_sync(dc, da, db, dc);
    wmma::store_matrix_sync(d + 128, dc, 8, wmma::mem_row_major);
#endif
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    unsigned r0, r1, r2, r3, at = (unsigned)__cvta_generic_to_shared(s + 8 * (threadIdx.x & 15));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r2), "=r"(r3) : "r"(at));
    i32[300] = r0 + r1 + r2 + r3;
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" :: "r"(at), "r"(r0), "r"(r1));
#endif
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
extern "C" __global__ void hopper(int *p, const char *src, int n)
{
    __shared__ __align__(128) char s[4096];
    __shared__ unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar), d = (unsigned)__cvta_generic_to_shared(s);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(n));
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(b), "r"(4096));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(d), "l"(src), "r"(4096), "r"(b));
    asm volatile("{ .reg .pred q; W: mbarrier.try_wait.parity.shared::cta.b64 q, [%0], %1; @q bra D; bra W; D: }" :: "r"(b), "r"(0));
    p[threadIdx.x] = s[threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
    asm volatile("{ .reg .pred e; elect.sync _|e, 0xffffffff; @e st.global.u32 [%0], %1; }" :: "l"(p + 5), "r"(n));
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" :: "l"(p), "r"(d), "r"(1024));
    asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;");
}
#endif
