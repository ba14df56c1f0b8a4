// Names of the C++ library and of the CUDA runtime API that host code in headers mentions: declarations without bodies,
// so that NVRTC can read a header of which a kernel needs only the rest.
#pragma once
#ifdef __CUDACC_RTC__
#define UINT8_C(x) x
#define UINT16_C(x) x
#define UINT32_C(x) x##u
#define INT64_C(x) x##ll
#define UINT64_C(x) x##ull
struct FILE;
extern "C" {
size_t strlen(const char *);
int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t), strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
char *strcpy(char *, const char *), *strncpy(char *, const char *, size_t), *strcat(char *, const char *);
char *strchr(const char *, int), *strrchr(const char *, int), *strstr(const char *, const char *);
int atoi(const char *), fprintf(FILE *, const char *, ...), sprintf(char *, const char *, ...), fclose(FILE *);
double atof(const char *);
FILE *fopen(const char *, const char *);
void exit(int);
}
#define stderr ((FILE *)0)
#define stdout ((FILE *)0)
#define EXIT_FAILURE 1
#define EXIT_SUCCESS 0
namespace std {
template <class T> struct vector {
    vector(); vector(size_t); vector(size_t, T);
    size_t size() const; bool empty() const; void push_back(const T &); void clear(); void resize(size_t);
    template <class... A> T &emplace_back(A...); void reserve(size_t); void pop_back(); T *data();
    T &operator[](size_t); const T &operator[](size_t) const; T *begin(); T *end(); const T *begin() const;
    const T *end() const; T &back(); T &front();
};
struct string { string(); string(const char *); const char *c_str() const; string operator+(const string &) const; };
string operator+(const char *, const string &);
bool operator==(const string &, const string &);
bool operator==(const string &, const char *);
template <class T> string to_string(T);
template <class T> struct unique_ptr {
    unique_ptr(); unique_ptr(T *); T *get() const; T *operator->() const; T &operator*() const; operator bool() const;
    bool operator==(decltype(nullptr)) const; bool operator!=(decltype(nullptr)) const; void reset(); T *release();
};
template <class T> struct shared_ptr : unique_ptr<T> {};
template <class T, class... A> unique_ptr<T> make_unique(A...);
template <class K, class V, class... H> struct unordered_map {
    struct item { K first; V second; };
    V &operator[](const K &) { return p->second; }
    item *begin() const { return p; }
    item *end() const { return p; }
    item *find(const K &) const { return p; }
    item *erase(item *) { return p; }
    size_t erase(const K &) { return 0; }
    size_t size() const { return 0; }
    size_t count(const K &) const { return 0; }
    bool empty() const { return true; }
    void clear() {}
    template <class... A> void emplace(A...) {}
    item *p;
};
template <class K> struct unordered_set { K *begin(); K *end(); size_t count(const K &) const; void insert(const K &); };
struct mutex { void lock(); void unlock(); };
struct condition_variable {};
template <class T> struct lock_guard { lock_guard(T &); };
template <class I, class... F> void sort(I, I, F...);
template <class I, class V, class... F> I lower_bound(I, I, const V &, F...);
}
typedef struct cublasContext *cublasHandle_t;
typedef int cublasStatus_t, cublasComputeType_t, cublasOperation_t, cublasMath_t;
enum { CUBLAS_STATUS_SUCCESS, CUBLAS_TF32_TENSOR_OP_MATH };
const char *cublasGetStatusString(cublasStatus_t);
cublasStatus_t cublasCreate(cublasHandle_t *);
cublasStatus_t cublasCreate_v2(cublasHandle_t *);
cublasStatus_t cublasDestroy(cublasHandle_t);
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t);
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, T);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaFuncSetAttribute(const void *, int, int);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
#endif
