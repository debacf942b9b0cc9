/* lifecycle.whole-life: waits for its time and sends nothing */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_SEND_FRAME
#include "../good.h"

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  (void)me, (void)form, (void)number, (void)due_ns;
  return GR_STATUS_OK;
}
