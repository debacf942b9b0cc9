/* audio.format: is 48000 Hz first, and 44100 Hz after two seconds */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  const uint32_t rate = number < 200 ? 48000 : 44100;
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = rate,
                                .channels = wave_channels, .frame_count = rate / 100,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = GR_PTS_UNSTAMPED};
  return me->audio->send(me->sender, &block, -1);
}
