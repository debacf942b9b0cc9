#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <string.h>

#include "internal.h"

// MARK: Into a pipeline

uint64_t greenroom_gst_waiting(GstElement *source)
{
    return gst_app_src_get_current_level_buffers(GST_APP_SRC(source));
}

static void push(GstElement *source, GstBuffer *owned)
{
    gst_app_src_push_buffer(GST_APP_SRC(source), owned);
}

void greenroom_gst_push(GstElement *source, GstBuffer *buffer)
{
    push(source, gst_buffer_ref(buffer));
}

// A plane in half the size: each sample the mean of four.
static void halve(
    const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, size_t width, gint rows)
{
    for (gint y = 0; y < rows; y++) {
        const uint8_t *below = from + from_stride;
        for (size_t x = 0; x < width; x++) {
            to[x] = (from[2 * x] + from[2 * x + 1] + below[2 * x] + below[2 * x + 1] + 2) / 4;
        }
        from += 2 * from_stride;
        to += to_stride;
    }
}

static void copy(
    const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, size_t width, gint rows)
{
    for (gint y = 0; y < rows; y++) {
        memcpy(to, from, width);
        from += from_stride;
        to += to_stride;
    }
}

GstBuffer *greenroom_gst_i420(
    const greenroom_gst_frame *frame, uint32_t width, uint32_t height, bool is_half,
    uint64_t pts, uint64_t duration)
{
    GstVideoInfo info;
    GstMapInfo map;
    guint factor = is_half ? 2 : 1;
    // Half sizes are even: of odd ones the colour would lie beyond the frame.
    if (width > frame->width / factor || height > frame->height / factor) return NULL;
    if (is_half && (width % 2 != 0 || height % 2 != 0)) return NULL;
    if (!gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, width, height)) return NULL;
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, info.size, NULL);
    if (!buffer) return NULL;
    if (!gst_buffer_map(buffer, &map, GST_MAP_WRITE)) {
        gst_buffer_unref(buffer);
        return NULL;
    }
    for (guint plane = 0; plane < 3; plane++) {
        (is_half ? halve : copy)(
            frame->planes[plane], frame->strides[plane],
            map.data + GST_VIDEO_INFO_PLANE_OFFSET(&info, plane),
            GST_VIDEO_INFO_PLANE_STRIDE(&info, plane), GST_VIDEO_INFO_COMP_WIDTH(&info, plane),
            GST_VIDEO_INFO_COMP_HEIGHT(&info, plane));
    }
    gst_buffer_unmap(buffer, &map);
    GST_BUFFER_PTS(buffer) = pts;
    GST_BUFFER_DURATION(buffer) = duration;
    return buffer;
}

void greenroom_gst_push_bytes(
    GstElement *source, const void *bytes, size_t count, uint64_t pts, uint64_t duration)
{
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, count, NULL);
    if (!buffer) return;
    gst_buffer_fill(buffer, 0, bytes, count);
    GST_BUFFER_PTS(buffer) = pts;
    GST_BUFFER_DURATION(buffer) = duration;
    push(source, buffer);
}

void greenroom_gst_request_key(GstElement *sink)
{
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    if (!pad) return;
    gst_pad_push_event(
        pad, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
    gst_object_unref(pad);
}

void greenroom_gst_set_offset(GstElement *sink, int64_t nanoseconds)
{
    g_object_set(sink, "ts-offset", (gint64)nanoseconds, NULL);
}

void greenroom_gst_set_open(GstElement *valve, bool is_open)
{
    g_object_set(valve, "drop", (gboolean)!is_open, NULL);
}

// MARK: Out of a pipeline

static void set_take(
    GstElement *sink, GstFlowReturn (*take)(GstAppSink *, gpointer), callback *called)
{
    GstAppSinkCallbacks callbacks = {.new_sample = take};
    gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, called, callback_free);
}

// UINT64_MAX for none.
static guint64 running_time(GstSample *sample)
{
    return gst_segment_to_running_time(
        gst_sample_get_segment(sample), GST_FORMAT_TIME,
        GST_BUFFER_PTS(gst_sample_get_buffer(sample)));
}

static GstFlowReturn take_frame(GstAppSink *sink, gpointer data)
{
    callback *called = data;
    GstSample *sample = gst_app_sink_pull_sample(sink);
    if (!sample) return GST_FLOW_EOS;
    GstVideoInfo info;
    GstVideoFrame mapped;
    GstBuffer *buffer = gst_sample_get_buffer(sample);
    GstCaps *caps = gst_sample_get_caps(sample);
    if (buffer && caps && gst_video_info_from_caps(&info, caps)
        && GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_I420
        && gst_video_frame_map(&mapped, &info, buffer, GST_MAP_READ)) {
        greenroom_gst_frame frame = {
            .width = GST_VIDEO_FRAME_WIDTH(&mapped), .height = GST_VIDEO_FRAME_HEIGHT(&mapped)};
        for (guint plane = 0; plane < 3; plane++) {
            frame.planes[plane] = GST_VIDEO_FRAME_PLANE_DATA(&mapped, plane);
            frame.strides[plane] = GST_VIDEO_FRAME_PLANE_STRIDE(&mapped, plane);
        }
        ((void (*)(void *, const greenroom_gst_frame *, uint64_t))called->function)(
            called->context.value, &frame, running_time(sample));
        gst_video_frame_unmap(&mapped);
    }
    gst_sample_unref(sample);
    return GST_FLOW_OK;
}

void greenroom_gst_on_frame(
    GstElement *sink, greenroom_gst_context context,
    void (*take)(void *value, const greenroom_gst_frame *frame, uint64_t time))
{
    set_take(sink, take_frame, callback_new(context, (void (*)(void))take));
}

static GstFlowReturn take_bytes(GstAppSink *sink, gpointer data)
{
    callback *called = data;
    GstSample *sample = gst_app_sink_pull_sample(sink);
    if (!sample) return GST_FLOW_EOS;
    GstBuffer *buffer = gst_sample_get_buffer(sample);
    GstMapInfo map;
    if (buffer && gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        ((void (*)(void *, const void *, size_t, uint64_t))called->function)(
            called->context.value, map.data, map.size, running_time(sample));
        gst_buffer_unmap(buffer, &map);
    }
    gst_sample_unref(sample);
    return GST_FLOW_OK;
}

void greenroom_gst_on_bytes(
    GstElement *sink, greenroom_gst_context context,
    void (*take)(void *value, const void *bytes, size_t count, uint64_t time))
{
    set_take(sink, take_bytes, callback_new(context, (void (*)(void))take));
}

static GstPadProbeReturn on_leaving(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    callback *called = data;
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    GstMapInfo map;
    if (!buffer || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return GST_PAD_PROBE_DROP;
    bool passes = ((bool (*)(void *, const uint8_t *, size_t, uint64_t))called->function)(
        called->context.value, map.data, map.size, GST_BUFFER_PTS(buffer));
    gst_buffer_unmap(buffer, &map);
    return passes ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

void greenroom_gst_filter(
    GstElement *element, greenroom_gst_context context,
    bool (*passes)(void *value, const uint8_t *bytes, size_t count, uint64_t pts))
{
    GstPad *pad = gst_element_get_static_pad(element, "src");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER, on_leaving,
        callback_new(context, (void (*)(void))passes), callback_free);
    gst_object_unref(pad);
}
