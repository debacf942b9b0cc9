/* lifecycle.joins: never joins its thread, whose stack is a small one */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS pthread_cond_t changed; int is_running;
#define OWN_INITIALIZE
#define OWN_START_SEND
#define OWN_STOP_SEND
#define OWN_PUMP
#include "../good.h"

static gr_status initialize(void *self, const gr_initialize *in) {
  pthread_cond_init(&((good *)self)->changed, NULL);
  return good_initialize(self, in);
}

static void *pump(void *self) {
  good *me = self;
  pump_sound(me);
  pthread_mutex_lock(&me->lock);
  me->is_running = 0;
  pthread_cond_signal(&me->changed);
  pthread_mutex_unlock(&me->lock);
  return NULL;
}

static gr_status start_send(void *self) {
  good *me = self;
  me->is_running = 1;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 32768);
  const int failure = pthread_create(&me->thread, &small, pump, me);
  pthread_attr_destroy(&small);
  return failure ? GR_STATUS_FAILED : GR_STATUS_OK;
}

static void stop_send(void *self) {
  good *me = self;
  pthread_mutex_lock(&me->lock);
  while (me->is_running) pthread_cond_wait(&me->changed, &me->lock);
  pthread_mutex_unlock(&me->lock);
}
