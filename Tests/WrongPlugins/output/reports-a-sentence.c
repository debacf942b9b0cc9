/* output.calls: reports a value under a name with a space */
#define KIND GR_KIND_OUTPUT
#define OWN_VIDEO
#include "../good.h"

static gr_status video(void *self, const gr_output_frame *frame) {
  good *me = self;
  me->output->report(me->instance, "frames taken", (double)me->taken);
  return good_video(self, frame);
}
