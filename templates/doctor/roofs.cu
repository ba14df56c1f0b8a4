// What a GPU reaches: kernels of which `kmutate doctor` takes the times. n counts elements of 16 bytes (copy4_step: of 4,
// multiply_add: rounds of the loop).
typedef unsigned long long u64;

__device__ inline u64 first() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline u64 step() { return (u64)gridDim.x * blockDim.x; }

// Blocks that stay: four accesses of a thread are under way at a time.
extern "C" __global__ void copy_stride(uint4 *out, const uint4 *in, u64 n)
{
    for (u64 i = first(); i + 3 * step() < n; i += 4 * step()) {
        const uint4 a = in[i], b = in[i + step()], c = in[i + 2 * step()], d = in[i + 3 * step()];
        out[i] = a;
        out[i + step()] = b;
        out[i + 2 * step()] = c;
        out[i + 3 * step()] = d;
    }
}

extern "C" __global__ void read_stride(uint4 *out, const uint4 *in, u64 n)
{
    unsigned sum = 0;
    for (u64 i = first(); i + 3 * step() < n; i += 4 * step()) {
        const uint4 a = in[i], b = in[i + step()], c = in[i + 2 * step()], d = in[i + 3 * step()];
        sum ^= a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w ^ c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
    }
    if (sum == 0x9E3779B9u) out[0].x = sum;  // so that the loads are needed
}

extern "C" __global__ void write_stride(uint4 *out, const uint4 *in, u64 n)
{
    const uint4 value = make_uint4(1, 2, 3, 4);
    for (u64 i = first(); i + 3 * step() < n; i += 4 * step()) {
        out[i] = value;
        out[i + step()] = value;
        out[i + 2 * step()] = value;
        out[i + 3 * step()] = value;
    }
}

// Blocks that come and go: each thread has four accesses, a block's lie side by side.
extern "C" __global__ void copy_chunk(uint4 *out, const uint4 *in, u64 n)
{
    const u64 i = (u64)blockIdx.x * blockDim.x * 4 + threadIdx.x, k = blockDim.x;
    const uint4 a = in[i], b = in[i + k], c = in[i + 2 * k], d = in[i + 3 * k];
    out[i] = a;
    out[i + k] = b;
    out[i + 2 * k] = c;
    out[i + 3 * k] = d;
}

extern "C" __global__ void read_chunk(uint4 *out, const uint4 *in, u64 n)
{
    const u64 i = (u64)blockIdx.x * blockDim.x * 4 + threadIdx.x, k = blockDim.x;
    const uint4 a = in[i], b = in[i + k], c = in[i + 2 * k], d = in[i + 3 * k];
    const unsigned sum = a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w ^ c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
    if (sum == 0x9E3779B9u) out[i].x = sum;
}

extern "C" __global__ void write_chunk(uint4 *out, const uint4 *in, u64 n)
{
    const u64 i = (u64)blockIdx.x * blockDim.x * 4 + threadIdx.x, k = blockDim.x;
    const uint4 value = make_uint4(1, 2, 3, 4);
    out[i] = value;
    out[i + k] = value;
    out[i + 2 * k] = value;
    out[i + 3 * k] = value;
}

// One access of a thread under way at a time: how far so many warps get.
extern "C" __global__ void copy16_step(uint4 *out, const uint4 *in, u64 n)
{
#pragma unroll 1
    for (u64 i = first(); i < n; i += step()) out[i] = in[i];
}

extern "C" __global__ void copy4_step(unsigned *out, const unsigned *in, u64 n)
{
#pragma unroll 1
    for (u64 i = first(); i < n; i += step()) out[i] = in[i];
}

// 128 fused multiply-adds a round, in eight chains.
extern "C" __global__ void multiply_add(float *out, const float *in, u64 n)
{
    const float a = in[0], b = in[1];
    float x[8];
#pragma unroll
    for (int k = 0; k < 8; k++) x[k] = (float)threadIdx.x + (float)k;
    for (int r = 0; r < (int)n; r++) {
#pragma unroll
        for (int j = 0; j < 16; j++) {
#pragma unroll
            for (int k = 0; k < 8; k++) x[k] = x[k] * a + b;
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += x[k];
    out[first()] = sum;
}
