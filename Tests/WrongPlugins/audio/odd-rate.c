/* audio.format: sends a block of 4000 Hz between the others, which is refused */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  if (number % 100 == 99) {
    const gr_audio_block slow = {.struct_size = sizeof slow, .sample_rate_hz = 4000,
                                 .channels = wave_channels, .frame_count = 40,
                                 .samples = samples, .size_bytes = sizeof samples,
                                 .pts_ns = GR_PTS_UNSTAMPED};
    me->audio->send(me->sender, &slow, 0);
  }
  return good_send_block(me, number);
}
