// Copy 16 MiB of floats from and to an address that is a few elements off its alignment.
//
// With offset 0 a warp reads and writes 128 aligned bytes: 4 sectors of 32 bytes. With an offset that is no multiple
// of 8 floats it touches 5, and neighbouring warps share the outer ones.
//
// Teaches: what alignment costs, and how much of it the caches give back.
// Seeds:   "CUDA Optimization: Memory Bandwidth Limited Kernels", slides 10-19 (sectors a request touches), 20.

/* kmutate launch
   int n = 4 * 1024 * 1024, offset = 0;
   dim3 grid = { (n + 255) / 256 };
   dim3 block = { 256 };
   float out[n + 32] = zeros();
   float in[n + 32] = uniform(0, 1);
   copy_offset(out, in, n, offset);
*/
/* kmutate launch
   int n = 4 * 1024 * 1024, offset = 1;
   dim3 grid = { (n + 255) / 256 };
   dim3 block = { 256 };
   float out[n + 32] = zeros();
   float in[n + 32] = uniform(0, 1);
   copy_offset(out, in, n, offset);
*/
extern "C" __global__ void copy_offset(float *__restrict__ out, const float *__restrict__ in, int n, int offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i + offset] = in[i + offset];
}
