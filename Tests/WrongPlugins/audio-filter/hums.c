/* audio-filter.silence: adds an offset to each sample */
/* outcome: warning */
#define KIND GR_KIND_AUDIO_PRE_PROCESSOR
#define OWN_EDIT_AUDIO
#include "../good.h"

static gr_status edit_audio(void *self, gr_audio_edit *block) {
  (void)self;
  for (uint32_t i = 0; i < block->frame_count * block->channels; i++)
    block->samples[i] = (int16_t)(block->samples[i] / 2 + 300);
  return GR_STATUS_OK;
}
