/* A camera that pumps inside start-send and never returns. */
#define OWN_START_SEND
#define OWN_STOP_SEND
#include "../WrongPlugins/good.h"

static gr_status start_send(void *self) {
  pump(self);
  return GR_STATUS_OK;
}

static void stop_send(void *self) { (void)self; }
