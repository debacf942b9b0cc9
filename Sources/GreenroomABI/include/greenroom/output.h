/*
 * greenroom/output.h - plugins that take the media of a session (since minor 1)
 *
 * An output is a plugin of the kind GR_KIND_OUTPUT: a recorder, a virtual camera, a pipe to another
 * program. It has the entry, descriptor, settings and lifecycle of greenroom/plugin.h, and the
 * extension GR_EXT_OUTPUT. It has no sender: gr_initialize has no offer and no function tables.
 *
 *   TRACKS AND WANTS
 *
 *   A session has tracks: its camera, microphone and share, and the mix of its audio. After
 *   initialize the host describes each track to the output, which answers with what it wants of
 *   it: a pixel format, a size and a rate, or a sample rate and a block length, or nothing. The
 *   host converts once for all outputs with equal wants, and not at all for a track that no
 *   output wants.
 *
 *        create -> initialize -> track -> ... -> track -> start_send -> video, audio
 *               -> stop_send -> uninitialize -> destroy
 *
 *   The participants of a call (greenroom/call.h) have tracks, too. These open and close while the
 *   session runs: track is called when one was opened, and gone after its last frame or block. An
 *   output that answers within 100 ms gets the track from its start on, a slower one from its answer
 *   on: the session does not wait for it. Frames wait up to 50 ms for an answer; of those that
 *   arrived before a later answer, the output gets only the newest.
 *
 *   The first calls of track, one for each track, happen before the sources know what they send:
 *   the largest capability that is wanted limits what they are offered. A second call for a
 *   video track of the session follows when its source has agreed. What the output writes into the last call
 *   counts until the next one. While it is sending, wants_changed of the host's extension brings
 *   a call for each track again, those of participants among them, and so does a restart in the new
 *   life, which learns of the tracks that were opened meanwhile, too. A new answer takes effect
 *   while the session runs: the frames and blocks so far arrive as they were wanted before, and the
 *   next ones as they are wanted then, none twice and none left out. A new rate has its own
 *   periods and samples: an index always counts from the start of the track, at the rate that is
 *   wanted. The frame that is shown when a want begins is a new frame to the output.
 *
 *   CEILINGS
 *
 *   A want says how an output receives a track; a ceiling says how much of it the output can use now:
 *   less than it wants while a viewer's network or a disk is slow. The source is offered what the
 *   most demanding output can use, so that no ceiling of one output takes anything from another:
 *   a recording keeps its size. A lower ceiling takes effect at once, a higher one after a few
 *   seconds without a change. The output still gets its frames as it wants them; an output that
 *   wants them smaller as well uses wants_changed. All ceilings of an output end with its life.
 *   A ceiling of a participant's track goes to the call as demand: what no output can use is not
 *   asked of the far end.
 *
 *   MEDIA
 *
 *   Of each video track an output gets exactly one frame for each period of the rate that it
 *   wants, from the start of the track to its end (the session's own tracks start with the session
 *   and end with it): a new frame, the one before once more, black before the first frame and while
 *   the camera is stopped, or a slate while the source is lost.
 *   Of each audio track it gets every sample, with silence where the source sent none. Both arrive
 *   in order. Calls of one instance never overlap, whatever track they are for.
 *
 *   An output that is slower than its media loses frames and blocks when its queue is full
 *   (16 frames, 1 s of audio); they are counted in the session's report, and no other output and
 *   no source waits for it.
 *
 *   start_send    the session begins: open what you write to
 *   stop_send     every frame and block was delivered: finish, flush and close. It may take five
 *                 times as long as any other callback: 10 s by default
 *
 *   COMPOSERS
 *
 *   A composer is a plugin of the kind GR_KIND_COMPOSER (since minor 2). It makes one video of the
 *   session's tracks, which other outputs receive as the track GR_TRACK_STAGE. It is an output, with
 *   everything above, and a video source: initialize hands it a sender, video functions and an
 *   offer of rows. It learns of all tracks except the tracks of composers.
 *
 *   It is started when an output wants its video, and stopped when none does: while it is stopped,
 *   nothing is converted or decoded for it. The session may start and stop it many times. It should
 *   send a frame for each period of the agreed rate; with GR_PACE_COMPLETE it gets its frames at once.
 *   track and gone are not called while it is stopped: the calls for tracks that opened and ended
 *   meanwhile follow after the next start_send.
 *
 *   FRAMES
 *
 *   A frame is read-only; in a separate process the plugin can't write to its memory at all. It
 *   is valid until the callback returns, and longer if the output keeps it: up to GR_MAX_KEPT
 *   frames at a time, each until it is released.
 */
#ifndef GREENROOM_OUTPUT_H
#define GREENROOM_OUTPUT_H

#include "plugin.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------
 * Tracks and wants
 * ---------------------------------------------------------------------------------- */

/** The kind of a track. A host may have further kinds: request nothing of a kind that you don't know. */
enum {
  GR_TRACK_CAMERA = 1,      /**< video: the camera, after its filters */
  GR_TRACK_MICROPHONE = 2,  /**< audio: the microphone */
  GR_TRACK_SHARE = 3,       /**< video: the shared screen */
  GR_TRACK_SHARE_AUDIO = 4, /**< audio: the audio of the share */
  GR_TRACK_MIX = 5,         /**< audio: the sum of the session's own audio tracks */
  GR_TRACK_INCOMING = 6,    /**< audio: the sum of all participants' audio tracks */
  GR_TRACK_MIX_MINUS = 7,   /**< audio: the sum of all, the session's and the participants', without
                                 those of one participant: what that participant is to hear */
  GR_TRACK_FULL_MIX = 8,    /**< audio: the sum of all, the session's and the participants' */
  GR_TRACK_STAGE = 9,       /**< video: what a composer makes of the other tracks (minor 2) */
  GR_TRACK_SPLIT = 10       /**< audio: GR_TRACK_MIX on the left and GR_TRACK_INCOMING on the right, each
                                 in mono; only for an output whose session file names it (minor 3) */
};

/** A track of the session. */
typedef struct gr_track {
  uint32_t struct_size;
  uint32_t id;          /**< never zero; of one track throughout the session. A session may have more than
                             one track of a kind, such as two cameras */
  uint32_t kind;        /**< GR_TRACK_... */
  uint32_t participant; /**< whose it is; zero: the session's own */
  const char *GR_NONNULL name; /**< for file names: "camera", "camera.desk", "share-audio", "ana-camera" */
  const char *GR_NULLABLE participant_name; /**< for people: "Ana"; NULL: the session's own */
  gr_capability capability;    /**< of video: the largest size and rate; as soon as its source has
                                    agreed, the largest that it agrees to. While all outputs want
                                    less, it sends less. All zero for audio */
} gr_track;

/** The way in which a frame of another aspect ratio fills the requested size. */
enum {
  GR_FIT_LETTERBOX = 1, /**< whole and centred, with black bars */
  GR_FIT_CROP = 2,      /**< its middle fills the frame */
  GR_FIT_STRETCH = 3    /**< whole and distorted */
};

/** The time at which frames are delivered. */
enum {
  GR_PACE_LIVE = 1,    /**< each at its time, for viewers */
  GR_PACE_COMPLETE = 2 /**< as soon as they are there, for files */
};

/** An output's requested format of a track. Before each call of track, the host sets it to the
 *  last answer; at first to nothing, with ordinary values in the other members: I420 in the
 *  track's own size and rate, with letterbox, live; and 48000 Hz stereo in blocks of 10 ms. */
typedef struct gr_want {
  uint32_t struct_size;
  uint32_t is_wanted;       /**< 0: nothing of the track, 1: as the members below say */
  gr_pixel_format format;   /**< GR_FORMAT_I420, NV12, BGRA or RGBA */
  uint32_t fit;             /**< GR_FIT_... */
  gr_capability capability; /**< width and height 0: those of the track; fps_numerator 0: its rate,
                                 live at least 4 */
  gr_color_matrix matrix;   /**< 0: BT.709 from 720 lines on, BT.601 below. Range is limited */
  uint32_t pace;            /**< GR_PACE_... */
  uint32_t sample_rate_hz;  /**< 8000 to 192000 */
  uint32_t channels;        /**< 1 or 2 */
  uint32_t block_frames;    /**< samples per channel in a block: 1 to 100 ms */
  uint32_t reserved;        /**< zero */
} gr_want;

/* ------------------------------------------------------------------------------------
 * Media
 * ---------------------------------------------------------------------------------- */

/** The content of a frame. */
enum {
  GR_CONTENT_NEW = 1,      /**< a frame of the source, for the first time */
  GR_CONTENT_REPEATED = 2, /**< the frame before once more */
  GR_CONTENT_BLACK = 3,    /**< black: before the first frame, or a camera that is stopped */
  GR_CONTENT_SLATE = 4     /**< a slate of the host: the source was lost */
};

/** A frame for an output. */
typedef struct gr_output_frame {
  uint32_t struct_size;
  uint32_t track;    /**< its id */
  uint64_t id;       /**< to keep it: of this frame until it is released */
  uint32_t content;  /**< GR_CONTENT_... */
  uint32_t periods;  /**< how many periods in a row it is for, at least 1 */
  int64_t index;     /**< of its first period, from 0 at the start of the track */
  gr_video_frame frame; /**< upright, in the wanted format and size. Its pts_ns is the beginning of
                             the first period, on the session clock */
} gr_output_frame;

/** A block of audio for an output. */
typedef struct gr_output_block {
  uint32_t struct_size;
  uint32_t track;       /**< its id */
  int64_t index;        /**< of its first sample, from 0 at the start of the track */
  gr_audio_block block; /**< in the wanted format; the last one of a track may be shorter. Its
                             pts_ns is when the first sample sounds, on the session clock */
} gr_output_block;

/** Required of a GR_KIND_OUTPUT, a GR_KIND_CALL and a GR_KIND_COMPOSER. */
#define GR_EXT_OUTPUT "greenroom.output/1"

typedef struct gr_output {
  uint32_t struct_size;
  uint32_t reserved;

  /** Describes a track. The output writes what it wants of it. While it is sending, the host
   *  calls it for new tracks of participants and after wants_changed, and never within a call of
   *  video or audio.
   *  [control & initialized or sending] */
  gr_status (*GR_NONNULL track)(void *GR_NULLABLE self, const gr_track *GR_NONNULL track,
                                gr_want *GR_NONNULL want);

  /** Takes a frame. A status other than GR_STATUS_OK is counted as a failed frame.
   *  [media & sending] */
  gr_status (*GR_NONNULL video)(void *GR_NULLABLE self, const gr_output_frame *GR_NONNULL frame);

  /** Takes a block of audio. A status other than GR_STATUS_OK is counted as a failed block.
   *  [media & sending] */
  gr_status (*GR_NONNULL audio)(void *GR_NULLABLE self, const gr_output_block *GR_NONNULL block);

  /** A participant's track has ended: every frame and block of it was delivered. Called once for
   *  each such track that the output has learned of, wanted or not (until minor 2 only for those that it
   *  wanted, unless it is a composer), unless stop_send is called first. A participant's mix-minus is
   *  there from when they join until they leave. NULL: the output need not know.
   *  [control & sending] */
  void (*GR_NULLABLE gone)(void *GR_NULLABLE self, uint32_t track);
} gr_output;

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for outputs: gr_host.get_extension(instance, GR_EXT_OUTPUT_HOST) is
 * NULL for the other kinds.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_OUTPUT_HOST "greenroom.output-host/1"

/** The state of an output, for people. */
enum {
  GR_OUTPUT_CONNECTING = 1, /**< it connects to what it writes to */
  GR_OUTPUT_LIVE = 2,       /**< it writes */
  GR_OUTPUT_LOST = 3        /**< it has lost what it writes to */
};

/** The most frames that an output may keep at a time. */
#define GR_MAX_KEPT 8

/** The host's functions for an output. */
typedef struct gr_output_host {
  uint32_t struct_size;
  uint32_t reserved;

  /** Keeps the frame of the running callback beyond its return, until release. Returns
   *  GR_STATUS_NO_BUFFER if GR_MAX_KEPT frames are kept, and GR_STATUS_BAD_LEASE for another frame
   *  than that of the callback. A frame that was kept already is kept once. [media, in video] */
  gr_status (*GR_NONNULL keep)(gr_instance instance, uint64_t frame_id);

  /** Gives a kept frame back. After stop_send has returned none is readable, kept or not.
   *  [any] */
  gr_status (*GR_NONNULL release)(gr_instance instance, uint64_t frame_id);

  /** Sets a value of the output in the session's report, e.g. "bytes-written"; the last one of a
   *  name counts, up to 32 names of up to 40 characters of a-z, 0-9 and '-' that begin with a letter. [any] */
  gr_status (*GR_NONNULL report)(gr_instance instance, const char *GR_NONNULL name, double value);

  /** Sets the most that the output can use of a video track from now on: each side 1 or more, and
   *  a rate. NULL lifts the ceiling. why says the reason in a few words, for people: "the window is
   *  small"; up to 200 bytes, longer ones are cut. It may be NULL when the ceiling is lifted. [any] */
  gr_status (*GR_NONNULL set_ceiling)(gr_instance instance, uint32_t track_id,
                                      const gr_capability *GR_NULLABLE ceiling,
                                      const char *GR_NULLABLE why);

  /** Asks for a call of track for each track of the output, since it wants something else. They
   *  follow after this function and the running callback have returned, up to four times a second;
   *  before start_send they follow anyway. [any] */
  gr_status (*GR_NONNULL wants_changed)(gr_instance instance);

  /** Says in which state the output is: GR_OUTPUT_..., with a text for people of up to 200 bytes.
   *  It stands in the log and in the report, and changes nothing else. [any] */
  gr_status (*GR_NONNULL state)(gr_instance instance, uint32_t state,
                                const char *GR_NULLABLE text);
} gr_output_host;

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for outputs that write files: gr_host.get_extension(instance,
 * GR_EXT_FILES_HOST) is NULL for the other kinds. Since minor 3.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_FILES_HOST "greenroom.files-host/1"

/** The files that an output has written. */
typedef struct gr_files_host {
  uint32_t struct_size;
  uint32_t reserved;

  /** A file is complete: the output has closed it, and will not change it. The session's hooks may then
   *  upload or remove the file. path is absolute, and names a regular file, to which a plugin in a sandbox
   *  must have write access. [any] */
  gr_status (*GR_NONNULL finished)(gr_instance instance, const char *GR_NONNULL path);
} gr_files_host;

#if UINTPTR_MAX == 0xffffffffffffffffu
GR_STATIC_ASSERT(size_of_track, sizeof(gr_track) == 48);
GR_STATIC_ASSERT(size_of_want, sizeof(gr_want) == 56);
GR_STATIC_ASSERT(size_of_output_frame, sizeof(gr_output_frame) == 160);
GR_STATIC_ASSERT(size_of_output_block, sizeof(gr_output_block) == 56);
GR_STATIC_ASSERT(size_of_output, sizeof(gr_output) == 40);
GR_STATIC_ASSERT(size_of_output_host, sizeof(gr_output_host) == 56);
GR_STATIC_ASSERT(size_of_files_host, sizeof(gr_files_host) == 16);
#endif

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
