/* output.in-time: does not return from its tenth frame */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"
#include <unistd.h>

static gr_status video(void *self, const gr_output_frame *frame) {
  while (frame->index >= 9) usleep(100000);
  return good_video(self, frame);
}
