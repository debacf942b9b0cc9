/* robustness.stopped: after a pause it waits for two seconds, and sends all that was due by then */
#define OWN_PUMP
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  int64_t due_ns = me->host->now_ns(me->instance);
  for (uint64_t number = 0;; number++) {
    const shape form = shape_now(me);
    const int64_t interval_ns = duration_ns(form.size, 1);
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    const int64_t now_ns = me->host->now_ns(me->instance);
    if (now_ns - due_ns > second_ns &&
        me->host->wait_until_ns(me->instance, now_ns + 2 * second_ns) != GR_STATUS_OK)
      return NULL;
    while (due_ns < me->host->now_ns(me->instance) - interval_ns) {
      send_frame(me, form, number++, due_ns);
      due_ns += interval_ns;
    }
    send_frame(me, form, number, due_ns);
    due_ns += interval_ns;
  }
}
