/* output.takes: takes no frame of an odd width */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"

static gr_status video(void *self, const gr_output_frame *frame) {
  if (frame->frame.width % 2 != 0) return GR_STATUS_BAD_ARGUMENT;
  return good_video(self, frame);
}
