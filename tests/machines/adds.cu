// Atomic additions in global memory by warps whose lanes go to rows of words: neighbours, lanes apart, several lanes to
// one word, few rows of all warps. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int places[1 << 22] = zeros();
   row_adds<int>(places, 16, 131071u, 1, 1); row_adds<int>(places, 16, 65535u, 2, 1); row_adds<int>(places, 16, 32767u, 3, 1); row_adds<int>(places, 16, 32767u, 4, 1);
   row_adds<int>(places, 16, 16383u, 8, 1); row_adds<int>(places, 8, 8191u, 16, 1); row_adds<int>(places, 8, 4095u, 32, 1);
   row_adds<int>(places, 16, 131071u, 1, 2); row_adds<int>(places, 16, 131071u, 1, 4); row_adds<int>(places, 16, 131071u, 1, 8); row_adds<int>(places, 16, 131071u, 1, 32);
   row_adds<int>(places, 16, 32767u, 3, 2); row_adds<int>(places, 16, 16383u, 8, 2); row_adds<int>(places, 16, 16383u, 8, 4); row_adds<int>(places, 16, 4095u, 32, 4);
   row_adds<int>(places, 8, 0u, 1, 1); row_adds<int>(places, 8, 1u, 1, 1); row_adds<int>(places, 8, 3u, 1, 1); row_adds<int>(places, 8, 15u, 1, 1); row_adds<int>(places, 16, 63u, 1, 1);
   row_adds<int>(places, 16, 255u, 1, 1); row_adds<int>(places, 16, 1023u, 1, 1); row_adds<int>(places, 8, 0u, 8, 1); row_adds<int>(places, 8, 0u, 1, 4); row_adds<int>(places, 8, 15u, 1, 4);
   row_adds<int>(places, 8, 7u, 8, 1); row_adds<int>(places, 8, 63u, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   float places[1 << 22] = zeros();
   row_adds<float>(places, 16, 131071u, 1, 1); row_adds<float>(places, 16, 32767u, 3, 1); row_adds<float>(places, 16, 16383u, 8, 1); row_adds<float>(places, 16, 131071u, 1, 2);
   row_adds<float>(places, 16, 131071u, 1, 4); row_adds<float>(places, 16, 131071u, 1, 32); row_adds<float>(places, 16, 16383u, 8, 4); row_adds<float>(places, 8, 0u, 1, 1);
   row_adds<float>(places, 8, 15u, 1, 1); row_adds<float>(places, 16, 63u, 1, 1); row_adds<float>(places, 8, 15u, 1, 4);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   double places[1 << 21] = zeros();
   row_adds<double>(places, 16, 65535u, 1, 1); row_adds<double>(places, 16, 65535u, 1, 4); row_adds<double>(places, 16, 8191u, 8, 1); row_adds<double>(places, 8, 15u, 1, 1);
*/
// `dup` neighbours add to one word, the next ones to that `stride` words on; rows at random.
template <typename T> __global__ void row_adds(T *places, int steps, unsigned rows, int stride, int dup)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x, warp = i / 32, lane = i % 32;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        unsigned x = (warp + k * 8448) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
        atomicAdd(places + (x & rows) * (32 * stride) + lane / dup * stride, (T)(lane + 1));
    }
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int places[1 << 22] = zeros(); int out[1056 * 256] = zeros();
   row_gives(places, out, 16, 131071u, 1, 1); row_gives(places, out, 16, 32767u, 3, 1); row_gives(places, out, 16, 16383u, 8, 1); row_gives(places, out, 16, 131071u, 1, 4);
   row_gives(places, out, 16, 131071u, 1, 32); row_gives(places, out, 8, 15u, 1, 1); row_gives(places, out, 8, 0u, 1, 1);
*/
// With the old values.
__global__ void row_gives(int *places, int *out, int steps, unsigned rows, int stride, int dup)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x, warp = i / 32, lane = i % 32, sum = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        unsigned x = (warp + k * 8448) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
        sum += atomicAdd(places + (x & rows) * (32 * stride) + lane / dup * stride, (int)lane + 1);
    }
    out[i] = sum;
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   float places[1 << 22] = zeros();
   float_adds(places, 8, 1u); float_adds(places, 8, 32u); float_adds(places, 8, 128u); float_adds(places, 8, 512u); float_adds(places, 8, 1024u); float_adds(places, 16, 4096u);
   float_adds(places, 16, 16384u); float_adds(places, 16, 65536u); float_adds(places, 16, 1048576u);
*/
// At random, each lane for itself.
__global__ void float_adds(float *places, int steps, unsigned of)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        unsigned x = (i + k * 1056 * 256) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
        atomicAdd(places + (unsigned)((unsigned long long)x * of >> 32), (float)i);
    }
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int places[1 << 20] = zeros();
   shared_adds<int>(places, 16, 4095u, 1, 32, 1); shared_adds<int>(places, 16, 4095u, 1, 16, 1); shared_adds<int>(places, 16, 4095u, 1, 8, 1); shared_adds<int>(places, 16, 4095u, 1, 4, 1);
   shared_adds<int>(places, 16, 4095u, 1, 2, 1); shared_adds<int>(places, 16, 4095u, 1, 1, 1); shared_adds<int>(places, 16, 1023u, 8, 32, 1); shared_adds<int>(places, 16, 1023u, 8, 16, 1);
   shared_adds<int>(places, 16, 1023u, 8, 8, 1); shared_adds<int>(places, 16, 1023u, 8, 4, 1); shared_adds<int>(places, 16, 1023u, 8, 1, 1);
   shared_adds<int>(places, 16, 1023u, 8, 32, 0); shared_adds<int>(places, 16, 1023u, 8, 16, 0); shared_adds<int>(places, 16, 1023u, 8, 8, 0); shared_adds<int>(places, 16, 1023u, 4, 32, 0);
   shared_adds<int>(places, 16, 1023u, 1, 32, 0); shared_adds<int>(places, 16, 1023u, 1, 8, 0);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   float places[1 << 20] = zeros();
   shared_adds<float>(places, 16, 4095u, 1, 32, 1); shared_adds<float>(places, 16, 4095u, 1, 16, 1); shared_adds<float>(places, 16, 4095u, 1, 8, 1); shared_adds<float>(places, 16, 4095u, 1, 4, 1);
   shared_adds<float>(places, 16, 4095u, 1, 1, 1); shared_adds<float>(places, 16, 1023u, 8, 16, 1); shared_adds<float>(places, 16, 1023u, 8, 4, 1); shared_adds<float>(places, 16, 1023u, 8, 1, 1);
   shared_adds<float>(places, 16, 1023u, 8, 32, 0); shared_adds<float>(places, 16, 1023u, 8, 16, 0); shared_adds<float>(places, 16, 1023u, 4, 32, 0); shared_adds<float>(places, 16, 1023u, 1, 32, 0);
   shared_adds<float>(places, 16, 1023u, 1, 8, 0);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 256 };
   int places[1 << 20] = zeros();
   shared_adds<int>(places, 64, 1023u, 8, 32, 1); shared_adds<int>(places, 64, 1023u, 8, 16, 1); shared_adds<int>(places, 64, 1023u, 8, 4, 1); shared_adds<int>(places, 64, 1023u, 8, 1, 1);
   shared_adds<int>(places, 64, 1023u, 1, 8, 1);
*/
// Lanes share `words` words that are `stride` words apart: neighbours the same ones, or any at random; rows at random in L2.
template <typename T> __global__ void shared_adds(T *places, int steps, unsigned rows, int stride, unsigned words, int side)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x, warp = i / 32, lane = i % 32;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        unsigned x = (warp + k * 8448) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
        unsigned y = (lane + x) * 2654435769u;
        y ^= y >> 15; y *= 2246822519u; y ^= y >> 13;
        const unsigned word = side ? lane * words / 32 : y % words;
        atomicAdd(places + (x & rows) * (32 * stride) + word * stride, (T)(lane + 1));
    }
}

/* kmutate launch
   dim3 grid = { 528 }; dim3 block = { 256 };
   float a[1 << 24] = zeros();
   run_adds(a, 14, 1, 16); run_adds(a, 14, 4, 16); run_adds(a, 14, 8, 32); run_adds(a, 14, 32, 32);
   run_adds(a, 18, 1, 16); run_adds(a, 18, 2, 16); run_adds(a, 18, 4, 16); run_adds(a, 18, 8, 32); run_adds(a, 18, 32, 64);
   run_adds(a, 22, 1, 16); run_adds(a, 22, 3, 16); run_adds(a, 22, 8, 32); run_adds(a, 22, 32, 64);
*/
// Floats: lanes in runs of so many neighbours, each run at a place by chance among 2 to the power of `bits`.
__global__ void run_adds(float *a, int bits, int run, int each)
{
    const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = 0; k < each; k++) {
        unsigned x = (warp * 64 + k) * 32 + lane / run;
        x *= 2654435769u; x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
        atomicAdd(a + ((x + lane % run) & (1u << bits) - 1), 1.0f);
    }
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 128 };
   float a[1 << 22] = zeros();
   corner_adds(a, 1, 1, 1, 0); corner_adds(a, 1, 4, 1, 0); corner_adds(a, 1, 8, 1, 0); corner_adds(a, 3, 1, 4, 0);
   corner_adds(a, 3, 4, 4, 0); corner_adds(a, 3, 8, 4, 0); corner_adds(a, 3, 1, 4, 1); corner_adds(a, 3, 8, 1, 1);
*/
// Particles, `same` neighbours in one cell of a box of 64 x 64 x 64, add to the `wide`**3 cells about them, `values` each; by_chance:
// cells in no order.
__global__ void corner_adds(float *a, int wide, int same, int values, int by_chance)
{
    const unsigned t = blockIdx.x * 128 + threadIdx.x;
    unsigned cell = t / same;
    if (by_chance) { cell *= 2654435769u; cell ^= cell >> 15; cell *= 2246822519u; cell ^= cell >> 13; }
    for (int z = 0; z < wide; z++)
        for (int y = 0; y < wide; y++)
            for (int x = 0; x < wide; x++)
                for (int v = 0; v < values; v++)
                    atomicAdd(a + ((cell + x + 64 * y + 4096 * z) & 262143) * values + v, 1.0f);
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 128 };
   float a[1 << 24] = zeros();
   turn_adds<float>(a, 64, 8, 12, 0); turn_adds<float>(a, 256, 8, 12, 0); turn_adds<float>(a, 4160, 8, 12, 0); turn_adds<float>(a, 256, 8, 12, 1);
   turn_adds<float>(a, 256, 8, 1, 1); turn_adds<float>(a, 256, 8, 3, 1); turn_adds<float>(a, 256, 8, 60, 1);
   turn_adds<float>(a, 256, 4, 12, 1); turn_adds<float>(a, 256, 4, 1, 1); turn_adds<float>(a, 256, 2, 12, 1); turn_adds<float>(a, 256, 2, 1, 1);
   turn_adds<float>(a, 256, 1, 12, 1); turn_adds<float>(a, 256, 1, 1, 1); turn_adds<float>(a, 256, 32, 12, 1); turn_adds<float>(a, 256, 32, 1, 1);
   grid.x = 528; turn_adds<float>(a, 256, 8, 12, 1); turn_adds<float>(a, 256, 32, 12, 1); turn_adds<float>(a, 256, 8, 1, 1);
   grid.x = 264; turn_adds<float>(a, 256, 8, 12, 1); turn_adds<float>(a, 256, 32, 12, 1); turn_adds<float>(a, 256, 8, 1, 1);
   grid.x = 132; turn_adds<float>(a, 256, 8, 12, 1); turn_adds<float>(a, 256, 32, 12, 1); turn_adds<float>(a, 256, 8, 1, 1); turn_adds<float>(a, 256, 4, 12, 1); turn_adds<float>(a, 256, 1, 12, 1);
   grid.x = 16; turn_adds<float>(a, 256, 8, 12, 1); turn_adds<float>(a, 256, 32, 12, 1); turn_adds<float>(a, 256, 8, 1, 1); turn_adds<float>(a, 256, 4, 12, 1); turn_adds<float>(a, 256, 1, 12, 1);
   grid.x = 1; turn_adds<float>(a, 256, 8, 12, 1); turn_adds<float>(a, 256, 32, 12, 1); turn_adds<float>(a, 256, 8, 1, 1); turn_adds<float>(a, 256, 4, 12, 1); turn_adds<float>(a, 256, 1, 12, 1);
   block.x = 1024; turn_adds<float>(a, 256, 8, 12, 1); turn_adds<float>(a, 256, 8, 1, 1); turn_adds<float>(a, 256, 1, 12, 1);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 128 };
   int a[1 << 24] = zeros();
   turn_adds<int>(a, 256, 8, 12, 1); turn_adds<int>(a, 256, 8, 1, 1); turn_adds<int>(a, 256, 4, 12, 1); turn_adds<int>(a, 256, 1, 12, 1); turn_adds<int>(a, 256, 32, 12, 1); turn_adds<int>(a, 256, 2, 12, 1);
   grid.x = 1; turn_adds<int>(a, 256, 8, 12, 1); turn_adds<int>(a, 256, 1, 12, 1);
*/
// Blocks whose places lie `apart` words from each other stay at one for so many additions, of groups of `same` lanes to a word, then
// go on, all by the same way or (`by_chance`) each by its own.
template <typename T> __global__ void turn_adds(T *a, int apart, int same, int stay, int by_chance)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned x = by_chance ? blockIdx.x * 2654435769u | 1u : 1u;
    for (int k = 0; k < 240 / stay; k++) {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        T *place = a + ((blockIdx.x * apart + (x >> 8) * 64) & (1 << 24) - 64) + (warp * 32 + lane) / same % 64;
        for (int j = 0; j < stay; j++) atomicAdd(place, (T)(lane + 1));
    }
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 128 };
   int count[1 << 16] = zeros(); int out[1 << 18] = zeros();
   counts<1>(count, out, 8, 1, 0); counts<1>(count, out, 8, 1, 64); counts<1>(count, out, 8, 1, 1024); counts<1>(count, out, 2, 4, 0); counts<1>(count, out, 2, 32, 0);
   grid.x = 132; block.x = 32; counts<1>(count, out, 64, 1, 0); counts<1>(count, out, 64, 1, 64);
   grid.x = 1; counts<1>(count, out, 64, 1, 0); block.x = 1024; counts<1>(count, out, 64, 1, 0);
*/
/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 128 };
   int count[1 << 16] = zeros(); int out[1 << 18] = zeros();
   counts<0>(count, out, 8, 1, 0); counts<0>(count, out, 8, 1, 64); counts<0>(count, out, 8, 1, 1024); counts<0>(count, out, 2, 4, 0); counts<0>(count, out, 2, 32, 0);
   grid.x = 132; block.x = 32; counts<0>(count, out, 64, 1, 0);
*/
// Counters: `lanes` of each warp add to one word, or to one of `words`; GIVES: and want what was there, one after another.
template <int GIVES> __global__ void counts(int *count, int *out, int each, int lanes, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
    int *place = count + (words ? (i / 32 * 37) % words * 64 : 0), sum = 0;
    if (lane >= lanes) return;
    for (int k = 0; k < each; k++) {
        if (GIVES) sum += atomicAdd(place, lane + 1 + (sum == -7));
        else atomicAdd(place, lane + 1);
    }
    if (GIVES) out[i] = sum;
}

/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int count[1 << 20] = zeros(); int out[1 << 12] = zeros();
   count_walk(count, out, 256); grid.x = 132; count_walk(count, out, 256); block.x = 1024; count_walk(count, out, 32);
*/
// Of each warp one lane adds at places by chance in 4 MB, and each waits for what was there at the one before.
__global__ void count_walk(int *count, int *out, int each)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32) return;
    unsigned x = i * 2654435769u | 1u;
    int sum = 0;
    for (int k = 0; k < each; k++) {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        sum += atomicAdd(count + (x >> 12), 1 + (sum == -7));
    }
    out[i / 32] = sum;
}
