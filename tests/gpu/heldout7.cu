// The seventh set of kernels that nobody tuned the model of time for: simulations, matrices dense and sparse, graphs, sorting and
// data, ciphers and sequences, images, finance and networks, written from what is commonly known of the algorithms by someone who
// had seen neither the model nor its results (tests/gpu/heldout.py, docs/heldout.md).

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#define ceil_div(m, n) (((m) + (n) - 1) / (n))

// ------------------------------------------------------------------------------------------------------------ simulation

/* kmutate launch
   int w = 3000, h = 700; dim3 block = { 192 }; dim3 grid = { ceil_div(w, 192), h };
   float out[w * h] = zeros(); float in[w * h] = uniform(0.5, 1.5);
   weno5_rows(out, in, w, 0.2f);
*/
// Advection of fifth order: three candidate stencils for each face, weighted by how smooth they are; rows are rings.
__device__ __forceinline__ float weno_face(float a, float b, float c, float d, float e)
{
    const float p0 = (2.0f * a - 7.0f * b + 11.0f * c) / 6.0f, p1 = (-b + 5.0f * c + 2.0f * d) / 6.0f, p2 = (2.0f * c + 5.0f * d - e) / 6.0f;
    const float s0 = 1.0833333f * (a - 2.0f * b + c) * (a - 2.0f * b + c) + 0.25f * (a - 4.0f * b + 3.0f * c) * (a - 4.0f * b + 3.0f * c);
    const float s1 = 1.0833333f * (b - 2.0f * c + d) * (b - 2.0f * c + d) + 0.25f * (b - d) * (b - d);
    const float s2 = 1.0833333f * (c - 2.0f * d + e) * (c - 2.0f * d + e) + 0.25f * (3.0f * c - 4.0f * d + e) * (3.0f * c - 4.0f * d + e);
    const float w0 = 0.1f / ((s0 + 1e-6f) * (s0 + 1e-6f)), w1 = 0.6f / ((s1 + 1e-6f) * (s1 + 1e-6f)), w2 = 0.3f / ((s2 + 1e-6f) * (s2 + 1e-6f));
    return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2);
}
__global__ void weno5_rows(float *out, const float *in, int w, float courant)
{
    __shared__ float u[192 + 6];
    const float *row = in + (size_t)blockIdx.y * w;
    const int first = blockIdx.x * 192 - 3;
    for (int i = threadIdx.x; i < 198; i += 192) {
        int x = first + i;
        x = x < 0 ? x + w : x >= w ? x - w : x;
        u[i] = row[min(x, w - 1)];
    }
    __syncthreads();
    const int t = threadIdx.x, x = blockIdx.x * 192 + t;
    if (x >= w) return;
    const float left = weno_face(u[t], u[t + 1], u[t + 2], u[t + 3], u[t + 4]), right = weno_face(u[t + 1], u[t + 2], u[t + 3], u[t + 4], u[t + 5]);
    out[(size_t)blockIdx.y * w + x] = u[t + 3] - courant * (right - left);
}

/* kmutate launch
   int n = 112; dim3 block = { 16, 4, 4 }; dim3 grid = { n / 16, n / 4, n / 4 };
   float coarse[n * n * n] = zeros(); float fine[8 * n * n * n] = uniform(-1, 1);
   restrict_full_weight(coarse, fine, n);
*/
// From a fine grid to one of half the points each way: 27 points with weights 1, 2, 4, 8, every other point read with a stride.
__global__ void restrict_full_weight(float *coarse, const float *__restrict__ fine, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    const int m = 2 * n;
    float sum = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int fx = max(2 * x + dx, 0), fy = max(2 * y + dy, 0), fz = max(2 * z + dz, 0);
                const float w = (float)((2 - abs(dx)) * (2 - abs(dy)) * (2 - abs(dz)));
                sum += w * fine[(fz * m + fy) * m + fx];
            }
    coarse[(z * n + y) * n + x] = sum * (1.0f / 64.0f);
}

/* kmutate launch
   int n = 2048; dim3 block = { 64, 4 }; dim3 grid = { n / 2 / 64, n / 4 };
   double u[n * n] = uniform(0, 1); double f[n * n] = uniform(-1, 1);
   sor_red_points(u, f, n, 1.7, 0);
*/
// Half a step of over-relaxation: the points of one colour of a chess board from those of the other, in place.
__global__ void sor_red_points(double *u, const double *f, int n, double omega, int colour)
{
    int y = blockIdx.y * blockDim.y + threadIdx.y, x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + colour) & 1);
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    double *p = u + (size_t)y * n + x;
    double mean = 0.25 * (p[-1] + p[1] + p[-n] + p[n] - f[(size_t)y * n + x]);
    *p += omega * (mean - *p);
}

/* kmutate launch
   int n = 700000, side = 64; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float charge[side * side * side] = zeros(); float z[n] = ascending(0, 62.9); float y[n] = uniform(0, 62.9); float x[n] = uniform(0, 62.9);
   deposit_charge(charge, x, y, z, n, side);
*/
// Particles in cells: each gives its charge to the eight corners around it by atomics; particles are in order of z only.
__global__ void deposit_charge(float *charge, const float *x, const float *y, const float *z, int n, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cx = (int)x[i], cy = (int)y[i], cz = (int)z[i];
    float fx = x[i] - cx, fy = y[i] - cy, fz = z[i] - cz, gx = 1.0f - fx, gy = 1.0f - fy, gz = 1.0f - fz;
    float *at = charge + (cz * side + cy) * side + cx;
    atomicAdd(at, gx * gy * gz);
    atomicAdd(at + 1, fx * gy * gz);
    atomicAdd(at + side, gx * fy * gz);
    atomicAdd(at + side + 1, fx * fy * gz);
    at += side * side;
    atomicAdd(at, gx * gy * fz);
    atomicAdd(at + 1, fx * gy * fz);
    atomicAdd(at + side, gx * fy * fz);
    atomicAdd(at + side + 1, fx * fy * fz);
}

/* kmutate launch
   int n = 1100000, side = 48; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   float4 place[n] = uniform(0.1, 47.8); float4 speed[n] = uniform(-0.1, 0.1);
   float4 electric[side * side * side] = normal(); float4 magnetic[side * side * side] = normal();
   boris_push(place, speed, electric, magnetic, n, side, 0.05f);
*/
// Charged particles turn in the magnetic field of their cell, half a kick by the electric one before and after; in place.
__device__ float3 cross3(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__global__ void boris_push(float4 *place, float4 *speed, const float4 *__restrict__ electric, const float4 *__restrict__ magnetic, int n, int side, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = place[i], v = speed[i];
    int cell = ((int)p.z * side + (int)p.y) * side + (int)p.x;
    float4 e = electric[cell], b = magnetic[cell];
    float k = 0.5f * dt;
    float3 minus = make_float3(v.x + k * e.x, v.y + k * e.y, v.z + k * e.z), t = make_float3(k * b.x, k * b.y, k * b.z);
    float s = 2.0f / (1.0f + t.x * t.x + t.y * t.y + t.z * t.z);
    float3 turn = cross3(minus, t);
    float3 prime = make_float3(minus.x + turn.x, minus.y + turn.y, minus.z + turn.z), again = cross3(prime, t);
    v.x = minus.x + s * again.x + k * e.x;
    v.y = minus.y + s * again.y + k * e.y;
    v.z = minus.z + s * again.z + k * e.z;
    float edge = side - 0.01f;
    p.x = fminf(fmaxf(p.x + dt * v.x, 0.0f), edge);
    p.y = fminf(fmaxf(p.y + dt * v.y, 0.0f), edge);
    p.z = fminf(fmaxf(p.z + dt * v.z, 0.0f), edge);
    place[i] = p;
    speed[i] = v;
}

/* kmutate launch
   int n = 256; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   float3 next[n * n] = zeros(); float3 now[n * n] = uniform(0, 1); float3 before[n * n] = uniform(0, 1);
   cloth_step(next, now, before, n, 0.01f);
*/
// A cloth of springs to twelve neighbours, places of three floats in shared memory with a rim of two; small.
__global__ void cloth_step(float3 *next, const float3 *now, const float3 *before, int n, float dt2)
{
    __shared__ float3 s[20][20];
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
        int y = min(max((int)blockIdx.y * 16 + i / 20 - 2, 0), n - 1), x = min(max((int)blockIdx.x * 16 + i % 20 - 2, 0), n - 1);
        s[i / 20][i % 20] = now[y * n + x];
    }
    __syncthreads();
    const int dx[12] = { 1, -1, 0, 0, 1, 1, -1, -1, 2, -2, 0, 0 }, dy[12] = { 0, 0, 1, -1, 1, -1, 1, -1, 0, 0, 2, -2 };
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, cx = threadIdx.x + 2, cy = threadIdx.y + 2;
    const float3 me = s[cy][cx], old = before[y * n + x];
    float fx = 0.0f, fy = -9.81f, fz = 0.0f;
#pragma unroll
    for (int k = 0; k < 12; k++) {
        if (x + dx[k] < 0 || x + dx[k] >= n || y + dy[k] < 0 || y + dy[k] >= n) continue;
        const float3 to = s[cy + dy[k]][cx + dx[k]];
        const float rest = k < 4 ? 0.1f : k < 8 ? 0.1414f : 0.2f, stiff = k < 4 ? 40.0f : k < 8 ? 20.0f : 10.0f;
        const float ax = to.x - me.x, ay = to.y - me.y, az = to.z - me.z, length = sqrtf(ax * ax + ay * ay + az * az + 1e-9f);
        const float pull = stiff * (length - rest) / length;
        fx += pull * ax;
        fy += pull * ay;
        fz += pull * az;
    }
    next[y * n + x] = make_float3(1.99f * me.x - 0.99f * old.x + dt2 * fx, 1.99f * me.y - 0.99f * old.y + dt2 * fy, 1.99f * me.z - 0.99f * old.z + dt2 * fz);
}

/* kmutate launch
   int atoms = 5000, waves = 1200; dim3 block = { 128 }; dim3 grid = { waves };
   float2 factor[waves] = zeros(); float4 atom[atoms] = uniform(-1, 1); float4 wave[waves] = uniform(-20, 20);
   structure_factors(factor, atom, wave, atoms);
*/
// The part of Ewald's sum in reciprocal space: a block adds sines and cosines of all charges for one wave.
__global__ void structure_factors(float2 *factor, const float4 *atom, const float4 *wave, int atoms)
{
    __shared__ float2 part[4];
    const float4 k = wave[blockIdx.x];
    float re = 0.0f, im = 0.0f;
    for (int i = threadIdx.x; i < atoms; i += 128) {
        const float4 a = atom[i];
        float s, c;
        sincosf(k.x * a.x + k.y * a.y + k.z * a.z, &s, &c);
        re += a.w * c;
        im += a.w * s;
    }
    for (int d = 16; d > 0; d >>= 1) {
        re += __shfl_down_sync(0xffffffffu, re, d);
        im += __shfl_down_sync(0xffffffffu, im, d);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(re, im);
    __syncthreads();
    if (threadIdx.x == 0) {
        const float damp = expf(-0.01f * (k.x * k.x + k.y * k.y + k.z * k.z));
        factor[blockIdx.x] = make_float2(damp * (part[0].x + part[1].x + part[2].x + part[3].x), damp * (part[0].y + part[1].y + part[2].y + part[3].y));
    }
}

/* kmutate launch
   int n = 150000, most = 30; dim3 block = { 96 }; dim3 grid = { ceil_div(n, 96) };
   float4 force[n] = zeros(); float4 place[n] = uniform(0, 6); short near[most * n] = randint(-700, 700);
   float4 pair_spline[501] = uniform(-1, 1); float4 density_spline[501] = uniform(0, 1); float embed_slope[n] = uniform(-1, 0);
   embedded_atoms(force, place, near, embed_slope, pair_spline, density_spline, n, most);
*/
// Metals by embedded atoms: pair and density slopes from tables of cubic splines, neighbours by short offsets, a cut-off.
__global__ void embedded_atoms(float4 *force, const float4 *__restrict__ place, const short *__restrict__ near, const float *__restrict__ embed_slope,
                               const float4 *__restrict__ pair_spline, const float4 *__restrict__ density_spline, int n, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = place[i], sum = make_float4(0, 0, 0, 0);
    float mine = embed_slope[i];
    for (int k = 0; k < most; k++) {
        int j = i + near[k * n + i];
        j = j < 0 ? j + n : j >= n ? j - n : j;
        float4 other = place[j];
        float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z, r2 = dx * dx + dy * dy + dz * dz;
        if (j == i || r2 >= 25.0f) continue;
        float one = rsqrtf(r2 + 1e-6f), at = r2 * one * 100.0f;
        int bin = min((int)at, 500);
        float t = at - bin;
        float4 p = pair_spline[bin], d = density_spline[bin];
        float phi = ((p.w * t + p.z) * t + p.y) * t + p.x, slope = (3.0f * p.w * t + 2.0f * p.z) * t + p.y;
        float rho = (3.0f * d.w * t + 2.0f * d.z) * t + d.y;
        float push = (slope + (mine + embed_slope[j]) * rho) * one;
        sum.x += push * dx;
        sum.y += push * dy;
        sum.z += push * dz;
        sum.w += 0.5f * phi;
    }
    force[i] = sum;
}

/* kmutate launch
   int bodies = 24000, nodes = 4681; dim3 block = { 128 }; dim3 grid = { ceil_div(bodies, 128) };
   float4 push[bodies] = zeros(); float4 body[bodies] = uniform(0, 1); float4 node[nodes] = uniform(0, 1);
   tree_forces(push, body, node, bodies);
*/
// Gravity by a full tree of eights of four levels: a warp walks together, a node is opened when one of its lanes is too near.
__global__ void tree_forces(float4 *push, const float4 *body, const float4 *node, int bodies)
{
    __shared__ int stack[4][40];
    __shared__ float width[4][40];
    const int i = blockIdx.x * 128 + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float4 me = body[min(i, bodies - 1)];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    int depth = 1;
    if (lane == 0) {
        stack[warp][0] = 0;
        width[warp][0] = 4.0f;
    }
    __syncwarp();
    while (depth > 0) {
        depth--;
        const int at = stack[warp][depth];
        const float wide = width[warp][depth];
        __syncwarp();
        const float4 c = node[at];
        const float dx = c.x - me.x, dy = c.y - me.y, dz = c.z - me.z, r2 = dx * dx + dy * dy + dz * dz + 1e-4f;
        if (at < 585 && __any_sync(0xffffffffu, r2 < wide * wide)) {
            if (lane < 8) {
                stack[warp][depth + lane] = 8 * at + 1 + lane;
                width[warp][depth + lane] = 0.5f * wide;
            }
            depth += 8;
            __syncwarp();
        } else {
            const float one = rsqrtf(r2), much = c.w * one * one * one;
            ax += much * dx;
            ay += much * dy;
            az += much * dz;
        }
    }
    if (i < bodies) push[i] = make_float4(ax, ay, az, 0.0f);
}

/* kmutate launch
   int n = 600000, bones = 96; dim3 block = { 192 }; dim3 grid = { ceil_div(n, 192) };
   float4 place[n] = zeros(); float4 normal_out[n] = zeros(); float4 rest[n] = uniform(-1, 1); float4 rest_normal[n] = uniform(-1, 1);
   uchar4 bone[n] = randint(0, 96); float4 weight[n] = uniform(0, 0.5); float4 pose[3 * bones] = uniform(-1, 1);
   skin_vertices(place, normal_out, rest, rest_normal, bone, weight, pose, n, bones);
*/
// Vertices follow four bones each: matrices of twelve floats lie in shared memory and are read in no order.
__global__ void skin_vertices(float4 *place, float4 *normal_out, const float4 *rest, const float4 *rest_normal, const uchar4 *bone, const float4 *weight,
                              const float4 *pose, int n, int bones)
{
    __shared__ float4 m[3 * 96];
    for (int k = threadIdx.x; k < 3 * bones; k += blockDim.x) m[k] = pose[k];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = rest[i], q = rest_normal[i], w = weight[i];
    const uchar4 b = bone[i];
    float4 row[3];
#pragma unroll
    for (int r = 0; r < 3; r++) {
        const float4 m0 = m[3 * b.x + r], m1 = m[3 * b.y + r], m2 = m[3 * b.z + r], m3 = m[3 * b.w + r];
        row[r].x = w.x * m0.x + w.y * m1.x + w.z * m2.x + w.w * m3.x;
        row[r].y = w.x * m0.y + w.y * m1.y + w.z * m2.y + w.w * m3.y;
        row[r].z = w.x * m0.z + w.y * m1.z + w.z * m2.z + w.w * m3.z;
        row[r].w = w.x * m0.w + w.y * m1.w + w.z * m2.w + w.w * m3.w;
    }
    place[i] = make_float4(row[0].x * p.x + row[0].y * p.y + row[0].z * p.z + row[0].w, row[1].x * p.x + row[1].y * p.y + row[1].z * p.z + row[1].w,
                           row[2].x * p.x + row[2].y * p.y + row[2].z * p.z + row[2].w, 1.0f);
    const float nx = row[0].x * q.x + row[0].y * q.y + row[0].z * q.z, ny = row[1].x * q.x + row[1].y * q.y + row[1].z * q.z;
    const float nz = row[2].x * q.x + row[2].y * q.y + row[2].z * q.z, one = rsqrtf(nx * nx + ny * ny + nz * nz + 1e-12f);
    normal_out[i] = make_float4(nx * one, ny * one, nz * one, 0.0f);
}

/* kmutate launch
   int moments = 12, angles = 48, groups = 16, zones = 4096; dim3 block = { 256 }; dim3 grid = { zones / 256, groups };
   double phi[moments * groups * zones] = zeros(); double psi[angles * groups * zones] = uniform(0, 1); double ell[moments * angles] = uniform(-1, 1);
   moments_naive(phi, psi, ell, moments, angles, groups, zones);
*/
// Transport: moments of a flux over all angles, every term added in global memory.
__global__ void moments_naive(double *phi, const double *psi, const double *ell, int moments, int angles, int groups, int zones)
{
    int z = blockIdx.x * blockDim.x + threadIdx.x, g = blockIdx.y;
    for (int m = 0; m < moments; m++)
        for (int d = 0; d < angles; d++) phi[(m * groups + g) * zones + z] += ell[m * angles + d] * psi[(d * groups + g) * zones + z];
}

// ------------------------------------------------------------------------------------------------ matrices, dense and sparse

/* kmutate launch
   int m = 1001, n = 777, k = 515; dim3 block = { 32, 8 }; dim3 grid = { ceil_div(n, 64), ceil_div(m, 64) };
   float C[m * n] = uniform(0, 1); float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1);
   sgemm_ragged<64, 64, 16>(m, n, k, 0.5f, A, B, 2.0f, C);
*/
// A matrix product of sizes that no tile divides: zeros are put where there is nothing, 8 x 2 results a thread.
template <int BM, int BN, int BK>
__global__ void sgemm_ragged(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float as[BM][BK + 1], bs[BK][BN];
    const int t = threadIdx.y * 32 + threadIdx.x, row = blockIdx.y * BM, col = blockIdx.x * BN;
    float sums[BM / 8][BN / 32] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < BM * BK; i += 256) {
            const int r = i / BK, c = i % BK;
            as[r][c] = row + r < M && k0 + c < K ? A[(row + r) * K + k0 + c] : 0.0f;
        }
        for (int i = t; i < BK * BN; i += 256) {
            const int r = i / BN, c = i % BN;
            bs[r][c] = k0 + r < K && col + c < N ? B[(k0 + r) * N + col + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float b[BN / 32];
#pragma unroll
            for (int j = 0; j < BN / 32; j++) b[j] = bs[k][threadIdx.x + 32 * j];
#pragma unroll
            for (int i = 0; i < BM / 8; i++) {
                const float a = as[threadIdx.y + 8 * i][k];
#pragma unroll
                for (int j = 0; j < BN / 32; j++) sums[i][j] += a * b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < BM / 8; i++)
        for (int j = 0; j < BN / 32; j++) {
            const int r = row + threadIdx.y + 8 * i, c = col + threadIdx.x + 32 * j;
            if (r < M && c < N) C[r * N + c] = alpha * sums[i][j] + beta * C[r * N + c];
        }
}

/* kmutate launch
   int m = 1024, n = 896, k = 512; dim3 block = { 128 }; dim3 grid = { n / 64, m / 64 };
   half C[m * n] = zeros(); half A[m * k] = uniform(-1, 1); half B[k * n] = uniform(-1, 1);
   hgemm_async(m, n, k, A, B, C);
*/
// Halves times halves, added in floats: two stages of tiles copied asynchronously, 8 x 4 results a thread.
__global__ void __launch_bounds__(128) hgemm_async(int M, int N, int K, const half *A, const half *B, half *C)
{
    __shared__ __align__(16) half as[2][64][40], bs[2][32][72];
    const int t = threadIdx.x, row = blockIdx.y * 64, col = blockIdx.x * 64, ty = t / 16, tx = t % 16;
    float sums[8][4] = {};
    auto fetch = [&](int stage, int k0) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int e = t + 128 * i;
            __pipeline_memcpy_async(&as[stage][e / 4][e % 4 * 8], A + (size_t)(row + e / 4) * K + k0 + e % 4 * 8, 16);
            __pipeline_memcpy_async(&bs[stage][e / 8][e % 8 * 8], B + (size_t)(k0 + e / 8) * N + col + e % 8 * 8, 16);
        }
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int k0 = 0, now = 0; k0 < K; k0 += 32, now ^= 1) {
        if (k0 + 32 < K) {
            fetch(now ^ 1, k0 + 32);
            __pipeline_wait_prior(1);
        } else
            __pipeline_wait_prior(0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            const float2 b0 = __half22float2(*(const half2 *)&bs[now][k][tx * 4]), b1 = __half22float2(*(const half2 *)&bs[now][k][tx * 4 + 2]);
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float a = __half2float(as[now][ty * 8 + i][k]);
                sums[i][0] += a * b0.x;
                sums[i][1] += a * b0.y;
                sums[i][2] += a * b1.x;
                sums[i][3] += a * b1.y;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++) {
        half2 *c = (half2 *)(C + (size_t)(row + ty * 8 + i) * N + col + tx * 4);
        c[0] = __floats2half2_rn(sums[i][0], sums[i][1]);
        c[1] = __floats2half2_rn(sums[i][2], sums[i][3]);
    }
}

/* kmutate launch
   int n = 512; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   float2 C[n * n] = zeros(); float2 A[n * n] = uniform(-1, 1); float2 B[n * n] = uniform(-1, 1);
   cgemm_tiles(n, A, B, C);
*/
// Complex numbers, the conjugate of the first matrix's transpose times the second, plain tiles of sixteen.
__device__ __forceinline__ void add_conjugate(float2 &s, float2 a, float2 b)
{
    s.x += a.x * b.x + a.y * b.y;
    s.y += a.x * b.y - a.y * b.x;
}
__global__ void cgemm_tiles(int n, const float2 *A, const float2 *B, float2 *C)
{
    __shared__ float2 as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int k0 = 0; k0 < n; k0 += 16) {
        as[ty][tx] = A[(k0 + ty) * n + blockIdx.y * 16 + tx];
        bs[ty][tx] = B[(k0 + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) add_conjugate(sum, as[k][ty], bs[k][tx]);
        __syncthreads();
    }
    C[row * n + col] = sum;
}

/* kmutate launch
   int m = 480, n = 512, k = 640; dim3 block = { 8, 32 }; dim3 grid = { ceil_div(m, 8), ceil_div(n, 32) };
   float C[m * n] = zeros(); float A[k * m] = uniform(-1, 1); float B[k * n] = uniform(-1, 1);
   gemm_tn_naive(m, n, k, A, B, C);
*/
// The transpose of one matrix times another, neighbours in the block are far apart in the second and in what is written.
__global__ void gemm_tn_naive(int m, int n, int k, const float *A, const float *B, float *C)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += A[i * m + row] * B[i * n + col];
    C[row * n + col] = sum;
}

/* kmutate launch
   int m = 1536, n = 1024, k = 768; dim3 block = { 128 }; dim3 grid = { n / 64, m / 128 };
   float C[m * n] = zeros(); float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1);
   gemm_warp_tiles<128, 64, 8>(n, k, A, B, C);
*/
// The ladder's rung with tiles of warps: 64 x 32 a warp, 8 x 8 a thread, the first matrix turned on its way to shared memory.
template <int BM, int BN, int BK>
__global__ void __launch_bounds__(128, 3) gemm_warp_tiles(int N, int K, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ __align__(16) float as[BK][BM + 4], bs[BK][BN];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int row = warp / 2 * 64 + lane / 4 * 4, col = warp % 2 * 32 + lane % 4 * 4;
    A += (size_t)blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    float sums[8][8] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < BM * BK / 4 / 128; i++) {
            const int e = t + 128 * i, r = e / (BK / 4), c = e % (BK / 4) * 4;
            const float4 a = *(const float4 *)(A + (size_t)r * K + k0 + c);
            as[c][r] = a.x;
            as[c + 1][r] = a.y;
            as[c + 2][r] = a.z;
            as[c + 3][r] = a.w;
        }
#pragma unroll
        for (int i = 0; i < BK * BN / 4 / 128; i++) {
            const int e = t + 128 * i, r = e / (BN / 4), c = e % (BN / 4) * 4;
            *(float4 *)&bs[r][c] = *(const float4 *)(B + (size_t)(k0 + r) * N + c);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[8], b[8];
            *(float4 *)a = *(const float4 *)&as[k][row];
            *(float4 *)(a + 4) = *(const float4 *)&as[k][row + 32];
            *(float4 *)b = *(const float4 *)&bs[k][col];
            *(float4 *)(b + 4) = *(const float4 *)&bs[k][col + 16];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) sums[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float *c = C + (size_t)(blockIdx.y * BM + row + (i < 4 ? i : 28 + i)) * N + blockIdx.x * BN + col;
        *(float4 *)c = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        *(float4 *)(c + 16) = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}

/* kmutate launch
   int batch = 50000; dim3 block = { 64 }; dim3 grid = { batch / 4 };
   float a[batch * 256] = uniform(-0.5, 0.5);
   lu_sixteen_lanes(a);
*/
// Matrices of 16 x 16 in the registers of sixteen lanes, a row each: the pivot's row goes round by shuffles; in place.
__global__ void lu_sixteen_lanes(float *a)
{
    const int lane = threadIdx.x % 16, which = blockIdx.x * 4 + threadIdx.x / 16;
    float4 *row = (float4 *)(a + (size_t)which * 256 + lane * 16);
    float r[16];
#pragma unroll
    for (int i = 0; i < 4; i++) *(float4 *)(r + 4 * i) = row[i];
#pragma unroll
    for (int i = 0; i < 16; i++)
        if (i == lane) r[i] += 8.0f;
#pragma unroll
    for (int k = 0; k < 15; k++) {
        const float pivot = __shfl_sync(0xffffffffu, r[k], k, 16);
        if (lane > k) r[k] /= pivot;
#pragma unroll
        for (int j = k + 1; j < 16; j++) {
            const float top = __shfl_sync(0xffffffffu, r[j], k, 16);
            if (lane > k) r[j] -= r[k] * top;
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) row[i] = *(float4 *)(r + 4 * i);
}

/* kmutate launch
   int batch = 200, columns = 640; dim3 block = { 128 }; dim3 grid = { columns / 128, batch };
   float b[batch * 40 * columns] = uniform(-1, 1); float l[batch * 40 * 40] = uniform(-0.1, 0.1);
   trsm_columns<40>(b, l, columns);
*/
// A triangle of forty is solved for many right-hand sides, a column a thread in its registers.
template <int N>
__global__ void __launch_bounds__(128) trsm_columns(float *b, const float *l, int columns)
{
    __shared__ float s[N][N];
    l += (size_t)blockIdx.y * N * N;
    b += (size_t)blockIdx.y * N * columns + blockIdx.x * 128 + threadIdx.x;
    for (int i = threadIdx.x; i < N * N; i += 128) s[i / N][i % N] = i / N == i % N ? 1.0f / (l[i] + 2.0f) : l[i];
    float x[N];
#pragma unroll
    for (int i = 0; i < N; i++) x[i] = b[i * columns];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int j = 0; j < i; j++) x[i] -= s[i][j] * x[j];
        x[i] *= s[i][i];
    }
#pragma unroll
    for (int i = 0; i < N; i++) b[i * columns] = x[i];
}

/* kmutate launch
   int panels = 300; dim3 block = { 512 }; dim3 grid = { panels };
   float a[panels * 512 * 16] = normal(); float tau[panels * 16] = zeros();
   householder_panels(a, tau);
*/
// A tall panel of 512 x 16 a block: norms by the whole block, then a warp for each column that is still to be reflected.
__global__ void householder_panels(float *a, float *tau)
{
    __shared__ float s[16][512];
    __shared__ float part[16], scale, beta;
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    a += (size_t)blockIdx.x * 16 * 512;
    for (int c = 0; c < 16; c++) s[c][t] = a[c * 512 + t];
    __syncthreads();
    for (int k = 0; k < 15; k++) {
        float square = t > k ? s[k][t] * s[k][t] : 0.0f;
        for (int d = 16; d > 0; d >>= 1) square += __shfl_xor_sync(0xffffffffu, square, d);
        if (lane == 0) part[warp] = square;
        __syncthreads();
        if (warp == 0) {
            float sum = lane < 16 ? part[lane] : 0.0f;
            for (int d = 8; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
            if (lane == 0) {
                const float head = s[k][k], length = copysignf(sqrtf(head * head + sum), head);
                beta = (head + length) / length;
                scale = 1.0f / (head + length);
                tau[blockIdx.x * 16 + k] = beta;
                s[k][k] = -length;
            }
        }
        __syncthreads();
        if (t > k) s[k][t] *= scale;
        __syncthreads();
        if (warp > k) {
            float dot = lane == 0 ? s[warp][k] : 0.0f;
            for (int i = k + 1 + lane; i < 512; i += 32) dot += s[k][i] * s[warp][i];
            for (int d = 16; d > 0; d >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, d);
            dot *= beta;
            if (lane == 0) s[warp][k] -= dot;
            for (int i = k + 1 + lane; i < 512; i += 32) s[warp][i] -= dot * s[k][i];
        }
        __syncthreads();
    }
    for (int c = 0; c < 16; c++) a[c * 512 + t] = s[c][t];
}

/* kmutate launch
   int lines = 900, n = 256; dim3 block = { n }; dim3 grid = { lines }; int smem = 4 * n * sizeof(double);
   double x[lines * n] = zeros(); double a[lines * n] = uniform(-1, 0); double b[lines * n] = uniform(3, 4);
   double c[lines * n] = uniform(-1, 0); double d[lines * n] = uniform(-1, 1);
   pcr_lines(x, a, b, c, d, n);
*/
// Three diagonals by parallel cyclic reduction in doubles: every row stays at work, distances double, two barriers a step.
__global__ void pcr_lines(double *x, const double *a, const double *b, const double *c, const double *d, int n)
{
    extern __shared__ double lines[];
    double *sa = lines, *sb = sa + n, *sc = sb + n, *sd = sc + n;
    const int t = threadIdx.x, at = blockIdx.x * n + t;
    double la = t > 0 ? a[at] : 0.0, lb = b[at], lc = t < n - 1 ? c[at] : 0.0, ld = d[at];
    for (int step = 1; step < n; step *= 2) {
        sa[t] = la;
        sb[t] = lb;
        sc[t] = lc;
        sd[t] = ld;
        __syncthreads();
        const int up = t - step, down = t + step;
        double na = 0.0, nc = 0.0;
        if (up >= 0) {
            const double k = la / sb[up];
            na = -sa[up] * k;
            lb -= sc[up] * k;
            ld -= sd[up] * k;
        }
        if (down < n) {
            const double k = lc / sb[down];
            nc = -sc[down] * k;
            lb -= sa[down] * k;
            ld -= sd[down] * k;
        }
        la = na;
        lc = nc;
        __syncthreads();
    }
    x[at] = ld / lb;
}

/* kmutate launch
   int rows = 120000, cols = 90000, lo = 2, hi = 40, nnz = csr_nnz(rows, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(rows, 256) };
   double y[rows] = zeros(); int start[rows + 1] = csr_rowptr(rows, lo, hi); int column[nnz] = csr_colidx(cols); double value[nnz] = uniform(-1, 1);
   double x[cols] = uniform(-1, 1);
   spmv_rows_naive(y, start, column, value, x, rows);
*/
// A sparse matrix times a vector, a row a thread.
__global__ void spmv_rows_naive(double *y, const int *start, const int *column, const double *value, const double *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double sum = 0;
        for (int i = start[row]; i < start[row + 1]; i++) sum += value[i] * x[column[i]];
        y[row] = sum;
    }
}

/* kmutate launch
   int rows = 30000, lo = 3, hi = 14, nnz = csr_nnz(rows, lo, hi); dim3 block = { 128 }; dim3 grid = { rows / 4 };
   int count[rows] = zeros(); int start[rows + 1] = csr_rowptr(rows, lo, hi); int column[nnz] = csr_colidx(rows);
   spgemm_count(count, start, column);
*/
// How many entries the rows of a sparse matrix's square have: a hash table in shared memory for the row of each warp.
__global__ void spgemm_count(int *count, const int *__restrict__ start, const int *__restrict__ column)
{
    __shared__ int table[4][512];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 4 + warp;
    for (int i = lane; i < 512; i += 32) table[warp][i] = -1;
    __syncwarp();
    int fresh = 0;
    for (int i = start[row]; i < start[row + 1]; i++) {
        const int middle = column[i];
        for (int j = start[middle] + lane; j < start[middle + 1]; j += 32) {
            const int key = column[j];
            unsigned slot = (key * 2654435761u) >> 23;
            while (true) {
                const int was = atomicCAS(&table[warp][slot], -1, key);
                if (was == -1) fresh++;
                if (was == -1 || was == key) break;
                slot = (slot + 1) % 512;
            }
        }
    }
    for (int d = 16; d > 0; d >>= 1) fresh += __shfl_down_sync(0xffffffffu, fresh, d);
    if (lane == 0) count[row] = fresh;
}

// ------------------------------------------------------------------------------------------------------- graphs, sorting, data

/* kmutate launch
   int n = 300000, edges = 900000; dim3 block = { 256 }; dim3 grid = { ceil_div(edges, 256) };
   int parent[n] = iota(); int2 edge[edges] = randint(0, 300000);
   hook_components(parent, edge, edges);
*/
// Connected components: both ends climb to their roots, halving the way, and the larger root is hung below the smaller.
__device__ int climb(int *parent, int v)
{
    int p = parent[v];
    while (p != v) {
        int g = parent[p];
        if (g != p) parent[v] = g;
        v = p;
        p = g;
    }
    return v;
}
__global__ void hook_components(int *parent, const int2 *edge, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    int u = edge[e].x, v = edge[e].y;
    while (true) {
        u = climb(parent, u);
        v = climb(parent, v);
        if (u == v) break;
        if (u < v) {
            int swap = u;
            u = v;
            v = swap;
        }
        if (atomicCAS(&parent[u], u, v) == u) break;
    }
}

/* kmutate launch
   int n = 250000, lo = 1, hi = 25, nnz = csr_nnz(n, lo, hi); dim3 block = { 96 }; dim3 grid = { ceil_div(n, 96) };
   unsigned char label_out[n] = zeros(); unsigned char label[n] = randint(0, 24); int start[n + 1] = csr_rowptr(n, lo, hi); int column[nnz] = csr_colidx(n);
   majority_labels(label_out, label, start, column, n);
*/
// Communities: everybody takes the label that most neighbours have, counted in shared memory, a column of it for each thread.
__global__ void majority_labels(unsigned char *label_out, const unsigned char *label, const int *start, const int *column, int n)
{
    __shared__ unsigned short votes[24][96];
    const int v = blockIdx.x * 96 + threadIdx.x;
    for (int k = 0; k < 24; k++) votes[k][threadIdx.x] = 0;
    if (v >= n) return;
    for (int i = start[v]; i < start[v + 1]; i++) votes[label[column[i]]][threadIdx.x]++;
    int best = label[v], most = votes[best][threadIdx.x];
    for (int k = 0; k < 24; k++)
        if (votes[k][threadIdx.x] > most) {
            most = votes[k][threadIdx.x];
            best = k;
        }
    label_out[v] = best;
}

/* kmutate launch
   int edges = 1500000, parts = 60000; dim3 block = { 512 }; dim3 grid = { ceil_div(edges, 512) };
   unsigned long long best[parts] = fill(18446744073709551615ull); int2 ends[edges] = randint(0, 60000); unsigned weight[edges] = randint(1, 1000000);
   lightest_edges(best, ends, weight, edges);
*/
// A round of Boruvka: each component's lightest edge by a minimum of 64 bits, asked for only where it would be less.
__global__ void lightest_edges(unsigned long long *best, const int2 *ends, const unsigned *weight, int edges)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const int2 uv = ends[e];
    if (uv.x == uv.y) return;
    const unsigned long long key = (unsigned long long)weight[e] << 32 | (unsigned)e;
    if (key < best[uv.x]) atomicMin(&best[uv.x], key);
    if (key < best[uv.y]) atomicMin(&best[uv.y], key);
}

/* kmutate launch
   int n = 50000, lo = 4, hi = 28, nnz = csr_nnz(n, lo, hi); dim3 block = { 32, 8 }; dim3 grid = { ceil_div(n, 8) };
   half mean[n * 128] = zeros(); half feature[n * 128] = uniform(-1, 1); int start[n + 1] = csr_rowptr(n, lo, hi); int column[nnz] = csr_colidx(n);
   neighbour_means((uint2 *)mean, (const uint2 *)feature, start, column, n);
*/
// A graph network's means: a warp goes over a node's neighbours and takes 128 halves of each, added in floats.
__global__ void neighbour_means(uint2 *mean, const uint2 *__restrict__ feature, const int *__restrict__ start, const int *__restrict__ column, int n)
{
    const int v = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    if (v >= n) return;
    const int first = start[v], last = start[v + 1];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int base = first; base < last; base += 32) {
        const int mine = base + lane < last ? column[base + lane] : 0, many = min(32, last - base);
        for (int k = 0; k < many; k++) {
            const uint2 f = feature[(size_t)__shfl_sync(0xffffffffu, mine, k) * 32 + lane];
            const float2 a = __half22float2(*(const half2 *)&f.x), b = __half22float2(*(const half2 *)&f.y);
            sum.x += a.x;
            sum.y += a.y;
            sum.z += b.x;
            sum.w += b.y;
        }
    }
    const float one = 1.0f / (last - first);
    const half2 a = __floats2half2_rn(sum.x * one, sum.y * one), b = __floats2half2_rn(sum.z * one, sum.w * one);
    mean[(size_t)v * 32 + lane] = make_uint2(*(const unsigned *)&a, *(const unsigned *)&b);
}

/* kmutate launch
   int n = 1 << 21; dim3 block = { 256 }; dim3 grid = { n / 1024 };
   int key[n] = randint(-1000000, 1000000);
   sort_warps((int4 *)key);
*/
// Each warp sorts 128 keys in registers, four a lane: within a lane by hand, across lanes by shuffles; in place.
__device__ __forceinline__ void order_pair(int &a, int &b, bool up)
{
    const int low = min(a, b), high = max(a, b);
    a = up ? low : high;
    b = up ? high : low;
}
__global__ void sort_warps(int4 *key)
{
    const int lane = threadIdx.x % 32, at = blockIdx.x * 256 + threadIdx.x;
    const int4 v = key[at];
    int k[4] = { v.x, v.y, v.z, v.w };
    order_pair(k[0], k[1], true);
    order_pair(k[2], k[3], false);
#pragma unroll
    for (int size = 4; size <= 128; size *= 2) {
        const bool up = (lane * 4 & size) == 0;
#pragma unroll
        for (int stride = size / 2; stride >= 4; stride /= 2) {
            const bool lower = (lane & stride / 4) == 0;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int other = __shfl_xor_sync(0xffffffffu, k[i], stride / 4);
                k[i] = lower == up ? min(k[i], other) : max(k[i], other);
            }
        }
        order_pair(k[0], k[2], up);
        order_pair(k[1], k[3], up);
        order_pair(k[0], k[1], up);
        order_pair(k[2], k[3], up);
    }
    key[at] = make_int4(k[0], k[1], k[2], k[3]);
}

/* kmutate launch
   int n = 2500000; dim3 block = { 512 }; dim3 grid = { ceil_div(n, 2048) };
   unsigned char bucket[n] = zeros(); int count[256 * grid.x] = zeros(); float key[n] = uniform(0, 1); float splitter[255] = ascending(0, 1);
   splitter_buckets(bucket, count, key, splitter, n);
*/
// A sample sort's first pass: keys go down a tree of 255 splitters in shared memory, the block counts its buckets there, too.
__global__ void splitter_buckets(unsigned char *bucket, int *count, const float *key, const float *splitter, int n)
{
    __shared__ float tree[256];
    __shared__ int counts[256];
    const int t = threadIdx.x;
    if (t < 256) counts[t] = 0;
    if (t >= 1 && t < 256) {
        const int level = 31 - __clz(t), within = t - (1 << level), step = 256 >> level;
        tree[t] = splitter[within * step + step / 2 - 1];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const int i = blockIdx.x * 2048 + r * 512 + t;
        if (i < n) {
            const float k = key[i];
            int node = 1;
#pragma unroll
            for (int level = 0; level < 8; level++) node = 2 * node + (k > tree[node]);
            bucket[i] = node - 256;
            atomicAdd(&counts[node - 256], 1);
        }
    }
    __syncthreads();
    if (t < 256) count[t * gridDim.x + blockIdx.x] = counts[t];
}

/* kmutate launch
   int n = 3000001; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float2 kept[n] = zeros(); int total[1] = zeros(); float2 point[n] = uniform(-1, 1);
   compact_ballots(kept, total, point, n);
*/
// Points within a circle are kept: a vote of the warp, one atomic for all its lanes, in no order.
__global__ void compact_ballots(float2 *kept, int *total, const float2 *point, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const float2 p = i < n ? point[i] : make_float2(9.0f, 9.0f);
    const bool keep = p.x * p.x + p.y * p.y < 0.5f;
    const unsigned votes = __ballot_sync(0xffffffffu, keep);
    int base = 0;
    if (lane == 0 && votes) base = atomicAdd(total, __popc(votes));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) kept[base + __popc(votes & ((1u << lane) - 1))] = p;
}

/* kmutate launch
   int runs = 200000, lo = 1, hi = 24, n = csr_nnz(runs, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   short out[n] = zeros(); int start[runs + 1] = csr_rowptr(runs, lo, hi); short value[runs] = randint(-100, 100);
   expand_runs(out, start, value, n, runs);
*/
// Runs become what they stand for: the block looks for its first run in all of them, its threads in the few it has.
__device__ int run_of(const int *start, int low, int high, int at)
{
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (start[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}
__global__ void expand_runs(short *out, const int *start, const short *value, int n, int runs)
{
    __shared__ int window[2], offset[258];
    const int first = blockIdx.x * 256, i = first + threadIdx.x;
    if (threadIdx.x < 2) window[threadIdx.x] = run_of(start, 0, runs, min(first + (int)threadIdx.x * 255, n - 1));
    __syncthreads();
    const int low = window[0], many = window[1] - low + 1;
    for (int k = threadIdx.x; k <= many; k += 256) offset[k] = start[low + k];
    __syncthreads();
    if (i < n) out[i] = value[low + run_of(offset, 0, many, i)];
}

/* kmutate launch
   int rows = 90000; dim3 block = { 64 }; dim3 grid = { ceil_div(rows, 64) };
   int key[rows * 24] = randint(0, 10000);
   insertion_rows_naive(key, rows);
*/
// Rows of 24 are sorted by insertion, a row a thread, in an array of its own that is indexed by what the data says.
__global__ void insertion_rows_naive(int *key, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int mine[24];
    for (int i = 0; i < 24; i++) {
        int k = key[row * 24 + i], j = i;
        while (j > 0 && mine[j - 1] > k) {
            mine[j] = mine[j - 1];
            j--;
        }
        mine[j] = k;
    }
    for (int i = 0; i < 24; i++) key[row * 24 + i] = mine[i];
}

/* kmutate launch
   int n = 1 << 22, threads = 512; dim3 block = { threads }; dim3 grid = { n / threads };
   float out[grid.x] = zeros(); float in[n] = uniform(0, 1);
   reduce_modulo_naive(out, in);
*/
// The first sum of every course: a remainder says who adds, so every warp has few at work and all wait for each other.
__global__ void reduce_modulo_naive(float *out, const float *in)
{
    __shared__ float s[512];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* kmutate launch
   int n = 1 << 20; dim3 block = { 1024 }; dim3 grid = { n / 1024 };
   int bins[4096] = zeros(); float value[n] = normal(2048, 400);
   histogram_naive(bins, value, n);
*/
// Bins in global memory, an atomic for each value; the values are normally distributed.
__global__ void histogram_naive(int *bins, const float *value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[min(max((int)value[i], 0), 4095)], 1);
}

/* kmutate launch
   int w = 2080, h = 1984; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 32 };
   double out[w * h] = zeros(); double in[w * h] = uniform(0, 1);
   transpose_swizzled(out, in, w, h);
*/
// Doubles transposed by tiles without a padding: the column is scrambled by the row instead.
__global__ void transpose_swizzled(double *out, const double *in, int w, int h)
{
    __shared__ double tile[32][32];
    const int x = threadIdx.x, col = blockIdx.x * 32, row = blockIdx.y * 32;
#pragma unroll
    for (int y = threadIdx.y; y < 32; y += 8) tile[y][x ^ y] = in[(size_t)(row + y) * w + col + x];
    __syncthreads();
#pragma unroll
    for (int y = threadIdx.y; y < 32; y += 8) out[(size_t)(col + y) * h + row + x] = tile[x][y ^ x];
}

// --------------------------------------------------------------------------------------------- ciphers, codes and sequences

/* kmutate launch
   int chunks = 33000; dim3 block = { 128 }; dim3 grid = { ceil_div(chunks, 128) };
   unsigned digest[8 * chunks] = zeros(); unsigned text[256 * chunks] = randint(0, 4294967295);
   blake3_chunks((uint4 *)digest, (const uint4 *)text, chunks);
*/
// Hashes of chunks of 1 KB, a chunk a thread: seven rounds of sixteen words in registers for each block of 64 bytes.
__device__ __forceinline__ void blake_mix(unsigned &a, unsigned &b, unsigned &c, unsigned &d, unsigned x, unsigned y)
{
    a += b + x;
    d = __byte_perm(d ^ a, 0, 0x1032);
    c += d;
    b = __funnelshift_r(b ^ c, b ^ c, 12);
    a += b + y;
    d = __byte_perm(d ^ a, 0, 0x0321);
    c += d;
    b = __funnelshift_r(b ^ c, b ^ c, 7);
}
__global__ void blake3_chunks(uint4 *digest, const uint4 *text, int chunks)
{
    const unsigned iv[8] = { 0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u };
    const int order[16] = { 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8 };
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk >= chunks) return;
    unsigned h[8];
#pragma unroll
    for (int i = 0; i < 8; i++) h[i] = iv[i];
#pragma unroll 1
    for (int part = 0; part < 16; part++) {
        unsigned m[16], v[16];
#pragma unroll
        for (int i = 0; i < 4; i++) *(uint4 *)(m + 4 * i) = text[(size_t)chunk * 64 + part * 4 + i];
#pragma unroll
        for (int i = 0; i < 8; i++) v[i] = h[i];
#pragma unroll
        for (int i = 0; i < 4; i++) v[8 + i] = iv[i];
        v[12] = chunk;
        v[13] = 0;
        v[14] = 64;
        v[15] = part == 0 ? 1 : part == 15 ? 2 : 0;
#pragma unroll
        for (int round = 0; round < 7; round++) {
#pragma unroll
            for (int i = 0; i < 4; i++) blake_mix(v[i], v[4 + i], v[8 + i], v[12 + i], m[2 * i], m[2 * i + 1]);
#pragma unroll
            for (int i = 0; i < 4; i++) blake_mix(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4], m[8 + 2 * i], m[9 + 2 * i]);
            unsigned moved[16];
#pragma unroll
            for (int i = 0; i < 16; i++) moved[i] = m[order[i]];
#pragma unroll
            for (int i = 0; i < 16; i++) m[i] = moved[i];
        }
#pragma unroll
        for (int i = 0; i < 8; i++) h[i] = v[i] ^ v[8 + i];
    }
    digest[chunk * 2] = make_uint4(h[0], h[1], h[2], h[3]);
    digest[chunk * 2 + 1] = make_uint4(h[4], h[5], h[6], h[7]);
}

/* kmutate launch
   int strings = 400000, lo = 1, hi = 12, words = csr_nnz(strings, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(strings, 256) };
   unsigned long long hash[strings] = zeros(); int start[strings + 1] = csr_rowptr(strings, lo, hi);
   unsigned long long text[words] = randint(0, 9223372036854775807);
   siphash_strings(hash, start, text, strings, 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull);
*/
// Keyed hashes of strings of some words each, in 64 bits: additions, rotations, a length that differs between lanes.
struct Sip {
    unsigned long long a, b, c, d;
    __device__ static unsigned long long turn(unsigned long long x, int by) { return x << by | x >> (64 - by); }
    __device__ void round()
    {
        a += b;
        c += d;
        b = turn(b, 13) ^ a;
        d = turn(d, 16) ^ c;
        a = turn(a, 32);
        c += b;
        a += d;
        b = turn(b, 17) ^ c;
        d = turn(d, 21) ^ a;
        c = turn(c, 32);
    }
};
__global__ void siphash_strings(unsigned long long *hash, const int *start, const unsigned long long *text, int strings, unsigned long long k0,
                                unsigned long long k1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= strings) return;
    int first = start[i], last = start[i + 1];
    Sip s = { k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull, k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull };
    for (int at = first; at < last; at++) {
        unsigned long long m = text[at];
        s.d ^= m;
        s.round();
        s.round();
        s.a ^= m;
    }
    s.c ^= 0xff ^ (unsigned long long)(last - first) << 56;
    for (int r = 0; r < 4; r++) s.round();
    hash[i] = s.a ^ s.b ^ s.c ^ s.d;
}

/* kmutate launch
   int n = 65536; dim3 block = { 64 }; dim3 grid = { n / 64 };
   unsigned x[8 * n] = randint(0, 4294967295);
   extern unsigned prime_words[8] = { 0xffffffed, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff };
   montgomery_powers(x, n, 0x286bca1bu, 24);
*/
// Numbers of 256 bits are squared and multiplied again and again by Montgomery's rule: eight limbs in registers, long carries,
// no last subtraction.
__constant__ unsigned prime_words[8];
__device__ void montgomery_times(unsigned *out, const unsigned *a, const unsigned *b, unsigned inverse)
{
    unsigned t[10] = {};
#pragma unroll
    for (int i = 0; i < 8; i++) {
        unsigned long long carry = 0;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            carry += (unsigned long long)a[j] * b[i] + t[j];
            t[j] = (unsigned)carry;
            carry >>= 32;
        }
        carry += t[8];
        t[8] = (unsigned)carry;
        t[9] = (unsigned)(carry >> 32);
        const unsigned q = t[0] * inverse;
        carry = ((unsigned long long)q * prime_words[0] + t[0]) >> 32;
#pragma unroll
        for (int j = 1; j < 8; j++) {
            carry += (unsigned long long)q * prime_words[j] + t[j];
            t[j - 1] = (unsigned)carry;
            carry >>= 32;
        }
        carry += t[8];
        t[7] = (unsigned)carry;
        t[8] = t[9] + (unsigned)(carry >> 32);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) out[i] = t[i];
}
__global__ void montgomery_powers(unsigned *x, int n, unsigned inverse, int times)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a[8], power[8];
#pragma unroll
    for (int i = 0; i < 8; i++) power[i] = a[i] = x[i * n + id];
#pragma unroll 1
    for (int k = 0; k < times; k++) {
        montgomery_times(power, power, power, inverse);
        if (0x5a5a5a >> k & 1) montgomery_times(power, power, a, inverse);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) x[i * n + id] = power[i];
}

/* kmutate launch
   int words = 500000; dim3 block = { 256 }; dim3 grid = { ceil_div(words, 256) };
   unsigned parity[4 * words] = zeros(); unsigned shard[10 * words] = randint(0, 4294967295);
   unsigned char logs[256] = randint(0, 255); unsigned char powers[512] = randint(0, 256); unsigned char factor[40] = randint(0, 255);
   parity_shards(parity, shard, logs, powers, factor, words);
*/
// Four shards of parity for ten of data: bytes are multiplied by tables of logarithms and powers in shared memory.
__global__ void parity_shards(unsigned *parity, const unsigned *shard, const unsigned char *logs, const unsigned char *powers,
                              const unsigned char *factor, int words)
{
    __shared__ unsigned char slog[256], spow[512], sfac[40];
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        spow[i] = powers[i];
        if (i < 256) slog[i] = logs[i];
        if (i < 40) sfac[i] = factor[i];
    }
    __syncthreads();
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= words) return;
    unsigned sum[4] = {};
    for (int s = 0; s < 10; s++) {
        const unsigned w = shard[s * words + at];
#pragma unroll
        for (int b = 0; b < 4; b++) {
            const unsigned byte = w >> 8 * b & 255;
            if (byte == 0) continue;
            const int l = slog[byte];
#pragma unroll
            for (int p = 0; p < 4; p++) sum[p] ^= (unsigned)spow[l + sfac[p * 10 + s]] << 8 * b;
        }
    }
#pragma unroll
    for (int p = 0; p < 4; p++) parity[p * words + at] = sum[p];
}

/* kmutate launch
   int reads = 40000, length = 64, marks = 1 << 18; unsigned text = 64u * marks; dim3 block = { 128 }; dim3 grid = { ceil_div(reads, 128) };
   uint2 found[reads] = zeros(); unsigned char read[reads * length] = randint(0, 4); uint4 before[marks + 1] = randint(0, 4194000);
   unsigned long long bits[2 * marks + 2] = randint(0, 9223372036854775807);
   seed_reads(found, read, before, (const ulonglong2 *)bits, reads, length, text);
*/
// Reads are looked for backwards in a compressed index: two reads of it for each letter, each at what the ones before said.
__device__ unsigned occurrences(const uint4 *before, const ulonglong2 *bits, int letter, unsigned at)
{
    const uint4 counts = before[at >> 6];
    const ulonglong2 b = bits[at >> 6];
    const unsigned long long match = (letter & 1 ? b.x : ~b.x) & (letter & 2 ? b.y : ~b.y), mask = (1ull << (at & 63)) - 1;
    return (letter == 0 ? counts.x : letter == 1 ? counts.y : letter == 2 ? counts.z : counts.w) + __popcll(match & mask);
}
__global__ void seed_reads(uint2 *found, const unsigned char *read, const uint4 *__restrict__ before, const ulonglong2 *__restrict__ bits, int reads,
                           int length, unsigned text)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= reads) return;
    unsigned low = 0, high = text, seeds = 0;
    for (int i = length - 1; i >= 0; i--) {
        int letter = read[i * reads + r];
        unsigned first = letter * (text / 4);
        low = first + occurrences(before, bits, letter, low);
        high = first + occurrences(before, bits, letter, high);
        if (low >= high) {
            seeds++;
            low = 0;
            high = text;
        }
    }
    found[r] = make_uint2(low, seeds);
}

/* kmutate launch
   int n = 4000000, k = 21, window = 16; dim3 block = { 256 }; dim3 grid = { ceil_div(n - 64, 256) };
   unsigned char chosen[n] = zeros(); unsigned packed[n / 16] = randint(0, 4294967295);
   minimizer_marks(chosen, packed, n - 64, k, window);
*/
// Minimizers: hashes of all words of 21 letters, and in each window the least is marked; letters of two bits.
__global__ void minimizer_marks(unsigned char *chosen, const unsigned *packed, int n, int k, int window)
{
    __shared__ unsigned long long hash[256 + 16];
    const int first = blockIdx.x * 256;
    for (int i = threadIdx.x; i < 256 + window - 1; i += 256) {
        const int at = min(first + i, n), word = at / 16, shift = at % 16 * 2;
        const unsigned a = packed[word], b = packed[word + 1], c = packed[word + 2];
        unsigned long long key = (unsigned long long)__funnelshift_r(b, c, shift) << 32 | __funnelshift_r(a, b, shift);
        key &= (1ull << 2 * k) - 1;
        key = (~key + (key << 21));
        key ^= key >> 24;
        key *= 265;
        key ^= key >> 14;
        key *= 21;
        hash[i] = key ^ key >> 28;
    }
    __syncthreads();
    if (first + threadIdx.x >= n) return;
    unsigned long long least = hash[threadIdx.x];
    int where = 0;
    for (int i = 1; i < window; i++)
        if (hash[threadIdx.x + i] < least) {
            least = hash[threadIdx.x + i];
            where = i;
        }
    chosen[first + threadIdx.x + where] = 1;
}

/* kmutate launch
   int sites = 100000; dim3 block = { 64 }; dim3 grid = { ceil_div(sites, 64), 4 };
   extern float left_change[64] = uniform(0.1, 0.4); extern float right_change[64] = uniform(0.1, 0.4);
   float4 up[4 * sites] = zeros(); float scale[4 * sites] = zeros(); float4 left[4 * sites] = uniform(0, 1); float4 right[4 * sites] = uniform(0, 1);
   prune_likelihoods(up, scale, left, right, sites);
*/
// A step up an evolutionary tree: two matrices of 4 x 4 of the block's rate from constant memory, the product of both sides, scaled.
__constant__ float left_change[64], right_change[64];
__global__ void prune_likelihoods(float4 *up, float *scale, const float4 *left, const float4 *right, int sites)
{
    const int site = blockIdx.x * blockDim.x + threadIdx.x, rate = blockIdx.y;
    if (site >= sites) return;
    const float4 a = left[rate * sites + site], b = right[rate * sites + site];
    float to[4];
#pragma unroll
    for (int s = 0; s < 4; s++) {
        const float *p = left_change + rate * 16 + s * 4, *q = right_change + rate * 16 + s * 4;
        to[s] = (p[0] * a.x + p[1] * a.y + p[2] * a.z + p[3] * a.w) * (q[0] * b.x + q[1] * b.y + q[2] * b.z + q[3] * b.w);
    }
    const float most = fmaxf(fmaxf(to[0], to[1]), fmaxf(to[2], to[3])) + 1e-20f, one = 1.0f / most;
    up[rate * sites + site] = make_float4(to[0] * one, to[1] * one, to[2] * one, to[3] * one);
    scale[rate * sites + site] = logf(most);
}

/* kmutate launch
   int pairs = 4200, length = 512; dim3 block = { 32 }; dim3 grid = { pairs };
   int score[pairs] = zeros(); unsigned char query[pairs * length] = randint(0, 4); unsigned char target[pairs * length] = randint(0, 4);
   extend_bands(score, query, target, length, 60);
*/
// Alignments in a band of 32, a warp each: anti-diagonals pass from lane to lane, until the score has fallen too far.
__global__ void extend_bands(int *score, const unsigned char *query, const unsigned char *target, int length, int drop)
{
    const unsigned char *q = query + (size_t)blockIdx.x * length, *t = target + (size_t)blockIdx.x * length;
    const int lane = threadIdx.x;
    int now = lane == 16 ? 0 : -10000, before = -10000, best = 0;
    for (int d = 1; d < 2 * length - 32; d++) {
        const int i = (d + 32) / 2 - lane, j = d - i;
        int from_up, from_left;
        if (d & 1) {
            from_left = now;
            from_up = __shfl_down_sync(0xffffffffu, now, 1);
            if (lane == 31) from_up = -10000;
        } else {
            from_up = now;
            from_left = __shfl_up_sync(0xffffffffu, now, 1);
            if (lane == 0) from_left = -10000;
        }
        int next = max(from_up, from_left) - 2;
        if (i > 0 && j > 0 && i <= length && j <= length) next = max(next, before + (q[i - 1] == t[j - 1] ? 5 : -1));
        before = now;
        now = next;
        int most = now;
        for (int k = 16; k > 0; k >>= 1) most = max(most, __shfl_xor_sync(0xffffffffu, most, k));
        best = max(best, most);
        if (d > 40 && most < best - drop) break;
    }
    if (lane == 0) score[blockIdx.x] = best;
}

// ------------------------------------------------------------------------------------------------------------------- images

/* kmutate launch
   int w = 640, h = 480; dim3 block = { 16, 16 }; dim3 grid = { w / 16, h / 16 };
   unsigned char disparity[w * h] = zeros(); unsigned char left[w * h] = randint(0, 256); unsigned char right[w * h] = randint(0, 256);
   stereo_naive(disparity, left, right, w, h, 40, 3);
*/
// How far a point has moved between two eyes: sums of differences of bytes for each disparity, all from global memory.
__global__ void stereo_naive(unsigned char *disparity, const unsigned char *left, const unsigned char *right, int w, int h, int most, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int best = 0, least = 1 << 30;
    for (int d = 0; d < most; d++) {
        int sum = 0;
        for (int dy = -radius; dy <= radius; dy++)
            for (int dx = -radius; dx <= radius; dx++) {
                int yy = min(max(y + dy, 0), h - 1), xx = min(max(x + dx, 0), w - 1);
                sum += abs((int)left[yy * w + xx] - (int)right[yy * w + max(xx - d, 0)]);
            }
        if (sum < least) {
            least = sum;
            best = d;
        }
    }
    disparity[y * w + x] = best;
}

/* kmutate launch
   int w = 1910, h = 1070; dim3 block = { 32, 16 }; dim3 grid = { ceil_div(w, 32), ceil_div(h, 16) };
   float response[w * h] = zeros(); float image[w * h] = uniform(0, 1);
   harris_response(response, image, w, h);
*/
// Corners: gradients of a tile and its rim into shared memory, their products summed over 5 x 5.
__global__ void harris_response(float *response, const float *image, int w, int h)
{
    __shared__ float pixel[22][38];
    __shared__ float2 slope[20][36];
    const int t = threadIdx.y * 32 + threadIdx.x, left = blockIdx.x * 32, top = blockIdx.y * 16;
    for (int i = t; i < 22 * 38; i += 512) {
        const int y = min(max(top + i / 38 - 3, 0), h - 1), x = min(max(left + i % 38 - 3, 0), w - 1);
        pixel[i / 38][i % 38] = image[y * w + x];
    }
    __syncthreads();
    for (int i = t; i < 20 * 36; i += 512) {
        const int r = i / 36 + 1, c = i % 36 + 1;
        const float gx = pixel[r - 1][c + 1] - pixel[r - 1][c - 1] + 2.0f * (pixel[r][c + 1] - pixel[r][c - 1]) + pixel[r + 1][c + 1] - pixel[r + 1][c - 1];
        const float gy = pixel[r + 1][c - 1] - pixel[r - 1][c - 1] + 2.0f * (pixel[r + 1][c] - pixel[r - 1][c]) + pixel[r + 1][c + 1] - pixel[r - 1][c + 1];
        slope[r - 1][c - 1] = make_float2(gx, gy);
    }
    __syncthreads();
    float xx = 0.0f, xy = 0.0f, yy = 0.0f;
#pragma unroll
    for (int r = 0; r < 5; r++)
#pragma unroll
        for (int c = 0; c < 5; c++) {
            const float2 g = slope[threadIdx.y + r][threadIdx.x + c];
            xx += g.x * g.x;
            xy += g.x * g.y;
            yy += g.y * g.y;
        }
    const int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < w && y < h) response[y * w + x] = xx * yy - xy * xy - 0.04f * (xx + yy) * (xx + yy);
}

/* kmutate launch
   int points = 50000; dim3 block = { 256 }; dim3 grid = { 180 };
   extern float2 turn_of[180] = uniform(-0.7, 0.7); int votes[180 * 2048] = zeros(); ushort2 point[points] = randint(0, 1024);
   hough_lines(votes, point, points);
*/
// Straight lines: a block for each angle, all points vote for a distance in shared memory.
__constant__ float2 turn_of[180];
__global__ void hough_lines(int *votes, const ushort2 *point, int points)
{
    __shared__ int count[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) count[i] = 0;
    __syncthreads();
    const float2 turn = turn_of[blockIdx.x];
    for (int i = threadIdx.x; i < points; i += blockDim.x) {
        const ushort2 p = point[i];
        const int distance = __float2int_rn(p.x * turn.x + p.y * turn.y);
        atomicAdd(&count[min(max(distance + 1024, 0), 2047)], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) votes[blockIdx.x * 2048 + i] = count[i];
}

/* kmutate launch
   int w = 1800, h = 1400; dim3 block = { 32, 8 }; dim3 grid = { ceil_div(w, 32), ceil_div(h, 8) };
   unsigned char out[w * h] = zeros(); unsigned char in[w * h] = randint(0, 256);
   rotate_cubic_naive(out, in, w, h, 0.8f, 0.6f);
*/
// A picture is turned, each point from sixteen bytes around where it was, with cubic weights.
__device__ float cubic_weight(float x)
{
    x = fabsf(x);
    return x < 1.0f ? (1.5f * x - 2.5f) * x * x + 1.0f : x < 2.0f ? ((-0.5f * x + 2.5f) * x - 4.0f) * x + 2.0f : 0.0f;
}
__global__ void rotate_cubic_naive(unsigned char *out, const unsigned char *in, int w, int h, float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float rx = x - 0.5f * w, ry = y - 0.5f * h, u = c * rx + s * ry + 0.5f * w, v = c * ry - s * rx + 0.5f * h, sum = 0.0f;
    int iu = (int)floorf(u), iv = (int)floorf(v);
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++)
            if (iu + i >= 0 && iv + j >= 0 && iu + i < w && iv + j < h)
                sum += cubic_weight(u - iu - i) * cubic_weight(v - iv - j) * in[(iv + j) * w + iu + i];
    out[y * w + x] = (unsigned char)fminf(fmaxf(sum, 0.0f), 255.0f);
}

/* kmutate launch
   int w = 3840, h = 2160; dim3 block = { 64, 4 }; dim3 grid = { w / 4 / 64, h / 2 / 4 };
   uchar4 out[w * h] = zeros(); unsigned char luma[w * h] = randint(16, 236); unsigned char chroma[w * h / 2] = randint(16, 240);
   video_to_rgba((uint4 *)out, (const uchar4 *)luma, (const uchar4 *)chroma, w / 4);
*/
// A frame of video to red, green and blue: two rows of four points a thread, integers, sixteen bytes stored at once.
__device__ __forceinline__ unsigned rgba(int y, int u, int v)
{
    const int c = 298 * (y - 16) + 128;
    const int r = min(max((c + 409 * (v - 128)) >> 8, 0), 255), g = min(max((c - 100 * (u - 128) - 208 * (v - 128)) >> 8, 0), 255);
    const int b = min(max((c + 516 * (u - 128)) >> 8, 0), 255);
    return r | g << 8 | b << 16 | 0xff000000u;
}
__global__ void video_to_rgba(uint4 *out, const uchar4 *luma, const uchar4 *chroma, int quads)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    const uchar4 c = chroma[y / 2 * quads + x];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const uchar4 l = luma[(y + r) * quads + x];
        out[(y + r) * quads + x] = make_uint4(rgba(l.x, c.x, c.y), rgba(l.y, c.x, c.y), rgba(l.z, c.z, c.w), rgba(l.w, c.z, c.w));
    }
}

/* kmutate launch
   int w = 4096, h = 1536; dim3 block = { 256 }; dim3 grid = { w / 8 / 8, h / 8 };
   float likeness[w / 8 * (h / 8)] = zeros(); float2 a[w / 2 * h] = uniform(0, 255); float2 b[w / 2 * h] = uniform(0, 255);
   likeness_eights(likeness, a, b, w / 2);
*/
// How alike two pictures are, by squares of 8 x 8: a warp each, means and variances by exchanges between lanes.
__device__ __forceinline__ float warp_total(float x)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
__global__ void likeness_eights(float *likeness, const float2 *a, const float2 *b, int pitch)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, column = blockIdx.x * 8 + warp;
    const int at = (blockIdx.y * 8 + lane / 4) * pitch + column * 4 + lane % 4;
    const float2 p = a[at], q = b[at];
    const float mp = warp_total(p.x + p.y) / 64.0f, mq = warp_total(q.x + q.y) / 64.0f;
    const float vp = warp_total(p.x * p.x + p.y * p.y) / 64.0f - mp * mp, vq = warp_total(q.x * q.x + q.y * q.y) / 64.0f - mq * mq;
    const float both = warp_total(p.x * q.x + p.y * q.y) / 64.0f - mp * mq;
    if (lane == 0)
        likeness[blockIdx.y * gridDim.x * 8 + column] = (2.0f * mp * mq + 6.5f) * (2.0f * both + 58.5f) / ((mp * mp + mq * mq + 6.5f) * (vp + vq + 58.5f));
}

// ----------------------------------------------------------------------------------------------------------------- finance

/* kmutate launch
   int n = 150000; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   double volatility[n] = zeros(); double price[n] = uniform(15, 30); double strike[n] = uniform(90, 110); double years[n] = uniform(0.3, 2);
   implied_volatilities(volatility, price, strike, years, 100.0, 0.02, n);
*/
// The volatility that a price implies, in doubles: Newton's steps until each lane has enough, clamped where it runs away.
__global__ void implied_volatilities(double *volatility, const double *price, const double *strike, const double *years, double spot, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double k = strike[i], t = years[i], want = price[i], root = sqrt(t), worth = k * exp(-rate * t), sigma = 0.3;
    for (int step = 0; step < 20; step++) {
        double d1 = (log(spot / k) + (rate + 0.5 * sigma * sigma) * t) / (sigma * root), d2 = d1 - sigma * root;
        double now = 0.5 * (spot * erfc(-d1 * 0.7071067811865475) - worth * erfc(-d2 * 0.7071067811865475));
        double slope = spot * root * 0.3989422804014327 * exp(-0.5 * d1 * d1), off = now - want;
        if (fabs(off) < 1e-8) break;
        sigma = fmin(fmax(sigma - off / fmax(slope, 1e-4), 0.01), 3.0);
    }
    volatility[i] = sigma;
}

/* kmutate launch
   int paths = 65536; dim3 block = { 64 }; dim3 grid = { paths / 64 };
   float value[paths] = zeros(); float shock[24 * paths] = normal(); extern float forward_volatility[48] = uniform(0.1, 0.3);
   market_paths(value, shock, paths);
*/
// A market model of 48 forward rates in an array of each thread's own: 24 steps, each moves all rates that are still alive.
__constant__ float forward_volatility[48];
__global__ void __launch_bounds__(64) market_paths(float *value, const float *shock, int paths)
{
    const int path = blockIdx.x * 64 + threadIdx.x;
    float rate[48];
    for (int i = 0; i < 48; i++) rate[i] = 0.05f;
    const float delta = 0.25f, root = 0.5f;
    for (int n = 0; n < 24; n++) {
        const float z = root * shock[n * paths + path];
        float drift = 0.0f;
        for (int i = n + 1; i < 48; i++) {
            const float v = forward_volatility[i - n - 1], part = delta * v;
            drift += part * rate[i] / (1.0f + delta * rate[i]);
            rate[i] *= __expf(part * drift + v * (z - 0.5f * part));
        }
    }
    float worth = 0.0f, bond = 1.0f, annuity = 0.0f;
    for (int i = 24; i < 48; i++) {
        bond /= 1.0f + delta * rate[i];
        annuity += delta * bond;
        if (i % 4 == 3) worth += 100.0f * fmaxf(bond + 0.045f * annuity - 1.0f, 0.0f);
    }
    value[path] = worth;
}

// ---------------------------------------------------------------------------------------------------------------- networks

/* kmutate launch
   int batch = 64, hidden = 1024; dim3 block = { 256 }; dim3 grid = { hidden / 2 / 256, batch };
   __nv_bfloat16 h[batch * hidden] = zeros(); float c[batch * hidden] = uniform(-1, 1); __nv_bfloat16 gates[batch * 4 * hidden] = uniform(-2, 2);
   float bias[4 * hidden] = uniform(-0.1, 0.1);
   lstm_gates((__nv_bfloat162 *)h, (float2 *)c, (const __nv_bfloat162 *)gates, (const float2 *)bias, hidden / 2);
*/
// What an LSTM does between its matrix products: four gates of bfloat16, the cell's state in floats, in place; short.
__device__ float sigmoid(float x) { return 1.0f / (1.0f + __expf(-x)); }
__global__ void lstm_gates(__nv_bfloat162 *h, float2 *c, const __nv_bfloat162 *gates, const float2 *bias, int pairs)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x, at = blockIdx.y * pairs + u;
    float2 g[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float2 x = __bfloat1622float2(gates[(blockIdx.y * 4 + k) * pairs + u]), b = bias[k * pairs + u];
        g[k] = make_float2(x.x + b.x, x.y + b.y);
    }
    float2 state = c[at];
    state.x = sigmoid(g[1].x) * state.x + sigmoid(g[0].x) * tanhf(g[2].x);
    state.y = sigmoid(g[1].y) * state.y + sigmoid(g[0].y) * tanhf(g[2].y);
    c[at] = state;
    h[at] = __floats2bfloat162_rn(sigmoid(g[3].x) * tanhf(state.x), sigmoid(g[3].y) * tanhf(state.y));
}

/* kmutate launch
   int heads = 32, groups = 8, sequences = 12, pages = 768, most = 64; dim3 block = { 128 }; dim3 grid = { heads, sequences }; int smem = 1024 * sizeof(float);
   half out[sequences * heads * 128] = zeros(); half query[sequences * heads * 128] = uniform(-1, 1);
   half keys[pages * groups * 16 * 128] = uniform(-1, 1); half values[pages * groups * 16 * 128] = uniform(-1, 1);
   int page[sequences * most] = permutation(); int length[sequences] = randint(300, 1024);
   paged_attention(out, query, keys, values, page, length, groups, most, 0.088f);
*/
// One new token attends to all before it, whose keys and values lie in pages of sixteen that a table finds; four heads share them.
__device__ __forceinline__ float eight_products(uint4 a, uint4 b)
{
    const half2 *x = (const half2 *)&a, *y = (const half2 *)&b;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float2 p = __half22float2(x[i]), q = __half22float2(y[i]);
        sum += p.x * q.x + p.y * q.y;
    }
    return sum;
}
__global__ void paged_attention(half *out, const half *query, const half *keys, const half *values, const int *page, const int *length, int groups,
                                int most, float scale)
{
    extern __shared__ float logits[];
    __shared__ float high[4], total[4];
    const int head = blockIdx.x, sequence = blockIdx.y, group = head * groups / gridDim.x, tokens = length[sequence];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = lane % 16;
    const int *pages = page + sequence * most;
    const uint4 q = ((const uint4 *)(query + (size_t)(sequence * gridDim.x + head) * 128))[part];
    float top = -1e30f;
    for (int t0 = warp * 2; t0 < tokens; t0 += 8) {
        const int t = t0 + lane / 16, safe = min(t, tokens - 1);
        const uint4 k = ((const uint4 *)(keys + (((size_t)pages[safe / 16] * groups + group) * 16 + safe % 16) * 128))[part];
        float dot = eight_products(q, k);
#pragma unroll
        for (int d = 8; d > 0; d >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, d);
        dot *= scale;
        if (part == 0 && t < tokens) logits[t] = dot;
        top = fmaxf(top, dot);
    }
    for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    if (lane == 0) high[warp] = top;
    __syncthreads();
    top = fmaxf(fmaxf(high[0], high[1]), fmaxf(high[2], high[3]));
    float sum = 0.0f;
    for (int t = threadIdx.x; t < tokens; t += 128) {
        const float e = __expf(logits[t] - top);
        logits[t] = e;
        sum += e;
    }
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) total[warp] = sum;
    __syncthreads();
    const float one = 1.0f / (total[0] + total[1] + total[2] + total[3]);
    float mine = 0.0f;
    for (int t = 0; t < tokens; t++)
        mine += logits[t] * __half2float(values[(((size_t)pages[t / 16] * groups + group) * 16 + t % 16) * 128 + threadIdx.x]);
    out[(size_t)(sequence * gridDim.x + head) * 128 + threadIdx.x] = __float2half(mine * one);
}

/* kmutate launch
   int rois = 300, channels = 128, w = 80, h = 60, n = rois * channels * 49; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float out[n] = zeros(); float feature[channels * w * h] = uniform(-1, 1); float4 box[rois] = uniform(50, 900);
   roi_align(out, feature, box, n, channels, w, h);
*/
// Boxes of a feature map are brought to 7 x 7: four samples an output, four values a sample, the index taken apart by divisions.
__device__ float sample_at(const float *map, float y, float x, int w, int h)
{
    if (y < -1.0f || x < -1.0f || y > h || x > w) return 0.0f;
    y = fminf(fmaxf(y, 0.0f), h - 1.0f);
    x = fminf(fmaxf(x, 0.0f), w - 1.0f);
    int y0 = (int)y, x0 = (int)x, y1 = min(y0 + 1, h - 1), x1 = min(x0 + 1, w - 1);
    float fy = y - y0, fx = x - x0;
    return (1 - fy) * ((1 - fx) * map[y0 * w + x0] + fx * map[y0 * w + x1]) + fy * ((1 - fx) * map[y1 * w + x0] + fx * map[y1 * w + x1]);
}
__global__ void roi_align(float *out, const float *feature, const float4 *box, int n, int channels, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int px = i % 7, py = i / 7 % 7, c = i / 49 % channels, r = i / 49 / channels;
    float4 b = box[r];
    float x0 = fminf(b.x, b.z) / 16.0f, y0 = fminf(b.y, b.w) / 16.0f, bw = fabsf(b.z - b.x) / 112.0f, bh = fabsf(b.w - b.y) / 112.0f, sum = 0.0f;
    const float *map = feature + c * w * h;
    for (int iy = 0; iy < 2; iy++)
        for (int ix = 0; ix < 2; ix++) sum += sample_at(map, y0 + (py + 0.25f + 0.5f * iy) * bh, x0 + (px + 0.25f + 0.5f * ix) * bw, w, h);
    out[i] = 0.25f * sum;
}

/* kmutate launch
   int n = 6000; dim3 block = { 64 }; dim3 grid = { ceil_div(n, 64), ceil_div(n, 64) };
   unsigned long long mask[n * grid.x] = zeros(); float4 box[n] = uniform(0, 400);
   overlap_masks(mask, box, n, 0.5f);
*/
// Boxes that overlap too much: 64 x 64 of them a block, bits of 64; half of the blocks have nothing to do.
__global__ void overlap_masks(unsigned long long *mask, const float4 *box, int n, float most)
{
    __shared__ float4 other[64];
    const int row = blockIdx.y * 64, col = blockIdx.x * 64;
    if (blockIdx.y > blockIdx.x) return;
    const int rows = min(n - row, 64), cols = min(n - col, 64);
    if (threadIdx.x < cols) other[threadIdx.x] = box[col + threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= rows) return;
    const float4 me = box[row + threadIdx.x];
    unsigned long long bits = 0;
    for (int i = row == col ? threadIdx.x + 1 : 0; i < cols; i++) {
        const float4 o = other[i];
        const float x = fmaxf(fminf(me.x + me.z, o.x + o.z) - fmaxf(me.x, o.x), 0.0f), y = fmaxf(fminf(me.y + me.w, o.y + o.w) - fmaxf(me.y, o.y), 0.0f);
        if (x * y > most * (me.z * me.w + o.z * o.w - x * y)) bits |= 1ull << i;
    }
    mask[(size_t)(row + threadIdx.x) * gridDim.x + blockIdx.x] = bits;
}

/* kmutate launch
   int batch = 48, steps = 250, letters = 96, labels = 100; dim3 block = { 224 }; dim3 grid = { batch };
   float loss[batch] = zeros(); float logits[steps * batch * letters] = uniform(-6, -3); int label[batch * labels] = randint(1, 96);
   ctc_alphas(loss, logits, label, steps, letters, labels);
*/
// Speech: likelihoods of all ways to spell a label, step after step, logarithms of sums of three; a few blocks, two barriers a step.
__device__ float log_sum(float a, float b)
{
    const float high = fmaxf(a, b);
    return high < -1e29f ? -1e30f : high + log1pf(expf(fminf(a, b) - high));
}
__global__ void ctc_alphas(float *loss, const float *logits, const int *label, int steps, int letters, int labels)
{
    __shared__ float alpha[2 + 224];
    const int t = threadIdx.x, states = 2 * labels + 1;
    const int letter = t & 1 && t < states ? label[blockIdx.x * labels + t / 2] : 0;
    const bool skip = t & 1 && t > 1 && t < states && letter != label[blockIdx.x * labels + t / 2 - 1];
    if (t < 2) alpha[t] = -1e30f;
    alpha[t + 2] = t < 2 ? logits[blockIdx.x * letters + letter] : -1e30f;
    __syncthreads();
    for (int s = 1; s < steps; s++) {
        float sum = log_sum(alpha[t + 2], alpha[t + 1]);
        if (skip) sum = log_sum(sum, alpha[t]);
        sum += logits[(s * gridDim.x + blockIdx.x) * letters + letter];
        __syncthreads();
        if (t < states) alpha[t + 2] = sum;
        __syncthreads();
    }
    if (t == 0) loss[blockIdx.x] = -log_sum(alpha[states + 1], alpha[states]);
}

/* kmutate launch
   int bags = 20000, table = 150000, lo = 1, hi = 40, nnz = csr_nnz(bags, lo, hi); dim3 block = { 16, 16 }; dim3 grid = { ceil_div(bags, 16) };
   float4 out[bags * 16] = zeros(); float4 row[table * 16] = uniform(-1, 1); int start[bags + 1] = csr_rowptr(bags, lo, hi);
   int index[nnz] = randint(0, 150000); float weight[nnz] = uniform(0, 1);
   embedding_bags(out, row, start, index, weight, bags);
*/
// Weighted sums of rows of a large table, a bag for sixteen lanes, two bags of different lengths in a warp.
__global__ void embedding_bags(float4 *out, const float4 *__restrict__ row, const int *start, const int *index, const float *weight, int bags)
{
    const int bag = blockIdx.x * 16 + threadIdx.y;
    if (bag >= bags) return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = start[bag], last = start[bag + 1]; i < last; i++) {
        const float4 r = row[(size_t)index[i] * 16 + threadIdx.x];
        const float w = weight[i];
        sum.x += w * r.x;
        sum.y += w * r.y;
        sum.z += w * r.z;
        sum.w += w * r.w;
    }
    out[bag * 16 + threadIdx.x] = sum;
}

/* kmutate launch
   int images = 4, channels = 32, w = 112, h = 112, filters = 48; dim3 block = { 8, 8, 4 }; dim3 grid = { 56 / 8, 56 / 8, images * filters / 4 };
   float out[images * filters * 56 * 56] = zeros(); float in[images * channels * w * h] = uniform(-1, 1); float kernel[filters * channels * 9] = normal();
   conv_stride_naive(out, in, kernel, channels, filters, w, h);
*/
// A convolution of 3 x 3 with a stride of two and a rim of zeros, each output by itself.
__global__ void conv_stride_naive(float *out, const float *in, const float *kernel, int channels, int filters, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z;
    int image = k / filters, filter = k % filters;
    float sum = 0;
    for (int c = 0; c < channels; c++)
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) {
                int yy = 2 * y + r - 1, xx = 2 * x + s - 1;
                if (yy >= 0 && yy < h && xx >= 0 && xx < w)
                    sum += in[((image * channels + c) * h + yy) * w + xx] * kernel[((filter * channels + c) * 3 + r) * 3 + s];
            }
    out[(k * (h / 2) + y) * (w / 2) + x] = sum;
}

/* kmutate launch
   int rows = 400, vocabulary = 50257; dim3 block = { 1024 }; dim3 grid = { rows };
   float probability[rows * vocabulary] = zeros(); float logit[rows * vocabulary] = normal(0, 3);
   softmax_vocabulary(probability, logit, vocabulary, 0.8f);
*/
// Softmax over a vocabulary of an odd length: the row is read three times by a large block.
template <bool MAXIMUM>
__device__ float block_reduced(float x, float *part)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int d = 16; d > 0; d >>= 1) {
        const float y = __shfl_xor_sync(0xffffffffu, x, d);
        x = MAXIMUM ? fmaxf(x, y) : x + y;
    }
    if (lane == 0) part[warp] = x;
    __syncthreads();
    x = part[lane];
    for (int d = 16; d > 0; d >>= 1) {
        const float y = __shfl_xor_sync(0xffffffffu, x, d);
        x = MAXIMUM ? fmaxf(x, y) : x + y;
    }
    __syncthreads();
    return x;
}
__global__ void softmax_vocabulary(float *probability, const float *logit, int vocabulary, float cool)
{
    __shared__ float part[32];
    logit += (size_t)blockIdx.x * vocabulary;
    probability += (size_t)blockIdx.x * vocabulary;
    float high = -1e30f, sum = 0.0f;
    for (int i = threadIdx.x; i < vocabulary; i += 1024) high = fmaxf(high, logit[i]);
    high = block_reduced<true>(high, part);
    for (int i = threadIdx.x; i < vocabulary; i += 1024) sum += __expf(cool * (logit[i] - high));
    const float one = 1.0f / block_reduced<false>(sum, part);
    for (int i = threadIdx.x; i < vocabulary; i += 1024) probability[i] = one * __expf(cool * (logit[i] - high));
}

/* kmutate launch
   int batch = 8, steps = 192, channels = 1536; dim3 block = { 32 }; dim3 grid = { channels / 32, batch };
   float out[batch * steps * channels] = zeros(); float key[batch * steps * channels] = uniform(-2, 2); float value[batch * steps * channels] = normal();
   float decay[channels] = uniform(0.01, 1); float bonus[channels] = uniform(0, 0.5);
   time_mixing(out, key, value, decay, bonus, steps, channels);
*/
// A network that remembers by decaying sums, a channel a thread, token after token, exponents kept from overflow.
__global__ void time_mixing(float *out, const float *__restrict__ key, const float *__restrict__ value, const float *decay, const float *bonus, int steps,
                            int channels)
{
    const int c = blockIdx.x * 32 + threadIdx.x;
    const float w = -decay[c], u = bonus[c];
    float top = 0.0f, below = 0.0f, high = -1e38f;
    size_t at = (size_t)blockIdx.y * steps * channels + c;
    for (int t = 0; t < steps; t++, at += channels) {
        const float k = key[at], v = value[at];
        float most = fmaxf(high, u + k), a = __expf(high - most), b = __expf(u + k - most);
        out[at] = (a * top + b * v) / (a * below + b);
        most = fmaxf(high + w, k);
        a = __expf(high + w - most);
        b = __expf(k - most);
        top = a * top + b * v;
        below = a * below + b;
        high = most;
    }
}

/* kmutate launch
   int n = 5120, k = 2560; dim3 block = { 256 }; dim3 grid = { n / 8 };
   __nv_bfloat16 y[8 * n] = zeros(); signed char w[n * k] = randint(-127, 128); float scale[n] = uniform(0.001, 0.01); __nv_bfloat16 x[8 * k] = uniform(-1, 1);
   skinny_bytes(y, (const int4 *)w, scale, (const uint4 *)x, n, k);
*/
// A matrix of bytes with a scale for each row times eight columns of bfloat16: a warp a row, what it multiplies by through shared memory.
__global__ void skinny_bytes(__nv_bfloat16 *y, const int4 *__restrict__ w, const float *scale, const uint4 *__restrict__ x, int n, int k)
{
    __shared__ uint4 xs[8][64];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 8 + warp;
    float sums[8] = {};
    for (int k0 = 0; k0 < k; k0 += 512) {
        for (int i = threadIdx.x; i < 512; i += 256) xs[i / 64][i % 64] = x[i / 64 * (k / 8) + k0 / 8 + i % 64];
        __syncthreads();
        const int4 b = w[((size_t)row * k + k0) / 16 + lane];
        const signed char *byte = (const signed char *)&b;
        float f[16];
#pragma unroll
        for (int i = 0; i < 16; i++) f[i] = byte[i];
#pragma unroll
        for (int c = 0; c < 8; c++)
#pragma unroll
            for (int half_of = 0; half_of < 2; half_of++) {
                const uint4 v = xs[c][2 * lane + half_of];
                const __nv_bfloat162 *pair = (const __nv_bfloat162 *)&v;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const float2 g = __bfloat1622float2(pair[i]);
                    sums[c] += f[half_of * 8 + 2 * i] * g.x + f[half_of * 8 + 2 * i + 1] * g.y;
                }
            }
        __syncthreads();
    }
#pragma unroll
    for (int c = 0; c < 8; c++) {
        for (int d = 16; d > 0; d >>= 1) sums[c] += __shfl_xor_sync(0xffffffffu, sums[c], d);
        if (lane == c) y[c * n + row] = __float2bfloat16(sums[c] * scale[row]);
    }
}

/* kmutate launch
   int rows = 1024, hidden = 2048; dim3 block = { 128 }; dim3 grid = { rows }; int smem = hidden * sizeof(float);
   float dx[rows * hidden] = zeros(); float dw[hidden] = zeros(); float x[rows * hidden] = normal(); float dy[rows * hidden] = normal();
   float w[hidden] = uniform(0.5, 1.5);
   rmsnorm_gradient(dx, dw, x, dy, w, hidden);
*/
// The way back through a norm by root mean squares: a row a block kept in shared memory, the weights' part by atomics that all rows share.
__global__ void rmsnorm_gradient(float *dx, float *dw, const float *x, const float *dy, const float *w, int hidden)
{
    extern __shared__ float kept[];
    __shared__ float part[2][4];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t row = (size_t)blockIdx.x * hidden;
    float square = 0.0f, dot = 0.0f;
    for (int i = threadIdx.x; i < hidden; i += 128) {
        const float v = x[row + i];
        kept[i] = v;
        square += v * v;
        dot += v * dy[row + i] * w[i];
    }
    for (int d = 16; d > 0; d >>= 1) {
        square += __shfl_xor_sync(0xffffffffu, square, d);
        dot += __shfl_xor_sync(0xffffffffu, dot, d);
    }
    if (lane == 0) {
        part[0][warp] = square;
        part[1][warp] = dot;
    }
    __syncthreads();
    square = part[0][0] + part[0][1] + part[0][2] + part[0][3];
    dot = part[1][0] + part[1][1] + part[1][2] + part[1][3];
    const float one = rsqrtf(square / hidden + 1e-5f), back = dot * one * one * one / hidden;
    for (int i = threadIdx.x; i < hidden; i += 128) {
        const float g = dy[row + i];
        dx[row + i] = one * g * w[i] - back * kept[i];
        atomicAdd(&dw[i], g * kept[i] * one);
    }
}
