/* The entry, the lifecycle and the log lines that all plugins of the library share. */
#include "hostile.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Settings: every plugin has all of them and reads those that it needs. */

static const char *const formats[] = {"i420", "nv12", "nv21", "yuy2",  "uyvy",  "bgra", "rgba",
                                      "bgrx", "rgbx", "rgb24", "mjpeg", "i010", "p010"};
static const char *const ranges[] = {"limited", "full"};
static const char *const matrices[] = {"bt601", "bt709"};
static const char *const ways[] = {"borrowed", "leased"};
static const char *const places[] = {"nowhere",   "create",       "initialize", "start-send",
                                     "stop-send", "uninitialize", "destroy",
                                     "property-change"};
static const char *const answers[] = {"accept", "fixed", "counter", "unknown"};
static const char *const stamps[] = {"session", "missing", "wall", "zero", "own", "milliseconds",
                                     "backward"};
static const char *const chatters[] = {"flood", "long", "not-utf8", "lines", "level"};

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(array)[0])
#define CHOICE(label, choice_list)                                                              \
  {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_CHOICE, .name = label, .title = label, \
   .choices = choice_list, .choice_count = COUNT(choice_list),                                 \
   .default_value = {.type = GR_TYPE_CHOICE, .string = (choice_list)[0]}}
#define INTEGER(label, value, least, most)                                                      \
  {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_INTEGER, .name = label,                \
   .title = label, .flags = GR_PARAMETER_BOUNDED, .minimum = least, .maximum = most,           \
   .default_value = {.type = GR_TYPE_INTEGER, .integer = value}}
#define LIVE_INTEGER(label, value, least, most)                                                 \
  {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_INTEGER, .name = label,                \
   .title = label, .flags = GR_PARAMETER_BOUNDED | GR_PARAMETER_LIVE, .minimum = least,        \
   .maximum = most, .default_value = {.type = GR_TYPE_INTEGER, .integer = value}}
#define LIVE_TEXT(label, value)                                                                 \
  {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_STRING, .name = label, .title = label, \
   .flags = GR_PARAMETER_LIVE, .default_value = {.type = GR_TYPE_STRING, .string = value}}
#define TEXT(label, kind)                                                                       \
  {.struct_size = sizeof(gr_parameter), .type = kind, .name = label, .title = label,           \
   .default_value = {.type = kind, .string = ""}}

static const gr_parameter parameters[] = {
    CHOICE("format", formats),
    INTEGER("width", 0, 0, 1 << 30), /* 0: as agreed */
    INTEGER("height", 0, 0, 1 << 30),
    INTEGER("fps", 0, 0, 100000),
    INTEGER("padding", 0, 0, 4096), /* bytes after each row */
    INTEGER("rotation", 0, 0, 270),
    CHOICE("range", ranges),
    CHOICE("matrix", matrices),
    CHOICE("way", ways),
    TEXT("image", GR_TYPE_PATH), /* the JPEG file to send as MJPEG */
    INTEGER("rate", 48000, 0, 200000),
    INTEGER("channels", 2, 0, 16),
    CHOICE("where", places),
    CHOICE("answer", answers),
    CHOICE("chatter", chatters),
    TEXT("text", GR_TYPE_STRING),
    INTEGER("frames", 10, 0, 1000000),
    INTEGER("deaf", 0, 0, 1),
    INTEGER("status", GR_STATUS_UNAVAILABLE, -1000000, 1000000),
    CHOICE("stamps", stamps),
    INTEGER("ppm", 0, -200000, 200000), /* how much too fast the device's crystal is */
    INTEGER("block", 0, 0, 20000),      /* samples of a block; 0: a hundredth of the rate */
    LIVE_INTEGER("tag", 0, 0, 15),
    LIVE_TEXT("fault", "none"),
    INTEGER("once", 0, 0, 1),
};

static const gr_setting *setting(const instance *me, const char *name) {
  for (uint32_t index = 0; index < me->setting_count; index++)
    if (strcmp(me->settings[index].name, name) == 0) return &me->settings[index];
  fprintf(stderr, "hostile: the host gave no setting %s\n", name);
  abort();
}

const char *setting_text(const instance *me, const char *name) {
  return setting(me, name)->value.string;
}

int64_t setting_integer(const instance *me, const char *name) {
  return setting(me, name)->value.integer;
}

bool setting_is(const instance *me, const char *name, const char *text) {
  return strcmp(setting_text(me, name), text) == 0;
}

uint32_t format_setting(const instance *me) {
  uint32_t index = 0;
  while (!setting_is(me, "format", formats[index])) index++;
  return index + 1;
}

void *const nothing = NULL;

/* Reporting. */

void say(instance *me, uint32_t level, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  me->host->log(me->handle, level, line);
}

_Noreturn void hang_here(instance *me) {
  me->host->log(me->handle, GR_LOG_INFO, "hangs");
  for (;;) pause();
}

void report(instance *me, const char *what, gr_status status) {
  char text[512] = "";
  if (status != GR_STATUS_OK) me->host->refusal_text(text, sizeof text);
  say(me, GR_LOG_INFO, "status %s %d %s", what, status, text);
}

/* The thread. */

static void *thread_main(void *self) {
  instance *me = self;
  (me->behaviour->run != NULL ? me->behaviour->run : send_well)(me);
  return NULL;
}

gr_status start_thread(instance *me) {
  atomic_store(&me->ending, false);
  if (pthread_create(&me->thread, NULL, thread_main, me) == 0) return GR_STATUS_OK;
  me->host->set_error(me->handle, "no thread could be made");
  return GR_STATUS_FAILED;
}

void join_thread(instance *me) {
  atomic_store(&me->ending, true);
  pthread_join(me->thread, NULL);
}

void send_well(instance *me) {
  if (me->video != NULL)
    send_video_well(me);
  else if (me->audio != NULL)
    send_sound_well(me);
}

/* The interface. */

static gr_status initialize(void *self, const gr_initialize *in) {
  instance *me = self;
  me->sender = in->sender;
  me->video = in->video;
  me->audio = in->audio;
  if (in->offer != NULL) {
    me->agreed = in->offer->suggested;
    me->revision = in->offer->revision;
    me->wanted = me->agreed;
    me->wanted_revision = me->revision;
  }
  return me->behaviour->initialize != NULL ? me->behaviour->initialize(me, in) : GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  instance *me = self;
  if (me->behaviour->start != NULL) return me->behaviour->start(me);
  return me->behaviour->kind == GR_KIND_PRE_PROCESSOR ? GR_STATUS_OK : start_thread(me);
}

static void stop_send(void *self) {
  instance *me = self;
  if (me->behaviour->stop != NULL)
    me->behaviour->stop(me);
  else if (me->behaviour->kind != GR_KIND_PRE_PROCESSOR)
    join_thread(me);
}

static void uninitialize(void *self) {
  instance *me = self;
  if (me->behaviour->uninitialize != NULL) me->behaviour->uninitialize(me);
}

static void destroy(void *self) {
  instance *me = self;
  if (me->behaviour->destroy != NULL) me->behaviour->destroy(me);
  for (uint32_t index = 0; index < me->setting_count; index++) {
    free((char *)me->settings[index].name);
    free((char *)me->settings[index].value.string);
  }
  free(me->settings);
  pthread_mutex_destroy(&me->lock);
  free(me);
}

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  instance *me = self;
  return me->behaviour->change(me, offer, answer);
}

static gr_status set(void *self, const gr_setting *setting) {
  instance *me = self;
  if (strcmp(setting->name, "tag") == 0) {
    atomic_store(&me->tag, setting->value.integer);
    return GR_STATUS_OK;
  }
  const int fault = fault_named(setting->value.string);
  if (fault < 0) return GR_STATUS_BAD_SETTING;
  atomic_store(&me->fault, fault);
  return GR_STATUS_OK;
}

static gr_status process(void *self, gr_mutable_frame *frame) {
  instance *me = self;
  return me->behaviour->process(me, frame);
}

static const void *get_extension(void *self, const char *id) {
  static const gr_pre_processor pre_processor = {.struct_size = sizeof pre_processor,
                                                 .process = process};
  static const gr_live_parameters live = {.struct_size = sizeof live, .set = set};
  const instance *me = self;
  if (strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0) return &live;
  if (strcmp(id, GR_EXT_VIDEO_CAPABILITIES) == 0) return me->behaviour->capabilities;
  return me->behaviour->process != NULL && strcmp(id, GR_EXT_PRE_PROCESSOR) == 0 ? &pre_processor
                                                                                 : NULL;
}

static const behaviour *behaviour_at(uint32_t index) {
  const behaviour *const all[] = {well_behaved, bad_senders, bad_audio,  bad_timing, bad_answers,
                                  bad_filters,  real_frames, real_audio, clocked,    faulty};
  for (uint32_t array = 0; array < COUNT(all); array++)
    for (const behaviour *one = all[array]; one->name != NULL; one++)
      if (index-- == 0) return one;
  return NULL;
}

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  instance *me = calloc(1, sizeof *me);
  me->functions = (gr_plugin){
      .struct_size = sizeof me->functions, .self = me, .destroy = destroy,
      .initialize = initialize, .start_send = start_send, .stop_send = stop_send,
      .uninitialize = uninitialize, .get_extension = get_extension};
  me->behaviour = behaviour_at(index);
  if (me->behaviour->change != NULL) me->functions.property_change = property_change;
  pthread_mutex_init(&me->lock, NULL);
  me->host = in->host;
  me->handle = in->instance;
  me->setting_count = in->setting_count;
  me->settings = calloc(in->setting_count, sizeof *me->settings);
  for (uint32_t place = 0; place < in->setting_count; place++) {
    me->settings[place] = in->settings[place];
    me->settings[place].name = strdup(in->settings[place].name);
    if (in->settings[place].value.string != NULL)
      me->settings[place].value.string = strdup(in->settings[place].value.string);
  }
  atomic_store(&me->tag, setting_integer(me, "tag"));
  atomic_store(&me->fault, fault_named(setting_text(me, "fault")));
  const gr_status status =
      me->behaviour->create != NULL ? me->behaviour->create(me) : GR_STATUS_OK;
  if (status == GR_STATUS_OK)
    *plugin = &me->functions;
  else
    destroy(me);
  return status;
}

static uint32_t plugin_count(void) {
  uint32_t count = 0;
  while (behaviour_at(count) != NULL) count++;
  return count;
}

static gr_descriptor *descriptors;

static const gr_descriptor *descriptor(uint32_t index) { return &descriptors[index]; }

static void make_descriptors(void) {
  const uint32_t count = plugin_count();
  descriptors = calloc(count, sizeof *descriptors);
  for (uint32_t index = 0; index < count; index++) {
    const behaviour *one = behaviour_at(index);
    char id[64];
    snprintf(id, sizeof id, "org.example.hostile.%u", index);
    descriptors[index] = (gr_descriptor){
        .struct_size = sizeof(gr_descriptor), .kind = one->kind, .id = strdup(id),
        .name = one->name, .version = "1.0.0", .summary = one->summary,
        .parameters = parameters, .parameter_count = COUNT(parameters)};
  }
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void);

const gr_entry *greenroom_plugin_entry(void) {
  static gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                           .abi_minor = GR_ABI_MINOR, .descriptor = descriptor,
                           .create = create};
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_descriptors);
  entry.plugin_count = plugin_count();
  return &entry;
}
