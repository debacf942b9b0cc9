/* lifecycle.joins: detaches its thread, which ends by itself soon after stop-send */
#define KIND GR_KIND_VIDEO_SOURCE
#define MEMBERS int running;
#define OWN_START_SEND
#define OWN_STOP_SEND
#define OWN_UNINITIALIZE
#define OWN_PUMP
#include <unistd.h>
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  pump_frames(me);
  __atomic_sub_fetch(&me->running, 1, __ATOMIC_RELEASE);
  return NULL;
}

static gr_status start_send(void *self) {
  good *me = self;
  __atomic_add_fetch(&me->running, 1, __ATOMIC_RELEASE);
  const gr_status status = good_start_send(me);
  if (status == GR_STATUS_OK) pthread_detach(me->thread);
  else __atomic_sub_fetch(&me->running, 1, __ATOMIC_RELEASE);
  return status;
}

static void stop_send(void *self) { (void)self; }

static void uninitialize(void *self) {
  good *me = self;
  while (__atomic_load_n(&me->running, __ATOMIC_ACQUIRE) != 0) usleep(1000);
  good_uninitialize(me);
}
