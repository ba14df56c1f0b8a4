// Barriers of one to many blocks on an SM with little between them: additions, and loads and stores of shared memory by all
// threads of a block or by its first warp alone; the same without barriers. Timed on a GPU and by the model of time, as
// patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 64 };
   float out[1 << 19] = zeros();
   grid.x = 132; block.x = 64;
   barred<0, 0, 0, 1>(out, 200, 64); barred<8, 0, 0, 1>(out, 200, 64); barred<0, 1, 0, 1>(out, 200, 64); barred<0, 1, 1, 1>(out, 200, 64);
   barred<0, 2, 1, 1>(out, 200, 64); barred<0, 1, 1, 0>(out, 200, 64); barred<0, 2, 1, 0>(out, 200, 64); barred<4, 2, 1, 1>(out, 200, 64);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
   grid.x = 132; block.x = 256;
   barred<0, 0, 0, 1>(out, 200, 256); barred<8, 0, 0, 1>(out, 200, 256); barred<0, 1, 0, 1>(out, 200, 256); barred<0, 1, 1, 1>(out, 200, 256);
   barred<0, 2, 1, 1>(out, 200, 256); barred<0, 1, 1, 0>(out, 200, 256); barred<0, 2, 1, 0>(out, 200, 256); barred<4, 2, 1, 1>(out, 200, 256);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
   grid.x = 132; block.x = 1024;
   barred<0, 0, 0, 1>(out, 200, 1024); barred<8, 0, 0, 1>(out, 200, 1024); barred<0, 1, 0, 1>(out, 200, 1024); barred<0, 1, 1, 1>(out, 200, 1024);
   barred<0, 2, 1, 1>(out, 200, 1024); barred<0, 1, 1, 0>(out, 200, 1024); barred<0, 2, 1, 0>(out, 200, 1024); barred<4, 2, 1, 1>(out, 200, 1024);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
   grid.x = 264; block.x = 1024;
   barred<0, 0, 0, 1>(out, 200, 1024); barred<8, 0, 0, 1>(out, 200, 1024); barred<0, 1, 0, 1>(out, 200, 1024); barred<0, 1, 1, 1>(out, 200, 1024);
   barred<0, 2, 1, 1>(out, 200, 1024); barred<0, 1, 1, 0>(out, 200, 1024); barred<0, 2, 1, 0>(out, 200, 1024); barred<4, 2, 1, 1>(out, 200, 1024);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
   grid.x = 528; block.x = 512;
   barred<0, 0, 0, 1>(out, 200, 512); barred<8, 0, 0, 1>(out, 200, 512); barred<0, 1, 0, 1>(out, 200, 512); barred<0, 1, 1, 1>(out, 200, 512);
   barred<0, 2, 1, 1>(out, 200, 512); barred<0, 1, 1, 0>(out, 200, 512); barred<0, 2, 1, 0>(out, 200, 512); barred<4, 2, 1, 1>(out, 200, 512);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
   grid.x = 1056; block.x = 256;
   barred<0, 0, 0, 1>(out, 200, 256); barred<8, 0, 0, 1>(out, 200, 256); barred<0, 1, 0, 1>(out, 200, 256); barred<0, 1, 1, 1>(out, 200, 256);
   barred<0, 2, 1, 1>(out, 200, 256); barred<0, 1, 1, 0>(out, 200, 256); barred<0, 2, 1, 0>(out, 200, 256); barred<4, 2, 1, 1>(out, 200, 256);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
   grid.x = 2112; block.x = 128;
   barred<0, 0, 0, 1>(out, 200, 128); barred<8, 0, 0, 1>(out, 200, 128); barred<0, 1, 0, 1>(out, 200, 128); barred<0, 1, 1, 1>(out, 200, 128);
   barred<0, 2, 1, 1>(out, 200, 128); barred<0, 1, 1, 0>(out, 200, 128); barred<0, 2, 1, 0>(out, 200, 128); barred<4, 2, 1, 1>(out, 200, 128);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
   grid.x = 2112; block.x = 64;
   barred<0, 0, 0, 1>(out, 200, 64); barred<8, 0, 0, 1>(out, 200, 64); barred<0, 1, 0, 1>(out, 200, 64); barred<0, 1, 1, 1>(out, 200, 64);
   barred<0, 2, 1, 1>(out, 200, 64); barred<0, 1, 1, 0>(out, 200, 64); barred<0, 2, 1, 0>(out, 200, 64); barred<4, 2, 1, 1>(out, 200, 64);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
   grid.x = 4224; block.x = 64;
   barred<0, 0, 0, 1>(out, 200, 64); barred<8, 0, 0, 1>(out, 200, 64); barred<0, 1, 0, 1>(out, 200, 64); barred<0, 1, 1, 1>(out, 200, 64);
   barred<0, 2, 1, 1>(out, 200, 64); barred<0, 1, 1, 0>(out, 200, 64); barred<0, 2, 1, 0>(out, 200, 64); barred<4, 2, 1, 1>(out, 200, 64);
   barred<0, 1, 1, 1>(out, 200, 32); barred<0, 2, 1, 1>(out, 200, 32);
*/
// Each of `steps` * 4 rounds: ADDS additions that wait for each other, LOADS and STORES of the threads below `some`, a barrier.
template <int ADDS, int LOADS, int STORES, int BARRIERS>
__global__ void barred(float *out, int steps, int some)
{
    __shared__ volatile float s[1024];
    const int t = threadIdx.x;
    float v = t, w = 1;
    s[t] = v;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
#pragma unroll
        for (int q = 0; q < 4; q++) {
#pragma unroll
            for (int i = 0; i < ADDS; i++) v = v + w;
            if (t < some) {
                if (LOADS > 0) w += s[t];
                if (LOADS > 1) w += s[t ^ 32];
                if (STORES > 0) s[t] = w;
            }
            if (BARRIERS) __syncthreads();
        }
    }
    out[blockIdx.x * blockDim.x + t] = v + w;
}
