// The twenty-first set of kernels that nobody tuned the model of time for: small applications of many fields, classic suites
// of benchmarks, simple loops of linear algebra, the training of language models in plain CUDA and steps of its ladders,
// written from what is commonly known of the algorithms by two who had seen neither the model nor its results.

#include <cuda_fp16.h>

/* kmutate launch
   int nseries = 4096, len = 512; dim3 block = { 128 }; dim3 grid = { nseries / 128 };
   float loads[nseries * len] = normal(0, 40); float stack[nseries * len] = zeros();
   double damage[nseries] = zeros(); int cycles[nseries] = zeros();
   rainflow_damage_stack_per_thread(nseries, len, loads, stack, damage, cycles, 5.0);
*/
// Fatigue: rainflow counting of a load history by each thread, turning points on a stack in global memory, the damage
// by Miner's rule in double precision.
__global__ void rainflow_damage_stack_per_thread(int nseries, int len, const float *loads, float *stack,
                                                 double *damage, int *cycles, double slope)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= nseries)
        return;
    const float *load = loads + (size_t)s * len;
    float *top = stack + (size_t)s * len;
    int depth = 0, full = 0;
    double sum = 0.0;
    float before = load[0];
    top[depth++] = before;

    for (int i = 1; i < len; i++) {
        const float now = load[i];
        if (i + 1 < len) {
            const float after = load[i + 1];
            if ((now - before) * (after - now) >= 0.0f)
                continue;
        }
        before = now;
        top[depth++] = now;
        while (depth >= 3) {
            const float last = fabsf(top[depth - 1] - top[depth - 2]);
            const float range = fabsf(top[depth - 2] - top[depth - 3]);
            if (last < range)
                break;
            if (depth == 3) {
                sum += 0.5 * pow((double)range / 400.0, slope);
                top[0] = top[1];
                top[1] = top[2];
                depth = 2;
            } else {
                sum += pow((double)range / 400.0, slope);
                full++;
                top[depth - 3] = top[depth - 1];
                depth -= 2;
            }
        }
    }
    for (int i = 0; i + 1 < depth; i++)
        sum += 0.5 * pow((double)fabsf(top[i + 1] - top[i]) / 400.0, slope);
    damage[s] = sum;
    cycles[s] = full;
}

/* kmutate launch
   int docs = 4096, vocabulary = 8192; int tokens = csr_nnz(docs, 20, 60); dim3 block = { 128 };
   dim3 grid = { docs / 4 };
   int doc_start[docs + 1] = csr_rowptr(docs, 20, 60); int words[tokens] = randint(0, vocabulary);
   int topics[tokens] = randint(0, 64); int doc_topic[docs * 64] = randint(0, 3);
   int word_topic[vocabulary * 64] = randint(1, 9); int topic_total[64] = fill(40000);
   lda_gibbs_warp_per_document(docs, doc_start, words, topics, doc_topic, word_topic, topic_total, 8192.0f, 77u);
*/
// Latent Dirichlet allocation: a warp draws new topics for the words of a document, 64 topics by two for each lane,
// their probabilities summed by shuffles; the counts of words are updated by atomics.
__device__ __forceinline__ unsigned p1_mix32(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

__global__ void lda_gibbs_warp_per_document(int docs, const int *doc_start, const int *words, int *topics,
                                            const int *doc_topic, int *word_topic, int *topic_total, float vocabulary,
                                            unsigned seed)
{
    __shared__ int change[64];
    __shared__ float weight[64];
    if (threadIdx.x < 64) {
        change[threadIdx.x] = 0;
        weight[threadIdx.x] = 1.0f / (topic_total[threadIdx.x] + 0.01f * vocabulary);
    }
    __syncthreads();

    const int lane = threadIdx.x & 31;
    const int doc = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (doc < docs) {
        int mine0 = doc_topic[doc * 64 + lane];
        int mine1 = doc_topic[doc * 64 + 32 + lane];
        const int end = doc_start[doc + 1];
        for (int t = doc_start[doc]; t < end; t++) {
            const int w = words[t];
            const int old = topics[t];
            if (old == lane)
                mine0--;
            if (old == lane + 32)
                mine1--;
            const int c0 = atomicAdd(&word_topic[w * 64 + lane], old == lane ? -1 : 0);
            const int c1 = atomicAdd(&word_topic[w * 64 + 32 + lane], old == lane + 32 ? -1 : 0);
            const float p0 = (max(mine0, 0) + 0.1f) * (max(c0, 0) + 0.01f) * weight[lane];
            const float p1 = (max(mine1, 0) + 0.1f) * (max(c1, 0) + 0.01f) * weight[lane + 32];
            float sum = p0 + p1;
#pragma unroll
            for (int d = 1; d < 32; d <<= 1) {
                const float other = __shfl_up_sync(0xffffffffu, sum, d);
                if (lane >= d)
                    sum += other;
            }
            const float total = __shfl_sync(0xffffffffu, sum, 31);
            const float u = (p1_mix32(seed ^ (unsigned)t * 2654435761u) >> 8) * (1.0f / 16777216.0f) * total;
            const unsigned over = __ballot_sync(0xffffffffu, sum > u);
            const int who = over ? __ffs(over) - 1 : 31;
            const int second = __shfl_sync(0xffffffffu, (sum - p1) <= u ? 1 : 0, who);
            const int next = who + 32 * second;
            if (lane == who) {
                if (second)
                    mine1++;
                else
                    mine0++;
                atomicAdd(&word_topic[w * 64 + next], 1);
                atomicAdd(&change[next], 1);
                atomicSub(&change[old], 1);
                topics[t] = next;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < 64 && change[threadIdx.x] != 0)
        atomicAdd(&topic_total[threadIdx.x], change[threadIdx.x]);
}

/* kmutate launch
   int n = 3 << 18; unsigned mask = (1u << 21) - 1; dim3 block = { 256 }; dim3 grid = { n / 256 };
   unsigned keys[n] = permutation(); unsigned values[n] = randint(0, 1000000);
   unsigned long long table[1 << 21] = zeros(); unsigned failed[2] = zeros();
   cuckoo_insert_exchange_chain(n, keys, values, table, mask, failed);
*/
// Inserts pairs into a cuckoo table of two hash functions by exchanges of 64 bits: whoever was there before moves on to
// its other place, up to 48 times.
__global__ void cuckoo_insert_exchange_chain(int n, const unsigned *__restrict__ keys,
                                             const unsigned *__restrict__ values, unsigned long long *table,
                                             unsigned mask, unsigned *failed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long entry = ((unsigned long long)(keys[i] + 1u) << 32) | values[i];
    unsigned key = keys[i] + 1u;
    unsigned place = (key * 0x9e3779b1u >> 7) & mask;
    int tries = 0;
    while (tries < 48) {
        entry = atomicExch(&table[place], entry);
        if (entry == 0ull)
            break;
        key = (unsigned)(entry >> 32);
        const unsigned first = (key * 0x9e3779b1u >> 7) & mask;
        const unsigned second = ((key ^ (key >> 15)) * 0x85ebca6bu >> 5) & mask;
        place = place == first ? second : first;
        tries++;
    }
    if (entry != 0ull) {
        atomicAdd(&failed[0], 1u);
        atomicXor(&failed[1], key);
    }
}

/* kmutate launch
   int nx = 1024, ny = 1024; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8 };
   int excess[nx * ny] = randint(-6, 20); int height[nx * ny] = randint(0, 5);
   int capacity[4 * nx * ny] = randint(0, 9); int pushed[4 * nx * ny] = zeros();
   int gained[nx * ny] = zeros(); int height_next[nx * ny] = zeros(); int active[1] = zeros();
   push_relabel_grid_pulse(nx, ny, excess, height, capacity, pushed, gained, height_next, active);
*/
// Maximum flow on a grid (segmentation by graph cuts): a pulse of pushes to lower neighbours, by atomics to their
// excess, and the new height of those that could not push all.
__global__ void push_relabel_grid_pulse(int nx, int ny, const int *__restrict__ excess, const int *__restrict__ height,
                                        const int *__restrict__ capacity, int *__restrict__ pushed, int *gained,
                                        int *__restrict__ height_next, int *active)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const bool inside = x < nx && y < ny;
    bool busy = false;
    if (inside) {
        const int me = y * nx + x;
        const int n = nx * ny;
        const int h = height[me];
        int left = excess[me];
        int now = h;
        if (left > 0) {
            const int dx[4] = { 1, -1, 0, 0 };
            const int dy[4] = { 0, 0, 1, -1 };
            int lowest = 1 << 30;
#pragma unroll
            for (int d = 0; d < 4; d++) {
                const int u = x + dx[d], v = y + dy[d];
                if (u < 0 || u >= nx || v < 0 || v >= ny)
                    continue;
                const int cap = capacity[d * n + me];
                if (cap == 0)
                    continue;
                const int other = v * nx + u;
                const int ho = height[other];
                if (ho == h - 1 && left > 0) {
                    const int flow = min(cap, left);
                    left -= flow;
                    pushed[d * n + me] = flow;
                    atomicAdd(&gained[other], flow);
                    if (flow == cap)
                        continue;
                }
                lowest = min(lowest, ho);
            }
            if (left != excess[me])
                atomicSub(&gained[me], excess[me] - left);
            if (left > 0 && lowest < (1 << 30))
                now = max(h, lowest + 1);
            busy = left > 0;
        }
        height_next[me] = now;
    }
    const int many = __syncthreads_count(busy);
    if (threadIdx.x == 0 && threadIdx.y == 0 && many)
        atomicAdd(active, many);
}

/* kmutate launch
   int maps = 2048; dim3 block = { 64 }; dim3 grid = { maps / 64 };
   unsigned short first[maps * 16] = randint(0, 65536); unsigned short second[maps * 16] = randint(0, 65536);
   int cost[maps] = zeros(); int expanded[maps] = zeros();
   astar_sixteen_by_sixteen_heap_per_thread(maps, first, second, cost, expanded);
*/
// Path planning: the shortest way across a small map with obstacles by A*, a map per thread, with a binary heap and the
// costs so far in local arrays; eight neighbours, diagonal steps cost 14, straight ones 10.
__device__ __forceinline__ int p1_octile(int x, int y)
{
    const int dx = 15 - x, dy = 15 - y;
    return 10 * max(dx, dy) + 4 * min(dx, dy);
}

__global__ void astar_sixteen_by_sixteen_heap_per_thread(int maps, const unsigned short *first,
                                                         const unsigned short *second, int *cost, int *expanded)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= maps)
        return;
    unsigned heap[512];
    unsigned short best[256];
    unsigned wall[16];
    for (int r = 0; r < 16; r++)
        wall[r] = first[m * 16 + r] & second[m * 16 + r];
    wall[0] &= ~1u;
    wall[15] &= 0x7fffu;
    for (int c = 0; c < 256; c++)
        best[c] = 65535;

    int size = 0, visits = 0, answer = -1;
    best[0] = 0;
    heap[size++] = (unsigned)p1_octile(0, 0) << 8;
    while (size > 0) {
        const unsigned top = heap[0];
        const unsigned last = heap[--size];
        int hole = 0;
        while (2 * hole + 1 < size) {
            int child = 2 * hole + 1;
            if (child + 1 < size && heap[child + 1] < heap[child])
                child++;
            if (heap[child] >= last)
                break;
            heap[hole] = heap[child];
            hole = child;
        }
        heap[hole] = last;

        const int cell = top & 255u;
        const int cx = cell & 15, cy = cell >> 4;
        const int g = best[cell];
        if ((int)(top >> 8) > g + p1_octile(cx, cy))
            continue;
        visits++;
        if (cell == 255) {
            answer = g;
            break;
        }
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int x = cx + dx, y = cy + dy;
                if ((dx == 0 && dy == 0) || x < 0 || x > 15 || y < 0 || y > 15 || (wall[y] >> x & 1u))
                    continue;
                const int to = y * 16 + x;
                const int next = g + (dx != 0 && dy != 0 ? 14 : 10);
                if (next >= best[to] || size >= 512)
                    continue;
                best[to] = (unsigned short)next;
                const unsigned item = (unsigned)(next + p1_octile(x, y)) << 8 | (unsigned)to;
                int at = size++;
                while (at > 0 && heap[(at - 1) >> 1] > item) {
                    heap[at] = heap[(at - 1) >> 1];
                    at = (at - 1) >> 1;
                }
                heap[at] = item;
            }
    }
    cost[m] = answer;
    expanded[m] = visits;
}

/* kmutate launch
   int nx = 1536, ny = 1536, room = 1 << 20; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8 };
   float field[nx * ny] = uniform(0, 1); float4 segments[room] = zeros(); unsigned count[1] = zeros();
   contour_segments_append_by_ballot(nx, ny, room, field, 0.95f, segments, count);
*/
// Lines of equal height (marching squares): a cell per thread, the pieces are appended to one list by an atomic for
// each warp.
__global__ void contour_segments_append_by_ballot(int nx, int ny, int room, const float *__restrict__ field, float level,
                                                  float4 *__restrict__ segments, unsigned *count)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x & 31;
    float f00 = 0, f10 = 0, f01 = 0, f11 = 0;
    int kind = 0;
    if (x + 1 < nx && y + 1 < ny) {
        f00 = field[y * nx + x];
        f10 = field[y * nx + x + 1];
        f01 = field[(y + 1) * nx + x];
        f11 = field[(y + 1) * nx + x + 1];
        kind = (f00 > level) | (f10 > level) << 1 | (f11 > level) << 2 | (f01 > level) << 3;
    }
    const int pieces = kind == 0 || kind == 15 ? 0 : kind == 5 || kind == 10 ? 2 : 1;
    const unsigned one = __ballot_sync(0xffffffffu, pieces >= 1);
    const unsigned two = __ballot_sync(0xffffffffu, pieces == 2);
    if (one == 0)
        return;
    unsigned base = 0;
    if (lane == 0)
        base = atomicAdd(count, __popc(one) + __popc(two));
    base = __shfl_sync(0xffffffffu, base, 0);
    const unsigned below = (1u << lane) - 1u;
    const unsigned at = base + __popc(one & below) + __popc(two & below);
    if (pieces == 0 || at + pieces > (unsigned)room)
        return;

    float2 edge[4];
    edge[0] = make_float2(x + (level - f00) / (f10 - f00), y);
    edge[1] = make_float2(x + 1, y + (level - f10) / (f11 - f10));
    edge[2] = make_float2(x + (level - f01) / (f11 - f01), y + 1);
    edge[3] = make_float2(x, y + (level - f00) / (f01 - f00));
    const bool b0 = (kind & 1) != ((kind >> 1) & 1);
    const bool b1 = ((kind >> 1) & 1) != ((kind >> 2) & 1);
    const bool b2 = ((kind >> 2) & 1) != ((kind >> 3) & 1);
    if (pieces == 2) {
        const bool turn = kind == 5;
        const float2 p = turn ? edge[3] : edge[1];
        const float2 q = turn ? edge[1] : edge[3];
        segments[at] = make_float4(edge[0].x, edge[0].y, p.x, p.y);
        segments[at + 1] = make_float4(edge[2].x, edge[2].y, q.x, q.y);
    } else {
        const float2 p = b0 ? edge[0] : b1 ? edge[1] : edge[2];
        const float2 q = b0 ? (b1 ? edge[1] : b2 ? edge[2] : edge[3]) : (b1 && b2) ? edge[2] : edge[3];
        segments[at] = make_float4(p.x, p.y, q.x, q.y);
    }
}

/* kmutate launch
   int signals = 1 << 17, gates = 1 << 17; dim3 block = { 256 }; dim3 grid = { gates / 8 / 4 };
   unsigned values[signals * 32] = randint(0, 4294967296); int4 fanin[gates] = randint(0, signals);
   unsigned golden[gates * 32] = randint(0, 4294967296); unsigned result[gates * 32] = zeros();
   unsigned long long faults[8] = zeros();
   logic_gates_of_a_level_warp_each(gates, values, fanin, golden, result, faults);
*/
// Simulation of a circuit, a level of gates with up to three inputs for 1024 patterns at once: a warp takes a gate, a
// lane a word of 32 patterns; differences from the good circuit are counted by kind of gate.
__global__ void logic_gates_of_a_level_warp_each(int gates, const unsigned *__restrict__ values,
                                                 const int4 *__restrict__ fanin, const unsigned *__restrict__ golden,
                                                 unsigned *__restrict__ result, unsigned long long *faults)
{
    __shared__ unsigned differ[8];
    if (threadIdx.x < 8)
        differ[threadIdx.x] = 0;
    __syncthreads();
    const int lane = threadIdx.x & 31;
    const int warps = gridDim.x * (blockDim.x >> 5);
    for (int g = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); g < gates; g += warps) {
        const int4 in = fanin[g];
        const int kind = in.w & 7;
        const unsigned a = values[in.x * 32 + lane];
        const unsigned b = kind == 0 ? 0u : values[in.y * 32 + lane];
        unsigned v;
        switch (kind) {
        case 0: v = ~a; break;
        case 1: v = a & b; break;
        case 2: v = a | b; break;
        case 3: v = a ^ b; break;
        case 4: v = ~(a & b); break;
        case 5: v = ~(a | b); break;
        case 6: {
            const unsigned c = values[in.z * 32 + lane];
            v = (a & c) | (b & ~c);
            break;
        }
        default: {
            const unsigned c = values[in.z * 32 + lane];
            v = (a & b) | (b & c) | (a & c);
            break;
        }
        }
        result[g * 32 + lane] = v;
        const unsigned bits = __reduce_add_sync(0xffffffffu, (unsigned)__popc(v ^ golden[g * 32 + lane]));
        if (lane == 0)
            atomicAdd(&differ[kind], bits);
    }
    __syncthreads();
    if (threadIdx.x < 8 && differ[threadIdx.x])
        atomicAdd(&faults[threadIdx.x], (unsigned long long)differ[threadIdx.x]);
}

/* kmutate launch
   int sites = 32768; unsigned mask = (1u << 18) - 1; dim3 block = { 256 }; dim3 grid = { sites / 16 };
   short4 coords[sites] = randint(1, 400); unsigned char tags[1 << 18] = randint(0, 7);
   float features[16 << 18] = normal(); float weights[27 * 256] = normal(0, 0.1); float out[sites * 16] = zeros();
   sparse_voxel_convolution_hash_probe(sites, coords, tags, mask, features, weights, out);
*/
// Sparse convolution of voxels (3 by 3 by 3, 16 channels to 16): half a warp takes a voxel, its lanes look the neighbours
// up in a table with linear probing by tags, then each lane sums a channel of those that exist.
__global__ void __launch_bounds__(256) sparse_voxel_convolution_hash_probe(int sites, const short4 *__restrict__ coords,
                                                                           const unsigned char *__restrict__ tags,
                                                                           unsigned mask,
                                                                           const float *__restrict__ features,
                                                                           const float *__restrict__ weights,
                                                                           float *__restrict__ out)
{
    __shared__ float w[27 * 256];
    for (int i = threadIdx.x; i < 27 * 256; i += blockDim.x)
        w[i] = weights[i];
    __syncthreads();
    const int c = threadIdx.x & 15;
    const int site = min(blockIdx.x * 16 + (threadIdx.x >> 4), sites - 1);
    const short4 p = coords[site];

    int found[2];
#pragma unroll
    for (int part = 0; part < 2; part++) {
        const int tap = part * 16 + c;
        found[part] = -1;
        if (tap < 27) {
            const unsigned x = p.x + tap % 3 - 1, y = p.y + tap / 3 % 3 - 1, z = p.z + tap / 9 - 1;
            unsigned hash = (x * 73856093u) ^ (y * 19349663u) ^ (z * 83492791u);
            hash ^= hash >> 13;
            hash *= 0x5bd1e995u;
            hash ^= hash >> 15;
            const unsigned tag = 1u + (hash >> 20) % 6u;
            unsigned slot = hash & mask;
            for (int probe = 0; probe < 24; probe++) {
                const unsigned there = tags[slot];
                if (there == tag) {
                    found[part] = (int)slot;
                    break;
                }
                if (there == 0u)
                    break;
                slot = (slot + 1u) & mask;
            }
        }
    }

    float sum = 0.0f;
    for (int tap = 0; tap < 27; tap++) {
        const int slot = __shfl_sync(0xffffffffu, tap < 16 ? found[0] : found[1], tap & 15, 16);
        const float mine = slot < 0 ? 0.0f : features[(size_t)slot * 16 + c];
        if (__any_sync(0xffffffffu, slot >= 0)) {
#pragma unroll
            for (int k = 0; k < 16; k++)
                sum += __shfl_sync(0xffffffffu, mine, k, 16) * w[tap * 256 + k * 16 + c];
        }
    }
    out[site * 16 + c] = fmaxf(sum, 0.0f);
}

/* kmutate launch
   int nx = 4096, ny = 3072; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4 };
   int grains[nx * ny] = randint(0, 9); int after[nx * ny] = zeros(); int toppled[1] = zeros();
   sandpile_topple_all_cells(nx, ny, grains, after, toppled);
*/
// Abelian sand pile: every cell with four grains or more gives a quarter to each neighbour, what crosses the border is
// lost; the cells that toppled are counted.
__global__ void sandpile_topple_all_cells(int nx, int ny, const int *grains, int *after, int *toppled)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    bool unstable = false;
    if (x < nx && y < ny) {
        const int i = y * nx + x;
        const int here = grains[i];
        int now = here % 4;
        if (x > 0)
            now += grains[i - 1] / 4;
        if (x < nx - 1)
            now += grains[i + 1] / 4;
        if (y > 0)
            now += grains[i - nx] / 4;
        if (y < ny - 1)
            now += grains[i + nx] / 4;
        after[i] = now;
        unstable = here >= 4;
    }
    const int many = __syncthreads_count(unstable);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicAdd(toppled, many);
}

/* kmutate launch
   int channels = 12, depth = 16, height = 56, width = 56; int n = channels * depth * height * width;
   dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float volume[n] = uniform(-1, 1); float columns[27 * n] = zeros();
   volume_to_columns_naive(n, volume, depth, height, width, 3, 1, 1, depth, height, width, columns);
*/
// Volumes to columns for a convolution in three dimensions as a product: an output place and channel per thread, found
// by divisions, and a loop over the window with any stride and padding.
__global__ void volume_to_columns_naive(int n, const float *volume, int depth, int height, int width, int ksize, int pad,
                                        int stride, int depth_col, int height_col, int width_col, float *columns)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= n)
        return;
    const int w_out = index % width_col;
    index /= width_col;
    const int h_out = index % height_col;
    index /= height_col;
    const int d_out = index % depth_col;
    const int c = index / depth_col;
    const int w_in = w_out * stride - pad;
    const int h_in = h_out * stride - pad;
    const int d_in = d_out * stride - pad;
    int to = ((c * ksize * ksize * ksize * depth_col + d_out) * height_col + h_out) * width_col + w_out;
    for (int i = 0; i < ksize; i++)
        for (int j = 0; j < ksize; j++)
            for (int k = 0; k < ksize; k++) {
                const int d = d_in + i, h = h_in + j, w = w_in + k;
                columns[to] = (d >= 0 && h >= 0 && w >= 0 && d < depth && h < height && w < width)
                                  ? volume[((c * depth + d) * height + h) * width + w]
                                  : 0.0f;
                to += depth_col * height_col * width_col;
            }
}

/* kmutate launch
   int images = 32, channels = 96, pairs = 56 * 56 / 2; dim3 block = { 128 };
   dim3 grid = { (images * pairs + 127) / 128 };
   half2 x[images * channels * pairs] = normal(); half2 y[images * channels * pairs] = zeros();
   local_response_normalise_half_pairs(images, channels, pairs, x, y, 0.0001f, 0.75f, 1.0f);
*/
// Normalisation by the response of five channels in half precision: a thread takes two neighbouring pixels and slides a
// window of squares along the channels.
__global__ void local_response_normalise_half_pairs(int images, int channels, int pairs, const half2 *__restrict__ x,
                                                    half2 *__restrict__ y, float alpha, float beta, float k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= images * pairs)
        return;
    const int image = i / pairs;
    const size_t base = (size_t)image * channels * pairs + (i - image * pairs);
    float2 window[5];
#pragma unroll
    for (int j = 0; j < 5; j++)
        window[j] = make_float2(0.0f, 0.0f);
    window[3] = __half22float2(x[base]);
    window[4] = __half22float2(x[base + pairs]);
    float sx = window[3].x * window[3].x + window[4].x * window[4].x;
    float sy = window[3].y * window[3].y + window[4].y * window[4].y;
    for (int c = 0; c < channels; c++) {
        const float2 next = c + 2 < channels ? __half22float2(x[base + (size_t)(c + 2) * pairs]) : make_float2(0.0f, 0.0f);
        const float2 gone = window[0];
#pragma unroll
        for (int j = 0; j < 4; j++)
            window[j] = window[j + 1];
        window[4] = next;
        sx += next.x * next.x - gone.x * gone.x;
        sy += next.y * next.y - gone.y * gone.y;
        const float2 r = make_float2(window[2].x * __powf(k + alpha * sx, -beta), window[2].y * __powf(k + alpha * sy, -beta));
        y[base + (size_t)c * pairs] = __float22half2_rn(r);
    }
}

/* kmutate launch
   int side = 2048, beam_side = 1024; dim3 block = { 256 }; dim3 grid = { 792 };
   float residual[side * side] = normal(); float beam[beam_side * beam_side] = uniform(-0.1, 0.1);
   int peak[2] = { 1203, 711 }; float found[792] = zeros(); int where[792] = zeros();
   clean_subtract_beam_and_find_peaks(side, beam_side, residual, beam, peak, 0.37f, found, where);
*/
// Radio astronomy, a minor cycle of CLEAN: the beam, shifted to the last peak, is subtracted from the residual, and each
// block finds the largest magnitude of its part for the next cycle by shuffles.
__global__ void __launch_bounds__(256) clean_subtract_beam_and_find_peaks(int side, int beam_side,
                                                                          float *__restrict__ residual,
                                                                          const float *__restrict__ beam,
                                                                          const int *__restrict__ peak, float gain,
                                                                          float *found, int *where)
{
    __shared__ float values[8];
    __shared__ int places[8];
    const int x0 = peak[0] - beam_side / 2, y0 = peak[1] - beam_side / 2;
    float best = -1.0f;
    int place = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += gridDim.x * blockDim.x) {
        const int y = i / side, x = i - y * side;
        const int u = x - x0, v = y - y0;
        float r = residual[i];
        if (u >= 0 && u < beam_side && v >= 0 && v < beam_side) {
            r -= gain * beam[v * beam_side + u];
            residual[i] = r;
        }
        if (fabsf(r) > best) {
            best = fabsf(r);
            place = i;
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const float b = __shfl_down_sync(0xffffffffu, best, d);
        const int p = __shfl_down_sync(0xffffffffu, place, d);
        if (b > best) {
            best = b;
            place = p;
        }
    }
    if ((threadIdx.x & 31) == 0) {
        values[threadIdx.x >> 5] = best;
        places[threadIdx.x >> 5] = place;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++)
            if (values[k] > best) {
                best = values[k];
                place = places[k];
            }
        found[blockIdx.x] = best;
        where[blockIdx.x] = place;
    }
}

/* kmutate launch
   int width = 640, rows = 480; dim3 block = { 64 }; dim3 grid = { rows / 2 };
   uchar2 cost[rows * width * 32] = randint(0, 64); ushort2 total[rows * width * 32] = zeros();
   semiglobal_path_cost_warp_per_row(width, rows, cost, total, 7, 60);
*/
// Stereo by semi-global matching, the paths from left to right: a warp walks along a row, a lane holds two of the 64
// disparities; neighbours and the least cost of the last pixel come by shuffles.
__global__ void semiglobal_path_cost_warp_per_row(int width, int rows, const uchar2 *__restrict__ cost,
                                                  ushort2 *__restrict__ total, int p_small, int p_large)
{
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows)
        return;
    const uchar2 *in = cost + (size_t)row * width * 32 + lane;
    ushort2 *out = total + (size_t)row * width * 32 + lane;
    int a = 0, b = 0, least = 0;
    for (int x = 0; x < width; x++) {
        const uchar2 c = in[x * 32];
        int below = __shfl_up_sync(0xffffffffu, b, 1);
        int above = __shfl_down_sync(0xffffffffu, a, 1);
        if (lane == 0)
            below = 1 << 20;
        if (lane == 31)
            above = 1 << 20;
        const int na = c.x - least + min(min(a, least + p_large), min(below, b) + p_small);
        const int nb = c.y - least + min(min(b, least + p_large), min(a, above) + p_small);
        a = na;
        b = nb;
        least = __reduce_min_sync(0xffffffffu, min(a, b));
        out[x * 32] = make_ushort2((unsigned short)a, (unsigned short)b);
    }
}

/* kmutate launch
   int series = 2048, len = 4096; dim3 block = { 256 }; dim3 grid = { series };
   float4 prices[series * len / 4] = uniform(50, 150); float4 drawdown[series * len / 4] = zeros();
   float worst[series] = zeros();
   drawdown_running_maximum_block_per_series(prices, drawdown, worst);
*/
// How far a price is below its highest so far: a block scans a series of 4096 prices for the running maximum, sixteen to
// a thread, and writes all drawdowns and the worst one.
__global__ void __launch_bounds__(256) drawdown_running_maximum_block_per_series(const float4 *__restrict__ prices,
                                                                                 float4 *__restrict__ drawdown,
                                                                                 float *__restrict__ worst)
{
    __shared__ float warp_high[8];
    __shared__ float warp_worst[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t base = (size_t)blockIdx.x * 1024 + threadIdx.x * 4;
    float v[16];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float4 p = prices[base + k];
        v[4 * k] = p.x;
        v[4 * k + 1] = p.y;
        v[4 * k + 2] = p.z;
        v[4 * k + 3] = p.w;
    }
    float high = v[0];
#pragma unroll
    for (int k = 1; k < 16; k++)
        high = fmaxf(high, v[k]);
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const float other = __shfl_up_sync(0xffffffffu, high, d);
        if (lane >= d)
            high = fmaxf(high, other);
    }
    if (lane == 31)
        warp_high[warp] = high;
    high = __shfl_up_sync(0xffffffffu, high, 1);
    if (lane == 0)
        high = 0.0f;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        high = fmaxf(high, warp_high[w]);

    float most = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        high = fmaxf(high, v[k]);
        v[k] = 1.0f - v[k] / high;
        most = fmaxf(most, v[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        drawdown[base + k] = make_float4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    if (lane == 0)
        warp_worst[warp] = most;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            most = fmaxf(most, warp_worst[w]);
        worst[blockIdx.x] = most;
    }
}

/* kmutate launch
   int pairs = 200000; dim3 block = { 192 }; dim3 grid = { (pairs + 191) / 192 };
   double4 ends[pairs] = uniform(-1.3, 1.3); double distance[pairs] = zeros(); int rounds[pairs] = zeros();
   vincenty_distances_fp64(pairs, ends, distance, rounds);
*/
// Distances on the ellipsoid of the earth between pairs of places by Vincenty's iteration in double precision, a pair
// per thread, until the longitude on the sphere does not change any more.
__global__ void vincenty_distances_fp64(int pairs, const double4 *__restrict__ ends, double *__restrict__ distance,
                                        int *__restrict__ rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    const double a = 6378137.0, f = 1.0 / 298.257223563, b = (1.0 - f) * a;
    const double4 e = ends[i];
    const double tan1 = (1.0 - f) * tan(e.x), tan2 = (1.0 - f) * tan(e.z);
    const double cos1 = 1.0 / sqrt(1.0 + tan1 * tan1), cos2 = 1.0 / sqrt(1.0 + tan2 * tan2);
    const double sin1 = tan1 * cos1, sin2 = tan2 * cos2;
    const double span = e.w - e.y;
    double lambda = span, sigma = 0.0, sin_sigma = 0.0, cos_sigma = 1.0, cos_sq = 1.0, cos_mid = 0.0;
    int k = 0;
    for (; k < 30; k++) {
        double sl, cl;
        sincos(lambda, &sl, &cl);
        const double t1 = cos2 * sl, t2 = cos1 * sin2 - sin1 * cos2 * cl;
        sin_sigma = sqrt(t1 * t1 + t2 * t2) + 1e-300;
        cos_sigma = sin1 * sin2 + cos1 * cos2 * cl;
        sigma = atan2(sin_sigma, cos_sigma);
        const double sin_alpha = cos1 * cos2 * sl / sin_sigma;
        cos_sq = 1.0 - sin_alpha * sin_alpha;
        cos_mid = cos_sq > 1e-12 ? cos_sigma - 2.0 * sin1 * sin2 / cos_sq : 0.0;
        const double c = f / 16.0 * cos_sq * (4.0 + f * (4.0 - 3.0 * cos_sq));
        const double was = lambda;
        lambda = span + (1.0 - c) * f * sin_alpha *
                            (sigma + c * sin_sigma * (cos_mid + c * cos_sigma * (2.0 * cos_mid * cos_mid - 1.0)));
        if (fabs(lambda - was) < 1e-12)
            break;
    }
    const double u2 = cos_sq * (a * a - b * b) / (b * b);
    const double big = 1.0 + u2 / 16384.0 * (4096.0 + u2 * (-768.0 + u2 * (320.0 - 175.0 * u2)));
    const double small = u2 / 1024.0 * (256.0 + u2 * (-128.0 + u2 * (74.0 - 47.0 * u2)));
    const double delta =
        small * sin_sigma *
        (cos_mid + 0.25 * small * (cos_sigma * (2.0 * cos_mid * cos_mid - 1.0) -
                                   small / 6.0 * cos_mid * (4.0 * sin_sigma * sin_sigma - 3.0) *
                                       (4.0 * cos_mid * cos_mid - 3.0)));
    distance[i] = b * big * (sigma - delta);
    rounds[i] = k;
}

/* kmutate launch
   int n = 1 << 19; dim3 block = { 256 }; dim3 grid = { n / 1024 };
   unsigned long long plain[n] = randint(0, 1000000007); unsigned long long round_keys[32] = randint(0, 1000000007);
   unsigned long long coded[n] = zeros();
   present_counter_permuted_tables_in_shared(n, plain, round_keys, 81985529216486895, coded);
*/
// The PRESENT cipher in counter mode: substitution and permutation of a byte in one of eight shared tables of 64-bit
// words, which the block makes first; four blocks of text to a thread.
__global__ void __launch_bounds__(256) present_counter_permuted_tables_in_shared(
    int n, const unsigned long long *__restrict__ plain, const unsigned long long *__restrict__ round_keys,
    unsigned long long nonce, unsigned long long *__restrict__ coded)
{
    __shared__ unsigned long long table[8][256];
    __shared__ unsigned long long keys[32];
    const unsigned long long box = 0x21748fe3da09b65cull;
    for (int v = threadIdx.x; v < 256; v += blockDim.x) {
        const unsigned s = (unsigned)(box >> (4 * (v & 15)) & 15ull) | (unsigned)(box >> (4 * (v >> 4)) & 15ull) << 4;
        for (int byte = 0; byte < 8; byte++) {
            unsigned long long word = 0;
            for (int bit = 0; bit < 8; bit++) {
                const int from = 8 * byte + bit;
                const int to = from == 63 ? 63 : from * 16 % 63;
                word |= (unsigned long long)(s >> bit & 1u) << to;
            }
            table[byte][v] = word;
        }
    }
    if (threadIdx.x < 32)
        keys[threadIdx.x] = round_keys[threadIdx.x];
    __syncthreads();
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        unsigned long long state = nonce + (unsigned)i;
        for (int r = 0; r < 31; r++) {
            state ^= keys[r];
            unsigned long long next = 0;
#pragma unroll
            for (int byte = 0; byte < 8; byte++)
                next ^= table[byte][(unsigned)(state >> (8 * byte)) & 255u];
            state = next;
        }
        coded[i] = plain[i] ^ state ^ keys[31];
    }
}

/* kmutate launch
   int n = 16384; dim3 block = { 128 }; dim3 grid = { n / 128 };
   float4 points[n] = uniform(0, 10); float4 modes[n] = uniform(0, 10); float4 moved[n] = zeros();
   mean_shift_gaussian_tiles(n, points, modes, moved, 0.5f);
*/
// A step of mean shift: every mode moves to the mean of all points with Gaussian weights; the points pass by in shared
// tiles of 128, the fourth component is the weight of a point.
__global__ void mean_shift_gaussian_tiles(int n, const float4 *__restrict__ points, const float4 *__restrict__ modes,
                                          float4 *__restrict__ moved, float inverse_width)
{
    __shared__ float4 tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 m = i < n ? modes[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float sx = 0.0f, sy = 0.0f, sz = 0.0f, sw = 0.0f;
    for (int t = 0; t < n; t += 128) {
        __syncthreads();
        tile[threadIdx.x] = t + threadIdx.x < n ? points[t + threadIdx.x] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++) {
            const float4 p = tile[j];
            const float dx = p.x - m.x, dy = p.y - m.y, dz = p.z - m.z;
            const float w = p.w * __expf(-(dx * dx + dy * dy + dz * dz) * inverse_width);
            sx += w * p.x;
            sy += w * p.y;
            sz += w * p.z;
            sw += w;
        }
    }
    if (i < n) {
        const float r = 1.0f / sw;
        moved[i] = make_float4(sx * r, sy * r, sz * r, sw);
    }
}

/* kmutate launch
   int tracks = 16384, steps = 12; dim3 block = { 64 }; dim3 grid = { tracks / 64 };
   float state[tracks * 6] = normal(); float covariance[tracks * 36] = uniform(0, 0.05);
   float measured[steps * tracks * 3] = normal(0, 2);
   kalman_six_states_local_matrices(tracks, steps, state, covariance, measured, 0.1f, 0.02f, 0.5f);
*/
// Kalman filters of moving objects, one per thread: six states, three of them measured, all matrices in arrays of the
// thread that loops index.
__global__ void kalman_six_states_local_matrices(int tracks, int steps, float *state, float *covariance,
                                                 const float *measured, float dt, float q, float r)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tracks)
        return;
    float x[6], P[6][6], F[6][6], tmp[6][6], K[6][3];
    for (int i = 0; i < 6; i++) {
        x[i] = state[t * 6 + i];
        for (int j = 0; j < 6; j++) {
            P[i][j] = 0.5f * (covariance[t * 36 + i * 6 + j] + covariance[t * 36 + j * 6 + i]) + (i == j ? 1.0f : 0.0f);
            F[i][j] = i == j ? 1.0f : (j == i + 3 ? dt : 0.0f);
        }
    }
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < 3; i++)
            x[i] += dt * x[i + 3];
#pragma unroll 1
        for (int i = 0; i < 6; i++)
#pragma unroll 1
            for (int j = 0; j < 6; j++) {
                float sum = 0.0f;
                for (int k = 0; k < 6; k++)
                    sum += F[i][k] * P[k][j];
                tmp[i][j] = sum;
            }
#pragma unroll 1
        for (int i = 0; i < 6; i++)
#pragma unroll 1
            for (int j = 0; j < 6; j++) {
                float sum = i == j ? q : 0.0f;
                for (int k = 0; k < 6; k++)
                    sum += tmp[i][k] * F[j][k];
                P[i][j] = sum;
            }
        const float a = P[0][0] + r, b = P[0][1], c = P[0][2], d = P[1][1] + r, e = P[1][2], f = P[2][2] + r;
        const float c00 = d * f - e * e, c01 = c * e - b * f, c02 = b * e - c * d;
        const float inv = 1.0f / (a * c00 + b * c01 + c * c02);
        const float S[3][3] = { { c00 * inv, c01 * inv, c02 * inv },
                                { c01 * inv, (a * f - c * c) * inv, (b * c - a * e) * inv },
                                { c02 * inv, (b * c - a * e) * inv, (a * d - b * b) * inv } };
        float y[3];
        for (int i = 0; i < 3; i++)
            y[i] = measured[((size_t)s * tracks + t) * 3 + i] - x[i];
#pragma unroll 1
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 3; j++)
                K[i][j] = P[i][0] * S[0][j] + P[i][1] * S[1][j] + P[i][2] * S[2][j];
            x[i] += K[i][0] * y[0] + K[i][1] * y[1] + K[i][2] * y[2];
        }
#pragma unroll 1
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                tmp[i][j] = P[i][j] - (K[i][0] * P[0][j] + K[i][1] * P[1][j] + K[i][2] * P[2][j]);
#pragma unroll 1
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                P[i][j] = 0.5f * (tmp[i][j] + tmp[j][i]);
    }
    for (int i = 0; i < 6; i++) {
        state[t * 6 + i] = x[i];
        for (int j = 0; j < 6; j++)
            covariance[t * 36 + i * 6 + j] = P[i][j];
    }
}

/* kmutate launch
   int walkers = 50688, steps = 120; dim3 block = { 128 }; dim3 grid = { walkers / 128 };
   float positions[6 * walkers] = normal(0, 0.7); unsigned seeds[walkers] = randint(1, 1000000000);
   float energy[walkers / 128] = zeros(); int accepted[walkers / 128] = zeros();
   helium_variational_walkers(walkers, steps, positions, seeds, energy, accepted, 1.84f, 0.35f, 0.45f);
*/
// Variational Monte Carlo of the helium atom: a walker of two electrons per thread makes Metropolis steps with a
// correlated trial function; the block sums the local energies.
__device__ __forceinline__ float p1_uniform(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return (s >> 8) * (1.0f / 16777216.0f);
}

__device__ __forceinline__ float p1_log_psi(const float *p, float zeta, float beta)
{
    const float r1 = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    const float r2 = sqrtf(p[3] * p[3] + p[4] * p[4] + p[5] * p[5]);
    const float dx = p[0] - p[3], dy = p[1] - p[4], dz = p[2] - p[5];
    const float r12 = sqrtf(dx * dx + dy * dy + dz * dz);
    return -zeta * (r1 + r2) + 0.5f * r12 / (1.0f + beta * r12);
}

__global__ void __launch_bounds__(128) helium_variational_walkers(int walkers, int steps, float *__restrict__ positions,
                                                                  unsigned *__restrict__ seeds,
                                                                  float *__restrict__ energy,
                                                                  int *__restrict__ accepted, float zeta, float beta,
                                                                  float width)
{
    __shared__ float sums[4];
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    float p[6];
    unsigned seed = 0;
    float total = 0.0f;
    int hits = 0;
    if (w < walkers) {
        seed = seeds[w];
#pragma unroll
        for (int k = 0; k < 6; k++)
            p[k] = positions[k * walkers + w];
        float now = p1_log_psi(p, zeta, beta);
        for (int s = 0; s < steps; s++) {
            float trial[6];
#pragma unroll
            for (int k = 0; k < 6; k++)
                trial[k] = p[k] + width * (2.0f * p1_uniform(seed) - 1.0f);
            const float then = p1_log_psi(trial, zeta, beta);
            if (p1_uniform(seed) < expf(2.0f * (then - now))) {
#pragma unroll
                for (int k = 0; k < 6; k++)
                    p[k] = trial[k];
                now = then;
                hits++;
            }
            const float r1 = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) + 1e-6f;
            const float r2 = sqrtf(p[3] * p[3] + p[4] * p[4] + p[5] * p[5]) + 1e-6f;
            const float dx = p[0] - p[3], dy = p[1] - p[4], dz = p[2] - p[5];
            const float r12 = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-6f;
            const float u = 1.0f / (1.0f + beta * r12);
            const float dot = (p[0] / r1 - p[3] / r2) * dx + (p[1] / r1 - p[4] / r2) * dy + (p[2] / r1 - p[5] / r2) * dz;
            total += -zeta * zeta + (zeta - 2.0f) * (1.0f / r1 + 1.0f / r2) + 1.0f / r12 +
                     u * u * (0.5f * zeta * dot / r12 - 0.25f * u * u - 1.0f / r12 + beta * u);
        }
#pragma unroll
        for (int k = 0; k < 6; k++)
            positions[k * walkers + w] = p[k];
        seeds[w] = seed;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        total += __shfl_xor_sync(0xffffffffu, total, d);
    hits = __reduce_add_sync(0xffffffffu, hits);
    if ((threadIdx.x & 31) == 0) {
        sums[threadIdx.x >> 5] = total;
        atomicAdd(&accepted[blockIdx.x], hits);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        energy[blockIdx.x] = (sums[0] + sums[1] + sums[2] + sums[3]) / steps;
}

/* kmutate launch
   int swarms = 60, generations = 40; dim3 block = { 128 }; dim3 grid = { swarms };
   float start[swarms * 128 * 16] = uniform(-5.12, 5.12); float best_place[swarms * 16] = zeros();
   float best_value[swarms] = zeros();
   particle_swarm_rastrigin_in_shared(generations, start, best_place, best_value, 0.72f, 1.49f, 1.49f, 12345u);
*/
// Optimisation by swarms of 128 particles, a swarm per block, Rastrigin's function of 16 variables: places, speeds and
// the best of each particle lie in shared memory, the best of the swarm is found by shuffles.
__global__ void __launch_bounds__(128) particle_swarm_rastrigin_in_shared(int generations,
                                                                          const float *__restrict__ start,
                                                                          float *__restrict__ best_place,
                                                                          float *__restrict__ best_value,
                                                                          float inertia, float own, float social,
                                                                          unsigned seed)
{
    __shared__ float place[16][128], speed[16][128], best[16][128];
    __shared__ float leader[16], warp_value[4];
    __shared__ int warp_who[4];
    __shared__ float leader_value;
    const int t = threadIdx.x;
    for (int d = 0; d < 16; d++) {
        place[d][t] = start[((size_t)blockIdx.x * 128 + t) * 16 + d];
        best[d][t] = place[d][t];
        speed[d][t] = 0.0f;
    }
    if (t == 0)
        leader_value = 1e30f;
    float mine = 1e30f;
    unsigned s = (seed + blockIdx.x * 128 + t) * 2654435761u | 1u;

    for (int g = 0; g < generations; g++) {
        float f = 160.0f;
#pragma unroll
        for (int d = 0; d < 16; d++) {
            const float x = place[d][t];
            f += x * x - 10.0f * cospif(2.0f * x);
        }
        if (f < mine) {
            mine = f;
#pragma unroll
            for (int d = 0; d < 16; d++)
                best[d][t] = place[d][t];
        }
        float low = mine;
        int who = t;
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) {
            const float other = __shfl_xor_sync(0xffffffffu, low, d);
            const int index = __shfl_xor_sync(0xffffffffu, who, d);
            if (other < low || (other == low && index < who)) {
                low = other;
                who = index;
            }
        }
        if ((t & 31) == 0) {
            warp_value[t >> 5] = low;
            warp_who[t >> 5] = who;
        }
        __syncthreads();
        if (t < 16) {
            int w = 0;
            for (int k = 1; k < 4; k++)
                if (warp_value[k] < warp_value[w])
                    w = k;
            leader[t] = best[t][warp_who[w]];
            if (t == 0)
                leader_value = warp_value[w];
        }
        __syncthreads();
        for (int d = 0; d < 16; d++) {
            s = s * 1664525u + 1013904223u;
            const float r1 = (s >> 16) * (1.0f / 65536.0f);
            s = s * 1664525u + 1013904223u;
            const float r2 = (s >> 16) * (1.0f / 65536.0f);
            const float x = place[d][t];
            float v = inertia * speed[d][t] + own * r1 * (best[d][t] - x) + social * r2 * (leader[d] - x);
            v = fminf(fmaxf(v, -2.0f), 2.0f);
            speed[d][t] = v;
            place[d][t] = fminf(fmaxf(x + v, -5.12f), 5.12f);
        }
        __syncthreads();
    }
    if (t < 16)
        best_place[blockIdx.x * 16 + t] = leader[t];
    if (t == 0)
        best_value[blockIdx.x] = leader_value;
}


/* kmutate launch
   int bx = 16, by = 16, bz = 16; int bins = (bx + 2) * (by + 2) * (bz + 2);
   dim3 block = { 128 }; dim3 grid = { bx, by, bz };
   float4 atoms[bins * 8] = uniform(0, 1);
   float lattice[bx * by * bz * 512] = zeros();
   cutoff_potential_from_bins_of_eight(atoms, lattice, 4.0f, 0.5f);
*/
// Cut-off electrostatic potential: a block computes 8 by 8 by 8 lattice points from the atoms of 27 bins, which it puts
// into shared memory bin triplet by bin triplet; each thread has four points along z.
__global__ void __launch_bounds__(128) cutoff_potential_from_bins_of_eight(const float4 *__restrict__ atoms,
                                                                           float *__restrict__ lattice, float side,
                                                                           float h)
{
    __shared__ float4 near[24];
    const int px = gridDim.x + 2, py = gridDim.y + 2;
    const int t = threadIdx.x;
    const int ix = t & 7, iy = (t >> 3) & 7, iz = t >> 6;
    const float x = ix * h, y = iy * h, z = iz * h;
    const float cut2 = side * side;
    const float inv = 1.0f / cut2;
    float e0 = 0.0f, e1 = 0.0f, e2 = 0.0f, e3 = 0.0f;

    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            __syncthreads();
            if (t < 24) {
                const int dx = t / 8 - 1;
                const int bin = ((blockIdx.z + 1 + dz) * py + blockIdx.y + 1 + dy) * px + blockIdx.x + 1 + dx;
                float4 a = atoms[bin * 8 + (t & 7)];
                a.x = (a.x + dx) * side;
                a.y = (a.y + dy) * side;
                a.z = (a.z + dz) * side;
                near[t] = a;
            }
            __syncthreads();
            for (int k = 0; k < 24; k++) {
                const float4 a = near[k];
                const float ax = a.x - x, ay = a.y - y, az = a.z - z;
                const float flat = ax * ax + ay * ay;
                if (flat >= cut2)
                    continue;
                float r2 = flat + az * az, s;
                if (r2 < cut2) {
                    s = 1.0f - r2 * inv;
                    e0 += a.w * rsqrtf(r2 + 1e-6f) * s * s;
                }
                r2 = flat + (az - 2.0f * h) * (az - 2.0f * h);
                if (r2 < cut2) {
                    s = 1.0f - r2 * inv;
                    e1 += a.w * rsqrtf(r2 + 1e-6f) * s * s;
                }
                r2 = flat + (az - 4.0f * h) * (az - 4.0f * h);
                if (r2 < cut2) {
                    s = 1.0f - r2 * inv;
                    e2 += a.w * rsqrtf(r2 + 1e-6f) * s * s;
                }
                r2 = flat + (az - 6.0f * h) * (az - 6.0f * h);
                if (r2 < cut2) {
                    s = 1.0f - r2 * inv;
                    e3 += a.w * rsqrtf(r2 + 1e-6f) * s * s;
                }
            }
        }

    const int nx = gridDim.x * 8, ny = gridDim.y * 8;
    const int plane = nx * ny;
    const int at = (blockIdx.z * 8 + iz) * plane + (blockIdx.y * 8 + iy) * nx + blockIdx.x * 8 + ix;
    lattice[at] = e0;
    lattice[at + 2 * plane] = e1;
    lattice[at + 4 * plane] = e2;
    lattice[at + 6 * plane] = e3;
}

/* kmutate launch
   int macroblocks = 1200, offsets = 1088, pairs = offsets / 2; dim3 block = { 136 };
   dim3 grid = { pairs / 136, macroblocks };
   unsigned short small[macroblocks * 16 * offsets] = randint(0, 4081);
   unsigned large[macroblocks * 25 * pairs] = zeros();
   sads_of_4x4_summed_to_larger_blocks((unsigned *)small, large, pairs);
*/
// Video coding: the sums of absolute differences of the sixteen 4 by 4 blocks of a macroblock are added up to those of
// all larger partitions, two search offsets in the halves of a word.
__global__ void sads_of_4x4_summed_to_larger_blocks(const unsigned *__restrict__ small, unsigned *__restrict__ large,
                                                    int pairs)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;
    const unsigned *in = small + (size_t)blockIdx.y * 16 * pairs + p;
    unsigned *out = large + (size_t)blockIdx.y * 25 * pairs + p;

    unsigned b[4][4], q[2][2];
#pragma unroll
    for (int k = 0; k < 16; k++)
        b[k >> 2][k & 3] = in[k * pairs];
    // 8 wide and 4 high
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 2; c++)
            out[(r * 2 + c) * pairs] = b[r][2 * c] + b[r][2 * c + 1];
    // 4 wide and 8 high
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            out[(8 + r * 4 + c) * pairs] = b[2 * r][c] + b[2 * r + 1][c];
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int c = 0; c < 2; c++) {
            q[r][c] = b[2 * r][2 * c] + b[2 * r][2 * c + 1] + b[2 * r + 1][2 * c] + b[2 * r + 1][2 * c + 1];
            out[(16 + r * 2 + c) * pairs] = q[r][c];
        }
    out[20 * pairs] = q[0][0] + q[0][1];
    out[21 * pairs] = q[1][0] + q[1][1];
    out[22 * pairs] = q[0][0] + q[1][0];
    out[23 * pairs] = q[0][1] + q[1][1];
    out[24 * pairs] = q[0][0] + q[0][1] + q[1][0] + q[1][1];
}

/* kmutate launch
   int nx = 96, ny = 96, nz = 96, margin = nx * ny + nx + 1; int cells = nx * ny * nz;
   dim3 block = { nx }; dim3 grid = { ny, nz };
   float from[(cells + 2 * margin) * 20] = uniform(0.02, 0.06);
   float to[(cells + 2 * margin) * 20] = zeros();
   lbm_nineteen_speeds_cells_as_structs(from + margin * 20, to + margin * 20, nx, ny, 1.2f, 0.022f);
*/
// Lattice Boltzmann with 19 speeds, pulled from the neighbours, where a cell is a struct of 19 numbers and a flag: the
// lanes of a warp are 80 bytes apart. Cells with a small flag are obstacles and bounce back.
__global__ void lbm_nineteen_speeds_cells_as_structs(const float *__restrict__ from, float *__restrict__ to, int nx,
                                                     int ny, float omega, float solid)
{
    const int cx[19] = { 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0 };
    const int cy[19] = { 0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1 };
    const int cz[19] = { 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1 };
    const int cell = (blockIdx.y * ny + blockIdx.x) * nx + threadIdx.x;
    float f[19];
    float rho = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int k = 0; k < 19; k++) {
        f[k] = from[(cell - (cz[k] * ny + cy[k]) * nx - cx[k]) * 20 + k];
        rho += f[k];
        ux += cx[k] * f[k];
        uy += cy[k] * f[k];
        uz += cz[k] * f[k];
    }
    const float flag = from[cell * 20 + 19];
    float *out = to + cell * 20;
    out[19] = flag;
    if (flag < solid) {
        out[0] = f[0];
#pragma unroll
        for (int k = 1; k < 19; k += 2) {
            out[k] = f[k + 1];
            out[k + 1] = f[k];
        }
        return;
    }
    const float inv = 1.0f / rho;
    ux *= inv;
    uy *= inv;
    uz *= inv;
    const float base = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int k = 0; k < 19; k++) {
        const float w = k == 0 ? 1.0f / 3.0f : k < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
        const float cu = cx[k] * ux + cy[k] * uy + cz[k] * uz;
        const float eq = w * rho * (base + 3.0f * cu + 4.5f * cu * cu);
        out[k] = f[k] + omega * (eq - f[k]);
    }
}

/* kmutate launch
   int rows = 196608, width = 48; dim3 block = { 256 }; dim3 grid = { rows / 128 };
   int lengths[rows] = randint(16, width + 1); float values[width * rows] = uniform(-1, 1);
   int columns[width * rows] = randint(0, rows); float x[rows] = uniform(-1, 1); float y[rows] = zeros();
   spmv_ellr_two_lanes_a_row(rows, lengths, values, columns, x, y);
*/
// Sparse matrix times vector in the ELLPACK-R format: two neighbouring lanes share a row, whose length is known, and
// add their sums by a shuffle.
__global__ void spmv_ellr_two_lanes_a_row(int rows, const int *__restrict__ lengths, const float *__restrict__ values,
                                          const int *__restrict__ columns, const float *__restrict__ x,
                                          float *__restrict__ y)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = t >> 1, half = t & 1;
    float sum = 0.0f;
    if (row < rows) {
        const int steps = (lengths[row] + 1 - half) >> 1;
        for (int k = 0; k < steps; k++) {
            const int at = k * 2 * rows + t;
            sum += values[at] * x[columns[at]];
        }
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    if (half == 0 && row < rows)
        y[row] = sum;
}

/* kmutate launch
   int particles = 65536; dim3 block = { 1024 }; dim3 grid = { 1 };
   double weights[particles] = uniform(0.001, 1); double cdf[particles] = zeros(); double u[particles] = zeros();
   particle_weights_cumulated_by_one_block(weights, cdf, u, particles, 0.37);
*/
// Particle filter: one block normalises all weights, cumulates them in chunks of 1024 (scans of warps by shuffles) and
// writes the evenly spaced places where the particles are drawn.
__global__ void __launch_bounds__(1024) particle_weights_cumulated_by_one_block(double *weights, double *cdf,
                                                                                double *u, int particles, double u0)
{
    __shared__ double part[32];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    double sum = 0.0;
    for (int i = t; i < particles; i += 1024)
        sum += weights[i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    double total = part[lane];
    for (int d = 16; d > 0; d >>= 1)
        total += __shfl_xor_sync(0xffffffffu, total, d);
    __syncthreads();

    const double inv = 1.0 / total;
    double carry = 0.0;
    for (int base = 0; base < particles; base += 1024) {
        const int i = base + t;
        double v = 0.0;
        if (i < particles) {
            v = weights[i] * inv;
            weights[i] = v;
            u[i] = (u0 + i) / particles;
        }
        for (int d = 1; d < 32; d <<= 1) {
            const double left = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d)
                v += left;
        }
        if (lane == 31)
            part[warp] = v;
        __syncthreads();
        if (warp == 0) {
            double p = part[lane];
            for (int d = 1; d < 32; d <<= 1) {
                const double left = __shfl_up_sync(0xffffffffu, p, d);
                if (lane >= d)
                    p += left;
            }
            part[lane] = p;
        }
        __syncthreads();
        if (warp > 0)
            v += part[warp - 1];
        if (i < particles)
            cdf[i] = carry + v;
        carry += part[31];
        __syncthreads();
    }
}

/* kmutate launch
   int points = 51, rows = 656, cols = 744; dim3 block = { 256 }; dim3 grid = { points };
   float frame[rows * cols] = uniform(0, 1); int row_of[points] = randint(0, rows - 80);
   int col_of[points] = randint(0, cols - 80); float sums[points * 56 * 56] = zeros();
   float deviation[points * 56 * 56] = zeros();
   heart_window_deviations_by_running_sums(frame, cols, row_of, col_of, sums, deviation);
*/
// Tracking of the heart wall: a block per point turns a window of 81 by 81 pixels into running sums down the columns and
// along the rows, once for the values and once for their squares, and gets the deviation of all 25 by 25 boxes.
__device__ __forceinline__ float p2_box(const float *w, int r, int c)
{
    return w[(r + 25) * 81 + c + 25] - w[r * 81 + c + 25] - w[(r + 25) * 81 + c] + w[r * 81 + c];
}

__device__ __forceinline__ void p2_running_sums(float *w)
{
    __syncthreads();
    if (threadIdx.x < 81) {
        float s = 0.0f;
        for (int r = 0; r < 81; r++) {
            s += w[r * 81 + threadIdx.x];
            w[r * 81 + threadIdx.x] = s;
        }
    }
    __syncthreads();
    if (threadIdx.x < 81) {
        float s = 0.0f;
        for (int c = 0; c < 81; c++) {
            s += w[threadIdx.x * 81 + c];
            w[threadIdx.x * 81 + c] = s;
        }
    }
    __syncthreads();
}

__global__ void heart_window_deviations_by_running_sums(const float *frame, int cols, const int *row_of,
                                                        const int *col_of, float *sums, float *deviation)
{
    __shared__ float w[81 * 81];
    const float *corner = frame + row_of[blockIdx.x] * cols + col_of[blockIdx.x];
    float *mine = sums + blockIdx.x * 56 * 56;
    // a first row and column of zeros makes the boxes' differences free of special cases
    for (int i = threadIdx.x; i < 81 * 81; i += blockDim.x) {
        const int r = i / 81, c = i % 81;
        w[i] = r == 0 || c == 0 ? 0.0f : corner[(r - 1) * cols + c - 1];
    }
    p2_running_sums(w);
    for (int i = threadIdx.x; i < 56 * 56; i += blockDim.x)
        mine[i] = p2_box(w, i / 56, i % 56);
    __syncthreads();
    for (int i = threadIdx.x; i < 81 * 81; i += blockDim.x) {
        const int r = i / 81, c = i % 81;
        const float v = r == 0 || c == 0 ? 0.0f : corner[(r - 1) * cols + c - 1];
        w[i] = v * v;
    }
    p2_running_sums(w);
    for (int i = threadIdx.x; i < 56 * 56; i += blockDim.x) {
        const float s = mine[i];
        const float var = p2_box(w, i / 56, i % 56) - s * s / 625.0f;
        deviation[blockIdx.x * 56 * 56 + i] = sqrtf(fmaxf(var, 0.0f) / 624.0f);
    }
}

/* kmutate launch
   int cells = 600000; dim3 block = { 192 }; dim3 grid = { cells / 192 };
   float variables[5 * cells] = uniform(1, 1.5); float areas[cells] = uniform(0.5, 2);
   float step[cells] = zeros(); float fluxes[12 * cells] = zeros();
   cfd_steps_and_flux_contributions(cells, variables, areas, step, fluxes);
*/
// Unstructured flow solver: from the five conserved variables of a cell the allowed step of time and the twelve
// contributions to the fluxes, which are stored for the kernel that walks over the faces.
__global__ void cfd_steps_and_flux_contributions(int cells, const float *variables, const float *areas, float *step,
                                                 float *fluxes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    const float density = variables[i];
    const float mx = 0.3f * variables[cells + i];
    const float my = 0.3f * variables[2 * cells + i];
    const float mz = 0.3f * variables[3 * cells + i];
    const float energy = 2.0f * variables[4 * cells + i];
    const float vx = mx / density, vy = my / density, vz = mz / density;
    const float speed2 = vx * vx + vy * vy + vz * vz;
    const float pressure = 0.4f * (energy - 0.5f * density * speed2);
    const float sound = sqrtf(1.4f * pressure / density);
    step[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(speed2) + sound));
    fluxes[i] = vx * mx + pressure;
    fluxes[cells + i] = vx * my;
    fluxes[2 * cells + i] = vx * mz;
    fluxes[3 * cells + i] = vy * mx;
    fluxes[4 * cells + i] = vy * my + pressure;
    fluxes[5 * cells + i] = vy * mz;
    fluxes[6 * cells + i] = vz * mx;
    fluxes[7 * cells + i] = vz * my;
    fluxes[8 * cells + i] = vz * mz + pressure;
    const float de = energy + pressure;
    fluxes[9 * cells + i] = vx * de;
    fluxes[10 * cells + i] = vy * de;
    fluxes[11 * cells + i] = vz * de;
}

/* kmutate launch
   int n = 1 << 23; dim3 block = { 512 }; dim3 grid = { 264 };
   unsigned data[n] = randint(0, 1 << 24); unsigned histogram[8192] = zeros();
   histogram_8192_bins_in_halves_of_words((uint4 *)data, n / 4, histogram);
*/
// Histogram with many bins: two counters of sixteen bits share a word of shared memory, so that 8192 bins take 16 KB;
// the bins are sums of two even numbers and so more frequent in the middle. Each block adds its counts to global memory.
__global__ void histogram_8192_bins_in_halves_of_words(const uint4 *__restrict__ data, int quads, unsigned *histogram)
{
    __shared__ unsigned counts[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        counts[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        const uint4 v = data[i];
        const unsigned b0 = (v.x & 4095) + (v.x >> 12);
        const unsigned b1 = (v.y & 4095) + (v.y >> 12);
        const unsigned b2 = (v.z & 4095) + (v.z >> 12);
        const unsigned b3 = (v.w & 4095) + (v.w >> 12);
        atomicAdd(&counts[b0 >> 1], 1u << ((b0 & 1) * 16));
        atomicAdd(&counts[b1 >> 1], 1u << ((b1 & 1) * 16));
        atomicAdd(&counts[b2 >> 1], 1u << ((b2 & 1) * 16));
        atomicAdd(&counts[b3 >> 1], 1u << ((b3 & 1) * 16));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
        const unsigned two = counts[i];
        if (two & 0xffff)
            atomicAdd(&histogram[2 * i], two & 0xffff);
        if (two >> 16)
            atomicAdd(&histogram[2 * i + 1], two >> 16);
    }
}

/* kmutate launch
   int sets = 60, n = 1024, bins = 20; dim3 block = { 256 }; dim3 grid = { 2 * sets + 1 };
   float points[(sets + 1) * 3 * n] = normal();
   float borders[bins] = { 0.99999f, 0.99997f, 0.99992f, 0.9998f, 0.9995f, 0.999f, 0.998f, 0.995f, 0.99f, 0.98f, 0.96f,
                           0.92f, 0.85f, 0.75f, 0.6f, 0.4f, 0.15f, -0.2f, -0.6f, -2.0f };
   unsigned counts[(2 * sets + 1) * bins] = zeros();
   angular_correlation_histogram_for_warps(points, n, sets, borders, counts);
*/
// Two-point angular correlation: a block takes the pairs of one set of directions, or of the observed one with a random
// one, and finds the bin of each pair's cosine by bisection; each warp has a histogram of its own.
__global__ void angular_correlation_histogram_for_warps(const float *__restrict__ points, int n, int sets,
                                                        const float *__restrict__ borders, unsigned *counts)
{
    __shared__ float3 tile[256];
    __shared__ float border[20];
    __shared__ unsigned histogram[8][20];
    const int t = threadIdx.x, warp = t >> 5;
    const bool itself = (int)blockIdx.x <= sets;
    const int first = itself ? blockIdx.x : 0;
    const int second = itself ? blockIdx.x : blockIdx.x - sets;
    const float *a = points + first * 3 * n;
    const float *b = points + second * 3 * n;
    if (t < 20)
        border[t] = borders[t];
    for (int i = t; i < 160; i += 256)
        histogram[i / 20][i % 20] = 0;

    for (int base = 0; base < n; base += 256) {
        __syncthreads();
        if (base + t < n) {
            const float x = a[base + t], y = a[n + base + t], z = a[2 * n + base + t];
            const float inv = rsqrtf(x * x + y * y + z * z);
            tile[t] = make_float3(x * inv, y * inv, z * inv);
        }
        __syncthreads();
        const int here = min(256, n - base);
        for (int j = (itself ? base : 0) + t; j < n; j += 256) {
            float x = b[j], y = b[n + j], z = b[2 * n + j];
            const float inv = rsqrtf(x * x + y * y + z * z);
            x *= inv;
            y *= inv;
            z *= inv;
            for (int k = 0; k < here; k++) {
                if (itself && base + k >= j)
                    break;
                const float3 p = tile[k];
                const float dot = x * p.x + y * p.y + z * p.z;
                int lo = 0, hi = 19;
                while (lo < hi) {
                    const int mid = (lo + hi) >> 1;
                    if (dot >= border[mid])
                        hi = mid;
                    else
                        lo = mid + 1;
                }
                atomicAdd(&histogram[warp][lo], 1u);
            }
        }
    }
    __syncthreads();
    if (t < 20) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++)
            sum += histogram[w][t];
        counts[blockIdx.x * 20 + t] = sum;
    }
}

/* kmutate launch
   int m = 2048, n = 2048; dim3 block = { 256 }; dim3 grid = { m / 256 };
   float data[n * m] = uniform(0, 1); float mean[m] = fill(0.5); float stddev[m] = zeros();
   correlation_deviation_thread_for_column(m, n, data, mean, stddev, 0.005f);
*/
// The standard deviations of the correlation benchmark: a thread walks down a column in a plain loop; too small ones
// are replaced by one.
__global__ void correlation_deviation_thread_for_column(int m, int n, float *data, float *mean, float *stddev,
                                                        float eps)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++)
            sum += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        sum = sqrtf(sum / n);
        stddev[j] = sum <= eps ? 1.0f : sum;
    }
}

/* kmutate launch
   int n = 4096; dim3 block = { 32, 8 }; dim3 grid = { n / 32 };
   double a[n * n] = uniform(-1, 1); double y[n] = uniform(-1, 1); double z[n] = uniform(-1, 1);
   double x[n] = uniform(-1, 1);
   gemver_transposed_product_eight_slices(n, 1.25, a, y, z, x);
*/
// Second step of gemver, x += beta A^T y + z in double precision: a block has 32 columns and eight interleaved slices
// of the rows, whose sums meet in shared memory.
__global__ void gemver_transposed_product_eight_slices(int n, double beta, const double *__restrict__ a,
                                                       const double *__restrict__ y, const double *__restrict__ z,
                                                       double *x)
{
    __shared__ double part[8][32];
    const int j = blockIdx.x * 32 + threadIdx.x;
    double sum = 0.0;
#pragma unroll 4
    for (int i = threadIdx.y; i < n; i += 8)
        sum += a[(size_t)i * n + j] * y[i];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int k = 1; k < 8; k++)
            sum += part[k][threadIdx.x];
        x[j] += beta * sum + z[j];
    }
}

/* kmutate launch
   int tokens = 8192; dim3 block = { 256 }; dim3 grid = { 264 };
   float4 dout[tokens * 256] = normal(); float4 in[tokens * 256] = normal(); float4 weight[256] = uniform(0.5, 1.5);
   float rms[tokens] = uniform(0.9, 1.1); float4 din[tokens * 256] = zeros(); float dweight[1024] = zeros();
   rmsnorm_backward_rows_of_1024_for_warps(tokens, dout, in, weight, rms, din, dweight);
*/
// Backward pass of the root mean square norm: a warp strides over rows of 1024 channels that it keeps in registers as
// quads; the gradient of the weights is kept in registers, too, and meets in shared memory and then by global atomics.
__global__ void __launch_bounds__(256) rmsnorm_backward_rows_of_1024_for_warps(int tokens,
                                                                               const float4 *__restrict__ dout,
                                                                               const float4 *__restrict__ in,
                                                                               const float4 *__restrict__ weight,
                                                                               const float *__restrict__ rms,
                                                                               float4 *din, float *dweight)
{
    __shared__ float sums[1024];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int i = threadIdx.x; i < 1024; i += 256)
        sums[i] = 0.0f;
    __syncthreads();

    float4 dw[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        dw[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int row = blockIdx.x * 8 + warp; row < tokens; row += gridDim.x * 8) {
        const float r = 1.0f / rms[row];
        float4 g[8], v[8];
        float dot = 0.0f;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int c = k * 32 + lane;
            const float4 d = dout[row * 256 + c];
            const float4 w = weight[c];
            v[k] = in[row * 256 + c];
            v[k].x *= r;
            v[k].y *= r;
            v[k].z *= r;
            v[k].w *= r;
            dw[k].x += d.x * v[k].x;
            dw[k].y += d.y * v[k].y;
            dw[k].z += d.z * v[k].z;
            dw[k].w += d.w * v[k].w;
            g[k] = make_float4(d.x * w.x, d.y * w.y, d.z * w.z, d.w * w.w);
            dot += g[k].x * v[k].x + g[k].y * v[k].y + g[k].z * v[k].z + g[k].w * v[k].w;
        }
#pragma unroll
        for (int d = 16; d > 0; d >>= 1)
            dot += __shfl_xor_sync(0xffffffffu, dot, d);
        dot *= 1.0f / 1024.0f;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int at = row * 256 + k * 32 + lane;
            float4 o = din[at];
            o.x += (g[k].x - v[k].x * dot) * r;
            o.y += (g[k].y - v[k].y * dot) * r;
            o.z += (g[k].z - v[k].z * dot) * r;
            o.w += (g[k].w - v[k].w * dot) * r;
            din[at] = o;
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float *s = sums + (k * 32 + lane) * 4;
        atomicAdd(s, dw[k].x);
        atomicAdd(s + 1, dw[k].y);
        atomicAdd(s + 2, dw[k].z);
        atomicAdd(s + 3, dw[k].w);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256)
        atomicAdd(&dweight[i], sums[i]);
}

/* kmutate launch
   int rows = 1024, vocabulary = 50257, padded = 50304; dim3 block = { 512 }; dim3 grid = { rows };
   half logits[rows * padded] = normal(0, 2); int targets[rows] = randint(0, vocabulary); float losses[rows] = zeros();
   classifier_fused_loss_and_gradient_halves(logits, targets, losses, vocabulary, padded, 0.0009765625f);
*/
// Classifier of a language model: maximum and sum of a row of logits in one pass over eights of halves, then the loss
// and, in place, the gradient of the logits; the padding of the vocabulary gets zeros.
__device__ __forceinline__ void p2_merge(float &m, float &s, float m2, float s2)
{
    const float top = fmaxf(m, m2);
    s = s * __expf(m - top) + s2 * __expf(m2 - top);
    m = top;
}

__global__ void __launch_bounds__(512) classifier_fused_loss_and_gradient_halves(half *logits, const int *targets,
                                                                                 float *losses, int vocabulary,
                                                                                 int padded, float dloss)
{
    __shared__ float maxima[16], parts[16];
    const int t = threadIdx.x, lane = t & 31;
    half *row = logits + (size_t)blockIdx.x * padded;
    uint4 *eights = (uint4 *)row;
    const int target = targets[blockIdx.x];
    const float aim = __half2float(row[target]);

    float m = -60000.0f, s = 0.0f;
    for (int i = t; i < padded / 8; i += 512) {
        const uint4 raw = eights[i];
        const half *h = (const half *)&raw;
        float v[8], top = m;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            v[k] = i * 8 + k < vocabulary ? __half2float(h[k]) : -60000.0f;
            top = fmaxf(top, v[k]);
        }
        s *= __expf(m - top);
#pragma unroll
        for (int k = 0; k < 8; k++)
            s += __expf(v[k] - top);
        m = top;
    }
    for (int d = 16; d > 0; d >>= 1)
        p2_merge(m, s, __shfl_xor_sync(0xffffffffu, m, d), __shfl_xor_sync(0xffffffffu, s, d));
    if (lane == 0) {
        maxima[t >> 5] = m;
        parts[t >> 5] = s;
    }
    __syncthreads();
    m = maxima[lane & 15];
    s = parts[lane & 15];
    for (int d = 8; d > 0; d >>= 1)
        p2_merge(m, s, __shfl_xor_sync(0xffffffffu, m, d), __shfl_xor_sync(0xffffffffu, s, d));

    const float inv = 1.0f / s;
    if (t == 0)
        losses[blockIdx.x] += m + __logf(s) - aim;
    for (int i = t; i < padded / 8; i += 512) {
        uint4 raw = eights[i];
        half *h = (half *)&raw;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int c = i * 8 + k;
            const float p = __expf(__half2float(h[k]) - m) * inv;
            h[k] = __float2half(c < vocabulary ? (p - (c == target ? 1.0f : 0.0f)) * dloss * 1024.0f : 0.0f);
        }
        eights[i] = raw;
    }
}

/* kmutate launch
   int heads = 64, tokens = 512; dim3 block = { 128 }; dim3 grid = { tokens / 4, heads };
   float att[heads * tokens * tokens] = uniform(0, 0.008); float datt[heads * tokens * tokens] = normal();
   float dpre[heads * tokens * tokens] = zeros();
   attention_softmax_backward_four_rows_a_block(att, datt, dpre, tokens, 0.125f);
*/
// Backward pass of the causal softmax of attention: a block takes four rows, the longest first, one after the other;
// the row's dot product of weights and gradients by shuffles and shared memory, what lies behind the diagonal is zero.
__global__ void attention_softmax_backward_four_rows_a_block(const float *__restrict__ att,
                                                             const float *__restrict__ datt, float *__restrict__ dpre,
                                                             int tokens, float scale)
{
    __shared__ float part[4];
    const int t = threadIdx.x;
    const int last = tokens - 1 - 4 * blockIdx.x;
    const size_t head = (size_t)blockIdx.y * tokens * tokens;
    for (int to = 0; to < 4; to++) {
        const int row = last - to;
        const float *a = att + head + (size_t)row * tokens;
        const float *d = datt + head + (size_t)row * tokens;
        float *out = dpre + head + (size_t)row * tokens;
        float sum = 0.0f;
        for (int c = t; c <= row; c += 128)
            sum += a[c] * d[c];
        for (int k = 16; k > 0; k >>= 1)
            sum += __shfl_xor_sync(0xffffffffu, sum, k);
        __syncthreads();
        if ((t & 31) == 0)
            part[t >> 5] = sum;
        __syncthreads();
        sum = part[0] + part[1] + part[2] + part[3];
        for (int c = t; c < tokens; c += 128)
            out[c] = c <= row ? scale * a[c] * (d[c] - sum) : 0.0f;
    }
}

/* kmutate launch
   int words = 2520, most = 13; int tokens = csr_nnz(words, 1, most); dim3 block = { 192 }; dim3 grid = { words };
   int starts[words + 1] = csr_rowptr(words, 1, most); int places[tokens] = permutation();
   int word_of[words] = permutation(); float4 dout[tokens * 192] = normal(); float4 dtable[words * 192] = zeros();
   embedding_backward_block_for_word(starts, places, word_of, dout, dtable);
*/
// Gradient of the token embeddings without atomics: the places of the text are bucketed by word, a block sums the
// gradients of its word's places, a quad of the 768 channels per thread.
__global__ void embedding_backward_block_for_word(const int *__restrict__ starts, const int *__restrict__ places,
                                                  const int *__restrict__ word_of, const float4 *__restrict__ dout,
                                                  float4 *dtable)
{
    const int c = threadIdx.x;
    const int from = starts[blockIdx.x], end = starts[blockIdx.x + 1];
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = from; k < end; k++) {
        const float4 g = dout[places[k] * 192 + c];
        sum.x += g.x;
        sum.y += g.y;
        sum.z += g.z;
        sum.w += g.w;
    }
    float4 *at = dtable + word_of[blockIdx.x] * 192 + c;
    float4 old = *at;
    old.x += sum.x;
    old.y += sum.y;
    old.z += sum.z;
    old.w += sum.w;
    *at = old;
}

/* kmutate launch
   int m = 2048, n = 1536, k = 1024; dim3 block = { 128 }; dim3 grid = { n / 128, m / 128 };
   float a[m * k] = uniform(-1, 1); float b[k * n] = uniform(-1, 1); float c[m * n] = uniform(-1, 1);
   sgemm_warp_tiles_of_64_by_64(m, n, k, 0.75f, a, b, 0.5f, c);
*/
// Late rung of the ladder of matrix products: blocks of 128 by 128 by 8, four warps with 64 by 64 each, in which a thread
// has two by two pieces of 8 by 4 and reads them from shared memory as quads; A is transposed on the way.
__global__ void __launch_bounds__(128) sgemm_warp_tiles_of_64_by_64(int m, int n, int k, float alpha,
                                                                    const float *__restrict__ a,
                                                                    const float *__restrict__ b, float beta, float *c)
{
    __shared__ __align__(16) float as[8][128 + 4];
    __shared__ __align__(16) float bs[8][128];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int wr = (warp >> 1) * 64, wc = (warp & 1) * 64;
    const int lr = (lane >> 3) * 8, lc = (lane & 7) * 4;
    a += (size_t)blockIdx.y * 128 * k;
    b += blockIdx.x * 128;
    float acc[2][2][8][4] = {};

    for (int k0 = 0; k0 < k; k0 += 8) {
#pragma unroll
        for (int s = 0; s < 2; s++) {
            const int r = (t >> 1) + s * 64, q = (t & 1) * 4;
            const float4 v = *(const float4 *)(a + (size_t)r * k + k0 + q);
            as[q][r] = v.x;
            as[q + 1][r] = v.y;
            as[q + 2][r] = v.z;
            as[q + 3][r] = v.w;
            const int br = (t >> 5) + s * 4;
            *(float4 *)&bs[br][lane * 4] = *(const float4 *)(b + (size_t)(k0 + br) * n + lane * 4);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 8; kk++) {
            float ra[2][8], rb[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                *(float4 *)&ra[i][0] = *(const float4 *)&as[kk][wr + i * 32 + lr];
                *(float4 *)&ra[i][4] = *(const float4 *)&as[kk][wr + i * 32 + lr + 4];
                *(float4 *)&rb[i][0] = *(const float4 *)&bs[kk][wc + i * 32 + lc];
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 2; j++)
#pragma unroll
                    for (int r = 0; r < 8; r++)
#pragma unroll
                        for (int q = 0; q < 4; q++)
                            acc[i][j][r][q] += ra[i][r] * rb[j][q];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
#pragma unroll
            for (int r = 0; r < 8; r++) {
                const int row = blockIdx.y * 128 + wr + i * 32 + lr + r;
                float4 *at = (float4 *)(c + (size_t)row * n + blockIdx.x * 128 + wc + j * 32 + lc);
                float4 o = *at;
                o.x = alpha * acc[i][j][r][0] + beta * o.x;
                o.y = alpha * acc[i][j][r][1] + beta * o.y;
                o.z = alpha * acc[i][j][r][2] + beta * o.z;
                o.w = alpha * acc[i][j][r][3] + beta * o.w;
                *at = o;
            }
}

/* kmutate launch
   int m = 2048, n = 2048, k = 1024; dim3 block = { 128 }; dim3 grid = { n / 64, m / 64 };
   half a[m * k] = uniform(-1, 1); half b[k * n] = uniform(-1, 1); half c[m * n] = zeros();
   hgemm_mma_with_ldmatrix_64_by_64(m, n, k, a, b, c);
*/
// Product of halves on tensor cores, mma.m16n8k16 with sums in float: blocks of 64 by 64 by 32, a warp has 32 by 32;
// padded shared memory is read by ldmatrix while the next piece is on its way to registers.
__device__ __forceinline__ void p2_ldmatrix(unsigned (&r)[4], const half *p)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

__device__ __forceinline__ void p2_ldmatrix_trans(unsigned (&r)[4], const half *p)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

__device__ __forceinline__ void p2_mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void __launch_bounds__(128) hgemm_mma_with_ldmatrix_64_by_64(int m, int n, int k,
                                                                        const half *__restrict__ a,
                                                                        const half *__restrict__ b,
                                                                        half *__restrict__ c)
{
    __shared__ __align__(16) half as[64][40];
    __shared__ __align__(16) half bs[32][72];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int wr = (warp >> 1) * 32, wc = (warp & 1) * 32;
    const int ar = t >> 2, ac = (t & 3) * 8;
    const int br = t >> 3, bc = (t & 7) * 8;
    const half *pa = a + (size_t)(blockIdx.y * 64 + ar) * k + ac;
    const half *pb = b + (size_t)br * n + blockIdx.x * 64 + bc;
    float acc[2][4][4] = {};

    uint4 a0 = *(const uint4 *)pa, a1 = *(const uint4 *)(pa + (size_t)32 * k);
    uint4 b0 = *(const uint4 *)pb, b1 = *(const uint4 *)(pb + (size_t)16 * n);
    for (int k0 = 0; k0 < k; k0 += 32) {
        *(uint4 *)&as[ar][ac] = a0;
        *(uint4 *)&as[ar + 32][ac] = a1;
        *(uint4 *)&bs[br][bc] = b0;
        *(uint4 *)&bs[br + 16][bc] = b1;
        __syncthreads();
        if (k0 + 32 < k) {
            pa += 32;
            pb += (size_t)32 * n;
            a0 = *(const uint4 *)pa;
            a1 = *(const uint4 *)(pa + (size_t)32 * k);
            b0 = *(const uint4 *)pb;
            b1 = *(const uint4 *)(pb + (size_t)16 * n);
        }
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned fa[2][4], fb[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                p2_ldmatrix(fa[i], &as[wr + i * 16 + (lane & 15)][kk + (lane >> 4) * 8]);
                p2_ldmatrix_trans(fb[i], &bs[kk + (lane & 15)][wc + i * 16 + (lane >> 4) * 8]);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    p2_mma(acc[i][j], fa[i], fb[j >> 1][(j & 1) * 2], fb[j >> 1][(j & 1) * 2 + 1]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int row = blockIdx.y * 64 + wr + i * 16 + (lane >> 2);
            const int col = blockIdx.x * 64 + wc + j * 8 + (lane & 3) * 2;
            *(half2 *)(c + (size_t)row * n + col) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            *(half2 *)(c + (size_t)(row + 8) * n + col) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}

/* kmutate launch
   int rows = 655360; dim3 block = { 32, 4 }; dim3 grid = { rows / 8 };
   float a[rows * 16] = uniform(-1, 1); float x[16] = uniform(-1, 1); float y[rows] = zeros();
   sgemv_sixteen_columns_two_rows_a_warp(rows, a, x, y);
*/
// Matrix times vector where a row has only sixteen numbers: a warp takes two rows, sixteen lanes each, which add up by
// shuffles.
__global__ void sgemv_sixteen_columns_two_rows_a_warp(int rows, const float *__restrict__ a,
                                                      const float *__restrict__ x, float *__restrict__ y)
{
    const int lane = threadIdx.x & 15;
    const int row = (blockIdx.x * blockDim.y + threadIdx.y) * 2 + threadIdx.x / 16;
    if (row >= rows)
        return;
    float sum = a[row * 16 + lane] * x[lane];
#pragma unroll
    for (int d = 8; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d, 16);
    if (lane == 0)
        y[row] = sum;
}

/* kmutate launch
   int rows = 4096, cols = 3072; dim3 block = { 8, 32 }; dim3 grid = { cols / 32, rows / 128 };
   float in[rows * cols] = uniform(-1, 1); float out[rows * cols] = zeros();
   transpose_four_by_four_in_registers(in, out, rows, cols);
*/
// Transposition without shared memory: a thread reads four quads of neighbouring rows, exchanges them in registers and
// writes four quads of the transposed matrix.
__global__ void transpose_four_by_four_in_registers(const float *__restrict__ in, float *__restrict__ out, int rows,
                                                    int cols)
{
    const int c = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const int r = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (r >= rows || c >= cols)
        return;
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = *(const float4 *)(in + (size_t)(r + i) * cols + c);
    float *o = out + (size_t)c * rows + r;
    *(float4 *)o = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    *(float4 *)(o + rows) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    *(float4 *)(o + 2 * (size_t)rows) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    *(float4 *)(o + 3 * (size_t)rows) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
}

/* kmutate launch
   int n = 1 << 25; dim3 block = { 256 }; dim3 grid = { 528 };
   float4 in[n / 4] = uniform(0, 1); float partial[528] = zeros(); unsigned ticket[1] = zeros(); float sum[1] = zeros();
   sum_of_quads_last_block_finishes(in, n / 4, partial, ticket, sum);
*/
// Sum of a long array in one launch: quads in a stride over the grid, shuffles, and the block that draws the last ticket
// adds up what all blocks have left in memory.
__device__ __forceinline__ float p2_block_sum(float v, float *part)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < 8 ? part[threadIdx.x] : 0.0f;
    if (threadIdx.x < 32)
        for (int d = 4; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void sum_of_quads_last_block_finishes(const float4 *__restrict__ in, int quads, float *partial,
                                                 unsigned *ticket, float *sum)
{
    __shared__ float part[8];
    __shared__ bool last;
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        const float4 q = in[i];
        v += (q.x + q.y) + (q.z + q.w);
    }
    v = p2_block_sum(v, part);
    if (threadIdx.x == 0) {
        ((volatile float *)partial)[blockIdx.x] = v;
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        v = 0.0f;
        for (int i = threadIdx.x; i < (int)gridDim.x; i += blockDim.x)
            v += ((volatile float *)partial)[i];
        v = p2_block_sum(v, part);
        if (threadIdx.x == 0) {
            *sum = v;
            *ticket = 0;
        }
    }
}
