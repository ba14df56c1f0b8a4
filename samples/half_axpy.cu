// y = a * x + y in half precision, two numbers at a time.
//
// Each 32-bit access carries two halves, and one __hfma2 does both multiply-adds.
//
// Teaches: compression: half the bytes of fp32 for the same number of elements, with packed arithmetic.
// Seeds:   "Analysis-Driven Optimization", slide 34 (compression, fp16).

#include <cuda_fp16.h>

/* kmutate launch
   int n = 64 * 1024 * 1024;
   float a = 0.75f;
   dim3 grid = { n / 2 / 256 };
   dim3 block = { 256 };
   half2 y[n / 2] = uniform(-1, 1);
   half2 x[n / 2] = uniform(-1, 1);
   half_axpy(y, x, a, n / 2);
*/
__global__ void half_axpy(half2 *__restrict__ y, const half2 *__restrict__ x, float a, int n2)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n2)
        return;

    const half2 a2 = __float2half2_rn(a);
    y[i] = __hfma2(a2, x[i], y[i]);
}
