/* load.dependencies: needs a library that does not exist */
/* cc: -Wl,-F,libcodec-of-theirs.so.3 */
#include "../good.h"
