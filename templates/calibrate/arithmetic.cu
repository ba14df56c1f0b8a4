// How long instructions take and how often they issue: kernels that `kmutate calibrate` launches, one block on one SM.
//
// STEPS steps of one kind, one after another, in one chain (NAME_1: from an instruction to the next that needs its result)
// or in eight (NAME_8: how often they issue, with enough warps). A step is one instruction unless PROBES in
// mutate/calibrate/probes.py says otherwise; tests/calibrate counts them in the machine code. The least of ROUNDS counts,
// the first of which fills the instruction cache. `nothing` is what the frame around the steps costs.
typedef unsigned long long u64;
typedef unsigned u32;

#define STEPS 256
#define ROUNDS 4

__device__ inline void from(u64 s, float &x) { x = (float)(int)s; }
__device__ inline void from(u64 s, double &x) { x = (double)(int)s; }
__device__ inline void from(u64 s, u32 &x) { x = (u32)s; }
__device__ inline void from(u64 s, u64 &x) { x = s; }
__device__ inline u32 fold(float x) { return __float_as_uint(x); }
__device__ inline u32 fold(double x) { return (u32)__double_as_longlong(x); }
__device__ inline u32 fold(u32 x) { return x; }
__device__ inline u32 fold(u64 x) { return (u32)x ^ (u32)(x >> 32); }

// Two chains of different types, stepped in turn.
template <typename A, typename B> struct Both { A a; B b; };
template <typename A, typename B> __device__ inline void from(u64 s, Both<A, B> &x) { from(s, x.a); from(s, x.b); }
template <typename A, typename B> __device__ inline u32 fold(const Both<A, B> &x) { return fold(x.a) ^ fold(x.b); }

// The result of a matrix multiplication: four registers a thread.
struct Four { float x, y, z, w; };
__device__ inline void from(u64 s, Four &v) { v.x = v.y = v.z = v.w = (float)(int)s; }
__device__ inline u32 fold(const Four &v) { return fold(v.x) ^ fold(v.y) ^ fold(v.z) ^ fold(v.w); }

// A barrier behind which the clock is read only when all warps have come: the machine's barrier alone lets a warp read it before.
__device__ inline u64 start_together()
{
    __shared__ u32 gate;
    if (threadIdx.x == 0) *(volatile u32 *)&gate = 0;
    __syncthreads();
    while (*(volatile u32 *)&gate) {}
    return clock64();
}

// Clocks from the first warp's `start` to the last one's end: one that comes late would hide what the others did before.
// All threads call it. The clock is read before any barrier, past which the compiler moves steps.
__device__ inline u64 since(u64 start)
{
    __shared__ u64 starts[32], ends[32];
    const u64 now = clock64();
    if (threadIdx.x % 32 == 0) {
        starts[threadIdx.x / 32] = start;
        ends[threadIdx.x / 32] = now;
    }
    __syncthreads();
    u64 first = start, last = now;
#pragma unroll 1
    for (u32 w = 0; w < (blockDim.x + 31) / 32; w++) {
        first = starts[w] < first ? starts[w] : first;
        last = ends[w] > last ? ends[w] : last;
    }
    __syncthreads();
    return last - first;
}

template <typename Op, int CHAINS> __device__ inline void measure(u64 *out, u64 n, u64 a, u64 b)
{
    typename Op::T v[CHAINS], p, q;
    from(a, p);
    from(b, q);
#pragma unroll
    for (int k = 0; k < CHAINS; k++) from(n + threadIdx.x + k, v[k]);
    u64 least = ~0ull;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        const u64 start = start_together();
#pragma unroll
        for (int s = 0; s < STEPS / CHAINS; s++) {
#pragma unroll
            for (int k = 0; k < CHAINS; k++) Op::step(v[k], p, q);
        }
        const u64 took = since(start);
        least = took < least ? took : least;
    }
    u32 sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; k++) sum ^= fold(v[k]);
    if (threadIdx.x == 0) out[0] = least;
    out[8 + threadIdx.x] = sum;  // so that the steps are needed
}

#define KERNELS(NAME)                                                                                               \
    extern "C" __global__ void __launch_bounds__(1024) NAME##_1(u64 *out, char *memory, u64 n, u64 a, u64 b)        \
    {                                                                                                               \
        measure<op_##NAME, 1>(out, n, a, b);                                                                        \
    }                                                                                                               \
    extern "C" __global__ void __launch_bounds__(1024) NAME##_8(u64 *out, char *memory, u64 n, u64 a, u64 b)        \
    {                                                                                                               \
        measure<op_##NAME, 8>(out, n, a, b);                                                                        \
    }

#define PROBE(NAME, TYPE, LETTER, TEXT)                                                                             \
    struct op_##NAME {                                                                                              \
        typedef TYPE T;                                                                                             \
        static __device__ inline void step(T &x, T a, T b)                                                          \
        {                                                                                                           \
            asm volatile(TEXT : "+" LETTER(x) : LETTER(a), LETTER(b));                                              \
        }                                                                                                           \
    };                                                                                                              \
    KERNELS(NAME)

#define MIX(NAME, FIRST, SECOND)                                                                                    \
    struct op_##NAME {                                                                                              \
        typedef Both<op_##FIRST::T, op_##SECOND::T> T;                                                              \
        static __device__ inline void step(T &x, const T &a, const T &b)                                            \
        {                                                                                                           \
            op_##FIRST::step(x.a, a.a, b.a);                                                                        \
            op_##SECOND::step(x.b, a.b, b.b);                                                                       \
        }                                                                                                           \
    };                                                                                                              \
    KERNELS(NAME)

struct op_nothing {
    typedef u32 T;
    static __device__ inline void step(T &x, T a, T b) {}
};

#if GROUP == 0
KERNELS(nothing)
PROBE(ffma, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
PROBE(fadd, float, "f", "add.rn.f32 %0, %0, %1;")
PROBE(fmul, float, "f", "mul.rn.f32 %0, %0, %1;")
PROBE(fmnmx, float, "f", "{min.f32 %0, %0, %1; max.f32 %0, %0, %2;}")
PROBE(fsetp_fsel, float, "f", "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %1, %2, p;}")
PROBE(dfma, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
PROBE(dadd, double, "d", "add.rn.f64 %0, %0, %1;")
PROBE(dmul, double, "d", "mul.rn.f64 %0, %0, %1;")
PROBE(hfma2, u32, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
PROBE(hadd2, u32, "r", "add.rn.f16x2 %0, %0, %1;")
PROBE(hmul2, u32, "r", "mul.rn.f16x2 %0, %0, %1;")
#if __CUDA_ARCH__ >= 800
PROBE(hfma2_bf16, u32, "r", "fma.rn.bf16x2 %0, %0, %1, %2;")
struct op_hmma {
    typedef Four T;
    static __device__ inline void step(T &v, const T &a, const T &b)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%6, %7}, "
                     "{%0, %1, %2, %3};" : "+f"(v.x), "+f"(v.y), "+f"(v.z), "+f"(v.w)
                     : "r"(fold(a.x)), "r"(fold(a.y)), "r"(fold(b.x)), "r"(fold(b.y)));
    }
};
KERNELS(hmma)
#endif
#endif

#if GROUP == 1
PROBE(iadd3, u32, "r", "{.reg .u32 t; add.u32 t, %1, %2; add.u32 %0, %0, t;}")
PROBE(imad, u32, "r", "mad.lo.u32 %0, %0, %1, %2;")
PROBE(imad_hi, u32, "r", "mad.hi.u32 %0, %0, %1, %2;")
PROBE(imad_wide_lop3, u32, "r", "{.reg .u64 t; .reg .u32 l, h; mul.wide.u32 t, %0, %1; mov.b64 {l, h}, t; "
      "xor.b32 %0, l, h;}")
PROBE(lop3, u32, "r", "lop3.b32 %0, %0, %1, %2, 0x96;")
PROBE(shf, u32, "r", "shf.l.wrap.b32 %0, %0, %1, %2;")
PROBE(lea, u32, "r", "{.reg .u32 t; shl.b32 t, %0, 3; add.u32 %0, t, %1;}")
PROBE(prmt, u32, "r", "prmt.b32 %0, %0, %1, 0x2143;")
PROBE(imnmx, u32, "r", "{min.u32 %0, %0, %1; max.u32 %0, %0, %2;}")
PROBE(isetp_sel, u32, "r", "{.reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %1, %2, p;}")
PROBE(idp, u32, "r", "dp4a.u32.u32 %0, %0, %1, %2;")
PROBE(popc, u32, "r", "popc.b32 %0, %0;")
PROBE(flo, u32, "r", "bfind.u32 %0, %0;")
PROBE(brev, u32, "r", "brev.b32 %0, %0;")
PROBE(shfl, u32, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
PROBE(isetp_vote, u32, "r", "{.reg .pred p; setp.lt.s32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}")
#if __CUDA_ARCH__ >= 800
PROBE(redux, u32, "r", "redux.sync.add.u32 %0, %0, -1;")
#endif
// What waits for a special register: a compare and a branch not taken; the last is the same without the register.
PROBE(s2r_branch, u32, "r", "{.reg .pred p; .reg .u32 t; mov.u32 t, %%warpid; setp.eq.u32 p, t, %1; @p trap;}")
PROBE(s2ur_branch, u32, "r", "{.reg .pred p; .reg .u32 t; mov.u32 t, %%smid; setp.eq.u32 p, t, %1; @p trap;}")
PROBE(iadd3_branch, u32, "r", "{.reg .pred p; .reg .u32 t; add.u32 t, %1, %2; add.u32 %0, %0, t; setp.eq.u32 p, %0, "
      "%1; @p trap;}")
#endif

#if GROUP == 2
PROBE(mufu_ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
PROBE(mufu_lg2, float, "f", "lg2.approx.ftz.f32 %0, %0;")
PROBE(fadd_mufu_rcp, float, "f", "{.reg .f32 t; add.rn.f32 t, %0, %1; rcp.approx.ftz.f32 %0, t;}")
PROBE(mufu_rsq, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")
PROBE(mufu_sqrt, float, "f", "sqrt.approx.ftz.f32 %0, %0;")
PROBE(fmul_mufu_sin, float, "f", "sin.approx.ftz.f32 %0, %0;")
PROBE(fmul_mufu_cos, float, "f", "cos.approx.ftz.f32 %0, %0;")
PROBE(mufu_tanh, float, "f", "tanh.approx.f32 %0, %0;")
PROBE(i2fp, u32, "r", "{.reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t;}")
PROBE(i2f_byte, u32, "r", "{.reg .f32 t; .reg .u32 u; and.b32 u, %0, 255; cvt.rn.f32.u32 t, u; mov.b32 %0, t;}")
PROBE(f2i, float, "f", "{.reg .s32 t; cvt.rzi.s32.f32 t, %0; mov.b32 %0, t;}")
PROBE(frnd, float, "f", "cvt.rmi.f32.f32 %0, %0;")
#if __CUDA_ARCH__ >= 800
PROBE(f2fp, float, "f", "{.reg .b32 t; cvt.rn.f16x2.f32 t, %0, %1; mov.b32 %0, t;}")
#endif
PROBE(hadd2_f32, u32, "r", "{.reg .b16 l, h; .reg .f32 t; mov.b32 {l, h}, %0; cvt.f32.f16 t, l; mov.b32 %0, t;}")
PROBE(f2f_f64_f32, double, "d", "{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}")
PROBE(i2f_f2i_f64, double, "d", "{.reg .s32 t; cvt.rzi.s32.f64 t, %0; cvt.rn.f64.s32 %0, t;}")
#endif

#if GROUP == 3
struct op_f { typedef float T; static __device__ inline void step(T &x, T a, T b)
    { asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b)); } };
struct op_d { typedef double T; static __device__ inline void step(T &x, T a, T b)
    { asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b)); } };
struct op_l { typedef u32 T; static __device__ inline void step(T &x, T a, T b)
    { asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(a), "r"(b)); } };
struct op_i { typedef u32 T; static __device__ inline void step(T &x, T a, T b)
    { asm volatile("{.reg .u32 t; add.u32 t, %1, %2; add.u32 %0, %0, t;}" : "+r"(x) : "r"(a), "r"(b)); } };
struct op_m { typedef u32 T; static __device__ inline void step(T &x, T a, T b)
    { asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); } };
struct op_e { typedef float T; static __device__ inline void step(T &x, T a, T b)
    { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x) : "f"(a), "f"(b)); } };
struct op_h { typedef u32 T; static __device__ inline void step(T &x, T a, T b)
    { asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); } };
struct op_s { typedef u32 T; static __device__ inline void step(T &x, T a, T b)
    { asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x) : "r"(a), "r"(b)); } };
MIX(ffma_iadd3, f, i)
MIX(ffma_lop3, f, l)
MIX(ffma_imad, f, m)
MIX(ffma_dfma, f, d)
MIX(ffma_hfma2, f, h)
MIX(ffma_mufu, f, e)
MIX(ffma_shfl, f, s)
MIX(iadd3_lop3, i, l)
MIX(imad_lop3, m, l)
MIX(imad_hfma2, m, h)
#endif
