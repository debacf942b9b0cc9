// The desktop's portals for screen casts and cameras: org.freedesktop.portal.ScreenCast and .Camera of D-Bus.

#ifndef GREENROOM_CPORTAL_H
#define GREENROOM_CPORTAL_H

#include <stdint.h>

// A connection to the session bus, and the session of the portal.
typedef struct greenroom_portal greenroom_portal;

// The reason of a failure: a text that ends with zero.
typedef struct greenroom_portal_reason {
    char text[200];
} greenroom_portal_reason;

// The stream that the user shares.
typedef struct greenroom_portal_stream {
    uint32_t node;   // of PipeWire
    int descriptor;  // connected to a PipeWire that has this node; the caller's
    char token[256]; // restores the choice without a question; ends with zero, and may be empty
} greenroom_portal_stream;

// The results of `greenroom_portal_ask`.
enum {
    GREENROOM_PORTAL_SHARED = 0,
    GREENROOM_PORTAL_REFUSED = 1, // the user said no
    GREENROOM_PORTAL_FAILED = 2,  // the reason is set
};

// Speaks D-Bus on a connected descriptor, which belongs to the portal from now on, even if this fails.
greenroom_portal *_Nullable greenroom_portal_open(
    int descriptor, greenroom_portal_reason *_Nonnull reason);

// Ends the session of the portal.
void greenroom_portal_close(greenroom_portal *_Nonnull portal);

// Asks for a monitor or a window. Waits for the user. `token` comes from an earlier answer, or is empty.
int greenroom_portal_ask(
    greenroom_portal *_Nonnull portal, int shows_cursor, const char *_Nonnull token,
    greenroom_portal_stream *_Nonnull stream, greenroom_portal_reason *_Nonnull reason);

// Asks for the cameras. Waits for the user. `descriptor` is connected to a PipeWire that has them, and the caller's.
int greenroom_portal_ask_camera(
    greenroom_portal *_Nonnull portal, int *_Nonnull descriptor,
    greenroom_portal_reason *_Nonnull reason);

// Whether the user or the desktop has ended the share. Reads what has come, without waiting.
int greenroom_portal_has_ended(greenroom_portal *_Nonnull portal);

// Makes a running `greenroom_portal_ask` or `greenroom_portal_ask_camera` fail. Any thread.
void greenroom_portal_interrupt(greenroom_portal *_Nonnull portal);

#endif
