/* negotiation.revision-geometry: sends the new size with the old revision for three frames */
#define KIND GR_KIND_SHARE_SOURCE
#define MEMBERS uint32_t revision, frames;
#define OWN_STAMP
#include "../good.h"

static gr_frame_info stamp(good *me, shape form, int64_t due_ns) {
  gr_frame_info info = good_stamp(me, form, due_ns);
  if (me->revision == 0) me->revision = form.revision;
  if (me->revision != form.revision && me->frames++ == 3) {
    me->revision = form.revision;
    me->frames = 0;
  }
  info.offer_revision = me->revision;
  return info;
}
