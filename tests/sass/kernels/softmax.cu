// Row softmax: warp shuffles and barriers between loops of unknown length.
__global__ void softmax(float *out, const float *in, int cols)
{
    __shared__ float red[32];
    int row = blockIdx.x, t = threadIdx.x, lane = t & 31, w = t >> 5;
    float m = -1e30f;
    for (int i = t; i < cols; i += blockDim.x) m = fmaxf(m, in[row * cols + i]);
    for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (lane == 0) red[w] = m;
    __syncthreads();
    m = red[lane < blockDim.x / 32 ? lane : 0];
    for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    __syncthreads();
    float s = 0;
    for (int i = t; i < cols; i += blockDim.x) s += __expf(in[row * cols + i] - m);
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) red[w] = s;
    __syncthreads();
    s = lane < blockDim.x / 32 ? red[lane] : 0;
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    for (int i = t; i < cols; i += blockDim.x) out[row * cols + i] = __expf(in[row * cols + i] - m) / s;
}
