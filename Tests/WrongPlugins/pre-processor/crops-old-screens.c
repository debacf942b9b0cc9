/* pre-processor.metadata: crops frames of 4:3, which only the frame's height shows */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  const gr_status status = good_process(self, frame);
  if (frame->width * 3 == frame->height * 4) frame->height = frame->width * 9 / 16;
  return status;
}
