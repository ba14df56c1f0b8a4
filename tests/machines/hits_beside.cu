// Loads that L1 has, or of shared memory, and lines that come from L2 beside them: what L1's data stage takes for both. Timed on a GPU and
// by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 }; int rounds = 128;
   float small[4096] = zeros(); float big[1 << 22] = zeros(); float out[1056 * 256] = zeros();
   hits_beside<8, 0, 1, 0>(small, big, out, rounds); hits_beside<8, 1, 1, 0>(small, big, out, rounds); hits_beside<8, 2, 1, 0>(small, big, out, rounds); hits_beside<8, 4, 1, 0>(small, big, out, rounds);
   hits_beside<16, 0, 1, 0>(small, big, out, rounds); hits_beside<16, 1, 1, 0>(small, big, out, rounds); hits_beside<16, 2, 1, 0>(small, big, out, rounds); hits_beside<4, 0, 1, 0>(small, big, out, rounds); hits_beside<4, 1, 1, 0>(small, big, out, rounds);
   hits_beside<8, 1, 8, 0>(small, big, out, rounds); hits_beside<16, 1, 8, 0>(small, big, out, rounds); hits_beside<16, 2, 8, 0>(small, big, out, rounds);
   hits_beside<8, 0, 1, 1>(small, big, out, rounds); hits_beside<8, 1, 1, 1>(small, big, out, rounds); hits_beside<8, 2, 1, 1>(small, big, out, rounds); hits_beside<8, 4, 1, 1>(small, big, out, rounds);
   hits_beside<16, 1, 1, 1>(small, big, out, rounds); hits_beside<16, 2, 1, 1>(small, big, out, rounds); hits_beside<16, 1, 8, 1>(small, big, out, rounds);
   hits_beside<4, 0, 1, 2>(small, big, out, rounds); hits_beside<4, 1, 1, 2>(small, big, out, rounds); hits_beside<4, 2, 1, 2>(small, big, out, rounds); hits_beside<8, 1, 1, 2>(small, big, out, rounds); hits_beside<8, 2, 8, 2>(small, big, out, rounds);
   grid.x = 528;
   hits_beside<8, 0, 1, 0>(small, big, out, rounds); hits_beside<8, 1, 1, 0>(small, big, out, rounds); hits_beside<8, 2, 1, 0>(small, big, out, rounds); hits_beside<8, 4, 1, 0>(small, big, out, rounds);
   hits_beside<8, 1, 1, 1>(small, big, out, rounds); hits_beside<8, 2, 1, 1>(small, big, out, rounds);
*/
// A round: HITS loads of a word a lane, 0 of what L1 has, 1 of shared memory, 2 of what L1 has, lanes 8 words apart (HOW), and LINES loads
// of big, 32 words that lie side by side each, or EACH 8 words apart.
template <int HITS, int LINES, int EACH, int HOW> __global__ void hits_beside(const float *small, const float *big, float *out, int rounds)
{
    __shared__ float own[1024];
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = thread / 32;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = k;
    __syncthreads();
    float sum[4] = {};
    int at = warp * 32 * EACH * (LINES ? LINES : 1) + lane * EACH, near = (threadIdx.x / 32 & 3) * 32 + lane;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < LINES; k++) sum[k & 3] += big[(at + k * 32 * EACH) & ((1 << 22) - 1)];
#pragma unroll
        for (int k = 0; k < HITS; k++) {
            if (HOW == 0) sum[k & 3] += small[near + k * 32];
            if (HOW == 1) sum[k & 3] += own[near + k * 32 & 1023];
            if (HOW == 2) sum[k & 3] += small[(lane * 8 + k + near / 32 * 256) & 4095];
        }
        at += gridDim.x * blockDim.x * EACH * (LINES ? LINES : 1);
        near = (near + 8) & 127;
    }
    out[thread] = sum[0] + sum[1] + sum[2] + sum[3];
}
