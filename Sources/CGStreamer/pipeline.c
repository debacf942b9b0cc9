#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

callback *callback_new(greenroom_gst_context context, void (*function)(void))
{
    callback *made = g_new0(callback, 1);
    made->context = context;
    made->function = function;
    return made;
}

void callback_free(gpointer data)
{
    callback *freed = data;
    freed->context.release(freed->context.value);
    g_free(freed);
}

char *greenroom_gst_start(void)
{
    if (gst_is_initialized()) return NULL;
    // A registry is a file that this process need not be allowed to write, and it would load every
    // plugin of the machine.
    setenv("GST_REGISTRY_DISABLE", "yes", 1);
    // In a sandbox GLib would look for the user's home, and liborc for a place for code that it
    // makes, which nothing here needs.
    setenv("HOME", "/", 0);
    setenv("ORC_CODE", "backup", 0);
    // GStreamer begins seven threads for each person, and the sandbox counts their stacks as memory: 8 MB each
    // by default. Codecs and TLS need far less. The new default applies to all later threads of the process.
    pthread_attr_t attributes;
    if (!pthread_getattr_default_np(&attributes)) {
        pthread_attr_setstacksize(&attributes, 1 << 20);
        pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
    GError *error = NULL;
    if (gst_init_check(NULL, NULL, &error)) return NULL;
    char *text = strdup(error ? error->message : "GStreamer does not start");
    g_clear_error(&error);
    return text;
}

bool greenroom_gst_load(const char *name)
{
    // The plugins lie beside the library.
    Dl_info info;
    if (!dladdr((void *)gst_init_check, &info) || !info.dli_fname) return false;
    char *library = strdup(info.dli_fname);
    char *path = g_strdup_printf("%s/gstreamer-1.0/libgst%s.so", dirname(library), name);
    GstPlugin *plugin = gst_plugin_load_file(path, NULL);
    g_free(path);
    free(library);
    if (!plugin) return false;
    gst_object_unref(plugin);
    return true;
}

void greenroom_gst_make_certificate(void)
{
    certificate_of_process();
    // Replace GStreamer's own certificate, which each dtlsdec has at first.
    GstElement *decoder = gst_element_factory_make("dtlsdec", NULL);
    if (!decoder) return;
    char *pem = NULL;
    g_object_get(decoder, "pem", &pem, NULL);
    g_free(pem);
    gst_object_unref(decoder);
}

uint64_t greenroom_gst_now(void)
{
    // For each packet, the system clock's lock would cost more than its time.
    static gsize clock = 0;
    if (g_once_init_enter(&clock)) g_once_init_leave(&clock, (gsize)gst_system_clock_obtain());
    return gst_clock_get_time((GstClock *)clock);
}

GstElement *greenroom_gst_pipeline(const char *description, char **why)
{
    GError *error = NULL;
    GstElement *made =
        gst_parse_launch_full(description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
    if (!made) {
        *why = strdup(error ? error->message : "no pipeline");
        g_clear_error(&error);
        return NULL;
    }
    if (!GST_IS_PIPELINE(made)) {
        // One element alone.
        GstElement *pipeline = gst_pipeline_new(NULL);
        gst_bin_add(GST_BIN(pipeline), made);
        made = pipeline;
    }
    return gst_object_ref_sink(made);
}

bool greenroom_gst_play(GstElement *pipeline, uint64_t base)
{
    GstClock *clock = gst_system_clock_obtain();
    gst_pipeline_use_clock(GST_PIPELINE(pipeline), clock);
    gst_object_unref(clock);
    gst_element_set_start_time(pipeline, GST_CLOCK_TIME_NONE);
    gst_element_set_base_time(pipeline, base);
    return gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
}

void greenroom_gst_stop(GstElement *pipeline)
{
    gst_element_set_state(pipeline, GST_STATE_NULL);
    // Lets go of the context.
    GstBus *bus = gst_pipeline_get_bus(GST_PIPELINE(pipeline));
    gst_bus_set_sync_handler(bus, NULL, NULL, NULL);
    gst_object_unref(bus);
    gst_object_unref(pipeline);
}

static GstBusSyncReply on_message(GstBus *bus, GstMessage *message, gpointer data)
{
    callback *called = data;
    bool is_error = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
    if (is_error || GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
        GError *error = NULL;
        (is_error ? gst_message_parse_error : gst_message_parse_warning)(message, &error, NULL);
        char *source = message->src ? gst_object_get_name(message->src) : NULL;
        char *text = g_strdup_printf(
            "%s: %s", source ? source : "pipeline", error ? error->message : "failed");
        ((void (*)(void *, const char *, bool))called->function)(
            called->context.value, text, is_error);
        g_free(text);
        g_free(source);
        g_clear_error(&error);
    }
    // No loop reads the bus.
    gst_message_unref(message);
    return GST_BUS_DROP;
}

void greenroom_gst_on_report(
    GstElement *pipeline, greenroom_gst_context context,
    void (*report)(void *value, const char *text, bool is_error))
{
    GstBus *bus = gst_pipeline_get_bus(GST_PIPELINE(pipeline));
    gst_bus_set_sync_handler(
        bus, on_message, callback_new(context, (void (*)(void))report), callback_free);
    gst_object_unref(bus);
}

GstElement *greenroom_gst_child(GstElement *pipeline, const char *name)
{
    return gst_bin_get_by_name(GST_BIN(pipeline), name);
}

void greenroom_gst_unref(GstElement *element) { gst_object_unref(element); }

void greenroom_gst_buffer_unref(GstBuffer *buffer) { gst_buffer_unref(buffer); }
