/* lifecycle.dead-sender: its thread reads memory that destroy has locked */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_CREATE
#define OWN_DESTROY
#include <sys/mman.h>
#include <unistd.h>
#include "../good.h"

static int lives, living;

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  __atomic_add_fetch(&lives, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&living, 1, __ATOMIC_RELAXED);
  return good_create(index, in, plugin);
}

static void *look(void *page) {
  const int before = __atomic_load_n(&lives, __ATOMIC_RELAXED);
  usleep(150000);
  /* Not while another instance lives, which other checks would find lost. */
  if (before == __atomic_load_n(&lives, __ATOMIC_RELAXED) &&
      __atomic_load_n(&living, __ATOMIC_RELAXED) == 0)
    *(volatile uint8_t *)page;
  return NULL;
}

static void destroy(void *self) {
  good *me = self;
  pthread_t thread;
  void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (me->audio && pthread_create(&thread, NULL, look, page) == 0) pthread_detach(thread);
  /* Unmapped memory could be mapped again by then. */
  mprotect(page, 4096, PROT_NONE);
  __atomic_sub_fetch(&living, 1, __ATOMIC_RELAXED);
  good_destroy(me);
}
