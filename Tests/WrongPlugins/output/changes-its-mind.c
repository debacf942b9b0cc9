/* output.wants: wants a larger frame each time it is asked */
#define KIND GR_KIND_OUTPUT
#define OWN_TRACK
#include "../good.h"

static gr_status track(void *self, const gr_track *track, gr_want *want) {
  want->capability.width += 16;
  want->capability.height += 16;
  return good_track(self, track, want);
}
