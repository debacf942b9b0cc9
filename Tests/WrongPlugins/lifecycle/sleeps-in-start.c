/* lifecycle.start-returns: sends its frames from inside start-send, and sleeps between them */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_START_SEND
#define OWN_STOP_SEND
#include <unistd.h>
#include "../good.h"

static gr_status start_send(void *self) {
  good *me = self;
  for (uint64_t number = 0;; number++) {
    const gr_status status =
        send_frame(me, shape_now(me), number, me->host->now_ns(me->instance));
    if (status == GR_STATUS_STOPPED || status == GR_STATUS_GONE) return GR_STATUS_OK;
    usleep(33000);
  }
}

static void stop_send(void *self) { (void)self; }
