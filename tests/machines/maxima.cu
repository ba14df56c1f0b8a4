// All threads keep one greatest value, most by looking first whether theirs is greater. Timed on a GPU and by the model of time, as
// patterns.cu; atomic operations that L2 did by ncu.

/* kmutate launch
   dim3 block = { 256 };
   double wide[1 << 20] = uniform(0, 1); double most[1] = zeros(); dim3 grid = { 264 };
   wide_most<0>(wide, most); wide_most<1>(wide, most);
   grid.x = 1056; wide_most<0>(wide, most); wide_most<1>(wide, most);
   grid.x = 8448; wide_most<0>(wide, most); wide_most<1>(wide, most);
   grid.x = 65536; wide_most<0>(wide, most); wide_most<1>(wide, most);
   block.x = 64; grid.x = 264; wide_most<0>(wide, most); grid.x = 4224; wide_most<0>(wide, most);
*/
// By compare-and-swap, looked at first by each thread (0) or by one thread of a block (1).
template <int WHO> __global__ void wide_most(const double *a, double *most)
{
    const double v = a[(blockIdx.x * blockDim.x + threadIdx.x) & 0xfffff];
    if (WHO == 1 && threadIdx.x) return;
    if (*most >= v) return;
    unsigned long long *word = (unsigned long long *)most, old = *word, before;
    do {
        before = old;
        if (__longlong_as_double(before) >= v) break;
        old = atomicCAS(word, before, __double_as_longlong(v));
    } while (before != old);
}

/* kmutate launch
   dim3 block = { 256 };
   int a[1 << 20] = randint(0, 1 << 30); int most[1] = zeros(); dim3 grid = { 264 };
   most_of<0>(a, most); most_of<1>(a, most); most_of<2>(a, most);
   grid.x = 1056; most_of<0>(a, most); most_of<1>(a, most); most_of<2>(a, most);
   grid.x = 8448; most_of<0>(a, most); most_of<1>(a, most); most_of<2>(a, most);
   grid.x = 65536; most_of<0>(a, most); most_of<1>(a, most); most_of<2>(a, most);
*/
// By atomicMax: at once (0), looked at first by each thread (1), by a thread of each block after the block's own maximum (2).
template <int HOW> __global__ void most_of(const int *a, int *most)
{
    __shared__ int mine;
    const int v = a[(blockIdx.x * blockDim.x + threadIdx.x) & 0xfffff];
    if (HOW == 0) atomicMax(most, v);
    if (HOW == 1 && v > *(volatile int *)most) atomicMax(most, v);
    if (HOW == 2) {
        if (threadIdx.x == 0) mine = 0;
        __syncthreads();
        atomicMax(&mine, v);
        __syncthreads();
        if (threadIdx.x == 0 && mine > *(volatile int *)most) atomicMax(most, mine);
    }
}
