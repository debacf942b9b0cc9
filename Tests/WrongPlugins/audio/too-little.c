/* audio.keeps-up: waits 10 ms after each block of 10 ms, and 1 ms for its work */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  const gr_status status = good_send_block(me, number);
  if (status != GR_STATUS_OK) return status;
  return me->host->wait_until_ns(me->instance,
                                 me->host->now_ns(me->instance) + 11 * (second_ns / 1000));
}
