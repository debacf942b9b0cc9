// Whole images, row by row.

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

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

// Planes from this size on are written past the cache: of half as much, both ways take the same.
enum { STREAMED_BYTES = 1 << 18 };

typedef uint8_t block __attribute__((vector_size(16)));

// Whole lines of the cache at once, as the processor writes them to memory.
static void stream(const uint8_t *from, uint8_t *to, size_t count) {
    size_t head = -(uintptr_t)to & 63;
    if (head > count) head = count;
    memcpy(to, from, head);
    size_t done = head;
    for (; done + 64 <= count; done += 64) {
        block blocks[4];
        memcpy(blocks, from + done, sizeof blocks);
        for (int i = 0; i < 4; i++) __builtin_nontemporal_store(blocks[i], (block *)(to + done) + i);
    }
    memcpy(to + done, from + done, count - done);
}

void greenroom_copy_plane(const uint8_t *plane, ptrdiff_t stride, uint8_t *result, ptrdiff_t result_stride,
                          size_t row_bytes, size_t rows) {
    const bool is_streamed = row_bytes * rows >= STREAMED_BYTES;
    if (stride == (ptrdiff_t)row_bytes && result_stride == stride) {
        row_bytes *= rows;
        rows = rows > 0;
    }
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = plane + (ptrdiff_t)row * stride;
        uint8_t *to = result + (ptrdiff_t)row * result_stride;
        if (is_streamed) stream(from, to, row_bytes);
        else memcpy(to, from, row_bytes);
    }
    // Such stores are not ordered with those that tell another thread of the frame.
    if (is_streamed) atomic_thread_fence(memory_order_seq_cst);
}
