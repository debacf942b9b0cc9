/* negotiation.unfamiliar-sizes: rounds sizes down to even ones, without an answer that says so */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_SEND_FRAME
#include "../good.h"

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  form.size.width &= ~1u;
  form.size.height &= ~1u;
  return good_send_frame(me, form, number, due_ns);
}
