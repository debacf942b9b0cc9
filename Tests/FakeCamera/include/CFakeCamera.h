// A camera that answers the requests of Video4Linux as a table says. Its buffers are a memory file.

#ifndef GREENROOM_FAKE_CAMERA_H
#define GREENROOM_FAKE_CAMERA_H

#include "CV4L2.h"

#pragma clang assume_nonnull begin

struct fake_camera {
    int is_multiplanar, is_busy, is_gone, has_stepwise_sizes, has_many_sizes, is_no_camera;
    // The values of requests.
    uint32_t format, width, height, rate_numerator, rate_denominator;
    int is_streaming, frames_ready, buffers_queued;
    int32_t controls[4]; // focus, automatic focus, exposure, automatic exposure
    uint32_t sequence;
};

// The size of a buffer: of 4x2 pixels in YUYV.
enum { FAKE_CAMERA_BUFFER = 4096 };

// Makes a camera. Returns its descriptor, a memory file with the number of its buffer in each byte.
int fake_camera_open(struct fake_camera *fake);

// A camera for `greenroom_v4l2_...`.
struct greenroom_v4l2_camera fake_camera_handle(struct fake_camera *fake, int descriptor);

#pragma clang assume_nonnull end

#endif
