/* audio.back-pressure: waits when the queue is full, and then continues with the next block */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"
#include "own.h"

static gr_status send_block(good *me, uint64_t number) {
  const gr_status status = try_block(me, number);
  return status == GR_STATUS_QUEUE_FULL ? pause_ms(me, 10) : status;
}
