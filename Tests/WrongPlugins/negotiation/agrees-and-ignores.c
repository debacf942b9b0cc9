/* negotiation.change: accepts every new offer and changes nothing */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_PROPERTY_CHANGE
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  (void)self, (void)offer, (void)answer;
  return GR_STATUS_OK;
}
