/* lifecycle.whole-life: declares a size of gr_plugin below that of version 1.0 */
#define OWN_CREATE
#include "../good.h"

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  const gr_status status = good_create(index, in, plugin);
  if (status != GR_STATUS_OK) return status;
  ((good *)(*plugin)->self)->functions.struct_size = sizeof(gr_plugin) - sizeof(void *);
  return status;
}
