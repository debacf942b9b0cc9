/* A camera that agrees to what is suggested, and sends what its device captures: 640x480, in rows
   that are 704 bytes long. */
#define MEMBERS uint8_t captured[704 * 480 * 3 / 2];
#define OWN_SEND_FRAME
#include "../WrongPlugins/good.h"

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  enum { width = 640, height = 480, stride = 704 };
  uint8_t *memory = me->captured;
  gr_mutable_frame picture = {.struct_size = sizeof picture, .format = GR_FORMAT_I420,
                              .width = width, .height = height, .plane_count = 3};
  gr_video_frame frame = {.struct_size = sizeof frame, .format = GR_FORMAT_I420, .width = width,
                          .height = height, .plane_count = 3};
  for (int i = 0; i < 3; i++) {
    picture.planes[i].data = memory + (i > 0 ? stride * height : 0) +
                             (i > 1 ? stride / 2 * height / 2 : 0);
    picture.planes[i].stride_bytes = i > 0 ? stride / 2 : stride;
    picture.planes[i].size_bytes = i > 0 ? stride / 2 * height / 2 : stride * height;
    frame.planes[i].data = picture.planes[i].data;
    frame.planes[i].stride_bytes = picture.planes[i].stride_bytes;
    frame.planes[i].size_bytes = picture.planes[i].size_bytes;
  }
  paint(me, &picture, number);
  frame.info = stamp(me, form, due_ns);
  return me->video->send(me->sender, &frame);
}
