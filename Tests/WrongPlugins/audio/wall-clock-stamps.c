/* audio.stamps: uses wall-clock timestamps */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"
#include <time.h>

static gr_status send_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = wave_frames,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = now.tv_sec * second_ns + now.tv_nsec};
  return me->audio->send(me->sender, &block, -1);
}
