// Each thread goes along a row of its own and changes it, so many words at a time, with so much arithmetic between loads and stores: how
// often L1 asks L2 for a sector. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

/* kmutate launch
   float a[1 << 24] = zeros(); float b[1 << 24] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 128 }; dim3 grid = { 188 };
   rows_ahead<1, 0, 1>(a, b, out, 480, 480); rows_ahead<2, 0, 1>(a, b, out, 480, 480); rows_ahead<4, 0, 1>(a, b, out, 480, 480); rows_ahead<8, 0, 1>(a, b, out, 480, 480);
   rows_ahead<1, 0, 20>(a, b, out, 480, 480); rows_ahead<2, 0, 20>(a, b, out, 480, 480); rows_ahead<4, 0, 20>(a, b, out, 480, 480); rows_ahead<8, 0, 20>(a, b, out, 480, 480);
   rows_ahead<1, 1, 1>(a, b, out, 480, 480); rows_ahead<4, 1, 1>(a, b, out, 480, 480); rows_ahead<4, 1, 20>(a, b, out, 480, 480);
   rows_ahead<1, 2, 1>(a, b, out, 480, 480); rows_ahead<4, 2, 1>(a, b, out, 480, 480); rows_ahead<4, 2, 20>(a, b, out, 480, 480);
   block.x = 32; grid.x = 132;
   rows_ahead<1, 0, 1>(a, b, out, 480, 480); rows_ahead<2, 0, 1>(a, b, out, 480, 480); rows_ahead<4, 0, 1>(a, b, out, 480, 480); rows_ahead<4, 0, 20>(a, b, out, 480, 480);
   rows_ahead<4, 1, 1>(a, b, out, 480, 480); rows_ahead<4, 2, 1>(a, b, out, 480, 480);
   block.x = 64; grid.x = 768;
   rows_ahead<1, 0, 1>(a, b, out, 192, 192); rows_ahead<4, 0, 1>(a, b, out, 192, 192); rows_ahead<1, 0, 20>(a, b, out, 192, 192); rows_ahead<4, 0, 20>(a, b, out, 192, 192);
   rows_ahead<4, 0, 1>(a, b, out, 192, 200); rows_ahead<4, 0, 20>(a, b, out, 192, 193);
*/
// WHERE: 0 where it was read, 1 in another array's row, 2 nowhere. The arithmetic: STEPS products that wait for each other.
template <int WORDS, int WHERE, int STEPS> __global__ void rows_ahead(float *a, float *b, float *out, int count, int pitch)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float *const mine = a + (size_t)t * pitch;
    float *const other = b + (size_t)t * pitch;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < count; k += WORDS) {
        float x[WORDS];
#pragma unroll
        for (int j = 0; j < WORDS; j++) x[j] = mine[k + j];
#pragma unroll
        for (int j = 0; j < WORDS; j++) {
#pragma unroll
            for (int s = 0; s < STEPS; s++) sum = sum * 0.5f + x[j];
            if (WHERE == 0) mine[k + j] = sum;
            if (WHERE == 1) other[k + j] = sum;
        }
    }
    out[t] = sum;
}
