// Blocks of which some warps work and the others are there: which scheduler has which warp. Timed on a GPU and by the model of time,
// as patterns.cu.

/* kmutate launch
   dim3 block = { 32 }; float out[32] = zeros();
   dim3 grid = { 528 }; some_warps(out, 400, 1u); grid.x = 1056; some_warps(out, 400, 1u); grid.x = 2112; some_warps(out, 400, 1u); grid.x = 4224; some_warps(out, 400, 1u);
   block.x = 64;
   grid.x = 528; some_warps(out, 400, 1u); grid.x = 1056; some_warps(out, 400, 1u); grid.x = 2112; some_warps(out, 400, 1u); grid.x = 4224; some_warps(out, 400, 1u);
   block.x = 96;
   grid.x = 528; some_warps(out, 400, 1u); grid.x = 1056; some_warps(out, 400, 1u); grid.x = 2112; some_warps(out, 400, 1u);
   block.x = 128;
   grid.x = 132; some_warps(out, 400, 1u); grid.x = 528; some_warps(out, 400, 1u); grid.x = 1056; some_warps(out, 400, 1u); grid.x = 2112; some_warps(out, 400, 1u);
   some_warps(out, 400, 2u); some_warps(out, 400, 3u); some_warps(out, 400, 5u); some_warps(out, 400, 15u); grid.x = 8448; some_warps(out, 100, 1u); grid.x = 16896; some_warps(out, 100, 1u);
   block.x = 160; grid.x = 528; some_warps(out, 400, 1u); grid.x = 1056; some_warps(out, 400, 1u); grid.x = 1584; some_warps(out, 400, 1u);
   block.x = 192; grid.x = 528; some_warps(out, 400, 1u); grid.x = 1056; some_warps(out, 400, 1u);
   block.x = 256; grid.x = 528; some_warps(out, 400, 1u); grid.x = 1056; some_warps(out, 400, 1u); some_warps(out, 400, 3u); some_warps(out, 400, 0x11u); some_warps(out, 400, 0x55u);
   block.x = 512; grid.x = 528; some_warps(out, 400, 1u); some_warps(out, 400, 0x1111u);
*/
// The warps whose bits are in `which` do sums, the others wait for them.
__global__ void some_warps(float *out, int steps, unsigned which)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    if (which >> threadIdx.x / 32 & 1) {
#pragma unroll 1
        for (int k = 0; k < steps; k++) {
#pragma unroll
            for (int j = 0; j < 16; j++) {
                a = a * b + 1.0f;
                b = b * c + 1.0f;
                c = c * d + 1.0f;
                d = d * a + 1.0f;
            }
        }
    }
    __syncthreads();
    if (a + b + c + d == 12345.678f) out[threadIdx.x % 32] = a;
}
