/* output.wants: wants nothing of any track */
#define KIND GR_KIND_OUTPUT
#define OWN_TRACK
#include "../good.h"

static gr_status track(void *self, const gr_track *track, gr_want *want) {
  (void)self;
  (void)track;
  want->is_wanted = 0;
  return GR_STATUS_OK;
}
