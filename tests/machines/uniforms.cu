// Loads of constant memory by a uniform index, of warps that each have lines of their own, or are at other places of the same ones: on one
// scheduler, or on all four. Timed on a GPU and by the model of time, as patterns.cu.

__constant__ float table_of_own[16384];

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 132 }; float out[132 * 16 * 128] = zeros(); extern float table_of_own[16384] = zeros();
   grid.y = 1; own_lines<1, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 4; own_lines<1, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 5; own_lines<1, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 6; own_lines<1, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 8; own_lines<1, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 12; own_lines<1, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 16; own_lines<1, 1, 1, 0>(out, 1000, 1, 16, 0);
   grid.y = 1; own_lines<1, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 4; own_lines<1, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 5; own_lines<1, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 6; own_lines<1, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 8; own_lines<1, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 12; own_lines<1, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 16; own_lines<1, 1, 1, 8>(out, 1000, 1, 16, 0);
   grid.y = 1; own_lines<1, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 4; own_lines<1, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 5; own_lines<1, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 6; own_lines<1, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 8; own_lines<1, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 12; own_lines<1, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 16; own_lines<1, 1, 1, 32>(out, 1000, 1, 16, 0);
   grid.y = 1; own_lines<1, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 2; own_lines<1, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 3; own_lines<1, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<1, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 6; own_lines<1, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<1, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<1, 1, 1, 0>(out, 1000, 16, 256, 0);
   grid.y = 1; own_lines<1, 1, 1, 32>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<1, 1, 1, 32>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<1, 1, 1, 32>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<1, 1, 1, 32>(out, 1000, 16, 256, 0);
   grid.y = 1; own_lines<1, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 4; own_lines<1, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 6; own_lines<1, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 8; own_lines<1, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 12; own_lines<1, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 16; own_lines<1, 4, 4, 0>(out, 1000, 1, 64, 0);
   grid.y = 1; own_lines<1, 4, 4, 8>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<1, 4, 4, 8>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<1, 4, 4, 8>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<1, 4, 4, 8>(out, 1000, 16, 256, 0);
   grid.y = 1; own_lines<1, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 4; own_lines<1, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 6; own_lines<1, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 8; own_lines<1, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 12; own_lines<1, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 16; own_lines<1, 4, -4, 0>(out, 1000, 1, 64, 0);
   grid.y = 1; own_lines<1, 4, -4, 8>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<1, 4, -4, 8>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<1, 4, -4, 8>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<1, 4, -4, 8>(out, 1000, 16, 256, 0);
   grid.y = 1; own_lines<1, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 4; own_lines<1, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 6; own_lines<1, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 8; own_lines<1, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 12; own_lines<1, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 16; own_lines<1, 4, 16, 0>(out, 1000, 1, 64, 0);
   grid.y = 1; own_lines<1, 4, 16, 8>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<1, 4, 16, 8>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<1, 4, 16, 8>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<1, 4, 16, 8>(out, 1000, 16, 256, 0);
   grid.y = 2; own_lines<1, 1, 1, 8>(out, 1000, 8, 0, 0); grid.y = 2; own_lines<1, 1, 1, 8>(out, 1000, 8, 0, 50); grid.y = 2; own_lines<1, 1, 1, 8>(out, 1000, 64, 0, 50); grid.y = 2; own_lines<1, 1, 1, 8>(out, 1000, 64, 0, 200); grid.y = 4; own_lines<1, 1, 1, 8>(out, 1000, 8, 0, 0); grid.y = 4; own_lines<1, 1, 1, 8>(out, 1000, 8, 0, 50); grid.y = 4; own_lines<1, 1, 1, 8>(out, 1000, 64, 0, 50); grid.y = 4; own_lines<1, 1, 1, 8>(out, 1000, 64, 0, 200); grid.y = 8; own_lines<1, 1, 1, 8>(out, 1000, 8, 0, 0); grid.y = 8; own_lines<1, 1, 1, 8>(out, 1000, 8, 0, 50); grid.y = 8; own_lines<1, 1, 1, 8>(out, 1000, 64, 0, 50); grid.y = 8; own_lines<1, 1, 1, 8>(out, 1000, 64, 0, 200); grid.y = 16; own_lines<1, 1, 1, 8>(out, 1000, 8, 0, 0); grid.y = 16; own_lines<1, 1, 1, 8>(out, 1000, 8, 0, 50); grid.y = 16; own_lines<1, 1, 1, 8>(out, 1000, 64, 0, 50); grid.y = 16; own_lines<1, 1, 1, 8>(out, 1000, 64, 0, 200);
   grid.y = 1; own_lines<4, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 4; own_lines<4, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 5; own_lines<4, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 6; own_lines<4, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 8; own_lines<4, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 12; own_lines<4, 1, 1, 0>(out, 1000, 1, 16, 0); grid.y = 16; own_lines<4, 1, 1, 0>(out, 1000, 1, 16, 0);
   grid.y = 1; own_lines<4, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 4; own_lines<4, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 5; own_lines<4, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 6; own_lines<4, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 8; own_lines<4, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 12; own_lines<4, 1, 1, 8>(out, 1000, 1, 16, 0); grid.y = 16; own_lines<4, 1, 1, 8>(out, 1000, 1, 16, 0);
   grid.y = 1; own_lines<4, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 4; own_lines<4, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 5; own_lines<4, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 6; own_lines<4, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 8; own_lines<4, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 12; own_lines<4, 1, 1, 32>(out, 1000, 1, 16, 0); grid.y = 16; own_lines<4, 1, 1, 32>(out, 1000, 1, 16, 0);
   grid.y = 1; own_lines<4, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 2; own_lines<4, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 3; own_lines<4, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<4, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 6; own_lines<4, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<4, 1, 1, 0>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<4, 1, 1, 0>(out, 1000, 16, 256, 0);
   grid.y = 1; own_lines<4, 1, 1, 32>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<4, 1, 1, 32>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<4, 1, 1, 32>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<4, 1, 1, 32>(out, 1000, 16, 256, 0);
   grid.y = 1; own_lines<4, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 4; own_lines<4, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 6; own_lines<4, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 8; own_lines<4, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 12; own_lines<4, 4, 4, 0>(out, 1000, 1, 64, 0); grid.y = 16; own_lines<4, 4, 4, 0>(out, 1000, 1, 64, 0);
   grid.y = 1; own_lines<4, 4, 4, 8>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<4, 4, 4, 8>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<4, 4, 4, 8>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<4, 4, 4, 8>(out, 1000, 16, 256, 0);
   grid.y = 1; own_lines<4, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 4; own_lines<4, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 6; own_lines<4, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 8; own_lines<4, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 12; own_lines<4, 4, -4, 0>(out, 1000, 1, 64, 0); grid.y = 16; own_lines<4, 4, -4, 0>(out, 1000, 1, 64, 0);
   grid.y = 1; own_lines<4, 4, -4, 8>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<4, 4, -4, 8>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<4, 4, -4, 8>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<4, 4, -4, 8>(out, 1000, 16, 256, 0);
   grid.y = 1; own_lines<4, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 4; own_lines<4, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 6; own_lines<4, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 8; own_lines<4, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 12; own_lines<4, 4, 16, 0>(out, 1000, 1, 64, 0); grid.y = 16; own_lines<4, 4, 16, 0>(out, 1000, 1, 64, 0);
   grid.y = 1; own_lines<4, 4, 16, 8>(out, 1000, 16, 256, 0); grid.y = 4; own_lines<4, 4, 16, 8>(out, 1000, 16, 256, 0); grid.y = 8; own_lines<4, 4, 16, 8>(out, 1000, 16, 256, 0); grid.y = 16; own_lines<4, 4, 16, 8>(out, 1000, 16, 256, 0);
   grid.y = 2; own_lines<4, 1, 1, 8>(out, 1000, 8, 0, 0); grid.y = 2; own_lines<4, 1, 1, 8>(out, 1000, 8, 0, 50); grid.y = 2; own_lines<4, 1, 1, 8>(out, 1000, 64, 0, 50); grid.y = 2; own_lines<4, 1, 1, 8>(out, 1000, 64, 0, 200); grid.y = 4; own_lines<4, 1, 1, 8>(out, 1000, 8, 0, 0); grid.y = 4; own_lines<4, 1, 1, 8>(out, 1000, 8, 0, 50); grid.y = 4; own_lines<4, 1, 1, 8>(out, 1000, 64, 0, 50); grid.y = 4; own_lines<4, 1, 1, 8>(out, 1000, 64, 0, 200); grid.y = 8; own_lines<4, 1, 1, 8>(out, 1000, 8, 0, 0); grid.y = 8; own_lines<4, 1, 1, 8>(out, 1000, 8, 0, 50); grid.y = 8; own_lines<4, 1, 1, 8>(out, 1000, 64, 0, 50); grid.y = 8; own_lines<4, 1, 1, 8>(out, 1000, 64, 0, 200); grid.y = 16; own_lines<4, 1, 1, 8>(out, 1000, 8, 0, 0); grid.y = 16; own_lines<4, 1, 1, 8>(out, 1000, 8, 0, 50); grid.y = 16; own_lines<4, 1, 1, 8>(out, 1000, 64, 0, 50); grid.y = 16; own_lines<4, 1, 1, 8>(out, 1000, 64, 0, 200);
*/
// A step has LOADS loads, APART words from each other, and then GAP products. A block goes through `lines` lines, which begin `own` words
// after the block's before it on the SM, and begins `late` products after that. Of a block WARPS warps do so.
template <int WARPS, int LOADS, int APART, int GAP> __global__ void own_lines(float *out, int steps, int lines, int own, int late)
{
    if (threadIdx.x >= 32 * WARPS) return;
    const float *f = table_of_own + 64;
    float sum = 0.0f, x = threadIdx.x;
    for (int n = 0; n < (int)blockIdx.y * late; n++) x = x * 0.5f + 1.0f;
    int from = 0;
#pragma unroll 1
    for (int n = 0; n < (int)blockIdx.y; n++) {  // by steps: then it is known to be uniform
        from += own;
        if (from >= 4096) from = 0;
    }
    int at = from;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum = sum * x + f[at + k * APART];
#pragma unroll
        for (int k = 0; k < GAP; k++) sum = sum * 0.5f + 1.0f;
        at += 16;
        if (at >= from + lines * 16) at = from;
    }
    out[(blockIdx.y * 132 + blockIdx.x) * 128 + threadIdx.x] = sum;
}
