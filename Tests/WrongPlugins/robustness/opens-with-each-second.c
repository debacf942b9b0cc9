/* robustness.lasting: opens a file each second, and closes none before it is stopped */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_TUNE
#define OWN_STOP_SEND
#define MEMBERS int files[4096], count;
#include "../good.h"

#include <fcntl.h>
#include <unistd.h>

static void tune(good *me, int16_t *samples, uint64_t number) {
  if (number % 100 == 0 && me->count < 4096)
    me->files[me->count++] = open("/proc/self/status", O_RDONLY);
  good_tune(me, samples, number);
}

static void stop_send(void *self) {
  good *me = self;
  good_stop_send(self);
  while (me->count > 0) close(me->files[--me->count]);
}
