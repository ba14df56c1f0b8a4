// Stacks of a thread in local memory, as searches through trees have: lanes push and pop when it is their turn, at heights of
// their own; and stores of some of a warp's lanes alone. Timed on a GPU and by the model of time, as patterns.cu; sectors that L2
// got for it by ncu.

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 1056 };
   int out[1 << 20] = zeros(); int in[4096] = iota();
   stacks<0>(out, in, 400, 1); stacks<0>(out, in, 400, 2); stacks<0>(out, in, 400, 8); stacks<0>(out, in, 400, 32);
   stacks<1>(out, in, 400, 1); stacks<1>(out, in, 400, 2); stacks<1>(out, in, 400, 8); stacks<1>(out, in, 400, 32);
   grid.x = 132;
   stacks<0>(out, in, 400, 1); stacks<0>(out, in, 400, 8); stacks<0>(out, in, 400, 32); stacks<1>(out, in, 400, 8); stacks<1>(out, in, 400, 32);
   block.x = 32; stacks<0>(out, in, 400, 1); stacks<0>(out, in, 400, 32); stacks<1>(out, in, 400, 32);
   grid.x = 264; block.x = 1024; stacks<0>(out, in, 400, 32); stacks<1>(out, in, 400, 32);
   grid.x = 16; stacks<0>(out, in, 400, 1); stacks<0>(out, in, 400, 32); stacks<1>(out, in, 400, 32);
*/
// Up to 24 words high; lanes in so many groups go up and down with one another. WIDE: three words at a time.
template <int WIDE> __global__ void stacks(int *out, const int *in, int steps, int groups)
{
    int a[24], b[24], c[24];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned luck = in[threadIdx.x % groups] * 2654435761u + 12345u;
    int x = in[threadIdx.x], y = x + 1, z = x + 2, high = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        luck = luck * 1664525u + 1013904223u;
        if ((luck >> 31 && high < 24) || high == 0) {
            a[high] = x;
            if (WIDE) { b[high] = y; c[high] = z; }
            high++;
            x = x * 3 + k;
            y += x;
            z ^= y;
        } else {
            high--;
            x ^= a[high];
            if (WIDE) { y += b[high]; z ^= c[high]; }
        }
    }
    out[t] = x + y + z;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 1056 };
   int out[1 << 20] = zeros(); int in[4096] = iota();
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<4>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<16>(out, in, 400, 1); some_words<32>(out, in, 400, 1);
   some_words<2>(out, in, 400, 2); some_words<2>(out, in, 400, 8); some_words<2>(out, in, 400, 32); some_words<4>(out, in, 400, 2); some_words<4>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
   grid.x = 132;
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<32>(out, in, 400, 1); some_words<2>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
   block.x = 1024;
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<32>(out, in, 400, 1); some_words<2>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
   grid.x = 16;
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<32>(out, in, 400, 1); some_words<2>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
   grid.x = 4;
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<1>(out, in, 400, 8); some_words<2>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
*/
/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 16 };
   int out[1 << 20] = zeros(); int in[4096] = iota();
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<2>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
   grid.x = 66;
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<2>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
   grid.x = 132; block.x = 256;
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<2>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
   block.x = 512;
   some_words<1>(out, in, 400, 1); some_words<2>(out, in, 400, 1); some_words<8>(out, in, 400, 1); some_words<2>(out, in, 400, 8); some_words<8>(out, in, 400, 4);
*/
// One lane of EVERY stores a word of its own array a step, lanes in so many groups to different places of it.
template <int EVERY> __global__ void some_words(int *out, const int *in, int steps, int groups)
{
    int kept[32];
    const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    for (int k = 0; k < 32; k++) kept[k] = in[k] + t;
    unsigned at = lane / EVERY % groups;
    if (lane % EVERY == 0) {
#pragma unroll 4
        for (int k = 0; k < steps; k++) {
            kept[at & 31] = k;
            at = at * 5 + 7;
        }
    }
    int sum = 0;
    for (int k = 0; k < 32; k++) sum += kept[(k + in[0]) & 31] * k;
    out[t] = sum;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 1056 };
   double out[1 << 20] = zeros(); double in[4096] = ascending(0, 4096);
   wide_words<1>(out, in, 400, 1); wide_words<2>(out, in, 400, 1); wide_words<8>(out, in, 400, 1); wide_words<32>(out, in, 400, 1);
   wide_words<1>(out, in, 400, 2); wide_words<1>(out, in, 400, 8); wide_words<1>(out, in, 400, 32); wide_words<2>(out, in, 400, 8); wide_words<8>(out, in, 400, 4);
   grid.x = 132; wide_words<1>(out, in, 400, 1); wide_words<2>(out, in, 400, 1); wide_words<8>(out, in, 400, 4);
   grid.x = 16; wide_words<1>(out, in, 400, 1); wide_words<2>(out, in, 400, 1); wide_words<8>(out, in, 400, 4);
   block.x = 1024; wide_words<1>(out, in, 400, 1); wide_words<2>(out, in, 400, 1); wide_words<8>(out, in, 400, 4);
*/
// The same of words of 8 bytes.
template <int EVERY> __global__ void wide_words(double *out, const double *in, int steps, int groups)
{
    double kept[32];
    const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    for (int k = 0; k < 32; k++) kept[k] = in[k] + t;
    unsigned at = lane / EVERY % groups;
    double x = in[lane];
    if (lane % EVERY == 0) {
#pragma unroll 4
        for (int k = 0; k < steps; k++) {
            kept[at & 31] = x;
            at = at * 5 + 7;
            x = __hiloint2double(__double2hiint(x), k);
        }
    }
    double sum = 0;
    for (int k = 0; k < 32; k++) sum += kept[(k + int(in[0])) & 31] * k;
    out[t] = sum;
}
