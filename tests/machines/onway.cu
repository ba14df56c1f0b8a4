// Stores to lines that loads have on their way to L1, and to others. Timed on a GPU and by the model of time, as patterns.cu.

enum { LOADED, SAME_LINE, OTHER_LINE, OTHER_SECTORS, LINE_BEFORE, NEIGHBOUR, SAME_WORDS };

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 };
   float a[1056 * 8 * 16 * 32 + 1024] = zeros(); float b[1056 * 8 * 16 * 32 + 1024] = zeros();
   stores_behind<LOADED>(a, b, 16); stores_behind<SAME_LINE>(a, b, 16); stores_behind<OTHER_LINE>(a, b, 16); stores_behind<OTHER_SECTORS>(a, b, 16);
   stores_behind<LINE_BEFORE>(a, b, 16); stores_behind<NEIGHBOUR>(a, b, 16); stores_behind<SAME_WORDS>(a, b, 16);
   grid.x = 264; stores_behind<LOADED>(a, b, 16); stores_behind<SAME_LINE>(a, b, 16); stores_behind<OTHER_LINE>(a, b, 16); stores_behind<OTHER_SECTORS>(a, b, 16);
   stores_behind<LINE_BEFORE>(a, b, 16); stores_behind<NEIGHBOUR>(a, b, 16); stores_behind<SAME_WORDS>(a, b, 16);
   grid.x = 132; block.x = 64; stores_behind<LOADED>(a, b, 16); stores_behind<SAME_LINE>(a, b, 16); stores_behind<OTHER_LINE>(a, b, 16); stores_behind<OTHER_SECTORS>(a, b, 16);
   stores_behind<LINE_BEFORE>(a, b, 16); stores_behind<NEIGHBOUR>(a, b, 16); stores_behind<SAME_WORDS>(a, b, 16);
*/
// A line a step of a warp: half of the lanes load it, the others store where HOW says; the next step waits for the load.
template <int HOW> __global__ void stores_behind(float *a, float *b, int steps)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const bool loads = HOW == OTHER_SECTORS ? lane < 16 : HOW == SAME_WORDS || lane % 2 == 0;
    const bool stores = HOW == SAME_WORDS ? true : !loads;
    size_t row = (size_t)warp * steps * 32;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        float x = 0.0f;
        if (loads) x = a[row + lane];
        float *to = a + row + lane;
        if (HOW == OTHER_LINE) to = b + row + lane;
        if (HOW == LINE_BEFORE) to -= k > 0 ? 32 : 0;
        if (HOW == NEIGHBOUR) to = a + row + steps * 32 + lane;
        if (HOW != LOADED && stores) *to = (float)k;
        sum += __shfl_sync(0xffffffff, x, 0);
        row += 32 + (sum == 5.0f);
    }
    if (lane == 0) b[warp] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 8448 };
   float a[8448 * 256] = zeros(); float b[8448 * 256] = zeros(); float c[8448 * 256] = zeros(); unsigned char kind[8448 * 256] = randint(0, 9);
   some_change<0, 9>(a, b, c, kind); some_change<1, 9>(a, b, c, kind); some_change<2, 9>(a, b, c, kind); some_change<3, 9>(a, b, c, kind); some_change<4, 9>(a, b, c, kind);
   some_change<1, 2>(a, b, c, kind); some_change<2, 2>(a, b, c, kind); some_change<3, 2>(a, b, c, kind); some_change<4, 2>(a, b, c, kind);
*/
// Some lanes, by their kind, store a zero and are done, the others do something else: nothing (0), copy (1), change the words beside
// those (2), with another array in between (3), or where all lanes have loaded the words before (4).
template <int WHAT, int OF> __global__ void some_change(float *a, float *b, float *c, const unsigned char *kind)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = WHAT == 4 ? a[i] : 0.0f;
    if (kind[i] % OF == 0) {
        a[i] = 0.0f;
        if (WHAT == 3) b[i] = 0.0f;
        return;
    }
    if (WHAT == 1) a[i] = b[i] + 1.0f;
    if (WHAT == 2) a[i] += 1.0f;
    if (WHAT == 3) { a[i] += 1.0f; b[i] += a[i] * 0.5f; }
    if (WHAT == 4) a[i] = x + 1.0f;
}
