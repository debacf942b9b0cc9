#include "node.h"

#include <spa/param/video/format-utils.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

// Enough buffers that programs may hold some of them.
#define BUFFERS 8
// Frames that wait for a program that takes them at its own rhythm.
#define MOST_QUEUED 2

static uint32_t frame_bytes(const struct greenroom_pipewire *node) {
    return node->width * node->height + 2 * (node->width / 2) * ((node->height + 1) / 2);
}

static void param_changed(void *data, uint32_t id, const struct spa_pod *param) {
    struct greenroom_pipewire *node = data;
    if (!param || id != SPA_PARAM_Format) return;
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[2];
    params[0] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers,
        SPA_PARAM_BUFFERS_buffers, SPA_POD_CHOICE_RANGE_Int(BUFFERS, 2, 16),
        SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1),
        SPA_PARAM_BUFFERS_size, SPA_POD_Int((int)frame_bytes(node)),
        SPA_PARAM_BUFFERS_stride, SPA_POD_Int((int)node->width),
        SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int(1 << SPA_DATA_MemFd));
    params[1] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta,
        SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),
        SPA_PARAM_META_size, SPA_POD_Int(sizeof(struct spa_meta_header)));
    pw_stream_update_params(node->stream, params, 2);
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = node_state_changed,
    .param_changed = param_changed,
};

greenroom_pipewire *greenroom_pipewire_camera(
    const char *name, uint32_t width, uint32_t height, uint32_t rate_numerator,
    uint32_t rate_denominator, greenroom_pipewire_reason *reason) {
    struct greenroom_pipewire *node = node_new(-1, reason);
    if (!node) return NULL;
    node->width = width;
    node->height = height;
    node->rate = SPA_FRACTION(rate_numerator, rate_denominator);
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *format = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat,
        SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw),
        SPA_FORMAT_VIDEO_format, SPA_POD_Id(SPA_VIDEO_FORMAT_I420),
        SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&SPA_RECTANGLE(width, height)),
        SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&node->rate),
        SPA_FORMAT_VIDEO_colorRange, SPA_POD_Id(SPA_VIDEO_COLOR_RANGE_16_235),
        SPA_FORMAT_VIDEO_colorMatrix, SPA_POD_Id(SPA_VIDEO_COLOR_MATRIX_BT601));
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_CLASS, "Video/Source", PW_KEY_MEDIA_ROLE, "Camera", NULL);
    return node_start(
        node, name, properties, &events, PW_DIRECTION_OUTPUT, PW_ID_ANY, PW_STREAM_FLAG_DRIVER, &format,
        1, reason);
}

// Returns where the next plane begins.
static uint8_t *copy_plane(
    uint8_t *target, const uint8_t *source, size_t stride, size_t width, size_t height) {
    if (stride == width) {
        memcpy(target, source, width * height);
    } else {
        for (size_t row = 0; row < height; row++)
            memcpy(target + row * width, source + row * stride, width);
    }
    return target + width * height;
}

static void copy_frame(
    const struct greenroom_pipewire *node, uint8_t *target, greenroom_pipewire_frame frame) {
    size_t width = node->width / 2, height = (node->height + 1) / 2;
    target = copy_plane(target, frame.y, frame.y_stride, node->width, node->height);
    target = copy_plane(target, frame.u, frame.u_stride, width, height);
    copy_plane(target, frame.v, frame.v_stride, width, height);
}

// With the loop's lock.
static int write_frame(struct greenroom_pipewire *node, greenroom_pipewire_frame frame) {
    struct pw_time time;
    // The program is paced by another device, or stands still: old frames would only be late.
    if (pw_stream_get_time_n(node->stream, &time, sizeof time) == 0
        && time.queued_buffers >= MOST_QUEUED)
        return GREENROOM_PIPEWIRE_BUSY;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(node->stream);
    if (!buffer) return GREENROOM_PIPEWIRE_BUSY;
    struct spa_data *data = &buffer->buffer->datas[0];
    uint32_t bytes = frame_bytes(node);
    // Return a buffer that is too small, empty.
    bool fits = data->data && data->maxsize >= bytes;
    if (fits) copy_frame(node, data->data, frame);
    data->chunk->size = fits ? bytes : 0;
    data->chunk->offset = 0;
    data->chunk->stride = (int32_t)node->width;
    struct spa_meta_header *header = spa_buffer_find_meta_data(
        buffer->buffer, SPA_META_Header, sizeof *header);
    if (header) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        header->flags = 0;
        header->offset = 0;
        header->pts = SPA_TIMESPEC_TO_NSEC(&now);
        header->dts_offset = 0;
        header->seq = node->frames++;
    }
    pw_stream_queue_buffer(node->stream, buffer);
    pw_stream_trigger_process(node->stream);
    return fits ? GREENROOM_PIPEWIRE_WRITTEN : GREENROOM_PIPEWIRE_BUSY;
}

int greenroom_pipewire_write_frame(
    greenroom_pipewire *node, greenroom_pipewire_frame frame) {
    int result = GREENROOM_PIPEWIRE_UNUSED;
    if (!frame.y || !frame.u || !frame.v) return result;
    pw_thread_loop_lock(node->loop);
    if (atomic_load(&node->phase) == GREENROOM_PIPEWIRE_STREAMING)
        result = write_frame(node, frame);
    pw_thread_loop_unlock(node->loop);
    return result;
}
