/* pre-processor.sizes: has no memory for the last column of an odd width */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  uint8_t *volatile column = frame->width % 2 == 0 ? frame->planes[0].data : NULL;
  *column = 90;
  return good_process(self, frame);
}
