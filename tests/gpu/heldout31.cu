// Twenty kernels as research groups and data teams write them: fluids, particles, fields, columns, elements, orbitals,
// seismic and medical images, radio telescopes, and five everyday data operators.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int nx = 160, ny = 128, nz = 96;
   dim3 grid = { ny, nz }, block = { nx };
   float src[19 * nx * ny * nz] = uniform(0.03, 0.07);
   float dst[19 * nx * ny * nz] = zeros();
   unsigned char solid[nx * ny * nz] = randint(0, 12);
   lbm_d3q19_pull_bgk_porous(src, dst, solid, nx, ny, nz, 1.6f, 0.00001f);
*/
__global__ void lbm_d3q19_pull_bgk_porous(const float *__restrict__ src, float *__restrict__ dst,
                                          const unsigned char *__restrict__ solid, int nx, int ny, int nz, float omega,
                                          float gravity)
{
    const int ex[19] = { 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0 };
    const int ey[19] = { 0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1 };
    const int ez[19] = { 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1 };
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    const size_t cells = (size_t)nx * ny * nz;
    const size_t here = ((size_t)z * ny + y) * nx + x;
    float f[19];
#pragma unroll
    for (int q = 0; q < 19; ++q) {
        int xs = x - ex[q], ys = y - ey[q], zs = z - ez[q];
        xs = xs < 0 ? nx - 1 : (xs == nx ? 0 : xs);
        ys = ys < 0 ? ny - 1 : (ys == ny ? 0 : ys);
        zs = zs < 0 ? nz - 1 : (zs == nz ? 0 : zs);
        f[q] = src[q * cells + ((size_t)zs * ny + ys) * nx + xs];
    }
    if (solid[here] == 0) {
        dst[here] = f[0];
#pragma unroll
        for (int q = 1; q < 19; q += 2) {
            dst[q * cells + here] = f[q + 1];
            dst[(q + 1) * cells + here] = f[q];
        }
        return;
    }
    float rho = 0.f, ux = 0.f, uy = 0.f, uz = 0.f;
#pragma unroll
    for (int q = 0; q < 19; ++q) {
        rho += f[q];
        ux += ex[q] * f[q];
        uy += ey[q] * f[q];
        uz += ez[q] * f[q];
    }
    const float inv = 1.f / rho;
    ux = ux * inv + gravity / omega;
    uy *= inv;
    uz *= inv;
    const float base = 1.f - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int q = 0; q < 19; ++q) {
        const float w = q == 0 ? 1.f / 3.f : (q < 7 ? 1.f / 18.f : 1.f / 36.f);
        const float eu = ex[q] * ux + ey[q] * uy + ez[q] * uz;
        const float feq = w * rho * (base + 3.f * eu + 4.5f * eu * eu);
        dst[q * cells + here] = f[q] + omega * (feq - f[q]);
    }
}

/* kmutate launch
   int atoms = 98304, width = 72;
   float box = 26.0f;
   dim3 grid = { (atoms + 127) / 128 }, block = { 128 };
   float4 xq[atoms] = uniform(0, 26);
   int type[atoms] = randint(0, 4);
   int count[atoms] = randint(36, 72);
   short delta[width * atoms] = randint(-1500, 1500);
   float2 lj[16] = uniform(0.1, 0.9);
   float4 force[atoms] = zeros();
   md_lj_ewald_short_range(xq, type, count, delta, lj, force, atoms, box, 144.0f, 0.28f);
*/
__global__ void md_lj_ewald_short_range(const float4 *__restrict__ xq, const int *__restrict__ type,
                                        const int *__restrict__ count, const short *__restrict__ delta,
                                        const float2 *__restrict__ lj, float4 *__restrict__ force, int atoms, float box,
                                        float cut2, float alpha)
{
    __shared__ float2 pair[16];
    if (threadIdx.x < 16) pair[threadIdx.x] = lj[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) return;
    const float4 me = xq[i];
    const int row = type[i] * 4;
    const int n = count[i];
    const float inv_box = 1.f / box;
    float fx = 0.f, fy = 0.f, fz = 0.f, energy = 0.f;
    for (int k = 0; k < n; ++k) {
        int j = i + delta[(size_t)k * atoms + i];
        if (j < 0) j += atoms;
        if (j >= atoms) j -= atoms;
        const float4 other = xq[j];
        float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        dx -= box * rintf(dx * inv_box);
        dy -= box * rintf(dy * inv_box);
        dz -= box * rintf(dz * inv_box);
        const float r2 = fmaxf(dx * dx + dy * dy + dz * dz, 0.5f);
        if (r2 < cut2) {
            const float2 ab = pair[row + type[j]];
            const float rinv = rsqrtf(r2), r = r2 * rinv, rinv2 = rinv * rinv;
            const float s6 = rinv2 * rinv2 * rinv2;
            const float ar = alpha * r;
            const float gauss = __expf(-ar * ar);
            const float t = 1.f / (1.f + 0.3275911f * ar);
            const float poly = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f +
                               t * 1.061405429f))));
            const float erfc_ar = poly * gauss;
            const float qq = 0.01f * me.w * other.w * rinv;
            const float coul = qq * (erfc_ar + 1.128379167f * ar * gauss);
            const float vdw = s6 * (12.f * ab.x * s6 - 6.f * ab.y);
            const float scale = (coul + vdw) * rinv2;
            fx += dx * scale;
            fy += dy * scale;
            fz += dz * scale;
            energy += qq * erfc_ar + s6 * (ab.x * s6 - ab.y);
        }
    }
    force[i] = make_float4(fx, fy, fz, 0.5f * energy);
}

#define PML_CELLS 10

/* kmutate launch
   int nx = 256, ny = 224, nz = 144;
   dim3 grid = { nx / 64, ny / 4, nz }, block = { 64, 4 };
   float ey[nx * ny * nz] = normal();
   float ez[nx * ny * nz] = normal();
   float hx[nx * ny * nz] = normal();
   float hy[nx * ny * nz] = normal();
   float hz[nx * ny * nz] = normal();
   unsigned char material[nx * ny * nz] = randint(0, 6);
   float2 coef[16] = uniform(0.2, 0.9);
   float psi_ey[2 * PML_CELLS * ny * nz] = zeros();
   float psi_ez[2 * PML_CELLS * ny * nz] = zeros();
   float2 pml[2 * PML_CELLS] = uniform(0.1, 0.9);
   fdtd_efield_cpml_xfaces(ey, ez, hx, hy, hz, material, coef, psi_ey, psi_ez, pml, nx, ny, nz, 0.57f);
*/
__global__ void fdtd_efield_cpml_xfaces(float *__restrict__ ey, float *__restrict__ ez, const float *__restrict__ hx,
                                        const float *__restrict__ hy, const float *__restrict__ hz,
                                        const unsigned char *__restrict__ material, const float2 *__restrict__ coef,
                                        float *__restrict__ psi_ey, float *__restrict__ psi_ez,
                                        const float2 *__restrict__ pml, int nx, int ny, int nz, float courant)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z;
    if (i < 1 || j < 1 || k < 1 || i >= nx || j >= ny || k >= nz) return;
    const int plane = nx * ny;
    const int at = k * plane + j * nx + i;
    const float2 c = coef[material[at]];
    const float h = hx[at];
    const float dhz_dx = courant * (hz[at] - hz[at - 1]);
    const float dhy_dx = courant * (hy[at] - hy[at - 1]);
    const float dhx_dy = courant * (h - hx[at - nx]);
    const float dhx_dz = courant * (h - hx[at - plane]);
    float new_ey = c.x * ey[at] + c.y * (dhx_dz - dhz_dx);
    float new_ez = c.x * ez[at] + c.y * (dhy_dx - dhx_dy);
    int layer = -1;
    if (i < PML_CELLS)
        layer = i;
    else if (i >= nx - PML_CELLS)
        layer = i - (nx - PML_CELLS) + PML_CELLS;
    if (layer >= 0) {
        const float2 bc = pml[layer];
        const int p = (k * ny + j) * 2 * PML_CELLS + layer;
        const float a = bc.x * psi_ey[p] + bc.y * dhz_dx;
        const float b = bc.x * psi_ez[p] + bc.y * dhy_dx;
        psi_ey[p] = a;
        psi_ez[p] = b;
        new_ey -= c.y * a;
        new_ez += c.y * b;
    }
    ey[at] = new_ey;
    ez[at] = new_ez;
}

/* kmutate launch
   int columns = 49152, levels = 70;
   dim3 grid = { (columns + 127) / 128 }, block = { 128 };
   double theta[levels * columns] = uniform(260, 320);
   double vapour[levels * columns] = uniform(0.0, 0.02);
   double diff[levels * columns] = uniform(0.1, 40);
   double mass[levels * columns] = uniform(50, 400);
   double work[levels * columns] = zeros();
   double heat_flux[columns] = uniform(-0.1, 0.3);
   double moist_flux[columns] = uniform(0, 0.0001);
   boundary_layer_implicit_mixing(theta, vapour, diff, mass, work, heat_flux, moist_flux, columns, levels, 600.0);
*/
__global__ void boundary_layer_implicit_mixing(double *__restrict__ theta, double *__restrict__ vapour,
                                               const double *__restrict__ diff, const double *__restrict__ mass,
                                               double *__restrict__ work, const double *__restrict__ heat_flux,
                                               const double *__restrict__ moist_flux, int columns, int levels,
                                               double dt)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= columns) return;
    double carry = 0.0, th = 0.0, qv = 0.0;
    double upper = 0.0;
    for (int k = 0; k < levels; ++k) {
        const size_t at = (size_t)k * columns + col;
        const double per_mass = dt / mass[at];
        const double lower = k + 1 < levels ? diff[at + columns] : 0.0;
        const double am = upper * per_mass, ap = lower * per_mass;
        const double inv = 1.0 / (1.0 + am + ap - am * carry);
        double t = theta[at], q = vapour[at];
        if (k + 1 == levels) {
            t += per_mass * heat_flux[col];
            q += per_mass * moist_flux[col];
        }
        th = (t + am * th) * inv;
        qv = (q + am * qv) * inv;
        carry = ap * inv;
        work[at] = carry;
        theta[at] = th;
        vapour[at] = qv;
        upper = lower;
    }
    for (int k = levels - 2; k >= 0; --k) {
        const size_t at = (size_t)k * columns + col;
        const double c = work[at];
        th = theta[at] + c * th;
        qv = vapour[at] + c * qv;
        theta[at] = th;
        vapour[at] = qv;
    }
}

#define CONV_SUPPORT 7
#define CONV_OVERSAMPLE 16

/* kmutate launch
   int vis = 180000, size = 2048;
   dim3 grid = { (vis + 255) / 256 }, block = { 256 };
   float uv[2 * vis] = uniform(16, 2030);
   float w[vis] = uniform(-40, 40);
   float2 sample[vis] = normal();
   float weight[vis] = uniform(0.2, 1);
   float taper[CONV_OVERSAMPLE * CONV_SUPPORT] = uniform(0, 0.6);
   float2 image_grid[size * size] = zeros();
   float norm[1] = zeros();
   interferometer_convolve_to_grid(uv, w, sample, weight, taper, image_grid, norm, vis, size, 0.013f);
*/
__global__ void interferometer_convolve_to_grid(const float *__restrict__ uv, const float *__restrict__ w,
                                                const float2 *__restrict__ sample, const float *__restrict__ weight,
                                                const float *__restrict__ taper, float2 *image_grid, float *norm,
                                                int vis, int size, float w_scale)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vis) return;
    const float u = uv[2 * v], vv = uv[2 * v + 1];
    const int iu = (int)u, iv = (int)vv;
    const float *cu = taper + (int)((u - iu) * CONV_OVERSAMPLE) * CONV_SUPPORT;
    const float *cv = taper + (int)((vv - iv) * CONV_OVERSAMPLE) * CONV_SUPPORT;
    float sn, cs;
    sincosf(6.2831853f * w_scale * w[v], &sn, &cs);
    const float2 d = sample[v];
    const float wt = weight[v];
    const float re = wt * (d.x * cs - d.y * sn), im = wt * (d.x * sn + d.y * cs);
    float sum = 0.f;
    for (int y = 0; y < CONV_SUPPORT; ++y) {
        const float cy = cv[y];
        float2 *line = image_grid + (size_t)(iv + y - CONV_SUPPORT / 2) * size + iu - CONV_SUPPORT / 2;
        for (int x = 0; x < CONV_SUPPORT; ++x) {
            const float c = cy * cu[x];
            atomicAdd(&line[x].x, re * c);
            atomicAdd(&line[x].y, im * c);
            sum += c;
        }
    }
    sum *= wt;
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(__activemask(), sum, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(norm, sum);
}

/* kmutate launch
   int elements = 24000, dofs = elements * 27;
   dim3 grid = { elements / 2 }, block = { 4, 4, 8 };
   int node[elements * 64] = ascending(0, dofs);
   double u[dofs] = normal();
   double geo[elements * 6 * 64] = uniform(0.1, 1);
   double deriv[16] = normal();
   double out[dofs] = zeros();
   fem_hex_cubic_stiffness_action(node, u, geo, deriv, out);
*/
__global__ void fem_hex_cubic_stiffness_action(const int *__restrict__ node, const double *__restrict__ u,
                                               const double *__restrict__ geo, const double *__restrict__ deriv,
                                               double *out)
{
    __shared__ double d[4][4];
    __shared__ double val[2][4][4][4];
    __shared__ double flux[2][3][4][4][4];
    const int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z & 3, slot = threadIdx.z >> 2;
    const int local = (k * 4 + j) * 4 + i;
    const int e = blockIdx.x * 2 + slot;
    if (threadIdx.z == 0) d[j][i] = deriv[j * 4 + i];
    const int dof = node[e * 64 + local];
    val[slot][k][j][i] = u[dof];
    __syncthreads();
    double dr = 0.0, ds = 0.0, dt = 0.0;
#pragma unroll
    for (int m = 0; m < 4; ++m) {
        dr += d[i][m] * val[slot][k][j][m];
        ds += d[j][m] * val[slot][k][m][i];
        dt += d[k][m] * val[slot][m][j][i];
    }
    const double *g = geo + (size_t)e * 6 * 64 + local;
    const double g00 = g[0], g01 = g[64], g02 = g[128], g11 = g[192], g12 = g[256], g22 = g[320];
    flux[slot][0][i][j][k] = g00 * dr + g01 * ds + g02 * dt;
    flux[slot][1][i][j][k] = g01 * dr + g11 * ds + g12 * dt;
    flux[slot][2][i][j][k] = g02 * dr + g12 * ds + g22 * dt;
    __syncthreads();
    double r = 0.0;
#pragma unroll
    for (int m = 0; m < 4; ++m)
        r += d[m][i] * flux[slot][0][m][j][k] + d[m][j] * flux[slot][1][i][m][k] + d[m][k] * flux[slot][2][i][j][m];
    atomicAdd(&out[dof], r);
}

/* kmutate launch
   int bras = 3072, kets = 4096;
   dim3 grid = { bras }, block = { 128 };
   double4 bra[bras] = uniform(0.3, 4);
   double4 ket[kets] = uniform(0.3, 4);
   double2 bra_k[bras] = uniform(0.0001, 1);
   double2 ket_k[kets] = uniform(0.0001, 1);
   double density[kets] = normal();
   double coulomb[bras] = zeros();
   eri_ssss_coulomb_rows(bra, ket, bra_k, ket_k, density, coulomb, kets, 0.2);
*/
__global__ void __launch_bounds__(128)
eri_ssss_coulomb_rows(const double4 *__restrict__ bra, const double4 *__restrict__ ket,
                      const double2 *__restrict__ bra_k, const double2 *__restrict__ ket_k,
                      const double *__restrict__ density, double *__restrict__ coulomb, int kets, double threshold)
{
    __shared__ double part[4];
    const double4 p = bra[blockIdx.x];
    const double2 pk = bra_k[blockIdx.x];
    double sum = 0.0;
    for (int j = threadIdx.x; j < kets; j += 128) {
        const double2 qk = ket_k[j];
        if (pk.y * qk.y < threshold) continue;
        const double4 q = ket[j];
        const double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        const double s = p.w + q.w;
        const double t = p.w * q.w / s * (dx * dx + dy * dy + dz * dz);
        double boys;
        if (t < 1e-6) {
            boys = 1.0 - t * (1.0 / 3.0);
        } else if (t > 28.0) {
            boys = 0.886226925452758 * rsqrt(t);
        } else {
            const double root = sqrt(t);
            boys = 0.886226925452758 * erf(root) / root;
        }
        sum += density[j] * pk.x * qk.x * boys / (p.w * q.w * sqrt(s));
    }
    sum *= 34.986836655249725;
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) coulomb[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

/* kmutate launch
   int nz = 512, nx = 384, traces = 480, samples = 2048;
   dim3 grid = { nz / 128, nx }, block = { 128 };
   float data[traces * samples] = normal();
   float2 position[traces] = uniform(0, 4800);
   float vrms[nz] = iota(1500, 4.5);
   float image[nx * nz] = zeros();
   kirchhoff_time_migration_gather(data, position, vrms, image, nz, traces, samples, 12.5f, 0.006f, 0.004f);
*/
__global__ void kirchhoff_time_migration_gather(const float *__restrict__ data, const float2 *__restrict__ position,
                                                const float *__restrict__ vrms, float *__restrict__ image, int nz,
                                                int traces, int samples, float dx, float dtau, float dt)
{
    const int iz = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = blockIdx.y * dx;
    const float tau = (iz + 1) * dtau;
    const float v = vrms[iz];
    const float half_tau2 = 0.25f * tau * tau;
    const float slow2 = 1.f / (v * v);
    const float aperture = 300.f + 0.5f * v * tau;
    const float inv_dt = 1.f / dt;
    float stack = 0.f;
    int fold = 0;
    for (int tr = 0; tr < traces; ++tr) {
        const float2 sr = position[tr];
        const float mid = 0.5f * (sr.x + sr.y);
        if (fabsf(mid - x) > aperture) continue;
        const float xs = x - sr.x, xr = x - sr.y;
        const float ts = sqrtf(half_tau2 + xs * xs * slow2);
        const float tg = sqrtf(half_tau2 + xr * xr * slow2);
        const float at = (ts + tg) * inv_dt;
        const int n = (int)at;
        if (n + 1 >= samples) continue;
        const float frac = at - n;
        const float *trace = data + (size_t)tr * samples;
        const float amp = trace[n] * (1.f - frac) + trace[n + 1] * frac;
        stack += amp * tau / (ts * tg * (ts + tg));
        ++fold;
    }
    image[blockIdx.y * nz + iz] += stack / (float)max(fold, 1);
}

#define CBCT_VIEWS 24
__constant__ float c_cbct_view[2 * CBCT_VIEWS];

/* kmutate launch
   int nx = 256, ny = 256, nz = 128, det_u = 512, det_v = 320;
   dim3 grid = { nx / 32, ny / 8, nz / 4 }, block = { 32, 8 };
   extern float c_cbct_view[2 * CBCT_VIEWS] = {
       0.998750f, 0.049979f, 0.951783f, 0.306772f, 0.839954f, 0.542658f, 0.670882f, 0.741564f,
       0.456092f, 0.889933f, 0.210219f, 0.977654f, -0.049979f, 0.998750f, -0.306772f, 0.951783f,
       -0.542658f, 0.839954f, -0.741564f, 0.670882f, -0.889933f, 0.456092f, -0.977654f, 0.210219f,
       -0.998750f, -0.049979f, -0.951783f, -0.306772f, -0.839954f, -0.542658f, -0.670882f, -0.741564f,
       -0.456092f, -0.889933f, -0.210219f, -0.977654f, 0.049979f, -0.998750f, 0.306772f, -0.951783f,
       0.542658f, -0.839954f, 0.741564f, -0.670882f, 0.889933f, -0.456092f, 0.977654f, -0.210219f };
   half proj[CBCT_VIEWS * det_u * det_v] = uniform(0, 1);
   float volume[nx * ny * nz] = zeros();
   conebeam_fdk_accumulate_views(proj, volume, nx, ny, nz, det_u, det_v, 1000.0f, 1500.0f);
*/
__global__ void conebeam_fdk_accumulate_views(const half *__restrict__ proj, float *__restrict__ volume, int nx, int ny,
                                              int nz, int det_u, int det_v, float source_axis, float source_det)
{
    const int ix = blockIdx.x * blockDim.x + threadIdx.x;
    const int iy = blockIdx.y * blockDim.y + threadIdx.y;
    const int iz0 = blockIdx.z * 4;
    const float x = ix - 0.5f * nx + 0.5f, y = iy - 0.5f * ny + 0.5f, z0 = iz0 - 0.5f * nz + 0.5f;
    float acc[4] = { 0.f, 0.f, 0.f, 0.f };
    for (int view = 0; view < CBCT_VIEWS; ++view) {
        const float c = c_cbct_view[2 * view], s = c_cbct_view[2 * view + 1];
        const float depth = source_axis - (x * c + y * s);
        const float ratio = 1.f / depth;
        const float mag = source_det * ratio;
        const float u = (y * c - x * s) * mag + 0.5f * det_u;
        const int iu = (int)floorf(u);
        if (iu < 0 || iu + 1 >= det_u) continue;
        const float fu = u - iu;
        const float weight = source_axis * source_axis * ratio * ratio;
        const half *panel = proj + (size_t)view * det_u * det_v + iu;
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float v = (z0 + q) * mag + 0.5f * det_v;
            const int iv = (int)floorf(v);
            if (iv >= 0 && iv + 1 < det_v) {
                const float fv = v - iv;
                const half *line = panel + iv * det_u;
                const float a = __half2float(line[0]) * (1.f - fu) + __half2float(line[1]) * fu;
                const float b = __half2float(line[det_u]) * (1.f - fu) + __half2float(line[det_u + 1]) * fu;
                acc[q] += weight * (a + fv * (b - a));
            }
        }
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) volume[((size_t)(iz0 + q) * ny + iy) * nx + ix] += acc[q];
}

#define PFB_TAPS 8
#define PFB_RUN 16

/* kmutate launch
   int channels = 4096, spectra = 768;
   dim3 grid = { channels / 256, spectra / PFB_RUN }, block = { 256 };
   char4 voltage[(spectra + PFB_TAPS - 1) * channels] = randint(-90, 90);
   float coef[PFB_TAPS * channels] = normal(0, 0.1);
   float4 out[spectra * channels] = zeros();
   polyphase_fir_int8_dual_pol(voltage, coef, out, channels);
*/
__global__ void polyphase_fir_int8_dual_pol(const char4 *__restrict__ voltage, const float *__restrict__ coef,
                                            float4 *__restrict__ out, int channels)
{
    const int ch = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = blockIdx.y * PFB_RUN;
    float h[PFB_TAPS];
    char4 window[PFB_TAPS];
#pragma unroll
    for (int t = 0; t < PFB_TAPS; ++t) h[t] = coef[t * channels + ch];
    const char4 *in = voltage + (size_t)first * channels + ch;
#pragma unroll
    for (int t = 0; t < PFB_TAPS - 1; ++t) window[t] = in[(size_t)t * channels];
#pragma unroll
    for (int s = 0; s < PFB_RUN; ++s) {
        window[(s + PFB_TAPS - 1) % PFB_TAPS] = in[(size_t)(s + PFB_TAPS - 1) * channels];
        float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
        for (int t = 0; t < PFB_TAPS; ++t) {
            const char4 v = window[(s + t) % PFB_TAPS];
            acc.x += h[t] * v.x;
            acc.y += h[t] * v.y;
            acc.z += h[t] * v.z;
            acc.w += h[t] * v.w;
        }
        out[(size_t)(first + s) * channels + ch] = acc;
    }
}

#define DM_GROUP 8

/* kmutate launch
   int channels = 768, samples = 16384, trials = 32, pad = 4096, pitch = samples + pad;
   dim3 grid = { samples / 1024, trials / DM_GROUP }, block = { 256 };
   int smem = DM_GROUP * channels * sizeof(short);
   unsigned char power[channels * pitch] = randint(0, 256);
   unsigned char masked[channels] = randint(0, 20);
   short delay[trials * channels] = randint(0, pad);
   float series[trials * samples] = zeros();
   dedisperse_filterbank_trials(power, masked, delay, series, channels, samples, pitch, 0.036f);
*/
__global__ void dedisperse_filterbank_trials(const unsigned char *__restrict__ power,
                                             const unsigned char *__restrict__ masked,
                                             const short *__restrict__ delay, float *__restrict__ series,
                                             int channels, int samples, int pitch, float scale)
{
    extern __shared__ short shift[];
    const int dm0 = blockIdx.y * DM_GROUP;
    for (int i = threadIdx.x; i < DM_GROUP * channels; i += blockDim.x) {
        const int dm = i / channels, ch = i - dm * channels;
        shift[ch * DM_GROUP + dm] = delay[(dm0 + dm) * channels + ch];
    }
    __syncthreads();
    for (int part = 0; part < 4; ++part) {
        const int t = blockIdx.x * 1024 + part * 256 + threadIdx.x;
        unsigned acc[DM_GROUP] = { 0 };
        for (int ch = 0; ch < channels; ++ch) {
            if (masked[ch] == 0) continue;
            const unsigned char *row = power + (size_t)ch * pitch + t;
#pragma unroll
            for (int d = 0; d < DM_GROUP; ++d) acc[d] += row[shift[ch * DM_GROUP + d]];
        }
#pragma unroll
        for (int d = 0; d < DM_GROUP; ++d) series[(size_t)(dm0 + d) * samples + t] = acc[d] * scale;
    }
}

/* kmutate launch
   int cells = 320000, faces = 900000;
   dim3 grid = { (faces + 191) / 192 }, block = { 192 };
   int left[faces] = ascending(0, cells);
   int right[faces] = randint(0, cells);
   float normal_area[3 * faces] = normal();
   float prim[5 * cells] = uniform(0.5, 1.5);
   float residual[5 * cells] = zeros();
   euler_rusanov_face_scatter(left, right, normal_area, prim, residual, faces, 1.4f);
*/
__global__ void euler_rusanov_face_scatter(const int *left, const int *right, const float *normal_area,
                                           const float *prim, float *residual, int faces, float gamma)
{
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= faces) return;
    const int l = left[f], r = right[f];
    const float ax = normal_area[3 * f], ay = normal_area[3 * f + 1], az = normal_area[3 * f + 2];
    const float area = sqrtf(ax * ax + ay * ay + az * az);
    float ql[5], qr[5], fl[5], fr[5];
    float speed = 0.f;
    for (int side = 0; side < 2; ++side) {
        const float *w = prim + 5 * (side ? r : l);
        float *q = side ? qr : ql, *g = side ? fr : fl;
        const float rho = w[0], u = w[1], v = w[2], ww = w[3], p = w[4];
        const float un = u * ax + v * ay + ww * az;
        const float energy = p / (gamma - 1.f) + 0.5f * rho * (u * u + v * v + ww * ww);
        q[0] = rho;
        q[1] = rho * u;
        q[2] = rho * v;
        q[3] = rho * ww;
        q[4] = energy;
        g[0] = rho * un;
        g[1] = rho * u * un + p * ax;
        g[2] = rho * v * un + p * ay;
        g[3] = rho * ww * un + p * az;
        g[4] = (energy + p) * un;
        speed = fmaxf(speed, fabsf(un) + sqrtf(gamma * p / rho) * area);
    }
    for (int m = 0; m < 5; ++m) {
        const float flux = 0.5f * (fl[m] + fr[m]) - 0.5f * speed * (qr[m] - ql[m]);
        atomicAdd(&residual[5 * l + m], -flux);
        atomicAdd(&residual[5 * r + m], flux);
    }
}

/* kmutate launch
   int gx = 48, gy = 32, gz = 20, cells = gx * gy * gz;
   int particles = csr_nnz(cells, 2, 14);
   dim3 grid = { (cells + 7) / 8 }, block = { 256 };
   int start[cells + 1] = csr_rowptr(cells, 2, 14);
   float4 place[particles] = uniform(0, 1);
   float density[particles] = zeros();
   float pressure[particles] = zeros();
   sph_density_cell_rows(start, place, density, pressure, gx, gy, gz, 1.0f, 1.15f, 60.0f);
*/
__global__ void sph_density_cell_rows(const int *__restrict__ start, const float4 *__restrict__ place,
                                      float *__restrict__ density, float *__restrict__ pressure, int gx, int gy, int gz,
                                      float support, float rest_scale, float stiffness)
{
    const int lane = threadIdx.x & 31;
    const int cell = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (cell >= gx * gy * gz) return;
    const int cx = cell % gx, cy = cell / gx % gy, cz = cell / (gx * gy);
    const float h2 = support * support;
    const float poly6 = 1.5666814711f / (h2 * h2 * h2 * h2 * support);
    for (int i = start[cell]; i < start[cell + 1]; ++i) {
        const float4 me = place[i];
        float sum = 0.f;
        for (int oz = -1; oz <= 1; ++oz) {
            if (cz + oz < 0 || cz + oz >= gz) continue;
            for (int oy = -1; oy <= 1; ++oy) {
                if (cy + oy < 0 || cy + oy >= gy) continue;
                const int row = cell + (oz * gy + oy) * gx;
                const int s1 = start[row], s2 = start[row + 1];
                const int begin = cx > 0 ? start[row - 1] : s1;
                const int end = cx + 1 < gx ? start[row + 2] : s2;
                for (int j = begin + lane; j < end; j += 32) {
                    const float4 other = place[j];
                    const float dx = other.x - me.x + (float)((j >= s1) + (j >= s2) - 1);
                    const float dy = other.y - me.y + oy;
                    const float dz = other.z - me.z + oz;
                    const float left = h2 - (dx * dx + dy * dy + dz * dz);
                    if (left > 0.f) sum += other.w * left * left * left;
                }
            }
        }
        for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
        if (lane == 0) {
            const float rho = poly6 * sum;
            density[i] = rho;
            pressure[i] = stiffness * (__powf(rho * rest_scale, 7.f) - 1.f);
        }
    }
}

/* kmutate launch
   int points = 5000000;
   dim3 grid = { (points + 255) / 256 }, block = { 256 };
   float temp[points] = uniform(235, 305);
   float vapour[points] = uniform(0.0005, 0.02);
   float cloud[points] = uniform(0, 0.001);
   float press[points] = uniform(30000, 101000);
   float rain[points] = zeros();
   cloud_saturation_autoconversion(temp, vapour, cloud, press, rain, points, 0.0005f, 20.0f);
*/
__global__ void cloud_saturation_autoconversion(float *__restrict__ temp, float *__restrict__ vapour,
                                                float *__restrict__ cloud, const float *__restrict__ press,
                                                float *__restrict__ rain, int points, float threshold, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    float t = temp[i], qv = vapour[i], qc = cloud[i];
    const float p = press[i];
    for (int pass = 0; pass < 6; ++pass) {
        const bool ice = t < 258.15f;
        const float a = ice ? 21.8745584f : 17.2693882f, b = ice ? 7.66f : 35.86f;
        const float lat = ice ? 2.834e6f : 2.501e6f;
        const float es = 610.78f * expf(a * (t - 273.16f) / (t - b));
        const float qs = 0.622f * es / (p - 0.378f * es);
        const float slope = qs * a * (273.16f - b) / ((t - b) * (t - b));
        float cond = (qv - qs) / (1.f + lat / 1004.f * slope);
        cond = fmaxf(cond, -qc);
        qv -= cond;
        qc += cond;
        t += lat / 1004.f * cond;
        if (fabsf(cond) < 1e-6f) break;
    }
    if (qc > threshold) {
        const float rate = 1350.f * powf(qc, 2.47f) * powf(80.f, -1.79f);
        const float made = fminf(qc, rate * dt + 0.001f * (qc - threshold) * dt);
        qc -= made;
        rain[i] += made;
    }
    temp[i] = t;
    vapour[i] = qv;
    cloud[i] = qc;
}

/* kmutate launch
   int nx = 192, ny = 192, nz = 96;
   dim3 grid = { nx / 16, ny / 8, nz / 4 }, block = { 16, 8, 4 };
   float scan[nx * ny * nz] = uniform(20, 900);
   float out[nx * ny * nz] = zeros();
   mri_rician_bilateral_volume(scan, out, nx, ny, nz, 0.22f, 0.0004f, 18.0f);
*/
__global__ void __launch_bounds__(512)
mri_rician_bilateral_volume(const float *__restrict__ scan, float *__restrict__ out, int nx, int ny, int nz,
                            float inv_space, float inv_range, float sigma)
{
    __shared__ float brick[8][12][20];
    const int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 8 - 2, z0 = blockIdx.z * 4 - 2;
    const int tid = (threadIdx.z * 8 + threadIdx.y) * 16 + threadIdx.x;
    for (int i = tid; i < 8 * 12 * 20; i += 512) {
        const int bx = i % 20, by = i / 20 % 12, bz = i / 240;
        const int x = min(max(x0 + bx, 0), nx - 1);
        const int y = min(max(y0 + by, 0), ny - 1);
        const int z = min(max(z0 + bz, 0), nz - 1);
        brick[bz][by][bx] = scan[((size_t)z * ny + y) * nx + x];
    }
    __syncthreads();
    const float centre = brick[threadIdx.z + 2][threadIdx.y + 2][threadIdx.x + 2];
    float sum = 0.f, weights = 0.f;
    for (int dz = -2; dz <= 2; ++dz)
        for (int dy = -2; dy <= 2; ++dy)
#pragma unroll
            for (int dx = -2; dx <= 2; ++dx) {
                const float v = brick[threadIdx.z + 2 + dz][threadIdx.y + 2 + dy][threadIdx.x + 2 + dx];
                const float diff = v - centre;
                const float w = __expf(-(dx * dx + dy * dy + dz * dz) * inv_space - diff * diff * inv_range);
                sum += w * v * v;
                weights += w;
            }
    const float power = sum / weights - 2.f * sigma * sigma;
    const size_t at = ((size_t)(blockIdx.z * 4 + threadIdx.z) * ny + y0 + 2 + threadIdx.y) * nx + x0 + 2 + threadIdx.x;
    out[at] = sqrtf(fmaxf(power, 0.f));
}

/* kmutate launch
   int slots = 1 << 21, probes = 4000000;
   dim3 grid = { (probes + 255) / 256 }, block = { 256 };
   long long table_key[slots] = iota(0, 3);
   int table_row[slots] = permutation();
   long long probe_key[probes] = randint(0, 3 * (1 << 21));
   int2 joined[probes] = zeros();
   int joined_count[1] = zeros();
   cuckoo_join_probe_two_buckets(table_key, table_row, probe_key, joined, joined_count, slots - 1, probes);
*/
__global__ void cuckoo_join_probe_two_buckets(const long long *__restrict__ table_key,
                                              const int *__restrict__ table_row,
                                              const long long *__restrict__ probe_key, int2 *__restrict__ joined,
                                              int *joined_count, unsigned mask, int probes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int row = -1;
    if (i < probes) {
        const long long key = probe_key[i];
        unsigned long long hash = (unsigned long long)key * 0xaaaaaaaaaaaaaaabull;
        for (int turn = 0; turn < 2 && row < 0; ++turn) {
            const unsigned bucket = (unsigned)hash & mask & ~7u;
            for (int s = 0; s < 8; ++s)
                if (table_key[bucket + s] == key) {
                    row = table_row[bucket + s];
                    break;
                }
            hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9ull;
            hash ^= hash >> 32;
        }
    }
    const unsigned found = __ballot_sync(0xffffffffu, row >= 0);
    if (found == 0) return;
    int base = 0;
    if (lane == 0) base = atomicAdd(joined_count, __popc(found));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (row >= 0) joined[base + __popc(found & ((1u << lane) - 1))] = make_int2(i, row);
}

/* kmutate launch
   int packs = 160000;
   int quads = csr_nnz(packs, 3, 20);
   dim3 grid = { (packs + 7) / 8 }, block = { 256 };
   int offset[packs + 1] = csr_rowptr(packs, 3, 20);
   uint4 packed[quads] = randint(0, 4294967295u);
   int first[packs] = randint(0, 1000000);
   int4 values[packs * 32] = zeros();
   delta_zigzag_unpack_warp128(offset, packed, first, values, packs);
*/
__global__ void delta_zigzag_unpack_warp128(const int *__restrict__ offset, const uint4 *__restrict__ packed,
                                            const int *__restrict__ first, int4 *__restrict__ values, int packs)
{
    __shared__ __align__(16) unsigned stage[8][84];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int pack = blockIdx.x * 8 + warp;
    if (pack >= packs) return;
    const int begin = offset[pack];
    const int bits = offset[pack + 1] - begin;
    if (lane < bits) reinterpret_cast<uint4 *>(stage[warp])[lane] = packed[begin + lane];
    if (lane == 31) stage[warp][4 * bits] = 0;
    __syncwarp();
    const unsigned mask = (1u << bits) - 1u;
    int v[4];
    int run = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int bit = (lane * 4 + k) * bits;
        const int word = bit >> 5;
        const unsigned raw = __funnelshift_r(stage[warp][word], stage[warp][word + 1], bit & 31) & mask;
        run += (int)(raw >> 1) ^ -(int)(raw & 1u);
        v[k] = run;
    }
    int scan = run;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        const int up = __shfl_up_sync(0xffffffffu, scan, o);
        if (lane >= o) scan += up;
    }
    const int base = first[pack] + scan - run;
    values[(size_t)pack * 32 + lane] = make_int4(base + v[0], base + v[1], base + v[2], base + v[3]);
}

/* kmutate launch
   int lines = 300000;
   int bytes = csr_nnz(lines, 60, 180);
   dim3 grid = { (lines + 127) / 128 }, block = { 128 };
   int begin[lines + 1] = csr_rowptr(lines, 60, 180);
   char text[bytes] = randint(32, 58);
   unsigned client[lines] = zeros();
   int status[lines] = zeros();
   long long size[lines] = zeros();
   int per_class[16] = zeros();
   access_log_line_fields(begin, text, client, status, size, per_class, lines);
*/
__global__ void access_log_line_fields(const int *__restrict__ begin, const char *__restrict__ text, unsigned
                                       *__restrict__ client, int *__restrict__ status, long long *__restrict__ size,
                                       int *per_class, int lines)
{
    __shared__ int classes[16];
    if (threadIdx.x < 16) classes[threadIdx.x] = 0;
    __syncthreads();
    const int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line < lines) {
        const int end = begin[line + 1];
        unsigned hash = 2166136261u;
        int field = 0, code = 0;
        unsigned long long total = 0;
        bool quoted = false;
        for (int at = begin[line]; at < end; ++at) {
            const char c = text[at];
            if (c == '"') {
                quoted = !quoted;
            } else if (c == ' ' && !quoted) {
                ++field;
            } else if (field == 0) {
                hash = (hash ^ (unsigned char)c) * 16777619u;
            } else if (c >= '0' && c <= '9') {
                if (field == 1)
                    code = (code * 10 + (c - '0')) % 1000;
                else if (field == 2)
                    total = total * 10 + (c - '0');
            }
        }
        client[line] = hash;
        status[line] = code;
        size[line] = (long long)total;
        atomicAdd(&classes[code / 100], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16 && classes[threadIdx.x]) atomicAdd(&per_class[threadIdx.x], classes[threadIdx.x]);
}

#define RANK_DOCS 256

/* kmutate launch
   int queries = 5000;
   int docs = csr_nnz(queries, 20, 220);
   dim3 grid = { queries }, block = { 128 };
   int begin[queries + 1] = csr_rowptr(queries, 20, 220);
   float score[docs] = normal();
   unsigned char label[docs] = randint(0, 5);
   float inv_ideal[queries] = uniform(0.01, 0.2);
   float lambda[docs] = zeros();
   float hessian[docs] = zeros();
   lambdarank_query_gradients(begin, score, label, inv_ideal, lambda, hessian, 1.0f);
*/
__global__ void lambdarank_query_gradients(const int *__restrict__ begin, const float *__restrict__ score,
                                           const unsigned char *__restrict__ label, const float *__restrict__ inv_ideal,
                                           float *__restrict__ lambda, float *__restrict__ hessian, float sigma)
{
    __shared__ float s[RANK_DOCS], gain[RANK_DOCS], discount[RANK_DOCS];
    const int b = begin[blockIdx.x];
    const int n = min(begin[blockIdx.x + 1] - b, RANK_DOCS);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s[i] = score[b + i];
        gain[i] = (float)((1 << label[b + i]) - 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float mine = s[i];
        int rank = 0;
        for (int j = 0; j < n; ++j) rank += s[j] > mine || (s[j] == mine && j < i);
        discount[i] = 1.f / log2f(rank + 2.f);
    }
    __syncthreads();
    const float norm = inv_ideal[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float mine = s[i], my_gain = gain[i], my_discount = discount[i];
        float grad = 0.f, hess = 0.f;
        for (int j = 0; j < n; ++j) {
            const float dg = my_gain - gain[j];
            if (dg == 0.f) continue;
            const float sign = dg > 0.f ? 1.f : -1.f;
            const float rho = 1.f / (1.f + __expf(sigma * sign * (mine - s[j])));
            const float delta = fabsf(dg * (my_discount - discount[j])) * norm;
            grad -= sign * sigma * rho * delta;
            hess += sigma * sigma * rho * (1.f - rho) * delta;
        }
        lambda[b + i] = grad;
        hessian[b + i] = hess;
    }
}

#define FM_FIELDS 24

/* kmutate launch
   int users = 40000, rows = 600000;
   dim3 grid = { (users + 3) / 4 }, block = { 128 };
   int feature[users * FM_FIELDS] = randint(0, rows);
   __nv_bfloat162 factor[rows * 32] = normal(0, 0.1);
   float linear[rows] = normal(0, 0.1);
   float click[users] = zeros();
   factor_machine_bf16_click_rate(feature, factor, linear, click, users, -1.2f);
*/
__global__ void factor_machine_bf16_click_rate(const int *__restrict__ feature,
                                               const __nv_bfloat162 *__restrict__ factor,
                                               const float *__restrict__ linear, float *__restrict__ click, int users,
                                               float bias)
{
    const int lane = threadIdx.x & 31;
    const int user = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (user >= users) return;
    const int mine = lane < FM_FIELDS ? feature[user * FM_FIELDS + lane] : 0;
    float first_order = lane < FM_FIELDS ? linear[mine] : 0.f;
    float sx = 0.f, sy = 0.f, squares = 0.f;
#pragma unroll 4
    for (int f = 0; f < FM_FIELDS; ++f) {
        const int row = __shfl_sync(0xffffffffu, mine, f);
        const float2 v = __bfloat1622float2(factor[(size_t)row * 32 + lane]);
        sx += v.x;
        sy += v.y;
        squares += v.x * v.x + v.y * v.y;
    }
    float z = first_order + 0.5f * (sx * sx + sy * sy - squares);
    for (int o = 16; o; o >>= 1) z += __shfl_xor_sync(0xffffffffu, z, o);
    if (lane == 0) click[user] = 1.f / (1.f + __expf(-(z + bias)));
}
