// Jumps by a table, whose targets a warp's lanes share or not.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[132 * 1024] = zeros();
   table_of(out, 1000, 1); table_of(out, 1000, 2); table_of(out, 1000, 4); table_of(out, 1000, 8); table_of(out, 1000, 16);
   block.x = 128; table_of(out, 1000, 1); table_of(out, 1000, 2); table_of(out, 1000, 16);
   block.x = 512; table_of(out, 250, 1); table_of(out, 250, 2); table_of(out, 250, 4); table_of(out, 250, 16);
   block.x = 1024; table_of(out, 250, 1); table_of(out, 250, 4); table_of(out, 250, 16);
*/
// Sixteen cases, of which a warp's lanes want `ways`.
__global__ void table_of(int *out, int steps, int ways)
{
    int x = threadIdx.x, state = threadIdx.x % ways;
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        switch (state) {
#define CASE(N) case N: asm volatile("mad.lo.s32 %0, %0, %1, 5;\n\tmad.lo.s32 %0, %0, 7, %1;" : "+r"(x) : "r"(i + N)); break;
            CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14)
            CASE(15)
        }
        state = (state + 1) & 15;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[132 * 1024] = zeros();
   by_pointer(out, 1000, 1); by_pointer(out, 1000, 2); by_pointer(out, 1000, 4);
   block.x = 1024; by_pointer(out, 250, 1); by_pointer(out, 250, 2); by_pointer(out, 250, 4);
*/
__device__ __noinline__ int first_of(int x, int i) { return x * 5 + i; }
__device__ __noinline__ int second_of(int x, int i) { return (x ^ i) * 7; }
__device__ __noinline__ int third_of(int x, int i) { return x * x + i; }
__device__ __noinline__ int fourth_of(int x, int i) { return (x >> 3) * i; }
typedef int (*Function)(int, int);
// A function by its address, of which a warp's lanes have `ways`.
__global__ void by_pointer(int *out, int steps, int ways)
{
    const Function all[4] = { first_of, second_of, third_of, fourth_of };
    const Function mine = all[threadIdx.x % ways];
    int x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < steps; i++) x = mine(x, i) + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
