/* video.cost: works more than two intervals for a frame, at every row */
#define OWN_PAINT
#include "../good.h"
#include <time.h>

static int64_t worked_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * second_ns + time.tv_nsec;
}

static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  /* On a busy machine frames are left out, so their numbers don't count them. */
  static uint64_t last;
  static int frames;
  frames = number > last ? frames + 1 : 0;
  last = number;
  const int64_t end_ns = worked_ns() + duration_ns(shape_now(me).size, 9) / 4;
  good_paint(me, frame, number);
  /* These are enough to tell; the others are to take no time. */
  while (frames > 2 && frames < 9 && worked_ns() < end_ns) {
  }
}
