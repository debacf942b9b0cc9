/*
 * greenroom/call.h - plugins that bring other people into a session (since minor 1)
 *
 * A call is a plugin of the kind GR_KIND_CALL. It is an output, with everything of
 * greenroom/output.h: it receives the session's media and sends them to the far end. And it brings the
 * people there into the session, as participants whose media it sends with the same senders that
 * every source has. It has the extensions GR_EXT_OUTPUT and GR_EXT_CALL.
 *
 *   PARTICIPANTS AND THEIR TRACKS
 *
 *        joined -> open_track -> ... frames, audio ... -> close_track -> left
 *
 *   A participant joins with a name for people, and may open one track of each kind: a camera, a
 *   microphone, a share and its audio. Opening a track gives a sender and the function table for
 *   its medium (greenroom/send.h). The plugin sends as a source does between start_send and
 *   stop_send; there is no offer, and offer_revision is GR_TRACK_REVISION.
 *
 *   Each track starts when it is opened. Outputs that want it get it from then on: recordings have a
 *   file for it, other outputs learn of it as of any track. The audio of all participants is
 *   mixed for loudspeakers (GR_TRACK_INCOMING), and for each participant without their own
 *   (GR_TRACK_MIX_MINUS).
 *
 *   A participant who leaves, stop_send and the end of the plugin close what is open. A sender whose
 *   track is closed answers GR_STATUS_GONE.
 *
 *   DEMAND
 *
 *   The host says what it needs of each track: the largest size and rate that any output wants and can
 *   use, or nothing. Less is asked for at once, more after a few seconds without a change. A track
 *   that no output wants need not be received or decoded.
 */
#ifndef GREENROOM_CALL_H
#define GREENROOM_CALL_H

#include "output.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------
 * The plugin's functions
 * ---------------------------------------------------------------------------------- */

/** The host's needs for a participant's track. */
typedef struct gr_demand {
  uint32_t struct_size;
  uint32_t is_wanted;       /**< 0: no output wants the track, 1: some output does */
  gr_sender sender;         /**< the track's */
  gr_capability capability; /**< of video that is wanted: the largest size and rate. Else all zero */
} gr_demand;

/** Required of a GR_KIND_CALL. */
#define GR_EXT_CALL "greenroom.call/1"

typedef struct gr_call {
  uint32_t struct_size;
  uint32_t reserved;

  /** Says what is needed of a track from now on: after it was opened, and when that changes. A track
   *  may have been closed meanwhile.
   *  [control & sending] */
  void (*GR_NONNULL demand)(void *GR_NULLABLE self, const gr_demand *GR_NONNULL demand);
} gr_call;

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for calls: gr_host.get_extension(instance, GR_EXT_CALL_HOST) is NULL for
 * the other kinds.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_CALL_HOST "greenroom.call-host/1"

/** The offer_revision of frames of participants: their tracks have no offers. */
#define GR_TRACK_REVISION 1

/** The most participants at a time. */
#define GR_MAX_PARTICIPANTS 64

/** A track to open, and what the host gives for it. */
typedef struct gr_open_track {
  uint32_t struct_size;
  uint32_t participant;     /**< who */
  uint32_t kind;            /**< GR_TRACK_CAMERA, MICROPHONE, SHARE or SHARE_AUDIO */
  uint32_t track;           /**< set by the host: the id that outputs know it by */
  gr_capability capability; /**< of video: the largest size and rate that it will have. Frames of
                                 another size are scaled. All zero for audio */
  gr_sender sender;         /**< set by the host */
  const gr_video_functions *GR_NULLABLE video; /**< set by the host for video, else NULL */
  const gr_audio_functions *GR_NULLABLE audio; /**< set by the host for audio, else NULL */
} gr_open_track;

/** The host's functions for a call. */
typedef struct gr_call_host {
  uint32_t struct_size;
  uint32_t reserved;

  /** A participant has joined.
   *
   *  Writes their number, which is never zero and not used again. Returns GR_STATUS_BAD_ARGUMENT for
   *  a name that is empty or longer than 100 bytes, GR_STATUS_NO_BUFFER for more than
   *  GR_MAX_PARTICIPANTS and for more than 20 participants and tracks a second over a long time, and
   *  GR_STATUS_NOT_STARTED, GR_STATUS_STOPPED or GR_STATUS_GONE outside of start_send and stop_send.
   *  [any & sending] */
  gr_status (*GR_NONNULL joined)(gr_instance instance, const char *GR_NONNULL name,
                                 uint32_t *GR_NONNULL participant);

  /** A participant has left; closes their tracks. [any & sending] */
  gr_status (*GR_NONNULL left)(gr_instance instance, uint32_t participant);

  /** Opens a track of a participant. Frames and audio are accepted before it returns.
   *
   *  Returns GR_STATUS_BAD_ARGUMENT for another kind, for a participant who is not there, and for a
   *  second track of a kind. [any & sending] */
  gr_status (*GR_NONNULL open_track)(gr_instance instance, gr_open_track *GR_NONNULL track);

  /** Closes a track: what was sent before is still shown and played. [any & sending] */
  gr_status (*GR_NONNULL close_track)(gr_instance instance, gr_sender sender);

  /** The participant has muted a track, or sends again. Video is black until the next frame, and audio
   *  that is not sent does not count as missing: send nothing while it is muted. [any & sending] */
  gr_status (*GR_NONNULL set_muted)(gr_instance instance, gr_sender sender, uint32_t is_muted);
} gr_call_host;

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for calls whose participants may ask not to be recorded. Since minor 3.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_RECORDING_HOST "greenroom.recording-host/1"

typedef struct gr_recording_host {
  uint32_t struct_size;
  uint32_t reserved;

  /** Leaves a participant out of recordings, and of the mixes and stages that recordings take, or takes
   *  that back. To record nothing of somebody, call it before their first open_track.
   *
   *  Returns GR_STATUS_BAD_ARGUMENT for a participant who is not there. [any & sending] */
  gr_status (*GR_NONNULL set_recorded)(gr_instance instance, uint32_t participant,
                                       uint32_t is_recorded);
} gr_recording_host;

#if UINTPTR_MAX == 0xffffffffffffffffu
GR_STATIC_ASSERT(size_of_demand, sizeof(gr_demand) == 32);
GR_STATIC_ASSERT(size_of_call, sizeof(gr_call) == 16);
GR_STATIC_ASSERT(size_of_open_track, sizeof(gr_open_track) == 56);
GR_STATIC_ASSERT(size_of_call_host, sizeof(gr_call_host) == 48);
GR_STATIC_ASSERT(size_of_recording_host, sizeof(gr_recording_host) == 16);
#endif

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
