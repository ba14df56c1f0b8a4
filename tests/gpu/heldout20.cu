// The twentieth set of kernels that nobody tuned the model of time for: applications of physics, chemistry, biology and
// medicine, graphs and irregular data, steps of neural networks, images and signals, prices, ciphers and numbers, and
// some dense linear algebra, written from what is commonly known of the algorithms by someone who had seen neither the
// model nor its results.

#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>

// ------------------------------------------------------------------------------------- physics, chemistry and biology

/* kmutate launch
   int natoms = 110592, maxn = 96; dim3 block = { 128 }; dim3 grid = { natoms / 128 };
   float4 xyzt[natoms] = uniform(0, 40); int numneigh[natoms] = randint(40, maxn + 1);
   int neighbours[maxn * natoms] = randint(0, natoms); float4 force[natoms] = zeros();
   lj_neighbour_list_two_types(natoms, xyzt, numneigh, neighbours, force, 256.0f);
*/
// Lennard-Jones forces from lists of neighbours stored by columns: an atom per thread, two types of atoms, pairs
// beyond the cutoff are skipped; the fourth component collects the energy.
__global__ void lj_neighbour_list_two_types(int natoms, const float4 *__restrict__ xyzt,
                                            const int *__restrict__ numneigh, const int *__restrict__ neighbours,
                                            float4 *__restrict__ force, float cutsq)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= natoms)
        return;
    const float4 ri = xyzt[i];
    const bool heavy = ri.w > 20.0f;
    const int nn = numneigh[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;

    for (int k = 0; k < nn; k++) {
        const int j = neighbours[k * natoms + i];
        const float4 rj = xyzt[j];
        const float dx = ri.x - rj.x;
        const float dy = ri.y - rj.y;
        const float dz = ri.z - rj.z;
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutsq && j != i) {
            const bool other = rj.w > 20.0f;
            const float sigma6 = (heavy && other) ? 3.1f : (heavy || other) ? 1.8f : 1.0f;
            const float eps = (heavy && other) ? 0.6f : (heavy || other) ? 0.8f : 1.0f;
            const float inv2 = 1.0f / r2;
            const float s6 = sigma6 * inv2 * inv2 * inv2;
            const float f = 48.0f * eps * inv2 * s6 * (s6 - 0.5f);
            fx += dx * f;
            fy += dy * f;
            fz += dz * f;
            energy += 4.0f * eps * s6 * (s6 - 1.0f);
        }
    }
    force[i] = make_float4(fx, fy, fz, 0.5f * energy);
}

/* kmutate launch
   int subjects = 512, longest = 160, qlen = 64; dim3 block = { 32 }; dim3 grid = { subjects / 32 };
   signed char database[longest * subjects] = randint(0, 24); int lengths[subjects] = randint(60, longest + 1);
   signed char query[qlen] = randint(0, 24); int blosum[24 * 24] = randint(-4, 9);
   short2 border[longest * subjects] = zeros(); int scores[subjects] = zeros();
   smith_waterman_sequence_per_thread(subjects, qlen, database, lengths, query, blosum, border, scores);
*/
// Smith and Waterman's local alignment, a sequence of the data base per thread: strips of four letters of the query in
// registers, the strip's lower border (score and vertical gap) in global memory.
__global__ void smith_waterman_sequence_per_thread(int subjects, int qlen, const signed char *database,
                                                   const int *lengths, const signed char *query, const int *blosum,
                                                   short2 *border, int *scores)
{
    __shared__ int matrix[24 * 24];
    __shared__ int letters[256];
    for (int i = threadIdx.x; i < 24 * 24; i += blockDim.x)
        matrix[i] = blosum[i];
    for (int i = threadIdx.x; i < qlen; i += blockDim.x)
        letters[i] = query[i];
    __syncthreads();

    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= subjects)
        return;
    const int open = 11, extend = 1;
    const int len = lengths[s];
    int best = 0;

    for (int q0 = 0; q0 + 3 < qlen; q0 += 4) {
        int row[4], h[4], e[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            row[r] = letters[q0 + r] * 24;
            h[r] = 0;
            e[r] = 0;
        }
        int corner = 0;
        for (int j = 0; j < len; j++) {
            const short2 above = q0 == 0 ? make_short2(0, 0) : border[j * subjects + s];
            const int letter = database[j * subjects + s];
            int up = above.x;
            int f = above.y;
            int diag = corner;
            corner = up;
#pragma unroll
            for (int r = 0; r < 4; r++) {
                e[r] = max(e[r] - extend, h[r] - open);
                f = max(f - extend, up - open);
                int now = max(0, diag + matrix[row[r] + letter]);
                now = max(now, max(e[r], f));
                diag = h[r];
                h[r] = now;
                up = now;
                best = max(best, now);
            }
            border[j * subjects + s] = make_short2((short)up, (short)f);
        }
    }
    scores[s] = best;
}

/* kmutate launch
   int lx = 32, ly = 32, lz = 32, lt = 16, vol = lx * ly * lz * lt; dim3 block = { 128 }; dim3 grid = { vol / 128 };
   float2 links[36 * vol] = uniform(-0.6, 0.6); float2 psi[3 * vol] = uniform(-1, 1); float2 out[3 * vol] = zeros();
   staggered_dslash_one_site(lx, ly, lz, lt, links, psi, out, 0.05f);
*/
// Lattice gauge theory, the staggered hopping term: for the eight neighbours of a site a complex 3 by 3 link matrix (or
// its adjoint) times a colour vector, all arrays with the site running fastest.
__device__ __forceinline__ void cmadd(float2 &acc, float2 a, float2 b)
{
    acc.x += a.x * b.x - a.y * b.y;
    acc.y += a.x * b.y + a.y * b.x;
}

__device__ __forceinline__ void cmsub_conj(float2 &acc, float2 a, float2 b)
{
    acc.x -= a.x * b.x + a.y * b.y;
    acc.y -= a.x * b.y - a.y * b.x;
}

__global__ void staggered_dslash_one_site(int lx, int ly, int lz, int lt, const float2 *__restrict__ links,
                                          const float2 *__restrict__ psi, float2 *__restrict__ out, float mass)
{
    const int vol = lx * ly * lz * lt;
    const int site = blockIdx.x * blockDim.x + threadIdx.x;
    if (site >= vol)
        return;
    int rest = site;
    int coord[4];
    coord[0] = rest % lx;
    rest /= lx;
    coord[1] = rest % ly;
    rest /= ly;
    coord[2] = rest % lz;
    coord[3] = rest / lz;
    const int extent[4] = { lx, ly, lz, lt };

    float2 sum[3] = { { 0.0f, 0.0f }, { 0.0f, 0.0f }, { 0.0f, 0.0f } };
    int stride = 1;
#pragma unroll
    for (int mu = 0; mu < 4; mu++) {
        const int fwd = coord[mu] == extent[mu] - 1 ? site - (extent[mu] - 1) * stride : site + stride;
        const int bwd = coord[mu] == 0 ? site + (extent[mu] - 1) * stride : site - stride;
        float2 vf[3], vb[3];
#pragma unroll
        for (int c = 0; c < 3; c++) {
            vf[c] = psi[c * vol + fwd];
            vb[c] = psi[c * vol + bwd];
        }
#pragma unroll
        for (int r = 0; r < 3; r++)
#pragma unroll
            for (int c = 0; c < 3; c++) {
                cmadd(sum[r], links[(mu * 9 + r * 3 + c) * vol + site], vf[c]);
                cmsub_conj(sum[r], links[(mu * 9 + c * 3 + r) * vol + bwd], vb[c]);
            }
        stride *= extent[mu];
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const float2 p = psi[c * vol + site];
        out[c * vol + site] = make_float2(mass * p.x + 0.5f * sum[c].x, mass * p.y + 0.5f * sum[c].y);
    }
}

/* kmutate launch
   int nx = 320, ny = 320, nz = 160, px = nx + 8, py = ny + 8, pz = nz + 8; dim3 block = { 32, 16 };
   dim3 grid = { nx / 32, ny / 16 };
   float now[px * py * pz] = uniform(-1, 1); float before[px * py * pz] = uniform(-1, 1);
   float velocity[px * py * pz] = uniform(0.01, 0.08);
   acoustic_eighth_order_march(nx, ny, nz, now, before, velocity);
*/
// Acoustic wave equation, eighth order in space: a block marches along z with a queue of nine planes in registers and
// the middle plane with its halo of four in shared memory.
#define WAVE_R 4
__global__ void __launch_bounds__(512) acoustic_eighth_order_march(int nx, int ny, int nz,
                                                                   const float *__restrict__ now,
                                                                   float *__restrict__ before,
                                                                   const float *__restrict__ velocity)
{
    __shared__ float tile[16 + 2 * WAVE_R][32 + 2 * WAVE_R];
    const float coef[WAVE_R + 1] = { -2.847222222f, 1.6f, -0.2f, 0.02539682540f, -0.001785714286f };
    const int pitch = nx + 2 * WAVE_R;
    const int plane = pitch * (ny + 2 * WAVE_R);
    const int tx = threadIdx.x + WAVE_R;
    const int ty = threadIdx.y + WAVE_R;
    const int column = (blockIdx.y * blockDim.y + ty) * pitch + blockIdx.x * blockDim.x + tx;

    float q[2 * WAVE_R + 1];
#pragma unroll
    for (int k = 0; k < 2 * WAVE_R; k++)
        q[k + 1] = now[column + k * plane];

    for (int z = 0; z < nz; z++) {
#pragma unroll
        for (int k = 0; k < 2 * WAVE_R; k++)
            q[k] = q[k + 1];
        q[2 * WAVE_R] = now[column + (z + 2 * WAVE_R) * plane];
        const int here = column + (z + WAVE_R) * plane;

        __syncthreads();
        tile[ty][tx] = q[WAVE_R];
        if (threadIdx.y < WAVE_R) {
            tile[threadIdx.y][tx] = now[here - WAVE_R * pitch];
            tile[ty + 16][tx] = now[here + 16 * pitch];
        }
        if (threadIdx.x < WAVE_R) {
            tile[ty][threadIdx.x] = now[here - WAVE_R];
            tile[ty][tx + 32] = now[here + 32];
        }
        __syncthreads();

        float lap = 3.0f * coef[0] * q[WAVE_R];
#pragma unroll
        for (int r = 1; r <= WAVE_R; r++)
            lap += coef[r] * (tile[ty][tx - r] + tile[ty][tx + r] + tile[ty - r][tx] + tile[ty + r][tx] +
                              q[WAVE_R - r] + q[WAVE_R + r]);
        before[here] = 2.0f * q[WAVE_R] - before[here] + velocity[here] * lap;
    }
}

/* kmutate launch
   int side = 48, cells = side * side * side; int particles = csr_nnz(cells, 0, 13); dim3 block = { 128 };
   dim3 grid = { cells / 4 };
   int cell_start[cells + 1] = csr_rowptr(cells, 0, 13); float4 inside[particles] = uniform(0, 1);
   float density[particles] = zeros();
   sph_density_warp_per_cell(side, cell_start, inside, density, 0.9f);
*/
// Smoothed particles, the density: a warp takes a cell, each lane a particle of it, and sums the kernel of those within
// the smoothing length over the 27 cells around; positions are relative to the cell, the fourth component is the mass.
__global__ void sph_density_warp_per_cell(int side, const int *cell_start, const float4 *inside, float *density,
                                          float h)
{
    const int lane = threadIdx.x & 31;
    const int cell = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    const int cells = side * side * side;
    if (cell >= cells)
        return;
    const int cx = cell % side;
    const int cy = (cell / side) % side;
    const int cz = cell / (side * side);
    const int first = cell_start[cell];
    const int last = cell_start[cell + 1];
    const float h2 = h * h;
    const float norm = 1.5666815f / (h2 * h2 * h2 * h2 * h);

    for (int p = first + lane; p < last; p += 32) {
        const float4 me = inside[p];
        float rho = 0.0f;
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    const int x = cx + dx, y = cy + dy, z = cz + dz;
                    if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side)
                        continue;
                    const int other = (z * side + y) * side + x;
                    const int stop = cell_start[other + 1];
                    for (int j = cell_start[other]; j < stop; j++) {
                        const float4 it = inside[j];
                        const float rx = it.x + dx - me.x;
                        const float ry = it.y + dy - me.y;
                        const float rz = it.z + dz - me.z;
                        const float d2 = rx * rx + ry * ry + rz * rz;
                        if (d2 < h2) {
                            const float w = h2 - d2;
                            rho += it.w * w * w * w;
                        }
                    }
                }
        density[p] = norm * rho;
    }
}

/* kmutate launch
   int np = 2000000, nx = 1024, ny = 512; dim3 block = { 256 }; dim3 grid = { (np + 255) / 256 };
   float px[np] = uniform(0, nx); float py[np] = uniform(0, ny); float vx[np] = normal(0, 0.5);
   float vy[np] = normal(0, 0.5); float2 field[nx * ny] = uniform(-0.2, 0.2); float rho[nx * ny] = zeros();
   pic_push_and_deposit_2d(np, px, py, vx, vy, field, rho, nx, ny, 0.1f, 1.0f);
*/
// Particles in cells, two dimensions, unsorted: gathers the field from four grid points, moves the particle and spreads
// its charge on four points with atomics.
__global__ void pic_push_and_deposit_2d(int np, float *px, float *py, float *vx, float *vy, const float2 *field,
                                        float *rho, int nx, int ny, float dt, float charge)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= np)
        return;
    float x = px[p], y = py[p];
    float fx = floorf(x), fy = floorf(y);
    int ix = (int)fx & (nx - 1), iy = (int)fy & (ny - 1);
    int jx = (ix + 1) & (nx - 1), jy = (iy + 1) & (ny - 1);
    float wx = x - fx, wy = y - fy;

    float2 e00 = field[iy * nx + ix];
    float2 e10 = field[iy * nx + jx];
    float2 e01 = field[jy * nx + ix];
    float2 e11 = field[jy * nx + jx];
    float ex = (1 - wy) * ((1 - wx) * e00.x + wx * e10.x) + wy * ((1 - wx) * e01.x + wx * e11.x);
    float ey = (1 - wy) * ((1 - wx) * e00.y + wx * e10.y) + wy * ((1 - wx) * e01.y + wx * e11.y);

    float ux = vx[p] + charge * dt * ex;
    float uy = vy[p] + charge * dt * ey;
    x += dt * ux;
    y += dt * uy;
    if (x < 0)
        x += nx;
    else if (x >= nx)
        x -= nx;
    if (y < 0)
        y += ny;
    else if (y >= ny)
        y -= ny;
    px[p] = x;
    py[p] = y;
    vx[p] = ux;
    vy[p] = uy;

    fx = floorf(x);
    fy = floorf(y);
    ix = (int)fx & (nx - 1);
    iy = (int)fy & (ny - 1);
    jx = (ix + 1) & (nx - 1);
    jy = (iy + 1) & (ny - 1);
    wx = x - fx;
    wy = y - fy;
    atomicAdd(&rho[iy * nx + ix], charge * (1 - wx) * (1 - wy));
    atomicAdd(&rho[iy * nx + jx], charge * wx * (1 - wy));
    atomicAdd(&rho[jy * nx + ix], charge * (1 - wx) * wy);
    atomicAdd(&rho[jy * nx + jx], charge * wx * wy);
}

/* kmutate launch
   int rows = 8192, half_cols = 4096; dim3 block = { 256 }; dim3 grid = { half_cols / 256, rows };
   signed char black[rows * half_cols] = randint(0, 2); signed char white[rows * half_cols] = randint(0, 2);
   ising_black_half_sweep(rows, half_cols, black, white, 0.4406868f, 12345u, 7u);
*/
// Ising's model on a checkerboard, half a sweep: black spins look at their four white neighbours and flip with
// Metropolis' probability; random numbers come from a hash of the site and the step.
__global__ void ising_black_half_sweep(int rows, int half_cols, signed char *black, const signed char *white,
                                       float beta, unsigned seed, unsigned step)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y;
    if (j >= half_cols)
        return;
    const int up = i == 0 ? rows - 1 : i - 1;
    const int down = i == rows - 1 ? 0 : i + 1;
    int side;
    if (i & 1)
        side = j == half_cols - 1 ? 0 : j + 1;
    else
        side = j == 0 ? half_cols - 1 : j - 1;

    const long here = (long)i * half_cols + j;
    const int around = white[(long)up * half_cols + j] + white[(long)down * half_cols + j] + white[here] +
                       white[(long)i * half_cols + side];
    const int spin = 2 * black[here] - 1;
    const int local = spin * (2 * around - 4);

    unsigned h = (unsigned)here * 0x9E3779B9u ^ (seed + step * 0x85EBCA6Bu);
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    const float u = (h >> 8) * (1.0f / 16777216.0f);
    if (u < __expf(-2.0f * beta * local))
        black[here] = (signed char)((1 - spin) / 2);
}

/* kmutate launch
   int size = 768, angles = 720, detectors = 1152; dim3 block = { 16, 16 }; dim3 grid = { size / 16, size / 16 };
   float sinogram[angles * detectors] = uniform(0, 1); float2 direction[angles] = uniform(-0.7, 0.7);
   float image[size * size] = zeros();
   ct_parallel_backprojection(size, angles, detectors, sinogram, direction, image);
*/
// Tomography by filtered back-projection, parallel beams: each pixel sums the linearly interpolated projections of all
// angles; cosines and sines come from a table.
__global__ void ct_parallel_backprojection(int size, int angles, int detectors, const float *__restrict__ sinogram,
                                           const float2 *__restrict__ direction, float *image)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    const float x = px - 0.5f * (size - 1);
    const float y = py - 0.5f * (size - 1);
    const float centre = 0.5f * (detectors - 1);
    float acc = 0.0f;
#pragma unroll 4
    for (int a = 0; a < angles; a++) {
        const float2 cs = direction[a];
        const float t = x * cs.x + y * cs.y + centre;
        const int k = (int)floorf(t);
        if (k >= 0 && k + 1 < detectors) {
            const float w = t - k;
            const float *line = sinogram + a * detectors + k;
            acc += (1.0f - w) * line[0] + w * line[1];
        }
    }
    image[py * size + px] = acc * (3.14159265f / angles);
}

/* kmutate launch
   int threads = 16384, photons = 4, nr = 128, nz = 128; dim3 block = { 64 }; dim3 grid = { threads / 64 };
   unsigned seeds[threads] = randint(1, 1u << 31); float absorbed[nr * nz] = zeros(); float escaped[2] = zeros();
   photon_random_walk_in_slab(seeds, photons, absorbed, escaped, nr, nz, 1.0f, 19.0f, 0.8f, 0.5f);
*/
// Light in turbid tissue by Monte Carlo: photons hop, lose weight to a table of depth and radius by atomics, scatter
// after Henyey and Greenstein, and end by leaving the slab or by Russian roulette.
__device__ __forceinline__ float draw(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return ((s >> 8) + 1) * (1.0f / 16777217.0f);
}

__global__ void photon_random_walk_in_slab(unsigned *seeds, int photons, float *absorbed, float *escaped, int nr,
                                           int nz, float mua, float mus, float g, float thickness)
{
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = seeds[tid];
    const float mut = mua + mus;
    float reflected = 0.0f, transmitted = 0.0f;

    for (int n = 0; n < photons; n++) {
        float x = 0.0f, y = 0.0f, z = 0.0f;
        float ux = 0.0f, uy = 0.0f, uz = 1.0f;
        float w = 1.0f;
        for (int hop = 0; hop < 400; hop++) {
            const float len = -logf(draw(s)) / mut;
            x += len * ux;
            y += len * uy;
            z += len * uz;
            if (z < 0.0f) {
                reflected += w;
                break;
            }
            if (z > thickness) {
                transmitted += w;
                break;
            }
            const float lost = w * mua / mut;
            const int ir = min((int)(sqrtf(x * x + y * y) * 100.0f), nr - 1);
            const int iz = min((int)(z / thickness * nz), nz - 1);
            atomicAdd(&absorbed[iz * nr + ir], lost);
            w -= lost;
            if (w < 0.001f) {
                if (draw(s) > 0.1f)
                    break;
                w *= 10.0f;
            }
            const float f = (1.0f - g * g) / (1.0f - g + 2.0f * g * draw(s));
            float ct = (1.0f + g * g - f * f) / (2.0f * g);
            ct = fminf(1.0f, fmaxf(-1.0f, ct));
            const float st = sqrtf(1.0f - ct * ct);
            float sp, cp;
            sincosf(6.2831853f * draw(s), &sp, &cp);
            if (fabsf(uz) > 0.99999f) {
                ux = st * cp;
                uy = st * sp;
                uz = uz > 0.0f ? ct : -ct;
            } else {
                const float root = sqrtf(1.0f - uz * uz);
                const float tx = st * (ux * uz * cp - uy * sp) / root + ux * ct;
                const float ty = st * (uy * uz * cp + ux * sp) / root + uy * ct;
                uz = -st * cp * root + uz * ct;
                ux = tx;
                uy = ty;
            }
        }
    }
    seeds[tid] = s;
    for (int d = 16; d > 0; d >>= 1) {
        reflected += __shfl_xor_sync(0xffffffffu, reflected, d);
        transmitted += __shfl_xor_sync(0xffffffffu, transmitted, d);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&escaped[0], reflected);
        atomicAdd(&escaped[1], transmitted);
    }
}

/* kmutate launch
   int cells = 131072, reactions = 28, substeps = 3; dim3 block = { 128 }; dim3 grid = { cells / 128 };
   float conc[10 * cells] = uniform(0.01, 1); float temperature[cells] = uniform(900, 2200);
   int4 who[reactions] = randint(0, 10); float lna[reactions] = uniform(0, 3); float beta[reactions] = uniform(-1, 1);
   float ea[reactions] = uniform(500, 9000); float order[reactions] = uniform(0.5, 1.5);
   combustion_kinetics_ten_species(cells, reactions, substeps, conc, temperature, who, lna, beta, ea, order, 1e-4f);
*/
// Chemical kinetics, ten species in every cell of a flame: rates after Arrhenius with a power of the concentration,
// summed by species in shared memory, and a few explicit steps in time.
#define SPECIES 10
__global__ void combustion_kinetics_ten_species(int cells, int reactions, int substeps, float *conc,
                                                float *temperature, const int4 *__restrict__ who,
                                                const float *__restrict__ lna, const float *__restrict__ beta,
                                                const float *__restrict__ ea, const float *__restrict__ order, float dt)
{
    __shared__ float c[SPECIES][128];
    __shared__ float wdot[SPECIES][128];
    const int t = threadIdx.x;
    const int cell = blockIdx.x * blockDim.x + t;
    if (cell >= cells)
        return;
    for (int k = 0; k < SPECIES; k++)
        c[k][t] = conc[k * cells + cell];
    float T = temperature[cell];

    for (int step = 0; step < substeps; step++) {
        const float lnT = logf(T);
        const float invT = 1.0f / T;
        float heat = 0.0f;
        float total = 0.0f;
        for (int k = 0; k < SPECIES; k++) {
            wdot[k][t] = 0.0f;
            total += c[k][t];
        }
        for (int r = 0; r < reactions; r++) {
            const int4 sp = who[r];
            const float kf = expf(lna[r] + beta[r] * lnT - ea[r] * invT);
            float rate = kf * powf(c[sp.x][t], order[r]) * c[sp.y][t];
            const float kr = kf * expf(-0.3f * ea[r] * invT);
            rate -= kr * c[sp.z][t] * c[sp.w][t];
            if ((r & 3) == 3) {
                const float pr = kf * total / (1.0f + kr);
                const float lp = log10f(pr + 1e-20f);
                rate *= pr / (1.0f + pr) * powf(0.6f, 1.0f / (1.0f + lp * lp));
            }
            wdot[sp.x][t] -= rate;
            wdot[sp.y][t] -= rate;
            wdot[sp.z][t] += rate;
            wdot[sp.w][t] += rate;
            heat += rate * ea[r] * 0.01f;
        }
        for (int k = 0; k < SPECIES; k++)
            c[k][t] = fmaxf(c[k][t] + dt * wdot[k][t], 1e-10f);
        T = fminf(fmaxf(T + dt * heat, 300.0f), 3500.0f);
    }
    for (int k = 0; k < SPECIES; k++)
        conc[k * cells + cell] = c[k][t];
    temperature[cell] = T;
}

// ------------------------------------------------------------------------------------------ graphs and irregular data

/* kmutate launch
   int n = 400000; int m = csr_nnz(n, 0, 33); dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   int offsets[n + 1] = csr_rowptr(n, 0, 33); int targets[m] = csr_colidx(n); float rank[n] = uniform(0, 0.00001);
   float next[n] = fill(0.0000004); float dangling[1] = zeros();
   pagerank_push_float_atomics(n, offsets, targets, rank, next, dangling, 0.85f);
*/
// Page rank, pushing: each page sends its share along its links by atomic additions; pages without links add to a sum.
__global__ void pagerank_push_float_atomics(int n, const int *offsets, const int *targets, const float *rank,
                                            float *next, float *dangling, float damping)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        int begin = offsets[v];
        int end = offsets[v + 1];
        float r = rank[v];
        if (begin == end) {
            atomicAdd(dangling, r);
        } else {
            float share = damping * r / (end - begin);
            for (int e = begin; e < end; e++)
                atomicAdd(&next[targets[e]], share);
        }
    }
}

/* kmutate launch
   int n = 300000; int m = csr_nnz(n, 0, 65); dim3 block = { 192 }; dim3 grid = { (n + 5) / 6 };
   int xadj[n + 1] = csr_rowptr(n, 0, 65); int adjncy[m] = csr_colidx(n); int weight[m] = randint(1, 100);
   int dist[n] = randint(0, 400); unsigned char active[n] = randint(0, 2); unsigned char touched[n] = zeros();
   int again[1] = zeros();
   sssp_relax_warp_per_vertex(n, xadj, adjncy, weight, dist, active, touched, again);
*/
// Shortest paths, one round of relaxation: a warp takes an active vertex and lowers its neighbours' distances by an
// atomic minimum, reading first whether that is worth while.
__global__ void sssp_relax_warp_per_vertex(int n, const int *__restrict__ xadj, const int *__restrict__ adjncy,
                                           const int *__restrict__ weight, int *dist, unsigned char *active,
                                           unsigned char *touched, int *again)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (warp >= n || !active[warp])
        return;
    const int du = dist[warp];
    bool changed = false;
    for (int e = xadj[warp] + lane; e < xadj[warp + 1]; e += 32) {
        const int v = adjncy[e];
        const int alt = du + weight[e];
        if (alt < dist[v]) {
            if (alt < atomicMin(&dist[v], alt)) {
                touched[v] = 1;
                changed = true;
            }
        }
    }
    if (__any_sync(0xffffffffu, changed) && lane == 0)
        *again = 1;
}

/* kmutate launch
   int n = 150000; int m = csr_nnz(n, 0, 25); dim3 block = { 128 }; dim3 grid = { (n + 127) / 128 };
   int rowptr[n + 1] = csr_rowptr(n, 0, 25); int col[m] = csr_colidx(n); unsigned long long triangles[1] = zeros();
   triangle_count_merge_lists(n, rowptr, col, triangles);
*/
// Counting triangles: a vertex per thread, for each of its edges upward the two lists of neighbours are merged; a
// warp's counts are added up before the atomic.
__global__ void triangle_count_merge_lists(int n, const int *rowptr, const int *col, unsigned long long *triangles)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0;
    if (u < n) {
        const int ub = rowptr[u], ue = rowptr[u + 1];
        for (int e = ub; e < ue; e++) {
            const int v = col[e];
            if (v <= u)
                continue;
            int i = ub, j = rowptr[v];
            const int ve = rowptr[v + 1];
            while (i < ue && j < ve) {
                const int a = col[i], b = col[j];
                if (a == b) {
                    count += a > v;
                    i++;
                    j++;
                } else if (a < b) {
                    i++;
                } else {
                    j++;
                }
            }
        }
    }
    for (int d = 16; d; d /= 2)
        count += __shfl_down_sync(~0u, count, d);
    if (threadIdx.x % 32 == 0 && count)
        atomicAdd(triangles, (unsigned long long)count);
}

/* kmutate launch
   int n = 1000000; int m = csr_nnz(n, 0, 17); dim3 block = { 512 }; dim3 grid = { (n + 511) / 512 };
   int ptr[n + 1] = csr_rowptr(n, 0, 17); int nbr[m] = csr_colidx(n); int degree[n] = randint(0, 17);
   unsigned char dead[n] = zeros(); int queue[n] = zeros(); int tail[1] = zeros();
   kcore_peel_weak_vertices(n, ptr, nbr, degree, dead, queue, tail, 5);
*/
// k-core, one round of peeling: vertices of too low degree die and lower their neighbours' degrees; who falls below the
// limit through this is appended to a queue.
__global__ void kcore_peel_weak_vertices(int n, const int *ptr, const int *nbr, int *degree, unsigned char *dead,
                                         int *queue, int *tail, int k)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || dead[v])
        return;
    if (degree[v] < k) {
        dead[v] = 1;
        for (int e = ptr[v]; e < ptr[v + 1]; ++e) {
            const int w = nbr[e];
            const int old = atomicSub(&degree[w], 1);
            if (old == k) {
                const int at = atomicAdd(tail, 1);
                if (at < n)
                    queue[at] = w;
            }
        }
    }
}

/* kmutate launch
   int n = 800000; int m = csr_nnz(n, 0, 21); dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   int start[n + 1] = csr_rowptr(n, 0, 21); int list[m] = csr_colidx(n); int priority[n] = permutation();
   int colour[n] = randint(-1, 3); int chosen[n] = fill(-1);
   colouring_local_maximum_first(n, start, list, priority, colour, chosen);
*/
// Colouring of a graph after Jones and Plassmann: an uncoloured vertex whose number is larger than that of all its
// uncoloured neighbours takes the smallest colour that none of them has.
__global__ void colouring_local_maximum_first(int n, const int *__restrict__ start, const int *__restrict__ list,
                                              const int *__restrict__ priority, const int *__restrict__ colour,
                                              int *__restrict__ chosen)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    const int mine = colour[v];
    if (mine >= 0) {
        chosen[v] = mine;
        return;
    }
    const int p = priority[v];
    unsigned long long used = 0;
    for (int e = start[v]; e < start[v + 1]; e++) {
        const int w = list[e];
        if (w == v)
            continue;
        const int c = colour[w];
        if (c < 0) {
            if (priority[w] > p)
                return;
        } else {
            used |= 1ull << (c & 63);
        }
    }
    chosen[v] = __ffsll((long long)~used) - 1;
}

/* kmutate launch
   int nb = 60000; int nnzb = csr_nnz(nb, 0, 33); dim3 block = { 128 }; dim3 grid = { (nb + 7) / 8 };
   int browptr[nb + 1] = csr_rowptr(nb, 0, 33); int bcol[nnzb] = csr_colidx(nb);
   double blocks[nnzb * 16] = uniform(-1, 1); double x[nb * 4] = uniform(-1, 1); double y[nb * 4] = zeros();
   bsr_spmv_half_warp_4x4(nb, browptr, bcol, blocks, x, y);
*/
// Sparse matrix of dense 4 by 4 blocks times a vector, double precision: sixteen lanes take a row of blocks, each one
// element of every block, and add up over the columns by shuffles.
__global__ void bsr_spmv_half_warp_4x4(int nb, const int *browptr, const int *bcol, const double *blocks,
                                       const double *x, double *y)
{
    const int group = (blockIdx.x * blockDim.x + threadIdx.x) >> 4;
    const int el = threadIdx.x & 15;
    const int c = el & 3;
    double acc = 0.0;
    if (group < nb) {
        const int stop = browptr[group + 1];
        for (int b = browptr[group]; b < stop; b++)
            acc += blocks[(long)b * 16 + el] * x[bcol[b] * 4 + c];
    }
    acc += __shfl_xor_sync(0xffffffffu, acc, 1);
    acc += __shfl_xor_sync(0xffffffffu, acc, 2);
    if (group < nb && c == 0)
        y[group * 4 + (el >> 2)] = acc;
}

/* kmutate launch
   int buckets = 1 << 20, probes = 1 << 22; int built = csr_nnz(buckets, 0, 5); dim3 block = { 256 };
   dim3 grid = { probes / 256 };
   int bucket_start[buckets + 1] = csr_rowptr(buckets, 0, 5); unsigned char suffix[built] = randint(0, 8);
   int payload[built] = randint(0, 1000000); unsigned probe_key[probes] = randint(0, buckets * 8);
   int2 pairs[probes * 2] = zeros(); unsigned produced[1] = zeros();
   hash_join_probe_two_passes(probes, probe_key, bucket_start, suffix, payload, pairs, produced, probes * 2);
*/
// Join of two tables: every probing row reads its bucket twice, first to count the matches, then, after the warp has
// reserved room in the result with one atomic, to write the pairs.
__global__ void hash_join_probe_two_passes(int probes, const unsigned *__restrict__ probe_key,
                                           const int *__restrict__ bucket_start,
                                           const unsigned char *__restrict__ suffix, const int *__restrict__ payload,
                                           int2 *pairs, unsigned *produced, unsigned capacity)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int lo = 0, hi = 0;
    unsigned tag = 0, matches = 0;
    if (row < probes) {
        const unsigned key = probe_key[row];
        tag = key & 7u;
        lo = bucket_start[key >> 3];
        hi = bucket_start[(key >> 3) + 1];
        for (int i = lo; i < hi; i++)
            matches += suffix[i] == tag;
    }
    unsigned incl = matches;
    for (int d = 1; d < 32; d <<= 1) {
        unsigned up = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d)
            incl += up;
    }
    unsigned base = 0;
    if (lane == 31 && incl > 0)
        base = atomicAdd(produced, incl);
    base = __shfl_sync(0xffffffffu, base, 31);
    unsigned out = base + incl - matches;
    for (int i = lo; i < hi; i++)
        if (suffix[i] == tag) {
            if (out < capacity)
                pairs[out] = make_int2(row, payload[i]);
            out++;
        }
}

/* kmutate launch
   int n = 1000000, nnz = 24576 * 256; dim3 block = { 256 }; dim3 grid = { nnz / 256 / 8 };
   int row[nnz] = ascending(0, n); int col[nnz] = randint(0, n); float val[nnz] = uniform(-1, 1);
   float x[n] = uniform(-1, 1); float y[n + 1] = zeros();
   coo_spmv_segmented_shuffles(nnz, row, col, val, x, y);
*/
// Sparse matrix in coordinates, sorted by row, times a vector: a warp walks through 256 entries and forms sums within
// equal rows by a segmented scan of shuffles; the last of each run adds atomically.
__global__ void coo_spmv_segmented_shuffles(int nnz, const int *row, const int *col, const float *val, const float *x,
                                            float *y)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    int at = warp * 256 + lane;
    for (int it = 0; it < 8; it++, at += 32) {
        int r = -1;
        float s = 0.0f;
        if (at < nnz) {
            r = row[at];
            s = val[at] * x[col[at]];
        }
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const int pr = __shfl_up_sync(0xffffffffu, r, d);
            const float ps = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d && pr == r)
                s += ps;
        }
        const int nr = __shfl_down_sync(0xffffffffu, r, 1);
        if (r >= 0 && (lane == 31 || nr != r))
            atomicAdd(&y[r], s);
    }
}

// --------------------------------------------------------------------------------------------------- neural networks

/* kmutate launch
   int heads = 16, T = 1024; dim3 block = { 64 }; dim3 grid = { T / 64, heads };
   float Q[heads * T * 64] = normal(); float K[heads * T * 64] = normal(); float V[heads * T * 64] = normal();
   float O[heads * T * 64] = zeros();
   attention_query_per_thread(T, Q, K, V, O, 0.125f);
*/
// Attention with the softmax kept up on the way: a query per thread with its 64 components and its result in registers,
// keys and values in tiles of 32 in shared memory.
__global__ void __launch_bounds__(64) attention_query_per_thread(int T, const float *__restrict__ Q,
                                                                 const float *__restrict__ K,
                                                                 const float *__restrict__ V, float *__restrict__ O,
                                                                 float scale)
{
    __shared__ float4 ks[32][16];
    __shared__ float4 vs[32][16];
    const int tid = threadIdx.x;
    const long head = (long)blockIdx.y * T * 64;
    const int query = blockIdx.x * 64 + tid;
    const float4 *q4 = (const float4 *)(Q + head + (long)query * 64);

    float4 q[16], o[16];
#pragma unroll
    for (int d = 0; d < 16; d++) {
        float4 v = q4[d];
        q[d] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
        o[d] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    float top = -1e30f, sum = 0.0f;

    for (int t0 = 0; t0 < T; t0 += 32) {
        const float4 *k4 = (const float4 *)(K + head + (long)t0 * 64);
        const float4 *v4 = (const float4 *)(V + head + (long)t0 * 64);
        __syncthreads();
        for (int i = tid; i < 32 * 16; i += 64) {
            ks[i / 16][i % 16] = k4[i];
            vs[i / 16][i % 16] = v4[i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0.0f;
#pragma unroll
            for (int d = 0; d < 16; d++) {
                const float4 k = ks[j][d];
                s += q[d].x * k.x + q[d].y * k.y + q[d].z * k.z + q[d].w * k.w;
            }
            if (s > top) {
                const float shrink = __expf(top - s);
                top = s;
                sum *= shrink;
#pragma unroll
                for (int d = 0; d < 16; d++) {
                    o[d].x *= shrink;
                    o[d].y *= shrink;
                    o[d].z *= shrink;
                    o[d].w *= shrink;
                }
            }
            const float p = __expf(s - top);
            sum += p;
#pragma unroll
            for (int d = 0; d < 16; d++) {
                const float4 v = vs[j][d];
                o[d].x += p * v.x;
                o[d].y += p * v.y;
                o[d].z += p * v.z;
                o[d].w += p * v.w;
            }
        }
    }
    float4 *o4 = (float4 *)(O + head + (long)query * 64);
    const float inv = 1.0f / sum;
#pragma unroll
    for (int d = 0; d < 16; d++)
        o4[d] = make_float4(o[d].x * inv, o[d].y * inv, o[d].z * inv, o[d].w * inv);
}

/* kmutate launch
   int N = 64, C = 256, HW = 784; dim3 block = { 256 }; dim3 grid = { C };
   float x[N * C * HW] = normal(0.3, 1.2); float mean[C] = zeros(); float invstd[C] = zeros();
   float running_mean[C] = zeros(); float running_var[C] = fill(1);
   batchnorm_statistics_nchw(x, mean, invstd, running_mean, running_var, N, C, HW, 0.1f, 1e-5f);
*/
// Batch normalisation in training, statistics of a channel per block: images are strided by all the channels; sums and
// squares go through shuffles and shared memory, then the running averages are brought up to date.
__global__ void batchnorm_statistics_nchw(const float *__restrict__ x, float *mean, float *invstd, float *running_mean,
                                          float *running_var, int N, int C, int HW, float momentum, float eps)
{
    __shared__ float part_sum[32];
    __shared__ float part_sq[32];
    const int c = blockIdx.x;
    const int quads = HW / 4;
    float s = 0.0f, s2 = 0.0f;
    for (int i = threadIdx.x; i < N * quads; i += blockDim.x) {
        const int n = i / quads;
        const int r = i - n * quads;
        const float4 v = reinterpret_cast<const float4 *>(x + ((long)n * C + c) * HW)[r];
        s += v.x + v.y + v.z + v.w;
        s2 += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d > 0; d >>= 1) {
        s += __shfl_down_sync(0xffffffffu, s, d);
        s2 += __shfl_down_sync(0xffffffffu, s2, d);
    }
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (lane == 0) {
        part_sum[warp] = s;
        part_sq[warp] = s2;
    }
    __syncthreads();
    if (warp == 0) {
        s = lane < blockDim.x / 32 ? part_sum[lane] : 0.0f;
        s2 = lane < blockDim.x / 32 ? part_sq[lane] : 0.0f;
        for (int d = 16; d > 0; d >>= 1) {
            s += __shfl_down_sync(0xffffffffu, s, d);
            s2 += __shfl_down_sync(0xffffffffu, s2, d);
        }
        if (lane == 0) {
            const float count = (float)N * HW;
            const float mu = s / count;
            const float var = s2 / count - mu * mu;
            mean[c] = mu;
            invstd[c] = rsqrtf(var + eps);
            running_mean[c] = (1.0f - momentum) * running_mean[c] + momentum * mu;
            running_var[c] = (1.0f - momentum) * running_var[c] + momentum * var * count / (count - 1.0f);
        }
    }
}

/* kmutate launch
   int N = 8, C = 64, K = 64, H = 56, W = 56; dim3 block = { 14, 14 }; dim3 grid = { 16, K / 8, N };
   float in[N * C * H * W] = normal(); float filter[K * C * 9] = uniform(-0.1, 0.1); float bias[K] = uniform(-1, 1);
   float out[N * K * H * W] = zeros();
   conv3x3_nchw_eight_filters(in, filter, bias, out, C, K, H, W);
*/
// Convolution 3 by 3 of images stored channel by channel, with bias and ReLU: blocks of 14 by 14 threads, eight
// channels of the input tile and eight filters in shared memory at a time, eight results per thread.
__global__ void conv3x3_nchw_eight_filters(const float *in, const float *filter, const float *bias, float *out, int C,
                                           int K, int H, int W)
{
    __shared__ float patch[8][16][16];
    __shared__ float taps[8][8][9];
    const int tilesX = W / 14;
    const int x0 = (blockIdx.x % tilesX) * 14;
    const int y0 = (blockIdx.x / tilesX) * 14;
    const int k0 = blockIdx.y * 8;
    const int n = blockIdx.z;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 14 + tx;

    float acc[8];
    for (int k = 0; k < 8; k++)
        acc[k] = bias[k0 + k];

    for (int c0 = 0; c0 < C; c0 += 8) {
        __syncthreads();
        for (int i = tid; i < 8 * 256; i += 196) {
            const int c = i >> 8, yy = (i >> 4) & 15, xx = i & 15;
            const int gy = y0 + yy - 1, gx = x0 + xx - 1;
            float v = 0.0f;
            if (gy >= 0 && gy < H && gx >= 0 && gx < W)
                v = in[((n * C + c0 + c) * H + gy) * W + gx];
            patch[c][yy][xx] = v;
        }
        for (int i = tid; i < 8 * 72; i += 196) {
            const int k = i / 72, rest = i % 72;
            taps[k][rest / 9][rest % 9] = filter[(k0 + k) * C * 9 + c0 * 9 + rest];
        }
        __syncthreads();
        for (int c = 0; c < 8; c++) {
            float v[9];
#pragma unroll
            for (int t = 0; t < 9; t++)
                v[t] = patch[c][ty + t / 3][tx + t % 3];
#pragma unroll
            for (int k = 0; k < 8; k++)
#pragma unroll
                for (int t = 0; t < 9; t++)
                    acc[k] += v[t] * taps[k][c][t];
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[((n * K + k0 + k) * H + y0 + ty) * W + x0 + tx] = fmaxf(acc[k], 0.0f);
}

/* kmutate launch
   int N = 16, H = 56, W = 56, C2 = 96; dim3 block = { C2, 2 }; dim3 grid = { W / 2, H, N };
   half2 x[N * H * W * C2] = normal(); half2 w[25 * C2] = uniform(-0.2, 0.2); half2 y[N * H * W * C2] = zeros();
   depthwise5x5_nhwc_half2(x, w, y, H, W, C2);
*/
// Depthwise convolution 5 by 5 with channels innermost, two half-precision channels per thread, and a hard swish.
__global__ void depthwise5x5_nhwc_half2(const half2 *__restrict__ x, const half2 *__restrict__ w, half2 *__restrict__ y,
                                        int H, int W, int C2)
{
    const int c = threadIdx.x;
    const int ox = blockIdx.x * blockDim.y + threadIdx.y;
    const int oy = blockIdx.y;
    const long image = (long)blockIdx.z * H * W;
    half2 acc = __float2half2_rn(0.0f);
#pragma unroll
    for (int r = 0; r < 5; r++) {
        const int iy = oy + r - 2;
        if (iy < 0 || iy >= H)
            continue;
#pragma unroll
        for (int s = 0; s < 5; s++) {
            const int ix = ox + s - 2;
            if (ix >= 0 && ix < W)
                acc = __hfma2(x[(image + iy * W + ix) * C2 + c], w[(r * 5 + s) * C2 + c], acc);
        }
    }
    float2 f = __half22float2(acc);
    f.x = f.x * fminf(fmaxf(f.x + 3.0f, 0.0f), 6.0f) / 6.0f;
    f.y = f.y * fminf(fmaxf(f.y + 3.0f, 0.0f), 6.0f) / 6.0f;
    y[(image + oy * W + ox) * C2 + c] = __float22half2_rn(f);
}

/* kmutate launch
   int rows = 500000, bags = 20000; int total = csr_nnz(bags, 0, 41); dim3 block = { 32, 8 }; dim3 grid = { bags / 8 };
   float table[rows * 128] = uniform(-1, 1); int offsets[bags + 1] = csr_rowptr(bags, 0, 41);
   int indices[total] = randint(0, rows); float weights[total] = uniform(0, 1); float out[bags * 128] = zeros();
   embedding_bag_weighted_mean((float4 *)table, offsets, indices, weights, (float4 *)out, bags);
*/
// Embedding bag: a warp adds up the weighted rows of its bag, 128 numbers wide, from a large table and divides by the
// sum of the weights.
__global__ void embedding_bag_weighted_mean(const float4 *table, const int *offsets, const int *indices,
                                            const float *weights, float4 *out, int bags)
{
    const int bag = blockIdx.x * blockDim.y + threadIdx.y;
    if (bag >= bags)
        return;
    const int lane = threadIdx.x;
    const int begin = offsets[bag], end = offsets[bag + 1];
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    float norm = 0.f;
    for (int i = begin; i < end; ++i) {
        const float w = weights[i];
        const float4 v = table[(size_t)indices[i] * 32 + lane];
        acc.x = fmaf(w, v.x, acc.x);
        acc.y = fmaf(w, v.y, acc.y);
        acc.z = fmaf(w, v.z, acc.z);
        acc.w = fmaf(w, v.w, acc.w);
        norm += w;
    }
    const float inv = norm > 0.f ? 1.f / norm : 0.f;
    out[(size_t)bag * 32 + lane] = make_float4(acc.x * inv, acc.y * inv, acc.z * inv, acc.w * inv);
}

/* kmutate launch
   int rows = 768, V = 50304; dim3 block = { 1024 }; dim3 grid = { rows };
   __nv_bfloat16 logits[rows * V] = normal(0, 2); int target[rows] = randint(0, V); float loss[rows] = zeros();
   float lse[rows] = zeros();
   cross_entropy_bf16_block_per_row(logits, target, loss, lse, V);
*/
// Cross entropy over a large vocabulary in bfloat16: a block reads its row once, eight numbers per load, with a running
// maximum and sum per thread, and joins them by shuffles and shared memory.
__device__ __forceinline__ void join_max_sum(float &m, float &s, float m2, float s2)
{
    const float top = fmaxf(m, m2);
    s = s * __expf(m - top) + s2 * __expf(m2 - top);
    m = top;
}

__global__ void __launch_bounds__(1024) cross_entropy_bf16_block_per_row(const __nv_bfloat16 *__restrict__ logits,
                                                                         const int *__restrict__ target, float *loss,
                                                                         float *lse, int V)
{
    __shared__ float sm[32], ss[32];
    const __nv_bfloat16 *line = logits + (size_t)blockIdx.x * V;
    const uint4 *wide = reinterpret_cast<const uint4 *>(line);
    float m = -1e30f, s = 0.0f;
    for (int i = threadIdx.x; i < V / 8; i += blockDim.x) {
        const uint4 u = wide[i];
        const unsigned word[4] = { u.x, u.y, u.z, u.w };
        float v[8];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[2 * k] = __uint_as_float(word[k] << 16);
            v[2 * k + 1] = __uint_as_float(word[k] & 0xffff0000u);
        }
        float top = m;
#pragma unroll
        for (int k = 0; k < 8; k++)
            top = fmaxf(top, v[k]);
        s *= __expf(m - top);
#pragma unroll
        for (int k = 0; k < 8; k++)
            s += __expf(v[k] - top);
        m = top;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const float m2 = __shfl_xor_sync(0xffffffffu, m, d);
        const float s2 = __shfl_xor_sync(0xffffffffu, s, d);
        join_max_sum(m, s, m2, s2);
    }
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) {
        sm[warp] = m;
        ss[warp] = s;
    }
    __syncthreads();
    if (warp == 0) {
        m = sm[lane];
        s = ss[lane];
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) {
            const float m2 = __shfl_xor_sync(0xffffffffu, m, d);
            const float s2 = __shfl_xor_sync(0xffffffffu, s, d);
            join_max_sum(m, s, m2, s2);
        }
        if (lane == 0) {
            const float all = m + logf(s);
            lse[blockIdx.x] = all;
            loss[blockIdx.x] = all - __bfloat162float(line[target[blockIdx.x]]);
        }
    }
}

/* kmutate launch
   int M = 1536, N = 1536, K4 = 512; dim3 block = { 16, 16 }; dim3 grid = { N / 64, M / 64 };
   signed char a[M * K4 * 4] = randint(-127, 128); signed char b[N * K4 * 4] = randint(-127, 128);
   float row_scale[M] = uniform(0.001, 0.01); float col_scale[N] = uniform(0.001, 0.01); float c[M * N] = zeros();
   int8_gemm_dp4a_tiles((int *)a, (int *)b, row_scale, col_scale, c, M, N, K4);
*/
// Product of 8-bit matrices by the dot product of four: tiles of 64 by 64 by 64, four by four results per thread,
// scaled to floats by row and column at the end.
__global__ void int8_gemm_dp4a_tiles(const int *__restrict__ a, const int *__restrict__ b,
                                     const float *__restrict__ row_scale, const float *__restrict__ col_scale,
                                     float *__restrict__ c, int M, int N, int K4)
{
    __shared__ int as[16][65];
    __shared__ int bs[16][65];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 16 + tx;
    const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    int acc[4][4] = {};
    for (int k0 = 0; k0 < K4; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int r = tid / 16 + 16 * i, k = tid % 16;
            as[k][r] = a[(m0 + r) * K4 + k0 + k];
            bs[k][r] = b[(n0 + r) * K4 + k0 + k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int ra[4], rb[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                ra[i] = as[k][ty + 16 * i];
                rb[i] = bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] = __dp4a(ra[i], rb[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int m = m0 + ty + 16 * i, n = n0 + tx + 16 * j;
            c[m * N + n] = acc[i][j] * row_scale[m] * col_scale[n];
        }
}

/* kmutate launch
   int n4 = 1 << 22; dim3 block = { 256 }; dim3 grid = { 1056 };
   half x[n4 * 4] = normal(); half residual[n4 * 4] = normal(); half out[n4 * 4] = zeros();
   unsigned char mask[n4] = zeros();
   dropout_philox_add_residual((uint2 *)x, (uint2 *)residual, (uint2 *)out, mask, n4, 0.1f, 2024u, 17u);
*/
// Dropout and addition of the residual in half precision: ten rounds of Philox give the random numbers of four
// elements, whose mask is kept in a byte; the grid strides over the array.
__device__ __forceinline__ uint4 philox_ten_rounds(uint4 ctr, unsigned k0, unsigned k1)
{
#pragma unroll
    for (int i = 0; i < 10; i++) {
        const unsigned hi0 = __umulhi(0xD2511F53u, ctr.x), lo0 = 0xD2511F53u * ctr.x;
        const unsigned hi1 = __umulhi(0xCD9E8D57u, ctr.z), lo1 = 0xCD9E8D57u * ctr.z;
        ctr = make_uint4(hi1 ^ ctr.y ^ k0, lo1, hi0 ^ ctr.w ^ k1, lo0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return ctr;
}

__global__ void dropout_philox_add_residual(const uint2 *x, const uint2 *residual, uint2 *out, unsigned char *mask,
                                            int n4, float p, unsigned seed, unsigned offset)
{
    const unsigned limit = (unsigned)(p * 4294967040.0f);
    const float scale = 1.0f / (1.0f - p);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        const uint4 rnd = philox_ten_rounds(make_uint4((unsigned)i, 0u, offset, 0u), seed, 0x1BD11BDAu);
        const uint2 xv = x[i];
        const uint2 rv = residual[i];
        const float2 xa = __half22float2(*reinterpret_cast<const half2 *>(&xv.x));
        const float2 xb = __half22float2(*reinterpret_cast<const half2 *>(&xv.y));
        const float2 ra = __half22float2(*reinterpret_cast<const half2 *>(&rv.x));
        const float2 rb = __half22float2(*reinterpret_cast<const half2 *>(&rv.y));
        const bool k0 = rnd.x >= limit, k1 = rnd.y >= limit, k2 = rnd.z >= limit, k3 = rnd.w >= limit;
        const half2 oa = __floats2half2_rn(ra.x + (k0 ? xa.x * scale : 0.0f), ra.y + (k1 ? xa.y * scale : 0.0f));
        const half2 ob = __floats2half2_rn(rb.x + (k2 ? xb.x * scale : 0.0f), rb.y + (k3 ? xb.y * scale : 0.0f));
        uint2 o;
        o.x = *reinterpret_cast<const unsigned *>(&oa);
        o.y = *reinterpret_cast<const unsigned *>(&ob);
        out[i] = o;
        mask[i] = (unsigned char)(k0 | k1 << 1 | k2 << 2 | k3 << 3);
    }
}

// ------------------------------------------------------------------------------------------- images, signals and media

/* kmutate launch
   int width = 4096, height = 2160; dim3 block = { 32, 16 }; dim3 grid = { width / 32, height / 16 };
   unsigned char src[width * height] = randint(0, 256); unsigned char dst[width * height] = zeros();
   median3x3_bytes_in_shared(src, dst, width, height);
*/
// Median of the nine pixels around each pixel, bytes, tile with a border in shared memory, by a network of minima and
// maxima.
#define MINMAX(a, b) { const int lo_ = min(a, b); b = max(a, b); a = lo_; }
__global__ void median3x3_bytes_in_shared(const unsigned char *src, unsigned char *dst, int width, int height)
{
    __shared__ unsigned char tile[18][36];
    const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        const int ty = i / 34, tx = i % 34;
        const int gx = min(max(x0 + tx, 0), width - 1);
        const int gy = min(max(y0 + ty, 0), height - 1);
        tile[ty][tx] = src[gy * width + gx];
    }
    __syncthreads();

    const int x = threadIdx.x, y = threadIdx.y;
    int p0 = tile[y][x], p1 = tile[y][x + 1], p2 = tile[y][x + 2];
    int p3 = tile[y + 1][x], p4 = tile[y + 1][x + 1], p5 = tile[y + 1][x + 2];
    int p6 = tile[y + 2][x], p7 = tile[y + 2][x + 1], p8 = tile[y + 2][x + 2];
    MINMAX(p1, p2) MINMAX(p4, p5) MINMAX(p7, p8)
    MINMAX(p0, p1) MINMAX(p3, p4) MINMAX(p6, p7)
    MINMAX(p1, p2) MINMAX(p4, p5) MINMAX(p7, p8)
    MINMAX(p0, p3) MINMAX(p5, p8) MINMAX(p4, p7)
    MINMAX(p3, p6) MINMAX(p1, p4) MINMAX(p2, p5)
    MINMAX(p4, p7) MINMAX(p4, p2) MINMAX(p6, p4)
    MINMAX(p4, p2)
    dst[(blockIdx.y * 16 + y) * width + blockIdx.x * 32 + x] = (unsigned char)p4;
}

/* kmutate launch
   int width = 4096, height = 3072; dim3 block = { 256 }; dim3 grid = { width / 256, height / 8 };
   unsigned char pixels[width * height] = randint(0, 256); float quant[64] = uniform(0.02, 0.2);
   short coeffs[width * height] = zeros();
   jpeg_dct_and_quantise(pixels, quant, coeffs, width);
*/
// Cosine transform of 8 by 8 pixels and quantisation: 32 such squares side by side per block, first a column per thread
// from global memory, then a row per thread from shared memory.
__device__ __forceinline__ void dct_of_eight(float *v)
{
    const float a0 = v[0] + v[7], a7 = v[0] - v[7];
    const float a1 = v[1] + v[6], a6 = v[1] - v[6];
    const float a2 = v[2] + v[5], a5 = v[2] - v[5];
    const float a3 = v[3] + v[4], a4 = v[3] - v[4];
    const float b0 = a0 + a3, b3 = a0 - a3;
    const float b1 = a1 + a2, b2 = a1 - a2;
    v[0] = 0.35355339f * (b0 + b1);
    v[4] = 0.35355339f * (b0 - b1);
    v[2] = 0.46193977f * b3 + 0.19134172f * b2;
    v[6] = 0.19134172f * b3 - 0.46193977f * b2;
    v[1] = 0.49039264f * a7 + 0.41573481f * a6 + 0.27778512f * a5 + 0.09754516f * a4;
    v[3] = 0.41573481f * a7 - 0.09754516f * a6 - 0.49039264f * a5 - 0.27778512f * a4;
    v[5] = 0.27778512f * a7 - 0.49039264f * a6 + 0.09754516f * a5 + 0.41573481f * a4;
    v[7] = 0.09754516f * a7 - 0.27778512f * a6 + 0.41573481f * a5 - 0.49039264f * a4;
}

__global__ void jpeg_dct_and_quantise(const unsigned char *pixels, const float *quant, short *coeffs, int width)
{
    __shared__ float rows[8][257];
    const int t = threadIdx.x;
    const int x0 = blockIdx.x * 256;
    const int y0 = blockIdx.y * 8;
    float v[8];
#pragma unroll
    for (int r = 0; r < 8; r++)
        v[r] = pixels[(y0 + r) * width + x0 + t] - 128.0f;
    dct_of_eight(v);
#pragma unroll
    for (int r = 0; r < 8; r++)
        rows[r][t] = v[r];
    __syncthreads();

    const int square = t / 8, row = t % 8;
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = rows[row][square * 8 + k];
    dct_of_eight(v);
    short *out = coeffs + (y0 + row) * width + x0 + square * 8;
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[k] = (short)__float2int_rn(v[k] * quant[row * 8 + k]);
}

/* kmutate launch
   int width = 1920, height = 1088; dim3 block = { 320 }; dim3 grid = { width / 16, height / 16 };
   unsigned char current[width * height] = randint(0, 256); unsigned char previous[width * height] = randint(0, 256);
   int2 vectors[width / 16 * (height / 16)] = zeros();
   motion_search_sad_16x16(current, previous, vectors, width, height);
*/
// Estimation of motion: all 289 displacements up to eight pixels of a square of 16 by 16, one per thread, by the sum of
// absolute differences in shared memory; the smallest wins by an atomic minimum.
__global__ void motion_search_sad_16x16(const unsigned char *current, const unsigned char *previous, int2 *vectors,
                                        int width, int height)
{
    __shared__ unsigned char cur[16][16];
    __shared__ unsigned char window[32][32];
    __shared__ unsigned best;
    const int bx = blockIdx.x * 16, by = blockIdx.y * 16;
    const int t = threadIdx.x;
    if (t == 0)
        best = 0xffffffffu;
    if (t < 256)
        cur[t / 16][t % 16] = current[(by + t / 16) * width + bx + t % 16];
    for (int i = t; i < 1024; i += blockDim.x) {
        const int gy = min(max(by - 8 + i / 32, 0), height - 1);
        const int gx = min(max(bx - 8 + i % 32, 0), width - 1);
        window[i / 32][i % 32] = previous[gy * width + gx];
    }
    __syncthreads();
    if (t < 289) {
        const int dy = t / 17, dx = t % 17;
        unsigned sad = 0;
        for (int y = 0; y < 16; y++) {
#pragma unroll
            for (int x = 0; x < 16; x++) {
                // the window's last row and column stand for displacements of more than seven
                const int wy = min(dy + y, 31), wx = min(dx + x, 31);
                sad = __usad(cur[y][x], window[wy][wx], sad);
            }
        }
        atomicMin(&best, sad << 9 | t);
    }
    __syncthreads();
    if (t == 0) {
        const int w = best & 511u;
        vectors[blockIdx.y * gridDim.x + blockIdx.x] = make_int2(w % 17 - 8, w / 17 - 8);
    }
}

/* kmutate launch
   int width = 4096, height = 3072; dim3 block = { 256 }; dim3 grid = { height };
   unsigned char gray[width * height] = randint(0, 256); unsigned sums[width * height] = zeros();
   integral_image_row_sums((uchar4 *)gray, (uint4 *)sums, width / 4);
*/
// Integral image, first pass: a block forms the prefix sums of a row of bytes, sixteen pixels per thread, by shuffles
// and a second level in shared memory.
__global__ void integral_image_row_sums(const uchar4 *gray, uint4 *sums, int quads)
{
    __shared__ unsigned warp_sum[8];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const uchar4 *row = gray + (size_t)blockIdx.x * quads + t * 4;
    uint4 *dst = sums + (size_t)blockIdx.x * quads + t * 4;
    uint4 run[4];
    unsigned acc = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uchar4 p = row[k];
        run[k].x = acc += p.x;
        run[k].y = acc += p.y;
        run[k].z = acc += p.z;
        run[k].w = acc += p.w;
    }
    unsigned incl = acc;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const unsigned o = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d)
            incl += o;
    }
    if (lane == 31)
        warp_sum[warp] = incl;
    __syncthreads();
    unsigned before = incl - acc;
    for (int w = 0; w < warp; w++)
        before += warp_sum[w];
#pragma unroll
    for (int k = 0; k < 4; k++)
        dst[k] = make_uint4(run[k].x + before, run[k].y + before, run[k].z + before, run[k].w + before);
}

/* kmutate launch
   int n = 1 << 22, ntaps = 128; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float2 signal[n + 128] = uniform(-1, 1); float taps[ntaps] = uniform(-0.1, 0.1); float2 filtered[n] = zeros();
   fir_complex_samples<128>(signal, taps, filtered);
*/
// A filter of 128 real coefficients over complex samples: a block's samples and all the coefficients in shared memory,
// one result per thread.
template <int TAPS>
__global__ void fir_complex_samples(const float2 *__restrict__ signal, const float *__restrict__ taps,
                                    float2 *__restrict__ filtered)
{
    __shared__ float2 line[256 + TAPS];
    __shared__ float coef[TAPS];
    const int base = blockIdx.x * 256;
    for (int i = threadIdx.x; i < 256 + TAPS; i += 256)
        line[i] = signal[base + i];
    if (threadIdx.x < TAPS)
        coef[threadIdx.x] = taps[threadIdx.x];
    __syncthreads();
    float re = 0.0f, im = 0.0f;
#pragma unroll 16
    for (int k = 0; k < TAPS; k++) {
        const float2 s = line[threadIdx.x + TAPS - k];
        re = fmaf(coef[k], s.x, re);
        im = fmaf(coef[k], s.y, im);
    }
    filtered[base + threadIdx.x] = make_float2(re, im);
}

/* kmutate launch
   int sw = 3840, sh = 2160, dw = 1600, dh = 900; dim3 block = { 32, 4 }; dim3 grid = { dw / 32, dh / 4 };
   uchar4 src[sw * sh] = randint(0, 256); float planes[3 * dw * dh] = zeros();
   resize_bilinear_to_planes(src, sw, sh, planes, dw, dh);
*/
// Bilinear resizing of a colour image of bytes into three normalised planes of floats, as before a network's first
// layer.
__global__ void resize_bilinear_to_planes(const uchar4 *src, int sw, int sh, float *planes, int dw, int dh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dw || y >= dh)
        return;
    float fx = (x + 0.5f) * ((float)sw / dw) - 0.5f;
    float fy = (y + 0.5f) * ((float)sh / dh) - 0.5f;
    fx = fminf(fmaxf(fx, 0.0f), sw - 1.0f);
    fy = fminf(fmaxf(fy, 0.0f), sh - 1.0f);
    int x0 = (int)fx, y0 = (int)fy;
    int x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
    float wx = fx - x0, wy = fy - y0;
    uchar4 a = src[y0 * sw + x0], b = src[y0 * sw + x1];
    uchar4 c = src[y1 * sw + x0], d = src[y1 * sw + x1];
    float r = (1 - wy) * ((1 - wx) * a.x + wx * b.x) + wy * ((1 - wx) * c.x + wx * d.x);
    float g = (1 - wy) * ((1 - wx) * a.y + wx * b.y) + wy * ((1 - wx) * c.y + wx * d.y);
    float u = (1 - wy) * ((1 - wx) * a.z + wx * b.z) + wy * ((1 - wx) * c.z + wx * d.z);
    int o = y * dw + x;
    planes[o] = (r / 255.0f - 0.485f) / 0.229f;
    planes[o + dw * dh] = (g / 255.0f - 0.456f) / 0.224f;
    planes[o + 2 * dw * dh] = (u / 255.0f - 0.406f) / 0.225f;
}

// ----------------------------------------------------------------------------------------- prices, ciphers and numbers

/* kmutate launch
   int paths = 131072, steps = 252; dim3 block = { 128 }; dim3 grid = { paths / 128 };
   float normals[steps * paths] = normal(); double payoff_sum[1] = zeros(); float payoffs[paths] = zeros();
   asian_call_from_path_array(normals, payoffs, payoff_sum, paths, steps, 100.0f, 102.0f, 0.03f, 0.25f, 1.0f);
*/
// Asian call option by Monte Carlo: each thread follows a path through an array of normal numbers stored by time steps,
// averages the prices, and the block adds its payoffs up in double precision.
__global__ void asian_call_from_path_array(const float *normals, float *payoffs, double *payoff_sum, int paths,
                                           int steps, float spot, float strike, float rate, float sigma, float maturity)
{
    __shared__ double partial[128];
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    const float dt = maturity / steps;
    const float drift = (rate - 0.5f * sigma * sigma) * dt;
    const float vol = sigma * sqrtf(dt);
    float pay = 0.0f;
    if (p < paths) {
        float s = spot;
        double running = 0.0;
        for (int t = 0; t < steps; t++) {
            s *= expf(drift + vol * normals[(size_t)t * paths + p]);
            running += s;
        }
        pay = fmaxf((float)(running / steps) - strike, 0.0f) * expf(-rate * maturity);
        payoffs[p] = pay;
    }
    partial[threadIdx.x] = pay;
    __syncthreads();
    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        if (threadIdx.x < h)
            partial[threadIdx.x] += partial[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(payoff_sum, partial[0]);
}

/* kmutate launch
   int n = 1 << 21; dim3 block = { 512 }; dim3 grid = { n / 1024 };
   unsigned t_tables[1024] = randint(0, 1u << 31); unsigned sbox[256] = randint(0, 256);
   unsigned round_keys[44] = randint(0, 1u << 31); uint4 text[n] = randint(0, 1u << 31); uint4 cipher[n] = zeros();
   aes128_counter_shared_tables(t_tables, sbox, round_keys, text, cipher, n, 0x01234567u, 0x89abcdefu);
*/
// AES-128 in counter mode: four tables of 256 words and the round keys in shared memory, looked up at random by bytes;
// each thread enciphers two counters, one after the other.
#define AES_COLUMN(a, b, c, d) (T[0][(a) >> 24] ^ T[1][((b) >> 16) & 255] ^ T[2][((c) >> 8) & 255] ^ T[3][(d) & 255])
#define AES_LAST(a, b, c, d) \
    (S[(a) >> 24] << 24 | S[((b) >> 16) & 255] << 16 | S[((c) >> 8) & 255] << 8 | S[(d) & 255])
__global__ void aes128_counter_shared_tables(const unsigned *t_tables, const unsigned *sbox, const unsigned *round_keys,
                                             const uint4 *text, uint4 *cipher, int n, unsigned nonce0, unsigned nonce1)
{
    __shared__ unsigned T[4][256];
    __shared__ unsigned S[256];
    __shared__ unsigned rk[44];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        T[i >> 8][i & 255] = t_tables[i];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        S[i] = sbox[i];
    if (threadIdx.x < 44)
        rk[threadIdx.x] = round_keys[threadIdx.x];
    __syncthreads();

    for (int rep = 0; rep < 2; rep++) {
        const int at = (blockIdx.x * 2 + rep) * blockDim.x + threadIdx.x;
        if (at >= n)
            return;
        unsigned s0 = nonce0 ^ rk[0], s1 = nonce1 ^ rk[1], s2 = 0u ^ rk[2], s3 = (unsigned)at ^ rk[3];
        for (int r = 1; r < 10; r++) {
            const unsigned t0 = AES_COLUMN(s0, s1, s2, s3) ^ rk[4 * r];
            const unsigned t1 = AES_COLUMN(s1, s2, s3, s0) ^ rk[4 * r + 1];
            const unsigned t2 = AES_COLUMN(s2, s3, s0, s1) ^ rk[4 * r + 2];
            const unsigned t3 = AES_COLUMN(s3, s0, s1, s2) ^ rk[4 * r + 3];
            s0 = t0;
            s1 = t1;
            s2 = t2;
            s3 = t3;
        }
        const uint4 p = text[at];
        uint4 c;
        c.x = p.x ^ rk[40] ^ AES_LAST(s0, s1, s2, s3);
        c.y = p.y ^ rk[41] ^ AES_LAST(s1, s2, s3, s0);
        c.z = p.z ^ rk[42] ^ AES_LAST(s2, s3, s0, s1);
        c.w = p.w ^ rk[43] ^ AES_LAST(s3, s0, s1, s2);
        cipher[at] = c;
    }
}

/* kmutate launch
   int n = 400000; dim3 block = { 160 }; dim3 grid = { n / 160 };
   unsigned base[n] = randint(2, 1u << 31); unsigned exponent[n] = randint(1, 1u << 31);
   unsigned mod_lo[n] = randint(0, 1u << 31); unsigned mod_hi[n] = randint(1u << 16, 1u << 31);
   unsigned long long power[n] = zeros();
   modular_power_montgomery64(n, base, exponent, mod_lo, mod_hi, power);
*/
// Powers modulo odd numbers of 63 bits, Montgomery's multiplication, a number per thread: square and multiply along the
// bits of the exponent.
typedef unsigned long long u64;

__device__ __forceinline__ u64 mont_mul(u64 a, u64 b, u64 m, u64 minv)
{
    const u64 lo = a * b;
    const u64 hi = __umul64hi(a, b);
    const u64 q = lo * minv;
    const u64 qm = __umul64hi(q, m);
    const u64 r = hi + m - qm;
    return r >= m ? r - m : r;
}

__global__ void modular_power_montgomery64(int n, const unsigned *base, const unsigned *exponent,
                                           const unsigned *mod_lo, const unsigned *mod_hi, u64 *power)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const u64 m = ((u64)mod_hi[i] << 32 | mod_lo[i]) | 1ull;
    u64 inv = m;
    for (int k = 0; k < 5; k++)
        inv *= 2ull - m * inv;
    const u64 one = (0ull - m) % m;
    u64 r2 = one;
    for (int k = 0; k < 64; k++) {
        r2 += r2;
        if (r2 >= m)
            r2 -= m;
    }
    u64 x = mont_mul(base[i], r2, m, inv);
    u64 acc = one;
    unsigned e = exponent[i];
    while (e) {
        if (e & 1u)
            acc = mont_mul(acc, x, m, inv);
        x = mont_mul(x, x, m, inv);
        e >>= 1;
    }
    power[i] = mont_mul(acc, 1ull, m, inv);
}

/* kmutate launch
   int segments = 528, nprimes = 1024; dim3 block = { 256 }; dim3 grid = { segments };
   int primes[nprimes] = ascending(3, 8192); unsigned left[segments] = zeros();
   sieve_segment_bits_in_shared(primes, nprimes, left);
*/
// A segment of a sieve per block, 262144 odd numbers as bits in 32 KB of shared memory: small divisors are struck out
// by all threads together, larger ones by a thread each, by atomic ors; then the remaining bits are counted.
#define SEGMENT (1 << 18)
__global__ void sieve_segment_bits_in_shared(const int *primes, int nprimes, unsigned *left)
{
    __shared__ unsigned bits[SEGMENT / 32];
    __shared__ unsigned total;
    for (int i = threadIdx.x; i < SEGMENT / 32; i += blockDim.x)
        bits[i] = 0u;
    if (threadIdx.x == 0)
        total = 0u;
    __syncthreads();

    // bit k of the block stands for the odd number first + 2 k
    const unsigned first = 100000001u + blockIdx.x * 2u * SEGMENT;
    int split = 0;
    while (split < nprimes && primes[split] < 256) {
        const unsigned p = (unsigned)max(primes[split], 3) | 1u;
        unsigned m = (first + p - 1) / p * p;
        if (!(m & 1u))
            m += p;
        for (unsigned k = (m - first) / 2 + threadIdx.x * p; k < SEGMENT; k += p * blockDim.x)
            atomicOr(&bits[k >> 5], 1u << (k & 31));
        split++;
    }
    for (int i = split + threadIdx.x; i < nprimes; i += blockDim.x) {
        const unsigned p = (unsigned)max(primes[i], 3) | 1u;
        unsigned m = (first + p - 1) / p * p;
        if (!(m & 1u))
            m += p;
        for (unsigned k = (m - first) / 2; k < SEGMENT; k += p)
            atomicOr(&bits[k >> 5], 1u << (k & 31));
    }
    __syncthreads();

    unsigned mine = 0;
    for (int i = threadIdx.x; i < SEGMENT / 32; i += blockDim.x)
        mine += 32 - __popc(bits[i]);
    atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        left[blockIdx.x] = total;
}

/* kmutate launch
   int n = 98304; dim3 block = { 96 }; dim3 grid = { n / 96 };
   float packed[21 * n] = uniform(-1, 1); float values[6 * n] = zeros(); int sweeps[n] = zeros();
   jacobi_eigenvalues_six_by_six(n, packed, values, sweeps);
*/
// Eigenvalues of many symmetric 6 by 6 matrices by Jacobi's rotations, a matrix per thread in registers; sweeps go on
// until the other elements are small.
__global__ void jacobi_eigenvalues_six_by_six(int n, const float *__restrict__ packed, float *__restrict__ values,
                                              int *__restrict__ sweeps)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n)
        return;
    float a[6][6];
    int at = 0;
#pragma unroll
    for (int i = 0; i < 6; i++)
#pragma unroll
        for (int j = i; j < 6; j++) {
            const float v = packed[at++ * n + id];
            a[i][j] = v;
            a[j][i] = v;
        }
    int sweep = 0;
    for (; sweep < 10; sweep++) {
        float off = 0.0f;
#pragma unroll
        for (int i = 0; i < 6; i++)
#pragma unroll
            for (int j = i + 1; j < 6; j++)
                off += a[i][j] * a[i][j];
        if (off < 1e-9f)
            break;
#pragma unroll
        for (int p = 0; p < 5; p++)
#pragma unroll
            for (int q = p + 1; q < 6; q++) {
                const float apq = a[p][q];
                if (fabsf(apq) > 1e-7f) {
                    const float theta = (a[q][q] - a[p][p]) / (2.0f * apq);
                    const float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
                    const float c = rsqrtf(t * t + 1.0f);
                    const float s = t * c;
#pragma unroll
                    for (int k = 0; k < 6; k++) {
                        if (k != p && k != q) {
                            const float akp = a[k][p], akq = a[k][q];
                            const float np = c * akp - s * akq;
                            const float nq = s * akp + c * akq;
                            a[k][p] = np;
                            a[p][k] = np;
                            a[k][q] = nq;
                            a[q][k] = nq;
                        }
                    }
                    a[p][p] -= t * apq;
                    a[q][q] += t * apq;
                    a[p][q] = 0.0f;
                    a[q][p] = 0.0f;
                }
            }
    }
#pragma unroll
    for (int i = 0; i < 6; i++)
        values[i * n + id] = a[i][i];
    sweeps[id] = sweep;
}

// ----------------------------------------------------------------------------------------------- dense linear algebra

/* kmutate launch
   int m = 8192, n = 4096, strip = 256; dim3 block = { 32, 8 }; dim3 grid = { n / 128, m / strip };
   float A[m * n] = uniform(-1, 1); float x[m] = uniform(-1, 1); float y[n] = zeros();
   gemv_transposed_strips((float4 *)A, x, y, n / 4, strip, 0.7f);
*/
// Transposed matrix times vector: a block sums 256 rows of 128 columns, four columns per lane, over its eight warps in
// shared memory, and adds its part atomically.
__global__ void gemv_transposed_strips(const float4 *A, const float *x, float *y, int ld4, int strip, float alpha)
{
    __shared__ float4 part[8][32];
    const int col = blockIdx.x * 32 + threadIdx.x;
    const int r0 = blockIdx.y * strip;
    float4 s = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 4
    for (int r = r0 + threadIdx.y; r < r0 + strip; r += 8) {
        const float4 a = A[(size_t)r * ld4 + col];
        const float b = x[r];
        s.x += a.x * b;
        s.y += a.y * b;
        s.z += a.z * b;
        s.w += a.w * b;
    }
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int k = 1; k < 8; k++) {
            const float4 o = part[k][threadIdx.x];
            s.x += o.x;
            s.y += o.y;
            s.z += o.z;
            s.w += o.w;
        }
        atomicAdd(&y[4 * col], alpha * s.x);
        atomicAdd(&y[4 * col + 1], alpha * s.y);
        atomicAdd(&y[4 * col + 2], alpha * s.z);
        atomicAdd(&y[4 * col + 3], alpha * s.w);
    }
}

/* kmutate launch
   int batch = 20000; dim3 block = { 16, 16 }; dim3 grid = { batch };
   double A[batch * 256] = uniform(-1, 1); double B[batch * 256] = uniform(-1, 1);
   double C[batch * 256] = uniform(-1, 1);
   batched_dgemm_sixteen(A, B, C, 1.0, -0.5);
*/
// Many products of 16 by 16 matrices in double precision, one per block, one element per thread.
__global__ void batched_dgemm_sixteen(const double *A, const double *B, double *C, double alpha, double beta)
{
    __shared__ double a[16][16];
    __shared__ double b[16][17];
    const int i = threadIdx.y, j = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 256 + i * 16 + j;
    a[i][j] = A[base];
    b[i][j] = B[base];
    __syncthreads();
    double sum = 0.0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += a[i][k] * b[k][j];
    C[base] = alpha * sum + beta * C[base];
}

/* kmutate launch
   int nb = 32, nrhs = 196608; dim3 block = { 64 }; dim3 grid = { nrhs / 64 };
   float L[nb * nb] = uniform(0.2, 1); float B[nb * nrhs] = uniform(-1, 1);
   trsm_lower_32_column_per_thread(L, B, nrhs);
*/
// Triangular solve with a lower block of 32 by 32 for very many right-hand sides: the block in shared memory, a column
// of unknowns in a thread's registers.
__global__ void __launch_bounds__(64) trsm_lower_32_column_per_thread(const float *__restrict__ L, float *B, int nrhs)
{
    __shared__ float tri[32][32];
    __shared__ float inverse[32];
    for (int i = threadIdx.x; i < 1024; i += 64)
        tri[i / 32][i % 32] = L[i];
    if (threadIdx.x < 32)
        inverse[threadIdx.x] = 1.0f / L[threadIdx.x * 33];
    __syncthreads();
    const int col = blockIdx.x * 64 + threadIdx.x;
    if (col >= nrhs)
        return;
    float x[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        x[i] = B[(size_t)i * nrhs + col];
#pragma unroll
    for (int i = 0; i < 32; i++) {
        x[i] *= inverse[i];
#pragma unroll
        for (int k = i + 1; k < 32; k++)
            x[k] -= tri[k][i] * x[i];
    }
#pragma unroll
    for (int i = 0; i < 32; i++)
        B[(size_t)i * nrhs + col] = x[i];
}

/* kmutate launch
   int ni = 44, nj = 44; dim3 block = { 12, 12 }; dim3 grid = { nj, ni };
   double A[ni * 48 * 48] = uniform(-1, 1); double B[48 * nj * 48] = uniform(-1, 1);
   double C[ni * nj * 48 * 48] = zeros();
   contraction_four_index_double(A, B, C, nj);
*/
// Contraction of two tensors of three indices to one of four, as in coupled clusters, double precision: a block holds
// both 48 by 48 slices in shared memory, four by four results per thread.
__global__ void __launch_bounds__(144) contraction_four_index_double(const double *A, const double *B, double *C,
                                                                     int nj)
{
    __shared__ double as[48][48];
    __shared__ double bs[48][48];
    const int i = blockIdx.y, j = blockIdx.x;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 12 + tx;
    for (int e = tid; e < 48 * 48; e += 144) {
        const int m = e / 48, k = e % 48;
        as[m][k] = A[(i * 48 + m) * 48 + k];
        bs[m][k] = B[(m * nj + j) * 48 + k];
    }
    __syncthreads();
    double acc[4][4] = {};
#pragma unroll 2
    for (int m = 0; m < 48; m++) {
        double ra[4], rb[4];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            ra[u] = as[m][ty + 12 * u];
            rb[u] = bs[m][tx + 12 * u];
        }
#pragma unroll
        for (int u = 0; u < 4; u++)
#pragma unroll
            for (int v = 0; v < 4; v++)
                acc[u][v] += ra[u] * rb[v];
    }
    double *c = C + (size_t)(i * nj + j) * 48 * 48;
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
        for (int v = 0; v < 4; v++)
            c[(ty + 12 * u) * 48 + tx + 12 * v] = acc[u][v];
}

/* kmutate launch
   int M = 2048, N = 2048, K = 2048; dim3 block = { 256 }; dim3 grid = { N / 128, M / 128 };
   half A[M * K] = uniform(-0.5, 0.5); half B[K * N] = uniform(-0.5, 0.5); float C[M * N] = zeros();
   wmma_gemm_128x128_tiles(A, B, C, M, N, K);
*/
// Product of half-precision matrices on the tensor cores: tiles of 128 by 128 by 32 in shared memory with padded rows,
// eight warps with two by four fragments each, sums in single precision.
__global__ void __launch_bounds__(256) wmma_gemm_128x128_tiles(const half *__restrict__ A, const half *__restrict__ B,
                                                               float *__restrict__ C, int M, int N, int K)
{
    using namespace nvcuda;
    __shared__ __align__(32) half sa[128][48];
    __shared__ __align__(32) half sb[32][144];
    const int tid = threadIdx.x;
    const int warp = tid / 32;
    const int wm = (warp / 2) * 32;
    const int wn = (warp % 2) * 64;
    const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 128;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][4];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            wmma::fill_fragment(acc[i][j], 0.0f);

    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int e = tid + i * 256;
            const int ar = e / 4, ac = (e % 4) * 8;
            *reinterpret_cast<uint4 *>(&sa[ar][ac]) =
                *reinterpret_cast<const uint4 *>(&A[(size_t)(m0 + ar) * K + k0 + ac]);
            const int br = e / 16, bc = (e % 16) * 8;
            *reinterpret_cast<uint4 *>(&sb[br][bc]) =
                *reinterpret_cast<const uint4 *>(&B[(size_t)(k0 + br) * N + n0 + bc]);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[4];
#pragma unroll
            for (int i = 0; i < 2; i++)
                wmma::load_matrix_sync(fa[i], &sa[wm + i * 16][kk], 48);
#pragma unroll
            for (int j = 0; j < 4; j++)
                wmma::load_matrix_sync(fb[j], &sb[kk][wn + j * 16], 144);
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            wmma::store_matrix_sync(&C[(size_t)(m0 + wm + i * 16) * N + n0 + wn + j * 16], acc[i][j], N,
                                    wmma::mem_row_major);
}
