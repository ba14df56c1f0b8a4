#include "interval.h"
#include "cuda_interval.h"
