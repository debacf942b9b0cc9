/* pre-processor.planes: processes one row more than the height */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  (void)self;
  for (uint32_t y = 0; y <= frame->height; y++)
    memset(frame->planes[0].data + (size_t)y * frame->planes[0].stride_bytes, 90, frame->width);
  return GR_STATUS_OK;
}
