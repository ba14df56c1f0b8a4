// Nine planes read and written by cells of which some, without order, write each value to another plane: sectors in two parts,
// one soon after the other. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned walled_hash(unsigned n)
{
    n ^= n >> 16; n *= 0x7feb352du; n ^= n >> 15; n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* kmutate launch
   int n = 3072000; dim3 block = { 128 }; dim3 grid = { n / 128 };
   float in[9 * n] = zeros(); float out[9 * n] = zeros();
   walled<0>(in, out, n, 0); walled<0>(in, out, n, 1); walled<0>(in, out, n, 3); walled<0>(in, out, n, 8); walled<0>(in, out, n, 32);
   walled<1>(in, out, n, 0); walled<1>(in, out, n, 1); walled<1>(in, out, n, 3); walled<1>(in, out, n, 8); walled<1>(in, out, n, 32);
   walled<2>(in, out, n, 0); walled<2>(in, out, n, 1); walled<2>(in, out, n, 3); walled<2>(in, out, n, 8); walled<2>(in, out, n, 32);
   walled<3>(in, out, n, 0); walled<3>(in, out, n, 1); walled<3>(in, out, n, 3); walled<3>(in, out, n, 8); walled<3>(in, out, n, 32);
*/
// `share` of 64 cells are walls. 0: they write to other planes, and end; 1: to the same ones, by their own stores; 2: nothing;
// 3: as 0, and nobody reads.
template <int WHAT> __global__ void walled(const float *in, float *out, int n, int share)
{
    const int back[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
    const int i = blockIdx.x * 128 + threadIdx.x;
    float f[9], sum = 0;
#pragma unroll
    for (int q = 0; q < 9; q++) sum += f[q] = WHAT == 3 ? (float)(i + q) : in[q * n + i];
    if ((walled_hash(i) & 63) < share) {
        if (WHAT != 2) {
#pragma unroll
            for (int q = 0; q < 9; q++) out[(WHAT == 1 ? q : back[q]) * n + i] = f[q];
        }
        return;
    }
#pragma unroll
    for (int q = 0; q < 9; q++) out[q * n + i] = f[q] + 0.1f * (sum - f[q]);
}
