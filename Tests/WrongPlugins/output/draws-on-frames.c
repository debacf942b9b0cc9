/* output.read-only: draws a line into each frame */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"

static gr_status video(void *self, const gr_output_frame *frame) {
  memset((uint8_t *)(uintptr_t)frame->frame.planes[0].data, 235, frame->frame.width);
  return good_video(self, frame);
}
