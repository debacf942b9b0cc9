/*
 * greenroom/broadcast.h - a share from a process that the host did not start
 *
 * A host whose session file says
 *
 *     share: { broadcast: /run/user/1000/greenroom.sock }
 *
 * creates that Unix socket and waits. A program of yours connects to it and is the session's
 * share until it finishes or ends; then another program may connect, or the same one again. It
 * offers an ordinary plugin, as greenroom/plugin.h describes it: an entry with a share source, a
 * share audio source, or one of each. Link with -lgreenroom-broadcast.
 *
 *   LIFECYCLE
 *
 *   greenroom_broadcast_run() connects. The host then takes the plugin through its lifecycle on
 *   the thread of that call: create, initialize, start_send, ... destroy. Frames are in memory
 *   that both processes share: leased frames reach the host without a copy.
 *
 *   started    the call has connected, and the session has called start_send
 *   paused     nothing new for now: the session repeats the last frame
 *   resumed    something new again
 *   finished   the share has ended: the host ends the plugin's lifecycle, and the call returns
 *
 *   A share may send nothing without a pause: outputs repeat its last frame at their own rate. A
 *   pause lets the host's log tell "nothing moves" from "nothing arrives".
 *
 *   WHO MAY CONNECT
 *
 *   Only the host's user may connect (mode 0600). The host asks the kernel for the user of each
 *   connection and rejects others, except root. There is one share at a time: the host rejects
 *   further connections.
 *
 *   CALLING AGAIN
 *
 *   The program decides when to try again. The call returns as soon as there is nothing to wait
 *   for. A process may call it any number of times, one call after the other.
 */
#ifndef GREENROOM_BROADCAST_H
#define GREENROOM_BROADCAST_H

#include "plugin.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * Offers the plugins of an entry to the host at a socket, and returns when the share has ended.
 *
 * Waits while the session does not want a share yet. The callbacks of the share source run on
 * the calling thread, those of the share audio source on a thread of this call.
 *
 * socket_path    at most 107 bytes, as in the host's session file
 * entry          what greenroom_plugin_entry() of a plugin library would return: one share
 *                source, one share audio source, or both. Parameters have their defaults, so
 *                none may be required.
 * text, capacity a buffer for a text that says how the share ended, with a NUL; cut to fit.
 *                NULL and 0 for none
 *
 * Returns
 *   GR_STATUS_OK            the share has finished, or the session has ended
 *   GR_STATUS_UNAVAILABLE   no host is there, or it has no room now: try again later
 *   GR_STATUS_GONE          the host disappeared: it was killed
 *   GR_STATUS_UNSUPPORTED   the host has another version of the protocol
 *   GR_STATUS_BAD_ARGUMENT  the path or the entry breaks a rule
 *   else                    what create, initialize or start_send of the plugin returned
 *
 * If the entry has both, the share decides: its end also ends the audio. A host that wants no
 * audio continues without it.
 *
 * [any thread except in a callback; one call at a time]
 */
gr_status greenroom_broadcast_run(const char *GR_NONNULL socket_path,
                                  const gr_entry *GR_NONNULL entry, char *GR_NULLABLE text,
                                  uint64_t capacity);

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for share sources and share audio sources, wherever they live:
 * gr_host.get_extension(instance, GR_EXT_BROADCAST) is NULL for the other kinds.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_BROADCAST "greenroom.broadcast/1"

/** What a share reports about itself. Each function returns GR_STATUS_GONE for an instance that
 *  has ended. Repeated calls have no effect. */
typedef struct gr_broadcast {
  uint32_t struct_size;
  uint32_t reserved;

  /** Nothing new until resumed: the session repeats the last frame. Frames sent meanwhile are
   *  shown. [any] */
  gr_status (*GR_NONNULL paused)(gr_instance instance);

  /** Something new again. [any] */
  gr_status (*GR_NONNULL resumed)(gr_instance instance);

  /** The share has ended: as gr_host.give_up with GR_STATUS_OK. The host calls stop_send,
   *  uninitialize and destroy. [any] */
  gr_status (*GR_NONNULL finished)(gr_instance instance, const char *GR_NONNULL text);
} gr_broadcast;

#if UINTPTR_MAX == 0xffffffffffffffffu
GR_STATIC_ASSERT(size_of_broadcast, sizeof(gr_broadcast) == 32);
#endif

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
