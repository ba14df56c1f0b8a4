#define __shfl_down(v, o) __shfl_down_sync(0xffffffffu, v, o)
#include "device_reduce_warp_atomic.h"
