// Tiles that march through planes, and columns that are walked beside a vector that all have.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int pitch = 512, ny = 256, deep = 16; dim3 block = { 32, 16 }; dim3 grid = { pitch / 32, ny / 16, 8 };
   double in[pitch * (ny + 4) * 140] = zeros(); double out[pitch * (ny + 4) * 140] = zeros();
   march<double, 0, 0, 0>(in, out, pitch, ny + 4, deep); march<double, 4, 0, 0>(in, out, pitch, ny + 4, deep);
   march<double, 0, 0, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 0, 1>(in, out, pitch, ny + 4, deep);
   march<double, 0, 1, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 1, 1>(in, out, pitch, ny + 4, deep);
   march<double, 4, 2, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 3, 1>(in, out, pitch, ny + 4, deep);
   deep = 32; grid.z = 4;
   march<double, 4, 0, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 1, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 2, 1>(in, out, pitch, ny + 4, deep);
   deep = 128; grid.z = 1;
   march<double, 0, 0, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 0, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 1, 1>(in, out, pitch, ny + 4, deep);
   march<double, 4, 2, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 3, 1>(in, out, pitch, ny + 4, deep);
   block.y = 8; grid.y = ny / 8;
   march<double, 0, 0, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 0, 1>(in, out, pitch, ny + 4, deep); march<double, 4, 2, 1>(in, out, pitch, ny + 4, deep);
*/
/* kmutate launch
   int pitch = 512, ny = 512, deep = 16; dim3 block = { 32, 16 }; dim3 grid = { pitch / 32, ny / 16, 8 };
   float in[pitch * (ny + 4) * 140] = zeros(); float out[pitch * (ny + 4) * 140] = zeros();
   march<float, 0, 0, 0>(in, out, pitch, ny + 4, deep); march<float, 4, 0, 0>(in, out, pitch, ny + 4, deep);
   march<float, 0, 0, 1>(in, out, pitch, ny + 4, deep); march<float, 4, 0, 1>(in, out, pitch, ny + 4, deep);
   march<float, 0, 1, 1>(in, out, pitch, ny + 4, deep); march<float, 4, 1, 1>(in, out, pitch, ny + 4, deep);
   march<float, 4, 2, 1>(in, out, pitch, ny + 4, deep); march<float, 4, 3, 1>(in, out, pitch, ny + 4, deep);
   deep = 128; grid.z = 1;
   march<float, 4, 0, 1>(in, out, pitch, ny + 4, deep); march<float, 4, 1, 1>(in, out, pitch, ny + 4, deep); march<float, 4, 2, 1>(in, out, pitch, ny + 4, deep);
   block.y = 8; grid.y = ny / 8;
   march<float, 4, 0, 1>(in, out, pitch, ny + 4, deep); march<float, 4, 2, 1>(in, out, pitch, ny + 4, deep);
   block.x = 64; grid.x = pitch / 64;
   march<float, 4, 0, 1>(in, out, pitch, ny + 4, deep); march<float, 4, 2, 1>(in, out, pitch, ny + 4, deep);
*/
// A block's tile, AHEAD planes ahead of that which it is in. EDGES: 1 for two rows above and below its own, 2 for two
// columns on each side, 3 both. WRITES each plane.
template <typename T, int AHEAD, int EDGES, int WRITES>
__global__ void march(const T *in, T *out, int pitch, int rows, int deep)
{
    const size_t plane = (size_t)rows * pitch;
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 2;
    size_t at = (size_t)(blockIdx.z * deep) * plane + (size_t)y * pitch + x;
    T held[AHEAD + 1], sum = 0;
#pragma unroll
    for (int k = 0; k < AHEAD; k++) held[k] = in[at + k * plane];
    for (int z = 0; z < deep; z++) {
        held[AHEAD] = in[at + AHEAD * plane];
        if ((EDGES & 2) && threadIdx.x < 2) {
            sum += in[at - 2];
            sum += in[at + blockDim.x];
        }
        if ((EDGES & 1) && threadIdx.y < 2) {
            sum += in[at - 2 * (size_t)pitch];
            sum += in[at + blockDim.y * (size_t)pitch];
        }
        sum += held[0];
        if (WRITES) out[at] = sum;
#pragma unroll
        for (int k = 0; k < AHEAD; k++) held[k] = held[k + 1];
        at += plane;
    }
    if (!WRITES && sum == -12345) out[at] = sum;
}

/* kmutate launch
   int n = 4096; dim3 block = { 32, 8 }; dim3 grid = { n / 32 };
   double a[n * n] = zeros(); double y[n] = zeros(); double out[n * 64] = zeros();
   columns_beside<double, 4, 0>(a, y, out, n, n); columns_beside<double, 4, 1>(a, y, out, n, n); columns_beside<double, 4, 2>(a, y, out, n, n);
   columns_beside<double, 8, 0>(a, y, out, n, n); columns_beside<double, 8, 1>(a, y, out, n, n); columns_beside<double, 8, 2>(a, y, out, n, n);
   columns_beside<double, 1, 0>(a, y, out, n, n); columns_beside<double, 1, 1>(a, y, out, n, n);
   columns_beside<double, 4, 0>(a, y, out, n, 4032); columns_beside<double, 4, 1>(a, y, out, n, 4032);
   grid.x = 64; columns_beside<double, 4, 0>(a, y, out, n, n); columns_beside<double, 4, 1>(a, y, out, n, n); columns_beside<double, 4, 2>(a, y, out, n, n);
   grid.x = 16; columns_beside<double, 4, 0>(a, y, out, n, n); columns_beside<double, 4, 1>(a, y, out, n, n);
   grid.x = 128; block.y = 16; columns_beside<double, 4, 0>(a, y, out, n, n); columns_beside<double, 4, 1>(a, y, out, n, n);
   block.y = 32; columns_beside<double, 4, 0>(a, y, out, n, n); columns_beside<double, 4, 1>(a, y, out, n, n);
   block.x = 256; block.y = 1; grid.x = 16; columns_beside<double, 4, 0>(a, y, out, n, n); columns_beside<double, 4, 1>(a, y, out, n, n); columns_beside<double, 16, 0>(a, y, out, n, n); columns_beside<double, 16, 1>(a, y, out, n, n);
*/
/* kmutate launch
   int n = 8192; dim3 block = { 32, 8 }; dim3 grid = { n / 32 };
   float a[n * n] = zeros(); float y[n] = zeros(); float out[n * 64] = zeros();
   columns_beside<float, 4, 0>(a, y, out, n, 4096); columns_beside<float, 4, 1>(a, y, out, n, 4096); columns_beside<float, 4, 2>(a, y, out, n, 4096);
   columns_beside<float, 8, 1>(a, y, out, n, 4096);
   block.x = 256; block.y = 1; grid.x = n / 256; columns_beside<float, 4, 0>(a, y, out, n, 4096); columns_beside<float, 4, 1>(a, y, out, n, 4096); columns_beside<float, 16, 0>(a, y, out, n, 4096); columns_beside<float, 16, 1>(a, y, out, n, 4096);
*/
__device__ int so_far(float v) { return v == -12345.0f; }
__device__ int so_far(double v) { return v == -12345.0; }
// Columns of a matrix by slices of a block; with VECTOR each row also has an entry that all read: 1 at once, 2 when the
// first of the column's is there.
template <typename T, int UNROLL, int VECTOR>
__global__ void columns_beside(const T *__restrict__ a, const T *__restrict__ y, T *out, int pitch, int rows)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int i = threadIdx.y; i < rows; i += UNROLL * blockDim.y) {
        T of[UNROLL], by[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) of[k] = a[(size_t)(i + k * blockDim.y) * pitch + j];
        if (VECTOR == 1)
#pragma unroll
            for (int k = 0; k < UNROLL; k++) by[k] = y[i + k * blockDim.y];
        if (VECTOR == 2) {
            const int first = so_far(of[0]);
#pragma unroll
            for (int k = 0; k < UNROLL; k++) by[k] = y[i + k * blockDim.y + first];
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++) sum += VECTOR ? of[k] * by[k] : of[k];
    }
    out[threadIdx.y * pitch + j] = sum;
}
