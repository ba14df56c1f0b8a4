// All-pairs forces from a shared tile of 256 bodies; the inner loop is unrolled eight times.
__global__ void nbody(float4 *acc, const float4 *pos, int n)
{
    __shared__ float4 sp[256];
    float4 me = pos[blockIdx.x * blockDim.x + threadIdx.x];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        sp[threadIdx.x] = pos[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; j++) {
            float4 p = sp[j];
            float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
            float s = p.w * r * r * r;
            ax += dx * s; ay += dy * s; az += dz * s;
        }
        __syncthreads();
    }
    acc[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(ax, ay, az, 0);
}
