#include "camera.h"
#include "CV4L2.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// Limits of the lists, for a device whose list never ends.
enum { MOST_FORMATS = 64, MOST_SIZES = 256, MOST_RATES = 64, BUFFERS = 4 };

static int request(struct greenroom_v4l2_camera *camera, unsigned long kind, void *argument) {
    int result;
    do
        result = camera->ioctl ? camera->ioctl(camera->context, camera->descriptor, kind, argument)
                               : ioctl(camera->descriptor, kind, argument);
    while (result < 0 && errno == EINTR);
    return result;
}

static int query(struct greenroom_v4l2_camera *camera, struct v4l2_capability *capability) {
    memset(capability, 0, sizeof *capability);
    if (request(camera, VIDIOC_QUERYCAP, capability) < 0) return GREENROOM_V4L2_NOT_A_DEVICE;
    uint32_t able = capability->capabilities & V4L2_CAP_DEVICE_CAPS ? capability->device_caps
                                                                    : capability->capabilities;
    errno = 0;
    if (!(able & V4L2_CAP_VIDEO_CAPTURE))
        return able & V4L2_CAP_VIDEO_CAPTURE_MPLANE ? GREENROOM_V4L2_MULTIPLANAR
                                                    : GREENROOM_V4L2_NO_CAMERA;
    return able & V4L2_CAP_STREAMING ? 0 : GREENROOM_V4L2_NO_CAMERA;
}

int greenroom_v4l2_open_camera(struct greenroom_v4l2_camera *camera, const char *path) {
    memset(camera, 0, sizeof *camera);
    camera->descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    return camera->descriptor < 0 ? GREENROOM_V4L2_NOT_OPENED : 0;
}

int greenroom_v4l2_describe(struct greenroom_v4l2_camera *camera,
                            struct greenroom_v4l2_description *result) {
    struct v4l2_capability capability;
    memset(result, 0, sizeof *result);
    int status = query(camera, &capability);
    if (status < 0) return status;
    memcpy(result->name, capability.card, sizeof result->name - 1);
    memcpy(result->driver, capability.driver, sizeof result->driver - 1);
    memcpy(result->place, capability.bus_info, sizeof result->place - 1);
    return 0;
}

// A list of modes that grows up to its capacity.
struct modes {
    struct greenroom_v4l2_mode *list;
    int count, capacity;
};

static void add(struct modes *modes, uint32_t format, uint32_t width, uint32_t height,
                uint32_t numerator, uint32_t denominator) {
    if (modes->count < modes->capacity)
        modes->list[modes->count++] =
            (struct greenroom_v4l2_mode){format, width, height, numerator, denominator};
}

static void add_rates(struct greenroom_v4l2_camera *camera, struct modes *modes, uint32_t format,
                      uint32_t width, uint32_t height) {
    int index = 0;
    for (; index < MOST_RATES; index++) {
        struct v4l2_frmivalenum rate = {
            .index = (uint32_t)index, .pixel_format = format, .width = width, .height = height};
        if (request(camera, VIDIOC_ENUM_FRAMEINTERVALS, &rate) < 0) break;
        if (rate.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
            add(modes, format, width, height, rate.discrete.denominator, rate.discrete.numerator);
            continue;
        }
        // The shortest interval, and 30 fps if that is in the range.
        struct v4l2_fract least = rate.stepwise.min, most = rate.stepwise.max;
        add(modes, format, width, height, least.denominator, least.numerator);
        if ((uint64_t)least.numerator * 30 < least.denominator
            && (uint64_t)most.numerator * 30 >= most.denominator)
            add(modes, format, width, height, 30, 1);
        return;
    }
    if (index == 0) add(modes, format, width, height, 0, 0);
}

static int is_step(uint32_t value, uint32_t least, uint32_t most, uint32_t step) {
    return value >= least && value <= most && (step < 2 || (value - least) % step == 0);
}

static void add_range(struct greenroom_v4l2_camera *camera, struct modes *modes, uint32_t format,
                      const struct v4l2_frmsize_stepwise *range) {
    static const uint32_t sizes[][2] = {{1920, 1080}, {1280, 720}, {960, 540}, {640, 480},
                                        {640, 360},   {480, 270},  {320, 240}, {320, 180}};
    for (int index = 0; index < COUNT(sizes); index++) {
        uint32_t width = sizes[index][0], height = sizes[index][1];
        if (is_step(width, range->min_width, range->max_width, range->step_width)
            && is_step(height, range->min_height, range->max_height, range->step_height))
            add_rates(camera, modes, format, width, height);
    }
}

static void add_sizes(struct greenroom_v4l2_camera *camera, struct modes *modes, uint32_t format) {
    for (int index = 0; index < MOST_SIZES; index++) {
        struct v4l2_frmsizeenum size = {.index = (uint32_t)index, .pixel_format = format};
        if (request(camera, VIDIOC_ENUM_FRAMESIZES, &size) < 0) return;
        if (size.type != V4L2_FRMSIZE_TYPE_DISCRETE) {
            add_range(camera, modes, format, &size.stepwise);
            return;
        }
        add_rates(camera, modes, format, size.discrete.width, size.discrete.height);
    }
}

int greenroom_v4l2_modes(struct greenroom_v4l2_camera *camera, struct greenroom_v4l2_mode *list,
                         int capacity) {
    struct modes modes = {list, 0, capacity};
    for (int index = 0; index < MOST_FORMATS; index++) {
        struct v4l2_fmtdesc format = {
            .index = (uint32_t)index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
        if (request(camera, VIDIOC_ENUM_FMT, &format) < 0) break;
        // libv4l makes emulated formats of others that are listed, too.
        if (format.flags & V4L2_FMT_FLAG_EMULATED) continue;
        add_sizes(camera, &modes, format.pixelformat);
    }
    return modes.count;
}

static const uint32_t ids[GREENROOM_V4L2_CONTROL_COUNT] = {
    [GREENROOM_V4L2_EXPOSURE] = V4L2_CID_EXPOSURE_ABSOLUTE,
    [GREENROOM_V4L2_EXPOSURE_AUTO] = V4L2_CID_EXPOSURE_AUTO,
    [GREENROOM_V4L2_FOCUS] = V4L2_CID_FOCUS_ABSOLUTE,
    [GREENROOM_V4L2_FOCUS_AUTO] = V4L2_CID_FOCUS_AUTO,
    [GREENROOM_V4L2_ZOOM] = V4L2_CID_ZOOM_ABSOLUTE,
    [GREENROOM_V4L2_GAIN] = V4L2_CID_GAIN,
    [GREENROOM_V4L2_GAIN_AUTO] = V4L2_CID_AUTOGAIN,
    [GREENROOM_V4L2_WHITE_BALANCE] = V4L2_CID_WHITE_BALANCE_TEMPERATURE,
    [GREENROOM_V4L2_WHITE_BALANCE_AUTO] = V4L2_CID_AUTO_WHITE_BALANCE,
};

int greenroom_v4l2_read_control(struct greenroom_v4l2_camera *camera, int control,
                                struct greenroom_v4l2_control *result) {
    memset(result, 0, sizeof *result);
    if (control < 0 || control >= COUNT(ids)) return GREENROOM_V4L2_REFUSED;
    struct v4l2_queryctrl range = {.id = ids[control]};
    if (request(camera, VIDIOC_QUERYCTRL, &range) < 0
        || range.flags & (V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_READ_ONLY))
        return GREENROOM_V4L2_REFUSED;
    result->minimum = range.minimum;
    result->maximum = range.maximum;
    result->step = range.step;
    result->standard = result->value = range.default_value;
    struct v4l2_control value = {.id = ids[control]};
    if (request(camera, VIDIOC_G_CTRL, &value) == 0) result->value = value.value;
    if (range.type == V4L2_CTRL_TYPE_MENU)
        for (int32_t index = 0; index < 32 && index <= range.maximum; index++) {
            struct v4l2_querymenu entry = {.id = ids[control], .index = (uint32_t)index};
            if (request(camera, VIDIOC_QUERYMENU, &entry) == 0) result->choices |= 1u << index;
        }
    return 0;
}

int greenroom_v4l2_write_control(struct greenroom_v4l2_camera *camera, int control, int32_t value) {
    if (control < 0 || control >= COUNT(ids)) return GREENROOM_V4L2_REFUSED;
    struct v4l2_control new = {.id = ids[control], .value = value};
    return request(camera, VIDIOC_S_CTRL, &new) < 0 ? GREENROOM_V4L2_REFUSED : 0;
}

static int map_buffers(struct greenroom_v4l2_camera *camera) {
    struct v4l2_requestbuffers buffers = {
        .count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (request(camera, VIDIOC_REQBUFS, &buffers) < 0) return GREENROOM_V4L2_REFUSED;
    errno = 0;
    if (buffers.count < 2) return GREENROOM_V4L2_NO_BUFFERS;
    for (uint32_t index = 0; index < buffers.count && index < GREENROOM_V4L2_BUFFERS; index++) {
        struct v4l2_buffer buffer = {
            .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        if (request(camera, VIDIOC_QUERYBUF, &buffer) < 0) return GREENROOM_V4L2_REFUSED;
        void *bytes = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED,
                           camera->descriptor, buffer.m.offset);
        if (bytes == MAP_FAILED) return GREENROOM_V4L2_NO_BUFFERS;
        camera->buffers[index].bytes = bytes;
        camera->buffers[index].count = buffer.length;
        camera->buffer_count = (int)index + 1;
        if (greenroom_v4l2_return(camera, (int)index) < 0) return GREENROOM_V4L2_REFUSED;
    }
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    return request(camera, VIDIOC_STREAMON, &type) < 0 ? GREENROOM_V4L2_REFUSED : 0;
}

int greenroom_v4l2_start(struct greenroom_v4l2_camera *camera, struct greenroom_v4l2_mode mode,
                         struct greenroom_v4l2_stream *result) {
    memset(result, 0, sizeof *result);
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    struct v4l2_pix_format *pixels = &format.fmt.pix;
    pixels->width = mode.width;
    pixels->height = mode.height;
    pixels->pixelformat = mode.format;
    pixels->field = V4L2_FIELD_NONE;
    if (request(camera, VIDIOC_S_FMT, &format) < 0) return GREENROOM_V4L2_REFUSED;
    errno = 0;
    if (pixels->width != mode.width || pixels->height != mode.height
        || pixels->pixelformat != mode.format)
        return GREENROOM_V4L2_OTHER_FORMAT;
    result->stride = pixels->bytesperline;
    result->is_bt709 = pixels->ycbcr_enc == V4L2_YCBCR_ENC_709
                       || (pixels->ycbcr_enc == V4L2_YCBCR_ENC_DEFAULT
                           && pixels->colorspace == V4L2_COLORSPACE_REC709);
    result->is_full_range = pixels->quantization == V4L2_QUANTIZATION_FULL_RANGE
                            || (pixels->quantization == V4L2_QUANTIZATION_DEFAULT
                                && pixels->colorspace == V4L2_COLORSPACE_JPEG);

    struct v4l2_streamparm parameters = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    parameters.parm.capture.timeperframe.numerator = mode.rate_denominator;
    parameters.parm.capture.timeperframe.denominator = mode.rate_numerator;
    // A camera without a choice has one rate.
    if (mode.rate_numerator && request(camera, VIDIOC_S_PARM, &parameters) == 0) {
        result->rate_numerator = parameters.parm.capture.timeperframe.denominator;
        result->rate_denominator = parameters.parm.capture.timeperframe.numerator;
    }
    int status = map_buffers(camera);
    if (status < 0) {
        int error = errno;
        greenroom_v4l2_stop(camera);
        errno = error;
    }
    return status;
}

int greenroom_v4l2_take(struct greenroom_v4l2_camera *camera, struct greenroom_v4l2_frame *frame) {
    struct v4l2_buffer buffer = {
        .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    memset(frame, 0, sizeof *frame);
    if (request(camera, VIDIOC_DQBUF, &buffer) < 0)
        return errno == EAGAIN ? 0 : GREENROOM_V4L2_REFUSED;
    if (buffer.index >= (uint32_t)camera->buffer_count) {
        errno = EPROTO;
        return GREENROOM_V4L2_REFUSED;
    }
    size_t size = camera->buffers[buffer.index].count;
    frame->buffer = (int)buffer.index;
    frame->bytes = camera->buffers[buffer.index].bytes;
    frame->count = buffer.bytesused < size ? buffer.bytesused : size;
    frame->sequence = buffer.sequence;
    frame->is_damaged = (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0 || buffer.bytesused > size;
    if ((buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC
        && buffer.timestamp.tv_sec >= 0 && buffer.timestamp.tv_sec < INT32_MAX)
        frame->monotonic_ns =
            (int64_t)buffer.timestamp.tv_sec * 1000000000 + buffer.timestamp.tv_usec * 1000;
    return 1;
}

int greenroom_v4l2_return(struct greenroom_v4l2_camera *camera, int index) {
    struct v4l2_buffer buffer = {.index = (uint32_t)index,
                                 .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                                 .memory = V4L2_MEMORY_MMAP};
    return request(camera, VIDIOC_QBUF, &buffer) < 0 ? GREENROOM_V4L2_REFUSED : 0;
}

void greenroom_v4l2_stop(struct greenroom_v4l2_camera *camera) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    request(camera, VIDIOC_STREAMOFF, &type);
    for (int index = 0; index < camera->buffer_count; index++)
        munmap(camera->buffers[index].bytes, camera->buffers[index].count);
    camera->buffer_count = 0;
    struct v4l2_requestbuffers none = {
        .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    request(camera, VIDIOC_REQBUFS, &none);
}
