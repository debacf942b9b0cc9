#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

/** The planes of an I420 image. */
typedef struct {
    uint8_t *y, *u, *v;
    int y_stride, u_stride, v_stride;
    int width, height;
} greenroom_i420;

/** Decodes a JPEG image to I420 and crops its right and bottom edges. Unlike libyuv's decoder, which shows a missing
 *  part as grey, it refuses a damaged image.
 *
 *  Returns 0, or -1 if the image is damaged, is smaller than the output, or has another subsampling than
 *  4:2:0, 4:2:2, 4:4:4 or grey. The output's pixels are then undefined. */
int greenroom_decode_jpeg(const uint8_t *data, size_t byte_count, greenroom_i420 output);

/** Whether the data of a JPEG image that is not progressive is damaged: Huffman codes that do not exist, or too few or
 *  too many of them. Most other decoders show a part of such an image as grey and report nothing. Returns 0 for an
 *  image that this decoder cannot read, as well. */
int greenroom_jpeg_is_damaged(const uint8_t *data, size_t byte_count);

#endif
