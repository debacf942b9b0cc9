/* load.dependencies: needs a library that is nowhere */
/* cc: -Wl,-F,libcodec-of-theirs.so.3 */
#include "../good.h"
