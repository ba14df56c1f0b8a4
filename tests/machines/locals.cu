// Arrays of a thread that are indexed, in local memory: loads, stores and both, by lanes that want the same word of theirs or others;
// arrays that L1 holds and that it does not. Timed on a GPU and by the model of time, as patterns.cu.

enum { LOADS, STORES, CHANGES, ELSEWHERE };

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 1056 };
   int out[1 << 18] = zeros(); int in[4096] = iota();
   own_words<LOADS>(out, in, 400, 1); own_words<LOADS>(out, in, 400, 2); own_words<LOADS>(out, in, 400, 4); own_words<LOADS>(out, in, 400, 8); own_words<LOADS>(out, in, 400, 16); own_words<LOADS>(out, in, 400, 32);
   own_words<STORES>(out, in, 400, 1); own_words<STORES>(out, in, 400, 2); own_words<STORES>(out, in, 400, 4); own_words<STORES>(out, in, 400, 8); own_words<STORES>(out, in, 400, 16); own_words<STORES>(out, in, 400, 32);
   own_words<CHANGES>(out, in, 400, 1); own_words<CHANGES>(out, in, 400, 2); own_words<CHANGES>(out, in, 400, 4); own_words<CHANGES>(out, in, 400, 16); own_words<CHANGES>(out, in, 400, 32);
   own_words<ELSEWHERE>(out, in, 400, 1); own_words<ELSEWHERE>(out, in, 400, 4); own_words<ELSEWHERE>(out, in, 400, 16); own_words<ELSEWHERE>(out, in, 400, 32);
   grid.x = 132; own_words<LOADS>(out, in, 400, 1); own_words<LOADS>(out, in, 400, 8); own_words<LOADS>(out, in, 400, 32);
   own_words<STORES>(out, in, 400, 1); own_words<STORES>(out, in, 400, 8); own_words<STORES>(out, in, 400, 32);
   own_words<ELSEWHERE>(out, in, 400, 1); own_words<ELSEWHERE>(out, in, 400, 8); own_words<ELSEWHERE>(out, in, 400, 32);
*/
// An array of 32 words; lanes in so many groups want different words of theirs, all lanes of a group the same.
template <int WHAT> __global__ void own_words(int *out, const int *in, int steps, int groups)
{
    int kept[32];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 32; k++) kept[k] = in[k] + t;
    unsigned at = threadIdx.x % groups;
    int sum = 0;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        if (WHAT == LOADS) sum += kept[at & 31];
        if (WHAT == STORES) kept[at & 31] = k;
        if (WHAT == CHANGES) kept[at & 31] += k;
        if (WHAT == ELSEWHERE) kept[(at + 16) & 31] = kept[at & 31] + k;
        at = at * 5 + 7;
    }
    for (int k = 0; k < 32; k++) sum += kept[(k + in[0]) & 31] * k;
    out[t] = sum;
}

/* kmutate launch
   dim3 block = { 64 }; dim3 grid = { 1056 };
   float out[1 << 18] = zeros(); float in[1 << 18] = uniform(0, 1); double wide[1 << 18] = zeros(); double wide_in[1 << 18] = uniform(0, 1);
   own_sums<float, 24>(out, in, 24); own_sums<double, 24>(wide, wide_in, 24); own_sums<float, 96>(out, in, 96); own_sums<double, 96>(wide, wide_in, 96);
   grid.x = 2112; own_sums<float, 24>(out, in, 24); own_sums<double, 24>(wide, wide_in, 24); own_sums<float, 96>(out, in, 96);
   grid.x = 132; block.x = 256; own_sums<float, 24>(out, in, 24); own_sums<double, 24>(wide, wide_in, 24); own_sums<float, 96>(out, in, 96); own_sums<double, 96>(wide, wide_in, 96);
   grid.x = 264; block.x = 512; own_sums<float, 96>(out, in, 96); own_sums<double, 96>(wide, wide_in, 96);
*/
// As solvers and sorts do: all words of an array of COUNT are changed by those before them, again and again.
template <class T, int COUNT> __global__ void own_sums(T *out, const T *in, int count)
{
    T kept[COUNT];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < count; k++) kept[k] = in[t % 1024 + k];
#pragma unroll 1
    for (int k = 1; k < count; k++) {
        const T last = kept[k];
#pragma unroll 1
        for (int j = 0; j <= k / 2; j++) {
            const T a = kept[j], b = kept[k - j];
            kept[j] = a + last * b;
            kept[k - j] = b + last * a;
        }
    }
    T sum = 0;
#pragma unroll 1
    for (int k = 0; k < count; k++) sum += kept[k];
    out[t] = sum;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 1056 };
   float out[1 << 18] = zeros(); float in[1 << 20] = uniform(0, 1);
   own_order<8>(out, in, 200); own_order<16>(out, in, 200); own_order<32>(out, in, 100);
   grid.x = 264; own_order<8>(out, in, 200); own_order<16>(out, in, 200); own_order<32>(out, in, 100);
*/
// The COUNT least of what a thread has seen, in order, by insertion: lanes go through theirs as far as each has to.
template <int COUNT> __global__ void own_order(float *out, const float *in, int steps)
{
    float kept[COUNT];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < COUNT; k++) kept[k] = 2.0f;
    for (int s = 0; s < steps; s++) {
        const float x = in[(t * 37 + s * 1031) & ((1 << 20) - 1)];
        if (x >= kept[COUNT - 1]) continue;
        int k = COUNT - 1;
        while (k > 0 && kept[k - 1] > x) { kept[k] = kept[k - 1]; k--; }
        kept[k] = x;
    }
    float sum = 0.0f;
    for (int k = 0; k < COUNT; k++) sum += kept[k] * k;
    out[t] = sum;
}
