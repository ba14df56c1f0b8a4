// Lanes that each look a key up in a bucket of their own, word by word, as joins and caches do: what is read again a little
// later, of tables of which L2 holds all, most or little. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned mixed_home(unsigned n)
{
    n ^= n >> 16; n *= 0x7feb352du; n ^= n >> 15; n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 13200 };
   unsigned long long keys[1 << 25] = zeros(); unsigned char used[1 << 25] = zeros(); int out[13200 * 256] = zeros();
   probe_homes<0, 8>(keys, used, out, 20); probe_homes<0, 8>(keys, used, out, 21); probe_homes<0, 8>(keys, used, out, 22); probe_homes<0, 8>(keys, used, out, 23); probe_homes<0, 8>(keys, used, out, 25);
   probe_homes<0, 1>(keys, used, out, 20); probe_homes<0, 1>(keys, used, out, 21); probe_homes<0, 1>(keys, used, out, 22); probe_homes<0, 1>(keys, used, out, 23); probe_homes<0, 1>(keys, used, out, 25);
   probe_homes<0, 2>(keys, used, out, 20); probe_homes<0, 2>(keys, used, out, 22);
   probe_homes<0, 4>(keys, used, out, 20); probe_homes<0, 4>(keys, used, out, 22);
   probe_homes<1, 8>(keys, used, out, 20); probe_homes<1, 8>(keys, used, out, 22); probe_homes<1, 8>(keys, used, out, 23); probe_homes<1, 8>(keys, used, out, 25);
   probe_homes<2, 8>(keys, used, out, 20); probe_homes<2, 8>(keys, used, out, 22); probe_homes<2, 8>(keys, used, out, 25);
   block.x = 128; grid.x = 6600; probe_homes<0, 8>(keys, used, out, 20); probe_homes<0, 8>(keys, used, out, 22); probe_homes<1, 8>(keys, used, out, 22);
   block.x = 256; grid.x = 264; probe_homes<0, 8>(keys, used, out, 20); probe_homes<0, 8>(keys, used, out, 22);
*/
// Buckets of eight keys, 64 bytes, of which MOST are looked at, 0: always, 1: a byte first that says whether there is one, 2: each
// lane leaves after as many as its key says.
template <int WHAT, int MOST> __global__ void probe_homes(const unsigned long long *keys, const unsigned char *used, int *out, int bits)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = mixed_home(i);
    const unsigned home = key & ((1u << bits) - 1u) & ~7u;
    int found = -1;
#pragma unroll 1
    for (unsigned k = 0; k < MOST; k++) {
        if (WHAT == 1 && used[home + k] != 0) break;
        if (WHAT == 2 && k > key >> 29) break;
        if (keys[home + k] == key + 1ull) {
            found = home + k;
            break;
        }
    }
    out[i] = found;
}
