/* lifecycle.dead-sender: sends a last black frame from uninitialize */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_UNINITIALIZE
#include "../good.h"

static void uninitialize(void *self) {
  good *me = self;
  send_frame(me, shape_now(me), 0, me->host->now_ns(me->instance));
  good_uninitialize(me);
}
