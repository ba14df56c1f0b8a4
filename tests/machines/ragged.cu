// Blocks whose warps end at different times: when the places of those that have left go to the next block. Timed on a GPU and by the
// model of time, as patterns.cu.

/* kmutate launch
   int next[1 << 18] = randint(0, 1 << 18); int out[1 << 20] = zeros(); int most = 40;
   dim3 block = { 64 }; dim3 grid = { 132 * 320 };
   ragged<0, 1>(next, out, most); ragged<1, 1>(next, out, most); ragged<2, 1>(next, out, most); ragged<3, 1>(next, out, most);
   block.x = 96; grid.x = 132 * 210;
   ragged<0, 1>(next, out, most); ragged<1, 1>(next, out, most); ragged<2, 1>(next, out, most); ragged<3, 1>(next, out, most);
   block.x = 128; grid.x = 132 * 160;
   ragged<0, 1>(next, out, most); ragged<1, 1>(next, out, most); ragged<2, 1>(next, out, most); ragged<3, 1>(next, out, most);
   block.x = 192; grid.x = 132 * 100;
   ragged<0, 1>(next, out, most); ragged<1, 1>(next, out, most); ragged<2, 1>(next, out, most); ragged<3, 1>(next, out, most);
   block.x = 256; grid.x = 132 * 80;
   ragged<0, 1>(next, out, most); ragged<1, 1>(next, out, most); ragged<2, 1>(next, out, most); ragged<3, 1>(next, out, most);
   ragged<0, 5000>(next, out, most); ragged<2, 5000>(next, out, most); ragged<0, 7000>(next, out, most); ragged<2, 7000>(next, out, most);
   most = 8; ragged<0, 1>(next, out, most); ragged<2, 1>(next, out, most); ragged<3, 1>(next, out, most);
   most = 40; grid.x = 132 * 16; ragged<0, 1>(next, out, most); ragged<2, 1>(next, out, most);
   block.x = 512; grid.x = 132 * 40;
   ragged<0, 1>(next, out, most); ragged<1, 1>(next, out, most); ragged<2, 1>(next, out, most); ragged<3, 1>(next, out, most);
   block.x = 1024; grid.x = 132 * 20;
   ragged<0, 1>(next, out, most); ragged<1, 1>(next, out, most); ragged<2, 1>(next, out, most); ragged<3, 1>(next, out, most);
*/
__device__ unsigned drawn_for(unsigned warp)
{
    unsigned drawn = (warp + 1) * 0x9e3779b1u;
    drawn = (drawn ^ drawn >> 15) * 0x85ebca77u;
    return drawn ^ drawn >> 13;
}

// Each warp follows so many links, `most` at most. HOW many: 0 by chance, 1 all the same, 2 the block's first warp all and others one,
// 3 the more the later a warp is. ROOM: words of shared memory that a block has.
template <int HOW, int ROOM> __global__ void ragged(const int *next, int *out, int most)
{
    __shared__ int room[ROOM];
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const unsigned all = blockIdx.x * warps + warp, drawn = drawn_for(all);
    int links = drawn % most + 1;
    if (HOW == 1) links = most / 2;
    if (HOW == 2) links = warp == 0 ? most : 1;
    if (HOW == 3) links = (warp + 1) * most / warps;
    int at = drawn >> 14;
#pragma unroll 1
    for (int k = 0; k < links; k++) at = __ldcg(next + at);
    if (ROOM > 1 && at < 0) room[threadIdx.x] = at;
    out[all] = ROOM > 1 && at < 0 ? room[threadIdx.x ^ 1] : at;
}

/* kmutate launch
   int next[1 << 18] = randint(0, 1 << 18); int out[1 << 20] = zeros(); int most = 40;
   dim3 block = { 256 }; dim3 grid = { 132 * 80 };
   wide_ragged<0, 40>(next, out, most); wide_ragged<2, 40>(next, out, most); wide_ragged<0, 90>(next, out, most); wide_ragged<2, 90>(next, out, most);
   block.x = 128; grid.x = 132 * 160;
   wide_ragged<0, 40>(next, out, most); wide_ragged<2, 40>(next, out, most); wide_ragged<0, 90>(next, out, most); wide_ragged<2, 90>(next, out, most);
*/
// As ragged, with so many numbers in registers meanwhile.
template <int HOW, int NUMBERS> __global__ void wide_ragged(const int *next, int *out, int most)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const unsigned all = blockIdx.x * warps + warp, drawn = drawn_for(all);
    int links = drawn % most + 1;
    if (HOW == 2) links = warp == 0 ? most : 1;
    int at = drawn >> 14;
    int many[NUMBERS];
#pragma unroll
    for (int k = 0; k < NUMBERS; k++) many[k] = at * (k + 3);
#pragma unroll 1
    for (int k = 0; k < links; k++) {
        at = __ldcg(next + at);
        if (at < 0)
#pragma unroll
            for (int j = 0; j < NUMBERS; j++) many[j] ^= at + many[(j + 1) % NUMBERS];
    }
    int sum = 0;
#pragma unroll
    for (int k = 0; k < NUMBERS; k++) sum = sum * 3 + many[k];
    out[all] = at < 0 ? sum : at;
}

/* kmutate launch
   int nodes = 90112; int edges = csr_nnz(nodes, 1, 40);
   int offsets[nodes + 1] = csr_rowptr(nodes, 1, 40); int source[edges] = csr_colidx(nodes);
   float rows[nodes * 32] = zeros(); float sums[nodes * 32] = zeros();
   dim3 block = { 32, 8 }; dim3 grid = { nodes / 8 }; ragged_rows(offsets, source, rows, sums, nodes);
   block.y = 4; grid.x = nodes / 4; ragged_rows(offsets, source, rows, sums, nodes);
   block.y = 16; grid.x = nodes / 16; ragged_rows(offsets, source, rows, sums, nodes);
*/
// Each warp adds the rows that its list names.
__global__ void ragged_rows(const int *offsets, const int *source, const float *rows, float *sums, int nodes)
{
    const int node = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    const int begin = offsets[node], end = offsets[node + 1];
    float sum = 0.0f;
    for (int first = begin; first < end; first += 32) {
        const int some = min(32, end - first), mine = lane < some ? source[first + lane] : 0;
        for (int k = 0; k < some; k++) sum += rows[__shfl_sync(0xffffffffu, mine, k) * 32 + lane];
    }
    sums[node * 32 + lane] = sum;
}
