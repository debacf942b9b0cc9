/* pre-processor.metadata: crops by a smaller width and height, and planes that begin later */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  (void)self;
  if (frame->width < 64 || frame->height < 64) return GR_STATUS_OK;
  frame->width -= 32;
  frame->planes[0].data += 16;
  frame->planes[1].data += 8;
  frame->planes[2].data += 8;
  return GR_STATUS_OK;
}
