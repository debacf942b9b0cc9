/* robustness.stopped: sends what it missed at 1.5 times the speed */
#define OWN_PUMP
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  int64_t due_ns = me->host->now_ns(me->instance);
  for (uint64_t number = 0;; number++) {
    const shape form = shape_now(me);
    const int64_t interval_ns = duration_ns(form.size, 1);
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    send_frame(me, form, number, due_ns);
    /* Faster while it is late by more than two frames. */
    const int64_t now_ns = me->host->now_ns(me->instance);
    due_ns += interval_ns;
    if (due_ns < now_ns - 3 * interval_ns &&
        me->host->wait_until_ns(me->instance, now_ns + interval_ns * 2 / 3) != GR_STATUS_OK)
      return NULL;
  }
}
