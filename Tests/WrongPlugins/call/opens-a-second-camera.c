/* call.participants: opens the camera of a participant twice */
#define KIND GR_KIND_CALL
#define OWN_START_SEND
#include "../good.h"

static gr_status start_send(void *self) {
  good *me = self;
  gr_open_track track;
  const gr_status status = good_start_send(self);
  if (status == GR_STATUS_OK) open_track(me, me->guest, GR_TRACK_CAMERA, &track);
  return status;
}
