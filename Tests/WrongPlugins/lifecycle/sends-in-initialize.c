/* lifecycle.silent-before-start: sends a first frame from initialize */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_INITIALIZE
#include "../good.h"

static gr_status initialize(void *self, const gr_initialize *in) {
  good *me = self;
  const gr_status status = good_initialize(me, in);
  send_frame(me, shape_now(me), 0, me->host->now_ns(me->instance));
  return status;
}
