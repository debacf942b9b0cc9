/* lifecycle.two-instances: counts the pictures of all instances in one static variable */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  static uint64_t count;
  (void)number;
  good_paint(me, frame, __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
}
