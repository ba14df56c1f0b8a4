// A CUDA runtime that runs nothing: memory is host memory, launches and copies are logged, times and faults come from
// the environment. It lets the harness of a rendered bench.cu run where there is no GPU.
//
//   KMB_LOG    file that gets one line a call
//   KMB_MS     substring of a kernel's symbol:milliseconds, comma-separated
//   KMB_REFUSE a kernel whose symbol holds this is refused at launch
//   KMB_FAULT  a kernel whose symbol holds this faults; every later call fails too
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include <cuda_runtime_api.h>

static std::map<const void *, std::string> &symbols()
{
    static std::map<const void *, std::string> names;
    return names;
}
static cudaError_t last = cudaSuccess, sticky = cudaSuccess;
static std::string running;
static dim3 grid, block;
static size_t shared;

static const char *setting(const char *name) { return getenv(name) ? getenv(name) : ""; }
static bool names(const char *name, const std::string &symbol)
{
    return *setting(name) && symbol.find(setting(name)) != std::string::npos;
}
static cudaError_t said(const std::string &line)
{
    static FILE *file = fopen(*setting("KMB_LOG") ? setting("KMB_LOG") : "/dev/null", "w");
    fprintf(file, "%s\n", line.c_str());
    fflush(file);
    return sticky;
}

extern "C" {
void **__cudaRegisterFatBinary(void *) { static void *handle; return &handle; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 0; }
void __cudaRegisterVar(void **, char *host, char *, const char *name, int, size_t, int, int) { symbols()[host] = name; }
void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, uint3 *, uint3 *, dim3 *, dim3 *,
                            int *) { symbols()[host] = name; }
unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t s, struct CUstream_st *)
{
    grid = g, block = b, shared = s;
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *g, dim3 *b, size_t *s, void *)
{
    *g = grid, *b = block, *s = shared;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    *kernel = (cudaKernel_t)host;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *kernel, dim3 g, dim3 b, void **, size_t s, cudaStream_t)
{
    running = symbols()[kernel];
    said("launch " + running + " " + std::to_string(g.x) + "x" + std::to_string(b.x) + " " + std::to_string(s));
    if (names("KMB_REFUSE", running)) return last = cudaErrorInvalidConfiguration;
    if (names("KMB_FAULT", running)) sticky = cudaErrorIllegalAddress;
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 g, dim3 b, void **args, size_t s, cudaStream_t stream)
{
    return cudaLaunchKernel((const void *)kernel, g, b, args, s, stream);
}
cudaError_t cudaGetLastError()
{
    const cudaError_t status = last;
    last = cudaSuccess;
    return status;
}
const char *cudaGetErrorString(cudaError_t status)
{
    return status == cudaErrorIllegalAddress ? "an illegal memory access was encountered" : "invalid configuration";
}
cudaError_t cudaMalloc(void **p, size_t bytes) { *p = malloc(bytes ? bytes : 1); return said("malloc " + std::to_string(bytes)); }
cudaError_t cudaFree(void *p) { free(p); return said("free"); }
cudaError_t cudaMemset(void *p, int value, size_t bytes) { memset(p, value, bytes); return said("memset " + std::to_string(bytes)); }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind)
{
    memcpy(to, from, bytes);
    return said("memcpy " + std::to_string(bytes) + " " + std::to_string(((const unsigned char *)from)[0]));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind, cudaStream_t)
{
    memcpy(to, from, bytes);
    return said("restore " + std::to_string(bytes));
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t, enum cudaMemcpyKind)
{
    float first;
    memcpy(&first, from, sizeof first);
    return said("symbol " + symbols()[symbol] + " " + std::to_string(bytes) + " " + std::to_string(first));
}
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent size, unsigned flags)
{
    static size_t count = 0;
    *array = (cudaArray_t)++count;
    return said("array " + std::to_string(size.width) + "x" + std::to_string(size.height) + "x" + std::to_string(size.depth)
                + " " + std::to_string(format->x) + "," + std::to_string(format->w) + " flags " + std::to_string(flags));
}
cudaError_t cudaFreeArray(cudaArray_t) { return said("free array"); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy, cudaStream_t)
{
    return said("texels " + std::to_string((size_t)copy->dstArray) + " " + std::to_string(copy->srcPtr.pitch) + " "
                + std::to_string(copy->extent.width) + "x" + std::to_string(copy->extent.height) + "x"
                + std::to_string(copy->extent.depth));
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *desc, const cudaResourceViewDesc *)
{
    *object = 1000;
    return said("texture of " + std::to_string((int)resource->resType) + " modes " + std::to_string(desc->addressMode[0])
                + std::to_string(desc->filterMode) + std::to_string(desc->readMode)
                + std::to_string(desc->normalizedCoords));
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource)
{
    *object = 2000;
    return said("surface of " + std::to_string((size_t)resource->res.array.array));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return said("end " + std::to_string(object)); }
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return said("end " + std::to_string(object)); }
cudaError_t cudaMemGetInfo(size_t *available, size_t *total) { *available = *total = 1 << 30; return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *event) { *event = nullptr; return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return said("event"); }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return sticky; }
cudaError_t cudaDeviceSynchronize() { return sticky; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 1;
    const std::string times = setting("KMB_MS");
    for (size_t at = 0; at < times.size();) {
        const size_t comma = std::min(times.find(',', at), times.size()), colon = times.find(':', at);
        if (running.find(times.substr(at, colon - at)) != std::string::npos) *ms = strtof(&times[colon + 1], nullptr);
        at = comma + 1;
    }
    return sticky;
}
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    return said("attribute " + symbols()[kernel] + " " + std::to_string((int)attribute) + " " + std::to_string(value));
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, size_t smem)
{
    *blocks = 8 - (int)(smem >> 10);
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *gpu, int)
{
    strcpy(gpu->name, "Fake \"GPU\"");
    return cudaSuccess;
}
}
