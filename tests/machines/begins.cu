// Special registers at the beginning of short blocks.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 64, 64, 4 }; dim3 block = { 32, 32 };
   int out[16] = zeros();
   begins<0, 0>(out, -1); begins<1, 0>(out, -1); begins<2, 0>(out, -1); begins<3, 0>(out, -1); begins<4, 0>(out, -1); begins<5, 0>(out, -1);
   begins<6, 0>(out, -1);
   begins<0, 24>(out, -1); begins<2, 24>(out, -1); begins<6, 24>(out, -1); begins<6, 64>(out, -1);
   block.y = 8; grid.x = 256;
   begins<0, 0>(out, -1); begins<2, 0>(out, -1); begins<4, 0>(out, -1); begins<6, 0>(out, -1); begins<0, 24>(out, -1); begins<6, 24>(out, -1);
   begins<6, 64>(out, -1);
   block.y = 16; grid.x = 128;
   begins<0, 0>(out, -1); begins<6, 0>(out, -1); begins<6, 24>(out, -1);
   block.y = 4; grid.x = 512;
   begins<0, 0>(out, -1); begins<6, 0>(out, -1); begins<6, 24>(out, -1);
*/
// Blocks that read so many of them and do so many products more.
template <int MANY, int WORK> __global__ void begins(int *out, int never)
{
    int sum = 0, x;
    if (MANY > 0) { asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(x)); sum += x; }
    if (MANY > 1) { asm volatile("mov.u32 %0, %%tid.y;" : "=r"(x)); sum = sum * 3 + x; }
    if (MANY > 2) { asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x)); sum = sum * 3 + x; }
    if (MANY > 3) { asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x)); sum = sum * 3 + x; }
    if (MANY > 4) { asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(x)); sum = sum * 3 + x; }
    if (MANY > 5) { asm volatile("mov.u32 %0, %%tid.z;" : "=r"(x)); sum = sum * 3 + x; }
#pragma unroll
    for (int k = 0; k < WORK; k++) sum = sum * never + k;
    if (sum == never) out[0] = sum;
}
