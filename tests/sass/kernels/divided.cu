// Barriers in a block-uniform branch, and an early return of the whole block.
__global__ void divided(float *out, const float *in, int n, int mode)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    if (mode) { __syncthreads(); s[t] = s[t ^ 32]; __syncthreads(); }
    if (blockIdx.x == 3) return;
    __syncthreads();
    for (int k = 0; k < 4; k++) { float v = s[(t + k * 17) & 255]; __syncthreads(); s[t] = v + k; __syncthreads(); }
    if (i < n) out[i] = s[255 - t];
}
