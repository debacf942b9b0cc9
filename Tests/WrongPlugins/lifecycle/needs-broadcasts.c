/* lifecycle.withheld-extension: calls the host's extension without checking that it exists */
#define KIND GR_KIND_SHARE_SOURCE
#define OWN_START_SEND
#include <greenroom/broadcast.h>
#include "../good.h"

static gr_status start_send(void *self) {
  good *me = self;
  const gr_broadcast *share = me->host->get_extension(me->instance, GR_EXT_BROADCAST);
  share->resumed(me->instance);
  return good_start_send(me);
}
