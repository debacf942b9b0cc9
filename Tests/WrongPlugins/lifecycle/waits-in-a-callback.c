/* lifecycle.thread-contracts: waits for session time while it edits a frame */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  good *me = self;
  me->host->wait_until_ns(me->instance, me->host->now_ns(me->instance) + 1000000);
  return good_process(self, frame);
}
