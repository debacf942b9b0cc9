/* output.calls: reports a state that does not exist */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"

static gr_status video(void *self, const gr_output_frame *frame) {
  good *me = self;
  me->output->state(me->instance, 9, "streaming");
  return good_video(self, frame);
}
