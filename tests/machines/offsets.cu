// Tiles of rows that begin within a sector, or with one, as those of stencils with a rim do: stores, changes in place and copies, of one
// plane a block or of many. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

/* kmutate launch
   int nx = 392, ny = 264, nz = 192; dim3 block = { 32, 8 }; dim3 grid = { 12, 32, 192 };
   float a[nx * ny * nz] = zeros(); float b[nx * ny * nz] = zeros();
   offset_tiles<0>(a, b, nx, ny, 0, 1); offset_tiles<0>(a, b, nx, ny, 1, 1); offset_tiles<0>(a, b, nx, ny, 4, 1); offset_tiles<0>(a, b, nx, ny, 8, 1);
   offset_tiles<1>(a, b, nx, ny, 0, 1); offset_tiles<1>(a, b, nx, ny, 1, 1); offset_tiles<1>(a, b, nx, ny, 4, 1); offset_tiles<1>(a, b, nx, ny, 8, 1);
   offset_tiles<2>(a, b, nx, ny, 0, 1); offset_tiles<2>(a, b, nx, ny, 1, 1); offset_tiles<2>(a, b, nx, ny, 4, 1); offset_tiles<2>(a, b, nx, ny, 8, 1);
   grid.z = 4;
   offset_tiles<0>(a, b, nx, ny, 0, 48); offset_tiles<0>(a, b, nx, ny, 1, 48); offset_tiles<0>(a, b, nx, ny, 4, 48); offset_tiles<0>(a, b, nx, ny, 8, 48);
   offset_tiles<1>(a, b, nx, ny, 0, 48); offset_tiles<1>(a, b, nx, ny, 1, 48); offset_tiles<1>(a, b, nx, ny, 4, 48); offset_tiles<1>(a, b, nx, ny, 8, 48);
   offset_tiles<2>(a, b, nx, ny, 0, 48); offset_tiles<2>(a, b, nx, ny, 1, 48); offset_tiles<2>(a, b, nx, ny, 4, 48); offset_tiles<2>(a, b, nx, ny, 8, 48);
   block.x = 64; block.y = 4; grid.x = 6; grid.y = 64;
   offset_tiles<0>(a, b, nx, ny, 4, 48); offset_tiles<1>(a, b, nx, ny, 4, 48); offset_tiles<2>(a, b, nx, ny, 4, 48);
*/
// WHAT: 0 stores, 1 changes in place, 2 copies.
template <int WHAT> __global__ void offset_tiles(float *a, const float *b, int nx, int ny, int off, int depth)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + off, y = blockIdx.y * blockDim.y + threadIdx.y;
    int at = (blockIdx.z * depth * ny + y) * nx + x;
    for (int z = 0; z < depth; z++, at += nx * ny) {
        if (WHAT == 0) a[at] = 1.0f;
        if (WHAT == 1) a[at] = a[at] * 0.5f + 1.0f;
        if (WHAT == 2) a[at] = b[at];
    }
}
