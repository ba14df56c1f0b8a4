// The special-function unit by itself, as a kernel; mufu_probe.py asks it for more.
/* kmutate launch
   int n = 65536;
   dim3 grid = { n / 256 };
   dim3 block = { 256 };
   float out[8 * n] = zeros();
   float positive[n] = uniform(0.0001, 1000);
   float angle[n] = uniform(-3, 3);
   special_function_unit(out, positive, angle, n);
*/
__global__ void special_function_unit(float *out, const float *positive, const float *angle, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = positive[i], t = angle[i];
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[i] = r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[n + i] = r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[2 * n + i] = r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(t));
    out[3 * n + i] = r;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[4 * n + i] = r;
    asm("sin.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(t));
    out[5 * n + i] = r;
    asm("cos.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(t));
    out[6 * n + i] = r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(t));
    out[7 * n + i] = r;
}
