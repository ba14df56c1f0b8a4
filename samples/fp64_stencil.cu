// Vertical mixing in the columns of an atmosphere, fp64: a five-point stencil along the levels of each column.
//
// The input stores the levels of a column side by side, the output the columns of a level (for the kernels that
// follow). A block takes 32 columns of 64 levels into shared memory, along the levels; then each lane works in its
// own column. Where a row of the tile is 64 doubles long, the 32 lanes of a warp meet in one pair of banks; with one
// double of padding they are spread over all of them.
// The number of columns is a multiple of 32, a column has 64 levels.
//
// Teaches: bank conflicts of 64-bit accesses, and what one word of padding is worth when there is fp64 arithmetic too.
// Seeds:   "Analysis-Driven Optimization", slides 40-43 (fp64 climate kernel, padding).

#define COLUMNS 32
#define LEVELS 64
#define THREADS_Y 8

/* New value of a level from itself and the two levels on each side. */
__device__ __forceinline__ double mixed(double below2, double below1, double here, double above1, double above2,
                                        double diffusion, double decay)
{
    const double curvature = (16.0 * (below1 + above1) - (below2 + above2) - 30.0 * here) * (1.0 / 12.0);
    return here + diffusion * curvature - decay * here * here * here;
}

/* kmutate launch
   int columns = 128 * 1024;
   double diffusion = 0.1, decay = 0.01;
   dim3 grid = { columns / COLUMNS };
   dim3 block = { COLUMNS, THREADS_Y };
   double out[columns * LEVELS] = zeros();
   double in[columns * LEVELS] = uniform(0, 1);
   fp64_stencil_conflicting(out, in, columns, diffusion, decay);
*/
__global__ void fp64_stencil_conflicting(double *out, const double *in, int columns, double diffusion, double decay)
{
    __shared__ double tile[COLUMNS][LEVELS];

    const int first = blockIdx.x * COLUMNS;
    const int tid = threadIdx.y * COLUMNS + threadIdx.x;
    for (int i = tid; i < COLUMNS * LEVELS; i += COLUMNS * THREADS_Y)
        tile[i / LEVELS][i % LEVELS] = in[first * LEVELS + i];
    __syncthreads();

    const double *u = tile[threadIdx.x];
    for (int k = threadIdx.y; k < LEVELS; k += THREADS_Y)
        out[k * columns + first + threadIdx.x] =
            mixed(u[max(k - 2, 0)], u[max(k - 1, 0)], u[k], u[min(k + 1, LEVELS - 1)], u[min(k + 2, LEVELS - 1)],
                  diffusion, decay);
}

/* kmutate launch
   int columns = 128 * 1024;
   double diffusion = 0.1, decay = 0.01;
   dim3 grid = { columns / COLUMNS };
   dim3 block = { COLUMNS, THREADS_Y };
   double out[columns * LEVELS] = zeros();
   double in[columns * LEVELS] = uniform(0, 1);
   fp64_stencil_padded(out, in, columns, diffusion, decay);
*/
__global__ void fp64_stencil_padded(double *out, const double *in, int columns, double diffusion, double decay)
{
    __shared__ double tile[COLUMNS][LEVELS + 1];

    const int first = blockIdx.x * COLUMNS;
    const int tid = threadIdx.y * COLUMNS + threadIdx.x;
    for (int i = tid; i < COLUMNS * LEVELS; i += COLUMNS * THREADS_Y)
        tile[i / LEVELS][i % LEVELS] = in[first * LEVELS + i];
    __syncthreads();

    const double *u = tile[threadIdx.x];
    for (int k = threadIdx.y; k < LEVELS; k += THREADS_Y)
        out[k * columns + first + threadIdx.x] =
            mixed(u[max(k - 2, 0)], u[max(k - 1, 0)], u[k], u[min(k + 1, LEVELS - 1)], u[min(k + 2, LEVELS - 1)],
                  diffusion, decay);
}
