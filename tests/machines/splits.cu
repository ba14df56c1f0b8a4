// In which order a warp's lanes go the ways of branches, each of which counts a number of the block's on: what came before what. Read by
// who_next.py on a GPU, and executed by the simulator (tests/sim/test_who_next.py).

/* kmutate launch
   dim3 block = { 32 }; dim3 grid = { 1 };
   int out[16 * 32] = fill(-1); int next[65536] = permutation();
   two_ways(out, next, 8); two_ways(out, next, 24); two_loads(out, next, 8); two_loads(out, next, 24); loads_or_not(out, next, 8);
   loads_or_not(out, next, 24); ends_or_loads(out, next, 8); ends_or_loads(out, next, 24); within(out, next, 8); within(out, next, 24);
   three_ways(out, next, 8); three_ways(out, next, 24); guards(out, next, 8); guards(out, next, 24); trips(out, next, 8); trips(out, next, 24);
   leaves(out, next, 8); leaves(out, next, 24); four_cases(out, next, 8); four_cases(out, next, 24); barely(out, next, 8); barely(out, next, 24);
*/
#define BEGIN                                                                                                                              \
    __shared__ int turn;                                                                                                                   \
    const int lane = threadIdx.x % 32;                                                                                                     \
    if (threadIdx.x == 0) turn = 0;                                                                                                        \
    __syncthreads();                                                                                                                       \
    int at = lane;
#define MARK(k) out[(k) * 32 + lane] = atomicAdd(&turn, 1)
#define LOAD at = next[at * 509 & 65535]

extern "C" __global__ void two_ways(int *out, const int *next, int few)
{
    BEGIN
    if (lane < few) { MARK(0); at = at * 3 + 1; MARK(1); }
    else { MARK(2); at = at * 5 + 2; MARK(3); }
    MARK(4);
    out[15 * 32 + lane] = at;
}

extern "C" __global__ void two_loads(int *out, const int *next, int few)
{
    BEGIN
    if (lane < few) { MARK(0); LOAD; LOAD; if (at >= 0) MARK(1); }
    else { MARK(2); LOAD; at += 7; LOAD; if (at >= 0) MARK(3); }
    MARK(4);
    out[15 * 32 + lane] = at;
}

extern "C" __global__ void loads_or_not(int *out, const int *next, int few)
{
    BEGIN
    if (lane % 32 < few) { MARK(0); LOAD; LOAD; if (at >= 0) MARK(1); }
    else { MARK(2); at = at * 5 + 2; MARK(3); }
    MARK(4);
    out[15 * 32 + lane] = at;
}

extern "C" __global__ void ends_or_loads(int *out, const int *next, int few)
{
    BEGIN
    if (lane < few) { MARK(0); out[15 * 32 + lane] = 0; MARK(1); return; }
    MARK(2);
    LOAD;
    if (at >= 0) MARK(3);
    LOAD;
    if (at >= 0) MARK(4);
    out[15 * 32 + lane] = at;
}

extern "C" __global__ void within(int *out, const int *next, int few)
{
    BEGIN
    if (lane < few) { MARK(0); LOAD; if (at >= 0) MARK(1); }
    else {
        MARK(2);
        LOAD;
        if (at % 2 == 0) { MARK(3); LOAD; if (at >= 0) MARK(4); }
        else { MARK(5); LOAD; at ^= 5; if (at >= 0) MARK(6); }
        MARK(7);
        LOAD;
        if (at >= 0) MARK(8);
    }
    MARK(9);
    out[15 * 32 + lane] = at;
}

extern "C" __global__ void three_ways(int *out, const int *next, int few)
{
    BEGIN
    if (lane < few / 2) { MARK(0); LOAD; if (at >= 0) MARK(1); }
    else if (lane < few) { MARK(2); LOAD; at += 3; if (at >= 0) MARK(3); }
    else { MARK(4); LOAD; at += 9; if (at >= 0) MARK(5); }
    MARK(6);
    out[15 * 32 + lane] = at;
}

extern "C" __global__ void guards(int *out, const int *next, int few)
{
    BEGIN
    const int kind = next[lane * 77 & 65535];
    if (kind % 32 < few / 2) { MARK(0); out[14 * 32 + lane] = 0; return; }
    MARK(1);
    LOAD;
    if (at % 3 == 0) { MARK(2); out[13 * 32 + lane] = 0; }
    else { MARK(3); LOAD; out[13 * 32 + lane] = at; if (at >= 0) MARK(4); }
    LOAD;
    if (at % 3 == 0) { MARK(5); out[12 * 32 + lane] = 0; }
    else { MARK(6); LOAD; out[12 * 32 + lane] = at; if (at >= 0) MARK(7); }
    LOAD;
    if (at % 32 < few) { MARK(8); out[14 * 32 + lane] = 0; }
    else { MARK(9); LOAD; out[14 * 32 + lane] = at; if (at >= 0) MARK(10); }
}

extern "C" __global__ void trips(int *out, const int *next, int few)
{
    BEGIN
    const int many = lane < few ? 1 : 2 + lane % 3;
#pragma unroll 1
    for (int k = 0; k < many; k++) { MARK(k); LOAD; }
    if (at >= 0) MARK(6);
    LOAD;
    if (at >= 0) MARK(7);
    out[15 * 32 + lane] = at;
}

extern "C" __global__ void leaves(int *out, const int *next, int few)
{
    BEGIN
#pragma unroll 1
    for (int k = 0; k < 5; k++) {
        MARK(k);
        LOAD;
        if ((at & 31) < few) { MARK(6 + k); out[15 * 32 + lane] = at; return; }
    }
    MARK(11);
    out[15 * 32 + lane] = at;
}

extern "C" __global__ void four_cases(int *out, const int *next, int few)
{
    BEGIN
    switch (lane < few ? lane % 2 : 2 + lane % 2) {
    case 0: MARK(0); LOAD; out[14 * 32 + lane] = at; if (at >= 0) MARK(1); break;
    case 1: MARK(2); at = at * 7 + 1; MARK(3); break;
    case 2: MARK(4); LOAD; LOAD; if (at >= 0) MARK(5); break;
    default: MARK(6); at ^= 21; LOAD; if (at >= 0) MARK(7);
    }
    MARK(8);
    out[15 * 32 + lane] = at;
}

// A way of which one lane of a warp, or all but one, is.
extern "C" __global__ void barely(int *out, const int *next, int few)
{
    BEGIN
    if ((lane == 13) == (few < 16)) { MARK(0); LOAD; if (at >= 0) MARK(1); LOAD; if (at >= 0) MARK(2); }
    else { MARK(3); LOAD; at += 3; if (at >= 0) MARK(4); }
    MARK(5);
    out[15 * 32 + lane] = at;
}
