/* lifecycle.refused-steps: writes in start-send to a file that it could not open */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_START_SEND
#include <stdio.h>
#include "../good.h"

static gr_status start_send(void *self) {
  FILE *file = fopen("/proc/self/status", "r");
  (void)self;
  fgetc(file);
  fclose(file);
  return GR_STATUS_OK;
}
