/* pre-processor.planes: looks at the row above the first one */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  (void)self;
  for (uint32_t y = frame->height; y-- > 0;) {
    uint8_t *row = frame->planes[0].data + (size_t)y * frame->planes[0].stride_bytes;
    const uint8_t *above = row - (size_t)frame->planes[0].stride_bytes * 8;
    for (uint32_t x = 0; x < frame->width; x++)
      row[x] = (uint8_t)((row[x] + above[x]) / 2);
  }
  return GR_STATUS_OK;
}
