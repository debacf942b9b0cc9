/* audio-filter.cost: waits for 15 ms in each block */
#define KIND GR_KIND_AUDIO_PRE_PROCESSOR
#define OWN_EDIT_AUDIO
#include "../good.h"
#include <unistd.h>

static gr_status edit_audio(void *self, gr_audio_edit *block) {
  usleep(15000);
  return good_edit_audio(self, block);
}
