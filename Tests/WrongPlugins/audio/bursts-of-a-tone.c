/* audio.back-pressure: sends five blocks each 45 ms whether there is room or not, all of them alike */
/* says: 11.2 % more audio than real time */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"
#include "own.h"

static gr_status send_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels];
  good_tune(me, samples, number); /* whole periods */
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = wave_frames,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = GR_PTS_UNSTAMPED};
  const gr_status status = me->audio->send(me->sender, &block, 0);
  if (!goes_on(status)) return status;
  return number % 5 == 4 ? pause_ms(me, 45) : GR_STATUS_OK;
}
