/* lifecycle.joins: leaves a thread behind that makes no calls and ends a little later */
/* outcome: warning */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_START_SEND
#include <unistd.h>
#include "../good.h"

static int working;

static void *work(void *nothing) {
  usleep(400000);
  __atomic_sub_fetch(&working, 1, __ATOMIC_RELAXED);
  return nothing;
}

static gr_status start_send(void *self) {
  pthread_t thread;
  /* A few at most: more would be a leak. */
  if (__atomic_load_n(&working, __ATOMIC_RELAXED) < 8) {
    __atomic_add_fetch(&working, 1, __ATOMIC_RELAXED);
    if (pthread_create(&thread, NULL, work, NULL) == 0) pthread_detach(thread);
  }
  return good_start_send(self);
}
