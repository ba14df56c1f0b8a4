// What is appended to a list by a counter that all warps draw from once, as in filters, joins and queues: blocks come and go
// beside it. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 };
   unsigned count[64] = zeros(); int out[1 << 25] = zeros(); int in[1 << 25] = iota();
   appends<0>(count, out, in, 1); appends<1>(count, out, in, 1); appends<2>(count, out, in, 1); appends<3>(count, out, in, 1); appends<4>(count, out, in, 1);
   appends<5>(count, out, in, 1); appends<6>(count, out, in, 1); appends<7>(count, out, in, 1); appends<8>(count, out, in, 1);
   grid.x = 16384;
   appends<0>(count, out, in, 1); appends<1>(count, out, in, 1); appends<2>(count, out, in, 1); appends<3>(count, out, in, 1); appends<4>(count, out, in, 1);
   appends<5>(count, out, in, 1); appends<6>(count, out, in, 1); appends<7>(count, out, in, 1); appends<8>(count, out, in, 1);
   grid.x = 512;
   appends<0>(count, out, in, 8); appends<1>(count, out, in, 8); appends<2>(count, out, in, 8); appends<3>(count, out, in, 8); appends<4>(count, out, in, 8);
   appends<5>(count, out, in, 8); appends<6>(count, out, in, 8);
   block.x = 1024; grid.x = 1024;
   appends<0>(count, out, in, 1); appends<2>(count, out, in, 1); appends<4>(count, out, in, 1); appends<6>(count, out, in, 1);
*/
// 0: a lane of each warp adds what it is given, and all get to know where it was; 1: and all store there; 2: what they loaded;
// 3: every fourth has something; 4: each block has one lane that adds; 5: as 0 with nobody waiting; 6: each lane that has
// something adds one for itself (every fourth); 7: as 0, another counter for every block; 8: as 0 after a load that all wait for.
template <int WHAT> __global__ void appends(unsigned *count, int *out, const int *in, int each)
{
    __shared__ unsigned sums[32], first;
    const int lane = threadIdx.x % 32;
    unsigned seen = 0;
#pragma unroll 1
    for (int k = 0; k < each; k++) {
        const int i = (k * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        const int x = WHAT == 2 || WHAT == 3 || WHAT == 4 || WHAT == 6 || WHAT == 8 ? in[i] : i;
        const bool has = WHAT == 3 || WHAT == 4 || WHAT == 6 ? (x * 2654435769u >> 30) == 0 : x >= 0;
        const unsigned all = __ballot_sync(~0u, has), before = __popc(all & ((1u << lane) - 1));
        unsigned at = 0;
        if (WHAT == 4) {
            if (lane == 0) sums[threadIdx.x / 32] = __popc(all);
            __syncthreads();
            if (threadIdx.x == 0) {
                unsigned sum = 0;
                for (int w = 0; w < blockDim.x / 32; w++) { const unsigned s = sums[w]; sums[w] = sum; sum += s; }
                first = atomicAdd(count, sum);
            }
            __syncthreads();
            at = first + sums[threadIdx.x / 32];
            __syncthreads();
        } else if (WHAT == 5) {
            if (lane == 31) atomicAdd(count, __popc(all));
        } else if (WHAT == 6) {
            if (has) at = atomicAdd(count, 1);
        } else {
            if (lane == 31) at = atomicAdd(count + (WHAT == 7 ? blockIdx.x % 64 : 0), __popc(all));
            at = __shfl_sync(~0u, at, 31);
        }
        if (WHAT == 1 || WHAT == 2 || WHAT == 3 || WHAT == 4) {
            if (has) out[(at + before) & ((1u << 25) - 1)] = x;
        } else if (WHAT == 6) {
            if (has) out[at & ((1u << 25) - 1)] = x;
        }
        seen |= at >> 31;
    }
    if (seen) out[threadIdx.x] = seen;
}
