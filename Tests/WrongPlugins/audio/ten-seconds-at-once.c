/* audio.back-pressure: sends ten seconds at once, each ten seconds */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define OWN_SEND_BLOCK
#include "../good.h"
#include "own.h"

static gr_status send_block(good *me, uint64_t number) {
  const gr_status status = try_block(me, number);
  if (!goes_on(status)) return status;
  return number % 1000 == 999 ? pause_ms(me, 10000) : GR_STATUS_OK;
}
