// The twenty-third set of kernels that nobody tuned the model of time for: ten plain, five tuned, five irregular, each of another
// field, by somebody who had seen neither the model nor its results.

#include <cuda_fp16.h>

// ---------------------------------------------------------------------------------------------------------------
// Plain
// ---------------------------------------------------------------------------------------------------------------

__device__ __forceinline__ double satMixingRatio(double t, double p)
{
    const double es = 611.2 * exp(17.67 * (t - 273.15) / (t - 29.65));
    return 0.622 * es / (p - 0.378 * es);
}

// Weather: saturation adjustment and rain evaporation of a column, top to bottom, in double precision.
/* kmutate launch
   int ncol = 8000, nlev = 90;
   dim3 block = { 128 };
   dim3 grid = { (ncol + block.x - 1) / block.x };
   double t[nlev][ncol] = uniform(235, 300);
   double p[nlev][ncol] = uniform(30000, 100000);
   double qv[nlev][ncol] = uniform(0, 0.02);
   double qc[nlev][ncol] = uniform(0, 0.001);
   double dtdt[nlev][ncol] = zeros(), dqv[nlev][ncol] = zeros(), dqc[nlev][ncol] = zeros();
   double rainSfc[ncol] = zeros();
   satAdjustColumns(t, p, qv, qc, dtdt, dqv, dqc, rainSfc, ncol, nlev, 20.0);
*/
__global__ void satAdjustColumns(const double *__restrict__ t, const double *__restrict__ p,
                                 const double *__restrict__ qv, const double *__restrict__ qc,
                                 double *__restrict__ dtdt, double *__restrict__ dqv, double *__restrict__ dqc,
                                 double *__restrict__ rainSfc, int ncol, int nlev, double dt)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= ncol) return;

    const double lvcp = 2.501e6 / 1004.64;
    double rain = 0.0;
    for (int k = 0; k < nlev; ++k) {
        const size_t i = (size_t)k * ncol + col;
        const double t0 = t[i], p0 = p[i], q0 = qv[i], c0 = qc[i];
        double tn = t0, qn = q0, cn = c0;
        const double qs0 = satMixingRatio(t0, p0);
        if (q0 > qs0 || c0 > 1.0e-12) {
            for (int it = 0; it < 3; ++it) {
                const double qs = satMixingRatio(tn, p0);
                const double d = tn - 29.65;
                const double dqs = qs * 17.67 * 243.5 / (d * d);
                double cond = (qn - qs) / (1.0 + lvcp * dqs);
                if (cond < -cn) cond = -cn;
                tn += lvcp * cond;
                qn -= cond;
                cn += cond;
            }
        }
        // autoconversion to rain, evaporation of the rain that comes from above
        const double autoc = cn > 5.0e-4 ? 1.0e-3 * dt * (cn - 5.0e-4) : 0.0;
        cn -= autoc;
        rain += autoc;
        const double deficit = satMixingRatio(tn, p0) - qn;
        if (deficit > 0.0 && rain > 0.0) {
            const double evap = fmin(rain, 5.0e-4 * deficit * sqrt(rain) * dt);
            rain -= evap;
            qn += evap;
            tn -= lvcp * evap;
        }
        dtdt[i] = (tn - t0) / dt;
        dqv[i] = (qn - q0) / dt;
        dqc[i] = (cn - c0) / dt;
    }
    rainSfc[col] = rain;
}

// Molecular dynamics: proper dihedrals of a large biomolecule, forces by atomics.
/* kmutate launch
   int natoms = 450000, ndih = 600000, ntypes = 48;
   dim3 block = { 128 }, grid = { (ndih + 127) / 128 };
   float4 pos[natoms] = uniform(0, 40);
   int ai[ndih] = ascending(0, natoms);
   int aj[ndih] = ascending(0, natoms);
   int ak[ndih] = ascending(0, natoms);
   int al[ndih] = ascending(0, natoms);
   unsigned char type[ndih] = randint(0, ntypes);
   float4 params[ntypes] = uniform(0, 3);
   float fx[natoms] = zeros(), fy[natoms] = zeros(), fz[natoms] = zeros();
   float energy[ndih] = zeros();
   dihedralForces(pos, ai, aj, ak, al, type, params, fx, fy, fz, energy, ndih);
*/
__global__ void dihedralForces(const float4 *__restrict__ pos, const int *__restrict__ ai, const int *__restrict__ aj,
                               const int *__restrict__ ak, const int *__restrict__ al,
                               const unsigned char *__restrict__ type, const float4 *__restrict__ params,
                               float *fx, float *fy, float *fz, float *__restrict__ energy, int ndih)
{
    const int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= ndih) return;

    const int i = ai[d], j = aj[d], k = ak[d], l = al[d];
    const float4 ri = pos[i], rj = pos[j], rk = pos[k], rl = pos[l];
    const float4 prm = params[type[d]];

    const float b1x = rj.x - ri.x, b1y = rj.y - ri.y, b1z = rj.z - ri.z;
    const float b2x = rk.x - rj.x, b2y = rk.y - rj.y, b2z = rk.z - rj.z;
    const float b3x = rl.x - rk.x, b3y = rl.y - rk.y, b3z = rl.z - rk.z;

    const float mx = b1y * b2z - b1z * b2y, my = b1z * b2x - b1x * b2z, mz = b1x * b2y - b1y * b2x;
    const float nx = b2y * b3z - b2z * b3y, ny = b2z * b3x - b2x * b3z, nz = b2x * b3y - b2y * b3x;

    const float m2 = fmaxf(mx * mx + my * my + mz * mz, 1e-6f);
    const float n2 = fmaxf(nx * nx + ny * ny + nz * nz, 1e-6f);
    const float b22 = fmaxf(b2x * b2x + b2y * b2y + b2z * b2z, 1e-6f);
    const float b2len = sqrtf(b22);

    const float cosphi = mx * nx + my * ny + mz * nz;
    const float sinphi = b2len * (b1x * nx + b1y * ny + b1z * nz);
    const float phi = atan2f(sinphi, cosphi);

    const float mult = rintf(prm.y) + 1.0f;
    const float arg = mult * phi - prm.z;
    float s, c;
    sincosf(arg, &s, &c);
    energy[d] = prm.x * (1.0f + c);
    const float dedphi = -prm.x * mult * s;

    const float si = -dedphi * b2len / m2, sl = dedphi * b2len / n2;
    const float fix = si * mx, fiy = si * my, fiz = si * mz;
    const float flx = sl * nx, fly = sl * ny, flz = sl * nz;
    const float p = (b1x * b2x + b1y * b2y + b1z * b2z) / b22;
    const float q = (b3x * b2x + b3y * b2y + b3z * b2z) / b22;
    const float ux = p * fix - q * flx, uy = p * fiy - q * fly, uz = p * fiz - q * flz;

    atomicAdd(&fx[i], fix);
    atomicAdd(&fy[i], fiy);
    atomicAdd(&fz[i], fiz);
    atomicAdd(&fx[j], -fix - ux);
    atomicAdd(&fy[j], -fiy - uy);
    atomicAdd(&fz[j], -fiz - uz);
    atomicAdd(&fx[k], ux - flx);
    atomicAdd(&fy[k], uy - fly);
    atomicAdd(&fz[k], uz - flz);
    atomicAdd(&fx[l], flx);
    atomicAdd(&fy[l], fly);
    atomicAdd(&fz[l], flz);
}

// Quantum circuits: a controlled one-qubit gate on a state vector of 23 qubits.
/* kmutate launch
   int nqubits = 23, target = 5, control = 14;
   long long quarter = 1ll << (nqubits - 2);
   dim3 block = { 128 }, grid = { quarter / 128 };
   double2 state[1 << nqubits] = normal(0, 0.0002);
   controlledGate(state, quarter, target, control, make_double2(0.8, 0.0), make_double2(0.0, -0.6),
                  make_double2(0.0, -0.6), make_double2(0.8, 0.0));
*/
__global__ void controlledGate(double2 *state, long long quarter, int target, int control, double2 u00, double2 u01,
                               double2 u10, double2 u11)
{
    const long long tid = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= quarter) return;

    const int lo = target < control ? target : control;
    const int hi = target < control ? control : target;
    long long idx = ((tid >> lo) << (lo + 1)) | (tid & ((1ll << lo) - 1));
    idx = ((idx >> hi) << (hi + 1)) | (idx & ((1ll << hi) - 1));
    idx |= 1ll << control;
    const long long jdx = idx | (1ll << target);

    const double2 a = state[idx], b = state[jdx];
    double2 r, s;
    r.x = u00.x * a.x - u00.y * a.y + u01.x * b.x - u01.y * b.y;
    r.y = u00.x * a.y + u00.y * a.x + u01.x * b.y + u01.y * b.x;
    s.x = u10.x * a.x - u10.y * a.y + u11.x * b.x - u11.y * b.y;
    s.y = u10.x * a.y + u10.y * a.x + u11.x * b.y + u11.y * b.x;
    state[idx] = r;
    state[jdx] = s;
}

// Games of cells: "larger than life" (Bosco's rule when radius is 5) on a torus of bytes.
/* kmutate launch
   int w = 3000, h = 2200, radius = 5;
   dim3 block = { 32, 8 };
   dim3 grid = { (w + block.x - 1) / block.x, (h + block.y - 1) / block.y };
   unsigned char cells[h][w] = randint(0, 2);
   unsigned char next[h][w] = zeros();
   largerThanLife(cells, next, w, h, radius, 34, 45, 34, 58);
*/
__global__ void largerThanLife(const unsigned char *cells, unsigned char *next, int w, int h, int radius, int bornLo,
                               int bornHi, int liveLo, int liveHi)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    int count = 0;
    for (int dy = -radius; dy <= radius; ++dy) {
        const int yy = (y + dy + h) % h;
        for (int dx = -radius; dx <= radius; ++dx) {
            int xx = x + dx;
            if (xx < 0) xx += w;
            if (xx >= w) xx -= w;
            count += cells[yy * w + xx];
        }
    }
    const int self = cells[y * w + x];
    next[y * w + x] = self ? (count >= liveLo && count <= liveHi) : (count >= bornLo && count <= bornHi);
}

// Tomography: fan-beam filtered back projection, linear interpolation by hand.
/* kmutate launch
   int n = 500, nview = 360, ndet = 736;
   dim3 block = { 16, 16 };
   dim3 grid = { (n + 15) / 16, (n + 15) / 16 };
   float sino[nview][ndet] = normal(0, 1);
   float image[n][n] = zeros();
   fanBackproject(sino, image, n, nview, ndet, 0.7f, 570.0f, 1040.0f, 1.2f);
*/
__global__ void fanBackproject(const float *__restrict__ sino, float *__restrict__ image, int n, int nview, int ndet,
                               float pixel, float sod, float sdd, float detPitch)
{
    const int ix = blockIdx.x * blockDim.x + threadIdx.x;
    const int iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= n || iy >= n) return;

    const float x = (ix - 0.5f * (n - 1)) * pixel;
    const float y = (iy - 0.5f * (n - 1)) * pixel;
    const float dbeta = 6.283185307f / nview;
    float sum = 0.0f;
    for (int v = 0; v < nview; ++v) {
        float s, c;
        sincosf(v * dbeta, &s, &c);
        const float u = x * c + y * s;
        const float dist = sod + x * s - y * c;
        const float det = u * sdd / dist / detPitch + 0.5f * (ndet - 1);
        const int d0 = (int)floorf(det);
        if (d0 >= 0 && d0 < ndet - 1) {
            const float f = det - d0;
            const float a = sino[v * ndet + d0], b = sino[v * ndet + d0 + 1];
            sum += (sod * sod) / (dist * dist) * (a + f * (b - a));
        }
    }
    image[iy * n + ix] = 0.5f * dbeta * sum;
}

// Robotics: Kalman filter of many tracks (position and velocity in 3-D) over a batch of measurements, a thread a track.
/* kmutate launch
   int ntracks = 30000, nsteps = 8;
   dim3 block = { 256 }, grid = { (ntracks + 255) / 256 };
   double x[6][ntracks] = normal(0, 10);
   double P[36][ntracks] = uniform(0, 0.5);
   double z[nsteps][3][ntracks] = normal(0, 10);
   double xout[6][ntracks] = zeros();
   double Pout[36][ntracks] = zeros();
   kalmanTracks(x, P, z, xout, Pout, ntracks, nsteps, 0.1, 0.05, 2.0);
*/
__global__ void __launch_bounds__(256, 3)
    kalmanTracks(const double *__restrict__ x, const double *__restrict__ P, const double *__restrict__ z,
                 double *__restrict__ xout, double *__restrict__ Pout, int n, int nsteps, double dt, double q,
                 double r)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;

    double F[6][6], C[6][6], T[6][6], s[6];
#pragma unroll
    for (int i = 0; i < 6; ++i)
#pragma unroll
        for (int j = 0; j < 6; ++j) {
            F[i][j] = i == j ? 1.0 : (j == i + 3 ? dt : 0.0);
            C[i][j] = P[(size_t)(i * 6 + j) * n + t];
        }
#pragma unroll
    for (int i = 0; i < 6; ++i) s[i] = x[(size_t)i * n + t];

    for (int step = 0; step < nsteps; ++step) {
        // predict: T = F C, C = T F' + Q
#pragma unroll
        for (int i = 0; i < 6; ++i)
#pragma unroll
            for (int j = 0; j < 6; ++j) {
                double a = 0.0;
#pragma unroll
                for (int k = 0; k < 6; ++k) a += F[i][k] * C[k][j];
                T[i][j] = a;
            }
#pragma unroll
        for (int i = 0; i < 6; ++i)
#pragma unroll
            for (int j = 0; j < 6; ++j) {
                double a = i == j ? q : 0.0;
#pragma unroll
                for (int k = 0; k < 6; ++k) a += T[i][k] * F[j][k];
                C[i][j] = a;
            }
#pragma unroll
        for (int i = 0; i < 3; ++i) s[i] += dt * s[i + 3];

        // innovation covariance of the three positions and its inverse
        const double a = C[0][0] + r, b = C[0][1], c = C[0][2];
        const double d = C[1][0], e = C[1][1] + r, f = C[1][2];
        const double g = C[2][0], h = C[2][1], l = C[2][2] + r;
        const double A = e * l - f * h, B = f * g - d * l, D = d * h - e * g;
        const double inv = 1.0 / (a * A + b * B + c * D);
        const double I[3][3] = {{A * inv, (c * h - b * l) * inv, (b * f - c * e) * inv},
                                {B * inv, (a * l - c * g) * inv, (c * d - a * f) * inv},
                                {D * inv, (b * g - a * h) * inv, (a * e - b * d) * inv}};
        double K[6][3], y[3];
#pragma unroll
        for (int i = 0; i < 3; ++i) y[i] = z[((size_t)step * 3 + i) * n + t] - s[i];
#pragma unroll
        for (int i = 0; i < 6; ++i)
#pragma unroll
            for (int j = 0; j < 3; ++j) K[i][j] = C[i][0] * I[0][j] + C[i][1] * I[1][j] + C[i][2] * I[2][j];

#pragma unroll
        for (int i = 0; i < 6; ++i)
            s[i] += K[i][0] * y[0] + K[i][1] * y[1] + K[i][2] * y[2];

        // Joseph form: T = (I - K H) C, P = T (I - K H)' + K R K'
#pragma unroll
        for (int i = 0; i < 6; ++i)
#pragma unroll
            for (int j = 0; j < 6; ++j)
                T[i][j] = C[i][j] - K[i][0] * C[0][j] - K[i][1] * C[1][j] - K[i][2] * C[2][j];
#pragma unroll
        for (int i = 0; i < 6; ++i)
#pragma unroll
            for (int j = 0; j < 6; ++j) {
                double v = T[i][j];
#pragma unroll
                for (int k = 0; k < 3; ++k) v += (r * K[i][k] - T[i][k]) * K[j][k];
                C[i][j] = v;
            }
    }

#pragma unroll
    for (int i = 0; i < 6; ++i) {
        xout[(size_t)i * n + t] = s[i];
#pragma unroll
        for (int j = 0; j < 6; ++j) Pout[(size_t)(i * 6 + j) * n + t] = C[i][j];
    }
}

__device__ __forceinline__ uint4 philox4x32(uint4 c, unsigned k0, unsigned k1)
{
#pragma unroll
    for (int i = 0; i < 10; ++i) {
        const unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        const unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

__device__ __forceinline__ float2 boxMuller(unsigned a, unsigned b)
{
    const float u = (a + 0.5f) * 2.3283064e-10f, v = b * 2.3283064e-10f;
    const float r = sqrtf(-2.0f * logf(fminf(u, 0.99999994f)));
    float s, c;
    sincospif(2.0f * v, &s, &c);
    return make_float2(r * c, r * s);
}

// Finance: arithmetic Asian call with an upper barrier, Philox and Box-Muller, a thread a path.
/* kmutate launch
   int npaths = 100000, nsteps = 252;
   dim3 block = { 256 }, grid = { (npaths + 255) / 256 };
   float payoff[npaths] = zeros();
   asianBarrierPaths(payoff, npaths, nsteps, 100.0f, 102.0f, 160.0f, 0.03f, 0.25f, 1.0f, 20240611u);
*/
__global__ void asianBarrierPaths(float *payoff, int npaths, int nsteps, float s0, float strike, float barrier,
                                  float rate, float sigma, float maturity, unsigned seed)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= npaths) return;

    const float dt = maturity / nsteps;
    const float drift = (rate - 0.5f * sigma * sigma) * dt, vol = sigma * sqrtf(dt);
    float s = s0, mean = 0.0f;
    bool alive = true;
    for (int k = 0; k < nsteps; k += 4) {
        const uint4 u = philox4x32(make_uint4(p, k >> 2, 0, 0), seed, 0xCAFEu);
        const float2 a = boxMuller(u.x, u.y), b = boxMuller(u.z, u.w);
        const float zs[4] = {a.x, a.y, b.x, b.y};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            s *= expf(drift + vol * zs[j]);
            mean += s;
            alive = alive && s < barrier;
        }
    }
    mean /= nsteps;
    payoff[p] = alive ? expf(-rate * maturity) * fmaxf(mean - strike, 0.0f) : 0.0f;
}

// Audio: cascade of biquads (transposed direct form II), a thread a channel, three blocks of one warp.
/* kmutate launch
   int channels = 96, nsamp = 6000, sections = 4;
   dim3 block = { 32 }, grid = { channels / 32 };
   float in[nsamp][channels] = uniform(-1, 1);
   float out[nsamp][channels] = zeros();
   float b0[sections][channels] = uniform(0.2, 0.4);
   float b1[sections][channels] = uniform(-0.4, 0.4);
   float b2[sections][channels] = uniform(0.1, 0.3);
   float a1[sections][channels] = uniform(-0.8, 0.8);
   float a2[sections][channels] = uniform(0.0, 0.5);
   biquadCascade(in, out, b0, b1, b2, a1, a2, channels, nsamp);
*/
__global__ void biquadCascade(const float *in, float *out, const float *b0, const float *b1, const float *b2,
                              const float *a1, const float *a2, int channels, int nsamp)
{
    const int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;

    float c0[4], c1[4], c2[4], d1[4], d2[4], s1[4], s2[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        c0[k] = b0[k * channels + ch];
        c1[k] = b1[k * channels + ch];
        c2[k] = b2[k * channels + ch];
        d1[k] = a1[k * channels + ch];
        d2[k] = a2[k * channels + ch];
        s1[k] = s2[k] = 0.0f;
    }
    for (int i = 0; i < nsamp; ++i) {
        float v = in[i * channels + ch];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float y = c0[k] * v + s1[k];
            s1[k] = c1[k] * v - d1[k] * y + s2[k];
            s2[k] = c2[k] * v - d2[k] * y;
            v = y;
        }
        out[i * channels + ch] = v;
    }
}

// Sparse solvers: damped Jacobi sweep on an ELL matrix in double precision, columns as 16-bit differences.
/* kmutate launch
   int rows = 500000, width = 20;
   dim3 block = { 256 }, grid = { (rows + 255) / 256 };
   double val[width][rows] = uniform(-1, 1);
   short delta[width][rows] = randint(-2000, 2001);
   double diag[rows] = uniform(20, 30);
   double b[rows] = normal(), x[rows] = normal(), xnew[rows] = zeros();
   ellJacobiSweep(val, delta, diag, b, x, xnew, rows, width, 0.66);
*/
__global__ void ellJacobiSweep(const double *__restrict__ val, const short *__restrict__ delta,
                               const double *__restrict__ diag, const double *__restrict__ b,
                               const double *__restrict__ x, double *__restrict__ xnew, int rows, int width,
                               double omega)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    double sum = 0.0;
    for (int k = 0; k < width; ++k) {
        const size_t i = (size_t)k * rows + row;
        const int col = min(max(row + delta[i], 0), rows - 1);
        sum += val[i] * x[col];
    }
    const double xi = x[row];
    xnew[row] = xi + omega * (b[row] - sum - diag[row] * xi) / diag[row];
}

// Cryptography: x^65537 mod N of 256-bit numbers by Montgomery products (CIOS, 32-bit limbs).
__constant__ unsigned c_modulus[8] = {0xfffffc2fu, 0xfffffffeu, 0xffffffffu, 0xffffffffu,
                                      0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu};

__device__ __forceinline__ void montMul(unsigned *r, const unsigned *a, const unsigned *b, unsigned n0)
{
    unsigned t[10] = {0};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        unsigned long long c = 0;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            c += (unsigned long long)a[j] * b[i] + t[j];
            t[j] = (unsigned)c;
            c >>= 32;
        }
        c += t[8];
        t[8] = (unsigned)c;
        t[9] = (unsigned)(c >> 32);

        const unsigned m = t[0] * n0;
        c = ((unsigned long long)m * c_modulus[0] + t[0]) >> 32;
#pragma unroll
        for (int j = 1; j < 8; ++j) {
            c += (unsigned long long)m * c_modulus[j] + t[j];
            t[j - 1] = (unsigned)c;
            c >>= 32;
        }
        c += t[8];
        t[7] = (unsigned)c;
        t[8] = t[9] + (unsigned)(c >> 32);
    }
    // one subtraction where the result is not below the modulus
    unsigned s[8], borrow = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        const unsigned long long d = (unsigned long long)t[j] - c_modulus[j] - borrow;
        s[j] = (unsigned)d;
        borrow = (unsigned)(d >> 32) & 1u;
    }
    const bool sub = t[8] || !borrow;
#pragma unroll
    for (int j = 0; j < 8; ++j) r[j] = sub ? s[j] : t[j];
}

/* kmutate launch
   int n = 200000;
   dim3 block = { 128 }, grid = { (n + 127) / 128 };
   unsigned base[8][n] = randint(0, 1ll << 32);
   unsigned result[8][n] = zeros();
   modexpMontgomery(base, result, n, 16);
*/
__global__ void modexpMontgomery(const unsigned *__restrict__ base, unsigned *__restrict__ result, int n, int squarings)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned n0 = 1;
#pragma unroll
    for (int k = 0; k < 5; ++k) n0 *= 2u - c_modulus[0] * n0;
    n0 = 0u - n0;

    unsigned a[8], r[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) r[k] = a[k] = base[(size_t)k * n + i];
    for (int s = 0; s < squarings; ++s) montMul(r, r, r, n0);
    montMul(r, r, a, n0);
#pragma unroll
    for (int k = 0; k < 8; ++k) result[(size_t)k * n + i] = r[k];
}

// ---------------------------------------------------------------------------------------------------------------
// Tuned
// ---------------------------------------------------------------------------------------------------------------

// Genomics: Smith-Waterman with affine gaps, a warp and a block a pair, five rows a lane, wave front by shuffles.
#define SW_ROWS 5
#define SW_MAXREF 384

/* kmutate launch
   int npairs = 10000, qlen = 150, rlen = 301;
   dim3 block = { 32 }, grid = { npairs };
   unsigned char query[npairs][qlen] = randint(0, 4);
   unsigned char ref[npairs][rlen] = randint(0, 4);
   int score[npairs] = zeros();
   swScoreWarp(query, ref, score, qlen, rlen, 2, -3, 5, 2);
*/
__global__ void __launch_bounds__(32)
    swScoreWarp(const unsigned char *__restrict__ query, const unsigned char *__restrict__ ref,
                int *__restrict__ score, int qlen, int rlen, int match, int mismatch, int gapOpen, int gapExt)
{
    __shared__ unsigned char sref[SW_MAXREF];
    const int lane = threadIdx.x, pair = blockIdx.x;
    for (int i = lane; i < rlen; i += 32) sref[i] = ref[(size_t)pair * rlen + i];
    __syncwarp();

    int q[SW_ROWS], H[SW_ROWS], E[SW_ROWS];
#pragma unroll
    for (int i = 0; i < SW_ROWS; ++i) {
        const int row = lane * SW_ROWS + i;
        q[i] = row < qlen ? query[(size_t)pair * qlen + row] : 255;
        H[i] = 0;
        E[i] = -10000;
    }
    int lastH = 0, lastF = -10000, prevUp = 0, best = 0;
    for (int step = 0; step < rlen + 31; ++step) {
        int up = __shfl_up_sync(0xffffffffu, lastH, 1);
        int F = __shfl_up_sync(0xffffffffu, lastF, 1);
        if (lane == 0) {
            up = 0;
            F = -10000;
        }
        const int j = step - lane;
        if (j >= 0 && j < rlen) {
            const int r = sref[j];
            int diag = prevUp, above = up;
            prevUp = up;
#pragma unroll
            for (int i = 0; i < SW_ROWS; ++i) {
                const int sub = diag + (q[i] == r ? match : mismatch);
                E[i] = max(E[i] - gapExt, H[i] - gapOpen);
                F = max(F - gapExt, above - gapOpen);
                const int h = max(max(sub, 0), max(E[i], F));
                diag = H[i];
                H[i] = above = h;
                best = max(best, h);
            }
            lastH = H[SW_ROWS - 1];
            lastF = F;
        }
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) best = max(best, __shfl_xor_sync(0xffffffffu, best, o));
    if (lane == 0) score[pair] = best;
}

// Video coding: forward 8x8 DCT (AAN) and quantisation of luma frames, 32x32 pixels a block.
__device__ __forceinline__ void fdct8(float *d)
{
    const float t0 = d[0] + d[7], t7 = d[0] - d[7], t1 = d[1] + d[6], t6 = d[1] - d[6];
    const float t2 = d[2] + d[5], t5 = d[2] - d[5], t3 = d[3] + d[4], t4 = d[3] - d[4];
    const float e0 = t0 + t3, e3 = t0 - t3, e1 = t1 + t2, e2 = t1 - t2;
    d[0] = e0 + e1;
    d[4] = e0 - e1;
    const float z1 = (e2 + e3) * 0.707106781f;
    d[2] = e3 + z1;
    d[6] = e3 - z1;
    const float o0 = t4 + t5, o1 = t5 + t6, o2 = t6 + t7;
    const float z5 = (o0 - o2) * 0.382683433f;
    const float z2 = 0.541196100f * o0 + z5, z4 = 1.306562965f * o2 + z5, z3 = o1 * 0.707106781f;
    const float z11 = t7 + z3, z13 = t7 - z3;
    d[5] = z13 + z2;
    d[3] = z13 - z2;
    d[1] = z11 + z4;
    d[7] = z11 - z4;
}

/* kmutate launch
   int width = 1920, height = 1080, frames = 12;
   dim3 block = { 128 };
   dim3 grid = { width / 32, (height + 31) / 32, frames };
   unsigned char luma[frames][height][width] = randint(16, 236);
   short coef[frames][height][width] = zeros();
   float recip[64] = uniform(0.001, 0.01);
   dctQuantTile((uint2 *)luma, coef, recip, width, height);
*/
__global__ void __launch_bounds__(128) dctQuantTile(const uint2 *__restrict__ luma, short *__restrict__ coef,
                                                    const float *__restrict__ recip, int width, int height)
{
    __shared__ float tile[32][32];
    __shared__ float q[64];
    const int t = threadIdx.x;
    if (t < 64) q[t] = recip[t];

    const int row = t >> 2, seg = t & 3;
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    const size_t frame = (size_t)blockIdx.z * width * height;
    const int y = min(y0 + row, height - 1);
    const uint2 px = luma[(frame + (size_t)y * width + x0) / 8 + seg];
    float d[8];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        d[k] = (float)((px.x >> (8 * k)) & 255u) - 128.0f;
        d[k + 4] = (float)((px.y >> (8 * k)) & 255u) - 128.0f;
    }
    fdct8(d);
#pragma unroll
    for (int k = 0; k < 8; ++k) tile[row][seg * 8 + k] = d[k];
    __syncthreads();

    const int col = t & 31, band = t >> 5;
#pragma unroll
    for (int k = 0; k < 8; ++k) d[k] = tile[band * 8 + k][col];
    fdct8(d);
    if (y0 + band * 8 < height) {
        short *out = coef + frame + (size_t)(y0 + band * 8) * width + x0 + col;
#pragma unroll
        for (int k = 0; k < 8; ++k) out[(size_t)k * width] = (short)__float2int_rn(d[k] * q[k * 8 + (col & 7)]);
    }
}

// Sorting: bitonic sort of tiles of 2048 key and value pairs in shared memory.
#define SORT_TILE 2048

/* kmutate launch
   int n = 3000000;
   dim3 block = { 1024 }, grid = { (n + 2047) / 2048 };
   unsigned keys[n] = randint(0, 1ll << 31);
   unsigned vals[n] = iota();
   unsigned keysOut[n] = zeros(), valsOut[n] = zeros();
   bitonicSortTile(keys, vals, keysOut, valsOut, n);
*/
__global__ void __launch_bounds__(1024) bitonicSortTile(const unsigned *__restrict__ keys,
                                                        const unsigned *__restrict__ vals,
                                                        unsigned *__restrict__ keysOut,
                                                        unsigned *__restrict__ valsOut, int n)
{
    __shared__ unsigned sk[SORT_TILE], sv[SORT_TILE];
    const int base = blockIdx.x * SORT_TILE;
    for (int i = threadIdx.x; i < SORT_TILE; i += blockDim.x) {
        const bool in = base + i < n;
        sk[i] = in ? keys[base + i] : 0xffffffffu;
        sv[i] = in ? vals[base + i] : 0u;
    }
    for (unsigned size = 2; size <= SORT_TILE; size <<= 1) {
        for (unsigned stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            const unsigned lo = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), hi = lo + stride;
            const bool up = (lo & size) == 0;
            const unsigned a = sk[lo], b = sk[hi];
            if ((a > b) == up) {
                sk[lo] = b;
                sk[hi] = a;
                const unsigned v = sv[lo];
                sv[lo] = sv[hi];
                sv[hi] = v;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SORT_TILE; i += blockDim.x)
        if (base + i < n) {
            keysOut[base + i] = sk[i];
            valsOut[base + i] = sv[i];
        }
}

// Signal correlation: X engine of a radio telescope, 8-bit complex voltages, 32x32 antennas a block, 2x2 a thread.
#define XE_TIMES 16

/* kmutate launch
   int nant = 160, nchan = 40, ntime = 1000;
   dim3 block = { 16, 16 };
   dim3 grid = { nant / 32, nant / 32, nchan };
   char2 volt[nchan][ntime][nant] = randint(-127, 128);
   float2 vis[nchan][nant][nant] = zeros();
   xEngineCorrelate(volt, vis, nant, ntime);
*/
__global__ void __launch_bounds__(256) xEngineCorrelate(const char2 *__restrict__ volt, float2 *__restrict__ vis,
                                                        int nant, int ntime)
{
    if (blockIdx.x > blockIdx.y) return;  // the other triangle is the conjugate
    __shared__ __align__(16) float2 sa[XE_TIMES][32];
    __shared__ __align__(16) float2 sb[XE_TIMES][32];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32, chan = blockIdx.z;
    const char2 *v = volt + (size_t)chan * ntime * nant;

    float2 acc[2][2] = {};
    for (int t0 = 0; t0 < ntime; t0 += XE_TIMES) {
#pragma unroll
        for (int i = t; i < XE_TIMES * 32; i += 256) {
            const int tt = i >> 5, ant = i & 31;
            char2 a = make_char2(0, 0), b = a;
            if (t0 + tt < ntime) {
                a = v[(size_t)(t0 + tt) * nant + row0 + ant];
                b = v[(size_t)(t0 + tt) * nant + col0 + ant];
            }
            sa[tt][ant] = make_float2(a.x, a.y);
            sb[tt][ant] = make_float2(b.x, b.y);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < XE_TIMES; ++k) {
            const float4 a = *(const float4 *)&sa[k][ty * 2], b = *(const float4 *)&sb[k][tx * 2];
            acc[0][0].x += a.x * b.x + a.y * b.y;
            acc[0][0].y += a.y * b.x - a.x * b.y;
            acc[0][1].x += a.x * b.z + a.y * b.w;
            acc[0][1].y += a.y * b.z - a.x * b.w;
            acc[1][0].x += a.z * b.x + a.w * b.y;
            acc[1][0].y += a.w * b.x - a.z * b.y;
            acc[1][1].x += a.z * b.z + a.w * b.w;
            acc[1][1].y += a.w * b.z - a.z * b.w;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        float2 *o = vis + ((size_t)chan * nant + row0 + ty * 2 + i) * nant + col0 + tx * 2;
        *(float4 *)o = make_float4(acc[i][0].x, acc[i][0].y, acc[i][1].x, acc[i][1].y);
    }
}

// Inference: attention of one new token on a long KV cache in half precision (grouped queries, split over keys).
#define AT_DIM 128
#define AT_GROUP 4
#define AT_WARPS 4

/* kmutate launch
   int batch = 16, kvHeads = 8, seq = 3000, splits = 8;
   dim3 block = { 128 };
   dim3 grid = { splits, kvHeads, batch };
   half q[batch][kvHeads * 4][128] = normal(0, 1);
   half kcache[batch][kvHeads][seq][128] = normal(0, 0.5);
   half vcache[batch][kvHeads][seq][128] = normal(0, 1);
   float partial[batch][kvHeads * 4][splits][128] = zeros();
   float2 stats[batch][kvHeads * 4][splits] = zeros();
   attnDecodeSplitKV(q, kcache, vcache, partial, stats, seq, 0.0883883f);
*/
__global__ void __launch_bounds__(128)
    attnDecodeSplitKV(const half *__restrict__ q, const half *__restrict__ kcache, const half *__restrict__ vcache,
                      float *__restrict__ partial, float2 *__restrict__ stats, int seq, float scale)
{
    __shared__ float sacc[AT_WARPS][AT_GROUP][AT_DIM];
    __shared__ float sm[AT_WARPS][AT_GROUP], sl[AT_WARPS][AT_GROUP];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int split = blockIdx.x, kvh = blockIdx.y, b = blockIdx.z, kvHeads = gridDim.y, splits = gridDim.x;
    const int per = (seq + splits - 1) / splits;
    const int first = split * per, last = min(first + per, seq);

    float qr[AT_GROUP][4], acc[AT_GROUP][4] = {}, m[AT_GROUP], l[AT_GROUP];
#pragma unroll
    for (int g = 0; g < AT_GROUP; ++g) {
        const half2 *qp = (const half2 *)(q + ((size_t)(b * kvHeads + kvh) * AT_GROUP + g) * AT_DIM) + lane * 2;
        const float2 q0 = __half22float2(qp[0]), q1 = __half22float2(qp[1]);
        qr[g][0] = q0.x * scale;
        qr[g][1] = q0.y * scale;
        qr[g][2] = q1.x * scale;
        qr[g][3] = q1.y * scale;
        m[g] = -1e30f;
        l[g] = 0.0f;
    }
    const size_t cache = (size_t)(b * kvHeads + kvh) * seq * AT_DIM;
    for (int key = first + warp; key < last; key += AT_WARPS) {
        const uint2 kr = *(const uint2 *)(kcache + cache + (size_t)key * AT_DIM + lane * 4);
        const uint2 vr = *(const uint2 *)(vcache + cache + (size_t)key * AT_DIM + lane * 4);
        const float2 k0 = __half22float2(*(const half2 *)&kr.x), k1 = __half22float2(*(const half2 *)&kr.y);
        const float2 v0 = __half22float2(*(const half2 *)&vr.x), v1 = __half22float2(*(const half2 *)&vr.y);
        float s[AT_GROUP];
#pragma unroll
        for (int g = 0; g < AT_GROUP; ++g)
            s[g] = qr[g][0] * k0.x + qr[g][1] * k0.y + qr[g][2] * k1.x + qr[g][3] * k1.y;
#pragma unroll
        for (int o = 16; o; o >>= 1)
#pragma unroll
            for (int g = 0; g < AT_GROUP; ++g) s[g] += __shfl_xor_sync(0xffffffffu, s[g], o);
#pragma unroll
        for (int g = 0; g < AT_GROUP; ++g) {
            const float mn = fmaxf(m[g], s[g]);
            const float c = __expf(m[g] - mn), p = __expf(s[g] - mn);
            m[g] = mn;
            l[g] = l[g] * c + p;
            acc[g][0] = acc[g][0] * c + p * v0.x;
            acc[g][1] = acc[g][1] * c + p * v0.y;
            acc[g][2] = acc[g][2] * c + p * v1.x;
            acc[g][3] = acc[g][3] * c + p * v1.y;
        }
    }
#pragma unroll
    for (int g = 0; g < AT_GROUP; ++g) {
        *(float4 *)&sacc[warp][g][lane * 4] = make_float4(acc[g][0], acc[g][1], acc[g][2], acc[g][3]);
        if (lane == 0) {
            sm[warp][g] = m[g];
            sl[warp][g] = l[g];
        }
    }
    __syncthreads();
    for (int g = 0; g < AT_GROUP; ++g) {
        float mx = sm[0][g];
        for (int w = 1; w < AT_WARPS; ++w) mx = fmaxf(mx, sm[w][g]);
        float sum = 0.0f, den = 0.0f;
        for (int w = 0; w < AT_WARPS; ++w) {
            const float c = __expf(sm[w][g] - mx);
            sum += c * sacc[w][g][threadIdx.x];
            den += c * sl[w][g];
        }
        const size_t o = ((size_t)(b * kvHeads + kvh) * AT_GROUP + g) * splits + split;
        partial[o * AT_DIM + threadIdx.x] = sum;
        if (threadIdx.x == 0) stats[o] = make_float2(mx, den);
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Irregular
// ---------------------------------------------------------------------------------------------------------------

__device__ __forceinline__ unsigned mixHash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

// Graph analytics: a round of Jones-Plassmann colouring; who loses goes to the (ring) queue of the next round.
/* kmutate launch
   int n = 1200000, lo = 2, hi = 40;
   int nnz = csr_nnz(n, lo, hi);
   dim3 block = { 256 }, grid = { (n + 255) / 256 };
   int rowptr[n + 1] = csr_rowptr(n, lo, hi);
   int colidx[nnz] = csr_colidx(n);
   int colorIn[n] = randint(-2, 6);
   int colorOut[n] = zeros();
   int queue[n] = zeros();
   unsigned tail[1] = zeros();
   jonesPlassmannRound(rowptr, colidx, colorIn, colorOut, queue, tail, n);
*/
__global__ void jonesPlassmannRound(const int *__restrict__ rowptr, const int *__restrict__ colidx,
                                    const int *__restrict__ colorIn, int *__restrict__ colorOut, int *queue,
                                    unsigned *tail, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;

    const int mine = colorIn[v];
    if (mine >= 0) {
        colorOut[v] = mine;
        return;
    }
    const unsigned pv = mixHash(v);
    unsigned long long used = 0;
    const int end = rowptr[v + 1];
    for (int e = rowptr[v]; e < end; ++e) {
        const int u = colidx[e];
        if (u == v) continue;
        const int c = colorIn[u];
        if (c >= 0) {
            used |= 1ull << (c & 63);
            continue;
        }
        const unsigned pu = mixHash(u);
        if (pu > pv || (pu == pv && u > v)) {
            colorOut[v] = -1;
            queue[atomicAdd(tail, 1u) % (unsigned)n] = v;
            return;
        }
    }
    colorOut[v] = __ffsll((long long)~used) - 1;
}

// Rays: 3-D DDA through a uniform grid of instanced triangles (local to their cell), Moeller-Trumbore in each cell.
/* kmutate launch
   int width = 800, height = 450, res = 48, ntri = 40000;
   int cells = res * res * res;
   int nlist = csr_nnz(cells, 0, 6);
   dim3 block = { 8, 8 };
   dim3 grid = { (width + 7) / 8, (height + 7) / 8 };
   int cellStart[cells + 1] = csr_rowptr(cells, 0, 6);
   int cellTri[nlist] = randint(0, ntri);
   float4 v0[ntri] = uniform(0.1, 0.9);
   float4 e1[ntri] = uniform(-0.3, 0.3);
   float4 e2[ntri] = uniform(-0.3, 0.3);
   int hitTri[height][width] = zeros();
   float hitT[height][width] = zeros();
   gridTraceRays(cellStart, cellTri, v0, e1, e2, hitTri, hitT, width, height, res);
*/
__global__ void gridTraceRays(const int *__restrict__ cellStart, const int *__restrict__ cellTri,
                              const float4 *__restrict__ v0, const float4 *__restrict__ e1,
                              const float4 *__restrict__ e2, int *__restrict__ hitTri, float *__restrict__ hitT,
                              int width, int height, int res)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;

    // the camera looks along z from the face z = 0
    float dx = (px + 0.5f) / width - 0.5f + 1e-5f, dy = ((py + 0.5f) / height - 0.5f) * 0.5625f + 1e-5f, dz = 0.8f;
    const float inv = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= inv;
    dy *= inv;
    dz *= inv;
    const float ox = 0.5f * res + 0.25f, oy = 0.5f * res + 0.125f, oz = 0.01f;

    int cx = (int)ox, cy = (int)oy, cz = (int)oz;
    const int stepx = dx > 0 ? 1 : -1, stepy = dy > 0 ? 1 : -1, stepz = 1;
    const float tdx = fabsf(1.0f / dx), tdy = fabsf(1.0f / dy), tdz = fabsf(1.0f / dz);
    float tx = ((dx > 0 ? cx + 1 : cx) - ox) / dx, ty = ((dy > 0 ? cy + 1 : cy) - oy) / dy, tz = (cz + 1 - oz) / dz;

    int hit = -1;
    float best = 1e30f;
    while (cx >= 0 && cx < res && cy >= 0 && cy < res && cz < res) {
        const int cell = (cz * res + cy) * res + cx;
        const int end = cellStart[cell + 1];
        const float lx = ox - cx, ly = oy - cy, lz = oz - cz;
        for (int i = cellStart[cell]; i < end; ++i) {
            const int tri = cellTri[i];
            const float4 a = e1[tri], b = e2[tri];
            const float hx = dy * b.z - dz * b.y, hy = dz * b.x - dx * b.z, hz = dx * b.y - dy * b.x;
            const float det = a.x * hx + a.y * hy + a.z * hz;
            if (fabsf(det) < 1e-7f) continue;
            const float f = 1.0f / det;
            const float4 o = v0[tri];
            const float sx = lx - o.x, sy = ly - o.y, sz = lz - o.z;
            const float u = f * (sx * hx + sy * hy + sz * hz);
            if (u < 0.0f || u > 1.0f) continue;
            const float qx = sy * a.z - sz * a.y, qy = sz * a.x - sx * a.z, qz = sx * a.y - sy * a.x;
            const float v = f * (dx * qx + dy * qy + dz * qz);
            if (v < 0.0f || u + v > 1.0f) continue;
            const float t = f * (b.x * qx + b.y * qy + b.z * qz);
            if (t > 0.0f && t < best) {
                best = t;
                hit = tri;
            }
        }
        const float exit = fminf(tx, fminf(ty, tz));
        if (best <= exit) break;
        if (tx <= ty && tx <= tz) {
            cx += stepx;
            tx += tdx;
        } else if (ty <= tz) {
            cy += stepy;
            ty += tdy;
        } else {
            cz += stepz;
            tz += tdz;
        }
    }
    hitTri[py * width + px] = hit;
    hitT[py * width + px] = best;
}

// Finite elements: stiffness of linear tetrahedra of an unstructured mesh, scattered to CSR values by atomics.
/* kmutate launch
   int ntet = 800000, nnode = 150000, nnz = 2200000;
   dim3 block = { 192 }, grid = { (ntet + 191) / 192 };
   double px[nnode] = uniform(0, 1), py[nnode] = uniform(0, 1), pz[nnode] = uniform(0, 1);
   int n0[ntet] = ascending(0, nnode);
   int n1[ntet] = ascending(0, nnode);
   int n2[ntet] = ascending(0, nnode);
   int n3[ntet] = ascending(0, nnode);
   double kappa[ntet] = uniform(0.5, 2);
   int slot[ntet][16] = ascending(0, nnz);
   double values[nnz] = zeros();
   assembleTetDiffusion(px, py, pz, n0, n1, n2, n3, kappa, (int4 *)slot, values, ntet);
*/
__global__ void assembleTetDiffusion(const double *__restrict__ px, const double *__restrict__ py,
                                     const double *__restrict__ pz, const int *__restrict__ n0,
                                     const int *__restrict__ n1, const int *__restrict__ n2,
                                     const int *__restrict__ n3, const double *__restrict__ kappa,
                                     const int4 *__restrict__ slot, double *values, int ntet)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= ntet) return;

    const int a = n0[e], b = n1[e], c = n2[e], d = n3[e];
    const double ax = px[a], ay = py[a], az = pz[a];
    const double ux = px[b] - ax, uy = py[b] - ay, uz = pz[b] - az;
    const double vx = px[c] - ax, vy = py[c] - ay, vz = pz[c] - az;
    const double wx = px[d] - ax, wy = py[d] - ay, wz = pz[d] - az;

    double g[4][3];
    g[1][0] = vy * wz - vz * wy;
    g[1][1] = vz * wx - vx * wz;
    g[1][2] = vx * wy - vy * wx;
    g[2][0] = wy * uz - wz * uy;
    g[2][1] = wz * ux - wx * uz;
    g[2][2] = wx * uy - wy * ux;
    g[3][0] = uy * vz - uz * vy;
    g[3][1] = uz * vx - ux * vz;
    g[3][2] = ux * vy - uy * vx;
    const double det = ux * g[1][0] + uy * g[1][1] + uz * g[1][2];
    if (fabs(det) < 1e-14) return;  // a sliver
    const double w = kappa[e] / (6.0 * fabs(det));
#pragma unroll
    for (int k = 0; k < 3; ++k) g[0][k] = -g[1][k] - g[2][k] - g[3][k];

#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int4 s = slot[(size_t)e * 4 + i];
        const int id[4] = {s.x, s.y, s.z, s.w};
#pragma unroll
        for (int j = 0; j < 4; ++j)
            atomicAdd(&values[id[j]], w * (g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2]));
    }
}

// Databases: SELECT k1, k2, count(*), sum(price) WHERE day BETWEEN ... GROUP BY k1, k2 with an open-addressed table.
/* kmutate launch
   int rows = 5000000, capacity = 1 << 18;
   dim3 block = { 256 }, grid = { (rows + 255) / 256 };
   unsigned short k1[rows] = randint(0, 2000);
   unsigned char k2[rows] = randint(0, 50);
   unsigned short day[rows] = randint(0, 2557);
   int price[rows] = randint(90, 10500);
   unsigned long long tableKey[capacity] = zeros();
   unsigned tableCount[capacity] = zeros();
   unsigned long long tableSum[capacity] = zeros();
   hashGroupBySum(k1, k2, day, price, tableKey, tableCount, tableSum, rows, capacity - 1, 365, 1826);
*/
__global__ void hashGroupBySum(const unsigned short *__restrict__ k1, const unsigned char *__restrict__ k2,
                               const unsigned short *__restrict__ day, const int *__restrict__ price,
                               unsigned long long *tableKey, unsigned *tableCount, unsigned long long *tableSum,
                               int rows, unsigned mask, int dayLo, int dayHi)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const int d = day[r];
    if (d < dayLo || d >= dayHi) return;

    const unsigned long long key = ((unsigned long long)k1[r] << 32 | k2[r]) + 1;
    unsigned long long h = key * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    unsigned slot = (unsigned)h & mask;
    for (;;) {
        unsigned long long seen = *(volatile unsigned long long *)&tableKey[slot];
        if (seen == 0) seen = atomicCAS(&tableKey[slot], 0ull, key);
        if (seen == 0 || seen == key) break;
        slot = (slot + 1) & mask;
    }
    atomicAdd(&tableCount[slot], 1u);
    atomicAdd(&tableSum[slot], (unsigned long long)price[r]);
}

// Combinatorial search: n queens, the first rows by the thread's number, the rest by a stack in local memory.
/* kmutate launch
   int n = 14, depth = 4;
   int total = n * n * n * n;
   dim3 block = { 96 }, grid = { (total + 95) / 96 };
   unsigned long long solutions[1] = zeros();
   nQueensCount(solutions, n, depth, total);
*/
__global__ void nQueensCount(unsigned long long *solutions, int n, int depth, int total)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= total) return;

    const unsigned full = (1u << n) - 1;
    unsigned cols = 0, left = 0, right = 0;
    for (int i = 0; i < depth; ++i) {
        const unsigned bit = 1u << (id % n);
        id /= n;
        if (bit & (cols | left | right)) return;
        cols |= bit;
        left = ((left | bit) << 1) & full;
        right = (right | bit) >> 1;
    }

    unsigned open[24], sc[24], sl[24], sr[24];
    int d = 0;
    const int last = n - depth - 1;
    sc[0] = cols;
    sl[0] = left;
    sr[0] = right;
    open[0] = full & ~(cols | left | right);
    unsigned count = 0;
    while (d >= 0) {
        const unsigned a = open[d];
        if (a == 0) {
            --d;
            continue;
        }
        const unsigned bit = a & (0u - a);
        open[d] = a ^ bit;
        if (d == last) {
            ++count;
            continue;
        }
        const unsigned c = sc[d] | bit, l = ((sl[d] | bit) << 1) & full, r = (sr[d] | bit) >> 1;
        ++d;
        sc[d] = c;
        sl[d] = l;
        sr[d] = r;
        open[d] = full & ~(c | l | r);
    }
    if (count) atomicAdd(solutions, (unsigned long long)count);
}
