/* pre-processor.planes: reads the row above the first one of chroma */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  const gr_mutable_plane *blue = &frame->planes[1];
  const size_t columns = (frame->width + 1) / 2, rows = (frame->height + 1) / 2;
  (void)self;
  for (size_t y = rows; y-- > 0;) {
    uint8_t *row = blue->data + y * blue->stride_bytes;
    for (size_t x = 0; x < columns; x++) row[x] = (uint8_t)((row[x] + row[x - 16 * columns]) / 2);
  }
  return GR_STATUS_OK;
}
