/* load.leaks: leaks a kilobyte for each instance */
#define OWN_CREATE
#include "../good.h"

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  void *volatile lost = malloc(1024);
  (void)lost;
  return good_create(index, in, plugin);
}
