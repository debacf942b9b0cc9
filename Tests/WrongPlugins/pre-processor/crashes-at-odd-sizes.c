/* pre-processor.sizes: divides by what an odd width leaves over */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  volatile uint32_t left = 1 - frame->width % 2;
  frame->planes[0].data[0] += (uint8_t)(1 / left * 0);
  return good_process(self, frame);
}
