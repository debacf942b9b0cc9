/* call.stale-demand: takes it for granted that it knows the track of a demand */
#define KIND GR_KIND_CALL
#define OWN_DEMAND
#include "../good.h"

static void demand(void *self, const gr_demand *demand) {
  good *known = ((good *)self)->sender == demand->sender ? self : NULL;
  __atomic_store_n(&known->is_wanted, (int32_t)demand->is_wanted, __ATOMIC_RELAXED);
}
