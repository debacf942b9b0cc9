/* A camera that ends its thread at each new offer, and starts another one with the new size. */
#define MEMBERS int is_running; int must_end; int64_t next_ns;
#define OWN_PROPERTY_CHANGE
#define OWN_START_SEND
#define OWN_STOP_SEND
#define OWN_PUMP
#include "../WrongPlugins/good.h"

static void *pump(void *self) {
  good *me = self;
  const shape form = shape_now(me);
  for (uint64_t number = 0; !__atomic_load_n(&me->must_end, __ATOMIC_RELAXED); number++) {
    if (me->host->wait_until_ns(me->instance, me->next_ns) != GR_STATUS_OK) return NULL;
    send_frame(me, form, number, me->next_ns);
    me->next_ns += duration_ns(form.size, 1);
    if (me->next_ns < me->host->now_ns(me->instance)) me->next_ns = me->host->now_ns(me->instance);
  }
  return NULL;
}

static gr_status start(good *me) {
  me->must_end = 0;
  me->is_running = pthread_create(&me->thread, NULL, pump, me) == 0;
  return me->is_running ? GR_STATUS_OK : GR_STATUS_FAILED;
}

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  good *me = self;
  if (me->is_running) {
    __atomic_store_n(&me->must_end, 1, __ATOMIC_RELAXED);
    pthread_join(me->thread, NULL);
  }
  choose(me, offer, answer);
  return me->is_running ? start(me) : GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  good *me = self;
  me->next_ns = me->host->now_ns(me->instance);
  return start(me);
}

static void stop_send(void *self) {
  good *me = self;
  if (me->is_running) pthread_join(me->thread, NULL);
  me->is_running = 0;
}
