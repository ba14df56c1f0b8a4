#include "mmq.cuh"
#include "mmvq.cu"
