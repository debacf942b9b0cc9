/* video.whole-frames: rounds the chroma of odd sizes down */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  gr_mutable_frame even = *frame;
  even.width &= ~1u;
  even.height &= ~1u;
  for (uint32_t y = 0; y < frame->height; y++)
    memcpy(frame->planes[0].data + (size_t)y * frame->planes[0].stride_bytes,
           me->ramp + (y + 3 * number) % ramp_period, frame->width);
  good_paint(me, &even, number);
}
