// Histogram of bytes in 256 bins.
//
// histogram_global adds every byte to a counter in global memory; all blocks compete for 256 words.
// histogram_shared counts in shared memory and adds the block's 256 sums to global memory at its end.
// The address of every atomic comes from the data.
//
// Teaches: atomics whose address is data-dependent, contention, and private copies as the cure.
// Seeds:   "CUDA Optimization: Memory Bandwidth Limited Kernels", slide 22 (communication inside a block on chip);
//          "Analysis-Driven Optimization", slide 9 (data-dependent addresses), 37 (serialisation).

#define BINS 256

/* kmutate launch
   int n = 64 * 1024 * 1024;
   dim3 grid = { 2048 };
   dim3 block = { 256 };
   unsigned int bins[BINS] = zeros();
   unsigned char data[n] = randint(0, 256);
   histogram_global(bins, data, n);
*/
__global__ void histogram_global(unsigned int *bins, const unsigned char *data, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[data[i]], 1u);
}

/* kmutate launch
   int n = 64 * 1024 * 1024;
   dim3 grid = { 2048 };
   dim3 block = { 256 };
   unsigned int bins[BINS] = zeros();
   unsigned char data[n] = randint(0, 256);
   histogram_shared(bins, data, n);
*/
__global__ void histogram_shared(unsigned int *bins, const unsigned char *data, int n)
{
    __shared__ unsigned int counts[BINS];

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        counts[bin] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&counts[data[i]], 1u);
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        atomicAdd(&bins[bin], counts[bin]);
}
