// Grids that stream through an array and add to one place only when they end, all at once or wave by wave: what was read
// and stored before does not wait there. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 };
   float out[1 << 25] = zeros(); float in[1 << 25] = zeros(); float total[32] = zeros();
   int n = 1 << 22; late_sums<0, 1>(out, in, total, n); late_sums<1, 1>(out, in, total, n); late_sums<1, 32>(out, in, total, n);
   n = 1 << 24; late_sums<0, 1>(out, in, total, n); late_sums<1, 1>(out, in, total, n); late_sums<1, 32>(out, in, total, n);
   n = 1 << 25; late_sums<0, 1>(out, in, total, n); late_sums<1, 1>(out, in, total, n); late_sums<1, 32>(out, in, total, n);
   grid.x = 132; n = 1 << 24; late_sums<0, 1>(out, in, total, n); late_sums<1, 1>(out, in, total, n); late_sums<1, 32>(out, in, total, n);
   grid.x = 8192; n = 1 << 23; late_sums<0, 1>(out, in, total, n); late_sums<1, 1>(out, in, total, n); late_sums<1, 32>(out, in, total, n);
   grid.x = 32768; n = 1 << 25; late_sums<0, 1>(out, in, total, n); late_sums<1, 1>(out, in, total, n); late_sums<1, 32>(out, in, total, n);
   block.x = 1024; grid.x = 264; n = 1 << 25; late_sums<0, 1>(out, in, total, n); late_sums<1, 1>(out, in, total, n); late_sums<1, 32>(out, in, total, n);
*/
// STORES: what is read is written, too. One lane of a block adds, or one of each so many threads.
template <int STORES, int EACH> __global__ void late_sums(float *out, const float *in, float *total, int n)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float x = in[i];
        sum += x;
        if (STORES) out[i] = x * 0.5f;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (EACH == 32 ? threadIdx.x % 32 == 0 : threadIdx.x == 0) atomicAdd(total, sum);
}
