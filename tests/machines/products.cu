// Tiles go to shared memory, behind a barrier rows of one are multiplied with columns of the other, and a barrier comes before
// the next ones, as in products of matrices: with all of it, and without the loads, the barriers, or the products. Blocks of a
// row of the grid load the same rows, those of a column the same columns, or all the same. Timed on a GPU and by the model of
// time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 16, 16 };
   float a[360448] = zeros(); float b[393216] = zeros(); float out[33792] = zeros();
   tile_products<16, 1, 0>(out, a, b, 128, 128, 1); tile_products<16, 1, 2>(out, a, b, 128, 128, 1);
   tile_products<16, 1, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[360448] = zeros(); float b[786432] = zeros(); float out[67584] = zeros();
   tile_products<16, 1, 0>(out, a, b, 128, 128, 1); tile_products<16, 1, 2>(out, a, b, 128, 128, 1);
   tile_products<16, 1, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 16, 16 };
   float a[720896] = zeros(); float b[1572864] = zeros(); float out[270336] = zeros();
   tile_products<16, 1, 0>(out, a, b, 128, 128, 1); tile_products<16, 1, 2>(out, a, b, 128, 128, 1);
   tile_products<16, 1, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 16, 16 };
   float a[16384] = zeros(); float b[16384] = zeros(); float out[33792] = zeros();
   tile_products<16, 1, 0>(out, a, b, 200, 64, 0); tile_products<16, 1, 1>(out, a, b, 200, 64, 0);
   tile_products<16, 1, 2>(out, a, b, 200, 64, 0); tile_products<16, 1, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[16384] = zeros(); float b[16384] = zeros(); float out[67584] = zeros();
   tile_products<16, 1, 0>(out, a, b, 200, 64, 0); tile_products<16, 1, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[256] = zeros(); float b[256] = zeros(); float out[67584] = zeros();
   tile_products<16, 1, 0>(out, a, b, 200, 1, 0);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 16, 16 };
   float a[720896] = zeros(); float b[786432] = zeros(); float out[33792] = zeros();
   tile_products<8, 4, 0>(out, a, b, 128, 128, 1); tile_products<8, 4, 2>(out, a, b, 128, 128, 1);
   tile_products<8, 4, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[720896] = zeros(); float b[1572864] = zeros(); float out[67584] = zeros();
   tile_products<8, 4, 0>(out, a, b, 128, 128, 1); tile_products<8, 4, 2>(out, a, b, 128, 128, 1);
   tile_products<8, 4, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 16, 16 };
   float a[1441792] = zeros(); float b[3145728] = zeros(); float out[270336] = zeros();
   tile_products<8, 4, 0>(out, a, b, 128, 128, 1); tile_products<8, 4, 2>(out, a, b, 128, 128, 1);
   tile_products<8, 4, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 16, 16 };
   float a[32768] = zeros(); float b[32768] = zeros(); float out[33792] = zeros();
   tile_products<8, 4, 0>(out, a, b, 200, 64, 0); tile_products<8, 4, 1>(out, a, b, 200, 64, 0);
   tile_products<8, 4, 2>(out, a, b, 200, 64, 0); tile_products<8, 4, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[32768] = zeros(); float b[32768] = zeros(); float out[67584] = zeros();
   tile_products<8, 4, 0>(out, a, b, 200, 64, 0); tile_products<8, 4, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[512] = zeros(); float b[512] = zeros(); float out[67584] = zeros();
   tile_products<8, 4, 0>(out, a, b, 200, 1, 0);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 16, 16 };
   float a[1441792] = zeros(); float b[1572864] = zeros(); float out[33792] = zeros();
   tile_products<8, 8, 0>(out, a, b, 128, 128, 1); tile_products<8, 8, 2>(out, a, b, 128, 128, 1);
   tile_products<8, 8, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[1441792] = zeros(); float b[3145728] = zeros(); float out[67584] = zeros();
   tile_products<8, 8, 0>(out, a, b, 128, 128, 1); tile_products<8, 8, 2>(out, a, b, 128, 128, 1);
   tile_products<8, 8, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 16, 16 };
   float a[2883584] = zeros(); float b[6291456] = zeros(); float out[270336] = zeros();
   tile_products<8, 8, 0>(out, a, b, 128, 128, 1); tile_products<8, 8, 2>(out, a, b, 128, 128, 1);
   tile_products<8, 8, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 16, 16 };
   float a[65536] = zeros(); float b[65536] = zeros(); float out[33792] = zeros();
   tile_products<8, 8, 0>(out, a, b, 100, 64, 0); tile_products<8, 8, 1>(out, a, b, 100, 64, 0);
   tile_products<8, 8, 2>(out, a, b, 100, 64, 0); tile_products<8, 8, 3>(out, a, b, 100, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[65536] = zeros(); float b[65536] = zeros(); float out[67584] = zeros();
   tile_products<8, 8, 0>(out, a, b, 100, 64, 0); tile_products<8, 8, 3>(out, a, b, 100, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 16, 16 };
   float a[1024] = zeros(); float b[1024] = zeros(); float out[67584] = zeros();
   tile_products<8, 8, 0>(out, a, b, 100, 1, 0);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 32, 32 };
   float a[720896] = zeros(); float b[786432] = zeros(); float out[135168] = zeros();
   tile_products<32, 1, 0>(out, a, b, 64, 64, 1); tile_products<32, 1, 2>(out, a, b, 64, 64, 1);
   tile_products<32, 1, 3>(out, a, b, 64, 64, 1);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 32, 32 };
   float a[720896] = zeros(); float b[1572864] = zeros(); float out[270336] = zeros();
   tile_products<32, 1, 0>(out, a, b, 64, 64, 1); tile_products<32, 1, 2>(out, a, b, 64, 64, 1);
   tile_products<32, 1, 3>(out, a, b, 64, 64, 1);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 32, 32 };
   float a[65536] = zeros(); float b[65536] = zeros(); float out[135168] = zeros();
   tile_products<32, 1, 0>(out, a, b, 200, 64, 0); tile_products<32, 1, 1>(out, a, b, 200, 64, 0);
   tile_products<32, 1, 2>(out, a, b, 200, 64, 0); tile_products<32, 1, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 32, 32 };
   float a[65536] = zeros(); float b[65536] = zeros(); float out[270336] = zeros();
   tile_products<32, 1, 0>(out, a, b, 200, 64, 0); tile_products<32, 1, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 32, 32 };
   float a[1024] = zeros(); float b[1024] = zeros(); float out[270336] = zeros();
   tile_products<32, 1, 0>(out, a, b, 200, 1, 0);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 32, 32 };
   float a[720896] = zeros(); float b[786432] = zeros(); float out[135168] = zeros();
   tile_products<16, 2, 0>(out, a, b, 64, 64, 1); tile_products<16, 2, 2>(out, a, b, 64, 64, 1);
   tile_products<16, 2, 3>(out, a, b, 64, 64, 1);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 32, 32 };
   float a[720896] = zeros(); float b[1572864] = zeros(); float out[270336] = zeros();
   tile_products<16, 2, 0>(out, a, b, 64, 64, 1); tile_products<16, 2, 2>(out, a, b, 64, 64, 1);
   tile_products<16, 2, 3>(out, a, b, 64, 64, 1);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 32, 32 };
   float a[65536] = zeros(); float b[65536] = zeros(); float out[135168] = zeros();
   tile_products<16, 2, 0>(out, a, b, 200, 64, 0); tile_products<16, 2, 1>(out, a, b, 200, 64, 0);
   tile_products<16, 2, 2>(out, a, b, 200, 64, 0); tile_products<16, 2, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 32, 32 };
   float a[65536] = zeros(); float b[65536] = zeros(); float out[270336] = zeros();
   tile_products<16, 2, 0>(out, a, b, 200, 64, 0); tile_products<16, 2, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 24, 11 }; dim3 block = { 32, 32 };
   float a[1024] = zeros(); float b[1024] = zeros(); float out[270336] = zeros();
   tile_products<16, 2, 0>(out, a, b, 200, 1, 0);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 8, 8 };
   float a[180224] = zeros(); float b[196608] = zeros(); float out[8448] = zeros();
   tile_products<8, 1, 0>(out, a, b, 256, 256, 1); tile_products<8, 1, 2>(out, a, b, 256, 256, 1);
   tile_products<8, 1, 3>(out, a, b, 256, 256, 1);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 8, 8 };
   float a[360448] = zeros(); float b[786432] = zeros(); float out[67584] = zeros();
   tile_products<8, 1, 0>(out, a, b, 256, 256, 1); tile_products<8, 1, 2>(out, a, b, 256, 256, 1);
   tile_products<8, 1, 3>(out, a, b, 256, 256, 1);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 8, 8 };
   float a[4096] = zeros(); float b[4096] = zeros(); float out[8448] = zeros();
   tile_products<8, 1, 0>(out, a, b, 200, 64, 0); tile_products<8, 1, 1>(out, a, b, 200, 64, 0);
   tile_products<8, 1, 2>(out, a, b, 200, 64, 0); tile_products<8, 1, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 8, 8 };
   float a[4096] = zeros(); float b[4096] = zeros(); float out[67584] = zeros();
   tile_products<8, 1, 0>(out, a, b, 200, 64, 0); tile_products<8, 1, 3>(out, a, b, 200, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 8, 8 };
   float a[64] = zeros(); float b[64] = zeros(); float out[67584] = zeros();
   tile_products<8, 1, 0>(out, a, b, 200, 1, 0);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 8, 8 };
   float a[720896] = zeros(); float b[786432] = zeros(); float out[8448] = zeros();
   tile_products<8, 8, 0>(out, a, b, 128, 128, 1); tile_products<8, 8, 2>(out, a, b, 128, 128, 1);
   tile_products<8, 8, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 8, 8 };
   float a[1441792] = zeros(); float b[3145728] = zeros(); float out[67584] = zeros();
   tile_products<8, 8, 0>(out, a, b, 128, 128, 1); tile_products<8, 8, 2>(out, a, b, 128, 128, 1);
   tile_products<8, 8, 3>(out, a, b, 128, 128, 1);
*/
/* kmutate launch
   dim3 grid = { 12, 11 }; dim3 block = { 8, 8 };
   float a[32768] = zeros(); float b[32768] = zeros(); float out[8448] = zeros();
   tile_products<8, 8, 0>(out, a, b, 100, 64, 0); tile_products<8, 8, 1>(out, a, b, 100, 64, 0);
   tile_products<8, 8, 2>(out, a, b, 100, 64, 0); tile_products<8, 8, 3>(out, a, b, 100, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 8, 8 };
   float a[32768] = zeros(); float b[32768] = zeros(); float out[67584] = zeros();
   tile_products<8, 8, 0>(out, a, b, 100, 64, 0); tile_products<8, 8, 3>(out, a, b, 100, 64, 0);
*/
/* kmutate launch
   dim3 grid = { 48, 22 }; dim3 block = { 8, 8 };
   float a[512] = zeros(); float b[512] = zeros(); float out[67584] = zeros();
   tile_products<8, 8, 0>(out, a, b, 100, 1, 0);
*/
// K: how deep a tile is, R: rows and columns of results a thread. WITHOUT: 0 nothing, 1 loads, 2 barriers, 3 products. Of `row`
// tiles each row of blocks has its own (`apart` 1), or all have the same.
template <int K, int R, int WITHOUT>
__global__ void tile_products(float *out, const float *a, const float *b, int steps, int row, int apart)
{
    __shared__ float rows[K * R > 32 && K > 8 ? 2048 : 1024], columns[K * R > 32 && K > 8 ? 2048 : 1024];
    const int threads = blockDim.x * blockDim.y, wide = blockDim.x * R, high = blockDim.y * R;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    float sum[R][R] = {};
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const int at = (apart * blockIdx.y * row + step % row) * high * K;
        const int from = (apart * blockIdx.x * row + step % row) * wide * K;
        for (int i = t; i < high * K; i += threads) rows[i] = WITHOUT == 1 ? (float)i : a[at + i];
        for (int i = t; i < wide * K; i += threads) columns[i] = WITHOUT == 1 ? (float)step : b[from + i];
        if (WITHOUT != 2) __syncthreads();
        if (WITHOUT != 3) {
#pragma unroll
            for (int k = 0; k < K; k++) {
                float x[R], y[R];
#pragma unroll
                for (int r = 0; r < R; r++) x[r] = rows[(threadIdx.y * R + r) * K + k];
#pragma unroll
                for (int r = 0; r < R; r++) y[r] = columns[k * wide + r * blockDim.x + threadIdx.x];
#pragma unroll
                for (int r = 0; r < R; r++)
#pragma unroll
                    for (int q = 0; q < R; q++) sum[r][q] += x[r] * y[q];
            }
        } else
            sum[0][0] += rows[t] + columns[t];
        if (WITHOUT != 2) __syncthreads();
    }
    float all = 0;
    for (int r = 0; r < R; r++)
        for (int q = 0; q < R; q++) all += sum[r][q];
    out[(blockIdx.y * gridDim.x + blockIdx.x) * threads + t] = all;
}
