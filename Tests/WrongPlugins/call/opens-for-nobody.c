/* call.participants: opens a track for a participant who never joined */
#define KIND GR_KIND_CALL
#define OWN_START_SEND
#include "../good.h"

static gr_status start_send(void *self) {
  good *me = self;
  gr_open_track track;
  const gr_status status = good_start_send(self);
  if (status == GR_STATUS_OK) open_track(me, me->guest + 7, GR_TRACK_MICROPHONE, &track);
  return status;
}
