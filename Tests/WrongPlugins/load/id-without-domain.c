/* load.descriptors: has an id that is no reverse domain */
#define ID "camera"
#include "../good.h"
