/* lifecycle.restart: leaves an idle thread behind with each start */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_START_SEND
#include <unistd.h>
#include "../good.h"

static void *idle(void *nothing) {
  pause();
  return nothing;
}

static gr_status start_send(void *self) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, idle, NULL) == 0) pthread_detach(thread);
  return good_start_send(self);
}
