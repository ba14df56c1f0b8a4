// Loads of 4, 8 and 16 bytes from shared memory, the same for all lanes or side by side, each with some multiply-adds of what was
// loaded, as the innermost loops of products of matrices have them. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 128 };
   float out[1 << 19] = zeros();
   word_quads<float4, 0>(out, 400, 0); word_quads<float4, 1>(out, 400, 0); word_quads<float4, 2>(out, 400, 0);
   word_quads<float4, 4>(out, 400, 0);
   grid.x = 528;
   word_quads<float4, 0>(out, 400, 0); word_quads<float4, 1>(out, 400, 0); word_quads<float4, 2>(out, 400, 0);
   word_quads<float4, 4>(out, 400, 0);
   word_quads<float4, 1>(out, 400, 1); word_quads<float4, 2>(out, 400, 1); word_quads<float4, 4>(out, 400, 1);
   grid.x = 1320;
   word_quads<float4, 0>(out, 400, 0); word_quads<float4, 1>(out, 400, 0); word_quads<float4, 2>(out, 400, 0);
   word_quads<float4, 4>(out, 400, 0);
   word_quads<float4, 1>(out, 400, 1); word_quads<float4, 2>(out, 400, 1); word_quads<float4, 4>(out, 400, 1);
   word_quads<float2, 0>(out, 400, 0); word_quads<float2, 1>(out, 400, 0); word_quads<float2, 2>(out, 400, 0);
   word_quads<float2, 4>(out, 400, 0);
   word_quads<float2, 1>(out, 400, 1); word_quads<float2, 2>(out, 400, 1);
   word_quads<float, 0>(out, 400, 0); word_quads<float, 1>(out, 400, 0); word_quads<float, 2>(out, 400, 0);
   word_quads<float, 4>(out, 400, 0);
   word_quads<float, 1>(out, 400, 1); word_quads<float, 2>(out, 400, 1);
   grid.x = 2112;
   word_quads<float4, 0>(out, 400, 0); word_quads<float4, 1>(out, 400, 0); word_quads<float4, 2>(out, 400, 0);
   word_quads<float4, 4>(out, 400, 0);
   word_quads<float4, 1>(out, 400, 1); word_quads<float4, 2>(out, 400, 1);
*/
template <class T> __device__ float word(T v, int k);
template <> __device__ float word(float v, int k) { return v; }
template <> __device__ float word(float2 v, int k) { return k & 1 ? v.y : v.x; }
template <> __device__ float word(float4 v, int k) { return (k & 2) ? (k & 1 ? v.w : v.z) : (k & 1 ? v.y : v.x); }

// ADDS multiply-adds for each word that is loaded; `apart`: lanes have words of their own.
template <class T, int ADDS>
__global__ void word_quads(float *out, int steps, int apart)
{
    __shared__ T s[16 * 32 + 16];
    constexpr int WORDS = sizeof(T) / 4;
    const int t = threadIdx.x;
    for (int i = t; i < (16 * 32 + 16) * WORDS; i += blockDim.x) ((float *)s)[i] = i;
    __syncthreads();
    float sum[16] = {}, x = t;
    const T *from = s + apart * (t & 31);
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
#pragma unroll
        for (int q = 0; q < 16; q++) {
            const T v = from[q * (apart ? 32 : 1)];
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
                if (ADDS == 0 && w == WORDS - 1) sum[q] += word(v, w);
#pragma unroll
                for (int i = 0; i < ADDS; i++) sum[(q * WORDS + w + 4 * i) & 15] += word(v, w) * x;
            }
        }
        from += (sum[0] == 12345.678f);
    }
    float all = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) all += sum[i];
    out[blockIdx.x * blockDim.x + t] = all;
}
