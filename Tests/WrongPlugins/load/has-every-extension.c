/* load.extensions: accepts every id that begins like a known one */
#define OWN_GET_EXTENSION
#include "../good.h"

static const void *get_extension(void *self, const char *id) {
  const size_t length = sizeof GR_EXT_LIVE_PARAMETERS - 1;
  if (strncmp(id, GR_EXT_LIVE_PARAMETERS, length) == 0) id = GR_EXT_LIVE_PARAMETERS;
  return good_get_extension(self, id);
}
