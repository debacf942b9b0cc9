/* load.loads: aborts in a constructor */
#include "../good.h"

__attribute__((constructor)) static void begin(void) { abort(); }
