/* video.lease-edges: writes one row too many in the last plane */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number);
  const gr_mutable_plane *last = &frame->planes[2];
  memset(last->data + (size_t)((frame->height + 1) / 2) * last->stride_bytes, 128,
         (frame->width + 1) / 2);
}
