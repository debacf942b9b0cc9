/* output.takes: takes only frames of the source */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"

static gr_status video(void *self, const gr_output_frame *frame) {
  if (frame->content == GR_CONTENT_SLATE) return GR_STATUS_UNSUPPORTED;
  return good_video(self, frame);
}
