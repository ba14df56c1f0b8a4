// Grids of a few waves and a part of one, limited by what is issued and by what L1 gives: how the last blocks end. Timed on a
// GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 * 8 }; float4 list[512] = zeros(); float out[132 * 64 * 256] = zeros(); int count = 400;
   last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   grid.x = 132 * 9; last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   grid.x = 132 * 11; last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   grid.x = 132 * 16; last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   grid.x = 132 * 18; last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   grid.x = 132 * 27 - 36; last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   grid.x = 132 * 32; last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   grid.x = 132 * 60; last_waves<14, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   block.x = 128; grid.x = 132 * 36; last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count); last_waves<10, 1>(out, list, count);
   block.x = 512; grid.x = 132 * 9; last_waves<14, 0>(out, list, count); last_waves<8, 0>(out, list, count);
*/
// All lanes go through a list that L1 holds: 16 bytes an entry, WORK products with it, and ROOTS.
template <int WORK, int ROOTS> __global__ void last_waves(float *out, const float4 *list, int count)
{
    const float x = threadIdx.x;
    float sums[4] = {};
#pragma unroll 4
    for (int k = 0; k < count; k++) {
        const float4 entry = list[k];
        const float v[4] = { entry.x, entry.y, entry.z, entry.w };
#pragma unroll
        for (int w = 0; w < WORK; w++) sums[w & 3] = fmaf(v[w & 3], x, sums[w & 3]);
#pragma unroll
        for (int r = 0; r < ROOTS; r++) {
            float root;
            asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v[r] + x));
            sums[r] += root;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
