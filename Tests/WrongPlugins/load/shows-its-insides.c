/* load.exports: exports an internal function with a common name */
#include "../good.h"

GR_EXPORT int initialise_camera(void) { return 0; }
