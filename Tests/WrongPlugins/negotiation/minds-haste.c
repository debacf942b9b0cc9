/* negotiation.many-changes: accepts a change soon after another, and ignores it */
#define KIND GR_KIND_VIDEO_SOURCE
#define MEMBERS int64_t changed_ns;
#define OWN_PROPERTY_CHANGE
#include "../good.h"

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  good *me = self;
  const int64_t now_ns = me->host->now_ns(me->instance);
  if (now_ns - me->changed_ns < second_ns / 2) return GR_STATUS_OK;
  me->changed_ns = now_ns;
  return good_property_change(me, offer, answer);
}
