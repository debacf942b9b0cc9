/* video.content: fades from grey to grey, without any content */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  (void)me;
  for (int i = 0; i < 3; i++) {
    const uint32_t rows = i > 0 ? (frame->height + 1) / 2 : frame->height;
    const uint32_t columns = i > 0 ? (frame->width + 1) / 2 : frame->width;
    for (uint32_t y = 0; y < rows; y++)
      memset(frame->planes[i].data + (size_t)y * frame->planes[i].stride_bytes,
             i > 0 ? 128 : (int)(40 + number % 160), columns);
  }
}
