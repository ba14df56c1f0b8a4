// What all SMs read: in the same order, or each block from a place of its own on; and tables that every block copies into
// shared memory first. python tests/machines/write_launches.py tests/machines/together.cu FOLDER, then time_launches.py.

/* kmutate launch
   int each = 16; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   same_reads(out, in, each, 1);
*/
__global__ void same_reads(float *out, const float *in, int each, int turn)
{
    float sum = 0.0f;
    int first = turn ? (blockIdx.x * 2654435761u >> 8) % (unsigned)each : 0;
    for (int i = 0; i < each; i++) {
        int at = i + first;
        at = at < each ? at : at - each;
        sum += in[at * blockDim.x + threadIdx.x];
    }
    if (sum == 1e30f)
        out[threadIdx.x] = sum;
}
/* kmutate launch
   int each = 16; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 0);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 16; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 64; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 132 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 264 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
/* kmutate launch
   int each = 256; dim3 grid = { 1056 }; dim3 block = { 256 };
   float out[256] = zeros(); float in[each * 256] = zeros();
   far_reads(out, in, each, 1);
*/
__global__ void far_reads(float *out, const float *in, int each, int turn)
{
    float sum = 0.0f;
    int first = turn ? (blockIdx.x * 2654435761u >> 8) % (unsigned)each : 0;
#pragma unroll 4
    for (int i = 0; i < each; i++) {
        int at = i + first;
        at = at < each ? at : at - each;
        sum += __ldcg(in + at * blockDim.x + threadIdx.x);
    }
    if (sum == 1e30f)
        out[threadIdx.x] = sum;
}
/* kmutate launch
   int size = 4096; dim3 grid = { 1056 }; dim3 block = { 256 }; int smem = 4096;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 4);
*/
/* kmutate launch
   int size = 4096; dim3 grid = { 2112 }; dim3 block = { 256 }; int smem = 4096;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 4);
*/
/* kmutate launch
   int size = 4096; dim3 grid = { 1056 }; dim3 block = { 256 }; int smem = 4096;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 16);
*/
/* kmutate launch
   int size = 4096; dim3 grid = { 2112 }; dim3 block = { 256 }; int smem = 4096;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 16);
*/
/* kmutate launch
   int size = 4096; dim3 grid = { 1056 }; dim3 block = { 256 }; int smem = 4096;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 64);
*/
/* kmutate launch
   int size = 4096; dim3 grid = { 2112 }; dim3 block = { 256 }; int smem = 4096;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 64);
*/
/* kmutate launch
   int size = 16384; dim3 grid = { 1056 }; dim3 block = { 256 }; int smem = 16384;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 4);
*/
/* kmutate launch
   int size = 16384; dim3 grid = { 2112 }; dim3 block = { 256 }; int smem = 16384;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 4);
*/
/* kmutate launch
   int size = 16384; dim3 grid = { 1056 }; dim3 block = { 256 }; int smem = 16384;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 16);
*/
/* kmutate launch
   int size = 16384; dim3 grid = { 2112 }; dim3 block = { 256 }; int smem = 16384;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 16);
*/
/* kmutate launch
   int size = 16384; dim3 grid = { 1056 }; dim3 block = { 256 }; int smem = 16384;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 64);
*/
/* kmutate launch
   int size = 16384; dim3 grid = { 2112 }; dim3 block = { 256 }; int smem = 16384;
   int out[4] = zeros(); unsigned char table[size] = randint(0, 255);
   lookups(out, table, size, 64);
*/
__global__ void lookups(int *out, const unsigned char *table, int size, int steps)
{
    extern __shared__ unsigned char t[];
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        t[i] = table[i];
    __syncthreads();
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    at = at * 2654435761u >> 4;
    for (int i = 0; i < steps; i++)
        at = (at * 5 + t[at % (unsigned)size] + 1) & 0xffffff;
    if (at == 0x1234567)
        out[0] = at;
}
