/* load.exports: exports a function of its own, with a name that others have too */
#include "../good.h"

GR_EXPORT int initialise_camera(void) { return 0; }
