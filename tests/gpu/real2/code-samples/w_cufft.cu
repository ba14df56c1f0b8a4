// the types of cufft.h, which is not installed here
typedef float cufftReal;
typedef float2 cufftComplex;
#include "cufft_no_callbacks.cu"
