/* negotiation.change: ends its process at a new offer */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_PROPERTY_CHANGE
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  if (offer->suggested.width != shape_now(self).size.width) abort();
  return good_property_change(self, offer, answer);
}
