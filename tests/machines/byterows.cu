// Each thread goes along a row of bytes of its own, of one array or of two, as codes for text and sequences do: 32 lines a load, each of
// which is wanted again by the next 31 loads. Rows lie `pitch` bytes apart; more lines or less than L1 holds, in step or with rows of
// different lengths. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

/* kmutate launch
   dim3 block = { 128 };
   unsigned char a[64 << 20] = zeros(); unsigned char b[64 << 20] = zeros(); int out[1 << 19] = zeros();
   dim3 grid = { 132 }; byte_rows<1, 0>(out, a, b, 152, 152); byte_rows<2, 0>(out, a, b, 152, 152);
   grid.x = 528; byte_rows<1, 0>(out, a, b, 152, 152); byte_rows<2, 0>(out, a, b, 152, 152);
   grid.x = 1056; byte_rows<1, 0>(out, a, b, 152, 152); byte_rows<2, 0>(out, a, b, 152, 152);
   grid.x = 2112; byte_rows<1, 0>(out, a, b, 152, 152); byte_rows<2, 0>(out, a, b, 152, 152);
   byte_rows<1, 1>(out, a, b, 152, 152); byte_rows<2, 1>(out, a, b, 152, 152);
   byte_rows<1, 0>(out, a, b, 128, 128); byte_rows<2, 0>(out, a, b, 128, 128);
   byte_rows<1, 0>(out, a, b, 32, 32); byte_rows<2, 0>(out, a, b, 32, 32); byte_rows<1, 0>(out, a, b, 64, 64); byte_rows<2, 0>(out, a, b, 64, 64);
   byte_rows<1, 0>(out, a, b, 248, 152); byte_rows<2, 0>(out, a, b, 248, 152);
   byte_rows<1, 1>(out, a, b, 248, 152); byte_rows<2, 1>(out, a, b, 248, 152);
   grid.x = 4096; byte_rows<1, 0>(out, a, b, 100, 100); byte_rows<2, 0>(out, a, b, 100, 100); byte_rows<2, 1>(out, a, b, 100, 100);
   byte_rows<2, 1>(out, a, b, 128, 128);
*/
template <int ARRAYS, int UNEVEN> __global__ void byte_rows(int *out, const unsigned char *a, const unsigned char *b, int pitch, int most)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *p = a + (size_t)t * pitch, *q = b + (size_t)t * pitch;
    const int n = UNEVEN ? most / 2 + (t * 0x9e3779b1u >> 8) % (most / 2) : most;
    int sum = 0, run = 0, last = -1;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        const int here = p[i];
        if (ARRAYS == 2) sum += q[i] * 3;
        run = here == last ? run + 1 : 1;
        sum = max(sum, run);
        last = here;
    }
    out[t] = sum;
}

/* kmutate launch
   dim3 block = { 128 };
   unsigned char a[64 << 20] = zeros(); unsigned char b[64 << 20] = zeros(); int out[1 << 19] = zeros();
   dim3 grid = { 132 }; byte_rows_by_four<1, 0>(out, a, b, 152, 152); byte_rows_by_four<2, 0>(out, a, b, 152, 152);
   grid.x = 528; byte_rows_by_four<1, 0>(out, a, b, 152, 152); byte_rows_by_four<2, 0>(out, a, b, 152, 152);
   grid.x = 1056; byte_rows_by_four<1, 0>(out, a, b, 152, 152); byte_rows_by_four<2, 0>(out, a, b, 152, 152);
   grid.x = 2112; byte_rows_by_four<1, 0>(out, a, b, 152, 152); byte_rows_by_four<2, 0>(out, a, b, 152, 152);
   byte_rows_by_four<1, 1>(out, a, b, 152, 152); byte_rows_by_four<2, 1>(out, a, b, 152, 152);
   byte_rows_by_four<1, 0>(out, a, b, 128, 128); byte_rows_by_four<2, 0>(out, a, b, 128, 128);
   byte_rows_by_four<1, 0>(out, a, b, 32, 32); byte_rows_by_four<2, 0>(out, a, b, 32, 32); byte_rows_by_four<1, 0>(out, a, b, 64, 64); byte_rows_by_four<2, 0>(out, a, b, 64, 64);
   byte_rows_by_four<1, 0>(out, a, b, 248, 152); byte_rows_by_four<2, 0>(out, a, b, 248, 152);
   byte_rows_by_four<1, 1>(out, a, b, 248, 152); byte_rows_by_four<2, 1>(out, a, b, 248, 152);
   grid.x = 4096; byte_rows_by_four<1, 0>(out, a, b, 100, 100); byte_rows_by_four<2, 0>(out, a, b, 100, 100); byte_rows_by_four<2, 1>(out, a, b, 100, 100);
   byte_rows_by_four<2, 1>(out, a, b, 128, 128);
*/
// As the compiler has it by itself: four loads of each array, one behind the other.
template <int ARRAYS, int UNEVEN> __global__ void byte_rows_by_four(int *out, const unsigned char *a, const unsigned char *b, int pitch, int most)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *p = a + (size_t)t * pitch, *q = b + (size_t)t * pitch;
    const int n = UNEVEN ? most / 2 + (t * 0x9e3779b1u >> 8) % (most / 2) : most;
    int sum = 0, run = 0, last = -1;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        const int here = p[i];
        if (ARRAYS == 2) sum += q[i] * 3;
        run = here == last ? run + 1 : 1;
        sum = max(sum, run);
        last = here;
    }
    out[t] = sum;
}
