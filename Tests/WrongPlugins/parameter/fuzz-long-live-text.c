/* parameter.fuzz: aborts when a text of more than 200 bytes is set while it lives */
#define OWN_SET
#include "../good.h"

static gr_status set(void *self, const gr_setting *setting) {
  /* The one that create gets is cut off in order. */
  if (strcmp(setting->name, "label") == 0 && strlen(setting->value.string) > 200) abort();
  return good_set(self, setting);
}
