/* call.demand: sends unwanted tracks */
/* outcome: warning */
#define KIND GR_KIND_CALL
#define OWN_DEMAND
#include "../good.h"

static void demand(void *self, const gr_demand *demand) {
  (void)self;
  (void)demand;
}
