/* Whole-row operations: SSE2 and NEON where the compiler has them, and a portable twin of each.
 *
 * A row is 32 signed bytes (docs/rows.md); bit p of a mask speaks of byte p. The twins end in
 * _portable and are always compiled, so that tests can hold the two against each other.
 * TAVLI_FAST_PORTABLE builds the kernels on the portable ones alone.
 */
#ifndef TAVLI_FAST_SIMD_H
#define TAVLI_FAST_SIMD_H

#include <stdint.h>
#include <string.h>

#if !defined(TAVLI_FAST_PORTABLE) && defined(__SSE2__)
#  define TF_SSE2 1
#  include <emmintrin.h>
#elif !defined(TAVLI_FAST_PORTABLE) && defined(__aarch64__)
#  define TF_NEON 1
#  include <arm_neon.h>
#endif

/* Bytes at least 1, at least 2, at most -1, at most -2. */
typedef struct {
    uint32_t pos1, pos2, neg1, neg2;
} tf_signs;

/* Bytes at least 3, at least 4, at least 5. */
typedef struct {
    uint32_t pos3, pos4, pos5;
} tf_depths;

/* Free checkers on points 1-24: the mover's and the opponent's. */
typedef struct {
    int mover, opponent;
} tf_totals;

static inline tf_signs tf_row_signs_portable(const int8_t *row)
{
    tf_signs s = {0, 0, 0, 0};
    for (int i = 0; i < 32; i++) {
        s.pos1 |= (uint32_t)(row[i] >= 1) << i;
        s.pos2 |= (uint32_t)(row[i] >= 2) << i;
        s.neg1 |= (uint32_t)(row[i] <= -1) << i;
        s.neg2 |= (uint32_t)(row[i] <= -2) << i;
    }
    return s;
}

static inline tf_depths tf_row_depths_portable(const int8_t *row)
{
    tf_depths d = {0, 0, 0};
    for (int i = 0; i < 32; i++) {
        d.pos3 |= (uint32_t)(row[i] >= 3) << i;
        d.pos4 |= (uint32_t)(row[i] >= 4) << i;
        d.pos5 |= (uint32_t)(row[i] >= 5) << i;
    }
    return d;
}

static inline tf_totals tf_row_totals_portable(const int8_t *row)
{
    tf_totals t = {0, 0};
    for (int i = 1; i <= 24; i++) {
        if (row[i] > 0) t.mover += row[i];
        else t.opponent -= row[i];
    }
    return t;
}

/* A row held by value, to add many deltas to. */
typedef struct {
    int8_t bytes[32];
} tf_held_portable;

static inline tf_held_portable tf_row_hold_portable(const int8_t *row)
{
    tf_held_portable held;
    memcpy(held.bytes, row, 32);
    return held;
}

static inline void tf_held_add_portable(int8_t *out, tf_held_portable held, const int8_t *delta)
{
    for (int i = 0; i < 32; i++)
        out[i] = (int8_t)(uint8_t)((uint8_t)held.bytes[i] + (uint8_t)delta[i]);
}

/* Bytes in which two rows differ. */
static inline uint32_t tf_row_differ_portable(const int8_t *row, const int8_t *other)
{
    uint32_t mask = 0;
    for (int i = 0; i < 32; i++) mask |= (uint32_t)(row[i] != other[i]) << i;
    return mask;
}

static inline void tf_row_add_portable(int8_t *out, const int8_t *row, const int8_t *delta)
{
    tf_held_add_portable(out, tf_row_hold_portable(row), delta);
}

#if defined(TF_SSE2)

static inline uint32_t tf_join(__m128i low, __m128i high)
{
    return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
}

static inline tf_signs tf_row_signs(const int8_t *row)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)row);
    const __m128i high = _mm_loadu_si128((const __m128i *)(row + 16));
    const __m128i zero = _mm_setzero_si128();
    const __m128i one = _mm_set1_epi8(1), minus = _mm_set1_epi8(-1);
    tf_signs s;
    s.pos1 = tf_join(_mm_cmpgt_epi8(low, zero), _mm_cmpgt_epi8(high, zero));
    s.pos2 = tf_join(_mm_cmpgt_epi8(low, one), _mm_cmpgt_epi8(high, one));
    s.neg1 = tf_join(low, high); /* the sign bit itself */
    s.neg2 = tf_join(_mm_cmpgt_epi8(minus, low), _mm_cmpgt_epi8(minus, high));
    return s;
}

static inline uint32_t tf_above(const int8_t *row, char limit)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)row);
    const __m128i high = _mm_loadu_si128((const __m128i *)(row + 16));
    const __m128i than = _mm_set1_epi8(limit);
    return tf_join(_mm_cmpgt_epi8(low, than), _mm_cmpgt_epi8(high, than));
}

static inline tf_depths tf_row_depths(const int8_t *row)
{
    tf_depths d = {tf_above(row, 2), tf_above(row, 3), tf_above(row, 4)};
    return d;
}

static inline int tf_sum(__m128i low, __m128i high)
{
    const __m128i zero = _mm_setzero_si128();
    const __m128i sum = _mm_add_epi64(_mm_sad_epu8(low, zero), _mm_sad_epu8(high, zero));
    return _mm_cvtsi128_si32(sum) + _mm_cvtsi128_si32(_mm_srli_si128(sum, 8));
}

static inline tf_totals tf_row_totals(const int8_t *row)
{
    /* bytes 0 and 25-31 are not points */
    const __m128i low = _mm_and_si128(_mm_loadu_si128((const __m128i *)row),
        _mm_set_epi32(-1, -1, -1, (int)0xFFFFFF00u));
    const __m128i high = _mm_and_si128(_mm_loadu_si128((const __m128i *)(row + 16)),
        _mm_set_epi32(0, 0x000000FF, -1, -1));
    const __m128i zero = _mm_setzero_si128();
    tf_totals t;
    t.mover = tf_sum(_mm_and_si128(low, _mm_cmpgt_epi8(low, zero)),
                     _mm_and_si128(high, _mm_cmpgt_epi8(high, zero)));
    /* -128 negates to itself, and counts as 128 in the unsigned sum */
    t.opponent = tf_sum(
        _mm_and_si128(_mm_sub_epi8(zero, low), _mm_cmpgt_epi8(zero, low)),
        _mm_and_si128(_mm_sub_epi8(zero, high), _mm_cmpgt_epi8(zero, high)));
    return t;
}

typedef struct {
    __m128i low, high;
} tf_held;

static inline tf_held tf_row_hold(const int8_t *row)
{
    tf_held held;
    held.low = _mm_loadu_si128((const __m128i *)row);
    held.high = _mm_loadu_si128((const __m128i *)(row + 16));
    return held;
}

static inline void tf_held_add(int8_t *out, tf_held held, const int8_t *delta)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)delta);
    const __m128i high = _mm_loadu_si128((const __m128i *)(delta + 16));
    _mm_storeu_si128((__m128i *)out, _mm_add_epi8(held.low, low));
    _mm_storeu_si128((__m128i *)(out + 16), _mm_add_epi8(held.high, high));
}

static inline uint32_t tf_row_differ(const int8_t *row, const int8_t *other)
{
    const tf_held a = tf_row_hold(row), b = tf_row_hold(other);
    return ~tf_join(_mm_cmpeq_epi8(a.low, b.low), _mm_cmpeq_epi8(a.high, b.high));
}

#elif defined(TF_NEON)

static inline uint32_t tf_pack(uint8x16_t set)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(set, vld1q_u8(weights));
    return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}

static inline tf_signs tf_row_signs(const int8_t *row)
{
    const int8x16_t low = vld1q_s8(row), high = vld1q_s8(row + 16);
    const int8x16_t zero = vdupq_n_s8(0), one = vdupq_n_s8(1), minus = vdupq_n_s8(-1);
    tf_signs s;
    s.pos1 = tf_pack(vcgtq_s8(low, zero)) | tf_pack(vcgtq_s8(high, zero)) << 16;
    s.pos2 = tf_pack(vcgtq_s8(low, one)) | tf_pack(vcgtq_s8(high, one)) << 16;
    s.neg1 = tf_pack(vcltq_s8(low, zero)) | tf_pack(vcltq_s8(high, zero)) << 16;
    s.neg2 = tf_pack(vcltq_s8(low, minus)) | tf_pack(vcltq_s8(high, minus)) << 16;
    return s;
}

static inline uint32_t tf_above(const int8_t *row, int8_t limit)
{
    const int8x16_t than = vdupq_n_s8(limit);
    return tf_pack(vcgtq_s8(vld1q_s8(row), than))
        | tf_pack(vcgtq_s8(vld1q_s8(row + 16), than)) << 16;
}

static inline tf_depths tf_row_depths(const int8_t *row)
{
    tf_depths d = {tf_above(row, 2), tf_above(row, 3), tf_above(row, 4)};
    return d;
}

static inline tf_totals tf_row_totals(const int8_t *row)
{
    return tf_row_totals_portable(row); /* gcc and clang vectorise this loop for NEON themselves */
}

typedef struct {
    int8x16_t low, high;
} tf_held;

static inline tf_held tf_row_hold(const int8_t *row)
{
    tf_held held = {vld1q_s8(row), vld1q_s8(row + 16)};
    return held;
}

static inline void tf_held_add(int8_t *out, tf_held held, const int8_t *delta)
{
    vst1q_s8(out, vaddq_s8(held.low, vld1q_s8(delta)));
    vst1q_s8(out + 16, vaddq_s8(held.high, vld1q_s8(delta + 16)));
}

static inline uint32_t tf_row_differ(const int8_t *row, const int8_t *other)
{
    const tf_held a = tf_row_hold(row), b = tf_row_hold(other);
    return ~(tf_pack(vceqq_s8(a.low, b.low)) | tf_pack(vceqq_s8(a.high, b.high)) << 16);
}

#else

static inline tf_signs tf_row_signs(const int8_t *row) { return tf_row_signs_portable(row); }
static inline tf_depths tf_row_depths(const int8_t *row) { return tf_row_depths_portable(row); }
static inline tf_totals tf_row_totals(const int8_t *row) { return tf_row_totals_portable(row); }
typedef tf_held_portable tf_held;
static inline tf_held tf_row_hold(const int8_t *row) { return tf_row_hold_portable(row); }
static inline void tf_held_add(int8_t *out, tf_held held, const int8_t *delta)
{
    tf_held_add_portable(out, held, delta);
}
static inline uint32_t tf_row_differ(const int8_t *row, const int8_t *other)
{
    return tf_row_differ_portable(row, other);
}

#endif

static inline void tf_row_add(int8_t *out, const int8_t *row, const int8_t *delta)
{
    tf_held_add(out, tf_row_hold(row), delta);
}

/* Bytes 1-24 in the opposite order and with the other sign. */
static inline void tf_row_reverse(int8_t *out, const int8_t *row)
{
    uint64_t words[3], reversed[3];
    int8_t bytes[24];
    memcpy(words, row + 1, 24);
    for (int i = 0; i < 3; i++) reversed[i] = __builtin_bswap64(words[2 - i]);
    memcpy(bytes, reversed, 24);
    for (int i = 0; i < 24; i++) bytes[i] = (int8_t)-bytes[i];
    memcpy(out + 1, bytes, 24);
}

static inline uint32_t tf_row_pins(const int8_t *row)
{
    uint32_t mask = 0; /* byte by byte, for hosts of either byte order */
    for (int i = 0; i < 4; i++) mask |= (uint32_t)(uint8_t)row[28 + i] << (8 * i);
    return mask;
}

static inline int tf_popcount(uint32_t x)
{
#if defined(__POPCNT__) || defined(__aarch64__)
    return __builtin_popcount(x);
#else
    /* without the instruction gcc would call a library function */
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0Fu;
    return (int)((x * 0x01010101u) >> 24);
#endif
}

/* Whether this processor has the instructions the kernels were built with. */
static inline int tf_processor_suits(void)
{
#if defined(__POPCNT__) && defined(__x86_64__)
    return __builtin_cpu_supports("popcnt") != 0;
#else
    return 1;
#endif
}

/* Number of the highest and of the lowest set bit; x must not be 0. The exclusive or undoes the one
 * that compilers put behind the instruction: a subtraction would not. */
static inline int tf_top(uint32_t x) { return 31 ^ __builtin_clz(x); }
static inline int tf_lowest(uint32_t x) { return __builtin_ctz(x); }

#endif
