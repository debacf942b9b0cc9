/* video.stamps: stamps with the time of day */
#define OWN_STAMP
#include "../good.h"
#include <time.h>

static gr_frame_info stamp(good *me, shape form, int64_t due_ns) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  gr_frame_info info = good_stamp(me, form, due_ns);
  info.pts_ns = now.tv_sec * second_ns + now.tv_nsec;
  return info;
}
