#include "CPNG.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// The rest of a file in memory.
struct rest {
    const uint8_t *bytes;
    size_t count;
};

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    struct rest *rest = png_get_io_ptr(png);
    if (count > rest->count) png_error(png, "the file is cut off");
    memcpy(target, rest->bytes, count);
    rest->bytes += count;
    rest->count -= count;
}

static void fail(png_structp png, png_const_charp text) {
    char *message = png_get_error_ptr(png);
    strncpy(message, text, GREENROOM_PNG_MESSAGE_LENGTH - 1);
    message[GREENROOM_PNG_MESSAGE_LENGTH - 1] = 0;
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

// Adds a row of pixels to the sums of its blocks: colours times alpha, and alpha.
static void add(const uint8_t *row, uint32_t width, uint32_t block, uint64_t *sums) {
    uint32_t left = block;
    for (uint32_t x = 0; x < width; x++, row += 4) {
        sums[0] += (uint32_t)row[0] * row[3];
        sums[1] += (uint32_t)row[1] * row[3];
        sums[2] += (uint32_t)row[2] * row[3];
        sums[3] += row[3];
        if (--left == 0) {
            left = block;
            sums += 4;
        }
    }
}

// Writes a row of means of blocks that have so many rows.
static void divide(const uint64_t *sums, uint32_t width, uint32_t block, uint32_t rows,
                   uint8_t *rgba) {
    for (uint32_t x = 0; x < width; x += block, sums += 4, rgba += 4) {
        uint64_t pixels = (uint64_t)rows * (width - x < block ? width - x : block);
        uint64_t alpha = sums[3];
        for (int color = 0; color < 3; color++)
            rgba[color] = alpha ? (uint8_t)((sums[color] + alpha / 2) / alpha) : 0;
        rgba[3] = (uint8_t)((alpha + pixels / 2) / pixels);
    }
}

static void read_rows(png_structp png, png_infop info, uint32_t width, uint32_t height,
                      uint32_t block, uint8_t *row, uint64_t *sums, uint8_t *rgba) {
    png_read_info(png, info);
    if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height
        || png_get_interlace_type(png, info) != PNG_INTERLACE_NONE)
        png_error(png, "the header has changed");
    // Palettes, greys and 16 bits become RGBA of 8 bits, the gamma that of sRGB.
    png_set_alpha_mode(png, PNG_ALPHA_PNG, PNG_DEFAULT_sRGB);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)width * 4) png_error(png, "its rows are odd");

    size_t blocks = (width + block - 1) / block;
    for (uint32_t y = 0; y < height; y += block) {
        uint32_t rows = height - y < block ? height - y : block;
        memset(sums, 0, blocks * 4 * sizeof *sums);
        for (uint32_t line = 0; line < rows; line++) {
            png_read_row(png, row, NULL);
            add(row, width, block, sums);
        }
        divide(sums, width, block, rows, rgba);
        rgba += blocks * 4;
    }
}

int greenroom_png_read_reduced(const uint8_t *file, size_t byte_count, uint32_t width,
                               uint32_t height, uint32_t block, uint8_t *rgba, char *message) {
    strcpy(message, "there is no memory for it");
    if (width == 0 || height == 0 || block == 0) return 0;
    struct rest rest = {file, byte_count};
    size_t blocks = ((size_t)width + block - 1) / block;
    uint8_t *row = malloc((size_t)width * 4);
    uint64_t *sums = malloc(blocks * 4 * sizeof *sums);
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    // Nothing above changes after this, so that all of it is there after a jump.
    volatile int is_read = 0;
    if (row && sums && info && !setjmp(png_jmpbuf(png))) {
        png_set_read_fn(png, &rest, read_bytes);
        png_set_user_limits(png, width, height);
        /* Texts and palettes that nothing here reads may inflate to gigabytes. */
        static const png_byte texts[] = "tEXt\0zTXt\0iTXt\0sPLT";
        png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, texts, 4);
        read_rows(png, info, width, height, block, row, sums, rgba);
        is_read = 1;
    }
    png_destroy_read_struct(&png, &info, NULL);
    free(sums);
    free(row);
    return is_read;
}
