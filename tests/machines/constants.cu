// Constant memory by an index: by lanes that want different words, and by loops over more than the first cache holds.
// Timed on a GPU and by the model of time, as patterns.cu.

__constant__ int table[16384];

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   extern int table[16384] = zeros(); int out[264 * 512] = zeros();
   lane_loads(out, 100, 1, 1); lane_loads(out, 100, 2, 1); lane_loads(out, 100, 4, 1); lane_loads(out, 100, 8, 1);
   lane_loads(out, 100, 16, 1); lane_loads(out, 100, 32, 1); lane_loads(out, 100, 8, 4); lane_loads(out, 100, 8, 16);
   lane_loads(out, 100, 32, 4); lane_loads(out, 100, 32, 16); lane_loads(out, 100, 2, 16); lane_loads(out, 100, 2, 64);
*/
// Independent loads, eight a step, by lanes that want `distinct` words, `stride` words apart.
__global__ void lane_loads(int *out, int steps, int distinct, int stride)
{
    int t = threadIdx.x, at = t % distinct * stride, sum = 0;
    for (int k = 0; k < steps; k++) {
        int v = table[at] ^ table[at + 1] ^ table[at + 2] ^ table[at + 3];
        at ^= (v ^ table[at + 4] ^ table[at + 5] ^ table[at + 6] ^ table[at + 7]) & 1;
        sum += v;
    }
    out[blockIdx.x * 512 + t] = sum + at;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   extern int table[16384] = zeros(); int out[132 * 32] = zeros();
   lane_chain(out, 1000, 1, 1); lane_chain(out, 1000, 2, 1); lane_chain(out, 1000, 4, 1); lane_chain(out, 1000, 8, 1);
   lane_chain(out, 1000, 16, 1); lane_chain(out, 1000, 32, 1); lane_chain(out, 1000, 32, 16); lane_chain(out, 1000, 2, 64);
*/
// One warp of an SM whose loads wait for each other.
__global__ void lane_chain(int *out, int steps, int distinct, int stride)
{
    int t = threadIdx.x, at = t % distinct * stride;
    for (int k = 0; k < steps; k++) at ^= table[at];
    out[blockIdx.x * 32 + t] = at;
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   extern int table[16384] = zeros(); float out[264 * 512] = zeros();
   table_walk(out, 1024, 256, 0); table_walk(out, 1024, 512, 0); table_walk(out, 1024, 1024, 0); table_walk(out, 1024, 2048, 0);
   table_walk(out, 1024, 4096, 0); table_walk(out, 1024, 8192, 0); table_walk(out, 1024, 16384, 0);
   table_walk(out, 1024, 256, 64); table_walk(out, 1024, 512, 64); table_walk(out, 1024, 1024, 64);
   table_walk(out, 1024, 2048, 64); table_walk(out, 1024, 4096, 64); table_walk(out, 1024, 8192, 64);
   table_walk(out, 1024, 16384, 64); table_walk(out, 1024, 16384, 1024);
*/
// Every warp reads four words a step, the same for all its lanes, of a table of `words`; a warp begins `shift` words on.
__global__ void table_walk(float *out, int steps, int words, int shift)
{
    int t = threadIdx.x, warp = __shfl_sync(~0u, t / 32, 0);
    const float *f = (const float *)table;
    float sum = 0.0f;
    int at = (warp + blockIdx.x % 2 * 16) * shift;
    for (int k = 0; k < steps; k++, at += 4) {
        int i = __shfl_sync(~0u, at & (words - 1), 0);
        sum += f[i] + f[i + 1] * f[i + 2] + f[i + 3];
    }
    out[blockIdx.x * 512 + t] = sum;
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   extern int table[16384] = zeros(); float out[264 * 512] = zeros();
   table_sweep(out, 256, 16, 0); table_sweep(out, 512, 8, 0); table_sweep(out, 1024, 4, 0); table_sweep(out, 2048, 2, 0);
   table_sweep(out, 4096, 1, 0); table_sweep(out, 256, 16, 24); table_sweep(out, 1024, 4, 24); table_sweep(out, 4096, 1, 24);
   grid.x = 132; block.x = 32;
   table_sweep(out, 256, 16, 0); table_sweep(out, 1024, 4, 0); table_sweep(out, 4096, 1, 0);
   block.x = 128;
   table_sweep(out, 256, 16, 0); table_sweep(out, 1024, 4, 0); table_sweep(out, 4096, 1, 0);
*/
// A loop over `quads` of four words, as a sum over samples in constant memory is; `work` products between two loads.
__global__ void table_sweep(float *out, int quads, int turns, int work)
{
    const float4 *f = (const float4 *)table;
    float x = threadIdx.x, sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        for (int k = 0; k < quads; k++) {
            float4 s = f[k];
            sum += s.x * x + s.y * s.z + s.w;
            for (int n = 0; n < work; n += 8) {
                x = x * 0.5f + sum; x = x * 0.25f + 1.0f; x = x * 0.5f + sum; x = x * 0.25f + 1.0f;
                x = x * 0.5f + sum; x = x * 0.25f + 1.0f; x = x * 0.5f + sum; x = x * 0.25f + 1.0f;
            }
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + x;
}

/* kmutate launch
   dim3 grid = { 4224 }; dim3 block = { 32 };
   extern int table[16384] = zeros(); float out[4224 * 32] = zeros();
   uniform_lines<16>(out, 64, 256, 0); uniform_lines<16>(out, 16, 1024, 0); uniform_lines<16>(out, 1, 16384, 0); uniform_lines<16>(out, 4, 16384, 0);
   uniform_lines<16>(out, 64, 256, 50); uniform_lines<16>(out, 16, 1024, 50); uniform_lines<16>(out, 1, 16384, 100); uniform_lines<16>(out, 4, 16384, 100);
   uniform_lines<64>(out, 16, 16384, 100); uniform_lines<4>(out, 4, 4096, 100); uniform_lines<8>(out, 4, 4096, 100);
   grid.x = 132; uniform_lines<16>(out, 16, 1024, 0); uniform_lines<16>(out, 1, 16384, 0); uniform_lines<16>(out, 4, 16384, 0); uniform_lines<64>(out, 4, 16384, 0);
   grid.x = 132 * 4; uniform_lines<16>(out, 16, 1024, 100); uniform_lines<16>(out, 4, 16384, 100);
   grid.x = 132;
   uniform_lines<4>(out, 64, 64, 0); uniform_lines<4>(out, 32, 128, 0); uniform_lines<8>(out, 64, 128, 0); uniform_lines<8>(out, 32, 256, 0);
   uniform_lines<16>(out, 64, 256, 0); uniform_lines<16>(out, 32, 384, 0); uniform_lines<64>(out, 128, 512, 0); uniform_lines<64>(out, 128, 768, 0);
   grid.x = 132 * 8; uniform_lines<4>(out, 4, 1024, 50); uniform_lines<16>(out, 16, 1024, 50); uniform_lines<16>(out, 16, 1024, 200);
   grid.x = 132 * 16; uniform_lines<4>(out, 4, 1024, 50); uniform_lines<16>(out, 16, 1024, 50); uniform_lines<16>(out, 16, 1024, 200);
   grid.x = 132 * 32; uniform_lines<4>(out, 4, 1024, 0); uniform_lines<4>(out, 4, 1024, 50); uniform_lines<16>(out, 16, 1024, 0);
   uniform_lines<16>(out, 16, 1024, 50); uniform_lines<16>(out, 16, 1024, 200); uniform_lines<64>(out, 64, 1024, 50);
*/
// Warps that read a word a step, STRIDE words on, by a uniform index; each begins `late` products after another.
template <int STRIDE> __global__ void uniform_lines(float *out, int turns, int words, int late)
{
    const float *f = (const float *)table;
    float sum = 0.0f, x = threadIdx.x;
    for (int n = 0; n < blockIdx.x / 132 * late; n++) x = x * 0.5f + 1.0f;
    for (int turn = 0; turn < turns; turn++)
#pragma unroll 4
        for (int k = 0; k < words; k += STRIDE) sum += f[k];
    out[blockIdx.x * 32 + threadIdx.x] = sum + x;
}

/* kmutate launch
   dim3 grid = { 4224 }; dim3 block = { 32 };
   extern int table[16384] = zeros(); float out[4224 * 32] = zeros();
   lane_lines(out, 16, 256, 16, 0); lane_lines(out, 16, 1024, 16, 0); lane_lines(out, 1, 16384, 16, 0);
   lane_lines(out, 64, 256, 16, 16); lane_lines(out, 64, 256, 16, 256); lane_lines(out, 16, 1024, 16, 480); lane_lines(out, 16, 4096, 64, 384);
   lane_lines(out, 16, 256, 4, 480); lane_lines(out, 16, 256, 8, 480);
   grid.x = 132; lane_lines(out, 16, 1024, 16, 0); lane_lines(out, 1, 16384, 16, 0); lane_lines(out, 4, 16384, 16, 0); lane_lines(out, 4, 16384, 64, 0);
   grid.x = 132 * 4; lane_lines(out, 16, 1024, 16, 480); lane_lines(out, 16, 1024, 16, 4096);
*/
// The same by an index that lanes have, which begins `shift` words behind another block's.
__global__ void lane_lines(float *out, int turns, int words, int stride, int shift)
{
    const float *f = (const float *)table;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++) {
        int first = __shfl_sync(~0u, blockIdx.x / 132 * shift, 0), end = first + words;
#pragma unroll 4
        for (int k = first; k < end; k += stride) sum += f[k];
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   extern int table[16384] = zeros(); int out[264 * 512] = zeros();
   lane_random(out, 50, 128u); lane_random(out, 50, 256u); lane_random(out, 50, 512u); lane_random(out, 50, 640u);
   lane_random(out, 50, 768u); lane_random(out, 50, 1024u); lane_random(out, 20, 2048u); lane_random(out, 20, 4096u);
   lane_random(out, 20, 16384u);
   grid.x = 132; block.x = 32;
   lane_random(out, 200, 512u); lane_random(out, 200, 1024u); lane_random(out, 200, 4096u); lane_random(out, 200, 16384u);
   block.x = 128;
   lane_random(out, 200, 512u); lane_random(out, 200, 1024u); lane_random(out, 200, 4096u); lane_random(out, 200, 16384u);
*/
// Words at random, another for each lane, of as many: those of a table that does not fit are in lines that come and go.
__global__ void lane_random(int *out, int steps, unsigned words)
{
    unsigned i = blockIdx.x * 512 + threadIdx.x;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        unsigned x = (i + k * 264 * 512) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
        sum += table[(unsigned)((unsigned long long)x * words >> 32)];
    }
    out[i] = sum;
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   extern int table[16384] = zeros(); int out[264 * 512] = zeros();
   lane_steps(out, 40, 1, 0); lane_steps(out, 40, 2, 0); lane_steps(out, 40, 4, 0); lane_steps(out, 40, 8, 0);
   lane_steps(out, 40, 16, 0); lane_steps(out, 40, 32, 0); lane_steps(out, 20, 32, 1); lane_steps(out, 20, 32, 2);
   grid.x = 132; block.x = 32;
   lane_steps(out, 200, 1, 0); lane_steps(out, 200, 2, 0); lane_steps(out, 200, 4, 0); lane_steps(out, 200, 8, 0);
   lane_steps(out, 200, 16, 0); lane_steps(out, 200, 32, 0); lane_steps(out, 200, 32, 1); lane_steps(out, 200, 32, 2);
*/
// So many lines a load, all other ones in the next load; the words of a line are one (0), two (1) or four (2).
__global__ void lane_steps(int *out, int steps, int lines, int spread)
{
    int t = threadIdx.x, lane = t & 31, sum = 0, at = (lane & lines - 1) * 16 + (lane >> 5 - spread);
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        sum += table[at & 16383];
        at += lines * 16;
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}
