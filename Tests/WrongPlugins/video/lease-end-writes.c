/* video.lease-end: keeps drawing into a frame that is sent */
#define MEMBERS uint8_t *sent;
#define OWN_SEND_FRAME
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number);
  me->sent = frame->planes[0].data;
}

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  const gr_status status = good_send_frame(me, form, number, due_ns);
  if (status == GR_STATUS_OK) memset(me->sent, 200, form.size.width);
  return status;
}
