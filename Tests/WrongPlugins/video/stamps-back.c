/* video.stamps: every third frame is stamped two intervals early, before the frame that was sent last */
#define MEMBERS int64_t frames;
#define OWN_STAMP
#include "../good.h"

static gr_frame_info stamp(good *me, shape form, int64_t due_ns) {
  gr_frame_info info = good_stamp(me, form, due_ns);
  if (me->frames++ % 3 == 2) info.pts_ns -= 2 * duration_ns(form.size, 1);
  return info;
}
