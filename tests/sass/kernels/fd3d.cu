// Wave equation, order 8: x and y neighbours from a shared tile, z neighbours from a register queue.
#define R 4
#define TX 16
#define TY 16
__constant__ float c_coeff[R + 1];

__global__ void fd3d(float *out, const float *in, const float *vsq, int nx, int ny, int nz)
{
    __shared__ float tile[TY + 2 * R][TX + 2 * R];
    int ix = blockIdx.x * TX + threadIdx.x + R;
    int iy = blockIdx.y * TY + threadIdx.y + R;
    int at = iy * nx + ix;
    int stride = nx * ny;
    int out_at = at + R * stride;
    int tx = threadIdx.x + R, ty = threadIdx.y + R;
    float front[R], behind[R], current;

    for (int i = 0; i < R; i++) { behind[R - 1 - i] = in[at]; at += stride; }
    current = in[at]; at += stride;
    for (int i = 0; i < R; i++) { front[i] = in[at]; at += stride; }

    for (int k = R; k < nz - R; k++) {
        __syncthreads();
        if (threadIdx.y < R) {
            tile[threadIdx.y][tx] = in[out_at - R * nx];
            tile[threadIdx.y + TY + R][tx] = in[out_at + TY * nx];
        }
        if (threadIdx.x < R) {
            tile[ty][threadIdx.x] = in[out_at - R];
            tile[ty][threadIdx.x + TX + R] = in[out_at + TX];
        }
        tile[ty][tx] = current;
        __syncthreads();

        float sum = c_coeff[0] * current;
#pragma unroll
        for (int i = 1; i <= R; i++)
            sum += c_coeff[i] * (tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]
                                 + front[i - 1] + behind[i - 1]);
        out[out_at] = 2.0f * current - out[out_at] + vsq[out_at] * sum;

        for (int i = R - 1; i > 0; i--) behind[i] = behind[i - 1];
        behind[0] = current;
        current = front[0];
        for (int i = 0; i < R - 1; i++) front[i] = front[i + 1];
        if (k + 1 < nz - R) { front[R - 1] = in[at]; at += stride; }
        out_at += stride;
    }
}
