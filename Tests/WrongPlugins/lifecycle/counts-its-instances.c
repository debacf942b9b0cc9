/* lifecycle.two-instances: crashes when an instance is created beside another one */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define OWN_CREATE
#define OWN_DESTROY
#include "../good.h"

static int living;

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  if (++living > 1) abort();
  return good_create(index, in, plugin);
}

static void destroy(void *self) {
  living--;
  good_destroy(self);
}
