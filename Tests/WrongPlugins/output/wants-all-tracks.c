/* output.unknown-track: wants media of every track, whatever it is */
#define KIND GR_KIND_OUTPUT
#define OWN_TRACK
#include "../good.h"

static gr_status track(void *self, const gr_track *track, gr_want *want) {
  good_track(self, track, want);
  want->is_wanted = 1;
  return GR_STATUS_OK;
}
