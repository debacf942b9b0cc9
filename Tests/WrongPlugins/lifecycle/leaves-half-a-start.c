/* lifecycle.refused-steps: leaves a thread behind when initialize finds no descriptor */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS int pipe[2];
#define OWN_INITIALIZE
#define OWN_UNINITIALIZE
#include <unistd.h>
#include "../good.h"

static void *idle(void *nothing) {
  pause();
  return nothing;
}

static gr_status initialize(void *self, const gr_initialize *in) {
  good *me = self;
  pthread_t thread;
  if (pthread_create(&thread, NULL, idle, NULL) != 0) return GR_STATUS_FAILED;
  pthread_detach(thread);
  if (pipe(me->pipe) != 0) {
    me->host->set_error(me->instance, "no pipe could be made; raise the limit on descriptors");
    return GR_STATUS_UNAVAILABLE;
  }
  return good_initialize(me, in);
}

static void uninitialize(void *self) {
  good *me = self;
  close(me->pipe[0]);
  close(me->pipe[1]);
  good_uninitialize(me);
}
