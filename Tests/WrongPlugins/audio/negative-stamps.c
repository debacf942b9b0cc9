/* audio.stamps: uses -1 for a missing timestamp in every tenth block */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  if (number % 10 == 9) {
    int16_t samples[wave_frames * wave_channels];
    tune(me, samples, number);
    const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                  .channels = wave_channels, .frame_count = wave_frames,
                                  .samples = samples, .size_bytes = sizeof samples, .pts_ns = -1};
    me->audio->send(me->sender, &block, -1);
  }
  return good_send_block(me, number);
}
