// Loads of which some lines are in L1 and others come from L2. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 16 }; dim3 block = { 1024 };
   float in[1 << 23] = zeros(); float out[1 << 14] = zeros();
   mixed_lines(in, out, 0, 0, 256, 1); mixed_lines(in, out, 300, 0, 256, 1); mixed_lines(in, out, 300, 1, 256, 1); mixed_lines(in, out, 300, 2, 256, 1);
   mixed_lines(in, out, 300, 4, 256, 1); mixed_lines(in, out, 300, 8, 256, 1); mixed_lines(in, out, 300, 16, 256, 1); mixed_lines(in, out, 300, 32, 256, 1);
   mixed_lines(in, out, 300, 0, 256, 0); mixed_lines(in, out, 300, 1, 256, 0); mixed_lines(in, out, 300, 2, 256, 0); mixed_lines(in, out, 300, 4, 256, 0);
   mixed_lines(in, out, 300, 8, 256, 0); mixed_lines(in, out, 300, 16, 256, 0); mixed_lines(in, out, 300, 32, 256, 0);
*/
/* kmutate launch
   dim3 grid = { 16 }; dim3 block = { 256 };
   float in[1 << 23] = zeros(); float out[1 << 14] = zeros();
   mixed_lines(in, out, 0, 0, 1024, 1); mixed_lines(in, out, 300, 0, 1024, 1); mixed_lines(in, out, 300, 1, 1024, 1); mixed_lines(in, out, 300, 2, 1024, 1);
   mixed_lines(in, out, 300, 4, 1024, 1); mixed_lines(in, out, 300, 8, 1024, 1); mixed_lines(in, out, 300, 16, 1024, 1); mixed_lines(in, out, 300, 32, 1024, 1);
*/
/* kmutate launch
   dim3 grid = { 16 }; dim3 block = { 512 };
   float in[1 << 23] = zeros(); float out[1 << 14] = zeros();
   mixed_lines(in, out, 300, 0, 512, 9); mixed_lines(in, out, 300, 1, 512, 9); mixed_lines(in, out, 300, 2, 512, 9); mixed_lines(in, out, 300, 4, 512, 9);
   mixed_lines(in, out, 300, 8, 512, 9); mixed_lines(in, out, 300, 16, 512, 9); mixed_lines(in, out, 300, 32, 512, 9);
*/
// All lines of each warp are brought into L2; then each step reads 32, `fresh` of them others each time. `apart`: words by which
// lanes lie apart within their lines, 0 for all in one bank.
__global__ void mixed_lines(const float *in, float *out, int steps, int fresh, int lines, int apart)
{
    const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const float *mine = in + (size_t)warp * lines * 32;
    float sum = 0;
    for (int k = lane; k < lines; k += 32) sum += mine[k * 32];
    __syncthreads();
    const int step = lane < fresh ? fresh : 0;
    int at = lane;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        sum += mine[at * 32 + lane * apart % 32];
        at = (at + step) & (lines - 1);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
