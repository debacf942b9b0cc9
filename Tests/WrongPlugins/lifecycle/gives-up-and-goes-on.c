/* lifecycle.give-up: gives up after a second and keeps sending */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_SEND_FRAME
#include "../good.h"

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  if (number == 30) me->host->give_up(me->instance, GR_STATUS_UNAVAILABLE, "the camera is gone");
  return good_send_frame(me, form, number, due_ns);
}
