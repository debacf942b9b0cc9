/* A microphone that sends 10 s of sound at once from start-send, and nothing after that. */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_START_SEND
#define OWN_STOP_SEND
#include "../WrongPlugins/good.h"

static gr_status start_send(void *self) {
  good *me = self;
  for (int i = 0; i < 1000; i++) {
    int16_t samples[wave_frames * wave_channels];
    tune(me, samples, 0);
    const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                  .channels = wave_channels, .frame_count = wave_frames,
                                  .samples = samples, .size_bytes = sizeof samples,
                                  .pts_ns = GR_PTS_UNSTAMPED};
    me->audio->send(me->sender, &block, 0);
  }
  return GR_STATUS_OK;
}

static void stop_send(void *self) { (void)self; }
