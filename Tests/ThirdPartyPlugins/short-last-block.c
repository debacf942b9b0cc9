/* A microphone that plays 2 s and 3 ms, in blocks of 10 ms and a short one at the end. */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../WrongPlugins/good.h"

static gr_status send_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  const uint32_t frames = number < 200 ? wave_frames : 144;
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = frames,
                                .samples = samples, .size_bytes = frames * wave_channels * 2,
                                .pts_ns = GR_PTS_UNSTAMPED};
  const gr_status status = me->audio->send(me->sender, &block, -1);
  if (number < 200 || status != GR_STATUS_OK) return status;
  me->host->give_up(me->instance, GR_STATUS_OK, "the file is over");
  return GR_STATUS_FAILED;
}
