/*
 * greenroom/broadcast.h - a share from a process that the host did not start
 *
 * A host whose session file says
 *
 *     share: { broadcast: /run/user/1000/greenroom.sock }
 *
 * makes that Unix socket and waits. A program of yours connects to it and is the session's
 * share for as long as it likes; then another one may be, or the same one again. What it offers
 * is an ordinary plugin, as greenroom/plugin.h describes it: an entry with a share source, a
 * share audio source, or one of each. Link with -lgreenroom-broadcast.
 *
 *   HOW IT GOES
 *
 *   greenroom_broadcast_run() connects, and from then on the host drives the plugin through
 *   its life, on the thread of that call: create, initialize, start_send, ... destroy. Frames
 *   lie in memory that both processes see: what is leased reaches the host without a copy.
 *
 *   started    the call has connected, and the session has called start_send
 *   paused     nothing new to show for now: the session goes on showing the last picture
 *   resumed    there is again
 *   finished   the share is over: the host ends the plugin's life, and the call returns
 *
 *   A share that sends nothing needs no pause: outputs repeat its last picture at their own
 *   rate for as long as it likes. To say so makes the difference between "nothing moves" and
 *   "nothing comes" in the host's log.
 *
 *   WHO MAY CONNECT
 *
 *   The socket is for the user of the host alone (mode 0600). The host asks the kernel who
 *   connects, and sends others away, root excepted. One share at a time: whoever comes while
 *   there is one is sent away.
 *
 *   CALLING AGAIN
 *
 *   When to try again is for the program to say. The call returns as soon as there is nothing
 *   to wait for, and may be made any number of times in a process, one after the other.
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
 * Offers the plugins of an entry to the host at a socket, and returns when that is over.
 *
 * Waits for as long as the session wants no share yet. The callbacks of the share source run on
 * the calling thread, those of the share audio source on one of the call's own.
 *
 * socket_path    at most 107 bytes, as in the host's session file
 * entry          what greenroom_plugin_entry() of a plugin library would return: one share
 *                source, one share audio source, or both. Parameters have their defaults, so
 *                that none can be required.
 * text, capacity where to write, in a sentence or two and with a NUL, how it ended; cut to fit.
 *                NULL and 0 if nobody wants to know
 *
 * Returns
 *   GR_STATUS_OK            the share has finished, or the session has ended
 *   GR_STATUS_UNAVAILABLE   no host is there, or it has no room now: try again later
 *   GR_STATUS_GONE          the host has gone without a word: it was killed
 *   GR_STATUS_UNSUPPORTED   the host is of another version, and speaks another language
 *   GR_STATUS_BAD_ARGUMENT  the path or the entry breaks a rule
 *   else                    what create, initialize or start_send of the plugin has returned
 *
 * Where the entry has both, the share decides: with its end the sound's life is ended too, and a
 * host that wants no sound goes without.
 *
 * [any thread that is no callback's; one call at a time]
 */
gr_status greenroom_broadcast_run(const char *GR_NONNULL socket_path,
                                  const gr_entry *GR_NONNULL entry, char *GR_NULLABLE text,
                                  uint64_t capacity);

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for share sources and share audio sources, wherever they live:
 * gr_host.get_extension(instance, GR_EXT_BROADCAST) is NULL for the other kinds.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_BROADCAST "greenroom.broadcast/1"

/** What happens to a share. Each function returns GR_STATUS_GONE for an instance that has
 *  ended. To say something twice does nothing. */
typedef struct gr_broadcast {
  uint32_t struct_size;
  uint32_t reserved;

  /** Nothing new comes until resumed: the session goes on showing the last picture. Frames that
   *  are sent all the same are shown. [any] */
  gr_status (*GR_NONNULL paused)(gr_instance instance);

  /** Something comes again. [any] */
  gr_status (*GR_NONNULL resumed)(gr_instance instance);

  /** The share is over: gr_host.give_up with GR_STATUS_OK. The host goes on to stop_send,
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
