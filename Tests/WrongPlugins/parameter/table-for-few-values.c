/* parameter.fuzz: looks a value up in a table that ends before the values do */
#define OWN_SET
#include "../good.h"

static gr_status set(void *self, const gr_setting *setting) {
  static const uint8_t *const rows[4] = {(const uint8_t *)"a", (const uint8_t *)"b",
                                         (const uint8_t *)"c", (const uint8_t *)"d"};
  const int64_t value = setting->value.integer;
  /* The ends are handled; values between them are not. */
  if (strcmp(setting->name, "shade") == 0 && value > 3 && value < 40)
    ((volatile uint8_t *)NULL)[value + *rows[value % 4]] = 0;
  return good_set(self, setting);
}
