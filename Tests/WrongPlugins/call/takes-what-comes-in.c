/* call.hears: takes the incoming audio for its participants, who hear themselves */
/* outcome: warning */
#define KIND GR_KIND_CALL
#define OWN_TRACK
#include "../good.h"

static gr_status track(void *self, const gr_track *track, gr_want *want) {
  (void)self;
  want->is_wanted = track->kind == GR_TRACK_INCOMING;
  return GR_STATUS_OK;
}
