#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int nodes = 1 << 21, lo = 2, hi = 14;
   int edges = csr_nnz(nodes, lo, hi);
   dim3 grid = { (nodes + 255) / 256 }, block = { 256 };
   int first_edge[nodes + 1] = csr_rowptr(nodes, lo, hi);
   int neighbor[edges] = csr_colidx(nodes);
   signed char level[nodes] = randint(-8, 5);
   signed char next_level[nodes] = zeros();
   int parent[nodes] = fill(-1);
   breadth_first_bottom_up_level_with_signed_byte_levels_node_per_thread(first_edge, neighbor, level, next_level, parent,
                                                                         nodes, 4);
*/
// A negative level is that of a node which has not been reached.
__global__ void breadth_first_bottom_up_level_with_signed_byte_levels_node_per_thread(
    const int *__restrict__ first_edge, const int *__restrict__ neighbor, const signed char *__restrict__ level,
    signed char *__restrict__ next_level, int *__restrict__ parent, int nodes, int depth)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;

    signed char mine = level[node];
    if (mine < 0) {
        const int end = first_edge[node + 1];
        for (int e = first_edge[node]; e < end; ++e) {
            const int other = neighbor[e];
            if (level[other] == depth) {
                parent[node] = other;
                mine = (signed char)(depth + 1);
                break;
            }
        }
    }
    next_level[node] = mine;
}

/* kmutate launch
   int inputs = 1 << 20;
   dim3 grid = { inputs / 16 }, block = { 32, 16 };
   float input[inputs] = uniform(0, 1);
   float weights[inputs * 32] = uniform(-0.5, 0.5);
   float partial[inputs / 16 * 32] = zeros();
   hidden_layer_of_32_units_forward_partial_sums_of_16_inputs_in_shared(input, weights, partial);
*/
__global__ void hidden_layer_of_32_units_forward_partial_sums_of_16_inputs_in_shared(const float *__restrict__ input,
                                                                                     const float *__restrict__ weights,
                                                                                     float *__restrict__ partial)
{
    constexpr int HIDDEN = 32, INPUTS = 16;
    __shared__ float activation[INPUTS];
    __shared__ float product[INPUTS][HIDDEN];

    const int unit = threadIdx.x, row = threadIdx.y;
    const int base = blockIdx.x * INPUTS;
    if (unit == 0) activation[row] = input[base + row];
    __syncthreads();

    product[row][unit] = activation[row] * weights[(base + row) * HIDDEN + unit];
    __syncthreads();

    for (int half_rows = INPUTS / 2; half_rows > 0; half_rows /= 2) {
        if (row < half_rows) product[row][unit] += product[row + half_rows][unit];
        __syncthreads();
    }
    if (row == 0) partial[blockIdx.x * HIDDEN + unit] = product[0][unit];
}

struct SearchTree {
    const int *keys[2];
    const int *children[2];
    const int *leaf_keys;
};

/* kmutate launch
   struct SearchTree { const int *keys[2]; const int *children[2]; const int *leaf_keys; };
   int order = 128, queries = 65536;
   dim3 grid = { queries }, block = { order };
   int root_keys[order] = iota(0, 49152);
   int root_children[order] = iota();
   int inner_keys[order * order] = iota(0, 384);
   int inner_children[order * order] = iota();
   int leaf_keys[order * order * order] = iota(0, 3);
   struct SearchTree tree = { .keys = { root_keys, inner_keys }, .children = { root_children, inner_children },
                              .leaf_keys = leaf_keys };
   int from[queries] = randint(0, 6291456);
   int width[queries] = randint(0, 5000);
   int range[2 * queries] = zeros();
   range_query_of_search_tree_with_128_keys_per_node_block_per_query(tree, from, width, (int2 *)range);
*/
__global__ void range_query_of_search_tree_with_128_keys_per_node_block_per_query(SearchTree tree,
                                                                                  const int *__restrict__ from,
                                                                                  const int *__restrict__ width,
                                                                                  int2 *__restrict__ range)
{
    constexpr int ORDER = 128, LAST_KEY = 0x7fffffff;
    __shared__ int next_low, next_high;

    const int slot = threadIdx.x;
    const int low = from[blockIdx.x];
    const int high = low + width[blockIdx.x];
    if (slot == 0) next_low = next_high = 0;
    __syncthreads();

    int low_node = 0, high_node = 0;
    for (int level = 0; level < 2; ++level) {
        const int *keys = tree.keys[level] + low_node * ORDER;
        if (keys[slot] <= low && low < (slot + 1 < ORDER ? keys[slot + 1] : LAST_KEY))
            next_low = tree.children[level][low_node * ORDER + slot];
        keys = tree.keys[level] + high_node * ORDER;
        if (keys[slot] <= high && high < (slot + 1 < ORDER ? keys[slot + 1] : LAST_KEY))
            next_high = tree.children[level][high_node * ORDER + slot];
        __syncthreads();
        low_node = next_low;
        high_node = next_high;
        __syncthreads();
    }

    // What the range begins with is the last key that is not above its lower end.
    const int *leaf = tree.leaf_keys + low_node * ORDER;
    if (leaf[slot] <= low && low < (slot + 1 < ORDER ? leaf[slot + 1] : LAST_KEY))
        next_low = low_node * ORDER + slot;
    leaf = tree.leaf_keys + high_node * ORDER;
    if (leaf[slot] <= high && high < (slot + 1 < ORDER ? leaf[slot + 1] : LAST_KEY))
        next_high = high_node * ORDER + slot;
    __syncthreads();
    if (slot == 0) range[blockIdx.x] = make_int2(next_low, next_high - next_low + 1);
}

/* kmutate launch
   int nx = 512, ny = 512, nz = 96;
   dim3 grid = { nx / 64, ny / 4 }, block = { 64, 4 };
   float power[nx * ny * nz] = uniform(0, 0.001);
   float in[nx * ny * nz] = uniform(320, 345);
   float out[nx * ny * nz] = zeros();
   chip_heat_with_power_seven_points_column_of_layers_in_registers(power, in, out, nx, ny, nz, 0.03f, 0.03f, 0.11f,
                                                                   0.004f, 80.f, 6.8f);
*/
__global__ void chip_heat_with_power_seven_points_column_of_layers_in_registers(
    const float *__restrict__ power, const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz,
    float east_west, float north_south, float vertical, float to_ambient, float ambient, float per_power)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;

    const int layer = nx * ny;
    int at = y * nx + x;
    const int west = x > 0 ? -1 : 0, east = x < nx - 1 ? 1 : 0;
    const int north = y > 0 ? -nx : 0, south = y < ny - 1 ? nx : 0;
    const float keep = 1.f - 2.f * (east_west + north_south + vertical) - to_ambient;

    float here = in[at];
    float below = here;
    for (int z = 0; z < nz; ++z) {
        const float above = z < nz - 1 ? in[at + layer] : here;
        out[at] = keep * here + east_west * (in[at + west] + in[at + east]) +
                  north_south * (in[at + north] + in[at + south]) + vertical * (below + above) +
                  to_ambient * ambient + per_power * power[at];
        below = here;
        here = above;
        at += layer;
    }
}

/* kmutate launch
   int n = 4096, pivot = 160;
   dim3 grid = { (n - pivot - 1 + 15) / 16, (n - pivot + 15) / 16 }, block = { 16, 16 };
   float a[n * n] = uniform(-1, 1);
   float b[n] = uniform(-1, 1);
   float multiplier[n] = uniform(-0.5, 0.5);
   forward_elimination_below_pivot_with_rows_along_thread_x(a, b, multiplier, n, pivot);
*/
__global__ void forward_elimination_below_pivot_with_rows_along_thread_x(float *__restrict__ a, float *__restrict__ b,
                                                                         const float *__restrict__ multiplier, int n,
                                                                         int pivot)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n - 1 - pivot || j >= n - pivot) return;

    const int row = i + pivot + 1, col = j + pivot;
    a[n * row + col] -= multiplier[row] * a[n * pivot + col];
    if (j == 0) b[row] -= multiplier[row] * b[pivot];
}

/* kmutate launch
   int rows = 1000000, bags = 32768, lo = 4, hi = 44;
   int samples = csr_nnz(bags, lo, hi);
   dim3 grid = { bags / 8 }, block = { 256 };
   __nv_bfloat16 table[rows * 128] = normal(0, 0.1);
   int offsets[bags + 1] = csr_rowptr(bags, lo, hi);
   int indices[samples] = randint(0, rows);
   float weights[samples] = uniform(0, 1);
   float out[bags * 128] = zeros();
   weighted_embedding_bag_of_128_bfloat16_columns_warp_per_bag((__nv_bfloat162 *)table, offsets, indices, weights,
                                                               (float2 *)out, bags);
*/
__global__ void weighted_embedding_bag_of_128_bfloat16_columns_warp_per_bag(const __nv_bfloat162 *__restrict__ table,
                                                                            const int *__restrict__ offsets,
                                                                            const int *__restrict__ indices,
                                                                            const float *__restrict__ weights,
                                                                            float2 *__restrict__ out, int bags)
{
    constexpr int PAIRS = 64;
    const int lane = threadIdx.x & 31;
    const int bag = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (bag >= bags) return;

    float2 left = make_float2(0.f, 0.f), right = make_float2(0.f, 0.f);
    const int end = offsets[bag + 1];
    for (int i = offsets[bag]; i < end; ++i) {
        const __nv_bfloat162 *row = table + (size_t)indices[i] * PAIRS;
        const float w = weights[i];
        const float2 l = __bfloat1622float2(row[lane]);
        const float2 r = __bfloat1622float2(row[lane + 32]);
        left.x += w * l.x;
        left.y += w * l.y;
        right.x += w * r.x;
        right.y += w * r.y;
    }
    out[(size_t)bag * PAIRS + lane] = left;
    out[(size_t)bag * PAIRS + lane + 32] = right;
}

/* kmutate launch
   int systems = 65536, n = 128;
   dim3 grid = { systems / 128 }, block = { 128 };
   float lower[systems * n] = uniform(-1, 1);
   float diagonal[systems * n] = uniform(3, 4);
   float upper[systems * n] = uniform(-1, 1);
   float rhs[systems * n] = uniform(-1, 1);
   float x[systems * n] = zeros();
   thomas_solve_of_interleaved_tridiagonal_systems_system_per_thread(lower, diagonal, upper, rhs, x, systems, n);
*/
__global__ void thomas_solve_of_interleaved_tridiagonal_systems_system_per_thread(
    const float *__restrict__ lower, const float *__restrict__ diagonal, float *__restrict__ upper,
    float *__restrict__ rhs, float *__restrict__ x, int systems, int n)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= systems) return;

    float c = upper[at] / diagonal[at];
    float d = rhs[at] / diagonal[at];
    upper[at] = c;
    rhs[at] = d;
    for (int i = 1; i < n; ++i) {
        at += systems;
        const float a = lower[at];
        const float inverse = 1.f / (diagonal[at] - a * c);
        c = upper[at] * inverse;
        d = (rhs[at] - a * d) * inverse;
        upper[at] = c;
        rhs[at] = d;
    }

    x[at] = d;
    for (int i = n - 2; i >= 0; --i) {
        at -= systems;
        d = rhs[at] - upper[at] * d;
        x[at] = d;
    }
}

struct StormRecord {
    float latitude, longitude;
    float wind_east, wind_north;
    float pressure, temperature, humidity;
    float radius_34kt, radius_50kt, radius_64kt;
};

/* kmutate launch
   struct StormRecord { float latitude, longitude; float wind_east, wind_north; float pressure, temperature, humidity;
                        float radius_34kt, radius_50kt, radius_64kt; };
   int records = 4000000;
   dim3 grid = { (records + 255) / 256 }, block = { 256 };
   struct StormRecord storms[records] = uniform(-1.5, 1.5);
   float distance[records] = zeros();
   great_circle_distances_of_storm_records_of_ten_floats(storms, distance, records, 0.4f, -1.2f, 0.3f);
*/
__global__ void great_circle_distances_of_storm_records_of_ten_floats(const StormRecord *__restrict__ storms,
                                                                      float *__restrict__ distance, int records,
                                                                      float latitude, float longitude,
                                                                      float least_wind)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;

    const StormRecord &storm = storms[i];
    const float east = storm.wind_east, north = storm.wind_north;
    float km = 1e30f;
    if (east * east + north * north >= least_wind * least_wind) {
        const float half_dlat = sinf(0.5f * (storm.latitude - latitude));
        const float half_dlon = sinf(0.5f * (storm.longitude - longitude));
        const float h = half_dlat * half_dlat + cosf(latitude) * cosf(storm.latitude) * half_dlon * half_dlon;
        km = 2.f * 6371.f * asinf(sqrtf(fminf(h, 1.f)));
    }
    distance[i] = km;
}

/* kmutate launch
   int side = 8, boxes = side * side * side;
   dim3 grid = { side, side, side }, block = { 128 };
   float particles[boxes * 128 * 4] = uniform(0.1, 1);
   float forces[boxes * 128 * 4] = zeros();
   gaussian_potential_and_forces_from_27_boxes_of_128_particles((float4 *)particles, (float4 *)forces, 0.5f);
*/
// Positions are relative to the corner of the box; w is the charge.
__global__ void __launch_bounds__(128)
gaussian_potential_and_forces_from_27_boxes_of_128_particles(const float4 *__restrict__ particles,
                                                             float4 *__restrict__ forces, float alpha)
{
    constexpr int COUNT = 128;
    __shared__ float4 others[COUNT];

    const int bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z;
    const int nx = gridDim.x, ny = gridDim.y, nz = gridDim.z;
    const int home = ((bz * ny + by) * nx + bx) * COUNT + threadIdx.x;
    const float4 me = particles[home];
    const float a2 = 2.f * alpha * alpha;
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);

    for (int z = max(bz - 1, 0); z <= min(bz + 1, nz - 1); ++z) {
        for (int y = max(by - 1, 0); y <= min(by + 1, ny - 1); ++y) {
            for (int x = max(bx - 1, 0); x <= min(bx + 1, nx - 1); ++x) {
                float4 other = particles[((z * ny + y) * nx + x) * COUNT + threadIdx.x];
                other.x += x - bx;
                other.y += y - by;
                other.z += z - bz;
                __syncthreads();
                others[threadIdx.x] = other;
                __syncthreads();
                for (int i = 0; i < COUNT; ++i) {
                    const float4 o = others[i];
                    const float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
                    const float potential = o.w * expf(-a2 * (dx * dx + dy * dy + dz * dz));
                    const float strength = 2.f * potential;
                    sum.x += strength * dx;
                    sum.y += strength * dy;
                    sum.z += strength * dz;
                    sum.w += potential;
                }
            }
        }
    }
    forces[home] = sum;
}

// x / (exp(x / y) - 1), also where both are nearly zero
__device__ double linear_over_exponential(double x, double y)
{
    const double ratio = x / y;
    return fabs(ratio) < 1e-6 ? y * (1.0 - 0.5 * ratio) : x / (exp(ratio) - 1.0);
}

/* kmutate launch
   int cells = 33792, steps = 100;
   dim3 grid = { (cells + 127) / 128 }, block = { 128 };
   double voltage[cells] = uniform(-75, -40);
   double m[cells] = uniform(0.03, 0.1), h[cells] = uniform(0.4, 0.7), n[cells] = uniform(0.2, 0.5);
   double current[cells] = uniform(0, 15);
   membrane_potential_with_three_gates_explicit_steps_cell_per_thread(voltage, m, h, n, current, cells, steps, 0.01);
*/
__global__ void membrane_potential_with_three_gates_explicit_steps_cell_per_thread(
    double *__restrict__ voltage, double *__restrict__ m_gate, double *__restrict__ h_gate, double *__restrict__ n_gate,
    const double *__restrict__ current, int cells, int steps, double dt)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;

    double v = voltage[cell], m = m_gate[cell], h = h_gate[cell], n = n_gate[cell];
    const double applied = current[cell];
    for (int step = 0; step < steps; ++step) {
        const double sodium = 120.0 * m * m * m * h * (v - 50.0);
        const double potassium = 36.0 * n * n * n * n * (v + 77.0);
        const double leak = 0.3 * (v + 54.387);

        const double m_open = 0.1 * linear_over_exponential(-(v + 40.0), 10.0);
        const double m_close = 4.0 * exp(-(v + 65.0) / 18.0);
        const double h_open = 0.07 * exp(-(v + 65.0) / 20.0);
        const double h_close = 1.0 / (exp(-(v + 35.0) / 10.0) + 1.0);
        const double n_open = 0.01 * linear_over_exponential(-(v + 55.0), 10.0);
        const double n_close = 0.125 * exp(-(v + 65.0) / 80.0);

        m += dt * (m_open * (1.0 - m) - m_close * m);
        h += dt * (h_open * (1.0 - h) - h_close * h);
        n += dt * (n_open * (1.0 - n) - n_close * n);
        v += dt * (applied - sodium - potassium - leak);
    }
    voltage[cell] = v;
    m_gate[cell] = m;
    h_gate[cell] = h;
    n_gate[cell] = n;
}

struct FlowState {
    double density, mx, my, mz, energy;
};

// adds what the Euler flux of a state carries through a face, by half
__device__ __forceinline__ void add_half_flux(FlowState &sum, const FlowState &s, double pressure, double nx, double ny,
                                              double nz)
{
    const double through = 0.5 * (s.mx * nx + s.my * ny + s.mz * nz) / s.density;
    const double push = 0.5 * pressure;
    sum.density += through * s.density;
    sum.mx += through * s.mx + push * nx;
    sum.my += through * s.my + push * ny;
    sum.mz += through * s.mz + push * nz;
    sum.energy += through * (s.energy + pressure);
}

__device__ __forceinline__ double gas_pressure(const FlowState &s)
{
    return 0.4 * (s.energy - 0.5 * (s.mx * s.mx + s.my * s.my + s.mz * s.mz) / s.density);
}

/* kmutate launch
   struct FlowState { double density, mx, my, mz, energy; };
   int cells = 1 << 20;
   dim3 grid = { cells / 192 + 1 }, block = { 192 };
   double density[cells] = uniform(1, 1.4);
   double mx[cells] = uniform(-0.5, 0.5), my[cells] = uniform(-0.5, 0.5), mz[cells] = uniform(-0.5, 0.5);
   double energy[cells] = uniform(2.5, 3);
   short neighbor_distance[4 * cells] = randint(-1200, 1200);
   double normals[12 * cells] = uniform(-0.01, 0.01);
   double flux[5 * cells] = zeros();
   struct FlowState far = { 1.4, 0.7, 0, 0, 2.75 };
   tetrahedron_flow_flux_in_double_with_relative_neighbors_cell_per_thread(density, mx, my, mz, energy,
                                                                           neighbor_distance, normals, flux, far, cells);
*/
__global__ void tetrahedron_flow_flux_in_double_with_relative_neighbors_cell_per_thread(
    const double *__restrict__ density, const double *__restrict__ mx, const double *__restrict__ my,
    const double *__restrict__ mz, const double *__restrict__ energy, const short *__restrict__ neighbor_distance,
    const double *__restrict__ normals, double *__restrict__ flux, FlowState far, int cells)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;

    const FlowState own = { density[cell], mx[cell], my[cell], mz[cell], energy[cell] };
    const double own_pressure = gas_pressure(own);
    const double own_speed = sqrt(own.mx * own.mx + own.my * own.my + own.mz * own.mz) / own.density +
                             sqrt(1.4 * own_pressure / own.density);
    FlowState sum = { 0.0, 0.0, 0.0, 0.0, 0.0 };

    for (int face = 0; face < 4; ++face) {
        const int other = cell + neighbor_distance[face * cells + cell];
        const double nx = normals[(3 * face) * cells + cell];
        const double ny = normals[(3 * face + 1) * cells + cell];
        const double nz = normals[(3 * face + 2) * cells + cell];

        FlowState s = far;
        if (other >= 0 && other < cells) s = { density[other], mx[other], my[other], mz[other], energy[other] };
        const double pressure = gas_pressure(s);
        const double speed = sqrt(s.mx * s.mx + s.my * s.my + s.mz * s.mz) / s.density +
                             sqrt(1.4 * pressure / s.density);

        add_half_flux(sum, own, own_pressure, nx, ny, nz);
        add_half_flux(sum, s, pressure, nx, ny, nz);
        const double damping = 0.1 * sqrt(nx * nx + ny * ny + nz * nz) * (own_speed + speed);
        sum.density += damping * (own.density - s.density);
        sum.mx += damping * (own.mx - s.mx);
        sum.my += damping * (own.my - s.my);
        sum.mz += damping * (own.mz - s.mz);
        sum.energy += damping * (own.energy - s.energy);
    }
    flux[cell] = sum.density;
    flux[cells + cell] = sum.mx;
    flux[2 * cells + cell] = sum.my;
    flux[3 * cells + cell] = sum.mz;
    flux[4 * cells + cell] = sum.energy;
}

__constant__ float c_chebyshev[256];

/* kmutate launch
   int n = 4000000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   extern float c_chebyshev[256] = uniform(-0.1, 0.1);
   float x[n] = uniform(-1, 1);
   float y[n] = zeros();
   clenshaw_sum_of_chebyshev_series_with_constant_coefficients(x, y, n, 256);
*/
__global__ void clenshaw_sum_of_chebyshev_series_with_constant_coefficients(const float *__restrict__ x,
                                                                            float *__restrict__ y, int n, int terms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float t = x[i];
    float b1 = 0.f, b2 = 0.f;
    for (int k = terms - 1; k > 0; --k) {
        const float b = 2.f * t * b1 - b2 + c_chebyshev[k];
        b2 = b1;
        b1 = b;
    }
    y[i] = t * b1 - b2 + c_chebyshev[0];
}

/* kmutate launch
   int queries = 3000, references = 2048, dim = 256;
   dim3 grid = { (references + 63) / 64, (queries + 63) / 64 }, block = { 16, 16 };
   half query[queries * dim] = uniform(0, 1);
   half reference[references * dim] = uniform(0, 1);
   float distance[queries * references] = zeros();
   all_pairs_manhattan_distances_of_half_vectors_in_tiles_of_64((half2 *)query, (half2 *)reference, distance, queries,
                                                                references, dim / 2);
*/
__global__ void __launch_bounds__(256)
all_pairs_manhattan_distances_of_half_vectors_in_tiles_of_64(const half2 *__restrict__ query,
                                                             const half2 *__restrict__ reference,
                                                             float *__restrict__ distance, int queries, int references,
                                                             int pairs)
{
    constexpr int TILE = 64, CHUNK = 16, EACH = 4;
    __shared__ half2 q[TILE][CHUNK + 1], r[TILE][CHUNK + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int first_query = blockIdx.y * TILE, first_reference = blockIdx.x * TILE;
    const half2 zero = __float2half2_rn(0.f);
    float total[EACH][EACH] = {};

    for (int start = 0; start < pairs; start += CHUNK) {
#pragma unroll
        for (int i = ty; i < TILE; i += 16) {
            const int qi = first_query + i, ri = first_reference + i;
            q[i][tx] = qi < queries ? query[(size_t)qi * pairs + start + tx] : zero;
            r[i][tx] = ri < references ? reference[(size_t)ri * pairs + start + tx] : zero;
        }
        __syncthreads();

        half2 sum[EACH][EACH];
#pragma unroll
        for (int i = 0; i < EACH; ++i)
#pragma unroll
            for (int j = 0; j < EACH; ++j) sum[i][j] = zero;
#pragma unroll
        for (int k = 0; k < CHUNK; ++k) {
            half2 a[EACH], b[EACH];
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                a[i] = q[ty + 16 * i][k];
                b[i] = r[tx + 16 * i][k];
            }
#pragma unroll
            for (int i = 0; i < EACH; ++i)
#pragma unroll
                for (int j = 0; j < EACH; ++j) sum[i][j] = __hadd2(sum[i][j], __habs2(__hsub2(a[i], b[j])));
        }
        // Sixteen terms are what half precision can add up without losing much.
#pragma unroll
        for (int i = 0; i < EACH; ++i)
#pragma unroll
            for (int j = 0; j < EACH; ++j) total[i][j] += __low2float(sum[i][j]) + __high2float(sum[i][j]);
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int qi = first_query + ty + 16 * i;
        if (qi >= queries) break;
#pragma unroll
        for (int j = 0; j < EACH; ++j) {
            const int ri = first_reference + tx + 16 * j;
            if (ri < references) distance[(size_t)qi * references + ri] = total[i][j];
        }
    }
}

__device__ __forceinline__ uint32_t rotate_left(uint32_t v, int bits) { return (v << bits) | (v >> (32 - bits)); }

__device__ __forceinline__ uint32_t murmur_of_16_words(const uint32_t (&word)[16], uint32_t seed)
{
    uint32_t h = seed;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        h ^= rotate_left(word[i] * 0xcc9e2d51u, 15) * 0x1b873593u;
        h = rotate_left(h, 13) * 5u + 0xe6546b64u;
    }
    h ^= 64u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* kmutate launch
   int keys = 1500000;
   dim3 grid = { (keys + 127) / 128 }, block = { 128 };
   unsigned words[keys * 16] = randint(0, 4294967295u);
   unsigned slots[12 * keys] = zeros();
   twelve_murmur_hashes_of_keys_of_64_bytes_to_filter_slots((uint4 *)words, slots, keys, 134217689u);
*/
__global__ void twelve_murmur_hashes_of_keys_of_64_bytes_to_filter_slots(const uint4 *__restrict__ words,
                                                                         uint32_t *__restrict__ slots, int keys,
                                                                         uint32_t filter_bits)
{
    const int key = blockIdx.x * blockDim.x + threadIdx.x;
    if (key >= keys) return;

    uint32_t word[16];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const uint4 four = words[(size_t)key * 4 + i];
        word[4 * i] = four.x;
        word[4 * i + 1] = four.y;
        word[4 * i + 2] = four.z;
        word[4 * i + 3] = four.w;
    }
    uint32_t seed = 0x9747b28cu;
    for (int i = 0; i < 12; ++i) {
        seed = murmur_of_16_words(word, seed);
        slots[(size_t)i * keys + key] = seed % filter_bits;
    }
}

/* kmutate launch
   int n = 48 * 171, step = 2;
   dim3 grid = { n / 48 - step - 1 }, block = { 96 };
   float a[n * n] = uniform(0.9, 1.1);
   lu_decomposition_perimeter_tiles_of_48_row_and_column_strip_per_block(a, n, step * 48);
*/
// The first half of the block solves for a tile right of the diagonal, the other half for one below it.
__global__ void __launch_bounds__(96)
lu_decomposition_perimeter_tiles_of_48_row_and_column_strip_per_block(float *__restrict__ a, int n, int offset)
{
    constexpr int TILE = 48;
    __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE + 1];

    float *const corner = a + (size_t)offset * n + offset;
    float *const right_tile = corner + (blockIdx.x + 1) * TILE;
    float *const below_tile = corner + (size_t)(blockIdx.x + 1) * TILE * n;
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
        const int row = i / TILE, col = i % TILE;
        const size_t at = (size_t)row * n + col;
        diagonal[row][col] = corner[at];
        right[row][col] = right_tile[at];
        below[row][col] = below_tile[at];
    }
    __syncthreads();

    if (threadIdx.x < TILE) {
        const int col = threadIdx.x;
        for (int row = 1; row < TILE; ++row) {
            float value = right[row][col];
            for (int k = 0; k < row; ++k) value -= diagonal[row][k] * right[k][col];
            right[row][col] = value;
        }
    } else {
        const int row = threadIdx.x - TILE;
        for (int col = 0; col < TILE; ++col) {
            float value = below[row][col];
            for (int k = 0; k < col; ++k) value -= below[row][k] * diagonal[k][col];
            below[row][col] = value / diagonal[col][col];
        }
    }
    __syncthreads();

    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
        const int row = i / TILE, col = i % TILE;
        const size_t at = (size_t)row * n + col;
        right_tile[at] = right[row][col];
        below_tile[at] = below[row][col];
    }
}

/* kmutate launch
   int tiles = 128, length = tiles * 96;
   dim3 grid = { tiles }, block = { 96 };
   unsigned char across[length] = randint(0, 24);
   unsigned char down[length] = randint(0, 24);
   int substitution[24 * 24] = randint(-4, 6);
   int score[(length + 1) * (length + 1)] = zeros();
   global_alignment_anti_diagonal_of_tiles_of_96_letters_in_shared(across, down, substitution, score, length, tiles - 1,
                                                                   5);
*/
__global__ void __launch_bounds__(96)
global_alignment_anti_diagonal_of_tiles_of_96_letters_in_shared(const unsigned char *__restrict__ across,
                                                                const unsigned char *__restrict__ down,
                                                                const int *__restrict__ substitution,
                                                                int *__restrict__ score, int length, int diagonal,
                                                                int gap)
{
    constexpr int TILE = 96, LETTERS = 24;
    __shared__ int best[TILE + 1][TILE + 1];
    __shared__ int match[LETTERS * LETTERS];
    __shared__ unsigned char letter[TILE];

    const int col = threadIdx.x;
    const int first_col = blockIdx.x * TILE, first_row = (diagonal - (int)blockIdx.x) * TILE;
    const size_t pitch = length + 1;
    int *const tile = score + first_row * pitch + first_col;

    for (int i = col; i < LETTERS * LETTERS; i += TILE) match[i] = substitution[i];
    letter[col] = down[first_row + col];
    best[0][col + 1] = tile[col + 1];
    best[col + 1][0] = tile[(col + 1) * pitch];
    if (col == 0) best[0][0] = tile[0];
    const int mine = across[first_col + col];
    __syncthreads();

    for (int wave = 0; wave < 2 * TILE - 1; ++wave) {
        const int row = wave - col;
        if (row >= 0 && row < TILE) {
            const int both = best[row][col] + match[letter[row] * LETTERS + mine];
            const int one = max(best[row][col + 1], best[row + 1][col]) - gap;
            best[row + 1][col + 1] = max(both, one);
        }
        __syncthreads();
    }
    for (int row = 1; row <= TILE; ++row) tile[row * pitch + col + 1] = best[row][col + 1];
}

/* kmutate launch
   int particles = 400000, points = 81, width = 1280, height = 1024;
   dim3 grid = { (particles + 7) / 8 }, block = { 256 };
   float px[particles] = uniform(0, 1280), py[particles] = uniform(0, 1024);
   signed char disk[2 * points] = randint(-5, 6);
   unsigned char frame[width * height] = randint(0, 256);
   float weight[particles] = fill(0.0000025);
   particle_likelihood_over_disk_of_frame_bytes_warp_per_particle(px, py, (char2 *)disk, frame, weight, particles,
                                                                  points, width, height);
*/
__global__ void particle_likelihood_over_disk_of_frame_bytes_warp_per_particle(
    const float *__restrict__ px, const float *__restrict__ py, const char2 *__restrict__ disk,
    const unsigned char *__restrict__ frame, float *__restrict__ weight, int particles, int points, int width,
    int height)
{
    const int lane = threadIdx.x & 31;
    const int particle = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (particle >= particles) return;

    const int x0 = __float2int_rn(px[particle]), y0 = __float2int_rn(py[particle]);
    float sum = 0.f;
    for (int i = lane; i < points; i += 32) {
        const char2 d = disk[i];
        const int x = min(max(x0 + d.x, 0), width - 1);
        const int y = min(max(y0 + d.y, 0), height - 1);
        const float shade = frame[y * width + x];
        const float to_background = shade - 100.f, to_target = shade - 228.f;
        sum += to_background * to_background - to_target * to_target;
    }
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0) weight[particle] *= expf(sum / (5000.f * points));
}

/* kmutate launch
   int n = 12000000;
   dim3 grid = { 528 }, block = { 256 };
   float values[n] = uniform(0, 1000);
   float pivots[1024] = ascending(0, 1000);
   unsigned short bucket[n] = zeros();
   int counts[528 * 1024] = zeros();
   sort_buckets_of_values_between_1024_pivots_with_counts_per_block(values, pivots, bucket, counts, n);
*/
__global__ void __launch_bounds__(256)
sort_buckets_of_values_between_1024_pivots_with_counts_per_block(const float *__restrict__ values,
                                                                 const float *__restrict__ pivots,
                                                                 unsigned short *__restrict__ bucket,
                                                                 int *__restrict__ counts, int n)
{
    constexpr int BUCKETS = 1024;
    __shared__ float pivot[BUCKETS];
    __shared__ int count[BUCKETS];
    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) {
        pivot[i] = pivots[i];
        count[i] = 0;
    }
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float value = values[i];
        int at = 0;
        for (int jump = BUCKETS / 2; jump > 0; jump /= 2)
            if (value >= pivot[at + jump]) at += jump;
        bucket[i] = (unsigned short)at;
        atomicAdd(&count[at], 1);
    }
    __syncthreads();

    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) counts[blockIdx.x * BUCKETS + i] = count[i];
}

struct CrossSections {
    double energy, total, elastic, absorption, fission, nu_fission;
};

/* kmutate launch
   struct CrossSections { double energy, total, elastic, absorption, fission, nu_fission; };
   int lookups = 200000, nuclides = 68, points = 8192, materials = 12;
   int all_points = nuclides * points;
   dim3 grid = { (lookups + 255) / 256 }, block = { 256 };
   double sample_energy[lookups] = uniform(0, 1);
   int sample_material[lookups] = randint(0, materials);
   double energies[all_points] = ascending(0, 1);
   int index_grid[all_points * nuclides] = randint(0, points - 1);
   struct CrossSections grids[all_points] = uniform(0, 1);
   int first[materials + 1] = csr_rowptr(materials, 4, 34);
   int listed = csr_nnz(materials, 4, 34);
   int member[listed] = randint(0, nuclides);
   double amount[listed] = uniform(0, 1);
   double macroscopic[5 * lookups] = zeros();
   macroscopic_cross_sections_of_materials_by_common_energy_grid(sample_energy, sample_material, energies, index_grid,
       grids, first, member, amount, macroscopic, lookups, all_points, nuclides, points);
*/
__global__ void macroscopic_cross_sections_of_materials_by_common_energy_grid(
    const double *__restrict__ sample_energy, const int *__restrict__ sample_material,
    const double *__restrict__ energies, const int *__restrict__ index_grid, const CrossSections *__restrict__ grids,
    const int *__restrict__ first, const int *__restrict__ member, const double *__restrict__ amount,
    double *__restrict__ macroscopic, int lookups, int all_points, int nuclides, int points)
{
    const int lookup = blockIdx.x * blockDim.x + threadIdx.x;
    if (lookup >= lookups) return;

    const double energy = sample_energy[lookup];
    int at = 0;
    for (int length = all_points; length > 1;) {
        const int half_length = length / 2;
        if (energies[at + half_length] <= energy) at += half_length;
        length -= half_length;
    }

    const int material = sample_material[lookup];
    const int end = first[material + 1];
    double total = 0.0, elastic = 0.0, absorption = 0.0, fission = 0.0, nu_fission = 0.0;
    for (int i = first[material]; i < end; ++i) {
        const int nuclide = member[i];
        const CrossSections *low = grids + nuclide * points + index_grid[(size_t)at * nuclides + nuclide];
        const CrossSections *high = low + 1;
        const double f = (high->energy - energy) / (high->energy - low->energy);
        const double n = amount[i];
        total += n * (high->total - f * (high->total - low->total));
        elastic += n * (high->elastic - f * (high->elastic - low->elastic));
        absorption += n * (high->absorption - f * (high->absorption - low->absorption));
        fission += n * (high->fission - f * (high->fission - low->fission));
        nu_fission += n * (high->nu_fission - f * (high->nu_fission - low->nu_fission));
    }
    macroscopic[5 * lookup] = total;
    macroscopic[5 * lookup + 1] = elastic;
    macroscopic[5 * lookup + 2] = absorption;
    macroscopic[5 * lookup + 3] = fission;
    macroscopic[5 * lookup + 4] = nu_fission;
}

/* kmutate launch
   int width = 4096, height = 6144;
   dim3 grid = { height }, block = { 256 };
   short image[width * height] = randint(-2048, 2048);
   short bands[width * height] = zeros();
   reversible_wavelet_level_of_rows_of_4096_shorts_lifted_in_shared(image, bands);
*/
__global__ void __launch_bounds__(256)
reversible_wavelet_level_of_rows_of_4096_shorts_lifted_in_shared(const short *__restrict__ image,
                                                                 short *__restrict__ bands)
{
    constexpr int WIDTH = 4096, HALF = WIDTH / 2;
    __shared__ int even[HALF], odd[HALF];

    const size_t row = (size_t)blockIdx.x * WIDTH;
    for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) {
        const int sample = image[row + i];
        if (i & 1)
            odd[i >> 1] = sample;
        else
            even[i >> 1] = sample;
    }
    __syncthreads();

    for (int i = threadIdx.x; i < HALF; i += blockDim.x) odd[i] -= (even[i] + even[min(i + 1, HALF - 1)]) >> 1;
    __syncthreads();

    for (int i = threadIdx.x; i < HALF; i += blockDim.x) {
        const int low = even[i] + ((odd[max(i - 1, 0)] + odd[i] + 2) >> 2);
        bands[row + i] = (short)low;
        bands[row + HALF + i] = (short)odd[i];
    }
}
