/* call.demand: sends nothing more once a track was not wanted */
#define KIND GR_KIND_CALL
#define OWN_DEMAND
#include "../good.h"

static void demand(void *self, const gr_demand *demand) {
  if (demand->is_wanted == 0) good_demand(self, demand);
}
