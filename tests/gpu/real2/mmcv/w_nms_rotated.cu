// nms_rotated_cuda.cuh without PyTorch: pytorch_cuda_helper.hpp's guard is set, and what it would have named stands here.
#define PYTORCH_CUDA_HELPER
#include "host_names.h"
#include <cuda_fp16.h>
#include <float.h>
#include "common_cuda_helper.hpp"
using phalf = __half;
#define __PHALF(x) (x)
#define DIVUP(m, n) ((m) / (n) + ((m) % (n) > 0))
#include "nms_rotated_cuda.cuh"
