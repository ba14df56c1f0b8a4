// The sixth set of kernels that nobody tuned the model of time for: steps of simulations, graphs, sorting and scans, integers and
// hashes, copies and transpositions, matrix products, images and language models, written from what is commonly known of the
// algorithms by someone who had seen neither the model nor its results (tests/gpu/heldout.py, docs/heldout.md).

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#define ceil_div(m, n) (((m) + (n) - 1) / (n))

// ------------------------------------------------------------------------------------------------------------ simulation

/* kmutate launch
   int nx = 512, ny = 512, nz = 8; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4 };
   float out[nx * ny * nz] = zeros(); float in[nx * ny * nz] = uniform(320, 340); float power[nx * ny * nz] = uniform(0, 0.01);
   thermal_stack(out, in, power, nx, ny, nz, 0.0683f, 0.0683f, 0.0002f, 0.3410f, 0.3f, 80.0f);
*/
// Heat of a stack of chips: a thread goes up a column and hands on what it read; the rims see themselves.
__global__ void thermal_stack(float *out, const float *in, const float *power, int nx, int ny, int nz, float ce, float cn, float ct, float cc,
                              float step, float ambient)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, layer = nx * ny;
    int c = i + j * nx;
    const int west = i == 0 ? 0 : -1, east = i == nx - 1 ? 0 : 1, north = j == 0 ? 0 : -nx, south = j == ny - 1 ? 0 : nx;
    float below = in[c], here = below, above = in[c + layer];
    for (int k = 0; k < nz; k++) {
        out[c] = cc * here + cn * (in[c + north] + in[c + south]) + ce * (in[c + east] + in[c + west])
            + ct * (above + below) + step * power[c] + ct * ambient;
        below = here;
        here = above;
        c += layer;
        if (k + 2 < nz) above = in[c + layer];
    }
}

/* kmutate launch
   int w = 3072, h = 2048; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 64 };
   extern float tap[17] = uniform(0.02, 0.1);
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 1);
   gauss17_columns(out, in, w, h);
*/
// The vertical half of a separable filter: 32 columns of 64 rows with a rim of eight, weights from constant memory.
__constant__ float tap[17];
__global__ void gauss17_columns(float *out, const float *in, int w, int h)
{
    __shared__ float s[80][32];
    const int x = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 64 - 8;
    for (int r = threadIdx.y; r < 80; r += 8) {
        const int y = min(max(top + r, 0), h - 1);
        s[r][threadIdx.x] = in[y * w + x];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const int row = threadIdx.y + r * 8;
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 17; k++) sum += tap[k] * s[row + k][threadIdx.x];
        out[(blockIdx.y * 64 + row) * w + x] = sum;
    }
}

/* kmutate launch
   int w = 1536, h = 1024; dim3 block = { 32, 4 }; dim3 grid = { w / 32, h / 4 };
   float h1[w * h] = zeros(); float u1[w * h] = zeros(); float v1[w * h] = zeros();
   float h0[w * h] = uniform(1, 1.1); float u0[w * h] = uniform(-0.1, 0.1); float v0[w * h] = uniform(-0.1, 0.1);
   shallow_water(h1, u1, v1, h0, u0, v0, w, h, 0.05f);
*/
// A step of Lax and Friedrichs for shallow water: height and two momenta, divisions for the fluxes, walls all around.
struct Wave { float h, u, v; };
__device__ Wave flux_x(const Wave &q) { return { q.u, q.u * q.u / q.h + 4.905f * q.h * q.h, q.u * q.v / q.h }; }
__device__ Wave flux_y(const Wave &q) { return { q.v, q.u * q.v / q.h, q.v * q.v / q.h + 4.905f * q.h * q.h }; }
__global__ void shallow_water(float *h1, float *u1, float *v1, const float *h0, const float *u0, const float *v0, int w, int h, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * w + x;
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) {
        h1[at] = h0[at];
        u1[at] = -u0[at];
        v1[at] = -v0[at];
        return;
    }
    Wave l = { h0[at - 1], u0[at - 1], v0[at - 1] }, r = { h0[at + 1], u0[at + 1], v0[at + 1] };
    Wave b = { h0[at - w], u0[at - w], v0[at - w] }, t = { h0[at + w], u0[at + w], v0[at + w] };
    Wave fl = flux_x(l), fr = flux_x(r), fb = flux_y(b), ft = flux_y(t);
    h1[at] = 0.25f * (l.h + r.h + b.h + t.h) - c * (fr.h - fl.h + ft.h - fb.h);
    u1[at] = 0.25f * (l.u + r.u + b.u + t.u) - c * (fr.u - fl.u + ft.u - fb.u);
    v1[at] = 0.25f * (l.v + r.v + b.v + t.v) - c * (fr.v - fl.v + ft.v - fb.v);
}

/* kmutate launch
   int nx = 256, ny = 208, nz = 80; dim3 block = { 32, 4, 2 }; dim3 grid = { nx / 32, ny / 4, nz / 2 };
   float next[nx * ny * nz] = zeros(); float now[nx * ny * nz] = normal(); float speed[nx * ny * nz] = uniform(0.01, 0.02);
   acoustic_naive(next, now, speed, nx, ny, nz);
*/
// Sound in three dimensions, eighth order in space, each point from global memory, what was two steps ago is overwritten.
__global__ void acoustic_naive(float *next, const float *now, const float *speed, int nx, int ny, int nz)
{
    const float weight[5] = { -2.8472222f, 1.6f, -0.2f, 0.025396825f, -0.0017857143f };
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 4 || y < 4 || z < 4 || x >= nx - 4 || y >= ny - 4 || z >= nz - 4) return;
    int row = nx, layer = nx * ny, at = z * layer + y * row + x;
    float sum = 3.0f * weight[0] * now[at];
    for (int r = 1; r <= 4; r++)
        sum += weight[r] * (now[at - r] + now[at + r] + now[at - r * row] + now[at + r * row] + now[at - r * layer] + now[at + r * layer]);
    next[at] = 2.0f * now[at] - next[at] + speed[at] * sum;
}

/* kmutate launch
   int nx = 128, ny = 96, nz = 80; dim3 block = { 128 }; dim3 grid = { ny, nz };
   float to[15 * nx * ny * nz] = zeros(); float from[15 * nx * ny * nz] = uniform(0.06, 0.07); unsigned char fluid[nx * ny * nz] = randint(0, 16);
   lbm_d3q15(to, from, fluid, nx, ny, nz, 1.7f);
*/
// Lattice Boltzmann with 15 speeds: collides where there is fluid, bounces back where there is none, and pushes to the neighbours.
__global__ void lbm_d3q15(float *to, const float *from, const unsigned char *fluid, int nx, int ny, int nz, float omega)
{
    constexpr int ex[15] = { 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, -1, 1 }, ey[15] = { 0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, -1, 1, 1, -1 };
    constexpr int ez[15] = { 0, 0, 0, 0, 0, 1, -1, 1, -1, -1, 1, 1, -1, 1, -1 };
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, cells = nx * ny * nz, at = (z * ny + y) * nx + x;
    float f[15], density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int q = 0; q < 15; q++) {
        f[q] = from[q * cells + at];
        density += f[q];
        ux += ex[q] * f[q];
        uy += ey[q] * f[q];
        uz += ez[q] * f[q];
    }
    if (!fluid[at]) {
#pragma unroll
        for (int q = 1; q < 15; q += 2) {
            const float swap = f[q];
            f[q] = f[q + 1];
            f[q + 1] = swap;
        }
    } else {
        const float one = 1.0f / density;
        ux *= one;
        uy *= one;
        uz *= one;
        const float still = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
        for (int q = 0; q < 15; q++) {
            const float along = ex[q] * ux + ey[q] * uy + ez[q] * uz, w = q == 0 ? 2.0f / 9.0f : q < 7 ? 1.0f / 9.0f : 1.0f / 72.0f;
            f[q] += omega * (w * density * (still + 3.0f * along + 4.5f * along * along) - f[q]);
        }
    }
#pragma unroll
    for (int q = 0; q < 15; q++) {
        const int tx = (x + ex[q] + nx) % nx, ty = (y + ey[q] + ny) % ny, tz = (z + ez[q] + nz) % nz;
        to[q * cells + (tz * ny + ty) * nx + tx] = f[q];
    }
}

/* kmutate launch
   int n = 1536; dim3 block = { 32, 8 }; dim3 grid = { n / 32, n / 8 };
   float u1[n * n] = zeros(); float v1[n * n] = zeros(); float u0[n * n] = uniform(0.5, 1); float v0[n * n] = uniform(0, 0.3);
   gray_scott(u1, v1, u0, v0, n, 0.16f, 0.08f, 0.035f, 0.065f);
*/
// Two substances that react and diffuse: tiles with a rim of one in shared memory, round the edges.
__global__ void gray_scott(float *u1, float *v1, const float *u0, const float *v0, int n, float du, float dv, float feed, float kill)
{
    __shared__ float su[10][34], sv[10][34];
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
        int r = i / 34, c = i % 34, y = (int)blockIdx.y * 8 + r - 1, x = (int)blockIdx.x * 32 + c - 1;
        y = y < 0 ? n - 1 : y == n ? 0 : y;
        x = x < 0 ? n - 1 : x == n ? 0 : x;
        su[r][c] = u0[y * n + x];
        sv[r][c] = v0[y * n + x];
    }
    __syncthreads();
    int r = threadIdx.y + 1, c = threadIdx.x + 1;
    float u = su[r][c], v = sv[r][c], uvv = u * v * v;
    float lu = su[r - 1][c] + su[r + 1][c] + su[r][c - 1] + su[r][c + 1] - 4.0f * u;
    float lv = sv[r - 1][c] + sv[r + 1][c] + sv[r][c - 1] + sv[r][c + 1] - 4.0f * v;
    int at = (blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x;
    float more_u = du * lu - uvv + feed * (1.0f - u), more_v = dv * lv + uvv - (feed + kill) * v;
    u1[at] = u + more_u;
    v1[at] = v + more_v;
}

/* kmutate launch
   int atoms = 500000, angles = 900000; dim3 block = { 128 }; dim3 grid = { ceil_div(angles, 128) };
   float4 place[atoms] = uniform(0, 10); float force[3 * atoms] = zeros(); int first[angles] = ascending(0, 499998); float2 spring[16] = uniform(1, 2);
   unsigned char kind[angles] = randint(0, 16);
   bonded_angles(force, place, first, kind, spring, angles);
*/
// Forces of angles between three atoms of a chain, added by atomics.
__global__ void bonded_angles(float *force, const float4 *__restrict__ place, const int *first, const unsigned char *kind,
                              const float2 *__restrict__ spring, int angles)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= angles) return;
    int i = first[a];
    float4 p = place[i], q = place[i + 1], r = place[i + 2];
    float2 k = spring[kind[a]];
    float ax = p.x - q.x, ay = p.y - q.y, az = p.z - q.z, bx = r.x - q.x, by = r.y - q.y, bz = r.z - q.z;
    float la = rsqrtf(ax * ax + ay * ay + az * az + 1e-6f), lb = rsqrtf(bx * bx + by * by + bz * bz + 1e-6f);
    float cosine = fminf(fmaxf((ax * bx + ay * by + az * bz) * la * lb, -0.9999f), 0.9999f), angle = acosf(cosine);
    float push = -2.0f * k.x * (angle - k.y) * rsqrtf(1.0f - cosine * cosine);
    float fa = push * la, fb = push * lb;
    float fx = fa * (cosine * ax * la - bx * lb), fy = fa * (cosine * ay * la - by * lb), fz = fa * (cosine * az * la - bz * lb);
    float gx = fb * (cosine * bx * lb - ax * la), gy = fb * (cosine * by * lb - ay * la), gz = fb * (cosine * bz * lb - az * la);
    atomicAdd(&force[3 * i], fx);
    atomicAdd(&force[3 * i + 1], fy);
    atomicAdd(&force[3 * i + 2], fz);
    atomicAdd(&force[3 * i + 3], -fx - gx);
    atomicAdd(&force[3 * i + 4], -fy - gy);
    atomicAdd(&force[3 * i + 5], -fz - gz);
    atomicAdd(&force[3 * i + 6], gx);
    atomicAdd(&force[3 * i + 7], gy);
    atomicAdd(&force[3 * i + 8], gz);
}

/* kmutate launch
   int side = 26, cells = side * side * side, lo = 1, hi = 5, n = csr_nnz(cells, lo, hi); dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   int start[cells + 1] = csr_rowptr(cells, lo, hi); int cell_of[n] = ascending(0, 17576);
   float4 place[n] = uniform(0, 1); float4 speed[n] = uniform(0.9, 1.1); float4 push[n] = zeros();
   sph_pressure(push, place, speed, start, cell_of, n, side);
*/
// Pressure and viscosity of a fluid of particles: those of 27 cells around, places are relative to one's own cell.
__global__ void sph_pressure(float4 *push, const float4 *place, const float4 *speed, const int *start, const int *cell_of, int n, int side)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    int cell = cell_of[id], cx = cell % side, cy = cell / side % side, cz = cell / side / side;
    float4 me = place[id], v = speed[id];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f, mine = 1.5f * (v.w - 0.95f);
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int x = cx + dx, y = cy + dy, z = cz + dz;
                if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
                int c = (z * side + y) * side + x;
                for (int j = start[c], end = start[c + 1]; j < end; j++) {
                    float4 other = place[j];
                    float rx = me.x - other.x - dx, ry = me.y - other.y - dy, rz = me.z - other.z - dz, r2 = rx * rx + ry * ry + rz * rz;
                    if (r2 >= 1.0f || j == id) continue;
                    float4 w = speed[j];
                    float r = sqrtf(r2) + 1e-4f, left = 1.0f - r, drag = 0.1f * left / w.w;
                    float p = 0.5f * (mine + 1.5f * (w.w - 0.95f)) * left * left / (r * w.w);
                    fx += p * rx + drag * (w.x - v.x);
                    fy += p * ry + drag * (w.y - v.y);
                    fz += p * rz + drag * (w.z - v.z);
                }
            }
    push[id] = make_float4(fx, fy, fz, mine);
}

/* kmutate launch
   int points = 34816, nuclides = 68, each = 512, lookups = 60000; dim3 block = { 256 }; dim3 grid = { ceil_div(lookups, 256) };
   struct Cross { double energy, total, elastic, absorb, fission, nu; };
   double unionized[points] = ascending(0, 1); int index[points * nuclides] = randint(0, 511); double raw[6 * nuclides * each] = uniform(0.5, 1);
   int material[12 * 34] = randint(0, 68); int nuclides_of[12] = { 34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9 };
   double density[12 * 34] = uniform(0, 1); double out[5 * lookups] = zeros();
   neutron_lookup(out, unionized, index, (const struct Cross *)raw, material, nuclides_of, density, points, nuclides, each, lookups);
*/
// Cross sections of a neutron's energy in a material: one bisection, then each nuclide's two neighbours in double precision.
struct Cross { double energy, total, elastic, absorb, fission, nu; };
__global__ void neutron_lookup(double *out, const double *unionized, const int *index, const Cross *cross, const int *material, const int *nuclides_of,
                               const double *density, int points, int nuclides, int each, int lookups)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lookups) return;
    unsigned long long seed = (i + 1) * 2806196910506780709ull + 1ull;
    seed ^= seed >> 29;
    double energy = (seed * 6364136223846793005ull >> 11) * (1.0 / 9007199254740992.0);
    int mat = (int)((seed >> 7) % 12);
    int low = 0, high = points - 1;
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (unionized[mid] > energy)
            high = mid;
        else
            low = mid;
    }
    double total = 0, elastic = 0, absorb = 0, fission = 0, nu = 0;
    for (int k = 0; k < nuclides_of[mat]; k++) {
        int nuclide = material[mat * 34 + k];
        const Cross *a = cross + nuclide * each + index[low * nuclides + nuclide], *b = a + 1;
        double f = (b->energy - energy) / (b->energy - a->energy + 2.0), much = density[mat * 34 + k];
        total += much * (b->total - f * (b->total - a->total));
        elastic += much * (b->elastic - f * (b->elastic - a->elastic));
        absorb += much * (b->absorb - f * (b->absorb - a->absorb));
        fission += much * (b->fission - f * (b->fission - a->fission));
        nu += much * (b->nu - f * (b->nu - a->nu));
    }
    out[i] = total;
    out[lookups + i] = elastic;
    out[2 * lookups + i] = absorb;
    out[3 * lookups + i] = fission;
    out[4 * lookups + i] = nu;
}

/* kmutate launch
   int photons = 16384; dim3 block = { 64 }; dim3 grid = { photons / 64 };
   float heat[64 * 64] = zeros(); float left[photons] = zeros();
   float4 layer[4] = { { 0.1f, 20, 0.8f, 1.2f }, { 0.5f, 10, 0.7f, 2 }, { 0.2f, 15, 0.9f, 3.5f }, { 1, 5, 0.5f, 100 } };
   photon_walk(heat, left, layer, 150);
*/
// Photons that wander through layers of tissue until little is left of them: what is absorbed goes to a map by atomics.
__device__ float next_uniform(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return (s >> 8) * (1.0f / 16777216.0f);
}
__global__ void photon_walk(float *heat, float *left, const float4 *layer, int most)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned seed = id * 2654435761u + 12345u;
    float x = 0, y = 0, z = 0, dx = 0, dy = 0, dz = 1, weight = 1;
    for (int step = 0; step < most; step++) {
        int l = z < layer[0].w ? 0 : z < layer[1].w ? 1 : z < layer[2].w ? 2 : 3;
        float absorb = layer[l].x, scatter = layer[l].y, g = layer[l].z;
        float s = -logf(next_uniform(seed) + 1e-7f) / (absorb + scatter);
        x += s * dx;
        y += s * dy;
        z += s * dz;
        if (z < 0.0f) break;
        float lost = weight * absorb / (absorb + scatter);
        weight -= lost;
        int r = min((int)(sqrtf(x * x + y * y) * 16.0f), 63), d = min((int)(z * 16.0f), 63);
        atomicAdd(&heat[d * 64 + r], lost);
        if (weight < 0.01f) {
            if (next_uniform(seed) > 0.1f) break;
            weight *= 10.0f;
        }
        float t = (1.0f - g * g) / (1.0f - g + 2.0f * g * next_uniform(seed)), cost = (1.0f + g * g - t * t) / (2.0f * g);
        float sint = sqrtf(fmaxf(1.0f - cost * cost, 0.0f)), phi = 6.2831853f * next_uniform(seed), sinp, cosp;
        __sincosf(phi, &sinp, &cosp);
        if (fabsf(dz) > 0.9999f) {
            dx = sint * cosp;
            dy = sint * sinp;
            dz = dz > 0 ? cost : -cost;
        } else {
            float flat = sqrtf(1.0f - dz * dz), nx = sint * (dx * dz * cosp - dy * sinp) / flat + dx * cost;
            float ny = sint * (dy * dz * cosp + dx * sinp) / flat + dy * cost;
            dz = -sint * cosp * flat + dz * cost;
            dx = nx;
            dy = ny;
        }
    }
    left[id] = weight;
}

/* kmutate launch
   int nodes = 160000, elements = 900000; dim3 block = { 128 }; dim3 grid = { ceil_div(elements, 128) };
   double y[nodes] = zeros(); double u[nodes] = uniform(0, 1);
   double px[nodes] = uniform(0, 1); double py[nodes] = uniform(0, 1); double pz[nodes] = uniform(0, 1);
   int base[elements] = ascending(0, 158000); short3 away[elements] = randint(1, 1700);
   tet_assembly(y, u, px, py, pz, base, away, elements);
*/
// Laplace's operator on tetrahedra without a matrix: gradients of four corners in double precision, sums by atomics.
__global__ void tet_assembly(double *y, const double *u, const double *px, const double *py, const double *pz, const int *base, const short3 *away,
                             int elements)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elements) return;
    short3 d = away[e];
    int n[4] = { base[e], base[e] + d.x, base[e] + d.y, base[e] + d.z };
    double x0 = px[n[0]], y0 = py[n[0]], z0 = pz[n[0]], m[3][3], g[4][3];
    for (int k = 0; k < 3; k++) {
        m[k][0] = px[n[k + 1]] - x0;
        m[k][1] = py[n[k + 1]] - y0;
        m[k][2] = pz[n[k + 1]] - z0;
    }
    for (int k = 0; k < 3; k++) {
        const double *a = m[(k + 1) % 3], *b = m[(k + 2) % 3];
        g[k + 1][0] = a[1] * b[2] - a[2] * b[1];
        g[k + 1][1] = a[2] * b[0] - a[0] * b[2];
        g[k + 1][2] = a[0] * b[1] - a[1] * b[0];
    }
    double det = m[0][0] * g[1][0] + m[0][1] * g[1][1] + m[0][2] * g[1][2], scale = 1.0 / (6.0 * (fabs(det) + 0.01));
    double sx = 0, sy = 0, sz = 0;
    for (int c = 0; c < 3; c++) g[0][c] = -g[1][c] - g[2][c] - g[3][c];
    for (int k = 0; k < 4; k++) {
        double v = u[n[k]];
        sx += v * g[k][0];
        sy += v * g[k][1];
        sz += v * g[k][2];
    }
    for (int k = 0; k < 4; k++) atomicAdd(&y[n[k]], scale * (g[k][0] * sx + g[k][1] * sy + g[k][2] * sz));
}

/* kmutate launch
   int elements = 3000; dim3 block = { 8, 8 }; dim3 grid = { elements };
   double w[512 * elements] = zeros(); double u[512 * elements] = uniform(-1, 1); double derive[64] = uniform(-1, 1);
   double metric[3 * 512 * elements] = uniform(0.5, 1);
   spectral_stiffness(w, u, derive, metric);
*/
// Spectral elements of 8 x 8 x 8 points in double precision: a layer at a time in shared memory, a column in each thread's registers.
__global__ void __launch_bounds__(64) spectral_stiffness(double *w, const double *u, const double *derive, const double *metric)
{
    __shared__ double d[8][9], layer[8][9], gr[8][9], gs[8][9];
    const int i = threadIdx.x, j = threadIdx.y, e = blockIdx.x * 512 + j * 8 + i;
    double column[8], result[8];
    d[j][i] = derive[j * 8 + i];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        column[k] = u[e + k * 64];
        result[k] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const double *g = metric + (size_t)blockIdx.x * 1536 + k * 64 + j * 8 + i;
        double r = 0, s = 0, t = 0;
        layer[j][i] = column[k];
        __syncthreads();
#pragma unroll
        for (int m = 0; m < 8; m++) {
            r += d[i][m] * layer[j][m];
            s += d[j][m] * layer[m][i];
            t += d[k][m] * column[m];
        }
        gr[j][i] = g[0] * r;
        gs[j][i] = g[512] * s;
        t *= g[1024];
        __syncthreads();
        double sum = 0;
#pragma unroll
        for (int m = 0; m < 8; m++) {
            sum += d[m][i] * gr[j][m] + d[m][j] * gs[m][i];
            result[m] += d[k][m] * t;
        }
        result[k] += sum;
    }
#pragma unroll
    for (int k = 0; k < 8; k++) w[e + k * 64] = result[k];
}

/* kmutate launch
   int n = 300000; dim3 block = { 192 }; dim3 grid = { ceil_div(n, 192) };
   float tensor[6 * n] = uniform(-1, 1); float values[3 * n] = zeros(); float axis[3 * n] = zeros();
   jacobi_eigen3(values, axis, tensor, n);
*/
// Eigenvalues of symmetric 3 x 3 tensors and the axis of the greatest, by Jacobi's rotations in registers.
__device__ void turn(float (&a)[3][3], float (&v)[3][3], int p, int q, int r)
{
    float apq = a[p][q], theta = 0.5f * (a[q][q] - a[p][p]) / (fabsf(apq) > 1e-12f ? apq : 1e-12f);
    float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.0f)), c = rsqrtf(t * t + 1.0f), s = t * c;
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = 0.0f;
    float arp = p < r ? a[p][r] : a[r][p], arq = q < r ? a[q][r] : a[r][q], nrp = c * arp - s * arq, nrq = s * arp + c * arq;
    (p < r ? a[p][r] : a[r][p]) = nrp;
    (q < r ? a[q][r] : a[r][q]) = nrq;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        float vp = v[k][p], vq = v[k][q];
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}
__global__ void jacobi_eigen3(float *values, float *axis, const float *tensor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a[3][3] = { { tensor[i], tensor[n + i], tensor[2 * n + i] }, { 0, tensor[3 * n + i], tensor[4 * n + i] }, { 0, 0, tensor[5 * n + i] } };
    float v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
#pragma unroll
    for (int sweep = 0; sweep < 4; sweep++) {
        turn(a, v, 0, 1, 2);
        turn(a, v, 0, 2, 1);
        turn(a, v, 1, 2, 0);
    }
    for (int k = 0; k < 3; k++) values[k * n + i] = a[k][k];
    bool first = a[0][0] >= a[1][1] && a[0][0] >= a[2][2], second = a[1][1] >= a[2][2];
    for (int k = 0; k < 3; k++) axis[k * n + i] = first ? v[k][0] : second ? v[k][1] : v[k][2];
}

// -------------------------------------------------------------------------------------------- graphs, sequences, sorting

/* kmutate launch
   int nodes = 400000, edges = 3000000; dim3 block = { 256 }; dim3 grid = { ceil_div(edges, 256) };
   int2 edge[edges] = randint(0, 400000); int weight[edges] = randint(1, 100); int dist[nodes] = randint(0, 2000); int next[nodes] = fill(2147483647);
   relax_edges(next, dist, edge, weight, edges, 1000);
*/
// A round of Bellman and Ford over a list of edges; what is farther than the limit has not been reached.
__global__ void relax_edges(int *next, const int *dist, const int2 *edge, const int *weight, int edges, int limit)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    int2 uv = edge[e];
    int d = dist[uv.x];
    if (d >= limit) return;
    d += weight[e];
    if (d < dist[uv.y]) atomicMin(&next[uv.y], d);
}

/* kmutate launch
   int nodes = 300000, lo = 2, hi = 26, edges = csr_nnz(nodes, lo, hi); dim3 block = { 128 }; dim3 grid = { ceil_div(nodes, 128) };
   int first[nodes + 1] = csr_rowptr(nodes, lo, hi); int to[edges] = csr_colidx(nodes); int rank[nodes] = permutation();
   signed char old_colour[nodes] = randint(-2, 2); signed char colour[nodes] = zeros(); int left[1] = zeros();
   colour_round(colour, left, old_colour, rank, first, to, nodes, 2);
*/
// A round of colouring a graph: who has the highest number of all neighbours without a colour takes this round's.
__global__ void colour_round(signed char *colour, int *left, const signed char *old_colour, const int *rank, const int *first, const int *to, int nodes,
                             int round)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes) return;
    signed char mine = old_colour[v];
    if (mine < 0) {
        bool highest = true;
        int me = rank[v];
        for (int e = first[v]; e < first[v + 1]; e++) {
            int u = to[e];
            if (u == v || old_colour[u] >= 0) continue;
            if (rank[u] > me) {
                highest = false;
                break;
            }
        }
        if (highest)
            mine = (signed char)round;
        else
            atomicAdd(left, 1);
    }
    colour[v] = mine;
}

/* kmutate launch
   int nodes = 320000, lo = 1, hi = 24, edges = csr_nnz(nodes, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(nodes, 256) };
   int first[nodes + 1] = csr_rowptr(nodes, lo, hi); int to[edges] = csr_colidx(nodes); float rank[nodes] = uniform(0, 1); float next[nodes] = fill(0.15);
   pagerank_push(next, rank, first, to, nodes, 0.85f);
*/
__global__ void pagerank_push(float *next, const float *rank, const int *first, const int *to, int nodes, float damping)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes) {
        const int begin = first[v], end = first[v + 1];
        const float share = damping * rank[v] / (end - begin);
        for (int e = begin; e < end; e++) atomicAdd(next + to[e], share);
    }
}

/* kmutate launch
   int states = 64, symbols = 24, steps = 72, sequences = 330; dim3 block = { 64 }; dim3 grid = { sequences };
   float likelihood[sequences] = zeros(); float from_to[states * states] = uniform(0, 0.03); float emit[symbols * states] = uniform(0.5, 1.5);
   unsigned char seen[sequences * steps] = randint(0, 24);
   hmm_forward(likelihood, from_to, emit, seen, steps);
*/
// The forward algorithm of hidden Markov models: a state a thread, a sequence a block, transitions in shared memory.
__global__ void hmm_forward(float *likelihood, const float *from_to, const float *emit, const unsigned char *seen, int steps)
{
    __shared__ float a[64][64], alpha[2][64];
    const int t = threadIdx.x;
    for (int i = 0; i < 64; i++) a[i][t] = from_to[i * 64 + t];
    seen += blockIdx.x * steps;
    alpha[0][t] = emit[seen[0] * 64 + t] * (1.0f / 64);
    __syncthreads();
    int now = 0;
    for (int s = 1; s < steps; s++) {
        float sum = 0.0f;
#pragma unroll 8
        for (int i = 0; i < 64; i++) sum += alpha[now][i] * a[i][t];
        now ^= 1;
        alpha[now][t] = sum * emit[seen[s] * 64 + t];
        __syncthreads();
    }
    float v = alpha[now][t];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    __syncthreads();
    if (t % 32 == 0) alpha[0][t / 32] = v;
    __syncthreads();
    if (t == 0) likelihood[blockIdx.x] = logf(alpha[0][0] + alpha[0][1]);
}

/* kmutate launch
   int pairs = 70000, letters = 96; dim3 block = { 128 }; dim3 grid = { ceil_div(pairs, 128) };
   unsigned long long pattern[2 * pairs] = randint(0, 9223372036854775807); unsigned text[6 * pairs] = randint(0, 4294967295u); int distance[pairs] = zeros();
   bit_distance(distance, pattern, text, pairs, letters);
*/
// Edit distance of 64 letters (two bits each, in two planes) and a text, all rows of a column at a time in a word of 64 bits.
__global__ void bit_distance(int *distance, const unsigned long long *pattern, const unsigned *text, int pairs, int letters)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    unsigned long long b0 = pattern[p], b1 = pattern[pairs + p], up = ~0ull, down = 0;
    int score = 64, best = 64;
    for (int i = 0; i < letters; i++) {
        unsigned letter = text[i / 16 * pairs + p] >> (i % 16 * 2) & 3u;
        unsigned long long same = (letter & 1 ? b0 : ~b0) & (letter & 2 ? b1 : ~b1);
        unsigned long long x = same | down, zero = (((same & up) + up) ^ up) | x;
        unsigned long long hp = down | ~(zero | up), hm = up & zero;
        score += (int)(hp >> 63) - (int)(hm >> 63);
        hp <<= 1;
        hm <<= 1;
        up = hm | ~(zero | hp);
        down = hp & zero;
        best = min(best, score);
    }
    distance[p] = best;
}

/* kmutate launch
   int lines = 400000; dim3 block = { 256 }; dim3 grid = { ceil_div(lines, 256) };
   unsigned char step[32 * 256] = randint(0, 32); uint4 text[8 * lines] = randint(0, 4294967295u);
   int accepted[1] = zeros(); unsigned char state[lines] = zeros();
   dfa_lines(accepted, state, step, text, lines);
*/
// A regular expression's automaton over lines of 128 letters; its table is in shared memory.
__global__ void dfa_lines(int *accepted, unsigned char *state, const unsigned char *step, const uint4 *text, int lines)
{
    __shared__ unsigned char table[32 * 256];
    for (int i = threadIdx.x; i < 32 * 256 / 4; i += 256) reinterpret_cast<unsigned *>(table)[i] = reinterpret_cast<const unsigned *>(step)[i];
    __syncthreads();
    int line = blockIdx.x * 256 + threadIdx.x;
    unsigned s = 0;
    if (line < lines) {
        for (int q = 0; q < 8; q++) {
            uint4 v = text[line * 8 + q];
            unsigned word[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
            for (int k = 0; k < 16; k++) s = table[s * 256 + (word[k / 4] >> (k % 4 * 8) & 255u)];
        }
        state[line] = (unsigned char)s;
    }
    int many = __syncthreads_count(s >= 28);
    if (threadIdx.x == 0) atomicAdd(accepted, many);
}

/* kmutate launch
   int n = 8192; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float out[n] = zeros(); float in[n] = uniform(0, 1000);
   rank_sort(out, in, n);
*/
// Sorting by counting who is smaller, tile after tile; equal ones keep their order. A small grid.
__global__ void rank_sort(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float mine = in[i];
    int rank = 0;
    for (int base = 0; base < n; base += 256) {
        tile[threadIdx.x] = in[base + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < 256; k++) rank += tile[k] < mine || (tile[k] == mine && base + k < i);
        __syncthreads();
    }
    out[rank] = mine;
}

/* kmutate launch
   int n = 4100 * 1024; dim3 block = { 256 }; dim3 grid = { n / 1024 };
   unsigned out[n] = zeros(); unsigned in[n] = randint(0, 4294967295u);
   split_by_bits(out, in, 8);
*/
// Four bits of a radix sort within blocks of 1024 keys: each bit a split, places by ballots and sums of warps.
__global__ void split_by_bits(unsigned *out, const unsigned *in, int shift)
{
    __shared__ unsigned keys[1024], zeros[33];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int k = 0; k < 4; k++) keys[k * 256 + threadIdx.x] = in[blockIdx.x * 1024 + k * 256 + threadIdx.x];
    __syncthreads();
    for (int bit = shift; bit < shift + 4; bit++) {
        unsigned mine[4], before[4], flags[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            mine[k] = keys[k * 256 + threadIdx.x];
            flags[k] = __ballot_sync(0xffffffffu, !(mine[k] >> bit & 1));
            before[k] = __popc(flags[k] & ((1u << lane) - 1));
            if (lane == 0) zeros[k * 8 + warp] = __popc(flags[k]);
        }
        __syncthreads();
        if (warp == 0) {
            unsigned own = zeros[lane], sum = own;
            for (int d = 1; d < 32; d *= 2) {
                unsigned other = __shfl_up_sync(0xffffffffu, sum, d);
                if (lane >= d) sum += other;
            }
            zeros[lane] = sum - own;
            if (lane == 31) zeros[32] = sum;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const unsigned lower = zeros[k * 8 + warp] + before[k], place = k * 256 + threadIdx.x;
            keys[mine[k] >> bit & 1 ? zeros[32] + place - lower : lower] = mine[k];
        }
        __syncthreads();
    }
    for (int k = 0; k < 4; k++) out[blockIdx.x * 1024 + k * 256 + threadIdx.x] = keys[k * 256 + threadIdx.x];
}

/* kmutate launch
   int n = 4200 * 512; dim3 block = { 512 }; dim3 grid = { n / 512 };
   int a[n] = ascending(0, 1000000000); int b[n] = ascending(0, 1000000000); int out[2 * n] = zeros();
   merge_pairs(out, a, b);
*/
// Two runs of 512 become one of 1024: each element looks for its place in the other run by bisection.
__device__ int count_below(const int *run, int value, bool with_equal)
{
    int low = 0;
    for (int step = 256; step > 0; step >>= 1) {
        int other = run[low + step - 1];
        if (other < value || (with_equal && other == value)) low += step;
    }
    return low + (run[low] < value || (with_equal && run[low] == value));
}
__global__ void merge_pairs(int *out, const int *a, const int *b)
{
    __shared__ int left[512], right[512], merged[1024];
    const int t = threadIdx.x, x = a[blockIdx.x * 512 + t], y = b[blockIdx.x * 512 + t];
    left[t] = x;
    right[t] = y;
    __syncthreads();
    merged[t + count_below(right, x, false)] = x;
    merged[t + count_below(left, y, true)] = y;
    __syncthreads();
    out[blockIdx.x * 1024 + t] = merged[t];
    out[blockIdx.x * 1024 + 512 + t] = merged[512 + t];
}

// -------------------------------------------------------------------------------------------- scans, sums and histograms

/* kmutate launch
   int n = 4000 * 2048; dim3 block = { 256 }; dim3 grid = { n / 2048 };
   int4 out[n / 4] = zeros(); int4 in[n / 4] = randint(0, 100); int total[n / 2048] = zeros();
   scan_quads(out, total, in);
*/
// Exclusive sums of 2048 numbers a block: two quads a thread, shuffles within warps and among them.
__global__ void scan_quads(int4 *out, int *total, const int4 *in)
{
    __shared__ int warps[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, at = blockIdx.x * 512 + threadIdx.x * 2;
    const int4 a = in[at], b = in[at + 1];
    int mine = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w, sum = mine;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int other = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        int all = warps[threadIdx.x], own = all;
        for (int d = 1; d < 8; d <<= 1) {
            int other = __shfl_up_sync(0xffu, all, d);
            if (threadIdx.x >= d) all += other;
        }
        warps[threadIdx.x] = all - own;
        if (threadIdx.x == 7) total[blockIdx.x] = all;
    }
    __syncthreads();
    int4 r;
    r.x = warps[warp] + sum - mine;
    r.y = r.x + a.x;
    r.z = r.y + a.y;
    r.w = r.z + a.z;
    out[at] = r;
    r.x = r.w + a.w;
    r.y = r.x + b.x;
    r.z = r.y + b.y;
    r.w = r.z + b.z;
    out[at + 1] = r;
}

/* kmutate launch
   int n = 6000000, most = 1500000; dim3 block = { 512 }; dim3 grid = { ceil_div(n, 512) };
   int keys[n] = ascending(0, 1500000); int2 runs[most + 1] = zeros(); int count[1] = zeros();
   run_heads(runs, count, keys, n);
*/
// Where runs of equal keys begin: ballots in warps, sums of warps in shared memory, one atomic a block for its room.
__global__ void run_heads(int2 *runs, int *count, const int *keys, int n)
{
    __shared__ int warps[16], room;
    const int i = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int key = i < n ? keys[i] : 0;
    const bool head = i < n && (i == 0 || keys[i - 1] != key);
    const unsigned flags = __ballot_sync(0xffffffffu, head);
    if (lane == 0) warps[warp] = __popc(flags);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int w = 0; w < 16; w++) {
            int c = warps[w];
            warps[w] = sum;
            sum += c;
        }
        room = atomicAdd(count, sum);
    }
    __syncthreads();
    if (head) runs[room + warps[warp] + __popc(flags & ((1u << lane) - 1))] = make_int2(key, i);
}

/* kmutate launch
   int n = 14 << 20; dim3 block = { 512 }; dim3 grid = { 264 };
   unsigned counts[64 * 64] = zeros(); uchar4 a[n / 4] = randint(0, 256); uchar4 b[n / 4] = randint(0, 256);
   joint_histogram(counts, a, b, n / 4);
*/
// How often two pictures' greys come together, 64 by 64, for registration by mutual information.
__global__ void joint_histogram(unsigned *counts, const uchar4 *a, const uchar4 *b, int quads)
{
    __shared__ unsigned s[64 * 64];
    for (int i = threadIdx.x; i < 4096; i += 512) s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < quads; i += gridDim.x * 512) {
        uchar4 p = a[i], q = b[i];
        atomicAdd(&s[p.x / 4 * 64 + q.x / 4], 1u);
        atomicAdd(&s[p.y / 4 * 64 + q.y / 4], 1u);
        atomicAdd(&s[p.z / 4 * 64 + q.z / 4], 1u);
        atomicAdd(&s[p.w / 4 * 64 + q.w / 4], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 512)
        if (s[i]) atomicAdd(&counts[i], s[i]);
}

/* kmutate launch
   int w = 3840, h = 1080; dim3 block = { 128 }; dim3 grid = { w / 128 };
   float sums[w * h] = zeros(); float in[w * h] = uniform(0, 1);
   integral_columns(sums, in, w, h);
*/
// The second half of an integral image: a column a thread, from top to bottom. Few blocks.
__global__ void integral_columns(float *sums, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    float sum = 0.0f;
    for (int y = 0; y < h; y++) {
        sum += in[y * w + x];
        sums[y * w + x] = sum;
    }
}

/* kmutate launch
   int n = 9000000; dim3 block = { 256 }; dim3 grid = { 528 };
   double least[grid.x] = zeros(); int where[grid.x] = zeros(); double in[n] = uniform(0, 1);
   argmin_fp64(least, where, in, n);
*/
// The least of many numbers in double precision and where it is: strides of the grid, shuffles, one result a block.
__device__ void keep_less(double &v, int &i, double w, int j)
{
    if (w < v || (w == v && j < i)) {
        v = w;
        i = j;
    }
}
__global__ void argmin_fp64(double *least, int *where, const double *in, int n)
{
    __shared__ double values[8];
    __shared__ int places[8];
    double v = 1e300;
    int at = 0x7fffffff;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) keep_less(v, at, in[i], i);
    for (int d = 16; d > 0; d /= 2) {
        double w = __shfl_down_sync(0xffffffffu, v, d);
        int j = __shfl_down_sync(0xffffffffu, at, d);
        keep_less(v, at, w, j);
    }
    if (threadIdx.x % 32 == 0) {
        values[threadIdx.x / 32] = v;
        places[threadIdx.x / 32] = at;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) keep_less(v, at, values[k], places[k]);
        least[blockIdx.x] = v;
        where[blockIdx.x] = at;
    }
}

/* kmutate launch
   int n = 1 << 22, half = 1 << 9; dim3 block = { 256 }; dim3 grid = { n / 512 };
   float2 out[n] = zeros(); float2 in[n] = uniform(-1, 1);
   stockham_radix2(out, in, n, half);
*/
// One pass of an FFT that sorts itself: two complex numbers a thread, read half the array apart.
__global__ void stockham_radix2(float2 *out, const float2 *in, int n, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i & (half - 1);
    float2 a = in[i], b = in[i + n / 2];
    float s, c;
    sincospif(-(float)k / half, &s, &c);
    float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    int to = ((i - k) << 1) + k;
    out[to] = make_float2(a.x + t.x, a.y + t.y);
    out[to + half] = make_float2(a.x - t.x, a.y - t.y);
}

// ----------------------------------------------------------------------------------------------------- integers, hashes

/* kmutate launch
   int keys = 2400000; dim3 block = { 256 }; dim3 grid = { ceil_div(keys, 256) };
   unsigned found[2] = zeros();
   md5_search(found, keys, 0x5eed1234u, 0x8badf00du);
*/
// MD5 of numbered keys of eight bytes, in search of one digest: nothing but integers in registers.
__device__ __forceinline__ void md5_round(unsigned &a, unsigned b, unsigned mixed, unsigned word, unsigned add, int turn)
{
    unsigned v = a + mixed + word + add;
    a = b + __funnelshift_l(v, v, turn);
}
__global__ void md5_search(unsigned *found, unsigned keys, unsigned wanted_a, unsigned wanted_d)
{
    constexpr unsigned sine[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391 };
    constexpr int turns[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 } };
    const unsigned key = blockIdx.x * blockDim.x + threadIdx.x;
    if (key >= keys) return;
    const unsigned w[16] = { key, key ^ 0x41424344u, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0 };
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        const unsigned mixed = i < 16 ? (b & c) | (~b & d) : i < 32 ? (d & b) | (~d & c) : i < 48 ? b ^ c ^ d : c ^ (b | ~d);
        const int g = i < 16 ? i : i < 32 ? (5 * i + 1) % 16 : i < 48 ? (3 * i + 5) % 16 : 7 * i % 16;
        md5_round(a, b, mixed, w[g], sine[i], turns[i / 16][i % 4]);
        const unsigned last = d;
        d = c;
        c = b;
        b = a;
        a = last;
    }
    if (a + 0x67452301 == wanted_a && d + 0x10325476 == wanted_d) {
        found[0] = 1;
        found[1] = key;
    }
}

/* kmutate launch
   dim3 block = { 64 }; dim3 grid = { 400 };
   uint4 key[grid.x * 64] = randint(0, 4294967295u); unsigned out[grid.x * 64 * 32] = zeros();
   rc4_streams(out, key);
*/
// A stream cipher that shuffles 256 bytes: each thread's are its own column of shared memory, and hang on the last access.
__global__ void rc4_streams(unsigned *out, const uint4 *key)
{
    __shared__ unsigned char s[256][64];
    const int t = threadIdx.x, id = blockIdx.x * 64 + t, all = gridDim.x * 64;
    const uint4 k4 = key[id];
    const unsigned words[4] = { k4.x, k4.y, k4.z, k4.w };
    for (int i = 0; i < 256; i++) s[i][t] = (unsigned char)i;
    unsigned j = 0;
    for (int i = 0; i < 256; i += 16) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const unsigned char a = s[i + k][t];
            j = (j + a + (words[k / 4] >> (k % 4 * 8))) & 255u;
            s[i + k][t] = s[j][t];
            s[j][t] = a;
        }
    }
    j = 0;
    for (int i = 0; i < 32; i++) {
        unsigned word = 0;
        for (int k = 0; k < 4; k++) {
            const unsigned at = (i * 4 + k + 1) & 255u;
            const unsigned a = s[at][t];
            j = (j + a) & 255u;
            const unsigned b = s[j][t];
            s[at][t] = (unsigned char)b;
            s[j][t] = (unsigned char)a;
            word |= (unsigned)s[(a + b) & 255u][t] << (8 * k);
        }
        out[i * all + id] = word;
    }
}

/* kmutate launch
   int n = 1 << 22, quarter = n / 4, span = 1 << 14; dim3 block = { 256 }; dim3 grid = { quarter / 256 };
   unsigned data[n] = randint(0, 998244353); unsigned root[3 * 16384] = randint(1, 998244353);
   ntt_radix4(data, root, span, 911660635u);
*/
// A pass of a transform over a prime field, four numbers a thread, products by Montgomery's way.
__device__ __forceinline__ unsigned times(unsigned a, unsigned b)
{
    const unsigned long long p = (unsigned long long)a * b;
    const unsigned q = (unsigned)p * 998244351u;
    const unsigned r = (unsigned)((p + (unsigned long long)q * 998244353u) >> 32);
    return r >= 998244353u ? r - 998244353u : r;
}
__device__ __forceinline__ unsigned plus(unsigned a, unsigned b)
{
    const unsigned s = a + b;
    return s >= 998244353u ? s - 998244353u : s;
}
__device__ __forceinline__ unsigned minus(unsigned a, unsigned b) { return a >= b ? a - b : a + 998244353u - b; }
__global__ void ntt_radix4(unsigned *data, const unsigned *root, int span, unsigned i_unit)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x, k = id % span, at = id / span * 4 * span + k;
    const unsigned a = data[at], b = times(data[at + span], root[k]), c = times(data[at + 2 * span], root[span + k]);
    const unsigned d = times(data[at + 3 * span], root[2 * span + k]);
    const unsigned s0 = plus(a, c), s1 = minus(a, c), s2 = plus(b, d), s3 = times(minus(b, d), i_unit);
    data[at] = plus(s0, s2);
    data[at + span] = plus(s1, s3);
    data[at + 2 * span] = minus(s0, s2);
    data[at + 3 * span] = minus(s1, s3);
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 300 };
   unsigned sieve[grid.x * 2048] = zeros(); int survivors[grid.x] = zeros();
   int primes[48] = { 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127,
                      131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227 };
   sieve_segment(sieve, survivors, primes, 48);
*/
// Odd numbers without a small factor, 65536 of them a block as bits of shared memory.
__global__ void sieve_segment(unsigned *sieve, int *survivors, const int *primes, int many)
{
    __shared__ unsigned bits[2048];
    __shared__ int total;
    for (int i = threadIdx.x; i < 2048; i += 256) bits[i] = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const unsigned low = blockIdx.x * 131072u + 1;
    for (int k = 0; k < many; k++) {
        const unsigned p = primes[k], over = low % p;
        unsigned first = over == 0 ? low : low + p - over;
        if (first % 2 == 0) first += p;
        for (unsigned i = (first - low) / 2 + threadIdx.x * p; i < 65536; i += 256 * p) atomicOr(&bits[i >> 5], 1u << (i & 31));
    }
    __syncthreads();
    int left = 0;
    for (int i = threadIdx.x; i < 2048; i += 256) {
        left += 32 - __popc(bits[i]);
        sieve[blockIdx.x * 2048 + i] = bits[i];
    }
    left = __reduce_add_sync(0xffffffffu, left);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, left);
    __syncthreads();
    if (threadIdx.x == 0) survivors[blockIdx.x] = total;
}

/* kmutate launch
   int n = 102400; dim3 block = { 128 }; dim3 grid = { n / 128 };
   int steps[n] = zeros(); unsigned long long peak[n] = zeros();
   collatz_steps(steps, peak, 1000001ull);
*/
// Halve or triple: numbers of one warp take very different numbers of steps.
__global__ void collatz_steps(int *steps, unsigned long long *peak, unsigned long long start)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long v = start + 2ull * id, high = v;
    int count = 0;
    while (v != 1) {
        if (v & 1) {
            v = 3 * v + 1;
            if (v > high) high = v;
        } else
            v >>= 1;
        count++;
    }
    steps[id] = count;
    peak[id] = high;
}

// ---------------------------------------------------------------------------------------------- access, copies, layouts

/* kmutate launch
   int bits = 24, each = 40; dim3 block = { 128 }; dim3 grid = { 512 };
   unsigned long long table[1 << bits] = iota();
   gups_xor(table, (1u << bits) - 1, each);
*/
// Random access as a benchmark has it: words of a table are changed by atomics at places that a generator makes up.
__global__ void gups_xor(unsigned long long *table, unsigned mask, int each)
{
    unsigned long long v = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < each; i++) {
        v ^= v << 13;
        v ^= v >> 7;
        v ^= v << 17;
        atomicXor(&table[(v >> 20) & mask], v);
    }
}

/* kmutate launch
   int n = 3 << 20, hops = 150; dim3 block = { 32 }; dim3 grid = { 528 };
   int next[n] = permutation(); int last[grid.x * 32] = zeros();
   follow_links(last, next, n, hops);
*/
// Links that lead anywhere, one after the other; one warp a block.
__global__ void follow_links(int *last, const int *next, int n, int hops)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x, at = (int)(id * 2654435761u % n);
    for (int k = 0; k < hops; k++) at = next[at];
    last[id] = at;
}

/* kmutate launch
   int n = 2200000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float out[7 * n] = zeros(); float in[7 * n] = uniform(0, 1);
   aos_to_soa(out, in, n);
*/
// Structs of seven numbers become seven arrays: a block's structs go through shared memory as they lie.
__global__ void aos_to_soa(float *out, const float *in, int n)
{
    __shared__ float s[256 * 7];
    const int base = blockIdx.x * 256, here = min(256, n - base);
    for (int i = threadIdx.x; i < here * 7; i += 256) s[i] = in[(size_t)base * 7 + i];
    __syncthreads();
    if (threadIdx.x < here)
#pragma unroll
        for (int k = 0; k < 7; k++) out[(size_t)k * n + base + threadIdx.x] = s[threadIdx.x * 7 + k];
}

/* kmutate launch
   int n = 4000000, stride = 6; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float out[n * stride] = zeros(); float in[n * stride] = uniform(0, 1);
   copy_strided(out, in, n, stride);
*/
__global__ void copy_strided(float *out, const float *in, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(size_t)i * stride] = in[(size_t)i * stride];
}

/* kmutate launch
   int words = 12000000; dim3 block = { 128 }; dim3 grid = { ceil_div(words, 128 * 4) };
   unsigned out[words] = zeros(); unsigned in[words + 1] = randint(0, 4294967295u);
   copy_misaligned(out, in, words, 3);
*/
// Bytes that begin anywhere are copied to words: two neighbours are shifted into one; four words a thread, a block apart.
__global__ void copy_misaligned(unsigned *out, const unsigned *in, int words, int begin)
{
    const int first = blockIdx.x * 512 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int i = first + k * 128;
        if (i < words) out[i] = __funnelshift_r(in[i], in[i + 1], begin * 8);
    }
}

/* kmutate launch
   int n = 4096; dim3 block = { 32, 8 }; dim3 grid = { n / 64, n / 64 };
   half2 out[n * n / 2] = zeros(); half2 in[n * n / 2] = uniform(-1, 1);
   transpose_half_pairs(out, in, n);
*/
// Half precision, two at a time: 64 by 64 tiles, pairs are taken apart and joined anew.
__global__ void transpose_half_pairs(half2 *out, const half2 *in, int n)
{
    __shared__ half2 tile[64][33];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 64;
    for (int r = threadIdx.y; r < 64; r += 8) tile[r][threadIdx.x] = in[(y + r) * (n / 2) + x];
    __syncthreads();
    for (int c = threadIdx.y; c < 32; c += 8) {
        const half2 a = tile[2 * threadIdx.x][c], b = tile[2 * threadIdx.x + 1][c];
        const int to = (blockIdx.x * 64 + 2 * c) * (n / 2) + blockIdx.y * 32 + threadIdx.x;
        out[to] = __lows2half2(a, b);
        out[to + n / 2] = __highs2half2(a, b);
    }
}

// ------------------------------------------------------------------------------------------------ pictures and statistics

/* kmutate launch
   int w = 640, h = 480; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 1);
   non_local_means(out, in, w, h, 12.0f);
*/
// Pixels are averaged by how alike their 3 x 3 surroundings are, in a window of 7 x 7.
__global__ void non_local_means(float *out, const float *in, int w, int h, float strength)
{
    __shared__ float s[16][40];
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 16 * 40; i += 256) {
        int y = (int)blockIdx.y * 8 + i / 40 - 4, x = (int)blockIdx.x * 32 + i % 40 - 4;
        s[i / 40][i % 40] = in[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
    }
    __syncthreads();
    const int cx = threadIdx.x + 4, cy = threadIdx.y + 4;
    float mine[9], sum = 0.0f, weights = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; k++) mine[k] = s[cy + k / 3 - 1][cx + k % 3 - 1];
    for (int dy = -3; dy <= 3; dy++)
#pragma unroll 1
        for (int dx = -3; dx <= 3; dx++) {
            float apart = 0.0f, middle = 0.0f;
#pragma unroll
            for (int k = 0; k < 9; k++) {
                float other = s[cy + dy + k / 3 - 1][cx + dx + k % 3 - 1], d = mine[k] - other;
                apart += d * d;
                if (k == 4) middle = other;
            }
            float weight = __expf(-strength * apart);
            sum += weight * middle;
            weights += weight;
        }
    out[(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x] = sum / weights;
}

/* kmutate launch
   int n = 1280, step = 64; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   short2 out[n * n] = zeros(); short2 in[n * n] = randint(-1, 1280);
   jump_flood(out, in, n, step);
*/
// A pass of jump flooding for a map of distances: the nearest of the seeds that nine pixels a step apart know.
__global__ void jump_flood(short2 *out, const short2 *in, int n, int step)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, least = 0x7fffffff;
    short2 best = make_short2(-1, -1);
    for (int dy = -step; dy <= step; dy += step)
        for (int dx = -step; dx <= step; dx += step) {
            int px = x + dx, py = y + dy;
            if (px < 0 || py < 0 || px >= n || py >= n) continue;
            short2 seed = in[py * n + px];
            if (seed.x < 0 || seed.y < 0) continue;
            int d = (seed.x - x) * (seed.x - x) + (seed.y - y) * (seed.y - y);
            if (d < least) {
                least = d;
                best = seed;
            }
        }
    out[y * n + x] = best;
}

/* kmutate launch
   int n = 250000, dims = 8, mixtures = 16; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   extern float mix_mean[128] = uniform(0, 1); extern float mix_scale[128] = uniform(0.5, 2); extern float mix_weight[16] = uniform(-4, -2);
   float resp[mixtures * n] = zeros(); float likelihood[n] = zeros(); float in[dims * n] = uniform(0, 1);
   gmm_estep(resp, likelihood, in, n);
*/
// How much of each point belongs to each of 16 Gaussians, whose means and widths are in constant memory.
__constant__ float mix_mean[128], mix_scale[128], mix_weight[16];
__global__ void gmm_estep(float *resp, float *likelihood, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x[8], logs[16], most = -1e30f, sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 8; d++) x[d] = in[d * n + i];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float q = 0.0f;
#pragma unroll
        for (int d = 0; d < 8; d++) {
            float z = (x[d] - mix_mean[k * 8 + d]) * mix_scale[k * 8 + d];
            q += z * z;
        }
        logs[k] = mix_weight[k] - 0.5f * q;
        most = fmaxf(most, logs[k]);
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
        logs[k] = expf(logs[k] - most);
        sum += logs[k];
    }
    likelihood[i] = most + logf(sum);
    float one = 1.0f / sum;
#pragma unroll
    for (int k = 0; k < 16; k++) resp[k * n + i] = logs[k] * one;
}

/* kmutate launch
   int paths = 49152, steps = 50; dim3 block = { 128 }; dim3 grid = { paths / 128 };
   float payoff[paths] = zeros();
   heston_paths(payoff, steps, 100.0f, 0.04f, 0.01f, 1.5f, 0.04f, 0.3f, -0.7f, 0.02f);
*/
// Prices whose volatility wanders too: two normal numbers a step from counters that are hashed.
__device__ unsigned hashed(unsigned v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ v >> 16;
}
__global__ void heston_paths(float *payoff, int steps, float price, float variance, float rate, float back, float mean, float vol, float rho, float dt)
{
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    const float strike = price, other = sqrtf(1.0f - rho * rho), root_dt = sqrtf(dt);
    float logs = logf(price), v = variance;
    for (int k = 0; k < steps; k++) {
        const unsigned a = hashed(id * 2u * steps + 2u * k), b = hashed(a ^ 0x9e3779b9u);
        const float radius = sqrtf(-2.0f * logf(((a >> 8) + 1) * (1.0f / 16777217.0f)));
        float s, c;
        sincospif((b >> 8) * (2.0f / 16777216.0f), &s, &c);
        const float z1 = radius * c, z2 = rho * z1 + other * radius * s, high = fmaxf(v, 0.0f), root = sqrtf(high) * root_dt;
        logs += (rate - 0.5f * high) * dt + root * z1;
        v += back * (mean - high) * dt + vol * root * z2;
    }
    payoff[id] = fmaxf(expf(logs) - strike, 0.0f) * expf(-rate * steps * dt);
}

// ------------------------------------------------------------------------------------------------- matrices, small solvers

/* kmutate launch
   int m = 400, n = 400, k = 400; dim3 block = { 16, 16 }; dim3 grid = { m / 16, n / 16 };
   float C[m * n] = zeros(); float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1);
   sgemm_rows_naive(m, n, k, 1.0f, A, B, 0.0f, C);
*/
// The first rung of the ladder: neighbours in a warp have different rows.
__global__ void sgemm_rows_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int i = 0; i < K; ++i) sum += A[row * K + i] * B[i * N + col];
        C[row * N + col] = alpha * sum + beta * C[row * N + col];
    }
}

/* kmutate launch
   int m = 1536, n = 1408, k = 192; dim3 block = { 256 }; dim3 grid = { n / 128, m / 128 };
   float C[m * n] = uniform(-1, 1); float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1);
   sgemm_tile_8x8<128, 128, 8, 8>(m, n, k, 1.5f, A, B, 0.5f, C);
*/
// A later rung: 8 x 8 results a thread, a column of one tile and a row of the other in registers, one number an access.
template <int BM, int BN, int BK, int T>
__global__ void __launch_bounds__((BM * BN) / (T * T), 1) sgemm_tile_8x8(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                                                                float *C)
{
    constexpr int threads = BM * BN / (T * T);
    __shared__ float as[BM * BK], bs[BK * BN];
    const int tcol = threadIdx.x % (BN / T), trow = threadIdx.x / (BN / T);
    const int arow = threadIdx.x / BK, acol = threadIdx.x % BK, brow = threadIdx.x / BN, bcol = threadIdx.x % BN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[T * T] = { 0.0f }, ra[T], rb[T];
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int o = 0; o < BM; o += threads / BK) as[(arow + o) * BK + acol] = A[(arow + o) * K + acol];
        for (int o = 0; o < BK; o += threads / BN) bs[(brow + o) * BN + bcol] = B[(brow + o) * N + bcol];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int d = 0; d < BK; ++d) {
            for (int i = 0; i < T; ++i) ra[i] = as[(trow * T + i) * BK + d];
            for (int i = 0; i < T; ++i) rb[i] = bs[d * BN + tcol * T + i];
            for (int i = 0; i < T; ++i)
                for (int j = 0; j < T; ++j) sums[i * T + j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < T; ++i)
        for (int j = 0; j < T; ++j) {
            float *c = &C[(trow * T + i) * N + tcol * T + j];
            *c = alpha * sums[i * T + j] + beta * *c;
        }
}

/* kmutate launch
   int m = 1024, n = 1152, k = 320; dim3 block = { 256 }; dim3 grid = { n / 128, m / 128 };
   float C[m * n] = zeros(); float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1);
   sgemm_double(m, n, k, A, B, C);
*/
// The last rung without tensor cores: quads everywhere, two tiles by turns, the next one on its way through registers.
__global__ void __launch_bounds__(256) sgemm_double(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float as[2][8][132], bs[2][8][128];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, arow = t / 2, acol = t % 2 * 4, brow = t / 32, bcol = t % 32 * 4;
    const float *a = A + (size_t)(blockIdx.y * 128 + arow) * K + acol, *b = B + (size_t)brow * N + blockIdx.x * 128 + bcol;
    float sums[8][8] = {};
    float4 next_a = *(const float4 *)a, next_b = *(const float4 *)b;
    as[0][acol][arow] = next_a.x;
    as[0][acol + 1][arow] = next_a.y;
    as[0][acol + 2][arow] = next_a.z;
    as[0][acol + 3][arow] = next_a.w;
    *(float4 *)&bs[0][brow][bcol] = next_b;
    __syncthreads();
    int now = 0;
    for (int k0 = 8; k0 <= K; k0 += 8) {
        if (k0 < K) {
            next_a = *(const float4 *)(a + k0);
            next_b = *(const float4 *)(b + (size_t)k0 * N);
        }
#pragma unroll
        for (int d = 0; d < 8; d++) {
            const float4 a0 = *(const float4 *)&as[now][d][ty * 4], a1 = *(const float4 *)&as[now][d][64 + ty * 4];
            const float4 b0 = *(const float4 *)&bs[now][d][tx * 4], b1 = *(const float4 *)&bs[now][d][64 + tx * 4];
            const float ra[8] = { a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w }, rb[8] = { b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w };
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) sums[i][j] += ra[i] * rb[j];
        }
        if (k0 < K) {
            now ^= 1;
            as[now][acol][arow] = next_a.x;
            as[now][acol + 1][arow] = next_a.y;
            as[now][acol + 2][arow] = next_a.z;
            as[now][acol + 3][arow] = next_a.w;
            *(float4 *)&bs[now][brow][bcol] = next_b;
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float *c = C + (size_t)(blockIdx.y * 128 + (i < 4 ? ty * 4 + i : 60 + ty * 4 + i)) * N + blockIdx.x * 128 + tx * 4;
        *(float4 *)c = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        *(float4 *)(c + 64) = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}

/* kmutate launch
   int m = 1024, n = 768, k = 1024; dim3 block = { 16, 16 }; dim3 grid = { n / 64, m / 64 };
   int C[m * n] = zeros(); int A[m * k / 4] = randint(-2147483647, 2147483647); int B[n * k / 4] = randint(-2147483647, 2147483647);
   igemm_bytes(m, n, k / 4, A, B, C);
*/
// Bytes times bytes in integers: four products an instruction, both factors row by row, 4 x 4 results a thread.
__global__ void igemm_bytes(int M, int N, int K4, const int *A, const int *B, int *C)
{
    __shared__ int as[16][65], bs[16][65];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 64, col = blockIdx.x * 64;
    int sums[4][4] = {};
    for (int k0 = 0; k0 < K4; k0 += 16) {
#pragma unroll
        for (int r = 0; r < 4; r++) {
            as[tx][ty + 16 * r] = A[(row + ty + 16 * r) * K4 + k0 + tx];
            bs[tx][ty + 16 * r] = B[(col + ty + 16 * r) * K4 + k0 + tx];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = as[k][ty + 16 * i];
                b[i] = bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sums[i][j] = __dp4a(a[i], b[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) C[(row + ty + 16 * i) * N + col + tx + 16 * j] = sums[i][j];
}

/* kmutate launch
   int n = 640000; dim3 block = { 64 }; dim3 grid = { ceil_div(n, 64) };
   float x[6 * n] = zeros(); float a[21 * n] = uniform(-0.5, 0.5); float b[6 * n] = uniform(-1, 1);
   cholesky_registers(x, a, b, n);
*/
// Six equations a thread: the matrix is factored and both triangles solved in registers.
__global__ void __launch_bounds__(64) cholesky_registers(float *x, const float *a, const float *b, int n)
{
    const int id = blockIdx.x * 64 + threadIdx.x;
    if (id >= n) return;
    float l[6][6], y[6], inv[6];
#pragma unroll
    for (int i = 0; i < 6; i++) {
#pragma unroll
        for (int j = 0; j <= i; j++) l[i][j] = a[(i * (i + 1) / 2 + j) * n + id];
        l[i][i] += 4.0f;
        y[i] = b[i * n + id];
    }
#pragma unroll
    for (int j = 0; j < 6; j++) {
#pragma unroll
        for (int k = 0; k < j; k++) l[j][j] -= l[j][k] * l[j][k];
        l[j][j] = sqrtf(fmaxf(l[j][j], 1e-3f));
        inv[j] = 1.0f / l[j][j];
#pragma unroll
        for (int i = j + 1; i < 6; i++) {
#pragma unroll
            for (int k = 0; k < j; k++) l[i][j] -= l[i][k] * l[j][k];
            l[i][j] *= inv[j];
        }
    }
#pragma unroll
    for (int i = 0; i < 6; i++) {
#pragma unroll
        for (int k = 0; k < i; k++) y[i] -= l[i][k] * y[k];
        y[i] *= inv[i];
    }
#pragma unroll
    for (int i = 5; i >= 0; i--) {
#pragma unroll
        for (int k = i + 1; k < 6; k++) y[i] -= l[k][i] * y[k];
        y[i] *= inv[i];
        x[i * n + id] = y[i];
    }
}

/* kmutate launch
   int rows = 30000, cols = 30000, lo = 2, hi = 24, nnz = csr_nnz(rows, lo, hi); dim3 block = { 32, 4 }; dim3 grid = { ceil_div(rows, 4) };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(cols); float out[nnz] = zeros(); float values[nnz] = uniform(-1, 1);
   float2 left[rows * 32] = uniform(-1, 1); float2 right[cols * 32] = uniform(-1, 1);
   sddmm_rows(out, values, left, right, rowptr, colidx, rows);
*/
// Products of two dense matrices of 64 columns, only where a sparse one has an entry: a warp a row.
__global__ void sddmm_rows(float *out, const float *values, const float2 *left, const float2 *right, const int *rowptr, const int *colidx, int rows)
{
    const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const float2 l = left[row * 32 + lane];
    for (int e = rowptr[row]; e < rowptr[row + 1]; e++) {
        const float2 r = right[colidx[e] * 32 + lane];
        float sum = l.x * r.x + l.y * r.y;
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (lane == 0) out[e] = sum * values[e];
    }
}

/* kmutate launch
   int rows = 4224, cols = 4096; dim3 block = { 128 }; dim3 grid = { rows / 8 };
   float y[rows] = zeros(); float A[rows * cols] = uniform(-1, 1); float x[cols] = uniform(-1, 1);
   gemv_async(y, A, x, cols);
*/
// A matrix times a vector, eight rows a block: pieces of 256 columns come by asynchronous copies while the last one is used.
__global__ void __launch_bounds__(128) gemv_async(float *y, const float *A, const float *x, int cols)
{
    __shared__ __align__(16) float a[2][8][256], v[2][256];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    A += (size_t)blockIdx.x * 8 * cols;
    auto fetch = [&](int piece) {
        const int s = piece & 1;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int at = (k * 128 + t) * 4, r = at / 256, c = at % 256;
            __pipeline_memcpy_async(&a[s][r][c], &A[(size_t)r * cols + piece * 256 + c], 16);
        }
        if (t < 64) __pipeline_memcpy_async(&v[s][t * 4], &x[piece * 256 + t * 4], 16);
        __pipeline_commit();
    };
    float sum0 = 0.0f, sum1 = 0.0f;
    const int pieces = cols / 256;
    fetch(0);
    for (int p = 0; p < pieces; p++) {
        if (p + 1 < pieces) {
            fetch(p + 1);
            __pipeline_wait_prior(1);
        } else
            __pipeline_wait_prior(0);
        __syncthreads();
        const int s = p & 1;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float f = v[s][k * 32 + lane];
            sum0 += a[s][warp * 2][k * 32 + lane] * f;
            sum1 += a[s][warp * 2 + 1][k * 32 + lane] * f;
        }
        __syncthreads();
    }
    for (int d = 16; d > 0; d >>= 1) {
        sum0 += __shfl_down_sync(0xffffffffu, sum0, d);
        sum1 += __shfl_down_sync(0xffffffffu, sum1, d);
    }
    if (lane == 0) {
        y[blockIdx.x * 8 + warp * 2] = sum0;
        y[blockIdx.x * 8 + warp * 2 + 1] = sum1;
    }
}

// ------------------------------------------------------------------------------------------------------- language models

/* kmutate launch
   int tokens = 6000, C = 1024, words = 30000, T = 1024; dim3 block = { 256 }; dim3 grid = { ceil_div(tokens * C / 4, 256) };
   float4 out[tokens * C / 4] = zeros(); int token[tokens] = randint(0, 30000); float4 wte[words * C / 4] = normal(0, 0.02);
   float4 wpe[T * C / 4] = normal(0, 0.02);
   encoder_positions(out, token, wte, wpe, tokens, T, C);
*/
// What a word and its place mean, added: four numbers a thread.
__global__ void encoder_positions(float4 *out, const int *token, const float4 *wte, const float4 *wpe, int tokens, int T, int C)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x, quads = C / 4;
    if (idx >= tokens * quads) return;
    int bt = idx / quads, c = idx % quads, t = bt % T;
    float4 a = wte[token[bt] * quads + c], b = wpe[t * quads + c];
    out[idx] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* kmutate launch
   int rows = 9216, C = 768; dim3 block = { 192 }; dim3 grid = { rows };
   float4 residual[rows * 192] = zeros(); float4 normed[rows * 192] = zeros(); float mean[rows] = zeros(); float rstd[rows] = zeros();
   float4 a[rows * 192] = normal(); float4 b[rows * 192] = normal(); float4 gain[192] = uniform(0.9, 1.1); float4 shift[192] = uniform(-0.1, 0.1);
   residual_layernorm(residual, normed, mean, rstd, a, b, gain, shift);
*/
// A residual is added and normalised at once: a row a block, a quad a thread, two sums over the block.
__device__ float block_sum(float v, float *room)
{
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
    for (int w = 0; w < blockDim.x / 32; w++) v += room[w];
    return v;
}
__global__ void residual_layernorm(float4 *residual, float4 *normed, float *mean, float *rstd, const float4 *a, const float4 *b, const float4 *gain,
                                   const float4 *shift)
{
    __shared__ float first[8], second[8];
    const int t = threadIdx.x, at = blockIdx.x * 192 + t;
    float4 x = a[at], y = b[at];
    x = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    residual[at] = x;
    const float m = block_sum(x.x + x.y + x.z + x.w, first) * (1.0f / 768);
    x = make_float4(x.x - m, x.y - m, x.z - m, x.w - m);
    const float s = rsqrtf(block_sum(x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w, second) * (1.0f / 768) + 1e-5f);
    const float4 g = gain[t], h = shift[t];
    normed[at] = make_float4(x.x * s * g.x + h.x, x.y * s * g.y + h.y, x.z * s * g.z + h.z, x.w * s * g.w + h.w);
    if (t == 0) {
        mean[blockIdx.x] = m;
        rstd[blockIdx.x] = s;
    }
}

/* kmutate launch
   int images = 12, C = 320, pixels = 32 * 32, groups = 32; dim3 block = { 256 }; dim3 grid = { groups, images };
   float out[images * C * pixels] = zeros(); float in[images * C * pixels] = normal(); float gain[C] = uniform(0.9, 1.1); float shift[C] = uniform(-0.1, 0.1);
   groupnorm_silu(out, in, gain, shift, C, pixels);
*/
// Normalisation over groups of ten channels with a smooth step after it, as models of pictures have it.
__global__ void groupnorm_silu(float *out, const float *in, const float *gain, const float *shift, int C, int pixels)
{
    __shared__ float sums[8], squares[8];
    const int each = C / gridDim.x, count = each * pixels;
    const size_t base = ((size_t)blockIdx.y * C + blockIdx.x * each) * pixels;
    float s = 0.0f, q = 0.0f;
    for (int i = threadIdx.x; i < count; i += 256) {
        float v = in[base + i];
        s += v;
        q += v * v;
    }
    for (int d = 16; d > 0; d >>= 1) {
        s += __shfl_down_sync(0xffffffffu, s, d);
        q += __shfl_down_sync(0xffffffffu, q, d);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = s;
        squares[threadIdx.x / 32] = q;
    }
    __syncthreads();
    s = q = 0.0f;
    for (int w = 0; w < 8; w++) {
        s += sums[w];
        q += squares[w];
    }
    const float mean = s / count, scale = rsqrtf(q / count - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < count; i += 256) {
        const int c = blockIdx.x * each + i / pixels;
        const float v = (in[base + i] - mean) * scale * gain[c] + shift[c];
        out[base + i] = v / (1.0f + __expf(-v));
    }
}

/* kmutate launch
   int rows = 2048, hidden = 5504; dim3 block = { 128 }; dim3 grid = { ceil_div(hidden / 2, 128), rows };
   half2 out[rows * hidden / 2] = zeros(); half2 in[rows * hidden] = normal();
   swiglu_half(out, in, hidden / 2);
*/
// A gate times what it lets through, both in one row, two halves a thread.
__global__ void swiglu_half(half2 *out, const half2 *in, int pairs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t row = blockIdx.y;
    if (i >= pairs) return;
    const float2 gate = __half22float2(in[row * 2 * pairs + i]), up = __half22float2(in[row * 2 * pairs + pairs + i]);
    out[row * pairs + i] = __floats2half2_rn(gate.x / (1.0f + __expf(-gate.x)) * up.x, gate.y / (1.0f + __expf(-gate.y)) * up.y);
}

/* kmutate launch
   int n = 12000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n / 2, 256) };
   __nv_bfloat162 weight[n / 2] = normal(0, 0.02); __nv_bfloat162 momentum[n / 2] = normal(0, 0.01); __nv_bfloat162 grad[n / 2] = normal(0, 0.01);
   lion_update(weight, momentum, grad, n / 2, 1e-4f, 0.9f, 0.99f, 0.1f);
*/
// An optimiser that only takes the sign of its momentum, all in bfloat16, in pairs.
__device__ float sign_of(float v) { return v > 0.0f ? 1.0f : v < 0.0f ? -1.0f : 0.0f; }
__global__ void lion_update(__nv_bfloat162 *weight, __nv_bfloat162 *momentum, const __nv_bfloat162 *grad, int pairs, float rate, float beta1, float beta2,
                            float decay)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    float2 w = __bfloat1622float2(weight[i]), m = __bfloat1622float2(momentum[i]), g = __bfloat1622float2(grad[i]);
    w.x -= rate * (sign_of(beta1 * m.x + (1.0f - beta1) * g.x) + decay * w.x);
    w.y -= rate * (sign_of(beta1 * m.y + (1.0f - beta1) * g.y) + decay * w.y);
    weight[i] = __floats2bfloat162_rn(w.x, w.y);
    momentum[i] = __floats2bfloat162_rn(beta2 * m.x + (1.0f - beta2) * g.x, beta2 * m.y + (1.0f - beta2) * g.y);
}

/* kmutate launch
   int heads = 96, splits = 8, length = 2048, each = length / splits; dim3 block = { 128 }; dim3 grid = { splits, heads };
   float partial[heads * splits * 128] = zeros(); float2 summary[heads * splits] = zeros();
   half2 q[heads * 64] = normal(); half2 K[heads * length * 64] = normal(0, 0.3); half2 V[heads * length * 64] = normal();
   decode_split_kv(partial, summary, q, K, V, length, each, 0.0883883f);
*/
// One new word's attention to a long past, cut into pieces: scores a warp a key, then a pair of columns a thread, halves of the keys.
__global__ void decode_split_kv(float *partial, float2 *summary, const half2 *q, const half2 *K, const half2 *V, int length, int each, float scale)
{
    __shared__ float score[256], warps[4], top;
    __shared__ float2 other[64];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, head = blockIdx.y;
    const size_t base = ((size_t)head * length + blockIdx.x * each) * 64;
    const float2 q0 = __half22float2(q[head * 64 + lane]), q1 = __half22float2(q[head * 64 + 32 + lane]);
    for (int j = warp; j < each; j += 4) {
        const float2 k0 = __half22float2(K[base + j * 64 + lane]), k1 = __half22float2(K[base + j * 64 + 32 + lane]);
        float dot = q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y;
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, d);
        if (lane == 0) score[j] = dot * scale;
    }
    __syncthreads();
    float most = fmaxf(score[t], score[t + 128]);
    for (int d = 16; d > 0; d >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    if (lane == 0) warps[warp] = most;
    __syncthreads();
    if (t == 0) top = fmaxf(fmaxf(warps[0], warps[1]), fmaxf(warps[2], warps[3]));
    __syncthreads();
    most = top;
    const float e0 = __expf(score[t] - most), e1 = __expf(score[t + 128] - most);
    float sum = e0 + e1;
    score[t] = e0;
    score[t + 128] = e1;
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) warps[warp] = sum;
    __syncthreads();
    const int column = t % 64, half_of = t / 64;
    float2 acc = make_float2(0.0f, 0.0f);
#pragma unroll 4
    for (int j = half_of; j < each; j += 2) {
        const float2 v = __half22float2(V[base + j * 64 + column]);
        acc.x += score[j] * v.x;
        acc.y += score[j] * v.y;
    }
    if (half_of) other[column] = acc;
    __syncthreads();
    if (!half_of) {
        float2 *to = reinterpret_cast<float2 *>(partial) + ((size_t)head * gridDim.x + blockIdx.x) * 64 + column;
        *to = make_float2(acc.x + other[column].x, acc.y + other[column].y);
    }
    if (t == 0) summary[head * gridDim.x + blockIdx.x] = make_float2(most, warps[0] + warps[1] + warps[2] + warps[3]);
}
