// Loads from pages that nothing has read since what the TLBs held was replaced. Timed on a GPU and by the model of time, as
// patterns.cu.

/* kmutate launch
   dim3 block = { 32 }; dim3 grid = { 1 };
   int in[1 << 26] = zeros(); int out[1056] = zeros(); int page = 1 << 19;
   page_steps(in, out, page, 1); page_steps(in, out, page, 2); page_steps(in, out, page, 4); page_steps(in, out, page, 8); page_steps(in, out, page, 16); page_steps(in, out, page, 32); page_steps(in, out, page, 64); page_steps(in, out, page, 120);
   page_steps(in, out, page / 4, 8); page_steps(in, out, page / 4, 64); page_steps(in, out, page / 16, 16); page_steps(in, out, page / 16, 64); page_steps(in, out, page / 16, 256); page_steps(in, out, page / 64, 64); page_steps(in, out, 64, 64); page_steps(in, out, 64, 256);
   grid.x = 132; page_steps(in, out, page, 1); page_steps(in, out, page, 2); page_steps(in, out, page, 4); page_steps(in, out, page, 8); page_steps(in, out, page, 16); page_steps(in, out, page, 32); page_steps(in, out, page, 64);
   page_steps(in, out, page / 16, 16); page_steps(in, out, page / 16, 64); page_steps(in, out, page / 16, 256); page_steps(in, out, 1 << 15, 64);
   grid.x = 1056; page_steps(in, out, page, 1); page_steps(in, out, page, 8); page_steps(in, out, page, 32); page_steps(in, out, page / 16, 16); page_steps(in, out, page / 16, 64);
*/
// A chain of loads, `stride` words apart; each block's are a KB from the next one's.
__global__ void page_steps(const int *in, int *out, int stride, int steps)
{
    const int *p = in + blockIdx.x * 256;
    int at = 0;
    for (int k = 0; k < steps; k++) at = p[(size_t)k * stride + at];
    if (threadIdx.x == 0) out[blockIdx.x] = at;
}

/* kmutate launch
   dim3 block = { 1024 }; dim3 grid = { 1 };
   int in[1 << 26] = zeros(); int out[1056] = zeros(); int page = 1 << 19;
   page_burst(in, out, page, 1); page_burst(in, out, page, 2); page_burst(in, out, page, 4); page_burst(in, out, page, 8); page_burst(in, out, page, 16); page_burst(in, out, page, 32);
   page_burst(in, out, page / 16, 32); page_burst(in, out, 1024, 32);
   grid.x = 132; page_burst(in, out, page, 1); page_burst(in, out, page, 2); page_burst(in, out, page, 4); page_burst(in, out, page, 8); page_burst(in, out, page, 16); page_burst(in, out, page, 32);
   page_burst(in, out, page / 16, 32); page_burst(in, out, 1 << 15, 32);
*/
// A load of each of so many warps at once, `stride` words apart.
__global__ void page_burst(const int *in, int *out, int stride, int warps)
{
    const int warp = threadIdx.x / 32;
    if (warp < warps && in[(size_t)warp * stride + blockIdx.x * 256] != 0) out[blockIdx.x] = 1;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 264 };
   int in[1 << 26] = zeros(); int out[1056] = zeros(); int page = 1 << 19;
   page_walks(in, out, 1, 8); page_walks(in, out, 2, 8); page_walks(in, out, 4, 8); page_walks(in, out, 8, 8); page_walks(in, out, 32, 8); page_walks(in, out, 128, 8);
   page_walks(in, out, 1, 64); page_walks(in, out, 8, 64); page_walks(in, out, 128, 64);
   grid.x = 132; block.x = 32; page_walks(in, out, 1, 16); page_walks(in, out, 8, 16); page_walks(in, out, 32, 16); page_walks(in, out, 128, 16);
*/
// Chains of loads of a line each, of a warp, anywhere in so many pages.
__global__ void page_walks(const int *in, int *out, int pages, int steps)
{
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) / 32 + 1, got = 0;
    for (int k = 0; k < steps; k++) {
        at = at * 1664525u + 1013904223u;
        const unsigned line = (at >> 8) % (unsigned)(pages << 14);
        got = in[(size_t)line * 32 + got];
        at += got;
    }
    if (got != 0) out[0] = 1;
}
