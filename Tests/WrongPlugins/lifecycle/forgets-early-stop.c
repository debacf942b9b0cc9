/* lifecycle.short-start: its thread sets the running flag, even after an early stop */
#define KIND GR_KIND_VIDEO_SOURCE
#define MEMBERS int is_running;
#define OWN_PUMP
#define OWN_STOP_SEND
#include <unistd.h>
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  usleep(30000); /* opens what it plays */
  __atomic_store_n(&me->is_running, 1, __ATOMIC_RELEASE);
  pump_frames(me);
  while (__atomic_load_n(&me->is_running, __ATOMIC_ACQUIRE)) usleep(1000);
  return NULL;
}

static void stop_send(void *self) {
  __atomic_store_n(&((good *)self)->is_running, 0, __ATOMIC_RELEASE);
  good_stop_send(self);
}
