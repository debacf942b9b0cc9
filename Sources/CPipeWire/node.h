// The members that nodes of all kinds have.

#ifndef GREENROOM_CPIPEWIRE_NODE_H
#define GREENROOM_CPIPEWIRE_NODE_H

#include "CPipeWire.h"

#include <pipewire/pipewire.h>
#include <spa/utils/ringbuffer.h>
#include <stdatomic.h>

#define SAMPLE_RATE 48000u
// More than a second: the indices of a ring wrap at a power of two.
#define RING_FRAMES 65536u

struct greenroom_pipewire {
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct spa_hook core_listener;
    struct pw_stream *stream;
    struct spa_hook stream_listener;
    // Guarded by the loop's lock.
    greenroom_pipewire_reason reason;
    _Atomic int phase;

    // A camera's.
    uint32_t width, height;
    struct spa_fraction rate;
    uint64_t frames;

    // A screen's.
    struct greenroom_pipewire_image *image;
    // The frames of a camera of others.
    struct greenroom_pipewire_capture *capture;
    // The links from other programs.
    struct greenroom_pipewire_tap *tap;

    // A microphone's and a loudspeaker's. One thread writes to the ring, another one reads.
    uint32_t channels;
    int16_t *samples;
    struct spa_ringbuffer ring;
    // A program began to use the node: what is in the ring is old.
    _Atomic int is_fresh;
    // Whether enough samples wait to play, and whether that was true once since the program began.
    int is_primed, has_played;
    double level;
    // PipeWire may take it away while the data thread plays.
    _Atomic(struct spa_io_rate_match *) rate_match;
    _Atomic uint64_t silent, dropped;
};

// Makes a node without a stream, whose threads don't run yet.
//
// `descriptor` is connected to PipeWire, and belongs to the node from now on, even if this fails; or it is -1.
struct greenroom_pipewire *node_new(int descriptor, greenroom_pipewire_reason *reason);

// Adds the stream and starts the threads. Returns the node; or frees it and returns NULL.
struct greenroom_pipewire *node_start(
    struct greenroom_pipewire *node, const char *name, struct pw_properties *properties,
    const struct pw_stream_events *events, enum pw_direction direction,
    uint32_t target, enum pw_stream_flags flags, const struct spa_pod **formats,
    uint32_t format_count, greenroom_pipewire_reason *reason);

// Makes a node that other nodes' audio can be linked to.
struct greenroom_pipewire *audio_input(
    int descriptor, const char *name, uint32_t channels, greenroom_pipewire_reason *reason);

// The links of a node; NULL is allowed. The loop has stopped.
void tap_free(struct greenroom_pipewire_tap *tap);

// The frames of a camera of others; NULL is allowed.
void capture_free(struct greenroom_pipewire_capture *capture);

// The image of a node; NULL is allowed.
void image_free(struct greenroom_pipewire_image *image);

// The callback `state_changed` of all streams. `data` is the node.
void node_state_changed(
    void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error);

// Takes the newest buffer that has come, and gives back the others; NULL for none.
struct pw_buffer *node_newest_buffer(struct greenroom_pipewire *node);

#endif
