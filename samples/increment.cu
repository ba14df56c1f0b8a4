// Add one to every element of a large array, with 1, 2 or 4 elements a thread.
//
// The load and the store of an element depend on each other, so a thread with one element has one access under way.
// With several elements a thread issues all its loads before the first store.
// n is a multiple of the elements that a block handles.
//
// Teaches: bytes in flight (Little's law): the same traffic, more of it at once.
// Seeds:   "Analysis-Driven Optimization", slides 27 and 29; "CUDA Optimization: Memory Bandwidth Limited Kernels",
//          slides 4-6.

/* kmutate launch
   int n = 64 * 1024 * 1024;
   dim3 grid = { n / 256 };
   dim3 block = { 256 };
   float a[n] = uniform(0, 1);
   increment1(a, n);
*/
extern "C" __global__ void increment1(float *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += 1.0f;
}

/* kmutate launch
   int n = 64 * 1024 * 1024;
   dim3 grid = { n / (2 * 256) };
   dim3 block = { 256 };
   float a[n] = uniform(0, 1);
   increment2(a, n);
*/
extern "C" __global__ void increment2(float *a, int n)
{
    const int i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    const int j = i + blockDim.x;
    if (j >= n)
        return;

    const float x0 = a[i];
    const float x1 = a[j];
    a[i] = x0 + 1.0f;
    a[j] = x1 + 1.0f;
}

/* kmutate launch
   int n = 64 * 1024 * 1024;
   dim3 grid = { n / (4 * 256) };
   dim3 block = { 256 };
   float a[n] = uniform(0, 1);
   increment4(a, n);
*/
extern "C" __global__ void increment4(float *a, int n)
{
    const int stride = blockDim.x;
    const int i = blockIdx.x * (4 * blockDim.x) + threadIdx.x;
    if (i + 3 * stride >= n)
        return;

    float x[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        x[k] = a[i + k * stride];
#pragma unroll
    for (int k = 0; k < 4; k++)
        a[i + k * stride] = x[k] + 1.0f;
}
