/* audio-filter.restart: plays the last block of before a stop after the next start */
#define KIND GR_KIND_AUDIO_PRE_PROCESSOR
#define OWN_EDIT_AUDIO
#define MEMBERS int16_t last[2 * GR_AUDIO_EDIT_FRAMES];
#define DELAY_FRAMES GR_AUDIO_EDIT_FRAMES
#include "../good.h"

static gr_status edit_audio(void *self, gr_audio_edit *block) {
  good *me = self;
  for (uint32_t i = 0; i < block->frame_count * block->channels; i++) {
    const int16_t sample = block->samples[i];
    block->samples[i] = me->last[i];
    me->last[i] = sample;
  }
  return GR_STATUS_OK;
}
