/* lifecycle.whole-life: gives up in start-send, so that its sending can't be checked */
/* outcome: warning */
#define OWN_START_SEND
#define OWN_STOP_SEND
#include "../good.h"

static gr_status start_send(void *self) {
  good *me = self;
  me->host->give_up(me->instance, GR_STATUS_UNAVAILABLE, "there is no camera; connect one");
  return GR_STATUS_OK;
}

static void stop_send(void *self) { (void)self; }
