/* lifecycle.short-start: does not join a thread that has not set its running flag yet */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define MEMBERS int is_running, is_late;
#define OWN_PUMP
#define OWN_STOP_SEND
#define OWN_UNINITIALIZE
#include <unistd.h>
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  usleep(30000); /* opens what it plays */
  __atomic_store_n(&me->is_running, 1, __ATOMIC_RELEASE);
  pump_sound(me);
  return NULL;
}

static void stop_send(void *self) {
  good *me = self;
  me->is_late = !__atomic_exchange_n(&me->is_running, 0, __ATOMIC_ACQ_REL);
  if (!me->is_late) good_stop_send(me);
}

static void uninitialize(void *self) {
  good *me = self;
  if (me->is_late) good_stop_send(me);
  good_uninitialize(me);
}
