/* share.resize: after a change it rounds odd sizes up, beyond the agreement */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_PROPERTY_CHANGE
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  good_property_change(self, offer, answer);
  gr_capability even = offer->suggested;
  even.width += even.width % 2;
  even.height += even.height % 2;
  take_shape(self, even, offer->revision);
  return GR_STATUS_OK;
}
