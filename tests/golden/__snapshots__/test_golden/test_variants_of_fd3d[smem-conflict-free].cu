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
__device__ __forceinline__ unsigned km_linear_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
// The index becomes the thread's linear id, wrapped into the array: no bank conflicts. It is wrapped by
// the largest power of two that fits; the original index is still computed, and added while km_flag masks it to 0.
template <class T> __device__ __forceinline__ T &km_bank(const volatile void *array, unsigned bytes, T *address)
{
    const unsigned count = bytes / (unsigned)sizeof(T), mask = 0x7fffffffu >> __clz(count | 1);
    const unsigned index = km_linear_thread() & mask;
    // What the size says of the address must stay known, or a wide access is split in two.
    const unsigned aligned = sizeof(T) > 4 ? 0u - (unsigned)(sizeof(T) & (0 - sizeof(T))) : ~0u;
    const unsigned offset = (unsigned)((char *)address - (char *)array) & (unsigned)km_flag & aligned;
    return *(T *)((char *)array + (index * (unsigned)sizeof(T) + offset));
}
// ---- kmutate: end of helpers ----
__global__ void fd3d(float *out, const float *in, const float *vsq, int nx, int ny, int nz)
{
    __shared__ float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];

    const int ix = blockIdx.x * TILE_X + threadIdx.x;
    const int iy = blockIdx.y * TILE_Y + threadIdx.y;
    const int tx = threadIdx.x + RADIUS;
    const int ty = threadIdx.y + RADIUS;
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
    float behind3 = in[next];
    next += stride;
    float behind2 = in[next];
    next += stride;
    float behind1 = in[next];
    next += stride;
    float current = in[next];
    next += stride;
    float infront1 = in[next];
    next += stride;
    float infront2 = in[next];
    next += stride;
    float infront3 = in[next];
    next += stride;
    float infront4 = in[next];
    next += stride;

    for (int iz = RADIUS; iz < nz - RADIUS; iz++) {
        behind4 = behind3;
        behind3 = behind2;
        behind2 = behind1;
        behind1 = current;
        current = infront1;
        infront1 = infront2;
        infront2 = infront3;
        infront3 = infront4;
        infront4 = in[next];
        next += stride;
        here += stride;

        __syncthreads(); // the tile of the plane before has been read by all
        if (threadIdx.y < RADIUS) {
            km_bank(tile, (unsigned)sizeof(tile), &tile[threadIdx.y][tx]) = in[here + south]; /* kmutate: smem-conflict-free: index replaced */
            km_bank(tile, (unsigned)sizeof(tile), &tile[threadIdx.y + TILE_Y + RADIUS][tx]) = in[here + north]; /* kmutate: smem-conflict-free: index replaced */
        }
        if (threadIdx.x < RADIUS) {
            km_bank(tile, (unsigned)sizeof(tile), &tile[ty][threadIdx.x]) = in[here + west]; /* kmutate: smem-conflict-free: index replaced */
            km_bank(tile, (unsigned)sizeof(tile), &tile[ty][threadIdx.x + TILE_X + RADIUS]) = in[here + east]; /* kmutate: smem-conflict-free: index replaced */
        }
        km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx]) = current; /* kmutate: smem-conflict-free: index replaced */
        __syncthreads();

        float laplacian = c_coeff[0] * current;
        laplacian += c_coeff[1] * (infront1 + behind1 + km_bank(tile, (unsigned)sizeof(tile), &tile[ty - 1][tx]) + km_bank(tile, (unsigned)sizeof(tile), &tile[ty + 1][tx]) +
                                   km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx - 1]) + km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx + 1])); /* kmutate: smem-conflict-free: index replaced */
        laplacian += c_coeff[2] * (infront2 + behind2 + km_bank(tile, (unsigned)sizeof(tile), &tile[ty - 2][tx]) + km_bank(tile, (unsigned)sizeof(tile), &tile[ty + 2][tx]) +
                                   km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx - 2]) + km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx + 2])); /* kmutate: smem-conflict-free: index replaced */
        laplacian += c_coeff[3] * (infront3 + behind3 + km_bank(tile, (unsigned)sizeof(tile), &tile[ty - 3][tx]) + km_bank(tile, (unsigned)sizeof(tile), &tile[ty + 3][tx]) +
                                   km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx - 3]) + km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx + 3])); /* kmutate: smem-conflict-free: index replaced */
        laplacian += c_coeff[4] * (infront4 + behind4 + km_bank(tile, (unsigned)sizeof(tile), &tile[ty - 4][tx]) + km_bank(tile, (unsigned)sizeof(tile), &tile[ty + 4][tx]) +
                                   km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx - 4]) + km_bank(tile, (unsigned)sizeof(tile), &tile[ty][tx + 4])); /* kmutate: smem-conflict-free: index replaced */

        if (interior)
            out[here] = 2.0f * current - out[here] + vsq[here] * laplacian;
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
