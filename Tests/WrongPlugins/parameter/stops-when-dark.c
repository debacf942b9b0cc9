/* parameter.fuzz: sends nothing more after it was dark for a while and light again */
#define OWN_APPLY
#define OWN_SEND_FRAME
#define MEMBERS int32_t changes;
#include "../good.h"

static gr_status apply(good *me, const gr_setting *setting) {
  if (strcmp(setting->name, "look") == 0) __atomic_add_fetch(&me->changes, 1, __ATOMIC_RELAXED);
  return good_apply(me, setting);
}

static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  if (__atomic_load_n(&me->changes, __ATOMIC_RELAXED) > 10) return GR_STATUS_OK;
  return good_send_frame(me, form, number, due_ns);
}
