// The twenty-fifth set of kernels that nobody tuned the model of time for,
// written by somebody who had seen neither the model nor its results.
#include <cuda_fp16.h>

// ---------------------------------------------------------------------------------------------------------------------
// Plain kernels, as one writes them first
// ---------------------------------------------------------------------------------------------------------------------

// Physics: one step of Ez in a lossy medium, TM mode, double precision, rows of odd length.
/* kmutate launch
   int nx = 2049, ny = 1531;
   dim3 block = { 32, 8 };
   dim3 grid = { (nx + 31) / 32, (ny + 7) / 8 };
   double ez[nx * ny] = normal(0, 0.1);
   double hx[nx * ny] = normal(0, 0.001), hy[nx * ny] = normal(0, 0.001);
   double sigma[nx * ny] = uniform(0, 0.02), eps_r[nx * ny] = uniform(1, 4);
   float shot[nx * ny] = zeros();
   fdtd_lossy_ez_step(ez, hx, hy, sigma, eps_r, shot, nx, ny, 1.0e-3, 0.5);
*/
__global__ void fdtd_lossy_ez_step(double *ez, const double *hx, const double *hy, const double *sigma,
                                   const double *eps_r, float *shot, int nx, int ny, double dx, double courant)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int i = y * nx + x;
    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
        ez[i] = 0.0;                                  // perfect conductor
        shot[i] = 0.0f;
        return;
    }
    double loss = 0.5 * 376.73 * courant * dx * sigma[i] / eps_r[i];
    double ca = (1.0 - loss) / (1.0 + loss);
    double cb = courant * 376.73 / (eps_r[i] * (1.0 + loss));
    double curl = (hy[i] - hy[i - 1]) - (hx[i] - hx[i - nx]);
    double e = ca * ez[i] + cb * curl;
    ez[i] = e;
    shot[i] = (float)(e * e);
}

// Finance: down-and-out call, one thread a path, leaves when the barrier is hit.
/* kmutate launch
   int paths = 270336, steps = 250;
   dim3 block = { 128 };
   dim3 grid = { (paths + 127) / 128 };
   unsigned seeds[paths] = randint(1, 2000000000);
   float payoff[paths] = zeros();
   int hit_step[paths] = zeros();
   knockout_call_montecarlo(seeds, payoff, hit_step, paths, steps, 100.0f, 102.0f, 84.0f, 0.03f, 0.25f, 0.004f);
*/
__global__ void knockout_call_montecarlo(const unsigned *seeds, float *payoff, int *hit_step, int paths, int steps,
                                         float spot, float strike, float barrier, float rate, float vol, float dt)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths)
        return;
    unsigned s = seeds[p];
    float drift = (rate - 0.5f * vol * vol) * dt;
    float scale = vol * sqrtf(dt);
    float logs = logf(spot);
    float logb = logf(barrier);
    int hit = -1;
    for (int t = 0; t < steps; t += 2) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        float u1 = ((s >> 8) + 1) * (1.0f / 16777217.0f);
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        float u2 = (s >> 8) * (1.0f / 16777216.0f);
        float r = sqrtf(-2.0f * logf(u1));
        float sn, cs;
        sincosf(6.2831853f * u2, &sn, &cs);
        logs += drift + scale * r * cs;
        if (logs < logb) { hit = t; break; }
        logs += drift + scale * r * sn;
        if (logs < logb) { hit = t + 1; break; }
    }
    float value = 0.0f;
    if (hit < 0)
        value = fmaxf(expf(logs) - strike, 0.0f) * expf(-rate * dt * steps);
    payoff[p] = value;
    hit_step[p] = hit;
}

// Chemistry: Lennard-Jones and screened charges over a neighbour list of relative indices, array of structs.
struct ChargedSite { float x, y, z, charge, sigma, epsilon, mass; };

/* kmutate launch
   struct ChargedSite { float x, y, z, charge, sigma, epsilon, mass; };
   int n = 150000, cap = 44;
   dim3 block = { 128 };
   dim3 grid = { (n + 127) / 128 };
   struct ChargedSite sites[n] = uniform(0.1, 1);
   int count[n] = randint(22, 45);
   short delta[n * cap] = randint(-700, 700);
   float3 force[n] = zeros();
   float energy[n] = zeros();
   site_forces_neighbour_list(sites, count, delta, force, energy, n, cap, 0.8f);
*/
__global__ void site_forces_neighbour_list(const ChargedSite *sites, const int *count, const short *delta,
                                           float3 *force, float *energy, int n, int cap, float cutoff)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    ChargedSite me = sites[i];
    float fx = 0, fy = 0, fz = 0, e = 0;
    int m = count[i];
    for (int k = 0; k < m; k++) {
        int j = i + delta[i * cap + k];
        if (j < 0) j += n;
        if (j >= n) j -= n;
        if (j == i)
            continue;
        float dx = me.x - sites[j].x;
        float dy = me.y - sites[j].y;
        float dz = me.z - sites[j].z;
        float r2 = dx * dx + dy * dy + dz * dz + 1e-4f;
        if (r2 > cutoff * cutoff)
            continue;
        float sig = 0.5f * (me.sigma + sites[j].sigma);
        float eps = sqrtf(me.epsilon * sites[j].epsilon);
        float inv2 = 1.0f / r2;
        float s2 = sig * sig * inv2;
        float s6 = s2 * s2 * s2;
        float lj = 4.0f * eps * (s6 * s6 - s6);
        float r = sqrtf(r2);
        float coul = me.charge * sites[j].charge * expf(-3.0f * r) / r;
        float f = (24.0f * eps * (2.0f * s6 * s6 - s6) + coul * (1.0f + 3.0f * r)) * inv2;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
        e += 0.5f * (lj + coul);
    }
    force[i] = make_float3(fx, fy, fz);
    energy[i] = e;
}

// Statistics: joint histogram of two measurements, for mutual information; atomics in shared memory, grid-stride loop.
/* kmutate launch
   int n = 9000001;
   dim3 block = { 256 };
   dim3 grid = { 528 };
   float first[n] = normal(), second[n] = normal(0.3, 0.8);
   unsigned joint[64 * 64] = zeros(), outliers[1] = zeros();
   joint_histogram_sigma_bins(first, second, n, joint, outliers);
*/
__global__ void joint_histogram_sigma_bins(const float *first, const float *second, int n, unsigned *joint,
                                           unsigned *outliers)
{
    __shared__ unsigned bins[64 * 64];
    __shared__ unsigned out;
    for (int b = threadIdx.x; b < 64 * 64; b += blockDim.x)
        bins[b] = 0;
    if (threadIdx.x == 0)
        out = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int a = (int)floorf((first[i] + 4.0f) * 8.0f);
        int b = (int)floorf((second[i] + 4.0f) * 8.0f);
        if (a < 0 || a > 63 || b < 0 || b > 63)
            atomicAdd(&out, 1u);
        else
            atomicAdd(&bins[a * 64 + b], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 64 * 64; b += blockDim.x)
        if (bins[b])
            atomicAdd(&joint[b], bins[b]);
    if (threadIdx.x == 0 && out)
        atomicAdd(outliers, out);
}

// Audio: three biquads one after the other, one thread a channel, state in double precision, rows of odd length.
__constant__ double c_equaliser[3][5];

/* kmutate launch
   int channels = 34000, samples = 481;
   dim3 block = { 128 };
   dim3 grid = { (channels + 127) / 128 };
   extern double c_equaliser[3][5] = { 0.98, -1.91, 0.94, -1.91, 0.92, 1.02, -1.6, 0.71, -1.6, 0.73, 0.9, -0.4, 0.3, -0.4, 0.2 };
   float in[channels * samples] = uniform(-1, 1), out[channels * samples] = zeros(), peak[channels] = zeros();
   equaliser_biquads_per_channel(in, out, peak, channels, samples);
*/
__global__ void equaliser_biquads_per_channel(const float *in, float *out, float *peak, int channels, int samples)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels)
        return;
    double z1[3] = { 0, 0, 0 }, z2[3] = { 0, 0, 0 };
    float top = 0.0f;
    for (int t = 0; t < samples; t++) {
        double v = in[(size_t)c * samples + t];
        for (int s = 0; s < 3; s++) {
            double w = c_equaliser[s][0] * v + z1[s];
            z1[s] = c_equaliser[s][1] * v - c_equaliser[s][3] * w + z2[s];
            z2[s] = c_equaliser[s][2] * v - c_equaliser[s][4] * w;
            v = w;
        }
        float y = (float)v;
        out[(size_t)c * samples + t] = y;
        top = fmaxf(top, fabsf(y));
    }
    peak[c] = top;
}

// Machine learning: layer norm and GELU, one block a row, rows of odd length.
/* kmutate launch
   int rows = 12000, width = 1027;
   dim3 block = { 256 };
   dim3 grid = { rows };
   float x[rows * width] = normal(0.2, 1.5), gain[width] = uniform(0.8, 1.2), shift[width] = uniform(-0.1, 0.1);
   float y[rows * width] = zeros(), means[rows] = zeros(), rstds[rows] = zeros();
   layernorm_gelu_block_per_row(x, gain, shift, y, means, rstds, width, 1e-5f);
*/
__global__ void layernorm_gelu_block_per_row(const float *x, const float *gain, const float *shift, float *y,
                                             float *means, float *rstds, int width, float eps)
{
    __shared__ float red[256];
    const float *row = x + (size_t)blockIdx.x * width;
    float *dst = y + (size_t)blockIdx.x * width;
    int tid = threadIdx.x;

    float sum = 0;
    for (int i = tid; i < width; i += blockDim.x)
        sum += row[i];
    red[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            red[tid] += red[tid + s];
        __syncthreads();
    }
    float mean = red[0] / width;
    __syncthreads();

    float var = 0;
    for (int i = tid; i < width; i += blockDim.x) {
        float d = row[i] - mean;
        var += d * d;
    }
    red[tid] = var;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            red[tid] += red[tid + s];
        __syncthreads();
    }
    float rstd = rsqrtf(red[0] / width + eps);

    for (int i = tid; i < width; i += blockDim.x) {
        float v = (row[i] - mean) * rstd * gain[i] + shift[i];
        dst[i] = 0.5f * v * (1.0f + tanhf(0.7978846f * (v + 0.044715f * v * v * v)));
    }
    if (tid == 0) {
        means[blockIdx.x] = mean;
        rstds[blockIdx.x] = rstd;
    }
}

// Machine learning: AdamW with gradients and a copy of the weights in half precision, grid-stride loop.
/* kmutate launch
   int n = 11000003;
   dim3 block = { 256 };
   dim3 grid = { 1056 };
   half grad[n] = normal(0, 0.02), weight16[n] = zeros();
   float weight[n] = normal(0, 0.1), m1[n] = normal(0, 0.01), m2[n] = uniform(0, 0.001);
   adamw_half_gradients_update(weight, weight16, grad, m1, m2, n, 1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.41f, 0.005f);
*/
__global__ void adamw_half_gradients_update(float *weight, half *weight16, const half *grad, float *m1, float *m2,
                                            int n, float lr, float beta1, float beta2, float eps, float decay,
                                            float correction1, float correction2)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float g = __half2float(grad[i]);
        float w = weight[i];
        float m = beta1 * m1[i] + (1.0f - beta1) * g;
        float v = beta2 * m2[i] + (1.0f - beta2) * g * g;
        float step = (m / correction1) / (sqrtf(v / correction2) + eps);
        w -= lr * (step + decay * w);
        m1[i] = m;
        m2[i] = v;
        weight[i] = w;
        weight16[i] = __float2half(w);
    }
}

// Cellular automata: "generations" rule in three dimensions (0 dead, 1 alive, then dying), 3-D blocks and grid.
__constant__ unsigned char c_birth_survive[2][27];

/* kmutate launch
   int nx = 310, ny = 256, nz = 160, states = 4;
   dim3 block = { 32, 4, 2 };
   dim3 grid = { (nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2 };
   extern unsigned char c_birth_survive[2][27] = { 0,0,0,0,1,0,1,0,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,
                                                   0,0,0,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 };
   unsigned char now[nx * ny * nz] = randint(0, 4), next[nx * ny * nz] = zeros();
   generations_automaton_3d(now, next, nx, ny, nz, states);
*/
__global__ void generations_automaton_3d(const unsigned char *now, unsigned char *next, int nx, int ny, int nz,
                                         int states)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int i = (z * ny + y) * nx + x;
    int state = now[i];
    if (state > 1) {                                  // dying: nothing else matters
        next[i] = (state + 1) % states;
        return;
    }
    int alive = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                if (dx == 0 && dy == 0 && dz == 0)
                    continue;
                int xx = (x + dx + nx) % nx;
                int yy = (y + dy + ny) % ny;
                int zz = (z + dz + nz) % nz;
                alive += now[(zz * ny + yy) * nx + xx] == 1;
            }
    if (state == 0)
        next[i] = c_birth_survive[0][alive];
    else
        next[i] = c_birth_survive[1][alive] ? 1 : 2;
}

// Codes: CRC-32 of records of different lengths, one thread a record; each block makes its table in shared memory.
/* kmutate launch
   int records = 300000, lo = 40, hi = 200;
   int bytes = csr_nnz(records, lo, hi);
   dim3 block = { 256 };
   dim3 grid = { (records + 255) / 256 };
   int start[records + 1] = csr_rowptr(records, lo, hi);
   unsigned char text[bytes] = randint(0, 256);
   unsigned expected[records] = randint(0, 1 << 30), crc[records] = zeros();
   int broken[1] = zeros();
   crc32_records_shared_table(text, start, expected, crc, broken, records);
*/
__global__ void crc32_records_shared_table(const unsigned char *text, const int *start, const unsigned *expected,
                                           unsigned *crc, int *broken, int records)
{
    __shared__ unsigned table[256];
    unsigned entry = threadIdx.x;
    for (int b = 0; b < 8; b++)
        entry = (entry & 1) ? (entry >> 1) ^ 0xEDB88320u : entry >> 1;
    table[threadIdx.x] = entry;
    __syncthreads();
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= records)
        return;
    unsigned c = 0xFFFFFFFFu;
    int end = start[r + 1];
    for (int i = start[r]; i < end; i++)
        c = (c >> 8) ^ table[(c ^ text[i]) & 255];
    c = ~c;
    crc[r] = c;
    if (c == expected[r])
        return;
    if ((c & 1023) == 0)                              // a sample of the broken ones is enough
        atomicAdd(broken, 1);
}

// Geometry: which fence holds the point? Bounding box first, then crossings; leaves at the first fence.
__constant__ float2 c_fence_corner[10 * 37];
__constant__ float2 c_fence_centre[10];

/* kmutate launch
   int n = 2000000;
   dim3 block = { 192 };
   dim3 grid = { (n + 191) / 192 };
   extern float2 c_fence_corner[10 * 37] = uniform(-0.12, 0.12);
   extern float2 c_fence_centre[10] = uniform(0.1, 0.9);
   float2 points[n] = uniform(0, 1);
   signed char fence[n] = zeros();
   int inside[10] = zeros();
   points_in_fences_crossings(points, fence, inside, n, 0.12f);
*/
__global__ void points_in_fences_crossings(const float2 *points, signed char *fence, int *inside, int n, float reach)
{
    __shared__ int tally[10];
    if (threadIdx.x < 10)
        tally[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 p = points[i];
        int found = -1;
        for (int f = 0; f < 10; f++) {
            float x = p.x - c_fence_centre[f].x;
            float y = p.y - c_fence_centre[f].y;
            if (fabsf(x) > reach || fabsf(y) > reach)
                continue;
            bool in = false;
            float2 a = c_fence_corner[f * 37 + 36];
            for (int k = 0; k < 37; k++) {
                float2 b = c_fence_corner[f * 37 + k];
                if ((a.y > y) != (b.y > y) && x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x)
                    in = !in;
                a = b;
            }
            if (in) {
                found = f;
                break;
            }
        }
        fence[i] = (signed char)found;
        if (found >= 0)
            atomicAdd(&tally[found], 1);
    }
    __syncthreads();
    if (threadIdx.x < 10 && tally[threadIdx.x])
        atomicAdd(&inside[threadIdx.x], tally[threadIdx.x]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Tuned kernels
// ---------------------------------------------------------------------------------------------------------------------

// Linear algebra: C = relu(A B + bias); 128 x 128 tiles, 8 x 8 results a thread, double-buffered shared memory.
/* kmutate launch
   int m = 2048, n = 2304, k = 768;
   dim3 block = { 256 };
   dim3 grid = { n / 128, m / 128 };
   float a[m * k] = normal(0, 0.5), b[k * n] = normal(0, 0.05), bias[n] = uniform(-0.1, 0.1);
   float c[m * n] = zeros();
   gemm_bias_relu_double_buffered(a, b, bias, c, m, n, k);
*/
__global__ void __launch_bounds__(256, 2)
gemm_bias_relu_double_buffered(const float *__restrict__ a, const float *__restrict__ b,
                               const float *__restrict__ bias, float *__restrict__ c, int m, int n, int k)
{
    __shared__ __align__(16) float as[2][8][132];
    __shared__ __align__(16) float bs[2][8][128];
    const int tid = threadIdx.x;
    const int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    const int arow = tid >> 1, acol = (tid & 1) * 4;
    const int brow = tid >> 5, bcol = (tid & 31) * 4;
    const int tx = tid & 15, ty = tid >> 4;
    const float *ap = a + (size_t)(row0 + arow) * k + acol;
    const float *bp = b + (size_t)brow * n + col0 + bcol;

    float acc[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            acc[i][j] = 0.0f;

    float4 av = *(const float4 *)ap;
    float4 bv = *(const float4 *)bp;
    as[0][acol + 0][arow] = av.x;
    as[0][acol + 1][arow] = av.y;
    as[0][acol + 2][arow] = av.z;
    as[0][acol + 3][arow] = av.w;
    *(float4 *)&bs[0][brow][bcol] = bv;
    __syncthreads();

    int cur = 0;
    for (int kk = 8; kk <= k; kk += 8) {
        const bool more = kk < k;
        if (more) {
            av = *(const float4 *)(ap + kk);
            bv = *(const float4 *)(bp + (size_t)kk * n);
        }
#pragma unroll
        for (int q = 0; q < 8; q++) {
            float ar[8], br[8];
            *(float4 *)&ar[0] = *(const float4 *)&as[cur][q][ty * 4];
            *(float4 *)&ar[4] = *(const float4 *)&as[cur][q][64 + ty * 4];
            *(float4 *)&br[0] = *(const float4 *)&bs[cur][q][tx * 4];
            *(float4 *)&br[4] = *(const float4 *)&bs[cur][q][64 + tx * 4];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] = fmaf(ar[i], br[j], acc[i][j]);
        }
        if (more) {
            cur ^= 1;
            as[cur][acol + 0][arow] = av.x;
            as[cur][acol + 1][arow] = av.y;
            as[cur][acol + 2][arow] = av.z;
            as[cur][acol + 3][arow] = av.w;
            *(float4 *)&bs[cur][brow][bcol] = bv;
            __syncthreads();
        }
    }

#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int col = col0 + h * 64 + tx * 4;
        const float4 bb = *(const float4 *)(bias + col);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const int row = row0 + (i >> 2) * 64 + ty * 4 + (i & 3);
            float4 r;
            r.x = fmaxf(acc[i][h * 4 + 0] + bb.x, 0.0f);
            r.y = fmaxf(acc[i][h * 4 + 1] + bb.y, 0.0f);
            r.z = fmaxf(acc[i][h * 4 + 2] + bb.z, 0.0f);
            r.w = fmaxf(acc[i][h * 4 + 3] + bb.w, 0.0f);
            *(float4 *)(c + (size_t)row * n + col) = r;
        }
    }
}

// Machine learning: attention of one new token over its cache, half precision, 64 dimensions a head. Eight lanes a key,
// 16 bytes a lane; four warps share the context of a head, each with its own running maximum; merged at the end.
__device__ __forceinline__ float dot_eight_halves(uint4 v, const float *q)
{
    const half2 *h = (const half2 *)&v;
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 f = __half22float2(h[i]);
        s = fmaf(f.x, q[2 * i], s);
        s = fmaf(f.y, q[2 * i + 1], s);
    }
    return s;
}

/* kmutate launch
   int heads = 768, context = 480;
   dim3 block = { 128 };
   dim3 grid = { heads };
   half query[heads * 64] = normal(), keys[heads * context * 64] = normal(), values[heads * context * 64] = normal();
   int length[heads] = randint(150, 481);
   half out[heads * 64] = zeros();
   float logsum[heads] = zeros();
   decode_attention_split_warps(query, keys, values, length, out, logsum, context, 0.125f);
*/
__global__ void __launch_bounds__(128)
decode_attention_split_warps(const half *__restrict__ query, const half *__restrict__ keys,
                             const half *__restrict__ values, const int *__restrict__ length, half *__restrict__ out,
                             float *__restrict__ logsum, int context, float scale)
{
    __shared__ float part[4][64];
    __shared__ float part_max[4], part_sum[4];
    const int head = blockIdx.x;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int group = lane >> 3, sub = lane & 7;
    const int len = length[head];
    const uint4 *kp = (const uint4 *)(keys + (size_t)head * context * 64);
    const uint4 *vp = (const uint4 *)(values + (size_t)head * context * 64);

    float q[8], acc[8];
    {
        uint4 raw = ((const uint4 *)(query + head * 64))[sub];
        const half2 *h = (const half2 *)&raw;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(h[i]);
            q[2 * i] = f.x * scale;
            q[2 * i + 1] = f.y * scale;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        acc[i] = 0.0f;
    float top = -1e30f, sum = 0.0f;

    int base = warp * 4;
    uint4 kv = kp[min(base + group, len - 1) * 8 + sub];
    while (base < len) {
        const int pos = base + group;
        const uint4 vv = vp[min(pos, len - 1) * 8 + sub];
        const uint4 knext = kp[min(pos + 16, len - 1) * 8 + sub];
        float s = dot_eight_halves(kv, q);
        s += __shfl_xor_sync(0xffffffffu, s, 4);
        s += __shfl_xor_sync(0xffffffffu, s, 2);
        s += __shfl_xor_sync(0xffffffffu, s, 1);
        if (pos < len) {
            const float higher = fmaxf(top, s);
            const float keep = __expf(top - higher);
            const float w = __expf(s - higher);
            top = higher;
            sum = sum * keep + w;
            const half2 *h = (const half2 *)&vv;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float2 f = __half22float2(h[i]);
                acc[2 * i] = acc[2 * i] * keep + w * f.x;
                acc[2 * i + 1] = acc[2 * i + 1] * keep + w * f.y;
            }
        }
        kv = knext;
        base += 16;
    }

#pragma unroll
    for (int d = 8; d < 32; d <<= 1) {
        const float other_top = __shfl_xor_sync(0xffffffffu, top, d);
        const float other_sum = __shfl_xor_sync(0xffffffffu, sum, d);
        const float higher = fmaxf(top, other_top);
        const float mine = __expf(top - higher), theirs = __expf(other_top - higher);
        sum = sum * mine + other_sum * theirs;
#pragma unroll
        for (int i = 0; i < 8; i++)
            acc[i] = acc[i] * mine + __shfl_xor_sync(0xffffffffu, acc[i], d) * theirs;
        top = higher;
    }
    if (group == 0) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            part[warp][sub * 8 + i] = acc[i];
        if (sub == 0) {
            part_max[warp] = top;
            part_sum[warp] = sum;
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        const float higher = fmaxf(fmaxf(part_max[0], part_max[1]), fmaxf(part_max[2], part_max[3]));
        float total = 0.0f, v = 0.0f;
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const float f = __expf(part_max[w] - higher);
            total += part_sum[w] * f;
            v += part[w][threadIdx.x] * f;
        }
        out[head * 64 + threadIdx.x] = __float2half(v / total);
        if (threadIdx.x == 0)
            logsum[head] = higher + __logf(total);
    }
}

// Images: unsharp mask; both passes of the blur in one kernel, sliding windows in registers.
__constant__ float c_blur_tap[9];

/* kmutate launch
   int width = 4096, height = 2720;
   dim3 block = { 256 };
   dim3 grid = { width / 64, height / 32 };
   extern float c_blur_tap[9] = { 0.028, 0.067, 0.124, 0.179, 0.204, 0.179, 0.124, 0.067, 0.028 };
   float image[width * height] = uniform(0, 1), sharp[width * height] = zeros();
   unsharp_mask_fused_passes(image, sharp, width, height, 0.7f);
*/
__global__ void __launch_bounds__(256)
unsharp_mask_fused_passes(const float *__restrict__ image, float *__restrict__ sharp, int width, int height,
                          float amount)
{
    __shared__ __align__(16) float tile[40][76];
    __shared__ __align__(16) float mid[40][68];
    const int tid = threadIdx.x;
    const int x0 = blockIdx.x * 64 - 4, y0 = blockIdx.y * 32 - 4;

    for (int t = tid; t < 40 * 18; t += 256) {
        const int r = t / 18, c = (t % 18) * 4;
        const int y = min(max(y0 + r, 0), height - 1);
        const int x = x0 + c;
        const float *row = image + (size_t)y * width;
        float4 v;
        if (x >= 0 && x + 3 < width) {
            v = *(const float4 *)(row + x);
        } else {
            v.x = row[min(max(x + 0, 0), width - 1)];
            v.y = row[min(max(x + 1, 0), width - 1)];
            v.z = row[min(max(x + 2, 0), width - 1)];
            v.w = row[min(max(x + 3, 0), width - 1)];
        }
        *(float4 *)&tile[r][c] = v;
    }
    __syncthreads();

    for (int t = tid; t < 40 * 8; t += 256) {
        const int r = t >> 3, c = (t & 7) * 8;
        float w[16];
#pragma unroll
        for (int i = 0; i < 4; i++)
            *(float4 *)&w[i * 4] = *(const float4 *)&tile[r][c + i * 4];
        float o[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            o[i] = 0.0f;
#pragma unroll
            for (int k = 0; k < 9; k++)
                o[i] = fmaf(c_blur_tap[k], w[i + k], o[i]);
        }
        *(float4 *)&mid[r][c] = *(const float4 *)&o[0];
        *(float4 *)&mid[r][c + 4] = *(const float4 *)&o[4];
    }
    __syncthreads();

    const int c = tid & 63, r0 = (tid >> 6) * 8;
    float w[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        w[i] = mid[r0 + i][c];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float blur = 0.0f;
#pragma unroll
        for (int k = 0; k < 9; k++)
            blur = fmaf(c_blur_tap[k], w[i + k], blur);
        const float centre = tile[r0 + i + 4][c + 4];
        const float v = centre + amount * (centre - blur);
        sharp[(size_t)(blockIdx.y * 32 + r0 + i) * width + blockIdx.x * 64 + c] = __saturatef(v);
    }
}

// Databases: WHERE discount BETWEEN lo AND hi AND quantity < q, row numbers and prices of what remains.
// 16 rows a thread in vector loads, scan by warp shuffles, one atomic a block.
/* kmutate launch
   int n = 2048 * 4096;
   dim3 block = { 256 };
   dim3 grid = { n / 4096 };
   unsigned char discount[n] = randint(0, 11), quantity[n] = randint(1, 51);
   float price[n] = uniform(900, 105000);
   int kept_row[n] = zeros();
   float kept_price[n] = zeros();
   int kept[1] = zeros();
   filter_rows_compact_warp_scan(discount, quantity, price, kept_row, kept_price, kept, 5, 7, 24);
*/
__global__ void __launch_bounds__(256)
filter_rows_compact_warp_scan(const unsigned char *__restrict__ discount, const unsigned char *__restrict__ quantity,
                              const float *__restrict__ price, int *__restrict__ kept_row,
                              float *__restrict__ kept_price, int *__restrict__ kept, int lo, int hi, int limit)
{
    __shared__ int warp_total[8];
    __shared__ int block_base;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int first = blockIdx.x * 4096 + threadIdx.x * 16;
    const uint4 d4 = *(const uint4 *)(discount + first);
    const uint4 q4 = *(const uint4 *)(quantity + first);
    const unsigned d[4] = { d4.x, d4.y, d4.z, d4.w };
    const unsigned q[4] = { q4.x, q4.y, q4.z, q4.w };

    unsigned mask = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const int dv = (d[i >> 2] >> ((i & 3) * 8)) & 255;
        const int qv = (q[i >> 2] >> ((i & 3) * 8)) & 255;
        if (dv >= lo && dv <= hi && qv < limit)
            mask |= 1u << i;
    }
    const int mine = __popc(mask);
    int upto = mine;
#pragma unroll
    for (int s = 1; s < 32; s <<= 1) {
        const int v = __shfl_up_sync(0xffffffffu, upto, s);
        if (lane >= s)
            upto += v;
    }
    if (lane == 31)
        warp_total[warp] = upto;
    __syncthreads();
    if (warp == 0) {
        int v = lane < 8 ? warp_total[lane] : 0;
        const int own = v;
#pragma unroll
        for (int s = 1; s < 8; s <<= 1) {
            const int u = __shfl_up_sync(0xffffffffu, v, s);
            if (lane >= s)
                v += u;
        }
        if (lane < 8)
            warp_total[lane] = v - own;
        if (lane == 7)
            block_base = atomicAdd(kept, v);
    }
    __syncthreads();
    int slot = block_base + warp_total[warp] + upto - mine;
    while (mask) {
        const int i = __ffs(mask) - 1;
        mask &= mask - 1;
        kept_row[slot] = first + i;
        kept_price[slot] = price[first + i];
        slot++;
    }
}

// Signals: FFTs of 512 points, radix 8, eight values a thread in registers, three passes through shared memory.
__device__ __forceinline__ float2 cplx_times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ void butterfly_of_four(float2 &a, float2 &b, float2 &c, float2 &d)
{
    const float2 s = make_float2(a.x + c.x, a.y + c.y), t = make_float2(a.x - c.x, a.y - c.y);
    const float2 u = make_float2(b.x + d.x, b.y + d.y), v = make_float2(b.y - d.y, d.x - b.x);   // -i (b - d)
    a = make_float2(s.x + u.x, s.y + u.y);
    b = make_float2(t.x + v.x, t.y + v.y);
    c = make_float2(s.x - u.x, s.y - u.y);
    d = make_float2(t.x - v.x, t.y - v.y);
}

__device__ __forceinline__ void butterfly_of_eight(float2 *v)
{
    butterfly_of_four(v[0], v[2], v[4], v[6]);
    butterfly_of_four(v[1], v[3], v[5], v[7]);
    const float h = 0.70710678f;
    const float2 o0 = v[1];
    const float2 o1 = make_float2(h * (v[3].x + v[3].y), h * (v[3].y - v[3].x));
    const float2 o2 = make_float2(v[5].y, -v[5].x);
    const float2 o3 = make_float2(h * (v[7].y - v[7].x), -h * (v[7].x + v[7].y));
    const float2 e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6];
    v[0] = make_float2(e0.x + o0.x, e0.y + o0.y);
    v[1] = make_float2(e1.x + o1.x, e1.y + o1.y);
    v[2] = make_float2(e2.x + o2.x, e2.y + o2.y);
    v[3] = make_float2(e3.x + o3.x, e3.y + o3.y);
    v[4] = make_float2(e0.x - o0.x, e0.y - o0.y);
    v[5] = make_float2(e1.x - o1.x, e1.y - o1.y);
    v[6] = make_float2(e2.x - o2.x, e2.y - o2.y);
    v[7] = make_float2(e3.x - o3.x, e3.y - o3.y);
}

/* kmutate launch
   int batch = 10000;
   dim3 block = { 64, 2 };
   dim3 grid = { batch / 2 };
   float2 signal[batch * 512] = normal(), spectrum[batch * 512] = zeros();
   float power[batch] = zeros();
   fft512_radix8_two_per_block(signal, spectrum, power);
*/
__global__ void __launch_bounds__(128)
fft512_radix8_two_per_block(const float2 *__restrict__ signal, float2 *__restrict__ spectrum,
                            float *__restrict__ power)
{
    __shared__ float re[2][576], im[2][576];
    __shared__ float warp_power[4];
    const int t = threadIdx.x, which = threadIdx.y;
    const size_t row = (size_t)blockIdx.x * 2 + which;
    float2 v[8];
#pragma unroll
    for (int r = 0; r < 8; r++)
        v[r] = signal[row * 512 + t + r * 64];
    butterfly_of_eight(v);

#pragma unroll
    for (int ns = 8; ns <= 64; ns *= 8) {
        const int before = ns / 8;
        const int to = (t / before) * ns + (t % before);
        if (ns > 8)
            __syncthreads();
#pragma unroll
        for (int r = 0; r < 8; r++) {
            const int i = to + r * before;
            re[which][i + (i >> 3)] = v[r].x;
            im[which][i + (i >> 3)] = v[r].y;
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 8; r++) {
            const int i = t + r * 64;
            v[r] = make_float2(re[which][i + (i >> 3)], im[which][i + (i >> 3)]);
        }
        float2 w1;
        sincospif(-2.0f * (float)(t % ns) / (float)(ns * 8), &w1.y, &w1.x);
        float2 w = w1;
#pragma unroll
        for (int r = 1; r < 8; r++) {
            v[r] = cplx_times(v[r], w);
            w = cplx_times(w, w1);
        }
        butterfly_of_eight(v);
    }

    float p = 0.0f;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        spectrum[row * 512 + t + r * 64] = v[r];
        p += v[r].x * v[r].x + v[r].y * v[r].y;
    }
#pragma unroll
    for (int s = 16; s > 0; s >>= 1)
        p += __shfl_down_sync(0xffffffffu, p, s);
    if ((t & 31) == 0)
        warp_power[which * 2 + (t >> 5)] = p;
    __syncthreads();
    if (t == 0)
        power[row] = warp_power[which * 2] + warp_power[which * 2 + 1];
}

// ---------------------------------------------------------------------------------------------------------------------
// Irregular kernels
// ---------------------------------------------------------------------------------------------------------------------

// Graphs: one level of a breadth-first search that pushes; eight lanes a frontier vertex.
/* kmutate launch
   int nodes = 1000000, lo = 2, hi = 30;
   int edges = csr_nnz(nodes, lo, hi);
   int frontier_size = 140000;
   dim3 block = { 256 };
   dim3 grid = { (frontier_size * 8 + 255) / 256 };
   int rowptr[nodes + 1] = csr_rowptr(nodes, lo, hi);
   int neighbour[edges] = csr_colidx(nodes);
   int order[nodes] = permutation();
   int depth[nodes] = randint(-1, 4), parent[nodes] = fill(-1);
   int next_frontier[nodes] = zeros();
   int next_size[1] = zeros();
   bfs_push_eight_lanes(rowptr, neighbour, order, frontier_size, depth, parent, next_frontier, next_size, 5);
*/
__global__ void bfs_push_eight_lanes(const int *rowptr, const int *neighbour, const int *frontier, int frontier_size,
                                     int *depth, int *parent, int *next_frontier, int *next_size, int level)
{
    int slot = (blockIdx.x * blockDim.x + threadIdx.x) >> 3;
    int lane = threadIdx.x & 7;
    if (slot >= frontier_size)
        return;
    int u = frontier[slot];
    int end = rowptr[u + 1];
    for (int e = rowptr[u] + lane; e < end; e += 8) {
        int v = neighbour[e];
        if (depth[v] >= 0)
            continue;
        if (atomicCAS(&depth[v], -1, level) == -1) {
            parent[v] = u;
            next_frontier[atomicAdd(next_size, 1)] = v;
        }
    }
}

// Databases, hashing: probe side of a join; open addressing, the eight slots of a home are tried one after the other
// from its start, an empty one ends the search. Order numbers are multiples of a stride.
/* kmutate launch
   int slots = 1 << 22, n = 5000000;
   long long stride = 733009;
   dim3 block = { 256 };
   dim3 grid = { (n + 255) / 256 };
   unsigned long long table_key[slots] = iota(0, 733009);
   unsigned char used[slots] = randint(0, 9);
   float table_price[slots] = uniform(1, 1000);
   int order_code[n] = randint(0, 5000000);
   short quantity[n] = randint(1, 50);
   int match[n] = zeros();
   double revenue[1] = zeros();
   unsigned matched[1] = zeros();
   hash_join_probe_homes(table_key, used, table_price, slots - 1, order_code, quantity, stride, match, revenue, matched, n);
*/
__global__ void hash_join_probe_homes(const unsigned long long *table_key, const unsigned char *used,
                                      const float *table_price, unsigned mask, const int *order_code,
                                      const short *quantity, long long stride, int *match, double *revenue,
                                      unsigned *matched, int n)
{
    __shared__ double money[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = -1;
    double mine = 0.0;
    if (i < n) {
        unsigned long long key = (unsigned long long)order_code[i] * stride;
        unsigned home = (unsigned)(key * 0x9E3779B1ull) & mask & ~7u;
        for (unsigned k = 0; k < 8; k++) {
            unsigned s = home + k;
            if (used[s] == 0)
                break;
            if (table_key[s] == key) {
                found = (int)s;
                break;
            }
        }
        match[i] = found;
        if (found >= 0)
            mine = (double)table_price[found] * quantity[i];
    }
    unsigned who = __ballot_sync(0xffffffffu, found >= 0);
    for (int d = 16; d > 0; d >>= 1)
        mine += __shfl_down_sync(0xffffffffu, mine, d);
    if ((threadIdx.x & 31) == 0) {
        if (who)
            atomicAdd(matched, (unsigned)__popc(who));
        money[threadIdx.x >> 5] = mine;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double total = 0.0;
        for (int w = 0; w < 8; w++)
            total += money[w];
        if (total > 0.0)
            atomicAdd(revenue, total);
    }
}

// Sorting: merge of two sorted runs; each thread finds its diagonal by a binary search and merges eight keys.
/* kmutate launch
   int na = 7000001, nb = 5000011;
   int threads = (na + nb + 7) / 8;
   dim3 block = { 256 };
   dim3 grid = { (threads + 255) / 256 };
   unsigned a[na] = ascending(0, 2000000000), b[nb] = ascending(0, 2000000000);
   unsigned merged[na + nb] = zeros();
   int origin[na + nb] = zeros();
   merge_runs_by_diagonals(a, na, b, nb, merged, origin);
*/
__global__ void merge_runs_by_diagonals(const unsigned *a, int na, const unsigned *b, int nb, unsigned *merged,
                                        int *origin)
{
    int diag = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    int total = na + nb;
    if (diag >= total)
        return;
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= b[diag - 1 - mid])
            lo = mid + 1;
        else
            hi = mid;
    }
    int i = lo, j = diag - lo;
    int end = min(diag + 8, total);
    for (int o = diag; o < end; o++) {
        bool from_a = j >= nb || (i < na && a[i] <= b[j]);
        if (from_a) {
            merged[o] = a[i];
            origin[o] = i;
            i++;
        } else {
            merged[o] = b[j];
            origin[o] = ~j;
            j++;
        }
    }
}

// Biology, strings: edit distance of pairs of short reads, one thread a pair, given up beyond a limit.
/* kmutate launch
   int reads = 200000, lo = 14, hi = 36, pairs = 160000;
   int letters = csr_nnz(reads, lo, hi);
   dim3 block = { 128 };
   dim3 grid = { (pairs + 127) / 128 };
   int start[reads + 1] = csr_rowptr(reads, lo, hi);
   char text[letters] = randint(0, 4);
   int left[pairs] = ascending(0, 200000), right[pairs] = randint(0, 200000);
   signed char distance[pairs] = zeros();
   read_edit_distance_limited(text, start, left, right, distance, pairs, 9);
*/
__global__ void read_edit_distance_limited(const char *text, const int *start, const int *left, const int *right,
                                           signed char *distance, int pairs, int limit)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;
    int l = left[p], r = right[p];
    const char *s = text + start[l];
    const char *t = text + start[r];
    int ns = min(start[l + 1] - start[l], 40);
    int nt = min(start[r + 1] - start[r], 40);
    if (abs(ns - nt) > limit) {
        distance[p] = -1;
        return;
    }
    unsigned char row[41];
    for (int j = 0; j <= nt; j++)
        row[j] = (unsigned char)j;
    for (int i = 1; i <= ns; i++) {
        char c = s[i - 1];
        int diagonal = row[0];
        int best = i;
        row[0] = (unsigned char)i;
        int before = i;
        for (int j = 1; j <= nt; j++) {
            int above = row[j];
            int v = diagonal + (c != t[j - 1]);
            v = min(v, min(above, before) + 1);
            diagonal = above;
            before = v;
            row[j] = (unsigned char)v;
            best = min(best, v);
        }
        if (best > limit) {
            distance[p] = -1;
            return;
        }
    }
    distance[p] = (signed char)(row[nt] <= limit ? row[nt] : -1);
}

// Trees: a forest of complete trees over binned features, one thread a sample, stops when the score is clear;
// samples are rows of odd length.
struct BinnedSplit { int feature, cut; };

/* kmutate launch
   struct BinnedSplit { int feature, cut; };
   int samples = 280000, features = 63, trees = 48;
   dim3 block = { 128 };
   dim3 grid = { (samples + 127) / 128 };
   unsigned char bins[samples * features] = randint(0, 64);
   struct BinnedSplit splits[trees * 127] = randint(4, 60);
   float leaves[trees * 128] = normal(0, 0.1);
   float score[samples] = zeros();
   unsigned char used[samples] = zeros();
   forest_score_binned_features(bins, splits, leaves, score, used, samples, features, trees, 0.9f);
*/
__global__ void forest_score_binned_features(const unsigned char *bins, const BinnedSplit *splits, const float *leaves,
                                             float *score, unsigned char *used, int samples, int features, int trees,
                                             float clear)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= samples)
        return;
    const unsigned char *x = bins + (size_t)i * features;
    float sum = 0.0f;
    int t = 0;
    while (t < trees) {
        const BinnedSplit *tree = splits + t * 127;
        int node = 0;
        for (int level = 0; level < 7; level++) {
            BinnedSplit s = tree[node];
            node = 2 * node + (x[s.feature] > s.cut ? 2 : 1);
        }
        sum += leaves[t * 128 + node - 127];
        t++;
        if ((t & 7) == 0 && fabsf(sum) > clear)
            break;
    }
    score[i] = sum;
    used[i] = (unsigned char)t;
}
