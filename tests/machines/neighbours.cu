// Blocks that read the same: neighbours, or blocks far from each other, in the same order; and rows at random of a table
// that L2 holds. python tests/machines/write_launches.py tests/machines/neighbours.cu FOLDER, then time_launches.py.

/* kmutate launch
   int steps = 64; dim3 grid = { 264 }; dim3 block = { 256 };
   float in[264 * steps * 256] = zeros(); float out[256] = zeros();
   in_turn<float>(out, in, steps, 1, 0);
   in_turn<float>(out, in, steps, 2, 0);
   in_turn<float>(out, in, steps, 4, 0);
   in_turn<float>(out, in, steps, 8, 0);
   in_turn<float>(out, in, steps, 2, 1);
   in_turn<float>(out, in, steps, 8, 1);
*/
/* kmutate launch
   int steps = 64; dim3 grid = { 1056 }; dim3 block = { 256 };
   float in[1056 * steps * 256] = zeros(); float out[256] = zeros();
   in_turn<float>(out, in, steps, 1, 0);
   in_turn<float>(out, in, steps, 2, 0);
   in_turn<float>(out, in, steps, 4, 0);
   in_turn<float>(out, in, steps, 8, 0);
   in_turn<float>(out, in, steps, 2, 1);
   in_turn<float>(out, in, steps, 8, 1);
*/
/* kmutate launch
   int steps = 64; dim3 grid = { 264 }; dim3 block = { 256 };
   float4 in[264 * steps * 256] = zeros(); float out[256] = zeros();
   in_turn<float4>(out, in, steps, 1, 0);
   in_turn<float4>(out, in, steps, 2, 0);
   in_turn<float4>(out, in, steps, 4, 0);
   in_turn<float4>(out, in, steps, 8, 0);
   in_turn<float4>(out, in, steps, 2, 1);
   in_turn<float4>(out, in, steps, 8, 1);
*/
/* kmutate launch
   int steps = 64; dim3 grid = { 1056 }; dim3 block = { 256 };
   float4 in[1056 * steps * 256] = zeros(); float out[256] = zeros();
   in_turn<float4>(out, in, steps, 1, 0);
   in_turn<float4>(out, in, steps, 2, 0);
   in_turn<float4>(out, in, steps, 4, 0);
   in_turn<float4>(out, in, steps, 8, 0);
   in_turn<float4>(out, in, steps, 2, 1);
   in_turn<float4>(out, in, steps, 8, 1);
*/
// Blocks of a group read one stream; a group's are neighbours, or (apart) as far from each other as they can be.
__device__ int stream_of(int group, int apart) { return apart ? blockIdx.x % (gridDim.x / group) : blockIdx.x / group; }
__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

// A warp has one load on its way.
template <typename T> __global__ void in_turn(float *out, const T *in, int steps, int group, int apart)
{
    const T *p = in + (size_t)stream_of(group, apart) * steps * 256 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float v = sum_of(*p);
        sum += v;
        p += 256 + (v == 12345.678f);
    }
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int steps = 64; dim3 grid = { 264 }; dim3 block = { 256 };
   float in[264 * steps * 256] = zeros(); float out[256] = zeros();
   at_once<float>(out, in, steps, 1, 0);
   at_once<float>(out, in, steps, 2, 0);
   at_once<float>(out, in, steps, 4, 0);
   at_once<float>(out, in, steps, 8, 0);
   at_once<float>(out, in, steps, 8, 1);
*/
/* kmutate launch
   int steps = 64; dim3 grid = { 1056 }; dim3 block = { 256 };
   float in[1056 * steps * 256] = zeros(); float out[256] = zeros();
   at_once<float>(out, in, steps, 1, 0);
   at_once<float>(out, in, steps, 2, 0);
   at_once<float>(out, in, steps, 4, 0);
   at_once<float>(out, in, steps, 8, 0);
   at_once<float>(out, in, steps, 8, 1);
*/
/* kmutate launch
   int steps = 64; dim3 grid = { 264 }; dim3 block = { 256 };
   float4 in[264 * steps * 256] = zeros(); float out[256] = zeros();
   at_once<float4>(out, in, steps, 1, 0);
   at_once<float4>(out, in, steps, 2, 0);
   at_once<float4>(out, in, steps, 4, 0);
   at_once<float4>(out, in, steps, 8, 0);
   at_once<float4>(out, in, steps, 8, 1);
*/
/* kmutate launch
   int steps = 64; dim3 grid = { 1056 }; dim3 block = { 256 };
   float4 in[1056 * steps * 256] = zeros(); float out[256] = zeros();
   at_once<float4>(out, in, steps, 1, 0);
   at_once<float4>(out, in, steps, 2, 0);
   at_once<float4>(out, in, steps, 4, 0);
   at_once<float4>(out, in, steps, 8, 0);
   at_once<float4>(out, in, steps, 8, 1);
*/
// Eight loads on their way.
template <typename T> __global__ void at_once(float *out, const T *in, int steps, int group, int apart)
{
    const T *p = in + (size_t)stream_of(group, apart) * steps * 256 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < steps; k++) sum += sum_of(p[k * 256]);
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int steps = 256, quads = 1 << 20; dim3 grid = { 264 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   same_lines(out, in, quads - 1, steps, 1, 0);
   same_lines(out, in, quads - 1, steps, 2, 0);
   same_lines(out, in, quads - 1, steps, 4, 0);
   same_lines(out, in, quads - 1, steps, 8, 0);
   same_lines(out, in, quads - 1, steps, 16, 0);
   same_lines(out, in, quads - 1, steps, 44, 0);
   same_lines(out, in, quads - 1, steps, 132, 0);
   same_lines(out, in, quads - 1, steps, 264, 0);
   same_lines(out, in, quads - 1, steps, 2, 1);
   same_lines(out, in, quads - 1, steps, 8, 1);
*/
/* kmutate launch
   int steps = 256, quads = 1 << 20; dim3 grid = { 1056 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   same_lines(out, in, quads - 1, steps, 1, 0);
   same_lines(out, in, quads - 1, steps, 2, 0);
   same_lines(out, in, quads - 1, steps, 4, 0);
   same_lines(out, in, quads - 1, steps, 8, 0);
   same_lines(out, in, quads - 1, steps, 16, 0);
   same_lines(out, in, quads - 1, steps, 44, 0);
   same_lines(out, in, quads - 1, steps, 132, 0);
   same_lines(out, in, quads - 1, steps, 264, 0);
   same_lines(out, in, quads - 1, steps, 2, 1);
   same_lines(out, in, quads - 1, steps, 8, 1);
*/
/* kmutate launch
   int steps = 32, quads = 1 << 20; dim3 grid = { 8448 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   same_lines(out, in, quads - 1, steps, 1, 0);
   same_lines(out, in, quads - 1, steps, 2, 0);
   same_lines(out, in, quads - 1, steps, 4, 0);
   same_lines(out, in, quads - 1, steps, 8, 0);
   same_lines(out, in, quads - 1, steps, 132, 0);
*/
/* kmutate launch
   int steps = 8, quads = 1 << 20; dim3 grid = { 33792 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   same_lines(out, in, quads - 1, steps, 1, 0);
   same_lines(out, in, quads - 1, steps, 4, 0);
*/
// Streams of the same 16 MB that begin at different places, so that most of it comes from L2.
__global__ void same_lines(float *out, const float4 *in, int last, int steps, int group, int apart)
{
    const int from = (stream_of(group, apart) * 40503 & 4095) * 256 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < steps; k++) sum += sum_of(__ldcg(in + (from + k * 256 & last)));
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int steps = 128, words = 1 << 22; dim3 grid = { 264 }; dim3 block = { 256 };
   float in[words] = zeros(); float out[256] = zeros();
   same_sectors(out, in, words - 1, steps, 1, 32);
   same_sectors(out, in, words - 1, steps, 2, 32);
   same_sectors(out, in, words - 1, steps, 4, 32);
   same_sectors(out, in, words - 1, steps, 1, 16);
   same_sectors(out, in, words - 1, steps, 2, 16);
   same_sectors(out, in, words - 1, steps, 4, 16);
   same_sectors(out, in, words - 1, steps, 1, 8);
   same_sectors(out, in, words - 1, steps, 2, 8);
   same_sectors(out, in, words - 1, steps, 4, 8);
*/
/* kmutate launch
   int steps = 128, words = 1 << 22; dim3 grid = { 1056 }; dim3 block = { 256 };
   float in[words] = zeros(); float out[256] = zeros();
   same_sectors(out, in, words - 1, steps, 1, 32);
   same_sectors(out, in, words - 1, steps, 2, 32);
   same_sectors(out, in, words - 1, steps, 4, 32);
   same_sectors(out, in, words - 1, steps, 1, 16);
   same_sectors(out, in, words - 1, steps, 2, 16);
   same_sectors(out, in, words - 1, steps, 4, 16);
   same_sectors(out, in, words - 1, steps, 1, 8);
   same_sectors(out, in, words - 1, steps, 2, 8);
   same_sectors(out, in, words - 1, steps, 4, 8);
*/
// Of each line a sector or two: lanes lie `apart` words from each other.
__global__ void same_sectors(float *out, const float *in, int last, int steps, int group, int apart)
{
    const int from = (stream_of(group, 0) * 40503 & 4095) * 1024 + threadIdx.x * apart;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < steps; k++) sum += __ldcg(in + (from + k * 8 % apart + k * 8 / apart * apart * 256 & last));
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int steps = 256, quads = 1 << 20; dim3 grid = { 132 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   pairs(out, in, quads - 1, steps, 0);
   pairs(out, in, quads - 1, steps, 1);
   pairs(out, in, quads - 1, steps, 2);
   pairs(out, in, quads - 1, steps, 3);
   pairs(out, in, quads - 1, steps, 4);
   pairs(out, in, quads - 1, steps, 8);
   pairs(out, in, quads - 1, steps, 16);
*/
/* kmutate launch
   int steps = 256, quads = 1 << 20; dim3 grid = { 1056 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   pairs(out, in, quads - 1, steps, 0);
   pairs(out, in, quads - 1, steps, 1);
   pairs(out, in, quads - 1, steps, 2);
   pairs(out, in, quads - 1, steps, 3);
   pairs(out, in, quads - 1, steps, 4);
   pairs(out, in, quads - 1, steps, 8);
   pairs(out, in, quads - 1, steps, 16);
*/
// Two blocks read the same: those whose numbers differ in these bits.
__global__ void pairs(float *out, const float4 *in, int last, int steps, int bits)
{
    const int from = (min(blockIdx.x, blockIdx.x ^ bits) * 40503 & 4095) * 256 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < steps; k++) sum += sum_of(__ldcg(in + (from + k * 256 & last)));
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int steps = 128, quads = 1 << 20; dim3 grid = { 264 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   with_work(out, in, quads - 1, steps, 8, 0);
   with_work(out, in, quads - 1, steps, 8, 1);
   with_work(out, in, quads - 1, steps, 32, 0);
   with_work(out, in, quads - 1, steps, 32, 1);
   with_work(out, in, quads - 1, steps, 128, 0);
   with_work(out, in, quads - 1, steps, 128, 1);
*/
/* kmutate launch
   int steps = 128, quads = 1 << 20; dim3 grid = { 1056 }; dim3 block = { 256 };
   float4 in[quads] = zeros(); float out[256] = zeros();
   with_work(out, in, quads - 1, steps, 8, 0);
   with_work(out, in, quads - 1, steps, 8, 1);
   with_work(out, in, quads - 1, steps, 32, 0);
   with_work(out, in, quads - 1, steps, 32, 1);
   with_work(out, in, quads - 1, steps, 128, 0);
   with_work(out, in, quads - 1, steps, 128, 1);
*/
// Four neighbours read the same, with arithmetic between the loads, as much in all blocks or from 1 to 8 times as much.
__global__ void with_work(float *out, const float4 *in, int last, int steps, int work, int unlike)
{
    const int from = (blockIdx.x / 4 * 40503 & 4095) * 256 + threadIdx.x;
    const int mine = work * (unlike ? 1 + blockIdx.x * 5 % 8 : 4);
    float sum = 0.0f;
    for (int k = 0; k < steps; k += 4) {
#pragma unroll
        for (int i = 0; i < 4; i++) sum += sum_of(__ldcg(in + (from + (k + i) * 256 & last)));
#pragma unroll 4
        for (int i = 0; i < mine; i++) sum = sum * 0.999f + 0.5f;
    }
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int rows = 65536; dim3 grid = { 1056 }; dim3 block = { 256 };
   float table[rows * 32] = zeros(); float out[256] = zeros();
   row_reads<float, 1>(out, table, rows - 1, 64);
   row_reads<float, 4>(out, table, rows - 1, 64);
*/
/* kmutate launch
   int rows = 262144; dim3 grid = { 1056 }; dim3 block = { 256 };
   float table[rows * 32] = zeros(); float out[256] = zeros();
   row_reads<float, 1>(out, table, rows - 1, 64);
   row_reads<float, 4>(out, table, rows - 1, 64);
*/
/* kmutate launch
   int rows = 16384; dim3 grid = { 1056 }; dim3 block = { 256 };
   float4 table[rows * 32] = zeros(); float out[256] = zeros();
   row_reads<float4, 1>(out, table, rows - 1, 64);
   row_reads<float4, 4>(out, table, rows - 1, 64);
*/
/* kmutate launch
   int rows = 65536; dim3 grid = { 1056 }; dim3 block = { 256 };
   float4 table[rows * 32] = zeros(); float out[256] = zeros();
   row_reads<float4, 1>(out, table, rows - 1, 64);
   row_reads<float4, 4>(out, table, rows - 1, 64);
*/
// Rows of 32 words at random, so many of them on their way at once.
template <typename T, int N> __global__ void row_reads(float *out, const T *table, unsigned last, int steps)
{
    const unsigned warp = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    unsigned from = warp;
#pragma unroll 1
    for (int k = 0; k < steps; k += N) {
        float v[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            unsigned x = (from + (k + i) * 8448) * 2654435769u;
            x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
            v[i] = sum_of(table[(size_t)(x & last) * 32 + lane]);
        }
#pragma unroll
        for (int i = 0; i < N; i++) sum += v[i];
        from += sum == 12345.678f;
    }
    if (sum == 12345.678f) out[lane] = sum;
}
