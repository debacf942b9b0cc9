/* load.extensions: copies the id into an array that it does not fit into */
#define OWN_GET_EXTENSION
#include "../good.h"

static const void *get_extension(void *self, const char *id) {
  char copy[64];
  size_t i = 0;
  do copy[i] = id[i]; while (id[i++] != 0);
  __asm__ volatile("" : : "r"(copy) : "memory");
  return good_get_extension(self, copy);
}
