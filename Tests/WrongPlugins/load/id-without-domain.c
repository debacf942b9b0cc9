/* load.descriptors: has an id that is not a reverse domain */
#define ID "camera"
#include "../good.h"
