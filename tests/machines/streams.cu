// Arrays that are read, and others that are written, each once and in order: as many of each, of as many bytes together.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int n = 1 << 20; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float out[3 * 16777216] = zeros(); float in[7 * 16777216] = zeros();
   streams<1, 1>(out, in, n); streams<6, 3>(out, in, n); streams<7, 1>(out, in, n); streams<3, 0>(out, in, n); streams<0, 3>(out, in, n);
   n = 2 << 20; grid.x = n / 256;
   streams<1, 1>(out, in, n); streams<3, 1>(out, in, n); streams<6, 3>(out, in, n); streams<7, 1>(out, in, n); streams<3, 0>(out, in, n); streams<7, 0>(out, in, n); streams<0, 3>(out, in, n);
   n = 4 << 20; grid.x = n / 256;
   streams<1, 1>(out, in, n); streams<3, 1>(out, in, n); streams<6, 3>(out, in, n); streams<7, 1>(out, in, n); streams<7, 0>(out, in, n); streams<0, 3>(out, in, n);
   n = 8 << 20; grid.x = n / 256;
   streams<1, 1>(out, in, n); streams<3, 1>(out, in, n); streams<6, 3>(out, in, n); streams<7, 1>(out, in, n);
   n = 16 << 20; grid.x = n / 256;
   streams<1, 1>(out, in, n); streams<3, 1>(out, in, n); streams<6, 3>(out, in, n); streams<7, 1>(out, in, n);
   n = 2 << 20; block.x = 512; grid.x = n / 512;
   streams<6, 3>(out, in, n); streams<7, 3>(out, in, n);
*/
template <int READ, int WRITTEN> __global__ void streams(float *out, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < READ; k++) sum += in[k * n + i];
#pragma unroll
    for (int k = 0; k < WRITTEN; k++) out[k * n + i] = sum + k;
    if (WRITTEN == 0 && sum == 1.0f) out[i] = sum;
}

/* kmutate launch
   int n = 2 << 20; dim3 block = { 512 }; dim3 grid = { n / 512 };
   float a[2097152] = zeros(); float b[2097152] = zeros(); float c[2097152] = zeros(); float d[2097152] = zeros(); float e[2097152] = zeros();
   float f[2097152] = zeros(); float g[2097152] = zeros(); float x[2097152] = zeros(); float y[2097152] = zeros(); float z[2097152] = zeros();
   torques(x, y, z, a, b, c, d, e, f, g);
   block.x = 256; grid.x = n / 256; torques(x, y, z, a, b, c, d, e, f, g);
   n = 1 << 20; grid.x = n / 256; torques(x, y, z, a, b, c, d, e, f, g);
*/
// Of arrays that each lie for themselves, with some arithmetic between.
__global__ void torques(float *x, float *y, float *z, const float *a, const float *b, const float *c, const float *d, const float *e,
                        const float *f, const float *g)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float p = a[i], q = b[i], r = c[i], s = d[i], t = e[i], u = f[i], v = g[i], w = -1.0f / (1.0f + v * v);
    const float k = q * u - r * t, l = r * s - p * u, m = p * t - q * s;
    x[i] = w * (k + v * (q * m - r * l));
    y[i] = w * (l + v * (r * k - p * m));
    z[i] = w * (m + v * (p * l - q * k));
}
