/* negotiation.change: frees in property_change what its thread draws from */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_PROPERTY_CHANGE
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  uint8_t *picture = malloc(16);
  free(picture);
  if (offer->revision > 1) abort(); /* as the allocator does, once it notices */
  return good_property_change(self, offer, answer);
}
