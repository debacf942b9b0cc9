/* video.rate: sends 25 frames a second, whatever was agreed */
#define OWN_PUMP
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  const int64_t start_ns = me->host->now_ns(me->instance);
  for (int64_t number = 0;; number++) {
    const int64_t due_ns = start_ns + number * second_ns / 25;
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    send_frame(me, shape_now(me), (uint64_t)number, due_ns);
  }
}
