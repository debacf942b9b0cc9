// libyuv, and its constants by what they are for.

#ifndef GREENROOM_CLIBYUV_H
#define GREENROOM_CLIBYUV_H

#include <libyuv.h>

// libyuv reads its constants with instructions that fault on addresses that are not a multiple of
// 16 or 32, and the type does not say so: Swift may pass the address of a copy. These functions
// return the address of the original.

// Constants for converting YUV to RGB, blue first in memory.
const struct YuvConstants *_Nonnull greenroom_yuv_constants(int is_full, int is_709);

// The same with U and V swapped: red first in memory.
const struct YuvConstants *_Nonnull greenroom_yvu_constants(int is_full, int is_709);

#endif
