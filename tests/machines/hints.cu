// Loads and stores that say how long what they touch is of use: what it costs, and what L1 and L2 keep beside it.
// Timed on a GPU and by the model of time, as patterns.cu.

template <int HINT> __device__ float loaded(const float *p)
{
    float x;
    if (HINT == 0) x = *p;
    else if (HINT == 1) x = __ldcs(p);
    else if (HINT == 2) x = __ldlu(p);
    else if (HINT == 3) asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(x) : "l"(p));
    else x = __ldcg(p);
    return x;
}

template <int HINT> __device__ void stored(float *p, float x)
{
    if (HINT == 0) *p = x;
    else if (HINT == 1) __stcs(p, x);
    else if (HINT == 2) __stcg(p, x);
    else __stwt(p, x);
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 }; float in[1 << 26] = zeros(); float out[1 << 26] = zeros();
   streamed<0, 0>(in, out, 1 << 26); streamed<1, 0>(in, out, 1 << 26); streamed<2, 0>(in, out, 1 << 26); streamed<3, 0>(in, out, 1 << 26);
   streamed<0, 1>(in, out, 1 << 26); streamed<0, 2>(in, out, 1 << 26); streamed<0, 3>(in, out, 1 << 26); streamed<1, 1>(in, out, 1 << 26);
   streamed<0, 0>(in, out, 1 << 23); streamed<1, 0>(in, out, 1 << 23); streamed<0, 1>(in, out, 1 << 23); streamed<0, 3>(in, out, 1 << 23); streamed<1, 1>(in, out, 1 << 23);
*/
// A copy with hints.
template <int LOAD, int STORE> __global__ void streamed(const float *in, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        stored<STORE>(out + i, loaded<LOAD>(in + i) + 1.0f);
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 }; float table[1 << 24] = zeros(); float in[1 << 26] = zeros(); float out[1 << 26] = zeros();
   table_beside<0, 0>(table, in, out, 1 << 22); table_beside<1, 0>(table, in, out, 1 << 22); table_beside<0, 1>(table, in, out, 1 << 22); table_beside<1, 1>(table, in, out, 1 << 22);
   table_beside<0, 0>(table, in, out, 3 << 21); table_beside<1, 0>(table, in, out, 3 << 21); table_beside<0, 1>(table, in, out, 3 << 21); table_beside<1, 1>(table, in, out, 3 << 21); table_beside<2, 2>(table, in, out, 3 << 21);
   table_beside<0, 0>(table, in, out, 5 << 21); table_beside<1, 0>(table, in, out, 5 << 21); table_beside<0, 1>(table, in, out, 5 << 21); table_beside<1, 1>(table, in, out, 5 << 21); table_beside<3, 1>(table, in, out, 5 << 21);
*/
// Streams beside a table that is read around again and again.
template <int LOAD, int STORE> __global__ void table_beside(const float *table, const float *in, float *out, int words)
{
    const int all = gridDim.x * blockDim.x;
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = at; i < 1 << 26; i += all) {
        stored<STORE>(out + i, loaded<LOAD>(in + i) + table[at]);
        at += all;
        if (at >= words) at -= words;
    }
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 2048 }; float in[1 << 25] = zeros(); float out[1 << 25] = zeros();
   twice<0, 0>(in, out, 4096); twice<1, 0>(in, out, 4096); twice<0, 1>(in, out, 4096); twice<1, 1>(in, out, 4096); twice<2, 0>(in, out, 4096); twice<3, 0>(in, out, 4096);
   twice<0, 0>(in, out, 8192); twice<1, 0>(in, out, 8192); twice<0, 1>(in, out, 8192); twice<1, 1>(in, out, 8192);
   twice<0, 0>(in, out, 16384); twice<1, 0>(in, out, 16384); twice<0, 1>(in, out, 16384); twice<1, 1>(in, out, 16384);
*/
// The second half of the blocks reads what the first half has read, and writes what that has written.
template <int LOAD, int STORE> __global__ void twice(const float *in, float *out, int words)
{
    const size_t mine = (size_t)(blockIdx.x % (gridDim.x / 2)) * words;
    for (int i = threadIdx.x; i < words; i += blockDim.x) stored<STORE>(out + mine + i, loaded<LOAD>(in + mine + i) + 1.0f);
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1024 }; float in[1 << 25] = zeros(); float out[1 << 25] = zeros();
   rows_hinted<0, 0>(in, out, 1024); rows_hinted<1, 0>(in, out, 1024); rows_hinted<0, 1>(in, out, 1024); rows_hinted<1, 1>(in, out, 1024); rows_hinted<2, 1>(in, out, 1024);
   rows_hinted<0, 2>(in, out, 1024); rows_hinted<0, 3>(in, out, 1024);
   rows_hinted<0, 0>(in, out, 640); rows_hinted<1, 0>(in, out, 640); rows_hinted<0, 1>(in, out, 640); rows_hinted<1, 1>(in, out, 640); rows_hinted<2, 1>(in, out, 640);
   rows_hinted<0, 2>(in, out, 640); rows_hinted<0, 3>(in, out, 640);
*/
// A warp goes through its row three times: the last time with a hint, and with stores with another.
template <int LOAD, int STORE> __global__ void rows_hinted(const float *in, float *out, int words)
{
    const int lane = threadIdx.x % 32;
    const size_t row = (size_t)(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * words;
    float mean = 0.0f;
    for (int pass = 0; pass < 2; pass++) {
        float sum = 0.0f;
        for (int i = lane; i < words; i += 32) sum += in[row + i] - mean;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
        mean = sum / words;
    }
    for (int i = lane; i < words; i += 32) stored<STORE>(out + row + i, loaded<LOAD>(in + row + i) - mean);
}
