// The fifth set of kernels that nobody tuned the model of time for: benchmark suites, linear algebra and data mining, training
// code in plain CUDA and tutorials on matrix products, written from what is commonly known of the algorithms by someone who had
// seen neither the model nor its results (tests/gpu/heldout.py, docs/heldout.md).

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

#define ceil_div(m, n) (((m) + (n) - 1) / (n))

// ---------------------------------------------------------------------------------------------------------------- suites

/* kmutate launch
   int nodes = 400000, lo = 1, hi = 22, edges = csr_nnz(nodes, lo, hi), words = ceil_div(nodes, 32);
   dim3 block = { 192 }; dim3 grid = { ceil_div(nodes, 192) };
   int first[nodes + 1] = csr_rowptr(nodes, lo, hi); int to[edges] = csr_colidx(nodes);
   unsigned frontier[words] = randint(0, 2147483647); int parent[nodes] = randint(-1, 1); unsigned next[words] = zeros();
   bfs_bottom_up(next, parent, frontier, first, to, nodes);
*/
// Breadth-first search from below: who has no parent yet looks among its neighbours for one in the frontier, a bit each.
__global__ void bfs_bottom_up(unsigned *next, int *parent, const unsigned *frontier, const int *first, const int *to, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    bool found = false;
    if (v < nodes && parent[v] < 0) {
        for (int e = first[v], end = first[v + 1]; e < end; e++) {
            int u = to[e];
            if (frontier[u >> 5] >> (u & 31) & 1u) {
                parent[v] = u;
                found = true;
                break;
            }
        }
    }
    unsigned who = __ballot_sync(0xffffffffu, found);
    if ((threadIdx.x & 31) == 0 && v < nodes) next[v >> 5] = who;
}

/* kmutate launch
   int cells = 97152; dim3 block = { 192 }; dim3 grid = { cells / 192 };
   double fluxes[5 * cells] = zeros(); double variables[5 * cells] = uniform(1, 1.2); double normals[12 * cells] = uniform(-0.1, 0.1);
   int neighbours[4 * cells] = randint(-2, 97152);
   extern double far_field[5] = { 1.4, 1.68, 0.0, 0.0, 3.5 };
   cfd_flux(cells, neighbours, normals, variables, fluxes);
*/
// Flux of an unstructured Euler solver in double precision: four faces a cell, -1 is a wing, -2 the far field.
__constant__ double far_field[5];
struct Momentum3 { double x, y, z; };
__device__ inline double pressure_of(double density, double energy, double speed2) { return 0.4 * (energy - 0.5 * density * speed2); }
__device__ inline void velocity_of(double density, const Momentum3 &m, Momentum3 &v)
{
    v.x = m.x / density;
    v.y = m.y / density;
    v.z = m.z / density;
}
__device__ inline void add_flux(double *sum, const Momentum3 &n, double density, const Momentum3 &m, const Momentum3 &v, double energy, double p)
{
    double through = 0.5 * (n.x * v.x + n.y * v.y + n.z * v.z);
    sum[0] += through * density;
    sum[1] += through * m.x + 0.5 * n.x * p;
    sum[2] += through * m.y + 0.5 * n.y * p;
    sum[3] += through * m.z + 0.5 * n.z * p;
    sum[4] += through * (energy + p);
}
__global__ void cfd_flux(int cells, const int *neighbours, const double *normals, const double *variables, double *fluxes)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    double density = variables[i], energy = 4.0 + variables[i + 4 * cells];
    Momentum3 m = { variables[i + cells], variables[i + 2 * cells], variables[i + 3 * cells] }, v;
    velocity_of(density, m, v);
    double speed2 = v.x * v.x + v.y * v.y + v.z * v.z, p = pressure_of(density, energy, speed2);
    double sound = sqrt(1.4 * fabs(p) / density), sum[5] = { 0, 0, 0, 0, 0 };
    for (int j = 0; j < 4; j++) {
        int nb = neighbours[i + j * cells];
        Momentum3 n = { normals[i + (3 * j) * cells], normals[i + (3 * j + 1) * cells], normals[i + (3 * j + 2) * cells] };
        if (nb >= 0) {
            double nd = variables[nb], ne = 4.0 + variables[nb + 4 * cells];
            Momentum3 nm = { variables[nb + cells], variables[nb + 2 * cells], variables[nb + 3 * cells] }, nv;
            velocity_of(nd, nm, nv);
            double ns2 = nv.x * nv.x + nv.y * nv.y + nv.z * nv.z, np = pressure_of(nd, ne, ns2);
            double factor = -0.1 * sqrt(n.x * n.x + n.y * n.y + n.z * n.z) * (sqrt(speed2) + sqrt(ns2) + sound + sqrt(1.4 * fabs(np) / nd));
            sum[0] += factor * (density - nd);
            sum[1] += factor * (m.x - nm.x);
            sum[2] += factor * (m.y - nm.y);
            sum[3] += factor * (m.z - nm.z);
            sum[4] += factor * (energy - ne);
            add_flux(sum, n, nd, nm, nv, ne, np);
            add_flux(sum, n, density, m, v, energy, p);
        } else if (nb == -1) {
            sum[1] += n.x * p;
            sum[2] += n.y * p;
            sum[3] += n.z * p;
        } else {
            Momentum3 fm = { far_field[1], far_field[2], far_field[3] }, fv;
            velocity_of(far_field[0], fm, fv);
            add_flux(sum, n, far_field[0], fm, fv, far_field[4], pressure_of(far_field[0], far_field[4], fv.x * fv.x + fv.y * fv.y + fv.z * fv.z));
            add_flux(sum, n, density, m, v, energy, p);
        }
    }
    for (int k = 0; k < 5; k++) fluxes[i + k * cells] = sum[k];
}

/* kmutate launch
   int points = 51, side = 81, small = 41; dim3 block = { 256 }; dim3 grid = { points };
   float score[points * side * side] = zeros(); float frame[points * side * side] = uniform(0, 255); float model[points * small * small] = uniform(0, 255);
   wall_correlate(score, frame, model, side, small);
*/
// Normalised correlation of a frame's part with a model, a point a block: a few long blocks, with global memory in between.
__global__ void wall_correlate(float *score, const float *frame, const float *model, int side, int small)
{
    __shared__ float part[256], kept[41 * 41];
    const int t = threadIdx.x, pixels = small * small;
    frame += blockIdx.x * side * side;
    score += blockIdx.x * side * side;
    model += blockIdx.x * pixels;
    float sum = 0.0f;
    for (int i = t; i < pixels; i += 256) {
        kept[i] = model[i];
        sum += kept[i];
    }
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    const float mean = part[0] / pixels;
    for (int at = t; at < side * side; at += 256) {
        int row = at / side, col = at - row * side;
        float cross = 0.0f, total = 0.0f, squares = 0.0f;
        for (int r = 0; r < small; r++) {
            int y = row + r - small / 2;
            if (y < 0 || y >= side) continue;
            for (int c = 0; c < small; c++) {
                int x = col + c - small / 2;
                if (x < 0 || x >= side) continue;
                float v = frame[y * side + x];
                cross += v * (kept[r * small + c] - mean);
                total += v;
                squares += v * v;
            }
        }
        float variance = squares - total * total / pixels;
        score[at] = variance > 1.0f ? cross * rsqrtf(variance) : 0.0f;
    }
}

/* kmutate launch
   int n = 819200, features = 34; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float in[n * features] = uniform(0, 1); float out[n * features] = zeros();
   kmeans_swap(in, out, n, features);
*/
// Features of a point beside each other become points of a feature beside each other.
__global__ void kmeans_swap(const float *in, float *out, int n, int features)
{
    int tid = threadIdx.x + blockDim.x * blockIdx.x;
    if (tid < n)
        for (int i = 0; i < features; i++) out[i * n + tid] = in[tid * features + i];
}

/* kmutate launch
   int n = 4096, offset = 64; dim3 block = { 64 }; dim3 grid = { n / 32 - offset / 32 - 1 };
   float m[n * n] = uniform(1, 2);
   lud_edges(m, n, offset);
*/
// Tiles right of and below the one on the diagonal: one warp of a block has a tile of the row, the other one of the column.
__global__ void lud_edges(float *m, int n, int offset)
{
    __shared__ float corner[32][32], row[32][33], col[32][33];
    const int t = threadIdx.x % 32, away = offset + (blockIdx.x + 1) * 32;
    const bool first = threadIdx.x < 32;
    for (int i = first ? 0 : 16; i < (first ? 16 : 32); i++) corner[i][t] = m[(offset + i) * n + offset + t];
    for (int i = 0; i < 32; i++) {
        if (first)
            row[i][t] = m[(offset + i) * n + away + t];
        else
            col[i][t] = m[(away + i) * n + offset + t];
    }
    __syncthreads();
    if (first) {
        for (int i = 1; i < 32; i++)
            for (int j = 0; j < i; j++) row[i][t] -= corner[i][j] * row[j][t];
    } else {
        for (int i = 0; i < 32; i++) {
            for (int j = 0; j < i; j++) col[t][i] -= col[t][j] * corner[j][i];
            col[t][i] /= corner[i][i];
        }
    }
    __syncthreads();
    for (int i = 0; i < 32; i++) {
        if (first)
            m[(offset + i) * n + away + t] = row[i][t];
        else
            m[(away + i) * n + offset + t] = col[i][t];
    }
}

/* kmutate launch
   int cells = 1024, steps = 12; dim3 block = { 32 }; dim3 grid = { cells / 32 };
   double state[10 * cells] = uniform(0.1, 0.9); double rate[cells] = uniform(0.5, 2);
   muscle_cell(state, rate, cells, steps, 0.01);
*/
// Ordinary differential equations of a cell of the heart muscle: ten state variables in double precision, Heun's method. One warp a block.
__device__ void cell_slopes(const double (&s)[10], double (&d)[10], double drive)
{
    double v = 100.0 * s[0] - 80.0;
    double am = 0.32 * (v + 47.13) / (1.0 - exp(-0.1 * (v + 47.13001))), bm = 0.08 * exp(-v / 11.0);
    double ah = 0.135 * exp((80.0 + v) / -6.8), bh = 3.56 * exp(0.079 * v) + 310000.0 * exp(0.35 * v);
    double ax = 0.0005 * exp(0.083 * (v + 50.0)) / (1.0 + exp(0.057 * (v + 50.0)));
    double bx = 0.0013 * exp(-0.06 * (v + 20.0)) / (1.0 + exp(-0.04 * (v + 20.0)));
    d[1] = am * (1.0 - s[1]) - bm * s[1];
    d[2] = fmin(ah, 10.0) * (1.0 - s[2]) - fmin(bh, 10.0) * s[2];
    d[3] = ax * (1.0 - s[3]) - bx * s[3];
    double sodium = 23.0 * s[1] * s[1] * s[1] * s[2] * (v - 54.4);
    double potassium = 0.282 * s[3] * (v + 77.0), leak = 0.039 * (v + 59.87);
    double calcium = 0.09 * s[4] * s[5] * (v - 7.7 + 13.0287 * log(fabs(s[6]) + 1e-4));
    double pump = pow(fabs(s[7]) + 0.01, 1.6) / (0.2 + pow(fabs(s[7]) + 0.01, 1.6));
    d[4] = 0.1 * (1.0 / (1.0 + exp(-(v + 10.0) / 6.24)) - s[4]);
    d[5] = 0.02 * (1.0 / (1.0 + exp((v + 35.06) / 8.6)) - s[5]);
    d[6] = -1e-4 * calcium + 0.07 * (1e-4 - s[6]);
    d[7] = 0.01 * (s[6] - pump * s[7]);
    d[8] = 0.05 * (pump - s[8]);
    d[9] = 0.01 * (s[8] * s[7] - s[9]);
    d[0] = -0.01 * (sodium + potassium + leak + calcium) + 0.01 * drive;
}
__global__ void muscle_cell(double *state, const double *rate, int cells, int steps, double dt)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    double s[10], next[10], slope[10], again[10], drive = rate[id];
    for (int k = 0; k < 10; k++) s[k] = state[k * cells + id];
    for (int step = 0; step < steps; step++) {
        cell_slopes(s, slope, drive);
        for (int k = 0; k < 10; k++) next[k] = s[k] + dt * slope[k];
        cell_slopes(next, again, drive);
        for (int k = 0; k < 10; k++) s[k] = fmin(fmax(s[k] + 0.5 * dt * (slope[k] + again[k]), 0.0), 1.0);
    }
    for (int k = 0; k < 10; k++) state[k * cells + id] = s[k];
}

/* kmutate launch
   int records = 42764; dim3 block = { 256 }; dim3 grid = { ceil_div(records, 256) };
   float2 place[records] = uniform(0, 90); float distance[records] = zeros();
   nn_distances(place, distance, records, 30.0f, 45.0f);
*/
struct LatLong { float lat, lng; };
__global__ void nn_distances(const float2 *place, float *distance, int records, float lat, float lng)
{
    int id = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (id < records) {
        LatLong here = { place[id].x, place[id].y };
        distance[id] = sqrtf((lat - here.lat) * (lat - here.lat) + (lng - here.lng) * (lng - here.lng));
    }
}

/* kmutate launch
   int n = 4096; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   double sums[n] = iota(0, 0.000244140625); double x[n] = uniform(0, 1); double y[n] = uniform(0, 1); double nx[n] = zeros(); double ny[n] = zeros();
   particle_index(x, y, sums, nx, ny, 0.0001, n);
*/
// New particles: the first sum that is not below the particle's own number, looked for from the start.
__device__ int find_first(const double *sums, int n, double value)
{
    for (int i = 0; i < n; i++)
        if (sums[i] >= value) return i;
    return n - 1;
}
__global__ void particle_index(const double *x, const double *y, const double *sums, double *nx, double *ny, double start, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int from = find_first(sums, n, start + (double)i / n);
        nx[i] = x[from];
        ny[i] = y[from];
    }
}

/* kmutate launch
   int cells = 1000 * 1004; dim3 block = { 512 }; dim3 grid = { ceil_div(cells, 512) };
   float sums[cells] = uniform(0, 1); float squares[cells] = uniform(0, 1);
   srad_reduce(cells, 1, sums, squares);
*/
// Sums and squares of a block by remainders, as the first course shows it; the last block is not full.
__global__ void srad_reduce(int n, int stride, float *sums, float *squares)
{
    __shared__ float a[512], b[512];
    int tx = threadIdx.x, i = blockIdx.x * 512 + tx, have = min(512, n - (int)blockIdx.x * 512);
    if (i < n) {
        a[tx] = sums[i * stride];
        b[tx] = squares[i * stride];
    }
    __syncthreads();
    for (int step = 2; step <= 512; step *= 2) {
        if ((tx + 1) % step == 0 && tx < have) {
            a[tx] = a[tx] + a[tx - step / 2];
            b[tx] = b[tx] + b[tx - step / 2];
        }
        __syncthreads();
    }
    if (tx == have - 1) {
        sums[blockIdx.x * 512 * stride] = a[tx];
        squares[blockIdx.x * 512 * stride] = b[tx];
    }
}

/* kmutate launch
   int n = 65536, dim = 256, centres = 20; dim3 block = { 512 }; dim3 grid = { ceil_div(n, 512) }; size_t smem = dim * sizeof(float);
   struct Member { float weight; int assign; float cost; };
   float coord[dim * n] = uniform(0, 1); int raw[3 * n] = randint(1065353216, 1065353231); float work[n * (centres + 1)] = zeros();
   unsigned char change[n] = zeros();
   stream_gain(n, dim, 1234, 40.0f, (const struct Member *)raw, coord, work, centres, change);
*/
// What opening a centre at point x would gain: its coordinates in shared memory, those of points by dimension.
struct Member { float weight; int assign; float cost; };
__global__ void stream_gain(int n, int dim, int x, float unit, const Member *members, const float *coord, float *work, int centres,
                            unsigned char *change)
{
    extern __shared__ float centre[];
    for (int d = threadIdx.x; d < dim; d += blockDim.x) centre[d] = coord[d * n + x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Member me = members[i];
    float sum = 0.0f;
    for (int d = 0; d < dim; d++) {
        float apart = coord[d * n + i] - centre[d];
        sum += apart * apart;
    }
    float better = sum * me.weight - unit * me.cost;
    if (better < 0.0f) {
        change[i] = 1;
        work[i * (centres + 1) + centres] += better;
    } else
        work[i * (centres + 1) + (me.assign & 0xf)] -= better;
}

/* kmutate launch
   int n = 2048, step = 3; dim3 block = { 512 }; dim3 grid = { ceil_div(n, 512) };
   float a[n * n] = uniform(1, 2); float m[n * n] = zeros();
   gauss_factors(m, a, n, step);
*/
__global__ void gauss_factors(float *m, const float *a, int n, int step)
{
    if (threadIdx.x + blockIdx.x * blockDim.x >= n - 1 - step) return;
    *(m + n * (blockDim.x * blockIdx.x + threadIdx.x + step + 1) + step)
        = *(a + n * (blockDim.x * blockIdx.x + threadIdx.x + step + 1) + step) / *(a + n * step + step);
}

/* kmutate launch
   int n = 6000 * 256; dim3 block = { 256 }; dim3 grid = { n / 256 };
   extern unsigned code_word[256] = randint(0, 16); extern unsigned code_bits[256] = randint(3, 14);
   unsigned char symbols[n] = randint(0, 256); unsigned out[n / 256 * 128] = zeros(); unsigned used[n / 256] = zeros();
   vlc_encode(out, used, symbols);
*/
// Codes of 3 to 13 bits, a symbol a thread: places by a sum over the block, then bits by atomics in shared memory.
__constant__ unsigned code_word[256], code_bits[256];
__global__ void vlc_encode(unsigned *out, unsigned *used, const unsigned char *symbols)
{
    __shared__ unsigned word[256], bits[256], packed[128], ends[256];
    const int t = threadIdx.x;
    word[t] = code_word[t];
    bits[t] = code_bits[t];
    if (t < 128) packed[t] = 0;
    __syncthreads();
    const unsigned char symbol = symbols[blockIdx.x * 256 + t];
    const unsigned code = word[symbol] & ((1u << bits[symbol]) - 1), length = bits[symbol];
    ends[t] = length;
    for (int d = 1; d < 256; d <<= 1) {
        __syncthreads();
        unsigned before = t >= d ? ends[t - d] : 0;
        __syncthreads();
        ends[t] += before;
    }
    const unsigned begin = ends[t] - length, at = begin / 32, over = begin % 32;
    atomicOr(&packed[at], code << over);
    if (over + length > 32) atomicOr(&packed[at + 1], code >> (32 - over));
    __syncthreads();
    if (t == 255) used[blockIdx.x] = ends[255];
    if (t < 128) out[blockIdx.x * 128 + t] = packed[t];
}

/* kmutate launch
   int w = 4096, h = 2160; dim3 block = { 128 }; dim3 grid = { w / 512, h };
   float low[w / 2 * h] = zeros(); float high[w / 2 * h] = zeros(); float in[w * h] = uniform(0, 1);
   dwt97_rows(low, high, in, w);
*/
// Wavelets 9/7 by four steps of lifting along rows; a block has 512 samples and a rim of four on either side.
__global__ void dwt97_rows(float *low, float *high, const float *in, int w)
{
    __shared__ float s[520];
    const int first = blockIdx.x * 512 - 4, y = blockIdx.y;
    for (int i = threadIdx.x; i < 520; i += 128) {
        int x = abs(first + i);
        if (x >= w) x = 2 * w - 2 - x;
        s[i] = in[(size_t)y * w + x];
    }
    const float factor[4] = { -1.586134342f, -0.05298011854f, 0.8829110762f, 0.4435068522f };
#pragma unroll
    for (int step = 0; step < 4; step++) {
        __syncthreads();
        for (int i = 2 * threadIdx.x + 1 + step % 2 + step / 2 * 2; i < 519 - step; i += 256) s[i] += factor[step] * (s[i - 1] + s[i + 1]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 128) {
        low[(size_t)y * (w / 2) + blockIdx.x * 256 + i] = s[4 + 2 * i] * 0.8128930661f;
        high[(size_t)y * (w / 2) + blockIdx.x * 256 + i] = s[5 + 2 * i] * 1.230174105f;
    }
}

/* kmutate launch
   int w = 640, h = 480;
   float grad_x[w * h] = uniform(-1, 1); float grad_y[w * h] = uniform(-1, 1);
   cudaTextureDesc desc = { .addressMode = { cudaAddressModeClamp, cudaAddressModeClamp }, .filterMode = cudaFilterModePoint };
   cudaTextureObject_t gx = texture2D(grad_x, w, h, desc); cudaTextureObject_t gy = texture2D(grad_y, w, h, desc);
   extern float circle_cos[150] = uniform(-1, 1); extern float circle_sin[150] = uniform(-1, 1);
   float score[w * h] = zeros(); dim3 block = { 176 }; dim3 grid = { ceil_div(w * h, 176) };
   cell_circles(score, gx, gy, w, h);
*/
// How well a circle around each pixel fits the edges of a picture: seven radii, 150 points, gradients from textures.
__constant__ float circle_cos[150], circle_sin[150];
__global__ void cell_circles(float *score, cudaTextureObject_t gx, cudaTextureObject_t gy, int w, int h)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= w * h) return;
    int x = id % w, y = id / w;
    float best = 0.0f;
    for (int k = 0; k < 7; k++) {
        float sum = 0.0f, m2 = 0.0f, mean = 0.0f, radius = 8.0f + 2.0f * k;
        for (int n = 0; n < 150; n++) {
            int px = x + (int)(radius * circle_cos[n]), py = y + (int)(radius * circle_sin[n]);
            float g = tex2D<float>(gx, px + 0.5f, py + 0.5f) * circle_cos[n] + tex2D<float>(gy, px + 0.5f, py + 0.5f) * circle_sin[n];
            sum += g;
            float delta = g - mean;
            mean += delta / (n + 1);
            m2 += delta * (g - mean);
        }
        float value = sum * sum / (m2 + 1e-6f);
        if (value > best) best = value;
    }
    score[id] = best;
}

/* kmutate launch
   int nodes = 1 << 20, reads = 90000, length = 48; dim3 block = { 128 }; dim3 grid = { ceil_div(reads, 128) };
   int4 child[nodes] = randint(0, 1048576); unsigned text[reads * 3] = randint(0, 2147483647); int end[reads] = zeros(); short depth[reads] = zeros();
   suffix_walk(end, depth, child, text, reads, length);
*/
// Reads down a tree of suffixes, two bits a step; who comes to a node whose number ends in nine zeros has fallen out of it.
__global__ void suffix_walk(int *end, short *depth, const int4 *__restrict__ child, const unsigned *text, int reads, int length)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= reads) return;
    int node = 1, d = 0;
    while (d < length) {
        unsigned letter = text[r * 3 + d / 16] >> (d % 16 * 2) & 3u;
        int4 c = child[node];
        int next = letter == 0 ? c.x : letter == 1 ? c.y : letter == 2 ? c.z : c.w;
        if ((next & 511) == 0) break;
        node = next;
        d++;
    }
    end[r] = node;
    depth[r] = (short)d;
}

/* kmutate launch
   int n = 3500000; dim3 block = { 256 }; dim3 grid = { 528 };
   extern float pivots[1024] = iota(0.0009765625, 0.0009765625); float in[n] = uniform(0, 1);
   unsigned counts[1024] = zeros(); unsigned where[n] = zeros();
   bucket_place(counts, where, in, n);
*/
// Which of 1024 buckets, by bisection in constant memory, and which place in it.
__constant__ float pivots[1024];
__global__ void bucket_place(unsigned *counts, unsigned *where, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = in[i];
        int at = 511, step = 256;
        while (step >= 1) {
            at += v < pivots[at] ? -step : step;
            step >>= 1;
        }
        if (v >= pivots[at]) at++;
        at = min(at, 1023);
        where[i] = (unsigned)at << 22 | (atomicAdd(&counts[at], 1u) & 0x3fffffu);
    }
}

/* kmutate launch
   int words = 256, rows = 8192; dim3 block = { 64, 4 }; dim3 grid = { words / 64, rows / 4 };
   unsigned out[words * rows] = zeros(); unsigned in[words * rows] = randint(0, 2147483647);
   life_bits(out, in, words, rows);
*/
// Conway's life, 32 cells a word: neighbours are counted by full adders over words.
__global__ void life_bits(unsigned *out, const unsigned *in, int words, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int left = (x + words - 1) % words, right = (x + 1) % words;
    unsigned ones = 0, twos = 0, fours = 0, me = 0;
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + (y + dy + rows) % rows * words;
        unsigned c = row[x], l = __funnelshift_l(row[left], c, 1), r = __funnelshift_r(c, row[right], 1);
        if (dy == 0) me = c;
        unsigned three[3] = { l, r, dy == 0 ? 0u : c };
        for (int k = 0; k < 3; k++) {
            unsigned carry = ones & three[k];
            ones ^= three[k];
            fours |= twos & carry;
            twos ^= carry;
        }
    }
    out[y * words + x] = twos & ~fours & (ones | me);
}

// -------------------------------------------------------------------------------------------------------- linear algebra

/* kmutate launch
   int nr = 150, nq = 140, np = 160; dim3 block = { 32, 8 }; dim3 grid = { ceil_div(np, 32), ceil_div(nq, 8), nr };
   float A[nr * nq * np] = uniform(0, 1); float C4[np * np] = uniform(0, 1); float sum[nr * nq * np] = zeros();
   doitgen(nr, nq, np, sum, A, C4);
*/
__global__ void doitgen(int nr, int nq, int np, float *sum, const float *A, const float *C4)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y * blockDim.y + threadIdx.y;
    int r = blockIdx.z;
    if ((p < np) && (q < nq)) {
        sum[r * (nq * np) + q * np + p] = (float)0.0;
        for (int s = 0; s < np; s++)
            sum[r * (nq * np) + q * np + p] = sum[r * (nq * np) + q * np + p] + A[r * (nq * np) + q * np + s] * C4[s * np + p];
    }
}

/* kmutate launch
   int n = 5000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256), ceil_div(n, 4) };
   double a[n * n] = uniform(0, 1); double u1[n] = uniform(0, 1); double v1[n] = uniform(0, 1); double u2[n] = uniform(0, 1); double v2[n] = uniform(0, 1);
   gemver_rank2(n, a, u1, v1, u2, v2);
*/
// A += u1 v1' + u2 v2' in double precision, four rows a block.
__global__ void gemver_rank2(int n, double *__restrict__ a, const double *__restrict__ u1, const double *__restrict__ v1,
                             const double *__restrict__ u2, const double *__restrict__ v2)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    const double right1 = v1[j], right2 = v2[j];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int i = blockIdx.y * 4 + k;
        if (i < n) a[i * n + j] += u1[i] * right1 + u2[i] * right2;
    }
}

/* kmutate launch
   int n = 3000; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   float a[n * n] = uniform(0, 1); float b[n * n] = uniform(0, 1); float x[n] = uniform(0, 1); float tmp[n] = zeros(); float y[n] = zeros();
   gesummv(n, 1.5f, 1.2f, a, b, tmp, x, y);
*/
__global__ void gesummv(int n, float alpha, float beta, float *a, float *b, float *tmp, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            tmp[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

/* kmutate launch
   int n = 2000, diagonal = 3100; dim3 block = { 256 }; dim3 grid = { 4 };
   float a[n * n] = uniform(0, 1);
   seidel_diagonal(a, n, diagonal);
*/
// Points that a sweep of Gauss and Seidel over nine points may do at a time: two columns to the left, a row down.
__global__ void seidel_diagonal(float *a, int n, int diagonal)
{
    int first = max(1, (diagonal - (n - 2) + 1) / 2), last = min(n - 2, (diagonal - 1) / 2);
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i > last) return;
    int j = diagonal - 2 * i;
    float *p = a + i * n + j;
    p[0] = (p[-n - 1] + p[-n] + p[-n + 1] + p[-1] + p[0] + p[1] + p[n - 1] + p[n] + p[n + 1]) / 9.0f;
}

/* kmutate launch
   int n = 1500, length = 600; dim3 block = { 64 }; dim3 grid = { ceil_div(n - length, 64) };
   int table[n * n] = randint(0, 300); char base[n] = randint(0, 4);
   nussinov_diagonal(table, base, n, length);
*/
// The best fold of each piece of a sequence of one length: over all places to cut, a row forwards and a column down.
__global__ void nussinov_diagonal(int *table, const char *base, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + length;
    if (j >= n) return;
    int best = max(table[i * n + j - 1], table[(i + 1) * n + j]);
    best = max(best, table[(i + 1) * n + j - 1] + (base[i] + base[j] == 3));
    for (int k = i + 1; k < j; k++) best = max(best, table[i * n + k] + table[(k + 1) * n + j]);
    table[i * n + j] = best;
}

/* kmutate launch
   int batch = 900, n = 96; dim3 block = { n }; dim3 grid = { batch };
   double a[batch * n * n] = uniform(0, 1);
   cholesky_batch<96>(a);
*/
// Cholesky's factors of many small matrices in double precision, a matrix a block, a row a thread. Columns come one after the other.
template <int N> __global__ void __launch_bounds__(N) cholesky_batch(double *a)
{
    __shared__ double column[N];
    __shared__ double pivot;
    double *m = a + (size_t)blockIdx.x * N * N;
    const int r = threadIdx.x;
    for (int k = 0; k < N; k++) {
        double v = 0.0;
        if (r >= k) {
            v = m[r * N + k] + (r == k ? 2.0 * N : 0.0);
            if (r == k) pivot = rsqrt(v);
        }
        __syncthreads();
        if (r >= k) {
            v *= pivot;
            m[r * N + k] = v;
            column[r] = v;
        }
        __syncthreads();
        if (r > k)
            for (int c = k + 1; c <= r; c++) m[r * N + c] -= v * column[c];
        __syncthreads();
    }
}

/* kmutate launch
   int n = 14000; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 4) };
   int lo = 5, hi = 300, nnz = csr_nnz(n, lo, hi); int first[n + 1] = csr_rowptr(n, lo, hi); int column[nnz] = csr_colidx(n);
   double value[nnz] = uniform(-1, 1); double x[n] = uniform(-1, 1); double y[n] = zeros();
   spmv_csr_warp(n, first, column, value, x, y);
*/
// Rows of 5 to 299 entries, a warp each.
__global__ void spmv_csr_warp(int rows, const int *__restrict__ first, const int *__restrict__ column, const double *__restrict__ value,
                              const double *__restrict__ x, double *__restrict__ y)
{
    const int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows) return;
    double sum = 0.0;
    for (int e = first[row] + lane; e < first[row + 1]; e += 32) sum += value[e] * x[column[e]];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) y[row] = sum;
}

/* kmutate launch
   int systems = 6000, n = 256; dim3 block = { n }; dim3 grid = { systems };
   float a[systems * n] = uniform(-0.4, 0); float b[systems * n] = uniform(1, 2); float c[systems * n] = uniform(-0.4, 0);
   float d[systems * n] = uniform(-1, 1); float x[systems * n] = zeros();
   cyclic_reduction<256>(a, b, c, d, x);
*/
// Tridiagonal systems by parallel cyclic reduction, one a block: all rows halve the system eight times.
template <int N> __global__ void cyclic_reduction(const float *a, const float *b, const float *c, const float *d, float *x)
{
    __shared__ float sa[N], sb[N], sc[N], sd[N];
    const int t = threadIdx.x, i = blockIdx.x * N + t;
    sa[t] = t == 0 ? 0.0f : a[i];
    sb[t] = b[i];
    sc[t] = t == N - 1 ? 0.0f : c[i];
    sd[t] = d[i];
    __syncthreads();
    for (int stride = 1; stride < N; stride *= 2) {
        const int up = max(t - stride, 0), down = min(t + stride, N - 1);
        float k1 = sa[t] / sb[up], k2 = sc[t] / sb[down];
        float na = -sa[up] * k1, nb = sb[t] - sc[up] * k1 - sa[down] * k2, nc = -sc[down] * k2, nd = sd[t] - sd[up] * k1 - sd[down] * k2;
        __syncthreads();
        sa[t] = t - stride < stride ? 0.0f : na;
        sb[t] = nb;
        sc[t] = t + 2 * stride > N - 1 ? 0.0f : nc;
        sd[t] = nd;
        __syncthreads();
    }
    x[i] = sd[t] / sb[t];
}

/* kmutate launch
   int n = 600, intervals = 600; dim3 block = { 96 }; dim3 grid = { ceil_div(intervals, 96) };
   float diagonal[n] = uniform(-2, 2); float off[n] = uniform(0.1, 1); float value[intervals] = zeros();
   sturm_bisect(value, diagonal, off, n, intervals, -6.0f, 6.0f);
*/
// Eigenvalues of a symmetric tridiagonal matrix by bisection, one a thread: how many are below is a chain of divisions.
__global__ void sturm_bisect(float *value, const float *diagonal, const float *off, int n, int intervals, float low, float high)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= intervals) return;
    for (int step = 0; step < 20; step++) {
        float mid = 0.5f * (low + high), q = 1.0f;
        int below = 0;
        for (int i = 0; i < n; i++) {
            float e = i == 0 ? 0.0f : off[i - 1];
            q = diagonal[i] - mid - e * e / q;
            if (fabsf(q) < 1e-7f) q = -1e-7f;
            below += q < 0.0f;
        }
        if (below > id)
            high = mid;
        else
            low = mid;
    }
    value[id] = 0.5f * (low + high);
}

/* kmutate launch
   int n = 1100000; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   float out[16 * n] = zeros(); float in[16 * n] = uniform(-1, 1);
   invert_4x4(out, in, n);
*/
// Inverses of matrices of 4 x 4 by cofactors, each 64 bytes in one piece.
__global__ void invert_4x4(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float *m = in + 16 * i;
    float s0 = m[0] * m[5] - m[4] * m[1], s1 = m[0] * m[6] - m[4] * m[2], s2 = m[0] * m[7] - m[4] * m[3];
    float s3 = m[1] * m[6] - m[5] * m[2], s4 = m[1] * m[7] - m[5] * m[3], s5 = m[2] * m[7] - m[6] * m[3];
    float c5 = m[10] * m[15] - m[14] * m[11], c4 = m[9] * m[15] - m[13] * m[11], c3 = m[9] * m[14] - m[13] * m[10];
    float c2 = m[8] * m[15] - m[12] * m[11], c1 = m[8] * m[14] - m[12] * m[10], c0 = m[8] * m[13] - m[12] * m[9];
    float det = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0, inv = fabsf(det) > 1e-12f ? 1.0f / det : 0.0f;
    float *o = out + 16 * i;
    o[0] = (m[5] * c5 - m[6] * c4 + m[7] * c3) * inv;
    o[1] = (-m[1] * c5 + m[2] * c4 - m[3] * c3) * inv;
    o[2] = (m[13] * s5 - m[14] * s4 + m[15] * s3) * inv;
    o[3] = (-m[9] * s5 + m[10] * s4 - m[11] * s3) * inv;
    o[4] = (-m[4] * c5 + m[6] * c2 - m[7] * c1) * inv;
    o[5] = (m[0] * c5 - m[2] * c2 + m[3] * c1) * inv;
    o[6] = (-m[12] * s5 + m[14] * s2 - m[15] * s1) * inv;
    o[7] = (m[8] * s5 - m[10] * s2 + m[11] * s1) * inv;
    o[8] = (m[4] * c4 - m[5] * c2 + m[7] * c0) * inv;
    o[9] = (-m[0] * c4 + m[1] * c2 - m[3] * c0) * inv;
    o[10] = (m[12] * s4 - m[13] * s2 + m[15] * s0) * inv;
    o[11] = (-m[8] * s4 + m[9] * s2 - m[11] * s0) * inv;
    o[12] = (-m[4] * c3 + m[5] * c1 - m[6] * c0) * inv;
    o[13] = (m[0] * c3 - m[1] * c1 + m[2] * c0) * inv;
    o[14] = (-m[12] * s3 + m[13] * s1 - m[14] * s0) * inv;
    o[15] = (m[8] * s3 - m[9] * s1 + m[10] * s0) * inv;
}

// ------------------------------------------------------------------------------------------------------- matrix products

/* kmutate launch
   int m = 1024, n = 1280, k = 1024; dim3 block = { 32 * 32 }; dim3 grid = { m / 32, n / 32 };
   float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1); float C[m * n] = uniform(-1, 1);
   sgemm_tile_32<32>(m, n, k, 0.5f, A, B, 3.0f, C);
*/
template <const int TILE>
__global__ void sgemm_tile_32(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float sa[TILE * TILE], sb[TILE * TILE];
    const unsigned tcol = threadIdx.x % TILE, trow = threadIdx.x / TILE;
    A += blockIdx.x * TILE * K;
    B += blockIdx.y * TILE;
    C += blockIdx.x * TILE * N + blockIdx.y * TILE;
    float tmp = 0.0;
    for (int at = 0; at < K; at += TILE) {
        sa[trow * TILE + tcol] = A[trow * K + tcol];
        sb[trow * TILE + tcol] = B[trow * N + tcol];
        __syncthreads();
        A += TILE;
        B += TILE * N;
        for (int dot = 0; dot < TILE; ++dot) tmp += sa[trow * TILE + dot] * sb[dot * TILE + tcol];
        __syncthreads();
    }
    C[trow * N + tcol] = alpha * tmp + beta * C[trow * N + tcol];
}

/* kmutate launch
   int m = 1024, n = 1024, k = 2048; dim3 block = { 256 }; dim3 grid = { n / 64, m / 64 };
   float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1); float C[m * n] = zeros();
   sgemm_async<64, 64, 16, 3>(m, n, k, A, B, C);
*/
// Three stages of tiles on their way from global to shared memory by asynchronous copies, 4 x 4 results a thread.
template <int BM, int BN, int BK, int STAGES> __global__ void __launch_bounds__(256) sgemm_async(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float As[STAGES][BM][BK], Bs[STAGES][BK][BN];
    const int tx = threadIdx.x % 16 * 4, ty = threadIdx.x / 16 * 4;
    A += (size_t)blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    auto fetch = [&](int tile) {
        if (tile * BK < K) {
            const int s = tile % STAGES, r = threadIdx.x / 4, c = threadIdx.x % 4 * 4, br = threadIdx.x / 16, bc = threadIdx.x % 16 * 4;
            __pipeline_memcpy_async(&As[s][r][c], &A[r * K + tile * BK + c], 16);
            __pipeline_memcpy_async(&Bs[s][br][bc], &B[(tile * BK + br) * N + bc], 16);
        }
        __pipeline_commit();
    };
    float acc[4][4] = {};
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) fetch(s);
    for (int tile = 0; tile < K / BK; tile++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(tile + STAGES - 1);
        const int s = tile % STAGES;
#pragma unroll
        for (int k = 0; k < BK; k++) {
            const float4 b = *reinterpret_cast<const float4 *>(&Bs[s][k][tx]);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const float a = As[s][ty + i][k];
                acc[i][0] += a * b.x;
                acc[i][1] += a * b.y;
                acc[i][2] += a * b.z;
                acc[i][3] += a * b.w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(&C[(size_t)(blockIdx.y * BM + ty + i) * N + blockIdx.x * BN + tx])
            = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

/* kmutate launch
   int m = 192, n = 256, k = 16384, parts = 24; dim3 block = { 16, 16 }; dim3 grid = { n / 32, m / 32, parts };
   float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1); float C[m * n] = zeros();
   sgemm_split_k(m, n, k, ceil_div(k, parts), A, B, C);
*/
// Few results of long sums: parts of the sums go to different blocks and are added by atomics.
__global__ void sgemm_split_k(int M, int N, int K, int each, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float as[32][17], bs[16][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32, col = blockIdx.x * 32;
    const int begin = blockIdx.z * each, end = min(begin + each, K);
    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int k0 = begin; k0 < end; k0 += 16) {
        const bool inside = k0 + tx < end, below = k0 + ty < end;
        as[ty][tx] = inside ? A[(row + ty) * K + k0 + tx] : 0.0f;
        as[ty + 16][tx] = inside ? A[(row + ty + 16) * K + k0 + tx] : 0.0f;
        bs[ty][tx] = below ? B[(k0 + ty) * N + col + tx] : 0.0f;
        bs[ty][tx + 16] = below ? B[(k0 + ty) * N + col + tx + 16] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float a0 = as[ty][k], a1 = as[ty + 16][k], b0 = bs[k][tx], b1 = bs[k][tx + 16];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }
    atomicAdd(&C[(row + ty) * N + col + tx], c00);
    atomicAdd(&C[(row + ty) * N + col + tx + 16], c01);
    atomicAdd(&C[(row + ty + 16) * N + col + tx], c10);
    atomicAdd(&C[(row + ty + 16) * N + col + tx + 16], c11);
}

// ------------------------------------------------------------------------------------------------------- language models

/* kmutate launch
   int N = 9000, C = 1024; dim3 block = { 32, 8 }; dim3 grid = { ceil_div(N, 8) }; size_t smem = (2 + 8) * C * sizeof(__nv_bfloat16);
   __nv_bfloat16 out[N * C] = zeros(); float mean[N] = zeros(); float rstd[N] = zeros();
   __nv_bfloat16 inp[N * C] = normal(0, 2); __nv_bfloat16 weight[C] = uniform(0.9, 1.1); __nv_bfloat16 bias[C] = uniform(-0.1, 0.1);
   layernorm_shared_rows(out, mean, rstd, inp, weight, bias, N, C);
*/
// Gains and shifts once a block and the row of each warp in shared memory, eight bfloat16 in an access.
struct alignas(16) BF8 { __nv_bfloat16 at[8]; };
__device__ __forceinline__ float warp_total(float v)
{
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}
__global__ void layernorm_shared_rows(__nv_bfloat16 *__restrict__ out, float *__restrict__ mean, float *__restrict__ rstd,
                                      const __nv_bfloat16 *__restrict__ inp, const __nv_bfloat16 *__restrict__ weight,
                                      const __nv_bfloat16 *__restrict__ bias, int N, int C)
{
    extern __shared__ uint4 room[];
    BF8 *w8 = reinterpret_cast<BF8 *>(room), *b8 = w8 + C / 8, *x8 = b8 + C / 8 + threadIdx.y * (C / 8);
    for (int i = threadIdx.y * 32 + threadIdx.x; i < C / 8; i += 256) {
        w8[i] = reinterpret_cast<const BF8 *>(weight)[i];
        b8[i] = reinterpret_cast<const BF8 *>(bias)[i];
    }
    __syncthreads();
    const int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= N) return;
    const BF8 *from = reinterpret_cast<const BF8 *>(inp + (size_t)row * C);
    BF8 *to = reinterpret_cast<BF8 *>(out + (size_t)row * C);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < C / 8; i += 32) {
        const BF8 v = from[i];
        for (int k = 0; k < 8; k++) sum += __bfloat162float(v.at[k]);
        x8[i] = v;
    }
    const float m = warp_total(sum) / C;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < C / 8; i += 32) {
        const BF8 v = x8[i];
        for (int k = 0; k < 8; k++) {
            float d = __bfloat162float(v.at[k]) - m;
            squares += d * d;
        }
    }
    const float s = rsqrtf(warp_total(squares) / C + 1e-5f);
    for (int i = threadIdx.x; i < C / 8; i += 32) {
        const BF8 v = x8[i], w = w8[i], b = b8[i];
        BF8 r;
        for (int k = 0; k < 8; k++)
            r.at[k] = __float2bfloat16((__bfloat162float(v.at[k]) - m) * s * __bfloat162float(w.at[k]) + __bfloat162float(b.at[k]));
        to[i] = r;
    }
    if (threadIdx.x == 0) {
        mean[row] = m;
        rstd[row] = s;
    }
}

/* kmutate launch
   int heads = 48, T = 768; dim3 block = { 256 }; dim3 grid = { ceil_div(heads * T * 32, 256) };
   float out[heads * T * T] = zeros(); float inp[heads * T * T] = normal(0, 2);
   softmax_causal(out, 0.125f, inp, heads, T);
*/
// Softmax of what is not in the future, a warp a row, maximum and sum together, the longest rows first.
__global__ void softmax_causal(float *out, float temperature, const float *inp, int heads, int T)
{
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    int idx = (gridDim.x - blockIdx.x - 1) * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= heads * T) return;
    int own = idx % T, quads = own / 4;
    const float *x = inp + (size_t)idx * T;
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    float most = -3.4e38f, sum = 0.0f;
    for (int i = warp.thread_rank(); i < quads; i += 32) {
        float4 v = x4[i];
        float old = most;
        most = fmaxf(fmaxf(fmaxf(most, v.x), fmaxf(v.y, v.z)), v.w);
        sum *= expf(temperature * (old - most));
        sum += expf(temperature * (v.x - most)) + expf(temperature * (v.y - most)) + expf(temperature * (v.z - most)) + expf(temperature * (v.w - most));
    }
    if (4 * quads + (int)warp.thread_rank() <= own) {
        float v = x[4 * quads + warp.thread_rank()], old = most;
        most = fmaxf(most, v);
        sum = sum * expf(temperature * (old - most)) + expf(temperature * (v - most));
    }
    float all = most;
    for (int d = 16; d > 0; d /= 2) all = fmaxf(all, warp.shfl_xor(all, d));
    sum *= expf(temperature * (most - all));
    float norm = 1.0f / warp_total(sum);
    for (int i = warp.thread_rank(); i <= own; i += 32) __stcs(out + (size_t)idx * T + i, norm * expf(temperature * (__ldcs(x + i) - all)));
}

/* kmutate launch
   int BT = 1024, V = 50257, P = 50304; dim3 block = { 1024 }; dim3 grid = { BT };
   __nv_bfloat16 logits[BT * P] = normal(0, 2); float losses[BT] = zeros(); int targets[BT] = randint(0, 50257);
   fused_classifier(logits, losses, 0.0009765625f, targets, V, P);
*/
// Loss and gradient of the words at the end, in place: a row a block of 1024, rows are read backwards the first time.
__global__ void __launch_bounds__(1024, 1) fused_classifier(__nv_bfloat16 *logits, float *losses, float dloss, const int *targets, int V, int P)
{
    __shared__ float maxima[32], sums[32];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    __nv_bfloat16 *row = logits + (size_t)(gridDim.x - 1 - blockIdx.x) * P;
    const int target = targets[gridDim.x - 1 - blockIdx.x];
    float most = -INFINITY, sum = 0.0f;
    for (int i = (V + 7) / 8 + t - 1024; i >= 0; i -= 1024) {
        const uint4 bits = reinterpret_cast<const uint4 *>(row)[i];
        const __nv_bfloat16 *v = reinterpret_cast<const __nv_bfloat16 *>(&bits);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (i * 8 + k >= V) continue;
            float x = __bfloat162float(v[k]), old = most;
            most = fmaxf(most, x);
            sum = sum * __expf(old - most) + __expf(x - most);
        }
    }
    float high = most;
    for (int d = 16; d; d >>= 1) high = fmaxf(high, __shfl_xor_sync(0xffffffffu, high, d));
    if (lane == 0) maxima[warp] = high;
    __syncthreads();
    high = maxima[lane];
    for (int d = 16; d; d >>= 1) high = fmaxf(high, __shfl_xor_sync(0xffffffffu, high, d));
    sum = warp_total(most == -INFINITY ? 0.0f : sum * __expf(most - high));
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    const float scale = 1.0f / warp_total(sums[lane]);
    if (t == 0) losses[gridDim.x - 1 - blockIdx.x] -= logf(__expf(__bfloat162float(row[target]) - high) * scale);
    __syncthreads();
    for (int i = t; i < V; i += 1024) {
        float p = __expf(__bfloat162float(row[i]) - high) * scale;
        row[i] = __float2bfloat16((p - (i == target ? 1.0f : 0.0f)) * dloss);
    }
}

/* kmutate launch
   int rows = 8192, OC = 3072; dim3 block = { 512 }; dim3 grid = { OC / 32 };
   __nv_bfloat16 dbias[OC] = zeros(); __nv_bfloat16 dout[rows * OC] = normal(0, 0.01);
   bias_gradient(dbias, dout, rows, OC);
*/
// Sums of 32 columns a block; a warp has every 16th row.
__global__ void bias_gradient(__nv_bfloat16 *dbias, const __nv_bfloat16 *dout, int rows, int OC)
{
    __shared__ float part[16][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const __nv_bfloat16 *column = dout + blockIdx.x * 32 + lane;
    float sum = 0.0f;
    for (int row = warp; row < rows; row += 16) sum += __bfloat162float(column[(size_t)row * OC]);
    part[warp][lane] = sum;
    __syncthreads();
    if (warp == 0) {
        for (int w = 1; w < 16; w++) sum += part[w][lane];
        dbias[blockIdx.x * 32 + lane] = __float2bfloat16(sum + __bfloat162float(dbias[blockIdx.x * 32 + lane]));
    }
}

/* kmutate launch
   int B = 2, NH = 12, T = 512, C = 768, total = B * NH * T * T; dim3 block = { 256 }; dim3 grid = { ceil_div(total, 256) };
   float preatt[total] = zeros(); float inp[B * T * 3 * C] = normal();
   attention_query_key(preatt, inp, B, T, C, NH);
*/
// The first port: a score a thread, queries and keys where the layer before put them, lanes rows of keys apart.
__global__ void attention_query_key(float *preatt, const float *inp, int B, int T, int C, int NH)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * NH * T * T) {
        int t2 = idx % T;
        int t = (idx / T) % T;
        if (t2 > t) {
            preatt[idx] = -INFINITY;
            return;
        }
        int h = (idx / (T * T)) % NH;
        int b = idx / (NH * T * T);
        int C3 = C * 3, hs = C / NH;
        const float *query = inp + b * T * C3 + t * C3 + h * hs;
        const float *key = inp + b * T * C3 + t2 * C3 + h * hs + C;
        float val = 0.0f;
        for (int i = 0; i < hs; i++) val += query[i] * key[i];
        preatt[idx] = val * (1.0f / sqrtf((float)hs));
    }
}

/* kmutate launch
   int heads = 120, N = 96, d = 64; dim3 block = { 32 }; dim3 grid = { heads }; size_t smem = 4 * 32 * d * sizeof(float);
   float O[heads * N * d] = zeros(); float l[heads * N] = zeros(); float m[heads * N] = fill(-1e30);
   float Q[heads * N * d] = normal(); float K[heads * N * d] = normal(); float V[heads * N * d] = normal();
   flash_small<64>(Q, K, V, N, 0.125f, l, m, O);
*/
// Attention by tiles as it is explained on one page: a head a block of one warp, a row a lane, results put right in global memory.
template <int D> __global__ void flash_small(const float *Q, const float *K, const float *V, int N, float scale, float *l, float *m, float *O)
{
    extern __shared__ float room[];
    float *q = room, *k = q + 32 * D, *v = k + 32 * D, *s = v + 32 * D;
    const int t = threadIdx.x, from = blockIdx.x * N * D, row_from = blockIdx.x * N;
    for (int j = 0; j < N / 32; j++) {
        for (int x = 0; x < D; x++) {
            k[t * D + x] = K[from + j * 32 * D + t * D + x];
            v[t * D + x] = V[from + j * 32 * D + t * D + x];
        }
        __syncthreads();
        for (int i = 0; i < N / 32; i++) {
            for (int x = 0; x < D; x++) q[t * D + x] = Q[from + i * 32 * D + t * D + x];
            float old_m = m[row_from + i * 32 + t], old_l = l[row_from + i * 32 + t], row_m = -1e30f, row_l = 0.0f;
            for (int y = 0; y < 32; y++) {
                float sum = 0.0f;
                for (int x = 0; x < D; x++) sum += q[t * D + x] * k[y * D + x];
                s[t * 32 + y] = sum * scale;
                row_m = fmaxf(row_m, sum * scale);
            }
            for (int y = 0; y < 32; y++) {
                s[t * 32 + y] = __expf(s[t * 32 + y] - row_m);
                row_l += s[t * 32 + y];
            }
            float new_m = fmaxf(old_m, row_m), new_l = __expf(old_m - new_m) * old_l + __expf(row_m - new_m) * row_l;
            for (int x = 0; x < D; x++) {
                float pv = 0.0f;
                for (int y = 0; y < 32; y++) pv += s[t * 32 + y] * v[y * D + x];
                float *o = &O[from + i * 32 * D + t * D + x];
                *o = 1.0f / new_l * (old_l * __expf(old_m - new_m) * *o + __expf(row_m - new_m) * pv);
            }
            m[row_from + i * 32 + t] = new_m;
            l[row_from + i * 32 + t] = new_l;
        }
        __syncthreads();
    }
}

/* kmutate launch
   int BT = 2048, C = 768, OC = 768; dim3 block = { 16, 16 }; dim3 grid = { BT / 128, OC / 128 };
   float out[BT * OC] = zeros(); float inp[BT * C] = normal(); float weight[OC * C] = normal(0, 0.02); float bias[OC] = normal(0, 0.02);
   matmul_forward_quads(out, inp, weight, bias, C, OC);
*/
// out = inp weight' + bias, 8 x 8 results a thread; both sides lie by rows of 32 in shared memory and are read by fours.
__global__ void __launch_bounds__(256, 2) matmul_forward_quads(float *out, const float *inp, const float *weight, const float *bias, int C, int OC)
{
    __shared__ __align__(16) float lhs_s[128][32], rhs_s[128][32];
    const int oc = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
    inp += 128 * blockIdx.x * C;
    weight += 128 * blockIdx.y * C;
    out += 128 * blockIdx.x * OC + 128 * blockIdx.y;
    float vals[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) vals[i][j] = bias[oc + j];
    const int start = 4 * (16 * threadIdx.y + threadIdx.x);
    for (int so = 0; so < C; so += 32) {
        __syncthreads();
        const int xo = start % 32, yo = start / 32;
        for (int y = yo; y < 128; y += 32) {
            *reinterpret_cast<float4 *>(&lhs_s[y][xo]) = *reinterpret_cast<const float4 *>(inp + y * C + so + xo);
            *reinterpret_cast<float4 *>(&rhs_s[y][xo]) = *reinterpret_cast<const float4 *>(weight + y * C + so + xo);
        }
        __syncthreads();
        for (int si = start; si < start + 32; si += 4) {
            float4 rhs[8];
            for (int u = 0; u < 8; u++) rhs[u] = *reinterpret_cast<const float4 *>(&rhs_s[u + 8 * threadIdx.y][si % 32]);
            for (int ii = 0; ii < 8; ii++) {
                const float4 lhs = *reinterpret_cast<const float4 *>(&lhs_s[ii + 8 * threadIdx.x][si % 32]);
                for (int ji = 0; ji < 8; ji++) {
                    vals[ii][ji] += lhs.x * rhs[ji].x;
                    vals[ii][ji] += lhs.y * rhs[ji].y;
                    vals[ii][ji] += lhs.z * rhs[ji].z;
                    vals[ii][ji] += lhs.w * rhs[ji].w;
                }
            }
        }
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; j += 4)
            *reinterpret_cast<float4 *>(&out[(8 * threadIdx.x + i) * OC + 8 * threadIdx.y + j])
                = make_float4(vals[i][j], vals[i][j + 1], vals[i][j + 2], vals[i][j + 3]);
}

/* kmutate launch
   int tokens = 65536, experts = 64; dim3 block = { 128 }; dim3 grid = { tokens / 4 };
   int chosen[tokens * 2] = zeros(); float weights[tokens * 2] = zeros(); int load[experts] = zeros(); half logits[tokens * experts] = normal();
   moe_top_two(chosen, weights, load, (const half2 *)logits, tokens);
*/
// Which two of 64 experts a token goes to, with what weights, and how many each gets; a token a warp.
__global__ void moe_top_two(int *chosen, float *weights, int *load, const half2 *logits, int tokens)
{
    __shared__ int mine[64];
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    const int token = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float2 v = __half22float2(logits[token * 32 + lane]);
    float found[2];
    int which[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        float best = fmaxf(v.x, v.y);
        int at = 2 * lane + (v.y > v.x);
        for (int d = 16; d > 0; d >>= 1) {
            float other = __shfl_xor_sync(0xffffffffu, best, d);
            int there = __shfl_xor_sync(0xffffffffu, at, d);
            if (other > best || (other == best && there < at)) {
                best = other;
                at = there;
            }
        }
        found[k] = best;
        which[k] = at;
        if (at / 2 == lane) (at & 1 ? v.y : v.x) = -INFINITY;
    }
    if (lane < 2) {
        float second = 1.0f / (1.0f + __expf(found[0] - found[1]));
        chosen[token * 2 + lane] = lane ? which[1] : which[0];
        weights[token * 2 + lane] = lane ? second : 1.0f - second;
        atomicAdd(&mine[lane ? which[1] : which[0]], 1);
    }
    __syncthreads();
    if (threadIdx.x < 64 && mine[threadIdx.x] > 0) atomicAdd(&load[threadIdx.x], mine[threadIdx.x]);
}

/* kmutate launch
   int images = 16, channels = 64, h = 56, w = 56, total = images * channels * h * w; dim3 block = { 512 }; dim3 grid = { ceil_div(total, 512) };
   float columns[total * 9] = zeros(); float image[total] = normal();
   im2col_three(total, image, h, w, columns);
*/
// Patches of 3 x 3 with zeros around, each value nine times, as a convolution by a product of matrices wants them.
__global__ void im2col_three(int n, const float *image, int h, int w, float *columns)
{
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
        int x = index % w, y = index / w % h, plane = index / (w * h);
        float *to = columns + ((size_t)plane * 9 * h + y) * w + x;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                int yy = y + i - 1, xx = x + j - 1;
                *to = (yy >= 0 && xx >= 0 && yy < h && xx < w) ? image[(plane * h + yy) * w + xx] : 0;
                to += h * w;
            }
    }
}

// ------------------------------------------------------------------------------------------------------------ and others

/* kmutate launch
   int pairs = 20000, length = 96; dim3 block = { 32, 4 }; dim3 grid = { ceil_div(pairs, 4) };
   extern int substitution[16] = { 5, -4, -2, -4, -4, 5, -4, -2, -2, -4, 5, -4, -4, -2, -4, 5 };
   int best[pairs] = zeros(); unsigned char query[pairs * 32] = randint(0, 4); unsigned char target[pairs * length] = randint(0, 4);
   align_affine(best, query, target, pairs, length, 6, 1);
*/
// Smith and Waterman with affine gaps: a letter of the query a lane, antidiagonals go through the warp by shuffles.
__constant__ int substitution[16];
__global__ void align_affine(int *best, const unsigned char *query, const unsigned char *target, int pairs, int length, int open, int extend)
{
    const int pair = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (pair >= pairs) return;
    const int q = query[pair * 32 + lane];
    int h = 0, h_up = 0, e = -1000, f = -1000, most = 0;
    for (int step = 0; step < length + 31; step++) {
        int above = __shfl_up_sync(0xffffffffu, h, 1), f_above = __shfl_up_sync(0xffffffffu, f, 1);
        if (lane == 0) {
            above = 0;
            f_above = -1000;
        }
        const int at = step - lane;
        if (at >= 0 && at < length) {
            const int score = substitution[q * 4 + target[pair * length + at]];
            e = max(e - extend, h - open);
            f = max(f_above - extend, above - open);
            h = max(max(h_up + score, 0), max(e, f));
            most = max(most, h);
        }
        h_up = above;
    }
    most = __reduce_max_sync(0xffffffffu, most);
    if (lane == 0) best[pair] = most;
}

/* kmutate launch
   int keys = 500000, most = 32; dim3 block = { 256 }; dim3 grid = { ceil_div(keys, 256) };
   unsigned hash[keys] = zeros(); unsigned char text[keys * most] = randint(32, 127); unsigned char length[keys] = randint(4, 33);
   jenkins_keys(hash, text, length, keys, most);
*/
// Hashes of words of 4 to 32 letters, one at a time.
__global__ void jenkins_keys(unsigned *hash, const unsigned char *text, const unsigned char *length, int keys, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= keys) return;
    const unsigned char *p = text + i * most;
    unsigned h = 0;
    for (int k = 0; k < length[i]; k++) {
        h += p[k];
        h += h << 10;
        h ^= h >> 6;
    }
    h += h << 3;
    h ^= h >> 11;
    hash[i] = h + (h << 15);
}

/* kmutate launch
   int n = 2048 * 1024; dim3 block = { 512 }; dim3 grid = { n / 1024 };
   unsigned keys[n] = randint(0, 2147483647); unsigned values[n] = iota(0, 1);
   odd_even_merge(keys, values, 0);
*/
// Batcher's sort by odd and even merges of 1024 pairs in shared memory.
__device__ inline void put_in_order(unsigned &ka, unsigned &va, unsigned &kb, unsigned &vb, unsigned down)
{
    if ((ka > kb) != (down != 0)) {
        unsigned k = ka, v = va;
        ka = kb;
        va = vb;
        kb = k;
        vb = v;
    }
}
__global__ void odd_even_merge(unsigned *keys, unsigned *values, unsigned down)
{
    __shared__ unsigned k[1024], v[1024];
    keys += blockIdx.x * 1024 + threadIdx.x;
    values += blockIdx.x * 1024 + threadIdx.x;
    k[threadIdx.x] = keys[0];
    v[threadIdx.x] = values[0];
    k[threadIdx.x + 512] = keys[512];
    v[threadIdx.x + 512] = values[512];
    for (unsigned size = 2; size <= 1024; size <<= 1) {
        unsigned stride = size / 2, offset = threadIdx.x & (stride - 1);
        __syncthreads();
        unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        put_in_order(k[at], v[at], k[at + stride], v[at + stride], down);
        for (stride >>= 1; stride > 0; stride >>= 1) {
            __syncthreads();
            at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if (offset >= stride) put_in_order(k[at - stride], v[at - stride], k[at], v[at], down);
        }
    }
    __syncthreads();
    keys[0] = k[threadIdx.x];
    values[0] = v[threadIdx.x];
    keys[512] = k[threadIdx.x + 512];
    values[512] = v[threadIdx.x + 512];
}

/* kmutate launch
   int log2n = 11, blocks = 1536; dim3 block = { 512 }; dim3 grid = { blocks }; size_t smem = (1 << log2n) * sizeof(float);
   float data[blocks << log2n] = uniform(-1, 1);
   walsh_blocks(data, log2n);
*/
// Walsh and Hadamard's transform of 2048 values by radix 4 in shared memory, the last step by radix 2.
__global__ void walsh_blocks(float *data, int log2n)
{
    extern __shared__ float s_data[];
    cg::thread_block cta = cg::this_thread_block();
    const int n = 1 << log2n;
    float *mine = data + (blockIdx.x << log2n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s_data[i] = mine[i];
    int stride = n >> 2;
    for (; stride > 0; stride >>= 2) {
        int lo = threadIdx.x & (stride - 1);
        int i0 = ((threadIdx.x - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
        cg::sync(cta);
        float d0 = s_data[i0], d1 = s_data[i1], d2 = s_data[i2], d3 = s_data[i3], t;
        t = d0;
        d0 = d0 + d2;
        d2 = t - d2;
        t = d1;
        d1 = d1 + d3;
        d3 = t - d3;
        s_data[i0] = d0 + d1;
        s_data[i1] = d0 - d1;
        s_data[i2] = d2 + d3;
        s_data[i3] = d2 - d3;
    }
    if (log2n & 1) {
        cg::sync(cta);
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            int i0 = i << 1, i1 = i0 + 1;
            float d0 = s_data[i0], d1 = s_data[i1];
            s_data[i0] = d0 + d1;
            s_data[i1] = d0 - d1;
        }
    }
    cg::sync(cta);
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine[i] = s_data[i];
}

/* kmutate launch
   int nx = 4096, ny = 2048; dim3 block = { 128 }; dim3 grid = { ceil_div(nx * ny / 2, 128) };
   signed char black[nx * ny / 2] = fill(1); signed char white[nx * ny / 2] = randint(0, 2);
   ising_update<true>(black, white, nx, ny / 2, 0.44f, 1234u, 17u);
*/
// Half of the spins of Ising's model, as on a chess board, one byte each; dice are hashes of place and step.
template <bool IS_BLACK>
__global__ void ising_update(signed char *lattice, const signed char *other, int nx, int ny, float beta, unsigned seed, unsigned step)
{
    const long long tid = (long long)blockDim.x * blockIdx.x + threadIdx.x;
    const int i = tid / ny, j = tid % ny;
    if (i >= nx || j >= ny) return;
    int up = i - 1 >= 0 ? i - 1 : nx - 1, down = i + 1 < nx ? i + 1 : 0, left = j - 1 >= 0 ? j - 1 : ny - 1, right = j + 1 < ny ? j + 1 : 0;
    int beside = IS_BLACK ? (i % 2 ? right : left) : (i % 2 ? left : right);
    signed char sum = 2 * (other[up * ny + j] + other[i * ny + j] + other[down * ny + j] + other[i * ny + beside]) - 4;
    signed char spin = lattice[i * ny + j];
    unsigned r = (unsigned)tid ^ seed;
    for (int k = 0; k < 2; k++) {
        r = (r ^ 61u ^ step) ^ (r >> 16);
        r *= 9u;
        r ^= r >> 4;
        r *= 0x27d4eb2du;
        r ^= r >> 15;
    }
    float chance = expf(-2.0f * beta * sum * spin);
    if ((r >> 8) * (1.0f / 16777216.0f) < chance) lattice[i * ny + j] = -spin;
}

/* kmutate launch
   int queries = 24576, refs = 640, dim = 8; dim3 block = { 96 }; dim3 grid = { ceil_div(queries, 96) };
   int index[16 * queries] = zeros(); float near[16 * queries] = zeros(); float q[dim * queries] = uniform(0, 1); float r[dim * refs] = uniform(0, 1);
   knn_insertion<16, 8>(index, near, q, r, queries, refs);
*/
// The sixteen nearest of all, kept in order by insertion in local memory.
template <int K, int D> __global__ void knn_insertion(int *index, float *near, const float *q, const float *r, int queries, int refs)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= queries) return;
    float mine[D], best[K];
    int which[K];
    for (int d = 0; d < D; d++) mine[d] = q[d * queries + id];
    for (int k = 0; k < K; k++) {
        best[k] = 3.4e38f;
        which[k] = -1;
    }
    for (int i = 0; i < refs; i++) {
        float sum = 0.0f;
        for (int d = 0; d < D; d++) {
            float apart = mine[d] - r[d * refs + i];
            sum += apart * apart;
        }
        if (sum >= best[K - 1]) continue;
        int k = K - 1;
        while (k > 0 && best[k - 1] > sum) {
            best[k] = best[k - 1];
            which[k] = which[k - 1];
            k--;
        }
        best[k] = sum;
        which[k] = i;
    }
    for (int k = 0; k < K; k++) {
        near[k * queries + id] = sqrtf(best[k]);
        index[k * queries + id] = which[k];
    }
}

/* kmutate launch
   int n = 120000, out_degree = 64; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   float volt[n] = uniform(-70, -49.6); float drive[n] = uniform(0, 1); float input[n] = zeros(); int rest[n] = randint(0, 3);
   int synapse[n * out_degree] = randint(0, 120000); float weight[out_degree] = uniform(-0.5, 1);
   spiking_neurons(volt, input, rest, drive, synapse, weight, n, out_degree, -50.0f);
*/
// Neurons that leak, integrate and fire; the few that do reach 64 others by atomics.
__global__ void spiking_neurons(float *volt, float *input, int *rest, const float *drive, const int *synapse, const float *weight, int n,
                                int out_degree, float threshold)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = volt[i];
    if (rest[i] > 0) {
        rest[i]--;
        return;
    }
    v += 0.1f * (-(v + 65.0f) * 0.05f + drive[i]);
    if (v > threshold) {
        for (int s = 0; s < out_degree; s++) atomicAdd(&input[synapse[i * out_degree + s]], weight[s]);
        v = -65.0f;
        rest[i] = 20;
    }
    volt[i] = v;
}

/* kmutate launch
   int n = 3072; dim3 block = { 32, 32 }; dim3 grid = { n / 32, n / 32 };
   float out[n * n] = zeros(); float in[n * n] = uniform(0, 1);
   transpose_conflicts(out, in, n);
*/
__global__ void transpose_conflicts(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

/* kmutate launch
   int n = 12, starts = n * n * n; dim3 block = { 64 }; dim3 grid = { ceil_div(starts, 64) };
   int solutions[starts] = zeros();
   queens_count(solutions, n, starts);
*/
// Queens on a board of 12 x 12: the first three rows are a thread's number, the others are searched with a stack in shared memory.
__global__ void queens_count(int *solutions, int n, int starts)
{
    __shared__ unsigned columns[12][64], left[12][64], right[12][64], open[12][64];
    const int t = threadIdx.x, id = blockIdx.x * 64 + t;
    if (id >= starts) return;
    const unsigned all = (1u << n) - 1;
    unsigned c = 0, l = 0, r = 0;
    for (int row = 0, rest = id; row < 3; row++, rest /= n) {
        unsigned bit = 1u << rest % n;
        if (bit & (c | l | r)) {
            solutions[id] = 0;
            return;
        }
        c |= bit;
        l = (l | bit) << 1 & all;
        r = (r | bit) >> 1;
    }
    int depth = 0, found = 0;
    columns[0][t] = c;
    left[0][t] = l;
    right[0][t] = r;
    open[0][t] = all & ~(c | l | r);
    while (depth >= 0) {
        unsigned places = open[depth][t];
        if (places == 0) {
            depth--;
            continue;
        }
        unsigned bit = places & -places;
        open[depth][t] = places ^ bit;
        if (depth == n - 4) {
            found++;
            continue;
        }
        c = columns[depth][t] | bit;
        l = (left[depth][t] | bit) << 1 & all;
        r = (right[depth][t] | bit) >> 1;
        depth++;
        columns[depth][t] = c;
        left[depth][t] = l;
        right[depth][t] = r;
        open[depth][t] = all & ~(c | l | r);
    }
    solutions[id] = found;
}

/* kmutate launch
   int n = 4096 * 1024; dim3 block = { 1024 }; dim3 grid = { n / 1024 };
   int out[n] = zeros(); int cursors[2] = { 0, 4194304 }; int in[n] = randint(0, 1000000);
   quick_partition(out, cursors, in, 437000);
*/
// Less to the left end, the rest to the right end: places in a block by ballots and a sum over warps, room by two atomics a block.
__global__ void quick_partition(int *out, int *cursors, const int *in, int pivot)
{
    __shared__ int less_of[32], base_less, base_more;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, v = in[blockIdx.x * 1024 + t];
    const bool less = v < pivot;
    const unsigned who = __ballot_sync(0xffffffffu, less);
    if (lane == 0) less_of[warp] = __popc(who);
    __syncthreads();
    if (warp == 0) {
        int mine = less_of[lane], sum = mine;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += other;
        }
        less_of[lane] = sum - mine;
        if (lane == 31) {
            base_less = atomicAdd(&cursors[0], sum);
            base_more = atomicSub(&cursors[1], 1024 - sum);
        }
    }
    __syncthreads();
    const int rank = less_of[warp] + __popc(who & ((1u << lane) - 1));
    const int to = less ? base_less + rank : base_more - 1 - (t - rank);
    out[to & 4194303] = v;
}

/* kmutate launch
   int w = 3840, h = 2160; dim3 block = { 64, 4 }; dim3 grid = { w / 64, h / 4 };
   unsigned char edge[w * h] = zeros(); short gx[w * h] = randint(-1000, 1000); short gy[w * h] = randint(-1000, 1000);
   canny_thin(edge, gx, gy, w, h, 300, 700);
*/
// Only the greatest gradients across an edge stay: weak ones become 1, strong ones 2.
__global__ void canny_thin(unsigned char *edge, const short *gx, const short *gy, int w, int h, int low, int high)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        edge[i] = 0;
        return;
    }
    const int dx = gx[i], dy = gy[i], ax = abs(dx), ay = abs(dy), here = ax + ay;
    unsigned char result = 0;
    if (here > low) {
        int step;
        if (ay * 1000 < ax * 414) step = 1;
        else if (ay * 1000 > ax * 2414) step = w;
        else step = (dx ^ dy) < 0 ? w - 1 : w + 1;
        const int a = abs(gx[i - step]) + abs(gy[i - step]), b = abs(gx[i + step]) + abs(gy[i + step]);
        if (here > a && here >= b) result = here > high ? 2 : 1;
    }
    edge[i] = result;
}

/* kmutate launch
   int w = 1024, h = 1024;
   float2 wind[w * h] = uniform(-3, 3); float ink[w * h] = uniform(0, 1); float out[w * h] = zeros();
   cudaTextureDesc desc = { .addressMode = { cudaAddressModeClamp, cudaAddressModeClamp }, .filterMode = cudaFilterModeLinear };
   cudaTextureObject_t field = texture2D(ink, w, h, desc); dim3 block = { 32, 4 }; dim3 grid = { w / 32, h / 4 };
   advect_ink(out, field, wind, w, 0.8f);
*/
// What the wind brings, by going back along it and a filtered fetch.
__global__ void advect_ink(float *out, cudaTextureObject_t field, const float2 *wind, int w, float dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float2 v = wind[y * w + x];
    out[y * w + x] = 0.999f * tex2D<float>(field, x + 0.5f - dt * v.x, y + 0.5f - dt * v.y);
}

/* kmutate launch
   int w = 1920, h = 1088; dim3 block = { 16, 16 }; dim3 grid = { w / 16, h / 16 };
   extern unsigned char perlin_table[512] = randint(0, 256);
   float out[w * h] = zeros();
   perlin_octaves(out, w, 0.01f, 5);
*/
// Perlin's noise in five octaves; where lanes are in different cells they read different places of constant memory.
__constant__ unsigned char perlin_table[512];
__device__ float perlin_slope(int hash, float x, float y)
{
    float u = hash & 4 ? y : x, v = hash & 4 ? x : y;
    return (hash & 1 ? -u : u) + (hash & 2 ? -2.0f * v : 2.0f * v);
}
__device__ float perlin(float x, float y)
{
    float fx = floorf(x), fy = floorf(y);
    int ix = (int)fx & 255, iy = (int)fy & 255;
    x -= fx;
    y -= fy;
    float u = x * x * x * (x * (x * 6.0f - 15.0f) + 10.0f), v = y * y * y * (y * (y * 6.0f - 15.0f) + 10.0f);
    int a = perlin_table[ix] + iy, b = perlin_table[ix + 1] + iy;
    float n00 = perlin_slope(perlin_table[a & 511], x, y), n10 = perlin_slope(perlin_table[b & 511], x - 1.0f, y);
    float n01 = perlin_slope(perlin_table[(a + 1) & 511], x, y - 1.0f), n11 = perlin_slope(perlin_table[(b + 1) & 511], x - 1.0f, y - 1.0f);
    float top = n00 + u * (n10 - n00), bottom = n01 + u * (n11 - n01);
    return top + v * (bottom - top);
}
__global__ void perlin_octaves(float *out, int w, float scale, int octaves)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f, loud = 1.0f;
    for (int o = 0; o < octaves; o++) {
        sum += loud * perlin(x * scale, y * scale);
        loud *= 0.5f;
        scale *= 2.0f;
    }
    out[y * w + x] = sum;
}

/* kmutate launch
   int n = 1 << 20, dimensions = 4; dim3 block = { 64 }; dim3 grid = { n / 256, dimensions };
   unsigned direction[dimensions * 32] = randint(0, 2147483647); float out[dimensions * n] = zeros();
   sobol_normals(out, direction, n);
*/
// Sobol's numbers from Gray's code, made normal by a rational function (Beasley, Springer and Moro); four a thread.
__device__ float moro(float u)
{
    const float y = u - 0.5f;
    if (fabsf(y) < 0.42f) {
        const float z = y * y;
        return y * (((-25.44106f * z + 41.39119f) * z - 18.615f) * z + 2.5066283f)
               / ((((3.130829f * z - 21.062241f) * z + 23.083368f) * z - 8.4735109f) * z + 1.0f);
    }
    const float z = logf(-logf(y > 0.0f ? 1.0f - u : u));
    const float x = 0.33747548f + z * (0.97616902f + z * (0.16079797f + z * (0.027643881f + z * (0.0038405729f + z * 0.00039518965f))));
    return y > 0.0f ? x : -x;
}
__global__ void sobol_normals(float *out, const unsigned *direction, int n)
{
    __shared__ unsigned v[32];
    if (threadIdx.x < 32) v[threadIdx.x] = direction[blockIdx.y * 32 + threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned gray = i ^ i >> 1, x = 0;
        for (int k = 0; gray != 0; k++, gray >>= 1)
            if (gray & 1) x ^= v[k];
        out[blockIdx.y * n + i] = moro(((x >> 8) + 0.5f) * (1.0f / 16777216.0f));
    }
}

/* kmutate launch
   int n = 300000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   unsigned code[n] = iota(1, 3579); int2 child[n] = zeros(); int parent[2 * n] = zeros();
   lbvh_nodes(child, parent, code, n);
*/
// Karras: which part of the sorted codes a node of the tree covers and where it splits, by common leading bits.
__device__ int common_bits(const unsigned *code, int n, int i, int j)
{
    if (j < 0 || j >= n) return -1;
    unsigned a = code[i], b = code[j];
    return a == b ? 32 + __clz(i ^ j) : __clz(a ^ b);
}
__global__ void lbvh_nodes(int2 *child, int *parent, const unsigned *code, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    int d = common_bits(code, n, i, i + 1) > common_bits(code, n, i, i - 1) ? 1 : -1;
    int least = common_bits(code, n, i, i - d), most = 2;
    while (common_bits(code, n, i, i + most * d) > least) most *= 2;
    int length = 0;
    for (int t = most / 2; t >= 1; t /= 2)
        if (common_bits(code, n, i, i + (length + t) * d) > least) length += t;
    int j = i + length * d, node = common_bits(code, n, i, j), split = 0, t = length;
    do {
        t = (t + 1) / 2;
        if (common_bits(code, n, i, i + (split + t) * d) > node) split += t;
    } while (t > 1);
    int gamma = i + split * d + min(d, 0);
    int left = min(i, j) == gamma ? gamma + n - 1 : gamma, right = max(i, j) == gamma + 1 ? gamma + n : gamma + 1;
    child[i] = make_int2(left, right);
    parent[left] = i;
    parent[right] = i;
}

/* kmutate launch
   int sets = 12000, items = 500, words = 1000; dim3 block = { 128 }; dim3 grid = { sets };
   int support[sets] = zeros(); short member[sets * 4] = randint(0, 500); unsigned bits[items * words] = randint(0, 2147483647);
   itemset_support(support, (const short4 *)member, bits, words);
*/
// Data mining: in how many transactions four things occur together; a bit a transaction, a set a block.
__global__ void itemset_support(int *support, const short4 *member, const unsigned *bits, int words)
{
    __shared__ int part[4];
    const short4 m = member[blockIdx.x];
    int sum = 0;
    for (int w = threadIdx.x; w < words; w += blockDim.x)
        sum += __popc(bits[m.x * words + w] & bits[m.y * words + w] & bits[m.z * words + w] & bits[m.w * words + w]);
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) support[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

/* kmutate launch
   int rows = 40000, features = 28, trees = 60, depth = 8, inner = (1 << depth) - 1; dim3 block = { 256 }; dim3 grid = { ceil_div(rows, 256) };
   float score[rows] = zeros(); float x[rows * features] = uniform(0, 1); unsigned char feature[trees * inner] = randint(0, 28);
   float threshold[trees * inner] = uniform(0.2, 0.8); float leaf[trees * (inner + 1)] = uniform(-0.1, 0.1);
   forest_predict(score, x, feature, threshold, leaf, rows, features, trees, depth);
*/
// Sixty trees of decisions, eight levels deep; which feature is asked for depends on the answers before.
__global__ void forest_predict(float *score, const float *x, const unsigned char *feature, const float *threshold, const float *leaf, int rows,
                               int features, int trees, int depth)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, inner = (1 << depth) - 1;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int tree = 0; tree < trees; tree++) {
        int node = 0;
        for (int level = 0; level < depth; level++)
            node = 2 * node + 1 + (x[row * features + feature[tree * inner + node]] > threshold[tree * inner + node]);
        sum += leaf[tree * (inner + 1) + node - inner];
    }
    score[row] = 1.0f / (1.0f + expf(-sum));
}

/* kmutate launch
   int pairs = 1100, length = 224; dim3 block = { 224 }; dim3 grid = { pairs };
   float cost[pairs] = zeros(); float a[pairs * length] = uniform(0, 1); float b[pairs * length] = uniform(0, 1);
   time_warping(cost, a, b, length);
*/
// Dynamic time warping of two series, a pair a block: antidiagonals in three turns of shared memory, seven warps wait for each other.
__global__ void time_warping(float *cost, const float *a, const float *b, int length)
{
    __shared__ float lines[3][225], other[224];
    const int t = threadIdx.x;
    const float mine = a[blockIdx.x * length + t];
    other[t] = b[blockIdx.x * length + t];
    for (int k = 0; k < 3; k++) lines[k][t + 1] = 1e30f;
    if (t == 0)
        for (int k = 0; k < 3; k++) lines[k][0] = k == 0 ? 0.0f : 1e30f;
    __syncthreads();
    int before = 0, last = 1, now = 2;
    for (int step = 0; step < 2 * length - 1; step++) {
        const int j = step - t;
        if (j >= 0 && j < length) {
            float d = mine - other[j];
            lines[now][t + 1] = d * d + fminf(lines[before][t], fminf(lines[last][t], lines[last][t + 1]));
        } else
            lines[now][t + 1] = 1e30f;
        __syncthreads();
        if (step == 0 && t == 0) lines[before][0] = 1e30f;
        int old = before;
        before = last;
        last = now;
        now = old;
        __syncthreads();
    }
    if (t == length - 1) cost[blockIdx.x] = sqrtf(lines[last][length]);
}
