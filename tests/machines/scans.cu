// Lists that all threads go through, each comparing what it has to an entry at a time, and what few find they store. Timed on
// a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 32 }; dim3 grid = { 64 };
   float points[3 << 14] = uniform(0, 4); float mine[3 << 18] = uniform(0, 4); int out[32 << 18] = zeros();
   summed<1>(points, mine, out, 16384); summed<3>(points, mine, out, 16384);
   within<0>(points, mine, out, 16384, 0.0f); within<0>(points, mine, out, 16384, 0.16f); within<1>(points, mine, out, 16384, 0.16f);
   within<0>(points, mine, out, 16384, 100.0f);
   nearest<0>(points, mine, out, 4096); nearest<1>(points, mine, out, 4096); nearest<2>(points, mine, out, 4096);
   block.x = 128;
   summed<1>(points, mine, out, 16384); summed<3>(points, mine, out, 16384);
   within<0>(points, mine, out, 16384, 0.0f); within<0>(points, mine, out, 16384, 0.16f); within<1>(points, mine, out, 16384, 0.16f);
   nearest<0>(points, mine, out, 4096); nearest<1>(points, mine, out, 4096); nearest<2>(points, mine, out, 4096);
   block.x = 512;
   summed<1>(points, mine, out, 16384); summed<3>(points, mine, out, 16384);
   within<0>(points, mine, out, 16384, 0.0f); within<0>(points, mine, out, 16384, 0.16f); within<1>(points, mine, out, 16384, 0.16f);
   nearest<0>(points, mine, out, 4096); nearest<1>(points, mine, out, 4096); nearest<2>(points, mine, out, 4096);
   block.x = 256; grid.x = 1024;
   summed<1>(points, mine, out, 4096); summed<3>(points, mine, out, 4096);
   within<0>(points, mine, out, 4096, 0.0f); within<0>(points, mine, out, 4096, 0.16f); within<1>(points, mine, out, 4096, 0.16f);
   nearest<0>(points, mine, out, 1024); nearest<1>(points, mine, out, 1024); nearest<2>(points, mine, out, 1024);
*/
// Distances are summed: one entry at a time, or three whose loads are on their way together.
template <int AT_ONCE> __global__ void summed(const float *points, const float *mine, int *out, int count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = mine[3 * t], y = mine[3 * t + 1], z = mine[3 * t + 2];
    float sum = 0.0f;
#pragma unroll AT_ONCE
    for (int k = 0; k < count; k++) {
        const float dx = x - points[3 * k], dy = y - points[3 * k + 1], dz = z - points[3 * k + 2];
        sum += dx * dx + dy * dy + dz * dz;
    }
    out[t] = __float_as_int(sum);
}

// The numbers of those that are near are kept: as many as there are, at most 32 (0), or until there are 32 (1).
template <int ENDS> __global__ void within(const float *points, const float *mine, int *out, int count, float near)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = mine[3 * t], y = mine[3 * t + 1], z = mine[3 * t + 2];
    int found = 0;
    for (int k = 0; k < count; k++) {
        const float dx = x - points[3 * k], dy = y - points[3 * k + 1], dz = z - points[3 * k + 2];
        if (dx * dx + dy * dy + dz * dz < near) {
            if (ENDS || found < 32) out[32 * t + found] = k;
            found++;
            if (ENDS && found == 32) break;
        }
    }
    if (found == 0) out[32 * t] = -1;
}

// The nearest one (0), the three that are nearest (1), the same compared as doubles (2).
template <int WHAT> __global__ void nearest(const float *points, const float *mine, int *out, int count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = mine[3 * t], y = mine[3 * t + 1], z = mine[3 * t + 2];
    float best[3] = { 1e30f, 1e30f, 1e30f };
    double wide[3] = { 1e40, 1e40, 1e40 };
    int at[3] = { 0, 0, 0 };
    for (int k = 0; k < count; k++) {
        const float dx = x - points[3 * k], dy = y - points[3 * k + 1], dz = z - points[3 * k + 2];
        const float d = dx * dx + dy * dy + dz * dz;
        if (WHAT == 0) {
            if (d < best[0]) { best[0] = d; at[0] = k; }
        } else if (WHAT == 1) {
            if (d < best[0]) { best[2] = best[1]; at[2] = at[1]; best[1] = best[0]; at[1] = at[0]; best[0] = d; at[0] = k; }
            else if (d < best[1]) { best[2] = best[1]; at[2] = at[1]; best[1] = d; at[1] = k; }
            else if (d < best[2]) { best[2] = d; at[2] = k; }
        } else {
            if (d < wide[0]) { wide[2] = wide[1]; at[2] = at[1]; wide[1] = wide[0]; at[1] = at[0]; wide[0] = d; at[0] = k; }
            else if (d < wide[1]) { wide[2] = wide[1]; at[2] = at[1]; wide[1] = d; at[1] = k; }
            else if (d < wide[2]) { wide[2] = d; at[2] = k; }
        }
    }
    out[3 * t] = at[0];
    out[3 * t + 1] = at[1];
    out[3 * t + 2] = at[2];
    if (best[0] + wide[0] == -1.0) out[0] = 0;
}

/* kmutate launch
   dim3 block = { 32 }; dim3 grid = { 64 };
   float table[4096] = zeros(); int out[1 << 20] = zeros();
   same_words<1, 1>(table, out, 4096); same_words<1, 4>(table, out, 4096); same_words<1, 8>(table, out, 4096);
   same_words<2, 4>(table, out, 4096); same_words<4, 4>(table, out, 4096); same_words<0, 4>(table, out, 4096);
   block.x = 128;
   same_words<1, 1>(table, out, 4096); same_words<1, 4>(table, out, 4096); same_words<1, 8>(table, out, 4096);
   same_words<2, 4>(table, out, 4096); same_words<4, 4>(table, out, 4096); same_words<0, 4>(table, out, 4096);
   block.x = 512;
   same_words<1, 1>(table, out, 4096); same_words<1, 4>(table, out, 4096); same_words<1, 8>(table, out, 4096);
   same_words<2, 4>(table, out, 4096); same_words<4, 4>(table, out, 4096); same_words<0, 4>(table, out, 4096);
   block.x = 1024;
   same_words<1, 1>(table, out, 4096); same_words<1, 4>(table, out, 4096); same_words<1, 8>(table, out, 4096);
   same_words<2, 4>(table, out, 4096); same_words<4, 4>(table, out, 4096); same_words<0, 4>(table, out, 4096);
*/
// All lanes load the same one, two or four words (of 0: each its own word of a line) and add them up, AT_ONCE loads in flight.
template <int WORDS, int AT_ONCE> __global__ void same_words(const float *table, int *out, int steps)
{
    float sum = 0.0f;
    unsigned at = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k += AT_ONCE) {
        float got[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            const unsigned i = at + j * 32;
            if (WORDS == 0) got[j] = table[i + threadIdx.x % 32];
            if (WORDS == 1) got[j] = table[i];
            if (WORDS == 2) { const float2 v = *(const float2 *)(table + i); got[j] = v.x + v.y; }
            if (WORDS == 4) { const float4 v = *(const float4 *)(table + i); got[j] = v.x + v.y + v.z + v.w; }
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) sum += got[j];
        at = (at + 32 * AT_ONCE) % 2048;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = __float_as_int(sum);
}
