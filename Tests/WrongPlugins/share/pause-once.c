/* share.pause: shows its picture in the first of several starts alone */
#define KIND GR_KIND_SHARE_SOURCE
#define MEMBERS int starts;
#define OWN_PUMP
#include "../good.h"

static void *pump(void *self) {
  good *me = self;
  if (me->starts++ == 0) return good_pump(self);
  me->host->wait_until_ns(me->instance, INT64_MAX);
  return NULL;
}
