// Units of an SM and memory that work at once, each as much as is asked for: what that does to the clock, by ncu's clocks and
// nanoseconds. Timed on a GPU (--drawn: of zeros memory moves the same, and draws less power) and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 528 }; int4 in[1 << 25] = zeros(); int4 near[1 << 20] = zeros(); int4 out[1 << 25] = zeros();
   units_beside<4, 0, 0, 0, 0, 0, 0, 0, 0>(in, near, out, 1200); units_beside<0, 4, 0, 0, 0, 0, 0, 0, 0>(in, near, out, 600); units_beside<0, 0, 2, 0, 0, 0, 0, 0, 0>(in, near, out, 2400); units_beside<0, 0, 0, 2, 0, 0, 0, 0, 0>(in, near, out, 600);
   units_beside<0, 0, 0, 0, 4, 0, 0, 0, 0>(in, near, out, 600); units_beside<0, 0, 0, 0, 0, 4, 0, 0, 0>(in, near, out, 600); units_beside<0, 0, 0, 0, 0, 0, 1, 0, 0>(in, near, out, 400); units_beside<0, 0, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 240);
   units_beside<0, 0, 0, 0, 0, 0, 0, 0, 1>(in, near, out, 240); units_beside<0, 0, 0, 0, 0, 0, 0, 1, 1>(in, near, out, 200);
   units_beside<4, 0, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 240); units_beside<8, 0, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 240); units_beside<12, 0, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 240); units_beside<16, 0, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 240);
   units_beside<24, 0, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 200); units_beside<0, 4, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 240); units_beside<8, 2, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 240); units_beside<0, 0, 0, 1, 0, 0, 0, 1, 0>(in, near, out, 240);
   units_beside<4, 0, 0, 0, 0, 0, 1, 0, 0>(in, near, out, 400); units_beside<8, 0, 0, 0, 0, 0, 1, 0, 0>(in, near, out, 400); units_beside<12, 0, 0, 0, 0, 0, 1, 0, 0>(in, near, out, 400); units_beside<0, 0, 1, 0, 0, 0, 1, 0, 0>(in, near, out, 400);
   units_beside<0, 0, 2, 0, 0, 0, 1, 0, 0>(in, near, out, 400); units_beside<0, 0, 2, 0, 0, 0, 0, 1, 0>(in, near, out, 240); units_beside<0, 0, 4, 0, 0, 0, 0, 1, 0>(in, near, out, 240);
   units_beside<0, 0, 0, 0, 4, 0, 1, 0, 0>(in, near, out, 400); units_beside<0, 0, 0, 0, 0, 4, 1, 0, 0>(in, near, out, 400); units_beside<0, 0, 0, 0, 0, 6, 1, 0, 0>(in, near, out, 400); units_beside<0, 0, 0, 0, 4, 0, 0, 1, 0>(in, near, out, 240);
   units_beside<0, 0, 0, 0, 6, 0, 0, 1, 0>(in, near, out, 240); units_beside<0, 0, 0, 0, 0, 6, 0, 1, 0>(in, near, out, 240); units_beside<4, 0, 0, 0, 4, 0, 0, 0, 0>(in, near, out, 600); units_beside<8, 0, 0, 0, 4, 0, 0, 0, 0>(in, near, out, 500);
   units_beside<8, 0, 0, 0, 2, 0, 0, 0, 0>(in, near, out, 600); units_beside<4, 0, 0, 0, 0, 4, 0, 0, 0>(in, near, out, 500); units_beside<8, 0, 0, 0, 4, 0, 0, 1, 0>(in, near, out, 240); units_beside<8, 0, 0, 0, 6, 0, 0, 1, 0>(in, near, out, 240);
   units_beside<8, 2, 0, 0, 4, 0, 0, 1, 0>(in, near, out, 240); units_beside<4, 0, 1, 0, 0, 4, 1, 0, 0>(in, near, out, 400); units_beside<0, 0, 1, 0, 0, 6, 1, 0, 0>(in, near, out, 400); units_beside<8, 0, 0, 0, 0, 0, 0, 1, 1>(in, near, out, 200);
   units_beside<16, 0, 0, 0, 0, 0, 0, 1, 1>(in, near, out, 200); units_beside<8, 0, 0, 0, 6, 0, 0, 1, 1>(in, near, out, 200); units_beside<0, 0, 0, 0, 8, 0, 0, 1, 1>(in, near, out, 200); units_beside<2, 2, 0, 0, 0, 0, 0, 0, 0>(in, near, out, 600);
   units_beside<8, 2, 0, 1, 0, 0, 0, 1, 0>(in, near, out, 240); units_beside<4, 2, 0, 1, 0, 0, 0, 0, 0>(in, near, out, 400); units_beside<0, 0, 2, 0, 4, 0, 0, 0, 0>(in, near, out, 400); units_beside<4, 0, 2, 0, 0, 0, 0, 0, 0>(in, near, out, 400);
   units_beside<4, 0, 0, 0, 0, 0, 1, 1, 0>(in, near, out, 200); units_beside<0, 0, 0, 0, 0, 0, 1, 1, 0>(in, near, out, 200); units_beside<8, 2, 0, 0, 4, 0, 1, 0, 0>(in, near, out, 400);
   units_beside<4, 0, 4, 0, 0, 0, 0, 0, 0>(in, near, out, 600); units_beside<0, 0, 4, 0, 0, 0, 1, 0, 0>(in, near, out, 800); units_beside<0, 0, 8, 0, 0, 0, 1, 1, 0>(in, near, out, 240); units_beside<0, 0, 8, 0, 4, 0, 0, 0, 0>(in, near, out, 400);
   grid.x = 66; units_beside<4, 0, 0, 0, 0, 0, 0, 0, 0>(in, near, out, 2400); units_beside<4, 0, 0, 0, 4, 0, 0, 0, 0>(in, near, out, 1200); units_beside<0, 0, 2, 0, 0, 0, 0, 0, 0>(in, near, out, 2400);
   grid.x = 132; units_beside<4, 0, 0, 0, 0, 0, 0, 0, 0>(in, near, out, 2400); units_beside<8, 2, 0, 0, 4, 0, 0, 1, 0>(in, near, out, 240); units_beside<0, 0, 0, 0, 4, 0, 0, 0, 0>(in, near, out, 1200); units_beside<0, 0, 2, 0, 0, 0, 0, 0, 0>(in, near, out, 4800);
   grid.x = 264; units_beside<8, 2, 0, 0, 4, 0, 0, 1, 0>(in, near, out, 240); units_beside<8, 0, 0, 0, 0, 0, 0, 1, 0>(in, near, out, 240); units_beside<4, 0, 0, 0, 0, 0, 0, 0, 0>(in, near, out, 1600);
*/
// A round has eight multiply-adds FMA times, eight of shifts and logic BITS times, two DOUBLES times, eight powers of two
// POWERS times, loads of 16 bytes a lane from SHARED memory, from 4 KB that L1 has (NEAR), from 16 MB (FAR), from memory (MEMORY), and
// stores there (OUT).
template <int FMA, int BITS, int DOUBLES, int POWERS, int SHARED, int NEAR, int FAR, int MEMORY, int OUT>
__global__ void __launch_bounds__(256, 4) units_beside(const int4 *in, const int4 *near, int4 *out, int rounds)
{
    __shared__ int4 kept[512];
    const unsigned me = blockIdx.x * 256 + threadIdx.x, all = gridDim.x * 256;
    float x[8];
    unsigned a[8], h = (me + 1) * 2654435761u;
    double d[2] = { 0.3 + 1e-9 * me, 0.7 - 1e-9 * me };
#pragma unroll
    for (int j = 0; j < 8; j++) {
        h = h * 1664525u + 1013904223u;
        x[j] = (float)(h >> 8) * 1e-7f - 0.8f;
        a[j] = h;
    }
    kept[threadIdx.x] = make_int4(a[0], a[1], a[2], a[3]);
    kept[threadIdx.x + 256] = make_int4(a[4], a[5], a[6], a[7]);
    __syncthreads();
    int4 sum = make_int4(0, 0, 0, 0);
    for (int r = 0; r < rounds; r++) {
        int4 v[MEMORY + FAR + 1];
#pragma unroll
        for (int k = 0; k < MEMORY; k++) v[k] = __ldcs(in + ((((size_t)r * MEMORY + k) * all + me) & ((1u << 25) - 1)));
#pragma unroll
        for (int k = 0; k < FAR; k++)
            v[MEMORY + k] = __ldcg(near + (((me >> 5) * 977u + (unsigned)(r * FAR + k) * 7919u) * 32u + (me & 31) & ((1u << 20) - 1)));
#pragma unroll
        for (int k = 0; k < FMA; k++)
#pragma unroll
            for (int j = 0; j < 8; j++) x[j] = __fmaf_rn(x[j], x[j], -1.9f);
#pragma unroll
        for (int k = 0; k < BITS; k++)
#pragma unroll
            for (int j = 0; j < 8; j++) a[j] = __funnelshift_l(a[j], a[(j + 1) & 7], 7) ^ a[(j + 3) & 7];
#pragma unroll
        for (int k = 0; k < DOUBLES; k++) {
            d[0] = __fma_rn(d[0], d[0], -1.9);
            d[1] = __fma_rn(d[1], d[1], -1.9);
        }
#pragma unroll
        for (int k = 0; k < POWERS; k++)
#pragma unroll
            for (int j = 0; j < 8; j++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[j]));
#pragma unroll
        for (int k = 0; k < SHARED; k++) {
            const int4 w = kept[(threadIdx.x + (r + k) * 32) & 511];
            sum.x ^= w.x; sum.y ^= w.y; sum.z ^= w.z; sum.w ^= w.w;
        }
#pragma unroll
        for (int k = 0; k < NEAR; k++) {
            const int4 w = __ldg(in + ((threadIdx.x + (r + k) * 32) & 255));
            sum.x ^= w.x; sum.y ^= w.y; sum.z ^= w.z; sum.w ^= w.w;
        }
#pragma unroll
        for (int k = 0; k < MEMORY + FAR; k++) {
            sum.x ^= v[k].x; sum.y ^= v[k].y; sum.z ^= v[k].z; sum.w ^= v[k].w;
        }
#pragma unroll
        for (int k = 0; k < OUT; k++) __stcs(out + ((((size_t)r * OUT + k) * all + me) & ((1u << 25) - 1)), make_int4(a[0] + r, a[1], a[2], a[3]));
    }
    float total = 0.0f;
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        total += x[j];
        bits ^= a[j];
    }
    out[me] = make_int4(sum.x ^ __float_as_int(total), sum.y ^ bits, sum.z ^ __double2loint(d[0]), sum.w ^ __double2hiint(d[1]));
}
