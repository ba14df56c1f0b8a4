// Smooth frames of 1024 samples: each sample becomes the weighted mean of itself and its two neighbours in the frame.
//
// A block of 256 threads takes every gridDim.x-th frame and copies the next one into shared memory while it works on
// the current one. smooth_pipeline does so with the pipeline primitives, 16 bytes a thread; smooth_memcpy_async with
// the collective copy of cooperative groups. On compute capability 8.0 and later both become cp.async, which goes past
// the registers.
//
// Teaches: copies that run while the block computes, and the waits and barriers they need.
// Seeds:   "Analysis-Driven Optimization", slides 29 (accesses in flight), 46-49 (barriers keep loads from overlapping
//          arithmetic); the instruction is younger than the seeds.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

#define FRAME 1024
#define THREADS 256

__device__ __forceinline__ void smooth(float *__restrict__ out, const float *samples)
{
    for (int first = 0; first < FRAME; first += THREADS) {
        const int i = first + threadIdx.x;
        const float before = samples[max(i - 1, 0)];
        const float after = samples[min(i + 1, FRAME - 1)];
        out[i] = 0.5f * samples[i] + 0.25f * (before + after);
    }
}

/* kmutate launch
   int frames = 32768;
   dim3 grid = { 1024 };
   dim3 block = { THREADS };
   float out[frames * FRAME] = zeros();
   float in[frames * FRAME] = uniform(-1, 1);
   smooth_pipeline(out, in, frames);
*/
__global__ void smooth_pipeline(float *__restrict__ out, const float *__restrict__ in, int frames)
{
    __shared__ __align__(16) float samples[2][FRAME];
    const int offset = 4 * threadIdx.x;
    const int first = blockIdx.x;
    int stage = 0;

    if (first < frames)
        __pipeline_memcpy_async(&samples[0][offset], &in[(size_t)first * FRAME + offset], sizeof(float4));
    __pipeline_commit();

    for (int frame = first; frame < frames; frame += gridDim.x) {
        const int next = frame + gridDim.x;
        if (next < frames)
            __pipeline_memcpy_async(&samples[stage ^ 1][offset], &in[(size_t)next * FRAME + offset], sizeof(float4));
        __pipeline_commit();

        __pipeline_wait_prior(1); // all but the copy just started
        __syncthreads();
        smooth(&out[(size_t)frame * FRAME], samples[stage]);
        __syncthreads(); // this half of the buffer is free for the frame after next
        stage ^= 1;
    }
}

/* kmutate launch
   int frames = 32768;
   dim3 grid = { 1024 };
   dim3 block = { THREADS };
   float out[frames * FRAME] = zeros();
   float in[frames * FRAME] = uniform(-1, 1);
   smooth_memcpy_async(out, in, frames);
*/
__global__ void smooth_memcpy_async(float *__restrict__ out, const float *__restrict__ in, int frames)
{
    __shared__ float4 samples[2][FRAME / 4];
    const float4 *in4 = reinterpret_cast<const float4 *>(in);
    const cg::thread_block block = cg::this_thread_block();
    const int first = blockIdx.x;
    int stage = 0;

    if (first < frames)
        cg::memcpy_async(block, samples[0], &in4[(size_t)first * (FRAME / 4)], sizeof(samples[0]));

    for (int frame = first; frame < frames; frame += gridDim.x) {
        const int next = frame + gridDim.x;
        if (next < frames) {
            cg::memcpy_async(block, samples[stage ^ 1], &in4[(size_t)next * (FRAME / 4)], sizeof(samples[0]));
            cg::wait_prior<1>(block); // all but the copy just started
        } else {
            cg::wait(block);
        }
        smooth(&out[(size_t)frame * FRAME], reinterpret_cast<const float *>(samples[stage]));
        block.sync(); // this half of the buffer is free for the frame after next
        stage ^= 1;
    }
}
