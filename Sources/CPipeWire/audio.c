#include "node.h"

#include <errno.h>
#include <spa/param/audio/format-utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The longest cycle that the nodes ask for: 21 ms.
#define LONGEST_CYCLE "1024/48000"
// The samples that wait in the ring after each cycle's read: 30 ms. A session delivers blocks of
// 10 ms, and its thread may be late.
#define MARGIN_FRAMES (SAMPLE_RATE * 30 / 1000)
// The limit of samples above the target, 200 ms; the oldest samples beyond are dropped.
#define EXCESS_FRAMES (SAMPLE_RATE / 5)
// The largest difference between two clocks, 0.2 %: crystals are more precise.
#define MOST_CORRECTION 0.002

static uint32_t frame_bytes(const struct greenroom_pipewire *node) {
    return node->channels * (uint32_t)sizeof(int16_t);
}

static void count(_Atomic uint64_t *counter, uint64_t frames) {
    if (frames > 0) atomic_fetch_add_explicit(counter, frames, memory_order_relaxed);
}

// The indices of the ring count frames.
static void ring_write(
    struct greenroom_pipewire *node, uint32_t index, const int16_t *samples, uint32_t frames) {
    uint32_t bytes = frame_bytes(node);
    spa_ringbuffer_write_data(
        &node->ring, node->samples, RING_FRAMES * bytes, (index % RING_FRAMES) * bytes, samples,
        frames * bytes);
    spa_ringbuffer_write_update(&node->ring, (int32_t)(index + frames));
}

static void ring_read(
    struct greenroom_pipewire *node, uint32_t index, int16_t *samples, uint32_t frames) {
    uint32_t bytes = frame_bytes(node);
    spa_ringbuffer_read_data(
        &node->ring, node->samples, RING_FRAMES * bytes, (index % RING_FRAMES) * bytes, samples,
        frames * bytes);
    spa_ringbuffer_read_update(&node->ring, (int32_t)(index + frames));
}

// The writer's side. Samples without room are lost.
static void append(struct greenroom_pipewire *node, const int16_t *samples, uint32_t frames) {
    uint32_t index;
    int32_t filled = spa_ringbuffer_get_write_index(&node->ring, &index);
    int is_within = filled >= 0 && filled <= (int32_t)RING_FRAMES;
    uint32_t room = is_within ? RING_FRAMES - (uint32_t)filled : 0;
    uint32_t taken = SPA_MIN(frames, room);
    count(&node->dropped, frames - taken);
    ring_write(node, index, samples, taken);
}

// MARK: Microphone

// Keeps the ring at its target level by resampling slightly, even if the clocks of the graph and of the
// session differ.
static void follow(
    struct greenroom_pipewire *node, uint32_t available, uint32_t target, uint32_t frames) {
    struct spa_io_rate_match *rate_match = atomic_load(&node->rate_match);
    if (!rate_match) return;
    // A mean of about two seconds; a deviation is gone after 20.
    double weight = SPA_MIN(frames / (2.0 * SAMPLE_RATE), 1.0);
    node->level += ((double)available - node->level) * weight;
    double correction = (node->level - target) / SAMPLE_RATE * 0.05;
    correction = SPA_CLAMP(correction, -MOST_CORRECTION, MOST_CORRECTION);
    SPA_FLAG_SET(rate_match->flags, SPA_IO_RATE_MATCH_FLAG_ACTIVE);
    rate_match->rate = 1.0 / (1.0 + correction);
}

// Fills the next buffer of the graph. Runs on PipeWire's data thread.
static void play(struct greenroom_pipewire *node, int16_t *samples, uint32_t frames) {
    uint32_t index;
    int32_t filled = spa_ringbuffer_get_read_index(&node->ring, &index);
    uint32_t available = filled > 0 ? (uint32_t)filled : 0;
    if (atomic_exchange(&node->is_fresh, 0)) {
        spa_ringbuffer_read_update(&node->ring, (int32_t)(index + available));
        index += available;
        available = 0;
        node->is_primed = 0;
        node->has_played = 0;
    }
    uint32_t target = frames + MARGIN_FRAMES;
    uint32_t read = 0;
    if (!node->is_primed && available >= target) {
        // Begin at the target level, because older samples would only be late.
        index += available - target;
        available = target;
        node->is_primed = 1;
        node->has_played = 1;
        node->level = target;
    }
    if (node->is_primed) {
        if (available > target + EXCESS_FRAMES) {
            uint32_t excess = available - target;
            count(&node->dropped, excess);
            index += excess;
            available = target;
            node->level = target;
        }
        follow(node, available, target, frames);
        read = SPA_MIN(frames, available);
        ring_read(node, index, samples, read);
        node->is_primed = read == frames;
    }
    if (node->has_played) count(&node->silent, frames - read);
    memset(samples + (size_t)read * node->channels, 0, (size_t)(frames - read) * frame_bytes(node));
}

static void play_buffer(void *data) {
    struct greenroom_pipewire *node = data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(node->stream);
    if (!buffer) return;
    struct spa_data *memory = &buffer->buffer->datas[0];
    uint32_t most = memory->data ? memory->maxsize / frame_bytes(node) : 0;
    uint32_t frames = buffer->requested ? (uint32_t)SPA_MIN(buffer->requested, most) : most;
    if (memory->data) play(node, memory->data, frames);
    memory->chunk->offset = 0;
    memory->chunk->stride = (int32_t)frame_bytes(node);
    memory->chunk->size = frames * frame_bytes(node);
    buffer->size = frames;
    pw_stream_queue_buffer(node->stream, buffer);
}

static void io_changed(void *data, uint32_t id, void *area, uint32_t size) {
    struct greenroom_pipewire *node = data;
    if (id != SPA_IO_RateMatch) return;
    atomic_store(
        &node->rate_match, area && size >= sizeof(struct spa_io_rate_match) ? area : NULL);
}

static const struct pw_stream_events microphone_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = node_state_changed,
    .io_changed = io_changed,
    .process = play_buffer,
};

void greenroom_pipewire_write_samples(
    greenroom_pipewire *node, const int16_t *samples, uint32_t frames) {
    if (atomic_load(&node->phase) == GREENROOM_PIPEWIRE_STREAMING) append(node, samples, frames);
}

// MARK: Loudspeaker

static void record_buffer(void *data) {
    struct greenroom_pipewire *node = data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(node->stream);
    if (!buffer) return;
    struct spa_data *memory = &buffer->buffer->datas[0];
    uint32_t offset = SPA_MIN(memory->chunk->offset, memory->maxsize);
    uint32_t bytes = SPA_MIN(memory->chunk->size, memory->maxsize - offset);
    if (memory->data)
        append(node, SPA_PTROFF(memory->data, offset, int16_t), bytes / frame_bytes(node));
    pw_stream_queue_buffer(node->stream, buffer);
}

static const struct pw_stream_events loudspeaker_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = node_state_changed,
    .process = record_buffer,
};

uint32_t greenroom_pipewire_read_samples(
    greenroom_pipewire *node, int16_t *samples, uint32_t frames) {
    uint32_t index;
    int32_t filled = spa_ringbuffer_get_read_index(&node->ring, &index);
    uint32_t read = SPA_MIN(frames, filled > 0 ? (uint32_t)filled : 0);
    ring_read(node, index, samples, read);
    return read;
}

// MARK: Both

static greenroom_pipewire *audio_node(
    int descriptor, const char *name, const char *class, uint32_t channels, enum pw_direction direction,
    const struct pw_stream_events *events, greenroom_pipewire_reason *reason) {
    struct greenroom_pipewire *node = node_new(descriptor, reason);
    if (!node) return NULL;
    node->channels = channels;
    spa_ringbuffer_init(&node->ring);
    node->samples = calloc(RING_FRAMES, frame_bytes(node));
    if (!node->samples) {
        snprintf(reason->text, sizeof reason->text, "%s", strerror(errno));
        greenroom_pipewire_close(node);
        return NULL;
    }
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_audio_info_raw info = SPA_AUDIO_INFO_RAW_INIT(
            .format = SPA_AUDIO_FORMAT_S16, .rate = SAMPLE_RATE, .channels = channels);
    info.position[0] = channels == 1 ? SPA_AUDIO_CHANNEL_MONO : SPA_AUDIO_CHANNEL_FL;
    info.position[1] = SPA_AUDIO_CHANNEL_FR;
    const struct spa_pod *format =
        spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info);
    // PipeWire's own timer drives the node, whatever it is linked to. Outside the timer's group any
    // device that is in use may drive it, even a camera, whose cycles do not measure audio.
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_CLASS, class, PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_NODE_GROUP,
        "pipewire.dummy", PW_KEY_NODE_LATENCY, LONGEST_CYCLE, NULL);
    return node_start(
        node, name, properties, events, direction, PW_ID_ANY, PW_STREAM_FLAG_RT_PROCESS, &format, 1,
        reason);
}

greenroom_pipewire *greenroom_pipewire_microphone(
    const char *name, uint32_t channels, greenroom_pipewire_reason *reason) {
    return audio_node(
        -1, name, "Audio/Source", channels, PW_DIRECTION_OUTPUT, &microphone_events, reason);
}

greenroom_pipewire *greenroom_pipewire_loudspeaker(
    const char *name, uint32_t channels, greenroom_pipewire_reason *reason) {
    return audio_node(
        -1, name, "Audio/Sink", channels, PW_DIRECTION_INPUT, &loudspeaker_events, reason);
}

struct greenroom_pipewire *audio_input(
    int descriptor, const char *name, uint32_t channels, greenroom_pipewire_reason *reason) {
    return audio_node(
        descriptor, name, "Stream/Input/Audio", channels, PW_DIRECTION_INPUT, &loudspeaker_events,
        reason);
}

greenroom_pipewire_counts greenroom_pipewire_count(const greenroom_pipewire *node) {
    return (greenroom_pipewire_counts){
        .silent = atomic_load(&node->silent), .dropped = atomic_load(&node->dropped)};
}
