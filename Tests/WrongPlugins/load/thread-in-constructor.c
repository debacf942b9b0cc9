/* load.quiet: starts a thread in a constructor */
#include "../good.h"

#include <unistd.h>

static void *idle(void *self) {
  for (;;) pause();
  return self;
}

__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, idle, NULL);
}
