// Sums that all threads add to few words of global memory which lie beside each other, one after another or at once.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 256 };
   float total[1 << 20] = zeros();
   in_turn<2, float>(total, 0, 1); in_turn<2, float>(total, 1, 1); in_turn<2, float>(total, 4, 1); in_turn<2, float>(total, 8, 1);
   in_turn<2, float>(total, 16, 1); in_turn<2, float>(total, 32, 1); in_turn<2, float>(total, 64, 1); in_turn<2, float>(total, 256, 1);
   in_turn<2, float>(total, 4096, 1); in_turn<2, float>(total, 65536, 1);
   in_turn<4, float>(total, 1, 1); in_turn<4, float>(total, 8, 1); in_turn<4, float>(total, 32, 1); in_turn<4, float>(total, 256, 1);
   in_turn<8, float>(total, 1, 1); in_turn<8, float>(total, 8, 1); in_turn<8, float>(total, 256, 1); in_turn<8, float>(total, 1024, 1);
   in_turn<2, float>(total, 1, 4); in_turn<1, float>(total, 1, 1); in_turn<1, float>(total, 1, 4);
   grid.x = 32; in_turn<2, float>(total, 1, 8); in_turn<2, float>(total, 8, 8); in_turn<2, float>(total, 256, 8);
   in_turn<8, float>(total, 1, 4); in_turn<8, float>(total, 32, 4);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 256 };
   double total[1 << 20] = zeros();
   in_turn<2, double>(total, 1, 1); in_turn<2, double>(total, 4, 1); in_turn<2, double>(total, 16, 1); in_turn<2, double>(total, 128, 1);
   in_turn<8, double>(total, 1, 1); in_turn<8, double>(total, 512, 1);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 256 };
   int total[1 << 20] = zeros();
   in_turn<2, int>(total, 1, 1); in_turn<2, int>(total, 8, 1); in_turn<2, int>(total, 256, 1); in_turn<8, int>(total, 1, 1);
   in_turn<8, int>(total, 1024, 1);
*/
// Each thread adds to WORDS words, `apart` words from one to the next, `rounds` times.
template <int WORDS, typename T> __global__ void in_turn(T *total, int apart, int rounds)
{
    const T mine = (T)(threadIdx.x * 3 + 1);
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < WORDS; k++) atomicAdd(&total[k * apart], mine);
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 256 };
   float total[1 << 20] = zeros();
   lanes_to<float>(total, 0, 1, 2); lanes_to<float>(total, 1, 1, 2); lanes_to<float>(total, 3, 1, 2); lanes_to<float>(total, 7, 1, 2);
   lanes_to<float>(total, 1, 8, 2); lanes_to<float>(total, 3, 8, 2); lanes_to<float>(total, 7, 8, 2); lanes_to<float>(total, 3, 32, 2);
   lanes_to<float>(total, 7, 32, 2); lanes_to<float>(total, 31, 1, 2); lanes_to<float>(total, 31, 32, 2); lanes_to<float>(total, 15, 256, 2);
*/
// Lanes go to as many words at once, `apart` words from one to the next.
template <typename T> __global__ void lanes_to(T *total, int mask, int apart, int rounds)
{
#pragma unroll 1
    for (int r = 0; r < rounds; r++) atomicAdd(&total[(threadIdx.x & mask) * apart], (T)(threadIdx.x * 3 + 1));
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 2048 };
   float total[1 << 20] = zeros();
   block_adds<1>(total, 1); block_adds<2>(total, 1); block_adds<4>(total, 1); block_adds<8>(total, 1); block_adds<2>(total, 256);
   block_adds<8>(total, 256);
   grid.x = 65536; block_adds<1>(total, 1); block_adds<2>(total, 1); block_adds<8>(total, 1); block_adds<2>(total, 256);
   block_adds<8>(total, 256);
*/
// One thread of each block adds to WORDS words.
template <int WORDS> __global__ void block_adds(float *total, int apart)
{
    if (threadIdx.x == 0)
#pragma unroll
        for (int k = 0; k < WORDS; k++) atomicAdd(&total[k * apart], 1.5f);
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 32, 64 };
   float q[1 << 16] = zeros();
   strip_sums<0>(q, 64, 0); strip_sums<0>(q, 64, 40); strip_sums<0>(q, 8, 0); strip_sums<0>(q, 8, 40); strip_sums<0>(q, 256, 0);
   strip_sums<1>(q, 64, 0); strip_sums<1>(q, 64, 40); strip_sums<1>(q, 8, 40);
   grid.x = 64; grid.y = 32; strip_sums<0>(q, 64, 0); strip_sums<1>(q, 64, 0);
   grid.x = 4; grid.y = 512; strip_sums<0>(q, 64, 0); strip_sums<0>(q, 64, 40); strip_sums<1>(q, 64, 40);
   grid.x = 512; grid.y = 4; strip_sums<0>(q, 64, 0); strip_sums<0>(q, 64, 40); strip_sums<1>(q, 64, 40);
*/
// A lane of each warp adds to one word after another of the block's strip, which the blocks of a row of the grid (0) or
// of a column (1) have in common; `work`: multiplications in between.
template <int COLUMN> __global__ void strip_sums(float *q, int rows, int work)
{
    const int first = (COLUMN ? blockIdx.x : blockIdx.y) * rows;
    float mine = threadIdx.x;
    for (int i = first; i < first + rows; i++) {
#pragma unroll 1
        for (int k = 0; k < work; k++) mine = mine * 1.0001f + 0.5f;
        if (threadIdx.x % 32 == 0) atomicAdd(&q[i], mine);
    }
}
