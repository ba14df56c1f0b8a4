// The twenty-fourth set of kernels that nobody tuned the model of time for: in the style of projects that have grown, with
// helpers, templates and structs by value, by somebody who had seen neither the model nor its results.

#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu
#define SQR(x) ((x) * (x))

// ------------------------------------------------------------------------------------------------ shared helpers

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int o = WARP_SIZE / 2; o > 0; o >>= 1) v += __shfl_xor_sync(FULL_MASK, v, o);
    return v;
}

__device__ __forceinline__ float warp_max(float v)
{
#pragma unroll
    for (int o = WARP_SIZE / 2; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL_MASK, v, o));
    return v;
}

template <typename T>
__device__ __forceinline__ T clamp_to(T v, T lo, T hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

// ================================================================================================ PLAIN

// ------------------------------------------------------------------------------------------------ 1. lattice QCD
struct LatticeDims {
    int nx, ny, nz, nt;
    size_t volume;
};

struct ColorVector {
    double2 c[3];
};

__device__ __forceinline__ void cmad(double2 &acc, double2 a, double2 b)
{
    acc.x += a.x * b.x - a.y * b.y;
    acc.y += a.x * b.y + a.y * b.x;
}

__device__ __forceinline__ void cmad_conj(double2 &acc, double2 a, double2 b)
{
    acc.x += a.x * b.x + a.y * b.y;
    acc.y += a.x * b.y - a.y * b.x;
}

__device__ ColorVector load_vector(const double2 *field, size_t site, size_t volume)
{
    ColorVector v;
    for (int i = 0; i < 3; i++) v.c[i] = field[i * volume + site];
    return v;
}

__device__ void hop_forward(ColorVector &acc, const double2 *links, int dir, size_t site, const ColorVector &psi,
                            size_t volume, double phase)
{
    const double2 *u = links + (size_t)dir * 9 * volume + site;
#pragma unroll
    for (int r = 0; r < 3; r++) {
        double2 t = make_double2(0.0, 0.0);
#pragma unroll
        for (int c = 0; c < 3; c++) cmad(t, u[(r * 3 + c) * volume], psi.c[c]);
        acc.c[r].x += phase * t.x;
        acc.c[r].y += phase * t.y;
    }
}

__device__ void hop_backward(ColorVector &acc, const double2 *links, int dir, size_t site, const ColorVector &psi,
                             size_t volume, double phase)
{
    const double2 *u = links + (size_t)dir * 9 * volume + site;
#pragma unroll
    for (int r = 0; r < 3; r++) {
        double2 t = make_double2(0.0, 0.0);
#pragma unroll
        for (int c = 0; c < 3; c++) cmad_conj(t, u[(c * 3 + r) * volume], psi.c[c]);
        acc.c[r].x -= phase * t.x;
        acc.c[r].y -= phase * t.y;
    }
}

/* kmutate launch
   struct LatticeDims { int nx, ny, nz, nt; size_t volume; };
   int L = 24, T = 24;
   size_t vol = (size_t)L * L * L * T;
   int threads = 128;
   dim3 grid = { (vol + threads - 1) / threads };
   dim3 block = { threads };
   struct LatticeDims lat = { L, L, L, T, vol };
   double2 psi_out[3 * vol] = zeros();
   double2 psi_in[3 * vol] = normal(0, 0.7);
   double2 links[36 * vol] = uniform(-0.58, 0.58);
   staggered_dslash_su3_fp64<false>(psi_out, psi_in, links, lat, 0.025, 1);
*/
template <bool DAGGER>
__global__ void staggered_dslash_su3_fp64(double2 *out, const double2 *in, const double2 *links, LatticeDims lat,
                                          double mass, int antiperiodic_t)
{
    size_t site = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (site >= lat.volume) return;

    int x[4], n[4] = { lat.nx, lat.ny, lat.nz, lat.nt };
    size_t rest = site;
    x[0] = rest % lat.nx; rest /= lat.nx;
    x[1] = rest % lat.ny; rest /= lat.ny;
    x[2] = rest % lat.nz;
    x[3] = rest / lat.nz;

    ColorVector acc;
    for (int i = 0; i < 3; i++) acc.c[i] = make_double2(0.0, 0.0);

    size_t stride = 1;
    int parity_sum = 0;
#pragma unroll
    for (int dir = 0; dir < 4; dir++) {
        double eta = (parity_sum & 1) ? -0.5 : 0.5;
        double phase_f = eta, phase_b = eta;
        size_t fwd = site + stride, bwd = site - stride;
        if (x[dir] == n[dir] - 1) {
            fwd = site - stride * (n[dir] - 1);
            if (dir == 3 && antiperiodic_t) phase_f = -phase_f;
        }
        if (x[dir] == 0) {
            bwd = site + stride * (n[dir] - 1);
            if (dir == 3 && antiperiodic_t) phase_b = -phase_b;
        }
        ColorVector psi = load_vector(in, fwd, lat.volume);
        hop_forward(acc, links, dir, site, psi, lat.volume, phase_f);
        psi = load_vector(in, bwd, lat.volume);
        hop_backward(acc, links, dir, bwd, psi, lat.volume, phase_b);
        parity_sum += x[dir];
        stride *= n[dir];
    }

    ColorVector own = load_vector(in, site, lat.volume);
    const double sign = DAGGER ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        double2 r;
        r.x = 2.0 * mass * own.c[i].x + sign * acc.c[i].x;
        r.y = 2.0 * mass * own.c[i].y + sign * acc.c[i].y;
        out[i * lat.volume + site] = r;
    }
}

// ------------------------------------------------------------------------------------------------ 2. seismic waves
#define FD_C0 (1225.0f / 1024.0f)
#define FD_C1 (-245.0f / 3072.0f)
#define FD_C2 (49.0f / 5120.0f)
#define FD_C3 (-5.0f / 7168.0f)
#define FD_R 4
#define AT3(i, j, k) ((size_t)(k) * g.plane + (size_t)(j) * g.pitch + (i))

struct FdGrid {
    int nx, ny, nz;
    int pitch;
    size_t plane;
    float dt, inv_h;
    int sponge;
};

__device__ float fd_forward(const float *f, size_t i, size_t s)
{
    return FD_C0 * (f[i + s] - f[i]) + FD_C1 * (f[i + 2 * s] - f[i - s]) + FD_C2 * (f[i + 3 * s] - f[i - 2 * s]) +
           FD_C3 * (f[i + 4 * s] - f[i - 3 * s]);
}

__device__ float fd_backward(const float *f, size_t i, size_t s)
{
    return FD_C0 * (f[i] - f[i - s]) + FD_C1 * (f[i + s] - f[i - 2 * s]) + FD_C2 * (f[i + 2 * s] - f[i - 3 * s]) +
           FD_C3 * (f[i + 3 * s] - f[i - 4 * s]);
}

// image method: stresses across the free surface are antisymmetric
__device__ float image_z(const float *f, const FdGrid &g, int i, int j, int k)
{
    if (k >= 0) return f[AT3(i, j, k)];
    return -f[AT3(i, j, -k - 1)];
}

__device__ float fd_backward_surface(const float *f, const FdGrid &g, int i, int j, int k)
{
    const float c[FD_R] = { FD_C0, FD_C1, FD_C2, FD_C3 };
    float s = 0.0f;
#pragma unroll
    for (int m = 0; m < FD_R; m++) s += c[m] * (image_z(f, g, i, j, k + m) - image_z(f, g, i, j, k - m - 1));
    return s;
}

/* kmutate launch
   struct FdGrid { int nx, ny, nz; int pitch; size_t plane; float dt, inv_h; int sponge; };
   int nx = 250, ny = 240, nz = 216, pitch = 256;
   size_t total = (size_t)pitch * ny * nz;
   dim3 block = { 32, 4, 2 };
   dim3 grid = { (nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2 };
   struct FdGrid g = { nx, ny, nz, pitch, (size_t)pitch * ny, 0.0008f, 0.1f, 20 };
   float vx[total] = normal(0, 0.01);
   float buoyancy[total] = uniform(0.35, 0.6);
   float txx[total] = normal(0, 1), txy[total] = normal(0, 1), txz[total] = normal(0, 1);
   float damp[20] = iota(0.92, 0.004);
   elastic_velocity_update_8th(vx, buoyancy, txx, txy, txz, damp, g, 1);
*/
__global__ void elastic_velocity_update_8th(float *vx, const float *buoyancy, const float *txx, const float *txy,
                                            const float *txz, const float *damp, FdGrid g, int free_surface)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < FD_R || i >= g.nx - FD_R || j < FD_R || j >= g.ny - FD_R) return;
    if (k >= g.nz - FD_R) return;

    size_t id = AT3(i, j, k);
    float dz;
    if (k < FD_R) {
        if (!free_surface) return;
        dz = fd_backward_surface(txz, g, i, j, k);
    } else {
        dz = fd_backward(txz, id, g.plane);
    }
    float d = fd_forward(txx, id, 1) + fd_backward(txy, id, g.pitch) + dz;
    float b = 0.5f * (buoyancy[id] + buoyancy[id + 1]);
    float v = vx[id] + g.dt * g.inv_h * b * d;

    int edge = min(min(i, g.nx - 1 - i), min(j, g.ny - 1 - j));
    edge = min(edge, g.nz - 1 - k);
    if (!free_surface) edge = min(edge, k);
    if (edge < g.sponge) v *= damp[edge];
    vx[id] = v;
}

// ------------------------------------------------------------------------------------------------ 3. phylogenetics
#define CODON_STATES 61
#define PATTERNS_PER_BLOCK 4

__device__ double dot_states(const double *row_t, const double *partial, int state)
{
    // row_t is the transition matrix transposed: [from][to]
    double s = 0.0;
    for (int k = 0; k < CODON_STATES; k++) s += row_t[k * CODON_STATES + state] * partial[k];
    return s;
}

/* kmutate launch
   int patterns = 7003, cats = 4, states = 61;
   dim3 grid = { (patterns + 3) / 4, cats };
   dim3 block = { 64 };
   double parent[cats * patterns * states] = zeros();
   double left[cats * patterns * states] = uniform(0.001, 1);
   double right[cats * patterns * states] = uniform(0.001, 1);
   double matrix_left[cats * states * states] = uniform(0, 0.05);
   double matrix_right[cats * states * states] = uniform(0, 0.05);
   int tip_states[patterns] = randint(0, 64);
   int scale_exponent[cats * patterns] = zeros();
   codon_partials_with_tip(parent, left, right, matrix_left, matrix_right, NULL, tip_states, scale_exponent, patterns, 1e-2);
*/
__global__ void codon_partials_with_tip(double *parent, const double *left, const double *right, const double *matrix_left,
                                        const double *matrix_right, const int *tips_left, const int *tips_right,
                                        int *scale_exponent, int patterns, double scale_below)
{
    __shared__ double part_l[PATTERNS_PER_BLOCK][CODON_STATES];
    __shared__ double part_r[PATTERNS_PER_BLOCK][CODON_STATES];
    __shared__ double result[PATTERNS_PER_BLOCK][CODON_STATES + 3];
    const int state = threadIdx.x;
    const int cat = blockIdx.y;
    const int first = blockIdx.x * PATTERNS_PER_BLOCK;
    const double *ml = matrix_left + (size_t)cat * CODON_STATES * CODON_STATES;
    const double *mr = matrix_right + (size_t)cat * CODON_STATES * CODON_STATES;

    for (int p = 0; p < PATTERNS_PER_BLOCK; p++) {
        if (first + p >= patterns || state >= CODON_STATES) continue;
        size_t at = ((size_t)cat * patterns + first + p) * CODON_STATES + state;
        if (tips_left == NULL) part_l[p][state] = left[at];
        if (tips_right == NULL) part_r[p][state] = right[at];
    }
    __syncthreads();

    for (int p = 0; p < PATTERNS_PER_BLOCK; p++) {
        int pattern = first + p;
        if (pattern >= patterns) break;
        double v = 0.0;
        if (state < CODON_STATES) {
            double a, b;
            if (tips_left != NULL) {
                int s = tips_left[pattern];
                a = s < CODON_STATES ? ml[s * CODON_STATES + state] : 1.0;
            } else {
                a = dot_states(ml, part_l[p], state);
            }
            if (tips_right != NULL) {
                int s = tips_right[pattern];
                b = s < CODON_STATES ? mr[s * CODON_STATES + state] : 1.0;  // 61..63: gap
            } else {
                b = dot_states(mr, part_r[p], state);
            }
            v = a * b;
        }
        result[p][state] = v;
    }
    __syncthreads();

    for (int p = 0; p < PATTERNS_PER_BLOCK; p++) {
        int pattern = first + p;
        if (pattern >= patterns) break;
        double top = 0.0;
        for (int k = 0; k < CODON_STATES; k++) top = fmax(top, result[p][k]);
        double scale = 1.0;
        if (top < scale_below && top > 0.0) {
            int e;
            frexp(top, &e);
            scale = ldexp(1.0, -e);
            if (state == 0) scale_exponent[(size_t)cat * patterns + pattern] += e;
        }
        if (state < CODON_STATES)
            parent[((size_t)cat * patterns + pattern) * CODON_STATES + state] = result[p][state] * scale;
    }
}

// ------------------------------------------------------------------------------------------------ 4. layer norm
template <int THREADS>
__device__ float2 block_sum2(float2 v, float2 *scratch)
{
    scratch[threadIdx.x] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            scratch[threadIdx.x].x += scratch[threadIdx.x + s].x;
            scratch[threadIdx.x].y += scratch[threadIdx.x + s].y;
        }
        __syncthreads();
    }
    float2 r = scratch[0];
    __syncthreads();
    return r;
}

/* kmutate launch
   int rows = 12000, cols = 1500, threads = 256, blocks = 528;
   dim3 grid = { blocks }, block = { threads };
   __nv_bfloat16 dx[rows * cols] = zeros();
   __nv_bfloat16 dy[rows * cols] = normal(0, 0.1);
   __nv_bfloat16 x[rows * cols] = normal(0, 1);
   float gamma[cols] = normal(1, 0.1), mean[rows] = normal(0, 0.02), rstd[rows] = uniform(0.9, 1.1);
   float dgamma_part[blocks * cols] = zeros(), dbeta_part[blocks * cols] = zeros();
   layernorm_grad_rows_bf16<256, 6>(dx, dy, x, gamma, mean, rstd, dgamma_part, dbeta_part, rows, cols);
*/
template <int THREADS, int PER_THREAD>
__global__ void layernorm_grad_rows_bf16(__nv_bfloat16 *dx, const __nv_bfloat16 *dy, const __nv_bfloat16 *x,
                                         const float *gamma, const float *mean, const float *rstd, float *dgamma_part,
                                         float *dbeta_part, unsigned rows, unsigned cols)
{
    __shared__ float2 scratch[THREADS];
    float dg[PER_THREAD], db[PER_THREAD];
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++) dg[i] = db[i] = 0.0f;

    for (unsigned row = blockIdx.x; row < rows; row += gridDim.x) {
        const size_t base = (size_t)row * cols;
        const float m = mean[row], rs = rstd[row];
        float2 sums = make_float2(0.0f, 0.0f);
#pragma unroll
        for (int i = 0; i < PER_THREAD; i++) {
            unsigned c = threadIdx.x + i * THREADS;
            if (c >= cols) break;
            float d = __bfloat162float(dy[base + c]);
            float xh = (__bfloat162float(x[base + c]) - m) * rs;
            float w = d * gamma[c];
            sums.x += w;
            sums.y += w * xh;
            dg[i] += d * xh;
            db[i] += d;
        }
        sums = block_sum2<THREADS>(sums, scratch);
        sums.x /= cols;
        sums.y /= cols;
        for (unsigned c = threadIdx.x; c < cols; c += THREADS) {
            float w = __bfloat162float(dy[base + c]) * gamma[c];
            float xh = (__bfloat162float(x[base + c]) - m) * rs;
            dx[base + c] = __float2bfloat16(rs * (w - sums.x - xh * sums.y));
        }
    }
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++) {
        unsigned c = threadIdx.x + i * THREADS;
        if (c < cols) {
            dgamma_part[(size_t)blockIdx.x * cols + c] = dg[i];
            dbeta_part[(size_t)blockIdx.x * cols + c] = db[i];
        }
    }
}

// ------------------------------------------------------------------------------------------------ 5. depthwise conv
struct ConvShape {
    int batch, height, width, channels;
    int out_height, out_width;
    int stride, pad, dilation;
};

struct QuantParams {
    int input_zero, output_zero;
    int act_min, act_max;
};

__device__ int requantize(int acc, int multiplier, int shift)
{
    long long p = (long long)acc * multiplier;
    long long round = 1ll << (30 + shift);
    return (int)((p + round) >> (31 + shift));
}

/* kmutate launch
   struct ConvShape { int batch, height, width, channels; int out_height, out_width; int stride, pad, dilation; };
   struct QuantParams { int input_zero, output_zero; int act_min, act_max; };
   int n = 16, h = 112, w = 110, c = 168;
   dim3 block = { 96, 4 };
   dim3 grid = { (c + 95) / 96, (w + 3) / 4, h * n };
   struct ConvShape s = { n, h, w, c, h, w, 1, 2, 2 };
   struct QuantParams q = { -11, 4, -128, 127 };
   signed char in[n * h * w * c] = randint(-128, 128), out[n * h * w * c] = zeros();
   signed char filter[9 * c] = randint(-127, 128);
   int bias[c] = randint(-3000, 3000), multiplier[c] = randint(1073741824, 2147483647);
   unsigned char shift[c] = randint(6, 10);
   depthwise_conv_dilated_s8<3, 3>(out, in, filter, bias, multiplier, shift, s, q);
*/
template <int KH, int KW>
__global__ void depthwise_conv_dilated_s8(signed char *out, const signed char *in, const signed char *filter,
                                          const int *bias, const int *multiplier, const unsigned char *shift, ConvShape s,
                                          QuantParams q)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    int ox = blockIdx.y * blockDim.y + threadIdx.y;
    int oy = blockIdx.z % s.out_height;
    int b = blockIdx.z / s.out_height;
    if (ch >= s.channels || ox >= s.out_width) return;

    int acc = bias != NULL ? bias[ch] : 0;
    int x0 = ox * s.stride - s.pad, y0 = oy * s.stride - s.pad;
    for (int ky = 0; ky < KH; ky++) {
        int iy = y0 + ky * s.dilation;
        if (iy < 0 || iy >= s.height) continue;
        for (int kx = 0; kx < KW; kx++) {
            int ix = x0 + kx * s.dilation;
            if (ix < 0 || ix >= s.width) continue;
            size_t at = (((size_t)b * s.height + iy) * s.width + ix) * s.channels + ch;
            acc += ((int)in[at] - q.input_zero) * (int)filter[(ky * KW + kx) * s.channels + ch];
        }
    }
    int v = requantize(acc, multiplier[ch], shift[ch]) + q.output_zero;
    v = clamp_to(v, q.act_min, q.act_max);
    out[(((size_t)b * s.out_height + oy) * s.out_width + ox) * s.channels + ch] = (signed char)v;
}

// ------------------------------------------------------------------------------------------------ 6. top-k sampling
#define TOPK_CAP 128

__device__ __forceinline__ unsigned ordered_bits(float f)
{
    unsigned u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
}

__device__ __forceinline__ float from_ordered_bits(unsigned u)
{
    return __uint_as_float((u & 0x80000000u) ? (u ^ 0x80000000u) : ~u);
}

/* kmutate launch
   int vocab = 50257, batch = 2, k = 50;
   dim3 grid = { batch }, block = { 1024 };
   float logits[batch * vocab] = normal(0, 3);
   unsigned char banned[vocab] = randint(0, 200);
   float dice[batch] = uniform(0, 1);
   int token[batch] = zeros();
   float probability[batch] = zeros();
   topk_sample_from_logits(token, probability, logits, banned, dice, vocab, k, 0.8f, 0.95f);
*/
__global__ void topk_sample_from_logits(int *token, float *probability, const float *logits, const unsigned char *banned,
                                        const float *dice, int vocab, int k, float temperature, float top_p)
{
    __shared__ unsigned hist[256];
    __shared__ unsigned prefix, wanted;
    __shared__ unsigned count;
    __shared__ unsigned long long best[TOPK_CAP];
    const float *row = logits + (size_t)blockIdx.x * vocab;
    const int tid = threadIdx.x;
    if (tid == 0) {
        prefix = 0;
        wanted = k;
        count = 0;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int i = tid; i < 256; i += blockDim.x) hist[i] = 0;
        __syncthreads();
        unsigned have = prefix;
        unsigned mask = shift == 24 ? 0u : (0xffffffffu << (shift + 8));
        for (int i = tid; i < vocab; i += blockDim.x) {
            if (banned[i] == 0) continue;
            unsigned u = ordered_bits(row[i]);
            if ((u & mask) == (have & mask)) atomicAdd(&hist[(u >> shift) & 255], 1u);
        }
        __syncthreads();
        if (tid == 0) {
            unsigned left = wanted;
            int bin = 255;
            while (bin > 0 && hist[bin] < left) left -= hist[bin--];
            wanted = left;
            prefix = have | ((unsigned)bin << shift);
        }
        __syncthreads();
    }
    unsigned limit = prefix;
    for (int i = tid; i < TOPK_CAP; i += blockDim.x) best[i] = 0;
    __syncthreads();
    for (int i = tid; i < vocab; i += blockDim.x) {
        if (banned[i] == 0) continue;
        unsigned u = ordered_bits(row[i]);
        if (u >= limit) {
            unsigned at = atomicAdd(&count, 1u);
            if (at < TOPK_CAP) best[at] = ((unsigned long long)u << 32) | (unsigned)(vocab - 1 - i);
        }
    }
    __syncthreads();
    // bitonic sort, descending
    for (int size = 2; size <= TOPK_CAP; size <<= 1) {
        for (int j = size >> 1; j > 0; j >>= 1) {
            if (tid < TOPK_CAP) {
                int other = tid ^ j;
                if (other > tid) {
                    unsigned long long a = best[tid], b = best[other];
                    bool descending = (tid & size) == 0;
                    if ((a < b) == descending) {
                        best[tid] = b;
                        best[other] = a;
                    }
                }
            }
            __syncthreads();
        }
    }
    if (tid != 0) return;
    int m = min(k, (int)min(count, (unsigned)TOPK_CAP));
    float top = from_ordered_bits((unsigned)(best[0] >> 32));
    float total = 0.0f;
    for (int i = 0; i < m; i++) total += expf((from_ordered_bits((unsigned)(best[i] >> 32)) - top) / temperature);
    float kept = 0.0f;
    int cut = 0;
    while (cut < m && kept < top_p * total)
        kept += expf((from_ordered_bits((unsigned)(best[cut++] >> 32)) - top) / temperature);
    float target = dice[blockIdx.x] * kept, run = 0.0f, p = 0.0f;
    int pick = 0;
    for (int i = 0; i < cut; i++) {
        p = expf((from_ordered_bits((unsigned)(best[i] >> 32)) - top) / temperature);
        run += p;
        pick = i;
        if (run >= target) break;
    }
    token[blockIdx.x] = vocab - 1 - (int)(unsigned)(best[pick] & 0xffffffffu);
    probability[blockIdx.x] = p / kept;
}

// ------------------------------------------------------------------------------------------------ 7. big integers
#define LIMBS 8

struct BigInt256 {
    unsigned v[LIMBS];
};

__constant__ unsigned c_prime[LIMBS] = { 0xfffffc2fu, 0xfffffffeu, 0xffffffffu, 0xffffffffu,
                                         0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu };
__constant__ unsigned c_r_squared[LIMBS] = { 0xe90a1u, 0x7a2u, 1u, 0u, 0u, 0u, 0u, 0u };
#define PRIME_N0 0xd2253531u

__device__ bool big_not_less(const BigInt256 &a, unsigned carry)
{
    if (carry) return true;
#pragma unroll
    for (int i = LIMBS - 1; i >= 0; i--) {
        if (a.v[i] > c_prime[i]) return true;
        if (a.v[i] < c_prime[i]) return false;
    }
    return true;
}

__device__ void big_sub_prime(BigInt256 &a)
{
    long long borrow = 0;
#pragma unroll
    for (int i = 0; i < LIMBS; i++) {
        long long d = (long long)a.v[i] - c_prime[i] + borrow;
        a.v[i] = (unsigned)d;
        borrow = d >> 32;
    }
}

__device__ __noinline__ BigInt256 montgomery_mul(const BigInt256 a, const BigInt256 b)
{
    unsigned t[LIMBS + 2];
#pragma unroll
    for (int i = 0; i < LIMBS + 2; i++) t[i] = 0;
#pragma unroll
    for (int i = 0; i < LIMBS; i++) {
        unsigned long long c = 0;
#pragma unroll
        for (int j = 0; j < LIMBS; j++) {
            c += (unsigned long long)a.v[j] * b.v[i] + t[j];
            t[j] = (unsigned)c;
            c >>= 32;
        }
        c += t[LIMBS];
        t[LIMBS] = (unsigned)c;
        t[LIMBS + 1] = (unsigned)(c >> 32);
        unsigned m = t[0] * PRIME_N0;
        c = (unsigned long long)m * c_prime[0] + t[0];
        c >>= 32;
#pragma unroll
        for (int j = 1; j < LIMBS; j++) {
            c += (unsigned long long)m * c_prime[j] + t[j];
            t[j - 1] = (unsigned)c;
            c >>= 32;
        }
        c += t[LIMBS];
        t[LIMBS - 1] = (unsigned)c;
        t[LIMBS] = t[LIMBS + 1] + (unsigned)(c >> 32);
    }
    BigInt256 r;
#pragma unroll
    for (int i = 0; i < LIMBS; i++) r.v[i] = t[i];
    if (big_not_less(r, t[LIMBS])) big_sub_prime(r);
    return r;
}

/* kmutate launch
   int n = 50000;
   dim3 grid = { (n + 191) / 192 }, block = { 192 };
   unsigned base[n * 8] = randint(0, 4294967295);
   unsigned long long exponent[n] = randint(1, 1099511627776);
   unsigned result[n * 8] = zeros();
   montgomery_power_mod_prime(result, base, exponent, n);
*/
__global__ void montgomery_power_mod_prime(unsigned *result, const unsigned *base, const unsigned long long *exponent, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    BigInt256 x, r2, one, acc;
#pragma unroll
    for (int k = 0; k < LIMBS; k++) {
        x.v[k] = base[(size_t)i * LIMBS + k];
        r2.v[k] = c_r_squared[k];
        one.v[k] = k == 0;
    }
    if (big_not_less(x, 0)) big_sub_prime(x);
    x = montgomery_mul(x, r2);
    acc = montgomery_mul(one, r2);
    unsigned long long e = exponent[i];
    int bits = 64 - __clzll(e);
    for (int b = bits - 1; b >= 0; b--) {
        acc = montgomery_mul(acc, acc);
        if ((e >> b) & 1) acc = montgomery_mul(acc, x);
    }
    acc = montgomery_mul(acc, one);
#pragma unroll
    for (int k = 0; k < LIMBS; k++) result[(size_t)i * LIMBS + k] = acc.v[k];
}

// ------------------------------------------------------------------------------------------------ 8. text distance
#define QUERY_MAX 48
#define WORD_STRIDE 64

__constant__ char c_query[QUERY_MAX];

__device__ __forceinline__ char fold_case(char c)
{
    return (c >= 'A' && c <= 'Z') ? c + 32 : c;
}

/* kmutate launch
   int words = 150000, query_len = 37;
   dim3 grid = { (words + 127) / 128 }, block = { 128 };
   extern char c_query[48] = randint(97, 107);
   char text[words * 64] = randint(65, 123);
   unsigned char length[words] = randint(8, 64);
   int distance[words] = zeros();
   int histogram[65] = zeros();
   damerau_distance_local_rows(distance, histogram, text, length, words, query_len, 30);
*/
__global__ void damerau_distance_local_rows(int *distance, int *histogram, const char *text, const unsigned char *length,
                                            int words, int query_len, int limit)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    unsigned short rows[3][QUERY_MAX + 1];
    int len = length[w];
    int diff = len > query_len ? len - query_len : query_len - len;
    if (diff > limit) {
        distance[w] = limit + 1;
        return;
    }
    for (int j = 0; j <= query_len; j++) rows[0][j] = j;
    const char *word = text + (size_t)w * WORD_STRIDE;
    char before = 0;
    int now = 0;
    for (int i = 0; i < len; i++) {
        int last = now, older = (now + 2) % 3;
        now = (now + 1) % 3;
        char c = fold_case(word[i]);
        rows[now][0] = i + 1;
        int lowest = i + 1;
        for (int j = 1; j <= query_len; j++) {
            char q = c_query[j - 1];
            int v = rows[last][j - 1] + (c != q);
            v = min(v, rows[last][j] + 1);
            v = min(v, rows[now][j - 1] + 1);
            if (i > 0 && j > 1 && c == c_query[j - 2] && before == q) v = min(v, rows[older][j - 2] + 1);
            rows[now][j] = v;
            lowest = min(lowest, v);
        }
        if (lowest > limit) {
            distance[w] = limit + 1;
            return;
        }
        before = c;
    }
    int d = rows[now][query_len];
    distance[w] = d;
    atomicAdd(&histogram[min(d, 64)], 1);
}

// ================================================================================================ TUNED

// ------------------------------------------------------------------------------------------------ 9. complex gemm
#define CG_TILE 64
#define CG_K 8
#define CG_PAD 2

template <bool CONJ_A>
__device__ __forceinline__ void complex_fma(float2 &c, float2 a, float2 b)
{
    if (CONJ_A) a.y = -a.y;
    c.x = fmaf(a.x, b.x, c.x);
    c.x = fmaf(-a.y, b.y, c.x);
    c.y = fmaf(a.x, b.y, c.y);
    c.y = fmaf(a.y, b.x, c.y);
}

/* kmutate launch
   int m = 1000, n = 940, k = 500;
   dim3 grid = { (n + 63) / 64, (m + 63) / 64 };
   dim3 block = { 16, 16 };
   float2 a[k * m] = normal(), b[k * n] = normal(), c[m * n] = zeros();
   cgemm_double_buffer_tile<true>(c, a, b, m, n, k, m, n, n, make_float2(1, 0), make_float2(0, 0));
*/
template <bool CONJ_A>
__global__ void __launch_bounds__(256)
cgemm_double_buffer_tile(float2 *__restrict__ c, const float2 *__restrict__ a, const float2 *__restrict__ b, int m, int n,
                         int k, int lda, int ldb, int ldc, float2 alpha, float2 beta)
{
    __shared__ __align__(16) float2 as[2][CG_K][CG_TILE + CG_PAD];
    __shared__ __align__(16) float2 bs[2][CG_K][CG_TILE + CG_PAD];
    const int tid = threadIdx.y * 16 + threadIdx.x;
    const int lrow = tid >> 5, lcol = (tid & 31) * 2;
    const int m0 = blockIdx.y * CG_TILE, n0 = blockIdx.x * CG_TILE;
    float2 acc[4][4];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] = make_float2(0.0f, 0.0f);

    const bool a_in = m0 + lcol < m, b_in = n0 + lcol < n;  // m and n are even
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 ra = zero, rb = zero;
    if (lrow < k) {
        if (a_in) ra = *reinterpret_cast<const float4 *>(a + (size_t)lrow * lda + m0 + lcol);
        if (b_in) rb = *reinterpret_cast<const float4 *>(b + (size_t)lrow * ldb + n0 + lcol);
    }
    *reinterpret_cast<float4 *>(&as[0][lrow][lcol]) = ra;
    *reinterpret_cast<float4 *>(&bs[0][lrow][lcol]) = rb;
    __syncthreads();

    int buf = 0;
    for (int k0 = 0; k0 < k; k0 += CG_K) {
        const int kn = k0 + CG_K + lrow;
        const bool more = k0 + CG_K < k;
        if (more) {
            ra = (kn < k && a_in) ? *reinterpret_cast<const float4 *>(a + (size_t)kn * lda + m0 + lcol) : zero;
            rb = (kn < k && b_in) ? *reinterpret_cast<const float4 *>(b + (size_t)kn * ldb + n0 + lcol) : zero;
        }
#pragma unroll
        for (int kk = 0; kk < CG_K; kk++) {
            __align__(16) float2 fa[4], fb[4];
            *reinterpret_cast<float4 *>(&fa[0]) = *reinterpret_cast<const float4 *>(&as[buf][kk][threadIdx.y * 4]);
            *reinterpret_cast<float4 *>(&fa[2]) = *reinterpret_cast<const float4 *>(&as[buf][kk][threadIdx.y * 4 + 2]);
            *reinterpret_cast<float4 *>(&fb[0]) = *reinterpret_cast<const float4 *>(&bs[buf][kk][threadIdx.x * 2]);
            *reinterpret_cast<float4 *>(&fb[2]) = *reinterpret_cast<const float4 *>(&bs[buf][kk][32 + threadIdx.x * 2]);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) complex_fma<CONJ_A>(acc[i][j], fa[i], fb[j]);
        }
        if (more) {
            *reinterpret_cast<float4 *>(&as[buf ^ 1][lrow][lcol]) = ra;
            *reinterpret_cast<float4 *>(&bs[buf ^ 1][lrow][lcol]) = rb;
            __syncthreads();
            buf ^= 1;
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int row = m0 + threadIdx.y * 4 + i;
        if (row >= m) break;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int col = n0 + (j < 2 ? 0 : 32) + threadIdx.x * 2 + (j & 1);
            if (col >= n) continue;
            float2 r = make_float2(0.0f, 0.0f);
            complex_fma<false>(r, alpha, acc[i][j]);
            float2 *dst = c + (size_t)row * ldc + col;
            if (beta.x != 0.0f || beta.y != 0.0f) complex_fma<false>(r, beta, *dst);
            *dst = r;
        }
    }
}

// ------------------------------------------------------------------------------------------------ 10. int4 gemv
#define Q4_GROUP 128

__device__ __forceinline__ float dot8_int4(unsigned packed, const half2 *x, float zero)
{
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 v = __half22float2(x[i]);
        s = fmaf((float)((packed >> (8 * i)) & 15u) - zero, v.x, s);
        s = fmaf((float)((packed >> (8 * i + 4)) & 15u) - zero, v.y, s);
    }
    return s;
}

/* kmutate launch
   int rows = 28672, cols = 8192, warps = 4;
   dim3 grid = { rows / (2 * warps) }, block = { 32, warps };
   size_t smem = cols * sizeof(half);
   half y[rows] = zeros(), x[cols] = normal(0, 0.5), bias[rows] = normal(0, 0.1);
   unsigned weights[rows * (cols / 8)] = randint(0, 4294967295);
   half scales[rows * (cols / 128)] = uniform(0.002, 0.01);
   unsigned char zeros_[rows * (cols / 128)] = randint(6, 10);
   gemv_int4_group_dequant<2>(y, weights, scales, zeros_, x, bias, rows, cols);
*/
template <int ROWS_PER_WARP>
__global__ void gemv_int4_group_dequant(half *__restrict__ y, const unsigned *__restrict__ weights,
                                        const half *__restrict__ scales, const unsigned char *__restrict__ zeros,
                                        const half *__restrict__ x, const half *__restrict__ bias, int rows, int cols)
{
    extern __shared__ int4 x_tile[];
    const int tid = threadIdx.y * WARP_SIZE + threadIdx.x;
    const int threads = blockDim.y * WARP_SIZE;
    const int4 *x4 = reinterpret_cast<const int4 *>(x);
    for (int i = tid; i < cols / 8; i += threads) x_tile[i] = __ldg(x4 + i);
    __syncthreads();

    const int row0 = (blockIdx.x * blockDim.y + threadIdx.y) * ROWS_PER_WARP;
    if (row0 >= rows) return;
    const half2 *xs = reinterpret_cast<const half2 *>(x_tile);
    const int groups = cols / Q4_GROUP;
    float acc[ROWS_PER_WARP];
#pragma unroll
    for (int r = 0; r < ROWS_PER_WARP; r++) acc[r] = 0.0f;

#pragma unroll 2
    for (int col = threadIdx.x * 32; col < cols; col += WARP_SIZE * 32) {
        uint4 w[ROWS_PER_WARP];
#pragma unroll
        for (int r = 0; r < ROWS_PER_WARP; r++)
            w[r] = __ldg(reinterpret_cast<const uint4 *>(weights + ((size_t)(row0 + r) * cols + col) / 8));
#pragma unroll
        for (int r = 0; r < ROWS_PER_WARP; r++) {
            size_t g = (size_t)(row0 + r) * groups + col / Q4_GROUP;
            float scale = __half2float(__ldg(scales + g)), zero = (float)__ldg(zeros + g);
            float s = dot8_int4(w[r].x, xs + col / 2, zero);
            s += dot8_int4(w[r].y, xs + col / 2 + 4, zero);
            s += dot8_int4(w[r].z, xs + col / 2 + 8, zero);
            s += dot8_int4(w[r].w, xs + col / 2 + 12, zero);
            acc[r] = fmaf(scale, s, acc[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS_PER_WARP; r++) {
        float s = warp_sum(acc[r]);
        if (threadIdx.x == 0) y[row0 + r] = __float2half(s + __half2float(bias[row0 + r]));
    }
}

// ------------------------------------------------------------------------------------------------ 11. stereo
#define ST_X 32
#define ST_Y 8
#define ST_R 2
#define ST_W (ST_X + 2 * ST_R)
#define ST_H (ST_Y + 2 * ST_R)

/* kmutate launch
   int width = 1242, height = 375, pitch = 1248;
   dim3 block = { 32, 8 };
   dim3 grid = { (width + 31) / 32, (height + 7) / 8 };
   unsigned long long left[pitch * height] = randint(0, 281474976710656);
   unsigned long long right[pitch * height] = randint(0, 281474976710656);
   unsigned char disparity[pitch * height] = zeros();
   unsigned short confidence[pitch * height] = zeros();
   stereo_census_box_aggregate<64>(disparity, confidence, left, right, width, height, pitch, 0.95f);
*/
template <int DISPARITIES>
__global__ void __launch_bounds__(ST_X *ST_Y)
stereo_census_box_aggregate(unsigned char *__restrict__ disparity, unsigned short *__restrict__ confidence,
                            const unsigned long long *__restrict__ left, const unsigned long long *__restrict__ right,
                            int width, int height, int pitch, float uniqueness)
{
    __shared__ unsigned long long tile_r[ST_H][ST_W + DISPARITIES + 1];
    __shared__ unsigned long long tile_l[ST_H][ST_W + 1];
    __shared__ unsigned short cost[2][ST_H][ST_X + 2];
    const int x0 = blockIdx.x * ST_X - ST_R, y0 = blockIdx.y * ST_Y - ST_R;
    const int tid = threadIdx.y * ST_X + threadIdx.x;

    for (int r = threadIdx.y; r < ST_H; r += ST_Y) {
        const size_t line = (size_t)clamp_to(y0 + r, 0, height - 1) * pitch;
        for (int c = threadIdx.x; c < ST_W; c += ST_X) tile_l[r][c] = __ldg(left + line + clamp_to(x0 + c, 0, width - 1));
        for (int c = threadIdx.x; c < ST_W + DISPARITIES; c += ST_X)
            tile_r[r][c] = __ldg(right + line + clamp_to(x0 - DISPARITIES + c, 0, width - 1));
    }
    __syncthreads();

    int best = 1 << 20, second = 1 << 20, best_d = 0;
    for (int d = 0; d < DISPARITIES; d++) {
        const int buf = d & 1;
        // horizontal sums of the rows, halo rows too
        for (int i = tid; i < ST_H * ST_X; i += ST_X * ST_Y) {
            int r = i / ST_X, c = i % ST_X, s = 0;
#pragma unroll
            for (int k = 0; k <= 2 * ST_R; k++) s += __popcll(tile_l[r][c + k] ^ tile_r[r][c + k + DISPARITIES - d]);
            cost[buf][r][c] = s;
        }
        __syncthreads();
        int sum = 0;
#pragma unroll
        for (int k = 0; k <= 2 * ST_R; k++) sum += cost[buf][threadIdx.y + k][threadIdx.x];
        if (sum < best) {
            if (d - best_d > 1) second = best;
            best = sum;
            best_d = d;
        } else if (sum < second && d - best_d > 1) {
            second = sum;
        }
    }
    const int x = blockIdx.x * ST_X + threadIdx.x, y = blockIdx.y * ST_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    bool good = (float)best < uniqueness * (float)second && x >= best_d;
    disparity[(size_t)y * pitch + x] = good ? best_d : 255;
    confidence[(size_t)y * pitch + x] = (unsigned short)min(second - best, 65535);
}

// ------------------------------------------------------------------------------------------------ 12. paged attention
#define PAGE_TOKENS 16

__device__ __forceinline__ float dot8_half(int4 a, const float *q)
{
    const half2 *h = reinterpret_cast<const half2 *>(&a);
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 v = __half22float2(h[i]);
        s = fmaf(v.x, q[2 * i], s);
        s = fmaf(v.y, q[2 * i + 1], s);
    }
    return s;
}

/* kmutate launch
   int batch = 20, heads = 32, kv_heads = 8, pages_per_seq = 128, max_len = 2048;
   int pages = batch * pages_per_seq;
   dim3 grid = { heads, batch }, block = { 128 };
   size_t smem = max_len * sizeof(float);
   half out[batch * heads * 128] = zeros(), q[batch * heads * 128] = normal(0, 1);
   half k_cache[pages * kv_heads * 16 * 128] = normal(0, 1), v_cache[pages * kv_heads * 16 * 128] = normal(0, 1);
   int page_table[pages] = permutation();
   int lengths[batch] = randint(200, 2048);
   paged_kv_decode_attention<128>(out, q, k_cache, v_cache, page_table, lengths, kv_heads, pages_per_seq, 0.0883883f);
*/
template <int HEAD_DIM>
__global__ void __launch_bounds__(128)
paged_kv_decode_attention(half *__restrict__ out, const half *__restrict__ q, const half *__restrict__ k_cache,
                          const half *__restrict__ v_cache, const int *__restrict__ page_table,
                          const int *__restrict__ lengths, int kv_heads, int pages_per_seq, float scale)
{
    extern __shared__ float logits[];
    __shared__ float red[4];
    const int head = blockIdx.x, seq = blockIdx.y, heads = gridDim.x;
    const int kv_head = head / (heads / kv_heads);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int sub = lane >> 4, part = lane & 15;  // 16 lanes make a token's dot product
    const int len = __ldg(lengths + seq);
    const int *table = page_table + seq * pages_per_seq;

    float qf[8];
    {
        int4 raw = __ldg(reinterpret_cast<const int4 *>(q + ((size_t)seq * heads + head) * HEAD_DIM) + part);
        const half2 *h = reinterpret_cast<const half2 *>(&raw);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 v = __half22float2(h[i]);
            qf[2 * i] = v.x * scale;
            qf[2 * i + 1] = v.y * scale;
        }
    }
    float top = -1e30f;
    for (int page = warp; page * PAGE_TOKENS < len; page += 4) {
        const size_t base = ((size_t)__ldg(table + page) * kv_heads + kv_head) * PAGE_TOKENS * HEAD_DIM;
#pragma unroll 4
        for (int t = sub; t < PAGE_TOKENS; t += 2) {
            float s = dot8_half(__ldg(reinterpret_cast<const int4 *>(k_cache + base + t * HEAD_DIM) + part), qf);
#pragma unroll
            for (int o = 8; o > 0; o >>= 1) s += __shfl_xor_sync(FULL_MASK, s, o);
            int token = page * PAGE_TOKENS + t;
            if (token < len) {
                top = fmaxf(top, s);
                if (part == 0) logits[token] = s;
            }
        }
    }
    top = warp_max(top);
    if (lane == 0) red[warp] = top;
    __syncthreads();
    top = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
    __syncthreads();
    float sum = 0.0f;
    for (int t = threadIdx.x; t < len; t += 128) {
        float e = __expf(logits[t] - top);
        logits[t] = e;
        sum += e;
    }
    sum = warp_sum(sum);
    if (lane == 0) red[warp] = sum;
    __syncthreads();
    sum = red[0] + red[1] + red[2] + red[3];

    float acc = 0.0f;
    for (int page = 0; page * PAGE_TOKENS < len; page++) {
        const half *v = v_cache + ((size_t)__ldg(table + page) * kv_heads + kv_head) * PAGE_TOKENS * HEAD_DIM + threadIdx.x;
        const int first = page * PAGE_TOKENS;
        if (first + PAGE_TOKENS <= len) {
#pragma unroll
            for (int t = 0; t < PAGE_TOKENS; t++) acc = fmaf(logits[first + t], __half2float(__ldg(v + t * HEAD_DIM)), acc);
        } else {
#pragma unroll 1
            for (int t = 0; first + t < len; t++) acc = fmaf(logits[first + t], __half2float(__ldg(v + t * HEAD_DIM)), acc);
        }
    }
    out[((size_t)seq * heads + head) * HEAD_DIM + threadIdx.x] = __float2half(acc / sum);
}

// ------------------------------------------------------------------------------------------------ 13. batched cholesky
/* kmutate launch
   int batch = 8001;
   dim3 block = { 32, 4 };
   dim3 grid = { (batch + 3) / 4 };
   double a[batch * 32 * 32] = uniform(-1, 1), l[batch * 32 * 32] = zeros();
   double logdet[batch] = zeros();
   int info[batch] = zeros();
   batched_cholesky_small_fp64<32, 0, 4>(l, logdet, info, a, batch, 40.0);
*/
template <int N, int PAD, int MATS>
__global__ void __launch_bounds__(N *MATS)
batched_cholesky_small_fp64(double *__restrict__ l, double *__restrict__ logdet, int *__restrict__ info,
                            const double *__restrict__ a, int batch, double ridge)
{
    __shared__ double s[MATS][N][N + PAD];
    __shared__ int bad[MATS];
    const int row = threadIdx.x, slot = threadIdx.y;
    const int mat = blockIdx.x * MATS + slot;
    const bool active = mat < batch;
    const size_t base = (size_t)mat * N * N;
    if (row == 0) bad[slot] = 0;
    if (active) {
#pragma unroll 4
        for (int r = 0; r < N; r++) {
            double v = 0.0;
            if (row <= r) v = __ldg(a + base + r * N + row);
            if (row == r) v += ridge;
            s[slot][r][row] = v;
        }
    }
    __syncthreads();
    for (int k = 0; k < N; k++) {
        if (active && row == k) {
            double d = s[slot][k][k];
            if (d <= 0.0) {
                if (!bad[slot]) bad[slot] = k + 1;
                d = 1.0;
            }
            s[slot][k][k] = sqrt(d);
        }
        __syncthreads();
        double mine = 0.0;
        if (active && row > k) {
            mine = s[slot][row][k] / s[slot][k][k];
            s[slot][row][k] = mine;
        }
        __syncthreads();
        if (active && row > k) {
#pragma unroll 4
            for (int j = k + 1; j <= row; j++) s[slot][row][j] -= mine * s[slot][j][k];
        }
        __syncthreads();
    }
    if (!active) return;
#pragma unroll 4
    for (int r = 0; r < N; r++) l[base + r * N + row] = s[slot][r][row];
    double d = log(s[slot][row][row]);
#pragma unroll
    for (int o = N / 2; o > 0; o >>= 1) d += __shfl_down_sync(FULL_MASK, d, o);
    if (row == 0) {
        logdet[mat] = 2.0 * d;
        info[mat] = bad[slot];
    }
}

// ------------------------------------------------------------------------------------------------ 14. CTC
#define LOG_ZERO (-1e30f)

__device__ __forceinline__ float log_add(float a, float b)
{
    float hi = fmaxf(a, b), lo = fminf(a, b);
    return hi <= LOG_ZERO ? LOG_ZERO : hi + log1pf(__expf(lo - hi));
}

/* kmutate launch
   int batch = 3, frames = 640, alphabet = 80, max_labels = 47;
   dim3 grid = { batch }, block = { 96 };
   float log_probs[frames * batch * alphabet] = uniform(-9, -0.2);
   int labels[batch * max_labels] = randint(1, 80);
   int label_len[] = { 47, 31, 44 };
   int frame_len[] = { 640, 600, 431 };
   float alpha[batch * frames * 96] = zeros(), loss[batch] = zeros();
   ctc_alpha_forward_shared<96>(alpha, loss, log_probs, labels, label_len, frame_len, frames, batch, alphabet, max_labels, 0);
*/
template <int THREADS>
__global__ void __launch_bounds__(THREADS)
ctc_alpha_forward_shared(float *__restrict__ alpha, float *__restrict__ loss, const float *__restrict__ log_probs,
                         const int *__restrict__ labels, const int *__restrict__ label_len,
                         const int *__restrict__ frame_len, int frames, int batch, int alphabet, int max_labels, int blank)
{
    __shared__ float row[2][THREADS + 2];
    const int b = blockIdx.x, s = threadIdx.x;
    const int states = 2 * __ldg(label_len + b) + 1;
    const int frames_b = min(__ldg(frame_len + b), frames);
    const bool live = s < states;
    int symbol = blank;
    bool skip = false;
    if (live && (s & 1)) {
        symbol = __ldg(labels + b * max_labels + s / 2);
        skip = s >= 3 && __ldg(labels + b * max_labels + s / 2 - 1) != symbol;
    }
    const float *emit = log_probs + (size_t)b * alphabet + symbol;
    const size_t step = (size_t)batch * alphabet;
    float *trace = alpha + (size_t)b * frames * THREADS + s;

    if (s < 2) row[0][s] = row[1][s] = LOG_ZERO;
    float v = (live && s < 2) ? __ldg(emit) : LOG_ZERO;
    row[0][s + 2] = v;
    trace[0] = v;
    float next = frames_b > 1 ? __ldg(emit + step) : 0.0f;
    __syncthreads();
    int buf = 0;
    for (int t = 1; t < frames_b; t++) {
        const float now = next;
        if (t + 1 < frames_b) next = __ldg(emit + (size_t)(t + 1) * step);
        float p = log_add(row[buf][s + 2], row[buf][s + 1]);
        if (skip) p = log_add(p, row[buf][s]);
        v = (live && p > LOG_ZERO) ? p + now : LOG_ZERO;
        row[buf ^ 1][s + 2] = v;
        trace[(size_t)t * THREADS] = v;
        buf ^= 1;
        __syncthreads();
    }
    if (s == 0) loss[b] = -log_add(row[buf][states + 1], row[buf][states]);
}

// ================================================================================================ IRREGULAR

// ------------------------------------------------------------------------------------------------ 15. decision forest
#define FOREST_CLASSES 8
#define MISSING (-999.0f)

struct ForestView {
    const short *feature;
    const float *threshold;
    const unsigned *category_bits;
    const float *leaf_value;
    int trees, nodes_per_tree;
    int first_categorical;
};

/* kmutate launch
   struct ForestView { const short *feature; const float *threshold; const unsigned *category_bits;
                       const float *leaf_value; int trees, nodes_per_tree; int first_categorical; };
   int trees = 120, nodes = 2047, samples = 60000, features = 48;
   dim3 grid = { (samples + 383) / 384 }, block = { 384 };
   short feature[trees * nodes] = randint(-4, 48);
   float threshold[trees * nodes] = normal(0, 0.8);
   unsigned category_bits[trees * nodes] = randint(0, 4294967295);
   float leaf_value[trees * nodes] = normal(0, 0.1);
   float x[samples * features] = normal(0, 1);
   struct ForestView f = { feature, threshold, category_bits, leaf_value, trees, nodes, 40 };
   float margin[samples * 8] = zeros();
   unsigned char label[samples] = zeros();
   forest_walk_mixed_splits(margin, label, x, f, samples, features, 0.1f);
*/
__global__ void forest_walk_mixed_splits(float *margin, unsigned char *label, const float *x, ForestView f, int samples,
                                         int features, float shrinkage)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= samples) return;
    const float *row = x + (size_t)i * features;
    float score[FOREST_CLASSES];
    for (int c = 0; c < FOREST_CLASSES; c++) score[c] = 0.0f;

    for (int t = 0; t < f.trees; t++) {
        size_t base = (size_t)t * f.nodes_per_tree;
        int node = 0;
        while (true) {
            int feat = f.feature[base + node];
            if (feat < 0 || 2 * node + 2 >= f.nodes_per_tree) break;
            float v = row[feat];
            bool right;
            if (v == MISSING) {
                right = node & 1;
            } else if (feat >= f.first_categorical) {
                int category = (int)(fabsf(v) * 12.0f) & 31;
                right = (f.category_bits[base + node] >> category) & 1;
            } else {
                right = v > f.threshold[base + node];
            }
            node = 2 * node + 1 + right;
        }
        score[t % FOREST_CLASSES] += shrinkage * f.leaf_value[base + node];
    }
    int best = 0;
    for (int c = 0; c < FOREST_CLASSES; c++) {
        margin[(size_t)i * FOREST_CLASSES + c] = score[c];
        if (score[c] > score[best]) best = c;
    }
    label[i] = best;
}

// ------------------------------------------------------------------------------------------------ 16. LZ decode
#define LZ_WINDOW 4096

struct ByteReader {
    const unsigned char *p, *end;
    __device__ int get() { return p < end ? *p++ : 0; }
};

__device__ int lz_extended_length(ByteReader &r, int nibble)
{
    int n = nibble;
    if (nibble == 15) {
        int more;
        do {
            more = r.get();
            n += more & 127;
        } while (more >= 252 && n < 1024);
    }
    return n;
}

/* kmutate launch
   int chunks = 1300, in_stride = 12288, out_size = 16384;
   dim3 grid = { chunks }, block = { 32 };
   unsigned char packed[chunks * in_stride] = randint(0, 256);
   int packed_size[chunks] = randint(7000, 12288);
   unsigned char raw[chunks * out_size] = zeros();
   int raw_size[chunks] = zeros();
   lz_chunk_decode_warp(raw, raw_size, packed, packed_size, in_stride, out_size);
*/
__global__ void lz_chunk_decode_warp(unsigned char *raw, int *raw_size, const unsigned char *packed, const int *packed_size,
                                     int in_stride, int out_size)
{
    const int lane = threadIdx.x;
    const int chunk = blockIdx.x;
    ByteReader in;
    in.p = packed + (size_t)chunk * in_stride;
    in.end = in.p + packed_size[chunk];
    unsigned char *out = raw + (size_t)chunk * out_size;
    int pos = 0;
    while (in.p < in.end && pos < out_size) {
        int token = in.get();
        int literals = lz_extended_length(in, token >> 4);
        literals = min(literals, (int)(in.end - in.p));
        literals = min(literals, out_size - pos);
        for (int i = lane; i < literals; i += WARP_SIZE) out[pos + i] = in.p[i];
        pos += literals;
        in.p += literals;
        if (pos >= out_size || in.p >= in.end) break;
        int offset = in.get();
        offset |= in.get() << 8;
        int match = lz_extended_length(in, token & 15) + 4;
        match = min(match, out_size - pos);
        if (pos == 0) continue;
        offset = 1 + offset % min(pos, LZ_WINDOW);
        __syncwarp();
        for (int i = lane; i < match; i += WARP_SIZE) {
            int back = offset > i ? i : i % offset;  // overlapping matches repeat
            out[pos + i] = out[pos - offset + back];
        }
        __syncwarp();
        pos += match;
    }
    if (lane == 0) raw_size[chunk] = pos;
}

// ------------------------------------------------------------------------------------------------ 17. epidemiology
enum AgentState { SUSCEPTIBLE = 0, EXPOSED = 5, INFECTIOUS = 6, RECOVERED = 8 };

struct DiseaseParams {
    float beta, waning;
    unsigned step, seed;
    int hubs;
};

__device__ unsigned pcg_hash(unsigned v)
{
    unsigned s = v * 747796405u + 2891336453u;
    unsigned w = ((s >> ((s >> 28) + 4u)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}

__device__ float contact_pressure(const int *cols, const unsigned char *hours, int from, int to, const unsigned char *state,
                                  const float *viral_load)
{
    float p = 0.0f;
    for (int e = from; e < to; e++) {
        int other = cols[e];
        unsigned char s = state[other];
        if (s < INFECTIOUS || s >= RECOVERED) continue;
        p += viral_load[other] * (hours ? (float)hours[e] * (1.0f / 24.0f) : 0.05f);
    }
    return p;
}

/* kmutate launch
   struct DiseaseParams { float beta, waning; unsigned step, seed; int hubs; };
   int agents = 1200000, lo = 1, hi = 18, hubs = 3000, hub_lo = 100, hub_hi = 2000, regions = 400;
   int nnz = csr_nnz(agents, lo, hi), hub_nnz = csr_nnz(hubs, hub_lo, hub_hi);
   dim3 grid = { 396 }, block = { 512 };
   int rowptr[agents + 1] = csr_rowptr(agents, lo, hi);
   int cols[nnz] = csr_colidx(agents);
   unsigned char hours[nnz] = randint(0, 13);
   int hub_rowptr[hubs + 1] = csr_rowptr(hubs, hub_lo, hub_hi);
   int hub_cols[hub_nnz] = csr_colidx(agents);
   int hub_rank[agents] = permutation();
   unsigned char state[agents] = randint(0, 10), next_state[agents] = zeros();
   float viral_load[agents] = uniform(0, 1);
   short region[agents] = randint(0, 400);
   int new_cases[regions] = zeros(), worst_load[regions] = zeros(), first_agent[regions] = fill(2000000000);
   struct DiseaseParams d = { 0.15f, 0.002f, 17u, 991u, hubs };
   epidemic_contact_step_csr(next_state, new_cases, worst_load, first_agent, state, viral_load, region, rowptr, cols, hours, hub_rank, hub_rowptr, hub_cols, agents, d);
*/
__global__ void epidemic_contact_step_csr(unsigned char *next_state, int *new_cases, int *worst_load, int *first_agent,
                                          const unsigned char *state, const float *viral_load, const short *region,
                                          const int *rowptr, const int *cols, const unsigned char *hours,
                                          const int *hub_rank, const int *hub_rowptr, const int *hub_cols, int agents,
                                          DiseaseParams d)
{
    for (int a = blockIdx.x * blockDim.x + threadIdx.x; a < agents; a += gridDim.x * blockDim.x) {
        unsigned char s = state[a], n = s;
        float dice = pcg_hash(d.seed ^ pcg_hash(a + d.step * 0x9e3779b9u)) * (1.0f / 4294967296.0f);
        if (s < EXPOSED) {
            float p = contact_pressure(cols, hours, rowptr[a], rowptr[a + 1], state, viral_load);
            int h = hub_rank[a];
            if (h < d.hubs) p += contact_pressure(hub_cols, NULL, hub_rowptr[h], hub_rowptr[h + 1], state, viral_load);
            if (dice < 1.0f - expf(-d.beta * p)) {
                n = EXPOSED;
                int r = region[a];
                atomicAdd(&new_cases[r], 1);
                atomicMax(&worst_load[r], __float_as_int(p));
                atomicMin(&first_agent[r], a);
            }
        } else if (s == EXPOSED) {
            if (dice < 0.25f) n = INFECTIOUS;
        } else if (s < RECOVERED) {
            if (dice < 0.1f * (1.5f - viral_load[a])) n = RECOVERED;
        } else if (dice < d.waning) {
            n = SUSCEPTIBLE;
        }
        next_state[a] = n;
    }
}

// ------------------------------------------------------------------------------------------------ 18. visibilities
#define SUPPORT 8
#define OVERSAMPLE 4

struct GridderSetup {
    int size, planes, times, channels;
    float cell, freq0, freq_step;
};

__device__ int find_plane(const float *planes, int n, float w)
{
    int lo = 0, hi = n - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) >> 1;
        if (planes[mid] <= w) lo = mid;
        else hi = mid - 1;
    }
    return lo;
}

__device__ void flush_cell(float2 *image, int size, int gx, int gy, int tx, int ty, float2 v)
{
    int x = gx + tx, y = gy + ty;
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    float2 *p = image + (size_t)y * size + x;
    atomicAdd(&p->x, v.x);
    atomicAdd(&p->y, v.y);
}

/* kmutate launch
   struct GridderSetup { int size, planes, times, channels; float cell, freq0, freq_step; };
   int baselines = 1128, times = 48, channels = 16, size = 2048, planes = 40;
   dim3 grid = { baselines, channels / 4 }, block = { 8, 8 };
   struct GridderSetup g = { size, planes, times, channels, 1.0f, 1.0f, 0.004f };
   float2 image[size * size] = zeros();
   float2 vis[baselines * times * channels] = normal(0, 1);
   unsigned char flag[baselines * times * channels] = randint(0, 30);
   float3 uvw[baselines] = normal(0, 260), rate[baselines] = normal(0, 0.4);
   float w_planes[planes] = ascending(-700, 700);
   float2 kernels[planes * 16 * 64] = normal(0, 0.2);
   grid_visibilities_w_projection(image, vis, flag, uvw, rate, w_planes, kernels, g);
*/
__global__ void grid_visibilities_w_projection(float2 *image, const float2 *vis, const unsigned char *flag,
                                               const float3 *uvw, const float3 *rate, const float *w_planes,
                                               const float2 *kernels, GridderSetup g)
{
    const int bl = blockIdx.x;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const float3 p0 = uvw[bl], dp = rate[bl];
    const int per_group = g.channels / gridDim.y;
    for (int ch = blockIdx.y * per_group; ch < (int)(blockIdx.y + 1) * per_group; ch++) {
        const float f = g.freq0 + ch * g.freq_step;
        float2 sum = make_float2(0.0f, 0.0f);
        int last_x = -100000, last_y = -100000;
        for (int t = 0; t < g.times; t++) {
            size_t at = ((size_t)bl * g.times + t) * g.channels + ch;
            if (flag[at] == 0) continue;
            float u = (p0.x + t * dp.x) * f / g.cell + g.size / 2;
            float v = (p0.y + t * dp.y) * f / g.cell + g.size / 2;
            float w = (p0.z + t * dp.z) * f;
            float fu = floorf(u), fv = floorf(v);
            int gx = (int)fu - SUPPORT / 2, gy = (int)fv - SUPPORT / 2;
            int ox = min((int)((u - fu) * OVERSAMPLE), OVERSAMPLE - 1), oy = min((int)((v - fv) * OVERSAMPLE), OVERSAMPLE - 1);
            int plane = find_plane(w_planes, g.planes, fabsf(w));
            float2 k = kernels[((plane * OVERSAMPLE + oy) * OVERSAMPLE + ox) * SQR(SUPPORT) + ty * SUPPORT + tx];
            if (w < 0.0f) k.y = -k.y;
            if (gx != last_x || gy != last_y) {
                if (last_x != -100000) flush_cell(image, g.size, last_x, last_y, tx, ty, sum);
                sum = make_float2(0.0f, 0.0f);
                last_x = gx;
                last_y = gy;
            }
            float2 d = vis[at];
            sum.x += d.x * k.x - d.y * k.y;
            sum.y += d.x * k.y + d.y * k.x;
        }
        if (last_x != -100000) flush_cell(image, g.size, last_x, last_y, tx, ty, sum);
    }
}

// ------------------------------------------------------------------------------------------------ 19. k-mer counting
typedef unsigned long long kmer_t;

__device__ kmer_t mix64(kmer_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ull;
    return h ^ (h >> 33);
}

// returns the slot of the key, or -1 when the table is full; empty slots hold 0
__device__ long long probe_insert(kmer_t *keys, kmer_t key, unsigned mask, int max_probes)
{
    unsigned slot = (unsigned)mix64(key) & mask;
    for (int i = 0; i < max_probes; i++) {
        kmer_t seen = keys[slot];
        if (seen == 0) seen = atomicCAS(&keys[slot], 0ull, key);
        if (seen == 0 || seen == key) return slot;
        slot = (slot + 1) & mask;
    }
    return -1;
}

__device__ void saturating_add(unsigned *count, unsigned limit)
{
    unsigned old = *count;
    while (old < limit) {
        unsigned now = atomicCAS(count, old, old + 1);
        if (now == old) break;
        old = now;
    }
}

/* kmutate launch
   int bases = 3000000, k = 12, per_thread = 8, log_slots = 22;
   dim3 grid = { (bases + 8 * 256 - 1) / (8 * 256) }, block = { 256 };
   unsigned char reads[bases] = randint(0, 256);
   unsigned long long keys[1 << log_slots] = zeros();
   unsigned counts[1 << log_slots] = zeros();
   unsigned dropped[1] = zeros();
   kmer_canonical_hash_count(keys, counts, dropped, reads, bases, k, per_thread, (1u << log_slots) - 1, 255, 200);
*/
__global__ void kmer_canonical_hash_count(kmer_t *keys, unsigned *counts, unsigned *dropped, const unsigned char *reads,
                                          size_t bases, int k, int per_thread, unsigned mask, unsigned limit, int max_probes)
{
    // a read byte is quality << 2 | base
    size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
    if (first + k > bases) return;
    size_t end = min(first + per_thread + k - 1, bases);
    const kmer_t all = (1ull << (2 * k)) - 1;
    kmer_t fwd = 0, rev = 0;
    int good = 0;
    for (size_t i = first; i < end; i++) {
        unsigned char b = reads[i];
        if ((b >> 2) < 2) {
            good = 0;
            continue;
        }
        fwd = ((fwd << 2) | (b & 3)) & all;
        rev = (rev >> 2) | ((kmer_t)(3 - (b & 3)) << (2 * (k - 1)));
        if (++good < k) continue;
        kmer_t key = (fwd < rev ? fwd : rev) + 1;
        long long slot = probe_insert(keys, key, mask, max_probes);
        if (slot < 0) atomicAdd(dropped, 1u);
        else saturating_add(&counts[slot], limit);
    }
}

// ------------------------------------------------------------------------------------------------ 20. octree
#define TREE_DEPTH 6
#define LEVEL_START(l) (((1u << (3 * (l))) - 1) / 7)
#define STACK_MAX (7 * TREE_DEPTH + 2)

__device__ unsigned compact_bits(unsigned m)
{
    unsigned r = 0;
    for (int b = 0; b < TREE_DEPTH; b++) r |= ((m >> (3 * b)) & 1u) << b;
    return r;
}

/* kmutate launch
   int leaves = 262144, nodes = 37449, queries = 60000;
   int points = csr_nnz(leaves, 0, 9);
   dim3 grid = { (queries + 127) / 128 }, block = { 128 };
   unsigned short population[nodes] = randint(0, 14);
   int leaf_start[leaves + 1] = csr_rowptr(leaves, 0, 9);
   uchar4 offset[points] = randint(0, 256);
   float4 query[queries] = uniform(0, 1);
   int found[queries] = zeros(), nearest[queries] = zeros();
   float nearest_d2[queries] = zeros();
   octree_radius_search_stack(found, nearest, nearest_d2, query, population, leaf_start, offset, queries, 0.008f, 0.05f, 400);
*/
__global__ void octree_radius_search_stack(int *found, int *nearest, float *nearest_d2, const float4 *query,
                                           const unsigned short *population, const int *leaf_start, const uchar4 *offset,
                                           int queries, float radius_min, float radius_span, int max_found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    float4 q = query[i];
    const float radius = radius_min + radius_span * q.w * q.w, r2 = radius * radius;
    unsigned stack[STACK_MAX];  // level << 24 | Morton code
    int top = 0;
    stack[top++] = 0;
    int count = 0, best = -1;
    float best_d2 = 1e30f;
    while (top > 0 && count < max_found) {
        unsigned item = stack[--top];
        unsigned level = item >> 24, code = item & 0xffffffu;
        float side = 1.0f / (float)(1 << level);
        float x0 = compact_bits(code) * side, y0 = compact_bits(code >> 1) * side, z0 = compact_bits(code >> 2) * side;
        float dx = fmaxf(fmaxf(x0 - q.x, q.x - x0 - side), 0.0f);
        float dy = fmaxf(fmaxf(y0 - q.y, q.y - y0 - side), 0.0f);
        float dz = fmaxf(fmaxf(z0 - q.z, q.z - z0 - side), 0.0f);
        if (SQR(dx) + SQR(dy) + SQR(dz) > r2) continue;
        if (level < TREE_DEPTH) {
            if (level > 2 && population[LEVEL_START(level) + code] == 0) continue;
            for (unsigned c = 0; c < 8; c++) stack[top++] = ((level + 1) << 24) | (code << 3) | c;
            continue;
        }
        for (int p = leaf_start[code]; p < leaf_start[code + 1]; p++) {
            uchar4 o = offset[p];
            float px = x0 + side * (o.x * (1.0f / 256.0f)), py = y0 + side * (o.y * (1.0f / 256.0f));
            float pz = z0 + side * (o.z * (1.0f / 256.0f));
            float d2 = SQR(px - q.x) + SQR(py - q.y) + SQR(pz - q.z);
            if (d2 > r2) continue;
            count++;
            if (d2 < best_d2) {
                best_d2 = d2;
                best = p;
            }
        }
    }
    found[i] = count;
    nearest[i] = best;
    nearest_d2[i] = best_d2;
}
