// Capture of an X server: the screen, a part of it, or a window.
//
// A display is for one thread at a time, but for `greenroom_x11_interrupt`. Calls that ask the server wait for
// its answer.

#ifndef GREENROOM_CX11_H
#define GREENROOM_CX11_H

#include <stddef.h>
#include <stdint.h>

// A connection to an X server, and what it captures.
typedef struct greenroom_x11 greenroom_x11;

// The reason of a failure: a text that ends with zero.
typedef struct greenroom_x11_reason {
    char text[160];
} greenroom_x11_reason;

typedef struct greenroom_x11_rect {
    int32_t x, y;
    uint32_t width, height;
} greenroom_x11_rect;

// A RandR monitor; the name ends with zero.
typedef struct greenroom_x11_monitor {
    char name[64];
    greenroom_x11_rect area;
    int is_primary;
} greenroom_x11_monitor;

// A window of a program; the texts end with zero.
typedef struct greenroom_x11_window {
    uint32_t id;
    greenroom_x11_rect area; // on the screen, without its border
    int is_viewable;
    char title[256];
    char class_name[128];
} greenroom_x11_window;

// Speaks X11 on a connected descriptor, which belongs to the display from now on, even if this fails. `key` is an
// MIT-MAGIC-COOKIE-1, or NULL.
greenroom_x11 *_Nullable greenroom_x11_open(
    int descriptor, const uint8_t *_Nullable key, uint32_t key_length, uint32_t screen,
    greenroom_x11_reason *_Nonnull reason);

void greenroom_x11_close(greenroom_x11 *_Nonnull display);

// Makes every call of the display fail, including a running one. Any thread.
void greenroom_x11_interrupt(greenroom_x11 *_Nonnull display);

// Whether the connection is lost.
int greenroom_x11_is_lost(greenroom_x11 *_Nonnull display);

// The size of the screen as it is now.
greenroom_x11_rect greenroom_x11_screen(greenroom_x11 *_Nonnull display);

// The monitors, up to `capacity`; returns their number.
uint32_t greenroom_x11_monitors(
    greenroom_x11 *_Nonnull display, greenroom_x11_monitor *_Nonnull monitors, uint32_t capacity);

// The windows of programs, the newest first, up to `capacity`; returns their number.
uint32_t greenroom_x11_windows(
    greenroom_x11 *_Nonnull display, greenroom_x11_window *_Nonnull windows, uint32_t capacity);

// Begins to watch the screen, instead of what was watched. Returns 0, or -1 with the reason.
int greenroom_x11_watch_screen(
    greenroom_x11 *_Nonnull display, greenroom_x11_reason *_Nonnull reason);

// Begins to watch a window, instead of what was watched. Returns 0, or -1 with the reason.
int greenroom_x11_watch_window(
    greenroom_x11 *_Nonnull display, uint32_t id, greenroom_x11_reason *_Nonnull reason);

// The events since the last call.
typedef struct greenroom_x11_events {
    int is_damaged;
    greenroom_x11_rect damage; // in what is watched, around all that has changed
    int has_new_size;          // of what is watched
    int has_new_layout;        // of monitors
    int has_new_cursor;
    int was_hidden;
    int was_shown;
    int was_closed;
} greenroom_x11_events;

// Reads what has come, without waiting.
greenroom_x11_events greenroom_x11_poll(greenroom_x11 *_Nonnull display);

// Reads the size of the watched screen or window, and names the new contents of a window. Returns 0, or -1 if it is
// closed or hidden.
int greenroom_x11_measure(greenroom_x11 *_Nonnull display, greenroom_x11_rect *_Nonnull size);

// Has the server write to a memory file, which is closed, instead of the one before. Returns 0, or -1 if it can't.
int greenroom_x11_attach(greenroom_x11 *_Nonnull display, int memory);

// Copies a part of what is watched, 4 bytes a pixel without padding, to an offset of the attached memory or, without
// one, to `pixels`. Later changes are reported again. Returns 0, or -1 if it is closed or hidden.
int greenroom_x11_fetch(
    greenroom_x11 *_Nonnull display, greenroom_x11_rect part, size_t offset,
    uint8_t *_Nullable pixels);

// A cursor: premultiplied BGRA, and the place of its hot spot in it.
typedef struct greenroom_x11_cursor {
    uint32_t width, height;
    int32_t hot_x, hot_y;
    uint32_t *_Nullable pixels; // to free
} greenroom_x11_cursor;

// The cursor as it is now. Returns 0, or -1 if there is none.
int greenroom_x11_read_cursor(
    greenroom_x11 *_Nonnull display, greenroom_x11_cursor *_Nonnull cursor);

// The position of the cursor's hot spot in the watched area. Returns 0, or -1 if it is on another screen.
int greenroom_x11_pointer(
    greenroom_x11 *_Nonnull display, int32_t *_Nonnull x, int32_t *_Nonnull y);

#endif
