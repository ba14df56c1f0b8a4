// Chains of loads whose address is what the load before has brought, of 4, 8 and 16 bytes: how long each takes. Timed on a GPU
// and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   unsigned from[4096] = zeros(); unsigned out[4096] = zeros();
   chase_words<1, 0>(out, from, 4000); chase_words<2, 0>(out, from, 4000); chase_words<4, 0>(out, from, 4000);
   chase_words<2, 1>(out, from, 4000); chase_words<4, 1>(out, from, 4000); chase_words<4, 3>(out, from, 4000);
   chase_lines<1, 0>(out, from, 4000); chase_lines<2, 0>(out, from, 4000); chase_lines<4, 0>(out, from, 4000);
   chase_lines<2, 1>(out, from, 4000); chase_lines<4, 3>(out, from, 4000);
   block.x = 128;
   chase_words<1, 0>(out, from, 4000); chase_words<2, 0>(out, from, 4000); chase_words<4, 0>(out, from, 4000);
   chase_words<4, 3>(out, from, 4000);
   chase_lines<1, 0>(out, from, 4000); chase_lines<2, 0>(out, from, 4000); chase_lines<4, 0>(out, from, 4000);
   block.x = 256;
   chase_words<1, 0>(out, from, 4000); chase_words<2, 0>(out, from, 4000); chase_words<4, 0>(out, from, 4000);
   chase_lines<1, 0>(out, from, 4000); chase_lines<2, 0>(out, from, 4000); chase_lines<4, 0>(out, from, 4000);
*/
template <int WORDS, int USED>
__global__ void chase_words(unsigned *out, const unsigned *from, int steps)
{
    __shared__ __align__(16) unsigned s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = (unsigned)__cvta_generic_to_shared(s) + from[i];
    __syncthreads();
    unsigned at = s[0], a = 0, b = 0, c = 0, d = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k += 8) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (WORDS == 1) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
            if (WORDS == 2) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
            if (WORDS == 4) asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
            at = USED == 0 ? a : USED == 1 ? b : USED == 2 ? c : d;
        }
    }
    out[threadIdx.x] = a + b + c + d;
}
template <int WORDS, int USED>
__global__ void chase_lines(unsigned *out, const unsigned *from, int steps)
{
    const char *base = (const char *)from;
    unsigned at = steps >> 20, a = 0, b = 0, c = 0, d = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k += 8) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const char *p = base + at;
            if (WORDS == 1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(p));
            if (WORDS == 2) asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
            if (WORDS == 4) asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
            at = USED == 0 ? a : USED == 1 ? b : USED == 2 ? c : d;
        }
    }
    out[threadIdx.x] = a + b + c + d;
}
