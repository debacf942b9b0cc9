/* lifecycle.thread-contracts: calls set_error on its own thread */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"

static gr_status send_block(good *me, uint64_t number) {
  const gr_status status = good_send_block(me, number);
  if (status != GR_STATUS_OK) me->host->set_error(me->instance, "a block could not be sent");
  return status;
}
