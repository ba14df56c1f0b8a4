// Two buffers in turn, one barrier an iteration.
__global__ void doublebuf(float *out, const float *in, int n)
{
    __shared__ float buf[2][128];
    int t = threadIdx.x; float s = 0;
    buf[0][t] = in[t];
    __syncthreads();
    for (int i = 1; i < n; i++) {
        float nx = in[i * 128 + t];
        s += buf[(i - 1) & 1][127 - t] * 2.0f + buf[(i - 1) & 1][t ^ 1];
        buf[i & 1][t] = nx;
        __syncthreads();
    }
    out[t] = s + buf[(n - 1) & 1][127 - t];
}
