// Arrays that each thread reads a word or four of and stores, and arithmetic between: what both take together, where each alone takes
// about as long. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 24576 }; int all = 24576 * 128;
   float in[9 * all] = zeros(); float out[9 * all] = zeros();
   worked<9, 9, 0>(in, out, all); worked<9, 9, 4>(in, out, all); worked<9, 9, 8>(in, out, all); worked<9, 9, 16>(in, out, all); worked<9, 9, 24>(in, out, all); worked<9, 9, 32>(in, out, all); worked<9, 9, 48>(in, out, all);
   worked<9, 1, 0>(in, out, all); worked<9, 1, 8>(in, out, all); worked<9, 1, 16>(in, out, all); worked<9, 1, 24>(in, out, all); worked<9, 1, 32>(in, out, all);
   worked<1, 9, 0>(in, out, all); worked<1, 9, 64>(in, out, all); worked<1, 9, 128>(in, out, all); worked<1, 9, 192>(in, out, all); worked<1, 9, 256>(in, out, all);
   worked<3, 3, 0>(in, out, all); worked<3, 3, 16>(in, out, all); worked<3, 3, 32>(in, out, all); worked<3, 3, 48>(in, out, all); worked<3, 3, 64>(in, out, all);
   worked<1, 1, 0>(in, out, all); worked<1, 1, 32>(in, out, all); worked<1, 1, 64>(in, out, all); worked<1, 1, 96>(in, out, all);
   block.x = 256; grid.x = 12288;
   worked<9, 9, 0>(in, out, all); worked<9, 9, 16>(in, out, all); worked<9, 9, 32>(in, out, all); worked<3, 3, 0>(in, out, all); worked<3, 3, 32>(in, out, all); worked<3, 3, 64>(in, out, all);
*/
// READ arrays, WORK multiply-adds a word read, WROTE arrays.
template <int READ, int WROTE, int WORK> __global__ void worked(const float *in, float *out, int all)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f[READ], sum = 0.0f;
#pragma unroll
    for (int q = 0; q < READ; q++) f[q] = in[(size_t)q * all + i];
#pragma unroll
    for (int q = 0; q < READ; q++) {
        float x = f[q];
#pragma unroll
        for (int j = 0; j < WORK; j++) x = __fmaf_rn(x, 0.5f, (float)(q + 1));
        f[q] = x;
        sum += x;
    }
#pragma unroll
    for (int q = 0; q < WROTE; q++) out[(size_t)q * all + i] = f[q % READ] + sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 6144 }; int all = 6144 * 256;
   float4 in[2 * all] = zeros(); float4 out[2 * all] = zeros();
   worked_by_four<1, 0>(in, out, all); worked_by_four<1, 32>(in, out, all); worked_by_four<1, 64>(in, out, all); worked_by_four<1, 96>(in, out, all); worked_by_four<1, 128>(in, out, all);
   worked_by_four<2, 0>(in, out, all); worked_by_four<2, 32>(in, out, all); worked_by_four<2, 64>(in, out, all); worked_by_four<2, 96>(in, out, all);
*/
template <int READ, int WORK> __global__ void worked_by_four(const float4 *in, float4 *out, int all)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 f[READ];
#pragma unroll
    for (int q = 0; q < READ; q++) f[q] = in[(size_t)q * all + i];
#pragma unroll
    for (int q = 0; q < READ; q++) {
#pragma unroll
        for (int j = 0; j < WORK; j++) {
            f[q].x = __fmaf_rn(f[q].x, 0.5f, 1.0f);
            f[q].y = __fmaf_rn(f[q].y, 0.5f, 2.0f);
            f[q].z = __fmaf_rn(f[q].z, 0.5f, 3.0f);
            f[q].w = __fmaf_rn(f[q].w, 0.5f, 4.0f);
        }
        out[(size_t)q * all + i] = f[q];
    }
}
