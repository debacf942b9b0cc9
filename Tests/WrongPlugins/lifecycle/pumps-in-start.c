/* lifecycle.start-returns: sends its frames from inside start-send */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_START_SEND
#define OWN_STOP_SEND
#include "../good.h"

static gr_status start_send(void *self) {
  pump(self);
  return GR_STATUS_OK;
}

static void stop_send(void *self) { (void)self; }
