#include "CGreenroomKernels.h"

extern const struct greenroom_kernels greenroom_kernels_c;
