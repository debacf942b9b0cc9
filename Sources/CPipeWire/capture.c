// Video of a camera, in one of the formats that a session takes.

#include "node.h"

#include <errno.h>
#include <pthread.h>
#include <spa/param/video/format-utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The longest frame: 8192x8192 in 32 bits.
#define MOST_BYTES ((size_t)1 << 28)

// The newest frame. PipeWire's data thread writes it, any other one takes it.
struct greenroom_pipewire_capture {
    pthread_mutex_t mutex;
    uint8_t *bytes;
    size_t capacity;
    greenroom_pipewire_captured frame;
    int is_new;
    // The format of the stream now; 0 without one.
    uint32_t format, width, height;
    int is_bt709, is_full_range;
};

static const struct {
    uint32_t theirs, ours;
} formats[] = {
    {SPA_VIDEO_FORMAT_I420, GREENROOM_PIPEWIRE_I420}, {SPA_VIDEO_FORMAT_NV12, GREENROOM_PIPEWIRE_NV12},
    {SPA_VIDEO_FORMAT_YUY2, GREENROOM_PIPEWIRE_YUY2}, {SPA_VIDEO_FORMAT_UYVY, GREENROOM_PIPEWIRE_UYVY},
    {SPA_VIDEO_FORMAT_BGRx, GREENROOM_PIPEWIRE_BGRX}, {SPA_VIDEO_FORMAT_BGRA, GREENROOM_PIPEWIRE_BGRX},
    {SPA_VIDEO_FORMAT_RGBx, GREENROOM_PIPEWIRE_RGBX}, {SPA_VIDEO_FORMAT_RGBA, GREENROOM_PIPEWIRE_RGBX},
};

static void follow(struct greenroom_pipewire_capture *capture, const struct spa_pod *param) {
    uint32_t type, subtype;
    capture->format = 0;
    if (spa_format_parse(param, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_video) return;
    if (subtype == SPA_MEDIA_SUBTYPE_mjpg) {
        struct spa_video_info_mjpg mjpg = {0};
        if (spa_format_video_mjpg_parse(param, &mjpg) < 0) return;
        capture->format = GREENROOM_PIPEWIRE_MJPEG;
        capture->width = mjpg.size.width;
        capture->height = mjpg.size.height;
        return;
    }
    struct spa_video_info_raw raw = {0};
    if (subtype != SPA_MEDIA_SUBTYPE_raw || spa_format_video_raw_parse(param, &raw) < 0) return;
    for (size_t index = 0; index < SPA_N_ELEMENTS(formats); index++)
        if (formats[index].theirs == raw.format) capture->format = formats[index].ours;
    capture->width = raw.size.width;
    capture->height = raw.size.height;
    capture->is_bt709 = raw.color_matrix == SPA_VIDEO_COLOR_MATRIX_BT709;
    capture->is_full_range = raw.color_range == SPA_VIDEO_COLOR_RANGE_0_255;
}

static void format_changed(void *data, uint32_t id, const struct spa_pod *param) {
    struct greenroom_pipewire *node = data;
    if (!param || id != SPA_PARAM_Format) return;
    pthread_mutex_lock(&node->capture->mutex);
    follow(node->capture, param);
    pthread_mutex_unlock(&node->capture->mutex);
    uint8_t memory[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *buffers = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_dataType,
        SPA_POD_CHOICE_FLAGS_Int((1 << SPA_DATA_MemPtr) | (1 << SPA_DATA_MemFd)));
    pw_stream_update_params(node->stream, &buffers, 1);
}

// Appends the planes of a buffer, each where the one before it ends.
static void keep(struct greenroom_pipewire_capture *capture, const struct spa_buffer *buffer) {
    size_t count = 0;
    for (uint32_t plane = 0; plane < buffer->n_datas; plane++) {
        const struct spa_data *data = &buffer->datas[plane];
        size_t offset = SPA_MIN(data->chunk->offset, data->maxsize);
        size_t size = SPA_MIN(data->chunk->size, data->maxsize - offset);
        if (!data->data || size == 0 || size > MOST_BYTES - count
            || data->chunk->flags & SPA_CHUNK_FLAG_CORRUPTED)
            return;
        if (count + size > capture->capacity) {
            uint8_t *bytes = realloc(capture->bytes, count + size);
            if (!bytes) return;
            capture->bytes = bytes;
            capture->capacity = count + size;
        }
        memcpy(capture->bytes + count, SPA_PTROFF(data->data, offset, uint8_t), size);
        count += size;
    }
    int32_t stride = buffer->n_datas ? buffer->datas[0].chunk->stride : 0;
    capture->frame = (greenroom_pipewire_captured){
        .format = capture->format, .width = capture->width, .height = capture->height,
        .stride = stride > 0 ? (uint32_t)stride : 0, .count = count,
        .is_bt709 = capture->is_bt709, .is_full_range = capture->is_full_range};
    capture->is_new = count > 0 && capture->format != 0;
}

static void take_buffer(void *data) {
    struct greenroom_pipewire *node = data;
    struct pw_buffer *newest = node_newest_buffer(node);
    if (!newest) return;
    pthread_mutex_lock(&node->capture->mutex);
    keep(node->capture, newest->buffer);
    pthread_mutex_unlock(&node->capture->mutex);
    pw_stream_queue_buffer(node->stream, newest);
}

static const struct pw_stream_events capture_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = node_state_changed,
    .param_changed = format_changed,
    .process = take_buffer,
};

void capture_free(struct greenroom_pipewire_capture *capture) {
    if (!capture) return;
    pthread_mutex_destroy(&capture->mutex);
    free(capture->bytes);
    free(capture);
}

greenroom_pipewire *greenroom_pipewire_capture(
    int descriptor, const char *name, const char *target, uint32_t width, uint32_t height,
    uint32_t rate_numerator, uint32_t rate_denominator, greenroom_pipewire_reason *reason) {
    struct greenroom_pipewire *node = node_new(descriptor, reason);
    if (!node) return NULL;
    node->capture = calloc(1, sizeof *node->capture);
    if (!node->capture) {
        snprintf(reason->text, sizeof reason->text, "%s", strerror(errno));
        greenroom_pipewire_close(node);
        return NULL;
    }
    pthread_mutex_init(&node->capture->mutex, NULL);
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_rectangle size = SPA_RECTANGLE(width, height);
    struct spa_fraction rate = SPA_FRACTION(rate_numerator, rate_denominator);
    // PipeWire uses the first format that the camera has.
    const struct spa_pod *choices[] = {
        spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType,
            SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
            SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format,
            SPA_POD_CHOICE_ENUM_Id(
                9, SPA_VIDEO_FORMAT_I420, SPA_VIDEO_FORMAT_I420, SPA_VIDEO_FORMAT_NV12,
                SPA_VIDEO_FORMAT_YUY2, SPA_VIDEO_FORMAT_UYVY, SPA_VIDEO_FORMAT_BGRx,
                SPA_VIDEO_FORMAT_BGRA, SPA_VIDEO_FORMAT_RGBx, SPA_VIDEO_FORMAT_RGBA),
            SPA_FORMAT_VIDEO_size,
            SPA_POD_CHOICE_RANGE_Rectangle(&size, &SPA_RECTANGLE(1, 1), &SPA_RECTANGLE(4096, 4096)),
            SPA_FORMAT_VIDEO_framerate,
            SPA_POD_CHOICE_RANGE_Fraction(&rate, &SPA_FRACTION(0, 1), &SPA_FRACTION(240, 1))),
        spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType,
            SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
            SPA_POD_Id(SPA_MEDIA_SUBTYPE_mjpg), SPA_FORMAT_VIDEO_size,
            SPA_POD_CHOICE_RANGE_Rectangle(&size, &SPA_RECTANGLE(1, 1), &SPA_RECTANGLE(4096, 4096)),
            SPA_FORMAT_VIDEO_framerate,
            SPA_POD_CHOICE_RANGE_Fraction(&rate, &SPA_FRACTION(0, 1), &SPA_FRACTION(240, 1))),
    };
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY, "Capture", PW_KEY_MEDIA_ROLE, "Camera",
        NULL);
    if (properties && *target) pw_properties_set(properties, PW_KEY_TARGET_OBJECT, target);
    return node_start(
        node, name, properties, &capture_events, PW_DIRECTION_INPUT, PW_ID_ANY,
        PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_DONT_RECONNECT, choices,
        SPA_N_ELEMENTS(choices), reason);
}

int greenroom_pipewire_read_capture(
    greenroom_pipewire *node, uint8_t *bytes, size_t capacity,
    greenroom_pipewire_captured *frame) {
    struct greenroom_pipewire_capture *capture = node->capture;
    pthread_mutex_lock(&capture->mutex);
    int is_new = capture->is_new;
    *frame = capture->frame;
    if (is_new && capture->frame.count <= capacity) {
        memcpy(bytes, capture->bytes, capture->frame.count);
        capture->is_new = 0;
    }
    pthread_mutex_unlock(&capture->mutex);
    return is_new;
}
