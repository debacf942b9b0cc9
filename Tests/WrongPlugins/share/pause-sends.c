/* share.pause: reports a pause, and keeps sending */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_SEND_FRAME
#include "../good.h"
#include <greenroom/broadcast.h>

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  const gr_broadcast *share = me->host->get_extension(me->instance, GR_EXT_BROADCAST);
  if (share && number == 20) share->paused(me->instance);
  return good_send_frame(me, form, number, due_ns);
}
