/* pre-processor.planes: its thread writes to the frame after process returned */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_START_SEND
#define OWN_STOP_SEND
#define OWN_PROCESS
#define MEMBERS                                                                                \
  uint8_t *later;                                                                              \
  int32_t is_over;
#include "../good.h"
#include <unistd.h>

static void *go_on(void *self) {
  good *me = self;
  while (!__atomic_load_n(&me->is_over, __ATOMIC_RELAXED)) {
    usleep(2000);
    uint8_t *row = __atomic_exchange_n(&me->later, NULL, __ATOMIC_RELAXED);
    if (row) *row = 90;
  }
  return NULL;
}

static gr_status start_send(void *self) {
  good *me = self;
  me->is_over = 0;
  return pthread_create(&me->thread, NULL, go_on, me) == 0 ? GR_STATUS_OK : GR_STATUS_FAILED;
}

static void stop_send(void *self) {
  good *me = self;
  __atomic_store_n(&me->is_over, 1, __ATOMIC_RELAXED);
  pthread_join(me->thread, NULL);
}

static gr_status process(void *self, gr_mutable_frame *frame) {
  __atomic_store_n(&((good *)self)->later, frame->planes[0].data, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}
