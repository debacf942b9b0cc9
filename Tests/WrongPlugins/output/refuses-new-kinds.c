/* output.unknown-track: refuses a track of a kind that it does not know */
#define KIND GR_KIND_OUTPUT
#define OWN_TRACK
#include "../good.h"

static gr_status track(void *self, const gr_track *track, gr_want *want) {
  if (track->kind > GR_TRACK_MIX) return GR_STATUS_UNSUPPORTED;
  return good_track(self, track, want);
}
