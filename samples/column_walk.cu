// Absorption of sunlight in the columns of an atmosphere, fp64: one thread walks one column from the top down.
//
// column_walk stores the levels of a column side by side, as the CPU code did: each thread then reads its own
// contiguous piece, and one load of a warp touches 32 sectors that are `levels` doubles apart.
// column_walk_transposed stores the columns of a level side by side; the arithmetic is the same.
//
// Teaches: the access pattern of code that was written for a CPU's cache, and its cure by a transposed layout.
// Seeds:   "Analysis-Driven Optimization", slides 32-33 (climate code), 22 (do not program for L1), 28.

#define LEVEL_FASTEST(column, level) ((size_t)(column) * levels + (level))
#define COLUMN_FASTEST(column, level) ((size_t)(level) * columns + (column))

/* Part of the light that a layer of this optical depth absorbs. */
__device__ __forceinline__ double absorptance(double depth)
{
    return depth / (1.0 + depth);
}

/* kmutate launch
   int columns = 128 * 1024, levels = 64;
   dim3 grid = { columns / 128 };
   dim3 block = { 128 };
   double heating[columns * levels] = zeros();
   double surface[columns] = zeros();
   double humidity[columns * levels] = uniform(0.001, 0.02);
   double thickness[columns * levels] = uniform(0.5, 1.5);
   double sun[columns] = uniform(200, 1000);
   column_walk(heating, surface, humidity, thickness, sun, columns, levels);
*/
__global__ void column_walk(double *heating, double *surface, const double *humidity, const double *thickness,
                            const double *sun, int columns, int levels)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;

    double light = sun[column];
    for (int level = 0; level < levels; level++) {
        const size_t i = LEVEL_FASTEST(column, level);
        const double absorbed = light * absorptance(humidity[i] * thickness[i]);
        heating[i] = absorbed;
        light -= absorbed;
    }
    surface[column] = light;
}

/* kmutate launch
   int columns = 128 * 1024, levels = 64;
   dim3 grid = { columns / 128 };
   dim3 block = { 128 };
   double heating[columns * levels] = zeros();
   double surface[columns] = zeros();
   double humidity[columns * levels] = uniform(0.001, 0.02);
   double thickness[columns * levels] = uniform(0.5, 1.5);
   double sun[columns] = uniform(200, 1000);
   column_walk_transposed(heating, surface, humidity, thickness, sun, columns, levels);
*/
__global__ void column_walk_transposed(double *heating, double *surface, const double *humidity,
                                       const double *thickness, const double *sun, int columns, int levels)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;

    double light = sun[column];
    for (int level = 0; level < levels; level++) {
        const size_t i = COLUMN_FASTEST(column, level);
        const double absorbed = light * absorptance(humidity[i] * thickness[i]);
        heating[i] = absorbed;
        light -= absorbed;
    }
    surface[column] = light;
}
