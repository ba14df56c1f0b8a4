// Streams of a few MB to many: what L2 keeps of what was written, and when it goes to DRAM. Timed on a GPU and by the model of
// time, as patterns.cu; sectors that DRAM read and wrote by ncu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 };
   float4 a[1 << 24] = zeros(); float4 b[1 << 24] = zeros();
   stream<0>(a, b, 1 << 18, 1); stream<0>(a, b, 1 << 19, 1); stream<0>(a, b, 1 << 20, 1); stream<0>(a, b, 3 << 19, 1);
   stream<0>(a, b, 1 << 21, 1); stream<0>(a, b, 5 << 19, 1); stream<0>(a, b, 3 << 20, 1); stream<0>(a, b, 1 << 22, 1);
   stream<0>(a, b, 1 << 23, 1); stream<0>(a, b, 1 << 24, 1);
   stream<1>(a, b, 1 << 18, 1); stream<1>(a, b, 1 << 19, 1); stream<1>(a, b, 1 << 20, 1); stream<1>(a, b, 3 << 19, 1);
   stream<1>(a, b, 1 << 21, 1); stream<1>(a, b, 1 << 22, 1); stream<1>(a, b, 1 << 24, 1);
   stream<2>(a, b, 1 << 19, 1); stream<2>(a, b, 1 << 20, 1); stream<2>(a, b, 3 << 19, 1); stream<2>(a, b, 1 << 21, 1);
   stream<2>(a, b, 1 << 22, 1); stream<2>(a, b, 1 << 24, 1);
   stream<3>(a, b, 1 << 19, 1); stream<3>(a, b, 1 << 20, 1); stream<3>(a, b, 1 << 21, 1); stream<3>(a, b, 1 << 22, 1);
   stream<3>(a, b, 1 << 24, 1);
   stream<4>(a, b, 1 << 21, 1); stream<4>(a, b, 1 << 22, 1); stream<4>(a, b, 1 << 24, 1);
   stream<0>(a, b, 1 << 19, 8); stream<0>(a, b, 1 << 20, 8); stream<0>(a, b, 3 << 19, 8); stream<0>(a, b, 1 << 21, 8);
   stream<0>(a, b, 3 << 20, 4); stream<2>(a, b, 1 << 20, 8); stream<2>(a, b, 3 << 19, 8); stream<2>(a, b, 1 << 21, 8);
*/
// `turns` times 16 bytes a thread of so many: written (0), copied (1), changed where they are (2), one written of four read (3), of
// sixteen (4).
template <int WHAT> __global__ void stream(float4 *a, const float4 *b, unsigned count, int turns)
{
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
            float4 v = make_float4(turn, 1.0f, 2.0f, 3.0f);
            if (WHAT == 1 || WHAT > 2) v = b[i];
            if (WHAT == 2) v = a[i];
            v.x += 1.0f;
            if (WHAT < 3) a[i] = v;
            else if (i >> 5 & (WHAT == 3 ? 3 : 15)) sum += v.x + v.y + v.z + v.w;
            else a[i] = v;
        }
    if (sum == 12345.678f) a[threadIdx.x].x = sum;
}
