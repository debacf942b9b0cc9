/* audio-filter.edits: refuses blocks with samples at full scale */
#define KIND GR_KIND_AUDIO_PRE_PROCESSOR
#define OWN_EDIT_AUDIO
#include "../good.h"

static gr_status edit_audio(void *self, gr_audio_edit *block) {
  for (uint32_t i = 0; i < block->frame_count * block->channels; i++)
    if (block->samples[i] == INT16_MAX) return GR_STATUS_UNSUPPORTED;
  return good_edit_audio(self, block);
}
