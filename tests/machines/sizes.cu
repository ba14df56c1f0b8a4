// Arrays of 4 MB to 512 that are gone through once: what DRAM and L2 do at first, and what when it goes on. Timed on a GPU and by the
// model of time, as patterns.cu; sectors that DRAM read and wrote by ncu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1024 };
   float4 a[1 << 25] = zeros(); float4 b[1 << 25] = zeros(); float4 c[1 << 23] = zeros();
   once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 2048; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 4096; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 6144; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 8192; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 12288; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 16384; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 24576; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 32768; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c); once<4>(a, b, c);
   grid.x = 49152; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c);
   grid.x = 65536; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c);
   grid.x = 131072; once<0>(a, b, c); once<1>(a, b, c); once<2>(a, b, c); once<3>(a, b, c);
*/
// 16 bytes a thread: written (0), copied (1), changed where they are (2), read (3), written where a quarter as many are read (4).
template <int WHAT> __global__ void once(float4 *a, const float4 *b, const float4 *c)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    float4 v = make_float4(i, 1.0f, 2.0f, 3.0f);
    if (WHAT == 1 || WHAT == 3) v = b[i];
    if (WHAT == 2) v = a[i];
    if (WHAT == 4) v.y = ((const float *)c)[i];
    v.x += 1.0f;
    if (WHAT != 3 || v.x + v.y + v.z + v.w == 12345.678f) a[i] = v;
}
