/* negotiation.revision-geometry: follows a new revision, but keeps the old size */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_PROPERTY_CHANGE
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  good *me = self;
  (void)answer;
  take_shape(me, shape_now(me).size, offer->revision);
  return GR_STATUS_OK;
}
