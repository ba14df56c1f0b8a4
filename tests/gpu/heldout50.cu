#include <cuda_fp16.h>
#include <cstdint>

// ---------------------------------------------------------------------------------------------------------------
// Image and video
// ---------------------------------------------------------------------------------------------------------------

__constant__ float sensor_to_display[9];

__device__ __forceinline__ float sensor_site(const uint16_t *__restrict__ raw, int x, int y, int width, int height)
{
    // Mirrors at the border, which keeps the colour of the site.
    x = x < 0 ? -x : (x >= width ? 2 * width - 2 - x : x);
    y = y < 0 ? -y : (y >= height ? 2 * height - 2 - y : y);
    return (float)raw[(size_t)y * width + x];
}

__device__ __forceinline__ unsigned char to_display_byte(float linear)
{
    const float v = __saturatef(linear);
    return (unsigned char)(255.f * sqrtf(v) + 0.5f);
}

/* kmutate launch
   int width = 4800, height = 3200;
   dim3 grid = { (width + 31) / 32, (height + 7) / 8 }, block = { 32, 8 };
   extern float sensor_to_display[9] = { 1.72f, -0.51f, -0.21f, -0.24f, 1.53f, -0.29f, 0.03f, -0.55f, 1.52f };
   uint16_t raw[width * height] = randint(64, 4096);
   unsigned char rgba[width * height * 4] = zeros();
   interpolate_bayer_mosaic_and_apply_colour_matrix(raw, (uchar4 *)rgba, width, height, 64.f, 0.000248f);
*/
__global__ void interpolate_bayer_mosaic_and_apply_colour_matrix(const uint16_t *__restrict__ raw,
                                                                 uchar4 *__restrict__ rgba, int width, int height,
                                                                 float black, float gain)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    const float here = sensor_site(raw, x, y, width, height);
    const float sides = 0.5f * (sensor_site(raw, x - 1, y, width, height) + sensor_site(raw, x + 1, y, width, height));
    const float ends = 0.5f * (sensor_site(raw, x, y - 1, width, height) + sensor_site(raw, x, y + 1, width, height));
    const float corners =
        0.25f * (sensor_site(raw, x - 1, y - 1, width, height) + sensor_site(raw, x + 1, y - 1, width, height) +
                 sensor_site(raw, x - 1, y + 1, width, height) + sensor_site(raw, x + 1, y + 1, width, height));

    float r, g, b;
    if ((y & 1) == 0) {
        if ((x & 1) == 0) {
            r = here;
            g = 0.5f * (sides + ends);
            b = corners;
        } else {
            r = sides;
            g = here;
            b = ends;
        }
    } else {
        if ((x & 1) == 0) {
            r = ends;
            g = here;
            b = sides;
        } else {
            r = corners;
            g = 0.5f * (sides + ends);
            b = here;
        }
    }
    r = (r - black) * gain;
    g = (g - black) * gain;
    b = (b - black) * gain;

    const float out_r = sensor_to_display[0] * r + sensor_to_display[1] * g + sensor_to_display[2] * b;
    const float out_g = sensor_to_display[3] * r + sensor_to_display[4] * g + sensor_to_display[5] * b;
    const float out_b = sensor_to_display[6] * r + sensor_to_display[7] * g + sensor_to_display[8] * b;
    rgba[(size_t)y * width + x] =
        make_uchar4(to_display_byte(out_r), to_display_byte(out_g), to_display_byte(out_b), 255);
}

#define SMOOTH_RADIUS 3
#define SMOOTH_W 32
#define SMOOTH_H 16

__constant__ float ring_weight[2 * SMOOTH_RADIUS * SMOOTH_RADIUS + 1];

/* kmutate launch
   int width = 2560, height = 1440;
   dim3 grid = { (width + SMOOTH_W - 1) / SMOOTH_W, (height + SMOOTH_H - 1) / SMOOTH_H };
   dim3 block = { SMOOTH_W, SMOOTH_H / 2 };
   extern float ring_weight[2 * SMOOTH_RADIUS * SMOOTH_RADIUS + 1] = uniform(0.3, 1);
   unsigned char luma[width * height] = randint(0, 256);
   unsigned char smooth[width * height] = zeros();
   edge_preserving_smoothing_of_luma_from_haloed_tile(luma, smooth, width, height, -0.0025f);
*/
__global__ void __launch_bounds__(SMOOTH_W * SMOOTH_H / 2)
edge_preserving_smoothing_of_luma_from_haloed_tile(const unsigned char *__restrict__ luma,
                                                   unsigned char *__restrict__ smooth, int width, int height,
                                                   float range_factor)
{
    __shared__ float tile[SMOOTH_H + 2 * SMOOTH_RADIUS][SMOOTH_W + 2 * SMOOTH_RADIUS + 1];

    const int left = blockIdx.x * SMOOTH_W - SMOOTH_RADIUS;
    const int top = blockIdx.y * SMOOTH_H - SMOOTH_RADIUS;
    for (int ty = threadIdx.y; ty < SMOOTH_H + 2 * SMOOTH_RADIUS; ty += blockDim.y) {
        const int y = min(max(top + ty, 0), height - 1);
        for (int tx = threadIdx.x; tx < SMOOTH_W + 2 * SMOOTH_RADIUS; tx += blockDim.x) {
            const int x = min(max(left + tx, 0), width - 1);
            tile[ty][tx] = luma[y * width + x];
        }
    }
    __syncthreads();

    const int x = blockIdx.x * SMOOTH_W + threadIdx.x;
    for (int part = 0; part < 2; ++part) {
        const int ty = threadIdx.y + part * (SMOOTH_H / 2);
        const int y = blockIdx.y * SMOOTH_H + ty;
        if (x >= width || y >= height) continue;
        const float centre = tile[ty + SMOOTH_RADIUS][threadIdx.x + SMOOTH_RADIUS];
        float sum = 0.f, norm = 0.f;
#pragma unroll
        for (int dy = -SMOOTH_RADIUS; dy <= SMOOTH_RADIUS; ++dy) {
#pragma unroll
            for (int dx = -SMOOTH_RADIUS; dx <= SMOOTH_RADIUS; ++dx) {
                const float v = tile[ty + SMOOTH_RADIUS + dy][threadIdx.x + SMOOTH_RADIUS + dx];
                const float d = v - centre;
                const float w = ring_weight[dx * dx + dy * dy] * __expf(d * d * range_factor);
                sum += w * v;
                norm += w;
            }
        }
        smooth[y * width + x] = (unsigned char)(__fdividef(sum, norm) + 0.5f);
    }
}

#define SEEK 8
#define MACRO 16
#define SEEK_WORDS ((MACRO + 2 * SEEK) / 4 + 1)

struct motion_record {
    short dx, dy;
    int cost;
};

/* kmutate launch
   int across = 80, down = 45, frames = 4;
   int width = across * MACRO, height = down * MACRO;
   int ref_width = width + 2 * SEEK, ref_height = height + 2 * SEEK;
   dim3 grid = { across, down, frames }, block = { 128 };
   unsigned char current[frames * width * height] = randint(0, 256);
   unsigned char reference[frames * ref_width * ref_height] = randint(0, 256);
   int motion[frames * across * down * 2] = zeros();
   exhaustive_block_motion_by_byte_differences(current, reference, motion, width, height);
*/
__global__ void exhaustive_block_motion_by_byte_differences(const unsigned char *__restrict__ current,
                                                            const unsigned char *__restrict__ reference,
                                                            motion_record *__restrict__ motion, int width, int height)
{
    __shared__ unsigned int target[MACRO][MACRO / 4];
    __shared__ unsigned int window[MACRO + 2 * SEEK][SEEK_WORDS];
    __shared__ unsigned int winner[4];

    const int tid = threadIdx.x;
    const int ref_width = width + 2 * SEEK, ref_height = height + 2 * SEEK;
    const size_t cur_start = ((size_t)blockIdx.z * height + blockIdx.y * MACRO) * width + blockIdx.x * MACRO;
    const size_t ref_start = ((size_t)blockIdx.z * ref_height + blockIdx.y * MACRO) * ref_width + blockIdx.x * MACRO;

    for (int i = tid; i < MACRO * MACRO / 4; i += blockDim.x) {
        const int row = i / (MACRO / 4), word = i % (MACRO / 4);
        target[row][word] = *(const unsigned int *)(current + cur_start + (size_t)row * width + 4 * word);
    }
    for (int i = tid; i < (MACRO + 2 * SEEK) * SEEK_WORDS; i += blockDim.x) {
        const int row = i / SEEK_WORDS, word = i % SEEK_WORDS;
        unsigned int v = 0;
        if (word < SEEK_WORDS - 1)
            v = *(const unsigned int *)(reference + ref_start + (size_t)row * ref_width + 4 * word);
        window[row][word] = v;
    }
    __syncthreads();

    unsigned int best = 0xffffffffu;
    const int side = 2 * SEEK + 1;
    for (int candidate = tid; candidate < side * side; candidate += blockDim.x) {
        const int oy = candidate / side, ox = candidate - oy * side;
        const int word = ox >> 2, shift = (ox & 3) * 8;
        unsigned int cost = 0;
        for (int row = 0; row < MACRO; ++row) {
            unsigned int low = window[oy + row][word];
#pragma unroll
            for (int w = 0; w < MACRO / 4; ++w) {
                const unsigned int high = window[oy + row][word + w + 1];
                cost += __vsadu4(__funnelshift_r(low, high, shift), target[row][w]);
                low = high;
            }
        }
        best = min(best, (cost << 9) | (unsigned int)candidate);
    }
    for (int lanes = 16; lanes > 0; lanes >>= 1) best = min(best, __shfl_xor_sync(0xffffffffu, best, lanes));
    if ((tid & 31) == 0) winner[tid >> 5] = best;
    __syncthreads();

    if (tid == 0) {
        best = min(min(winner[0], winner[1]), min(winner[2], winner[3]));
        const int candidate = best & 511;
        motion_record record;
        record.dx = (short)(candidate % side - SEEK);
        record.dy = (short)(candidate / side - SEEK);
        record.cost = best >> 9;
        motion[((size_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = record;
    }
}

/* kmutate launch
   int tile_w = 128, tile_h = 96, across = 60, down = 60;
   int width = tile_w * across, height = tile_h * down;
   dim3 grid = { across, down }, block = { 256 };
   unsigned char image[width * height] = randint(40, 200);
   unsigned char curves[across * down * 256] = zeros();
   contrast_limited_tone_curve_of_every_tile((uchar4 *)image, curves, width / 4, tile_w / 4, tile_h, 310);
*/
__global__ void contrast_limited_tone_curve_of_every_tile(const uchar4 *__restrict__ image,
                                                          unsigned char *__restrict__ curves, int pitch, int quads,
                                                          int tile_h, unsigned int limit)
{
    __shared__ unsigned int tally[2][256];
    __shared__ unsigned int warp_total[8];
    __shared__ unsigned int excess;

    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5;
    tally[0][tid] = 0;
    tally[1][tid] = 0;
    if (tid == 0) excess = 0;
    __syncthreads();

    const uchar4 *corner = image + (size_t)blockIdx.y * tile_h * pitch + blockIdx.x * quads;
    unsigned int *mine = tally[warp & 1];
    for (int i = tid; i < quads * tile_h; i += blockDim.x) {
        const uchar4 p = corner[(size_t)(i / quads) * pitch + i % quads];
        atomicAdd(&mine[p.x], 1u);
        atomicAdd(&mine[p.y], 1u);
        atomicAdd(&mine[p.z], 1u);
        atomicAdd(&mine[p.w], 1u);
    }
    __syncthreads();

    unsigned int count = tally[0][tid] + tally[1][tid];
    if (count > limit) {
        atomicAdd(&excess, count - limit);
        count = limit;
    }
    __syncthreads();
    count += excess / 256 + (tid < (int)(excess % 256) ? 1 : 0);

    // Inclusive scan of the clipped counts.
    unsigned int sum = count;
    for (int step = 1; step < 32; step *= 2) {
        const unsigned int other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) warp_total[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += warp_total[w];

    const unsigned int pixels = 4u * quads * tile_h;
    curves[((size_t)blockIdx.y * gridDim.x + blockIdx.x) * 256 + tid] = (unsigned char)((sum * 255u) / pixels);
}

__device__ __forceinline__ void order_pairs(unsigned int &a, unsigned int &b)
{
    const unsigned int low = __vminu2(a, b);
    b = __vmaxu2(a, b);
    a = low;
}

__device__ __forceinline__ unsigned int middle_of_three(unsigned int a, unsigned int b, unsigned int c)
{
    return __vmaxu2(__vminu2(a, b), __vminu2(__vmaxu2(a, b), c));
}

#define STRIP_ROWS 8

/* kmutate launch
   int width = 4096, height = 4320;
   dim3 grid = { width / 2 / 128, height / STRIP_ROWS }, block = { 128 };
   uint16_t noisy[width * height] = randint(0, 1024);
   uint16_t clean[width * height] = zeros();
   despeckle_ten_bit_video_by_packed_median_of_nine((unsigned int *)noisy, (unsigned int *)clean, width / 2, height);
*/
__global__ void despeckle_ten_bit_video_by_packed_median_of_nine(const unsigned int *__restrict__ noisy,
                                                                 unsigned int *__restrict__ clean, int pairs,
                                                                 int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = blockIdx.y * STRIP_ROWS;
    if (column >= pairs) return;
    const int before = max(column - 1, 0), after = min(column + 1, pairs - 1);

    // Three rows of: the pair shifted to the left, the pair itself, the pair shifted to the right.
    unsigned int rows[3][3];
#pragma unroll
    for (int step = -1; step <= STRIP_ROWS; ++step) {
        const unsigned int *row = noisy + (size_t)min(max(first + step, 0), height - 1) * pairs;
        const unsigned int l = row[before], c = row[column], r = row[after];
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            rows[0][k] = rows[1][k];
            rows[1][k] = rows[2][k];
        }
        rows[2][0] = __byte_perm(l, c, 0x5432);
        rows[2][1] = c;
        rows[2][2] = __byte_perm(c, r, 0x5432);
        if (step < 1) continue;

        unsigned int low[3], mid[3], high[3];
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            unsigned int a = rows[0][k], b = rows[1][k], d = rows[2][k];
            order_pairs(a, b);
            order_pairs(b, d);
            order_pairs(a, b);
            low[k] = a;
            mid[k] = b;
            high[k] = d;
        }
        const unsigned int largest_low = __vmaxu2(__vmaxu2(low[0], low[1]), low[2]);
        const unsigned int smallest_high = __vminu2(__vminu2(high[0], high[1]), high[2]);
        const unsigned int middle = middle_of_three(mid[0], mid[1], mid[2]);
        const int y = first + step - 1;
        if (y < height) clean[(size_t)y * pairs + column] = middle_of_three(largest_low, middle, smallest_high);
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Audio and signals
// ---------------------------------------------------------------------------------------------------------------

#define EQ_BANDS 4

__constant__ float equaliser[EQ_BANDS][5];

/* kmutate launch
   int channels = 24000, samples = 480;
   dim3 grid = { (channels + 127) / 128 }, block = { 128 };
   extern float equaliser[EQ_BANDS * 5] = uniform(-0.35, 0.35);
   float audio[channels * samples] = uniform(-1, 1);
   float state[channels * EQ_BANDS * 2] = zeros();
   float peak[channels] = zeros();
   run_equaliser_cascade_over_each_channel_buffer(audio, state, peak, channels, samples);
*/
__global__ void run_equaliser_cascade_over_each_channel_buffer(float *__restrict__ audio, float *__restrict__ state,
                                                               float *__restrict__ peak, int channels, int samples)
{
    const int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels) return;

    float z1[EQ_BANDS], z2[EQ_BANDS];
#pragma unroll
    for (int band = 0; band < EQ_BANDS; ++band) {
        z1[band] = state[(2 * band) * channels + channel];
        z2[band] = state[(2 * band + 1) * channels + channel];
    }

    float loudest = 0.f;
    float *buffer = audio + (size_t)channel * samples;
    for (int t = 0; t < samples; ++t) {
        float x = buffer[t];
#pragma unroll
        for (int band = 0; band < EQ_BANDS; ++band) {
            // Transposed direct form II.
            const float y = equaliser[band][0] * x + z1[band];
            z1[band] = equaliser[band][1] * x - equaliser[band][3] * y + z2[band];
            z2[band] = equaliser[band][2] * x - equaliser[band][4] * y;
            x = y;
        }
        loudest = fmaxf(loudest, fabsf(x));
        buffer[t] = x;
    }

#pragma unroll
    for (int band = 0; band < EQ_BANDS; ++band) {
        state[(2 * band) * channels + channel] = z1[band];
        state[(2 * band + 1) * channels + channel] = z2[band];
    }
    peak[channel] = loudest;
}

/* kmutate launch
   int rows = 9000, cells = 2048, threads = 256;
   dim3 grid = { rows }, block = { threads };
   int smem = (cells + 1) * sizeof(float) + (threads / 32) * sizeof(float);
   half power[rows * cells] = uniform(0, 4);
   unsigned char hit[rows * cells] = zeros();
   int hits_in_row[rows] = zeros();
   flag_radar_cells_above_greatest_of_neighbour_averages((uint4 *)power, (uint2 *)hit, hits_in_row, cells, 2, 12, 1.7f);
*/
__global__ void flag_radar_cells_above_greatest_of_neighbour_averages(const uint4 *__restrict__ power,
                                                                      uint2 *__restrict__ hit,
                                                                      int *__restrict__ hits_in_row, int cells,
                                                                      int guard, int train, float factor)
{
    extern __shared__ float scratch[];
    float *prefix = scratch;                // cells + 1 exclusive sums
    float *warp_sum = scratch + cells + 1;  // one for each warp

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const size_t at = (size_t)blockIdx.x * (cells / 8) + tid;

    // Eight neighbouring cells for each thread: 8 * blockDim.x == cells.
    const uint4 raw = power[at];
    float v[8];
    const unsigned int word[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float2 two = __half22float2(*reinterpret_cast<const __half2 *>(&word[k]));
        v[2 * k] = two.x;
        v[2 * k + 1] = two.y;
    }

    float own = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) own += v[k];
    float scan = own;
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) {
        const float other = __shfl_up_sync(0xffffffffu, scan, step);
        if (lane >= step) scan += other;
    }
    if (lane == 31) warp_sum[warp] = scan;
    __syncthreads();
    float running = scan - own;
    for (int w = 0; w < warp; ++w) running += warp_sum[w];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        prefix[8 * tid + k] = running;
        running += v[k];
    }
    if (tid == blockDim.x - 1) prefix[cells] = running;
    __syncthreads();

    unsigned int flags[2] = {0u, 0u};
    int found = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int i = 8 * tid + k;
        const int lead_end = max(i - guard, 0), lead_begin = max(i - guard - train, 0);
        const int lag_begin = min(i + guard + 1, cells), lag_end = min(i + guard + 1 + train, cells);
        const float lead = __fdividef(prefix[lead_end] - prefix[lead_begin], (float)max(lead_end - lead_begin, 1));
        const float lag = __fdividef(prefix[lag_end] - prefix[lag_begin], (float)max(lag_end - lag_begin, 1));
        const unsigned int exceeds = v[k] > factor * fmaxf(lead, lag) ? 1u : 0u;
        flags[k >> 2] |= exceeds << (8 * (k & 3));
        found += exceeds;
    }
    hit[at] = make_uint2(flags[0], flags[1]);
    for (int lanes = 16; lanes > 0; lanes >>= 1) found += __shfl_down_sync(0xffffffffu, found, lanes);
    if (lane == 0) atomicAdd(&hits_in_row[blockIdx.x], found);
}

/* kmutate launch
   int up = 147, down = 160, taps = 24, frames_out = 5000000;
   int frames_in = frames_out / up * down + down + taps;
   dim3 grid = { (frames_out + 255) / 256 }, block = { 256 };
   short pcm_in[2 * frames_in] = randint(-20000, 20000);
   float bank[taps * up] = uniform(-0.04, 0.04);
   short pcm_out[2 * frames_out] = zeros();
   resample_stereo_pcm_with_phase_dependent_taps((short2 *)pcm_in, bank, (short2 *)pcm_out, frames_out, up, down, taps);
*/
__global__ void resample_stereo_pcm_with_phase_dependent_taps(const short2 *__restrict__ pcm_in,
                                                              const float *__restrict__ bank,
                                                              short2 *__restrict__ pcm_out, int frames_out, int up,
                                                              int down, int taps)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= frames_out) return;
    const long long position = (long long)n * down;
    const int start = (int)(position / up);
    const int phase = (int)(position - (long long)start * up);

    float left = 0.f, right = 0.f;
    for (int k = 0; k < taps; ++k) {
        const short2 s = pcm_in[start + k];
        const float c = bank[k * up + phase];
        left += c * s.x;
        right += c * s.y;
    }
    left = fminf(fmaxf(left, -32768.f), 32767.f);
    right = fminf(fmaxf(right, -32768.f), 32767.f);
    pcm_out[n] = make_short2((short)__float2int_rn(left), (short)__float2int_rn(right));
}

// ---------------------------------------------------------------------------------------------------------------
// Databases and analytics
// ---------------------------------------------------------------------------------------------------------------

struct build_tuple {
    unsigned int key;
    unsigned int row;
};

/* kmutate launch
   int bucket_bits = 20, buckets = 1048576, build_rows = 2000000, probe_rows = 6000000;
   dim3 grid = { 132 * 8 }, block = { 256 };
   unsigned int probe_key[probe_rows] = randint(0, 4000000);
   int bucket_start[buckets + 1] = ascending(0, build_rows);
   unsigned int build[2 * build_rows] = randint(0, 4000000);
   unsigned int matched_row[probe_rows] = zeros();
   unsigned long long matches[1] = zeros();
   look_up_foreign_keys_in_bucketed_build_side(probe_key, bucket_start, build, matched_row, matches, probe_rows, 32 - bucket_bits);
*/
__global__ void look_up_foreign_keys_in_bucketed_build_side(const unsigned int *__restrict__ probe_key,
                                                            const int *__restrict__ bucket_start,
                                                            const build_tuple *__restrict__ build,
                                                            unsigned int *__restrict__ matched_row,
                                                            unsigned long long *__restrict__ matches, int probe_rows,
                                                            int shift)
{
    unsigned int found = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < probe_rows; i += gridDim.x * blockDim.x) {
        const unsigned int key = probe_key[i];
        const unsigned int bucket = (key * 2654435769u) >> shift;
        const int end = bucket_start[bucket + 1];
        unsigned int row = 0xffffffffu;
        for (int j = bucket_start[bucket]; j < end; ++j) {
            const build_tuple t = build[j];
            if (t.key == key) {
                row = t.row;
                ++found;
                break;
            }
        }
        matched_row[i] = row;
    }
    found = __reduce_add_sync(0xffffffffu, found);
    if ((threadIdx.x & 31) == 0 && found) atomicAdd(matches, (unsigned long long)found);
}

#define SALES_THREADS 128
#define SALES_GROUPS 6

/* kmutate launch
   int n = 10000000;
   dim3 grid = { 132 * 6 }, block = { SALES_THREADS };
   short day[n] = randint(0, 2557);
   unsigned char flag[n] = randint(0, 3), status[n] = randint(0, 2);
   unsigned char quantity[n] = randint(1, 51), discount[n] = randint(0, 11), tax[n] = randint(0, 9);
   float price[n] = uniform(900, 105000);
   double totals[SALES_GROUPS * 4] = zeros();
   unsigned long long orders[SALES_GROUPS] = zeros();
   summarise_sales_by_flag_and_status_with_private_slots(day, flag, status, quantity, discount, tax, price, totals, orders, n, 2400);
*/
__global__ void summarise_sales_by_flag_and_status_with_private_slots(
    const short *__restrict__ day, const unsigned char *__restrict__ flag, const unsigned char *__restrict__ status,
    const unsigned char *__restrict__ quantity, const unsigned char *__restrict__ discount,
    const unsigned char *__restrict__ tax, const float *__restrict__ price, double *__restrict__ totals,
    unsigned long long *__restrict__ orders, int n, int last_day)
{
    // Every thread owns one column of slots, so that no atomics are needed before the end.
    __shared__ float slot[SALES_GROUPS * 4][SALES_THREADS];
    __shared__ int rows_of[SALES_GROUPS][SALES_THREADS];
    const int tid = threadIdx.x;
    for (int s = 0; s < SALES_GROUPS * 4; ++s) slot[s][tid] = 0.f;
    for (int g = 0; g < SALES_GROUPS; ++g) rows_of[g][tid] = 0;

    for (int i = blockIdx.x * SALES_THREADS + tid; i < n; i += gridDim.x * SALES_THREADS) {
        if (day[i] > last_day) continue;
        const int group = flag[i] * 2 + status[i];
        const float p = price[i];
        const float reduced = p * (1.f - 0.01f * discount[i]);
        slot[group * 4 + 0][tid] += quantity[i];
        slot[group * 4 + 1][tid] += p;
        slot[group * 4 + 2][tid] += reduced;
        slot[group * 4 + 3][tid] += reduced * (1.f + 0.01f * tax[i]);
        rows_of[group][tid] += 1;
    }
    __syncthreads();

    const int lane = tid & 31, warp = tid >> 5;
    for (int s = warp; s < SALES_GROUPS * 4; s += SALES_THREADS / 32) {
        double sum = 0.0;
        for (int t = lane; t < SALES_THREADS; t += 32) sum += slot[s][t];
        for (int lanes = 16; lanes > 0; lanes >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
        if (lane == 0) atomicAdd(&totals[s], sum);
    }
    for (int g = warp; g < SALES_GROUPS; g += SALES_THREADS / 32) {
        int sum = 0;
        for (int t = lane; t < SALES_THREADS; t += 32) sum += rows_of[g][t];
        for (int lanes = 16; lanes > 0; lanes >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
        if (lane == 0) atomicAdd(&orders[g], (unsigned long long)sum);
    }
}

/* kmutate launch
   int pages = 150000, page_words = 64;
   dim3 grid = { (pages + 7) / 8 }, block = { 32, 8 };
   unsigned int packed[pages * page_words + 2] = randint(0, 2147483647);
   unsigned char bits[pages] = randint(3, 17);
   int page_offset[pages] = iota(0, page_words);
   int page_base[pages] = randint(-1000000, 1000000);
   int column[pages * 128] = zeros();
   unpack_zigzag_deltas_of_column_pages_one_warp_each(packed, bits, page_offset, page_base, (int4 *)column, pages);
*/
__global__ void unpack_zigzag_deltas_of_column_pages_one_warp_each(const unsigned int *__restrict__ packed,
                                                                   const unsigned char *__restrict__ bits,
                                                                   const int *__restrict__ page_offset,
                                                                   const int *__restrict__ page_base,
                                                                   int4 *__restrict__ column, int pages)
{
    const int page = blockIdx.x * blockDim.y + threadIdx.y;
    if (page >= pages) return;  // the whole warp
    const int lane = threadIdx.x;
    const unsigned int width = bits[page];
    const unsigned int mask = (1u << width) - 1u;
    const unsigned int *words = packed + page_offset[page];

    int value[4];
    unsigned int bit = lane * 4 * width;
    int running = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned int w = bit >> 5;
        const unsigned int code = __funnelshift_r(words[w], words[w + 1], bit & 31) & mask;
        running += (int)(code >> 1) ^ -(int)(code & 1);
        value[k] = running;
        bit += width;
    }

    int scan = running;
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) {
        const int other = __shfl_up_sync(0xffffffffu, scan, step);
        if (lane >= step) scan += other;
    }
    const int start = page_base[page] + scan - running;
    column[page * 32 + lane] = make_int4(start + value[0], start + value[1], start + value[2], start + value[3]);
}

/* kmutate launch
   int n = 16777216, dictionary = 50000;
   dim3 grid = { (n / 4 + 255) / 256 }, block = { 256 };
   int event_time[n] = randint(0, 1000000);
   uint16_t page_code[n] = randint(0, dictionary);
   unsigned int wanted[(dictionary + 31) / 32] = randint(0, 2147483647);
   unsigned int selected[n] = zeros();
   unsigned int selected_count[1] = zeros();
   append_rows_in_time_range_with_listed_codes_to_ring((int4 *)event_time, (ushort4 *)page_code, wanted, selected, selected_count, n / 4, 200000, 500000, n - 1);
*/
__global__ void append_rows_in_time_range_with_listed_codes_to_ring(const int4 *__restrict__ event_time,
                                                                    const ushort4 *__restrict__ page_code,
                                                                    const unsigned int *__restrict__ wanted,
                                                                    unsigned int *__restrict__ selected,
                                                                    unsigned int *__restrict__ selected_count, int quads,
                                                                    int from, int until, unsigned int ring_mask)
{
    __shared__ unsigned int warp_start[8];
    __shared__ unsigned int block_start;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int q = blockIdx.x * blockDim.x + tid;

    bool keep[4] = {false, false, false, false};
    if (q < quads) {
        const int4 t = event_time[q];
        const ushort4 c = page_code[q];
        keep[0] = t.x >= from && t.x < until && ((wanted[c.x >> 5] >> (c.x & 31)) & 1u);
        keep[1] = t.y >= from && t.y < until && ((wanted[c.y >> 5] >> (c.y & 31)) & 1u);
        keep[2] = t.z >= from && t.z < until && ((wanted[c.z >> 5] >> (c.z & 31)) & 1u);
        keep[3] = t.w >= from && t.w < until && ((wanted[c.w >> 5] >> (c.w & 31)) & 1u);
    }

    unsigned int votes[4];
    unsigned int in_warp = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        votes[k] = __ballot_sync(0xffffffffu, keep[k]);
        in_warp += __popc(votes[k]);
    }
    if (lane == 0) warp_start[warp] = in_warp;
    __syncthreads();
    if (tid == 0) {
        unsigned int total = 0;
        for (int w = 0; w < 8; ++w) {
            const unsigned int here = warp_start[w];
            warp_start[w] = total;
            total += here;
        }
        block_start = total ? atomicAdd(selected_count, total) : 0u;
    }
    __syncthreads();

    const unsigned int below = (1u << lane) - 1u;
    unsigned int slot = block_start + warp_start[warp];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (keep[k]) selected[(slot + __popc(votes[k] & below)) & ring_mask] = 4u * q + k;
        slot += __popc(votes[k]);
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Graphs and text
// ---------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int vertices = 3000000, edges = 5000000;
   dim3 grid = { (edges + 255) / 256 }, block = { 256 };
   int ends[2 * edges] = randint(0, vertices);
   uint16_t minutes[edges] = randint(1, 600);
   int arrival[vertices] = randint(0, 100000);
   int arrival_next[vertices] = randint(0, 100000);
   relax_both_directions_of_every_road_with_atomic_minimum((int2 *)ends, minutes, arrival, arrival_next, edges);
*/
__global__ void relax_both_directions_of_every_road_with_atomic_minimum(const int2 *__restrict__ ends,
                                                                        const uint16_t *__restrict__ minutes,
                                                                        const int *__restrict__ arrival,
                                                                        int *__restrict__ arrival_next, int edges)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const int2 road = ends[e];
    const int cost = minutes[e];
    const int at_a = arrival[road.x], at_b = arrival[road.y];
    if (at_a + cost < at_b)
        atomicMin(&arrival_next[road.y], at_a + cost);
    else if (at_b + cost < at_a)
        atomicMin(&arrival_next[road.x], at_b + cost);
}

/* kmutate launch
   int vertices = 600000, gap_bytes = 15000000, pairs = 700000;
   dim3 grid = { (pairs + 127) / 128 }, block = { 128 };
   int list_start[vertices + 1] = ascending(0, gap_bytes);
   unsigned char gap[gap_bytes] = randint(1, 40);
   int first_neighbour[vertices] = randint(0, 200);
   int pair_a[pairs] = randint(0, vertices), pair_b[pairs] = randint(0, vertices);
   float likeness[pairs] = zeros();
   neighbourhood_overlap_of_vertex_pairs_from_gap_coded_lists(list_start, gap, first_neighbour, pair_a, pair_b, likeness, pairs);
*/
__global__ void neighbourhood_overlap_of_vertex_pairs_from_gap_coded_lists(
    const int *__restrict__ list_start, const unsigned char *__restrict__ gap,
    const int *__restrict__ first_neighbour, const int *__restrict__ pair_a, const int *__restrict__ pair_b,
    float *__restrict__ likeness, int pairs)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    const int a = pair_a[p], b = pair_b[p];
    int i = list_start[a], j = list_start[b];
    const int end_i = list_start[a + 1], end_j = list_start[b + 1];
    const int degrees = (end_i - i) + (end_j - j);

    int shared_neighbours = 0;
    if (i < end_i && j < end_j) {
        int u = first_neighbour[a] + gap[i], v = first_neighbour[b] + gap[j];
        while (true) {
            if (u == v) ++shared_neighbours;
            if (u <= v) {
                if (++i == end_i) break;
                u += gap[i];
            } else {
                if (++j == end_j) break;
                v += gap[j];
            }
        }
    }
    likeness[p] = degrees > shared_neighbours ? (float)shared_neighbours / (float)(degrees - shared_neighbours) : 0.f;
}

/* kmutate launch
   int words = 640000, pitch = 40, query_length = 22;
   dim3 grid = { (words + 255) / 256 }, block = { 256 };
   unsigned char letters[pitch * words] = randint(0, 32);
   unsigned char length[words] = randint(8, pitch + 1);
   unsigned char query[64] = randint(0, 32);
   unsigned char distance[words] = zeros();
   spelling_distance_of_dictionary_to_query_by_bit_columns(letters, length, query, distance, words, query_length);
*/
__global__ void spelling_distance_of_dictionary_to_query_by_bit_columns(const unsigned char *__restrict__ letters,
                                                                        const unsigned char *__restrict__ length,
                                                                        const unsigned char *__restrict__ query,
                                                                        unsigned char *__restrict__ distance,
                                                                        int words, int query_length)
{
    __shared__ unsigned long long where[32];
    if (threadIdx.x < 32) {
        unsigned long long mask = 0;
        for (int k = 0; k < query_length; ++k)
            if (query[k] == threadIdx.x) mask |= 1ull << k;
        where[threadIdx.x] = mask;
    }
    __syncthreads();

    const int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= words) return;
    const int n = length[word];
    unsigned long long plus = ~0ull, minus = 0ull;
    int score = query_length;
    const int top = query_length - 1;
    for (int k = 0; k < n; ++k) {
        // Position-major, so that the lanes of a warp read neighbouring bytes.
        const unsigned long long match = where[letters[(size_t)k * words + word]];
        const unsigned long long diagonal = (((match & plus) + plus) ^ plus) | match | minus;
        unsigned long long across_plus = minus | ~(diagonal | plus);
        unsigned long long across_minus = plus & diagonal;
        score += (int)((across_plus >> top) & 1) - (int)((across_minus >> top) & 1);
        across_plus = (across_plus << 1) | 1ull;
        across_minus <<= 1;
        plus = across_minus | ~(diagonal | across_plus);
        minus = across_plus & diagonal;
    }
    distance[word] = (unsigned char)score;
}

// ---------------------------------------------------------------------------------------------------------------
// Geometry and graphics
// ---------------------------------------------------------------------------------------------------------------

#define OUTLINE_CHUNK 256

/* kmutate launch
   int points = 400000, corners = 900;
   dim3 grid = { (points + OUTLINE_CHUNK - 1) / OUTLINE_CHUNK }, block = { OUTLINE_CHUNK };
   float position[2 * points] = uniform(-1, 1);
   float outline_x[corners] = uniform(-1, 1), outline_y[corners] = uniform(-1, 1);
   unsigned char inside[points] = zeros();
   winding_number_of_points_against_chunked_outline((float2 *)position, outline_x, outline_y, inside, points, corners);
*/
__global__ void winding_number_of_points_against_chunked_outline(const float2 *__restrict__ position,
                                                                 const float *__restrict__ outline_x,
                                                                 const float *__restrict__ outline_y,
                                                                 unsigned char *__restrict__ inside, int points,
                                                                 int corners)
{
    __shared__ float2 corner[OUTLINE_CHUNK + 1];
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    float2 at = make_float2(0.f, 0.f);
    if (p < points) at = position[p];

    int winding = 0;
    for (int chunk = 0; chunk < corners; chunk += OUTLINE_CHUNK) {
        const int count = min(OUTLINE_CHUNK, corners - chunk);
        __syncthreads();
        for (int i = threadIdx.x; i <= count; i += blockDim.x) {
            const int source = chunk + i == corners ? 0 : chunk + i;
            corner[i] = make_float2(outline_x[source], outline_y[source]);
        }
        __syncthreads();

        float2 from = corner[0];
        for (int i = 1; i <= count; ++i) {
            const float2 to = corner[i];
            const float side = (to.x - from.x) * (at.y - from.y) - (at.x - from.x) * (to.y - from.y);
            if (from.y <= at.y) {
                if (to.y > at.y && side > 0.f) ++winding;
            } else {
                if (to.y <= at.y && side < 0.f) --winding;
            }
            from = to;
        }
    }
    if (p < points) inside[p] = winding != 0;
}

__device__ float height_between_posts(const float *__restrict__ ground, float x, float y, int side)
{
    const int ix = (int)x, iy = (int)y;
    const float fx = x - ix, fy = y - iy;
    const float *post = ground + iy * side + ix;
    const float upper = post[0] + fx * (post[1] - post[0]);
    const float lower = post[side] + fx * (post[side + 1] - post[side]);
    return upper + fy * (lower - upper);
}

/* kmutate launch
   int side = 1600;
   dim3 grid = { side / 16, side / 16 }, block = { 16, 16 };
   float ground[side * side] = uniform(0, 30);
   float light[side * side] = zeros();
   penumbra_of_low_sun_marched_over_terrain_posts(ground, light, side, 0.83f, 0.56f, 1.4f, 30.f);
*/
__global__ void penumbra_of_low_sun_marched_over_terrain_posts(const float *__restrict__ ground,
                                                               float *__restrict__ light, int side, float sun_x,
                                                               float sun_y, float climb, float summit)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;

    float px = x, py = y;
    float ray = ground[y * side + x];
    float travelled = 0.f, open = 1.f;
    while (true) {
        px += sun_x;
        py += sun_y;
        ray += climb;
        travelled += 1.f;
        if (ray > summit || px < 0.f || py < 0.f || px >= side - 1 || py >= side - 1) break;
        const float clearance = ray - height_between_posts(ground, px, py, side);
        open = fminf(open, 0.5f + __fdividef(4.f * clearance, travelled));
        if (open <= -2.f) break;
    }
    light[y * side + x] = __saturatef(open);
}

struct mesh_vertex {
    float px, py, pz;
    float nx, ny, nz;
};

/* kmutate launch
   int vertices = 110000, crowd = 16, bones = 72;
   dim3 grid = { (vertices + 127) / 128, crowd }, block = { 128 };
   float rest[vertices * 6] = uniform(-1, 1);
   unsigned char bone[vertices * 4] = randint(0, bones), weight[vertices * 4] = randint(1, 64);
   float palette[crowd * bones * 12] = uniform(-1, 1);
   float posed[crowd * vertices * 6] = zeros();
   pose_crowd_of_meshes_by_blending_bone_matrices(rest, (uchar4 *)bone, (uchar4 *)weight, (float4 *)palette, posed, vertices, bones);
*/
__global__ void pose_crowd_of_meshes_by_blending_bone_matrices(const mesh_vertex *__restrict__ rest,
                                                               const uchar4 *__restrict__ bone,
                                                               const uchar4 *__restrict__ weight,
                                                               const float4 *__restrict__ palette,
                                                               mesh_vertex *__restrict__ posed, int vertices,
                                                               int bones)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    const mesh_vertex in = rest[v];
    const uchar4 b = bone[v];
    const uchar4 w = weight[v];
    const int index[4] = {b.x, b.y, b.z, b.w};
    const float share = 1.f / (float)(w.x + w.y + w.z + w.w);
    const float part[4] = {w.x * share, w.y * share, w.z * share, w.w * share};
    const float4 *mine = palette + (size_t)blockIdx.y * bones * 3;

    float4 row0 = make_float4(0.f, 0.f, 0.f, 0.f), row1 = row0, row2 = row0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float4 a = mine[3 * index[k]], c = mine[3 * index[k] + 1], d = mine[3 * index[k] + 2];
        row0.x += part[k] * a.x, row0.y += part[k] * a.y, row0.z += part[k] * a.z, row0.w += part[k] * a.w;
        row1.x += part[k] * c.x, row1.y += part[k] * c.y, row1.z += part[k] * c.z, row1.w += part[k] * c.w;
        row2.x += part[k] * d.x, row2.y += part[k] * d.y, row2.z += part[k] * d.z, row2.w += part[k] * d.w;
    }

    mesh_vertex out;
    out.px = row0.x * in.px + row0.y * in.py + row0.z * in.pz + row0.w;
    out.py = row1.x * in.px + row1.y * in.py + row1.z * in.pz + row1.w;
    out.pz = row2.x * in.px + row2.y * in.py + row2.z * in.pz + row2.w;
    const float nx = row0.x * in.nx + row0.y * in.ny + row0.z * in.nz;
    const float ny = row1.x * in.nx + row1.y * in.ny + row1.z * in.nz;
    const float nz = row2.x * in.nx + row2.y * in.ny + row2.z * in.nz;
    const float scale = rsqrtf(nx * nx + ny * ny + nz * nz + 1e-20f);
    out.nx = nx * scale;
    out.ny = ny * scale;
    out.nz = nz * scale;
    posed[(size_t)blockIdx.y * vertices + v] = out;
}

// ---------------------------------------------------------------------------------------------------------------
// Finance
// ---------------------------------------------------------------------------------------------------------------

#define OUTCOMES 2048

/* kmutate launch
   int books = 1500, tail = 51;
   dim3 grid = { books }, block = { 512 };
   float profit[books * OUTCOMES] = normal(0, 1000);
   float shortfall[books] = zeros();
   expected_shortfall_of_books_after_sorting_outcomes_in_block(profit, shortfall, tail);
*/
__global__ void expected_shortfall_of_books_after_sorting_outcomes_in_block(const float *__restrict__ profit,
                                                                            float *__restrict__ shortfall, int tail)
{
    __shared__ float outcome[OUTCOMES];
    const float *book = profit + (size_t)blockIdx.x * OUTCOMES;
    for (int i = threadIdx.x; i < OUTCOMES; i += blockDim.x) outcome[i] = book[i];

    for (int run = 2; run <= OUTCOMES; run <<= 1) {
        for (int distance = run >> 1; distance > 0; distance >>= 1) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < OUTCOMES / 2; pair += blockDim.x) {
                const int low = 2 * pair - (pair & (distance - 1));
                const int high = low + distance;
                const float a = outcome[low], b = outcome[high];
                const bool rising = (low & run) == 0;
                const float smaller = fminf(a, b), larger = fmaxf(a, b);
                outcome[low] = rising ? smaller : larger;
                outcome[high] = rising ? larger : smaller;
            }
        }
    }
    __syncthreads();

    if (threadIdx.x < 32) {
        float sum = 0.f;
        for (int i = threadIdx.x; i < tail; i += 32) sum += outcome[i];
        for (int lanes = 16; lanes > 0; lanes >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
        if (threadIdx.x == 0) shortfall[blockIdx.x] = -sum / tail;
    }
}

/* kmutate launch
   int bonds = 600000;
   dim3 grid = { (bonds + 127) / 128 }, block = { 128 };
   double quote[bonds] = uniform(70, 130);
   float coupon_rate[bonds] = uniform(0.005, 0.09);
   short half_years[bonds] = randint(2, 61);
   double yield_out[bonds] = zeros();
   double duration_out[bonds] = zeros();
   solve_bond_yield_and_duration_by_newton_in_double(quote, coupon_rate, half_years, yield_out, duration_out, bonds, 12);
*/
__global__ void solve_bond_yield_and_duration_by_newton_in_double(const double *__restrict__ quote,
                                                                  const float *__restrict__ coupon_rate,
                                                                  const short *__restrict__ half_years,
                                                                  double *__restrict__ yield_out,
                                                                  double *__restrict__ duration_out, int bonds,
                                                                  int max_steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bonds) return;
    const double target = quote[i];
    const double coupon = 50.0 * coupon_rate[i];
    const int n = half_years[i];

    double rate = 0.5 * coupon_rate[i];  // for half a year
    double slope = -1.0;
    for (int step = 0; step < max_steps; ++step) {
        // Horner's rule over the discounted payments, with the derivative by the discount factor.
        const double v = 1.0 / (1.0 + rate);
        double value = 100.0 + coupon, by_v = 0.0;
        for (int k = n - 1; k > 0; --k) {
            by_v = by_v * v + value;
            value = value * v + coupon;
        }
        by_v = by_v * v + value;
        value *= v;
        slope = -by_v * v * v;
        const double change = (value - target) / slope;
        rate -= change;
        rate = fmax(rate, -0.3);
        if (fabs(change) < 1e-11) break;
    }
    yield_out[i] = 2.0 * rate;
    duration_out[i] = -0.5 * slope * (1.0 + rate) / target;
}
