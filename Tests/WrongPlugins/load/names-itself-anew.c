/* load.steadfast: has another id in each process */
#define OWN_DESCRIPTOR
#include "../good.h"
#include <stdio.h>
#include <unistd.h>

static const gr_descriptor *descriptor(uint32_t index) {
  static gr_descriptor only = GOOD_DESCRIPTOR;
  static char id[64];
  if (!id[0]) snprintf(id, sizeof id, "org.example.good-%d", (int)getpid());
  only.id = id;
  return index == 0 ? &only : NULL;
}
