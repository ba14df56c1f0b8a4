// Lanes that read and change records of their own, word by word, where they lie; and rows of their own, step by step. Timed on
// a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int n = 1 << 21; dim3 block = { 256 }; dim3 grid = { n / 256 }; float at[n * 20] = zeros(); float side[n] = zeros();
   records<5, 5, 0>(at, side, n); records<5, 5, 1>(at, side, n); records<5, 5, 2>(at, side, n); records<5, 5, 5>(at, side, n); records<5, 0, 1>(at, side, n); records<5, 0, 5>(at, side, n);
   records<8, 8, 0>(at, side, n); records<8, 8, 1>(at, side, n); records<8, 8, 3>(at, side, n); records<8, 4, 4>(at, side, n); records<8, 8, 8>(at, side, n); records<8, 0, 4>(at, side, n);
   records<9, 9, 0>(at, side, n); records<9, 9, 3>(at, side, n); records<9, 9, 9>(at, side, n); records<9, 6, 6>(at, side, n); records<9, 0, 9>(at, side, n);
   records<12, 12, 0>(at, side, n); records<12, 12, 6>(at, side, n); records<12, 12, 12>(at, side, n); records<12, 0, 6>(at, side, n);
   records<16, 16, 0>(at, side, n); records<16, 16, 6>(at, side, n); records<16, 8, 8>(at, side, n);
   records<20, 20, 0>(at, side, n); records<20, 20, 10>(at, side, n); records<20, 3, 3>(at, side, n);
   block.x = 128; grid.x = n / 128;
   records<5, 5, 2>(at, side, n); records<9, 9, 3>(at, side, n); records<9, 6, 6>(at, side, n); records<9, 9, 9>(at, side, n); records<12, 12, 6>(at, side, n);
*/
// A lane's record has WORDS; it reads so many of them, works, and stores so many. `side`: a word for each.
template <int WORDS, int LOADS, int STORES> __global__ void records(float *at, float *side, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float *own = at + (size_t)i * WORDS, sum = float(i);
#pragma unroll
    for (int k = 0; k < LOADS; k++) sum += own[k];
    sum = sum * 0.5f + 1.0f;
#pragma unroll
    for (int k = 0; k < STORES; k++) own[WORDS - STORES + k] = sum * float(k + 1);
    if (STORES < 5) side[i] = sum;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 160 }; float at[1 << 25] = zeros(); float side[1 << 18] = zeros();
   lane_rows<0>(at, side, 440, 440); lane_rows<1>(at, side, 440, 440); lane_rows<2>(at, side, 440, 440); lane_rows<3>(at, side, 440, 440);
   lane_rows<0>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441); lane_rows<2>(at, side, 441, 441); lane_rows<3>(at, side, 441, 441);
   lane_rows<1>(at, side, 448, 448); lane_rows<1>(at, side, 400, 512);
   grid.x = 66; lane_rows<0>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441); lane_rows<2>(at, side, 441, 441);
   block.x = 64; grid.x = 264; lane_rows<0>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441); lane_rows<2>(at, side, 441, 441);
   block.x = 32; grid.x = 132; lane_rows<0>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441); lane_rows<2>(at, side, 441, 441);
   block.x = 256; grid.x = 264; lane_rows<0>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441); lane_rows<2>(at, side, 441, 441);
*/
/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 1 }; float at[1 << 25] = zeros(); float side[1 << 18] = zeros();
   lane_rows<2>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441); lane_rows<0>(at, side, 441, 441);
   grid.x = 8; lane_rows<2>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441);
   grid.x = 33; lane_rows<2>(at, side, 441, 441); lane_rows<2>(at, side, 441, 448);
   grid.x = 132; lane_rows<2>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441); lane_rows<2>(at, side, 441, 448);
   grid.x = 264; lane_rows<2>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441);
   block.x = 32; grid.x = 1; lane_rows<2>(at, side, 441, 441); grid.x = 33; lane_rows<2>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441);
   block.x = 512; grid.x = 1; lane_rows<2>(at, side, 441, 441); grid.x = 33; lane_rows<2>(at, side, 441, 441); lane_rows<1>(at, side, 441, 441);
*/
// A lane goes along its row: HOW 0 reads, 1 and writes each word back, a filter's way, 2 writes alone, 3 as 1 to another array.
template <int HOW> __global__ void lane_rows(float *at, float *side, int words, int pitch)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *row = at + (size_t)i * pitch, *to = HOW == 3 ? row + (1 << 24) : row, last = float(i), sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < words; k++) {
        const float x = HOW == 2 ? float(k) : row[k];
        last = 0.5f * last + x;
        if (HOW) to[k] = last;
        sum += last;
    }
    side[i] = sum;
}
