#include "host_names.h"
#include "mmq.cuh"
