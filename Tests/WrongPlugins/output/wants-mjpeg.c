/* output.wants: wants frames in a format that outputs do not get */
#define KIND GR_KIND_OUTPUT
#define OWN_TRACK
#include "../good.h"

static gr_status track(void *self, const gr_track *track, gr_want *want) {
  want->format = GR_FORMAT_MJPEG;
  return good_track(self, track, want);
}
