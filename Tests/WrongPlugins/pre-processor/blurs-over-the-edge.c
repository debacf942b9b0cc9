/* pre-processor.layout: mixes the last pixel of a row with the byte of padding that follows it */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  (void)self;
  for (uint32_t y = 0; y + 1 < frame->height; y++) {
    uint8_t *row = frame->planes[0].data + (size_t)y * frame->planes[0].stride_bytes;
    for (uint32_t x = 0; x < frame->width; x++) row[x] = (uint8_t)((row[x] + row[x + 1]) / 2);
  }
  return GR_STATUS_OK;
}
