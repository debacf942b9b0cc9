/* video.sizes: treats 858x480 in the first offer as an error, and sends 854x480 */
#define OWN_SEND_FRAME
#include "../good.h"

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  if (form.revision == 1 && form.size.width == 858) form.size.width = 854;
  return good_send_frame(me, form, number, due_ns);
}
