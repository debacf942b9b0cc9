/*
 * greenroom/base.h - sources and filters in C that consist of one function
 *
 * A source's function runs on a separate thread while the source sends. A filter's function edits
 * a frame, or a block of audio. The rest of plugin.h is done in here: the lifecycle, offers, settings, the entry.
 *
 *   typedef struct camera {
 *     gr_source source; // first
 *     int64_t stripes;
 *   } camera;
 *
 *   static void send_frames(gr_source *source) {
 *     gr_frame_time time;
 *     gr_lease lease;
 *     while (gr_next_frame(source, &time) == GR_STATUS_OK) {
 *       if (gr_acquire_frame(source, &time, GR_FORMAT_I420, &lease) != GR_STATUS_OK) continue;
 *       ... fill lease.frame ...
 *       gr_commit_frame(source, &time, &lease);
 *     }
 *   }
 *
 *   static const gr_descriptor description = GR_DESCRIPTION(...);
 *   GR_EXPORT_SOURCE(camera, description, send_frames, set)
 *
 * Include it in one file of a library. It needs C99 or C++17, and pthreads. A plugin that wants
 * more fills in the functions of plugin.h itself.
 */
#ifndef GREENROOM_BASE_H
#define GREENROOM_BASE_H

#include <greenroom/send.h>
#include <pthread.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------
 * The description of a library
 * ---------------------------------------------------------------------------------- */

/** A gr_descriptor. parameters: an array of gr_parameter, or NULL. */
#define GR_DESCRIPTION(kind, id, name, version, summary, parameters)                              \
  {                                                                                               \
    sizeof(gr_descriptor), kind, id, name, version, summary, NULL, NULL, parameters,              \
        sizeof(parameters) / sizeof(gr_parameter), 0                                              \
  }

/** A gr_parameter for a whole number between two bounds, which may change while the plugin lives.
 *  unit: "Hz", "px", or NULL. */
#define GR_LIVE_INTEGER(name, title, unit, value, minimum, maximum)                               \
  {                                                                                               \
    sizeof(gr_parameter), GR_TYPE_INTEGER, GR_PARAMETER_LIVE | GR_PARAMETER_BOUNDED, 0, name,     \
        title, unit, NULL, {GR_TYPE_INTEGER, 0, value, 0, NULL}, minimum, maximum                 \
  }

/** Takes a setting over: at first each one, then those that change. The host has checked the
 *  value. Returns GR_STATUS_BAD_SETTING for a name that the plugin does not know. It may run while
 *  the plugin's own function does: use atomics or the lock. NULL for a plugin without parameters.
 *  [control] */
typedef gr_status (*gr_set_function)(void *self, const gr_setting *setting);

/* ------------------------------------------------------------------------------------
 * Sources
 * ---------------------------------------------------------------------------------- */

/** A source; the first member of the plugin's own struct. */
typedef struct gr_source {
  gr_plugin plugin;
  const gr_host *host;
  gr_instance instance;
  gr_sender sender;
  const gr_video_functions *video; /**< NULL for audio */
  const gr_audio_functions *audio; /**< NULL for video */
  void (*run)(struct gr_source *source);
  pthread_t thread;
  pthread_mutex_t lock;   /**< of the next two */
  gr_capability agreed;   /**< size and frame rate */
  uint32_t revision;      /**< of the offer that they are from */
  /* Of the source's thread: */
  gr_capability rate;     /**< of the frames that are counted now */
  uint32_t rate_revision;
  int64_t start_ns;       /**< when sending began */
  int64_t first_ns;       /**< when frame 0 of this rate is due */
  int64_t next;           /**< the next frame of this rate, or the next sample */
} gr_source;

/** The size and the time for which the next frame is drawn. */
typedef struct gr_frame_time {
  uint32_t width;
  uint32_t height;
  uint32_t offer_revision;
  int64_t pts_ns;     /**< when it shows, on the session clock */
  int64_t elapsed_ns; /**< the same, since sending began */
} gr_frame_time;

/** Waits until the next frame is due. Frames that are late by a whole frame are left out.
 *  Returns another status than GR_STATUS_OK when the source is to end. [the source's thread] */
static inline gr_status gr_next_frame(gr_source *source, gr_frame_time *time) {
  const int64_t now_ns = source->host->now_ns(source->instance);
  gr_capability agreed;
  uint32_t revision;
  pthread_mutex_lock(&source->lock);
  agreed = source->agreed;
  revision = source->revision;
  pthread_mutex_unlock(&source->lock);
  if (source->rate_revision == 0) {
    source->first_ns = source->start_ns;
  } else if (revision != source->rate_revision) { /* from here on at the rate of the new offer */
    source->first_ns += gr_frame_due_ns(source->next, &source->rate);
    source->next = 0;
  }
  source->rate = agreed;
  source->rate_revision = revision;
  while (source->first_ns + gr_frame_due_ns(source->next + 1, &agreed) <= now_ns) source->next++;
  time->width = agreed.width;
  time->height = agreed.height;
  time->offer_revision = revision;
  time->pts_ns = source->first_ns + gr_frame_due_ns(source->next++, &agreed);
  time->elapsed_ns = time->pts_ns - source->start_ns;
  return source->host->wait_until_ns(source->instance, time->pts_ns);
}

/** Leases a frame of the agreed size to fill. Leave the frame out after any status but
 *  GR_STATUS_OK: the host has no room. */
static inline gr_status gr_acquire_frame(gr_source *source, const gr_frame_time *time,
                                         gr_pixel_format format, gr_lease *lease) {
  memset(lease, 0, sizeof *lease);
  lease->struct_size = (uint32_t)sizeof *lease;
  return source->video->acquire(source->sender, format, time->width, time->height, lease);
}

/** Sends the leased frame without a copy: upright, BT.601, limited range (RGB: full). */
static inline gr_status gr_commit_frame(gr_source *source, const gr_frame_time *time,
                                        const gr_lease *lease) {
  gr_video_frame frame;
  (void)gr_packed_frame(&frame, lease->frame.format, time->width, time->height, NULL, 0);
  frame.info.offer_revision = time->offer_revision;
  frame.info.pts_ns = time->pts_ns;
  return source->video->commit(source->sender, lease->id, &frame.info);
}

/** Waits until the next block of audio is due, then sends it, stamped with its time: samples,
 *  interleaved. After a delay that is longer than the host's queue, audio continues in the present.
 *  Returns another status than GR_STATUS_OK when the source is to end. [the source's thread] */
static inline gr_status gr_send_block(gr_source *source, const int16_t *samples,
                                      uint32_t frame_count, uint32_t sample_rate_hz,
                                      uint32_t channels) {
  const gr_capability rate = {0, 0, sample_rate_hz, 1};
  const int64_t now_ns = source->host->now_ns(source->instance);
  gr_audio_block block = gr_block(samples, frame_count, sample_rate_hz, channels);
  gr_status status;
  if (sample_rate_hz == 0) return source->audio->send(source->sender, &block, -1); /* is refused */
  block.pts_ns = source->start_ns + gr_frame_due_ns(source->next, &rate);
  if (now_ns - block.pts_ns > GR_AUDIO_QUEUE_MS * INT64_C(1000000)) {
    source->start_ns += now_ns - block.pts_ns;
    block.pts_ns = now_ns;
  }
  source->next += frame_count;
  status = source->host->wait_until_ns(source->instance, block.pts_ns);
  return status == GR_STATUS_OK ? source->audio->send(source->sender, &block, -1) : status;
}

/* ------------------------------------------------------------------------------------
 * The functions that the macros below export
 * ---------------------------------------------------------------------------------- */

/** Takes the host's suggestion, which is what its answer says already. */
static inline gr_status gr_source_follow(gr_source *source, const gr_offer *offer) {
  if (offer->row_count == 0) {
    source->host->set_error(source->instance, "the session offers no size");
    return GR_STATUS_UNSUPPORTED;
  }
  pthread_mutex_lock(&source->lock);
  source->agreed = offer->suggested;
  source->revision = offer->revision;
  pthread_mutex_unlock(&source->lock);
  return GR_STATUS_OK;
}

static inline gr_status gr_source_initialize(void *self, const gr_initialize *in) {
  gr_source *source = (gr_source *)self;
  source->sender = in->sender;
  source->video = in->video;
  source->audio = in->audio;
  return in->offer == NULL ? GR_STATUS_OK : gr_source_follow(source, in->offer);
}

static inline gr_status gr_source_property_change(void *self, const gr_offer *offer,
                                                  gr_answer *answer) {
  (void)answer;
  return gr_source_follow((gr_source *)self, offer);
}

static inline void *gr_source_thread(void *self) {
  gr_source *source = (gr_source *)self;
  source->run(source);
  return NULL;
}

static inline gr_status gr_source_start_send(void *self) {
  gr_source *source = (gr_source *)self;
  source->start_ns = source->host->now_ns(source->instance);
  source->next = 0;
  source->rate_revision = 0;
  if (pthread_create(&source->thread, NULL, gr_source_thread, source) == 0) return GR_STATUS_OK;
  source->host->set_error(source->instance, "no thread could be made; raise the limit on threads");
  return GR_STATUS_FAILED;
}

static inline void gr_source_stop_send(void *self) {
  pthread_join(((gr_source *)self)->thread, NULL);
}

static inline void gr_source_uninitialize(void *self) { ((gr_source *)self)->sender = 0; }

static inline void gr_source_destroy(void *self) {
  pthread_mutex_destroy(&((gr_source *)self)->lock);
  free(self);
}

/** Makes a source of memory that calloc returned, which may be NULL. */
static inline gr_status gr_source_create(gr_source *source, void (*run)(gr_source *),
                                         gr_set_function set,
                                         const void *(*get_extension)(void *, const char *),
                                         const gr_create *in, const gr_plugin **plugin) {
  if (source == NULL) return GR_STATUS_FAILED;
  source->plugin.struct_size = (uint32_t)sizeof source->plugin;
  source->plugin.self = source;
  source->plugin.destroy = gr_source_destroy;
  source->plugin.initialize = gr_source_initialize;
  source->plugin.property_change = gr_source_property_change;
  source->plugin.start_send = gr_source_start_send;
  source->plugin.stop_send = gr_source_stop_send;
  source->plugin.uninitialize = gr_source_uninitialize;
  source->plugin.get_extension = get_extension;
  source->host = in->host;
  source->instance = in->instance;
  source->run = run;
  pthread_mutex_init(&source->lock, NULL);
  for (uint32_t i = 0; set != NULL && i < in->setting_count; i++) set(source, &in->settings[i]);
  *plugin = &source->plugin;
  return GR_STATUS_OK;
}

/** A filter; the first member of the plugin's own struct. */
typedef struct gr_filter {
  gr_plugin plugin;
  const gr_host *host;
  gr_instance instance;
  void (*start)(void *self); /**< a gr_start_function, or NULL */
} gr_filter;

/** Forgets what a filter knows of earlier frames or blocks: others follow. A filter that looks ahead
 *  or back needs it. [control] */
typedef void (*gr_start_function)(void *self);

/* Frames come when the host has some, so there is nothing to stop. */
static inline gr_status gr_filter_initialize(void *self, const gr_initialize *in) {
  (void)self, (void)in;
  return GR_STATUS_OK;
}
static inline gr_status gr_filter_start_send(void *self) {
  gr_filter *filter = (gr_filter *)self;
  if (filter->start != NULL) filter->start(self);
  return GR_STATUS_OK;
}
static inline void gr_filter_stop(void *self) { (void)self; }

/** Makes a filter of memory that calloc returned, which may be NULL. */
static inline gr_status gr_filter_create(gr_filter *filter, gr_start_function start,
                                         gr_set_function set,
                                         const void *(*get_extension)(void *, const char *),
                                         const gr_create *in, const gr_plugin **plugin) {
  if (filter == NULL) return GR_STATUS_FAILED;
  filter->plugin.struct_size = (uint32_t)sizeof filter->plugin;
  filter->plugin.self = filter;
  filter->plugin.destroy = free;
  filter->plugin.initialize = gr_filter_initialize;
  filter->plugin.start_send = gr_filter_start_send;
  filter->plugin.stop_send = gr_filter_stop;
  filter->plugin.uninitialize = gr_filter_stop;
  filter->plugin.get_extension = get_extension;
  filter->host = in->host;
  filter->instance = in->instance;
  filter->start = start;
  for (uint32_t i = 0; set != NULL && i < in->setting_count; i++) set(filter, &in->settings[i]);
  *plugin = &filter->plugin;
  return GR_STATUS_OK;
}

#if defined(__cplusplus)
#define GR_EXPORT_ENTRY extern "C" GR_EXPORT
#else
#define GR_EXPORT_ENTRY GR_EXPORT
#endif

/* The entry of a library with one plugin, whose create is gr_exported_create. */
#define GR_EXPORT_ONE(description)                                                                \
  static const gr_descriptor *gr_exported_descriptor(uint32_t index) {                            \
    return index == 0 ? &(description) : NULL;                                                    \
  }                                                                                               \
  GR_EXPORT_ENTRY const gr_entry *greenroom_plugin_entry(void);                                   \
  const gr_entry *greenroom_plugin_entry(void) {                                                  \
    static const gr_entry entry = {sizeof(gr_entry),       GR_ABI_MAJOR,      GR_ABI_MINOR, 1, 0, \
                                   gr_exported_descriptor, gr_exported_create};                   \
    return &entry;                                                                                \
  }

/** Exports a source as the one plugin of the library.
 *
 *  type: a struct whose first member is a gr_source; zero at first.
 *  description: a static const gr_descriptor.
 *  run: void run(gr_source *source); returns when gr_next_frame or gr_send_block says so.
 *  set: a gr_set_function. */
#define GR_EXPORT_SOURCE(type, description, run, set)                                             \
  static const void *gr_exported_extension(void *self, const char *id) {                          \
    static const gr_live_parameters live = {sizeof(gr_live_parameters), 0, set};                  \
    const gr_set_function change = set;                                                           \
    (void)self;                                                                                   \
    return change != NULL && strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;              \
  }                                                                                               \
  static gr_status gr_exported_create(uint32_t index, const gr_create *in,                        \
                                      const gr_plugin **plugin) {                                 \
    (void)index; /* there is one plugin in here */                                                \
    return gr_source_create((gr_source *)calloc(1, sizeof(type)), run, set,                       \
                            gr_exported_extension, in, plugin);                                   \
  }                                                                                               \
  GR_EXPORT_ONE(description)

/** Exports a filter as the one plugin of the library.
 *
 *  type: a struct whose first member is a gr_filter; zero at first.
 *  process: the function of gr_pre_processor; its self is the struct.
 *  description, set: as for GR_EXPORT_SOURCE. */
#define GR_EXPORT_FILTER(type, description, process, set)                                         \
  GR_EXPORT_FILTER_WITH_START(type, description, NULL, process, set)

/** The same, with start: a gr_start_function. */
#define GR_EXPORT_FILTER_WITH_START(type, description, start, process, set)                       \
  static const gr_pre_processor gr_exported_editing = {sizeof(gr_pre_processor), 0, process};     \
  GR_EXPORT_EDITING(type, description, GR_EXT_PRE_PROCESSOR, start, set)

/** Exports an audio filter as the one plugin of the library.
 *
 *  type: a struct whose first member is a gr_filter; zero at first.
 *  channels, delay_frames: as in gr_audio_pre_processor.
 *  process: the function of gr_audio_pre_processor; its self is the struct.
 *  description, set: as for GR_EXPORT_SOURCE. */
#define GR_EXPORT_AUDIO_FILTER(type, description, channels, delay_frames, process, set)           \
  GR_EXPORT_AUDIO_FILTER_WITH_START(type, description, channels, delay_frames, NULL, process, set)

/** The same, with start: a gr_start_function. */
#define GR_EXPORT_AUDIO_FILTER_WITH_START(type, description, channels, delay_frames, start,       \
                                          process, set)                                           \
  static const gr_audio_pre_processor gr_exported_editing = {                                     \
      sizeof(gr_audio_pre_processor), channels, delay_frames, 0, process};                        \
  GR_EXPORT_EDITING(type, description, GR_EXT_AUDIO_PRE_PROCESSOR, start, set)

/* A filter whose table is gr_exported_editing. */
#define GR_EXPORT_EDITING(type, description, extension, start, set)                               \
  static const void *gr_exported_extension(void *self, const char *id) {                          \
    static const gr_live_parameters live = {sizeof(gr_live_parameters), 0, set};                  \
    const gr_set_function change = set;                                                           \
    (void)self;                                                                                   \
    if (strcmp(id, extension) == 0) return &gr_exported_editing;                                  \
    return change != NULL && strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;              \
  }                                                                                               \
  static gr_status gr_exported_create(uint32_t index, const gr_create *in,                        \
                                      const gr_plugin **plugin) {                                 \
    (void)index; /* there is one plugin in here */                                                \
    return gr_filter_create((gr_filter *)calloc(1, sizeof(type)), start, set,                     \
                            gr_exported_extension, in, plugin);                                   \
  }                                                                                               \
  GR_EXPORT_ONE(description)

#endif
