/* lifecycle.two-instances: keeps its sender in a static variable */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_INITIALIZE
#define OWN_SEND_FRAME
#include "../good.h"

static gr_sender last_sender;

static gr_status initialize(void *self, const gr_initialize *in) {
  last_sender = in->sender;
  return good_initialize(self, in);
}

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  me->sender = last_sender;
  return good_send_frame(me, form, number, due_ns);
}
