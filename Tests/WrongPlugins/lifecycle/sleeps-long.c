/* lifecycle.stop-in-time: its thread sleeps for a minute after each frame, and stop-send joins it */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_SEND_FRAME
#include <unistd.h>
#include "../good.h"

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  const gr_status status = good_send_frame(me, form, number, due_ns);
  sleep(60);
  return status;
}
