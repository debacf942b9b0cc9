/* Correct behaviour: sources of every format, and the defaults of the others. */
#include "hostile.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t or_agreed(int64_t setting, uint32_t agreed) {
  return setting > 0 ? (uint32_t)setting : agreed;
}

static gr_status send_leased(instance *me, const gr_mutable_frame *image) {
  gr_lease lease = {.struct_size = sizeof lease};
  const gr_status status =
      me->video->acquire(me->sender, image->format, image->width, image->height, &lease);
  if (status != GR_STATUS_OK) return status;
  const gr_frame_info info = describe(me);
  lease.frame.info = info;
  paint(&lease.frame);
  return me->video->commit(me->sender, lease.id, &info);
}

static bool read_jpeg(instance *me, gr_mutable_frame *image) {
  FILE *file = fopen(setting_text(me, "image"), "rb");
  if (file == NULL) return false;
  gr_mutable_plane *plane = &image->planes[0];
  const uint64_t most = plane->size_bytes;
  plane->size_bytes = fread(plane->data, 1, most, file);
  plane->stride_bytes = 0;
  fclose(file);
  return true;
}

void send_video_well(instance *me) {
  const uint32_t format = format_setting(me);
  gr_mutable_frame image =
      make_image(me, format, or_agreed(setting_integer(me, "width"), me->agreed.width),
                   or_agreed(setting_integer(me, "height"), me->agreed.height),
                   (uint32_t)setting_integer(me, "padding"));
  if (format == GR_FORMAT_MJPEG && !read_jpeg(me, &image)) {
    me->host->give_up(me->handle, GR_STATUS_UNAVAILABLE, "the image can't be read");
    free_image(&image);
    return;
  }
  const bool leased = setting_is(me, "way", "leased");
  const int64_t fps = setting_integer(me, "fps");
  const int64_t frames = fps > 0 ? fps : me->agreed.fps_numerator;
  const int64_t seconds = fps > 0 ? 1 : me->agreed.fps_denominator;
  const int64_t start = me->host->now_ns(me->handle);
  gr_status last = -1;
  for (int64_t n = 0;; n++) {
    const int64_t due = start + n / frames * seconds * NANOSECONDS +
                        n % frames * seconds * NANOSECONDS / frames;
    if (me->host->wait_until_ns(me->handle, due) != GR_STATUS_OK) break;
    const gr_video_frame frame = as_frame(me, &image);
    const gr_status status =
        leased ? send_leased(me, &image) : me->video->send(me->sender, &frame);
    if (status != last) report(me, "good-frame", status);
    last = status;
  }
  free_image(&image);
}

void fill_tone(int16_t *samples, uint32_t rate, uint32_t channels, uint32_t frames,
               uint64_t first) {
  const double turn = 6.283185307179586 * 440 / rate;
  for (uint32_t frame = 0; frame < frames; frame++)
    for (uint32_t channel = 0; channel < channels; channel++)
      samples[frame * channels + channel] = (int16_t)lround(8000 * sin(turn * (double)(first + frame)));
}

gr_audio_block as_block(const int16_t *samples, uint32_t rate, uint32_t channels,
                        uint32_t frames) {
  return (gr_audio_block){.struct_size = sizeof(gr_audio_block), .sample_rate_hz = rate,
                          .channels = channels, .frame_count = frames, .samples = samples,
                          .size_bytes = 2ull * frames * channels, .pts_ns = GR_PTS_UNSTAMPED};
}

void send_sound_well(instance *me) {
  const uint32_t rate = (uint32_t)setting_integer(me, "rate");
  const uint32_t channels = (uint32_t)setting_integer(me, "channels");
  const uint32_t frames = rate / 50;
  int16_t *samples = malloc(2ul * frames * channels);
  gr_status status, last = -1;
  uint64_t first = 0;
  do {
    fill_tone(samples, rate, channels, frames, first);
    first += frames;
    const gr_audio_block block = as_block(samples, rate, channels, frames);
    status = me->audio->send(me->sender, &block, -1);
    if (status != last) report(me, "good-block", status);
    last = status;
  } while (status == GR_STATUS_OK);
  free(samples);
}

gr_status invert(instance *me, gr_mutable_frame *frame) {
  (void)me;
  for (uint32_t row = 0; row < frame->height; row++)
    for (uint32_t x = 0; x < frame->width; x++) {
      uint8_t *luma = frame->planes[0].data + (size_t)row * frame->planes[0].stride_bytes + x;
      *luma = (uint8_t)(255 - *luma);
    }
  return GR_STATUS_OK;
}

const behaviour well_behaved[] = {
    {.name = "Camera", .kind = GR_KIND_VIDEO_SOURCE, .summary = "Sends four flat quarters"},
    {.name = "Share", .kind = GR_KIND_SHARE_SOURCE, .summary = "The same as a share"},
    {.name = "Mic", .kind = GR_KIND_VIRTUAL_MIC, .summary = "Sends a tone of 440 Hz"},
    {.name = "ShareAudio", .kind = GR_KIND_SHARE_AUDIO_SOURCE, .summary = "The same as a share"},
    {.name = "Invert", .kind = GR_KIND_PRE_PROCESSOR, .summary = "Inverts luma", .process = invert},
    {0},
};
