/* robustness.lasting: leaks a kilobyte with each frame */
#define OWN_PAINT
#include "../good.h"

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  void *volatile lost = malloc(1024);
  (void)lost;
  good_paint(me, frame, number);
}
