/* output.releases: keeps every frame, and releases none */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"

static gr_status video(void *self, const gr_output_frame *frame) {
  ((good *)self)->output->keep(((good *)self)->instance, frame->id);
  return good_video(self, frame);
}
