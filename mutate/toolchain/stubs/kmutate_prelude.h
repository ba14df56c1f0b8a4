// What nvcc's implicit cuda_runtime.h gives a kernel through the host's C and C++ headers, for NVRTC, which has
// none of them: integer types, limits, constants, the math functions in std::, and small utilities.
// Included ahead of the user's file, so that a host #include may be absent, blanked or empty.
#ifndef KMUTATE_PRELUDE_H
#define KMUTATE_PRELUDE_H

#ifdef KMUTATE_CCCL
// libcu++ comes later and defines the same names as macros: its own now, or each would be a warning.
#include <cuda/std/cfloat>
#include <cuda/std/climits>
#include <cuda/std/cstdint>
#else
// 64-bit types are long long, as in NVIDIA's headers under NVRTC, not long as with a host compiler on Linux.
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t;
typedef uint8_t uint_least8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t;
typedef int8_t int_fast8_t;
typedef int64_t int_fast16_t, int_fast32_t, int_fast64_t;
typedef uint8_t uint_fast8_t;
typedef uint64_t uint_fast16_t, uint_fast32_t, uint_fast64_t;
typedef int64_t intptr_t, intmax_t;
typedef uint64_t uintptr_t, uintmax_t;

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#ifdef _WIN32
#define LONG_MAX 2147483647L
#define ULONG_MAX 4294967295UL
#else
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#endif
#define LONG_MIN (-LONG_MAX - 1L)
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-LLONG_MAX - 1LL)
#define ULLONG_MAX 18446744073709551615ULL
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-INT64_MAX - 1)
#define INT64_MAX LLONG_MAX
#define UINT64_MAX ULLONG_MAX
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX UINT64_MAX
#endif

// Older releases of libcu++ leave these to the host.
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_EPSILON 1.19209289550781250000e-7F
#define FLT_MIN 1.17549435082228750797e-38F
#define FLT_MAX 3.40282346638528859812e+38F
#define FLT_TRUE_MIN 1.40129846432481707092e-45F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_EPSILON 2.22044604925031308085e-16
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_MAX 1.79769313486231570815e+308
#define DBL_TRUE_MIN 4.94065645841246544177e-324
#endif

typedef long off_t, ssize_t;
typedef unsigned char u_char;
typedef unsigned short ushort, u_short;
typedef unsigned int uint, u_int;
typedef unsigned long ulong, u_long;

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF INFINITY
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

namespace std {
using ::size_t;
using ::ptrdiff_t;
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;

using ::abs; using ::fabs; using ::fmod; using ::fma; using ::fmax; using ::fmin; using ::fdim;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log10; using ::log2; using ::log1p;
using ::pow; using ::sqrt; using ::cbrt; using ::hypot;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh;
using ::erf; using ::erfc; using ::tgamma; using ::lgamma;
using ::ceil; using ::floor; using ::trunc; using ::round; using ::rint; using ::nearbyint;
using ::lround; using ::llround; using ::lrint; using ::llrint;
using ::frexp; using ::ldexp; using ::modf; using ::scalbn; using ::ilogb; using ::logb;
using ::nextafter; using ::copysign; using ::remainder; using ::remquo;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
using ::memcpy; using ::memset;

#if __cplusplus >= 201103L
typedef decltype(nullptr) nullptr_t;

template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __host__ __device__ void swap(T &a, T &b) { T c = a; a = b; b = c; }

template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    typedef T value_type;
    typedef integral_constant type;
    __host__ __device__ constexpr operator T() const { return V; }
    __host__ __device__ constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;

template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;

template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_volatile<typename remove_const<T>::type>::type type; };
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T *> { typedef T type; };
template <class T> struct remove_pointer<T *const> { typedef T type; };
template <class T> struct remove_extent { typedef T type; };
template <class T> struct remove_extent<T[]> { typedef T type; };
template <class T, size_t N> struct remove_extent<T[N]> { typedef T type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_pointer { typedef typename remove_reference<T>::type *type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> using remove_cvref_t = typename remove_cv<typename remove_reference<T>::type>::type;

template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_reference : false_type {};
template <class T> struct is_reference<T &> : true_type {};
template <class T> struct is_reference<T &&> : true_type {};
template <class T> struct is_array : false_type {};
template <class T> struct is_array<T[]> : true_type {};
template <class T, size_t N> struct is_array<T[N]> : true_type {};
template <class T> struct kmutate_is_pointer : false_type {};
template <class T> struct kmutate_is_pointer<T *> : true_type {};
template <class T> struct is_pointer : kmutate_is_pointer<typename remove_cv<T>::type> {};
template <class T> struct is_void : is_same<typename remove_cv<T>::type, void> {};
template <class T> struct kmutate_is_float : false_type {};
template <> struct kmutate_is_float<float> : true_type {};
template <> struct kmutate_is_float<double> : true_type {};
template <class T> struct is_floating_point : kmutate_is_float<typename remove_cv<T>::type> {};
template <class T> struct kmutate_is_integral : false_type {};
template <> struct kmutate_is_integral<bool> : true_type {};
template <> struct kmutate_is_integral<char> : true_type {};
template <> struct kmutate_is_integral<signed char> : true_type {};
template <> struct kmutate_is_integral<unsigned char> : true_type {};
template <> struct kmutate_is_integral<wchar_t> : true_type {};
template <> struct kmutate_is_integral<short> : true_type {};
template <> struct kmutate_is_integral<unsigned short> : true_type {};
template <> struct kmutate_is_integral<int> : true_type {};
template <> struct kmutate_is_integral<unsigned int> : true_type {};
template <> struct kmutate_is_integral<long> : true_type {};
template <> struct kmutate_is_integral<unsigned long> : true_type {};
template <> struct kmutate_is_integral<long long> : true_type {};
template <> struct kmutate_is_integral<unsigned long long> : true_type {};
template <class T> struct is_integral : kmutate_is_integral<typename remove_cv<T>::type> {};
template <class T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value> struct kmutate_is_signed : bool_constant<(T(-1) < T(0))> {};
template <class T> struct kmutate_is_signed<T, false> : false_type {};
template <class T> struct is_signed : kmutate_is_signed<T> {};
template <class T> struct is_unsigned : bool_constant<is_arithmetic<T>::value && !kmutate_is_signed<T>::value> {};
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> struct is_class : bool_constant<__is_class(T)> {};
template <class T> struct is_union : bool_constant<__is_union(T)> {};
template <class T> struct is_empty : bool_constant<__is_empty(T)> {};
template <class B, class D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class F, class T> struct is_convertible : bool_constant<__is_convertible_to(F, T)> {};
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> struct decay {
    typedef typename remove_reference<T>::type bare;
    typedef typename conditional<is_array<bare>::value, typename remove_extent<bare>::type *,
                                 typename remove_cv<bare>::type>::type type;
};
template <class T> using decay_t = typename decay<T>::type;
template <class...> struct kmutate_void { typedef void type; };
template <class... T> using void_t = typename kmutate_void<T...>::type;

#if __cplusplus >= 201703L
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <class T> inline constexpr bool is_const_v = is_const<T>::value;
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> inline constexpr bool is_array_v = is_array<T>::value;
template <class T> inline constexpr bool is_reference_v = is_reference<T>::value;
template <class T> inline constexpr bool is_void_v = is_void<T>::value;
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> inline constexpr bool is_enum_v = is_enum<T>::value;
template <class T> inline constexpr bool is_class_v = is_class<T>::value;
template <class B, class D> inline constexpr bool is_base_of_v = is_base_of<B, D>::value;
template <class F, class T> inline constexpr bool is_convertible_v = is_convertible<F, T>::value;
template <class T> inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
#endif

template <class T> struct numeric_limits {
    static constexpr bool is_specialized = is_integral<T>::value;
    static constexpr bool is_integer = true, is_exact = true, has_infinity = false;
    static constexpr bool is_signed = std::is_signed<T>::value;
    static constexpr int digits = int(sizeof(T) * 8) - (is_signed ? 1 : 0);
    __host__ __device__ static constexpr T max() { return T(~T(0)) < T(0) ? T((1ULL << (sizeof(T) * 8 - 1)) - 1) : T(~T(0)); }
    __host__ __device__ static constexpr T min() { return T(~T(0)) < T(0) ? T(-max() - 1) : T(0); }
    __host__ __device__ static constexpr T lowest() { return min(); }
};
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
template <> struct numeric_limits<bool> {
    static constexpr bool is_specialized = true, is_integer = true, is_signed = false, has_infinity = false;
    static constexpr int digits = 1;
    __host__ __device__ static constexpr bool max() { return true; }
    __host__ __device__ static constexpr bool min() { return false; }
    __host__ __device__ static constexpr bool lowest() { return false; }
};
template <> struct numeric_limits<float> {
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
    static constexpr int digits = FLT_MANT_DIG;
    __host__ __device__ static constexpr float max() { return FLT_MAX; }
    __host__ __device__ static constexpr float min() { return FLT_MIN; }
    __host__ __device__ static constexpr float lowest() { return -FLT_MAX; }
    __host__ __device__ static constexpr float epsilon() { return FLT_EPSILON; }
    __host__ __device__ static constexpr float denorm_min() { return FLT_TRUE_MIN; }
    __host__ __device__ static float infinity() { return INFINITY; }
    __host__ __device__ static float quiet_NaN() { return NAN; }
};
template <> struct numeric_limits<double> {
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
    static constexpr int digits = DBL_MANT_DIG;
    __host__ __device__ static constexpr double max() { return DBL_MAX; }
    __host__ __device__ static constexpr double min() { return DBL_MIN; }
    __host__ __device__ static constexpr double lowest() { return -DBL_MAX; }
    __host__ __device__ static constexpr double epsilon() { return DBL_EPSILON; }
    __host__ __device__ static constexpr double denorm_min() { return DBL_TRUE_MIN; }
    __host__ __device__ static double infinity() { return HUGE_VAL; }
    __host__ __device__ static double quiet_NaN() { return (double)NAN; }
};

template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
};
template <class A, class B> __host__ __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>{a, b}; }
template <class T, size_t N> struct array {
    T elements[N];
    __host__ __device__ T &operator[](size_t i) { return elements[i]; }
    __host__ __device__ constexpr const T &operator[](size_t i) const { return elements[i]; }
    __host__ __device__ constexpr size_t size() const { return N; }
    __host__ __device__ T *data() { return elements; }
    __host__ __device__ T *begin() { return elements; }
    __host__ __device__ T *end() { return elements + N; }
};
template <class T> struct plus { __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; } };
template <class T> struct multiplies { __host__ __device__ T operator()(const T &a, const T &b) const { return a * b; } };
template <class T> struct less { __host__ __device__ bool operator()(const T &a, const T &b) const { return a < b; } };
template <class T> struct greater { __host__ __device__ bool operator()(const T &a, const T &b) const { return b < a; } };
#endif  // C++11
}  // namespace std

// An extension's mark, which host compilers take and NVRTC does not.
#define __extension__
// Of the device runtime, what a dependent launch waits with. They are instructions from sm_90 on, and nothing before.
// Templates, so that the toolkit's own functions may stand beside them (cuda_device_runtime_api.h) and are preferred.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
template <int = 0> static __device__ __forceinline__ void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
template <int = 0> static __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("griddepcontrol.launch_dependents;" :::);
}
#else
template <int = 0> static __device__ __forceinline__ void cudaGridDependencySynchronize() {}
template <int = 0> static __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion() {}
#endif

#endif
