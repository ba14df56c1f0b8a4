// Blocks that are alike and a grid of some waves of them: where blocks go, and when they begin and end (waves.py). One
// thread of each writes its SM, and the time of the GPU's clock at its begin and its end.

#define ARGUMENTS float *out, const float *in, unsigned long long *log, int steps, int more

__device__ __forceinline__ unsigned long long now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ __forceinline__ unsigned own_sm()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

struct Work {
    float a, b, c, d;

    __device__ Work() : a(threadIdx.x), b(a + 1), c(b + 2), d(c + 3) {}

    __device__ void do_some()
    {
        a = a * b + c;
        b = b * c + d;
        c = c * d + a;
        d = d * a + b;
    }

    __device__ void end(float *out, unsigned long long *log, unsigned long long begin)
    {
        if (a + b + c + d == 12345.678f)
            out[0] = a;
        __syncthreads();
        if (threadIdx.x == 0) {
            log[3 * blockIdx.x] = own_sm();
            log[3 * blockIdx.x + 1] = begin;
            log[3 * blockIdx.x + 2] = now();
        }
    }
};

// Each has 8 KB of shared memory, so that the same dynamic shared memory gives the same number of blocks an SM.
#define BEGIN \
    unsigned long long begin = now(); \
    __shared__ float tile[2048]; \
    Work w; \
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) \
        tile[i] = i;

extern "C" {

__global__ void math(ARGUMENTS)
{
    BEGIN
    for (int i = 0; i < steps; i++)
        w.do_some();
    w.end(out, log, begin);
}

// Blocks of half to one and a half times as much work.
__global__ void uneven(ARGUMENTS)
{
    BEGIN
    unsigned h = blockIdx.x * 2654435761u;
    steps = steps / 2 + (int)((h >> 16) % (unsigned)steps);
    for (int i = 0; i < steps; i++)
        w.do_some();
    w.end(out, log, begin);
}

__global__ void sharedwork(ARGUMENTS)
{
    BEGIN
    tile[threadIdx.x] = w.a;
    __syncthreads();
    int k = threadIdx.x;
    for (int i = 0; i < steps; i++) {
        w.a += tile[k & 2047];
        k += (int)w.a & 1 | 2;
        w.b += tile[(k * 2) & 2047];
        w.c += tile[(k * 4) & 2047];
    }
    w.end(out, log, begin);
}

__global__ void barriers(ARGUMENTS)
{
    BEGIN
    tile[threadIdx.x] = w.a;
    for (int i = 0; i < steps; i++) {
        __syncthreads();
        w.a += tile[(threadIdx.x * 33 + i) & 2047];
        __syncthreads();
        tile[threadIdx.x] = w.a;
    }
    w.end(out, log, begin);
}

// Barriers and nothing else.
__global__ void arrivals(ARGUMENTS)
{
    BEGIN
    for (int i = 0; i < steps; i++)
        __syncthreads();
    w.end(out, log, begin);
}

// Work of all warps between barriers, and of the first one.
__global__ void rounds(ARGUMENTS)
{
    BEGIN
    for (int i = 0; i < steps; i++) {
        w.do_some();
        __syncthreads();
    }
    w.end(out, log, begin);
}

__global__ void leaders(ARGUMENTS)
{
    BEGIN
    for (int i = 0; i < steps; i++) {
        if (threadIdx.x < 32)
            w.do_some();
        __syncthreads();
    }
    w.end(out, log, begin);
}

__global__ void stream(ARGUMENTS)
{
    BEGIN
    const float4 *p = (const float4 *)in + (size_t)blockIdx.x * steps * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; i++) {
        float4 v = __ldcs(p + i * blockDim.x);
        w.a += v.x;
        w.b += v.y;
        w.c += v.z;
        w.d += v.w;
    }
    w.end(out, log, begin);
}

// Loads one after another, of places all over what ``more`` is the last index of.
__global__ void chase(ARGUMENTS)
{
    BEGIN
    unsigned k = (blockIdx.x * blockDim.x + threadIdx.x) * 977u;
    for (int i = 0; i < steps; i++) {
        w.a += in[k & (unsigned)more];
        k = k * 5 + (unsigned)w.a + 12345u;
    }
    w.end(out, log, begin);
}

__global__ void mixed(ARGUMENTS)
{
    BEGIN
    const float *p = in + (size_t)blockIdx.x * steps * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; i++) {
        w.a += p[(size_t)i * blockDim.x];
        for (int j = 0; j < more; j++)
            w.do_some();
    }
    w.end(out, log, begin);
}
}
