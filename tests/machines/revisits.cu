// Lanes that each come back to a line of their own before they go on to another, at random: how much of it L1 still has, by how many
// lines an SM's lanes have at a time. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

__device__ unsigned thrown(unsigned n)
{
    n ^= n >> 16; n *= 0x7feb352du; n ^= n >> 15; n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 }; unsigned table[1 << 25] = zeros(); unsigned out[1 << 22] = zeros(); int places = 16;
   revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20); revisits<2, 4, 1>(table, out, places, 20);
   block.x = 512; revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20); revisits<2, 4, 1>(table, out, places, 20); revisits<1, 4, 32>(table, out, places, 20);
   block.x = 768; revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20); revisits<2, 4, 1>(table, out, places, 20);
   block.x = 1024; revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20); revisits<2, 4, 1>(table, out, places, 20); revisits<1, 4, 32>(table, out, places, 20);
   grid.x = 264; block.x = 640; revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20);
   block.x = 768; revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20); revisits<1, 4, 1>(table, out, places, 25);
   block.x = 896; revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20); revisits<1, 4, 1>(table, out, places, 25);
   block.x = 1024; revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20); revisits<1, 2, 1>(table, out, places, 20); revisits<1, 4, 1>(table, out, places, 25); revisits<1, 4, 1>(table, out, places, 23); revisits<1, 4, 32>(table, out, places, 20); revisits<2, 4, 1>(table, out, places, 20);
   revisits<1, 4, 1>(table, out, 4, 20); revisits<1, 4, 1>(table, out, 64, 20); revisits<1, 8, 1>(table, out, 64, 20);
   grid.x = 1056; block.x = 256; revisits<1, 4, 1>(table, out, places, 20); revisits<1, 8, 1>(table, out, places, 20); revisits<1, 4, 1>(table, out, places, 25);
   grid.x = 8448; revisits<1, 4, 1>(table, out, 2, 20); revisits<1, 4, 1>(table, out, 2, 25);
*/
// So many `places`, one after another, of 1 << bits words: LINES lines at each, TIMES words in a row of the first 64 bytes of each, one load
// after another's answer. APART: words between one load and the next of a lane (32: none of them is the same sector, but the line's
// second half is left out).
template <int LINES, int TIMES, int APART> __global__ void revisits(const unsigned *table, unsigned *out, int places, int bits)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
#pragma unroll 1
    for (int p = 0; p < places; p++) {
        unsigned at[LINES];
#pragma unroll
        for (int l = 0; l < LINES; l++) at[l] = thrown(thread * 77u + (p * LINES + l) * 0x9e3779b9u + found) & ((1u << bits) - 1u) & ~31u;
#pragma unroll 1
        for (int t = 0; t < TIMES; t++) {
#pragma unroll
            for (int l = 0; l < LINES; l++) found += table[at[l] + (APART == 1 ? t * (16 / TIMES) : (t & 1) * 8) + found];
        }
    }
    out[thread] = found;
}
