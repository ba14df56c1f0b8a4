// Loops that load and store a little at a time, few warps on an SM. Timed on a GPU and by the model of time, as patterns.cu;
// sectors that L2 read and wrote for it by ncu.

/* kmutate launch
   dim3 block = { 512 }; dim3 grid = { 57 };
   float a[16 << 20] = zeros(); float b[16 << 20] = zeros();
   columns<0>(a, b, 80, 361); columns<1>(a, b, 80, 361); columns<2>(a, b, 80, 361); columns<3>(a, b, 80, 361);
   columns<4>(a, b, 80, 361);
   columns<0>(a, b, 80, 384); columns<1>(a, b, 80, 384); columns<2>(a, b, 80, 384); columns<3>(a, b, 80, 384);
   columns<4>(a, b, 80, 384);
   block.x = 128;
   columns<0>(a, b, 80, 361); columns<1>(a, b, 80, 361); columns<2>(a, b, 80, 361); columns<3>(a, b, 80, 361);
   columns<4>(a, b, 80, 361);
   grid.x = 264; block.x = 256;
   columns<0>(a, b, 80, 361); columns<1>(a, b, 80, 361); columns<2>(a, b, 80, 361); columns<3>(a, b, 80, 361);
   columns<4>(a, b, 80, 361);
*/
// Columns of maps of `pitch` words, `steps` of a thread: read (0), written (1), copied (2), changed where they are (3), read, copied
// and changed in three passes (4).
template <int WHAT> __global__ void columns(float *a, float *b, int steps, int pitch)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = a + (size_t)(t / pitch) * steps * pitch + t % pitch;
    float *q = b + (size_t)(t / pitch) * steps * pitch + t % pitch;
    float sum = 0.0f;
    if (WHAT == 0 || WHAT == 4)
        for (int k = 0; k < steps; k++) sum = fmaxf(sum, p[k * pitch]);
    if (WHAT == 1)
        for (int k = 0; k < steps; k++) q[k * pitch] = k;
    if (WHAT == 2 || WHAT == 4)
        for (int k = 0; k < steps; k++) { const float e = p[k * pitch] - sum; sum += e; q[k * pitch] = e; }
    if (WHAT == 3 || WHAT == 4)
        for (int k = 0; k < steps; k++) q[k * pitch] *= 0.5f + sum;
    if (WHAT == 0) q[0] = sum;
}

/* kmutate launch
   dim3 block = { 512 }; dim3 grid = { 1 };
   float a[32 << 20] = zeros(); float b[32 << 20] = zeros();
   rows_each<0>(a, b, 1152, 256); rows_each<1>(a, b, 1152, 256); rows_each<2>(a, b, 1152, 256); rows_each<3>(a, b, 1152, 256);
   rows_each<4>(a, b, 1152, 256);
   block.x = 128; grid.x = 132;
   rows_each<0>(a, b, 1152, 1 << 20); rows_each<1>(a, b, 1152, 1 << 20); rows_each<2>(a, b, 1152, 1 << 20);
   rows_each<3>(a, b, 1152, 1 << 20); rows_each<4>(a, b, 1152, 1 << 20);
   block.x = 512; grid.x = 256;
   rows_each<0>(a, b, 49, 1 << 20); rows_each<1>(a, b, 49, 1 << 20); rows_each<2>(a, b, 49, 1 << 20); rows_each<3>(a, b, 49, 1 << 20);
   rows_each<4>(a, b, 49, 1 << 20);
   block.x = 256;
   rows_each<0>(a, b, 196, 1 << 20); rows_each<1>(a, b, 196, 1 << 20); rows_each<2>(a, b, 196, 1 << 20);
   rows_each<3>(a, b, 196, 1 << 20); rows_each<4>(a, b, 196, 1 << 20);
*/
// A row of a thread's own: summed up (0), written (1), copied (2), summed up and then copied (3), summed up in memory, a word of
// which is stored after each load (4).
template <int WHAT> __global__ void rows_each(float *a, float *b, int length, int rows)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= rows) return;
    const float *p = a + (size_t)t * length;
    float *q = b + (size_t)t * length, sum = 0.0f;
    if (WHAT == 0 || WHAT == 3)
        for (int k = 0; k < length; k++) sum += fabsf(p[k]);
    if (WHAT == 1)
        for (int k = 0; k < length; k++) q[k] = k;
    if (WHAT == 2 || WHAT == 3)
        for (int k = 0; k < length; k++) q[k] = p[k] > 0.5f ? sum : -sum;
    if (WHAT == 4) {
        b[t] = 0.0f;
        for (int k = 0; k < length; k++) b[t] += p[k];
    }
    if (WHAT == 0) b[t] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 32768 };
   float a[8 << 20] = zeros(); float b[8 << 20] = zeros();
   shared_rows<0>(a, b); shared_rows<1>(a, b); shared_rows<2>(a, b); shared_rows<3>(a, b); shared_rows<4>(a, b);
   block.x = 64; grid.x = 131072;
   shared_rows<0>(a, b); shared_rows<1>(a, b); shared_rows<2>(a, b);
   block.x = 1024; grid.x = 8192;
   shared_rows<0>(a, b); shared_rows<1>(a, b); shared_rows<2>(a, b);
*/
// A word a thread goes through shared memory: copied around it (0), through it without a barrier (1), with one barrier (2), with two (3),
// with two and eight words that are read between the last one and the store (4).
template <int WHAT> __global__ void shared_rows(const float *a, float *b)
{
    __shared__ float row[1024 + 16];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[t];
    if (WHAT > 0) {
        row[threadIdx.x + 4] = v;
        if (WHAT > 1) __syncthreads();
        if (WHAT > 2) {
            if (threadIdx.x % 64 < 4) { row[threadIdx.x % 64] = row[threadIdx.x + 60]; row[1032 + threadIdx.x % 64] = row[threadIdx.x + 5]; }
            __syncthreads();
        }
        if (WHAT < 4) v = row[(threadIdx.x ^ (WHAT > 1 ? 1 : 0)) + 4];
        else
            for (int k = 1; k < 5; k++) v += k * (row[threadIdx.x + 4 + k] - row[threadIdx.x + 4 - k]);
    }
    b[t] = v;
}
