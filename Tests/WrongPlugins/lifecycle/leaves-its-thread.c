/* lifecycle.silent-after-stop: returns from stop-send while its thread has another block to send */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define OWN_PUMP
#define OWN_STOP_SEND
#define OWN_UNINITIALIZE
#define MEMBERS int is_running;
#include <unistd.h>
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  good_pump(me);
  usleep(30000);
  send_block(me, 0);
  __atomic_store_n(&me->is_running, 0, __ATOMIC_RELEASE);
  return NULL;
}

static void stop_send(void *self) {
  good *me = self;
  __atomic_store_n(&me->is_running, 1, __ATOMIC_RELEASE);
  pthread_detach(me->thread);
}

static void uninitialize(void *self) {
  good *me = self;
  while (__atomic_load_n(&me->is_running, __ATOMIC_ACQUIRE)) usleep(1000);
  good_uninitialize(me);
}
