/* load.quiet: opens a file when its descriptor is read, and keeps it open */
#define OWN_DESCRIPTOR
#include "../good.h"

#include <fcntl.h>

static const gr_descriptor *descriptor(uint32_t index) {
  static int file = -1;
  if (file < 0) file = open("/proc/self/status", O_RDONLY);
  return good_descriptor(index);
}
