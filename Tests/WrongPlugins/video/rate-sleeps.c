/* video.rate: waits an interval after each frame, so its own work makes it late */
#define OWN_PUMP
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  for (uint64_t number = 0;; number++) {
    const shape form = shape_now(me);
    const int64_t now_ns = me->host->now_ns(me->instance);
    send_frame(me, form, number, now_ns);
    const int64_t next_ns = me->host->now_ns(me->instance) + duration_ns(form.size, 1);
    if (me->host->wait_until_ns(me->instance, next_ns) != GR_STATUS_OK) return NULL;
  }
}
