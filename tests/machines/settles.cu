// Elements of an array that are changed where they are, each once, in an order without order: a half of a sector, or a part, or all
// of it, read a moment before. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 };
   float4 a[1 << 24] = zeros();
   moves<float>(a, 20, 1); moves<float2>(a, 20, 1); moves<float4>(a, 20, 1);
   grid.x = 8192; moves<float>(a, 21, 1); moves<float2>(a, 21, 1); moves<float4>(a, 21, 1);
   grid.x = 16384; moves<float>(a, 22, 1); moves<float2>(a, 22, 1); moves<float4>(a, 22, 1);
   grid.x = 32768; moves<float>(a, 23, 1); moves<float2>(a, 23, 1); moves<float4>(a, 23, 1);
   moves<float>(a, 24, 2); moves<float2>(a, 24, 2); moves<float4>(a, 24, 2);
*/
__device__ unsigned mixed(unsigned i, int bits)
{
    const unsigned mask = (1u << bits) - 1;
    i ^= i >> (bits / 2);
    i = i * 2654435769u & mask;
    i ^= i >> (bits / 3);
    i = i * 2246822519u & mask;
    return i ^ i >> (bits / 2 + 1);
}

__device__ void add(float &x) { x += 1.0f; }
__device__ void add(float2 &x) { x.x += 1.0f; x.y += x.x; }
__device__ void add(float4 &x) { x.x += 1.0f; x.w += x.x; x.y += x.z; }

// Of 2 ** bits elements a thread changes `each`, one a while after the other.
template <class T> __global__ void moves(float4 *a, int bits, int each)
{
    T *of = (T *)a;
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < each; k++) {
        const unsigned at = mixed(i + (k << (bits - 1)), bits);
        T x = of[at];
        add(x);
        of[at] = x;
    }
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 };
   float4 a[1 << 24] = zeros(); float sums[1 << 23] = zeros();
   looks<float>(a, sums, 20); looks<float2>(a, sums, 20); looks<float4>(a, sums, 20);
   grid.x = 16384; looks<float>(a, sums, 22); looks<float2>(a, sums, 22); looks<float4>(a, sums, 22);
   grid.x = 32768; looks<float>(a, sums, 23); looks<float2>(a, sums, 23); looks<float4>(a, sums, 23);
*/
__device__ float one(float x) { return x; }
__device__ float one(float2 x) { return x.x + x.y; }
__device__ float one(float4 x) { return x.x + x.y + x.z + x.w; }

// Elements that are only read, in the same order.
template <class T> __global__ void looks(const float4 *a, float *sums, int bits)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    sums[i] = one(((const T *)a)[mixed(i, bits)]);
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 };
   float4 a[1 << 24] = zeros();
   puts<float>(a, 20); puts<float2>(a, 20); puts<float4>(a, 20);
   grid.x = 16384; puts<float>(a, 22); puts<float2>(a, 22); puts<float4>(a, 22);
   grid.x = 32768; puts<float>(a, 23); puts<float2>(a, 23); puts<float4>(a, 23);
*/
__device__ void from(float &x, float v) { x = v; }
__device__ void from(float2 &x, float v) { x = make_float2(v, 1.0f); }
__device__ void from(float4 &x, float v) { x = make_float4(v, 1.0f, 2.0f, 3.0f); }

// Elements that are only written.
template <class T> __global__ void puts(float4 *a, int bits)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    T x;
    from(x, i);
    ((T *)a)[mixed(i, bits)] = x;
}
