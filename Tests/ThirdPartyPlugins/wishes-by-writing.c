/* A camera that writes its wish into what the host suggests, as one SDK lets it, and then sends
   frames of that size. */
#define OWN_INITIALIZE
#include "../WrongPlugins/good.h"

static gr_status initialize(void *self, const gr_initialize *in) {
  const gr_capability wish = {800, 600, 30, 1};
  const gr_status status = good_initialize(self, in);
  if (in->offer == NULL) return status;
  ((gr_offer *)in->offer)->suggested = wish;
  take_shape(self, wish, in->offer->revision);
  return status;
}
