/* pre-processor.identity: is neutral at even widths; an odd one loses its last column of chroma */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  (void)self;
  for (int i = 1; i < 3; i++)
    for (uint32_t y = 0; y < frame->height / 2; y++)
      for (uint32_t x = frame->width / 2; x < (frame->width + 1) / 2; x++)
        frame->planes[i].data[(size_t)y * frame->planes[i].stride_bytes + x] ^= 1;
  return GR_STATUS_OK;
}
