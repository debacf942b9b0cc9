/* video.lease-edges: writes a byte before a plane of chroma */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number);
  frame->planes[1].data[-1] = 128;
}
