// Warps that read windows anywhere, aligned or not. Timed on a GPU and by the model of time, as patterns.cu; sectors that L2 and DRAM
// read for it by ncu.

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 2112 };
   float a[128 << 20] = zeros(); int out[1 << 20] = zeros();
   windows<1>(a, out, 256, 27, 1); windows<1>(a, out, 256, 27, 8); windows<1>(a, out, 256, 27, 16); windows<1>(a, out, 256, 27, 32);
   windows<4>(a, out, 256, 27, 1); windows<4>(a, out, 256, 27, 8); windows<4>(a, out, 256, 27, 16); windows<4>(a, out, 256, 27, 32);
   windows<1>(a, out, 256, 22, 1); windows<1>(a, out, 256, 22, 32); windows<4>(a, out, 256, 22, 1); windows<4>(a, out, 256, 22, 32);
   grid.x = 528;
   windows<1>(a, out, 256, 27, 1); windows<1>(a, out, 256, 27, 8); windows<1>(a, out, 256, 27, 32);
   windows<4>(a, out, 256, 27, 1); windows<4>(a, out, 256, 27, 8); windows<4>(a, out, 256, 27, 32);
   windows<1>(a, out, 256, 22, 1); windows<1>(a, out, 256, 22, 32);
   grid.x = 132;
   windows<1>(a, out, 256, 27, 1); windows<1>(a, out, 256, 27, 32); windows<4>(a, out, 256, 27, 1); windows<4>(a, out, 256, 27, 32);
*/
// 32 words next to each other, from multiples of `aligned` words on, of 2^bits words; AT_ONCE such loads of a warp are in flight.
template <int AT_ONCE> __global__ void windows(const float *a, int *out, int steps, int bits, int aligned)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = (t / 32 + 1) * 2654435761u;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < steps; k += AT_ONCE) {
        float got[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            state = state * 1664525u + 1013904223u;
            unsigned at = ((state ^ state >> 15) * 2246822519u) >> (32 - bits);
            at = min(at - at % aligned, (1u << bits) - 32);
            got[j] = a[at + threadIdx.x % 32];
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) sum += got[j];
    }
    out[t] = __float_as_int(sum);
}
