/* A microphone that sends 10 s of sound at once from start-send, and nothing after that. */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS int32_t height;
#define OWN_START_SEND
#define OWN_STOP_SEND
#include "../WrongPlugins/good.h"

static gr_status start_send(void *self) {
  good *me = self;
  for (int i = 0; i < 1000; i++) {
    int16_t samples[wave_frames * wave_channels]; /* a saw tooth that continues from block to block */
    for (int k = 0; k < wave_frames * wave_channels; k += wave_channels) {
      me->height = (me->height + 211) % 12000;
      samples[k] = samples[k + 1] = (int16_t)(me->height - 6000);
    }
    const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                  .channels = wave_channels, .frame_count = wave_frames,
                                  .samples = samples, .size_bytes = sizeof samples,
                                  .pts_ns = GR_PTS_UNSTAMPED};
    me->audio->send(me->sender, &block, 0);
  }
  return GR_STATUS_OK;
}

static void stop_send(void *self) { (void)self; }
