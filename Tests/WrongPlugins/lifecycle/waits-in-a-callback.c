/* lifecycle.thread-contracts: waits for session time in stop-send, for its thread to see it */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_STOP_SEND
#include "../good.h"

static void stop_send(void *self) {
  good *me = self;
  me->host->wait_until_ns(me->instance, me->host->now_ns(me->instance) + second_ns / 20);
  good_stop_send(me);
}
