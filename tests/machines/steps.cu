// A block loads a tile of 4 KB from DRAM, waits for it at a barrier, and goes on to the next one: tiles of rows of several
// widths. python tests/machines/write_launches.py tests/machines/steps.cu FOLDER, then time_launches.py.

/* kmutate launch
   int steps = 48; dim3 grid = { 8 }; dim3 block = { 256 };
   float4 in[8 * steps * 256] = zeros(); float out[256] = zeros();
   tiles_in_steps(out, in, steps, 4, 0);
   tiles_in_steps(out, in, steps, 8, 0);
   tiles_in_steps(out, in, steps, 16, 0);
   tiles_in_steps(out, in, steps, 32, 0);
   tiles_in_steps(out, in, steps, 128, 1);
   tiles_in_steps(out, in, steps, 1024, 1);
*/
/* kmutate launch
   int steps = 48; dim3 grid = { 72 }; dim3 block = { 256 };
   float4 in[72 * steps * 256] = zeros(); float out[256] = zeros();
   tiles_in_steps(out, in, steps, 4, 0);
   tiles_in_steps(out, in, steps, 8, 0);
   tiles_in_steps(out, in, steps, 16, 0);
   tiles_in_steps(out, in, steps, 32, 0);
   tiles_in_steps(out, in, steps, 128, 1);
   tiles_in_steps(out, in, steps, 1024, 1);
*/
/* kmutate launch
   int steps = 48; dim3 grid = { 132 }; dim3 block = { 256 };
   float4 in[132 * steps * 256] = zeros(); float out[256] = zeros();
   tiles_in_steps(out, in, steps, 4, 0);
   tiles_in_steps(out, in, steps, 8, 0);
   tiles_in_steps(out, in, steps, 16, 0);
   tiles_in_steps(out, in, steps, 32, 0);
   tiles_in_steps(out, in, steps, 128, 1);
   tiles_in_steps(out, in, steps, 1024, 1);
*/
/* kmutate launch
   int steps = 48; dim3 grid = { 264 }; dim3 block = { 256 };
   float4 in[264 * steps * 256] = zeros(); float out[256] = zeros();
   tiles_in_steps(out, in, steps, 4, 0);
   tiles_in_steps(out, in, steps, 8, 0);
   tiles_in_steps(out, in, steps, 16, 0);
   tiles_in_steps(out, in, steps, 32, 0);
   tiles_in_steps(out, in, steps, 128, 1);
   tiles_in_steps(out, in, steps, 1024, 1);
*/
// `wide` words of each row; the next tile lies to the right of it, or below.
__global__ void tiles_in_steps(float *out, const float4 *in, int steps, int wide, int down)
{
    const int quads = wide / 4, rows = 256 / quads, row = threadIdx.x / quads, column = threadIdx.x % quads;
    const int pitch = down ? quads : quads * steps, step = down ? rows * quads : quads;
    const float4 *p = in + (size_t)blockIdx.x * steps * 256 + row * pitch + column;
    float sum = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float4 v = __ldcg(p);
        sum += v.x + v.y + v.z + v.w;
        if (__syncthreads_or(sum == 12345.678f)) break;
        p += step;
    }
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}

/* kmutate launch
   int steps = 48; dim3 grid = { 8 }; dim3 block = { 256 };
   float4 in[8 * steps * 256] = zeros(); float out[256] = zeros();
   rows_in_steps(out, in, steps, 1);
   rows_in_steps(out, in, steps, 2);
   rows_in_steps(out, in, steps, 4);
   rows_in_steps(out, in, steps, 8);
*/
/* kmutate launch
   int steps = 48; dim3 grid = { 72 }; dim3 block = { 256 };
   float4 in[72 * steps * 256] = zeros(); float out[256] = zeros();
   rows_in_steps(out, in, steps, 1);
   rows_in_steps(out, in, steps, 2);
   rows_in_steps(out, in, steps, 4);
   rows_in_steps(out, in, steps, 8);
*/
/* kmutate launch
   int steps = 48; dim3 grid = { 132 }; dim3 block = { 256 };
   float4 in[132 * steps * 256] = zeros(); float out[256] = zeros();
   rows_in_steps(out, in, steps, 1);
   rows_in_steps(out, in, steps, 2);
   rows_in_steps(out, in, steps, 4);
   rows_in_steps(out, in, steps, 8);
*/
// So many warps load 512 bytes each, the others wait at the barrier.
__global__ void rows_in_steps(float *out, const float4 *in, int steps, int warps)
{
    const float4 *p = in + (size_t)blockIdx.x * steps * warps * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < steps; k++) {
        if (threadIdx.x < warps * 32) {
            const float4 v = __ldcg(p);
            sum += v.x + v.y + v.z + v.w;
        }
        if (__syncthreads_or(sum == 12345.678f)) break;
        p += warps * 32;
    }
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}
