/* A microphone that sends a tenth and more too much: blocks of 10 ms, each 9 ms after the last. */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS int32_t height;
#define OWN_SEND_BLOCK
#include "../WrongPlugins/good.h"

static gr_status send_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels]; /* a saw tooth that continues from block to block */
  for (int i = 0; i < wave_frames * wave_channels; i += wave_channels) {
    me->height = (me->height + 211) % 12000;
    samples[i] = samples[i + 1] = (int16_t)(me->height - 6000);
  }
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = wave_frames,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = GR_PTS_UNSTAMPED};
  me->audio->send(me->sender, &block, 0);
  (void)number;
  return me->host->wait_until_ns(me->instance, me->host->now_ns(me->instance) + 9000000);
}
