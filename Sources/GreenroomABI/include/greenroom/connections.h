/*
 * greenroom/connections.h - connections that the host opens for a plugin (since minor 1)
 *
 * A sandboxed plugin can't open Unix sockets and can't make shared memory. The host does both, if the
 * session file grants it:
 *
 *        share:
 *          plugin: Screen
 *          isolation: process
 *          allow: { display: true, pipewire: true, connect: [/run/printer.sock] }
 *
 * The host connects and hands over the descriptor, for xcb_connect_to_fd, wl_display_connect_to_fd or
 * pw_context_connect_fd. The plugin opens nothing itself. In the host's process every name is granted.
 */
#ifndef GREENROOM_CONNECTIONS_H
#define GREENROOM_CONNECTIONS_H

#include "plugin.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------
 * An extension of hosts
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_CONNECTIONS "greenroom.connections/1"

/* Names of connections. Any other name is the absolute path of a Unix stream socket. */

/** The X server that DISPLAY names. Needs allow: { display: true }. */
#define GR_CONNECT_X11 "x11"
/** The Wayland compositor that WAYLAND_DISPLAY names. Needs allow: { display: true }. */
#define GR_CONNECT_WAYLAND "wayland"
/** PipeWire. Needs allow: { pipewire: true }. */
#define GR_CONNECT_PIPEWIRE "pipewire"
/** The user's session bus (D-Bus). Needs its path: allow: { connect: [/run/user/1000/bus] }. */
#define GR_CONNECT_SESSION_BUS "session-bus"

/** The longest key of a connection, in bytes. */
#define GR_MAX_CONNECTION_KEY 64

/** The memory that an instance may make, in bytes, with what it has closed. */
#define GR_MAX_CONNECTION_MEMORY 536870912

/** A connection, which is the plugin's: close it. */
typedef struct gr_connection {
  uint32_t struct_size;
  int32_t descriptor;    /**< a connected stream socket that blocks, close-on-exec */
  uint32_t display;      /**< of GR_CONNECT_X11: the number of the display, 1 in ":1.0" */
  uint32_t screen;       /**< of GR_CONNECT_X11: the number of the screen, 0 in ":1.0" */
  uint32_t key_length;   /**< of GR_CONNECT_X11: bytes of key; 0 for a server that wants none */
  uint32_t reserved;     /**< zero */
  uint8_t key[GR_MAX_CONNECTION_KEY]; /**< an MIT-MAGIC-COOKIE-1 */
} gr_connection;

/** The functions of the host. */
typedef struct gr_connections {
  uint32_t struct_size;
  uint32_t reserved;

  /** Connects to a name, and writes the connection. Set connection->struct_size before the call.
   *
   *  Returns GR_STATUS_UNSUPPORTED without the grant, GR_STATUS_UNAVAILABLE if nothing listens there,
   *  and GR_STATUS_BAD_ARGUMENT for a name that is neither one of the above nor an absolute path;
   *  refusal_text has the reason and the fix. [any] */
  gr_status (*GR_NONNULL open)(gr_instance instance, const char *GR_NONNULL name,
                               gr_connection *GR_NONNULL connection);

  /** Makes memory to share over a connection, such as the images of X11's MIT-SHM 1.2, and writes its
   *  descriptor, which is the plugin's. Its size is sealed: neither side can shrink it.
   *
   *  Returns GR_STATUS_UNSUPPORTED without any of the three grants, and GR_STATUS_NO_BUFFER beyond
   *  GR_MAX_CONNECTION_MEMORY in all. [any] */
  gr_status (*GR_NONNULL make_memory)(gr_instance instance, uint64_t size_bytes,
                                      int32_t *GR_NONNULL descriptor);
} gr_connections;

#if UINTPTR_MAX == 0xffffffffffffffffu
GR_STATIC_ASSERT(size_of_connection, sizeof(gr_connection) == 88);
GR_STATIC_ASSERT(size_of_connections, sizeof(gr_connections) == 24);
#endif

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
