/* parameter.bounds: refuses the greatest value that its table allows */
#define OWN_APPLY
#include "../good.h"

static gr_status apply(good *me, const gr_setting *setting) {
  if (strcmp(setting->name, "shade") == 0 && setting->value.integer >= 40)
    return GR_STATUS_BAD_SETTING;
  return good_apply(me, setting);
}
