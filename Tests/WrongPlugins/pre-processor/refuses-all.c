/* pre-processor.sizes: returns GR_STATUS_UNSUPPORTED for every frame */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  (void)self;
  (void)frame;
  return GR_STATUS_UNSUPPORTED;
}
