// Damped oscillation from sines, exponentials, logarithms and a square root, in library and in intrinsic precision.
//
// special_accurate calls the functions of the math library, each a sequence of instructions with a slow path.
// special_intrinsic calls the intrinsics, each one or two instructions for the special function unit, with an error
// of a few more bits.
//
// Teaches: instruction throughput of special functions; when the kernel is bound by memory, they are free.
// Seeds:   "Analysis-Driven Optimization", slides 37 and 39 (intrinsics).

/* kmutate launch
   int n = 16 * 1024 * 1024;
   float damping = 0.25f;
   dim3 grid = { (n + 255) / 256 };
   dim3 block = { 256 };
   float out[n] = zeros();
   float t[n] = uniform(0.1, 6);
   special_accurate(out, t, damping, n);
*/
__global__ void special_accurate(float *out, const float *t, float damping, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    const float x = t[i];
    const float envelope = expf(-damping * x);
    const float wave = sinf(x) + 0.5f * cosf(2.0f * x);
    const float slow = sqrtf(x) * logf(1.0f + x);
    out[i] = envelope * wave + slow / (1.0f + x);
}

/* kmutate launch
   int n = 16 * 1024 * 1024;
   float damping = 0.25f;
   dim3 grid = { (n + 255) / 256 };
   dim3 block = { 256 };
   float out[n] = zeros();
   float t[n] = uniform(0.1, 6);
   special_intrinsic(out, t, damping, n);
*/
__global__ void special_intrinsic(float *out, const float *t, float damping, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    const float x = t[i];
    const float envelope = __expf(-damping * x);
    const float wave = __sinf(x) + 0.5f * __cosf(2.0f * x);
    const float slow = x * rsqrtf(x) * __logf(1.0f + x);
    out[i] = envelope * wave + __fdividef(slow, 1.0f + x);
}
