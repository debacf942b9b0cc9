/* audio.blocks: sends 150 ms at once now and then, and 10 ms blocks when that is refused */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  static const int16_t samples[7200 * wave_channels];
  if (number % 100 == 99) {
    const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                  .channels = wave_channels, .frame_count = 7200,
                                  .samples = samples, .size_bytes = sizeof samples,
                                  .pts_ns = GR_PTS_UNSTAMPED};
    me->audio->send(me->sender, &block, -1);
  }
  return good_send_block(me, number);
}
