// Video4Linux devices that video is captured from, with memory that is mapped.

#ifndef GREENROOM_CV4L2_CAMERA_H
#define GREENROOM_CV4L2_CAMERA_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Answers a request as ioctl does: 0, or -1 with errno. Tests replace it by a fake device.
typedef int (*greenroom_v4l2_ioctl)(void *_Nullable context, int descriptor, unsigned long request,
                                    void *argument);

// The most buffers of a camera.
#define GREENROOM_V4L2_BUFFERS 8

// An open camera. One thread at a time.
struct greenroom_v4l2_camera {
    int descriptor;
    greenroom_v4l2_ioctl _Nullable ioctl; // null for the system's
    void *_Nullable context;
    int buffer_count;
    struct {
        void *_Nullable bytes;
        size_t count;
    } buffers[GREENROOM_V4L2_BUFFERS];
};

// Failures. errno has the reason, if it is not 0.
enum {
    GREENROOM_V4L2_NO_CAMERA = -5,    // no capture, or not by mapped memory
    GREENROOM_V4L2_MULTIPLANAR = -6,  // only with several planes
    GREENROOM_V4L2_OTHER_FORMAT = -7, // another format than was asked for
    GREENROOM_V4L2_NO_BUFFERS = -8,   // no memory, or it can't be mapped
    GREENROOM_V4L2_REFUSED = -9,      // a request was refused
};

// The name, driver and place that a device reports.
struct greenroom_v4l2_description {
    char name[32], driver[16], place[32];
};

// Opens a camera. Returns 0, or GREENROOM_V4L2_...
int greenroom_v4l2_open_camera(struct greenroom_v4l2_camera *camera, const char *path);

// Reads what a device says of itself. Returns 0, or GREENROOM_V4L2_...
int greenroom_v4l2_describe(struct greenroom_v4l2_camera *camera,
                            struct greenroom_v4l2_description *result);

// A format, size and rate. Rates may be missing: 0/0.
struct greenroom_v4l2_mode {
    uint32_t format; // four letters
    uint32_t width, height;
    uint32_t rate_numerator, rate_denominator;
};

// Lists the modes; of ranges of sizes the usual ones. Returns how many there are, up to `capacity`.
int greenroom_v4l2_modes(struct greenroom_v4l2_camera *camera, struct greenroom_v4l2_mode *modes,
                         int capacity);

// The controls that a plugin sets.
enum {
    GREENROOM_V4L2_EXPOSURE,
    GREENROOM_V4L2_EXPOSURE_AUTO,
    GREENROOM_V4L2_FOCUS,
    GREENROOM_V4L2_FOCUS_AUTO,
    GREENROOM_V4L2_ZOOM,
    GREENROOM_V4L2_GAIN,
    GREENROOM_V4L2_GAIN_AUTO,
    GREENROOM_V4L2_WHITE_BALANCE,
    GREENROOM_V4L2_WHITE_BALANCE_AUTO,
    GREENROOM_V4L2_CONTROL_COUNT
};

// A control and its range.
struct greenroom_v4l2_control {
    int32_t minimum, maximum, step, standard, value;
    uint32_t choices; // of a menu: a bit for each entry that exists
};

// Reads a control. Returns 0, or GREENROOM_V4L2_REFUSED without it.
int greenroom_v4l2_read_control(struct greenroom_v4l2_camera *camera, int control,
                                struct greenroom_v4l2_control *result);

// Sets a control. Returns 0, or GREENROOM_V4L2_REFUSED.
int greenroom_v4l2_write_control(struct greenroom_v4l2_camera *camera, int control, int32_t value);

// The frames of a camera that runs.
struct greenroom_v4l2_stream {
    uint32_t stride; // of the first plane; 0 if it is compressed
    uint32_t rate_numerator, rate_denominator; // 0/0 if the camera does not say
    int is_bt709, is_full_range;
};

// Sets the format and rate and starts. Returns 0, or GREENROOM_V4L2_...
int greenroom_v4l2_start(struct greenroom_v4l2_camera *camera, struct greenroom_v4l2_mode mode,
                         struct greenroom_v4l2_stream *result);

// A frame in a buffer.
struct greenroom_v4l2_frame {
    int buffer;
    const uint8_t *_Nullable bytes;
    size_t count;
    uint32_t sequence;
    int64_t monotonic_ns; // 0 without a time on the monotonic clock
    int is_damaged;
};

// Takes the next frame. Returns 1; 0 if there is none yet; GREENROOM_V4L2_REFUSED if the camera is lost.
int greenroom_v4l2_take(struct greenroom_v4l2_camera *camera, struct greenroom_v4l2_frame *frame);

// Returns a frame's buffer. Returns 0, or GREENROOM_V4L2_REFUSED.
int greenroom_v4l2_return(struct greenroom_v4l2_camera *camera, int buffer);

// Stops and unmaps the buffers.
void greenroom_v4l2_stop(struct greenroom_v4l2_camera *camera);

#pragma clang assume_nonnull end

#endif
