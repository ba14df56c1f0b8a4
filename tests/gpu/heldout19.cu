// The nineteenth set of kernels that nobody tuned the model of time for: applications of the classical suites, loops of
// linear algebra, the steps by which a matrix product is made fast, training and inference of networks in plain C
// style, and a mixed lot of sums, sorts, tables, images and prices, written from what is commonly known of the
// algorithms by someone who had seen neither the model nor its results.

#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>

// ------------------------------------------------------------------------------------------ applications of the suites

/* kmutate launch
   int rows = 1024, cols = 1024, steps = 2; dim3 block = { 16, 16 };
   dim3 grid = { (cols + 11) / 12, (rows + 11) / 12 };
   float power[rows * cols] = uniform(0, 0.001); float src[rows * cols] = uniform(320, 345);
   float dst[rows * cols] = zeros();
   hotspot_ghost_zone_steps(steps, power, src, dst, cols, rows, 1.365f, 0.1f, 0.1f, 0.0125f);
*/
// Temperature of a chip, two time steps in one launch: tiles of 16 by 16 overlap by a ghost zone, and the valid part
// shrinks by one point on each side per step.
__global__ void hotspot_ghost_zone_steps(int steps, const float *power, const float *temp_src, float *temp_dst,
                                         int cols, int rows, float step_div_cap, float rx1, float ry1, float rz1)
{
    __shared__ float temp_s[16][16];
    __shared__ float power_s[16][16];
    __shared__ float temp_t[16][16];
    const float amb_temp = 80.0f;
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;

    int small = 16 - steps * 2;
    int y0 = small * by - steps;
    int x0 = small * bx - steps;
    int yidx = y0 + ty;
    int xidx = x0 + tx;
    int index = cols * yidx + xidx;
    bool inside = yidx >= 0 && yidx < rows && xidx >= 0 && xidx < cols;

    if (inside) {
        temp_s[ty][tx] = temp_src[index];
        power_s[ty][tx] = power[index];
    }
    __syncthreads();

    int ymin = (y0 < 0) ? -y0 : 0;
    int ymax = (y0 + 15 > rows - 1) ? 15 - (y0 + 15 - rows + 1) : 15;
    int xmin = (x0 < 0) ? -x0 : 0;
    int xmax = (x0 + 15 > cols - 1) ? 15 - (x0 + 15 - cols + 1) : 15;
    int N = max(ty - 1, ymin);
    int S = min(ty + 1, ymax);
    int W = max(tx - 1, xmin);
    int E = min(tx + 1, xmax);

    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= 14 - i && ty >= i + 1 && ty <= 14 - i && inside) {
            computed = true;
            temp_t[ty][tx] = temp_s[ty][tx] +
                             step_div_cap * (power_s[ty][tx] +
                                             (temp_s[S][tx] + temp_s[N][tx] - 2.0f * temp_s[ty][tx]) * ry1 +
                                             (temp_s[ty][E] + temp_s[ty][W] - 2.0f * temp_s[ty][tx]) * rx1 +
                                             (amb_temp - temp_s[ty][tx]) * rz1);
        }
        __syncthreads();
        if (i == steps - 1)
            break;
        if (computed)
            temp_s[ty][tx] = temp_t[ty][tx];
        __syncthreads();
    }
    if (computed)
        temp_dst[index] = temp_t[ty][tx];
}

/* kmutate launch
   int rows = 2048, cols = 2048; dim3 block = { 16, 16 }; dim3 grid = { cols / 16, rows / 16 };
   float J[rows * cols] = uniform(0.8, 2.5); float C[rows * cols] = zeros(); float E[rows * cols] = zeros();
   float W[rows * cols] = zeros(); float N[rows * cols] = zeros(); float S[rows * cols] = zeros();
   srad_derivatives_and_coefficient(E, W, N, S, J, C, cols, rows, 0.053f);
*/
// Speckle reduction, first kernel: four derivatives and the diffusion coefficient of every pixel, the neighbour tiles'
// edges in four extra tiles of shared memory.
__global__ void srad_derivatives_and_coefficient(float *E_C, float *W_C, float *N_C, float *S_C, const float *J,
                                                 float *C, int cols, int rows, float q0sqr)
{
    __shared__ float temp[16][16];
    __shared__ float north[16][16];
    __shared__ float south[16][16];
    __shared__ float east[16][16];
    __shared__ float west[16][16];
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int base = cols * 16 * by + 16 * bx;
    int index = base + cols * ty + tx;
    int index_n = (by == 0) ? 16 * bx + tx : base + tx - cols;
    int index_s = (by == gridDim.y - 1) ? cols * (rows - 1) + 16 * bx + tx : base + cols * 16 + tx;
    int index_w = (bx == 0) ? cols * (16 * by + ty) : base + cols * ty - 1;
    int index_e = (bx == gridDim.x - 1) ? cols * (16 * by + ty) + cols - 1 : base + cols * ty + 16;

    north[ty][tx] = J[index_n];
    south[ty][tx] = J[index_s];
    west[ty][tx] = J[index_w];
    east[ty][tx] = J[index_e];
    temp[ty][tx] = J[index];
    __syncthreads();

    float jc = temp[ty][tx];
    float n = ((ty == 0) ? north[ty][tx] : temp[ty - 1][tx]) - jc;
    float s = ((ty == 15) ? south[ty][tx] : temp[ty + 1][tx]) - jc;
    float w = ((tx == 0) ? west[ty][tx] : temp[ty][tx - 1]) - jc;
    float e = ((tx == 15) ? east[ty][tx] : temp[ty][tx + 1]) - jc;

    float g2 = (n * n + s * s + w * w + e * e) / (jc * jc);
    float l = (n + s + w + e) / jc;
    float num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l));
    float den = 1 + (0.25f * l);
    float qsqr = num / (den * den);
    den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
    float c = 1.0f / (1.0f + den);
    if (c < 0)
        c = 0;
    else if (c > 1)
        c = 1;
    C[index] = c;
    E_C[index] = e;
    W_C[index] = w;
    S_C[index] = s;
    N_C[index] = n;
}

/* kmutate launch
   int n = 4096, cols = n + 1, diag = n / 64; dim3 block = { 64 }; dim3 grid = { diag };
   int reference[cols * cols] = randint(-4, 12); int itemsets[cols * cols] = randint(-200, 200);
   needle_block_antidiagonal(reference, itemsets, cols, 10, diag);
*/
// Needleman and Wunsch's alignment, the longest antidiagonal of tiles: a block of 64 threads fills its tile of 64 by 64
// along the tile's own antidiagonals in shared memory.
__global__ void needle_block_antidiagonal(const int *reference, int *itemsets, int cols, int penalty, int diag)
{
    __shared__ int temp[65][65];
    __shared__ int ref[64][64];
    int tx = threadIdx.x;
    int bx = blockIdx.x;
    int by = diag - 1 - bx;
    int corner = cols * 64 * by + 64 * bx;

    for (int ty = 0; ty < 64; ty++)
        ref[ty][tx] = reference[corner + cols * (ty + 1) + tx + 1];
    if (tx == 0)
        temp[0][0] = itemsets[corner];
    temp[tx + 1][0] = itemsets[corner + cols * (tx + 1)];
    temp[0][tx + 1] = itemsets[corner + tx + 1];
    __syncthreads();

    for (int m = 0; m < 64; m++) {
        if (tx <= m) {
            int x = tx + 1;
            int y = m - tx + 1;
            int best = temp[y - 1][x - 1] + ref[y - 1][x - 1];
            best = max(best, temp[y][x - 1] - penalty);
            best = max(best, temp[y - 1][x] - penalty);
            temp[y][x] = best;
        }
        __syncthreads();
    }
    for (int m = 62; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + 64 - m;
            int y = 64 - tx;
            int best = temp[y - 1][x - 1] + ref[y - 1][x - 1];
            best = max(best, temp[y][x - 1] - penalty);
            best = max(best, temp[y - 1][x] - penalty);
            temp[y][x] = best;
        }
        __syncthreads();
    }
    for (int ty = 0; ty < 64; ty++)
        itemsets[corner + cols * (ty + 1) + tx + 1] = temp[ty + 1][tx + 1];
}

/* kmutate launch
   int npoints = 494020, nfeatures = 34, nclusters = 5; dim3 block = { 256 }; dim3 grid = { (npoints + 255) / 256 };
   float feature[npoints * nfeatures] = uniform(0, 1); float clusters[nclusters * nfeatures] = uniform(0, 1);
   int membership[npoints] = zeros();
   kmeans_point_to_centre(feature, clusters, npoints, nfeatures, nclusters, membership);
*/
// k-means, which centre is nearest to each point: features are stored by columns and read once for each centre.
__global__ void kmeans_point_to_centre(const float *feature, const float *clusters, int npoints, int nfeatures,
                                       int nclusters, int *membership)
{
    unsigned int point_id = blockIdx.x * blockDim.x + threadIdx.x;
    if (point_id < npoints) {
        int index = -1;
        float min_dist = 3.402823466e+38f;
        for (int i = 0; i < nclusters; i++) {
            int cluster_base_index = i * nfeatures;
            float ans = 0.0f;
            for (int j = 0; j < nfeatures; j++) {
                float diff = feature[point_id + j * npoints] - clusters[cluster_base_index + j];
                ans += diff * diff;
            }
            if (ans < min_dist) {
                min_dist = ans;
                index = i;
            }
        }
        membership[point_id] = index;
    }
}

/* kmutate launch
   int in = 262144, hid = 16; dim3 block = { 16, 16 }; dim3 grid = { 1, in / 16 };
   float input[in + 1] = uniform(0, 1); float weights[(in + 1) * (hid + 1)] = uniform(0, 1);
   float partial[in / 16 * hid] = zeros();
   backprop_layer_forward_16(input, weights, partial, hid);
*/
// Forward pass of a layer of 16 hidden units over very many inputs: each block multiplies 16 inputs into a tile of
// weights, adds the tile's rows up by a tree and writes the tile back.
__global__ void backprop_layer_forward_16(const float *input, float *weights, float *partial, int hid)
{
    int by = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int index = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1);
    int index_in = 16 * by + ty + 1;

    __shared__ float input_node[16];
    __shared__ float weight_matrix[16][16];

    if (tx == 0)
        input_node[ty] = input[index_in];
    __syncthreads();
    weight_matrix[ty][tx] = weights[index];
    __syncthreads();
    weight_matrix[ty][tx] = weight_matrix[ty][tx] * input_node[ty];
    __syncthreads();

    for (int i = 1; i <= 4; i++) {
        int power_two = 1 << i;
        if (ty % power_two == 0)
            weight_matrix[ty][tx] = weight_matrix[ty][tx] + weight_matrix[ty + power_two / 2][tx];
        __syncthreads();
    }
    weights[index] = weight_matrix[ty][tx];
    __syncthreads();
    if (tx == 0)
        partial[by * hid + ty] = weight_matrix[tx][ty];
}

/* kmutate launch
   int nel = 192 * 1010; dim3 block = { 192 }; dim3 grid = { nel / 192 };
   int around[4 * nel] = randint(-2, nel); float normals[12 * nel] = uniform(-0.5, 0.5);
   float density[nel] = uniform(1.0, 1.6); float mx[nel] = uniform(0.2, 0.6); float my[nel] = uniform(-0.2, 0.2);
   float mz[nel] = uniform(-0.2, 0.2); float energy[nel] = uniform(2.2, 3.0); float fluxes[5 * nel] = zeros();
   euler_flux_four_faces(nel, around, normals, density, mx, my, mz, energy, fluxes);
*/
// Euler's equations on an unstructured mesh: a thread gathers the flow from its element's four neighbours, whose
// numbers are random, and sums up the fluxes through the faces; negative numbers are walls or the far field.
__global__ void euler_flux_four_faces(int nel, const int *around, const float *normals, const float *density,
                                      const float *mx, const float *my, const float *mz, const float *energy,
                                      float *fluxes)
{
    const float smoothing = 0.2f;
    const float gamma = 1.4f;
    const int i = blockDim.x * blockIdx.x + threadIdx.x;

    float d_i = density[i];
    float mx_i = mx[i], my_i = my[i], mz_i = mz[i];
    float e_i = energy[i];
    float vx_i = mx_i / d_i, vy_i = my_i / d_i, vz_i = mz_i / d_i;
    float sq_i = vx_i * vx_i + vy_i * vy_i + vz_i * vz_i;
    float speed_i = sqrtf(sq_i);
    float p_i = (gamma - 1.0f) * (e_i - 0.5f * d_i * sq_i);
    float sound_i = sqrtf(gamma * p_i / d_i);

    float fd = 0.0f, fx = 0.0f, fy = 0.0f, fz = 0.0f, fe = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int nb = around[i + j * nel];
        float nx = normals[i + (j + 0 * 4) * nel];
        float ny = normals[i + (j + 1 * 4) * nel];
        float nz = normals[i + (j + 2 * 4) * nel];
        float len = sqrtf(nx * nx + ny * ny + nz * nz);
        if (nb >= 0) {
            float d_n = density[nb];
            float mx_n = mx[nb], my_n = my[nb], mz_n = mz[nb];
            float e_n = energy[nb];
            float vx_n = mx_n / d_n, vy_n = my_n / d_n, vz_n = mz_n / d_n;
            float sq_n = vx_n * vx_n + vy_n * vy_n + vz_n * vz_n;
            float p_n = (gamma - 1.0f) * (e_n - 0.5f * d_n * sq_n);
            float sound_n = sqrtf(gamma * p_n / d_n);

            float factor = -len * smoothing * 0.5f * (speed_i + sqrtf(sq_n) + sound_i + sound_n);
            fd += factor * (d_i - d_n);
            fe += factor * (e_i - e_n);
            fx += factor * (mx_i - mx_n);
            fy += factor * (my_i - my_n);
            fz += factor * (mz_i - mz_n);

            float half_x = 0.5f * nx, half_y = 0.5f * ny, half_z = 0.5f * nz;
            float through_n = half_x * vx_n + half_y * vy_n + half_z * vz_n;
            float through_i = half_x * vx_i + half_y * vy_i + half_z * vz_i;
            fd += through_n * d_n + through_i * d_i;
            fe += through_n * (e_n + p_n) + through_i * (e_i + p_i);
            fx += through_n * mx_n + through_i * mx_i + half_x * (p_n + p_i);
            fy += through_n * my_n + through_i * my_i + half_y * (p_n + p_i);
            fz += through_n * mz_n + through_i * mz_i + half_z * (p_n + p_i);
        } else if (nb == -1) {
            fx += nx * p_i;
            fy += ny * p_i;
            fz += nz * p_i;
        } else {
            float factor = 0.5f * nx;
            fd += factor * (1.4f * 1.2f + mx_i);
            fe += factor * (3.8f + vx_i * (e_i + p_i));
            fx += factor * (3.0f + vx_i * mx_i + p_i);
            fy += factor * (vx_i * my_i);
            fz += factor * (vx_i * mz_i);
        }
    }
    fluxes[i + 0 * nel] = fd;
    fluxes[i + 1 * nel] = fx;
    fluxes[i + 2 * nel] = fy;
    fluxes[i + 3 * nel] = fz;
    fluxes[i + 4 * nel] = fe;
}

/* kmutate launch
   int n = 1000000; int nnz = csr_nnz(n, 0, 13); dim3 block = { 512 }; dim3 grid = { (n + 511) / 512 };
   int nodes[n + 1] = csr_rowptr(n, 0, 13); int edges[nnz] = csr_colidx(n);
   unsigned char mask[n] = randint(0, 2); unsigned char updating[n] = zeros(); unsigned char visited[n] = randint(0, 2);
   int cost[n] = fill(-1);
   bfs_expand_masked_nodes(nodes, edges, mask, updating, visited, cost, 7, n);
*/
// Breadth-first search by levels with a byte of mask for each node: half the nodes are in the front, and each goes
// through its edges alone.
__global__ void bfs_expand_masked_nodes(const int *nodes, const int *edges, unsigned char *mask,
                                        unsigned char *updating, const unsigned char *visited, int *cost, int depth,
                                        int n)
{
    int tid = blockIdx.x * 512 + threadIdx.x;
    if (tid < n && mask[tid]) {
        mask[tid] = 0;
        for (int i = nodes[tid]; i < nodes[tid + 1]; i++) {
            int id = edges[i];
            if (!visited[id]) {
                cost[id] = depth;
                updating[id] = 1;
            }
        }
    }
}

/* kmutate launch
   int queries = 1 << 18; dim3 block = { 256 }; dim3 grid = { queries / 8 };
   int level0[32] = ascending(0, 1 << 30); int level1[32 * 32] = ascending(0, 1 << 30);
   int level2[32 * 1024] = ascending(0, 1 << 30); int leaves[32 * 32768] = ascending(0, 1 << 30);
   int records[32 * 32768] = randint(0, 1000000); int key[queries] = randint(0, 1 << 30);
   int answer[queries] = zeros();
   bplus_tree_warp_per_query(queries, level0, level1, level2, leaves, records, key, answer);
*/
// Look-ups in a tree of nodes of 32 keys, four levels: the lanes of a warp compare one key each and a ballot says which
// child is next.
__global__ void bplus_tree_warp_per_query(int queries, const int *level0, const int *level1, const int *level2,
                                          const int *leaves, const int *records, const int *key, int *answer)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp >= queries)
        return;
    int wanted = key[warp];
    int node = 0;
    node = node * 32 + max(__popc(__ballot_sync(0xffffffff, level0[node * 32 + lane] <= wanted)) - 1, 0);
    node = node * 32 + max(__popc(__ballot_sync(0xffffffff, level1[node * 32 + lane] <= wanted)) - 1, 0);
    node = node * 32 + max(__popc(__ballot_sync(0xffffffff, level2[node * 32 + lane] <= wanted)) - 1, 0);
    int place = node * 32 + max(__popc(__ballot_sync(0xffffffff, leaves[node * 32 + lane] <= wanted)) - 1, 0);
    if (lane == 0)
        answer[warp] = records[place];
}

/* kmutate launch
   int numX = 32768, numK = 2048; dim3 block = { 256 }; dim3 grid = { numX / 256 };
   float4 kvalues[numK] = uniform(-0.5, 0.5); float x[numX] = uniform(-1, 1); float y[numX] = uniform(-1, 1);
   float z[numX] = uniform(-1, 1); float Qr[numX] = zeros(); float Qi[numX] = zeros();
   mri_q_sum_over_trajectory(numK, kvalues, x, y, z, Qr, Qi);
*/
// The matrix Q of magnetic resonance imaging: each voxel adds up cosine and sine of its phase at every point of the
// trajectory.
__global__ void mri_q_sum_over_trajectory(int numK, const float4 *__restrict__ kvalues, const float *x, const float *y,
                                          const float *z, float *Qr, float *Qi)
{
    int xIndex = blockIdx.x * blockDim.x + threadIdx.x;
    float sX = x[xIndex];
    float sY = y[xIndex];
    float sZ = z[xIndex];
    float sQr = 0.0f;
    float sQi = 0.0f;
    for (int kIndex = 0; kIndex < numK; kIndex++) {
        float4 k = kvalues[kIndex];
        float expArg = 6.2831853071795864769252867665590058f * (k.x * sX + k.y * sY + k.z * sZ);
        sQr += k.w * cosf(expArg);
        sQi += k.w * sinf(expArg);
    }
    Qr[xIndex] = sQr;
    Qi[xIndex] = sQi;
}

/* kmutate launch
   int side = 8, boxes = side * side * side; dim3 block = { 128 }; dim3 grid = { boxes };
   float4 rv[boxes * 100] = uniform(0.1, 1); float qv[boxes * 100] = uniform(0.1, 1);
   float4 fv[boxes * 100] = zeros();
   md_boxes_of_hundred_particles(side, 0.5f, rv, qv, fv);
*/
// Forces between particles in boxes of a hundred: a block has one home box and goes through it and its up to 26
// neighbours, whose particles are brought into shared memory.
__global__ void md_boxes_of_hundred_particles(int side, float alpha, const float4 *rv, const float *qv, float4 *fv)
{
    __shared__ float4 rA[100];
    __shared__ float4 rB[100];
    __shared__ float qB[100];
    int bx = blockIdx.x;
    int tx = threadIdx.x;
    float a2 = 2.0f * alpha * alpha;
    int hx = bx % side, hy = bx / side % side, hz = bx / (side * side);

    if (tx < 100)
        rA[tx] = rv[bx * 100 + tx];
    float4 f = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

    for (int dz = -1; dz <= 1; dz++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int nx = hx + dx, ny = hy + dy, nz = hz + dz;
                if (nx < 0 || ny < 0 || nz < 0 || nx >= side || ny >= side || nz >= side)
                    continue;
                int first = ((nz * side + ny) * side + nx) * 100;
                __syncthreads();
                if (tx < 100) {
                    rB[tx] = rv[first + tx];
                    qB[tx] = qv[first + tx];
                }
                __syncthreads();
                if (tx < 100) {
                    for (int j = 0; j < 100; j++) {
                        float4 a = rA[tx], b = rB[j];
                        float r2 = a.w + b.w - (a.x * b.x + a.y * b.y + a.z * b.z);
                        float u2 = a2 * r2;
                        float vij = expf(-u2);
                        float fs = 2.0f * vij;
                        f.w += qB[j] * vij;
                        f.x += qB[j] * (fs * (a.x - b.x));
                        f.y += qB[j] * (fs * (a.y - b.y));
                        f.z += qB[j] * (fs * (a.z - b.z));
                    }
                }
            }
        }
    }
    if (tx < 100)
        fv[bx * 100 + tx] = f;
}

// ----------------------------------------------------------------------------------- loops of linear algebra and grids

/* kmutate launch
   int nr = 96, nq = 112, np = 144; dim3 block = { 32, 8 }; dim3 grid = { (np + 31) / 32, (nq + 7) / 8, nr };
   double A[nr * nq * np] = uniform(-1, 1); double C4[np * np] = uniform(-1, 1); double sum[nr * nq * np] = zeros();
   doitgen_all_planes(nr, nq, np, sum, A, C4);
*/
// Multiresolution analysis in doubles: each plane of a cube times the same square matrix, one result per thread.
__global__ void doitgen_all_planes(int nr, int nq, int np, double *sum, const double *A, const double *C4)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y * blockDim.y + threadIdx.y;
    int r = blockIdx.z;
    if (p < np && q < nq) {
        double acc = 0.0;
        for (int s = 0; s < np; s++)
            acc = acc + A[r * (nq * np) + q * np + s] * C4[s * np + p];
        sum[r * (nq * np) + q * np + p] = acc;
    }
}

/* kmutate launch
   int ni = 600, nj = 480; dim3 block = { 32, 8 }; dim3 grid = { (ni + 31) / 32, (ni + 7) / 8 };
   double a[ni * nj] = uniform(-1, 1); double c[ni * ni] = uniform(-1, 1);
   syrk_plain_double(ni, nj, 1.5, 1.2, a, c);
*/
// C = beta C + alpha A A' in doubles, straight from global memory: the lanes of a warp read different rows of A.
__global__ void syrk_plain_double(int ni, int nj, double alpha, double beta, const double *a, double *c)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if ((i < ni) && (j < ni)) {
        c[i * ni + j] *= beta;
        for (int k = 0; k < nj; k++)
            c[i * ni + j] += alpha * a[i * nj + k] * a[j * nj + k];
    }
}

/* kmutate launch
   int nx = 3000, ny = 4000; dim3 block = { 32, 8 }; dim3 grid = { (ny + 31) / 32, (nx + 7) / 8 };
   float ex[nx * (ny + 1)] = uniform(-1, 1); float ey[(nx + 1) * ny] = uniform(-1, 1);
   float hz[nx * ny] = uniform(-1, 1);
   fdtd_magnetic_field(nx, ny, ex, ey, hz);
*/
// Finite differences in time on a plane: the magnetic field from the differences of both electric ones.
__global__ void fdtd_magnetic_field(int nx, int ny, const float *ex, const float *ey, float *hz)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if ((i < nx) && (j < ny))
        hz[i * ny + j] = hz[i * ny + j] - 0.7f * (ex[i * (ny + 1) + (j + 1)] - ex[i * (ny + 1) + j] +
                                                  ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

/* kmutate launch
   int nx = 4096, ny = 4096; dim3 block = { 256 }; dim3 grid = { (ny + 255) / 256 };
   float A[nx * ny] = uniform(0, 1); float tmp[nx] = uniform(-1, 1); float y[ny] = zeros();
   atax_transposed_half(nx, ny, A, y, tmp);
*/
// The second half of y = A' (A x): a thread for each column walks down the matrix, and the sum lives in memory.
__global__ void atax_transposed_half(int nx, int ny, const float *A, float *y, const float *tmp)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        y[j] = 0;
        for (int i = 0; i < nx; i++)
            y[j] += A[i * ny + j] * tmp[i];
    }
}

/* kmutate launch
   int n = 2600; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   double a[n * n] = uniform(-1, 1); double x1[n] = uniform(-1, 1); double y1[n] = uniform(-1, 1);
   mvt_rows_in_double(n, a, x1, y1);
*/
// x1 = x1 + A y1 in doubles: one thread walks along each row.
__global__ void mvt_rows_in_double(int n, const double *a, double *x1, const double *y1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = x1[i];
        for (int j = 0; j < n; j++)
            sum += a[i * n + j] * y1[j];
        x1[i] = sum;
    }
}

/* kmutate launch
   int m = 2048, n = 2048, k = 64; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float a[m * n] = uniform(-1, 1); float r[n * n] = zeros(); float q[m * n] = uniform(-0.03, 0.03);
   gramschmidt_project_columns(m, n, k, a, r, q);
*/
// Gram and Schmidt's third step: every later column loses its part along column k of Q, one thread per column, two
// walks down the matrix.
__global__ void gramschmidt_project_columns(int m, int n, int k, float *a, float *r, const float *q)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if ((j > k) && (j < n)) {
        float dot = 0.0f;
        for (int i = 0; i < m; i++)
            dot += q[i * n + k] * a[i * n + j];
        r[k * n + j] = dot;
        for (int i = 0; i < m; i++)
            a[i * n + j] -= q[i * n + k] * dot;
    }
}

/* kmutate launch
   int m = 256, n = 256; dim3 block = { 128 }; dim3 grid = { m / 128 };
   float data[n * m] = uniform(-1, 1); float symmat[m * m] = zeros();
   covariance_thread_per_first_column(m, n, symmat, data);
*/
// Covariances of 256 columns: a thread has the first column of a pair and does all second ones from there on, so that
// the first thread has most to do.
__global__ void covariance_thread_per_first_column(int m, int n, float *symmat, const float *data)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 < m) {
        for (int j2 = j1; j2 < m; j2++) {
            float sum = 0.0f;
            for (int i = 0; i < n; i++)
                sum += data[i * m + j1] * data[i * m + j2];
            symmat[j1 * m + j2] = sum;
            symmat[j2 * m + j1] = sum;
        }
    }
}

/* kmutate launch
   int n = 1024; dim3 block = { 64 }; dim3 grid = { n / 64 };
   double A[n * n] = uniform(0.1, 0.5); double B[n * n] = uniform(2, 3); double X[n * n] = uniform(-1, 1);
   adi_forward_along_rows(n, A, B, X);
*/
// Alternating directions, forward elimination along the rows: a thread for each row, every step needs the one before
// and two divisions.
__global__ void adi_forward_along_rows(int n, const double *A, double *B, double *X)
{
    int i1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (i1 < n) {
        for (int i2 = 1; i2 < n; i2++) {
            X[i1 * n + i2] = X[i1 * n + i2] - X[i1 * n + (i2 - 1)] * A[i1 * n + i2] / B[i1 * n + (i2 - 1)];
            B[i1 * n + i2] = B[i1 * n + i2] - A[i1 * n + i2] * A[i1 * n + i2] / B[i1 * n + (i2 - 1)];
        }
    }
}

// --------------------------------------------------------------------------------------- the matrix product, made fast

/* kmutate launch
   int M = 1024, N = 1024, K = 1024; dim3 block = { 1024 }; dim3 grid = { M / 32, N / 32 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   sgemm_coalesced(M, N, K, 1.0f, A, B, 0.5f, C);
*/
// Matrix product, second step: a thread per result, neighbouring threads on neighbouring columns, no shared memory.
__global__ void sgemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const int cRow = blockIdx.x * 32 + (threadIdx.x / 32);
    const int cCol = blockIdx.y * 32 + (threadIdx.x % 32);
    if (cRow < M && cCol < N) {
        float tmp = 0.0f;
        for (int i = 0; i < K; ++i)
            tmp += A[cRow * K + i] * B[i * N + cCol];
        C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
    }
}

/* kmutate launch
   int M = 1536, N = 1536, K = 1536; dim3 block = { 1024 }; dim3 grid = { M / 32, N / 32 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   sgemm_shared_blocks<32>(M, N, K, 1.0f, A, B, 0.0f, C);
*/
// Matrix product, third step: square tiles of both matrices in shared memory, one result per thread.
template <const int BLOCKSIZE>
__global__ void sgemm_shared_blocks(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                    float *C)
{
    const unsigned cRow = blockIdx.x;
    const unsigned cCol = blockIdx.y;
    __shared__ float As[BLOCKSIZE * BLOCKSIZE];
    __shared__ float Bs[BLOCKSIZE * BLOCKSIZE];
    const unsigned threadCol = threadIdx.x % BLOCKSIZE;
    const unsigned threadRow = threadIdx.x / BLOCKSIZE;

    A += cRow * BLOCKSIZE * K;
    B += cCol * BLOCKSIZE;
    C += cRow * BLOCKSIZE * N + cCol * BLOCKSIZE;

    float tmp = 0.0f;
    for (int bk = 0; bk < K; bk += BLOCKSIZE) {
        As[threadRow * BLOCKSIZE + threadCol] = A[threadRow * K + threadCol];
        Bs[threadRow * BLOCKSIZE + threadCol] = B[threadRow * N + threadCol];
        __syncthreads();
        A += BLOCKSIZE;
        B += BLOCKSIZE * N;
        for (int dot = 0; dot < BLOCKSIZE; ++dot)
            tmp += As[threadRow * BLOCKSIZE + dot] * Bs[dot * BLOCKSIZE + threadCol];
        __syncthreads();
    }
    C[threadRow * N + threadCol] = alpha * tmp + beta * C[threadRow * N + threadCol];
}

/* kmutate launch
   int M = 2048, N = 2048, K = 2048; dim3 block = { 512 }; dim3 grid = { N / 64, M / 64 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   sgemm_column_of_eight(M, N, K, 1.0f, A, B, 0.0f, C);
*/
// Matrix product, fourth step: tiles of 64 by 64 by 8, every thread has eight results one below another.
__global__ void sgemm_column_of_eight(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                      float *C)
{
    const int BM = 64, BN = 64, BK = 8, TM = 8;
    const int threadCol = threadIdx.x % BN;
    const int threadRow = threadIdx.x / BN;
    __shared__ float As[BM * BK];
    __shared__ __align__(16) float Bs[BK * BN];

    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;

    const int innerColA = threadIdx.x % BK;
    const int innerRowA = threadIdx.x / BK;
    const int innerColB = threadIdx.x % BN;
    const int innerRowB = threadIdx.x / BN;

    float results[TM] = { 0.0f };
    for (int bk = 0; bk < K; bk += BK) {
        As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
        Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dot = 0; dot < BK; ++dot) {
            float tmpB = Bs[dot * BN + threadCol];
            for (int i = 0; i < TM; ++i)
                results[i] += As[(threadRow * TM + i) * BK + dot] * tmpB;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        C[(threadRow * TM + i) * N + threadCol] =
            alpha * results[i] + beta * C[(threadRow * TM + i) * N + threadCol];
}

/* kmutate launch
   int M = 2048, N = 2048, K = 1024; dim3 block = { 256 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   sgemm_square_of_eight(M, N, K, 1.0f, A, B, 0.0f, C);
*/
// Matrix product, fifth step: tiles of 128 by 128 by 8, eight by eight adjacent results for every thread, single floats
// in all loads.
__global__ void __launch_bounds__(256, 1) sgemm_square_of_eight(int M, int N, int K, float alpha, const float *A,
                                                                const float *B, float beta, float *C)
{
    __shared__ float As[128 * 8];
    __shared__ float Bs[8 * 128];
    const int threadCol = threadIdx.x % 16;
    const int threadRow = threadIdx.x / 16;

    A += blockIdx.y * 128 * K;
    B += blockIdx.x * 128;
    C += blockIdx.y * 128 * N + blockIdx.x * 128;

    const int innerRowA = threadIdx.x / 8;
    const int innerColA = threadIdx.x % 8;
    const int innerRowB = threadIdx.x / 128;
    const int innerColB = threadIdx.x % 128;

    float results[8 * 8] = { 0.0f };
    float regM[8] = { 0.0f };
    float regN[8] = { 0.0f };
    for (int bk = 0; bk < K; bk += 8) {
        for (int o = 0; o < 128; o += 32)
            As[(innerRowA + o) * 8 + innerColA] = A[(innerRowA + o) * K + innerColA];
        for (int o = 0; o < 8; o += 2)
            Bs[(innerRowB + o) * 128 + innerColB] = B[(innerRowB + o) * N + innerColB];
        __syncthreads();
        A += 8;
        B += 8 * N;
        for (int dot = 0; dot < 8; ++dot) {
            for (int i = 0; i < 8; ++i)
                regM[i] = As[(threadRow * 8 + i) * 8 + dot];
            for (int i = 0; i < 8; ++i)
                regN[i] = Bs[dot * 128 + threadCol * 8 + i];
            for (int m = 0; m < 8; ++m)
                for (int n = 0; n < 8; ++n)
                    results[m * 8 + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < 8; ++m)
        for (int n = 0; n < 8; ++n)
            C[(threadRow * 8 + m) * N + threadCol * 8 + n] =
                alpha * results[m * 8 + n] + beta * C[(threadRow * 8 + m) * N + threadCol * 8 + n];
}

/* kmutate launch
   int M = 1024, N = 2048, K = 512; dim3 block = { 256 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   sgemm_float4_transposed_a(M, N, K, 1.0f, A, B, 0.5f, C);
*/
// Matrix product, sixth step: as before, but by fours of floats everywhere, and the tile of A is turned on its way into
// shared memory.
__global__ void sgemm_float4_transposed_a(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C)
{
    const int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
    __shared__ float As[BM * BK];
    __shared__ __align__(16) float Bs[BK * BN];
    const int threadCol = threadIdx.x % (BN / TN);
    const int threadRow = threadIdx.x / (BN / TN);

    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;

    const int innerRowA = threadIdx.x / (BK / 4);
    const int innerColA = threadIdx.x % (BK / 4);
    const int innerRowB = threadIdx.x / (BN / 4);
    const int innerColB = threadIdx.x % (BN / 4);

    float results[TM * TN] = { 0.0f };
    float regM[TM] = { 0.0f };
    float regN[TN] = { 0.0f };
    for (int bk = 0; bk < K; bk += BK) {
        float4 tmp = reinterpret_cast<float4 *>(&A[innerRowA * K + innerColA * 4])[0];
        As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
        As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
        As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
        As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
        reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =
            reinterpret_cast<float4 *>(&B[innerRowB * N + innerColB * 4])[0];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < TM; ++i)
                regM[i] = As[dot * BM + threadRow * TM + i];
            for (int i = 0; i < TN; ++i)
                regN[i] = Bs[dot * BN + threadCol * TN + i];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n)
                    results[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; m += 1) {
        for (int n = 0; n < TN; n += 4) {
            float4 tmp = reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0];
            tmp.x = alpha * results[m * TN + n] + beta * tmp.x;
            tmp.y = alpha * results[m * TN + n + 1] + beta * tmp.y;
            tmp.z = alpha * results[m * TN + n + 2] + beta * tmp.z;
            tmp.w = alpha * results[m * TN + n + 3] + beta * tmp.w;
            reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0] = tmp;
        }
    }
}

/* kmutate launch
   int M = 2048, N = 2048, K = 2048; dim3 block = { 128 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   sgemm_warp_tiles_64(M, N, K, 1.0f, A, B, 0.0f, C);
*/
// Matrix product with a level for warps: a block's tile of 128 by 128 by 16 is divided among four warps of 64 by 64,
// and a thread has eight rows of four strips of four.
__global__ void __launch_bounds__(128) sgemm_warp_tiles_64(int M, int N, int K, float alpha, float *A, float *B,
                                                           float beta, float *C)
{
    __shared__ __align__(16) float As[16 * 128];
    __shared__ __align__(16) float Bs[16 * 128];
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int warpCol = warp % 2;
    const int warpRow = warp / 2;
    const int laneCol = lane % 4;
    const int laneRow = lane / 4;

    A += blockIdx.y * 128 * K;
    B += blockIdx.x * 128;
    C += (blockIdx.y * 128 + warpRow * 64) * N + blockIdx.x * 128 + warpCol * 64;

    const int rowA = threadIdx.x / 4, colA = threadIdx.x % 4;
    const int rowB = threadIdx.x / 32, colB = threadIdx.x % 32;

    float acc[8 * 16] = { 0.0f };
    float regM[8];
    float regN[16];
    for (int bk = 0; bk < K; bk += 16) {
#pragma unroll
        for (int o = 0; o < 128; o += 32) {
            const float4 tmp = reinterpret_cast<const float4 *>(&A[(rowA + o) * K + colA * 4])[0];
            As[(colA * 4 + 0) * 128 + rowA + o] = tmp.x;
            As[(colA * 4 + 1) * 128 + rowA + o] = tmp.y;
            As[(colA * 4 + 2) * 128 + rowA + o] = tmp.z;
            As[(colA * 4 + 3) * 128 + rowA + o] = tmp.w;
        }
#pragma unroll
        for (int o = 0; o < 16; o += 4)
            reinterpret_cast<float4 *>(&Bs[(rowB + o) * 128 + colB * 4])[0] =
                reinterpret_cast<const float4 *>(&B[(rowB + o) * N + colB * 4])[0];
        __syncthreads();
        for (int dot = 0; dot < 16; ++dot) {
#pragma unroll
            for (int i = 0; i < 8; ++i)
                regM[i] = As[dot * 128 + warpRow * 64 + laneRow * 8 + i];
#pragma unroll
            for (int s = 0; s < 4; ++s)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    regN[s * 4 + i] = Bs[dot * 128 + warpCol * 64 + s * 16 + laneCol * 4 + i];
#pragma unroll
            for (int m = 0; m < 8; ++m)
#pragma unroll
                for (int n = 0; n < 16; ++n)
                    acc[m * 16 + n] += regM[m] * regN[n];
        }
        A += 16;
        B += 16 * N;
        __syncthreads();
    }
#pragma unroll
    for (int s = 0; s < 4; ++s) {
#pragma unroll
        for (int m = 0; m < 8; ++m) {
            float4 *out = reinterpret_cast<float4 *>(&C[(laneRow * 8 + m) * N + s * 16 + laneCol * 4]);
            float4 tmp = *out;
            tmp.x = alpha * acc[m * 16 + s * 4 + 0] + beta * tmp.x;
            tmp.y = alpha * acc[m * 16 + s * 4 + 1] + beta * tmp.y;
            tmp.z = alpha * acc[m * 16 + s * 4 + 2] + beta * tmp.z;
            tmp.w = alpha * acc[m * 16 + s * 4 + 3] + beta * tmp.w;
            *out = tmp;
        }
    }
}

/* kmutate launch
   int M = 1024, N = 1024, K = 1024; dim3 block = { 16, 16 }; dim3 grid = { N / 64, M / 64 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   sgemm_two_buffers_64(M, N, K, A, B, C);
*/
// Matrix product with two buffers: the next tiles travel through registers while the present ones are multiplied, one
// barrier per tile; 64 by 64 by 16, four by four results.
__global__ void sgemm_two_buffers_64(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B,
                                     float *__restrict__ C)
{
    __shared__ __align__(16) float As[2][16][64];
    __shared__ __align__(16) float Bs[2][16][64];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 16 + tx;
    const int ra = tid / 4, ca = tid % 4 * 4;
    const int rb = tid / 16, cb = tid % 16 * 4;
    const float *a = A + (blockIdx.y * 64 + ra) * K + ca;
    const float *b = B + rb * N + blockIdx.x * 64 + cb;

    float4 nextA = *(const float4 *)a;
    float4 nextB = *(const float4 *)b;
    As[0][ca + 0][ra] = nextA.x;
    As[0][ca + 1][ra] = nextA.y;
    As[0][ca + 2][ra] = nextA.z;
    As[0][ca + 3][ra] = nextA.w;
    *(float4 *)&Bs[0][rb][cb] = nextB;
    __syncthreads();

    float acc[4][4] = {};
    int now = 0;
    for (int k = 16; k <= K; k += 16) {
        if (k < K) {
            nextA = *(const float4 *)(a + k);
            nextB = *(const float4 *)(b + k * N);
        }
#pragma unroll
        for (int e = 0; e < 16; e++) {
            float4 u = *(const float4 *)&As[now][e][ty * 4];
            float4 v = *(const float4 *)&Bs[now][e][tx * 4];
            float p[4] = { u.x, u.y, u.z, u.w };
            float q[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] += p[i] * q[j];
        }
        if (k < K) {
            As[now ^ 1][ca + 0][ra] = nextA.x;
            As[now ^ 1][ca + 1][ra] = nextA.y;
            As[now ^ 1][ca + 2][ra] = nextA.z;
            As[now ^ 1][ca + 3][ra] = nextA.w;
            *(float4 *)&Bs[now ^ 1][rb][cb] = nextB;
            __syncthreads();
            now ^= 1;
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(float4 *)&C[(blockIdx.y * 64 + ty * 4 + i) * N + blockIdx.x * 64 + tx * 4] =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// ------------------------------------------------------------------------------ networks, trained and used, in plain C

/* kmutate launch
   int B = 4, T = 1024, C = 768, V = 50257; dim3 block = { 256 }; dim3 grid = { B * T * C / 256 };
   float dwte[V * C] = zeros(); float dwpe[T * C] = zeros(); float dout[B * T * C] = normal(0, 0.01);
   int inp[B * T] = randint(0, V);
   encoder_backward_two_atomics(dwte, dwpe, dout, inp, B, T, C);
*/
// Gradients of the embeddings of tokens and positions: each number is added to both tables by an atomic.
__global__ void encoder_backward_two_atomics(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T,
                                             int C)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int N = B * T * C;
    if (idx < N) {
        int bt = idx / C;
        int b = bt / T;
        int t = bt % T;
        int c = idx % C;
        int ix = inp[b * T + t];
        const float *dout_btc = dout + b * T * C + t * C + c;
        atomicAdd(dwte + ix * C + c, *dout_btc);
        atomicAdd(dwpe + t * C + c, *dout_btc);
    }
}

/* kmutate launch
   int N = 8192, C = 1024; dim3 block = { 512 }; dim3 grid = { N / 16 };
   float out[N * C] = zeros(); float mean[N] = zeros(); float rstd[N] = zeros(); float inp[N * C] = normal(0.2, 1.5);
   float weight[C] = uniform(0.5, 1.5); float bias[C] = uniform(-0.5, 0.5);
   layernorm_forward_warp_rows(out, mean, rstd, inp, weight, bias, N, C);
*/
// Normalisation of layers, forward: a warp has a row and goes through it three times, for the mean, the deviation and
// the result.
__global__ void layernorm_forward_warp_rows(float *__restrict__ out, float *__restrict__ mean,
                                            float *__restrict__ rstd, const float *__restrict__ inp,
                                            const float *__restrict__ weight, const float *__restrict__ bias, int N,
                                            int C)
{
    int lane = threadIdx.x % 32;
    int idx = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (idx >= N)
        return;
    const float *x = inp + idx * C;

    float sum = 0.0f;
    for (int i = lane; i < C; i += 32)
        sum += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    float m = sum / C;
    if (lane == 0)
        __stcs(mean + idx, m);

    sum = 0.0f;
    for (int i = lane; i < C; i += 32) {
        float diff = x[i] - m;
        sum += diff * diff;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    float s = rsqrtf(sum / C + 1e-5f);
    if (lane == 0)
        __stcs(rstd + idx, s);

    float *o = out + idx * C;
    for (int c = lane; c < C; c += 32) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}

/* kmutate launch
   int N = 4096, C = 768; dim3 block = { 256 }; dim3 grid = { N / 8 };
   float dinp[N * C] = zeros(); float dweight[C] = zeros(); float dbias[C] = zeros();
   float dout[N * C] = normal(0, 0.1); float inp[N * C] = normal(); float weight[C] = uniform(0.5, 1.5);
   float mean[N] = normal(0, 0.1); float rstd[N] = uniform(0.8, 1.2);
   layernorm_backward_shared_sums(dinp, dweight, dbias, dout, inp, weight, mean, rstd, N);
*/
// Normalisation of layers, backward: a warp for each row, two sums along it by shuffles; the weights' and biases'
// gradients are gathered by atomics in shared memory and then in global memory.
__global__ void layernorm_backward_shared_sums(float *dinp, float *dweight, float *dbias, const float *dout,
                                               const float *inp, const float *weight, const float *mean,
                                               const float *rstd, int N)
{
    __shared__ float dbias_shared[768];
    __shared__ float dweight_shared[768];
    const int C = 768;
    int lane = threadIdx.x & 31;
    int idx = blockIdx.x * (blockDim.x / 32) + (threadIdx.x >> 5);

    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        dbias_shared[i] = 0.0f;
        dweight_shared[i] = 0.0f;
    }
    __syncthreads();

    if (idx < N) {
        const float *dout_bt = dout + idx * C;
        const float *inp_bt = inp + idx * C;
        float *dinp_bt = dinp + idx * C;
        float mean_bt = mean[idx];
        float rstd_bt = rstd[idx];

        float dnorm_mean = 0.0f;
        float dnorm_norm_mean = 0.0f;
        for (int i = lane; i < C; i += 32) {
            float norm = (inp_bt[i] - mean_bt) * rstd_bt;
            float dnorm = weight[i] * dout_bt[i];
            dnorm_mean += dnorm;
            dnorm_norm_mean += dnorm * norm;
        }
        for (int o = 16; o > 0; o >>= 1) {
            dnorm_mean += __shfl_xor_sync(0xffffffff, dnorm_mean, o);
            dnorm_norm_mean += __shfl_xor_sync(0xffffffff, dnorm_norm_mean, o);
        }
        dnorm_mean = dnorm_mean / C;
        dnorm_norm_mean = dnorm_norm_mean / C;

        for (int i = lane; i < C; i += 32) {
            float norm = (inp_bt[i] - mean_bt) * rstd_bt;
            float dnorm = weight[i] * dout_bt[i];
            atomicAdd(&dbias_shared[i], dout_bt[i]);
            atomicAdd(&dweight_shared[i], norm * dout_bt[i]);
            float dval = 0.0f;
            dval += dnorm;
            dval -= dnorm_mean;
            dval -= norm * dnorm_norm_mean;
            dval *= rstd_bt;
            dinp_bt[i] += dval;
        }
    }
    __syncthreads();

    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        atomicAdd(&dbias[i], dbias_shared[i]);
        atomicAdd(&dweight[i], dweight_shared[i]);
    }
}

/* kmutate launch
   int B = 4, T = 512, NH = 12, C = NH * 64; dim3 block = { 256 }; dim3 grid = { B * NH * T * T / 256 };
   float preatt[B * NH * T * T] = zeros(); float qkv[B * T * 3 * C] = normal();
   attention_scores_one_each(preatt, qkv, B, T, C, NH);
*/
// Scores of attention in single precision: one thread for each pair of query and key, 64 products straight from memory;
// keys in the future get minus infinity.
__global__ void attention_scores_one_each(float *preatt, const float *qkv, int B, int T, int C, int NH)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int total = B * NH * T * T;
    if (idx < total) {
        int t2 = idx % T;
        int t = (idx / T) % T;
        if (t2 > t) {
            preatt[idx] = -__int_as_float(0x7f800000);
            return;
        }
        int h = (idx / (T * T)) % NH;
        int b = idx / (NH * T * T);
        int hs = C / NH;
        const float *query = qkv + b * T * 3 * C + t * 3 * C + h * hs;
        const float *key = qkv + b * T * 3 * C + t2 * 3 * C + h * hs + C;
        float val = 0.0f;
        for (int i = 0; i < hs; i++)
            val += query[i] * key[i];
        val *= 1.0f / sqrtf((float)hs);
        preatt[idx] = val;
    }
}

/* kmutate launch
   int BNH = 24, T = 1024; dim3 block = { 256 }; dim3 grid = { BNH * T / 8 };
   float out[BNH * T * T] = zeros(); float inp[BNH * T * T] = normal(0, 3);
   softmax_causal_online(out, 0.125f, inp, BNH * T, T);
*/
// Softmax of causal attention: a warp has a row as long as its position, finds maximum and sum in one pass that
// corrects itself, and writes the row from its end, with zeros for the future.
__global__ void softmax_causal_online(float *out, float scale, const float *inp, int N, int T)
{
    int lane = threadIdx.x % 32;
    int idx = (gridDim.x - blockIdx.x - 1) * (blockDim.x / 32) + threadIdx.x / 32;
    if (idx >= N)
        return;
    int own_pos = idx % T;
    const float *x = inp + (size_t)idx * T;
    float *y = out + (size_t)idx * T;

    float maxval = -3.402823466e+38f;
    float sumval = 0.0f;
    for (int i = lane; i <= own_pos; i += 32) {
        float v = x[i];
        float old = maxval;
        maxval = fmaxf(maxval, v);
        sumval *= expf(scale * (old - maxval));
        sumval += expf(scale * (v - maxval));
    }
    float whole = maxval;
    for (int o = 16; o > 0; o >>= 1)
        whole = fmaxf(whole, __shfl_xor_sync(0xffffffff, whole, o));
    sumval *= expf(scale * (maxval - whole));
    for (int o = 16; o > 0; o >>= 1)
        sumval += __shfl_xor_sync(0xffffffff, sumval, o);
    float norm = 1.0f / sumval;

    for (int i = T - 32 + lane; i >= 0; i -= 32) {
        if (i <= own_pos)
            y[i] = expf(scale * (__ldcs(x + i) - whole)) * norm;
        else
            y[i] = 0.0f;
    }
}

/* kmutate launch
   int BT = 1024, C = 768, OC = 1536; dim3 block = { 16, 16 }; dim3 grid = { BT / 16, OC / 16 };
   float out[BT * OC] = zeros(); float inp[BT * C] = normal(); float weight[OC * C] = uniform(-0.05, 0.05);
   float bias[OC] = uniform(-0.1, 0.1);
   linear_with_bias_naive(out, inp, weight, bias, BT, C, OC);
*/
// A linear layer with bias, first try: one thread for each result, neighbours in a warp have different rows of the
// input and of the result.
__global__ void linear_with_bias_naive(float *out, const float *inp, const float *weight, const float *bias, int BT,
                                       int C, int OC)
{
    int bt = blockIdx.x * blockDim.x + threadIdx.x;
    int oc = blockIdx.y * blockDim.y + threadIdx.y;
    if (bt < BT && oc < OC) {
        float val = (bias != NULL) ? bias[oc] : 0.0f;
        const float *wrow = weight + oc * C;
        const float *inp_bt = inp + bt * C;
        for (int i = 0; i < C; i++)
            val += inp_bt[i] * wrow[i];
        out[bt * OC + oc] = val;
    }
}

/* kmutate launch
   int n = 12000000; dim3 block = { 512 }; dim3 grid = { (n + 511) / 512 };
   float params[n] = normal(0, 0.02); float grads[n] = normal(0, 0.001); float m[n] = normal(0, 0.001);
   float v[n] = uniform(0, 0.0001);
   adamw_step_lerp(params, grads, m, v, n, 0.0003f, 0.9f, 0.95f, 0.65f, 0.4f, 1e-8f, 0.1f);
*/
// A step of AdamW in single precision, a thread for each parameter.
__global__ void adamw_step_lerp(float *params, const float *grads, float *m, float *v, long n, float learning_rate,
                                float beta1, float beta2, float beta1_correction, float beta2_correction, float eps,
                                float weight_decay)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float grad = grads[i];
    float mi = fmaf(beta1, m[i], fmaf(-beta1, grad, grad));
    float sq = grad * grad;
    float vi = fmaf(beta2, v[i], fmaf(-beta2, sq, sq));
    m[i] = mi;
    v[i] = vi;
    mi /= beta1_correction;
    vi /= beta2_correction;
    params[i] -= learning_rate * (mi / (sqrtf(vi) + eps) + weight_decay * params[i]);
}

/* kmutate launch
   int rows = 11008, cols = 4096; dim3 block = { 32, 4 }; dim3 grid = { rows / 4 };
   signed char w[rows * cols] = randint(-127, 128); half scale[rows * cols / 64] = uniform(0.001, 0.01);
   half x[cols] = normal(); half y[rows] = zeros();
   gemv_int8_groups_of_64((char4 *)w, scale, x, y, rows, cols);
*/
// A matrix of bytes with a scale for every 64 of them times a vector of halves: a warp for each row, four bytes per
// lane and step.
__global__ void gemv_int8_groups_of_64(const char4 *__restrict__ w, const half *__restrict__ scale,
                                       const half *__restrict__ x, half *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const char4 *wr = w + (size_t)row * (cols / 4);
    const half *sr = scale + (size_t)row * (cols / 64);
    float acc = 0.0f;
    for (int i = threadIdx.x; i < cols / 4; i += 32) {
        char4 q = wr[i];
        float s = __half2float(sr[i / 16]);
        float part = q.x * __half2float(x[4 * i]) + q.y * __half2float(x[4 * i + 1]) +
                     q.z * __half2float(x[4 * i + 2]) + q.w * __half2float(x[4 * i + 3]);
        acc += s * part;
    }
    for (int mask = 16; mask > 0; mask >>= 1)
        acc += __shfl_xor_sync(0xffffffff, acc, mask);
    if (threadIdx.x == 0)
        y[row] = __float2half(acc);
}

// ----------------------------------------------------------------------------------------------------------- mixed lot

/* kmutate launch
   unsigned n = 1 << 24; dim3 block = { 512 }; dim3 grid = { 64 };
   int in[n] = randint(0, 256); int out[64] = zeros();
   reduce_by_halves_unrolled<512>(in, out, n);
*/
// The sum of very many integers by 64 blocks: two numbers at each step over the grid, then a tree in shared memory with
// everything unrolled, the last warp without barriers of the block.
template <unsigned int blockSize>
__global__ void reduce_by_halves_unrolled(const int *g_idata, int *g_odata, unsigned int n)
{
    __shared__ int sdata[blockSize];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    int sum = 0;
    while (i < n) {
        sum += g_idata[i];
        if (i + blockSize < n)
            sum += g_idata[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = sum;
    __syncthreads();
    if (blockSize >= 512) {
        if (tid < 256)
            sdata[tid] = sum = sum + sdata[tid + 256];
        __syncthreads();
    }
    if (blockSize >= 256) {
        if (tid < 128)
            sdata[tid] = sum = sum + sdata[tid + 128];
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64)
            sdata[tid] = sum = sum + sdata[tid + 64];
        __syncthreads();
    }
    if (tid < 32) {
        sum += sdata[tid + 32];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (tid == 0)
            g_odata[blockIdx.x] = sum;
    }
}

/* kmutate launch
   int n = 1 << 22; dim3 block = { 256 }; dim3 grid = { n / 512 };
   float in[n] = uniform(0, 1); float out[n] = zeros(); float sums[n / 512] = zeros();
   prescan_up_and_down_sweep(out, in, sums);
*/
// Exclusive running sums of 512 numbers per block: up and down a tree in shared memory, with places left out so that
// banks do not collide.
__global__ void prescan_up_and_down_sweep(float *g_odata, const float *g_idata, float *sums)
{
    __shared__ float temp[512 + 512 / 32];
    int thid = threadIdx.x;
    int first = blockIdx.x * 512;
    int ai = thid;
    int bi = thid + 256;
    temp[ai + (ai >> 5)] = g_idata[first + ai];
    temp[bi + (bi >> 5)] = g_idata[first + bi];

    int offset = 1;
    for (int d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1;
            int b = offset * (2 * thid + 2) - 1;
            a += a >> 5;
            b += b >> 5;
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (thid == 0) {
        sums[blockIdx.x] = temp[511 + (511 >> 5)];
        temp[511 + (511 >> 5)] = 0.0f;
    }
    for (int d = 1; d < 512; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1;
            int b = offset * (2 * thid + 2) - 1;
            a += a >> 5;
            b += b >> 5;
            float t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    g_odata[first + ai] = temp[ai + (ai >> 5)];
    g_odata[first + bi] = temp[bi + (bi >> 5)];
}

/* kmutate launch
   unsigned words = 1 << 23; dim3 block = { 192 }; dim3 grid = { 240 };
   unsigned data[words] = randint(0, 1u << 31); unsigned partial[240 * 256] = zeros();
   histogram256_per_warp(partial, data, words);
*/
// A histogram of bytes: each of six warps counts in a table of its own in shared memory, four bytes of a word after one
// another; the block's tables are added up at the end.
__global__ void histogram256_per_warp(unsigned *partial, const unsigned *data, unsigned words)
{
    __shared__ unsigned tables[6 * 256];
    unsigned *mine = tables + (threadIdx.x >> 5) * 256;
    for (int i = threadIdx.x; i < 6 * 256; i += blockDim.x)
        tables[i] = 0;
    __syncthreads();
    for (unsigned pos = blockIdx.x * blockDim.x + threadIdx.x; pos < words; pos += blockDim.x * gridDim.x) {
        unsigned d = data[pos];
        atomicAdd(mine + ((d >> 0) & 0xFFU), 1);
        atomicAdd(mine + ((d >> 8) & 0xFFU), 1);
        atomicAdd(mine + ((d >> 16) & 0xFFU), 1);
        atomicAdd(mine + ((d >> 24) & 0xFFU), 1);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        unsigned sum = 0;
        for (int w = 0; w < 6; w++)
            sum += tables[bin + w * 256];
        partial[blockIdx.x * 256 + bin] = sum;
    }
}

/* kmutate launch
   int width = 4096, height = 3072; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 32 };
   float idata[width * height] = uniform(-1, 1); float odata[width * height] = zeros();
   transpose_tile_without_padding(odata, idata, width, height);
*/
// A matrix is turned through tiles of 32 by 32 in shared memory, columns of which all lie on one bank.
__global__ void transpose_tile_without_padding(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* kmutate launch
   int n = 1 << 22, shift = 8; dim3 block = { 512 }; dim3 grid = { n / 512 };
   unsigned keys[n] = randint(0, 1u << 31); unsigned sorted[n] = zeros(); unsigned counts[16 * (n / 512)] = zeros();
   radix_block_sort_four_bits(keys, sorted, counts, shift);
*/
// A radix sort's first kernel: 512 keys of a block are split by each of four bits in turn, ranks by ballots and a sum
// over the warps; then the digits are counted.
__global__ void radix_block_sort_four_bits(const unsigned *keys, unsigned *sorted, unsigned *counts, int shift)
{
    __shared__ unsigned s_keys[512];
    __shared__ unsigned s_zeros[16];
    __shared__ unsigned s_counts[16];
    unsigned tid = threadIdx.x;
    unsigned lane = tid & 31, warp = tid >> 5;
    unsigned key = keys[blockIdx.x * 512 + tid];
    if (tid < 16)
        s_counts[tid] = 0;

    for (int bit = shift; bit < shift + 4; bit++) {
        bool zero = ((key >> bit) & 1) == 0;
        unsigned ballot = __ballot_sync(0xffffffff, zero);
        if (lane == 0)
            s_zeros[warp] = __popc(ballot);
        __syncthreads();
        unsigned before = 0, total = 0;
        for (int w = 0; w < 16; w++) {
            if (w < warp)
                before += s_zeros[w];
            total += s_zeros[w];
        }
        unsigned rank = before + __popc(ballot & ((1u << lane) - 1));
        unsigned place = zero ? rank : total + tid - rank;
        s_keys[place] = key;
        __syncthreads();
        key = s_keys[tid];
    }
    atomicAdd(&s_counts[(key >> shift) & 15], 1);
    __syncthreads();
    sorted[blockIdx.x * 512 + tid] = key;
    if (tid < 16)
        counts[tid * gridDim.x + blockIdx.x] = s_counts[tid];
}

/* kmutate launch
   int n = 200000; int nnz = csr_nnz(n, 0, 65); dim3 block = { 256 }; dim3 grid = { (n * 8 + 255) / 256 };
   int ptr[n + 1] = csr_rowptr(n, 0, 65); int indices[nnz] = csr_colidx(n); float data[nnz] = uniform(-1, 1);
   float x[n] = uniform(-1, 1); float y[n] = zeros();
   spmv_csr_eight_lanes(n, ptr, indices, data, x, y);
*/
// A sparse matrix by rows times a vector, eight lanes for each row.
__global__ void spmv_csr_eight_lanes(int n, const int *ptr, const int *indices, const float *data, const float *x,
                                     float *y)
{
    int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
    int row = thread_id / 8;
    int lane = thread_id % 8;
    float sum = 0.0f;
    if (row < n) {
        int row_end = ptr[row + 1];
        for (int jj = ptr[row] + lane; jj < row_end; jj += 8)
            sum += data[jj] * x[indices[jj]];
    }
    sum += __shfl_down_sync(0xffffffff, sum, 4, 8);
    sum += __shfl_down_sync(0xffffffff, sum, 2, 8);
    sum += __shfl_down_sync(0xffffffff, sum, 1, 8);
    if (row < n && lane == 0)
        y[row] += sum;
}

/* kmutate launch
   int n = 1500000; unsigned capacity = 1 << 22; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   unsigned keys[n] = permutation(); unsigned values[n] = randint(0, 1000000); unsigned slots[capacity] = zeros();
   unsigned stored[capacity] = zeros();
   hash_insert_linear_probing(slots, stored, keys, values, n, capacity - 1);
*/
// Keys, all different, go into a table of open addressing: compare and swap from the hashed place onwards until a free
// one is met; zero marks a free place.
__global__ void hash_insert_linear_probing(unsigned *slots, unsigned *stored, const unsigned *keys,
                                           const unsigned *values, int n, unsigned mask)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n)
        return;
    unsigned key = keys[tid] + 1;
    unsigned value = values[tid];
    unsigned k = key;
    k ^= k >> 16;
    k *= 0x85ebca6b;
    k ^= k >> 13;
    k *= 0xc2b2ae35;
    k ^= k >> 16;
    unsigned slot = k & mask;
    while (true) {
        unsigned prev = atomicCAS(&slots[slot], 0u, key);
        if (prev == 0u || prev == key) {
            stored[slot] = value;
            return;
        }
        slot = (slot + 1) & mask;
    }
}

/* kmutate launch
   int n = 1 << 22, p = 64; dim3 block = { 256 }; dim3 grid = { n / 4 / 256 };
   float2 x[n] = uniform(-1, 1); float2 y[n] = zeros();
   fft_radix4_pass(x, y, p);
*/
// One pass of a Fourier transform of radix four out of place: four points a quarter of the array apart, three
// twiddle factors from sine and cosine, results p apart.
__global__ void fft_radix4_pass(const float2 *x, float2 *y, int p)
{
    int t = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = i & (p - 1);
    float alpha = -3.14159265f * (float)k / (float)(2 * p);

    float2 u0 = x[i];
    float2 u1 = x[i + t];
    float2 u2 = x[i + 2 * t];
    float2 u3 = x[i + 3 * t];

    float s, c, re;
    sincosf(alpha, &s, &c);
    re = u1.x * c - u1.y * s;
    u1.y = u1.x * s + u1.y * c;
    u1.x = re;
    sincosf(2.0f * alpha, &s, &c);
    re = u2.x * c - u2.y * s;
    u2.y = u2.x * s + u2.y * c;
    u2.x = re;
    sincosf(3.0f * alpha, &s, &c);
    re = u3.x * c - u3.y * s;
    u3.y = u3.x * s + u3.y * c;
    u3.x = re;

    float2 v0 = make_float2(u0.x + u2.x, u0.y + u2.y);
    float2 v1 = make_float2(u0.x - u2.x, u0.y - u2.y);
    float2 v2 = make_float2(u1.x + u3.x, u1.y + u3.y);
    float2 v3 = make_float2(u1.y - u3.y, u3.x - u1.x);

    int j = ((i - k) << 2) + k;
    y[j] = make_float2(v0.x + v2.x, v0.y + v2.y);
    y[j + p] = make_float2(v1.x + v3.x, v1.y + v3.y);
    y[j + 2 * p] = make_float2(v0.x - v2.x, v0.y - v2.y);
    y[j + 3 * p] = make_float2(v1.x - v3.x, v1.y - v3.y);
}

/* kmutate launch
   int n = 16384; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float4 pos[n] = uniform(-1, 1); float4 vel[n] = zeros(); float4 newpos[n] = zeros();
   nbody_tiles_of_256(newpos, pos, vel, n, 0.016f, 0.995f, 0.00125f);
*/
// All bodies pull each other: places and masses of 256 at a time in shared memory, then a step of the motion.
__global__ void nbody_tiles_of_256(float4 *newPos, const float4 *oldPos, float4 *vel, int n, float deltaTime,
                                   float damping, float softeningSquared)
{
    __shared__ float4 sharedPos[256];
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    float4 position = oldPos[index];
    float3 accel = { 0.0f, 0.0f, 0.0f };

    for (int tile = 0; tile < n / 256; tile++) {
        sharedPos[threadIdx.x] = oldPos[tile * 256 + threadIdx.x];
        __syncthreads();
#pragma unroll 32
        for (int j = 0; j < 256; j++) {
            float4 bj = sharedPos[j];
            float3 r;
            r.x = bj.x - position.x;
            r.y = bj.y - position.y;
            r.z = bj.z - position.z;
            float distSqr = r.x * r.x + r.y * r.y + r.z * r.z;
            distSqr += softeningSquared;
            float invDist = rsqrtf(distSqr);
            float invDistCube = invDist * invDist * invDist;
            float s = bj.w * invDistCube;
            accel.x += r.x * s;
            accel.y += r.y * s;
            accel.z += r.z * s;
        }
        __syncthreads();
    }
    float4 velocity = vel[index];
    velocity.x += accel.x * deltaTime;
    velocity.y += accel.y * deltaTime;
    velocity.z += accel.z * deltaTime;
    velocity.x *= damping;
    velocity.y *= damping;
    velocity.z *= damping;
    position.x += velocity.x * deltaTime;
    position.y += velocity.y * deltaTime;
    position.z += velocity.z * deltaTime;
    newPos[index] = position;
    vel[index] = velocity;
}

/* kmutate launch
   int width = 1600, height = 1200; dim3 block = { 16, 16 }; dim3 grid = { width / 16, height / 16 };
   uchar4 image[width * height] = zeros();
   mandelbrot_double_crunch(image, width, height, 512, -0.6, 0.0, 0.0018);
*/
// Mandelbrot's set in doubles, at most 512 rounds for each pixel, and a colour by the number of rounds.
__global__ void mandelbrot_double_crunch(uchar4 *dst, int imageW, int imageH, int crunch, double xOff, double yOff,
                                         double scale)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x;
    const int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix >= imageW || iy >= imageH)
        return;
    double x0 = (ix - imageW / 2) * scale + xOff;
    double y0 = (iy - imageH / 2) * scale + yOff;
    double x = x0, y = y0;
    double xx = x * x, yy = y * y;
    int i = crunch;
    while (i > 0 && xx + yy < 4.0) {
        y = 2.0 * x * y + y0;
        x = xx - yy + x0;
        xx = x * x;
        yy = y * y;
        i--;
    }
    uchar4 color = make_uchar4(0, 0, 0, 0);
    if (i > 0) {
        color.x = (unsigned char)(i * 3);
        color.y = (unsigned char)(i * 5);
        color.z = (unsigned char)(i * 7);
    }
    dst[imageW * iy + ix] = color;
}

/* kmutate launch
   int w = 4096, h = 2048; dim3 block = { 16, 4 }; dim3 grid = { w / 128, h / 4 };
   float src[w * h] = uniform(0, 1); float dst[w * h] = zeros();
   convolution_rows_eight_results(dst, src, w);
*/
// The row half of a separable convolution of 17 taps: eight results for each thread from a strip of shared memory with
// a rim of sixteen on both sides, zeros beyond the image; the taps are constants.
__constant__ float row_taps[17] = { 0.011f, 0.017f, 0.026f, 0.037f, 0.050f, 0.064f, 0.078f, 0.090f, 0.254f,
                                    0.090f, 0.078f, 0.064f, 0.050f, 0.037f, 0.026f, 0.017f, 0.011f };

__global__ void convolution_rows_eight_results(float *d_Dst, const float *d_Src, int imageW)
{
    __shared__ float s_Data[4][(8 + 2) * 16];
    const int baseX = (blockIdx.x * 8 - 1) * 16 + threadIdx.x;
    const int baseY = blockIdx.y * 4 + threadIdx.y;
    const int base = baseY * imageW + baseX;

#pragma unroll
    for (int i = 1; i < 9; i++)
        s_Data[threadIdx.y][threadIdx.x + i * 16] = d_Src[base + i * 16];
    s_Data[threadIdx.y][threadIdx.x] = (baseX >= 0) ? d_Src[base] : 0.0f;
    s_Data[threadIdx.y][threadIdx.x + 9 * 16] = (imageW - baseX > 9 * 16) ? d_Src[base + 9 * 16] : 0.0f;
    __syncthreads();

#pragma unroll
    for (int i = 1; i < 9; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -8; j <= 8; j++)
            sum += row_taps[8 - j] * s_Data[threadIdx.y][threadIdx.x + i * 16 + j];
        d_Dst[base + i * 16] = sum;
    }
}

/* kmutate launch
   int w = 1920, h = 1080; dim3 block = { 16, 8 }; dim3 grid = { w / 16, h / 8 };
   float src[w * h] = uniform(0, 1); float spatial[49] = uniform(0.3, 1); float dst[w * h] = zeros();
   bilateral_seven_by_seven(dst, src, spatial, w, h, 12.5f);
*/
// A filter that keeps edges: 49 neighbours weighted by their distance, from a table, and by an exponential of the
// difference in brightness; clamped at the image's borders.
__global__ void bilateral_seven_by_seven(float *dst, const float *src, const float *spatial, int w, int h,
                                         float inv_two_sigma2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float centre = src[y * w + x];
    float sum = 0.0f;
    float weights = 0.0f;
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            int cx = min(max(x + dx, 0), w - 1);
            int cy = min(max(y + dy, 0), h - 1);
            float v = src[cy * w + cx];
            float d = v - centre;
            float weight = spatial[(dy + 3) * 7 + dx + 3] * __expf(-d * d * inv_two_sigma2);
            sum += weight * v;
            weights += weight;
        }
    }
    dst[y * w + x] = sum / weights;
}

/* kmutate launch
   int options = 600, steps = 1024; dim3 block = { 256 }; dim3 grid = { options };
   float S[options] = uniform(5, 30); float X[options] = uniform(1, 100); float T[options] = uniform(0.25, 10);
   float value[options] = zeros();
   binomial_tree_block_per_option(S, X, T, value, steps, 0.06f, 0.1f);
*/
// Prices of options by a tree of 1024 steps: a block has an option, walks back from the leaves in shared memory with
// two buffers and a barrier for every step.
__global__ void binomial_tree_block_per_option(const float *S, const float *X, const float *T, float *value, int steps,
                                               float riskfree, float volatility)
{
    __shared__ float tree[2][1025];
    int opt = blockIdx.x;
    int tid = threadIdx.x;
    float dt = T[opt] / (float)steps;
    float vDt = volatility * sqrtf(dt);
    float If = expf(riskfree * dt);
    float Df = expf(-riskfree * dt);
    float u = expf(vDt);
    float d = expf(-vDt);
    float pu = (If - d) / (u - d);
    float puByDf = pu * Df;
    float pdByDf = (1.0f - pu) * Df;

    for (int i = tid; i <= steps; i += blockDim.x) {
        float price = S[opt] * expf(vDt * (2.0f * i - steps));
        tree[0][i] = fmaxf(price - X[opt], 0.0f);
    }
    __syncthreads();
    int from = 0;
    for (int level = steps; level > 0; level--) {
        for (int c = tid; c < level; c += blockDim.x)
            tree[from ^ 1][c] = puByDf * tree[from][c + 1] + pdByDf * tree[from][c];
        from ^= 1;
        __syncthreads();
    }
    if (tid == 0)
        value[opt] = tree[from][0];
}
