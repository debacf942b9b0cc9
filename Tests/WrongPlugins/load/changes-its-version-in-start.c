/* load.steadfast: has another version after start */
#define OWN_DESCRIPTOR
#define OWN_START_SEND
#include "../good.h"

static gr_descriptor only = GOOD_DESCRIPTOR;

static const gr_descriptor *descriptor(uint32_t index) { return index == 0 ? &only : NULL; }

static gr_status start_send(void *self) {
  only.version = "9.9.9";
  return good_start_send(self);
}
