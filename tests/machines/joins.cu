// Stores of a warp to parts of the same sectors: which go to L2 together by what is between them, and by what the SM's other
// warps store. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

/* kmutate launch
   int rounds = 64; dim3 block = { 32 }; dim3 grid = { 132 }; char out[1 << 28] = zeros();
   spaced<char, 4, 0>(out, rounds); spaced<char, 4, 1>(out, rounds); spaced<char, 4, 4>(out, rounds);
   spaced<int, 2, 0>((int *)out, rounds); spaced<int, 2, 1>((int *)out, rounds); spaced<int, 2, 4>((int *)out, rounds);
   spaced<int, 4, 0>((int *)out, rounds); spaced<int, 4, 1>((int *)out, rounds); spaced<int, 4, 4>((int *)out, rounds);
   spaced<int, 6, 0>((int *)out, rounds); spaced<int, 6, 1>((int *)out, rounds); spaced<int, 6, 4>((int *)out, rounds);
   block.x = 128;
   spaced<char, 4, 0>(out, rounds); spaced<char, 4, 1>(out, rounds); spaced<char, 4, 4>(out, rounds); spaced<char, 4, 16>(out, rounds);
   spaced<int, 2, 0>((int *)out, rounds); spaced<int, 2, 1>((int *)out, rounds); spaced<int, 2, 4>((int *)out, rounds); spaced<int, 2, 16>((int *)out, rounds);
   spaced<int, 4, 0>((int *)out, rounds); spaced<int, 4, 1>((int *)out, rounds); spaced<int, 4, 4>((int *)out, rounds); spaced<int, 4, 16>((int *)out, rounds);
   spaced<int, 6, 0>((int *)out, rounds); spaced<int, 6, 1>((int *)out, rounds); spaced<int, 6, 4>((int *)out, rounds); spaced<int, 6, 16>((int *)out, rounds);
   block.x = 512;
   spaced<char, 4, 0>(out, rounds); spaced<char, 4, 1>(out, rounds); spaced<char, 4, 4>(out, rounds); spaced<char, 4, 16>(out, rounds);
   spaced<int, 2, 0>((int *)out, rounds); spaced<int, 2, 1>((int *)out, rounds); spaced<int, 2, 4>((int *)out, rounds); spaced<int, 2, 16>((int *)out, rounds);
   spaced<int, 4, 1>((int *)out, rounds); spaced<int, 4, 16>((int *)out, rounds);
*/
// A lane has N elements side by side and stores them one after another, round after round, GAP dependent multiply-adds and a
// branch before each store (0: none, and nothing between).
template <typename T, int N, int GAP> __global__ void spaced(T *out, int rounds)
{
    const int all = gridDim.x * blockDim.x;
    T *mine = out + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * N;
    float x = threadIdx.x & 31;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (GAP) {
#pragma unroll
                for (int j = 0; j < GAP; j++) x = __fmaf_rn(x, 0.5f, 1.0f);
                if (x == 123.0f) return;
            }
            mine[k] = (T)r;
        }
        mine += (size_t)all * N;
    }
}

/* kmutate launch
   int rounds = 20; int pause = 60; dim3 block = { 256 }; dim3 grid = { 132 }; char out[1 << 28] = zeros();
   jittered<int, 2>((int *)out, rounds, pause); jittered<int, 4>((int *)out, rounds, pause); jittered<int, 6>((int *)out, rounds, pause); jittered<int, 8>((int *)out, rounds, pause);
   pause = 250; jittered<int, 4>((int *)out, rounds, pause); jittered<int, 6>((int *)out, rounds, pause); jittered<int, 8>((int *)out, rounds, pause); jittered<int, 9>((int *)out, rounds, pause);
   block.x = 512; pause = 60;
   jittered<int, 2>((int *)out, rounds, pause); jittered<int, 4>((int *)out, rounds, pause); jittered<int, 6>((int *)out, rounds, pause);
   pause = 250; jittered<int, 4>((int *)out, rounds, pause); jittered<int, 6>((int *)out, rounds, pause); jittered<int, 8>((int *)out, rounds, pause);
   pause = 500; jittered<int, 8>((int *)out, rounds, pause); jittered<int, 9>((int *)out, rounds, pause); jittered<int, 12>((int *)out, rounds, pause);
*/
// Each warp stores N elements a lane one after another, then works for a time of its own.
template <typename T, int N> __global__ void jittered(T *out, int rounds, int pause)
{
    const int all = gridDim.x * blockDim.x;
    T *mine = out + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * N;
    float x = threadIdx.x & 31;
    unsigned h = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 2654435761u;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < N; k++) mine[k] = (T)r;
        h = h * 1664525u + 1013904223u;
        const int steps = pause + int(h >> 16) * pause / 65536;
#pragma unroll 1
        for (int j = 0; j < steps; j += 8) {
#pragma unroll
            for (int i = 0; i < 8; i++) x = __fmaf_rn(x, 0.5f, 1.0f);
        }
        if (x == 123.0f) r++;
        mine += (size_t)all * N;
    }
}
