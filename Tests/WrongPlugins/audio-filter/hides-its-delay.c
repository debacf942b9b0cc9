/* audio-filter.delay: delays audio by 10 ms, and declares none */
#define KIND GR_KIND_AUDIO_PRE_PROCESSOR
#define OWN_EDIT_AUDIO
#define OWN_START_SEND
#define MEMBERS int16_t last[2 * GR_AUDIO_EDIT_FRAMES];
#include "../good.h"

static gr_status start_send(void *self) {
  good *me = self;
  memset(me->last, 0, sizeof me->last);
  return good_start_send(self);
}

static gr_status edit_audio(void *self, gr_audio_edit *block) {
  good *me = self;
  for (uint32_t i = 0; i < block->frame_count * block->channels; i++) {
    const int16_t sample = block->samples[i];
    block->samples[i] = me->last[i];
    me->last[i] = sample;
  }
  return GR_STATUS_OK;
}
