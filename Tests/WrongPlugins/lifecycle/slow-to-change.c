/* lifecycle.callbacks-in-time: needs 15 seconds to follow a new offer */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_PROPERTY_CHANGE
#include <unistd.h>
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  sleep(15);
  return good_property_change(self, offer, answer);
}
