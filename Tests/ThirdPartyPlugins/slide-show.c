/* A camera that agrees on 30 frames a second and sends the same picture twice a second. */
#define OWN_PUMP
#include "../WrongPlugins/good.h"

static void *pump(void *self) {
  good *me = self;
  int64_t due_ns = me->host->now_ns(me->instance);
  for (;;) {
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    send_frame(me, shape_now(me), 0, due_ns);
    due_ns += second_ns / 2;
  }
}
