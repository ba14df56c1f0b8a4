// One time step of the 3D acoustic wave equation: finite differences of order 8 in space, 2 in time.
//
//   out = 2 * in - out + vsq * laplacian(in)        out holds the step before on entry, the step after on return
//
// A block owns a 16 x 16 column of the volume and walks it plane by plane along z. The plane it stands on is in
// shared memory (the x and y neighbours), the nine values along z are a queue in the registers of each thread, the
// coefficients are in constant memory. The outermost 4 points on each side are boundary and are never written.
// nx and ny are multiples of 16, nz is at least 9.
//
// Teaches: the limiter study itself. Three full arrays of traffic, two barriers a plane and 25 points of arithmetic
//          compete: time memory-only, math-only and no-sync before believing either side.
// Seeds:   "Analysis-Driven Optimization", slides 14-18 (limiter), 30-31 (halo loads, accesses in flight),
//          46-49 (latency, barriers); "Local Memory and Register Spilling", slides 10-16.
//
// Build and check: nvcc -O3 fd3d.cu && ./a.out

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define RADIUS 4
#define TILE_X 16
#define TILE_Y 16

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t status_ = (call);                                                                \
        if (status_ != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
            exit(EXIT_FAILURE);                                                                      \
        }                                                                                            \
    } while (0)

/* Second derivative of order 8; c_coeff[0] counts for all three dimensions. */
__constant__ float c_coeff[RADIUS + 1];

/* kmutate launch
   int nx = 512, ny = 512, nz = 256;
   dim3 grid = { nx / TILE_X, ny / TILE_Y };
   dim3 block = { TILE_X, TILE_Y };
   extern float c_coeff[RADIUS + 1] = { -8.541667f, 1.6f, -0.2f, 0.02539683f, -0.001785714f };
   float out[nx * ny * nz] = uniform(-1, 1);
   float in[nx * ny * nz] = uniform(-1, 1);
   float vsq[nx * ny * nz] = uniform(0, 0.2);
   fd3d(out, in, vsq, nx, ny, nz);
*/
// ---- kmutate: helpers of this variant. The kernel's signature and its launches are unchanged. ----
__constant__ int km_flag;  // 0 at run time, unknown to the compiler
// The bits of a value folded into one word by addition, so that equal words do not cancel each other.
template <class T> __device__ __forceinline__ unsigned km_bits(const T &value)
{
    if (sizeof(T) == 1) { unsigned char b; memcpy(&b, &value, sizeof b); return b; }
    if (sizeof(T) == 2) { unsigned short h; memcpy(&h, &value, sizeof h); return h; }
    unsigned word[(sizeof(T) + 3) / 4] = {}, all = 0;
    memcpy(word, &value, sizeof(T));
    for (unsigned i = 0; i < sizeof word / sizeof word[0]; i++) all += word[i];
    return all;
}
// Never true at run time. It depends on the value and on the address, so neither can be moved into the branch.
template <class T> __device__ __forceinline__ bool km_never(const T &value, const volatile void *address)
{
    unsigned long long a = (unsigned long long)address;
    return 1 == (km_bits(value) ^ (unsigned)a ^ (unsigned)(a >> 32)) * km_flag;
}
__device__ __forceinline__ bool km_never_at(const volatile void *address) { return km_never(0u, address); }
// Loaded bits are added up (by XOR, a value that is loaded twice would cancel itself). The barrier at the end of every
// thread is never reached, but keeps the loads alive. A store would, too; but what the original only reads, and nothing
// in it may overwrite, could then be overwritten: it would be loaded by other instructions, and more often.
struct km_Sink {
    unsigned bits = km_flag;  // not a constant: storing back what was just loaded would be dropped as redundant
    __device__ __forceinline__ ~km_Sink() { if (1 == bits * km_flag) __syncthreads(); }
};
// `form` tells the loads of different branches apart: they would become one load with a selected address. Each form is one
// instruction or two, and none takes away what another has added. (Asm would do, too, but keeps the compiler from making a
// select of a branch where it does in the original.)
template <int form = 0, class T> __device__ __forceinline__ void km_fold(km_Sink &sink, const T value)
{
    const unsigned bits = km_bits(value), forms[] = {bits, bits + 1, 2 * bits, 3 * bits, bits >> 1};
    sink.bits += forms[form];
}
template <class T> struct km_plain { typedef T type; };
template <class T> struct km_plain<volatile T> { typedef T type; };
template <class T> struct km_plain<const T> { typedef T type; };
template <class T> struct km_plain<T &> : km_plain<T> {};
// A value of any type made of the sink's bits.
template <class R, int branch = 0> __device__ __forceinline__ typename km_plain<R>::type km_value(const km_Sink &sink)
{
    typedef typename km_plain<R>::type T;
    alignas(T) unsigned char bytes[sizeof(T)];
    unsigned word[(sizeof(T) + 3) / 4], bits = sink.bits + branch;
    for (unsigned i = 0; i < sizeof word / sizeof word[0]; i++) word[i] = bits;
    memcpy(bytes, word, sizeof(T));
    return *reinterpret_cast<T *>(bytes);
}
// The store does not happen, but its address is still computed. The condition does not look at the sink: that would wait
// for the loads at every store.
template <int branch = 0, class T> __device__ __forceinline__ void km_put(T &site, const km_Sink &sink)
{
    if (km_never_at(&site)) site = km_value<T>(sink);
}
// ---- kmutate: end of helpers ----
__global__ void fd3d(float *out, const float *in, const float *vsq, int nx, int ny, int nz)
{ km_Sink km_sink; /* kmutate load-only */
    __shared__ float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];

    const int ix = blockIdx.x * TILE_X + threadIdx.x;
    const int iy = blockIdx.y * TILE_Y + threadIdx.y;
    /* kmutate: 2 statements dropped: no access needs it */
    const int stride = nx * ny;

    // Halo offsets are clamped to the volume: only boundary points would use what a clamped load returns.
    const int south = iy >= RADIUS ? -RADIUS * nx : 0;
    const int north = iy + TILE_Y < ny ? TILE_Y * nx : 0;
    const int west = ix >= RADIUS ? -RADIUS : 0;
    const int east = ix + TILE_X < nx ? TILE_X : 0;
    const bool interior = ix >= RADIUS && ix < nx - RADIUS && iy >= RADIUS && iy < ny - RADIUS;

    int next = iy * nx + ix;                 // the plane that enters the queue next
    int here = next + (RADIUS - 1) * stride; // the plane in the middle of the queue

    float behind4;
    km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
    next += stride;
    km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
    next += stride;
    km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
    next += stride;
    km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
    next += stride;
    km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
    next += stride;
    km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
    next += stride;
    km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
    next += stride;
    km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
    next += stride;

    for (int iz = RADIUS; iz < nz - RADIUS; iz++) {
        /* kmutate: 8 statements dropped: no access needs it */
        km_fold(km_sink, in[next]); /* kmutate: load folded into the sink */
        next += stride;
        here += stride;

        /* kmutate: 1 statement dropped: no access needs it */ // the tile of the plane before has been read by all
        if (threadIdx.y < RADIUS) {
            km_fold(km_sink, in[here + south]); /* kmutate: load folded into the sink */
            km_fold(km_sink, in[here + north]); /* kmutate: load folded into the sink */
        }
        if (threadIdx.x < RADIUS) {
            km_fold(km_sink, in[here + west]); /* kmutate: load folded into the sink */
            km_fold(km_sink, in[here + east]); /* kmutate: load folded into the sink */
        }
        /* kmutate: 7 statements dropped: no access needs it */

        if (interior)
            { km_fold(km_sink, out[here]); km_fold(km_sink, vsq[here]); km_put(out[here], km_sink); } /* kmutate: load folded into the sink, store guarded */
    }
}

static float noise(size_t i, unsigned int seed)
{
    unsigned int h = (unsigned int)i * 2654435761u + seed;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    return (float)(h >> 8) / (1u << 24);
}

static double reference(const std::vector<float> &before, const std::vector<float> &in, const std::vector<float> &vsq,
                        const float *coeff, int nx, int ny, size_t i)
{
    const size_t stride_y = nx, stride_z = (size_t)nx * ny;
    double laplacian = (double)coeff[0] * in[i];
    for (int r = 1; r <= RADIUS; r++)
        laplacian += (double)coeff[r] * ((double)in[i - r] + in[i + r] + in[i - r * stride_y] + in[i + r * stride_y] +
                                         in[i - r * stride_z] + in[i + r * stride_z]);
    return 2.0 * in[i] - before[i] + vsq[i] * laplacian;
}

int main()
{
    const int nx = 512, ny = 512, nz = 256;
    const size_t points = (size_t)nx * ny * nz, bytes = points * sizeof(float);
    const float coeff[RADIUS + 1] = {-8.541667f, 1.6f, -0.2f, 0.02539683f, -0.001785714f};

    std::vector<float> before(points), in(points), vsq(points), after(points);
    for (size_t i = 0; i < points; i++) {
        before[i] = 2.0f * noise(i, 1) - 1.0f;
        in[i] = 2.0f * noise(i, 2) - 1.0f;
        vsq[i] = 0.2f * noise(i, 3);
    }

    float *d_out, *d_in, *d_vsq;
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_vsq, bytes));
    CHECK(cudaMemcpy(d_out, before.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_vsq, vsq.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(c_coeff, coeff, sizeof(coeff)));

    const dim3 block(TILE_X, TILE_Y);
    const dim3 grid(nx / TILE_X, ny / TILE_Y);
    fd3d<<<grid, block>>>(d_out, d_in, d_vsq, nx, ny, nz);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(after.data(), d_out, bytes, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int sample = 0; sample < 10000; sample++) {
        const int x = RADIUS + (int)(noise(sample, 4) * (nx - 2 * RADIUS));
        const int y = RADIUS + (int)(noise(sample, 5) * (ny - 2 * RADIUS));
        const int z = RADIUS + (int)(noise(sample, 6) * (nz - 2 * RADIUS));
        const size_t i = ((size_t)z * ny + y) * nx + x;
        if (!(std::fabs(after[i] - reference(before, in, vsq, coeff, nx, ny, i)) < 1e-4))
            wrong++;
    }
    wrong += after[0] != before[0] || after[points - 1] != before[points - 1];

    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_vsq));
    printf("fd3d: %s (%d of 10000 points wrong)\n", wrong ? "FAILED" : "ok", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
