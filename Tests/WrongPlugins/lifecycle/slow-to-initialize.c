/* lifecycle.callbacks-in-time: waits 15 seconds in initialize, as for a device */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_INITIALIZE
#include <unistd.h>
#include "../good.h"

static gr_status initialize(void *self, const gr_initialize *in) {
  sleep(15);
  return good_initialize(self, in);
}
