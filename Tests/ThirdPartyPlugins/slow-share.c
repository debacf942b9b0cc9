/* A share that sends 5 frames a second, whatever was agreed. */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_PUMP
#include "../WrongPlugins/good.h"

static void *pump(void *self) {
  good *me = self;
  int64_t due_ns = me->host->now_ns(me->instance);
  for (uint64_t number = 0;; number++) {
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    send_frame(me, shape_now(me), number, due_ns);
    due_ns += second_ns / 5;
  }
}
