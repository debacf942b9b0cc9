/* lifecycle.start-returns: waits in start-send forever */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_START_SEND
#include <unistd.h>
#include "../good.h"

static gr_status start_send(void *self) {
  pause();
  return good_start_send(self);
}
