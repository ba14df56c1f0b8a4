// Additions of 64 bits and of doubles to shared memory, which are loops of a load and a compare-and-swap: how often lanes and warps
// come in between each other. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 }; unsigned long long out[4096] = zeros();
   wide_sums<0>(out, 32, 24, 0); wide_sums<0>(out, 32, 1024, 0); wide_sums<0>(out, 8, 1, 0); wide_sums<0>(out, 32, 256, 0); wide_sums<0>(out, 32, 24, 8); wide_sums<0>(out, 32, 256, 8);
   wide_sums<1>(out, 32, 24, 0); wide_sums<1>(out, 32, 1024, 0); wide_sums<1>(out, 32, 256, 8);
   wide_sums<2>(out, 32, 24, 0); wide_sums<2>(out, 32, 1024, 0);
   block.x = 64; wide_sums<0>(out, 32, 24, 0); wide_sums<0>(out, 32, 256, 8);
   block.x = 32; wide_sums<0>(out, 32, 24, 0); wide_sums<0>(out, 32, 256, 0);
   block.x = 1024; grid.x = 264; wide_sums<0>(out, 32, 24, 0); wide_sums<0>(out, 32, 1024, 0); wide_sums<0>(out, 32, 1024, 8); wide_sums<1>(out, 32, 256, 0);
   block.x = 256; grid.x = 132; wide_sums<0>(out, 32, 24, 0); wide_sums<0>(out, 32, 1024, 0); wide_sums<1>(out, 32, 64, 0);
*/
// Each lane adds `steps` times to one of `bins` by chance: 0 integers of 64 bits, 1 doubles, 2 the larger of two floats by their bits.
// `pause`: so many products between.
template <int WHAT> __global__ void wide_sums(unsigned long long *out, int steps, unsigned bins, int pause)
{
    __shared__ unsigned long long sums[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) sums[k] = 0;
    __syncthreads();
    unsigned seed = blockIdx.x * blockDim.x + threadIdx.x + 1;
    float work = 1.0f;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5;
        const unsigned bin = (unsigned)(((unsigned long long)(seed * 0x846ca68bu) * bins) >> 32);
#pragma unroll 1
        for (int j = 0; j < pause; j++) work = work * 0.75f + 1.0f;
        if (WHAT == 0) atomicAdd(&sums[bin], (unsigned long long)(seed >> 8));
        if (WHAT == 1) atomicAdd((double *)&sums[bin], (double)work);
        if (WHAT == 2) {
            unsigned *place = (unsigned *)&sums[bin], old = *place;
            const unsigned mine = seed >> 8;
            while (mine > old) {
                const unsigned was = atomicCAS(place, old, mine);
                if (was == old) break;
                old = was;
            }
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        if (sums[k] == 12345678912345ull || work == 12345.678f) out[k] = sums[k];
}
