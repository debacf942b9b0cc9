/* output.releases: keeps the first frame of every four seconds for good */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"

static gr_status video(void *self, const gr_output_frame *frame) {
  if (frame->index % 120 == 5)
    ((good *)self)->output->keep(((good *)self)->instance, frame->id);
  return good_video(self, frame);
}
