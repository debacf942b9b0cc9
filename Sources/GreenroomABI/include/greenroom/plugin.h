/*
 * greenroom/plugin.h - the Greenroom plugin interface, major 1
 *
 * This header is the whole contract between a Greenroom host and a plugin. It needs a C
 * compiler (C99 to C23, or C++17) and nothing else. Write a shared library that exports
 * one function, greenroom_plugin_entry, and every Greenroom of major 1 can load it.
 *
 *   LIFECYCLE
 *
 *   The host loads the library and calls greenroom_plugin_entry(). It reads the plugins'
 *   descriptors from the entry and calls create() for each instance that a session needs.
 *   Then it takes the instance through its lifecycle:
 *
 *        create -> initialize -> start_send <-> stop_send -> uninitialize -> destroy
 *
 *   initialize    here is your sender, and what the session can take; send nothing yet
 *   start_send    start sending: the host accepts frames as soon as it makes this call
 *   stop_send     stop sending: sends return GR_STATUS_STOPPED as soon as the host makes this call
 *   uninitialize  the sender has ended: sends return GR_STATUS_GONE from now on
 *
 *   start_send and stop_send come in pairs, any number of times (mute and unmute, a share
 *   that starts again). uninitialize comes exactly once for each successful initialize. A
 *   failed initialize or start_send leaves the state unchanged.
 *
 *   THREADS
 *
 *   The brackets after each function name the thread that calls it and, after '&', the state:
 *
 *   [control]   the instance's own control thread. Calls on it never overlap. Two
 *               instances have two control threads.
 *   [media]     the host's media threads of this instance (pre-processors, outputs and composers). One call
 *               at a time; never during a [control] call of the same instance, except for
 *               live-parameter changes.
 *   [any]       any thread, at any time, concurrently.
 *
 *   A plugin makes its own threads to produce frames and calls its sender from them.
 *   stop_send must not return before these threads have ended or are idle.
 *   Every callback has a deadline (2 seconds unless the session file says otherwise).
 *
 *   MEMORY
 *
 *   Memory that the host passes to a callback is valid until the callback returns. Memory
 *   that a plugin passes to a host function is copied before that function returns, because
 *   the host may be another process. Descriptors, parameter tables and function tables of a plugin stay
 *   valid and unchanged for as long as the process lives: libraries are never unloaded.
 *   Host function tables and handles stay callable for as long as the process lives:
 *   calls with a stale handle return GR_STATUS_GONE.
 *
 *   VERSIONS
 *
 *   Every struct that can grow begins with struct_size. The writer sets it to its own
 *   sizeof; the reader reads nothing beyond it, and uses it as the stride of arrays.
 *   Members are only appended. Structs without struct_size, and structs nested in another
 *   one, keep their size for all of major 1. A host accepts every plugin of its major, with
 *   an older or a newer minor. Never infer a capability from a version number: call
 *   get_extension; NULL means no.
 *
 *   TIME
 *
 *   Times are nanoseconds on the session clock. It is monotonic from an arbitrary start, is
 *   not wall time, and may run faster than real time: read now_ns, and wait with
 *   wait_until_ns, never with sleep().
 *
 *   STRINGS
 *
 *   UTF-8, terminated by NUL, never NULL unless marked GR_NULLABLE.
 */
#ifndef GREENROOM_PLUGIN_H
#define GREENROOM_PLUGIN_H

#include <stdint.h>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#define GR_NONNULL _Nonnull
#define GR_NULLABLE _Nullable
#else
#define GR_NONNULL
#define GR_NULLABLE
#endif

#if defined(__cplusplus)
#define GR_STATIC_ASSERT(name, condition) static_assert(condition, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define GR_STATIC_ASSERT(name, condition) _Static_assert(condition, #name)
#else
#define GR_STATIC_ASSERT(name, condition) typedef char gr_static_assert_##name[(condition) ? 1 : -1]
#endif

/** Exports the entry function, even with -fvisibility=hidden. */
#define GR_EXPORT __attribute__((visibility("default")))

#if defined(__cplusplus)
extern "C" {
#endif

#define GR_ABI_MAJOR 1
#define GR_ABI_MINOR 3

/* ------------------------------------------------------------------------------------
 * Statuses
 * ---------------------------------------------------------------------------------- */

/** The result of every call that can be refused. refusal_text returns its text. */
typedef int32_t gr_status;

enum {
  GR_STATUS_OK = 0,

  /* The sender's state */
  GR_STATUS_NOT_STARTED = 1, /**< sent before start_send was called */
  GR_STATUS_STOPPED = 2,     /**< sent after stop_send was called */
  GR_STATUS_GONE = 3,        /**< the sender or the instance has ended */

  /* Faults of the arguments */
  GR_STATUS_BAD_ARGUMENT = 10,  /**< a NULL that must not be, or a struct_size too small */
  GR_STATUS_BAD_FORMAT = 11,    /**< pixel format unknown, or not for this call */
  GR_STATUS_BAD_SIZE = 12,      /**< width or height zero or above GR_MAX_DIMENSION */
  GR_STATUS_BAD_PLANES = 13,    /**< wrong plane_count, or a plane without data */
  GR_STATUS_BAD_STRIDE = 14,    /**< stride_bytes shorter than a row, or above INT32_MAX */
  GR_STATUS_BAD_LENGTH = 15,    /**< size_bytes shorter than rows and stride need */
  GR_STATUS_BAD_ROTATION = 16,  /**< rotation other than 0, 90, 180, 270 */
  GR_STATUS_BAD_COLOR = 17,     /**< range or matrix unknown */
  GR_STATUS_BAD_REVISION = 18,  /**< an offer revision that was never made */
  GR_STATUS_BAD_TIMESTAMP = 19, /**< a pts_ns that is negative and not GR_PTS_UNSTAMPED */
  GR_STATUS_BAD_LEASE = 20,     /**< a lease unknown, or committed or abandoned before */
  GR_STATUS_BAD_RATE = 21,      /**< sample_rate_hz outside 8000 to 192000 */
  GR_STATUS_BAD_CHANNELS = 22,  /**< channels other than 1 or 2 */
  GR_STATUS_BAD_BLOCK = 23,     /**< an audio block empty, or longer than 100 ms */
  GR_STATUS_BAD_ANSWER = 24,    /**< an answer that is outside the offer */
  GR_STATUS_BAD_SETTING = 25,   /**< a parameter unknown, of another type, or out of bounds */
  GR_STATUS_BAD_DATA = 26,      /**< compressed data that does not decode to its declared size */

  /* Flow */
  GR_STATUS_QUEUE_FULL = 30, /**< no room now; try again later */
  GR_STATUS_NO_BUFFER = 31,  /**< every buffer of the pool is leased or in use */

  /* Answers of a plugin */
  GR_STATUS_FAILED = 40,      /**< failed; set_error has the reason */
  GR_STATUS_UNAVAILABLE = 41, /**< a required device, file or library is missing */
  GR_STATUS_UNSUPPORTED = 42  /**< this plugin or host does not support that */
};

/* ------------------------------------------------------------------------------------
 * Video
 * ---------------------------------------------------------------------------------- */

/** The largest width and height of a frame, in pixels. */
#define GR_MAX_DIMENSION 8192

/** The largest number of planes of a frame. */
#define GR_MAX_PLANES 3

/**
 * Pixel formats, named by the order of their components in memory.
 * Chroma of a 4:2:0 format has (width + 1) / 2 by (height + 1) / 2 samples.
 */
typedef uint32_t gr_pixel_format;

enum {
  GR_FORMAT_I420 = 1,  /**< 3 planes: Y, U, V; 4:2:0 */
  GR_FORMAT_NV12 = 2,  /**< 2 planes: Y, UV interleaved; 4:2:0 */
  GR_FORMAT_NV21 = 3,  /**< 2 planes: Y, VU interleaved; 4:2:0 */
  GR_FORMAT_YUY2 = 4,  /**< 1 plane: Y0 U Y1 V, 4 bytes for each 2 pixels, odd widths round up */
  GR_FORMAT_UYVY = 5,  /**< 1 plane: U Y0 V Y1, likewise */
  GR_FORMAT_BGRA = 6,  /**< 1 plane: B G R A, 4 bytes a pixel; alpha is ignored (vendors' "ARGB") */
  GR_FORMAT_RGBA = 7,  /**< 1 plane: R G B A; alpha is ignored */
  GR_FORMAT_BGRX = 8,  /**< 1 plane: B G R and an unused byte */
  GR_FORMAT_RGBX = 9,  /**< 1 plane: R G B and an unused byte */
  GR_FORMAT_RGB24 = 10, /**< 1 plane: R G B, 3 bytes a pixel */
  GR_FORMAT_MJPEG = 11, /**< 1 plane: a JPEG image; stride_bytes is 0, size_bytes its length */
  GR_FORMAT_I010 = 12, /**< I420 with 16-bit little-endian samples, the low 10 bits used */
  GR_FORMAT_P010 = 13  /**< NV12 with 16-bit little-endian samples, the high 10 bits used */
};

/* The planes of each format, as the host checks them. */

/** The number of planes of a format; 0 for an unknown one. */
static inline uint32_t gr_plane_count(gr_pixel_format format) {
  switch (format) {
  case GR_FORMAT_I420:
  case GR_FORMAT_I010: return 3;
  case GR_FORMAT_NV12:
  case GR_FORMAT_NV21:
  case GR_FORMAT_P010: return 2;
  case GR_FORMAT_YUY2:
  case GR_FORMAT_UYVY:
  case GR_FORMAT_BGRA:
  case GR_FORMAT_RGBA:
  case GR_FORMAT_BGRX:
  case GR_FORMAT_RGBX:
  case GR_FORMAT_RGB24:
  case GR_FORMAT_MJPEG: return 1;
  default: return 0;
  }
}

/** The bytes of a row of pixels, without padding; chroma of an odd width rounds up. 0 for MJPEG,
 *  and for a plane that the format does not have. */
static inline uint64_t gr_row_bytes(gr_pixel_format format, uint32_t plane, uint32_t width) {
  const uint64_t pixels = width, pairs = (pixels + 1) / 2;
  if (plane >= gr_plane_count(format)) return 0;
  switch (format) {
  case GR_FORMAT_I420: return plane == 0 ? pixels : pairs;
  case GR_FORMAT_I010: return 2 * (plane == 0 ? pixels : pairs);
  case GR_FORMAT_NV12:
  case GR_FORMAT_NV21: return plane == 0 ? pixels : 2 * pairs;
  case GR_FORMAT_P010: return 2 * (plane == 0 ? pixels : 2 * pairs);
  case GR_FORMAT_YUY2:
  case GR_FORMAT_UYVY: return 4 * pairs;
  case GR_FORMAT_RGB24: return 3 * pixels;
  case GR_FORMAT_MJPEG: return 0;
  default: return 4 * pixels;
  }
}

/** The rows of a plane; chroma of an odd height rounds up. */
static inline uint32_t gr_plane_rows(gr_pixel_format format, uint32_t plane, uint32_t height) {
  if (plane >= gr_plane_count(format)) return 0;
  return plane == 0 ? height : height / 2 + height % 2;
}

/** Whether pixels are red, green and blue. */
static inline int gr_is_rgb(gr_pixel_format format) {
  return format >= GR_FORMAT_BGRA && format <= GR_FORMAT_RGB24;
}

/** The clockwise turn, in degrees, that makes the frame upright: 0, 90, 180 or 270. */
typedef uint32_t gr_rotation;

/** The range of luma and chroma values. RGB formats are always full. */
typedef uint32_t gr_color_range;

enum {
  GR_RANGE_LIMITED = 1, /**< Y 16 to 235, U and V 16 to 240 */
  GR_RANGE_FULL = 2     /**< 0 to 255 */
};

/** The matrix between RGB and YUV; for RGB formats the one to convert with. */
typedef uint32_t gr_color_matrix;

enum {
  GR_MATRIX_BT601 = 1,
  GR_MATRIX_BT709 = 2
};

/**
 * A pts_ns without a timestamp: video is stamped on arrival; an audio block follows the
 * previous one without a gap.
 */
#define GR_PTS_UNSTAMPED INT64_MIN

/** The properties of a frame besides its pixels. */
typedef struct gr_frame_info {
  uint32_t struct_size;
  gr_rotation rotation;
  gr_color_range range;
  gr_color_matrix matrix;
  uint32_t offer_revision; /**< the offer that the frame was made for */
  uint32_t reserved;       /**< zero */
  int64_t pts_ns;          /**< when it shows, on the session clock, or GR_PTS_UNSTAMPED */
} gr_frame_info;

/** A plane to read. */
typedef struct gr_plane {
  const uint8_t *GR_NULLABLE data;
  uint64_t size_bytes;   /**< readable bytes at data */
  uint32_t stride_bytes; /**< bytes from one row to the next; at least one row */
  uint32_t reserved;     /**< zero */
} gr_plane;

/** A plane to write. */
typedef struct gr_mutable_plane {
  uint8_t *GR_NULLABLE data;
  uint64_t size_bytes;
  uint32_t stride_bytes;
  uint32_t reserved;
} gr_mutable_plane;

/** A frame in the plugin's memory, to send. Width and height are in pixels, before rotation;
 *  any size up to GR_MAX_DIMENSION, also odd. */
typedef struct gr_video_frame {
  uint32_t struct_size;
  gr_pixel_format format;
  uint32_t width;
  uint32_t height;
  uint32_t plane_count; /**< that of the format */
  uint32_t reserved;    /**< zero */
  gr_plane planes[GR_MAX_PLANES];
  gr_frame_info info;
} gr_video_frame;

/** A frame in the host's memory, to write: a lease, or a frame to pre-process. */
typedef struct gr_mutable_frame {
  uint32_t struct_size;
  gr_pixel_format format;
  uint32_t width;
  uint32_t height;
  uint32_t plane_count;
  uint32_t reserved;
  gr_mutable_plane planes[GR_MAX_PLANES];
  gr_frame_info info;
} gr_mutable_frame;

/** A frame of the host's pool, to fill. */
typedef struct gr_lease {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t id; /**< never zero, never reused by a sender */
  gr_mutable_frame frame;
} gr_lease;

/* ------------------------------------------------------------------------------------
 * Audio
 * ---------------------------------------------------------------------------------- */

/** The longest audio block, in milliseconds. */
#define GR_MAX_BLOCK_MS 100

/** The capacity of a sender's audio queue, in milliseconds. */
#define GR_AUDIO_QUEUE_MS 200

/** Interleaved 16-bit little-endian PCM. */
typedef struct gr_audio_block {
  uint32_t struct_size;
  uint32_t sample_rate_hz; /**< 8000 to 192000, any whole number */
  uint32_t channels;       /**< 1 or 2 */
  uint32_t frame_count;    /**< samples per channel: more than 0, up to 100 ms */
  const int16_t *GR_NULLABLE samples; /**< frame_count * channels of them */
  uint64_t size_bytes;     /**< of samples */
  int64_t pts_ns;          /**< of the first sample, or GR_PTS_UNSTAMPED */
} gr_audio_block;

/* ------------------------------------------------------------------------------------
 * Negotiation
 * ---------------------------------------------------------------------------------- */

/** A size and a frame rate. The rate is a fraction: 30000/1001 is 29.97 frames a second. */
typedef struct gr_capability {
  uint32_t width;
  uint32_t height;
  uint32_t fps_numerator;
  uint32_t fps_denominator;
} gr_capability;

/** The kind of an offer: the sizes and rates that it allows. */
enum {
  GR_OFFER_ROWS = 1, /**< one of the rows (video sources) */
  GR_OFFER_UP_TO = 2 /**< any size and rate up to the one row there is (share sources) */
};

/** The host's reason for an offer. */
enum {
  GR_OFFER_REASON_INITIAL = 1,
  GR_OFFER_REASON_CEILING_LOWERED = 2,
  GR_OFFER_REASON_CEILING_RAISED = 3
};

/** The sizes and rates that the session can use. */
typedef struct gr_offer {
  uint32_t struct_size;
  uint32_t revision;  /**< grows with each offer to an instance; frames name it */
  uint32_t rule;      /**< GR_OFFER_ROWS or GR_OFFER_UP_TO */
  uint32_t reason;    /**< GR_OFFER_REASON_... */
  const gr_capability *GR_NONNULL rows; /**< largest first; a row's rate is its maximum */
  uint32_t row_count;
  uint32_t reserved;
  gr_capability suggested; /**< the best row for now */
} gr_offer;

/** The kind of an answer. */
enum {
  GR_ANSWER_ACCEPT = 1,  /**< the suggestion, unchanged */
  GR_ANSWER_COUNTER = 2, /**< capability: another row of the offer */
  GR_ANSWER_FIXED = 3    /**< capability: exactly this; the host adapts the frames */
};

/** A plugin's answer to an offer. The host sets it to ACCEPT and the suggestion before the
 *  call, so a plugin that agrees leaves it unchanged. A plugin that changes the capability and
 *  leaves ACCEPT counters with it, and the host logs that. */
typedef struct gr_answer {
  uint32_t struct_size;
  uint32_t kind; /**< GR_ANSWER_... */
  gr_capability capability;
} gr_answer;

/* ------------------------------------------------------------------------------------
 * Parameters
 * ---------------------------------------------------------------------------------- */

/** The type of a parameter, and which member of gr_value holds it. */
enum {
  GR_TYPE_BOOLEAN = 1, /**< integer: 0 or 1 */
  GR_TYPE_INTEGER = 2, /**< integer */
  GR_TYPE_NUMBER = 3,  /**< number; never NaN or infinite */
  GR_TYPE_STRING = 4,  /**< string */
  GR_TYPE_CHOICE = 5,  /**< string: one of the choices */
  GR_TYPE_PATH = 6     /**< string: a file or folder, absolute when it reaches the plugin */
};

typedef struct gr_value {
  uint32_t type;
  uint32_t reserved; /**< zero */
  int64_t integer;
  double number;
  const char *GR_NULLABLE string;
} gr_value;

/** Flags of a parameter. */
enum {
  GR_PARAMETER_LIVE = 1,    /**< may change while the instance exists: GR_EXT_LIVE_PARAMETERS */
  GR_PARAMETER_REQUIRED = 2, /**< has no default: the session file must set it */
  GR_PARAMETER_BOUNDED = 4, /**< minimum and maximum apply (INTEGER and NUMBER) */
  /** The text names something outside of the plugin, such as an address, a device, a command or a
   *  file (STRING; implied for PATH). While the plugin runs, such a setting changes only to values
   *  that the session file names or grants. Since minor 3; older hosts ignore this flag. */
  GR_PARAMETER_RESOURCE = 8,
  /** The text is a secret (STRING, not LIVE): the host never prints it, and the session file can
   *  name a file that contains it, as NAME-file. Since minor 3; older hosts ignore this flag. */
  GR_PARAMETER_SECRET = 16
};

/** A setting of the plugin. The host checks values against it: a plugin never receives a
 *  value of another type, out of bounds, or not among the choices. */
typedef struct gr_parameter {
  uint32_t struct_size;
  uint32_t type;
  uint32_t flags;
  uint32_t choice_count;
  const char *GR_NONNULL name;  /**< as in the session file: a-z, 0-9, '-'; begins with a letter */
  const char *GR_NONNULL title; /**< for people, a few words */
  const char *GR_NULLABLE unit; /**< "Hz", "px", ... */
  const char *GR_NONNULL const *GR_NULLABLE choices;
  gr_value default_value; /**< of the parameter's type, unless REQUIRED */
  double minimum;
  double maximum;
} gr_parameter;

/** A parameter's value, by name. */
typedef struct gr_setting {
  const char *GR_NONNULL name;
  gr_value value;
} gr_setting;

/* ------------------------------------------------------------------------------------
 * The host, as a plugin sees it
 * ---------------------------------------------------------------------------------- */

/** The host's handle of an instance. */
typedef uint64_t gr_instance;

/** The host's handle of a sender. Each initialize makes a new one. */
typedef uint64_t gr_sender;

enum {
  GR_LOG_DEBUG = 1,
  GR_LOG_INFO = 2,
  GR_LOG_WARNING = 3,
  GR_LOG_ERROR = 4
};

typedef struct gr_host {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  const char *GR_NONNULL name;
  const char *GR_NONNULL version;

  /** Writes a line to the host's log, with the instance's name. [any] */
  void (*GR_NONNULL log)(gr_instance instance, uint32_t level, const char *GR_NONNULL text);

  /** Sets the reason why the current callback will return another status than GR_STATUS_OK.
   *  People read this text. [control] */
  void (*GR_NONNULL set_error)(gr_instance instance, const char *GR_NONNULL text);

  /** Gives up: the source can't continue and sends nothing more. The host calls stop_send and
   *  uninitialize, then does what the session file says about failures. With GR_STATUS_OK the
   *  plugin has finished, which is no failure. Frames and blocks of a filter that gave up pass
   *  unedited, or are hidden if the filter is required. [any] */
  void (*GR_NONNULL give_up)(gr_instance instance, gr_status status, const char *GR_NONNULL text);

  /** The time on the session clock; zero if the instance is unknown. [any] */
  int64_t (*GR_NONNULL now_ns)(gr_instance instance);

  /** Waits until the session clock reaches deadline_ns; returns at once if it has passed.
   *  Returns GR_STATUS_STOPPED as soon as stop_send begins, and GR_STATUS_NOT_STARTED before
   *  start_send. A thread that returns whenever this is not GR_STATUS_OK ends in time.
   *  [any & sending, not from a callback] */
  gr_status (*GR_NONNULL wait_until_ns)(gr_instance instance, int64_t deadline_ns);

  /** Copies the text of the calling thread's last refusal: the rule, the call, the state and
   *  the fix. Returns its length without the NUL; if that is more than capacity - 1, the
   *  copy was cut. [any] */
  uint64_t (*GR_NONNULL refusal_text)(char *GR_NULLABLE buffer, uint64_t capacity);

  /** An extension of the host by id, or NULL. [any] */
  const void *GR_NULLABLE (*GR_NONNULL get_extension)(gr_instance instance, const char *GR_NONNULL id);
} gr_host;

/** Sends video. Every function is [any]. */
typedef struct gr_video_functions {
  uint32_t struct_size;
  uint32_t reserved;

  /** Sends a frame from the plugin's memory, which is not used after the call. A source that is
   *  late by a frame leaves that frame out, because a burst of late frames shows only the last of
   *  them. Makes one copy, or converts the pixels if all that takes them would do that next. Checks
   *  everything before it reads a byte. Does not wait. */
  gr_status (*GR_NONNULL send)(gr_sender sender, const gr_video_frame *GR_NONNULL frame);

  /** Leases a frame of the host's pool, of any format but MJPEG. Its pixels are undefined. Its info
   *  is that of an upright frame without a timestamp, with the revision that was agreed last: copy
   *  it, change what differs, and pass it to commit.
   *  Set lease->struct_size before the call. Does not wait: returns GR_STATUS_NO_BUFFER. */
  gr_status (*GR_NONNULL acquire)(gr_sender sender, gr_pixel_format format, uint32_t width,
                                  uint32_t height, gr_lease *GR_NONNULL lease);

  /** Sends a leased frame without a copy. The lease ends with any status. */
  gr_status (*GR_NONNULL commit)(gr_sender sender, uint64_t lease_id,
                                 const gr_frame_info *GR_NONNULL info);

  /** Returns a leased frame unsent. */
  gr_status (*GR_NONNULL abandon)(gr_sender sender, uint64_t lease_id);
} gr_video_functions;

/** Sends audio. Every function is [any]. */
typedef struct gr_audio_functions {
  uint32_t struct_size;
  uint32_t reserved;

  /** Appends a block to the sender's queue of 200 ms, which the session empties in session
   *  time. If the queue is full, waits up to timeout_ns (0: not at all; negative: until there
   *  is room), then returns GR_STATUS_QUEUE_FULL and takes nothing. With a negative timeout
   *  the host sets the pace of a loop. stop_send ends the wait. */
  gr_status (*GR_NONNULL send)(gr_sender sender, const gr_audio_block *GR_NONNULL block,
                               int64_t timeout_ns);
} gr_audio_functions;

/* ------------------------------------------------------------------------------------
 * The plugin, as the host sees it
 * ---------------------------------------------------------------------------------- */

/** The kind of a plugin. */
enum {
  GR_KIND_VIDEO_SOURCE = 1,       /**< a camera: gr_video_functions, an offer of rows */
  GR_KIND_VIRTUAL_MIC = 2,        /**< a microphone: gr_audio_functions */
  GR_KIND_SHARE_SOURCE = 3,       /**< a screen share: gr_video_functions, an offer "up to" */
  GR_KIND_SHARE_AUDIO_SOURCE = 4, /**< the audio of a share: gr_audio_functions */
  GR_KIND_PRE_PROCESSOR = 5,      /**< edits video in place: GR_EXT_PRE_PROCESSOR */
  GR_KIND_OUTPUT = 6,             /**< takes the session's media: greenroom/output.h (minor 1) */
  GR_KIND_CALL = 7,               /**< an output that brings participants: greenroom/call.h (minor 1) */
  GR_KIND_COMPOSER = 8,           /**< one video of the session's media: greenroom/output.h (minor 2) */
  GR_KIND_AUDIO_PRE_PROCESSOR = 9 /**< edits audio in place: GR_EXT_AUDIO_PRE_PROCESSOR (minor 2) */
};

/** The arguments of initialize. */
typedef struct gr_initialize {
  uint32_t struct_size;
  uint32_t reserved;
  gr_sender sender; /**< zero for pre-processors and outputs */
  const gr_video_functions *GR_NULLABLE video; /**< video and share sources and composers, else NULL */
  const gr_audio_functions *GR_NULLABLE audio; /**< audio sources, else NULL */
  const gr_offer *GR_NULLABLE offer;   /**< video and share sources and composers; for a
                                            pre-processor the one row of its frames; else NULL */
  gr_answer *GR_NULLABLE answer;       /**< video and share sources and composers, else NULL */
} gr_initialize;

/** An instance of a plugin; create() makes it in the plugin's memory. */
typedef struct gr_plugin {
  uint32_t struct_size;
  uint32_t reserved;
  void *GR_NULLABLE self; /**< the plugin's own pointer, passed to each of its functions */

  /** Frees the instance; the last call on it. [control & created or uninitialized] */
  void (*GR_NONNULL destroy)(void *GR_NULLABLE self);

  /** [control & created] */
  gr_status (*GR_NONNULL initialize)(void *GR_NULLABLE self, const gr_initialize *GR_NONNULL in);

  /** The session renegotiated: a new offer, for video and share sources and composers; a pre-processor has
   *  GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE. NULL: the plugin
   *  continues as it is, and the host adapts its frames, as after any status other than
   *  GR_STATUS_OK. The host accepts frames for the new offer as soon as it makes this call. It
   *  counts frames for older offers as stale from one second after the call has returned.
   *  [control & initialized or sending] */
  gr_status (*GR_NULLABLE property_change)(void *GR_NULLABLE self, const gr_offer *GR_NONNULL offer,
                                           gr_answer *GR_NONNULL answer);

  /** [control & initialized] */
  gr_status (*GR_NONNULL start_send)(void *GR_NULLABLE self);

  /** [control & sending] */
  void (*GR_NONNULL stop_send)(void *GR_NULLABLE self);

  /** [control & initialized] */
  void (*GR_NONNULL uninitialize)(void *GR_NULLABLE self);

  /** An extension of the plugin by id, or NULL; always the same for one id. A NULL function: no
   *  extensions. [control] */
  const void *GR_NULLABLE (*GR_NULLABLE get_extension)(void *GR_NULLABLE self,
                                                       const char *GR_NONNULL id);
} gr_plugin;

/** The needs of a plugin's process. Users read them in `greenroom plugin info NAME`. The host grants
 *  nothing because of them, except to bundled plugins; the session file does. Since minor 3; older
 *  hosts ignore them. */
enum {
  /** A separate process, because the plugin decodes foreign data or runs foreign code. Plugins that are
   *  not bundled with the host have one anyway. */
  GR_NEED_PROCESS = 1,
  /** One process for all of the library's plugins in a session, so that they can share variables: the parts of a
   *  bot, for example. Each of them has the grants of all. */
  GR_NEED_ONE_PROCESS = 2,
  /** Connections to the network. */
  GR_NEED_NETWORK = 4,
  /** Its own sandbox instead of the host's: it starts programs that cannot start in the host's. */
  GR_NEED_OWN_SANDBOX = 8
};

/** More private memory than the host's default, in megabytes from 1 to 65535. */
#define GR_NEED_MEMORY(megabytes) ((uint32_t)(megabytes) << 16)

/** A library's description of a plugin, read before any code but the entry runs. */
typedef struct gr_descriptor {
  uint32_t struct_size;
  uint32_t kind;                  /**< GR_KIND_... */
  const char *GR_NONNULL id;      /**< reverse domain: a-z, 0-9, '-', '.'; never changes */
  const char *GR_NONNULL name;    /**< as in session files: letters, digits, '-'; the library's only
                                       one of its kind */
  const char *GR_NONNULL version; /**< "1.2.3" */
  const char *GR_NONNULL summary; /**< one line for people */
  const char *GR_NULLABLE vendor;
  const char *GR_NULLABLE url;
  const gr_parameter *GR_NULLABLE parameters;
  uint32_t parameter_count;
  uint32_t needs; /**< GR_NEED_..., combined with | */
} gr_descriptor;

/** The arguments of create(). */
typedef struct gr_create {
  uint32_t struct_size;
  uint32_t setting_count;
  gr_instance instance; /**< for calls of the host; valid until destroy returns */
  const gr_host *GR_NONNULL host;
  const gr_setting *GR_NULLABLE settings; /**< every parameter, in the order of the table */
} gr_create;

/** The result of the exported function. */
typedef struct gr_entry {
  uint32_t struct_size;
  uint16_t abi_major; /**< GR_ABI_MAJOR */
  uint16_t abi_minor; /**< GR_ABI_MINOR */
  uint32_t plugin_count;
  uint32_t reserved; /**< zero */

  /** The plugin's descriptor, for index 0 to plugin_count - 1. [any] */
  const gr_descriptor *GR_NULLABLE (*GR_NONNULL descriptor)(uint32_t index);

  /** Makes an instance and sets *plugin to it; it stays valid and unchanged until destroy
   *  returns. It should be cheap: open and start nothing. [control] */
  gr_status (*GR_NONNULL create)(uint32_t index, const gr_create *GR_NONNULL in,
                                 const gr_plugin *GR_NULLABLE *GR_NONNULL plugin);
} gr_entry;

/** The name of the exported function, for dlsym. */
#define GR_ENTRY_SYMBOL "greenroom_plugin_entry"

/** The type of the exported function:
 *  GR_EXPORT const gr_entry *greenroom_plugin_entry(void); [any] */
typedef const gr_entry *GR_NULLABLE (*gr_entry_function)(void);

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for plugins that send audio: gr_host.get_extension(instance,
 * GR_EXT_AUDIO_QUEUE) is NULL for the other kinds. Since minor 3.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_AUDIO_QUEUE "greenroom.audio-queue/1"

/** The audio that a sender has queued and nobody has heard yet. A call has it for the senders of its
 *  tracks. */
typedef struct gr_audio_queue {
  uint32_t struct_size;
  uint32_t reserved;

  /** Silences the queued audio within 5 ms, so that an interrupted speaker is silent at once. The
   *  silence keeps its length, so audio that follows is on time. Writes the length of the audio that was
   *  silenced, in nanoseconds. [any] */
  gr_status (*GR_NONNULL clear)(gr_sender sender, int64_t *GR_NONNULL cleared_ns);

  /** Writes the time in nanoseconds until the last queued sample is heard, or 0 if all was heard.
   *  [any] */
  gr_status (*GR_NONNULL queued)(gr_sender sender, int64_t *GR_NONNULL queued_ns);
} gr_audio_queue;

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for sources whose media may end or be damaged: gr_host.get_extension(instance,
 * GR_EXT_HOLD) is NULL for the other kinds. Since minor 3.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_HOLD "greenroom.hold/1"

/** The report of a source that has nothing new to show. */
typedef struct gr_hold {
  uint32_t struct_size;
  uint32_t reserved;

  /** With 1, the source has nothing new to send, because its media has ended, is damaged or lost. The
   *  host repeats the last frame, or plays silence, and counts neither as real. Until a call with 0,
   *  silence does not count as a failure. [any] */
  gr_status (*GR_NONNULL held)(gr_instance instance, uint32_t is_held);

  /** Counts frames, or blocks of audio, that the source received but cannot decode, and therefore does
   *  not send. The report counts them as refused, with BAD_DATA. [any] */
  gr_status (*GR_NONNULL damaged)(gr_instance instance, uint32_t count);
} gr_hold;

/* ------------------------------------------------------------------------------------
 * An extension of hosts, for plugins of every kind that know what somebody says. Since minor 3.
 * ---------------------------------------------------------------------------------- */

#define GR_EXT_CAPTIONS_HOST "greenroom.captions-host/1"

/** The longest text of a caption, in bytes. */
#define GR_MAX_CAPTION 1000

/** The longest duration of a caption, in nanoseconds: a minute. */
#define GR_MAX_CAPTION_NS 60000000000

/** The text of spoken words. */
typedef struct gr_caption {
  uint32_t struct_size;
  uint32_t reserved;                /**< zero */
  const char *GR_NULLABLE speaker;  /**< for people: "Ana", up to 100 bytes; NULL: unknown */
  const char *GR_NONNULL text;      /**< 1 to GR_MAX_CAPTION bytes */
  int64_t start_ns;                 /**< when it begins, on the session clock */
  int64_t end_ns;                   /**< when it ends: up to GR_MAX_CAPTION_NS later */
} gr_caption;

/** The captions of a session. */
typedef struct gr_captions_host {
  uint32_t struct_size;
  uint32_t reserved;

  /** Adds a caption, which is final: recordings and viewers show it. Every output, composer and call that
   *  has GR_EXT_CONTROL gets it as the event "caption". [any & sending] */
  gr_status (*GR_NONNULL add)(gr_instance instance, const gr_caption *GR_NONNULL caption);
} gr_captions_host;

/* ------------------------------------------------------------------------------------
 * Extensions of plugins. The meaning of an id never changes; a new layout gets a new id.
 * ---------------------------------------------------------------------------------- */

/** Required of a GR_KIND_PRE_PROCESSOR. */
#define GR_EXT_PRE_PROCESSOR "greenroom.pre-processor/1"

typedef struct gr_pre_processor {
  uint32_t struct_size;
  uint32_t reserved;

  /** Edits a frame in place: I420, in the agreed size, upright. After a status other than
   *  GR_STATUS_OK the host delivers the frame as it was, and counts it as unprocessed.
   *  [media & sending] */
  gr_status (*GR_NONNULL process)(void *GR_NULLABLE self, gr_mutable_frame *GR_NONNULL frame);
} gr_pre_processor;

/** For a pre-processor that can continue with frames of another size or rate, for example after a
 *  ceiling was lowered or a share has changed its shape. Without this extension, or after a status
 *  other than GR_STATUS_OK, the host scales frames to the earlier size. Since minor 1. */
#define GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE "greenroom.pre-processor-property-change/1"

typedef struct gr_pre_processor_property_change {
  uint32_t struct_size;
  uint32_t reserved;

  /** The frames to come have the offer's one row. process is not called meanwhile, so the video
   *  may wait for the return. [control & initialized or sending] */
  gr_status (*GR_NONNULL property_change)(void *GR_NULLABLE self,
                                          const gr_offer *GR_NONNULL offer);
} gr_pre_processor_property_change;

/** A GR_KIND_AUDIO_PRE_PROCESSOR must have it. Of minor 2. */
#define GR_EXT_AUDIO_PRE_PROCESSOR "greenroom.audio-pre-processor/1"

/** The samples of each channel in a block to edit: 10 ms of 48 kHz. */
#define GR_AUDIO_EDIT_FRAMES 480

/** The longest delay of an audio pre-processor, in samples of each channel: 200 ms. */
#define GR_MAX_AUDIO_DELAY_FRAMES 9600

/** A flag of gr_audio_pre_processor: blocks come with the session's incoming audio, if it has a
 *  call. */
#define GR_AUDIO_EDIT_REFERENCE 1u

/** A block of 48 kHz PCM to edit in place, 16 bits a sample, interleaved. */
typedef struct gr_audio_edit {
  uint32_t struct_size;
  uint32_t channels;    /**< those of the gr_audio_pre_processor */
  uint32_t frame_count; /**< samples of each channel: GR_AUDIO_EDIT_FRAMES */
  uint32_t reserved;    /**< zero */
  int64_t pts_ns;       /**< when the first sample is due, on the session clock */
  int16_t *GR_NONNULL samples;
  /** The participants' audio of the latest 10 ms, in as many channels and samples: an echo in the
   *  block is of that audio or earlier audio. NULL without GR_AUDIO_EDIT_REFERENCE or a call. */
  const int16_t *GR_NULLABLE reference;
} gr_audio_edit;

/** An instance may have its own table: settings may decide its numbers. The host reads it once,
 *  right after create. */
typedef struct gr_audio_pre_processor {
  uint32_t struct_size;
  uint32_t channels;     /**< of its blocks: 1 or 2. For 1 the host mixes both channels, and gives
                              the result to both */
  uint32_t delay_frames; /**< how much later a sample leaves than it came, up to
                              GR_MAX_AUDIO_DELAY_FRAMES. The host keeps all tracks in step */
  uint32_t flags;        /**< GR_AUDIO_EDIT_REFERENCE, or 0 */

  /** Edits a block in place; blocks come in order, without gaps from start_send to stop_send, and
   *  with silence while the source sends nothing. The host resets nothing: the plugin forgets
   *  earlier audio in start_send. After a status other than GR_STATUS_OK, or when
   *  it takes longer than a block lasts, the host delivers the block as it was, and counts it as
   *  unprocessed. [media & sending] */
  gr_status (*GR_NONNULL process)(void *GR_NULLABLE self, gr_audio_edit *GR_NONNULL block);
} gr_audio_pre_processor;

/** Required of a plugin that has a parameter with GR_PARAMETER_LIVE. */
#define GR_EXT_LIVE_PARAMETERS "greenroom.live-parameters/1"

typedef struct gr_live_parameters {
  uint32_t struct_size;
  uint32_t reserved;

  /** Changes a parameter. The host has checked the value. [control & not destroyed] */
  gr_status (*GR_NONNULL set)(void *GR_NULLABLE self, const gr_setting *GR_NONNULL setting);
} gr_live_parameters;

/** For video and share sources and composers that can make only some sizes and rates. Without it the host
 *  assumes that a source can make anything. */
#define GR_EXT_VIDEO_CAPABILITIES "greenroom.video-capabilities/1"

/** The largest number of rows in a gr_video_capabilities. */
#define GR_MAX_CAPABILITIES 256

/** The sizes that a source can make, in any order; a row's rate is its maximum. Offers contain
 *  the rows that the session can use; if it can use none, answer GR_ANSWER_FIXED. The host
 *  reads it once, right after create. */
typedef struct gr_video_capabilities {
  uint32_t struct_size;
  uint32_t count; /**< up to GR_MAX_CAPABILITIES; 0 is the same as no extension */
  const gr_capability *GR_NULLABLE rows; /**< count of them */
} gr_video_capabilities;

/* ------------------------------------------------------------------------------------
 * Sizes on 64-bit machines, asserted so that no compiler disagrees
 * ---------------------------------------------------------------------------------- */
#if UINTPTR_MAX == 0xffffffffffffffffu
GR_STATIC_ASSERT(size_of_frame_info, sizeof(gr_frame_info) == 32);
GR_STATIC_ASSERT(size_of_plane, sizeof(gr_plane) == 24);
GR_STATIC_ASSERT(size_of_mutable_plane, sizeof(gr_mutable_plane) == 24);
GR_STATIC_ASSERT(size_of_video_frame, sizeof(gr_video_frame) == 128);
GR_STATIC_ASSERT(size_of_mutable_frame, sizeof(gr_mutable_frame) == 128);
GR_STATIC_ASSERT(size_of_lease, sizeof(gr_lease) == 144);
GR_STATIC_ASSERT(size_of_audio_block, sizeof(gr_audio_block) == 40);
GR_STATIC_ASSERT(size_of_capability, sizeof(gr_capability) == 16);
GR_STATIC_ASSERT(size_of_offer, sizeof(gr_offer) == 48);
GR_STATIC_ASSERT(size_of_answer, sizeof(gr_answer) == 24);
GR_STATIC_ASSERT(size_of_value, sizeof(gr_value) == 32);
GR_STATIC_ASSERT(size_of_parameter, sizeof(gr_parameter) == 96);
GR_STATIC_ASSERT(size_of_setting, sizeof(gr_setting) == 40);
GR_STATIC_ASSERT(size_of_host, sizeof(gr_host) == 80);
GR_STATIC_ASSERT(size_of_video_functions, sizeof(gr_video_functions) == 40);
GR_STATIC_ASSERT(size_of_audio_functions, sizeof(gr_audio_functions) == 16);
GR_STATIC_ASSERT(size_of_audio_queue, sizeof(gr_audio_queue) == 24);
GR_STATIC_ASSERT(size_of_hold, sizeof(gr_hold) == 24);
GR_STATIC_ASSERT(size_of_caption, sizeof(gr_caption) == 40);
GR_STATIC_ASSERT(size_of_captions_host, sizeof(gr_captions_host) == 16);
GR_STATIC_ASSERT(size_of_initialize, sizeof(gr_initialize) == 48);
GR_STATIC_ASSERT(size_of_plugin, sizeof(gr_plugin) == 72);
GR_STATIC_ASSERT(size_of_descriptor, sizeof(gr_descriptor) == 72);
GR_STATIC_ASSERT(size_of_create, sizeof(gr_create) == 32);
GR_STATIC_ASSERT(size_of_entry, sizeof(gr_entry) == 32);
GR_STATIC_ASSERT(size_of_pre_processor, sizeof(gr_pre_processor) == 16);
GR_STATIC_ASSERT(size_of_pre_processor_property_change,
                 sizeof(gr_pre_processor_property_change) == 16);
GR_STATIC_ASSERT(size_of_audio_edit, sizeof(gr_audio_edit) == 40);
GR_STATIC_ASSERT(size_of_audio_pre_processor, sizeof(gr_audio_pre_processor) == 24);
GR_STATIC_ASSERT(size_of_live_parameters, sizeof(gr_live_parameters) == 16);
GR_STATIC_ASSERT(size_of_video_capabilities, sizeof(gr_video_capabilities) == 16);
#endif

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
