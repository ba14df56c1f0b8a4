// A collection of kernels from scientific codes and from deep learning / imaging codes.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

// ---------------------------------------------------------------------------------------------
// Part one: scientific computing
// ---------------------------------------------------------------------------------------------

// ---- Compressible Euler equations, MUSCL-Hancock with HLL fluxes, sweep along x ------------------

#define EULER_THREADS 128
#define EULER_CELLS (EULER_THREADS - 4)
#define EULER_GAMMA 1.4f

struct Prim {
    float r, u, v, p;
};

__device__ __forceinline__ float minmod(float a, float b)
{
    if (a * b <= 0.f)
        return 0.f;
    return fabsf(a) < fabsf(b) ? a : b;
}

__device__ __forceinline__ float pressure_of(float r, float mx, float my, float e)
{
    return fmaxf((EULER_GAMMA - 1.f) * (e - 0.5f * (mx * mx + my * my) / r), 1e-6f);
}

__device__ __forceinline__ void hll(const Prim &l, const Prim &r, float f[4])
{
    float cl = sqrtf(EULER_GAMMA * l.p / l.r), cr = sqrtf(EULER_GAMMA * r.p / r.r);
    float sl = fminf(l.u - cl, r.u - cr), sr = fmaxf(l.u + cl, r.u + cr);
    float el = l.p / (EULER_GAMMA - 1.f) + 0.5f * l.r * (l.u * l.u + l.v * l.v);
    float er = r.p / (EULER_GAMMA - 1.f) + 0.5f * r.r * (r.u * r.u + r.v * r.v);
    float ul[4] = {l.r, l.r * l.u, l.r * l.v, el};
    float ur[4] = {r.r, r.r * r.u, r.r * r.v, er};
    float fl[4] = {ul[1], ul[1] * l.u + l.p, ul[2] * l.u, (el + l.p) * l.u};
    float fr[4] = {ur[1], ur[1] * r.u + r.p, ur[2] * r.u, (er + r.p) * r.u};
    if (sl >= 0.f) {
        for (int k = 0; k < 4; k++) f[k] = fl[k];
    } else if (sr <= 0.f) {
        for (int k = 0; k < 4; k++) f[k] = fr[k];
    } else {
        float inv = 1.f / (sr - sl);
        for (int k = 0; k < 4; k++)
            f[k] = (sr * fl[k] - sl * fr[k] + sl * sr * (ur[k] - ul[k])) * inv;
    }
}

/* kmutate launch
   int nx = 4096, ny = 2048;
   dim3 grid = { (nx + 123) / 124, ny }, block = { 128 };
   float rho[nx * ny] = uniform(0.8, 1.2);
   float momx[nx * ny] = uniform(-0.5, 0.5);
   float momy[nx * ny] = uniform(-0.5, 0.5);
   float energy[nx * ny] = uniform(2.0, 3.0);
   float rho_new[nx * ny] = zeros();
   float momx_new[nx * ny] = zeros();
   float momy_new[nx * ny] = zeros();
   float energy_new[nx * ny] = zeros();
   sweep_euler_rows_with_muscl_hancock_hll(rho, momx, momy, energy, rho_new, momx_new, momy_new, energy_new, nx, 0.2f);
*/
__global__ void sweep_euler_rows_with_muscl_hancock_hll(const float *rho, const float *momx, const float *momy,
                                                        const float *energy, float *rho_new, float *momx_new,
                                                        float *momy_new, float *energy_new, int nx, float dtdx)
{
    __shared__ float w[4][EULER_THREADS];
    __shared__ float right[4][EULER_THREADS];
    __shared__ float flux[4][EULER_THREADS];

    int t = threadIdx.x;
    int i = blockIdx.x * EULER_CELLS + t - 2;
    int ic = min(max(i, 0), nx - 1);
    size_t at = (size_t)blockIdx.y * nx + ic;

    float r = rho[at], mx = momx[at], my = momy[at], e = energy[at];
    w[0][t] = r;
    w[1][t] = mx / r;
    w[2][t] = my / r;
    w[3][t] = pressure_of(r, mx, my, e);
    __syncthreads();

    Prim left_face = {1.f, 0.f, 0.f, 1.f};
    if (t >= 1 && t < EULER_THREADS - 1) {
        float c[4], d[4];
        for (int k = 0; k < 4; k++) {
            c[k] = w[k][t];
            d[k] = minmod(c[k] - w[k][t - 1], w[k][t + 1] - c[k]);
        }
        // half step in primitive variables
        float h = 0.5f * dtdx;
        float pr = c[0] - h * (c[1] * d[0] + c[0] * d[1]);
        float pu = c[1] - h * (c[1] * d[1] + d[3] / c[0]);
        float pv = c[2] - h * c[1] * d[2];
        float pp = c[3] - h * (EULER_GAMMA * c[3] * d[1] + c[1] * d[3]);
        left_face.r = fmaxf(pr - 0.5f * d[0], 1e-4f);
        left_face.u = pu - 0.5f * d[1];
        left_face.v = pv - 0.5f * d[2];
        left_face.p = fmaxf(pp - 0.5f * d[3], 1e-6f);
        right[0][t] = fmaxf(pr + 0.5f * d[0], 1e-4f);
        right[1][t] = pu + 0.5f * d[1];
        right[2][t] = pv + 0.5f * d[2];
        right[3][t] = fmaxf(pp + 0.5f * d[3], 1e-6f);
    }
    __syncthreads();

    if (t >= 2 && t < EULER_THREADS - 1) {
        Prim l = {right[0][t - 1], right[1][t - 1], right[2][t - 1], right[3][t - 1]};
        float f[4];
        hll(l, left_face, f);
        for (int k = 0; k < 4; k++)
            flux[k][t] = f[k];
    }
    __syncthreads();

    if (t >= 2 && t < EULER_THREADS - 2 && i < nx) {
        rho_new[at] = r - dtdx * (flux[0][t + 1] - flux[0][t]);
        momx_new[at] = mx - dtdx * (flux[1][t + 1] - flux[1][t]);
        momy_new[at] = my - dtdx * (flux[2][t + 1] - flux[2][t]);
        energy_new[at] = e - dtdx * (flux[3][t + 1] - flux[3][t]);
    }
}

// ---- Tridiagonal systems, interleaved -------------------------------------------------------------

/* kmutate launch
   int systems = 65536, levels = 96;
   dim3 grid = { (systems + 127) / 128 }, block = { 128 };
   double lower[systems * levels] = uniform(-0.5, 0);
   double diag[systems * levels] = uniform(1.5, 2.5);
   double upper[systems * levels] = uniform(-0.5, 0);
   double rhs[systems * levels] = normal();
   double cprime[systems * levels] = zeros();
   double solution[systems * levels] = zeros();
   solve_vertical_diffusion_columns_by_thomas(lower, diag, upper, rhs, cprime, solution, systems, levels);
*/
__global__ void solve_vertical_diffusion_columns_by_thomas(const double *lower, const double *diag,
                                                           const double *upper, const double *rhs, double *cprime,
                                                           double *solution, int systems, int levels)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= systems)
        return;

    double inv = 1.0 / diag[col];
    double c = upper[col] * inv;
    double d = rhs[col] * inv;
    cprime[col] = c;
    solution[col] = d;
    for (int k = 1; k < levels; k++) {
        int at = k * systems + col;
        double a = lower[at];
        inv = 1.0 / (diag[at] - a * c);
        c = upper[at] * inv;
        d = (rhs[at] - a * d) * inv;
        cprime[at] = c;
        solution[at] = d;
    }
    for (int k = levels - 2; k >= 0; k--) {
        int at = k * systems + col;
        d = solution[at] - cprime[at] * d;
        solution[at] = d;
    }
}

// ---- Sparse matrix in SELL-32 format, complex double -----------------------------------------------

/* kmutate launch
   int slices = 8192, lo = 8, hi = 40;
   int rows = slices * 32;
   int entries = 32 * csr_nnz(slices, lo, hi);
   dim3 grid = { (rows + 255) / 256 }, block = { 256 };
   int slice_start[slices + 1] = csr_rowptr(slices, lo, hi);
   int column[entries] = randint(0, rows);
   double2 value[entries] = uniform(-1, 1);
   double2 x[rows] = normal();
   double2 y[rows] = zeros();
   multiply_shifted_hamiltonian_in_sliced_ellpack(slice_start, column, value, x, y, rows, make_double2(0.25, -0.01));
*/
__global__ void multiply_shifted_hamiltonian_in_sliced_ellpack(const int *__restrict__ slice_start,
                                                               const int *__restrict__ column,
                                                               const double2 *__restrict__ value,
                                                               const double2 *__restrict__ x,
                                                               double2 *__restrict__ y, int rows, double2 shift)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int slice = row >> 5;
    int lane = row & 31;
    int begin = slice_start[slice];
    int end = slice_start[slice + 1];

    double re = 0.0, im = 0.0;
    for (int j = begin; j < end; j++) {
        int at = j * 32 + lane;
        double2 a = value[at];
        double2 b = x[column[at]];
        re += a.x * b.x - a.y * b.y;
        im += a.x * b.y + a.y * b.x;
    }
    double2 own = x[row];
    re -= shift.x * own.x - shift.y * own.y;
    im -= shift.x * own.y + shift.y * own.x;
    y[row] = make_double2(re, im);
}

// ---- Lattice Boltzmann, D2Q9, two relaxation times, pull scheme --------------------------------------

__constant__ float lbm_weight[9] = {4.f / 9.f,  1.f / 9.f,  1.f / 9.f,  1.f / 9.f, 1.f / 9.f,
                                    1.f / 36.f, 1.f / 36.f, 1.f / 36.f, 1.f / 36.f};

/* kmutate launch
   int width = 3072, height = 1536;
   dim3 grid = { width / 128, height }, block = { 128 };
   float f_in[9 * width * height] = uniform(0.05, 0.15);
   float f_out[9 * width * height] = zeros();
   unsigned char kind[width * height] = randint(0, 12);
   stream_and_collide_porous_flow_d2q9_trt(f_in, f_out, kind, width, height, 1.2f, 0.9f, 1e-5f);
*/
__global__ void stream_and_collide_porous_flow_d2q9_trt(const float *f_in, float *f_out, const unsigned char *kind,
                                                        int width, int height, float omega_plus, float omega_minus,
                                                        float force_x)
{
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    const int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= width)
        return;
    int cells = width * height;
    int cell = y * width + x;

    float f[9];
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int sx = x - ex[q], sy = y - ey[q];
        if (sx < 0) sx += width;
        if (sx >= width) sx -= width;
        if (sy < 0) sy += height;
        if (sy >= height) sy -= height;
        f[q] = f_in[q * cells + sy * width + sx];
    }

    if (kind[cell] == 0) {
        // solid: full-way bounce back
#pragma unroll
        for (int q = 0; q < 9; q++)
            f_out[q * cells + cell] = f[opposite[q]];
        return;
    }

    float rho = 0.f, ux = 0.f, uy = 0.f;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        rho += f[q];
        ux += ex[q] * f[q];
        uy += ey[q] * f[q];
    }
    ux = ux / rho + 0.5f * force_x;
    uy = uy / rho;
    float usq = 1.5f * (ux * ux + uy * uy);

    float eq[9];
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float eu = 3.f * (ex[q] * ux + ey[q] * uy);
        eq[q] = lbm_weight[q] * rho * (1.f + eu + 0.5f * eu * eu - usq);
    }
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int o = opposite[q];
        float plus = 0.5f * (f[q] + f[o]) - 0.5f * (eq[q] + eq[o]);
        float minus = 0.5f * (f[q] - f[o]) - 0.5f * (eq[q] - eq[o]);
        f_out[q * cells + cell] =
            f[q] - omega_plus * plus - omega_minus * minus + 3.f * lbm_weight[q] * ex[q] * force_x;
    }
}

// ---- Local alignment with affine gaps, a warp for each pair -----------------------------------------

#define QUERY_LENGTH 128
#define ROWS_PER_LANE 4

/* kmutate launch
   int pairs = 12000, target_length = 224;
   dim3 grid = { (pairs + 3) / 4 }, block = { 128 };
   uint8_t query[pairs * 128] = randint(0, 4);
   uint8_t target[pairs * target_length] = randint(0, 4);
   int best[pairs] = zeros();
   align_short_reads_locally_with_affine_gaps(query, target, best, pairs, target_length, 2, -3, 5, 2);
*/
__global__ void align_short_reads_locally_with_affine_gaps(const uint8_t *query, const uint8_t *target, int *best,
                                                           int pairs, int target_length, int match, int mismatch,
                                                           int gap_open, int gap_extend)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp >= pairs)
        return;

    uchar4 letters = reinterpret_cast<const uchar4 *>(query + (size_t)warp * QUERY_LENGTH)[lane];
    int q[ROWS_PER_LANE] = {letters.x, letters.y, letters.z, letters.w};
    const uint8_t *letters_of_target = target + (size_t)warp * target_length;

    const int minus_infinity = -(1 << 20);
    int h[ROWS_PER_LANE], e[ROWS_PER_LANE];
    for (int r = 0; r < ROWS_PER_LANE; r++) {
        h[r] = 0;
        e[r] = minus_infinity;
    }
    int last_h = 0, last_f = minus_infinity;
    int diagonal_above = 0;
    int letter = 0;
    int top = 0;

    for (int step = 0; step < target_length + 31; step++) {
        int above_h = __shfl_up_sync(0xffffffffu, last_h, 1);
        int above_f = __shfl_up_sync(0xffffffffu, last_f, 1);
        letter = __shfl_up_sync(0xffffffffu, letter, 1);
        if (lane == 0) {
            above_h = 0;
            above_f = minus_infinity;
            letter = step < target_length ? letters_of_target[step] : 4;
        }
        int column = step - lane;
        if (column >= 0 && column < target_length) {
            int diagonal = diagonal_above;
            int up = above_h, f = above_f;
#pragma unroll
            for (int r = 0; r < ROWS_PER_LANE; r++) {
                e[r] = max(e[r] - gap_extend, h[r] - gap_open);
                f = max(f - gap_extend, up - gap_open);
                int score = diagonal + (q[r] == letter ? match : mismatch);
                score = max(max(score, 0), max(e[r], f));
                diagonal = h[r];
                h[r] = score;
                up = score;
                top = max(top, score);
            }
            last_h = up;
            last_f = f;
            diagonal_above = above_h;
        }
    }
    for (int offset = 16; offset > 0; offset >>= 1)
        top = max(top, __shfl_xor_sync(0xffffffffu, top, offset));
    if (lane == 0)
        best[warp] = top;
}

// ---- Monte Carlo transport of light in layered tissue --------------------------------------------------

struct TissueLayer {
    float bottom, mu_absorb, mu_scatter, anisotropy;
};

__constant__ TissueLayer tissue[4] = {
    {6.f, 0.02f, 1.2f, 0.80f}, {20.f, 0.05f, 0.8f, 0.75f}, {36.f, 0.10f, 0.9f, 0.85f}, {64.f, 0.03f, 0.5f, 0.90f}};

__device__ __forceinline__ float next_uniform(uint32_t &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 8) * (1.f / 16777216.f) + 2.9802322e-8f;
}

/* kmutate launch
   int photons = 405504, side = 128, depth = 64;
   dim3 grid = { (photons + 191) / 192 }, block = { 192 };
   uint32_t seeds[photons] = randint(1, 1u << 31);
   float absorbed[side * side * depth] = zeros();
   float escaped[side * side] = zeros();
   trace_photon_packets_through_layered_tissue(seeds, absorbed, escaped, photons, side, depth, 48);
*/
__global__ void trace_photon_packets_through_layered_tissue(const uint32_t *seeds, float *absorbed, float *escaped,
                                                            int photons, int side, int depth, int max_steps)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= photons)
        return;

    uint32_t state = seeds[id];
    float x = next_uniform(state) * side;
    float y = next_uniform(state) * side;
    float z = 0.f;
    float dx = 0.f, dy = 0.f, dz = 1.f;
    float weight = 1.f;

    for (int step = 0; step < max_steps; step++) {
        int layer = 0;
        while (layer < 3 && z >= tissue[layer].bottom)
            layer++;
        float mu_a = tissue[layer].mu_absorb;
        float mu_t = mu_a + tissue[layer].mu_scatter;
        float length = -logf(next_uniform(state)) / mu_t;
        x += dx * length;
        y += dy * length;
        z += dz * length;

        int ix = (int)floorf(x), iy = (int)floorf(y), iz = (int)floorf(z);
        if (z < 0.f) {
            if (ix >= 0 && ix < side && iy >= 0 && iy < side)
                atomicAdd(&escaped[iy * side + ix], weight);
            break;
        }
        if (ix < 0 || ix >= side || iy < 0 || iy >= side || iz >= depth)
            break;

        float deposit = weight * mu_a / mu_t;
        weight -= deposit;
        atomicAdd(&absorbed[(iz * side + iy) * side + ix], deposit);
        if (weight < 0.02f)
            break;

        // Henyey-Greenstein
        float g = tissue[layer].anisotropy;
        float s = (1.f - g * g) / (1.f - g + 2.f * g * next_uniform(state));
        float cost = (1.f + g * g - s * s) / (2.f * g);
        cost = fminf(fmaxf(cost, -1.f), 1.f);
        float sint = sqrtf(1.f - cost * cost);
        float sinp, cosp;
        sincosf(6.2831853f * next_uniform(state), &sinp, &cosp);
        if (fabsf(dz) > 0.9999f) {
            dx = sint * cosp;
            dy = sint * sinp;
            dz = dz > 0.f ? cost : -cost;
        } else {
            float root = sqrtf(1.f - dz * dz);
            float nx = sint * (dx * dz * cosp - dy * sinp) / root + dx * cost;
            float ny = sint * (dy * dz * cosp + dx * sinp) / root + dy * cost;
            float nz = -sint * cosp * root + dz * cost;
            dx = nx;
            dy = ny;
            dz = nz;
        }
    }
}

// ---- Embedded atom method: electron density and embedding derivative ------------------------------------

/* kmutate launch
   int atoms = 294912, knots = 1000, max_neighbors = 64;
   dim3 grid = { (atoms + 127) / 128 }, block = { 128 };
   float4 position[atoms] = uniform(0, 7);
   short neighbor_delta[max_neighbors * atoms] = randint(-3000, 3000);
   int neighbor_count[atoms] = randint(36, 64);
   float4 density_spline[2 * knots] = uniform(0, 0.1);
   float4 embedding_spline[knots] = uniform(-1, 0);
   float density[atoms] = zeros();
   float embedding_derivative[atoms] = zeros();
   evaluate_embedded_atom_host_density_from_neighbor_deltas(position, neighbor_delta, neighbor_count, density_spline, embedding_spline, density, embedding_derivative, atoms, knots, 7.f, 3.2f);
*/
__global__ void evaluate_embedded_atom_host_density_from_neighbor_deltas(
    const float4 *__restrict__ position, const short *__restrict__ neighbor_delta,
    const int *__restrict__ neighbor_count, const float4 *__restrict__ density_spline,
    const float4 *__restrict__ embedding_spline, float *__restrict__ density,
    float *__restrict__ embedding_derivative, int atoms, int knots, float box, float cutoff)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms)
        return;

    float4 pi = position[i];
    float half_box = 0.5f * box;
    float cutsq = cutoff * cutoff;
    float to_knot = (knots - 1) / cutoff;
    float rho = 0.f;
    int count = neighbor_count[i];
    for (int k = 0; k < count; k++) {
        int j = i + neighbor_delta[k * atoms + i];
        if (j < 0)
            j += atoms;
        else if (j >= atoms)
            j -= atoms;
        float4 pj = position[j];
        float dx = pi.x - pj.x, dy = pi.y - pj.y, dz = pi.z - pj.z;
        if (dx > half_box) dx -= box;
        if (dx < -half_box) dx += box;
        if (dy > half_box) dy -= box;
        if (dy < -half_box) dy += box;
        if (dz > half_box) dz -= box;
        if (dz < -half_box) dz += box;
        float rsq = dx * dx + dy * dy + dz * dz;
        if (rsq < cutsq) {
            float p = sqrtf(rsq) * to_knot;
            int m = min((int)p, knots - 1);
            p -= m;
            int type = pj.w < half_box ? 0 : 1;
            float4 c = density_spline[type * knots + m];
            rho += ((c.x * p + c.y) * p + c.z) * p + c.w;
        }
    }
    density[i] = rho;
    float p = rho * 10.f;
    int m = max(min((int)p, knots - 1), 0);
    p = fminf(p - m, 1.f);
    float4 c = embedding_spline[m];
    embedding_derivative[i] = (3.f * c.x * p + 2.f * c.y) * p + c.z;
}

// ---- Breadth first search, bottom-up step ------------------------------------------------------------------

/* kmutate launch
   int vertices = 2097152, lo = 2, hi = 30;
   int edges = csr_nnz(vertices, lo, hi);
   dim3 grid = { (vertices + 255) / 256 }, block = { 256 };
   int row_start[vertices + 1] = csr_rowptr(vertices, lo, hi);
   int parent_of[edges] = randint(0, vertices);
   unsigned frontier[vertices / 32] = randint(0, 16);
   unsigned next_frontier[vertices / 32] = zeros();
   int level[vertices] = randint(-1, 2);
   int discovered[1] = zeros();
   search_parents_bottom_up_in_frontier_bitmap(row_start, parent_of, frontier, next_frontier, level, discovered, vertices, 5);
*/
__global__ void search_parents_bottom_up_in_frontier_bitmap(const int *row_start, const int *parent_of,
                                                            const unsigned *frontier, unsigned *next_frontier,
                                                            int *level, int *discovered, int vertices, int depth)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    bool found = false;
    if (v < vertices && level[v] < 0) {
        int end = row_start[v + 1];
        for (int e = row_start[v]; e < end; e++) {
            int u = parent_of[e];
            if (frontier[u >> 5] >> (u & 31) & 1u) {
                found = true;
                break;
            }
        }
        if (found)
            level[v] = depth;
    }
    unsigned votes = __ballot_sync(0xffffffffu, found);
    if ((threadIdx.x & 31) == 0 && votes != 0) {
        next_frontier[v >> 5] = votes;
        atomicAdd(discovered, __popc(votes));
    }
}

// ---- Particle in cell: relativistic Boris push, bilinear field gather -------------------------------------

/* kmutate launch
   int particles = 3000000, nx = 512, ny = 512;
   dim3 grid = { (particles + 255) / 256 }, block = { 256 };
   double px[particles] = uniform(0, 512);
   double py[particles] = ascending(0, 512);
   double ux[particles] = normal();
   double uy[particles] = normal();
   double uz[particles] = normal();
   double field[6 * nx * ny] = uniform(-1, 1);
   push_relativistic_electrons_with_boris_rotation(px, py, ux, uy, uz, field, particles, nx, ny, 0.05);
*/
__global__ void push_relativistic_electrons_with_boris_rotation(double *px, double *py, double *ux, double *uy,
                                                                double *uz, const double *field, int particles,
                                                                int nx, int ny, double dt)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= particles)
        return;

    double x = px[p], y = py[p];
    int i = min((int)x, nx - 1), j = min((int)y, ny - 1);
    double fx = x - i, fy = y - j;
    int i1 = i + 1 == nx ? 0 : i + 1;
    int j1 = j + 1 == ny ? 0 : j + 1;
    double w00 = (1 - fx) * (1 - fy), w10 = fx * (1 - fy), w01 = (1 - fx) * fy, w11 = fx * fy;

    double em[6];
    for (int c = 0; c < 6; c++) {
        const double *f = field + c * nx * ny;
        em[c] = w00 * f[j * nx + i] + w10 * f[j * nx + i1] + w01 * f[j1 * nx + i] + w11 * f[j1 * nx + i1];
    }

    double h = -0.5 * dt;
    double vx = ux[p] + h * em[0];
    double vy = uy[p] + h * em[1];
    double vz = uz[p] + h * em[2];
    double gamma = sqrt(1.0 + vx * vx + vy * vy + vz * vz);
    double tx = h * em[3] / gamma, ty = h * em[4] / gamma, tz = h * em[5] / gamma;
    double s = 2.0 / (1.0 + tx * tx + ty * ty + tz * tz);
    double wx = vx + (vy * tz - vz * ty);
    double wy = vy + (vz * tx - vx * tz);
    double wz = vz + (vx * ty - vy * tx);
    vx += s * (wy * tz - wz * ty) + h * em[0];
    vy += s * (wz * tx - wx * tz) + h * em[1];
    vz += s * (wx * ty - wy * tx) + h * em[2];

    gamma = sqrt(1.0 + vx * vx + vy * vy + vz * vz);
    x += dt * vx / gamma;
    y += dt * vy / gamma;
    if (x < 0) x += nx;
    if (x >= nx) x -= nx;
    if (y < 0) y += ny;
    if (y >= ny) y -= ny;
    px[p] = x;
    py[p] = y;
    ux[p] = vx;
    uy[p] = vy;
    uz[p] = vz;
}

// ---- Batched 1024-point FFT, Stockham, radix 4 ---------------------------------------------------------------

__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ void fft4(float2 v[4])
{
    float2 a = cadd(v[0], v[2]), b = csub(v[0], v[2]);
    float2 c = cadd(v[1], v[3]), d = csub(v[1], v[3]);
    float2 dj = make_float2(d.y, -d.x);
    v[0] = cadd(a, c);
    v[1] = cadd(b, dj);
    v[2] = csub(a, c);
    v[3] = csub(b, dj);
}

/* kmutate launch
   int batch = 16384;
   dim3 grid = { batch }, block = { 256 };
   float2 signal[batch * 1024] = normal();
   float window[1024] = uniform(0, 1);
   float2 spectrum[batch * 1024] = zeros();
   transform_windowed_radar_pulses_by_stockham_fft(signal, window, spectrum);
*/
__global__ void transform_windowed_radar_pulses_by_stockham_fft(const float2 *signal, const float *window,
                                                                float2 *spectrum)
{
    __shared__ float2 exchange[1024];
    int t = threadIdx.x;
    const float2 *in = signal + (size_t)blockIdx.x * 1024;
    float2 *out = spectrum + (size_t)blockIdx.x * 1024;

    float2 v[4];
    for (int r = 0; r < 4; r++) {
        float w = window[t + r * 256];
        float2 s = in[t + r * 256];
        v[r] = make_float2(s.x * w, s.y * w);
    }

#pragma unroll
    for (int ns = 1; ns < 1024; ns *= 4) {
        int k = t & (ns - 1);
        if (ns > 1) {
            float2 w1;
            sincospif(-0.5f * k / ns, &w1.y, &w1.x);
            float2 w2 = cmul(w1, w1);
            v[1] = cmul(v[1], w1);
            v[2] = cmul(v[2], w2);
            v[3] = cmul(v[3], cmul(w2, w1));
        }
        fft4(v);
        int to = (t - k) * 4 + k;
        if (ns == 256) {
            for (int r = 0; r < 4; r++)
                out[to + r * 256] = v[r];
        } else {
            for (int r = 0; r < 4; r++)
                exchange[to + r * ns] = v[r];
            __syncthreads();
            for (int r = 0; r < 4; r++)
                v[r] = exchange[t + r * 256];
            __syncthreads();
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Part two: deep learning, linear algebra, imaging
// ---------------------------------------------------------------------------------------------

template <typename T>
__device__ __forceinline__ T warp_sum(T v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}

__device__ __forceinline__ float warp_max(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}

template <int WARPS>
__device__ __forceinline__ float block_max(float v, float *scratch)
{
    v = warp_max(v);
    if ((threadIdx.x & 31) == 0)
        scratch[threadIdx.x >> 5] = v;
    __syncthreads();
    float m = scratch[0];
#pragma unroll
    for (int w = 1; w < WARPS; w++)
        m = fmaxf(m, scratch[w]);
    return m;
}

// ---- Weight gradient dW += X^T dY, fp32, 128x128 tile, double buffered ------------------------------------------

#define WG_TILE 128
#define WG_DEPTH 8

/* kmutate launch
   int tokens = 1536, features_in = 1024, features_out = 4096;
   dim3 grid = { features_out / 128, features_in / 128 }, block = { 256 };
   float activations[tokens * features_in] = normal();
   float deltas[tokens * features_out] = normal();
   float gradient[features_in * features_out] = zeros();
   accumulate_weight_gradient_from_activations_and_deltas(activations, deltas, gradient, tokens, features_in, features_out, 0.5f);
*/
__global__ __launch_bounds__(256) void accumulate_weight_gradient_from_activations_and_deltas(
    const float *__restrict__ activations, const float *__restrict__ deltas, float *__restrict__ gradient, int tokens,
    int features_in, int features_out, float scale)
{
    __shared__ __align__(16) float xs[2][WG_DEPTH][WG_TILE];
    __shared__ __align__(16) float ds[2][WG_DEPTH][WG_TILE];

    int t = threadIdx.x;
    int m0 = blockIdx.y * WG_TILE, n0 = blockIdx.x * WG_TILE;
    int load_row = t / 32, load_col = (t % 32) * 4;
    int tm = (t / 16) * 4, tn = (t % 16) * 4;

    const float *xp = activations + (size_t)load_row * features_in + m0 + load_col;
    const float *dp = deltas + (size_t)load_row * features_out + n0 + load_col;

    float acc[8][8] = {};
    float4 xr = *(const float4 *)xp;
    float4 dr = *(const float4 *)dp;
    *(float4 *)&xs[0][load_row][load_col] = xr;
    *(float4 *)&ds[0][load_row][load_col] = dr;
    __syncthreads();

    int buffer = 0;
    for (int k = WG_DEPTH; k <= tokens; k += WG_DEPTH) {
        if (k < tokens) {
            xr = *(const float4 *)(xp + (size_t)k * features_in);
            dr = *(const float4 *)(dp + (size_t)k * features_out);
        }
#pragma unroll
        for (int kk = 0; kk < WG_DEPTH; kk++) {
            float a[8], b[8];
            *(float4 *)&a[0] = *(const float4 *)&xs[buffer][kk][tm];
            *(float4 *)&a[4] = *(const float4 *)&xs[buffer][kk][tm + 64];
            *(float4 *)&b[0] = *(const float4 *)&ds[buffer][kk][tn];
            *(float4 *)&b[4] = *(const float4 *)&ds[buffer][kk][tn + 64];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] += a[i] * b[j];
        }
        if (k < tokens) {
            buffer ^= 1;
            *(float4 *)&xs[buffer][load_row][load_col] = xr;
            *(float4 *)&ds[buffer][load_row][load_col] = dr;
            __syncthreads();
        }
    }

#pragma unroll
    for (int i = 0; i < 8; i++) {
        int row = m0 + tm + (i < 4 ? i : 60 + i);
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            float4 *g = (float4 *)&gradient[(size_t)row * features_out + n0 + tn + (j ? 64 : 0)];
            float4 old = *g;
            old.x += scale * acc[i][j];
            old.y += scale * acc[i][j + 1];
            old.z += scale * acc[i][j + 2];
            old.w += scale * acc[i][j + 3];
            *g = old;
        }
    }
}

// ---- W4A16 matrix-vector product --------------------------------------------------------------------------------

#define Q4_COLS 8192
#define Q4_GROUP 128

/* kmutate launch
   int rows = 28672, cols = 8192;
   dim3 grid = { rows / 8 }, block = { 256 };
   uint32_t packed[rows * (cols / 8)] = randint(0, 4294967295u);
   half scales[rows * (cols / 128)] = uniform(0.001, 0.01);
   uint8_t zeros_of_groups[rows * (cols / 128)] = randint(0, 16);
   half x[cols] = normal();
   half y[rows] = zeros();
   multiply_vector_by_four_bit_grouped_weights((const uint4 *)packed, scales, zeros_of_groups, x, y, rows);
*/
__global__ void multiply_vector_by_four_bit_grouped_weights(const uint4 *__restrict__ packed,
                                                            const half *__restrict__ scales,
                                                            const uint8_t *__restrict__ zeros_of_groups,
                                                            const half *__restrict__ x, half *__restrict__ y, int rows)
{
    __shared__ __align__(16) half xs[Q4_COLS];
    for (int i = threadIdx.x; i < Q4_COLS / 8; i += blockDim.x)
        ((uint4 *)xs)[i] = ((const uint4 *)x)[i];
    __syncthreads();

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + warp;
    if (row >= rows)
        return;

    const uint4 *w = packed + (size_t)row * (Q4_COLS / 32);
    const half *s = scales + (size_t)row * (Q4_COLS / Q4_GROUP);
    const uint8_t *z = zeros_of_groups + (size_t)row * (Q4_COLS / Q4_GROUP);
    float sum = 0.f;
#pragma unroll 2
    for (int c = lane; c < Q4_COLS / 32; c += 32) {
        uint4 q = w[c];
        unsigned words[4] = {q.x, q.y, q.z, q.w};
        float scale = __half2float(s[c / 4]);
        float zero = z[c / 4];
        float part = 0.f;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const half2 *v = (const half2 *)(xs + c * 32 + k * 8);
#pragma unroll
            for (int b = 0; b < 4; b++) {
                float2 f = __half22float2(v[b]);
                float w0 = (float)(words[k] >> (8 * b) & 15u) - zero;
                float w1 = (float)(words[k] >> (8 * b + 4) & 15u) - zero;
                part += w0 * f.x + w1 * f.y;
            }
        }
        sum += part * scale;
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = __float2half(sum);
}

// ---- Decoding attention over a paged cache ------------------------------------------------------------------------

#define PAGE_TOKENS 16
#define HEAD_DIM 128

/* kmutate launch
   int sequences = 32, heads = 16, max_pages = 80;
   dim3 grid = { heads, sequences }, block = { 128 };
   half query[sequences * heads * 128] = normal();
   half key_pages[sequences * max_pages * heads * 16 * 128] = normal();
   half value_pages[sequences * max_pages * heads * 16 * 128] = normal();
   int page_table[sequences * max_pages] = permutation();
   int context_length[sequences] = randint(768, 1280);
   half output[sequences * heads * 128] = zeros();
   attend_single_query_over_paged_key_value_cache(query, key_pages, value_pages, page_table, context_length, output, heads, max_pages, 0.08838835f);
*/
__global__ void attend_single_query_over_paged_key_value_cache(const half *query, const half *key_pages,
                                                               const half *value_pages, const int *page_table,
                                                               const int *context_length, half *output, int heads,
                                                               int max_pages, float scale)
{
    __shared__ float part[4][HEAD_DIM];
    __shared__ float part_max[4], part_sum[4];

    int head = blockIdx.x, seq = blockIdx.y;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int length = context_length[seq];
    const int *pages = page_table + seq * max_pages;

    const half2 *qp = (const half2 *)(query + (seq * heads + head) * HEAD_DIM) + lane * 2;
    float2 q0 = __half22float2(qp[0]), q1 = __half22float2(qp[1]);
    q0.x *= scale;
    q0.y *= scale;
    q1.x *= scale;
    q1.y *= scale;

    float running_max = -1e30f, running_sum = 0.f;
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int token = warp; token < length; token += 4) {
        int page = pages[token / PAGE_TOKENS];
        size_t at = (((size_t)page * heads + head) * PAGE_TOKENS + token % PAGE_TOKENS) * HEAD_DIM;
        uint2 kraw = ((const uint2 *)(key_pages + at))[lane];
        uint2 vraw = ((const uint2 *)(value_pages + at))[lane];
        float2 k0 = __half22float2(*(half2 *)&kraw.x), k1 = __half22float2(*(half2 *)&kraw.y);
        float dot = warp_sum(q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y);

        float m = fmaxf(running_max, dot);
        float keep = __expf(running_max - m);
        float p = __expf(dot - m);
        running_max = m;
        running_sum = running_sum * keep + p;
        float2 v0 = __half22float2(*(half2 *)&vraw.x), v1 = __half22float2(*(half2 *)&vraw.y);
        acc.x = acc.x * keep + p * v0.x;
        acc.y = acc.y * keep + p * v0.y;
        acc.z = acc.z * keep + p * v1.x;
        acc.w = acc.w * keep + p * v1.y;
    }

    part[warp][lane * 4] = acc.x;
    part[warp][lane * 4 + 1] = acc.y;
    part[warp][lane * 4 + 2] = acc.z;
    part[warp][lane * 4 + 3] = acc.w;
    if (lane == 0) {
        part_max[warp] = running_max;
        part_sum[warp] = running_sum;
    }
    __syncthreads();

    float m = fmaxf(fmaxf(part_max[0], part_max[1]), fmaxf(part_max[2], part_max[3]));
    float total = 0.f, value = 0.f;
    for (int w = 0; w < 4; w++) {
        float f = __expf(part_max[w] - m);
        total += f * part_sum[w];
        value += f * part[w][threadIdx.x];
    }
    output[(seq * heads + head) * HEAD_DIM + threadIdx.x] = __float2half(value / total);
}

// ---- Residual add, RMS norm, dynamic int8 quantisation of each token -------------------------------------------------

#define HIDDEN 4096

/* kmutate launch
   int tokens = 8192, hidden = 4096;
   dim3 grid = { tokens }, block = { 256 };
   half residual[tokens * hidden] = normal();
   half branch[tokens * hidden] = normal();
   half gain[hidden] = uniform(0.5, 1.5);
   int8_t quantized[tokens * hidden] = zeros();
   float token_scale[tokens] = zeros();
   add_residual_rms_normalize_and_quantize_tokens_to_int8(residual, branch, gain, quantized, token_scale, 1e-5f);
*/
__global__ void add_residual_rms_normalize_and_quantize_tokens_to_int8(half *__restrict__ residual,
                                                                       const half *__restrict__ branch,
                                                                       const half *__restrict__ gain,
                                                                       int8_t *__restrict__ quantized,
                                                                       float *__restrict__ token_scale, float epsilon)
{
    __shared__ float sums[8], maxima[8];
    size_t base = (size_t)blockIdx.x * HIDDEN;
    int t = threadIdx.x;

    float v[16];
    float square = 0.f;
#pragma unroll
    for (int c = 0; c < 2; c++) {
        int at = (c * 256 + t) * 8;
        uint4 a = *(const uint4 *)(residual + base + at);
        uint4 b = *(const uint4 *)(branch + base + at);
        half2 *ah = (half2 *)&a, *bh = (half2 *)&b;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            ah[k] = __hadd2(ah[k], bh[k]);
            float2 f = __half22float2(ah[k]);
            v[c * 8 + 2 * k] = f.x;
            v[c * 8 + 2 * k + 1] = f.y;
            square += f.x * f.x + f.y * f.y;
        }
        *(uint4 *)(residual + base + at) = a;
    }
    square = warp_sum(square);
    if ((t & 31) == 0)
        sums[t >> 5] = square;
    __syncthreads();
    square = 0.f;
    for (int w = 0; w < 8; w++)
        square += sums[w];
    float inv = rsqrtf(square / HIDDEN + epsilon);

    float largest = 0.f;
#pragma unroll
    for (int c = 0; c < 2; c++) {
        uint4 g = *(const uint4 *)(gain + (c * 256 + t) * 8);
        half2 *gh = (half2 *)&g;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 f = __half22float2(gh[k]);
            v[c * 8 + 2 * k] *= inv * f.x;
            v[c * 8 + 2 * k + 1] *= inv * f.y;
            largest = fmaxf(largest, fmaxf(fabsf(v[c * 8 + 2 * k]), fabsf(v[c * 8 + 2 * k + 1])));
        }
    }
    largest = block_max<8>(largest, maxima);
    float to_int = largest > 0.f ? 127.f / largest : 0.f;
    if (t == 0)
        token_scale[blockIdx.x] = largest / 127.f;

#pragma unroll
    for (int c = 0; c < 2; c++) {
        char4 lo, hi;
        const float *p = v + c * 8;
        lo.x = (signed char)__float2int_rn(p[0] * to_int);
        lo.y = (signed char)__float2int_rn(p[1] * to_int);
        lo.z = (signed char)__float2int_rn(p[2] * to_int);
        lo.w = (signed char)__float2int_rn(p[3] * to_int);
        hi.x = (signed char)__float2int_rn(p[4] * to_int);
        hi.y = (signed char)__float2int_rn(p[5] * to_int);
        hi.z = (signed char)__float2int_rn(p[6] * to_int);
        hi.w = (signed char)__float2int_rn(p[7] * to_int);
        char4 *out = (char4 *)(quantized + base + (c * 256 + t) * 8);
        out[0] = lo;
        out[1] = hi;
    }
}

// ---- Depthwise 7x7 convolution, NHWC ------------------------------------------------------------------------------------

/* kmutate launch
   int images = 16, height = 56, width = 56, channels = 384;
   dim3 grid = { channels / 64, width / 4, images * height / 4 }, block = { 64, 4 };
   float input[images * height * width * channels] = normal();
   float weight[49 * channels] = normal(0, 0.1);
   float bias[channels] = normal(0, 0.1);
   float output[images * height * width * channels] = zeros();
   convolve_depthwise_seven_by_seven_channels_last(input, weight, bias, output, height, width, channels);
*/
__global__ void convolve_depthwise_seven_by_seven_channels_last(const float *__restrict__ input,
                                                                const float *__restrict__ weight,
                                                                const float *__restrict__ bias,
                                                                float *__restrict__ output, int height, int width,
                                                                int channels)
{
    int c = blockIdx.x * 64 + threadIdx.x;
    int x0 = blockIdx.y * 4;
    int row = blockIdx.z * 4 + threadIdx.y;
    int image = row / height, y = row % height;
    const float *in = input + (size_t)image * height * width * channels + c;

    float b = bias[c];
    float acc[4] = {b, b, b, b};
    for (int ky = 0; ky < 7; ky++) {
        int iy = y + ky - 3;
        if (iy < 0 || iy >= height)
            continue;
        float v[10];
#pragma unroll
        for (int i = 0; i < 10; i++) {
            int ix = x0 + i - 3;
            v[i] = ix >= 0 && ix < width ? in[(iy * width + ix) * channels] : 0.f;
        }
#pragma unroll
        for (int kx = 0; kx < 7; kx++) {
            float w = weight[(ky * 7 + kx) * channels + c];
#pragma unroll
            for (int o = 0; o < 4; o++)
                acc[o] += w * v[o + kx];
        }
    }
    float *out = output + ((size_t)(image * height + y) * width + x0) * channels + c;
    for (int o = 0; o < 4; o++)
        out[o * channels] = acc[o];
}

// ---- Adam with eight-bit states in blocks of 2048 ---------------------------------------------------------------------------

/* kmutate launch
   int blocks = 12288;
   int n = blocks * 2048;
   dim3 grid = { blocks }, block = { 256 };
   float parameter[n] = normal();
   half gradient[n] = normal(0, 0.01);
   int8_t first[n] = randint(-127, 128);
   uint8_t second[n] = randint(0, 256);
   float first_scale[blocks] = uniform(0.001, 0.01);
   float second_scale[blocks] = uniform(0.001, 0.01);
   step_adam_with_blockwise_eight_bit_moments(parameter, gradient, first, second, first_scale, second_scale, 0.001f, 0.9f, 0.999f, 1e-8f, 0.01f, 1.5f, 3.2f);
*/
__global__ void step_adam_with_blockwise_eight_bit_moments(float *parameter, const half *gradient, int8_t *first,
                                                           uint8_t *second, float *first_scale, float *second_scale,
                                                           float rate, float beta1, float beta2, float epsilon,
                                                           float decay, float correction1, float correction2)
{
    __shared__ float scratch_m[8], scratch_v[8];
    size_t base = (size_t)blockIdx.x * 2048;
    int t = threadIdx.x;
    float scale_m = first_scale[blockIdx.x] / 127.f;
    float scale_v = second_scale[blockIdx.x] / 255.f;

    float m[8], s[8];
    float max_m = 0.f, max_s = 0.f;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        size_t i = base + k * 256 + t;
        float g = __half2float(gradient[i]);
        float root = second[i] * scale_v;   // the state holds the square root of the second moment
        m[k] = beta1 * (first[i] * scale_m) + (1.f - beta1) * g;
        s[k] = sqrtf(beta2 * root * root + (1.f - beta2) * g * g);
        max_m = fmaxf(max_m, fabsf(m[k]));
        max_s = fmaxf(max_s, s[k]);

        float w = parameter[i];
        w -= rate * (m[k] * correction1 / (s[k] * correction2 + epsilon) + decay * w);
        parameter[i] = w;
    }
    max_m = block_max<8>(max_m, scratch_m);
    max_s = block_max<8>(max_s, scratch_v);
    float inv_m = max_m > 0.f ? 127.f / max_m : 0.f;
    float inv_s = max_s > 0.f ? 255.f / max_s : 0.f;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        size_t i = base + k * 256 + t;
        first[i] = (int8_t)__float2int_rn(m[k] * inv_m);
        second[i] = (uint8_t)min(__float2int_rn(s[k] * inv_s), 255);
    }
    if (t == 0) {
        first_scale[blockIdx.x] = max_m;
        second_scale[blockIdx.x] = max_s;
    }
}

// ---- Bilateral filter on RGBA bytes -------------------------------------------------------------------------------------------

#define BF_RADIUS 3
#define BF_W 32
#define BF_H 8

__constant__ float bilateral_spatial[(2 * BF_RADIUS + 1) * (2 * BF_RADIUS + 1)];

/* kmutate launch
   int width = 2560, height = 1440;
   dim3 grid = { (width + 31) / 32, (height + 7) / 8 }, block = { 32, 8 };
   extern float bilateral_spatial[49] = uniform(0.2, 1);
   uchar4 noisy[width * height] = randint(0, 256);
   uchar4 smooth[width * height] = zeros();
   denoise_video_frame_by_bilateral_filter_in_shared_tile(noisy, smooth, width, height, 0.0008f);
*/
__global__ void denoise_video_frame_by_bilateral_filter_in_shared_tile(const uchar4 *noisy, uchar4 *smooth, int width,
                                                                       int height, float inv_range)
{
    __shared__ uchar4 tile[BF_H + 2 * BF_RADIUS][BF_W + 2 * BF_RADIUS];
    int x0 = blockIdx.x * BF_W - BF_RADIUS, y0 = blockIdx.y * BF_H - BF_RADIUS;
    for (int ty = threadIdx.y; ty < BF_H + 2 * BF_RADIUS; ty += BF_H) {
        int y = min(max(y0 + ty, 0), height - 1);
        for (int tx = threadIdx.x; tx < BF_W + 2 * BF_RADIUS; tx += BF_W) {
            int x = min(max(x0 + tx, 0), width - 1);
            tile[ty][tx] = noisy[y * width + x];
        }
    }
    __syncthreads();

    int x = blockIdx.x * BF_W + threadIdx.x, y = blockIdx.y * BF_H + threadIdx.y;
    if (x >= width || y >= height)
        return;
    uchar4 c = tile[threadIdx.y + BF_RADIUS][threadIdx.x + BF_RADIUS];
    float total = 0.f, r = 0.f, g = 0.f, b = 0.f;
    for (int dy = 0; dy <= 2 * BF_RADIUS; dy++) {
#pragma unroll
        for (int dx = 0; dx <= 2 * BF_RADIUS; dx++) {
            uchar4 p = tile[threadIdx.y + dy][threadIdx.x + dx];
            int dr = p.x - c.x, dg = p.y - c.y, db = p.z - c.z;
            float distance = (float)(dr * dr + dg * dg + db * db);
            float w = bilateral_spatial[dy * (2 * BF_RADIUS + 1) + dx] * __expf(-distance * inv_range);
            total += w;
            r += w * p.x;
            g += w * p.y;
            b += w * p.z;
        }
    }
    float inv = 1.f / total;
    smooth[y * width + x] = make_uchar4((unsigned char)(r * inv + 0.5f), (unsigned char)(g * inv + 0.5f),
                                        (unsigned char)(b * inv + 0.5f), c.w);
}

// ---- NV12 video frames to a normalised half tensor, with bilinear resize --------------------------------------------------------

/* kmutate launch
   int frames = 24, src_w = 1920, src_h = 1080, dst_w = 1024, dst_h = 576;
   dim3 grid = { (dst_w + 31) / 32, (dst_h + 7) / 8, frames }, block = { 32, 8 };
   uint8_t nv12[frames * src_w * src_h * 3 / 2] = randint(16, 236);
   half tensor[frames * 3 * dst_w * dst_h] = zeros();
   resize_nv12_frames_into_normalized_planar_half_tensor(nv12, tensor, src_w, src_h, dst_w, dst_h, make_float3(0.485f, 0.456f, 0.406f), make_float3(4.367f, 4.464f, 4.444f));
*/
__global__ void resize_nv12_frames_into_normalized_planar_half_tensor(const uint8_t *nv12, half *tensor, int src_w,
                                                                      int src_h, int dst_w, int dst_h, float3 mean,
                                                                      float3 inv_std)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dst_w || y >= dst_h)
        return;
    const uint8_t *luma = nv12 + (size_t)blockIdx.z * (src_w * src_h * 3 / 2);
    const uint8_t *chroma = luma + src_w * src_h;

    float sx = fmaxf((x + 0.5f) * src_w / dst_w - 0.5f, 0.f);
    float sy = fmaxf((y + 0.5f) * src_h / dst_h - 0.5f, 0.f);
    int x0 = (int)sx, y0 = (int)sy;
    int x1 = min(x0 + 1, src_w - 1), y1 = min(y0 + 1, src_h - 1);
    float fx = sx - x0, fy = sy - y0;
    float top = luma[y0 * src_w + x0] * (1.f - fx) + luma[y0 * src_w + x1] * fx;
    float bottom = luma[y1 * src_w + x0] * (1.f - fx) + luma[y1 * src_w + x1] * fx;
    float yy = 1.164f * (top * (1.f - fy) + bottom * fy - 16.f);

    const uint8_t *uv = chroma + (y0 / 2) * src_w + (x0 / 2) * 2;
    float u = uv[0] - 128.f;
    float v = uv[1] - 128.f;
    float r = __saturatef((yy + 1.793f * v) * (1.f / 255.f));
    float g = __saturatef((yy - 0.213f * u - 0.533f * v) * (1.f / 255.f));
    float b = __saturatef((yy + 2.112f * u) * (1.f / 255.f));

    int plane = dst_w * dst_h;
    half *out = tensor + (size_t)blockIdx.z * 3 * plane + y * dst_w + x;
    out[0] = __float2half((r - mean.x) * inv_std.x);
    out[plane] = __float2half((g - mean.y) * inv_std.y);
    out[2 * plane] = __float2half((b - mean.z) * inv_std.z);
}

// ---- Embedding bags, bfloat16 table ------------------------------------------------------------------------------------------------

/* kmutate launch
   int bags = 98304, lo = 4, hi = 20, table_rows = 600000, dim = 128;
   int lookups = csr_nnz(bags, lo, hi);
   dim3 grid = { bags / 4 }, block = { 64, 4 };
   __nv_bfloat16 table[table_rows * dim] = normal();
   int offsets[bags + 1] = csr_rowptr(bags, lo, hi);
   int ids[lookups] = randint(0, table_rows);
   float sample_weight[lookups] = uniform(0, 1);
   float pooled[bags * dim] = zeros();
   pool_weighted_embedding_bags_from_bfloat_table(table, offsets, ids, sample_weight, pooled, bags, dim);
*/
__global__ void pool_weighted_embedding_bags_from_bfloat_table(const __nv_bfloat16 *table, const int *offsets,
                                                               const int *ids, const float *sample_weight,
                                                               float *pooled, int bags, int dim)
{
    int bag = blockIdx.x * blockDim.y + threadIdx.y;
    if (bag >= bags)
        return;
    int begin = offsets[bag], end = offsets[bag + 1];
    float2 sum = make_float2(0.f, 0.f);
    float total = 0.f;
    for (int i = begin; i < end; i++) {
        float w = sample_weight[i];
        const __nv_bfloat162 *row = (const __nv_bfloat162 *)(table + (size_t)ids[i] * dim);
        float2 v = __bfloat1622float2(row[threadIdx.x]);
        sum.x += w * v.x;
        sum.y += w * v.y;
        total += w;
    }
    float inv = total > 0.f ? 1.f / total : 0.f;
    ((float2 *)(pooled + (size_t)bag * dim))[threadIdx.x] = make_float2(sum.x * inv, sum.y * inv);
}

// ---- Softmax cross entropy with label smoothing: loss and gradient -----------------------------------------------------------------

/* kmutate launch
   int rows = 2048, vocabulary = 32000;
   dim3 grid = { rows }, block = { 512 };
   float logits[rows * vocabulary] = normal(0, 2);
   int labels[rows] = randint(0, vocabulary);
   float gradient[rows * vocabulary] = zeros();
   float loss[rows] = zeros();
   differentiate_label_smoothed_cross_entropy_over_vocabulary(logits, labels, gradient, loss, vocabulary, 0.1f, 0.00048828125f);
*/
__global__ void differentiate_label_smoothed_cross_entropy_over_vocabulary(const float *logits, const int *labels,
                                                                           float *gradient, float *loss,
                                                                           int vocabulary, float smoothing,
                                                                           float grad_scale)
{
    __shared__ float cache[512];
    __shared__ float cache2[512];
    const float *x = logits + (size_t)blockIdx.x * vocabulary;
    float *g = gradient + (size_t)blockIdx.x * vocabulary;
    int t = threadIdx.x;

    float m = -1e30f;
    for (int i = t; i < vocabulary; i += blockDim.x)
        m = fmaxf(m, x[i]);
    cache[t] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            cache[t] = fmaxf(cache[t], cache[t + s]);
        __syncthreads();
    }
    m = cache[0];
    __syncthreads();

    float sum = 0.f, plain = 0.f;
    for (int i = t; i < vocabulary; i += blockDim.x) {
        sum += expf(x[i] - m);
        plain += x[i];
    }
    cache[t] = sum;
    cache2[t] = plain;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) {
            cache[t] += cache[t + s];
            cache2[t] += cache2[t + s];
        }
        __syncthreads();
    }
    sum = cache[0];
    plain = cache2[0];

    int label = labels[blockIdx.x];
    float each = smoothing / vocabulary;
    if (t == 0) {
        float log_sum = m + logf(sum);
        loss[blockIdx.x] = log_sum - (1.f - smoothing) * x[label] - each * plain;
    }
    for (int i = t; i < vocabulary; i += blockDim.x) {
        float p = expf(x[i] - m) / sum;
        float want = each + (i == label ? 1.f - smoothing : 0.f);
        g[i] = (p - want) * grad_scale;
    }
}
