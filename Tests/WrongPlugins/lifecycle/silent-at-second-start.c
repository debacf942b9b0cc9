/* lifecycle.restart: sends nothing after its first stop */
#define KIND GR_KIND_VIDEO_SOURCE
#define MEMBERS int has_stopped;
#define OWN_SEND_FRAME
#define OWN_STOP_SEND
#include "../good.h"

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  return me->has_stopped ? GR_STATUS_OK : good_send_frame(me, form, number, due_ns);
}

static void stop_send(void *self) {
  good_stop_send(self);
  ((good *)self)->has_stopped = 1;
}
