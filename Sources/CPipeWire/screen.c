// Video that another node sends: a screen that the desktop's portal shares.

#include "node.h"

#include <errno.h>
#include <pthread.h>
#include <spa/param/video/format-utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The newest image. PipeWire's data thread writes it, any other one takes it.
struct greenroom_pipewire_image {
    pthread_mutex_t mutex;
    uint8_t *pixels;
    size_t capacity;
    uint32_t width, height;
    int has_blue_first, is_new;
    // The format of the stream now.
    struct spa_video_info_raw format;
};

static void format_changed(void *data, uint32_t id, const struct spa_pod *param) {
    struct greenroom_pipewire *node = data;
    if (!param || id != SPA_PARAM_Format) return;
    struct spa_video_info_raw format;
    memset(&format, 0, sizeof format);
    if (spa_format_video_raw_parse(param, &format) < 0) return;
    pthread_mutex_lock(&node->image->mutex);
    node->image->format = format;
    pthread_mutex_unlock(&node->image->mutex);
    uint8_t memory[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *buffers = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_dataType,
        SPA_POD_CHOICE_FLAGS_Int((1 << SPA_DATA_MemPtr) | (1 << SPA_DATA_MemFd)));
    pw_stream_update_params(node->stream, &buffers, 1);
}

// Copies rows without padding.
static void keep(struct greenroom_pipewire_image *image, const struct spa_data *data) {
    uint32_t width = image->format.size.width, height = image->format.size.height;
    if (width == 0 || height == 0 || width > 8192 || height > 8192) return;
    size_t row = (size_t)width * 4;
    size_t stride = data->chunk->stride > 0 ? (size_t)data->chunk->stride : row;
    size_t offset = SPA_MIN(data->chunk->offset, data->maxsize);
    // An empty chunk: nothing new.
    if (!data->data || data->chunk->size == 0 || stride < row) return;
    if (stride * (height - 1) + row > data->maxsize - offset) return;
    if (row * height > image->capacity) {
        uint8_t *pixels = realloc(image->pixels, row * height);
        if (!pixels) return;
        image->pixels = pixels;
        image->capacity = row * height;
    }
    for (uint32_t y = 0; y < height; y++)
        memcpy(
            image->pixels + y * row, SPA_PTROFF(data->data, offset + y * stride, uint8_t), row);
    image->width = width;
    image->height = height;
    image->has_blue_first = image->format.format == SPA_VIDEO_FORMAT_BGRx
        || image->format.format == SPA_VIDEO_FORMAT_BGRA;
    image->is_new = 1;
}

static void take_buffer(void *data) {
    struct greenroom_pipewire *node = data;
    struct pw_buffer *newest = node_newest_buffer(node);
    if (!newest) return;
    pthread_mutex_lock(&node->image->mutex);
    keep(node->image, &newest->buffer->datas[0]);
    pthread_mutex_unlock(&node->image->mutex);
    pw_stream_queue_buffer(node->stream, newest);
}

static const struct pw_stream_events screen_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = node_state_changed,
    .param_changed = format_changed,
    .process = take_buffer,
};

void image_free(struct greenroom_pipewire_image *image) {
    if (!image) return;
    pthread_mutex_destroy(&image->mutex);
    free(image->pixels);
    free(image);
}

greenroom_pipewire *greenroom_pipewire_screen(
    int descriptor, const char *name, uint32_t target, greenroom_pipewire_reason *reason) {
    struct greenroom_pipewire *node = node_new(descriptor, reason);
    if (!node) return NULL;
    node->image = calloc(1, sizeof *node->image);
    if (!node->image) {
        snprintf(reason->text, sizeof reason->text, "%s", strerror(errno));
        greenroom_pipewire_close(node);
        return NULL;
    }
    pthread_mutex_init(&node->image->mutex, NULL);
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *format = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType,
        SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
        SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format,
        SPA_POD_CHOICE_ENUM_Id(
            5, SPA_VIDEO_FORMAT_BGRx, SPA_VIDEO_FORMAT_BGRx, SPA_VIDEO_FORMAT_BGRA,
            SPA_VIDEO_FORMAT_RGBx, SPA_VIDEO_FORMAT_RGBA),
        SPA_FORMAT_VIDEO_size,
        SPA_POD_CHOICE_RANGE_Rectangle(
            &SPA_RECTANGLE(1920, 1080), &SPA_RECTANGLE(1, 1), &SPA_RECTANGLE(8192, 8192)),
        SPA_FORMAT_VIDEO_framerate,
        SPA_POD_CHOICE_RANGE_Fraction(
            &SPA_FRACTION(30, 1), &SPA_FRACTION(0, 1), &SPA_FRACTION(240, 1)));
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY, "Capture", PW_KEY_MEDIA_ROLE, "Screen",
        NULL);
    return node_start(
        node, name, properties, &screen_events, PW_DIRECTION_INPUT, target,
        PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_DONT_RECONNECT, &format, 1, reason);
}

int greenroom_pipewire_read_image(
    greenroom_pipewire *node, uint8_t *pixels, size_t capacity, uint32_t *width, uint32_t *height,
    int *has_blue_first) {
    struct greenroom_pipewire_image *image = node->image;
    pthread_mutex_lock(&image->mutex);
    size_t needed = (size_t)image->width * image->height * 4;
    int is_new = image->is_new;
    *width = image->width;
    *height = image->height;
    *has_blue_first = image->has_blue_first;
    if (is_new && needed <= capacity) {
        memcpy(pixels, image->pixels, needed);
        image->is_new = 0;
    }
    pthread_mutex_unlock(&image->mutex);
    return is_new;
}
