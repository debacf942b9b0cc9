/* video.range: declares a limited range, and has luma from 0 to 255 */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number);
  for (uint32_t y = 0; y < frame->height; y++)
    for (uint32_t x = 0; x < frame->width; x++)
      frame->planes[0].data[(size_t)y * frame->planes[0].stride_bytes + x] =
          (uint8_t)(x + y + number);
}
