// Grids of which many blocks have nothing to do and end at once: who gets the others. Timed on a GPU and by the model of time, as
// patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; float out[1024] = zeros();
   dim3 grid = { 132 }; idle_blocks<0, 1>(out, 100); grid.x = 264; idle_blocks<0, 1>(out, 100); grid.x = 396; idle_blocks<0, 1>(out, 100); grid.x = 528; idle_blocks<0, 1>(out, 100); grid.x = 660; idle_blocks<0, 1>(out, 100); grid.x = 1056; idle_blocks<0, 1>(out, 100);
   grid.x = 264; idle_blocks<2, 1>(out, 100); grid.x = 528; idle_blocks<2, 1>(out, 100); grid.x = 660; idle_blocks<2, 1>(out, 100); grid.x = 1056; idle_blocks<2, 1>(out, 100); grid.x = 2112; idle_blocks<2, 1>(out, 100); grid.x = 4224; idle_blocks<2, 1>(out, 100);
   grid.x = 264; idle_blocks<3, 1>(out, 100); grid.x = 528; idle_blocks<3, 1>(out, 100); grid.x = 660; idle_blocks<3, 1>(out, 100); grid.x = 1056; idle_blocks<3, 1>(out, 100); grid.x = 2112; idle_blocks<3, 1>(out, 100); grid.x = 4224; idle_blocks<3, 1>(out, 100);
   grid.x = 264; idle_blocks<4, 1>(out, 100); grid.x = 528; idle_blocks<4, 1>(out, 100); grid.x = 660; idle_blocks<4, 1>(out, 100); grid.x = 1056; idle_blocks<4, 1>(out, 100); grid.x = 2112; idle_blocks<4, 1>(out, 100); grid.x = 4224; idle_blocks<4, 1>(out, 100);
   grid.x = 1056; idle_blocks<5, 1>(out, 100); grid.x = 2112; idle_blocks<5, 1>(out, 100); grid.x = 4224; idle_blocks<5, 1>(out, 100); grid.x = 8448; idle_blocks<5, 1>(out, 100);
   grid.x = 264; idle_blocks<0, 44>(out, 100); grid.x = 528; idle_blocks<0, 44>(out, 100); idle_blocks<2, 44>(out, 100); idle_blocks<3, 44>(out, 100); idle_blocks<4, 44>(out, 100); grid.x = 1056; idle_blocks<2, 44>(out, 100); idle_blocks<4, 44>(out, 100); grid.x = 2112; idle_blocks<5, 44>(out, 100); idle_blocks<4, 44>(out, 100);
*/
/* kmutate launch
   dim3 block = { 256 }; float out[1024] = zeros();
   dim3 grid = { 16, 16 }; idle_blocks<1, 1>(out, 100); grid.x = 25; grid.y = 25; idle_blocks<1, 1>(out, 100); idle_blocks<1, 44>(out, 100); grid.x = 32; grid.y = 32; idle_blocks<1, 1>(out, 100); idle_blocks<1, 44>(out, 100); grid.x = 48; grid.y = 48; idle_blocks<1, 1>(out, 100); idle_blocks<1, 44>(out, 100); grid.x = 80; grid.y = 80; idle_blocks<1, 1>(out, 100);
   grid.x = 24; grid.y = 26; idle_blocks<1, 1>(out, 100); grid.x = 40; grid.y = 40; idle_blocks<1, 1>(out, 100);
*/
// WHICH work: 0 all, 1 those of a triangle, 2 each second, 3 the first half, 4 half by chance, 5 an eighth by chance. KB of shared
// memory a block.
template <int WHICH, int KB> __global__ void idle_blocks(float *out, int steps)
{
    __shared__ float near[KB * 256];
    const unsigned number = blockIdx.y * gridDim.x + blockIdx.x;
    unsigned mixed = number * 0x7feb352du; mixed ^= mixed >> 15; mixed *= 0x846ca68bu; mixed ^= mixed >> 16;
    if (WHICH == 1 && blockIdx.x < blockIdx.y) return;
    if (WHICH == 2 && number % 2) return;
    if (WHICH == 3 && 2 * number >= gridDim.x * gridDim.y) return;
    if (WHICH == 4 && mixed & 1) return;
    if (WHICH == 5 && mixed & 7) return;
    near[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float a = near[threadIdx.x ^ 1], b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
#pragma unroll
        for (int j = 0; j < 16; j++) {
            a = a * 0.5f + 1.0f; b = b * 0.5f + 1.0f; c = c * 0.5f + 1.0f; d = d * 0.5f + 1.0f;
            e = e * 0.5f + 1.0f; f = f * 0.5f + 1.0f; g = g * 0.5f + 1.0f; h = h * 0.5f + 1.0f;
        }
    }
    if (a + b + c + d + e + f + g + h == 12345.678f) out[threadIdx.x] = a;
}
