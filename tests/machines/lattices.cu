// Arrays of a lattice that each thread reads a word of, some of them a word farther on, and stores in one of two ways, so that two
// stores have a sector between them. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 8192 }; int all = 8192 * 128;
   float in[20 * all] = zeros(); float out[20 * all] = zeros();
   lattice<19, 0, 0>(in, out, all, 1); lattice<19, 0, 0>(in, out, all, 2); lattice<19, 0, 0>(in, out, all, 6); lattice<19, 0, 0>(in, out, all, 12);
   lattice<19, 1, 0>(in, out, all, 1); lattice<19, 1, 0>(in, out, all, 2); lattice<19, 1, 0>(in, out, all, 6); lattice<19, 1, 0>(in, out, all, 12);
   lattice<19, 0, 1>(in, out, all, 1); lattice<19, 0, 1>(in, out, all, 6); lattice<19, 0, 1>(in, out, all, 12); lattice<19, 1, 1>(in, out, all, 1); lattice<19, 1, 1>(in, out, all, 6); lattice<19, 1, 1>(in, out, all, 12);
   lattice<0, 0, 19>(in, out, all, 1); lattice<0, 0, 19>(in, out, all, 6); lattice<0, 0, 19>(in, out, all, 12);
   lattice<5, 0, 0>(in, out, all, 1); lattice<5, 0, 0>(in, out, all, 6); lattice<5, 0, 0>(in, out, all, 12); lattice<9, 0, 0>(in, out, all, 1); lattice<9, 0, 0>(in, out, all, 6); lattice<9, 0, 0>(in, out, all, 12);
   lattice<9, 1, 0>(in, out, all, 1); lattice<9, 1, 0>(in, out, all, 12);
   block.x = 256; grid.x = 4096; lattice<19, 0, 0>(in, out, all, 1); lattice<19, 1, 0>(in, out, all, 1); lattice<19, 0, 0>(in, out, all, 12); lattice<9, 0, 0>(in, out, all, 1);
*/
// READ arrays (0: none), SHIFTED by -1, 0 or 1 words or not; of twelve threads `walls` on average store the other way (12: none do). WROTE: so many
// arrays are stored, as many as are read where 0.
template <int READ, int SHIFTED, int WROTE> __global__ void lattice(const float *in, float *out, int all, int walls)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr int STORED = WROTE > 0 ? WROTE : READ;
    float f[READ + 1], sum = 0.0f;
    f[READ] = 1.0f;
#pragma unroll
    for (int q = 0; q < READ; q++) {
        f[q] = in[(size_t)q * all + (SHIFTED ? (i + q % 3 - 1 + all) % all : i)];
        sum += f[q];
    }
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    if (walls < 12 && (h >> 8) % 12 < walls) {
#pragma unroll
        for (int q = 0; q < STORED; q++) out[(size_t)(STORED - 1 - q) * all + i] = f[READ ? q % (READ + 1) : 0];
        return;
    }
#pragma unroll
    for (int q = 0; q < STORED; q++) out[(size_t)q * all + i] = f[READ ? q % (READ + 1) : 0] * 0.9f + sum;
}
