#define _GNU_SOURCE
#include "CFakeCamera.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFERS = 4 };

static int refuse(int error) {
    errno = error;
    return -1;
}

static const struct {
    uint32_t format, width, height, rates[2];
} modes[] = {
    {V4L2_PIX_FMT_YUYV, 640, 480, {30, 15}},
    {V4L2_PIX_FMT_YUYV, 1280, 720, {10, 0}},
    {V4L2_PIX_FMT_MJPEG, 1280, 720, {30, 0}},
    {V4L2_PIX_FMT_H264, 1920, 1080, {30, 0}},
};

static int enumerate_formats(struct v4l2_fmtdesc *format) {
    static const uint32_t formats[] = {V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_MJPEG, V4L2_PIX_FMT_H264};
    if (format->index >= 3) return refuse(EINVAL);
    format->pixelformat = formats[format->index];
    return 0;
}

static int enumerate_sizes(struct fake_camera *fake, struct v4l2_frmsizeenum *size) {
    if (fake->has_stepwise_sizes) {
        size->type = V4L2_FRMSIZE_TYPE_STEPWISE;
        size->stepwise = (struct v4l2_frmsize_stepwise){320, 1280, 320, 180, 720, 180};
        return size->index ? refuse(EINVAL) : 0;
    }
    if (fake->has_many_sizes) {
        size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
        size->discrete.width = 16 * (size->index + 1);
        size->discrete.height = 16;
        return size->index < 200 ? 0 : refuse(EINVAL);
    }
    uint32_t index = 0;
    for (int mode = 0; mode < 4; mode++)
        if (modes[mode].format == size->pixel_format && index++ == size->index) {
            size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
            size->discrete.width = modes[mode].width;
            size->discrete.height = modes[mode].height;
            return 0;
        }
    return refuse(EINVAL);
}

static int enumerate_rates(struct fake_camera *fake, struct v4l2_frmivalenum *rate) {
    if (fake->has_stepwise_sizes) {
        rate->type = V4L2_FRMIVAL_TYPE_CONTINUOUS;
        rate->stepwise.min = (struct v4l2_fract){1, 60};
        rate->stepwise.max = (struct v4l2_fract){1, 1};
        return rate->index ? refuse(EINVAL) : 0;
    }
    for (int mode = 0; mode < 4; mode++)
        if (modes[mode].format == rate->pixel_format && modes[mode].width == rate->width
            && rate->index < 2 && modes[mode].rates[rate->index]) {
            rate->type = V4L2_FRMIVAL_TYPE_DISCRETE;
            rate->discrete = (struct v4l2_fract){1, modes[mode].rates[rate->index]};
            return 0;
        }
    return refuse(EINVAL);
}

static const uint32_t ids[4] = {V4L2_CID_FOCUS_ABSOLUTE, V4L2_CID_FOCUS_AUTO,
                                V4L2_CID_EXPOSURE_ABSOLUTE, V4L2_CID_EXPOSURE_AUTO};

static int control_index(uint32_t id) {
    for (int index = 0; index < 4; index++)
        if (ids[index] == id) return index;
    return -1;
}

static int query_control(struct v4l2_queryctrl *control) {
    static const struct v4l2_queryctrl ranges[4] = {
        {.type = V4L2_CTRL_TYPE_INTEGER, .maximum = 250, .step = 5},
        {.type = V4L2_CTRL_TYPE_BOOLEAN, .maximum = 1, .step = 1, .default_value = 1},
        {.type = V4L2_CTRL_TYPE_INTEGER, .minimum = 3, .maximum = 2047, .step = 1,
         .default_value = 250},
        {.type = V4L2_CTRL_TYPE_MENU, .maximum = 3, .step = 1, .default_value = 3},
    };
    int index = control_index(control->id);
    if (index < 0) return refuse(EINVAL);
    uint32_t id = control->id;
    *control = ranges[index];
    control->id = id;
    return 0;
}

static int dequeue(struct fake_camera *fake, struct v4l2_buffer *buffer) {
    if (fake->is_gone) return refuse(ENODEV);
    if (!fake->frames_ready || !fake->buffers_queued) return refuse(EAGAIN);
    fake->frames_ready--;
    fake->buffers_queued--;
    buffer->index = fake->sequence % BUFFERS;
    buffer->sequence = fake->sequence++;
    buffer->bytesused = 16;
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->timestamp.tv_sec = 1;
    buffer->timestamp.tv_usec = (int)buffer->sequence;
    // The third frame was damaged on its way.
    if (buffer->sequence == 2) buffer->flags |= V4L2_BUF_FLAG_ERROR;
    return 0;
}

static int answer(void *context, int descriptor, unsigned long request, void *argument) {
    (void)descriptor;
    struct fake_camera *fake = context;
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *capability = argument;
        strcpy((char *)capability->card, "Fake camera");
        strcpy((char *)capability->driver, "fake");
        strcpy((char *)capability->bus_info, "nowhere");
        capability->capabilities =
            V4L2_CAP_STREAMING
            | (fake->is_no_camera     ? V4L2_CAP_VIDEO_OUTPUT
               : fake->is_multiplanar ? V4L2_CAP_VIDEO_CAPTURE_MPLANE : V4L2_CAP_VIDEO_CAPTURE);
        return 0;
    }
    case VIDIOC_ENUM_FMT: return enumerate_formats(argument);
    case VIDIOC_ENUM_FRAMESIZES: return enumerate_sizes(fake, argument);
    case VIDIOC_ENUM_FRAMEINTERVALS: return enumerate_rates(fake, argument);
    case VIDIOC_QUERYCTRL: return query_control(argument);
    case VIDIOC_QUERYMENU: {
        struct v4l2_querymenu *menu = argument;
        return menu->index == 1 || menu->index == 3 ? 0 : refuse(EINVAL);
    }
    case VIDIOC_G_CTRL:
    case VIDIOC_S_CTRL: {
        struct v4l2_control *control = argument;
        int index = control_index(control->id);
        if (index < 0) return refuse(EINVAL);
        if (request == VIDIOC_S_CTRL) fake->controls[index] = control->value;
        control->value = fake->controls[index];
        return 0;
    }
    case VIDIOC_S_FMT: {
        if (fake->is_busy) return refuse(EBUSY);
        struct v4l2_pix_format *pixels = &((struct v4l2_format *)argument)->fmt.pix;
        fake->format = pixels->pixelformat;
        fake->width = pixels->width;
        fake->height = pixels->height;
        pixels->bytesperline = pixels->width * 2;
        pixels->colorspace = V4L2_COLORSPACE_REC709;
        pixels->quantization = V4L2_QUANTIZATION_FULL_RANGE;
        return 0;
    }
    case VIDIOC_S_PARM: {
        struct v4l2_fract *interval =
            &((struct v4l2_streamparm *)argument)->parm.capture.timeperframe;
        fake->rate_numerator = interval->denominator;
        fake->rate_denominator = interval->numerator;
        return 0;
    }
    case VIDIOC_REQBUFS: {
        struct v4l2_requestbuffers *buffers = argument;
        if (buffers->count > BUFFERS) buffers->count = BUFFERS;
        fake->buffers_queued = 0;
        return 0;
    }
    case VIDIOC_QUERYBUF: {
        struct v4l2_buffer *buffer = argument;
        buffer->length = FAKE_CAMERA_BUFFER;
        buffer->m.offset = buffer->index * FAKE_CAMERA_BUFFER;
        return 0;
    }
    case VIDIOC_QBUF: fake->buffers_queued++; return 0;
    case VIDIOC_DQBUF: return dequeue(fake, argument);
    case VIDIOC_STREAMON: fake->is_streaming = 1; return 0;
    case VIDIOC_STREAMOFF: fake->is_streaming = 0; return 0;
    default: return refuse(ENOTTY);
    }
}

int fake_camera_open(struct fake_camera *fake) {
    memset(fake, 0, sizeof *fake);
    int descriptor = memfd_create("fake camera", MFD_CLOEXEC);
    unsigned char bytes[FAKE_CAMERA_BUFFER];
    for (int index = 0; index < BUFFERS; index++) {
        memset(bytes, index, sizeof bytes);
        if (write(descriptor, bytes, sizeof bytes) < 0) return -1;
    }
    return descriptor;
}

struct greenroom_v4l2_camera fake_camera_handle(struct fake_camera *fake, int descriptor) {
    return (struct greenroom_v4l2_camera){
        .descriptor = descriptor, .ioctl = answer, .context = fake};
}
