/* load.dependencies: searches its libraries below the working directory */
/* cc: -Wl,-rpath,lib */
#include "../good.h"
