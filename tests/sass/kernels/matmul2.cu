// Tiled product with two outputs a thread and padded tiles.
#define T 32
__global__ void matmul2(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[T][T + 1], bs[T][T + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    float s0 = 0, s1 = 0;
    for (int m = 0; m < n; m += T) {
        as[ty][tx] = a[(blockIdx.y * T + ty) * n + m + tx];
        as[ty + 16][tx] = a[(blockIdx.y * T + ty + 16) * n + m + tx];
        bs[ty][tx] = b[(m + ty) * n + blockIdx.x * T + tx];
        bs[ty + 16][tx] = b[(m + ty + 16) * n + blockIdx.x * T + tx];
        __syncthreads();
        for (int k = 0; k < T; k++) { float v = bs[k][tx]; s0 += as[ty][k] * v; s1 += as[ty + 16][k] * v; }
        __syncthreads();
    }
    c[(blockIdx.y * T + ty) * n + blockIdx.x * T + tx] = s0;
    c[(blockIdx.y * T + ty + 16) * n + blockIdx.x * T + tx] = s1;
}
