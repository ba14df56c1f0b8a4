// Stores of sectors in part, and who stores the rest: nobody, a warp of the same block, a block of another SM at the same time, or one
// later. Places that L2 has, again and again, and new ones. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

/* kmutate launch
   int n = 34603008; int rounds = 30, steps = 4; dim3 block = 256; dim3 grid = 1056;
   float a[n] = zeros();
   shared_parts<0, 32>(a, rounds, steps, 0); shared_parts<0, 32>(a, rounds, steps, 1); shared_parts<0, 32>(a, rounds, steps, 4); shared_parts<0, 32>(a, rounds, steps, 8);
   shared_parts<1, 32>(a, rounds, steps, 0); shared_parts<1, 32>(a, rounds, steps, 1); shared_parts<1, 32>(a, rounds, steps, 4); shared_parts<1, 32>(a, rounds, steps, 8);
   shared_parts<2, 32>(a, rounds, steps, 0); shared_parts<2, 32>(a, rounds, steps, 1); shared_parts<2, 32>(a, rounds, steps, 4); shared_parts<2, 32>(a, rounds, steps, 8);
   shared_parts<3, 32>(a, rounds, steps, 0); shared_parts<3, 32>(a, rounds, steps, 1); shared_parts<3, 32>(a, rounds, steps, 4); shared_parts<3, 32>(a, rounds, steps, 8);
   shared_parts<0, 28>(a, rounds, steps, 0); shared_parts<1, 28>(a, rounds, steps, 0); shared_parts<2, 28>(a, rounds, steps, 0); shared_parts<3, 28>(a, rounds, steps, 0);
   shared_parts<0, 20>(a, rounds, steps, 0); shared_parts<1, 20>(a, rounds, steps, 0); shared_parts<2, 20>(a, rounds, steps, 0); shared_parts<3, 20>(a, rounds, steps, 0);
   shared_parts<0, 12>(a, rounds, steps, 0); shared_parts<1, 12>(a, rounds, steps, 0); shared_parts<2, 12>(a, rounds, steps, 0); shared_parts<3, 12>(a, rounds, steps, 0);
   shared_parts<0, 4>(a, rounds, steps, 0); shared_parts<1, 4>(a, rounds, steps, 0); shared_parts<2, 4>(a, rounds, steps, 0); shared_parts<3, 4>(a, rounds, steps, 0);
   grid.x = 132; rounds = 240;
   shared_parts<0, 32>(a, rounds, steps, 1); shared_parts<1, 32>(a, rounds, steps, 1); shared_parts<2, 32>(a, rounds, steps, 1); shared_parts<3, 32>(a, rounds, steps, 1);
   shared_parts<0, 12>(a, rounds, steps, 0); shared_parts<1, 12>(a, rounds, steps, 0); shared_parts<2, 12>(a, rounds, steps, 0); shared_parts<3, 12>(a, rounds, steps, 0);
   rounds = 1; steps = 120; grid.x = 1056;
   shared_parts<1, 32>(a, rounds, steps, 0); shared_parts<2, 32>(a, rounds, steps, 0); shared_parts<3, 32>(a, rounds, steps, 0);
   shared_parts<1, 32>(a, rounds, steps, 1); shared_parts<2, 32>(a, rounds, steps, 1); shared_parts<3, 32>(a, rounds, steps, 1);
   shared_parts<1, 28>(a, rounds, steps, 0); shared_parts<2, 28>(a, rounds, steps, 0); shared_parts<3, 28>(a, rounds, steps, 0);
   shared_parts<1, 12>(a, rounds, steps, 0); shared_parts<2, 12>(a, rounds, steps, 0); shared_parts<3, 12>(a, rounds, steps, 0);
   steps = 60; shared_parts<0, 32>(a, rounds, steps, 0); shared_parts<0, 32>(a, rounds, steps, 1); shared_parts<0, 28>(a, rounds, steps, 0); shared_parts<0, 12>(a, rounds, steps, 0);
   steps = 6; shared_parts<1, 32>(a, rounds, steps, 0); shared_parts<1, 32>(a, rounds, steps, 1); shared_parts<2, 32>(a, rounds, steps, 1); shared_parts<2, 12>(a, rounds, steps, 0);
   grid.x = 132; steps = 960; shared_parts<1, 32>(a, rounds, steps, 1); shared_parts<2, 32>(a, rounds, steps, 1); shared_parts<2, 12>(a, rounds, steps, 0);
*/
// WHO stores beside a warp's place: 0 nobody, 1 the block's next warp, 2 the next block, 3 the next block and others half of the steps later.
// LANES of a warp store, from a place that is ``off`` words on.
template <int WHO, int LANES> __global__ void shared_parts(float *a, int rounds, int steps, int off)
{
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32, warps = blockDim.x / 32;
    if (lane >= LANES) return;
#pragma unroll 1 // else stores of one round are those of the next
    for (int r = 0; r < rounds; r++)
        for (int s = 0; s < steps; s++) {
            int k = (s * gridDim.x + blockIdx.x) * warps + w;
            if (WHO == 2) k = (s * warps + w) * gridDim.x + blockIdx.x;
            if (WHO == 3) {
                const bool later = 2 * s >= steps;
                k = 2 * (((later ? s - steps / 2 : s) * warps + w) * gridDim.x + blockIdx.x) + later;
            }
            a[(WHO == 0 ? 64 : LANES) * k + off + lane] = 1.0f;
        }
}
