// Arrays read, stored and changed in pieces, one row after another, as transposes and columns do: the rest of a row comes much later.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 32768 }; int rows = 8192;
   float4 a[8192 * 1040] = zeros(); float out[32] = zeros();
   pieces<2, 0>(a, out, rows, 1024); pieces<4, 0>(a, out, rows, 1024); pieces<8, 0>(a, out, rows, 1024); pieces<16, 0>(a, out, rows, 1024); pieces<64, 0>(a, out, rows, 1024);
   pieces<2, 0>(a, out, rows, 1040); pieces<4, 0>(a, out, rows, 1040); pieces<8, 0>(a, out, rows, 1040); pieces<16, 0>(a, out, rows, 1040); pieces<64, 0>(a, out, rows, 1040);
   pieces<2, 1>(a, out, rows, 1024); pieces<4, 1>(a, out, rows, 1024); pieces<8, 1>(a, out, rows, 1024); pieces<16, 1>(a, out, rows, 1024); pieces<64, 1>(a, out, rows, 1024);
   pieces<2, 1>(a, out, rows, 1040); pieces<4, 1>(a, out, rows, 1040); pieces<8, 1>(a, out, rows, 1040); pieces<16, 1>(a, out, rows, 1040); pieces<64, 1>(a, out, rows, 1040);
   pieces<2, 2>(a, out, rows, 1024); pieces<4, 2>(a, out, rows, 1024); pieces<8, 2>(a, out, rows, 1024); pieces<16, 2>(a, out, rows, 1024); pieces<64, 2>(a, out, rows, 1024);
   pieces<2, 2>(a, out, rows, 1040); pieces<4, 2>(a, out, rows, 1040); pieces<8, 2>(a, out, rows, 1040); pieces<16, 2>(a, out, rows, 1040); pieces<64, 2>(a, out, rows, 1040);
   pieces<1, 2>(a, out, rows, 1024); pieces<1, 2>(a, out, rows, 1040); pieces<1, 0>(a, out, rows, 1040); pieces<1, 1>(a, out, rows, 1040);
*/
// A piece is LANES float4; `rows` of `pitch` float4. WHAT 0: read, 1: stored, 2: changed.
template <int LANES, int WHAT> __global__ void pieces(float4 *a, float *out, int rows, int pitch)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, piece = t / LANES;
    float4 *mine = a + (size_t)(piece % rows) * pitch + piece / rows * LANES + t % LANES;
    float4 v = WHAT == 1 ? make_float4(t, t, t, t) : *mine;
    v.x += 1.0f;
    if (WHAT == 0) {
        if (v.x + v.y + v.z + v.w == 12345.678f) out[t % 32] = v.x;
    } else {
        *mine = v;
    }
}
