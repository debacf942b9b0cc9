/* load.loads: never returns from its entry */
#define OWN_ENTRY
#include "../good.h"

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = GOOD_ENTRY;
  static volatile int is_ready;
  while (!is_ready) {
  }
  return &entry;
}
