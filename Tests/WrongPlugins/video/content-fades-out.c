/* video.content: is black from the third second on */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number);
  if (number < 40) return;
  for (int i = 0; i < 3; i++) {
    const uint32_t rows = i > 0 ? (frame->height + 1) / 2 : frame->height;
    const uint32_t columns = i > 0 ? (frame->width + 1) / 2 : frame->width;
    for (uint32_t y = 0; y < rows; y++)
      memset(frame->planes[i].data + (size_t)y * frame->planes[i].stride_bytes, i > 0 ? 128 : 16,
             columns);
  }
}
