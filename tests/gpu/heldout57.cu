// Twenty kernels from the review queue.
#include <cstdint>
#include <cuda_fp16.h>

// ------------------------------------------------------------------------------------------------------------------
// Ported from CPU code
// ------------------------------------------------------------------------------------------------------------------

struct MdSite {
    float x, y, z;
    float vx, vy, vz;
};

/* kmutate launch
   struct MdSite { float x, y, z; float vx, vy, vz; };
   seed(11);
   int natoms = 1 << 18, maxneigh = 40;
   dim3 block = { 128 };
   dim3 grid = { (natoms + 127) / 128 };
   MdSite sites[natoms] = uniform(0, 8);
   float charge[natoms] = uniform(-0.6, 0.6);
   unsigned char kind[natoms] = randint(0, 4);
   float2 lj_coef[16] = uniform(0.5, 1.5);
   int nneigh[natoms] = randint(16, 41);
   int neigh[natoms * maxneigh] = randint(0, natoms);
   float force[natoms * 3] = zeros();
   float epot[natoms] = zeros();
   lj_coulomb_gather_aos(sites, charge, kind, lj_coef, nneigh, neigh, maxneigh, 8.0f, 10.24f, force, epot, natoms);
*/
__global__ void lj_coulomb_gather_aos(const MdSite *sites, const float *charge, const unsigned char *kind,
                                      const float2 *lj_coef, const int *nneigh, const int *neigh, int maxneigh,
                                      float box, float cut2, float *force, float *epot, int natoms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= natoms)
        return;
    float xi = sites[i].x, yi = sites[i].y, zi = sites[i].z;
    float qi = charge[i];
    int ti = kind[i];
    float fx = 0.f, fy = 0.f, fz = 0.f, e = 0.f;
    for (int k = 0; k < nneigh[i]; k++) {
        int j = neigh[i * maxneigh + k];
        float dx = xi - sites[j].x;
        float dy = yi - sites[j].y;
        float dz = zi - sites[j].z;
        dx -= box * rintf(dx / box);
        dy -= box * rintf(dy / box);
        dz -= box * rintf(dz / box);
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut2 && r2 > 1e-4f) {
            float2 c = lj_coef[ti * 4 + kind[j]];
            float inv2 = 1.0f / r2;
            float s6 = c.y * c.y * inv2;
            s6 = s6 * s6 * s6;
            float r = sqrtf(r2);
            float coul = qi * charge[j] / r;
            float f = (24.f * c.x * (2.f * s6 * s6 - s6) + coul) * inv2;
            fx += f * dx;
            fy += f * dy;
            fz += f * dz;
            e += 0.5f * (4.f * c.x * (s6 * s6 - s6) + coul);
        }
    }
    force[3 * i + 0] = fx;
    force[3 * i + 1] = fy;
    force[3 * i + 2] = fz;
    epot[i] = e;
}

__device__ __forceinline__ unsigned xorshift_next(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

/* kmutate launch
   seed(12);
   int paths = 1 << 19, steps = 64;
   int block = 256;
   int grid = (paths + block - 1) / block;
   unsigned seeds[paths] = randint(1, 2147483647);
   float payoff[paths] = zeros();
   unsigned char knocked[paths] = zeros();
   barrier_option_paths_serial(seeds, payoff, knocked, paths, steps, 100.0f, 105.0f, 130.0f, 0.03f, 0.25f, 1.0f / 64);
*/
__global__ void barrier_option_paths_serial(const unsigned *seeds, float *payoff, unsigned char *knocked, int paths,
                                            int steps, float spot, float strike, float barrier, float rate, float vol,
                                            float dt)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < paths) {
        unsigned s = seeds[p];
        float price = spot;
        bool out = false;
        for (int t = 0; t < steps; t++) {
            float u1 = ((xorshift_next(s) >> 8) + 1) * (1.0f / 16777217.0f);
            float u2 = (xorshift_next(s) >> 8) * (1.0f / 16777216.0f);
            float z = sqrtf(-2.0f * logf(u1)) * cosf(6.2831853f * u2);
            price *= expf((rate - 0.5f * vol * vol) * dt + vol * sqrtf(dt) * z);
            if (price > barrier) {
                out = true;
                break;
            }
        }
        float v = 0.0f;
        if (!out && price > strike)
            v = (price - strike) * expf(-rate * steps * dt);
        payoff[p] = v;
        knocked[p] = out ? 1 : 0;
    }
}

/* kmutate launch
   seed(13);
   int rows = 1 << 19, lo = 16, hi = 72;
   int nbytes = csr_nnz(rows, lo, hi);
   dim3 block(192);
   dim3 grid((rows + 191) / 192);
   int line_start[rows + 1] = csr_rowptr(rows, lo, hi);
   unsigned char text[nbytes] = randint(44, 58);
   long long row_sum[rows] = zeros();
   int row_fields[rows] = zeros();
   int row_bad[rows] = zeros();
   csv_row_int_fields(text, line_start, rows, row_sum, row_fields, row_bad);
*/
__global__ void csv_row_int_fields(const unsigned char *text, const int *line_start, int rows, long long *row_sum,
                                   int *row_fields, int *row_bad)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    unsigned long long sum = 0, value = 0;
    int fields = 1, bad = 0;
    bool negative = false, valid = true, empty = true;
    for (int p = line_start[r]; p < line_start[r + 1]; p++) {
        unsigned char c = text[p];
        if (c == ',') {
            if (valid && !empty)
                sum += negative ? 0ull - value : value;
            else
                bad++;
            value = 0;
            negative = false;
            valid = true;
            empty = true;
            fields++;
        } else if (c == '-') {
            if (empty && !negative)
                negative = true;
            else
                valid = false;
        } else if (c >= '0' && c <= '9') {
            value = value * 10 + (c - '0');
            empty = false;
        } else {
            valid = false;
        }
    }
    if (valid && !empty)
        sum += negative ? 0ull - value : value;
    else
        bad++;
    row_sum[r] = (long long)sum;
    row_fields[r] = fields;
    row_bad[r] = bad;
}

struct WaterCell {
    float h, hu, hv, bed;
};

__device__ WaterCell water_flux_x(const WaterCell &c, float g)
{
    WaterCell f;
    float u = c.hu / c.h;
    f.h = c.hu;
    f.hu = c.hu * u + 0.5f * g * c.h * c.h;
    f.hv = c.hv * u;
    f.bed = 0.f;
    return f;
}

__device__ WaterCell water_flux_y(const WaterCell &c, float g)
{
    WaterCell f;
    float v = c.hv / c.h;
    f.h = c.hv;
    f.hu = c.hu * v;
    f.hv = c.hv * v + 0.5f * g * c.h * c.h;
    f.bed = 0.f;
    return f;
}

/* kmutate launch
   struct WaterCell { float h, hu, hv, bed; };
   seed(14);
   int nrow = 1536, ncol = 2048;
   dim3 block = { 16, 16 };
   dim3 grid = { (nrow + 15) / 16, (ncol + 15) / 16 };
   WaterCell cur[nrow * ncol] = uniform(0.9, 1.1);
   WaterCell next[nrow * ncol] = zeros();
   shallow_water_lax_aos(cur, next, nrow, ncol, 9.81f, 0.01f);
*/
__global__ void shallow_water_lax_aos(const WaterCell *cur, WaterCell *next, int nrow, int ncol, float g, float dtdx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;   // outer loop of the CPU code: rows
    int j = blockIdx.y * blockDim.y + threadIdx.y;   // inner loop: columns
    if (i >= nrow || j >= ncol)
        return;
    if (i == 0 || j == 0 || i == nrow - 1 || j == ncol - 1) {
        next[i * ncol + j] = cur[i * ncol + j];      // walls
        return;
    }
    WaterCell w = cur[i * ncol + j - 1], e = cur[i * ncol + j + 1];
    WaterCell n = cur[(i - 1) * ncol + j], s = cur[(i + 1) * ncol + j];
    WaterCell fw = water_flux_x(w, g), fe = water_flux_x(e, g);
    WaterCell fn = water_flux_y(n, g), fs = water_flux_y(s, g);
    WaterCell r;
    r.h = 0.25f * (w.h + e.h + n.h + s.h) - 0.5f * dtdx * (fe.h - fw.h + fs.h - fn.h);
    r.hu = 0.25f * (w.hu + e.hu + n.hu + s.hu) - 0.5f * dtdx * (fe.hu - fw.hu + fs.hu - fn.hu);
    r.hv = 0.25f * (w.hv + e.hv + n.hv + s.hv) - 0.5f * dtdx * (fe.hv - fw.hv + fs.hv - fn.hv);
    r.hu -= 0.5f * dtdx * g * r.h * (e.bed - w.bed);
    r.hv -= 0.5f * dtdx * g * r.h * (s.bed - n.bed);
    r.bed = cur[i * ncol + j].bed;
    if (r.h < 1e-3f) {
        r.h = 1e-3f;
        r.hu = 0.f;
        r.hv = 0.f;
    }
    next[i * ncol + j] = r;
}

/* kmutate launch
   seed(15);
   int npoints = 1000000, npoly = 5000, lo = 6, hi = 48;
   int nvert = csr_nnz(npoly, lo, hi);
   dim3 block = 512;
   dim3 grid = (npoints + 511) / 512;
   double px[npoints] = uniform(0, 1), py[npoints] = uniform(0, 1);
   int candidate[npoints] = randint(0, npoly);
   int ring_start[npoly + 1] = csr_rowptr(npoly, lo, hi);
   double2 ring[nvert] = uniform(0, 1);
   signed char verdict[npoints] = zeros();
   point_in_polygon_catalog(px, py, candidate, ring_start, ring, verdict, npoints, 1e-9);
*/
__global__ void point_in_polygon_catalog(const double *px, const double *py, const int *candidate,
                                         const int *ring_start, const double2 *ring, signed char *verdict, int npoints,
                                         double eps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < npoints) {
        double x = px[i], y = py[i];
        int first = ring_start[candidate[i]];
        int last = ring_start[candidate[i] + 1];
        bool inside = false, on_edge = false;
        for (int a = first, b = last - 1; a < last; b = a++) {
            double ax = ring[a].x, ay = ring[a].y;
            double bx = ring[b].x, by = ring[b].y;
            if ((ay > y) != (by > y)) {
                double xc = (bx - ax) * (y - ay) / (by - ay) + ax;
                if (fabs(xc - x) < eps)
                    on_edge = true;
                if (x < xc)
                    inside = !inside;
            }
        }
        verdict[i] = on_edge ? -1 : (inside ? 1 : 0);
    }
}

/* kmutate launch
   seed(16);
   int nvertices = 1 << 20, lo = 2, hi = 22;
   int nedges = csr_nnz(nvertices, lo, hi);
   int block = 1024;
   int grid = (nvertices + block - 1) / block;
   int in_start[nvertices + 1] = csr_rowptr(nvertices, lo, hi);
   int in_edge[nedges] = csr_colidx(nvertices);
   unsigned char depth[nvertices] = randint(0, 9);
   unsigned char depth_out[nvertices] = zeros();
   int parent[nvertices] = fill(-1);
   bfs_pull_depth_step(in_start, in_edge, depth, depth_out, parent, 4, 5, nvertices);
*/
__global__ void bfs_pull_depth_step(const int *in_start, const int *in_edge, const unsigned char *depth,
                                    unsigned char *depth_out, int *parent, int level, int unseen, int nvertices)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nvertices)
        return;
    unsigned char d = depth[v];
    if (d >= unseen) {                       // not reached yet: look for a parent in the frontier
        for (int k = in_start[v]; k < in_start[v + 1]; k++) {
            int u = in_edge[k];
            if (depth[u] == level) {
                parent[v] = u;
                d = (unsigned char)(level + 1);
                break;
            }
        }
    }
    depth_out[v] = d;
}

struct GeoFix {
    double lat, lon, height_km;
};

/* kmutate launch
   struct GeoFix { double lat, lon, height_km; };
   seed(17);
   int nfix = 1500000, nlat = 721, nlon = 1440;
   dim3 block = { 96 };
   dim3 grid = { (nfix + 95) / 96 };
   GeoFix fixes[nfix] = uniform(-1.5, 1.5);
   float geoid[nlat * nlon] = uniform(-100, 85);
   double ecef[nfix * 3] = zeros();
   geodetic_undulation_to_ecef(fixes, geoid, nlat, nlon, ecef, nfix);
*/
__global__ void geodetic_undulation_to_ecef(const GeoFix *fixes, const float *geoid, int nlat, int nlon, double *ecef,
                                            int nfix)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nfix)
        return;
    const double pi = 3.14159265358979323846;
    double lat = fixes[i].lat, lon = fixes[i].lon;
    double gy = (lat + pi / 2) / pi * (nlat - 1);
    double gx = (lon + pi) / (2 * pi) * nlon;
    int iy = (int)floor(gy), ix = (int)floor(gx);
    if (iy < 0) iy = 0;
    if (iy > nlat - 2) iy = nlat - 2;
    ix = ((ix % nlon) + nlon) % nlon;
    int ix1 = (ix + 1) % nlon;
    double fy = gy - iy, fx = gx - floor(gx);
    double undulation = (1 - fy) * ((1 - fx) * geoid[iy * nlon + ix] + fx * geoid[iy * nlon + ix1])
                      + fy * ((1 - fx) * geoid[(iy + 1) * nlon + ix] + fx * geoid[(iy + 1) * nlon + ix1]);
    double h = fixes[i].height_km * 1000.0 + undulation;
    const double a = 6378137.0, e2 = 6.69437999014e-3;
    double n = a / sqrt(1.0 - e2 * sin(lat) * sin(lat));
    ecef[3 * i + 0] = (n + h) * cos(lat) * cos(lon);
    ecef[3 * i + 1] = (n + h) * cos(lat) * sin(lon);
    ecef[3 * i + 2] = (n * (1.0 - e2) + h) * sin(lat);
}

// ------------------------------------------------------------------------------------------------------------------
// After a first round of optimization
// ------------------------------------------------------------------------------------------------------------------

#define PM_X 32
#define PM_Y 16

/* kmutate launch
   seed(21);
   int width = 4096, height = 2160;
   dim3 block = { PM_X, PM_Y };
   dim3 grid = { (width + PM_X - 1) / PM_X, (height + PM_Y - 1) / PM_Y };
   float img[width * height] = uniform(0, 255);
   float out[width * height] = zeros();
   perona_malik_tile(img, out, width, height, 1.0f / (20.0f * 20.0f), 0.15f);
*/
__global__ void perona_malik_tile(const float *__restrict__ img, float *__restrict__ out, int width, int height,
                                  float inv_k2, float lambda)
{
    __shared__ float tile[PM_Y + 2][PM_X + 2];
    int x0 = blockIdx.x * PM_X - 1, y0 = blockIdx.y * PM_Y - 1;
    int tid = threadIdx.y * PM_X + threadIdx.x;
    for (int k = tid; k < (PM_X + 2) * (PM_Y + 2); k += PM_X * PM_Y) {
        int ty = k / (PM_X + 2), tx = k % (PM_X + 2);
        int gx = min(max(x0 + tx, 0), width - 1);
        int gy = min(max(y0 + ty, 0), height - 1);
        tile[ty][tx] = img[gy * width + gx];
    }
    __syncthreads();
    int x = blockIdx.x * PM_X + threadIdx.x, y = blockIdx.y * PM_Y + threadIdx.y;
    if (x < width && y < height) {
        int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
        float c = tile[ty][tx], sum = 0.f;
#pragma unroll
        for (int dy = -1; dy <= 1; dy++) {
#pragma unroll
            for (int dx = -1; dx <= 1; dx++) {
                if (dx == 0 && dy == 0)
                    continue;
                float w = (dx != 0 && dy != 0) ? 0.5f : 1.0f;
                float d = tile[ty + dy][tx + dx] - c;
                sum += w * d * __expf(-d * d * inv_k2);
            }
        }
        out[y * width + x] = c + lambda * sum;
    }
}

#define BQ_CH 64
#define BQ_T 32

/* kmutate launch
   seed(22);
   int channels = 16384, samples = 512;
   dim3 block = { BQ_CH };
   dim3 grid = { channels / BQ_CH };
   float pcm[channels * samples] = uniform(-1, 1);
   float coef[5 * channels] = uniform(-0.4, 0.4);
   float2 state[channels] = uniform(-0.1, 0.1);
   float out[channels * samples] = zeros();
   biquad_bank_staged(pcm, coef, state, out, channels, samples);
*/
__global__ void biquad_bank_staged(const float *__restrict__ pcm, const float *__restrict__ coef,
                                   const float2 *__restrict__ state, float *__restrict__ out, int channels, int samples)
{
    __shared__ float stage[BQ_CH][BQ_T + 1];
    int ch0 = blockIdx.x * BQ_CH;
    int ch = ch0 + threadIdx.x;
    int lane = threadIdx.x & 31, row = threadIdx.x >> 5;
    float b0 = coef[ch], b1 = coef[channels + ch], b2 = coef[2 * channels + ch];
    float a1 = coef[3 * channels + ch], a2 = coef[4 * channels + ch];
    float2 z = state[ch];
    for (int t0 = 0; t0 < samples; t0 += BQ_T) {
        for (int r = row; r < BQ_CH; r += BQ_CH / 32)
            stage[r][lane] = pcm[(ch0 + r) * samples + t0 + lane];
        __syncthreads();
        for (int t = 0; t < BQ_T; t++) {
            float x = stage[threadIdx.x][t];
            float y = b0 * x + z.x;
            z.x = b1 * x - a1 * y + z.y;
            z.y = b2 * x - a2 * y;
            stage[threadIdx.x][t] = y;
        }
        __syncthreads();
        for (int r = row; r < BQ_CH; r += BQ_CH / 32)
            out[(ch0 + r) * samples + t0 + lane] = stage[r][lane];
        __syncthreads();
    }
}

/* kmutate launch
   seed(23);
   int rows = 8192, cols = 1536;
   dim3 block = { 128 };
   dim3 grid = { rows };
   float4 x[rows * cols / 4] = normal(0, 1), residual[rows * cols / 4] = normal(0.1, 2);
   float4 gamma[cols / 4] = uniform(0.5, 1.5), beta[cols / 4] = uniform(-0.5, 0.5);
   float4 hidden[rows * cols / 4] = zeros(), normed[rows * cols / 4] = zeros();
   residual_layernorm_rows(x, residual, gamma, beta, hidden, normed, cols / 4, 1e-5f);
*/
__global__ void residual_layernorm_rows(const float4 *x, const float4 *residual, const float4 *gamma,
                                        const float4 *beta, float4 *hidden, float4 *normed, int cols4, float eps)
{
    __shared__ float s_sum[128];
    __shared__ float s_sq[128];
    size_t base = (size_t)blockIdx.x * cols4;
    int tid = threadIdx.x;
    float sum = 0.f, sq = 0.f;
    for (int c = tid; c < cols4; c += blockDim.x) {
        float4 a = x[base + c], b = residual[base + c];
        a.x += b.x;
        a.y += b.y;
        a.z += b.z;
        a.w += b.w;
        hidden[base + c] = a;
        sum += a.x + a.y + a.z + a.w;
        sq += a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w;
    }
    s_sum[tid] = sum;
    s_sq[tid] = sq;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            s_sum[tid] += s_sum[tid + s];
            s_sq[tid] += s_sq[tid + s];
        }
        __syncthreads();
    }
    float mean = s_sum[0] / (4 * cols4);
    float rstd = rsqrtf(s_sq[0] / (4 * cols4) - mean * mean + eps);
    for (int c = tid; c < cols4; c += blockDim.x) {
        float4 a = hidden[base + c], g = gamma[c], b = beta[c];
        a.x = (a.x - mean) * rstd * g.x + b.x;
        a.y = (a.y - mean) * rstd * g.y + b.y;
        a.z = (a.z - mean) * rstd * g.z + b.z;
        a.w = (a.w - mean) * rstd * g.w + b.w;
        normed[base + c] = a;
    }
}

__device__ __forceinline__ void swiglu_grad(float g, float u, float dy, float &dg, float &du)
{
    float s = 1.0f / (1.0f + __expf(-g));
    float silu = g * s;
    du = dy * silu;
    dg = dy * u * (s + silu * (1.0f - s));
}

/* kmutate launch
   seed(24);
   int n4 = 3 << 20;
   dim3 block = { 256 };
   dim3 grid = { 1056 };
   float4 gate[n4] = normal(0, 1.5), up[n4] = normal(), dy[n4] = normal(0, 0.01);
   float4 dgate[n4] = zeros(), dup[n4] = zeros();
   swiglu_backward_grid4(gate, up, dy, dgate, dup, n4);
*/
__global__ void swiglu_backward_grid4(const float4 *__restrict__ gate, const float4 *__restrict__ up,
                                      const float4 *__restrict__ dy, float4 *__restrict__ dgate,
                                      float4 *__restrict__ dup, int n4)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 g = gate[i], u = up[i], d = dy[i], dg, du;
        swiglu_grad(g.x, u.x, d.x, dg.x, du.x);
        swiglu_grad(g.y, u.y, d.y, dg.y, du.y);
        swiglu_grad(g.z, u.z, d.z, dg.z, du.z);
        swiglu_grad(g.w, u.w, d.w, dg.w, du.w);
        dgate[i] = dg;
        dup[i] = du;
    }
}

/* kmutate launch
   seed(25);
   int n = 8 << 20;
   dim3 block = { 1024 };
   dim3 grid = { n / 1024 };
   float price[n] = uniform(0, 100);
   int qty[n] = randint(1, 50);
   int kept_row[n] = zeros();
   float kept_amount[n] = zeros();
   int kept_count[n / 1024] = zeros();
   compact_orders_blockscan(price, qty, 1200.0f, kept_row, kept_amount, kept_count, n);
*/
__global__ void compact_orders_blockscan(const float *price, const int *qty, float threshold, int *kept_row,
                                         float *kept_amount, int *kept_count, int n)
{
    __shared__ int scan[2][1024];
    int tid = threadIdx.x;
    int i = blockIdx.x * 1024 + tid;
    float amount = 0.f;
    int keep = 0;
    if (i < n) {
        amount = price[i] * qty[i];
        keep = amount > threshold ? 1 : 0;
    }
    int cur = 0;
    scan[0][tid] = keep;
    __syncthreads();
    for (int d = 1; d < 1024; d <<= 1) {
        int v = scan[cur][tid];
        if (tid >= d)
            v += scan[cur][tid - d];
        scan[cur ^ 1][tid] = v;
        cur ^= 1;
        __syncthreads();
    }
    int incl = scan[cur][tid];
    if (keep) {
        int dst = blockIdx.x * 1024 + incl - 1;
        kept_row[dst] = i;
        kept_amount[dst] = amount;
    }
    if (tid == 1023)
        kept_count[blockIdx.x] = incl;
}

/* kmutate launch
   seed(26);
   int rows = 1 << 19, slices = rows / 32, lo = 4, hi = 28;
   int width_sum = csr_nnz(slices, lo, hi);
   dim3 block = { 256 };
   dim3 grid = { (rows + 255) / 256 };
   int slice_ptr[slices + 1] = csr_rowptr(slices, lo, hi);
   int col[width_sum * 32] = randint(0, rows);
   float val[width_sum * 32] = uniform(-1, 1);
   float4 x[rows] = uniform(-1, 1);
   float4 y[rows] = zeros();
   sliced_ell_spmm4(slice_ptr, col, val, x, y, rows);
*/
__global__ void sliced_ell_spmm4(const int *__restrict__ slice_ptr, const int *__restrict__ col,
                                 const float *__restrict__ val, const float4 *__restrict__ x, float4 *__restrict__ y,
                                 int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int slice = row >> 5, lane = row & 31;
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    int end = slice_ptr[slice + 1];
    for (int k = slice_ptr[slice]; k < end; k++) {
        int c = col[k * 32 + lane];
        float a = val[k * 32 + lane];
        float4 b = x[c];
        acc.x += a * b.x;
        acc.y += a * b.y;
        acc.z += a * b.z;
        acc.w += a * b.w;
    }
    y[row] = acc;
}

#define JOIN_PIVOTS 1024
#define JOIN_GROUPS 64

/* kmutate launch
   seed(27);
   int nfacts = 4000000, ndim = 1 << 20;
   dim3 block = { 512 };
   dim3 grid = { 528 };
   int fact_key[nfacts] = randint(0, ndim);
   int fact_qty[nfacts] = randint(1, 100);
   int dim_key[ndim] = ascending(0, ndim);
   unsigned char dim_group[ndim] = randint(0, JOIN_GROUPS);
   unsigned long long group_qty[JOIN_GROUPS] = zeros();
   unsigned int group_rows[JOIN_GROUPS] = zeros();
   sorted_dim_join_grouped(fact_key, fact_qty, nfacts, dim_key, dim_group, ndim, group_qty, group_rows);
*/
__global__ void sorted_dim_join_grouped(const int *__restrict__ fact_key, const int *__restrict__ fact_qty, int nfacts,
                                        const int *__restrict__ dim_key, const unsigned char *__restrict__ dim_group,
                                        int ndim, unsigned long long *group_qty, unsigned int *group_rows)
{
    __shared__ int pivot[JOIN_PIVOTS];
    __shared__ unsigned int s_qty[JOIN_GROUPS];
    __shared__ unsigned int s_rows[JOIN_GROUPS];
    int stride = ndim / JOIN_PIVOTS;
    for (int k = threadIdx.x; k < JOIN_PIVOTS; k += blockDim.x)
        pivot[k] = dim_key[k * stride];
    if (threadIdx.x < JOIN_GROUPS) {
        s_qty[threadIdx.x] = 0;
        s_rows[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nfacts; i += gridDim.x * blockDim.x) {
        int key = fact_key[i];
        int lo = 0, hi = JOIN_PIVOTS;            // first pivot >= key
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (pivot[mid] < key)
                lo = mid + 1;
            else
                hi = mid;
        }
        int a = lo == 0 ? 0 : (lo - 1) * stride;
        int b = lo == JOIN_PIVOTS ? ndim : lo * stride;
        while (a < b) {
            int mid = (a + b) >> 1;
            if (dim_key[mid] < key)
                a = mid + 1;
            else
                b = mid;
        }
        int qty = fact_qty[i];
        while (a < ndim && dim_key[a] == key) {
            int g = dim_group[a];
            atomicAdd(&s_qty[g], (unsigned)qty);
            atomicAdd(&s_rows[g], 1u);
            a++;
        }
    }
    __syncthreads();
    if (threadIdx.x < JOIN_GROUPS) {
        atomicAdd(&group_qty[threadIdx.x], (unsigned long long)s_qty[threadIdx.x]);
        atomicAdd(&group_rows[threadIdx.x], s_rows[threadIdx.x]);
    }
}

// ------------------------------------------------------------------------------------------------------------------
// Left by an expert
// ------------------------------------------------------------------------------------------------------------------

#define RBF_BM 128
#define RBF_BK 8
#define RBF_LD (RBF_BM + 4)

/* kmutate launch
   seed(31);
   int m = 4096, n = 3072, dims = 96;
   dim3 block = { 256 };
   dim3 grid = { n / RBF_BM, m / RBF_BM };
   float a[m * dims] = normal(0, 0.3), b[n * dims] = normal(0, 0.3);
   float gram[m * n] = zeros();
   rbf_gram_regtile(a, b, gram, n, dims, 0.05f);
*/
__global__ __launch_bounds__(256, 2) void rbf_gram_regtile(const float *__restrict__ a, const float *__restrict__ b,
                                                           float *__restrict__ gram, int n, int dims, float inv_2s2)
{
    __shared__ __align__(16) float as[2][RBF_BK][RBF_LD];
    __shared__ __align__(16) float bs[2][RBF_BK][RBF_LD];
    int tid = threadIdx.x;
    int tx = tid & 15, ty = tid >> 4;
    int lrow = tid >> 1, lcol = (tid & 1) * 4;
    const float *ap = a + (size_t)(blockIdx.y * RBF_BM + lrow) * dims + lcol;
    const float *bp = b + (size_t)(blockIdx.x * RBF_BM + lrow) * dims + lcol;
    float acc[8][8] = {}, na[8] = {}, nb[8] = {};

    float4 ra = *(const float4 *)ap, rb = *(const float4 *)bp;
    as[0][lcol + 0][lrow] = ra.x; as[0][lcol + 1][lrow] = ra.y;
    as[0][lcol + 2][lrow] = ra.z; as[0][lcol + 3][lrow] = ra.w;
    bs[0][lcol + 0][lrow] = rb.x; bs[0][lcol + 1][lrow] = rb.y;
    bs[0][lcol + 2][lrow] = rb.z; bs[0][lcol + 3][lrow] = rb.w;
    __syncthreads();

    int buf = 0;
    for (int k0 = 0; k0 < dims; k0 += RBF_BK) {
        bool more = k0 + RBF_BK < dims;
        if (more) {
            ra = *(const float4 *)(ap + k0 + RBF_BK);
            rb = *(const float4 *)(bp + k0 + RBF_BK);
        }
#pragma unroll
        for (int k = 0; k < RBF_BK; k++) {
            float fa[8], fb[8];
            *(float4 *)&fa[0] = *(const float4 *)&as[buf][k][ty * 4];
            *(float4 *)&fa[4] = *(const float4 *)&as[buf][k][64 + ty * 4];
            *(float4 *)&fb[0] = *(const float4 *)&bs[buf][k][tx * 4];
            *(float4 *)&fb[4] = *(const float4 *)&bs[buf][k][64 + tx * 4];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                na[i] = fmaf(fa[i], fa[i], na[i]);
                nb[i] = fmaf(fb[i], fb[i], nb[i]);
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
            }
        }
        if (more) {
            buf ^= 1;
            as[buf][lcol + 0][lrow] = ra.x; as[buf][lcol + 1][lrow] = ra.y;
            as[buf][lcol + 2][lrow] = ra.z; as[buf][lcol + 3][lrow] = ra.w;
            bs[buf][lcol + 0][lrow] = rb.x; bs[buf][lcol + 1][lrow] = rb.y;
            bs[buf][lcol + 2][lrow] = rb.z; bs[buf][lcol + 3][lrow] = rb.w;
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int row = blockIdx.y * RBF_BM + (i >> 2) * 64 + ty * 4 + (i & 3);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float4 o;
            o.x = __expf(-inv_2s2 * fmaxf(na[i] + nb[4 * h + 0] - 2.f * acc[i][4 * h + 0], 0.f));
            o.y = __expf(-inv_2s2 * fmaxf(na[i] + nb[4 * h + 1] - 2.f * acc[i][4 * h + 1], 0.f));
            o.z = __expf(-inv_2s2 * fmaxf(na[i] + nb[4 * h + 2] - 2.f * acc[i][4 * h + 2], 0.f));
            o.w = __expf(-inv_2s2 * fmaxf(na[i] + nb[4 * h + 3] - 2.f * acc[i][4 * h + 3], 0.f));
            *(float4 *)&gram[(size_t)row * n + blockIdx.x * RBF_BM + h * 64 + tx * 4] = o;
        }
    }
}

__device__ __forceinline__ unsigned murmur_mix64(unsigned long long k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdull;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ull;
    k ^= k >> 33;
    return (unsigned)(k >> 24);
}

/* kmutate launch
   seed(32);
   int n2 = 6 << 20;
   dim3 block = { 384 };
   dim3 grid = { 512 };
   ulonglong2 keys[n2] = randint(0, 1ll << 40);
   unsigned int counts[256 * 512] = zeros();
   hash_partition_hist_warp<12, 4>(keys, n2, counts);
*/
template <int WARPS, int UNROLL>
__global__ __launch_bounds__(WARPS * 32) void hash_partition_hist_warp(const ulonglong2 *__restrict__ keys, int n2,
                                                                       unsigned int *__restrict__ counts)
{
    __shared__ unsigned int hist[WARPS][256];
    unsigned int *flat = &hist[0][0];
    for (int k = threadIdx.x; k < WARPS * 256; k += WARPS * 32)
        flat[k] = 0;
    __syncthreads();
    unsigned int *mine = hist[threadIdx.x >> 5];
    int per_block = (n2 + gridDim.x - 1) / gridDim.x;
    int begin = blockIdx.x * per_block, end = min(begin + per_block, n2);
    int i = begin + threadIdx.x;
    for (; i + (UNROLL - 1) * WARPS * 32 < end; i += UNROLL * WARPS * 32) {
        ulonglong2 k[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            k[u] = __ldg(&keys[i + u * WARPS * 32]);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            atomicAdd(&mine[murmur_mix64(k[u].x) & 255], 1u);
            atomicAdd(&mine[murmur_mix64(k[u].y) & 255], 1u);
        }
    }
    for (; i < end; i += WARPS * 32) {
        ulonglong2 k = keys[i];
        atomicAdd(&mine[murmur_mix64(k.x) & 255], 1u);
        atomicAdd(&mine[murmur_mix64(k.y) & 255], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 256) {
        unsigned int sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            sum += hist[w][threadIdx.x];
        counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;   // digit-major, ready for the scan
    }
}

__device__ __forceinline__ void half8_to_float(const uint4 &v, float *f)
{
    float2 p0 = __half22float2(*reinterpret_cast<const __half2 *>(&v.x));
    float2 p1 = __half22float2(*reinterpret_cast<const __half2 *>(&v.y));
    float2 p2 = __half22float2(*reinterpret_cast<const __half2 *>(&v.z));
    float2 p3 = __half22float2(*reinterpret_cast<const __half2 *>(&v.w));
    f[0] = p0.x; f[1] = p0.y; f[2] = p1.x; f[3] = p1.y;
    f[4] = p2.x; f[5] = p2.y; f[6] = p3.x; f[7] = p3.y;
}

/* kmutate launch
   seed(33);
   int heads = 128, tokens = 2048, splits = 8;
   dim3 block = { 128 };
   dim3 grid = { splits, heads };
   half q[heads * 64] = normal();
   half kcache[heads * tokens * 64] = normal();
   half vcache[heads * tokens * 64] = normal();
   float part[heads * splits * 64] = zeros();
   float2 part_ml[heads * splits] = zeros();
   decode_attn_split_online(q, kcache, vcache, part, part_ml, tokens, 0.125f);
*/
__global__ __launch_bounds__(128) void decode_attn_split_online(const half *__restrict__ q,
                                                                const half *__restrict__ kcache,
                                                                const half *__restrict__ vcache,
                                                                float *__restrict__ part, float2 *__restrict__ part_ml,
                                                                int tokens, float scale)
{
    __shared__ float s_m[4], s_l[4], s_acc[4][64];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int sub = lane & 7, slot = warp * 4 + (lane >> 3);      // eight lanes hold one token's 64 numbers
    int head = blockIdx.y;
    int per_split = tokens / gridDim.x;
    int t0 = blockIdx.x * per_split;

    float qf[8], acc[8] = {};
    half8_to_float(((const uint4 *)(q + head * 64))[sub], qf);
#pragma unroll
    for (int i = 0; i < 8; i++)
        qf[i] *= scale * 1.44269504f;
    float m = -1e30f, l = 0.f;
    const uint4 *kp = (const uint4 *)(kcache + ((size_t)head * tokens + t0) * 64) + sub;
    const uint4 *vp = (const uint4 *)(vcache + ((size_t)head * tokens + t0) * 64) + sub;

    uint4 knext = kp[slot * 8];
    for (int t = slot; t < per_split; t += 16) {
        uint4 kraw = knext, vraw = vp[t * 8];
        if (t + 16 < per_split)
            knext = kp[(t + 16) * 8];
        float kf[8], vf[8], s = 0.f;
        half8_to_float(kraw, kf);
#pragma unroll
        for (int i = 0; i < 8; i++)
            s = fmaf(qf[i], kf[i], s);
        s += __shfl_xor_sync(0xffffffffu, s, 1);
        s += __shfl_xor_sync(0xffffffffu, s, 2);
        s += __shfl_xor_sync(0xffffffffu, s, 4);
        float mn = fmaxf(m, s);
        float corr = exp2f(m - mn), p = exp2f(s - mn);
        l = l * corr + p;
        half8_to_float(vraw, vf);
#pragma unroll
        for (int i = 0; i < 8; i++)
            acc[i] = fmaf(p, vf[i], acc[i] * corr);
        m = mn;
    }
#pragma unroll
    for (int o = 8; o <= 16; o <<= 1) {
        float mo = __shfl_xor_sync(0xffffffffu, m, o), lo = __shfl_xor_sync(0xffffffffu, l, o);
        float mn = fmaxf(m, mo), c0 = exp2f(m - mn), c1 = exp2f(mo - mn);
        l = l * c0 + lo * c1;
#pragma unroll
        for (int i = 0; i < 8; i++)
            acc[i] = acc[i] * c0 + __shfl_xor_sync(0xffffffffu, acc[i], o) * c1;
        m = mn;
    }
    if (lane < 8) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            s_acc[warp][lane * 8 + i] = acc[i];
        if (lane == 0) {
            s_m[warp] = m;
            s_l[warp] = l;
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        float mx = fmaxf(fmaxf(s_m[0], s_m[1]), fmaxf(s_m[2], s_m[3])), o = 0.f, ls = 0.f;
#pragma unroll
        for (int w = 0; w < 4; w++) {
            float c = exp2f(s_m[w] - mx);
            o += c * s_acc[w][threadIdx.x];
            ls += c * s_l[w];
        }
        int idx = head * gridDim.x + blockIdx.x;
        part[idx * 64 + threadIdx.x] = o;
        if (threadIdx.x == 0)
            part_ml[idx] = make_float2(mx, ls);
    }
}

/* kmutate launch
   seed(34);
   int bags = 65536, vocab = 1000000, lo = 4, hi = 40;
   int nids = csr_nnz(bags, lo, hi);
   dim3 block = { 128 };
   dim3 grid = { bags / 4 };
   int bag_start[bags + 1] = csr_rowptr(bags, lo, hi);
   int ids[nids] = randint(0, vocab);
   unsigned int table[vocab * 16] = randint(0, 4294967295u);
   float2 scale_bias[vocab] = uniform(-0.01, 0.01);
   float4 pooled[bags * 16] = zeros();
   embedding_bag_uint8_warp(bag_start, ids, table, scale_bias, pooled, bags);
*/
__global__ __launch_bounds__(128) void embedding_bag_uint8_warp(const int *__restrict__ bag_start,
                                                                const int *__restrict__ ids,
                                                                const unsigned int *__restrict__ table,
                                                                const float2 *__restrict__ scale_bias,
                                                                float4 *__restrict__ pooled, int bags)
{
    int bag = blockIdx.x * 4 + (threadIdx.x >> 5);
    if (bag >= bags)
        return;
    int lane = threadIdx.x & 31, half_id = lane >> 4, word = lane & 15;
    int begin = __ldg(bag_start + bag), end = __ldg(bag_start + bag + 1);
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int base = begin; base < end; base += 32) {
        int cnt = min(32, end - base);
        int my_id = lane < cnt ? __ldg(ids + base + lane) : 0;
        float2 my_sb = lane < cnt ? __ldg(scale_bias + my_id) : make_float2(0.f, 0.f);
#pragma unroll 4
        for (int k = 0; k < cnt; k += 2) {
            int src = k + half_id;                   // a lane beyond cnt holds zeros
            int id = __shfl_sync(0xffffffffu, my_id, src);
            float s = __shfl_sync(0xffffffffu, my_sb.x, src);
            float b = __shfl_sync(0xffffffffu, my_sb.y, src);
            unsigned v = __ldg(table + id * 16 + word);
            // bytes to floats: put each under the exponent of 2^23
            float f0 = __uint_as_float(__byte_perm(v, 0x4b000000u, 0x7440)) - 8388608.f;
            float f1 = __uint_as_float(__byte_perm(v, 0x4b000000u, 0x7441)) - 8388608.f;
            float f2 = __uint_as_float(__byte_perm(v, 0x4b000000u, 0x7442)) - 8388608.f;
            float f3 = __uint_as_float(__byte_perm(v, 0x4b000000u, 0x7443)) - 8388608.f;
            acc.x += fmaf(f0, s, b);
            acc.y += fmaf(f1, s, b);
            acc.z += fmaf(f2, s, b);
            acc.w += fmaf(f3, s, b);
        }
    }
    acc.x += __shfl_down_sync(0xffffffffu, acc.x, 16);
    acc.y += __shfl_down_sync(0xffffffffu, acc.y, 16);
    acc.z += __shfl_down_sync(0xffffffffu, acc.z, 16);
    acc.w += __shfl_down_sync(0xffffffffu, acc.w, 16);
    if (lane < 16) {
        float inv = 1.0f / (float)max(end - begin, 1);
        pooled[bag * 16 + word] = make_float4(acc.x * inv, acc.y * inv, acc.z * inv, acc.w * inv);
    }
}

/* kmutate launch
   seed(35);
   int planes = 1024, channels = 64, height = 128, strip = 16;
   dim3 block = { 64 };
   dim3 grid = { height / strip / 2, planes };
   float4 in[planes * height * 32] = normal();
   float weight[channels * 25] = normal(0, 0.2);
   float bias[channels] = normal(0, 0.1);
   float4 out[planes * height * 32] = zeros();
   depthwise5x5_rolling_rows<16>(in, weight, bias, out, channels, height);
*/
template <int STRIP>
__global__ __launch_bounds__(64) void depthwise5x5_rolling_rows(const float4 *__restrict__ in,
                                                                const float *__restrict__ weight,
                                                                const float *__restrict__ bias,
                                                                float4 *__restrict__ out, int channels, int height)
{
    // a warp holds a row of 128 pixels, four a lane, and rolls down STRIP rows with five rows of partial sums
    int lane = threadIdx.x & 31;
    int y0 = (blockIdx.x * 2 + (threadIdx.x >> 5)) * STRIP;
    int plane = blockIdx.y, c = plane % channels;
    const float4 *src = in + (size_t)plane * height * 32 + lane;
    float4 *dst = out + (size_t)plane * height * 32 + lane;
    float w[25];
#pragma unroll
    for (int k = 0; k < 25; k++)
        w[k] = __ldg(weight + c * 25 + k);
    float b = __ldg(bias + c);
    float acc[5][4];
#pragma unroll
    for (int r = 0; r < 5; r++)
#pragma unroll
        for (int p = 0; p < 4; p++)
            acc[r][p] = b;
#pragma unroll 5
    for (int s = 0; s < STRIP + 4; s++) {
        int y = y0 + s - 2;
        float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
        if (y >= 0 && y < height)
            v = __ldg(src + y * 32);
        float row[8];
        row[0] = __shfl_up_sync(0xffffffffu, v.z, 1);
        row[1] = __shfl_up_sync(0xffffffffu, v.w, 1);
        row[2] = v.x; row[3] = v.y; row[4] = v.z; row[5] = v.w;
        row[6] = __shfl_down_sync(0xffffffffu, v.x, 1);
        row[7] = __shfl_down_sync(0xffffffffu, v.y, 1);
        if (lane == 0)
            row[0] = row[1] = 0.f;
        if (lane == 31)
            row[6] = row[7] = 0.f;
#pragma unroll
        for (int r = 0; r < 5; r++)              // acc[r] is the output row s - 4 + r
#pragma unroll
            for (int k = 0; k < 5; k++)
#pragma unroll
                for (int p = 0; p < 4; p++)
                    acc[r][p] = fmaf(w[(4 - r) * 5 + k], row[p + k], acc[r][p]);
        if (s >= 4) {
            float4 o;
            o.x = fminf(fmaxf(acc[0][0], 0.f), 6.f);
            o.y = fminf(fmaxf(acc[0][1], 0.f), 6.f);
            o.z = fminf(fmaxf(acc[0][2], 0.f), 6.f);
            o.w = fminf(fmaxf(acc[0][3], 0.f), 6.f);
            dst[(y0 + s - 4) * 32] = o;
        }
#pragma unroll
        for (int p = 0; p < 4; p++) {
            acc[0][p] = acc[1][p];
            acc[1][p] = acc[2][p];
            acc[2][p] = acc[3][p];
            acc[3][p] = acc[4][p];
            acc[4][p] = b;
        }
    }
}

/* kmutate launch
   seed(36);
   int systems = 400000;
   dim3 block = { 64 };
   dim3 grid = { (systems + 63) / 64 };
   float diag[6 * systems] = uniform(6, 9);
   float lower[15 * systems] = uniform(-1, 1);
   float rhs[6 * systems] = normal();
   float sol[6 * systems] = zeros();
   float logdet[systems] = zeros();
   cholesky6_soa_regs<6>(diag, lower, rhs, sol, logdet, systems);
*/
template <int N>
__global__ __launch_bounds__(64) void cholesky6_soa_regs(const float *__restrict__ diag,
                                                         const float *__restrict__ lower,
                                                         const float *__restrict__ rhs, float *__restrict__ sol,
                                                         float *__restrict__ logdet, int systems)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= systems)
        return;
    float a[N][N], x[N], inv[N];
#pragma unroll
    for (int r = 0; r < N; r++) {
        a[r][r] = __ldg(diag + r * systems + i);
        x[r] = __ldg(rhs + r * systems + i);
#pragma unroll
        for (int c = 0; c < r; c++)
            a[r][c] = __ldg(lower + (r * (r - 1) / 2 + c) * systems + i);
    }
    float ld = 0.f;
#pragma unroll
    for (int k = 0; k < N; k++) {
        inv[k] = rsqrtf(a[k][k]);
        ld -= 2.f * __logf(inv[k]);
#pragma unroll
        for (int r = k + 1; r < N; r++)
            a[r][k] *= inv[k];
#pragma unroll
        for (int r = k + 1; r < N; r++)
#pragma unroll
            for (int c = k + 1; c <= r; c++)
                a[r][c] = fmaf(-a[r][k], a[c][k], a[r][c]);
    }
#pragma unroll
    for (int r = 0; r < N; r++) {
#pragma unroll
        for (int c = 0; c < r; c++)
            x[r] = fmaf(-a[r][c], x[c], x[r]);
        x[r] *= inv[r];
    }
#pragma unroll
    for (int r = N - 1; r >= 0; r--) {
#pragma unroll
        for (int c = r + 1; c < N; c++)
            x[r] = fmaf(-a[c][r], x[c], x[r]);
        x[r] *= inv[r];
    }
#pragma unroll
    for (int r = 0; r < N; r++)
        sol[r * systems + i] = x[r];
    logdet[i] = ld;
}
