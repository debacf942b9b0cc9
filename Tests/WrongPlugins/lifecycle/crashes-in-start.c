/* lifecycle.whole-life: writes to address 0 in start-send */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_START_SEND
#include "../good.h"

static gr_status start_send(void *self) {
  *(volatile char *)0 = 1;
  return good_start_send(self);
}
