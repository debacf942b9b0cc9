/* call.sends: sends frames without the revision of participants' tracks */
#define KIND GR_KIND_CALL
#define OWN_STAMP
#include "../good.h"

static gr_frame_info stamp(good *me, shape form, int64_t due_ns) {
  gr_frame_info info = good_stamp(me, form, due_ns);
  info.offer_revision = 77;
  return info;
}
