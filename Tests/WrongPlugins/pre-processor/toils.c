/* pre-processor.cost: processes every pixel many times */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#include "../good.h"

static gr_status process(void *self, gr_mutable_frame *frame) {
  volatile uint32_t sum = 0;
  for (int pass = 0; pass < 3000 && frame->width > 640; pass++)
    for (uint32_t x = 0; x < frame->width * 100; x++) sum += x;
  return good_process(self, frame);
}
