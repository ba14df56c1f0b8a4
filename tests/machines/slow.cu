// Divisions and roots of which some lanes' take the long way, and functions that are called from several places.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   quotients(out, 2000, 0); quotients(out, 2000, 1); quotients(out, 2000, 2); quotients(out, 2000, 16); quotients(out, 2000, 32);
   block.x = 128; quotients(out, 2000, 0); quotients(out, 2000, 1); quotients(out, 2000, 32);
   block.x = 1024; quotients(out, 500, 0); quotients(out, 500, 1); quotients(out, 500, 32);
*/
// The first `slow` lanes divide zero, which hardware does not do.
__global__ void quotients(float *out, int steps, int slow)
{
    const int lane = threadIdx.x % 32;
    float x = 1.0f + lane, sum = 0.0f, y = 3.0f + blockIdx.x;
    for (int i = 0; i < steps; i++) {
        const float over = lane < slow ? 0.0f : x + sum;
        sum += over / y;
        y += 1.0f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   two_quotients(out, 2000, 0); two_quotients(out, 2000, 1); two_quotients(out, 2000, 16); two_quotients(out, 2000, 32);
   block.x = 128; two_quotients(out, 2000, 1); two_quotients(out, 2000, 32);
   block.x = 1024; two_quotients(out, 500, 1); two_quotients(out, 500, 32);
*/
// Two divisions a step, with one function for the long way of both.
__global__ void two_quotients(float *out, int steps, int slow)
{
    const int lane = threadIdx.x % 32;
    float x = 1.0f + lane, sum = 0.0f, y = 3.0f + blockIdx.x;
    for (int i = 0; i < steps; i++) {
        const float over = lane < slow ? 0.0f : x + sum;
        const float first = over / y;
        sum += (lane < slow ? 0.0f : first) / (y + 2.0f);
        y += 1.0f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   roots(out, 2000, 0); roots(out, 2000, 1); roots(out, 2000, 16); roots(out, 2000, 32);
   block.x = 1024; roots(out, 500, 0); roots(out, 500, 1); roots(out, 500, 32);
*/
// The first `slow` lanes take the root of zero.
__global__ void roots(float *out, int steps, int slow)
{
    const int lane = threadIdx.x % 32;
    float sum = 0.0f, x = 1.0f + lane;
    for (int i = 0; i < steps; i++) {
        sum += sqrtf(lane < slow ? 0.0f : x + sum);
        x += 1.0f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   double out[132 * 1024] = zeros();
   double_quotients(out, 1000, 0); double_quotients(out, 1000, 1); double_quotients(out, 1000, 32);
   double_roots(out, 1000, 0); double_roots(out, 1000, 1); double_roots(out, 1000, 32);
   block.x = 512; double_quotients(out, 500, 0); double_quotients(out, 500, 1); double_roots(out, 500, 0); double_roots(out, 500, 1);
*/
__global__ void double_quotients(double *out, int steps, int slow)
{
    const int lane = threadIdx.x % 32;
    double sum = 0.0, y = 3.0 + blockIdx.x;
    for (int i = 0; i < steps; i++) {
        sum += (lane < slow ? 1e-310 : 1.0 + sum) / y;
        y += 1.0;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void double_roots(double *out, int steps, int slow)
{
    const int lane = threadIdx.x % 32;
    double sum = 0.0, x = 1.0 + lane;
    for (int i = 0; i < steps; i++) {
        sum += sqrt(lane < slow ? 1e-310 : x + sum);
        x += 1.0;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   angles(out, 1000, 0, 1000.0f); angles(out, 1000, 1, 1000000.0f); angles(out, 1000, 32, 1000000.0f);
   block.x = 512; angles(out, 200, 0, 1000.0f); angles(out, 200, 1, 1000000.0f); angles(out, 200, 32, 1000000.0f);
*/
// The first `slow` lanes take the sine of a large angle.
__global__ void angles(float *out, int steps, int slow, float large)
{
    const int lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int i = 0; i < steps; i++) sum += sinf(lane < slow ? large + i : sum + i);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   called_places<1>(out, 1000, 32); called_places<2>(out, 1000, 32); called_places<4>(out, 1000, 32); called_places<1>(out, 1000, 1); called_places<2>(out, 1000, 1);
   called_places<4>(out, 1000, 1);
   block.x = 1024; called_places<1>(out, 250, 32); called_places<4>(out, 250, 32); called_places<4>(out, 250, 1);
*/
__device__ __noinline__ float kept_apart(float x)
{
#pragma unroll
    for (int k = 0; k < 4; k++) x = x * 0.5f + 1.0f;
    return x;
}
// A function that is called from so many places of a loop, by the first `on` lanes.
template <int PLACES> __global__ void called_places(float *out, int steps, int on)
{
    float x = threadIdx.x;
    const bool mine = threadIdx.x % 32 < on;
    for (int i = 0; i < steps; i++) {
        if (mine) {
#pragma unroll
            for (int k = 0; k < PLACES; k++) x = kept_apart(x) * 0.25f;
        }
        x = x * 0.75f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   int out[132 * 1024] = zeros();
   chosen(out, 1000, 1); chosen(out, 1000, 4); chosen(out, 1000, 8);
   block.x = 1024; chosen(out, 250, 1); chosen(out, 250, 8);
*/
// A switch that is a jump by a table, of which a warp's lanes want `ways` ways.
__global__ void chosen(int *out, int steps, int ways)
{
    int x = threadIdx.x, state = threadIdx.x % ways;
    for (int i = 0; i < steps; i++) {
        switch (state) {
        case 0: x = x * 5 + 1; break;
        case 1: x = (x ^ 77) + (x >> 3); break;
        case 2: x = x * x; break;
        case 3: x = __popc(x) + i; break;
        case 4: x = x << (i & 3); break;
        case 5: x = x - (x >> 1) + 3; break;
        case 6: x = (x | 12345) * 3; break;
        default: x = x ^ (x << 7); break;
        }
        state = (state + 1) % 8;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
