// Each thread goes along a row of its own, as naive code does: 32 lines a warp. Timed on a GPU and by the model of time, as
// patterns.cu; sectors that L2 read and wrote for it by ncu.

/* kmutate launch
   dim3 block = { 32 }; dim3 grid = { 132 };
   float a[64 << 20] = zeros(); float b[64 << 20] = zeros();
   own_rows<0>(a, b, 256, 512); own_rows<1>(a, b, 256, 512); own_rows<2>(a, b, 256, 512); own_rows<3>(a, b, 256, 512);
   own_rows<0>(a, b, 257, 512); own_rows<1>(a, b, 257, 512); own_rows<2>(a, b, 257, 512); own_rows<3>(a, b, 257, 512);
   own_rows<4>(a, b, 257, 512); own_rows<5>(a, b, 257, 512);
   block.x = 256;
   own_rows<0>(a, b, 256, 512); own_rows<1>(a, b, 256, 512); own_rows<2>(a, b, 256, 512); own_rows<3>(a, b, 256, 512);
   own_rows<0>(a, b, 257, 512); own_rows<1>(a, b, 257, 512); own_rows<2>(a, b, 257, 512); own_rows<3>(a, b, 257, 512);
   own_rows<4>(a, b, 257, 512); own_rows<5>(a, b, 257, 512);
   block.x = 512;
   own_rows<0>(a, b, 256, 512); own_rows<0>(a, b, 257, 512); own_rows<0>(a, b, 300, 512); own_rows<2>(a, b, 300, 512);
   block.x = 1024;
   own_rows<0>(a, b, 256, 512); own_rows<0>(a, b, 257, 512); own_rows<0>(a, b, 300, 512); own_rows<0>(a, b, 320, 512);
   own_rows<2>(a, b, 300, 512);
   block.x = 1024; grid.x = 264;
   own_rows<0>(a, b, 237, 237); own_rows<0>(a, b, 224, 224);
*/
// Rows of 256 or so words: read (0), written (1), read and written elsewhere (2), changed where they are (3), changed with what was
// written before (4), read twice (5). Rows are `pitch` apart; `steps` of them are gone along, again from the start if there are less.
template <int WHAT> __global__ void own_rows(float *a, float *b, int pitch, int steps)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float *p = a + (size_t)t * pitch, *q = b + (size_t)t * pitch;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        const int i = k < pitch ? k : k - pitch;
        if (WHAT == 0) sum += p[i];
        if (WHAT == 1) p[i] = sum + i;
        if (WHAT == 2) q[i] = p[i] * 0.5f;
        if (WHAT == 3) p[i] = p[i] * 0.5f + 1.0f;
        if (WHAT == 4) p[i] = p[i] * 0.5f + p[i ? i - 1 : 0];
        if (WHAT == 5) sum += p[i] * q[i];
    }
    if (sum == 12345.678f) a[t] = sum;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 1056 };
   unsigned char text[64 << 20] = zeros(); int out[1 << 19] = zeros();
   bytes_along(out, text, 448, 1); bytes_along(out, text, 448, 5); bytes_along(out, text, 512, 5); bytes_along(out, text, 449, 5);
   grid.x = 2112; bytes_along(out, text, 224, 1); bytes_along(out, text, 224, 5);
   grid.x = 528; bytes_along(out, text, 480, 1); bytes_along(out, text, 480, 5);
*/
// Bytes of a stretch of its own, `step` apart.
__global__ void bytes_along(int *out, const unsigned char *text, int stretch, int step)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *p = text + (size_t)t * stretch;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < stretch; k += step) sum += p[k] ^ k;
    out[t] = sum;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 132 };
   int out[1 << 18] = zeros(); int in[4096] = iota();
   kept_locally(out, in, 400, 1, 31); kept_locally(out, in, 400, 3, 31); kept_locally(out, in, 400, 8, 31);
   kept_locally(out, in, 400, 32, 31);
   grid.x = 1056; kept_locally(out, in, 400, 1, 31); kept_locally(out, in, 400, 3, 31); kept_locally(out, in, 400, 8, 31);
   kept_locally(out, in, 400, 32, 31);
*/
// An array of 32 words a thread that is indexed: lanes in so many groups want different words of theirs.
__global__ void kept_locally(int *out, const int *in, int steps, int groups, int mask)
{
    int kept[32];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 32; k++) kept[k] = in[k] + t;
    unsigned at = threadIdx.x % groups;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        kept[at & mask] += k;
        at = at * 5 + 7;
    }
    int sum = 0;
    for (int k = 0; k < 32; k++) sum += kept[(k + in[0]) & mask] * k;
    out[t] = sum;
}
