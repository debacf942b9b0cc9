/* negotiation.unfamiliar-sizes: divides by the number of blocks of 16 pixels in a row */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  const volatile uint32_t blocks = frame->width / 16;
  good_paint(me, frame, number + number % blocks);
}
