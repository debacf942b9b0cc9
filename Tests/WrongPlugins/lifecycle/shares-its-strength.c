/* lifecycle.two-instances: lightens by a value for the size of the last instance */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_INITIALIZE
#define OWN_PROCESS
#include "../good.h"

static int32_t strength;

static gr_status initialize(void *self, const gr_initialize *in) {
  if (in->offer) __atomic_store_n(&strength, in->offer->suggested.width / 160, __ATOMIC_RELAXED);
  return good_initialize(self, in);
}

static gr_status process(void *self, gr_mutable_frame *frame) {
  good *me = self;
  const int32_t shared = __atomic_load_n(&strength, __ATOMIC_RELAXED);
  __atomic_store_n(&me->shade, shared, __ATOMIC_RELAXED);
  return good_process(self, frame);
}
