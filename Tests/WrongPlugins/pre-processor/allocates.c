/* pre-processor.media-path: allocates a row and takes a lock for each frame */
/* outcome: warning */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  const shape now = shape_now(self);
  uint8_t *row = malloc(frame->width + now.revision * 0);
  if (row == NULL) return GR_STATUS_FAILED;
  memcpy(row, frame->planes[0].data, frame->width);
  const gr_status status = good_process(self, frame);
  free(row);
  return status;
}
