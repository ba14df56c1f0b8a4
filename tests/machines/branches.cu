// Two ways of a branch that store to the same places, each those of its lanes. Timed on a GPU and by the model of time, as
// patterns.cu; sectors that L2 got, and that SMs sent (l1tex__m_l1tex2xbar_write_sectors), by ncu.

/* kmutate launch
   dim3 block = { 512 }; dim3 grid = { 6144 };
   float a[4 << 20] = zeros(); float b[4 << 20] = zeros(); float c[4 << 20] = zeros(); float d[4 << 20] = zeros();
   two_ways<1, 0>(a, b, c, d, 0x80000000u); two_ways<2, 0>(a, b, c, d, 0x80000000u); two_ways<3, 0>(a, b, c, d, 0x80000000u);
   two_ways<1, 0>(a, b, c, d, 0x20000000u); two_ways<2, 0>(a, b, c, d, 0x20000000u); two_ways<3, 0>(a, b, c, d, 0x20000000u);
   two_ways<1, 0>(a, b, c, d, 0x04000000u); two_ways<2, 0>(a, b, c, d, 0x04000000u); two_ways<3, 0>(a, b, c, d, 0x04000000u);
   two_ways<1, 0>(a, b, c, d, 0u); two_ways<2, 0>(a, b, c, d, 0u); two_ways<3, 0>(a, b, c, d, 0u);
   two_ways<1, 1>(a, b, c, d, 0x80000000u); two_ways<2, 1>(a, b, c, d, 0x80000000u); two_ways<3, 1>(a, b, c, d, 0x80000000u);
   two_ways<1, 1>(a, b, c, d, 0x20000000u); two_ways<2, 1>(a, b, c, d, 0x20000000u);
   two_ways<1, 2>(a, b, c, d, 0x80000000u); two_ways<2, 2>(a, b, c, d, 0x80000000u);
   block.x = 128; grid.x = 24576;
   two_ways<1, 0>(a, b, c, d, 0x80000000u); two_ways<2, 0>(a, b, c, d, 0x80000000u); two_ways<3, 0>(a, b, c, d, 0x80000000u);
   two_ways<1, 1>(a, b, c, d, 0x80000000u); two_ways<2, 1>(a, b, c, d, 0x80000000u);
*/
// Of `c`'s threads about `part` of 2^32 go one way, by chance (after 1: a load as well; 2: by turns, every other lane), and store to
// one, two or three arrays.
template <int ARRAYS, int HOW> __global__ void two_ways(float *a, float *b, float *c, float *d, unsigned part)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (t + 1) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    h ^= h >> 13;
    if (HOW == 2) h = t % 2 ? 0u : 0xffffffffu;
    float v = HOW == 1 ? d[t] : 0.5f;
    if (h < part) {
        a[t] = v + 1.0f;
        if (ARRAYS > 1) b[t] = v * 3.0f;
        if (ARRAYS > 2) c[t] = v * 5.0f;
        asm volatile("" ::: "memory");
    } else {
        a[t] = v - 1.0f;
        if (ARRAYS > 1) b[t] = v * 7.0f;
        if (ARRAYS > 2) c[t] = v * 9.0f;
    }
}
