/* A camera that agrees to each new offer and continues with its old size. */
#define OWN_PROPERTY_CHANGE
#include "../WrongPlugins/good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  (void)self;
  (void)offer;
  (void)answer;
  return GR_STATUS_OK;
}
