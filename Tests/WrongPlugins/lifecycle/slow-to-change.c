/* lifecycle.callbacks-in-time: needs a quarter of a minute to take a new offer over */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_PROPERTY_CHANGE
#include <unistd.h>
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  sleep(15);
  return good_property_change(self, offer, answer);
}
