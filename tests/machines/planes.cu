// Short runs of an image's pixels, written in each of several planes: parts of sectors, far apart.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int pixels = 2000000; dim3 block = { 512 }; dim3 grid = { (pixels + 512 - 1) / 512 };
   float out[48000000] = zeros();
   runs_in_planes(out, pixels, 21, 4, 64, 0); runs_in_planes(out, pixels, 21, 1, 64, 0); runs_in_planes(out, pixels, 21, 4, 256, 0);
   runs_in_planes(out, pixels, 21, 8, 64, 0); runs_in_planes(out, pixels, 21, 16, 128, 0); runs_in_planes(out, pixels, 21, 4, 100, 0);
   runs_in_planes(out, pixels, 21, 4, 100, 3); runs_in_planes(out, pixels, 1, 4, 16, 0); runs_in_planes(out, pixels, 4, 4, 16, 0);
   runs_in_planes(out, pixels, 21, 500, 10000, 0); runs_in_planes(out, pixels, 21, 12, 500, 1); runs_in_planes(out, pixels, 21, 2, 64, 7);
*/
// Of each `period` pixels the first `run` are set in each of the `planes`; each row of 500 begins `shift` pixels on.
__global__ void runs_in_planes(float *out, int pixels, int planes, int run, int period, int shift)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    if ((i + i / 500 * shift) % period < run)
        for (int p = 0; p < planes; p++) out[p * pixels + i] = 0.0f;
}

/* kmutate launch
   int pixels = 2000000; dim3 block = { 512 }; dim3 grid = { (pixels + 512 - 1) / 512 };
   float out[48000000] = zeros(); float all[2000000] = zeros();
   runs_and_all(out, all, pixels, 21, 4, 64, 0); runs_and_all(out, all, pixels, 21, 4, 100, 3); runs_and_all(out, all, pixels, 21, 12, 500, 1);
   runs_and_all(out, all, pixels, 21, 500, 10000, 0);
*/
// The same, and one more plane as a whole.
__global__ void runs_and_all(float *out, float *all, int pixels, int planes, int run, int period, int shift)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    const bool mine = (i + i / 500 * shift) % period < run;
    if (mine)
        for (int p = 0; p < planes; p++) out[p * pixels + i] = 0.0f;
    all[i] = mine;
}

/* kmutate launch
   int pixels = 2000000; dim3 block = { 512 }; dim3 grid = { (pixels + 512 - 1) / 512 };
   float out[48000000] = zeros();
   one_plane_each(out, pixels, 21, 500); one_plane_each(out, pixels, 21, 100); one_plane_each(out, pixels, 21, 36); one_plane_each(out, pixels, 21, 13);
   one_plane_each(out, pixels, 3, 36); one_plane_each(out, pixels, 21, 5);
   block.x = 256; grid.x = (pixels + 256 - 1) / 256; one_plane_each(out, pixels, 21, 36);
*/
// A pixel is changed in one plane, another one for each `run` pixels.
__global__ void one_plane_each(float *out, int pixels, int planes, int run)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    out[i / run * 7 % planes * pixels + i] -= 1.0f;
}

/* kmutate launch
   int pixels = 2000000; dim3 block = { 512 }; dim3 grid = { (pixels + 512 - 1) / 512 };
   float out[48000000] = zeros();
   set_in_plane(out, pixels, 21, 500); set_in_plane(out, pixels, 21, 36); set_in_plane(out, pixels, 21, 13); set_in_plane(out, pixels, 21, 5);
*/
// The same, only set.
__global__ void set_in_plane(float *out, int pixels, int planes, int run)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) out[i / run * 7 % planes * pixels + i] = 1.0f;
}

/* kmutate launch
   int pixels = 2000000; dim3 block = { 512 }; dim3 grid = { (pixels + 511) / 512 };
   float out[48000000] = zeros(); float all[2000000] = zeros(); float in[2000000] = zeros();
   borders<1>(out, all, in, pixels, 21, 6); borders<3>(out, all, in, pixels, 21, 6); borders<7>(out, all, in, pixels, 21, 6);
   borders<15>(out, all, in, pixels, 21, 6); borders<23>(out, all, in, pixels, 21, 6); borders<9>(out, all, in, pixels, 21, 6);
   borders<8>(out, all, in, pixels, 21, 6); borders<16>(out, all, in, pixels, 21, 6); borders<10>(out, all, in, pixels, 21, 6);
   borders<15>(out, all, in, pixels, 21, 3); borders<15>(out, all, in, pixels, 5, 6); borders<11>(out, all, in, pixels, 21, 6);
*/
// Tiles of an image with borders `wide`: border pixels are set in all planes (1), others in their tile's (8) or changed (16);
// which they are is stored, too (2), and all read something (4).
template <int WHAT> __global__ void borders(float *out, float *all, const float *in, int pixels, int planes, int wide)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    const int y = i / 500, x = i % 500, tile = (y / 97 * 31 + (x + y / 5) / 53 * 17) % planes;
    const float more = WHAT & 4 ? in[i] : 0.0f;
    if ((x + y / 5) % 53 < wide) {
        if (WHAT & 1)
            for (int p = 0; p < planes; p++) out[p * pixels + i] = more;
        if (WHAT & 2) all[i] = 0.0f;
    } else {
        if (WHAT & 8) out[tile * pixels + i] = more;
        if (WHAT & 16) out[tile * pixels + i] -= 1.0f + more;
        if (WHAT & 2) all[i] = 1.0f;
    }
}
