// texture references are gone from CUDA 12: a stand-in for the declaration, so that the file's other kernels compile
#include "texref.h"
#include "level0/DeviceMemory.cu"
