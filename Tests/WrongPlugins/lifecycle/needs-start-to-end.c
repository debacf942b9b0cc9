/* lifecycle.initialize-only: uses in uninitialize what only start-send creates */
#define KIND GR_KIND_PRE_PROCESSOR
#define MEMBERS uint64_t *count;
#define OWN_START_SEND
#define OWN_UNINITIALIZE
#include "../good.h"

static gr_status start_send(void *self) {
  good *me = self;
  if (me->count == NULL) me->count = malloc(sizeof *me->count);
  return me->count ? GR_STATUS_OK : GR_STATUS_FAILED;
}

static void uninitialize(void *self) {
  good *me = self;
  *(volatile uint64_t *)me->count = 0;
  free(me->count);
  me->count = NULL;
}
