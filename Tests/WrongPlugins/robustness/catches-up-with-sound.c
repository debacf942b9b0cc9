/* robustness.stopped: sends all audio that was due while it was stopped, even without room */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_PUMP
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  const int64_t start_ns = me->host->now_ns(me->instance);
  for (int64_t number = 0;; number++) {
    int16_t samples[wave_frames * wave_channels];
    const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                  .channels = wave_channels, .frame_count = wave_frames,
                                  .samples = samples, .size_bytes = sizeof samples,
                                  .pts_ns = GR_PTS_UNSTAMPED};
    const int64_t due_ns = start_ns + number * 10000000;
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    tune(me, samples, (uint64_t)number);
    me->audio->send(me->sender, &block, 0);
  }
}
