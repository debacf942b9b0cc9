/* video.content: repeats the same frame from the third second on */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number < 40 ? number : 40);
}
