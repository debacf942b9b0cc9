/* audio.back-pressure: retries without waiting while the queue is full */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"
#include "own.h"

static gr_status send_block(good *me, uint64_t number) {
  for (;;) {
    const gr_status status = try_block(me, number);
    if (status != GR_STATUS_QUEUE_FULL) return status;
  }
}
