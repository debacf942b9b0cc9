/* audio.blocks: uses size_bytes as the bytes of one channel */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  if (number % 2 == 0) return good_send_block(me, number);
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = wave_frames,
                                .samples = samples, .size_bytes = wave_frames * sizeof *samples,
                                .pts_ns = GR_PTS_UNSTAMPED};
  const gr_status status = me->audio->send(me->sender, &block, -1);
  return status == GR_STATUS_BAD_LENGTH ? GR_STATUS_OK : status;
}
