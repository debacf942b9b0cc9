// libpng, and reading by rows, for which it jumps out of functions: that must not cross Swift.
//
// Each target that depends on this module chooses its link of libpng: bundled plugins the shared library, the
// command line the static one, so that it starts on a machine without libpng.

#ifndef GREENROOM_CPNG_H
#define GREENROOM_CPNG_H

#include <png.h>
#include <stddef.h>
#include <stdint.h>

// The longest text of an error, with its zero.
#define GREENROOM_PNG_MESSAGE_LENGTH 96

// The largest block: the sums of its pixels fit into 32 bits.
#define GREENROOM_PNG_LARGEST_BLOCK 256

// Decodes an image, and makes each block of `block` by `block` pixels one pixel, their mean.
// Transparent pixels do not bleed their invisible colour; with a block of 1 all pixels stay as they
// are.
//
// `rgba` gets rows of red, green, blue and alpha, 8 bits each, without padding: `width` / `block`,
// rounded up, by `height` / `block`, rounded up. Memory besides: a row of each size; for an
// interlaced image with blocks four times `rgba`.
//
// Returns 1; or 0 and the reason in `message`; an image of another size or interlacing is an error, too.
int greenroom_png_read(const uint8_t *_Nonnull file, size_t byte_count, uint32_t width,
                       uint32_t height, uint32_t block, int is_interlaced,
                       uint8_t *_Nonnull rgba, char *_Nonnull message);

#endif
