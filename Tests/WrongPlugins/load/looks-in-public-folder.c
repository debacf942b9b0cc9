/* load.dependencies: searches its libraries in a world-writable folder */
/* cc: -Wl,-rpath,/tmp/greenroom-libraries */
#include "../good.h"
