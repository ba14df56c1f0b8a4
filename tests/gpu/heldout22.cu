// The twenty-second set of kernels that nobody tuned the model of time for: half of them plain, a quarter tuned, a quarter
// irregular, of many fields, by two who had seen neither the model nor its results.

#include <cuda_fp16.h>

__constant__ unsigned char hexRule[14];
__constant__ float yeeCoeff[4];
__constant__ float edgeWeights[3];

struct Particle { float px, py, pz, vx, vy, vz, mass, radius, charge; };

/* kmutate launch
   int nx = 193, ny = 161, nz = 24, natoms = 400;
   dim3 grid = { (nx + 31) / 32, (ny + 7) / 8, nz }, block = { 32, 8 };
   float4 atoms[natoms] = uniform(0, 18);
   float pot[nx * ny * nz] = zeros();
   coulombGridPotential(atoms, natoms, pot, nx, ny, nz, 0.1f);
*/
__global__ void coulombGridPotential(const float4 *atoms, int natoms, float *pot, int nx, int ny, int nz, float h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    float x = i * h, y = j * h, z = k * h;
    float sum = 0.0f;
    for (int a = 0; a < natoms; a++) {
        float4 at = atoms[a];
        float dx = x - at.x, dy = y - at.y, dz = z - at.z;
        sum += at.w * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
    }
    pot[(k * ny + j) * nx + i] = sum;
}

/* kmutate launch
   int w = 2999, h = 2501;
   dim3 grid = { (w + 15) / 16, (h + 15) / 16 }, block = { 16, 16 };
   float u[w * h] = uniform(0.2, 1), v[w * h] = uniform(0, 0.4);
   float un[w * h], vn[w * h];
   grayScottStep(u, v, un, vn, w, h, 0.16f, 0.08f, 0.035f, 0.065f, 1.0f);
*/
__global__ void grayScottStep(const float *u, const float *v, float *un, float *vn, int w, int h,
                              float du, float dv, float feed, float kill, float dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int xl = (x + w - 1) % w, xr = (x + 1) % w;
    int yu = (y + h - 1) % h, yd = (y + 1) % h;
    int c = y * w + x;
    float uc = u[c], vc = v[c];
    float lapU = u[y * w + xl] + u[y * w + xr] + u[yu * w + x] + u[yd * w + x] - 4.0f * uc;
    float lapV = v[y * w + xl] + v[y * w + xr] + v[yu * w + x] + v[yd * w + x] - 4.0f * vc;
    float react = uc * vc * vc;
    un[c] = uc + dt * (du * lapU - react + feed * (1.0f - uc));
    vn[c] = vc + dt * (dv * lapV + react - (feed + kill) * vc);
}

/* kmutate launch
   int w = 5003, h = 3001;
   dim3 grid = { (w + 63) / 64, (h + 3) / 4 }, block = { 64, 4 };
   extern unsigned char hexRule[14] = { 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0 };
   unsigned char cells[w * h] = randint(0, 2), next[w * h];
   hexLifeGeneration(cells, next, w, h);
*/
__global__ void hexLifeGeneration(const unsigned char *cells, unsigned char *next, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int shift = (y & 1) ? 0 : -1;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++) {
        int yy = y + dy;
        if (yy < 0 || yy >= h) continue;
        if (dy == 0) {
            if (x > 0) n += cells[yy * w + x - 1];
            if (x + 1 < w) n += cells[yy * w + x + 1];
        } else {
            for (int d = 0; d < 2; d++) {
                int xx = x + shift + d;
                if (xx >= 0 && xx < w) n += cells[yy * w + xx];
            }
        }
    }
    next[y * w + x] = hexRule[cells[y * w + x] * 7 + n];
}

/* kmutate launch
   int w = 4056, h = 3040;
   dim3 grid = { (w + 31) / 32, (h + 7) / 8 }, block = { 32, 8 };
   unsigned short raw[w * h] = randint(64, 4096);
   unsigned char rgb[w * h * 3];
   bayerToRgb(raw, rgb, w, h, 64, 1.9f, 1.0f, 1.6f);
*/
__global__ void bayerToRgb(const unsigned short *raw, unsigned char *rgb, int w, int h, int black,
                           float gainR, float gainG, float gainB)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum[3] = { 0, 0, 0 };
    int cnt[3] = { 0, 0, 0 };
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            float s = (float)(raw[yy * w + xx] - black);
            int ch = (yy & 1) + (xx & 1);
            if (ch == 0) { sum[0] += s; cnt[0]++; }
            else if (ch == 1) { sum[1] += s; cnt[1]++; }
            else { sum[2] += s; cnt[2]++; }
        }
    float r = gainR * sum[0] / max(cnt[0], 1);
    float g = gainG * sum[1] / max(cnt[1], 1);
    float b = gainB * sum[2] / max(cnt[2], 1);
    unsigned char *o = rgb + 3 * (y * w + x);
    o[0] = (unsigned char)fminf(255.0f, 255.0f * powf(fmaxf(r, 0.0f) / 4096.0f, 1.0f / 2.2f));
    o[1] = (unsigned char)fminf(255.0f, 255.0f * powf(fmaxf(g, 0.0f) / 4096.0f, 1.0f / 2.2f));
    o[2] = (unsigned char)fminf(255.0f, 255.0f * powf(fmaxf(b, 0.0f) / 4096.0f, 1.0f / 2.2f));
}

/* kmutate launch
   struct Particle { float px, py, pz, vx, vy, vz, mass, radius, charge; };
   int n = 1500000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   Particle parts[n] = uniform(0.05, 1);
   float kinetic[n];
   chargedDragStep(parts, kinetic, n, make_float3(0, 0, 1.5f), 0.02f, 0.001f);
*/
__global__ void chargedDragStep(Particle *parts, float *kinetic, int n, float3 B, float drag, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float q = parts[i].charge / parts[i].mass;
    float vx = parts[i].vx, vy = parts[i].vy, vz = parts[i].vz;
    float ax = q * (vy * B.z - vz * B.y);
    float ay = q * (vz * B.x - vx * B.z);
    float az = q * (vx * B.y - vy * B.x) - 9.81f;
    float speed = sqrtf(vx * vx + vy * vy + vz * vz);
    float k = drag * parts[i].radius * parts[i].radius * speed / parts[i].mass;
    parts[i].vx = vx + dt * (ax - k * vx);
    parts[i].vy = vy + dt * (ay - k * vy);
    parts[i].vz = vz + dt * (az - k * vz);
    parts[i].px += dt * parts[i].vx;
    parts[i].py += dt * parts[i].vy;
    parts[i].pz += dt * parts[i].vz;
    if (parts[i].pz < parts[i].radius) {
        parts[i].pz = parts[i].radius;
        parts[i].vz = -0.8f * parts[i].vz;
    }
    kinetic[i] = 0.5f * parts[i].mass * speed * speed;
}

/* kmutate launch
   int channels = 20000, len = 441;
   dim3 grid = { (channels + 127) / 128 }, block = { 128 };
   float audio[channels * len] = uniform(-1, 1);
   float peak[channels], rms[channels];
   biquadPerChannel(audio, peak, rms, channels, len, 0.067f, 0.135f, 0.067f, -1.143f, 0.413f);
*/
__global__ void biquadPerChannel(float *audio, float *peak, float *rms, int channels, int len,
                                 float b0, float b1, float b2, float a1, float a2)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float *row = audio + (size_t)c * len;
    float z1 = 0, z2 = 0, top = 0, energy = 0;
    for (int t = 0; t < len; t++) {
        float x = row[t];
        float y = b0 * x + z1;
        z1 = b1 * x - a1 * y + z2;
        z2 = b2 * x - a2 * y;
        row[t] = y;
        top = fmaxf(top, fabsf(y));
        energy += y * y;
    }
    peak[c] = top;
    rms[c] = sqrtf(energy / len);
}

/* kmutate launch
   int cells = 600000, steps = 20;
   dim3 grid = { 528 }, block = { 128 };
   double mrna[cells] = uniform(0, 5), protein[cells] = uniform(0, 50);
   geneOscillatorRk2(mrna, protein, cells, steps, 0.01, 12.0, 8.0);
*/
__global__ void geneOscillatorRk2(double *mrna, double *protein, int cells, int steps, double dt, double alpha, double K)
{
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cells; c += gridDim.x * blockDim.x) {
        double m = mrna[c], p = protein[c];
        for (int s = 0; s < steps; s++) {
            double r = p / K;
            double r2 = r * r;
            double dm = alpha / (1.0 + r2 * r2) - m;
            double dp = 2.5 * m - 0.7 * p;
            double mh = m + 0.5 * dt * dm, ph = p + 0.5 * dt * dp;
            r = ph / K;
            r2 = r * r;
            m += dt * (alpha / (1.0 + r2 * r2) - mh);
            p += dt * (2.5 * mh - 0.7 * ph);
        }
        mrna[c] = m;
        protein[c] = p;
    }
}

/* kmutate launch
   int n = 160;
   dim3 grid = { (n + 31) / 32, (n + 3) / 4, (n + 1) / 2 }, block = { 32, 4, 2 };
   float ex[n * n * n], ey[n * n * n], ez[n * n * n];
   float hx[n * n * n] = normal(), hy[n * n * n] = normal(), hz[n * n * n] = normal();
   unsigned char material[n * n * n] = randint(0, 4);
   extern float yeeCoeff[4] = { 0.5f, 0.25f, 0.125f, 0.0f };
   yeeUpdateElectric(ex, ey, ez, hx, hy, hz, material, n);
*/
__global__ void yeeUpdateElectric(float *ex, float *ey, float *ez, const float *hx, const float *hy, const float *hz,
                                  const unsigned char *material, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < 1 || j < 1 || k < 1 || i >= n || j >= n || k >= n) return;
    int c = (k * n + j) * n + i;
    float cb = yeeCoeff[material[c]];
    ex[c] += cb * ((hz[c] - hz[c - n]) - (hy[c] - hy[c - n * n]));
    ey[c] += cb * ((hx[c] - hx[c - n * n]) - (hz[c] - hz[c - 1]));
    ez[c] += cb * ((hy[c] - hy[c - 1]) - (hx[c] - hx[c - n]));
}

/* kmutate launch
   int n = 200000;
   dim3 grid = { (n + 127) / 128 }, block = { 128 };
   float mats[n * 6] = normal();
   float eig[n * 3];
   int sweeps[n];
   jacobiEigen3x3(mats, eig, sweeps, n, 1e-6f);
*/
__global__ void jacobiEigen3x3(const float *mats, float *eig, int *sweeps, int n, float tol)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= n) return;
    float a = mats[m * 6], b = mats[m * 6 + 1], c = mats[m * 6 + 2];
    float ab = mats[m * 6 + 3], ac = mats[m * 6 + 4], bc = mats[m * 6 + 5];
    int it = 0;
    while (it < 12) {
        if (ab * ab + ac * ac + bc * bc < tol) break;
        if (fabsf(ab) > 1e-12f) {
            float th = (b - a) / (2.0f * ab);
            float t = copysignf(1.0f, th) / (fabsf(th) + sqrtf(th * th + 1.0f));
            float cs = rsqrtf(t * t + 1.0f), sn = t * cs;
            a -= t * ab; b += t * ab; ab = 0;
            float o = ac;
            ac = cs * o - sn * bc; bc = sn * o + cs * bc;
        }
        if (fabsf(ac) > 1e-12f) {
            float th = (c - a) / (2.0f * ac);
            float t = copysignf(1.0f, th) / (fabsf(th) + sqrtf(th * th + 1.0f));
            float cs = rsqrtf(t * t + 1.0f), sn = t * cs;
            a -= t * ac; c += t * ac; ac = 0;
            float o = ab;
            ab = cs * o - sn * bc; bc = sn * o + cs * bc;
        }
        if (fabsf(bc) > 1e-12f) {
            float th = (c - b) / (2.0f * bc);
            float t = copysignf(1.0f, th) / (fabsf(th) + sqrtf(th * th + 1.0f));
            float cs = rsqrtf(t * t + 1.0f), sn = t * cs;
            b -= t * bc; c += t * bc; bc = 0;
            float o = ab;
            ab = cs * o - sn * ac; ac = sn * o + cs * ac;
        }
        it++;
    }
    eig[m * 3] = a;
    eig[m * 3 + 1] = b;
    eig[m * 3 + 2] = c;
    sweeps[m] = it;
}

/* kmutate launch
   int n = 777777, polySides = 37;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   float2 pts[n] = uniform(-1.5, 1.5), poly[polySides] = uniform(-1.2, 1.2);
   float dist[n];
   unsigned char inside[n];
   int insideCount[1];
   pointPolygonDistance(pts, poly, dist, inside, insideCount, n, polySides);
*/
__global__ void pointPolygonDistance(const float2 *pts, const float2 *poly, float *dist, unsigned char *inside,
                                     int *insideCount, int n, int polySides)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = pts[i];
    float best = 1e30f;
    bool in = false;
    for (int s = 0, q = polySides - 1; s < polySides; q = s++) {
        float2 a = poly[q], b = poly[s];
        float ex = b.x - a.x, ey = b.y - a.y, wx = p.x - a.x, wy = p.y - a.y;
        float t = (wx * ex + wy * ey) / (ex * ex + ey * ey + 1e-20f);
        t = fminf(1.0f, fmaxf(0.0f, t));
        float dx = wx - t * ex, dy = wy - t * ey;
        best = fminf(best, dx * dx + dy * dy);
        if ((a.y > p.y) != (b.y > p.y) && p.x < ex * (p.y - a.y) / (b.y - a.y) + a.x) in = !in;
    }
    dist[i] = in ? -sqrtf(best) : sqrtf(best);
    inside[i] = in;
    if (in) atomicAdd(insideCount, 1);
}

/* kmutate launch
   int n = 1537, d = 512;
   dim3 grid = { (n + 63) / 64, (n + 63) / 64 }, block = { 16, 16 };
   float feat[n * d] = normal(), gram[n * n];
   gramMatrixTiled(feat, gram, n, d);
*/
__global__ void gramMatrixTiled(const float *feat, float *gram, int n, int d)
{
    if (blockIdx.x < blockIdx.y) return;
    __shared__ float ta[16][65], tb[16][65];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < d; k0 += 16) {
        int r = tid >> 2, kk = (tid & 3) * 4;
        float4 va = make_float4(0, 0, 0, 0), vb = va;
        if (row0 + r < n) va = *(const float4 *)(feat + (size_t)(row0 + r) * d + k0 + kk);
        if (col0 + r < n) vb = *(const float4 *)(feat + (size_t)(col0 + r) * d + k0 + kk);
        ta[kk][r] = va.x; ta[kk + 1][r] = va.y; ta[kk + 2][r] = va.z; ta[kk + 3][r] = va.w;
        tb[kk][r] = vb.x; tb[kk + 1][r] = vb.y; tb[kk + 2][r] = vb.z; tb[kk + 3][r] = vb.w;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) { a[i] = ta[k][ty + 16 * i]; b[i] = tb[k][tx + 16 * i]; }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int r = row0 + ty + 16 * i, c = col0 + tx + 16 * j;
            if (r < n && c < n) gram[(size_t)r * n + c] = acc[i][j];
        }
}

/* kmutate launch
   int n = 20480;
   dim3 grid = { n / 128 }, block = { 128 };
   float4 pos[n] = uniform(0, 20);
   float4 force[n];
   lennardJonesAllPairs(pos, force, n, 0.8f, 1.0f, 6.25f);
*/
__global__ void lennardJonesAllPairs(const float4 *pos, float4 *force, int n, float eps, float sigma2, float cut2)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float fx = 0, fy = 0, fz = 0, e = 0;
    for (int base = 0; base < n; base += 128) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(1e9f, 1e9f, 1e9f, 0);
        __syncthreads();
#pragma unroll 8
        for (int t = 0; t < 128; t++) {
            float4 o = tile[t];
            float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
            float r2 = dx * dx + dy * dy + dz * dz;
            float inv = __frcp_rn(r2 + 1e-3f) * sigma2;
            float i6 = inv * inv * inv;
            float w = (r2 < cut2 && r2 > 0.0f) ? eps : 0.0f;
            float f = 24.0f * w * inv * i6 * (2.0f * i6 - 1.0f);
            fx += f * dx; fy += f * dy; fz += f * dz;
            e += 2.0f * w * i6 * (i6 - 1.0f);
        }
        __syncthreads();
    }
    if (i < n) force[i] = make_float4(fx, fy, fz, e);
}

/* kmutate launch
   int frames = 262144;
   dim3 grid = { frames / 64 }, block = { 256 };
   float samples[frames * 32] = normal();
   half mag[frames * 32];
   shortFrameSpectrumHalf(samples, mag, frames);
*/
__global__ void shortFrameSpectrumHalf(const float *samples, half *mag, int frames)
{
    __shared__ float2 tw[32];
    __shared__ float window[32];
    if (threadIdx.x < 32) {
        int span = threadIdx.x == 0 ? 1 : 1 << (31 - __clz(threadIdx.x));
        float s, c;
        sincospif(-(float)(threadIdx.x & (span - 1)) / span, &s, &c);
        tw[threadIdx.x] = make_float2(c, s);
        window[threadIdx.x] = 0.5f - 0.5f * cospif(threadIdx.x / 16.0f);
    }
    __syncthreads();
    int lane = threadIdx.x & 31;
    int warp = blockIdx.x * 8 + (threadIdx.x >> 5);
    int rev = __brev(lane) >> 27;
    float win = window[lane];
    for (int f = 0; f < 8; f++) {
        int frame = warp * 8 + f;
        if (frame >= frames) break;
        float re = samples[(size_t)frame * 32 + lane] * win, im = 0.0f;
#pragma unroll
        for (int span = 16; span >= 1; span >>= 1) {
            float ore = __shfl_xor_sync(0xffffffffu, re, span);
            float oim = __shfl_xor_sync(0xffffffffu, im, span);
            if (lane & span) {
                float2 w = tw[span + (lane & (span - 1))];
                float dr = ore - re, di = oim - im;
                re = dr * w.x - di * w.y;
                im = dr * w.y + di * w.x;
            } else {
                re += ore;
                im += oim;
            }
        }
        mag[(size_t)frame * 32 + rev] = __float2half(sqrtf(re * re + im * im));
    }
}

/* kmutate launch
   int w = 3840, h = 2160;
   dim3 grid = { w / 128, (h + 15) / 16 }, block = { 32, 8 };
   unsigned int image[w * h / 4] = randint(0, 0x7fffffff);
   unsigned int gradient[w * h / 4];
   extern float edgeWeights[3] = { 3.0f, 10.0f, 3.0f };
   scharrEdgesPacked(image, gradient, w, h);
*/
__global__ void scharrEdgesPacked(const unsigned int *image, unsigned int *gradient, int w, int h)
{
    __shared__ __align__(4) unsigned char tile[18][136];
    int words = w / 4;
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int r = threadIdx.y; r < 18; r += 8) {
        int y = min(max(y0 + r - 1, 0), h - 1);
        for (int c = threadIdx.x; c < 34; c += 32) {
            int x = min(max(x0 + c - 1, 0), words - 1);
            *(unsigned int *)&tile[r][c * 4] = image[y * words + x];
        }
    }
    __syncthreads();
    float w0 = edgeWeights[0], w1 = edgeWeights[1], w2 = edgeWeights[2];
    for (int r = threadIdx.y; r < 16; r += 8) {
        int y = y0 + r;
        if (y >= h || x0 + threadIdx.x >= words) continue;
        unsigned int out = 0;
#pragma unroll
        for (int p = 0; p < 4; p++) {
            int c = 4 + threadIdx.x * 4 + p;
            float l = w0 * tile[r][c - 1] + w1 * tile[r + 1][c - 1] + w2 * tile[r + 2][c - 1];
            float q = w0 * tile[r][c + 1] + w1 * tile[r + 1][c + 1] + w2 * tile[r + 2][c + 1];
            float t = w0 * tile[r][c - 1] + w1 * tile[r][c] + w2 * tile[r][c + 1];
            float b = w0 * tile[r + 2][c - 1] + w1 * tile[r + 2][c] + w2 * tile[r + 2][c + 1];
            float g = sqrtf((q - l) * (q - l) + (b - t) * (b - t)) * (1.0f / 16.0f);
            out |= (unsigned int)fminf(g, 255.0f) << (8 * p);
        }
        gradient[y * words + x0 + threadIdx.x] = out;
    }
}

/* kmutate launch
   int rows = 5000, cols = 4100;
   dim3 grid = { rows }, block = { 256 };
   float spectra[rows * cols] = uniform(0, 100);
   float tic[rows], basePeak[rows];
   int baseIndex[rows];
   normalizeMassSpectra(spectra, tic, basePeak, baseIndex, cols);
*/
__global__ void normalizeMassSpectra(float *spectra, float *tic, float *basePeak, int *baseIndex, int cols)
{
    __shared__ float sSum[8], sMax[8];
    __shared__ int sIdx[8];
    float4 *row = (float4 *)(spectra + (size_t)blockIdx.x * cols);
    int quads = cols >> 2;
    float sum = 0, best = -1;
    int idx = 0;
    for (int q = threadIdx.x; q < quads; q += blockDim.x) {
        float4 v = row[q];
        sum += (v.x + v.y) + (v.z + v.w);
        if (v.x > best) { best = v.x; idx = q * 4; }
        if (v.y > best) { best = v.y; idx = q * 4 + 1; }
        if (v.z > best) { best = v.z; idx = q * 4 + 2; }
        if (v.w > best) { best = v.w; idx = q * 4 + 3; }
    }
    for (int o = 16; o; o >>= 1) {
        sum += __shfl_down_sync(0xffffffffu, sum, o);
        float ob = __shfl_down_sync(0xffffffffu, best, o);
        int oi = __shfl_down_sync(0xffffffffu, idx, o);
        if (ob > best) { best = ob; idx = oi; }
    }
    int wid = threadIdx.x >> 5;
    if ((threadIdx.x & 31) == 0) { sSum[wid] = sum; sMax[wid] = best; sIdx[wid] = idx; }
    __syncthreads();
    float total = 0;
    for (int i = 0; i < 8; i++) total += sSum[i];
    float inv = 1.0f / fmaxf(total, 1e-12f);
    if (threadIdx.x == 0) {
        int b = 0;
        for (int i = 1; i < 8; i++) if (sMax[i] > sMax[b]) b = i;
        tic[blockIdx.x] = total;
        basePeak[blockIdx.x] = sMax[b];
        baseIndex[blockIdx.x] = sIdx[b];
    }
    for (int q = threadIdx.x; q < quads; q += blockDim.x) {
        float4 v = row[q];
        v.x *= inv; v.y *= inv; v.z *= inv; v.w *= inv;
        row[q] = v;
    }
}

/* kmutate launch
   int n = 600000, depth = 17;
   dim3 grid = { (n + 191) / 192 }, block = { 192 };
   float3 query[n] = uniform(0, 1);
   float nodeSplit[(1 << depth) - 1] = uniform(0.35, 0.65);
   unsigned char nodeAxis[(1 << depth) - 1] = randint(0, 3);
   float leafDensity[1 << depth] = uniform(0, 1);
   int leafOf[n], hits[1 << depth];
   float density[n];
   kdTreeLocate(query, nodeSplit, nodeAxis, leafDensity, leafOf, hits, density, n, depth);
*/
__global__ void kdTreeLocate(const float3 *query, const float *nodeSplit, const unsigned char *nodeAxis,
                             const float *leafDensity, int *leafOf, int *hits, float *density, int n, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 q = query[i];
    float volume = 1.0f;
    int node = 0;
    for (int level = 0; level < depth; level++) {
        float s = nodeSplit[node];
        int ax = nodeAxis[node];
        float v = ax == 0 ? q.x : ax == 1 ? q.y : q.z;
        int right = v >= s;
        if (right) { v = (v - s) / (1.0f - s); volume *= 1.0f - s; }
        else { v = v / s; volume *= s; }
        if (ax == 0) q.x = v;
        else if (ax == 1) q.y = v;
        else q.z = v;
        node = 2 * node + 1 + right;
    }
    int leaf = node - ((1 << depth) - 1);
    leafOf[i] = leaf;
    density[i] = leafDensity[leaf] / volume;
    atomicAdd(&hits[leaf], 1);
}

/* kmutate launch
   int g = 40;
   int cells = g * g * g;
   int n = csr_nnz(cells, 1, 9);
   dim3 grid = { (cells + 63) / 64 }, block = { 64 };
   int cellStart[cells + 1] = csr_rowptr(cells, 1, 9);
   float3 local[n] = uniform(0, 1);
   float mass[n] = uniform(0.9, 1.1), rho[n];
   int neighbours[n];
   sphDensityByCell(cellStart, local, mass, rho, neighbours, g);
*/
__global__ void sphDensityByCell(const int *cellStart, const float3 *local, const float *mass, float *rho,
                                 int *neighbours, int g)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= g * g * g) return;
    int cx = cell % g, cy = (cell / g) % g, cz = cell / (g * g);
    for (int p = cellStart[cell]; p < cellStart[cell + 1]; p++) {
        float3 a = local[p];
        float sum = 0.0f;
        int count = 0;
        for (int dz = -1; dz <= 1; dz++) {
            if (cz + dz < 0 || cz + dz >= g) continue;
            for (int dy = -1; dy <= 1; dy++) {
                if (cy + dy < 0 || cy + dy >= g) continue;
                for (int dx = -1; dx <= 1; dx++) {
                    if (cx + dx < 0 || cx + dx >= g) continue;
                    int other = cell + (dz * g + dy) * g + dx;
                    int end = cellStart[other + 1];
                    for (int q = cellStart[other]; q < end; q++) {
                        float3 b = local[q];
                        float rx = b.x + dx - a.x, ry = b.y + dy - a.y, rz = b.z + dz - a.z;
                        float r2 = rx * rx + ry * ry + rz * rz;
                        if (r2 < 1.0f) {
                            float w = 1.0f - r2;
                            sum += mass[q] * w * w * w;
                            count++;
                        }
                    }
                }
            }
        }
        rho[p] = 1.5666815f * sum;
        neighbours[p] = count - 1;
    }
}

/* kmutate launch
   int nv = 500000, nt = 1000001;
   dim3 grid = { 792 }, block = { 256 };
   int ia[nt] = ascending(0, nv), ib[nt] = ascending(0, nv), ic[nt] = ascending(0, nv);
   float verts[nv * 3] = normal();
   float normals[nv * 3], area[1];
   accumulateVertexNormals(ia, ib, ic, verts, normals, area, nt);
*/
__global__ void accumulateVertexNormals(const int *ia, const int *ib, const int *ic, const float *verts,
                                        float *normals, float *area, int nt)
{
    float mine = 0.0f;
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < nt; t += gridDim.x * blockDim.x) {
        int a = ia[t], b = ib[t], c = ic[t];
        if (a == b || b == c || a == c) continue;
        float ux = verts[b * 3] - verts[a * 3], uy = verts[b * 3 + 1] - verts[a * 3 + 1], uz = verts[b * 3 + 2] - verts[a * 3 + 2];
        float vx = verts[c * 3] - verts[a * 3], vy = verts[c * 3 + 1] - verts[a * 3 + 1], vz = verts[c * 3 + 2] - verts[a * 3 + 2];
        float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        int idx[3] = { a, b, c };
        for (int k = 0; k < 3; k++) {
            atomicAdd(&normals[idx[k] * 3], nx);
            atomicAdd(&normals[idx[k] * 3 + 1], ny);
            atomicAdd(&normals[idx[k] * 3 + 2], nz);
        }
        mine += 0.5f * sqrtf(nx * nx + ny * ny + nz * nz);
    }
    for (int o = 16; o; o >>= 1) mine += __shfl_down_sync(0xffffffffu, mine, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(area, mine);
}

/* kmutate launch
   int reads = 20000, len = 101, k = 10;
   int slots = 1 << 21;
   dim3 grid = { (reads + 127) / 128 }, block = { 128 };
   unsigned char bases[reads * len] = randint(0, 4);
   unsigned int keys[slots] = zeros(), counts[slots] = zeros();
   int distinct[1];
   kmerHashCount(bases, keys, counts, distinct, reads, len, k, slots - 1);
*/
__global__ void kmerHashCount(const unsigned char *bases, unsigned int *keys, unsigned int *counts, int *distinct,
                              int reads, int len, int k, unsigned int mask)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= reads) return;
    const unsigned char *seq = bases + (size_t)r * len;
    unsigned int code = 0, keep = (1u << (2 * k)) - 1u;
    int fresh = 0;
    for (int i = 0; i < len; i++) {
        code = ((code << 2) | seq[i]) & keep;
        if (i < k - 1) continue;
        unsigned int key = code + 1u;
        unsigned int h = code * 2654435761u;
        h ^= h >> 15;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        unsigned int slot = h & mask;
        while (true) {
            unsigned int old = atomicCAS(&keys[slot], 0u, key);
            if (old == 0u) fresh++;
            if (old == 0u || old == key) {
                atomicAdd(&counts[slot], 1u);
                break;
            }
            slot = (slot + 1) & mask;
        }
    }
    if (fresh) atomicAdd(distinct, fresh);
}

/* kmutate launch
   int rows = 150000;
   int nnz = csr_nnz(rows, 5, 60);
   dim3 grid = { (rows + 3) / 4 }, block = { 32, 4 };
   int rowptr[rows + 1] = csr_rowptr(rows, 5, 60);
   int colidx[nnz] = csr_colidx(rows);
   double vals[nnz] = uniform(-1, 1), x[rows] = normal(), b[rows] = normal(), diag[rows] = uniform(30, 60);
   double xNew[rows], residual[rows];
   sparseJacobiSweep(rowptr, colidx, vals, diag, x, b, xNew, residual, rows, 0.8);
*/
__global__ void sparseJacobiSweep(const int *rowptr, const int *colidx, const double *vals, const double *diag,
                                  const double *x, const double *b, double *xNew, double *residual, int rows, double omega)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    int lane = threadIdx.x;
    double sum = 0.0;
    for (int p = rowptr[row] + lane; p < rowptr[row + 1]; p += 32) sum += vals[p] * x[colidx[p]];
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) {
        double d = diag[row], xi = x[row];
        double r = b[row] - sum - d * xi;
        xNew[row] = xi + omega * r / d;
        residual[row] = r * r;
    }
}

#include <stdint.h>

/* ---------------------------------------------------------------- finance */

struct OptionQuote {
    float spot, strike, rate, sigma, expiry;
    float price, delta;
};

__device__ inline float normal_cdf(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

/* kmutate launch
   struct OptionQuote { float spot, strike, rate, sigma, expiry; float price, delta; };
   int n = 2000003;
   dim3 grid = { 1320 }, block = { 192 };
   struct OptionQuote book[n] = uniform(0.1, 1.5);
   reprice_option_book(book, n);
*/
__global__ void reprice_option_book(OptionQuote *book, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float s = book[i].spot;
        float k = book[i].strike;
        float r = book[i].rate;
        float v = book[i].sigma;
        float t = book[i].expiry;
        float sq = v * sqrtf(t);
        float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / sq;
        float d2 = d1 - sq;
        float nd1 = normal_cdf(d1);
        book[i].price = s * nd1 - k * expf(-r * t) * normal_cdf(d2);
        book[i].delta = nd1;
    }
}

/* kmutate launch
   int paths = 160000, steps = 63;
   dim3 grid = { (paths + 127) / 128 }, block = { 128 };
   float shocks[steps * paths] = normal();
   float payoff[paths], lowest[paths];
   asian_barrier_payoff(shocks, payoff, lowest, paths, steps, 100.0f, 98.0f, 70.0f, 0.0001f, 0.0126f);
*/
__global__ void asian_barrier_payoff(const float *shocks, float *payoff, float *lowest, int paths, int steps,
                                     float s0, float strike, float barrier, float drift, float vol)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    float s = s0, sum = 0.0f, low = s0;
    for (int t = 0; t < steps; t++) {
        s *= expf(drift + vol * shocks[(size_t)t * paths + p]);
        low = fminf(low, s);
        if (s < barrier) break;
        sum += s;
    }
    lowest[p] = low;
    payoff[p] = low < barrier ? 0.0f : fmaxf(sum / steps - strike, 0.0f);
}

/* kmutate launch
   int bonds = 150000, flows = 41;
   dim3 grid = { (bonds + 255) / 256 }, block = { 256 };
   double coupon[bonds * flows] = uniform(0.5, 4);
   double price[bonds] = uniform(60, 110);
   double yield[bonds], duration[bonds];
   bond_yield_newton(coupon, price, yield, duration, bonds, flows);
*/
__global__ void bond_yield_newton(const double *coupon, const double *price, double *yield, double *duration,
                                  int bonds, int flows)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bonds) return;
    double y = 0.05, target = price[b], dpv = 0.0;
    for (int it = 0; it < 8; it++) {
        double pv = 0.0, disc = 1.0, q = 1.0 / (1.0 + y);
        dpv = 0.0;
        for (int k = 0; k < flows; k++) {
            disc *= q;
            double c = coupon[(size_t)b * flows + k] * disc;
            pv += c;
            dpv -= (k + 1) * c * q;
        }
        double step = (pv - target) / dpv;
        y -= step;
        if (fabs(step) < 1e-9) break;
    }
    yield[b] = y;
    duration[b] = -dpv / target;
}

/* --------------------------------------------------- codes and compression */

__constant__ unsigned char c_gf_exp[512];
__constant__ unsigned char c_gf_log[256];

/* kmutate launch
   int words = 60000;
   dim3 grid = { (words + 127) / 128 }, block = { 128 };
   __constant__ unsigned char c_gf_exp[512] = randint(1, 256);
   __constant__ unsigned char c_gf_log[256] = randint(0, 255);
   unsigned char data[words * 255] = randint(0, 256);
   unsigned char synd[words * 8];
   unsigned bad[1] = zeros();
   reed_solomon_syndromes(data, synd, bad, words);
*/
__global__ void reed_solomon_syndromes(const unsigned char *data, unsigned char *synd, unsigned *bad, int words)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    const unsigned char *code = data + (size_t)w * 255;
    unsigned char s[8];
    for (int j = 0; j < 8; j++) s[j] = 0;
    for (int i = 0; i < 255; i++) {
        unsigned char c = code[i];
#pragma unroll
        for (int j = 0; j < 8; j++)
            s[j] = (s[j] ? c_gf_exp[c_gf_log[s[j]] + j] : 0) ^ c;
    }
    int any = 0;
    for (int j = 0; j < 8; j++) {
        synd[w * 8 + j] = s[j];
        any |= s[j];
    }
    if (any) atomicAdd(bad, 1u);
}

/* kmutate launch
   int blocks = 80000;
   dim3 grid = { (blocks + 127) / 128 }, block = { 128 };
   uint4 data[blocks * 32] = randint(0, 1u << 31);
   unsigned table[1024] = randint(0, 1u << 31);
   unsigned crc[blocks];
   crc_slice_by_four(data, table, crc, blocks);
*/
__global__ void crc_slice_by_four(const uint4 *data, const unsigned *table, unsigned *crc, int blocks)
{
    __shared__ unsigned t[4][256];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) t[i >> 8][i & 255] = table[i];
    __syncthreads();
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    unsigned c = 0xffffffffu;
    for (int i = 0; i < 32; i++) {
        uint4 v = data[(size_t)b * 32 + i];
        unsigned w[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
        for (int k = 0; k < 4; k++) {
            c ^= w[k];
            c = t[3][c & 255] ^ t[2][(c >> 8) & 255] ^ t[1][(c >> 16) & 255] ^ t[0][c >> 24];
        }
    }
    crc[b] = ~c;
}

/* ---------------------------------------------------------------- networks */

/* kmutate launch
   int packets = 3000000, groups = 4096;
   dim3 grid = { (packets + 255) / 256 }, block = { 256 };
   unsigned dst[packets] = randint(0, 4294967296);
   unsigned short length[packets] = randint(40, 1500);
   int root[65536] = randint(-4096, 9000);
   int mid[groups * 256] = randint(-2048, 9000);
   short leaf[2048 * 256] = randint(0, 256);
   short port[packets];
   unsigned bytes_out[9000] = zeros();
   route_longest_prefix(dst, length, root, mid, leaf, port, bytes_out, packets);
*/
__global__ void route_longest_prefix(const unsigned *dst, const unsigned short *length, const int *root,
                                     const int *mid, const short *leaf, short *port, unsigned *bytes_out, int packets)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= packets) return;
    unsigned a = dst[i];
    int hop = root[a >> 16];
    if (hop < 0) {
        hop = mid[(-hop - 1) * 256 + ((a >> 8) & 255)];
        if (hop < 0) hop = leaf[(-hop - 1) * 256 + (a & 255)];
    }
    port[i] = (short)hop;
    atomicAdd(&bytes_out[hop], (unsigned)length[i]);
}

struct Ipv4Header {
    unsigned char version, tos;
    unsigned short total, id, frag;
    unsigned char ttl, proto;
    unsigned short sum;
    unsigned short src_hi, src_lo, dst_hi, dst_lo;
};

/* kmutate launch
   struct Ipv4Header { unsigned char version, tos; unsigned short total, id, frag; unsigned char ttl, proto;
                       unsigned short sum; unsigned short src_hi, src_lo, dst_hi, dst_lo; };
   int n = 4000000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   unsigned short raw[n * 10] = randint(0, 65536);
   unsigned char drop[n];
   unsigned expired[1] = zeros();
   forward_ipv4_headers((struct Ipv4Header *)raw, drop, expired, n);
*/
__global__ void forward_ipv4_headers(Ipv4Header *h, unsigned char *drop, unsigned *expired, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (h[i].ttl <= 1) {
        drop[i] = 1;
        atomicAdd(expired, 1u);
        return;
    }
    h[i].ttl = h[i].ttl - 1;
    unsigned sum = h[i].version | h[i].tos << 8;
    sum += h[i].total;
    sum += h[i].id;
    sum += h[i].frag;
    sum += h[i].ttl | h[i].proto << 8;
    sum += h[i].src_hi;
    sum += h[i].src_lo;
    sum += h[i].dst_hi;
    sum += h[i].dst_lo;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    h[i].sum = (unsigned short)~sum;
    drop[i] = 0;
}

/* --------------------------------------------------------------- databases */

/* kmutate launch
   int probes = 3000000, buckets = 262144;
   int rows = csr_nnz(buckets, 0, 7);
   dim3 grid = { (probes + 191) / 192 }, block = { 192 };
   unsigned probe_key[probes] = randint(0, 1000000);
   int bucket_start[buckets + 1] = csr_rowptr(buckets, 0, 7);
   unsigned char build_tag[rows] = randint(0, 16);
   int build_payload[rows] = randint(0, 100000);
   int out_left[probes], out_right[probes];
   int count[1] = zeros();
   hash_join_probe_first(probe_key, bucket_start, build_tag, build_payload, out_left, out_right, count, probes, buckets - 1);
*/
__global__ void hash_join_probe_first(const unsigned *probe_key, const int *bucket_start, const unsigned char *build_tag,
                                      const int *build_payload, int *out_left, int *out_right, int *count,
                                      int probes, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    unsigned key = probe_key[i];
    unsigned h = key * 2654435769u;
    unsigned tag = h >> 28;
    h = (h ^ (h >> 15)) & mask;
    int end = bucket_start[h + 1];
    for (int j = bucket_start[h]; j < end; j++) {
        if (build_tag[j] == tag) {
            int slot = atomicAdd(count, 1);
            out_left[slot] = i;
            out_right[slot] = build_payload[j];
            return;
        }
    }
}

/* kmutate launch
   int n = 1500000, capacity = 4194304;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   unsigned keys[n] = randint(1, 900000);
   float amount[n] = uniform(0, 100);
   unsigned slots[capacity] = zeros();
   float total[capacity] = zeros();
   unsigned distinct[1] = zeros();
   group_by_sum_hashed(keys, amount, slots, total, distinct, n, capacity - 1);
*/
__global__ void group_by_sum_hashed(const unsigned *keys, const float *amount, unsigned *slots, float *total,
                                    unsigned *distinct, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i];
    unsigned h = key;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h &= mask;
    while (true) {
        unsigned old = atomicCAS(&slots[h], 0u, key);
        if (old == 0u) atomicAdd(distinct, 1u);
        if (old == 0u || old == key) break;
        h = (h + 1) & mask;
    }
    atomicAdd(&total[h], amount[i]);
}

/* kmutate launch
   int rows = 6000000;
   dim3 grid = { 792 }, block = { 256 };
   int ship_day[rows] = randint(0, 2500);
   float price[rows] = uniform(900, 100000);
   float discount[rows] = uniform(0, 0.1);
   unsigned char quantity[rows] = randint(1, 51);
   double revenue[1] = zeros();
   unsigned long long matched[1] = zeros();
   scan_discounted_revenue(ship_day, price, discount, quantity, revenue, matched, rows, 365, 1100);
*/
__global__ void scan_discounted_revenue(const int *ship_day, const float *price, const float *discount,
                                        const unsigned char *quantity, double *revenue, unsigned long long *matched,
                                        int rows, int first_day, int last_day)
{
    double sum = 0.0;
    unsigned hits = 0;
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
        int d = ship_day[r];
        if (d < first_day || d >= last_day) continue;
        if (quantity[r] >= 24) continue;
        float off = discount[r];
        if (off < 0.02f || off > 0.09f) continue;
        sum += (double)price[r] * off;
        hits++;
    }
    for (int o = 16; o > 0; o >>= 1) {
        sum += __shfl_down_sync(0xffffffffu, sum, o);
        hits += __shfl_down_sync(0xffffffffu, hits, o);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(revenue, sum);
        atomicAdd(matched, (unsigned long long)hits);
    }
}

/* -------------------------------------------------------------- statistics */

/* kmutate launch
   int samples = 16384, vars = 768, chunk = 2048;
   dim3 grid = { vars / 64, vars / 64, samples / chunk }, block = { 16, 16 };
   float x[samples * vars] = normal();
   float mean[vars] = uniform(-0.02, 0.02);
   float cov[vars * vars] = zeros();
   covariance_tile_64(x, mean, cov, vars, chunk, 0.000061f);
*/
__global__ void __launch_bounds__(256) covariance_tile_64(const float *__restrict__ x, const float *__restrict__ mean,
                                                          float *__restrict__ cov, int vars, int chunk, float scale)
{
    if (blockIdx.y > blockIdx.x) return;
    __shared__ float a[16][64];
    __shared__ float b[16][64];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col_a = blockIdx.y * 64, col_b = blockIdx.x * 64;
    float4 ma = *(const float4 *)(mean + col_a + tx * 4);
    float4 mb = *(const float4 *)(mean + col_b + tx * 4);
    float acc[4][4] = {};
    int first = blockIdx.z * chunk;
    for (int s = first; s < first + chunk; s += 16) {
        float4 va = *(const float4 *)(x + (size_t)(s + ty) * vars + col_a + tx * 4);
        float4 vb = *(const float4 *)(x + (size_t)(s + ty) * vars + col_b + tx * 4);
        *(float4 *)&a[ty][tx * 4] = make_float4(va.x - ma.x, va.y - ma.y, va.z - ma.z, va.w - ma.w);
        *(float4 *)&b[ty][tx * 4] = make_float4(vb.x - mb.x, vb.y - mb.y, vb.z - mb.z, vb.w - mb.w);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 p = *(const float4 *)&a[k][ty * 4];
            float4 q = *(const float4 *)&b[k][tx * 4];
            float pr[4] = { p.x, p.y, p.z, p.w }, qr[4] = { q.x, q.y, q.z, q.w };
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += pr[i] * qr[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            atomicAdd(&cov[(size_t)(col_a + ty * 4 + i) * vars + col_b + tx * 4 + j], acc[i][j] * scale);
}

/* kmutate launch
   int series = 50000, len = 201;
   dim3 grid = { (series + 127) / 128 }, block = { 128 };
   float x[series * len] = normal(5, 2);
   float mean[series], var[series], skew[series], lag1[series];
   series_moments(x, mean, var, skew, lag1, series, len);
*/
__global__ void series_moments(const float *x, float *mean, float *var, float *skew, float *lag1, int series, int len)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= series) return;
    const float *v = x + s * len;
    float m = 0.0f, m2 = 0.0f, m3 = 0.0f;
    for (int i = 0; i < len; i++) {
        float n1 = i, n = i + 1;
        float d = v[i] - m;
        float dn = d / n;
        float term = d * dn * n1;
        m += dn;
        m3 += term * dn * (n - 2.0f) - 3.0f * dn * m2;
        m2 += term;
    }
    float auto1 = 0.0f;
    for (int i = 1; i < len; i++) auto1 += (v[i] - m) * (v[i - 1] - m);
    mean[s] = m;
    var[s] = m2 / (len - 1);
    skew[s] = sqrtf((float)len) * m3 / (m2 * sqrtf(m2));
    lag1[s] = auto1 / m2;
}

/* -------------------------------------------------------- machine learning */

/* kmutate launch
   int rows = 24000, width = 1536;
   dim3 grid = { rows / 4 }, block = { 32, 4 };
   half x[rows * width] = normal();
   half residual[rows * width] = normal();
   half gain[width] = uniform(0.5, 1.5);
   half out[rows * width];
   float inv_rms[rows];
   rmsnorm_residual_half(x, residual, gain, out, inv_rms, rows, width, 0.00001f);
*/
__global__ void rmsnorm_residual_half(const half *__restrict__ x, half *__restrict__ residual,
                                      const half *__restrict__ gain, half *__restrict__ out,
                                      float *__restrict__ inv_rms, int rows, int width, float eps)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const uint4 *xv = (const uint4 *)(x + (size_t)row * width);
    uint4 *rv = (uint4 *)(residual + (size_t)row * width);
    uint4 *ov = (uint4 *)(out + (size_t)row * width);
    const uint4 *gv = (const uint4 *)gain;
    int n = width / 8;
    float ss = 0.0f;
    for (int i = threadIdx.x; i < n; i += 32) {
        uint4 a = xv[i], b = rv[i];
        half2 *ah = (half2 *)&a, *bh = (half2 *)&b;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            bh[k] = __hadd2(ah[k], bh[k]);
            float2 f = __half22float2(bh[k]);
            ss += f.x * f.x + f.y * f.y;
        }
        rv[i] = b;
    }
    for (int o = 16; o > 0; o >>= 1) ss += __shfl_xor_sync(0xffffffffu, ss, o);
    float inv = rsqrtf(ss / width + eps);
    if (threadIdx.x == 0) inv_rms[row] = inv;
    for (int i = threadIdx.x; i < n; i += 32) {
        uint4 b = rv[i], g = gv[i];
        half2 *bh = (half2 *)&b, *gh = (half2 *)&g;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 f = __half22float2(bh[k]), w = __half22float2(gh[k]);
            bh[k] = __floats2half2_rn(f.x * inv * w.x, f.y * inv * w.y);
        }
        ov[i] = b;
    }
}

/* kmutate launch
   int n = 10000000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   float weight[n] = normal(0, 0.02), grad[n] = normal(0, 0.001);
   float m[n] = normal(0, 0.001), v[n] = uniform(0, 0.00001);
   half shadow[n];
   adamw_update(weight, grad, m, v, shadow, n, 0.0003f, 0.9f, 0.95f, 0.00000001f, 0.1f, 0.65f, 0.4f);
*/
__global__ void adamw_update(float *weight, const float *grad, float *m, float *v, half *shadow, int n, float lr,
                             float beta1, float beta2, float eps, float decay, float bias1, float bias2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float g = grad[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float step = (m[i] / bias1) / (sqrtf(v[i] / bias2) + eps);
        weight[i] -= lr * (step + decay * weight[i]);
        shadow[i] = __float2half(weight[i]);
    }
}

/* kmutate launch
   int rows = 400000, classes = 21;
   dim3 grid = { (rows + 255) / 256 }, block = { 256 };
   float logits[rows * classes] = normal(0, 2);
   unsigned char label[rows] = randint(0, 22);
   float grad[rows * classes];
   float loss[rows];
   focal_loss_backward(logits, label, grad, loss, rows, classes, 2.0f);
*/
__global__ void focal_loss_backward(const float *logits, const unsigned char *label, float *grad, float *loss,
                                    int rows, int classes, float gamma)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int y = label[r];
    if (y == classes) {                 /* unlabelled */
        loss[r] = 0.0f;
        for (int c = 0; c < classes; c++) grad[r * classes + c] = 0.0f;
        return;
    }
    float top = -1e30f, sum = 0.0f;
    for (int c = 0; c < classes; c++) top = fmaxf(top, logits[r * classes + c]);
    for (int c = 0; c < classes; c++) sum += expf(logits[r * classes + c] - top);
    float logp = logits[r * classes + y] - top - logf(sum);
    float p = expf(logp);
    float q = 1.0f - p;
    loss[r] = -powf(q, gamma) * logp;
    float scale = gamma * powf(q, gamma - 1.0f) * p * logp - powf(q, gamma);
    for (int c = 0; c < classes; c++) {
        float pc = expf(logits[r * classes + c] - top) / sum;
        grad[r * classes + c] = scale * ((c == y ? 1.0f : 0.0f) - pc);
    }
}

/* kmutate launch
   int vocab = 200000, dim = 96, bags = 30000;
   int items = csr_nnz(bags, 1, 40);
   dim3 grid = { bags }, block = { dim };
   float table[vocab * dim] = normal(0, 0.1);
   int offset[bags + 1] = csr_rowptr(bags, 1, 40);
   int item[items] = randint(0, vocab);
   float weight[items] = uniform(0, 1);
   float out[bags * dim];
   embedding_bag_weighted(table, offset, item, weight, out, dim);
*/
__global__ void embedding_bag_weighted(const float *table, const int *offset, const int *item, const float *weight,
                                       float *out, int dim)
{
    int bag = blockIdx.x;
    int d = threadIdx.x;
    int start = offset[bag], end = offset[bag + 1];
    float acc = 0.0f, norm = 0.0f;
    for (int j = start; j < end; j++) {
        float w = weight[j];
        acc += w * table[(size_t)item[j] * dim + d];
        norm += w;
    }
    out[(size_t)bag * dim + d] = acc / fmaxf(norm, 1e-6f);
}

/* kmutate launch
   int heads = 16, sequences = 48, keys = 1000;
   dim3 grid = { heads, sequences }, block = { 16, 2, 4 };
   half q[sequences * heads * 128] = normal();
   half k[sequences * keys * 4 * 128] = normal();
   half v[sequences * keys * 4 * 128] = normal();
   int length[sequences] = randint(300, 1001);
   float out[sequences * heads * 128];
   decode_attention_grouped(q, k, v, length, out, keys, 0.0883883f);
*/
__global__ void __launch_bounds__(128) decode_attention_grouped(const half *__restrict__ q, const half *__restrict__ k,
                                                                const half *__restrict__ v,
                                                                const int *__restrict__ length,
                                                                float *__restrict__ out, int keys, float scale)
{
    __shared__ float s_acc[8][128];
    __shared__ float s_max[8], s_sum[8];
    int head = blockIdx.x, seq = blockIdx.y, kv = head / 4;
    int lane = threadIdx.x, part = threadIdx.z * 2 + threadIdx.y;
    uint4 qraw = *(const uint4 *)(q + ((size_t)seq * gridDim.x + head) * 128 + lane * 8);
    float qf[8], acc[8];
    const half2 *q2 = (const half2 *)&qraw;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 f = __half22float2(q2[i]);
        qf[2 * i] = f.x * scale;
        qf[2 * i + 1] = f.y * scale;
        acc[2 * i] = acc[2 * i + 1] = 0.0f;
    }
    float top = -1e30f, sum = 0.0f;
    int n = length[seq];
    int rounds = (n + 7) / 8;
    for (int r = 0; r < rounds; r++) {
        int t = r * 8 + part;
        bool live = t < n;
        size_t at = (((size_t)seq * keys + (live ? t : 0)) * 4 + kv) * 128 + lane * 8;
        uint4 kraw = *(const uint4 *)(k + at);
        const half2 *k2 = (const half2 *)&kraw;
        float dot = 0.0f;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(k2[i]);
            dot += f.x * qf[2 * i] + f.y * qf[2 * i + 1];
        }
        for (int o = 8; o > 0; o >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, o);
        if (!live) continue;
        float now = fmaxf(top, dot);
        float keep = __expf(top - now), w = __expf(dot - now);
        top = now;
        sum = sum * keep + w;
        uint4 vraw = *(const uint4 *)(v + at);
        const half2 *v2 = (const half2 *)&vraw;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(v2[i]);
            acc[2 * i] = acc[2 * i] * keep + w * f.x;
            acc[2 * i + 1] = acc[2 * i + 1] * keep + w * f.y;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) s_acc[part][lane * 8 + i] = acc[i];
    if (lane == 0) {
        s_max[part] = top;
        s_sum[part] = sum;
    }
    __syncthreads();
    int d = part * 16 + lane;
    float all = s_max[0];
    for (int p = 1; p < 8; p++) all = fmaxf(all, s_max[p]);
    float num = 0.0f, den = 0.0f;
    for (int p = 0; p < 8; p++) {
        float w = __expf(s_max[p] - all);
        num += w * s_acc[p][d];
        den += w * s_sum[p];
    }
    out[((size_t)seq * gridDim.x + head) * 128 + d] = num / den;
}

/* ----------------------------------------------------------------- sorting */

/* kmutate launch
   int n = 2097152;
   dim3 grid = { n / 2048 }, block = { 512 };
   unsigned key[n] = randint(0, 4294967296);
   unsigned short order[n];
   bitonic_sort_runs(key, order);
*/
__global__ void __launch_bounds__(512) bitonic_sort_runs(unsigned *key, unsigned short *order)
{
    __shared__ unsigned s_key[2048];
    __shared__ unsigned short s_pos[2048];
    size_t base = (size_t)blockIdx.x * 2048;
    uint4 in = ((const uint4 *)(key + base))[threadIdx.x];
    ((uint4 *)s_key)[threadIdx.x] = in;
    for (int i = threadIdx.x; i < 2048; i += 512) s_pos[i] = (unsigned short)i;
    for (int size = 2; size <= 2048; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
#pragma unroll
            for (int u = 0; u < 2; u++) {
                int t = threadIdx.x + u * 512;
                int i = 2 * t - (t & (stride - 1));
                int j = i + stride;
                bool up = (i & size) == 0;
                unsigned a = s_key[i], b = s_key[j];
                if ((a > b) == up) {
                    s_key[i] = b;
                    s_key[j] = a;
                    unsigned short p = s_pos[i];
                    s_pos[i] = s_pos[j];
                    s_pos[j] = p;
                }
            }
        }
    }
    __syncthreads();
    ((uint4 *)(key + base))[threadIdx.x] = ((const uint4 *)s_key)[threadIdx.x];
    for (int i = threadIdx.x; i < 2048; i += 512) order[base + i] = s_pos[i];
}

/* ------------------------------------------------------------------ graphs */

/* kmutate launch
   int vertices = 800000, frontier_size = 120000;
   int edges = csr_nnz(vertices, 0, 48);
   dim3 grid = { (frontier_size + 7) / 8 }, block = { 256 };
   int rowptr[vertices + 1] = csr_rowptr(vertices, 0, 48);
   int neighbour[edges] = csr_colidx(vertices);
   int frontier[frontier_size] = randint(0, vertices);
   int level[vertices] = randint(-1, 3);
   int parent[vertices] = fill(-1);
   int next[vertices];
   int next_size[1] = zeros();
   bfs_expand_frontier(rowptr, neighbour, frontier, level, parent, next, next_size, frontier_size, 3);
*/
__global__ void bfs_expand_frontier(const int *rowptr, const int *neighbour, const int *frontier, int *level,
                                    int *parent, int *next, int *next_size, int frontier_size, int depth)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (warp >= frontier_size) return;
    int u = frontier[warp];
    int end = rowptr[u + 1];
    for (int base = rowptr[u]; base < end; base += 32) {
        int e = base + lane;
        int w = -1;
        bool found = false;
        if (e < end) {
            w = neighbour[e];
            if (level[w] < 0) found = atomicCAS(&level[w], -1, depth) == -1;
        }
        unsigned votes = __ballot_sync(0xffffffffu, found);
        if (votes == 0) continue;
        int slot = 0;
        if (lane == 0) slot = atomicAdd(next_size, __popc(votes));
        slot = __shfl_sync(0xffffffffu, slot, 0);
        if (found) {
            parent[w] = u;
            next[slot + __popc(votes & ((1u << lane) - 1))] = w;
        }
    }
}

/* ----------------------------------------------------------------- strings */

__constant__ unsigned char c_needle[8];

/* kmutate launch
   int lines = 250000;
   int chars = csr_nnz(lines, 10, 280);
   dim3 grid = { (lines + 127) / 128 }, block = { 128 };
   __constant__ unsigned char c_needle[8] = { 101, 114, 98, 111, 114 };
   unsigned char text[chars] = randint(97, 117);
   int line_start[lines + 1] = csr_rowptr(lines, 10, 280);
   int first_hit[lines], hits[lines];
   grep_lines_horspool(text, line_start, first_hit, hits, lines, 5);
*/
__global__ void grep_lines_horspool(const unsigned char *text, const int *line_start, int *first_hit, int *hits,
                                    int lines, int m)
{
    __shared__ unsigned char skip[256];
    for (int c = threadIdx.x; c < 256; c += blockDim.x) {
        int s = m;
        for (int j = 0; j < m - 1; j++)
            if (c_needle[j] == c) s = m - 1 - j;
        skip[c] = (unsigned char)s;
    }
    __syncthreads();
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= lines) return;
    int pos = line_start[l], end = line_start[l + 1];
    int first = -1, count = 0;
    while (pos + m <= end) {
        unsigned char last = text[pos + m - 1];
        int j = m - 1;
        while (j >= 0 && text[pos + j] == c_needle[j]) j--;
        if (j < 0) {
            if (first < 0) first = pos;
            if (++count == 4) break;
        }
        pos += skip[last];
    }
    first_hit[l] = first;
    hits[l] = count;
}
