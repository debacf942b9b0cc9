/* video.whole-frames: leaves the last rows of a high picture as they are */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  gr_mutable_frame shorter = *frame;
  if (shorter.height > 720) shorter.height = 1072;
  good_paint(me, &shorter, number);
}
