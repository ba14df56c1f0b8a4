#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

// -------------------------------------------------------------------------------------------- weather and ocean models

/* kmutate launch
   int nx = 512, ny = 384, nz = 50;
   dim3 grid = { (nx + 31) / 32, (ny + 7) / 8 }, block = { 32, 8 };
   float rho[nz * ny * nx] = uniform(1020, 1030);
   float dz[nz * ny * nx] = uniform(5, 40);
   float eta[ny * nx] = normal(0, 0.3);
   float pgx[nz * ny * nx] = zeros();
   float pgy[nz * ny * nx] = zeros();
   ocean_baroclinic_pressure_force_columns(rho, dz, eta, pgx, pgy, nx, ny, nz, 0.0002f, 0.00025f);
*/
__global__ void ocean_baroclinic_pressure_force_columns(const float *__restrict__ rho, const float *__restrict__ dz,
                                                        const float *__restrict__ eta, float *__restrict__ pgx,
                                                        float *__restrict__ pgy, int nx, int ny, int nz, float rdx,
                                                        float rdy)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    const float g = 9.81f, r0 = 1.f / 1025.f;
    const int here = j * nx + i;
    const int east = j * nx + min(i + 1, nx - 1);
    const int north = min(j + 1, ny - 1) * nx + i;
    const int plane = nx * ny;
    float ph = g * 1025.f * eta[here], pe = g * 1025.f * eta[east], pn = g * 1025.f * eta[north];
    float zh = eta[here], ze = eta[east], zn = eta[north];
    int off = 0;
    for (int k = 0; k < nz; ++k) {
        const float dh = dz[off + here], de = dz[off + east], dn = dz[off + north];
        const float rh = rho[off + here] - 1025.f, re = rho[off + east] - 1025.f, rn = rho[off + north] - 1025.f;
        const float mh = ph + 0.5f * g * rh * dh, me = pe + 0.5f * g * re * de, mn = pn + 0.5f * g * rn * dn;
        const float ch = zh - 0.5f * dh, ce = ze - 0.5f * de, cn = zn - 0.5f * dn;
        pgx[off + here] = -r0 * rdx * ((me - mh) + 0.5f * g * (rh + re) * (ce - ch));
        pgy[off + here] = -r0 * rdy * ((mn - mh) + 0.5f * g * (rh + rn) * (cn - ch));
        ph += g * rh * dh;
        pe += g * re * de;
        pn += g * rn * dn;
        zh -= dh;
        ze -= de;
        zn -= dn;
        off += plane;
    }
}

/* kmutate launch
   int columns = 120000, levels = 60;
   dim3 grid = { (columns + 127) / 128 }, block = { 128 };
   float tenv[levels * columns] = iota(303, -0.000012);
   float qenv[levels * columns] = uniform(0, 0.004);
   float pressure[levels] = iota(1000, -14.9);
   float t0[columns] = uniform(298, 309);
   float q0[columns] = uniform(0.005, 0.019);
   float cape[columns] = zeros();
   float cin[columns] = zeros();
   surface_parcel_cape_and_inhibition(tenv, qenv, pressure, t0, q0, cape, cin, columns, levels);
*/
__global__ void surface_parcel_cape_and_inhibition(const float *__restrict__ tenv, const float *__restrict__ qenv,
                                                   const float *__restrict__ pressure, const float *__restrict__ t0,
                                                   const float *__restrict__ q0, float *__restrict__ cape,
                                                   float *__restrict__ cin, int columns, int levels)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    const float rd = 287.04f, cp = 1005.7f, lv = 2.501e6f, ep = 0.622f;
    float tp = t0[c], qv = q0[c];
    float up = 0.f, down = 0.f;
    bool saturated = false, buoyant_once = false;
    int stable = 0;
    for (int k = 1; k < levels; ++k) {
        const float p = pressure[k];
        const float lnr = logf(p / pressure[k - 1]);
        if (!saturated) {
            tp *= expf(rd / cp * lnr);
            const float es = 6.112f * expf(17.67f * (tp - 273.15f) / (tp - 29.65f));
            const float qs = ep * es / (p - es);
            if (qv > qs) {
                saturated = true;
                qv = qs;
            }
        } else {
            for (int s = 0; s < 2; ++s) {
                const float es = 6.112f * expf(17.67f * (tp - 273.15f) / (tp - 29.65f));
                const float qs = ep * es / (p - es);
                const float slope = (rd * tp + lv * qs) / (cp + lv * lv * qs * ep / (rd * tp * tp));
                tp += 0.5f * lnr * slope;
                qv = qs;
            }
        }
        const float te = tenv[(size_t)k * columns + c], qe = qenv[(size_t)k * columns + c];
        const float b = tp * (1.f + 0.608f * qv) - te * (1.f + 0.608f * qe);
        const float work = -rd * b * lnr;
        if (b > 0.f) {
            up += work;
            buoyant_once = true;
            stable = 0;
        } else if (!buoyant_once) {
            down -= work;
        } else if (++stable > 8) {
            break;
        }
    }
    cape[c] = up;
    cin[c] = buoyant_once ? down : 0.f;
}

/* kmutate launch
   int columns = 49152, levels = 40;
   dim3 grid = { columns / 64 }, block = { 64 };
   double thickness[levels * columns] = uniform(0.4, 1.6);
   double tracer[levels * columns] = uniform(0, 1);
   double sigma[levels + 1] = iota(0, 0.025);
   double remapped[levels * columns] = zeros();
   remap_tracer_parabolas_to_sigma_levels(thickness, tracer, sigma, remapped, columns, levels);
*/
__global__ void remap_tracer_parabolas_to_sigma_levels(const double *__restrict__ thickness,
                                                       const double *__restrict__ tracer,
                                                       const double *__restrict__ sigma, double *__restrict__ remapped,
                                                       int columns, int levels)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0.0;
    for (int k = 0; k < levels; ++k) total += thickness[k * columns + c];

    double am = tracer[c], a = am, ap = tracer[columns + c], app = tracer[2 * columns + c];
    double left = a, right = 7.0 / 12.0 * (a + ap) - 1.0 / 12.0 * (am + app);
    double h = thickness[c], begin = 0.0, from = 0.0, da, a6;
    int s = 0;
    auto limit = [&](double l, double r) {
        l = fmin(fmax(l, fmin(am, a)), fmax(am, a));
        r = fmin(fmax(r, fmin(a, ap)), fmax(a, ap));
        if ((r - a) * (a - l) <= 0.0) {
            l = a;
            r = a;
        } else {
            const double d = r - l, m = a - 0.5 * (l + r);
            if (d * m > d * d / 6.0) l = 3.0 * a - 2.0 * r;
            else if (-d * d / 6.0 > d * m) r = 3.0 * a - 2.0 * l;
        }
        da = r - l;
        a6 = 6.0 * (a - 0.5 * (l + r));
        return l;
    };
    double l = limit(left, right);
    for (int k = 0; k < levels; ++k) {
        const double bottom = sigma[k + 1] * total;
        const double thick = (sigma[k + 1] - sigma[k]) * total;
        double mass = 0.0;
        while (s < levels - 1 && begin + h <= bottom) {
            const double f0 = from * (l + 0.5 * from * (da + a6) - a6 * from * from * (1.0 / 3.0));
            mass += h * (l + 0.5 * (da + a6) - a6 * (1.0 / 3.0) - f0);
            begin += h;
            from = 0.0;
            ++s;
            h = thickness[s * columns + c];
            am = a;
            a = ap;
            ap = app;
            app = tracer[min(s + 2, levels - 1) * columns + c];
            left = right;
            right = 7.0 / 12.0 * (a + ap) - 1.0 / 12.0 * (am + app);
            l = limit(left, right);
        }
        const double to = fmin((bottom - begin) / h, 1.0);
        const double f0 = from * (l + 0.5 * from * (da + a6) - a6 * from * from * (1.0 / 3.0));
        const double f1 = to * (l + 0.5 * to * (da + a6) - a6 * to * to * (1.0 / 3.0));
        mass += h * (f1 - f0);
        from = to;
        remapped[k * columns + c] = mass / thick;
    }
}

// -------------------------------------------------------------------------------------------- rendering, preprocessing

/* kmutate launch
   int meshlets = 60000;
   int vertices = meshlets * 40 + 2048;
   dim3 grid = { meshlets / 4 }, block = { 128 };
   float3 position[vertices] = normal(0, 10);
   int base[meshlets] = iota(0, 40);
   unsigned short delta[meshlets * 64] = randint(0, 2048);
   unsigned char corner[meshlets * 372] = randint(0, 64);
   unsigned char triangles[meshlets] = randint(64, 125);
   float4 sphere[meshlets] = zeros();
   float4 cone[meshlets] = zeros();
   meshlet_sphere_and_normal_cone(position, base, delta, corner, triangles, sphere, cone);
*/
__global__ void __launch_bounds__(128) meshlet_sphere_and_normal_cone(const float3 *__restrict__ position,
                                                                      const int *__restrict__ base,
                                                                      const uint16_t *__restrict__ delta,
                                                                      const uint8_t *__restrict__ corner,
                                                                      const uint8_t *__restrict__ triangles,
                                                                      float4 *__restrict__ sphere,
                                                                      float4 *__restrict__ cone)
{
    __shared__ float3 vert[4][64];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int m = blockIdx.x * 4 + warp;
    const int first = base[m];
    const float3 v0 = position[first + delta[m * 64 + lane]];
    const float3 v1 = position[first + delta[m * 64 + 32 + lane]];
    vert[warp][lane] = v0;
    vert[warp][lane + 32] = v1;
    float lx = fminf(v0.x, v1.x), ly = fminf(v0.y, v1.y), lz = fminf(v0.z, v1.z);
    float hx = fmaxf(v0.x, v1.x), hy = fmaxf(v0.y, v1.y), hz = fmaxf(v0.z, v1.z);
    for (int o = 16; o; o >>= 1) {
        lx = fminf(lx, __shfl_xor_sync(0xffffffffu, lx, o));
        ly = fminf(ly, __shfl_xor_sync(0xffffffffu, ly, o));
        lz = fminf(lz, __shfl_xor_sync(0xffffffffu, lz, o));
        hx = fmaxf(hx, __shfl_xor_sync(0xffffffffu, hx, o));
        hy = fmaxf(hy, __shfl_xor_sync(0xffffffffu, hy, o));
        hz = fmaxf(hz, __shfl_xor_sync(0xffffffffu, hz, o));
    }
    const float cx = 0.5f * (lx + hx), cy = 0.5f * (ly + hy), cz = 0.5f * (lz + hz);
    float r2 = fmaxf((v0.x - cx) * (v0.x - cx) + (v0.y - cy) * (v0.y - cy) + (v0.z - cz) * (v0.z - cz),
                     (v1.x - cx) * (v1.x - cx) + (v1.y - cy) * (v1.y - cy) + (v1.z - cz) * (v1.z - cz));
    __syncwarp();

    const int count = triangles[m];
    float nx[4], ny[4], nz[4];
    float sx = 0.f, sy = 0.f, sz = 0.f;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int t = lane + 32 * r;
        nx[r] = ny[r] = nz[r] = 0.f;
        if (t < count) {
            const uint8_t *at = corner + (size_t)m * 372 + t * 3;
            const float3 a = vert[warp][at[0]], b = vert[warp][at[1]], c = vert[warp][at[2]];
            const float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
            const float wx = c.x - a.x, wy = c.y - a.y, wz = c.z - a.z;
            const float px = uy * wz - uz * wy, py = uz * wx - ux * wz, pz = ux * wy - uy * wx;
            const float area = px * px + py * py + pz * pz;
            if (area > 1e-12f) {
                const float inv = rsqrtf(area);
                nx[r] = px * inv;
                ny[r] = py * inv;
                nz[r] = pz * inv;
                sx += nx[r];
                sy += ny[r];
                sz += nz[r];
            }
        }
    }
    for (int o = 16; o; o >>= 1) {
        sx += __shfl_xor_sync(0xffffffffu, sx, o);
        sy += __shfl_xor_sync(0xffffffffu, sy, o);
        sz += __shfl_xor_sync(0xffffffffu, sz, o);
        r2 = fmaxf(r2, __shfl_xor_sync(0xffffffffu, r2, o));
    }
    const float inv = rsqrtf(fmaxf(sx * sx + sy * sy + sz * sz, 1e-12f));
    sx *= inv;
    sy *= inv;
    sz *= inv;
    float spread = 1.f;
#pragma unroll
    for (int r = 0; r < 4; ++r)
        if (lane + 32 * r < count) spread = fminf(spread, nx[r] * sx + ny[r] * sy + nz[r] * sz);
    for (int o = 16; o; o >>= 1) spread = fminf(spread, __shfl_xor_sync(0xffffffffu, spread, o));
    if (lane == 0) {
        sphere[m] = make_float4(cx, cy, cz, sqrtf(r2));
        cone[m] = make_float4(sx, sy, sz, spread <= 0.1f ? 1.f : sqrtf(1.f - spread * spread));
    }
}

/* kmutate launch
   int probes = 384;
   dim3 grid = { probes }, block = { 256 };
   half radiance[probes * 6 * 64 * 64 * 4] = uniform(0, 4);
   float sh[probes * 27] = zeros();
   probe_cubemap_project_nine_harmonics(radiance, sh);
*/
__global__ void __launch_bounds__(256) probe_cubemap_project_nine_harmonics(const half *__restrict__ radiance,
                                       float *__restrict__ sh)
{
    __shared__ float part[8][28];
    const uint2 *texels = reinterpret_cast<const uint2 *>(radiance) + (size_t)blockIdx.x * 6 * 64 * 64;
    float acc[27];
    float weight = 0.f;
#pragma unroll
    for (int i = 0; i < 27; ++i) acc[i] = 0.f;
    for (int face = 0; face < 6; ++face) {
        for (int at = threadIdx.x; at < 64 * 64; at += 256) {
            const uint2 raw = texels[face * 64 * 64 + at];
            const float2 rg = __half22float2(*reinterpret_cast<const half2 *>(&raw.x));
            const float2 ba = __half22float2(*reinterpret_cast<const half2 *>(&raw.y));
            const float u = ((at & 63) + 0.5f) * (1.f / 32.f) - 1.f, v = ((at >> 6) + 0.5f) * (1.f / 32.f) - 1.f;
            const float inv = rsqrtf(1.f + u * u + v * v);
            float x, y, z;
            switch (face) {
            case 0: x = 1.f; y = -v; z = -u; break;
            case 1: x = -1.f; y = -v; z = u; break;
            case 2: x = u; y = 1.f; z = v; break;
            case 3: x = u; y = -1.f; z = -v; break;
            case 4: x = u; y = -v; z = 1.f; break;
            default: x = -u; y = -v; z = -1.f; break;
            }
            x *= inv;
            y *= inv;
            z *= inv;
            const float w = 4.f * inv * inv * inv;
            const float b[9] = { 0.282095f, 0.488603f * y, 0.488603f * z, 0.488603f * x, 1.092548f * x * y,
                                 1.092548f * y * z, 0.315392f * (3.f * z * z - 1.f), 1.092548f * x * z,
                                 0.546274f * (x * x - y * y) };
            weight += w;
#pragma unroll
            for (int i = 0; i < 9; ++i) {
                acc[3 * i] += rg.x * w * b[i];
                acc[3 * i + 1] += rg.y * w * b[i];
                acc[3 * i + 2] += ba.x * w * b[i];
            }
        }
    }
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int i = 0; i < 27; ++i) {
        float s = acc[i];
        for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
        if (lane == 0) part[warp][i] = s;
    }
    for (int o = 16; o; o >>= 1) weight += __shfl_down_sync(0xffffffffu, weight, o);
    if (lane == 0) part[warp][27] = weight;
    __syncthreads();
    if (threadIdx.x < 27) {
        float s = 0.f, w = 0.f;
        for (int i = 0; i < 8; ++i) {
            s += part[i][threadIdx.x];
            w += part[i][27];
        }
        sh[blockIdx.x * 27 + threadIdx.x] = s * (12.5663706f / w);
    }
}

/* kmutate launch
   int width = 4096, height = 4096;
   dim3 grid = { width / 4 / 32, height / 4 / 4 }, block = { 32, 4 };
   unsigned rgba[width * height] = randint(0, 4294967296LL);
   uint2 blocks[width * height / 16] = zeros();
   texture_blocks_bc1_range_fit(rgba, blocks, width);
*/
__global__ void texture_blocks_bc1_range_fit(const uint32_t *__restrict__ rgba, uint2 *__restrict__ blocks, int width)
{
    const int bx = blockIdx.x * blockDim.x + threadIdx.x;
    const int by = blockIdx.y * blockDim.y + threadIdx.y;
    uint32_t px[16];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const uint4 q = reinterpret_cast<const uint4 *>(rgba + (size_t)(by * 4 + r) * width)[bx];
        px[4 * r] = q.x;
        px[4 * r + 1] = q.y;
        px[4 * r + 2] = q.z;
        px[4 * r + 3] = q.w;
    }
    int lr = 255, lg = 255, lb = 255, hr = 0, hg = 0, hb = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const int r = px[i] & 255, g = (px[i] >> 8) & 255, b = (px[i] >> 16) & 255;
        lr = min(lr, r);
        lg = min(lg, g);
        lb = min(lb, b);
        hr = max(hr, r);
        hg = max(hg, g);
        hb = max(hb, b);
    }
    const int ir = (hr - lr) >> 4, ig = (hg - lg) >> 4, ib = (hb - lb) >> 4;
    lr += ir;
    lg += ig;
    lb += ib;
    hr -= ir;
    hg -= ig;
    hb -= ib;
    const uint32_t c0 = ((hr >> 3) << 11) | ((hg >> 2) << 5) | (hb >> 3);
    const uint32_t c1 = ((lr >> 3) << 11) | ((lg >> 2) << 5) | (lb >> 3);
    uint32_t bits = 0;
    if (c0 != c1) {
        const int dr = hr - lr, dg = hg - lg, db = hb - lb;
        const int length = dr * dr + dg * dg + db * db;
        const int origin = lr * dr + lg * dg + lb * db;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int r = px[i] & 255, g = (px[i] >> 8) & 255, b = (px[i] >> 16) & 255;
            const int d = 6 * (r * dr + g * dg + b * db - origin);
            const uint32_t code = d > 5 * length ? 0u : d > 3 * length ? 2u : d > length ? 3u : 1u;
            bits |= code << (2 * i);
        }
    }
    blocks[by * (width / 4) + bx] = make_uint2(c0 | (c1 << 16), bits);
}

/* kmutate launch
   int lights = 1536;
   dim3 grid = { 8, 9, 4 }, block = { 8, 4, 8 };
   float lx[lights] = uniform(-45, 45);
   float ly[lights] = uniform(-25, 25);
   float lz[lights] = uniform(1, 100);
   float radius[lights] = uniform(1, 6);
   unsigned short list[64 * 36 * 32 * 64] = zeros();
   int counts[64 * 36 * 32] = zeros();
   froxel_point_lights_into_lists(lx, ly, lz, radius, list, counts, lights, 0.5f, 100.0f);
*/
__global__ void froxel_point_lights_into_lists(const float *__restrict__ lx, const float *__restrict__ ly,
                                               const float *__restrict__ lz, const float *__restrict__ radius,
                                               uint16_t *__restrict__ list, int *__restrict__ counts, int lights,
                                               float znear, float zfar)
{
    __shared__ float4 stage[256];
    const int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 8 + threadIdx.z;
    const float ratio = log2f(zfar / znear);
    const float z0 = znear * exp2f(ratio * z / 32.f), z1 = znear * exp2f(ratio * (z + 1) / 32.f);
    const float tx0 = 0.8f * (x / 32.f - 1.f), tx1 = 0.8f * ((x + 1) / 32.f - 1.f);
    const float ty0 = 0.45f * (y / 18.f - 1.f), ty1 = 0.45f * ((y + 1) / 18.f - 1.f);
    const float ax = fminf(tx0 * z0, tx0 * z1), bx = fmaxf(tx1 * z0, tx1 * z1);
    const float ay = fminf(ty0 * z0, ty0 * z1), by = fmaxf(ty1 * z0, ty1 * z1);
    const int froxel = (z * 36 + y) * 64 + x;
    uint16_t *mine = list + (size_t)froxel * 64;
    int found = 0;
    for (int tile = 0; tile < lights; tile += 256) {
        __syncthreads();
        stage[tid] = make_float4(lx[tile + tid], ly[tile + tid], lz[tile + tid], radius[tile + tid]);
        __syncthreads();
        for (int i = 0; i < 256; ++i) {
            const float4 s = stage[i];
            const float dx = s.x - fminf(fmaxf(s.x, ax), bx);
            const float dy = s.y - fminf(fmaxf(s.y, ay), by);
            const float dz = s.z - fminf(fmaxf(s.z, z0), z1);
            if (dx * dx + dy * dy + dz * dz < s.w * s.w && found < 64) mine[found++] = (uint16_t)(tile + i);
        }
    }
    counts[froxel] = found;
}

// ------------------------------------------------------------------------------------------------------ bioinformatics

/* kmutate launch
   int reads = 320000;
   dim3 grid = { (reads + 127) / 128 }, block = { 128 };
   unsigned char quality[reads * 152] = randint(35, 75);
   unsigned char base[reads * 152] = randint(0, 4);
   unsigned char length[reads] = randint(75, 152);
   float expected[reads] = zeros();
   uchar2 gc_and_run[reads] = zeros();
   read_expected_errors_gc_and_homopolymer(quality, base, length, expected, gc_and_run, reads);
*/
__global__ void read_expected_errors_gc_and_homopolymer(const uint8_t *__restrict__ quality,
                                                        const uint8_t *__restrict__ base,
                                                        const uint8_t *__restrict__ length,
                                                        float *__restrict__ expected, uchar2 *__restrict__ gc_and_run,
                                                        int reads)
{
    __shared__ float error_of[128];
    error_of[threadIdx.x] = exp10f(-0.1f * ((int)threadIdx.x - 33));
    __syncthreads();
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= reads) return;
    const uint8_t *q = quality + (size_t)r * 152, *b = base + (size_t)r * 152;
    const int n = length[r];
    float errors = 0.f;
    int gc = 0, run = 0, longest = 0, last = -1;
    for (int i = 0; i < n; ++i) {
        const int letter = b[i];
        errors += error_of[q[i] & 127];
        gc += letter == 1 || letter == 2;
        run = letter == last ? run + 1 : 1;
        longest = max(longest, run);
        last = letter;
    }
    expected[r] = errors;
    gc_and_run[r] = make_uchar2((unsigned char)(100 * gc / n), (unsigned char)longest);
}

/* kmutate launch
   int sites = 16384, window = 256;
   dim3 grid = { window / 32 + 1, sites / 32 }, block = { 32, 8 };
   unsigned haplotypes[sites * 64] = randint(0, 4294967296LL);
   unsigned short carriers[sites] = randint(700, 1350);
   float r2[sites * window] = zeros();
   linkage_r2_band_of_packed_haplotypes(haplotypes, carriers, r2, sites, window);
*/
__global__ void __launch_bounds__(256) linkage_r2_band_of_packed_haplotypes(const uint32_t *__restrict__ haplotypes,
                                       const uint16_t *__restrict__ carriers, float *__restrict__ r2, int sites,
                                       int window)
{
    __shared__ uint32_t a[32][33], b[32][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.y * 32, j0 = i0 + blockIdx.x * 32;
    if (j0 >= sites) return;
    int both[4] = { 0, 0, 0, 0 };
    for (int w0 = 0; w0 < 64; w0 += 32) {
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const int row = ty + 8 * r;
            a[row][tx] = haplotypes[(i0 + row) * 64 + w0 + tx];
            b[row][tx] = haplotypes[(j0 + row) * 64 + w0 + tx];
        }
        __syncthreads();
#pragma unroll 8
        for (int w = 0; w < 32; ++w) {
            const uint32_t mine = b[tx][w];
#pragma unroll
            for (int r = 0; r < 4; ++r) both[r] += __popc(mine & a[ty + 8 * r][w]);
        }
        __syncthreads();
    }
    const int j = j0 + tx;
    const float pj = carriers[j] * (1.f / 2048.f);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int i = i0 + ty + 8 * r, apart = j - i - 1;
        if (apart < 0 || apart >= window) continue;
        const float pi = carriers[i] * (1.f / 2048.f);
        const float d = both[r] * (1.f / 2048.f) - pi * pj;
        r2[(size_t)i * window + apart] = d * d / (pi * (1.f - pi) * pj * (1.f - pj));
    }
}

/* kmutate launch
   int reads = 4096, lo = 128, hi = 384;
   int anchors = csr_nnz(reads, lo, hi);
   dim3 grid = { reads / 4 }, block = { 128 };
   int start[reads + 1] = csr_rowptr(reads, lo, hi);
   int ref[anchors] = ascending(0, 30000000);
   int query[anchors] = ascending(0, 30000000);
   int score[anchors] = zeros();
   int parent[anchors] = zeros();
   seed_anchors_chain_lookback_64(start, ref, query, score, parent, 15);
*/
__global__ void __launch_bounds__(128) seed_anchors_chain_lookback_64(const int *__restrict__ start,
                                                                      const int *__restrict__ ref,
                                                                      const int *__restrict__ query,
                                                                      int *__restrict__ score, int *__restrict__ parent,
                                                                      int span)
{
    __shared__ int xs[4][384], ys[4][384], fs[4][384];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int read = blockIdx.x * 4 + warp;
    const int first = start[read], n = min(start[read + 1] - first, 384);
    int *x = xs[warp], *y = ys[warp], *f = fs[warp];
    for (int i = lane; i < n; i += 32) {
        x[i] = ref[first + i];
        y[i] = query[first + i];
    }
    __syncwarp();
    for (int i = 0; i < n; ++i) {
        const int xi = x[i], yi = y[i];
        int best = span, from = -1;
#pragma unroll
        for (int step = 0; step < 2; ++step) {
            const int j = i - 1 - lane - 32 * step;
            if (j >= 0) {
                const int dx = xi - x[j], dy = yi - y[j];
                const int gap = abs(dx - dy);
                if (dx > 0 && dy > 0 && gap < 500) {
                    int cost = gap >> 6;
                    if (gap) cost += (int)(0.5f * __log2f((float)gap));
                    const int s = f[j] + min(min(dx, dy), span) - cost;
                    if (s > best) {
                        best = s;
                        from = j;
                    }
                }
            }
        }
        for (int o = 16; o; o >>= 1) {
            const int s = __shfl_xor_sync(0xffffffffu, best, o), p = __shfl_xor_sync(0xffffffffu, from, o);
            if (s > best || (s == best && p > from)) {
                best = s;
                from = p;
            }
        }
        if (lane == 0) {
            f[i] = best;
            parent[first + i] = from;
        }
        __syncwarp();
    }
    for (int i = lane; i < n; i += 32) score[first + i] = f[i];
}

// -------------------------------------------------------------------------------------------- column stores, databases

/* kmutate launch
   int rows = 8000000, groups = 1024;
   dim3 grid = { 132 * 8 }, block = { 256 };
   long long key[rows] = randint(0, 1LL << 40);
   unsigned short group[rows] = randint(0, 1024);
   int registers[groups * 256] = zeros();
   distinct_sketch_registers_by_group(key, group, registers, rows);
*/
__global__ void distinct_sketch_registers_by_group(const int64_t *__restrict__ key, const uint16_t *__restrict__ group,
                                                   int *__restrict__ registers, int rows)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
        uint64_t h = (uint64_t)key[i] + 0x9e3779b97f4a7c15ull;
        h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
        h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
        h ^= h >> 31;
        const int slot = (int)(h >> 56);
        const int rank = __clzll((long long)((h << 8) | 0x80ull)) + 1;
        atomicMax(&registers[group[i] * 256 + slot], rank);
    }
}

/* kmutate launch
   int rows = 16000000, selected = 3200000;
   dim3 grid = { (selected + 255) / 256 }, block = { 256 };
   unsigned selection[selected] = ascending(0, rows);
   long long price[rows] = randint(100, 10000000);
   int quantity[rows] = randint(1, 50);
   unsigned short ship_code[rows] = randint(0, 2526);
   int ship_days[2526] = iota(8036, 1);
   long long revenue[selected] = zeros();
   int days[selected] = zeros();
   late_materialise_price_quantity_shipdate(selection, price, quantity, ship_code, ship_days, revenue, days, selected);
*/
__global__ void late_materialise_price_quantity_shipdate(const uint32_t *__restrict__ selection,
                                                         const int64_t *__restrict__ price,
                                                         const int *__restrict__ quantity,
                                                         const uint16_t *__restrict__ ship_code,
                                                         const int *__restrict__ ship_days,
                                                         int64_t *__restrict__ revenue, int *__restrict__ days,
                                                         int selected)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= selected) return;
    const uint32_t row = selection[i];
    const int64_t p = price[row];
    const int q = quantity[row];
    revenue[i] = p * q - (p * q) / 20 * (q > 24 ? 2 : 1);
    days[i] = ship_days[ship_code[row]];
}

/* kmutate launch
   int services = 64, lo = 200000, hi = 400000;
   int samples = csr_nnz(services, lo, hi);
   dim3 grid = { 24, services }, block = { 256 };
   int begin[services + 1] = csr_rowptr(services, lo, hi);
   float latency[samples] = uniform(0.001, 30);
   unsigned buckets[services * 1024] = zeros();
   double total[services] = zeros();
   latency_quantile_sketch_by_service(begin, latency, buckets, total, 35.0f);
*/
__global__ void __launch_bounds__(256) latency_quantile_sketch_by_service(const int *__restrict__ begin,
                                       const float *__restrict__ latency, unsigned *__restrict__ buckets,
                                       double *__restrict__ total, float per_octave)
{
    __shared__ unsigned local[1024];
    __shared__ double warp_sum[8];
    const int s = blockIdx.y;
    for (int i = threadIdx.x; i < 1024; i += 256) local[i] = 0;
    __syncthreads();
    const int end = begin[s + 1];
    double sum = 0.0;
    for (int i = begin[s] + blockIdx.x * 256 + threadIdx.x; i < end; i += gridDim.x * 256) {
        const float v = latency[i];
        const int at = (int)ceilf(log2f(v) * per_octave) + 512;
        atomicAdd(&local[min(max(at, 0), 1023)], 1u);
        sum += v;
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) warp_sum[threadIdx.x >> 5] = sum;
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256)
        if (local[i]) atomicAdd(&buckets[s * 1024 + i], local[i]);
    if (threadIdx.x == 0) {
        double t = 0.0;
        for (int w = 0; w < 8; ++w) t += warp_sum[w];
        atomicAdd(&total[s], t);
    }
}

// ---------------------------------------------------------------------------------------------------------- audio, DSP

/* kmutate launch
   int tracks = 48, frames = 256, stretched = 204, bins = 1025;
   dim3 grid = { (bins + 127) / 128, tracks }, block = { 128 };
   float2 spectrum[tracks * frames * bins] = normal();
   float2 out[tracks * stretched * bins] = zeros();
   phase_vocoder_stretch_bin_per_thread(spectrum, out, frames, stretched, bins, 1.25f, 0.25f);
*/
__global__ void phase_vocoder_stretch_bin_per_thread(const float2 *__restrict__ spectrum, float2 *__restrict__ out,
                                                     int frames, int stretched, int bins, float rate,
                                                     float hop_over_window)
{
    const int bin = blockIdx.x * blockDim.x + threadIdx.x;
    if (bin >= bins) return;
    const float2 *in = spectrum + (size_t)blockIdx.y * frames * bins + bin;
    float2 *to = out + (size_t)blockIdx.y * stretched * bins + bin;
    const float turns = 0.15915494f;
    float advance = bin * hop_over_window;
    advance -= rintf(advance);
    float phase = atan2f(in[0].y, in[0].x) * turns;
    for (int t = 0; t < stretched; ++t) {
        const float at = t * rate;
        const int i = (int)at;
        const float blend = at - i;
        const float2 a = in[i * bins], b = in[(i + 1) * bins];
        const float ma = sqrtf(a.x * a.x + a.y * a.y), mb = sqrtf(b.x * b.x + b.y * b.y);
        const float magnitude = ma + blend * (mb - ma);
        float s, c;
        sincospif(2.f * phase, &s, &c);
        to[t * bins] = make_float2(magnitude * c, magnitude * s);
        float step = (atan2f(b.y, b.x) - atan2f(a.y, a.x)) * turns - advance;
        step -= rintf(step);
        phase += step + advance;
        phase -= rintf(phase);
    }
}

/* kmutate launch
   int streams = 512, samples = 1024, room = 1024;
   dim3 grid = { streams / 2 }, block = { 64 };
   float dry[streams * samples] = uniform(-1, 1);
   float lines[streams * 32 * room] = normal(0, 0.05);
   int delay[32] = iota(211, 25);
   int head[streams * 32] = randint(0, 211);
   float wet[streams * samples] = zeros();
   reverb_delay_network_of_thirty_two_lines(dry, lines, delay, head, wet, samples, room, 0.93f, 0.35f);
*/
__global__ void reverb_delay_network_of_thirty_two_lines(const float *__restrict__ dry, float *__restrict__ lines,
                                                         const int *__restrict__ delay, const int *__restrict__ head,
                                                         float *__restrict__ wet, int samples, int room, float gain,
                                                         float damp)
{
    const int lane = threadIdx.x & 31;
    const int stream = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    float *line = lines + ((size_t)stream * 32 + lane) * room;
    const int length = delay[lane];
    int pos = head[stream * 32 + lane];
    float low = 0.f;
    const float sign = lane & 1 ? -1.f : 1.f;
    for (int t0 = 0; t0 < samples; t0 += 32) {
        const float chunk = dry[(size_t)stream * samples + t0 + lane];
        float kept = 0.f;
        for (int t = 0; t < 32; ++t) {
            const float x = __shfl_sync(0xffffffffu, chunk, t);
            const float d = gain * line[pos];
            low = d + damp * (low - d);
            float sum = low;
            for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
            line[pos] = low - sum * (2.f / 32.f) + sign * x * 0.17677670f;
            pos = pos + 1 == length ? 0 : pos + 1;
            if (lane == t) kept = 0.6f * x + 0.17677670f * sum;
        }
        wet[(size_t)stream * samples + t0 + lane] = kept;
    }
}

/* kmutate launch
   int clips = 24, in_len = 441000, out_len = 160000;
   dim3 grid = { out_len / 256, clips }, block = { 256 };
   short pcm[clips * in_len] = randint(-20000, 20000);
   float kernel_taps[32 * 160] = normal(0, 0.05);
   __nv_bfloat16 resampled[clips * out_len] = zeros();
   pcm_resample_441_to_160_bf16(pcm, kernel_taps, resampled, in_len, out_len);
*/
__global__ void __launch_bounds__(256) pcm_resample_441_to_160_bf16(const int16_t *__restrict__ pcm,
                                                                    const float *__restrict__ kernel_taps,
                                                                    __nv_bfloat16 *__restrict__ resampled, int in_len,
                                                                    int out_len)
{
    __shared__ float window[768];
    const int16_t *clip = pcm + (size_t)blockIdx.y * in_len;
    const int first = blockIdx.x * 256;
    const int origin = first * 441 / 160 - 15;
    for (int i = threadIdx.x; i < 768; i += 256) {
        const int at = origin + i;
        window[i] = at >= 0 && at < in_len ? clip[at] * (1.f / 32768.f) : 0.f;
    }
    __syncthreads();
    const int o = first + threadIdx.x;
    const int pos = o * 441 / 160, phase = o * 441 - pos * 160;
    const float *x = window + (pos - 15 - origin);
    float sum = 0.f;
#pragma unroll 8
    for (int t = 0; t < 32; ++t) sum += x[t] * __ldg(kernel_taps + t * 160 + phase);
    resampled[(size_t)blockIdx.y * out_len + o] = __float2bfloat16(sum);
}

// -------------------------------------------------------------------------------------- optimisation and graph solvers

/* kmutate launch
   int persons = 4096, objects = 4096;
   dim3 grid = { persons / 4 }, block = { 128 };
   float benefit[persons * objects] = uniform(0, 10);
   float price[objects] = uniform(0, 2);
   int unassigned[persons] = permutation();
   unsigned long long bid[objects] = zeros();
   assignment_auction_warp_bids(benefit, price, unassigned, bid, objects, 0.01f);
*/
__global__ void assignment_auction_warp_bids(const float *__restrict__ benefit, const float *__restrict__ price,
                                             const int *__restrict__ unassigned, unsigned long long *__restrict__ bid,
                                             int objects, float eps)
{
    const int lane = threadIdx.x & 31;
    const int person = unassigned[blockIdx.x * 4 + (threadIdx.x >> 5)];
    const float4 *row = reinterpret_cast<const float4 *>(benefit + (size_t)person * objects);
    const float4 *cost = reinterpret_cast<const float4 *>(price);
    float best = -1e30f, second = -1e30f;
    int which = 0;
    for (int q = lane; q < objects / 4; q += 32) {
        const float4 b = row[q], c = cost[q];
        const float v[4] = { b.x - c.x, b.y - c.y, b.z - c.z, b.w - c.w };
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            if (v[e] > best) {
                second = best;
                best = v[e];
                which = 4 * q + e;
            } else {
                second = fmaxf(second, v[e]);
            }
        }
    }
    for (int o = 16; o; o >>= 1) {
        const float b = __shfl_xor_sync(0xffffffffu, best, o), s = __shfl_xor_sync(0xffffffffu, second, o);
        const int w = __shfl_xor_sync(0xffffffffu, which, o);
        if (b > best || (b == best && w < which)) {
            second = fmaxf(best, s);
            best = b;
            which = w;
        } else {
            second = fmaxf(second, b);
        }
    }
    if (lane == 0) {
        const float offer = price[which] + best - second + eps;
        const unsigned long long packed = ((unsigned long long)__float_as_uint(offer) << 32) | (unsigned)person;
        atomicMax(&bid[which], packed);
    }
}

/* kmutate launch
   int rows = 400000, cols = 600000, lo = 2, hi = 24;
   int nnz = csr_nnz(rows, lo, hi);
   dim3 grid = { rows * 8 / 256 }, block = { 256 };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi);
   int colidx[nnz] = csr_colidx(cols);
   double value[nnz] = uniform(-1, 1);
   double x[cols] = uniform(0, 1);
   double x_before[cols] = uniform(0, 1);
   double rhs[rows] = normal();
   unsigned char equality[rows] = randint(0, 2);
   double y[rows] = uniform(0, 1);
   double y_next[rows] = zeros();
   linear_program_dual_step_eight_lanes(rowptr, colidx, value, x, x_before, rhs, equality, y, y_next, rows, 0.2);
*/
__global__ void linear_program_dual_step_eight_lanes(const int *__restrict__ rowptr, const int *__restrict__ colidx,
                                                     const double *__restrict__ value, const double *__restrict__ x,
                                                     const double *__restrict__ x_before,
                                                     const double *__restrict__ rhs,
                                                     const uint8_t *__restrict__ equality, const double *__restrict__ y,
                                                     double *__restrict__ y_next, int rows, double sigma)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 3, sub = threadIdx.x & 7;
    if (row >= rows) return;
    const int end = rowptr[row + 1];
    double sum = 0.0;
    for (int e = rowptr[row] + sub; e < end; e += 8) {
        const int c = colidx[e];
        sum += value[e] * (2.0 * x[c] - x_before[c]);
    }
    for (int o = 4; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o, 8);
    if (sub == 0) {
        double next = y[row] + sigma * (rhs[row] - sum);
        if (!equality[row]) next = fmax(next, 0.0);
        y_next[row] = next;
    }
}

/* kmutate launch
   int variables = 1000000, clauses = 4200000, ring = 1 << 20;
   dim3 grid = { (clauses + 255) / 256 }, block = { 256 };
   int literals[clauses * 3] = randint(0, 2 * variables);
   signed char assigned[variables] = randint(0, 2);
   int unsatisfied[ring] = zeros();
   unsigned tail[1] = zeros();
   int breaks[variables] = zeros();
   satisfiability_clauses_break_counts(literals, assigned, unsatisfied, tail, breaks, clauses, ring - 1);
*/
__global__ void satisfiability_clauses_break_counts(const int *__restrict__ literals,
                                                    const int8_t *__restrict__ assigned, int *__restrict__ unsatisfied,
                                                    unsigned *__restrict__ tail, int *__restrict__ breaks, int clauses,
                                                    unsigned ring_mask)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int holds = 0, critical = -1;
    if (c < clauses) {
        for (int k = 0; k < 3; ++k) {
            const int literal = literals[3 * c + k];
            if (assigned[literal >> 1] != (literal & 1)) {
                ++holds;
                critical = literal >> 1;
            }
        }
        if (holds == 1) atomicAdd(&breaks[critical], 1);
    }
    const unsigned open = __ballot_sync(0xffffffffu, c < clauses && holds == 0);
    if (open) {
        unsigned at = 0;
        if (lane == 0) at = atomicAdd(tail, (unsigned)__popc(open));
        at = __shfl_sync(0xffffffffu, at, 0);
        if (open >> lane & 1) unsatisfied[(at + __popc(open & ((1u << lane) - 1))) & ring_mask] = c;
    }
}

/* kmutate launch
   int m = 3000, n = 4000;
   dim3 grid = { (n + 31) / 32, (m + 31) / 32 }, block = { 32, 8 };
   double tableau[m * n] = normal();
   double pivot_row[n] = normal();
   double factor[m] = randint(-1, 2);
   simplex_tableau_eliminate_pivot(tableau, pivot_row, factor, m, n, 17, 0.001);
*/
__global__ void simplex_tableau_eliminate_pivot(double *__restrict__ tableau, const double *__restrict__ pivot_row,
                                                const double *__restrict__ factor, int m, int n, int leaving,
                                                double scale)
{
    const int j = blockIdx.x * 32 + threadIdx.x;
    if (j >= n) return;
    const double p = pivot_row[j] * scale;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int i = blockIdx.y * 32 + threadIdx.y + 8 * r;
        if (i >= m) break;
        if (i == leaving) {
            tableau[(size_t)i * n + j] = p;
            continue;
        }
        const double f = factor[i];
        if (f == 0.0) continue;
        double t = tableau[(size_t)i * n + j] - f * p;
        if (fabs(t) < 1e-11) t = 0.0;
        tableau[(size_t)i * n + j] = t;
    }
}
