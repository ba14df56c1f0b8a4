// Pairs of elements that threads change where they are, any distance apart, as transforms and gates do: whole sectors, of a line's every
// other one, that the warp's next store completes. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int pairs = 1 << 23; dim3 block = { 256 }; dim3 grid = { pairs / 256 };
   float2 a[2 * pairs] = zeros();
   butterflies<float2>(a, pairs, 0); butterflies<float2>(a, pairs, 1); butterflies<float2>(a, pairs, 2); butterflies<float2>(a, pairs, 3);
   butterflies<float2>(a, pairs, 4); butterflies<float2>(a, pairs, 5); butterflies<float2>(a, pairs, 8); butterflies<float2>(a, pairs, 12); butterflies<float2>(a, pairs, 20);
   grid.x = 1056;
   butterflies<float2>(a, pairs, 2); butterflies<float2>(a, pairs, 3); butterflies<float2>(a, pairs, 12);
*/
/* kmutate launch
   int pairs = 1 << 24; dim3 block = { 256 }; dim3 grid = { pairs / 256 };
   float a[2 * pairs] = zeros();
   butterflies<float>(a, pairs, 0); butterflies<float>(a, pairs, 2); butterflies<float>(a, pairs, 3); butterflies<float>(a, pairs, 4);
   butterflies<float>(a, pairs, 5); butterflies<float>(a, pairs, 10);
   grid.x = 1056;
   butterflies<float>(a, pairs, 3); butterflies<float>(a, pairs, 10);
*/
/* kmutate launch
   int fours = 1 << 22; dim3 block = { 256 }; dim3 grid = { fours / 256 };
   float2 a[4 * fours] = zeros();
   gates<float2>(a, fours, 2, 15); gates<float2>(a, fours, 3, 15); gates<float2>(a, fours, 2, 3); gates<float2>(a, fours, 4, 5); gates<float2>(a, fours, 10, 15);
   grid.x = 1056;
   gates<float2>(a, fours, 2, 15); gates<float2>(a, fours, 2, 3); gates<float2>(a, fours, 10, 15);
*/
template <class T> __device__ T added(T x, T y, float by);
template <> __device__ float added(float x, float y, float by) { return x + by * y; }
template <> __device__ float2 added(float2 x, float2 y, float by) { return make_float2(x.x + by * y.x, x.y + by * y.y); }

template <class T> __global__ void butterflies(T *a, int pairs, int bit)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        const int at = (i >> bit << bit + 1) | (i & (1 << bit) - 1), other = at | 1 << bit;
        const T x = a[at], y = a[other];
        a[at] = added(x, y, 1.0f);
        a[other] = added(x, y, -1.0f);
    }
}

// Four each: of all combinations of two bits.
template <class T> __global__ void gates(T *a, int fours, int low, int high)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += gridDim.x * blockDim.x) {
        const int half = (i >> low << low + 1) | (i & (1 << low) - 1);
        const int at = (half >> high << high + 1) | (half & (1 << high) - 1);
        const int b = at | 1 << low, c = at | 1 << high, d = b | 1 << high;
        const T p = a[at], q = a[b], r = a[c], s = a[d];
        a[at] = added(p, q, 0.5f);
        a[b] = added(q, r, 0.5f);
        a[c] = added(r, s, 0.5f);
        a[d] = added(s, p, 0.5f);
    }
}
