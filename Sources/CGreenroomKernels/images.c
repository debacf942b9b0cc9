// Whole images, row by row.

#include "kernels.h"

void greenroom_make_i420(const uint8_t *pixels, ptrdiff_t stride, int width, int height,
                         struct greenroom_i420 result, const struct greenroom_from_rgb *weights) {
    const struct greenroom_kernels *kernels = greenroom_best_kernels();
    for (ptrdiff_t row = 0; row < (height + 1) / 2; row++) {
        const uint8_t *upper = pixels + 2 * row * stride, *lower = upper;
        uint8_t *y = result.y + 2 * row * result.y_stride;
        kernels->luma(upper, y, width, weights);
        if (2 * row + 1 < height) {
            lower += stride;
            kernels->luma(lower, y + result.y_stride, width, weights);
        }
        kernels->chroma(upper, lower, result.u + row * result.u_stride, result.v + row * result.v_stride,
                        width, weights);
    }
}
