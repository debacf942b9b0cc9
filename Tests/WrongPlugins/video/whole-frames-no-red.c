/* video.whole-frames: leaves V as it is */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  gr_mutable_frame without = *frame;
  without.planes[2] = without.planes[1];
  good_paint(me, &without, number);
}
