/* audio.back-pressure: sends a block of 10 ms each 9 ms, regardless of room */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_SEND_BLOCK
#include "../good.h"
#include "own.h"

static gr_status send_block(good *me, uint64_t number) {
  const gr_status status = try_block(me, number);
  return goes_on(status) ? pause_ms(me, 9) : status;
}
