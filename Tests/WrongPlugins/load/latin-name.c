/* load.descriptors: has a summary that is not UTF-8 */
#define OWN_DESCRIPTOR
#include "../good.h"

static const gr_descriptor *descriptor(uint32_t index) {
  static gr_descriptor only = GOOD_DESCRIPTOR;
  only.summary = "Caf\xe9 in the morning";
  return index == 0 ? &only : NULL;
}
