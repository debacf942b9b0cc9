/* pre-processor.metadata: sets the timestamp to the time of editing */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  const good *me = self;
  frame->info.pts_ns = me->host->now_ns(me->instance) + 1;
  return good_process(self, frame);
}
