// Nodes of PipeWire that other programs use as camera, microphone and loudspeaker.
//
// PipeWire's own headers are macros and inline functions, which Swift does not import.
// A node has threads of PipeWire's. They copy into or out of its buffers and return; nothing here
// waits for another program, except where it says so.

#ifndef GREENROOM_CPIPEWIRE_H
#define GREENROOM_CPIPEWIRE_H

#include <stddef.h>
#include <stdint.h>

// A node.
typedef struct greenroom_pipewire greenroom_pipewire;

// The reason why a node is missing: a text that ends with zero.
typedef struct greenroom_pipewire_reason {
    char text[160];
} greenroom_pipewire_reason;

// The state of a node.
enum {
    GREENROOM_PIPEWIRE_CONNECTING = 0, // PipeWire has not answered yet
    GREENROOM_PIPEWIRE_IDLE = 1,       // no program uses it
    GREENROOM_PIPEWIRE_STREAMING = 2,  // a program uses it
    GREENROOM_PIPEWIRE_LOST = 3        // PipeWire ended, or refused it: close it
};

// Make a node, or set the reason. They return before PipeWire has answered. `name` is
// what other programs show.

// A camera: Video/Source, I420 in BT.601 and limited range, without padding between rows. `width` is a
// multiple of 2.
greenroom_pipewire *_Nullable greenroom_pipewire_camera(
    const char *_Nonnull name, uint32_t width, uint32_t height, uint32_t rate_numerator,
    uint32_t rate_denominator, greenroom_pipewire_reason *_Nonnull reason);

// A microphone: Audio/Source, 16-bit samples at 48 kHz.
greenroom_pipewire *_Nullable greenroom_pipewire_microphone(
    const char *_Nonnull name, uint32_t channels, greenroom_pipewire_reason *_Nonnull reason);

// A loudspeaker: Audio/Sink, 16-bit samples at 48 kHz.
greenroom_pipewire *_Nullable greenroom_pipewire_loudspeaker(
    const char *_Nonnull name, uint32_t channels, greenroom_pipewire_reason *_Nonnull reason);

// The audio of other programs, 16-bit samples at 48 kHz, while they play: of programs whose name contains
// `program`, or of all if it is empty, but for two processes. `descriptor` is connected to PipeWire, and belongs to the node from
// now on, even if this fails.
greenroom_pipewire *_Nullable greenroom_pipewire_tap_programs(
    int descriptor, const char *_Nonnull name, const char *_Nonnull program, uint32_t channels,
    int64_t process, int64_t other_process, greenroom_pipewire_reason *_Nonnull reason);

// The number of linked streams of other programs.
int greenroom_pipewire_tapped(const greenroom_pipewire *_Nonnull node);

// The video of the node `target`, in 32-bit RGB. `descriptor` likewise.
greenroom_pipewire *_Nullable greenroom_pipewire_screen(
    int descriptor, const char *_Nonnull name, uint32_t target,
    greenroom_pipewire_reason *_Nonnull reason);

// Copies the newest image of a screen without padding, if it is new and fits. Returns whether it is new.
int greenroom_pipewire_read_image(
    greenroom_pipewire *_Nonnull node, uint8_t *_Nullable pixels, size_t capacity,
    uint32_t *_Nonnull width, uint32_t *_Nonnull height, int *_Nonnull has_blue_first);

// The formats of a camera's frames.
enum {
    GREENROOM_PIPEWIRE_I420 = 1,
    GREENROOM_PIPEWIRE_NV12,
    GREENROOM_PIPEWIRE_YUY2,
    GREENROOM_PIPEWIRE_UYVY,
    GREENROOM_PIPEWIRE_BGRX,
    GREENROOM_PIPEWIRE_RGBX,
    GREENROOM_PIPEWIRE_MJPEG
};

// A frame of a camera.
typedef struct greenroom_pipewire_captured {
    uint32_t format; // GREENROOM_PIPEWIRE_I420 and so on
    uint32_t width, height;
    uint32_t stride; // of the first plane; 0 for rows without padding
    size_t count;    // bytes of all planes, one after the other
    int is_bt709, is_full_range;
} greenroom_pipewire_captured;

// The video of the camera whose node has the name `target`, or of any if that is empty, as near to a size and a rate
// as the camera can. `descriptor` likewise.
greenroom_pipewire *_Nullable greenroom_pipewire_capture(
    int descriptor, const char *_Nonnull name, const char *_Nonnull target, uint32_t width,
    uint32_t height, uint32_t rate_numerator, uint32_t rate_denominator,
    greenroom_pipewire_reason *_Nonnull reason);

// Copies the newest frame of a camera, if it is new and fits. Returns whether it is new.
int greenroom_pipewire_read_capture(
    greenroom_pipewire *_Nonnull node, uint8_t *_Nullable bytes, size_t capacity,
    greenroom_pipewire_captured *_Nonnull frame);

// Removes a node; ends its threads first.
void greenroom_pipewire_close(greenroom_pipewire *_Nonnull node);

// GREENROOM_PIPEWIRE_...
int greenroom_pipewire_phase(const greenroom_pipewire *_Nonnull node);

// Waits until PipeWire has answered, at most `milliseconds`. Returns the phase.
int greenroom_pipewire_wait(greenroom_pipewire *_Nonnull node, uint32_t milliseconds);

// The reason why a node was lost.
greenroom_pipewire_reason greenroom_pipewire_loss(greenroom_pipewire *_Nonnull node);

// The result of a frame.
enum {
    GREENROOM_PIPEWIRE_WRITTEN = 0,
    GREENROOM_PIPEWIRE_UNUSED = 1, // no program uses the camera
    GREENROOM_PIPEWIRE_BUSY = 2    // the programs that use it hold all buffers
};

// An I420 frame of a camera's size: its planes, and bytes from a row to the next.
typedef struct greenroom_pipewire_frame {
    const uint8_t *_Nullable y, *_Nullable u, *_Nullable v;
    size_t y_stride, u_stride, v_stride;
} greenroom_pipewire_frame;

// Hands a frame to the programs that use a camera. One thread at a time.
int greenroom_pipewire_write_frame(
    greenroom_pipewire *_Nonnull node, greenroom_pipewire_frame frame);

// Appends to what a microphone plays. Without a program that uses it, nothing is kept. One thread
// at a time.
void greenroom_pipewire_write_samples(
    greenroom_pipewire *_Nonnull node, const int16_t *_Nonnull samples, uint32_t frames);

// Takes what programs have played on a loudspeaker; returns how many frames, up to `frames`. One
// thread at a time.
uint32_t greenroom_pipewire_read_samples(
    greenroom_pipewire *_Nonnull node, int16_t *_Nonnull samples, uint32_t frames);

// The counters of a microphone or loudspeaker, in frames.
typedef struct greenroom_pipewire_counts {
    uint64_t silent;  // silence instead of samples that were late
    uint64_t dropped; // lost: more than its buffer holds
} greenroom_pipewire_counts;

greenroom_pipewire_counts greenroom_pipewire_count(const greenroom_pipewire *_Nonnull node);

#endif
