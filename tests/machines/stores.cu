// Stores of many lines, lines that are written again, and votes that match: what a warp waits for them. Timed on a GPU and
// by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[1 << 26] = zeros();
   apart_stores(out, 200, 1, 8, 1); apart_stores(out, 200, 8, 8, 1); apart_stores(out, 200, 32, 8, 1); apart_stores(out, 200, 64, 8, 1);
   apart_stores(out, 200, 128, 8, 1); apart_stores(out, 200, 1024, 8, 1); apart_stores(out, 200, 1025, 8, 1); apart_stores(out, 200, 1000, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 128 };
   int out[1 << 26] = zeros();
   apart_stores(out, 200, 1, 8, 1); apart_stores(out, 200, 32, 8, 1); apart_stores(out, 200, 128, 8, 1); apart_stores(out, 200, 1024, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 512 };
   int out[1 << 26] = zeros();
   apart_stores(out, 100, 1, 8, 1); apart_stores(out, 100, 32, 8, 1); apart_stores(out, 100, 128, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 16 }; dim3 block = { 32 };
   int out[1 << 24] = zeros();
   apart_stores(out, 500, 1, 8, 1); apart_stores(out, 500, 8, 8, 1); apart_stores(out, 500, 32, 8, 1); apart_stores(out, 500, 128, 8, 1);
   apart_stores(out, 500, 1024, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[1 << 22] = zeros();
   apart_stores(out, 500, 1, 8, 1); apart_stores(out, 500, 8, 8, 1); apart_stores(out, 500, 32, 8, 1); apart_stores(out, 500, 128, 8, 1);
   apart_stores(out, 500, 1024, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   apart_stores(out, 200, 1, 8, 1); apart_stores(out, 200, 8, 8, 1); apart_stores(out, 200, 32, 8, 1); apart_stores(out, 200, 128, 8, 1);
   apart_stores(out, 200, 1024, 8, 1);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   apart_stores(out, 100, 1, 1, 1); apart_stores(out, 100, 32, 1, 1); apart_stores(out, 100, 128, 1, 1); apart_stores(out, 100, 128, 8, 0);
   apart_stores(out, 100, 32, 8, 0); apart_stores(out, 100, 1, 8, 0);
*/
// A lane's words are `stride` apart; a warp moves by `step` words each time, or (once == 0) stays where it is.
__global__ void apart_stores(int *out, int steps, int stride, int step, int once)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int *to = out + (size_t)warp * (32 * stride + 1056) + lane * stride;
    if (stride == 1) step = 32;
#pragma unroll 8
    for (int k = 0; k < steps; k++) to[once * (k * step % 1024)] = k;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[1 << 22] = zeros();
   beside_stores<0>(out, 2000, 1); beside_stores<1>(out, 2000, 1); beside_stores<2>(out, 2000, 1); beside_stores<3>(out, 2000, 1);
   beside_stores<0>(out, 1000, 32); beside_stores<1>(out, 1000, 32); beside_stores<2>(out, 1000, 32); beside_stores<3>(out, 1000, 32);
   beside_stores<0>(out, 1000, 8); beside_stores<1>(out, 1000, 8); beside_stores<2>(out, 1000, 8); beside_stores<3>(out, 1000, 8);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   beside_stores<0>(out, 1000, 1); beside_stores<1>(out, 1000, 1); beside_stores<2>(out, 1000, 1); beside_stores<3>(out, 1000, 1);
   beside_stores<0>(out, 300, 32); beside_stores<1>(out, 300, 32); beside_stores<2>(out, 300, 32); beside_stores<3>(out, 300, 32);
   beside_stores<0>(out, 300, 8); beside_stores<1>(out, 300, 8); beside_stores<2>(out, 300, 8); beside_stores<3>(out, 300, 8);
*/
// A chain of loads that hit L1, and each time: nothing, a store to another line, to the same line, to the same word.
template <int MODE> __global__ void beside_stores(int *out, int steps, int stride)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    volatile int *line = out + warp * 2048;
    int at = lane * stride;
    for (int k = 0; k < steps; k++) {
        int got = line[at];
        if (MODE == 1) line[at + 1024] = k * 0 + got;
        if (MODE == 2) line[(at + stride * 1) % (32 * stride)] = got;
        if (MODE == 3) line[at] = got;
        at += got;
    }
    out[warp * 2048 + 1500 + lane] = at;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[1 << 22] = zeros();
   summed_in_place(out, 500, 1); summed_in_place(out, 500, 8); summed_in_place(out, 500, 32);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   int out[1 << 22] = zeros();
   summed_in_place(out, 500, 1); summed_in_place(out, 500, 8); summed_in_place(out, 300, 32);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[1 << 24] = zeros();
   summed_in_place(out, 300, 1); summed_in_place(out, 100, 32);
*/
// A word of each lane that is stored all the time and never read: the sum stands in memory.
__global__ void summed_in_place(int *out, int steps, int stride)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    volatile int *to = out + warp * 1024 + lane * stride;
    int sum = 0;
    for (int k = 0; k < steps; k++) { sum += k ^ lane; *to = sum; }
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[1 << 20] = zeros();
   matches<0>(out, 2000); matches<1>(out, 2000); matches<2>(out, 2000); matches<3>(out, 2000); matches<4>(out, 2000); matches<5>(out, 2000);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 512 };
   int out[1 << 20] = zeros();
   matches<0>(out, 1000); matches<1>(out, 1000); matches<2>(out, 1000); matches<3>(out, 1000); matches<4>(out, 1000); matches<5>(out, 1000);
*/
// match.any and match.all of keys: one key, two, eight, 32; four independent ones at once.
template <int MODE> __global__ void matches(int *out, int steps)
{
    unsigned lane = threadIdx.x % 32, sum = 0;
    unsigned key = MODE == 0 ? 7u : MODE == 1 ? lane & 1 : MODE == 2 ? lane & 7 : lane;
    for (int k = 0; k < steps; k++) {
        if (MODE < 4) { sum += __match_any_sync(~0u, key + (sum & 0x100)); }
        if (MODE == 4) { int p; sum += __match_all_sync(~0u, 7u + (sum & 0x100), &p); }
        if (MODE == 5) {
#pragma unroll
            for (int u = 0; u < 4; u++) sum += __match_any_sync(~0u, (lane & 7) + k + u);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[1 << 26] = zeros();
   walk_rows<0>(out, 256, 1024); walk_rows<1>(out, 256, 1024); walk_rows<2>(out, 256, 1024); walk_rows<2>(out, 256, 1056);
*/
/* kmutate launch
   dim3 grid = { 128 }; dim3 block = { 256 };
   int out[1 << 26] = zeros();
   walk_rows<0>(out, 256, 1024); walk_rows<1>(out, 256, 1024); walk_rows<2>(out, 256, 1024); walk_rows<2>(out, 256, 1056);
*/
/* kmutate launch
   dim3 grid = { 16 }; dim3 block = { 256 };
   int out[1 << 24] = zeros();
   walk_rows<0>(out, 256, 1024); walk_rows<1>(out, 256, 1024); walk_rows<2>(out, 256, 1024); walk_rows<2>(out, 256, 1056);
*/
// Lanes walk along rows of their own: reading, writing, or changing in place.
template <int MODE> __global__ void walk_rows(int *out, int steps, int pitch)
{
    int *row = out + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    int sum = 0;
    for (int k = 0; k < steps; k++) {
        if (MODE == 0) sum += row[k];
        if (MODE == 1) row[k] = k;
        if (MODE == 2) { sum += row[k]; row[k] = sum; }
    }
    if (MODE == 0) row[0] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[1 << 22] = zeros(); float side[1 << 20] = zeros();
   paced_stores<0>(out, side, 300, 1, 0); paced_stores<0>(out, side, 300, 1, 8); paced_stores<0>(out, side, 300, 1, 16); paced_stores<0>(out, side, 300, 1, 32);
   paced_stores<0>(out, side, 300, 1, 64); paced_stores<0>(out, side, 300, 8, 0); paced_stores<0>(out, side, 300, 8, 16); paced_stores<0>(out, side, 300, 8, 64);
   paced_stores<1>(out, side, 300, 1, 8); paced_stores<1>(out, side, 300, 8, 8); paced_stores<2>(out, side, 300, 1, 8); paced_stores<2>(out, side, 300, 8, 8);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   int out[1 << 22] = zeros(); float side[1 << 20] = zeros();
   paced_stores<0>(out, side, 300, 1, 0); paced_stores<0>(out, side, 300, 1, 16); paced_stores<0>(out, side, 300, 1, 64); paced_stores<0>(out, side, 300, 8, 0);
   paced_stores<0>(out, side, 300, 8, 64); paced_stores<1>(out, side, 300, 1, 8); paced_stores<1>(out, side, 300, 8, 8); paced_stores<2>(out, side, 300, 1, 8);
   paced_stores<2>(out, side, 300, 8, 8);
*/
// The same words stored again and again, with arithmetic between: and a load that hits L1 (MODE 1), or goes to L2 (MODE 2).
template <int MODE> __global__ void paced_stores(int *out, float *side, int steps, int stride, int gap)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int *to = out + warp * 1024 + lane * stride;
    float *from = side + warp * 64 + lane, x = lane;
    for (int k = 0; k < steps; k++) {
        for (int g = 0; g < gap; g++) x = x * 0.5f + 1;
        if (MODE == 1) { float v; asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(from)); x += v; }
        if (MODE == 2) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(from)); x += v; }
        asm volatile("st.global.u32 [%0], %1;" :: "l"(to), "r"(__float_as_int(x)));
    }
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[1 << 22] = zeros(); int side[1 << 22] = zeros();
   behind_stores<0>(out, side, 500, 1); behind_stores<1>(out, side, 500, 1); behind_stores<1>(out, side, 500, 8); behind_stores<1>(out, side, 500, 32);
   behind_stores<2>(out, side, 500, 32); behind_stores<3>(out, side, 500, 1);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[1 << 22] = zeros(); int side[1 << 22] = zeros();
   behind_stores<0>(out, side, 500, 1); behind_stores<1>(out, side, 500, 1); behind_stores<1>(out, side, 500, 8); behind_stores<1>(out, side, 500, 32);
   behind_stores<2>(out, side, 500, 32); behind_stores<3>(out, side, 500, 1);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 512 };
   int out[1 << 22] = zeros(); int side[1 << 22] = zeros();
   behind_stores<0>(out, side, 300, 1); behind_stores<1>(out, side, 300, 1); behind_stores<1>(out, side, 300, 8); behind_stores<1>(out, side, 300, 32);
   behind_stores<2>(out, side, 300, 32);
*/
// A chain of loads of a line from L2, and behind each a store of one, eight, 32 lines; MODE 2: two such; 3: volatile loads.
template <int MODE> __global__ void behind_stores(int *out, int *side, int steps, int stride)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int *to = out + warp * 1024 + lane * stride, at = warp * 64 + lane;
    for (int k = 0; k < steps; k++) {
        int v;
        if (MODE == 3) v = *(volatile int *)(side + at);
        else asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(side + at));
        if (MODE == 1 || MODE == 2) asm volatile("st.global.u32 [%0], %1;" :: "l"(to + (v & 1)), "r"(v));
        if (MODE == 2) asm volatile("st.global.u32 [%0], %1;" :: "l"(to + 1 + (v & 1)), "r"(v));
        at += v;
    }
    if (at < 0) out[0] = at;
}
