// Loops that the compiler gives a YIELD, as lanes may spin in them for each other: what the lanes do that are through. How often
// each instruction was executed, and by how many lanes, by ncu (reference/h200_yields.csv); the executor has to come to the same.

/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int cell[1024] = zeros(); int out[32] = zeros(); int in[4096] = iota();
   through(out, in, cell, 1, 0); through(out, in, cell, 1, 1); through(out, in, cell, 1, 2); through(out, in, cell, 1, 3);
   through(out, in, cell, 5, 0); through(out, in, cell, 5, 1); through(out, in, cell, 5, 2); through(out, in, cell, 5, 3);
*/
// `rounds` of a loop with a YIELD, which lanes leave at different times: 0 one lane late, 1 halves, 2 each at another, 3 by chance.
__global__ void through(int *out, const int *in, int *cell, int rounds, int pattern)
{
    const int lane = threadIdx.x;
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        int n = pattern == 0 ? (lane == r ? 6 : 1) : pattern == 1 ? (lane < 16 ? 2 : 5) : pattern == 2 ? 1 + (lane * 5 + r) % 32
            : 1 + (in[lane * 97 + r * 31] * 2654435769u >> 28);
        while (n > 0) {
            const int got = atomicExch(&cell[n * 37 + lane & 1023], n);
            if (got == -5) break;
            sum += got;
            n--;
        }
        sum = sum * 3 + in[(sum & 63) + r];
    }
    out[lane] = sum;
}

/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[32] = zeros(); int in[4096] = iota();
   inserts(out, in, 1, 64); inserts(out, in, 4, 64); inserts(out, in, 12, 700); inserts(out, in, 12, 40);
*/
// Numbers of lists, some longer than others, into a hash table in shared memory, as sparse products do.
__global__ void inserts(int *out, const int *in, int rounds, int range)
{
    __shared__ int table[512];
    const int lane = threadIdx.x;
    for (int i = lane; i < 512; i += 32) table[i] = -1;
    __syncwarp();
    int fresh = 0;
    for (int r = 0; r < rounds; r++) {
        const int first = in[r] * 7, last = first + (in[r] * 2654435769u >> 27);
        for (int j = first + lane; j < last; j += 32) {
            const int key = (in[j] * 2654435769u >> 8) % range;
            unsigned slot = key * 2246822519u >> 23;
            while (true) {
                const int was = atomicCAS(&table[slot], -1, key);
                if (was == -1) fresh++;
                if (was == -1 || was == key) break;
                slot = (slot + 1) % 512;
            }
        }
    }
    for (int d = 16; d > 0; d >>= 1) fresh += __shfl_down_sync(0xffffffffu, fresh, d);
    out[lane] = fresh;
}

/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[32] = zeros(); int lock[64] = zeros(); int in[4096] = iota();
   locked(out, in, lock, 1, 1); locked(out, in, lock, 3, 1); locked(out, in, lock, 3, 4); locked(out, in, lock, 3, 32);
*/
// Each lane takes one of so many locks, adds, and gives it back.
__global__ void locked(int *out, const int *in, int *lock, int rounds, int locks)
{
    const int lane = threadIdx.x;
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        int *mine = lock + (lane + r) % locks;
        while (atomicCAS(mine, 0, 1) != 0) {}
        sum += in[lane + r];
        __threadfence();
        atomicExch(mine, 0);
        sum = sum * 5 + in[r];
    }
    out[lane] = sum;
}

/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[32] = zeros(); int parent[4096] = iota(); int in[4096] = iota();
   climbs(out, parent, in, 1); climbs(out, parent, in, 3);
*/
// Chains of different lengths are climbed and shortened, then hung together by a compare-and-swap that is tried again.
__global__ void climbs(int *out, int *parent, const int *in, int rounds)
{
    const int lane = threadIdx.x;
    for (int i = lane; i < 1024; i += 32) parent[i] = i % 8 ? i - 1 : i;
    __syncwarp();
    int tried = 0;
    for (int r = 0; r < rounds; r++) {
        int a = in[lane * 31 + r] & 1023, b = in[lane * 57 + r * 13] & 1023;
        while (true) {
            while (parent[a] != a) a = parent[a];
            while (parent[b] != b) b = parent[b];
            if (a == b) break;
            if (a < b) { const int c = a; a = b; b = c; }
            tried++;
            if (atomicCAS(&parent[a], a, b) == a) break;
        }
        tried = tried * 3 + in[r];
    }
    out[lane] = tried;
}
