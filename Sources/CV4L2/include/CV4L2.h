// Video4Linux devices that receive video, as v4l2loopback makes them. Their requests are macros, which
// Swift does not import.

#ifndef GREENROOM_CV4L2_H
#define GREENROOM_CV4L2_H

#include "camera.h"

#include <stdint.h>

// The errors of `greenroom_v4l2_open_output`, beside errno.
enum {
    GREENROOM_V4L2_NOT_OPENED = -1,    // errno says why
    GREENROOM_V4L2_NOT_A_DEVICE = -2,  // no device of Video4Linux
    GREENROOM_V4L2_NOT_AN_OUTPUT = -3, // one that takes no video, or not by write
    GREENROOM_V4L2_BAD_FORMAT = -4,    // I420 of this size is not possible
};

// Opens a device for I420 frames in BT.601 without padding, each to be written with one `write`, which does not
// wait. Returns a descriptor, or GREENROOM_V4L2_...
int greenroom_v4l2_open_output(
    const char *_Nonnull path, uint32_t width, uint32_t height, uint32_t rate_numerator,
    uint32_t rate_denominator);

#endif
