/* lifecycle.dead-sender: a thread of it looks at what destroy has unmapped */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_DESTROY
#include <sys/mman.h>
#include <unistd.h>
#include "../good.h"

static void *look(void *page) {
  usleep(100000);
  return (void *)(uintptr_t) * (volatile uint8_t *)page;
}

static void destroy(void *self) {
  good *me = self;
  pthread_t thread;
  void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (me->video || me->audio)
    if (pthread_create(&thread, NULL, look, page) == 0) pthread_detach(thread);
  munmap(page, 4096);
  good_destroy(me);
}
