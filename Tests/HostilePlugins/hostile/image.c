/* Test frames: four quarters in flat colours, in each pixel format. */
#include "hostile.h"
#include <math.h>
#include <stdlib.h>

typedef struct plane_shape {
  uint32_t row_bytes;
  uint32_t rows;
} plane_shape;

static uint32_t plane_count(uint32_t format) {
  switch (format) {
    case GR_FORMAT_I420:
    case GR_FORMAT_I010: return 3;
    case GR_FORMAT_NV12:
    case GR_FORMAT_NV21:
    case GR_FORMAT_P010: return 2;
    default: return 1;
  }
}

static plane_shape shape(uint32_t format, uint32_t plane, uint32_t width, uint32_t height) {
  const uint32_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
  switch (format) {
    case GR_FORMAT_I420:
      return plane == 0 ? (plane_shape){width, height} : (plane_shape){half_width, half_height};
    case GR_FORMAT_NV12:
    case GR_FORMAT_NV21:
      return plane == 0 ? (plane_shape){width, height}
                        : (plane_shape){half_width * 2, half_height};
    case GR_FORMAT_I010:
      return plane == 0 ? (plane_shape){width * 2, height}
                        : (plane_shape){half_width * 2, half_height};
    case GR_FORMAT_P010:
      return plane == 0 ? (plane_shape){width * 2, height}
                        : (plane_shape){half_width * 4, half_height};
    case GR_FORMAT_YUY2:
    case GR_FORMAT_UYVY: return (plane_shape){half_width * 4, height};
    case GR_FORMAT_RGB24: return (plane_shape){width * 3, height};
    default: return (plane_shape){width * 4, height};
  }
}

gr_frame_info describe(instance *me) {
  return (gr_frame_info){
      .struct_size = sizeof(gr_frame_info),
      .rotation = (uint32_t)setting_integer(me, "rotation"),
      .range = setting_is(me, "range", "full") ? GR_RANGE_FULL : GR_RANGE_LIMITED,
      .matrix = setting_is(me, "matrix", "bt709") ? GR_MATRIX_BT709 : GR_MATRIX_BT601,
      .offer_revision = me->revision,
      .pts_ns = me->host->now_ns(me->handle)};
}

gr_mutable_frame make_image(instance *me, uint32_t format, uint32_t width, uint32_t height,
                              uint32_t padding) {
  gr_mutable_frame image = {.struct_size = sizeof image, .format = format, .width = width,
                              .height = height, .plane_count = plane_count(format),
                              .info = describe(me)};
  for (uint32_t index = 0; index < image.plane_count; index++) {
    const plane_shape rows = shape(format, index, width, height);
    gr_mutable_plane *plane = &image.planes[index];
    plane->stride_bytes = rows.row_bytes + padding;
    /* The last row has no padding: a reader that steps over its end reads beyond the block. */
    plane->size_bytes = (uint64_t)plane->stride_bytes * (rows.rows - 1) + rows.row_bytes;
    plane->data = malloc(plane->size_bytes);
    for (uint64_t byte = 0; byte < plane->size_bytes; byte++) plane->data[byte] = 0xee;
  }
  paint(&image);
  return image;
}

void free_image(gr_mutable_frame *image) {
  for (uint32_t index = 0; index < image->plane_count; index++) free(image->planes[index].data);
}

gr_video_frame as_frame(instance *me, const gr_mutable_frame *image) {
  gr_video_frame frame = {.struct_size = sizeof frame, .format = image->format,
                          .width = image->width, .height = image->height,
                          .plane_count = image->plane_count, .info = describe(me)};
  for (uint32_t index = 0; index < GR_MAX_PLANES; index++) {
    frame.planes[index].data = image->planes[index].data;
    frame.planes[index].size_bytes = image->planes[index].size_bytes;
    frame.planes[index].stride_bytes = image->planes[index].stride_bytes;
  }
  return frame;
}

/* Colours: top left, top right, bottom left, bottom right. */

static const double quarters[4][3] = {{200, 40, 40}, {40, 200, 40}, {40, 40, 200}, {200, 200, 200}};

typedef struct color {
  uint8_t rgb[3];
  uint16_t yuv8[3];
  uint16_t yuv10[3];
} color;

/* The range's value of a part of it: of y 0 to 1, of u and v -0.5 to 0.5. */
static uint16_t sample(const gr_mutable_frame *image, double part, int component, int bits) {
  const double most = (1 << bits) - 1, step = 1 << (bits - 8);
  const bool full = image->info.range == GR_RANGE_FULL;
  const double value = component == 0 ? (full ? part * most : (16 + 219 * part) * step)
                                      : 128 * step + part * (full ? most : 224 * step);
  return (uint16_t)lround(fmax(0, fmin(most, value)));
}

static color color_of(const gr_mutable_frame *image, int quarter) {
  const double *rgb = quarters[quarter];
  const double kr = image->info.matrix == GR_MATRIX_BT709 ? 0.2126 : 0.299;
  const double kb = image->info.matrix == GR_MATRIX_BT709 ? 0.0722 : 0.114;
  const double luma = (kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]) / 255;
  const double yuv[3] = {luma, (rgb[2] / 255 - luma) / (2 - 2 * kb),
                         (rgb[0] / 255 - luma) / (2 - 2 * kr)};
  color of;
  for (int part = 0; part < 3; part++) {
    of.rgb[part] = (uint8_t)rgb[part];
    of.yuv8[part] = sample(image, yuv[part], part, 8);
    of.yuv10[part] = sample(image, yuv[part], part, 10);
  }
  return of;
}

static const color *color_at(const gr_mutable_frame *image, const color *colors, uint32_t x,
                             uint32_t y) {
  return &colors[(x >= image->width / 2 ? 1 : 0) + (y >= image->height / 2 ? 2 : 0)];
}

static uint8_t *byte_at(gr_mutable_frame *image, uint32_t plane, uint32_t row, uint32_t byte) {
  return image->planes[plane].data + (size_t)row * image->planes[plane].stride_bytes + byte;
}

static void put16(uint8_t *bytes, uint16_t value) {
  bytes[0] = (uint8_t)(value & 0xff);
  bytes[1] = (uint8_t)(value >> 8);
}

static void paint_pixel(gr_mutable_frame *image, const color *colors, uint32_t x, uint32_t y) {
  const color *of = color_at(image, colors, x, y);
  const uint8_t *rgb = of->rgb;
  switch (image->format) {
    case GR_FORMAT_I420:
    case GR_FORMAT_NV12:
    case GR_FORMAT_NV21:
      *byte_at(image, 0, y, x) = (uint8_t)of->yuv8[0];
      return;
    case GR_FORMAT_I010: put16(byte_at(image, 0, y, 2 * x), of->yuv10[0]); return;
    case GR_FORMAT_P010:
      put16(byte_at(image, 0, y, 2 * x), (uint16_t)(of->yuv10[0] << 6));
      return;
    case GR_FORMAT_YUY2:
      *byte_at(image, 0, y, 2 * x) = (uint8_t)of->yuv8[0];
      return;
    case GR_FORMAT_UYVY:
      *byte_at(image, 0, y, 2 * x + 1) = (uint8_t)of->yuv8[0];
      return;
    case GR_FORMAT_RGB24:
      for (uint32_t part = 0; part < 3; part++) *byte_at(image, 0, y, 3 * x + part) = rgb[part];
      return;
    case GR_FORMAT_BGRA:
    case GR_FORMAT_BGRX:
      for (uint32_t part = 0; part < 3; part++)
        *byte_at(image, 0, y, 4 * x + part) = rgb[2 - part];
      return;
    case GR_FORMAT_RGBA:
    case GR_FORMAT_RGBX:
      for (uint32_t part = 0; part < 3; part++) *byte_at(image, 0, y, 4 * x + part) = rgb[part];
      return;
    default: return;
  }
}

/* Chroma sample x, y of a 4:2:0 format is that of the pixel 2x, 2y. */
static void paint_chroma(gr_mutable_frame *image, const color *colors, uint32_t x, uint32_t y) {
  const color *of = color_at(image, colors, 2 * x, 2 * y);
  const uint8_t u = (uint8_t)of->yuv8[1], v = (uint8_t)of->yuv8[2];
  const uint16_t u10 = of->yuv10[1], v10 = of->yuv10[2];
  switch (image->format) {
    case GR_FORMAT_I420:
      *byte_at(image, 1, y, x) = u;
      *byte_at(image, 2, y, x) = v;
      return;
    case GR_FORMAT_NV12:
      *byte_at(image, 1, y, 2 * x) = u;
      *byte_at(image, 1, y, 2 * x + 1) = v;
      return;
    case GR_FORMAT_NV21:
      *byte_at(image, 1, y, 2 * x) = v;
      *byte_at(image, 1, y, 2 * x + 1) = u;
      return;
    case GR_FORMAT_I010:
      put16(byte_at(image, 1, y, 2 * x), u10);
      put16(byte_at(image, 2, y, 2 * x), v10);
      return;
    case GR_FORMAT_P010:
      put16(byte_at(image, 1, y, 4 * x), (uint16_t)(u10 << 6));
      put16(byte_at(image, 1, y, 4 * x + 2), (uint16_t)(v10 << 6));
      return;
    default: return;
  }
}

/* Chroma sample x of row y of a 4:2:2 format is that of the pixel 2x, y. */
static void paint_packed_chroma(gr_mutable_frame *image, const color *colors, uint32_t x,
                                uint32_t y) {
  const color *of = color_at(image, colors, 2 * x, y);
  const uint32_t first = image->format == GR_FORMAT_YUY2 ? 1 : 0;
  *byte_at(image, 0, y, 4 * x + first) = (uint8_t)of->yuv8[1];
  *byte_at(image, 0, y, 4 * x + first + 2) = (uint8_t)of->yuv8[2];
}

void paint(gr_mutable_frame *image) {
  color colors[4];
  for (int quarter = 0; quarter < 4; quarter++) colors[quarter] = color_of(image, quarter);
  const uint32_t half_width = (image->width + 1) / 2, half_height = (image->height + 1) / 2;
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++) paint_pixel(image, colors, x, y);
  if (image->plane_count > 1)
    for (uint32_t y = 0; y < half_height; y++)
      for (uint32_t x = 0; x < half_width; x++) paint_chroma(image, colors, x, y);
  if (image->format == GR_FORMAT_YUY2 || image->format == GR_FORMAT_UYVY)
    for (uint32_t y = 0; y < image->height; y++)
      for (uint32_t x = 0; x < half_width; x++) paint_packed_chroma(image, colors, x, y);
}
