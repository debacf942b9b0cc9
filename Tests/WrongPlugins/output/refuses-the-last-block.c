/* output.takes: takes only blocks of the length that it asked for */
#define KIND GR_KIND_OUTPUT
#define OWN_AUDIO
#include "../good.h"

static gr_status audio(void *self, const gr_output_block *block) {
  if (block->block.frame_count != 320) return GR_STATUS_BAD_ARGUMENT;
  return good_audio(self, block);
}
