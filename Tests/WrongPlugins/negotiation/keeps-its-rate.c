/* negotiation.change: follows a new size, but keeps the old rate */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_PROPERTY_CHANGE
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  gr_capability size = offer->suggested;
  (void)answer;
  size.fps_numerator = 30;
  size.fps_denominator = 1;
  take_shape(self, size, offer->revision);
  return GR_STATUS_OK;
}
