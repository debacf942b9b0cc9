/* lifecycle.restart: from the second start on, its thread waits for a flag that nobody clears */
#define KIND GR_KIND_VIDEO_SOURCE
#define MEMBERS int is_stopping;
#define OWN_PUMP
#define OWN_STOP_SEND
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  while (__atomic_load_n(&me->is_stopping, __ATOMIC_ACQUIRE)) {
  }
  pump_frames(me);
  return NULL;
}

static void stop_send(void *self) {
  __atomic_store_n(&((good *)self)->is_stopping, 1, __ATOMIC_RELEASE);
  good_stop_send(self);
}
