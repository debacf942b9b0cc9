/* audio.stamps: advances its timestamps by 9 ms for each block of 10 ms */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  static int64_t start_ns;
  if (number == 0) start_ns = me->host->now_ns(me->instance);
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = wave_frames,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = start_ns + (int64_t)number * 9 * (second_ns / 1000)};
  return me->audio->send(me->sender, &block, -1);
}
