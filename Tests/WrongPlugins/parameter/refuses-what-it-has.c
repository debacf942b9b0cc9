/* parameter.defaults: refuses to set a value that is set already */
#define OWN_SET
#include "../good.h"

static gr_status set(void *self, const gr_setting *setting) {
  good *me = self;
  if (strcmp(setting->name, "shade") == 0 && setting->value.integer == me->shade) {
    me->host->set_error(me->instance, "that is what it is already");
    return GR_STATUS_FAILED;
  }
  return good_set(self, setting);
}
