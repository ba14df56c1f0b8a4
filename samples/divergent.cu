// Two kinds of work for the elements of an array: refine a reciprocal square root, or sum an exponential series.
//
// divergent gives the even lanes of a warp one kind and the odd lanes the other, so each warp runs both.
// grouped gives whole warps one kind; the amount of work in a block is the same.
//
// Teaches: divergence inside warps, and its cure by giving the threads of a warp the same path.
// Seeds:   "Analysis-Driven Optimization", slides 37, 40-42; "Optimalizace" (Filipovič): Implementace 1, Profiling.

/* 1 / sqrt(x) for x in [0.5, 2), by Newton's method. */
__device__ float refine(float x)
{
    float y = 1.5f - 0.5f * x;
    for (int step = 0; step < 12; step++)
        y = y * (1.5f - 0.5f * x * y * y);
    return y;
}

/* exp(x) for small x, by Horner's rule on its series. */
__device__ float series(float x)
{
    float sum = 1.0f;
    for (int k = 12; k > 0; k--)
        sum = 1.0f + sum * x * (1.0f / k);
    return sum;
}

/* kmutate launch
   int n = 16 * 1024 * 1024;
   dim3 grid = { n / 256 };
   dim3 block = { 256 };
   float out[n] = zeros();
   float in[n] = uniform(0.5, 2);
   divergent(out, in, n);
*/
__global__ void divergent(float *__restrict__ out, const float *__restrict__ in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    if (threadIdx.x % 2 == 0)
        out[i] = refine(in[i]);
    else
        out[i] = series(in[i]);
}

/* kmutate launch
   int n = 16 * 1024 * 1024;
   dim3 grid = { n / 256 };
   dim3 block = { 256 };
   float out[n] = zeros();
   float in[n] = uniform(0.5, 2);
   grouped(out, in, n);
*/
__global__ void grouped(float *__restrict__ out, const float *__restrict__ in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    if (threadIdx.x / 32 % 2 == 0)
        out[i] = refine(in[i]);
    else
        out[i] = series(in[i]);
}
