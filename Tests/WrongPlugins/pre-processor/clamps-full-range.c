/* pre-processor.identity: clamps luma to 16 to 235, in frames of full range too */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  (void)self;
  for (uint32_t y = 0; y < frame->height; y++) {
    uint8_t *row = frame->planes[0].data + (size_t)y * frame->planes[0].stride_bytes;
    for (uint32_t x = 0; x < frame->width; x++)
      row[x] = row[x] < 16 ? 16 : row[x] > 235 ? 235 : row[x];
  }
  return GR_STATUS_OK;
}
