// Patterns of instructions and accesses, each alone, that whole kernels have and no rate of a machine file says. They are
// declared, so that the same launches are timed on a GPU and by the model of time (tests/machines/patterns.py).

#define LDS8(P) asm volatile("{ .reg .pred p; setp.lt.s32 p, %9, %10;\n" \
    P " ld.volatile.shared.u32 %0, [%8];\n" P " ld.volatile.shared.u32 %1, [%8+512];\n" P " ld.volatile.shared.u32 %2, [%8+1024];\n" \
    P " ld.volatile.shared.u32 %3, [%8+1536];\n" P " ld.volatile.shared.u32 %4, [%8+2048];\n" P " ld.volatile.shared.u32 %5, [%8+2560];\n" \
    P " ld.volatile.shared.u32 %6, [%8+3072];\n" P " ld.volatile.shared.u32 %7, [%8+3584]; }" \
    : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]), "+r"(v[4]), "+r"(v[5]), "+r"(v[6]), "+r"(v[7]) : "r"(at), "r"(lane), "r"(lanes))

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[264 * 512] = zeros();
   off_lds(out, 500, 0); off_lds(out, 500, 1); off_lds(out, 500, 32);
*/
// Shared loads of which `lanes` lanes are on.
__global__ void off_lds(int *out, int steps, int lanes)
{
    __shared__ int s[1024 + 64];
    int t = threadIdx.x, lane = t % 32;
    unsigned at = (unsigned)__cvta_generic_to_shared(s) + lane * 4;
    int v[8] = {};
    s[t] = t; s[t + 512] = t;
    __syncthreads();
    for (int k = 0; k < steps; k++) LDS8("@p");
    out[blockIdx.x * 512 + t] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
}

#define STS8(P) asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %3;\n" \
    P " st.volatile.shared.u32 [%0], %1;\n" P " st.volatile.shared.u32 [%0+512], %1;\n" P " st.volatile.shared.u32 [%0+1024], %1;\n" \
    P " st.volatile.shared.u32 [%0+1536], %1;\n" P " st.volatile.shared.u32 [%0+2048], %1;\n" P " st.volatile.shared.u32 [%0+2560], %1;\n" \
    P " st.volatile.shared.u32 [%0+3072], %1;\n" P " st.volatile.shared.u32 [%0+3584], %1; }" \
    :: "r"(at), "r"(k), "r"(lane), "r"(lanes))

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[264 * 512] = zeros();
   off_sts(out, 500, 0); off_sts(out, 500, 1); off_sts(out, 500, 32);
*/
__global__ void off_sts(int *out, int steps, int lanes)
{
    __shared__ int s[1024 + 64];
    int t = threadIdx.x, lane = t % 32;
    unsigned at = (unsigned)__cvta_generic_to_shared(s) + lane * 4;
    s[t] = t; s[t + 512] = t;
    __syncthreads();
    for (int k = 0; k < steps; k++) STS8("@p");
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t];
}

#define LDG8(P) asm volatile("{ .reg .pred p; setp.lt.s32 p, %9, %10;\n" \
    P " ld.global.ca.u32 %0, [%8];\n" P " ld.global.ca.u32 %1, [%8+512];\n" P " ld.global.ca.u32 %2, [%8+1024];\n" \
    P " ld.global.ca.u32 %3, [%8+1536];\n" P " ld.global.ca.u32 %4, [%8+2048];\n" P " ld.global.ca.u32 %5, [%8+2560];\n" \
    P " ld.global.ca.u32 %6, [%8+3072];\n" P " ld.global.ca.u32 %7, [%8+3584]; }" \
    : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]), "+r"(v[4]), "+r"(v[5]), "+r"(v[6]), "+r"(v[7]) : "l"(at), "r"(lane), "r"(lanes))

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[264 * 512] = zeros(); int in[2048] = iota();
   off_ldg(out, in, 500, 0); off_ldg(out, in, 500, 1); off_ldg(out, in, 500, 32);
*/
__global__ void off_ldg(int *out, const int *in, int steps, int lanes)
{
    int t = threadIdx.x, lane = t % 32;
    const int *at = in + lane;
    int v[8] = {};
    for (int k = 0; k < steps; k++) LDG8("@p");
    out[blockIdx.x * 512 + t] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[264 * 512] = zeros();
   bank_loads(out, 100, 1, 32); bank_loads(out, 100, 2, 32); bank_loads(out, 100, 8, 32); bank_loads(out, 100, 32, 32);
   bank_loads(out, 100, 32, 8); bank_loads(out, 100, 8, 8); bank_loads(out, 100, 32, 2);
*/
// Shared loads by `lanes` lanes, `stride` words apart.
__global__ void bank_loads(int *out, int steps, int stride, int lanes)
{
    __shared__ int s[2048];
    int t = threadIdx.x, lane = t % 32;
    unsigned at = (unsigned)__cvta_generic_to_shared(s) + lane * stride * 4;
    int v[8] = {};
    for (int k = t; k < 2048; k += 512) s[k] = k;
    __syncthreads();
    for (int k = 0; k < steps; k++) LDS8("@p");
    out[blockIdx.x * 512 + t] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[264 * 512] = zeros();
   bank_stores(out, 100, 1, 32); bank_stores(out, 100, 2, 32); bank_stores(out, 100, 8, 32); bank_stores(out, 100, 32, 32);
   bank_stores(out, 100, 32, 8); bank_stores(out, 100, 8, 8); bank_stores(out, 100, 32, 2);
*/
__global__ void bank_stores(int *out, int steps, int stride, int lanes)
{
    __shared__ int s[2048];
    int t = threadIdx.x, lane = t % 32;
    unsigned at = (unsigned)__cvta_generic_to_shared(s) + lane * stride * 4;
    for (int k = t; k < 2048; k += 512) s[k] = k;
    __syncthreads();
    for (int k = 0; k < steps; k++) STS8("@p");
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t];
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[264 * 512] = zeros();
   bank_updates(out, 400, 1, 32); bank_updates(out, 400, 2, 32); bank_updates(out, 400, 8, 32); bank_updates(out, 400, 32, 32);
   bank_updates(out, 400, 32, 4);
*/
// A word that is read, changed and written, by a warp that waits for each: with 32 warps on an SM.
__global__ void bank_updates(int *out, int steps, int stride, int lanes)
{
    __shared__ volatile int s[2048];
    int t = threadIdx.x, lane = t % 32;
    for (int k = t; k < 2048; k += 512) s[k] = k;
    __syncthreads();
    if (lane < lanes)
        for (int k = 0; k < steps; k++) s[lane * stride] = s[lane * stride] + s[lane * stride + 1024 & 2047];
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t];
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[264 * 512] = zeros();
   byte_counts(out, 200, 1); byte_counts(out, 200, 16);
*/
// 16-bit counters, two lanes a bank: in one row (1) or in rows that lanes choose differently (16).
__global__ void byte_counts(int *out, int steps, int rows)
{
    __shared__ unsigned short s[16][512];
    int t = threadIdx.x;
    unsigned x = t * 2654435761u;
    for (int k = 0; k < 16; k++) s[k][t] = 0;
    for (int k = 0; k < steps; k++) {
        s[(x >> 28) % rows][t]++;
        x = x * 1664525u + 1013904223u;
    }
    out[blockIdx.x * 512 + t] = s[0][t] + s[rows - 1][t];
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[1 << 20] = zeros();
   hot_stores(out, 20, 1, 0, 1); hot_stores(out, 20, 1, 0, 32); hot_stores(out, 20, 1, 1, 32); hot_stores(out, 20, 8, 0, 1);
   hot_stores(out, 20, 64, 0, 1); hot_stores(out, 20, 512, 0, 1); hot_stores(out, 20, 4224, 0, 1); hot_stores(out, 20, 4224, 1, 32);
*/
// All warps store to few places, 128 bytes apart: `spread` 1 to a word a lane, 0 all `lanes` to one.
__global__ void hot_stores(int *out, int steps, int places, int spread, int lanes)
{
    int t = threadIdx.x, lane = t % 32, warp = blockIdx.x * 16 + t / 32;
    volatile int *at = out + warp % places * 32 + lane * spread;
    if (lane < lanes)
        for (int k = 0; k < steps; k++) *at = k;
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[264 * 512] = zeros(); int in[1 << 20] = iota();
   hot_loads(out, in, 20, 1, 0, 1); hot_loads(out, in, 20, 1, 0, 32); hot_loads(out, in, 20, 1, 1, 32); hot_loads(out, in, 20, 8, 0, 1);
   hot_loads(out, in, 20, 64, 0, 1); hot_loads(out, in, 20, 4224, 0, 1); hot_loads(out, in, 20, 4224, 1, 32);
*/
// The same of loads around L1.
__global__ void hot_loads(int *out, const int *in, int steps, int places, int spread, int lanes)
{
    int t = threadIdx.x, lane = t % 32, warp = blockIdx.x * 16 + t / 32, sum = 0;
    const int *at = in + warp % places * 32 + lane * spread;
    if (lane < lanes)
        for (int k = 0; k < steps; k++) {
            int v;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
            sum += v;
        }
    out[blockIdx.x * 512 + t] = sum;
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[1 << 22] = zeros(); int flag[1024] = zeros();
   hot_flag(out, flag, 20, 1); hot_flag(out, flag, 20, 2); hot_flag(out, flag, 20, 32); hot_flag(out, flag, 20, 0);
*/
// Each warp's lane stores to a place of its own and to one of few flags that all have, in turn.
__global__ void hot_flag(int *out, int *flag, int steps, int flags)
{
    int t = threadIdx.x, lane = t % 32, warp = blockIdx.x * 16 + t / 32;
    if (lane == 0)
        for (int k = 0; k < steps; k++) {
            *(volatile int *)(out + (warp * steps + k) * 32) = k;
            if (flags) *(volatile int *)(flag + warp % flags * 32) = 1;
        }
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 };
   int out[1 << 22] = zeros(); int flag[1024] = zeros();
   hot_branch(out, flag, 20, 1); hot_branch(out, flag, 20, 32); hot_branch(out, flag, 20, 0);
*/
// The same by 8 lanes of which each stores its own places.
__global__ void hot_branch(int *out, int *flag, int steps, int flags)
{
    int t = threadIdx.x, lane = t % 32, warp = blockIdx.x * 16 + t / 32;
    if (lane < 8)
        for (int k = 0; k < steps; k++) {
            *(volatile int *)(out + ((warp * steps + k) * 8 + lane) * 4) = k;
            if (flags) *(volatile int *)(flag + warp % flags * 32) = 1;
        }
}

/* kmutate launch
   int n = 1 << 27; dim3 block = { 256 };
   int out[n] = zeros();
   dim3 grid = { n / 256 / 8 };
   part_stores<1, 1>(out); part_stores<2, 1>(out); part_stores<2, 2>(out); part_stores<3, 3>(out); part_stores<4, 1>(out);
   part_stores<4, 4>(out); part_stores<8, 1>(out); part_stores<8, 8>(out);
*/
// A thread writes the first USED of its EACH words, one after another. Times / words: how stores of parts of sectors add up.
template <int EACH, int USED> __global__ void part_stores(int *out)
{
    int *mine = out + (blockIdx.x * 256 + threadIdx.x) * EACH;
#pragma unroll
    for (int k = 0; k < USED; k++) asm volatile("st.global.u32 [%0], %1;" :: "l"(mine + k), "r"(k));
}

/* kmutate launch
   int n = 1 << 25; dim3 block = { 256 }; dim3 grid = { 1056 };
   int out[n + 64] = zeros();
   near_stores(out, 4096 * 256, 1, 1, 8); near_stores(out, 4096 * 256, 2, 1, 8); near_stores(out, 4096 * 256, 2, 2, 8);
   near_stores(out, 4096 * 256, 4, 1, 8); near_stores(out, 4096 * 256, 4, 2, 8); near_stores(out, 4096 * 256, 4, 4, 8);
   near_stores(out, 4096 * 256, 8, 8, 4); near_stores(out, 4096 * 256, 3, 3, 8);
*/
// The same within 4 to 32 MB, over and over: L2's part of it.
__global__ void near_stores(int *out, int threads, int each, int used, int steps)
{
    for (int s = 0; s < steps; s++)
        for (int i = blockIdx.x * 256 + threadIdx.x; i < threads; i += gridDim.x * 256)
            for (int k = 0; k < used; k++) asm volatile("st.global.u32 [%0], %1;" :: "l"(out + i * each + k), "r"(k));
}

/* kmutate launch
   int n = 1 << 26; dim3 block = { 256 }; dim3 grid = { n / 256 };
   int out[n + 64] = zeros();
   row_stores(out, 0); row_stores(out, 8); row_stores(out, 16); row_stores(out, 4);
*/
// Warps' stores of 128 bytes that begin in the middle of a line, or of a sector.
__global__ void row_stores(int *out, int shift)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i + shift] = i;
}

/* kmutate launch
   int n = 1 << 27; dim3 block = { 64 }; dim3 grid = { n / 64 / 16 };
   int out[64] = zeros(); int in[n + 64] = iota();
   halo_loads(out, in, n / 16, 0, 0); halo_loads(out, in, n / 16, 1, 0); halo_loads(out, in, n / 16, 1, 1);
*/
// Sixteen streams from DRAM, of which blocks also read the word on their left and on their right.
__global__ void halo_loads(int *out, const int *in, int apart, int left, int right)
{
    int t = threadIdx.x, first = blockIdx.x * 64 + t, sum = 0, v[16], w[16] = {};
#pragma unroll
    for (int k = 0; k < 16; k++) v[k] = in[k * apart + first];
    if (left && t == 0 && blockIdx.x > 0)
#pragma unroll
        for (int k = 0; k < 16; k++) w[k] = in[k * apart + first - 1];
    if (right && t == 63)
#pragma unroll
        for (int k = 0; k < 16; k++) w[k] += in[k * apart + first + 1];
#pragma unroll
    for (int k = 0; k < 16; k++) sum += v[k] + w[k];
    if (sum == -12345) out[t] = sum;
}

/* kmutate launch
   int n = 8192; dim3 block = { 128, 4 }; dim3 grid = { n / 128, n / 4 };
   float out[64] = zeros(); float in[n * n] = uniform(0, 1);
   rows_around(out, in, n, 0); rows_around(out, in, n, 1); rows_around(out, in, n, 4);
*/
// Rows above and below: what of another block's rows L2 still has.
__global__ void rows_around(float *out, const float *in, int n, int reach)
{
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    float sum = 0;
    for (int d = -reach; d <= reach; d++) {
        int row = min(max(y + d, 0), n - 1);
        sum += in[row * n + x];
    }
    if (sum == -12345.0f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int n = 1 << 22; dim3 block = { 256 }; dim3 grid = { n / 256 };
   int out[64] = zeros(); int table[1 << 27] = iota();
   table_loads(out, table, 2097152u, 1); table_loads(out, table, 6291456u, 1); table_loads(out, table, 8388608u, 1);
   table_loads(out, table, 12582912u, 1); table_loads(out, table, 16777216u, 1); table_loads(out, table, 25165824u, 1);
   table_loads(out, table, 33554432u, 1); table_loads(out, table, 134217728u, 1);
   table_loads(out, table, 8388608u, 8); table_loads(out, table, 12582912u, 8); table_loads(out, table, 16777216u, 8);
   table_loads(out, table, 25165824u, 8); table_loads(out, table, 33554432u, 8); table_loads(out, table, 134217728u, 8);
*/
// Words at random of a table of so many words, `each` a thread.
__global__ void table_loads(int *out, const int *table, unsigned words, int each)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    int sum = 0;
#pragma unroll 4
    for (int k = 0; k < each; k++) {
        unsigned x = (i + k * (1u << 22)) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
        sum += table[(unsigned)((unsigned long long)x * words >> 32)];
    }
    if (sum == -12345) out[threadIdx.x] = sum;
}

