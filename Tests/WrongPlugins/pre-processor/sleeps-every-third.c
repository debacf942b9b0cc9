/* pre-processor.cost: waits for 120 ms in every third frame */
#define KIND GR_KIND_PRE_PROCESSOR
#define MEMBERS uint32_t count;
#define OWN_PROCESS
#include "../good.h"
#include <unistd.h>

static gr_status process(void *self, gr_mutable_frame *frame) {
  if (((good *)self)->count++ % 3 == 0) usleep(120000);
  return good_process(self, frame);
}
