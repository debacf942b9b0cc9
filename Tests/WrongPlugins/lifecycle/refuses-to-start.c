/* lifecycle.whole-life: returns GR_STATUS_FAILED from start-send without a reason */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define OWN_START_SEND
#include "../good.h"

static gr_status start_send(void *self) {
  (void)self;
  return GR_STATUS_FAILED;
}
