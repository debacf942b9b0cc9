/* lifecycle.refused-steps: leaves its first file open when the second one is missing */
#define MEMBERS char paths[2][256];
#define OWN_DESCRIPTOR
#define OWN_INITIALIZE
#define OWN_APPLY
#define OWN_SET
#include "../good.h"
#include <unistd.h>

#define PATH(word)                                                                          \
  {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_PATH, .name = word, .title = word, \
   .default_value = {.type = GR_TYPE_PATH, .string = ""}}

static const gr_parameter paths[] = {PATH("first"), PATH("second")};

static const gr_descriptor *descriptor(uint32_t index) {
  static gr_descriptor only = GOOD_DESCRIPTOR;
  only.parameters = paths;
  only.parameter_count = 2;
  return index == 0 ? &only : NULL;
}

static gr_status set(void *self, const gr_setting *setting) {
  (void)self;
  (void)setting;
  return GR_STATUS_BAD_SETTING;
}

static gr_status apply(good *me, const gr_setting *setting) {
  char *path = me->paths[strcmp(setting->name, "second") == 0];
  strncpy(path, setting->value.string, sizeof me->paths[0] - 1);
  return GR_STATUS_OK;
}

static gr_status initialize(void *self, const gr_initialize *in) {
  good *me = self;
  if (me->paths[1][0] != 0 && access(me->paths[1], R_OK) != 0) {
    if (dup(STDIN_FILENO) < 0) return GR_STATUS_FAILED; /* represents the first file */
    me->host->set_error(me->instance, "second can't be read; name a file that is there");
    return GR_STATUS_UNAVAILABLE;
  }
  return good_initialize(self, in);
}
