/* audio.sample-count: leaves one sample out of each tenth of a second */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  static int64_t start_ns;
  if (number == 0) start_ns = me->host->now_ns(me->instance);
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels,
                                .frame_count = number % 10 == 9 ? wave_frames - 1 : wave_frames,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = GR_PTS_UNSTAMPED};
  const int64_t due_ns = start_ns + (int64_t)number * (second_ns / 100);
  const gr_status status = me->host->wait_until_ns(me->instance, due_ns);
  return status == GR_STATUS_OK ? me->audio->send(me->sender, &block, -1) : status;
}
