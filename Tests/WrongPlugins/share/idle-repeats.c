/* share.idle: sends a still picture at its full rate */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  (void)number;
  good_paint(me, frame, 0);
}
