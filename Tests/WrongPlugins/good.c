/* The good plugin as it is, of the KIND that the compiler is told. */
#include "good.h"
