/* load.entry: declares a size of its entry below that of version 1.0 */
#define OWN_ENTRY
#include "../good.h"

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static gr_entry entry = GOOD_ENTRY;
  entry.struct_size = sizeof(gr_entry) - sizeof(void *);
  return &entry;
}
