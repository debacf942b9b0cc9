// The kernels of each instruction set, and the choice between them.
//
// Not by Google Highway: Debian 12 has its run-time choice as a shared library alone, which the host would
// need, and its version lacks the product of signed and unsigned bytes that most kernels are made of.
// The compiler's attribute `target` compiles rows.h for each set, with intrinsics that differ in their
// prefix only; NEON has functions with the same names.

#include "kernels.h"

#include <stddef.h>

#if defined(__x86_64__)

#include <immintrin.h>

// SSE4.1

#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)

#define V 16
#define WINDOW 16
#define VEC __m128i
#define OP(name) _mm_##name
#define NAME(name) name##_sse41
#define NAME_TEXT "SSE4.1"
#define SHORTER greenroom_kernels_c

static inline VEC NAME(spread)(VEC a) { return a; }
static inline VEC NAME(gather)(VEC a) { return a; }
static inline VEC NAME(halves)(VEC a) { return a; }
static inline VEC NAME(pairs)(VEC a) { return a; }
static inline VEC NAME(widen)(const uint8_t *from) {
    return _mm_cvtepu8_epi16(_mm_loadl_epi64((const void *)from));
}
static inline VEC NAME(load_lanes)(const uint8_t *from) { return _mm_loadu_si128((const void *)from); }
static inline VEC NAME(pick)(const uint8_t *row, const int32_t *windows, VEC picks) {
    return _mm_shuffle_epi8(_mm_loadu_si128((const void *)(row + windows[0])), picks);
}
static inline VEC NAME(even)(VEC a, VEC b) { return (VEC)_mm_shuffle_ps((__m128)a, (__m128)b, 0x88); }
static inline VEC NAME(odd)(VEC a, VEC b) { return (VEC)_mm_shuffle_ps((__m128)a, (__m128)b, 0xdd); }

#include "rows.h"

#pragma clang attribute pop

// AVX2

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define V 32
#define WINDOW 16
#define VEC __m256i
#define OP(name) _mm256_##name
#define NAME(name) name##_avx2
#define NAME_TEXT "AVX2"
#define SHORTER greenroom_kernels_sse41

static inline VEC NAME(spread)(VEC a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}
static inline VEC NAME(gather)(VEC a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
static inline VEC NAME(halves)(VEC a) { return _mm256_permute4x64_epi64(a, 0xd8); }
static inline VEC NAME(pairs)(VEC a) {
    __m128i order = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    return _mm256_shuffle_epi8(_mm256_permute4x64_epi64(a, 0xd8), _mm256_broadcastsi128_si256(order));
}
static inline VEC NAME(widen)(const uint8_t *from) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)from));
}
static inline VEC NAME(load_lanes)(const uint8_t *from) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)from));
}
static inline VEC NAME(pick)(const uint8_t *row, const int32_t *windows, VEC picks) {
    VEC samples = _mm256_loadu2_m128i((const void *)(row + windows[1]), (const void *)(row + windows[0]));
    return _mm256_shuffle_epi8(samples, picks);
}
static inline VEC NAME(even)(VEC a, VEC b) { return (VEC)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88); }
static inline VEC NAME(odd)(VEC a, VEC b) { return (VEC)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd); }

#include "rows.h"

#pragma clang attribute pop

// AVX-512

#pragma clang attribute push(__attribute__((target("avx512bw,avx512vbmi,avx512vnni"))), apply_to = function)

#define V 64
#define WINDOW 64
#define VEC __m512i
#define OP(name) _mm512_##name
#define NAME(name) name##_avx512
#define NAME_TEXT "AVX-512"
#define SHORTER greenroom_kernels_avx2
#define HAS_DOT_PRODUCT

static inline VEC NAME(gather)(VEC a) {
    VEC order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, a);
}
static inline VEC NAME(spread)(VEC a) { return NAME(gather)(a); }
static inline VEC NAME(halves)(VEC a) {
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), a);
}
static inline VEC NAME(pairs)(VEC a) {
    static const int16_t order[32] = {0, 8,  16, 24, 1, 9,  17, 25, 2, 10, 18, 26, 3, 11, 19, 27,
                                      4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31};
    return _mm512_permutexvar_epi16(_mm512_loadu_si512(order), a);
}
static inline VEC NAME(widen)(const uint8_t *from) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)from));
}
#define TABLE_PARTS 4
static inline VEC NAME(table_part)(const uint8_t *table, int index) {
    return _mm512_loadu_si512(table + 64 * index);
}
static inline VEC NAME(entries)(VEC samples, const VEC *parts) {
    VEC lower = _mm512_permutex2var_epi8(parts[0], samples, parts[1]);
    VEC upper = _mm512_permutex2var_epi8(parts[2], samples, parts[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(samples), lower, upper);
}
static inline VEC NAME(pick)(const uint8_t *row, const int32_t *windows, VEC picks) {
    return _mm512_permutexvar_epi8(picks, _mm512_loadu_si512(row + windows[0]));
}
static inline VEC NAME(even)(VEC a, VEC b) { return (VEC)_mm512_shuffle_ps((__m512)a, (__m512)b, 0x88); }
static inline VEC NAME(odd)(VEC a, VEC b) { return (VEC)_mm512_shuffle_ps((__m512)a, (__m512)b, 0xdd); }

#include "rows.h"

#pragma clang attribute pop

static int has_avx512(void) {
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi")
        && __builtin_cpu_supports("avx512vnni");
}

const struct greenroom_kernels *greenroom_kernels_at(int index) {
    if (has_avx512() && index-- == 0) return &greenroom_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && index-- == 0) return &greenroom_kernels_avx2;
    if (__builtin_cpu_supports("sse4.1") && index-- == 0) return &greenroom_kernels_sse41;
    return index == 0 ? &greenroom_kernels_c : NULL;
}

#elif defined(__aarch64__)

#include <arm_neon.h>

// NEON, by the names of x86.

#define V 16
#define WINDOW 16
#define VEC uint8x16_t
#define OP(name) neon_##name
#define NAME(name) name##_neon
#define NAME_TEXT "NEON"
#define SHORTER greenroom_kernels_c

static inline VEC neon_set1_epi8(int a) { return vdupq_n_u8((uint8_t)a); }
static inline VEC neon_set1_epi16(int a) { return (VEC)vdupq_n_s16((int16_t)a); }
static inline VEC neon_set1_epi32(int a) { return (VEC)vdupq_n_s32(a); }
static inline VEC neon_add_epi16(VEC a, VEC b) { return (VEC)((int16x8_t)a + (int16x8_t)b); }
static inline VEC neon_adds_epi16(VEC a, VEC b) { return (VEC)vqaddq_s16((int16x8_t)a, (int16x8_t)b); }
static inline VEC neon_hadd_epi16(VEC a, VEC b) { return (VEC)vpaddq_s16((int16x8_t)a, (int16x8_t)b); }
static inline VEC neon_avg_epu8(VEC a, VEC b) { return vrhaddq_u8(a, b); }
static inline VEC neon_slli_epi16(VEC a, int n) { return (VEC)((uint16x8_t)a << (uint16_t)n); }
static inline VEC neon_srli_epi16(VEC a, int n) { return (VEC)((uint16x8_t)a >> (uint16_t)n); }
static inline VEC neon_srai_epi16(VEC a, int n) { return (VEC)((int16x8_t)a >> (int16_t)n); }
static inline VEC neon_unpacklo_epi8(VEC a, VEC b) { return vzip1q_u8(a, b); }
static inline VEC neon_unpackhi_epi8(VEC a, VEC b) { return vzip2q_u8(a, b); }
static inline VEC neon_unpacklo_epi16(VEC a, VEC b) { return (VEC)vzip1q_u16((uint16x8_t)a, (uint16x8_t)b); }
static inline VEC neon_unpackhi_epi16(VEC a, VEC b) { return (VEC)vzip2q_u16((uint16x8_t)a, (uint16x8_t)b); }
static inline VEC neon_packus_epi16(VEC a, VEC b) {
    return vqmovun_high_s16(vqmovun_s16((int16x8_t)a), (int16x8_t)b);
}
static inline VEC neon_packs_epi16(VEC a, VEC b) {
    return (VEC)vqmovn_high_s16(vqmovn_s16((int16x8_t)a), (int16x8_t)b);
}
static inline VEC neon_packs_epi32(VEC a, VEC b) {
    return (VEC)vqmovn_high_s32(vqmovn_s32((int32x4_t)a), (int32x4_t)b);
}
static inline VEC neon_mulhi_epi16(VEC a, VEC b) {
    int32x4_t low = vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    return (VEC)vshrn_high_n_s32(vshrn_n_s32(low, 16), vmull_high_s16((int16x8_t)a, (int16x8_t)b), 16);
}
static inline VEC neon_mulhi_epu16(VEC a, VEC b) {
    uint32x4_t low = vmull_u16(vget_low_u16((uint16x8_t)a), vget_low_u16((uint16x8_t)b));
    return (VEC)vshrn_high_n_u32(vshrn_n_u32(low, 16), vmull_high_u16((uint16x8_t)a, (uint16x8_t)b), 16);
}
static inline VEC neon_mulhrs_epi16(VEC a, VEC b) { return (VEC)vqrdmulhq_s16((int16x8_t)a, (int16x8_t)b); }
// Bytes without a sign times bytes with one, and the sums of each two.
static inline VEC neon_maddubs_epi16(VEC a, VEC b) {
    int16x8_t low = (int16x8_t)vmovl_u8(vget_low_u8(a)) * vmovl_s8(vget_low_s8((int8x16_t)b));
    return (VEC)vpaddq_s16(low, (int16x8_t)vmovl_high_u8(a) * vmovl_high_s8((int8x16_t)b));
}

static inline VEC NAME(spread)(VEC a) { return a; }
static inline VEC NAME(gather)(VEC a) { return a; }
static inline VEC NAME(halves)(VEC a) { return a; }
static inline VEC NAME(pairs)(VEC a) { return a; }
static inline VEC NAME(widen)(const uint8_t *from) { return (VEC)vmovl_u8(vld1_u8(from)); }
#define TABLE_PARTS 16
static inline VEC NAME(table_part)(const uint8_t *table, int index) { return vld1q_u8(table + 16 * index); }
static inline VEC NAME(entries)(VEC samples, const VEC *parts) {
    VEC result = {0};
    for (int i = 0; i < 4; i++) {
        uint8x16x4_t quarter = {{parts[4 * i], parts[4 * i + 1], parts[4 * i + 2], parts[4 * i + 3]}};
        result = vqtbx4q_u8(result, quarter, samples - vdupq_n_u8((uint8_t)(64 * i)));
    }
    return result;
}
static inline VEC NAME(pick)(const uint8_t *row, const int32_t *windows, VEC picks) {
    return vqtbl1q_u8(vld1q_u8(row + windows[0]), picks);
}
static inline VEC NAME(even)(VEC a, VEC b) { return (VEC)vuzp1q_u32((uint32x4_t)a, (uint32x4_t)b); }
static inline VEC NAME(odd)(VEC a, VEC b) { return (VEC)vuzp2q_u32((uint32x4_t)a, (uint32x4_t)b); }

#include "rows.h"

const struct greenroom_kernels *greenroom_kernels_at(int index) {
    return index == 0 ? &greenroom_kernels_neon : index == 1 ? &greenroom_kernels_c : NULL;
}

#else

const struct greenroom_kernels *greenroom_kernels_at(int index) {
    return index == 0 ? &greenroom_kernels_c : NULL;
}

#endif

const struct greenroom_kernels *greenroom_best_kernels(void) {
    const struct greenroom_kernels *best = greenroom_kernels_at(0);
    return best ? best : &greenroom_kernels_c;
}
