/* call.sends: goes on sending on a track that it has closed */
#define KIND GR_KIND_CALL
#define OWN_SEND_FRAME
#include "../good.h"

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  if (number == 10) me->people->close_track(me->instance, me->sender);
  return good_send_frame(me, form, number, due_ns);
}
