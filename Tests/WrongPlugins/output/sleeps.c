/* output.in-time: waits for 60 ms in each frame */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"
#include <unistd.h>

static gr_status video(void *self, const gr_output_frame *frame) {
  usleep(60000);
  return good_video(self, frame);
}
