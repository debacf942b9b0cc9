// Conversions that libyuv lacks, or does slowly, a row at a time.
//
// Each instruction set has a table of the same functions with the same results, byte for byte; the
// table of plain C is the definition. Rows may have any alignment and any length from 1 on; nothing
// outside them is read or written. A result never overlaps its input, but for `replace`.

#ifndef GREENROOM_KERNELS_H
#define GREENROOM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Weights for YUV of 32-bit pixels, by the bytes of a pixel in memory; alpha's are 0.
//     Y = (y_bias + sum of y[i] * (byte[i] - 128)) >> 8, U = 128 + ((128 - sum of u[i] * byte[i]) >> 8)
// The weights of U and V have the opposite sign: 8 bits can hold -0.5, but not 0.5. No two weights of Y
// make more than 256, and all Y that the bias allows lie from 0 to 255.
struct greenroom_from_rgb {
    uint8_t y[4];
    int8_t u[4], v[4];
    int32_t y_bias;
};

// Weights for RGB of YUV. With u and v relative to 128:
//     blue = (luma + (u * blue_u >> 8)) >> 5, luma = (y * this->y >> 8) + bias, and so on
struct greenroom_to_rgb {
    uint16_t y;
    int16_t blue_u, green_u, green_v, red_v, bias;
};

// Weights for YUV of YUV, with the arithmetic of greenroom_to_rgb.
struct greenroom_recolor {
    uint16_t y;
    int16_t y_u, y_v, u_u, u_v, v_u, v_v, y_bias, uv_bias;
};

// The scaling of one side of a plane: each result is the sum of its taps, and a tap is a sample times
// a weight, plus 64, shifted right by 7; vertically plus 63, so that halves are not rounded up twice. The
// weights of a result make 128, its positive ones at most 160, and its first two at most 128, as the next
// two, and so on. Beyond the ends of a row, as far as the taps reach, the caller repeats the outermost
// samples.
//
// The lists of windows are the same once more, as kernels with windows of W samples read it: for each W / 2
// results, padded to a multiple of 64, `terms` windows, and of each window two samples for each result. If no
// weight is negative and whole windows repeat, after `period` results they are the same `advance` samples
// further.
struct greenroom_taps {
    int32_t count;           // of results
    int32_t taps;            // of each result; even
    int32_t step;            // from one tap to the next
    int32_t terms;
    int32_t period, advance; // or 0
    const int32_t *first;    // the position of each result's first tap
    const int8_t *weights;   // `taps` for each result
    const int32_t *windows;  // the position of each window: the first of all groups, the second of all, ...
    const int8_t *picks;     // W for each window: positions in it
    const int8_t *factors;   // W for each window: the weights of these samples
};

struct greenroom_kernels {
    const char *name;

    // The samples of a window: 16 or 64.
    int window;

    // Luma of a row of 32-bit pixels.
    void (*luma)(const uint8_t *pixels, uint8_t *y, int width, const struct greenroom_from_rgb *weights);

    // Chroma of two rows of 32-bit pixels: of the mean of each 2 by 2, rounded up twice, first downwards.
    // An odd last column counts twice.
    void (*chroma)(const uint8_t *upper, const uint8_t *lower, uint8_t *u, uint8_t *v, int width,
                   const struct greenroom_from_rgb *weights);

    // A row of BGRA of I420; of RGBA, if U and V and their weights change places.
    void (*pixels)(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *pixels, int width,
                   const struct greenroom_to_rgb *weights);

    // The same of NV12 or NV21: U and V are every second byte.
    void (*pixels_of_pairs)(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *pixels,
                            int width, const struct greenroom_to_rgb *weights);

    // Another range of a row of luma.
    void (*range)(const uint8_t *y, uint8_t *result, int width, const struct greenroom_recolor *weights);

    // Another matrix of a row of luma.
    void (*matrix)(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *result, int width,
                   const struct greenroom_recolor *weights);

    // Another range or matrix of a row of U and one of V.
    void (*recolor)(const uint8_t *u, const uint8_t *v, uint8_t *u_result, uint8_t *v_result, int count,
                    const struct greenroom_recolor *weights);

    // A row of a plane that is scaled vertically: the sum of `taps` rows, each times its weight.
    void (*blend)(const uint8_t *_Nonnull const *_Nonnull rows, const int8_t *weights, int taps,
                  uint8_t *result, int width);

    // A row that is scaled horizontally. 64 bytes after it are read, and must be initialized.
    void (*scale)(const uint8_t *row, uint8_t *result, const struct greenroom_taps *columns);

    // Replaces each sample of a row by the one that a table of 256 has for it.
    void (*replace)(uint8_t *row, int count, const uint8_t *table);
};

// The planes of an I420 image, and the bytes from one row to the next.
struct greenroom_i420 {
    uint8_t *y, *u, *v;
    ptrdiff_t y_stride, u_stride, v_stride;
};

// Converts an image of 32-bit pixels to I420 with the fastest table.
void greenroom_make_i420(const uint8_t *pixels, ptrdiff_t stride, int width, int height,
                         struct greenroom_i420 result, const struct greenroom_from_rgb *weights);

// Begins to load bytes into the cache; for rows that the next result needs, while this one is made.
static inline void greenroom_prefetch(const uint8_t *bytes, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i += 64) __builtin_prefetch(bytes + i);
}

// The fastest table that this processor can run.
const struct greenroom_kernels *greenroom_best_kernels(void);

// All that it can run: the fastest has the index 0, plain C is the last. Null beyond.
const struct greenroom_kernels *_Nullable greenroom_kernels_at(int index);

#pragma clang assume_nonnull end

#endif
