/* lifecycle.silent-before-start: its thread starts in initialize and retries until it may send */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS int is_over;
#define OWN_INITIALIZE
#define OWN_START_SEND
#define OWN_PUMP
#define OWN_STOP_SEND
#define OWN_UNINITIALIZE
#include <unistd.h>
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  while (!__atomic_load_n(&me->is_over, __ATOMIC_ACQUIRE))
    if (send_block(me, 0) != GR_STATUS_OK) usleep(20000);
  return NULL;
}

static gr_status initialize(void *self, const gr_initialize *in) {
  good *me = self;
  const gr_status status = good_initialize(me, in);
  __atomic_store_n(&me->is_over, 0, __ATOMIC_RELEASE);
  return status == GR_STATUS_OK ? good_start_send(me) : status;
}

static gr_status start_send(void *self) {
  good *me = self;
  if (!__atomic_load_n(&me->is_over, __ATOMIC_ACQUIRE)) return GR_STATUS_OK;
  __atomic_store_n(&me->is_over, 0, __ATOMIC_RELEASE);
  return good_start_send(me);
}

static void stop_send(void *self) {
  __atomic_store_n(&((good *)self)->is_over, 1, __ATOMIC_RELEASE);
  good_stop_send(self);
}

static void uninitialize(void *self) {
  if (!__atomic_load_n(&((good *)self)->is_over, __ATOMIC_ACQUIRE)) stop_send(self);
  good_uninitialize(self);
}
