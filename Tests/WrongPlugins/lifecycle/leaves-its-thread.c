/* lifecycle.silent-after-stop: returns from stop-send while its thread has another block to send */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define OWN_PUMP
#define OWN_START_SEND
#define OWN_STOP_SEND
#define OWN_UNINITIALIZE
#define MEMBERS int running;
#include <unistd.h>
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  good_pump(me);
  usleep(30000);
  send_block(me, 0);
  __atomic_sub_fetch(&me->running, 1, __ATOMIC_RELEASE);
  return NULL;
}

static gr_status start_send(void *self) {
  good *me = self;
  __atomic_add_fetch(&me->running, 1, __ATOMIC_RELEASE);
  const gr_status status = good_start_send(me);
  if (status != GR_STATUS_OK) __atomic_sub_fetch(&me->running, 1, __ATOMIC_RELEASE);
  return status;
}

static void stop_send(void *self) { pthread_detach(((good *)self)->thread); }

static void uninitialize(void *self) {
  good *me = self;
  while (__atomic_load_n(&me->running, __ATOMIC_ACQUIRE) != 0) usleep(1000);
  good_uninitialize(me);
}
