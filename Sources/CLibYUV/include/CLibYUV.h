// libyuv, and its constants by purpose.

#ifndef GREENROOM_CLIBYUV_H
#define GREENROOM_CLIBYUV_H

#include <libyuv.h>

// libyuv reads its constants with instructions that fault unless the address is a multiple of 16 or
// 32. The type does not declare this alignment, so Swift may pass a copy's address. These functions
// return the original's address.

// Constants for converting YUV to RGB, blue first in memory.
const struct YuvConstants *_Nonnull greenroom_yuv_constants(int is_full, int is_709);

// The same with U and V swapped: red first in memory.
const struct YuvConstants *_Nonnull greenroom_yvu_constants(int is_full, int is_709);

#endif
