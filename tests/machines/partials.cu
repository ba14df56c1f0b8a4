// Stores of a part of a sector by all SMs: what L2 takes for a line by how far apart lanes are, where a warp stores next, how many
// warps there are, and how long they go on; two lengths each, so that what does not grow with it can be told. Timed on a GPU and by the
// model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 64 };
   int out[1 << 27] = zeros();
   part_lines<0>(out, 64, 32, 1024); part_lines<0>(out, 256, 32, 1024); part_lines<0>(out, 64, 256, 8192); part_lines<0>(out, 256, 256, 8192);
   part_lines<1>(out, 64, 32, 1024); part_lines<1>(out, 256, 32, 1024); part_lines<1>(out, 64, 256, 8192); part_lines<1>(out, 256, 256, 8192);
   block.x = 256;
   part_lines<0>(out, 64, 32, 1024); part_lines<0>(out, 256, 32, 1024); part_lines<0>(out, 64, 33, 1056); part_lines<0>(out, 256, 33, 1056);
   part_lines<0>(out, 64, 256, 8192); part_lines<0>(out, 256, 256, 8192); part_lines<0>(out, 64, 264, 8448); part_lines<0>(out, 256, 264, 8448);
   part_lines<1>(out, 64, 32, 1024); part_lines<1>(out, 256, 32, 1024); part_lines<1>(out, 64, 256, 8192); part_lines<1>(out, 256, 256, 8192);
   part_lines<2>(out, 64, 32, 1024); part_lines<2>(out, 256, 32, 1024); part_lines<2>(out, 64, 256, 8192); part_lines<2>(out, 256, 256, 8192);
   part_lines<3>(out, 64, 32, 1024); part_lines<3>(out, 256, 32, 1024); part_lines<3>(out, 64, 1056, 33792); part_lines<3>(out, 256, 1056, 33792);
   part_lines<4>(out, 64, 32, 1024); part_lines<4>(out, 256, 32, 1024); part_lines<5>(out, 64, 32, 1024); part_lines<5>(out, 256, 32, 1024);
   block.x = 1024;
   part_lines<0>(out, 32, 32, 1024); part_lines<0>(out, 128, 32, 1024); part_lines<0>(out, 32, 256, 8192); part_lines<0>(out, 128, 256, 8192);
   part_lines<1>(out, 32, 32, 1024); part_lines<1>(out, 128, 32, 1024); part_lines<1>(out, 32, 256, 8192); part_lines<1>(out, 128, 256, 8192);
   part_lines<2>(out, 32, 32, 1024); part_lines<2>(out, 128, 32, 1024);
   part_lines<4>(out, 32, 32, 1024); part_lines<4>(out, 128, 32, 1024); part_lines<5>(out, 32, 32, 1024); part_lines<5>(out, 128, 32, 1024);
*/
// A lane's next store goes to the same word (0), the next of its sector (1), of its line (2), of the lane's next sector (3), to a random line
// of 16 MB (4), or all warps' next store to other lines of 4 MB, one after another (5).
template <int NEXT> __global__ void part_lines(int *out, int steps, int lanes, int warps)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, all = gridDim.x * blockDim.x / 32;
    int *to = out + (size_t)warp * warps + lane * lanes;
#pragma unroll 4
    for (unsigned k = 0; k < steps; k++) {
        unsigned at = 0;
        if (NEXT == 1) at = k % 8;
        if (NEXT == 2) at = k % 32;
        if (NEXT == 3) at = k * 8 % 1024;
        if (NEXT == 4) at = ((warp + k * all) * 32 + lane) * 0x9e3779b1u >> 15 << 5;
        if (NEXT == 5) at = ((warp + k * all) * 32 + lane) % 32768 * 32;
        int *p = NEXT >= 4 ? out + at : to + at;
        asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(k));
    }
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   int out[1 << 27] = zeros();
   part_sectors<4, 1>(out, 64); part_sectors<4, 1>(out, 256); part_sectors<4, 2>(out, 64); part_sectors<4, 2>(out, 256);
   part_sectors<4, 4>(out, 64); part_sectors<4, 4>(out, 256); part_sectors<4, 7>(out, 64); part_sectors<4, 7>(out, 256);
   part_sectors<4, 8>(out, 64); part_sectors<4, 8>(out, 256);
   part_sectors<2, 1>(out, 64); part_sectors<2, 1>(out, 256); part_sectors<2, 4>(out, 64); part_sectors<2, 4>(out, 256);
   part_sectors<2, 8>(out, 64); part_sectors<2, 8>(out, 256);
   part_sectors<1, 2>(out, 64); part_sectors<1, 2>(out, 256); part_sectors<1, 4>(out, 64); part_sectors<1, 4>(out, 256);
   part_sectors<1, 8>(out, 64); part_sectors<1, 8>(out, 256);
*/
// A warp stores WORDS words of each of SECTORS sectors of a line, and as many lines as its lanes are enough for (4 at most).
template <int SECTORS, int WORDS> __global__ void part_sectors(int *out, int steps)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, each = SECTORS * WORDS;
    const unsigned line = lane / each, sector = lane % each / WORDS, word = lane % WORDS;
    int *to = out + (size_t)warp * 4096 + line * 32 + sector * 8 + word;
    if (line >= 4) return;
#pragma unroll 4
    for (unsigned k = 0; k < steps; k++)
        if (lane < 32 / each * each) asm volatile("st.global.u32 [%0], %1;" :: "l"(to + k % 16 * 256), "r"(k));
}
