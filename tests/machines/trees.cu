// Sums of a block in shared memory, half of the threads fewer from barrier to barrier, over and over: by halves, by neighbours
// whose distance doubles (of every second thread, or of threads side by side, with conflicts), by halves of which the last warp
// does without barriers, and sums up to each thread. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 64 };
   float out[1 << 21] = zeros();
   halves<0>(out, 300); halves<1>(out, 300); halves<2>(out, 300); halves<3>(out, 300); halves<4>(out, 300);
   block.x = 256;
   halves<0>(out, 300); halves<1>(out, 300); halves<2>(out, 300); halves<3>(out, 300); halves<4>(out, 300);
   block.x = 1024;
   halves<0>(out, 200); halves<1>(out, 200); halves<2>(out, 200); halves<3>(out, 200); halves<4>(out, 200);
   grid.x = 264;
   halves<0>(out, 200); halves<1>(out, 200); halves<2>(out, 200); halves<3>(out, 200); halves<4>(out, 200);
   grid.x = 1056; block.x = 256;
   halves<0>(out, 200); halves<1>(out, 200); halves<2>(out, 200); halves<3>(out, 200); halves<4>(out, 200);
   block.x = 128;
   halves<0>(out, 200); halves<1>(out, 200); halves<2>(out, 200);
   grid.x = 2112;
   halves<0>(out, 200); halves<1>(out, 200); halves<2>(out, 200); halves<3>(out, 200); halves<4>(out, 200);
   grid.x = 528; block.x = 512;
   halves<0>(out, 200); halves<1>(out, 200); halves<2>(out, 200); halves<3>(out, 200); halves<4>(out, 200);
*/
template <int FORM>
__global__ void halves(float *out, int steps)
{
    __shared__ float s[2048];
    const unsigned t = threadIdx.x, n = blockDim.x;
    float v = t;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        s[t] = v;
        __syncthreads();
        if (FORM == 0)
            for (unsigned w = n / 2; w > 0; w >>= 1) {
                if (t < w) s[t] += s[t + w];
                __syncthreads();
            }
        if (FORM == 1)
            for (unsigned w = 1; w < n; w *= 2) {
                if (t % (2 * w) == 0) s[t] += s[t + w];
                __syncthreads();
            }
        if (FORM == 2)
            for (unsigned w = 1; w < n; w *= 2) {
                const unsigned i = 2 * w * t;
                if (i < n) s[i] += s[i + w];
                __syncthreads();
            }
        if (FORM == 3) {
            for (unsigned w = n / 2; w > 16; w >>= 1) {
                if (t < w) s[t] += s[t + w];
                __syncthreads();
            }
            if (t < 32) {
                float x = s[t];
                for (int w = 16; w > 0; w >>= 1) x += __shfl_down_sync(~0u, x, w);
                if (t == 0) s[0] = x;
            }
            __syncthreads();
        }
        if (FORM == 4) {
            unsigned from = 0, to = 1024;
            for (unsigned w = 1; w < n; w *= 2) {
                s[to + t] = t >= w ? s[from + t] + s[from + t - w] : s[from + t];
                __syncthreads();
                from ^= 1024; to ^= 1024;
            }
        }
        v += s[0];
        __syncthreads();
    }
    out[blockIdx.x * n + t] = v;
}
