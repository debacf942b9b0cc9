/* A plugin that is linked with a missing library. */
#include <greenroom/plugin.h>

int from_the_missing_library(void);
GR_EXPORT const gr_entry *greenroom_plugin_entry(void);

const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR};
  return from_the_missing_library() == 0 ? &entry : (const gr_entry *)0;
}
