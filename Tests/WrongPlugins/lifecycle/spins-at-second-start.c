/* lifecycle.restart: from the second start on, its thread waits for a flag that is never cleared */
#define KIND GR_KIND_VIDEO_SOURCE
#define MEMBERS int is_stopping, was_stopped;
#define OWN_PUMP
#define OWN_START_SEND
#define OWN_STOP_SEND
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  while (me->was_stopped && __atomic_load_n(&me->is_stopping, __ATOMIC_ACQUIRE)) {
  }
  pump_frames(me);
  return NULL;
}

static gr_status start_send(void *self) {
  good *me = self;
  me->was_stopped = __atomic_load_n(&me->is_stopping, __ATOMIC_ACQUIRE);
  return good_start_send(me);
}

static void stop_send(void *self) {
  __atomic_store_n(&((good *)self)->is_stopping, 1, __ATOMIC_RELEASE);
  good_stop_send(self);
}
