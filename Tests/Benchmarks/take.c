/* An output that takes the camera's frames and reads one line of each. At its end it tells how long
   after its time each new frame came. */
#include <greenroom/output.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_frames = 1 << 16 };

typedef struct take {
  gr_plugin functions;
  const gr_host *host;
  gr_instance instance;
  uint32_t format, width, height, live;
  int64_t delays[most_frames], frames;
  uint64_t sum; /* of what it reads */
} take;

static int ascending(const void *one, const void *other) {
  const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
  return (a > b) - (a < b);
}

static gr_status track(void *self, const gr_track *track, gr_want *want) {
  const take *me = self;
  if (track->kind != GR_TRACK_CAMERA) return GR_STATUS_OK;
  want->is_wanted = 1;
  want->format = me->format;
  want->capability.width = me->width;
  want->capability.height = me->height;
  want->pace = me->live ? GR_PACE_LIVE : GR_PACE_COMPLETE;
  return GR_STATUS_OK;
}

static gr_status video(void *self, const gr_output_frame *frame) {
  take *me = self;
  const int64_t now = me->host->now_ns(me->instance);
  for (uint32_t x = 0; x < frame->frame.width; x++) me->sum += frame->frame.planes[0].data[x];
  if (frame->content == GR_CONTENT_NEW && me->frames < most_frames)
    me->delays[me->frames++] = now - frame->frame.info.pts_ns;
  return GR_STATUS_OK;
}

static gr_status audio(void *self, const gr_output_block *block) {
  (void)self, (void)block;
  return GR_STATUS_OK;
}

static gr_status initialize(void *self, const gr_initialize *in) {
  (void)self, (void)in;
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  (void)self;
  return GR_STATUS_OK;
}

static void stop_send(void *self) {
  take *me = self;
  const int64_t count = me->frames;
  if (count == 0) return;
  qsort(me->delays, (size_t)count, sizeof *me->delays, ascending);
  char text[160];
  snprintf(text, sizeof text, "took %lld frames, %.2f ms p50, %.2f ms p95 after their time (%llu)",
           (long long)count, (double)me->delays[count / 2] / 1e6,
           (double)me->delays[count * 95 / 100] / 1e6, (unsigned long long)me->sum);
  me->host->log(me->instance, GR_LOG_INFO, text);
}

static void uninitialize(void *self) { (void)self; }

static const void *get_extension(void *self, const char *id) {
  static const gr_output output = {
      .struct_size = sizeof output, .track = track, .video = video, .audio = audio};
  (void)self;
  return strcmp(id, GR_EXT_OUTPUT) == 0 ? &output : NULL;
}

static const gr_parameter parameters[] = {
#define NUMBER(label, value, least, most)                                                       \
  {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_INTEGER, .name = label, .title = label, \
   .flags = GR_PARAMETER_BOUNDED, .minimum = least, .maximum = most,                            \
   .default_value = {.type = GR_TYPE_INTEGER, .integer = value}}
    NUMBER("format", GR_FORMAT_RGBA, 1, 13),
    NUMBER("width", 0, 0, 8192),
    NUMBER("height", 0, 0, 8192),
    NUMBER("live", 0, 0, 1),
};

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index;
  take *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  me->functions = (gr_plugin){.struct_size = sizeof me->functions, .self = me, .destroy = free,
                              .initialize = initialize, .start_send = start_send,
                              .stop_send = stop_send, .uninitialize = uninitialize,
                              .get_extension = get_extension};
  me->format = (uint32_t)in->settings[0].value.integer;
  me->width = (uint32_t)in->settings[1].value.integer;
  me->height = (uint32_t)in->settings[2].value.integer;
  me->live = (uint32_t)in->settings[3].value.integer;
  me->host = in->host;
  me->instance = in->instance;
  *plugin = &me->functions;
  return GR_STATUS_OK;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_descriptor only = {
      .struct_size = sizeof only, .kind = GR_KIND_OUTPUT, .id = "org.greenroom.take",
      .name = "Take", .version = "1.0.0", .summary = "Takes frames and says how late they came",
      .parameters = parameters, .parameter_count = sizeof parameters / sizeof parameters[0]};
  return index == 0 ? &only : NULL;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 1,
                                 .descriptor = descriptor, .create = create};
  return &entry;
}
