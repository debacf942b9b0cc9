/* parameter.defaults: ignores the values passed to create until they are set again */
#define OWN_CREATE
#include "../good.h"

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  const gr_status status = good_create(index, in, plugin);
  if (status == GR_STATUS_OK) ((good *)(*plugin)->self)->shade = 10;
  return status;
}
