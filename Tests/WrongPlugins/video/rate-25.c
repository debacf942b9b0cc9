/* video.rate: sends 25 frames a second where 30 were agreed, and too few at other rates */
#define OWN_PUMP
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  int64_t due_ns = me->host->now_ns(me->instance);
  for (uint64_t number = 0;; number++) {
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    const shape form = shape_now(me);
    send_frame(me, form, number, due_ns);
    const int64_t next_ns = due_ns + duration_ns(form.size, 6) / 5;
    const int64_t now_ns = me->host->now_ns(me->instance);
    due_ns = next_ns > now_ns ? next_ns : now_ns; /* no burst after a delay */
  }
}
