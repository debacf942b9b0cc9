/* load.descriptors: declares a size of its descriptor below that of version 1.0 */
#define OWN_DESCRIPTOR
#include "../good.h"

static const gr_descriptor *descriptor(uint32_t index) {
  static gr_descriptor only = GOOD_DESCRIPTOR;
  only.struct_size = sizeof(gr_descriptor) - sizeof(void *);
  return index == 0 ? &only : NULL;
}
