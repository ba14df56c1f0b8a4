// Rows of lanes of some arrays are loaded, and rows of others stored, one element a turn: what loads wait for behind stores of many lines.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   float a[1 << 26] = zeros(); double b[1 << 25] = zeros();
   dim3 block = { 32 }; dim3 grid = { 132 };
   rows_wait<float, 4, 2>(a, 96, 96);
   rows_wait<float, 4, 2>(a, 104, 96);
   rows_wait<float, 4, 2>(a, 128, 96);
   rows_wait<float, 1, 1>(a, 96, 96);
   rows_wait<float, 1, 1>(a, 104, 96);
   rows_wait<float, 1, 1>(a, 128, 96);
   rows_wait<float, 2, 1>(a, 96, 96);
   rows_wait<float, 2, 1>(a, 104, 96);
   rows_wait<float, 2, 1>(a, 128, 96);
   rows_wait<double, 4, 2>(b, 96, 96);
   rows_wait<double, 4, 2>(b, 104, 96);
   rows_wait<double, 4, 2>(b, 128, 96);
   rows_wait<double, 1, 1>(b, 96, 96);
   rows_wait<double, 1, 1>(b, 104, 96);
   rows_wait<double, 1, 1>(b, 128, 96);
   rows_wait<double, 2, 1>(b, 96, 96);
   rows_wait<double, 2, 1>(b, 104, 96);
   rows_wait<double, 2, 1>(b, 128, 96);
*/
/* kmutate launch
   float a[1 << 26] = zeros(); double b[1 << 25] = zeros();
   dim3 block = { 128 }; dim3 grid = { 132 };
   rows_wait<float, 4, 2>(a, 96, 96);
   rows_wait<float, 4, 2>(a, 100, 96);
   rows_wait<float, 4, 2>(a, 104, 96);
   rows_wait<float, 4, 2>(a, 112, 96);
   rows_wait<float, 4, 2>(a, 120, 96);
   rows_wait<float, 4, 2>(a, 128, 96);
   rows_wait<float, 4, 0>(a, 96, 96);
   rows_wait<float, 4, 0>(a, 100, 96);
   rows_wait<float, 4, 0>(a, 104, 96);
   rows_wait<float, 4, 0>(a, 112, 96);
   rows_wait<float, 4, 0>(a, 120, 96);
   rows_wait<float, 4, 0>(a, 128, 96);
   rows_wait<float, 0, 2>(a, 96, 96);
   rows_wait<float, 0, 2>(a, 100, 96);
   rows_wait<float, 0, 2>(a, 104, 96);
   rows_wait<float, 0, 2>(a, 112, 96);
   rows_wait<float, 0, 2>(a, 120, 96);
   rows_wait<float, 0, 2>(a, 128, 96);
   rows_wait<float, 1, 1>(a, 96, 96);
   rows_wait<float, 1, 1>(a, 100, 96);
   rows_wait<float, 1, 1>(a, 104, 96);
   rows_wait<float, 1, 1>(a, 112, 96);
   rows_wait<float, 1, 1>(a, 120, 96);
   rows_wait<float, 1, 1>(a, 128, 96);
   rows_wait<float, 2, 1>(a, 96, 96);
   rows_wait<float, 2, 1>(a, 100, 96);
   rows_wait<float, 2, 1>(a, 104, 96);
   rows_wait<float, 2, 1>(a, 112, 96);
   rows_wait<float, 2, 1>(a, 120, 96);
   rows_wait<float, 2, 1>(a, 128, 96);
   rows_wait<double, 4, 2>(b, 96, 96);
   rows_wait<double, 4, 2>(b, 100, 96);
   rows_wait<double, 4, 2>(b, 104, 96);
   rows_wait<double, 4, 2>(b, 112, 96);
   rows_wait<double, 4, 2>(b, 120, 96);
   rows_wait<double, 4, 2>(b, 128, 96);
   rows_wait<double, 4, 0>(b, 96, 96);
   rows_wait<double, 4, 0>(b, 100, 96);
   rows_wait<double, 4, 0>(b, 104, 96);
   rows_wait<double, 4, 0>(b, 112, 96);
   rows_wait<double, 4, 0>(b, 120, 96);
   rows_wait<double, 4, 0>(b, 128, 96);
   rows_wait<double, 0, 2>(b, 96, 96);
   rows_wait<double, 0, 2>(b, 100, 96);
   rows_wait<double, 0, 2>(b, 104, 96);
   rows_wait<double, 0, 2>(b, 112, 96);
   rows_wait<double, 0, 2>(b, 120, 96);
   rows_wait<double, 0, 2>(b, 128, 96);
   rows_wait<double, 1, 1>(b, 96, 96);
   rows_wait<double, 1, 1>(b, 100, 96);
   rows_wait<double, 1, 1>(b, 104, 96);
   rows_wait<double, 1, 1>(b, 112, 96);
   rows_wait<double, 1, 1>(b, 120, 96);
   rows_wait<double, 1, 1>(b, 128, 96);
   rows_wait<double, 2, 1>(b, 96, 96);
   rows_wait<double, 2, 1>(b, 100, 96);
   rows_wait<double, 2, 1>(b, 104, 96);
   rows_wait<double, 2, 1>(b, 112, 96);
   rows_wait<double, 2, 1>(b, 120, 96);
   rows_wait<double, 2, 1>(b, 128, 96);
*/
/* kmutate launch
   float a[1 << 26] = zeros(); double b[1 << 25] = zeros();
   dim3 block = { 256 }; dim3 grid = { 132 };
   rows_wait<float, 4, 2>(a, 96, 96);
   rows_wait<float, 4, 2>(a, 104, 96);
   rows_wait<float, 4, 2>(a, 128, 96);
   rows_wait<float, 1, 1>(a, 96, 96);
   rows_wait<float, 1, 1>(a, 104, 96);
   rows_wait<float, 1, 1>(a, 128, 96);
   rows_wait<float, 2, 1>(a, 96, 96);
   rows_wait<float, 2, 1>(a, 104, 96);
   rows_wait<float, 2, 1>(a, 128, 96);
   rows_wait<double, 4, 2>(b, 96, 96);
   rows_wait<double, 4, 2>(b, 104, 96);
   rows_wait<double, 4, 2>(b, 128, 96);
   rows_wait<double, 1, 1>(b, 96, 96);
   rows_wait<double, 1, 1>(b, 104, 96);
   rows_wait<double, 1, 1>(b, 128, 96);
   rows_wait<double, 2, 1>(b, 96, 96);
   rows_wait<double, 2, 1>(b, 104, 96);
   rows_wait<double, 2, 1>(b, 128, 96);
*/
template <typename T, int LOADS, int STORES> __global__ void rows_wait(T *a, int pitch, int count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t all = (size_t)gridDim.x * blockDim.x * pitch;
    T *mine = a + (size_t)t * pitch;
    T sum = T(0);
#pragma unroll 1
    for (int i = 0; i < count; i++) {
#pragma unroll
        for (int l = 0; l < LOADS; l++) sum += mine[l * all + i];
#pragma unroll
        for (int k = 0; k < STORES; k++) mine[(LOADS + k) * all + i] = sum;
    }
    if (STORES == 0) mine[(size_t)LOADS * all] = sum;
}
