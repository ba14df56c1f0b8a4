// A loop whose body mixtures.py replaces by instructions of its own: SLOTS marks, each one instruction, with 40 registers that
// they may read and write, an address in shared memory and one in global memory that L1 holds, both the
// same for all lanes, and one that is written, 16 bytes a lane. What a body takes is the clocks that each block counts.

extern "C" __global__ void __launch_bounds__(1024) mixture(long long *clocks, const int *in, int *out, int steps)
{
    __shared__ int s[4096];
    unsigned at = (unsigned)__cvta_generic_to_shared(s) ^ steps >> 20;
    const int *from = in + (steps >> 20);
    int *to = out + (blockIdx.x % 132 * 1024 + threadIdx.x) * 4;
    float v[REGISTERS], sum = 0;
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) s[k] = k;
#pragma unroll
    for (int k = 0; k < REGISTERS; k++) v[k] = threadIdx.x + k;
    __syncthreads();
    long long t = clock64();
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        asm volatile("st.shared.f32 [%0], %1;" :: "r"(at), "f"(v[0]));
        asm volatile("ld.global.ca.f32 %0, [%1];" : "+f"(v[1]) : "l"(from));
        asm volatile("st.global.f32 [%0], %1;" :: "l"(to), "f"(v[2]));
#pragma unroll
        for (int i = 0; i < SLOTS - 3; i++)
            asm volatile("fma.rn.f32 %0, %1, %2, %3;" : "+f"(v[i % REGISTERS])
                         : "f"(v[(i + 1) % REGISTERS]), "f"(v[(i + 2) % REGISTERS]), "f"(v[(i + 3) % REGISTERS]));
    }
    __syncthreads();
    t = clock64() - t;
#pragma unroll
    for (int k = 0; k < REGISTERS; k++) sum += v[k];
    if (sum == -12345.0f) out[threadIdx.x] = sum;
    if (threadIdx.x == 0) clocks[blockIdx.x] = t;
}
