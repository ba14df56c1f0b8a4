// Lists that all lanes read together, with work for each entry: what LSU, issue and the special functions take beside
// each other. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 * 16 }; float4 list[4096] = zeros(); float out[132 * 16 * 256] = zeros(); int count = 400;
   atoms<4, 4, 0>(out, list, count); atoms<4, 8, 0>(out, list, count); atoms<4, 12, 0>(out, list, count); atoms<4, 16, 0>(out, list, count); atoms<4, 32, 0>(out, list, count);
   atoms<4, 0, 1>(out, list, count); atoms<4, 4, 1>(out, list, count); atoms<4, 8, 1>(out, list, count); atoms<4, 12, 1>(out, list, count); atoms<4, 16, 1>(out, list, count);
   atoms<4, 8, 2>(out, list, count); atoms<4, 12, 2>(out, list, count); atoms<4, 16, 2>(out, list, count);
   atoms<2, 4, 0>(out, list, count); atoms<2, 8, 0>(out, list, count); atoms<2, 4, 1>(out, list, count); atoms<2, 8, 1>(out, list, count);
   atoms<1, 4, 0>(out, list, count); atoms<1, 4, 1>(out, list, count); atoms<1, 8, 1>(out, list, count);
   grid.x = 132 * 4; count = 1600;
   atoms<4, 8, 0>(out, list, count); atoms<4, 12, 0>(out, list, count); atoms<4, 16, 0>(out, list, count); atoms<4, 8, 1>(out, list, count); atoms<4, 12, 1>(out, list, count);
   grid.x = 132 * 2; count = 1600;
   atoms<4, 8, 0>(out, list, count); atoms<4, 12, 0>(out, list, count); atoms<4, 16, 0>(out, list, count); atoms<4, 8, 1>(out, list, count); atoms<4, 12, 1>(out, list, count);
   grid.x = 132; count = 1600;
   atoms<4, 8, 0>(out, list, count); atoms<4, 12, 1>(out, list, count);
*/
__device__ float word(const float4 *list, int k, int part) { return ((const float *)list)[4 * k + part]; }
// Of each entry WORDS by one load; WORK instructions of FP32 and ROOTS of reciprocals of roots.
template <int WORDS, int WORK, int ROOTS> __global__ void atoms(float *out, const float4 *list, int count)
{
    const float x = threadIdx.x;
    float sums[4] = {};
#pragma unroll 4
    for (int k = 0; k < count; k++) {
        float v[4];
        if (WORDS == 4) {
            const float4 entry = list[k];
            v[0] = entry.x, v[1] = entry.y, v[2] = entry.z, v[3] = entry.w;
        } else if (WORDS == 2) {
            const float2 entry = ((const float2 *)list)[2 * k];
            v[0] = v[2] = entry.x, v[1] = v[3] = entry.y;
        } else {
            v[0] = v[1] = v[2] = v[3] = word(list, k, 0);
        }
#pragma unroll
        for (int w = 0; w < WORK; w++) sums[w & 3] = fmaf(v[w & 3], x, sums[w & 3]);
#pragma unroll
        for (int r = 0; r < ROOTS; r++) {
            float root;
            asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v[r] + x));
            sums[r] += root;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 * 16 }; float4 list[4096] = zeros(); float out[132 * 16 * 256] = zeros(); int count = 4;
   kept_atoms<8, 0>(out, list, count); kept_atoms<12, 0>(out, list, count); kept_atoms<16, 0>(out, list, count); kept_atoms<8, 1>(out, list, count); kept_atoms<12, 1>(out, list, count); kept_atoms<16, 1>(out, list, count);
   grid.x = 132 * 2; count = 16;
   kept_atoms<8, 0>(out, list, count); kept_atoms<12, 0>(out, list, count); kept_atoms<8, 1>(out, list, count); kept_atoms<12, 1>(out, list, count);
   grid.x = 132; count = 16;
   kept_atoms<8, 0>(out, list, count); kept_atoms<12, 1>(out, list, count);
*/
// As atoms, the list in shared memory, by 256 entries.
template <int WORK, int ROOTS> __global__ void kept_atoms(float *out, const float4 *list, int tiles)
{
    __shared__ float4 tile[256];
    const float x = threadIdx.x;
    float sums[4] = {};
    for (int t = 0; t < tiles; t++) {
        tile[threadIdx.x] = list[(t & 15) * 256 + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 256; k++) {
            const float4 entry = tile[k];
            const float v[4] = { entry.x, entry.y, entry.z, entry.w };
#pragma unroll
            for (int w = 0; w < WORK; w++) sums[w & 3] = fmaf(v[w & 3], x, sums[w & 3]);
#pragma unroll
            for (int r = 0; r < ROOTS; r++) {
                float root;
                asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v[r] + x));
                sums[r] += root;
            }
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
