/*
 * greenroom/send.h - helpers for plugins that send: inline functions on top of plugin.h
 *
 *   gr_packed_frame    describes a frame that is one buffer: its planes and strides
 *   gr_send_packed     sends such a frame in one call
 *   gr_row             a row of a frame to fill
 *   gr_fill_plane      fills a plane of one
 *   gr_block           describes a block of samples
 *   gr_send_samples    sends one, at the pace of the host
 *   gr_frame_due_ns    when a frame is due
 *
 * Nothing in here is part of the contract: it needs C99 or C++17, plugin.h and <string.h>.
 */
#ifndef GREENROOM_SEND_H
#define GREENROOM_SEND_H

#include <greenroom/plugin.h>
#include <string.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------
 * Planes
 * ---------------------------------------------------------------------------------- */

/** The first byte of a row of a frame to fill. The row has gr_row_bytes bytes; padding may
 *  follow. */
static inline uint8_t *gr_row(const gr_mutable_frame *frame, uint32_t plane, uint32_t row) {
  return frame->planes[plane].data + (uint64_t)row * frame->planes[plane].stride_bytes;
}

/** Sets every byte of a plane's pixels, and none of the padding. */
static inline void gr_fill_plane(const gr_mutable_frame *frame, uint32_t plane, uint8_t value) {
  const uint64_t bytes = gr_row_bytes(frame->format, plane, frame->width);
  const uint32_t rows = gr_plane_rows(frame->format, plane, frame->height);
  for (uint32_t row = 0; row < rows; row++)
    memset(gr_row(frame, plane, row), value, (size_t)bytes);
}

/* ------------------------------------------------------------------------------------
 * A frame in one buffer
 * ---------------------------------------------------------------------------------- */

/** The bytes of a frame without padding; 0 for MJPEG, an unknown format and an illegal size. */
static inline uint64_t gr_packed_size(gr_pixel_format format, uint32_t width, uint32_t height) {
  uint64_t size = 0;
  if (width == 0 || width > GR_MAX_DIMENSION || height == 0 || height > GR_MAX_DIMENSION) return 0;
  for (uint32_t plane = 0; plane < gr_plane_count(format); plane++)
    size += gr_row_bytes(format, plane, width) * gr_plane_rows(format, plane, height);
  return size;
}

/** Describes a frame that is one buffer: planes and rows follow each other without padding; for
 *  MJPEG the buffer is the image. Sets every member of the frame. Its info says upright, limited
 *  range (RGB: full), BT.601, unstamped; set offer_revision, and what else is not so.
 *
 *  Returns GR_STATUS_OK, or why the host will refuse the frame: GR_STATUS_BAD_FORMAT,
 *  GR_STATUS_BAD_SIZE, or GR_STATUS_BAD_LENGTH for a buffer shorter than gr_packed_size. Sending
 *  it nevertheless has the host count it, and gets refusal_text. */
static inline gr_status gr_packed_frame(gr_video_frame *frame, gr_pixel_format format,
                                        uint32_t width, uint32_t height, const void *buffer,
                                        uint64_t size_bytes) {
  const uint8_t *const bytes = (const uint8_t *)buffer;
  const uint64_t packed = gr_packed_size(format, width, height);
  uint64_t used = 0;
  memset(frame, 0, sizeof *frame);
  frame->struct_size = (uint32_t)sizeof *frame;
  frame->format = format;
  frame->width = width;
  frame->height = height;
  frame->plane_count = gr_plane_count(format);
  frame->info.struct_size = (uint32_t)sizeof frame->info;
  frame->info.range = gr_is_rgb(format) ? GR_RANGE_FULL : GR_RANGE_LIMITED;
  frame->info.matrix = GR_MATRIX_BT601;
  frame->info.pts_ns = GR_PTS_UNSTAMPED;
  if (packed == 0) { /* one plane, as it is */
    frame->planes[0].data = bytes;
    frame->planes[0].size_bytes = size_bytes;
    if (frame->plane_count == 0) return GR_STATUS_BAD_FORMAT;
    if (format != GR_FORMAT_MJPEG) return GR_STATUS_BAD_SIZE;
    return size_bytes == 0 ? GR_STATUS_BAD_LENGTH : GR_STATUS_OK;
  }
  for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
    const uint64_t row = gr_row_bytes(format, plane, width), rest = size_bytes - used;
    const uint64_t needed = row * gr_plane_rows(format, plane, height);
    frame->planes[plane].data = bytes == 0 ? bytes : bytes + used;
    frame->planes[plane].size_bytes = needed < rest ? needed : rest;
    frame->planes[plane].stride_bytes = (uint32_t)row;
    used += frame->planes[plane].size_bytes;
  }
  return size_bytes < packed ? GR_STATUS_BAD_LENGTH : GR_STATUS_OK;
}

/** Sends a frame that is one buffer, as gr_packed_frame describes it. The buffer is not used after
 *  the call.
 *
 *  offer_revision: the offer that the frame was made for.
 *  pts_ns: when it shows, on the session clock, or GR_PTS_UNSTAMPED. [any] */
static inline gr_status gr_send_packed(const gr_video_functions *video, gr_sender sender,
                                       gr_pixel_format format, uint32_t width, uint32_t height,
                                       const void *buffer, uint64_t size_bytes,
                                       uint32_t offer_revision, int64_t pts_ns) {
  gr_video_frame frame;
  (void)gr_packed_frame(&frame, format, width, height, buffer, size_bytes);
  frame.info.offer_revision = offer_revision;
  frame.info.pts_ns = pts_ns;
  return video->send(sender, &frame);
}

/* ------------------------------------------------------------------------------------
 * Audio
 * ---------------------------------------------------------------------------------- */

/** A block of samples, interleaved. It follows the previous one without a gap, unless pts_ns is
 *  set. */
static inline gr_audio_block gr_block(const int16_t *samples, uint32_t frame_count,
                                      uint32_t sample_rate_hz, uint32_t channels) {
  gr_audio_block block;
  block.struct_size = (uint32_t)sizeof block;
  block.sample_rate_hz = sample_rate_hz;
  block.channels = channels;
  block.frame_count = frame_count;
  block.samples = samples;
  block.size_bytes = (uint64_t)frame_count * channels * sizeof *samples;
  block.pts_ns = GR_PTS_UNSTAMPED;
  return block;
}

/** Sends such a block, and waits until the queue has room: the host paces a loop that only sends.
 *
 *  Returns GR_STATUS_STOPPED as soon as stop_send begins: then end the loop.
 *  [any, not from a callback] */
static inline gr_status gr_send_samples(const gr_audio_functions *audio, gr_sender sender,
                                        const int16_t *samples, uint32_t frame_count,
                                        uint32_t sample_rate_hz, uint32_t channels) {
  const gr_audio_block block = gr_block(samples, frame_count, sample_rate_hz, channels);
  return audio->send(sender, &block, -1);
}

/* ------------------------------------------------------------------------------------
 * Time
 * ---------------------------------------------------------------------------------- */

/** The nanoseconds from frame 0 until frame `number` is due, computed from the number, so that
 *  neither rounding nor a late frame adds up. number: 0 or more. */
static inline int64_t gr_frame_due_ns(int64_t number, const gr_capability *rate) {
  const int64_t frames = rate->fps_numerator;
  const int64_t denominator = rate->fps_denominator;
  /* In two steps: a second's rest times the denominator times 10^9 needs more than 64 bits. */
  const uint64_t rest = (uint64_t)(number % frames) * (uint64_t)denominator;
  return (number / frames * denominator + (int64_t)(rest / (uint64_t)frames)) *
             INT64_C(1000000000) +
         (int64_t)(rest % (uint64_t)frames * UINT64_C(1000000000) / (uint64_t)frames);
}

#if defined(__cplusplus)
}
#endif

#endif
