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
    if (count > rest->count) png_error(png, "the file is truncated");
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

// Adds every `step`-th pixel of an image's row, from `first` on, to the sums of its blocks: colours
// times alpha, and alpha.
static void add(const uint8_t *row, uint32_t width, uint32_t first, uint32_t step, uint32_t block,
                uint32_t *sums) {
    for (uint32_t x = first; x < width; x += step, row += 4) {
        uint32_t *sum = sums + (size_t)(x / block) * 4;
        sum[0] += (uint32_t)row[0] * row[3];
        sum[1] += (uint32_t)row[1] * row[3];
        sum[2] += (uint32_t)row[2] * row[3];
        sum[3] += row[3];
    }
}

// Writes a row of means of blocks that have so many rows.
static void divide(const uint32_t *sums, uint32_t width, uint32_t block, uint32_t rows,
                   uint8_t *rgba) {
    for (uint32_t x = 0; x < width; x += block, sums += 4, rgba += 4) {
        uint64_t pixels = (uint64_t)rows * (width - x < block ? width - x : block);
        uint64_t alpha = sums[3];
        for (int color = 0; color < 3; color++)
            rgba[color] = alpha ? (uint8_t)((sums[color] + alpha / 2) / alpha) : 0;
        rgba[3] = (uint8_t)((alpha + pixels / 2) / pixels);
    }
}

// All pixels as they are; an interlaced image in seven passes over its rows.
static void read_all(png_structp png, uint32_t width, uint32_t height, int passes, uint8_t *rgba) {
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < height; y++)
            png_read_row(png, rgba + (size_t)y * width * 4, NULL);
}

// Means of blocks, a row of blocks after the other.
static void read_blocks(png_structp png, uint32_t width, uint32_t height, uint32_t block,
                        uint8_t *row, uint32_t *sums, uint8_t *rgba) {
    size_t blocks = (width + block - 1) / block;
    for (uint32_t y = 0; y < height; y += block) {
        uint32_t rows = height - y < block ? height - y : block;
        memset(sums, 0, blocks * 4 * sizeof *sums);
        for (uint32_t line = 0; line < rows; line++) {
            png_read_row(png, row, NULL);
            add(row, width, 0, 1, block, sums);
        }
        divide(sums, width, block, rows, rgba);
        rgba += blocks * 4;
    }
}

// The same of an interlaced image, whose blocks are complete after its last pass.
static void read_passes(png_structp png, uint32_t width, uint32_t height, uint32_t block,
                        uint8_t *row, uint32_t *sums, uint8_t *rgba) {
    size_t blocks = (width + block - 1) / block;
    for (uint32_t pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
        uint32_t rows = PNG_PASS_ROWS(height, pass);
        if (PNG_PASS_COLS(width, pass) == 0) continue;
        for (uint32_t line = 0; line < rows; line++) {
            uint32_t y = PNG_ROW_FROM_PASS_ROW(line, pass);
            png_read_row(png, row, NULL);
            add(row, width, PNG_PASS_START_COL(pass), PNG_PASS_COL_OFFSET(pass), block,
                sums + y / block * blocks * 4);
        }
    }
    for (uint32_t y = 0; y < height; y += block, sums += blocks * 4, rgba += blocks * 4)
        divide(sums, width, block, height - y < block ? height - y : block, rgba);
}

static void read_pixels(png_structp png, png_infop info, uint32_t width, uint32_t height,
                        uint32_t block, int is_interlaced, uint8_t *row, uint32_t *sums,
                        uint8_t *rgba) {
    png_read_info(png, info);
    if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height
        || (png_get_interlace_type(png, info) != PNG_INTERLACE_NONE) != is_interlaced)
        png_error(png, "the header has changed");
    // Palettes, greys and 16 bits become RGBA of 8 bits, the gamma that of sRGB.
    png_set_alpha_mode(png, PNG_ALPHA_PNG, PNG_DEFAULT_sRGB);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
    int passes = block == 1 ? png_set_interlace_handling(png) : 1;
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)width * 4) png_error(png, "unexpected row length");

    if (block == 1)
        read_all(png, width, height, passes, rgba);
    else if (is_interlaced)
        read_passes(png, width, height, block, row, sums, rgba);
    else
        read_blocks(png, width, height, block, row, sums, rgba);
}

int greenroom_png_read(const uint8_t *file, size_t byte_count, uint32_t width, uint32_t height,
                       uint32_t block, int is_interlaced, uint8_t *rgba, char *message) {
    strcpy(message, "out of memory");
    if (width == 0 || height == 0 || block == 0 || block > GREENROOM_PNG_LARGEST_BLOCK) return 0;
    struct rest rest = {file, byte_count};
    size_t blocks = ((size_t)width + block - 1) / block;
    size_t lines = is_interlaced ? ((size_t)height + block - 1) / block : 1;
    uint8_t *row = block > 1 ? malloc((size_t)width * 4) : NULL;
    uint32_t *sums = block > 1 ? calloc(blocks * lines, 4 * sizeof *sums) : NULL;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    // Nothing above changes after this, so that all of it is there after a jump.
    volatile int is_read = 0;
    if ((block == 1 || (row && sums)) && info && !setjmp(png_jmpbuf(png))) {
        png_set_read_fn(png, &rest, read_bytes);
        png_set_user_limits(png, width, height);
        /* Texts and palettes that nothing here reads may inflate to gigabytes. */
        static const png_byte texts[] = "tEXt\0zTXt\0iTXt\0sPLT";
        png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, texts, 4);
        png_set_chunk_malloc_max(png, 4 << 20);
        png_set_chunk_cache_max(png, 100);
        read_pixels(png, info, width, height, block, is_interlaced, row, sums, rgba);
        is_read = 1;
    }
    png_destroy_read_struct(&png, &info, NULL);
    free(sums);
    free(row);
    return is_read;
}
