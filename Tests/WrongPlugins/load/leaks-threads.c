/* load.leaks: leaves a thread running for each fourth instance */
#define OWN_DESTROY
#include "../good.h"

#include <unistd.h>

static void *idle(void *self) {
  for (;;) pause();
  return self;
}

static void destroy(void *self) {
  static int times;
  pthread_t thread;
  if (times++ % 4 == 3) pthread_create(&thread, NULL, idle, NULL);
  good_destroy(self);
}
