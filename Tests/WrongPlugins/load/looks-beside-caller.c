/* load.dependencies: looks for its libraries below whatever folder is the current one */
/* cc: -Wl,-rpath,lib */
#include "../good.h"
