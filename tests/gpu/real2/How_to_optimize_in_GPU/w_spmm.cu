namespace sputnik { struct Nothing {}; }
#include "spmm.cu"
