/* parameter.fuzz: copies a path that is set while it lives into an array that it does not fit into */
#define OWN_SET
#define OWN_APPLY
#define OWN_DESCRIPTOR
#include "../good.h"

static gr_status apply(good *me, const gr_setting *setting) {
  (void)me;
  return strcmp(setting->name, "table") == 0 ? GR_STATUS_OK : GR_STATUS_BAD_SETTING;
}

static gr_status set(void *self, const gr_setting *setting) {
  char copy[1024];
  good *me = self;
  if (strcmp(setting->name, "table") == 0) {
    size_t i = 0;
    do copy[i] = setting->value.string[i]; while (setting->value.string[i++] != 0);
    __asm__ volatile("" : : "r"(copy) : "memory");
    me->host->set_error(me->instance, "there is no such file");
    return GR_STATUS_UNAVAILABLE;
  }
  return GR_STATUS_BAD_SETTING;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_parameter table = {
      .struct_size = sizeof table, .type = GR_TYPE_PATH, .flags = GR_PARAMETER_LIVE,
      .name = "table", .title = "the file of its colours",
      .default_value = {.type = GR_TYPE_PATH, .string = ""}};
  static gr_descriptor own = GOOD_DESCRIPTOR;
  own.parameters = &table;
  own.parameter_count = 1;
  return index == 0 ? &own : NULL;
}
