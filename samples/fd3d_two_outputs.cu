// The wave step of fd3d.cu (order 8) with two output points a thread, one half tile apart along x.
//
// A block of 32 x 16 threads covers 64 x 16 points. Each thread keeps two queues along z, so twice as many loads are
// under way at once, the index arithmetic is shared by two points, and the halo is a smaller part of the tile.
// nx is a multiple of 64, ny of 16, nz is at least 9.
//
// Teaches: more independent accesses a thread as the cure when too few bytes are in flight.
// Seeds:   "Analysis-Driven Optimization", slides 29 and 31 (two outputs), 49; "Local Memory and Register Spilling",
//          slides 10-16 (the case study's kernel has this tile: 6912 bytes of shared memory).

#define RADIUS 4
#define BLOCK_X 32
#define BLOCK_Y 16
#define TILE_X (2 * BLOCK_X)

__constant__ float c_coeff[RADIUS + 1];

/* kmutate launch
   int nx = 512, ny = 512, nz = 256;
   dim3 grid = { nx / TILE_X, ny / BLOCK_Y };
   dim3 block = { BLOCK_X, BLOCK_Y };
   extern float c_coeff[RADIUS + 1] = { -8.541667f, 1.6f, -0.2f, 0.02539683f, -0.001785714f };
   float out[nx * ny * nz] = uniform(-1, 1);
   float in[nx * ny * nz] = uniform(-1, 1);
   float vsq[nx * ny * nz] = uniform(0, 0.2);
   fd3d_two_outputs(out, in, vsq, nx, ny, nz);
*/
__global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
fd3d_two_outputs(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ vsq,
                 int nx, int ny, int nz)
{
    __shared__ float tile[BLOCK_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];

    const int ix = blockIdx.x * TILE_X + threadIdx.x;
    const int iy = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int tx = threadIdx.x + RADIUS;
    const int ty = threadIdx.y + RADIUS;
    const int stride = nx * ny;

    // Halo offsets are clamped to the volume: only boundary points would use what a clamped load returns.
    const int south = iy >= RADIUS ? -RADIUS * nx : 0;
    const int north = iy + BLOCK_Y < ny ? BLOCK_Y * nx : 0;
    const int west = ix >= RADIUS ? -RADIUS : 0;
    const int east = ix + TILE_X < nx ? TILE_X : 0;
    const bool interior_y = iy >= RADIUS && iy < ny - RADIUS;
    const bool left_interior = interior_y && ix >= RADIUS;
    const bool right_interior = interior_y && ix + BLOCK_X < nx - RADIUS;

    int here = iy * nx + ix + (RADIUS - 1) * stride;

    // queue[r] holds plane r - RADIUS of both points, counted from the current plane; filled up to one plane short.
    float2 queue[2 * RADIUS + 1];
#pragma unroll
    for (int r = 1; r <= 2 * RADIUS; r++) {
        const int i = iy * nx + ix + (r - 1) * stride;
        queue[r] = make_float2(in[i], in[i + BLOCK_X]);
    }

    for (int iz = RADIUS; iz < nz - RADIUS; iz++) {
#pragma unroll
        for (int r = 0; r < 2 * RADIUS; r++)
            queue[r] = queue[r + 1];
        here += stride;
        queue[2 * RADIUS].x = in[here + RADIUS * stride];
        queue[2 * RADIUS].y = in[here + RADIUS * stride + BLOCK_X];

        __syncthreads(); // the tile of the plane before has been read by all
        if (threadIdx.y < RADIUS) {
            tile[threadIdx.y][tx] = in[here + south];
            tile[threadIdx.y][tx + BLOCK_X] = in[here + south + BLOCK_X];
            tile[threadIdx.y + BLOCK_Y + RADIUS][tx] = in[here + north];
            tile[threadIdx.y + BLOCK_Y + RADIUS][tx + BLOCK_X] = in[here + north + BLOCK_X];
        }
        if (threadIdx.x < RADIUS) {
            tile[ty][threadIdx.x] = in[here + west];
            tile[ty][threadIdx.x + TILE_X + RADIUS] = in[here + east];
        }
        tile[ty][tx] = queue[RADIUS].x;
        tile[ty][tx + BLOCK_X] = queue[RADIUS].y;
        __syncthreads();

        float left = c_coeff[0] * queue[RADIUS].x;
        float right = c_coeff[0] * queue[RADIUS].y;
#pragma unroll
        for (int r = 1; r <= RADIUS; r++) {
            left += c_coeff[r] * (queue[RADIUS + r].x + queue[RADIUS - r].x +
                                  tile[ty - r][tx] + tile[ty + r][tx] + tile[ty][tx - r] + tile[ty][tx + r]);
            right += c_coeff[r] * (queue[RADIUS + r].y + queue[RADIUS - r].y +
                                   tile[ty - r][tx + BLOCK_X] + tile[ty + r][tx + BLOCK_X] +
                                   tile[ty][tx + BLOCK_X - r] + tile[ty][tx + BLOCK_X + r]);
        }
        if (left_interior)
            out[here] = 2.0f * queue[RADIUS].x - out[here] + vsq[here] * left;
        if (right_interior)
            out[here + BLOCK_X] = 2.0f * queue[RADIUS].y - out[here + BLOCK_X] + vsq[here + BLOCK_X] * right;
    }
}
