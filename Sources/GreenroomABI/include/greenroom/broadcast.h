/*
 * greenroom/broadcast.h - what a share reports about itself
 *
 * An extension of hosts for share sources and share audio sources, wherever they live: in the host's
 * process, isolated, or in a program that connects (greenroom/client.h).
 *
 *   paused     nothing new for now: the session repeats the last frame
 *   resumed    something new again
 *   finished   the share has ended: the host ends the plugin's lifecycle
 *
 *   A share may send nothing without a pause: outputs repeat its last frame at their own rate. A
 *   pause lets the host's log tell "nothing moves" from "nothing arrives".
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

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for share sources and share audio sources, wherever they live:
 * gr_host.get_extension(instance, GR_EXT_BROADCAST) is NULL for the other kinds.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_BROADCAST "greenroom.broadcast/1"

/** The functions with which a share reports its state. Each returns GR_STATUS_GONE for an instance that
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
