/* parameter.defaults: has other values than create was given, until they are set once more */
#define OWN_CREATE
#include "../good.h"

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  const gr_status status = good_create(index, in, plugin);
  if (status == GR_STATUS_OK) ((good *)(*plugin)->self)->shade = 10;
  return status;
}
