/* A microphone whose flag from the first stop is still up at the second start: its thread waits for
   the flag to fall, and the second stop waits for the thread. */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS int32_t is_over;
#define OWN_PUMP
#define OWN_STOP_SEND
#include "../WrongPlugins/good.h"
#include <sched.h>

static void *pump(void *self) {
  good *me = self;
  while (__atomic_load_n(&me->is_over, __ATOMIC_ACQUIRE)) sched_yield();
  return good_pump(me);
}

static void stop_send(void *self) {
  good *me = self;
  __atomic_store_n(&me->is_over, 1, __ATOMIC_RELEASE);
  good_stop_send(me);
}
