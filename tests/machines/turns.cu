// Patterns of branches, loops, local arrays, atomics and loads off a line, each alone: as patterns.cu, timed by
// time_launches.py.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[132 * 1024] = zeros();
   part_branch(out, 2000, 0); part_branch(out, 2000, 1); part_branch(out, 2000, 16); part_branch(out, 2000, 32);
*/
// `lanes` lanes go one way, the others the other.
__global__ void part_branch(int *out, int steps, int lanes)
{
    int t = threadIdx.x;
    float v = t, w = t + 1;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        if (t % 32 < lanes) {
#pragma unroll
            for (int i = 0; i < 8; i++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v));
        } else {
#pragma unroll
            for (int i = 0; i < 8; i++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(w));
        }
    }
    out[blockIdx.x * 1024 + t] = v + w;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[132 * 1024] = zeros();
   short_loop<1>(out, 4000); short_loop<2>(out, 4000); short_loop<4>(out, 4000); short_loop<8>(out, 4000); short_loop<16>(out, 4000);
   short_loop<32>(out, 4000);
*/
// Loops of a few independent products.
template <int N> __global__ void short_loop(int *out, int steps)
{
    float v[8];
    for (int i = 0; i < 8; i++) v[i] = threadIdx.x + i;
#pragma unroll 1
    for (int k = 0; k < steps; k++)
#pragma unroll
        for (int i = 0; i < N; i++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v[i % 8]));
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += v[i];
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 128 };
   int out[132 * 1024] = zeros();
   few_loop<1>(out, 4000); few_loop<4>(out, 4000); few_loop<16>(out, 4000);
*/
// The same by one warp a scheduler.
template <int N> __global__ void few_loop(int *out, int steps)
{
    float v[8];
    for (int i = 0; i < 8; i++) v[i] = threadIdx.x + i;
#pragma unroll 1
    for (int k = 0; k < steps; k++)
#pragma unroll
        for (int i = 0; i < N; i++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v[i % 8]));
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += v[i];
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[132 * 1024] = zeros();
   lane_loop(out, 200, 8, 0); lane_loop(out, 200, 8, 1); lane_loop(out, 200, 8, 7); lane_loop(out, 200, 1, 31);
*/
// Loops that lanes leave at different turns.
__global__ void lane_loop(int *out, int steps, int least, int more)
{
    int t = threadIdx.x, turns = least + (t * 7 % 32 & more);
    float v = t;
#pragma unroll 1
    for (int k = 0; k < steps; k++)
#pragma unroll 1
        for (int i = 0; i < turns; i++) {
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v));
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v));
        }
    out[blockIdx.x * 1024 + t] = v;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[132 * 1024] = zeros();
   own_loads(out, 500, 0); own_loads(out, 500, 1); own_loads(out, 500, 5);
   own_stores(out, 500, 0); own_stores(out, 500, 1); own_stores(out, 500, 5);
   own_shifts(out, 200, 8, 0); own_shifts(out, 200, 1, 7);
*/
// An array of the thread, read at an index that is the same for all lanes (0), or differs.
__global__ void own_loads(int *out, int steps, int apart)
{
    int t = threadIdx.x, sum = 0;
    volatile int own[8];
    for (int i = 0; i < 8; i++) own[i] = t + i;
#pragma unroll 1
    for (int k = 0; k < steps; k++)
#pragma unroll
        for (int i = 0; i < 8; i++) sum += own[t * apart + k + i & 7];
    out[blockIdx.x * 1024 + t] = sum;
}
__global__ void own_stores(int *out, int steps, int apart)
{
    int t = threadIdx.x;
    volatile int own[8];
    for (int i = 0; i < 8; i++) own[i] = t + i;
#pragma unroll 1
    for (int k = 0; k < steps; k++)
#pragma unroll
        for (int i = 0; i < 8; i++) own[t * apart + k + i & 7] = k;
    out[blockIdx.x * 1024 + t] = own[t & 7];
}
// Entries move up by one, from the last down to where a lane stops.
__global__ void own_shifts(int *out, int steps, int least, int more)
{
    int t = threadIdx.x;
    volatile int own[16];
    for (int i = 0; i < 16; i++) own[i] = t + i;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        int turns = least + (t * 7 + k & more), i = 15;
#pragma unroll 1
        while (turns-- > 0) { own[i] = own[i - 1]; i--; }
        own[i] = k;
    }
    out[blockIdx.x * 1024 + t] = own[t & 7];
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int places[1 << 22] = zeros(); int out[1056 * 256] = zeros();
   spread_adds(places, out, 8, 1u, 0); spread_adds(places, out, 8, 32u, 0); spread_adds(places, out, 8, 128u, 0); spread_adds(places, out, 8, 512u, 0);
   spread_adds(places, out, 8, 1024u, 0); spread_adds(places, out, 8, 2048u, 0); spread_adds(places, out, 16, 4096u, 0); spread_adds(places, out, 16, 8192u, 0);
   spread_adds(places, out, 16, 16384u, 0); spread_adds(places, out, 16, 65536u, 0); spread_adds(places, out, 16, 1048576u, 0);
   spread_adds(places, out, 16, 4194304u, 0);
   spread_adds(places, out, 8, 32u, 1); spread_adds(places, out, 8, 512u, 1); spread_adds(places, out, 16, 4096u, 1); spread_adds(places, out, 16, 65536u, 1);
   spread_adds(places, out, 16, 1048576u, 1);
*/
// Additions at random to so many places; with `give` the old values are wanted.
__global__ void spread_adds(int *places, int *out, int steps, unsigned of, int give)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        unsigned x = (i + k * 1056 * 256) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
        int *at = places + (unsigned)((unsigned long long)x * of >> 32);
        if (give) sum += atomicAdd(at, 1);
        else atomicAdd(at, 1);
    }
    if (give) out[i] = sum;
}

/* kmutate launch
   dim3 grid = { 1056 }; dim3 block = { 256 };
   int places[1 << 22] = zeros(); int keys[1 << 24] = iota();
   key_adds(places, keys, 1 << 24, 1u); key_adds(places, keys, 1 << 24, 5u); key_adds(places, keys, 1 << 24, 2654435769u);
*/
// Additions to 4096 places by keys from memory: a row of 32 neighbours, lanes five apart, at random.
__global__ void key_adds(int *places, const int *keys, int n, unsigned mixed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = keys[i] * mixed;
        atomicAdd(places + (mixed > 5 ? (x ^ x >> 15) * 2246822519u >> 20 : x % 4096), 1);
    }
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[132 * 1024] = zeros();
   shared_adds<0>(out, 1000, 1u); shared_adds<0>(out, 1000, 8u); shared_adds<0>(out, 1000, 32u); shared_adds<0>(out, 1000, 256u); shared_adds<0>(out, 1000, 4096u);
   shared_adds<1>(out, 1000, 1u); shared_adds<1>(out, 1000, 8u); shared_adds<1>(out, 1000, 32u); shared_adds<1>(out, 1000, 256u); shared_adds<1>(out, 1000, 4096u);
   shared_adds<2>(out, 1000, 1u); shared_adds<2>(out, 1000, 32u); shared_adds<2>(out, 1000, 256u); shared_adds<2>(out, 1000, 4096u);
*/
// Additions at random to so many words of shared memory: of one (0), of a number (1), of a number, with the old value (2).
template <int WHAT> __global__ void shared_adds(int *out, int steps, unsigned of)
{
    __shared__ int s[4096];
    unsigned i = threadIdx.x, sum = 0;
    for (int k = i; k < 4096; k += 1024) s[k] = 0;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        unsigned x = (i + k * 1024) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
        int *at = s + (unsigned)((unsigned long long)x * of >> 32);
        if (WHAT == 0) atomicAdd(at, 1);
        if (WHAT == 1) atomicAdd(at, (int)i);
        if (WHAT == 2) sum += atomicAdd(at, (int)i);
    }
    __syncthreads();
    out[blockIdx.x * 1024 + i] = s[i] + sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[1] = zeros();
   nothing(out);
*/
// What the events themselves take.
__global__ void nothing(int *out) {}
