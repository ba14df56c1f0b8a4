#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

struct ElasticNode {
    float x, y, z;
    float u, v, w;
};

/* kmutate launch
   int elements = 700000, nodes = 140000;
   dim3 grid = { (elements + 127) / 128 }, block = { 128 };
   struct ElasticNode { float x, y, z; float u, v, w; };
   ElasticNode node[nodes] = uniform(0, 1);
   int corner_a[elements] = ascending(0, nodes - 5000);
   int corner_b[elements] = ascending(60, nodes - 4900);
   int corner_c[elements] = ascending(2300, nodes - 2600);
   int corner_d[elements] = ascending(4900, nodes - 1);
   float stiffness[elements] = uniform(0.5, 2);
   float force[nodes * 3] = zeros();
   elastic_nodal_forces_of_linear_tetrahedra_gather_and_scatter_add(node, corner_a, corner_b, corner_c, corner_d, stiffness, force, elements, 0.3f);
*/
__global__ void __launch_bounds__(128) elastic_nodal_forces_of_linear_tetrahedra_gather_and_scatter_add(
    const ElasticNode *__restrict__ node, const int *__restrict__ corner_a, const int *__restrict__ corner_b,
    const int *__restrict__ corner_c, const int *__restrict__ corner_d, const float *__restrict__ stiffness,
    float *__restrict__ force, int elements, float poisson)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elements) return;

    const int id[4] = {corner_a[e], corner_b[e], corner_c[e], corner_d[e]};
    ElasticNode p[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) p[k] = node[id[k]];

    // Edge vectors from corner 0 and the inverse of their matrix.
    const float ax = p[1].x - p[0].x, ay = p[1].y - p[0].y, az = p[1].z - p[0].z;
    const float bx = p[2].x - p[0].x, by = p[2].y - p[0].y, bz = p[2].z - p[0].z;
    const float cx = p[3].x - p[0].x, cy = p[3].y - p[0].y, cz = p[3].z - p[0].z;
    float g[4][3];
    g[1][0] = by * cz - bz * cy;
    g[1][1] = bz * cx - bx * cz;
    g[1][2] = bx * cy - by * cx;
    g[2][0] = cy * az - cz * ay;
    g[2][1] = cz * ax - cx * az;
    g[2][2] = cx * ay - cy * ax;
    g[3][0] = ay * bz - az * by;
    g[3][1] = az * bx - ax * bz;
    g[3][2] = ax * by - ay * bx;
    const float det = ax * g[1][0] + ay * g[1][1] + az * g[1][2];
    if (fabsf(det) < 1e-5f) return;
    const float inverse = 1.f / det;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        g[1][d] *= inverse;
        g[2][d] *= inverse;
        g[3][d] *= inverse;
        g[0][d] = -g[1][d] - g[2][d] - g[3][d];
    }

    float h[3][3] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            h[0][d] += p[k].u * g[k][d];
            h[1][d] += p[k].v * g[k][d];
            h[2][d] += p[k].w * g[k][d];
        }
    }

    const float young = stiffness[e];
    const float mu = young / (2.f * (1.f + poisson));
    const float lambda = young * poisson / ((1.f + poisson) * (1.f - 2.f * poisson));
    const float volume = fabsf(det) * (1.f / 6.f);
    const float pressure = lambda * (h[0][0] + h[1][1] + h[2][2]);
    const float sxx = volume * (2.f * mu * h[0][0] + pressure);
    const float syy = volume * (2.f * mu * h[1][1] + pressure);
    const float szz = volume * (2.f * mu * h[2][2] + pressure);
    const float sxy = volume * mu * (h[0][1] + h[1][0]);
    const float sxz = volume * mu * (h[0][2] + h[2][0]);
    const float syz = volume * mu * (h[1][2] + h[2][1]);

#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float *f = force + 3 * id[k];
        atomicAdd(f + 0, -(sxx * g[k][0] + sxy * g[k][1] + sxz * g[k][2]));
        atomicAdd(f + 1, -(sxy * g[k][0] + syy * g[k][1] + syz * g[k][2]));
        atomicAdd(f + 2, -(sxz * g[k][0] + syz * g[k][1] + szz * g[k][2]));
    }
}

struct WaterState {
    double h, hu, hv;
};

__device__ __forceinline__ WaterState local_lax_friedrichs_flux(const WaterState &l, const WaterState &r, double nx,
                                                                double ny, double gravity)
{
    const double length = sqrt(nx * nx + ny * ny) + 1e-12;
    const double unl = (l.hu * nx + l.hv * ny) / l.h;
    const double unr = (r.hu * nx + r.hv * ny) / r.h;
    const double speed_l = fabs(unl) + sqrt(gravity * l.h) * length;
    const double speed_r = fabs(unr) + sqrt(gravity * r.h) * length;
    const double speed = fmax(speed_l, speed_r);
    const double pl = 0.5 * gravity * l.h * l.h, pr = 0.5 * gravity * r.h * r.h;
    WaterState f;
    f.h = 0.5 * (l.h * unl + r.h * unr - speed * (r.h - l.h));
    f.hu = 0.5 * (l.hu * unl + r.hu * unr + (pl + pr) * nx - speed * (r.hu - l.hu));
    f.hv = 0.5 * (l.hv * unl + r.hv * unr + (pl + pr) * ny - speed * (r.hv - l.hv));
    return f;
}

/* kmutate launch
   int cells = 500000;
   dim3 grid = { (cells + 255) / 256 }, block = { 256 };
   double h[cells] = uniform(1, 3), hu[cells] = uniform(-1, 1), hv[cells] = uniform(-1, 1);
   int neighbour0[cells] = ascending(-1500, cells - 2000);
   int neighbour1[cells] = ascending(-700, cells - 1);
   int neighbour2[cells] = ascending(900, cells - 1);
   double normal_x[cells * 3] = uniform(-1, 1);
   double normal_y[cells * 3] = uniform(-1, 1);
   double inverse_area[cells] = uniform(0.8, 1.2);
   double out_h[cells] = zeros(), out_hu[cells] = zeros(), out_hv[cells] = zeros();
   flood_wave_finite_volume_step_on_triangles_fp64(h, hu, hv, neighbour0, neighbour1, neighbour2, normal_x, normal_y, inverse_area, out_h, out_hu, out_hv, cells, 9.81, 0.001);
*/
__global__ void flood_wave_finite_volume_step_on_triangles_fp64(
    const double *h, const double *hu, const double *hv, const int *neighbour0, const int *neighbour1,
    const int *neighbour2, const double *normal_x, const double *normal_y, const double *inverse_area, double *out_h,
    double *out_hu, double *out_hv, int cells, double gravity, double dt)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) return;

    WaterState here;
    here.h = h[c];
    here.hu = hu[c];
    here.hv = hv[c];
    double rate_h = 0, rate_hu = 0, rate_hv = 0;
    for (int side = 0; side < 3; ++side) {
        const int other = side == 0 ? neighbour0[c] : side == 1 ? neighbour1[c] : neighbour2[c];
        const double nx = normal_x[side * cells + c];
        const double ny = normal_y[side * cells + c];
        WaterState there;
        if (other >= 0) {
            there.h = h[other];
            there.hu = hu[other];
            there.hv = hv[other];
        } else {  // solid wall: mirror the momentum
            const double twice = 2.0 * (here.hu * nx + here.hv * ny) / (nx * nx + ny * ny + 1e-12);
            there.h = here.h;
            there.hu = here.hu - twice * nx;
            there.hv = here.hv - twice * ny;
        }
        const WaterState f = local_lax_friedrichs_flux(here, there, nx, ny, gravity);
        rate_h += f.h;
        rate_hu += f.hu;
        rate_hv += f.hv;
    }
    const double factor = dt * inverse_area[c];
    out_h[c] = here.h - factor * rate_h;
    out_hu[c] = here.hu - factor * rate_hu;
    out_hv[c] = here.hv - factor * rate_hv;
}

__constant__ float acoustic_weight[5];

/* kmutate launch
   int nx = 392, ny = 264, nz = 200, depth = 48;
   dim3 grid = { (nx - 8) / 32, (ny - 8) / 8, (nz - 8) / depth }, block = { 32, 8 };
   extern float acoustic_weight[5] = { -2.8472, 1.6, -0.2, 0.0254, -0.0018 };
   float pressure[nx * ny * nz] = uniform(-1, 1);
   float previous[nx * ny * nz] = uniform(-1, 1);
   float velocity2[nx * ny * nz] = uniform(0.05, 0.15);
   seismic_wave_eighth_order_update_with_depth_queue_and_sponge(pressure, previous, velocity2, nx, ny, nz, depth);
*/
__global__ void __launch_bounds__(256) seismic_wave_eighth_order_update_with_depth_queue_and_sponge(
    const float *__restrict__ pressure, float *__restrict__ previous, const float *__restrict__ velocity2, int nx,
    int ny, int nz, int depth)
{
    constexpr int R = 4;
    __shared__ float tile[8 + 2 * R][32 + 2 * R];
    const int tx = threadIdx.x + R, ty = threadIdx.y + R;
    const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    const int first = blockIdx.z * depth + R;
    const int plane = nx * ny;
    int at = first * plane + y * nx + x;

    float queue[2 * R + 1];
#pragma unroll
    for (int k = 0; k < 2 * R; ++k) queue[k + 1] = pressure[at + (k - R) * plane];

    const int edge_xy = min(min(x - R, nx - R - 1 - x), min(y - R, ny - R - 1 - y));
    for (int z = first; z < first + depth; ++z, at += plane) {
#pragma unroll
        for (int k = 0; k < 2 * R; ++k) queue[k] = queue[k + 1];
        queue[2 * R] = pressure[at + R * plane];

        __syncthreads();
        tile[ty][tx] = queue[R];
        if (threadIdx.x < R) {
            tile[ty][threadIdx.x] = pressure[at - R];
            tile[ty][tx + 32] = pressure[at + 32];
        }
        if (threadIdx.y < R) {
            tile[threadIdx.y][tx] = pressure[at - R * nx];
            tile[ty + 8][tx] = pressure[at + 8 * nx];
        }
        __syncthreads();

        float laplacian = 3.f * acoustic_weight[0] * queue[R];
#pragma unroll
        for (int k = 1; k <= R; ++k)
            laplacian += acoustic_weight[k] * (tile[ty][tx - k] + tile[ty][tx + k] + tile[ty - k][tx] +
                                               tile[ty + k][tx] + queue[R - k] + queue[R + k]);
        float next = 2.f * queue[R] - previous[at] + velocity2[at] * laplacian;
        const int edge = min(edge_xy, min(z - R, nz - R - 1 - z));
        if (edge < 16) {
            const float s = 0.02f * (16 - edge);
            next *= __expf(-s * s);
        }
        previous[at] = next;
    }
}

/* kmutate launch
   int atoms = 120000, slots = 96;
   dim3 grid = { (atoms + 7) / 8 }, block = { 256 };
   float4 position[atoms] = uniform(0, 22);
   uint8_t species[atoms] = randint(0, 3);
   int neighbours[atoms * slots] = ascending(0, atoms - 1);
   int count[atoms] = randint(56, 95);
   float pair_table[48] = uniform(0.5, 2);
   float4 force[atoms] = zeros();
   ionic_melt_forces_warp_per_atom_over_padded_neighbour_rows(position, species, neighbours, count, pair_table, force, atoms, slots, 22.f, 100.f);
*/
__global__ void ionic_melt_forces_warp_per_atom_over_padded_neighbour_rows(
    const float4 *__restrict__ position, const uint8_t *__restrict__ species, const int *__restrict__ neighbours,
    const int *__restrict__ count, const float *__restrict__ pair_table, float4 *__restrict__ force, int atoms,
    int slots, float box, float cutoff2)
{
    // Four species, three numbers a pair: repulsion, inverse range, dispersion.
    __shared__ float table[48];
    if (threadIdx.x < 48) table[threadIdx.x] = pair_table[threadIdx.x];
    __syncthreads();

    const int lane = threadIdx.x & 31;
    const int i = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (i >= atoms) return;
    const float4 me = position[i];
    const int kind = (species[i] & 3) * 4;
    const float my_charge = me.w * 0.09f - 1.f;
    const float inverse_box = 1.f / box;
    const int n = count[i];
    const int *row = neighbours + (size_t)i * slots;

    float fx = 0.f, fy = 0.f, fz = 0.f, energy = 0.f;
    for (int k = lane; k < n; k += 32) {
        const int j = row[k];
        const float4 other = position[j];
        float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        dx -= box * rintf(dx * inverse_box);
        dy -= box * rintf(dy * inverse_box);
        dz -= box * rintf(dz * inverse_box);
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (j == i || r2 >= cutoff2 || r2 < 0.25f) continue;

        const float *pair = table + 3 * (kind + (species[j] & 3));
        const float inverse_r = rsqrtf(r2);
        const float r = r2 * inverse_r;
        const float inverse_r2 = inverse_r * inverse_r;
        const float dispersion = pair[2] * inverse_r2 * inverse_r2 * inverse_r2;
        const float repulsion = pair[0] * __expf(-r * pair[1]);
        const float coulomb = my_charge * (other.w * 0.09f - 1.f) * inverse_r;
        const float scale =
            (repulsion * pair[1]) * inverse_r + (coulomb - 6.f * dispersion) * inverse_r2;
        fx += scale * dx;
        fy += scale * dy;
        fz += scale * dz;
        energy += repulsion - dispersion + coulomb;
    }
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) {
        fx += __shfl_down_sync(0xffffffffu, fx, step);
        fy += __shfl_down_sync(0xffffffffu, fy, step);
        fz += __shfl_down_sync(0xffffffffu, fz, step);
        energy += __shfl_down_sync(0xffffffffu, energy, step);
    }
    if (lane == 0) force[i] = make_float4(fx, fy, fz, 0.5f * energy);
}

struct PlasmaParticle {
    float x, y, z;
    float vx, vy, vz;
};

/* kmutate launch
   int tiles_x = 16, tiles_y = 16, tiles_z = 8, particles = 1500000;
   int tiles = tiles_x * tiles_y * tiles_z;
   dim3 grid = { tiles_x, tiles_y, tiles_z }, block = { 192 };
   struct PlasmaParticle { float x, y, z; float vx, vy, vz; };
   PlasmaParticle particle[particles] = uniform(0, 7.99);
   int first[tiles + 1] = ascending(0, particles - 1);
   float charge[(tiles_x * 8 + 1) * (tiles_y * 8 + 1) * (tiles_z * 8 + 1)] = zeros();
   float current[(tiles_x * 8 + 1) * (tiles_y * 8 + 1) * (tiles_z * 8 + 1)] = zeros();
   plasma_charge_and_axial_current_deposit_through_tile_accumulator(particle, first, charge, current, 0.125f);
*/
__global__ void plasma_charge_and_axial_current_deposit_through_tile_accumulator(
    const PlasmaParticle *__restrict__ particle, const int *__restrict__ first, float *__restrict__ charge,
    float *__restrict__ current, float macro_weight)
{
    constexpr int N = 9;
    __shared__ float rho[N * N * N];
    __shared__ float jz[N * N * N];
    for (int k = threadIdx.x; k < N * N * N; k += blockDim.x) {
        rho[k] = 0.f;
        jz[k] = 0.f;
    }
    __syncthreads();

    const int tile = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int end = first[tile + 1];
    for (int k = first[tile] + threadIdx.x; k < end; k += blockDim.x) {
        const float px = particle[k].x, py = particle[k].y, pz = particle[k].z;
        const float vz = particle[k].vz - 4.f;
        const int ix = min(max((int)px, 0), 7), iy = min(max((int)py, 0), 7), iz = min(max((int)pz, 0), 7);
        const float wx = px - ix, wy = py - iy, wz = pz - iz;
        for (int corner = 0; corner < 8; ++corner) {
            const int cx = corner & 1, cy = (corner >> 1) & 1, cz = corner >> 2;
            const float w = macro_weight * (cx ? wx : 1.f - wx) * (cy ? wy : 1.f - wy) * (cz ? wz : 1.f - wz);
            const int at = ((iz + cz) * N + iy + cy) * N + ix + cx;
            atomicAdd(&rho[at], w);
            atomicAdd(&jz[at], w * vz);
        }
    }
    __syncthreads();

    const int pitch_x = gridDim.x * 8 + 1, pitch_y = gridDim.y * 8 + 1;
    for (int k = threadIdx.x; k < N * N * N; k += blockDim.x) {
        if (rho[k] == 0.f) continue;
        const int x = k % N + blockIdx.x * 8;
        const int y = k / N % N + blockIdx.y * 8;
        const int z = k / (N * N) + blockIdx.z * 8;
        const int to = (z * pitch_y + y) * pitch_x + x;
        atomicAdd(&charge[to], rho[k]);
        atomicAdd(&current[to], jz[k]);
    }
}

/* kmutate launch
   int slices = 9000, total_width = 200000;
   int rows = slices * 32 - 11;
   dim3 grid = { (slices + 3) / 4 }, block = { 128 };
   int slice_start[slices + 1] = ascending(0, total_width);
   int column[total_width * 32] = ascending(0, rows - 1);
   double value[total_width * 32] = uniform(-1, 1);
   double x[rows] = uniform(-1, 1), b[rows] = uniform(-1, 1);
   int original_row[slices * 32] = permutation();
   double residual[slices * 32] = zeros();
   defect_of_sliced_padded_sparse_system_with_sorted_rows_fp64(slice_start, column, value, x, b, original_row, residual, slices, rows);
*/
__global__ void defect_of_sliced_padded_sparse_system_with_sorted_rows_fp64(
    const int *__restrict__ slice_start, const int *__restrict__ column, const double *__restrict__ value,
    const double *__restrict__ x, const double *__restrict__ b, const int *__restrict__ original_row,
    double *__restrict__ residual, int slices, int rows)
{
    const int lane = threadIdx.x & 31;
    const int slice = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (slice >= slices) return;
    const int begin = slice_start[slice], end = slice_start[slice + 1];

    double sum = 0.0;
#pragma unroll 4
    for (int k = begin; k < end; ++k) {
        const int entry = k * 32 + lane;
        sum += value[entry] * x[column[entry]];
    }
    const int row = original_row[slice * 32 + lane];
    if (row < rows) residual[row] = b[row] - sum;
}

/* kmutate launch
   int entries = 5000000, vertices = 400000;
   int per_warp = 256;
   int warps = (entries + per_warp - 1) / per_warp;
   dim3 grid = { (warps + 7) / 8 }, block = { 256 };
   int target[entries] = ascending(0, vertices - 1);
   int source[entries] = randint(0, vertices - 1);
   float weight[entries] = uniform(0, 1);
   float rank[vertices] = uniform(0, 1);
   float next[vertices] = zeros();
   citation_rank_spread_over_sorted_triples_by_segmented_scan(target, source, weight, rank, next, entries, per_warp, 0.85f);
*/
__global__ void citation_rank_spread_over_sorted_triples_by_segmented_scan(
    const int *__restrict__ target, const int *__restrict__ source, const float *__restrict__ weight,
    const float *__restrict__ rank, float *__restrict__ next, int entries, int per_warp, float damping)
{
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int begin = warp * per_warp;
    const int end = min(begin + per_warp, entries);

    for (int base = begin; base < end; base += 32) {
        const int e = base + lane;
        const bool alive = e < end;
        const int row = alive ? target[e] : -1;
        float sum = alive ? damping * weight[e] * rank[source[e]] : 0.f;

        // Inclusive scan that does not cross a change of row.
#pragma unroll
        for (int step = 1; step < 32; step <<= 1) {
            const float left = __shfl_up_sync(0xffffffffu, sum, step);
            const int left_row = __shfl_up_sync(0xffffffffu, row, step);
            if (lane >= step && left_row == row) sum += left;
        }
        const int right_row = __shfl_down_sync(0xffffffffu, row, 1);
        const bool last = lane == 31 || right_row != row;
        if (alive && last) atomicAdd(&next[row], sum);
    }
}

/* kmutate launch
   int ratings = 900000, users = 60000, items = 50000, rank = 48;
   dim3 grid = { (ratings + 255) / 256 }, block = { 256 };
   int user[ratings] = ascending(0, users - 1);
   int item[ratings] = randint(0, items - 1);
   float rating[ratings] = uniform(1, 5);
   half user_factor[users * rank] = uniform(-0.5, 0.5);
   half item_factor[items * rank] = uniform(-0.5, 0.5);
   float user_bias[users] = uniform(-0.5, 0.5), item_bias[items] = uniform(-0.5, 0.5);
   float error[ratings] = zeros();
   rating_error_of_half_latent_factors_thread_per_observation(user, item, rating, (half2 *)user_factor, (half2 *)item_factor, user_bias, item_bias, error, ratings, rank / 2, 3.4f);
*/
__global__ void rating_error_of_half_latent_factors_thread_per_observation(
    const int *user, const int *item, const float *rating, const half2 *user_factor, const half2 *item_factor,
    const float *user_bias, const float *item_bias, float *error, int ratings, int pairs, float global_mean)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ratings) return;
    const int u = user[i], v = item[i];
    float dot = global_mean + user_bias[u] + item_bias[v];
    for (int k = 0; k < pairs; ++k) {
        const float2 a = __half22float2(user_factor[u * pairs + k]);
        const float2 b = __half22float2(item_factor[v * pairs + k]);
        dot += a.x * b.x + a.y * b.y;
    }
    error[i] = rating[i] - fminf(fmaxf(dot, 1.f), 5.f);
}

/* kmutate launch
   int matrices = 16000;
   dim3 grid = { (matrices + 3) / 4 }, block = { 32, 4 };
   float a[matrices * 32 * 32] = uniform(-1, 1);
   float log_determinant[matrices] = zeros();
   local_covariance_factors_in_registers_with_log_determinant(a, log_determinant, matrices, 40.f);
*/
__global__ void __launch_bounds__(128) local_covariance_factors_in_registers_with_log_determinant(
    float *__restrict__ a, float *__restrict__ log_determinant, int matrices, float nugget)
{
    const int lane = threadIdx.x;
    const int m = blockIdx.x * blockDim.y + threadIdx.y;
    if (m >= matrices) return;
    float *mine = a + (size_t)m * 1024;

    // Column-major lower triangle; lane r keeps row r.
    float row[32];
#pragma unroll
    for (int j = 0; j < 32; ++j) {
        row[j] = lane >= j ? mine[j * 32 + lane] : 0.f;
        if (lane == j) row[j] += nugget;
    }

    float log_pivot = 0.f;
#pragma unroll
    for (int k = 0; k < 32; ++k) {
        const float pivot = __shfl_sync(0xffffffffu, row[k], k);
        const float inverse = rsqrtf(pivot);
        if (lane == k) log_pivot = __logf(pivot);
        row[k] *= inverse;
#pragma unroll
        for (int j = k + 1; j < 32; ++j) {
            const float ljk = __shfl_sync(0xffffffffu, row[k], j);
            row[j] -= row[k] * ljk;
        }
    }

#pragma unroll
    for (int j = 0; j < 32; ++j)
        if (lane >= j) mine[j * 32 + lane] = row[j];
    for (int step = 16; step > 0; step >>= 1) log_pivot += __shfl_xor_sync(0xffffffffu, log_pivot, step);
    if (lane == 0) log_determinant[m] = log_pivot;
}

/* kmutate launch
   int points = 4096, features = 80;
   int side = points / 64;
   dim3 grid = { side * (side + 1) / 2 }, block = { 16, 16 };
   float sample[points * features] = normal(0, 0.3);
   float similarity[points * points] = zeros();
   squared_exponential_similarity_lower_tiles_and_their_mirror(sample, similarity, points, features, 0.5f);
*/
__global__ void __launch_bounds__(256) squared_exponential_similarity_lower_tiles_and_their_mirror(
    const float *__restrict__ sample, float *__restrict__ similarity, int points, int features, float gamma)
{
    constexpr int K = 16, PITCH = 68;
    __shared__ __align__(16) float left[K][PITCH];
    __shared__ __align__(16) float right[K][PITCH];

    // The block number counts the tiles of the lower triangle row by row.
    int ti = (int)((sqrtf(8.f * blockIdx.x + 1.f) - 1.f) * 0.5f);
    while ((ti + 1) * (ti + 2) / 2 <= (int)blockIdx.x) ++ti;
    while (ti * (ti + 1) / 2 > (int)blockIdx.x) --ti;
    const int tj = blockIdx.x - ti * (ti + 1) / 2;

    const int t = threadIdx.y * 16 + threadIdx.x;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < features; k0 += K) {
        // 64 points times 16 features: four floats a thread.
        const int p = t >> 2, f = (t & 3) * 4;
        const float4 l = *(const float4 *)&sample[(ti * 64 + p) * features + k0 + f];
        const float4 r = *(const float4 *)&sample[(tj * 64 + p) * features + k0 + f];
        left[f + 0][p] = l.x;
        left[f + 1][p] = l.y;
        left[f + 2][p] = l.z;
        left[f + 3][p] = l.w;
        right[f + 0][p] = r.x;
        right[f + 1][p] = r.y;
        right[f + 2][p] = r.z;
        right[f + 3][p] = r.w;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < K; ++k) {
            const float4 a4 = *(const float4 *)&left[k][threadIdx.y * 4];
            const float4 b4 = *(const float4 *)&right[k][threadIdx.x * 4];
            const float a[4] = {a4.x, a4.y, a4.z, a4.w};
            const float b[4] = {b4.x, b4.y, b4.z, b4.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float d = a[i] - b[j];
                    acc[i][j] += d * d;
                }
            }
        }
        __syncthreads();
    }

    const int row = ti * 64 + threadIdx.y * 4, col = tj * 64 + threadIdx.x * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = __expf(-gamma * acc[i][j]);
        *(float4 *)&similarity[(size_t)(row + i) * points + col] =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
    if (ti == tj) return;
#pragma unroll
    for (int j = 0; j < 4; ++j)
        *(float4 *)&similarity[(size_t)(col + j) * points + row] =
            make_float4(acc[0][j], acc[1][j], acc[2][j], acc[3][j]);
}

__constant__ float tissue_scatter[6];
__constant__ float tissue_absorb[6];
__constant__ float tissue_bottom[6];

__device__ __forceinline__ float next_uniform(uint32_t &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 8) * (1.f / 16777216.f) + 2.9e-8f;
}

/* kmutate launch
   int photons = 163840, bins = 400;
   dim3 grid = { photons / 128 }, block = { 128 };
   int smem = bins * sizeof(float);
   extern float tissue_scatter[6] = { 40, 25, 60, 35, 30, 20 };
   extern float tissue_absorb[6] = { 8, 6, 14, 10, 5, 7 };
   extern float tissue_bottom[6] = { 0.05, 0.15, 0.25, 0.5, 0.8, 1.2 };
   float absorbed[bins] = zeros();
   float escaped[2] = zeros();
   photon_packets_through_layered_tissue_with_roulette_and_depth_tally(absorbed, escaped, bins, 0.85f, 1234567u);
*/
__global__ void photon_packets_through_layered_tissue_with_roulette_and_depth_tally(float *__restrict__ absorbed,
                                                                                    float *__restrict__ escaped,
                                                                                    int bins, float anisotropy,
                                                                                    unsigned seed)
{
    extern __shared__ float tally[];
    for (int k = threadIdx.x; k < bins; k += blockDim.x) tally[k] = 0.f;
    __syncthreads();

    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t rng = (id + 1u) * 2654435761u ^ seed;
    rng = rng ? rng : 1u;
    for (int warm = 0; warm < 4; ++warm) next_uniform(rng);

    const float bottom = tissue_bottom[5];
    const float g = anisotropy;
    float z = 0.f, ux = 0.f, uy = 0.f, uz = 1.f, weight = 1.f;
    float reflected = 0.f, transmitted = 0.f;
    for (int step = 0; step < 300; ++step) {
        int layer = 0;
        while (layer < 5 && z > tissue_bottom[layer]) ++layer;
        const float mu_s = tissue_scatter[layer], mu_a = tissue_absorb[layer];
        const float mu = mu_s + mu_a;
        z += uz * (-__logf(next_uniform(rng)) / mu);
        if (z < 0.f) {
            reflected = weight;
            break;
        }
        if (z >= bottom) {
            transmitted = weight;
            break;
        }
        const float lost = weight * mu_a / mu;
        weight -= lost;
        atomicAdd(&tally[min((int)(z / bottom * bins), bins - 1)], lost);

        // Henyey-Greenstein direction.
        const float q = (1.f - g * g) / (1.f - g + 2.f * g * next_uniform(rng));
        const float cos_t = fminf(fmaxf((1.f + g * g - q * q) / (2.f * g), -1.f), 1.f);
        const float sin_t = sqrtf(1.f - cos_t * cos_t);
        float sin_p, cos_p;
        __sincosf(6.2831853f * next_uniform(rng), &sin_p, &cos_p);
        if (fabsf(uz) > 0.9999f) {
            ux = sin_t * cos_p;
            uy = sin_t * sin_p;
            uz = copysignf(cos_t, cos_t * uz);
        } else {
            const float across = sqrtf(1.f - uz * uz);
            const float nx = sin_t * (ux * uz * cos_p - uy * sin_p) / across + ux * cos_t;
            const float ny = sin_t * (uy * uz * cos_p + ux * sin_p) / across + uy * cos_t;
            uz = -sin_t * cos_p * across + uz * cos_t;
            ux = nx;
            uy = ny;
        }
        if (weight < 0.01f) {
            if (next_uniform(rng) > 0.1f) break;
            weight *= 10.f;
        }
    }

    for (int s = 16; s > 0; s >>= 1) {
        reflected += __shfl_down_sync(0xffffffffu, reflected, s);
        transmitted += __shfl_down_sync(0xffffffffu, transmitted, s);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&escaped[0], reflected);
        atomicAdd(&escaped[1], transmitted);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < bins; k += blockDim.x)
        if (tally[k] != 0.f) atomicAdd(&absorbed[k], tally[k]);
}

__constant__ float2 two_qubit_unitary[16];

/* kmutate launch
   int qubits = 24, low = 2, high = 15;
   int groups = 1 << (qubits - 2);
   dim3 grid = { 132 * 8 }, block = { 256 };
   extern float2 two_qubit_unitary[16] = uniform(-0.5, 0.5);
   float2 amplitude[1 << qubits] = uniform(-1, 1);
   entangling_gate_on_state_vector_in_place_strided_over_groups(amplitude, groups, low, high);
*/
__global__ void entangling_gate_on_state_vector_in_place_strided_over_groups(float2 *__restrict__ amplitude,
                                                                             int groups, int low, int high)
{
    const int low_mask = (1 << low) - 1;
    const int middle_mask = (1 << (high - 1)) - 1;
    const int stride = gridDim.x * blockDim.x;
    for (int g = blockIdx.x * blockDim.x + threadIdx.x; g < groups; g += stride) {
        // Zeros are put in at the positions of the two qubits.
        const int lower = g & low_mask;
        const int middle = (g & middle_mask & ~low_mask) << 1;
        const int upper = (g & ~middle_mask) << 2;
        const int base = upper | middle | lower;
        const int at[4] = {base, base | 1 << low, base | 1 << high, base | 1 << low | 1 << high};

        float2 in[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) in[k] = amplitude[at[k]];
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            float2 sum = make_float2(0.f, 0.f);
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                const float2 m = two_qubit_unitary[r * 4 + c];
                sum.x += m.x * in[c].x - m.y * in[c].y;
                sum.y += m.x * in[c].y + m.y * in[c].x;
            }
            amplitude[at[r]] = sum;
        }
    }
}

__device__ float catmull_rom(float a, float b, float c, float d, float t)
{
    return b + 0.5f * t * (c - a + t * (2.f * a - 5.f * b + 4.f * c - d + t * (3.f * (b - c) + d - a)));
}

/* kmutate launch
   int longitudes = 720, latitudes = 361, levels = 36;
   dim3 grid = { (longitudes + 31) / 32, (latitudes + 3) / 4, levels }, block = { 32, 4 };
   short wind_east[longitudes * latitudes * levels] = randint(-30000, 30000);
   short wind_north[longitudes * latitudes * levels] = randint(-30000, 30000);
   float inverse_cosine[latitudes] = uniform(1, 3);
   float tracer[longitudes * latitudes * levels] = uniform(0, 1);
   float moved[longitudes * latitudes * levels] = zeros();
   trace_gas_carried_by_packed_winds_back_to_departure_points(wind_east, wind_north, inverse_cosine, tracer, moved, longitudes, latitudes, 4e-5f, 0.f);
*/
__global__ void trace_gas_carried_by_packed_winds_back_to_departure_points(
    const short *__restrict__ wind_east, const short *__restrict__ wind_north,
    const float *__restrict__ inverse_cosine, const float *__restrict__ tracer, float *__restrict__ moved,
    int longitudes, int latitudes, float scale, float offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= longitudes || j >= latitudes) return;
    const float *level = tracer + (size_t)blockIdx.z * longitudes * latitudes;
    const size_t at = ((size_t)blockIdx.z * latitudes + j) * longitudes + i;

    const float u = (wind_east[at] * scale + offset) * inverse_cosine[j];
    const float v = wind_north[at] * scale + offset;
    const float x = i - u;
    const float y = fminf(fmaxf(j - v, 0.f), latitudes - 1.f);
    const int x0 = (int)floorf(x), y0 = (int)floorf(y);
    const float tx = x - x0, ty = y - y0;

    float line[4];
    float low = 1e30f, high = -1e30f;
    for (int b = 0; b < 4; ++b) {
        const int yy = min(max(y0 + b - 1, 0), latitudes - 1);
        float p[4];
        for (int a = 0; a < 4; ++a) {
            int xx = x0 + a - 1;
            if (xx < 0) xx += longitudes;
            if (xx >= longitudes) xx -= longitudes;
            p[a] = level[yy * longitudes + xx];
        }
        if (b == 1 || b == 2) {
            low = fminf(low, fminf(p[1], p[2]));
            high = fmaxf(high, fmaxf(p[1], p[2]));
        }
        line[b] = catmull_rom(p[0], p[1], p[2], p[3], tx);
    }
    // No new extremes.
    moved[at] = fminf(fmaxf(catmull_rom(line[0], line[1], line[2], line[3], ty), low), high);
}

/* kmutate launch
   int pairs = 3000, pitch = 352;
   dim3 grid = { (pairs + 3) / 4 }, block = { 32, 4 };
   uint8_t query[pairs * 128] = randint(0, 19);
   uint8_t subject[pairs * pitch] = randint(0, 19);
   int subject_length[pairs] = randint(140, 350);
   int8_t substitution[400] = randint(-5, 4);
   int best_score[pairs] = zeros();
   protein_local_alignment_affine_gaps_warp_wavefront_of_four_row_strips(query, subject, subject_length, substitution, best_score, pairs, pitch, 11, 1);
*/
__global__ void protein_local_alignment_affine_gaps_warp_wavefront_of_four_row_strips(
    const uint8_t *__restrict__ query, const uint8_t *__restrict__ subject, const int *__restrict__ subject_length,
    const int8_t *__restrict__ substitution, int *__restrict__ best_score, int pairs, int pitch, int gap_open,
    int gap_extend)
{
    __shared__ int8_t matrix[20 * 20];
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 400; k += 128) matrix[k] = substitution[k];
    __syncthreads();

    const int lane = threadIdx.x;
    const int pair = blockIdx.x * blockDim.y + threadIdx.y;
    if (pair >= pairs) return;
    const uint8_t *text = subject + (size_t)pair * pitch;
    const int length = min(subject_length[pair], pitch);

    const uchar4 q = ((const uchar4 *)query)[pair * 32 + lane];
    const int letter[4] = {q.x * 20, q.y * 20, q.z * 20, q.w * 20};
    int h[4] = {0, 0, 0, 0};
    int e[4] = {-1000, -1000, -1000, -1000};
    int diagonal = 0, best = 0;
    int bottom_h = 0, bottom_f = -1000;

    for (int t = 0; t < length + 31; ++t) {
        // What the lane above left at the bottom of its strip in this column.
        int above = __shfl_up_sync(0xffffffffu, bottom_h, 1);
        int f = __shfl_up_sync(0xffffffffu, bottom_f, 1);
        if (lane == 0) {
            above = 0;
            f = -1000;
        }
        const int column = t - lane;
        if (column >= 0 && column < length) {
            const int8_t *score = matrix + text[column];
            const int next_diagonal = above;
            int corner = diagonal;
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                e[r] = max(e[r] - gap_extend, h[r] - gap_open);
                f = max(f - gap_extend, above - gap_open);
                const int here = max(max(corner + score[letter[r]], 0), max(e[r], f));
                corner = h[r];
                h[r] = here;
                above = here;
                best = max(best, here);
            }
            diagonal = next_diagonal;
            bottom_h = h[3];
            bottom_f = f;
        }
    }
    for (int step = 16; step > 0; step >>= 1) best = max(best, __shfl_xor_sync(0xffffffffu, best, step));
    if (lane == 0) best_score[pair] = best;
}

/* kmutate launch
   int tokens = 2000, vocabulary = 15360;
   dim3 grid = { tokens }, block = { 512 };
   __nv_bfloat16 logits[tokens * vocabulary] = normal(0, 2);
   int label[tokens] = randint(-300, vocabulary - 1);
   float loss[tokens] = zeros();
   token_loss_and_logit_gradient_in_place_bf16_with_smoothing((__nv_bfloat162 *)logits, label, loss, vocabulary / 2, 0.1f, 0.0005f);
*/
__global__ void __launch_bounds__(512) token_loss_and_logit_gradient_in_place_bf16_with_smoothing(
    __nv_bfloat162 *__restrict__ logits, const int *__restrict__ label, float *__restrict__ loss, int pairs,
    float smoothing, float gradient_scale)
{
    __shared__ float part_max[16], part_sum[16], part_raw[16];
    __nv_bfloat162 *row = logits + (size_t)blockIdx.x * pairs;
    const int target = label[blockIdx.x];
    if (target < 0) {  // padding
        for (int k = threadIdx.x; k < pairs; k += blockDim.x) row[k] = __float2bfloat162_rn(0.f);
        return;
    }

    float top = -1e30f, sum = 0.f, raw = 0.f;
    for (int k = threadIdx.x; k < pairs; k += blockDim.x) {
        const float2 v = __bfloat1622float2(row[k]);
        raw += v.x + v.y;
        const float larger = fmaxf(v.x, v.y);
        if (larger > top) {
            sum *= __expf(top - larger);
            top = larger;
        }
        sum += __expf(v.x - top) + __expf(v.y - top);
    }
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) {
        const float other_top = __shfl_xor_sync(0xffffffffu, top, step);
        const float other_sum = __shfl_xor_sync(0xffffffffu, sum, step);
        const float both = fmaxf(top, other_top);
        sum = sum * __expf(top - both) + other_sum * __expf(other_top - both);
        top = both;
        raw += __shfl_xor_sync(0xffffffffu, raw, step);
    }
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) {
        part_max[warp] = top;
        part_sum[warp] = sum;
        part_raw[warp] = raw;
    }
    __syncthreads();
    top = -1e30f;
    for (int w = 0; w < 16; ++w) top = fmaxf(top, part_max[w]);
    sum = 0.f;
    raw = 0.f;
    for (int w = 0; w < 16; ++w) {
        sum += part_sum[w] * __expf(part_max[w] - top);
        raw += part_raw[w];
    }

    const float classes = 2.f * pairs;
    const float log_sum = top + __logf(sum);
    if (threadIdx.x == 0) {
        const float2 both = __bfloat1622float2(row[target >> 1]);
        const float hit = target & 1 ? both.y : both.x;
        loss[blockIdx.x] = log_sum - (1.f - smoothing) * hit - smoothing * raw / classes;
    }
    __syncthreads();

    const float floor_share = smoothing / classes;
    for (int k = threadIdx.x; k < pairs; k += blockDim.x) {
        const float2 v = __bfloat1622float2(row[k]);
        float gx = __expf(v.x - log_sum) - floor_share;
        float gy = __expf(v.y - log_sum) - floor_share;
        if (k == target >> 1) {
            if (target & 1)
                gy -= 1.f - smoothing;
            else
                gx -= 1.f - smoothing;
        }
        row[k] = __floats2bfloat162_rn(gx * gradient_scale, gy * gradient_scale);
    }
}

/* kmutate launch
   int batch = 16, channels = 240, height = 56, width = 56, splits = 4;
   dim3 grid = { channels, splits }, block = { 256 };
   half input[batch * channels * height * width] = uniform(-1, 1);
   half gradient[batch * channels * height * width] = uniform(-1, 1);
   float filter_gradient[channels * 9] = zeros();
   channelwise_filter_gradient_of_three_by_three_layer_half_images(input, gradient, filter_gradient, batch, channels, height, width);
*/
__global__ void channelwise_filter_gradient_of_three_by_three_layer_half_images(const half *input,
                                                                                const half *gradient,
                                                                                float *filter_gradient, int batch,
                                                                                int channels, int height, int width)
{
    __shared__ float scratch[256];
    const int channel = blockIdx.x;
    const int area = height * width;
    float sum[9];
    for (int k = 0; k < 9; ++k) sum[k] = 0.f;

    for (int image = blockIdx.y; image < batch; image += gridDim.y) {
        const half *in = input + (image * channels + channel) * area;
        const half *g = gradient + (image * channels + channel) * area;
        for (int pixel = threadIdx.x; pixel < area; pixel += blockDim.x) {
            const int y = pixel / width, x = pixel % width;
            const float dy = __half2float(g[pixel]);
#pragma unroll
            for (int k = 0; k < 9; ++k) {
                const int yy = y + k / 3 - 1, xx = x + k % 3 - 1;
                if (yy >= 0 && yy < height && xx >= 0 && xx < width)
                    sum[k] += dy * __half2float(in[yy * width + xx]);
            }
        }
    }

#pragma unroll
    for (int k = 0; k < 9; ++k) {
        __syncthreads();
        scratch[threadIdx.x] = sum[k];
        __syncthreads();
        for (int half_size = 128; half_size > 0; half_size /= 2) {
            if (threadIdx.x < half_size) scratch[threadIdx.x] += scratch[threadIdx.x + half_size];
            __syncthreads();
        }
        if (threadIdx.x == 0) atomicAdd(&filter_gradient[channel * 9 + k], scratch[0]);
    }
}

/* kmutate launch
   int sequences = 64, kv_heads = 8, pages = 4200, most_pages = 64;
   dim3 grid = { kv_heads, sequences }, block = { 128 };
   int smem = 4 * most_pages * 16 * sizeof(float);
   half query[sequences * kv_heads * 4 * 128] = uniform(-1, 1);
   int8_t keys[pages * kv_heads * 16 * 128] = randint(-127, 127);
   int8_t values[pages * kv_heads * 16 * 128] = randint(-127, 127);
   half key_scale[pages * kv_heads * 16] = uniform(0.002, 0.01);
   half value_scale[pages * kv_heads * 16] = uniform(0.002, 0.01);
   int page_table[sequences * most_pages] = randint(0, pages - 1);
   int context[sequences] = randint(180, 1000);
   half out[sequences * kv_heads * 4 * 128] = zeros();
   next_token_grouped_attention_over_byte_cache_pages(query, keys, values, key_scale, value_scale, page_table, context, out, kv_heads, most_pages, 0.0884f);
*/
__global__ void __launch_bounds__(128) next_token_grouped_attention_over_byte_cache_pages(
    const half *__restrict__ query, const int8_t *__restrict__ keys, const int8_t *__restrict__ values,
    const half *__restrict__ key_scale, const half *__restrict__ value_scale, const int *__restrict__ page_table,
    const int *__restrict__ context, half *__restrict__ out, int kv_heads, int most_pages, float softmax_scale)
{
    // Four query heads share one head of keys and values; 128 numbers a head, 16 tokens a page.
    extern __shared__ float score[];
    __shared__ float total[4];
    const int most = most_pages * 16;
    const int head = blockIdx.x, sequence = blockIdx.y;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int length = min(context[sequence], most);
    const int *table = page_table + sequence * most_pages;
    const half *q = query + (size_t)(sequence * kv_heads + head) * 4 * 128;

    float qr[4][4];
#pragma unroll
    for (int h = 0; h < 4; ++h) {
        const float2 a = __half22float2(((const half2 *)q)[h * 64 + lane * 2]);
        const float2 b = __half22float2(((const half2 *)q)[h * 64 + lane * 2 + 1]);
        qr[h][0] = a.x;
        qr[h][1] = a.y;
        qr[h][2] = b.x;
        qr[h][3] = b.y;
    }

    for (int t = warp; t < length; t += 4) {
        const int slot = (table[t >> 4] * kv_heads + head) * 16 + (t & 15);
        const char4 k = ((const char4 *)keys)[(size_t)slot * 32 + lane];
        float dot[4];
#pragma unroll
        for (int h = 0; h < 4; ++h) dot[h] = qr[h][0] * k.x + qr[h][1] * k.y + qr[h][2] * k.z + qr[h][3] * k.w;
#pragma unroll
        for (int step = 16; step > 0; step >>= 1) {
#pragma unroll
            for (int h = 0; h < 4; ++h) dot[h] += __shfl_xor_sync(0xffffffffu, dot[h], step);
        }
        const float scale = softmax_scale * __half2float(key_scale[slot]);
        if (lane < 4) {
            const float mine = lane == 0 ? dot[0] : lane == 1 ? dot[1] : lane == 2 ? dot[2] : dot[3];
            score[lane * most + t] = mine * scale;
        }
    }
    __syncthreads();

    // Warp h makes the weights of query head h.
    float *line = score + warp * most;
    float top = -1e30f;
    for (int t = lane; t < length; t += 32) top = fmaxf(top, line[t]);
    for (int step = 16; step > 0; step >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
    float sum = 0.f;
    for (int t = lane; t < length; t += 32) {
        const float w = __expf(line[t] - top);
        line[t] = w;
        sum += w;
    }
    for (int step = 16; step > 0; step >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0) total[warp] = sum;
    __syncthreads();

    float acc[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll 4
    for (int t = 0; t < length; ++t) {
        const int slot = (table[t >> 4] * kv_heads + head) * 16 + (t & 15);
        const float v = values[(size_t)slot * 128 + threadIdx.x] * __half2float(value_scale[slot]);
#pragma unroll
        for (int h = 0; h < 4; ++h) acc[h] += score[h * most + t] * v;
    }
    half *to = out + (size_t)(sequence * kv_heads + head) * 4 * 128;
#pragma unroll
    for (int h = 0; h < 4; ++h) to[h * 128 + threadIdx.x] = __float2half(acc[h] / total[h]);
}

/* kmutate launch
   int outputs = 14336, inputs = 4096;
   dim3 grid = { outputs / 32 }, block = { 256 };
   uint32_t packed[outputs * inputs / 8] = randint(0, 2000000000);
   half scale[outputs * inputs / 128] = uniform(0.001, 0.02);
   uint8_t zero_point[outputs * inputs / 128] = randint(6, 9);
   half activation[4 * inputs] = uniform(-1, 1);
   half result[4 * outputs] = zeros();
   nibble_weight_rows_times_four_activation_vectors_staged_on_chip(packed, scale, zero_point, activation, result, outputs);
*/
__global__ void __launch_bounds__(256) nibble_weight_rows_times_four_activation_vectors_staged_on_chip(
    const uint32_t *__restrict__ packed, const half *__restrict__ scale, const uint8_t *__restrict__ zero_point,
    const half *__restrict__ activation, half *__restrict__ result, int outputs)
{
    constexpr int INPUTS = 4096, WORDS = INPUTS / 8, GROUPS = INPUTS / 128;
    __shared__ uint4 staged[4][WORDS];
    for (int k = threadIdx.x; k < 4 * WORDS; k += 256) staged[k / WORDS][k % WORDS] = ((const uint4 *)activation)[k];
    __syncthreads();

    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int r = 0; r < 4; ++r) {
        const int row = blockIdx.x * 32 + r * 8 + warp;
        float acc[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll 2
        for (int word = lane; word < WORDS; word += 32) {
            const uint32_t bits = packed[(size_t)row * WORDS + word];
            const int group = row * GROUPS + (word >> 4);
            const float s = __half2float(scale[group]);
            const float shift = -s * zero_point[group];
            float w[8];
#pragma unroll
            for (int k = 0; k < 8; ++k) w[k] = s * (float)((bits >> (4 * k)) & 15u) + shift;
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                const uint4 raw = staged[b][word];
                const half2 *x = (const half2 *)&raw;
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const float2 v = __half22float2(x[k]);
                    acc[b] += w[2 * k] * v.x + w[2 * k + 1] * v.y;
                }
            }
        }
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            for (int step = 16; step > 0; step >>= 1) acc[b] += __shfl_xor_sync(0xffffffffu, acc[b], step);
            if (lane == 0) result[b * outputs + row] = __float2half(acc[b]);
        }
    }
}

/* kmutate launch
   int chunks = 6000;
   int n = chunks * 2048;
   dim3 grid = { chunks }, block = { 256 };
   __nv_bfloat16 parameter[n] = uniform(-1, 1);
   __nv_bfloat16 gradient[n] = normal(0, 0.1);
   int8_t first_moment[n] = randint(-127, 127);
   uint8_t second_moment[n] = randint(1, 255);
   float first_scale[chunks] = uniform(0.0001, 0.001);
   float second_scale[chunks] = uniform(0.00001, 0.0001);
   decoupled_decay_step_with_byte_moments_rescaled_by_chunk((uint4 *)parameter, (uint4 *)gradient, (uint2 *)first_moment, (uint2 *)second_moment, first_scale, second_scale, 0.001f, 0.9f, 0.999f, 0.01f);
*/
__global__ void __launch_bounds__(256) decoupled_decay_step_with_byte_moments_rescaled_by_chunk(
    uint4 *__restrict__ parameter, const uint4 *__restrict__ gradient, uint2 *__restrict__ first_moment,
    uint2 *__restrict__ second_moment, float *__restrict__ first_scale, float *__restrict__ second_scale, float rate,
    float beta1, float beta2, float decay)
{
    __shared__ float warp_m[8], warp_v[8];
    const int at = blockIdx.x * 256 + threadIdx.x;
    const float scale_m = first_scale[blockIdx.x], scale_v = second_scale[blockIdx.x];
    const uint4 raw_p = parameter[at], raw_g = gradient[at];
    const uint2 raw_m = first_moment[at], raw_v = second_moment[at];
    const uint32_t words_p[4] = {raw_p.x, raw_p.y, raw_p.z, raw_p.w};
    const uint32_t words_g[4] = {raw_g.x, raw_g.y, raw_g.z, raw_g.w};
    uint32_t fresh[4];

    float m[8], v[8];
    float top_m = 0.f, top_v = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        // A bfloat16 is the upper half of a float.
        const float g = __uint_as_float(k & 1 ? words_g[k / 2] & 0xffff0000u : words_g[k / 2] << 16);
        const uint32_t byte_m = (k < 4 ? raw_m.x : raw_m.y) >> (8 * (k & 3));
        const uint32_t byte_v = (k < 4 ? raw_v.x : raw_v.y) >> (8 * (k & 3));
        const float root = (float)(byte_v & 255u) * scale_v;  // the byte keeps the square root
        m[k] = beta1 * ((float)(int8_t)(byte_m & 255u) * scale_m) + (1.f - beta1) * g;
        v[k] = sqrtf(beta2 * root * root + (1.f - beta2) * g * g);
        top_m = fmaxf(top_m, fabsf(m[k]));
        top_v = fmaxf(top_v, v[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float lo = __uint_as_float(words_p[k] << 16);
        float hi = __uint_as_float(words_p[k] & 0xffff0000u);
        lo -= rate * (m[2 * k] / (v[2 * k] + 1e-8f) + decay * lo);
        hi -= rate * (m[2 * k + 1] / (v[2 * k + 1] + 1e-8f) + decay * hi);
        const __nv_bfloat162 both = __floats2bfloat162_rn(lo, hi);
        fresh[k] = *(const uint32_t *)&both;
    }
    parameter[at] = make_uint4(fresh[0], fresh[1], fresh[2], fresh[3]);

#pragma unroll
    for (int step = 16; step > 0; step >>= 1) {
        top_m = fmaxf(top_m, __shfl_xor_sync(0xffffffffu, top_m, step));
        top_v = fmaxf(top_v, __shfl_xor_sync(0xffffffffu, top_v, step));
    }
    if ((threadIdx.x & 31) == 0) {
        warp_m[threadIdx.x >> 5] = top_m;
        warp_v[threadIdx.x >> 5] = top_v;
    }
    __syncthreads();
#pragma unroll
    for (int w = 0; w < 8; ++w) {
        top_m = fmaxf(top_m, warp_m[w]);
        top_v = fmaxf(top_v, warp_v[w]);
    }
    const float to_m = 127.f / (top_m + 1e-20f), to_v = 255.f / (top_v + 1e-20f);
    uint32_t out_m[2] = {0u, 0u}, out_v[2] = {0u, 0u};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        out_m[k / 4] |= ((uint32_t)__float2int_rn(m[k] * to_m) & 255u) << (8 * (k & 3));
        out_v[k / 4] |= ((uint32_t)__float2int_rn(v[k] * to_v) & 255u) << (8 * (k & 3));
    }
    first_moment[at] = make_uint2(out_m[0], out_m[1]);
    second_moment[at] = make_uint2(out_v[0], out_v[1]);
    if (threadIdx.x == 0) {
        first_scale[blockIdx.x] = top_m * (1.f / 127.f);
        second_scale[blockIdx.x] = top_v * (1.f / 255.f);
    }
}

/* kmutate launch
   int bags = 36000, lookups = 540000, vocabulary = 350000;
   dim3 grid = { 132 * 6 }, block = { 256 };
   half table[vocabulary * 128] = uniform(-1, 1);
   int bag_start[bags + 1] = ascending(0, lookups);
   int index[lookups] = randint(0, vocabulary - 1);
   float importance[lookups] = uniform(0, 1);
   half pooled[bags * 128] = zeros();
   weighted_mean_of_ragged_category_vectors_for_click_model((uint2 *)table, bag_start, index, importance, (uint2 *)pooled, bags);
*/
__global__ void weighted_mean_of_ragged_category_vectors_for_click_model(
    const uint2 *__restrict__ table, const int *__restrict__ bag_start, const int *__restrict__ index,
    const float *__restrict__ importance, uint2 *__restrict__ pooled, int bags)
{
    const int lane = threadIdx.x & 31;
    const int warps = gridDim.x * (blockDim.x >> 5);
    for (int bag = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); bag < bags; bag += warps) {
        const int begin = bag_start[bag], end = bag_start[bag + 1];
        float acc[4] = {0.f, 0.f, 0.f, 0.f};
        float weights = 0.f;
        for (int base = begin; base < end; base += 32) {
            // A lane reads one lookup; the warp then goes through them together.
            const int mine = base + lane;
            const int my_row = mine < end ? index[mine] : 0;
            const float my_weight = mine < end ? importance[mine] : 0.f;
            const int here = min(32, end - base);
            for (int k = 0; k < here; ++k) {
                const int row = __shfl_sync(0xffffffffu, my_row, k);
                const float w = __shfl_sync(0xffffffffu, my_weight, k);
                const uint2 raw = __ldg(&table[(size_t)row * 32 + lane]);
                const float2 a = __half22float2(*(const half2 *)&raw.x);
                const float2 b = __half22float2(*(const half2 *)&raw.y);
                acc[0] += w * a.x;
                acc[1] += w * a.y;
                acc[2] += w * b.x;
                acc[3] += w * b.y;
                weights += w;
            }
        }
        const float inverse = weights > 0.f ? 1.f / weights : 0.f;
        const half2 lo = __floats2half2_rn(acc[0] * inverse, acc[1] * inverse);
        const half2 hi = __floats2half2_rn(acc[2] * inverse, acc[3] * inverse);
        uint2 packed;
        packed.x = *(const uint32_t *)&lo;
        packed.y = *(const uint32_t *)&hi;
        pooled[(size_t)bag * 32 + lane] = packed;
    }
}
