#include "CV4L2.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int request(int device, unsigned long kind, void *argument) {
    int result;
    do result = ioctl(device, kind, argument);
    while (result < 0 && errno == EINTR);
    return result;
}

static int prepare(int device, uint32_t width, uint32_t height, struct v4l2_fract interval) {
    struct v4l2_capability capability = {0};
    if (request(device, VIDIOC_QUERYCAP, &capability) < 0) return GREENROOM_V4L2_NOT_A_DEVICE;
    uint32_t able = capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps
                                                                   : capability.capabilities;
    if (!(able & V4L2_CAP_VIDEO_OUTPUT) || !(able & V4L2_CAP_READWRITE))
        return GREENROOM_V4L2_NOT_AN_OUTPUT;

    uint32_t size = width * height + 2 * (width / 2) * ((height + 1) / 2);
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
    format.fmt.pix.width = width;
    format.fmt.pix.height = height;
    format.fmt.pix.pixelformat = V4L2_PIX_FMT_YUV420;
    format.fmt.pix.field = V4L2_FIELD_NONE;
    format.fmt.pix.bytesperline = width;
    format.fmt.pix.sizeimage = size;
    format.fmt.pix.colorspace = V4L2_COLORSPACE_SMPTE170M;
    if (request(device, VIDIOC_S_FMT, &format) < 0 || format.fmt.pix.width != width
        || format.fmt.pix.height != height || format.fmt.pix.pixelformat != V4L2_PIX_FMT_YUV420
        || format.fmt.pix.bytesperline != width || format.fmt.pix.sizeimage < size)
        return GREENROOM_V4L2_BAD_FORMAT;

    // A device without a rate receives frames as they come.
    struct v4l2_streamparm parameters = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
    parameters.parm.output.timeperframe = interval;
    request(device, VIDIOC_S_PARM, &parameters);
    return device;
}

int greenroom_v4l2_open_output(
    const char *path, uint32_t width, uint32_t height, uint32_t rate_numerator,
    uint32_t rate_denominator) {
    int device = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) return GREENROOM_V4L2_NOT_OPENED;
    struct v4l2_fract interval = {.numerator = rate_denominator, .denominator = rate_numerator};
    int result = prepare(device, width, height, interval);
    if (result < 0) close(device);
    return result;
}
