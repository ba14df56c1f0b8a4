#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

// ---------------------------------------------------------------------------------------------------------------------
// Dense linear algebra and stencils
// ---------------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int ni = 768, nk = 640, nj = 896;
   dim3 block = { 32, 8 }, grid = { (nj + 31) / 32, (ni + 7) / 8 };
   double left[ni * nk] = uniform(-1, 1);
   double middle[nk] = uniform(0.5, 1.5);
   double right[nk * nj] = uniform(-1, 1);
   double result[ni * nj] = uniform(-1, 1);
   chain_product_with_diagonal_middle_factor(ni, nj, nk, 1.25, 0.75, left, middle, right, result);
*/
__global__ void chain_product_with_diagonal_middle_factor(int ni, int nj, int nk, double alpha, double beta,
                                                          const double *left, const double *middle,
                                                          const double *right, double *result)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        double acc = beta * result[i * nj + j];
        for (int k = 0; k < nk; k++)
            acc += alpha * left[i * nk + k] * middle[k] * right[k * nj + j];
        result[i * nj + j] = acc;
    }
}

/* kmutate launch
   int samples = 1536, features = 24576;
   dim3 block = { 128 }, grid = { (features + 127) / 128 };
   float table[samples * features] = normal(3, 2);
   float mean[features] = zeros();
   float inv_dev[features] = zeros();
   column_mean_and_inverse_deviation_of_sample_table(table, mean, inv_dev, samples, features, 0.005f);
*/
__global__ void column_mean_and_inverse_deviation_of_sample_table(const float *table, float *mean, float *inv_dev,
                                                                  int samples, int features, float tiny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= features)
        return;

    // shifting by the first sample keeps the sum of squares small
    float shift = table[j];
    float s1 = 0.0f, s2 = 0.0f;
    for (int i = 1; i < samples; ++i) {
        float d = table[i * features + j] - shift;
        s1 += d;
        s2 += d * d;
    }
    float m = s1 / samples;
    float dev = sqrtf(fmaxf(s2 / samples - m * m, 0.0f));
    mean[j] = shift + m;
    inv_dev[j] = dev <= tiny ? 1.0f : 1.0f / (dev * sqrtf((float)samples));
}

#define COV_TILE 32
#define COV_DEPTH 16

/* kmutate launch
   int observations = 1000, variables = 1536;
   int tiles = variables / COV_TILE;
   dim3 block = { 16, 16 }, grid = { tiles * (tiles + 1) / 2 };
   float data[observations * variables] = normal(0.5, 1);
   float mean[variables] = fill(0.5);
   float cov[variables * variables] = zeros();
   symmetric_covariance_by_lower_triangle_tiles(data, mean, cov, observations, variables);
*/
__global__ void symmetric_covariance_by_lower_triangle_tiles(const float *__restrict__ data,
                                                             const float *__restrict__ mean,
                                                             float *__restrict__ cov, int observations, int variables)
{
    __shared__ float rows[COV_DEPTH][COV_TILE];
    __shared__ float cols[COV_DEPTH][COV_TILE];

    // linear block number -> (bi, bj) with bj <= bi
    int bid = blockIdx.x;
    int bi = (int)((sqrtf(8.0f * bid + 1.0f) - 1.0f) * 0.5f);
    while ((bi + 1) * (bi + 2) / 2 <= bid) ++bi;
    while (bi * (bi + 1) / 2 > bid) --bi;
    int bj = bid - bi * (bi + 1) / 2;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 16 + tx;
    const int lane = tid & 31, slot = tid >> 5;
    const float mi = mean[bi * COV_TILE + lane];
    const float mj = mean[bj * COV_TILE + lane];

    float c00 = 0.f, c01 = 0.f, c10 = 0.f, c11 = 0.f;
    for (int k0 = 0; k0 < observations; k0 += COV_DEPTH) {
        for (int r = slot; r < COV_DEPTH; r += 8) {
            int k = k0 + r;
            bool ok = k < observations;
            rows[r][lane] = ok ? data[k * variables + bi * COV_TILE + lane] - mi : 0.f;
            cols[r][lane] = ok ? data[k * variables + bj * COV_TILE + lane] - mj : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < COV_DEPTH; ++r) {
            float a0 = rows[r][ty], a1 = rows[r][ty + 16];
            float b0 = cols[r][tx], b1 = cols[r][tx + 16];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }

    const float norm = 1.0f / (observations - 1);
    int i = bi * COV_TILE + ty, j = bj * COV_TILE + tx;
    cov[i * variables + j] = c00 * norm;
    cov[i * variables + j + 16] = c01 * norm;
    cov[(i + 16) * variables + j] = c10 * norm;
    cov[(i + 16) * variables + j + 16] = c11 * norm;
    if (bi != bj) {
        cov[j * variables + i] = c00 * norm;
        cov[(j + 16) * variables + i] = c01 * norm;
        cov[j * variables + i + 16] = c10 * norm;
        cov[(j + 16) * variables + i + 16] = c11 * norm;
    }
}

/* kmutate launch
   int lines = 49152, nx = 192;
   dim3 block = { 64 }, grid = { (lines + 63) / 64 };
   float field[lines * nx] = uniform(0, 10);
   float kappa[lines * nx] = uniform(0.1, 0.9);
   float ratio[lines * nx] = zeros();
   implicit_half_step_along_contiguous_lines_in_place(field, kappa, ratio, lines, nx);
*/
__global__ void implicit_half_step_along_contiguous_lines_in_place(float *field, const float *kappa, float *ratio,
                                                                   int lines, int nx)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines)
        return;
    float *u = field + (size_t)line * nx;
    float *p = ratio + (size_t)line * nx;
    const float *k = kappa + (size_t)line * nx;

    // first-order walls at both ends
    p[0] = 0.0f;
    for (int x = 1; x < nx - 1; x++) {
        float lower = -k[x - 1];
        float upper = -k[x];
        float denom = 1.0f - lower - upper - lower * p[x - 1];
        p[x] = upper / denom;
        u[x] = (u[x] - lower * u[x - 1]) / denom;
    }
    for (int x = nx - 2; x >= 1; x--)
        u[x] = u[x] - p[x] * u[x + 1];
}

__constant__ float c_curl_gain[16];
__constant__ float c_field_decay[16];

/* kmutate launch
   int nx = 320, ny = 256, nz = 192, slab = 16;
   dim3 block = { 32, 8 }, grid = { (nx + 31) / 32, (ny + 7) / 8, (nz + slab - 1) / slab };
   extern float c_curl_gain[16] = uniform(0.3, 0.5);
   extern float c_field_decay[16] = uniform(0.95, 1);
   float ex[nx * ny * nz] = uniform(-1, 1);
   float ey[nx * ny * nz] = uniform(-1, 1);
   float ez[nx * ny * nz] = uniform(-1, 1);
   float hx[nx * ny * nz] = uniform(-1, 1);
   float hy[nx * ny * nz] = uniform(-1, 1);
   float hz[nx * ny * nz] = uniform(-1, 1);
   uint8_t material[nx * ny * nz] = randint(0, 16);
   advance_lossy_magnetic_field_marching_in_depth(ex, ey, ez, hx, hy, hz, material, nx, ny, nz, slab);
*/
__global__ void __launch_bounds__(256)
advance_lossy_magnetic_field_marching_in_depth(const float *__restrict__ ex, const float *__restrict__ ey,
                                               const float *__restrict__ ez, float *__restrict__ hx,
                                               float *__restrict__ hy, float *__restrict__ hz,
                                               const uint8_t *__restrict__ material, int nx, int ny, int nz, int slab)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 8 + threadIdx.y;
    if (x >= nx - 1 || y >= ny - 1)
        return;
    const int z_first = blockIdx.z * slab;
    const int z_last = min(z_first + slab, nz - 1);
    const int plane = nx * ny;

    int at = (z_first * ny + y) * nx + x;
    float ex_here = ex[at];
    float ey_here = ey[at];
    for (int z = z_first; z < z_last; ++z, at += plane) {
        const float ex_above = ex[at + plane];
        const float ey_above = ey[at + plane];
        const float ez_here = ez[at];
        const float ez_east = ez[at + 1];
        const float ez_north = ez[at + nx];
        const float ey_east = ey[at + 1];
        const float ex_north = ex[at + nx];
        const int kind = material[at] & 15;
        const float gain = c_curl_gain[kind], decay = c_field_decay[kind];

        hx[at] = decay * hx[at] - gain * ((ez_north - ez_here) - (ey_above - ey_here));
        hy[at] = decay * hy[at] - gain * ((ex_above - ex_here) - (ez_east - ez_here));
        hz[at] = decay * hz[at] - gain * ((ey_east - ey_here) - (ex_north - ex_here));
        ex_here = ex_above;
        ey_here = ey_above;
    }
}

#define NBASIS 128

/* kmutate launch
   int nr = 192, nq = 160;
   dim3 block = { NBASIS }, grid = { nq, nr };
   float tensor[nr * nq * NBASIS] = uniform(-1, 1);
   float basis[NBASIS * NBASIS] = uniform(-0.1, 0.1);
   contract_last_tensor_index_with_basis_in_place(tensor, basis, nq);
*/
__global__ void contract_last_tensor_index_with_basis_in_place(float *tensor, const float *basis, int nq)
{
    __shared__ float old_row[NBASIS];
    int p = threadIdx.x;
    float *row = tensor + ((size_t)blockIdx.y * nq + blockIdx.x) * NBASIS;

    old_row[p] = row[p];
    __syncthreads();

    float sum = 0.0f;
    for (int s = 0; s < NBASIS; s++)
        sum += old_row[s] * basis[s * NBASIS + p];
    row[p] = sum;
}

#define TRI_N 64
#define TRI_PACKED (TRI_N * (TRI_N + 1) / 2)

/* kmutate launch
   int systems = 24000;
   dim3 block = { 32, 4 }, grid = { (systems + 3) / 4 };
   float packed[systems * TRI_PACKED] = uniform(0.5, 1.5);
   float rhs[systems * TRI_N] = uniform(-1, 1);
   forward_substitution_of_packed_triangles_warp_each(packed, rhs, systems, 0.05f);
*/
__global__ void forward_substitution_of_packed_triangles_warp_each(const float *__restrict__ packed,
                                                                   float *__restrict__ rhs, int systems, float omega)
{
    const int sys = blockIdx.x * blockDim.y + threadIdx.y;
    if (sys >= systems)
        return;
    const int lane = threadIdx.x;
    const float *column = packed + (size_t)sys * TRI_PACKED;
    float lo = rhs[sys * TRI_N + lane];
    float hi = rhs[sys * TRI_N + 32 + lane];

    // columns 0..31: both halves of the right-hand side change
#pragma unroll 4
    for (int j = 0; j < 32; ++j) {
        float diag = column[0];
        float below_lo = lane > j ? column[lane - j] : 0.0f;
        float below_hi = column[lane + 32 - j];
        float xj = __shfl_sync(0xffffffffu, lo, j) / diag;
        if (lane == j)
            lo = xj;
        lo -= omega * below_lo * xj;
        hi -= omega * below_hi * xj;
        column += TRI_N - j;
    }
#pragma unroll 4
    for (int j = 0; j < 32; ++j) {
        float diag = column[0];
        float below = lane > j ? column[lane - j] : 0.0f;
        float xj = __shfl_sync(0xffffffffu, hi, j) / diag;
        if (lane == j)
            hi = xj;
        hi -= omega * below * xj;
        column += 32 - j;
    }
    rhs[sys * TRI_N + lane] = lo;
    rhs[sys * TRI_N + 32 + lane] = hi;
}

// ---------------------------------------------------------------------------------------------------------------------
// Applications
// ---------------------------------------------------------------------------------------------------------------------

#define BOX_CAPACITY 64

/* kmutate launch
   int bx = 12, by = 12, bz = 14;
   dim3 block = { BOX_CAPACITY }, grid = { bx, by, bz };
   float4 atoms[bx * by * bz * BOX_CAPACITY] = uniform(0, 1);
   float4 force[bx * by * bz * BOX_CAPACITY] = zeros();
   screened_forces_between_neighbouring_boxes(atoms, force, 2.0f, 1.0f);
*/
__global__ void screened_forces_between_neighbouring_boxes(const float4 *atoms, float4 *force, float alpha, float cut2)
{
    __shared__ float4 other[BOX_CAPACITY];
    const int t = threadIdx.x;
    const int cx = blockIdx.x, cy = blockIdx.y, cz = blockIdx.z;
    const int home = (cz * gridDim.y + cy) * gridDim.x + cx;
    const float4 me = atoms[home * BOX_CAPACITY + t];
    float fx = 0.f, fy = 0.f, fz = 0.f, energy = 0.f;

    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                int ox = cx + dx, oy = cy + dy, oz = cz + dz;
                if (ox < 0 || oy < 0 || oz < 0 || ox >= (int)gridDim.x || oy >= (int)gridDim.y || oz >= (int)gridDim.z)
                    continue;
                int box = (oz * gridDim.y + oy) * gridDim.x + ox;
                __syncthreads();
                float4 o = atoms[box * BOX_CAPACITY + t];
                o.x += dx;
                o.y += dy;
                o.z += dz;
                other[t] = o;
                __syncthreads();
                for (int j = 0; j < BOX_CAPACITY; ++j) {
                    float rx = me.x - other[j].x;
                    float ry = me.y - other[j].y;
                    float rz = me.z - other[j].z;
                    float r2 = rx * rx + ry * ry + rz * rz;
                    if (r2 < cut2) {
                        float e = other[j].w * __expf(-alpha * r2);
                        float s = 2.0f * alpha * e;
                        energy += e;
                        fx += s * rx;
                        fy += s * ry;
                        fz += s * rz;
                    }
                }
            }
    force[home * BOX_CAPACITY + t] = make_float4(me.w * fx, me.w * fy, me.w * fz, me.w * energy);
}

#define DIE_BX 32
#define DIE_BY 16
#define DIE_HALO 2

/* kmutate launch
   int width = 5600, height = 4800;
   dim3 block = { DIE_BX, DIE_BY };
   dim3 grid = { (width + DIE_BX - 2 * DIE_HALO - 1) / (DIE_BX - 2 * DIE_HALO),
                 (height + DIE_BY - 2 * DIE_HALO - 1) / (DIE_BY - 2 * DIE_HALO) };
   float celsius[width * height] = uniform(40, 90);
   half watts[width * height] = uniform(0, 1);
   float after[width * height] = zeros();
   two_fused_heat_steps_on_die_with_ambient_loss(celsius, watts, after, width, height, 0.12f, 0.1f, 0.01f, 35.0f);
*/
__global__ void two_fused_heat_steps_on_die_with_ambient_loss(const float *__restrict__ celsius,
                                                              const __half *__restrict__ watts,
                                                              float *__restrict__ after, int width, int height,
                                                              float gx, float gy, float gz, float ambient)
{
    __shared__ float now[DIE_BY][DIE_BX];
    __shared__ float next[DIE_BY][DIE_BX];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = (int)blockIdx.x * (DIE_BX - 2 * DIE_HALO) + tx - DIE_HALO;
    const int y = (int)blockIdx.y * (DIE_BY - 2 * DIE_HALO) + ty - DIE_HALO;
    const int xc = min(max(x, 0), width - 1);
    const int yc = min(max(y, 0), height - 1);
    const float source = 0.05f * __half2float(watts[yc * width + xc]);
    now[ty][tx] = celsius[yc * width + xc];
    __syncthreads();

    // insulated rim: a neighbour outside the die is the cell itself
    const int west = x <= 0 ? tx : tx - 1, east = x >= width - 1 ? tx : tx + 1;
    const int north = y <= 0 ? ty : ty - 1, south = y >= height - 1 ? ty : ty + 1;
    const bool on_die = x >= 0 && x < width && y >= 0 && y < height;

    if (on_die && tx >= 1 && tx < DIE_BX - 1 && ty >= 1 && ty < DIE_BY - 1) {
        float c = now[ty][tx];
        next[ty][tx] = c + source + gx * (now[ty][west] + now[ty][east] - 2.f * c)
                     + gy * (now[north][tx] + now[south][tx] - 2.f * c) + gz * (ambient - c);
    }
    __syncthreads();
    if (on_die && tx >= 2 && tx < DIE_BX - 2 && ty >= 2 && ty < DIE_BY - 2) {
        float c = next[ty][tx];
        after[y * width + x] = c + source + gx * (next[ty][west] + next[ty][east] - 2.f * c)
                             + gy * (next[north][tx] + next[south][tx] - 2.f * c) + gz * (ambient - c);
    }
}

#define QLEN 128
#define TLEN 384
#define RESIDUES 20

/* kmutate launch
   int pairs = 2048;
   dim3 block = { QLEN }, grid = { pairs };
   uint8_t queries[pairs * QLEN] = randint(0, RESIDUES);
   uint8_t targets[pairs * TLEN] = randint(0, RESIDUES);
   int8_t similarity[RESIDUES * RESIDUES] = randint(-4, 6);
   uint8_t moves[pairs * (QLEN + TLEN - 1) * QLEN] = zeros();
   int best[pairs] = zeros();
   local_alignment_of_sequence_pairs_along_antidiagonals(queries, targets, similarity, moves, best, 3);
*/
__global__ void local_alignment_of_sequence_pairs_along_antidiagonals(const uint8_t *queries, const uint8_t *targets,
                                                                      const int8_t *similarity, uint8_t *moves,
                                                                      int *best, int gap)
{
    __shared__ int edge[2][QLEN + 1];
    __shared__ int table[RESIDUES * RESIDUES];
    __shared__ uint8_t target[TLEN];
    __shared__ int top;

    const int t = threadIdx.x;
    for (int i = t; i < RESIDUES * RESIDUES; i += QLEN)
        table[i] = similarity[i];
    for (int i = t; i < TLEN; i += QLEN)
        target[i] = targets[blockIdx.x * TLEN + i];
    edge[0][t + 1] = 0;
    edge[1][t + 1] = 0;
    if (t == 0) {
        edge[0][0] = 0;
        edge[1][0] = 0;
        top = 0;
    }
    const int *scores = table + RESIDUES * queries[blockIdx.x * QLEN + t];
    uint8_t *trail = moves + (size_t)blockIdx.x * (QLEN + TLEN - 1) * QLEN + t;
    __syncthreads();

    int mine = 0, corner = 0, high = 0;
    for (int d = 0; d < QLEN + TLEN - 1; ++d) {
        int up = edge[d & 1][t];          // row above on the diagonal before
        int col = d - t;
        if (col >= 0 && col < TLEN) {
            int diag = corner + scores[target[col]];
            int v = 0;
            uint8_t move = 0;
            if (diag > v) { v = diag; move = 1; }
            if (up - gap > v) { v = up - gap; move = 2; }
            if (mine - gap > v) { v = mine - gap; move = 3; }
            trail[d * QLEN] = move;
            mine = v;
            high = max(high, v);
        }
        corner = up;
        edge[(d + 1) & 1][t + 1] = mine;
        __syncthreads();
    }
    atomicMax(&top, high);
    __syncthreads();
    if (t == 0)
        best[blockIdx.x] = top;
}

#define NEAR_K 5
#define SITE_TILE 256

/* kmutate launch
   int requests = 49152, sites = 6144;
   dim3 block = { 192 }, grid = { (requests + 191) / 192 };
   float px[requests] = uniform(0, 100);
   float py[requests] = uniform(0, 100);
   float pz[requests] = uniform(0, 10);
   float4 site[sites] = uniform(0, 100);
   int nearest[requests * NEAR_K] = zeros();
   float distance[requests * NEAR_K] = zeros();
   five_nearest_sites_by_weighted_taxicab_distance(px, py, pz, site, nearest, distance, requests, sites);
*/
__global__ void five_nearest_sites_by_weighted_taxicab_distance(const float *px, const float *py, const float *pz,
                                                                const float4 *__restrict__ site, int *nearest,
                                                                float *distance, int requests, int sites)
{
    __shared__ float4 tile[SITE_TILE];
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    const bool live = q < requests;
    const float x = live ? px[q] : 0.f, y = live ? py[q] : 0.f, z = live ? pz[q] : 0.f;
    float d[NEAR_K];
    int id[NEAR_K];
#pragma unroll
    for (int k = 0; k < NEAR_K; ++k) {
        d[k] = 3.0e38f;
        id[k] = -1;
    }

    for (int base = 0; base < sites; base += SITE_TILE) {
        int count = min(SITE_TILE, sites - base);
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += blockDim.x)
            tile[i] = site[base + i];
        __syncthreads();
        for (int i = 0; i < count; ++i) {
            float4 s = tile[i];
            float r = fabsf(s.x - x) + fabsf(s.y - y) + 4.0f * fabsf(s.z - z) + 0.01f * s.w;
            if (r < d[NEAR_K - 1]) {
                d[NEAR_K - 1] = r;
                id[NEAR_K - 1] = base + i;
#pragma unroll
                for (int k = NEAR_K - 1; k > 0; --k)
                    if (d[k] < d[k - 1]) {
                        float td = d[k]; d[k] = d[k - 1]; d[k - 1] = td;
                        int ti = id[k]; id[k] = id[k - 1]; id[k - 1] = ti;
                    }
            }
        }
    }
    if (live)
        for (int k = 0; k < NEAR_K; ++k) {
            nearest[q * NEAR_K + k] = id[k];
            distance[q * NEAR_K + k] = d[k];
        }
}

#define FACILITY_DIM 48
#define FACILITY_MAX 64

/* kmutate launch
   int customers = 786432, facilities = FACILITY_MAX, candidate = 12345;
   dim3 block = { 256 }, grid = { (customers + 255) / 256 };
   float coord[FACILITY_DIM * customers] = uniform(0, 1);
   float weight[customers] = uniform(0.5, 2);
   float cost_now[customers] = uniform(4, 12);
   int serves[customers] = randint(0, FACILITY_MAX);
   float closing_gain[FACILITY_MAX] = zeros();
   float opening_gain[1] = zeros();
   uint8_t moves_over[customers] = zeros();
   gain_of_opening_candidate_facility_dimension_major(coord, weight, cost_now, serves, closing_gain, opening_gain,
                                                      moves_over, customers, facilities, candidate);
*/
__global__ void gain_of_opening_candidate_facility_dimension_major(const float *coord, const float *weight,
                                                                   const float *cost_now, const int *serves,
                                                                   float *closing_gain, float *opening_gain,
                                                                   uint8_t *moves_over, int customers, int facilities,
                                                                   int candidate)
{
    __shared__ float centre[FACILITY_DIM];
    __shared__ float closing[FACILITY_MAX];
    __shared__ float opening;
    int tid = threadIdx.x;
    if (tid < FACILITY_DIM)
        centre[tid] = coord[tid * customers + candidate];
    if (tid < facilities)
        closing[tid] = 0.0f;
    if (tid == 0)
        opening = 0.0f;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + tid;
    if (i < customers) {
        float dist = 0.0f;
        for (int k = 0; k < FACILITY_DIM; k++) {
            float diff = coord[k * customers + i] - centre[k];
            dist += diff * diff;
        }
        float change = weight[i] * dist - cost_now[i];
        if (change < 0.0f) {
            moves_over[i] = 1;
            atomicAdd(&opening, change);
        } else {
            moves_over[i] = 0;
            atomicAdd(&closing[serves[i]], change);
        }
    }
    __syncthreads();
    if (tid < facilities)
        atomicAdd(&closing_gain[tid], closing[tid]);
    if (tid == 0)
        atomicAdd(opening_gain, opening);
}

// position of the last key in a node of 64 that is not above the wanted one (0 if all are)
template <typename Key>
__device__ __forceinline__ int slot_in_node(const Key *node, Key wanted)
{
    int at = 0;
#pragma unroll
    for (int step = 32; step > 0; step >>= 1)
        if (node[at + step] <= wanted)
            at += step;
    return at;
}

#define FAN 64

/* kmutate launch
   int lookups = 3 << 20;
   dim3 block = { 256 }, grid = { 1056 };
   unsigned root[FAN] = ascending(0, 1u << 31);
   unsigned inner[FAN * FAN] = ascending(0, 1u << 31);
   unsigned twigs[FAN * FAN * FAN] = ascending(0, 1u << 31);
   unsigned leaves[FAN * FAN * FAN * FAN] = ascending(0, 1u << 31);
   uint64_t records[FAN * FAN * FAN * FAN] = randint(0, 1 << 30);
   unsigned wanted[lookups] = randint(0, 1u << 31);
   uint64_t found[lookups] = zeros();
   point_lookups_in_four_level_search_tree(root, inner, twigs, leaves, records, wanted, found, lookups);
*/
__global__ void point_lookups_in_four_level_search_tree(const unsigned *__restrict__ root,
                                                        const unsigned *__restrict__ inner,
                                                        const unsigned *__restrict__ twigs,
                                                        const unsigned *__restrict__ leaves,
                                                        const uint64_t *__restrict__ records,
                                                        const unsigned *__restrict__ wanted,
                                                        uint64_t *__restrict__ found, int lookups)
{
    __shared__ unsigned top[FAN + FAN * FAN];
    for (int i = threadIdx.x; i < FAN; i += blockDim.x)
        top[i] = root[i];
    for (int i = threadIdx.x; i < FAN * FAN; i += blockDim.x)
        top[FAN + i] = inner[i];
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < lookups; i += gridDim.x * blockDim.x) {
        const unsigned key = wanted[i];
        int node = slot_in_node(top, key);
        node = node * FAN + slot_in_node(top + FAN + node * FAN, key);
        node = node * FAN + slot_in_node(twigs + node * FAN, key);
        node = node * FAN + slot_in_node(leaves + node * FAN, key);
        found[i] = records[node] + (leaves[node] == key ? 1ull << 40 : 0ull);
    }
}

#define DISK_POINTS 61
__constant__ int8_t c_disk_dx[DISK_POINTS];
__constant__ int8_t c_disk_dy[DISK_POINTS];

/* kmutate launch
   int particles = 524288, width = 1536, height = 1024;
   dim3 block = { 256 }, grid = { (particles + 255) / 256 };
   extern int8_t c_disk_dx[DISK_POINTS] = randint(-5, 6);
   extern int8_t c_disk_dy[DISK_POINTS] = randint(-5, 6);
   uint8_t frame[width * height] = randint(0, 256);
   float where_x[particles] = uniform(0, 1536);
   float where_y[particles] = uniform(0, 1024);
   float belief[particles] = fill(0.0001);
   double block_sum[grid.x] = zeros();
   reweigh_tracking_particles_by_disk_likelihood(frame, where_x, where_y, belief, block_sum, particles, width, height);
*/
__global__ void reweigh_tracking_particles_by_disk_likelihood(const uint8_t *__restrict__ frame, const float *where_x,
                                                              const float *where_y, float *belief, double *block_sum,
                                                              int particles, int width, int height)
{
    __shared__ double warp_sum[8];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double w = 0.0;
    if (i < particles) {
        int cx = __float2int_rd(where_x[i]);
        int cy = __float2int_rd(where_y[i]);
        int loglik = 0;
        for (int k = 0; k < DISK_POINTS; ++k) {
            int x = min(max(cx + c_disk_dx[k], 0), width - 1);
            int y = min(max(cy + c_disk_dy[k], 0), height - 1);
            int v = frame[y * width + x];
            loglik += (v - 100) * (v - 100) - (v - 228) * (v - 228);
        }
        float l = loglik / (50.0f * DISK_POINTS * 50.0f);
        float b = belief[i] * expf(l);
        belief[i] = b;
        w = b;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        w += __shfl_down_sync(0xffffffff, w, offset);
    if ((threadIdx.x & 31) == 0)
        warp_sum[threadIdx.x >> 5] = w;
    __syncthreads();
    if (threadIdx.x == 0) {
        double s = 0;
        for (int k = 0; k < (int)blockDim.x / 32; ++k)
            s += warp_sum[k];
        block_sum[blockIdx.x] = s;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Training of a language model
// ---------------------------------------------------------------------------------------------------------------------

template <int WIDTH>
__device__ __forceinline__ float sum_over_lanes(float v)
{
#pragma unroll
    for (int m = WIDTH / 2; m > 0; m >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, m);
    return v;
}

template <int WIDTH>
__device__ __forceinline__ float max_over_lanes(float v)
{
#pragma unroll
    for (int m = WIDTH / 2; m > 0; m >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, m));
    return v;
}

#define LN_C 1024
#define LN_PAIRS (LN_C / 64)

/* kmutate launch
   int rows = 20480;
   dim3 block = { 256 }, grid = { 264 };
   __nv_bfloat16 d_out[rows * LN_C] = normal(0, 0.1);
   __nv_bfloat16 input[rows * LN_C] = normal();
   float gain[LN_C] = uniform(0.8, 1.2);
   float mean[rows] = uniform(-0.05, 0.05);
   float rstd[rows] = uniform(0.9, 1.1);
   __nv_bfloat16 d_input[rows * LN_C] = normal(0, 0.1);
   float d_gain[LN_C] = zeros();
   float d_bias[LN_C] = zeros();
   layer_norm_gradients_with_register_column_sums((__nv_bfloat162 *)d_out, (__nv_bfloat162 *)input, (float2 *)gain, mean, rstd,
                                                  (__nv_bfloat162 *)d_input, d_gain, d_bias, rows);
*/
__global__ void __launch_bounds__(256)
layer_norm_gradients_with_register_column_sums(const __nv_bfloat162 *__restrict__ d_out,
                                               const __nv_bfloat162 *__restrict__ input,
                                               const float2 *__restrict__ gain, const float *__restrict__ mean,
                                               const float *__restrict__ rstd, __nv_bfloat162 *__restrict__ d_input,
                                               float *d_gain, float *d_bias, int rows)
{
    __shared__ float gain_sum[LN_C];
    __shared__ float bias_sum[LN_C];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int c = threadIdx.x; c < LN_C; c += blockDim.x) {
        gain_sum[c] = 0.f;
        bias_sum[c] = 0.f;
    }

    float2 dg[LN_PAIRS], db[LN_PAIRS];
#pragma unroll
    for (int j = 0; j < LN_PAIRS; ++j)
        dg[j] = db[j] = make_float2(0.f, 0.f);

    for (int row = blockIdx.x * 8 + warp; row < rows; row += gridDim.x * 8) {
        const size_t base = (size_t)row * (LN_C / 2) + lane;
        const float mu = mean[row], rs = rstd[row];
        float s_dn = 0.f, s_dn_n = 0.f;
#pragma unroll
        for (int j = 0; j < LN_PAIRS; ++j) {
            float2 dy = __bfloat1622float2(d_out[base + j * 32]);
            float2 x = __bfloat1622float2(input[base + j * 32]);
            float2 g = gain[lane + j * 32];
            float nx = (x.x - mu) * rs, ny = (x.y - mu) * rs;
            dg[j].x += dy.x * nx;
            dg[j].y += dy.y * ny;
            db[j].x += dy.x;
            db[j].y += dy.y;
            s_dn += dy.x * g.x + dy.y * g.y;
            s_dn_n += dy.x * g.x * nx + dy.y * g.y * ny;
        }
        s_dn = sum_over_lanes<32>(s_dn) * (1.0f / LN_C);
        s_dn_n = sum_over_lanes<32>(s_dn_n) * (1.0f / LN_C);
#pragma unroll 4
        for (int j = 0; j < LN_PAIRS; ++j) {
            float2 dy = __bfloat1622float2(d_out[base + j * 32]);
            float2 x = __bfloat1622float2(input[base + j * 32]);
            float2 g = gain[lane + j * 32];
            float2 acc = __bfloat1622float2(d_input[base + j * 32]);
            acc.x += (dy.x * g.x - s_dn - (x.x - mu) * rs * s_dn_n) * rs;
            acc.y += (dy.y * g.y - s_dn - (x.y - mu) * rs * s_dn_n) * rs;
            d_input[base + j * 32] = __float22bfloat162_rn(acc);
        }
    }

    __syncthreads();
    // one warp after the other adds its sums, so that no atomics are needed in the block
    for (int w = 0; w < 8; ++w) {
        if (w == warp) {
#pragma unroll
            for (int j = 0; j < LN_PAIRS; ++j) {
                int c = 2 * (lane + j * 32);
                gain_sum[c] += dg[j].x;
                gain_sum[c + 1] += dg[j].y;
                bias_sum[c] += db[j].x;
                bias_sum[c + 1] += db[j].y;
            }
        }
        __syncthreads();
    }
    for (int c = threadIdx.x; c < LN_C; c += blockDim.x) {
        atomicAdd(d_gain + c, gain_sum[c]);
        atomicAdd(d_bias + c, bias_sum[c]);
    }
}

/* kmutate launch
   int tokens = 3072, vocab = 32000, stride = 32128;
   dim3 block = { 512 }, grid = { tokens };
   __nv_bfloat16 logits[tokens * stride] = normal(0, 2);
   int labels[tokens] = randint(0, 32000);
   float losses[tokens] = zeros();
   cross_entropy_loss_and_logit_gradient_in_place((uint4 *)logits, labels, losses, vocab, stride, 1.0f / 3072);
*/
__global__ void __launch_bounds__(512)
cross_entropy_loss_and_logit_gradient_in_place(uint4 *logits, const int *labels, float *losses, int vocab, int stride,
                                               float d_loss)
{
    __shared__ float part_max[16], part_sum[16];
    const int token = blockIdx.x;
    uint4 *row = logits + (size_t)token * (stride / 8);
    const int label = labels[token];

    // running maximum and the sum of exponentials below it
    float m = -3.0e38f, s = 0.f;
    for (int v = threadIdx.x; v < vocab / 8; v += 512) {
        uint4 pack = row[v];
        const __nv_bfloat162 *pair = reinterpret_cast<const __nv_bfloat162 *>(&pack);
        float x[8];
        float local = -3.0e38f;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 f = __bfloat1622float2(pair[k]);
            x[2 * k] = f.x;
            x[2 * k + 1] = f.y;
            local = fmaxf(local, fmaxf(f.x, f.y));
        }
        if (local > m) {
            s *= __expf(m - local);
            m = local;
        }
#pragma unroll
        for (int k = 0; k < 8; ++k)
            s += __expf(x[k] - m);
    }
    float wm = max_over_lanes<32>(m);
    s = sum_over_lanes<32>(s * __expf(m - wm));
    if ((threadIdx.x & 31) == 0) {
        part_max[threadIdx.x >> 5] = wm;
        part_sum[threadIdx.x >> 5] = s;
    }
    __syncthreads();
    float pm = part_max[threadIdx.x & 15];
    float row_max = max_over_lanes<16>(pm);
    float row_sum = sum_over_lanes<16>(part_sum[threadIdx.x & 15] * __expf(pm - row_max));
    float inv = 1.0f / row_sum;

    for (int v = threadIdx.x; v < stride / 8; v += 512) {
        uint4 pack = row[v];
        __nv_bfloat162 *pair = reinterpret_cast<__nv_bfloat162 *>(&pack);
        if (v * 8 < vocab) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float2 f = __bfloat1622float2(pair[k]);
                int c = v * 8 + 2 * k;
                if (c == label)
                    losses[token] = __logf(row_sum) + row_max - f.x;
                if (c + 1 == label)
                    losses[token] = __logf(row_sum) + row_max - f.y;
                f.x = (__expf(f.x - row_max) * inv - (c == label ? 1.f : 0.f)) * d_loss;
                f.y = (__expf(f.y - row_max) * inv - (c + 1 == label ? 1.f : 0.f)) * d_loss;
                pair[k] = __float22bfloat162_rn(f);
            }
        } else {
            pack = make_uint4(0, 0, 0, 0);
        }
        row[v] = pack;
    }
}

__device__ __forceinline__ float gelu_by_tanh(float x)
{
    float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

#define MM_M 128
#define MM_N 64
#define MM_K 16

/* kmutate launch
   int tokens = 3072, channels = 640, hidden = 1536;
   dim3 block = { 256 }, grid = { hidden / MM_N, tokens / MM_M };
   float x[tokens * channels] = normal();
   float w[hidden * channels] = normal(0, 0.02);
   float bias[hidden] = normal(0, 0.02);
   half before[tokens * hidden] = zeros();
   half act[tokens * hidden] = zeros();
   feed_forward_matmul_register_tile_bias_gelu(x, w, bias, before, act, channels, hidden);
*/
__global__ void __launch_bounds__(256)
feed_forward_matmul_register_tile_bias_gelu(const float *__restrict__ x, const float *__restrict__ w,
                                            const float *__restrict__ bias, __half *__restrict__ before,
                                            __half *__restrict__ act, int channels, int hidden)
{
    __shared__ __align__(16) float xs[MM_K][MM_M + 4];
    __shared__ __align__(16) float ws[MM_K][MM_N + 4];
    const int t = threadIdx.x;
    const int m0 = blockIdx.y * MM_M, n0 = blockIdx.x * MM_N;
    const int tm = (t / 16) * 8, tn = (t % 16) * 4;
    const int lrow = t / 4, lcol = (t % 4) * 4;

    float acc[8][4] = {};
    const float *xp = x + (size_t)(m0 + lrow) * channels + lcol;
    const float *wp = w + (size_t)(n0 + lrow) * channels + lcol;
    float4 xa = *(const float4 *)xp;
    float4 xb = *(const float4 *)(xp + 64 * channels);
    float4 wa = *(const float4 *)wp;

    for (int k0 = 0; k0 < channels; k0 += MM_K) {
        xs[lcol + 0][lrow] = xa.x;
        xs[lcol + 1][lrow] = xa.y;
        xs[lcol + 2][lrow] = xa.z;
        xs[lcol + 3][lrow] = xa.w;
        xs[lcol + 0][lrow + 64] = xb.x;
        xs[lcol + 1][lrow + 64] = xb.y;
        xs[lcol + 2][lrow + 64] = xb.z;
        xs[lcol + 3][lrow + 64] = xb.w;
        ws[lcol + 0][lrow] = wa.x;
        ws[lcol + 1][lrow] = wa.y;
        ws[lcol + 2][lrow] = wa.z;
        ws[lcol + 3][lrow] = wa.w;
        __syncthreads();
        if (k0 + MM_K < channels) {
            xp += MM_K;
            wp += MM_K;
            xa = *(const float4 *)xp;
            xb = *(const float4 *)(xp + 64 * channels);
            wa = *(const float4 *)wp;
        }
#pragma unroll
        for (int k = 0; k < MM_K; ++k) {
            float4 a0 = *(const float4 *)&xs[k][tm];
            float4 a1 = *(const float4 *)&xs[k][tm + 4];
            float4 b = *(const float4 *)&ws[k][tn];
            const float av[8] = { a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w };
            const float bv[4] = { b.x, b.y, b.z, b.w };
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] = fmaf(av[i], bv[j], acc[i][j]);
        }
        __syncthreads();
    }

    float4 bb = *(const float4 *)&bias[n0 + tn];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        size_t at = (size_t)(m0 + tm + i) * hidden + n0 + tn;
        float p = acc[i][0] + bb.x, q = acc[i][1] + bb.y, r = acc[i][2] + bb.z, s = acc[i][3] + bb.w;
        __half2 *pre = (__half2 *)(before + at);
        __half2 *post = (__half2 *)(act + at);
        pre[0] = __floats2half2_rn(p, q);
        pre[1] = __floats2half2_rn(r, s);
        post[0] = __floats2half2_rn(gelu_by_tanh(p), gelu_by_tanh(q));
        post[1] = __floats2half2_rn(gelu_by_tanh(r), gelu_by_tanh(s));
    }
}

/* kmutate launch
   int heads = 84, seq = 1024;
   dim3 block = { 128 }, grid = { seq / 4, heads };
   half scores[heads * seq * seq] = normal(0, 3);
   half probs[heads * seq * seq] = zeros();
   causal_attention_probabilities_one_warp_per_query((half2 *)scores, (half2 *)probs, seq, 0.125f);
*/
__global__ void causal_attention_probabilities_one_warp_per_query(const __half2 *__restrict__ scores,
                                                                  __half2 *__restrict__ probs, int seq, float scale)
{
    const int lane = threadIdx.x % 32;
    // late queries first, they have the most keys
    const int query = seq - 1 - (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
    if (query < 0)
        return;
    const int pairs = seq / 2;
    const size_t base = ((size_t)blockIdx.y * seq + query) * pairs;

    float top = -60000.0f, sum = 0.0f;
    for (int p = lane; 2 * p <= query; p += 32) {
        float2 v = __half22float2(scores[base + p]);
        float a = v.x * scale;
        float b = 2 * p + 1 <= query ? v.y * scale : -60000.0f;
        float higher = fmaxf(top, fmaxf(a, b));
        sum = sum * __expf(top - higher) + __expf(a - higher) + __expf(b - higher);
        top = higher;
    }
    float all = max_over_lanes<32>(top);
    sum = sum_over_lanes<32>(sum * __expf(top - all));
    float inv = 1.0f / sum;

    for (int p = lane; p < pairs; p += 32) {
        float2 r = make_float2(0.f, 0.f);
        if (2 * p <= query) {
            float2 v = __half22float2(scores[base + p]);
            r.x = __expf(v.x * scale - all) * inv;
            if (2 * p + 1 <= query)
                r.y = __expf(v.y * scale - all) * inv;
        }
        probs[base + p] = __float22half2_rn(r);
    }
}

__device__ __forceinline__ uint32_t mix_bits(uint32_t v, uint32_t seed)
{
    v ^= seed;
    v *= 0x85ebca6bu;
    v ^= v >> 13;
    v *= 0xc2b2ae35u;
    return v ^ (v >> 16);
}

__device__ __forceinline__ unsigned short round_by_chance(float f, uint32_t random)
{
    return (unsigned short)((__float_as_uint(f) + (random & 0xffffu)) >> 16);
}

/* kmutate launch
   int pairs = 13000000;
   dim3 block = { 512 }, grid = { (pairs + 511) / 512 };
   __nv_bfloat162 weights[pairs] = normal(0, 0.05);
   __nv_bfloat162 grads[pairs] = normal(0, 0.01);
   __nv_bfloat162 first[pairs] = normal(0, 0.01);
   float2 second[pairs] = uniform(0.0001, 0.001);
   decoupled_decay_adam_step_with_stochastic_bf16_rounding((ushort2 *)weights, grads, first, second, pairs, 0.0003f, 0.9f, 0.95f,
                                                           0.1f, 0.2f, 1e-8f, 0.1f, 77u);
*/
__global__ void decoupled_decay_adam_step_with_stochastic_bf16_rounding(ushort2 *weights, const __nv_bfloat162 *grads,
                                                                        __nv_bfloat162 *first, float2 *second,
                                                                        int pairs, float rate, float beta1,
                                                                        float beta2, float correct1, float correct2,
                                                                        float eps, float decay, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    float2 g = __bfloat1622float2(grads[i]);
    float2 m = __bfloat1622float2(first[i]);
    float2 v = second[i];
    ushort2 raw = weights[i];
    float wx = __uint_as_float((unsigned)raw.x << 16);
    float wy = __uint_as_float((unsigned)raw.y << 16);

    m.x = beta1 * m.x + (1.0f - beta1) * g.x;
    m.y = beta1 * m.y + (1.0f - beta1) * g.y;
    v.x = beta2 * v.x + (1.0f - beta2) * g.x * g.x;
    v.y = beta2 * v.y + (1.0f - beta2) * g.y * g.y;
    first[i] = __float22bfloat162_rn(m);
    second[i] = v;

    wx -= rate * (m.x / correct1 / (sqrtf(v.x / correct2) + eps) + decay * wx);
    wy -= rate * (m.y / correct1 / (sqrtf(v.y / correct2) + eps) + decay * wy);
    uint32_t chance = mix_bits((uint32_t)i, seed);
    weights[i] = make_ushort2(round_by_chance(wx, chance), round_by_chance(wy, chance >> 16));
}

/* kmutate launch
   int batch = 28, seq = 1024, channels = 768, vocab = 50257;
   dim3 block = { 192 }, grid = { channels / 192, seq };
   float d_embedded[batch * seq * channels] = normal(0, 0.01);
   int tokens[batch * seq] = randint(0, 50257);
   float d_token[vocab * channels] = zeros();
   float d_position[seq * channels] = zeros();
   scatter_embedding_gradients_to_tokens_and_positions(d_embedded, tokens, d_token, d_position, batch, seq, channels);
*/
__global__ void scatter_embedding_gradients_to_tokens_and_positions(const float *d_embedded, const int *tokens,
                                                                    float *d_token, float *d_position, int batch,
                                                                    int seq, int channels)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int t = blockIdx.y;
    if (c >= channels)
        return;
    float sum = 0.0f;
    for (int b = 0; b < batch; b++) {
        float g = d_embedded[((size_t)b * seq + t) * channels + c];
        int token = tokens[b * seq + t];
        atomicAdd(&d_token[(size_t)token * channels + c], g);
        sum += g;
    }
    d_position[t * channels + c] += sum;
}
