/* video.lease-end: reads the last frame, which is sent, as the background of the next */
#define MEMBERS const uint8_t *sent;
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number);
  if (me->sent && number > 0) memcpy(frame->planes[0].data, me->sent, frame->width);
  me->sent = frame->planes[0].data;
}
