// Work-efficient exclusive scan of one block (Blelloch), a barrier in each step of two loops.
__global__ void scan(int *out, const int *in, int n)
{
    extern __shared__ int temp[];
    int t = threadIdx.x, offset = 1;
    temp[2 * t] = in[2 * t]; temp[2 * t + 1] = in[2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) { int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1; temp[b] += temp[a]; }
        offset *= 2;
    }
    if (t == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) { int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1; int x = temp[a]; temp[a] = temp[b]; temp[b] += x; }
    }
    __syncthreads();
    out[2 * t] = temp[2 * t]; out[2 * t + 1] = temp[2 * t + 1];
}
