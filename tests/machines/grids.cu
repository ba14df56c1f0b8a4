// Copies by threads that go through an array with the grid's width, by blocks that have a part each, and by one thread an
// element: arrays that lie a power of two apart, and arrays that do not. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int n = 1 << 26; dim3 block = { 256 }; dim3 grid = { 1056 }; float in[1 << 26] = zeros(); float out[(1 << 26) + 65536] = zeros();
   by_grid<0>(in, out, n); by_grid<1>(in, out, n); by_grid<2>(in, out, n); by_grid<0>(in, out + 8192, n); by_grid<0>(in, out + 33024, n);
   by_parts<0>(in, out, n); by_parts<1>(in, out, n); by_parts<0>(in, out + 33024, n);
   grid.x = 4224;
   by_grid<0>(in, out, n); by_grid<1>(in, out, n); by_parts<0>(in, out, n); by_parts<1>(in, out, n);
   grid.x = 528;
   by_grid<0>(in, out, n); by_grid<1>(in, out, n); by_grid<2>(in, out, n); by_parts<0>(in, out, n); by_parts<1>(in, out, n);
   grid.x = 16896;
   by_grid<0>(in, out, n); by_grid<1>(in, out, n); by_parts<0>(in, out, n);
   grid.x = n / 256;
   by_grid<0>(in, out, n); by_grid<0>(in, out + 8192, n); by_grid<0>(in, out + 33024, n);
   block.x = 1024; grid.x = 264;
   by_grid<0>(in, out, n); by_grid<1>(in, out, n); by_parts<0>(in, out, n);
*/
// LOADS: 0 as it comes, 1 four loads before the first store, 2 with __restrict__ semantics by a read-only load.
template <int LOADS> __global__ void by_grid(const float *in, float *out, int n)
{
    const int step = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (LOADS == 1) {
        for (; i + 3 * step < n; i += 4 * step) {
            const float a = in[i], b = in[i + step], c = in[i + 2 * step], d = in[i + 3 * step];
            out[i] = a + 1.0f, out[i + step] = b + 1.0f, out[i + 2 * step] = c + 1.0f, out[i + 3 * step] = d + 1.0f;
        }
    }
    for (; i < n; i += step) out[i] = (LOADS == 2 ? __ldg(in + i) : in[i]) + 1.0f;
}

template <int LOADS> __global__ void by_parts(const float *in, float *out, int n)
{
    const int words = (n + gridDim.x - 1) / gridDim.x, end = min(n, (blockIdx.x + 1) * words), step = blockDim.x;
    int i = blockIdx.x * words + threadIdx.x;
    if (LOADS == 1) {
        for (; i + 3 * step < end; i += 4 * step) {
            const float a = in[i], b = in[i + step], c = in[i + 2 * step], d = in[i + 3 * step];
            out[i] = a + 1.0f, out[i + step] = b + 1.0f, out[i + 2 * step] = c + 1.0f, out[i + 3 * step] = d + 1.0f;
        }
    }
    for (; i < end; i += step) out[i] = in[i] + 1.0f;
}

/* kmutate launch
   int n = 1 << 26; dim3 block = { 256 }; dim3 grid = { 1056 }; float in[1 << 26] = zeros(); float out[1 << 26] = zeros();
   sums_by_grid(in, out, n); fills_by_grid(out, n); sums_by_grid(in, out, 1 << 23); fills_by_grid(out, 1 << 23);
   grid.x = 4224;
   sums_by_grid(in, out, n); fills_by_grid(out, n);
   grid.x = 528;
   sums_by_grid(in, out, n); fills_by_grid(out, n);
*/
__global__ void sums_by_grid(const float *in, float *out, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    if (sum != 0.0f) out[threadIdx.x] = sum;
}

__global__ void fills_by_grid(float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 1.0f;
}

/* kmutate launch
   int n = 1 << 26; dim3 block = { 256 }; dim3 grid = { 1056 }; float a[1 << 26] = zeros(); float b[1 << 26] = zeros(); float c[1 << 26] = zeros(); float out[1 << 26] = zeros();
   arrays_by_grid<2>(a, b, c, out, n); arrays_by_grid<3>(a, b, c, out, n); arrays_by_grid<4>(a, b, c, out, n);
   grid.x = n / 256;
   arrays_by_grid<2>(a, b, c, out, n); arrays_by_grid<3>(a, b, c, out, n); arrays_by_grid<4>(a, b, c, out, n);
*/
// Two and three arrays to one, and one to three.
template <int ARRAYS> __global__ void arrays_by_grid(float *a, float *b, float *c, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (ARRAYS == 2) out[i] = a[i] + b[i];
        else if (ARRAYS == 3) out[i] = a[i] + b[i] + c[i];
        else {
            const float x = a[i];
            b[i] = x, c[i] = x + 1.0f, out[i] = x + 2.0f;
        }
    }
}
