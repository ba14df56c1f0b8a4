// Constants at fixed addresses, of more than their first cache holds, and code that is long without them.
// Timed on a GPU and by the model of time, as patterns.cu.

__constant__ float table[16384];

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   extern float table[16384] = zeros(); float out[132 * 2048] = zeros();
   fixed_lines<8, 16>(out, 512); fixed_lines<16, 16>(out, 256); fixed_lines<24, 16>(out, 256); fixed_lines<32, 16>(out, 128);
   fixed_lines<40, 16>(out, 128); fixed_lines<48, 16>(out, 128); fixed_lines<64, 16>(out, 64); fixed_lines<128, 16>(out, 32);
   fixed_lines<256, 16>(out, 16);
   fixed_lines<4, 64>(out, 1024); fixed_lines<8, 64>(out, 512); fixed_lines<16, 64>(out, 256); fixed_lines<64, 64>(out, 64);
   fixed_lines<256, 64>(out, 16); fixed_lines<512, 2>(out, 16); fixed_lines<512, 1>(out, 16); fixed_lines<1024, 1>(out, 8);
   block.x = 128;
   fixed_lines<16, 16>(out, 256); fixed_lines<32, 16>(out, 128); fixed_lines<64, 16>(out, 64); fixed_lines<256, 16>(out, 16);
   fixed_lines<64, 64>(out, 64); fixed_lines<512, 1>(out, 16); fixed_lines<1024, 1>(out, 8);
   block.x = 512;
   fixed_lines<16, 16>(out, 256); fixed_lines<32, 16>(out, 128); fixed_lines<64, 16>(out, 64); fixed_lines<256, 16>(out, 16);
   fixed_lines<64, 64>(out, 64); fixed_lines<512, 2>(out, 16); fixed_lines<512, 1>(out, 16); fixed_lines<1024, 1>(out, 8);
   block.x = 1024; grid.x = 264;
   fixed_lines<16, 16>(out, 256); fixed_lines<32, 16>(out, 128); fixed_lines<64, 16>(out, 64); fixed_lines<256, 16>(out, 16);
   fixed_lines<64, 64>(out, 64); fixed_lines<512, 2>(out, 16); fixed_lines<512, 1>(out, 16); fixed_lines<1024, 1>(out, 8);
*/
// So many words, STRIDE apart, as constants of the code, time after time.
template <int WORDS, int STRIDE> __global__ void fixed_lines(float *out, int turns)
{
    float x[4] = { 1.0f, 2.0f, 3.0f, 4.0f }, y = threadIdx.x;
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int k = 0; k < WORDS; k++) x[k % 4] += y * table[k * STRIDE];
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   extern float table[16384] = zeros(); float out[132 * 2048] = zeros();
   fixed_taps<1>(out, 512); fixed_taps<3>(out, 256); fixed_taps<6>(out, 64); fixed_taps<12>(out, 32);
   block.x = 128;
   fixed_taps<1>(out, 512); fixed_taps<3>(out, 256); fixed_taps<6>(out, 64); fixed_taps<12>(out, 32);
   block.x = 256; grid.x = 132 * 4;
   fixed_taps<1>(out, 256); fixed_taps<3>(out, 128); fixed_taps<6>(out, 32); fixed_taps<12>(out, 16);
   block.x = 256; grid.x = 132 * 8;
   fixed_taps<6>(out, 32);
*/
// Several filters of 121 words on values in shared memory: a word of each at a time.
template <int FILTERS> __global__ void fixed_taps(float *out, int turns)
{
    __shared__ float tile[1024 + 128];
    for (int i = threadIdx.x; i < 1024 + 128; i += blockDim.x) tile[i] = i;
    __syncthreads();
    float sum[FILTERS] = {};
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int k = 0; k < 121; k++) {
            const float v = tile[threadIdx.x + k];
#pragma unroll
            for (int f = 0; f < FILTERS; f++) sum[f] += v * table[f * 121 + k];
        }
    float all = 0.0f;
    for (int f = 0; f < FILTERS; f++) all += sum[f];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 2048] = zeros();
   long_code<256>(out, 128); long_code<512>(out, 64); long_code<1024>(out, 32); long_code<2048>(out, 16); long_code<4096>(out, 8);
   long_code<8192>(out, 4);
   block.x = 128;
   long_code<256>(out, 128); long_code<512>(out, 64); long_code<1024>(out, 32); long_code<2048>(out, 16); long_code<4096>(out, 8);
   long_code<8192>(out, 4);
   block.x = 1024;
   long_code<256>(out, 128); long_code<512>(out, 64); long_code<1024>(out, 32); long_code<2048>(out, 16); long_code<4096>(out, 8);
   long_code<8192>(out, 4);
*/
// A loop of so many instructions.
template <int MANY> __global__ void long_code(float *out, int turns)
{
    float x[4] = { 1.0f, 2.0f, 3.0f, 4.0f }, y = threadIdx.x;
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int k = 0; k < MANY; k++) x[k % 4] = x[k % 4] * y + (0.5f + k);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}
