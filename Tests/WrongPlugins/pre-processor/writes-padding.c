/* pre-processor.planes: uses the stride as the width */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  const gr_mutable_plane *luma = &frame->planes[0];
  (void)self;
  for (uint32_t y = 0; y + 1 < frame->height; y++)
    memset(luma->data + (size_t)y * luma->stride_bytes, 90, luma->stride_bytes);
  return GR_STATUS_OK;
}
