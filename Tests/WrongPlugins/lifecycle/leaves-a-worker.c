/* lifecycle.joins: leaves a thread to itself that calls nothing and ends a little later */
/* outcome: warning */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_START_SEND
#include <unistd.h>
#include "../good.h"

static void *work(void *nothing) {
  usleep(400000);
  return nothing;
}

static gr_status start_send(void *self) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, NULL) == 0) pthread_detach(thread);
  return good_start_send(self);
}
