// Bitonic sort of 512 keys in shared memory: barriers in a nest of two loops.
__global__ void bitonic(unsigned *data)
{
    __shared__ unsigned s[512];
    unsigned t = threadIdx.x;
    s[t] = data[blockIdx.x * 512 + t]; s[t + 256] = data[blockIdx.x * 512 + t + 256];
    for (unsigned size = 2; size <= 512; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * t - (t & (stride - 1));
            unsigned dir = ((t & (size / 2)) == 0);
            unsigned a = s[pos], b = s[pos + stride];
            if ((a > b) == dir) { s[pos] = b; s[pos + stride] = a; }
        }
    __syncthreads();
    data[blockIdx.x * 512 + t] = s[t]; data[blockIdx.x * 512 + t + 256] = s[t + 256];
}
