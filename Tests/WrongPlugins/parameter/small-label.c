/* parameter.strings: copies a text into an array that it does not fit into */
#define OWN_APPLY
#include "../good.h"

static gr_status apply(good *me, const gr_setting *setting) {
  char copy[1024];
  if (strcmp(setting->name, "label") == 0) {
    size_t i = 0;
    do copy[i] = setting->value.string[i]; while (setting->value.string[i++] != 0);
    __asm__ volatile("" : : "r"(copy) : "memory");
  }
  return good_apply(me, setting);
}
