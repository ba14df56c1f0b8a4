// Each thread goes along a row of its own and stores there, or elsewhere, what it has made of each element: how often L1 asks L2 for a
// sector. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

/* kmutate launch
   float a[1 << 24] = zeros(); float b[1 << 24] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 128 }; dim3 grid = { 132 };
   rows_changed<0>(a, b, out, 480, 480); rows_changed<1>(a, b, out, 480, 480); rows_changed<2>(a, b, out, 480, 480); rows_changed<3>(a, b, out, 480, 480);
   rows_changed<0>(a, b, out, 256, 264); rows_changed<1>(a, b, out, 256, 264); rows_changed<2>(a, b, out, 256, 264); rows_changed<3>(a, b, out, 256, 264);
   grid.x = 264;
   rows_changed<0>(a, b, out, 256, 264); rows_changed<1>(a, b, out, 256, 264); rows_changed<2>(a, b, out, 256, 264); rows_changed<3>(a, b, out, 256, 264);
   block.x = 32; grid.x = 132;
   rows_changed<0>(a, b, out, 480, 480); rows_changed<1>(a, b, out, 480, 480); rows_changed<2>(a, b, out, 480, 480); rows_changed<3>(a, b, out, 480, 480);
   grid.x = 32;
   rows_changed<0>(a, b, out, 480, 480); rows_changed<1>(a, b, out, 480, 480); rows_changed<2>(a, b, out, 480, 480); rows_changed<3>(a, b, out, 480, 480);
*/
// WHAT: 0 nothing is stored, 1 where it was read, 2 in another array's row, 3 there as bytes.
template <int WHAT> __global__ void rows_changed(float *a, float *b, float *out, int count, int pitch)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float *const mine = a + (size_t)t * pitch;
    float *const other = b + (size_t)t * pitch;
    unsigned char *const bytes = (unsigned char *)b + (size_t)t * pitch;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < count; k++) {
        const float x = mine[k];
        sum = sum * 0.5f + x;
        if (WHAT == 1) mine[k] = sum;
        if (WHAT == 2) other[k] = sum;
        if (WHAT == 3) bytes[k] = sum > 1.0f ? 3 : 1;
    }
    out[t] = sum;
}
