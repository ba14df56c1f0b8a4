// Stores, adds and reads that L2 limits, by blocks that all run at once and by many waves of them: stores and adds take as long one way
// as the other, within 4 %. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 128 }; int n = 1 << 22;
   float4 a[1 << 24] = zeros();
   dim3 grid = { 528 };
   ports<0>(a, 400, n); ports<1>(a, 400, n); ports<2>(a, 400, n); ports<3>(a, 200, n); ports<4>(a, 400, n);
   grid.x = 8448;
   ports<0>(a, 25, n); ports<1>(a, 25, n); ports<2>(a, 25, n); ports<3>(a, 13, n); ports<4>(a, 25, n);
   block.x = 512; grid.x = 132;
   ports<0>(a, 400, n); ports<1>(a, 400, n); ports<2>(a, 400, n); ports<3>(a, 200, n); ports<4>(a, 400, n);
   grid.x = 2112;
   ports<0>(a, 25, n); ports<1>(a, 25, n); ports<2>(a, 25, n); ports<3>(a, 13, n); ports<4>(a, 25, n);
   block.x = 256; grid.x = 1056;
   ports<0>(a, 200, n); ports<1>(a, 200, n); ports<2>(a, 200, n); ports<3>(a, 100, n); ports<4>(a, 200, n);
   grid.x = 8448;
   ports<0>(a, 25, n); ports<1>(a, 25, n); ports<2>(a, 25, n); ports<3>(a, 13, n); ports<4>(a, 25, n);
*/
// WHAT 0: a float4 of each lane to 16 MB, whole lines; 1: to 256 MB; 2: a word of each lane to a row of its own of 25 words, in part;
// 3: adds so; 4: reads around L1 of 16 MB. `n` float4 are 64 MB.
template <int WHAT> __global__ void ports(float4 *a, int steps, int n)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        if (WHAT == 0) a[(t + k * all) % (n / 4)] = make_float4(k, k, t, t);
        if (WHAT == 1) a[(t + k * all) % (n * 4)] = make_float4(k, k, t, t);
        if (WHAT == 2) ((int *)a)[(t + k / 25 * all) % (n / 8) * 25 + k % 25] = k;
        if (WHAT == 3) atomicAdd((int *)a + (t + k / 25 * all) % (n / 8) * 25 + k % 25, k);
        if (WHAT == 4) {
            const float4 v = __ldcg(a + (t + k * all) % (n / 4));
            sum += v.x + v.y + v.z + v.w;
        }
    }
    if (sum == 12345.678f) a[0].x = sum;
}
