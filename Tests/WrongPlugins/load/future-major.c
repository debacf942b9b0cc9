/* load.entry: declares a major version that does not exist */
#define OWN_ENTRY
#include "../good.h"

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static gr_entry entry = GOOD_ENTRY;
  entry.abi_major = GR_ABI_MAJOR + 1;
  return &entry;
}
