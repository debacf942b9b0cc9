/* pre-processor.cost: waits for 150 ms in each frame */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"
#include <unistd.h>

static gr_status process(void *self, gr_mutable_frame *frame) {
  usleep(150000);
  return good_process(self, frame);
}
