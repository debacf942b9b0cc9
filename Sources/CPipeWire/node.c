#include "node.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void initialize(void) { pw_init(NULL, NULL); }

static void set(greenroom_pipewire_reason *reason, const char *text) {
    snprintf(reason->text, sizeof reason->text, "%s", text);
}

// Called with the loop's lock. The first reason is the cause.
static void lose(struct greenroom_pipewire *node, const char *text) {
    if (node->reason.text[0] == 0) set(&node->reason, text);
    atomic_store(&node->phase, GREENROOM_PIPEWIRE_LOST);
    pw_thread_loop_signal(node->loop, false);
}

static void core_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    (void)message;
    // Other errors concern the stream, which has its own callback, or objects that no longer exist.
    if (id == PW_ID_CORE && result == -EPIPE) lose(data, "the connection ended");
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS,
    .error = core_error,
};

void node_state_changed(
    void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    struct greenroom_pipewire *node = data;
    if (atomic_load(&node->phase) == GREENROOM_PIPEWIRE_LOST) return;
    switch (state) {
    case PW_STREAM_STATE_ERROR:
        lose(node, error ? error : "PipeWire refused the node");
        return;
    case PW_STREAM_STATE_UNCONNECTED:
        if (old != PW_STREAM_STATE_UNCONNECTED) lose(node, "the connection ended");
        return;
    case PW_STREAM_STATE_CONNECTING:
        return;
    case PW_STREAM_STATE_PAUSED:
        atomic_store(&node->phase, GREENROOM_PIPEWIRE_IDLE);
        break;
    case PW_STREAM_STATE_STREAMING:
        atomic_store(&node->is_fresh, 1);
        atomic_store(&node->phase, GREENROOM_PIPEWIRE_STREAMING);
        break;
    }
    pw_thread_loop_signal(node->loop, false);
}

static void node_free(struct greenroom_pipewire *node) {
    if (node->loop) pw_thread_loop_stop(node->loop);
    tap_free(node->tap);
    if (node->stream) pw_stream_destroy(node->stream);
    if (node->core) {
        spa_hook_remove(&node->core_listener);
        pw_core_disconnect(node->core);
    }
    if (node->context) pw_context_destroy(node->context);
    if (node->loop) pw_thread_loop_destroy(node->loop);
    image_free(node->image);
    capture_free(node->capture);
    free(node->samples);
    free(node);
}

struct greenroom_pipewire *node_new(int descriptor, greenroom_pipewire_reason *reason) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize);

    struct greenroom_pipewire *node = calloc(1, sizeof *node);
    if (!node) {
        set(reason, strerror(errno));
        if (descriptor >= 0) close(descriptor);
        return NULL;
    }
    node->loop = pw_thread_loop_new("pipewire", NULL);
    // A sandboxed plugin can't reach the system bus, which would give the data thread its priority.
    struct pw_properties *properties =
        descriptor < 0 ? NULL : pw_properties_new("support.dbus", "false", NULL);
    if (node->loop)
        node->context = pw_context_new(pw_thread_loop_get_loop(node->loop), properties, 0);
    if (node->context)
        // PipeWire closes the descriptor.
        node->core = descriptor < 0
            ? pw_context_connect(node->context, NULL, 0)
            : pw_context_connect_fd(node->context, descriptor, NULL, 0);
    else if (descriptor >= 0)
        close(descriptor);
    if (!node->core) {
        set(reason, strerror(errno));
        node_free(node);
        return NULL;
    }
    pw_core_add_listener(node->core, &node->core_listener, &core_events, node);
    return node;
}

struct greenroom_pipewire *node_start(
    struct greenroom_pipewire *node, const char *name, struct pw_properties *properties,
    const struct pw_stream_events *events, enum pw_direction direction,
    uint32_t target, enum pw_stream_flags flags, const struct spa_pod **formats,
    uint32_t format_count, greenroom_pipewire_reason *reason) {
    int result = -ENOMEM;
    if (properties) {
        pw_properties_set(properties, PW_KEY_NODE_NAME, name);
        pw_properties_set(properties, PW_KEY_NODE_DESCRIPTION, name);
        pw_properties_set(properties, PW_KEY_NODE_VIRTUAL, "true");
        // Takes the properties.
        node->stream = pw_stream_new(node->core, name, properties);
    }
    if (node->stream) {
        pw_stream_add_listener(node->stream, &node->stream_listener, events, node);
        result = pw_stream_connect(
            node->stream, direction, target, flags | PW_STREAM_FLAG_MAP_BUFFERS, formats,
            format_count);
    }
    if (result >= 0) result = pw_thread_loop_start(node->loop);
    if (result >= 0) return node;
    set(reason, strerror(-result));
    node_free(node);
    return NULL;
}

struct pw_buffer *node_newest_buffer(struct greenroom_pipewire *node) {
    struct pw_buffer *newest = NULL, *next;
    while ((next = pw_stream_dequeue_buffer(node->stream))) {
        if (newest) pw_stream_queue_buffer(node->stream, newest);
        newest = next;
    }
    return newest;
}

void greenroom_pipewire_close(greenroom_pipewire *node) { node_free(node); }

int greenroom_pipewire_phase(const greenroom_pipewire *node) { return atomic_load(&node->phase); }

int greenroom_pipewire_wait(greenroom_pipewire *node, uint32_t milliseconds) {
    struct timespec end;
    pw_thread_loop_lock(node->loop);
    pw_thread_loop_get_time(node->loop, &end, (int64_t)milliseconds * SPA_NSEC_PER_MSEC);
    while (atomic_load(&node->phase) == GREENROOM_PIPEWIRE_CONNECTING) {
        if (pw_thread_loop_timed_wait_full(node->loop, &end) < 0) break;
    }
    pw_thread_loop_unlock(node->loop);
    return atomic_load(&node->phase);
}

greenroom_pipewire_reason greenroom_pipewire_loss(greenroom_pipewire *node) {
    pw_thread_loop_lock(node->loop);
    greenroom_pipewire_reason reason = node->reason;
    pw_thread_loop_unlock(node->loop);
    return reason;
}
