/* robustness.stopped: sends every frame that was due while it was stopped */
#define OWN_PUMP
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  const int64_t start_ns = me->host->now_ns(me->instance);
  for (uint64_t number = 0;; number++) {
    const shape form = shape_now(me);
    const int64_t due_ns = start_ns + duration_ns(form.size, (int64_t)number);
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    send_frame(me, form, number, due_ns);
  }
}
