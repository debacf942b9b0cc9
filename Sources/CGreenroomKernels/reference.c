// The definition of each kernel, and what runs where no other does.

#include "kernels.h"

static int clamp(int level) { return level < 0 ? 0 : level > 255 ? 255 : level; }

static int mean(int a, int b) { return (a + b + 1) >> 1; }

static void luma(const uint8_t *pixels, uint8_t *y, int width, const struct greenroom_from_rgb *weights) {
    const uint8_t *w = weights->y;
    for (int x = 0; x < width; x++) {
        const uint8_t *p = pixels + 4 * x;
        int sum = w[0] * (p[0] - 128) + w[1] * (p[1] - 128) + w[2] * (p[2] - 128);
        y[x] = (uint8_t)((weights->y_bias + sum) >> 8);
    }
}

static uint8_t chroma_level(const int8_t *w, const int *mean) {
    return (uint8_t)clamp(128 + ((128 - w[0] * mean[0] - w[1] * mean[1] - w[2] * mean[2]) >> 8));
}

static void chroma(const uint8_t *upper, const uint8_t *lower, uint8_t *u, uint8_t *v, int width,
                   const struct greenroom_from_rgb *weights) {
    for (int x = 0; x < (width + 1) / 2; x++) {
        int left = 8 * x, right = 2 * x + 1 < width ? left + 4 : left, means[3];
        for (int i = 0; i < 3; i++, left++, right++)
            means[i] = mean(mean(upper[left], lower[left]), mean(upper[right], lower[right]));
        u[x] = chroma_level(weights->u, means);
        v[x] = chroma_level(weights->v, means);
    }
}

static int luma_term(int y, uint16_t weight) { return y * weight >> 8; }

static int chroma_term(int sample, int16_t weight) { return (sample - 128) * weight >> 8; }

static void pixels_of(const uint8_t *y, const uint8_t *u, const uint8_t *v, int step, uint8_t *pixels,
                      int width, const struct greenroom_to_rgb *w) {
    for (int x = 0; x < width; x++) {
        int grey = luma_term(y[x], w->y) + w->bias, u_ = u[x / 2 * step], v_ = v[x / 2 * step];
        pixels[4 * x] = (uint8_t)clamp((grey + chroma_term(u_, w->blue_u)) >> 5);
        pixels[4 * x + 1] =
            (uint8_t)clamp((grey + chroma_term(u_, w->green_u) + chroma_term(v_, w->green_v)) >> 5);
        pixels[4 * x + 2] = (uint8_t)clamp((grey + chroma_term(v_, w->red_v)) >> 5);
        pixels[4 * x + 3] = 255;
    }
}

static void pixels(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *pixels, int width,
                   const struct greenroom_to_rgb *weights) {
    pixels_of(y, u, v, 1, pixels, width, weights);
}

static void pixels_of_pairs(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *pixels,
                            int width, const struct greenroom_to_rgb *weights) {
    pixels_of(y, u, v, 2, pixels, width, weights);
}

static void range(const uint8_t *y, uint8_t *result, int width, const struct greenroom_recolor *w) {
    for (int x = 0; x < width; x++) result[x] = (uint8_t)clamp((luma_term(y[x], w->y) + w->y_bias) >> 5);
}

static void matrix(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *result, int width,
                   const struct greenroom_recolor *w) {
    for (int x = 0; x < width; x++) {
        int shift = chroma_term(u[x / 2], w->y_u) + chroma_term(v[x / 2], w->y_v) + w->y_bias;
        result[x] = (uint8_t)clamp((luma_term(y[x], w->y) + shift) >> 5);
    }
}

static void recolor(const uint8_t *u, const uint8_t *v, uint8_t *u_result, uint8_t *v_result, int count,
                    const struct greenroom_recolor *w) {
    for (int x = 0; x < count; x++) {
        u_result[x] =
            (uint8_t)clamp((chroma_term(u[x], w->u_u) + chroma_term(v[x], w->u_v) + w->uv_bias) >> 5);
        v_result[x] =
            (uint8_t)clamp((chroma_term(u[x], w->v_u) + chroma_term(v[x], w->v_v) + w->uv_bias) >> 5);
    }
}

static void blend(const uint8_t *const *rows, const int8_t *weights, int taps, uint8_t *result, int width) {
    for (int x = 0; x < width; x++) {
        int sum = 63;
        for (int i = 0; i < taps; i++) sum += rows[i][x] * weights[i];
        result[x] = (uint8_t)clamp(sum >> 7);
    }
}

static void scale(const uint8_t *row, uint8_t *result, const struct greenroom_taps *columns) {
    for (int x = 0; x < columns->count; x++) {
        int sum = 64;
        for (int i = 0; i < columns->taps; i++)
            sum += row[columns->first[x] + i * columns->step] * columns->weights[x * columns->taps + i];
        result[x] = (uint8_t)clamp(sum >> 7);
    }
}

static void replace(uint8_t *row, int count, const uint8_t *table) {
    for (int x = 0; x < count; x++) row[x] = table[row[x]];
}

const struct greenroom_kernels greenroom_kernels_c = {
    "C", 16, luma, chroma, pixels, pixels_of_pairs, range, matrix, recolor, blend, scale, replace};
