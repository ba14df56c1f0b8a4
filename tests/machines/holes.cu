// Sectors that a warp stores in part and loads then: whether L1 has them. Timed on a GPU and by the model of time, as
// patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 * 8 };
   float a[132 * 8 * 256 * 16] = zeros(); float out[132 * 8 * 256] = zeros();
   holes<0, 0>(a, out); holes<1, 0>(a, out); holes<2, 0>(a, out); holes<8, 0>(a, out); holes<16, 0>(a, out);
   holes<0, 1>(a, out); holes<1, 1>(a, out); holes<2, 1>(a, out); holes<8, 1>(a, out);
   holes<1, 2>(a, out); holes<2, 2>(a, out); holes<8, 2>(a, out); holes<2, 3>(a, out); holes<8, 3>(a, out);
   grid.x = 132;
   holes<0, 0>(a, out); holes<1, 0>(a, out); holes<2, 0>(a, out); holes<8, 0>(a, out); holes<16, 0>(a, out);
   holes<0, 1>(a, out); holes<1, 1>(a, out); holes<2, 1>(a, out); holes<8, 1>(a, out);
   holes<1, 2>(a, out); holes<2, 2>(a, out); holes<8, 2>(a, out); holes<2, 3>(a, out); holes<8, 3>(a, out);
*/
// Of 16 rows of a warp each EVERY-th lane stores (0: none, 16: lanes of every other sector), then all lanes load all rows. 1: they
// have loaded them before that, too; 2: only those that have stored load; 3: only the others.
template <int EVERY, int WHAT> __global__ void holes(float *a, float *out)
{
    const int lane = threadIdx.x % 32;
    float *own = a + (size_t)(blockIdx.x * 8 + threadIdx.x / 32) * 16 * 32 + lane;
    float sum = 0.0f;
    if (WHAT == 1) {
#pragma unroll
        for (int k = 0; k < 16; k++) sum += own[k * 32];
        sum = __shfl_xor_sync(~0u, sum, 1);
    }
    const bool stores = EVERY == 16 ? lane / 8 % 2 : EVERY ? lane % EVERY == 0 : false;
#pragma unroll
    for (int k = 0; k < 16; k++)
        if (EVERY && stores) *(volatile float *)(own + k * 32) = sum + k;
    for (int k = 0; k < 200; k++) sum = sum * 0.99f + 1.0f;
    __syncwarp();
    if (WHAT < 2 || stores == (WHAT == 2)) {
#pragma unroll
        for (int k = 0; k < 16; k++) sum += ((const float *)own)[k * 32 ^ (sum == 3.0f)];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 }; int n = 4096 * 256;
   unsigned char kind[n] = randint(0, 9); float u[n] = zeros(); float v[n] = zeros(); float w[n] = zeros(); float p[n] = zeros();
   walls_then_rest<0>(u, v, w, p, kind); walls_then_rest<1>(u, v, w, p, kind); walls_then_rest<2>(u, v, w, p, kind);
*/
// 0: lanes whose kind is 0 store, then the others load and store what lies beside; 1: first the others; 2: all load and store.
template <int WHAT> __global__ void walls_then_rest(float *u, float *v, float *w, const float *p, const unsigned char *kind)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (WHAT != 2 && (kind[i] == 0) == (WHAT == 0)) {
        u[i] = 0.0f; v[i] = 0.0f; w[i] = 0.0f;
        return;
    }
    const float here = p[i];
    u[i] -= here; v[i] -= here * 2.0f; w[i] -= here * 3.0f;
}
