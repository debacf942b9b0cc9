/* parameter.fuzz: refuses most of the values that its table allows, with a reason */
/* outcome: warning */
#define OWN_SET
#include "../good.h"

static gr_status set(void *self, const gr_setting *setting) {
  good *me = self;
  const int64_t value = setting->value.integer;
  /* Both ends and the default are taken. */
  if (strcmp(setting->name, "shade") == 0 && value % 40 != 0) {
    me->host->set_error(me->instance, "no such shade can be mixed today");
    return GR_STATUS_FAILED;
  }
  return good_set(self, setting);
}
