// Gravitational acceleration of n bodies on each other, all pairs.
//
// A thread owns one body. The block brings 256 bodies at a time into shared memory, where all its threads read the
// same one: a broadcast. A body is a float4: position and mass. n is a multiple of 256.
//
// Teaches: a kernel that arithmetic limits, with a special function in every interaction: math-only is close to full.
// Seeds:   "Analysis-Driven Optimization", slides 6, 9-13 (compute-bound scenario), 37-39.

#define BODIES 256

/* Adds to `sum` what a body at `other` pulls on a body at `self`; other.w is its mass. */
__device__ float3 interaction(float3 sum, float4 self, float4 other, float softening)
{
    const float dx = other.x - self.x;
    const float dy = other.y - self.y;
    const float dz = other.z - self.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening * softening);
    const float pull = other.w * inverse * inverse * inverse;
    sum.x += pull * dx;
    sum.y += pull * dy;
    sum.z += pull * dz;
    return sum;
}

/* kmutate launch
   int n = 32768;
   float softening = 0.01f;
   dim3 grid = { n / BODIES };
   dim3 block = { BODIES };
   float4 acceleration[n] = zeros();
   float4 body[n] = uniform(0, 1);
   nbody(acceleration, body, softening, n);
*/
__global__ void __launch_bounds__(BODIES)
nbody(float4 *__restrict__ acceleration, const float4 *__restrict__ body, float softening, int n)
{
    __shared__ float4 tile[BODIES];

    const int i = blockIdx.x * BODIES + threadIdx.x;
    const float4 self = body[i];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);

    for (int first = 0; first < n; first += BODIES) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();

#pragma unroll 8
        for (int j = 0; j < BODIES; j++)
            sum = interaction(sum, self, tile[j], softening);
        __syncthreads();
    }
    acceleration[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}
