/* A camera whose thread outlives its sender by three frames, which it sends to sender 0. */
#define MEMBERS pthread_t late;
#define OWN_UNINITIALIZE
#define OWN_DESTROY
#include "../WrongPlugins/good.h"

static void *send_late(void *self) {
  good *me = self;
  for (uint64_t number = 0; number < 3; number++)
    send_own(me, shape_now(me), number, GR_PTS_UNSTAMPED);
  return NULL;
}

static void uninitialize(void *self) {
  good *me = self;
  good_uninitialize(me);
  if (pthread_create(&me->late, NULL, send_late, me) == 0) pthread_join(me->late, NULL);
}

static void destroy(void *self) { good_destroy(self); }
