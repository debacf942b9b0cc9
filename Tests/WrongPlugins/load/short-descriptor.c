/* load.descriptors: says that its descriptor is shorter than the first one ever was */
#define OWN_DESCRIPTOR
#include "../good.h"

static const gr_descriptor *descriptor(uint32_t index) {
  static gr_descriptor only = GOOD_DESCRIPTOR;
  only.struct_size = sizeof(gr_descriptor) - sizeof(void *);
  return index == 0 ? &only : NULL;
}
