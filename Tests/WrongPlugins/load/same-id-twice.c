/* load.descriptors: has two plugins with one id */
#define OWN_DESCRIPTOR
#define OWN_ENTRY
#include "../good.h"

static const gr_descriptor *descriptor(uint32_t index) {
  static gr_descriptor both[] = {GOOD_DESCRIPTOR, GOOD_DESCRIPTOR};
  both[1].name = "Better";
  return index < 2 ? &both[index] : NULL;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static gr_entry entry = GOOD_ENTRY;
  entry.plugin_count = 2;
  return &entry;
}
