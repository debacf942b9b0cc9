/*
 * greenroom/control.h - plugins that steer their session (since minor 1)
 *
 * A plugin of any kind, to which the session file grants it:
 *
 *        call:
 *          plugin: WebRoom
 *          allow: { control: true }
 *
 * may send the session's commands, read what the session is and its report, and gets its events. To
 * every other plugin get_extension answers NULL for GR_EXT_CONTROL_HOST: work without it. A call gets
 * the events recording-started, recording-paused and recording-stopped without the grant, because its
 * participants must know whether the session is recorded. Outputs, composers and calls get the event
 * caption without the grant, because they show and record the captions of the session.
 *
 *   TEXTS
 *
 *   A command is a line as people write it for "greenroom run --control": "mute",
 *   "ceiling 640x360@15", "set camera.settings.speed=2", "stop". Descriptions, reports and events are
 *   JSON in UTF-8 on one line, without secrets: the values of settings are those of live ones alone.
 *
 *   COMMANDS AND THEIR EFFECT
 *
 *   A command is checked at once, and takes effect after the call has returned. An event names it by
 *   its number: {"event":"commanded","origin":"command 7 of call",...} for one that has begun, and
 *   {"event":"note","role":"command 7 of call",...} for one that the session can't execute now.
 */
#ifndef GREENROOM_CONTROL_H
#define GREENROOM_CONTROL_H

#include "plugin.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------
 * An extension of hosts: gr_host.get_extension(instance, GR_EXT_CONTROL_HOST) is NULL without the
 * grant.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_CONTROL_HOST "greenroom.control-host/1"

/** The longest command, in bytes. */
#define GR_MAX_COMMAND 4096

/** The longest description or report, in bytes with its NUL. */
#define GR_MAX_CONTROL_TEXT 200000

/** The host's functions for control. */
typedef struct gr_control_host {
  uint32_t struct_size;
  uint32_t reserved;

  /** Queues a command, and writes its number, which counts from 1.
   *
   *  Returns GR_STATUS_BAD_ARGUMENT for a text that is no command, or one that this session can't
   *  execute; refusal_text has the reason and the fix. GR_STATUS_QUEUE_FULL for more than 20
   *  commands a second over a long time, and GR_STATUS_NOT_STARTED, GR_STATUS_STOPPED or
   *  GR_STATUS_GONE outside of start_send and stop_send. [any & sending] */
  gr_status (*GR_NONNULL command)(gr_instance instance, const char *GR_NONNULL text,
                                  uint32_t *GR_NONNULL number);

  /** Copies what the session is now, as JSON with its NUL: the plugins with their states, the
   *  commands that stop and start them, and their live parameters with bounds, units and values.
   *  Writes its length without the NUL.
   *
   *  Returns GR_STATUS_BAD_LENGTH for a buffer that is too small; GR_MAX_CONTROL_TEXT bytes are
   *  enough. GR_STATUS_QUEUE_FULL for more than 20 descriptions and reports a second over a long time,
   *  and GR_STATUS_NOT_STARTED before the session's sources were started. [any] */
  gr_status (*GR_NONNULL describe)(gr_instance instance, char *GR_NONNULL buffer, uint64_t capacity,
                                   uint64_t *GR_NONNULL length);

  /** Copies the session's report of this second, as describe does: the JSON of session.json, with
   *  "seconds", the time since the session's start. [any] */
  gr_status (*GR_NONNULL report)(gr_instance instance, char *GR_NONNULL buffer, uint64_t capacity,
                                 uint64_t *GR_NONNULL length);
} gr_control_host;

/* ------------------------------------------------------------------------------------
 * An extension of plugins
 * ---------------------------------------------------------------------------------- */

/** For a plugin that wants the events. Without the grant, the host calls it only for the events above. */
#define GR_EXT_CONTROL "greenroom.control/1"

typedef struct gr_control {
  uint32_t struct_size;
  uint32_t reserved;

  /** An event of the session: the JSON that "greenroom run --json" prints for it. They come in order,
   *  those before start_send first. The host queues up to 256 of them; {"event":"left-out",...} stands
   *  for those that had no room. Return at once. Lines that the plugin logs are events, too.
   *  [control & sending] */
  void (*GR_NONNULL event)(void *GR_NULLABLE self, const char *GR_NONNULL json);
} gr_control;

#if UINTPTR_MAX == 0xffffffffffffffffu
GR_STATIC_ASSERT(size_of_control_host, sizeof(gr_control_host) == 32);
GR_STATIC_ASSERT(size_of_control, sizeof(gr_control) == 16);
#endif

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
