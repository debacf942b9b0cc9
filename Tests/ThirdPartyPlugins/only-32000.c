/* A microphone that makes 32000 Hz, mono, and nothing else. */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../WrongPlugins/good.h"

static gr_status send_block(good *me, uint64_t number) {
  enum { frames = 320, period = 64 };
  int16_t samples[frames];
  for (int i = 0; i < frames; i++) samples[i] = (int16_t)(200 * (i % period - period / 2));
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 32000,
                                .channels = 1, .frame_count = frames, .samples = samples,
                                .size_bytes = sizeof samples, .pts_ns = GR_PTS_UNSTAMPED};
  (void)number;
  return me->audio->send(me->sender, &block, -1);
}
