// Stores whose lanes lie apart, of one SM and of all, by few warps and many: what an SM and L2 take for them. Timed on a GPU and by
// the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   int out[1 << 28] = zeros();
   stride_stores(out, 2000, 1, 32, 1, 2112); stride_stores(out, 2000, 2, 8, 1, 1120); stride_stores(out, 2000, 4, 8, 1, 1184);
   stride_stores(out, 2000, 8, 8, 1, 1312); stride_stores(out, 2000, 16, 8, 1, 1568);
   stride_stores(out, 2000, 32, 8, 1, 2080); stride_stores(out, 2000, 64, 8, 1, 3104);
   stride_stores(out, 2000, 128, 8, 1, 5152); stride_stores(out, 2000, 256, 8, 1, 9248);
   stride_stores(out, 2000, 512, 8, 1, 17440); stride_stores(out, 2000, 1024, 8, 1, 33824);
   stride_stores(out, 2000, 1000, 8, 1, 33056); stride_stores(out, 2000, 1025, 8, 1, 33856);
   stride_stores(out, 2000, 1056, 8, 1, 34848); stride_stores(out, 2000, 1, 32, 1, 2112);
   stride_stores(out, 2000, 2, 1, 1, 1120); stride_stores(out, 2000, 4, 1, 1, 1184); stride_stores(out, 2000, 8, 1, 1, 1312);
   stride_stores(out, 2000, 16, 1, 1, 1568); stride_stores(out, 2000, 32, 1, 1, 2080);
   stride_stores(out, 2000, 64, 1, 1, 3104); stride_stores(out, 2000, 128, 1, 1, 5152);
   stride_stores(out, 2000, 256, 1, 1, 9248); stride_stores(out, 2000, 512, 1, 1, 17440);
   stride_stores(out, 2000, 1024, 1, 1, 33824); stride_stores(out, 2000, 1000, 1, 1, 33056);
   stride_stores(out, 2000, 1025, 1, 1, 33856); stride_stores(out, 2000, 1056, 1, 1, 34848);
   stride_stores(out, 2000, 1, 0, 0, 2112); stride_stores(out, 2000, 2, 0, 0, 1120); stride_stores(out, 2000, 4, 0, 0, 1184);
   stride_stores(out, 2000, 8, 0, 0, 1312); stride_stores(out, 2000, 16, 0, 0, 1568);
   stride_stores(out, 2000, 32, 0, 0, 2080); stride_stores(out, 2000, 64, 0, 0, 3104);
   stride_stores(out, 2000, 128, 0, 0, 5152); stride_stores(out, 2000, 256, 0, 0, 9248);
   stride_stores(out, 2000, 512, 0, 0, 17440); stride_stores(out, 2000, 1024, 0, 0, 33824);
   stride_stores(out, 2000, 1000, 0, 0, 33056); stride_stores(out, 2000, 1025, 0, 0, 33856);
   stride_stores(out, 2000, 1056, 0, 0, 34848);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 256 };
   int out[1 << 28] = zeros();
   stride_stores(out, 500, 1, 32, 1, 2112); stride_stores(out, 500, 2, 8, 1, 1120); stride_stores(out, 500, 4, 8, 1, 1184);
   stride_stores(out, 500, 8, 8, 1, 1312); stride_stores(out, 500, 16, 8, 1, 1568); stride_stores(out, 500, 32, 8, 1, 2080);
   stride_stores(out, 500, 64, 8, 1, 3104); stride_stores(out, 500, 128, 8, 1, 5152);
   stride_stores(out, 500, 256, 8, 1, 9248); stride_stores(out, 500, 512, 8, 1, 17440);
   stride_stores(out, 500, 1024, 8, 1, 33824); stride_stores(out, 500, 1000, 8, 1, 33056);
   stride_stores(out, 500, 1025, 8, 1, 33856); stride_stores(out, 500, 1056, 8, 1, 34848);
   stride_stores(out, 500, 1, 32, 1, 2112); stride_stores(out, 500, 2, 1, 1, 1120); stride_stores(out, 500, 4, 1, 1, 1184);
   stride_stores(out, 500, 8, 1, 1, 1312); stride_stores(out, 500, 16, 1, 1, 1568); stride_stores(out, 500, 32, 1, 1, 2080);
   stride_stores(out, 500, 64, 1, 1, 3104); stride_stores(out, 500, 128, 1, 1, 5152);
   stride_stores(out, 500, 256, 1, 1, 9248); stride_stores(out, 500, 512, 1, 1, 17440);
   stride_stores(out, 500, 1024, 1, 1, 33824); stride_stores(out, 500, 1000, 1, 1, 33056);
   stride_stores(out, 500, 1025, 1, 1, 33856); stride_stores(out, 500, 1056, 1, 1, 34848);
   stride_stores(out, 500, 1, 0, 0, 2112); stride_stores(out, 500, 2, 0, 0, 1120); stride_stores(out, 500, 4, 0, 0, 1184);
   stride_stores(out, 500, 8, 0, 0, 1312); stride_stores(out, 500, 16, 0, 0, 1568); stride_stores(out, 500, 32, 0, 0, 2080);
   stride_stores(out, 500, 64, 0, 0, 3104); stride_stores(out, 500, 128, 0, 0, 5152);
   stride_stores(out, 500, 256, 0, 0, 9248); stride_stores(out, 500, 512, 0, 0, 17440);
   stride_stores(out, 500, 1024, 0, 0, 33824); stride_stores(out, 500, 1000, 0, 0, 33056);
   stride_stores(out, 500, 1025, 0, 0, 33856); stride_stores(out, 500, 1056, 0, 0, 34848);
*/
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 1024 };
   int out[1 << 28] = zeros();
   stride_stores(out, 200, 1, 32, 1, 2112); stride_stores(out, 200, 2, 8, 1, 1120); stride_stores(out, 200, 4, 8, 1, 1184);
   stride_stores(out, 200, 8, 8, 1, 1312); stride_stores(out, 200, 16, 8, 1, 1568); stride_stores(out, 200, 32, 8, 1, 2080);
   stride_stores(out, 200, 64, 8, 1, 3104); stride_stores(out, 200, 128, 8, 1, 5152);
   stride_stores(out, 200, 256, 8, 1, 9248); stride_stores(out, 200, 512, 8, 1, 17440);
   stride_stores(out, 200, 1024, 8, 1, 33824); stride_stores(out, 200, 1000, 8, 1, 33056);
   stride_stores(out, 200, 1025, 8, 1, 33856); stride_stores(out, 200, 1056, 8, 1, 34848);
   stride_stores(out, 200, 1, 32, 1, 2112); stride_stores(out, 200, 2, 1, 1, 1120); stride_stores(out, 200, 4, 1, 1, 1184);
   stride_stores(out, 200, 8, 1, 1, 1312); stride_stores(out, 200, 16, 1, 1, 1568); stride_stores(out, 200, 32, 1, 1, 2080);
   stride_stores(out, 200, 64, 1, 1, 3104); stride_stores(out, 200, 128, 1, 1, 5152);
   stride_stores(out, 200, 256, 1, 1, 9248); stride_stores(out, 200, 512, 1, 1, 17440);
   stride_stores(out, 200, 1024, 1, 1, 33824); stride_stores(out, 200, 1000, 1, 1, 33056);
   stride_stores(out, 200, 1025, 1, 1, 33856); stride_stores(out, 200, 1056, 1, 1, 34848);
   stride_stores(out, 200, 1, 0, 0, 2112); stride_stores(out, 200, 2, 0, 0, 1120); stride_stores(out, 200, 4, 0, 0, 1184);
   stride_stores(out, 200, 8, 0, 0, 1312); stride_stores(out, 200, 16, 0, 0, 1568); stride_stores(out, 200, 32, 0, 0, 2080);
   stride_stores(out, 200, 64, 0, 0, 3104); stride_stores(out, 200, 128, 0, 0, 5152);
   stride_stores(out, 200, 256, 0, 0, 9248); stride_stores(out, 200, 512, 0, 0, 17440);
   stride_stores(out, 200, 1024, 0, 0, 33824); stride_stores(out, 200, 1000, 0, 0, 33056);
   stride_stores(out, 200, 1025, 0, 0, 33856); stride_stores(out, 200, 1056, 0, 0, 34848);
*/
/* kmutate launch
   dim3 grid = { 16 }; dim3 block = { 256 };
   int out[1 << 28] = zeros();
   stride_stores(out, 500, 1, 32, 1, 2112); stride_stores(out, 500, 2, 8, 1, 1120); stride_stores(out, 500, 4, 8, 1, 1184);
   stride_stores(out, 500, 8, 8, 1, 1312); stride_stores(out, 500, 16, 8, 1, 1568); stride_stores(out, 500, 32, 8, 1, 2080);
   stride_stores(out, 500, 64, 8, 1, 3104); stride_stores(out, 500, 128, 8, 1, 5152);
   stride_stores(out, 500, 256, 8, 1, 9248); stride_stores(out, 500, 512, 8, 1, 17440);
   stride_stores(out, 500, 1024, 8, 1, 33824); stride_stores(out, 500, 1000, 8, 1, 33056);
   stride_stores(out, 500, 1025, 8, 1, 33856); stride_stores(out, 500, 1056, 8, 1, 34848);
   stride_stores(out, 500, 1, 32, 1, 2112); stride_stores(out, 500, 2, 1, 1, 1120); stride_stores(out, 500, 4, 1, 1, 1184);
   stride_stores(out, 500, 8, 1, 1, 1312); stride_stores(out, 500, 16, 1, 1, 1568); stride_stores(out, 500, 32, 1, 1, 2080);
   stride_stores(out, 500, 64, 1, 1, 3104); stride_stores(out, 500, 128, 1, 1, 5152);
   stride_stores(out, 500, 256, 1, 1, 9248); stride_stores(out, 500, 512, 1, 1, 17440);
   stride_stores(out, 500, 1024, 1, 1, 33824); stride_stores(out, 500, 1000, 1, 1, 33056);
   stride_stores(out, 500, 1025, 1, 1, 33856); stride_stores(out, 500, 1056, 1, 1, 34848);
   stride_stores(out, 500, 1, 0, 0, 2112); stride_stores(out, 500, 2, 0, 0, 1120); stride_stores(out, 500, 4, 0, 0, 1184);
   stride_stores(out, 500, 8, 0, 0, 1312); stride_stores(out, 500, 16, 0, 0, 1568); stride_stores(out, 500, 32, 0, 0, 2080);
   stride_stores(out, 500, 64, 0, 0, 3104); stride_stores(out, 500, 128, 0, 0, 5152);
   stride_stores(out, 500, 256, 0, 0, 9248); stride_stores(out, 500, 512, 0, 0, 17440);
   stride_stores(out, 500, 1024, 0, 0, 33824); stride_stores(out, 500, 1000, 0, 0, 33056);
   stride_stores(out, 500, 1025, 0, 0, 33856); stride_stores(out, 500, 1056, 0, 0, 34848);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[1 << 28] = zeros();
   stride_stores(out, 1000, 1, 32, 1, 2112); stride_stores(out, 1000, 2, 8, 1, 1120); stride_stores(out, 1000, 4, 8, 1, 1184);
   stride_stores(out, 1000, 8, 8, 1, 1312); stride_stores(out, 1000, 16, 8, 1, 1568);
   stride_stores(out, 1000, 32, 8, 1, 2080); stride_stores(out, 1000, 64, 8, 1, 3104);
   stride_stores(out, 1000, 128, 8, 1, 5152); stride_stores(out, 1000, 256, 8, 1, 9248);
   stride_stores(out, 1000, 512, 8, 1, 17440); stride_stores(out, 1000, 1024, 8, 1, 33824);
   stride_stores(out, 1000, 1000, 8, 1, 33056); stride_stores(out, 1000, 1025, 8, 1, 33856);
   stride_stores(out, 1000, 1056, 8, 1, 34848); stride_stores(out, 1000, 1, 32, 1, 2112);
   stride_stores(out, 1000, 2, 1, 1, 1120); stride_stores(out, 1000, 4, 1, 1, 1184); stride_stores(out, 1000, 8, 1, 1, 1312);
   stride_stores(out, 1000, 16, 1, 1, 1568); stride_stores(out, 1000, 32, 1, 1, 2080);
   stride_stores(out, 1000, 64, 1, 1, 3104); stride_stores(out, 1000, 128, 1, 1, 5152);
   stride_stores(out, 1000, 256, 1, 1, 9248); stride_stores(out, 1000, 512, 1, 1, 17440);
   stride_stores(out, 1000, 1024, 1, 1, 33824); stride_stores(out, 1000, 1000, 1, 1, 33056);
   stride_stores(out, 1000, 1025, 1, 1, 33856); stride_stores(out, 1000, 1056, 1, 1, 34848);
   stride_stores(out, 1000, 1, 0, 0, 2112); stride_stores(out, 1000, 2, 0, 0, 1120); stride_stores(out, 1000, 4, 0, 0, 1184);
   stride_stores(out, 1000, 8, 0, 0, 1312); stride_stores(out, 1000, 16, 0, 0, 1568);
   stride_stores(out, 1000, 32, 0, 0, 2080); stride_stores(out, 1000, 64, 0, 0, 3104);
   stride_stores(out, 1000, 128, 0, 0, 5152); stride_stores(out, 1000, 256, 0, 0, 9248);
   stride_stores(out, 1000, 512, 0, 0, 17440); stride_stores(out, 1000, 1024, 0, 0, 33824);
   stride_stores(out, 1000, 1000, 0, 0, 33056); stride_stores(out, 1000, 1025, 0, 0, 33856);
   stride_stores(out, 1000, 1056, 0, 0, 34848);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   int out[1 << 28] = zeros();
   stride_stores(out, 200, 1, 32, 1, 2112); stride_stores(out, 200, 2, 8, 1, 1120); stride_stores(out, 200, 4, 8, 1, 1184);
   stride_stores(out, 200, 8, 8, 1, 1312); stride_stores(out, 200, 16, 8, 1, 1568); stride_stores(out, 200, 32, 8, 1, 2080);
   stride_stores(out, 200, 64, 8, 1, 3104); stride_stores(out, 200, 128, 8, 1, 5152);
   stride_stores(out, 200, 256, 8, 1, 9248); stride_stores(out, 200, 512, 8, 1, 17440);
   stride_stores(out, 200, 1024, 8, 1, 33824); stride_stores(out, 200, 1000, 8, 1, 33056);
   stride_stores(out, 200, 1025, 8, 1, 33856); stride_stores(out, 200, 1056, 8, 1, 34848);
   stride_stores(out, 200, 1, 32, 1, 2112); stride_stores(out, 200, 2, 1, 1, 1120); stride_stores(out, 200, 4, 1, 1, 1184);
   stride_stores(out, 200, 8, 1, 1, 1312); stride_stores(out, 200, 16, 1, 1, 1568); stride_stores(out, 200, 32, 1, 1, 2080);
   stride_stores(out, 200, 64, 1, 1, 3104); stride_stores(out, 200, 128, 1, 1, 5152);
   stride_stores(out, 200, 256, 1, 1, 9248); stride_stores(out, 200, 512, 1, 1, 17440);
   stride_stores(out, 200, 1024, 1, 1, 33824); stride_stores(out, 200, 1000, 1, 1, 33056);
   stride_stores(out, 200, 1025, 1, 1, 33856); stride_stores(out, 200, 1056, 1, 1, 34848);
   stride_stores(out, 200, 1, 0, 0, 2112); stride_stores(out, 200, 2, 0, 0, 1120); stride_stores(out, 200, 4, 0, 0, 1184);
   stride_stores(out, 200, 8, 0, 0, 1312); stride_stores(out, 200, 16, 0, 0, 1568); stride_stores(out, 200, 32, 0, 0, 2080);
   stride_stores(out, 200, 64, 0, 0, 3104); stride_stores(out, 200, 128, 0, 0, 5152);
   stride_stores(out, 200, 256, 0, 0, 9248); stride_stores(out, 200, 512, 0, 0, 17440);
   stride_stores(out, 200, 1024, 0, 0, 33824); stride_stores(out, 200, 1000, 0, 0, 33056);
   stride_stores(out, 200, 1025, 0, 0, 33856); stride_stores(out, 200, 1056, 0, 0, 34848);
*/
/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 1024 };
   int out[1 << 28] = zeros();
   stride_stores(out, 100, 1, 32, 1, 2112); stride_stores(out, 100, 2, 8, 1, 1120); stride_stores(out, 100, 4, 8, 1, 1184);
   stride_stores(out, 100, 8, 8, 1, 1312); stride_stores(out, 100, 16, 8, 1, 1568); stride_stores(out, 100, 32, 8, 1, 2080);
   stride_stores(out, 100, 64, 8, 1, 3104); stride_stores(out, 100, 128, 8, 1, 5152);
   stride_stores(out, 100, 256, 8, 1, 9248); stride_stores(out, 100, 512, 8, 1, 17440);
   stride_stores(out, 100, 1024, 8, 1, 33824); stride_stores(out, 100, 1000, 8, 1, 33056);
   stride_stores(out, 100, 1025, 8, 1, 33856); stride_stores(out, 100, 1056, 8, 1, 34848);
   stride_stores(out, 100, 1, 32, 1, 2112); stride_stores(out, 100, 2, 1, 1, 1120); stride_stores(out, 100, 4, 1, 1, 1184);
   stride_stores(out, 100, 8, 1, 1, 1312); stride_stores(out, 100, 16, 1, 1, 1568); stride_stores(out, 100, 32, 1, 1, 2080);
   stride_stores(out, 100, 64, 1, 1, 3104); stride_stores(out, 100, 128, 1, 1, 5152);
   stride_stores(out, 100, 256, 1, 1, 9248); stride_stores(out, 100, 512, 1, 1, 17440);
   stride_stores(out, 100, 1024, 1, 1, 33824); stride_stores(out, 100, 1000, 1, 1, 33056);
   stride_stores(out, 100, 1025, 1, 1, 33856); stride_stores(out, 100, 1056, 1, 1, 34848);
   stride_stores(out, 100, 1, 0, 0, 2112); stride_stores(out, 100, 2, 0, 0, 1120); stride_stores(out, 100, 4, 0, 0, 1184);
   stride_stores(out, 100, 8, 0, 0, 1312); stride_stores(out, 100, 16, 0, 0, 1568); stride_stores(out, 100, 32, 0, 0, 2080);
   stride_stores(out, 100, 64, 0, 0, 3104); stride_stores(out, 100, 128, 0, 0, 5152);
   stride_stores(out, 100, 256, 0, 0, 9248); stride_stores(out, 100, 512, 0, 0, 17440);
   stride_stores(out, 100, 1024, 0, 0, 33824); stride_stores(out, 100, 1000, 0, 0, 33056);
   stride_stores(out, 100, 1025, 0, 0, 33856); stride_stores(out, 100, 1056, 0, 0, 34848);
*/
// A lane's words are `stride` apart, a warp's `region`; it moves by `step` words each time, or (once == 0) stays where it is.
__global__ void stride_stores(int *out, int steps, int stride, int step, int once, long long region)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int *to = out + (size_t)warp * region + (size_t)lane * stride;
#pragma unroll 8
    for (int k = 0; k < steps; k++) to[once * (k * step % 1024)] = k;
}
