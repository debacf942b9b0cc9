/* load.dependencies: looks for its libraries in a folder that everybody may write to */
/* cc: -Wl,-rpath,/tmp/greenroom-libraries */
#include "../good.h"
