// What is loaded and, before it has come, stored over: whether the store waits for it, and what waits behind the store. Timed
// on a GPU and by the model of time, as patterns.cu.

__device__ unsigned worked(const uint4 *table, unsigned x, int steps)
{
    for (int k = 0; k < steps; k++) {
        const uint4 t = table[k & 63];
        x = (x * t.x + t.y ^ t.z) + t.w;
    }
    return x;
}

/* kmutate launch
   int n = 3000064; dim3 block = { 256 }; dim3 grid = { n / 256 };
   unsigned char a[n] = zeros(); unsigned char b[n] = zeros(); unsigned out[64] = zeros();
   replaced<unsigned char, 0>(a, b, out, 64); replaced<unsigned char, 1>(a, b, out, 64); replaced<unsigned char, 2>(a, b, out, 64);
   replaced<unsigned char, 3>(a, b, out, 64); replaced<unsigned char, 4>(a, b, out, 64);
   replaced<unsigned char, 0>(a, b, out, 0); replaced<unsigned char, 1>(a, b, out, 0); replaced<unsigned char, 2>(a, b, out, 0);
   replaced<unsigned char, 3>(a, b, out, 0); replaced<unsigned char, 4>(a, b, out, 0);
   replaced<unsigned char, 5>(a, b, out, 64); replaced<unsigned char, 5>(a, b, out, 0);
*/
/* kmutate launch
   int n = 3000064; dim3 block = { 256 }; dim3 grid = { n / 256 };
   unsigned a[8 * n] = zeros(); unsigned b[8 * n] = zeros(); unsigned out[64] = zeros();
   replaced<unsigned, 0>(a, b, out, 64); replaced<unsigned, 1>(a, b, out, 64); replaced<unsigned, 2>(a, b, out, 64);
   replaced<unsigned, 3>(a, b, out, 64); replaced<unsigned, 4>(a, b, out, 64);
   replaced<unsigned, 0>(a, b, out, 0); replaced<unsigned, 1>(a, b, out, 0); replaced<unsigned, 2>(a, b, out, 0);
   replaced<unsigned, 3>(a, b, out, 0); replaced<unsigned, 4>(a, b, out, 0);
   grid.x = 8 * n / 256; replaced<unsigned, 0>(a, b, out, 0); replaced<unsigned, 1>(a, b, out, 0); replaced<unsigned, 4>(a, b, out, 0);
*/
// 0: loaded, then stored over without a look at it, 1: when it is known, 2: stored alone, 3: loaded alone, 4: another array is
// stored to, 5: what the warp beside it loads is stored over.
template <class T, int WHAT> __global__ void replaced(T *a, T *b, unsigned *out, int steps)
{
    __shared__ uint4 table[64];
    if (threadIdx.x < 64) table[threadIdx.x] = make_uint4(threadIdx.x * 2 + 1, blockIdx.x, 5, 7);
    __syncthreads();
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    const T value = (T)(worked(table, i, steps) | 1);
    T was = 0;
    if (WHAT != 2) was = a[i];
    if (WHAT == 0 || WHAT == 2) a[i] = value;
    if (WHAT == 1) a[i] = (T)(value + was);
    if (WHAT == 4) b[i] = value;
    if (WHAT == 5) a[i ^ 32] = value;
    if (was == 77 || (WHAT == 3 && was == value)) out[threadIdx.x % 64] = 1;
}
