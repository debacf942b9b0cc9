/* robustness.ungranted: opens files 75 times, 0.7 s of real time after start-send */
/* outcome: warning */
/* says: denied: read /etc/ */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS pthread_t snoop; int32_t is_over;
#define OWN_START_SEND
#define OWN_STOP_SEND
#include "../good.h"
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#ifndef LATE_MS
#define LATE_MS 700
#endif

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *look_around(void *self) {
  good *me = self;
  const struct timespec moment = {0, 10000000};
  const int64_t end_ms = now_ms() + LATE_MS;
  while (now_ms() < end_ms) {
    if (__atomic_load_n(&me->is_over, __ATOMIC_RELAXED)) return NULL;
    nanosleep(&moment, NULL);
  }
  for (int number = 0; number < 75; number++) {
    const int file = open(number % 2 ? "/etc/passwd" : "/etc/group", O_RDONLY);
    if (file >= 0) close(file);
  }
  return NULL;
}

static gr_status start_send(void *self) {
  good *me = self;
  __atomic_store_n(&me->is_over, 0, __ATOMIC_RELAXED);
  if (pthread_create(&me->snoop, NULL, look_around, me) != 0) return GR_STATUS_FAILED;
  return good_start_send(self);
}

static void stop_send(void *self) {
  good *me = self;
  __atomic_store_n(&me->is_over, 1, __ATOMIC_RELAXED);
  pthread_join(me->snoop, NULL);
  good_stop_send(self);
}
