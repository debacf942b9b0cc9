/* video.content: repeats the first frame */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  (void)number;
  good_paint(me, frame, 0);
}
