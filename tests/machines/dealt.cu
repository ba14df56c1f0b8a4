// Warps that change pieces of an array where they are, each lane words dealt to it: parts of sectors, which the same warp completes, or
// others of its block. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned shuffled(unsigned n)
{
    n ^= n >> 16; n *= 0x7feb352du; n ^= n >> 15; n *= 0x846ca68bu;
    return n ^ n >> 16;
}

__device__ float worth(float a) { return a; }
__device__ float worth(float2 a) { return a.x + a.y; }
__device__ float worth(float4 a) { return a.x + a.y + a.z + a.w; }
__device__ float changed(float a, float by) { return a + by; }
__device__ float2 changed(float2 a, float by) { return make_float2(a.x + by, a.y - by); }
__device__ float4 changed(float4 a, float by) { return make_float4(a.x + by, a.y - by, a.z + by, a.w - by); }

/* kmutate launch
   int all = 1 << 24; dim3 block = { 128 };
   float a[all] = zeros();
   dim3 grid = { 65536 };
   dealt<float, 2, 1>(a, 0u); dealt<float, 2, 1>(a, 77u); dealt<float, 2, 4>(a, 77u);
   grid.x = 32768;
   dealt<float, 4, 1>(a, 0u); dealt<float, 4, 1>(a, 77u); dealt<float, 4, 4>(a, 77u);
   dealt<float2, 2, 1>((float2 *)a, 0u); dealt<float2, 2, 1>((float2 *)a, 77u); dealt<float2, 2, 4>((float2 *)a, 77u);
   grid.x = 16384;
   dealt<float4, 2, 1>((float4 *)a, 0u); dealt<float4, 2, 1>((float4 *)a, 77u); dealt<float4, 2, 2>((float4 *)a, 77u); dealt<float4, 2, 4>((float4 *)a, 77u);
   dealt<float2, 4, 1>((float2 *)a, 77u); dealt<float2, 4, 4>((float2 *)a, 77u);
   grid.x = 8192;
   dealt<float4, 4, 1>((float4 *)a, 0u); dealt<float4, 4, 1>((float4 *)a, 77u); dealt<float4, 4, 4>((float4 *)a, 77u);
   dealt<float2, 8, 1>((float2 *)a, 77u); dealt<float2, 8, 4>((float2 *)a, 77u);
*/
// WARPS of a block share a piece, LOADS words for each lane: in order where `seed` is 0, else each piece is dealt another way.
template <class T, int LOADS, int WARPS> __global__ void dealt(T *a, unsigned seed)
{
    constexpr int LANES = 32 * WARPS, WORDS = LANES * LOADS;
    const unsigned piece = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    const unsigned drawn = shuffled(seed ^ piece), odd = seed ? drawn | 1u : 1u, shift = seed ? drawn >> 8 : 0u;
    T *mine = a + (size_t)piece * WORDS;
    T v[LOADS];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        v[k] = mine[(odd * (lane + LANES * k) + shift) % WORDS];
        sum += worth(v[k]);
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) mine[(odd * (lane + LANES * k) + shift) % WORDS] = changed(v[k], sum);
}
