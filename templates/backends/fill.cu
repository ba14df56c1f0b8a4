// Fills an array on the GPU; stands behind data.cuh.j2 of the benchmark, whose functors say what element i is.
namespace kmb {

template <class T, class F> __global__ void fill_kernel(T *p, u64 n, F f)
{
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
        p[i] = f.template at<T>(i);
}

}  // namespace kmb
