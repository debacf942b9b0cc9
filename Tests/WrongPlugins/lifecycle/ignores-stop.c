/* lifecycle.stop-in-time: its thread ignores the status of wait_until_ns, and stop-send joins it */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_PUMP
#include <unistd.h>
#include "../good.h"

static void *pump(void *self) {
  for (;;) {
    pump_frames(self);
    usleep(1000);
  }
  return NULL;
}
