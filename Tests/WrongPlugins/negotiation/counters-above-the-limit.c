/* negotiation.answer-in-offer: a share that counters with twice the allowed size */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_PROPERTY_CHANGE
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  answer->kind = GR_ANSWER_COUNTER;
  answer->capability = offer->suggested;
  answer->capability.width *= 2;
  answer->capability.height *= 2;
  (void)self;
  return GR_STATUS_OK;
}
