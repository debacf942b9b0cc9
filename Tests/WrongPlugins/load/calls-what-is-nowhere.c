/* load.symbols: calls a function that does not exist */
#define OWN_PAINT
#include "../good.h"

extern void paint_well(uint8_t *luma);

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number);
  paint_well(frame->planes[0].data);
}
