// Calibration of sensor readings by a cubic in float, once with literals that forgot their suffix.
//
// In fp64_literal every constant is a double, as C says of 34.7: the readings are converted, the arithmetic is done in
// fp64 and the result is rounded back. In fp32_literal the constants are floats (34.7f) and all of it stays in fp32.
//
// Teaches: fp64 arithmetic that nobody meant, found by its instruction class.
// Seeds:   "Analysis-Driven Optimization", slide 39 (34.7 and 34.7f).

/* kmutate launch
   int n = 16 * 1024 * 1024;
   dim3 grid = { 2048 };
   dim3 block = { 256 };
   float celsius[n] = zeros();
   float reading[n] = uniform(0, 1);
   fp64_literal(celsius, reading, n);
*/
__global__ void fp64_literal(float *celsius, const float *reading, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const float x = reading[i];
        celsius[i] = ((0.83 * x - 2.15) * x + 34.7) * x - 12.6;
    }
}

/* kmutate launch
   int n = 16 * 1024 * 1024;
   dim3 grid = { 2048 };
   dim3 block = { 256 };
   float celsius[n] = zeros();
   float reading[n] = uniform(0, 1);
   fp32_literal(celsius, reading, n);
*/
__global__ void fp32_literal(float *celsius, const float *reading, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const float x = reading[i];
        celsius[i] = ((0.83f * x - 2.15f) * x + 34.7f) * x - 12.6f;
    }
}
