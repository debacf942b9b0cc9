#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>
#include <libyuv.h>

/** Some cameras write a few bytes too many after the last block. Damage inside a scan leaves far more. */
enum { accepted_extra_bytes = 16 };

/** The longest side of a frame. */
enum { longest_side = 8192 };

struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf failure;
    int is_damaged;
};

static void fail(j_common_ptr jpeg) { longjmp(((struct decoder *)jpeg)->failure, 1); }

static void fail_for_damage(j_common_ptr jpeg) {
    ((struct decoder *)jpeg)->is_damaged = 1;
    fail(jpeg);
}

/** An image without its end marker is whole if its last block is: the decoder then hits no marker inside. */
static void take_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    switch (jpeg->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
        if (jpeg->err->msg_parm.i[0] > accepted_extra_bytes) fail_for_damage(jpeg);
        break;
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_BOGUS_PROGRESSION:
        fail_for_damage(jpeg);
    default:
        break;
    }
}

/** Converts rows of the image to I420. */
typedef int converter(
    const uint8_t *y, int y_stride, const uint8_t *u, int u_stride, const uint8_t *v, int v_stride,
    uint8_t *to_y, int to_y_stride, uint8_t *to_u, int to_u_stride, uint8_t *to_v, int to_v_stride,
    int width, int height);

static int convert_grey(
    const uint8_t *y, int y_stride, const uint8_t *u, int u_stride, const uint8_t *v, int v_stride,
    uint8_t *to_y, int to_y_stride, uint8_t *to_u, int to_u_stride, uint8_t *to_v, int to_v_stride,
    int width, int height) {
    return I400ToI420(
        y, y_stride, to_y, to_y_stride, to_u, to_u_stride, to_v, to_v_stride, width, height);
}

static converter *converter_for(const struct jpeg_decompress_struct *jpeg) {
    const jpeg_component_info *component = jpeg->comp_info;
    int across = component[0].h_samp_factor;
    int down = component[0].v_samp_factor;
    if (jpeg->num_components == 1) return across == 1 && down == 1 ? convert_grey : NULL;
    if (jpeg->num_components != 3) return NULL;
    for (int index = 1; index < 3; index++) {
        if (component[index].h_samp_factor != 1 || component[index].v_samp_factor != 1) return NULL;
    }
    if (across == 2 && down == 2) return I420Copy;
    if (across == 2 && down == 1) return I422ToI420;
    return across == 1 && down == 1 ? I444ToI420 : NULL;
}

static void prepare(struct decoder *decoder) {
    decoder->jpeg.err = jpeg_std_error(&decoder->errors);
    decoder->errors.error_exit = fail;
    decoder->errors.emit_message = take_message;
    decoder->is_damaged = 0;
    // The decoder may fail before it has memory to destroy.
    decoder->jpeg.mem = NULL;
}

int greenroom_jpeg_is_damaged(const uint8_t *data, size_t byte_count) {
    struct decoder decoder;
    struct jpeg_decompress_struct *jpeg = &decoder.jpeg;
    prepare(&decoder);
    if (setjmp(decoder.failure)) {
        jpeg_destroy_decompress(jpeg);
        return decoder.is_damaged;
    }
    jpeg_create_decompress(jpeg);
    jpeg_mem_src(jpeg, data, byte_count);
    jpeg_read_header(jpeg, TRUE);
    // An image of several scans needs memory and time for all of them.
    if (jpeg_has_multiple_scans(jpeg) || jpeg->image_width > longest_side
        || jpeg->image_height > longest_side) {
        fail((j_common_ptr)jpeg);
    }
    // One pixel per block: only the Huffman codes cost time.
    jpeg->out_color_space = jpeg->jpeg_color_space;
    jpeg->scale_num = 1;
    jpeg->scale_denom = DCTSIZE;
    jpeg->do_fancy_upsampling = FALSE;
    jpeg_start_decompress(jpeg);
    JSAMPARRAY row = jpeg->mem->alloc_sarray(
        (j_common_ptr)jpeg, JPOOL_IMAGE,
        jpeg->output_width * (JDIMENSION)jpeg->output_components, 1);
    while (jpeg->output_scanline < jpeg->output_height) jpeg_read_scanlines(jpeg, row, 1);
    jpeg_finish_decompress(jpeg);
    jpeg_destroy_decompress(jpeg);
    return 0;
}

int greenroom_decode_jpeg(const uint8_t *data, size_t byte_count, greenroom_i420 output) {
    struct decoder decoder;
    struct jpeg_decompress_struct *jpeg = &decoder.jpeg;
    prepare(&decoder);
    if (setjmp(decoder.failure)) {
        jpeg_destroy_decompress(jpeg);
        return -1;
    }
    jpeg_create_decompress(jpeg);
    jpeg_mem_src(jpeg, data, byte_count);
    jpeg_read_header(jpeg, TRUE);
    converter *convert = converter_for(jpeg);
    if (!convert || jpeg->image_width < (JDIMENSION)output.width
        || jpeg->image_height < (JDIMENSION)output.height) {
        fail((j_common_ptr)jpeg);
    }
    jpeg->raw_data_out = TRUE;
    jpeg_start_decompress(jpeg);

    // The decoder writes whole blocks, of as many rows as a row of MCUs has.
    JSAMPROW rows[3][2 * DCTSIZE];
    JSAMPARRAY components[3] = {rows[0], rows[1], rows[2]};
    int row_bytes[3] = {0, 0, 0};
    for (int index = 0; index < jpeg->num_components; index++) {
        const jpeg_component_info *component = &jpeg->comp_info[index];
        row_bytes[index] = (int)component->width_in_blocks * DCTSIZE;
        int count = component->v_samp_factor * DCTSIZE;
        JSAMPROW memory = jpeg->mem->alloc_large(
            (j_common_ptr)jpeg, JPOOL_IMAGE, (size_t)row_bytes[index] * (size_t)count);
        for (int row = 0; row < count; row++) rows[index][row] = memory + row * row_bytes[index];
    }
    int step = jpeg->max_v_samp_factor * DCTSIZE;
    // Rows that are cropped are read, too: missing data may be there.
    for (int top = 0; top < (int)jpeg->image_height; top += step) {
        if (jpeg_read_raw_data(jpeg, components, (JDIMENSION)step) == 0) fail((j_common_ptr)jpeg);
        int left = output.height - top;
        if (left <= 0) continue;
        convert(
            rows[0][0], row_bytes[0], rows[1][0], row_bytes[1], rows[2][0], row_bytes[2],
            output.y + (ptrdiff_t)top * output.y_stride, output.y_stride,
            output.u + (ptrdiff_t)(top / 2) * output.u_stride, output.u_stride,
            output.v + (ptrdiff_t)(top / 2) * output.v_stride, output.v_stride, output.width,
            left < step ? left : step);
    }
    jpeg_finish_decompress(jpeg);
    jpeg_destroy_decompress(jpeg);
    return 0;
}
