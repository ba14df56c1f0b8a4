// Elements of half a sector that are changed where they are, one or two of a thread, or only written, in an order without order:
// what L2 and DRAM do then. Timed on a GPU and by the model of time, as patterns.cu; sectors and bytes by ncu.

__device__ unsigned scrambled(unsigned i, int bits)
{
    const unsigned mask = (1u << bits) - 1;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        i = i * 2654435769u + 12345u & mask;
        i ^= i >> (bits / 2);
        i = i * 2246822507u & mask;
        i ^= i >> (bits / 3);
    }
    return i;
}

/* kmutate launch
   dim3 block = { 256 };
   float4 a[1 << 23] = zeros();
   dim3 grid = { 4096 }; change_one(a, 20); grid.x = 8192; change_one(a, 21); grid.x = 16384; change_one(a, 22);
   grid.x = 32768; change_one(a, 23);
*/
__global__ void change_one(float4 *a, int bits)
{
    const unsigned e = scrambled(blockIdx.x * 256 + threadIdx.x, bits);
    float4 v = a[e];
    v.x += v.y + 1.0f;
    v.z -= v.w;
    a[e] = v;
}

/* kmutate launch
   dim3 block = { 256 };
   float4 a[1 << 23] = zeros();
   dim3 grid = { 2048 }; change_two(a, 20); grid.x = 4096; change_two(a, 21); grid.x = 8192; change_two(a, 22);
   grid.x = 16384; change_two(a, 23);
*/
__global__ void change_two(float4 *a, int bits)
{
    const unsigned i = 2 * (blockIdx.x * 256 + threadIdx.x);
    const unsigned e = scrambled(i, bits), f = scrambled(i + 1, bits);
    float4 v = a[e], w = a[f];
    v.x += w.y + 1.0f;
    v.z -= w.w;
    w.x += v.y + 1.0f;
    a[e] = v;
    a[f] = w;
}

/* kmutate launch
   dim3 block = { 256 };
   float4 a[1 << 23] = zeros();
   dim3 grid = { 1024 }; change_four(a, 20); grid.x = 2048; change_four(a, 21); grid.x = 4096; change_four(a, 22);
   grid.x = 8192; change_four(a, 23);
*/
__global__ void change_four(float4 *a, int bits)
{
    const unsigned i = 4 * (blockIdx.x * 256 + threadIdx.x);
    unsigned e[4];
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) e[k] = scrambled(i + k, bits);
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = a[e[k]];
#pragma unroll
    for (int k = 0; k < 4; k++) v[k].x += v[3 - k].y + 1.0f;
#pragma unroll
    for (int k = 0; k < 4; k++) a[e[k]] = v[k];
}

/* kmutate launch
   dim3 block = { 256 };
   float4 a[1 << 23] = zeros();
   dim3 grid = { 4096 }; put_half(a, 20); grid.x = 8192; put_half(a, 21); grid.x = 16384; put_half(a, 22);
   grid.x = 32768; put_half(a, 23);
*/
__global__ void put_half(float4 *a, int bits)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    a[scrambled(i, bits)] = make_float4(i, 1.0f, 2.0f, 3.0f);
}

/* kmutate launch
   dim3 block = { 256 };
   float4 a[1 << 23] = zeros(); float sums[1 << 23] = zeros();
   dim3 grid = { 4096 }; look_half(a, sums, 20); grid.x = 8192; look_half(a, sums, 21); grid.x = 16384; look_half(a, sums, 22);
   grid.x = 32768; look_half(a, sums, 23);
*/
__global__ void look_half(const float4 *a, float *sums, int bits)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    const float4 v = a[scrambled(i, bits)];
    sums[i] = v.x + v.y + v.z + v.w;
}

/* kmutate launch
   dim3 block = { 256 };
   float4 a[1 << 23] = zeros();
   dim3 grid = { 4096 }; change_whole(a, 20); grid.x = 8192; change_whole(a, 21); grid.x = 16384; change_whole(a, 22);
*/
__global__ void change_whole(float4 *a, int bits)
{
    // Both put_half of a sector, each lane's neighbour the other.
    const unsigned i = blockIdx.x * 256 + threadIdx.x, e = 2 * scrambled(i / 2, bits - 1) + i % 2;
    float4 v = a[e];
    v.x += v.y + 1.0f;
    a[e] = v;
}
