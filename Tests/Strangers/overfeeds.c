/* A microphone that sends a tenth and more too much: blocks of 10 ms, each 9 ms after the last. */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../WrongPlugins/good.h"

static gr_status send_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = wave_frames,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = GR_PTS_UNSTAMPED};
  me->audio->send(me->sender, &block, 0);
  return me->host->wait_until_ns(me->instance, me->host->now_ns(me->instance) + 9000000);
}
