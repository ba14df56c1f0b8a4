// Kernels that the model of time was never compared with while it was made: measured once, on an H200, after it was finished
// (tests/gpu/heldout.py, docs/heldout.md). Do not tune the model on them; write new ones instead.

/* kmutate launch
   int n = 1 << 24; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float out[n] = zeros(); float x[n] = uniform(-1, 1); float y[n] = uniform(-1, 1);
   triad(out, x, y, 1.5f, n);
*/
__global__ void triad(float *out, const float *x, const float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + a * y[i];
}

/* kmutate launch
   int n = 4096; dim3 grid = { n / 32, n / 8 }; dim3 block = { 32, 8 };
   float out[n * n] = zeros(); float in[n * n] = uniform(0, 1);
   jacobi(out, in, n);
*/
__global__ void jacobi(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * n + x;
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

/* kmutate launch
   int n = 1 << 22; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float out[n] = zeros(); float table[1 << 22] = uniform(0, 1); int index[n] = randint(0, (1 << 22) - 1);
   gather(out, table, index, n);
*/
__global__ void gather(float *out, const float *table, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[index[i]];
}

/* kmutate launch
   int n = 1 << 22; dim3 grid = { n / 512 }; dim3 block = { 512 };
   int out[n] = zeros(); int in[n] = randint(0, 9);
   scan_blocks(out, in);
*/
__global__ void scan_blocks(int *out, const int *in)
{
    __shared__ int s[2][512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t, at = 0;
    s[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        s[1 - at][t] = t >= d ? s[at][t] + s[at][t - d] : s[at][t];
        at = 1 - at;
        __syncthreads();
    }
    out[i] = s[at][t];
}

/* kmutate launch
   int w = 2048, h = 1024; dim3 grid = { w / 16, h / 16 }; dim3 block = { 16, 16 };
   int out[w * h] = zeros();
   mandelbrot(out, w, h, 200);
*/
__global__ void mandelbrot(int *out, int w, int h, int most)
{
    int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y, k = 0;
    float cx = 3.0f * px / w - 2.2f, cy = 2.4f * py / h - 1.2f, x = 0, y = 0;
    while (k < most && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        k++;
    }
    out[py * w + px] = k;
}

/* kmutate launch
   int n = 1024; dim3 grid = { n / 64, n / 64 }; dim3 block = { 16, 16 };
   float c[n * n] = zeros(); float a[n * n] = uniform(-1, 1); float b[n * n] = uniform(-1, 1);
   gemm64(c, a, b, n);
*/
__global__ void gemm64(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][64], bs[16][64];
    float sum[4][4] = {};
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, row = blockIdx.y * 64, col = blockIdx.x * 64;
    for (int k = 0; k < n; k += 16) {
        for (int j = 0; j < 4; j++) {
            int e = t + j * 256;
            as[e % 16][e / 16] = a[(row + e / 16) * n + k + e % 16];
            bs[e / 64][e % 64] = b[(k + e / 64) * n + col + e % 64];
        }
        __syncthreads();
        for (int q = 0; q < 16; q++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += as[q][ty * 4 + i] * bs[q][tx * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(row + ty * 4 + i) * n + col + tx * 4 + j] = sum[i][j];
}

/* kmutate launch
   int rows = 8192, columns = 1024; dim3 grid = { rows / 8 }; dim3 block = { 256 };
   int best[rows] = zeros(); float in[rows * columns] = uniform(-1, 1);
   argmax_rows(best, in, columns);
*/
__global__ void argmax_rows(int *best, const float *in, int columns)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, at = 0;
    float most = -1e30f;
    for (int c = lane; c < columns; c += 32) {
        float v = in[row * columns + c];
        if (v > most) { most = v; at = c; }
    }
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_down_sync(0xffffffffu, most, d);
        int there = __shfl_down_sync(0xffffffffu, at, d);
        if (other > most) { most = other; at = there; }
    }
    if (lane == 0) best[row] = at;
}

/* kmutate launch
   int n = 1 << 22; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float out[3 * n] = zeros(); float in[3 * n] = uniform(-1, 1);
   normalize_points(out, in, n);
*/
__global__ void normalize_points(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2], r = rsqrtf(x * x + y * y + z * z + 1e-9f);
    out[3 * i] = x * r;
    out[3 * i + 1] = y * r;
    out[3 * i + 2] = z * r;
}

/* kmutate launch
   int n = 1 << 20; dim3 grid = { n / 256 }; dim3 block = { 256 };
   unsigned out[n] = zeros();
   random_walks(out, 256);
*/
__global__ void random_walks(unsigned *out, int steps)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 2654435761u + 1, far = 0;
    for (int s = 0; s < steps; s++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        far += x & 1 ? 3u : far >> 3;
    }
    out[i] = far;
}

/* kmutate launch
   int n = 1 << 21; dim3 grid = { n / 128 }; dim3 block = { 128 };
   double call[n] = zeros(); double spot[n] = uniform(10, 100); double strike[n] = uniform(10, 100);
   option_prices(call, spot, strike, 0.02, 0.3, n);
*/
__global__ void option_prices(double *call, const double *spot, const double *strike, double rate, double sigma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double s = spot[i], k = strike[i], d = (log(s / k) + rate + 0.5 * sigma * sigma) / sigma;
    call[i] = s * normcdf(d) - k * exp(-rate) * normcdf(d - sigma);
}

/* kmutate launch
   int n = 1 << 24; dim3 grid = { 1056 }; dim3 block = { 256 };
   int counts[4096] = zeros(); int keys[n] = randint(0, 4095);
   count_keys(counts, keys, n);
*/
__global__ void count_keys(int *counts, const int *keys, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[keys[i]], 1);
}

/* kmutate launch
   int nx = 256, ny = 256, nz = 256; dim3 grid = { nx / 32, ny / 4, nz / 4 }; dim3 block = { 32, 4, 4 };
   float out[nx * ny * nz] = zeros(); float in[nx * ny * nz] = uniform(0, 1);
   seven_points(out, in, nx, ny, nz);
*/
__global__ void seven_points(float *out, const float *in, int nx, int ny, int nz)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
    int i = (z * ny + y) * nx + x;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
        out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
}

/* kmutate launch
   int n = 1 << 20, width = 64; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float out[n] = zeros(); float rows[n * width] = uniform(0, 1); float w[width] = uniform(0, 1);
   row_dots(out, rows, w, n, width);
*/
__global__ void row_dots(float *out, const float *rows, const float *w, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < width; k++) sum += rows[i * width + k] * w[k];
    out[i] = sum;
}

/* kmutate launch
   int n = 1 << 22; dim3 grid = { n / 1024 }; dim3 block = { 512 };
   int keys[n] = randint(0, 1000000);
   bitonic_blocks(keys);
*/
__global__ void bitonic_blocks(int *keys)
{
    __shared__ int s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = keys[base + t];
    s[t + 512] = keys[base + t + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (stride - 1));
            bool up = (i & size) == 0;
            int a = s[i], b = s[i + stride];
            if ((a > b) == up) { s[i] = b; s[i + stride] = a; }
        }
    __syncthreads();
    keys[base + t] = s[t];
    keys[base + t + 512] = s[t + 512];
}
