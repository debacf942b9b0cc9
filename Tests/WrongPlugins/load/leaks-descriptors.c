/* load.leaks: leaves a descriptor open for each instance */
#define OWN_CREATE
#include "../good.h"

#include <fcntl.h>

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  if (open("/proc/self/status", O_RDONLY) < 0) return GR_STATUS_UNAVAILABLE;
  return good_create(index, in, plugin);
}
