// Tiled matrix product, 16x16 tiles, one output a thread.
#define T 16
__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[T][T], bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float sum = 0;
    for (int m = 0; m < n / T; m++) {
        as[ty][tx] = a[row * n + m * T + tx];
        bs[ty][tx] = b[(m * T + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
