struct km_any { template<class T> __device__ operator T() const { return T(); } };
#define tex1Dfetch(t, i) km_any()
#define tex2D(t, x, y) km_any()
