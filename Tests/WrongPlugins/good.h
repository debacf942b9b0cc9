/*
 * A good plugin of any kind, for wrong ones to differ from.
 *
 * A wrong plugin says what it is and what it does itself, includes this, and writes that:
 *
 *   #define KIND GR_KIND_VIDEO_SOURCE
 *   #define OWN_STOP_SEND
 *   #include "../good.h"
 *   static void stop_send(void *self) { (void)self; }
 *
 * For each function `x` that is declared under "What a wrong plugin may do itself" there is
 * OWN_X, which leaves it out here, and good_x, which does what is right. ID, NAME and VERSION say
 * what the descriptor has, DELAY_FRAMES what an audio filter declares, and MEMBERS are more members of
 * `struct good`.
 */
#include <greenroom/call.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef KIND
#define KIND GR_KIND_VIDEO_SOURCE
#endif
#ifndef ID
#define ID "org.example.good"
#endif
#ifndef NAME
#define NAME "Good"
#endif
#ifndef VERSION
#define VERSION "1.0.0"
#endif
#ifndef DELAY_FRAMES
#define DELAY_FRAMES 0
#endif
#ifndef MEMBERS
#define MEMBERS
#endif

/* Not every plugin uses everything in here. */
#define SPARE __attribute__((unused))

/* What frames are made in, and for which offer. */
typedef struct shape {
  gr_capability size; /* and frame rate */
  uint32_t revision;
} shape;

enum { wave_frames = 480, wave_channels = 2, wave_period = 96, ramp_period = 220 };

typedef struct good {
  gr_plugin functions;
  const gr_host *host;
  gr_instance instance;
  gr_sender sender;
  const gr_video_functions *video;
  const gr_audio_functions *audio;
  const gr_output_host *output; /* of an output, and of a call */
  const gr_call_host *people;   /* of a call */
  uint32_t guest;               /* whom a call has brought */
  int32_t is_wanted;            /* whether their camera is, by atomic access */
  int64_t taken; /* frames and blocks that an output got */
  pthread_t thread;
  pthread_mutex_t lock; /* of what the next two lines have */
  shape shape;
  char label[64];
  int32_t shade; /* by atomic access, as are the others */
  int32_t gain_percent;
  int32_t is_tinted;
  int32_t is_dark;
  uint8_t ramp[GR_MAX_DIMENSION + ramp_period]; /* luma that rises from 16 to 235, again and again */
  MEMBERS
} good;

static const int64_t second_ns = 1000000000;

/* ------------------------------------------------------------------------------------
 * What a wrong plugin may do itself
 * ---------------------------------------------------------------------------------- */

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin);
static void destroy(void *self);
static gr_status initialize(void *self, const gr_initialize *in);
static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer);
static gr_status start_send(void *self);
static void stop_send(void *self);
static void uninitialize(void *self);
static const void *get_extension(void *self, const char *id);
static gr_status process(void *self, gr_mutable_frame *frame);
static gr_status edit_audio(void *self, gr_audio_edit *block);
/* Answers what an output wants of a track, and takes its media. */
static gr_status track(void *self, const gr_track *track, gr_want *want);
static gr_status video(void *self, const gr_output_frame *frame);
static gr_status audio(void *self, const gr_output_block *block);
/* Says to a call whether a track is wanted. */
static void demand(void *self, const gr_demand *demand);
/* Changes a live parameter. */
static gr_status set(void *self, const gr_setting *setting);
/* Takes a setting over; also those that create gets. */
static gr_status apply(good *me, const gr_setting *setting);
/* Decides what to make of an offer. */
static void choose(good *me, const gr_offer *offer, gr_answer *answer);
/* What the plugin's thread runs: sends until it is stopped. */
static void *pump(void *self);
/* Sends the frame that is due; `number` counts from 0 with each start. */
static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns);
static void paint(good *me, const gr_mutable_frame *frame, uint64_t number);
static gr_frame_info stamp(good *me, shape form, int64_t due_ns);
/* Sends the next 10 ms of sound. */
static gr_status send_block(good *me, uint64_t number);
static void tune(good *me, int16_t *samples, uint64_t number);
static const gr_descriptor *descriptor(uint32_t index);
GR_EXPORT const gr_entry *greenroom_plugin_entry(void); /* OWN_ENTRY */

/* ------------------------------------------------------------------------------------
 * Pictures
 * ---------------------------------------------------------------------------------- */

SPARE static shape shape_now(good *me) {
  pthread_mutex_lock(&me->lock);
  const shape now = me->shape;
  pthread_mutex_unlock(&me->lock);
  return now;
}

SPARE static void take_shape(good *me, gr_capability size, uint32_t revision) {
  pthread_mutex_lock(&me->lock);
  me->shape.size = size;
  me->shape.revision = revision;
  pthread_mutex_unlock(&me->lock);
}

/* Stripes that wander, in slanting colours. All of limited range. */
SPARE static void good_paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  const int32_t shade = __atomic_load_n(&me->shade, __ATOMIC_RELAXED);
  const int32_t blue = shade + 8 * __atomic_load_n(&me->is_tinted, __ATOMIC_RELAXED);
  const int32_t red = shade - 8 * __atomic_load_n(&me->is_dark, __ATOMIC_RELAXED);
  const uint32_t rows = (frame->height + 1) / 2, columns = (frame->width + 1) / 2;
  for (uint32_t y = 0; y < frame->height; y++)
    memcpy(frame->planes[0].data + (size_t)y * frame->planes[0].stride_bytes,
           me->ramp + (y + 3 * number) % ramp_period, frame->width);
  for (uint32_t y = 0; y < rows; y++) {
    const int32_t wave = (int32_t)((y + number) % 40);
    memset(frame->planes[1].data + (size_t)y * frame->planes[1].stride_bytes, 108 + wave + blue,
           columns);
    memset(frame->planes[2].data + (size_t)y * frame->planes[2].stride_bytes, 148 - wave + red,
           columns);
  }
}

SPARE static gr_frame_info good_stamp(good *me, shape form, int64_t due_ns) {
  const gr_frame_info info = {.struct_size = sizeof info, .range = GR_RANGE_LIMITED,
                              .matrix = GR_MATRIX_BT709, .offer_revision = form.revision,
                              .pts_ns = due_ns};
  (void)me;
  return info;
}

SPARE static gr_status good_send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  gr_lease lease = {.struct_size = sizeof lease};
  const gr_status status = me->video->acquire(me->sender, GR_FORMAT_I420, form.size.width,
                                              form.size.height, &lease);
  if (status != GR_STATUS_OK) return status; /* the host is behind: leave this frame out */
  paint(me, &lease.frame, number);
  const gr_frame_info info = stamp(me, form, due_ns);
  return me->video->commit(me->sender, lease.id, &info);
}

/* The same from the plugin's own memory. */
SPARE static gr_status send_own(good *me, shape form, uint64_t number, int64_t due_ns) {
  const uint32_t width = form.size.width, height = form.size.height;
  const uint32_t columns = (width + 1) / 2, rows = (height + 1) / 2;
  const size_t luma = (size_t)width * height, chroma = (size_t)columns * rows;
  uint8_t *memory = malloc(luma + 2 * chroma);
  if (memory == NULL) return GR_STATUS_FAILED;
  gr_mutable_frame picture = {.struct_size = sizeof picture, .format = GR_FORMAT_I420,
                              .width = width, .height = height, .plane_count = 3};
  gr_video_frame frame = {.struct_size = sizeof frame, .format = GR_FORMAT_I420, .width = width,
                          .height = height, .plane_count = 3};
  for (int i = 0; i < 3; i++) {
    picture.planes[i].data = memory + (i > 0 ? luma : 0) + (i > 1 ? chroma : 0);
    picture.planes[i].size_bytes = i > 0 ? chroma : luma;
    picture.planes[i].stride_bytes = i > 0 ? columns : width;
    frame.planes[i].data = picture.planes[i].data;
    frame.planes[i].size_bytes = picture.planes[i].size_bytes;
    frame.planes[i].stride_bytes = picture.planes[i].stride_bytes;
  }
  paint(me, &picture, number);
  frame.info = stamp(me, form, due_ns);
  const gr_status status = me->video->send(me->sender, &frame);
  free(memory);
  return status;
}

/* How long a number of frames takes. */
SPARE static int64_t duration_ns(gr_capability size, int64_t count) {
  const int64_t frames = size.fps_numerator, seconds = size.fps_denominator;
  return count / frames * seconds * second_ns + count % frames * seconds * second_ns / frames;
}

SPARE static void pump_frames(good *me) {
  shape form = shape_now(me);
  int64_t start_ns = me->host->now_ns(me->instance), count = 0;
  for (uint64_t number = 0;; number++, count++) {
    int64_t due_ns = start_ns + duration_ns(form.size, count);
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return;
    /* What this thread came too late for is left out: no burst makes up for it. */
    const int64_t now_ns = me->host->now_ns(me->instance);
    while (start_ns + duration_ns(form.size, count + 1) <= now_ns) count++;
    due_ns = start_ns + duration_ns(form.size, count);
    const shape next = shape_now(me);
    if (next.size.fps_numerator != form.size.fps_numerator ||
        next.size.fps_denominator != form.size.fps_denominator) {
      start_ns = due_ns; /* this frame is the first of the new rate */
      count = 0;
    }
    form = next;
    if (KIND == GR_KIND_CALL && !__atomic_load_n(&me->is_wanted, __ATOMIC_RELAXED)) continue;
    send_frame(me, form, number, due_ns);
  }
}

/* ------------------------------------------------------------------------------------
 * Audio
 * ---------------------------------------------------------------------------------- */

/* A triangle of 500 Hz. */
SPARE static void good_tune(good *me, int16_t *samples, uint64_t number) {
  const int32_t gain = __atomic_load_n(&me->gain_percent, __ATOMIC_RELAXED);
  (void)number; /* a block has whole periods */
  for (int i = 0; i < wave_frames; i++) {
    const int32_t place = i % wave_period, half = wave_period / 2;
    const int32_t height = place < half ? place * 2 - half : 3 * half - place * 2;
    for (int channel = 0; channel < wave_channels; channel++)
      samples[i * wave_channels + channel] = (int16_t)(height * 160 * gain / 100);
  }
}

SPARE static gr_status good_send_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels];
  tune(me, samples, number);
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = wave_frames,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = GR_PTS_UNSTAMPED};
  return me->audio->send(me->sender, &block, -1); /* waits until there is room */
}

SPARE static void pump_sound(good *me) {
  for (uint64_t number = 0; send_block(me, number) == GR_STATUS_OK; number++) {
  }
}

/* ------------------------------------------------------------------------------------
 * The life
 * ---------------------------------------------------------------------------------- */

SPARE static void *good_pump(void *self) {
  good *me = self;
  if (me->video) pump_frames(me);
  if (me->audio) pump_sound(me);
  return NULL;
}

SPARE static void good_choose(good *me, const gr_offer *offer, gr_answer *answer) {
  gr_capability size = offer->suggested; /* which is what *answer says already */
  if (offer->row_count == 0 || size.width == 0 || size.height == 0 || size.fps_numerator == 0 ||
      size.fps_denominator == 0) {
    /* Nothing is offered that could be made. */
    const gr_capability own = {640, 360, 30, 1};
    size = own;
    answer->kind = GR_ANSWER_FIXED;
    answer->capability = size;
  }
  take_shape(me, size, offer->revision);
}

SPARE static gr_status good_initialize(void *self, const gr_initialize *in) {
  good *me = self;
  me->sender = in->sender;
  me->video = in->video;
  me->audio = in->audio;
  if (KIND == GR_KIND_OUTPUT || KIND == GR_KIND_CALL)
    me->output = me->host->get_extension(me->instance, GR_EXT_OUTPUT_HOST);
  if (KIND == GR_KIND_CALL)
    me->people = me->host->get_extension(me->instance, GR_EXT_CALL_HOST);
  if (in->offer && in->answer) choose(me, in->offer, in->answer);
  return GR_STATUS_OK;
}

SPARE static gr_status good_property_change(void *self, const gr_offer *offer,
                                            gr_answer *answer) {
  choose(self, offer, answer);
  return GR_STATUS_OK;
}

/* Whether it sends. */
SPARE static const int has_thread = KIND != GR_KIND_PRE_PROCESSOR && KIND != GR_KIND_OUTPUT &&
                                    KIND != GR_KIND_AUDIO_PRE_PROCESSOR;

/* Opens a track of a participant. */
SPARE static gr_status open_track(good *me, uint32_t participant, uint32_t kind,
                                  gr_open_track *track) {
  const gr_open_track asked = {.struct_size = sizeof asked, .participant = participant,
                               .kind = kind, .capability = {320, 180, 15, 1}};
  *track = asked;
  return me->people->open_track(me->instance, track);
}

/* A participant joins, with a camera. */
SPARE static gr_status bring(good *me) {
  gr_open_track camera;
  gr_status status = me->people->joined(me->instance, "Guest", &me->guest);
  if (status != GR_STATUS_OK) return status;
  status = open_track(me, me->guest, GR_TRACK_CAMERA, &camera);
  if (status != GR_STATUS_OK) return status;
  me->sender = camera.sender;
  me->video = camera.video;
  me->is_wanted = 1;
  take_shape(me, camera.capability, GR_TRACK_REVISION);
  return GR_STATUS_OK;
}

SPARE static void good_demand(void *self, const gr_demand *demand) {
  good *me = self;
  if (demand->sender == me->sender)
    __atomic_store_n(&me->is_wanted, (int32_t)demand->is_wanted, __ATOMIC_RELAXED);
}

SPARE static gr_status good_start_send(void *self) {
  good *me = self;
  if (!has_thread) return GR_STATUS_OK;
  if (KIND == GR_KIND_CALL) {
    const gr_status status = bring(me);
    if (status != GR_STATUS_OK) return status;
  }
  if (pthread_create(&me->thread, NULL, pump, me) == 0) return GR_STATUS_OK;
  me->host->set_error(me->instance, "no thread could be made; raise the limit on threads");
  return GR_STATUS_FAILED;
}

SPARE static void good_stop_send(void *self) {
  if (has_thread) pthread_join(((good *)self)->thread, NULL);
}

SPARE static void good_uninitialize(void *self) { ((good *)self)->sender = 0; }

SPARE static void good_destroy(void *self) {
  pthread_mutex_destroy(&((good *)self)->lock);
  free(self);
}

/* Lightens or darkens; by default it leaves the frame as it is. */
SPARE static gr_status good_edit_audio(void *self, gr_audio_edit *block) {
  const good *me = self;
  const int32_t gain_percent = __atomic_load_n(&me->gain_percent, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < block->frame_count * block->channels; i++)
    block->samples[i] = (int16_t)(block->samples[i] * gain_percent / 100);
  return GR_STATUS_OK;
}

SPARE static gr_status good_process(void *self, gr_mutable_frame *frame) {
  const int32_t shade = __atomic_load_n(&((good *)self)->shade, __ATOMIC_RELAXED);
  const int is_limited = frame->info.range == GR_RANGE_LIMITED;
  const int32_t least = is_limited ? 16 : 0, most = is_limited ? 235 : 255;
  if (shade == 0) return GR_STATUS_OK;
  for (uint32_t y = 0; y < frame->height; y++) {
    uint8_t *row = frame->planes[0].data + (size_t)y * frame->planes[0].stride_bytes;
    for (uint32_t x = 0; x < frame->width; x++) {
      const int32_t value = row[x] + shade;
      row[x] = (uint8_t)(value < least ? least : value > most ? most : value);
    }
  }
  return GR_STATUS_OK;
}

/* ------------------------------------------------------------------------------------
 * Outputs
 * ---------------------------------------------------------------------------------- */

SPARE static gr_status good_track(void *self, const gr_track *track, gr_want *want) {
  (void)self;
  const uint32_t audio = KIND == GR_KIND_CALL ? GR_TRACK_MIX_MINUS : GR_TRACK_MIX;
  want->is_wanted =
      track->kind == audio || (track->kind == GR_TRACK_CAMERA && track->participant == 0);
  want->pace = GR_PACE_COMPLETE;
  want->sample_rate_hz = 16000;
  want->channels = 1;
  want->block_frames = 320;
  return GR_STATUS_OK;
}

SPARE static gr_status good_take(good *me) {
  me->taken++;
  return me->output->report(me->instance, "taken", (double)me->taken);
}

/* Adds up the first row and the last. */
SPARE static gr_status good_video(void *self, const gr_output_frame *frame) {
  const gr_plane *luma = &frame->frame.planes[0];
  const uint8_t *last = luma->data + (size_t)(frame->frame.height - 1) * luma->stride_bytes;
  uint32_t sum = 0;
  for (uint32_t x = 0; x < frame->frame.width; x++) sum += luma->data[x] + last[x];
  ((good *)self)->output->report(((good *)self)->instance, "sum", sum);
  return good_take(self);
}

SPARE static gr_status good_audio(void *self, const gr_output_block *block) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < block->block.frame_count * block->block.channels; i++)
    sum += block->block.samples[i];
  ((good *)self)->output->report(((good *)self)->instance, "level", (double)sum);
  return good_take(self);
}

/* ------------------------------------------------------------------------------------
 * Settings
 * ---------------------------------------------------------------------------------- */

static const char *const looks[] = {"light", "dark"};

SPARE static const gr_parameter good_parameters[] = {
    {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_INTEGER,
     .flags = GR_PARAMETER_LIVE | GR_PARAMETER_BOUNDED, .name = "shade",
     .title = "how much lighter or darker", .default_value = {.type = GR_TYPE_INTEGER},
     .minimum = -40, .maximum = 40},
    {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_NUMBER,
     .flags = GR_PARAMETER_LIVE | GR_PARAMETER_BOUNDED, .name = "gain", .title = "how loud",
     .default_value = {.type = GR_TYPE_NUMBER, .number = 1}, .minimum = 0, .maximum = 2},
    {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_BOOLEAN, .flags = GR_PARAMETER_LIVE,
     .name = "tinted", .title = "whether it is tinted",
     .default_value = {.type = GR_TYPE_BOOLEAN}},
    {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_CHOICE, .flags = GR_PARAMETER_LIVE,
     .choice_count = 2, .name = "look", .title = "how it looks", .choices = looks,
     .default_value = {.type = GR_TYPE_CHOICE, .string = "light"}},
    {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_STRING, .flags = GR_PARAMETER_LIVE,
     .name = "label", .title = "what it is called",
     .default_value = {.type = GR_TYPE_STRING, .string = ""}}};

SPARE static gr_status good_apply(good *me, const gr_setting *setting) {
  const char *name = setting->name;
  const gr_value *value = &setting->value;
  if (strcmp(name, "shade") == 0) {
    __atomic_store_n(&me->shade, (int32_t)value->integer, __ATOMIC_RELAXED);
  } else if (strcmp(name, "gain") == 0) {
    __atomic_store_n(&me->gain_percent, (int32_t)(value->number * 100), __ATOMIC_RELAXED);
  } else if (strcmp(name, "tinted") == 0) {
    __atomic_store_n(&me->is_tinted, value->integer != 0, __ATOMIC_RELAXED);
  } else if (strcmp(name, "look") == 0) {
    __atomic_store_n(&me->is_dark, strcmp(value->string, "dark") == 0, __ATOMIC_RELAXED);
  } else if (strcmp(name, "label") == 0) {
    pthread_mutex_lock(&me->lock);
    memset(me->label, 0, sizeof me->label);
    memcpy(me->label, value->string, strnlen(value->string, sizeof me->label - 1));
    pthread_mutex_unlock(&me->lock);
  } else {
    me->host->set_error(me->instance, "there is no such parameter; see the descriptor");
    return GR_STATUS_BAD_SETTING;
  }
  return GR_STATUS_OK;
}

SPARE static gr_status good_set(void *self, const gr_setting *setting) {
  return apply(self, setting);
}

SPARE static const void *good_get_extension(void *self, const char *id) {
  static const gr_live_parameters live = {.struct_size = sizeof live, .set = set};
  static const gr_pre_processor editing = {.struct_size = sizeof editing, .process = process};
  static const gr_audio_pre_processor editing_audio = {.struct_size = sizeof editing_audio,
                                                       .channels = 2,
                                                       .delay_frames = DELAY_FRAMES,
                                                       .process = edit_audio};
  static const gr_output taking = {
      .struct_size = sizeof taking, .track = track, .video = video, .audio = audio};
  static const gr_call asking = {.struct_size = sizeof asking, .demand = demand};
  const int is_output = KIND == GR_KIND_OUTPUT || KIND == GR_KIND_CALL;
  (void)self;
  if (is_output && strcmp(id, GR_EXT_OUTPUT) == 0) return &taking;
  if (KIND == GR_KIND_CALL && strcmp(id, GR_EXT_CALL) == 0) return &asking;
  if (strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0) return &live;
  if (KIND == GR_KIND_PRE_PROCESSOR && strcmp(id, GR_EXT_PRE_PROCESSOR) == 0) return &editing;
  if (KIND == GR_KIND_AUDIO_PRE_PROCESSOR && strcmp(id, GR_EXT_AUDIO_PRE_PROCESSOR) == 0)
    return &editing_audio;
  return NULL;
}

/* ------------------------------------------------------------------------------------
 * The entry
 * ---------------------------------------------------------------------------------- */

SPARE static gr_status good_create(uint32_t index, const gr_create *in,
                                   const gr_plugin **plugin) {
  if (index != 0) return GR_STATUS_BAD_ARGUMENT;
  good *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  const gr_plugin functions = {.struct_size = sizeof functions, .self = me, .destroy = destroy,
                               .initialize = initialize, .property_change = property_change,
                               .start_send = start_send, .stop_send = stop_send,
                               .uninitialize = uninitialize, .get_extension = get_extension};
  me->functions = functions;
  me->host = in->host;
  me->instance = in->instance;
  me->gain_percent = 100;
  for (size_t i = 0; i < sizeof me->ramp; i++) me->ramp[i] = (uint8_t)(16 + i % ramp_period);
  pthread_mutex_init(&me->lock, NULL);
  for (uint32_t i = 0; i < in->setting_count; i++) {
    const gr_status status = apply(me, &in->settings[i]);
    if (status == GR_STATUS_OK) continue;
    good_destroy(me);
    return status;
  }
  *plugin = &me->functions;
  return GR_STATUS_OK;
}

/* Initializers, for wrong ones to have the same but for a member. */
#define GOOD_DESCRIPTOR                                                                        \
  {.struct_size = sizeof(gr_descriptor), .kind = KIND, .id = ID, .name = NAME,                 \
   .version = VERSION, .summary = "A plugin for the tests of the validator",                   \
   .parameters = good_parameters,                                                              \
   .parameter_count = sizeof good_parameters / sizeof good_parameters[0]}
#define GOOD_ENTRY                                                                             \
  {.struct_size = sizeof(gr_entry), .abi_major = GR_ABI_MAJOR, .abi_minor = GR_ABI_MINOR,      \
   .plugin_count = 1, .descriptor = descriptor, .create = create}

SPARE static const gr_descriptor *good_descriptor(uint32_t index) {
  static const gr_descriptor only = GOOD_DESCRIPTOR;
  return index == 0 ? &only : NULL;
}

/* ------------------------------------------------------------------------------------
 * What is left to the good plugin
 * ---------------------------------------------------------------------------------- */

#ifndef OWN_CREATE
static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  return good_create(index, in, plugin);
}
#endif
#ifndef OWN_DESTROY
static void destroy(void *self) { good_destroy(self); }
#endif
#ifndef OWN_INITIALIZE
static gr_status initialize(void *self, const gr_initialize *in) {
  return good_initialize(self, in);
}
#endif
#ifndef OWN_PROPERTY_CHANGE
static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  return good_property_change(self, offer, answer);
}
#endif
#ifndef OWN_START_SEND
static gr_status start_send(void *self) { return good_start_send(self); }
#endif
#ifndef OWN_STOP_SEND
static void stop_send(void *self) { good_stop_send(self); }
#endif
#ifndef OWN_UNINITIALIZE
static void uninitialize(void *self) { good_uninitialize(self); }
#endif
#ifndef OWN_GET_EXTENSION
static const void *get_extension(void *self, const char *id) {
  return good_get_extension(self, id);
}
#endif
#ifndef OWN_EDIT_AUDIO
static gr_status edit_audio(void *self, gr_audio_edit *block) {
  return good_edit_audio(self, block);
}
#endif
#ifndef OWN_PROCESS
static gr_status process(void *self, gr_mutable_frame *frame) {
  return good_process(self, frame);
}
#endif
#ifndef OWN_TRACK
static gr_status track(void *self, const gr_track *track, gr_want *want) {
  return good_track(self, track, want);
}
#endif
#ifndef OWN_VIDEO
static gr_status video(void *self, const gr_output_frame *frame) {
  return good_video(self, frame);
}
#endif
#ifndef OWN_AUDIO
static gr_status audio(void *self, const gr_output_block *block) {
  return good_audio(self, block);
}
#endif
#ifndef OWN_SET
static gr_status set(void *self, const gr_setting *setting) { return good_set(self, setting); }
#endif
#ifndef OWN_APPLY
static gr_status apply(good *me, const gr_setting *setting) { return good_apply(me, setting); }
#endif
#ifndef OWN_CHOOSE
static void choose(good *me, const gr_offer *offer, gr_answer *answer) {
  good_choose(me, offer, answer);
}
#endif
#ifndef OWN_PUMP
static void *pump(void *self) { return good_pump(self); }
#endif
#ifndef OWN_SEND_FRAME
static gr_status send_frame(good *me, shape form, uint64_t number, int64_t due_ns) {
  return good_send_frame(me, form, number, due_ns);
}
#endif
#ifndef OWN_PAINT
static void paint(good *me, const gr_mutable_frame *frame, uint64_t number) {
  good_paint(me, frame, number);
}
#endif
#ifndef OWN_STAMP
static gr_frame_info stamp(good *me, shape form, int64_t due_ns) {
  return good_stamp(me, form, due_ns);
}
#endif
#ifndef OWN_SEND_BLOCK
static gr_status send_block(good *me, uint64_t number) { return good_send_block(me, number); }
#endif
#ifndef OWN_TUNE
static void tune(good *me, int16_t *samples, uint64_t number) { good_tune(me, samples, number); }
#endif
#ifndef OWN_DEMAND
static void demand(void *self, const gr_demand *demand) { good_demand(self, demand); }
#endif
#ifndef OWN_DESCRIPTOR
static const gr_descriptor *descriptor(uint32_t index) { return good_descriptor(index); }
#endif
#ifndef OWN_ENTRY
GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = GOOD_ENTRY;
  return &entry;
}
#endif
