/* parameter.unknown: returns OK for parameters that it does not have */
#define OWN_SET
#include "../good.h"

static gr_status set(void *self, const gr_setting *setting) {
  good_set(self, setting);
  return GR_STATUS_OK;
}
