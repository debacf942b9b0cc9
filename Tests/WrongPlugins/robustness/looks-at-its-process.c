/* robustness.identical: makes frames lighter in a process of its own than in the host's */
#define OWN_PUMP
#include "../good.h"

#include <errno.h>

static void *pump(void *self) {
  if (strcmp(program_invocation_short_name, "greenroom-runner") == 0)
    ((good *)self)->shade += 1;
  return good_pump(self);
}
