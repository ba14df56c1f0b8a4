// The second set of kernels that the model of time was never compared with while it was made: written when the first set
// (heldout.cu) was known, measured once on an H200, then simulated once (tests/gpu/heldout.py, docs/heldout.md).

#define TILE 32

/* kmutate launch
   int pairs = 4096; dim3 grid = { pairs }; dim3 block = { 256 };
   int best[pairs] = zeros(); unsigned char a[pairs * 256] = randint(0, 4); unsigned char b[pairs * 256] = randint(0, 4);
   align_pairs(best, a, b, 3, -2, 4);
*/
// Local alignment of two strings of 256 letters in a block, one diagonal after the other.
__global__ void align_pairs(int *best, const unsigned char *a, const unsigned char *b, int hit, int miss, int gap)
{
    __shared__ int diagonal[3][257];
    __shared__ unsigned char letters[256];
    __shared__ int most;
    int t = threadIdx.x, mine = 0;
    unsigned char letter = a[blockIdx.x * 256 + t];
    letters[t] = b[blockIdx.x * 256 + t];
    for (int k = t; k < 3 * 257; k += 256) diagonal[0][k] = 0;
    if (t == 0) most = 0;
    __syncthreads();
    for (int d = 0; d < 511; d++) {
        int *now = diagonal[d % 3], *last = diagonal[(d + 2) % 3], *older = diagonal[(d + 1) % 3], j = d - t;
        if (j >= 0 && j < 256) {
            int score = older[t] + (letters[j] == letter ? hit : miss);
            score = max(max(score, 0), max(last[t], last[t + 1]) - gap);
            now[t + 1] = score;
            mine = max(mine, score);
        }
        __syncthreads();
    }
    atomicMax(&most, mine);
    __syncthreads();
    if (t == 0) best[blockIdx.x] = most;
}

/* kmutate launch
   int side = 14, per = 100, boxes = side * side * side; dim3 grid = { boxes }; dim3 block = { 128 };
   float4 at[boxes * per] = uniform(0, 1); float4 force[boxes * per] = zeros();
   box_forces(force, at, side, per, 0.5f);
*/
// Each particle of a box with those of the box and its 26 neighbours, as in molecular dynamics; boxes wrap around.
__global__ void box_forces(float4 *force, const float4 *at, int side, int per, float alpha)
{
    __shared__ float4 others[128];
    int box = blockIdx.x, t = threadIdx.x;
    int bx = box % side, by = box / side % side, bz = box / (side * side);
    float4 me = t < per ? at[box * per + t] : make_float4(0, 0, 0, 0), sum = make_float4(0, 0, 0, 0);
    for (int n = 0; n < 27; n++) {
        int x = (bx + n % 3 - 1 + side) % side, y = (by + n / 3 % 3 - 1 + side) % side, z = (bz + n / 9 - 1 + side) % side;
        int there = (z * side + y) * side + x;
        if (t < per) others[t] = at[there * per + t];
        __syncthreads();
        if (t < per)
            for (int j = 0; j < per; j++) {
                float4 o = others[j];
                float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
                float v = o.w * expf(-alpha * (dx * dx + dy * dy + dz * dz));
                sum.x += v * dx;
                sum.y += v * dy;
                sum.z += v * dz;
                sum.w += v;
            }
        __syncthreads();
    }
    if (t < per) force[box * per + t] = sum;
}

/* kmutate launch
   int n = 1 << 20, features = 20, clusters = 24; dim3 grid = { n / 256 }; dim3 block = { 256 };
   int member[n] = zeros(); float points[n * features] = uniform(0, 1); float centres[clusters * features] = uniform(0, 1);
   assign_clusters(member, points, centres, n, features, clusters);
*/
__global__ void assign_clusters(int *member, const float *points, const float *centres, int n, int features, int clusters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, nearest = -1;
    if (i >= n) return;
    float least = 3.4e38f;
    for (int c = 0; c < clusters; c++) {
        float far = 0;
        for (int f = 0; f < features; f++) {
            float d = points[f * n + i] - centres[c * features + f];
            far += d * d;
        }
        if (far < least) { least = far; nearest = c; }
    }
    member[i] = nearest;
}

/* kmutate launch
   int inputs = 1 << 21, hidden = 16; dim3 grid = { inputs / 16 }; dim3 block = { 16, 16 };
   float partial[inputs / 16 * hidden] = zeros(); float input[inputs] = uniform(0, 1); float weight[inputs * hidden] = uniform(-1, 1);
   layer_forward(partial, input, weight, hidden);
*/
// Sums of 16 inputs for 16 hidden units in a block, as in a layer of back-propagation.
__global__ void layer_forward(float *partial, const float *input, float *weight, int hidden)
{
    __shared__ float node[16];
    __shared__ float product[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.x * 16 + ty;
    if (tx == 0) node[ty] = input[row];
    __syncthreads();
    product[ty][tx] = weight[row * hidden + tx] * node[ty];
    __syncthreads();
    for (int step = 1; step < 16; step *= 2) {
        if (ty % (2 * step) == 0) product[ty][tx] += product[ty + step][tx];
        __syncthreads();
    }
    if (ty == 0) partial[blockIdx.x * hidden + tx] = product[0][tx];
}

/* kmutate launch
   int nodes = 1 << 21, lo = 2, hi = 14, edges = csr_nnz(nodes, lo, hi); dim3 grid = { nodes / 512 }; dim3 block = { 512 };
   int first[nodes + 1] = csr_rowptr(nodes, lo, hi); int to[edges] = csr_colidx(nodes);
   int level[nodes] = randint(-1, 3); int next[nodes] = zeros(); int more[1] = zeros();
   visit_level(next, more, level, first, to, nodes, 2);
*/
// One level of a breadth-first search: nodes of the level mark their neighbours that have none.
__global__ void visit_level(int *next, int *more, const int *level, const int *first, const int *to, int nodes, int depth)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || level[node] != depth) return;
    for (int e = first[node]; e < first[node + 1]; e++) {
        int there = to[e];
        if (level[there] < 0) {
            next[there] = depth + 1;
            *more = 1;
        }
    }
}

/* kmutate launch
   int rows = 1 << 20, width = 24; dim3 grid = { rows / 192 + 1 }; dim3 block = { 192 };
   float y[rows] = zeros(); float value[rows * width] = uniform(-1, 1); int column[rows * width] = randint(0, (1 << 20) - 1);
   float x[1 << 20] = uniform(-1, 1);
   spmv_ell(y, value, column, x, rows, width);
*/
__global__ void spmv_ell(float *y, const float *value, const int *column, const float *x, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < width; k++) sum += value[k * rows + row] * x[column[k * rows + row]];
    y[row] = sum;
}

/* kmutate launch
   int n = 8192; dim3 grid = { n / 32, n / 16 }; dim3 block = { 32, 16 };
   float out[n * n] = zeros(); float in[n * n] = uniform(0, 1); float source[n * n] = uniform(0, 1);
   heat_tile(out, in, source, n, 0.2f, 0.01f);
*/
__global__ void heat_tile(float *out, const float *in, const float *source, int n, float k, float dt)
{
    __shared__ float tile[18][34];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 16 + ty;
    tile[ty + 1][tx + 1] = in[y * n + x];
    if (tx == 0) tile[ty + 1][0] = x > 0 ? in[y * n + x - 1] : 0.0f;
    if (tx == 31) tile[ty + 1][33] = x < n - 1 ? in[y * n + x + 1] : 0.0f;
    if (ty == 0) tile[0][tx + 1] = y > 0 ? in[(y - 1) * n + x] : 0.0f;
    if (ty == 15) tile[17][tx + 1] = y < n - 1 ? in[(y + 1) * n + x] : 0.0f;
    __syncthreads();
    float here = tile[ty + 1][tx + 1];
    float around = tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2];
    out[y * n + x] = here + k * (around - 4.0f * here) + dt * source[y * n + x];
}

/* kmutate launch
   int nx = 384, ny = 256, nz = 256; dim3 grid = { nx / 64, ny / 4, nz }; dim3 block = { 64, 4 };
   float out[nx * ny * nz] = zeros(); float in[nx * ny * nz] = uniform(0, 1);
   smooth27(out, in, nx, ny, nz, 0.5f, 0.05f, 0.01f, 0.005f);
*/
__global__ void smooth27(float *out, const float *in, int nx, int ny, int nz, float c0, float c1, float c2, float c3)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    float sum = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int steps = abs(dx) + abs(dy) + abs(dz);
                float c = steps == 0 ? c0 : steps == 1 ? c1 : steps == 2 ? c2 : c3;
                sum += c * in[((z + dz) * ny + y + dy) * nx + x + dx];
            }
    out[(z * ny + y) * nx + x] = sum;
}

__constant__ float blur_weight[17];

/* kmutate launch
   int w = 8192, h = 4096; dim3 grid = { w / 128, h / 4 }; dim3 block = { 128, 4 };
   extern float blur_weight[17] = uniform(0, 0.1);
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 1);
   blur_rows(out, in, w, h);
*/
// The row pass of a separable convolution, radius 8.
__global__ void blur_rows(float *out, const float *in, int w, int h)
{
    __shared__ float line[4][128 + 16];
    int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * 4 + ty, left = blockIdx.x * 128 - 8;
    for (int k = tx; k < 144; k += 128) {
        int x = min(max(left + k, 0), w - 1);
        line[ty][k] = in[y * w + x];
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 17; k++) sum += blur_weight[k] * line[ty][tx + k];
    out[y * w + left + 8 + tx] = sum;
}

__device__ float sum_of_block(float v)
{
    __shared__ float warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    __syncthreads();
    if (lane == 0) warps[warp] = v;
    __syncthreads();
    v = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

/* kmutate launch
   int rows = 32768, width = 1536; dim3 grid = { rows }; dim3 block = { 384 };
   float out[rows * width] = zeros(); float in[rows * width] = normal(); float gain[width] = ones(); float shift[width] = zeros();
   layer_norm(out, in, gain, shift, width, 1e-5f);
*/
__global__ void layer_norm(float *out, const float *in, const float *gain, const float *shift, int width, float eps)
{
    const float *row = in + (size_t)blockIdx.x * width;
    float *there = out + (size_t)blockIdx.x * width;
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < width; c += blockDim.x) sum += row[c];
    float mean = sum_of_block(sum) / width;
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        float d = row[c] - mean;
        squares += d * d;
    }
    float scale = rsqrtf(sum_of_block(squares) / width + eps);
    for (int c = threadIdx.x; c < width; c += blockDim.x) there[c] = (row[c] - mean) * scale * gain[c] + shift[c];
}

/* kmutate launch
   int rows = 65536, width = 1000; dim3 grid = { rows / 4 }; dim3 block = { 32, 4 };
   float out[rows * width] = zeros(); float in[rows * width] = normal();
   softmax_online(out, in, rows, width);
*/
// A warp a row; maximum and sum in one pass.
__global__ void softmax_online(float *out, const float *in, int rows, int width)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float *x = in + (size_t)row * width;
    float most = -1e38f, sum = 0;
    for (int c = threadIdx.x; c < width; c += 32) {
        float v = x[c], higher = fmaxf(most, v);
        sum = sum * __expf(most - higher) + __expf(v - higher);
        most = higher;
    }
    for (int d = 16; d > 0; d /= 2) {
        float m = __shfl_xor_sync(0xffffffffu, most, d), s = __shfl_xor_sync(0xffffffffu, sum, d), higher = fmaxf(most, m);
        sum = sum * __expf(most - higher) + s * __expf(m - higher);
        most = higher;
    }
    for (int c = threadIdx.x; c < width; c += 32) out[(size_t)row * width + c] = __expf(x[c] - most) / sum;
}

/* kmutate launch
   int length = 1024, heads = 64, depth = 64; dim3 grid = { length / 32, length / 32, heads }; dim3 block = { 32, 8 };
   float score[length * length * heads] = zeros(); float q[length * depth * heads] = normal(); float k[length * depth * heads] = normal();
   attention_scores(score, q, k, length, 0.125f);
*/
__global__ void attention_scores(float *score, const float *q, const float *k, int length, float scale)
{
    __shared__ float qs[32][64], ks[32][65];
    int tx = threadIdx.x, ty = threadIdx.y, head = blockIdx.z * length;
    for (int r = ty; r < 32; r += 8)
        for (int c = tx; c < 64; c += 32) {
            qs[r][c] = q[(head + blockIdx.y * 32 + r) * 64 + c];
            ks[r][c] = k[(head + blockIdx.x * 32 + r) * 64 + c];
        }
    __syncthreads();
    float sum[4] = {};
    for (int c = 0; c < 64; c++) {
        float key = ks[tx][c];
        for (int j = 0; j < 4; j++) sum[j] += qs[ty + 8 * j][c] * key;
    }
    for (int j = 0; j < 4; j++) {
        int row = blockIdx.y * 32 + ty + 8 * j, column = blockIdx.x * 32 + tx;
        score[(size_t)(head + row) * length + column] = column <= row ? sum[j] * scale : -1e30f;
    }
}

/* kmutate launch
   int tokens = 65536, width = 192, words = 50000; dim3 grid = { tokens }; dim3 block = { width };
   float4 out[tokens * width] = zeros(); int id[tokens] = randint(0, 49999);
   float4 table[words * width] = uniform(-1, 1); float4 place[1024 * width] = uniform(-1, 1);
   embed(out, id, table, place, width);
*/
__global__ void embed(float4 *out, const int *id, const float4 *table, const float4 *place, int width)
{
    int token = blockIdx.x, c = threadIdx.x;
    float4 w = table[id[token] * width + c], p = place[token % 1024 * width + c];
    out[token * width + c] = make_float4(w.x + p.x, w.y + p.y, w.z + p.z, w.w + p.w);
}

/* kmutate launch
   int w = 8192, h = 4096; dim3 grid = { w / TILE, h / TILE }; dim3 block = { TILE, 8 };
   float out[w * h] = zeros(); float a[w * h] = uniform(0, 1); float b[w * h] = uniform(0, 1);
   transpose_add(out, a, b, w, h);
*/
// out, h wide, is a transposed, plus b.
__global__ void transpose_add(float *out, const float *a, const float *b, int w, int h)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j] + b[(y + j) * h + x];
}

/* kmutate launch
   int rows = 16384, columns = 8192; dim3 grid = { rows / 4 }; dim3 block = { 128 };
   float y[rows] = zeros(); float4 a[rows * columns / 4] = uniform(-1, 1); float4 x[columns / 4] = uniform(-1, 1);
   gemv_rows(y, a, x, rows, columns / 4);
*/
__global__ void gemv_rows(float *y, const float4 *a, const float4 *x, int rows, int quads)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int c = lane; c < quads; c += 32) {
        float4 u = a[(size_t)row * quads + c], v = x[c];
        sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) y[row] = sum;
}

/* kmutate launch
   int n = 1536; dim3 grid = { n / 32, n / 32 }; dim3 block = { 64 };
   float c[n * n] = zeros(); float a[n * n] = uniform(-1, 1); float b[n * n] = uniform(-1, 1);
   gemm_quads(c, a, b, n);
*/
// 32 x 32 of c in a block of 64 threads, 4 x 4 a thread; loads of four floats.
__global__ void gemm_quads(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[32][36];
    __shared__ float4 bs[32][8];
    int t = threadIdx.x, tx = t % 8, ty = t / 8, row = blockIdx.y * 32, col = blockIdx.x * 32;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 32) {
        for (int j = 0; j < 4; j++) {
            int r = ty + 8 * j;
            *(float4 *)&as[r][4 * tx] = *(const float4 *)&a[(row + r) * n + k + 4 * tx];
            bs[r][tx] = *(const float4 *)&b[(k + r) * n + col + 4 * tx];
        }
        __syncthreads();
        for (int q = 0; q < 32; q++) {
            float4 v = bs[q][tx];
            for (int i = 0; i < 4; i++) {
                float u = as[4 * ty + i][q];
                sum[i][0] += u * v.x;
                sum[i][1] += u * v.y;
                sum[i][2] += u * v.z;
                sum[i][3] += u * v.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)&c[(row + 4 * ty + i) * n + col + 4 * tx] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

/* kmutate launch
   int n = 1 << 25; dim3 grid = { n / 512 }; dim3 block = { 256 };
   int out[n] = zeros(); int total[n / 512] = zeros(); int in[n] = randint(0, 9);
   sweep_scan(out, total, in);
*/
// Exclusive sums of 512 numbers up and down a tree in shared memory.
__global__ void sweep_scan(int *out, int *total, const int *in)
{
    __shared__ int s[512];
    int t = threadIdx.x, base = blockIdx.x * 512, offset = 1;
    s[2 * t] = in[base + 2 * t];
    s[2 * t + 1] = in[base + 2 * t + 1];
    for (int active = 256; active > 0; active /= 2) {
        __syncthreads();
        if (t < active) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) { total[blockIdx.x] = s[511]; s[511] = 0; }
    for (int active = 1; active <= 256; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < active) {
            int low = offset * (2 * t + 1) - 1, high = offset * (2 * t + 2) - 1, was = s[low];
            s[low] = s[high];
            s[high] += was;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[2 * t];
    out[base + 2 * t + 1] = s[2 * t + 1];
}

/* kmutate launch
   int words = 1 << 25; dim3 grid = { 132 * 6 }; dim3 block = { 256 };
   unsigned bins[256] = zeros(); uchar4 pixels[words] = randint(0, 255);
   grey_histogram(bins, pixels, words);
*/
__global__ void grey_histogram(unsigned *bins, const uchar4 *pixels, int words)
{
    __shared__ unsigned mine[8][256];
    int warp = threadIdx.x / 32;
    for (int k = threadIdx.x; k < 8 * 256; k += blockDim.x) mine[k / 256][k % 256] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        uchar4 p = pixels[i];
        atomicAdd(&mine[warp][p.x], 1u);
        atomicAdd(&mine[warp][p.y], 1u);
        atomicAdd(&mine[warp][p.z], 1u);
        atomicAdd(&mine[warp][p.w], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; w++) sum += mine[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

/* kmutate launch
   int n = 1 << 25, each = 16; dim3 grid = { n / (128 * each) }; dim3 block = { 128 };
   int counts[16 * n / (128 * each)] = zeros(); unsigned keys[n] = randint(0, 2147483647);
   count_digits(counts, keys, 8, each);
*/
// How often each digit of four bits occurs in a block's keys, counted by each thread for itself first.
__global__ void count_digits(int *counts, const unsigned *keys, int shift, int each)
{
    __shared__ unsigned short seen[16][128];
    int t = threadIdx.x, base = blockIdx.x * 128 * each;
    for (int d = 0; d < 16; d++) seen[d][t] = 0;
    for (int k = 0; k < each; k++) seen[keys[base + k * 128 + t] >> shift & 15][t]++;
    __syncthreads();
    int digit = t / 8, sum = 0;
    for (int k = t % 8; k < 128; k += 8) sum += seen[digit][k];
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, 8);
    if (t % 8 == 0) counts[digit * gridDim.x + blockIdx.x] = sum;
}

/* kmutate launch
   int n = 1 << 18; dim3 grid = { n / 128 }; dim3 block = { 128 };
   float mean[n] = zeros();
   asian_paths(mean, 128, 0.0002f, 0.02f, 100.0f);
*/
__global__ void asian_paths(float *mean, int steps, float drift, float sigma, float strike)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 747796405u + 2891336453u;
    float price = 100.0f, sum = 0;
    for (int s = 0; s < steps; s += 2) {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        float u = (x >> 8) * 5.9604645e-8f + 2.9802322e-8f;
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        float v = (x >> 8) * 5.9604645e-8f, r = sqrtf(-2.0f * logf(u)), sine, cosine;
        __sincosf(6.2831853f * v, &sine, &cosine);
        price *= __expf(drift + sigma * r * sine);
        sum += price;
        price *= __expf(drift + sigma * r * cosine);
        sum += price;
    }
    mean[i] = fmaxf(sum / steps - strike, 0.0f);
}

__device__ float below(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    p *= 0.39894228f * expf(-0.5f * d * d);
    return d > 0 ? 1.0f - p : p;
}

/* kmutate launch
   int n = 40000000; dim3 grid = { (n + 319) / 320 }; dim3 block = { 320 };
   float call[n] = zeros(); float put[n] = zeros(); float spot[n] = uniform(5, 30); float strike[n] = uniform(1, 100); float years[n] = uniform(0.25, 10);
   black_scholes(call, put, spot, strike, years, 0.02f, 0.3f, n);
*/
__global__ void black_scholes(float *call, float *put, const float *spot, const float *strike, const float *years, float rate,
                              float sigma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = spot[i], k = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (logf(s / k) + (rate + 0.5f * sigma * sigma) * t) / (sigma * root), d2 = d1 - sigma * root;
    float discounted = k * expf(-rate * t), a = below(d1), b = below(d2);
    call[i] = s * a - discounted * b;
    put[i] = discounted * (1.0f - b) - s * (1.0f - a);
}

/* kmutate launch
   int n = 12288; dim3 grid = { n / 96 }; dim3 block = { 96 };
   double ax[n] = zeros(); double ay[n] = zeros(); double az[n] = zeros(); double x[n] = uniform(0, 1); double y[n] = uniform(0, 1); double z[n] = uniform(0, 1); double m[n] = uniform(0, 1);
   gravity_fp64(ax, ay, az, x, y, z, m, n);
*/
__global__ void gravity_fp64(double *ax, double *ay, double *az, const double *x, const double *y, const double *z,
                             const double *m, int n)
{
    __shared__ double sx[96], sy[96], sz[96], sm[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    double px = x[i], py = y[i], pz = z[i], fx = 0, fy = 0, fz = 0;
    for (int tile = 0; tile < n; tile += 96) {
        sx[t] = x[tile + t];
        sy[t] = y[tile + t];
        sz[t] = z[tile + t];
        sm[t] = m[tile + t];
        __syncthreads();
        for (int j = 0; j < 96; j++) {
            double dx = sx[j] - px, dy = sy[j] - py, dz = sz[j] - pz;
            double r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-6), w = sm[j] * r * r * r;
            fx += w * dx;
            fy += w * dy;
            fz += w * dz;
        }
        __syncthreads();
    }
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
}

/* kmutate launch
   int batch = 16384; dim3 grid = { batch }; dim3 block = { 512 };
   float2 data[batch * 1024] = uniform(-1, 1); float2 turn[512] = uniform(-0.7, 0.7);
   fft_blocks(data, turn);
*/
// 1024 points in shared memory, radix 2; factors from a table.
__global__ void fft_blocks(float2 *data, const float2 *turn)
{
    __shared__ float re[1024], im[1024];
    int t = threadIdx.x;
    float2 *here = data + blockIdx.x * 1024;
    for (int k = t; k < 1024; k += 512) {
        int r = __brev(k) >> 22;
        float2 v = here[k];
        re[r] = v.x;
        im[r] = v.y;
    }
    for (int half = 1, step = 512; half < 1024; half *= 2, step /= 2) {
        __syncthreads();
        int k = t & (half - 1), a = 2 * t - k, b = a + half;
        float2 w = turn[k * step];
        float xr = w.x * re[b] - w.y * im[b], xi = w.x * im[b] + w.y * re[b];
        re[b] = re[a] - xr;
        im[b] = im[a] - xi;
        re[a] += xr;
        im[a] += xi;
    }
    __syncthreads();
    for (int k = t; k < 1024; k += 512) here[k] = make_float2(re[k], im[k]);
}

/* kmutate launch
   int w = 5120, h = 4096, ow = 7000, oh = 5600; dim3 grid = { (ow + 15) / 16, (oh + 15) / 16 }; dim3 block = { 16, 16 };
   unsigned char out[ow * oh] = zeros(); unsigned char in[w * h] = randint(0, 255);
   resize_bilinear(out, in, w, h, ow, oh);
*/
__global__ void resize_bilinear(unsigned char *out, const unsigned char *in, int w, int h, int ow, int oh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    float fx = (x + 0.5f) * w / ow - 0.5f, fy = (y + 0.5f) * h / oh - 0.5f;
    int x0 = max((int)floorf(fx), 0), y0 = max((int)floorf(fy), 0), x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
    float ax = fx - x0, ay = fy - y0;
    float upper = in[y0 * w + x0] * (1 - ax) + in[y0 * w + x1] * ax, lower = in[y1 * w + x0] * (1 - ax) + in[y1 * w + x1] * ax;
    out[y * ow + x] = (unsigned char)(upper * (1 - ay) + lower * ay + 0.5f);
}

/* kmutate launch
   int n = 3840 * 2160 * 8; dim3 grid = { n / 256 }; dim3 block = { 256 };
   unsigned char grey[n] = zeros(); uchar3 colour[n] = randint(0, 255);
   rgb_to_grey(grey, colour, n);
*/
__global__ void rgb_to_grey(unsigned char *grey, const uchar3 *colour, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar3 c = colour[i];
    grey[i] = (unsigned char)(0.299f * c.x + 0.587f * c.y + 0.114f * c.z);
}

/* kmutate launch
   int rows = 32768, width = 4096; dim3 grid = { rows / 8 }; dim3 block = { 32, 8 };
   int out[rows * 4] = zeros(); int4 a[rows * width / 16] = randint(-100000, 100000); int4 x[4 * width / 16] = randint(-100000, 100000);
   dots_int8(out, a, x, rows, width / 16);
*/
// Rows of bytes times four vectors of bytes, four products an instruction.
__global__ void dots_int8(int *out, const int4 *a, const int4 *x, int rows, int quads)
{
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    int sum[4] = {};
    for (int c = lane; c < quads; c += 32) {
        int4 u = a[(size_t)row * quads + c];
        for (int j = 0; j < 4; j++) {
            int4 v = x[j * quads + c];
            sum[j] = __dp4a(u.x, v.x, __dp4a(u.y, v.y, __dp4a(u.z, v.z, __dp4a(u.w, v.w, sum[j]))));
        }
    }
    for (int j = 0; j < 4; j++)
        for (int d = 16; d > 0; d /= 2) sum[j] += __shfl_down_sync(0xffffffffu, sum[j], d);
    if (lane == 0)
        for (int j = 0; j < 4; j++) out[row * 4 + j] = sum[j];
}

/* kmutate launch
   int n = 6144; dim3 grid = { n / 64, n / 2 }; dim3 block = { 64, 2 };
   double out[n * n] = zeros(); double in[n * n] = uniform(0, 1); double rhs[n * n] = uniform(0, 1);
   jacobi_fp64(out, in, rhs, n);
*/
__global__ void jacobi_fp64(double *out, const double *in, const double *rhs, int n)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 2 + threadIdx.y;
    if (x < 1 || y < 1 || x > n - 2 || y > n - 2) return;
    int i = y * n + x;
    out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - rhs[i]);
}

/* kmutate launch
   int n = 1 << 26; dim3 grid = { n / 1024 }; dim3 block = { 1024 };
   float out[n] = zeros(); unsigned used[1] = zeros(); float in[n] = uniform(-1, 1);
   keep_above(out, used, in, 0.4f, n);
*/
__global__ void keep_above(float *out, unsigned *used, const float *in, float limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v = i < n ? in[i] : 0.0f;
    unsigned kept = __ballot_sync(0xffffffffu, v > limit), base = 0;
    if (lane == 0 && kept) base = atomicAdd(used, __popc(kept));
    base = __shfl_sync(0xffffffffu, base, 0) + __popc(kept & ((1u << lane) - 1));
    if (v > limit && base < n) out[base] = v;
}

__constant__ unsigned char wanted[8];

/* kmutate launch
   int n = 1 << 27; dim3 grid = { n / 512 / 8 }; dim3 block = { 512 };
   extern unsigned char wanted[8] = randint(0, 7);
   unsigned char text[n + 8] = randint(0, 7); int found[1] = zeros();
   search_bytes(found, text, n);
*/
__global__ void search_bytes(int *found, const unsigned char *text, int n)
{
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = 0;
        while (k < 8 && text[i + k] == wanted[k]) k++;
        hits += k == 8;
    }
    if (hits) atomicAdd(found, hits);
}

/* kmutate launch
   int nx = 3072, ny = 2048; dim3 grid = { nx / 128, ny }; dim3 block = { 128 };
   float out[9 * nx * ny] = zeros(); float in[9 * nx * ny] = uniform(0.1, 0.2);
   lattice_step(out, in, nx, ny, 1.2f);
*/
// Streaming and collision of nine populations a cell; the field wraps around.
__global__ void lattice_step(float *out, const float *in, int nx, int ny, float omega)
{
    const int ex[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, ey[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const float weight[9] = { 4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f };
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, cells = nx * ny;
    float f[9], density = 0, u = 0, v = 0;
    for (int d = 0; d < 9; d++) {
        int fromx = x - ex[d], fromy = y - ey[d];
        fromx = fromx < 0 ? nx - 1 : fromx == nx ? 0 : fromx;
        fromy = fromy < 0 ? ny - 1 : fromy == ny ? 0 : fromy;
        f[d] = in[d * cells + fromy * nx + fromx];
        density += f[d];
        u += ex[d] * f[d];
        v += ey[d] * f[d];
    }
    u /= density;
    v /= density;
    float square = 1.5f * (u * u + v * v);
    for (int d = 0; d < 9; d++) {
        float along = 3.0f * (ex[d] * u + ey[d] * v);
        float rest = weight[d] * density * (1.0f + along + 0.5f * along * along - square);
        out[d * cells + y * nx + x] = f[d] + omega * (rest - f[d]);
    }
}

struct Body { float x, y, z, mass; float qx, qy, qz, qw; };

/* kmutate launch
   struct Body { float x, y, z, mass; float qx, qy, qz, qw; };
   int n = 1 << 23; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float out[3 * n] = zeros(); float bodies[8 * n] = uniform(-1, 1);
   rotate_bodies(out, bodies, n);
*/
__global__ void rotate_bodies(float *out, const float *bodies, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body b = ((const Body *)bodies)[i];
    float tx = 2 * (b.qy * b.z - b.qz * b.y), ty = 2 * (b.qz * b.x - b.qx * b.z), tz = 2 * (b.qx * b.y - b.qy * b.x);
    out[3 * i] = b.x + b.qw * tx + b.qy * tz - b.qz * ty;
    out[3 * i + 1] = b.y + b.qw * ty + b.qz * tx - b.qx * tz;
    out[3 * i + 2] = b.z + b.qw * tz + b.qx * ty - b.qy * tx;
}

/* kmutate launch
   int rows = 16384, columns = 4096, slice = 256; dim3 grid = { columns / 128, rows / slice }; dim3 block = { 128 };
   float sums[columns] = zeros(); float in[rows * columns] = uniform(0, 1);
   column_sums(sums, in, columns, slice);
*/
__global__ void column_sums(float *sums, const float *in, int columns, int slice)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * slice;
    float sum = 0;
    for (int r = first; r < first + slice; r++) sum += in[(size_t)r * columns + c];
    atomicAdd(&sums[c], sum);
}

/* kmutate launch
   int tiles = 24; dim3 grid = { tiles }; dim3 block = { 96 };
   float out[tiles * 96 * 96] = zeros(); float in[tiles * 96 * 96] = uniform(0, 1);
   factor_tiles(out, in);
*/
// Cholesky factors of a few tiles of 96 x 96, one a block: most SMs have none.
__global__ void factor_tiles(float *out, const float *in)
{
    __shared__ float a[96][97];
    int t = threadIdx.x, base = blockIdx.x * 96 * 96;
    for (int r = 0; r < 96; r++) a[r][t] = in[base + r * 96 + t] + (r == t ? 96.0f : 0.0f);
    for (int k = 0; k < 96; k++) {
        __syncthreads();
        float pivot = sqrtf(a[k][k]);
        __syncthreads();
        if (t >= k) a[t][k] = t == k ? pivot : a[t][k] / pivot;
        __syncthreads();
        if (t > k) {
            float mine = a[t][k];
            for (int c = k + 1; c <= t; c++) a[t][c] -= mine * a[c][k];
        }
    }
    __syncthreads();
    for (int r = 0; r < 96; r++) out[base + r * 96 + t] = t <= r ? a[r][t] : 0.0f;
}

/* kmutate launch
   int n = 12288; dim3 grid = { n }; dim3 block = { 128 };
   float y[n] = zeros(); float lower[n * n] = uniform(-1, 1); float x[n] = uniform(-1, 1);
   triangle_rows(y, lower, x, n);
*/
// A block a row of a triangle: the last blocks have the most to do.
__global__ void triangle_rows(float *y, const float *lower, const float *x, int n)
{
    __shared__ float part[4];
    int row = blockIdx.x;
    float sum = 0;
    for (int c = threadIdx.x; c <= row; c += 128) sum += lower[(size_t)row * n + c] * x[c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[row] = part[0] + part[1] + part[2] + part[3];
}

/* kmutate launch
   int n = 300 * 1024, candidates = 4096; dim3 grid = { 300 }; dim3 block = { 1024 };
   int nearest[n] = zeros(); float3 point[n] = uniform(0, 1); float3 candidate[candidates] = uniform(0, 1);
   nearest_candidate(nearest, point, candidate, candidates);
*/
// 300 large blocks, of which two fit an SM: 36 are left for a second turn.
__global__ void nearest_candidate(int *nearest, const float3 *point, const float3 *candidate, int candidates)
{
    __shared__ float3 some[1024];
    int i = blockIdx.x * 1024 + threadIdx.x, best = 0;
    float3 p = point[i];
    float least = 1e30f;
    for (int base = 0; base < candidates; base += 1024) {
        some[threadIdx.x] = candidate[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 1024; k++) {
            float dx = p.x - some[k].x, dy = p.y - some[k].y, dz = p.z - some[k].z, d = dx * dx + dy * dy + dz * dz;
            if (d < least) { least = d; best = base + k; }
        }
        __syncthreads();
    }
    nearest[i] = best;
}

/* kmutate launch
   int n = 30000000; dim3 grid = { (n + 255) / 256 }; dim3 block = { 256 };
   float weight[n] = uniform(-1, 1); float mean[n] = uniform(-0.1, 0.1); float square[n] = uniform(0, 0.1); float slope[n] = uniform(-1, 1);
   adam_step(weight, mean, square, slope, 0.001f, 0.9f, 0.999f, 1e-8f, n);
*/
__global__ void adam_step(float *weight, float *mean, float *square, const float *slope, float rate, float b1, float b2, float eps,
                          int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float g = slope[i], m = b1 * mean[i] + (1 - b1) * g, v = b2 * square[i] + (1 - b2) * g * g;
    mean[i] = m;
    square[i] = v;
    weight[i] -= rate * m / (sqrtf(v) + eps);
}

/* kmutate launch
   int n = 1 << 22, slots = 1 << 24; dim3 grid = { n / 128 }; dim3 block = { 128 };
   int place[n] = zeros(); unsigned key[n] = randint(1, 100000000); unsigned table[slots] = randint(0, 2);
   hash_probe(place, key, table, slots - 1, n);
*/
// Looks keys up in an open table: steps until the slot is empty (here: even odds) or holds the key.
__global__ void hash_probe(int *place, const unsigned *key, const unsigned *table, unsigned mask, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = key[i], slot = k * 2654435769u >> 7 & mask;
    int steps = 0;
    while (steps < 16) {
        unsigned there = table[slot];
        if (there == 0 || there == k) break;
        slot = (slot + 1) & mask;
        steps++;
    }
    place[i] = steps < 16 ? (int)slot : -1;
}

/* kmutate launch
   int n = 1 << 22, length = 1 << 22; dim3 grid = { n / 256 }; dim3 block = { 256 };
   int place[n] = zeros(); int sorted[length] = iota(0, 3); int key[n] = randint(0, 3 * (1 << 22));
   search_sorted(place, sorted, key, length, n);
*/
__global__ void search_sorted(int *place, const int *sorted, const int *key, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0, high = length, k = key[i];
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < k) low = middle + 1;
        else high = middle;
    }
    place[i] = low;
}

#define ORDER(a, b) { int small = min(a, b); b = max(a, b); a = small; }

/* kmutate launch
   int w = 7680, h = 4320; dim3 grid = { w / 32, h / 8 }; dim3 block = { 32, 8 };
   unsigned char out[w * h] = zeros(); unsigned char in[w * h] = randint(0, 255);
   median9(out, in, w, h);
*/
__global__ void median9(unsigned char *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
    int v[9];
    for (int k = 0; k < 9; k++) v[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
    for (int c = 0; c < 3; c++) { ORDER(v[3 * c], v[3 * c + 1]) ORDER(v[3 * c + 1], v[3 * c + 2]) ORDER(v[3 * c], v[3 * c + 1]) }
    int low = max(max(v[0], v[3]), v[6]), high = min(min(v[2], v[5]), v[8]);
    int middle = max(min(v[1], v[4]), min(max(v[1], v[4]), v[7]));
    ORDER(low, high)
    out[y * w + x] = (unsigned char)max(low, min(high, middle));
}

/* kmutate launch
   int n = 1 << 18, length = 512; dim3 grid = { n / 64 }; dim3 block = { 64 };
   float best[n * 8] = zeros(); float in[n * length] = uniform(0, 1);
   top_eight(best, in, n, length);
*/
// The eight largest of each column, kept sorted in an array of the thread.
__global__ void top_eight(float *best, const float *in, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float kept[8];
    for (int k = 0; k < 8; k++) kept[k] = -1.0f;
    for (int r = 0; r < length; r++) {
        float v = in[r * n + i];
        if (v > kept[7]) {
            int k = 7;
            while (k > 0 && kept[k - 1] < v) { kept[k] = kept[k - 1]; k--; }
            kept[k] = v;
        }
    }
    for (int k = 0; k < 8; k++) best[k * n + i] = kept[k];
}

/* kmutate launch
   int n = 1 << 25; dim3 grid = { 132 * 8 }; dim3 block = { 256 };
   double sum[1] = zeros(); double x[n] = uniform(-1, 1); double y[n] = uniform(-1, 1);
   dot_fp64(sum, x, y, n);
*/
__global__ void dot_fp64(double *sum, const double *x, const double *y, int n)
{
    __shared__ double part[256];
    double mine = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) mine += x[i] * y[i];
    part[threadIdx.x] = mine;
    for (int step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

/* kmutate launch
   int side = 112, planes = 2048; dim3 grid = { (side / 2 + 15) / 16, (side / 2 + 15) / 16, planes }; dim3 block = { 16, 16 };
   float out[planes * side / 2 * side / 2] = zeros(); float in[planes * side * side] = normal();
   max_pool(out, in, side);
*/
__global__ void max_pool(float *out, const float *in, int side)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, half = side / 2;
    if (x >= half || y >= half) return;
    const float *p = in + ((size_t)blockIdx.z * side + 2 * y) * side + 2 * x;
    out[((size_t)blockIdx.z * half + y) * half + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[side], p[side + 1]));
}

/* kmutate launch
   int side = 58, in_planes = 32, out_planes = 64, images = 16; dim3 grid = { 56 / 28, 56 / 8, images * out_planes / 4 }; dim3 block = { 28, 8 };
   float out[images * out_planes * 56 * 56] = zeros(); float in[images * in_planes * side * side] = normal();
   float weight[out_planes * in_planes * 9] = normal();
   conv3x3(out, in, weight, side, in_planes, out_planes);
*/
// A direct convolution, 3 x 3, four planes of the output a thread; the input has a border.
__global__ void conv3x3(float *out, const float *in, const float *weight, int side, int in_planes, int out_planes)
{
    int groups = out_planes / 4, image = blockIdx.z / groups, plane = blockIdx.z % groups * 4, inner = side - 2;
    int x = blockIdx.x * 28 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum[4] = {};
    for (int p = 0; p < in_planes; p++) {
        const float *at = in + ((image * in_planes + p) * side + y) * side + x;
        for (int k = 0; k < 9; k++) {
            float v = at[k / 3 * side + k % 3];
            for (int j = 0; j < 4; j++) sum[j] += v * weight[((plane + j) * in_planes + p) * 9 + k];
        }
    }
    for (int j = 0; j < 4; j++) out[((image * out_planes + plane + j) * inner + y) * inner + x] = fmaxf(sum[j], 0.0f);
}

/* kmutate launch
   int n = 1 << 20; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float lit[n] = zeros();
   march_rays(lit, n, 96);
*/
// A ray a thread through a field of spheres, until it is near one: warps whose rays differ go on for the longest.
__global__ void march_rays(float *lit, int n, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float u = (i % 1024) / 512.0f - 1.0f, v = (i / 1024) / 512.0f - 1.0f, length = rsqrtf(u * u + v * v + 1.0f), far = 0;
    float dx = u * length, dy = v * length, dz = length;
    int k = 0;
    for (; k < most; k++) {
        float x = 1.0f + far * dx, y = 1.0f + far * dy, z = far * dz;
        x -= 2.0f * floorf(0.5f * x) + 1.0f;
        y -= 2.0f * floorf(0.5f * y) + 1.0f;
        z -= 2.0f * floorf(0.5f * z) + 1.0f;
        float gap = sqrtf(x * x + y * y + z * z) - 0.3f;
        if (gap < 0.001f * far) break;
        far += gap;
    }
    lit[i] = k < most ? 1.0f / (1.0f + 0.1f * far * far) : 0.0f;
}
