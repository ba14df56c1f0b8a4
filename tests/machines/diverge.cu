// Warps whose lanes go different ways, and what it costs to part and to come together. Timed on a GPU and by the model of time,
// as patterns.cu: one warp of an SM, and 32.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   split<1>(out, 2000, 0); split<2>(out, 2000, 0); split<3>(out, 2000, 0); split<4>(out, 2000, 0); split<8>(out, 1000, 0);
   split<2>(out, 2000, 1); split<4>(out, 2000, 1);
   block.x = 1024;
   split<1>(out, 2000, 0); split<2>(out, 1000, 0); split<4>(out, 1000, 0);
*/
// WAYS ways, one after another, of equal work; `warp`: all lanes of a warp go the same.
template <int WAYS> __global__ void split(float *out, int steps, int warp)
{
    float x = threadIdx.x;
    const int way = (warp ? threadIdx.x / 32 : threadIdx.x) % WAYS;
    for (int i = 0; i < steps; i++) {
        switch (way) {
#define WAY(N)                                                                                                         \
    case N:                                                                                                            \
        if (N < WAYS) {                                                                                                \
            asm volatile("" ::"f"(x));                                                                                 \
            _Pragma("unroll") for (int k = 0; k < 8; k++) x = x * (0.5f + N) + 1.0f;                                   \
            asm volatile("" : "+f"(x));                                                                                \
        }                                                                                                              \
        break;
            WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7)
        }
        x = x * 0.25f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   skip<1>(out, 2000, 0); skip<1>(out, 2000, 32); skip<1>(out, 2000, 16); skip<1>(out, 2000, 1);
   skip<2>(out, 2000, 0); skip<2>(out, 2000, 32); skip<2>(out, 2000, 16); skip<2>(out, 2000, 1);
   skip<4>(out, 1000, 0); skip<4>(out, 1000, 32); skip<4>(out, 1000, 16); skip<4>(out, 1000, 1);
   block.x = 1024;
   skip<1>(out, 2000, 0); skip<1>(out, 2000, 32); skip<1>(out, 2000, 16);
   skip<4>(out, 500, 0); skip<4>(out, 500, 32); skip<4>(out, 500, 16);
*/
// The first `on` lanes of a warp do what the others go around, TIMES times a step.
template <int TIMES> __global__ void skip(float *out, int steps, int on)
{
    float x = threadIdx.x;
    const bool mine = threadIdx.x % 32 < on;
    for (int i = 0; i < steps; i++) {
#pragma unroll
        for (int n = 0; n < TIMES; n++) {
            if (mine) {
                asm volatile("" ::"f"(x));
#pragma unroll
                for (int k = 0; k < 12; k++) x = x * (0.5f + n) + 1.0f;
                asm volatile("" : "+f"(x));
            }
            x = x * 0.25f;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   trips(out, 1000, 4, 1); trips(out, 1000, 4, 2); trips(out, 1000, 4, 4); trips(out, 500, 1, 8); trips(out, 200, 1, 32);
   block.x = 1024;
   trips(out, 500, 4, 1); trips(out, 500, 4, 2); trips(out, 250, 1, 8); trips(out, 100, 1, 32);
*/
// A loop that lanes leave after `least` to `least` + `apart` - 1 turns.
__global__ void trips(float *out, int steps, int least, int apart)
{
    float x = threadIdx.x;
    const int mine = least + threadIdx.x % apart;
    for (int i = 0; i < steps; i++) {
#pragma unroll 1
        for (int k = 0; k < mine; k++) {
            asm volatile("" : "+f"(x));
            x = x * 0.5f + 1.0f;
            x = x * 0.75f + 1.0f;
        }
        x = x * 0.25f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[132 * 1024] = zeros();
   descend(out, 4000, 0); descend(out, 4000, 1);
   block.x = 1024;
   descend(out, 1000, 0); descend(out, 1000, 1);
*/
// Lanes go down and back as their numbers say (`own`), or all alike: a loop with a way down, a way back, and an end.
__global__ void descend(int *out, int steps, int own)
{
    __shared__ int stack[8][1024];
    unsigned seed = own ? threadIdx.x * 2654435761u + 12345u : 12345u;
    int depth = 0, found = 0;
    for (int i = 0; i < steps; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (seed >> 31) {
            if (depth < 7) {
                stack[depth][threadIdx.x] = seed >> 3;
                depth++;
            } else {
                found += stack[depth - 1][threadIdx.x] & 3;
                depth = 2;
            }
        } else if (depth > 0) {
            depth--;
            found ^= stack[depth][threadIdx.x];
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = found + depth;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   called(out, 2000, 0); called(out, 2000, 32); called(out, 2000, 16); called(out, 2000, 1);
   block.x = 1024;
   called(out, 500, 0); called(out, 500, 32); called(out, 500, 16); called(out, 500, 1);
*/
__device__ __noinline__ float apart(float x)
{
#pragma unroll
    for (int k = 0; k < 12; k++) x = x * 0.5f + 1.0f;
    return x;
}
// The first `on` lanes call a function.
__global__ void called(float *out, int steps, int on)
{
    float x = threadIdx.x;
    const bool mine = threadIdx.x % 32 < on;
    for (int i = 0; i < steps; i++) {
        if (mine) x = apart(x);
        x = x * 0.25f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 64 };
   int out[132 * 64] = zeros();
   held(out, 500, 0, 1); held(out, 500, 1, 1); held(out, 500, 4, 1); held(out, 500, 16, 1);
   held(out, 500, 0, 0); held(out, 500, 1, 0); held(out, 500, 4, 0); held(out, 500, 16, 0);
*/
// The first of two warps comes to a barrier long before the other, and has `trips` of a loop to go behind it; with `late` the other
// one loads from shared memory before that barrier, else before the next.
__global__ void held(int *out, int steps, int trips, int late)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x, x = t;
    s[t] = 0;
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int k = 0; k < steps; k++) {
            __syncthreads();
            __syncthreads();
#pragma unroll 1
            for (int i = 0; i < trips; i++) x = x * 5 + t;
        }
    } else {
        int z = 0;
#pragma unroll 1
        for (int k = 0; k < steps; k++) {
            if (!late) for (int i = 0; i < 16; i++) z = s[z];
            __syncthreads();
            if (late) for (int i = 0; i < 16; i++) z = s[z];
            __syncthreads();
        }
        x += z;
    }
    out[blockIdx.x * 64 + t] = x;
}
