// The same with the block size known to the compiler and several elements a thread.
template <unsigned int BLOCK>
__global__ void reduce_template(float *out, const float *in, unsigned n)
{
    __shared__ float part[BLOCK];
    unsigned t = threadIdx.x;
    float v = 0;
    for (unsigned i = blockIdx.x * BLOCK + t; i < n; i += BLOCK * gridDim.x) v += in[i];
    part[t] = v;
    __syncthreads();
    if (BLOCK >= 512) { if (t < 256) part[t] = v = v + part[t + 256]; __syncthreads(); }
    if (BLOCK >= 256) { if (t < 128) part[t] = v = v + part[t + 128]; __syncthreads(); }
    if (BLOCK >= 128) { if (t < 64) part[t] = v = v + part[t + 64]; __syncthreads(); }
    if (t < 32) {
        v += part[t + 32];
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0) out[blockIdx.x] = v;
    }
}
