// Words that all SMs load around L1, alone, among others, and while some are changed. Timed on a GPU and by the model of
// time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 128 }; unsigned in[1 << 22] = zeros(); float out[1024] = zeros();
   hot_words<1, 0>(out, in, 1, 256); hot_words<1, 0>(out, in, 2, 256); hot_words<1, 0>(out, in, 4, 256); hot_words<1, 0>(out, in, 16, 256);
   hot_words<8, 0>(out, in, 1, 256); hot_words<16, 0>(out, in, 1, 256); hot_words<32, 0>(out, in, 1, 256); hot_words<1, 1>(out, in, 1, 256);
   grid.x = 16; hot_words<1, 0>(out, in, 1, 256); hot_words<32, 0>(out, in, 1, 256);
   block.x = 32; grid.x = 1; hot_words<1, 0>(out, in, 1, 256); hot_words<1, 1>(out, in, 1, 256);
*/
/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 }; unsigned in[1 << 22] = zeros(); float out[1024] = zeros();
   hot_words<1, 0>(out, in, 1, 256); hot_words<1, 0>(out, in, 2, 256); hot_words<1, 0>(out, in, 4, 256); hot_words<1, 0>(out, in, 16, 256);
   hot_words<1, 0>(out, in, 64, 256); hot_words<8, 0>(out, in, 1, 256); hot_words<16, 0>(out, in, 1, 256); hot_words<32, 0>(out, in, 1, 256);
   hot_words<8, 0>(out, in, 4, 256); hot_words<8, 0>(out, in, 16, 256); hot_words<8, 0>(out, in, 64, 256);
   hot_words<1, 1>(out, in, 1, 256); hot_words<1, 1>(out, in, 4, 256); hot_words<1, 1>(out, in, 16, 256);
*/
// Each warp reads `WORDS` words of a line that all others read, too, `lines` lines in turn. 0: around L1, 1: volatile.
template <int WORDS, int HOW> __global__ void hot_words(float *out, const unsigned *in, int lines, int steps)
{
    int at = 0;
    unsigned sum = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        const unsigned *from = in + 32 * at + threadIdx.x % WORDS;
        sum += HOW ? *(const volatile unsigned *)from : __ldcg(from);
        at = at + 1 == lines ? 0 : at + 1;
        at += sum == 12345678u;
    }
    if (sum == 12345678u) out[threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 128 }; unsigned in[1 << 22] = zeros(); float out[1024] = zeros();
   hot_among<0>(out, in, 128, 0); hot_among<0>(out, in, 128, 1); hot_among<0>(out, in, 128, 4); hot_among<0>(out, in, 128, 16);
   hot_among<1>(out, in, 128, 0); hot_among<1>(out, in, 128, 1); hot_among<1>(out, in, 128, 4); hot_among<1>(out, in, 128, 16);
*/
/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 }; unsigned in[1 << 22] = zeros(); float out[1024] = zeros();
   hot_among<0>(out, in, 64, 0); hot_among<0>(out, in, 64, 1); hot_among<0>(out, in, 64, 4); hot_among<0>(out, in, 64, 16);
   hot_among<1>(out, in, 64, 0); hot_among<1>(out, in, 64, 1); hot_among<1>(out, in, 64, 4); hot_among<1>(out, in, 64, 16);
*/
// Each lane reads a word of 4 MB at random, but for `hot` lanes: those read one word. 0: around L1, 1: through it.
template <int HOW> __global__ void hot_among(float *out, const unsigned *in, int steps, int hot)
{
    unsigned sum = 0, n = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        n = n * 1664525u + 1013904223u + sum;
        const unsigned h = (n ^ n >> 15) * 2654435769u >> 12;
        const unsigned *from = in + (threadIdx.x % 32 < hot ? 0u : h);
        sum += HOW ? __ldca(from) : __ldcg(from);
    }
    if (sum == 12345678u) out[threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 }; unsigned in[1 << 22] = zeros(); float out[1024] = zeros();
   hot_and_changed<0, 0>(out, in, 256, 16); hot_and_changed<0, 0>(out, in, 256, 256); hot_and_changed<1, 0>(out, in, 256, 16);
   hot_and_changed<1, 0>(out, in, 256, 256);
   hot_and_changed<0, 1>(out, in, 256, 16); hot_and_changed<0, 1>(out, in, 256, 256); hot_and_changed<1, 1>(out, in, 256, 256);
   hot_and_changed<0, 2>(out, in, 256, 256); hot_and_changed<0, 3>(out, in, 256, 256); hot_and_changed<0, 4>(out, in, 256, 16);
   block.x = 128;
   hot_and_changed<0, 0>(out, in, 256, 256); hot_and_changed<0, 1>(out, in, 256, 256); hot_and_changed<0, 4>(out, in, 256, 256);
*/
// Each warp loads a word that all others load, too, and every so often the first one of a block asks to change it, or the
// line behind it. 0: in vain by a compare and swap, 1: by an addition, 2: by a store, 3: the next line, 4: all warps do as 0
// at the same step. HOW: around L1, or volatile.
template <int HOW, int WHAT> __global__ void hot_and_changed(float *out, unsigned *in, int steps, int every)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned sum = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        sum += HOW ? *(const volatile unsigned *)in : __ldcg(in);
        if (lane == 0 && (WHAT == 4 || warp == 0) && k % every == 1) {
            if (WHAT == 0 || WHAT == 4) sum += atomicCAS(in, 1u << 31, 5u) >> 30;
            if (WHAT == 1) atomicAdd(in, 1u);
            if (WHAT == 2) *(volatile unsigned *)in = k;
            if (WHAT == 3) atomicAdd(in + 32, 1u);
        }
    }
    if (sum == 12345678u) out[threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 }; unsigned in[1 << 22] = zeros(); float out[1024] = zeros();
   hot_among_changed<0>(out, in, 64, 1, 16); hot_among_changed<0>(out, in, 64, 4, 16); hot_among_changed<0>(out, in, 64, 16, 16);
   hot_among_changed<1>(out, in, 64, 1, 16); hot_among_changed<1>(out, in, 64, 4, 16);
   hot_among_changed<0>(out, in, 64, 4, 64); hot_among_changed<0>(out, in, 64, 32, 64); hot_among_changed<0>(out, in, 64, 0, 64);
*/
/* kmutate launch
   dim3 grid = { 264 }; dim3 block = { 512 }; unsigned in[1 << 22] = zeros(); float out[1024] = zeros();
   hot_among_changed<2>(out, in, 64, 1, 16); hot_among_changed<2>(out, in, 64, 4, 64); hot_among_changed<3>(out, in, 64, 1, 16);
   hot_among_changed<4>(out, in, 64, 1, 16);
*/
// As hot_among, and a lane of each warp asks to swap the hot word, in vain, every so often. 1: loads are volatile, 2: an
// addition instead, 3: one that is told the old value, 4: a swap that changes the word.
template <int HOW> __global__ void hot_among_changed(float *out, unsigned *in, int steps, int hot, int every)
{
    unsigned sum = 0, n = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        n = n * 1664525u + 1013904223u + (sum >> 31);
        const unsigned h = (n ^ n >> 15) * 2654435769u >> 12;
        const unsigned *from = in + (threadIdx.x % 32 < hot ? 0u : h);
        sum |= HOW == 1 ? *(const volatile unsigned *)from : __ldcg(from);
        if (threadIdx.x % 32 == 0 && (k + threadIdx.x / 32) % every == 1) {
            if (HOW < 2) sum |= atomicCAS(in, 1u << 31, 5u) >> 30;
            if (HOW == 2) atomicAdd(in, 1u);
            if (HOW == 3) sum |= atomicAdd(in, 1u) >> 30;
            if (HOW == 4) sum |= atomicExch(in, k) >> 30;
        }
    }
    if (sum == 12345678u) out[threadIdx.x] = sum;
}
