// Blocks whose work depends on what others write meanwhile: unions of random pairs, pushes onto a list, a lock. Timed on a
// GPU with all arrays as they were at first (time_launches.py --restore), and by the model of time, as patterns.cu.

__device__ unsigned mixed(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

template <int AROUND> __device__ int top_of(int *parent, int v)
{
    if (AROUND == 2) {
        volatile int *way = parent;
        for (int p = way[v]; p != v;) {
            const int up = way[p];
            if (up != p) way[v] = up;
            v = p;
            p = up;
        }
        return v;
    }
    for (;;) {
        const int p = AROUND ? __ldcg(parent + v) : parent[v];
        if (p == v) return v;
        v = p;
    }
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 256 }; int parent[1 << 22] = iota();
   unions<0>(parent, 1 << 16, 1 << 18, 0); unions<1>(parent, 1 << 16, 1 << 18, 0);
   grid.x = 1024;
   unions<0>(parent, 1 << 18, 1 << 19, 0); unions<1>(parent, 1 << 18, 1 << 19, 0); unions<1>(parent, 1 << 18, 1 << 18, 0);
   unions<1>(parent, 1 << 18, 1 << 17, 0); unions<1>(parent, 1 << 18, 1 << 20, 0); unions<1>(parent, 1 << 18, 1 << 22, 0);
   unions<1>(parent, 1 << 18, 1 << 18, 10); unions<1>(parent, 1 << 18, 1 << 18, 4);
   grid.x = 2048;
   unions<0>(parent, 1 << 19, 1 << 20, 0); unions<1>(parent, 1 << 19, 1 << 20, 0);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1024 }; int parent[1 << 22] = iota();
   unions<2>(parent, 1 << 18, 1 << 17, 0); unions<2>(parent, 1 << 18, 1 << 18, 0); unions<2>(parent, 1 << 18, 1 << 19, 0);
   unions<2>(parent, 1 << 18, 1 << 18, 10); unions<2>(parent, 1 << 18, 1 << 18, 4); grid.x = 2048; unions<2>(parent, 1 << 19, 1 << 19, 0);
*/
// A thread unites the trees of two nodes of `nodes`, chosen at random or, with `near`, at most 1 << near apart. AROUND: L1,
// 2: by volatile loads, and ways are halved as they are walked.
template <int AROUND> __global__ void unions(int *parent, int pairs, int nodes, int near)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    const int one = mixed(2 * i) % nodes;
    const unsigned other = mixed(2 * i + 1);
    int a = one, b = near ? (one + (other & ((1 << near) - 1))) % nodes : other % nodes;
    for (;;) {
        a = top_of<AROUND>(parent, a);
        b = top_of<AROUND>(parent, b);
        if (a == b) return;
        if (a < b) { const int t = a; a = b; b = t; }
        if (atomicCAS(parent + a, a, b) == a) return;
    }
}

/* kmutate launch
   dim3 block = { 32 }; dim3 grid = { 16 }; int head[32] = zeros(); int next[1 << 16] = zeros();
   pushes(head, next, 1); grid.x = 132; pushes(head, next, 1); grid.x = 1056; pushes(head, next, 1);
   grid.x = 132; pushes(head, next, 32); block.x = 256; pushes(head, next, 32);
*/
// The first lane of each warp puts a node in front of one of `lists`.
__global__ void pushes(int *head, int *next, int lists)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32) return;
    int *mine = head + warp % lists, old = __ldcg(mine), was;
    for (;;) {
        next[warp] = old;
        was = atomicCAS(mine, old, warp + 1);
        if (was == old) return;
        old = was;
    }
}

/* kmutate launch
   dim3 block = { 64 }; dim3 grid = { 16 }; int lock[32] = zeros(); int sum[32] = zeros();
   in_turn_by_lock(lock, sum); grid.x = 132; in_turn_by_lock(lock, sum); grid.x = 528; in_turn_by_lock(lock, sum);
*/
// A block adds to a sum while nobody else does.
__global__ void in_turn_by_lock(int *lock, int *sum)
{
    if (threadIdx.x == 0)
        while (atomicCAS(lock, 0, 1)) { }
    __syncthreads();
    if (threadIdx.x < 32) {
        __threadfence();
        sum[threadIdx.x] = __ldcg(sum + threadIdx.x) + 1;
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) atomicExch(lock, 0);
    }
}
