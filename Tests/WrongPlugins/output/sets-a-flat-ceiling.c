/* output.calls: sets a ceiling without a height */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"

static gr_status video(void *self, const gr_output_frame *frame) {
  good *me = self;
  const gr_capability ceiling = {640, 0, 30, 1};
  me->output->set_ceiling(me->instance, frame->track, &ceiling, "a small window");
  return good_video(self, frame);
}
