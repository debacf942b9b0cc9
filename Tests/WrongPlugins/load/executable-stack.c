/* load.memory: asks for executable stacks */
/* cc: -Wl,-z,execstack */
#include "../good.h"
