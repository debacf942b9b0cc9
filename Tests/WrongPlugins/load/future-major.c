/* load.entry: is made for a major version that there is not */
#define OWN_ENTRY
#include "../good.h"

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static gr_entry entry = GOOD_ENTRY;
  entry.abi_major = GR_ABI_MAJOR + 1;
  return &entry;
}
