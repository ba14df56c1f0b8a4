// Fields of rows that are no whole lines, read here and beside, and changed where they are or written elsewhere. Timed on a GPU
// and by the model of time, as patterns.cu.

/* kmutate launch
   int nx = 240, ny = 232, nz = 200; dim3 block = { 32, 8 }; dim3 grid = { 8, 29, 200 };
   float a[nx * ny * nz] = zeros(); float b[nx * ny * nz] = zeros(); float c[nx * ny * nz] = zeros();
   float x[nx * ny * nz] = zeros(); float y[nx * ny * nz] = zeros(); float z[nx * ny * nz] = zeros();
   fields<0, 1>(a, b, c, x, y, z, nx, ny, nz, nx); fields<1, 1>(a, b, c, x, y, z, nx, ny, nz, nx); fields<2, 1>(a, b, c, x, y, z, nx, ny, nz, nx);
   fields<0, 0>(a, b, c, x, y, z, nx, ny, nz, nx); fields<1, 0>(a, b, c, x, y, z, nx, ny, nz, nx); fields<2, 0>(a, b, c, x, y, z, nx, ny, nz, nx);
   fields<3, 1>(a, b, c, x, y, z, nx, ny, nz, nx); fields<4, 1>(a, b, c, x, y, z, nx, ny, nz, nx); fields<3, 0>(a, b, c, x, y, z, nx, ny, nz, nx); fields<4, 0>(a, b, c, x, y, z, nx, ny, nz, nx);
   nx = 256; fields<0, 1>(a, b, c, x, y, z, nx, ny, 187, nx); fields<1, 1>(a, b, c, x, y, z, nx, ny, 187, nx); fields<2, 1>(a, b, c, x, y, z, nx, ny, 187, nx);
   fields<3, 1>(a, b, c, x, y, z, nx, ny, 187, nx); fields<4, 1>(a, b, c, x, y, z, nx, ny, 187, nx); fields<4, 0>(a, b, c, x, y, z, nx, ny, 187, nx);
*/
// 0: x, y and z follow from a, b and c; 1: from a, b, c and what lies beside in three directions; 2: only one of each; 3: as 1, but
// all but the last of each direction; 4: as 1, of one field that is written. CHANGED: x, y and z are changed where they are, else
// written only.
template <int WHAT, int CHANGED> __global__ void fields(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
                                                        float *__restrict__ x, float *__restrict__ y, float *__restrict__ z, int nx, int ny,
                                                        int nz, int row)
{
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, k = blockIdx.z;
    const int less = WHAT == 3;
    if (i >= nx - less || j >= ny - less || k >= nz - (WHAT > 0)) return;
    const int plane = row * ny, at = k * plane + j * row + i;
    const int right = i + 1 < nx ? at + 1 : at, below = j + 1 < ny ? at + row : at, behind = at + plane;
    float p = a[at], q = 0.0f, r = 0.0f;
    if (WHAT != 2) { q = b[at]; r = c[at]; }
    if (WHAT == 1 || WHAT >= 3) {
        p += c[below] - b[behind]; q += a[behind] - c[right]; r += b[right] - a[below];
    }
    x[at] = CHANGED ? x[at] * 0.5f + p : p;
    if (WHAT != 2 && WHAT != 4) {
        y[at] = CHANGED ? y[at] * 0.5f + q : q;
        z[at] = CHANGED ? z[at] * 0.5f + r : r;
    } else if (q + r == 1.0f) y[at] = q;
}

/* kmutate launch
   int n = 11136000; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float x[11200000] = zeros(); float y[11200000] = zeros(); float z[11200000] = zeros(); float a[11200000] = zeros();
   shifted<3>(x, y, z, a, 0); shifted<3>(x, y, z, a, 8); shifted<3>(x, y, z, a, 16); shifted<3>(x, y, z, a, 24); shifted<3>(x, y, z, a, 1); shifted<3>(x, y, z, a, 4);
   shifted<1>(x, y, z, a, 0); shifted<1>(x, y, z, a, 8); shifted<1>(x, y, z, a, 16); shifted<1>(x, y, z, a, 1);
   block.x = 32; grid.x = n / 32; shifted<3>(x, y, z, a, 0); shifted<3>(x, y, z, a, 8); shifted<3>(x, y, z, a, 16); shifted<3>(x, y, z, a, 1);
*/
/* kmutate launch
   int n = 44544000; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float x[44608000] = zeros(); float y[44608000] = zeros(); float z[44608000] = zeros(); float a[44608000] = zeros();
   shifted<1>(x, y, z, a, 0); shifted<1>(x, y, z, a, 8); shifted<1>(x, y, z, a, 16); shifted<1>(x, y, z, a, 1);
   n = 22272000; grid.x = n / 256; shifted<1>(x, y, z, a, 0); shifted<1>(x, y, z, a, 8); shifted<3>(x, y, z, a, 0); shifted<3>(x, y, z, a, 8);
   n = 5568000; grid.x = n / 256; shifted<1>(x, y, z, a, 0); shifted<1>(x, y, z, a, 8); shifted<3>(x, y, z, a, 0); shifted<3>(x, y, z, a, 8);
*/
// Changed where they are, so many fields, by warps that begin within a line.
template <int FIELDS> __global__ void shifted(float *__restrict__ x, float *__restrict__ y, float *__restrict__ z,
                                              const float *__restrict__ a, int off)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + off;
    const float p = a[i];
    x[i] = x[i] * 0.5f + p;
    if (FIELDS > 1) {
        y[i] = y[i] * 0.5f + p;
        z[i] = z[i] * 0.5f - p;
    }
}

/* kmutate launch
   int nx = 248, ny = 232, nz = 190; dim3 block = { 32, 8 }; dim3 grid = { 8, 29, 190 };
   float a[240 * 232 * 200] = zeros(); float b[240 * 232 * 200] = zeros(); float c[240 * 232 * 200] = zeros();
   float x[240 * 232 * 200] = zeros(); float y[240 * 232 * 200] = zeros(); float z[240 * 232 * 200] = zeros();
   changed_rows(a, b, c, x, y, z, nx, ny, nz); nx = 244; changed_rows(a, b, c, x, y, z, nx, ny, nz); nx = 240; changed_rows(a, b, c, x, y, z, nx, ny, nz);
   nx = 256; changed_rows(a, b, c, x, y, z, 256, 232, 187);
   block.x = 64; block.y = 4; grid.x = 4; grid.y = 58; nx = 240; changed_rows(a, b, c, x, y, z, nx, ny, nz);
   block.x = 256; block.y = 1; grid.x = 1; grid.y = 232; changed_rows(a, b, c, x, y, z, nx, ny, nz);
*/
__global__ void changed_rows(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
                             float *__restrict__ x, float *__restrict__ y, float *__restrict__ z, int nx, int ny, int nz)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    const int at = (k * ny + j) * nx + i;
    x[at] = x[at] * 0.5f + a[at];
    y[at] = y[at] * 0.5f + b[at];
    z[at] = z[at] * 0.5f + c[at];
}
