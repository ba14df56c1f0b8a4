// The same cells read again after each barrier: without one the loads would merge.
__global__ void repeat(float *out, const float *in)
{
    __shared__ float s[128];
    int t = threadIdx.x; s[t] = in[t];
    __syncthreads(); float a = s[127 - t] + s[t];
    __syncthreads(); s[t] = a * 2;
    __syncthreads(); a += s[127 - t] + s[t];
    __syncthreads(); s[t] = a * 3;
    __syncthreads(); a += s[127 - t] + s[t];
    for (int i = 0; i < 8; i++) { __syncthreads(); s[t] = a; __syncthreads(); a += s[t ^ 1]; }
    out[t] = a;
}
