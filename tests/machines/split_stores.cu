// Arrays of which each thread reads a word and stores one, where some lanes store theirs before or after the others: parts of
// sectors, which others complete soon. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

__device__ unsigned tossed(unsigned n)
{
    n ^= n >> 16; n *= 0x7feb352du; n ^= n >> 15; n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 24576 }; int all = 24576 * 128;
   float in[9 * all] = zeros(); float out[9 * all] = zeros();
   in_two<9, 0, 9>(in, out, all, 0); in_two<9, 0, 9>(in, out, all, 13); in_two<9, 0, 9>(in, out, all, 26); in_two<9, 0, 9>(in, out, all, 128); in_two<9, 0, 9>(in, out, all, 256);
   in_two<9, 1, 9>(in, out, all, 13); in_two<9, 1, 9>(in, out, all, 26); in_two<9, 1, 9>(in, out, all, 128);
   in_two<9, 2, 9>(in, out, all, 13); in_two<9, 2, 9>(in, out, all, 128);
   in_two<9, 3, 9>(in, out, all, 13); in_two<9, 3, 9>(in, out, all, 128);
   in_two<3, 0, 3>(in, out, all, 0); in_two<3, 0, 3>(in, out, all, 13); in_two<3, 0, 3>(in, out, all, 128); in_two<3, 1, 3>(in, out, all, 13); in_two<3, 1, 3>(in, out, all, 128);
   in_two<1, 0, 1>(in, out, all, 0); in_two<1, 0, 1>(in, out, all, 13); in_two<1, 0, 1>(in, out, all, 128);
   in_two<1, 0, 9>(in, out, all, 0); in_two<1, 0, 9>(in, out, all, 13); in_two<1, 0, 9>(in, out, all, 26); in_two<1, 0, 9>(in, out, all, 128); in_two<1, 1, 9>(in, out, all, 13); in_two<1, 1, 9>(in, out, all, 128);
   in_two<1, 2, 9>(in, out, all, 13); in_two<1, 2, 9>(in, out, all, 128);
   grid.x = 4096;
   in_two<9, 0, 9>(in, out, all, 0); in_two<9, 0, 9>(in, out, all, 13); in_two<9, 0, 9>(in, out, all, 128); in_two<1, 0, 9>(in, out, all, 0); in_two<1, 0, 9>(in, out, all, 13); in_two<1, 0, 9>(in, out, all, 128);
*/
// Reads of READ arrays a word each, stores one to each of WROTE. Of 256 lanes so many, by chance, are `others`. WHERE they store: 0 each
// its own word, before all others do; 1 into the same array turned, as a wall gives back; 2 not at all; 3 all arrays of the others first.
template <int READ, int WHERE, int WROTE> __global__ void in_two(const float *in, float *out, int all, int others)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool other = (tossed(i) & 255u) < others;
    float f[READ], sum = 0.0f;
#pragma unroll
    for (int q = 0; q < READ; q++) {
        f[q] = in[(size_t)q * all + i];
        sum += f[q];
    }
    if (other && WHERE != 3) {
        if (WHERE == 2) return;
#pragma unroll
        for (int q = 0; q < WROTE; q++) out[(size_t)(WHERE == 1 ? (q * 4 + 1) % WROTE : q) * all + i] = f[q % READ];
        return;
    }
#pragma unroll
    for (int q = 0; q < WROTE; q++) {
        if (WHERE == 3 && other) continue;
        out[(size_t)q * all + i] = f[q % READ] + sum;
    }
    if (WHERE == 3 && other) {
#pragma unroll
        for (int q = 0; q < WROTE; q++) out[(size_t)q * all + i] = f[q % READ];
    }
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 24576 }; int all = 24576 * 128;
   float in[9 * all] = zeros(); float out[9 * all] = zeros();
   split_worked<0>(in, out, all, 13); split_worked<4>(in, out, all, 13); split_worked<8>(in, out, all, 13); split_worked<16>(in, out, all, 13); split_worked<24>(in, out, all, 13); split_worked<32>(in, out, all, 13);
   split_worked<0>(in, out, all, 128); split_worked<8>(in, out, all, 128); split_worked<16>(in, out, all, 128); split_worked<32>(in, out, all, 128);
*/
// As in_two<9, 1, 9>, with WORK multiply-adds a word for those that are not others.
template <int WORK> __global__ void split_worked(const float *in, float *out, int all, int others)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool other = (tossed(i) & 255u) < others;
    float f[9], sum = 0.0f;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        f[q] = in[(size_t)q * all + i];
        sum += f[q];
    }
    if (other) {
#pragma unroll
        for (int q = 0; q < 9; q++) out[(size_t)((q * 4 + 1) % 9) * all + i] = f[q];
        return;
    }
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float x = f[q];
#pragma unroll
        for (int j = 0; j < WORK; j++) x = __fmaf_rn(x, sum, (float)(q + 1));
        out[(size_t)q * all + i] = x;
    }
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1024 }; float out[58 << 20] = zeros();
   block.x = 256; grid.x = 114688; filled<1, 0>(out, 29360128); block.x = 256; grid.x = 57344; filled<2, 0>(out, 14680064); block.x = 256; grid.x = 38229; filled<3, 0>(out, 9786624); block.x = 256; grid.x = 28672; filled<4, 0>(out, 7340032); block.x = 256; grid.x = 19114; filled<6, 0>(out, 4893184); block.x = 256; grid.x = 12743; filled<9, 0>(out, 3262208); block.x = 256; grid.x = 9557; filled<12, 0>(out, 2446592); block.x = 256; grid.x = 6371; filled<18, 0>(out, 1630976);
   block.x = 256; grid.x = 229376; filled<1, 0>(out, 58720256); block.x = 256; grid.x = 114688; filled<2, 0>(out, 29360128); block.x = 256; grid.x = 76458; filled<3, 0>(out, 19573248); block.x = 256; grid.x = 57344; filled<4, 0>(out, 14680064); block.x = 256; grid.x = 38229; filled<6, 0>(out, 9786624); block.x = 256; grid.x = 25486; filled<9, 0>(out, 6524416); block.x = 256; grid.x = 19114; filled<12, 0>(out, 4893184); block.x = 256; grid.x = 12743; filled<18, 0>(out, 3262208);
   block.x = 256; grid.x = 57344; filled<2, 1>(out, 14680064); block.x = 256; grid.x = 38229; filled<3, 1>(out, 9786624); block.x = 256; grid.x = 19114; filled<6, 1>(out, 4893184); block.x = 256; grid.x = 12743; filled<9, 1>(out, 3262208); block.x = 256; grid.x = 6371; filled<18, 1>(out, 1630976);
   block.x = 256; grid.x = 28672; filled_by_four<1>((float4 *)out, 7340032); block.x = 256; grid.x = 14336; filled_by_four<2>((float4 *)out, 3670016); block.x = 256; grid.x = 9557; filled_by_four<3>((float4 *)out, 2446592); block.x = 256; grid.x = 4778; filled_by_four<6>((float4 *)out, 1223168); block.x = 256; grid.x = 3185; filled_by_four<9>((float4 *)out, 815360);
*/
// Arrays that are only stored, so many words each, a word of each by a thread; APART: each with another 5 KB before it.
template <int ARRAYS, int APART> __global__ void filled(float *out, int each)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int q = 0; q < ARRAYS; q++) out[(size_t)q * (each + 1280 * APART) + i] = (float)i;
}

template <int ARRAYS> __global__ void filled_by_four(float4 *out, int each)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int q = 0; q < ARRAYS; q++) out[(size_t)q * each + i] = make_float4(i, i, i, i);
}
