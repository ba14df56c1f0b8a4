// cub::Max left CUB with CUDA 13 (cuda::maximum took its place); the rest is the project's file.
#include <cub/block/block_reduce.cuh>
#include <cuda/functional>
namespace cub { using Max = ::cuda::maximum<>; }
#include "cudamatrix/cu-kernels.cu"
