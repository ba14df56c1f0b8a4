// Each thread goes along a list of its own, whose lengths differ: lists lie one behind the other. What L2 keeps of the sectors that all
// threads have begun, read, written or both. Timed on a GPU and by the model of time, as patterns.cu; sectors of DRAM by ncu.

/* kmutate launch
   int most = 360000; int first[most + 1] = csr_rowptr(most, 2, 60);
   long long in[12 << 20] = zeros(); int out[12 << 20] = zeros(); int sums[most] = zeros();
   dim3 block = { 256 }; dim3 grid = { 132 };
   walkers<1, 0>(in, out, first, sums, 360000); walkers<0, 1>(in, out, first, sums, 360000); walkers<1, 1>(in, out, first, sums, 360000);
   grid.x = 264;
   walkers<1, 0>(in, out, first, sums, 360000); walkers<0, 1>(in, out, first, sums, 360000); walkers<1, 1>(in, out, first, sums, 360000);
   grid.x = 528;
   walkers<1, 0>(in, out, first, sums, 360000); walkers<0, 1>(in, out, first, sums, 360000); walkers<1, 1>(in, out, first, sums, 360000);
   grid.x = 1407;
   walkers<1, 0>(in, out, first, sums, 360000); walkers<0, 1>(in, out, first, sums, 360000); walkers<1, 1>(in, out, first, sums, 360000);
   walkers<2, 0>(in, out, first, sums, 360000); walkers<2, 1>(in, out, first, sums, 360000); walkers<0, 2>(in, out, first, sums, 360000); walkers<1, 2>(in, out, first, sums, 360000); walkers<2, 2>(in, out, first, sums, 360000);
   block.x = 64; grid.x = 5625;
   walkers<1, 0>(in, out, first, sums, 360000); walkers<0, 1>(in, out, first, sums, 360000); walkers<1, 1>(in, out, first, sums, 360000);
*/
// READ, WRITE: nothing, 8 bytes an entry, 4 bytes (of writes 4 and 8).
template <int READ, int WRITE> __global__ void walkers(const long long *in, int *out, const int *first, int *sums, int lists)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= lists) return;
    const int begin = first[t], end = first[t + 1];
    long long last = 0;
    int number = 0;
#pragma unroll 1
    for (int e = begin; e < end; e++) {
        long long now = e;
        if (READ == 1) now = in[e];
        if (READ == 2) now = ((const int *)in)[e];
        if (now - last > 180) number++;
        if (WRITE == 1) out[e] = number;
        if (WRITE == 2) ((long long *)out)[e % (6 << 20)] = number;
        last = now;
    }
    sums[t] = number;
}

/* kmutate launch
   float4 in[1 << 22] = zeros(); int out[1 << 24] = zeros(); int sums[1 << 19] = zeros();
   dim3 block = { 256 }; dim3 grid = { 132 };
   even_lists<1>(in, out, sums, 31); even_lists<2>(in, out, sums, 31);
   grid.x = 528; even_lists<1>(in, out, sums, 31); even_lists<2>(in, out, sums, 31); even_lists<1>(in, out, sums, 32); even_lists<2>(in, out, sums, 32);
   grid.x = 1056; even_lists<1>(in, out, sums, 31); even_lists<2>(in, out, sums, 31); even_lists<1>(in, out, sums, 32); even_lists<2>(in, out, sums, 32); even_lists<1>(in, out, sums, 62); even_lists<2>(in, out, sums, 62);
*/
// The same of lists of the same length: written (1), read and written (2), 4 bytes an entry.
template <int WHAT> __global__ void even_lists(const float4 *in, int *out, int *sums, int length)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, begin = t * length;
    int number = 0;
#pragma unroll 1
    for (int e = begin; e < begin + length; e++) {
        if (WHAT == 2) number += ((const int *)in)[e];
        out[e] = number + e;
    }
    sums[t] = number;
}
