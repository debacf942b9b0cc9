/* lifecycle.destroy-at-once: uses in destroy what only initialize sets */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_DESTROY
#include "../good.h"

static void destroy(void *self) {
  good *me = self;
  if (me->video->struct_size != 0) good_destroy(me);
}
